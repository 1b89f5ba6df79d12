//! What limits a result: bounds and constraints that push against it, and how hard.
//!
//! At a minimum the gradient is held by what is active,
//!
//! ```text
//!   (M1)  ∇f + Σ λ_i a_i = 0,  λ_i ≥ 0 of inequalities and bounds
//!   (M2)  ∂f* / ∂b_i = −λ_i                         b_i: the right side of an active constraint
//! ```
//!
//! so that λ_i says what one unit of relief would bring.

use crate::Study;
use crate::problem::{Derivatives, Problem, Values, differences, neighbours};
use linkwork::linalg::singular_values::SingularValues;

/// Within this of its edge, in parts, something is active.
const ACTIVE: f64 = 1e-5;
/// Singular values below this part of the largest are directions that change nothing.
const FLAT: f64 = 1e-7;

/// Something that holds the objective where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What: `C.x at its upper bound`, or a constraint.
    pub what: String,
    /// By how much the objective would change for one per cent of the range of a variable, or of the size of a constraint's sides: below zero where relief helps. Of an equation it is one per cent more
    /// on its right side, which may make the objective larger or smaller.
    pub per_cent: f64,
    /// Whether it is an equation, which always holds the result.
    pub is_equation: bool,
}

/// What is known at a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub limits: Vec<Limit>,
    pub check: f64,
    pub gradient: Vec<f64>,
    pub undetermined: Option<usize>,
}

fn slopes(problem: &dyn Problem, z: &[f64], values: &Values, step: f64) -> Derivatives {
    let points = neighbours(z, step);
    let around = problem.evaluate(&points);
    differences(z, values, &points, &around)
}

pub(crate) fn at(study: &Study, z: &[f64], values: &Values) -> Found {
    if study.watch().is_stopped() || values.open > 0.0 || !values.objective.is_finite() {
        return Found { check: f64::NAN, ..Found::default() };
    }
    let here = study.slopes(z).unwrap_or_else(|| slopes(study, z, values, study.step()));
    let coarse = slopes(study, z, values, 4.0 * study.step());
    let check = agreement(values, &here, &coarse);
    let n = z.len();
    // what is active, with the direction in which it forbids to go
    let mut rows: Vec<(String, Vec<f64>, bool)> = Vec::new();
    for (i, variable) in study.variables().iter().enumerate() {
        let unit = |sign: f64| (0..n).map(|j| if i == j { sign } else { 0.0 }).collect::<Vec<f64>>();
        if z[i] <= ACTIVE {
            rows.push((format!("{} at its lower bound", variable.name), unit(-1.0), true));
        } else if z[i] >= 1.0 - ACTIVE {
            rows.push((format!("{} at its upper bound", variable.name), unit(1.0), true));
        }
    }
    let (mut inequalities, mut equalities) = (0, 0);
    for constraint in &study.optimization().constraints {
        if constraint.relation == linkwork::model::Relation::Equal {
            if let Some(row) = here.equalities.get(equalities) {
                rows.push((format!("{}: {}", constraint.name, constraint.text), row.clone(), false));
            }
            equalities += 1;
        } else {
            if let (Some(c), Some(row)) =
                (values.inequalities.get(inequalities), here.inequalities.get(inequalities))
                && *c >= -ACTIVE
            {
                rows.push((format!("{}: {}", constraint.name, constraint.text), row.clone(), true));
            }
            inequalities += 1;
        }
    }
    let forces = multipliers(&here.objective, &rows);
    let limits = rows
        .iter()
        .zip(forces)
        .map(|((what, _, one_sided), force)| Limit {
            what: what.clone(),
            per_cent: -0.01 * force,
            is_equation: !one_sided,
        })
        .collect();
    let (lower, upper) = study.bounds();
    let gradient = (0..n).map(|i| here.objective[i] / (upper[i] - lower[i])).collect();
    let undetermined = (!here.residuals.is_empty()).then(|| {
        let all: Vec<f64> = here.residuals.iter().flatten().copied().collect();
        n - SingularValues::new(&all, n).rank(FLAT)
    });
    Found { limits, check, gradient, undetermined }
}

/// How well two differences agree: of the residuals where there are some, of the objective else.
fn agreement(values: &Values, fine: &Derivatives, coarse: &Derivatives) -> f64 {
    let pairs: Vec<(f64, f64)> = match values.residuals.is_empty() {
        true => fine.objective.iter().copied().zip(coarse.objective.iter().copied()).collect(),
        false => {
            fine.residuals.iter().flatten().copied().zip(coarse.residuals.iter().flatten().copied()).collect()
        }
    };
    let size = pairs.iter().map(|(a, _)| a * a).sum::<f64>().sqrt();
    let off = pairs.iter().map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    if size > 0.0 { off / size } else { f64::NAN }
}

/// (M1) by least squares; what would pull instead of push is left out, one after the other.
fn multipliers(gradient: &[f64], rows: &[(String, Vec<f64>, bool)]) -> Vec<f64> {
    let n = gradient.len();
    let mut active: Vec<usize> = (0..rows.len()).collect();
    loop {
        let mut out = vec![0.0; rows.len()];
        if active.is_empty() {
            return out;
        }
        let width = active.len();
        let matrix: Vec<f64> = (0..n).flat_map(|i| active.iter().map(move |k| rows[*k].1[i])).collect();
        let right: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let found = SingularValues::new(&matrix, width).damped(&right, 1e-9);
        for (k, force) in active.iter().zip(&found) {
            out[*k] = *force;
        }
        let worst = active.iter().copied().filter(|k| rows[*k].2).min_by(|a, b| out[*a].total_cmp(&out[*b]));
        match worst {
            Some(k) if out[k] < 0.0 => active.retain(|other| *other != k),
            _ => return out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∇f = (−3, 1): an upper bound of the first holds it with 3; a lower bound of the second with 1; an upper one of the second does not hold it.
    #[test]
    fn exact_multipliers() {
        let row = |v: [f64; 2]| (String::new(), v.to_vec(), true);
        let found = multipliers(&[-3.0, 1.0], &[row([1.0, 0.0]), row([0.0, -1.0])]);
        assert!((found[0] - 3.0).abs() < 1e-12 && (found[1] - 1.0).abs() < 1e-12);
        let found = multipliers(&[-3.0, 1.0], &[row([1.0, 0.0]), row([0.0, 1.0])]);
        assert!((found[0] - 3.0).abs() < 1e-12 && found[1] == 0.0);
    }
}
