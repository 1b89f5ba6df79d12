//! Ropes that a law or a drum lets out and takes in.

use super::shared::{finish, shown};
use crate::suite::{G, settings};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::{EventKind, Trajectory};

const DENSITY: f64 = 0.6;
const SEGMENT: f64 = 0.5;
const LOAD: f64 = 20.0;

/// A load on a rope below an exit, so far at the start.
fn hoist(out: f64, density: f64, segment: f64, pay_out: PayOut) -> Model {
    Model::planar("hoist")
        .gravity([0.0, -G])
        .point("sheave", [0.0, 0.0])
        .point("hook", [0.0, -out])
        .ground(["sheave"])
        .body(Body::particle("load", "hook", LOAD))
        .chain(Chain::new("rope", "hook", 1, density).to("sheave").segment_length(segment).pay_out(pay_out))
}

fn count(run: &Trajectory, kind: EventKind) -> usize {
    run.summary.events.iter().filter(|event| event.kind == kind).count()
}

fn hook(mechanism: &Mechanism, frame: &Frame) -> ([f64; 3], [f64; 3]) {
    let at = mechanism.points().iter().position(|p| p.name == "hook").unwrap();
    (frame.positions[at], frame.velocities[at])
}

/// Tension where the rope comes out of the exit.
fn pull(mechanism: &Mechanism, frame: &Frame) -> f64 {
    let mechanism = shown(mechanism, frame);
    mechanism.chains()[0].growing_tension(mechanism, frame)
}

/// The length as text and as a function, the acceleration upwards, what nodes do.
type Law = (&'static str, fn(f64) -> f64, f64, EventKind);

/// The load follows the law, and the rope at the exit carries load and rope, times g + a: the growing segment has no inertia, and half of its
/// weight is at the exit.
#[test]
fn exact_load_follows_the_law() {
    let laws: [Law; 4] = [
        ("6.2 - 0.8*t", |t| 6.2 - 0.8 * t, 0.0, EventKind::TakeIn),
        ("2.2 + 0.8*t", |t| 2.2 + 0.8 * t, 0.0, EventKind::PayOut),
        ("6.2 - 0.3*t^2", |t| 6.2 - 0.3 * t * t, 0.6, EventKind::TakeIn),
        ("2.2 + 0.3*t^2", |t| 2.2 + 0.3 * t * t, -0.6, EventKind::PayOut),
    ];
    for (text, law, a, kind) in laws {
        for lumping in [Lumping::Halves, Lumping::Far] {
            let pay_out = PayOut::length(Formula::parse(text).unwrap());
            let mut model = hoist(law(0.0), DENSITY, SEGMENT, pay_out).settings(settings(3.5, 0.05, 1e-10));
            model.chains[0].masses = lumping;
            let (mechanism, run) = finish(&model);
            let (mut off, mut slack) = (0.0_f64, 0.0_f64);
            for frame in &run.frames {
                let t = frame.t;
                off = off.max((hook(&mechanism, frame).0[1] + law(t)).abs());
                let exact = (LOAD + DENSITY * law(t)) * (G + a);
                slack = slack.max((pull(&mechanism, frame) - exact).abs());
            }
            let (events, weight) = (count(&run, kind), DENSITY * SEGMENT * (G + a));
            println!(
                "{text} {}: {events} nodes, load off by {off:.1e} m, tension by {:.2} of a segment, balances {:?}, {:?}",
                lumping.name(),
                slack / weight,
                run.summary.balances,
                run.summary.wall
            );
            assert!(events >= 4, "{text}: {events}");
            assert!(off < 1e-6, "{text}: {off}");
            assert!(slack < 1.01 * weight, "{text}: {slack} of {weight}");
        }
    }
}

/// A drum that turns steadily lifts a load at r ω.
#[test]
fn exact_drum_lifts_a_load() {
    let (r, w) = (0.25, 3.0);
    for (radius, lifts) in [(-r, 1.0), (r, -1.0)] {
        let model = hoist(4.0, DENSITY, SEGMENT, PayOut::winch("drum", radius))
            .point("D", [1.0, 0.0])
            .body(Body::with_inertia("reel", ["D"], 3.0, "D", Inertia::Polar(0.2)))
            .joint(Joint::new("drum", JointKind::Revolute, ["ground", "reel"], "D"))
            .ground(["D"])
            .driver(Driver::joint("motor", "drum", Formula::parse("3*t").unwrap()))
            .settings(settings(3.0, 0.05, 1e-10));
        let (mechanism, run) = finish(&model);
        let mut off = 0.0_f64;
        for frame in &run.frames {
            off = off.max((hook(&mechanism, frame).0[1] + 4.0 - lifts * r * w * frame.t).abs());
        }
        println!(
            "radius {radius}: off by {off:.1e} m, {} events, {:?}",
            run.summary.event_count, run.summary.wall
        );
        assert!(off < 1e-6, "{off}");
        assert!(run.summary.event_count >= 4);
    }
}

/// A motor with the torque τ on a drum of the inertia J: (J + m r²) α = τ − m g r for a rope without mass; with one, up to its part of the mass.
#[test]
fn exact_motor_lifts_a_load() {
    let (r, inertia, torque) = (0.25, 0.8, 60.0);
    let alpha = (torque - LOAD * G * r) / (inertia + LOAD * r * r);
    let mut errors = Vec::new();
    for density in [1e-2, 1e-3] {
        let model = hoist(4.0, density, SEGMENT, PayOut::winch("drum", -r))
            .point("D", [1.0, 0.0])
            .body(Body::with_inertia("reel", ["D"], 3.0, "D", Inertia::Polar(inertia)))
            .joint(Joint::new("drum", JointKind::Revolute, ["ground", "reel"], "D"))
            .ground(["D"])
            .actuator(Actuator::new(
                "motor",
                ActsOn::joint("drum"),
                ActuatorLaw::Torque(Formula::constant(torque)),
            ))
            .settings(settings(2.0, 0.05, 1e-10));
        let (mechanism, run) = finish(&model);
        let last = run.frames.last().unwrap();
        let exact = 0.5 * alpha * r * last.t * last.t;
        let risen = hook(&mechanism, last).0[1] + 4.0;
        println!(
            "rope of {density} kg/m: risen {risen} m, {exact} m without it, {} events",
            run.summary.event_count
        );
        assert!(run.summary.event_count >= 1);
        errors.push((risen / exact - 1.0).abs());
    }
    println!("{errors:?}");
    assert!(errors[0] < 2e-2 && (errors[0] / errors[1] - 10.0).abs() < 1.0, "{errors:?}");
}

/// θ of a pendulum whose length is l(t), by Runge and Kutta's method: θ̈ = −(2 l̇ θ̇ + g sin θ)/l.
fn shortened(l: impl Fn(f64) -> f64, rate: f64, start: f64, end: f64) -> f64 {
    let f = |t: f64, [q, v]: [f64; 2]| [v, -(2.0 * rate * v + G * q.sin()) / l(t)];
    let (mut y, n) = ([start, 0.0], 20_000);
    let h = end / n as f64;
    for i in 0..n {
        let t = h * i as f64;
        let next = |k: [f64; 2], c: f64| [y[0] + c * k[0], y[1] + c * k[1]];
        let k1 = f(t, y);
        let k2 = f(t + 0.5 * h, next(k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, next(k2, 0.5 * h));
        let k4 = f(t + h, next(k3, h));
        for c in 0..2 {
            y[c] += h / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]);
        }
    }
    y[0]
}

/// A load that swings on a rope that is taken in swings as without the rope's mass, the closer the lighter it is.
#[test]
fn order_of_a_pendulum_on_a_rope_that_is_taken_in() {
    pendulum("3 - 0.5*t", 3.0, -0.5);
}

#[test]
fn order_of_a_pendulum_on_a_rope_that_is_let_out() {
    pendulum("1.5 + 0.5*t", 1.5, 0.5);
}

fn pendulum(text: &str, start: f64, rate: f64) {
    let theta: f64 = 0.5;
    let exact = shortened(|t| start + rate * t, rate, theta, 3.0);
    let mut errors = Vec::new();
    for density in [4e-2, 4e-3, 4e-4] {
        let pay_out = PayOut::length(Formula::parse(text).unwrap());
        let mut model = hoist(start, density, 0.4, pay_out).settings(settings(3.0, 0.1, 1e-10));
        model.points[1].position = [start * theta.sin(), -start * theta.cos(), 0.0];
        let (mechanism, run) = finish(&model);
        let last = run.frames.last().unwrap();
        let r = hook(&mechanism, last).0;
        errors.push((r[0].atan2(-r[1]) - exact).abs());
        println!(
            "{text}, {density} kg/m: off by {:.1e} rad, {} events, balances {:?}, {:?}",
            errors.last().unwrap(),
            run.summary.event_count,
            run.summary.balances,
            run.summary.wall
        );
        assert!(run.summary.event_count >= 3);
    }
    println!("{errors:?}");
    assert!(errors[2] < 1e-4 && errors[2] < 0.2 * errors[1] && errors[1] < 0.2 * errors[0], "{errors:?}");
}
