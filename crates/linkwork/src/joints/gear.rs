//! Two gears in mesh: against their carrier they turn in the ratio of their radii, and the teeth push at the pitch point.

use super::prelude::*;

keys! {
    /// Two gears in mesh at a point that a third body, the carrier of their bearings, holds.
    Gear {
        /// The body that carries the bearings; found if left out.
        carrier: Option<String> => optional String,
    }
}

/// Turns of the two gears against their carrier.
const TURNS: &[Coordinate] = &[Coupled { turns: true }, Coupled { turns: true }];

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "gear",
    points: Points::Pitch,
    in_plane: Freedom { coupled: 1, coordinates: TURNS, degrees: 2, ..Freedom::NONE },
    in_space: Freedom { coupled: 1, coordinates: TURNS, degrees: 5, ..Freedom::NONE },
    forces: false,
    moment: [false, false],
    ..Descriptor::FREE
};

impl Describe for Gear {
    fn coupling(&self) -> Coupling<'_> {
        Coupling::Teeth(self.carrier.as_deref())
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        joint.carrier(self.carrier.as_deref(), on);
    }
}
