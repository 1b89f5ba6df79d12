//! The compiled model: numbering, particles, constraint rows, start position. Fixed for good.

mod accessors;
mod assembly;
mod attach;
mod beams;
mod bind;
mod chains;
mod columns;
mod compile;
mod contact_entries;
mod contact_motion;
mod contacts;
mod coupling_joints;
mod coupling_rows;
mod dependence;
mod doubts;
mod elements;
mod events;
mod features;
mod free_bodies;
mod going_on;
mod initial_joints;
mod joint_coordinates;
mod joint_list;
mod joints;
mod late;
mod links;
mod maps;
mod masses;
mod modal;
mod particles;
mod ports;
mod reactions;
mod redundancy;
mod resolve;
mod rounding;
mod rows;
mod shape;
mod stage;
mod start;
mod timing;
mod tree;

pub use self::events::{
    Condition, Events, HeldRow, MechanismBreak, MechanismChange, MechanismImpulse, MechanismLimit,
    MechanismLock, Struck,
};
pub use crate::interactions::Coordinate;
pub(crate) use assembly::too_large;
pub use assembly::{AssemblyReport, Movement};
pub use beams::MechanismBeam;
pub use chains::{MechanismChain, Mouth};
pub(crate) use columns::{Balance, Energy, Quantity, describe, own_columns};
pub use columns::{Column, columns};
pub use contact_entries::ContactOf;
pub use contacts::Overlap;
pub(crate) use dependence::Dependence;
pub use features::BodyIndex;
pub use joint_coordinates::JointCoordinate;
pub(crate) use joints::Frame;
pub use late::{ContactResult, Late};
pub use maps::Maps;
pub use masses::{MassNow, VaryingMass};
pub use modal::MechanismModalBody;
pub use particles::{BodyParticle, BodyParticles};
pub use ports::Hand;
pub(crate) use ports::Port;
pub use reactions::{NodeState, ReactionWorkspace};
pub use redundancy::{Dependency, MAX_ANALYSED, MAX_ANALYSED_WORK, MAX_OPEN_LISTED, Redundancy};
pub use resolve::Role;
pub(crate) use rounding::{farthest, judged_by};
pub use rows::{Owner, Row, Rows};
pub(crate) use shape::Shape;
pub use stage::{Origin, Shown};
pub(crate) use start::Instant;
pub use start::Start;
pub(crate) use timing::MAX_EDGES;
pub use timing::Timing;
pub use tree::{Branch, Part, Rotation, Translation, Tree};

use crate::contact::{Crowds, Feature, Pair, Surface};
use crate::error::names::segment;
use crate::interactions::{Burn, CouplingOwner, Due, Interactions, Workspace};
use crate::linalg::kkt::Kkt;
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, axpy};
use crate::model::{Dimension, Fault, Faults, JointKind, Model};
use crate::particles::EquivalentBody;
use crate::topology::{Expansion, Plain};
use std::collections::HashMap;
use std::sync::Arc;

/// A moving body, compiled.
#[derive(Clone, Debug)]
pub struct MechanismBody {
    /// Its name.
    pub name: String,
    /// Its particles.
    pub particles: EquivalentBody,
    /// Node of each primary particle.
    pub nodes: Vec<usize>,
    /// Nodes it holds that are not primary, with their weights over the primary particles.
    pub others: Vec<(usize, Vec<f64>)>,
}

impl MechanismBody {
    /// Weights over the primary particles of a node that the body holds.
    pub fn weights(&self, node: usize) -> Option<Vec<f64>> {
        if let Some(i) = self.nodes.iter().position(|&n| n == node) {
            return Some((0..self.nodes.len()).map(|j| f64::from(u8::from(i == j))).collect());
        }
        self.others.iter().find(|o| o.0 == node).map(|o| o.1.clone())
    }

    /// Where a node that the body holds lies, as drawn.
    pub fn drawn(&self, node: usize) -> Vec3 {
        let weights = self.weights(node).unwrap_or_default();
        weights.iter().zip(&self.particles.at).fold([0.0; 3], |s, (&w, &x)| axpy(s, w, x))
    }
}

/// A named point and the node that shows it.
#[derive(Clone, Debug)]
pub struct MechanismPoint {
    /// Its name.
    pub name: String,
    /// Its node.
    pub node: usize,
}

/// A joint, whether shared points imply it or the model names it.
#[derive(Clone, Debug)]
pub struct MechanismJoint {
    /// Name: the model's, or that of the shared point.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// First and second body; `None` is the ground. The reaction acts on the second.
    pub bodies: [BodyIndex; 2],
    /// Nodes the bodies share here.
    pub shared: Vec<usize>,
    /// The joint's point on each body; the reaction's moment is taken about the second.
    pub points: [usize; 2],
    /// Constraint rows beyond the shared nodes.
    pub rows: Vec<usize>,
    /// Axis as drawn, unit length, fixed in the first body.
    pub axis: Option<Vec3>,
    /// Axis that is fixed in the second body, as drawn, unit length.
    pub axis2: Option<Vec3>,
    /// Whether the model wants this joint cut where it closes a loop.
    pub cut: bool,
    /// For each shared node: the bodies on one side of the joint there, and the sign with which the forces
    /// that they feel are the joint's force on its second body.
    pub(crate) felt_by: Vec<(Vec<usize>, f64)>,
    /// The model's own entry, if it has one.
    pub(crate) entry: Option<usize>,
    /// Its coordinates, in the order of their columns.
    pub coordinates: Vec<Coordinate>,
}

/// An inertia along a coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointInertia {
    /// Which joint.
    pub joint: usize,
    /// Which of its coordinates, from zero on.
    pub index: usize,
    /// That coordinate.
    pub coordinate: Coordinate,
    /// J, kg m² or kg.
    pub inertia: f64,
}

/// A prescribed motion or a proportion between joints, as results show it.
#[derive(Clone, Copy, Debug)]
pub struct Drive<'m> {
    /// `driver` or `coupling`.
    pub table: &'static str,
    /// Its name.
    pub name: &'m str,
    /// Whether its first coordinate is an angle.
    pub turns: bool,
    /// Its coupling.
    pub(crate) coupling: usize,
    /// By what the multiplier is multiplied.
    pub(crate) weight: f64,
}

/// A surface that takes part in contacts.
#[derive(Clone, Debug)]
pub struct MechanismSurface {
    /// Its name: that of a surface, or of a body for its own shape.
    pub name: String,
    /// Where and what it is.
    pub surface: Surface,
}

/// A way in which two bodies can touch, and what happens then.
#[derive(Clone, Debug)]
pub struct MechanismContact {
    /// Its name.
    pub name: String,
    /// Where.
    pub feature: Feature,
    /// μ
    pub friction: f64,
    /// e, from 0 to 1.
    pub restitution: f64,
    /// Whether it belongs to a node of a chain, of which there may be too many to show.
    pub hidden: bool,
}

/// A body held to a node that is not one of its primary particles, by one row per column.
#[derive(Clone, Debug)]
pub(crate) struct Closing {
    pub body: usize,
    pub node: usize,
    pub first_row: usize,
}

/// A model compiled for simulation: plain data, fixed for good, shared freely between threads.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// The model it was compiled from.
    pub(crate) model: Model,
    /// Named points.
    pub(crate) points: Vec<MechanismPoint>,
    /// Moving bodies.
    pub(crate) bodies: Vec<MechanismBody>,
    /// Modal bodies.
    pub(crate) modal_bodies: Vec<MechanismModalBody>,
    /// Joints.
    pub(crate) joints: Vec<MechanismJoint>,
    /// Constraint rows.
    pub(crate) rows: Rows,
    /// Distances within bodies that follow from other bodies' or the ground's: no part of the motion, but forces
    /// along them are part of the question which reactions are unique.
    pub(crate) spare_rows: Vec<Row>,
    /// Nodes by coordinates.
    pub(crate) maps: Maps,
    /// What each node is.
    pub(crate) roles: Vec<Role>,
    /// What each node is called in messages.
    pub(crate) node_names: Vec<String>,
    /// Mass matrix over coordinate blocks: (i, j, value) with i >= j.
    pub(crate) mass: Vec<(usize, usize, f64)>,
    /// Gravity on the coordinates, N.
    pub(crate) weight: Vec<f64>,
    /// Constant forces on the coordinates, gravity included, N.
    pub(crate) constant_force: Vec<f64>,
    /// Potential energy of gravity at q = 0, J.
    pub(crate) constant_potential: f64,
    /// Constant force on each primary particle of each body.
    pub(crate) body_forces: Vec<[Vec3; 4]>,
    /// Node of each coordinate block.
    pub(crate) coordinates: Vec<usize>,
    /// Nodes that follow from bodies, in dependency order.
    pub(crate) follow_order: Vec<usize>,
    pub(crate) closings: Vec<Closing>,
    /// Which particles stand for which node, so that nobody has to search.
    pub(crate) links: links::Links,
    /// The solver for this pattern, ready to be copied; nothing until the start position is sought.
    pub(crate) solver: Option<Arc<Kkt>>,
    /// Couplings, forces and readings.
    pub(crate) interactions: Interactions,
    pub(crate) coupling_rows: coupling_rows::CouplingRows,
    /// Ways in which bodies can touch.
    pub(crate) contacts: Vec<MechanismContact>,
    /// Surfaces that take part in contacts.
    pub(crate) surfaces: Vec<MechanismSurface>,
    /// Surfaces that can meet, in the order of their contacts.
    pub(crate) pairs: Vec<Pair>,
    /// Contacts of the model with so many pairs that these are not listed.
    pub(crate) crowds: Crowds,
    /// Why contacts are stepped over and cannot be events.
    pub(crate) only_steps: Option<String>,
    /// Whether it is no failure that a measure has no value, as a ratio of rates has none at rest.
    pub(crate) measures_may_lack_values: bool,
    /// Chains.
    pub(crate) chains: Vec<MechanismChain>,
    /// Beams.
    pub(crate) beams: Vec<MechanismBeam>,
    /// What may happen at an instant: stop conditions, locks, impacting limits.
    pub(crate) events: Events,
    /// What depends on time itself.
    pub(crate) timing: Timing,
    /// Bodies whose mass varies; the compiled mass of each is that at one time.
    pub(crate) masses: Vec<VaryingMass>,
    /// Inertias along coordinates of joints.
    pub(crate) joint_inertias: Vec<JointInertia>,
    /// What each thruster of the model gives over time.
    pub(crate) burns: Vec<Option<Arc<Burn>>>,
    /// Readings that measures take from accelerations and reactions.
    pub(crate) late: Vec<Late>,
    /// Largest extent of the mechanism as drawn, m.
    pub(crate) size: f64,
    /// What results show of it.
    pub(crate) shown: Shown,
    /// What its model was made from, where chains have been spelled out or something is not there.
    pub(crate) expansion: Option<Arc<Expansion>>,
    /// The model that it is a stage of, where what it consists of may change.
    pub(crate) origin: Option<Arc<Origin>>,
    /// When it begins, s.
    pub(crate) start_time: f64,
    /// Coordinates of the joints then, by name, where it goes on from another mechanism: turns are counted on.
    pub(crate) start_joints: HashMap<String, Vec<JointCoordinate>>,
    /// Whether it has been put into its equilibrium, at a given time.
    pub(crate) at_rest: bool,
    /// Start position.
    pub(crate) start_positions: Vec<f64>,
    /// Start velocity.
    pub(crate) start_velocities: Vec<f64>,
    /// What the assembly did.
    pub(crate) assembly: AssemblyReport,
    /// Dependent constraints at the start.
    pub(crate) redundancy: Redundancy,
    /// What to look at, though it does no harm.
    pub(crate) warnings: Vec<Fault>,
}

impl Model {
    /// Checks and compiles the model: particles, constraints, start position and velocity. All faults
    /// are reported at once.
    pub fn assemble(&self) -> Result<Mechanism, Faults> {
        stage::assemble(self, None)
    }

    /// Like [`Model::assemble`], with masses that vary compiled as they are at time `t0`. The motion is the same, whatever the time: what differs from the
    /// compiled masses is worked out as it goes. That costs nothing where they do not differ.
    pub fn assemble_with_masses_at(&self, t0: f64) -> Result<Mechanism, Faults> {
        compile::compile(Plain::new(self), None, t0, None)
    }
}

impl Mechanism {
    /// Columns per point: 2 or 3.
    pub fn columns(&self) -> usize {
        self.model.dimension.columns()
    }

    /// Plane or space.
    pub fn dimension(&self) -> Dimension {
        self.model.dimension
    }

    /// Number of coordinates (columns times coordinate points).
    pub fn coordinate_count(&self) -> usize {
        self.coordinates.len() * self.columns()
    }

    /// Degrees of freedom at the start position: coordinates less independent constraints.
    pub fn degrees_of_freedom(&self) -> usize {
        self.coordinate_count() - self.redundancy.rank
    }

    /// Where a node stands at the start; a node of the ground always.
    pub fn start_position(&self, node: usize) -> Vec3 {
        self.maps.position(node, &self.start_positions)
    }

    /// Positions and velocities of all nodes at the start.
    pub(crate) fn start_nodes(&self) -> (Vec<Vec3>, Vec<Vec3>) {
        let (mut r, mut v) = (vec![[0.0; 3]; self.maps.len()], vec![[0.0; 3]; self.maps.len()]);
        self.maps.positions(&self.start_positions, &mut r);
        self.maps.rates(&self.start_velocities, &mut v);
        (r, v)
    }

    /// Where a body, or the ground, has a node, as drawn.
    pub fn drawn_on(&self, body: BodyIndex, node: usize) -> Vec3 {
        body.map_or_else(|| self.start_position(node), |b| self.bodies[b].drawn(node))
    }

    /// A solver with the mechanism's mass matrix, its pattern worked out already.
    pub(crate) fn solver(&self) -> Option<Kkt> {
        match &self.solver {
            Some(solver) => Some(Kkt::clone(solver)),
            None => Kkt::new(self.coordinates.len(), self.columns(), &self.mass, &self.patterns()),
        }
    }

    /// Patterns of all rows: those between points, then the couplings.
    pub(crate) fn patterns(&self) -> Vec<RowPattern> {
        self.rows.patterns.iter().chain(&self.coupling_rows.patterns).cloned().collect()
    }

    /// Number of all rows.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.len() + self.interactions.couplings.len()
    }

    /// What a row is called, couplings behind the others.
    pub(crate) fn row_label(&self, row: usize) -> &str {
        match self.rows.list.get(row) {
            Some(row) => &row.label,
            None => &self.interactions.couplings[row - self.rows.len()].label,
        }
    }

    /// How many constraints bind velocities and no positions: those of wheels that roll in space.
    pub fn velocity_constraints(&self) -> usize {
        self.interactions.couplings.iter().filter(|c| c.binds_velocities_only()).count()
    }

    /// What errors of the work are measured against, J. Where motion is prescribed, little else may be left to
    /// control the step by, and a stop or a controller may give up power while the motion shows nothing of it; elsewhere
    /// the work is a quadrature that steers nothing.
    pub(crate) fn work_scale(&self) -> f64 {
        let driven = self.interactions.couplings.iter().any(|c| c.drive.is_some())
            || self.interactions.actions.iter().any(|a| !a.action.is_plain());
        let mass: f64 = self.bodies.iter().map(|b| b.particles.properties.mass).sum();
        if driven && mass > 0.0 { mass * self.size * self.size } else { f64::INFINITY }
    }

    /// Speeds below this are rounding, m/s: a part of the speed of a fall from the size of the mechanism, or of crossing it within the run.
    pub(crate) fn no_speed(&self) -> f64 {
        let fall = (crate::linalg::vec3::norm(self.model.gravity) * self.size).sqrt();
        1e-10 * fall.max(self.size / self.model.settings.duration)
    }

    /// A closed contact with a gap above this, m, has lost its surface: far more than steps leave between projections.
    pub(crate) fn gone(&self) -> f64 {
        if self.model.settings.projects() { 1e-5 * self.size } else { 1e-2 * self.size }
    }

    /// The prescribed motions, and the proportions between joints.
    pub fn drives(&self) -> impl Iterator<Item = Drive<'_>> {
        let couplings = self.interactions.couplings.iter().enumerate();
        couplings.filter_map(|(coupling, c)| {
            let &(gauge, _) = c.terms.first()?;
            let turns = self.interactions.gauges[gauge].is_angle();
            let (table, name, weight) = match c.owner {
                CouplingOwner::Driver(d) => ("driver", &self.model.drivers[d].name, c.drive.as_ref()?.weight),
                CouplingOwner::Proportion(p) => {
                    let said = &self.model.couplings[p];
                    let factor = said.terms[0].2;
                    ("coupling", &said.name, if turns { factor * self.size } else { factor })
                }
                _ => return None,
            };
            Some(Drive { table, name, turns, coupling, weight })
        })
    }

    /// The cables that do not stretch: name, coordinate function of the length, and the coupling whose multiplier is the tension.
    pub(crate) fn stiff_cables(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        let couplings = self.interactions.couplings.iter().enumerate();
        couplings.filter_map(|(coupling, c)| match c.owner {
            CouplingOwner::Cable(i) => Some((self.model.cables[i].name.as_str(), c.terms[0].0, coupling)),
            _ => None,
        })
    }

    /// Where the model says what a coupling is.
    pub(crate) fn coupling_path(&self, coupling: usize) -> String {
        let name = |table: &str, name: &str| format!("{table}.{}", segment(name));
        match self.interactions.couplings[coupling].owner {
            CouplingOwner::Joint(j) => name("joints", &self.joints[j].name),
            CouplingOwner::Proportion(c) => name("couplings", &self.model.couplings[c].name),
            CouplingOwner::Driver(d) => name("drivers", &self.model.drivers[d].name),
            CouplingOwner::Cable(c) => name("cables", &self.model.cables[c].name),
            CouplingOwner::Chain(c) => name("chains", &self.model.chains[c].name),
            CouplingOwner::Lock(l) => name("locks", &self.model.locks[l].name),
            CouplingOwner::Impulse(i) => name("impulses", &self.model.impulses[i].name),
            CouplingOwner::Limit(l) => {
                format!("{}.impact_limits", name("joints", &self.joints[self.events.limits[l].joint].name))
            }
        }
    }

    /// The auxiliary of a state (see [`Interactions`]) as it starts.
    pub(crate) fn initial_auxiliary(&self) -> Vec<f64> {
        let mut auxiliary = self.interactions.hint_starts.clone();
        auxiliary.extend(&self.interactions.holds);
        auxiliary.extend(self.interactions.variables.iter().map(|variable| variable.initial));
        if self.interactions.auxiliary() > 0 {
            let mut ws = Workspace::new(&self.interactions, self.bodies.len());
            ws.motions = self.start_motions();
            ws.settle(&self.interactions, &mut auxiliary);
            ws.sample(&self.interactions, self.start_time, Due::First, &mut auxiliary);
        }
        auxiliary
    }

    /// The name of a body, or `ground`.
    pub fn body_name(&self, body: BodyIndex) -> &str {
        body.map_or(crate::model::GROUND, |b| &self.bodies[b].name)
    }
}
