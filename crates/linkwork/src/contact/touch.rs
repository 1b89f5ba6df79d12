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

use crate::interactions::{BodyIndex, Direction, Motion, Spot};
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A ball about a spot of b, radius 0 for a point, above a plane of a.
    BallOnPlane {
        /// A spot of the plane.
        plane: Spot,
        /// Its normal, unit length, out of a.
        normal: Direction,
        /// The centre, on b.
        centre: Spot,
        /// m
        radius: f64,
    },
    /// Two balls about spots of a and b, side by side.
    Balls {
        /// The centre on a.
        first: Spot,
        /// The centre on b.
        second: Spot,
        /// Of a and of b, m.
        radii: [f64; 2],
    },
}

impl Feature {
    /// a and b.
    pub fn bodies(&self) -> [BodyIndex; 2] {
        match self {
            Feature::BallOnPlane { plane, centre, .. } => [plane.body, centre.body],
            Feature::Balls { first, second, .. } => [first.body, second.body],
        }
    }

    /// Whether the place where they touch is a fixed spot of one of them, as a corner is: where such a contact sticks, it
    /// stays in its place. A ball that sticks rolls.
    pub fn is_corner(&self) -> bool {
        match self {
            Feature::BallOnPlane { radius, .. } => *radius == 0.0,
            Feature::Balls { radii, .. } => radii[0] == 0.0 || radii[1] == 0.0,
        }
    }

    /// Where it stands.
    pub fn touch(&self, bodies: &[Motion]) -> Touch {
        match self {
            Feature::BallOnPlane { plane, normal, centre, radius } => {
                let (o, c) = (plane.at(bodies), centre.at(bodies));
                let w = normal.body.map_or([0.0; 3], |b| bodies[b].w);
                let n = normal.at(bodies);
                let n_dot = cross(w, n);
                let (d, d_dot) = (sub(c.r, o.r), sub(c.v, o.v));
                Touch {
                    gap: dot(n, d) - radius,
                    rate: dot(n, d_dot) + dot(n_dot, d),
                    bias: dot(n, sub(c.bias, o.bias)) + 2.0 * dot(n_dot, d_dot) + dot(cross(w, n_dot), d),
                    point: axpy(c.r, -radius, n),
                    point_rate: axpy(c.v, -radius, n_dot),
                    normal: n,
                    normal_rate: n_dot,
                }
            }
            Feature::Balls { first, second, radii } => {
                let (p, q) = (first.at(bodies), second.at(bodies));
                let (d, d_dot) = (sub(q.r, p.r), sub(q.v, p.v));
                let length = norm(d);
                if length == 0.0 {
                    // one inside the other: no direction is better than another
                    return Touch {
                        gap: -radii[0] - radii[1],
                        point: p.r,
                        normal: [0.0, 1.0, 0.0],
                        ..Default::default()
                    };
                }
                let n = scale(1.0 / length, d);
                let rate = dot(n, d_dot);
                let n_dot = scale(1.0 / length, axpy(d_dot, -rate, n));
                Touch {
                    gap: length - radii[0] - radii[1],
                    rate,
                    bias: dot(n, sub(q.bias, p.bias)) + dot(n_dot, d_dot),
                    point: axpy(p.r, radii[0], n),
                    point_rate: axpy(p.v, radii[0], n_dot),
                    normal: n,
                    normal_rate: n_dot,
                }
            }
        }
    }
}
