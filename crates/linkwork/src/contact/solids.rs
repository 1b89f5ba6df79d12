//! Boxes and cylinders on bodies, and balls against them.
//!
//! A ball of radius r about C, 0 for a point, and a solid with centre O. In the axes a_k of a box, half edges h_k:
//!
//!   (S1)  x_k = a_k·(C − O),   u_k = |x_k| − h_k
//!   (S2)  d = Σ_(u_k > 0) sign(x_k) u_k a_k,   n = d / |d|,   g = |d| − r           outside: face, edge or corner
//!   (S3)  n = sign(x_k) a_k,   g = u_k − r,   k: the largest u_k                     inside: the nearest face
//!
//! A cylinder with axis a, radius R and half length h has z = a·(C − O), ρ = C − O − z a and two such numbers,
//!
//!   (S4)  u = |ρ| − R along ρ/|ρ|,   v = |z| − h along sign(z) a
//!
//! for which (S2) is side, cap or rim, and (S3) the nearer of side and cap. g is the true distance to the solid,
//! and depth inside it; g and n are continuous from region to region except where regions meet inside. Rate and bias come
//! from arithmetic with jets.
//!
//! In the plane a box has no third axis: h₃ is infinite.

use super::Touch;
use super::jets::{Jets, dot, length_and_unit, plus, sub, times};
use crate::interactions::{BodyIndex, BodyPoint, Direction, Motion, motion_of};
use crate::linalg::dual::Scalar;
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{Mat3, Vec3, any_perpendicular, apply, axpy};

/// What is nearer to a surface than this is on it, m: its direction would be lost in underflow.
const ON: f64 = 1e-100;

/// A solid box on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its centre.
    pub centre: BodyPoint,
    /// Directions of its edges as drawn, orthonormal.
    pub axes: Mat3,
    /// Half its edges, m; the third is infinite in the plane.
    pub half: Vec3,
}

/// Axes and centre of a box at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub centre: Vec3,
    pub axes: Mat3,
}

impl Block {
    /// The body it is part of.
    pub fn body(&self) -> BodyIndex {
        self.centre.body
    }

    /// In how many directions it has faces: two in the plane.
    pub fn directions(&self) -> usize {
        if self.half[2].is_finite() { 3 } else { 2 }
    }

    /// How many corners it has.
    pub fn corners(&self) -> usize {
        1 << self.directions()
    }

    /// A corner: bit k of its number tells on which side along edge k it lies.
    pub fn corner(&self, number: usize) -> BodyPoint {
        let side = |k: usize| if number >> k & 1 == 0 { -self.half[k] } else { self.half[k] };
        let s = (0..self.directions()).fold(self.centre.s, |s, k| axpy(s, side(k), self.axes[k]));
        BodyPoint { s, ..self.centre }
    }

    /// The direction of an edge.
    pub fn axis(&self, k: usize) -> Direction {
        Direction { body: self.body(), u: self.axes[k] }
    }

    /// Half the diagonal, m.
    pub fn reach(&self) -> f64 {
        (0..self.directions()).map(|k| self.half[k] * self.half[k]).sum::<f64>().sqrt()
    }

    pub(super) fn at(&self, bodies: &[Motion]) -> Placed {
        let turned = &motion_of(bodies, self.body()).turned;
        Placed { centre: self.centre.at(bodies).r, axes: self.axes.map(|u| apply(turned, u)) }
    }
}

/// A solid cylinder on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Can {
    /// Its centre.
    pub centre: BodyPoint,
    /// Its axis as drawn, unit length.
    pub axis: Vec3,
    /// m
    pub radius: f64,
    /// Half its length, m.
    pub half: f64,
}

impl Can {
    /// The body it is part of.
    pub fn body(&self) -> BodyIndex {
        self.centre.body
    }

    /// Its axis.
    pub fn direction(&self) -> Direction {
        Direction { body: self.body(), u: self.axis }
    }

    /// The middle of a cap; 0 is against the axis, 1 along it.
    pub fn cap(&self, end: usize) -> BodyPoint {
        let h = if end == 0 { -self.half } else { self.half };
        BodyPoint { s: axpy(self.centre.s, h, self.axis), ..self.centre }
    }

    /// From the centre to the rim, m.
    pub fn reach(&self) -> f64 {
        self.radius.hypot(self.half)
    }
}

/// The ball's side of a touch.
fn of_ball(distance: Jet, centre: Jets, radius: f64, n: Jets) -> Touch {
    Touch::of(distance - radius, plus(centre, Jet::from(-radius), n), n)
}

/// A ball against a box.
pub(super) fn ball_on_block(block: &Block, centre: &BodyPoint, radius: f64, bodies: &[Motion]) -> Touch {
    let c = centre.at(bodies).jets();
    let from_middle = sub(c, block.centre.at(bodies).jets());
    let directions = block.directions();
    let mut outward = [[Jet::default(); 3]; 3];
    let mut u = [Jet::default(); 3];
    for k in 0..directions {
        let a = block.axis(k).jets(bodies);
        let x = dot(a, from_middle); // (S1)
        outward[k] = times(x.x.signum(), a);
        u[k] = x * x.x.signum() - block.half[k];
    }
    let mut outside = (0..directions).filter(|&k| u[k].x > ON);
    match (outside.next(), outside.next()) {
        (Some(k), None) => of_ball(u[k], c, radius, outward[k]),
        (Some(_), Some(_)) => {
            let beyond = (0..directions).filter(|&k| u[k].x > ON);
            let d = beyond.fold([Jet::default(); 3], |d, k| plus(d, u[k], outward[k])); // (S2)
            let (length, n) = length_and_unit(d);
            of_ball(length, c, radius, n)
        }
        (None, _) => {
            let nearest = (1..directions).fold(0, |best, k| if u[k].x > u[best].x { k } else { best });
            of_ball(u[nearest], c, radius, outward[nearest]) // (S3)
        }
    }
}

/// A ball against a cylinder.
pub(super) fn ball_on_can(can: &Can, centre: &BodyPoint, radius: f64, bodies: &[Motion]) -> Touch {
    let c = centre.at(bodies).jets();
    let from_middle = sub(c, can.centre.at(bodies).jets());
    let a = can.direction().jets(bodies);
    let z = dot(a, from_middle);
    let across = plus(from_middle, -z, a);
    let (distance, out) = match dot(across, across).x > ON {
        true => length_and_unit(across),
        // on the axis no side is nearer than another: take one that stays with the body
        false => {
            let e = Direction { body: can.body(), u: any_perpendicular(can.axis) }.jets(bodies);
            (dot(e, across), e)
        }
    };
    let (u, v) = (distance - can.radius, z * z.x.signum() - can.half); // (S4)
    let along = times(z.x.signum(), a);
    match (u.x > ON, v.x > ON) {
        (true, true) => {
            let length = (u * u + v * v).sqrt();
            let n = std::array::from_fn(|i| (u * out[i] + v * along[i]) / length);
            of_ball(length, c, radius, n)
        }
        (true, false) => of_ball(u, c, radius, out),
        (false, true) => of_ball(v, c, radius, along),
        (false, false) if u.x > v.x => of_ball(u, c, radius, out),
        (false, false) => of_ball(v, c, radius, along),
    }
}
