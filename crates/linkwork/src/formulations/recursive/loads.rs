//! What acts on the links: actions, and the rows of couplings.

use super::{BodyPlace, Recursive};
use crate::interactions::Motion;
use crate::linalg::vec3::{Vec3, add, cross, dot, sub};

/// A force on a body, and the moment about the reference point of its link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    pub force: Vec3,
    pub moment: Vec3,
}

impl Load {
    /// Adds a force at an arm from the reference point.
    #[inline]
    fn add(&mut self, arm: Vec3, force: Vec3) {
        self.force = add(self.force, force);
        self.moment = add(self.moment, cross(arm, force));
    }
}

/// Tells the loads that are not zero, by link.
#[inline]
pub(super) fn hand_over(loads: &[Load], places: &[BodyPlace], mut to: impl FnMut(usize, &Load)) {
    for (load, place) in loads.iter().zip(places) {
        if let Some(link) = place.link
            && *load != Load::default()
        {
            to(link, load);
        }
    }
}

impl Recursive<'_> {
    /// Motions of the bodies at the present poses, for the interactions.
    pub(super) fn motions(&mut self) {
        let (bodies, poses) = (&self.bodies, &self.kinematics.poses);
        self.core.interactions.locate(|b| {
            let (pose, c) = (&poses[b], poses[b].place(bodies[b].com));
            Motion { c, turned: pose.turned, v: pose.velocity(c), w: pose.w }
        });
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
        self.loads.fill(Load::default());
        let mut power = 0.0;
        if self.core.active {
            self.motions();
            self.couple(t, auxiliary);
            let (pulls, of_actions) = self.core.interactions.loads(&mechanism.interactions, t, auxiliary);
            power += of_actions;
            for pull in pulls {
                let pose = &self.kinematics.poses[pull.body];
                let load = &mut self.loads[pull.body];
                load.add(sub(pose.place(self.bodies[pull.body].com), pose.origin), pull.force);
                load.moment = add(load.moment, pull.moment);
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
                gamma -= dot(pull.force, pose.bias(at)) + dot(pull.moment, pose.alpha);
                if let Some(link) = self.links.places[pull.body].link {
                    let dense = &mut self.dense;
                    let arm = sub(at, pose.origin);
                    self.dynamics.each_rate(link, arm, pull.force, pull.moment, |k, p| dense[k] += p);
                }
            }
            self.core.gamma[first + i] = gamma;
            self.collect_row(first + i);
        }
    }
}
