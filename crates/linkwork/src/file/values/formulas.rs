//! Expressions of time and readings, and conditions.

use super::schemas::{inline_schema, number_schema, vector_schema};
use crate::drawing::Dimension;
use crate::expressions::Formula;
use crate::expressions::quantity::State;
use crate::expressions::units::Dims;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Names that the formulas of a key may use besides time, measures and readings: quantities of the element they belong to.
pub(crate) trait Locals {
    /// The names; formulas refer to them by their index.
    const NAMES: &'static [&'static str];
    /// What is known of the dimension of each; nothing where the list ends.
    const STATES: &'static [State] = &[];
}

/// No names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoLocals;

impl Locals for NoLocals {
    const NAMES: &'static [&'static str] = &[];
}

/// The names of a spring's law.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfLength;

impl Locals for OfLength {
    const NAMES: &'static [&'static str] = &["length", "rate"];
    const STATES: &'static [State] =
        &[State::Reading(Dims::new(1, 0, 0)), State::Reading(Dims::new(1, 0, -1))];
}

/// The names of a torsion spring's law.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfAngle;

impl Locals for OfAngle {
    const NAMES: &'static [&'static str] = &["angle", "rate"];
    const STATES: &'static [State] = &[State::Reading(Dims::NONE), State::Reading(Dims::new(0, 0, -1))];
}

/// The names of an actuator's force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfCoordinate;

impl Locals for OfCoordinate {
    const NAMES: &'static [&'static str] = &["q", "v"];
}

/// A number or an expression of time and readings, with given exponents of m, kg and s as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct FormulaOf<const M: i8, const KG: i8, const S: i8, L = NoLocals>(
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

/// A number or an expression of time and readings, of any dimension; what is known of that is noted.
#[derive(Clone, Debug)]
pub(crate) struct AnyFormula(pub Formula);

inline_schema!(AnyFormula, |_| number_schema());

impl Decode for AnyFormula {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let (formula, state) = reader.formula(node, None, NoLocals::NAMES)?;
        reader.note(state);
        Some(AnyFormula(formula))
    }
}

/// A condition: an expression of time and readings that is true or false.
#[derive(Clone, Debug)]
pub(crate) struct Truth(pub Formula);

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
pub(crate) struct Truths(pub Vec<Truth>);

inline_schema!(Truths, |_| json_schema!({ "type": ["string", "array"], "items": { "type": "string" } }));

impl Decode for Truths {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Array(_) => Vec::decode(node, reader).map(Truths),
            _ => Some(Truths(vec![Truth::decode(node, reader)?])),
        }
    }
}

/// A vector of numbers or expressions: two in the plane, three in space.
#[derive(Clone, Debug)]
pub(crate) struct FormulaVector<const M: i8, const KG: i8, const S: i8>(pub [Formula; 3]);

inline_schema!(const M KG S => FormulaVector<M, KG, S>, |_| vector_schema(2, 3));

impl<const M: i8, const KG: i8, const S: i8> Decode for FormulaVector<M, KG, S> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        formulas(node, reader, Dims::new(M, KG, S)).map(FormulaVector)
    }
}

fn formulas(node: &Node, reader: &mut Reader<'_>, dims: Dims) -> Option<[Formula; 3]> {
    let (allowed, expected) = match reader.dimension {
        Some(Dimension::Planar) => (2..=2, "two numbers [x, y], for the model is planar"),
        Some(Dimension::Spatial) => (3..=3, "three numbers [x, y, z], for the model is spatial"),
        None => (2..=3, "two or three numbers"),
    };
    let items = reader.items(node, &format!("a list of {expected}"))?;
    let parts = reader.each(items, |item, reader| Some(reader.formula(item, Some(dims), &[])?.0));
    if !allowed.contains(&items.len()) {
        return reader.fault(node.span.clone(), format!("expected {expected}; found {}", items.len()));
    }
    let mut parts = parts?;
    parts.resize(3, Formula::constant(0.0));
    parts.try_into().ok()
}

/// A moment of numbers or expressions: one in the plane, three in space.
#[derive(Clone, Debug)]
pub(crate) struct Moment(pub [Formula; 3]);

inline_schema!(Moment, |_| json_schema!({ "anyOf": [number_schema(), vector_schema(3, 3)] }));

impl Decode for Moment {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let dims = Dims::new(2, 1, -2);
        match (&node.value, reader.dimension) {
            (Value::Array(_), Some(Dimension::Planar)) => reader.fault(
                node.span.clone(),
                "expected one number, about z, for the model is planar; found a list",
            ),
            (Value::Array(_), _) => formulas(node, reader, dims).map(Moment),
            (_, Some(Dimension::Spatial)) => {
                reader.wrong(node, "three numbers [x, y, z], for the model is spatial")
            }
            _ => {
                let about_z = reader.formula(node, Some(dims), &[])?.0;
                Some(Moment([Formula::constant(0.0), Formula::constant(0.0), about_z]))
            }
        }
    }
}
