//! Forces that a caller sets by the names of joints and bodies, without an input in the model.

use super::stepping::{InputId, Simulation};
use crate::Error;
use crate::mechanism::{Hand, Port};

/// The force and the moment on a body: [`Simulation::wrench`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrenchId {
    /// Components of the force at the centre of mass, N, world axes.
    pub force: [InputId; 3],
    /// Components of the moment, N m, world axes.
    pub moment: [InputId; 3],
}

/// A hand on a body: [`Simulation::grab`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandId {
    target: [InputId; 3],
    holds: InputId,
}

impl Simulation<'_> {
    /// An input for the force (N) or moment (N m) along a coordinate of a joint, counted from one: on the second body, and the opposite on the first. It is zero until it is [set](Self::set), and
    /// held until it is set again. No result column shows it; its work counts.
    ///
    /// The first call for a joint costs a copy of the mechanism, and the integrator begins again; later ones find what is there.
    ///
    /// # Errors
    /// [`Error::Input`] if there is no such joint or coordinate, [`Error::Run`] if the simulation has failed.
    pub fn joint_force(&mut self, joint: &str, coordinate: usize) -> Result<InputId, Error> {
        self.open(Port::Joint(joint.into(), coordinate)).map(InputId)
    }

    /// Inputs for a force at the centre of mass of a body and a moment on it, in world axes; else as [`joint_force`](Self::joint_force).
    ///
    /// # Errors
    /// As [`joint_force`](Self::joint_force).
    pub fn wrench(&mut self, body: &str) -> Result<WrenchId, Error> {
        let first = self.open(Port::Body(body.into()))?;
        let three = |from: usize| std::array::from_fn(|c| InputId(first + from + c));
        Ok(WrenchId { force: three(0), moment: three(3) })
    }

    /// Sets the force (N) and the moment (N m) on a body from now on, world axes.
    ///
    /// # Errors
    /// [`Error::Input`] if a number is not finite; then nothing is set.
    pub fn set_wrench(&mut self, id: WrenchId, force: [f64; 3], moment: [f64; 3]) -> Result<(), Error> {
        self.set_all(id.force.iter().chain(&id.moment), force.iter().chain(&moment))
    }

    /// A hand that takes hold of a body and pulls it towards a target in the world, m, from now on.
    ///
    /// # Errors
    /// As [`joint_force`](Self::joint_force).
    pub fn grab(&mut self, hand: Hand, target: [f64; 3]) -> Result<HandId, Error> {
        let first = self.open(Port::Hand(hand))?;
        let target_ids = std::array::from_fn(|c| InputId(first + c));
        let id = HandId { target: target_ids, holds: InputId(first + 3) };
        self.pull_to(id, target)?;
        self.set(id.holds, 1.0)?;
        Ok(id)
    }

    /// Moves the target of a hand, m.
    ///
    /// # Errors
    /// [`Error::Input`] if a number is not finite; then the target stays.
    pub fn pull_to(&mut self, id: HandId, target: [f64; 3]) -> Result<(), Error> {
        self.set_all(id.target.iter(), target.iter())
    }

    /// Lets go.
    ///
    /// # Errors
    /// [`Error::Input`] if the hand is not there any more.
    pub fn release(&mut self, id: HandId) -> Result<(), Error> {
        self.set(id.holds, 0.0)
    }

    fn set_all<'i>(
        &mut self,
        ids: impl Iterator<Item = &'i InputId>,
        values: impl Iterator<Item = &'i f64> + Clone,
    ) -> Result<(), Error> {
        if let Some(value) = values.clone().find(|value| !value.is_finite()) {
            return Err(Error::Input(format!("a force or a target cannot be {value}")));
        }
        ids.zip(values).try_for_each(|(&id, &value)| self.set(id, value))
    }

    /// Takes all forces from outside away, hands too, so that they cost nothing any more. Handles of them are void: setting one is an error, or sets a force that was asked for later.
    ///
    /// # Errors
    /// [`Error::Run`] if the simulation has failed.
    pub fn clear_forces(&mut self) -> Result<(), Error> {
        if self.ports().is_empty() {
            return Ok(());
        }
        let (state, before) = (self.state(), self.save());
        self.or_back_to(&before, |simulation| {
            let mechanism = simulation.mechanism().without_ports(simulation.ports());
            simulation.exchange(mechanism, Vec::new())?;
            simulation.go_to(&state).map(|_| ())
        })
    }

    /// The first input of a port, which is added if it is not there.
    fn open(&mut self, port: Port) -> Result<usize, Error> {
        let count = |ports: &[Port]| ports.iter().map(Port::inputs).sum::<usize>();
        let declared = self.mechanism().interactions.inputs.len() - count(self.ports());
        if let Some(place) = self.ports().iter().position(|known| *known == port) {
            return Ok(declared + count(&self.ports()[..place]));
        }
        let first = declared + count(self.ports());
        let mechanism = self.mechanism().with_port(&port).map_err(Error::Input)?;
        let mut state = self.whole_state();
        state.auxiliary.extend(std::iter::repeat_n(0.0, port.inputs()));
        let mut ports = self.ports().to_vec();
        ports.push(port);
        let before = self.save();
        self.or_back_to(&before, |simulation| {
            simulation.exchange(mechanism, ports)?;
            simulation.go_to(&state).map(|_| first)
        })
    }
}
