//! Least squares within bounds: trust-region reflective [branch1999], with constraints by an augmented Lagrangian.
//!
//! Constraints become residuals, so that the solver sees least squares throughout:
//!
//! ```text
//!   (L1)  min ½ |r/s|² + ½ Σ μ max(0, c_i + λ_i/μ)² + ½ Σ μ (h_j + ν_j/μ)²
//!   (L2)  λ ← max(0, λ + μ c),  ν ← ν + μ h,  μ ← 10 μ where the violation has not become four times smaller
//! ```
//!
//! with s = |r| at the start. Where the mechanism cannot be assembled there are no residuals, and the trust region shrinks.

use super::{Probe, Solver, Spent};
use crate::problem::KEPT;
use basin::{DenseMatrix, Executor, Jacobian, PointState, Residual, TrustRegionReflective};

/// Rounds of (L2).
const MOST_ROUNDS: usize = 30;
/// Steps of one search.
const MOST_STEPS: u64 = 300;
/// The least change of the objective, and of the variables, in their parts, that is worth a further step.
const WORTH: f64 = 1e-13;

/// Singular values below this part of the largest are those of differences, and no direction to go.
const FLAT: f64 = 1e-7;

pub(crate) struct LeastSquares;

/// (L1) for given multipliers.
#[derive(Clone)]
struct Task<'t, 'p> {
    probe: &'t Probe<'p>,
    /// How many residuals there are, those of constraints included.
    rows: usize,
    scale: f64,
    mu: f64,
    lambda: Vec<f64>,
    nu: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl basin::Constraints for Task<'_, '_> {
    type Set = basin::ConstraintSet<basin::BoxBounds<Vec<f64>>>;
    fn constraints(&self) -> <Self::Set as basin::ConstraintDescription>::Borrowed<'_> {
        basin::ConstraintSet::new().with_bounds(basin::BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

impl Residual for Task<'_, '_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Error = Spent;

    fn residual(&self, z: &Vec<f64>) -> Result<Vec<f64>, Spent> {
        let values = self.probe.at(z)?;
        let count = values.residuals.len() + self.lambda.len() + self.nu.len();
        if values.open > 0.0 || !values.objective.is_finite() || count != self.rows {
            return Ok(vec![f64::NAN; self.rows]);
        }
        let mut out: Vec<f64> = values.residuals.iter().map(|r| r / self.scale).collect();
        let root = self.mu.sqrt();
        out.extend(
            values.inequalities.iter().zip(&self.lambda).map(|(c, l)| root * (c + l / self.mu).max(0.0)),
        );
        out.extend(values.equalities.iter().zip(&self.nu).map(|(h, n)| root * (h + n / self.mu)));
        Ok(out)
    }
}

impl Jacobian for Task<'_, '_> {
    type Jacobian = DenseMatrix<f64>;

    fn jacobian(&self, z: &Vec<f64>) -> Result<DenseMatrix<f64>, Spent> {
        let values = self.probe.at(z)?;
        let slopes = self.probe.slopes(z)?;
        let root = self.mu.sqrt();
        let scaled = |row: &[f64], factor: f64| row.iter().map(|d| d * factor).collect::<Vec<f64>>();
        let mut rows: Vec<Vec<f64>> =
            slopes.residuals.iter().map(|row| scaled(row, 1.0 / self.scale)).collect();
        for ((row, c), l) in slopes.inequalities.iter().zip(&values.inequalities).zip(&self.lambda) {
            rows.push(scaled(row, if c + l / self.mu > 0.0 { root } else { 0.0 }));
        }
        rows.extend(slopes.equalities.iter().map(|row| scaled(row, root)));
        Ok(DenseMatrix::from_fn(rows.len(), z.len(), |i, j| rows[i][j]))
    }
}

impl Solver for LeastSquares {
    fn name(&self) -> &'static str {
        "least squares"
    }

    fn search(&self, probe: &Probe<'_>, start: &[f64]) {
        probe.name(self.name());
        let Ok(first) = probe.at(start) else { return };
        if first.open > 0.0 || first.residuals.is_empty() || !first.objective.is_finite() {
            return;
        }
        let n = start.len();
        let size = first.objective.sqrt();
        let mut task = Task {
            probe,
            rows: first.residuals.len() + first.inequalities.len() + first.equalities.len(),
            scale: if size > 0.0 { size } else { 1.0 },
            mu: 10.0,
            lambda: vec![0.0; first.inequalities.len()],
            nu: vec![0.0; first.equalities.len()],
            lower: vec![0.0; n],
            upper: vec![1.0; n],
        };
        let is_free = task.lambda.is_empty() && task.nu.is_empty();
        let mut z = start.to_vec();
        let mut before = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            let solver = TrustRegionReflective::<f64>::new()
                .with_absolute_scaled_gradient_tolerance(1e-15)
                .with_relative_cost_change_tolerance(WORTH)
                .with_relative_step_tolerance(WORTH)
                .with_rank_tolerance(FLAT);
            let Ok(found) =
                Executor::new(task.clone(), solver, PointState::new(z.clone())).max_iter(MOST_STEPS).run()
            else {
                return;
            };
            z.clone_from(found.param());
            let Ok(values) = probe.at(&z) else { return };
            let violation = values.violation();
            // (L2)
            let change = update(&mut task, &values.inequalities, &values.equalities);
            if is_free || (violation <= 0.01 * KEPT && change <= 1e-9) {
                return;
            }
            if violation > 0.25 * before {
                task.mu *= 10.0;
            }
            before = violation;
            if task.mu > 1e12 {
                return;
            }
        }
    }
}

/// (L2); by how much the multipliers changed, in parts.
fn update(task: &mut Task<'_, '_>, c: &[f64], h: &[f64]) -> f64 {
    let mut change: f64 = 0.0;
    for (l, c) in task.lambda.iter_mut().zip(c) {
        let new = (*l + task.mu * c).max(0.0);
        change = change.max((new - *l).abs() / (1.0 + new.abs()));
        *l = new;
    }
    for (n, h) in task.nu.iter_mut().zip(h) {
        change = change.max((task.mu * h).abs() / (1.0 + n.abs()));
        *n += task.mu * h;
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Values;
    use crate::problem::tests::Written;

    fn at(residuals: Vec<f64>, inequalities: Vec<f64>, equalities: Vec<f64>) -> Values {
        let objective = residuals.iter().map(|r| r * r).sum();
        Values { objective, residuals, inequalities, equalities, ..Values::default() }
    }

    fn best(problem: &dyn crate::problem::Problem, start: &[f64]) -> (Vec<f64>, Values) {
        let probe = Probe::new(problem, 20_000);
        LeastSquares.search(&probe, start);
        probe.best().unwrap()
    }

    /// Rosenbrock's valley, in its unit square: zero at (0.75, 0.75) of the range −2 … 2 at x = 1, y = 1.
    #[test]
    fn exact_zero_of_a_curved_valley() {
        let f = |z: &[f64]| {
            let [x, y] = [4.0 * z[0] - 2.0, 4.0 * z[1] - 2.0];
            at(vec![10.0 * (y - x * x), 1.0 - x], vec![], vec![])
        };
        let (z, values) = best(&Written { n: 2, f }, &[0.1, 0.9]);
        assert!(values.objective < 1e-18 && (z[0] - 0.75).abs() < 1e-9, "{z:?} {values:?}");
    }

    /// min x² + y² with x + y ≥ 1 and x = 2 y: x = ⅔, y = ⅓.
    #[test]
    fn exact_constraints() {
        let f = |z: &[f64]| at(vec![z[0], z[1]], vec![1.0 - z[0] - z[1]], vec![z[0] - 2.0 * z[1]]);
        let (z, values) = best(&Written { n: 2, f }, &[0.9, 0.1]);
        assert!((z[0] - 2.0 / 3.0).abs() < 1e-6 && (z[1] - 1.0 / 3.0).abs() < 1e-6, "{z:?} {values:?}");
    }

    /// A wall behind which nothing can be computed: the search stops before it.
    #[test]
    fn exact_search_beside_a_wall() {
        let f = |z: &[f64]| match z[0] > 0.6 {
            true => Values { objective: f64::NAN, open: 1.0, ..Values::default() },
            false => at(vec![z[0] - 0.9, z[1] - 0.5], vec![], vec![]),
        };
        let (z, _) = best(&Written { n: 2, f }, &[0.1, 0.1]);
        assert!(z[0] <= 0.6 && z[0] > 0.55, "{z:?}");
    }
}
