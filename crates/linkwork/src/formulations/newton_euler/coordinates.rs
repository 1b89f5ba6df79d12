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
//!
//! Amplitudes of modal bodies stand behind the bodies, among the coordinates and among the rates. The sliders that carry them elsewhere have no coordinates here.

use super::modal::ModalFrame;
use crate::interactions::Motion;
use crate::linalg::quaternion;
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{Vec3, scale};
use crate::mechanism::Mechanism;
use crate::model::Dimension;
use std::collections::HashSet;
use std::ops::Range;

/// How coordinates and rates are laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    pub planar: bool,
    /// Bodies with coordinates of their own, in order.
    pub own: Vec<usize>,
    /// The place of each body among them.
    slots: Vec<Option<usize>>,
    /// How many amplitudes there are.
    pub amplitudes: usize,
}

impl Layout {
    pub fn new(mechanism: &Mechanism, modal: &[ModalFrame]) -> Self {
        let sliders: HashSet<usize> = modal.iter().flat_map(ModalFrame::sliders).collect();
        let own: Vec<usize> = (0..mechanism.bodies.len()).filter(|b| !sliders.contains(b)).collect();
        let mut slots = vec![None; mechanism.bodies.len()];
        own.iter().enumerate().for_each(|(slot, &b)| slots[b] = Some(slot));
        Layout {
            planar: mechanism.dimension() == Dimension::Planar,
            own,
            slots,
            amplitudes: modal.iter().map(ModalFrame::modes).sum(),
        }
    }

    /// How many coordinates there are.
    pub fn all_coordinates(&self) -> usize {
        self.coordinates() * self.own.len() + self.amplitudes
    }

    /// How many rates there are.
    pub fn all_rates(&self) -> usize {
        self.rates() * self.own.len() + self.amplitudes
    }

    /// The rate of the first amplitude.
    pub fn first_amplitude(&self) -> usize {
        self.rates() * self.own.len()
    }

    /// The rates of a body; none of one without coordinates.
    pub fn own_rates(&self, body: usize) -> Range<usize> {
        self.slots[body].map_or(0..0, |slot| self.rates() * slot..self.rates() * (slot + 1))
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
        rate < self.first_amplitude() && if self.planar { rate % 3 == 2 } else { rate % 6 > 2 }
    }

    /// A wrench at the centre of mass, its moment by a length, as the rates of one body see it.
    #[inline]
    pub fn pack(&self, wrench: &Wrench, length: f64) -> [f64; 6] {
        self.order(wrench.force, scale(1.0 / length, wrench.moment))
    }

    /// A linear and an angular part in the order of one body's rates.
    #[inline]
    pub fn order(&self, linear: Vec3, angular: Vec3) -> [f64; 6] {
        if self.planar {
            [linear[0], linear[1], angular[2], 0.0, 0.0, 0.0]
        } else {
            [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]
        }
    }

    /// The twist of one body from the rates; nothing of one without coordinates.
    pub fn unpack(&self, rates: &[f64], body: usize) -> Twist {
        let Some(r) = rates.get(self.own_rates(body)).filter(|r| !r.is_empty()) else {
            return Twist { v: [0.0; 3], w: [0.0; 3] };
        };
        if self.planar {
            Twist { v: [r[0], r[1], 0.0], w: [0.0, 0.0, r[2]] }
        } else {
            Twist { v: [r[0], r[1], r[2]], w: [r[3], r[4], r[5]] }
        }
    }

    /// The poses of all bodies with coordinates at coordinates x and rates v.
    pub fn poses(&self, x: &[f64], v: &[f64], out: &mut [Motion]) {
        for (&b, x) in self.own.iter().zip(x.chunks_exact(self.coordinates())) {
            let (c, turned) = if self.planar {
                let (sin, cos) = x[2].sin_cos();
                ([x[0], x[1], 0.0], [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
            } else {
                ([x[0], x[1], x[2]], quaternion::matrix(&x[3..7]))
            };
            let Twist { v, w } = self.unpack(v, b);
            out[b] = Motion { c, turned, v, w };
        }
    }

    /// ẋ from the rates (C1).
    pub fn coordinate_rates(&self, x: &[f64], v: &[f64], dx: &mut [f64]) {
        if self.planar {
            dx.copy_from_slice(v);
            return;
        }
        let (bodies, amplitudes) = (7 * self.own.len(), self.first_amplitude());
        dx[bodies..].copy_from_slice(&v[amplitudes..]);
        let both = dx[..bodies].chunks_exact_mut(7).zip(x[..bodies].chunks_exact(7));
        for ((dx, x), v) in both.zip(v.chunks_exact(6)) {
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
        let (x_bodies, x_rest) = x.split_at_mut(7 * self.own.len());
        x_rest.iter_mut().zip(&by[self.first_amplitude()..]).for_each(|(x, d)| *x += d);
        for (x, d) in x_bodies.chunks_exact_mut(7).zip(by.chunks_exact(6)) {
            let turn = quaternion::rate(&x[3..], [d[3], d[4], d[5]]);
            x[..3].iter_mut().zip(&d[..3]).for_each(|(x, d)| *x += d);
            x[3..].iter_mut().zip(turn).for_each(|(x, d)| *x += d);
        }
        self.normalise(x);
    }

    /// Brings the quaternions back to unit length.
    pub fn normalise(&self, x: &mut [f64]) {
        if !self.planar {
            let bodies = &mut x[..7 * self.own.len()];
            bodies.chunks_exact_mut(7).for_each(|x| quaternion::normalise(&mut x[3..]));
        }
    }

    /// The start: coordinates and rates of the assembled mechanism.
    pub fn start(&self, mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
        let (mut x, mut v) = (Vec::new(), Vec::new());
        let motions = mechanism.start_motions();
        for Motion { c, turned, v: c_dot, w } in self.own.iter().map(|&b| motions[b]) {
            if self.planar {
                x.extend([c[0], c[1], turned[1][0].atan2(turned[0][0])]);
            } else {
                x.extend(c);
                x.extend(quaternion::of_matrix(&turned));
            }
            v.extend_from_slice(&self.order(c_dot, w)[..self.rates()]);
        }
        for modal in &mechanism.modal_bodies {
            x.extend(modal.amplitudes(&motions));
            v.extend(modal.amplitude_rates(&motions));
        }
        (x, v)
    }
}
