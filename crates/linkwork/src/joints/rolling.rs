//! A disc on a line, or in space a wheel or a ball on a plane, that rolls without slipping. No slip in space binds velocities and no positions.

use super::Coordinate::{Path, Turn};
use super::{AxisKey, Coupling, Descriptor, Freedom, Key, Points, SecondAxis, Vector};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "rolling",
    points: Points::Rolling,
    axis: AxisKey::Needed,
    axis2: SecondAxis::Wheel,
    keys: &[Key::Radius],
    in_plane: Freedom {
        coupled: 2,
        coordinates: &[Path(Vector::Axis), Turn(Vector::Z)],
        degrees: 1,
        ..Freedom::NONE
    },
    in_space: Freedom {
        coupled: 3,
        coordinates: &[Path(Vector::Side), Path(Vector::Normal)],
        degrees: 3,
        ..Freedom::NONE
    },
    forces: false,
    coupling: Coupling::Rolling,
    moment: [false, false],
    ..Descriptor::FREE
};
