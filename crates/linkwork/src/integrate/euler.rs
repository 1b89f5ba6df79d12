//! Explicit Euler: follow the tangent. Order 1.
//!
//! ```text
//!   (E1)  y⁺ = y + h f(t, y)
//! ```
//!
//! Here to show what drift looks like; nothing is projected unless asked for. Between steps the straight
//! line (E1) itself, bent to the projected end where there is a projection.

use super::{Ends, Step, combine};

/// (E1)
pub(super) fn trial(step: &Step, y_new: &mut [f64]) {
    combine(y_new, step.y, step.h, [1.0], [step.dy]);
}

/// The straight line between the ends, at the fraction `s` of the step.
pub(super) fn interpolate(ends: &Ends, s: f64, out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = ends.y_old[i] + s * (ends.y[i] - ends.y_old[i]);
    }
}
