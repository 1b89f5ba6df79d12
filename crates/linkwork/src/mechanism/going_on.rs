//! A mechanism of another model that goes on from where one is.

use super::stage::settled;
use super::{Instant, Mechanism, Origin, Start, compile, stage};
use crate::linalg::vec3::sub;
use crate::model::{Faults, Model};
use crate::topology::{Plain, Topology, expand};
use std::sync::Arc;

impl Mechanism {
    /// A mechanism of another model that goes on from where this one is at an instant of its run.
    pub(crate) fn go_on_from(&self, now: &Instant<'_>, model: &Model) -> Result<Mechanism, Faults> {
        let relative = model.relative();
        let model = relative.as_ref();
        let start = Start::new(self, now).seen_from(sub(model.origin, self.model.origin));
        let names = self.joints.iter().map(|joint| joint.name.clone());
        let joints = names.zip(now.joints.iter().cloned()).collect();
        let drawn = stage::assemble(model, None)?;
        let settled = settled(model, &drawn);
        let Some(origin) = &drawn.origin else {
            let mut next = compile::compile(Plain::new(&settled), Some(&start), start.t, None)?;
            next.start_joints = joints;
            return Ok(next);
        };
        let structure = match self.topology() {
            Some(structure) => structure.of(model),
            None => Topology::new(model),
        };
        let expanded = expand(&settled, &structure);
        let mut next = compile::compile(expanded.plain(), Some(&start), start.t, None)?;
        let (columns, pictured) = (origin.columns.clone(), origin.pictured.clone());
        next.belongs_to(Arc::new(Origin { model: settled, columns, pictured }));
        next.start_joints = joints;
        Ok(next)
    }
}
