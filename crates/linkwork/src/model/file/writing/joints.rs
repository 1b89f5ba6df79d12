//! Where the coordinates of joints start.

use super::super::format::InitialJointTable;
use crate::file::writing::context::{COORDINATE, Context, RATE, Units, unit};
use crate::file::writing::item::{Entry, Item};
use crate::model::InitialJoint;

/// The initial coordinates and rates of a joint.
pub(super) fn initial(start: &InitialJoint, context: &Context<'_>) -> Item {
    let InitialJoint { joint, q, v } = start;
    let numbers = |values: &[f64], units: Units| -> Item {
        let item =
            |(i, value): (usize, &f64)| Item::Quantity(*value, unit(context.turns(joint, i + 1), units));
        match values {
            [one] => item((0, one)),
            _ => values.iter().enumerate().map(item).collect::<Vec<_>>().into(),
        }
    };
    let entry = Entry::new(InitialJointTable::KEYS).alone("q");
    entry.unless(q.is_empty(), "q", numbers(q, COORDINATE)).unless(v.is_empty(), "v", numbers(v, RATE)).into()
}
