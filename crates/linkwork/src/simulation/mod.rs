//! The loop that joins formulation, integrator and observers.
//!
//! Rows fall on multiples of the output step and on the end. Between steps they are read off the dense
//! output and, where the run projects, projected as well, so that every row meets the constraints to
//! rounding.

mod compare;
mod report;
mod summary;
mod trajectory;

pub use compare::{ALLOWANCE, Comparison, Difference, FLOOR, Outcome, SENSITIVE};
pub use report::{mechanism_json, summary_json};
pub use summary::{RunFailure, Status, Summary};
pub use trajectory::Trajectory;

use crate::formulations::{
    Formulate, Joints, Kane, Lagrange, Momentum, MotionError, NewtonEuler, Points, Tmt,
};
use crate::integrate::{Limits, StepError, StepOutcome, Stepper};
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation, Integrator, Severity};
use crate::results::Frame;
use std::ops::ControlFlow;

/// Watches a run. Both calls may end it early.
pub trait Observer {
    /// A result row.
    fn row(&mut self, frame: &Frame) -> ControlFlow<()>;
    /// An accepted step, for progress.
    fn step(&mut self, t: f64) -> ControlFlow<()> {
        let _ = t;
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Frame)> Observer for F {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self(frame);
        ControlFlow::Continue(())
    }
}

impl Mechanism {
    /// Runs the mechanism as its model's settings say. The observer sees every row; the summary tells how
    /// the run ended. An error here means that the run could not begin.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Summary, Faults> {
        let settings = &self.model.settings;
        let objections = settings.formulation.objections(self);
        if objections.iter().any(|f| f.severity == Severity::Error) {
            return Err(Faults { list: objections, provenance: self.model.provenance.clone() });
        }
        let refuse = |fault| Faults { list: vec![fault], provenance: self.model.provenance.clone() };
        Ok(match settings.formulation {
            Formulation::Points => drive(self, &mut Points::new(self).map_err(refuse)?, observer),
            Formulation::Joints => drive(self, &mut Joints::new(self).map_err(refuse)?, observer),
            Formulation::Momentum => drive(self, &mut Momentum::new(self).map_err(refuse)?, observer),
            Formulation::NewtonEuler => drive(self, &mut NewtonEuler::new(self).map_err(refuse)?, observer),
            Formulation::Tmt => drive(self, &mut Tmt::new(self).map_err(refuse)?, observer),
            Formulation::Lagrange => drive(self, &mut Lagrange::new(self).map_err(refuse)?, observer),
            Formulation::Kane => drive(self, &mut Kane::new(self).map_err(refuse)?, observer),
        })
    }

    /// Runs the mechanism and keeps every row.
    pub fn simulate(&self) -> Result<Trajectory, Faults> {
        let mut frames = Vec::new();
        let summary = self.run(&mut |frame: &Frame| frames.push(frame.clone()))?;
        Ok(Trajectory { columns: crate::results::columns(self), frames, summary })
    }
}

/// The time of row k: multiples of the output step, the last one exactly at the end.
fn row_time(k: u64, output_step: f64, duration: f64) -> f64 {
    let t = k as f64 * output_step;
    if t > duration - 1e-9 * output_step { duration } else { t }
}

/// Observes, and lets no number pass that is not finite.
fn observe<F: Formulate>(
    mechanism: &Mechanism,
    system: &mut F,
    t: f64,
    y: &[f64],
    frame: &mut Frame,
    row: &mut Vec<f64>,
) -> Result<(), MotionError> {
    system.observe(t, y, frame)?;
    crate::results::row(mechanism, frame, row);
    match row.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(MotionError::NotFinite {
            what: format!("the result `{}`", crate::results::columns(mechanism)[i].name),
        }),
    }
}

fn drive<F: Formulate>(mechanism: &Mechanism, system: &mut F, observer: &mut dyn Observer) -> Summary {
    let settings = &mechanism.model.settings;
    let n = system.dimension();
    let step = settings.step.unwrap_or(settings.output_step);
    let mut stepper = match settings.integrator {
        Integrator::Dop853 => Stepper::dop853(n, settings.tolerance),
        Integrator::Rk4 => Stepper::rk4(n, step),
        Integrator::Euler => Stepper::euler(n, step),
    };
    let project = settings.projects();
    stepper = stepper
        .with_projection(project)
        .with_limits(Limits { max_steps: settings.max_steps, ..Limits::default() });

    let clock = std::time::Instant::now();
    let mut book = summary::Book::new();
    let mut frame = Frame::new(mechanism);
    let mut y = system.start();
    let mut dy = vec![0.0; n];
    let mut row = Vec::new();
    let status = 'run: {
        if let Err(source) = observe(mechanism, system, 0.0, &y, &mut frame, &mut row) {
            break 'run Status::Failed(RunFailure::new(
                0.0,
                0.0,
                &StepError::System { t: 0.0, source },
                system,
            ));
        }
        book.take(&frame);
        if observer.row(&frame).is_break() {
            break 'run Status::Stopped;
        }
        if let Err(e) = stepper.start(system, 0.0, &y, settings.duration) {
            break 'run Status::Failed(RunFailure::new(0.0, 0.0, &e, system));
        }
        let mut k = 1;
        let mut pace = summary::Pace::new(settings.duration);
        loop {
            let outcome = match stepper.step(system) {
                Ok(outcome) => outcome,
                Err(e) => break 'run Status::Failed(RunFailure::new(stepper.t(), stepper.h(), &e, system)),
            };
            loop {
                let t = row_time(k, settings.output_step, settings.duration);
                let after_end = row_time(k - 1, settings.output_step, settings.duration) >= settings.duration;
                if t > stepper.t() || after_end {
                    break;
                }
                let shown = if t == stepper.t() {
                    y.copy_from_slice(stepper.y());
                    Ok(())
                } else {
                    stepper.interpolate(system, t, &mut y).and_then(|()| match project {
                        true => system
                            .project(t, &mut y, &mut dy)
                            .map_err(|source| StepError::System { t, source }),
                        false => Ok(()),
                    })
                };
                let shown = shown.and_then(|()| {
                    observe(mechanism, system, t, &y, &mut frame, &mut row)
                        .map_err(|source| StepError::System { t, source })
                });
                if let Err(e) = shown {
                    break 'run Status::Failed(RunFailure::new(t, stepper.h(), &e, system));
                }
                book.take(&frame);
                if observer.row(&frame).is_break() {
                    break 'run Status::Stopped;
                }
                k += 1;
            }
            if outcome == StepOutcome::Finished {
                break 'run Status::Finished;
            }
            if let Some(failure) = pace.stalled(stepper.t(), stepper.h()) {
                break 'run Status::Failed(failure);
            }
            if observer.step(stepper.t()).is_break() {
                break 'run Status::Stopped;
            }
        }
    };
    book.finish(mechanism, status, stepper.statistics(), system, clock.elapsed())
}
