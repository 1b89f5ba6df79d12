//! A body's particles in linear and angular momentum, and particle 3 by the other three.
//!
//!   (I1)  Ṗ   = Σ m̄_i r̈_i          (2.5), m̄_i = Σ_j G_ij               the row sums of G
//!   (I2)  L̇_1 = Σ A_i r̈_i          (2.5), A_i = Σ_j G_ij [r_j − r_1]×    about particle 1
//!   (I3)  r_3 = r_1 + λ r_21 × r_41 + μ r_41 + τ r_21                     (2.10)
//!   (I4)  r̈_3 = (1 − μ − τ + λ [r_42]×) r̈_1 + (τ − λ [r_41]×) r̈_2 + (μ + λ [r_21]×) r̈_4
//!               + 2 λ ṙ_21 × ṙ_41                                         (2.14)
//!
//! where r_ab = r_a − r_b as in \[attia2005\], whose (2.14) lacks the last term, though (2.13) has it. (2.7) takes
//! absolute values and loses on which side of the plane 1, 2, 4 particle 3 lies, and the signs of μ and τ: here
//! λ, μ, τ solve the three equations (I3) as drawn, with their signs.

use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, cross, dot, scale, sub};

/// [a]×: the matrix of a × · .
pub(super) fn skew(a: Vec3) -> Mat3 {
    [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]
}

/// s 1 + [a]×
fn scalar_and_skew(s: f64, a: Vec3) -> Mat3 {
    let mut m = skew(a);
    for (i, row) in m.iter_mut().enumerate() {
        row[i] += s;
    }
    m
}

/// Factors of the particles' accelerations in (I1), (I2); particles beyond the body's own stay zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentumMatrices {
    /// m̄_i, kg.
    pub m_bar: [f64; 4],
    /// m̿_i = G_ii, kg.
    pub m_double_bar: [f64; 4],
    /// A_i, kg m, about the first particle.
    pub a: [Mat3; 4],
}

/// (I1), (I2) from a body's Gram matrix and its particles' positions, at most four (\[attia2005\] (2.6)).
pub fn momentum_matrices(gram: &[Vec<f64>], r: &[Vec3]) -> MomentumMatrices {
    let mut m = MomentumMatrices { m_bar: [0.0; 4], m_double_bar: [0.0; 4], a: [[[0.0; 3]; 3]; 4] };
    for (i, row) in gram.iter().enumerate() {
        m.m_bar[i] = row.iter().sum();
        m.m_double_bar[i] = row[i];
        let arm = row.iter().zip(r).fold([0.0; 3], |s, (&g, &r_j)| add(s, scale(g, sub(r_j, r[0]))));
        m.a[i] = skew(arm);
    }
    m
}

/// λ, μ, τ of (I3): what places particle 3 by particles 1, 2 and 4. They never change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleInvariants {
    /// 1/m.
    pub lambda: f64,
    /// No unit.
    pub mu: f64,
    /// No unit.
    pub tau: f64,
}

impl ParticleInvariants {
    /// Solves (I3), a 3x3 system, with signs; `None` if 1, 2 and 4 lie on a line.
    pub fn new(r: [Vec3; 4]) -> Option<Self> {
        let [r_1, r_2, r_3, r_4] = r;
        let (r_21, r_41, r_31) = (sub(r_2, r_1), sub(r_4, r_1), sub(r_3, r_1));
        let n = cross(r_21, r_41);
        // Cramer's rule: the columns are n, r_41 and r_21, and n is normal to the others
        let det = dot(n, n);
        if det <= 1e-24 * dot(r_21, r_21) * dot(r_41, r_41) {
            return None;
        }
        Some(ParticleInvariants {
            lambda: dot(r_31, n) / det,
            mu: dot(cross(r_21, r_31), n) / det,
            tau: dot(cross(r_31, r_41), n) / det,
        })
    }

    /// (I3): r_3 from r_1, r_2, r_4.
    pub fn position(&self, [r_1, r_2, r_4]: [Vec3; 3]) -> Vec3 {
        let (r_21, r_41) = (sub(r_2, r_1), sub(r_4, r_1));
        let off = add(scale(self.lambda, cross(r_21, r_41)), scale(self.mu, r_41));
        add(r_1, add(off, scale(self.tau, r_21)))
    }

    /// The factors of r̈_1, r̈_2, r̈_4 in (I4), which are those of the velocities too ((2.12)).
    pub fn factors(&self, [r_1, r_2, r_4]: [Vec3; 3]) -> [Mat3; 3] {
        let ParticleInvariants { lambda, mu, tau } = *self;
        [
            scalar_and_skew(1.0 - mu - tau, scale(lambda, sub(r_4, r_2))),
            scalar_and_skew(tau, scale(-lambda, sub(r_4, r_1))),
            scalar_and_skew(mu, scale(lambda, sub(r_2, r_1))),
        ]
    }

    /// 2 λ ṙ_21 × ṙ_41 of (I4).
    pub fn convective(&self, [v_1, v_2, v_4]: [Vec3; 3]) -> Vec3 {
        scale(2.0 * self.lambda, cross(sub(v_2, v_1), sub(v_4, v_1)))
    }
}

/// s 1
pub(super) fn scalar(s: f64) -> Mat3 {
    IDENTITY.map(|row| scale(s, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::vec3::{apply, norm};
    use crate::model::Dimension;
    use crate::particles::{Candidate, EquivalentBody, MassProperties, spatial_particle_masses};

    const AT: [Vec3; 4] = [[0.1, -0.2, 0.3], [1.2, 0.1, -0.2], [-0.3, 0.9, 0.1], [0.2, 0.3, 1.4]];

    fn body() -> EquivalentBody {
        let inertia = [[0.9, 0.1, -0.05], [0.1, 0.7, 0.02], [-0.05, 0.02, 0.6]];
        let properties = MassProperties { mass: 2.5, com: [0.3, 0.25, 0.4], inertia_about_com: inertia };
        EquivalentBody::new(properties, &AT.map(|at| Candidate { at, joint: true }), Dimension::Spatial)
    }

    /// (2.6) entry by entry from the ten particle masses.
    #[test]
    fn paper_momentum_matrices() {
        let body = body();
        let masses = spatial_particle_masses(&body);
        let between = |i: usize, j: usize| {
            let found = masses.secondary.iter().find(|s| (s.0, s.1) == (i.min(j), i.max(j)));
            found.map_or(0.0, |s| s.2)
        };
        let r = &body.at;
        let ours = momentum_matrices(&body.gram, r);
        for i in 0..4 {
            let others = || (0..4).filter(move |&j| j != i);
            let m_bar = masses.primary[i] + others().map(|j| 0.5 * between(i, j)).sum::<f64>();
            let m_double_bar = masses.primary[i] + others().map(|j| 0.25 * between(i, j)).sum::<f64>();
            assert!((ours.m_bar[i] - m_bar).abs() < 1e-13, "{i}: {} {m_bar}", ours.m_bar[i]);
            assert!((ours.m_double_bar[i] - m_double_bar).abs() < 1e-13, "{i}");
            for row in 0..3 {
                for column in 0..3 {
                    let own = m_double_bar * skew(sub(r[i], r[0]))[row][column];
                    let rest = others()
                        .filter(|&j| j > 0)
                        .map(|j| 0.25 * between(i, j) * skew(sub(r[j], r[0]))[row][column]);
                    let expected = own + rest.sum::<f64>();
                    let entry = ours.a[i][row][column];
                    assert!((entry - expected).abs() < 1e-13, "A_{i}[{row}][{column}]: {entry} {expected}");
                }
            }
        }
    }

    /// (2.2), (2.3): rates of momentum of all ten particles, for any accelerations of the four.
    #[test]
    fn cross_ten_particles() {
        let body = body();
        let masses = spatial_particle_masses(&body);
        let a = [[0.3, -0.8, 0.1], [1.1, 0.4, -0.6], [-0.9, 0.2, 0.7], [0.5, 0.6, -0.2]];
        let (mut force, mut moment) = ([0.0; 3], [0.0; 3]);
        let mut particle = |m: f64, r: Vec3, a: Vec3| {
            force = add(force, scale(m, a));
            moment = add(moment, cross(sub(r, body.at[0]), scale(m, a)));
        };
        let mid = |x: Vec3, y: Vec3| scale(0.5, add(x, y));
        for (i, &m) in masses.primary.iter().enumerate() {
            particle(m, body.at[i], a[i]);
        }
        for &(i, j, m) in &masses.secondary {
            particle(m, mid(body.at[i], body.at[j]), mid(a[i], a[j]));
        }
        let ours = momentum_matrices(&body.gram, &body.at);
        for i in 0..4 {
            force = sub(force, scale(ours.m_bar[i], a[i]));
            moment = sub(moment, apply(&ours.a[i], a[i]));
        }
        assert!(norm(force) < 1e-13 && norm(moment) < 1e-13, "{force:?} {moment:?}");
    }

    /// Position, velocity and acceleration of particle 3 of a turning and accelerating body, on both sides of
    /// the plane of the others. Without 2 λ ṙ_21 × ṙ_41 the acceleration would be off by metres per second².
    #[test]
    fn exact_particle_3_of_a_rigid_motion() {
        let (w, alpha) = ([0.4, -1.1, 0.8], [0.7, 0.2, -0.5]);
        for order in [[0, 1, 2, 3], [0, 3, 2, 1], [2, 1, 0, 3], [1, 2, 3, 0]] {
            let r: [Vec3; 4] = order.map(|i| AT[i]);
            let [r_1, r_2, r_3, r_4] = r;
            let invariants = ParticleInvariants::new(r).unwrap();
            assert!(norm(sub(invariants.position([r_1, r_2, r_4]), r_3)) < 1e-14);
            let v = |x: Vec3| add([0.3, 0.1, -0.2], cross(w, x));
            let a = |x: Vec3| add([0.5, -0.4, 0.9], add(cross(alpha, x), cross(w, cross(w, x))));
            let through = |x: [Vec3; 3]| {
                let factors = invariants.factors([r_1, r_2, r_4]);
                factors.iter().zip(x).fold([0.0; 3], |s, (f, x)| add(s, apply(f, x)))
            };
            assert!(norm(sub(through([v(r_1), v(r_2), v(r_4)]), v(r_3))) < 1e-14);
            let convective = invariants.convective([v(r_1), v(r_2), v(r_4)]);
            let found = add(through([a(r_1), a(r_2), a(r_4)]), convective);
            assert!(norm(sub(found, a(r_3))) < 1e-14, "{found:?}");
            assert!(norm(convective) > 0.1, "{convective:?}");
        }
        let mirrored = |z: f64| {
            ParticleInvariants::new([[0.0; 3], [1.0, 0.0, 0.0], [0.2, 0.3, z], [0.0, 1.0, 0.0]]).unwrap()
        };
        assert_eq!(mirrored(0.5).lambda, -mirrored(-0.5).lambda);
        let line = [[0.0; 3], [1.0, 0.0, 0.0], [0.2, 0.3, 1.0], [2.0, 0.0, 0.0]];
        assert_eq!(ParticleInvariants::new(line), None);
    }
}
