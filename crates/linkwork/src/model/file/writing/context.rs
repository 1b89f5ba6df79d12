//! What the entries of a file need to know of the whole model.

use super::item::Item;
use super::number::RADIAN;
use crate::model::reading::turns;
use crate::model::{Dimension, Formula, JointKind, Model};
use std::collections::{HashMap, HashSet};

/// The model around an entry.
pub(super) struct Context<'m> {
    pub dimension: Dimension,
    joints: HashMap<&'m str, JointKind>,
    points: HashSet<&'m str>,
}

/// The units of what belongs to a coordinate: along a path, and about an axis.
pub(super) type Units = [&'static str; 2];

pub(super) const COORDINATE: Units = ["m", RADIAN];
pub(super) const RATE: Units = ["m/s", "rad/s"];
pub(super) const FORCE: Units = ["N", "N m"];
pub(super) const INERTIA: Units = ["kg", "kg m^2"];
pub(super) const STIFFNESS: Units = ["N/m", "N m/rad"];
pub(super) const INTEGRAL: Units = ["N/(m s)", "N m/(rad s)"];
pub(super) const DAMPING: Units = ["N s/m", "N m s/rad"];

/// The unit of a quantity that belongs to a coordinate; none where it is not known which kind that is.
pub(super) fn unit(turns: Option<bool>, [path, angle]: Units) -> &'static str {
    turns.map_or("", |turns| if turns { angle } else { path })
}

impl<'m> Context<'m> {
    pub fn of(model: &'m Model) -> Self {
        Context {
            dimension: model.dimension,
            joints: model.joints.iter().map(|joint| (joint.name.as_str(), joint.kind)).collect(),
            points: model.points.iter().map(|point| point.name.as_str()).collect(),
        }
    }

    /// Whether a coordinate of a joint, counted from one, is an angle; nothing if that is not known.
    pub fn turns(&self, joint: &str, coordinate: usize) -> Option<bool> {
        match self.joints.get(joint) {
            Some(&kind) => turns(kind, self.dimension, coordinate),
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
