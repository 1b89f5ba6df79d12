//! A slide along an axis and a turn about it.
//!
//! ```text
//!   s · d = 0,  n · d = 0,  s · a₂ = 0,  n · a₂ = 0
//! ```

use super::prelude::*;

keys! {
    /// Space only: slide along the axis and turn about it.
    Cylindrical {
        /// Direction of the axis, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "cylindrical",
    space_only: Some("in the plane a prismatic joint slides along an axis"),
    in_space: Freedom {
        demands: &[
            Across(Vector::Side, "across the line"),
            Across(Vector::Normal, "across the line 2"),
            Square(Vector::Side, Vector::Axis, "tilt 1"),
            Square(Vector::Normal, Vector::Axis, "tilt 2"),
        ],
        coordinates: &[Path(Vector::Axis), Turn(Vector::Axis)],
        degrees: 2,
        ..Freedom::NONE
    },
    part: Part::carries(Translation::Slide, Rotation::Axis),
    holds: 4,
    symbol: Symbol::Tube,
    ..Descriptor::FREE
};

impl Describe for Cylindrical {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
}
