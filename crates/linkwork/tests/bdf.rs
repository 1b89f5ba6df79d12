//! Backward differentiation formulas: orders, constraints, stiff systems, events.

mod suite;

use linkwork::model::*;
use linkwork::results::Frame;
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

/// The largest distance of any point between two runs with the same rows, over the mechanism's size.
fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    assert_eq!(a.frames.len(), b.frames.len());
    let far = |a: &Frame, b: &Frame| {
        assert!((a.t - b.t).abs() < 1e-6, "rows at {} and {} s", a.t, b.t);
        let both = a.positions.iter().flatten().zip(b.positions.iter().flatten());
        both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    a.frames.iter().zip(&b.frames).map(|(a, b)| far(a, b)).fold(0.0, f64::max) / a.summary.size
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
