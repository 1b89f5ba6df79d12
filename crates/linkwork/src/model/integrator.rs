//! Methods of integration, as users choose them.

/// Properties of an integrator.
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
    /// The least and the highest order that [`Settings::order`](super::Settings::order) may ask for.
    pub orders: Option<(u64, u64)>,
    /// Whether it works on the equations of point coordinates themselves: the formulation must be `points`.
    pub needs_points: bool,
}

/// Steps by error control, with projection.
const ADAPTIVE: IntegratorFacts = IntegratorFacts {
    name: "",
    what: "",
    good_for: "",
    order: "",
    fixed_step: false,
    projects: true,
    orders: None,
    needs_points: false,
};

/// Steps of a given size, with projection.
const FIXED: IntegratorFacts = IntegratorFacts { fixed_step: true, ..ADAPTIVE };

/// Declares the integrators: documentation, variant and facts of each.
macro_rules! integrators {
    ($($(#[$doc:meta])* $integrator:ident = $facts:expr,)*) => {
        /// How the equations of motion are integrated over time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Integrator {
            $($(#[$doc])* $integrator,)*
        }

        impl Integrator {
            /// Every integrator.
            pub const ALL: [Integrator; [$(stringify!($integrator)),*].len()] = [$(Integrator::$integrator),*];

            /// Properties of the integrator.
            pub fn facts(self) -> IntegratorFacts {
                match self {
                    $(Integrator::$integrator => $facts,)*
                }
            }
        }
    };
}

// The name is that of the method in `integrate`.
integrators! {
    /// What suits the mechanism.
    Auto = IntegratorFacts {
        name: "auto",
        what: "what suits the mechanism, exchanged on the way as stiffness comes and goes: taylor, dop853 or radau5; rk4 where a step is given",
        good_for: "everything; the summary tells what ran, and why",
        order: "that of what runs",
        ..ADAPTIVE
    },
    /// Dormand–Prince 8(5,3).
    Dop853 = IntegratorFacts {
        name: "dop853",
        what: "Dormand-Prince 8(5,3), explicit Runge-Kutta with error control",
        good_for: "smooth motion at any accuracy, in every formulation; events",
        order: "8",
        ..ADAPTIVE
    },
    /// Classical Runge–Kutta of order 4.
    Rk4 = IntegratorFacts {
        name: "rk4",
        what: "the classical Runge-Kutta method with a fixed step",
        good_for: "smooth motion with a given step",
        order: "4",
        ..FIXED
    },
    /// Explicit Euler.
    Euler = IntegratorFacts {
        name: "euler",
        what: "explicit Euler with a fixed step and nothing else",
        good_for: "teaching: shows how constraints drift and energy grows",
        order: "1",
        projects: false,
        ..FIXED
    },
    /// Trapezoidal rule with position constraints, and projections.
    Index3 = IntegratorFacts {
        name: "index3",
        what: "augmented Lagrangian of index 3: the trapezoidal rule with projections",
        good_for: "loops, stiff and non-smooth forces, singular positions, at a given step",
        order: "2",
        needs_points: true,
        ..FIXED
    },
    /// The same with damping of what is fast.
    GeneralizedAlpha = IntegratorFacts {
        name: "generalized-alpha",
        what: "generalized-alpha of index 3 with projections; damping by `spectral_radius`",
        good_for: "very stiff forces whose fast oscillations do not matter, at a given step",
        order: "2",
        needs_points: true,
        ..FIXED
    },
    /// RATTLE.
    Rattle = IntegratorFacts {
        name: "rattle",
        what: "RATTLE, symplectic and symmetric",
        good_for: "very long runs without losses: no drift of energy; momentum kept to rounding",
        order: "2",
        needs_points: true,
        ..FIXED
    },
    /// Suzuki's composition of RATTLE.
    Rattle4 = IntegratorFacts {
        name: "rattle4",
        what: "Suzuki's composition of five steps of RATTLE",
        good_for: "as `rattle`, at higher accuracy",
        order: "4",
        needs_points: true,
        ..FIXED
    },
    /// Backward differentiation formulas of order 1 to 5.
    Bdf = IntegratorFacts {
        name: "bdf",
        what: "backward differentiation formulas (Gear's method), implicit, with error control",
        good_for: "stiff springs and dampers at moderate accuracy, in every formulation; events",
        order: "1 to 5",
        orders: Some((1, 5)),
        ..ADAPTIVE
    },
    /// ESDIRK of order 4.
    Esdirk4 = IntegratorFacts {
        name: "esdirk4",
        what: "a diagonally implicit Runge-Kutta method (ESDIRK) with error control, L-stable",
        good_for: "beams, stiff springs and dampers: sparse, and damps the fast oscillations that the tolerance does not ask for",
        order: "4, with constraints 3",
        needs_points: true,
        ..ADAPTIVE
    },
    /// Taylor series.
    Taylor = IntegratorFacts {
        name: "taylor",
        what: "Taylor series of high order with error control, one factorisation a series",
        good_for: "smooth motion of closed loops at high accuracy",
        order: "8 to 24",
        orders: Some((8, 24)),
        needs_points: true,
        ..ADAPTIVE
    },
    /// Dormand–Prince 5(4).
    Dopri5 = IntegratorFacts {
        name: "dopri5",
        what: "Dormand-Prince 5(4), explicit Runge-Kutta with error control",
        good_for: "smooth motion at engineering accuracy, in every formulation; events",
        order: "5",
        ..ADAPTIVE
    },
    /// Tsitouras 5(4).
    Tsit5 = IntegratorFacts {
        name: "tsit5",
        what: "Tsitouras 5(4), explicit Runge-Kutta with error control",
        good_for: "as `dopri5`; two to four times more accurate at the same steps",
        order: "5",
        ..ADAPTIVE
    },
    /// Radau IIA of order 5.
    Radau5 = IntegratorFacts {
        name: "radau5",
        what: "Radau IIA, implicit Runge-Kutta in three stages with error control",
        good_for: "stiff springs and dampers, in every formulation",
        order: "5",
        ..ADAPTIVE
    },
    /// Semi-implicit Euler.
    SemiImplicitEuler = IntegratorFacts {
        name: "semi-implicit-euler",
        what: "symplectic Euler with a fixed step: rates first, then positions with the new rates",
        good_for: "games and teaching: energy stays bounded where forces are conservative",
        order: "1",
        projects: false,
        ..FIXED
    },
    /// Moreau's time stepping over contacts.
    Moreau = IntegratorFacts {
        name: "moreau",
        what: "time stepping over contacts: velocities and impulses, no events",
        good_for: "many contacts: heaps, stacks, dominoes, walls; `contact_method = \"steps\"` takes it",
        order: "2, over impacts 1",
        ..FIXED
    },
}

impl Integrator {
    /// The name in model files and on the command line.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether it has fixed steps only. Others have them on request: see [`Settings::fixed_step`](super::Settings::fixed_step).
    pub fn fixed_step(self) -> bool {
        self.facts().fixed_step
    }
}
