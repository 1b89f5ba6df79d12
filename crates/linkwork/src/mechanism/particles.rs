//! The equivalent particles of a body, for reading: the same thing as its Gram matrix, given as single masses.

use super::{Mechanism, MechanismBody};
use crate::linalg::vec3::{Mat3, Vec3, add, axpy, dot, norm, scale, sub};
use crate::particles::spatial_particle_masses;

/// One of the particles that stand for a body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyParticle {
    /// Its point; of a secondary particle the two that it lies halfway between.
    pub name: String,
    /// Where it lies as drawn, m.
    pub at: Vec3,
    /// kg; single masses may be negative.
    pub mass: f64,
    /// m̄ of a primary particle: its own mass and half of those beside it, Σ_j G_ij, kg. Gravity pulls on this.
    pub m_bar: Option<f64>,
}

/// The particles of a body, and what they add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyParticles {
    /// The body.
    pub body: String,
    /// Primary particles, then secondary ones.
    pub list: Vec<BodyParticle>,
    /// Σ m, kg.
    pub mass: f64,
    /// Σ m r / Σ m, m; of a body without mass the middle of its primary points.
    pub com: Vec3,
    /// Σ m (r² 1 − r rᵀ) about that centre, kg m². In the plane only the component zz means anything.
    pub inertia: Mat3,
    /// How far these are from the body's own: mass, centre, inertia, each relative to the body's (the centre to its size).
    pub difference: [f64; 3],
}

impl Mechanism {
    /// The particles that stand for each body of the model.
    pub fn body_particles(&self) -> Vec<BodyParticles> {
        self.named_bodies().iter().map(|body| self.listed_particles(body)).collect()
    }

    fn listed_particles(&self, body: &MechanismBody) -> BodyParticles {
        let p = &body.particles;
        let masses = spatial_particle_masses(p);
        let name = |i: usize| self.node_names[body.nodes[i]].clone();
        let mut list: Vec<BodyParticle> = (0..p.k())
            .map(|i| BodyParticle {
                name: name(i),
                at: p.at[i],
                mass: masses.primary[i],
                m_bar: Some(p.gram[i].iter().sum()),
            })
            .collect();
        list.extend(masses.secondary.iter().map(|&(i, j, mass)| BodyParticle {
            name: format!("{} – {}", name(i), name(j)),
            at: scale(0.5, add(p.at[i], p.at[j])),
            mass,
            m_bar: None,
        }));
        let mass: f64 = list.iter().map(|particle| particle.mass).sum();
        let sum = list.iter().fold([0.0; 3], |s, particle| axpy(s, particle.mass, particle.at));
        let middle = p.at.iter().fold([0.0; 3], |s, &x| axpy(s, 1.0 / p.k() as f64, x));
        let com = if mass > 0.0 { scale(1.0 / mass, sum) } else { middle };
        let mut inertia = [[0.0; 3]; 3];
        for particle in &list {
            let y = sub(particle.at, com);
            for (r, row) in inertia.iter_mut().enumerate() {
                for (c, entry) in row.iter_mut().enumerate() {
                    *entry += particle.mass * (if r == c { dot(y, y) } else { 0.0 } - y[r] * y[c]);
                }
            }
        }
        let own = &p.properties;
        let size = p.at.iter().fold(0.0_f64, |s, &x| s.max(norm(sub(x, own.com))));
        let components = || {
            (0..3)
                .flat_map(|r| (0..3).map(move |c| (r, c)))
                .filter(|&(r, c)| self.columns() == 3 || r + c == 4)
        };
        let largest = components().fold(0.0_f64, |s, (r, c)| s.max(own.inertia_about_com[r][c].abs()));
        // beside a particle's inertia, which is none, its mass and size count
        let scale_of = |x: f64, other: f64| {
            if x > 0.0 {
                x
            } else if other > 0.0 {
                other
            } else {
                1.0
            }
        };
        let far = components()
            .fold(0.0_f64, |s, (r, c)| s.max((inertia[r][c] - own.inertia_about_com[r][c]).abs()));
        let difference = [
            (mass - own.mass).abs() / scale_of(own.mass, 1.0),
            if own.mass > 0.0 { norm(sub(com, own.com)) / scale_of(size, 1.0) } else { 0.0 },
            far / scale_of(largest, own.mass * size * size),
        ];
        BodyParticles { body: body.name.clone(), list, mass, com, inertia, difference }
    }
}
