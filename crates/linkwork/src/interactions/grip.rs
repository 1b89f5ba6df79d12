//! A hand that pulls at a body.
//!
//!   (H1)  F = k (x − r) − c ṙ          x: the target, which may move at any time
//!
//! All its power is work done on the mechanism: x is no coordinate of it.

use super::action::Effect;
use super::motion::{Pulls, Spot};
use super::program::Context;
use crate::linalg::vec3::{Vec3, axpy, dot, scale, sub};
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
        let away = sub(sub(self.hand.target(), self.origin), spot.r);
        let mut force = axpy(scale(self.hand.stiffness, away), -self.hand.damping, spot.v);
        if self.planar {
            force[2] = 0.0;
        }
        pulls.add(self.at.body, spot.arm, force, [0.0; 3]);
        Effect { power: dot(force, spot.v), potential: 0.0 }
    }
}
