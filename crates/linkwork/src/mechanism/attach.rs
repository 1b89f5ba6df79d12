//! From the model's joints, drivers and elements to coordinate functions, couplings and actions.

use super::contacts;
use super::coupling_rows::CouplingRows;
use super::features::Features;
use super::{
    BodyIndex, Coordinate, JointInertia, Late, Mechanism, MechanismBody, MechanismJoint, MechanismPoint, Role,
};
use crate::error::names::{nearest, segment};
use crate::interactions::elements::Phase;
use crate::interactions::{
    BodyPoint, CoordinateFunction, Coupling, CouplingOwner, Direction, DrawnMotion, Interactions, Motion,
    Prescribed,
};
use crate::linalg::vec3::{IDENTITY, Vec3, sub, unit};
use crate::model::{Axis, Driven, Fault, Reading, Readings};
use std::collections::HashMap;

/// The mechanism while its interactions are being listed.
pub(super) struct Attach<'a> {
    pub mechanism: &'a Mechanism,
    /// Which body has which point where.
    pub features: &'a Features,
    pub list: Interactions,
    /// Coordinates of each joint.
    pub coordinates: Vec<Vec<Coordinate>>,
    /// Inertias along them.
    pub joint_inertias: Vec<JointInertia>,
    pub faults: &'a mut Vec<Fault>,
    /// The plain springs, each with the nodes of its ends.
    pub springs: Vec<(usize, [usize; 2])>,
    /// What the formulas' names mean.
    pub readings: Readings<'a>,
    /// Readings that come late.
    pub late: Vec<Late>,
    /// Measures that forces need, with who needs them.
    pub needed: Vec<(String, usize)>,
    /// Where the variables of the model's states begin.
    pub first_state: usize,
    /// The values before the last sample of those states that are sampled.
    pub state_before: Vec<usize>,
    /// Variables of each actuator of the model.
    pub actuator_variables: Vec<ActuatorVariables>,
    joints: HashMap<String, usize>,
    points: HashMap<String, usize>,
    holders: Vec<BodyIndex>,
}

/// The variables of an actuator.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ActuatorVariables {
    /// The integral of its controller.
    pub integral: Option<usize>,
    /// The integral before the last sample, and what it does until the next one, if it is sampled.
    pub before: Option<usize>,
    pub output: Option<usize>,
}

/// Lists everything that interacts and puts it into the mechanism: contacts first, since formulas may read them.
pub(super) fn attach(mechanism: &mut Mechanism, features: &Features, faults: &mut Vec<Fault>) {
    let known = faults.len();
    list_contacts(mechanism, features, faults);
    let steps = mechanism.steps_from_start().is_some();
    interact(mechanism, features, faults);
    // couplings hold bodies, which are not free then: so few may be left that contacts are events
    if mechanism.steps_from_start().is_some() != steps {
        faults.truncate(known);
        list_contacts(mechanism, features, faults);
        interact(mechanism, features, faults);
    }
}

fn list_contacts(mechanism: &mut Mechanism, features: &Features, faults: &mut Vec<Fault>) {
    let touching = contacts::contacts(mechanism, features, faults);
    mechanism.surfaces = touching.surfaces;
    mechanism.pairs = touching.pairs;
    mechanism.contacts = touching.contacts;
    mechanism.crowds = touching.crowds;
    mechanism.only_steps = touching.only_steps;
}

/// Everything else.
fn interact(mechanism: &mut Mechanism, features: &Features, faults: &mut Vec<Fault>) {
    let mut attach = Attach::new(mechanism, features, faults);
    attach.joint_coordinates();
    attach.variables();
    attach.coupling_joints();
    attach.elements(Phase::Linear);
    attach.proportions();
    let chains = attach.chains();
    let beams = attach.beams();
    attach.joint_forces();
    attach.elements(Phase::Simple);
    attach.elements(Phase::Formulas);
    attach.drivers();
    attach.state_rates();
    attach.measures();
    let events = attach.events();
    let Attach { mut list, coordinates, joint_inertias, springs, late, .. } = attach;
    list.couplings
        .iter_mut()
        .filter_map(|c| c.drive.as_mut())
        .for_each(|drive| drive.settle(list.holds.len()));
    mechanism.links.springs(&list.actions, &springs);
    mechanism.chains = chains;
    mechanism.beams = beams;
    mechanism.late = late;
    for (joint, coordinates) in mechanism.joints.iter_mut().zip(coordinates) {
        joint.coordinates = coordinates;
    }
    mechanism.coupling_rows = CouplingRows::new(&list.couplings, &mechanism.bodies, &mechanism.maps);
    mechanism.interactions = list;
    mechanism.joint_inertias = joint_inertias;
    mechanism.events = events;
}

/// A direction as drawn, unit length.
pub(super) fn direction(features: &Features, axis: &Axis) -> Option<Vec3> {
    match axis {
        Axis::Vector(v) => Some(unit(*v)),
        Axis::Points(p, q) => Some(unit(sub(features.drawn(q)?, features.drawn(p)?))),
    }
}

impl<'a> Attach<'a> {
    fn new(mechanism: &'a Mechanism, features: &'a Features, faults: &'a mut Vec<Fault>) -> Self {
        let joints = mechanism.joints.iter().enumerate().map(|(j, joint)| (joint.name.clone(), j));
        let points = mechanism.points.iter().enumerate().map(|(p, point)| (point.name.clone(), p));
        Attach {
            list: Interactions::default(),
            coordinates: Vec::new(),
            joint_inertias: Vec::new(),
            faults,
            springs: Vec::new(),
            readings: Readings::new(&mechanism.model),
            late: Vec::new(),
            needed: Vec::new(),
            first_state: 0,
            state_before: Vec::new(),
            actuator_variables: Vec::new(),
            joints: joints.collect(),
            points: points.collect(),
            holders: mechanism.links.holders(),
            mechanism,
            features,
        }
    }

    /// A new coordinate function.
    pub fn gauge(&mut self, gauge: CoordinateFunction) -> usize {
        self.list.gauges.push(gauge);
        self.list.gauges.len() - 1
    }

    /// A new hint.
    pub fn hint(&mut self, start: f64) -> usize {
        self.list.hint_starts.push(start);
        self.list.hints += 1;
        self.list.hints - 1
    }

    /// Lets an angle count its turns; `near` is what it is about at the start.
    pub fn track(&mut self, gauge: usize, near: f64) {
        if let CoordinateFunction::Angle { hint: None, .. } = self.list.gauges[gauge] {
            let new = self.hint(near);
            if let CoordinateFunction::Angle { hint, .. } = &mut self.list.gauges[gauge] {
                *hint = Some(new);
            }
        }
    }

    /// A named point where it is shown: on the ground if that holds it, else on the first body that does.
    pub fn spot(&self, point: &str) -> Option<BodyPoint> {
        let node = self.mechanism.points[*self.points.get(point)?].node;
        let body = if self.mechanism.roles[node] == Role::Fixed { None } else { self.holders[node] };
        Some(self.mechanism.spot(body, node))
    }

    /// A named point by its place in the mechanism's list.
    pub fn point_index(&self, point: &str) -> Option<usize> {
        self.points.get(point).copied()
    }

    /// A joint by its name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.get(name).copied()
    }

    /// Prescribed motions.
    fn drivers(&mut self) {
        let mechanism = self.mechanism;
        for (d, driver) in mechanism.model.drivers.iter().enumerate() {
            let path = format!("drivers.{}", segment(&driver.name));
            let Some((gauge, factor)) = self.driven(&driver.of, &path) else { continue };
            let Ok((value, readings)) = self.readings.resolve(&driver.value, &[]) else { continue };
            let inputs = readings.iter().enumerate().filter_map(|(place, reading)| match reading {
                Reading::Input(i) => Some((place, self.list.inputs[*i].clone())),
                _ => None,
            });
            // a length, so that all rows are alike
            let scale = if self.list.gauges[gauge].is_angle() { mechanism.size } else { 1.0 };
            let value = Prescribed::new(scale, value, inputs.collect());
            let at_start = value.initial_jet(0.0, &self.list);
            if !(at_start.x.is_finite() && at_start.d.is_finite() && at_start.dd.is_finite()) {
                let why =
                    value.trouble(0.0, &self.list).map_or(String::new(), |e| format!(": {}", e.message));
                let message =
                    format!("the motion, its velocity or its acceleration has no value at t = 0{why}");
                self.faults.push(Fault::error(format!("{path}.value"), message));
                continue;
            }
            let start = at_start.x;
            self.track(gauge, start / factor);
            // whoever counts its turns as well: here they start
            if let CoordinateFunction::Angle { hint: Some(hint), .. } = self.list.gauges[gauge] {
                self.list.hint_starts[hint] = start / factor;
            }
            let offset = match driver.of {
                Driven::Point { component, .. } => -mechanism.model.origin[component],
                _ => 0.0,
            };
            let (terms, owner) = (vec![(gauge, factor * scale)], CouplingOwner::Driver(d));
            let row = Coupling::new(&self.list.gauges, terms, owner, format!("driver `{}`", driver.name));
            self.list.couplings.push(Coupling { offset, drive: Some(value), ..row });
        }
    }

    /// A coordinate of a joint, counted from one; tells if there is none.
    pub fn coordinate(&mut self, joint: &str, coordinate: usize, path: &str) -> Option<Coordinate> {
        self.coordinate_at(joint, coordinate, [format!("{path}.joint"), format!("{path}.coordinate")])
    }

    /// Likewise. `keys`: where joint and coordinate are named.
    fn coordinate_at(&mut self, joint: &str, coordinate: usize, keys: [String; 2]) -> Option<Coordinate> {
        let mechanism = self.mechanism;
        let [at_joint, at_coordinate] = keys;
        let Some(j) = self.joint(joint) else {
            let help = mechanism.joint_names_like(joint);
            let message = format!("there is no joint `{joint}`");
            self.faults.push(Fault { help, ..Fault::error(at_joint, message) });
            return None;
        };
        let all = &self.coordinates[j];
        let found = coordinate.checked_sub(1).and_then(|i| all.get(i)).copied();
        if found.is_none() {
            let message = format!(
                "joint `{joint}` is {} and has {} coordinate{}",
                mechanism.joints[j].kind.name(),
                all.len(),
                if all.len() == 1 { "" } else { "s" }
            );
            self.faults.push(Fault::error(if all.is_empty() { at_joint } else { at_coordinate }, message));
        }
        found
    }

    /// Joint coordinates that move in proportion.
    fn proportions(&mut self) {
        let mechanism = self.mechanism;
        for (c, coupling) in mechanism.model.couplings.iter().enumerate() {
            let path = format!("couplings.{}", segment(&coupling.name));
            let mut terms = Vec::new();
            for (i, (joint, coordinate, factor)) in coupling.terms.iter().enumerate() {
                let keys = [format!("{path}.joints[{i}]"), format!("{path}.coordinates[{i}]")];
                if let Some(c) = self.coordinate_at(joint, *coordinate, keys) {
                    self.track(c.gauge, 0.0);
                    terms.push((c.gauge, factor * c.factor));
                }
            }
            if terms.len() < coupling.terms.len() {
                continue;
            }
            // a length, so that all rows are alike
            if self.list.gauges[terms[0].0].is_angle() {
                terms.iter_mut().for_each(|t| t.1 *= mechanism.size);
            }
            let offset = self.as_drawn(&terms);
            let (owner, label) = (CouplingOwner::Proportion(c), format!("coupling `{}`", coupling.name));
            let row = Coupling::new(&self.list.gauges, terms, owner, label);
            self.list.couplings.push(Coupling { offset, ..row });
        }
    }

    /// Where the bodies are drawn.
    pub fn drawn(&self) -> Vec<Motion> {
        let com = |b: &MechanismBody| Motion { c: b.particles.properties.com, ..Motion::FIXED };
        self.mechanism.bodies.iter().map(com).collect()
    }

    /// What a sum of coordinate functions reads where the bodies are drawn.
    pub fn as_drawn(&self, terms: &[(usize, f64)]) -> f64 {
        let (drawn, hints) = (self.drawn(), &self.list.hint_starts);
        terms.iter().map(|&(g, w)| w * self.list.gauges[g].jet(&drawn, hints).x).sum()
    }

    /// A direction as drawn, unit length.
    pub fn direction(&self, axis: &Axis) -> Option<Vec3> {
        direction(self.features, axis)
    }

    /// The coordinate function that a driver drives, and its factor.
    fn driven(&mut self, of: &Driven, path: &str) -> Option<(usize, f64)> {
        match of {
            Driven::Joint { joint, coordinate } => {
                self.coordinate(joint, *coordinate, path).map(|c| (c.gauge, c.factor))
            }
            Driven::Point { point, component } => {
                let to = self.spot(point)?;
                if to.body.is_none() {
                    let message = format!("the point `{point}` is held by `ground` and cannot be driven");
                    self.faults.push(Fault::error(format!("{path}.point"), message));
                    return None;
                }
                let from = BodyPoint { body: None, s: [0.0; 3] };
                let along = Direction { body: None, u: IDENTITY[*component] };
                Some((self.gauge(CoordinateFunction::Component { from, to, along }), 1.0))
            }
            Driven::Body { body, against, axis } => {
                let [first, second] = [against, body].map(|name| self.features.body(name));
                if !self.oriented([first, second], &format!("{path}.body")) {
                    return None;
                }
                let u = axis.as_ref().map_or(Some([0.0, 0.0, 1.0]), |axis| self.direction(axis))?;
                Some((self.gauge(CoordinateFunction::turn(first, second, u, None)), 1.0))
            }
        }
    }
}

impl Mechanism {
    /// Advice for a name that no joint has: those at the point of this name, the nearest name, or all names.
    pub(crate) fn joint_names_like(&self, name: &str) -> Option<String> {
        /// So many names are listed.
        const LISTED: usize = 30;
        let between = |j: &MechanismJoint| {
            format!("`{}` ({} – {})", j.name, self.body_name(j.bodies[0]), self.body_name(j.bodies[1]))
        };
        let start = format!("{name}.");
        let here: Vec<String> =
            self.named_joints().map(|(_, j)| j).filter(|j| j.name.starts_with(&start)).map(between).collect();
        if !here.is_empty() {
            return Some(format!("several bodies meet at `{name}`: choose one of {}", here.join(", ")));
        }
        let at_point = self.points.iter().find(|point| point.name == name).map(|point| point.node);
        let here: Vec<String> = (self.named_joints().map(|(_, j)| j))
            .filter(|j| at_point.is_some_and(|node| j.points.contains(&node) || j.shared.contains(&node)))
            .map(between)
            .collect();
        if !here.is_empty() {
            return Some(format!("at the point `{name}` is the joint {}", here.join(", ")));
        }
        let names: Vec<&str> = self.named_joints().map(|(_, j)| j.name.as_str()).collect();
        if names.is_empty() {
            return Some("the mechanism has no joints: bodies that share a point have one there".into());
        }
        nearest(name, names.iter().copied()).or_else(|| {
            let more = names.len().saturating_sub(LISTED);
            let list = names[..names.len().min(LISTED)].join(", ");
            Some(if more > 0 {
                format!("joints are: {list} and {more} more")
            } else {
                format!("joints are: {list}")
            })
        })
    }

    /// The named points where they are shown: on the ground if that holds them, else on the first body that does.
    pub fn point_spots(&self) -> Vec<BodyPoint> {
        let holders = self.links.holders();
        let spot = |point: &MechanismPoint| {
            let body = if self.roles[point.node] == Role::Fixed { None } else { holders[point.node] };
            self.spot(body, point.node)
        };
        self.points.iter().map(spot).collect()
    }

    /// Where a body, or the ground, is at the start; its places are given as drawn.
    pub(crate) fn start_of(&self, motions: &[Motion], body: BodyIndex) -> DrawnMotion {
        body.map_or(DrawnMotion::FIXED, |b| DrawnMotion {
            motion: motions[b],
            com: self.bodies[b].particles.properties.com,
        })
    }

    /// Where the bodies are at the start.
    pub fn start_motions(&self) -> Vec<Motion> {
        let (r, v) = self.start_nodes();
        let mut motions = vec![Motion::FIXED; self.bodies.len()];
        self.motions(&r, &v, &mut motions);
        motions
    }

    /// Where a body has a node: from its centre of mass as drawn.
    pub fn spot(&self, body: BodyIndex, node: usize) -> BodyPoint {
        let at = self.drawn_on(body, node);
        BodyPoint { body, s: body.map_or(at, |b| sub(at, self.bodies[b].particles.properties.com)) }
    }
}
