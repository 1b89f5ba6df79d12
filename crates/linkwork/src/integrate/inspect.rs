//! A look into a trial step by whoever knows more of the system than its values at the places where a method asks.
//!
//! A method sees y' at a few places of a step, Taylor's at one. What lies between them is shown by no error estimate. An [`Inspector`] is
//! handed every trial step that has passed, and may ask for a shorter one.

use super::control::Weights;
use super::method::Method;
use super::{AnyMethod, Ends, System};

/// A trial step that has passed all tests of its method.
pub struct Trial<'a> {
    pub(super) method: &'a AnyMethod,
    pub(super) ends: Ends<'a>,
    pub(super) weights: &'a Weights,
}

impl Trial<'_> {
    /// Where it begins, s.
    pub fn t(&self) -> f64 {
        self.ends.t_old
    }

    /// Its size, s; negative if time runs backwards.
    pub fn h(&self) -> f64 {
        self.ends.h
    }

    /// What errors are allowed, relative to the sizes.
    pub fn tolerance(&self) -> f64 {
        self.weights.tolerance
    }

    /// About the state at the fraction `s` of the step: what is known without an evaluation.
    pub fn sketch(&self, s: f64, y: &mut [f64]) {
        self.method.sketch(&self.ends, s, y);
    }

    /// How much a slope that is off by f − (g + k)/2 for a part of the step moves the state, in units of the tolerance.
    pub fn bump(&self, f: &[f64], [g, k]: [&[f64]; 2], part: f64) -> f64 {
        let mut most = 0.0_f64;
        for i in 0..f.len() {
            let off = (f[i] - 0.5 * (g[i] + k[i])).abs();
            let size = self.ends.y_old[i].abs().max(self.ends.y[i].abs());
            let off = off * self.weights.inverse(i, size);
            most = if off.is_nan() { f64::INFINITY } else { most.max(off) };
        }
        most * (self.ends.h * part).abs()
    }
}

/// Looks into trial steps.
pub trait Inspector<S: System> {
    /// The part of the step that may be taken, if not all of it. Where it leaves the system evaluated elsewhere than at the end of the step, it says so.
    fn inspect(&mut self, system: &mut S, trial: &Trial<'_>) -> Verdict;
}

/// What an [`Inspector`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing; the system has not been touched.
    Calm,
    /// Nothing that matters, after so many evaluations.
    Looked(u64),
    /// A shorter step is wanted: this part of it at most, after so many evaluations.
    Shorten(f64, u64),
}

/// Looks at nothing.
pub(super) struct Trusting;

impl<S: System> Inspector<S> for Trusting {
    fn inspect(&mut self, _: &mut S, _: &Trial<'_>) -> Verdict {
        Verdict::Calm
    }
}
