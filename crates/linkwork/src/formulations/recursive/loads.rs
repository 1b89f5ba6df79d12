//! What acts on the links: actions, and the rows of couplings.

use super::{BodyPlace, Recursive};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::sub;

/// Tells the loads that are not zero, by link.
#[inline]
pub(super) fn hand_over(loads: &[Wrench], places: &[BodyPlace], mut to: impl FnMut(usize, &Wrench)) {
    for (load, place) in loads.iter().zip(places) {
        if let Some(link) = place.link
            && *load != Wrench::default()
        {
            to(link, load);
        }
    }
}

impl Recursive<'_> {
    /// Motions of the bodies at the present poses, for the interactions.
    pub(super) fn motions(&mut self) {
        let (bodies, poses) = (&self.bodies, &self.kinematics.poses);
        self.core.interactions.locate(|b| poses[b].motion(bodies[b].com));
    }

    /// Gathers all loads but gravity, hands them to the kernel, and the rows of couplings; returns the power of dampers, couples and
    /// actions.
    pub(super) fn gather_loads(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let power = self.work_out_loads(t, auxiliary);
        let dynamics = &mut self.dynamics;
        hand_over(&self.loads, &self.links.places, |link, load| {
            dynamics.load(link, [0.0; 3], load.force, load.moment);
        });
        power
    }

    /// Works out all loads but gravity at the present poses, and the rows of couplings; returns the power of dampers, couples and
    /// actions.
    pub(super) fn work_out_loads(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let mechanism = self.mechanism;
        self.loads.fill(Wrench::default());
        let mut power = 0.0;
        if self.core.active {
            self.motions();
            self.couple(t, auxiliary);
            let (pulls, of_actions) = self.core.interactions.loads(&mechanism.interactions, t, auxiliary);
            power += of_actions;
            for pull in pulls {
                let pose = &self.kinematics.poses[pull.body];
                let arm = sub(pose.place(self.bodies[pull.body].com), pose.origin);
                self.loads[pull.body] = self.loads[pull.body].plus(pull.wrench.about_origin(arm));
            }
        }
        power
    }

    /// Bodies whose poses [`Recursive::work_out_loads`] looks at.
    pub(super) fn asked_bodies(&self) -> Vec<usize> {
        if self.core.active { self.core.interactions.concerned().to_vec() } else { Vec::new() }
    }

    /// Rows of couplings: C, γ and Φ.
    fn couple(&mut self, t: f64, auxiliary: &[f64]) {
        let first = self.loops.rows.len();
        self.core.interactions.rows(&self.mechanism.interactions, t, auxiliary);
        for i in 0..self.core.interactions.evaluated.len() {
            let row = self.core.interactions.evaluated[i];
            self.core.phi[first + i] = row.phi;
            if self.kept[i] {
                (self.core.phi[first + i], self.core.gamma[first + i]) = (0.0, 0.0);
                continue;
            }
            let mut gamma = row.gamma;
            for pull in self.core.interactions.pulls(i) {
                let pose = &self.kinematics.poses[pull.body];
                let at = self.core.interactions.motions[pull.body].c;
                gamma -= pull.wrench.power(&pose.bias_twist(at));
                if let Some(link) = self.links.places[pull.body].link {
                    let dense = &mut self.dense;
                    let arm = sub(at, pose.origin);
                    self.dynamics.each_rate(link, pull.wrench.about_origin(arm), |k, p| dense[k] += p);
                }
            }
            self.core.gamma[first + i] = gamma;
            self.collect_row(first + i);
        }
    }
}
