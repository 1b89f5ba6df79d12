//! What the tests share: models, linear systems, eigenvalues.

use linkwork::Model;
use linkwork::analysis::{Linearization, LinearizeOptions};
use linkwork::model::Formulation;
use linkwork_linear::{Modes, c64};
use std::path::Path;

/// A model file of `examples/` with other values for some parameters.
pub fn example(name: &str, parameters: &[(&str, f64)]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
    let text = std::fs::read(&path).expect("the example is there");
    let path = path.to_str().expect("a plain path");
    Model::parse_beside(path, text, parameters).unwrap_or_else(|error| panic!("{error}"))
}

/// The linear system of a model at its start.
pub fn linear(model: &Model, formulation: Formulation) -> Linearization {
    let mechanism = model.assemble().unwrap_or_else(|error| panic!("{error}"));
    let state = mechanism.initial_state(Formulation::Auto).unwrap_or_else(|error| panic!("{error}"));
    let options = LinearizeOptions { formulation, ..Default::default() };
    mechanism.linearize(&state, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Its modes.
pub fn modes(linear: &Linearization) -> Modes {
    Modes::new(linear).unwrap_or_else(|error| panic!("{error}"))
}

/// Eigenvalues that are not zero, by imaginary, then by real part.
pub fn eigenvalues(modes: &Modes) -> Vec<c64> {
    let mut list = modes.eigenvalues();
    list.retain(|value| value.norm() > 0.0);
    list.sort_by(|a, b| {
        let key = |x: f64| (x * 1e6).round();
        key(a.im).total_cmp(&key(b.im)).then(a.re.total_cmp(&b.re))
    });
    list
}

/// The largest distance of two lists of eigenvalues, in parts of the largest eigenvalue.
pub fn distance(a: &[c64], b: &[c64]) -> f64 {
    assert_eq!(a.len(), b.len(), "{a:?}\n{b:?}");
    let size = a.iter().fold(0.0_f64, |m, x| m.max(x.norm()));
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).norm())) / size
}

/// A model from its text.
pub fn model(text: &str) -> Model {
    Model::parse("model.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// Acceleration of free fall, m/s².
pub const G: f64 = 9.81;
