//! Contact manifolds: the points in which two surfaces touch, for methods that step through contacts instead of stopping at each.
//!
//! Two convex surfaces A and B are apart along a unit vector n by
//!
//!   (M1)  σ(n) = min over B of n·x − max over A of n·x
//!
//! and their signed distance is the largest σ: the distance where they are apart, minus the least translation that parts them where
//! they overlap. A manifold has a point with this gap and this normal, and besides it as many as hold the patch in which faces that
//! lie on each other meet, each with its own gap:
//!
//! | | plane | ball, point | capsule | box | cylinder | hull |
//! |---|---|---|---|---|---|---|
//! | **plane** | – | 1 | 2 | corners | 8 of a rim, 2 of a side | corners |
//! | **ball, point** | | 1 | 1 | 1 | 1 | 1 |
//! | **others** | | | patch | patch | patch | patch |
//!
//! Pairs with a ball are closed forms, as are two capsules; boxes are tried along 15 directions (`boxes`), other pairs by the distance of
//! convex sets from supports (`distance`) or, where they overlap, by growing a polytope in their difference (`depth`). `patch` then
//! makes the points. In the plane everything is a polygon with a rounding radius (`flat`).

mod depth;
mod distance;
mod flat;
mod patch;
mod placed;
mod polish;
mod reduce;
mod round;
mod solid;

#[cfg(test)]
mod tests;

use super::{Form, Surface};
use crate::interactions::Motion;
use crate::linalg::vec3::{Vec3, scale};

/// A point of contact between two surfaces a and b at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Signed distance along the normal, m; negative where they overlap.
    pub gap: f64,
    /// Midway between the two surfaces' points, world axes.
    pub point: Vec3,
    /// Unit length, from a to b.
    pub normal: Vec3,
    /// Identity of the point, which stays the same while the same features touch.
    pub key: u32,
}

/// The most points of a pair.
pub const MAX_POINTS: usize = 8;

/// Contact points of two surfaces that touch or are nearer than `reach`, appended to `out`: at most [`MAX_POINTS`], none if they are
/// farther apart. Two planes have none.
pub fn manifold(
    a: &Surface,
    b: &Surface,
    bodies: &[Motion],
    planar: bool,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    match (&a.form, &b.form) {
        (Form::Plane { .. }, Form::Plane { .. }) => {}
        (Form::Plane { normal }, _) => solid::on_plane(&a.at, *normal, b, bodies, reach, out),
        (Form::Ball { radius: r }, Form::Ball { radius: s }) => {
            round::balls([a, b], [*r, *s], bodies, reach, out)
        }
        (Form::Block(block), Form::Ball { radius }) => {
            round::ball_on_block(block, &b.at, *radius, bodies, reach, out)
        }
        (Form::Can(can), Form::Ball { radius }) => {
            round::ball_on_can(can, &b.at, *radius, bodies, reach, out)
        }
        (_, Form::Plane { .. }) | (Form::Ball { .. }, Form::Block(_) | Form::Can(_)) => {
            manifold(b, a, bodies, planar, reach, out);
            out[first..].iter_mut().for_each(ContactPoint::turn);
        }
        _ if planar => flat::polygons([a, b], bodies, reach, out),
        _ => solid::solids([a, b], bodies, reach, out),
    }
    reduce::to_most(MAX_POINTS, first, out);
}

impl ContactPoint {
    /// The same point with a and b exchanged.
    fn turn(&mut self) {
        self.normal = scale(-1.0, self.normal);
        self.key = self.key.rotate_left(16);
    }
}
