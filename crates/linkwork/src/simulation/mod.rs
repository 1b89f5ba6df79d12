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
mod drive;
mod events;
mod failure;
mod impasse;
mod lanes;
mod ledger;
mod matrix;
mod narrow;
mod report;
mod singular;
mod stages;
mod stiffness;
mod summary;
mod too_long;
mod trajectory;
mod virtual_work;
mod witness;
mod work_precision;

pub use checkpoint::{Checkpoint, CheckpointError};
pub(crate) use choice::lane_stepper;
pub use compare::{ALLOWANCE, Comparison, Difference, FLOOR, Outcome, SENSITIVE};
pub use events::{ContactImpulse, CsvEvents, Event, EventKind, JointImpulse, write_events};
pub use failure::RunFailure;
pub(crate) use lanes::drive_lanes;
pub use matrix::{Cell, Matrix};
pub use report::{mechanism_json, particles_json, summary_json};
pub use summary::{BookGaps, Fallback, KEPT_EVENTS, Remark, Status, Summary};
pub use trajectory::Trajectory;
pub use virtual_work::Witness;
pub use work_precision::{Fineness, WorkPoint, WorkPrecision, work_formulation};

use crate::Error;
use crate::formulations::{
    Formulate, Joints, Kane, Lagrange, Momentum, MotionError, NewtonEuler, Points, Recursive, Tmt,
};
use crate::integrate::{StepError, StepOutcome, Stepper};
use crate::interactions::Workspace;
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, Integrator, Severity};
use crate::results::Frame;
use choice::Choice;
use drive::{Drive, Ended, Entry};
use events::{Edit, Events, Hit, Occasion, Trouble};
use ledger::Ledger;
use stages::Carried;
use std::ops::ControlFlow;
use std::sync::Arc;

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
        let mut ledger = Ledger::new(&self.model.settings);
        // what it consists of may change: then another mechanism goes on
        let mut stage: Option<Arc<Mechanism>> = match from {
            None => None,
            Some(checkpoint) => checkpoint.stage(self, &mut ledger)?.map(Arc::new),
        };
        if from.is_none() && self.start_time > 0.0 {
            // it goes on from another one: rows are at the same times
            ledger.k = 1 + (self.start_time / self.model.settings.output_step * (1.0 + 1e-12)) as u64;
        }
        let mut entry = from.map_or(Entry::Begin, Entry::Recall);
        loop {
            let mechanism = stage.as_deref().unwrap_or(self);
            let next = match mechanism.run_stage(&mut ledger, entry, stage.as_ref(), observer)? {
                Ended::Run(summary) => return Ok(*summary),
                Ended::Stage(next) => next,
            };
            stage = Some(Arc::new(next.mechanism));
            entry = Entry::GoOn(Box::new(next.state));
        }
    }

    /// Runs until what the mechanism consists of changes, or the run ends.
    fn run_stage(
        &self,
        ledger: &mut Ledger,
        entry: Entry<'_>,
        stage: Option<&Arc<Mechanism>>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, Error> {
        let settings = &self.model.settings;
        let keeps = match &entry {
            Entry::Begin => false,
            // what the stage had
            Entry::Recall(_) => true,
            Entry::GoOn(carried) => carried.keeps_choices(self),
        };
        if !keeps {
            ledger.forget_choices();
        }
        let chosen = ledger.formulation.clone().unwrap_or_else(|| self.formulation());
        let formulation = chosen.0;
        let mut objections = formulation.objections(self);
        objections.extend(settings.integrator.objection(self));
        let faults = |list| Error::Model(Faults { list, provenance: self.model.provenance.clone() });
        if objections.iter().any(|f| f.severity == Severity::Error) {
            return Err(faults(objections));
        }
        let refuse = |fault| faults(vec![fault]);
        let mut drive = Drive { mechanism: self, stage, ledger, entry, observer };
        match formulation {
            // never what the choice ends with
            Formulation::Auto | Formulation::Recursive => {
                drive.any(chosen, Recursive::new(self).map_err(refuse)?)
            }
            Formulation::Points => drive.any(chosen, Points::new(self).map_err(refuse)?),
            Formulation::Joints => drive.any(chosen, Joints::new(self).map_err(refuse)?),
            Formulation::Momentum => drive.any(chosen, Momentum::new(self).map_err(refuse)?),
            Formulation::NewtonEuler => drive.any(chosen, NewtonEuler::new(self).map_err(refuse)?),
            Formulation::Tmt => drive.any(chosen, Tmt::new(self).map_err(refuse)?),
            Formulation::Lagrange => drive.any(chosen, Lagrange::new(self).map_err(refuse)?),
            Formulation::Kane => drive.any(chosen, Kane::new(self).map_err(refuse)?),
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
        let mut ledger = Ledger::new(settings);
        let entry = Entry::Begin;
        let mut drive = Drive { mechanism: self, stage: None, ledger: &mut ledger, entry, observer };
        match drive.any((Formulation::Recursive, why), system) {
            Ok(Ended::Run(summary)) => Ok(*summary),
            Ok(Ended::Stage(_)) => {
                let message = "what the mechanism consists of changes, its start and its inputs in joint variables cannot";
                Err(refuse(vec![Fault::error("simulation", message)]))
            }
            Err(Error::Model(faults)) => Err(faults),
            Err(other) => Err(refuse(vec![Fault::error("simulation", other.to_string())])),
        }
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
    crate::results::own_row(mechanism, frame, row);
    match row.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(MotionError::NotFinite { what: culprit(mechanism, t, frame, i) }),
    }
}

/// What a result that is not finite comes from: a driver, force or measure whose expression has no value where the mechanism is, or the result itself.
fn culprit(mechanism: &Mechanism, t: f64, frame: &Frame, column: usize) -> String {
    let interactions = &mechanism.interactions;
    let result = format!("the result `{}`", crate::results::own_columns(mechanism)[column].name);
    if !frame.positions.iter().chain(&frame.velocities).flatten().all(|x| x.is_finite()) {
        return result;
    }
    let mut ws = Workspace::new(interactions, mechanism.bodies.len());
    ws.motions.clone_from(&frame.motions);
    ws.switches.clone_from(&frame.switches);
    let found = ws.trouble(interactions, t, &frame.extras);
    let found = found.or_else(|| ws.trouble_of_measures(interactions, t, &frame.extras));
    match found {
        Some((name, why)) if !why.is_empty() => {
            format!("what {} does ({why})", crate::formulations::marked(&name))
        }
        _ => result,
    }
}

/// Why a stage pauses.
enum Pause {
    /// The run ends.
    End(Status),
    /// What the mechanism consists of changes, s; and what is told of it.
    Change(f64, Vec<Edit>, Vec<Event>),
}

/// A run under way.
struct Run<'a, 'm, F> {
    mechanism: &'m Mechanism,
    system: &'a mut F,
    observer: &'a mut dyn Observer,
    stepper: Stepper,
    project: bool,
    ledger: &'a mut Ledger,
    events: Option<Events<'m>>,
    singular: singular::SingularWatch,
    narrow: narrow::NarrowWatch<'m>,
    /// Whether work is added up once more.
    witnessed: bool,
    frame: Frame,
    /// Whether books of momentum are kept, and what they are made from.
    books: bool,
    looked: Frame,
    acts: Workspace,
    /// A state that is looked at.
    y: Vec<f64>,
    dy: Vec<f64>,
    row: Vec<f64>,
    fallback: Option<Fallback>,
    formulation: Formulation,
    integrator: Integrator,
    why: Option<String>,
    /// Whether the integrator may be exchanged on the way.
    adapts: bool,
}

impl<'a, 'm, F: Formulate> Run<'a, 'm, F> {
    fn new(
        mechanism: &'m Mechanism,
        formulation: Formulation,
        system: &'a mut F,
        ledger: &'a mut Ledger,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let settings = &mechanism.model.settings;
        let n = system.dimension();
        let y = system.start();
        let Choice { stepper, integrator, why, fallback } =
            choice::choose(mechanism, formulation, system, &y, ledger.integrator.as_ref());
        ledger.integrator = Some((integrator, why.clone()));
        let project = settings.projects();
        Run {
            stepper: choice::limited(stepper, mechanism, ledger.step, ledger.statistics.accepted_steps),
            project,
            events: Events::new(mechanism),
            singular: singular::SingularWatch::new(),
            narrow: narrow::NarrowWatch::new(mechanism),
            witnessed: witness::has_plain_powers(mechanism),
            frame: Frame::new(mechanism),
            books: mechanism.keeps_books(),
            looked: Frame::new(mechanism),
            acts: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            y,
            dy: vec![0.0; n],
            row: Vec::new(),
            ledger,
            fallback,
            formulation,
            integrator,
            why,
            adapts: settings.integrator == Integrator::Auto && settings.step.is_none(),
            mechanism,
            system,
            observer,
        }
    }

    fn failed(&mut self, t: f64, error: &StepError<MotionError>) -> Status {
        let found = impasse::within(error).and_then(|within| self.impasse(within));
        Status::Failed(
            found.unwrap_or_else(|| RunFailure::new(self.mechanism, t, error, &self.stepper, self.system)),
        )
    }

    /// The steps have become so short that the run would never end.
    fn stalled(&self, expected: f64) -> Status {
        let (t, h) = (self.stepper.t(), self.stepper.h().abs());
        let place = self.stepper.bent().map(|c| failure::place(self.mechanism, self.system, c));
        let place = place.map_or(String::new(), |place| format!("; what changes fastest is {place}"));
        let (message, advice) = match self.mechanism.model.settings.fixed_step() {
            Some(step) => (
                format!(
                    "with steps of {step} s the rest of the run takes {expected:.0e} steps: it would never end"
                ),
                "take a longer `step`, or a shorter `duration`".to_string(),
            ),
            None => (
                format!(
                    "the run is stuck: steps have become so short ({h:.1e} s) that the rest of it would take {expected:.0e} trials{place}"
                ),
                format!(
                    "look there for a mass, a length or a stiffness that is far from all others, or for a force that jumps; shorten `duration` where the motion is meant to be that fast, or loosen `tolerance`; {}",
                    failure::STIFF
                ),
            ),
        };
        Status::Failed(RunFailure::plain(t, h, "stalled", message, &advice))
    }

    /// The singular position that the run is at, if it is near one; what was told of a passage through it is taken back.
    fn impasse(&mut self, within: f64) -> Option<RunFailure> {
        let (t, step) = (self.stepper.t(), self.stepper.h_tried());
        let found = impasse::find(self.mechanism, self.system, t, self.stepper.y(), within)?;
        self.singular.take_back(&mut self.ledger.remarks);
        Some(RunFailure::plain(t, step, found.code, found.message, found.advice))
    }

    fn in_trouble(&mut self, t: f64, trouble: &Trouble) -> Status {
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

    /// Shows the state `y` as a row. The books have been kept up to it.
    fn show(&mut self, t: f64) -> Result<(), Status> {
        if self.books {
            // the row is checked with its books
            self.frame.balance = Some(Default::default());
        }
        let shown = observe(self.mechanism, self.system, t, &self.y, &mut self.frame, &mut self.row);
        if let Err(source) = shown {
            return Err(self.failed(t, &StepError::System { t, source }));
        }
        if self.books {
            let balance = self.ledger.books.balance(self.mechanism, &self.frame);
            self.frame.balance = Some(balance);
        }
        if self.ledger.book.take(&self.frame) {
            let row = singular::weakest_row(self.system);
            self.ledger.book.blame(row);
        }
        if self.observer.row(&self.frame).is_break() { Err(Status::Stopped) } else { Ok(()) }
    }

    /// The state at a time inside the last step, into `y`.
    fn look_at(&mut self, t: f64) -> Result<(), Status> {
        let found = if t == self.stepper.t() {
            self.y.copy_from_slice(self.stepper.y());
            Ok(())
        } else {
            self.stepper.interpolate(self.system, t, &mut self.y).and_then(|()| {
                match self.project && self.system.is_bound() {
                    true => self
                        .system
                        .project(t, &mut self.y, &mut self.dy)
                        .map_err(|source| StepError::System { t, source }),
                    false => Ok(()),
                }
            })
        };
        found.map_err(|e| self.failed(t, &e))
    }

    /// Shows the rows of the last step up to a time; where something happens then, its rows come instead of one there.
    fn show_rows(&mut self, until: f64, happens: bool) -> Result<(), Status> {
        let settings = &self.mechanism.model.settings;
        let (output_step, duration) = (settings.output_step, settings.duration);
        loop {
            let t = row_time(self.ledger.k, output_step, duration);
            let after_end = row_time(self.ledger.k - 1, output_step, duration) >= duration;
            let same = (t - until).abs() <= 1e-9 * output_step && (t < duration || t == until);
            if happens && !after_end && same {
                self.ledger.k += 1;
                return Ok(());
            }
            if t > until || after_end {
                return Ok(());
            }
            self.keep_books(t)?;
            self.look_at(t)?;
            self.show(t)?;
            self.ledger.k += 1;
        }
    }

    /// Where the next stretch of smooth motion ends at the latest.
    fn next_end(&self, t: f64) -> f64 {
        let edge = self.mechanism.next_edge(t);
        self.events.as_ref().map_or(edge, |events| events.next_time(t).min(edge))
    }

    /// Whether the state that a run goes on from can be one.
    fn check_state(&mut self) -> Result<(), Status> {
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
        match &mut self.events {
            None => Ok(()),
            Some(events) => {
                let list = events.take();
                self.tell(list)
            }
        }
    }

    fn tell(&mut self, list: Vec<Event>) -> Result<(), Status> {
        for event in list {
            self.ledger.event_count += 1;
            let flow = self.observer.event(&event);
            if self.ledger.happened.len() < KEPT_EVENTS || event.kind == EventKind::Stop {
                self.ledger.happened.push(event);
            }
            if flow.is_break() {
                return Err(Status::Stopped);
            }
        }
        Ok(())
    }

    /// The first rows and the start of the integration. Tells how the stage ended, if it did.
    fn begin(&mut self, carried: Option<&Carried>) -> Result<Option<Pause>, Status> {
        let t = self.mechanism.start_time;
        match carried {
            None => {
                self.frame.count_on_from(self.mechanism, t, &self.mechanism.start_joints);
                self.open_books(t)?;
                self.show(t)?;
            }
            Some(carried) => self.take_over(t, carried)?,
        }
        let before = if self.events.is_some() { self.before(t)? } else { Default::default() };
        if let Some(events) = &mut self.events {
            let handled = events.begin(self.system, t, &mut self.y, carried.map(|c| &c.lasting));
            self.tell_events()?;
            match handled {
                Err(trouble) => return Err(self.in_trouble(t, &trouble)),
                Ok(handled) => {
                    if handled.changed {
                        self.after(t, &before)?;
                        self.show(t)?;
                    }
                    if handled.stops {
                        return Ok(Some(Pause::End(Status::Finished)));
                    }
                    if !handled.edits.is_empty() {
                        return Ok(Some(Pause::Change(t, handled.edits, handled.told)));
                    }
                }
            }
        }
        if t >= self.mechanism.model.settings.duration {
            return Ok(Some(Pause::End(Status::Finished)));
        }
        let end = self.next_end(t);
        if let Err(e) = self.stepper.start(self.system, t, &self.y, end) {
            return Err(self.failed(t, &e));
        }
        self.singular.begin(self.system);
        self.ledger.stiffness.begin_stage(t);
        Ok(None)
    }

    /// Steps until something ends the run.
    fn drive(&mut self) -> Result<Pause, Status> {
        let duration = self.mechanism.model.settings.duration;
        loop {
            let outcome = match self.stepper.step_inspected(self.system, &mut self.narrow) {
                Ok(outcome) => outcome,
                Err(e) if !matches!(e, StepError::TooManySteps { .. }) && self.retreat()? => continue,
                Err(e) => return Err(self.failed(self.stepper.t(), &e)),
            };
            if let Err(e) = self.singular.look(self.system, &mut self.stepper, &mut self.ledger.remarks) {
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
            let turns = |hit: &Hit| self.events.as_ref().is_some_and(|events| events.is_quiet(hit.watch));
            let quiet = hit.as_ref().is_some_and(turns);
            self.witness(until)?;
            self.show_rows(until, (hit.is_some() || told) && !quiet)?;
            self.keep_books(until)?;
            if hit.is_some() || told {
                if let Some(pause) = self.happen(until, hit.as_ref(), quiet)? {
                    let goes_on = matches!(pause, Pause::Change(..));
                    if goes_on && self.observer.step(self.stepper.t()).is_break() {
                        return Err(Status::Stopped);
                    }
                    return Ok(pause);
                }
            } else if ended {
                // a corner of a function of time: the next stretch starts anew
                self.look_at(until)?;
                self.restart(until)?;
            } else if outcome == StepOutcome::Finished {
                return Ok(Pause::End(Status::Finished));
            }
            if self.singular.is_stuck(&self.stepper, duration)
                && let Some(failure) = self.impasse(impasse::STALLED)
            {
                return Err(Status::Failed(failure));
            }
            if let Some(expected) =
                self.ledger.pace.stalled(self.stepper.t(), self.y.len(), self.stepper.statistics())
            {
                let stuck = self.impasse(impasse::STALLED).map(Status::Failed);
                return Err(stuck.unwrap_or_else(|| self.stalled(expected)));
            }
            self.mind_stiffness()?;
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
        self.resume_books(t)
    }

    /// An event: a row before and one after it, and a new start. Tells whether the stage ends here.
    fn happen(&mut self, t: f64, hit: Option<&Hit>, quiet: bool) -> Result<Option<Pause>, Status> {
        self.look_at(t)?;
        if !quiet {
            self.show(t)?;
        }
        let inserts = |hit: &Hit| self.events.as_ref().is_some_and(|events| events.is_insertion(hit.watch));
        // what grows does not jump
        let before = if hit.is_some_and(inserts) { None } else { Some(self.before(t)?) };
        let Some(events) = &mut self.events else { return Ok(None) };
        let handled = events.handle(self.system, t, &mut self.y, hit, Occasion::Event);
        self.tell_events()?;
        let handled = handled.map_err(|trouble| self.in_trouble(t, &trouble))?;
        if handled.changed {
            if let Some(before) = &before {
                self.after(t, before)?;
            }
            self.show(t)?;
        }
        if handled.stops {
            return Ok(Some(Pause::End(Status::Finished)));
        }
        if !handled.edits.is_empty() {
            return Ok(Some(Pause::Change(t, handled.edits, handled.told)));
        }
        if t >= self.mechanism.model.settings.duration {
            return Ok(Some(Pause::End(Status::Finished)));
        }
        self.restart(t)?;
        Ok(None)
    }
}
