//! Four-bar linkages whose coupler point passes given places.

use crate::study;
use linkwork_optimize::{Options, optimize};

/// Case 1 of Cabrera et al. (six places on a line, timing free) has a linkage that passes them all; from random starts.
#[test]
fn paper_six_places_are_met() {
    let study = study("path-free.toml", include_str!("../data/path-free.toml"));
    let options = Options { global: true, runs: 60_000, ..Options::default() };
    let started = std::time::Instant::now();
    let found = optimize(&study, &options).unwrap();
    println!(
        "case 1: {:.3e} after {} evaluations, {:.2} s; {}",
        found.objective,
        found.evaluations,
        started.elapsed().as_secs_f64(),
        found.message
    );
    assert!(found.objective < 1e-12 && found.constraints.iter().all(|one| one.holds), "{}", found.message);
}

/// Case 2 (five places at given angles): the least known is 2.5637e-4, with three links of equal length. From random starts.
#[test]
fn paper_five_places_at_given_angles() {
    let study = study("path-timed.toml", include_str!("../data/path-timed.toml"));
    let options = Options { global: true, runs: 30_000, ..Options::default() };
    let started = std::time::Instant::now();
    let found = optimize(&study, &options).unwrap();
    println!(
        "case 2: {:.6e} at {:?} after {} evaluations, {:.2} s; {}",
        found.objective,
        found.x,
        found.evaluations,
        started.elapsed().as_secs_f64(),
        found.message
    );
    assert!(found.objective <= 2.57e-4 && found.constraints.iter().all(|one| one.holds), "{}", found.message);
}
