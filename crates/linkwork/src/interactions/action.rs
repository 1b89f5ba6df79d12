//! Forces and moments that bodies feel: what kinds there are, and what each tells about itself.

use super::coupling::Scene;
use super::motion::Pulls;
use super::outside::Outside;
use super::program::{Context, Scratch};
use super::rope::Rope;
use super::{
    Actuator, Along, Applied, Bushing, Constant, Drag, Interactions, Program, Spring, Thruster, Tyre,
};

/// A force or a set of forces.
#[derive(Clone, Debug)]
pub enum Action {
    /// Linear, between two body points.
    Spring(Box<Spring>),
    /// On one body, and it never changes.
    Constant(Box<Constant>),
    /// Along a gauge: springs, dampers, ropes, friction, stops.
    Along(Box<Along>),
    /// On one body, as formulas say.
    Applied(Box<Applied>),
    /// Along a gauge, as a formula or a controller says.
    Actuator(Box<Actuator>),
    /// Elastic in all directions between two bodies.
    Bushing(Box<Bushing>),
    /// Of the air on a body.
    Drag(Box<Drag>),
    /// A jet on a body.
    Thruster(Box<Thruster>),
    /// A wheel on the road.
    Tyre(Box<Tyre>),
    /// Along a chain.
    Rope(Box<Rope>),
    /// From outside, as the caller of a simulation sets it.
    Outside(Box<Outside>),
}

/// An action of the model, or one that belongs to a joint.
#[derive(Clone, Debug)]
pub struct NamedAction {
    /// Where its columns begin, as `tyre.front`; nothing for what is not shown by itself.
    pub name: String,
    /// The law.
    pub action: Action,
}

/// What an action did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effect {
    /// Power of what no potential accounts for, W.
    pub power: f64,
    /// Potential energy, J.
    pub potential: f64,
}

impl Action {
    /// Adds its forces to the pulls; tells power and potential.
    pub fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Pulls) -> Effect {
        match self {
            Action::Spring(spring) => spring.apply(at, pulls),
            Action::Constant(constant) => constant.apply(at, pulls),
            Action::Along(along) => along.apply(at, scratch, pulls),
            Action::Applied(applied) => applied.apply(at, scratch, pulls),
            Action::Actuator(actuator) => actuator.apply(at, scratch, pulls),
            Action::Bushing(bushing) => bushing.apply(at, pulls),
            Action::Drag(drag) => drag.apply(at, scratch, pulls),
            Action::Thruster(thruster) => thruster.apply(at, scratch, pulls),
            Action::Tyre(tyre) => tyre.apply(at, scratch, pulls),
            Action::Rope(rope) => rope.apply(at, pulls),
            Action::Outside(outside) => outside.apply(at, pulls),
        }
    }

    /// The columns it shows: what each is called, and its unit.
    pub fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        match self {
            Action::Spring(spring) => spring.columns(),
            Action::Constant(_) | Action::Outside(_) => Vec::new(),
            Action::Along(along) => along.columns(interactions),
            Action::Applied(applied) => applied.columns(),
            Action::Actuator(actuator) => actuator.columns(interactions),
            Action::Bushing(bushing) => bushing.columns(),
            Action::Drag(drag) => drag.columns(),
            Action::Thruster(thruster) => thruster.columns(),
            Action::Tyre(tyre) => tyre.columns(),
            Action::Rope(rope) => rope.columns(),
        }
    }

    /// The numbers of those columns.
    pub fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        match self {
            Action::Spring(spring) => spring.outputs(at, out),
            Action::Constant(_) | Action::Outside(_) => {}
            Action::Along(along) => along.outputs(at, scratch, out),
            Action::Applied(applied) => applied.outputs(at, scratch, out),
            Action::Actuator(actuator) => actuator.outputs(at, scratch, out),
            Action::Bushing(bushing) => bushing.outputs(at, out),
            Action::Drag(drag) => drag.outputs(at, scratch, out),
            Action::Thruster(thruster) => thruster.outputs(at, scratch, out),
            Action::Tyre(tyre) => tyre.outputs(at, scratch, out),
            Action::Rope(rope) => rope.outputs(at, out),
        }
    }

    /// The outputs of an action that uses no formula: what other formulas may read.
    pub(super) fn plain_outputs(&self, interactions: &Interactions, scene: &Scene<'_>, out: &mut Vec<f64>) {
        let at = Context { interactions, scene, measures: &[], locals: &[], late: &[] };
        self.outputs(&at, &mut Scratch::default(), out);
    }

    /// The formulas it uses.
    pub fn programs(&self) -> Vec<&Program> {
        match self {
            Action::Along(along) => along.programs(),
            Action::Applied(applied) => applied.programs(),
            Action::Actuator(actuator) => actuator.programs(),
            Action::Drag(drag) => drag.wind.iter().flatten().collect(),
            Action::Spring(_) | Action::Constant(_) | Action::Bushing(_) => Vec::new(),
            Action::Thruster(_) | Action::Tyre(_) | Action::Rope(_) | Action::Outside(_) => Vec::new(),
        }
    }

    /// Whether it is linear or constant: its work steers no step size, and it looks at nothing but the bodies it pulls at.
    pub fn is_plain(&self) -> bool {
        matches!(self, Action::Spring(_) | Action::Constant(_))
    }

    /// Whether it is a plain force at body points and no couple: where points are coordinates, no motion of a body is needed for it.
    pub fn acts_at_points(&self) -> bool {
        match self {
            Action::Spring(_) => true,
            Action::Constant(constant) => constant.couple == [0.0; 3],
            _ => false,
        }
    }

    /// Whether all its power comes from a potential.
    pub fn is_conservative(&self) -> bool {
        match self {
            Action::Spring(spring) => spring.damping == 0.0,
            _ => self.acts_at_points(),
        }
    }

    /// The moving bodies it concerns.
    pub fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        match self {
            Action::Spring(spring) => spring.bodies(),
            Action::Constant(constant) => constant.at.body.into_iter().collect(),
            Action::Along(along) => along.bodies(interactions),
            Action::Applied(applied) => vec![applied.body],
            Action::Actuator(actuator) => interactions.gauges[actuator.gauge].bodies(),
            Action::Bushing(bushing) => bushing.bodies(),
            Action::Drag(drag) => drag.at.body.into_iter().collect(),
            Action::Thruster(thruster) => thruster.at.body.into_iter().collect(),
            Action::Tyre(tyre) => tyre.bodies(),
            Action::Rope(rope) => rope.bodies(),
            Action::Outside(outside) => outside.bodies(interactions),
        }
    }
}
