//! A constant-velocity joint: the bodies share a point, and both shafts turn equally fast however they are bent. The equation is that of the bisecting plane, a coupling.

use super::Coordinate::Bend;
use super::{AxisKey, Coupling, Descriptor, Freedom, Part, Rotation, SecondAxis, Symbol, Translation, Vector};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "constant-velocity",
    aliases: &["cv"],
    space_only: Some("in the plane a revolute joint turns about the point"),
    axis: AxisKey::Needed,
    axis2: SecondAxis::Shaft,
    slides: false,
    in_space: Freedom {
        coupled: 1,
        coordinates: &[Bend(Vector::Side), Bend(Vector::Normal)],
        degrees: 2,
        ..Freedom::NONE
    },
    forces: false,
    coupling: Coupling::EqualTurns,
    part: Part::carries(Translation::None, Rotation::Ball),
    holds: 2,
    symbol: Symbol::Cross,
    ..Descriptor::FREE
};
