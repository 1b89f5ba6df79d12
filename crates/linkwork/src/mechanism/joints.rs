//! Joints: what each kind demands, written with points only.
//!
//! Shared nodes need no equation. What a joint demands beyond them is written as scalar products
//! between a vector of the second body and a vector of the first ([`Dot`]) or a distance, with auxiliary points
//! that the bodies carry for the purpose. Rows that a carrying joint keeps stand last (`tree`).

use super::features::{BodyIndex, Features};
use crate::constraints::{Constraint, Distance, Dot};
use crate::joints::{Demand, Vector};
use crate::linalg::vec3::{IDENTITY, Vec3, add, any_perpendicular, axpy, cross, dot, norm, scale, sub, unit};
use crate::model::{Axis, Dimension, Joint};

/// A constraint row in terms of occurrences, before nodes are numbered.
pub struct RowSpec {
    /// The equation; its nodes are occurrences.
    pub constraint: Constraint,
    /// The body on which each end's force acts, in the order of the nodes.
    pub acts_on: Vec<BodyIndex>,
    /// What is held, for people.
    pub what: &'static str,
}

/// What a joint of the model becomes.
pub struct JointSpec {
    /// The joint's point on the first and second body.
    pub sides: [usize; 2],
    /// Direction of the axis in the first body, as drawn; unit length.
    pub axis: Option<Vec3>,
    /// That of the axis in the second body, square to the first.
    pub axis2: Option<Vec3>,
    /// Rows beyond the shared node.
    pub rows: Vec<RowSpec>,
}

/// The direction that an axis means, as drawn.
pub fn direction(axis: &Axis, features: &Features) -> Option<Vec3> {
    let v = match axis {
        Axis::Vector(v) => *v,
        Axis::Points(p, q) => sub(features.drawn(q)?, features.drawn(p)?),
    };
    (norm(v) > 0.0).then(|| unit(v))
}

/// The rows of a joint. With `shares_axis` the bodies share two nodes of a hinge's axis already.
pub fn specify(
    joint: &Joint,
    features: &mut Features,
    dimension: Dimension,
    shares_axis: bool,
) -> Option<JointSpec> {
    let sides = [features.side(joint, 0)?, features.side(joint, 1)?];
    let bodies = [features.list[sides[0]].body, features.list[sides[1]].body];
    let axis = joint.axis().and_then(|a| direction(a, features));
    let axis2 = joint.axis2().and_then(|a| direction(a, features));
    let planar = dimension == Dimension::Planar;
    let demands = joint.kind().freedom(planar).demands;
    // the drawing may be off by rounding
    let square =
        demands.iter().any(|demand| matches!(demand, Demand::Square(Vector::Axis, Vector::Axis2, _)));
    let axis2 = match axis {
        Some(u) if square => axis2.map(|w| unit(axpy(w, -dot(u, w), u))),
        _ => axis2,
    };
    let l = features.reach(bodies);
    let at = sides.map(|s| features.list[s].at);
    let mut spec = JointSpec { sides, axis, axis2, rows: Vec::new() };
    let frame = Frame::new(axis, axis2, planar);
    for demand in demands {
        let turns = matches!(demand, Demand::Square(..));
        if shares_axis && turns && joint.kind().descriptor().hinge {
            continue;
        }
        // (vector of the second body, or from the first's point to the second's) · (vector of the first)
        let (first, from_second, what) = match *demand {
            Demand::Across(first, what) => (frame.of(first), None, what),
            Demand::Square(first, second, what) => (frame.of(first), Some(frame.of(second)), what),
            Demand::Distance(what) => {
                let drawn = || Some(norm(sub(features.drawn(&joint.at[1])?, features.drawn(&joint.at[0])?)));
                let length = joint.data.described().length().or_else(drawn)?;
                let [a, b] = sides;
                let constraint = Constraint::Distance(Distance { a, b, length });
                spec.rows.push(RowSpec { constraint, acts_on: bodies.to_vec(), what });
                continue;
            }
        };
        let n = features.auxiliary(bodies[0], add(at[0], scale(l, first)));
        let (start, end, start_body) = match from_second {
            Some(second) => {
                (sides[1], features.auxiliary(bodies[1], add(at[1], scale(l, second))), bodies[1])
            }
            None => (sides[0], sides[1], bodies[0]),
        };
        spec.rows.push(RowSpec {
            constraint: Constraint::Dot(Dot { nodes: [start, end, sides[0], n], value: 0.0, scale: l }),
            acts_on: vec![start_body, bodies[1], bodies[0], bodies[0]],
            what,
        });
    }
    Some(spec)
}

/// The vectors of a joint as drawn.
pub(crate) struct Frame {
    axis: Vec3,
    side: Vec3,
    axis2: Option<Vec3>,
}

impl Frame {
    /// From the axes, as far as the joint has any.
    pub fn new(axis: Option<Vec3>, axis2: Option<Vec3>, planar: bool) -> Self {
        let axis = axis.unwrap_or([1.0, 0.0, 0.0]);
        let side = if planar { cross([0.0, 0.0, 1.0], axis) } else { any_perpendicular(axis) };
        Frame { axis, side, axis2 }
    }

    /// A vector of the joint.
    pub fn of(&self, vector: Vector) -> Vec3 {
        match vector {
            Vector::Axis => self.axis,
            Vector::Side => self.side,
            Vector::Normal => cross(self.axis, self.side),
            Vector::Axis2 => self.axis2.unwrap_or(self.side),
            Vector::X => IDENTITY[0],
            Vector::Y => IDENTITY[1],
            Vector::Z => IDENTITY[2],
        }
    }
}
