//! The kinds of value that only the model's own tables have.

use crate::expressions::units::Dims;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use crate::file::values::*;
use crate::model::{Dimension, Inertia};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Whether an input goes to a new value in a straight line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight(pub bool);

impl Choices for Straight {
    const WHAT: &'static str = "way between changes";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("held", Straight(false)), ("linear", Straight(true))]
    }
}

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

/// A component of a vector: 0, 1, 2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component(pub usize);

impl Choices for Component {
    const WHAT: &'static str = "component";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("x", Component(0)), ("y", Component(1)), ("z", Component(2))]
    }
}

/// What a surface can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurfaceKind {
    Plane,
    Point,
    Sphere,
    Box,
    Cylinder,
    Capsule,
    Hull,
    Disc,
}

impl Choices for SurfaceKind {
    const WHAT: &'static str = "type of surface";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![
            ("plane", SurfaceKind::Plane),
            ("point", SurfaceKind::Point),
            ("sphere", SurfaceKind::Sphere),
            ("box", SurfaceKind::Box),
            ("cylinder", SurfaceKind::Cylinder),
            ("capsule", SurfaceKind::Capsule),
            ("hull", SurfaceKind::Hull),
            ("disc", SurfaceKind::Disc),
        ]
    }
}

/// Moments of inertia: a number in the plane; three or six in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments(pub Inertia);

inline_schema!(Moments, |_| {
    json_schema!({ "anyOf": [number_schema(), vector_schema(3, 3), vector_schema(6, 6)] })
});

impl Decode for Moments {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let dims = Dims::new(2, 1, 0);
        let Value::Array(items) = &node.value else {
            return reader.number(node, dims).map(|polar| Moments(Inertia::Polar(polar)));
        };
        let numbers = reader.each(items, |item, reader| reader.number(item, dims));
        match items.len() {
            3 | 6 => {
                let mut matrix = [0.0; 6];
                matrix[..items.len()].copy_from_slice(&numbers?);
                Some(Moments(Inertia::Matrix(matrix)))
            }
            n => reader.fault(
                node.span.clone(),
                format!("expected [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]; found {n} numbers"),
            ),
        }
    }
}

/// Edge lengths of a box: in the plane the third may be left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(pub [f64; 3]);

inline_schema!(Size, |_| vector_schema(2, 3));

impl Decode for Size {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list of edge lengths")?;
        let numbers = reader.each(items, |item, reader| reader.number(item, Dims::new(1, 0, 0)));
        let least = if reader.dimension == Some(Dimension::Spatial) { 3 } else { 2 };
        if !(least..=3).contains(&items.len()) {
            let expected = if least == 3 { "three" } else { "two or three" };
            return reader.fault(
                node.span.clone(),
                format!("expected {expected} edge lengths; found {}", items.len()),
            );
        }
        let numbers = numbers?;
        Some(Size([numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(0.0)]))
    }
}

/// Two names, or two lists of names.
#[derive(Clone, Debug)]
pub(super) struct Sides(pub [Vec<String>; 2]);

inline_schema!(Sides, |_| {
    let side =
        json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    json_schema!({ "type": "array", "items": side, "minItems": 2, "maxItems": 2 })
});

impl Decode for Sides {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "two surfaces, or two lists of them")?;
        if items.len() != 2 {
            let message = format!("expected two surfaces, or two lists of them; found {}", items.len());
            return reader.fault(node.span.clone(), message);
        }
        let side = |item: &Node, reader: &mut Reader<'_>| match &item.value {
            Value::Array(_) => Vec::<String>::decode(item, reader),
            _ => String::decode(item, reader).map(|name| vec![name]),
        };
        reader.each(items, side)?.try_into().ok().map(Sides)
    }
}
