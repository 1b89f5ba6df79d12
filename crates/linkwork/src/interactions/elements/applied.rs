//! A force at a point of a body and a couple, given by formulas in world axes or in the body's own.

use crate::drawing::Axes;
use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::{BodyPoint, Motion, Wrenches, motion_of};
use crate::interactions::program::{Context, Program, Scratch};
use crate::linalg::vec3::{Vec3, apply, dot};

/// A force and a couple.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The body.
    pub body: usize,
    /// Where the force acts.
    pub at: BodyPoint,
    /// Components of the force, N.
    pub force: Option<[Program; 3]>,
    /// Components of the couple, N m.
    pub couple: Option<[Program; 3]>,
    /// Their axes.
    pub axes: Axes,
    /// Whether it acts in the plane, where nothing else is shown.
    pub planar: bool,
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

    /// The components that results show.
    fn shown(&self) -> std::ops::Range<usize> {
        match (self.planar, &self.force) {
            (true, Some(_)) => 0..2,
            (true, None) => 2..3,
            (false, _) => 0..3,
        }
    }
}

impl Law for Applied {
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let force = self.vector(&self.force, at, scratch);
        let couple = self.vector(&self.couple, at, scratch);
        let spot = self.at.at(at.scene.bodies);
        let body: &Motion = motion_of(at.scene.bodies, Some(self.body));
        pulls.add(Some(self.body), spot.arm, force, couple);
        Effect { power: dot(force, spot.v) + dot(couple, body.w), potential: 0.0 }
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let unit = if self.force.is_some() { "N" } else { "N m" };
        self.shown().map(|i| (["x", "y", "z"][i], unit)).collect()
    }

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let part = if self.force.is_some() { &self.force } else { &self.couple };
        out.extend_from_slice(&self.vector(part, at, scratch)[self.shown()]);
    }

    fn programs(&self) -> Vec<&Program> {
        self.force.iter().chain(&self.couple).flatten().collect()
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        vec![self.body]
    }
}
