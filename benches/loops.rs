//! Closed loops in point coordinates: how long whole runs take.
//!
//! `cargo bench -p linkwork --bench loops`, or with names (`bars2 bars40 bars400 ladder4 ladder20 ladder100 chain30 grid`)
//! only those. For profiles, `LINKWORK_ONLY="dop853 1e-5"` picks a way, `LINKWORK_REPEAT=50` the number of repetitions, and
//! `LINKWORK_STEPS=1` leaves the whole runs out and tells how much was solved. Each figure is the best of several repetitions. *steps* is the stepper on the equations alone, *run* the
//! whole run at the default output step, with its rows, events, balances and summary, to an observer that looks at nothing;
//! *rows* is what it takes beyond the steps, as a part of them.
//!
//! - `barsN`: a row of N parallelograms of rods, 10 s through the position where all lie flat. It moves as a pendulum does,
//!   which gives the error of the last point at the end.
//! - `ladderN`: a ladder of N cells in space, both ends of its rails pinned, let go from an arch, 1 s.
//! - `chain30`: thirty rods in the plane, let go from the horizontal, 5 s, in the coordinates that the model chooses.
//! - `grid`: 100 × 40 rods that share their ends: set-up, then evaluations.

use linkwork::formulations::{Formulate, Joints, Points};
use linkwork::integrate::{Stepper, System, taylor_order};
use linkwork::mechanism::Mechanism;
use linkwork::model::{Body, Formulation, Integrator, Model, Settings};
use linkwork::results::Frame;
use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

const G: f64 = 9.81;

/// What a case is run with: an integrator, and its tolerance or step.
type Way = (Integrator, f64);

fn parallelograms(loops: usize) -> Model {
    let mut model = Model::planar("parallelograms").gravity([0.0, -G]);
    for i in 0..=loops {
        model = model.point(format!("P{i}"), [i as f64, 0.0]).point(format!("Q{i}"), [i as f64, 1.0]);
    }
    model = model.ground((0..=loops).map(|i| format!("P{i}")));
    for i in 0..=loops {
        model = model
            .body(Body::rod(format!("upright{i}"), [&format!("P{i}"), &format!("Q{i}")], 1.0))
            .velocity(format!("Q{i}"), [1.0, 0.0]);
    }
    for i in 0..loops {
        model = model.body(Body::rod(format!("coupler{i}"), [&format!("Q{i}"), &format!("Q{}", i + 1)], 1.0));
    }
    model.settings(Settings { duration: 10.0, ..Settings::default() })
}

/// Two rails of n rods each, 0.3 m apart and out of plane, with rungs between them.
fn ladder(cells: usize) -> Model {
    let mut model = Model::spatial("ladder").gravity([0.0, 0.0, -G]);
    let name = |rail: usize, i: usize| format!("{}{i}", ["L", "R"][rail]);
    for i in 0..=cells {
        let s = i as f64 / cells as f64;
        for rail in 0..2 {
            let at = [0.2 * i as f64, 0.3 * rail as f64 + 0.05 * (3.0 * s).sin(), 0.6 * s * (1.0 - s)];
            model = model.point(name(rail, i), at);
        }
    }
    model = model.ground([name(0, 0), name(1, 0), name(0, cells), name(1, cells)]);
    for i in 1..=cells {
        for rail in 0..2 {
            let (from, to) = (name(rail, i - 1), name(rail, i));
            model = model.body(Body::rod(format!("rail{rail}_{i}"), [&from, &to], 0.1));
        }
        if i < cells {
            model = model.body(Body::rod(format!("rung{i}"), [&name(0, i), &name(1, i)], 0.1));
        }
    }
    model.settings(Settings { duration: 1.0, ..Settings::default() })
}

fn chain(n: usize) -> Model {
    let mut model = Model::planar("chain").gravity([0.0, -G]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 1..=n {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [0.1 * i as f64, 0.0]);
        model = model.body(Body::rod(format!("rod{i}"), [&before, &point], 0.05));
    }
    model.settings(Settings { duration: 5.0, ..Settings::default() })
}

fn grid(columns: usize, rows: usize) -> Model {
    let name = |i: usize, j: usize| format!("P{i}_{j}");
    let mut model = Model::planar("grid").gravity([0.0, -G]);
    for i in 0..columns {
        for j in 0..rows {
            model = model.point(name(i, j), [i as f64, j as f64 + 0.1 * (i % 3) as f64]);
        }
    }
    for i in 0..columns {
        for j in 0..rows {
            if i > 0 {
                model = model.body(Body::rod(format!("h{i}_{j}"), [&name(i - 1, j), &name(i, j)], 1.0));
            }
            if j > 0 {
                model = model.body(Body::rod(format!("v{i}_{j}"), [&name(i, j - 1), &name(i, j)], 1.0));
            }
        }
    }
    model.ground([name(0, 0)])
}

/// θ'' = κ sin θ, κ = 3g(3N+1) / 2(4N+1): the motion of the parallelograms.
struct Pendulum(f64);
impl System for Pendulum {
    type Error = Infallible;
    fn dimension(&self) -> usize {
        2
    }
    fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        dy[0] = y[1];
        dy[1] = self.0 * y[0].sin();
        Ok(())
    }
}

/// Where the last point of the parallelograms is at the end.
fn tip(loops: usize) -> [f64; 2] {
    let n = loops as f64;
    let mut system = Pendulum(1.5 * G * (3.0 * n + 1.0) / (4.0 * n + 1.0));
    let mut stepper = Stepper::dop853(2, 1e-14);
    stepper.start(&mut system, 0.0, &[0.0, 1.0], 10.0).expect("a pendulum");
    while !stepper.is_finished() {
        stepper.step(&mut system).expect("a pendulum");
    }
    let angle = stepper.y()[0];
    [n + angle.sin(), angle.cos()]
}

fn assembled(model: Model, (integrator, fineness): Way, formulation: Formulation) -> Mechanism {
    let mut model = model;
    model.settings.formulation = formulation;
    model.settings.integrator = integrator;
    match integrator.fixed_step() {
        true => model.settings.step = Some(fineness),
        false => model.settings.tolerance = fineness,
    }
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

/// One run of the stepper alone; gives its time, its steps and evaluations, and the last state.
fn step_through<F: Formulate>(
    mut system: F,
    (integrator, fineness): Way,
    duration: f64,
) -> (Duration, u64, u64, Vec<f64>) {
    let n = system.dimension();
    let start = system.start();
    let mut stepper = match integrator {
        Integrator::Index3 => Stepper::index3(n, fineness),
        Integrator::Dop853 => Stepper::dop853(n, fineness),
        _ => {
            let order = taylor_order(fineness);
            system.begin_series(order).unwrap_or_else(|gaps| panic!("{gaps:?}"));
            Stepper::taylor(n, fineness, order)
        }
    };
    let clock = Instant::now();
    stepper.start(&mut system, 0.0, &start, duration).expect("a start");
    while !stepper.is_finished() {
        stepper.step(&mut system).expect("a step");
    }
    let took = clock.elapsed();
    if std::env::var("LINKWORK_STEPS").is_ok() {
        eprintln!("{:?}", system.counters());
    }
    let s = stepper.statistics();
    (took, s.accepted_steps, s.derivative_evaluations, stepper.y().to_vec())
}

/// Both kinds of run, interleaved, until a second is over or they were made twenty times.
fn time(name: &str, model: &Model, way: Way, formulation: Formulation, tip: Option<[f64; 2]>) {
    let mechanism = assembled(model.clone(), way, formulation);
    let duration = mechanism.model().settings.duration;
    let mut best = [Duration::MAX; 2];
    let mut last = (0, 0, Vec::new());
    let clock = Instant::now();
    let (least, most) = match std::env::var("LINKWORK_REPEAT").ok().and_then(|n| n.parse().ok()) {
        Some(n) => (n, n),
        None => (2, 20),
    };
    for k in 0..most {
        if k >= least && clock.elapsed() > Duration::from_secs(1) {
            break;
        }
        let (took, steps, evaluations, y) = match formulation {
            Formulation::Joints => step_through(Joints::new(&mechanism).expect("a tree"), way, duration),
            _ => step_through(Points::new(&mechanism).expect("not too large"), way, duration),
        };
        best[0] = best[0].min(took);
        last = (steps, evaluations, y);
        if std::env::var("LINKWORK_STEPS").is_ok() {
            best[1] = best[0];
            continue;
        }
        let summary = mechanism.run(&mut |frame: &Frame| {
            black_box(frame);
        });
        best[1] = best[1].min(summary.expect("a run").wall);
    }
    let (steps, evaluations, y) = last;
    let n = y.len() / 2;
    let error = tip.map(|[x, z]| f64::hypot(y[n - 2] - x, y[n - 1] - z));
    let [alone, whole] = best.map(|t| 1e3 * t.as_secs_f64());
    println!(
        "{name:>9} {:>9} {:>7.0e} {alone:10.3} {whole:10.3} {:6.0} % {steps:7} {evaluations:8}  {}",
        way.0.name(),
        way.1,
        100.0 * (whole - alone) / alone,
        error.map_or(String::new(), |e| format!("{e:.1e}"))
    );
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let only = std::env::var("LINKWORK_ONLY").unwrap_or_default();
    println!(
        "{:>9} {:>9} {:>7} {:>10} {:>10} {:>8} {:>7} {:>8}  tip error [m]",
        "", "", "", "steps [ms]", "run [ms]", "rows", "steps", "evals"
    );
    for loops in [2, 40, 400] {
        let name = format!("bars{loops}");
        if !asked(&name) {
            continue;
        }
        let (model, tip) = (parallelograms(loops), tip(loops));
        let ways = [
            (Integrator::Index3, 1e-2),
            (Integrator::Dop853, 1e-5),
            (Integrator::Dop853, 1e-7),
            (Integrator::Taylor, 1e-5),
            (Integrator::Taylor, 1e-7),
            (Integrator::Taylor, 1e-9),
        ];
        for way in ways {
            if format!("{} {:e}", way.0.name(), way.1).contains(&only) {
                time(&name, &model, way, Formulation::Points, Some(tip));
            }
        }
    }
    for cells in [4, 20, 100] {
        let name = format!("ladder{cells}");
        if asked(&name) {
            time(&name, &ladder(cells), (Integrator::Taylor, 1e-8), Formulation::Points, None);
        }
    }
    if asked("chain30") {
        for way in [(Integrator::Dop853, 1e-8), (Integrator::Dop853, 1e-5)] {
            time("chain30", &chain(30), way, Formulation::Joints, None);
        }
    }
    if asked("grid") {
        let clock = Instant::now();
        let mechanism = match grid(100, 40).assemble() {
            Ok(mechanism) => mechanism,
            Err(faults) => return println!("grid: {faults}"),
        };
        let assembled = clock.elapsed().as_secs_f64();
        let mut points = match Points::new(&mechanism) {
            Ok(points) => points,
            Err(fault) => return println!("grid: {}", fault.message),
        };
        let set_up = clock.elapsed().as_secs_f64() - assembled;
        let (y, mut dy) = (points.start(), vec![0.0; points.dimension()]);
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let clock = Instant::now();
            points.derivative(0.0, &y, &mut dy).expect("a grid at rest");
            best = best.min(clock.elapsed().as_secs_f64());
        }
        println!(
            "grid of 100 x 40: assembled in {assembled:.2} s, set up in {set_up:.2} s, {} entries in the factor, evaluation {:.1} ms",
            points.factor_entries(),
            1e3 * best
        );
    }
}
