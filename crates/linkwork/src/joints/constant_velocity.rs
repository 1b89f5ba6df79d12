//! A constant-velocity joint: the bodies share a point, and both shafts turn equally fast however they are bent. The equation is that of the bisecting plane, a coupling.

use super::prelude::*;

keys! {
    /// Space only: turn freely about the point, but both shafts turn equally fast however they are bent.
    ConstantVelocity {
        /// Direction of the first shaft, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
        /// Direction of the second shaft, fixed in the second body; along the first if left out.
        axis2: Option<Axis> => optional Direction,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "constant-velocity",
    aliases: &["cv"],
    space_only: Some("in the plane a revolute joint turns about the point"),
    slides: false,
    in_space: Freedom {
        coupled: 1,
        coordinates: &[Bend(Vector::Side), Bend(Vector::Normal)],
        degrees: 2,
        ..Freedom::NONE
    },
    forces: false,
    part: Part::carries(Translation::None, Rotation::Ball),
    holds: 2,
    symbol: Symbol::Cross,
    ..Descriptor::FREE
};

impl Describe for ConstantVelocity {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
    fn axis2(&self) -> Option<&Axis> {
        self.axis2.as_ref()
    }

    fn coupling(&self) -> Coupling<'_> {
        Coupling::EqualTurns
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        let cosine = self.axis2.as_ref().and_then(|axis| joint.second_axis(axis, on));
        if cosine.is_some_and(|cosine| cosine < -0.9) {
            let message = "the shafts of a constant-velocity joint run back along each other";
            let help = "both directions point the same way through the joint: turn one of them round";
            on.error_with(joint.key("axis2"), message, help);
        }
    }
}
