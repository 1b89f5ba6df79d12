//! Dynamics of one instant in joint variables, for trees and loops.
//!
//! ```text
//!   (Q1)  M u̇ + h = τ − Cᵀν,   C u̇ = γ          h: inertia forces at u̇ = 0 and weights, less everything that acts
//!   (Q2)  τ₀ = M u̇ + h                            inverse dynamics of the tree, link by link
//!   (Q3)  τ = τ₀ − Cᵀν,   C M⁻¹ τ = 0             of all forces that make this motion those that leave the loops' multipliers alone
//! ```
//!
//! A tree has no C: its forces are unique. In a loop forces along different joints can do the same; (Q3) takes the smallest in the metric of M⁻¹.

use super::*;
use crate::formulations::kernel::row_label;
use crate::interactions::CoordinateFunction;
use crate::recursive::{Derivatives, Inverse, Jacobians, MassMatrix};

impl Recursive<'_> {
    /// Puts the links at a state, with all loads, rows and factors.
    pub(crate) fn ask_at(&mut self, t: f64, y: &[f64]) -> Result<(), MotionError> {
        self.accelerate_links(self.core.at(t, y), true).map(|_| ())
    }

    /// u̇ of (Q1) with forces on the rates beside what acts, after [`ask_at`](Self::ask_at) at this state.
    pub(crate) fn accelerations_under(
        &mut self,
        t: f64,
        y: &[f64],
        forces: &[f64],
        out: &mut [f64],
    ) -> Result<(), MotionError> {
        self.tau.copy_from_slice(forces);
        let found = self.ask_at(t, y);
        self.tau.fill(0.0);
        self.factored = false;
        found?;
        out.copy_from_slice(&self.core.acceleration);
        Ok(())
    }

    /// The accelerations found last.
    pub(crate) fn last_accelerations(&self) -> &[f64] {
        &self.core.acceleration
    }

    /// M, row by row.
    pub(crate) fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        let n = self.counts().1;
        MassMatrix::new(self.dynamics.tree().clone()).full(q, out);
        for &(k, inertia) in &self.light {
            out[k * n + k] -= inertia;
        }
    }

    /// M u̇ + h of (Q2), after [`ask_at`](Self::ask_at) at this state.
    pub(crate) fn tree_forces(&self, q: &[f64], u: &[f64], accelerations: &[f64], out: &mut [f64]) {
        Inverse::new(self.dynamics.tree().clone()).forces(q, u, accelerations, out);
        loads::hand_over(&self.loads, &self.links.places, |link, load| {
            self.dynamics.each_rate(link, *load, |k, power| out[k] -= power);
        });
        for &(k, inertia) in &self.light {
            out[k] -= inertia * accelerations[k];
        }
    }

    /// (Q3), in place, after [`ask_at`](Self::ask_at).
    pub(crate) fn without_multipliers(&mut self, forces: &mut [f64]) -> Result<(), MotionError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.solve_for(forces)?;
        for (row, nu) in self.rows.rows.iter().zip(&self.core.lambda) {
            for (&k, c) in row.rates.iter().zip(&row.values) {
                forces[k] -= c * nu;
            }
        }
        Ok(())
    }

    /// What forces on the rates add to the accelerations, in place, after [`ask_at`](Self::ask_at).
    pub(crate) fn answer(&mut self, forces: &mut [f64]) -> Result<(), MotionError> {
        self.solve_for(forces)?;
        forces.copy_from_slice(&self.core.correction);
        Ok(())
    }

    /// M x + Cᵀν = forces, C x = 0, with x in `correction`.
    fn solve_for(&mut self, forces: &[f64]) -> Result<(), MotionError> {
        self.restore_factor()?;
        let Recursive { rows, dynamics, light, bare, dense, core, .. } = self;
        let Core { correction, lambda: nu, phi, .. } = core;
        dynamics.clear_again();
        dynamics.solve_again(forces, correction);
        if !rows.is_empty() {
            phi.fill(0.0);
            Self::meet(
                rows,
                dynamics,
                light,
                bare,
                Meeting { gamma: phi, x: correction, nu, scratch: dense },
            );
        }
        Ok(())
    }

    /// Analytic derivatives of the accelerations by positions and rates, where gravity is all that acts and the tree all that holds.
    pub(crate) fn plain_derivatives(&self, q: &[f64], u: &[f64]) -> Option<[Vec<f64>; 2]> {
        if !self.plain || self.core.active || !self.light.is_empty() {
            return None;
        }
        let mut derivatives = Derivatives::new(self.dynamics.tree().clone());
        derivatives.forward(q, u, &self.core.zero).ok()?;
        Some([derivatives.by_position().to_vec(), derivatives.by_rate().to_vec()])
    }

    /// A small size of each rate's position: an angle, or a part of the mechanism's size.
    pub(crate) fn rate_sizes(&self, part: f64) -> Vec<f64> {
        let tree = self.dynamics.tree();
        let of = |k: usize| {
            let link = self.links.link_of(tree, k, true);
            let path = match self.links.list[link].joint {
                LinkJoint::Axis { turn, .. } => turn == 0.0,
                LinkJoint::Ball => false,
                LinkJoint::Free => k < tree.first(link).1 + 3,
            };
            if path { part * self.mechanism.size } else { part }
        };
        (0..tree.u_count()).map(of).collect()
    }

    /// C, row by row, and γ.
    pub(crate) fn constraint_rows(&self) -> (Vec<f64>, Vec<f64>) {
        let n = self.counts().1;
        let mut c = vec![0.0; self.rows.rows.len() * n];
        for (row, out) in self.rows.rows.iter().zip(c.chunks_mut(n.max(1))) {
            for (&k, value) in row.rates.iter().zip(&row.values) {
                out[k] = *value;
            }
        }
        (c, self.core.gamma.clone())
    }

    /// The entries of a row of C: rates and their factors.
    pub(crate) fn constraint_row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let row = &self.rows.rows[row];
        row.rates.iter().copied().zip(row.values.iter().copied())
    }

    /// What a constraint row is called.
    pub(crate) fn constraint_name(&self, row: usize) -> &str {
        row_label(self, row)
    }

    /// The Jacobian of a place of a body as drawn: three rows for its angular velocity, three for the velocity of the place.
    pub(crate) fn jacobian(&self, q: &[f64], body: usize, place: Vec3, out: &mut [f64]) {
        out.fill(0.0);
        let at = &self.links.places[body];
        if let Some(link) = at.link {
            let mut jacobians = Jacobians::new(self.dynamics.tree().clone());
            jacobians.place(q, &self.core.zero);
            jacobians.spatial(link, sub(place, at.origin), out);
        }
    }

    /// The body that carries a node, and its place there as drawn.
    pub(crate) fn home(&self, node: usize) -> (crate::mechanism::BodyIndex, Vec3) {
        self.homes[node]
    }

    /// Whether coordinates of links tell the whole turns of all joints.
    pub(crate) fn counts_turns(&self) -> bool {
        let Mechanism { joints, interactions, .. } = self.mechanism;
        joints.iter().enumerate().all(|(j, joint)| {
            joint.coordinates.iter().enumerate().all(|(i, c)| {
                let known = || self.links.coordinates.iter().any(|own| (own.joint, own.index) == (j, i));
                !matches!(interactions.gauges[c.gauge], CoordinateFunction::Angle { hint: None, .. })
                    || known()
            })
        })
    }

    /// The turns of particles that carry nothing: rates without any inertia but what they have been given. A rod has others in a ball joint.
    pub(crate) fn turns_of_particles(&self) -> Vec<usize> {
        let tree = self.dynamics.tree();
        let particle = |&k: &usize| {
            let link = self.links.link_of(tree, k, true);
            let turns = match self.links.list[link].joint {
                LinkJoint::Axis { turn, .. } => turn != 0.0,
                LinkJoint::Ball => true,
                LinkJoint::Free => k >= tree.first(link).1 + 3,
            };
            let idle = self.links.list[link].spare != [[0.0; 3]; 3];
            let body = &self.mechanism.bodies[self.links.of_link[link]];
            let spread = body.particles.properties.inertia_about_com.iter().flatten().any(|i| *i != 0.0);
            let carries = (0..self.links.list.len()).any(|other| tree.parent(other) == Some(link));
            turns && idle && body.nodes.len() == 1 && body.others.is_empty() && !spread && !carries
        };
        (0..tree.u_count()).filter(particle).collect()
    }

    /// What the rates are called: the joint, or the body that moves freely, and which of its rates where it has several.
    pub(crate) fn rate_names(&self) -> Vec<String> {
        let tree = self.dynamics.tree();
        let owners: Vec<String> = (0..tree.u_count())
            .map(|k| {
                let body = self.links.of_link[self.links.link_of(tree, k, true)];
                match self.links.spanning.branches[body].joint {
                    Some(joint) => self.mechanism.joints[joint].name.clone(),
                    None => self.mechanism.bodies[body].name.clone(),
                }
            })
            .collect();
        let count = |name: &String| owners.iter().filter(|other| *other == name).count();
        let mut names: Vec<String> = Vec::with_capacity(owners.len());
        for (k, owner) in owners.iter().enumerate() {
            let before = owners[..k].iter().filter(|other| *other == owner).count();
            names.push(if count(owner) == 1 { owner.clone() } else { format!("{owner}.{before}") });
        }
        names
    }
}
