//! The loop that joins formulation, integrator and observers.
//!
//! Rows fall on multiples of the output step and on the end. Between steps they are read off the dense
//! output and, where the run projects, projected as well, so that every row meets the constraints to
//! rounding. Where something happens ([`Event`]) there is a row before and a row after it, both at that time.

mod accounts;
mod agreement;
mod checkpoint;
mod choice;
mod compare;
mod contact_method;
mod convert;
mod events;
mod failure;
mod going_on;
mod impasse;
mod instant;
mod instant_derivatives;
mod instant_motion;
mod lanes;
mod ledger;
mod matrix;
mod narrow;
mod outputs;
mod outside;
mod pieces;
mod probe;
mod replay;
#[cfg(feature = "file")]
mod report;
mod rest;
mod run;
mod schedule;
mod singular;
mod stage;
mod stages;
mod state;
mod stepping;
mod stiffness;
mod summary;
mod too_long;
mod trajectory;
mod virtual_work;
mod witness;
mod work_precision;

pub use checkpoint::Checkpoint;
pub(crate) use choice::lane_stepper;
pub use compare::{ALLOWANCE, Comparison, Difference, FLOOR, Outcome, SENSITIVE};
pub use events::{ContactImpulse, Event, EventKind, JointImpulse};
#[cfg(feature = "file")]
pub use events::{CsvEvents, write_events};
pub use instant::Instant;
pub use instant_derivatives::AccelerationDerivatives;
pub(crate) use lanes::drive_lanes;
pub use matrix::{Cell, Matrix};
pub use outputs::Outputs;
pub use outside::{HandId, WrenchId};
pub(crate) use pieces::{Piece, Pieces};
pub(crate) use probe::Probe;
#[cfg(feature = "file")]
pub use report::{event_json, mechanism_json, particles_json, summary_json};
pub(crate) use rest::Rest;
pub use rest::RestMethod;
pub use schedule::{InputSchedule, Steer};
pub use state::{ConditionMode, ContactMode, FrictionMode, LimitMode, Modes, Moved, State};
pub use stepping::{InputId, Progress, Saved, Simulation};
pub use summary::{BalanceGaps, Fallback, KEPT_EVENTS, Remark, Status, Summary};
pub use trajectory::Trajectory;
pub use virtual_work::Witness;
pub use work_precision::{Fineness, WorkPoint, WorkPrecision, work_formulation};

use crate::Error;
pub use crate::error::{CheckpointError, RunFailure};
use crate::formulations::Recursive;
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, Severity};
use crate::results::{Frame, Table};
pub(crate) use run::observe;
use run::row_time;
use std::ops::ControlFlow;

/// Watches a run. Most calls may end it early.
pub trait Observer {
    /// A result row.
    fn row(&mut self, frame: &Frame) -> ControlFlow<()>;
    /// Whether rows are wanted at all. What nobody looks at is not computed.
    fn wants_rows(&self) -> bool {
        true
    }
    /// Something that happened, in order.
    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        let _ = event;
        ControlFlow::Continue(())
    }
    /// Whether a [`Checkpoint`] is wanted here: asked after each accepted step, when its rows have been shown. Whether and how often one is taken changes
    /// nothing in the results.
    fn wants_checkpoint(&mut self, t: f64) -> bool {
        let _ = t;
        false
    }
    /// The checkpoint that was wanted. Rows and events shown so far are those before it.
    fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
        let _ = checkpoint;
        ControlFlow::Continue(())
    }
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
        self.run_from(None, observer).map_err(|error| match error {
            Error::Model(faults) => faults,
            // without files and checkpoints there are no other errors
            other => Faults { list: vec![Fault::error("simulation", other.to_string())], provenance: None },
        })
    }

    /// Goes on from a checkpoint of the same model with the same settings. The observer sees the rows and events that come after it, and they have
    /// the bits that they would have had without the interruption; the summary is that of the whole run.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if the checkpoint is of another model, of other settings, or damaged.
    pub fn resume(&self, checkpoint: &Checkpoint, observer: &mut dyn Observer) -> Result<Summary, Error> {
        checkpoint.belongs_to(self)?;
        self.run_from(Some(checkpoint), observer)
    }

    fn run_from(&self, from: Option<&Checkpoint>, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let mut summary = self.run_once(from, observer)?;
        if let Status::Failed(failure) = summary.status {
            summary.status = Status::Failed(self.blame_step(failure));
        }
        Ok(summary)
    }

    fn run_once(&self, from: Option<&Checkpoint>, observer: &mut dyn Observer) -> Result<Summary, Error> {
        self.ready(from, observer)?.run(observer)
    }

    /// The ordinary run of a system that was made from this mechanism, with a start or forces of its own.
    pub(crate) fn run_system(
        &self,
        system: Recursive<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Summary, Faults> {
        let settings = &self.model.settings;
        let mut unsupported = Formulation::Recursive.unsupported(self);
        unsupported.extend(settings.integrator.objection(self));
        if !matches!(settings.formulation, Formulation::Auto | Formulation::Recursive) {
            let message = format!(
                "a start or inputs in joint variables need the formulation `recursive`, not `{}`",
                settings.formulation.name()
            );
            unsupported.push(Fault::error("simulation.formulation", message));
        }
        let refuse = |list| Faults { list, provenance: self.model.provenance.clone() };
        if unsupported.iter().any(|f| f.severity == Severity::Error) {
            return Err(refuse(unsupported));
        }
        let auto = settings.formulation == Formulation::Auto;
        let why = auto.then(|| "the start or the inputs are in joint variables".to_owned());
        match self.ready_system(system, why, observer).and_then(|simulation| simulation.run(observer)) {
            Ok(summary) => Ok(summary),
            Err(Error::Model(faults)) => Err(faults),
            Err(other) => Err(refuse(vec![Fault::error("simulation", other.to_string())])),
        }
    }

    /// Runs the mechanism and keeps the columns of its results: less memory than all that [`simulate`](Self::simulate) keeps.
    pub fn record(&self) -> Result<(Table, Summary), Faults> {
        let mut table = Table::new(self);
        let summary = self.run(&mut |frame: &Frame| table.push(self, frame))?;
        Ok((table, summary))
    }

    /// Runs the mechanism and keeps every row.
    pub fn simulate(&self) -> Result<Trajectory, Faults> {
        let mut frames = Vec::new();
        let summary = self.run(&mut |frame: &Frame| frames.push(frame.clone()))?;
        Ok(Trajectory { columns: crate::results::columns(self), frames, summary })
    }
}
