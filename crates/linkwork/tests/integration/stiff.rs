//! Stiff mechanisms: radau5 against dop853, which follows every fast motion, at the same tolerance; and `auto`, which exchanges them on the way.

use crate::suite;

use linkwork::model::{Body, Formulation, Integrator, Model, Settings, Spring};
use linkwork::simulation::{Status, Trajectory};
use suite::{G, run, settings};

fn governor() -> Model {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/governor.toml");
    Model::from_file(path).unwrap_or_else(|e| panic!("{e}"))
}

/// Steps, evaluations, and how far points are from another run's in any row, m.
fn compare(name: &str, model: &Model, integrators: [Integrator; 2]) -> ([u64; 2], f64) {
    let [a, b] = integrators.map(|integrator| {
        let clock = std::time::Instant::now();
        let (_, result) = run(&model.clone().settings(Settings { integrator, ..model.settings.clone() }));
        let steps = &result.summary.steps;
        println!(
            "{name}, {}: {} steps, {} rejected, {} evaluations, energy {:.1e}, {:.2?}",
            integrator.name(),
            steps.accepted_steps,
            steps.rejected_steps,
            steps.derivative_evaluations,
            result.summary.energy_drift,
            clock.elapsed()
        );
        result
    });
    assert_eq!(a.frames.len(), b.frames.len());
    let mut worst = 0.0_f64;
    for (a, b) in a.frames.iter().zip(&b.frames) {
        for (p, q) in a.positions.iter().flatten().zip(b.positions.iter().flatten()) {
            worst = worst.max((p - q).abs());
        }
    }
    println!("{name}: {worst:.1e} m apart");
    ([a, b].map(|run| run.summary.steps.accepted_steps), worst)
}

/// The flyball governor as in the examples, and with a spring and damper a thousand times as strong.
#[test]
fn cross_stiff_governor() {
    let mut model = governor();
    model.settings = Settings { duration: 2.0, output_step: 0.05, tolerance: 1e-8, ..model.settings };
    for formulation in [Formulation::Points, Formulation::Joints] {
        model.settings.formulation = formulation;
        let (_, apart) = compare("governor", &model, [Integrator::Radau5, Integrator::Dop853]);
        assert!(apart < 1e-5, "{apart}"); // rows lie between steps, where the cubic is off by 0.1 tolerance^(2/3) or so
    }
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/governor.toml"))
        .unwrap();
    let text = text.replace("800 N/m", "8e5 N/m").replace("60 N s/m", "4e4 N s/m");
    let mut stiff = Model::parse("governor.toml", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    stiff.settings = Settings { duration: 2.0, output_step: 0.05, tolerance: 1e-8, ..stiff.settings };
    let ([radau, dop], apart) = compare("stiff governor", &stiff, [Integrator::Radau5, Integrator::Dop853]);
    assert!(apart < 1e-5, "{apart}");
    assert!(5 * radau < dop, "{radau} {dop}");
}

/// A slow pendulum that hangs on a spring of 1e9 N/m with a damper: as on a rod. The rod of 1 m has a period of some 2 s, the spring one of 0.2 ms.
#[test]
fn cross_pendulum_on_a_stiff_spring() {
    let bob = || {
        Model::planar("pendulum")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", [0.8, -0.6])
            .point("C", [0.9, -0.6])
    };
    let rod = Body::rod("bob", ["B", "C"], 1.0);
    let mut model = bob()
        .ground(["A"])
        .body(rod)
        .spring(Spring::new("line", ["A", "B"], 1e9).damping(1e5))
        .settings(settings(2.0, 0.05, 1e-7));
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        model.settings.integrator = Integrator::Radau5;
        let (_, result) = run(&model);
        let steps = result.summary.steps.accepted_steps;
        let lengths = result.frames.iter().map(|f| f.outputs[0] - 1.0);
        let stretch = lengths.map(f64::abs).fold(0.0, f64::max);
        println!(
            "{}: {steps} steps, {} evaluations, stretch {stretch:.1e} m, energy {:.1e}",
            formulation.name(),
            result.summary.steps.derivative_evaluations,
            result.summary.energy_drift
        );
        // at most 3 m g / k = 3e-8 m of tension; the rest is the tolerance between steps
        assert!(stretch < 1e-6, "{stretch}");
        // Newton's method holds the step to some 0.5 ms; rejections stay few
        assert!(steps < 8000, "{steps}");
        assert!(4 * result.summary.steps.rejected_steps < steps, "{:?}", result.summary.steps);
    }
}

fn parse(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What `auto` is expected to do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// Ends with an implicit method, in a tenth of the steps of the explicit one.
    Implicit,
    /// Never leaves the explicit one.
    Explicit,
    /// Whatever: it must not be slower than the better of both by much.
    Either,
}

struct Variant {
    name: String,
    model: Model,
    expected: Expected,
}

/// An elastic rope drawn at its natural length with a weight at its end, which falls into it. `relative`: damping over stiffness, s.
fn rope(segments: usize, stiffness: f64, relative: f64, weight: f64, end: [f64; 2]) -> Variant {
    let damping = relative * stiffness;
    let text = format!(
        r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
A = [0, 0]
B = {end:?}
[bodies]
ground = {{ points = ["A"] }}
w = {{ points = ["B"], mass = {weight} }}
[chains.c]
from = "A"
to = "B"
segments = {segments}
mass_per_length = 0.4
stiffness = {stiffness}
damping = {damping}
[drags.d]
body = "w"
linear = 5
[simulation]
duration = 4
output_step = 0.5
"#
    );
    // h ρ = 6 of an explicit method against the duration: ρ = 4 c/(m l) of the fastest mode along the rope
    let length = end[0].hypot(end[1]) / segments as f64;
    let explicit = 4.0 * 4.0 * damping / length / (0.4 * length) / 6.0;
    let expected = if explicit > 1e4 { Expected::Implicit } else { Expected::Either };
    Variant {
        name: format!("rope {segments} {stiffness:.0e} {relative} {weight}"),
        model: parse(&text),
        expected,
    }
}

fn arm(kp: f64, kd: f64, payload: f64) -> Variant {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/arm.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.replace("kp = 4000", &format!("kp = {kp}")).replace("kd = 250", &format!("kd = {kd}"));
    let text = text.replace("\"5 kg\"", &format!("\"{payload} kg\""));
    let expected = if kd >= 250.0 { Expected::Implicit } else { Expected::Either };
    let mut model = parse(&text);
    model.settings.output_step = 0.1;
    Variant { name: format!("arm {kp} {kd} {payload}"), model, expected }
}

/// A ball on a spring instead of a rod; `ratio`: damping over critical damping.
fn spring_pendulum(mass: f64, stiffness: f64, ratio: f64) -> Variant {
    let damping = 2.0 * ratio * (stiffness * mass).sqrt();
    let text = format!(
        r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
A = [0, 0]
B = [0.6, -0.8]
[bodies]
ground = {{ points = ["A"] }}
ball = {{ points = ["B"], mass = {mass}, com = "B", inertia = 0 }}
[springs]
rod = {{ between = ["A", "B"], stiffness = {stiffness}, damping = {damping}, free_length = "1 - 9.81*0.8*{mass}/{stiffness}" }}
[simulation]
duration = 2
output_step = 0.1
"#
    );
    let model = parse(&text);
    Variant {
        name: format!("pendulum {mass:.0e} {stiffness:.0e} {ratio}"),
        model,
        expected: Expected::Either,
    }
}

fn bushing(stiffness: f64, ratio: f64) -> Variant {
    let damping = 2.0 * ratio * (2.0 * stiffness).sqrt();
    let (k, c, kr, cr) = (stiffness, damping, 1e-3 * stiffness, 1e-3 * damping);
    let text = format!(
        r#"
format = 1
[model]
dimension = 3
gravity = "-z"
[points]
A0 = [0, 0, 0]
A1 = [0, 0, 0]
B = [0.6, 0, 0]
C = [1.2, 0, -0.4]
[bodies]
ground = {{ points = ["A0"] }}
arm = {{ points = ["A1", "B"], mass = 2, shape = {{ type = "cylinder", radius = 0.03 }} }}
rod = {{ points = ["B", "C"], mass = 1, shape = {{ type = "cylinder", radius = 0.02 }} }}
[joints]
b = {{ type = "revolute", bodies = ["arm", "rod"], at = "B", axis = [0, 1, 0] }}
[bushings]
h = {{ bodies = ["ground", "arm"], at = ["A0", "A1"], stiffness = [{k}, {k}, {k}, {kr}, {kr}, {kr}], damping = [{c}, {c}, {c}, {cr}, {cr}, {cr}] }}
[simulation]
duration = 2
output_step = 0.1
"#
    );
    Variant { name: format!("bushing {k:.0e} {ratio}"), model: parse(&text), expected: Expected::Either }
}

/// Two rods and a soft spring: nothing that is stiff.
fn control(length: f64, stiffness: f64, damping: f64) -> Variant {
    let spring = match stiffness > 0.0 {
        true => format!(
            "[springs]\ns = {{ between = [\"O\", \"B\"], stiffness = {stiffness}, damping = {damping} }}"
        ),
        false => String::new(),
    };
    let text = format!(
        r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
O = [0, 0]
A = [{length}, 0]
B = [{length}, {length}]
[bodies]
ground = {{ points = ["O"] }}
a = {{ points = ["O", "A"], mass = 1 }}
b = {{ points = ["A", "B"], mass = 0.5 }}
{spring}
[simulation]
duration = 6
output_step = 0.1
"#
    );
    let model = parse(&text);
    Variant { name: format!("control {length} {stiffness} {damping}"), model, expected: Expected::Explicit }
}

/// More than a hundred.
fn family() -> Vec<Variant> {
    let mut all = Vec::new();
    for (kp, kd, payload) in [
        (4e3, 250.0, 5.0),
        (1e3, 100.0, 5.0),
        (8e3, 800.0, 5.0),
        (2e4, 2e3, 5.0),
        (4e3, 250.0, 20.0),
        (4e3, 1e3, 1.0),
        (400.0, 25.0, 5.0),
        (200.0, 10.0, 2.0),
        (5e4, 2.5e3, 5.0),
        (4e3, 4e3, 5.0),
    ] {
        all.push(arm(kp, kd, payload));
    }
    for mass in [1e-3, 1.0] {
        for stiffness in [1e4, 1e6, 1e9] {
            for ratio in [0.0, 0.01, 0.5, 3.0] {
                all.push(spring_pendulum(mass, stiffness, ratio));
            }
        }
    }
    for stiffness in [1e5, 1e7, 1e9] {
        for ratio in [0.02, 0.5, 5.0] {
            all.push(bushing(stiffness, ratio));
        }
    }
    for length in [0.3, 1.0, 3.0] {
        for (stiffness, damping) in [(0.0, 0.0), (5.0, 0.2), (50.0, 0.0), (400.0, 1.0)] {
            all.push(control(length, stiffness, damping));
        }
    }
    for segments in [4, 10, 20, 30] {
        for stiffness in [100.0, 500.0, 5e3, 5e4] {
            for (i, relative) in [0.05, 0.4, 0.8].into_iter().enumerate() {
                let end = [[0.0, -2.0], [1.2, -1.6]][(segments + i) % 2];
                all.push(rope(segments, stiffness, relative, [0.5, 3.0, 10.0][i], end));
            }
        }
    }
    all
}

/// With an integrator and a tolerance of its own. May fail.
fn simulate(model: &Model, integrator: Integrator, tolerance: f64, max_steps: u64) -> Trajectory {
    let settings = Settings { integrator, tolerance, max_steps, ..model.settings.clone() };
    let mechanism = model.clone().settings(settings).assemble().unwrap_or_else(|e| panic!("{e}"));
    mechanism.simulate().unwrap_or_else(|e| panic!("{e}"))
}

/// The largest distance of points between two runs over the size, as far as both went.
fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    let mut worst = 0.0_f64;
    for (a, b) in a.frames.iter().zip(&b.frames) {
        for (p, q) in a.positions.iter().flatten().zip(b.positions.iter().flatten()) {
            worst = worst.max((p - q).abs());
        }
    }
    worst / a.summary.size
}

fn told(run: &Trajectory) -> Vec<&str> {
    run.summary.remarks.iter().filter(|r| r.code == "stiffness").map(|r| r.message.as_str()).collect()
}

/// `auto` before it looked for stiffness on the way (the explicit method throughout), `auto` now, and a tight run of `radau5`.
fn judge(variant: &Variant, most: u64) {
    let Variant { name, model, expected } = variant;
    let auto = simulate(model, Integrator::Auto, 1e-9, 10_000_000);
    assert_eq!(auto.summary.status, Status::Finished, "{name}: {:?}", auto.summary);
    let before = simulate(model, Integrator::Dop853, 1e-9, most);
    let tight = simulate(model, Integrator::Radau5, 1e-12, 200_000);
    let reference = if tight.summary.status == Status::Finished { &tight } else { &before };
    let error = apart(&auto, reference);
    let exchanges = told(&auto);
    println!(
        "{name:28} before {:>7}{} steps {:6.2} s | now {:>6} steps {:6.2} s, {:9}, {} exchanges, error {error:.1e}",
        before.summary.steps.accepted_steps,
        if before.summary.status == Status::Finished { " " } else { "+" },
        before.summary.wall.as_secs_f64(),
        auto.summary.steps.accepted_steps,
        auto.summary.wall.as_secs_f64(),
        auto.summary.integrator.name(),
        exchanges.len(),
    );
    // the motions are tame: errors stay near the tolerance, 1e-9, but for some hundred steps of it
    assert!(error < 1e-6, "{name}: {error:.1e}");
    assert!(exchanges.len() <= 6, "{name}: {exchanges:?}");
    match expected {
        Expected::Explicit => assert!(exchanges.is_empty(), "{name}: {exchanges:?}"),
        Expected::Implicit => {
            assert_eq!(auto.summary.integrator, Integrator::Radau5, "{name}: {exchanges:?}");
            assert!(4 * auto.summary.steps.accepted_steps < before.summary.steps.accepted_steps, "{name}");
        }
        Expected::Either => {}
    }
}

/// A tenth of the family; all of it in `cross_auto_in_the_whole_family`.
#[test]
fn cross_auto_notices_stiffness_on_the_way() {
    let few = [
        rope(10, 500.0, 0.8, 3.0, [0.0, -2.0]),
        rope(4, 100.0, 0.05, 0.5, [1.2, -1.6]),
        arm(4e3, 250.0, 5.0),
        arm(200.0, 10.0, 2.0),
        spring_pendulum(1.0, 1e6, 3.0),
        spring_pendulum(1.0, 1e4, 0.0),
        bushing(1e5, 0.5),
        control(1.0, 0.0, 0.0),
        control(1.0, 400.0, 1.0),
        control(0.3, 50.0, 0.0),
    ];
    for variant in &few {
        judge(variant, 20_000);
    }
}

#[test]
#[ignore = "minutes: the whole family, with figures before and after"]
fn cross_auto_in_the_whole_family() {
    let family = family();
    assert!(family.len() >= 100, "{}", family.len());
    for variant in &family {
        judge(variant, 100_000);
    }
}

/// Stiff while a clutch of dampers is closed, and not before or after: to the implicit method and back.
#[test]
fn cross_there_and_back_again() {
    let text = r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
O = [0, 0]
A = [1, 0]
B = [2, 0]
[bodies]
ground = { points = ["O"] }
a = { points = ["O", "A"], mass = 1 }
b = { points = ["A", "B"], mass = 0.5 }
[actuators]
brake = { body = "b", against = "a", torque = "-2e4 * step5(t, 1, 0, 1.2, 1) * step5(t, 3, 1, 3.2, 0) * v" }
[simulation]
duration = 12
output_step = 0.1
tolerance = 1e-9
"#;
    let model = parse(text);
    let auto = simulate(&model, Integrator::Auto, 1e-9, 10_000_000);
    let exchanges = told(&auto);
    println!("{} steps, {exchanges:#?}", auto.summary.steps.accepted_steps);
    assert_eq!(auto.summary.status, Status::Finished);
    assert!(exchanges.len() >= 2 && exchanges.len() <= 6, "{exchanges:?}");
    assert!(exchanges[0].contains("continued with `radau5`"), "{exchanges:?}");
    assert_ne!(auto.summary.integrator, Integrator::Radau5);
    let tight = simulate(&model, Integrator::Dop853, 1e-12, 10_000_000);
    let error = apart(&auto, &tight);
    println!("explicit: {} steps; error {error:.1e}", tight.summary.steps.accepted_steps);
    // a double pendulum that has turned over for nine seconds
    assert!(error < 1e-4, "{error:.1e}");
    assert!(3 * auto.summary.steps.accepted_steps < tight.summary.steps.accepted_steps);
}

/// 1e9 N/m on 1 g, with the default settings: a hanging mass, whose vibration a damper ends, and a swinging one, which moves as on a rod. The last digit of a position makes
/// 1e-4 m/s² there.
#[test]
fn cross_a_gram_on_a_stiff_spring() {
    let run = |at: &str, damping: f64| {
        let (_, trajectory) = run(&parse(&format!(
            "format = 1\n[model]\ngravity = '-y'\n[points]\nO = [0, 0]\nP = {at}\n[bodies]\nground = {{ points = ['O'] }}\n\
             ball = {{ points = ['P'], mass = 0.001 }}\n[springs]\nline = {{ between = ['O', 'P'], stiffness = 1e9, damping = {damping} }}\n\
             [simulation]\nduration = 2\noutput_step = 0.05\n"
        )));
        trajectory
    };
    let hanging = run("[0, -1]", 10.0);
    let steps = hanging.summary.steps.accepted_steps;
    let stretch = -1.0 - hanging.frames.last().unwrap().positions[1][1];
    println!("hanging: {steps} steps, stretched by {stretch:.3e} m");
    assert!((stretch - 0.001 * G / 1e9).abs() < 1e-13 && steps < 5000, "{stretch:e} {steps}");

    // on a rod: θ̈ = -g cos θ, in small steps of order 4
    let (n, mut q, mut w) = (20_000, 0.0_f64, 0.0_f64);
    let h = 2.0 / f64::from(n);
    for _ in 0..n {
        let f = |q: f64, w: f64| (w, -G * q.cos());
        let a = f(q, w);
        let b = f(q + 0.5 * h * a.0, w + 0.5 * h * a.1);
        let c = f(q + 0.5 * h * b.0, w + 0.5 * h * b.1);
        let d = f(q + h * c.0, w + h * c.1);
        q += h / 6.0 * (a.0 + 2.0 * b.0 + 2.0 * c.0 + d.0);
        w += h / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * c.1 + d.1);
    }
    for damping in [0.0, 10.0] {
        let run = run("[1, 0]", damping);
        let [x, y, _] = run.frames.last().unwrap().positions[1];
        let (off, steps) = ((x - q.cos()).hypot(y - q.sin()), run.summary.steps.accepted_steps);
        println!("swinging, damping {damping}: {steps} steps, {off:.1e} m from a pendulum's place");
        assert!(off < 1e-8 && steps < 40_000, "{off:e} {steps}");
    }
}
