//! Inputs and states: against closed forms and independent integrations.

use crate::suite;
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Integrator, Model};
use linkwork::results::Frame;
use linkwork::simulation::{InputSchedule, Progress, Status};
use suite::G;

fn assembled(text: &str) -> Mechanism {
    let model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    model.assemble().unwrap_or_else(|e| panic!("{e}"))
}

/// 2 kg on a rail, pushed by an input.
fn sled(input: &str) -> String {
    format!(
        "format = 1\n[points]\nO = [0, 0]\nC = [0.5, 0]\n[bodies]\nground = {{ points = ['O'] }}\n\
         sled = {{ points = ['C'], mass = 2, shape = {{ type = 'box', size = [0.4, 0.2], axis = [1, 0] }} }}\n\
         [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'sled']\nat = ['O', 'C']\naxis = [1, 0]\n\
         [inputs]\npush = {input}\n[actuators]\nmotor = {{ joint = 'rail', force = 'input.push' }}\n\
         [simulation]\nduration = 2\noutput_step = 0.1\ntolerance = 1e-10\n"
    )
}

/// x and v of the sled.
fn motion(frame: &Frame) -> [f64; 2] {
    [frame.positions[1][0] - 0.5, frame.velocities[1][0]]
}

/// A force that is held, or goes in straight lines, between twenty values, in every formulation.
#[test]
fn exact_held_and_linear_inputs() {
    for (input, linear) in [("{ unit = 'N' }", false), ("{ unit = 'N', between = 'linear' }", true)] {
        let mut model = Model::from_toml(&sled(input)).unwrap();
        for formulation in suite::applicable(&model) {
            model.settings.formulation = formulation;
            let mechanism = model.assemble().unwrap();
            let mut simulation = mechanism.simulation().unwrap();
            let push = simulation.input("push").unwrap();
            let ([mut x, mut v], mut before, mut worst) = ([0.0_f64; 2], 0.0, 0.0_f64);
            for k in 1..=20 {
                let (h, force) = (0.1, f64::from(k * k % 7) - 3.0);
                simulation.set(push, force).unwrap();
                simulation.advance_to(h * f64::from(k)).unwrap();
                // a = (b + s t)/m
                let (b, s) = if linear { (before, (force - before) / h) } else { (force, 0.0) };
                x += v * h + (b / 2.0 + s * h / 6.0) * h * h / 2.0;
                v += (b + s * h / 2.0) * h / 2.0;
                before = force;
                let [at, speed] = motion(simulation.sample().unwrap());
                worst = worst.max((at - x).abs()).max((speed - v).abs());
            }
            println!("{} {input}: off by {worst:.1e}", formulation.name());
            assert!(worst < 1e-9, "{formulation:?} {input}: {worst:e}");
        }
    }
}

/// Inputs that are held are kept by every integrator.
#[test]
fn exact_held_inputs_with_every_integrator() {
    for integrator in crate::suite::integrators() {
        let mut model = Model::from_toml(&sled("{ unit = 'N' }")).unwrap();
        model.settings.integrator = integrator;
        model.settings.formulation = Formulation::Points;
        model.settings.step = integrator.facts().fixed_step.then_some(1e-3);
        let mechanism = model.assemble().unwrap();
        let mut simulation = mechanism.simulation().unwrap_or_else(|e| panic!("{integrator:?}: {e}"));
        let push = simulation.input("push").unwrap();
        for (t, force) in [(0.5, 4.0), (1.0, -2.0), (1.5, 0.0)] {
            simulation.set(push, force).unwrap();
            simulation.advance_to(t).unwrap();
            assert_eq!(simulation.value(push), force);
        }
        // 2 m/s² for half a second, then -1 m/s²
        let off = (motion(simulation.sample().unwrap())[1] - 0.5).abs();
        println!("{}: speed off by {off:.1e}", integrator.name());
        assert!(off < 1e-11, "{integrator:?}: {off:e}");
    }
}

/// Inputs and states keep their values where what the mechanism consists of changes.
#[test]
fn exact_signals_through_a_change_of_topology() {
    let text = sled("{ unit = 'N' }").replace("[points]\n", "[points]\nQ = [3, 3]\n").replace(
        "[joints.rail]",
        "stone = { points = ['Q'], mass = 1 }\n[states]\nage = { rate = '1' }\n[changes]\ngone = { at = 0.5, remove = ['stone'] }\n[joints.rail]",
    );
    let mechanism = assembled(&text);
    let mut simulation = mechanism.simulation().unwrap();
    let push = simulation.input("push").unwrap();
    simulation.set(push, 2.0).unwrap();
    simulation.advance_to(1.0).unwrap();
    assert_eq!(simulation.mechanism().bodies().len(), 1);
    let age = *simulation.sample().unwrap().auxiliary.last().unwrap();
    let point = simulation.mechanism().points().iter().position(|p| p.name == "C").unwrap();
    let speed = simulation.sample().unwrap().velocities[point][0];
    assert!((age - 1.0).abs() < 1e-12 && (speed - 1.0).abs() < 1e-12, "{age} {speed}");
}

/// A filter answers a step as its closed form does, and the sled follows.
#[test]
fn exact_filtered_input() {
    let tau = 0.05;
    let mechanism = assembled(&sled("{ unit = 'kN', filter = '50 ms' }"));
    for integrator in [Integrator::Dop853, Integrator::Radau5, Integrator::Rk4] {
        let mut model = mechanism.model().clone();
        model.settings.integrator = integrator;
        model.settings.step = (integrator == Integrator::Rk4).then_some(1e-3);
        let mechanism = model.assemble().unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        let push = simulation.input("push").unwrap();
        simulation.set(push, 0.004).unwrap();
        let mut worst = 0.0_f64;
        for k in 1..=20 {
            let t = 0.05 * f64::from(k);
            simulation.advance_to(t).unwrap();
            let s = t / tau;
            worst = worst.max((simulation.value(push) * 250.0 - (1.0 - (1.0 + s) * (-s).exp())).abs());
            // 2 m/s² of it, integrated: v = 2 (t - 2τ + (t + 2τ) e^(-t/τ))
            let v = 2.0 * (t - 2.0 * tau + (t + 2.0 * tau) * (-s).exp());
            worst = worst.max((motion(simulation.sample().unwrap())[1] - v).abs());
        }
        println!("{}: filter and speed off by {worst:.1e}", integrator.name());
        assert!(worst < 1e-8, "{integrator:?}: {worst:e}");
    }
}

const CART: &str = "format = 1\n[model]\ngravity = '-y'\n[points]\nO = [0, 0]\nC = [0.5, 0]\nP = [0.5 , 1]\n[bodies]\nground = { points = ['O'] }\n\
    cart = { points = ['C'], mass = 1, shape = { type = 'box', size = [0.4, 0.2], axis = [1, 0] } }\n\
    pole = { points = ['C', 'P'], mass = 0.2 }\n\
    [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'cart']\nat = ['O', 'C']\naxis = [1, 0]\n\
    [initial]\nvelocities = { C = [0, 0], P = [0.4, 0] }\n\
    [measures]\ntilt = 'atan2(point.P.x - point.C.x, point.P.y - point.C.y)'\n";

/// Cart, pole and controller: x, v, tilt, its rate, its integral.
fn rates(y: [f64; 5], force: f64) -> [f64; 5] {
    let [_, v, a, w, _] = y;
    let (cart, m, d) = (1.0, 0.2, 0.5);
    let inertia = m / 12.0 + m * d * d;
    // [M+m, m d c; m d c, I] [v̇; ẇ] = [F + m d w² s; m g d s]
    let (c, s) = (a.cos(), a.sin());
    let (p, q, r) = (cart + m, m * d * c, inertia);
    let (f, g) = (force + m * d * w * w * s, m * G * d * s);
    let det = p * r - q * q;
    [v, (f * r - q * g) / det, w, (p * g - q * f) / det, a]
}

fn pid([x, v, a, w, i]: [f64; 5]) -> f64 {
    60.0 * a + 12.0 * w + 20.0 * i + 3.0 * x + 5.0 * v
}

/// By small steps of order 4, with a force for each.
fn step(y: [f64; 5], h: f64, force: impl Fn([f64; 5]) -> f64) -> [f64; 5] {
    let f = |y: [f64; 5]| rates(y, force(y));
    let on = |y: [f64; 5], h: f64, d: [f64; 5]| std::array::from_fn(|i| y[i] + h * d[i]);
    let a = f(y);
    let b = f(on(y, 0.5 * h, a));
    let c = f(on(y, 0.5 * h, b));
    let d = f(on(y, h, c));
    std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
}

/// An inverted pendulum on a cart that a PID controller balances, written in the model file, in every formulation.
#[test]
fn exact_inverted_pendulum_with_a_pid_in_the_file() {
    let text = format!(
        "{CART}[states]\ni = {{ rate = 'tilt' }}\n[actuators]\n\
         motor = {{ joint = 'rail', force = '60 * tilt - 12 * body.pole.wz + 20 * state.i + 3 * (point.C.x - 0.5) + 5 * point.C.vx' }}\n\
         [simulation]\nduration = 5\noutput_step = 0.5\ntolerance = 1e-11\n"
    );
    let mut y = [0.0, 0.0, 0.0, 0.4, 0.0];
    for _ in 0..50_000 {
        y = step(y, 1e-4, pid);
    }
    let mut model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    for formulation in suite::applicable(&model) {
        for integrator in [Integrator::Auto, Integrator::Radau5, Integrator::Bdf] {
            (model.settings.formulation, model.settings.integrator) = (formulation, integrator);
            let mechanism = model.assemble().unwrap();
            let run = mechanism.simulate().unwrap();
            assert_eq!(run.summary.status, Status::Finished);
            let last = run.frames.last().unwrap();
            let integral = run.column(&mechanism, "state.i").unwrap();
            let off = [
                last.positions[1][0] - 0.5 - y[0],
                last.velocities[1][0] - y[1],
                last.measures[0] - y[2],
                integral.last().unwrap() - y[4],
            ];
            let worst = off.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
            println!(
                "{} {}: {} steps, off by {worst:.1e}",
                formulation.name(),
                integrator.name(),
                run.summary.steps.accepted_steps
            );
            assert!(worst < 1e-8, "{formulation:?} {integrator:?}: {off:?}");
        }
    }
    assert!(y[2].abs() < 0.05, "it should stand by then: {y:?}");
}

/// The same controller outside: a closure that reads the mechanism a thousand times a second and sets a force.
#[test]
fn exact_inverted_pendulum_with_a_sampled_controller() {
    let text = format!(
        "{CART}[inputs]\nforce = {{ unit = 'N', limits = [-40, 40] }}\n[actuators]\nmotor = {{ joint = 'rail', force = 'input.force' }}\n\
         [simulation]\nduration = 5\noutput_step = 0.5\ntolerance = 1e-11\n"
    );
    let mechanism = assembled(&text);
    let mut simulation = mechanism.simulation().unwrap();
    let force = simulation.input("force").unwrap();
    let (mut i, mut y) = (0.0, [0.0, 0.0, 0.0, 0.4, 0.0]);
    for k in 0..5000 {
        let frame = simulation.sample().unwrap();
        let seen = [
            frame.positions[1][0] - 0.5,
            frame.velocities[1][0],
            frame.measures[0],
            -frame.motions[1].w[2],
            i,
        ];
        simulation.set(force, pid(seen)).unwrap();
        i += 1e-3 * seen[2];
        simulation.advance_to(1e-3 * f64::from(k + 1)).unwrap();
        // the independent one, sampled alike
        let held = pid(y).clamp(-40.0, 40.0);
        let integral = y[4] + 1e-3 * y[2];
        for _ in 0..10 {
            y = step(y, 1e-4, |_| held);
        }
        y[4] = integral;
    }
    let frame = simulation.sample().unwrap();
    let off = (frame.positions[1][0] - 0.5 - y[0]).abs().max((frame.measures[0] - y[2]).abs());
    println!("sampled at 1 kHz: off by {off:.1e}, {} steps", simulation.finish().steps.accepted_steps);
    assert!(off < 1e-8, "{off:e}");
}

/// An input that changes a thousand times a second for ten seconds: nothing is allocated on the way.
#[test]
fn exact_no_allocation_at_a_kilohertz() {
    for formulation in [Formulation::Recursive, Formulation::Points, Formulation::Joints] {
        let mut model = Model::from_toml(&sled("{ unit = 'N' }")).unwrap();
        (model.settings.formulation, model.settings.duration) = (formulation, 12.0);
        let mechanism = model.assemble().unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        let push = simulation.input("push").unwrap();
        let mut k = 0;
        let mut go = |until: i32| {
            while k < until {
                k += 1;
                simulation.set(push, f64::from(k % 11) - 5.0).unwrap();
                simulation.advance_to(1e-3 * f64::from(k)).unwrap();
            }
        };
        go(100);
        let counted = allocation_counter::measure(|| go(10_100));
        println!("{}: {} allocations in 10,000 changes", formulation.name(), counted.count_total);
        // in point coordinates a look for stiffness, every 800 steps, may meet a state that cannot be evaluated, and names it
        let most = if formulation == Formulation::Points { 12 } else { 0 };
        assert!(counted.count_total <= most, "{formulation:?}");
    }
}

/// Saved and restored with an input under way: the same bits, and the input has its value of then.
#[test]
fn exact_inputs_are_saved() {
    let mechanism = assembled(&sled("{ unit = 'N', between = 'linear' }"));
    let mut simulation = mechanism.simulation().unwrap();
    let push = simulation.input("push").unwrap();
    simulation.set(push, 3.0).unwrap();
    simulation.advance_to(0.3).unwrap();
    simulation.set(push, -2.0).unwrap();
    let saved = simulation.save();
    let ends = [(); 2].map(|()| {
        simulation.advance_to(0.7).unwrap();
        let end = motion(simulation.sample().unwrap()).map(f64::to_bits);
        assert_eq!(simulation.value(push), -2.0);
        simulation.restore(&saved).unwrap();
        end
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(simulation.value(push), 3.0);
}

/// Wrong names and numbers are refused by name; limits cut.
#[test]
fn exact_faults_of_inputs() {
    let mechanism = assembled(&sled("{ unit = 'N', limits = [-5, 5] }"));
    let mut simulation = mechanism.simulation().unwrap();
    let Err(Error::Input(message)) = simulation.input("pull") else { panic!() };
    assert!(message.contains("no input `pull`") && message.contains("push"), "{message}");
    let push = simulation.input("push").unwrap();
    assert!(simulation.set(push, f64::NAN).is_err());
    simulation.set(push, 100.0).unwrap();
    simulation.advance_to(1.0).unwrap();
    assert_eq!(simulation.value(push), 5.0);
    let faults = [
        ("{ default = 6, limits = [-5, 5] }", "beyond the limits"),
        ("{ limits = [5, -5] }", "lower limit comes first"),
        ("{ limits = [5] }", "two numbers"),
        ("{ filter = 0 }", "must be positive"),
        ("{ unit = 'N', default = '2 m' }", "unit of"),
        ("{ unit = 'blorp' }", "not a unit"),
        ("{ between = 'cubic' }", "unknown way"),
    ];
    for (input, expected) in faults {
        let told = match Model::from_toml(&sled(input)) {
            Err(error) => error.to_string(),
            Ok(model) => model.assemble().err().map_or(String::new(), |faults| faults.to_string()),
        };
        assert!(told.contains(expected), "{input}: {told}");
    }
    let driven = sled("0").replace(
        "[actuators]\nmotor = { joint = 'rail', force = 'input.push' }",
        "[drivers]\nd = { joint = 'rail', value = 'input.push' }",
    );
    let told = Model::from_toml(&driven)
        .and_then(|m| m.assemble().map_err(Into::into))
        .err()
        .map_or(String::new(), |e| e.to_string());
    assert!(told.contains("velocity and the acceleration") && told.contains("filter"), "{told}");
}

/// A driver that follows a filtered input: x = w (1 − (1 + s) e^(−s)), s = t/τ, and its force is m ẍ, in every formulation.
#[test]
fn exact_drivers_of_filtered_inputs() {
    let tau = 0.05;
    let text = sled("{ unit = 'mm', filter = '50 ms' }").replace(
        "[actuators]\nmotor = { joint = 'rail', force = 'input.push' }",
        "[drivers]\nd = { joint = 'rail', value = '0.1 * sin(t) + input.push + 0.5' }",
    );
    let mut model = Model::from_toml(&text).unwrap();
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let column = linkwork::results::columns(&mechanism).iter().position(|c| c.name == "driver.d.force");
        let column = column.unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        let push = simulation.input("push").unwrap();
        let (t0, w) = (0.3, 0.2);
        simulation.advance_to(t0).unwrap();
        simulation.set(push, 1000.0 * w).unwrap();
        let (mut off, mut row) = ([0.0_f64; 2], Vec::new());
        for k in 1..=40 {
            let t = t0 + 0.01 * f64::from(k);
            simulation.advance_to(t).unwrap();
            let s = (t - t0) / tau;
            let x = 0.1 * t.sin() + w * (1.0 - (1.0 + s) * (-s).exp());
            let a = -0.1 * t.sin() + w / (tau * tau) * (1.0 - s) * (-s).exp();
            let sample = simulation.sample().unwrap();
            linkwork::results::row(&mechanism, sample, &mut row);
            off[0] = off[0].max((motion(sample)[0] - x).abs());
            off[1] = off[1].max((row[column] - 2.0 * a).abs() / (2.0 * w / (tau * tau)));
        }
        println!("{formulation}: {:.1e} m, force {:.1e}", off[0], off[1]);
        assert!(off[0] < 1e-9 && off[1] < 1e-7, "{formulation}: {off:?}");
    }
}

/// A table of values: the run begins with the first, holds or joins them, and ends as one that is stepped by hand.
#[test]
fn exact_inputs_from_a_table() {
    let text = "t,push\n0,3\n0.5,-1\n1.25,4\n";
    let schedule = InputSchedule::from_csv("push.csv", text).unwrap();
    for linear in [false, true] {
        let input = if linear { "{ unit = 'N', between = 'linear' }" } else { "{ unit = 'N' }" };
        let mut model = Model::from_toml(&sled(input)).unwrap();
        schedule.begin(&mut model).unwrap();
        let mechanism = model.assemble().unwrap();
        let mut rows = Vec::new();
        let summary =
            mechanism.run_with_inputs(&schedule, &mut |frame: &Frame| rows.push(motion(frame))).unwrap();
        assert_eq!((summary.status, rows.len()), (Status::Finished, 21));
        let (mut x, mut v, mut t) = (0.0, 0.0, 0.0);
        for (until, from, to) in [(0.5, 3.0, -1.0), (1.25, -1.0, 4.0), (2.0, 4.0, 4.0)] {
            let (h, s) = (until - t, if linear { (to - from) / (until - t) } else { 0.0 });
            x += v * h + (from / 2.0 + s * h / 6.0) * h * h / 2.0;
            v += (from + s * h / 2.0) * h / 2.0;
            t = until;
        }
        let off = (rows[20][0] - x).abs().max((rows[20][1] - v).abs());
        println!("table, linear {linear}: off by {off:.1e}");
        assert!(off < 1e-9, "{off:e}");
    }
    // a straight line that the end of the run cuts, and one that has begun before t = 0
    let schedule = InputSchedule::from_csv("push.csv", "t,push\n-1,-4\n3,12\n").unwrap();
    let mut model = Model::from_toml(&sled("{ unit = 'N', between = 'linear' }")).unwrap();
    schedule.begin(&mut model).unwrap();
    let mut last = [0.0; 2];
    let run = model.assemble().unwrap();
    run.run_with_inputs(&schedule, &mut |frame: &Frame| last = motion(frame)).unwrap();
    // F = 4 t: v = t²
    assert!((last[1] - 4.0).abs() < 1e-9, "{last:?}");
    for (text, expected) in [
        ("", "empty"),
        ("x,push\n0,1\n", "first column"),
        ("t,push\n0,1\n0,2\n", "push.csv:3: times must rise"),
        ("t,push\n0,one\n", "`one` is not"),
        ("t,push\n0\n", "1 cells"),
    ] {
        let told = InputSchedule::from_csv("push.csv", text).unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
}

/// Progress says when it is over, and inputs do no harm after that.
#[test]
fn exact_inputs_after_the_end() {
    let mechanism = assembled(&sled("1"));
    let mut simulation = mechanism.simulation().unwrap();
    assert_eq!(simulation.advance_to(2.0).unwrap(), Progress::Finished);
    let push = simulation.input("push").unwrap();
    simulation.set(push, 9.0).unwrap();
    assert_eq!(simulation.step().unwrap(), Progress::Finished);
    assert!(simulation.sample().is_ok());
}
