//! Decoded tables into a [`Model`].
//!
//! An item at fault becomes a harmless stand-in of the same name: the model then serves to find further
//! faults, and is thrown away.

use super::decode::Reader;
use super::format::{
    BodyEntry, BodyTable, CurveTable, DriverTable, JointTable, MeasureEntry, Root, ShapeTable,
    SimulationTable, SpringTable, TyreTable,
};
use super::values::{AnyFormula, Direction, TyreModel};
use crate::model::expression::quantity::State;
use crate::model::expression::units::Dims;
use crate::model::fault::{nearest, segment};
use crate::model::{
    Amount, Axis, Body, Brush, Couple, Dimension, Driven, Driver, Extend, Fault, Force, Formula, GROUND,
    Inertia, Initial, Interpolation, Joint, JointKind, Mass, Measure, Model, NamedTable, Orientation, Place,
    Point, Settings, Shape, Spring, Table, TableError, Tyre,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What shapes need to know of the drawing.
struct Drawing {
    dimension: Dimension,
    positions: BTreeMap<String, [f64; 3]>,
}

/// Builds the model; structural faults go to the reader.
pub(super) fn build(root: Root, dimension: Dimension, reader: &mut Reader<'_>) -> Model {
    let about = root.model.unwrap_or_default();
    let mut model = Model::empty(about.name.unwrap_or_default(), dimension);
    model.gravity = about.gravity.map_or([0.0; 3], |gravity| gravity.0);
    let entries = |named: Option<super::format::Named<_>>| named.map_or(Vec::new(), |named| named.0);
    for (name, position) in entries(root.points) {
        // not finite where unknown: coincides with nothing
        model.points.push(Point { name, position: position.map_or([f64::NAN; 3], |position| position.0) });
    }
    let positions = model.points.iter().map(|point| (point.name.clone(), point.position)).collect();
    let drawing = Drawing { dimension, positions };
    let bodies = root.bodies.unwrap_or_default();
    model.ground = bodies.ground.and_then(|ground| ground.points).unwrap_or_default();
    model.bodies = bodies.moving.into_iter().map(|entry| body(entry, &drawing, reader)).collect();
    for (name, table) in root.joints.map_or(Vec::new(), |named| named.0) {
        model.joints.push(joint(name, table.unwrap_or_default()));
    }
    for (name, table) in root.springs.map_or(Vec::new(), |named| named.0) {
        model.springs.push(spring(name, table, reader));
    }
    for (name, table) in root.forces.map_or(Vec::new(), |named| named.0) {
        let table = table.unwrap_or_default();
        let force = table.force.map_or([0.0; 3], |force| force.0);
        model.forces.push(Force { name, body: table.body.unwrap_or_default(), at: table.at, force });
    }
    for (name, table) in root.couples.map_or(Vec::new(), |named| named.0) {
        let table = table.unwrap_or_default();
        let moment = table.moment.map_or([0.0; 3], |moment| moment.0);
        model.couples.push(Couple { name, body: table.body.unwrap_or_default(), moment });
    }
    for (name, table) in root.tables.map_or(Vec::new(), |named| named.0) {
        let table = Arc::new(table.and_then(|table| curve(&name, table, reader)).unwrap_or_else(stand_in));
        model.tables.push(NamedTable { name, table });
    }
    for (name, entry) in root.measures.map_or(Vec::new(), |named| named.0) {
        model.measures.push(measure(name, entry, reader));
    }
    for (name, table) in root.drivers.map_or(Vec::new(), |named| named.0) {
        model.drivers.extend(driver(name, table.unwrap_or_default(), reader));
    }
    for (name, table) in root.tyres.map_or(Vec::new(), |named| named.0) {
        model.tyres.push(tyre(name, table.unwrap_or_default(), dimension, reader));
    }
    let initial = root.initial.unwrap_or_default();
    model.initial = Initial {
        velocities: initial.velocities.map_or(Vec::new(), |named| {
            named.0.into_iter().map(|(name, v)| (name, v.map_or([0.0; 3], |v| v.0))).collect()
        }),
        angular_velocities: initial.angular_velocities.map_or(Vec::new(), |named| {
            named.0.into_iter().map(|(name, w)| (name, w.map_or([0.0; 3], |w| w.0))).collect()
        }),
    };
    model.settings = settings(root.simulation.unwrap_or_default());
    model
}

fn settings(table: SimulationTable) -> Settings {
    let default = Settings::default();
    Settings {
        duration: table.duration.map_or(default.duration, |value| value.0),
        output_step: table.output_step.map_or(default.output_step, |value| value.0),
        formulation: table.formulation.map_or(default.formulation, |choice| choice.0),
        integrator: table.integrator.map_or(default.integrator, |choice| choice.0),
        tolerance: table.tolerance.map_or(default.tolerance, |value| value.0),
        step: table.step.map(|value| value.0),
        projection: table.projection,
        max_steps: table.max_steps.map_or(default.max_steps, |count| count.0),
    }
}

fn joint(name: String, table: JointTable) -> Joint {
    // without a kind nobody knows which of these belong
    let kind = table.r#type.map(|choice| choice.0);
    let direction = |key: Option<Direction>| key.filter(|_| kind.is_some()).map(|direction| direction.0);
    let (axis, axis2) = (direction(table.axis), direction(table.axis2));
    Joint {
        name,
        kind: kind.unwrap_or(JointKind::Fixed),
        bodies: table.bodies.map_or_else(Default::default, |two| two.0),
        at: table.at.map_or_else(Default::default, |at| at.0),
        axis,
        axis2,
        length: table.length.filter(|_| kind.is_some()).map(|length| length.0),
        cut: table.cut.unwrap_or(false),
    }
}

/// Nothing if it does not say what it drives: that has been told then.
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
        if let State::Known(found) = dims
            && found != Dims::new(1, 0, 0)
        {
            let message = format!("expected {}, found {found}", Dims::new(1, 0, 0));
            refuse(".value", &message, "the position of the point");
        }
        Driven::Point { point, component: component.0.0 }
    } else {
        Driven::Body {
            body: table.body.unwrap_or_default(),
            against: table.against.unwrap_or_else(|| GROUND.into()),
            axis: table.axis.map(|direction| direction.0),
        }
    };
    Some(Driver { name, of, value })
}

fn spring(name: String, table: Option<SpringTable>, reader: &mut Reader<'_>) -> Spring {
    let path = format!("springs.{}", segment(&name));
    if let Some(SpringTable { stiffness: None, damping: None, .. }) = table
        && !reader.broken.iter().any(|broken| broken.starts_with(&path))
    {
        let fault = Fault::error(path, "a spring needs a `stiffness` or a `damping`");
        reader.reject(fault.help("stiffness in N/m, damping in N s/m"));
    }
    let table = table.unwrap_or_default();
    Spring {
        name,
        between: table.between.map_or_else(Default::default, |two| two.0),
        stiffness: table.stiffness.map_or(0.0, |value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        free_length: table.free_length.map(|value| value.0),
    }
}

fn tyre(name: String, table: TyreTable, dimension: Dimension, reader: &mut Reader<'_>) -> Tyre {
    let path = format!("tyres.{}", segment(&name));
    let grips = table.model.is_some_and(|choice| choice.0 == TyreModel::Brush);
    let planar = dimension == Dimension::Planar;
    let slip_stiffness = table.slip_stiffness.map(|value| value.0);
    let cornering_stiffness = table.cornering_stiffness.map(|value| value.0);
    let friction = table.friction.map(|value| value.0);
    let rolling_resistance = table.rolling_resistance.map(|value| value.0);
    let slip_speed = table.slip_speed.map(|value| value.0);
    let keys = [
        ("slip_stiffness", slip_stiffness, true),
        ("cornering_stiffness", cornering_stiffness, !planar),
        ("friction", friction, true),
        ("rolling_resistance", rolling_resistance, false),
        ("slip_speed", slip_speed, false),
    ];
    for (key, value, needed) in keys {
        let at = format!("{path}.{key}");
        if value.is_some() && !grips {
            let fault = Fault::error(at, format!("a radial tyre has no `{key}`"));
            reader.reject(fault.help("model = \"brush\" makes the tyre grip the road"));
        } else if value.is_some() && planar && key == "cornering_stiffness" {
            reader.reject(Fault::error(at, "in the plane no tyre slips sideways: remove it"));
        } else if grips && needed && value.is_none() && !reader.broken.contains(&at) {
            reader.reject(Fault::error(path.clone(), format!("a brush tyre needs `{key}`")));
        }
    }
    let brush = grips.then(|| Brush {
        slip_stiffness: slip_stiffness.unwrap_or(0.0),
        cornering_stiffness: cornering_stiffness.unwrap_or(0.0),
        friction: friction.unwrap_or(0.0),
        rolling_resistance: rolling_resistance.unwrap_or(0.0),
        slip_speed: slip_speed.unwrap_or(Brush::SLIP_SPEED),
    });
    Tyre {
        name,
        body: table.body.unwrap_or_default(),
        centre: table.centre.unwrap_or_default(),
        axis: table.axis.map(|direction| direction.0),
        radius: table.radius.map_or(1.0, |value| value.0),
        stiffness: table.stiffness.map_or(1.0, |value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        brush,
        road: table.road.map_or(Formula::constant(0.0), |road| road.0),
    }
}

/// A curve in place of one at fault.
fn stand_in() -> Table {
    let line = Table::new([0.0, 1.0], [0.0, 0.0], Interpolation::Linear, Extend::Hold);
    line.unwrap_or_else(|_| unreachable!("two points make a line"))
}

fn curve(name: &str, table: CurveTable, reader: &mut Reader<'_>) -> Option<Table> {
    let path = format!("tables.{}", segment(name));
    if reader.broken.iter().any(|broken| super::within(broken, &path)) {
        return None;
    }
    let pairs = table.points.is_some();
    let (x, y) = match (table.x, table.y, table.points) {
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
        if let Some(AnyFormula(_, State::Known(found))) = table.value
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
    // a stand-in that no check objects to
    let mass = mass.unwrap_or_else(|| {
        let inertia = match drawing.dimension {
            Dimension::Planar => Inertia::Polar(1.0),
            Dimension::Spatial => Inertia::Matrix([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        };
        Mass::Given { mass: 1.0, com: Place::At([0.0; 3]), inertia }
    });
    Body { name: entry.name, points, mass, length: table.length.map(|length| length.0) }
}

fn mass(
    table: &BodyTable,
    points: &[String],
    path: &str,
    drawing: &Drawing,
    reader: &mut Reader<'_>,
) -> Option<Mass> {
    let fault = |key: &str, message: &str| Fault::error(format!("{path}{key}"), message);
    let fault = match (&table.shape, &table.com, table.inertia) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
            fault(".shape", "a shape has its own centre and inertia")
                .help("give either `shape`, or `com` and `inertia`")
        }
        (_, Some(_), None) => fault(".com", "`com` needs `inertia` beside it")
            .help("inertia = about the centre of mass in kg m^2; or give a `shape` instead of both"),
        (_, None, Some(_)) => fault(".inertia", "`inertia` needs `com` beside it")
            .help("com = [..] or the name of a point: the centre of mass as drawn"),
        (None, Some(com), Some(inertia)) => match (table.mass, table.density) {
            (Some(mass), None) => {
                return Some(Mass::Given { mass: mass.0, com: com.0.clone(), inertia: inertia.0 });
            }
            (_, Some(_)) => fault(".density", "a density needs a `shape`").help("give the `mass` instead"),
            (None, None) => fault("", "`mass` is missing"),
        },
        (shape, None, None) => match (table.mass, table.density) {
            (Some(_), Some(_)) => {
                fault(".density", "`mass` and `density` are both given").help("keep one of the two")
            }
            (None, None) => fault("", "the body has no mass")
                .help("give `mass` in kg, or `density` in kg/m^3 with a `shape`"),
            (mass, density) => {
                let amount = match (mass, density) {
                    (Some(mass), _) => Amount::Mass(mass.0),
                    (_, Some(density)) => Amount::Density(density.0),
                    _ => unreachable!("one of the two is given"),
                };
                match (shape, points.len()) {
                    (Some(shape), _) => {
                        return self::shape(&shape.0, points, path, drawing, reader)
                            .map(|shape| Mass::Shape(shape, amount));
                    }
                    (None, 2) => return Some(Mass::Shape(Shape::Rod { area: None }, amount)),
                    (None, n) => {
                        let holds = match n {
                            0 => "no points".into(),
                            1 => "one point".into(),
                            n => format!("{n} points"),
                        };
                        let choices = "give a `shape` (such as \"polygon\", or a table with type = \"cylinder\", \"box\", \"sphere\"), \
                                       or `com` and `inertia`; only a body of two points is a rod by itself";
                        fault("", &format!("a body of {holds} needs to be told how its mass is spread"))
                            .help(choices)
                    }
                }
            }
        },
    };
    reader.reject(fault);
    None
}

/// The keys of each shape. The first name is proper, `triangle` and `disc` are special cases.
const SHAPES: [(&str, &[&str]); 8] = [
    ("rod", &["area"]),
    ("polygon", &["outline", "thickness"]),
    ("triangle", &["outline", "thickness"]),
    ("box", &["size", "center", "axis", "side"]),
    ("cylinder", &["radius", "length", "center", "axis"]),
    ("disc", &["radius", "thickness", "center"]),
    ("tube", &["radius", "inner_radius", "wall", "length", "center", "axis"]),
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
        "cylinder" | "disc" | "tube" | "sphere" => &["radius"],
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
fn vector(axis: &Axis, path: &str, drawing: &Drawing, reader: &mut Reader<'_>) -> [f64; 3] {
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
