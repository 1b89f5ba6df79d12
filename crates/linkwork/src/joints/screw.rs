//! A screw: a turn about the axis θ and, in proportion, a path along it.
//!
//! ```text
//!   s · d = 0,  n · d = 0,  s · a₂ = 0,  n · a₂ = 0,  a · d = p θ / 2π        p: the pitch
//! ```
//!
//! The last is a coupling; the articulated-body recursion has a link that moves like this by itself.

use super::Coordinate::{Path, Turn};
use super::Demand::{Across, Square};
use super::{AxisKey, Coupling, Descriptor, Freedom, Key, LinkStep, Part, Rotation, Steps, Symbol, Translation, Vector};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "screw",
    aliases: &["helical"],
    space_only: Some("in the plane a rack-and-pinion joint couples a turn and a path"),
    axis: AxisKey::Needed,
    keys: &[Key::Pitch],
    in_space: Freedom {
        demands: &[
            Across(Vector::Side, "across the line"),
            Across(Vector::Normal, "across the line 2"),
            Square(Vector::Side, Vector::Axis, "tilt 1"),
            Square(Vector::Normal, Vector::Axis, "tilt 2"),
        ],
        coupled: 1,
        coordinates: &[Turn(Vector::Axis), Path(Vector::Axis)],
        degrees: 1,
    },
    forces: false,
    coupling: Coupling::Thread,
    part: Part::carries(Translation::Slide, Rotation::Axis),
    holds: 4,
    steps: Some(Steps { list: &[LinkStep::Screw], turn_round: false }),
    symbol: Symbol::Tube,
    ..Descriptor::FREE
};
