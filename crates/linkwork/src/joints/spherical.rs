//! A ball joint: the bodies share a point. Its coordinates are roll, pitch and yaw of the second body.

use super::prelude::*;

keys! {
    /// Space only: turn freely about the point.
    Spherical {}
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "spherical",
    aliases: &["ball"],
    space_only: Some("in the plane a revolute joint turns about the point"),
    slides: false,
    shares: 0,
    in_space: Freedom { coordinates: &[Angle(0), Angle(1), Angle(2)], degrees: 3, ..Freedom::NONE },
    part: Part::carries(Translation::None, Rotation::Ball),
    holds: 1,
    moment: [false, false],
    symbol: Symbol::Ball,
    ..Descriptor::FREE
};

impl Describe for Spherical {}
