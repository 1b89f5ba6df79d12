//! What the air does to a body: quadratic and linear drag at a point.
//!
//!   (D1)  F = −(c |u| + c₁) u,   u = ṙ − w          w: the wind
//!
//! c is ½ ρ c_d A. The power F·ṙ is work done on the mechanism, and may be positive in a wind.

use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::{BodyPoint, Moving, Wrenches};
use crate::interactions::program::{Context, Program, Scratch};
use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};

/// Drag at a point.
#[derive(Clone, Debug)]
pub struct Drag {
    /// Where it acts.
    pub at: BodyPoint,
    /// c, kg/m.
    pub quadratic: f64,
    /// c₁, N s/m.
    pub linear: f64,
    /// w, m/s; none where the air stands still.
    pub wind: Option<[Program; 3]>,
    /// How many components results show.
    pub columns: usize,
}

impl Drag {
    /// The force, |u| and the point.
    fn force(&self, at: &Context<'_>, scratch: &mut Scratch) -> (Vec3, f64, Moving) {
        let spot = self.at.at(at.scene.bodies);
        let u = match &self.wind {
            Some(wind) => sub(spot.v, std::array::from_fn(|i| wind[i].eval(at, scratch))),
            None => spot.v,
        };
        let speed = norm(u);
        (scale(-(self.quadratic * speed + self.linear), u), speed, spot)
    }
}

impl Law for Drag {
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let (force, _, spot) = self.force(at, scratch);
        pulls.add(self.at.body, spot.arm, force, [0.0; 3]);
        Effect { power: dot(force, spot.v), potential: 0.0 }
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let mut columns = vec![("x", "N"), ("y", "N"), ("z", "N")];
        columns.truncate(self.columns);
        columns.push(("speed", "m/s"));
        columns
    }

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let (force, speed, _) = self.force(at, scratch);
        out.extend_from_slice(&force[..self.columns]);
        out.push(speed);
    }

    fn programs(&self) -> Vec<&Program> {
        self.wind.iter().flatten().collect()
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.at.body.into_iter().collect()
    }
}
