//! Couplings and actions in joint variables.
//!
//! A pull (f, m) on a body is f·∂ċ/∂q̇ + m·∂ω/∂q̇ by the columns of the tree, and γ loses f·c̈₀ + m·ω̇₀, what the bodies
//! do with q̈ = 0.

use super::kinematics::Kinematics;
use super::reactions::{Wrench, carried};
use super::system::{Law, TreeSystem};
use crate::formulations::Twist;
use crate::interactions::{BodyWrench, Motion};
use crate::linalg::vec3::{add, axpy, dot, scale};
use crate::mechanism::Mechanism;

impl<L: Law> TreeSystem<'_, L> {
    /// Motions of all bodies at the present kinematics.
    pub(super) fn body_motions(mechanism: &Mechanism, kinematics: &Kinematics, out: &mut [Motion]) {
        for ((body, pose), motion) in mechanism.bodies.iter().zip(&kinematics.poses).zip(out) {
            let c = pose.place(body.particles.properties.com);
            *motion = Motion { c, turned: pose.turned, v: pose.velocity(c), w: pose.w };
        }
    }

    /// Couplings into C and γ, actions into the applied wrenches; returns the power of the actions.
    pub(super) fn interact(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let interactions = &self.mechanism.interactions;
        let (ws, kinematics) = (&mut self.core.interactions, &self.kinematics);
        Self::body_motions(self.mechanism, kinematics, &mut ws.motions);
        ws.rows(interactions, t, auxiliary);
        let first = self.loops.rows.len();
        for (i, rates) in self.coupled.iter().enumerate() {
            let row = &ws.evaluated[i];
            self.core.phi[first + i] = row.phi;
            let mut gamma = row.gamma;
            let start = self.kkt.row(first + i).0;
            let c = &mut self.kkt.a[start..start + rates.len()];
            c.fill(0.0);
            for pull in ws.pulls(i) {
                let pose = &kinematics.poses[pull.body];
                let at = ws.motions[pull.body].c;
                gamma -= dot(pull.force, pose.bias(at)) + dot(pull.moment, pose.alpha);
                for &k in &kinematics.path[pull.body] {
                    if let Ok(slot) = rates.binary_search(&k) {
                        let column = &kinematics.columns[k];
                        c[slot] += dot(pull.force, column.at(at)) + dot(pull.moment, column.turning());
                    }
                }
            }
            self.core.gamma[first + i] = gamma;
        }
        let (pulls, power) = ws.loads(interactions, t, auxiliary);
        for pull in pulls {
            let at =
                kinematics.poses[pull.body].place(self.mechanism.bodies[pull.body].particles.properties.com);
            let mut wrench = Wrench::at(at, pull.force);
            wrench.moment = add(wrench.moment, pull.moment);
            self.applied[pull.body] = self.applied[pull.body].plus(wrench);
            if !L::TAKES_APPLIED {
                for &k in &kinematics.path[pull.body] {
                    let column = &kinematics.columns[k];
                    self.force[k] += dot(pull.force, column.at(at)) + dot(pull.moment, column.turning());
                }
            }
        }
        power
    }

    /// Wrenches as forces on the rates, at the present kinematics.
    pub(super) fn pulled(&mut self, pulls: &[BodyWrench]) {
        let kinematics = &self.kinematics;
        self.force.fill(0.0);
        for pull in pulls {
            let com = self.mechanism.bodies[pull.body].particles.properties.com;
            let at = kinematics.poses[pull.body].place(com);
            let moment = carried(self.mechanism, kinematics, pull.body, pull.moment);
            for &k in &kinematics.path[pull.body] {
                let column = &kinematics.columns[k];
                self.force[k] += dot(pull.force, column.at(at)) + dot(moment, column.turning());
            }
        }
    }

    /// What given rates, or their rates, make of the bodies, at the present kinematics.
    pub(super) fn body_twists(&self, rates: &[f64], out: &mut [Twist]) {
        let kinematics = &self.kinematics;
        for (b, (body, out)) in self.mechanism.bodies.iter().zip(out).enumerate() {
            let at = kinematics.poses[b].place(body.particles.properties.com);
            let sum = |s: Twist, &k: &usize| Twist {
                v: axpy(s.v, rates[k], kinematics.columns[k].at(at)),
                w: axpy(s.w, rates[k], kinematics.columns[k].turning()),
            };
            *out = kinematics.path[b].iter().fold(Twist::default(), sum);
        }
    }

    /// What each coupling does to each of its bodies: (coupling, body, wrench).
    pub(super) fn coupling_wrenches(&self) -> Vec<(usize, usize, Wrench)> {
        let first = self.loops.rows.len();
        let mut all = Vec::new();
        for i in 0..self.coupled.len() {
            for pull in self.core.interactions.pulls(i) {
                let mut wrench = Wrench::at(
                    self.core.interactions.motions[pull.body].c,
                    scale(-self.core.lambda[first + i], pull.force),
                );
                wrench.moment = axpy(wrench.moment, -self.core.lambda[first + i], pull.moment);
                all.push((i, pull.body, wrench));
            }
        }
        all
    }
}
