//! Cylinders on planes: wheels, rollers, cans.
//!
//! n is the plane's normal, P a place of it, a the cylinder's axis, C the middle of a cap, r the radius. The lowest point of its rim:
//!
//!   (C1)  m = n − (n·a) a,   s = |m|,   e = m / s
//!   (C2)  Q = C − r e,   g = n·(C − P) − r s
//!
//! s is the sine of the angle between axis and normal. A cylinder that lies on its side touches with both rims, one that rolls on
//! an edge with one. Where it stands on a cap, s = 0 and no point of the rim is the lowest: then
//!
//!   (C3)  Q = C,   g = n·(C − P)                      for s < 10⁻⁸, which moves the gap by less than 10⁻⁸ r
//!
//! and six points of the rim, fixed in the body, keep it from tilting. These are touched only by a cylinder that stands,
//! up to s₀ = 0.01. Otherwise each would touch once in a turn of a rolling wheel, at the place where (C2) touches already. So
//! beyond s₀ their gap is larger by r (s − s₀) than it is.

use super::Touch;
use super::jets::{dot, length_and_unit, plus, sub};
use crate::interactions::{BodyPoint, Direction, Motion};
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{any_perpendicular, axpy, cross, unit};

use super::solids::Can;

/// Below this sine a cylinder stands on its cap.
const FLAT: f64 = 1e-8;
/// Up to this sine, points of the rim are looked at.
const STANDS: f64 = 0.01;
/// So many points of the rim hold a cylinder that stands.
pub(super) const FIXED_POINTS: usize = 6;

/// The lowest point of a rim above a plane.
pub(super) fn rim_on_plane(
    plane: &BodyPoint,
    normal: &Direction,
    cap: &BodyPoint,
    axis: &Direction,
    radius: f64,
    bodies: &[Motion],
) -> Touch {
    let (n, a, c) = (normal.jets(bodies), axis.jets(bodies), cap.at(bodies).jets());
    let height = dot(n, sub(c, plane.at(bodies).jets()));
    let m = plus(n, -dot(n, a), a); // (C1)
    if dot(m, m).x < FLAT * FLAT {
        return Touch::of(height, c, n); // (C3)
    }
    let (s, e) = length_and_unit(m);
    Touch::of(height - s * radius, plus(c, Jet::from(-radius), e), n) // (C2)
}

/// How far a standing cylinder has tilted beyond what its fixed points are for, as a length.
pub(super) fn tilt(normal: &Direction, axis: &Direction, radius: f64, bodies: &[Motion]) -> f64 {
    let (n, a) = (normal.at(bodies), axis.at(bodies));
    let c = cross(n, a);
    let s = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt();
    radius * (s - STANDS)
}

impl Can {
    /// A point of a rim, fixed in the body.
    pub(super) fn rim_point(&self, end: usize, number: usize) -> BodyPoint {
        let cap = self.cap(end);
        let e = unit(any_perpendicular(self.axis));
        let f = cross(self.axis, e);
        let (sin, cos) = (std::f64::consts::TAU * number as f64 / FIXED_POINTS as f64).sin_cos();
        BodyPoint { s: axpy(axpy(cap.s, self.radius * cos, e), self.radius * sin, f), ..cap }
    }
}
