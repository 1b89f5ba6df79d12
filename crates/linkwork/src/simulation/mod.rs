//! The loop that joins formulation, integrator and observers.
//!
//! Rows fall on multiples of the output step and on the end. Between steps they are read off the dense
//! output and, where the run projects, projected as well, so that every row meets the constraints to
//! rounding. Where something happens ([`Event`]) there is a row before and a row after it, both at that time.

mod checkpoint;
mod choice;
mod compare;
mod events;
mod failure;
mod lanes;
mod report;
mod singular;
mod summary;
mod trajectory;
mod work_precision;

pub use checkpoint::{Checkpoint, CheckpointError};
pub(crate) use choice::lane_stepper;
pub use compare::{ALLOWANCE, Comparison, Difference, FLOOR, Outcome, SENSITIVE};
pub use events::{ContactImpulse, CsvEvents, Event, EventKind, JointImpulse, write_events};
pub use failure::RunFailure;
pub(crate) use lanes::drive_lanes;
pub use report::{mechanism_json, summary_json};
pub use summary::{Fallback, KEPT_EVENTS, Remark, Status, Summary};
pub use trajectory::Trajectory;
pub use work_precision::{Fineness, WorkPoint, WorkPrecision, work_formulation};

use crate::Error;
use crate::contact::Contacting;
use crate::formulations::{
    Formulate, Joints, Kane, Lagrange, Momentum, MotionError, NewtonEuler, Points, Recursive, Tmt, Varying,
};
use crate::integrate::{StepError, StepOutcome, Stepper};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, Integrator, Severity};
use crate::results::Frame;
use choice::Choice;
use events::{Events, Hit, Trouble};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Watches a run. Most calls may end it early.
pub trait Observer {
    /// A result row.
    fn row(&mut self, frame: &Frame) -> ControlFlow<()>;
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
        checkpoint.belongs_to(&self.model)?;
        self.run_from(Some(checkpoint), observer)
    }

    fn run_from(&self, from: Option<&Checkpoint>, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let settings = &self.model.settings;
        let chosen = self.formulation();
        let formulation = chosen.0;
        let mut objections = formulation.objections(self);
        objections.extend(settings.integrator.objection(self));
        let faults = |list| Error::Model(Faults { list, provenance: self.model.provenance.clone() });
        if objections.iter().any(|f| f.severity == Severity::Error) {
            return Err(faults(objections));
        }
        let refuse = |fault| faults(vec![fault]);
        match formulation {
            // never what the choice ends with
            Formulation::Auto | Formulation::Recursive => {
                drive_any(self, chosen, Recursive::new(self).map_err(refuse)?, from, observer)
            }
            Formulation::Points => {
                drive_any(self, chosen, Points::new(self).map_err(refuse)?, from, observer)
            }
            Formulation::Joints => {
                drive_any(self, chosen, Joints::new(self).map_err(refuse)?, from, observer)
            }
            Formulation::Momentum => {
                drive_any(self, chosen, Momentum::new(self).map_err(refuse)?, from, observer)
            }
            Formulation::NewtonEuler => {
                drive_any(self, chosen, NewtonEuler::new(self).map_err(refuse)?, from, observer)
            }
            Formulation::Tmt => drive_any(self, chosen, Tmt::new(self).map_err(refuse)?, from, observer),
            Formulation::Lagrange => {
                drive_any(self, chosen, Lagrange::new(self).map_err(refuse)?, from, observer)
            }
            Formulation::Kane => drive_any(self, chosen, Kane::new(self).map_err(refuse)?, from, observer),
        }
    }

    /// The ordinary run of a system that was made from this mechanism, with a start or forces of its own.
    pub(crate) fn run_system(
        &self,
        system: Recursive<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Summary, Faults> {
        let settings = &self.model.settings;
        let mut objections = Formulation::Recursive.objections(self);
        objections.extend(settings.integrator.objection(self));
        if !matches!(settings.formulation, Formulation::Auto | Formulation::Recursive) {
            let message = format!(
                "a start or inputs in joint variables need the formulation `recursive`, not `{}`",
                settings.formulation.name()
            );
            objections.push(Fault::error("simulation.formulation", message));
        }
        let refuse = |list| Faults { list, provenance: self.model.provenance.clone() };
        if objections.iter().any(|f| f.severity == Severity::Error) {
            return Err(refuse(objections));
        }
        let auto = settings.formulation == Formulation::Auto;
        let why = auto.then(|| "the start or the inputs are in joint variables".to_owned());
        drive_any(self, (Formulation::Recursive, why), system, None, observer).map_err(|error| match error {
            Error::Model(faults) => faults,
            other => refuse(vec![Fault::error("simulation", other.to_string())]),
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

/// With contacts and masses that vary only where there are any: others pay nothing.
fn drive_any<'m, F: Formulate + 'm>(
    mechanism: &'m Mechanism,
    chosen: (Formulation, Option<String>),
    mut system: F,
    from: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<Summary, Error> {
    let plain = mechanism.contacts.is_empty();
    if !mechanism.masses.is_empty() {
        // below the contacts: they see the true masses
        let mut system = Varying::new(mechanism, system);
        match plain {
            true => drive(mechanism, chosen, &mut system, from, observer),
            false => drive(mechanism, chosen, &mut Contacting::new(mechanism, system), from, observer),
        }
    } else if plain {
        drive(mechanism, chosen, &mut system, from, observer)
    } else {
        drive(mechanism, chosen, &mut Contacting::new(mechanism, system), from, observer)
    }
}

/// The most components of a state that `radau5` takes: its matrices are dense, 32 MB each here and twice that for the complex one.
const MOST_DENSE: usize = 2000;

fn drive<F: Formulate>(
    mechanism: &Mechanism,
    (formulation, formulation_chosen): (Formulation, Option<String>),
    system: &mut F,
    from: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<Summary, Error> {
    let (n, integrator) = (system.dimension(), mechanism.model.settings.integrator);
    if integrator == Integrator::Radau5 && n > MOST_DENSE {
        let message = format!(
            "`radau5` works with dense matrices, for at most {MOST_DENSE} components of the state; here are {n}"
        );
        let list = vec![Fault::error("simulation.integrator", message)];
        return Err(Error::Model(Faults { list, provenance: mechanism.model.provenance.clone() }));
    }
    let mut run = Run::new(mechanism, formulation, system, observer);
    let outcome = match from {
        None => run.begin(),
        Some(checkpoint) => {
            run.recall(checkpoint)?;
            run.check_state().map(|()| None)
        }
    };
    let status = outcome.and_then(|ended| ended.map_or_else(|| run.drive(), Ok));
    let status = match status {
        Ok(status) | Err(status) => status,
    };
    let wall = run.wall();
    let Run {
        book, stepper, happened, event_count, singular, mut remarks, fallback, integrator, why, ..
    } = run;
    singular.finish(&mut remarks);
    if mechanism.model.settings.fixed_step().is_some() && stepper.statistics().leaps > 0 {
        let leaps = stepper.statistics().leaps;
        let message = format!(
            "the projection onto the constraints moved the mechanism by more than a hundredth of its size in {leaps} steps: the motion may have changed its branch, \
             take a smaller `step`"
        );
        remarks.push(Remark { t: None, code: "branch", message });
    }
    let statistics = stepper.statistics();
    let summary = book.finish(mechanism, status, statistics, system, wall, happened);
    Ok(Summary {
        formulation,
        formulation_chosen,
        integrator,
        chosen: why,
        fallback,
        event_count,
        remarks,
        ..summary
    })
}

/// A run under way.
struct Run<'a, 'm, F> {
    mechanism: &'m Mechanism,
    system: &'a mut F,
    observer: &'a mut dyn Observer,
    stepper: Stepper,
    project: bool,
    book: summary::Book,
    events: Option<Events<'m>>,
    /// The first events, and how many there were.
    happened: Vec<Event>,
    event_count: u64,
    singular: singular::SingularWatch,
    remarks: Vec<Remark>,
    frame: Frame,
    /// A state that is looked at.
    y: Vec<f64>,
    dy: Vec<f64>,
    row: Vec<f64>,
    /// The next row.
    k: u64,
    pace: summary::Pace,
    clock: Instant,
    /// Wall time before the run was resumed.
    before: Duration,
    fallback: Option<Fallback>,
    integrator: Integrator,
    why: Option<String>,
}

impl<'a, 'm, F: Formulate> Run<'a, 'm, F> {
    fn new(
        mechanism: &'m Mechanism,
        formulation: Formulation,
        system: &'a mut F,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let settings = &mechanism.model.settings;
        let n = system.dimension();
        let y = system.start();
        let Choice { stepper, integrator, why, fallback } =
            choice::choose(mechanism, formulation, system, &y);
        let project = settings.projects();
        Run {
            stepper: choice::limited(stepper, mechanism),
            project,
            book: summary::Book::new(),
            events: Events::new(mechanism),
            happened: Vec::new(),
            event_count: 0,
            singular: singular::SingularWatch::new(),
            remarks: Vec::new(),
            frame: Frame::new(mechanism),
            y,
            dy: vec![0.0; n],
            row: Vec::new(),
            k: 1,
            pace: summary::Pace::new(settings.duration),
            clock: Instant::now(),
            before: Duration::ZERO,
            fallback,
            integrator,
            why,
            mechanism,
            system,
            observer,
        }
    }

    fn failed(&self, t: f64, error: &StepError<MotionError>) -> Status {
        Status::Failed(RunFailure::new(self.mechanism, t, error, &self.stepper, self.system))
    }

    fn in_trouble(&self, t: f64, trouble: &Trouble) -> Status {
        match trouble {
            Trouble::Step(error) => self.failed(t, error),
            Trouble::PileUp(message) => {
                let advice = "look for locks, limits or contacts that set each other off";
                Status::Failed(RunFailure::plain(
                    t,
                    self.stepper.h(),
                    "events-pile-up",
                    message.clone(),
                    advice,
                ))
            }
        }
    }

    /// Shows the state `y` as a row.
    fn show(&mut self, t: f64) -> Result<(), Status> {
        let shown = observe(self.mechanism, self.system, t, &self.y, &mut self.frame, &mut self.row);
        if let Err(source) = shown {
            return Err(self.failed(t, &StepError::System { t, source }));
        }
        self.book.take(&self.frame);
        if self.observer.row(&self.frame).is_break() { Err(Status::Stopped) } else { Ok(()) }
    }

    /// The state at a time inside the last step, into `y`.
    fn look_at(&mut self, t: f64) -> Result<(), Status> {
        let found = if t == self.stepper.t() {
            self.y.copy_from_slice(self.stepper.y());
            Ok(())
        } else {
            self.stepper.interpolate(self.system, t, &mut self.y).and_then(|()| match self.project {
                true => self
                    .system
                    .project(t, &mut self.y, &mut self.dy)
                    .map_err(|source| StepError::System { t, source }),
                false => Ok(()),
            })
        };
        found.map_err(|e| self.failed(t, &e))
    }

    /// Shows the rows of the last step up to a time; where something happens then, its rows come instead of one there.
    fn show_rows(&mut self, until: f64, happens: bool) -> Result<(), Status> {
        let settings = &self.mechanism.model.settings;
        let (output_step, duration) = (settings.output_step, settings.duration);
        loop {
            let t = row_time(self.k, output_step, duration);
            let after_end = row_time(self.k - 1, output_step, duration) >= duration;
            let same = (t - until).abs() <= 1e-9 * output_step && (t < duration || t == until);
            if happens && !after_end && same {
                self.k += 1;
                return Ok(());
            }
            if t > until || after_end {
                return Ok(());
            }
            self.look_at(t)?;
            self.show(t)?;
            self.k += 1;
        }
    }

    /// Where the next stretch of smooth motion ends at the latest.
    fn next_end(&self, t: f64) -> f64 {
        let edge = self.mechanism.next_edge(t);
        self.events.as_ref().map_or(edge, |events| events.next_time(t).min(edge))
    }

    fn wall(&self) -> Duration {
        self.before + self.clock.elapsed()
    }

    /// Whether the state that a run goes on from can be one.
    fn check_state(&self) -> Result<(), Status> {
        let t = self.stepper.t();
        let numbers = self.stepper.y().iter().chain(self.stepper.dy());
        match numbers.enumerate().find(|(_, x)| !x.is_finite()) {
            None => Ok(()),
            Some((i, _)) => {
                let component = i % self.stepper.y().len();
                Err(self.failed(t, &StepError::NotFinite { t, component }))
            }
        }
    }

    /// Tells what has happened.
    fn tell_events(&mut self) -> Result<(), Status> {
        let Some(events) = &mut self.events else { return Ok(()) };
        for event in events.take() {
            self.event_count += 1;
            let flow = self.observer.event(&event);
            if self.happened.len() < KEPT_EVENTS || event.kind == EventKind::Stop {
                self.happened.push(event);
            }
            if flow.is_break() {
                return Err(Status::Stopped);
            }
        }
        Ok(())
    }

    /// The first rows and the start of the integration. Tells how the run ended, if it did.
    fn begin(&mut self) -> Result<Option<Status>, Status> {
        self.show(0.0)?;
        if let Some(events) = &mut self.events {
            let handled = events.begin(self.system, &mut self.y);
            self.tell_events()?;
            match handled {
                Err(trouble) => return Err(self.in_trouble(0.0, &trouble)),
                Ok(handled) => {
                    if handled.changed {
                        self.show(0.0)?;
                    }
                    if handled.stops {
                        return Ok(Some(Status::Finished));
                    }
                }
            }
        }
        let end = self.next_end(0.0);
        if let Err(e) = self.stepper.start(self.system, 0.0, &self.y, end) {
            return Err(self.failed(0.0, &e));
        }
        self.singular.begin(self.system);
        Ok(None)
    }

    /// Steps until something ends the run.
    fn drive(&mut self) -> Result<Status, Status> {
        let duration = self.mechanism.model.settings.duration;
        loop {
            let outcome = match self.stepper.step(self.system) {
                Ok(outcome) => outcome,
                Err(e) => return Err(self.failed(self.stepper.t(), &e)),
            };
            if let Err(e) = self.singular.look(self.system, &mut self.stepper, &mut self.remarks) {
                return Err(self.failed(self.stepper.t(), &e));
            }
            let hit = match &mut self.events {
                None => None,
                Some(events) => match events.search(self.system, &mut self.stepper) {
                    Ok(hit) => hit,
                    Err(trouble) => return Err(self.in_trouble(self.stepper.t(), &trouble)),
                },
            };
            let finished = hit.is_none() && outcome == StepOutcome::Finished;
            let ended = finished && self.stepper.t() < duration;
            let told = finished && self.events.as_ref().is_some_and(|events| events.tells(self.stepper.t()));
            let until = hit.as_ref().map_or(self.stepper.t(), |hit| hit.t);
            self.show_rows(until, hit.is_some() || told)?;
            if hit.is_some() || told {
                if self.happen(until, hit.as_ref())? {
                    return Ok(Status::Finished);
                }
            } else if ended {
                // a corner of a function of time: the next stretch starts anew
                self.look_at(until)?;
                self.restart(until)?;
            } else if outcome == StepOutcome::Finished {
                return Ok(Status::Finished);
            }
            if let Some(failure) = self.pace.stalled(self.stepper.t(), self.stepper.h()) {
                return Err(Status::Failed(failure));
            }
            if self.observer.wants_checkpoint(self.stepper.t()) {
                let checkpoint = self.checkpoint();
                if self.observer.checkpoint(checkpoint).is_break() {
                    return Err(Status::Stopped);
                }
            }
            if self.observer.step(self.stepper.t()).is_break() {
                return Err(Status::Stopped);
            }
        }
    }

    /// Goes on from the state in `y`.
    fn restart(&mut self, t: f64) -> Result<(), Status> {
        self.stepper.set_end(self.next_end(t));
        self.stepper.restart(self.system, t, &self.y).map_err(|e| self.failed(t, &e))?;
        self.singular.begin(self.system);
        Ok(())
    }

    /// An event: a row before and one after it, and a new start. Tells whether the run ends here.
    fn happen(&mut self, t: f64, hit: Option<&Hit>) -> Result<bool, Status> {
        self.look_at(t)?;
        let turns = |hit: &Hit| self.events.as_ref().is_some_and(|events| events.only_turns(hit.watch));
        if !hit.is_some_and(turns) {
            self.show(t)?;
        }
        let Some(events) = &mut self.events else { return Ok(false) };
        let handled = events.handle(self.system, t, &mut self.y, hit);
        self.tell_events()?;
        let handled = handled.map_err(|trouble| self.in_trouble(t, &trouble))?;
        if handled.changed {
            self.show(t)?;
        }
        if handled.stops || t >= self.mechanism.model.settings.duration {
            return Ok(true);
        }
        self.restart(t)?;
        Ok(false)
    }
}
