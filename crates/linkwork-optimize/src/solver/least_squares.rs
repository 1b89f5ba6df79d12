//! Least squares within bounds and constraints: steps of Levenberg and Marquardt, each the exact answer of a small problem with linear inequalities.
//!
//! ```text
//!   (L1)  min ½ |r + J d|² + ½ λ² |d|²    subject to c + A d ≤ 0,  h + B d = 0,  0 ≤ z + d ≤ 1
//!   (L2)  J = U S Vᵀ,  y_i = σ_i v_i·d + s_i u_i·r / σ_i,  σ_i² = s_i² + λ²:     min |y|² subject to G y ≥ g
//!   (L3)  φ = ½ |r|² + ρ (Σ max(0, c_i) + Σ |h_j|)       must become smaller, or λ becomes larger
//!   (L4)  r ← r + ½ r_dd in (L1)       the step bends with the valley; r_dd from one more evaluation on the way
//! ```
//!
//! (L4) is the geodesic acceleration of [transtrum2012]. Singular values of J serve all λ of a place. Nothing is scaled by the distance to a bound: where no bound is active, weak directions go as far as strong ones. Where the inequalities of (L1)
//! contradict each other, less of the violation is taken back at once. Derivatives come from one side until they are too rough, then from both.
//!
//! Where the mechanism cannot be assembled there are no residuals, and λ becomes larger.

use super::{Probe, Solver, Spent};
use crate::problem::{Derivatives, KEPT, Values};
use linkwork::linalg::least_distance::least_distance;
use linkwork::linalg::singular_values::SingularValues;

/// Steps of one search.
const MOST_STEPS: usize = 400;
/// λ in the beginning and at least, as parts of the largest singular value.
const FIRST_DAMPING: f64 = 0.03;
const LEAST_DAMPING: f64 = 1e-9;
/// Beyond this λ no step is worth its evaluation.
const MOST_DAMPING: f64 = 1e7;
/// A step that promises less than this part of the objective is none.
const WORTH: f64 = 1e-14;
/// A step no longer than this, in parts of the ranges, is none.
const SHORT: f64 = 1e-13;
/// Sums of squares below this part of that in the beginning are zero.
const ZERO: f64 = 1e-30;
/// Derivatives from one side are good enough for λ above this part of the largest singular value.
const ROUGH: f64 = 2e-5;
/// Steps shorter than this, in parts of the ranges, are straight.
const BENDS: f64 = 1e-4;
/// How far along a step its bend is probed.
const PROBED: f64 = 0.1;
/// A step bends by no more than this part of its length.
const MOST_BEND: f64 = 0.4;

pub(crate) struct LeastSquares;

/// A search that can go on.
#[derive(Clone, Debug)]
pub(crate) struct Descent {
    pub z: Vec<f64>,
    pub values: Values,
    /// Whether it has come to an end by itself.
    pub ended: bool,
    /// λ as a part of the largest singular value.
    damping: f64,
    rho: f64,
    scale: f64,
    /// Whether the next step needs derivatives from both sides.
    two_sided: bool,
}

/// (L1) at a place.
struct Local {
    r: Vec<f64>,
    /// Singular values of J.
    s: SingularValues,
    /// Rows of A, B and −B.
    rows: Vec<Vec<f64>>,
    /// c, h and −h.
    c: Vec<f64>,
}

impl Local {
    fn new(values: &Values, slopes: &Derivatives, scale: f64) -> Self {
        let n = slopes.objective.len();
        let flat: Vec<f64> = slopes.residuals.iter().flatten().map(|d| d / scale).collect();
        let minus = |row: &Vec<f64>| row.iter().map(|x| -x).collect::<Vec<f64>>();
        let rows = slopes.inequalities.iter().chain(&slopes.equalities).cloned();
        let rows = rows.chain(slopes.equalities.iter().map(minus)).collect();
        Local {
            r: values.residuals.iter().map(|r| r / scale).collect(),
            s: SingularValues::new(&flat, n),
            rows,
            c: sides(values),
        }
    }

    /// The step for a λ, residuals and values of the constraints.
    fn step(&self, z: &[f64], r: &[f64], c: &[f64], lambda: f64) -> Vec<f64> {
        let n = z.len();
        let sigma: Vec<f64> = self.s.values.iter().map(|s| (s * s + lambda * lambda).sqrt()).collect();
        let seen: Vec<f64> =
            (0..n).map(|i| if self.s.values[i] > 0.0 { self.s.seen(i, r) } else { 0.0 }).collect();
        let free: Vec<f64> = (0..n).map(|i| -seen[i] / (sigma[i] * sigma[i])).collect();
        let back = |p: &[f64]| {
            let mut d = vec![0.0; n];
            for (i, p) in p.iter().enumerate() {
                d.iter_mut().zip(self.s.direction(i)).for_each(|(d, v)| *d += p * v);
            }
            d
        };
        let plain = back(&free);
        for part in [1.0, 0.5, 0.1, 0.0] {
            let (mut rows, mut right) = (Vec::new(), Vec::new());
            // what is missing: −(row·(d_plain + V y/σ)) ≥ c, taken back in part
            let mut add = |row: &[f64], sign: f64, room: f64| {
                let along: f64 = row.iter().zip(&plain).map(|(a, d)| sign * a * d).sum();
                rows.extend((0..n).map(|i| {
                    let v: f64 = row.iter().zip(self.s.direction(i)).map(|(a, v)| sign * a * v).sum();
                    -v / sigma[i]
                }));
                right.push(along - room);
            };
            for (row, c) in self.rows.iter().zip(c) {
                add(row, 1.0, -part * c.max(0.0) - c.min(0.0));
            }
            for i in 0..n {
                let unit: Vec<f64> = (0..n).map(|k| if k == i { 1.0 } else { 0.0 }).collect();
                add(&unit, 1.0, 1.0 - z[i]);
                add(&unit, -1.0, z[i]);
            }
            if let Some(found) = least_distance(&rows, &right, n) {
                let p: Vec<f64> = (0..n).map(|i| free[i] + found.w[i] / sigma[i]).collect();
                return back(&p);
            }
        }
        vec![0.0; n]
    }

    /// What (L1) without λ promises: ½ |r|² and the violation, both at a step.
    fn promise(&self, slopes: &Derivatives, scale: f64, d: &[f64]) -> (f64, f64) {
        let dot = |row: &[f64]| row.iter().zip(d).map(|(a, d)| a * d).sum::<f64>();
        let square: f64 =
            self.r.iter().zip(&slopes.residuals).map(|(r, row)| (r + dot(row) / scale).powi(2)).sum();
        let above = self.c.iter().zip(&self.rows).map(|(c, row)| (c + dot(row)).max(0.0)).sum();
        (0.5 * square, above)
    }
}

/// c, h and −h.
fn sides(values: &Values) -> Vec<f64> {
    let both = values.equalities.iter().copied().chain(values.equalities.iter().map(|h| -h));
    values.inequalities.iter().copied().chain(both).collect()
}

fn violation(values: &Values) -> f64 {
    sides(values).iter().map(|c| c.max(0.0)).sum()
}

impl Descent {
    /// A search from a place; `None` where there are no residuals.
    pub fn new(z: &[f64], values: Values) -> Option<Self> {
        if values.open > 0.0 || values.residuals.is_empty() || !values.objective.is_finite() {
            return None;
        }
        let size = values.objective.sqrt();
        Some(Descent {
            z: z.to_vec(),
            values,
            ended: false,
            damping: FIRST_DAMPING,
            rho: 1.0,
            scale: if size > 0.0 { size } else { 1.0 },
            two_sided: false,
        })
    }

    fn square(&self, values: &Values) -> f64 {
        0.5 * values.objective / (self.scale * self.scale)
    }

    fn merit(&self, values: &Values) -> f64 {
        match values.open > 0.0 || !values.objective.is_finite() {
            true => f64::INFINITY,
            false => self.square(values) + self.rho * violation(values),
        }
    }

    /// Goes on until it ends, or so many evaluations more are made.
    pub fn advance(&mut self, probe: &Probe<'_>, most: u64) -> Result<(), Spent> {
        let until = probe.evaluations().saturating_add(most);
        for _ in 0..MOST_STEPS {
            if self.ended || probe.evaluations() >= until {
                return Ok(());
            }
            if self.values.objective <= ZERO * self.scale * self.scale && self.values.is_feasible() {
                self.ended = true;
                return Ok(());
            }
            let both = self.two_sided || self.damping < ROUGH;
            let slopes = probe.slopes(&self.z, both)?;
            self.two_sided = false;
            if !self.step(probe, &slopes)? {
                self.ended = both;
                self.two_sided = true;
                self.damping = self.damping.min(FIRST_DAMPING);
            }
        }
        Ok(())
    }

    /// One step; whether there was one.
    fn step(&mut self, probe: &Probe<'_>, slopes: &Derivatives) -> Result<bool, Spent> {
        let local = Local::new(&self.values, slopes, self.scale);
        let largest = local.s.values.first().copied().unwrap_or(0.0);
        if largest.is_nan() || largest <= 0.0 && violation(&self.values) == 0.0 {
            return Ok(false);
        }
        let unit = largest.max(f64::MIN_POSITIVE);
        let mut grow = 2.0;
        while self.damping <= MOST_DAMPING {
            let lambda = self.damping * unit;
            let mut d = local.step(&self.z, &local.r, &local.c, lambda);
            let longest = d.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
            if longest <= SHORT || !longest.is_finite() {
                return Ok(false);
            }
            let (square, above) = local.promise(slopes, self.scale, &d);
            let (now, open) = (self.square(&self.values), violation(&self.values));
            // what is taken back of the violation must be worth what it costs
            if open - above > 1e-3 * KEPT {
                self.rho = self.rho.max(1.5 * (square - now) / (open - above));
            }
            let promised = now - square + self.rho * (open - above);
            let before = self.merit(&self.values);
            if promised <= WORTH * before {
                return Ok(false);
            }
            if let Some(bent) = self.bent(probe, &local, slopes, &d, lambda)? {
                d = bent;
            }
            let mut to = self.at(&d);
            let mut values = probe.at(&to)?;
            let mut gain = (before - self.merit(&values)) / promised;
            if gain < 0.1 && self.merit(&values).is_finite() && violation(&values) > open.max(KEPT) {
                // once more with the constraints as they bend
                let bent: Vec<f64> = sides(&values)
                    .iter()
                    .zip(&local.rows)
                    .map(|(c, row)| c - row.iter().zip(&d).map(|(a, d)| a * d).sum::<f64>())
                    .collect();
                let second = self.at(&local.step(&self.z, &local.r, &bent, lambda));
                let there = probe.at(&second)?;
                if self.merit(&there) < self.merit(&values) {
                    gain = (before - self.merit(&there)) / promised;
                    (to, values) = (second, there);
                }
            }
            if gain > 1e-4 {
                self.damping *= match gain {
                    g if g > 0.75 => 0.1,
                    g if g > 0.25 => 0.3,
                    _ => 1.0,
                };
                self.damping = self.damping.max(LEAST_DAMPING);
                (self.z, self.values) = (to, values);
                return Ok(true);
            }
            self.damping *= grow;
            grow *= 1.2;
        }
        Ok(false)
    }

    /// (L4): the step along the curve that begins with a straight one; `None` where it bends too much.
    fn bent(
        &self,
        probe: &Probe<'_>,
        local: &Local,
        slopes: &Derivatives,
        d: &[f64],
        lambda: f64,
    ) -> Result<Option<Vec<f64>>, Spent> {
        let longest = d.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
        if !(BENDS..=1.0).contains(&longest) {
            return Ok(None);
        }
        let part: Vec<f64> = d.iter().map(|d| PROBED * d).collect();
        let values = probe.at(&self.at(&part))?;
        if values.open > 0.0 || values.residuals.len() != local.r.len() {
            return Ok(None);
        }
        let dot = |row: &[f64]| row.iter().zip(d).map(|(a, d)| a * d).sum::<f64>();
        let r: Vec<f64> = (0..local.r.len())
            .map(|i| {
                let now = values.residuals[i] / self.scale;
                let off = now - local.r[i] - PROBED * dot(&slopes.residuals[i]) / self.scale;
                local.r[i] + off / (PROBED * PROBED)
            })
            .collect();
        let bent = local.step(&self.z, &r, &local.c, lambda);
        let norm = |list: &mut dyn Iterator<Item = f64>| list.map(|x| x * x).sum::<f64>().sqrt();
        let off = norm(&mut bent.iter().zip(d).map(|(a, b)| a - b));
        Ok((off <= MOST_BEND * norm(&mut d.iter().copied())).then_some(bent))
    }

    fn at(&self, d: &[f64]) -> Vec<f64> {
        self.z.iter().zip(d).map(|(z, d)| (z + d).clamp(0.0, 1.0)).collect()
    }
}

impl Solver for LeastSquares {
    fn name(&self) -> &'static str {
        "least squares"
    }

    fn search(&self, probe: &Probe<'_>, start: &[f64]) {
        probe.name(self.name());
        let Ok(first) = probe.at(start) else { return };
        if let Some(mut descent) = Descent::new(start, first) {
            probe.rough(true);
            // what it finds is in the probe, also where its evaluations are spent
            let _ = descent.advance(probe, u64::MAX);
            probe.rough(false);
        }
    }
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
