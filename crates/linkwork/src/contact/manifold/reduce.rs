//! Reduction of a patch with many corners to a few that hold nearly as much.

use super::ContactPoint;
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};

/// Points of a patch that differ by less than this part of its extent, in depth or along a direction, are equal: the one with the smaller key counts.
const EQUAL: f64 = 1e-5;
/// Angle of the first direction: edges and corners of most shapes lie at none such.
const FIRST: f64 = 0.3;

/// Keeps the deepest of the points from `first` on, and those that reach farthest in evenly spread directions of the patch.
///
/// The directions follow from the normal alone, and what is nearly equal is chosen by key: so points that hardly change are chosen again.
pub(super) fn to_most(most: usize, first: usize, out: &mut Vec<ContactPoint>) {
    let count = out.len() - first;
    if count <= most {
        return;
    }
    let points = &mut out[first..];
    points.sort_unstable_by_key(|point| point.key);
    let middle = points[0].point;
    let extent = points.iter().map(|p| norm(sub(p.point, middle))).fold(0.0, f64::max);
    let [e, f] = across(points[0].normal);
    choose(points, 0, EQUAL * extent, |p| -p.gap);
    for kept in 1..most {
        let (sin, cos) = (FIRST + std::f64::consts::TAU * kept as f64 / (most - 1) as f64).sin_cos();
        let along = axpy(scale(cos, e), sin, f);
        choose(points, kept, EQUAL * extent, |p| dot(along, p.point));
    }
    out.truncate(first + most);
}

/// Moves the largest of the points from `kept` on to there; the others stay in the order of their keys.
fn choose(points: &mut [ContactPoint], kept: usize, equal: f64, value: impl Fn(&ContactPoint) -> f64) {
    let largest = points[kept..].iter().map(&value).fold(f64::NEG_INFINITY, f64::max);
    if let Some(best) = points[kept..].iter().position(|p| value(p) >= largest - equal) {
        points[kept..=kept + best].rotate_right(1);
    }
}

/// Two directions across a normal. Small changes of the normal change them little, but where a coarse rounding of it changes.
fn across(normal: Vec3) -> [Vec3; 2] {
    let coarse = normal.map(|x| (64.0 * x.abs()).round());
    let least = (1..3).fold(0, |best, k| if coarse[k] < coarse[best] { k } else { best });
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let e = axpy(axis, -normal[least], normal);
    let e = scale(1.0 / norm(e), e);
    [e, cross(normal, e)]
}
