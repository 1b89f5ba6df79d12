//! The classical Runge–Kutta method. Order 4.
//!
//! ```text
//!   (K1)  k₁ = f(t, y)                 (K2)  k₂ = f(t + h/2, y + h/2 k₁)
//!   (K3)  k₃ = f(t + h/2, y + h/2 k₂)  (K4)  k₄ = f(t + h, y + h k₃)
//!   (K5)  y⁺ = y + h (k₁ + 2k₂ + 2k₃ + k₄)/6
//! ```
//!
//! Between steps the cubic (M1) of `method`.

use super::control::Evaluator;
use super::method::{Method, Tried};
use super::{Step, Stepper, System, combine};

#[derive(Clone, Debug)]
pub(super) struct Rk4 {
    k: [Vec<f64>; 3],
    stage: Vec<f64>,
}

impl Stepper {
    /// The classical Runge–Kutta method of order 4 with step `h` (s). Projects after each step.
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn rk4(n: usize, h: f64) -> Self {
        Stepper::fixed(n, Rk4 { k: std::array::from_fn(|_| vec![0.0; n]), stage: vec![0.0; n] }, h)
    }
}

impl Method for Rk4 {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
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

    fn is_componentwise(&self) -> bool {
        true
    }
}

crate::keep::keep!(Rk4 { k, stage });
