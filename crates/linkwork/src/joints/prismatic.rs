//! A slide along an axis without turning.
//!
//! ```text
//!   plane:  s · d = 0,  s · a₂ = 0
//!   space:  s · d = 0,  n · d = 0,  s · a₂ = 0,  n · a₂ = 0,  n · s₂ = 0
//! ```

use super::prelude::*;

keys! {
    /// Slide along the axis without turning.
    Prismatic {
        /// Direction of the line, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "prismatic",
    aliases: &["slide"],
    in_plane: Freedom {
        demands: &[Across(Vector::Side, "across the line"), Square(Vector::Side, Vector::Axis, "turn")],
        coordinates: &[Path(Vector::Axis)],
        degrees: 1,
        ..Freedom::NONE
    },
    in_space: Freedom {
        demands: &[
            Across(Vector::Side, "across the line"),
            Across(Vector::Normal, "across the line 2"),
            Square(Vector::Side, Vector::Axis, "tilt 1"),
            Square(Vector::Normal, Vector::Axis, "tilt 2"),
            Square(Vector::Normal, Vector::Side, "turn"),
        ],
        coordinates: &[Path(Vector::Axis)],
        degrees: 1,
        ..Freedom::NONE
    },
    part: Part::carries(Translation::Slide, Rotation::None),
    holds: 5,
    symbol: Symbol::Sleeve,
    ..Descriptor::FREE
};

impl Describe for Prismatic {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
}
