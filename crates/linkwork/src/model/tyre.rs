//! Tyres.

use super::{Axis, Formula};
pub use crate::interactions::Brush;

/// A wheel's tyre on the road. Up is z; in the plane it is y.
#[derive(Clone, Debug, PartialEq)]
pub struct Tyre {
    /// Its name, used in results.
    pub name: String,
    /// The wheel.
    pub body: String,
    /// The point of the wheel in its centre.
    pub centre: String,
    /// The spin axis as drawn, fixed in the wheel, to the left of the way ahead. None in the plane, where a wheel that rolls ahead, along x, turns
    /// clockwise; the radial tyre does without.
    pub axis: Option<Axis>,
    /// Radius without load, m.
    pub radius: f64,
    /// Radial stiffness, N/m.
    pub stiffness: f64,
    /// Radial damping, N s/m.
    pub damping: f64,
    /// Grip; a tyre without one pushes the wheel's centre up, and nothing else.
    pub brush: Option<Brush>,
    /// Height of the road, m, as a formula of the place `x`, in space `y`, and the time `t`.
    pub road: Formula,
}

impl Tyre {
    /// The names that the formula of the road may use besides the time.
    pub const PLACE: [&'static str; 2] = ["x", "y"];

    /// A tyre that pushes the wheel's centre up, on a road of height zero.
    pub fn radial(name: impl Into<String>, body: &str, centre: &str, radius: f64, stiffness: f64) -> Self {
        Tyre {
            name: name.into(),
            body: body.into(),
            centre: centre.into(),
            axis: None,
            radius,
            stiffness,
            damping: 0.0,
            brush: None,
            road: Formula::constant(0.0),
        }
    }

    /// Sets the radial damping, N s/m.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Makes it grip. In space the spin axis is needed.
    pub fn brush(mut self, axis: Option<Axis>, brush: Brush) -> Self {
        (self.axis, self.brush) = (axis, Some(brush));
        self
    }

    /// Sets the road.
    pub fn road(mut self, road: impl Into<Formula>) -> Self {
        self.road = road.into();
        self
    }
}
