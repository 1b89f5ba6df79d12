//! `joints`: relative joint variables by velocity transformation ([attia2003] section 6).
//!
//!   (1)  ṙ = B θ̇                                  (6.1)
//!   (2)  r̈ = B θ̈ + Ḃ θ̇                            (6.2)
//!   (3)  Bᵀ M B θ̈ = Bᵀ (f − M Ḃ θ̇)                 (6.4), open loops
//!   (4)  [ BᵀMB  Cᵀ ] [θ̈]   [ Bᵀ(f − M Ḃθ̇) ]
//!        [  C    0  ] [ν] = [  γ = −Ċ θ̇     ]      (6.8), loops closed at cut joints
//!
//! r are the primary particles of all bodies, M their constant mass matrix (the bodies' Gram matrices), and
//! B comes from the points' positions alone. (6.7) of the paper lacks Ċ θ̇; its cut-joint rates are r₇' = 0
//! and r₉' = 0. The loops, the state and the reactions are those of every formulation in joint variables:
//! [`TreeSystem`].

use super::tree::{Instant, Law, MassMatrix, TreeSystem, UnitTwist, Variables};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Vec3, axpy, cross, dot, sub};
use crate::mechanism::Mechanism;

/// The formulation with all its buffers.
pub type Joints<'m> = TreeSystem<'m, ParticleLaw>;

/// Inertia of particles: BᵀMB and Bᵀ(f − MḂθ̇).
pub struct ParticleLaw {
    column_wrenches: Vec<Wrench>,
}

/// What particles at r do that are accelerated by a: Σ G_ij a_j at r_i.
fn through(gram: &[Vec<f64>], r: &[Vec3; 4], a: &[Vec3; 4]) -> Wrench {
    let k = gram.len();
    let mut wrench = Wrench::default();
    for i in 0..k {
        let f = (0..k).fold([0.0; 3], |s, j| axpy(s, gram[i][j], a[j]));
        wrench = wrench.plus(Wrench::at(r[i], f));
    }
    wrench
}

/// What a wrench does along a column: its power for a unit rate.
fn work(column: &UnitTwist, wrench: &Wrench) -> f64 {
    match *column {
        UnitTwist::Slide { a } => dot(a, wrench.force),
        UnitTwist::Turn { a, p } => dot(a, sub(wrench.moment, cross(p, wrench.force))),
    }
}

impl Law for ParticleLaw {
    fn new(_: &Mechanism, _: &Variables) -> Self {
        ParticleLaw { column_wrenches: Vec::new() }
    }

    fn equations(&mut self, at: &Instant<'_>, mass: &mut MassMatrix, force: &mut [f64]) {
        let kinematics = at.kinematics;
        for (b, body) in at.mechanism.bodies.iter().enumerate() {
            let pose = &kinematics.poses[b];
            let k = body.nodes.len();
            let mut r = [[0.0; 3]; 4];
            let mut bias = [[0.0; 3]; 4];
            for i in 0..k {
                r[i] = pose.place(body.particles.at[i]);
                bias[i] = pose.bias_at(r[i]);
            }
            let gram = &body.particles.gram;
            let left = at.applied[b].plus(through(gram, &r, &bias).negative());
            let path = &kinematics.path[b];
            self.column_wrenches.clear();
            for &c in path {
                let column = kinematics.columns[c];
                let mut moved = [[0.0; 3]; 4];
                for i in 0..k {
                    moved[i] = column.at(r[i]);
                }
                self.column_wrenches.push(through(gram, &r, &moved));
                force[c] += work(&column, &left);
            }
            for (s, &i) in path.iter().enumerate() {
                for (&j, wrench) in path[..=s].iter().zip(&self.column_wrenches) {
                    mass.add(i, j, work(&kinematics.columns[i], wrench));
                }
            }
        }
    }

    fn kinetic(&mut self, at: &Instant<'_>) -> f64 {
        let mut sum = 0.0;
        for (body, pose) in at.mechanism.bodies.iter().zip(&at.kinematics.poses) {
            let v: Vec<Vec3> = body.particles.at.iter().map(|&x| pose.velocity(pose.place(x))).collect();
            for (i, row) in body.particles.gram.iter().enumerate() {
                for (j, g) in row.iter().enumerate() {
                    sum += 0.5 * g * dot(v[i], v[j]);
                }
            }
        }
        sum
    }

    fn momentum_rates(&mut self, at: &Instant<'_>, acceleration: &[f64], out: &mut [Wrench]) {
        let kinematics = at.kinematics;
        for (b, body) in at.mechanism.bodies.iter().enumerate() {
            let pose = &kinematics.poses[b];
            let (mut r, mut a) = ([[0.0; 3]; 4], [[0.0; 3]; 4]);
            for (i, &x) in body.particles.at.iter().enumerate() {
                r[i] = pose.place(x);
                a[i] = kinematics.path[b].iter().fold(pose.bias_at(r[i]), |s, &c| {
                    axpy(s, acceleration[c], kinematics.columns[c].at(r[i]))
                });
            }
            out[b] = through(&body.particles.gram, &r, &a);
        }
    }
}
