//! The tables of a model file. Each key stands here once: the list serves decoding, the suggestions for
//! misspelled keys and the schema, whose descriptions are the comments here.

use super::values::*;
use crate::file::decode::{Decode, Reader};
use crate::file::document::Node;
use crate::file::keys::{Entries, Keys as _};
use crate::file::table::{Named, Properties, Table as _, named, table};
use crate::file::values::*;
use crate::model::{Body, GROUND, JointKind, Model, Point, Settings, each_list};
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
        joints: optional Named<JointTable>,
        /// Initial joint coordinates and velocities, as far as they are given; the rest follows from the constraints.
        initial: optional InitialTable,
        /// How to simulate.
        simulation: optional Settings,
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
    /// A joint between two bodies.
    JointTable {
        /// What the joint lets its bodies do.
        r#type: required Choice<JointKind>,
        /// The two bodies; `ground` may be either. The reaction acts on the second.
        bodies: required Two,
        /// The point of the joint; or two points, one on each body, that the assembly brings together (a distance joint: that stay apart).
        at: required At,
        /// Direction of the axis, or normal of the plane, fixed in the first body: a vector or two points.
        axis: optional Direction,
        /// Universal joint: direction of the axis that is fixed in the second body, square to `axis` as drawn. Constant-velocity joint: the second shaft (along the first if left out). Rolling in space: the wheel's axis (a ball if left out).
        axis2: optional Direction,
        /// Distance joint: how far apart its two points stay, m; as drawn if left out.
        length: optional Length,
        /// Screw joint: how far it advances in one turn, m; negative for a left-handed thread.
        pitch: optional Length,
        /// Rolling joint: radius of the wheel, ball or disc, m; as drawn if left out.
        radius: optional Length,
        /// Gear and rack-and-pinion joints: the body that carries the bearings; found if left out.
        carrier: optional String,
        /// Point-on-curve joint: the points of the first body through which the curve runs.
        curve: optional Vec<String>,
        /// Point-on-curve joint: whether the curve returns to its first point; false if left out.
        closed: optional bool,
        /// Formulations in joint variables cut this joint, if it closes a loop; they choose if left out.
        cut: optional bool,
        /// Spring along the joint's coordinate, N/m or N m/rad: a number for the first coordinate, or a list with one for each.
        stiffness: optional PerCoordinate,
        /// Damper along the coordinate, N s/m or N m s/rad: a number or a list.
        damping: optional PerCoordinate,
        /// Coordinate at which the spring has no force, m or rad: a number or a list; as assembled if left out.
        rest: optional PerCoordinate,
        /// Constant force that makes the coordinate smaller, N or N m: a number or a list.
        preload: optional PerCoordinate,
        /// Coulomb friction, N or N m: a number or a list.
        friction: optional PerCoordinate,
        /// Rate over which friction is smoothed, m/s or rad/s: a number or a list.
        friction_speed: optional PerCoordinate,
        /// Inertia along the coordinate, kg or kg m², as that of a motor's rotor seen behind its gear: a number or a list.
        inertia: optional PerCoordinate,
        /// Least and largest coordinate [low, high], m or rad, "none" where there is no stop; or a list of such pairs.
        limits: optional Limits,
        /// Stiffness of the stops, N/m or N m/rad: a number or a list.
        limit_stiffness: optional PerCoordinate,
        /// Damping of the stops, N s/m or N m s/rad: a number or a list.
        limit_damping: optional PerCoordinate,
        /// Hard limits that the joint's coordinate bounces off: { range = [low, high], restitution = e }; a list of such tables for several coordinates.
        impact_limits: optional ImpactLimits,
        /// Whether it holds from the start on; true if left out. If false, an entry of [changes] closes it.
        active: optional bool,
        /// It opens for good when its force is more than this, N.
        break_force: optional ForceSize,
        /// It opens for good when its moment is more than this, N m.
        break_moment: optional Si<2, 1, -2>,
    }
}

table! {
    /// Hard limits of a joint's coordinate.
    ImpactLimitTable {
        /// Lower and upper limit of the coordinate, rad or m.
        range: required Range,
        /// How much of the speed is left after an impact, from 0 to 1.
        restitution: required Plain,
        /// Which of the joint's coordinates, counted from one; its place in the list if left out.
        coordinate: optional Count,
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

inline_schema!(Parameters, |generator| Named::<Plain>::json_schema(generator));

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

/// One table of limits, or a list of them.
#[derive(Clone, Debug)]
pub(super) struct ImpactLimits(pub Vec<ImpactLimitTable>);

impl Decode for ImpactLimits {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            crate::file::document::Value::Array(_) => Vec::decode(node, reader).map(ImpactLimits),
            _ => Some(ImpactLimits(vec![ImpactLimitTable::decode(node, reader)?])),
        }
    }
}

inline_schema!(ImpactLimits, |generator| {
    let one = generator.subschema_for::<ImpactLimitTable>();
    json_schema!({ "anyOf": [one.clone(), { "type": "array", "items": one }] })
});
