//! A universal (Hooke, Cardan) joint: the bodies share a point, and the arms of its cross, one fixed in each body, stay square to each other.
//!
//! ```text
//!   a · b₂ = 0        b₂: the axis of the second body
//! ```
//!
//! In a tree it is a ball joint that keeps this row; in the articulated-body recursion two turns in a row.

use super::Coordinate::{TurnAboutAxis2, TurnOfAxis2};
use super::Demand::Square;
use super::LinkStep::Turn;
use super::{AxisKey, Descriptor, Freedom, Part, Rotation, SecondAxis, Steps, Symbol, Translation, Vector};

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "universal",
    aliases: &["hooke", "cardan"],
    space_only: Some("in the plane a revolute joint turns about the point"),
    axis: AxisKey::Needed,
    axis2: SecondAxis::Arm,
    slides: false,
    shares: 0,
    in_space: Freedom {
        demands: &[Square(Vector::Axis, Vector::Axis2, "angle of the axes")],
        coordinates: &[TurnOfAxis2, TurnAboutAxis2],
        degrees: 2,
        ..Freedom::NONE
    },
    part: Part::Carries { translation: Translation::None, rotation: Rotation::Ball, kept: 1 },
    holds: 2,
    steps: Some(Steps { list: &[Turn(Vector::Axis), Turn(Vector::Axis2)], turn_round: true }),
    symbol: Symbol::Cross,
    ..Descriptor::FREE
};
