//! An Oldham coupling: shafts that stay parallel and turn alike, however far apart their lines are. The second body slides across the axis of the first and does not
//! turn against it.
//!
//! ```text
//!   a · d = 0,  s · a₂ = 0,  n · a₂ = 0,  n · s₂ = 0
//! ```

use super::prelude::*;

keys! {
    /// Space only: slide across the axis of the first body without turning, as the halves of an Oldham coupling do.
    Oldham {
        /// Direction of the axis, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "oldham",
    space_only: Some("in the plane `[couplings]` with a ratio of 1 let two revolute joints turn alike"),
    in_space: Freedom {
        demands: &[
            Across(Vector::Axis, "off the plane"),
            Square(Vector::Side, Vector::Axis, "tilt 1"),
            Square(Vector::Normal, Vector::Axis, "tilt 2"),
            Square(Vector::Normal, Vector::Side, "turn"),
        ],
        coordinates: &[Path(Vector::Side), Path(Vector::Normal)],
        degrees: 2,
        ..Freedom::NONE
    },
    holds: 5,
    steps: Some(Steps { list: &[LinkStep::Slide(Vector::Side), LinkStep::Slide(Vector::Normal)], turn_round: false }),
    symbol: Symbol::Plate,
    ..Descriptor::FREE
};

impl Describe for Oldham {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
}
