//! Controllers in the model file: against independent integrations of the same machine and the same controller.

use crate::suite;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Integrator, Model};
use linkwork::simulation::{Status, Trajectory};
use suite::G;

fn assembled(text: &str) -> Mechanism {
    let model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    model.assemble().unwrap_or_else(|e| panic!("{e}"))
}

/// A step of order 4 of an independent integration.
fn step<const N: usize>(y: [f64; N], h: f64, f: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    let on = |y: [f64; N], h: f64, d: [f64; N]| std::array::from_fn(|i| y[i] + h * d[i]);
    let a = f(y);
    let b = f(on(y, 0.5 * h, a));
    let c = f(on(y, 0.5 * h, b));
    let d = f(on(y, h, c));
    std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
}

/// A pole of 0.2 kg and 1 m on a cart of 1 kg, which is pushed along a rail.
const CART: &str = "format = 1\n[model]\ngravity = '-y'\n[points]\nO = [0, 0]\nC = [0, 0]\nP = [0, 1]\n[bodies]\nground = { points = ['O'] }\n\
    cart = { points = ['C'], mass = 1, shape = { type = 'box', size = [0.4, 0.2], axis = [1, 0] } }\n\
    pole = { points = ['C', 'P'], mass = 0.2 }\n\
    [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'cart']\nat = ['O', 'C']\naxis = [1, 0]\n\
    [initial]\nvelocities = { C = [0, 0], P = [0.4, 0] }\n\
    [measures]\ntilt = 'atan2(point.P.x - point.C.x, point.P.y - point.C.y)'\n\
    [simulation]\nduration = 5\noutput_step = 0.5\ntolerance = 1e-11\n";

/// Accelerations of cart and pole from the Lagrangian with the coordinates x and tilt:
/// [M+m, m d c; m d c, I] [ẍ; ä] = [F + m d w² s; m g d s].
fn accelerations([_, _, a, w]: [f64; 4], force: f64) -> [f64; 2] {
    let (cart, m, d) = (1.0, 0.2, 0.5);
    let inertia = m / 12.0 + m * d * d;
    let (c, s) = (a.cos(), a.sin());
    let (p, q, r) = (cart + m, m * d * c, inertia);
    let (f, g) = (force + m * d * w * w * s, m * G * d * s);
    let det = p * r - q * q;
    [(f * r - q * g) / det, (p * g - q * f) / det]
}

/// The deviation that the controller of [`BALANCE`] sees, and its rate.
fn deviation([x, v, a, w]: [f64; 4]) -> [f64; 2] {
    [a + 0.05 * x, w + 0.4 * v]
}

/// The setpoint of the rail is where it is, plus the tilt: the deviation is the tilt then, and a little of the place.
const BALANCE: &str = "type = 'pid', setpoint = 'joint.rail.q + tilt + 0.05 * joint.rail.q', \
    rate_setpoint = 'joint.rail.v - body.pole.wz + 0.4 * joint.rail.v', kp = 60, ki = '20 N/(m s)', kd = 12";

fn off(run: &Trajectory, mechanism: &Mechanism, [x, v, a, w]: [f64; 4], integral: f64) -> f64 {
    let last = run.frames.last().unwrap();
    let own = run.column(mechanism, "actuator.motor.integral").unwrap();
    let off = [
        last.positions[1][0] - x,
        last.velocities[1][0] - v,
        last.measures[0] - a,
        -last.motions[1].w[2] - w,
        own.last().unwrap() - integral,
    ];
    off.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()))
}

/// An inverted pendulum that a `pid` of the model file balances, in every formulation.
#[test]
fn cross_inverted_pendulum_with_a_pid() {
    let rates = |y: [f64; 5]| {
        let [x, v, a, w, i] = y;
        let [e, e_dot] = deviation([x, v, a, w]);
        let [x_dd, a_dd] = accelerations([x, v, a, w], 60.0 * e + 12.0 * e_dot + 20.0 * i);
        [v, x_dd, w, a_dd, e]
    };
    let mut y = [0.0, 0.0, 0.0, 0.4, 0.0];
    for _ in 0..50_000 {
        y = step(y, 1e-4, rates);
    }
    assert!(y[2].abs() < 0.05, "it should stand by then: {y:?}");
    let text = format!("{CART}[actuators]\nmotor = {{ joint = 'rail', controller = {{ {BALANCE} }} }}\n");
    let mut model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    for formulation in suite::applicable(&model) {
        for integrator in [Integrator::Auto, Integrator::Radau5, Integrator::Bdf] {
            (model.settings.formulation, model.settings.integrator) = (formulation, integrator);
            let mechanism = model.assemble().unwrap();
            let run = mechanism.simulate().unwrap();
            assert_eq!(run.summary.status, Status::Finished);
            let worst = off(&run, &mechanism, [y[0], y[1], y[2], y[3]], y[4]);
            let steps = run.summary.steps.accepted_steps;
            println!("{} {}: {steps} steps, off by {worst:.1e}", formulation.name(), integrator.name());
            assert!(worst < 1e-8, "{formulation:?} {integrator:?}: {worst:e}");
        }
    }
}

/// 2 kg on a rail that a `pid` moves by a metre, so far that its limit holds for a while; what `tracking` says leads the integral back.
fn sled(tracking: &str, integrator: &str) -> String {
    format!(
        "format = 1\n[points]\nO = [0, 0]\nC = [0, 0]\n[bodies]\nground = {{ points = ['O'] }}\n\
         sled = {{ points = ['C'], mass = 2, shape = {{ type = 'box', size = [0.4, 0.2], axis = [1, 0] }} }}\n\
         [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'sled']\nat = ['O', 'C']\naxis = [1, 0]\n\
         [measures]\nheld = 'actuator.motor.integral'\n[actuators]\n\
         motor = {{ joint = 'rail', controller = {{ type = 'pid', setpoint = 1, kp = 40, ki = 30, kd = 12{tracking} }}, limit = '4 N' }}\n\
         [simulation]\nduration = 6\noutput_step = 0.5\n{integrator}\n"
    )
}

/// The sled on its own: the largest place, and place, speed and integral at the end.
fn sled_alone(tracking: f64) -> (f64, [f64; 3]) {
    let rates = |[x, v, i]: [f64; 3]| {
        let wanted = 40.0 * (1.0 - x) - 12.0 * v + 30.0 * i;
        let u = wanted.clamp(-4.0, 4.0);
        [v, u / 2.0, 1.0 - x + (u - wanted) / (30.0 * tracking)]
    };
    let (mut y, mut most) = ([0.0; 3], 0.0_f64);
    for _ in 0..600_000 {
        y = step(y, 1e-5, rates);
        most = most.max(y[0]);
    }
    (most, y)
}

/// A limit that holds for long, in every formulation; and the integral does not wind up.
#[test]
fn cross_limit_and_windup() {
    let (most, y) = sled_alone(40.0 / 30.0);
    let (wound_up, _) = sled_alone(1e9);
    println!("it goes to {most:.3} m, and to {wound_up:.3} m with an integral that winds up");
    assert!(most < wound_up - 0.4, "{most} {wound_up}");
    let mut model = Model::from_toml(&sled("", "tolerance = 1e-11")).unwrap_or_else(|e| panic!("{e}"));
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        let last = run.frames.last().unwrap();
        let [own, read] =
            ["actuator.motor.integral", "measure.held"].map(|c| run.column(&mechanism, c).unwrap());
        assert_eq!(own, read);
        let found = [last.positions[1][0], last.velocities[1][0], *own.last().unwrap()];
        let worst = found.iter().zip(y).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
        println!("{}: off by {worst:.1e}", formulation.name());
        assert!(worst < 1e-8, "{formulation:?}: {found:?} {y:?}");
    }
}

/// A tracking time of one's own, with other integrators.
#[test]
fn cross_windup_with_other_integrators() {
    let (_, y) = sled_alone(0.3);
    for integrator in [Integrator::Dopri5, Integrator::Radau5, Integrator::Bdf, Integrator::Rk4] {
        let settings = if integrator == Integrator::Rk4 { "step = 1e-4" } else { "tolerance = 1e-11" };
        let settings = format!("integrator = '{}'\n{settings}", integrator.name());
        let mechanism = assembled(&sled(", tracking_time = '300 ms'", &settings));
        let run = mechanism.simulate().unwrap();
        let last = run.frames.last().unwrap();
        let own = run.column(&mechanism, "actuator.motor.integral").unwrap();
        let found = [last.positions[1][0], last.velocities[1][0], *own.last().unwrap()];
        let worst = found.iter().zip(y).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
        println!("{}: off by {worst:.1e}", integrator.name());
        // rk4 crosses the corners of the limit within steps: an error of the order of h²
        assert!(worst < 1e-8, "{integrator:?}: {found:?} {y:?}");
    }
}

/// A rod that is held against its weight: a `pd` sags, a `pid` does not.
#[test]
fn exact_no_static_error() {
    let text = |controller: &str| {
        format!(
            "format = 1\n[model]\ngravity = '-y'\n[points]\nA = [0, 0]\nB = [1, 0]\n[bodies]\nground = {{ points = ['A'] }}\n\
             rod = {{ points = ['A', 'B'], mass = 3 }}\n[actuators]\nmotor = {{ joint = 'A', controller = {{ setpoint = '10 deg', kp = 90, kd = 20, {controller} }} }}\n\
             [simulation]\nduration = 30\n"
        )
    };
    let mut sag = [0.0; 2];
    for (sag, controller) in sag.iter_mut().zip(["type = 'pd'", "type = 'pid', ki = '80 N m/(rad s)'"]) {
        let mut model = Model::from_toml(&text(controller)).unwrap_or_else(|e| panic!("{e}"));
        for formulation in suite::applicable(&model) {
            model.settings.formulation = formulation;
            let mechanism = model.assemble().unwrap();
            let run = mechanism.simulate().unwrap();
            *sag = 10.0_f64.to_radians() - run.column(&mechanism, "joint.A.q").unwrap().last().unwrap();
            println!("{} {controller}: off by {sag:.1e} rad", formulation.name());
            let torque = *run.column(&mechanism, "actuator.motor.torque").unwrap().last().unwrap();
            let weight = 3.0 * G * 0.5 * (10.0_f64.to_radians() - *sag).cos();
            assert!((torque - weight).abs() < 1e-5, "{torque} {weight}");
        }
    }
    assert!(sag[0] > 0.1 && sag[1].abs() < 1e-7, "{sag:?}");
}
