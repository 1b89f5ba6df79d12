//! A screw: a turn about the axis θ and, in proportion, a path along it.
//!
//! ```text
//!   s · d = 0,  n · d = 0,  s · a₂ = 0,  n · a₂ = 0,  a · d = p θ / 2π        p: the pitch
//! ```
//!
//! The last is a coupling; the articulated-body recursion has a link that moves like this by itself.

use super::prelude::*;

keys! {
    /// Space only: turn about the axis and, in proportion, slide along it.
    Screw {
        /// Direction of the axis, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
        /// How far it advances in one turn, m, as in "5 mm"; negative for a left-handed thread.
        pitch: f64 => required Length,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "screw",
    aliases: &["helical"],
    space_only: Some("in the plane a rack-and-pinion joint couples a turn and a path"),
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
    part: Part::carries(Translation::Slide, Rotation::Axis),
    holds: 4,
    steps: Some(Steps { list: &[LinkStep::Screw], turn_round: false }),
    symbol: Symbol::Tube,
    ..Descriptor::FREE
};

impl Describe for Screw {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }

    fn coupling(&self) -> Coupling<'_> {
        Coupling::Thread(self.pitch)
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        on.number(&joint.key("pitch"), self.pitch.abs(), Sign::Positive);
    }
}
