//! Which formulations a test runs through.

use linkwork::model::{Formulation, Model};

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
