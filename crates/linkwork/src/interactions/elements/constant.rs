//! A constant force at a body point, and a constant couple, both in world axes.
//!
//!   (K1)  V = −f·r        the force has a potential
//!   (K2)  P = m·ω         the couple has none in space: its work depends on the way

use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::{BodyPoint, Wrenches, motion_of};
use crate::interactions::program::{Context, Scratch};
use crate::linalg::vec3::{Vec3, dot};

/// A force and a couple that never change.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// The point at which the force acts.
    pub at: BodyPoint,
    /// f, N.
    pub force: Vec3,
    /// m, N m.
    pub couple: Vec3,
}

impl Law for Constant {
    #[inline]
    fn apply(&self, at: &Context<'_>, _: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let bodies = at.scene.bodies;
        let point = self.at.at(bodies);
        pulls.add(self.at.body, point.arm, self.force, self.couple);
        let power = dot(self.couple, motion_of(bodies, self.at.body).w);
        Effect { power, potential: -dot(self.force, point.r) }
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.at.body.into_iter().collect()
    }
}
