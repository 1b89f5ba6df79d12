//! What every formulation answers: see [`Formulate`].

use super::*;

impl Formulate for Recursive<'_> {
    fn start(&self) -> Vec<f64> {
        if let Some(start) = &self.given_start {
            return start.clone();
        }
        let (q, u) = self.links.start(self.mechanism, self.dynamics.tree());
        q.into_iter().chain(u).chain([0.0]).chain(self.mechanism.start_extras()).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        self.observe_at(t, y, frame)
    }

    fn spins(&self) -> Vec<Spin> {
        let tree = self.dynamics.tree();
        let free = self.quaternions.iter().filter(|&&(link, _)| tree.parent(link).is_none());
        let spin = |&(link, q): &(usize, usize)| {
            let own = if self.links.list[link].joint == LinkJoint::Free { 3 } else { 0 };
            Spin { q, u: tree.q_count() + tree.first(link).1 + own }
        };
        free.map(spin).collect()
    }

    fn work_index(&self) -> usize {
        let (nq, nu) = self.counts();
        nq + nu
    }

    fn is_bound(&self) -> bool {
        !self.rows.is_empty() || !self.quaternions.is_empty() || self.mechanism.interactions.hints > 0
    }

    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Motion]) {
        self.elsewhere(y);
        let Some(other) = &self.elsewhere else { return };
        for ((place, body), motion) in self.links.places.iter().zip(&self.bodies).zip(motions) {
            let pose = pose_of(place, |link| other.motion(link));
            let c = pose.place(body.com);
            *motion = Motion { c, turned: pose.turned, v: pose.velocity(c), w: pose.w };
        }
    }

    fn switch(&mut self, switch: usize, on: bool) {
        self.interactions.switches[switch] = on;
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        let ((nq, nu), first) = (self.counts(), self.loops.rows.len());
        self.remember(t, &y[..nq], &y[nq..nq + nu], &y[nq + nu + 1..]);
        self.linearise(t, &y[..nq], &y[nq..nq + nu], &y[nq + nu + 1..]);
        self.factor()?;
        let u = &mut y[nq..nq + nu];
        let before: Vec<f64> = self.rows.rows.iter().map(|row| row.times(u)).collect();
        let mut b = vec![0.0; before.len()];
        for &(row, rate) in wanted {
            b[first + row] = rate - before[first + row] - self.interactions.evaluated[row].phi_t;
        }
        self.correction.fill(0.0);
        self.counters.solves += 1 + Self::meet(
            &mut self.rows,
            &mut self.dynamics,
            &self.light,
            &mut self.bare,
            Meeting { gamma: &b, x: &mut self.correction, nu: &mut self.nu, scratch: &mut self.dense },
        );
        for (u, du) in u.iter_mut().zip(&self.correction) {
            *u += du;
        }
        let after: Vec<f64> = self.rows.rows.iter().map(|row| row.times(u)).collect();
        let jump = jump::sum_up(&before, &after, &b, &self.nu, first, |row| self.row_label(row).into())?;
        y[nq + nu] += jump.work;
        Ok(jump)
    }

    fn row_name(&self, row: usize) -> String {
        self.row_label(row).into()
    }

    fn set_loads(&mut self, pulls: &[Pull]) {
        self.interactions.set_extra(pulls);
        self.active = !self.mechanism.interactions.is_idle() || !pulls.is_empty();
    }

    fn respond(&mut self, pulls: &[Pull], change: &mut [f64]) -> Result<f64, MotionError> {
        self.restore_factor()?;
        self.dynamics.clear_again();
        for pull in pulls {
            let Some(link) = self.links.places[pull.body].link else { continue };
            let pose = &self.kinematics.poses[pull.body];
            let arm = sub(pose.place(self.bodies[pull.body].com), pose.origin);
            let moment = carried(self.mechanism, &self.kinematics, pull.body, pull.moment);
            self.dynamics.load_again(link, arm, pull.force, moment);
        }
        self.dynamics.solve_again(&self.zero, change);
        self.phi.fill(0.0);
        self.counters.solves += 1;
        if !self.rows.is_empty() {
            self.counters.solves += Self::meet(
                &mut self.rows,
                &mut self.dynamics,
                &self.light,
                &mut self.bare,
                Meeting { gamma: &self.phi, x: change, nu: &mut self.nu, scratch: &mut self.dense },
            );
        }
        finite(change)?;
        Ok(self.interactions.drive_power(&self.nu[self.loops.rows.len()..]))
    }

    fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [Twist]) {
        self.elsewhere(y);
        let Some(other) = &self.elsewhere else { return };
        other.spread(rates, &mut self.spread);
        for ((place, body), out) in self.links.places.iter().zip(&self.bodies).zip(out) {
            *out = Twist::default();
            if let Some(link) = place.link {
                let pose = pose_of(place, |link| other.motion(link));
                let [w, v] = self.spread[link];
                let arm = sub(pose.place(body.com), pose.origin);
                *out = Twist { v: add(v, cross(w, arm)), w };
            }
        }
    }

    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]) {
        let rates = System::rates(self);
        self.twists(y, &dy[rates], out);
        let Some(other) = &self.elsewhere else { return };
        for ((place, body), out) in self.links.places.iter().zip(&self.bodies).zip(out) {
            let pose = pose_of(place, |link| other.motion(link));
            out.v = add(out.v, pose.bias(pose.place(body.com)));
            out.w = add(out.w, pose.alpha);
        }
    }

    fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        let (nq, nu) = self.counts();
        self.correction.copy_from_slice(&change[..nu]);
        self.move_by(&mut y[..nq]);
    }

    fn has_joint_inertia(&self, index: usize) -> bool {
        self.links.inertias[index].is_some()
    }

    fn sizes(&self) -> (usize, usize) {
        let (nq, nu) = self.counts();
        (nq, nu + self.nu.len())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn component_bodies(&self, i: usize) -> Vec<usize> {
        let (nq, nu) = self.counts();
        let tree = self.dynamics.tree();
        match i {
            i if i < nq => vec![self.links.of_link[self.links.link_of(tree, i, false)]],
            i if i < nq + nu => vec![self.links.of_link[self.links.link_of(tree, i - nq, true)]],
            _ => Vec::new(),
        }
    }

    fn component_name(&self, i: usize) -> String {
        let (nq, nu) = self.counts();
        let tree = self.dynamics.tree();
        if i >= nq + nu {
            return "the work of dampers and couples".into();
        }
        if i >= nq {
            return format!("the rate of {}", self.link_name(self.links.link_of(tree, i - nq, true)));
        }
        format!("the coordinate of {}", self.link_name(self.links.link_of(tree, i, false)))
    }
}
