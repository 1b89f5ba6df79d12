//! The equations of a step for systems that offer y' = f(t, y) alone, as those in joint variables or momenta do: constraints are met by the projection
//! after the step.
//!
//! ```text
//!   (E1)  y − y* − β f(t, y)  = 0                y* = p − β p' of (H3)
//!   (E2)  (1 − β J) dy        = −(E1)            J = ∂f/∂y by differences at the start of a step
//! ```
//!
//! J serves until corrections shrink too slowly; (E2) is factored again when β has changed by more than a quarter, and in between corrections are
//! multiplied by 2/(1 + β/β₀). Components that steer nothing (of infinite scale) are no unknowns; they follow by (E1).
//!
//! **Errors** are filtered as those of the velocities in `newton`: what the next step would undo does not call for short ones,
//!
//! ```text
//!   (E3)  x = (1 − β J)⁻¹ ∇
//! ```

use super::super::control::{Evaluator, Failure, Weights};
use super::super::jacobian::differentiate;
use super::super::{Step, System};
use super::newton::Formula;
use crate::linalg::lu::Lu;

/// Iterations before giving up: under error control, and with a given step.
const ITERATIONS: [u32; 2] = [8, 40];
/// A step ends when the next correction would be below this part of the tolerance.
const CONVERGED: f64 = 0.01;
/// Corrections below this part of the tolerance may be roundings.
const NOISE: f64 = 0.1;
/// J is renewed where corrections shrink by less than this.
const SLOW: f64 = 0.3;
/// J serves so many steps.
const OLD: u32 = 50;
/// With a given step there is no tolerance: this part of the sizes.
const WITHOUT_TOLERANCE: f64 = 1e-10;

#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    /// The components that are unknowns, and the others.
    active: Vec<usize>,
    passive: Vec<usize>,
    scale: Vec<f64>,
    /// J, the unknowns only, row by row; empty until it is needed.
    jacobian: Vec<f64>,
    lu: Lu<f64>,
    /// β₀ of the factors, 0 if there are none; whether there is a J, and how many steps it has served.
    beta: f64,
    known: bool,
    age: u32,
    /// How a correction shrinks to the next.
    rate: f64,
    /// Whether that was too little in the last step.
    slow: bool,
    slope: Vec<f64>,
    stage: Vec<f64>,
    right: Vec<f64>,
    inverse: Vec<f64>,
    /// Operations of (E2) so far.
    pub(super) effort: f64,
}

impl Dense {
    /// Nothing before counts.
    pub(super) fn forget(&mut self) {
        self.known = false;
        self.beta = 0.0;
        self.rate = 0.5;
    }

    pub(super) fn accept(&mut self) {
        self.age += 1;
    }

    /// Buffers for the sizes of a system.
    fn begin<S: System>(&mut self, system: &S, n: usize) {
        if self.scale.len() == n {
            return;
        }
        self.scale.resize(n, 1.0);
        system.error_scale(&mut self.scale);
        self.active = (0..n).filter(|&i| self.scale[i].is_finite()).collect();
        self.passive = (0..n).filter(|&i| !self.scale[i].is_finite()).collect();
        let m = self.active.len();
        self.jacobian.resize(m * m, 0.0);
        self.lu = Lu::new(m);
        for buffer in [&mut self.slope, &mut self.stage, &mut self.right, &mut self.inverse] {
            buffer.resize(n, 0.0);
        }
        self.forget();
    }

    /// (E1), into `y`.
    pub(super) fn solve<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        formula: &Formula,
        weights: Option<&Weights>,
        y: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        self.begin(&*f.system, y.len());
        for (i, inverse) in self.inverse.iter_mut().enumerate() {
            let size = formula.predicted[i].abs();
            *inverse = match weights {
                Some(weights) => weights.inverse(i, size),
                None => 1.0 / (WITHOUT_TOLERANCE * (self.scale[i] + size)).max(f64::MIN_POSITIVE),
            };
        }
        let most = ITERATIONS[usize::from(weights.is_none())];
        let mut fresh = !self.known || self.age >= OLD || (self.slow && self.age > 0);
        loop {
            if fresh {
                self.known = false;
                let places = (&self.active[..], &self.scale[..]);
                differentiate(f, step, places, &mut self.jacobian, [&mut self.slope, &mut self.stage])?;
                (self.known, self.age, self.beta, self.rate) = (true, 0, 0.0, 0.5);
            }
            self.factorise(formula)?;
            match self.iterate(f, formula, most, y) {
                Ok(()) => return Ok(()),
                Err(Failure::NotSolved { .. } | Failure::NotFinite { .. }) if !fresh => fresh = true,
                Err(failure) => {
                    self.forget();
                    return Err(failure);
                }
            }
        }
    }

    /// The matrix of (E2).
    fn factorise<E>(&mut self, formula: &Formula) -> Result<(), Failure<E>> {
        let beta = formula.beta;
        if self.beta != 0.0 && (beta / self.beta - 1.0).abs() <= 0.25 {
            return Ok(());
        }
        self.beta = 0.0;
        let (m, jacobian) = (self.active.len(), &self.jacobian);
        let one = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        let factored = self.lu.factor(m, |i, j| one(i, j) - beta * jacobian[i * m + j]);
        self.effort += 2.0 * self.lu.work();
        factored.map_err(|column| Failure::NotSolved {
            t: formula.t,
            iterations: 0,
            component: self.active[column],
        })?;
        (self.beta, self.rate) = (beta, 0.5);
        Ok(())
    }

    /// (E2) until it changes nothing any more.
    fn iterate<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        formula: &Formula,
        most: u32,
        y: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        let &Formula { t, beta, star, .. } = formula;
        let m = self.active.len();
        let stretch = 2.0 / (1.0 + beta / self.beta);
        y.copy_from_slice(formula.predicted);
        let mut before = f64::INFINITY;
        self.slow = false;
        for iteration in 1..=most {
            f.derivative(t, y, &mut self.slope)?;
            for &at in &self.passive {
                y[at] = star[at] + beta * self.slope[at];
            }
            for (right, &at) in self.right.iter_mut().zip(&self.active) {
                *right = star[at] + beta * self.slope[at] - y[at];
            }
            self.lu.solve(&mut self.right[..m]);
            self.effort += 2.0 * (m * m) as f64;
            let (mut sum, mut worst) = (0.0, (0, 0.0));
            for (right, &at) in self.right.iter().zip(&self.active) {
                let dy = stretch * right;
                y[at] += dy;
                let part = (dy * self.inverse[at]) * (dy * self.inverse[at]);
                sum += part;
                if part > worst.1 {
                    worst = (at, part);
                }
            }
            let change = (sum / m.max(1) as f64).sqrt();
            if !change.is_finite() {
                return Err(Failure::NotFinite { t, component: worst.0 });
            }
            if iteration > 1 {
                self.rate = (0.2 * self.rate).max(change / before);
                self.slow |= self.rate > SLOW && change > NOISE;
            }
            // roundings are all that is left, where corrections no longer shrink
            let stuck = iteration > 1 && change > 0.5 * before && change < NOISE;
            if change * self.rate.min(1.0) < CONVERGED || stuck {
                return Ok(());
            }
            let left = self.rate.powi((most - iteration) as i32);
            let hopeless = change > NOISE && (change > 2.0 * before || change * left > CONVERGED);
            if (iteration > 2 && hopeless) || iteration == most {
                return Err(Failure::NotSolved { t, iterations: iteration, component: worst.0 });
            }
            before = change;
        }
        Ok(())
    }

    /// (E3)
    pub(super) fn filter(&mut self, difference: &mut [f64]) {
        let m = self.active.len();
        for (right, &at) in self.right.iter_mut().zip(&self.active) {
            *right = difference[at];
        }
        self.lu.solve(&mut self.right[..m]);
        for (right, &at) in self.right.iter().zip(&self.active) {
            difference[at] = *right;
        }
    }
}

crate::keep::keep!(Dense {
    active,
    passive,
    scale,
    jacobian,
    lu,
    beta,
    known,
    age,
    rate,
    slow,
    slope,
    stage,
    right,
    inverse,
    effort
} if |d| {
    let n = d.scale.len();
    let sizes = [&d.slope, &d.stage, &d.right, &d.inverse].iter().all(|x| x.len() == n);
    sizes && d.active.len() + d.passive.len() <= n && d.active.iter().chain(&d.passive).all(|&i| i < n)
});
