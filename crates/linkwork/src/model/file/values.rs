//! The kinds of value that stand behind the keys of a model file.

use super::decode::{Decode, Reader};
use super::document::{Node, Value};
use crate::model::expression::quantity::State;
use crate::model::expression::units::{self, Dims};
use crate::model::fault::nearest;
use crate::model::{
    Axis, Dimension, Extend, Formula, Formulation, ImpactLaw, Inertia, Integrator, Interpolation, JointKind,
    Place,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Writes `JsonSchema` for a type whose schema is spelled where it is used.
macro_rules! inline_schema {
    ($(const $($generic:ident)+ =>)? $name:ty, $schema:expr) => {
        impl$(<$(const $generic: i8),+>)? JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let schema: fn(&mut SchemaGenerator) -> Schema = $schema;
                schema(generator)
            }
        }
    };
}
pub(super) use inline_schema;

pub(super) fn number_schema() -> Schema {
    json_schema!({ "type": ["number", "string"] })
}

pub(super) fn vector_schema(least: usize, most: usize) -> Schema {
    json_schema!({ "type": "array", "items": number_schema(), "minItems": least, "maxItems": most })
}

fn names_schema() -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
}

/// A number with given exponents of m, kg and s, in SI units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Si<const M: i8, const KG: i8, const S: i8>(pub f64);

pub(super) type Plain = Si<0, 0, 0>;
pub(super) type Length = Si<1, 0, 0>;
pub(super) type Area = Si<2, 0, 0>;
pub(super) type Mass = Si<0, 1, 0>;
pub(super) type Density = Si<-3, 1, 0>;
pub(super) type Time = Si<0, 0, 1>;
pub(super) type Stiffness = Si<0, 1, -2>;
pub(super) type Damping = Si<0, 1, -1>;
pub(super) type ForceSize = Si<1, 1, -2>;
pub(super) type Speed = Si<1, 0, -1>;

inline_schema!(const M KG S => Si<M, KG, S>, |_| number_schema());

impl<const M: i8, const KG: i8, const S: i8> Decode for Si<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.number(node, Dims::new(M, KG, S)).map(Si)
    }
}

/// Names that the formulas of a key may use besides time, measures and readings: quantities of the element they belong to.
pub(super) trait Locals {
    /// The names; formulas refer to them by their index.
    const NAMES: &'static [&'static str];
    /// What is known of the dimension of each; nothing where the list ends.
    const STATES: &'static [State] = &[];
}

/// No names.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoLocals;

impl Locals for NoLocals {
    const NAMES: &'static [&'static str] = &[];
}

/// The names of a spring's law.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfLength;

impl Locals for OfLength {
    const NAMES: &'static [&'static str] = &["length", "rate"];
    const STATES: &'static [State] =
        &[State::Reading(Dims::new(1, 0, 0)), State::Reading(Dims::new(1, 0, -1))];
}

/// The names of a torsion spring's law.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfAngle;

impl Locals for OfAngle {
    const NAMES: &'static [&'static str] = &["angle", "rate"];
    const STATES: &'static [State] = &[State::Reading(Dims::NONE), State::Reading(Dims::new(0, 0, -1))];
}

/// The names of an actuator's force.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfCoordinate;

impl Locals for OfCoordinate {
    const NAMES: &'static [&'static str] = &["q", "v"];
}

/// A place on the road.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoadLocals;

impl Locals for RoadLocals {
    const NAMES: &'static [&'static str] = &crate::model::Tyre::PLACE;
    const STATES: &'static [State] = &[State::Reading(Dims::new(1, 0, 0)); 2];
}

/// A number or an expression of time and readings, with given exponents of m, kg and s as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct FormulaOf<const M: i8, const KG: i8, const S: i8, L = NoLocals>(
    pub Formula,
    std::marker::PhantomData<L>,
);

impl<const M: i8, const KG: i8, const S: i8, L: Locals> JsonSchema for FormulaOf<M, KG, S, L> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "formula".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        number_schema()
    }
}

impl<const M: i8, const KG: i8, const S: i8, L: Locals> Decode for FormulaOf<M, KG, S, L> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let (formula, _) = reader.formula_of(node, Some(Dims::new(M, KG, S)), L::NAMES, L::STATES)?;
        Some(FormulaOf(formula, std::marker::PhantomData))
    }
}

/// A number or an expression of time and readings, of any dimension; with what is known of that.
#[derive(Clone, Debug)]
pub(super) struct AnyFormula(pub Formula, pub State);

inline_schema!(AnyFormula, |_| number_schema());

impl Decode for AnyFormula {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.formula(node, None, NoLocals::NAMES).map(|(formula, state)| AnyFormula(formula, state))
    }
}

/// A number of any dimension, known before the run; with what is known of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyNumber(pub f64, pub State);

inline_schema!(AnyNumber, |_| number_schema());

impl Decode for AnyNumber {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.quantity(node).map(|quantity| AnyNumber(quantity.value, quantity.state))
    }
}

/// Whether an input goes to a new value in a straight line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight(pub bool);

impl Choices for Straight {
    const WHAT: &'static str = "way between changes";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("held", Straight(false)), ("linear", Straight(true))]
    }
}

/// A condition: an expression of time and readings that is true or false.
#[derive(Clone, Debug)]
pub(super) struct Truth(pub Formula);

inline_schema!(Truth, |_| json_schema!({ "type": "string" }));

impl Decode for Truth {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if !matches!(node.value, Value::String(_)) {
            return reader.wrong(node, "a condition in quotes, such as \"joint.A.q > 30 deg\"");
        }
        let (formula, state) = reader.formula(node, None, NoLocals::NAMES)?;
        match state {
            State::Known(found) | State::Reading(found)
                if found != Dims::NONE || matches!(state, State::Reading(_)) =>
            {
                let help = "compare it with something: `point.A.y < 10 mm`";
                let message = format!("a condition is true or false, this is {found}");
                reader.fault_with(node.span.clone(), message, Some(help.into()))
            }
            _ => Some(Truth(formula)),
        }
    }
}

/// A condition, or a list of them.
#[derive(Clone, Debug)]
pub(super) struct Truths(pub Vec<Truth>);

inline_schema!(Truths, |_| json_schema!({ "type": ["string", "array"], "items": { "type": "string" } }));

impl Decode for Truths {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Array(_) => Vec::decode(node, reader).map(Truths),
            _ => Some(Truths(vec![Truth::decode(node, reader)?])),
        }
    }
}

/// Two numbers of one dimension, with what is known of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range(pub [f64; 2], pub Option<Dims>);

inline_schema!(Range, |_| vector_schema(2, 2));

impl Decode for Range {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "two numbers [low, high]")?;
        let mut dims = None;
        let values = reader.each(items, |item, reader| alike(item, reader, &mut dims))?;
        match values[..] {
            [low, high] => Some(Range([low, high], dims)),
            _ => reader.fault(
                node.span.clone(),
                format!("expected two numbers [low, high], found {}", values.len()),
            ),
        }
    }
}

/// A unit such as `N/mm`, with its dimensions.
#[derive(Clone, Debug)]
pub(super) struct UnitName(pub String, pub Dims);

inline_schema!(UnitName, |_| json_schema!({ "type": "string" }));

impl Decode for UnitName {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let name = String::decode(node, reader)?;
        match units::parse(&name) {
            Some((_, dims)) => Some(UnitName(name, dims)),
            None => {
                let help = units::meant(&name).unwrap_or_else(|| {
                    format!("units are: {}", units::symbols().collect::<Vec<_>>().join(" "))
                });
                reader.fault_with(node.span.clone(), format!("`{name}` is not a unit"), Some(help))
            }
        }
    }
}

/// A list of numbers of one dimension, whatever it is.
#[derive(Clone, Debug)]
pub(super) struct Column(pub Vec<f64>);

inline_schema!(Column, |_| json_schema!({ "type": "array", "items": number_schema(), "minItems": 2 }));

impl Decode for Column {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list of numbers")?;
        let mut dims = None;
        reader.each(items, |item, reader| alike(item, reader, &mut dims)).map(Column)
    }
}

/// A number of the same dimension as those before it.
fn alike(node: &Node, reader: &mut Reader<'_>, dims: &mut Option<Dims>) -> Option<f64> {
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
pub(super) struct Pairs(pub Vec<[f64; 2]>);

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

/// A vector in world axes: two numbers in the plane, three in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<const M: i8, const KG: i8, const S: i8>(pub [f64; 3]);

pub(super) type Position = Vector<1, 0, 0>;
pub(super) type Velocity = Vector<1, 0, -1>;

inline_schema!(const M KG S => Vector<M, KG, S>, |_| vector_schema(2, 3));

impl<const M: i8, const KG: i8, const S: i8> Decode for Vector<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        vector(node, reader, Dims::new(M, KG, S)).map(Vector)
    }
}

/// A vector of as many numbers as the model has directions.
fn vector(node: &Node, reader: &mut Reader<'_>, dims: Dims) -> Option<[f64; 3]> {
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
pub(super) struct Turning<const M: i8, const KG: i8, const S: i8>(pub [f64; 3]);

pub(super) type AngularVelocity = Turning<0, 0, -1>;

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

/// A whole number, one or more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count(pub u64);

inline_schema!(Count, |_| json_schema!({ "type": ["integer", "string"], "minimum": 1 }));

impl Decode for Count {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        /// Up to here every whole number is an f64.
        const MOST: f64 = 9_007_199_254_740_992.0;
        let value = reader.number(node, Dims::NONE)?;
        match value.fract() == 0.0 && (1.0..=MOST).contains(&value) {
            true => Some(Count(value as u64)),
            false => reader
                .fault(node.span.clone(), format!("expected a whole number, one or more; found {value}")),
        }
    }
}

/// Names that stand for values.
pub(super) trait Choices: Copy + 'static {
    /// What is chosen, for schema and messages.
    const WHAT: &'static str;
    /// Every name; the first of a value is its proper one.
    fn choices() -> Vec<(&'static str, Self)>;
}

impl Choices for JointKind {
    const WHAT: &'static str = "type of joint";
    fn choices() -> Vec<(&'static str, Self)> {
        let mut choices: Vec<_> = JointKind::ALL.iter().map(|&kind| (kind.name(), kind)).collect();
        let others = |&kind: &JointKind| kind.descriptor().aliases.iter().map(move |&name| (name, kind));
        choices.extend(JointKind::ALL.iter().flat_map(others));
        choices
    }
}

/// A number of whatever dimension, with what is known of that: the factor between two coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor(pub f64, pub State);

inline_schema!(Factor, |_| number_schema());

impl Decode for Factor {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.quantity(node).map(|quantity| Factor(quantity.value, quantity.state))
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

/// The law of a tyre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TyreModel {
    Radial,
    Brush,
}

impl Choices for TyreModel {
    const WHAT: &'static str = "model of a tyre";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("radial", TyreModel::Radial), ("brush", TyreModel::Brush)]
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
            ("disc", SurfaceKind::Disc),
        ]
    }
}

impl Choices for ImpactLaw {
    const WHAT: &'static str = "law of impact";
    fn choices() -> Vec<(&'static str, Self)> {
        ImpactLaw::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

impl Choices for Formulation {
    const WHAT: &'static str = "formulation";
    fn choices() -> Vec<(&'static str, Self)> {
        Formulation::CHOICES.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

impl Choices for Integrator {
    const WHAT: &'static str = "integrator";
    fn choices() -> Vec<(&'static str, Self)> {
        Integrator::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

impl Choices for Interpolation {
    const WHAT: &'static str = "interpolation";
    fn choices() -> Vec<(&'static str, Self)> {
        Interpolation::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

impl Choices for Extend {
    const WHAT: &'static str = "way to extend a table";
    fn choices() -> Vec<(&'static str, Self)> {
        Extend::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

/// One of several names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<T>(pub T);

impl<T: Choices> JsonSchema for Choice<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = T::choices().into_iter().map(|(name, _)| name).collect();
        json_schema!({ "enum": names })
    }
}

impl<T: Choices> Decode for Choice<T> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let name = String::decode(node, reader)?;
        let choices = T::choices();
        match choices.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => Some(Choice(*value)),
            None => {
                let help = nearest(&name, choices.iter().map(|(known, _)| *known));
                reader.fault_with(node.span.clone(), format!("unknown {} `{name}`", T::WHAT), help)
            }
        }
    }
}

/// Two names.
#[derive(Clone, Debug)]
pub(super) struct Two(pub [String; 2]);

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
pub(super) struct At(pub [String; 2]);

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
pub(super) struct Spot(pub Place);

inline_schema!(Spot, |_| json_schema!({ "anyOf": [{ "type": "string" }, vector_schema(2, 3)] }));

impl Decode for Spot {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String(name) => Some(Spot(Place::Point(name.clone()))),
            Value::Array(_) => Position::decode(node, reader).map(|position| Spot(Place::At(position.0))),
            _ => reader.wrong(node, "the name of a point or coordinates"),
        }
    }
}

/// A direction: a vector of any length, or two points. In the plane it may have a third component.
#[derive(Clone, Debug)]
pub(super) struct Direction(pub Axis);

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
