//! The equations of a step of `bdf` or a stage of `esdirk`, y = y* + β y', and Newton's method for them.
//!
//! With β = 1/γ_k, y* = p − β p' of (H3) for a step, λ' = βλ and μ' = βμ:
//!
//! ```text
//!   (N1)  M (q − q* − β v) + Aᵀ μ'           = 0
//!   (N2)  M (v − v*) − β f(t, q, v) + Aᵀ λ'  = 0
//!   (N3)  Φ(t, q) = 0,   Φ̇ = A v + Φ_t      = 0
//! ```
//!
//! One sweep first moves the positions with the velocities as they are, then both with the velocities,
//!
//! ```text
//!   (N4)  M e + Aᵀ μ'                     = M (q* + β v − q),   A e  = β Φ̇ − Φ;    q ← q + e
//!   (N5)  (M + β D + β² K) dv + Aᵀ dλ'    = −(N2),              A dv = −Φ̇;        v ← v + dv,  q ← q + β dv
//! ```
//!
//! with (N2) and Φ̇ at the moved positions. Rows that bind velocities only have no part in (N1): they get the μ' = 0 that
//! A e = A (q* + β v − q) gives. What is left out is (A v)_q β dv, of the size of dv times the angle that the bodies
//! turn in a step, what K and D have that is not symmetric, and the terms with μ, which is zero but for truncation errors. (One
//! evaluation for both would leave out (A v)_q e as well, an error of velocities that does not shrink with the step.)
//! The matrix of (N4) is factored at the start of every step; that of (N5) again when β has changed by more than a
//! quarter or the bodies have turned so far that sweeps converge slowly, and D and K are evaluated again only when that does not
//! help, or after [`OLD`] steps.

use super::super::control::{Failure, Statistics, Weights};
use super::super::{Blend, Mechanics};

/// Sweeps before giving up.
const MAX_SWEEPS: u32 = 8;
/// A step ends when the next sweep would change it by less than this part of the tolerance.
const CONVERGED: f64 = 0.01;
/// Changes below this part of the tolerance may be roundings.
const NOISE: f64 = 0.1;
/// A factor is renewed when sweeps shrink what is left by less than this: A has turned.
const SLOW: f64 = 0.15;
/// D and K serve so many steps.
const OLD: u32 = 50;
/// With a given step there is no tolerance: this part of the largest position and velocity.
const WITHOUT_TOLERANCE: f64 = 1e-11;

#[derive(Clone, Debug, Default)]
pub(in crate::integrate) struct Newton {
    /// λ, N: where the last step ended, and of the step under way. Empty if nothing is known.
    lambda: Vec<f64>,
    lambda_old: Vec<f64>,
    known: bool,
    /// Rows that bind velocities only.
    rolling: Vec<usize>,
    /// β of the factor, 0 if there is none; and how many steps D and K have served.
    beta: f64,
    age: u32,
    /// Number of steps that the factor has served.
    served: u32,
    /// Factor by which a sweep shrinks what is left, as last seen, and when D and K were new.
    rate: f64,
    rate_fresh: f64,
    inverse: Vec<f64>,
    e: Vec<f64>,
    dv: Vec<f64>,
    force: Vec<f64>,
    right: Vec<f64>,
    moved: Vec<f64>,
    mu: Vec<f64>,
    phi: Vec<f64>,
    rates: Vec<f64>,
    rest: Vec<f64>,
}

/// A step's formula: where it ends, β, and where the components would be without their rates.
pub(in crate::integrate) struct Formula<'a> {
    pub(in crate::integrate) t: f64,
    pub(in crate::integrate) h: f64,
    pub(in crate::integrate) beta: f64,
    /// Where sweeps begin: p of (H3).
    pub(in crate::integrate) predicted: &'a [f64],
    /// y*.
    pub(in crate::integrate) star: &'a [f64],
}

impl Newton {
    /// Nothing before counts.
    pub(in crate::integrate) fn forget(&mut self) {
        self.known = false;
        self.beta = 0.0;
    }

    /// The step was accepted.
    pub(in crate::integrate) fn accept(&mut self) {
        self.lambda_old.copy_from_slice(&self.lambda);
        self.age += 1;
        self.served += 1;
    }

    /// Buffers for the sizes of a system, and λ at the start of a run.
    pub(in crate::integrate) fn begin<E>(
        &mut self,
        t: f64,
        y: &[f64],
        m: &mut dyn Mechanics<Error = E>,
    ) -> Result<(), Failure<E>> {
        if self.known {
            return Ok(());
        }
        let (n, rows) = (m.coordinates(), m.constraints());
        for buffer in [&mut self.e, &mut self.dv, &mut self.force, &mut self.right, &mut self.moved] {
            buffer.resize(n, 0.0);
        }
        for buffer in [&mut self.lambda, &mut self.lambda_old, &mut self.mu, &mut self.phi, &mut self.rates] {
            buffer.resize(rows, 0.0);
        }
        self.inverse.resize(2 * n, 0.0);
        self.rolling.clear();
        self.rolling.extend((0..rows).filter(|&r| m.binds_velocities_only(r)));
        self.rest.resize(y.len() - 2 * n, 0.0);
        m.look_at(t, y);
        m.factor().map_err(|source| Failure::System { t, source })?;
        m.forces(&mut self.force);
        m.curvatures(&mut self.rates);
        m.solve(&self.force, &self.rates, &mut self.dv, &mut self.lambda_old);
        self.known = true;
        Ok(())
    }

    /// (N1) to (N3), into `y`.
    pub(in crate::integrate) fn solve<E>(
        &mut self,
        formula: &Formula,
        m: &mut dyn Mechanics<Error = E>,
        weights: Option<&Weights>,
        statistics: &mut Statistics,
        y: &mut [f64],
    ) -> Result<(), Failure<E>> {
        let t = formula.t;
        let wrong = |source| Failure::System { t, source };
        self.weigh(formula, weights);
        let mut fresh = false;
        loop {
            y.copy_from_slice(formula.predicted);
            self.lambda.copy_from_slice(&self.lambda_old);
            m.look_at(t, y);
            m.factor().map_err(wrong)?;
            let blend = Blend { mass: 1.0, damping: formula.beta, stiffness: formula.beta * formula.beta };
            fresh |= self.beta == 0.0 || self.age >= OLD;
            fresh |= self.age > 0 && self.rate > 2.0 * self.rate_fresh + 0.2;
            let turned = self.rate > SLOW && self.served > 0;
            if !fresh && (turned || (formula.beta / self.beta - 1.0).abs() > 0.25) {
                (self.beta, self.served, self.rate) = (formula.beta, 0, 0.5);
                fresh = m.refactor_tangent(blend).is_err();
            }
            if fresh {
                self.beta = 0.0;
                m.factor_tangent(&self.lambda, blend).map_err(wrong)?;
                (self.beta, self.age, self.served, self.rate) = (formula.beta, 0, 0, 0.5);
            }
            let done = self.sweeps(formula, m, statistics, y);
            if fresh {
                self.rate_fresh = self.rate;
            }
            match done {
                Ok(()) => break,
                Err(_) if !fresh => fresh = true,
                Err(failure) => {
                    self.beta = 0.0;
                    return Err(failure);
                }
            }
        }
        // the rest of the state
        let n = m.coordinates();
        m.look_at(t, y);
        m.forces(&mut self.force);
        m.rest_rates(y, &self.lambda, &mut self.rest);
        y[2 * n] = formula.star[2 * n] + formula.beta * self.rest[0];
        m.settle(y);
        Ok(())
    }

    /// Takes out of a difference of velocities what stiff springs and dampers hold back and what the constraints forbid:
    ///
    /// ```text
    ///   (N6)  (M + β D + β² K) x + Aᵀ ν = M ∇v,   A x = 0
    /// ```
    ///
    /// Errors of stiff components, which the next step would undo, then do not call for short steps: with a stiff spring they fall with one
    /// power of h less than others.
    pub(in crate::integrate) fn filter<E>(
        &mut self,
        m: &mut dyn Mechanics<Error = E>,
        difference: &mut [f64],
    ) {
        let n = self.e.len();
        let velocities = &mut difference[n..2 * n];
        m.mass_times(velocities, &mut self.right);
        self.rates.fill(0.0);
        m.solve_tangent(&self.right, &self.rates, &mut self.dv, &mut self.mu);
        velocities.copy_from_slice(&self.dv);
    }

    /// 1/w of positions and velocities.
    fn weigh(&mut self, formula: &Formula, weights: Option<&Weights>) {
        let n = self.e.len();
        let y = formula.predicted;
        match weights {
            Some(weights) => {
                for (i, inverse) in self.inverse.iter_mut().enumerate() {
                    *inverse = weights.inverse(i, y[i].abs());
                }
            }
            None => {
                let largest = |y: &[f64]| y.iter().fold(f64::MIN_POSITIVE, |m: f64, y| m.max(y.abs()));
                let size = largest(&y[..n]);
                let speed = largest(&y[n..2 * n]).max(1e-3 * size / formula.h.abs());
                self.inverse[..n].fill(1.0 / (WITHOUT_TOLERANCE * size));
                self.inverse[n..].fill(1.0 / (WITHOUT_TOLERANCE * speed));
            }
        }
    }

    /// Sweeps (N4), (N5) until they change nothing any more.
    fn sweeps<E>(
        &mut self,
        formula: &Formula,
        m: &mut dyn Mechanics<Error = E>,
        statistics: &mut Statistics,
        y: &mut [f64],
    ) -> Result<(), Failure<E>> {
        let &Formula { t, beta, star, .. } = formula;
        let n = self.e.len();
        let mut before = f64::INFINITY;
        for sweep in 1..=MAX_SWEEPS {
            if sweep > 1 {
                m.look_at(t, y);
            }
            // (N4)
            let (q, v) = y.split_at(n);
            m.residuals(&mut self.phi);
            m.residual_rates(&v[..n], &mut self.rates);
            for i in 0..n {
                self.moved[i] = star[i] + beta * v[i] - q[i];
            }
            m.mass_times(&self.moved, &mut self.right);
            for (phi, rate) in self.phi.iter_mut().zip(&self.rates) {
                *phi = beta * rate - *phi;
            }
            if !self.rolling.is_empty() {
                m.residual_rates(&self.moved, &mut self.rates);
                for &r in &self.rolling {
                    self.phi[r] = self.rates[r];
                }
            }
            m.solve(&self.right, &self.phi, &mut self.e, &mut self.mu);
            for (q, e) in y.iter_mut().zip(&self.e) {
                *q += e;
            }

            // (N5)
            statistics.derivative_evaluations += 1;
            m.look_at(t, y);
            m.forces(&mut self.force);
            self.moved.fill(0.0);
            m.add_transposed(&self.lambda, &mut self.moved);
            let v = &y[n..2 * n];
            m.residual_rates(v, &mut self.rates);
            for rate in &mut self.rates {
                *rate = -*rate;
            }
            for (force, a_lambda) in self.force.iter_mut().zip(&self.moved) {
                *force -= a_lambda;
            }
            for i in 0..n {
                self.moved[i] = star[n + i] - v[i];
            }
            m.mass_times(&self.moved, &mut self.right);
            for (right, force) in self.right.iter_mut().zip(&self.force) {
                *right += beta * force;
            }
            m.solve_tangent(&self.right, &self.rates, &mut self.dv, &mut self.mu);

            let mut sum = 0.0;
            let mut worst = (0, 0.0);
            for i in 0..n {
                let dq = self.e[i] + beta * self.dv[i];
                y[i] += beta * self.dv[i];
                y[n + i] += self.dv[i];
                for (component, change) in [(i, dq), (n + i, self.dv[i])] {
                    let part = (change * self.inverse[component]).powi(2);
                    sum += part;
                    if part > worst.1 {
                        worst = (component, part);
                    }
                }
            }
            for (lambda, d) in self.lambda.iter_mut().zip(&self.mu) {
                *lambda += d / beta;
            }
            let change = (sum / (2 * n).max(1) as f64).sqrt();
            if !change.is_finite() {
                let bad = (0..2 * n).find(|&i| !y[i].is_finite()).unwrap_or(0);
                return Err(Failure::NotFinite { t, component: bad });
            }
            if sweep > 1 {
                self.rate = (0.2 * self.rate).max(change / before);
            }
            // roundings are all that is left, where change no longer shrinks
            let stuck = sweep > 1 && change > 0.5 * before && change < NOISE;
            if change * self.rate.min(1.0) < CONVERGED || stuck {
                return Ok(());
            }
            // at this rate the sweeps that are left will not do
            let left = self.rate.powi((MAX_SWEEPS - sweep) as i32);
            let hopeless = change > NOISE && (change > 2.0 * before || change * left > CONVERGED);
            if (sweep > 2 && hopeless) || sweep == MAX_SWEEPS {
                return Err(Failure::NotSolved { t, iterations: sweep, component: worst.0 });
            }
            before = change;
        }
        Ok(())
    }
}

crate::keep::keep!(Newton {
    lambda,
    lambda_old,
    known,
    rolling,
    beta,
    age,
    served,
    rate,
    rate_fresh,
    inverse,
    e,
    dv,
    force,
    right,
    moved,
    mu,
    phi,
    rates,
    rest
} if |n| {
    let points = [&n.dv, &n.force, &n.right, &n.moved].iter().all(|x| x.len() == n.e.len());
    let rows = [&n.lambda_old, &n.mu, &n.phi, &n.rates].iter().all(|x| x.len() == n.lambda.len());
    points && rows && n.rolling.iter().all(|&r| r < n.lambda.len()) && n.inverse.len() == 2 * n.e.len()
});
