//! Covariance matrix adaptation [hansen2016]: for poor starts and objectives with many valleys.
//!
//! Only the order of points counts, so that constraints need no weights:
//!
//! ```text
//!   (E1)  cost = f / (1 + |f|)                      of a point that keeps all constraints: between −1 and 1
//!   (E2)  cost = 1 + v / (1 + v)                    of another, with its violation v
//! ```

use super::{Probe, Solver, Spent};
use basin::{BoundedCmaEs, CostFunction, DenseMatrix, Executor, PopulationProgress};

/// Generations of one search.
const MOST_GENERATIONS: u64 = 2000;
/// The distribution is that narrow when the search ends, in parts of the ranges.
const NARROW: f64 = 1e-5;

pub(crate) struct Evolution {
    pub seed: u64,
    /// How wide the distribution is in the beginning, in parts of the ranges.
    pub width: f64,
}

#[derive(Clone)]
struct Task<'t, 'p> {
    probe: &'t Probe<'p>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl basin::Constraints for Task<'_, '_> {
    type Set = basin::ConstraintSet<basin::BoxBounds<Vec<f64>>>;
    fn constraints(&self) -> <Self::Set as basin::ConstraintDescription>::Borrowed<'_> {
        basin::ConstraintSet::new().with_bounds(basin::BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

impl CostFunction for Task<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Spent;
    fn cost(&self, z: &Vec<f64>) -> Result<f64, Spent> {
        let values = self.probe.at(z)?;
        let violation = values.violation();
        Ok(match values.is_feasible() {
            true => values.objective / (1.0 + values.objective.abs()), // (E1)
            false if violation.is_infinite() => 2.0,
            false => 1.0 + violation / (1.0 + violation), // (E2)
        })
    }
}

impl Solver for Evolution {
    fn name(&self) -> &'static str {
        "evolution"
    }

    fn search(&self, probe: &Probe<'_>, start: &[f64]) {
        probe.name(self.name());
        let n = start.len();
        let task = Task { probe, lower: vec![0.0; n], upper: vec![1.0; n] };
        let solver = BoundedCmaEs::<Vec<f64>, DenseMatrix>::new(self.seed, self.width)
            .with_absolute_distribution_size_tolerance(NARROW);
        let state = PopulationProgress::<Vec<f64>>::from_point(start.to_vec());
        // what it finds is in the probe, also where its evaluations are spent
        let _ = Executor::new(task.clone(), solver, state).max_iter(MOST_GENERATIONS).run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Values;
    use crate::problem::tests::Written;

    /// A valley with a sharp edge along its bottom and a constraint: min |x − 0.3| + 2 |y − 0.7| with y ≤ 0.6. The same seed gives the same result.
    #[test]
    fn exact_corner_with_a_constraint() {
        let f = |z: &[f64]| Values {
            objective: (z[0] - 0.3).abs() + 2.0 * (z[1] - 0.7).abs(),
            inequalities: vec![z[1] - 0.6],
            ..Values::default()
        };
        let problem = Written { n: 2, f };
        let search = |seed| {
            let probe = Probe::new(&problem, 4000);
            Evolution { seed, width: 0.3 }.search(&probe, &[0.9, 0.1]);
            probe.best().unwrap().1.objective
        };
        for seed in 1..4 {
            assert!((search(seed) - 0.2).abs() < 1e-3, "{}", search(seed));
            assert_eq!(search(seed).to_bits(), search(seed).to_bits());
        }
    }
}
