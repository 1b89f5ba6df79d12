//! Explicit Euler: follow the tangent. Order 1.
//!
//! ```text
//!   (E1)  y⁺ = y + h f(t, y)
//! ```
//!
//! Here to show what drift looks like; nothing is projected unless asked for. Between steps the straight
//! line (E1) itself, bent to the projected end where there is a projection.

use super::control::Evaluator;
use super::method::{Method, Tried, line};
use super::{Ends, Step, Stepper, System, combine};

#[derive(Clone, Debug)]
pub(super) struct Euler;

impl Stepper {
    /// Explicit Euler with step `h` (s). Does not project, unless asked to.
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn euler(n: usize, h: f64) -> Self {
        Stepper::fixed(n, Euler, h).with_projection(false)
    }
}

impl Method for Euler {
    /// (E1)
    fn trial<S: System>(&mut self, _: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        combine(y_new, step.y, step.h, [1.0], [step.dy]);
        Ok(0.0)
    }

    fn is_componentwise(&self) -> bool {
        true
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        line(ends, s, out);
    }
}

crate::keep::keep!(Euler {});
