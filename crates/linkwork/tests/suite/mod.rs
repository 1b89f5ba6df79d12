//! What the tests share: which formulations a model runs through, models, runs. Not every test uses all of it.
#![allow(dead_code)]

pub mod orders;

use linkwork::mechanism::Mechanism;
use linkwork::model::{Body, Formulation, Model, Settings};
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

/// Every formulation that has nothing against the model. What is skipped is printed with its reason, and the
/// general ones must never be.
pub fn applicable(model: &Model) -> Vec<Formulation> {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let mut list = Vec::new();
    for formulation in Formulation::ALL {
        match formulation.objections(&mechanism).first() {
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
