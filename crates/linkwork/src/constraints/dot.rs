//! Two vectors between nodes keep their scalar product. With s = r_1 − r_0 and w = r_3 − r_2:
//!
//!   (S1)  Φ   = (s·w − c) / l
//!   (S2)  Φ_q = [−w, w, −s, s] / l
//!   (S3)  γ   = −2 (ṡ·ẇ) / l
//!
//! l is the length of w, which is fixed in a body: Φ is then the length of s along a body-fixed
//! direction. Points on lines and planes and parallel axes are all written with this one row; nodes
//! may coincide.

use super::MAX_NODES;
use crate::linalg::vec3::{Vec3, dot, scale, sub};

/// (r_1 − r_0)·(r_3 − r_2) stays `value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// The four nodes.
    pub nodes: [usize; 4],
    /// c, m².
    pub value: f64,
    /// l, m; not zero.
    pub scale: f64,
}

impl Dot {
    #[inline]
    fn vectors(&self, x: &[Vec3]) -> (Vec3, Vec3) {
        let [a, b, c, d] = self.nodes;
        (sub(x[b], x[a]), sub(x[d], x[c]))
    }

    /// (S1)
    #[inline]
    pub fn residual(&self, r: &[Vec3]) -> f64 {
        let (s, w) = self.vectors(r);
        (dot(s, w) - self.value) / self.scale
    }

    /// (S2)
    #[inline]
    pub fn gradient(&self, r: &[Vec3], out: &mut [Vec3; MAX_NODES]) {
        let (s, w) = self.vectors(r);
        let inv = 1.0 / self.scale;
        out[0] = scale(-inv, w);
        out[1] = scale(inv, w);
        out[2] = scale(-inv, s);
        out[3] = scale(inv, s);
    }

    /// (S3)
    #[inline]
    pub fn gamma(&self, v: &[Vec3]) -> f64 {
        let (s_dot, w_dot) = self.vectors(v);
        -2.0 * dot(s_dot, w_dot) / self.scale
    }
}
