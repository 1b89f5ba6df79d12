//! Couplings and actions in joint variables.
//!
//! A wrench (f, m) on a body is f·∂ċ/∂q̇ + m·∂ω/∂q̇ by the columns of the tree, and γ loses f·c̈₀ + m·ω̇₀, what the bodies
//! do with q̈ = 0.

use super::reactions::carried;
use super::system::{Law, TreeSystem};
use crate::interactions::BodyWrench;
use crate::linalg::spatial::{Twist, Wrench};

impl<L: Law> TreeSystem<'_, L> {
    /// Couplings into C and γ, actions into the applied wrenches; returns the power of the actions.
    pub(super) fn interact(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let interactions = &self.mechanism.interactions;
        let (ws, kinematics) = (&mut self.core.interactions, &self.kinematics);
        kinematics.motions(self.mechanism, &mut ws.motions);
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
                gamma -= pull.wrench.power(&pose.bias_twist(at));
                for &k in &kinematics.path[pull.body] {
                    if let Ok(slot) = rates.binary_search(&k) {
                        c[slot] += pull.wrench.power(&kinematics.columns[k].twist(at));
                    }
                }
            }
            self.core.gamma[first + i] = gamma;
        }
        let (pulls, power) = ws.loads(interactions, t, auxiliary);
        for pull in pulls {
            let at =
                kinematics.poses[pull.body].place(self.mechanism.bodies[pull.body].particles.properties.com);
            self.applied[pull.body] = self.applied[pull.body].plus(pull.wrench.about_origin(at));
            if !L::TAKES_APPLIED {
                for &k in &kinematics.path[pull.body] {
                    self.force[k] += pull.wrench.power(&kinematics.columns[k].twist(at));
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
            let moment = carried(self.mechanism, kinematics, pull.body, pull.wrench.moment);
            let wrench = Wrench { moment, ..pull.wrench };
            for &k in &kinematics.path[pull.body] {
                self.force[k] += wrench.power(&kinematics.columns[k].twist(at));
            }
        }
    }

    /// What given rates, or their rates, make of the bodies, at the present kinematics.
    pub(super) fn body_twists(&self, rates: &[f64], out: &mut [Twist]) {
        let kinematics = &self.kinematics;
        for (b, (body, out)) in self.mechanism.bodies.iter().zip(out).enumerate() {
            let at = kinematics.poses[b].place(body.particles.properties.com);
            let add = |sum: Twist, &k: &usize| sum.add(rates[k], &kinematics.columns[k].twist(at));
            *out = kinematics.path[b].iter().fold(Twist::default(), add);
        }
    }
}
