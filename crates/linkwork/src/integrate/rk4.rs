//! The classical Runge–Kutta method. Order 4.
//!
//! ```text
//!   (K1)  k₁ = f(t, y)                 (K2)  k₂ = f(t + h/2, y + h/2 k₁)
//!   (K3)  k₃ = f(t + h/2, y + h/2 k₂)  (K4)  k₄ = f(t + h, y + h k₃)
//!   (K5)  y⁺ = y + h (k₁ + 2k₂ + 2k₃ + k₄)/6
//! ```
//!
//! Between steps the cubic through both end values with both end slopes (Hermite), with an error of order
//! h⁴ that does not accumulate. At the fraction s of the step, with d = y − y_old:
//!
//! ```text
//!   (K6)  y(s) = y_old + s d + s(s − 1) [(1 − 2s) d + (s − 1) h f_old + s h f]
//! ```

use super::control::{Evaluator, Failure, Weights};
use super::method::Method;
use super::{Ends, Step, System, combine};

#[derive(Clone, Debug)]
pub(super) struct Rk4 {
    k: [Vec<f64>; 3],
    stage: Vec<f64>,
}

impl Rk4 {
    pub(super) fn new(n: usize) -> Self {
        Rk4 { k: std::array::from_fn(|_| vec![0.0; n]), stage: vec![0.0; n] }
    }
}

impl Method for Rk4 {
    fn trial<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        _: Option<&Weights>,
        y_new: &mut [f64],
    ) -> Result<f64, Failure<S::Error>> {
        let &Step { t, h, y, dy: k1, .. } = step; // (K1)
        let [k2, k3, k4] = &mut self.k;
        let stage = &mut self.stage;
        combine(stage, y, h, [0.5], [k1]);
        f.derivative(t + 0.5 * h, stage, k2)?; // (K2)
        combine(stage, y, h, [0.5], [k2]);
        f.derivative(t + 0.5 * h, stage, k3)?; // (K3)
        combine(stage, y, h, [1.0], [k3]);
        f.derivative(t + h, stage, k4)?; // (K4)
        combine(y_new, y, h / 6.0, [1.0, 2.0, 2.0, 1.0], [k1, k2, k3, k4]); // (K5)
        Ok(0.0)
    }

    fn interpolate<S: System>(
        &mut self,
        _: &mut Evaluator<S>,
        ends: &Ends,
        s: f64,
        out: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        cubic(ends, s, out);
        Ok(())
    }
}

/// The cubic (K6) at the fraction `s` of the step: for every method that has nothing better.
pub(super) fn cubic(ends: &Ends, s: f64, out: &mut [f64]) {
    let &Ends { h, y_old, dy_old, y, dy, .. } = ends;
    for i in 0..out.len() {
        let d = y[i] - y_old[i];
        let bend = (1.0 - 2.0 * s) * d + (s - 1.0) * h * dy_old[i] + s * h * dy[i];
        out[i] = y_old[i] + s * d + s * (s - 1.0) * bend;
    }
}

crate::keep::keep!(Rk4 { k, stage });
