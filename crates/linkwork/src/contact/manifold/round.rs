//! Balls against planes, balls, boxes and cylinders: one point each, from the closed forms of the features.

use super::super::solids::{Block, Can};
use super::super::{Surface, Touch, balls as features, solids};
use super::ContactPoint;
use crate::interactions::{BodyPoint, Motion};
use crate::linalg::vec3::axpy;

/// A touch whose point lies on b's surface (`-1`) or a's (`1`), as a contact point with the place midway.
fn single(touch: &Touch, side: f64, reach: f64, out: &mut Vec<ContactPoint>) {
    if touch.gap < reach {
        let point = axpy(touch.point, 0.5 * side * touch.gap, touch.normal);
        out.push(ContactPoint { gap: touch.gap, point, normal: touch.normal, key: 0 });
    }
}

/// Two balls.
pub(super) fn balls(
    [a, b]: [&Surface; 2],
    radii: [f64; 2],
    bodies: &[Motion],
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    single(&features::balls([&a.at, &b.at], radii, bodies), 1.0, reach, out);
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
    single(&solids::ball_on_block(block, centre, radius, bodies), -1.0, reach, out);
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
    single(&solids::ball_on_can(can, centre, radius, bodies), -1.0, reach, out);
}
