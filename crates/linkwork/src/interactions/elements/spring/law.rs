//! A linear spring and damper in parallel between two body points. With d = r_b − r_a, l = |d|, u = d / l:
//!
//!   (F1)  l̇ = (v_b − v_a)·u
//!   (F2)  F = (k (l − l₀) + c l̇) u      on point a; −F on point b
//!   (F3)  V = ½ k (l − l₀)²
//!   (F4)  P = −c l̇²                     power of the damper
//!
//! σ_v and D_v of [schwab2002] section 1.3 are k (l − l₀) and l − l₀. Where the points coincide the
//! direction is lost; the force is zero there.
//!
//! An `Along` on a distance does the same and more. Most springs are of this kind, and this is the cheaper way: no gauge, no second derivative, and
//! a formulation whose coordinates are points can ask for [`Spring::between`] where its points are.

use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::coordinate_function::distance;
use crate::interactions::motion::{BodyPoint, Motion, Wrenches};
use crate::interactions::program::{Context, Scratch};
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};

/// A spring-damper.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Its ends.
    pub ends: [BodyPoint; 2],
    /// k, N/m.
    pub stiffness: f64,
    /// c, N s/m.
    pub damping: f64,
    /// l₀, m.
    pub free_length: f64,
}

impl Spring {
    /// (F2) and (F4) from positions and velocities of the ends: the force on the first, and the power of the damper.
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
    fn potential(&self, length: f64) -> f64 {
        0.5 * self.stiffness * (length - self.free_length).powi(2)
    }

    /// Length and rate.
    pub(in crate::interactions) fn length(&self, bodies: &[Motion]) -> Jet {
        distance(&self.ends[0], &self.ends[1], bodies)
    }
}

impl Law for Spring {
    #[inline]
    fn apply(&self, at: &Context<'_>, _: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let [p, q] = self.ends.map(|end| end.at(at.scene.bodies));
        let (force, power) = self.between([p.r, q.r], [p.v, q.v]);
        pulls.add(self.ends[0].body, p.arm, force, [0.0; 3]);
        pulls.add(self.ends[1].body, q.arm, scale(-1.0, force), [0.0; 3]);
        Effect { power, potential: self.potential(norm(sub(q.r, p.r))) }
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        vec![("length", "m"), ("rate", "m/s"), ("force", "N")]
    }

    fn outputs(&self, at: &Context<'_>, _: &mut Scratch, out: &mut Vec<f64>) {
        let l = self.length(at.scene.bodies);
        out.extend([l.x, l.d, self.stiffness * (l.x - self.free_length) + self.damping * l.d]);
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.ends.iter().filter_map(|end| end.body).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [schwab2002] example 3: l = 1.2, D_v = −l/6, force k l/6 along (−4/5, 3/5) seen from C.
    #[test]
    fn paper_spring_of_example_3() {
        let r = [[0.0, 0.6, 0.0], [0.8, 0.0, 0.0]];
        let ends = r.map(|s| BodyPoint { body: None, s });
        let spring = Spring { ends, stiffness: 100.0, damping: 3.0, free_length: 1.2 };
        let (f, _) = spring.between(r, [[0.0; 3]; 2]);
        assert!(norm(sub(f, [-16.0, 12.0, 0.0])) < 1e-13, "{f:?}");
        assert!((spring.potential(norm(sub(r[1], r[0]))) - 2.0).abs() < 1e-14);
        // the damper alone: pulls apart at 0.5 m/s along the line
        let (damped, power) = spring.between(r, [[0.0; 3], [0.4, -0.3, 0.0]]);
        assert!((dot(sub(damped, f), [0.8, -0.6, 0.0]) - 1.5).abs() < 1e-13);
        assert!((power + 0.75).abs() < 1e-13);
    }
}
