//! A hand that pulls at a body.
//!
//!   (H1)  F = k d / √(1 + |d|²/s²) − c ṙ,   d = x − r          x: the target, which may move at any time; s: the reach
//!
//! A target beyond the reach pulls in its direction with a force near k s, however far it is. All its power is work done on the mechanism: x is no coordinate of it.

use super::action::Effect;
use super::motion::{Pulls, Spot};
use super::program::Context;
use crate::linalg::vec3::{Vec3, axpy, dot, norm, scale, sub};
use crate::model::Hand;
use std::sync::Arc;

/// A hand on a body.
#[derive(Clone, Debug)]
pub struct Grip {
    /// Where it holds.
    pub at: Spot,
    /// Whether the motion is in the plane.
    pub planar: bool,
    /// What places are relative to, in the world.
    pub origin: Vec3,
    /// How it pulls.
    pub hand: Arc<Hand>,
}

impl Grip {
    pub(super) fn apply(&self, at: &Context<'_>, pulls: &mut Pulls) -> Effect {
        let spot = self.at.at(at.scene.bodies);
        let d = sub(sub(self.hand.target(), self.origin), spot.r);
        let far = norm(d) / self.hand.reach;
        let stiffness = self.hand.stiffness / far.hypot(1.0);
        let mut force = axpy(scale(stiffness, d), -self.hand.damping, spot.v); // (H1)
        if self.planar {
            force[2] = 0.0;
        }
        pulls.add(self.at.body, spot.arm, force, [0.0; 3]);
        Effect { power: dot(force, spot.v), potential: 0.0 }
    }
}
