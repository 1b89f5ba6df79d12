//! Two gears in mesh: against their carrier they turn in the ratio of their radii, and the teeth push at the pitch point.

use super::Coordinate::Coupled;
use super::{Coupling, Descriptor, Freedom, Key, Points};

/// Turns of the two gears against their carrier.
const TURNS: &[super::Coordinate] = &[Coupled { turns: true }, Coupled { turns: true }];

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "gear",
    points: Points::Pitch,
    keys: &[Key::Carrier],
    in_plane: Freedom { coupled: 1, coordinates: TURNS, degrees: 2, ..Freedom::NONE },
    in_space: Freedom { coupled: 1, coordinates: TURNS, degrees: 5, ..Freedom::NONE },
    forces: false,
    coupling: Coupling::Teeth,
    moment: [false, false],
    ..Descriptor::FREE
};
