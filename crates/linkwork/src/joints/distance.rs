//! Two points that keep their distance: a massless rod with a ball, in the plane a pin, at each end.
//!
//! ```text
//!   d · d = l²
//! ```

use super::prelude::*;

keys! {
    /// Everything but a change of the distance between two points: a massless rod with a ball at each end.
    Distance {
        /// How far apart its two points stay, m; as drawn if left out.
        length: Option<f64> => optional Length,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "distance",
    aliases: &["rod"],
    points: Points::Apart,
    in_plane: Freedom { demands: &[Demand::Distance("distance")], degrees: 2, ..Freedom::NONE },
    in_space: Freedom { demands: &[Demand::Distance("distance")], degrees: 5, ..Freedom::NONE },
    moment: [false, false],
    symbol: Symbol::Rod,
    ..Descriptor::FREE
};

impl Describe for Distance {
    fn length(&self) -> Option<f64> {
        self.length
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        if let Some(length) = self.length {
            on.number(&joint.key("length"), length, Sign::Positive);
        }
    }
}
