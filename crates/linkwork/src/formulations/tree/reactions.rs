//! Reactions from the balance of bodies, gathered from the leaves.
//!
//! What a joint does to the body it carries is the body's rate of momentum, less the forces applied to it,
//! plus what it hands on to the bodies it carries and to cut joints. Rows that the joint keeps are part of that. Forces and moments are kept about the
//! world's origin, so that they are only added.

use super::kinematics::Kinematics;
use super::loops::Loops;
use crate::formulations::kernel::Core;
use crate::interactions::CouplingOwner;
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Vec3, axpy, dot, norm, scale, sub, unit};
use crate::mechanism::{BodyIndex, Mechanism, Tree};
use crate::results::Frame;

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
fn joint_point(mechanism: &Mechanism, kinematics: &Kinematics, j: usize) -> Vec3 {
    let joint = &mechanism.joints[j];
    let node = joint.points[1];
    match joint.bodies[1] {
        Some(b) => kinematics.poses[b].place(mechanism.bodies[b].drawn(node)),
        None => mechanism.start_position(node),
    }
}

/// Nodes, named points and bodies of a frame where the kinematics have put them. `homes`: body and place as drawn of
/// every node; `acceleration`: of the point of a body that is at r.
pub fn show_points(
    mechanism: &Mechanism,
    kinematics: &Kinematics,
    homes: &[(BodyIndex, Vec3)],
    acceleration: impl Fn(usize, Vec3) -> Vec3,
    frame: &mut Frame,
) {
    let poses = &kinematics.poses;
    frame.nodes.resize(homes.len(), [0.0; 3]);
    frame.node_velocities.resize(homes.len(), [0.0; 3]);
    for (node, &(body, x)) in homes.iter().enumerate() {
        let r = body.map_or(x, |b| poses[b].place(x));
        frame.nodes[node] = r;
        frame.node_velocities[node] = body.map_or([0.0; 3], |b| poses[b].velocity(r));
    }
    for (i, point) in mechanism.points.iter().enumerate() {
        let r = frame.nodes[point.node];
        frame.positions[i] = r;
        frame.velocities[i] = frame.node_velocities[point.node];
        frame.accelerations[i] = homes[point.node].0.map_or([0.0; 3], |b| acceleration(b, r));
    }
    kinematics.motions(mechanism, &mut frame.motions);
}

/// Reactions and gaps of a frame. `surplus`: each body's rate of momentum less what is applied to it, used up.
pub fn show_reactions(
    mechanism: &Mechanism,
    (tree, loops): (&Tree, &Loops),
    kinematics: &Kinematics,
    core: &Core,
    surplus: &mut [Wrench],
    frame: &mut Frame,
) {
    let cut = loops.cut_wrenches(mechanism, tree, kinematics, &core.lambda);
    let coupled = core.coupling_wrenches();
    for &(_, body, wrench) in &coupled {
        surplus[body] = surplus[body].plus(wrench.negative());
    }
    let place = |j: usize| joint_point(mechanism, kinematics, j);
    carry_reactions(mechanism, tree, &place, surplus, &cut, &mut frame.reactions);
    add_coupling_reactions(mechanism, &coupled, &place, &mut frame.reactions);
    frame.gaps.fill(0.0);
    for (row, phi) in loops.rows.iter().zip(&core.phi) {
        frame.gaps[row.joint] = frame.gaps[row.joint].hypot(*phi);
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
    out: &mut [Wrench],
) -> f64 {
    let about = |j: usize, wrench: Wrench| wrench.about(place(j));
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
    out: &mut [Wrench],
) {
    for &(coupling, body, wrench) in wrenches {
        let CouplingOwner::Joint(j) = mechanism.interactions.couplings[coupling].owner else { continue };
        let wrench = match mechanism.joints[j].bodies {
            [_, Some(second)] if second == body => wrench,
            // the ground feels what the first body does not
            [Some(first), None] if first == body => wrench.negative(),
            _ => continue,
        };
        out[j] = out[j].plus(wrench.about(place(j)));
    }
}
