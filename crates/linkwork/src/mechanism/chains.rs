//! Chains of a mechanism: their nodes, what acts along them, and the constraint of a growing segment whose length is given.

use super::attach::Attach;
use super::{BodyIndex, Mechanism};
use crate::error::names::segment;
use crate::interactions::{
    Action, Air, BodyPoint, CoordinateFunction, Coupling, CouplingOwner, Exit, NamedAction, Prescribed, Rope,
};
use crate::linalg::jet::Jet;
use crate::linalg::vec3::scale;
use crate::model::{Chain, Fault, PayOutLaw, Winch};
use std::collections::HashMap;
use std::f64::consts::PI;

/// A chain, compiled.
#[derive(Clone, Debug)]
pub struct MechanismChain {
    /// Its name.
    pub name: String,
    /// Its nodes, by their places among the points.
    pub nodes: Vec<usize>,
    /// Mass of each node as lumped, kg.
    pub masses: Vec<f64>,
    /// What acts along it.
    pub action: usize,
    /// Length of a segment, m.
    pub segment: f64,
    /// EA, N, and c, N s, of segments that stretch.
    pub axial: Option<[f64; 2]>,
    /// For each segment that is rigid: the joint at its end nearer to `from`, and the sign with which its force is that on the segment.
    pub joints: Vec<Option<(usize, f64)>>,
    /// The constraint of a growing segment whose length is given.
    pub coupling: Option<usize>,
    /// Whether it comes from a container or a drum.
    pub from_container: bool,
    /// Where it may grow.
    pub pays_out: Option<Mouth>,
    /// It breaks above this tension, N.
    pub break_force: Option<f64>,
}

/// The end of a chain that grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouth {
    /// Whether a law gives the length.
    pub imposed: bool,
    /// A node comes out when the growing segment is so long, m.
    pub insert_at: f64,
    /// One goes in when it is so short, m.
    pub remove_at: Option<f64>,
    /// The container is empty when it is so long, m.
    pub empty_at: Option<f64>,
}

/// With a law a growing segment has from one half to seven quarters of a segment's length: short ones turn too fast, and what a node leaves
/// behind that came out or went in is well off the other limit.
const IMPOSED: [f64; 2] = [0.5, 1.75];

impl Attach<'_> {
    /// All chains of the model.
    pub(super) fn chains(&mut self) -> Vec<MechanismChain> {
        let mechanism = self.mechanism;
        let Some(expansion) = mechanism.expansion.clone() else { return Vec::new() };
        let mut at: HashMap<(usize, BodyIndex), (usize, f64)> = HashMap::new();
        for (j, joint) in mechanism.joints.iter().enumerate() {
            for &node in &joint.shared {
                at.insert((node, joint.bodies[1]), (j, 1.0));
                at.entry((node, joint.bodies[0])).or_insert((j, -1.0));
            }
        }
        let mut chains = Vec::new();
        for (c, parts) in expansion.chains.iter().enumerate() {
            let chain = &mechanism.model.chains[c];
            let spots: Option<Vec<BodyPoint>> = parts.nodes.iter().map(|node| self.spot(node)).collect();
            let nodes: Option<Vec<usize>> = parts.nodes.iter().map(|node| self.point_index(node)).collect();
            let (Some(spots), Some(nodes)) = (spots, nodes) else { continue };
            let pays = chain.pay_out.as_ref().filter(|_| !parts.spent);
            let exit = match pays {
                None => None,
                Some(_) => match chain.to.as_ref().and_then(|to| self.spot(to)) {
                    Some(exit) => Some(exit),
                    None => continue,
                },
            };
            let joints = parts.links.iter().enumerate().map(|(k, link)| {
                let node = mechanism.points[nodes[k]].node;
                link.and_then(|link| at.get(&(node, Some(link))).copied())
            });
            let joints: Vec<_> = joints.collect();
            let imposed = pays.is_some_and(|p| p.law.is_imposed());
            let coupling = match (pays, exit, spots.last()) {
                (Some(_), Some(exit), Some(&last)) if imposed => {
                    self.growing_segment(c, chain, parts.growing, [exit, last])
                }
                _ => None,
            };
            let supply = pays.and_then(|p| p.supply);
            let pays_out = pays.map(|_| Mouth {
                imposed,
                insert_at: parts.segment * if imposed { IMPOSED[1] } else { 1.0 },
                remove_at: (imposed && !parts.links.is_empty()).then_some(IMPOSED[0] * parts.segment),
                empty_at: supply.map(|supply| supply - parts.segment * parts.links.len() as f64),
            });
            self.list.actions.push(NamedAction {
                name: format!("chain.{}", chain.name),
                action: Action::Rope(Box::new(Rope {
                    nodes: spots,
                    whole: parts.whole.clone(),
                    segment: parts.segment,
                    density: chain.mass_per_length,
                    air: chain.drag.as_ref().map(|drag| Air {
                        along: 0.5 * drag.density * drag.tangential * PI * drag.diameter,
                        across: 0.5 * drag.density * drag.normal * drag.diameter,
                        linear: drag.linear,
                        wind: drag.wind,
                    }),
                    axial: chain.stiffness.map(|stiffness| [stiffness, chain.damping]),
                    bending: (chain.bending_stiffness != 0.0 || chain.bending_damping != 0.0)
                        .then_some([chain.bending_stiffness, chain.bending_damping]),
                    pays_out: chain.pay_out.is_some(),
                    exit: pays.zip(exit).map(|(pays, at)| Exit {
                        at,
                        pick_up: (!imposed).then_some(pays.pick_up),
                        tension: pays.exit_tension,
                        weight: scale(chain.mass_per_length, mechanism.model.gravity),
                    }),
                })),
            });
            chains.push(MechanismChain {
                name: chain.name.clone(),
                nodes,
                masses: parts.masses.clone(),
                action: self.list.actions.len() - 1,
                segment: parts.segment,
                axial: chain.stiffness.map(|stiffness| [stiffness, chain.damping]),
                joints,
                coupling,
                from_container: chain.pay_out.is_some(),
                pays_out,
                break_force: chain.break_force,
            });
        }
        chains
    }

    /// Holds the last node at the distance that a law or a drum leaves for the growing segment.
    fn growing_segment(
        &mut self,
        index: usize,
        chain: &Chain,
        growing: f64,
        [exit, last]: [BodyPoint; 2],
    ) -> Option<usize> {
        let path = format!("chains.{}.pay_out", segment(&chain.name));
        let law = &chain.pay_out.as_ref()?.law;
        let gauge = self.gauge(CoordinateFunction::Distance { from: exit, to: last });
        let mut terms = vec![(gauge, 1.0)];
        let (mut offset, mut drive) = (growing, None);
        match law {
            PayOutLaw::Follows => return None,
            PayOutLaw::Length(formula) => {
                let (value, _) = self.readings.resolve(formula, &[]).ok()?;
                let start = value.eval_jet(&[Jet::time(0.0)], &mut Vec::new());
                if !(start.x.is_finite() && start.d.is_finite() && start.dd.is_finite()) {
                    let message = "the length, its velocity or its acceleration has no value at t = 0";
                    self.faults.push(Fault::error(format!("{path}.length"), message));
                    return None;
                }
                // the law counts from the exit to `from`
                offset = growing - start.x;
                drive = Some(Prescribed::of_time(1.0, value));
            }
            PayOutLaw::Winch(Winch { joint, coordinate, radius }) => {
                let path = format!("{path}.winch");
                let drum = self.coordinate(joint, *coordinate, &path)?;
                if !self.list.gauges[drum.gauge].is_angle() {
                    let message = "this coordinate is a path, a winch needs an angle";
                    self.faults.push(Fault::error(format!("{path}.joint"), message));
                    return None;
                }
                self.track(drum.gauge, 0.0);
                terms.push((drum.gauge, -radius * drum.factor));
            }
        }
        let (owner, label) = (CouplingOwner::Chain(index), format!("chain `{}`", chain.name));
        let row = Coupling::new(&self.list.gauges, terms, owner, label);
        if row.bodies.is_empty() {
            let message = "the chain pulls at nothing that moves";
            self.faults.push(Fault::error(format!("chains.{}.from", segment(&chain.name)), message));
            return None;
        }
        self.list.couplings.push(Coupling { offset, drive, ..row });
        Some(self.list.couplings.len() - 1)
    }
}

impl MechanismChain {
    /// What acts along it.
    pub fn rope<'m>(&self, mechanism: &'m Mechanism) -> Option<&'m Rope> {
        match &mechanism.interactions.actions[self.action].action {
            Action::Rope(rope) => Some(rope),
            _ => None,
        }
    }
}
