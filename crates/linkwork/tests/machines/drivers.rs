//! Prescribed motion: closed forms, agreement of formulations, and the work that drivers do.

use crate::suite;
use linkwork::joints::{Distance, Prismatic};

use linkwork::model::{Axis, Body, Driver, Formula, Inertia, Joint, Measure, Model, Settings};
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
        .driver(Driver::joint("motor", "A", formula("0.7*sin(3*t) + 8*t")))
        .measure(Measure::new("power", formula("driver.motor.torque * joint.A.v")));
    for f in applicable(&model) {
        let settings = Settings { formulation: f, ..settings(2.0, 0.05, 1e-11) };
        let (mechanism, result) = run(&model.clone().settings(settings));
        let torque = result.column(&mechanism, "driver.motor.torque").unwrap();
        let mut worst: f64 = 0.0;
        for (frame, found) in result.frames.iter().zip(torque) {
            assert_eq!(frame.measures[0], found * frame.joints[0][0].v);
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

/// A driven angle takes a torque, and asking for its force is told.
#[test]
fn exact_a_driver_has_a_force_or_a_torque() {
    let model = planar_four_bar()
        .driver(Driver::joint("crank", "A", formula("-0.3*t")))
        .measure(Measure::new("load", formula("driver.crank.force")));
    let error = model.assemble().expect_err("a torque").to_string();
    assert!(error.contains("has no `force`, it has torque"), "{error}");
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

/// The container crane of [schwab2002] chapter 2 with its massless cart driven, x = a (1 − cos ωt)/2: swing angle and driving
/// force against the independent solution.
#[test]
fn paper_driven_container_crane() {
    let (a, w, l, phi) = (2.0, 1.7, 1.5, 0.2_f64);
    let model = Model::planar("driven crane")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [0.0, 0.0])
        .point("B", [l * phi.sin(), -l * phi.cos()])
        .ground(["O"])
        .body(Body::with_inertia("cart", ["A"], 0.0, [0.0; 3], Inertia::Polar(0.0)))
        .body(Body::with_inertia(
            "load",
            ["B"],
            1.0,
            [l * phi.sin(), -l * phi.cos(), 0.0],
            Inertia::Polar(0.0),
        ))
        .joint(Joint::between("rail", Prismatic { axis: Axis::X }, ["ground", "cart"], ["O", "A"]))
        .joint(Joint::between("rope", Distance { length: None }, ["cart", "load"], ["A", "B"]))
        .driver(Driver::joint("trolley", "rail", formula(&format!("{a} * (1 - cos({w} * t)) / 2"))));
    let text = include_str!("../data/container_crane_driven.csv");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    for f in applicable(&model) {
        let settings = Settings { formulation: f, ..settings(10.0, 0.02, 1e-12) };
        let (mechanism, result) = run(&model.clone().settings(settings));
        let force = result.column(&mechanism, "driver.trolley.force").unwrap();
        let largest = rows.iter().fold(0.0_f64, |m, row| m.max(row[5].abs()));
        let (mut angle, mut drive) = (0.0_f64, 0.0_f64);
        for row in &rows {
            let k = (row[0] / 0.02).round() as usize;
            let d: Vec<f64> =
                (0..2).map(|c| result.frames[k].positions[2][c] - result.frames[k].positions[1][c]).collect();
            angle = angle.max((d[0].atan2(-d[1]) - row[2]).abs());
            drive = drive.max((force[k] - row[5]).abs());
        }
        println!("{}: angle {angle:.1e} rad, force {:.1e} of the largest", f.name(), drive / largest);
        assert!(angle < 1e-9 && drive < 1e-8 * largest, "{f:?}");
    }
}
