//! What an analysis of a prescribed motion asks: it moves an instant about, and reads how bodies move for given rates.

use super::instant::Instant;
use super::state::State;
use crate::Error;
use crate::formulations::{Formulate, Twist};
use crate::integrate::System;
use crate::interactions::Motion;

impl Instant<'_> {
    /// Number of rates.
    pub(crate) fn rate_count(&self) -> usize {
        self.state.rates.len()
    }

    /// The rates.
    pub(crate) fn speeds(&self) -> &[f64] {
        &self.y[System::rates(&self.system)]
    }

    /// The auxiliary states: hints, held values, variables.
    pub(crate) fn auxiliary(&self) -> &[f64] {
        &self.y[self.system.work_index() + 1..]
    }

    /// A size of each rate times a second: an angle of one, or the size of the mechanism.
    pub(crate) fn rate_sizes(&self) -> Vec<f64> {
        self.system.rate_sizes(1.0)
    }

    /// Sets the time, s.
    pub(crate) fn set_time(&mut self, t: f64) {
        self.state.t = t;
    }

    /// Sets the rates.
    pub(crate) fn set_speeds(&mut self, speeds: &[f64]) {
        let rates = System::rates(&self.system);
        self.y[rates].copy_from_slice(speeds);
        self.take_over();
    }

    /// Sets a variable.
    pub(crate) fn set_variable(&mut self, variable: usize, value: f64) {
        let first = self.system.work_index() + 1 + self.mechanism.interactions.variables_at();
        self.y[first + variable] = value;
        self.take_over();
    }

    /// Moves the positions by a change of the kind that rates times a second are.
    pub(crate) fn displace(&mut self, change: &[f64]) {
        self.system.displace(&mut self.y, change);
        self.settle_hints();
        self.take_over();
    }

    /// Counted turns and places on curves follow the bodies.
    fn settle_hints(&mut self) {
        let interactions = &self.mechanism.interactions;
        if interactions.hints == 0 {
            return;
        }
        let mut motions = vec![Motion::FIXED; self.mechanism.bodies.len()];
        self.system.locate_bodies(&self.y, &mut motions);
        let first = self.system.work_index() + 1;
        let hints = &mut self.y[first..first + interactions.hints];
        for function in &interactions.gauges {
            if let Some((hint, value, _)) = function.hint(&motions, hints) {
                hints[hint] = value;
            }
        }
    }

    /// Moves onto the constraints by the least change, positions first, then rates.
    ///
    /// # Errors
    /// [`Error::Run`] if they cannot be met.
    pub(crate) fn project(&mut self) -> Result<(), Error> {
        let mut dy = vec![0.0; self.y.len()];
        let found = self.system.project(self.state.t, &mut self.y, &mut dy);
        found.map_err(|error| self.wrong(&error))?;
        self.take_over();
        Ok(())
    }

    /// The bodies here, with the velocities that given rates make.
    pub(crate) fn motions(&mut self, speeds: &[f64], out: &mut Vec<Motion>) {
        let rates = System::rates(&self.system);
        let kept = self.y[rates.clone()].to_vec();
        self.y[rates.clone()].copy_from_slice(speeds);
        out.clear();
        out.resize(self.mechanism.bodies.len(), Motion::FIXED);
        self.system.locate_bodies(&self.y, out);
        self.y[rates].copy_from_slice(&kept);
    }

    /// Accelerations of the bodies for given accelerations of the rates: of their centres of mass, and angular ones.
    pub(crate) fn body_accelerations(&mut self, accelerations: &[f64], out: &mut Vec<Twist>) {
        let mut dy = vec![0.0; self.y.len()];
        dy[System::rates(&self.system)].copy_from_slice(accelerations);
        out.clear();
        out.resize(self.mechanism.bodies.len(), Twist::default());
        self.system.body_accelerations(&self.y, &dy, out);
    }

    /// The forces on the rates that, beside everything that acts, make these accelerations: M u̇ + h, loops as they are.
    ///
    /// # Errors
    /// As [`accelerations`](Self::accelerations).
    pub(crate) fn forces_for(&mut self, accelerations: &[f64]) -> Result<Vec<f64>, Error> {
        self.ready("inverse dynamics")?;
        Ok(self.tree_forces(accelerations))
    }

    /// Goes back to numbers that [`state`](Self::state) gave, without a conversion.
    pub(crate) fn restore(&mut self, state: &State) {
        let State { coordinates, rates, work, auxiliary, .. } = state;
        self.y.clear();
        self.y.extend(coordinates.iter().chain(rates).chain([work]).chain(auxiliary));
        self.state.clone_from(state);
        self.stage = None;
    }

    /// What was changed in y, in the state.
    fn take_over(&mut self) {
        let (rates, work) = (System::rates(&self.system), self.system.work_index());
        self.state.coordinates.copy_from_slice(&self.y[..rates.start]);
        self.state.rates.copy_from_slice(&self.y[rates]);
        self.state.work = self.y[work];
        self.state.auxiliary.copy_from_slice(&self.y[work + 1..]);
        self.stage = None;
    }
}
