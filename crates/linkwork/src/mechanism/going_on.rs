//! A model that is changed while it runs: another mechanism goes on from where one is.

use super::stage::settled;
use super::{Mechanism, Origin, compile, stage};
use crate::linalg::vec3::sub;
use crate::model::{Faults, Model};
use crate::results::Frame;
use crate::structure::{Start, Structure, expand};
use std::sync::Arc;

impl Mechanism {
    /// A mechanism of another model that goes on from where this one is in a frame of its run: bodies, points and joints of the same names keep place,
    /// velocity and counted turns, as far as the new constraints allow; what only the new model has starts as drawn. Free lengths and angles
    /// that are left out are those of the new drawing, as ever. Its run begins at the frame's time, with rows at the same multiples of the output step; work and
    /// books begin anew.
    ///
    /// # Errors
    /// What is wrong with the model, by itself or where the mechanism is now.
    pub fn go_on_as(&self, model: &Model, frame: &Frame) -> Result<Mechanism, Faults> {
        let now = frame.stage.as_deref().unwrap_or(self);
        let relative = model.relative();
        let model = relative.as_ref();
        let start = Start::new(now, frame).seen_from(sub(model.origin, now.model.origin));
        let names = now.joints.iter().map(|joint| joint.name.clone());
        let joints = names.zip(frame.joints.iter().cloned()).collect();
        let drawn = stage::assemble(model)?;
        let settled = settled(model, &drawn);
        let Some(origin) = &drawn.origin else {
            let mut next = compile::compile(&settled, Some(&start), start.t)?;
            next.start_joints = joints;
            return Ok(next);
        };
        let structure = match now.structure() {
            Some(structure) => structure.of(model),
            None => Structure::new(model),
        };
        let mut next = compile::compile(&expand(&settled, &structure), Some(&start), start.t)?;
        next.belongs_to(Arc::new(Origin { model: settled, columns: origin.columns.clone() }));
        next.start_joints = joints;
        Ok(next)
    }
}
