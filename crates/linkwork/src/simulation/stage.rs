//! A run under way whatever its formulation: how it is made, what can be asked of it, and how it ends.

use super::checkpoint::Checkpoint;
use super::events::{Edit, Event};
use super::ledger::Ledger;
use super::run::{Leg, Pause, Run, Turn};
use super::stages::{Carried, NextStage};
use super::state::{Moved, State, failure};
use super::{CheckpointError, Observer, Remark, Status, Summary};
use crate::Error;
use crate::formulations::{
    AddedInertia, BodyAxes, Contacting, Formulate, Joints, Kane, Lagrange, Momentum, MotionError,
    NewtonEuler, Points, Recursive, Tmt,
};
use crate::integrate::StepError;
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, Integrator, Severity};
use crate::results::{Frame, StateCoordinate};
use std::sync::Arc;

/// A run as long as nothing comes or goes of what the mechanism consists of.
pub(super) trait Stage: Send {
    /// Shows the first rows and starts the integration. Tells how the stage ended, if it did.
    fn begin(
        &mut self,
        carried: Option<&Carried>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Pause>, Status>;
    /// Puts a stage that has just been made where a checkpoint was taken.
    fn recall(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError>;
    /// Whether the state that it goes on from can be one.
    fn check_state(&mut self) -> Result<(), Status>;
    /// Steps until the leg is over or something ends it.
    fn drive(&mut self, leg: Leg, observer: &mut dyn Observer) -> Result<Turn, Status>;
    /// The mechanism that goes on after edits.
    fn next_stage(
        &mut self,
        t: f64,
        edits: &[Edit],
        reported: Vec<Event>,
        observer: &mut dyn Observer,
    ) -> Result<NextStage, Status>;
    /// As it stands, in bytes, and for a file.
    fn kept(&self) -> Vec<u8>;
    fn checkpoint(&self) -> Checkpoint;
    /// As it stood.
    fn recall_kept(&mut self, state: &[u8]) -> Result<(), CheckpointError>;
    /// The time, s.
    fn t(&self) -> f64;
    /// The state it has come to, and the one that the model gives.
    fn state(&mut self) -> State;
    fn initial(&mut self) -> State;
    /// Goes on from another state, which is projected; then what [`begin`](Stage::begin) tells.
    fn set_state(&mut self, state: &State, observer: &mut dyn Observer) -> Result<Set, Error>;
    /// The state next to this one that meets the constraints.
    fn projected(&mut self, state: &State) -> Result<(State, Moved), Error>;
    /// Reads everything off another state, where nothing happens.
    fn look_at_state(&mut self, state: &State) -> Result<(), Error>;
    /// Goes to a state, with locks, limits and contacts as it says, and tells its numbers as the system has them.
    fn enter(&mut self, state: &State) -> Result<Vec<f64>, Error>;
    /// The system behind the stage.
    fn system(&mut self) -> &mut dyn Formulate;
    /// Reads everything off a state that is near the one entered.
    fn observe_at(&mut self, t: f64, y: &[f64]) -> Result<(), Error>;
    /// A state near the one entered, as plain data.
    fn state_at(&mut self, t: f64, y: &[f64]) -> State;
    /// What a failed evaluation is to the user.
    fn wrong(&mut self, t: f64, error: MotionError) -> Error;
    /// What is at work.
    fn formulation(&self) -> Formulation;
    fn integrator(&self) -> Integrator;
    /// Sets variables, given by number and value, from now on.
    fn set_variables(&mut self, list: &[(usize, f64)]) -> Result<(), Status>;
    /// The value of a variable.
    fn variable(&self, variable: usize) -> f64;
    /// Reads everything off the present state.
    fn sample(&mut self) -> Result<(), Status>;
    /// The present state, and coordinates of joints that stand in it.
    fn y(&self) -> &[f64];
    fn joint_coordinates(&self) -> Vec<StateCoordinate>;
    /// What was read off last.
    fn frame(&self) -> &Frame;
    /// What the run keeps.
    fn ledger(&mut self) -> &mut Ledger;
    /// When the present stretch of smooth motion ends at the latest, s.
    fn stretch_end(&self) -> f64;
    /// The next step has this size, whatever its error; it is shorter where the stretch ends.
    fn dictate(&mut self, h: f64);
    /// Ends the stage: what is kept of the run goes on.
    fn pass_on(&mut self) -> Box<Ledger>;
    /// Ends the run.
    fn finish(&mut self, status: Status) -> Summary;
}

/// How far a state that was set had to be moved, and how the stage ended there, if it did.
pub(super) type Set = (Moved, Result<Option<Pause>, Status>);

/// A stage of any formulation.
pub(super) type AnyStage<'m> = Box<dyn Stage + 'm>;

/// A stage beside the mechanism that it borrows.
#[allow(dead_code)] // the macro writes more than is used here
mod owned {
    use super::AnyStage;
    use crate::mechanism::Mechanism;
    use std::sync::Arc;

    self_cell::self_cell!(
        pub(in crate::simulation) struct OwnedStage {
            owner: Arc<Mechanism>,
            #[not_covariant]
            dependent: AnyStage,
        }
    );
}

pub(super) use owned::OwnedStage;

impl Mechanism {
    /// A remark where the mechanism has travelled so far that the roundings of its coordinates are larger than the tolerance.
    fn coarse_remark(&self, frame: &Frame) -> Option<Remark> {
        let places = frame.motions.iter().map(|motion| &motion.c);
        let far = places.flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        let (rounding, tolerance) = (0.5 * f64::EPSILON * far, self.model.settings.tolerance);
        let said = self.model.settings.tolerance_unused().is_none();
        (said && rounding > tolerance * self.size).then(|| {
            let message = format!(
                "the mechanism is {far:.1e} m from where it was drawn: coordinates are rounded to {rounding:.1e} m there, which is more than `tolerance` times its \
                 size, {:.1e} m; the motion is as accurate as these roundings",
                self.size
            );
            Remark { t: Some(frame.t), code: "far-away", message }
        })
    }
}

/// The most components of a state that implicit methods without sparse equations take: their matrices are dense, 32 MB each here and twice that for the complex one.
const MOST_DENSE: usize = 2000;

/// Makes a stage of the mechanism, in the formulation that the ledger names or else in the one that suits it. `shared` is the mechanism itself where it is not the
/// one that the run began with.
pub(super) fn make<'m>(
    mechanism: &'m Mechanism,
    shared: Option<&Arc<Mechanism>>,
    ledger: Box<Ledger>,
) -> Result<AnyStage<'m>, Error> {
    let settings = &mechanism.model.settings;
    let chosen = ledger.formulation.clone().unwrap_or_else(|| mechanism.formulation());
    let formulation = chosen.0;
    let mut unsupported = formulation.unsupported(mechanism);
    unsupported.extend(settings.integrator.objection(mechanism));
    let faults = |list| Error::Model(Faults { list, provenance: mechanism.model.provenance.clone() });
    if unsupported.iter().any(|f| f.severity == Severity::Error) {
        return Err(faults(unsupported));
    }
    let refuse = |fault| faults(vec![fault]);
    let making = Making { mechanism, shared, ledger, chosen };
    match formulation {
        // never what the choice ends with
        Formulation::Auto | Formulation::Recursive => making.any(Recursive::new(mechanism).map_err(refuse)?),
        Formulation::Points => making.any(Points::new(mechanism).map_err(refuse)?),
        Formulation::Joints => making.any(Joints::new(mechanism).map_err(refuse)?),
        Formulation::Momentum => making.any(Momentum::new(mechanism).map_err(refuse)?),
        Formulation::NewtonEuler => making.any(NewtonEuler::new(mechanism).map_err(refuse)?),
        Formulation::Tmt => making.any(Tmt::new(mechanism).map_err(refuse)?),
        Formulation::Lagrange => making.any(Lagrange::new(mechanism).map_err(refuse)?),
        Formulation::Kane => making.any(Kane::new(mechanism).map_err(refuse)?),
    }
}

/// A stage of a system that was made from the mechanism, with a start or forces of its own.
pub(super) fn make_of<'m>(
    mechanism: &'m Mechanism,
    system: Recursive<'m>,
    why: Option<String>,
) -> Result<AnyStage<'m>, Error> {
    let ledger = Box::new(Ledger::new(&mechanism.model.settings));
    Making { mechanism, shared: None, ledger, chosen: (Formulation::Recursive, why) }.any(system)
}

/// A stage that is being made.
struct Making<'a, 'm> {
    mechanism: &'m Mechanism,
    shared: Option<&'a Arc<Mechanism>>,
    ledger: Box<Ledger>,
    chosen: (Formulation, Option<String>),
}

impl<'m> Making<'_, 'm> {
    /// With contacts, masses that vary and inertias of joints only where there are any: others pay nothing.
    fn any<F: Formulate + 'm>(self, system: F) -> Result<AnyStage<'m>, Error> {
        let spins = system.spins();
        match spins.is_empty() {
            true => self.dressed(system),
            false => self.dressed(BodyAxes::new(system, spins)),
        }
    }

    fn dressed<F: Formulate + 'm>(self, system: F) -> Result<AnyStage<'m>, Error> {
        let (mechanism, plain) = (self.mechanism, !self.mechanism.has_contacts());
        // below the contacts: they see the true masses
        match (AddedInertia::is_needed(mechanism, &system), plain) {
            (false, true) => self.with(system),
            (false, false) => self.with(Contacting::new(mechanism, system)),
            (true, true) => self.with(AddedInertia::new(mechanism, system)),
            (true, false) => self.with(Contacting::new(mechanism, AddedInertia::new(mechanism, system))),
        }
    }

    fn with<F: Formulate + 'm>(self, mut system: F) -> Result<AnyStage<'m>, Error> {
        let mechanism = self.mechanism;
        let (n, integrator) = (system.dimension(), mechanism.model.settings.integrator);
        let dense = integrator == Integrator::Radau5
            || (integrator == Integrator::Bdf && system.mechanics().is_none());
        if dense && n > MOST_DENSE {
            let message = format!(
                "`{}` works with dense matrices, here for at most {MOST_DENSE} components of the state; there are {n}",
                integrator.name()
            );
            let list = vec![Fault::error("simulation.integrator", message)];
            return Err(Error::Model(Faults { list, provenance: mechanism.model.provenance.clone() }));
        }
        let mut run = Run::new(mechanism, self.chosen.0, system, self.ledger);
        run.frame.stage = self.shared.cloned();
        run.ledger.formulation = Some(self.chosen);
        Ok(Box::new(run))
    }
}

impl<F: Formulate> Stage for Run<'_, F> {
    fn begin(
        &mut self,
        carried: Option<&Carried>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Pause>, Status> {
        self.begin(carried, observer)
    }
    fn recall(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        self.recall(checkpoint)
    }
    fn check_state(&mut self) -> Result<(), Status> {
        self.check_state()
    }
    fn drive(&mut self, leg: Leg, observer: &mut dyn Observer) -> Result<Turn, Status> {
        self.drive(leg, observer)
    }
    fn next_stage(
        &mut self,
        t: f64,
        edits: &[Edit],
        reported: Vec<Event>,
        observer: &mut dyn Observer,
    ) -> Result<NextStage, Status> {
        self.next_stage(t, edits, reported, observer)
    }

    fn kept(&self) -> Vec<u8> {
        self.kept()
    }
    fn checkpoint(&self) -> Checkpoint {
        self.checkpoint()
    }
    fn recall_kept(&mut self, state: &[u8]) -> Result<(), CheckpointError> {
        self.recall_kept(state)
    }
    fn t(&self) -> f64 {
        self.stepper.t()
    }
    fn state(&mut self) -> State {
        self.state()
    }
    fn initial(&mut self) -> State {
        self.initial()
    }
    fn set_state(&mut self, state: &State, observer: &mut dyn Observer) -> Result<Set, Error> {
        self.set_state(state, observer)
    }
    fn projected(&mut self, state: &State) -> Result<(State, Moved), Error> {
        self.projected(state)
    }
    fn look_at_state(&mut self, state: &State) -> Result<(), Error> {
        self.look_at_state(state)
    }
    fn enter(&mut self, state: &State) -> Result<Vec<f64>, Error> {
        self.enter(state)
    }
    fn system(&mut self) -> &mut dyn Formulate {
        &mut self.system
    }
    fn observe_at(&mut self, t: f64, y: &[f64]) -> Result<(), Error> {
        self.y.copy_from_slice(y);
        self.read_off(t).map_err(failure)
    }
    fn state_at(&mut self, t: f64, y: &[f64]) -> State {
        self.state_at(t, y)
    }
    fn wrong(&mut self, t: f64, source: MotionError) -> Error {
        failure(self.failed(t, &StepError::System { t, source }))
    }
    fn formulation(&self) -> Formulation {
        self.formulation
    }
    fn integrator(&self) -> Integrator {
        self.integrator
    }
    fn set_variables(&mut self, list: &[(usize, f64)]) -> Result<(), Status> {
        self.set_variables(list)
    }
    fn variable(&self, variable: usize) -> f64 {
        self.stepper.y()[self.variables_at() + variable]
    }
    fn sample(&mut self) -> Result<(), Status> {
        let t = self.stepper.t();
        self.look_at(t)?;
        self.read_off(t)
    }
    fn y(&self) -> &[f64] {
        self.stepper.y()
    }
    fn joint_coordinates(&self) -> Vec<StateCoordinate> {
        self.system.joint_coordinates()
    }
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn ledger(&mut self) -> &mut Ledger {
        &mut self.ledger
    }
    fn stretch_end(&self) -> f64 {
        self.stepper.t_end()
    }
    fn dictate(&mut self, h: f64) {
        self.stepper.dictate(h);
    }

    fn pass_on(&mut self) -> Box<Ledger> {
        self.close();
        let fresh = Box::new(Ledger::new(&self.mechanism.model.settings));
        std::mem::replace(&mut self.ledger, fresh)
    }

    fn finish(&mut self, status: Status) -> Summary {
        self.close();
        self.ledger.stiffness.finish(&mut self.ledger.remarks);
        let leaps = self.ledger.statistics.leaps;
        if self.mechanism.model.settings.fixed_step().is_some() && leaps > 0 {
            let message = format!(
                "the projection onto the constraints moved the mechanism by more than a hundredth of its size in {leaps} steps: the motion may have changed its branch, \
                 take a smaller `step`"
            );
            self.ledger.remarks.push(Remark { t: None, code: "branch", message });
        }
        self.ledger.remarks.extend(self.mechanism.coarse_remark(&self.frame));
        let because = self.ledger.formulation.take().and_then(|(_, why)| why);
        let chosen = (self.formulation, because, self.integrator, self.why.take(), self.fallback.take());
        self.ledger.summary(self.mechanism, status, &self.system, chosen)
    }
}

impl<F: Formulate> Run<'_, F> {
    /// The stage is over: what it has counted is added to the run's.
    fn close(&mut self) {
        let Run { stepper, ledger, singular, events, system, .. } = self;
        events.iter().for_each(|events| events.finish(&mut ledger.remarks));
        singular.finish(&mut ledger.remarks);
        ledger.close_stage(stepper.statistics(), system.counters(), system.contact_steps());
    }
}
