//! Explicit Runge–Kutta pairs of order 5(4) whose last stage is the slope at the end of the step: the method of every [`Tableau`].
//!
//! [hairer1993], sections II.4 to II.6. With
//! k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j) and k₇ the slope at the end of the step:
//!
//! ```text
//!   (P1)  y⁺ = y + h Σ b_i k_i,  i = 1..6
//!   (P2)  err² = Σ_i (h Σ_j e_j k_j / w)_i² / n,  j = 1..7        w: the weights (C1) of `control`
//!   (P3)  h_new = h · clamp(0.9 err^(-4/25) err_old^(1/25), 0.333, 6)
//! ```
//!
//! We take k₇ at the *projected* end, where it is needed anyway as k₁ of the next step. The projection moves the end by
//! the local error, O(h⁶), which changes (P2) at O(h⁷): below the estimate, O(h⁵). So a step costs six evaluations,
//! projection or not, and a trial is judged after its projection.
//!
//! (P3) looks at the error of the step before as well, which calms the step size where stability bounds it.
//!
//! **Between steps**, with s the fraction of the step and r = 1 − s, without further evaluations:
//!
//! ```text
//!   (P4)  y(s) = y_old + s (F₁ + r (F₂ + s (F₃ + r F₄)))
//!   (P5)  F₁ = y − y_old,  F₂ = h f_old − F₁,  F₃ = 2F₁ − h (f_old + f),  F₄ = h Σ d_j k_j
//! ```
//!
//! F₄ comes with s²(1 − s)², so values and slopes at both ends depend on F₁..F₃ alone: the interpolant meets the
//! projected ends with their slopes.

use super::control::{Evaluator, Weights, root, step_factor};
use super::method::{Method, Tried};
use super::{Ends, Step, System, combine};

/// Coefficients of a pair.
#[derive(Debug)]
pub(super) struct Tableau {
    pub(super) c: [f64; 7],
    pub(super) a2: [f64; 1],
    pub(super) a3: [f64; 2],
    pub(super) a4: [f64; 3],
    pub(super) a5: [f64; 4],
    pub(super) a6: [f64; 5],
    /// Of order 5; also the last row of a.
    pub(super) b: [f64; 6],
    /// b minus the weights of order 4, of k₁..k₇.
    pub(super) e: [f64; 7],
    /// Of dense output (P5), of k₁..k₇.
    pub(super) d: [f64; 7],
}

#[derive(Clone, Debug)]
pub(super) struct Pair54 {
    tableau: &'static Tableau,
    /// k₂..k₆; k₁ and k₇ are the slopes at the ends.
    k: [Vec<f64>; 5],
    stage: Vec<f64>,
    /// F₄ of (P5), valid if `dense_ready`.
    bend: Vec<f64>,
    dense_ready: bool,
    /// Errors of the last trial, of the step accepted last and of the one before; 1 where there is none.
    err: [f64; 3],
}

impl Pair54 {
    pub(super) fn new(n: usize, tableau: &'static Tableau) -> Self {
        Pair54 {
            tableau,
            k: std::array::from_fn(|_| vec![0.0; n]),
            stage: vec![0.0; n],
            bend: vec![0.0; n],
            dense_ready: false,
            err: [1.0; 3],
        }
    }
}

impl Method for Pair54 {
    /// (P1)
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        self.dense_ready = false;
        let &Step { t, h, y, dy: k1, .. } = step;
        let &Tableau { c, a2, a3, a4, a5, a6, b, .. } = self.tableau;
        let [k2, k3, k4, k5, k6] = &mut self.k;
        let u = &mut self.stage;
        combine(u, y, h, a2, [k1]);
        f.derivative(t + c[1] * h, u, k2)?;
        combine(u, y, h, a3, [k1, k2]);
        f.derivative(t + c[2] * h, u, k3)?;
        combine(u, y, h, a4, [k1, k2, k3]);
        f.derivative(t + c[3] * h, u, k4)?;
        combine(u, y, h, a5, [k1, k2, k3, k4]);
        f.derivative(t + c[4] * h, u, k5)?;
        combine(u, y, h, a6, [k1, k2, k3, k4, k5]);
        f.derivative(t + c[5] * h, u, k6)?;
        combine(y_new, y, h, b, [k1, k2, k3, k4, k5, k6]);
        Ok(0.0)
    }

    /// (P2)
    fn judge(&mut self, step: &Step, y_new: &[f64], dy_new: &[f64], weights: &Weights, _: f64) -> f64 {
        let n = y_new.len();
        let (e, [k2, k3, k4, k5, k6]) = (self.tableau.e, &self.k);
        let k = [step.dy, k2, k3, k4, k5, k6, dy_new].map(|k| &k[..n]);
        let y = &step.y[..n];
        let mut sum = 0.0;
        for i in 0..n {
            let mut error = 0.0;
            for j in 0..7 {
                error += e[j] * k[j][i];
            }
            let x = error * weights.inverse(i, y[i].abs().max(y_new[i].abs()));
            sum += x * x;
        }
        self.err[0] = step.h.abs() * (sum / weights.count).sqrt();
        self.err[0]
    }

    fn order(&self) -> u32 {
        5
    }

    fn nodes(&self) -> &'static [f64] {
        &self.tableau.c[1..]
    }

    fn is_componentwise(&self) -> bool {
        true
    }

    /// (P3). After a rejection, and in the first step, the error before counts as 1.
    fn factor(&self, err: f64) -> f64 {
        let part = |x: f64| root(root(x, 5), 5);
        let before = if err > 1.0 { 1.0 } else { self.err[2] };
        let squared = part(err) * part(err);
        step_factor(squared * squared / part(before))
    }

    fn accept(&mut self, _: &Ends) {
        // an error of next to nothing says nothing about the next step
        self.err = [self.err[0], self.err[0].max(1e-4), self.err[1]];
    }

    fn restart(&mut self) {
        self.err = [1.0; 3];
    }

    /// F₄ of (P5)
    fn prepare_dense<S: System>(&mut self, _: &mut Evaluator<S>, ends: &Ends) -> Tried<S> {
        if !self.dense_ready {
            let [k2, k3, k4, k5, k6] = &self.k;
            let k = [ends.dy_old, k2, k3, k4, k5, k6, ends.dy];
            self.stage.fill(0.0); // combine adds to a vector: here none
            combine(&mut self.bend, &self.stage, ends.h, self.tableau.d, k);
            self.dense_ready = true;
        }
        Ok(())
    }

    /// (P4)
    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        let n = out.len();
        let &Ends { h, y_old, dy_old, y, dy, .. } = ends;
        let (bend, r) = (&self.bend[..n], 1.0 - s);
        for i in 0..n {
            let f1 = y[i] - y_old[i];
            let f2 = h * dy_old[i] - f1;
            let f3 = 2.0 * f1 - h * (dy_old[i] + dy[i]);
            out[i] = y_old[i] + s * (f1 + r * (f2 + s * (f3 + r * bend[i])));
        }
    }
}

crate::keep::keep!(Pair54 { k, stage, bend, dense_ready, err } but { tableau });
