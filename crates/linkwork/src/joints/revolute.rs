//! A hinge: the bodies share a point and turn about an axis through it.
//!
//! ```text
//!   space:  s · a₂ = 0,  n · a₂ = 0        a₂: the axis as the second body carries it
//! ```
//!
//! In the plane the shared point is all, and the axis is z.

use super::prelude::*;

keys! {
    /// Turn about one axis (in the plane: about the point).
    Revolute {
        /// Direction of the axis in space, fixed in the first body: a vector, or two points ["P", "Q"]; points that both bodies hold may show it. In the plane it is z.
        axis: Option<Axis> => optional Direction,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "revolute",
    aliases: &["hinge"],
    hinge: true,
    slides: false,
    shares: 1,
    in_plane: Freedom { coordinates: &[Turn(Vector::Z)], degrees: 1, ..Freedom::NONE },
    in_space: Freedom {
        demands: &[Square(Vector::Side, Vector::Axis, "tilt 1"), Square(Vector::Normal, Vector::Axis, "tilt 2")],
        coordinates: &[Turn(Vector::Axis)],
        degrees: 1,
        ..Freedom::NONE
    },
    part: Part::carries(Translation::None, Rotation::Axis),
    holds: 3,
    moment: [false, true],
    symbol: Symbol::Pin,
    ..Descriptor::FREE
};

impl Describe for Revolute {
    fn axis(&self) -> Option<&Axis> {
        self.axis.as_ref()
    }
}
