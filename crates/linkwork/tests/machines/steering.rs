//! Mechanisms that are changed while they run: another model goes on from where one is, and a hand pulls.

use linkwork::linalg::vec3::{norm, sub};
use linkwork::mechanism::Mechanism;
use linkwork::model::{Body, Formulation, Hand, Integrator, Model};
use linkwork::results::Frame;
use linkwork::simulation::{Observer, Status};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

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
        ("breaking_chain", 0.9, 1e-6),
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
        let hand = Arc::new(Hand::new("a", [0.0; 3], [0.0; 3], m * w * w, 2.0 * m * w));
        model.hand = Some(Arc::clone(&hand));
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        hand.pull_to([1.0, 0.0, 0.0]);
        hand.pull_to([f64::NAN, 0.0, 0.0]);
        let mut off = 0.0_f64;
        mechanism
            .run(&mut |frame: &Frame| {
                let left = (1.0 + w * frame.t) * (-w * frame.t).exp();
                off = off.max((1.0 - left - frame.positions[0][0]).abs());
            })
            .unwrap();
        println!("spatial {spatial}: {off:.1e} m");
        assert!(off < 1e-9, "{off}");
    }
}

/// A hand that is moved while the mechanism runs takes its body along, whatever it holds and in every formulation.
#[test]
fn follows_a_hand() {
    for (name, body) in [("four-bar", "crank"), ("spinning-body", "body"), ("chain", "link3")] {
        let mut model = example(name, 3.0);
        let Some(body) = model.bodies.iter().find(|b| b.name == body).or(model.bodies.last()) else {
            panic!()
        };
        let free = model.assemble().unwrap();
        let held = free.bodies().iter().position(|b| b.name == body.name).unwrap();
        let com = free.bodies()[held].particles.properties.com;
        let (alone, _) = run_until(&free, f64::INFINITY);
        let mass: f64 = 5.0;
        let hand = Arc::new(Hand::new(body.name.clone(), com, com, mass * 400.0, mass * 40.0));
        model.hand = Some(Arc::clone(&hand));
        model.settings.max_step = Some(1.0 / 60.0);
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let (mut rows, mut last) = (0, com);
        let summary = mechanism
            .run(&mut |frame: &Frame| {
                rows += 1;
                last = frame.motions[held].c;
                let a = 0.1 * (3.0 * frame.t).sin() * mechanism.size();
                hand.pull_to([com[0] + a, com[1], com[2]]);
            })
            .unwrap();
        let led = norm(sub(last, alone.last().unwrap().motions[held].c)) / mechanism.size();
        println!("{name}: {rows} rows, {:?}, led away by {led} of the size", summary.status);
        assert!(led > 1e-2, "{name}: {led}");
        assert_eq!(summary.status, Status::Finished, "{name}");
    }
}

/// A hand on what is not there is a fault.
#[test]
fn refuses_a_hand_on_nothing() {
    let mut model = example("four-bar", 1.0);
    model.hand = Some(Arc::new(Hand::new("nobody", [0.0; 3], [0.0; 3], 1.0, 1.0)));
    let faults = model.assemble().unwrap_err();
    assert!(faults.to_string().contains("nobody"), "{faults}");
}
