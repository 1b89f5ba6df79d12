//! Sequential quadratic programming [kraft1988] for a smooth objective with constraints.

use super::{Probe, Solver, Spent};
use basin::{
    ConstraintJacobian, ConstraintSolveError, CostFunction, DenseMatrix, Executor, Gradient,
    NonlinearEqualityValues, NonlinearInequalityValues, SelectedFirstOrderState, Slsqp,
};

/// Steps of one search.
const MOST_STEPS: u64 = 300;
/// Accuracy of the objective, in parts of its size at the start.
const ACCURACY: f64 = 1e-12;

pub(crate) struct Sqp;

/// The objective in parts of its size at the start.
#[derive(Clone)]
struct Task<'t, 'p> {
    probe: &'t Probe<'p>,
    scale: f64,
    inequalities: usize,
    equalities: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Task<'_, '_> {
    fn filled(list: Vec<f64>, count: usize) -> Vec<f64> {
        if list.len() == count { list } else { vec![f64::NAN; count] }
    }
}

impl basin::Constraints for Task<'_, '_> {
    type Set = basin::ConstraintSet<
        basin::BoxBounds<Vec<f64>>,
        basin::NoLinearConstraints,
        basin::NonlinearBlocks<basin::NonlinearBlock, basin::NonlinearBlock>,
    >;
    fn constraints(&self) -> <Self::Set as basin::ConstraintDescription>::Borrowed<'_> {
        basin::ConstraintSet::new()
            .with_bounds(basin::BoxBounds::new(Some(&self.lower), Some(&self.upper)))
            .with_nonlinear_equalities(self.equalities)
            .with_nonlinear_inequalities(self.inequalities)
    }
}

impl CostFunction for Task<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Spent;
    fn cost(&self, z: &Vec<f64>) -> Result<f64, Spent> {
        let values = self.probe.at(z)?;
        Ok(if values.open > 0.0 { f64::NAN } else { values.objective / self.scale })
    }
}

impl Gradient for Task<'_, '_> {
    type Gradient = Vec<f64>;
    fn gradient(&self, z: &Vec<f64>) -> Result<Vec<f64>, Spent> {
        Ok(self.probe.slopes(z, true)?.objective.iter().map(|d| d / self.scale).collect())
    }
}

impl NonlinearInequalityValues for Task<'_, '_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Spent;
    fn nonlinear_inequalities(&self, z: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Spent>> {
        let values = self.probe.at(z).map_err(ConstraintSolveError::Evaluation)?;
        Ok(Task::filled(values.inequalities, self.inequalities))
    }
}

impl NonlinearEqualityValues for Task<'_, '_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Spent;
    fn nonlinear_equalities(&self, z: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Spent>> {
        let values = self.probe.at(z).map_err(ConstraintSolveError::Evaluation)?;
        Ok(Task::filled(values.equalities, self.equalities))
    }
}

impl ConstraintJacobian for Task<'_, '_> {
    type Param = Vec<f64>;
    type Jacobian = DenseMatrix<f64>;
    type Error = Spent;
    fn constraint_jacobian(&self, z: &Vec<f64>) -> Result<DenseMatrix<f64>, ConstraintSolveError<Spent>> {
        let slopes = self.probe.slopes(z, true).map_err(ConstraintSolveError::Evaluation)?;
        let rows: Vec<&Vec<f64>> = slopes.equalities.iter().chain(&slopes.inequalities).collect();
        Ok(DenseMatrix::from_fn(self.equalities + self.inequalities, z.len(), |i, j| {
            rows.get(i).map_or(0.0, |row| row[j])
        }))
    }
}

impl Solver for Sqp {
    fn name(&self) -> &'static str {
        "SQP"
    }

    fn search(&self, probe: &Probe<'_>, start: &[f64]) {
        probe.name(self.name());
        let Ok(first) = probe.at(start) else { return };
        if first.open > 0.0 || !first.objective.is_finite() {
            return;
        }
        let size = first.objective.abs();
        let task = Task {
            probe,
            scale: if size > 0.0 { size } else { 1.0 },
            inequalities: first.inequalities.len(),
            equalities: first.equalities.len(),
            lower: vec![0.0; start.len()],
            upper: vec![1.0; start.len()],
        };
        let mut z = start.to_vec();
        // a search that stops too early begins again with a fresh curvature
        for _ in 0..3 {
            let solver = Slsqp::<f64>::new().with_absolute_accuracy_tolerance(ACCURACY);
            let state = SelectedFirstOrderState::new(z.clone());
            let before = probe.best();
            let Ok(found) = Executor::new(task.clone(), solver, state).max_iter(MOST_STEPS).run() else {
                return;
            };
            z.clone_from(found.param());
            let gained = match (before, probe.best()) {
                (Some((_, before)), Some((_, now))) => {
                    now.objective < before.objective - 1e-9 * before.objective.abs()
                        || now.violation() < 0.5 * before.violation()
                }
                _ => false,
            };
            if !gained {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Values;
    use crate::problem::tests::Written;

    fn best(f: impl Fn(&[f64]) -> Values + Sync, n: usize, start: &[f64]) -> (Vec<f64>, Values) {
        let problem = Written { n, f };
        let probe = Probe::new(&problem, 20_000);
        Sqp.search(&probe, start);
        probe.best().unwrap()
    }

    /// Problem 71 of Hock and Schittkowski, variables 1 … 5: 17.0140173 at (1, 4.7429994, 3.8211503, 1.3794082).
    #[test]
    fn paper_hock_schittkowski_71() {
        let f = |z: &[f64]| {
            let [a, b, c, d] = std::array::from_fn(|i| 1.0 + 4.0 * z[i]);
            Values {
                objective: a * d * (a + b + c) + c,
                inequalities: vec![1.0 - a * b * c * d / 25.0],
                equalities: vec![(a * a + b * b + c * c + d * d) / 40.0 - 1.0],
                ..Values::default()
            }
        };
        let (_, values) = best(f, 4, &[0.0, 1.0, 1.0, 0.0]);
        assert!((values.objective - 17.014_017_3).abs() < 1e-5 && values.is_feasible(), "{values:?}");
    }

    #[test]
    fn exact_minimum_without_constraints() {
        let f = |z: &[f64]| Values {
            objective: (z[0] - 0.3).powi(2) + 2.0 * (z[1] - 0.7).powi(2) + 1.0,
            ..Values::default()
        };
        let (z, _) = best(f, 2, &[0.9, 0.1]);
        assert!((z[0] - 0.3).abs() < 1e-5 && (z[1] - 0.7).abs() < 1e-5, "{z:?}");
    }
}
