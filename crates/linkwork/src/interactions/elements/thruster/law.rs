//! A jet that pushes a body.
//!
//!   (H1)  F = η f(t) e
//!   (H2)  ṁ = −f / c          c: thrust per mass flow; the mass itself is the body's
//!
//! e is fixed in the world or in the body, or goes with the velocity v of the point where the jet acts, from a launch direction l on:
//!
//!   (H3)  e = (v + (v_l − |v|) l) / |…|   for |v| < v_l;    e = v / |v|   beyond;    e = l   where neither has a direction
//!
//! The gas that leaves takes its momentum along: m(t) v̇ is the sum of the forces, F among them.

use super::burn::Burn;
use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::{BodyPoint, Direction, Moving, Wrenches};
use crate::interactions::program::{Context, Scratch};
use crate::linalg::vec3::{Vec3, axpy, dot, norm, scale};
use std::sync::Arc;

/// e of (H1).
#[derive(Clone, Debug)]
pub enum JetDirection {
    /// Fixed in the world or in the body.
    Fixed(Direction),
    /// (H3)
    Velocity {
        /// l
        launch: Vec3,
        /// v_l
        launch_speed: f64,
    },
}

/// A thruster.
#[derive(Clone, Debug)]
pub struct Thruster {
    /// Where it acts.
    pub at: BodyPoint,
    /// e
    pub direction: JetDirection,
    /// f
    pub burn: Arc<Burn>,
    /// η
    pub efficiency: f64,
    /// 1/c, kg per N s.
    pub per_impulse: f64,
    /// How many components results show.
    pub columns: usize,
}

impl Thruster {
    /// The force, its size, f and the point.
    fn force(&self, at: &Context<'_>, scratch: &mut Scratch) -> (Vec3, f64, f64, Moving) {
        let spot = self.at.at(at.scene.bodies);
        let f = self.burn.thrust(at.scene.t, &mut scratch.jets);
        let size = self.efficiency * f;
        let along = match &self.direction {
            _ if f == 0.0 => [0.0; 3],
            JetDirection::Fixed(direction) => direction.at(at.scene.bodies),
            JetDirection::Velocity { launch, launch_speed } => ahead(spot.v, *launch, *launch_speed),
        };
        (scale(size, along), size, f, spot)
    }
}

impl Law for Thruster {
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let (force, _, _, spot) = self.force(at, scratch);
        pulls.add(self.at.body, spot.arm, force, [0.0; 3]);
        Effect { power: dot(force, spot.v), potential: 0.0 }
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let mut columns = vec![("force", "N"), ("x", "N"), ("y", "N"), ("z", "N")];
        columns.truncate(1 + self.columns);
        columns.push(("mass_flow", "kg/s"));
        columns
    }

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let (force, size, f, _) = self.force(at, scratch);
        out.push(size);
        out.extend_from_slice(&force[..self.columns]);
        out.push(f * self.per_impulse);
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.at.body.into_iter().collect()
    }

    fn without_series(&self) -> &'static str {
        "a thruster burns out"
    }
}

/// (H3)
fn ahead(v: Vec3, launch: Vec3, launch_speed: f64) -> Vec3 {
    let speed = norm(v);
    let towards = if speed < launch_speed { axpy(v, launch_speed - speed, launch) } else { v };
    let size = norm(towards);
    if size > 0.0 { scale(1.0 / size, towards) } else { launch }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_directions_along_the_velocity() {
        let up = [0.0, 1.0, 0.0];
        assert_eq!(ahead([0.0; 3], up, 0.0), up);
        let along = ahead([3.0, 4.0, 0.0], up, 0.0);
        assert!((along[0] - 0.6).abs() < 1e-15 && (along[1] - 0.8).abs() < 1e-15, "{along:?}");
        assert_eq!(ahead([0.0; 3], up, 2.0), up);
        assert_eq!(ahead([2.0, 0.0, 0.0], up, 2.0), [1.0, 0.0, 0.0]);
        // halfway: (1, 0) + (2 − 1) (0, 1)
        let half = ahead([1.0, 0.0, 0.0], up, 2.0);
        assert!((half[0] - 0.5f64.sqrt()).abs() < 1e-15 && (half[1] - 0.5f64.sqrt()).abs() < 1e-15);
        assert_eq!(ahead([0.0, -1.0, 0.0], up, 2.0), up);
    }
}
