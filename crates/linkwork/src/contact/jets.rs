//! Vectors of jets: places and directions with their first and second derivatives by time.

use super::Touch;
use crate::linalg::dual::Scalar;
use crate::linalg::jet::Jet;
use crate::linalg::vec3::Vec3;

/// A vector with both derivatives.
pub(super) type Jets = [Jet; 3];

#[inline]
pub(super) fn dot(a: Jets, b: Jets) -> Jet {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn cross(a: Jets, b: Jets) -> Jets {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(super) fn sub(a: Jets, b: Jets) -> Jets {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a + s b
#[inline]
pub(super) fn plus(a: Jets, s: Jet, b: Jets) -> Jets {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// f a
#[inline]
pub(super) fn times(f: f64, a: Jets) -> Jets {
    a.map(|x| x * f)
}

/// |a|, and a / |a|; a is not zero.
#[inline]
pub(super) fn length_and_unit(a: Jets) -> (Jet, Jets) {
    let length = dot(a, a).sqrt();
    (length, a.map(|x| x / length))
}

fn values(a: Jets) -> Vec3 {
    a.map(|x| x.x)
}

fn rates(a: Jets) -> Vec3 {
    a.map(|x| x.d)
}

impl Touch {
    /// From the gap, the place and the normal along a motion without accelerations.
    pub(super) fn of(gap: Jet, point: Jets, normal: Jets) -> Touch {
        Touch {
            gap: gap.x,
            rate: gap.d,
            bias: gap.dd,
            point: values(point),
            point_rate: rates(point),
            normal: values(normal),
            normal_rate: rates(normal),
        }
    }
}
