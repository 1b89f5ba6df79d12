//! Elements of the model as actions and constraints. What formulas can read comes before them.

use super::attach::Attach;
use super::{BodyIndex, Coordinate, JointInertia, Mechanism};
use crate::drawing::Axis;
use crate::error::names::segment;
use crate::interactions::elements::{self, Controller, Phase, Site, no_couple};
use crate::interactions::{
    Action, Along, BodyPoint, Burn, CoordinateFunction, Coupling, Integral, LimitStop, Motion, NamedAction,
    Program, Rate, RoadPlace, Sampled, Sampler, Shows, Spring, Workspace,
};
use crate::linalg::vec3::{Vec3, dot, sub, unit};
use crate::model::{Fault, Formula, JointForces, Reading, Table};
use std::sync::Arc;

/// Friction is smoothed over this rate, rad/s, or over this part of the mechanism's size per second.
const FRICTION_SPEED: f64 = 1e-3;
/// A rod across an axis, by the cosine between them.
const ACROSS: f64 = 1e-9;

impl Attach<'_> {
    /// The elements of a phase, list by list.
    pub fn elements(&mut self, phase: Phase) {
        let lists = self.mechanism.model.elements();
        for list in elements::ORDER {
            let elements = lists.iter().filter(|(name, _)| *name == list).flat_map(|(_, elements)| elements);
            for (index, element) in elements.enumerate().filter(|(_, element)| element.phase() == phase) {
                element.attach(&format!("{list}.{}", segment(element.name())), index, self);
            }
        }
    }

    /// Springs, dampers, friction, stops and inertias of joints.
    pub fn joint_forces(&mut self) {
        let mechanism = self.mechanism;
        for joint in &mechanism.model.joints {
            let path = format!("joints.{}", segment(&joint.name));
            for (i, forces) in joint.forces.iter().enumerate().filter(|(_, forces)| !forces.is_empty()) {
                let Some(j) = self.joint(&joint.name) else { continue };
                let Some(&coordinate) = self.coordinates[j].get(i) else {
                    let message = format!(
                        "this joint has {} coordinates here: a thin body does not turn about itself",
                        self.coordinates[j].len()
                    );
                    self.faults.push(Fault::error(path.clone(), message));
                    continue;
                };
                if forces.inertia > 0.0 {
                    let inertia = forces.inertia;
                    self.joint_inertias.push(JointInertia { joint: j, index: i, coordinate, inertia });
                }
                if (JointForces { inertia: 0.0, ..forces.clone() }).is_empty() {
                    continue;
                }
                self.track(coordinate.gauge, 0.0);
                if (self as &mut dyn Site).turnable(coordinate.gauge, &path) {
                    self.joint_force(coordinate, forces);
                }
            }
        }
    }

    fn joint_force(&mut self, coordinate: Coordinate, forces: &JointForces) {
        let angle = self.list.gauges[coordinate.gauge].is_angle();
        let speed = if angle { FRICTION_SPEED } else { FRICTION_SPEED * self.mechanism.size };
        let stop = forces.limits.map(|limits| LimitStop {
            limits,
            stiffness: forces.limit_stiffness,
            damping: forces.limit_damping,
        });
        let along = Along {
            terms: vec![(coordinate.gauge, coordinate.factor)],
            stiffness: forces.stiffness,
            damping: forces.damping,
            rest: forces.rest.unwrap_or(f64::NAN), // set once assembled
            preload: forces.preload,
            friction: forces.friction,
            friction_speed: forces.friction_speed.unwrap_or(speed),
            stop,
            shows: Shows::Nothing,
            ..Default::default()
        };
        self.act(String::new(), Action::Along(Box::new(along)));
    }
}

impl Site for Attach<'_> {
    fn columns(&self) -> usize {
        self.mechanism.columns()
    }

    fn origin(&self) -> [f64; 3] {
        self.mechanism.model.origin
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn point(&self, name: &str) -> Option<BodyPoint> {
        self.spot(name)
    }

    fn body(&self, name: &str) -> BodyIndex {
        self.features.body(name)
    }

    fn point_on(&self, body: BodyIndex, point: &str) -> Option<BodyPoint> {
        let held = self.features.on_body(body, point).map(|o| self.features.list[o].at);
        let at = held.or_else(|| self.features.drawn(point))?;
        let centre = body.map_or([0.0; 3], |b| self.mechanism.bodies[b].particles.properties.com);
        Some(BodyPoint { body, s: sub(at, centre) })
    }

    fn particle_point(&self, body: usize, point: &str) -> Option<BodyPoint> {
        let node = self.mechanism.points[self.point_index(point)?].node;
        // where it does not, the results show another body's copy of the point
        let holds = self.mechanism.bodies[body].weights(node).is_some();
        if holds { Some(self.mechanism.spot(Some(body), node)) } else { self.point_on(Some(body), point) }
    }

    fn direction(&self, axis: &Axis) -> Option<Vec3> {
        Attach::direction(self, axis)
    }

    fn drawn(&self) -> Vec<Motion> {
        Attach::drawn(self)
    }

    fn gauges(&self) -> &[CoordinateFunction] {
        &self.list.gauges
    }

    fn gauge(&mut self, gauge: CoordinateFunction) -> usize {
        Attach::gauge(self, gauge)
    }

    fn track(&mut self, gauge: usize, near: f64) {
        Attach::track(self, gauge, near);
    }

    fn coordinate(&mut self, joint: &str, coordinate: usize, path: &str) -> Option<Coordinate> {
        Attach::coordinate(self, joint, coordinate, path)
    }

    fn oriented(&mut self, bodies: [BodyIndex; 2], path: &str) -> bool {
        Attach::oriented(self, bodies, path)
    }

    fn carries(&mut self, body: BodyIndex, axis: Option<Vec3>, path: &str) -> bool {
        let Some(b) = body else { return true };
        let body = &self.mechanism.bodies[b];
        let nodes = body.nodes.len();
        let line = |u: Vec3| dot(u, unit(sub(body.particles.at[1], body.particles.at[0]))).abs() < ACROSS;
        let sound = nodes >= self.mechanism.columns() || (nodes == 2 && axis.is_some_and(line));
        if !sound {
            self.faults.push(no_couple(path, &body.name));
        }
        sound
    }

    fn is_thick(&self, body: usize) -> bool {
        let k = self.mechanism.bodies[body].particles.k();
        !(k == 1 || (k == 2 && self.mechanism.columns() == 3))
    }

    fn table(&self, name: &str) -> Option<Arc<Table>> {
        self.readings.table(name).cloned()
    }

    fn bind(&mut self, path: &str, formula: &Formula, locals: &[&str]) -> Option<Program> {
        Attach::bind(self, path, formula, locals, false)
    }

    fn bind_sampled(&mut self, path: &str, formula: &Formula, locals: &[&str]) -> Option<Program> {
        Attach::bind(self, path, formula, locals, true)
    }

    fn burn(&self, number: usize) -> Option<Arc<Burn>> {
        self.mechanism.burns.get(number).cloned().flatten()
    }

    fn road(&self, formula: &Formula, locals: &[&str]) -> Option<(Formula, Vec<RoadPlace>)> {
        let (height, readings) = self.readings.resolve(formula, locals).ok()?;
        let place = |reading: &Reading| match reading {
            Reading::Local(0) => Some(RoadPlace::X),
            Reading::Local(1) => Some(RoadPlace::Y),
            Reading::Time => Some(RoadPlace::Time),
            _ => None,
        };
        Some((height, readings.iter().map(place).collect::<Option<_>>()?))
    }

    /// An error of the integral counts as much as one of the deviation that has the same effect, or that lasts for a second, if that is less.
    fn integral(&mut self, number: usize, controller: Controller, turns: bool) -> Option<Integral> {
        let Controller { own_time, gain, tracking_time, sampled } = controller;
        let variable = self.actuator_variables[number].integral?;
        let (unit, size) = if turns { ("rad s", 1.0) } else { ("m s", self.mechanism.size) };
        let time = if own_time > 0.0 { own_time.min(1.0) } else { 1.0 };
        let action = self.list.actions.len();
        let place = &mut self.list.variables[variable];
        place.unit = (unit.into(), 1.0);
        if !sampled {
            (place.scale, place.rate) = (size * time, Rate::Integral(action));
        }
        Some(Integral { gain, variable, tracking: tracking_time.unwrap_or(own_time) })
    }

    fn sampled(&mut self, number: usize, every: Option<f64>) -> Option<usize> {
        let own = self.actuator_variables[number];
        if let (Some(every), Some(output)) = (every, own.output) {
            let integral = own.integral.zip(own.before).map(|(now, before)| [now, before]);
            let what = Sampled::Actuator { action: self.list.actions.len(), output, integral };
            self.list.samplers.push(Sampler { every, what });
        }
        own.output
    }

    fn act(&mut self, name: String, action: Action) {
        self.list.actions.push(NamedAction { name, action });
    }

    fn connect(&mut self, name: String, points: [&str; 2], spring: Spring) {
        let node = |point| self.point_index(point).map_or(0, |p| self.mechanism.points[p].node);
        let nodes = points.map(node);
        self.springs.push((self.list.actions.len(), nodes));
        self.act(name, Action::Spring(Box::new(spring)));
    }

    fn constrain(&mut self, constraint: Coupling) {
        self.list.couplings.push(constraint);
    }
}

impl Mechanism {
    /// Every force must have a value where the motion starts.
    pub(super) fn check_start_forces(&self, faults: &mut Vec<Fault>) {
        let interactions = &self.interactions;
        if interactions.actions.is_empty() && interactions.samplers.is_empty() {
            return;
        }
        let mut ws = Workspace::new(interactions, self.bodies.len());
        ws.motions = self.start_motions();
        let auxiliary = self.initial_auxiliary();
        if let Some((name, why)) = ws.trouble_of_samples(interactions, self.start_time, &auxiliary)
            && let Some(name) = name.strip_prefix("state.")
        {
            let why = if why.is_empty() { why } else { format!(": {why}") };
            let message = format!("this has no finite value where the motion starts{why}");
            faults.push(Fault::error(format!("states.{}.next", segment(name)), message));
        }
        if let Some((name, why)) = ws.trouble(interactions, self.start_time, &auxiliary)
            && let Some((kind, name)) = name.split_once('.')
        {
            let why = if why.is_empty() { why } else { format!(": {why}") };
            let message = format!("the force has no finite value where the motion starts{why}");
            faults.push(Fault::error(format!("{kind}s.{}", segment(name)), message));
        }
    }
}
