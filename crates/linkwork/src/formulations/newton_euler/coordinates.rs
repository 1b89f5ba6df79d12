//! Where the coordinates of the bodies put them.
//!
//!   plane:  x = (c, φ)  of each body, rates (ċ, φ̇)
//!   space:  x = (c, q)  with a unit quaternion (w, x, y, z) since the drawing, rates (ċ, ω) in world axes
//!
//!   (C1)  q' = ½ (0, ω) ⊗ q
//!   (C2)  r = c + R s,   ṙ = ċ + ω × Rs,   r̈ = c̈ + ω' × Rs + ω × (ω × Rs)
//!
//! for the point that lies at s from the centre of mass as drawn. The ground has c = 0 and R = 1, so that
//! its points have their places for s.

use crate::interactions::motion_of;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Vec3, axpy};
use crate::mechanism::{BodyIndex, Mechanism};
use crate::model::Dimension;

/// A body at an instant, (C2) for its spots: as interactions see it.
pub use crate::interactions::{BodyPoint, Motion as Pose};

/// The pose of a body or of the ground.
#[inline]
pub fn pose(poses: &[Pose], body: BodyIndex) -> Pose {
    *motion_of(poses, body)
}

/// How coordinates and rates are laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub planar: bool,
    pub bodies: usize,
}

impl Layout {
    pub fn new(mechanism: &Mechanism) -> Self {
        Layout { planar: mechanism.dimension() == Dimension::Planar, bodies: mechanism.bodies.len() }
    }

    /// Coordinates of one body.
    pub fn coordinates(&self) -> usize {
        if self.planar { 3 } else { 7 }
    }

    /// Rates of one body.
    pub fn rates(&self) -> usize {
        if self.planar { 3 } else { 6 }
    }

    /// Whether a rate is one of turning.
    #[inline]
    pub fn turns(&self, rate: usize) -> bool {
        if self.planar { rate % 3 == 2 } else { rate % 6 > 2 }
    }

    /// A force and a moment about the centre of mass, as the rates of one body see them.
    #[inline]
    pub fn pack(&self, force: Vec3, moment: Vec3) -> [f64; 6] {
        if self.planar {
            [force[0], force[1], moment[2], 0.0, 0.0, 0.0]
        } else {
            [force[0], force[1], force[2], moment[0], moment[1], moment[2]]
        }
    }

    /// The linear and the angular part of one body's rates.
    pub fn unpack(&self, rates: &[f64], body: usize) -> (Vec3, Vec3) {
        let r = &rates[body * self.rates()..(body + 1) * self.rates()];
        if self.planar {
            ([r[0], r[1], 0.0], [0.0, 0.0, r[2]])
        } else {
            ([r[0], r[1], r[2]], [r[3], r[4], r[5]])
        }
    }

    /// All poses at coordinates x and rates v.
    pub fn poses(&self, x: &[f64], v: &[f64], out: &mut [Pose]) {
        let coordinates = x.chunks_exact(self.coordinates());
        for ((pose, x), v) in out.iter_mut().zip(coordinates).zip(v.chunks_exact(self.rates())) {
            *pose = if self.planar {
                let (sin, cos) = x[2].sin_cos();
                Pose {
                    c: [x[0], x[1], 0.0],
                    turned: [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]],
                    v: [v[0], v[1], 0.0],
                    w: [0.0, 0.0, v[2]],
                }
            } else {
                Pose {
                    c: [x[0], x[1], x[2]],
                    turned: quaternion::matrix(&x[3..7]),
                    v: [v[0], v[1], v[2]],
                    w: [v[3], v[4], v[5]],
                }
            };
        }
    }

    /// ẋ from the rates (C1).
    pub fn coordinate_rates(&self, x: &[f64], v: &[f64], dx: &mut [f64]) {
        if self.planar {
            dx.copy_from_slice(v);
            return;
        }
        for ((dx, x), v) in dx.chunks_exact_mut(7).zip(x.chunks_exact(7)).zip(v.chunks_exact(6)) {
            dx[..3].copy_from_slice(&v[..3]);
            dx[3..].copy_from_slice(&quaternion::rate(&x[3..], [v[3], v[4], v[5]]));
        }
    }

    /// Moves x by small rates.
    pub fn displace(&self, x: &mut [f64], by: &[f64]) {
        if self.planar {
            x.iter_mut().zip(by).for_each(|(x, d)| *x += d);
            return;
        }
        for (x, d) in x.chunks_exact_mut(7).zip(by.chunks_exact(6)) {
            let turn = quaternion::rate(&x[3..], [d[3], d[4], d[5]]);
            x[..3].iter_mut().zip(&d[..3]).for_each(|(x, d)| *x += d);
            x[3..].iter_mut().zip(turn).for_each(|(x, d)| *x += d);
        }
        self.normalise(x);
    }

    /// Brings the quaternions back to unit length.
    pub fn normalise(&self, x: &mut [f64]) {
        if !self.planar {
            x.chunks_exact_mut(7).for_each(|x| quaternion::normalise(&mut x[3..]));
        }
    }

    /// The start: coordinates and rates of the assembled mechanism.
    pub fn start(&self, mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
        let nodes = mechanism.maps.len();
        let (mut r, mut rate) = (vec![[0.0; 3]; nodes], vec![[0.0; 3]; nodes]);
        mechanism.maps.positions(&mechanism.start_positions, &mut r);
        mechanism.maps.rates(&mechanism.start_velocities, &mut rate);
        let (mut x, mut v) = (Vec::new(), Vec::new());
        for body in &mechanism.bodies {
            let p = &body.particles;
            let now: Vec<Vec3> = body.nodes.iter().map(|&n| r[n]).collect();
            let moving: Vec<Vec3> = body.nodes.iter().map(|&n| rate[n]).collect();
            let weights = p.weights(p.properties.com);
            let mix = |x: &[Vec3]| weights.iter().zip(x).fold([0.0; 3], |s, (&w, &x)| axpy(s, w, x));
            let turned = p.rotation(&now);
            let (c, c_dot, w) = (mix(&now), mix(&moving), p.angular_velocity(&now, &moving));
            if self.planar {
                x.extend([c[0], c[1], turned[1][0].atan2(turned[0][0])]);
            } else {
                x.extend(c);
                x.extend(quaternion::of_matrix(&turned));
            }
            v.extend_from_slice(&self.pack(c_dot, w)[..self.rates()]);
        }
        (x, v)
    }
}
