//! A wheel or a ball that rolls on a plane without slipping.
//!
//! n is the plane's normal, a the wheel's axis, C its centre, r its radius. The wheel touches with its lowest point
//!
//!   (R1)  Q = C − r e,   e = (n − (n·a) a) / |n − (n·a) a|      a ball: e = n
//!
//! What passes at Q does not move against the plane: with t₁ = a × n / |a × n| (along the track; for a ball some
//! direction of the plane) and t₂ = n × t₁,
//!
//!   (R2)  t_k·(Ċ + ω × (Q − C) − v_plane(Q)) = 0,   k = 1, 2
//!
//! These two bind velocities and are no derivative of positions: the wheel can reach every place and heading. That
//! it stays on the plane is a constraint between positions,
//!
//!   (R3)  n·(C − P) = r √(1 − (n·a)²)                             a ball: n·(C − P) = r
//!
//! whose derivative is (R2) with n for t_k. γ is the derivative of (R2) along the motion with c̈ = ω̇ = 0,
//! taken with dual numbers in time.

use super::motion::{BodyIndex, BodyPoint, Direction, Motion, Wrenches, motion_of};
use crate::linalg::dual::{Dual, Scalar};
use crate::linalg::vec3::{Vec3, any_perpendicular, cross, scale, sub};

type D = Dual<f64>;

/// A wheel on a plane.
#[derive(Clone, Debug)]
pub struct Rolling {
    /// A point of the plane, P.
    pub plane: BodyPoint,
    /// n
    pub normal: Direction,
    /// C
    pub centre: BodyPoint,
    /// a; a ball has none.
    pub axis: Option<Direction>,
    /// r, m.
    pub radius: f64,
}

fn dot<S: Scalar>(a: [S; 3], b: [S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross_of<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn plus<S: Scalar>(a: [S; 3], s: S, b: [S; 3]) -> [S; 3] {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}
fn unit<S: Scalar>(a: [S; 3]) -> [S; 3] {
    let l = dot(a, a).sqrt();
    a.map(|x| x / l)
}
/// A vector and its rate.
fn moving(x: Vec3, rate: Vec3) -> [D; 3] {
    std::array::from_fn(|i| Dual::new(x[i], rate[i]))
}
/// A vector that keeps its value while the motion goes on without acceleration.
fn steady(x: Vec3) -> [D; 3] {
    x.map(D::from)
}

impl Rolling {
    /// The number of the row that keeps the wheel on the plane; 0 and 1 are (R2).
    pub const NORMAL: usize = 2;

    /// e of (R1) and the directions t₁, t₂, n; `side` is a direction of the plane.
    fn frame<S: Scalar>(n: [S; 3], a: Option<[S; 3]>, side: [S; 3]) -> ([S; 3], [[S; 3]; 3]) {
        match a {
            Some(a) => {
                let e = unit(plus(n, -dot(n, a), a));
                let t1 = unit(cross_of(a, n));
                (e, [t1, cross_of(n, t1), n])
            }
            None => (n, [side, cross_of(n, side), n]),
        }
    }

    /// Row k of (R2), or (R3) for [`Rolling::NORMAL`]: pulls and γ.
    pub fn row(&self, k: usize, bodies: &[Motion], pulls: &mut Wrenches) -> f64 {
        let wheel = motion_of(bodies, self.centre.body);
        let plane = motion_of(bodies, self.normal.body);
        let c = self.centre.at(bodies);
        let n = self.normal.at(bodies);
        let n = moving(n, cross(plane.w, n));
        let a = self.axis.map(|a| {
            let a = a.at(bodies);
            moving(a, cross(wheel.w, a))
        });
        let side = Direction { u: any_perpendicular(self.normal.u), ..self.normal }.at(bodies);
        let (e, directions) = Self::frame(n, a, moving(side, cross(plane.w, side)));
        let t = directions[k];
        // from the centre of the wheel, and from that of the plane's body, to Q
        let down = e.map(|x| x * -self.radius);
        let (centre, centre_rate) = (moving(c.r, c.v), moving(c.v, c.bias));
        let at_wheel = plus(centre_rate, D::from(1.0), cross_of(steady(wheel.w), down));
        let from_plane = {
            let q = plus(centre, D::from(1.0), down);
            plus(q, D::from(-1.0), moving(plane.c, plane.v))
        };
        let at_plane = plus(steady(plane.v), D::from(1.0), cross_of(steady(plane.w), from_plane));
        let slip = dot(t, plus(at_wheel, D::from(-1.0), at_plane));
        let now = t.map(Scalar::value);
        let q: Vec3 = std::array::from_fn(|i| c.r[i] + down[i].re);
        pulls.add(self.centre.body, sub(q, wheel.c), now, [0.0; 3]);
        pulls.add(self.normal.body, sub(q, plane.c), scale(-1.0, now), [0.0; 3]);
        -slip.eps
    }

    /// (R3), m.
    pub fn height(&self, bodies: &[Motion]) -> f64 {
        let n = self.normal.at(bodies);
        let d = sub(self.centre.at(bodies).r, self.plane.at(bodies).r);
        let sine = self.axis.map_or(0.0, |a| dot(n, a.at(bodies)));
        dot(n, d) - self.radius * (1.0 - sine * sine).max(0.0).sqrt()
    }

    /// Where it touches.
    pub fn contact(&self, bodies: &[Motion]) -> Vec3 {
        let n = self.normal.at(bodies);
        let (e, _) = Self::frame(n, self.axis.map(|a| a.at(bodies)), n);
        let c = self.centre.at(bodies).r;
        std::array::from_fn(|i| c[i] - self.radius * e[i])
    }

    /// The moving bodies it concerns.
    pub fn bodies(&self) -> Vec<usize> {
        let all: [BodyIndex; 2] = [self.normal.body, self.centre.body];
        all.into_iter().flatten().collect()
    }
}
