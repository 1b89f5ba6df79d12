//! What each integrator costs for what it gives: the same run with all of them, coarse to fine, against the tightest.
//!
//! Errors are distances of points at the rows of the output grid, relative to the size of the mechanism. Of a motion that
//! multiplies errors by more than the tolerance can make up for, such as a double pendulum over minutes, the table shows just that: all
//! methods stop improving at the reference's own doubt.

use super::{Observer, Status, Summary};
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation, Integrator};
use crate::results::Frame;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Tolerances of the methods with error control.
const TOLERANCES: [f64; 4] = [1e-5, 1e-7, 1e-9, 1e-11];
/// Steps of the others, as parts of the step of the model.
const PARTS: [f64; 4] = [1.0, 0.25, 0.0625, 0.015625];
/// No run of a method takes longer.
const LONGEST: Duration = Duration::from_secs(100_000);
/// Tolerances of the reference: the first that comes to the end, and the next tells how good it is.
const REFERENCE: [f64; 4] = [1e-14, 1e-13, 1e-12, 1e-11];

/// How fine a run was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fineness {
    /// Under error control.
    Tolerance(f64),
    /// With fixed steps, s.
    Step(f64),
}

/// One run.
#[derive(Clone, Debug)]
pub struct WorkPoint {
    /// Method.
    pub integrator: Integrator,
    /// How fine.
    pub fineness: Fineness,
    /// Largest distance of a point from the reference, as a part of the size; nothing if the run did not finish.
    pub error: Option<f64>,
    /// How it went.
    pub summary: Summary,
}

/// The table.
#[derive(Clone, Debug)]
pub struct WorkPrecision {
    /// The method of the tightest run.
    pub reference: Integrator,
    /// How far the tightest run is from the second tightest: errors below mean nothing.
    pub doubt: f64,
    /// All runs, method by method, coarse to fine.
    pub points: Vec<WorkPoint>,
    /// Methods that cannot run this, or would run as another one, and why.
    pub left_out: Vec<(Integrator, String)>,
}

/// Keeps the last row of each time of the grid, until time is up.
pub(super) struct Collector {
    pub(super) rows: Vec<(f64, Vec<[f64; 3]>)>,
    deadline: Instant,
    late: bool,
}

impl Collector {
    /// For a run that may take so long.
    pub(super) fn new(most: Duration) -> Self {
        Collector { rows: Vec::new(), deadline: Instant::now() + most.min(LONGEST), late: false }
    }
}

impl Observer for Collector {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        match self.rows.last_mut() {
            // where something happens there are two rows at one time: the second has the state that goes on
            Some(last) if last.0 == frame.t => last.1.clone_from(&frame.positions),
            _ => self.rows.push((frame.t, frame.positions.clone())),
        }
        ControlFlow::Continue(())
    }

    fn step(&mut self, _: f64) -> ControlFlow<()> {
        self.late |= Instant::now() > self.deadline;
        if self.late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Rows at times of the grid: events have rows of their own.
pub(super) fn on_grid(rows: &[(f64, Vec<[f64; 3]>)], output_step: f64, duration: f64) -> Vec<&Vec<[f64; 3]>> {
    let near = |t: f64, k: f64| (t - k * output_step).abs() <= 1e-9 * output_step;
    rows.iter()
        .filter(|(t, _)| near(*t, (t / output_step).round()) || *t == duration)
        .map(|(_, positions)| positions)
        .collect()
}

/// The largest distance between the points of two runs.
pub(super) fn distance(a: &[&Vec<[f64; 3]>], b: &[&Vec<[f64; 3]>]) -> f64 {
    let of_points =
        |p: &[f64; 3], q: &[f64; 3]| p.iter().zip(q).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
    let of_rows = |(p, q): (&&Vec<[f64; 3]>, &&Vec<[f64; 3]>)| {
        p.iter().zip(q.iter()).map(|(p, q)| of_points(p, q)).fold(0.0, f64::max)
    };
    a.iter().zip(b).map(of_rows).fold(0.0, f64::max)
}

/// The formulation in which integrators are compared: one that all of them can work in, where the model leaves it open.
pub fn work_formulation(wanted: Formulation) -> Formulation {
    if wanted == Formulation::Auto { Formulation::Points } else { wanted }
}

impl Mechanism {
    /// Runs the mechanism with every integrator, coarse to fine, each run for at most `most` of wall time. `watch` hears which is
    /// about to run.
    pub fn work_precision(
        &self,
        most: Duration,
        watch: &mut dyn FnMut(Integrator, Fineness),
    ) -> Result<WorkPrecision, Faults> {
        let most = most.min(LONGEST);
        let settings = &self.model.settings;
        let step = settings.step.unwrap_or(settings.output_step);
        let mut run = |integrator: Integrator, fineness: Fineness, most: Duration| {
            watch(integrator, fineness);
            let mut mechanism = self.clone();
            let s = &mut mechanism.model.settings;
            s.integrator = integrator;
            s.formulation = work_formulation(s.formulation);
            s.order = None;
            match fineness {
                Fineness::Tolerance(tolerance) => (s.tolerance, s.step) = (tolerance, None),
                Fineness::Step(step) => s.step = Some(step),
            }
            let mut seen = Collector::new(most);
            let summary = mechanism.run(&mut seen)?;
            Ok::<_, Faults>((summary, seen.rows))
        };
        // the reference may take as long as all runs of a method together
        let long = most * (TOLERANCES.len() as u32 + 1);
        let reference = Integrator::Dop853;
        let mut tightest = Vec::new();
        for tolerance in REFERENCE {
            let (summary, rows) = run(reference, Fineness::Tolerance(tolerance), long)?;
            if summary.status == Status::Finished || tolerance == REFERENCE[3] {
                tightest.push(rows);
            }
            if tightest.len() == 2 {
                break;
            }
        }
        let second = tightest.pop().unwrap_or_default();
        let tight = tightest.pop().unwrap_or_else(|| second.clone());
        let (output_step, duration) = (settings.output_step, settings.duration);
        let tight = on_grid(&tight, output_step, duration);
        let second = on_grid(&second, output_step, duration);
        let mut table = WorkPrecision {
            reference,
            doubt: distance(&tight, &second) / self.size,
            points: Vec::new(),
            left_out: Vec::new(),
        };
        for integrator in Integrator::ALL.into_iter().filter(|&i| i != Integrator::Auto) {
            let finenesses = match integrator.fixed_step() {
                false => TOLERANCES.map(Fineness::Tolerance),
                true => PARTS.map(|part| Fineness::Step(part * step)),
            };
            for fineness in finenesses {
                let (summary, rows) = match run(integrator, fineness, most) {
                    Ok(ran) => ran,
                    Err(faults) => {
                        let why = faults.list.first().map_or(String::new(), |f| f.message.clone());
                        table.left_out.push((integrator, why));
                        break;
                    }
                };
                if let Some(fallback) = &summary.fallback {
                    table.left_out.push((integrator, fallback.to_string()));
                    break;
                }
                let finished = summary.status == Status::Finished;
                let rows = on_grid(&rows, output_step, duration);
                let error =
                    (finished && rows.len() == tight.len()).then(|| distance(&rows, &tight) / self.size);
                table.points.push(WorkPoint { integrator, fineness, error, summary });
                if !finished && !integrator.fixed_step() {
                    break; // a finer one would take longer still
                }
            }
        }
        Ok(table)
    }
}
