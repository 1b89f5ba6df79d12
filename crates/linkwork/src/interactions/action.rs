//! Forces and moments that bodies feel: what kinds there are, and what each tells about itself.

use super::actuator::Actuator;
use super::along::Along;
use super::applied::Applied;
use super::bushing::Bushing;
use super::coupling::Scene;
use super::drag::Drag;
use super::motion::Pulls;
use super::outside::Outside;
use super::program::{Context, Scratch};
use super::rope::Rope;
use super::thruster::Thruster;
use super::tyre::Tyre;
use super::{Interactions, Program};

/// A force or a set of forces.
#[derive(Clone, Debug)]
pub enum Action {
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
            Action::Along(along) => along.columns(interactions),
            Action::Applied(applied) => applied.columns(),
            Action::Actuator(actuator) => actuator.columns(interactions),
            Action::Bushing(bushing) => bushing.columns(),
            Action::Drag(drag) => drag.columns(),
            Action::Thruster(thruster) => thruster.columns(),
            Action::Tyre(tyre) => tyre.columns(),
            Action::Rope(rope) => rope.columns(),
            Action::Outside(_) => Vec::new(),
        }
    }

    /// The numbers of those columns.
    pub fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        match self {
            Action::Along(along) => along.outputs(at, scratch, out),
            Action::Applied(applied) => applied.outputs(at, scratch, out),
            Action::Actuator(actuator) => actuator.outputs(at, scratch, out),
            Action::Bushing(bushing) => bushing.outputs(at, out),
            Action::Drag(drag) => drag.outputs(at, scratch, out),
            Action::Thruster(thruster) => thruster.outputs(at, scratch, out),
            Action::Tyre(tyre) => tyre.outputs(at, scratch, out),
            Action::Rope(rope) => rope.outputs(at, out),
            Action::Outside(_) => {}
        }
    }

    /// The outputs of an action that uses no formula: what other formulas may read.
    pub(super) fn plain_outputs(&self, interactions: &Interactions, scene: &Scene<'_>, out: &mut Vec<f64>) {
        let at = Context { interactions, scene, measures: &[], locals: &[], late: &[] };
        self.outputs(&at, &mut Scratch::default(), out);
    }

    /// Free lengths that are not a number become what is read at the start.
    pub(super) fn settle_free_lengths(&mut self, length: &dyn Fn(usize) -> f64) {
        if let Action::Along(along) = self
            && along.rest.is_nan()
        {
            along.rest = along.terms.iter().map(|&(g, w)| w * length(g)).sum();
        }
        for program in self.programs_mut() {
            program.settle_free_lengths(length);
        }
    }

    fn programs_mut(&mut self) -> Vec<&mut Program> {
        match self {
            Action::Along(along) => along.tension.iter_mut().collect(),
            Action::Applied(applied) => {
                applied.force.iter_mut().chain(&mut applied.couple).flatten().collect()
            }
            Action::Actuator(actuator) => actuator.programs_mut(),
            Action::Bushing(_) => Vec::new(),
            Action::Drag(drag) => drag.wind.iter_mut().flatten().collect(),
            Action::Thruster(_) | Action::Tyre(_) | Action::Rope(_) | Action::Outside(_) => Vec::new(),
        }
    }

    /// The formulas it uses.
    pub fn programs(&self) -> Vec<&Program> {
        match self {
            Action::Along(along) => along.programs(),
            Action::Applied(applied) => applied.programs(),
            Action::Actuator(actuator) => actuator.programs(),
            Action::Bushing(_) => Vec::new(),
            Action::Drag(drag) => drag.wind.iter().flatten().collect(),
            Action::Thruster(_) | Action::Tyre(_) | Action::Rope(_) | Action::Outside(_) => Vec::new(),
        }
    }

    /// The moving bodies it concerns.
    pub fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        match self {
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
