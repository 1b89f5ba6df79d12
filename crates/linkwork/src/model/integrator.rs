//! Methods of integration, as users choose them.

/// How the equations of motion are integrated over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Integrator {
    /// Dormand–Prince 8(5,3).
    Dop853,
    /// Classical Runge–Kutta of order 4.
    Rk4,
    /// Explicit Euler.
    Euler,
    /// Backward differentiation formulas of order 1 to 5.
    Bdf,
}

/// What there is to know about a method before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegratorFacts {
    /// The name in model files and on the command line.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// What it is good for.
    pub good_for: &'static str,
    /// Order of convergence, for people: some methods have a range.
    pub order: &'static str,
    /// Whether it has fixed steps only, of [`Settings::step`](super::Settings::step), and no error control.
    pub fixed_step: bool,
    /// Whether the state is projected onto the constraints after each step, unless the settings say otherwise.
    pub projects: bool,
    /// Whether it works on the equations of point coordinates themselves: the formulation must be `points`.
    pub needs_points: bool,
}

impl Integrator {
    /// Every integrator.
    pub const ALL: [Integrator; 4] =
        [Integrator::Dop853, Integrator::Rk4, Integrator::Euler, Integrator::Bdf];

    /// What there is to know about it.
    pub fn facts(self) -> IntegratorFacts {
        match self {
            Integrator::Dop853 => IntegratorFacts {
                name: "dop853",
                what: "Dormand-Prince 8(5,3), explicit Runge-Kutta with error control",
                good_for: "smooth motion at any accuracy, in every formulation; events",
                order: "8",
                fixed_step: false,
                projects: true,
                needs_points: false,
            },
            Integrator::Rk4 => IntegratorFacts {
                name: "rk4",
                what: "the classical Runge-Kutta method with a fixed step",
                good_for: "smooth motion with a given step",
                order: "4",
                fixed_step: true,
                projects: true,
                needs_points: false,
            },
            Integrator::Euler => IntegratorFacts {
                name: "euler",
                what: "explicit Euler with a fixed step and nothing else",
                good_for: "teaching: shows how constraints drift and energy grows",
                order: "1",
                fixed_step: true,
                projects: false,
                needs_points: false,
            },
            Integrator::Bdf => IntegratorFacts {
                name: "bdf",
                what: "backward differentiation formulas (Gear's method), implicit, with error control",
                good_for: "stiff springs and dampers at moderate accuracy; events",
                order: "1 to 5",
                fixed_step: false,
                projects: true,
                needs_points: true,
            },
        }
    }

    /// The name in model files and on the command line.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether it has fixed steps only. Others have them on request: see [`Settings::fixed_step`](super::Settings::fixed_step).
    pub fn fixed_step(self) -> bool {
        self.facts().fixed_step
    }
}
