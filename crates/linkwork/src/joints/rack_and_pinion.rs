//! A pinion, the first body, in mesh with a rack, the second.

use super::Coordinate::Coupled;
use super::{Coupling, Descriptor, Freedom, Key, Points};

/// Turn of the pinion and path of the rack, against their carrier.
const TURN_AND_PATH: &[super::Coordinate] = &[Coupled { turns: true }, Coupled { turns: false }];

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "rack-and-pinion",
    points: Points::Pitch,
    keys: &[Key::Carrier],
    in_plane: Freedom { coupled: 1, coordinates: TURN_AND_PATH, degrees: 2, ..Freedom::NONE },
    in_space: Freedom { coupled: 1, coordinates: TURN_AND_PATH, degrees: 5, ..Freedom::NONE },
    forces: false,
    coupling: Coupling::Rack,
    moment: [false, false],
    ..Descriptor::FREE
};
