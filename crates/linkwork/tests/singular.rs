//! Singular positions: passed on the right branch, and told.

mod suite;

use linkwork::model::{Body, Formulation, Integrator, Model};
use std::f64::consts::{FRAC_PI_2, PI};
use suite::{G, linkage, linkage_motion, run, settings};

/// Times at which the linkage lies flat, by bisection of the closed form's rows.
fn flat_times(motion: &[(f64, f64)], step: f64) -> Vec<f64> {
    let mut times = Vec::new();
    for (i, pair) in motion.windows(2).enumerate() {
        let turn = |theta: f64| ((theta - FRAC_PI_2) / PI).floor();
        if turn(pair[0].0) != turn(pair[1].0) {
            let target = PI * turn(pair[0].0).max(turn(pair[1].0)) + FRAC_PI_2;
            // cubic accuracy is enough to tell one passage from another
            let s = (target - pair[0].0) / (pair[1].0 - pair[0].0);
            times.push((i as f64 + s) * step);
        }
    }
    times
}

/// The linkage runs through its flat position on the right branch, and every passage is told at its time.
#[test]
fn exact_linkage_passes_flat_positions() {
    for (loops, formulations) in [
        (2, &[Formulation::Points, Formulation::Joints, Formulation::NewtonEuler][..]),
        (40, &[Formulation::Points]),
    ] {
        for &formulation in formulations {
            let mut model = linkage(loops);
            model.settings.formulation = formulation;
            model.settings.integrator = Integrator::Dop853;
            let (mechanism, run) = run(&model);
            let motion = linkage_motion(loops, 0.01, run.frames.len());
            let tip = mechanism.points.iter().position(|p| p.name == "B0").unwrap();
            let mut worst = 0.0_f64;
            for (frame, (theta, _)) in run.frames.iter().zip(&motion) {
                let [x, y, _] = frame.positions[tip];
                worst = worst.max((x - theta.sin()).hypot(y - theta.cos()));
            }
            let told: Vec<f64> = run
                .summary
                .remarks
                .iter()
                .filter(|r| r.code == "singular-position")
                .filter_map(|r| r.t)
                .collect();
            let expected = flat_times(&motion, 0.01);
            println!(
                "{loops} loops, {}: tip {worst:.1e} m, energy {:.1e} J, {} passages of {}, {} steps, {} leaps refused",
                formulation.name(),
                run.summary.energy_drift,
                told.len(),
                expected.len(),
                run.summary.steps.accepted_steps,
                run.summary.steps.leaps,
            );
            assert!(worst < 1e-6 && run.summary.energy_drift < 1e-6);
            assert_eq!(told.len(), expected.len(), "{told:?} {expected:?}");
            for (told, expected) in told.iter().zip(&expected) {
                assert!((told - expected).abs() < 1e-3, "{told} {expected}");
            }
        }
    }
}

/// A four-bar that never comes near such a place says nothing.
#[test]
fn exact_no_passage_is_invented() {
    let model = Model::planar("crank and rocker")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [3.0, 2.0])
        .point("D", [3.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5))
        .velocity("B", [8.0, 0.0])
        .settings(settings(10.0, 0.02, 1e-10));
    let (_, run) = run(&model);
    assert!(run.summary.remarks.is_empty(), "{:?}", run.summary.remarks);
}
