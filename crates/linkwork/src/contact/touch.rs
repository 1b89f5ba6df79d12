//! The places where two surfaces come closest, at an instant.
//!
//! Body a, then body b; n points from a to b where they touch, p is the place between them, and g the gap:
//!
//!   (T1)  ġ = n·(v_b(p) − v_a(p))                       the velocities of the material of both at p
//!   (T2)  g̈ = n·(c̈_b + ω̇_b × (p − c_b) − c̈_a − ω̇_a × (p − c_a)) + bias
//!   (T3)  s = v_b(p) − v_a(p) − n ġ                     the slip
//!
//! so a push N of the contact is the force N n on b and −N n on a, both at p. The bias is g̈ with c̈ = ω̇ = 0: it holds the
//! curvature of the surfaces. p moves over both surfaces; ṗ and ṅ are its rate and the normal's, which the rate of
//! the slip needs.
//!
//! Some features hold in a region only, as a corner over a face does. Beyond it the gap is positive and larger by how far the feature
//! is out of it ([`Feature::beyond`]), so that the gap is continuous and no false contact arises; all else stays as it is
//! in the region, so that (T1) and (T2) always speak of n, while the gap's own slope differs there.

use super::solids::{Block, Can, ball_on_block, ball_on_can};
use super::{Surface, balls, boxes, manifold, rims};
use crate::interactions::{BodyIndex, BodyPoint, Direction, Motion, motion_of};
use crate::linalg::vec3::{Vec3, add, axpy, cross, dot, scale, sub};
use std::sync::Arc;

/// A contact at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// g, m; negative where the surfaces overlap.
    pub gap: f64,
    /// ġ, m/s.
    pub rate: f64,
    /// g̈ with c̈ = ω̇ = 0, m/s².
    pub bias: f64,
    /// p
    pub point: Vec3,
    /// ṗ, m/s.
    pub point_rate: Vec3,
    /// n, unit length, from a to b.
    pub normal: Vec3,
    /// ṅ, 1/s.
    pub normal_rate: Vec3,
}

/// A way in which two bodies can touch.
#[derive(Clone, Debug, PartialEq)]
pub enum Feature {
    /// A ball about a spot of b, radius 0 for a point, above a plane of a.
    BallOnPlane {
        /// A spot of the plane.
        plane: BodyPoint,
        /// Its normal, unit length, out of a.
        normal: Direction,
        /// The centre, on b.
        centre: BodyPoint,
        /// m
        radius: f64,
    },
    /// Two balls about spots of a and b, side by side.
    Balls {
        /// The centre on a.
        first: BodyPoint,
        /// The centre on b.
        second: BodyPoint,
        /// Of a and of b, m.
        radii: [f64; 2],
    },
    /// A ball about a spot of b, radius 0 for a point, and a box of a.
    BallOnBox {
        /// The box, on a.
        block: Block,
        /// The centre, on b.
        centre: BodyPoint,
        /// m
        radius: f64,
    },
    /// A ball about a spot of b, radius 0 for a point, and a cylinder of a.
    BallOnCylinder {
        /// The cylinder, on a.
        can: Can,
        /// The centre, on b.
        centre: BodyPoint,
        /// m
        radius: f64,
    },
    /// The lowest point of the rim of a cylinder of b above a plane of a.
    RimOnPlane {
        /// A spot of the plane.
        plane: BodyPoint,
        /// Its normal, unit length, out of a.
        normal: Direction,
        /// The middle of the cap, on b.
        cap: BodyPoint,
        /// The axis of the cylinder, unit length, on b.
        axis: Direction,
        /// m
        radius: f64,
    },
    /// A fixed point of the rim of a cylinder of b that stands on a plane of a.
    CapOnPlane {
        /// A spot of the plane.
        plane: BodyPoint,
        /// Its normal, unit length, out of a.
        normal: Direction,
        /// The point of the rim, on b.
        point: BodyPoint,
        /// The axis of the cylinder, unit length, on b.
        axis: Direction,
        /// m
        radius: f64,
    },
    /// A corner of a box of b over a face of a box of a.
    CornerOnBox {
        /// The box of a.
        block: Block,
        /// The box of b.
        other: Block,
        /// The corner of that.
        corner: BodyPoint,
        /// Whether the border of the face belongs to it.
        border: bool,
    },
    /// Two edges of boxes of a and b, of the faces that look at each other.
    EdgesOfBoxes {
        /// The boxes.
        blocks: [Block; 2],
        /// Which edges: four times that of a, plus that of b.
        number: usize,
    },
    /// Two surfaces as a whole, for methods that step through contacts: the deepest point of their manifold.
    Surfaces(Arc<SurfacePair>),
}

/// Two surfaces of which the event-driven method knows no features.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// Of a and of b.
    pub surfaces: [Surface; 2],
    /// Whether all motion is in x and y.
    pub planar: bool,
}

impl SurfacePair {
    /// The deepest point: gap, place and normal, and rates of the material there. The bias is not known.
    fn touch(&self, bodies: &[Motion]) -> Touch {
        let [a, b] = &self.surfaces;
        let mut points = Vec::with_capacity(manifold::MAX_POINTS);
        manifold::manifold(a, b, bodies, self.planar, f64::INFINITY, &mut points);
        let Some(point) = points.into_iter().min_by(|p, q| p.gap.total_cmp(&q.gap)) else {
            return Touch { gap: f64::NAN, ..Touch::default() };
        };
        let velocity = |body: BodyIndex| {
            let m = motion_of(bodies, body);
            axpy(m.v, 1.0, cross(m.w, sub(point.point, m.c)))
        };
        let [p, q] = [a.body(), b.body()].map(velocity);
        Touch {
            gap: point.gap,
            rate: dot(point.normal, sub(q, p)), // (T1)
            point: point.point,
            point_rate: scale(0.5, add(p, q)),
            normal: point.normal,
            ..Touch::default()
        }
    }
}

impl Feature {
    /// a and b.
    pub fn bodies(&self) -> [BodyIndex; 2] {
        match self {
            Feature::BallOnPlane { plane, centre, .. } => [plane.body, centre.body],
            Feature::Balls { first, second, .. } => [first.body, second.body],
            Feature::BallOnBox { block, centre, .. } => [block.body(), centre.body],
            Feature::BallOnCylinder { can, centre, .. } => [can.body(), centre.body],
            Feature::RimOnPlane { plane, cap, .. } => [plane.body, cap.body],
            Feature::CapOnPlane { plane, point, .. } => [plane.body, point.body],
            Feature::CornerOnBox { block, other, .. } => [block.body(), other.body()],
            Feature::EdgesOfBoxes { blocks: [a, b], .. } => [a.body(), b.body()],
            Feature::Surfaces(pair) => [pair.surfaces[0].body(), pair.surfaces[1].body()],
        }
    }

    /// Whether the place where they touch is a fixed spot of one of them, as a corner is: where such a contact sticks, it
    /// stays in its place. A ball that sticks rolls.
    pub fn is_corner(&self) -> bool {
        match self {
            Feature::BallOnPlane { radius, .. } => *radius == 0.0,
            Feature::Balls { radii, .. } => radii[0] == 0.0 || radii[1] == 0.0,
            Feature::BallOnBox { radius, .. } | Feature::BallOnCylinder { radius, .. } => *radius == 0.0,
            Feature::CapOnPlane { .. } | Feature::CornerOnBox { .. } => true,
            Feature::RimOnPlane { .. } | Feature::EdgesOfBoxes { .. } | Feature::Surfaces(_) => false,
        }
    }

    /// Whether a ball touches: at one place only, wherever it turns to. Corners, edges and rims come together in faces.
    pub fn is_round(&self) -> bool {
        match self {
            Feature::BallOnPlane { radius, .. }
            | Feature::BallOnBox { radius, .. }
            | Feature::BallOnCylinder { radius, .. } => *radius > 0.0,
            Feature::Balls { radii, .. } => radii[0] > 0.0 || radii[1] > 0.0,
            Feature::CapOnPlane { .. } | Feature::CornerOnBox { .. } => false,
            Feature::RimOnPlane { .. } | Feature::EdgesOfBoxes { .. } | Feature::Surfaces(_) => false,
        }
    }

    /// Where it stands.
    pub fn touch(&self, bodies: &[Motion]) -> Touch {
        let (mut touch, beyond) = self.evaluate(bodies);
        if beyond > 0.0 {
            touch.gap = touch.gap.max(0.0) + beyond;
        }
        touch
    }

    /// How far the feature is out of the region in which it holds, m: part of the gap where it is positive; how far
    /// from the border inside where negative. -∞ if it holds everywhere.
    pub fn beyond(&self, bodies: &[Motion]) -> f64 {
        self.evaluate(bodies).1
    }

    fn evaluate(&self, bodies: &[Motion]) -> (Touch, f64) {
        let touch = match self {
            Feature::CornerOnBox { block, other, corner, border } => {
                return boxes::corner_on_block(block, other, corner, *border, bodies);
            }
            Feature::EdgesOfBoxes { blocks: [a, b], number } => {
                return boxes::crossing([a, b], *number, bodies);
            }
            Feature::CapOnPlane { plane, normal, point, axis, radius } => {
                let touch = balls::ball_on_plane(plane, normal, point, 0.0, bodies);
                return (touch, rims::tilt(normal, axis, *radius, bodies));
            }
            Feature::BallOnPlane { plane, normal, centre, radius } => {
                balls::ball_on_plane(plane, normal, centre, *radius, bodies)
            }
            Feature::Balls { first, second, radii } => balls::balls([first, second], *radii, bodies),
            Feature::BallOnBox { block, centre, radius } => ball_on_block(block, centre, *radius, bodies),
            Feature::BallOnCylinder { can, centre, radius } => ball_on_can(can, centre, *radius, bodies),
            Feature::RimOnPlane { plane, normal, cap, axis, radius } => {
                rims::rim_on_plane(plane, normal, cap, axis, *radius, bodies)
            }
            Feature::Surfaces(pair) => pair.touch(bodies),
        };
        (touch, f64::NEG_INFINITY)
    }
}
