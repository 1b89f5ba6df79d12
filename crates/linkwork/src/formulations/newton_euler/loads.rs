//! Applied forces, springs and couples on bodies: [schwab2002] section 1.3, where σ_v is the force of a
//! spring and D_v its elongation.

use super::coordinates::{Pose, Spot};
use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};
use crate::mechanism::Mechanism;

struct Spring {
    spots: [Spot; 2],
    stiffness: f64,
    damping: f64,
    free_length: f64,
}

/// Everything that acts on bodies but gravity and couples.
pub struct Loads {
    springs: Vec<Spring>,
    forces: Vec<(Spot, Vec3)>,
}

impl Loads {
    pub fn new(mechanism: &Mechanism) -> Self {
        let springs = mechanism.springs.iter().map(|s| Spring {
            spots: [0, 1].map(|e| mechanism.spot(s.bodies[e], s.law.nodes[e])),
            stiffness: s.law.stiffness,
            damping: s.law.damping,
            free_length: s.law.free_length,
        });
        let forces = mechanism.forces.iter().map(|f| {
            let com = mechanism.bodies[f.body].particles.properties.com;
            (Spot { body: Some(f.body), s: sub(f.at, com) }, f.force)
        });
        Loads { springs: springs.collect(), forces: forces.collect() }
    }

    /// Where they act.
    pub fn spots(&self) -> impl Iterator<Item = Spot> {
        self.springs.iter().flat_map(|s| s.spots).chain(self.forces.iter().map(|f| f.0))
    }

    /// Hands each force, with its body and arm, to `apply`; returns the power of the dampers.
    pub fn apply(&self, poses: &[Pose], mut apply: impl FnMut(usize, Vec3, Vec3)) -> f64 {
        let mut power = 0.0;
        for (spot, f) in &self.forces {
            if let Some(b) = spot.body {
                apply(b, spot.at(poses).arm, *f);
            }
        }
        for spring in &self.springs {
            let [p, q] = spring.spots.map(|s| s.at(poses));
            let d = sub(q.r, p.r);
            let l = norm(d);
            if l > 0.0 {
                let u = scale(1.0 / l, d);
                let rate = dot(sub(q.v, p.v), u);
                let sigma = spring.stiffness * (l - spring.free_length) + spring.damping * rate;
                power -= spring.damping * rate * rate;
                for (spot, arm, f) in [(spring.spots[0], p.arm, sigma), (spring.spots[1], q.arm, -sigma)] {
                    if let Some(b) = spot.body {
                        apply(b, arm, scale(f, u));
                    }
                }
            }
        }
        power
    }

    /// Potential energy, J.
    pub fn potential(&self, poses: &[Pose]) -> f64 {
        let forces: f64 = self.forces.iter().map(|(spot, f)| -dot(*f, spot.at(poses).r)).sum();
        let springs = self.springs.iter().map(|spring| {
            let [p, q] = spring.spots.map(|s| s.at(poses));
            0.5 * spring.stiffness * (norm(sub(q.r, p.r)) - spring.free_length).powi(2)
        });
        forces + springs.sum::<f64>()
    }
}
