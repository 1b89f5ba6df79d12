//! A universal (Hooke, Cardan) joint: the bodies share a point, and the arms of its cross, one fixed in each body, stay square to each other.
//!
//! ```text
//!   a · b₂ = 0        b₂: the axis of the second body
//! ```
//!
//! In a tree it is a ball joint that keeps this row; in the articulated-body recursion two turns in a row.

use super::prelude::*;

keys! {
    /// Space only: turn about two axes through the point, one fixed in each body and square to each other.
    Universal {
        /// Direction of the axis, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
        /// Direction of the axis that is fixed in the second body, square to `axis` as drawn: a vector, or two points ["P", "Q"].
        axis2: Axis => required Direction = Axis::Y,
    }
}

/// Axes whose cosine is below this are square to each other; the mechanism makes them exactly so.
const SQUARE: f64 = 1e-6;

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "universal",
    aliases: &["hooke", "cardan"],
    space_only: Some("in the plane a revolute joint turns about the point"),
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
    steps: Some(Steps { list: &[LinkStep::Turn(Vector::Axis), LinkStep::Turn(Vector::Axis2)], turn_round: true }),
    symbol: Symbol::Cross,
    ..Descriptor::FREE
};

impl Describe for Universal {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
    fn axis2(&self) -> Option<&Axis> {
        Some(&self.axis2)
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        let Some(cosine) = joint.second_axis(&self.axis2, on) else { return };
        if cosine.abs() > SQUARE {
            let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
            let message = format!(
                "`axis` and `axis2` of a universal joint are square to each other; as drawn they stand at {angle:.3} deg"
            );
            let help = "give the two arms of the cross, which is carried by both forks";
            on.error_with(joint.key("axis2"), message, help);
        }
    }
}
