//! Decoded tables into a [`Model`].
//!
//! An item at fault becomes a harmless stand-in of the same name: the model then serves to find further
//! faults, and is thrown away.

use super::chain_build;
use super::contact_build;
use super::format::{
    BodyEntry, BodyTable, CouplingTable, CurveTable, DriverTable, ImpactLimits, JointTable, MeasureEntry,
    Root, ShapeTable,
};
use super::impulse_build;
use super::joint_build;
use super::variable_build;
use crate::error::names::{nearest, segment};
use crate::expressions::quantity::State;
use crate::expressions::units::{self, Dims};
use crate::file::csv_table::{self, Points, Wrong};
use crate::file::decode::Reader;
use crate::file::values::{AnyFormula, AnyQuantity, Column, Direction, Range, Two, UnitName};
use crate::model::{
    Amount, Axis, Body, Coupling, Dimension, Driven, Driver, Extend, Fault, Formula, GROUND, ImpactLimit,
    Inertia, Initial, Interpolation, Joint, JointKind, Mass, Measure, Model, NamedTable, Orientation, Place,
    Point, Shape, TIME, Table, TableError,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What shapes need to know of the drawing.
pub(super) struct Drawing {
    pub dimension: Dimension,
    pub positions: BTreeMap<String, [f64; 3]>,
    pub tables: BTreeMap<String, Arc<Table>>,
}

/// Builds the model; structural faults go to the reader.
pub(super) fn build(root: Root, dimension: Dimension, reader: &mut Reader<'_>) -> Model {
    let Root { sections: root, elements } = root;
    let about = root.model.unwrap_or_default();
    let mut model = Model::empty(about.name.unwrap_or_default(), dimension);
    model.gravity = about.gravity.map_or([0.0; 3], |gravity| gravity.0);
    let entries = |named: Option<crate::file::table::Named<_>>| named.map_or(Vec::new(), |named| named.0);
    for (name, position) in entries(root.points) {
        // not finite where unknown: coincides with nothing
        model.points.push(Point { name, position: position.map_or([f64::NAN; 3], |position| position.0) });
    }
    let positions = model.points.iter().map(|point| (point.name.clone(), point.position)).collect();
    for (name, table) in root.tables.map_or(Vec::new(), |named| named.0) {
        let table = Arc::new(table.and_then(|table| curve(&name, table, reader)).unwrap_or_else(stand_in));
        model.tables.push(NamedTable { name, table });
    }
    let tables = model.tables.iter().map(|t| (t.name.clone(), t.table.clone())).collect();
    let drawing = Drawing { dimension, positions, tables };
    let bodies = root.bodies.unwrap_or_default();
    model.ground = bodies.ground.and_then(|ground| ground.points).unwrap_or_default();
    model.bodies = bodies.moving.into_iter().map(|entry| body(entry, &drawing, reader)).collect();
    for (name, table) in root.joints.map_or(Vec::new(), |named| named.0) {
        let table = table.unwrap_or_default();
        let forces = joint_build::joint_forces(&name, &table, dimension, reader);
        model.joints.push(Joint { forces, ..joint(name, table, reader) });
    }
    elements.fill(&mut model);
    for (name, table) in root.chains.map_or(Vec::new(), |named| named.0) {
        model.chains.push(chain_build::chain(name, table.unwrap_or_default(), &drawing, reader));
    }
    for (name, entry) in root.measures.map_or(Vec::new(), |named| named.0) {
        model.measures.push(measure(name, entry, reader));
    }
    for (name, entry) in root.inputs.map_or(Vec::new(), |named| named.0) {
        let table = entry.map(|entry| entry.0).unwrap_or_default();
        model.inputs.push(variable_build::input(name, table, reader));
    }
    for (name, table) in root.states.map_or(Vec::new(), |named| named.0) {
        model.states.push(variable_build::state(name, table.unwrap_or_default(), reader));
    }
    for (name, table) in root.couplings.map_or(Vec::new(), |named| named.0) {
        model.couplings.extend(coupling(name, table.unwrap_or_default(), reader));
    }
    for (name, table) in root.drivers.map_or(Vec::new(), |named| named.0) {
        // what is no table has been reported
        model.drivers.extend(table.and_then(|table| driver(name, table, reader)));
    }
    model.locks = root.locks.map_or(Vec::new(), |entries| entries.0);
    for (name, table) in root.impulses.map_or(Vec::new(), |named| named.0) {
        let impulse = impulse_build::impulse(name, table.unwrap_or_default(), &model.joints, reader);
        model.impulses.extend(impulse);
    }
    for (name, table) in root.surfaces.map_or(Vec::new(), |named| named.0) {
        model.surfaces.push(contact_build::surface(name, table.unwrap_or_default(), &drawing, reader));
    }
    for (name, table) in root.contacts.map_or(Vec::new(), |named| named.0) {
        model.contacts.extend(contact_build::contact(name, table.unwrap_or_default(), reader));
    }
    model.changes = root.changes.map_or(Vec::new(), |entries| entries.0);
    let initial = root.initial.unwrap_or_default();
    let initial_joints = initial.joints.map_or(Vec::new(), |named| named.0);
    let joints = initial_joints
        .into_iter()
        .filter_map(|(name, entry)| Some(joint_build::initial_joint(name, entry?.0, reader)))
        .collect();
    model.initial = Initial {
        joints,
        velocities: initial.velocities.map_or(Vec::new(), |named| {
            named.0.into_iter().map(|(name, v)| (name, v.map_or([0.0; 3], |v| v.0))).collect()
        }),
        angular_velocities: initial.angular_velocities.map_or(Vec::new(), |named| {
            named.0.into_iter().map(|(name, w)| (name, w.map_or([0.0; 3], |w| w.0))).collect()
        }),
    };
    model.settings = root.simulation.unwrap_or_default();
    model
}

fn joint(name: String, table: JointTable, reader: &mut Reader<'_>) -> Joint {
    // without a kind nobody knows which of these belong
    let kind = table.r#type.map(|choice| choice.0);
    let direction = |key: Option<Direction>| key.filter(|_| kind.is_some()).map(|direction| direction.0);
    let (axis, axis2) = (direction(table.axis), direction(table.axis2));
    let limits = impact_limits(&name, kind, table.impact_limits, reader);
    Joint {
        name,
        kind: kind.unwrap_or(JointKind::Fixed),
        bodies: table.bodies.map_or_else(Default::default, |two| two.0),
        at: table.at.map_or_else(Default::default, |at| at.0),
        axis,
        axis2,
        length: table.length.filter(|_| kind.is_some()).map(|length| length.0),
        pitch: table.pitch.filter(|_| kind.is_some()).map(|pitch| pitch.0),
        radius: table.radius.filter(|_| kind.is_some()).map(|radius| radius.0),
        carrier: table.carrier.filter(|_| kind.is_some()),
        curve: table.curve.filter(|_| kind.is_some()).unwrap_or_default(),
        closed: table.closed.unwrap_or(false),
        cut: table.cut.unwrap_or(false),
        forces: Vec::new(),
        impact_limits: limits,
        active: table.active.unwrap_or(true),
        break_force: table.break_force.map(|force| force.0),
        break_moment: table.break_moment.map(|moment| moment.0),
    }
}

/// The limits of a joint. Without a kind nobody knows whether they are angles.
fn impact_limits(
    name: &str,
    kind: Option<JointKind>,
    limits: Option<ImpactLimits>,
    reader: &mut Reader<'_>,
) -> Vec<ImpactLimit> {
    let (Some(kind), Some(ImpactLimits(tables))) = (kind, limits) else { return Vec::new() };
    let mut limits = Vec::new();
    for (i, table) in tables.into_iter().enumerate() {
        let (Some(Range(range, dims)), Some(restitution)) = (table.range, table.restitution) else {
            continue;
        };
        let coordinate = table.coordinate.map_or(i + 1, |n| usize::try_from(n.0).unwrap_or(usize::MAX));
        let expected = reader.dimension.and_then(|dimension| coordinate_dims(kind, dimension, coordinate));
        if let (Some(found), Some(expected)) = (dims, expected)
            && found != expected
        {
            let path = format!("joints.{}.impact_limits", segment(name));
            reader.reject(Fault::error(path, format!("`range`: expected {expected}, found {found}")));
        }
        limits.push(ImpactLimit { coordinate, range, restitution: restitution.0 });
    }
    limits
}

/// Of a coordinate of a joint, counted from one, where its kind tells.
pub(super) fn coordinate_dims(kind: JointKind, dimension: Dimension, coordinate: usize) -> Option<Dims> {
    kind.turns(dimension.is_planar(), coordinate)
        .map(|turns| if turns { Dims::NONE } else { Dims::new(1, 0, 0) })
}

/// Nothing if its lists do not fit each other; it has been reported.
fn coupling(name: String, table: CouplingTable, reader: &mut Reader<'_>) -> Option<Coupling> {
    let path = format!("couplings.{}", segment(&name));
    let joints = table.joints?;
    let mut refuse = |key: &str, message: String, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
        None
    };
    let ratio = table.ratio;
    let factors: Vec<f64> = match (table.ratio, table.factors) {
        (Some(ratio), None) if joints.len() == 2 => vec![1.0, -ratio.0],
        (Some(_), None) => {
            let message = format!("a ratio is one of two joints, these are {}", joints.len());
            return refuse(".ratio", message, "give `factors`, one for each joint");
        }
        (None, Some(factors)) => factors.into_iter().map(|factor| factor.0).collect(),
        (Some(_), Some(_)) => {
            return refuse("", "`ratio` and `factors` are both given".into(), "keep one of the two");
        }
        (None, None) => {
            return refuse(
                "",
                "`ratio` or `factors` is missing".into(),
                "ratio = 3: the first joint turns three times as far as the second",
            );
        }
    };
    let coordinates: Vec<usize> = match table.coordinates {
        None => vec![1; joints.len()],
        Some(list) => list.into_iter().map(|count| usize::try_from(count.0).unwrap_or(usize::MAX)).collect(),
    };
    for (key, count) in [(".factors", factors.len()), (".coordinates", coordinates.len())] {
        if count != joints.len() {
            let message = format!("there are {} joints, but {count} of these", joints.len());
            return refuse(key, message, "give one for each joint");
        }
    }
    // q1 = ratio q2
    if let (Some(AnyQuantity(_, State::Known(found))), [p, q]) = (ratio, joints.as_slice()) {
        let turns = [(p, coordinates[0]), (q, coordinates[1])].map(|(joint, n)| reader.turns(joint, n));
        let expected = match turns {
            [Some(p), Some(q)] => Some(Dims::new(i8::from(q) - i8::from(p), 0, 0)),
            _ => None,
        };
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            let message = format!("expected {expected}, found {found}");
            let help =
                "the ratio is the first coordinate over the second: an angle has no unit, a path has m";
            reader.reject(Fault::error(format!("{path}.ratio"), message).help(help));
        }
    }
    let terms = joints.into_iter().zip(coordinates).zip(factors).map(|((j, c), f)| (j, c, f)).collect();
    Some(Coupling { name, terms })
}

/// Nothing if it does not say what it drives; it has been reported.
fn driver(name: String, table: DriverTable, reader: &mut Reader<'_>) -> Option<Driver> {
    let path = format!("drivers.{}", segment(&name));
    let mut refuse = |key: &str, message: &str, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
    };
    let count = [table.joint.is_some(), table.point.is_some(), table.body.is_some()];
    let (value, dims) = match table.value {
        Some(value) => (value.0, value.1),
        None => (Formula::constant(0.0), State::Unknown),
    };
    match count.iter().filter(|given| **given).count() {
        0 => {
            refuse("", "this drives nothing", "name a `joint`, a `point` with `component`, or a `body`");
            return None;
        }
        1 => {}
        _ => {
            refuse("", "a driver drives one thing", "keep one of `joint`, `point` and `body`");
            return None;
        }
    }
    let strays = [
        ("coordinate", table.coordinate.is_some() && table.joint.is_none(), "a joint"),
        ("component", table.component.is_some() && table.point.is_none(), "a point"),
        ("against", table.against.is_some() && table.body.is_none(), "a body"),
        ("axis", table.axis.is_some() && table.body.is_none(), "a body"),
    ];
    for (key, _, of) in strays.iter().filter(|(_, stray, _)| *stray) {
        refuse(&format!(".{key}"), &format!("`{key}` belongs to {of}"), "remove it");
    }
    let of = if let Some(joint) = table.joint {
        let coordinate = table.coordinate.map_or(1, |count| usize::try_from(count.0).unwrap_or(usize::MAX));
        Driven::Joint { joint, coordinate }
    } else if let Some(point) = table.point {
        let Some(component) = table.component else {
            refuse("", "`component` is missing", "component = \"x\", \"y\" or \"z\"");
            return None;
        };
        Driven::Point { point, component: component.0.0 }
    } else {
        Driven::Body {
            body: table.body.unwrap_or_default(),
            against: table.against.unwrap_or_else(|| GROUND.into()),
            axis: table.axis.map(|direction| direction.0),
        }
    };
    let (expected, what) = match &of {
        Driven::Joint { joint, coordinate } => {
            let dims = reader.turns(joint, *coordinate).map(|turns| if turns { Dims::NONE } else { LENGTH });
            (dims, format!("coordinate {coordinate} of joint `{joint}`"))
        }
        Driven::Point { point, .. } => (Some(LENGTH), format!("the position of point `{point}`")),
        Driven::Body { body, .. } => (Some(Dims::NONE), format!("the angle of body `{body}`")),
    };
    let path = format!("{path}.value");
    if let (Some(found), Some(expected)) = (dims.dims(), expected)
        && found != expected
    {
        let help = reader.said(&path).and_then(|text| reader.misfit(text, dims, &[expected]));
        let kind = if expected == LENGTH { "a length (m)" } else { "an angle (rad or deg)" };
        let message = format!("this drives {what}, {kind}; found {found}");
        reader.reject(Fault { help, ..Fault::error(path, message) });
    }
    Some(Driver { name, of, value })
}

const LENGTH: Dims = Dims::new(1, 0, 0);

/// A curve in place of one at fault.
fn stand_in() -> Table {
    let line = Table::new([0.0, 1.0], [0.0, 0.0], Interpolation::Linear, Extend::Hold);
    line.unwrap_or_else(|_| unreachable!("two points make a line"))
}

/// The points of a table's file.
fn from_file(
    file: &str,
    columns: Option<Two>,
    units: Option<Vec<UnitName>>,
    reader: &Reader<'_>,
) -> Result<Points, Wrong> {
    let Some(Two(columns)) = columns else {
        let message = format!("nothing says which columns of `{file}` are x and y");
        let help = Some("give their names: `columns = [\"time\", \"force\"]`".into());
        return Err(Wrong { key: "", message, help });
    };
    let sizes = match units.as_deref() {
        None => [1.0; 2],
        Some([x, y]) => [x, y].map(|unit| units::parse(&unit.0).map_or(1.0, |(size, _)| size)),
        Some(list) => {
            let message = format!("these are the units of x and y; there are {}", list.len());
            return Err(Wrong { key: ".units", message, help: None });
        }
    };
    csv_table::read(reader.folder, file, columns.each_ref().map(String::as_str), sizes)
}

fn curve(name: &str, table: CurveTable, reader: &mut Reader<'_>) -> Option<Table> {
    let path = format!("tables.{}", segment(name));
    if reader.broken.iter().any(|broken| crate::file::within(broken, &path)) {
        return None;
    }
    let pairs = table.points.is_some();
    let strays = [("columns", table.columns.is_some()), ("units", table.units.is_some())];
    if let Some((key, _)) = strays.into_iter().find(|&(_, given)| given && table.file.is_none()) {
        let fault = Fault::error(format!("{path}.{key}"), format!("`{key}` belongs to a `file`"));
        reader.reject(fault.help("remove it, or name the file"));
        return None;
    }
    if let Some(file) = &table.file
        && (table.x.is_some() || table.y.is_some() || pairs)
    {
        let fault = Fault::error(path, format!("the points are given beside the file `{file}`"));
        reader.reject(fault.help("keep one of the two"));
        return None;
    }
    let mut lines = Vec::new();
    let file = table.file.clone().unwrap_or_default();
    let given = match table.file {
        None => (table.x, table.y, table.points),
        Some(_) => {
            let found = from_file(&file, table.columns, table.units, reader);
            match found {
                Ok(points) => {
                    lines = points.lines;
                    (Some(Column(points.x)), Some(Column(points.y)), None)
                }
                Err(Wrong { key, message, help }) => {
                    let fault = Fault { help, ..Fault::error(format!("{path}{key}"), message) };
                    reader.reject(fault);
                    return None;
                }
            }
        }
    };
    let (x, y) = match given {
        (Some(x), Some(y), None) => (x.0, y.0),
        (None, None, Some(pairs)) => pairs.0.iter().map(|&[x, y]| (x, y)).unzip(),
        (x, y, points) => {
            let message = match (points, x.or(y)) {
                (Some(_), Some(_)) => "`points` are given beside `x` or `y`",
                (None, Some(_)) => "a table needs both `x` and `y`",
                _ => "a table needs points",
            };
            let help = "give two lists `x` and `y`, or one list `points` of pairs [x, y]";
            reader.reject(Fault::error(path, message).help(help));
            return None;
        }
    };
    let interpolation = table.interpolation.map_or_else(Interpolation::default, |choice| choice.0);
    if interpolation == Interpolation::Periodic && table.extend.is_some() {
        let fault = Fault::error(format!("{path}.extend"), "a periodic table has no ends");
        reader.reject(fault.help("leave `extend` out"));
        return None;
    }
    let extend = table.extend.map_or_else(Extend::default, |choice| choice.0);
    match Table::new(x, y, interpolation, extend) {
        Ok(table) => Some(table),
        Err(TableError { index, in_y, message }) => {
            let column = if in_y { "y" } else { "x" };
            let path = match index {
                Some(index) if !lines.is_empty() => {
                    let place = lines.get(index).map_or(file.clone(), |line| format!("{file}:{line}"));
                    reader.reject(Fault::error(format!("{path}.file"), format!("{place}: {message}")));
                    return None;
                }
                Some(index) if pairs => format!("{path}.points[{index}]"),
                Some(index) => format!("{path}.{column}[{index}]"),
                None => path,
            };
            reader.reject(Fault::error(path, message));
            None
        }
    }
}

fn measure(name: String, entry: Option<MeasureEntry>, reader: &mut Reader<'_>) -> Measure {
    let path = format!("measures.{}", segment(&name));
    if reader.parameters.contains_key(&name) {
        let fault = Fault::error(path.clone(), format!("`{name}` is the name of a parameter, too"));
        reader.push(fault.help("give the measure another name"));
    }
    let table = entry.map(|entry| entry.0).unwrap_or_default();
    let unit = table.unit.map(|unit| {
        if let Some(AnyFormula(_, state)) = &table.value
            && let Some(found) = state.measured()
            && found != unit.1
        {
            let message = format!("`{}` is the unit of {}, but the value is {found}", unit.0, unit.1);
            reader.push(Fault::error(format!("{path}.unit"), message));
        }
        unit.0
    });
    Measure { name, formula: table.value.map_or(Formula::constant(0.0), |value| value.0), unit }
}

fn body(entry: BodyEntry, drawing: &Drawing, reader: &mut Reader<'_>) -> Body {
    let path = format!("bodies.{}", segment(&entry.name));
    let table = entry.table.unwrap_or_default();
    let points = table.points.clone().unwrap_or_default();
    let mass = match entry.sound {
        true => mass(&table, &points, &path, drawing, reader),
        false => None,
    };
    let mass_law = table.mass.as_ref().filter(|law| law.0.is_constant().is_none()).map(|law| law.0.clone());
    // a stand-in that no check objects to
    let mass = mass.unwrap_or_else(|| {
        let inertia = match drawing.dimension {
            Dimension::Planar => Inertia::Polar(1.0),
            Dimension::Spatial => Inertia::Matrix([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        };
        Mass::Given { mass: 1.0, com: Place::At([0.0; 3]), inertia }
    });
    let present = table.present.unwrap_or(true);
    let length = table.length.map(|length| length.0);
    let primary = table.primary.unwrap_or_default();
    Body { name: entry.name, points, mass, mass_law, length, present, primary }
}

fn mass(
    table: &BodyTable,
    points: &[String],
    path: &str,
    drawing: &Drawing,
    reader: &mut Reader<'_>,
) -> Option<Mass> {
    let fault = |key: &str, message: &str| Fault::error(format!("{path}{key}"), message);
    let total = table.mass.as_ref().map(|mass| at_start(&mass.0, drawing));
    let fault = match (&table.shape, &table.com, table.inertia) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
            fault(".shape", "a shape has its own centre and inertia")
                .help("give either `shape`, or `com` and `inertia`")
        }
        (_, Some(_), None) => fault(".com", "`com` needs `inertia` beside it")
            .help("inertia = about the centre of mass in kg m^2; or give a `shape` instead of both"),
        (_, None, Some(_)) => fault(".inertia", "`inertia` needs `com` beside it")
            .help("com = [..] or the name of a point: the centre of mass as drawn"),
        (None, Some(com), Some(inertia)) => match (total, table.density) {
            (Some(mass), None) => {
                return Some(Mass::Given { mass, com: com.0.clone(), inertia: inertia.0 });
            }
            (_, Some(_)) => fault(".density", "a density needs a `shape`").help("give the `mass` instead"),
            (None, None) => fault("", "`mass` is missing"),
        },
        (shape, None, None) => match (total, table.density) {
            (Some(_), Some(_)) => {
                fault(".density", "`mass` and `density` are both given").help("keep one of the two")
            }
            (None, None) => fault("", "the body has no mass")
                .help("give `mass` in kg, or `density` in kg/m^3 with a `shape`"),
            (mass, density) => {
                let amount = match (mass, density) {
                    (Some(mass), _) => Amount::Mass(mass),
                    (_, Some(density)) => Amount::Density(density.0),
                    _ => unreachable!("one of the two is given"),
                };
                match (shape, points.len()) {
                    (Some(shape), _) => {
                        return self::shape(&shape.0, points, path, drawing, reader)
                            .map(|shape| Mass::Shape(shape, amount));
                    }
                    (None, 1) if mass.is_some() => {
                        let (Amount::Mass(mass) | Amount::Density(mass)) = amount;
                        let com = Place::Point(points[0].clone());
                        return Some(Mass::Given { mass, com, inertia: Inertia::Point });
                    }
                    (None, 2) => return Some(Mass::Shape(Shape::Rod { area: None }, amount)),
                    (None, n) => {
                        let holds = match n {
                            0 => "no points".into(),
                            1 => "one point".into(),
                            n => format!("{n} points"),
                        };
                        let choices = "give a `shape` (such as \"polygon\", or a table with type = \"cylinder\", \"box\", \"sphere\"), \
                                       or `com` and `inertia`; only a body of two points is a rod by itself, and one of one point with a `mass` a particle";
                        fault("", &format!("a body of {holds} does not say how its mass is spread"))
                            .help(choices)
                    }
                }
            }
        },
    };
    reader.reject(fault);
    None
}

/// The mass at t = 0. Where the formula has no value the check will tell.
fn at_start(mass: &Formula, drawing: &Drawing) -> f64 {
    let only_time = mass.references().iter().all(|reference| reference.target.single() == Some(TIME));
    match mass.clone().with_tables(|name| drawing.tables.get(name).cloned()) {
        Ok(mass) if only_time => mass.eval(&[0.0], &mut Vec::new()),
        _ => 1.0,
    }
}

/// The keys of each shape. The first name is proper, `triangle` and `disc` are special cases.
const SHAPES: [(&str, &[&str]); 9] = [
    ("rod", &["area"]),
    ("polygon", &["outline", "thickness"]),
    ("triangle", &["outline", "thickness"]),
    ("box", &["size", "center", "axis", "side"]),
    ("cylinder", &["radius", "length", "center", "axis"]),
    ("disc", &["radius", "thickness", "center"]),
    ("tube", &["radius", "inner_radius", "wall", "length", "center", "axis"]),
    ("capsule", &["radius", "length", "center", "axis"]),
    ("sphere", &["radius", "center"]),
];

fn shape(
    table: &ShapeTable,
    points: &[String],
    path: &str,
    drawing: &Drawing,
    reader: &mut Reader<'_>,
) -> Option<Shape> {
    let path = format!("{path}.shape");
    let name = table.r#type.as_deref().unwrap_or_default();
    let Some((kind, keys)) = SHAPES.iter().find(|(known, _)| *known == name) else {
        let at =
            if reader.spans.contains_key(&format!("{path}.type")) { format!("{path}.type") } else { path };
        let help = nearest(name, SHAPES.iter().map(|(known, _)| *known));
        reader.reject(Fault { help, ..Fault::error(at, format!("unknown shape `{name}`")) });
        return None;
    };
    let given = [
        ("radius", table.radius.is_some()),
        ("inner_radius", table.inner_radius.is_some()),
        ("wall", table.wall.is_some()),
        ("length", table.length.is_some()),
        ("thickness", table.thickness.is_some()),
        ("size", table.size.is_some()),
        ("area", table.area.is_some()),
        ("outline", table.outline.is_some()),
        ("center", table.center.is_some()),
        ("axis", table.axis.is_some()),
        ("side", table.side.is_some()),
    ];
    let failures = reader.failures;
    for (key, _) in given.iter().filter(|(key, given)| *given && !keys.contains(key)) {
        let fault = Fault::error(format!("{path}.{key}"), format!("a {kind} has no `{key}`"));
        reader.reject(fault.help(format!("a {kind} takes {}", keys.join(", "))));
    }
    let needed: &[&str] = match *kind {
        "box" => &["size"],
        "cylinder" | "disc" | "tube" | "capsule" | "sphere" => &["radius"],
        _ => &[],
    };
    for key in needed {
        if given.contains(&(key, false)) {
            let fault = Fault::error(path.clone(), format!("a {kind} needs `{key}`"));
            reader.reject(fault.help(format!("shape = {{ type = \"{kind}\", {key} = ... }}")));
        }
    }
    let direction = |key: &str, direction: &Option<Direction>, reader: &mut Reader<'_>| {
        direction.as_ref().map(|direction| vector(&direction.0, &format!("{path}.{key}"), drawing, reader))
    };
    let center = table.center.as_ref().map(|spot| spot.0.clone());
    let pose = Orientation {
        center: center.clone(),
        axis: direction("axis", &table.axis, reader),
        side: direction("side", &table.side, reader),
    };
    let radius = table.radius.map_or(f64::NAN, |radius| radius.0);
    let length = table.length.map(|length| length.0);
    let thickness = table.thickness.map(|thickness| thickness.0);
    let shape = match *kind {
        "rod" => Shape::Rod { area: table.area.map(|area| area.0) },
        "polygon" | "triangle" => {
            let outline = table.outline.clone().unwrap_or_default();
            let corners = if outline.is_empty() { points.len() } else { outline.len() };
            if *kind == "triangle" && corners != 3 {
                let message = format!("a triangle has three corners, this has {corners}");
                reader.reject(Fault::error(path.clone(), message).help("name the corners with `outline`"));
            }
            Shape::Polygon { outline, thickness }
        }
        "box" => Shape::Box { size: table.size.map_or([f64::NAN; 3], |size| size.0), pose },
        "cylinder" => Shape::Cylinder { radius, length, pose },
        "capsule" => Shape::Capsule { radius, length, pose },
        "disc" => {
            if drawing.dimension == Dimension::Spatial {
                let fault = Fault::error(path.clone(), "a disc is a shape of planar models");
                reader.reject(fault.help("in space: type = \"cylinder\" with radius, length and axis"));
            }
            let pose = Orientation { axis: Some([0.0, 0.0, 1.0]), ..pose };
            Shape::Cylinder { radius, length: thickness, pose }
        }
        "tube" => {
            let inner_radius = match (table.inner_radius, table.wall) {
                (Some(inner), None) => inner.0,
                (None, Some(wall)) => radius - wall.0,
                _ => {
                    let message = "a tube needs either `inner_radius` or `wall`";
                    reader.reject(Fault::error(path.clone(), message));
                    0.0
                }
            };
            Shape::Tube { radius, inner_radius, length, pose }
        }
        _ => Shape::Sphere { radius, center },
    };
    (reader.failures == failures).then_some(shape)
}

/// A direction as a vector in the drawing.
pub(super) fn vector(axis: &Axis, path: &str, drawing: &Drawing, reader: &mut Reader<'_>) -> [f64; 3] {
    /// Where a point could not be decoded, any direction does.
    const ANY: [f64; 3] = [1.0, 0.0, 0.0];
    let (p, q) = match axis {
        Axis::Vector(vector) => return *vector,
        Axis::Points(p, q) => (p, q),
    };
    let mut ends = [ANY; 2];
    for (i, name) in [p, q].into_iter().enumerate() {
        match drawing.positions.get(name) {
            Some(position) => ends[i] = *position,
            None => {
                let help = nearest(name, drawing.positions.keys().map(String::as_str));
                let fault = Fault::error(format!("{path}[{i}]"), format!("there is no point `{name}`"));
                reader.reject(Fault { help, ..fault });
                return ANY;
            }
        }
    }
    let vector = std::array::from_fn(|k| ends[1][k] - ends[0][k]);
    if vector.iter().all(|x: &f64| x.is_finite()) { vector } else { ANY }
}
