//! Planes and solids on bodies, and the ways in which two of them meet.
//!
//! | | plane | ball, point | box | cylinder |
//! |---|---|---|---|---|
//! | **plane** | – | 1 | corners | rims and points of them |
//! | **ball, point** | | 1 | 1 | 1 |
//! | **box** | | | corners of both, crossing edges | – |
//! | **cylinder** | | | | – |
//!
//! Two planes are not finite. Rims of cylinders against edges and other rims need roots of polynomials of degree four and eight that
//! do not come out exact to rounding near double roots; what is missing there would let bodies through. So these pairs have no features, nor have capsules and hulls: they have
//! [manifolds](super::manifold), for methods that step through contacts. In the plane a cylinder is a ball (a disc) or a box (a rectangle), and has all features.

use super::boxes::{self, CROSSINGS};
use super::rims::FIXED_POINTS;
use super::solids::{Block, Can};
use super::{Feature, Hull, manifold};
use crate::interactions::{BodyIndex, BodyPoint, Direction, Motion, motion_of};
use crate::linalg::vec3::{Vec3, apply, dot, norm, sub};
use std::sync::Arc;

/// A surface that can touch others.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its middle; a spot of a plane.
    pub at: BodyPoint,
    /// What it is.
    pub form: Form,
}

/// What a surface is.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A half-space.
    Plane {
        /// Out of the body, unit length, as drawn.
        normal: Vec3,
    },
    /// A ball; a point if its radius is zero.
    Ball {
        /// m
        radius: f64,
    },
    /// A box.
    Block(Block),
    /// A cylinder in space.
    Can(Can),
    /// A cylinder with round ends.
    Capsule {
        /// Unit length, as drawn.
        axis: Vec3,
        /// Half the distance between the centres of its ends, m.
        half: f64,
        /// m
        radius: f64,
    },
    /// A convex polyhedron about the middle of the surface; a convex polygon in the plane.
    Hull(Arc<Hull>),
}

impl Surface {
    /// The body it is part of.
    pub fn body(&self) -> BodyIndex {
        self.at.body
    }

    /// No point of it is farther from its middle, m; infinite for a plane.
    pub fn reach(&self) -> f64 {
        match &self.form {
            Form::Plane { .. } => f64::INFINITY,
            Form::Ball { radius } => *radius,
            Form::Block(block) => block.reach(),
            Form::Can(can) => can.reach(),
            Form::Capsule { half, radius, .. } => half + radius,
            Form::Hull(hull) => hull.reach(),
        }
    }

    /// Half its extent along the three world axes, m.
    pub(super) fn extent(&self, bodies: &[Motion]) -> Vec3 {
        match &self.form {
            Form::Plane { .. } => [f64::INFINITY; 3],
            Form::Ball { radius } => [*radius; 3],
            Form::Block(block) => {
                let axes = block.at(bodies).axes;
                std::array::from_fn(|i| {
                    (0..block.directions()).map(|k| block.half[k] * axes[k][i].abs()).sum()
                })
            }
            Form::Can(can) => {
                let a = apply(&motion_of(bodies, can.body()).turned, can.axis);
                a.map(|x| can.half * x.abs() + can.radius * (1.0 - x * x).max(0.0).sqrt())
            }
            Form::Capsule { axis, half, radius } => {
                let a = apply(&motion_of(bodies, self.body()).turned, *axis);
                a.map(|x| half * x.abs() + radius)
            }
            Form::Hull(hull) => {
                let turned = &motion_of(bodies, self.body()).turned;
                let corners = hull.corners().iter().map(|&x| apply(turned, x));
                corners.fold([0.0; 3], |e, x| std::array::from_fn(|i| f64::max(e[i], x[i].abs())))
            }
        }
    }

    /// How far its nearest point is above a plane, at least, m.
    pub(super) fn above(&self, plane: &BodyPoint, normal: Vec3, bodies: &[Motion]) -> f64 {
        let n = apply(&motion_of(bodies, plane.body).turned, normal);
        dot(n, sub(self.at.at(bodies).r, plane.at(bodies).r)) - self.reach()
    }

    /// How far two surfaces are apart, at least, m: by the balls around them.
    pub fn apart(&self, other: &Surface, bodies: &[Motion]) -> f64 {
        match (&self.form, &other.form) {
            (Form::Plane { normal }, _) => other.above(&self.at, *normal, bodies),
            (_, Form::Plane { normal }) => self.above(&other.at, *normal, bodies),
            _ => norm(sub(self.at.at(bodies).r, other.at.at(bodies).r)) - self.reach() - other.reach(),
        }
    }

    /// The features in which two surfaces can meet; `None` if these are not known.
    pub fn meet(&self, other: &Surface) -> Option<Vec<Feature>> {
        let features = match (&self.form, &other.form) {
            (Form::Capsule { .. } | Form::Hull(_), _) | (_, Form::Capsule { .. } | Form::Hull(_)) => {
                return None;
            }
            (Form::Plane { normal }, form) => {
                let plane = self.at;
                let normal = Direction { body: plane.body, u: *normal };
                let ball = |centre, radius| Feature::BallOnPlane { plane, normal, centre, radius };
                match form {
                    Form::Plane { .. } | Form::Capsule { .. } | Form::Hull(_) => return None,
                    Form::Ball { radius } => vec![ball(other.at, *radius)],
                    Form::Block(block) => (0..block.corners()).map(|c| ball(block.corner(c), 0.0)).collect(),
                    Form::Can(can) => can_on_plane(plane, normal, can),
                }
            }
            (Form::Ball { radius: a }, Form::Ball { radius: b }) => {
                vec![Feature::Balls { first: self.at, second: other.at, radii: [*a, *b] }]
            }
            (Form::Block(block), Form::Ball { radius }) => {
                vec![Feature::BallOnBox { block: *block, centre: other.at, radius: *radius }]
            }
            (Form::Can(can), Form::Ball { radius }) => {
                vec![Feature::BallOnCylinder { can: *can, centre: other.at, radius: *radius }]
            }
            (Form::Block(a), Form::Block(b)) => blocks(a, b),
            (Form::Can(_), Form::Can(_) | Form::Block(_)) | (Form::Block(_), Form::Can(_)) => return None,
            (Form::Ball { .. }, _) | (_, Form::Plane { .. }) => return other.meet(self),
        };
        Some(features)
    }

    /// How far two surfaces overlap, m; negative if they do not.
    pub fn depth(&self, other: &Surface, bodies: &[Motion], planar: bool) -> f64 {
        if let (Form::Block(a), Form::Block(b)) = (&self.form, &other.form) {
            return -boxes::separation([a, b], bodies).0;
        }
        let mut points = Vec::new();
        manifold(self, other, bodies, planar, f64::INFINITY, &mut points);
        points.iter().map(|point| -point.gap).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether its touches act on the line of a body that cannot turn about itself, given a direction of that line (zero for a
    /// single particle): its centre lies on the line, and it is round.
    pub fn centred(&self, line: Vec3, tolerance: f64) -> bool {
        let across = sub(self.at.s, line.map(|x| x * dot(self.at.s, line)));
        matches!(self.form, Form::Ball { .. }) && norm(across) <= tolerance
    }
}

fn can_on_plane(plane: BodyPoint, normal: Direction, can: &Can) -> Vec<Feature> {
    let (axis, radius) = (can.direction(), can.radius);
    let mut features = Vec::new();
    for end in 0..2 {
        features.push(Feature::RimOnPlane { plane, normal, cap: can.cap(end), axis, radius });
    }
    for end in 0..2 {
        for number in 0..FIXED_POINTS {
            let point = can.rim_point(end, number);
            features.push(Feature::CapOnPlane { plane, normal, point, axis, radius });
        }
    }
    features
}

fn blocks(a: &Block, b: &Block) -> Vec<Feature> {
    let mut features = Vec::new();
    for (block, other, border) in [(*a, *b, true), (*b, *a, false)] {
        for c in 0..other.corners() {
            let corner = other.corner(c);
            features.push(Feature::CornerOnBox { block, other, corner, border });
        }
    }
    if a.directions() == 3 {
        let crossing = |number| Feature::EdgesOfBoxes { blocks: [*a, *b], number };
        features.extend((0..CROSSINGS).map(crossing));
    }
    features
}
