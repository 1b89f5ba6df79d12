//! One instant of a motion.

use crate::linalg::vec3::{self, Mat3, Vec3, any_perpendicular, apply, apply_transposed, cross, dot, sub};
use crate::mechanism::{BodyIndex, JointReaction, Mechanism};
use crate::model::JointKind;
use std::f64::consts::TAU;

/// A joint's coordinate and rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointCoordinate {
    /// Angle since the drawing, rad, counted on beyond a turn; or path along the axis, m.
    pub q: f64,
    /// rad/s or m/s.
    pub v: f64,
}

/// Everything there is to know at one instant. Points and joints stand in the mechanism's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time, s.
    pub t: f64,
    /// Positions of named points, m.
    pub positions: Vec<Vec3>,
    /// Velocities of named points, m/s.
    pub velocities: Vec<Vec3>,
    /// Accelerations of named points, m/s².
    pub accelerations: Vec<Vec3>,
    /// Positions of all nodes of the mechanism, hidden ones included, m; empty in `newton-euler` and `kane`, which have no nodes.
    pub nodes: Vec<Vec3>,
    /// Their velocities, m/s.
    pub node_velocities: Vec<Vec3>,
    /// Coordinates of joints with one degree of freedom.
    pub joints: Vec<Option<JointCoordinate>>,
    /// Reactions of joints on their second body.
    pub reactions: Vec<JointReaction>,
    /// How far each joint has come apart, m: rounding, unless the run does not project.
    pub gaps: Vec<f64>,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy of gravity, springs and constant forces, J.
    pub potential: f64,
    /// Work done so far by dampers and couples, J.
    pub work: f64,
    /// Largest constraint residual, m.
    pub constraint_residual: f64,
    /// Largest rate of a constraint, m/s.
    pub velocity_residual: f64,
    /// When the joint angles were last counted on.
    joints_at: f64,
}

impl Frame {
    /// An empty frame of the right size.
    pub fn new(mechanism: &Mechanism) -> Self {
        Frame {
            positions: vec![[0.0; 3]; mechanism.points.len()],
            velocities: vec![[0.0; 3]; mechanism.points.len()],
            accelerations: vec![[0.0; 3]; mechanism.points.len()],
            joints: vec![None; mechanism.joints.len()],
            reactions: vec![JointReaction::default(); mechanism.joints.len()],
            gaps: vec![0.0; mechanism.joints.len()],
            ..Default::default()
        }
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Sets the angle of a joint, known up to whole turns, counting on from the last frame's: between two
    /// frames a joint is taken to turn by about its mean rate times the time.
    pub(crate) fn count_on(&mut self, joint: usize, now: JointCoordinate) {
        let dt = self.t - self.joints_at;
        self.joints[joint] = Some(match self.joints[joint] {
            Some(last) => {
                let expected = last.q + 0.5 * (last.v + now.v) * dt;
                JointCoordinate { q: now.q + TAU * ((expected - now.q) / TAU).round(), v: now.v }
            }
            None => now,
        });
    }

    /// All joints of this frame are set.
    pub(crate) fn joints_done(&mut self) {
        self.joints_at = self.t;
    }
}

/// Rotation and angular velocity of a body at the nodes' positions and velocities.
fn pose(mechanism: &Mechanism, body: BodyIndex, r: &[Vec3], v: &[Vec3]) -> (Mat3, Vec3) {
    let Some(b) = body else { return (vec3::IDENTITY, [0.0; 3]) };
    let body = &mechanism.bodies[b];
    let (mut now, mut rate) = ([[0.0; 3]; 4], [[0.0; 3]; 4]);
    for (i, &node) in body.nodes.iter().enumerate() {
        now[i] = r[node];
        rate[i] = v[node];
    }
    let k = body.nodes.len();
    (body.particles.rotation(&now[..k]), body.particles.angular_velocity(&now[..k], &rate[..k]))
}

/// Coordinates of the joints that have one, from the nodes. Angles count on from the frame's last ones.
pub fn joint_coordinates(mechanism: &Mechanism, r: &[Vec3], v: &[Vec3], frame: &mut Frame) {
    for (j, joint) in mechanism.joints.iter().enumerate() {
        let Some(u) = joint.axis else { continue };
        let (first, w_first) = pose(mechanism, joint.bodies[0], r, v);
        let axis = apply(&first, u);
        let now = match joint.kind {
            JointKind::Revolute => {
                let (second, w_second) = pose(mechanism, joint.bodies[1], r, v);
                let e = any_perpendicular(u);
                let turned = apply_transposed(&first, apply(&second, e));
                let angle = dot(turned, cross(u, e)).atan2(dot(turned, e));
                JointCoordinate { q: angle, v: dot(axis, sub(w_second, w_first)) }
            }
            JointKind::Prismatic | JointKind::Cylindrical | JointKind::PointOnLine => {
                let [p, q] = joint.points;
                let d = sub(r[q], r[p]);
                let rate = sub(sub(v[q], v[p]), cross(w_first, d));
                JointCoordinate { q: dot(axis, d), v: dot(axis, rate) }
            }
            _ => continue,
        };
        match joint.kind {
            JointKind::Revolute => frame.count_on(j, now),
            _ => frame.joints[j] = Some(now),
        }
    }
    frame.joints_done();
}
