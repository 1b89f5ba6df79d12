//! Two points that keep their distance: a massless rod with a ball, in the plane a pin, at each end.
//!
//! ```text
//!   d · d = l²
//! ```

use super::Demand::Distance;
use super::{Descriptor, Freedom, Key, Points, Symbol};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "distance",
    aliases: &["rod"],
    points: Points::Apart,
    keys: &[Key::Length],
    in_plane: Freedom { demands: &[Distance("distance")], degrees: 2, ..Freedom::NONE },
    in_space: Freedom { demands: &[Distance("distance")], degrees: 5, ..Freedom::NONE },
    moment: [false, false],
    symbol: Symbol::Rod,
    ..Descriptor::FREE
};
