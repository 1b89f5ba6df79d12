//! A disc on a line, or in space a wheel or a ball on a plane, that rolls without slipping. No slip in space binds velocities and no positions.

use super::prelude::*;

keys! {
    /// A wheel or ball, the second body, rolls without slipping on a plane of the first; in the plane a disc on a line.
    Rolling {
        /// Normal of the plane that it rolls on, or in the plane the direction of the line, fixed in the first body: a vector, or two points ["P", "Q"].
        axis: Axis => required Direction = Axis::X,
        /// In space: the axis of the wheel; a ball if left out.
        axis2: Option<Axis> => optional Direction,
        /// Radius of the wheel, ball or disc, m; as drawn if left out.
        radius: Option<f64> => optional Length,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "rolling",
    points: Points::Rolling,
    in_plane: Freedom {
        coupled: 2,
        coordinates: &[Path(Vector::Axis), Turn(Vector::Z)],
        degrees: 1,
        ..Freedom::NONE
    },
    in_space: Freedom {
        coupled: 3,
        coordinates: &[Path(Vector::Side), Path(Vector::Normal)],
        degrees: 3,
        ..Freedom::NONE
    },
    forces: false,
    moment: [false, false],
    ..Descriptor::FREE
};

impl Describe for Rolling {
    fn axis(&self) -> Option<&Axis> {
        Some(&self.axis)
    }
    fn axis2(&self) -> Option<&Axis> {
        self.axis2.as_ref()
    }

    fn coupling(&self) -> Coupling<'_> {
        Coupling::Rolling(self.radius)
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        match &self.axis2 {
            Some(_) if on.planar() => {
                let message = "a rolling joint in the plane has no `axis2`: a disc turns about z";
                on.error_with(joint.key("axis2"), message, "remove `axis2`");
            }
            Some(axis) => {
                on.axis(&joint.key("axis2"), axis);
            }
            None => {}
        }
        if let Some(radius) = self.radius {
            on.number(&joint.key("radius"), radius, Sign::Positive);
        }
    }
}
