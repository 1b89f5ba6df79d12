//! The kinds of value that only the model's own tables have.

use crate::expressions::units::Dims;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use crate::file::values::*;
use crate::model::Dimension;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The acceleration of free fall: a vector, `"none"`, `"-y"` or `"-z"`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gravity(pub [f64; 3]);

/// What the one-word forms of gravity stand for, m/s².
const GRAVITY: f64 = 9.81;

inline_schema!(Gravity, |_| {
    json_schema!({ "anyOf": [{ "enum": ["none", "-y", "-z"] }, vector_schema(2, 3)] })
});

impl Decode for Gravity {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String(word) => match word.as_str() {
                "none" => Some(Gravity([0.0; 3])),
                "-y" => Some(Gravity([0.0, -GRAVITY, 0.0])),
                "-z" => Some(Gravity([0.0, 0.0, -GRAVITY])),
                _ => reader.fault(
                    node.span.clone(),
                    "expected a vector in m/s^2, or one of \"none\", \"-y\", \"-z\"",
                ),
            },
            Value::Number(_) => reader.fault_with(
                node.span.clone(),
                "gravity has a direction: expected a vector in m/s^2, or one of \"none\", \"-y\", \"-z\"; found a number",
                Some("\"-y\" is 9.81 m/s^2 downwards, as [0, -9.81] is in the plane".into()),
            ),
            _ => vector(node, reader, Dims::new(1, 0, -2)).map(Gravity),
        }
    }
}

/// `dimension`: 2 or 3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Directions;

inline_schema!(Directions, |_| json_schema!({ "enum": [2, 3] }));

impl Directions {
    pub fn of(node: &Node) -> Option<Dimension> {
        match node.value {
            Value::Number(2.0) => Some(Dimension::Planar),
            Value::Number(3.0) => Some(Dimension::Spatial),
            _ => None,
        }
    }
}

impl Decode for Directions {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match Directions::of(node) {
            Some(_) => Some(Directions),
            None => reader.fault(node.span.clone(), "`dimension` is 2 (in the x, y plane) or 3 (in space)"),
        }
    }
}

/// `format`: the version of the file format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Version;

inline_schema!(Version, |_| json_schema!({ "enum": [1] }));

impl Decode for Version {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            Value::Number(1.0) => Some(Version),
            _ => reader.fault(node.span.clone(), "this version of Linkwork reads `format = 1`"),
        }
    }
}
