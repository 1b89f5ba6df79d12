//! What bodies do to each other beyond shared points and distances: couplings and forces that speak of rigid bodies.
//!
//! A [`CoordinateFunction`] reads a scalar from the bodies' motion; a [`Coupling`] holds a sum of gauges to a function of time or to zero;
//! an [`Action`] is a force or a moment. All of them are evaluated on [`Motion`]s, so every formulation can use them:
//! it says where its bodies are and how fast, and gets back pulls (a force at the centre of mass and a moment about it)
//! for the rows of its equations and for its right-hand side. A mechanism without any pays nothing.
//!
//! Some readings need more state than positions: which turn an angle is in, where on a curve a point is, the value that
//! a lock holds; and there are inputs, and states of the user's. Formulations carry these *auxiliary states* behind the work in their state: [W, hints.., holds.., variables..].

mod action;
mod beam;
mod beam_pairs;
mod contact_account;
mod coordinate_function;
mod coupling;
mod curve;
pub mod elements;
mod laws;
mod motion;
mod outside;
mod path;
mod prescribed;
mod program;
mod response;
mod rolling;
mod rope;
mod sampling;
mod variables;
mod workspace;

pub use action::{Action, Effect, NamedAction};
pub(crate) use beam::shapes;
pub use beam::{Beam, GaussPoint, Section as BeamSection};
pub use contact_account::ContactAccount;
pub use coordinate_function::CoordinateFunction;
pub use coupling::{Coupling, CouplingOwner, Evaluated, Mesh, Scene, Touch};
pub use curve::{Beside, Curve, Shape as CurveShape};
pub use elements::{
    ActuatorAction as Actuator, Along, Applied, Brush, Burn, BushingAction as Bushing, Constant, Coordinate,
    DragAction as Drag, Effort, Integral, JetDirection, LimitStop, Road, RoadPlace, Shows,
    SpringAction as Spring, ThrusterAction as Thruster, TyreAction as Tyre,
};
pub(crate) use laws::{LawKind, LawScratch, Laws};
pub use motion::{
    BodyIndex, BodyPoint, BodyWrench, Direction, DrawnMotion, Motion, Moving, Wrenches, motion_of,
};
pub use outside::{Grip, Outside};
pub use path::{Path, Stop};
pub use prescribed::{MOST_NAMES, Prescribed};
pub(crate) use program::angle_at;
pub use program::{Context, MeasureProgram, MotionReading, OfMotion, Program, Scratch, Slot};
pub use response::Response;
pub use rolling::Rolling;
pub use rope::{Air, Exit, Growing, Rope};
pub use sampling::{Due, Sampled, Sampler};
pub use variables::{Between, InputPlace, Rate, Variable};
pub use workspace::Workspace;

/// Everything of a mechanism that interacts, compiled.
#[derive(Clone, Debug, Default)]
pub struct Interactions {
    /// All coordinate functions; couplings, actions and joints refer to them.
    pub gauges: Vec<CoordinateFunction>,
    /// Constraints.
    pub couplings: Vec<Coupling>,
    /// Forces.
    pub actions: Vec<NamedAction>,
    /// Measures.
    pub measures: Vec<MeasureProgram>,
    /// An order in which each comes after those it uses.
    pub measure_order: Vec<usize>,
    /// How many hints the coordinate functions have.
    pub hints: usize,
    /// What each is at the start, or near it; a place on a curve that is not known yet is not a number.
    pub hint_starts: Vec<f64>,
    /// What each lock holds at the start.
    pub holds: Vec<f64>,
    /// Which switches are on at the start.
    pub switches: Vec<bool>,
    /// Inputs and states.
    pub variables: Vec<Variable>,
    /// Which variables are inputs.
    pub inputs: Vec<InputPlace>,
    /// What is computed at multiples of a period and held in between.
    pub samplers: Vec<Sampler>,
    /// What contacts have taken and given so far, among the variables.
    pub contact_account: Option<ContactAccount>,
}

impl Interactions {
    /// Whether there is nothing for a formulation to do while the mechanism moves.
    pub fn is_idle(&self) -> bool {
        self.couplings.is_empty()
            && self.actions.is_empty()
            && self.hints == 0
            && !self.has_variables_besides_contacts()
    }

    /// Whether there are variables besides those that only contacts write.
    pub fn has_variables_besides_contacts(&self) -> bool {
        self.variables.len() > self.contact_account.map_or(0, |account| account.count())
    }

    /// Whether nothing needs the motion of whole bodies: what there is acts along lines between body points ([`Action::acts_at_points`]).
    pub fn is_idle_between_points(&self) -> bool {
        self.couplings.is_empty()
            && self.hints == 0
            && !self.has_variables_besides_contacts()
            && self.actions.iter().all(|a| a.action.acts_at_points())
    }

    /// The bodies whose motions rows, loads and rates of auxiliary states depend on, of so many.
    pub fn concerned_bodies(&self, bodies: usize) -> Vec<usize> {
        let plain = |named: &NamedAction| named.action.is_plain();
        let alone = self.couplings.is_empty() && self.hints == 0 && !self.has_variables_besides_contacts();
        if !(alone && self.actions.iter().all(plain)) {
            return (0..bodies).collect();
        }
        let mut all: Vec<usize> = self.actions.iter().flat_map(|a| a.action.bodies(self)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Gives springs without a free length the length that they have at the start.
    pub(crate) fn settle_free_lengths(&mut self, bodies: &[Motion], hints: &[f64]) {
        let gauges = &self.gauges;
        for action in &mut self.actions {
            match &mut action.action {
                Action::Along(along) if along.rest.is_nan() => {
                    along.rest = along.terms.iter().map(|&(g, w)| w * gauges[g].jet(bodies, hints).x).sum();
                }
                Action::Spring(spring) if spring.free_length.is_nan() => {
                    spring.free_length = spring.length(bodies).x;
                }
                _ => {}
            }
        }
    }

    /// States beyond positions, velocities and work.
    pub fn auxiliary(&self) -> usize {
        self.variables_at() + self.variables.len()
    }

    /// Whether a variable changes by itself: not one of an input that is held.
    pub fn variables_move(&self) -> bool {
        self.variables.iter().any(|variable| !matches!(variable.rate, Rate::Still))
    }

    /// Where the variables begin among them.
    pub fn variables_at(&self) -> usize {
        self.hints + self.holds.len()
    }

    /// What counts as large, for each of them; infinite for what steers nothing, or what follows from the rest.
    pub fn scale_auxiliary(&self, scale: &mut [f64]) {
        scale.fill(f64::INFINITY);
        let variables = scale.iter_mut().skip(self.variables_at());
        variables.zip(&self.variables).for_each(|(scale, variable)| *scale = variable.scale);
    }
}

#[cfg(test)]
mod tests;
