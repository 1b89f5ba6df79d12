//! A force at a point of a body and a couple, given by formulas in world axes or in the body's own.

use super::action::Effect;
use super::motion::{Motion, Pulls, Spot, motion_of};
use super::program::{Context, Program, Scratch};
use crate::linalg::vec3::{Vec3, apply, dot};

/// In which axes components are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// World.
    World,
    /// Those of the body on which it acts, parallel to the world's as drawn.
    Body,
}

/// A force and a couple.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The body.
    pub body: usize,
    /// Where the force acts.
    pub at: Spot,
    /// Components of the force, N.
    pub force: Option<[Program; 3]>,
    /// Components of the couple, N m.
    pub couple: Option<[Program; 3]>,
    /// Their axes.
    pub axes: Axes,
}

impl Applied {
    fn vector(&self, parts: &Option<[Program; 3]>, at: &Context<'_>, scratch: &mut Scratch) -> Vec3 {
        let Some(parts) = parts else { return [0.0; 3] };
        let x = std::array::from_fn(|i| parts[i].eval(at, scratch));
        match self.axes {
            Axes::World => x,
            Axes::Body => apply(&motion_of(at.scene.bodies, Some(self.body)).turned, x),
        }
    }

    pub(super) fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Pulls) -> Effect {
        let force = self.vector(&self.force, at, scratch);
        let couple = self.vector(&self.couple, at, scratch);
        let spot = self.at.at(at.scene.bodies);
        let body: &Motion = motion_of(at.scene.bodies, Some(self.body));
        pulls.add(Some(self.body), spot.arm, force, couple);
        Effect { power: dot(force, spot.v) + dot(couple, body.w), potential: 0.0 }
    }

    pub(super) fn columns(&self) -> Vec<(&'static str, &'static str)> {
        match self.force {
            Some(_) => vec![("x", "N"), ("y", "N"), ("z", "N")],
            None => vec![("x", "N m"), ("y", "N m"), ("z", "N m")],
        }
    }

    pub(super) fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let shown = if self.force.is_some() { &self.force } else { &self.couple };
        out.extend(self.vector(shown, at, scratch));
    }

    pub(super) fn programs(&self) -> Vec<&Program> {
        self.force.iter().chain(&self.couple).flatten().collect()
    }
}
