//! Rapier as a participant: one step of its pipeline with a multibody in reduced coordinates, no colliders, no damping, one solver
//! iteration. Its forward dynamics are not callable alone, so a whole step is timed; the step is so short that the state stays where it is.

use peers_participant::protocol::{Loaded, Variant, serve};
use peers_participant::tree::{Joint, State, Tree};
use rapier3d_f64::math::{Matrix, Pose, Rotation, Vector};
use rapier3d_f64::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

const STEP: f64 = 1e-9;

fn vector(x: &[f64]) -> Vector {
    Vector::new(x[0], x[1], x[2])
}

fn quaternion(q: &[f64]) -> Rotation {
    Rotation::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

/// Joint axes whose x is the axis of a joint of one degree of freedom; the same as the file's for the others.
fn joint_axes(joint: Joint, axis: Vector) -> Rotation {
    match joint {
        Joint::Revolute | Joint::Prismatic => Rotation::from_rotation_arc(Vector::X, axis.normalize()),
        _ => Rotation::IDENTITY,
    }
}

struct World {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

fn build(tree: &Tree) -> Result<World, String> {
    let mut world = PhysicsWorld { gravity: vector(&tree.gravity), ..PhysicsWorld::default() };
    world.integration_parameters.dt = STEP;
    world.integration_parameters.num_solver_iterations = 1;
    let ground = world.bodies.insert(RigidBodyBuilder::fixed());
    let mut handles: Vec<RigidBodyHandle> = Vec::new();
    for link in &tree.links {
        let [xx, yy, zz, xy, xz, yz] = link.inertia;
        let inertia = Matrix::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
        let mass = MassProperties::with_inertia_matrix(vector(&link.com), link.mass, inertia);
        let body = RigidBodyBuilder::dynamic().additional_mass_properties(mass).can_sleep(false);
        let body = world.bodies.insert(body);
        handles.push(body);
        let parent = if link.parent < 0 { ground } else { handles[link.parent as usize] };
        if link.joint == Joint::Floating {
            if link.parent >= 0 || handles.len() > 1 {
                return Err("a floating link that is not the root".into());
            }
            continue;
        }
        let locked = match link.joint {
            Joint::Revolute => JointAxesMask::LOCKED_REVOLUTE_AXES,
            Joint::Prismatic => JointAxesMask::LOCKED_PRISMATIC_AXES,
            Joint::Spherical => JointAxesMask::LOCKED_SPHERICAL_AXES,
            _ => JointAxesMask::LOCKED_FIXED_AXES,
        };
        let r = &link.rotation;
        let columns = Matrix::from_cols_array(&[r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]]);
        let placement =
            Pose::from_parts(vector(&link.translation), Rotation::from_mat3(&columns).normalize());
        let axes = Pose::from_parts(Vector::ZERO, joint_axes(link.joint, vector(&link.axis)));
        let joint = GenericJointBuilder::new(locked).local_frame1(placement * axes).local_frame2(axes);
        world.multibody_joints.insert(parent, body, joint, true).ok_or("a joint was refused")?;
    }
    // one short step makes the free root known; with no rates and no coordinates yet
    world.step();
    Ok(World { world, handles })
}

/// Coordinates, rates and forces of a state; the world is built anew, because displacements only add up.
fn placed(tree: &Tree, state: &State) -> Result<World, String> {
    let mut w = build(tree)?;
    let last = *w.handles.last().ok_or("no links")?;
    let id = *w.world.multibody_joints.rigid_body_link(last).ok_or("no multibody")?;
    let starts = tree.starts();
    let (mut displacements, mut rates) = (vec![0.0; tree.dof()], vec![0.0; tree.dof()]);
    for (link, &(q, v)) in tree.links.iter().zip(&starts) {
        match link.joint {
            Joint::Revolute | Joint::Prismatic => (displacements[v], rates[v]) = (state.q[q], state.v[v]),
            Joint::Spherical => {
                let turn = quaternion(&state.q[q..]);
                let rate = turn * vector(&state.v[v..]);
                displacements[v..v + 3].copy_from_slice(&turn.to_scaled_axis().to_array());
                rates[v..v + 3].copy_from_slice(&rate.to_array());
            }
            Joint::Floating => {
                let turn = quaternion(&state.q[q + 3..]);
                displacements[v..v + 3].copy_from_slice(&state.q[q..q + 3]);
                displacements[v + 3..v + 6].copy_from_slice(&turn.to_scaled_axis().to_array());
                // the rate of the root is that of its centre of mass
                let (velocity, omega) = (vector(&state.v[v..]), vector(&state.v[v + 3..]));
                let centre = velocity + omega.cross(vector(&link.com));
                rates[v..v + 3].copy_from_slice(&(turn * centre).to_array());
                rates[v + 3..v + 6].copy_from_slice(&(turn * vector(&state.v[v + 3..])).to_array());
            }
            Joint::Fixed => {}
        }
    }
    let multibody = w.world.multibody_joints.get_multibody_mut(id.multibody).ok_or("no multibody")?;
    if multibody.ndofs() != tree.dof() {
        return Err(format!("{} degrees of freedom instead of {}", multibody.ndofs(), tree.dof()));
    }
    multibody.damping_mut().fill(0.0);
    multibody.apply_displacements(&displacements);
    multibody.generalized_velocity_mut().copy_from_slice(&rates);
    multibody.forward_kinematics(&w.world.bodies, false);
    multibody.update_rigid_bodies(&mut w.world.bodies, true);
    for (i, (link, &(_, v))) in tree.links.iter().zip(&starts).enumerate() {
        let (turn, at) =
            (*w.world.bodies[w.handles[i]].rotation(), w.world.bodies[w.handles[i]].translation());
        let along = turn * vector(&link.axis);
        let (force, torque) = match link.joint {
            Joint::Revolute => (Vector::ZERO, along * state.tau[v]),
            Joint::Prismatic => (along * state.tau[v], Vector::ZERO),
            Joint::Spherical => (Vector::ZERO, turn * vector(&state.tau[v..])),
            Joint::Floating => (turn * vector(&state.tau[v..]), turn * vector(&state.tau[v + 3..])),
            Joint::Fixed => continue,
        };
        let mut act = |handle: RigidBodyHandle, sign: f64| {
            let body = &mut w.world.bodies[handle];
            body.add_torque(torque * sign, true);
            body.add_force_at_point(force * sign, at, true);
        };
        act(w.handles[i], 1.0);
        if link.parent >= 0 {
            act(w.handles[link.parent as usize], -1.0);
        }
    }
    Ok(w)
}

struct Steps {
    tree: Rc<Tree>,
    first: Rc<RefCell<World>>,
}

impl Variant for Steps {
    fn answer(&mut self, s: usize) -> Result<Vec<f64>, String> {
        let state = &self.tree.states[s];
        let mut w = placed(&self.tree, state)?;
        w.world.step();
        let last = *w.handles.last().ok_or("no links")?;
        let id = *w.world.multibody_joints.rigid_body_link(last).ok_or("no multibody")?;
        let multibody = w.world.multibody_joints.get_multibody(id.multibody).ok_or("no multibody")?;
        let mut a: Vec<f64> = multibody.generalized_acceleration().iter().copied().collect();
        for (link, (q, v)) in self.tree.links.iter().zip(self.tree.starts()) {
            if link.joint == Joint::Spherical {
                let back = quaternion(&state.q[q..]).inverse();
                let turned = (back * vector(&a[v..])).to_array();
                a[v..v + 3].copy_from_slice(&turned);
            } else if link.joint == Joint::Floating {
                let back = quaternion(&state.q[q + 3..]).inverse();
                let (velocity, omega) = (vector(&state.v[v..]), vector(&state.v[v + 3..]));
                let (centre, alpha, com) =
                    (back * vector(&a[v..]), back * vector(&a[v + 3..]), vector(&link.com));
                let origin = centre - alpha.cross(com) - omega.cross(omega.cross(com));
                let (linear, angular) = ((origin - omega.cross(velocity)).to_array(), alpha.to_array());
                a[v..v + 3].copy_from_slice(&linear);
                a[v + 3..v + 6].copy_from_slice(&angular);
            }
        }
        Ok(a)
    }

    fn repeat(&mut self, k: usize) -> Result<(), String> {
        let world = &mut self.first.borrow_mut().world;
        for _ in 0..k {
            world.step();
        }
        Ok(())
    }
}

fn load(text: &str) -> Result<Loaded, String> {
    let tree: Tree = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let (bodies, tree) = (tree.links.len(), Rc::new(tree));
    if tree.dof() > 400 {
        return Err("dense matrices of all degrees of freedom: seconds a step".into());
    }
    let first = Rc::new(RefCell::new(placed(&tree, &tree.states[0])?));
    Ok(Loaded { bodies, variants: vec![("step".into(), Box::new(Steps { tree, first }))] })
}

fn main() {
    serve(load);
}
