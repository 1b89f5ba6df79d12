//! Where the coordinates of joints start.

use super::format::InitialJointTable;
use crate::error::names::segment;
use crate::file::along_coordinate::{COORDINATE, PathOrAngle, RATE};
use crate::file::decode::Reader;
use crate::file::values::{AnyQuantity, PerCoordinate};
use crate::file::within;
use crate::model::{Fault, InitialJoint};

/// The initial coordinates and rates of a joint.
pub(super) fn initial_joint(
    joint: String,
    table: InitialJointTable,
    reader: &mut Reader<'_>,
) -> InitialJoint {
    let path = format!("initial.joints.{}", segment(&joint));
    if table.q.is_none() && table.v.is_none() && !reader.broken.iter().any(|broken| within(broken, &path)) {
        let fault = Fault::error(path.clone(), "this says nothing of the joint");
        reader.reject(fault.help("give its coordinate `q`, its rate `v`, or both"));
    }
    let mut numbers = |key: &str, list: Option<PerCoordinate>, dims: PathOrAngle| -> Vec<f64> {
        let list = list.map_or(Vec::new(), |list| list.0);
        for (i, AnyQuantity(_, state)) in list.iter().enumerate() {
            let whole = format!("{path}.{key}");
            let path = if reader.spans.contains_key(&whole) { &whole } else { &path };
            let turns = reader.turns(&joint, i + 1);
            reader.fits_coordinate(path, *state, turns, dims);
        }
        list.into_iter().map(|quantity| quantity.0).collect()
    };
    let (q, v) = (numbers("q", table.q, COORDINATE), numbers("v", table.v, RATE));
    InitialJoint { joint, q, v }
}
