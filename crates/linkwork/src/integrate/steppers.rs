//! A stepper for each method.

use super::Stepper;
use super::bdf::Bdf;
use super::dop853::Dop853;
use super::dopri5::Dopri5;
use super::euler::Euler;
use super::index3::Index3;
use super::radau5::Radau5;
use super::rattle::Rattle;
use super::rk4::Rk4;
use super::semi_implicit_euler::SemiImplicitEuler;
use super::stepper::Control;
use super::taylor::Taylor;

impl Stepper {
    /// Dormand–Prince 8(5,3) for `n` components, with the local error of each step held below
    /// `tolerance` relative to [`System::error_scale`](super::System::error_scale). Projects after each step.
    ///
    /// Below about 1e-14 roundings decide, and steps become short for nothing.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn dop853(n: usize, tolerance: f64) -> Self {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "tolerance must be positive, not {tolerance}");
        Stepper::new(n, Dop853::new(n), Control::Adaptive { h_next: 0.0 }, tolerance, true)
    }

    /// The classical Runge–Kutta method of order 4 with step `h` (s). Projects after each step.
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn rk4(n: usize, h: f64) -> Self {
        Stepper::new(n, Rk4::new(n), Control::fixed(h), 1.0, true)
    }

    /// Dormand–Prince 5(4) for `n` components, with error control as [`dop853`](Self::dop853). Projects after each step.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn dopri5(n: usize, tolerance: f64) -> Self {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "tolerance must be positive, not {tolerance}");
        Stepper::new(n, Dopri5::new(n), Control::Adaptive { h_next: 0.0 }, tolerance, true)
    }

    /// Radau IIA of order 5 for `n` components, for stiff systems, with error control. Projects after each step.
    /// Dense: it keeps five matrices of n² numbers.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn radau5(n: usize, tolerance: f64) -> Self {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "tolerance must be positive, not {tolerance}");
        Stepper::new(n, Radau5::new(n), Control::Adaptive { h_next: 0.0 }, tolerance, true)
    }

    /// Semi-implicit (symplectic) Euler with step `h` (s): [`System::rates`](super::System::rates) first, then the rest with the new rates.
    /// Does not project, unless asked to.
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn semi_implicit_euler(n: usize, h: f64) -> Self {
        Stepper::new(n, SemiImplicitEuler::new(n), Control::fixed(h), 1.0, false)
    }

    /// Explicit Euler with step `h` (s). Does not project, unless asked to.
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn euler(n: usize, h: f64) -> Self {
        Stepper::new(n, Euler, Control::fixed(h), 1.0, false)
    }

    /// The trapezoidal rule with position constraints inside the step and projections after it, with step `h` (s). Needs
    /// [`Mechanics`](super::Mechanics).
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn index3(n: usize, h: f64) -> Self {
        Stepper::new(n, Index3::trapezoidal(n), Control::fixed(h), 1.0, true)
    }

    /// Generalized-α with position constraints inside the step and projections after it, with step `h` (s): an oscillation
    /// much faster than the step is left with the part `spectral_radius` of its size per step. Needs
    /// [`Mechanics`](super::Mechanics).
    ///
    /// # Panics
    /// If `h` is not positive, or `spectral_radius` is not in 0 … 1.
    pub fn generalized_alpha(n: usize, h: f64, spectral_radius: f64) -> Self {
        assert!((0.0..=1.0).contains(&spectral_radius), "a part of one, not {spectral_radius}");
        Stepper::new(n, Index3::new(n, spectral_radius), Control::fixed(h), 1.0, true)
    }

    /// RATTLE with step `h` (s): symplectic and symmetric, of order 2. Needs [`Mechanics`](super::Mechanics).
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn rattle(n: usize, h: f64) -> Self {
        Stepper::new(n, Rattle::single(n), Control::fixed(h), 1.0, true)
    }

    /// Suzuki's composition of five steps of RATTLE to a step `h` (s) of order 4. Needs [`Mechanics`](super::Mechanics).
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn rattle4(n: usize, h: f64) -> Self {
        Stepper::new(n, Rattle::suzuki(n), Control::fixed(h), 1.0, true)
    }

    /// Backward differentiation formulas (Gear's method), order and step by error control: for stiff systems. Needs
    /// [`System::mechanics`](super::System::mechanics); keeps positions and velocities on the constraints, and projects what is left after each step. The order
    /// is at most `highest`; up to 2 the formulas damp every oscillation, above they amplify some that are nearly undamped.
    ///
    /// # Panics
    /// If `highest` is not 1 to 5 or `tolerance` is not positive.
    pub fn bdf(n: usize, highest: usize, tolerance: f64) -> Self {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "tolerance must be positive, not {tolerance}");
        Stepper::new(n, Bdf::new(n, highest), Control::Adaptive { h_next: 0.0 }, tolerance, true)
    }

    /// The backward differentiation formula of one order with step `h` (s). The first steps, until there are enough points, are
    /// of a Runge–Kutta method of order 8.
    ///
    /// # Panics
    /// If `order` is not 1 to 5 or `h` is not positive.
    pub fn bdf_of_order(n: usize, order: usize, h: f64) -> Self {
        Stepper::new(n, Bdf::of_order(n, order), Control::fixed(h), 1.0, true)
    }

    /// Taylor's method of the given order for `n` components, with the local error of each step held below `tolerance` relative to
    /// [`System::error_scale`](super::System::error_scale). Projects after each step. The system must have [`System::series`](super::System::series) of this order;
    /// [`taylor_order`](super::taylor_order) tells which one suits a tolerance.
    ///
    /// # Panics
    /// If `tolerance` is not positive or the order is below 2.
    pub fn taylor(n: usize, tolerance: f64, order: usize) -> Self {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "tolerance must be positive, not {tolerance}");
        Stepper::new(n, Taylor::new(n, order), Control::Adaptive { h_next: 0.0 }, tolerance, true)
    }

    /// Taylor's method of the given order with step `h` (s). Projects after each step.
    ///
    /// # Panics
    /// If `h` is not positive or the order is below 2.
    pub fn taylor_fixed(n: usize, h: f64, order: usize) -> Self {
        Stepper::new(n, Taylor::new(n, order), Control::fixed(h), 1.0, true)
    }
}
