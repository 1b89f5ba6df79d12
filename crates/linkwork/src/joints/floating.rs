//! No joint: it demands nothing and tells how the second body moves against the first.

use super::prelude::*;

keys! {
    /// Everything: the joint demands nothing.
    Floating {}
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "floating",
    aliases: &["free"],
    in_plane: Freedom {
        coordinates: &[Path(Vector::X), Path(Vector::Y), Turn(Vector::Z)],
        degrees: 3,
        ..Freedom::NONE
    },
    in_space: Freedom {
        coordinates: &[Path(Vector::X), Path(Vector::Y), Path(Vector::Z), Angle(0), Angle(1), Angle(2)],
        degrees: 6,
        ..Freedom::NONE
    },
    part: Part::Nothing,
    ..Descriptor::FREE
};

impl Describe for Floating {}
