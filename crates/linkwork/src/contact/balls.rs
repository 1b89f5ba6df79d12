//! Balls on planes and against each other.
//!
//! A plane through P with normal n, a ball of radius r about C; or balls of radii r_a and r_b about A and B:
//!
//!   (L1)  g = n·(C − P) − r                 touches at C − r n
//!   (L2)  d = B − A,   g = |d| − r_a − r_b,   n = d / |d|

use super::Touch;
use crate::interactions::{BodyPoint, Direction, Motion, motion_of};
use crate::linalg::vec3::{axpy, cross, dot, norm, scale, sub};

/// (L1)
pub(super) fn ball_on_plane(
    plane: &BodyPoint,
    normal: &Direction,
    centre: &BodyPoint,
    radius: f64,
    bodies: &[Motion],
) -> Touch {
    let (o, c) = (plane.at(bodies), centre.at(bodies));
    let w = motion_of(bodies, normal.body).w;
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

/// (L2)
pub(super) fn balls([first, second]: [&BodyPoint; 2], radii: [f64; 2], bodies: &[Motion]) -> Touch {
    let (p, q) = (first.at(bodies), second.at(bodies));
    let (d, d_dot) = (sub(q.r, p.r), sub(q.v, p.v));
    let length = norm(d);
    if length == 0.0 {
        // one inside the other: no direction is better than another
        let gap = -radii[0] - radii[1];
        return Touch { gap, point: p.r, normal: [0.0, 1.0, 0.0], ..Default::default() };
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
