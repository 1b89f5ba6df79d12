//! What joints report: the gauges of their coordinates, in the order of the columns `q`, `q2`, `q3` … Which coordinates a kind has stands in its [description](crate::joints).
//!
//! Turns count from the drawing, paths from the joint's point on the first body to that on the second, in axes of
//! the first body. Directions in a plane are [`any_perpendicular`] to its normal n, and n × that.

use super::attach::Attach;
use super::joints::Frame;
use super::{BodyIndex, Coordinate, Mechanism, MechanismJoint};
use crate::interactions::{CoordinateFunction, Direction};
use crate::joints::{self, Vector};
use crate::linalg::vec3::{IDENTITY, Vec3, cross};
use crate::model::{Dimension, Fault};

/// A joint's coordinate and rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct JointCoordinate {
    /// Angle since the drawing, rad, counted on beyond a turn; or path along the axis, m.
    pub q: f64,
    /// rad/s or m/s.
    pub v: f64,
}

crate::keep::keep!(JointCoordinate { q, v });

/// Roll, pitch or yaw of the second body against the first: turns about x, y and z of the first, in that order.
fn angle([a, b]: [BodyIndex; 2], which: u8) -> (CoordinateFunction, f64) {
    let on = |body: BodyIndex, axis: usize| Direction { body, u: IDENTITY[axis] };
    match which {
        0 => (
            CoordinateFunction::Angle { zero: on(b, 2), quarter: on(b, 1), pointer: on(a, 2), hint: None },
            1.0,
        ),
        1 => (CoordinateFunction::Slope { first: on(a, 2), second: on(b, 0) }, -1.0),
        _ => (
            CoordinateFunction::Angle { zero: on(a, 0), quarter: on(a, 1), pointer: on(b, 0), hint: None },
            1.0,
        ),
    }
}

impl Attach<'_> {
    /// Lists the coordinates of every joint.
    pub fn joint_coordinates(&mut self) {
        for joint in &self.mechanism.joints {
            let gauges = self.coordinates_of(joint);
            let list =
                gauges.into_iter().map(|(gauge, factor)| Coordinate { gauge: self.gauge(gauge), factor });
            let list = list.collect();
            self.coordinates.push(list);
        }
    }

    /// Whether bodies have an orientation: a rod or a particle in space turns about itself unseen.
    pub fn turns(&self, bodies: [BodyIndex; 2]) -> bool {
        let least = self.mechanism.columns();
        bodies.iter().flatten().all(|&b| self.mechanism.bodies[b].nodes.len() >= least)
    }

    /// Whether bodies have an orientation whose angle about a free axis can be read; tells if not.
    pub fn oriented(&mut self, bodies: [BodyIndex; 2], path: &str) -> bool {
        let sound = self.turns(bodies);
        if !sound {
            let least = self.mechanism.columns();
            let thin = bodies.iter().flatten().find(|&&b| self.mechanism.bodies[b].nodes.len() < least);
            let name = self.mechanism.body_name(thin.copied());
            let message =
                format!("`{name}` is a rod or a particle: nothing says how far it has turned about itself");
            let help = "use the coordinate of a revolute joint, or give the body a shape with some thickness";
            self.faults.push(Fault::error(path, message).help(help));
        }
        sound
    }

    fn coordinates_of(&self, joint: &MechanismJoint) -> Vec<(CoordinateFunction, f64)> {
        let mechanism = self.mechanism;
        let planar = mechanism.dimension() == Dimension::Planar;
        let [a, b] = joint.bodies;
        let [p, q] = [0, 1].map(|s| mechanism.spot(joint.bodies[s], joint.points[s]));
        let frame = Frame::new(joint.axis, joint.axis2, false);
        let u = frame.of(Vector::Axis);
        let path = |u: Vec3| {
            (CoordinateFunction::Component { from: p, to: q, along: Direction { body: a, u } }, 1.0)
        };
        let turn = |u: Vec3| (CoordinateFunction::turn(a, b, u, None), 1.0);
        let turns = self.turns(joint.bodies);
        // the second axis shows how far the first has turned, and the other way round
        let shown = |[a, b]: [BodyIndex; 2], u: Vec3, v: Vec3| CoordinateFunction::Angle {
            zero: Direction { body: a, u: v },
            quarter: Direction { body: a, u: cross(u, v) },
            pointer: Direction { body: b, u: v },
            hint: None,
        };
        // where the second shaft points, seen from the first
        let bend = |across: Vec3| CoordinateFunction::Angle {
            zero: Direction { body: a, u },
            quarter: Direction { body: a, u: across },
            pointer: Direction { body: b, u: joint.axis2.unwrap_or(u) },
            hint: None,
        };
        let of = |coordinate: &joints::Coordinate| match *coordinate {
            joints::Coordinate::Path(along) => Some(path(frame.of(along))),
            joints::Coordinate::Turn(about) => Some(turn(frame.of(about))),
            // listed with their couplings
            joints::Coordinate::Coupled { .. } => None,
            // a thin body does not turn about itself
            _ if !turns => None,
            joints::Coordinate::TurnOfAxis2 => Some((shown([a, b], u, frame.of(Vector::Axis2)), 1.0)),
            joints::Coordinate::TurnAboutAxis2 => Some((shown([b, a], frame.of(Vector::Axis2), u), -1.0)),
            joints::Coordinate::Angle(k) => Some(angle(joint.bodies, k)),
            joints::Coordinate::Bend(across) => Some((bend(frame.of(across)), 1.0)),
        };
        joint.kind.freedom(planar).coordinates.iter().filter_map(of).collect()
    }
}

impl Mechanism {
    /// Whether angles of joints are known up to whole turns only.
    pub(crate) fn has_uncounted_angles(&self) -> bool {
        let uncounted = |c: &Coordinate| {
            matches!(self.interactions.gauges[c.gauge], CoordinateFunction::Angle { hint: None, .. })
        };
        self.joints.iter().flat_map(|joint| &joint.coordinates).any(uncounted)
    }
}
