//! What the entries of a file need to know of the whole model.

use super::item::Item;
use super::number::RADIAN;
use crate::drawing::Dimension;
use crate::expressions::Formula;
use std::collections::{HashMap, HashSet};

/// The model around an entry.
pub(crate) struct Context<'m> {
    pub dimension: Dimension,
    joints: HashMap<&'m str, Vec<bool>>,
    points: HashSet<&'m str>,
}

/// The units of what belongs to a coordinate: along a path, and about an axis.
pub(crate) type Units = [&'static str; 2];

pub(crate) const COORDINATE: Units = ["m", RADIAN];
pub(crate) const RATE: Units = ["m/s", "rad/s"];
pub(crate) const FORCE: Units = ["N", "N m"];
pub(crate) const INERTIA: Units = ["kg", "kg m^2"];
pub(crate) const STIFFNESS: Units = ["N/m", "N m/rad"];
pub(crate) const INTEGRAL: Units = ["N/(m s)", "N m/(rad s)"];
pub(crate) const DAMPING: Units = ["N s/m", "N m s/rad"];

/// The unit of a quantity that belongs to a coordinate; none where it is not known which kind that is.
pub(crate) fn unit(turns: Option<bool>, [path, angle]: Units) -> &'static str {
    turns.map_or("", |turns| if turns { angle } else { path })
}

impl<'m> Context<'m> {
    /// Of a plane or space, the listed joints with whether their coordinates are angles, and the points.
    pub fn new(
        dimension: Dimension,
        joints: impl Iterator<Item = (&'m str, Vec<bool>)>,
        points: impl Iterator<Item = &'m str>,
    ) -> Self {
        Context { dimension, joints: joints.collect(), points: points.collect() }
    }

    /// Whether a coordinate of a joint, counted from one, is an angle; nothing if that is not known.
    pub fn turns(&self, joint: &str, coordinate: usize) -> Option<bool> {
        match self.joints.get(joint) {
            Some(turns) => turns.get(coordinate.checked_sub(1)?).copied(),
            // where bodies share points they turn; such joints are called after a point
            None => self.points.contains(joint.split(['.', '\'']).next()?).then_some(true),
        }
    }

    /// A vector in world axes.
    pub fn vector(&self, v: &[f64; 3]) -> Item {
        Item::vector(v, self.dimension)
    }

    /// A vector of formulas.
    pub fn formulas(&self, v: &[Formula; 3]) -> Item {
        Item::formulas(v, self.dimension)
    }
}
