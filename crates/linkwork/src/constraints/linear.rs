//! A weighted sum of one component of nodes keeps its value:
//!
//!   (L1)  Φ = Σ w_i r_i·e_c − value,   Φ_q = w_i e_c,   γ = 0
//!
//! It holds a body to a shared point that is not one of the body's primary particles.

use super::MAX_NODES;
use crate::linalg::vec3::Vec3;

/// Σ w_i r_i\[component\] stays `value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// (node, weight), at most [`MAX_NODES`].
    pub terms: Vec<(usize, f64)>,
    /// 0, 1 or 2 for x, y, z.
    pub component: usize,
    /// m.
    pub value: f64,
}

impl Linear {
    /// (L1)
    #[inline]
    pub fn residual(&self, r: &[Vec3]) -> f64 {
        self.terms.iter().map(|&(n, w)| w * r[n][self.component]).sum::<f64>() - self.value
    }

    /// (L1)
    #[inline]
    pub fn gradient(&self, out: &mut [Vec3; MAX_NODES]) {
        for (g, &(_, w)) in out.iter_mut().zip(&self.terms) {
            *g = [0.0; 3];
            g[self.component] = w;
        }
    }
}
