//! Keys of joints with a value for each of their coordinates: one value stands for the first coordinate, a list for all.

use super::JointKind;
use crate::error::Fault;
use crate::expressions::quantity::State;
pub(super) use crate::file::along_coordinate as dims;
use crate::file::along_coordinate::PathOrAngle;
use crate::file::decode::Decode;
pub(super) use crate::file::decode::Reader;
pub(super) use crate::file::document::Node;
pub(super) use crate::file::keys::{Given, Keys};
pub(super) use crate::file::table::Properties;
use crate::file::values::{AnyQuantity, Limits, PerCoordinate};
pub(super) use crate::file::writing::context as units;
use crate::file::writing::item::is;
pub(super) use crate::file::writing::{Context, Entry, Item};

/// A value of one coordinate.
pub(super) trait OfCoordinate: Copy + Default {
    /// The key in a file.
    type Key: Decode;
    /// Whether the key says nothing if it is left out; else it is zero then.
    const OPTIONAL: bool = true;
    /// The values of all coordinates with what is known of the dimensions, and whether they are a list.
    fn values(key: Self::Key) -> (Vec<(Self, [State; 2])>, bool);
    /// Whether it says what is so without it.
    fn is_left_out(self) -> bool;
    /// The value in a file.
    fn item(self, unit: &'static str) -> Item;
}

impl OfCoordinate for f64 {
    type Key = PerCoordinate;
    const OPTIONAL: bool = false;
    fn values(key: PerCoordinate) -> (Vec<(Self, [State; 2])>, bool) {
        (key.0.into_iter().map(|value| (value.0, [value.1; 2])).collect(), key.1)
    }
    fn is_left_out(self) -> bool {
        is(self, 0.0)
    }
    fn item(self, unit: &'static str) -> Item {
        Item::Quantity(self, unit)
    }
}

/// In a list a value that is not given comes out as zero: whoever reads it again finds that.
impl OfCoordinate for Option<f64> {
    type Key = PerCoordinate;
    fn values(key: PerCoordinate) -> (Vec<(Self, [State; 2])>, bool) {
        (key.0.into_iter().map(|value| (Some(value.0), [value.1; 2])).collect(), key.1)
    }
    fn is_left_out(self) -> bool {
        self.is_none()
    }
    fn item(self, unit: &'static str) -> Item {
        Item::Quantity(self.unwrap_or(0.0), unit)
    }
}

/// Stops; in a list a pair is empty where there are none.
impl OfCoordinate for Option<[f64; 2]> {
    type Key = Limits;
    fn values(key: Limits) -> (Vec<(Self, [State; 2])>, bool) {
        let value = |pair: Option<[AnyQuantity; 2]>| match pair {
            Some([low, high]) => (Some([low.0, high.0]), [low.1, high.1]),
            None => (None, [State::Number; 2]),
        };
        (key.0.into_iter().map(value).collect(), key.1)
    }
    fn is_left_out(self) -> bool {
        self.is_none()
    }
    fn item(self, unit: &'static str) -> Item {
        let limit = |limit: f64| match limit.is_infinite() {
            true => Item::from("none"),
            false => Item::Quantity(limit, unit),
        };
        Item::List(self.iter().flatten().map(|&end| limit(end)).collect())
    }
}

/// Decodes the values of a key, which has no more of them than the joint has coordinates.
pub(super) fn read<T: OfCoordinate>(
    (key, dims): (&'static str, PathOrAngle),
    kind: JointKind,
    node: &Node,
    given: Given<'_>,
    reader: &mut Reader<'_>,
) -> Vec<T> {
    let Some(said) = given.field::<T::Key>(node, key, false, reader) else { return Vec::new() };
    let (values, listed) = T::values(said);
    let path = format!("{}.{key}", reader.path());
    let most = reader.dimension.map_or(usize::MAX, |dimension| kind.coordinates(dimension).len());
    if values.len() > most {
        let (kind, given) = (kind.name(), values.len());
        let message = match most {
            0 => format!("a {kind} joint has no coordinate along which anything acts"),
            1 => format!("a {kind} joint has one coordinate, here are {given}"),
            _ => format!("a {kind} joint has {most} coordinates, here are {given}"),
        };
        reader.push(Fault::error(path, message));
        return values.into_iter().take(most).map(|(value, _)| value).collect();
    }
    for (i, (_, states)) in values.iter().enumerate() {
        let path = if listed { format!("{path}[{i}]") } else { path.clone() };
        let turns = reader.turns(given.name, i + 1);
        let [first, second] = *states;
        reader.fits_coordinate(&path, first, turns, dims);
        if second != first {
            reader.fits_coordinate(&path, second, turns, dims);
        }
    }
    values.into_iter().map(|(value, _)| value).collect()
}

/// Writes a value, or a list up to the last that says anything.
pub(super) fn write<T: OfCoordinate>(
    entry: Entry,
    key: &'static str,
    values: &[T],
    unit: impl Fn(usize) -> &'static str,
) -> Entry {
    let item = |i: usize| values[i].item(unit(i));
    match values.iter().rposition(|value| !value.is_left_out()) {
        None if T::OPTIONAL => entry,
        None => entry.unless(true, key, 0.0),
        Some(0) => entry.set(key, item(0)),
        Some(last) => entry.set(key, (0..=last).map(item).collect::<Vec<_>>()),
    }
}
