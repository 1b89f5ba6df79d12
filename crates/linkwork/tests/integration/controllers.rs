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

/// Cart and pole alone with a `pid` that is sampled: x, v, tilt and its rate, and the integral, after so many periods of 1 ms.
fn balanced_by_samples(periods: usize) -> ([f64; 4], f64) {
    let (mut y, mut i) = ([0.0, 0.0, 0.0, 0.4], 0.0);
    for _ in 0..periods {
        let [e, e_dot] = deviation(y);
        let force = 60.0 * e + 12.0 * e_dot + 20.0 * i;
        i += 1e-3 * e;
        for _ in 0..10 {
            y = step(y, 1e-4, |[x, v, a, w]: [f64; 4]| {
                let [x_dd, a_dd] = accelerations([x, v, a, w], force);
                [v, x_dd, w, a_dd]
            });
        }
    }
    (y, i)
}

/// The `pid` at 1 kHz, in every formulation. At the end it has taken one more sample, whose integral is ahead by a period.
#[test]
fn cross_inverted_pendulum_with_a_sampled_pid() {
    let (y, i) = balanced_by_samples(5000);
    let i = i + 1e-3 * deviation(y)[0];
    let text = format!(
        "{CART}[actuators]\nmotor = {{ joint = 'rail', every = '1 ms', controller = {{ {BALANCE} }} }}\n"
    );
    let mut model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished);
        let worst = off(&run, &mechanism, y, i);
        let steps = run.summary.steps.accepted_steps;
        println!("{}: {steps} steps, off by {worst:.1e}", formulation.name());
        assert!(worst < 1e-8, "{formulation:?}: {worst:e}");
        // rows are those of the output step, events there are none
        assert_eq!(run.frames.len(), 11);
        assert!(run.summary.events.is_empty());
    }
}

/// The same controller as a closure that sets an input a thousand times a second.
#[test]
fn cross_sampled_pid_and_a_closure() {
    let (y, _) = balanced_by_samples(5000);
    let text = format!(
        "{CART}[inputs]\npush = {{ unit = 'N' }}\n[actuators]\nmotor = {{ joint = 'rail', force = 'input.push' }}\n"
    );
    let mechanism = assembled(&text);
    let mut simulation = mechanism.simulation().unwrap();
    let push = simulation.input("push").unwrap();
    let mut integral = 0.0;
    for k in 1..=5000 {
        let sample = simulation.sample().unwrap();
        let here =
            [sample.positions[1][0], sample.velocities[1][0], sample.measures[0], -sample.motions[1].w[2]];
        let [e, e_dot] = deviation(here);
        simulation.set(push, 60.0 * e + 12.0 * e_dot + 20.0 * integral).unwrap();
        integral += 1e-3 * e;
        simulation.advance_to(1e-3 * f64::from(k)).unwrap();
    }
    let sample = simulation.sample().unwrap();
    let here = [sample.positions[1][0], sample.velocities[1][0], sample.measures[0], -sample.motions[1].w[2]];
    let worst = here.iter().zip(y).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
    println!("off by {worst:.1e}");
    assert!(worst < 1e-8, "{here:?} {y:?}");
}

/// A sled of 2 kg under a sampled force: u is what the sample of its place and speed says, so x and v after each period have a closed form.
fn sampled_sled(every: f64, settings: &str) -> String {
    format!(
        "format = 1\n[points]\nO = [0, 0]\nC = [0, 0]\n[bodies]\nground = {{ points = ['O'] }}\n\
         sled = {{ points = ['C'], mass = 2, shape = {{ type = 'box', size = [0.4, 0.2], axis = [1, 0] }} }}\n\
         [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'sled']\nat = ['O', 'C']\naxis = [1, 0]\n\
         [inputs]\ngoal = {{ default = 0.5, unit = 'm' }}\n\
         [states]\nmean = {{ next = '0.8 * state.mean + 0.2 * q0', every = {every} }}\nlate = {{ next = 'state.mean', every = {every} }}\n\
         [measures]\nq0 = 'joint.rail.q'\n\
         [actuators]\nmotor = {{ joint = 'rail', every = {every}, force = '6 * (input.goal - state.mean) - 5 * v + 0.5 * state.late' }}\n\
         [simulation]\nduration = 3\noutput_step = 0.25\n{settings}\n"
    )
}

/// Place, speed, the two states and the force right after the samples of every period.
fn sampled_sled_alone(every: f64, periods: usize, goal: impl Fn(usize) -> f64) -> Vec<[f64; 5]> {
    let [mut x, mut v, mut mean] = [0.0; 3];
    let mut list = Vec::new();
    for k in 0..=periods {
        let late = mean;
        mean = 0.8 * mean + 0.2 * x;
        let u = 6.0 * (goal(k) - mean) - 5.0 * v + 0.5 * late;
        list.push([x, v, mean, late, u]);
        (x, v) = (x + v * every + u / 4.0 * every * every, v + u / 2.0 * every);
    }
    list
}

const SLED_COLUMNS: [&str; 5] =
    ["joint.rail.q", "joint.rail.v", "state.mean", "state.late", "actuator.motor.force"];

/// A digital filter and a sampled force, with every integrator: steps end at the samples, and rows there show what is held from then on.
#[test]
fn exact_samples_with_every_integrator() {
    let every = 0.125;
    let alone = sampled_sled_alone(every, 24, |_| 0.5);
    for integrator in crate::suite::integrators() {
        let mut model =
            Model::from_toml(&sampled_sled(every, "tolerance = 1e-11")).unwrap_or_else(|e| panic!("{e}"));
        model.settings.integrator = integrator;
        model.settings.formulation = linkwork::model::Formulation::Points;
        model.settings.step = integrator.facts().fixed_step.then_some(0.01);
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{integrator:?}: {e}"));
        assert_eq!(run.frames.len(), 13, "{integrator:?}");
        let mut worst = [0.0_f64; 5];
        for (worst, (i, column)) in worst.iter_mut().zip(SLED_COLUMNS.iter().enumerate()) {
            let found = run.column(&mechanism, column).unwrap();
            for (k, value) in found.iter().enumerate() {
                *worst = worst.max((value - alone[2 * k][i]).abs());
            }
        }
        println!("{}: off by {worst:?}", integrator.name());
        // the speed is exact for all, the place only for methods of order 2 and more; the samples see what the method has
        let order_one = matches!(integrator, Integrator::Euler | Integrator::SemiImplicitEuler);
        let bound = if order_one { 0.02 } else { 1e-9 };
        assert!(worst.iter().all(|x| *x < bound), "{integrator:?}: {worst:?}");
    }
}

/// Periods that no binary number has, two of them at a time, in every formulation.
#[test]
fn exact_samples_in_every_formulation() {
    let every = 0.03;
    let alone = sampled_sled_alone(every, 100, |_| 0.5);
    let text = sampled_sled(every, "")
        .replace("[measures]", "count = { next = 'state.count + 1', every = '10 ms' }\n[measures]");
    let mut model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        let mut worst = 0.0_f64;
        for (i, column) in SLED_COLUMNS.iter().enumerate() {
            let found = run.column(&mechanism, column).unwrap();
            worst = worst.max((found.last().unwrap() - alone[100][i]).abs());
        }
        let count = run.column(&mechanism, "state.count").unwrap();
        println!("{}: off by {worst:.1e}, {} samples", formulation.name(), count.last().unwrap());
        assert!(worst < 1e-9, "{formulation:?}: {worst:e}");
        // at 0, 10 ms, .., 3 s
        assert_eq!(count.last(), Some(&301.0));
        assert!(run.summary.steps.accepted_steps >= 300);
    }
}

/// Inputs that are set at the instant of a sample are seen by it; what is saved goes on with the same bits; samples allocate nothing.
#[test]
fn exact_samples_see_inputs_and_survive() {
    let every = 0.02;
    let goal = |k: usize| if k < 50 { 0.2 } else { -0.4 };
    let alone = sampled_sled_alone(every, 150, goal);
    let mechanism = assembled(&sampled_sled(every, "integrator = 'dop853'"));
    let mut simulation = mechanism.simulation().unwrap();
    let input = simulation.input("goal").unwrap();
    simulation.set(input, 0.2).unwrap();
    simulation.advance_to(0.5).unwrap();
    let counted = allocation_counter::measure(|| {
        simulation.advance_to(1.0).unwrap();
        simulation.set(input, -0.4).unwrap();
        simulation.advance_to(1.5).unwrap();
    });
    assert_eq!(counted.count_total, 0, "samples allocate");
    let saved = simulation.save();
    let mut ends = Vec::new();
    for way in 0..2 {
        if way == 1 {
            simulation.restore(&saved).unwrap();
            simulation.advance_to(2.2222).unwrap();
            simulation.restore(&saved).unwrap();
        }
        simulation.advance_to(3.0).unwrap();
        let sample = simulation.sample().unwrap();
        ends.push([sample.positions[1][0].to_bits(), sample.velocities[1][0].to_bits()]);
    }
    assert_eq!(ends[0], ends[1]);
    let [x, v] = ends[0].map(f64::from_bits);
    let worst = (x - alone[150][0]).abs().max((v - alone[150][1]).abs());
    println!("off by {worst:.1e}");
    assert!(worst < 1e-9, "{x} {v} {:?}", alone[150]);
}

/// A sample that has no value ends the run, with the name of what it is.
#[test]
fn samples_without_a_value_are_told() {
    for (from, to, name) in [
        ("0.8 * state.mean", "sqrt(0.31 - t) * state.mean", "`state.mean`"),
        ("6 * (input.goal", "sqrt(0.31 - t) * (input.goal", "`actuator.motor`"),
    ] {
        let mechanism = assembled(&sampled_sled(0.05, "").replace(from, to));
        let run = mechanism.simulate().unwrap();
        let Status::Failed(failure) = &run.summary.status else { panic!("{:?}", run.summary.status) };
        println!("{}", failure.message);
        let text = &failure.message;
        assert!(text.contains(name) && text.contains("sqrt"), "{text}");
        assert!((failure.t - 0.35).abs() < 1e-9, "{}", failure.t);
    }
}
