//! Forces from outside, which the caller of a simulation sets: along a joint, on a body, or by a hand that pulls a body to a target. What is set is a variable of the state,
//! so that nothing changes between evaluations of f(t, y).
//!
//!   (H1)  F = s (k d / √(1 + |d|²/l²) − c ṙ),   d = x − r          x: the target; s: 1 while it holds, 0 when it has let go; l: the reach
//!
//! A target beyond the reach pulls in its direction with a force near k l, however far it is. All power is work done on the mechanism: no potential accounts for it.

use super::action::{Effect, Law};
use super::motion::{BodyPoint, Wrenches};
use super::{Interactions, motion_of};
use crate::interactions::program::{Context, Scratch};
use crate::linalg::vec3::{Vec3, axpy, dot, norm, scale, sub};

/// A force from outside. The numbers of its variables follow each other.
#[derive(Clone, Debug)]
pub enum Outside {
    /// Along a coordinate function.
    Joint {
        /// The coordinate function, and by what to multiply it for the joint's coordinate.
        gauge: usize,
        /// That factor.
        factor: f64,
        /// The force, N, or moment, N m.
        variable: usize,
    },
    /// A force at the centre of mass and a moment, world axes.
    Body {
        /// The body.
        body: usize,
        /// Force x, y, z and moment x, y, z.
        first: usize,
    },
    /// (H1)
    Hand(Grip),
}

/// A hand on a body.
#[derive(Clone, Debug)]
pub struct Grip {
    /// Where it holds.
    pub at: BodyPoint,
    /// Whether the motion is in the plane.
    pub planar: bool,
    /// What places are relative to, in the world.
    pub origin: Vec3,
    /// k, N/m.
    pub stiffness: f64,
    /// c, N s/m.
    pub damping: f64,
    /// l, m.
    pub reach: f64,
    /// Target x, y, z in the world, and s.
    pub first: usize,
}

impl Law for Outside {
    fn apply(&self, at: &Context<'_>, _: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let holds = at.scene.holds;
        let variables = &holds[holds.len() - at.interactions.variables.len()..];
        let bodies = at.scene.bodies;
        let power = match self {
            Outside::Joint { gauge, factor, variable } => {
                let (gauge, force) = (&at.interactions.gauges[*gauge], variables[*variable] * factor);
                if force == 0.0 {
                    return Effect::default();
                }
                gauge.pull(bodies, at.scene.hints, force, pulls);
                force * gauge.jet(bodies, at.scene.hints).d
            }
            Outside::Body { body, first } => {
                let [force, moment] = [0, 3].map(|k| std::array::from_fn(|c| variables[first + k + c]));
                let motion = motion_of(bodies, Some(*body));
                pulls.add(Some(*body), [0.0; 3], force, moment);
                dot(force, motion.v) + dot(moment, motion.w)
            }
            Outside::Hand(grip) => {
                let held = variables[grip.first + 3];
                if held == 0.0 {
                    return Effect::default();
                }
                let spot = grip.at.at(bodies);
                let target = std::array::from_fn(|c| variables[grip.first + c]);
                let d = sub(sub(target, grip.origin), spot.r);
                let stiffness = grip.stiffness / (norm(d) / grip.reach).hypot(1.0);
                let mut force = scale(held, axpy(scale(stiffness, d), -grip.damping, spot.v)); // (H1)
                if grip.planar {
                    force[2] = 0.0;
                }
                pulls.add(grip.at.body, spot.arm, force, [0.0; 3]);
                dot(force, spot.v)
            }
        };
        Effect { power, potential: 0.0 }
    }

    fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        match self {
            Outside::Joint { gauge, .. } => interactions.gauges[*gauge].bodies(),
            Outside::Body { body, .. } => vec![*body],
            Outside::Hand(grip) => grip.at.body.into_iter().collect(),
        }
    }

    fn without_series(&self) -> &'static str {
        "forces from outside are set as the caller likes"
    }
}
