//! Prescribed motion.

use super::{Axis, Formula, GROUND};

/// What a driver prescribes.
#[derive(Clone, Debug, PartialEq)]
pub enum Driven {
    /// A coordinate of a joint, counted from one: an angle or a path since the drawing.
    Joint {
        /// The joint, by its name in results.
        joint: String,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// A component of a point's position in world axes.
    Point {
        /// The point.
        point: String,
        /// 0, 1 or 2 for x, y, z.
        component: usize,
    },
    /// The angle by which a body has turned against another about an axis since the drawing.
    Body {
        /// The body.
        body: String,
        /// The body that it turns against, in which the axis is fixed; `ground` is one.
        against: String,
        /// The axis; z in the plane.
        axis: Option<Axis>,
    },
}

/// A motion given as a function of time. The force or torque that it takes is a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    /// Its name, used in results.
    pub name: String,
    /// What it drives.
    pub of: Driven,
    /// The value, m or rad, as a formula of `t` and of inputs that have a filter.
    pub value: Formula,
}

impl Driver {
    /// The formula reads no more names than this.
    pub const MOST_NAMES: usize = crate::interactions::MOST_NAMES;

    /// Drives the first coordinate of a joint.
    pub fn joint(name: impl Into<String>, joint: &str, value: impl Into<Formula>) -> Self {
        let of = Driven::Joint { joint: joint.into(), coordinate: 1 };
        Driver { name: name.into(), of, value: value.into() }
    }

    /// Drives a component (0, 1, 2 for x, y, z) of a point's position.
    pub fn point(name: impl Into<String>, point: &str, component: usize, value: impl Into<Formula>) -> Self {
        let of = Driven::Point { point: point.into(), component };
        Driver { name: name.into(), of, value: value.into() }
    }

    /// Drives the angle of a body against the ground, about an axis as drawn; in the plane about z.
    pub fn angle(name: impl Into<String>, body: &str, axis: Option<Axis>, value: impl Into<Formula>) -> Self {
        let of = Driven::Body { body: body.into(), against: GROUND.into(), axis };
        Driver { name: name.into(), of, value: value.into() }
    }

    /// Chooses another coordinate of the joint, counted from one.
    pub fn coordinate(mut self, number: usize) -> Self {
        if let Driven::Joint { coordinate, .. } = &mut self.of {
            *coordinate = number;
        }
        self
    }
}
