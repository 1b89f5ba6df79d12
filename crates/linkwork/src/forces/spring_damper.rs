//! A linear spring and damper in parallel between two nodes. With d = r_b − r_a, l = |d|, u = d / l:
//!
//!   (F1)  l̇ = (v_b − v_a)·u
//!   (F2)  F = (k (l − l₀) + c l̇) u      on node a; −F on node b
//!   (F3)  V = ½ k (l − l₀)²
//!   (F4)  P = −c l̇²                     power of the damper
//!
//! σ_v and D_v of [schwab2002] section 1.3 are k (l − l₀) and l − l₀. Where the nodes coincide the
//! direction is lost; the force is zero there.

use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};

/// A spring-damper.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringDamper {
    /// Its ends.
    pub nodes: [usize; 2],
    /// k, N/m.
    pub stiffness: f64,
    /// c, N s/m.
    pub damping: f64,
    /// l₀, m.
    pub free_length: f64,
}

impl SpringDamper {
    #[inline]
    fn line(&self, r: &[Vec3]) -> (f64, Vec3) {
        let d = sub(r[self.nodes[1]], r[self.nodes[0]]);
        let l = norm(d);
        (l, if l > 0.0 { scale(1.0 / l, d) } else { [0.0; 3] })
    }

    /// (F2): the force on the first node.
    #[inline]
    pub fn force(&self, r: &[Vec3], v: &[Vec3]) -> Vec3 {
        let (l, u) = self.line(r);
        let rate = dot(sub(v[self.nodes[1]], v[self.nodes[0]]), u); // (F1)
        scale(self.stiffness * (l - self.free_length) + self.damping * rate, u)
    }

    /// (F2) and (F4) from the ends themselves: the force on the first, and the power of the damper.
    #[inline]
    pub fn between(&self, r: [Vec3; 2], v: [Vec3; 2]) -> (Vec3, f64) {
        let d = sub(r[1], r[0]);
        let l = norm(d);
        let u = if l > 0.0 { scale(1.0 / l, d) } else { [0.0; 3] };
        let rate = dot(sub(v[1], v[0]), u); // (F1)
        let force = scale(self.stiffness * (l - self.free_length) + self.damping * rate, u);
        (force, -self.damping * rate * rate)
    }

    /// (F3), J.
    pub fn potential(&self, r: &[Vec3]) -> f64 {
        let (l, _) = self.line(r);
        0.5 * self.stiffness * (l - self.free_length).powi(2)
    }

    /// (F4), W.
    #[inline]
    pub fn damper_power(&self, r: &[Vec3], v: &[Vec3]) -> f64 {
        let (_, u) = self.line(r);
        let rate = dot(sub(v[self.nodes[1]], v[self.nodes[0]]), u);
        -self.damping * rate * rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [schwab2002] example 3: l = 1.2, D_v = −l/6, force k l/6 along (−4/5, 3/5) seen from C.
    #[test]
    fn paper_spring_of_example_3() {
        let spring = SpringDamper { nodes: [0, 1], stiffness: 100.0, damping: 3.0, free_length: 1.2 };
        let r = [[0.0, 0.6, 0.0], [0.8, 0.0, 0.0]];
        let f = spring.force(&r, &[[0.0; 3]; 2]);
        assert!(norm(sub(f, [-16.0, 12.0, 0.0])) < 1e-13, "{f:?}");
        assert!((spring.potential(&r) - 2.0).abs() < 1e-14);
        // the damper alone: pulls apart at 0.5 m/s along the line
        let v = [[0.0; 3], [0.4, -0.3, 0.0]];
        let f = sub(spring.force(&r, &v), f);
        assert!((dot(f, [0.8, -0.6, 0.0]) - 1.5).abs() < 1e-13);
        assert!((spring.damper_power(&r, &v) + 0.75).abs() < 1e-13);
    }
}
