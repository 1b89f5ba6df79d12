//! Where the bodies are when what a mechanism consists of changes.

use super::{JointCoordinate, Mechanism};
use crate::interactions::{CoordinateFunction, DrawnMotion, Motion};
use crate::linalg::vec3::{Vec3, axpy, norm, sub};
use crate::model::{GROUND, Model};
use std::collections::HashMap;

/// Velocities that agree to this part are the same.
const SAME_VELOCITY: f64 = 1e-13;

/// The state that a mechanism of another structure takes over.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// When, s.
    pub t: f64,
    /// Whether it meets the constraints of the mechanism that takes it over: only a node of a chain has been added.
    pub fits: bool,
    bodies: HashMap<String, DrawnMotion>,
    points: HashMap<String, (Vec3, Vec3)>,
    /// Points that have a place of their own from now on.
    moved: Vec<(String, Vec3, Vec3)>,
    /// Coordinates of the joints, which count turns.
    pub(crate) joints: HashMap<String, Vec<f64>>,
    locks: HashMap<String, bool>,
    /// Positions, velocities and counted turns; and which switches are on.
    exact: Option<([Vec<f64>; 3], Vec<bool>)>,
}

/// A mechanism at an instant, as far as another one goes on from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant<'a> {
    /// s
    pub t: f64,
    /// Of the bodies.
    pub motions: &'a [Motion],
    /// Of the named points, in the world, m.
    pub positions: &'a [Vec3],
    /// m/s
    pub velocities: &'a [Vec3],
    /// Coordinates of the joints.
    pub joints: &'a [Vec<JointCoordinate>],
    /// Which switches of the couplings are on.
    pub switches: &'a [bool],
}

impl Start {
    /// The state of a mechanism at an instant.
    pub(crate) fn new(mechanism: &Mechanism, now: &Instant<'_>) -> Self {
        let bodies = mechanism.bodies.iter().zip(now.motions).map(|(body, &motion)| {
            (body.name.clone(), DrawnMotion { motion, com: body.particles.properties.com })
        });
        // named points are given in the world
        let own = now.positions.iter().map(|&r| sub(r, mechanism.model.origin));
        let state = own.zip(now.velocities.iter().copied());
        let points = mechanism.points.iter().zip(state).map(|(point, at)| (point.name.clone(), at));
        let joints = mechanism.joints.iter().zip(now.joints);
        let on = |switch: usize| now.switches.get(switch).copied().unwrap_or(false);
        let locks = mechanism.events.locks.iter().map(|lock| (lock.name.clone(), on(lock.switch())));
        Start {
            t: now.t,
            fits: false,
            bodies: bodies.collect(),
            points: points.collect(),
            moved: Vec::new(),
            joints: joints.map(|(joint, q)| (joint.name.clone(), q.iter().map(|q| q.q).collect())).collect(),
            locks: locks.collect(),
            exact: None,
        }
    }

    /// The same state relative to an origin that lies elsewhere.
    pub(crate) fn seen_from(mut self, origin: Vec3) -> Self {
        if origin != [0.0; 3] {
            for going in self.bodies.values_mut() {
                going.motion.c = sub(going.motion.c, origin);
                going.com = sub(going.com, origin);
            }
            self.points.values_mut().for_each(|(r, _)| *r = sub(*r, origin));
        }
        self
    }

    /// The very state that a mechanism has begun with before.
    pub(crate) fn exact(t: f64, state: [Vec<f64>; 3], switches: Vec<bool>) -> Self {
        Start { t, exact: Some((state, switches)), ..Default::default() }
    }

    /// Where a named point is, and its velocity.
    pub fn point(&self, name: &str) -> Option<(Vec3, Vec3)> {
        self.points.get(name).copied()
    }

    /// Puts a named point somewhere.
    pub fn put(&mut self, name: String, r: Vec3, v: Vec3) {
        self.points.insert(name.clone(), (r, v));
        self.moved.push((name, r, v));
    }

    /// Lets a body appear as if it had been fixed to another since the drawing; nothing if that is not there.
    pub fn appear_with(&mut self, body: &str, other: &str) {
        if let Some(&going) = self.bodies.get(other) {
            self.bodies.insert(body.into(), going);
        }
    }

    /// Lets a body appear where it is drawn, with the start velocities that the model gives it.
    pub fn appear(&mut self, model: &Model, body: &str) {
        let Some(entry) = model.bodies.iter().find(|b| b.name == body) else { return };
        let drawn = |name: &String| model.points.iter().find(|p| p.name == *name).map(|p| p.position);
        let given = |name: &String| model.initial.velocities.iter().find(|(p, _)| p == name).map(|v| v.1);
        let w = model.initial.angular_velocities.iter().find(|(b, _)| b == body).map_or([0.0; 3], |w| w.1);
        let point = entry.points.iter().find(|p| given(p).is_some()).or(entry.points.first());
        let Some((c, v)) = point.and_then(|p| Some((drawn(p)?, given(p).unwrap_or_default()))) else {
            return;
        };
        let motion = Motion { c, v, w, ..Motion::FIXED };
        self.bodies.insert(body.into(), DrawnMotion { motion, com: c });
    }

    /// Where a point of a body, or of the ground, is.
    pub fn on_body(&self, model: &Model, body: &str, point: &str) -> Option<Vec3> {
        let drawn = model.points.iter().find(|p| p.name == point)?.position;
        match body == GROUND {
            true => Some(drawn),
            false => self.bodies.get(body).map(|going| going.place(drawn).0),
        }
    }

    /// Forgets a body: it is where it is drawn when it appears again.
    pub fn forget(&mut self, body: &str) {
        self.bodies.remove(body);
    }

    /// Whether it knows a body.
    pub fn knows(&self, body: &str) -> bool {
        self.bodies.contains_key(body)
    }

    /// Turns that joints have counted, and locks that hold.
    pub(crate) fn carry_on(&self, mechanism: &mut Mechanism) {
        let interactions = &mut mechanism.interactions;
        if let Some(([_, _, hints], switches)) = &self.exact {
            if hints.len() == interactions.hint_starts.len() {
                interactions.hint_starts.clone_from(hints);
            }
            if switches.len() == interactions.switches.len() {
                interactions.switches.clone_from(switches);
            }
            return;
        }
        for joint in &mechanism.joints {
            let Some(known) = self.joints.get(&joint.name) else { continue };
            for (c, &q) in joint.coordinates.iter().zip(known) {
                if let CoordinateFunction::Angle { hint: Some(hint), .. } = interactions.gauges[c.gauge] {
                    interactions.hint_starts[hint] = q / c.factor;
                }
            }
        }
        for lock in &mechanism.events.locks {
            if let Some(&on) = self.locks.get(&lock.name) {
                interactions.switches[lock.switch()] = on;
            }
        }
    }

    /// p − M v of (A3) by coordinates, N s: momentum of bodies that come to a node with another velocity than it was given. Nothing if there are
    /// none.
    pub(crate) fn missing_momentum(&self, mechanism: &Mechanism) -> Option<Vec<f64>> {
        if self.exact.is_some() {
            return None;
        }
        let columns = mechanism.columns();
        let mut rates = vec![[0.0; 3]; mechanism.maps.len()];
        mechanism.maps.rates(&mechanism.start_velocities, &mut rates);
        let mut missing = vec![0.0; mechanism.start_velocities.len()];
        let mut any = false;
        for body in &mechanism.bodies {
            let Some(going) = self.bodies.get(&body.name) else { continue };
            let velocities: Vec<Vec3> = body.particles.at.iter().map(|&at| going.place(at).1).collect();
            let off: Vec<Vec3> =
                body.nodes.iter().zip(&velocities).map(|(&n, &v)| sub(v, rates[n])).collect();
            let fastest = velocities.iter().map(|&v| norm(v)).fold(0.0, f64::max);
            if off.iter().all(|&v| norm(v) <= SAME_VELOCITY * fastest) {
                continue;
            }
            any = true;
            for (gram, &node) in body.particles.gram.iter().zip(&body.nodes) {
                let p = gram.iter().zip(&off).fold([0.0; 3], |p, (&m, &v)| axpy(p, m, v));
                for &(block, w) in mechanism.maps.terms(node) {
                    for (c, p) in p[..columns].iter().enumerate() {
                        missing[block as usize * columns + c] += w * p;
                    }
                }
            }
        }
        any.then_some(missing)
    }

    /// Gives a mechanism this state, as far as it is known; the rest is as drawn and at rest.
    pub(crate) fn place(&self, mechanism: &mut Mechanism) {
        if let Some(([positions, velocities, _], _)) = &self.exact {
            if positions.len() == mechanism.start_positions.len() {
                mechanism.start_positions.clone_from(positions);
                mechanism.start_velocities.clone_from(velocities);
            }
            return;
        }
        let columns = mechanism.columns();
        let mut block_of = vec![None; mechanism.maps.len()];
        for (block, &node) in mechanism.coordinates.iter().enumerate() {
            block_of[node] = Some(block);
        }
        let mut set: Vec<(usize, Vec3, Vec3)> = Vec::with_capacity(2 * mechanism.bodies.len());
        let mut known = vec![false; mechanism.maps.len()];
        for body in &mechanism.bodies {
            let Some(going) = self.bodies.get(&body.name) else { continue };
            for (&node, &at) in body.nodes.iter().zip(&body.particles.at) {
                if let (Some(block), false) = (block_of[node], known[node]) {
                    let (r, v) = going.place(at);
                    known[node] = true;
                    set.push((block, r, v));
                }
            }
        }
        for point in &mechanism.points {
            if let (Some(block), false, Some(&(r, v))) =
                (block_of[point.node], known[point.node], self.points.get(&point.name))
            {
                set.push((block, r, v));
            }
        }
        for (name, r, v) in &self.moved {
            let node = mechanism.points.iter().rev().find(|p| p.name == *name).map(|p| p.node);
            if let Some(block) = node.and_then(|node| block_of[node]) {
                set.push((block, *r, *v));
            }
        }
        for (block, r, v) in set {
            mechanism.start_positions[block * columns..][..columns].copy_from_slice(&r[..columns]);
            mechanism.start_velocities[block * columns..][..columns].copy_from_slice(&v[..columns]);
        }
    }
}
