//! A point of the second body in a plane of the first; all turning is free.
//!
//! ```text
//!   a · d = 0
//! ```

use super::prelude::*;

keys! {
    /// Space only: the point of the second body slides in a plane of the first; all turning.
    PointOnPlane {
        /// Normal of the plane, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "point-on-plane",
    space_only: Some("in the plane a point-on-line joint keeps a point on a line"),
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

impl Describe for PointOnPlane {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
}
