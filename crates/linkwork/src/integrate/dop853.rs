//! Dormand–Prince 8(5,3): order 8 in twelve stages, two embedded error estimates, dense output of order 7.
//!
//! [hairer1993], sections II.5 and II.6.
//! With k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j):
//!
//! ```text
//!   (D1)  y⁺ = y + h Σ b_i k_i,  i = 1..12
//!   (D2)  ‖e₅‖² = Σ_i (Σ_j e5_j k_j / w)_i²,  ‖e₃‖² likewise        w: the weights (C1) of `control`
//!   (D3)  err = |h| ‖e₅‖² / √((‖e₅‖² + 0.01 ‖e₃‖²) n)               n: components under control
//! ```
//!
//! (D3) behaves like h⁸ although neither estimate does alone: ‖e₅‖ ~ h⁵ and ‖e₃‖ ~ h³.
//!
//! **Between steps**, with s the fraction of the step, r = 1 − s, the end slope as k₁₃ and three more
//! stages k₁₄..k₁₆ that are evaluated once, when first asked for:
//!
//! ```text
//!   (D4)  y(s) = y_old + s (F₁ + r (F₂ + s (F₃ + r (F₄ + s (F₅ + r (F₆ + s F₇))))))
//!   (D5)  F₁ = y − y_old,  F₂ = h f_old − F₁,  F₃ = 2F₁ − h (f_old + f),  F_m = h Σ d_mj k_j, m = 4..7
//! ```
//!
//! F₄..F₇ come with s²(1 − s)², so values and slopes at both ends depend on F₁..F₃ alone. We put the
//! projected y and f there: the interpolant then meets both ends, slopes included, also after a projection.
//! The projection moves y and f by the local error, O(h⁹), which is below the error of (D4), O(h⁸).

use super::control::{self, Evaluator, Weights};
use super::dop853_coefficients::*;
use super::method::{Method, Tried};
use super::{Ends, Step, Stepper, System, combine};

#[derive(Clone, Debug)]
pub(super) struct Dop853 {
    /// k₂..k₁₂, then k₁₄..k₁₆; k₁ and k₁₃ are the slopes at the ends.
    k: [Vec<f64>; 14],
    stage: Vec<f64>,
    /// F₁..F₇ of (D5), valid if `dense_ready`.
    dense: [Vec<f64>; 7],
    dense_ready: bool,
}

impl Dop853 {
    pub(super) fn new(n: usize) -> Self {
        Dop853 {
            k: std::array::from_fn(|_| vec![0.0; n]),
            stage: vec![0.0; n],
            dense: std::array::from_fn(|_| vec![0.0; n]),
            dense_ready: false,
        }
    }

    /// (D3), after a trial that gave `y_new`.
    fn error(&self, step: &Step, y_new: &[f64], weights: &Weights) -> f64 {
        let [.., k6, k7, k8, k9, k10, k11, k12, _, _, _] = &self.k;
        let n = y_new.len();
        let k = [step.dy, k6, k7, k8, k9, k10, k11, k12].map(|k| &k[..n]);
        let y = &step.y[..n];
        let mut sum_5 = 0.0;
        let mut sum_3 = 0.0;
        for i in 0..n {
            let mut e5 = 0.0;
            let mut e3 = 0.0;
            for j in 0..8 {
                e5 += E5[j] * k[j][i];
                e3 += E3[j] * k[j][i];
            }
            let w = weights.inverse(i, y[i].abs().max(y_new[i].abs()));
            sum_5 += (e5 * w) * (e5 * w);
            sum_3 += (e3 * w) * (e3 * w);
        }
        let denominator = (sum_5 + 0.01 * sum_3) * weights.count;
        // nothing to divide: both estimates are zero
        if denominator > 0.0 { step.h.abs() * sum_5 / denominator.sqrt() } else { denominator }
    }
}

impl Stepper {
    /// Dormand–Prince 8(5,3) for `n` components, with the local error of each step held below
    /// `tolerance` relative to [`System::error_scale`]. Projects after each step.
    ///
    /// Below about 1e-14 roundings decide, and steps become short for nothing.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn dop853(n: usize, tolerance: f64) -> Self {
        Stepper::adaptive(n, Dop853::new(n), tolerance)
    }
}

impl Method for Dop853 {
    /// (D1)
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        self.dense_ready = false;
        let &Step { t, h, y, dy: k1, .. } = step;
        let [k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, ..] = &mut self.k;
        let u = &mut self.stage;
        combine(u, y, h, A2, [k1]);
        f.derivative(t + C[1] * h, u, k2)?;
        combine(u, y, h, A3, [k1, k2]);
        f.derivative(t + C[2] * h, u, k3)?;
        combine(u, y, h, A4, [k1, k3]);
        f.derivative(t + C[3] * h, u, k4)?;
        combine(u, y, h, A5, [k1, k3, k4]);
        f.derivative(t + C[4] * h, u, k5)?;
        combine(u, y, h, A6, [k1, k4, k5]);
        f.derivative(t + C[5] * h, u, k6)?;
        combine(u, y, h, A7, [k1, k4, k5, k6]);
        f.derivative(t + C[6] * h, u, k7)?;
        combine(u, y, h, A8, [k1, k4, k5, k6, k7]);
        f.derivative(t + C[7] * h, u, k8)?;
        combine(u, y, h, A9, [k1, k4, k5, k6, k7, k8]);
        f.derivative(t + C[8] * h, u, k9)?;
        combine(u, y, h, A10, [k1, k4, k5, k6, k7, k8, k9]);
        f.derivative(t + C[9] * h, u, k10)?;
        combine(u, y, h, A11, [k1, k4, k5, k6, k7, k8, k9, k10]);
        f.derivative(t + C[10] * h, u, k11)?;
        combine(u, y, h, A12, [k1, k4, k5, k6, k7, k8, k9, k10, k11]);
        f.derivative(t + C[11] * h, u, k12)?;
        combine(y_new, y, h, B, [k1, k6, k7, k8, k9, k10, k11, k12]);
        Ok(step.weights.map_or(0.0, |weights| self.error(step, y_new, weights)))
    }

    fn nodes(&self) -> &'static [f64] {
        &C[1..]
    }

    fn is_componentwise(&self) -> bool {
        true
    }

    fn factor(&self, err: f64) -> f64 {
        // err^(1/8) by square roots: correctly rounded, so the same on every machine
        control::step_factor(err.sqrt().sqrt().sqrt())
    }

    /// (D5)
    fn prepare_dense<S: System>(&mut self, f: &mut Evaluator<S>, ends: &Ends) -> Tried<S> {
        if self.dense_ready {
            return Ok(());
        }
        let &Ends { t_old: t, h, y_old, dy_old: k1, y, dy: k13 } = ends;
        let [.., k6, k7, k8, k9, k10, k11, k12, k14, k15, k16] = &mut self.k;
        let u = &mut self.stage;
        combine(u, y_old, h, A14, [k1, k7, k8, k9, k10, k11, k12, k13]);
        f.derivative(t + C[13] * h, u, k14)?;
        combine(u, y_old, h, A15, [k1, k6, k7, k8, k11, k12, k13, k14]);
        f.derivative(t + C[14] * h, u, k15)?;
        combine(u, y_old, h, A16, [k1, k6, k7, k8, k9, k13, k14, k15]);
        f.derivative(t + C[15] * h, u, k16)?;

        let n = y.len();
        let [f1, f2, f3, f4, f5, f6, f7] = self.dense.each_mut().map(|f| &mut f[..n]);
        for i in 0..n {
            f1[i] = y[i] - y_old[i];
            f2[i] = h * k1[i] - f1[i];
            f3[i] = 2.0 * f1[i] - h * (k1[i] + k13[i]);
        }
        let k: [&[f64]; 12] = [k1, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16];
        u.fill(0.0); // combine adds to a vector: here none
        combine(f4, u, h, D4, k);
        combine(f5, u, h, D5, k);
        combine(f6, u, h, D6, k);
        combine(f7, u, h, D7, k);
        self.dense_ready = true;
        Ok(())
    }

    /// (D4)
    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        let n = out.len();
        let [f1, f2, f3, f4, f5, f6, f7] = self.dense.each_ref().map(|f| &f[..n]);
        let r = 1.0 - s;
        for i in 0..n {
            let inner = f4[i] + s * (f5[i] + r * (f6[i] + s * f7[i]));
            out[i] = ends.y_old[i] + s * (f1[i] + r * (f2[i] + s * (f3[i] + r * inner)));
        }
    }
}

crate::keep::keep!(Dop853 { k, stage, dense, dense_ready });

impl Default for Dop853 {
    fn default() -> Self {
        Dop853::new(0)
    }
}
