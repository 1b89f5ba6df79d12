//! The tables of a model file. Each key stands here once: the list serves decoding, the suggestions for
//! misspelled keys and the schema, whose descriptions are the comments here.

use super::values::*;
use crate::file::decode::{Decode, Reader};
use crate::file::document::Node;
use crate::file::keys::{Entries, Keys as _};
use crate::file::table::{Named, Properties, Table as _, named, table};
use crate::file::values::*;
use crate::model::optimization::OptimizationTable;
use crate::model::{Body, GROUND, Joint, Model, Point, Settings, View, each_list};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

table! {
    /// The sections of a file that are not lists of items.
    Sections {
        /// Version of this file format: 1.
        format: optional Version,
        /// What the model is.
        model: optional ModelTable,
        /// Named values for expressions: a number, or an expression such as "2 * L + 5 mm".
        parameters: optional Parameters,
        /// The mechanism as drawn: world coordinates of each named point, [x, y] or [x, y, z] in metres.
        points: optional Points,
        /// Rigid bodies. Bodies that list the same point are joined there. `ground` is the body that never moves.
        bodies: optional Bodies,
        /// Joints that are more than a point shared by two bodies.
        joints: optional Entries<Joint>,
        /// Initial joint coordinates and velocities, as far as they are given; the rest follows from the constraints.
        initial: optional InitialTable,
        /// How to simulate.
        simulation: optional Settings,
        /// What pictures and pages show at first.
        view: optional View,
        /// What to optimise.
        optimize: optional OptimizationTable,
    }
}

/// The lists of elements and other items.
macro_rules! lists {
    ($($list:ident: $type:ident = $one:ident, $about:literal;)*) => {
        table! {
            /// The lists of a model.
            Lists {
                $(
                    #[doc = $about]
                    $list: optional Entries<crate::model::$type>,
                )*
            }
        }

        impl Lists {
            /// Puts them into a model.
            pub fn fill(self, model: &mut Model) {
                $(model.$list = self.$list.map_or(Vec::new(), |entries| entries.0);)*
            }
        }
    };
}
each_list!(lists);

/// The whole file.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub sections: Sections,
    pub lists: Lists,
}

impl Root {
    /// Every section, in the order of the manual: the lists after the joints.
    pub fn keys() -> Vec<&'static str> {
        let after = Sections::KEYS.iter().position(|key| *key == "joints").map_or(0, |at| at + 1);
        let (before, behind) = Sections::KEYS.split_at(after);
        [before, Lists::KEYS, behind].concat()
    }
}

impl Decode for Root {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.table(node, &Root::keys())?;
        let sections = Sections::fields(node, entries, reader);
        Some(Root { sections, lists: Lists::fields(node, entries, reader) })
    }
}

impl JsonSchema for Root {
    fn schema_name() -> Cow<'static, str> {
        "Root".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Properties::default();
        Sections::properties(generator, &mut schema);
        Lists::properties(generator, &mut schema);
        schema.in_order(&Root::keys()).schema(ABOUT)
    }
}

/// What a model file is.
const ABOUT: &str = "A Linkwork model: a mechanism of points, bodies and joints. Numbers are in SI units, or strings with units such as \"30 deg\" and expressions of the parameters.";

table! {
    /// What the model is.
    ModelTable {
        /// Name shown in reports.
        name: optional String,
        /// 2: motion in the x, y plane. 3: motion in space. May be left out where all points agree.
        dimension: optional Directions,
        /// Acceleration of free fall in m/s^2, a vector; or "-y", "-z" (9.81 that way) or "none" (the default).
        gravity: optional Gravity,
    }
}

table! {
    /// The body that never moves.
    GroundTable {
        /// The points that never move.
        points: required Vec<String>,
    }
}

table! {
    /// Initial coordinates of joints, and initial velocities.
    InitialTable {
        /// Coordinates of joints since the drawing, m or rad: a number, a list, or { q = .., v = .. } with rates.
        joints: optional Named<InitialJointEntry>,
        /// Velocities of points in world axes, m/s.
        velocities: optional Named<Velocity>,
        /// Angular velocities of bodies, rad/s: a number in the plane, a vector in world axes in space.
        angular_velocities: optional Named<AngularVelocity>,
    }
}

/// The parameters: evaluated before anything is decoded, here for the schema.
#[derive(Clone, Debug)]
pub(super) struct Parameters;

impl Decode for Parameters {
    fn decode(_: &Node, _: &mut Reader<'_>) -> Option<Self> {
        Some(Parameters)
    }
}

inline_schema!(Parameters, |_| {
    let number = json_schema!({ "type": ["number", "string"] });
    json_schema!({
        "type": "object",
        "additionalProperties": {
            "anyOf": [
                number,
                {
                    "type": "object",
                    "properties": {
                        "value": number,
                        "min": { "description": "The least value of a slider.", "type": ["number", "string"] },
                        "max": { "description": "The greatest value of a slider.", "type": ["number", "string"] },
                        "label": { "description": "What a slider is called.", "type": "string" },
                    },
                    "required": ["value"],
                    "additionalProperties": false,
                },
            ],
        },
    })
});

/// The points; one at fault keeps its name.
#[derive(Clone, Debug, Default)]
pub(super) struct Points(pub Vec<Point>);

impl Decode for Points {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let point = |(name, position): (String, Option<Position>)| {
            // not finite where unknown: coincides with nothing
            Point { name, position: position.map_or([f64::NAN; 3], |position| position.0) }
        };
        let points: Vec<Point> = Named::decode(node, reader)?.0.into_iter().map(point).collect();
        reader.positions = points.iter().map(|point| (point.name.clone(), point.position)).collect();
        Some(Points(points))
    }
}

inline_schema!(Points, |generator| Named::<Position>::json_schema(generator));

/// The bodies, of which `ground` is unlike the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub ground: Option<GroundTable>,
    pub moving: Vec<Body>,
}

impl Decode for Bodies {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let mut bodies = Bodies::default();
        for (key, node) in reader.entries(node)? {
            if key.name == GROUND {
                bodies.ground = named(key, node, reader).1;
            } else {
                bodies.moving.push(reader.entry(key, node, |reader| Body::read(&key.name, node, reader)));
            }
        }
        Some(bodies)
    }
}

inline_schema!(Bodies, |generator| {
    json_schema!({
        "type": "object",
        "properties": { GROUND: generator.subschema_for::<GroundTable>() },
        "additionalProperties": generator.subschema_for::<Body>(),
    })
});

table! {
    /// Initial coordinates and rates of a joint.
    InitialJointTable {
        /// Coordinates since the drawing, m or rad: the first, or a list.
        q: optional PerCoordinate,
        /// Rates, m/s or rad/s: the first, or a list.
        v: optional PerCoordinate,
    }
}

/// A joint by its coordinates alone, or with rates.
#[derive(Clone, Debug)]
pub(super) struct InitialJointEntry(pub InitialJointTable);

impl Decode for InitialJointEntry {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            crate::file::document::Value::Table(_) => {
                InitialJointTable::decode(node, reader).map(InitialJointEntry)
            }
            _ => {
                let q = Some(PerCoordinate::decode(node, reader)?);
                Some(InitialJointEntry(InitialJointTable { q, v: None }))
            }
        }
    }
}

inline_schema!(InitialJointEntry, |generator| {
    json_schema!({ "anyOf": [generator.subschema_for::<PerCoordinate>(), generator.subschema_for::<InitialJointTable>()] })
});
