//! Everything there is to know at a state: points, reactions, energies, residuals.

use super::Recursive;
use super::links::LinkCoordinate;
use crate::formulations::Formulate;
use crate::formulations::kernel::At;
use crate::formulations::tree::{Wrench, add_coupling_reactions, carry_reactions, joint_point};
use crate::interactions::Wrenches;
use crate::linalg::vec3::{Vec3, add, axpy, cross, dot, scale, sub};
use crate::results::Frame;

impl Recursive<'_> {
    pub(super) fn describe_links(&mut self, At { t, q, u, auxiliary }: At<'_>, frame: &mut Frame) {
        let mechanism = self.mechanism;
        self.dynamics.spread(&self.core.acceleration, &mut self.spread);
        let poses = &self.kinematics.poses;
        // what q̈ adds to the acceleration of a body at r, and of its turning
        let beyond = |b: usize, r: Vec3| match self.links.places[b].link {
            None => [[0.0; 3]; 2],
            Some(link) => {
                let [al, a] = self.spread[link];
                [add(a, cross(al, sub(r, poses[b].origin))), al]
            }
        };
        frame.nodes.resize(self.homes.len(), [0.0; 3]);
        frame.node_velocities.resize(self.homes.len(), [0.0; 3]);
        for (node, &(body, x)) in self.homes.iter().enumerate() {
            (frame.nodes[node], frame.node_velocities[node]) = match body {
                None => (x, [0.0; 3]),
                Some(b) => {
                    let r = poses[b].place(x);
                    (r, poses[b].velocity(r))
                }
            };
        }
        for (i, point) in mechanism.points.iter().enumerate() {
            frame.positions[i] = frame.nodes[point.node];
            frame.velocities[i] = frame.node_velocities[point.node];
            frame.accelerations[i] = match self.homes[point.node].0 {
                None => [0.0; 3],
                Some(b) => {
                    let r = frame.nodes[point.node];
                    add(poses[b].bias(r), beyond(b, r)[0])
                }
            };
        }
        for ((body, pose), motion) in self.bodies.iter().zip(poses).zip(&mut frame.motions) {
            let c = pose.place(body.com);
            *motion = crate::interactions::Motion { c, turned: pose.turned, v: pose.velocity(c), w: pose.w };
        }
        let gravity = mechanism.model.gravity;
        frame.kinetic = 0.0;
        frame.potential = 0.0;
        for (b, (body, pose)) in self.bodies.iter().zip(poses).enumerate() {
            let c = pose.place(body.com);
            frame.kinetic += body.kinetic(pose);
            frame.potential -= body.mass * dot(gravity, c);
            // what the joints must supply: the rate of momentum less what is applied
            let [a, alpha] = beyond(b, c);
            let [force, moment] = body.effort(pose, add(pose.bias(c), a), add(pose.alpha, alpha));
            let load = &self.loads[b];
            let force = axpy(force, -body.mass, gravity);
            let mut surplus = Wrench { force, moment: add(moment, cross(c, force)) };
            surplus.force = sub(surplus.force, load.force);
            surplus.moment = sub(surplus.moment, add(load.moment, cross(pose.origin, load.force)));
            self.surplus[b] = surplus;
        }
        self.observe_joint_inertias(u, auxiliary, frame);
        let cut =
            self.loops.cut_wrenches(mechanism, &self.links.spanning, &self.kinematics, &self.core.lambda);
        let coupled = self.coupling_wrenches();
        for &(_, body, wrench) in &coupled {
            self.surplus[body] = self.surplus[body].plus(wrench.negative());
        }
        let kinematics = &self.kinematics;
        let place = |j: usize| joint_point(mechanism, kinematics, j);
        let spanning = &self.links.spanning;
        carry_reactions(mechanism, spanning, &place, &mut self.surplus, &cut, &mut frame.reactions);
        add_coupling_reactions(mechanism, &coupled, &place, &mut frame.reactions);
        frame.gaps.fill(0.0);
        for (row, phi) in self.loops.rows.iter().zip(&self.core.phi) {
            frame.gaps[row.joint] = frame.gaps[row.joint].hypot(*phi);
        }
        self.count_turns(t, q, frame);
    }

    /// Counts the turns of joints on to a state, and observes nothing else.
    pub(crate) fn count_joints(&mut self, t: f64, y: &[f64], frame: &mut Frame) {
        let (nq, nu) = self.counts();
        self.locate_bodies(y, &mut frame.motions);
        self.count_turns(t, &y[..nq], frame);
        frame.read_joints(self.mechanism, t, &y[nq + nu + 1..]);
    }

    /// Lets the links' coordinates count the turns of joints: rows may be far apart.
    fn count_turns(&self, t: f64, q: &[f64], frame: &mut Frame) {
        let tree = self.dynamics.tree();
        frame.count_on_by(t, q, |before, joints| {
            for &LinkCoordinate { joint, index, link, sign } in &self.links.coordinates {
                let k = tree.first(link).0;
                if let Some(coordinate) = joints[joint].get_mut(index) {
                    coordinate.q += sign * (q[k] - before[k]);
                }
            }
        });
    }

    /// Kinetic energy of the inertias along coordinates of links; what they do to bodies is no reaction of their joints.
    fn observe_joint_inertias(&mut self, u: &[f64], auxiliary: &[f64], frame: &mut Frame) {
        let mechanism = self.mechanism;
        let hints = &auxiliary[..mechanism.interactions.hints];
        for (inertia, link) in mechanism.joint_inertias.iter().zip(&self.links.inertias) {
            let Some(link) = *link else { continue };
            let rate = self.dynamics.tree().first(link).1;
            frame.kinetic += 0.5 * inertia.inertia * u[rate] * u[rate];
            let reversed = self.links.spanning.branches[self.links.of_link[link]].reversed;
            let sign = if reversed { -1.0 } else { 1.0 };
            let size = -inertia.inertia * sign * self.core.acceleration[rate] * inertia.coordinate.factor;
            let mut pulls = Wrenches::default();
            let gauge = &mechanism.interactions.gauges[inertia.coordinate.gauge];
            gauge.pull(&frame.motions, hints, size, &mut pulls);
            for pull in &pulls.list {
                let wrench = Wrench::at(frame.motions[pull.body].c, pull.force);
                let moment = add(wrench.moment, pull.moment);
                let surplus = &mut self.surplus[pull.body];
                surplus.force = sub(surplus.force, pull.force);
                surplus.moment = sub(surplus.moment, moment);
            }
        }
    }

    /// What each coupling does to each of its bodies: (coupling, body, wrench).
    fn coupling_wrenches(&self) -> Vec<(usize, usize, Wrench)> {
        let first = self.loops.rows.len();
        let mut all = Vec::new();
        if !self.core.active {
            return all;
        }
        for i in 0..self.core.lambda.len() - first {
            for pull in self.core.interactions.pulls(i) {
                let nu = self.core.lambda[first + i];
                let at = self.core.interactions.motions[pull.body].c;
                let mut wrench = Wrench::at(at, scale(-nu, pull.force));
                wrench.moment = axpy(wrench.moment, -nu, pull.moment);
                all.push((i, pull.body, wrench));
            }
        }
        all
    }
}
