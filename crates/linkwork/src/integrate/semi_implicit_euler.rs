//! Semi-implicit Euler, also called symplectic: rates first, then everything else with the new rates. Order 1.
//!
//! With y = [q, u, rest], u the rates ([`System::rates`]) and y' = f(t, y):
//!
//! ```text
//!   (X1)  u⁺ = u + h u̇(t, q, u)
//!   (X2)  [q, rest]⁺ = [q, rest] + h f(t, [q, u⁺, rest])
//! ```
//!
//! Where the force depends on the position alone and the mass is constant, (X1) and (X2) are a canonical map: energy swings
//! about its value instead of growing. Elsewhere it is one more method of order 1. (X2) needs no accelerations: where a system knows the other components without them
//! ([`System::derivative_beside_rates`]), a step evaluates them once. A system that names no rates gets
//! explicit Euler. Between steps the straight line.

use super::control::{Evaluator, check_finite};
use super::method::{Method, Tried, line};
use super::{Ends, Step, Stepper, System, combine};

#[derive(Clone, Debug)]
pub(super) struct SemiImplicitEuler {
    slope: Vec<f64>,
}

impl Stepper {
    /// Semi-implicit (symplectic) Euler with step `h` (s): [`System::rates`] first, then the rest with the new rates.
    /// Does not project, unless asked to.
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn semi_implicit_euler(n: usize, h: f64) -> Self {
        Stepper::fixed(n, SemiImplicitEuler { slope: vec![0.0; n] }, h).with_projection(false)
    }
}

impl Method for SemiImplicitEuler {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        let &Step { t, h, y, dy, .. } = step;
        let rates = f.system.rates();
        if rates.is_empty() {
            combine(y_new, y, h, [1.0], [dy]);
            return Ok(0.0);
        }
        y_new.copy_from_slice(y);
        for i in rates.clone() {
            y_new[i] += h * dy[i]; // (X1)
        }
        f.derivative_beside_rates(t, y_new, &mut self.slope)?;
        self.slope[rates].fill(0.0);
        check_finite(t, &self.slope)?;
        for (y, slope) in y_new.iter_mut().zip(&self.slope) {
            *y += h * slope; // (X2)
        }
        Ok(0.0)
    }

    fn is_componentwise(&self) -> bool {
        true
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        line(ends, s, out);
    }
}

crate::keep::keep!(SemiImplicitEuler { slope });
