//! Explicit Euler: follow the tangent. Order 1.
//!
//! ```text
//!   (E1)  y⁺ = y + h f(t, y)
//! ```
//!
//! Here to show what drift looks like; nothing is projected unless asked for. Between steps the straight
//! line (E1) itself, bent to the projected end where there is a projection.

use super::control::{Evaluator, Failure, Weights};
use super::method::Method;
use super::{Ends, Step, System, combine};

#[derive(Clone, Debug)]
pub(super) struct Euler;

impl Method for Euler {
    /// (E1)
    fn trial<S: System>(
        &mut self,
        _: &mut Evaluator<S>,
        step: &Step,
        _: Option<&Weights>,
        y_new: &mut [f64],
    ) -> Result<f64, Failure<S::Error>> {
        combine(y_new, step.y, step.h, [1.0], [step.dy]);
        Ok(0.0)
    }

    /// The straight line between the ends.
    fn interpolate<S: System>(
        &mut self,
        _: &mut Evaluator<S>,
        ends: &Ends,
        s: f64,
        out: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        line(ends, s, out);
        Ok(())
    }
}

/// The straight line between the ends, at the fraction `s` of the step.
pub(super) fn line(ends: &Ends, s: f64, out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = ends.y_old[i] + s * (ends.y[i] - ends.y_old[i]);
    }
}

crate::keep::keep!(Euler {});
