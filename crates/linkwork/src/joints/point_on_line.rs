//! A point of the second body on a line of the first: a pin in a slot. All turning is free.
//!
//! ```text
//!   s · d = 0,  in space also n · d = 0
//! ```

use super::Coordinate::Path;
use super::Demand::Across;
use super::{AxisKey, Descriptor, Freedom, Part, Rotation, Symbol, Translation, Vector};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "point-on-line",
    aliases: &["pin-in-slot"],
    axis: AxisKey::Needed,
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
