//! A mechanism as one of several that a run goes through.

use super::features::Features;
use super::{Column, Mechanism, MechanismBody, MechanismJoint, Shape, Start, compile, own_columns};
use crate::interactions::Action;
use crate::linalg::vec3::{Vec3, norm, sub};
use crate::model::{Faults, Model, Settings, Severity};
use crate::topology::{Expansion, Plain, Topology, expand};
use std::collections::HashMap;
use std::sync::Arc;

/// What all stages of a run have in common.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The model as its author wrote it, with the lengths that the first assembly found.
    pub model: Model,
    /// The columns of every row: those of all that there may be.
    pub columns: Vec<Column>,
    /// The model as pictures show it, where that is another one: with the frames and interfaces of modal bodies.
    pub pictured: Option<Model>,
}

/// What of a mechanism results show by itself: not the points and joints within chains.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// So many points, the first ones.
    pub points: usize,
    /// So many bodies.
    pub bodies: usize,
    /// Which joints.
    pub joints: Vec<bool>,
    /// Where each of its columns stands among all.
    pub places: Vec<usize>,
}

impl Shown {
    pub(super) fn new(mechanism: &Mechanism, features: &Features) -> Self {
        let Some(expansion) = &mechanism.expansion else {
            let joints = vec![true; mechanism.joints.len()];
            let (points, bodies) = (mechanism.points.len(), mechanism.bodies.len());
            return Shown { points, bodies, joints, places: Vec::new() };
        };
        let known = |name: &str| features.point_index.get(name).is_some_and(|&i| i < expansion.points);
        let points = mechanism.points.iter().take_while(|point| known(&point.name)).count();
        let of = |joint: &MechanismJoint| {
            joint.entry.is_some() || joint.shared.iter().any(|&node| known(&mechanism.node_names[node]))
        };
        let joints = mechanism.joints.iter().map(of).collect();
        Shown { points, bodies: expansion.bodies, joints, places: Vec::new() }
    }
}

/// Checks and compiles a model as it starts, in a shape if one is given.
pub(super) fn assemble(model: &Model, shape: Option<&Shape>) -> Result<Mechanism, Faults> {
    if !model.has_variable_topology() {
        return compile::compile(Plain::new(model), None, 0.0, shape);
    }
    let faults = crate::model::check(model);
    if faults.iter().any(|fault| fault.severity == Severity::Error) {
        return Err(Faults { list: faults, provenance: model.provenance.clone() });
    }
    let relative = model.relative();
    let model = relative.as_ref();
    let mut mechanism = compile::compile(expand(model, &Topology::new(model)).plain(), None, 0.0, shape)?;
    mechanism.warnings.splice(0..0, faults);
    let mut origin = Origin {
        model: settled(model, &mechanism),
        columns: Vec::new(),
        pictured: model.with_modal_bodies_pictured(),
    };
    if model.can_change() {
        let complete = compile::outline(expand(model, &Topology::complete(model)).plain())?;
        origin.columns = own_columns(&complete);
        let mut known: Vec<&str> = origin.columns.iter().map(|c| c.name.as_str()).collect();
        known.sort_unstable();
        let missing: Vec<Column> = own_columns(&mechanism)
            .into_iter()
            .filter(|column| known.binary_search(&column.name.as_str()).is_err())
            .collect();
        origin.columns.extend(missing);
    }
    mechanism.belongs_to(Arc::new(origin));
    Ok(mechanism)
}

/// The model with the free lengths that its assembly found: later stages start elsewhere.
pub(super) fn settled(model: &Model, mechanism: &Mechanism) -> Model {
    let mut model = model.clone();
    let along: HashMap<&str, f64> = mechanism
        .interactions
        .actions
        .iter()
        .filter_map(|a| match &a.action {
            Action::Along(along) => Some((a.name.as_str(), along.rest)),
            Action::Spring(spring) => Some((a.name.as_str(), spring.free_length)),
            _ => None,
        })
        .collect();
    let found = |table: &str, name: &str| along.get(format!("{table}.{name}").as_str()).copied();
    // what is not there at the start is as long as it is drawn
    let places: HashMap<String, Vec3> = model.points.iter().map(|p| (p.name.clone(), p.position)).collect();
    let drawn = |points: &[String]| {
        let at = |point: &String| places.get(point).copied();
        points.windows(2).map(|two| Some(norm(sub(at(&two[0])?, at(&two[1])?)))).sum::<Option<f64>>()
    };
    for spring in &mut model.springs {
        let length = found("spring", &spring.name);
        spring.free_length = spring.free_length.or(length).or_else(|| drawn(&spring.between));
    }
    for cable in model.cables.iter_mut().filter(|cable| !cable.inextensible) {
        let length = found("cable", &cable.name).or_else(|| drawn(&cable.through));
        cable.free_length = cable.free_length.or(length);
    }
    for spring in &mut model.torsion_springs {
        spring.free_angle = spring.free_angle.or_else(|| found("torsion_spring", &spring.name)).or(Some(0.0));
    }
    model
}

impl Mechanism {
    /// The bodies that the model names: not the segments of chains.
    pub fn named_bodies(&self) -> &[MechanismBody] {
        &self.bodies[..self.shown.bodies]
    }

    /// The joints that results show: not those within chains. With their places among all.
    pub fn named_joints(&self) -> impl Iterator<Item = (usize, &MechanismJoint)> {
        self.joints.iter().enumerate().filter(|(j, _)| self.shown.joints[*j])
    }

    /// The mechanism with everything that a run may ever show: all bodies there, all joints closed. Nobody has sought its start position, so that it cannot be run; what
    /// it consists of stands where it is drawn. Nothing where no part of this one can change: then it shows all by itself.
    pub fn complete(&self) -> Result<Option<Mechanism>, Faults> {
        let model = self.author_model();
        if !model.can_change() {
            return Ok(None);
        }
        compile::outline(expand(model, &Topology::complete(model)).plain()).map(Some)
    }

    /// What its model was made from, where chains have been spelled out or something is not there.
    pub fn expansion(&self) -> Option<&Expansion> {
        self.expansion.as_deref()
    }

    /// The structure of a mechanism that is a stage.
    pub fn topology(&self) -> Option<&Topology> {
        self.expansion.as_ref().map(|expansion| &expansion.structure)
    }

    /// Whether mass or parts of it change, so that balances of mass, momentum and energy are kept.
    pub(crate) fn keeps_balances(&self) -> bool {
        !self.masses.is_empty() || self.author_model().can_change()
    }

    /// Whether a force from the ground has to be worked out from reactions.
    pub(crate) fn leans_on_ground(&self) -> bool {
        let joined = self.joints.iter().any(|joint| joint.bodies.contains(&None));
        joined || self.has_contacts() || !self.interactions.couplings.is_empty()
    }

    /// Whether a chain of it follows the motion out of a container, and nothing touches anything.
    pub(crate) fn grows(&self) -> bool {
        !self.has_contacts() && self.chains.iter().any(|c| c.pays_out.is_some_and(|mouth| !mouth.imposed))
    }

    /// A model that this mechanism was assembled from, with the free lengths and angles that the assembly found.
    pub(crate) fn settled(&self, model: &Model) -> Model {
        settled(model, self)
    }

    /// The model as its author wrote it.
    pub(crate) fn author_model(&self) -> &Model {
        self.origin.as_ref().map_or(&self.model, |origin| &origin.model)
    }

    /// That model with the settings of this mechanism.
    pub(crate) fn as_written(&self) -> Model {
        let author = self.author_model();
        let stop = author.settings.stop.clone();
        Model { settings: Settings { stop, ..self.model.settings.clone() }, ..author.clone() }
    }

    /// The mechanism of another structure that takes a state over.
    pub(crate) fn stage(&self, structure: &Topology, start: &Start) -> Result<Mechanism, Faults> {
        let Some(origin) = &self.origin else { return Ok(self.clone()) };
        let mut expanded = expand(&origin.model, structure);
        let model = &mut expanded.model;
        // those of this run, which may be others than the author's
        let stop = std::mem::take(&mut model.settings.stop);
        model.settings = Settings { stop, ..self.model.settings.clone() };
        let mut next = compile::compile(expanded.plain(), Some(start), start.t, None)?;
        next.belongs_to(Arc::clone(origin));
        Ok(next)
    }

    /// Makes it a stage of a run.
    pub(super) fn belongs_to(&mut self, origin: Arc<Origin>) {
        let index: HashMap<&str, usize> =
            origin.columns.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
        let own = if origin.columns.is_empty() { Vec::new() } else { own_columns(self) };
        self.shown.places =
            own.iter().map(|c| index.get(c.name.as_str()).copied().unwrap_or(usize::MAX)).collect();
        if let Some(expansion) = &self.expansion {
            // after the time the points, place and velocity each
            let each = 2 * self.model.dimension.columns();
            let points = self.points[..self.shown.points].iter();
            for (i, _) in points.enumerate().filter(|(_, p)| expansion.alone.contains(&p.name)) {
                self.shown.places.iter_mut().skip(1 + i * each).take(each).for_each(|at| *at = usize::MAX);
            }
        }
        self.origin = Some(origin);
    }
}
