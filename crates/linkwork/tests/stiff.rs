//! Stiff mechanisms: radau5 against dop853, which follows every fast motion, at the same tolerance.

mod suite;

use linkwork::model::{Body, Formulation, Integrator, Model, Settings, Spring};
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
        let lengths = result.frames.iter().map(|f| f.springs[0][0] - 1.0);
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
