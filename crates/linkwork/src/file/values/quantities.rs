//! Numbers with dimensions.

use super::schemas::{inline_schema, number_schema, vector_schema};
use crate::drawing::{Color, Dimension};
use crate::error::names::nearest;
use crate::expressions::quantity::State;
use crate::expressions::units::{self, Dims};
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// A number with given exponents of m, kg and s, in SI units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Si<const M: i8, const KG: i8, const S: i8>(pub f64);

pub(crate) type Plain = Si<0, 0, 0>;
pub(crate) type Length = Si<1, 0, 0>;
pub(crate) type Area = Si<2, 0, 0>;
pub(crate) type Mass = Si<0, 1, 0>;
pub(crate) type Density = Si<-3, 1, 0>;
pub(crate) type Time = Si<0, 0, 1>;
pub(crate) type Stiffness = Si<0, 1, -2>;
pub(crate) type Damping = Si<0, 1, -1>;
pub(crate) type ForceSize = Si<1, 1, -2>;
pub(crate) type Speed = Si<1, 0, -1>;
pub(crate) type Frequency = Si<0, 0, -1>;

inline_schema!(const M KG S => Si<M, KG, S>, |_| number_schema());

impl<const M: i8, const KG: i8, const S: i8> Decode for Si<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.number(node, Dims::new(M, KG, S)).map(Si)
    }
}

/// A whole number, one or more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub u64);

inline_schema!(Count, |_| json_schema!({ "type": ["integer", "string"], "minimum": 1 }));

impl Decode for Count {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        /// Up to here every whole number is an f64.
        const MOST: f64 = 9_007_199_254_740_992.0;
        let value = reader.number(node, Dims::NONE)?;
        reader.counts(node);
        match value.fract() == 0.0 && (1.0..=MOST).contains(&value) {
            true => Some(Count(value as u64)),
            false => reader
                .fault(node.span.clone(), format!("expected a whole number, one or more; found {value}")),
        }
    }
}

/// The same, as large as it may be: steps, orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole(pub u64);

inline_schema!(Whole, |generator| Count::json_schema(generator));

impl Decode for Whole {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        Count::decode(node, reader).map(|count| Whole(count.0))
    }
}

/// Two numbers of one dimension; what is known of that is noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range(pub [f64; 2]);

inline_schema!(Range, |_| vector_schema(2, 2));

impl Decode for Range {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "two numbers [low, high]")?;
        let mut dims = None;
        let values = reader.each(items, |item, reader| alike(item, reader, &mut dims))?;
        reader.note(dims.map_or(State::Number, State::Known));
        match values[..] {
            [low, high] => Some(Range([low, high])),
            _ => reader.fault(
                node.span.clone(),
                format!("expected two numbers [low, high], found {}", values.len()),
            ),
        }
    }
}

/// A number, or two: one for each end or axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<const M: i8, const KG: i8, const S: i8>(pub [f64; 2]);

inline_schema!(const M KG S => Ends<M, KG, S>, |_| {
    json_schema!({ "anyOf": [number_schema(), vector_schema(2, 2)] })
});

impl<const M: i8, const KG: i8, const S: i8> Decode for Ends<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let dims = Dims::new(M, KG, S);
        if !matches!(node.value, Value::Array(_)) {
            return reader.number(node, dims).map(|value| Ends([value; 2]));
        }
        let items = reader.items(node, "a number, or a list of two")?;
        match reader.each(items, |item, reader| reader.number(item, dims))?[..] {
            [first, second] => Some(Ends([first, second])),
            _ => reader.fault(
                node.span.clone(),
                format!("expected a number, or a list of two; found {}", items.len()),
            ),
        }
    }
}

/// Two numbers of any dimension, of each of which it is noted what is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds(pub [f64; 2]);

inline_schema!(Bounds, |_| vector_schema(2, 2));

impl Decode for Bounds {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "two numbers [low, high]")?;
        match reader.each(items, AnyQuantity::decode)?[..] {
            [low, high] => Some(Bounds([low.0, high.0])),
            _ => reader
                .fault(node.span.clone(), format!("expected two numbers [low, high], found {}", items.len())),
        }
    }
}

/// A time, or a list of them.
#[derive(Clone, Debug)]
pub(crate) struct Times(pub Vec<f64>);

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

/// A unit such as `N/mm`.
#[derive(Clone, Debug)]
pub(crate) struct UnitName(pub String);

inline_schema!(UnitName, |_| json_schema!({ "type": "string" }));

impl Decode for UnitName {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let name = String::decode(node, reader)?;
        match units::parse(&name) {
            Some(_) => Some(UnitName(name)),
            None => {
                let help = units::meant(&name).unwrap_or_else(|| {
                    format!("units are: {}", units::symbols().collect::<Vec<_>>().join(" "))
                });
                reader.fault_with(node.span.clone(), format!("`{name}` is not a unit"), Some(help))
            }
        }
    }
}

/// A colour: `#rrggbb`, `#rgb` or a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorName(pub Color);

inline_schema!(ColorName, |_| json_schema!({ "type": "string" }));

impl Decode for ColorName {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let name = String::decode(node, reader)?;
        if let Some(color) = Color::parse(&name) {
            return Some(ColorName(color));
        }
        let names = || Color::NAMES.iter().map(|(name, _)| *name);
        let help = nearest(&name, names()).unwrap_or_else(|| {
            format!("write \"#rrggbb\", or one of {}", names().collect::<Vec<_>>().join(", "))
        });
        reader.fault_with(node.span.clone(), format!("`{name}` is not a colour"), Some(help))
    }
}

/// A list of numbers of one dimension, whatever it is.
#[derive(Clone, Debug)]
pub(crate) struct Column(pub Vec<f64>);

inline_schema!(Column, |_| json_schema!({ "type": "array", "items": number_schema(), "minItems": 2 }));

impl Decode for Column {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list of numbers")?;
        let mut dims = None;
        reader.each(items, |item, reader| alike(item, reader, &mut dims)).map(Column)
    }
}

/// A number of the same dimension as those before it.
pub(crate) fn alike(node: &Node, reader: &mut Reader<'_>, dims: &mut Option<Dims>) -> Option<f64> {
    let quantity = reader.quantity(node)?;
    match (quantity.state, *dims) {
        (State::Known(found), Some(dims)) if found != dims => {
            reader.fault(node.span.clone(), format!("this is {found}, but before it stands {dims}"))
        }
        (State::Known(found), _) => {
            *dims = Some(found);
            Some(quantity.value)
        }
        _ => Some(quantity.value),
    }
}

/// Points of a curve: pairs of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Pairs(pub Vec<[f64; 2]>);

inline_schema!(Pairs, |_| json_schema!({ "type": "array", "items": vector_schema(2, 2), "minItems": 2 }));

impl Decode for Pairs {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let mut dims = [None; 2];
        let pair = |node: &Node, reader: &mut Reader<'_>| {
            let items = reader.items(node, "a pair [x, y]")?;
            let [x, y] = items else {
                let message = format!("expected a pair [x, y]; found {} numbers", items.len());
                return reader.fault(node.span.clone(), message);
            };
            let [of_x, of_y] = &mut dims;
            let x = reader.within("[0]", x.span.clone(), |reader| alike(x, reader, of_x));
            let y = reader.within("[1]", y.span.clone(), |reader| alike(y, reader, of_y));
            Some([x?, y?])
        };
        let items = reader.items(node, "a list of pairs [x, y]")?;
        reader.each(items, pair).map(Pairs)
    }
}

/// A number of any dimension, with what is known of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyQuantity(pub f64, pub State);

inline_schema!(AnyQuantity, |_| number_schema());

impl Decode for AnyQuantity {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let quantity = reader.quantity(node)?;
        reader.note(quantity.state);
        Some(AnyQuantity(quantity.value, quantity.state))
    }
}

/// A number for the first coordinate of a joint, or a list with one for each.
#[derive(Clone, Debug)]
pub(crate) struct PerCoordinate(pub Vec<AnyQuantity>, pub bool);

inline_schema!(PerCoordinate, |_| {
    json_schema!({ "anyOf": [number_schema(), { "type": "array", "items": number_schema(), "maxItems": 6 }] })
});

impl Decode for PerCoordinate {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Array(_) => {
                let items = reader.items(node, "a list of numbers")?;
                reader.each(items, AnyQuantity::decode).map(|list| PerCoordinate(list, true))
            }
            _ => AnyQuantity::decode(node, reader).map(|value| PerCoordinate(vec![value], false)),
        }
    }
}

/// Limits of the first coordinate of a joint, or a list with a pair for each.
#[derive(Clone, Debug)]
pub(crate) struct Limits(pub Vec<Option<[AnyQuantity; 2]>>, pub bool);

inline_schema!(Limits, |_| {
    let pair = vector_schema(2, 2);
    json_schema!({ "anyOf": [pair, { "type": "array", "items": vector_schema(0, 2), "maxItems": 6 }] })
});

impl Decode for Limits {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        const EXPECTED: &str = "two limits [low, high]";
        let items = reader.items(node, EXPECTED)?;
        if items.iter().any(|item| matches!(item.value, Value::Array(_))) {
            let pairs = reader.each(items, |item, reader| {
                let numbers = reader.items(item, EXPECTED)?;
                // no limits for this one
                if numbers.is_empty() { Some(None) } else { pair(item, numbers, reader).map(Some) }
            });
            return pairs.map(|pairs| Limits(pairs, true));
        }
        pair(node, items, reader).map(|pair| Limits(vec![Some(pair)], false))
    }
}

fn pair(node: &Node, items: &[Node], reader: &mut Reader<'_>) -> Option<[AnyQuantity; 2]> {
    let [low, high] = items else {
        return reader
            .fault(node.span.clone(), format!("expected two limits [low, high]; found {}", items.len()));
    };
    let mut limit = |part: &str, node: &Node, open: f64| {
        reader.within(part, node.span.clone(), |reader| match &node.value {
            Value::String(word) if word == "none" => Some(AnyQuantity(open, State::Number)),
            _ => AnyQuantity::decode(node, reader),
        })
    };
    let low = limit("[0]", low, f64::NEG_INFINITY);
    let high = limit("[1]", high, f64::INFINITY);
    Some([low?, high?])
}

/// Numbers along and about three axes: stiffness (0), damping (1) or force (2). In the plane [x, y, turn].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Six<const KIND: u8>(pub [f64; 6]);

impl<const KIND: u8> JsonSchema for Six<KIND> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Six".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        vector_schema(3, 6)
    }
}

impl<const KIND: u8> Decode for Six<KIND> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let (along, about) = match KIND {
            0 => (Dims::new(0, 1, -2), Dims::new(2, 1, -2)),
            1 => (Dims::new(0, 1, -1), Dims::new(2, 1, -1)),
            _ => (Dims::new(1, 1, -2), Dims::new(2, 1, -2)),
        };
        let (count, expected) = match reader.dimension {
            Some(Dimension::Spatial) => (6, "six numbers [x, y, z, rx, ry, rz], for the model is spatial"),
            _ => (3, "three numbers [x, y, turn], for the model is planar"),
        };
        let items = reader.items(node, &format!("a list of {expected}"))?;
        let mut i = 0;
        let numbers = reader.each(items, |item, reader| {
            i += 1;
            let linear = if count == 6 { 3 } else { 2 };
            reader.number(item, if i <= linear { along } else { about })
        });
        if items.len() != count {
            return reader.fault(node.span.clone(), format!("expected {expected}; found {}", items.len()));
        }
        let numbers = numbers?;
        let mut six = [0.0; 6];
        match count {
            6 => six.copy_from_slice(&numbers),
            _ => (six[0], six[1], six[5]) = (numbers[0], numbers[1], numbers[2]),
        }
        Some(Six(six))
    }
}
