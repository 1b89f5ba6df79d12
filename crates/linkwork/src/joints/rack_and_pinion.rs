//! A pinion, the first body, in mesh with a rack, the second.

use super::prelude::*;

keys! {
    /// A pinion, the first body, in mesh with a rack, the second.
    RackAndPinion {
        /// The body that carries the bearings; found if left out.
        carrier: Option<String> => optional String,
    }
}

/// Turn of the pinion and path of the rack, against their carrier.
const TURN_AND_PATH: &[Coordinate] = &[Coupled { turns: true }, Coupled { turns: false }];

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "rack-and-pinion",
    points: Points::Pitch,
    in_plane: Freedom { coupled: 1, coordinates: TURN_AND_PATH, degrees: 2, ..Freedom::NONE },
    in_space: Freedom { coupled: 1, coordinates: TURN_AND_PATH, degrees: 5, ..Freedom::NONE },
    forces: false,
    moment: [false, false],
    ..Descriptor::FREE
};

impl Describe for RackAndPinion {
    fn coupling(&self) -> Coupling<'_> {
        Coupling::Rack(self.carrier.as_deref())
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        joint.carrier(self.carrier.as_deref(), on);
    }
}
