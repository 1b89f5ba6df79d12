//! Reactions from the balance of bodies, gathered from the leaves.
//!
//! What a joint does to the body it carries is the body's rate of momentum, less the forces applied to it,
//! plus what it hands on to the bodies it carries and to cut joints. Rows that the joint keeps are part of that. Forces and moments are kept about the
//! world's origin, so that they are only added.

use super::kinematics::Kinematics;
use crate::interactions::CouplingOwner;
use crate::linalg::vec3::{Vec3, add, axpy, cross, dot, norm, scale, sub, unit};
use crate::mechanism::{JointReaction, Mechanism, Tree};

/// A force and its moment about the world's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// N.
    pub force: Vec3,
    /// N m, about the origin.
    pub moment: Vec3,
}

impl Wrench {
    /// A force at a point.
    pub fn at(r: Vec3, force: Vec3) -> Self {
        Wrench { force, moment: cross(r, force) }
    }

    /// The sum.
    pub fn plus(self, other: Wrench) -> Self {
        Wrench { force: add(self.force, other.force), moment: add(self.moment, other.moment) }
    }

    /// The opposite.
    pub fn negative(self) -> Self {
        Wrench { force: scale(-1.0, self.force), moment: scale(-1.0, self.moment) }
    }
}

/// The weight of each body.
pub fn weights(mechanism: &Mechanism, kinematics: &Kinematics, out: &mut [Wrench]) {
    for ((body, pose), out) in mechanism.bodies.iter().zip(&kinematics.poses).zip(out) {
        let p = &body.particles.properties;
        *out = Wrench::at(pose.place(p.com), scale(p.mass, mechanism.model.gravity));
    }
}

/// The part of a moment that a body carries: nothing of it about a rod in space, nothing at all where the body is a
/// particle. Their spins have an inertia only so that they have an acceleration.
pub fn carried(mechanism: &Mechanism, kinematics: &Kinematics, body: usize, moment: Vec3) -> Vec3 {
    let particles = &mechanism.bodies[body].particles;
    match mechanism.bodies[body].nodes.len() {
        1 => [0.0; 3],
        2 if mechanism.columns() == 3 => {
            let pose = &kinematics.poses[body];
            let e = unit(sub(pose.place(particles.at[1]), pose.place(particles.at[0])));
            axpy(moment, -dot(moment, e), e)
        }
        _ => moment,
    }
}

/// Where a joint's point on its second body stands.
pub fn joint_point(mechanism: &Mechanism, kinematics: &Kinematics, j: usize) -> Vec3 {
    let joint = &mechanism.joints[j];
    let node = joint.points[1];
    match joint.bodies[1] {
        Some(b) => {
            let body = &mechanism.bodies[b];
            let weights = body.weights(node).unwrap_or_default();
            let x = weights
                .iter()
                .zip(&body.particles.at)
                .fold([0.0; 3], |s, (&w, &x)| crate::linalg::vec3::axpy(s, w, x));
            kinematics.poses[b].place(x)
        }
        None => mechanism.start_position(node),
    }
}

/// Reactions of all joints. `place` says where a joint's point on its second body stands, about which the
/// moment is reported; `surplus` is each body's rate of momentum less what is applied to it, and is used up;
/// `cut` holds (joint, wrench on its second body). Returns the largest force or moment that is left over at
/// floating bodies: rounding.
pub fn carry_reactions(
    mechanism: &Mechanism,
    tree: &Tree,
    place: &dyn Fn(usize) -> Vec3,
    surplus: &mut [Wrench],
    cut: &[(usize, Wrench)],
    out: &mut [JointReaction],
) -> f64 {
    let about = |j: usize, wrench: Wrench| JointReaction {
        force: wrench.force,
        moment: sub(wrench.moment, cross(place(j), wrench.force)),
    };
    for &(j, wrench) in cut {
        let [first, second] = mechanism.joints[j].bodies;
        if let Some(b) = second {
            surplus[b] = surplus[b].plus(wrench.negative());
        }
        if let Some(a) = first {
            surplus[a] = surplus[a].plus(wrench);
        }
        out[j] = about(j, wrench);
    }
    let mut left_over: f64 = 0.0;
    for &body in tree.order.iter().rev() {
        let branch = &tree.branches[body];
        let carried = surplus[body];
        match branch.joint {
            Some(j) => {
                out[j] = about(j, if branch.reversed { carried.negative() } else { carried });
                if let Some(p) = branch.parent {
                    surplus[p] = surplus[p].plus(carried);
                }
            }
            None => left_over = left_over.max(norm(carried.force)).max(norm(carried.moment)),
        }
    }
    left_over
}

/// Adds what couplings of joints do to the joints' second bodies: (coupling, body, wrench).
pub fn add_coupling_reactions(
    mechanism: &Mechanism,
    wrenches: &[(usize, usize, Wrench)],
    place: &dyn Fn(usize) -> Vec3,
    out: &mut [JointReaction],
) {
    for &(coupling, body, wrench) in wrenches {
        let CouplingOwner::Joint(j) = mechanism.interactions.couplings[coupling].owner else { continue };
        let wrench = match mechanism.joints[j].bodies {
            [_, Some(second)] if second == body => wrench,
            // the ground feels what the first body does not
            [Some(first), None] if first == body => wrench.negative(),
            _ => continue,
        };
        out[j].force = add(out[j].force, wrench.force);
        out[j].moment = add(out[j].moment, sub(wrench.moment, cross(place(j), wrench.force)));
    }
}
