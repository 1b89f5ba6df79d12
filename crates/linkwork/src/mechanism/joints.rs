//! Joints: what each kind demands, written with points only.
//!
//! Shared nodes need no equation. What a joint demands beyond them is written as scalar products
//! between a vector of the second body and a vector of the first ([`Dot`]) or a distance, with auxiliary points
//! that the bodies carry for the purpose. Rows that a carrying joint keeps stand last (`tree`).

use super::features::{BodyIndex, Features};
use crate::constraints::{Constraint, Distance, Dot};
use crate::linalg::vec3::{Vec3, add, any_perpendicular, axpy, cross, dot, norm, scale, sub, unit};
use crate::model::{Axis, Dimension, Joint, JointKind};

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
    let axis = joint.axis.as_ref().and_then(|a| direction(a, features));
    let axis2 = joint.axis2.as_ref().and_then(|a| direction(a, features));
    // the drawing may be off by rounding
    let axis2 = match joint.kind {
        JointKind::Universal => axis2.map(|w| axis.map_or(w, |u| unit(axpy(w, -dot(u, w), u)))),
        _ => axis2,
    };
    let planar = dimension == Dimension::Planar;
    let l = features.reach(bodies);
    let at = sides.map(|s| features.list[s].at);
    let mut spec = JointSpec { sides, axis, axis2, rows: Vec::new() };
    if joint.kind == JointKind::Distance {
        let drawn = || Some(norm(sub(features.drawn(&joint.at[1])?, features.drawn(&joint.at[0])?)));
        let length = joint.length.or_else(drawn)?;
        let [a, b] = sides;
        spec.rows.push(RowSpec {
            constraint: Constraint::Distance(Distance { a, b, length }),
            acts_on: bodies.to_vec(),
            what: "distance",
        });
    }

    // Frames: u along the axis, n1 and n2 across it (in the plane n1 only).
    let u = axis.unwrap_or([1.0, 0.0, 0.0]);
    let n1 = if planar { cross([0.0, 0.0, 1.0], u) } else { any_perpendicular(u) };
    let n2 = cross(u, n1);
    let mut across = |spec: &mut JointSpec, first: Vec3, from_second: Option<Vec3>, what: &'static str| {
        // (vector of the second body, or from the first's point to the second's) · (vector of the first)
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
    };
    match (joint.kind, planar) {
        (JointKind::Spherical | JointKind::Floating | JointKind::Distance, _)
        | (JointKind::Revolute, true) => {}
        // the rest of these is coupling (`coupling_joints`)
        (JointKind::ConstantVelocity | JointKind::Gear | JointKind::RackAndPinion, _)
        | (JointKind::Rolling | JointKind::PointOnCurve, _) => {}
        (JointKind::Revolute, false) => {
            if !shares_axis {
                across(&mut spec, n1, Some(u), "tilt 1");
                across(&mut spec, n2, Some(u), "tilt 2");
            }
        }
        (JointKind::Fixed, true) => across(&mut spec, n1, Some(u), "turn"),
        (JointKind::Fixed, false) => {
            let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            across(&mut spec, y, Some(x), "turn about z");
            across(&mut spec, z, Some(x), "turn about y");
            across(&mut spec, z, Some(y), "turn about x");
        }
        (JointKind::Universal, _) => across(&mut spec, u, axis2, "angle of the axes"),
        (JointKind::PointOnPlane, _) => across(&mut spec, u, None, "off the plane"),
        (JointKind::Planar, _) => {
            across(&mut spec, u, None, "off the plane");
            across(&mut spec, n1, Some(u), "tilt 1");
            across(&mut spec, n2, Some(u), "tilt 2");
        }
        (JointKind::PointOnLine | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw, _) => {
            debug_assert!(joint.kind.slides());
            across(&mut spec, n1, None, "across the line");
            if !planar {
                across(&mut spec, n2, None, "across the line 2");
            }
            if joint.kind != JointKind::PointOnLine {
                across(&mut spec, n1, Some(u), if planar { "turn" } else { "tilt 1" });
                if !planar {
                    across(&mut spec, n2, Some(u), "tilt 2");
                }
            }
            if joint.kind == JointKind::Prismatic && !planar {
                across(&mut spec, n2, Some(n1), "turn");
            }
        }
    }
    debug_assert!(dot(u, n1).abs() < 1e-12);
    Some(spec)
}
