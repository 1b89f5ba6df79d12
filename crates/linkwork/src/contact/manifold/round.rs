//! Balls against planes, balls, boxes and cylinders: one point each, from the closed forms of the features.

use super::super::solids::{Block, Can};
use super::super::{Surface, Touch, solids};
use super::ContactPoint;
use crate::interactions::{BodyPoint, Motion, motion_of};
use crate::linalg::vec3::{add, apply, axpy, norm, scale, sub};

/// A touch, whose point lies on the ball b, as a contact point with the place midway.
fn single(touch: &Touch, reach: f64, out: &mut Vec<ContactPoint>) {
    if touch.gap < reach {
        let point = axpy(touch.point, -0.5 * touch.gap, touch.normal);
        out.push(ContactPoint { gap: touch.gap, point, normal: touch.normal, key: 0 });
    }
}

/// Two balls; as the feature, without rates.
pub(super) fn balls(
    surfaces: [&Surface; 2],
    radii: [f64; 2],
    bodies: &[Motion],
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let [p, q] = surfaces.map(|s| {
        let motion = motion_of(bodies, s.body());
        add(motion.c, apply(&motion.turned, s.at.s))
    });
    let d = sub(q, p);
    let length = norm(d);
    let gap = length - radii[0] - radii[1];
    if gap < reach {
        // one inside the other: no direction is better than another
        let normal = if length > 0.0 { scale(1.0 / length, d) } else { [0.0, 1.0, 0.0] };
        let point = axpy(p, radii[0] + 0.5 * gap, normal);
        out.push(ContactPoint { gap, point, normal, key: 0 });
    }
}

/// A box a and a ball b.
pub(super) fn ball_on_block(
    block: &Block,
    centre: &BodyPoint,
    radius: f64,
    bodies: &[Motion],
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    single(&solids::ball_on_block(block, centre, radius, bodies), reach, out);
}

/// A cylinder a and a ball b.
pub(super) fn ball_on_can(
    can: &Can,
    centre: &BodyPoint,
    radius: f64,
    bodies: &[Motion],
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    single(&solids::ball_on_can(can, centre, radius, bodies), reach, out);
}
