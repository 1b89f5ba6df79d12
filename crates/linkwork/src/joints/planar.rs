//! A body that slides in a plane of the other and turns about its normal, the axis.
//!
//! ```text
//!   a · d = 0,  s · a₂ = 0,  n · a₂ = 0
//! ```

use super::prelude::*;

keys! {
    /// Space only: slide in a plane of the first body and turn about its normal.
    Planar {
        /// Normal of the plane, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "planar",
    space_only: Some("in the plane every body moves like this: leave the joint out"),
    in_space: Freedom {
        demands: &[
            Across(Vector::Axis, "off the plane"),
            Square(Vector::Side, Vector::Axis, "tilt 1"),
            Square(Vector::Normal, Vector::Axis, "tilt 2"),
        ],
        coordinates: &[Path(Vector::Side), Path(Vector::Normal), Turn(Vector::Axis)],
        degrees: 3,
        ..Freedom::NONE
    },
    steps: Some(Steps {
        list: &[
            LinkStep::Slide(Vector::Side),
            LinkStep::Slide(Vector::Normal),
            LinkStep::Turn(Vector::Axis),
        ],
        turn_round: false,
    }),
    symbol: Symbol::Plate,
    ..Descriptor::FREE
};

impl Describe for Planar {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
}
