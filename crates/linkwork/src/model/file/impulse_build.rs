//! The table of an impulse, and what it says into the model.

use crate::error::names::segment;
use crate::expressions::quantity::State;
use crate::expressions::units::Dims;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use crate::file::table::table;
use crate::file::values::*;
use crate::model::{Blow, Fault, Impulse, Joint};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

table! {
    /// An impulse at given times: on a body (`impulse`, `angular_impulse`), or along a joint coordinate such that it gets a `rate`.
    ImpulseTable {
        /// When, s: a time or a list of times.
        at: required Times,
        /// The point that is struck; the body's centre of mass if left out.
        point: optional String,
        /// The body that is struck; the first that has the point if left out.
        body: optional String,
        /// The impulse in world axes, N s.
        impulse: optional Vector<1, 1, -1>,
        /// The angular impulse on the body in world axes, N m s: a number in the plane, a vector in space.
        angular_impulse: optional Turning<2, 1, -1>,
        /// Instead of a body: the joint whose coordinate gets a rate, by its name in results.
        joint: optional String,
        /// Which of the joint's coordinates, counted from one; may be left out if there is one only.
        coordinate: optional Count,
        /// The rate that the coordinate gets, rad/s or m/s.
        rate: optional Rate,
    }
}

/// A time, or a list of them.
#[derive(Clone, Debug)]
pub(super) struct Times(pub Vec<f64>);

inline_schema!(Times, |_| {
    json_schema!({ "anyOf": [number_schema(), { "type": "array", "items": number_schema(), "minItems": 1 }] })
});

impl Decode for Times {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Array(_) => {
                Vec::decode(node, reader).map(|all: Vec<Time>| Times(all.iter().map(|t| t.0).collect()))
            }
            _ => Time::decode(node, reader).map(|t| Times(vec![t.0])),
        }
    }
}

/// The rate of a coordinate, with what is known of its dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate(pub f64, pub Option<Dims>);

inline_schema!(Rate, |_| number_schema());

impl Decode for Rate {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let quantity = reader.quantity(node)?;
        let dims = match quantity.state {
            State::Known(dims) => Some(dims),
            _ => None,
        };
        if dims.is_some_and(|found| found != TURNING && found != SLIDING) {
            let found = dims.unwrap_or(Dims::NONE);
            let message = format!("expected {TURNING} or {SLIDING}, found {found}");
            return reader.fault(node.span.clone(), message);
        }
        Some(Rate(quantity.value, dims))
    }
}

const TURNING: Dims = Dims::new(0, 0, -1);
const SLIDING: Dims = Dims::new(1, 0, -1);

/// Nothing if it does not say what happens; it has been reported.
pub(super) fn impulse(
    name: String,
    table: ImpulseTable,
    joints: &[Joint],
    reader: &mut Reader<'_>,
) -> Option<Impulse> {
    let path = format!("impulses.{}", segment(&name));
    if reader.broken.iter().any(|broken| crate::file::within(broken, &path)) {
        return None;
    }
    let dimension = reader.dimension;
    let mut refuse = |key: &str, message: String, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
        None
    };
    let strikes = [
        ("point", table.point.is_some()),
        ("body", table.body.is_some()),
        ("impulse", table.impulse.is_some()),
        ("angular_impulse", table.angular_impulse.is_some()),
    ];
    let sets = [
        ("joint", table.joint.is_some()),
        ("coordinate", table.coordinate.is_some()),
        ("rate", table.rate.is_some()),
    ];
    let said = |keys: &[(&'static str, bool)]| keys.iter().find(|(_, given)| *given).map(|(key, _)| *key);
    let at = table.at?.0;
    let gives = match (said(&strikes), said(&sets)) {
        (Some(a), Some(b)) => {
            let message =
                format!("`{a}` and `{b}` do not go together: a body is struck, or a coordinate gets a rate");
            return refuse(&format!(".{b}"), message, "make two impulses of it, at the same time");
        }
        (None, None) => {
            let help = "give `point` and `impulse`, `body` and `angular_impulse`, or `joint` and `rate`";
            return refuse("", "this impulse does not say what happens".into(), help);
        }
        (Some(_), None) => {
            if table.impulse.is_none() && table.angular_impulse.is_none() {
                return refuse(
                    "",
                    "an `impulse` or an `angular_impulse` is missing".into(),
                    "give one, or both",
                );
            }
            if table.angular_impulse.is_some() && table.body.is_none() {
                return refuse(
                    ".angular_impulse",
                    "`body` is missing".into(),
                    "name the body that is to turn",
                );
            }
            Blow::Strike {
                body: table.body,
                point: table.point,
                impulse: table.impulse.map_or([0.0; 3], |v| v.0),
                angular_impulse: table.angular_impulse.map_or([0.0; 3], |v| v.0),
            }
        }
        (None, Some(_)) => {
            let (Some(joint), Some(Rate(rate, dims))) = (table.joint, table.rate) else {
                return refuse("", "`joint` and `rate` go together".into(), "give both");
            };
            let coordinate = table.coordinate.map(|n| usize::try_from(n.0).unwrap_or(usize::MAX));
            // joints without an entry turn
            let kind = joints.iter().find(|j| j.name == joint).map(|j| j.kind());
            let known = match kind {
                None => Some(Dims::NONE),
                Some(kind) => dimension.and_then(|dimension| {
                    super::build::coordinate_dims(kind, dimension, coordinate.unwrap_or(1))
                }),
            };
            let expected = known.map(|dims| if dims == Dims::NONE { TURNING } else { SLIDING });
            if let (Some(found), Some(expected)) = (dims, expected)
                && found != expected
            {
                return refuse(
                    ".rate",
                    format!("expected {expected}, found {found}"),
                    "mind what the joint does",
                );
            }
            Blow::Rate { joint, coordinate, rate }
        }
    };
    Some(Impulse { name, at, gives })
}
