//! A simulation that the caller steps.

use super::checkpoint::{Checkpoint, recall_choices};
use super::events::{Edit, Event};
use super::ledger::Ledger;
use super::run::{Leg, Pause, Turn, row_at};
use super::stage::{AnyStage, OwnedStage, Stage, make, make_of};
use super::state::{Moved, State};
use super::{CheckpointError, Observer, RunFailure, Status, Summary};
use crate::Error;
use crate::formulations::Recursive;
use crate::interactions::InputPlace;
use crate::mechanism::{Mechanism, Port};
use crate::model::{Between, Formulation, Input, Integrator};
use crate::results::{Frame, StateCoordinate};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A mechanism in motion, which the caller advances: step by step, or to times of its own.
///
/// ```
/// # use linkwork::model::{Body, Model};
/// # let mut model = Model::planar("pendulum").gravity([0.0, -9.81])
/// #     .point("O", [0.0, 0.0]).point("A", [1.0, 0.0]).ground(["O"]).body(Body::rod("rod", ["O", "A"], 1.0));
/// # model.settings.duration = 2.0;
/// let mechanism = model.assemble()?;
/// let mut simulation = mechanism.simulation()?;
/// for k in 1..=100 {
///     simulation.advance_to(0.01 * f64::from(k))?;
///     let height = simulation.sample()?.positions[1][1];
///     assert!(height <= 1e-9);
/// }
/// # Ok::<(), linkwork::Error>(())
/// ```
///
/// Locks, limits, contacts, stop conditions, changes of topology, chains that pay out and error control work as in [`Mechanism::run`], which is a loop over this.
/// It ends at the model's `duration`. It is [`Send`]; [`Simulation::owned`] makes one that borrows nothing.
pub struct Simulation<'m> {
    held: Held<'m>,
    /// How many stages there were before it.
    stages: u64,
    /// The mechanism that it began with.
    root: Source<'m>,
    ended: Option<Status>,
    happened: Happened,
    /// What inputs have been set to, and what of that is still to be handed on: by input.
    aims: Vec<f64>,
    unsaid: bool,
    /// Variables that are being set.
    setting: Vec<(usize, f64)>,
    /// Where the caller acts beside the inputs of the model.
    ports: Vec<Port>,
}

/// An input of a simulation, found by its name once: [`Simulation::input`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputId(pub(super) usize);

/// The stage under way, and its mechanism.
enum Held<'m> {
    /// As it was given.
    Given(&'m Mechanism, AnyStage<'m>),
    /// One that the simulation has made itself (true), or shares.
    Own(OwnedStage, bool),
}

/// A mechanism that a simulation can hold.
#[derive(Clone)]
enum Source<'m> {
    Given(&'m Mechanism),
    Own(Arc<Mechanism>, bool),
}

/// A simulation as it stood: [`Simulation::save`].
#[derive(Clone)]
pub struct Saved<'m> {
    source: Source<'m>,
    root: Source<'m>,
    state: Vec<u8>,
    ended: Option<Status>,
    events: Vec<Event>,
    aims: Vec<f64>,
    unsaid: bool,
    ports: Vec<Port>,
}

/// How inputs that are linear between changes get to what they were set to; all others do as they are.
#[derive(Clone, Copy)]
enum Way {
    AtOnce,
    /// In a straight line up to a time, s.
    Until(f64),
    /// They wait until it is known when they have to be there.
    Later,
}

/// How far a simulation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// As far as it should: a step, or the time that was asked for.
    Reached,
    /// Something happened, which [`Simulation::events`] tells.
    Event,
    /// The simulation is over: at the end of its `duration`, or by a `stop` condition.
    Finished,
}

/// Takes events and wants no rows.
#[derive(Default)]
struct Happened(Vec<Event>);

impl Observer for Happened {
    fn row(&mut self, _: &Frame) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn wants_rows(&self) -> bool {
        false
    }
    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self.0.push(event.clone());
        ControlFlow::Continue(())
    }
}

/// Times this part of the duration apart are the same.
const SAME_TIME: f64 = 1e-12;

impl Held<'_> {
    fn with<R>(&mut self, act: impl FnOnce(&mut (dyn Stage + '_)) -> R) -> R {
        match self {
            Held::Given(_, stage) => act(&mut **stage),
            Held::Own(owned, _) => owned.with_dependent_mut(|_, stage| act(&mut **stage)),
        }
    }

    fn look<R>(&self, look: impl FnOnce(&(dyn Stage + '_)) -> R) -> R {
        match self {
            Held::Given(_, stage) => look(&**stage),
            Held::Own(owned, _) => owned.with_dependent(|_, stage| look(&**stage)),
        }
    }

    fn mechanism(&self) -> &Mechanism {
        match self {
            Held::Given(mechanism, _) => mechanism,
            Held::Own(owned, _) => owned.borrow_owner(),
        }
    }
}

impl<'m> Held<'m> {
    fn new(source: Source<'m>, ledger: Box<Ledger>) -> Result<Self, Error> {
        match source {
            Source::Given(mechanism) => Ok(Held::Given(mechanism, make(mechanism, None, ledger)?)),
            Source::Own(mechanism, later) => {
                let made =
                    OwnedStage::try_new(mechanism, |shared| make(shared, later.then_some(shared), ledger));
                made.map(|owned| Held::Own(owned, later))
            }
        }
    }

    fn source(&self) -> Source<'m> {
        match self {
            Held::Given(mechanism, _) => Source::Given(mechanism),
            Held::Own(owned, later) => Source::Own(Arc::clone(owned.borrow_owner()), *later),
        }
    }
}

impl Source<'_> {
    /// Where the mechanism is kept: another one is elsewhere.
    fn address(&self) -> usize {
        match self {
            Source::Given(mechanism) => std::ptr::from_ref::<Mechanism>(mechanism).addr(),
            Source::Own(mechanism, _) => Arc::as_ptr(mechanism).addr(),
        }
    }
}

impl Mechanism {
    /// A simulation of this mechanism from its initial state, with the settings of its model.
    ///
    /// # Errors
    /// [`Error::Model`] with everything that formulation and integrator have against the mechanism, and [`Error::Run`] if it cannot even begin.
    pub fn simulation(&self) -> Result<Simulation<'_>, Error> {
        let mut ledger = Box::new(Ledger::new(&self.model.settings));
        let source = self.at_its_start(&mut ledger)?;
        Simulation::of(Held::new(source, ledger)?).begun()
    }

    /// What a run begins with: this mechanism, or itself at its equilibrium, where its settings say so.
    fn at_its_start(&self, ledger: &mut Ledger) -> Result<Source<'_>, Error> {
        let Some((placed, remark)) = self.placed()? else { return Ok(Source::Given(self)) };
        ledger.remarks.push(remark);
        Ok(Source::Own(Arc::new(placed), false))
    }

    /// A run that has been made, from the beginning or from a checkpoint.
    pub(super) fn ready(
        &self,
        from: Option<&Checkpoint>,
        observer: &mut dyn Observer,
    ) -> Result<Simulation<'_>, Error> {
        let mut ledger = Box::new(Ledger::new(&self.model.settings));
        let Some(checkpoint) = from else {
            if self.start_time > 0.0 {
                // it goes on from another one: rows are at the same times
                ledger.k = row_at(self.start_time, self.model.settings.output_step);
            }
            let source = self.at_its_start(&mut ledger)?;
            let mut simulation = Simulation::of(Held::new(source, ledger)?);
            simulation.begin(observer)?;
            return Ok(simulation);
        };
        let source = match checkpoint.stage(self, &mut ledger)? {
            // what it began with counts in its accounts; the remark is in the checkpoint
            None => self.at_its_start(&mut Ledger::new(&self.model.settings))?,
            Some(stage) => Source::Own(Arc::new(stage), true),
        };
        let mut simulation = Simulation::of(Held::new(source, ledger)?);
        simulation.held.with(|stage| stage.recall(checkpoint))?;
        simulation.ended = simulation.held.with(|stage| stage.check_state()).err();
        Ok(simulation)
    }

    /// A run of a system that was made from this mechanism, with a start or forces of its own.
    pub(super) fn ready_system<'m>(
        &'m self,
        system: Recursive<'m>,
        why: Option<String>,
        observer: &mut dyn Observer,
    ) -> Result<Simulation<'m>, Error> {
        let mut simulation = Simulation::of(Held::Given(self, make_of(self, system, why)?));
        simulation.begin(observer)?;
        Ok(simulation)
    }
}

impl Simulation<'static> {
    /// A simulation that shares the mechanism instead of borrowing it, for callers that keep it in structures of their own.
    ///
    /// # Errors
    /// As [`Mechanism::simulation`].
    pub fn owned(mechanism: Arc<Mechanism>) -> Result<Self, Error> {
        let mut ledger = Box::new(Ledger::new(&mechanism.model.settings));
        let mechanism = match mechanism.placed()? {
            None => mechanism,
            Some((placed, remark)) => {
                ledger.remarks.push(remark);
                Arc::new(placed)
            }
        };
        Simulation::of(Held::new(Source::Own(mechanism, false), ledger)?).begun()
    }
}

impl<'m> Simulation<'m> {
    fn of(held: Held<'m>) -> Self {
        let root = held.source();
        let inputs = &held.mechanism().interactions.inputs;
        let aims = inputs.iter().map(|input| held.mechanism().interactions.variables[input.first].initial);
        let (aims, setting) = (aims.collect(), Vec::with_capacity(3 * inputs.len()));
        Simulation {
            held,
            stages: 0,
            root,
            ended: None,
            happened: Happened::default(),
            aims,
            unsaid: false,
            setting,
            ports: Vec::new(),
        }
    }

    /// Begun for a caller that steps.
    fn begun(mut self) -> Result<Self, Error> {
        let mut happened = std::mem::take(&mut self.happened);
        self.begin(&mut happened)?;
        self.happened = happened;
        match self.ended {
            Some(Status::Failed(failure)) => Err(Error::Run(failure)),
            _ => Ok(self),
        }
    }

    fn begin(&mut self, observer: &mut dyn Observer) -> Result<(), Error> {
        match self.held.with(|stage| stage.begin(None, observer)) {
            Ok(None) => Ok(()),
            Ok(Some(pause)) => self.pause(pause, observer),
            Err(status) => {
                self.ended = Some(status);
                Ok(())
            }
        }
    }

    /// What follows a pause: the end, or other mechanisms that go on.
    fn pause(&mut self, pause: Pause, observer: &mut dyn Observer) -> Result<(), Error> {
        let mut next = pause;
        loop {
            let (t, edits, reported) = match next {
                Pause::Change(t, edits, reported) => (t, edits, reported),
                Pause::End(status) => {
                    self.ended = Some(status);
                    return Ok(());
                }
            };
            next = match self.change(t, &edits, reported, observer)? {
                None => return Ok(()),
                Some(pause) => pause,
            };
        }
    }

    /// Goes on with what the mechanism consists of after edits.
    fn change(
        &mut self,
        t: f64,
        edits: &[Edit],
        reported: Vec<Event>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Pause>, Error> {
        let next = match self.held.with(|stage| stage.next_stage(t, edits, reported, observer)) {
            Ok(next) => next,
            Err(status) => return Ok(Some(Pause::End(status))),
        };
        let mut ledger = self.held.with(|stage| stage.pass_on());
        if !next.state.keeps_choices(&next.mechanism) {
            ledger.forget_choices();
        }
        let ported = self.ports.iter().fold(next.mechanism, |mechanism, port| mechanism.with_port_kept(port));
        match Held::new(Source::Own(Arc::new(ported), true), ledger) {
            Ok(held) => self.hold(held),
            Err(error) => {
                // it does not go on as what it was before
                let failure = RunFailure::plain(t, 0.0, "structure", error.to_string(), "");
                self.ended = Some(Status::Failed(failure));
                return Err(error);
            }
        }
        let begun = self.held.with(|stage| stage.begin(Some(&next.state), observer));
        Ok(begun.unwrap_or_else(|status| Some(Pause::End(status))))
    }

    /// Goes on with another stage.
    fn hold(&mut self, held: Held<'m>) {
        self.held = held;
        self.stages += 1;
    }

    /// Which of its stages the simulation is in.
    pub(super) fn stage_number(&self) -> u64 {
        self.stages
    }

    /// Coordinates of joints that stand in the state.
    pub(super) fn state_coordinates(&self) -> Vec<StateCoordinate> {
        self.held.look(|stage| stage.joint_coordinates())
    }

    /// Looks at the last sample and the present state.
    pub(super) fn look_at_state<R>(&self, look: impl FnOnce(&Frame, &[f64]) -> R) -> R {
        self.held.look(|stage| look(stage.frame(), stage.y()))
    }

    /// Goes on until the leg is over or the simulation is.
    fn drive(&mut self, leg: Leg, observer: &mut dyn Observer) -> Result<Progress, Error> {
        while self.ended.is_none() {
            match self.held.with(|stage| stage.drive(leg, observer)) {
                Ok(Turn::Stepped) => return Ok(Progress::Reached),
                Ok(Turn::Happened) => return Ok(Progress::Event),
                Ok(Turn::Paused(pause)) => {
                    self.pause(pause, observer)?;
                    if self.ended.is_some() {
                        break;
                    }
                    match leg {
                        Leg::Run => {}
                        Leg::Step | Leg::Toward(_) | Leg::To { or_event: true, .. } => {
                            return Ok(Progress::Event);
                        }
                        Leg::To { t, .. } if self.t() >= t => return Ok(Progress::Reached),
                        Leg::To { .. } => {}
                    }
                }
                Err(status) => self.ended = Some(status),
            }
        }
        Ok(Progress::Finished)
    }

    /// As [`drive`](Self::drive), with the inputs as they were set.
    pub(super) fn drive_with_inputs(
        &mut self,
        leg: Leg,
        observer: &mut dyn Observer,
    ) -> Result<Progress, Error> {
        if self.unsaid && self.ended.is_none() {
            self.hand_on(match leg {
                Leg::To { t, .. } | Leg::Toward(t) => Way::Until(t),
                Leg::Run | Leg::Step => Way::AtOnce,
            });
        }
        let progress = self.drive(leg, observer)?;
        let under_way = matches!(leg, Leg::Toward(t) if self.t() < t);
        if self.unsaid && self.ended.is_none() && progress == Progress::Reached && !under_way {
            // what went in a straight line has arrived
            self.hand_on(Way::AtOnce);
        }
        Ok(progress)
    }

    /// Hands the inputs on.
    fn hand_on(&mut self, way: Way) {
        let Simulation { held, aims, setting, .. } = self;
        setting.clear();
        let mut more = false;
        for (input, &aim) in held.mechanism().interactions.inputs.iter().zip(&*aims) {
            match (input.between, way) {
                (Between::Held, _) => setting.push((input.first, aim)),
                (Between::Filtered(_), _) => setting.push((input.first + 2, aim)),
                (Between::Linear, Way::AtOnce) => {
                    setting.extend([(input.first, aim), (input.first + 1, 0.0)]);
                }
                (Between::Linear, Way::Until(t)) => {
                    let (rise, now) = held.look(|stage| (aim - stage.variable(input.first), stage.t()));
                    setting.push((input.first + 1, rise / (t - now)));
                    more |= rise != 0.0;
                }
                (Between::Linear, Way::Later) => more = true,
            }
        }
        self.unsaid = more;
        self.ended = self.held.with(|stage| stage.set_variables(&self.setting)).err();
    }

    /// The input of a name.
    ///
    /// # Errors
    /// [`Error::Input`] if the model has none of this name; those that it has are named.
    pub fn input(&self, name: &str) -> Result<InputId, Error> {
        let inputs = &self.mechanism().interactions.inputs;
        let place = inputs.iter().position(|input| input.name == name);
        place.map(InputId).ok_or_else(|| Input::unknown(name, inputs.iter().map(|input| input.name.as_str())))
    }

    /// Sets an input from now on, in its unit. A value beyond its limits is cut to them. The change takes effect with the next step, and allocates nothing.
    ///
    /// # Errors
    /// [`Error::Input`] if the value is not a finite number.
    pub fn set(&mut self, input: InputId, value: f64) -> Result<(), Error> {
        let place = self.held.mechanism().interactions.inputs.get(input.0);
        let place = place.ok_or_else(|| Error::Input("this input is not there any more".into()))?;
        let InputPlace { name, limits, unit_size, .. } = place;
        if !value.is_finite() {
            return Err(Error::Input(format!("the input `{name}` cannot be {value}")));
        }
        let [low, high] = limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let aim = (value * unit_size).clamp(low, high);
        if aim != self.aims[input.0] {
            self.aims[input.0] = aim;
            self.unsaid = true;
        }
        Ok(())
    }

    /// The value that formulas read of an input at present, in its unit; zero for one that is not there any more.
    pub fn value(&self, input: InputId) -> f64 {
        let Some(place) = self.held.mechanism().interactions.inputs.get(input.0) else { return 0.0 };
        let value = match place.between {
            Between::Held => self.aims[input.0],
            Between::Linear | Between::Filtered(_) => self.held.look(|stage| stage.variable(place.first)),
        };
        value / place.unit_size
    }

    /// Runs to the end and tells how it went.
    pub(super) fn run(mut self, observer: &mut dyn Observer) -> Result<Summary, Error> {
        self.drive(Leg::Run, observer)?;
        Ok(self.finish())
    }

    /// As [`drive`](Self::drive), for a caller that asks for events afterwards.
    fn advance(&mut self, leg: Leg) -> Result<Progress, Error> {
        let mut happened = std::mem::take(&mut self.happened);
        let progress = self.drive_with_inputs(leg, &mut happened);
        self.happened = happened;
        match (progress?, &self.ended) {
            (_, Some(Status::Failed(failure))) => Err(Error::Run(failure.clone())),
            (progress, _) => Ok(progress),
        }
    }

    pub(super) fn with_stage<R>(&mut self, act: impl FnOnce(&mut (dyn Stage + '_)) -> R) -> R {
        self.held.with(act)
    }

    pub(super) fn go(&mut self, leg: Leg) -> Result<Progress, Error> {
        self.advance(leg)
    }

    /// One accepted step, or a shorter one up to something that happens.
    ///
    /// # Errors
    /// [`Error::Run`] if the motion cannot go on; the simulation then stays at the last good state.
    pub fn step(&mut self) -> Result<Progress, Error> {
        self.advance(Leg::Step)
    }

    /// One accepted step that ends at the time t (s) at the latest: for callers that look after something else between the steps on the way to t.
    ///
    /// # Errors
    /// As [`advance_to`](Self::advance_to).
    pub fn step_toward(&mut self, t: f64) -> Result<Progress, Error> {
        self.advance_up_to(t, Leg::Toward)
    }

    /// Goes on to the time t (s) and ends exactly there: the last step is cut. What happens on the way is dealt with, and [`events`](Self::events) tells of it.
    /// With a given `step`, a time that is a multiple of it is where that step ends, to rounding.
    ///
    /// # Errors
    /// [`Error::Time`] if t is in the past or beyond `duration`, [`Error::Run`] if the motion cannot go on.
    pub fn advance_to(&mut self, t: f64) -> Result<Progress, Error> {
        self.advance_up_to(t, |t| Leg::To { t, or_event: false })
    }

    /// As [`advance_to`](Self::advance_to), and ends as soon as something happens.
    ///
    /// # Errors
    /// As [`advance_to`](Self::advance_to).
    pub fn advance_to_event(&mut self, t: f64) -> Result<Progress, Error> {
        self.advance_up_to(t, |t| Leg::To { t, or_event: true })
    }

    fn advance_up_to(&mut self, t: f64, leg: impl Fn(f64) -> Leg) -> Result<Progress, Error> {
        let settings = &self.mechanism().model.settings;
        let (now, end) = (self.t(), settings.duration);
        // sums of steps are off by roundings, and given steps end where they end
        let near = SAME_TIME * end;
        if !(t >= now - near && t <= end + near) {
            return Err(Error::Time { t, now, end });
        }
        if t <= now && self.ended.is_none() {
            return Ok(Progress::Reached);
        }
        self.advance(leg(t.min(end)))
    }

    /// The mechanism that is moving: after a change of topology another one than in the beginning.
    pub fn mechanism(&self) -> &Mechanism {
        self.held.mechanism()
    }

    /// The time, s.
    pub fn t(&self) -> f64 {
        self.held.look(|stage| stage.t())
    }

    /// Where everything is now: positions, velocities, joint coordinates, reactions, energies, measures.
    ///
    /// # Errors
    /// [`Error::Run`] if a result is not a finite number.
    pub fn sample(&mut self) -> Result<&Frame, Error> {
        let failed = |status| match status {
            Status::Failed(failure) => Error::Run(failure),
            Status::Finished | Status::Stopped => {
                Error::Run(RunFailure::plain(0.0, 0.0, "stopped", String::new(), ""))
            }
        };
        if self.unsaid && self.ended.is_none() {
            self.hand_on(Way::Later);
        }
        self.held.with(|stage| stage.sample()).map_err(failed)?;
        Ok(self.last_frame())
    }

    /// What was sampled last.
    pub(super) fn last_frame(&self) -> &Frame {
        match &self.held {
            Held::Given(_, stage) => stage.frame(),
            Held::Own(owned, _) => owned.with_dependent(|_, stage| stage.frame()),
        }
    }

    /// The state that the simulation has come to. Forces from outside, those that no input of the model stands for, are no part of it.
    pub fn state(&mut self) -> State {
        let mut state = self.whole_state();
        state.auxiliary.truncate(state.auxiliary.len() - self.port_inputs());
        state
    }

    /// The state with the forces from outside, which come last.
    pub(super) fn whole_state(&mut self) -> State {
        if self.unsaid && self.ended.is_none() {
            self.hand_on(Way::Later);
        }
        self.held.with(|stage| stage.state())
    }

    /// How many inputs there are beside those of the model.
    pub(super) fn port_inputs(&self) -> usize {
        self.ports.iter().map(Port::inputs).sum()
    }

    /// The formulation at work, never `auto`.
    pub fn formulation(&self) -> Formulation {
        self.held.look(|stage| stage.formulation())
    }

    /// The integrator at work, never `auto`; another one may take over where the motion turns stiff.
    pub fn integrator(&self) -> Integrator {
        self.held.look(|stage| stage.integrator())
    }

    /// Goes to another state of this mechanism, at any time before its `duration`. A state in the coordinates of another formulation is
    /// [converted](Mechanism::converted). Inputs are as the state has them; forces from outside stay as they were set. The state is projected onto the constraints; how far that moved it is returned. What happens there at once, a contact
    /// that is struck say, happens. Accounts of energy and work begin again, and so does the integrator.
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of the mechanism as it stands, [`Error::Time`] if its time is not within the duration, [`Error::Run`] if the constraints
    /// cannot be met or the simulation cannot go on. After an error the simulation is where it was.
    pub fn set_state(&mut self, state: &State) -> Result<Moved, Error> {
        let mut state = state.clone();
        state.auxiliary.extend(&self.aims[self.aims.len() - self.port_inputs()..]);
        let state = &self.mechanism().converted(&state, self.formulation())?;
        let before = self.save();
        self.or_back_to(&before, |simulation| simulation.go_to(state))
    }

    /// Tries something; where that fails, the simulation is as it was saved.
    pub(super) fn or_back_to<T>(
        &mut self,
        before: &Saved<'m>,
        attempt: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let outcome = attempt(self);
        if outcome.is_err() {
            self.restore(before)?;
        }
        outcome
    }

    /// Goes on from a state in the coordinates of the stage.
    pub(super) fn go_to(&mut self, state: &State) -> Result<Moved, Error> {
        let mut happened = std::mem::take(&mut self.happened);
        let set = self.held.with(|stage| stage.set_state(state, &mut happened));
        let set = set.and_then(|(moved, begun)| {
            self.ended = None;
            match begun {
                Ok(None) => {}
                Ok(Some(pause)) => self.pause(pause, &mut happened)?,
                Err(status) => self.ended = Some(status),
            }
            Ok(moved)
        });
        self.happened = happened;
        let moved = set?;
        self.read_inputs();
        match &self.ended {
            Some(Status::Failed(failure)) => Err(Error::Run(failure.clone())),
            _ => Ok(moved),
        }
    }

    pub(super) fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Goes on with a mechanism that has other ports; where it is has to be said next.
    pub(super) fn exchange(&mut self, mechanism: Mechanism, ports: Vec<Port>) -> Result<(), Error> {
        let later = matches!(self.held, Held::Own(_, true));
        let formulation = self.formulation();
        let mut ledger = self.held.with(|stage| stage.pass_on());
        ledger.integrator = None;
        ledger.formulation.get_or_insert((formulation, None));
        let held = Held::new(Source::Own(Arc::new(mechanism), later), ledger)?;
        self.hold(held);
        self.aims.resize(self.mechanism().interactions.inputs.len(), 0.0);
        self.setting.reserve(3 * self.aims.len());
        self.ports = ports;
        Ok(())
    }

    /// Takes the inputs as the state has them.
    fn read_inputs(&mut self) {
        let Simulation { held, aims, .. } = self;
        self.unsaid = false;
        for (input, aim) in held.mechanism().interactions.inputs.iter().zip(aims) {
            let variable = match input.between {
                Between::Held => input.first,
                Between::Filtered(_) => input.first + 2,
                Between::Linear => {
                    // it stays there
                    self.unsaid = true;
                    input.first
                }
            };
            *aim = held.look(|stage| stage.variable(variable));
        }
    }

    /// The simulation as it stands, in memory: what [`restore`](Self::restore) goes back to, bit by bit. It costs a copy of the state.
    pub fn save(&self) -> Saved<'m> {
        Saved {
            source: self.held.source(),
            root: self.root.clone(),
            state: self.held.look(|stage| stage.kept()),
            ended: self.ended.clone(),
            events: self.happened.0.clone(),
            aims: self.aims.clone(),
            unsaid: self.unsaid,
            ports: self.ports.clone(),
        }
    }

    /// Goes back to where this or another simulation of the same mechanism was saved. What follows has the same bits.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if it was saved by a simulation of another mechanism.
    pub fn restore(&mut self, saved: &Saved<'m>) -> Result<(), Error> {
        if saved.root.address() != self.root.address() {
            let theirs = match &saved.source {
                Source::Given(mechanism) => &mechanism.model.name,
                Source::Own(mechanism, _) => &mechanism.model.name,
            };
            return Err(CheckpointError::OtherModel { theirs: theirs.clone() }.into());
        }
        let here = saved.source.address() == self.held.source().address();
        let fits = here && self.held.with(|stage| stage.recall_kept(&saved.state)).is_ok();
        if !fits {
            // another topology, or an integrator that was exchanged since
            let mut ledger = Box::new(Ledger::new(&self.mechanism().model.settings));
            recall_choices(&saved.state, &mut ledger)?;
            let held = Held::new(saved.source.clone(), ledger)?;
            self.hold(held);
            self.held.with(|stage| stage.recall_kept(&saved.state))?;
        }
        self.ended.clone_from(&saved.ended);
        self.happened.0.clone_from(&saved.events);
        self.aims.clone_from(&saved.aims);
        self.unsaid = saved.unsaid;
        self.ports.clone_from(&saved.ports);
        Ok(())
    }

    /// The simulation as it stands, for a file: [`Mechanism::resume`] goes on from it.
    pub fn checkpoint(&self) -> Checkpoint {
        self.held.look(|stage| stage.checkpoint())
    }

    /// What has happened since the last call, in order.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.happened.0)
    }

    /// How the simulation ended, if it did.
    pub fn status(&self) -> Option<&Status> {
        self.ended.as_ref()
    }

    /// Ends the simulation and tells how it went.
    pub fn finish(mut self) -> Summary {
        let status = self.ended.take().unwrap_or(Status::Stopped);
        self.held.with(|stage| stage.finish(status))
    }
}
