//! What beams cost: a flexible pendulum that falls for half a second.
//!
//!     cargo bench -p linkwork --bench beams                             cost of a step by the number of elements
//!     cargo bench -p linkwork --bench beams -- run 4 quadratic esdirk4 1e-5     one run: x and y of the tip, seconds, steps
//!
//! `benches/beams/run.py` uses the second way to compare with Exudyn. A tolerance for `esdirk4`, a step for `index3`.

use linkwork::Model;
use linkwork::model::{Beam, BeamOrder, Formulation, Integrator, Settings};
use linkwork::simulation::Trajectory;
use std::time::Instant;

const AXIAL: f64 = 1e4;
const BENDING: f64 = 1.0;
const SHEAR: f64 = 1e6;

fn pendulum(elements: usize, order: BeamOrder, settings: Settings) -> Model {
    Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .beam(
            Beam::new("rod", "A", "B")
                .stiffness(AXIAL, [BENDING; 2], 1.0)
                .shear([SHEAR; 2])
                .elements(elements, order),
        )
        .settings(settings)
}

fn settings(integrator: Integrator, fineness: f64, duration: f64) -> Settings {
    let common = Settings {
        formulation: Formulation::Points,
        integrator,
        duration,
        output_step: duration,
        ..Settings::default()
    };
    match integrator.fixed_step() {
        true => Settings { step: Some(fineness), ..common },
        false => Settings { tolerance: fineness, ..common },
    }
}

/// The fastest of some runs, s.
fn timed(model: &Model, times: u32) -> (Trajectory, f64) {
    let mechanism = model.assemble().expect("a model");
    let mut best: Option<(Trajectory, f64)> = None;
    for _ in 0..times {
        let begun = Instant::now();
        let run = mechanism.simulate().expect("a run");
        let seconds = begun.elapsed().as_secs_f64();
        if best.as_ref().is_none_or(|(_, before)| seconds < *before) {
            best = Some((run, seconds));
        }
    }
    best.expect("a run")
}

fn one(args: &[String]) -> Option<()> {
    let elements = args.first()?.parse().ok()?;
    let order = BeamOrder::ALL.into_iter().find(|order| order.name() == args[1])?;
    let integrator = Integrator::ALL.into_iter().find(|i| i.name() == args[2])?;
    let model = pendulum(elements, order, settings(integrator, args[3].parse().ok()?, 0.5));
    let mechanism = model.assemble().ok()?;
    let (run, seconds) = timed(&model, 3);
    let tip = mechanism.points().iter().position(|p| p.name == "B")?;
    let [x, y, _] = run.frames.last()?.positions[tip];
    println!("{x:?} {y:?} {seconds:e} {}", run.summary.steps.accepted_steps);
    Some(())
}

fn table() {
    println!("elements      steps   evaluations   us a step and element");
    for integrator in [Integrator::Index3, Integrator::Esdirk4] {
        println!("{}", integrator.name());
        let mut first = None;
        for elements in [10, 100, 1000] {
            let fineness = if integrator == Integrator::Index3 { 1e-3 } else { 1e-4 };
            let model = pendulum(elements, BeamOrder::Quadratic, settings(integrator, fineness, 0.05));
            let (run, seconds) = timed(&model, 5);
            let steps = run.summary.steps;
            // iterations of Newton's method differ a little: an evaluation is what costs
            let each = 1e6 * seconds / steps.derivative_evaluations as f64 / elements as f64;
            let first = *first.get_or_insert(each);
            println!(
                "{elements:8} {:10} {:13} {each:10.3}  {:.2} of that of 10",
                steps.accepted_steps,
                steps.derivative_evaluations,
                each / first
            );
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().position(|arg| arg == "run") {
        Some(at) => one(&args[at + 1..]).expect("run ELEMENTS ORDER INTEGRATOR FINENESS"),
        None => table(),
    }
}
