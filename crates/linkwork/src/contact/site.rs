//! A contact at an instant, in its own axes.
//!
//! Axes are e₁ = n and, across it, e₂ (and e₃ in space). With arms d = p − c of both bodies a force F of the contact is the pull
//! (F, d_b × F) on b and (−F, −d_a × F) on a, and
//!
//!   (1)  u_i = e_i·(ċ_b + ω_b × d_b − ċ_a − ω_a × d_a)
//!   (2)  u̇_1 = g̈ of (T2)
//!   (3)  u̇_i = e_i·(c̈_b + ω̇_b × d_b + ω_b × (ṗ − ċ_b) − the same of a)        i > 1, where u = 0
//!
//! (3) leaves ė_i·(relative velocity) out: it is asked for only where nothing slips.

use super::manifold::ContactPoint;
use super::{Feature, Touch};
use crate::interactions::{BodyIndex, BodyWrench, Motion, motion_of};
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{Vec3, any_perpendicular, apply_transposed, axpy, cross, dot, scale, sub};

/// A contact at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Which.
    pub contact: usize,
    /// Where it stands.
    pub touch: Touch,
    /// a and b.
    pub bodies: [BodyIndex; 2],
    /// d of both.
    pub arms: [Vec3; 2],
    /// e₁ = n, e₂, e₃.
    pub axes: [Vec3; 3],
}

impl Site {
    /// A contact where the bodies are; `planar` where all motion is in x and y.
    pub fn new(contact: usize, feature: &Feature, planar: bool, motions: &[Motion]) -> Self {
        Site::of(contact, feature.touch(motions), feature.bodies(), planar, motions)
    }

    /// A point of a manifold, as contact of two bodies.
    pub fn at_point(
        contact: usize,
        bodies: [BodyIndex; 2],
        point: &ContactPoint,
        planar: bool,
        motions: &[Motion],
    ) -> Self {
        let touch = Touch { gap: point.gap, point: point.point, normal: point.normal, ..Touch::default() };
        Site::of(contact, touch, bodies, planar, motions)
    }

    fn of(contact: usize, touch: Touch, bodies: [BodyIndex; 2], planar: bool, motions: &[Motion]) -> Self {
        let n = touch.normal;
        let across = if planar { [-n[1], n[0], 0.0] } else { any_perpendicular(n) };
        Site {
            contact,
            touch,
            bodies,
            arms: bodies.map(|b| sub(touch.point, motion_of(motions, b).c)),
            axes: [n, across, cross(n, across)],
        }
    }

    /// v_b(p) − v_a(p), or what is added to it, from velocities of the bodies (or what is added to them).
    pub fn relative(&self, twists: &[Twist]) -> Vec3 {
        let at = |side: usize| match self.bodies[side] {
            None => [0.0; 3],
            Some(b) => axpy(twists[b].v, 1.0, cross(twists[b].w, self.arms[side])),
        };
        sub(at(1), at(0))
    }

    /// v_b(p) − v_a(p) as the bodies move.
    pub fn velocity(&self, motions: &[Motion]) -> Vec3 {
        let at = |side: usize| {
            let m = motion_of(motions, self.bodies[side]);
            axpy(m.v, 1.0, cross(m.w, self.arms[side]))
        };
        sub(at(1), at(0))
    }

    /// (2), (3) for accelerations of the bodies: a vector whose component along n is g̈ and whose others are the slip's rates.
    pub fn acceleration(&self, motions: &[Motion], accelerations: &[Twist]) -> Vec3 {
        let swing = |side: usize| {
            let m = motion_of(motions, self.bodies[side]);
            cross(m.w, sub(self.touch.point_rate, m.v))
        };
        let n = self.touch.normal;
        let bias = sub(swing(1), swing(0));
        let across = axpy(bias, self.touch.bias - dot(n, bias), n);
        axpy(self.relative(accelerations), 1.0, across)
    }

    /// Adds the pulls of a force on b to a list.
    pub fn pull(&self, force: Vec3, pulls: &mut Vec<BodyWrench>) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(body) = self.bodies[side] {
                let force = scale(sign, force);
                pulls.push(BodyWrench { body, wrench: Wrench::at(self.arms[side], force) });
            }
        }
    }

    /// The slip: what a relative velocity has across n.
    pub fn across(&self, v: Vec3) -> Vec3 {
        axpy(v, -dot(self.touch.normal, v), self.touch.normal)
    }

    /// Where p lies on both bodies: from the centre of mass as drawn.
    pub fn marks(&self, motions: &[Motion]) -> [Vec3; 2] {
        [0, 1].map(|side| apply_transposed(&motion_of(motions, self.bodies[side]).turned, self.arms[side]))
    }
}
