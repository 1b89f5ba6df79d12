//! The parts of a mechanism, to look at, and the two that can be given to one that is assembled.

use super::{
    AssemblyReport, Events, JointInertia, Maps, Mechanism, MechanismBody, MechanismChain, MechanismContact,
    MechanismJoint, MechanismModalBody, MechanismPoint, Origin, Redundancy, Rows, Shown, VaryingMass,
};
use crate::contact::{Crowds, Pair};
use crate::interactions::Interactions;
use crate::model::{Fault, Model, Settings};

impl Mechanism {
    /// The model it was compiled from.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Named points.
    pub fn points(&self) -> &[MechanismPoint] {
        &self.points
    }

    /// Moving bodies.
    pub fn bodies(&self) -> &[MechanismBody] {
        &self.bodies
    }

    /// Joints.
    pub fn joints(&self) -> &[MechanismJoint] {
        &self.joints
    }

    /// What may happen at an instant: stop conditions, locks, impacting limits.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Modal bodies.
    pub fn modal_bodies(&self) -> &[MechanismModalBody] {
        &self.modal_bodies
    }

    /// Chains.
    pub fn chains(&self) -> &[MechanismChain] {
        &self.chains
    }

    /// Beams.
    pub fn beams(&self) -> &[super::MechanismBeam] {
        &self.beams
    }

    /// Ways in which bodies can touch.
    pub fn contacts(&self) -> &[MechanismContact] {
        &self.contacts
    }

    /// Contacts of the model with so many pairs that these are not listed.
    pub fn crowds(&self) -> &Crowds {
        &self.crowds
    }

    /// Surfaces that contacts speak of.
    pub fn surfaces(&self) -> &[super::MechanismSurface] {
        &self.surfaces
    }

    /// Pairs of them that can meet, in the order of their contacts.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Bodies whose mass varies; the compiled mass of each is that at one time.
    pub fn masses(&self) -> &[VaryingMass] {
        &self.masses
    }

    /// Inertias along coordinates of joints.
    pub fn joint_inertias(&self) -> &[JointInertia] {
        &self.joint_inertias
    }

    /// Couplings, forces and readings beyond points and springs.
    pub fn interactions(&self) -> &Interactions {
        &self.interactions
    }

    /// Constraint rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Nodes by coordinates.
    pub fn maps(&self) -> &Maps {
        &self.maps
    }

    /// Node of each coordinate block.
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// What each node is called in messages.
    pub fn node_names(&self) -> &[String] {
        &self.node_names
    }

    /// Largest extent of the mechanism as drawn, m.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// What results show of it.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// The model that it is a stage of; `None` if what it consists of cannot change.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_deref()
    }

    /// Positions at the start, in the order of [`Mechanism::coordinates`], m.
    pub fn start_positions(&self) -> &[f64] {
        &self.start_positions
    }

    /// What the assembly did.
    pub fn assembly(&self) -> &AssemblyReport {
        &self.assembly
    }

    /// Dependent constraints at the start.
    pub fn redundancy(&self) -> &Redundancy {
        &self.redundancy
    }

    /// What to look at, though it does no harm.
    pub fn warnings(&self) -> &[Fault] {
        &self.warnings
    }

    /// The same mechanism, to be simulated in another way. Nothing is assembled again. Its `stop` conditions stay: they are compiled.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        let stop = std::mem::take(&mut self.model.settings.stop);
        self.model.settings = Settings { stop, ..settings };
        self
    }

    /// Adds a way in which bodies can touch to those of the model.
    pub fn add_contact(&mut self, contact: MechanismContact) {
        self.contacts.push(contact);
    }
}
