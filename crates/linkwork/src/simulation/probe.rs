//! A mechanism in one formulation as a function of its state: what an analysis evaluates, displaces and projects.
//!
//! Nothing happens here: time stands still between calls, and locks, limits and contacts stay as the state says that was entered last.

use super::stage::OwnedStage;
use super::state::State;
use crate::Error;
use crate::formulations::{MotionError, Variational};
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::results::Frame;
use std::ops::Range;

/// The equations of motion of a mechanism, to be evaluated at any state. A state is a vector y = [q, u, W, auxiliary states], in the axes that runs take.
pub(crate) struct Probe {
    stage: OwnedStage,
    dimension: usize,
    rates: Range<usize>,
}

/// Strides from one time to another, at most.
const MOST_STRIDES: u32 = 4096;

impl Probe {
    /// A probe in a formulation; [`Formulation::Auto`] is the one that a simulation takes.
    ///
    /// # Errors
    /// [`Error::Model`] if the formulation cannot describe the mechanism.
    pub fn new(mechanism: &Mechanism, formulation: Formulation) -> Result<Self, Error> {
        let formulation =
            if formulation == Formulation::Auto { mechanism.formulation().0 } else { formulation };
        let mut stage = mechanism.to_be_probed(formulation)?;
        let (dimension, rates) = stage.with_dependent_mut(|_, stage| {
            let system = stage.system();
            (system.dimension(), system.rates())
        });
        Ok(Probe { stage, dimension, rates })
    }

    /// Number of components of y.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Where the rates stand in y: coordinates before them, then the work, then auxiliary states.
    pub fn rates(&self) -> Range<usize> {
        self.rates.clone()
    }

    /// Where the auxiliary states begin in y, variables of the user last.
    pub fn auxiliary(&self) -> Range<usize> {
        self.rates.end + 1..self.dimension
    }

    /// The y that the model starts with, before anything happens.
    pub fn start(&mut self) -> Vec<f64> {
        self.stage.with_dependent_mut(|_, stage| stage.system().start())
    }

    /// Goes to a state, in the formulation of the probe, and tells its y. It is not projected.
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism.
    pub fn enter(&mut self, state: &State) -> Result<Vec<f64>, Error> {
        self.stage.with_dependent_mut(|_, stage| stage.enter(state))
    }

    /// y' at (t, y).
    ///
    /// # Errors
    /// [`Error::Run`] if the accelerations are not determined.
    pub fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Error> {
        self.stage.with_dependent_mut(|_, stage| {
            let found = stage.system().derivative(t, y, dy);
            found.map_err(|error| stage.wrong(t, error))
        })
    }

    /// Asks the equations of motion, differentiated along directions; `None` if the formulation does not differentiate them where the probe stands.
    pub fn variational<R>(
        &mut self,
        t: f64,
        ask: impl FnOnce(&mut dyn Variational) -> Result<R, MotionError>,
    ) -> Option<Result<R, Error>> {
        self.stage.with_dependent_mut(|_, stage| {
            let found = ask(stage.system().variational()?);
            Some(found.map_err(|error| stage.wrong(t, error)))
        })
    }

    /// Moves y onto the constraints by the least change in the metric of the kinetic energy, positions first; y' there.
    ///
    /// # Errors
    /// [`Error::Run`] if the constraints cannot be met.
    pub fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Error> {
        self.stage.with_dependent_mut(|_, stage| {
            let found = stage.system().project(t, y, dy);
            found.map_err(|error| stage.wrong(t, error))
        })
    }

    /// Moves the positions in y by a small change of the kind that rates times a second are. Follows an evaluation at y.
    pub fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        self.stage.with_dependent_mut(|_, stage| stage.system().displace(y, change));
    }

    /// Moves y from the constraints of one time onto those of another, where drivers have gone on: in strides, so that it stays in its branch.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn carry(&mut self, [from, to]: [f64; 2], y: &mut [f64], dy: &mut [f64]) -> Result<(), Error> {
        let before = y.to_vec();
        // turns are counted from one stride to the next
        let mut strides: u32 = if from == to { 1 } else { 64 };
        loop {
            y.copy_from_slice(&before);
            let mut steps = (1..=strides).map(|k| from + (to - from) * f64::from(k) / f64::from(strides));
            match steps.try_for_each(|t| self.project(t, y, dy)) {
                Ok(()) => return Ok(()),
                Err(error) if strides >= MOST_STRIDES => return Err(error),
                Err(_) => strides *= 4,
            }
        }
    }

    /// Everything there is to know at (t, y).
    ///
    /// # Errors
    /// [`Error::Run`] if a result is not a finite number.
    pub fn frame(&mut self, t: f64, y: &[f64]) -> Result<&Frame, Error> {
        self.stage.with_dependent_mut(|_, stage| stage.observe_at(t, y))?;
        Ok(self.stage.with_dependent(|_, stage| stage.frame()))
    }

    /// (t, y) as plain data.
    pub fn state(&mut self, t: f64, y: &[f64]) -> State {
        self.stage.with_dependent_mut(|_, stage| stage.state_at(t, y))
    }

    /// Whether a coordinate of y is a length; the others are angles and parts of quaternions.
    pub fn is_place(&mut self, i: usize) -> bool {
        self.stage.with_dependent_mut(|_, stage| stage.system().is_place(i))
    }

    /// What a component of y is, for people.
    pub fn component_name(&mut self, i: usize) -> String {
        self.stage.with_dependent_mut(|_, stage| stage.system().component_name(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Body, Model};

    /// A pendulum is displaced by an angle, projected, and swings back with g cos φ / (2l/3).
    #[test]
    fn exact_displaced_pendulum() -> Result<(), Error> {
        let model = Model::planar("pendulum")
            .gravity([0.0, -9.81])
            .point("O", [0.0, 0.0])
            .point("A", [2.0, 0.0])
            .ground(["O"])
            .body(Body::rod("rod", ["O", "A"], 3.0));
        let mechanism = model.assemble()?;
        for formulation in [Formulation::Points, Formulation::Recursive, Formulation::NewtonEuler] {
            let mut probe = Probe::new(&mechanism, formulation)?;
            let mut y = probe.enter(&mechanism.initial_state(formulation)?)?;
            let mut dy = vec![0.0; probe.dimension()];
            probe.derivative(0.0, &y, &mut dy)?;
            let change: Vec<f64> = dy[probe.rates()].iter().map(|a| a * -0.05).collect();
            probe.displace(&mut y, &change);
            probe.project(0.0, &mut y, &mut dy)?;
            let frame = probe.frame(0.0, &y)?;
            let [x, height, _] = frame.positions[1];
            assert!((x.hypot(height) - 2.0).abs() < 1e-14 && height > 0.1, "{formulation}: {x} {height}");
            let alpha = frame.accelerations[1][1] / x;
            let exact = -9.81 * (x / 2.0) / (2.0 / 3.0 * 2.0);
            // the tip has the centripetal acceleration 0: it stands still
            assert!((alpha - exact).abs() < 1e-11, "{formulation}: {alpha} {exact}");
            let state = probe.state(0.0, &y);
            assert_eq!(probe.enter(&state)?, y, "{formulation}");
        }
        Ok(())
    }
}
