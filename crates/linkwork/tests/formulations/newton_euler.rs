//! `newton-euler` in space against `points`: they share no mechanics, so agreement is evidence for both.

use crate::suite;
use crate::suite::of_kind;
use linkwork::joints::{Fixed, JointData, Prismatic, Revolute};

use linkwork::formulations::{Formulate, NewtonEuler, Points};
use linkwork::integrate::System;
use linkwork::linalg::vec3::{Vec3, add, axpy, cross, norm, scale, sub};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::{Status, Trajectory};

const G: f64 = 9.81;

fn settings(duration: f64) -> Settings {
    Settings { duration, output_step: 0.05, tolerance: 1e-12, ..Default::default() }
}

fn run(model: &Model, formulation: Formulation) -> Trajectory {
    let mut model = model.clone();
    model.settings.formulation = formulation;
    let run = model.assemble().unwrap().simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    assert!(run.summary.constraint_residual < 1e-12 * run.summary.size, "{:?}", run.summary);
    run
}

/// Largest difference between the accelerations of all particles, relative to the largest of them:
/// ċ and ω of the bodies, taken to the places of the particles, against the particles' own.
fn accelerations_differ_by(mechanism: &Mechanism) -> f64 {
    let mut points = Points::new(mechanism).unwrap();
    let y = points.start();
    let mut dy = vec![0.0; y.len()];
    points.derivative(0.0, &y, &mut dy).unwrap();
    let n = mechanism.coordinate_count();
    let nodes = mechanism.maps().len();
    let (mut r, mut a) = (vec![[0.0; 3]; nodes], vec![[0.0; 3]; nodes]);
    mechanism.maps().positions(&y[..n], &mut r);
    mechanism.maps().rates(&dy[n..2 * n], &mut a);
    let mut bodies = NewtonEuler::new(mechanism).unwrap();
    let y = bodies.start();
    let mut dy = vec![0.0; y.len()];
    bodies.derivative(0.0, &y, &mut dy).unwrap();
    let (x, rest) = (&y, 7 * mechanism.bodies().len());
    let (mut off, mut largest): (f64, f64) = (0.0, 0.0);
    let three = |s: &[f64]| -> Vec3 { [s[0], s[1], s[2]] };
    for (b, body) in mechanism.bodies().iter().enumerate() {
        let c = three(&x[7 * b..]);
        let w = three(&y[rest + 6 * b + 3..]);
        let (c_ddot, alpha) = (three(&dy[rest + 6 * b..]), three(&dy[rest + 6 * b + 3..]));
        for &node in &body.nodes {
            let d = sub(r[node], c);
            let ours = add(c_ddot, add(cross(alpha, d), cross(w, cross(w, d))));
            off = off.max(norm(sub(ours, a[node])));
            largest = largest.max(norm(a[node]));
        }
    }
    off / largest.max(1e-3 * G) // a body at rest has rounding only
}

/// Largest difference of reactions in a frame, relative to the largest; components that redundant
/// constraints leave open are left out.
fn reactions_differ_by(mechanism: &Mechanism, a: &Frame, b: &Frame) -> f64 {
    let (mut off, mut largest): (f64, f64) = (0.0, 1e-30);
    for (j, (p, q)) in a.reactions.iter().zip(&b.reactions).enumerate() {
        for c in 0..6 {
            let (x, y) = if c < 3 { (p.force[c], q.force[c]) } else { (p.moment[c - 3], q.moment[c - 3]) };
            let open = mechanism.redundancy().not_unique.get(j).is_some_and(|open| open[c]);
            if !open {
                off = off.max((x - y).abs());
                largest = largest.max(x.abs());
            }
        }
    }
    off / largest
}

/// Start and one second of motion.
fn meets_points(what: &str, model: &Model) {
    let coordinate = meets_points_but_for_angles(what, model);
    assert!(coordinate < 1e-9, "{what}: joint coordinates differ by {coordinate:.1e}");
}

/// Returns how far the joint coordinates differ.
fn meets_points_but_for_angles(what: &str, model: &Model) -> f64 {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{what}: {e}"));
    let general = suite::applicable(model);
    assert!(general.contains(&Formulation::NewtonEuler));
    let accelerations = accelerations_differ_by(&mechanism);
    let (points, bodies) = (run(model, Formulation::Points), run(model, Formulation::NewtonEuler));
    let at_start = reactions_differ_by(&mechanism, &points.frames[0], &bodies.frames[0]);
    let (mut place, mut force, mut coordinate, mut energy): (f64, f64, f64, f64) = (0.0, 0.0, 0.0, 0.0);
    for (a, b) in points.frames.iter().zip(&bodies.frames) {
        for (p, q) in a.positions.iter().zip(&b.positions).chain(a.velocities.iter().zip(&b.velocities)) {
            place = place.max(norm(sub(*p, *q)));
        }
        for (p, q) in a.joints.iter().zip(&b.joints) {
            assert_eq!(p.len(), q.len(), "{what}: the same joints have coordinates");
            for (p, q) in p.iter().zip(q) {
                coordinate = coordinate.max((p.q - q.q).abs()).max((p.v - q.v).abs());
            }
        }
        force = force.max(reactions_differ_by(&mechanism, a, b));
        energy = energy.max((a.energy() - b.energy()).abs()).max((a.work - b.work).abs());
    }
    println!(
        "{what}: start {accelerations:.1e} (accelerations) {at_start:.1e} (reactions); 1 s: {place:.1e} m, m/s, joints {coordinate:.1e}, \
         reactions {force:.1e}, energy {energy:.1e} J; drift {:.1e} J, {} / {} steps",
        bodies.summary.energy_drift, points.summary.steps.accepted_steps, bodies.summary.steps.accepted_steps
    );
    assert!(accelerations < 1e-10 && at_start < 1e-10, "{what}");
    assert!(place < 1e-9 && force < 1e-8 && energy < 1e-9, "{what}");
    coordinate
}

const INERTIA: Inertia = Inertia::Matrix([0.03, 0.04, 0.05, 0.002, -0.001, 0.003]);

fn data(kind: JointKind) -> JointData {
    of_kind(kind, [0.3, 1.0, 0.4], [0.0; 3])
}

const KINDS: [JointKind; 6] = [
    JointKind::Spherical,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::PointOnLine,
    JointKind::Fixed,
];

/// An arm on a ball and a hand on it by each kind of joint, with every load.
#[test]
fn cross_every_joint_between_bodies() {
    for kind in KINDS {
        let model = Model::spatial("pair")
            .gravity([0.3, -0.2, -G])
            .point("O", [0.0, 0.0, 0.0])
            .point("P", [0.4, 0.1, 0.2])
            .point("Q", [0.9, -0.2, 0.5])
            .point("S", [0.5, 0.8, 0.1])
            .ground(["O", "S"])
            .body(Body::with_inertia("arm", ["O", "P"], 1.0, [0.2, 0.1, 0.0], INERTIA))
            .body(Body::with_inertia("hand", ["P", "Q"], 0.7, [0.6, 0.0, 0.3], INERTIA))
            .joint(Joint::new("J", data(kind), ["arm", "hand"], "P"))
            .spring(Spring::new("s", ["S", "Q"], 20.0).damping(0.5))
            .couple(Couple::new("c", "hand", [0.1, 0.2, -0.3]))
            .force(Force::new("f", "hand", "Q", [0.5, -0.4, 0.3]))
            .angular_velocity("arm", [1.0, -2.0, 0.5])
            .settings(settings(1.0));
        meets_points(&format!("pair, {}", kind.name()), &model);
    }
}

/// The ground as the first and as the second body of each kind of joint.
#[test]
fn cross_every_joint_with_the_ground() {
    for kind in KINDS {
        for ground_first in [true, false] {
            let bodies = if ground_first { ["ground", "body"] } else { ["body", "ground"] };
            let model = Model::spatial("body")
                .gravity([0.3, -0.2, -G])
                .point("P", [0.4, 0.1, 0.2])
                .point("Q", [0.9, -0.2, 0.5])
                .ground(["P"])
                .body(Body::with_inertia("body", ["P", "Q"], 0.7, [0.6, 0.0, 0.3], INERTIA))
                .joint(Joint::new("J", data(kind), bodies, "P"))
                .force(Force::new("f", "body", "Q", [0.5, -0.4, 0.3]))
                .settings(settings(1.0));
            meets_points(&format!("{} on the ground, first {ground_first}", kind.name()), &model);
        }
    }
}

/// All kinds in one chain.
#[test]
fn cross_chain_of_every_joint() {
    let mut model = Model::spatial("chain").gravity([0.0, 0.0, -G]).point("P0", [0.0; 3]).ground(["P0"]);
    for (i, kind) in KINDS.into_iter().enumerate() {
        let x = 0.4 * (i + 1) as f64;
        let (from, to) = (format!("P{i}"), format!("P{}", i + 1));
        let com = [x - 0.2, 0.05 * i as f64, 0.1];
        let before = if i == 0 { "ground".to_string() } else { format!("b{}", i - 1) };
        let name = format!("b{i}");
        model = model
            .point(&to, [x, 0.1 * (i % 2) as f64, 0.05 * i as f64])
            .body(Body::with_inertia(&name, [from.clone(), to], 0.5 + 0.1 * i as f64, com, INERTIA))
            .joint(Joint::new(format!("J{i}"), data(kind), [&before, &name], &from));
    }
    meets_points("chain of every joint", &model.settings(settings(1.0)));
}

/// Hinges of two shared points, on the ground and between bodies, also thin plates.
#[test]
fn cross_hinge_pairs() {
    let model = Model::spatial("two flaps")
        .gravity([0.0, 0.0, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("A", [0.0, 0.5, 0.0])
        .point("P", [0.5, 0.1, 0.0])
        .point("H", [0.5, 0.4, 0.0])
        .point("Q", [1.1, 0.2, 0.3])
        .ground(["O", "A"])
        .body(Body::plate("plate", ["O", "A", "H", "P"], 1.0))
        .body(Body::plate("flap", ["P", "H", "Q"], 0.6))
        .couple(Couple::new("c", "flap", [0.1, 0.2, -0.3]))
        .spring(Spring::new("s", ["O", "Q"], 20.0).damping(0.5))
        .angular_velocity("plate", [0.0, 2.0, 0.0])
        .settings(settings(1.0));
    let mut floating = model.clone();
    floating.ground.clear();
    floating.initial.angular_velocities.clear();
    meets_points("hinges of two points", &model);
    meets_points("the same, floating", &floating.angular_velocity("plate", [0.4, 2.0, -1.0]));
}

/// Thin rods and point masses: turns about themselves are held, not solved for.
#[test]
fn cross_thin_rods_and_point_masses() {
    let rods = Model::spatial("thin rods")
        .gravity([0.0, 0.0, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [0.4, 0.3, 0.0])
        .point("Q", [0.7, 0.3, 0.5])
        .point("R", [1.0, -0.2, 0.4])
        .point("S", [1.0, 0.8, 0.4])
        .ground(["O"])
        .body(Body::rod("upper", ["O", "P"], 1.0))
        .body(Body::rod("lower", ["P", "Q"], 0.8))
        .body(Body::with_inertia("bob", ["Q"], 0.3, "Q", Inertia::Matrix([0.0; 6])))
        .body(Body::with_inertia("tip", ["Q", "R"], 0.4, "R", Inertia::Matrix([0.0; 6])))
        .body(Body::with_inertia("block", ["R", "S"], 0.4, [1.1, 0.2, 0.4], INERTIA))
        .spring(Spring::new("s", ["O", "Q"], 30.0))
        .angular_velocity("upper", [0.0, 0.0, 3.0])
        .settings(settings(1.0));
    meets_points("thin rods, point masses, a block", &rods);
    let mut rod = Body::rod("shaft", ["O", "Q"], 1.0);
    rod.points.insert(1, "P".into());
    let shaft = Model::spatial("plate on a thin shaft")
        .gravity([0.0, 0.0, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [0.4, 0.3, 0.0])
        .point("Q", [0.8, 0.6, 0.0])
        .point("R", [0.5, 0.8, 0.3])
        .ground(["O"])
        .body(rod)
        .body(Body::with_inertia("flag", ["P", "Q", "R"], 0.5, [0.5, 0.6, 0.2], INERTIA))
        .angular_velocity("shaft", [0.0, 0.0, 2.0])
        .settings(settings(1.0));
    // the shaft's own turn is nobody's, and so is the hinge's angle
    meets_points_but_for_angles("plate on a thin shaft", &shaft);
    // joints that grip a rod's own axis: its turn is theirs
    let gripped = Model::spatial("gripped rod")
        .gravity([0.0, -G, -1.0])
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [0.4, 0.3, 0.0])
        .point("Q", [0.7, 0.3, 0.5])
        .ground(["O"])
        .body(Body::rod("upper", ["O", "P"], 1.0))
        .body(Body::rod("lower", ["P", "Q"], 0.8))
        .joint(Joint::new("A", Revolute { axis: Some(Axis::Z) }, ["ground", "upper"], "O"))
        .joint(Joint::new("W", Fixed, ["upper", "lower"], "P"))
        .settings(settings(1.0));
    meets_points("rods welded together on a hinge", &gripped);
}

/// A massless link between two bodies with mass, held at both ends.
#[test]
fn cross_massless_link() {
    let model = Model::spatial("link")
        .gravity([0.0, 0.0, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [0.5, 0.0, 0.2])
        .point("Q", [1.0, 0.3, 0.1])
        .point("R", [1.2, 0.3, -0.5])
        .ground(["O", "R"])
        .body(Body::with_inertia("a", ["O", "P"], 1.0, [0.2, 0.1, 0.0], INERTIA))
        .body(Body::rod("link", ["P", "Q"], 0.0))
        .body(Body::with_inertia("b", ["Q", "R"], 0.7, [1.1, 0.2, -0.2], INERTIA))
        .settings(settings(1.0));
    meets_points("massless link in a loop", &model);
}

/// Three bodies at one point, two of them welded: the weld is between the second and the third.
#[test]
fn cross_weld_at_a_crowded_point() {
    let model = Model::spatial("crowded")
        .gravity([0.0, 0.0, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [0.4, 0.1, 0.2])
        .point("Q", [0.9, -0.2, 0.5])
        .point("R", [0.6, 0.5, 0.1])
        .ground(["O"])
        .body(Body::with_inertia("a", ["O", "P"], 1.0, [0.2, 0.1, 0.0], INERTIA))
        .body(Body::with_inertia("b", ["P", "Q"], 0.7, [0.6, 0.0, 0.3], INERTIA))
        .body(Body::with_inertia("c", ["P", "R"], 0.5, [0.5, 0.3, 0.1], INERTIA))
        .joint(Joint::new("W", Fixed, ["b", "c"], "P"))
        .settings(settings(1.0));
    meets_points("weld at a crowded point", &model);
}

/// The four-bar in space has three constraints too many; motion and what is unique of the reactions agree.
#[test]
fn cross_four_bar_in_space() {
    let flat = [("A", [0.0, 0.0]), ("B", [0.0, 1.0]), ("C", [2.0, 2.0]), ("D", [2.0, 0.0])];
    let mut model = Model::spatial("four-bar in space").gravity([0.0, -G, 0.0]).settings(settings(1.0));
    for (name, [x, y]) in flat {
        model = model.point(name, [x, y, -0.1]).point(format!("{name}'"), [x, y, 0.1]);
    }
    model = model.ground(["A", "A'", "D", "D'"]);
    for (name, [p, q], mass) in
        [("crank", ["A", "B"], 1.0), ("coupler", ["B", "C"], 2.0), ("rocker", ["C", "D"], 1.5)]
    {
        let corners = [p.to_string(), format!("{p}'"), format!("{q}'"), q.to_string()];
        model = model.body(Body::plate(name, corners, mass));
    }
    model = model.angular_velocity("crank", [0.0, 0.0, 3.0]);
    assert_eq!(model.assemble().unwrap().redundancy().count, 3);
    meets_points("four-bar in space", &model);
}

/// The tumbling body: energy over 100 s, and angular momentum R I Rᵀ ω from the state itself.
#[test]
fn keeps_energy_and_angular_momentum_of_a_tumbling_body() {
    let model = Model::spatial("spinning body")
        .point("G", [0.1, -0.2, 0.3])
        .point("P", [0.4, -0.2, 0.3])
        .body(Body::with_inertia(
            "box",
            ["G", "P"],
            1.3,
            "G",
            Inertia::Matrix([0.02, 0.05, 0.06, 0.0, 0.0, 0.0]),
        ))
        .angular_velocity("box", [0.05, 4.0, 0.02])
        .velocity("G", [0.1, 0.0, -0.2])
        .settings(Settings { output_step: 0.5, ..settings(100.0) });
    let bodies = run(&model, Formulation::NewtonEuler);
    let points = run(&model, Formulation::Points);
    let first = &bodies.frames[0];
    let (mut energy, mut centre, mut tip): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for (a, b) in bodies.frames.iter().zip(&points.frames) {
        energy = energy.max((a.kinetic / first.kinetic - 1.0).abs());
        let expected = axpy(first.positions[0], a.t, first.velocities[0]);
        centre = centre.max(norm(sub(a.positions[0], expected)));
        tip = tip.max(norm(sub(a.positions[1], b.positions[1])));
    }
    println!(
        "tumbling body, 100 s: energy {energy:.1e} relative, centre {centre:.1e} m, tip against points {tip:.1e} m, {} steps",
        bodies.summary.steps.accepted_steps
    );
    // the tumbling multiplies errors; see the test of `points` for the momentum
    assert!(energy < 1e-9 && centre < 1e-9 && tip < 1e-5);
}

/// Units of length must not matter: the same pair in millimetres (times 1000, gravity too).
#[test]
fn same_motion_in_other_units() {
    let pair = |l: f64| {
        let at = |p: Vec3| scale(l, p);
        let inertia = Inertia::Matrix([0.03, 0.04, 0.05, 0.002, -0.001, 0.003].map(|i| i * l * l));
        Model::spatial("pair")
            .gravity(at([0.3, -0.2, -G]))
            .point("O", [0.0, 0.0, 0.0])
            .point("P", at([0.4, 0.1, 0.2]))
            .point("Q", at([0.9, -0.2, 0.5]))
            .ground(["O"])
            .body(Body::with_inertia("arm", ["O", "P"], 1.0, at([0.2, 0.1, 0.0]), inertia))
            .body(Body::with_inertia("hand", ["P", "Q"], 0.7, at([0.6, 0.0, 0.3]), inertia))
            .joint(Joint::new("J", Prismatic { axis: Axis::Vector([0.3, 1.0, 0.4]) }, ["arm", "hand"], "P"))
            .settings(settings(1.0))
    };
    let metres = run(&pair(1.0), Formulation::NewtonEuler);
    for l in [1e3, 1e-3, 1e-6] {
        let other = run(&pair(l), Formulation::NewtonEuler);
        let mut off: f64 = 0.0;
        for (a, b) in metres.frames.iter().zip(&other.frames) {
            for (p, q) in a.positions.iter().zip(&b.positions) {
                off = off.max(norm(sub(*p, scale(1.0 / l, *q))));
            }
        }
        println!("unit {l:.0e}: {off:.1e}, {} steps", other.summary.steps.accepted_steps);
        assert!(off < 1e-9);
    }
}
