//! Prescribed motion: closed forms, agreement of formulations, and the work that drivers do.

mod suite;

use linkwork::model::{Body, Driver, Formula, Model, Settings};
use suite::{G, applicable, planar_four_bar, run, settings};

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// A rod of 2 kg and 1 m, driven about its end by θ = 0.7 sin 3t + 8 t: torque I θ̈ + m g l/2 sin, over several turns.
#[test]
fn exact_torque_of_a_driven_pendulum() {
    let model = Model::planar("driven pendulum")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .body(Body::rod("arm", ["A", "B"], 2.0))
        .driver(Driver::joint("motor", "A", formula("0.7*sin(3*t) + 8*t")));
    for f in applicable(&model) {
        let settings = Settings { formulation: f, ..settings(2.0, 0.05, 1e-11) };
        let (mechanism, result) = run(&model.clone().settings(settings));
        let torque = result.column(&mechanism, "driver.motor.torque").unwrap();
        let mut worst: f64 = 0.0;
        for (frame, found) in result.frames.iter().zip(torque) {
            let t = frame.t;
            let (theta, acceleration) = (0.7 * (3.0 * t).sin() + 8.0 * t, -6.3 * (3.0 * t).sin());
            let exact = 2.0 / 3.0 * acceleration + 2.0 * G * 0.5 * theta.cos();
            worst = worst.max((found - exact).abs());
            assert!((frame.joints[0][0].q - theta).abs() < 1e-12, "{f:?} {t}");
        }
        println!("{}: torque off by {worst:.1e} N m, energy {:.1e}", f.name(), result.summary.energy_drift);
        assert!(worst < 1e-10, "{f:?}: {worst}");
        assert!(result.summary.energy_drift < 1e-9);
        assert_eq!(mechanism.degrees_of_freedom(), 0);
    }
}

/// A four-bar linkage with its crank driven: all formulations find the same torque.
#[test]
fn cross_driven_four_bar() {
    let model = planar_four_bar().driver(Driver::joint("crank", "A", formula("-0.4*t^2 - 0.3*t")));
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let settings = Settings { formulation: f, ..settings(1.0, 0.05, 1e-11) };
        let (mechanism, result) = run(&model.clone().settings(settings));
        let torque = result.column(&mechanism, "driver.crank.torque").unwrap();
        println!("{}: energy {:.1e}", f.name(), result.summary.energy_drift);
        assert!(result.summary.energy_drift < 1e-9, "{f:?}");
        let size = torque.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        match &first {
            None => first = Some(torque),
            Some(first) => {
                let off = first.iter().zip(&torque).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(off < 1e-9 * size, "{f:?}: {off} of {size}");
            }
        }
    }
}
