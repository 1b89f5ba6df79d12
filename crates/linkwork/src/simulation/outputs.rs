//! Result columns that a caller reads again and again while a simulation goes on, without a whole sample.
//!
//! Coordinates and rates of joints that are those of the formulation stand in its state, and are read there: with the sense s = ±1 of the joint and what it showed
//! at the last sample (*),
//!
//! ```text
//!   (O1)  q = q* + s (q_k − q_k*),   v = s u_k
//! ```
//!
//! Whole turns count, and a sample agrees but for roundings. Where all columns are such ones, reading them evaluates nothing. Any other column needs a [sample](Simulation::sample).

use super::stepping::Simulation;
use crate::Error;
use crate::mechanism::{Quantity, describe};
use crate::results::{StateCoordinate, columns, read, row};

/// Result columns, found by their names once: [`Simulation::outputs`].
#[derive(Clone, Debug)]
pub struct Outputs {
    names: Vec<String>,
    /// The stage that `sources` belong to.
    stage: u64,
    sources: Sources,
    /// A whole row, where one is needed.
    row: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Sources {
    /// From the state alone.
    State(Vec<OfState>),
    /// From a sample.
    Sample(Vec<Quantity>),
    /// From a row, whose columns are not those of the stage.
    Row(Vec<usize>),
}

#[derive(Clone, Copy, Debug)]
enum OfState {
    Time,
    Coordinate(StateCoordinate),
    Rate(StateCoordinate),
}

impl Simulation<'_> {
    /// Finds result columns by their names, for [`read`](Self::read).
    ///
    /// ```
    /// # use linkwork::model::{Body, Model};
    /// # let model = Model::planar("pendulum").gravity([0.0, -9.81])
    /// #     .point("O", [0.0, 0.0]).point("A", [1.0, 0.0]).ground(["O"]).body(Body::rod("rod", ["O", "A"], 1.0));
    /// let mechanism = model.assemble()?;
    /// let mut simulation = mechanism.simulation()?;
    /// let torque = simulation.joint_force("O", 1)?;
    /// let mut outputs = simulation.outputs(["joint.O.q", "joint.O.v"])?;
    /// let mut y = [0.0; 2];
    /// for k in 1..=100 {
    ///     simulation.read(&mut outputs, &mut y)?;
    ///     simulation.set(torque, -20.0 * y[0] - 5.0 * y[1])?;
    ///     simulation.advance_to(1e-3 * f64::from(k))?;
    /// }
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Input`] if there is no such column.
    pub fn outputs<S: Into<String>>(&self, names: impl IntoIterator<Item = S>) -> Result<Outputs, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let sources = self.sources(&names)?;
        Ok(Outputs { names, stage: self.stage_number(), sources, row: Vec::new() })
    }

    fn sources(&self, names: &[String]) -> Result<Sources, Error> {
        let mechanism = self.mechanism();
        let known = columns(mechanism);
        let find = |name: &String| {
            let place = known.iter().position(|column| column.name == *name);
            place.ok_or_else(|| Error::Input(format!("there is no result column `{name}`")))
        };
        let places = names.iter().map(find).collect::<Result<Vec<usize>, Error>>()?;
        if mechanism.origin.as_ref().is_some_and(|origin| !origin.columns.is_empty()) {
            return Ok(Sources::Row(places));
        }
        let mut all = Vec::with_capacity(known.len());
        describe(mechanism, |_, _, quantity| all.push(quantity));
        let wanted: Vec<Quantity> = places.iter().map(|&place| all[place]).collect();
        let in_state = self.state_coordinates();
        let of = |joint, index| in_state.iter().find(|c| (c.joint, c.index) == (joint, index)).copied();
        let from_state = |quantity: &Quantity| match *quantity {
            Quantity::Time => Some(OfState::Time),
            Quantity::JointCoordinate(joint, i) => of(joint, i).map(OfState::Coordinate),
            Quantity::JointRate(joint, i) => of(joint, i).map(OfState::Rate),
            _ => None,
        };
        let from_state: Option<Vec<OfState>> = wanted.iter().map(from_state).collect();
        Ok(from_state.map_or(Sources::Sample(wanted), Sources::State))
    }

    /// Writes result columns as they are now, in the order of their names. Allocates nothing, as long as the mechanism consists of the same.
    ///
    /// # Errors
    /// [`Error::Input`] if `out` has another length, or a column is not there any more; [`Error::Run`] if a result is not a finite number.
    pub fn read(&mut self, outputs: &mut Outputs, out: &mut [f64]) -> Result<(), Error> {
        if out.len() != outputs.names.len() {
            let message =
                format!("{} columns cannot be written to {} places", outputs.names.len(), out.len());
            return Err(Error::Input(message));
        }
        if outputs.stage != self.stage_number() {
            outputs.sources = self.sources(&outputs.names)?;
            outputs.stage = self.stage_number();
        }
        if let Sources::State(sources) = &outputs.sources
            && self.read_state(sources, out)
        {
            return Ok(());
        }
        self.sample()?;
        match &outputs.sources {
            Sources::State(sources) => {
                // the sample has counted turns: now they can be read
                self.read_state(sources, out);
            }
            Sources::Sample(wanted) => {
                let (mechanism, frame) = (self.mechanism(), self.last_frame());
                let values = wanted.iter().map(|&quantity| read(quantity, mechanism, frame));
                out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
            }
            Sources::Row(places) => {
                row(self.mechanism(), self.last_frame(), &mut outputs.row);
                let values = places.iter().map(|&place| outputs.row.get(place).copied().unwrap_or(f64::NAN));
                out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
            }
        }
        Ok(())
    }

    /// (O1); false where no sample has counted turns yet.
    fn read_state(&self, sources: &[OfState], out: &mut [f64]) -> bool {
        let t = self.t();
        self.look_at_state(|frame, y| {
            out.iter_mut().zip(sources).all(|(out, source)| {
                let value = match source {
                    OfState::Time => Some(t),
                    OfState::Coordinate(c) => frame.coordinate(c, y),
                    OfState::Rate(c) => y.get(c.u).map(|u| c.sense * u),
                };
                value.map(|value| *out = value).is_some()
            })
        })
    }
}
