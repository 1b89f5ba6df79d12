//! Parameters from measurements.

use crate::study;
use linkwork::model::ModelFile;
use linkwork_optimize::{Data, Measured, fit};
use linkwork_sweep::{normal_quantile, uniform};

const TEXT: &str = include_str!("../data/pendulum-fit.toml");
const TRUTH: [f64; 2] = [0.5, 0.01];
const NOISE: f64 = 0.02;

/// The angle of the pendulum with its true parameters, with errors from a seed.
fn measured(seed: u64, noise: f64) -> Data {
    let file = ModelFile::parse("pendulum.toml", TEXT).unwrap();
    let mechanism = file.model(&[("l", TRUTH[0]), ("c", TRUTH[1])]).unwrap().assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    let (mut t, mut values) = (Vec::new(), Vec::new());
    for k in 1..=40 {
        t.push(0.05 * f64::from(k));
        simulation.advance_to(t[t.len() - 1]).unwrap();
        let angle = simulation.sample().unwrap().joints[0][0].q;
        values.push(angle + noise * normal_quantile(uniform(seed, 0, k as u64)));
    }
    let column = Measured { name: "angle".into(), quantity: "joint.A.q".into(), values };
    Data { t, columns: vec![column] }
}

/// Without errors the parameters come back, and the intervals shrink to nothing.
#[test]
fn exact_parameters_of_exact_data() {
    let found = fit(&study("pendulum.toml", TEXT), &measured(1, 0.0), 1000).unwrap();
    assert!(found.success, "{}", found.message);
    for (one, truth) in found.estimates.iter().zip(TRUTH) {
        assert!((one.value - truth).abs() < 1e-7 && one.error < 1e-7, "{one:?}");
    }
}

/// Errors of a known size: what is left has it, and the errors of the estimates are those of linear theory. 24 repeats stand for the 200 of `studies/fit_coverage.py`: with 95 % intervals, fewer than 40 of
/// 48 covering ones would come once in 40,000 times.
#[test]
fn exact_intervals_cover() {
    let study = study("pendulum.toml", TEXT);
    let mut covered = 0;
    for seed in 0..24 {
        let found = fit(&study, &measured(seed, NOISE), 400).unwrap();
        let inside = found
            .estimates
            .iter()
            .zip(TRUTH)
            .filter(|(one, truth)| one.interval[0] <= *truth && *truth <= one.interval[1]);
        covered += inside.count();
        assert!((found.left[0] / NOISE - 1.0).abs() < 0.5);
    }
    println!("{covered} of 48 intervals cover");
    assert!((40..=48).contains(&covered), "{covered} of 48");
}

#[test]
fn wrong_data_are_named() {
    let study = study("pendulum.toml", TEXT);
    let with = |change: &dyn Fn(&mut Data)| {
        let mut data = measured(1, 0.0);
        change(&mut data);
        fit(&study, &data, 10).unwrap_err().to_string()
    };
    assert!(with(&|data| data.t[3] = 0.0).contains("ascend"));
    assert!(with(&|data| data.columns.clear()).contains("no column"));
    assert!(with(&|data| data.columns[0].quantity = "point.X.y".into()).contains("`X`"));
    assert!(with(&|data| data.columns[0].quantity = "1 +".into()).contains("--map angle"));
    let few = with(&|data| {
        data.t.truncate(2);
        data.columns[0].values.truncate(2);
    });
    assert!(few.contains("2 measurements cannot tell 2 parameters"), "{few}");
}
