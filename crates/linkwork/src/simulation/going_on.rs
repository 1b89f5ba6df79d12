//! A model that is changed while it runs: another mechanism goes on from where one is.

use crate::mechanism::Mechanism;
use crate::model::{Faults, Model};
use crate::results::Frame;

impl Mechanism {
    /// A mechanism of another model that goes on from where this one is in a frame of its run: bodies, points and joints of the same names keep place,
    /// velocity and counted turns, as far as the new constraints allow; what only the new model has starts as drawn. Free lengths and angles
    /// that are left out are those of the new drawing, as ever. Its run begins at the frame's time, with rows at the same multiples of the output step; work and
    /// balances begins again.
    ///
    /// # Errors
    /// What is wrong with the model, by itself or where the mechanism is now.
    pub fn go_on_as(&self, model: &Model, frame: &Frame) -> Result<Mechanism, Faults> {
        frame.stage.as_deref().unwrap_or(self).go_on_from(&frame.instant(), model)
    }
}
