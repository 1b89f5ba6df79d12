//! The tables of a model file. Each key stands here once: the list serves decoding, the suggestions for
//! misspelled keys and the schema, whose descriptions are the comments here.

use super::chain_tables::ChainTable;
use super::impulse_build::ImpulseTable;
use super::values::*;
use crate::file::decode::{Decode, Reader};
use crate::file::document::Node;
use crate::file::keys::Entries;
use crate::file::table::{Named, Properties, Table as _, named, table};
use crate::file::values::*;
use crate::interactions::elements::{self, each_element};
use crate::model::{Change, Lock, Model, Settings};
use crate::model::{Extend, GROUND, Interpolation, JointKind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

table! {
    /// The sections of a file that are not lists of elements.
    Sections {
        /// Version of this file format: 1.
        format: optional Version,
        /// What the model is.
        model: optional ModelTable,
        /// Named values for expressions: a number, or an expression such as "2 * L + 5 mm".
        parameters: optional Parameters,
        /// The mechanism as drawn: world coordinates of each named point, [x, y] or [x, y, z] in metres.
        points: optional Named<Position>,
        /// Rigid bodies. Bodies that list the same point are joined there. `ground` is the body that never moves.
        bodies: optional Bodies,
        /// Joints that are more than a point shared by two bodies.
        joints: optional Named<JointTable>,
        /// Chains and ropes with mass.
        chains: optional Named<ChainTable>,
        /// Curves through given points, which expressions call by name: `profile(t)`.
        tables: optional Named<CurveTable>,
        /// Named quantities computed during the run, which other expressions may use: an expression, or a table with `value` and `unit`.
        measures: optional Named<MeasureEntry>,
        /// Numbers that are set from outside while the mechanism moves, which expressions read as `input.NAME`: a default, or a table.
        inputs: optional Named<InputEntry>,
        /// Numbers with differential equations of their own, which expressions read as `state.NAME`: controllers, filters, motors, hydraulics.
        states: optional Named<StateTable>,
        /// Joint coordinates that move in proportion: belts, worm gears, differentials.
        couplings: optional Named<CouplingTable>,
        /// Prescribed motion: joint coordinates, components of points or angles of bodies as functions of the time `t`.
        drivers: optional Named<DriverTable>,
        /// Locks: joint coordinates that are held as they are, for a time or while conditions say so.
        locks: optional Entries<Lock>,
        /// Impulses at given times: blows on bodies, and joint coordinates that get a rate.
        impulses: optional Named<ImpulseTable>,
        /// Surfaces of bodies and of the ground that contacts speak of.
        surfaces: optional Named<SurfaceTable>,
        /// Surfaces that touch each other: they bounce, slide, stick and rest.
        contacts: optional Named<ContactTable>,
        /// Changes of what the mechanism consists of while it runs: joints, bodies and chains that come and go.
        changes: optional Entries<Change>,
        /// Initial joint coordinates and velocities, as far as they are given; the rest follows from the constraints.
        initial: optional InitialTable,
        /// How to simulate.
        simulation: optional Settings,
    }
}

/// The lists of elements.
macro_rules! element_sections {
    ($($list:ident: $type:ident = $one:ident, $about:literal;)*) => {
        table! {
            /// The elements of a model.
            ElementSections {
                $(
                    #[doc = $about]
                    $list: optional Entries<elements::$type>,
                )*
            }
        }

        impl ElementSections {
            /// Puts the elements into a model.
            pub fn fill(self, model: &mut Model) {
                $(model.$list = self.$list.map_or(Vec::new(), |entries| entries.0);)*
            }
        }
    };
}
each_element!(element_sections);

/// The whole file.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub sections: Sections,
    pub elements: ElementSections,
}

impl Root {
    /// Every section, in the order of the manual: the elements after the joints.
    pub fn keys() -> Vec<&'static str> {
        let after = Sections::KEYS.iter().position(|key| *key == "joints").map_or(0, |at| at + 1);
        let (before, behind) = Sections::KEYS.split_at(after);
        [before, ElementSections::KEYS, behind].concat()
    }
}

impl Decode for Root {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.table(node, &Root::keys())?;
        let sections = Sections::fields(node, entries, reader);
        Some(Root { sections, elements: ElementSections::fields(node, entries, reader) })
    }
}

impl JsonSchema for Root {
    fn schema_name() -> Cow<'static, str> {
        "Root".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Properties::default();
        Sections::properties(generator, &mut schema);
        ElementSections::properties(generator, &mut schema);
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
    /// A rigid body. Two points and a mass make a uniform rod, one point and a mass a particle; else give a shape, or the centre of mass and the inertia.
    BodyTable {
        /// Names of the points that move with it.
        points: required Vec<String>,
        /// Mass, kg: a number, or an expression of the time `t`.
        mass: optional FormulaOf<0, 1, 0>,
        /// Mass per volume, kg/m^3, instead of the mass.
        density: optional Density,
        /// A uniform shape: a name, or a table with `type` and dimensions.
        shape: optional ShapeChoice,
        /// Centre of mass as drawn: coordinates or the name of a point. Needs `inertia`.
        com: optional PlaceName,
        /// Moments of inertia about the centre of mass, kg m^2: a number in the plane; [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] in space.
        inertia: optional Moments,
        /// For a body of two points: their true distance, where the drawing is approximate, m.
        length: optional Length,
        /// Whether it is there from the start on; true if left out. If false, an entry of [changes] lets it appear.
        present: optional bool,
        /// Which of its points are its primary particles, in this order; they must not lie in one line or plane. Chosen if left out.
        primary: optional Vec<String>,
    }
}

table! {
    /// A uniform shape. What is left out follows from the body's points.
    ShapeTable {
        /// rod, polygon, triangle, box, cylinder, disc, tube, capsule or sphere.
        r#type: required String,
        /// Cylinder, disc, tube, capsule, sphere: outer radius, m.
        radius: optional Length,
        /// Tube: radius of the bore, m.
        inner_radius: optional Length,
        /// Tube: thickness of the wall, m, instead of the inner radius.
        wall: optional Length,
        /// Cylinder, tube: length along the axis, m. Capsule: between the centres of its round ends.
        length: optional Length,
        /// Polygon, triangle, disc: thickness, m; needed with a density.
        thickness: optional Length,
        /// Box: edge lengths, m.
        size: optional Size,
        /// Rod: cross-section, m^2; needed with a density.
        area: optional Area,
        /// Polygon, triangle: names of the corner points in order; all points of the body if left out.
        outline: optional Vec<String>,
        /// Centre: coordinates as drawn or the name of a point.
        center: optional PlaceName,
        /// Axis of a cylinder, tube or capsule, first edge of a box: a vector or two points.
        axis: optional Direction,
        /// Box in space: a direction in the plane of the first and second edge.
        side: optional Direction,
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
    /// A curve y(x) through given points: `x` and `y`, or `points`, or columns of a file.
    CurveTable {
        /// The x of the points, ascending.
        x: optional Column,
        /// The y of the points, as many.
        y: optional Column,
        /// The points as pairs [x, y], instead of `x` and `y`.
        points: optional Pairs,
        /// Instead of points: a CSV file, by its path from the model file.
        file: optional String,
        /// The names of the columns of the file that are x and y.
        columns: optional Two,
        /// The units of these columns, such as ["ms", "kN"]; SI if left out.
        units: optional Vec<UnitName>,
        /// What the curve does between its points; cubic if left out.
        interpolation: optional Choice<Interpolation>,
        /// What it does before the first and after the last point: keep the value (the default), go on straight, or end the run with an error.
        extend: optional Choice<Extend>,
    }
}

table! {
    /// A quantity computed during the run.
    MeasureTable {
        /// Its value: an expression of time and readings.
        value: required AnyFormula,
        /// The unit it is shown in, such as "kN"; SI if left out.
        unit: optional UnitName,
    }
}

table! {
    /// Joint coordinates that move in proportion: either two joints and a `ratio`, or any number of them with `factors`.
    CouplingTable {
        /// The joints, by their names in results.
        joints: required Vec<String>,
        /// Which coordinate of each joint, counted from one; the first of each if left out.
        coordinates: optional Vec<Count>,
        /// For two joints: the first coordinate is this many times the second, since the drawing.
        ratio: optional AnyQuantity,
        /// For any number of joints: the sum of the coordinates, each times its factor, stays as drawn.
        factors: optional Vec<AnyQuantity>,
    }
}

table! {
    /// A prescribed motion: of a joint's coordinate, of a component of a point, or of a body's angle.
    DriverTable {
        /// The joint, by its name in results.
        joint: optional String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// The point.
        point: optional String,
        /// Component of the point's position: x, y or z.
        component: optional Choice<Component>,
        /// The body whose angle is driven.
        body: optional String,
        /// The body that it turns against and that carries the axis; `ground` if left out.
        against: optional String,
        /// Axis of the angle: a vector or two points; in the plane it is z.
        axis: optional Direction,
        /// The value: metres or radians as an expression of `t`, which may use tables.
        value: required AnyFormula,
    }
}

table! {
    /// A surface of a body or of the ground. What is left out of a sphere, box, cylinder or capsule of a body follows from the body's points.
    SurfaceTable {
        /// plane, point, sphere, box, cylinder, capsule, hull, or in the plane disc.
        r#type: required Choice<SurfaceKind>,
        /// The body it is part of; `ground` if left out.
        body: optional String,
        /// Point: where it is. Plane: a place of it, the origin if left out. Coordinates as drawn or the name of a point.
        at: optional PlaceName,
        /// Plane: direction out of the solid side, a vector or two points.
        normal: optional Direction,
        /// Sphere, box, cylinder, capsule, disc: its centre, coordinates as drawn or the name of a point.
        center: optional PlaceName,
        /// Sphere, cylinder, capsule, disc: radius, m.
        radius: optional Length,
        /// Cylinder: length along the axis, m. Capsule: between the centres of its round ends.
        length: optional Length,
        /// Box: edge lengths, m.
        size: optional Size,
        /// Axis of a cylinder or capsule, first edge of a box: a vector or two points.
        axis: optional Direction,
        /// Box in space: a direction in the plane of the first and second edge.
        side: optional Direction,
        /// Hull: names of points of the body.
        points: optional Vec<String>,
        /// Hull: coordinates as drawn.
        vertices: optional Vec<Position>,
    }
}

table! {
    /// Surfaces that touch each other: `between` two, or `among` many. Each is named by a surface, or by a body with a shape of its own.
    ContactTable {
        /// Two surfaces, or two lists of them: each of the first meets each of the second.
        between: optional Sides,
        /// A list of surfaces that all meet each other.
        among: optional Vec<String>,
        /// Coefficient of friction; 0 if left out.
        friction: optional Plain,
        /// How much of the speed is left after an impact, from 0 to 1; 0 if left out.
        restitution: optional Plain,
        /// Whether bodies that a joint connects touch each other, too; false if left out.
        jointed: optional bool,
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

/// The bodies, of which `ground` is unlike the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub ground: Option<GroundTable>,
    pub moving: Vec<BodyEntry>,
}

/// A moving body.
#[derive(Clone, Debug)]
pub(super) struct BodyEntry {
    pub name: String,
    pub table: Option<BodyTable>,
    /// Whether every key could be decoded.
    pub sound: bool,
}

impl Decode for Bodies {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let mut bodies = Bodies::default();
        for (key, node) in reader.entries(node)? {
            if key.name == GROUND {
                bodies.ground = named(key, node, reader).1;
            } else {
                let failures = reader.failures;
                let (name, table) = named(key, node, reader);
                bodies.moving.push(BodyEntry { name, table, sound: reader.failures == failures });
            }
        }
        Some(bodies)
    }
}

inline_schema!(Bodies, |generator| {
    json_schema!({
        "type": "object",
        "properties": { GROUND: generator.subschema_for::<GroundTable>() },
        "additionalProperties": generator.subschema_for::<BodyTable>(),
    })
});

/// A shape by its name alone, or with its dimensions.
#[derive(Clone, Debug)]
pub(super) struct ShapeChoice(pub ShapeTable);

impl Decode for ShapeChoice {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            crate::file::document::Value::String(name) => {
                Some(ShapeChoice(ShapeTable { r#type: Some(name.clone()), ..ShapeTable::default() }))
            }
            crate::file::document::Value::Table(_) => ShapeTable::decode(node, reader).map(ShapeChoice),
            _ => reader.wrong(node, "the name of a shape, or a table with its `type` and dimensions"),
        }
    }
}

inline_schema!(ShapeChoice, |generator| {
    json_schema!({ "anyOf": [{ "type": "string" }, generator.subschema_for::<ShapeTable>()] })
});

table! {
    /// A number that is set from outside while the mechanism moves.
    InputTable {
        /// Its value until somebody sets it, in `unit`; 0 if left out.
        default: optional AnyQuantity,
        /// The unit in which it is set and shown, such as "deg"; SI if left out.
        unit: optional UnitName,
        /// Values beyond these are cut, in `unit`: [lowest, highest].
        limits: optional Vec<AnyQuantity>,
        /// Between changes: held, or linear, which goes to a new value in a straight line. Held if left out.
        between: optional Choice<Straight>,
        /// Time constant of a filter that smooths changes, s.
        filter: optional Time,
    }
}

table! {
    /// A number with a differential equation of its own (`rate`), or a difference equation (`next` and `every`).
    StateTable {
        /// Its rate of change: an expression of time and readings, in SI units a second.
        rate: optional AnyFormula,
        /// Instead of a rate: the value that it takes at multiples of `every` and keeps in between, an expression in SI units.
        next: optional AnyFormula,
        /// The period of `next`, s.
        every: optional Time,
        /// Its initial value, in `unit`; 0 if left out.
        initial: optional AnyQuantity,
        /// The unit in which it is shown; SI if left out.
        unit: optional UnitName,
        /// What counts as large, in `unit`: its error is held below `tolerance` times this or times its value; 1 if left out.
        scale: optional AnyQuantity,
    }
}

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

/// An input by its default alone, or with all there is to say.
#[derive(Clone, Debug)]
pub(super) struct InputEntry(pub InputTable);

impl Decode for InputEntry {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            crate::file::document::Value::Table(_) => InputTable::decode(node, reader).map(InputEntry),
            _ => {
                let default = Some(AnyQuantity::decode(node, reader)?);
                Some(InputEntry(InputTable { default, ..InputTable::default() }))
            }
        }
    }
}

inline_schema!(InputEntry, |generator| {
    json_schema!({ "anyOf": [{ "type": ["number", "string"] }, generator.subschema_for::<InputTable>()] })
});

/// A measure by its expression alone, or with its unit.
#[derive(Clone, Debug)]
pub(super) struct MeasureEntry(pub MeasureTable);

impl Decode for MeasureEntry {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            crate::file::document::Value::Table(_) => MeasureTable::decode(node, reader).map(MeasureEntry),
            _ => {
                let value = Some(AnyFormula::decode(node, reader)?);
                Some(MeasureEntry(MeasureTable { value, unit: None }))
            }
        }
    }
}

inline_schema!(MeasureEntry, |generator| {
    json_schema!({ "anyOf": [{ "type": ["number", "string"] }, generator.subschema_for::<MeasureTable>()] })
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
