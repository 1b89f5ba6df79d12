//! The tables of force elements, and the kinds of value that only they have.

use super::decode::{Decode, Reader};
use super::document::{Node, Value};
use super::format::{Named, key, table};
use super::values::*;
use crate::model::expression::quantity::State;
use crate::model::expression::units::Dims;
use crate::model::{Axes, Dimension, Formula, Side};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

table! {
    /// A torsion spring with a damper in parallel, between two bodies about an axis or on a joint. What is given adds up.
    TorsionSpringTable {
        /// The joint, by its name in results.
        joint: optional String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// Instead of a joint: the two bodies; the angle is that of the second against the first.
        bodies: optional Two,
        /// Axis of the angle, fixed in the first body: a vector or two points; in the plane it is z.
        axis: optional Direction,
        /// Stiffness, N m/rad.
        stiffness: optional Si<2, 1, -2>,
        /// Damping, N m s/rad.
        damping: optional Si<2, 1, -1>,
        /// Angle without moment, rad; as assembled if left out.
        free_angle: optional Plain,
        /// Moment in N m as an expression of `angle` and `rate`; positive where it makes the angle smaller.
        law: optional FormulaOf<2, 1, -2, OfAngle>,
        /// Name of a table of moment over the angle less the free angle.
        table: optional String,
        /// Moment that is always there, N m; positive where it makes the angle smaller.
        preload: optional Si<2, 1, -2>,
    }
}

table! {
    /// An elastic bearing: it resists every relative motion of two bodies.
    BushingTable {
        /// The two bodies; displacements are measured in axes of the first.
        bodies: required Two,
        /// Its point, or one on each body. A body that does not list it has its place where it is drawn.
        at: required At,
        /// Two directions: the first axis, and one in the plane of the first two; world axes as drawn if left out.
        axes: optional TwoDirections,
        /// Stiffness along the axes, N/m, and about them, N m/rad: six numbers; in the plane [x, y, turn].
        stiffness: optional Six<0>,
        /// Damping along the axes, N s/m, and about them, N m s/rad: six numbers; in the plane [x, y, turn].
        damping: optional Six<1>,
        /// Force, N, and moment, N m, on the second body that are always there: six numbers; in the plane [x, y, turn].
        preload: optional Six<2>,
    }
}

table! {
    /// A motor: a force or a torque along a coordinate.
    ActuatorTable {
        /// The joint along whose coordinate it acts, by its name in results.
        joint: optional String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// Instead of a joint: two points that the force pushes apart.
        between: optional Two,
        /// Instead of a joint: the body that the torque turns.
        body: optional String,
        /// The body that takes the opposite torque and carries the axis; `ground` if left out.
        against: optional String,
        /// Axis of the torque on a body: a vector or two points; in the plane it is z.
        axis: optional Direction,
        /// The force, N: an expression of `t`, readings, the coordinate `q` and its rate `v`.
        force: optional FormulaOf<1, 1, -2, OfCoordinate>,
        /// The torque, N m: an expression of `t`, readings, the coordinate `q` and its rate `v`.
        torque: optional FormulaOf<2, 1, -2, OfCoordinate>,
        /// Instead of a force or torque: a controller that holds the coordinate at a set value.
        controller: optional ControllerTable,
        /// The most that it can do either way, N or N m.
        limit: optional AnyQuantity,
        /// Period of a sampled controller, s: what it does is computed at multiples of it and held in between.
        every: optional Time,
    }
}

table! {
    /// A controller: stiffness (setpoint - q) + damping (rate_setpoint - v), with "pid" also ki times the integral of setpoint - q.
    ControllerTable {
        /// "pd": proportional and derivative; "pid": with an integral part.
        r#type: required Choice<Controller>,
        /// The value that the coordinate should have, m or rad: an expression of `t` and readings.
        setpoint: required AnyFormula,
        /// The rate that it should have, m/s or rad/s; zero if left out.
        rate_setpoint: optional AnyFormula,
        /// Force per deviation, N/m or N m/rad.
        stiffness: optional AnyQuantity,
        /// Another name of `stiffness`.
        kp: optional AnyQuantity,
        /// Force per deviation of the rate, N s/m or N m s/rad.
        damping: optional AnyQuantity,
        /// Another name of `damping`.
        kd: optional AnyQuantity,
        /// Of "pid": force per integral of the deviation, N/(m s) or N m/(rad s).
        ki: optional AnyQuantity,
        /// Of "pid" with a `limit`: time constant by which the integral is led back while the limit holds, s; kp / ki if left out.
        tracking_time: optional Time,
    }
}

table! {
    /// Drag: a force against the velocity of a point through the air.
    DragTable {
        /// The body.
        body: required String,
        /// The point of the body it acts at; the centre of mass if left out.
        at: optional String,
        /// Force per square of the speed, kg/m: half of density times area times drag coefficient.
        coefficient: optional Si<-1, 1, 0>,
        /// Density of the air, kg/m^3; with `area` and `cd` instead of `coefficient`.
        density: optional Density,
        /// Area that meets the air, m^2.
        area: optional Area,
        /// Drag coefficient.
        cd: optional Plain,
        /// Force per speed, N s/m.
        linear: optional Damping,
        /// Velocity of the air in world axes, m/s: each component a number or an expression.
        wind: optional FormulaVector<1, 0, -1>,
    }
}

table! {
    /// A rope without mass that runs without friction through points and over pulleys.
    CableTable {
        /// The points from end to end.
        through: required Vec<String>,
        /// Which of the points are pulleys of some size, by the point's name.
        pulleys: optional Named<PulleyTable>,
        /// Axis of the pulleys: a vector or two points, square to the plane of the rope; in the plane it is z.
        axis: optional Direction,
        /// Stiffness of the whole rope, N/m.
        stiffness: optional Stiffness,
        /// Damping of the whole rope, N s/m.
        damping: optional Damping,
        /// Length without force, m; as assembled if left out, of an inextensible cable as drawn.
        free_length: optional Length,
        /// Whether it goes slack instead of pushing; true if left out.
        tension_only: optional bool,
        /// The length does not change at all: a constraint, which cannot go slack.
        inextensible: optional bool,
        /// A drum that gives out rope as a joint turns.
        winch: optional WinchTable,
    }
}

table! {
    /// A pulley.
    PulleyTable {
        /// Where the rope lies, m.
        radius: required Length,
        /// Side of the rope on which the centre lies, looking along the rope with the axis towards you.
        side: required Choice<Side>,
    }
}

table! {
    /// A drum: the free length grows by the radius times the joint's angle.
    WinchTable {
        /// The joint, by its name in results.
        joint: required String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// Rope given out for each radian, m; negative where turning on winds it up.
        radius: required Length,
    }
}

impl Choices for Axes {
    const WHAT: &'static str = "kind of axes";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("world", Axes::World), ("body", Axes::Body)]
    }
}

impl Choices for Side {
    const WHAT: &'static str = "side";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("left", Side::Left), ("right", Side::Right)]
    }
}

/// The kinds of controller.
#[derive(Clone, Copy, Debug)]
pub(super) enum Controller {
    Pd,
    Pid,
}

impl Choices for Controller {
    const WHAT: &'static str = "type of controller";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("pd", Controller::Pd), ("pid", Controller::Pid)]
    }
}

/// A number of any dimension, with what is known of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyQuantity(pub f64, pub State);

inline_schema!(AnyQuantity, |_| number_schema());

impl Decode for AnyQuantity {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.quantity(node).map(|quantity| AnyQuantity(quantity.value, quantity.state))
    }
}

/// A number for the first coordinate of a joint, or a list with one for each.
#[derive(Clone, Debug)]
pub(super) struct PerCoordinate(pub Vec<AnyQuantity>, pub bool);

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
pub(super) struct Limits(pub Vec<Option<[AnyQuantity; 2]>>, pub bool);

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

/// A vector of numbers or expressions: two in the plane, three in space.
#[derive(Clone, Debug)]
pub(super) struct FormulaVector<const M: i8, const KG: i8, const S: i8>(pub [Formula; 3]);

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
pub(super) struct Couple(pub [Formula; 3]);

inline_schema!(Couple, |_| json_schema!({ "anyOf": [number_schema(), vector_schema(3, 3)] }));

impl Decode for Couple {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let dims = Dims::new(2, 1, -2);
        match (&node.value, reader.dimension) {
            (Value::Array(_), Some(Dimension::Planar)) => reader.fault(
                node.span.clone(),
                "expected one number, about z, for the model is planar; found a list",
            ),
            (Value::Array(_), _) => formulas(node, reader, dims).map(Couple),
            (_, Some(Dimension::Spatial)) => {
                reader.wrong(node, "three numbers [x, y, z], for the model is spatial")
            }
            _ => {
                let about_z = reader.formula(node, Some(dims), &[])?.0;
                Some(Couple([Formula::constant(0.0), Formula::constant(0.0), about_z]))
            }
        }
    }
}

/// Two directions.
#[derive(Clone, Debug)]
pub(super) struct TwoDirections(pub [Direction; 2]);

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

/// Numbers along and about three axes: stiffness (0), damping (1) or force (2). In the plane [x, y, turn].
#[derive(Clone, Copy, Debug)]
pub(super) struct Six<const KIND: u8>(pub [f64; 6]);

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
