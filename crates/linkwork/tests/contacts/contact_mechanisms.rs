//! Contacts beside joints, limits and drivers, and in space. Closed forms; formulations agree.

use crate::suite;
use linkwork::joints::{Prismatic, Revolute};

use linkwork::contact::Feature;
use linkwork::interactions::Direction;
use linkwork::mechanism::{Mechanism, MechanismContact};
use linkwork::model::*;
use linkwork::simulation::EventKind;
use suite::contacts::{against_ground, run_with, spot};
use suite::{G, applicable, settings};

/// A ball over a plane that moves with a body.
fn ball_over(
    mechanism: &mut Mechanism,
    ball: (&str, [f64; 3], f64),
    plane: (&str, [f64; 3]),
    mu: f64,
    e: f64,
) {
    let centre = spot(mechanism, ball.0, ball.1);
    let plane = spot(mechanism, plane.0, plane.1);
    let normal = Direction { body: plane.body, u: [0.0, 1.0, 0.0] };
    let feature = Feature::BallOnPlane { plane, normal, centre, radius: ball.2 };
    mechanism.add_contact(MechanismContact {
        name: "touch".into(),
        feature,
        friction: mu,
        restitution: e,
        hidden: false,
    });
}

/// A lever that rests on a limit and a ball that falls on it from 0.5 m: where it presses the lever down it bounces as from the ground;
/// on the other side the lever gives way with I/x² for its mass and leaves the limit.
#[test]
fn exact_ball_on_a_lever_that_rests_on_a_limit() {
    let (m, e, r, inertia, mass) = (0.3, 0.5, 0.05, 0.8, 1.0);
    for x in [1.5, -0.8] {
        let model = Model::planar("lever")
            .gravity([0.0, -G])
            .point("O", [0.0, 0.0])
            .point("P", [-1.0, 0.0])
            .point("Q", [2.0, 0.0])
            .point("B", [x, 0.5 + r])
            .ground(["O"])
            .body(Body::with_inertia(
                "lever",
                ["O", "P", "Q"],
                mass,
                [0.5, 0.0, 0.0],
                Inertia::Polar(inertia),
            ))
            .body(Body::with_inertia("ball", ["B"], m, [x, 0.5 + r, 0.0], Inertia::Polar(3e-4)))
            .joint(
                Joint::between("pivot", Revolute { axis: None }, ["ground", "lever"], ["O", "O"])
                    .impact_limit([0.0, 1.0], 0.0),
            );
        for f in applicable(&model) {
            let model = model.clone().settings(Settings { formulation: f, ..settings(0.4, 0.05, 1e-11) });
            let mut mechanism = model.assemble().unwrap();
            ball_over(&mut mechanism, ("ball", [x, 0.5 + r, 0.0], r), ("lever", [0.0; 3]), 0.0, e);
            let run = run_with(&mechanism);
            let events = &run.summary.events;
            let hit = events.iter().find(|e| e.kind == EventKind::Impact).unwrap();
            let u = (2.0 * G * 0.5_f64).sqrt();
            let about = inertia + mass * 0.25;
            let w = if x > 0.0 { 1.0 / m } else { 1.0 / m + x * x / about };
            let impulse = (1.0 + e) * u / w;
            let after = run.frames.iter().rfind(|frame| frame.t == hit.t).unwrap();
            let (ball, lever) = (-u + impulse / m, if x > 0.0 { 0.0 } else { -x * impulse / about });
            let lifted = events.iter().any(|e| e.kind == EventKind::Lift && e.name == "pivot");
            let off = [
                hit.t - (2.0 * 0.5 / G).sqrt(),
                hit.impulse - impulse,
                after.motions[1].v[1] - ball,
                after.motions[0].w[2] - lever,
                run.summary.energy_drift,
            ];
            println!("{}, x = {x}: {off:?}", f.name());
            assert!(off.iter().all(|x| x.abs() < 1e-9), "{f:?}, x = {x}: {off:?} {events:?}");
            assert_eq!(lifted, x < 0.0, "{f:?}: {events:?}");
        }
    }
}

/// A ball on a plate that goes up and down as a (1 − cos ωt): it leaves when the plate falls faster than it does.
#[test]
fn exact_ball_leaves_a_plate_that_falls_away() {
    let (a, w, r) = (0.05_f64, 20.0_f64, 0.05);
    let model = Model::planar("shaker")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [0.0, 0.0])
        .point("Q", [0.5, 0.0])
        .point("B", [0.2, r])
        .ground(["O"])
        .body(Body::rod("plate", ["P", "Q"], 2.0))
        .body(Body::with_inertia("ball", ["B"], 0.3, [0.2, r, 0.0], Inertia::Polar(3e-4)))
        .joint(Joint::between("rail", Prismatic { axis: Axis::Y }, ["ground", "plate"], ["O", "P"]))
        .driver(Driver::joint("shake", "rail", Formula::parse("0.05*(1 - cos(20*t))").unwrap()));
    let exact = (-G / (a * w * w)).acos() / w;
    for f in applicable(&model) {
        let model = model.clone().settings(Settings { formulation: f, ..settings(1.0, 0.05, 1e-11) });
        let mut mechanism = model.assemble().unwrap();
        ball_over(&mut mechanism, ("ball", [0.2, r, 0.0], r), ("plate", [0.0; 3]), 0.5, 0.0);
        let run = run_with(&mechanism);
        let lift = run.summary.events.iter().find(|e| e.kind == EventKind::Lift).unwrap();
        let lands = run.summary.events.iter().find(|e| e.kind == EventKind::Impact).unwrap();
        println!(
            "{}: leaves {:.1e} s off, lands at {:.6} s, {} events, energy {:.1e}",
            f.name(),
            lift.t - exact,
            lands.t,
            run.summary.events.len(),
            run.summary.energy_drift
        );
        assert!((lift.t - exact).abs() < 1e-9, "{f:?}");
        assert!(run.summary.energy_drift < 1e-8, "{f:?}: {}", run.summary.energy_drift);
    }
}

/// A box on a belt: it is dragged along with μ g until it has the belt's speed, and then it sticks.
#[test]
fn exact_belt() {
    let (mu, v) = (0.3, 1.2);
    let model = Model::planar("belt")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [0.0, 0.0])
        .point("Q", [5.0, 0.0])
        .point("A", [0.5, 0.0])
        .point("B", [0.9, 0.0])
        .point("C", [0.9, 0.1])
        .point("D", [0.5, 0.1])
        .ground(["O"])
        .body(Body::rod("belt", ["P", "Q"], 2.0))
        .body(Body::plate("box", ["A", "B", "C", "D"], 1.5))
        .joint(Joint::between("rail", Prismatic { axis: Axis::X }, ["ground", "belt"], ["O", "P"]))
        .driver(Driver::joint("pull", "rail", Formula::parse("1.2*t").unwrap()));
    for f in applicable(&model) {
        let model = model.clone().settings(Settings { formulation: f, ..settings(1.0, 0.05, 1e-11) });
        let mut mechanism = model.assemble().unwrap();
        for x in [0.5, 0.9] {
            ball_over(&mut mechanism, ("box", [x, 0.0, 0.0], 0.0), ("belt", [0.0; 3]), mu, 0.0);
        }
        let run = run_with(&mechanism);
        let last = run.frames.last().unwrap();
        let stick = run.summary.events.iter().find(|e| e.kind == EventKind::Stick).unwrap();
        let t = v / (mu * G);
        let x = 0.5 + 0.5 * v * t + v * (1.0 - t);
        let off =
            [stick.t - t, last.positions[3][0] - x, last.velocities[3][0] - v, run.summary.energy_drift];
        println!("{}: {off:?}", f.name());
        assert!(off.iter().all(|x| x.abs() < 1e-9), "{f:?}: {off:?}");
    }
}

/// A plate in space on its four corners: it slides and turns on an incline, and comes to rest; all formulations agree. The direction of each slip turns.
#[test]
fn same_plate_that_slides_and_turns() {
    let corners = [("A", -0.2, -0.1), ("B", 0.2, -0.1), ("C", 0.2, 0.1), ("D", -0.2, 0.1)];
    let mut model = Model::spatial("plate").gravity([1.0, 0.0, -9.7]);
    for (name, x, y) in corners {
        model = model.point(name, [x, y, 0.0]);
    }
    let w = 6.0;
    let i = Inertia::Matrix([0.006, 0.015, 0.02, 0.0, 0.0, 0.0]);
    let mut model = model.body(Body::with_inertia("plate", ["A", "B", "C", "D"], 1.0, [0.0, 0.0, 0.03], i));
    for (name, x, y) in corners {
        model = model.velocity(name, [0.5 - w * y, w * x, 0.0]);
    }
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let model = model.clone().settings(Settings { formulation: f, ..settings(2.0, 0.05, 1e-11) });
        let mut mechanism = model.assemble().unwrap();
        for (name, x, y) in corners {
            let corner = spot(&mechanism, "plate", [x, y, 0.0]);
            against_ground(&mut mechanism, name, [0.0; 3], [0.0, 0.0, 1.0], corner, 0.0, 0.35, 0.2);
        }
        let run = run_with(&mechanism);
        let last = run.frames.last().unwrap();
        let push: f64 = last.contacts.iter().map(|c| c.normal).sum();
        let end: Vec<f64> = last.positions.iter().flatten().copied().collect();
        let reference = first.get_or_insert_with(|| end.clone());
        let off = end.iter().zip(reference.iter()).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let speed = last.velocities.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
        println!(
            "{}: off by {off:.1e} m, speed {speed:.1e}, N off by {:.1e}, {} events, last {:?}, energy {:.1e}, {} steps",
            f.name(),
            push - 9.7,
            run.summary.events.len(),
            run.summary.events.last().map(|e| (e.t, e.kind)),
            run.summary.energy_drift,
            run.summary.steps.accepted_steps
        );
        assert!(off < 1e-8 && (push - 9.7).abs() < 1e-9 && speed < 1e-9, "{f:?}");
        assert!(run.summary.energy_drift < 1e-8, "{f:?}");
    }
}
