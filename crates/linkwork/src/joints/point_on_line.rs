//! A point of the second body on a line of the first: a pin in a slot. All turning is free.
//!
//! ```text
//!   s · d = 0,  in space also n · d = 0
//! ```

use super::prelude::*;

keys! {
    /// The point of the second body slides along a line of the first and may turn; in the plane
    /// this is a pin in a slot.
    PointOnLine {
        /// Direction of the line, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "point-on-line",
    aliases: &["pin-in-slot"],
    in_plane: Freedom {
        demands: &[Across(Vector::Side, "across the line")],
        coordinates: &[Path(Vector::Axis)],
        degrees: 2,
        ..Freedom::NONE
    },
    in_space: Freedom {
        demands: &[Across(Vector::Side, "across the line"), Across(Vector::Normal, "across the line 2")],
        coordinates: &[Path(Vector::Axis)],
        degrees: 4,
        ..Freedom::NONE
    },
    part: Part::carries(Translation::Slide, Rotation::Ball),
    moment: [false, false],
    symbol: Symbol::Slot,
    ..Descriptor::FREE
};

impl Describe for PointOnLine {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
}
