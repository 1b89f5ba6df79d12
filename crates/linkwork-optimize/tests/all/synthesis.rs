//! Four-bar linkages whose coupler point passes given places [cabrera2002].

use crate::study;
use linkwork_optimize::{Options, optimize};

/// Six places on a line with free timing: a linkage passes them all. The file draws it to one decimal, 4.5 m off in the root of the sum of squares.
#[test]
fn paper_six_places_are_met() {
    let study = study("path-free.toml", include_str!("../data/path-free.toml"));
    let found = optimize(&study, &Options { runs: 900, ..Options::default() }).unwrap();
    assert!(found.first_objective > 1.0);
    assert!(found.success && found.objective < 1e-20, "{:.1e}: {}", found.objective, found.message);
}

/// Five places at given angles with an order of the links: the least that is known is 2.5637e-4, with three links of equal length.
#[test]
fn paper_five_places_at_given_angles() {
    let study = study("path-timed.toml", include_str!("../data/path-timed.toml"));
    let found = optimize(&study, &Options { runs: 1500, ..Options::default() }).unwrap();
    assert!(
        found.success && found.objective <= 2.57e-4 && found.constraints.iter().all(|one| one.holds),
        "{:.5e}: {}",
        found.objective,
        found.message
    );
    assert_eq!(found.limits.iter().filter(|limit| limit.per_cent < 0.0).count(), 2, "{:?}", found.limits);
}

/// Random starts: the same seed gives the same linkage, and one that is better than what is drawn first.
#[test]
fn same_linkage_from_the_same_seed() {
    let study = study("path-timed.toml", include_str!("../data/path-timed.toml"));
    let options = Options { global: true, runs: 1000, seed: 2, ..Options::default() };
    let (a, b) = (optimize(&study, &options).unwrap(), optimize(&study, &options).unwrap());
    assert_eq!(a.x, b.x);
    assert!(a.objective <= a.first_objective && a.constraints.iter().all(|one| one.holds), "{}", a.message);
}

/// Both from random points of the whole ranges, whatever the seed: the first to rounding, the second to the least that is known.
#[test]
fn paper_places_from_random_starts() {
    let free = study("path-free.toml", include_str!("../data/path-free.toml"));
    let timed = study("path-timed.toml", include_str!("../data/path-timed.toml"));
    assert!(free.is_linkage() && timed.is_linkage());
    for (study, seed, bar) in [(&free, 4, 1e-20), (&timed, 1, 2.57e-4), (&timed, 2, 2.57e-4)] {
        let options = Options { global: true, runs: 8000, seed, ..Options::default() };
        let found = optimize(study, &options).unwrap();
        assert!(found.success && found.objective <= bar, "seed {seed}: {:.3e}", found.objective);
        assert!(found.constraints.iter().all(|one| one.holds), "{:?}", found.constraints);
    }
}

/// The example: a line that is nearly straight gets straighter, held back by the length that the coupler may have.
#[test]
fn exact_straight_line_of_the_example() {
    let study = study("straight-line.toml", include_str!("../../../../examples/straight-line.toml"));
    let found = optimize(&study, &Options::default()).unwrap();
    assert!(found.success && found.objective < 0.02 * found.first_objective, "{}", found.objective);
    let length = found.limits.iter().find(|limit| limit.what.starts_with("short")).unwrap();
    assert!(length.per_cent < 0.0 && !length.is_equation);
}
