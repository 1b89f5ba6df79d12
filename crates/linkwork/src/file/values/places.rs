//! Names of points and bodies, places, directions and vectors.

use super::quantities::alike;
use super::schemas::{inline_schema, names_schema, number_schema, vector_schema};
use crate::drawing::{Axis, Dimension, Place};
use crate::error::Fault;
use crate::error::names::nearest;
use crate::expressions::units::Dims;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A vector in world axes: two numbers in the plane, three in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<const M: i8, const KG: i8, const S: i8>(pub [f64; 3]);

pub(crate) type Position = Vector<1, 0, 0>;
pub(crate) type Velocity = Vector<1, 0, -1>;

inline_schema!(const M KG S => Vector<M, KG, S>, |_| vector_schema(2, 3));

impl<const M: i8, const KG: i8, const S: i8> Decode for Vector<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        vector(node, reader, Dims::new(M, KG, S)).map(Vector)
    }
}

/// A vector of as many numbers as the model has directions.
pub(crate) fn vector(node: &Node, reader: &mut Reader<'_>, dims: Dims) -> Option<[f64; 3]> {
    let (allowed, expected) = match reader.dimension {
        Some(Dimension::Planar) => (2..=2, "two numbers [x, y], for the model is planar"),
        Some(Dimension::Spatial) => (3..=3, "three numbers [x, y, z], for the model is spatial"),
        None => (2..=3, "two or three numbers"),
    };
    let items = reader.items(node, &format!("a list of {expected}"))?;
    if allowed.contains(&items.len()) {
        let numbers = reader.each(items, |item, reader| reader.number(item, dims))?;
        return Some([numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(0.0)]);
    }
    let help = decimal_comma(node, items, reader).or_else(|| {
        let hint = match (items.len(), *allowed.start()) {
            (2, 3) => Some("is the z missing?"),
            (3, 2) if matches!(items[2].value, Value::Number(0.0)) => Some("leave the z out"),
            _ => None,
        };
        match (reader.reason.clone(), hint) {
            (Some(why), Some(hint)) => Some(format!("{why}: {hint}")),
            (why, hint) => why.or(hint.map(Into::into)),
        }
    });
    reader.fault_with(node.span.clone(), format!("expected {expected}; found {}", items.len()), help)
}

/// Advice where a list has too many numbers because decimal fractions are written with commas: `[2,5, 2]`.
fn decimal_comma(node: &Node, items: &[Node], reader: &Reader<'_>) -> Option<String> {
    let text = reader.written(node)?;
    let glued = |pair: &[Node]| {
        let whole = |item: &Node| matches!(item.value, Value::Number(x) if x.fract() == 0.0);
        whole(&pair[0]) && whole(&pair[1]) && pair[0].span.end + 1 == pair[1].span.start
    };
    let at = items.windows(2).position(glued)?;
    // where every comma stands without a space, none says which is meant
    let spaced = items.windows(2).any(|pair| !glued(pair));
    let two = text.get(items[at].span.start - node.span.start..items[at + 1].span.end - node.span.start)?;
    let meant = two.replacen(',', ".", 1);
    Some(match spaced {
        true => format!("a decimal fraction is written with a point: `{meant}` instead of `{two}`"),
        false => {
            format!("a comma parts two numbers; a decimal fraction is written with a point, as in `{meant}`")
        }
    })
}

/// A quantity of turning: a number in the plane, a vector in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turning<const M: i8, const KG: i8, const S: i8>(pub [f64; 3]);

pub(crate) type AngularVelocity = Turning<0, 0, -1>;

inline_schema!(const M KG S => Turning<M, KG, S>, |_| {
    json_schema!({ "anyOf": [number_schema(), vector_schema(3, 3)] })
});

impl<const M: i8, const KG: i8, const S: i8> Decode for Turning<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let dims = Dims::new(M, KG, S);
        match (&node.value, reader.dimension) {
            (Value::Array(_), Some(Dimension::Planar)) => reader.fault(
                node.span.clone(),
                "expected one number, about z, for the model is planar; found a list",
            ),
            (Value::Array(_), _) => vector(node, reader, dims).map(Turning),
            (_, Some(Dimension::Spatial)) => {
                reader.wrong(node, "three numbers [x, y, z], for the model is spatial")
            }
            _ => reader.number(node, dims).map(|value| Turning([0.0, 0.0, value])),
        }
    }
}

/// Two names.
#[derive(Clone, Debug)]
pub(crate) struct Two(pub [String; 2]);

inline_schema!(Two, |_| names_schema());

impl Decode for Two {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list of two names")?;
        let names = reader.each(items, String::decode)?;
        match <[String; 2]>::try_from(names) {
            Ok(names) => Some(Two(names)),
            Err(names) => {
                reader.fault(node.span.clone(), format!("expected two names, found {}", names.len()))
            }
        }
    }
}

/// The point of a joint: one name, or one on each body.
#[derive(Clone, Debug)]
pub(crate) struct At(pub [String; 2]);

inline_schema!(At, |_| json_schema!({ "anyOf": [{ "type": "string" }, names_schema()] }));

impl Decode for At {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String(name) => Some(At([name.clone(), name.clone()])),
            Value::Array(_) => Two::decode(node, reader).map(|two| At(two.0)),
            _ => reader.wrong(node, "the name of a point, or of one on each body"),
        }
    }
}

/// A place: the name of a point, or coordinates.
#[derive(Clone, Debug)]
pub(crate) struct PlaceName(pub Place);

inline_schema!(PlaceName, |_| json_schema!({ "anyOf": [{ "type": "string" }, vector_schema(2, 3)] }));

impl Decode for PlaceName {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String(name) => Some(PlaceName(Place::Point(name.clone()))),
            Value::Array(_) => {
                Position::decode(node, reader).map(|position| PlaceName(Place::At(position.0)))
            }
            _ => reader.wrong(node, "the name of a point or coordinates"),
        }
    }
}

/// A direction: a vector of any length, or two points. In the plane it may have a third component.
#[derive(Clone, Debug)]
pub(crate) struct Direction(pub Axis);

inline_schema!(Direction, |_| vector_schema(2, 3));

impl Decode for Direction {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a vector or the names of two points")?;
        if let [Node { value: Value::String(p), .. }, Node { value: Value::String(q), .. }] = items {
            // two strings in the plane may also be two expressions
            let points = reader.points.contains(p) || reader.points.contains(q);
            if points || reader.dimension == Some(Dimension::Spatial) {
                reader.each(items, |_, _| Some(()));
                return Some(Direction(Axis::Points(p.clone(), q.clone())));
            }
        }
        // only the ratios count: any dimension will do
        let mut dims = None;
        let numbers = reader.each(items, |item, reader| alike(item, reader, &mut dims));
        let expected = match (reader.dimension, items.len()) {
            (_, 3) => None,
            (Some(Dimension::Spatial), _) => Some("three numbers [x, y, z] or two points"),
            (_, 2) => None,
            _ => Some("two or three numbers, or two points"),
        };
        if let Some(expected) = expected {
            return reader.fault(node.span.clone(), format!("expected {expected}; found {}", items.len()));
        }
        let numbers = numbers?;
        Some(Direction(Axis::Vector([numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(0.0)])))
    }
}

/// A direction as a vector in the drawing: two points are one already here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawnDirection(pub [f64; 3]);

inline_schema!(DrawnDirection, |_| vector_schema(2, 3));

impl Decode for DrawnDirection {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        /// Where a point could not be decoded, any direction does.
        const ANY: [f64; 3] = [1.0, 0.0, 0.0];
        let ends = match Direction::decode(node, reader)?.0 {
            Axis::Vector(vector) => return Some(DrawnDirection(vector)),
            Axis::Points(p, q) => [p, q],
        };
        if let Some(i) = ends.iter().position(|name| !reader.points.contains(name)) {
            let name = &ends[i];
            let known: BTreeSet<&str> = reader.points.iter().map(String::as_str).collect();
            let path = format!("{}[{i}]", reader.path());
            let help = nearest(name, known);
            reader.reject(Fault { help, ..Fault::error(path, format!("there is no point `{name}`")) });
            return None;
        }
        let [p, q] = ends.map(|name| reader.positions.get(&name).copied().unwrap_or([f64::NAN; 3]));
        let vector: [f64; 3] = std::array::from_fn(|k| q[k] - p[k]);
        Some(DrawnDirection(if vector.iter().all(|x| x.is_finite()) { vector } else { ANY }))
    }
}

/// Edge lengths of a box: in the plane the third may be left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub [f64; 3]);

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

/// Two directions.
#[derive(Clone, Debug)]
pub(crate) struct TwoDirections(pub [Direction; 2]);

inline_schema!(TwoDirections, |_| {
    json_schema!({ "type": "array", "items": vector_schema(2, 3), "minItems": 2, "maxItems": 2 })
});

impl Decode for TwoDirections {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "two directions")?;
        let directions = reader.each(items, Direction::decode)?;
        match <[Direction; 2]>::try_from(directions) {
            Ok(two) => Some(TwoDirections(two)),
            Err(list) => {
                reader.fault(node.span.clone(), format!("expected two directions, found {}", list.len()))
            }
        }
    }
}
