//! Taylor's method in point coordinates: closed forms, orders, the other integrators, and what it costs.

use crate::suite;

use linkwork::formulations::{Formulate, Points};
use linkwork::integrate::{Stepper, System};
use linkwork::linalg::vec3::{norm, sub};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::simulation::{Status, Trajectory};
use std::convert::Infallible;
use suite::{G, planar_four_bar, settings};

fn assembled(model: &Model) -> Mechanism {
    model.assemble().unwrap_or_else(|e| panic!("{e}"))
}

fn run_with(model: &Model, integrator: Integrator, tolerance: f64) -> Trajectory {
    let mut model = model.clone();
    model.settings.integrator = integrator;
    model.settings.formulation = Formulation::Points;
    model.settings.tolerance = tolerance;
    assembled(&model).simulate().unwrap_or_else(|e| panic!("{e}"))
}

/// Largest difference of positions and of velocities over all rows.
fn difference(a: &Trajectory, b: &Trajectory) -> (f64, f64) {
    assert_eq!(a.frames.len(), b.frames.len());
    let mut worst = (0.0_f64, 0.0_f64);
    for (a, b) in a.frames.iter().zip(&b.frames) {
        assert!((a.t - b.t).abs() < 1e-9, "{} {}", a.t, b.t);
        for (p, q) in a.positions.iter().zip(&b.positions) {
            worst.0 = worst.0.max(norm(sub(*p, *q)));
        }
        for (p, q) in a.velocities.iter().zip(&b.velocities) {
            worst.1 = worst.1.max(norm(sub(*p, *q)));
        }
    }
    worst
}

/// A row of parallelograms: N couplers on N + 1 upright rods of 1 m and 1 kg. It passes through the position where all lie
/// flat, in which every loop could fold the other way.
fn parallelograms(loops: usize) -> Model {
    let mut model = Model::planar("parallelograms").gravity([0.0, -G]);
    for i in 0..=loops {
        model = model.point(format!("P{i}"), [i as f64, 0.0]).point(format!("Q{i}"), [i as f64, 1.0]);
    }
    model = model.ground((0..=loops).map(|i| format!("P{i}")));
    for i in 0..=loops {
        model = model
            .body(Body::rod(format!("upright{i}"), [&format!("P{i}"), &format!("Q{i}")], 1.0))
            .velocity(format!("Q{i}"), [1.0, 0.0]);
    }
    for i in 0..loops {
        model = model.body(Body::rod(format!("coupler{i}"), [&format!("Q{i}"), &format!("Q{}", i + 1)], 1.0));
    }
    model.settings(settings(10.0, 0.05, 1e-11))
}

struct Pendulum(f64);
impl System for Pendulum {
    type Error = Infallible;
    fn dimension(&self) -> usize {
        2
    }
    fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        dy[0] = y[1];
        dy[1] = self.0 * y[0].sin();
        Ok(())
    }
}

/// θ'' = κ sin θ, κ = 3g(3N+1) / 2(4N+1): the motion of the parallelograms.
fn angles(loops: usize, times: impl Iterator<Item = f64>) -> Vec<f64> {
    let n = loops as f64;
    let mut system = Pendulum(1.5 * G * (3.0 * n + 1.0) / (4.0 * n + 1.0));
    let mut stepper = Stepper::dop853(2, 1e-14);
    stepper.start(&mut system, 0.0, &[0.0, 1.0], 0.0).unwrap();
    let mut found = Vec::new();
    for t in times {
        // an own end for every row: no interpolation
        stepper.set_end(t);
        while !stepper.is_finished() {
            stepper.step(&mut system).unwrap();
        }
        found.push(stepper.y()[0]);
    }
    found
}

/// 10 s through the singular position, against the closed form.
#[test]
fn exact_parallelograms_through_their_flat_position() {
    for loops in [2, 40] {
        let model = parallelograms(loops);
        for tolerance in [1e-7, 1e-9, 1e-11] {
            let run = run_with(&model, Integrator::Taylor, tolerance);
            assert_eq!(run.summary.status, Status::Finished);
            assert_eq!(run.summary.fallback, None);
            let angles = angles(loops, run.frames.iter().map(|f| f.t));
            let mut worst = 0.0_f64;
            for (frame, angle) in run.frames.iter().zip(angles) {
                for i in 0..=loops {
                    let expected = [i as f64 + angle.sin(), angle.cos(), 0.0];
                    worst = worst.max(norm(sub(frame.positions[2 * i + 1], expected)));
                }
            }
            let s = &run.summary;
            println!(
                "N = {loops}, {tolerance:.0e}: energy {:.1e} J, position {worst:.1e} m, {} steps, {} rejected",
                s.energy_drift, s.steps.accepted_steps, s.steps.rejected_steps
            );
            if tolerance < 1e-8 {
                // 1000 J are at play with 40 loops: beside the flat position roundings are worth some 1e-6 J
                let bound = if loops == 40 && tolerance < 1e-10 { 1e-5 } else { 1e-6 };
                assert!(s.energy_drift < bound && worst < 1e-6, "{} {worst}", s.energy_drift);
            }
        }
    }
}

fn double_pendulum() -> Model {
    Model::planar("double pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .point("B", [2.0, 0.0])
        .ground(["O"])
        .body(Body::rod("first", ["O", "A"], 1.0))
        .body(Body::rod("second", ["A", "B"], 1.0))
        .settings(settings(1.0, 0.1, 1e-13))
}

/// A five-bar linkage: a function of time drives its crank, a spring and a damper hold its rocker, and one degree of freedom is left.
fn driven_five_bar() -> Model {
    let rod = |name: &str, ends: [&str; 2], mass: f64| Body::rod(name, ends, mass);
    let text = Formula::parse("0.3*sin(2*t) + 0.1*t^2").unwrap();
    Model::planar("driven five-bar")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("M", [1.0, 2.0])
        .point("C", [2.0, 1.8])
        .point("D", [2.5, 0.0])
        .point("E", [3.5, 1.5])
        .ground(["A", "D", "E"])
        .body(rod("crank", ["A", "B"], 1.0))
        .body(rod("first", ["B", "M"], 2.0))
        .body(rod("second", ["M", "C"], 1.2))
        .body(rod("rocker", ["C", "D"], 1.5))
        .spring(Spring::new("spring", ["C", "E"], 40.0).damping(3.0).free_length(1.1))
        .driver(Driver::joint("motor", "A", text))
        .settings(settings(1.0, 0.1, 1e-11))
}

/// The states at tenths of the duration, with a given order and number of steps, a multiple of ten.
fn states(mechanism: &Mechanism, order: usize, steps: usize) -> Vec<f64> {
    let mut points = Points::new(mechanism).unwrap();
    points.begin_series(order).unwrap();
    let duration = mechanism.model().settings.duration;
    let mut stepper = Stepper::taylor_fixed(points.dimension(), duration / steps as f64, order);
    let start = points.start();
    stepper.start(&mut points, 0.0, &start, duration).unwrap();
    let mut found = Vec::new();
    for k in 1..=steps {
        stepper.step(&mut points).unwrap();
        if k % (steps / 10) == 0 {
            found.extend_from_slice(stepper.y());
        }
    }
    assert!(stepper.is_finished());
    found
}

/// Positions, velocities and work fall with the step as the order says. Low orders too: there the step can be small against the radius of
/// convergence before roundings are met, which is when slopes are clean.
#[test]
fn order_of_convergence() {
    let swinging = planar_four_bar().velocity("B", [1.0, 0.0]);
    for (name, mut model, duration) in [
        ("double pendulum", double_pendulum(), 0.6),
        ("four-bar", swinging, 0.5),
        ("driven five-bar", driven_five_bar(), 0.6),
    ] {
        model.settings.duration = duration;
        let mechanism = assembled(&model);
        let exact = states(&mechanism, 20, 60);
        for (order, steps) in [
            (4, &[100, 200, 300, 450, 600][..]),
            (6, &[50, 60, 90, 120, 160, 200, 300]),
            (8, &[30, 40, 50, 60, 80, 100, 130, 160, 200]),
        ] {
            let error = |steps: usize| {
                let y = states(&mechanism, order, steps);
                y.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            };
            let errors: Vec<f64> = steps.iter().map(|&n| error(n)).collect();
            let slopes: Vec<f64> = (0..steps.len() - 1)
                .map(|k| (errors[k] / errors[k + 1]).ln() / (steps[k + 1] as f64 / steps[k] as f64).ln())
                .collect();
            println!("{name}, order {order}: errors {}, slopes {slopes:.2?}", list(&errors));
            // the last one that roundings leave alone
            let clean = (0..slopes.len()).rev().find(|&k| errors[k + 1] > 5e-14).unwrap();
            // order 8 is met at 5e-14 only, and a hundredth of that moves the slope by 0.05
            let allowed = if order == 8 { 0.3 } else { 0.2 };
            assert!((slopes[clean] - order as f64).abs() < allowed, "{name}: {} for {order}", slopes[clean]);
        }
    }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.1e}")).collect::<Vec<_>>().join(" ")
}

/// Two bodies in the plane with everything that has a series.
const PLANAR: &str = r#"
format = 1
[model]
name = "all kinds of forces"
dimension = 2
gravity = [0, -9.81]
[points]
A = [0, 0]
B = [1, 0]
C = [1.8, 0.5]
D = [2.5, -0.5]
E = [0.3, 0.8]
[bodies]
ground = { points = ["A", "D"] }
arm = { points = ["A", "B", "E"], mass = 2, shape = "polygon" }
tip = { points = ["B", "C"], mass = 1.1 }
[joints.elbow]
type = "revolute"
bodies = ["arm", "tip"]
at = "B"
stiffness = 3
damping = 0.2
[springs]
plain = { between = ["C", "D"], stiffness = 20, damping = 0.5, free_length = 0.9 }
law = { between = ["E", "D"], law = "30*(length - 2) + 5*(length - 2)^3 + 0.3*rate" }
preloaded = { between = ["E", "D"], stiffness = 4, free_length = 2, preload = 3 }
[torsion_springs]
root = { joint = "A", stiffness = 8, damping = 0.3, free_angle = 0.1 }
cubic = { joint = "elbow", law = "2*angle^3 + 0.1*tanh(rate)" }
[bushings]
soft = { bodies = ["ground", "tip"], at = ["D", "C"], stiffness = [3, 2, 1], damping = [0.1, 0.2, 0.05] }
[drags]
air = { body = "tip", linear = 0.4, wind = ["sin(t)", "0.2*exp(-t)"] }
[actuators]
motor = { joint = "A", torque = "2*cos(3*t) - 0.4*v + 0.1*q*sqrt(1 + v^2)" }
servo = { joint = "elbow", controller = { type = "pd", setpoint = "0.4*sin(2*t)", kp = 5, kd = 0.5 } }
[forces]
push = { body = "arm", at = "E", force = ["3*step5(t, 0.3, 0, 0.9, 1)", "(1 N)*atan(point.C.vy/(1 m/s))"], axes = "body" }
blow = { body = "tip", force = ["if(t < 0.5 or t > 1.1, 1, -t)", "min(t, 0.7) + abs(t - 0.4)*cos(joint.A.q)"] }
[couples]
turn = { body = "tip", moment = "ln(2 + t)*body.arm.wz - spring.preloaded.force/50" }
constant = { body = "arm", moment = 0.7 }
[simulation]
duration = 1.5
output_step = 0.05
"#;

/// A body with a plate and a rod on it, in space.
const SPATIAL: &str = r#"
format = 1
[model]
name = "forces in space"
dimension = 3
gravity = [0, 0, -9.81]
[points]
A = [0, 0, 0]
B = [1, 0, 0]
C = [1, 1, 0]
P = [0.5, 0.4, 0.6]
Q = [2, 1.4, 0.3]
[bodies]
ground = { points = ["A", "Q"] }
block = { points = ["A", "B", "P"], mass = 3, com = [0.5, 0.2, 0.2], inertia = [0.4, 0.5, 0.6] }
plate = { points = ["B", "C", "P"], mass = 1.2, shape = "polygon" }
rod = { points = ["C", "Q"], mass = 0.5 }
[springs]
s = { between = ["C", "A"], stiffness = 60, damping = 1, free_length = 1.2 }
[bushings]
b = { bodies = ["ground", "block"], at = ["A", "P"], stiffness = [5, 6, 7, 0, 0, 0], damping = [0.3, 0.2, 0.1, 0, 0, 0] }
[forces]
f = { body = "plate", at = "C", force = ["sin(t)", "cos(2*t)", "point.P.vz"], axes = "body" }
[couples]
c = { body = "block", moment = ["0.3*t", "0.1*body.block.wx", "sin(3*t)"], axes = "body" }
d = { body = "plate", moment = ["0.2", "t^2", "0.4"] }
[simulation]
duration = 1
output_step = 0.05
"#;

/// Everything that has a series, against Dormand–Prince.
#[test]
fn cross_all_covered_forces() {
    for text in [PLANAR, SPATIAL] {
        let model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
        let taylor = run_with(&model, Integrator::Taylor, 1e-12);
        assert_eq!(taylor.summary.fallback, None);
        assert_eq!(taylor.summary.status, Status::Finished);
        let other = run_with(&model, Integrator::Dop853, 1e-13);
        let (positions, velocities) = difference(&taylor, &other);
        let work = taylor
            .frames
            .iter()
            .zip(&other.frames)
            .fold(0.0, |m: f64, (a, b)| m.max((a.work - b.work).abs()));
        let s = &taylor.summary;
        println!(
            "{}: positions {positions:.1e} m, velocities {velocities:.1e} m/s, work {work:.1e} J, energy {:.1e} J, {} steps",
            model.name, s.energy_drift, s.steps.accepted_steps
        );
        assert!(positions < 1e-10 && velocities < 1e-9 && work < 1e-9 && s.energy_drift < 1e-9);
    }
}

/// The examples: most are covered, and agree with Dormand–Prince; the others say why not.
#[test]
fn cross_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let files = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
    let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    // contacts by the hundred, for time steps: nothing for an integrator of high order
    let crowds = ["brick-wall", "hundred-dominoes", "rolling-bearing", "sand-heap"];
    let mut fallen = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if crowds.contains(&name.as_str()) || crate::suite::BEAMS.contains(&name.as_str()) {
            continue;
        }
        let mut model = Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"));
        model.settings.duration = model.settings.duration.min(1.0);
        let taylor = run_with(&model, Integrator::Taylor, 1e-11);
        assert_eq!(taylor.summary.status, Status::Finished, "{name}");
        if let Some(fallback) = &taylor.summary.fallback {
            println!("{name}: {fallback}");
            fallen.push(name);
            continue;
        }
        let other = run_with(&model, Integrator::Dop853, 1e-13);
        let (positions, velocities) = difference(&taylor, &other);
        let s = &taylor.summary;
        println!(
            "{name}: positions {positions:.1e} m, velocities {velocities:.1e} m/s; {} steps, {} rejected",
            s.steps.accepted_steps, s.steps.rejected_steps
        );
        let size = s.size;
        // local errors of 1e-11, over a second or less
        assert!(
            positions < 1e-9 * size && velocities < 1e-7 * size,
            "{name}: {positions:.1e} {velocities:.1e}"
        );
    }
    let contacts = [
        "block-on-incline",
        "bouncing-ball",
        "box-stack",
        "conveyor",
        "dominoes",
        "gripper",
        "heap-of-spheres",
        "marble-run",
        "newtons-cradle",
        "rocking-block",
    ];
    // air, stiffness and pay-out of ropes have no series
    let ropes = ["hanging-chain", "line-throwing-rocket", "rope-swing", "whip", "winch"];
    fallen.retain(|name| !contacts.contains(&name.as_str()) && !ropes.contains(&name.as_str()));
    assert_eq!(fallen, ["bump", "cam-follower", "sounding-rocket", "vehicle"]);
}

/// A friction that turns round is not in the series, and must be found all the same.
#[test]
fn cross_friction_that_turns_round() {
    let mut model = Model::from_toml(PLANAR).unwrap();
    let text = PLANAR.replace("damping = 0.2\n", "damping = 0.2\nfriction = 0.5\n");
    assert_ne!(text, PLANAR);
    model = Model { settings: model.settings.clone(), ..Model::from_toml(&text).unwrap() };
    let taylor = run_with(&model, Integrator::Taylor, 1e-10);
    assert_eq!(taylor.summary.fallback, None);
    let other = run_with(&model, Integrator::Dop853, 1e-12);
    let (positions, velocities) = difference(&taylor, &other);
    let s = &taylor.summary;
    println!(
        "friction: {positions:.1e} m, {velocities:.1e} m/s, {} steps, {} rejected; dop853 {} and {}",
        s.steps.accepted_steps,
        s.steps.rejected_steps,
        other.summary.steps.accepted_steps,
        other.summary.steps.rejected_steps
    );
    assert!(s.steps.rejected_steps > 0, "nothing was concealed: the test tests nothing");
    assert!(positions < 1e-6 && velocities < 1e-5);
}

/// What has no series is named, and the run is that of Dormand–Prince to the bit.
#[test]
fn same_as_dop853_where_series_have_gaps() {
    let cases = [
        (
            "spring.plain",
            "plain = { between = [\"C\", \"D\"],",
            "plain = { tension_only = true, between = [\"C\", \"D\"],",
            "slack",
        ),
        ("actuator.motor", "motor = { joint", "motor = { limit = 9, joint", "limit"),
        ("drag.air", "linear = 0.4", "linear = 0.4, coefficient = 0.1", "speed"),
        ("force.push", "(1 N)*atan(point.C.vy/(1 m/s))", "max(point.C.vy, 0)", "min or max"),
        ("force.push", "(1 N)*atan(point.C.vy/(1 m/s))", "floor(t)", "floor"),
        ("couple.turn", "ln(2 + t)", "speed(C)", "speed"),
    ];
    for (element, old, new, why) in cases {
        let text = PLANAR.replace(old, new);
        assert_ne!(text, PLANAR);
        let mut model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        model.settings.duration = 0.2;
        let taylor = run_with(&model, Integrator::Taylor, 1e-9);
        let fallback = taylor.summary.fallback.clone().unwrap_or_else(|| panic!("{element} has a series"));
        println!("{fallback}");
        assert_eq!(fallback.integrator, Integrator::Dop853);
        assert!(fallback.reasons.iter().any(|r| r.element == element && r.why.contains(why)), "{fallback}");
        let other = run_with(&model, Integrator::Dop853, 1e-9);
        assert_eq!(difference(&taylor, &other), (0.0, 0.0));
        model.settings.integrator = Integrator::Taylor;
        let json = linkwork::simulation::summary_json(&assembled(&model), &taylor.summary);
        assert_eq!(json["fallback"]["integrator"], "dop853");
        assert_eq!(json["fallback"]["reasons"][0]["element"], fallback.reasons[0].element.as_str());
    }
}

/// Other formulations and senseless orders are refused.
#[test]
fn exact_refusals() {
    let mut model = double_pendulum();
    model.settings.integrator = Integrator::Taylor;
    model.settings.formulation = Formulation::Joints;
    let faults = assembled(&model).simulate().unwrap_err();
    assert_eq!(faults.list[0].path, "simulation.integrator");
    assert!(faults.list[0].message.contains("point coordinates"), "{}", faults.list[0].message);
    model.settings.formulation = Formulation::Points;
    for (order, fine) in [(7, false), (8, true), (24, true), (25, false)] {
        model.settings.order = Some(order);
        assert_eq!(model.assemble().is_ok(), fine, "{order}");
    }
    model.settings.order = Some(14);
    model.settings.integrator = Integrator::Rk4;
    assert!(assembled(&model).warnings().iter().any(|w| w.path == "simulation.order"));
}

/// 1000 s of chaos: the energy stays.
#[test]
fn keeps_energy_of_a_double_pendulum() {
    let mut model = double_pendulum();
    model.settings.duration = 1000.0;
    model.settings.output_step = 1.0;
    let run = run_with(&model, Integrator::Taylor, 1e-13);
    let s = &run.summary;
    println!(
        "1000 s: energy {:.1e} J, {:.1e} relative, {} steps",
        s.energy_drift,
        s.relative_energy_drift(),
        s.steps.accepted_steps
    );
    // some 1e5 steps, each with a rounding of 1e-15 of 30 J: 1e-11 if they were random
    assert!(s.relative_energy_drift() < 1e-9);
}

/// Two factorisations a step, whatever the order: one to project with, and that of the projected place, which serves the next series.
#[test]
fn exact_two_factorisations_a_step() {
    for order in [8, 16, 24] {
        let mut model = double_pendulum();
        model.settings.order = Some(order);
        model.settings.duration = 10.0;
        model.settings.output_step = 10.0; // rows are factored by themselves
        let run = run_with(&model, Integrator::Taylor, 1e-11);
        let s = &run.summary;
        println!(
            "order {order}: {} factorisations, {} solves, {} steps",
            s.counters.factorisations, s.counters.solves, s.steps.accepted_steps
        );
        // the rows at both ends, the start, the guess of a first step, and seven looks into
        // that step for a singular position
        assert!(s.counters.factorisations <= 2 * (s.steps.accepted_steps + s.steps.rejected_steps) + 13);
    }
}

/// Stepping and interpolating allocate nothing.
#[test]
fn keeps_to_its_buffers() {
    let model = Model::from_toml(PLANAR).unwrap();
    let mechanism = assembled(&model);
    let mut points = Points::new(&mechanism).unwrap();
    points.begin_series(14).unwrap();
    let mut stepper = Stepper::taylor(points.dimension(), 1e-10, 14);
    let start = points.start();
    let mut y = start.clone();
    stepper.start(&mut points, 0.0, &start, 0.3).unwrap();
    stepper.step(&mut points).unwrap(); // lists of pulls and stacks of formulas grow once
    let counted = allocation_counter::measure(|| {
        while !stepper.is_finished() {
            stepper.step(&mut points).unwrap();
            let middle = 0.5 * (stepper.t_old() + stepper.t());
            stepper.interpolate(&mut points, middle, &mut y).unwrap();
        }
    });
    assert!(stepper.statistics().accepted_steps > 3, "{:?}", stepper.statistics());
    assert_eq!(counted.count_total, 0);
}

/// The dense output is the motion, not only near the steps' ends.
#[test]
fn exact_between_steps() {
    let model = parallelograms(2);
    let mechanism = assembled(&model);
    let mut points = Points::new(&mechanism).unwrap();
    points.begin_series(16).unwrap();
    let mut stepper = Stepper::taylor(points.dimension(), 1e-12, 16);
    let start = points.start();
    let mut y = start.clone();
    stepper.start(&mut points, 0.0, &start, 1.0).unwrap();
    let (mut times, mut found) = (Vec::new(), Vec::new());
    while !stepper.is_finished() {
        stepper.step(&mut points).unwrap();
        for part in [0.2, 0.5, 0.9] {
            let t = stepper.t_old() + part * (stepper.t() - stepper.t_old());
            stepper.interpolate(&mut points, t, &mut y).unwrap();
            times.push(t);
            found.push([y[0], y[1]]);
        }
    }
    let mut worst = 0.0_f64;
    for (angle, [x, y]) in angles(2, times.into_iter()).into_iter().zip(found) {
        worst = worst.max((x - angle.sin()).abs()).max((y - angle.cos()).abs());
    }
    println!("between steps: {worst:.1e} m");
    assert!(worst < 1e-10);
}

/// Prints the times of both methods, taken in turns: `cargo test --release --test integration taylor:: -- --ignored --nocapture times`.
#[test]
#[ignore = "a measurement"]
fn times() {
    for (name, model) in
        [("double pendulum", double_pendulum()), ("N = 2", parallelograms(2)), ("N = 40", parallelograms(40))]
    {
        for tolerance in [1e-7, 1e-9, 1e-11] {
            let mut model = model.clone();
            model.settings.duration = 10.0;
            model.settings.output_step = 10.0;
            model.settings.tolerance = tolerance;
            let mut best = [f64::INFINITY; 2];
            let mut drift = [0.0; 2];
            let mut steps = [0; 2];
            for _ in 0..15 {
                for (i, integrator) in [Integrator::Taylor, Integrator::Dop853].into_iter().enumerate() {
                    model.settings.integrator = integrator;
                    let s = assembled(&model).simulate().unwrap().summary;
                    best[i] = best[i].min(s.wall.as_secs_f64());
                    drift[i] = s.energy_drift;
                    steps[i] = s.steps.accepted_steps;
                }
            }
            println!(
                "{name}, {tolerance:.0e}: taylor {:.3} ms ({:.1e} J, {} steps), dop853 {:.3} ms ({:.1e} J, {} steps), ratio {:.2}",
                1e3 * best[0],
                drift[0],
                steps[0],
                1e3 * best[1],
                drift[1],
                steps[1],
                best[1] / best[0]
            );
        }
    }
}
