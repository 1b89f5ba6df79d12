//! Dormand–Prince 5(4): order 5 in six stages, an embedded error estimate, dense output of order 4.
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

use super::control::{Evaluator, Failure, Weights, root, step_factor};
use super::method::Method;
use super::{Ends, Step, System, combine};

pub(super) const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
pub(super) const A2: [f64; 1] = [0.2];
pub(super) const A3: [f64; 2] = [3.0 / 40.0, 9.0 / 40.0];
pub(super) const A4: [f64; 3] = [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0];
pub(super) const A5: [f64; 4] = [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0];
pub(super) const A6: [f64; 5] =
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0];
/// Of k₁, k₃..k₆; b₂ = 0.
pub(super) const B: [f64; 5] = [35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0];
/// b minus the weights of order 4; of k₁, k₃..k₇.
pub(super) const E: [f64; 6] =
    [71.0 / 57600.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
/// Of k₁, k₃..k₇.
pub(super) const D: [f64; 6] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];

#[derive(Clone, Debug)]
pub(super) struct Dopri5 {
    /// k₂..k₆; k₁ and k₇ are the slopes at the ends.
    k: [Vec<f64>; 5],
    stage: Vec<f64>,
    /// F₄ of (P5), valid if `dense_ready`.
    bend: Vec<f64>,
    dense_ready: bool,
    /// Errors of the last trial, of the step accepted last and of the one before; 1 where there is none.
    err: [f64; 3],
}

impl Dopri5 {
    pub(super) fn new(n: usize) -> Self {
        Dopri5 {
            k: std::array::from_fn(|_| vec![0.0; n]),
            stage: vec![0.0; n],
            bend: vec![0.0; n],
            dense_ready: false,
            err: [1.0; 3],
        }
    }
}

impl Method for Dopri5 {
    /// (P1)
    fn trial<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        _: Option<&Weights>,
        y_new: &mut [f64],
    ) -> Result<f64, Failure<S::Error>> {
        self.dense_ready = false;
        let &Step { t, h, y, dy: k1, .. } = step;
        let [k2, k3, k4, k5, k6] = &mut self.k;
        let u = &mut self.stage;
        combine(u, y, h, A2, [k1]);
        f.derivative(t + C[1] * h, u, k2)?;
        combine(u, y, h, A3, [k1, k2]);
        f.derivative(t + C[2] * h, u, k3)?;
        combine(u, y, h, A4, [k1, k2, k3]);
        f.derivative(t + C[3] * h, u, k4)?;
        combine(u, y, h, A5, [k1, k2, k3, k4]);
        f.derivative(t + C[4] * h, u, k5)?;
        combine(u, y, h, A6, [k1, k2, k3, k4, k5]);
        f.derivative(t + C[5] * h, u, k6)?;
        combine(y_new, y, h, B, [k1, k3, k4, k5, k6]);
        Ok(0.0)
    }

    /// (P2)
    fn judge(&mut self, step: &Step, y_new: &[f64], dy_new: &[f64], weights: &Weights, _: f64) -> f64 {
        let n = y_new.len();
        let [_, k3, k4, k5, k6] = &self.k;
        let k = [step.dy, k3, k4, k5, k6, dy_new].map(|k| &k[..n]);
        let y = &step.y[..n];
        let mut sum = 0.0;
        for i in 0..n {
            let mut e = 0.0;
            for j in 0..6 {
                e += E[j] * k[j][i];
            }
            let x = e * weights.inverse(i, y[i].abs().max(y_new[i].abs()));
            sum += x * x;
        }
        self.err[0] = step.h.abs() * (sum / weights.count).sqrt();
        self.err[0]
    }

    fn order(&self) -> u32 {
        5
    }

    fn nodes(&self) -> &'static [f64] {
        &C[1..]
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

    /// (P4) at the fraction `s` of the step between `ends`.
    fn interpolate<S: System>(
        &mut self,
        _: &mut Evaluator<S>,
        ends: &Ends,
        s: f64,
        out: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        let n = out.len();
        let &Ends { h, y_old, dy_old, y, dy, .. } = ends;
        if !self.dense_ready {
            let [_, k3, k4, k5, k6] = &self.k;
            self.stage.fill(0.0); // combine adds to a vector: here none
            combine(&mut self.bend, &self.stage, h, D, [dy_old, k3, k4, k5, k6, dy]);
            self.dense_ready = true;
        }
        let (bend, r) = (&self.bend[..n], 1.0 - s);
        for i in 0..n {
            let f1 = y[i] - y_old[i];
            let f2 = h * dy_old[i] - f1;
            let f3 = 2.0 * f1 - h * (dy_old[i] + dy[i]);
            out[i] = y_old[i] + s * (f1 + r * (f2 + s * (f3 + r * bend[i])));
        }
        Ok(())
    }
}

crate::keep::keep!(Dopri5 { k, stage, bend, dense_ready, err });
