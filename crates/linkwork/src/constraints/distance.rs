//! Two nodes stay a fixed distance apart. With d = r_b − r_a and length L:
//!
//!   (D1)  Φ   = (d·d − L²) / 2L      ≈ |d| − L near zero, so a length [m]
//!   (D2)  Φ_q = [−d, d] / L
//!   (D3)  γ   = −(ḋ·ḋ) / L
//!
//! [attia2003] eq. (4.2) does not divide by L. Dividing makes λ the tension [N] between the points,
//! since each block of Φ_q is then a unit vector on the constraint, and lets one tolerance serve all rows.

use super::MAX_NODES;
use crate::linalg::vec3::{Vec3, dot, scale, sub};

/// Two nodes stay `length` apart; `length` is not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// First node.
    pub a: usize,
    /// Second node.
    pub b: usize,
    /// L, m.
    pub length: f64,
}

impl Distance {
    /// (D1)
    #[inline]
    pub fn residual(&self, r: &[Vec3]) -> f64 {
        let d = sub(r[self.b], r[self.a]);
        (dot(d, d) - self.length * self.length) / (2.0 * self.length)
    }

    /// (D2)
    #[inline]
    pub fn gradient(&self, r: &[Vec3], out: &mut [Vec3; MAX_NODES]) {
        let d = scale(1.0 / self.length, sub(r[self.b], r[self.a]));
        out[0] = scale(-1.0, d);
        out[1] = d;
    }

    /// (D3)
    #[inline]
    pub fn gamma(&self, v: &[Vec3]) -> f64 {
        let d_dot = sub(v[self.b], v[self.a]);
        -dot(d_dot, d_dot) / self.length
    }
}
