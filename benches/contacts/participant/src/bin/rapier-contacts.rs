//! Rapier as a participant: `rapier-contacts SCENE.json VARIANT LIMIT` runs a scene and writes an [`Answer`] to standard output.
//!
//! VARIANT: `default`, or `fine`: Coulomb's friction at every contact point, 20 solver iterations instead of 4, and contacts as stiff as these allow.

use contacts_participant::{Answer, Body, Scene, Shape, cpu, timed};
use rapier3d_f64::math::{Pose, Rotation, Vector};
use rapier3d_f64::prelude::*;

fn vector(x: &[f64; 3]) -> Vector {
    Vector::new(x[0], x[1], x[2])
}

fn collider(body: &Body) -> ColliderBuilder {
    // Rapier's cylinders have their axis along y
    let y_to_z = Pose::from_parts(Vector::ZERO, Rotation::from_rotation_arc(Vector::Y, Vector::Z));
    let shape = match &body.shape {
        Shape::Sphere { radius } => ColliderBuilder::ball(*radius),
        Shape::Box { size } => ColliderBuilder::cuboid(size[0] / 2.0, size[1] / 2.0, size[2] / 2.0),
        Shape::Cylinder { radius, length } => ColliderBuilder::cylinder(length / 2.0, *radius).position(y_to_z),
        Shape::Capsule { radius, length } => ColliderBuilder::capsule_z(length / 2.0, *radius),
        Shape::Hull { vertices } => {
            let points: Vec<Vector> = vertices.iter().map(vector).collect();
            ColliderBuilder::convex_hull(&points).expect("a hull")
        }
    };
    shape
        .mass(body.mass)
        .friction(body.friction)
        .restitution(body.restitution)
        .friction_combine_rule(CoefficientCombineRule::Min)
        .restitution_combine_rule(CoefficientCombineRule::Min)
}

fn world(scene: &Scene, variant: &str) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut world = PhysicsWorld { gravity: vector(&scene.gravity), ..PhysicsWorld::default() };
    world.integration_parameters.dt = scene.step;
    world.integration_parameters.length_unit = scene.size;
    if variant == "fine" {
        // as stiff as substeps of that length allow, by the rule of its contact model: a tenth of their rate
        let iterations = 20;
        world.integration_parameters.num_solver_iterations = iterations;
        let frequency = 0.1 * iterations as f64 / scene.step;
        world.integration_parameters.contact_softness.natural_frequency = frequency;
        world.integration_parameters.static_contact_softness.natural_frequency = frequency;
        world.integration_parameters.friction_model = FrictionModel::Coulomb;
    }
    for plane in &scene.planes {
        let normal = vector(&plane.normal).normalize();
        let turn = Rotation::from_rotation_arc(Vector::Y, normal);
        let ground = RigidBodyBuilder::fixed().pose(Pose::from_parts(vector(&plane.at), turn));
        let ground = world.bodies.insert(ground);
        let half = ColliderBuilder::new(SharedShape::halfspace(Vector::Y))
            .friction(plane.friction)
            .restitution(plane.restitution)
            .friction_combine_rule(CoefficientCombineRule::Min)
            .restitution_combine_rule(CoefficientCombineRule::Min);
        world.colliders.insert_with_parent(half, ground, &mut world.bodies);
    }
    let mut handles = Vec::new();
    for body in &scene.bodies {
        let [w, x, y, z] = body.rotation;
        let pose = Pose::from_parts(vector(&body.position), Rotation::from_xyzw(x, y, z, w).normalize());
        let builder = match body.kind.as_str() {
            "free" => RigidBodyBuilder::dynamic(),
            "fixed" => RigidBodyBuilder::fixed(),
            _ => RigidBodyBuilder::kinematic_velocity_based(),
        };
        let flat = scene.dimension == 2 && body.kind == "free";
        let mut builder = builder
            .pose(pose)
            .linvel(vector(&body.velocity))
            .angvel(vector(&body.omega))
            .gyroscopic_forces_enabled(true)
            .can_sleep(false);
        if flat {
            builder = builder.enabled_translations(true, true, false).enabled_rotations(false, false, true);
        }
        let handle = world.bodies.insert(builder);
        world.colliders.insert_with_parent(collider(body), handle, &mut world.bodies);
        if body.kind != "fixed" {
            handles.push(handle);
        }
    }
    (world, handles)
}

fn poses(world: &PhysicsWorld, handles: &[RigidBodyHandle]) -> Vec<[f64; 13]> {
    let pose = |handle: &RigidBodyHandle| {
        let body = &world.bodies[*handle];
        let (p, q, v, o) = (body.center_of_mass(), body.rotation(), body.linvel(), body.angvel());
        [p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, o.x, o.y, o.z]
    };
    handles.iter().map(pose).collect()
}

fn contacts(world: &PhysicsWorld) -> u64 {
    let points = |pair: &ContactPair| pair.manifolds().iter().map(|m| m.data.solver_contacts.len() as u64).sum::<u64>();
    world.narrow_phase.contact_pairs().map(points).sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[1]).expect("a scene");
    let scene: Scene = serde_json::from_str(&text).expect("a scene");
    let limit: f64 = arguments[3].parse().expect("a number");
    let ((mut world, handles), setup, _) = timed(|| world(&scene, &arguments[2]));
    let every = (scene.output_step / scene.step).round() as u64;
    let count = (scene.duration / scene.output_step).round() as u64;
    let mut answer = Answer { status: "finished".into(), setup, ..Answer::default() };
    answer.t.push(0.0);
    answer.poses.push(poses(&world, &handles));
    let begun = cpu();
    for sample in 1..=count {
        let ((), cpu, wall) = timed(|| (0..every).for_each(|_| world.step()));
        answer.cpu += cpu;
        answer.wall += wall;
        answer.steps += every;
        answer.contacts = answer.contacts.max(contacts(&world));
        answer.t.push(sample as f64 * scene.output_step);
        answer.poses.push(poses(&world, &handles));
        if contacts_participant::cpu() - begun > limit {
            answer.status = format!("cut off at t = {:.3} s", sample as f64 * scene.output_step);
            break;
        }
    }
    serde_json::to_writer(std::io::stdout(), &answer).expect("standard output is open");
}
