//! How to simulate: choices are values here and traits where we compute.

use super::{Formula, Integrator};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use std::fmt;
use std::str::FromStr;

/// In which coordinates the equations of motion are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Formulation {
    /// `recursive` for trees and a few loops, `points` for many loops and for integrators that need points.
    Auto,
    /// Primary particles and multipliers, constant mass matrix.
    Points,
    /// Joint variables of a spanning tree, solved link by link; loops closed at cut joints.
    Recursive,
    /// Relative joint variables of a spanning tree, loops closed at cut joints.
    Joints,
    /// Primary particles, with momentum gathered along a spanning tree instead of multipliers.
    Momentum,
    /// Centres of mass and orientations with multipliers.
    NewtonEuler,
    /// Joint variables, with centres of mass and orientations as their functions: TᵀMT q̈ = Tᵀ(f − Mg).
    Tmt,
    /// Joint variables, from kinetic and potential energy by automatic differentiation.
    Lagrange,
    /// Absolute angles of the rods of an open planar chain.
    Kane,
}

impl Formulation {
    /// Every formulation.
    pub const ALL: [Formulation; 8] = [
        Formulation::Points,
        Formulation::Recursive,
        Formulation::Joints,
        Formulation::Momentum,
        Formulation::NewtonEuler,
        Formulation::Tmt,
        Formulation::Lagrange,
        Formulation::Kane,
    ];

    /// Everything that a model may ask for.
    pub const CHOICES: [Formulation; 9] = {
        let mut choices = [Formulation::Auto; 9];
        let mut i = 0;
        while i < Self::ALL.len() {
            choices[i + 1] = Self::ALL[i];
            i += 1;
        }
        choices
    };

    /// The name in model files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Formulation::Auto => "auto",
            Formulation::Recursive => "recursive",
            Formulation::Points => "points",
            Formulation::Joints => "joints",
            Formulation::Momentum => "momentum",
            Formulation::NewtonEuler => "newton-euler",
            Formulation::Tmt => "tmt",
            Formulation::Lagrange => "lagrange",
            Formulation::Kane => "kane",
        }
    }
}

impl fmt::Display for Formulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Formulation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::CHOICES.into_iter().find(|formulation| formulation.name() == name);
        found.ok_or_else(|| {
            let names = Self::CHOICES.map(Formulation::name).join("`, `");
            format!("there is no formulation `{name}`: there are `{names}`")
        })
    }
}

impl From<Formulation> for String {
    fn from(formulation: Formulation) -> String {
        formulation.name().into()
    }
}

impl TryFrom<String> for Formulation {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

/// What happens where several contacts that act on each other are struck at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactLaw {
    /// One after the other, as a wave of pressure strikes them: the law of Newton's cradle.
    #[default]
    Sequential,
    /// All at once, each with Newton's restitution for its own approach.
    Simultaneous,
    /// All at once in two phases: each gives back a part of the impulse that has compressed it (Poisson).
    Poisson,
}

impl ImpactLaw {
    /// All of them.
    pub const ALL: [ImpactLaw; 3] = [ImpactLaw::Sequential, ImpactLaw::Simultaneous, ImpactLaw::Poisson];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            ImpactLaw::Sequential => "sequential",
            ImpactLaw::Simultaneous => "simultaneous",
            ImpactLaw::Poisson => "poisson",
        }
    }
}

/// How contacts are treated over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactMethod {
    /// Events while they are few, time steps where they accumulate or the events fail.
    #[default]
    Auto,
    /// Each contact that closes, opens, slips or sticks is an event, found to rounding.
    Events,
    /// Time steps over everything that happens within them: the integrator `moreau`.
    Steps,
}

impl ContactMethod {
    /// All of them.
    pub const ALL: [ContactMethod; 3] = [ContactMethod::Auto, ContactMethod::Events, ContactMethod::Steps];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            ContactMethod::Auto => "auto",
            ContactMethod::Events => "events",
            ContactMethod::Steps => "steps",
        }
    }
}

/// Where a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InitialState {
    /// As drawn, and as the initial values say.
    #[default]
    Given,
    /// At rest in the static equilibrium next to it.
    Equilibrium,
}

impl InitialState {
    /// All of them.
    pub const ALL: [InitialState; 2] = [InitialState::Given, InitialState::Equilibrium];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            InitialState::Given => "given",
            InitialState::Equilibrium => "equilibrium",
        }
    }
}

keys! {
    /// How to simulate.
    Settings {
        /// Simulated time, s.
        duration: f64 => default Time = Settings::default().duration,
        /// Time between result rows, s.
        output_step: f64 => default Time = Settings::default().output_step,
        /// Where the run begins: as drawn and given, or at rest in the static equilibrium next to that.
        initial: InitialState => default Choice<InitialState> = InitialState::default(),
        /// Coordinates in which the equations of motion are written.
        formulation: Formulation => default Choice<Formulation> = Formulation::Auto,
        /// Method that integrates over time.
        integrator: Integrator => default Choice<Integrator> = Integrator::Auto,
        /// Local error per step, relative to the size of the mechanism.
        tolerance: f64 => default Plain = Settings::default().tolerance,
        /// Of `taylor`, 8 to 24: the order of its series; by the tolerance if left out. Of `bdf`, 1 to 5: the highest order under error control, or the order of
        /// fixed steps.
        order: Option<u64> => optional Whole,
        /// Step of the fixed-step integrators, s; the output step if left out. An integrator with error control takes steps of this size instead, and tests no error.
        step: Option<f64> => optional Time,
        /// For `generalized-alpha`: what is left per step of an oscillation much faster than the step, 0 to 1.
        spectral_radius: Option<f64> => optional Plain,
        /// Whether the state is projected onto the constraints after each step; as the integrator does by itself if left out.
        projection: Option<bool> => optional bool,
        /// How contacts are treated: each as an event, or by time steps over them; `auto` begins with events unless many free bodies can touch.
        contact_method: ContactMethod => default Choice<ContactMethod> = ContactMethod::default(),
        /// Where several contacts that touch are struck at one instant: one after the other, or all at once.
        impact: ImpactLaw => default Choice<ImpactLaw> = ImpactLaw::default(),
        /// In time steps over contacts: bodies that have lain still for this long, s, sleep until something moves them; none do if left out.
        sleep: Option<f64> => optional Time,
        /// Speed below which a body lies still, m/s; a hundredth of √(r g) if left out, r the smallest reach of a moving surface.
        sleep_speed: Option<f64> => optional Speed,
        /// The run ends with an error after this many steps.
        max_steps: u64 => default Whole = Settings::default().max_steps,
        /// Steps under error control stay below this, s; if left out, below the output step where anything depends on time.
        max_step: Option<f64> => optional Time,
        /// The run ends when this condition, or one of a list, becomes true.
        stop: Vec<Formula> => default Truths = Vec::new(),
    }
}

#[cfg(feature = "file")]
mod file {
    use super::{ContactMethod, Formulation, ImpactLaw, InitialState, Settings};
    use crate::file::prelude::*;
    use crate::model::Integrator;

    part!(Settings);

    impl Rules for Settings {}

    named_choices!(ContactMethod, "contact method");
    named_choices!(ImpactLaw, "law of impact");
    named_choices!(InitialState, "initial state");

    impl Choices for Formulation {
        const WHAT: &'static str = "formulation";
        fn choices() -> Vec<(&'static str, Self)> {
            Formulation::CHOICES.iter().map(|&choice| (choice.name(), choice)).collect()
        }
    }

    named_choices!(Integrator, "integrator");
}

impl Settings {
    /// The spectral radius of `generalized-alpha` unless another one is given.
    pub const SPECTRAL_RADIUS: f64 = 0.8;

    /// Whether contacts are events and nothing else: time steps over them are not open to the run.
    pub fn contacts_are_events(&self) -> bool {
        let moreau = matches!(self.integrator, Integrator::Auto | Integrator::Moreau);
        self.contact_method == ContactMethod::Events || !moreau
    }

    /// Whether the run projects onto the constraints.
    pub fn projects(&self) -> bool {
        self.projection.unwrap_or(self.integrator.facts().projects)
    }

    /// Why the tolerance has no effect, where it has none.
    pub fn tolerance_unused(&self) -> Option<String> {
        let name = self.integrator.name();
        if self.integrator.fixed_step() {
            Some(format!("`{name}` takes fixed steps"))
        } else {
            // solving the equations of an implicit step takes a tolerance also where no error is tested
            self.step
                .filter(|_| self.integrator != Integrator::Radau5)
                .map(|_| format!("`step` gives `{name}` fixed steps"))
        }
    }

    /// The size of the steps, s, where it is fixed; nothing under error control.
    pub fn fixed_step(&self) -> Option<f64> {
        if self.integrator.fixed_step() { Some(self.step.unwrap_or(self.output_step)) } else { self.step }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            duration: 10.0,
            output_step: 0.01,
            initial: InitialState::default(),
            formulation: Formulation::Auto,
            integrator: Integrator::Auto,
            tolerance: 1e-11,
            order: None,
            step: None,
            spectral_radius: None,
            projection: None,
            contact_method: ContactMethod::default(),
            impact: ImpactLaw::default(),
            sleep: None,
            sleep_speed: None,
            max_step: None,
            max_steps: 10_000_000,
            stop: Vec::new(),
        }
    }
}
