//! Linear systems as files for other programs: JSON, NumPy (`.npz`), MATLAB and Octave (`.mat`).
//!
//! All have the matrices `A`, `B`, `C`, `D`, the names and units of `states`, `inputs` and `outputs`, and the values at the state. In Python,
//! `control.ss(*(numpy.load("linear.npz")[k] for k in "ABCD"))`; in MATLAB, `load linear; ss(A, B, C, D)`.

mod mat;
mod npz;

use crate::{Modes, c64};
use linkwork::analysis::{Linearization, Quantity};
use serde_json::{Value, json};

/// A part of a file.
pub(crate) enum Part<'a> {
    /// Rows, columns, numbers row by row.
    Matrix(usize, usize, &'a [f64]),
    /// One text each.
    Texts(Vec<&'a str>),
}

/// What the files hold, by name.
pub(crate) fn parts(linear: &Linearization) -> Vec<(&'static str, Part<'_>)> {
    let (n, m, k) = (linear.states.len(), linear.inputs.len(), linear.outputs.len());
    fn names(list: &[Quantity]) -> Part<'_> {
        Part::Texts(list.iter().map(|quantity| quantity.name.as_str()).collect())
    }
    fn units(list: &[Quantity]) -> Part<'_> {
        Part::Texts(list.iter().map(|quantity| quantity.unit.as_str()).collect())
    }
    vec![
        ("A", Part::Matrix(n, n, &linear.a)),
        ("B", Part::Matrix(n, m, &linear.b)),
        ("C", Part::Matrix(k, n, &linear.c)),
        ("D", Part::Matrix(k, m, &linear.d)),
        ("states", names(&linear.states)),
        ("state_units", units(&linear.states)),
        ("inputs", names(&linear.inputs)),
        ("input_units", units(&linear.inputs)),
        ("outputs", names(&linear.outputs)),
        ("output_units", units(&linear.outputs)),
        ("state_rates", Part::Matrix(n, 1, &linear.rates)),
        ("input_values", Part::Matrix(m, 1, &linear.input_values)),
        ("output_values", Part::Matrix(k, 1, &linear.output_values)),
        ("t", Part::Matrix(1, 1, std::slice::from_ref(&linear.t))),
    ]
}

/// A linear system as JSON; matrices are lists of rows.
pub fn json(linear: &Linearization) -> Value {
    let rows = |columns: usize, values: &[f64]| -> Vec<Vec<f64>> {
        match columns {
            0 => Vec::new(),
            _ => values.chunks(columns).map(<[f64]>::to_vec).collect(),
        }
    };
    let quantities = |list: &[Quantity], values: &[f64], what: &str| -> Vec<Value> {
        let one = |(quantity, value): (&Quantity, &f64)| json!({ "name": quantity.name, "unit": quantity.unit, what: value });
        list.iter().zip(values).map(one).collect()
    };
    let (n, m) = (linear.states.len(), linear.inputs.len());
    let [positions, velocities, auxiliary] = linear.counts;
    let unsteady =
        linear.unsteady.as_ref().map(|u| json!({ "state": u.state, "change": u.change, "within": u.within }));
    json!({
        "model": linear.model,
        "t": linear.t,
        "formulation": linear.formulation.name(),
        "counts": { "positions": positions, "velocities": velocities, "auxiliary": auxiliary },
        "states": quantities(&linear.states, &linear.rates, "rate"),
        "inputs": quantities(&linear.inputs, &linear.input_values, "value"),
        "outputs": quantities(&linear.outputs, &linear.output_values, "value"),
        "A": rows(n, &linear.a),
        "B": rows(m, &linear.b),
        "C": rows(n, &linear.c),
        "D": rows(m, &linear.d),
        "unsteady": unsteady,
        "remarks": linear.remarks,
    })
}

/// Modes as JSON.
pub fn modes_json(linear: &Linearization, modes: &Modes) -> Value {
    let complex = |z: &c64| json!([z.re, z.im]);
    let parts = |list: &[crate::Part]| -> Vec<Value> {
        list.iter().map(|part| json!({ "name": part.name, "size": part.size })).collect()
    };
    let mode = |mode: &crate::Mode| {
        json!({
            "eigenvalue": complex(&mode.eigenvalue),
            "kind": mode.kind.to_string(),
            "frequency": mode.frequency(),
            "natural_frequency": mode.natural_frequency(),
            "damping_ratio": mode.damping_ratio(),
            "time_constant": mode.time_constant(),
            "bodies": parts(&mode.bodies),
            "joints": parts(&mode.joints),
            "shape": mode.shape.iter().map(complex).collect::<Vec<_>>(),
        })
    };
    json!({
        "model": linear.model,
        "t": linear.t,
        "formulation": linear.formulation.name(),
        "states": linear.states.iter().map(|s| json!({ "name": s.name, "unit": s.unit })).collect::<Vec<_>>(),
        "zeros": modes.zeros,
        "modes": modes.list.iter().map(mode).collect::<Vec<_>>(),
        "remarks": linear.remarks,
    })
}

/// A linear system as a NumPy archive: `numpy.load`.
pub fn npz(linear: &Linearization) -> Vec<u8> {
    npz::archive(&parts(linear))
}

/// A linear system as a MATLAB file, version 5: `load`, `scipy.io.loadmat`.
pub fn mat(linear: &Linearization) -> Vec<u8> {
    mat::file(&parts(linear))
}
