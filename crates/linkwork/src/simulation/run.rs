//! A run under way in one formulation: steps, rows, events, and what ends it.

use super::choice::{self, Choice};
use super::events::{Edit, Event, EventKind, Events, Hit, Lasting, Occasion, Trouble};
use super::ledger::Ledger;
use super::stages::Carried;
use super::{Fallback, KEPT_EVENTS, Observer, RunFailure, Status};
use super::{failure, impasse, narrow, singular, witness};
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, StepOutcome, Stepper};
use crate::interactions::{Due, Workspace};
use crate::mechanism::Mechanism;
use crate::model::{Formulation, Integrator};
use crate::results::Frame;

/// The time of row k: multiples of the output step, the last one exactly at the end.
pub(super) fn row_time(k: u64, output_step: f64, duration: f64) -> f64 {
    let t = k as f64 * output_step;
    if t > duration - 1e-9 * output_step { duration } else { t }
}

/// The row that comes next after a time.
pub(super) fn row_at(t: f64, output_step: f64) -> u64 {
    1 + (t / output_step * (1.0 + 1e-12)) as u64
}

/// Observes, and lets no number pass that is not finite.
pub(super) fn observe<F: Formulate>(
    mechanism: &Mechanism,
    system: &mut F,
    t: f64,
    y: &[f64],
    frame: &mut Frame,
    row: &mut Vec<f64>,
) -> Result<(), MotionError> {
    system.observe(t, y, frame)?;
    crate::results::own_row(mechanism, frame, row);
    let Some(first) = row.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let wrong = match mechanism.measures_may_lack_values {
        false => Some(first),
        true => {
            let columns = crate::results::own_columns(mechanism);
            let is_measure = |i: usize| columns[i].name.starts_with("measure.");
            (first..row.len()).find(|&i| !row[i].is_finite() && !is_measure(i))
        }
    };
    match wrong {
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
    let found = ws.trouble(interactions, t, &frame.auxiliary);
    let found = found.or_else(|| ws.trouble_of_measures(interactions, t, &frame.auxiliary));
    match found {
        Some((name, why)) if !why.is_empty() => {
            format!("what {} does ({why})", crate::formulations::marked(&name))
        }
        _ => result,
    }
}

/// Why a stage pauses.
pub(super) enum Pause {
    /// The run ends.
    End(Status),
    /// What the mechanism consists of changes, s; and what is reported of it.
    Change(f64, Vec<Edit>, Vec<Event>),
}

/// How far a run goes before the caller has it back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Leg {
    /// To its end.
    Run,
    /// One step.
    Step,
    /// One step that goes no further than a time.
    Toward(f64),
    /// To a time, or to what happens on the way.
    To { t: f64, or_event: bool },
}

/// How a leg ends.
pub(super) enum Turn {
    /// As it should.
    Stepped,
    /// Something happened.
    Happened,
    /// The run does not go on by itself.
    Paused(Pause),
}

/// A run under way, as long as nothing comes or goes of what the mechanism consists of.
pub(super) struct Run<'m, F> {
    pub(super) mechanism: &'m Mechanism,
    pub(super) system: F,
    pub(super) stepper: Stepper,
    pub(super) project: bool,
    pub(super) ledger: Box<Ledger>,
    pub(super) events: Option<Events<'m>>,
    pub(super) singular: singular::SingularWatch,
    pub(super) narrow: narrow::NarrowWatch<'m>,
    /// Whether work is added up once more.
    pub(super) witnessed: bool,
    pub(super) frame: Frame,
    /// Whether balances of momentum are kept, and what they are made from.
    pub(super) balances: bool,
    pub(super) looked: Frame,
    pub(super) acts: Workspace,
    /// A state that is looked at.
    pub(super) y: Vec<f64>,
    pub(super) dy: Vec<f64>,
    pub(super) row: Vec<f64>,
    pub(super) fallback: Option<Fallback>,
    pub(super) formulation: Formulation,
    pub(super) integrator: Integrator,
    pub(super) why: Option<String>,
    /// Whether the integrator may be exchanged on the way.
    pub(super) adapts: bool,
    /// Steps since joints last counted their turns; `None` where there is nothing to count.
    pub(super) uncounted: Option<u32>,
}

/// Steps after which joints count their turns where no sample falls: together they are less than a turn.
const STEPS_OF_A_TURN: u32 = 4;

impl<'m, F: Formulate> Run<'m, F> {
    pub(super) fn new(
        mechanism: &'m Mechanism,
        formulation: Formulation,
        mut system: F,
        mut ledger: Box<Ledger>,
    ) -> Self {
        let settings = &mechanism.model.settings;
        let n = system.dimension();
        let y = system.start();
        let Choice { stepper, integrator, why, fallback } =
            choice::choose(mechanism, formulation, &mut system, &y, ledger.integrator.as_ref());
        ledger.integrator = Some((integrator, why.clone()));
        let project = settings.projects();
        Run {
            stepper: choice::limited(
                stepper,
                mechanism,
                integrator,
                ledger.step,
                ledger.statistics.accepted_steps,
            ),
            project,
            events: Events::new(mechanism, integrator != Integrator::Moreau),
            singular: singular::SingularWatch::new(),
            narrow: narrow::NarrowWatch::new(mechanism),
            witnessed: witness::has_plain_powers(mechanism),
            frame: Frame::new(mechanism),
            balances: mechanism.keeps_balances(),
            uncounted: mechanism.has_uncounted_angles().then_some(0),
            looked: Frame::of_closed_contacts(mechanism),
            acts: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            y,
            dy: vec![0.0; n],
            row: Vec::new(),
            ledger,
            fallback,
            formulation,
            integrator,
            why,
            adapts: settings.integrator == Integrator::Auto
                && settings.step.is_none()
                // those that are implicit and sparse were chosen for what is stiff
                && !matches!(integrator, Integrator::Moreau | Integrator::Bdf | Integrator::Esdirk4),
            mechanism,
            system,
        }
    }

    pub(super) fn failed(&mut self, t: f64, error: &StepError<MotionError>) -> Status {
        let found = impasse::within(error).and_then(|within| self.impasse(within));
        Status::Failed(
            found.unwrap_or_else(|| RunFailure::new(self.mechanism, t, error, &self.stepper, &self.system)),
        )
    }

    /// The steps have become so short that the run would never end.
    fn stalled(&self, expected: f64) -> Status {
        let (t, h) = (self.stepper.t(), self.stepper.h().abs());
        let place = self.stepper.bent().map(|c| failure::place(self.mechanism, &self.system, c));
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

    /// The singular position that the run is at, if it is near one; what was reported of a passage through it is taken back.
    pub(super) fn impasse(&mut self, within: f64) -> Option<RunFailure> {
        let (t, step) = (self.stepper.t(), self.stepper.h_tried());
        let found = impasse::find(self.mechanism, &mut self.system, t, self.stepper.y(), within)?;
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

    /// Shows the state `y` as a row, if rows are wanted. The balances have been kept up to it.
    pub(super) fn show(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Status> {
        if !observer.wants_rows() {
            return Ok(());
        }
        self.read_off(t)?;
        if self.ledger.sums.take(&self.frame) {
            let row = singular::weakest_row(&mut self.system);
            self.ledger.sums.blame(row);
        }
        if observer.row(&self.frame).is_break() { Err(Status::Stopped) } else { Ok(()) }
    }

    /// The frame of the state `y`.
    pub(super) fn read_off(&mut self, t: f64) -> Result<(), Status> {
        if self.balances {
            // the row is checked with its balances
            self.frame.balance = Some(Default::default());
        }
        let shown = observe(self.mechanism, &mut self.system, t, &self.y, &mut self.frame, &mut self.row);
        if let Err(source) = shown {
            return Err(self.failed(t, &StepError::System { t, source }));
        }
        if self.balances {
            let balance = self.ledger.balances.balance(self.mechanism, &self.frame);
            self.frame.balance = Some(balance);
        }
        Ok(())
    }

    /// The state at a time inside the last step, into `y`.
    pub(super) fn look_at(&mut self, t: f64) -> Result<(), Status> {
        let found = if t == self.stepper.t() {
            self.y.copy_from_slice(self.stepper.y());
            Ok(())
        } else {
            self.stepper.interpolate(&mut self.system, t, &mut self.y).and_then(|()| {
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

    /// Shows the rows of the last step up to a time; where something happens then, its rows come instead of one there. Tells whether there is one to come.
    fn show_rows(&mut self, until: f64, happens: bool, observer: &mut dyn Observer) -> Result<bool, Status> {
        let settings = &self.mechanism.model.settings;
        let (output_step, duration) = (settings.output_step, settings.duration);
        loop {
            let t = row_time(self.ledger.k, output_step, duration);
            let after_end = row_time(self.ledger.k - 1, output_step, duration) >= duration;
            let same = (t - until).abs() <= 1e-9 * output_step && (t < duration || t == until);
            if happens && !after_end && same {
                self.ledger.k += 1;
                return Ok(true);
            }
            if t > until || after_end {
                return Ok(false);
            }
            if observer.wants_rows() {
                self.keep_balances(t)?;
                self.look_at(t)?;
                self.show(t, observer)?;
            }
            self.ledger.k += 1;
        }
    }

    /// Where the next stretch of smooth motion ends at the latest.
    pub(super) fn next_end(&self, t: f64) -> f64 {
        let edge = self.mechanism.next_edge(t);
        self.events.as_ref().map_or(edge, |events| events.next_time(t).min(edge))
    }

    /// Whether the state that a run goes on from can be one.
    pub(super) fn check_state(&mut self) -> Result<(), Status> {
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
    fn tell_events(&mut self, observer: &mut dyn Observer) -> Result<(), Status> {
        match &mut self.events {
            None => Ok(()),
            Some(events) => {
                let list = events.take();
                self.tell(list, observer)
            }
        }
    }

    pub(super) fn tell(&mut self, list: Vec<Event>, observer: &mut dyn Observer) -> Result<(), Status> {
        for event in list {
            self.ledger.event_count += 1;
            let flow = observer.event(&event);
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
    pub(super) fn begin(
        &mut self,
        carried: Option<&Carried>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Pause>, Status> {
        let t = self.mechanism.start_time;
        match carried {
            None => {
                // a start of the caller's
                self.take_samples(t, Due::Again(t))?;
                self.frame.count_on_from(self.mechanism, t, &self.mechanism.start_joints);
                self.open_books(t)?;
                self.show(t, observer)?;
            }
            Some(carried) => self.take_over(t, carried, observer)?,
        }
        self.begin_from(t, carried.map(|c| &c.lasting), observer)
    }

    /// Starts the integration at the state in `y`, after what happens there at once. Tells how the stage ended, if it did.
    pub(super) fn begin_from(
        &mut self,
        t: f64,
        lasting: Option<&Lasting>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Pause>, Status> {
        let before = if self.events.is_some() { self.before(t)? } else { Default::default() };
        if let Some(events) = &mut self.events {
            let handled = events.begin(&mut self.system, t, &mut self.y, lasting);
            self.tell_events(observer)?;
            match handled {
                Err(trouble) => {
                    // the integration has not begun: the choice is made again
                    if let Err(e) = self.stepper.start(
                        &mut self.system,
                        t,
                        &self.y,
                        self.mechanism.model.settings.duration,
                    ) {
                        return Err(self.failed(t, &e));
                    }
                    if self.steps_instead(t, &trouble)? {
                        return Ok(None);
                    }
                    return Err(self.in_trouble(t, &trouble));
                }
                Ok(handled) => {
                    if handled.changed {
                        self.after(t, &before)?;
                        self.show(t, observer)?;
                    }
                    if handled.stops {
                        return Ok(Some(Pause::End(Status::Finished)));
                    }
                    if !handled.edits.is_empty() {
                        return Ok(Some(Pause::Change(t, handled.edits, handled.reported)));
                    }
                }
            }
        }
        if t >= self.mechanism.model.settings.duration {
            return Ok(Some(Pause::End(Status::Finished)));
        }
        let end = self.next_end(t);
        if let Err(e) = self.stepper.start(&mut self.system, t, &self.y, end) {
            return Err(self.failed(t, &e));
        }
        self.singular.begin(&mut self.system);
        self.ledger.stiffness.begin_stage(t, self.y.len());
        Ok(None)
    }

    /// Steps until the leg is over or something ends the run.
    pub(super) fn drive(&mut self, leg: Leg, observer: &mut dyn Observer) -> Result<Turn, Status> {
        self.stepper.land_on(match leg {
            Leg::To { t, .. } | Leg::Toward(t) => t,
            Leg::Run | Leg::Step => f64::INFINITY,
        });
        let to_event = matches!(leg, Leg::Step | Leg::Toward(_) | Leg::To { or_event: true, .. });
        loop {
            self.land_on_rows(&leg);
            let happened = match self.step(observer)? {
                Turn::Stepped => false,
                Turn::Happened => true,
                Turn::Paused(pause) => return Ok(Turn::Paused(pause)),
            };
            if happened && to_event {
                return Ok(Turn::Happened);
            }
            let over = match leg {
                Leg::Run => false,
                Leg::Step | Leg::Toward(_) => true,
                Leg::To { t, .. } => {
                    self.stepper.land_on(t);
                    self.stepper.has_landed()
                }
            };
            if over {
                return Ok(Turn::Stepped);
            }
        }
    }

    /// Time steps over contacts end where rows are shown: there is only a straight line between their ends.
    fn land_on_rows(&mut self, leg: &Leg) {
        if self.integrator != Integrator::Moreau || self.mechanism.contact_tolerance().is_none() {
            return;
        }
        let settings = &self.mechanism.model.settings;
        let mut k = self.ledger.k;
        while row_time(k, settings.output_step, settings.duration) <= self.stepper.t()
            && row_time(k, settings.output_step, settings.duration) < settings.duration
        {
            k += 1;
        }
        let row = row_time(k, settings.output_step, settings.duration);
        self.stepper.land_on(match *leg {
            Leg::To { t, .. } | Leg::Toward(t) => t.min(row),
            Leg::Run | Leg::Step => row,
        });
    }

    /// Lets joints count their turns where samples are far apart.
    fn count_turns(&mut self, sampled: bool) {
        let Some(steps) = &mut self.uncounted else { return };
        *steps = if sampled { 0 } else { *steps + 1 };
        if *steps >= STEPS_OF_A_TURN && !self.frame.is_counted_by_formulation() {
            *steps = 0;
            self.y.copy_from_slice(self.stepper.y());
            self.system.locate_bodies(&self.y, &mut self.frame.motions);
            let auxiliary = self.system.work_index() + 1;
            self.frame.count_joints(self.mechanism, self.stepper.t(), &self.y[auxiliary..]);
        }
    }

    /// One accepted step, its rows, and what happens in it.
    fn step(&mut self, observer: &mut dyn Observer) -> Result<Turn, Status> {
        let duration = self.mechanism.model.settings.duration;
        let outcome = loop {
            match self.stepper.step_inspected(&mut self.system, &mut self.narrow) {
                Ok(outcome) => break outcome,
                Err(e) if !matches!(e, StepError::TooManySteps { .. }) && self.retreat()? => {}
                Err(e) => {
                    let t = self.stepper.t();
                    self.y.copy_from_slice(self.stepper.y());
                    let trouble = Trouble::Step(e);
                    if !self.steps_instead(t, &trouble)? {
                        return Err(self.in_trouble(t, &trouble));
                    }
                }
            }
        };
        if let Err(e) = self.singular.look(&mut self.system, &mut self.stepper, &mut self.ledger.remarks) {
            return Err(self.failed(self.stepper.t(), &e));
        }
        self.ledger.last_step = self.stepper.h();
        let hit = match &mut self.events {
            None => None,
            Some(events) => match events.search(&mut self.system, &mut self.stepper) {
                Ok(hit) => hit,
                Err(trouble) => {
                    let t = self.stepper.t_old();
                    self.y.copy_from_slice(self.stepper.y_old());
                    return match self.steps_instead(t, &trouble)? {
                        true => Ok(Turn::Stepped),
                        false => Err(self.in_trouble(self.stepper.t(), &trouble)),
                    };
                }
            },
        };
        let finished = hit.is_none() && outcome == StepOutcome::Finished;
        let ended = finished && self.stepper.t() < duration;
        let reported = finished && self.events.as_ref().is_some_and(|events| events.tells(self.stepper.t()));
        let until = hit.as_ref().map_or(self.stepper.t(), |hit| hit.t);
        let turns = |hit: &Hit| self.events.as_ref().is_some_and(|events| events.is_quiet(hit.watch));
        let quiet = hit.as_ref().is_some_and(turns);
        self.witness(until)?;
        self.take_piece(until)?;
        let happened = hit.is_some() || reported;
        let due = Due::Between([self.stepper.t_old(), until]);
        let sampled = self.mechanism.interactions.is_due(due);
        let row_here = self.show_rows(until, (happened && !quiet) || (!happened && sampled), observer)?;
        self.keep_balances(until)?;
        self.count_turns(row_here || happened);
        if !happened && sampled {
            self.look_at(until)?;
            self.take_samples(until, due)?;
            if row_here {
                self.show(until, observer)?;
            }
        }
        let touches = |hit: &Hit| self.events.as_ref().is_some_and(|events| events.is_contact(hit.watch));
        let contact = hit.as_ref().is_some_and(touches);
        if happened {
            if let Some(pause) = self.happen(until, hit.as_ref(), quiet, observer)? {
                let goes_on = matches!(pause, Pause::Change(..));
                if goes_on && observer.step(self.stepper.t()).is_break() {
                    return Err(Status::Stopped);
                }
                return Ok(Turn::Paused(pause));
            }
            self.mind_contact_events(until, u64::from(contact))?;
        } else if sampled {
            self.go_on_sampled(until)?;
            if outcome == StepOutcome::Finished && !ended {
                return Ok(Turn::Paused(Pause::End(Status::Finished)));
            }
        } else if ended {
            // a corner of a function of time: the next stretch starts again
            self.look_at(until)?;
            self.restart(until)?;
        } else if outcome == StepOutcome::Finished {
            return Ok(Turn::Paused(Pause::End(Status::Finished)));
        }
        if self.stalls_at_contacts()? {
            return Ok(Turn::Stepped);
        }
        if self.singular.is_stuck(&self.stepper, duration)
            && let Some(failure) = self.impasse(impasse::STALLED)
        {
            return Err(Status::Failed(failure));
        }
        if self.stepper.has_landed() {
            // how far it went was the caller's choice
            self.ledger.pace.begin_again(self.stepper.t(), self.stepper.statistics());
        }
        if let Some(expected) =
            self.ledger.pace.stalled(self.stepper.t(), self.y.len(), self.stepper.statistics())
            && !self.steps_where_stalled()?
        {
            let stuck = self.impasse(impasse::STALLED).map(Status::Failed);
            return Err(stuck.unwrap_or_else(|| self.stalled(expected)));
        }
        self.mind_stiffness()?;
        if observer.wants_checkpoint(self.stepper.t()) {
            let checkpoint = self.checkpoint();
            if observer.checkpoint(checkpoint).is_break() {
                return Err(Status::Stopped);
            }
        }
        if observer.step(self.stepper.t()).is_break() {
            return Err(Status::Stopped);
        }
        Ok(if happened { Turn::Happened } else { Turn::Stepped })
    }

    /// Where inputs and states begin in a state.
    pub(super) fn variables_at(&self) -> usize {
        self.system.work_index() + 1 + self.mechanism.interactions.variables_at()
    }

    /// Sets variables, given by number and value, from now on.
    pub(super) fn set_variables(&mut self, list: &[(usize, f64)]) -> Result<(), Status> {
        let (t, first) = (self.stepper.t(), self.variables_at());
        self.y.copy_from_slice(self.stepper.y());
        list.iter().for_each(|&(variable, value)| self.y[first + variable] = value);
        if self.y == self.stepper.y() {
            return Ok(());
        }
        // a sample of this instant sees what is set there
        self.take_samples(t, Due::Again(t))?;
        self.stepper.revise(&mut self.system, &self.y).map_err(|e| self.failed(t, &e))?;
        self.resume_books(t)
    }

    /// Takes samples of the state in `y`, which holds them from now on.
    pub(super) fn take_samples(&mut self, t: f64, due: Due) -> Result<(), Status> {
        let interactions = &self.mechanism.interactions;
        if !interactions.is_due(due) {
            return Ok(());
        }
        let mechanism = self.mechanism;
        // a sample that is taken again sees what it saw before: not what follows from it
        let again = matches!(due, Due::Again(_)) && self.acts.seen.len() == mechanism.late.len();
        if !mechanism.late.is_empty() && !again {
            self.look(t)?;
            self.acts.seen.clear();
            self.acts.seen.extend(mechanism.late.iter().map(|late| late.value(mechanism, &self.looked)));
        }
        let auxiliary = self.system.work_index() + 1;
        self.system.locate_bodies(&self.y, &mut self.acts.motions);
        self.acts.sample(interactions, t, due, &mut self.y[auxiliary..]);
        if self.y.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let found = self.acts.trouble_of_samples(interactions, t, &self.y[auxiliary..]);
        let (name, why) = found.unwrap_or_default();
        let why = if why.is_empty() { why } else { format!(" ({why})") };
        let source = MotionError::NotFinite { what: format!("the sample of `{name}`{why}") };
        Err(self.failed(t, &StepError::System { t, source }))
    }

    /// Goes on from the state in `y`, with samples that were taken at the end of the step. The step that was planned is tried.
    fn go_on_sampled(&mut self, t: f64) -> Result<(), Status> {
        self.stepper.set_end(self.next_end(t));
        self.stepper.revise(&mut self.system, &self.y).map_err(|e| self.failed(t, &e))?;
        self.singular.begin(&mut self.system);
        self.resume_books(t)
    }

    /// Goes on from the state in `y`.
    fn restart(&mut self, t: f64) -> Result<(), Status> {
        self.stepper.set_end(self.next_end(t));
        self.stepper.restart(&mut self.system, t, &self.y).map_err(|e| self.failed(t, &e))?;
        self.singular.begin(&mut self.system);
        self.resume_books(t)
    }

    /// An event: a row before and one after it, and a new start. Tells whether the stage ends here.
    fn happen(
        &mut self,
        t: f64,
        hit: Option<&Hit>,
        quiet: bool,
        observer: &mut dyn Observer,
    ) -> Result<Option<Pause>, Status> {
        self.look_at(t)?;
        if !quiet {
            self.show(t, observer)?;
        }
        let inserts = |hit: &Hit| self.events.as_ref().is_some_and(|events| events.is_insertion(hit.watch));
        // what grows does not jump
        let before = if hit.is_some_and(inserts) { None } else { Some(self.before(t)?) };
        let Some(events) = &mut self.events else { return Ok(None) };
        let handled = events.handle(&mut self.system, t, &mut self.y, hit, Occasion::Event);
        self.tell_events(observer)?;
        let handled = match handled {
            Ok(handled) => handled,
            Err(trouble) => {
                self.look_at(t)?;
                return match self.steps_instead(t, &trouble)? {
                    true => Ok(None),
                    false => Err(self.in_trouble(t, &trouble)),
                };
            }
        };
        self.take_samples(t, Due::Between([self.stepper.t_old(), t]))?;
        if handled.changed {
            if let Some(before) = &before {
                self.after(t, before)?;
            }
            self.show(t, observer)?;
        }
        if handled.stops {
            // the state is that of the instant, not of the end of the step; whether it could go on does not matter
            let _ = self.restart(t);
            return Ok(Some(Pause::End(Status::Finished)));
        }
        if !handled.edits.is_empty() {
            return Ok(Some(Pause::Change(t, handled.edits, handled.reported)));
        }
        if t >= self.mechanism.model.settings.duration {
            return Ok(Some(Pause::End(Status::Finished)));
        }
        self.restart(t)?;
        Ok(None)
    }
}
