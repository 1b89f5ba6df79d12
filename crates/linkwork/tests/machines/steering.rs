//! Mechanisms that are changed while they run: another model goes on from where one is, and a hand pulls.

use crate::suite;
use linkwork::linalg::vec3::{norm, sub};
use linkwork::mechanism::{Hand, Mechanism};
use linkwork::model::{ActsOn, Actuator, ActuatorLaw, Body, Force, Formula, Formulation, Integrator, Model};
use linkwork::results::Frame;
use linkwork::simulation::{Observer, Status};
use std::ops::ControlFlow;
use std::path::PathBuf;

fn example(name: &str, duration: f64) -> Model {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
    let mut model = Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"));
    model.settings.duration = duration;
    model
}

/// Keeps rows and stops a run after one.
struct Until {
    t: f64,
    frames: Vec<Frame>,
}

impl Observer for Until {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self.frames.push(frame.clone());
        if frame.t >= self.t { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn run_until(mechanism: &Mechanism, t: f64) -> (Vec<Frame>, Status) {
    let mut until = Until { t, frames: Vec::new() };
    let summary = mechanism.run(&mut until).unwrap_or_else(|e| panic!("{e}"));
    (until.frames, summary.status)
}

/// How far the named points of the same times are apart, m, and how many times they have in common.
fn apart(mechanism: &Mechanism, one: &[Frame], other: &[Frame]) -> (f64, usize) {
    let named = mechanism.shown().points;
    let mut most = (0.0_f64, 0);
    for frame in other {
        // the last of the same time: after what happens there
        let same = one.iter().rev().find(|f| (f.t - frame.t).abs() < 1e-12);
        let Some(same) = same else { continue };
        most.1 += 1;
        for (p, q) in same.positions[..named].iter().zip(&frame.positions[..named]) {
            most.0 = most.0.max(norm(sub(*p, *q)));
        }
    }
    most
}

/// A run that is broken off and goes on as the same model is the run that was not.
#[test]
fn same_motion_after_going_on() {
    for (name, duration, bound) in [
        ("four-bar", 1.0, 1e-9),
        ("double-pendulum", 1.0, 1e-9),
        ("slider-crank", 0.2, 1e-8),
        ("latch", 1.0, 1e-8),
        ("vehicle", 0.5, 1e-7),
        ("tower-crane", 2.0, 1e-7),
        ("bouncing-ball", 1.5, 1e-8),
        ("rocking-block", 0.5, 1e-7),
        ("box-stack", 0.4, 1e-7),
        ("governor", 0.5, 1e-8),
        ("winch", 0.3, 1e-6),
        ("breaking-chain", 0.9, 1e-6),
        ("sounding-rocket", 4.0, 1e-5),
    ] {
        let model = example(name, duration);
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{name}: {e}"));
        let (whole, _) = run_until(&mechanism, f64::INFINITY);
        let (first, _) = run_until(&mechanism, 0.4 * duration);
        let last = first.last().unwrap();
        let next = mechanism.go_on_as(&model, last).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (rest, status) = run_until(&next, f64::INFINITY);
        assert_eq!(status, Status::Finished, "{name}");
        assert_eq!(rest[0].t, last.t);
        let (off, rows) = apart(&mechanism, &whole, &rest);
        println!("{name}: {off:.1e} m over {rows} rows, from {} s", last.t);
        assert!(rows + 2 >= rest.len() && rows > 3, "{name}: {rows} of {}", rest.len());
        assert!(off < bound * mechanism.size(), "{name}: {off}");
    }
}

/// Formulations and integrators can be changed on the way.
#[test]
fn same_motion_in_another_formulation_on_the_way() {
    let mut model = example("four-bar", 2.0);
    let mechanism = model.assemble().unwrap();
    let (whole, _) = run_until(&mechanism, f64::INFINITY);
    let mut now = mechanism.clone();
    let mut t = 0.0;
    for (formulation, integrator) in [
        (Formulation::Points, Integrator::Dop853),
        (Formulation::Joints, Integrator::Dop853),
        (Formulation::Momentum, Integrator::Dopri5),
        (Formulation::NewtonEuler, Integrator::Dop853),
    ] {
        t += 0.4;
        let (frames, _) = run_until(&now, t);
        let (off, rows) = apart(&mechanism, &whole, &frames);
        println!("{} up to {t} s: {off:.1e} m over {rows} rows", formulation.name());
        assert!(rows > 3 && off < 1e-7, "{off}");
        (model.settings.formulation, model.settings.integrator) = (formulation, integrator);
        now = now.go_on_as(&model, frames.last().unwrap()).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Where lengths change, the parts stay together, and turns that were counted go on.
#[test]
fn keeps_together_where_lengths_change() {
    let mut model = example("four-bar", 2.0);
    let mechanism = model.assemble().unwrap();
    let (frames, _) = run_until(&mechanism, 1.0);
    let last = frames.last().unwrap();
    for point in &mut model.points {
        point.position[0] *= 1.02;
    }
    let next = mechanism.go_on_as(&model, last).unwrap_or_else(|e| panic!("{e}"));
    let (rest, status) = run_until(&next, f64::INFINITY);
    assert_eq!(status, Status::Finished);
    assert!(rest.iter().all(|f| f.constraint_residual < 1e-9 * next.size()));
    let jump = (rest[0].joints[0][0].q - last.joints[0][0].q).abs();
    println!("the first joint jumps by {jump} rad");
    assert!(jump < 0.5, "{jump}");
}

/// A particle that hangs on a hand: m ẍ = k (x₁ − x) − c ẋ, critically damped: x₁ − x = (1 + ω t) e^(−ω t).
#[test]
fn exact_pull_of_a_hand() {
    let (m, w) = (2.0_f64, 5.0);
    for spatial in [false, true] {
        let mut model = match spatial {
            true => Model::spatial("a"),
            false => Model::planar("a"),
        };
        model = model.point("A", [0.0, 0.0, 0.0]).body(Body::particle("a", "A", m));
        model.settings.duration = 2.0;
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = mechanism.simulation().unwrap();
        let hand = Hand {
            body: "a".into(),
            at: [0.0; 3],
            stiffness: m * w * w,
            damping: 2.0 * m * w,
            reach: f64::INFINITY,
        };
        let hand = simulation.grab(hand, [1.0, 0.0, 0.0]).unwrap();
        assert!(simulation.pull_to(hand, [f64::NAN, 0.0, 0.0]).is_err());
        let mut off = 0.0_f64;
        for k in 1..=100 {
            let t = 0.01 * f64::from(k);
            simulation.advance_to(t).unwrap();
            let left = (1.0 + w * t) * (-w * t).exp();
            off = off.max((1.0 - left - simulation.sample().unwrap().positions[0][0]).abs());
        }
        // what has been let go flies on
        simulation.release(hand).unwrap();
        let (before, v) = {
            let sample = simulation.sample().unwrap();
            (sample.positions[0][0], sample.velocities[0][0])
        };
        simulation.advance_to(1.5).unwrap();
        off = off.max((simulation.sample().unwrap().positions[0][0] - before - 0.5 * v).abs());
        println!("spatial {spatial}: {off:.1e} m");
        assert!(off < 1e-9, "{off}");
    }
}

/// A hand that is moved while the mechanism moves takes its body along, whatever it holds.
#[test]
fn follows_a_hand() {
    for (name, body) in [("four-bar", "crank"), ("spinning-body", "body"), ("chain", "link3")] {
        let model = example(name, 3.0);
        let Some(body) = model.bodies.iter().find(|b| b.name == body).or(model.bodies.last()) else {
            panic!()
        };
        let mechanism = model.assemble().unwrap();
        let held = mechanism.bodies().iter().position(|b| b.name == body.name).unwrap();
        let com = mechanism.bodies()[held].particles.properties.com;
        let (alone, _) = run_until(&mechanism, f64::INFINITY);
        let hand = Hand {
            body: body.name.clone(),
            at: com,
            stiffness: 2000.0,
            damping: 200.0,
            reach: f64::INFINITY,
        };
        let mut simulation = mechanism.simulation().unwrap();
        let hand = simulation.grab(hand, com).unwrap();
        for frame in 1..=180 {
            let t = f64::from(frame) / 60.0;
            let a = 0.1 * (3.0 * t).sin() * mechanism.size();
            simulation.pull_to(hand, [com[0] + a, com[1], com[2]]).unwrap();
            simulation.advance_to(t).unwrap();
        }
        let last = simulation.sample().unwrap().motions[held].c;
        let led = norm(sub(last, alone.last().unwrap().motions[held].c)) / mechanism.size();
        println!("{name}: led away by {led} of the size");
        assert!(led > 1e-2, "{name}: {led}");
    }
}

/// Forces that are set by name are those that a model can declare: on a joint, on a body, in every formulation.
#[test]
fn same_forces_by_name_and_in_the_model() {
    let base = example("double-pendulum", 0.6);
    let joint = base.assemble().unwrap().joints()[1].name.clone();
    let body = base.bodies[1].name.clone();
    let mut declared = base.clone();
    let of = ActsOn::Joint { joint: joint.clone(), coordinate: 1 };
    declared.actuators.push(Actuator::new("motor", of, ActuatorLaw::Torque(Formula::constant(1.5))));
    declared.forces.push(Force::at_com("wind", &body, [0.7, -0.3]));
    for formulation in suite::applicable(&base) {
        let (mut base, mut declared) = (base.clone(), declared.clone());
        base.settings.formulation = formulation;
        declared.settings.formulation = formulation;
        let whole = declared.assemble().unwrap().simulate().unwrap();
        let mechanism = base.assemble().unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        let motor = simulation.joint_force(&joint, 1).unwrap();
        let wind = simulation.wrench(&body).unwrap();
        assert_eq!(simulation.joint_force(&joint, 1).unwrap(), motor);
        simulation.set(motor, 1.5).unwrap();
        simulation.set_wrench(wind, [0.7, -0.3, 0.0], [0.0; 3]).unwrap();
        let kept = |frame: &Frame| frame.energy() - frame.work;
        let before = kept(simulation.sample().unwrap());
        simulation.advance_to(0.6).unwrap();
        let (one, other) = (simulation.sample().unwrap(), whole.frames.last().unwrap());
        let off =
            one.positions.iter().zip(&other.positions).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
        let gained = kept(one) - before;
        println!("{formulation}: {off:.1e} m, energy without its work {gained:.1e} J");
        assert!(off < 1e-8 && gained.abs() < 1e-8, "{formulation}: {off:.1e} {gained:.1e}");
    }
}

/// Forces that are set by name go on through a change of topology, and back to before they were there.
#[test]
fn keeps_forces_through_changes() {
    let model = example("breaking-chain", 0.9);
    let mechanism = model.assemble().unwrap();
    let body = mechanism.bodies().last().unwrap().name.clone();
    let mut simulation = mechanism.simulation().unwrap();
    let start = simulation.save();
    let push = simulation.wrench(&body).unwrap();
    simulation.set_wrench(push, [0.5, 0.0, 0.0], [0.0; 3]).unwrap();
    simulation.advance_to(0.9).unwrap();
    assert_eq!(simulation.value(push.force[0]), 0.5);
    let pushed = simulation.sample().unwrap().positions.clone();
    simulation.restore(&start).unwrap();
    assert_eq!(simulation.t(), 0.0);
    simulation.advance_to(0.9).unwrap();
    let alone = simulation.sample().unwrap().positions.clone();
    let whole = mechanism.simulate().unwrap();
    let last = &whole.frames.last().unwrap().positions;
    let apart =
        |a: &[[f64; 3]], b: &[[f64; 3]]| a.iter().zip(b).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
    println!("pushed by {:.3} m, alone {:.1e} m", apart(&pushed, &alone), apart(&alone, last));
    assert!(apart(&alone, last) < 1e-6);
    assert!(apart(&pushed, &alone) > 1e-3);
}

/// What is not there cannot be pushed.
#[test]
fn refuses_forces_on_nothing() {
    let mechanism = example("four-bar", 1.0).assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    let hand = |body: &str, stiffness: f64| Hand {
        body: body.into(),
        at: [0.0; 3],
        stiffness,
        damping: 1.0,
        reach: 1.0,
    };
    assert!(simulation.grab(hand("nobody", 1.0), [0.0; 3]).unwrap_err().to_string().contains("nobody"));
    assert!(simulation.grab(hand("crank", -1.0), [0.0; 3]).unwrap_err().to_string().contains("stiffness"));
    assert!(simulation.joint_force("nowhere", 1).unwrap_err().to_string().contains("nowhere"));
    let joint = mechanism.joints()[0].name.clone();
    assert!(simulation.joint_force(&joint, 7).unwrap_err().to_string().contains("no number 7"));
    assert!(simulation.wrench("ground").is_err());
    simulation.advance_to(0.1).unwrap();
}
