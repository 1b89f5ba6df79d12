//! The shape of a mechanism: what it must have in common with a neighbour for both to have the same coordinates.
//!
//! Which points of a body become primary follows from its drawing, and may turn with the last digit of it: of two points that are as far off, one is taken. A body whose points lie in
//! a line as drawn is a rod, and that of a neighbour, of which one point is off that line, is a plate. So a neighbour that is differentiated with takes the primary points of the nominal
//! mechanism; where they do not span its body, both take those of the one whose body spans more.

use super::Mechanism;
use crate::linalg::vec3::{Vec3, add, sub};
use crate::model::{Faults, Model};
use crate::particles::{Candidate, EquivalentBody, Primary};

/// The primary points of each body, among its own points or beside them, and where the first of them is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape(Vec<(Vec<Primary>, Vec3)>);

impl Shape {
    /// Those of a body, of which the first point is a candidate at one of these places: helpers have moved along with it.
    pub(super) fn of_body(&self, body: usize, candidates: &[Candidate]) -> Vec<Primary> {
        let Some((primaries, origin)) = self.0.get(body) else { return Vec::new() };
        let shift = match primaries.first() {
            Some(Primary::Candidate(i)) => {
                candidates.get(*i).map_or([0.0; 3], |first| sub(first.at, *origin))
            }
            _ => [0.0; 3],
        };
        let moved = |primary: &Primary| match *primary {
            Primary::Helper(at) => Primary::Helper(add(at, shift)),
            candidate => candidate,
        };
        primaries.iter().map(moved).collect()
    }

    /// Takes those of each body that spans more in another mechanism; tells whether there are any.
    pub fn widen(&mut self, other: &Mechanism) -> bool {
        let mut widened = false;
        for (own, body) in self.0.iter_mut().zip(&other.bodies) {
            if body.particles.primaries.len() > own.0.len() {
                *own = of(&body.particles);
                widened = true;
            }
        }
        widened
    }
}

fn of(body: &EquivalentBody) -> (Vec<Primary>, Vec3) {
    (body.primaries.clone(), body.at[0])
}

impl Mechanism {
    /// Its shape.
    pub(crate) fn shape(&self) -> Shape {
        Shape(self.bodies.iter().map(|body| of(&body.particles)).collect())
    }
}

impl Model {
    /// As [`Model::assemble`], with the primary points of a shape, where they span the bodies.
    pub(crate) fn assemble_in(&self, shape: &Shape) -> Result<Mechanism, Faults> {
        super::stage::assemble(self, Some(shape))
    }
}
