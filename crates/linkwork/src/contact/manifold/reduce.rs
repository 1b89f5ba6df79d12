//! Reduction of a patch with many corners to a few that hold nearly as much.

use super::ContactPoint;
use crate::linalg::vec3::{any_perpendicular, axpy, cross, dot};

/// Keeps the deepest of the points from `first` on, and those that reach farthest in evenly spread directions of the patch.
///
/// The directions follow from the normal alone, so that points which do not change are chosen again.
pub(super) fn to_most(most: usize, first: usize, out: &mut Vec<ContactPoint>) {
    let count = out.len() - first;
    if count <= most {
        return;
    }
    let points = &mut out[first..];
    let deepest = (1..count).fold(0, |best, i| if points[i].gap < points[best].gap { i } else { best });
    points.swap(0, deepest);
    let e = any_perpendicular(points[0].normal);
    let f = cross(points[0].normal, e);
    for kept in 1..most {
        let (sin, cos) = (std::f64::consts::TAU * kept as f64 / (most - 1) as f64).sin_cos();
        let along = axpy(e.map(|x| x * cos), sin, f);
        let far = |p: &ContactPoint| dot(along, p.point);
        let best = (kept + 1..count)
            .fold(kept, |best, i| if far(&points[i]) > far(&points[best]) { i } else { best });
        points.swap(kept, best);
    }
    out.truncate(first + most);
}
