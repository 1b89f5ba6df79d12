//! A point of the second body that runs along a curve of the first: a cam and its follower.

use super::Coordinate::Coupled;
use super::{Coupling, Descriptor, Freedom, Key, Symbol};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "point-on-curve",
    aliases: &["cam"],
    keys: &[Key::Curve],
    in_plane: Freedom { coupled: 1, coordinates: &[Coupled { turns: false }], degrees: 2, ..Freedom::NONE },
    in_space: Freedom { coupled: 2, coordinates: &[Coupled { turns: false }], degrees: 4, ..Freedom::NONE },
    forces: false,
    coupling: Coupling::Curve,
    moment: [false, false],
    symbol: Symbol::Runner,
    ..Descriptor::FREE
};
