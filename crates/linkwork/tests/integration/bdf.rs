//! Backward differentiation formulas: orders, constraints, stiff systems, events.

use crate::suite;

use linkwork::model::*;
use linkwork::simulation::{Status, Trajectory};
use suite::orders::{mechanisms, order_of};

fn example(name: &str) -> Model {
    let file = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"))
}

fn simulate(model: &Model) -> Trajectory {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    run
}

/// The largest distance of any point between rows at the same time, over the mechanism's size. Rows of events are at times of their own.
fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    let mut far: f64 = 0.0;
    let mut compared = 0;
    let mut others = b.frames.iter().peekable();
    for frame in &a.frames {
        while others.next_if(|other| other.t < frame.t - 1e-9).is_some() {}
        let Some(other) = others.next_if(|other| (other.t - frame.t).abs() <= 1e-9) else { continue };
        compared += 1;
        for (x, y) in frame.positions.iter().flatten().zip(other.positions.iter().flatten()) {
            far = far.max((x - y).abs());
        }
    }
    assert!(compared >= a.frames.len().min(b.frames.len()) / 2, "{compared} rows of {}", a.frames.len());
    far / a.summary.size
}

/// Positions and velocities meet the constraints in every row.
fn assert_constraints(run: &Trajectory) {
    let size = run.summary.size;
    for frame in &run.frames {
        assert!(frame.constraint_residual < 1e-10 * size, "{} at {}", frame.constraint_residual, frame.t);
        assert!(frame.velocity_residual < 1e-10 * size, "{} at {}", frame.velocity_residual, frame.t);
    }
}

fn tell(name: &str, run: &Trajectory, error: f64) {
    let s = &run.summary;
    println!(
        "{name:34} {:6} steps, {:4} rejected, {:6} evaluations, {:6} factorisations, {:.2} s; error {error:.1e}, energy {:.1e}",
        s.steps.accepted_steps,
        s.steps.rejected_steps,
        s.steps.derivative_evaluations,
        s.counters.factorisations,
        s.wall.as_secs_f64(),
        s.relative_energy_drift()
    );
}

fn with(model: &Model, integrator: Integrator, tolerance: f64) -> Model {
    let mut model = model.clone();
    (model.settings.integrator, model.settings.tolerance) = (integrator, tolerance);
    model.settings.formulation = Formulation::Points;
    model
}

#[test]
fn order_of_each_formula() {
    let steps: [&[u32]; 5] =
        [&[320, 640, 1280], &[320, 640, 1280], &[160, 320, 640], &[160, 320, 640], &[160, 320, 640]];
    for (name, model) in mechanisms() {
        for order in 1..=5 {
            println!("{name}, order {order}:");
            let mut model = model.clone();
            model.settings.order = Some(order);
            let slope = order_of(Integrator::Bdf, &model, steps[order as usize - 1]);
            assert!((slope - order as f64).abs() < 0.2, "{name}: order {order} is {slope:.2}");
        }
    }
}

/// The flyball governor with a stiff spring and damper: `dop853` needs 70,000 steps where the motion is slow and smooth.
fn stiff_governor(stiffness: &str, damping: &str) -> Model {
    let file = format!("{}/../../examples/governor.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let stiff = text.replace("\"800 N/m\"", stiffness).replace("\"60 N s/m\"", damping);
    assert_ne!(text, stiff);
    Model::from_toml(&stiff).unwrap_or_else(|e| panic!("{e}"))
}

/// Against a tight run of the same method, and that one against `dop853` where it is short enough.
#[test]
fn cross_stiff_governor() {
    let mut model = stiff_governor("8e5", "4e4");
    model.settings.max_step = Some(0.1);
    let tight = simulate(&with(&model, Integrator::Bdf, 1e-10));
    tell("stiff governor, 1e-10", &tight, 0.0);
    for (tolerance, allowed) in [(1e-5, 1e-4), (1e-6, 1e-5), (1e-7, 1e-6), (1e-8, 1e-7)] {
        let run = simulate(&with(&model, Integrator::Bdf, tolerance));
        let error = apart(&run, &tight);
        tell(&format!("stiff governor, {tolerance:.0e}"), &run, error);
        assert_constraints(&run);
        assert!(error < 20.0 * allowed, "{error:.1e}");
        assert!(run.summary.steps.accepted_steps < 5000);
    }
    model.settings.duration = 0.3;
    let explicit = simulate(&with(&model, Integrator::Dop853, 1e-9));
    let implicit = simulate(&with(&model, Integrator::Bdf, 1e-9));
    let error = apart(&implicit, &explicit);
    tell("the same, 0.3 s, dop853 at 1e-9", &explicit, 0.0);
    tell("the same, 0.3 s, bdf at 1e-9", &implicit, error);
    assert!(error < 1e-7, "{error:.1e}");
}

/// A ball on a spring so stiff that it is a rod but for mg/k = 1e-8 m. The spring starts with the tension it has to carry.
fn spring_pendulum(damping: f64) -> Model {
    let text = format!(
        r#"
format = 1
[model]
dimension = 2
gravity = [0, -9.81]
[points]
A = [0, 0]
B = [0.6, -0.8]
[bodies]
ground = {{ points = ["A"] }}
ball = {{ points = ["B"], mass = 1, com = "B", inertia = 0 }}
[springs]
rod = {{ between = ["A", "B"], stiffness = 1e9, damping = {damping}, free_length = "1 - 9.81*0.8/1e9" }}
[simulation]
duration = 5
output_step = 0.05
"#
    );
    Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// The same with a rod.
fn rod_pendulum() -> Model {
    Model::planar("rod")
        .gravity([0.0, -suite::G])
        .point("A", [0.0, 0.0])
        .point("B", [0.6, -0.8])
        .ground(["A"])
        .body(Body::with_inertia("ball", ["A", "B"], 1.0, "B", Inertia::Polar(0.0)))
        .settings(suite::settings(5.0, 0.05, 1e-12))
}

/// 31,600 rad/s beside a slow swing: against the rigid pendulum, which it is but for 1e-8.
#[test]
fn cross_pendulum_on_a_stiff_spring() {
    let rigid = simulate(&rod_pendulum());
    for damping in [1e5, 1e3, 0.0] {
        for (tolerance, order) in [(1e-6, None), (1e-8, None), (1e-6, Some(2))] {
            let mut model = with(&spring_pendulum(damping), Integrator::Bdf, tolerance);
            model.settings.order = order;
            model.settings.max_steps = 200_000;
            let run = simulate(&model);
            let error = apart(&run, &rigid);
            tell(&format!("damping {damping:.0e}, {tolerance:.0e}, order {order:?}"), &run, error);
            assert!(error < if order.is_some() { 5e-3 } else { 300.0 * tolerance + 2e-8 }, "{error:.1e}");
            assert!(run.summary.steps.accepted_steps < 40_000);
        }
    }
}

/// Most examples at moderate tolerances: loops, redundant rows, drivers, massless links, tyres, locks and limits.
#[test]
fn cross_examples_with_dop853() {
    let cases = [
        ("pendulum", 3.0),
        ("double-pendulum", 2.0),
        ("four-bar", 3.0),
        ("four-bar-in-space", 3.0),
        ("chain", 1.0),
        ("slider-crank", 1.0),
        ("spring", 2.0),
        ("spinning-body", 5.0),
        ("cam-follower", 0.2),
        ("gear-train", 1.0),
        ("governor", 2.0),
        ("manipulator-3rrr", 2.0),
        ("stewart-platform", 1.0),
        ("suspension", 1.0),
        ("squeezer", 0.01),
        ("tower-crane", 5.0),
        ("universal-shaft", 0.5),
        ("excavator", 2.0),
        ("bicycle", 1.0),
        ("vehicle", 1.0),
        ("latch", 3.0),
    ];
    let mut wrong = Vec::new();
    for (name, duration) in cases {
        let mut model = example(name);
        model.settings.duration = duration;
        let truth = simulate(&with(&model, Integrator::Dop853, 1e-11));
        for tolerance in [1e-6, 1e-8] {
            let run = simulate(&with(&model, Integrator::Bdf, tolerance));
            let error = apart(&run, &truth);
            tell(&format!("{name}, {tolerance:.0e}"), &run, error);
            assert_constraints(&run);
            let allowed = match name {
                "gear-train" => 5e5,    // fast wheels: thousands of steps gather more
                "spinning-body" => 5e4, // beside the separatrix errors grow by e^2.5 each second
                _ => 1e4,
            };
            if error > allowed * tolerance {
                wrong.push((name, tolerance, error));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What happens, and when, as `dop853` finds it.
#[test]
fn cross_events() {
    let model = example("latch");
    // how low a bounce still counts depends on the tolerance
    let truth = simulate(&with(&model, Integrator::Dop853, 1e-9));
    let run = simulate(&with(&model, Integrator::Bdf, 1e-9));
    let (a, b) = (&truth.summary.events, &run.summary.events);
    println!("{} events, {} with bdf", a.len(), b.len());
    assert!(b.len() > 8);
    // the last bounces, lower than the tolerance, are counted differently
    let mut late: f64 = 0.0;
    for (a, b) in a.iter().zip(b).take(8) {
        assert_eq!((a.kind, &a.name), (b.kind, &b.name));
        late = late.max((a.t - b.t).abs());
    }
    let error = apart(&run, &truth);
    tell("latch, 1e-9", &run, error);
    println!("the first events are {late:.1e} s apart");
    assert!(late < 1e-6 && error < 1e-6);
}

/// A force along a rod that jumps by eight times its weight: the motion does not know of it, only the multiplier does. If
/// multipliers took part in the error test, every jump would cost steps.
#[test]
fn exact_multipliers_may_jump() {
    let model = |force: &str| {
        let text = format!(
            r#"
format = 1
[model]
dimension = 2
gravity = [0, -9.81]
[points]
A = [0, 0]
B = [1, 0]
[bodies]
ground = {{ points = ["A"] }}
rod = {{ points = ["A", "B"], mass = 1 }}
[forces]
pull = {{ body = "rod", at = "B", force = ["{force}", 0], axes = "body" }}
[simulation]
duration = 2
output_step = 0.02
max_step = 2
"#
        );
        Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
    };
    let still = simulate(&with(&model("0 * point.B.x"), Integrator::Bdf, 1e-7));
    let jumps = simulate(&with(
        &model("if(point.B.x > 0.5, 40, if(point.B.x > -0.5, -40, 60))"),
        Integrator::Bdf,
        1e-7,
    ));
    let error = apart(&still, &jumps);
    tell("no force along the rod", &still, 0.0);
    tell("a wild one", &jumps, error);
    assert!(error < 1e-5);
    assert!(jumps.summary.steps.accepted_steps <= still.summary.steps.accepted_steps * 11 / 10 + 5);
}

#[test]
fn same_bits_twice() {
    let model = with(&example("four-bar"), Integrator::Bdf, 1e-7);
    let (a, b) = (simulate(&model), simulate(&model));
    for (a, b) in a.frames.iter().zip(&b.frames) {
        assert_eq!((&a.positions, &a.velocities), (&b.positions, &b.velocities));
    }
}

/// Orders that there are not.
#[test]
fn refuses_other_orders() {
    let mut model = with(&example("four-bar"), Integrator::Bdf, 1e-7);
    model.settings.order = Some(6);
    let faults = model.assemble().err().unwrap().to_string();
    assert!(faults.contains("between 1 and 5"), "{faults}");
}

/// Gear's method in joint variables, momenta and all other coordinates: the stiff governor, a loop, a chain. Against a tight run in `points`.
#[test]
fn cross_every_formulation() {
    for (name, mut model, duration) in [
        ("stiff governor", stiff_governor("8e5", "4e4"), 2.0),
        ("four-bar", example("four-bar"), 1.0),
        ("chain", example("chain"), 0.5),
    ] {
        model.settings.duration = duration;
        model.settings.integrator = Integrator::Bdf;
        let truth = simulate(&with(&model, Integrator::Radau5, 1e-11));
        // half a minute of `lagrange` on a chain would tell nothing new
        let slow = |f: &Formulation| *f == Formulation::Lagrange && name == "chain";
        for formulation in suite::applicable(&model).into_iter().filter(|f| !slow(f)) {
            for tolerance in [1e-6, 1e-8] {
                let mut model = with(&model, Integrator::Bdf, tolerance);
                model.settings.formulation = formulation;
                let run = simulate(&model);
                let error = apart(&run, &truth);
                tell(&format!("{name}, {}, {tolerance:.0e}", formulation.name()), &run, error);
                assert_constraints(&run);
                assert!(error < 1e4 * tolerance, "{name}, {formulation:?}: {error:.1e}");
                assert!(run.summary.steps.accepted_steps < 5000, "{name}, {formulation:?}");
            }
        }
    }
}

/// Contacts and masses that vary have no constant mass matrix behind them.
#[test]
fn cross_contacts_and_masses_that_vary() {
    for (name, duration) in [("block-on-incline", 1.0), ("sounding-rocket", 2.0)] {
        let mut model = example(name);
        model.settings.duration = duration;
        let truth = simulate(&with(&model, Integrator::Dop853, 1e-10));
        for formulation in [Formulation::Points, Formulation::Recursive, Formulation::NewtonEuler] {
            let mut model = with(&model, Integrator::Bdf, 1e-7);
            model.settings.formulation = formulation;
            let run = simulate(&model);
            let error = apart(&run, &truth);
            tell(&format!("{name}, {}", formulation.name()), &run, error);
            assert!(error < 1e-4, "{name}, {formulation:?}: {error:.1e}");
        }
    }
}
