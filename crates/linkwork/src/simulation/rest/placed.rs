//! A mechanism that begins at its equilibrium.

use super::Rest;
use crate::Error;
use crate::linalg::vec3::{norm, sub};
use crate::mechanism::Mechanism;
use crate::model::{Formulation, InitialState};
use crate::results::Frame;
use crate::simulation::{Probe, Remark};

impl Mechanism {
    /// This mechanism at its equilibrium and a remark on that, where its settings ask for it.
    pub(in crate::simulation) fn placed(&self) -> Result<Option<(Mechanism, Remark)>, Error> {
        if self.at_rest || self.model.settings.initial != InitialState::Equilibrium {
            return Ok(None);
        }
        let rest = self.rest(None, self.start_time)?;
        let (before, after) = (self.drawn_frame()?, self.frame_at(&rest)?);
        let message = match self.farthest_moved(&before, &after) {
            Some((point, far)) => {
                format!(
                    "the run begins at the equilibrium: `{point}` is {far:.3e} m from where it is given, which is farthest"
                )
            }
            None => "the run begins at the equilibrium".into(),
        };
        let remark = Remark { t: Some(self.start_time), code: "at-equilibrium", message };
        Ok(Some((self.put_to_rest(&rest), remark)))
    }

    /// This mechanism with an equilibrium as its initial state.
    pub(crate) fn put_to_rest(&self, rest: &Rest) -> Mechanism {
        let mut placed = self.clone();
        let state = &rest.state;
        placed.at_rest = true;
        placed.start_positions.clone_from(&state.coordinates);
        placed.start_velocities.fill(0.0);
        let names = placed.joints.iter().map(|joint| joint.name.clone());
        placed.start_joints = names.zip(state.joints.iter().cloned()).collect();
        let interactions = &mut placed.interactions;
        let (hints, rest) = state.auxiliary.split_at(interactions.hints);
        let (holds, variables) = rest.split_at(interactions.holds.len());
        interactions.hint_starts.copy_from_slice(hints);
        interactions.holds.copy_from_slice(holds);
        for (variable, value) in interactions.variables.iter_mut().zip(variables) {
            variable.initial = *value;
        }
        placed
    }

    /// Everything there is to know at the initial state.
    pub(crate) fn drawn_frame(&self) -> Result<Frame, Error> {
        let mut probe = Probe::new(self, Formulation::Points)?;
        let state = self.initial_state(Formulation::Points)?;
        let y = probe.enter(&state)?;
        Ok(probe.frame(state.t, &y)?.clone())
    }

    /// Everything there is to know at an equilibrium.
    pub(crate) fn frame_at(&self, rest: &Rest) -> Result<Frame, Error> {
        let mut probe = Probe::new(self, Formulation::Points)?;
        let y = probe.enter(&rest.state)?;
        Ok(probe.frame(rest.state.t, &y)?.clone())
    }

    /// The named point that has moved farthest from one instant to another, and by how much.
    pub(crate) fn farthest_moved(&self, before: &Frame, after: &Frame) -> Option<(&str, f64)> {
        let ways = before.positions.iter().zip(&after.positions).map(|(a, b)| norm(sub(*b, *a)));
        let named = self.points.iter().map(|point| point.name.as_str()).zip(ways);
        named.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}
