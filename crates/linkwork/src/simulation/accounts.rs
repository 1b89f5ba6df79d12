//! Balances of mass, momentum and energy while a run goes on.

use super::Status;
use super::run::Run;
use crate::formulations::{Formulate, MotionError};
use crate::integrate::StepError;
use crate::results::{Before, Flow};

impl<F: Formulate> Run<'_, F> {
    /// Keeps the balances up to a time within the last step. A force may jump there: what counts is the value before, as it does for the step.
    pub(super) fn keep_balances(&mut self, t: f64) -> Result<(), Status> {
        if !self.balances || t <= self.ledger.balances.t() {
            return Ok(());
        }
        let mut flows = [Flow::default(); 4];
        for (flow, place) in flows.iter_mut().zip(self.ledger.balances.places(t)) {
            let found = match place == self.stepper.t() {
                true => {
                    self.y.copy_from_slice(self.stepper.y());
                    Ok(())
                }
                false => self.stepper.interpolate(&mut self.system, place, &mut self.y),
            };
            let before = if place == t { place.next_down() } else { place };
            let found = found
                .and_then(|()| self.flow(before).map_err(|source| StepError::System { t: place, source }));
            *flow = found.map_err(|error| self.failed(place, &error))?;
        }
        self.ledger.balances.add(t, flows);
        Ok(())
    }

    /// A new stretch begins at the state in `y`, where a force may have jumped.
    pub(super) fn resume_books(&mut self, t: f64) -> Result<(), Status> {
        if self.balances {
            let flow = self.flow(t);
            let flow = flow.map_err(|source| self.failed(t, &StepError::System { t, source }))?;
            self.ledger.balances.go_on(flow);
        }
        Ok(())
    }

    /// The integrands at the state in `y`.
    fn flow(&mut self, t: f64) -> Result<Flow, MotionError> {
        let mechanism = self.mechanism;
        let frame = &mut self.looked;
        if mechanism.leans_on_ground() {
            self.system.observe(t, &self.y, frame)?;
        } else {
            frame.t = t;
            self.system.locate_bodies(&self.y, &mut frame.motions);
            let auxiliary = &self.y[self.system.work_index() + 1..];
            frame.read_actions(mechanism, &mut self.acts, auxiliary);
        }
        Ok(Flow::new(mechanism, frame))
    }

    /// Opens the balances at the state in `y`.
    pub(super) fn open_books(&mut self, t: f64) -> Result<(), Status> {
        if self.balances {
            self.look(t)?;
            self.ledger.balances.open(self.mechanism, &self.looked);
        }
        Ok(())
    }

    /// Looks at the state in `y`.
    pub(super) fn look(&mut self, t: f64) -> Result<(), Status> {
        let found = self.system.observe(t, &self.y, &mut self.looked);
        found.map_err(|source| self.failed(t, &StepError::System { t, source }))
    }

    /// What there is at the state in `y`.
    pub(super) fn before(&mut self, t: f64) -> Result<Before, Status> {
        if !self.balances {
            return Ok(Before::default());
        }
        self.look(t)?;
        Ok(Before::new(self.mechanism, &self.looked))
    }

    /// Something has jumped since, and the state in `y` goes on.
    pub(super) fn after(&mut self, t: f64, before: &Before) -> Result<(), Status> {
        if self.balances {
            self.look(t)?;
            self.ledger.balances.jump(self.mechanism, &self.looked, before, false);
        }
        Ok(())
    }
}
