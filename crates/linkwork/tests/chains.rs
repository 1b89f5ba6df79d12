//! Chains that pay out.

use linkwork::model::*;

fn rocket(segment: f64, formulation: Formulation) -> Model {
    let a = 30.0_f64.to_radians();
    let (c, s) = (a.cos(), a.sin());
    let mut model = Model::planar("rocket")
        .gravity([0.0, -9.81])
        .point("container", [0.0, 0.0])
        .point("rocket", [1e-6 * c, 1e-6 * s])
        .ground(["container"])
        .body(Body::with_inertia("rocket", ["rocket"], 20.0, "rocket", Inertia::Polar(0.0)))
        .velocity("rocket", [200.0 * c, 200.0 * s])
        .chain(
            Chain::new("rope", "rocket", 1, 0.043)
                .to("container")
                .segment_length(segment)
                .lumping(Lumping::Far)
                .drag(ChainDrag { diameter: 0.008, tangential: 0.0134, ..Default::default() })
                .pay_out(PayOut::follows()),
        );
    model.settings.duration = 9.0;
    model.settings.output_step = 0.02;
    model.settings.formulation = formulation;
    model
}

#[test]
fn tries() {
    for formulation in [Formulation::Auto] {
        let mechanism = rocket(10.0, formulation).assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
        let last = run.frames.last().unwrap();
        println!(
            "{formulation:?} {:?} t {} rocket {:?} {:?} events {} steps {:?} wall {:?} drift {:e}",
            run.summary.status,
            last.t,
            last.positions[1],
            last.velocities[1],
            run.summary.event_count,
            run.summary.steps,
            run.summary.wall,
            run.summary.energy_drift
        );
        println!("{:?} {:?}", run.summary.formulation, run.summary.integrator);
    }
    let mechanism = rocket(1.0, Formulation::Auto).assemble().unwrap();
    let run = mechanism.simulate().unwrap();
    let last = run.frames.last().unwrap();
    println!(
        "{:?} t {} rocket {:?} events {} steps {:?} wall {:?}",
        run.summary.status,
        last.t,
        last.positions[1],
        run.summary.event_count,
        run.summary.steps,
        run.summary.wall
    );
}
