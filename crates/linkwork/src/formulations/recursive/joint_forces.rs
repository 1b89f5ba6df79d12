//! Forces that callers set along coordinates of joints ([`Outside::Joint`]). Where such a coordinate is that of a link, its force is one on the link's rate:
//!
//!   (J1)  τ_k = Σ s F,   P = Σ τ_k u_k          s = ±1: the sense of the joint against the link
//!
//! Where nothing else acts on the bodies, an evaluation needs neither their poses nor any wrench, and costs what it costs without forces.

use super::{Links, input};
use crate::interactions::{Action, Interactions, Outside, Rate};
use crate::mechanism::Mechanism;
use crate::recursive::Tree;

/// One force.
#[derive(Clone, Copy, Debug)]
struct LinkForce {
    rate: usize,
    sense: f64,
    /// Where F stands among the auxiliary states.
    place: usize,
}

/// What acts, if it is nothing but forces along coordinates of links.
#[derive(Clone, Debug)]
pub(super) struct JointForces(Vec<LinkForce>);

impl JointForces {
    /// The forces of a mechanism; `None` if anything else acts, or depends on where the bodies are.
    pub(super) fn of(mechanism: &Mechanism, links: &Links, tree: &Tree) -> Option<Self> {
        let interactions = &mechanism.interactions;
        let by_itself = |rate: &Rate| matches!(rate, Rate::Still | Rate::Of(_) | Rate::Filter(..));
        let alone = interactions.couplings.is_empty()
            && interactions.hints == 0
            && interactions.variables.iter().all(|variable| by_itself(&variable.rate));
        if !alone {
            return None;
        }
        let force = |action: &Action| force_of(mechanism, interactions, links, tree, action);
        interactions.actions.iter().map(|named| force(&named.action)).collect::<Option<_>>().map(JointForces)
    }

    /// Adds the forces to those on the rates.
    pub(super) fn add_to(&self, auxiliary: &[f64], tau: &mut [f64]) {
        self.0.iter().for_each(|force| tau[force.rate] += force.sense * auxiliary[force.place]); // (J1)
    }

    /// Their power, W.
    pub(super) fn power(&self, auxiliary: &[f64], u: &[f64]) -> f64 {
        let forces = self.0.iter().map(|force| force.sense * auxiliary[force.place]);
        input::power(forces, self.0.iter().map(|force| u[force.rate]))
    }
}

fn force_of(
    mechanism: &Mechanism,
    interactions: &Interactions,
    links: &Links,
    tree: &Tree,
    action: &Action,
) -> Option<LinkForce> {
    let Action::Outside(outside) = action else { return None };
    let Outside::Joint { gauge, variable, .. } = **outside else { return None };
    let found = links.coordinates.iter().find(|c| {
        let coordinates = &mechanism.joints[c.joint].coordinates;
        coordinates.get(c.index).is_some_and(|coordinate| coordinate.gauge == gauge)
    })?;
    let place = interactions.variables_at() + variable;
    Some(LinkForce { rate: tree.first(found.link).1, sense: found.sign, place })
}
