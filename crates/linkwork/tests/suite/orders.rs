//! Orders of convergence: one measure for every integrator, and the mechanisms it is taken on.

use super::G;
use linkwork::model::{Body, Driver, Formula, Formulation, Integrator, Model, Settings, Spring};
use linkwork::results::Frame;
use linkwork::simulation::Status;

/// Two rods, let go with an angle between them: an open chain.
pub fn open_chain() -> Model {
    Model::planar("double pendulum")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.6, -0.8])
        .point("C", [1.6, -0.8])
        .ground(["A"])
        .body(Body::rod("upper", ["A", "B"], 1.0))
        .body(Body::rod("lower", ["B", "C"], 1.5))
        .settings(super::settings(0.8, 0.1, 1e-13))
}

/// A four-bar linkage that swings from rest: a closed loop.
pub fn closed_loop() -> Model {
    Model::planar("four-bar")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [-0.6, 0.8])
        .point("C", [1.6, 1.9])
        .point("D", [2.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5))
        .settings(super::settings(0.8, 0.1, 1e-13))
}

/// Five bars with one crank driven by a function of time, a spring and a damper on the joint that stays free.
pub fn driven_loop() -> Model {
    Model::planar("driven five-bar")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 0.6])
        .point("C", [1.0, 1.5])
        .point("D", [2.0, 1.0])
        .point("E", [2.0, 0.0])
        .ground(["A", "E"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("left", ["B", "C"], 1.2))
        .body(Body::rod("right", ["C", "D"], 1.1))
        .body(Body::rod("rocker", ["D", "E"], 1.5))
        .spring(Spring::new("brace", ["A", "C"], 60.0).damping(4.0))
        .driver(Driver::joint("motor", "A", Formula::parse("0.4*sin(3*t) - 0.5*t").unwrap()))
        .settings(Settings { formulation: Formulation::Points, ..super::settings(0.8, 0.1, 1e-13) })
}

/// What orders are measured on, by name.
pub fn mechanisms() -> [(&'static str, Model); 3] {
    [("open chain", open_chain()), ("closed loop", closed_loop()), ("driven loop", driven_loop())]
}

/// The rows of a run.
fn rows_of(model: &Model) -> Vec<Frame> {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    run.frames
}

/// How far positions and velocities of named points are apart, m and m/s, whichever is more.
fn distance(a: &Frame, b: &Frame) -> f64 {
    let all = |f: &Frame| f.positions.iter().chain(&f.velocities).flatten().copied().collect::<Vec<_>>();
    all(a).iter().zip(all(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The largest errors in the model's rows when its duration is made in so many equal steps, against `dop853` with a tolerance of
/// 1e-13 in the same formulation. Other settings are the model's. Rows should fall on steps: take multiples of their number, 8.
pub fn errors_of(integrator: Integrator, model: &Model, steps: &[u32]) -> Vec<f64> {
    let mut model = model.clone();
    model.settings.integrator = Integrator::Dop853;
    (model.settings.step, model.settings.tolerance) = (None, 1e-13);
    let projection = model.settings.projection.take();
    let reference = rows_of(&model);
    (model.settings.integrator, model.settings.projection) = (integrator, projection);
    let error = |&n: &u32| {
        model.settings.step = Some(model.settings.duration / f64::from(n));
        let rows = rows_of(&model);
        assert_eq!(rows.len(), reference.len());
        rows.iter().zip(&reference).map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
    };
    steps.iter().map(error).collect()
}

/// The order of convergence: the slope of log(error) over log(step), by least squares. The step numbers should reach from where the
/// order begins to show to errors above 1e-12, where the reference ends.
pub fn order_of(integrator: Integrator, model: &Model, steps: &[u32]) -> f64 {
    let errors = errors_of(integrator, model, steps);
    let points = steps.iter().zip(&errors).map(|(&n, e)| (-f64::from(n).ln(), e.ln())).collect::<Vec<_>>();
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let slope = mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x) * (p.0 - x));
    let (name, formulation) = (integrator.name(), model.settings.formulation.name());
    let errors = errors.iter().map(|e| format!("{e:.1e}")).collect::<Vec<_>>().join(" ");
    println!("{name} in {formulation}: order {slope:.2}, errors {errors} after {steps:?} steps");
    slope
}
