//! Reaction forces from accelerations and multipliers.
//!
//! Each particle of each body obeys Newton's law, so what its neighbours do to it is what is left:
//!
//!   (R1)  R_i = Σ_j G_ij a_j − f_i + Σ_rows λ ∂Φ/∂r_i        on primary particle i of one body
//!
//! with f_i the applied forces of that body and the rows those that act on it. At a shared particle R_i
//! is the joint's force on this body. Where a joint's node is no primary particle of a body but follows
//! from it, the force there is minus the sum of what the others feel, spread by the weights N_i; nodes
//! are handled in the reverse of the order in which they follow from each other.

use super::Mechanism;
use super::links::Source;
use super::rows::Owner;
use crate::constraints::MAX_NODES;
use crate::interactions::{BodyWrench, CouplingOwner, Workspace};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Vec3, axpy, scale, sub};
use crate::model::Dimension;

/// Scratch for the recovery of reactions.
#[derive(Clone, Debug, Default)]
pub struct ReactionWorkspace {
    particle: Vec<[Vec3; 4]>,
    closing: Vec<Vec3>,
    follower: Vec<Vec3>,
}

/// State of the nodes that the recovery needs.
#[derive(Clone, Copy)]
pub struct NodeState<'a> {
    /// Positions.
    pub r: &'a [Vec3],
    /// Velocities.
    pub v: &'a [Vec3],
    /// Accelerations.
    pub a: &'a [Vec3],
}

impl Mechanism {
    /// Reactions of all joints, with couplings and actions as they were evaluated last. With `state.v`, `state.a` empty only
    /// the multipliers count: what a combination of multipliers alone would do.
    pub fn reactions(
        &self,
        state: NodeState<'_>,
        lambda: &[f64],
        interactions: &Workspace,
        ws: &mut ReactionWorkspace,
        out: &mut Vec<Wrench>,
    ) {
        ws.particle.clear();
        ws.particle.resize(self.bodies.len(), [[0.0; 3]; 4]);
        ws.closing.clear();
        ws.follower.clear();
        ws.follower.resize(self.links.followers.len(), [0.0; 3]);
        if !state.a.is_empty() {
            self.inertia_less_applied(state, &mut ws.particle);
            for pull in interactions.last_loads() {
                self.add_pull(pull, -1.0, state.r, &mut ws.particle);
            }
        }
        self.add_row_forces(state.r, lambda, &mut ws.particle);
        for (row, &l) in lambda[self.rows.len()..].iter().enumerate() {
            for pull in interactions.pulls(row) {
                self.add_pull(pull, l, state.r, &mut ws.particle);
            }
        }
        // Bodies held to a node by rows: the rows' own force.
        for closing in &self.closings {
            let mut force = [0.0; 3];
            for c in 0..self.columns() {
                force[c] = -lambda[closing.first_row + c];
            }
            ws.closing.push(force);
        }
        // Nodes that follow from a body: last first.
        for (f, follower) in self.links.followers.iter().enumerate().rev() {
            let b = follower.body;
            let mut force = [0.0; 3];
            for &(c, i) in &follower.primaries {
                force = sub(force, ws.particle[c][i]);
            }
            for &c in &follower.closings {
                force = sub(force, ws.closing[c]);
            }
            for (i, &w) in self.bodies[b].others[follower.other].1.iter().enumerate() {
                ws.particle[b][i] = axpy(ws.particle[b][i], -w, force);
            }
            ws.follower[f] = force;
        }
        out.clear();
        for (j, joint) in self.joints.iter().enumerate() {
            let mut reaction = Wrench::default();
            let about = state.r[joint.points[1]];
            for (&node, (sources, sign)) in joint.shared.iter().zip(&self.links.joints[j]) {
                let mut force = [0.0; 3];
                for source in sources {
                    let felt = match *source {
                        Source::Particle(b, i) => ws.particle[b][i],
                        Source::Closing(c) => ws.closing[c],
                        Source::Follower(f) => ws.follower[f],
                        Source::Nothing => [0.0; 3],
                    };
                    force = axpy(force, *sign, felt);
                }
                reaction = reaction.plus(Wrench::at(sub(state.r[node], about), force));
            }
            self.add_joint_rows(j, state.r, lambda, about, &mut reaction);
            out.push(reaction);
        }
        for (row, &l) in lambda[self.rows.len()..].iter().enumerate() {
            let CouplingOwner::Joint(j) = self.interactions.couplings[row].owner else { continue };
            let joint = &self.joints[j];
            // the ground feels what the first body does not
            let (on, by) = if joint.bodies[1].is_some() { (1, -l) } else { (0, l) };
            for pull in interactions.pulls(row).iter().filter(|p| Some(p.body) == joint.bodies[on]) {
                // from the centre of mass to the joint's point
                let arm = sub(interactions.motions[pull.body].c, state.r[joint.points[1]]);
                out[j] = out[j].plus(pull.wrench.times(by).about_origin(arm));
            }
        }
    }

    fn add_pull(&self, pull: &BodyWrench, factor: f64, r: &[Vec3], particle: &mut [[Vec3; 4]]) {
        for (p, f) in particle[pull.body].iter_mut().zip(self.spread_pull(pull, r)) {
            *p = axpy(*p, factor, f);
        }
    }

    /// Σ_j G_ij a_j − f_i
    fn inertia_less_applied(&self, state: NodeState<'_>, particle: &mut [[Vec3; 4]]) {
        for (b, body) in self.bodies.iter().enumerate() {
            for i in 0..body.nodes.len() {
                let mut sum = scale(-1.0, self.body_forces[b][i]);
                for (j, &node) in body.nodes.iter().enumerate() {
                    sum = axpy(sum, body.particles.gram[i][j], state.a[node]);
                }
                particle[b][i] = sum;
            }
        }
        for (link, spring) in self.springs_between_nodes() {
            let (force, _) = spring.between(link.nodes.map(|n| state.r[n]), link.nodes.map(|n| state.v[n]));
            for (end, carrier) in link.carriers.iter().enumerate() {
                let Some((b, carrier)) = *carrier else { continue };
                let pull = scale(if end == 0 { 1.0 } else { -1.0 }, force);
                self.bodies[b].spread(carrier, |i, w| particle[b][i] = axpy(particle[b][i], -w, pull));
            }
        }
    }

    fn add_row_forces(&self, r: &[Vec3], lambda: &[f64], particle: &mut [[Vec3; 4]]) {
        let mut gradient = [[0.0; 3]; MAX_NODES];
        for ((row, ends), &l) in self.rows.list.iter().zip(&self.links.rows).zip(lambda) {
            if l == 0.0 {
                continue;
            }
            row.constraint.gradient(r, &mut gradient);
            for (&(_, carrier), &g) in ends.iter().zip(&gradient) {
                let Some((b, carrier)) = carrier else { continue };
                self.bodies[b].spread(carrier, |i, w| particle[b][i] = axpy(particle[b][i], l * w, g));
            }
        }
    }

    /// What a joint's own rows do to its second body: −λ ∂Φ/∂r of the nodes that act on it.
    fn add_joint_rows(&self, j: usize, r: &[Vec3], lambda: &[f64], about: Vec3, reaction: &mut Wrench) {
        let mut gradient = [[0.0; 3]; MAX_NODES];
        let second = self.joints[j].bodies[1];
        for &i in &self.joints[j].rows {
            let row = &self.rows.list[i];
            debug_assert_eq!(row.owner, Owner::Joint(j));
            row.constraint.gradient(r, &mut gradient);
            for ((&(node, _), &on), &g) in self.links.rows[i].iter().zip(&row.acts_on).zip(&gradient) {
                if on == second {
                    let force = scale(-lambda[i], g);
                    *reaction = reaction.plus(Wrench::at(sub(r[node], about), force));
                }
            }
        }
    }
}

impl Mechanism {
    /// Which components of reactions the dimension has: force x, y (z), moment z or x, y, z.
    pub fn reaction_components(&self) -> (&'static [usize], &'static [usize]) {
        match self.dimension() {
            Dimension::Planar => (&[0, 1], &[2]),
            Dimension::Spatial => (&[0, 1, 2], &[0, 1, 2]),
        }
    }
}
