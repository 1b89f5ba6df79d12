//! Steppers for first-order systems y' = f(t, y): error control, dense output, projection.
//!
//! This module knows vectors, never bodies. A [`System`] supplies f and, where its solutions keep
//! invariants g(t, y) = 0 (lengths of rods, their rates), a projection onto them. A [`Stepper`]
//! advances it:
//!
//! | constructor | method | step | between steps | projects |
//! |---|---|---|---|---|
//! | [`Stepper::dop853`] | Dormand–Prince 8(5,3) | by error control | order 7 | yes |
//! | [`Stepper::taylor`] | Taylor's method, any order | by error control | the same series | yes |
//! | [`Stepper::dopri5`] | Dormand–Prince 5(4) | by error control | order 4 | yes |
//! | [`Stepper::tsit5`] | Tsitouras 5(4) | by error control | order 4 | yes |
//! | [`Stepper::radau5`] | Radau IIA, order 5, implicit | by error control | collocation | yes |
//! | [`Stepper::rk4`] | classical Runge–Kutta, order 4 | given | cubic Hermite | yes |
//! | [`Stepper::euler`] | explicit Euler, order 1 | given | straight line | no |
//! | [`Stepper::semi_implicit_euler`] | rates first, order 1 | given | straight line | no |
//! | [`Stepper::index3`] | trapezoidal rule with position constraints, order 2 | given | cubic Hermite | by itself |
//! | [`Stepper::generalized_alpha`] | the same with damping of what is fast, order 2 | given | cubic Hermite | by itself |
//! | [`Stepper::rattle`] | symplectic, order 2 | given | cubic Hermite | by itself |
//! | [`Stepper::rattle4`] | five steps of it, order 4 | given | quintic Hermite | by itself |
//! | [`Stepper::moreau`] | time stepping over contacts, order 2 between impacts | given | straight line | by itself |
//! | [`Stepper::bdf`] | backward differentiation, order 1 to 5, implicit | by error control | same order | yes |
//! | [`Stepper::esdirk4`] | ESDIRK, order 4, implicit, damps what is fast | by error control | cubic Hermite | yes |
//!
//! Those that project by themselves work on the [`Mechanics`] behind a system, and report
//! [`StepError::NoMechanics`] where there is none. `bdf` works on them where there are any.
//!
//! Time is in seconds and may run backwards; the components of y carry whatever units the system
//! gives them, and [`System::error_scale`] makes them comparable. The same inputs give the same
//! bits. After construction nothing allocates.
//!
//! **One step** from (t, y, f) to (t + h, ŷ):
//!
//! ```text
//!   (I1)  y⁺ = y + h Σ b_i k_i           the method's step, k_1 = f(t, y) known from before
//!   (I2)  ŷ  = P(y⁺)                     onto the invariants, if asked for; otherwise ŷ = y⁺
//!   (I3)  f̂  = f(t + h, ŷ)               k_1 of the next step: projecting costs no extra evaluation
//! ```
//!
//! The projection moves y⁺ by something like the local error of the step, so it keeps the order.
//!
//! **Errors** are distinguished in [`StepError`]. Under error control, a trial step in which f
//! fails or is not finite is tried again with a smaller step before anything is reported, since a
//! stage may have left the domain of f where the solution does not. A given step is not changed
//! behind the user's back: the first failure is reported. In every case the stepper stays at the
//! last good state.
//!
//! ```
//! use linkwork::integrate::{Stepper, System};
//! use std::convert::Infallible;
//!
//! /// x'' = -x as two first-order equations.
//! struct Oscillator;
//! impl System for Oscillator {
//!     type Error = Infallible;
//!     fn dimension(&self) -> usize {
//!         2
//!     }
//!     fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
//!         dy[0] = y[1];
//!         dy[1] = -y[0];
//!         Ok(())
//!     }
//! }
//!
//! let mut stepper = Stepper::dop853(2, 1e-10);
//! stepper.start(&mut Oscillator, 0.0, &[1.0, 0.0], 10.0)?;
//! let mut y = [0.0; 2];
//! let mut next_output = 0.0;
//! while !stepper.is_finished() {
//!     stepper.step(&mut Oscillator)?;
//!     while next_output <= stepper.t() {
//!         stepper.interpolate(&mut Oscillator, next_output, &mut y)?;
//!         assert!((y[0] - next_output.cos()).abs() < 1e-8);
//!         next_output += 0.5;
//!     }
//! }
//! assert_eq!(stepper.t(), 10.0);
//! # Ok::<(), linkwork::integrate::StepError<Infallible>>(())
//! ```

#[macro_use]
mod method;
mod moreau;

mod bdf;
mod control;
mod dop853;
mod dop853_coefficients;
mod dopri5;
mod esdirk;
mod euler;
mod index3;
mod inspect;
mod jacobian;
mod krylov;
mod mechanics;
mod pair54;
mod passage;
mod radau5;
mod radau5_coefficients;
mod rattle;
mod rk4;
mod semi_implicit_euler;
mod series;
mod stepper;
mod tableau;
mod taylor;
#[cfg(test)]
mod tests;
mod tsit5;

pub use control::{Limits, Statistics, StepError, StepOutcome};
pub use inspect::{Inspector, Trial, Verdict};
pub use mechanics::{Blend, Mechanics};
pub use method::Options;
pub use series::Series;
pub use stepper::Stepper;
pub(crate) use stepper::given_steps;
pub(crate) use tableau::{STAGES, Tableau};
pub use taylor::{TAYLOR_ORDERS, taylor_order};

use crate::keep::{Bytes, Damaged, Keep};
use bdf::Bdf;
use control::{Evaluator, Weights};
use dop853::Dop853;
use esdirk::Esdirk;
use euler::Euler;
use index3::Index3;
use method::{Method, Tried};
use moreau::Moreau;
use pair54::Pair54;
use radau5::Radau5;
use rattle::Rattle;
use rk4::Rk4;
use semi_implicit_euler::SemiImplicitEuler;
use taylor::Taylor;

// A line a method: its type, and the names of its variants with their constructors.
methods! { $
    Dop853 { "dop853": |n, o| Stepper::dop853(n, o.tolerance) }
    Taylor { "taylor": |n, o| Stepper::taylor(n, o.tolerance, o.series) }
    Pair54 {
        "dopri5": |n, o| Stepper::dopri5(n, o.tolerance),
        "tsit5": |n, o| Stepper::tsit5(n, o.tolerance),
    }
    Radau5 { "radau5": |n, o| Stepper::radau5(n, o.tolerance) }
    Bdf { "bdf": Bdf::stepper }
    Esdirk { "esdirk4": |n, o| Stepper::esdirk4(n, o.tolerance) }
    Index3 {
        "index3": |n, o| Stepper::index3(n, o.step),
        "generalized-alpha": |n, o| Stepper::generalized_alpha(n, o.step, o.spectral_radius),
    }
    Rattle { "rattle": |n, o| Stepper::rattle(n, o.step), "rattle4": |n, o| Stepper::rattle4(n, o.step) }
    Rk4 { "rk4": |n, o| Stepper::rk4(n, o.step) }
    Euler { "euler": |n, o| Stepper::euler(n, o.step) }
    SemiImplicitEuler { "semi-implicit-euler": |n, o| Stepper::semi_implicit_euler(n, o.step) }
    Moreau { "moreau": |n, o| Stepper::moreau(n, o.step) }
}

/// A first-order system y' = f(t, y), with invariants it can be projected onto.
pub trait System {
    /// Error of an evaluation.
    type Error;

    /// Number of components of y.
    fn dimension(&self) -> usize;

    /// Writes y' at (t, y) into `dy`. Must depend on t and y only: the stepper evaluates at trial
    /// points, in any order.
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Self::Error>;

    /// Writes y' of every component that is no rate ([`System::rates`]) into `dy`; what it writes to the rates means nothing. For methods that need no more. The
    /// default evaluates all of y'.
    fn derivative_beside_rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Self::Error> {
        self.derivative(t, y, dy)
    }

    /// Moves `y` back onto the invariants and writes y' at the moved `y` into `dy`.
    ///
    /// A system without invariants keeps this default, which only evaluates y'.
    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Self::Error> {
        self.derivative(t, y, dy)
    }

    /// Independence of each invariant from the others at the last evaluation: of the order of one, or zero where it follows from the
    /// others, and growing with the square of the distance from there. Empty where a system has none, or cannot tell.
    fn independence(&mut self, out: &mut Vec<f64>) {
        out.clear();
    }

    /// Evaluates as much at (t, y) as [`System::independence`] needs; `dy` is scratch.
    fn evaluate_independence(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Self::Error> {
        self.derivative(t, y, dy)
    }

    /// Which components of y are rates (velocities): for methods that advance them before the others. Most systems
    /// need not tell.
    fn rates(&self) -> std::ops::Range<usize> {
        0..0
    }

    /// The mechanics behind the system, for methods that need more than y'; most systems have none to offer.
    fn mechanics(&mut self) -> Option<&mut dyn Mechanics<Error = Self::Error>> {
        None
    }

    /// The power series of the system's solutions, for methods that sum them up; most systems have none to offer.
    fn series(&mut self) -> Option<&mut dyn Series<Error = Self::Error>> {
        None
    }

    /// A step from (t, y) over h into `y_new` by velocities and impulses, for methods that take contacts in their stride; y' within it goes into `dy`. The end is on the
    /// invariants. Returns the local error, in parts of the size of the system. Most systems have none to offer.
    fn impulsive_step(
        &mut self,
        t: f64,
        h: f64,
        y: &[f64],
        y_new: &mut [f64],
        dy: &mut [f64],
    ) -> Option<Result<f64, Self::Error>> {
        let _ = (t, h, y, y_new, dy);
        None
    }

    /// Writes the size s_i that counts as 1 for each component, in its unit: the local error of
    /// component i is held below tolerance · (s_i + |y_i|).
    ///
    /// `f64::INFINITY` leaves a component out of the control, as suits a quadrature that nothing else
    /// depends on. Zero asks for a purely relative error. The default is 1 throughout. Read once, at
    /// [`Stepper::start`].
    fn error_scale(&self, scale: &mut [f64]) {
        scale.fill(1.0);
    }

    /// Whether a component is a coordinate of a place, whose zero means nothing: far from it errors are not measured against its size, but
    /// against [`System::error_scale`] and its roundings.
    fn is_place(&self, i: usize) -> bool {
        let _ = i;
        false
    }
}

/// out = y + h Σ a_j k_j, the sum taken in order.
#[inline]
fn combine<const M: usize>(out: &mut [f64], y: &[f64], h: f64, a: [f64; M], k: [&[f64]; M]) {
    let n = out.len();
    let y = &y[..n];
    let k = k.map(|k| &k[..n]);
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..M {
            sum += a[j] * k[j][i];
        }
        out[i] = y[i] + h * sum;
    }
}

/// Start and size of a step.
struct Step<'a> {
    t: f64,
    /// t + h, up to roundings.
    t_new: f64,
    h: f64,
    y: &'a [f64],
    dy: &'a [f64],
    /// Error weights, if errors are tested.
    weights: Option<&'a Weights>,
}

/// Both ends of an accepted step: what dense output is made from.
struct Ends<'a> {
    t_old: f64,
    h: f64,
    y_old: &'a [f64],
    dy_old: &'a [f64],
    y: &'a [f64],
    dy: &'a [f64],
}
