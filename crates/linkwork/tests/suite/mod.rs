//! What the tests share: which formulations a model runs through, models, runs. Not every test uses all of it.
#![allow(dead_code)]

pub mod cartesian_rope;
pub mod contacts;
pub mod orders;
pub mod trees;

use linkwork::joints::{self, JointData, JointKind};
use linkwork::mechanism::Mechanism;
use linkwork::model::{Axis, Body, Formulation, Integrator, Model, Settings};
use linkwork::simulation::{Status, Trajectory};

/// Acceleration of free fall, m/s².
pub const G: f64 = 9.81;

/// These solve every model of the suite.
const GENERAL: [Formulation; 6] = [
    Formulation::Points,
    Formulation::Joints,
    Formulation::Momentum,
    Formulation::NewtonEuler,
    Formulation::Tmt,
    Formulation::Lagrange,
];

/// Examples with beams: so stiff that tolerances of 1e-11 and explicit steps take minutes. `machines::beams` has their witnesses.
pub const BEAMS: [&str; 6] =
    ["beam-bridge", "flexible-robot", "flexible-slider-crank", "leaf-spring", "paper-clip", "wind-turbine"];

/// Every integrator that runs models without contacts: all but `moreau`, which steps over contacts.
pub fn integrators() -> impl Iterator<Item = Integrator> {
    Integrator::ALL.into_iter().filter(|&integrator| integrator != Integrator::Moreau)
}

/// Every formulation that has nothing against the model. What is skipped is printed with its reason, and the
/// general ones must never be.
pub fn applicable(model: &Model) -> Vec<Formulation> {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let mut list = Vec::new();
    for formulation in Formulation::ALL {
        match formulation.unsupported(&mechanism).first() {
            None => list.push(formulation),
            Some(why) => {
                println!("{} skipped: {}: {}", formulation.name(), why.path, why.message);
                assert!(!GENERAL.contains(&formulation), "{formulation:?} refuses: {}", why.message);
            }
        }
    }
    list
}

/// Settings for a run.
pub fn settings(duration: f64, output_step: f64, tolerance: f64) -> Settings {
    Settings { duration, output_step, tolerance, ..Default::default() }
}

/// Assembles and runs a model that must finish and meet its constraints.
pub fn run(model: &Model) -> (Mechanism, Trajectory) {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    if model.settings.projects() {
        assert!(run.summary.constraint_residual < 1e-12 * run.summary.size, "{:?}", run.summary);
    }
    (mechanism, run)
}

/// Three rods in a loop.
pub fn planar_four_bar() -> Model {
    Model::planar("four-bar")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [2.0, 2.0])
        .point("D", [2.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5))
        .settings(settings(2.0, 0.02, 1e-11))
}

/// A row of parallelograms: upright rods of 1 m and 1 kg on the ground, joined by couplers of 1 m and 1 kg, all moving
/// at 1 m/s. With θ the angle from upright, θ̈ = κ sin θ ([`linkage_motion`]); it passes its flat, singular position twice a turn.
pub fn linkage(loops: usize) -> Model {
    let mut model = Model::planar(format!("linkage of {loops} loops")).gravity([0.0, -G]);
    for i in 0..=loops {
        model = model.point(format!("A{i}"), [i as f64, 0.0]).point(format!("B{i}"), [i as f64, 1.0]);
        model = model.body(Body::rod(format!("up{i}"), [&format!("A{i}"), &format!("B{i}")], 1.0));
        model = model.velocity(format!("B{i}"), [1.0, 0.0]);
    }
    for i in 0..loops {
        model = model.body(Body::rod(format!("over{i}"), [&format!("B{i}"), &format!("B{}", i + 1)], 1.0));
    }
    model.ground((0..=loops).map(|i| format!("A{i}"))).settings(settings(10.0, 0.01, 1e-11))
}

/// θ and θ̇ of a [`linkage`] at equal times, by Taylor series of order 30 of the one equation θ̈ = κ sin θ.
pub fn linkage_motion(loops: usize, output_step: f64, rows: usize) -> Vec<(f64, f64)> {
    const ORDER: usize = 30;
    let n = loops as f64;
    let kappa = 3.0 * G * (3.0 * n + 1.0) / (2.0 * (4.0 * n + 1.0));
    let (mut theta, mut omega) = (0.0, 1.0);
    let mut motion = vec![(theta, omega)];
    // steps well within the radius of convergence
    let inner = (output_step / 0.01).ceil().max(1.0) as usize;
    let h = output_step / inner as f64;
    for _ in 1..rows {
        for _ in 0..inner {
            let (mut x, mut s, mut c) = ([0.0; ORDER + 2], [0.0; ORDER], [0.0; ORDER]);
            (x[0], x[1]) = (theta, omega);
            (s[0], c[0]) = f64::sin_cos(theta);
            for m in 0..ORDER {
                if m > 0 {
                    s[m] = (1..=m).map(|j| j as f64 * x[j] * c[m - j]).sum::<f64>() / m as f64;
                    c[m] = -(1..=m).map(|j| j as f64 * x[j] * s[m - j]).sum::<f64>() / m as f64;
                }
                x[m + 2] = kappa * s[m] / ((m + 1) * (m + 2)) as f64;
            }
            theta = x.iter().rev().fold(0.0, |sum, x| sum * h + x);
            omega = (1..ORDER + 2).rev().fold(0.0, |sum, m| sum * h + m as f64 * x[m]);
        }
        motion.push((theta, omega));
    }
    motion
}

/// The data of a joint of a kind that has no others than axes.
pub fn of_kind(kind: JointKind, axis: [f64; 3], axis2: [f64; 3]) -> JointData {
    let (axis, axis2) = (Axis::Vector(axis), Axis::Vector(axis2));
    match kind {
        JointKind::Revolute => joints::Revolute { axis: Some(axis) }.into(),
        JointKind::Spherical => joints::Spherical.into(),
        JointKind::Prismatic => joints::Prismatic { axis }.into(),
        JointKind::Cylindrical => joints::Cylindrical { axis }.into(),
        JointKind::PointOnLine => joints::PointOnLine { axis }.into(),
        JointKind::Fixed => joints::Fixed.into(),
        JointKind::Universal => joints::Universal { axis, axis2 }.into(),
        JointKind::Planar => joints::Planar { axis }.into(),
        JointKind::PointOnPlane => joints::PointOnPlane { axis }.into(),
        JointKind::Distance => joints::Distance { length: None }.into(),
        JointKind::Floating => joints::Floating.into(),
        JointKind::Oldham => joints::Oldham { axis }.into(),
        _ => panic!("a {} joint has data of its own", kind.name()),
    }
}
