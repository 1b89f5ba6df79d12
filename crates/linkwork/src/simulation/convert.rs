//! States of a mechanism without a simulation: the initial one, projected ones, the same state in the coordinates of another formulation.
//!
//! A state is read as places and velocities of the bodies, which do not depend on coordinates. The mechanism is put there, and another formulation says what its
//! own coordinates are.

use super::ledger::Ledger;
use super::stage::{OwnedStage, make};
use super::state::{Moved, State};
use crate::Error;
use crate::mechanism::{Mechanism, Start};
use crate::model::{Formulation, Integrator, Settings};
use crate::results::Frame;
use std::sync::Arc;

impl Mechanism {
    /// The initial state, in the coordinates of a formulation; [`Formulation::Auto`] is the one that a simulation takes.
    ///
    /// # Errors
    /// [`Error::Model`] if the formulation cannot describe this mechanism.
    pub fn initial_state(&self, formulation: Formulation) -> Result<State, Error> {
        let formulation = self.resolved(formulation);
        let mut stage = self.to_be_probed(formulation)?;
        let state = stage.with_dependent_mut(|_, stage| stage.initial());
        // with the coordinates of the joints
        let frame = frame_of(&mut stage, &state)?;
        Ok(State { joints: frame.joints, ..state })
    }

    /// The state next to this one that meets the constraints, and how far that is: that with the least change of coordinates, and of rates, in the metric of the
    /// kinetic energy. Its locks, limits and contacts stay as they are.
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism, [`Error::Run`] if the constraints cannot be met.
    pub fn projected(&self, state: &State) -> Result<(State, Moved), Error> {
        self.to_be_asked(state.formulation)?.with_dependent_mut(|_, stage| stage.projected(state))
    }

    /// The same state in the coordinates of another formulation. Angles among them are within half a turn; whole turns are in [`State::joints`].
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism, [`Error::Model`] if the other formulation cannot describe the mechanism.
    pub fn converted(&self, state: &State, formulation: Formulation) -> Result<State, Error> {
        let formulation = self.resolved(formulation);
        if formulation == state.formulation {
            return Ok(state.clone());
        }
        let mut from = self.to_be_probed(state.formulation)?;
        let frame = frame_of(&mut from, state)?;
        let mut there = self.to_be_run_in(formulation);
        Start::new(self, &frame.instant()).place(&mut there);
        let mut to = asked(there, formulation)?;
        let State { coordinates, rates, .. } = to.with_dependent_mut(|_, stage| stage.initial());
        Ok(State { formulation, coordinates, rates, joints: frame.joints, ..state.clone() })
    }

    /// The formulation that a run takes.
    fn resolved(&self, formulation: Formulation) -> Formulation {
        match formulation {
            Formulation::Auto => self.formulation().0,
            given => given,
        }
    }

    /// The mechanism with settings that no integrator objects to.
    fn to_be_run_in(&self, formulation: Formulation) -> Mechanism {
        let mut mechanism = self.clone();
        let settings = &mut mechanism.model.settings;
        *settings = Settings {
            formulation,
            integrator: Integrator::Auto,
            step: None,
            order: None,
            ..settings.clone()
        };
        mechanism
    }

    /// A stage that answers questions and is not run.
    pub(super) fn to_be_asked(&self, formulation: Formulation) -> Result<OwnedStage, Error> {
        asked(self.to_be_run_in(formulation), formulation)
    }

    /// The same where measures may have no value, as a ratio of rates has none at rest: nothing asks for them.
    pub(super) fn to_be_probed(&self, formulation: Formulation) -> Result<OwnedStage, Error> {
        let mut mechanism = self.to_be_run_in(formulation);
        mechanism.measures_may_lack_values = true;
        asked(mechanism, formulation)
    }
}

fn asked(mechanism: Mechanism, formulation: Formulation) -> Result<OwnedStage, Error> {
    let mut ledger = Box::new(Ledger::new(&mechanism.model.settings));
    ledger.formulation = Some((formulation, None));
    // it never steps: the least to get ready
    ledger.integrator = Some((Integrator::Rk4, None));
    OwnedStage::try_new(Arc::new(mechanism), |mechanism| make(mechanism, None, ledger))
}

fn frame_of(stage: &mut OwnedStage, state: &State) -> Result<Frame, Error> {
    stage.with_dependent_mut(|_, stage| {
        stage.look_at_state(state)?;
        Ok(stage.frame().clone())
    })
}
