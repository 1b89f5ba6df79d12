//! What joints report: the gauges of their coordinates, in the order of the columns `q`, `q2`, `q3` …
//!
//! | joint | coordinates |
//! |---|---|
//! | revolute | turn about the axis |
//! | prismatic, point on line | path along the axis |
//! | cylindrical | path along the axis, turn about it |
//! | spherical | roll, pitch, yaw of the second body against the first |
//! | universal | turn about `axis`, turn about `axis2` |
//! | planar | two paths in the plane, turn about its normal |
//! | point on plane | two paths in the plane |
//! | floating | three paths, then roll, pitch, yaw; in the plane two paths and a turn |
//! | screw | turn about the axis, path along it |
//! | constant velocity | two angles between the shafts |
//! | gear | turns of the two gears against their carrier |
//! | rack and pinion | turn of the pinion and path of the rack, against their carrier |
//! | rolling | two paths of the centre in the plane; in the plane the path along the line and the turn |
//! | point on curve | way along the curve |
//! | fixed, distance | none |
//!
//! Turns count from the drawing, paths from the joint's point on the first body to that on the second, in axes of
//! the first body. Directions in a plane are [`any_perpendicular`] to its normal n, and n × that.

use super::attach::Attach;
use super::{BodyIndex, Coordinate, MechanismJoint};
use crate::interactions::{Direction, Gauge};
use crate::linalg::vec3::{IDENTITY, Vec3, any_perpendicular, cross};
use crate::model::{Dimension, Fault, JointKind};

/// A joint's coordinate and rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct JointCoordinate {
    /// Angle since the drawing, rad, counted on beyond a turn; or path along the axis, m.
    pub q: f64,
    /// rad/s or m/s.
    pub v: f64,
}

crate::keep::keep!(JointCoordinate { q, v });

const Z: Vec3 = [0.0, 0.0, 1.0];

/// Roll, pitch and yaw of the second body against the first: turns about x, y and z of the first, in that order.
fn angles([a, b]: [BodyIndex; 2]) -> [(Gauge, f64); 3] {
    let on = |body: BodyIndex, axis: usize| Direction { body, u: IDENTITY[axis] };
    [
        (Gauge::Angle { zero: on(b, 2), quarter: on(b, 1), pointer: on(a, 2), hint: None }, 1.0),
        (Gauge::Slope { first: on(a, 2), second: on(b, 0) }, -1.0),
        (Gauge::Angle { zero: on(a, 0), quarter: on(a, 1), pointer: on(b, 0), hint: None }, 1.0),
    ]
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

    fn coordinates_of(&self, joint: &MechanismJoint) -> Vec<(Gauge, f64)> {
        let mechanism = self.mechanism;
        let planar = mechanism.dimension() == Dimension::Planar;
        let [a, b] = joint.bodies;
        let [p, q] = [0, 1].map(|s| mechanism.spot(joint.bodies[s], joint.points[s]));
        let u = joint.axis.filter(|_| !(planar && joint.kind == JointKind::Revolute)).unwrap_or(Z);
        let side = any_perpendicular(u);
        let path = |u: Vec3| (Gauge::Component { from: p, to: q, along: Direction { body: a, u } }, 1.0);
        let turn = |u: Vec3| (Gauge::turn(a, b, u, None), 1.0);
        let turns = self.turns(joint.bodies);
        match joint.kind {
            JointKind::Revolute => vec![turn(u)],
            JointKind::Prismatic | JointKind::PointOnLine => vec![path(u)],
            JointKind::Cylindrical => vec![path(u), turn(u)],
            JointKind::Spherical if turns => angles(joint.bodies).into(),
            JointKind::Universal if turns => {
                // the second axis shows how far the first has turned, and the other way round
                let v = joint.axis2.unwrap_or(side);
                let about = |[a, b]: [BodyIndex; 2], u: Vec3, v: Vec3| Gauge::Angle {
                    zero: Direction { body: a, u: v },
                    quarter: Direction { body: a, u: cross(u, v) },
                    pointer: Direction { body: b, u: v },
                    hint: None,
                };
                vec![(about([a, b], u, v), 1.0), (about([b, a], v, u), -1.0)]
            }
            JointKind::Planar => vec![path(side), path(cross(u, side)), turn(u)],
            JointKind::PointOnPlane => vec![path(side), path(cross(u, side))],
            JointKind::Floating if planar => vec![path(IDENTITY[0]), path(IDENTITY[1]), turn(Z)],
            JointKind::Floating => {
                let mut list = vec![path(IDENTITY[0]), path(IDENTITY[1]), path(IDENTITY[2])];
                if turns {
                    list.extend(angles(joint.bodies));
                }
                list
            }
            JointKind::Screw => vec![turn(u), path(u)],
            JointKind::ConstantVelocity if turns => {
                // where the second shaft points, seen from the first
                let shaft = joint.axis2.unwrap_or(u);
                let bend = |across: Vec3| Gauge::Angle {
                    zero: Direction { body: a, u },
                    quarter: Direction { body: a, u: across },
                    pointer: Direction { body: b, u: shaft },
                    hint: None,
                };
                vec![(bend(side), 1.0), (bend(cross(u, side)), 1.0)]
            }
            JointKind::Rolling if planar => vec![path(u), turn(Z)],
            JointKind::Rolling => vec![path(side), path(cross(u, side))],
            // listed with their couplings
            JointKind::Gear | JointKind::RackAndPinion | JointKind::PointOnCurve => vec![],
            JointKind::Spherical
            | JointKind::Universal
            | JointKind::ConstantVelocity
            | JointKind::Fixed
            | JointKind::Distance => vec![],
        }
    }
}
