//! The table of a thruster, and from there into the model.

use crate::error::names::segment;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use crate::file::table::table;
use crate::file::values::*;
use crate::model::{Axes, Axis, Fault, Propellant, Thrust, ThrustDirection, Thruster};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

table! {
    /// A jet that pushes a body, and may take mass from it. Its size is given by `thrust`, by `impulse` and `burn_time`, or by `impulse` and `curve`.
    ThrusterTable {
        /// The body.
        body: required String,
        /// The point of the body it acts at; the centre of mass if left out.
        at: optional String,
        /// Which way it pushes: a vector of any length, two points, or "velocity", along the velocity of the point it acts at.
        direction: required Ahead,
        /// Axes of the direction: "world" (the default), or "body": the direction as drawn turns with the body.
        axes: optional Choice<Axes>,
        /// With direction = "velocity": the direction at rest, a vector or two points.
        launch_direction: optional Direction,
        /// With direction = "velocity": up to this speed the direction goes over from the launch direction to that of the velocity, m/s; 0 if left out.
        launch_speed: optional Speed,
        /// The thrust, N: a number, or an expression of the time `t`, which may use tables.
        thrust: optional FormulaOf<1, 1, -2>,
        /// Impulse in all, N s; with `burn_time` or `curve`.
        impulse: optional Si<1, 1, -1>,
        /// How long it burns, s: with `impulse` the thrust is constant, a `thrust` ends then.
        burn_time: optional Time,
        /// Name of a table of relative thrust over the time since the start, scaled so that it gives the impulse.
        curve: optional String,
        /// When it starts, s; 0 if left out.
        start: optional Time,
        /// What is left of the thrust; 1 if left out. The mass flow is not less for it.
        efficiency: optional Plain,
        /// Mass that burns in all, kg, in proportion to the impulse: the body loses it.
        propellant: optional Mass,
        /// Instead of `propellant`: thrust per mass flow, m/s. The body loses that mass.
        exhaust_velocity: optional Speed,
    }
}

/// A direction, or `"velocity"`.
#[derive(Clone, Debug)]
pub(super) enum Ahead {
    Along(Axis),
    Velocity,
}

inline_schema!(Ahead, |_| json_schema!({ "anyOf": [{ "enum": ["velocity"] }, vector_schema(2, 3)] }));

impl Decode for Ahead {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String(word) if word == "velocity" => Some(Ahead::Velocity),
            Value::String(_) => {
                reader.fault(node.span.clone(), "expected a vector, two points, or \"velocity\"")
            }
            _ => Direction::decode(node, reader).map(|direction| Ahead::Along(direction.0)),
        }
    }
}

/// Nothing if it does not say which way or how much it pushes; it has been reported.
pub(super) fn thruster(name: String, table: ThrusterTable, reader: &mut Reader<'_>) -> Option<Thruster> {
    let path = format!("thrusters.{}", segment(&name));
    if reader.broken.iter().any(|broken| crate::file::within(broken, &path)) {
        return None;
    }
    let mut refuse = |key: &str, message: &str, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
    };
    let direction = match (table.direction?, table.axes.map(|choice| choice.0), table.launch_direction) {
        (Ahead::Velocity, None, Some(launch)) => {
            let launch_speed = table.launch_speed.map_or(0.0, |speed| speed.0);
            ThrustDirection::Velocity { launch: launch.0, launch_speed }
        }
        (Ahead::Velocity, Some(_), _) => {
            refuse(".axes", "a thrust along the velocity has no axes", "remove `axes`");
            return None;
        }
        (Ahead::Velocity, None, None) => {
            let message = "a point at rest has no velocity to push along: `launch_direction` is missing";
            refuse("", message, "launch_direction = [0, 1]: the direction at rest");
            return None;
        }
        (Ahead::Along(_), _, launch) if launch.is_some() || table.launch_speed.is_some() => {
            let key = if launch.is_some() { "launch_direction" } else { "launch_speed" };
            let message = format!("`{key}` belongs to direction = \"velocity\"");
            refuse(&format!(".{key}"), &message, "remove it");
            return None;
        }
        (Ahead::Along(axis), Some(Axes::Body), _) => ThrustDirection::Body(axis),
        (Ahead::Along(axis), ..) => ThrustDirection::World(axis),
    };
    let impulse = table.impulse.map(|impulse| impulse.0);
    let burn_time = table.burn_time.map(|time| time.0);
    let thrust = match (table.thrust, impulse, burn_time, table.curve) {
        (Some(thrust), None, burn_time, None) => Thrust::Given { thrust: thrust.0, burn_time },
        (None, Some(impulse), Some(burn_time), None) => Thrust::Constant { impulse, burn_time },
        (None, Some(impulse), None, Some(curve)) => Thrust::Curve { impulse, curve },
        (thrust, impulse, burn_time, curve) => {
            let message = match (thrust.is_some(), impulse.is_some(), burn_time.is_some(), curve.is_some()) {
                (true, true, ..) => "`thrust` and `impulse` are both given",
                (true, _, _, true) => "`thrust` and `curve` are both given",
                (false, true, true, true) => "a `curve` has its own end: `burn_time` is given, too",
                (false, true, false, false) => "an `impulse` needs a `burn_time` or a `curve`",
                (false, false, _, true) => "a `curve` needs an `impulse`",
                _ => "this does not say how much it pushes",
            };
            refuse("", message, "give `thrust`, or `impulse` and `burn_time`, or `impulse` and `curve`");
            return None;
        }
    };
    let propellant = match (table.propellant, table.exhaust_velocity) {
        (None, None) => Propellant::None,
        (Some(mass), None) => Propellant::Mass(mass.0),
        (None, Some(speed)) => Propellant::ExhaustVelocity(speed.0),
        (Some(_), Some(_)) => {
            refuse("", "`propellant` and `exhaust_velocity` are both given", "keep one of the two");
            return None;
        }
    };
    Some(Thruster {
        name,
        body: table.body.unwrap_or_default(),
        at: table.at,
        direction,
        thrust,
        start: table.start.map_or(0.0, |time| time.0),
        efficiency: table.efficiency.map_or(1.0, |value| value.0),
        propellant,
    })
}
