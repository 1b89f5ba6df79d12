//! ESDIRK of order 4: its order, constraints, stiff systems, and beams whose waves nobody asks for.

use crate::suite;

use linkwork::model::*;
use linkwork::simulation::{Status, Trajectory};
use suite::orders::{mechanisms, order_of};

fn simulate(model: &Model) -> Trajectory {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    run
}

fn tip(run: &Trajectory, model: &Model) -> [f64; 3] {
    let k = model.points.iter().position(|p| p.name == "B").expect("a point");
    run.frames.last().expect("a row").positions[k]
}

/// With given steps, on a chain, a closed loop and a driven loop: 3, since constraints turn within a step.
#[test]
fn order_of_esdirk4() {
    for (name, model) in mechanisms() {
        let slope = order_of(Integrator::Esdirk4, &model, &[160, 320, 640]);
        assert!((2.8..4.2).contains(&slope), "{name}: order {slope:.2}");
    }
}

/// A steel ruler of 300 mm, clamped and let go from the straight line.
fn ruler(elements: usize, tolerance: f64) -> Model {
    let settings = Settings {
        formulation: Formulation::Points,
        integrator: Integrator::Esdirk4,
        ..suite::settings(0.05, 0.05, tolerance)
    };
    Model::planar("ruler")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.3, 0.0])
        .ground(["A"])
        .beam(
            Beam::new("ruler", "A", "B")
                .material(Material::Steel, BeamSection::rectangle(25e-3, 0.5e-3))
                .elements(elements, BeamOrder::Quadratic)
                .clamp("ground", "none"),
        )
        .settings(settings)
}

/// Its error follows the tolerance, its constraints are met, and it takes a hundred steps where the fastest wave along the ruler swings 40,000 times.
#[test]
fn cross_tolerances_of_a_ruler() {
    let tight = ruler(4, 1e-8);
    let exact = tip(&simulate(&tight), &tight);
    for (tolerance, most) in [(1e-4, 100), (1e-5, 400), (1e-6, 1500)] {
        let model = ruler(4, tolerance);
        let run = simulate(&model);
        let error = (0..2).map(|i| (tip(&run, &model)[i] - exact[i]).powi(2)).sum::<f64>().sqrt() / 0.3;
        let steps = run.summary.steps.accepted_steps;
        println!(
            "{tolerance:.0e}: {steps} steps, error {error:.1e}, drift {:.1e} J",
            run.summary.energy_drift
        );
        assert!(error < 10.0 * tolerance && steps < most, "{error} {steps}");
        for frame in &run.frames {
            assert!(frame.constraint_residual < 1e-10 && frame.velocity_residual < 1e-8, "{}", frame.t);
        }
    }
}

/// Work grows in proportion to the elements: as many steps and evaluations with 200 as with 20.
#[test]
fn same_steps_with_more_elements() {
    let counts = [20, 200].map(|elements| {
        let steps = simulate(&ruler(elements, 1e-4)).summary.steps;
        println!("{elements}: {} steps, {} evaluations", steps.accepted_steps, steps.derivative_evaluations);
        steps.derivative_evaluations as f64
    });
    assert!(counts[1] < 1.3 * counts[0], "{counts:?}");
}

/// It has no part in equations without a sparse form.
#[test]
fn other_coordinates_refuse_it() {
    let mut model = ruler(2, 1e-4);
    model.settings.formulation = Formulation::Recursive;
    let text = match model.assemble() {
        Err(faults) => faults.to_string(),
        Ok(mechanism) => mechanism.simulate().expect_err("a refusal").to_string(),
    };
    assert!(text.contains("esdirk4") && text.contains("points"), "{text}");
}
