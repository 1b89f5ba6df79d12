//! What the common part of all formulations asks of this one: see [`Kernel`]. And what a checkpoint keeps.

use super::links::LinkCoordinate;
use super::*;
use crate::formulations::kernel as common;
use crate::results::StateCoordinate;

/// How many of a joint's coordinates are paths: its first ones.
pub(super) fn paths(joint: &LinkJoint) -> usize {
    match *joint {
        LinkJoint::Axis { slide, .. } => usize::from(slide != 0.0),
        LinkJoint::Ball => 0,
        LinkJoint::Free => 3,
    }
}

impl common::Kernel for Recursive<'_> {
    accessors!();

    fn initial(&self) -> (Vec<f64>, Vec<f64>) {
        self.links.start(self.mechanism, self.dynamics.tree())
    }

    fn given_start(&self) -> Option<&[f64]> {
        self.given_start.as_deref()
    }

    /// Whatever needs no poses is done without them: they cost as much as the kernel.
    fn accelerate(&mut self, at: At<'_>, observed: bool) -> Result<f64, MotionError> {
        self.accelerate_links(at, observed)
    }

    fn power_alone(&self, at: At<'_>) -> Option<f64> {
        let known = self.needs_no_poses() && self.input.is_none();
        known.then(|| self.joint_forces.as_ref().map_or(0.0, |forces| forces.power(at.auxiliary, at.u)))
    }

    fn coordinate_rates(&mut self, q: &[f64], u: &[f64], dq: &mut [f64]) {
        self.link_rates(q, u, dq);
    }

    fn move_along(&mut self, q: &mut [f64], change: &[f64]) {
        let mut step = std::mem::take(&mut self.scratch);
        self.link_rates(q, change, &mut step);
        for (q, d) in q.iter_mut().zip(&step) {
            *q += d;
        }
        self.scratch = step;
        self.normalise(q);
    }

    fn normalise(&self, q: &mut [f64]) {
        for &(_, i) in &self.quaternions {
            quaternion::normalise(&mut q[i..i + 4]);
        }
    }

    fn motions(&mut self, q: &[f64], u: &[f64], motions: &mut [Motion]) {
        self.elsewhere(q, u);
        let Some(other) = &self.elsewhere else { return };
        for ((place, body), motion) in self.links.places.iter().zip(&self.bodies).zip(motions) {
            *motion = pose_of(place, |link| other.motion(link)).motion(body.com);
        }
    }

    fn rigid_rates(&mut self, q: &[f64], u: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]) {
        self.elsewhere(q, u);
        let Some(other) = &self.elsewhere else { return };
        other.spread(rates, &mut self.spread);
        for ((place, body), out) in self.links.places.iter().zip(&self.bodies).zip(out) {
            let pose = pose_of(place, |link| other.motion(link));
            let c = pose.place(body.com);
            *out = Twist::default();
            if let Some(link) = place.link {
                let twist = self.spread[link];
                *out = Twist { v: twist.velocity(sub(c, pose.origin)), ..twist };
            }
            if biased {
                *out = out.add(1.0, &pose.bias_twist(c));
            }
        }
    }

    fn answer(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError> {
        self.restore_factor()?;
        self.dynamics.clear_again();
        for pull in pulls {
            let Some(link) = self.links.places[pull.body].link else { continue };
            let pose = &self.kinematics.poses[pull.body];
            let arm = sub(pose.place(self.bodies[pull.body].com), pose.origin);
            let moment = carried(self.mechanism, &self.kinematics, pull.body, pull.wrench.moment);
            self.dynamics.load_again(link, arm, pull.wrench.force, moment);
        }
        let Core { zero, phi, lambda, counters, .. } = &mut self.core;
        self.dynamics.solve_again(zero, change);
        phi.fill(0.0);
        counters.solves += 1;
        if !self.rows.is_empty() {
            counters.solves += Self::meet(
                &mut self.rows,
                &mut self.dynamics,
                &self.light,
                &mut self.bare,
                Meeting { gamma: phi, x: change, nu: lambda, scratch: &mut self.dense },
            );
        }
        Ok(())
    }

    fn describe(&mut self, at: At<'_>, frame: &mut Frame) {
        self.describe_links(at, frame);
    }

    fn component(&self, i: usize) -> (String, Vec<usize>) {
        let tree = self.dynamics.tree();
        let (what, link) = match i.checked_sub(self.core.nq) {
            None => ("coordinate", self.links.link_of(tree, i, false)),
            Some(i) => ("rate", self.links.link_of(tree, i, true)),
        };
        (format!("the {what} of {}", self.link_name(link)), vec![self.links.of_link[link]])
    }

    fn linearise(&mut self, at: At<'_>) {
        self.remember(at);
        self.place_links(at);
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.factor_links()
    }

    /// With [`Recursive::meet`], from no change at all.
    fn correct(&mut self) -> u64 {
        let Recursive { rows, dynamics, light, bare, dense, core, .. } = self;
        let Core { phi, correction, lambda, .. } = core;
        correction.fill(0.0);
        let step = Meeting { gamma: phi, x: correction, nu: lambda, scratch: dense };
        1 + Self::meet(rows, dynamics, light, bare, step)
    }

    fn rates_of_rows(&mut self, u: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.rows.rows).for_each(|(rate, row)| *rate = row.times(u));
    }

    fn independence_of(&self, row: usize) -> f64 {
        self.rows.independence(row)
    }

    fn joint_row_label(&self, row: usize) -> &str {
        &self.loops.rows[row].label
    }

    fn may_drift(&self) -> bool {
        !self.rows.is_empty() || !self.quaternions.is_empty() || self.mechanism.interactions.hints > 0
    }

    fn free_spins(&self) -> Vec<Spin> {
        let tree = self.dynamics.tree();
        let free = self.quaternions.iter().filter(|&&(link, _)| tree.parent(link).is_none());
        let spin = |&(link, q): &(usize, usize)| {
            let own = if self.links.list[link].joint == LinkJoint::Free { 3 } else { 0 };
            Spin { q, u: tree.q_count() + tree.first(link).1 + own }
        };
        free.map(spin).collect()
    }

    fn coordinates_of_joints(&self) -> Vec<StateCoordinate> {
        let (tree, nq) = (self.dynamics.tree(), self.core.nq);
        let place = |c: &LinkCoordinate| {
            let (q, u) = tree.first(c.link);
            StateCoordinate { joint: c.joint, index: c.index, q, u: nq + u, sense: c.sign }
        };
        self.links.coordinates.iter().map(place).collect()
    }

    fn carries_inertia(&self, index: usize) -> bool {
        self.links.inertias[index].is_some()
    }
}

// The factor and the poses are those of the last state, which is kept, and are made again from it when somebody asks.
impl crate::keep::Keep for Recursive<'_> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.core.keep(to);
        self.last.0.keep(to);
        self.last.1.keep(to);
        self.rows.reference.keep(to);
    }

    fn recall(&mut self, from: &mut crate::keep::Bytes<'_>) -> Result<(), crate::keep::Damaged> {
        self.core.recall(from)?;
        self.last.0.recall(from)?;
        self.last.1.recall(from)?;
        self.rows.reference.recall(from)?;
        self.factored = false;
        Ok(())
    }
}
