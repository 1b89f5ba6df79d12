//! A weld: the bodies share a point and do not turn against each other.
//!
//! ```text
//!   plane:  s · a₂ = 0
//!   space:  y · x₂ = 0,  z · x₂ = 0,  z · y₂ = 0
//! ```

use super::prelude::*;

keys! {
    /// Nothing: the bodies move as one.
    Fixed {}
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "fixed",
    aliases: &["weld"],
    slides: false,
    in_plane: Freedom { demands: &[Square(Vector::Side, Vector::Axis, "turn")], ..Freedom::NONE },
    in_space: Freedom {
        demands: &[
            Square(Vector::Y, Vector::X, "turn about z"),
            Square(Vector::Z, Vector::X, "turn about y"),
            Square(Vector::Z, Vector::Y, "turn about x"),
        ],
        ..Freedom::NONE
    },
    part: Part::carries(Translation::None, Rotation::None),
    holds: 6,
    symbol: Symbol::Block,
    ..Descriptor::FREE
};

impl Describe for Fixed {}
