//! Everything there is to know at a state: points, reactions, energies, residuals.

use super::Recursive;
use super::links::LinkCoordinate;
use crate::formulations::Formulate;
use crate::formulations::kernel::At;
use crate::formulations::tree::{show_points, show_reactions};
use crate::interactions::Wrenches;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Vec3, add, axpy, dot, sub};
use crate::results::Frame;

impl Recursive<'_> {
    pub(super) fn describe_links(&mut self, At { t, q, u, auxiliary }: At<'_>, frame: &mut Frame) {
        let mechanism = self.mechanism;
        self.dynamics.spread(&self.core.acceleration, &mut self.spread);
        let poses = &self.kinematics.poses;
        // what q̈ adds to the accelerations of a body at r
        let beyond = |b: usize, r: Vec3| {
            let twist = self.links.places[b].link.map_or(Twist::default(), |link| self.spread[link]);
            Twist { v: twist.velocity(sub(r, poses[b].origin)), ..twist }
        };
        let acceleration = |b: usize, r: Vec3| add(poses[b].bias_at(r), beyond(b, r).v);
        show_points(mechanism, &self.kinematics, &self.homes, acceleration, frame);
        let gravity = mechanism.model.gravity;
        frame.kinetic = 0.0;
        frame.potential = 0.0;
        for (b, (body, pose)) in self.bodies.iter().zip(poses).enumerate() {
            let c = pose.place(body.com);
            frame.kinetic += body.kinetic(pose);
            frame.potential -= body.mass * dot(gravity, c);
            // what the joints must supply: the rate of momentum less what is applied
            let mut effort = body.effort(pose, &pose.bias_twist(c).add(1.0, &beyond(b, c)));
            effort.force = axpy(effort.force, -body.mass, gravity);
            let load = self.loads[b].about_origin(pose.origin);
            self.surplus[b] = effort.about_origin(c).plus(load.negative());
        }
        self.observe_joint_inertias(u, auxiliary, frame);
        let tree = (&self.links.spanning, &self.loops);
        show_reactions(mechanism, tree, &self.kinematics, &self.core, &mut self.surplus, frame);
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
                let c = frame.motions[pull.body].c;
                let surplus = &mut self.surplus[pull.body];
                *surplus = surplus.plus(pull.wrench.about_origin(c).negative());
            }
        }
    }
}
