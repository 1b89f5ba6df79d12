//! A point of the second body in a plane of the first; all turning is free.
//!
//! ```text
//!   a · d = 0
//! ```

use super::Coordinate::Path;
use super::Demand::Across;
use super::{AxisKey, Descriptor, Freedom, Symbol, Vector};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "point-on-plane",
    space_only: Some("in the plane a point-on-line joint keeps a point on a line"),
    axis: AxisKey::Needed,
    in_space: Freedom {
        demands: &[Across(Vector::Axis, "off the plane")],
        coordinates: &[Path(Vector::Side), Path(Vector::Normal)],
        degrees: 5,
        ..Freedom::NONE
    },
    moment: [false, false],
    symbol: Symbol::BallOnPlate,
    ..Descriptor::FREE
};
