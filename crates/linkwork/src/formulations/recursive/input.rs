//! Forces on the rates of the joints that come from outside the model: a constant each, or a law of time and state.

use std::fmt;
use std::sync::Arc;

/// A law of forces on the rates: (t, q, u) and where to write them, all in the order of the formulation's coordinates and rates.
/// They are zero when it is called. It must depend on its arguments only.
pub type InputLaw = dyn Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync;

/// Forces on the rates: moments about axes, N m, forces along them, N, and the vectors of balls and floating links in world axes.
#[derive(Clone)]
pub enum Input {
    /// Always the same.
    Constant(Vec<f64>),
    /// What a law says.
    Law(Arc<InputLaw>),
}

impl Input {
    /// A law of time and state.
    pub fn law(law: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        Input::Law(Arc::new(law))
    }

    /// Writes the forces.
    pub(crate) fn write(&self, t: f64, q: &[f64], u: &[f64], tau: &mut [f64]) {
        match self {
            Input::Constant(forces) => tau.copy_from_slice(forces),
            Input::Law(law) => law(t, q, u, tau),
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Constant(forces) => f.debug_tuple("Constant").field(forces).finish(),
            Input::Law(_) => f.write_str("Law(..)"),
        }
    }
}

/// Power of forces on rates, W.
pub(super) fn power(tau: impl Iterator<Item = f64>, u: impl Iterator<Item = f64>) -> f64 {
    tau.zip(u).fold(0.0, |sum, (force, rate)| sum + force * rate)
}
