//! How a run went.

use super::{Event, EventKind};
use crate::formulations::{Counters, Formulate, MotionError};
use crate::integrate::{Statistics, StepError};
use crate::mechanism::Mechanism;
use crate::results::Frame;
use std::time::Duration;

/// Why a run failed: when, at which step, and what is worst.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFailure {
    /// Time reached, s.
    pub t: f64,
    /// Step size tried, s.
    pub step: f64,
    /// A short name for programs: `step-too-small`, `not-finite`, ...
    pub code: &'static str,
    /// What happened, with the name of the body, joint or point concerned.
    pub message: String,
}

impl RunFailure {
    pub(super) fn new<F: Formulate>(t: f64, step: f64, error: &StepError<MotionError>, system: &F) -> Self {
        let (code, message) = match error {
            StepError::StepTooSmall { h, .. } => (
                "step-too-small",
                format!("the step size fell to {h:.3e} s: forces change too fast, or the motion ends here"),
            ),
            StepError::TooManySteps { steps, .. } => {
                ("too-many-steps", format!("{steps} steps were taken (max_steps); the model may be stiff"))
            }
            StepError::TooManyRejections { in_a_row, .. } => {
                ("too-many-rejections", format!("{in_a_row} steps in a row were rejected"))
            }
            StepError::NotFinite { component, .. } => {
                ("not-finite", format!("{} is not a finite number", system.component_name(*component)))
            }
            StepError::System { source, .. } => match source {
                MotionError::NotConverged { .. } => (
                    "not-converged",
                    format!(
                        "{source}; a smaller step may help, unless drivers or locks contradict each other or the joints"
                    ),
                ),
                MotionError::Massless { .. } | MotionError::SingularMass { .. } => {
                    ("undetermined", source.to_string())
                }
                MotionError::Jammed { .. } => ("jammed", source.to_string()),
                MotionError::Contact { .. } => ("contact", source.to_string()),
                MotionError::NotFinite { .. } => ("not-finite", source.to_string()),
            },
        };
        RunFailure { t, step, code, message }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It reached the end.
    Finished,
    /// An observer ended it.
    Stopped,
    /// It could not go on; the rows so far are good.
    Failed(RunFailure),
}

/// Statistics of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How it ended.
    pub status: Status,
    /// Time of the last row, s.
    pub t: f64,
    /// Result rows.
    pub rows: u64,
    /// Integrator's statistics.
    pub steps: Statistics,
    /// Formulation's statistics.
    pub counters: Counters,
    /// Coordinates of the formulation.
    pub coordinates: usize,
    /// Unknowns of the linear system solved for accelerations and reactions.
    pub unknowns: usize,
    /// Wall time.
    pub wall: Duration,
    /// Largest |E − E₀ − W| over the rows, J: energy that neither dampers nor couples account for.
    pub energy_drift: f64,
    /// Largest energy of the run that the drift compares to: the largest kinetic energy, or the
    /// largest change of potential energy, J.
    pub energy_scale: f64,
    /// Largest constraint residual over the rows, m.
    pub constraint_residual: f64,
    /// Largest constraint rate over the rows, m/s.
    pub velocity_residual: f64,
    /// Largest extent of the mechanism, m.
    pub size: f64,
    /// What happened on the way, in order.
    pub events: Vec<Event>,
}

impl Summary {
    /// The condition that ended the run before its time, and when, s.
    pub fn stopped_by(&self) -> Option<(&str, f64)> {
        let stop = self.events.last().filter(|event| event.kind == EventKind::Stop)?;
        Some((&stop.name, stop.t))
    }

    /// The energy drift relative to the energies of the run.
    pub fn relative_energy_drift(&self) -> f64 {
        if self.energy_scale > 0.0 { self.energy_drift / self.energy_scale } else { self.energy_drift }
    }
}

/// Notices a run that takes steps without getting anywhere.
pub(super) struct Pace {
    duration: f64,
    steps: u64,
    t: f64,
}

impl Pace {
    /// Every so many steps,
    const STEPS: u64 = 20_000;
    /// at least this part of the duration must have passed.
    const PART: f64 = 1e-6;

    pub(super) fn new(duration: f64) -> Self {
        Pace { duration, steps: 0, t: 0.0 }
    }

    /// Counts an accepted step.
    pub(super) fn stalled(&mut self, t: f64, step: f64) -> Option<RunFailure> {
        self.steps += 1;
        if !self.steps.is_multiple_of(Self::STEPS) {
            return None;
        }
        let moved = t - std::mem::replace(&mut self.t, t);
        (moved < Self::PART * self.duration).then(|| RunFailure {
            t,
            step,
            code: "stalled",
            message: format!(
                "the last {} steps advanced the time by {moved:.1e} s only: the model is stiff or its motion undetermined",
                Self::STEPS
            ),
        })
    }
}

/// Keeps the books while rows go by.
pub(super) struct Book {
    first: Option<(f64, f64)>,
    t: f64,
    rows: u64,
    energy_drift: f64,
    energy_scale: f64,
    constraint_residual: f64,
    velocity_residual: f64,
}

impl Book {
    pub(super) fn new() -> Self {
        Book {
            first: None,
            t: 0.0,
            rows: 0,
            energy_drift: 0.0,
            energy_scale: 0.0,
            constraint_residual: 0.0,
            velocity_residual: 0.0,
        }
    }

    pub(super) fn take(&mut self, frame: &Frame) {
        let &mut (energy, potential) = self.first.get_or_insert((frame.energy(), frame.potential));
        self.rows += 1;
        self.t = frame.t;
        self.energy_drift = self.energy_drift.max((frame.energy() - energy - frame.work).abs());
        self.energy_scale = self.energy_scale.max(frame.kinetic).max((frame.potential - potential).abs());
        self.constraint_residual = self.constraint_residual.max(frame.constraint_residual);
        self.velocity_residual = self.velocity_residual.max(frame.velocity_residual);
    }

    pub(super) fn finish<F: Formulate>(
        self,
        mechanism: &Mechanism,
        status: Status,
        steps: &Statistics,
        system: &F,
        wall: Duration,
        events: Vec<Event>,
    ) -> Summary {
        let (coordinates, unknowns) = system.sizes();
        Summary {
            status,
            t: self.t,
            rows: self.rows,
            steps: *steps,
            counters: system.counters(),
            coordinates,
            unknowns,
            wall,
            energy_drift: self.energy_drift,
            energy_scale: self.energy_scale,
            constraint_residual: self.constraint_residual,
            velocity_residual: self.velocity_residual,
            size: mechanism.size,
            events,
        }
    }
}
