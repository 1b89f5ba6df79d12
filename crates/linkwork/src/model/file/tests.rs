//! Whole files: what they become, and what is reported of defective ones.

use super::*;
use crate::expressions;
use crate::joints::Prismatic;
use crate::model::{
    Amount, Axis, Body, Extend, Formula, Formulation, Inertia, Integrator, Interpolation, Joint, Mass,
    Measure, Orientation, ParameterRange, Place, Settings, Shape, Spring, Table,
};
use proptest::prelude::*;
use std::f64::consts::PI;

const FOUR_BAR: &str = r#"
format = 1

[model]
name = "four-bar linkage"
dimension = 2
gravity = [0, -9.81]

[points]                 # the mechanism as drawn, metres
A = [0, 0]
B = [0, 1]
C = [2, 2]
D = [2, 0]

[bodies]
ground  = { points = ["A", "D"] }
crank   = { points = ["A", "B"], mass = 1.0 }        # a uniform rod, unless set otherwise
coupler = { points = ["B", "C"], mass = 2.0 }
rocker  = { points = ["C", "D"], mass = 1.5 }

[simulation]
duration = 10
output_step = 0.01
"#;

/// Uses every table and every kind of value.
const SLIDER: &str = r#"
format = 1
model = { name = "slider", dimension = 2, gravity = "-y" }

[parameters]
r = "l / 3"
l = "300 mm"
phi = "30 deg"
m = 2

[points]
O = [0, 0]
A = ["r * cos(phi)", "r * sin(phi)"]
B = ["r * cos(phi) + sqrt(l^2 - (r * sin(phi))^2)", 0]
"S'" = [1, 0]

[bodies]
ground = { points = ["O", "S'"] }
rod = { points = ["A", "B"], mass = "m / 4", length = "l" }

[bodies.crank]
points = ["O", "A"]
density = "7850 kg/m^3"
shape = { type = "disc", radius = "80 mm", thickness = "1 cm", center = "O" }

[bodies.slider]
points = ["B"]
mass = "500 g"
com = "B"
inertia = "1.2e-3 kg m^2"

[joints.guide]
type = "slide"
bodies = ["ground", "slider"]
at = ["S'", "B"]
axis = ["O", "S'"]

[springs.return]
between = ["B", "S'"]
stiffness = "0.25 N/mm"
damping = "3 N s/m"
free_length = 0.4

[forces.push]
body = "slider"
at = "B"
force = ["-1 kN", 0]

[couples.motor]
body = "crank"
moment = "3 N m"

[tables]
rise = { x = [0, "90 deg", "180 deg"], y = [0, "8 mm", 0.01], interpolation = "monotone", extend = "linear" }
beat = { points = [[0, 1], ["m / 4", 3], [1, 1]], interpolation = "periodic" }

[measures]
lift = "rise(joint.O.q)"
power = { value = "-spring.return.force * spring.return.rate * beat(t)", unit = "kW" }
"what is left" = "5 kJ - work"
work = "2 * l * lift * point.`S'`.x"

[initial.velocities]
B = ["-1 cm/s", 0]

[initial.angular_velocities]
crank = "1500 rpm"

[simulation]
duration = "1 min"
output_step = "5 ms"
formulation = "newton-euler"
integrator = "rk4"
tolerance = 1e-8
step = "1 ms"
projection = false
impact = "simultaneous"
max_steps = 1000000
"#;

fn accept(text: &str) -> Model {
    Model::parse("model.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn refuse(file: &str, contents: impl AsRef<[u8]>) -> Faults {
    match Model::parse(file, contents) {
        Err(Error::Model(faults)) => faults,
        other => panic!("{other:?}"),
    }
}

fn same(a: &Model, b: &Model) -> bool {
    let plain = |model: &Model| format!("{:?}", Model { provenance: None, ..model.clone() });
    plain(a) == plain(b)
}

/// The builder says the same as the file.
#[test]
fn cross_four_bar_from_file_and_builder() {
    let built = Model::planar("four-bar linkage")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [2.0, 2.0])
        .point("D", [2.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5));
    assert!(same(&accept(FOUR_BAR), &built));
}

#[test]
fn exact_every_table_is_read() {
    let model = accept(SLIDER);
    let (r, l, phi) = (0.1, 0.3, 30f64.to_radians());
    let x_a = r * phi.cos();
    let expected_b: f64 = x_a + (l * l - (r * phi.sin()).powi(2)).sqrt();
    // a few roundings of the unit factors
    assert!((model.points[1].position[0] - x_a).abs() < 1e-15);
    assert!((model.points[2].position[0] - expected_b).abs() < 1e-15);
    assert_eq!(model.gravity, [0.0, -9.81, 0.0]);
    assert_eq!(model.ground, ["O", "S'"]);
    let rod = Mass::Shape(Shape::Rod { area: None }, Amount::Mass(0.5));
    assert_eq!((&model.bodies[0].mass, model.bodies[0].length), (&rod, Some(0.3)));
    let pose = Orientation { center: Some("O".into()), axis: Some([0.0, 0.0, 1.0]), side: None };
    let disc = Shape::Cylinder { radius: 0.08, length: Some(0.01), pose };
    assert_eq!(model.bodies[1].mass, Mass::Shape(disc, Amount::Density(7850.0)));
    let given = Mass::Given { mass: 0.5, com: Place::Point("B".into()), inertia: Inertia::Polar(1.2e-3) };
    assert_eq!(model.bodies[2].mass, given);
    let guide = Joint::between(
        "guide",
        Prismatic { axis: Axis::Points("O".into(), "S'".into()) },
        ["ground", "slider"],
        ["S'", "B"],
    );
    assert_eq!(model.joints, [guide]);
    assert_eq!(model.springs, [Spring::new("return", ["B", "S'"], 250.0).damping(3.0).free_length(0.4)]);
    assert_eq!(model.forces[0].constant(), Some([-1000.0, 0.0, 0.0]));
    assert_eq!(model.couples[0].constant(), Some([0.0, 0.0, 3.0]));
    let rise = Table::new([0.0, 0.5 * PI, PI], [0.0, 0.008, 0.01], Interpolation::Monotone, Extend::Linear);
    assert_eq!((model.tables[0].name.as_str(), &*model.tables[0].table), ("rise", &rise.unwrap()));
    assert_eq!(model.tables[1].table.x(), [0.0, 0.5, 1.0]);
    let [lift, power, left, work] = &model.measures[..] else { panic!("{:?}", model.measures) };
    assert_eq!(lift, &Measure::new("lift", Formula::parse("rise(joint.O.q)").unwrap()));
    assert_eq!((power.unit.as_deref(), power.unit_size()), (Some("kW"), Some(1e3)));
    assert_eq!(left.value.eval(&[2000.0], &mut Vec::new()), 3000.0);
    // the parameter is folded in
    assert_eq!(work.value.references().len(), 2);
    assert!((work.value.eval(&[3.0, 10.0], &mut Vec::new()) - 18.0).abs() < 1e-14);
    assert_eq!(model.measure_order(), [0, 1, 3, 2]);
    assert_eq!(model.initial.velocities, [("B".to_owned(), [-0.01, 0.0, 0.0])]);
    let (_, w) = &model.initial.angular_velocities[0];
    assert!((w[2] - 50.0 * std::f64::consts::PI).abs() < 1e-13);
    let settings = Settings {
        duration: 60.0,
        output_step: 5e-3,
        initial: crate::model::InitialState::Given,
        formulation: Formulation::NewtonEuler,
        integrator: Integrator::Rk4,
        order: None,
        tolerance: 1e-8,
        step: Some(1e-3),
        spectral_radius: None,
        projection: Some(false),
        contact_method: crate::model::ContactMethod::Auto,
        impact: crate::model::ImpactLaw::Simultaneous,
        sleep: None,
        sleep_speed: None,
        max_step: None,
        max_steps: 1_000_000,
        stop: Vec::new(),
    };
    assert_eq!(model.settings, settings);
}

#[test]
fn exact_spatial_shapes_are_read() {
    let model = accept(
        r#"
        format = 1
        [points]
        O = [0, 0, 0]
        P = [1, 0, 0]
        Q = [0, 1, 0]
        [bodies]
        ground.points = ["O"]
        tube = { points = ["O", "P"], density = 7850, shape = { type = "tube", radius = 0.1, wall = "0.02" } }
        plate = { points = ["O", "P", "Q"], mass = 1, shape = "triangle" }
        block = { points = ["O"], mass = 1, shape = { type = "box", size = [1, 2, 3], axis = ["O", "Q"], side = [1, 0, 0] } }
        ball = { points = ["P"], mass = 1, shape = { type = "sphere", radius = 1, center = [1, 1, 1] } }
        free = { points = ["Q"], mass = 1, com = [0, 1, 1], inertia = [1, 2, 3] }
        "#,
    );
    assert_eq!(model.dimension, Dimension::Spatial);
    let shape = |i: usize| match &model.bodies[i].mass {
        Mass::Shape(shape, _) => shape.clone(),
        other => panic!("{other:?}"),
    };
    let pose = Orientation::default();
    assert_eq!(
        shape(0),
        Shape::Tube { radius: 0.1, inner_radius: 0.1 - 0.02, length: None, pose: pose.clone() }
    );
    assert_eq!(shape(1), Shape::Polygon { outline: vec![], thickness: None });
    let pose = Orientation { axis: Some([0.0, 1.0, 0.0]), side: Some([1.0, 0.0, 0.0]), ..pose };
    assert_eq!(shape(2), Shape::Box { size: [1.0, 2.0, 3.0], pose });
    assert_eq!(shape(3), Shape::Sphere { radius: 1.0, center: Some(Place::At([1.0; 3])) });
}

/// The same model in both syntaxes, over serde's reading of the TOML.
#[test]
fn same_model_from_toml_and_json() {
    for text in [FOUR_BAR, SLIDER] {
        let value: serde_json::Value = ::toml::from_str(text).unwrap();
        let json = serde_json::to_string_pretty(&value).unwrap();
        // serde sorts the keys
        let sort = |mut model: Model| {
            model.points.sort_by(|a, b| a.name.cmp(&b.name));
            model.bodies.sort_by(|a, b| a.name.cmp(&b.name));
            model.tables.sort_by(|a, b| a.name.cmp(&b.name));
            model.measures.sort_by(|a, b| a.name.cmp(&b.name));
            model
        };
        let from_json = Model::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
        assert!(same(&sort(accept(text)), &sort(from_json)));
    }
}

#[test]
fn exact_provenance_knows_every_item() {
    let model = accept(SLIDER);
    let provenance = model.provenance.unwrap();
    for (path, text) in [
        ("bodies.crank.points[1]", "\"A\""),
        ("points.A", r#"["r * cos(phi)", "r * sin(phi)"]"#),
        ("points.\"S'\"", "[1, 0]"),
        ("simulation.tolerance", "1e-8"),
        ("bodies.crank", "crank"),
        ("bodies.rod", "rod"),
        ("bodies.crank.shape.radius", "\"80 mm\""),
        ("joints.guide.axis[1]", "\"S'\""),
        ("parameters.l", "\"300 mm\""),
        ("initial.velocities.B[0]", "\"-1 cm/s\""),
    ] {
        let span = provenance.spans.get(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(&provenance.text[span.clone()], text, "{path}");
    }
}

#[test]
fn exact_locks_limits_and_stops_are_read() {
    let text = r#"
        format = 1
        model = { dimension = 2 }
        points = { A = [0, 0], B = [1, 0] }
        parameters = { latest = "2 s" }
        [bodies]
        ground.points = ["A"]
        arm = { points = ["A", "B"], mass = 1 }
        [joints.A]
        type = "revolute"
        bodies = ["ground", "arm"]
        at = "A"
        impact_limits = { range = ["-30 deg", "90 deg"], restitution = 0.5 }
        [locks]
        brake = { joint = "A", when = "joint.A.q > 45 deg and t < latest", until = "latest + 1 s" }
        [simulation]
        stop = ["point.B.y > 0.9", "joint.A.force.y < -100"]
    "#;
    let model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"));
    let limit = &model.joints[0].impact_limits[0];
    assert_eq!((limit.coordinate, limit.restitution), (1, 0.5));
    assert!((limit.range[0] + PI / 6.0).abs() < 1e-15 && (limit.range[1] - PI / 2.0).abs() < 1e-15);
    let lock = &model.locks[0];
    assert_eq!((lock.joint.as_str(), lock.coordinate, lock.from, lock.until), ("A", None, None, Some(3.0)));
    assert_eq!(lock.when.as_ref().unwrap().references().len(), 2, "the parameter is folded in");
    assert!(lock.release.is_none() && !lock.starts_closed());
    assert_eq!(model.settings.stop.len(), 2);
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
}

/// A defect: text to replace in the four-bar linkage, its replacement, where the fault is reported, a word of it.
#[test]
#[rustfmt::skip]
fn exact_defective_files_are_told_where_and_why() {
    let defects = [
        ("format = 1", "format = 2", "format", "format = 1"),
        ("format = 1", "format = 1\ndrivers.d = { joint = \"A\" }", "drivers.d", "`value` is missing"),
        ("format = 1", "format = 1\ndrivers.d = { value = \"t\" }", "drivers.d", "drives nothing"),
        ("format = 1", "format = 1\ndrivers.d = { joint = \"A\", value = \"point.A.x\" }", "drivers.d.value", "of filtered inputs alone"),
        ("format = 1", "format = 1\ndrivers.d = { joint = \"A\", component = \"x\", value = \"t\" }", "drivers.d.component", "belongs to a point"),
        ("format = 1", "format = 1\nlocks.l = { from = 1 }", "locks.l", "`joint` is missing"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", from = 2, until = 1 }", "locks.l.until", "before it engages"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", from = \"2 m\" }", "locks.l.from", "expected a time"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", from = -1 }", "locks.l.from", "must not be negative"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", when = \"1 > 2\" }", "locks.l.when", "always false"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", when = true }", "locks.l.when", "a condition in quotes"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", when = \"3 mm\" }", "locks.l.when", "true or false, this is a length"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", release = \"point.X.y > 0\" }", "locks.l.release", "no point `X`"),
        ("format = 1", "format = 1\nlocks.l = { joint = \"A\", coordinate = 0 }", "locks.l.coordinate", "one or more"),
        ("[simulation]", "[simulation]\nstop = \"hight > 1\"", "simulation.stop", "unknown name `hight`"),
        ("[simulation]", "[simulation]\nstop = [\"t > 1\", \"t > \"]", "simulation.stop[1]", "ends"),
        ("format = 1", "format = 1\njoints.A = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", impact_limits = { range = [1, 0], restitution = 0.5 } }", "joints.A.impact_limits", "not below"),
        ("format = 1", "format = 1\njoints.A = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", impact_limits = { range = [0, 1], restitution = 2 } }", "joints.A.impact_limits", "from 0 to 1"),
        ("format = 1", "format = 1\njoints.A = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", impact_limits = { range = [0], restitution = 1 } }", "joints.A.impact_limits.range", "expected two numbers"),
        ("format = 1", "format = 1\njoints.A = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", impact_limits = { range = [\"1 m\", \"2 m\"], restitution = 1 } }", "joints.A.impact_limits.range", "found a length"),
        ("format = 1", "format = 1\njoints.A = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", impact_limits = [{ range = [0, 1], restitution = 1 }, { range = [0, 1], restitution = 1, coordinate = 1 }] }", "joints.A.impact_limits", "limits twice"),
        ("format = 1", "format = 1\ncontacts.c = { between = 3 }", "contacts.c.between", "two surfaces"),
        ("format = 1", "format = 1\n[contacts.c]", "contacts.c", "does not say what meets"),
        ("format = 1", "format = 1\ncontacts.c = { between = [\"x\"] }", "contacts.c.between", "expected two surfaces"),
        ("format = 1", "format = 1\ncontacts.c = { between = [\"x\", \"floor\"] }\nsurfaces.floor = { type = \"plane\", normal = [0, 1] }", "contacts.c.between[0]", "no surface or body `x`"),
        ("format = 1", "format = 1\ncontacts.c = { among = [\"floor\"] }\nsurfaces.floor = { type = \"plane\", normal = [0, 1] }", "contacts.c.among", "two surfaces or more"),
        ("format = 1", "format = 1\ncontacts.c = { between = [\"crank\", \"floor\"] }\nsurfaces.floor = { type = \"plane\", normal = [0, 1] }", "contacts.c.between[0]", "is a rod, which cannot touch"),
        ("format = 1", "format = 1\ncontacts.c = { between = [\"tip\", \"floor\"], restitution = 2 }\nsurfaces.floor = { type = \"plane\", normal = [0, 1] }\nsurfaces.tip = { type = \"point\", at = \"B\", body = \"crank\" }", "contacts.c.restitution", "from 0 to 1"),
        ("format = 1", "format = 1\nsurfaces.tip = { type = \"point\", at = \"B\" }", "surfaces.tip.at", "not a point of `ground`"),
        ("format = 1", "format = 1\nsurfaces.tip = { type = \"point\", at = \"B\", radius = 1 }", "surfaces.tip.radius", "a point has no `radius`"),
        ("format = 1", "format = 1\nsurfaces.b = { type = \"ball\" }", "surfaces.b.type", "unknown type of surface `ball`"),
        ("format = 1", "format = 1\nsurfaces.b = { type = \"box\", size = [1, 1] }", "surfaces.b", "needs its `center`"),
        ("format = 1", "format = 1\nsurfaces.b = { type = \"sphere\", body = \"crank\" }", "surfaces.b", "needs `radius`"),
        ("format = 1", "format = 1\nsurfaces.crank = { type = \"point\", at = [0, 0] }", "surfaces.crank", "name of a body, too"),
        ("format = 1", "format = 1\nsurfaces.f = { type = \"plane\", normal = [0, 0] }", "surfaces.f.normal", "no direction"),
        ("[simulation]", "[simulaton]", "simulaton", "unknown key"),
        ("mass = 1.0", "mas = 1.0", "bodies.crank.mas", "unknown key"),
        ("mass = 1.0", "mass = true", "bodies.crank.mass", "found true or false"),
        ("mass = 1.0", "mass = 'x'", "bodies.crank.mass", "unknown name `x`"),
        ("mass = 1.0", "mass = '3 mm'", "bodies.crank.mass", "expected a mass (kg), found a length (m)"),
        ("mass = 1.0", "mass = '1 +'", "bodies.crank.mass", "ends"),
        ("mass = 1.0", "mass = '1 / 0'", "bodies.crank.mass", "infinite"),
        ("mass = 1.0", "mass = inf", "bodies.crank.mass", "not finite"),
        ("mass = 1.0", "mass = nan", "bodies.crank.mass", "not finite"),
        ("mass = 1.0", "mass = 1e400", "bodies.crank.mass", "not finite"),
        ("mass = 1.0", "mass = -1", "bodies.crank.mass", "negative"),
        ("mass = 1.0", "mass = 1979-05-27", "bodies.crank.mass", "a date"),
        (", mass = 1.0", "", "bodies.crank", "no mass"),
        ("mass = 1.0", "mass = 1, density = 2", "bodies.crank.density", "both"),
        ("mass = 1.0", "density = 2", "bodies.crank.density", "area"),
        ("mass = 1.0", "mass = 1, com = 'A'", "bodies.crank.com", "needs `inertia`"),
        ("mass = 1.0", "mass = 1, inertia = 2", "bodies.crank.inertia", "needs `com`"),
        ("mass = 1.0", "mass = 1, com = 'A', inertia = [1, 2]", "bodies.crank.inertia", "found 2 numbers"),
        ("mass = 1.0", "mass = 1, com = 'A', inertia = [1, 2, 3]", "bodies.crank.inertia", "plane"),
        ("mass = 1.0", "mass = 1, com = 'A', inertia = 1, shape = 'rod'", "bodies.crank.shape", "own"),
        ("mass = 1.0", "mass = 1, com = 'X', inertia = 1", "bodies.crank.com", "no point `X`"),
        ("mass = 1.0", "mass = 1, shape = 'rode'", "bodies.crank.shape", "unknown shape"),
        ("mass = 1.0", "mass = 1, shape = { type = 'rode' }", "bodies.crank.shape.type", "unknown shape"),
        ("mass = 1.0", "mass = 1, shape = { radius = 1 }", "bodies.crank.shape", "`type` is missing"),
        ("mass = 1.0", "mass = 1, shape = 3", "bodies.crank.shape", "found a number"),
        ("mass = 1.0", "mass = 1, shape = 'sphere'", "bodies.crank.shape", "needs `radius`"),
        ("mass = 1.0", "mass = 1, shape = { type = 'sphere', radius = 1, length = 2 }", "bodies.crank.shape.length", "has no `length`"),
        ("mass = 1.0", "mass = 1, shape = { type = 'tube', radius = 1 }", "bodies.crank.shape", "`wall`"),
        ("mass = 1.0", "mass = 1, shape = { type = 'tube', radius = 1, inner_radius = 2 }", "bodies.crank.shape.inner_radius", "smaller"),
        ("mass = 1.0", "mass = 1, shape = { type = 'cylinder', radius = 1, axis = ['A', 'X'] }", "bodies.crank.shape.axis[1]", "no point `X`"),
        ("mass = 1.0", "mass = 1, shape = 'triangle'", "bodies.crank.shape", "three corners"),
        ("mass = 1.0", "mass = 1, length = '0 m'", "bodies.crank.length", "more than zero"),
        (r#"["A", "B"]"#, r#"["A", "X"]"#, "bodies.crank.points[1]", "no point `X`"),
        (r#"["A", "B"]"#, r#"["A", 3]"#, "bodies.crank.points[1]", "expected a string"),
        (r#"["A", "B"]"#, r#""A""#, "bodies.crank.points", "expected a list"),
        (r#"["A", "B"]"#, r#"["A", "B", "C"]"#, "bodies.crank", "how its mass is spread"),
        (r#"["A", "B"], mass"#, r#"["A"], density"#, "bodies.crank", "how its mass is spread"),
        (r#"points = ["A", "B"], "#, "", "bodies.crank", "`points` is missing"),
        (r#"{ points = ["A", "D"] }"#, r#"{ points = ["A", "D"], mass = 1 }"#, "bodies.ground.mass", "unknown key"),
        ("B = [0, 1]", "B = [0, 1, 0]", "points.B", "planar"),
        ("B = [0, 1]", "B = [0]", "points.B", "two numbers"),
        ("B = [0, 1]", "B = 3", "points.B", "expected a list"),
        ("B = [0, 1]", "B = [0, '1 kg']", "points.B[1]", "expected a length (m), found a mass (kg)"),
        ("B = [0, 1]", "B = [0, 0]", "bodies.crank.points", "length zero"),
        ("D = [2, 0]", "D = [2, 0]\nE = [1, 1]", "points.E", "no body holds"),
        ("D = [2, 0]", "D = [2, 0]\nD = [1, 1]", "", "twice"),
        ("dimension = 2", "dimension = 4", "model.dimension", "2 (in the x, y plane) or 3"),
        ("dimension = 2", "dimension = 3", "points.A", "three numbers"),
        ("dimension = 2\ngravity = [0, -9.81]\n\n[points] ", "\n[points]\nE = [0, 0, 0]\n#", "points.E", "expected two numbers [x, y]"),
        ("gravity = [0, -9.81]", "gravity = 'down'", "model.gravity", "\"-y\""),
        ("gravity = [0, -9.81]", "gravity = '-z'", "model.gravity", "planar"),
        ("gravity = [0, -9.81]", "gravity = [0, '9.81 m/s']", "model.gravity[1]", "acceleration"),
        ("duration = 10", "duration = '10 m'", "simulation.duration", "a time (s)"),
        ("duration = 10", "duration = 0", "simulation.duration", "more than zero"),
        ("duration = 10", "integrator = 'rk5'", "simulation.integrator", "unknown integrator"),
        ("duration = 10", "max_steps = 1.5", "simulation.max_steps", "whole number"),
        ("duration = 10", "projection = 1", "simulation.projection", "true or false"),
        ("duration = 10", "tolerance = 1", "simulation.tolerance", "at most"),
        ("duration = 10", "duration = ", "", "TOML syntax"),
        ("[simulation]", "[parameters]\na = 'b'\nb = 'c + a'\nc = 1\n[simulation]", "parameters.a", "a -> b -> a"),
        ("[simulation]", "[parameters]\na-b = 1\n[simulation]", "parameters.a-b", "parameter name"),
        ("[simulation]", "[parameters]\npi = 1\n[simulation]", "parameters.pi", "built in"),
        ("[simulation]", "[parameters]\nlength = 1\nx = '2 * lenght'\n[simulation]", "parameters.x", "unknown name `lenght`"),
        ("[simulation]", "[joints.J]\ntype = 'hing'\nbodies = ['crank', 'coupler']\nat = 'B'\n[simulation]", "joints.J.type", "unknown type"),
        ("[simulation]", "[joints.J]\ntype = 'hinge'\nbodies = ['crank']\nat = 'B'\n[simulation]", "joints.J.bodies", "two names"),
        ("[simulation]", "[joints.J]\ntype = 'slide'\nbodies = ['crank', 'coupler']\nat = 'B'\naxis = [1]\n[simulation]", "joints.J.axis", "found 1"),
        ("[simulation]", "[joints.J]\ntype = 'hinge'\nbodies = ['crank', 'coupler']\n[simulation]", "joints.J", "`at` is missing"),
        ("[simulation]", "[joints.J]\ntype = 'rod'\nbodies = ['crank', 'rocker']\nat = ['B', 'C']\nlength = '2 kg'\n[simulation]", "joints.J.length", "a length (m)"),
        ("[simulation]", "[joints.J]\ntype = 'rod'\nbodies = ['crank', 'rocker']\nat = ['B', 'C']\nlength = 0\n[simulation]", "joints.J.length", "more than zero"),
        ("[simulation]", "[joints.J]\ntype = 'free'\nbodies = ['crank', 'rocker']\nat = 'C'\naxis2 = [1, 0]\n[simulation]", "joints.J.axis2", "has no `axis2`"),
        ("[simulation]", "[joints.J]\ntype = 'hinge'\nbodies = ['crank', 'rocker']\nat = 'C'\npitch = 1\n[simulation]", "joints.J.pitch", "a revolute joint has no `pitch`"),
        ("[simulation]", "[joints.J]\ntype = 'slide'\nbodies = ['crank', 'rocker']\nat = 'C'\n[simulation]", "joints.J.axis", "a prismatic joint needs an `axis`"),
        ("[simulation]", "[joints.J]\ntype = 'slide'\nbodies = ['crank', 'rocker']\nat = 'C'\naxs = [1, 0]\n[simulation]", "joints.J.axs", "unknown key `axs`"),
        ("[simulation]", "[joints.J]\ntype = 'rolling'\nbodies = ['crank', 'rocker']\nat = ['B', 'C']\naxis = [1, 0]\nradius = -1\n[simulation]", "joints.J.radius", "more than zero"),
        ("[simulation]", "[joints.J]\ntype = 'gear'\nbodies = ['crank', 'rocker']\nat = 'C'\ncarrier = 'crank'\n[simulation]", "joints.J.carrier", "its own bearing"),
        ("[simulation]", "[joints.J]\ntype = 'cam'\nbodies = ['crank', 'rocker']\nat = 'C'\n[simulation]", "joints.J.curve", "a point-on-curve joint needs a `curve`"),
        ("[simulation]", "[joints.J]\ntype = 'hooke'\nbodies = ['crank', 'rocker']\nat = 'C'\n[simulation]", "joints.J.type", "space only"),
        ("[simulation]", "[springs.S]\nbetween = ['A', 'C']\n[simulation]", "springs.S", "stiffness"),
        ("[simulation]", "[springs.S]\nbetween = ['A', 'C']\nstiffness = '3 N'\n[simulation]", "springs.S.stiffness", "found a force (N)"),
        ("[simulation]", "[forces.F]\nbody = 'crank'\nforce = 3\n[simulation]", "forces.F.force", "list"),
        ("[simulation]", "[couples.M]\nbody = 'crank'\nmoment = [0, 0, 1]\n[simulation]", "couples.M.moment", "one number"),
        ("[simulation]", "[initial.velocities]\nX = [0, 0]\n[simulation]", "initial.velocities.X", "no point `X`"),
        ("[simulation]", "[initial]\nvelocity = 1\n[simulation]", "initial.velocity", "unknown key"),
        ("mass = 1.0", "mass = 1.0, length = 't'", "bodies.crank.length", "only during the run"),
        ("mass = 1.0", "mass = '2 * point.A.x'", "bodies.crank.mass", "may depend on the time `t` only"),
        ("mass = 1.0", "mass = 'distance(A, B)'", "bodies.crank.mass", "may depend on the time `t` only"),
        ("mass = 1.0", "mass = 1.0, length = 'sinn(2)'", "bodies.crank.length", "no function `sinn`"),
        ("[simulation]", "[parameters]\nt = 1\n[simulation]", "parameters.t", "the time"),
        ("[simulation]", "[parameters]\nand = 1\n[simulation]", "parameters.and", "built in"),
        ("[simulation]", "[parameters]\na = 'point.A.x'\n[simulation]", "parameters.a", "only during the run"),
        ("[simulation]", "[parameters]\na = 'b(2)'\n[simulation]", "parameters.a", "no function `b`"),
        ("[simulation]", "[measures]\na = 'point.Z.x'\n[simulation]", "measures.a", "no point `Z`"),
        ("[simulation]", "[measures]\na = { value = 'point.Z.x' }\n[simulation]", "measures.a.value", "no point `Z`"),
        ("[simulation]", "[measures]\na = 'speed(Z)'\n[simulation]", "measures.a", "no point `Z`"),
        ("[simulation]", "[measures]\na = 'joint.Z.q'\n[simulation]", "measures.a", "no joint `Z`"),
        ("[simulation]", "[measures]\na = 'b'\n[simulation]", "measures.a", "unknown name `b`"),
        ("[simulation]", "[measures]\na = 'b(t)'\n[simulation]", "measures.a", "no function or table `b`"),
        ("[simulation]", "[measures]\na = 'c'\nc = '1 + a'\n[simulation]", "measures.a", "a -> c -> a"),
        ("[simulation]", "[measures]\na = 'a'\n[simulation]", "measures.a", "a -> a"),
        ("[simulation]", "[measures]\nt = '2'\n[simulation]", "measures.t", "built in"),
        ("[simulation]", "[measures]\na = '1 / 0'\n[simulation]", "measures.a", "infinite"),
        ("[simulation]", "[measures]\na = '1 m + 2 s + t'\n[simulation]", "measures.a", "a time (s)"),
        ("[simulation]", "[measures]\na = true\n[simulation]", "measures.a", "a number or an expression"),
        ("[simulation]", "[measures]\na = '1e40'\n[simulation]", "measures.a", "too large"),
        ("[simulation]", "[measures]\na = { unit = 'N' }\n[simulation]", "measures.a", "`value` is missing"),
        ("[simulation]", "[measures]\na = { value = 1, unit = 'furlong' }\n[simulation]", "measures.a.unit", "not a unit"),
        ("[simulation]", "[measures]\na = { value = '2 m', unit = 'N' }\n[simulation]", "measures.a.unit", "a length (m)"),
        ("[simulation]", "[measures]\na = 1\n[parameters]\na = 2\n[simulation]", "measures.a", "parameter, too"),
        ("[simulation]", "[tables.a]\n[simulation]", "tables.a", "needs points"),
        ("[simulation]", "[tables.a]\nx = [1, 2]\n[simulation]", "tables.a", "both `x` and `y`"),
        ("[simulation]", "[tables.a]\nx = [1, 2]\npoints = [[1, 2], [2, 3]]\n[simulation]", "tables.a", "beside"),
        ("[simulation]", "[tables.a]\nx = [1, 2]\ny = [1, 2, 3]\n[simulation]", "tables.a", "as many"),
        ("[simulation]", "[tables.a]\nx = [1, 2, '2']\ny = [1, 2, 3]\n[simulation]", "tables.a.x[2]", "ascend"),
        ("[simulation]", "[tables.a]\nx = [1, '2 m', '3 s']\ny = [1, 2, 3]\n[simulation]", "tables.a.x[2]", "a time (s)"),
        ("[simulation]", "[tables.a]\nx = [1, 2, 3]\ny = [1, 1e40, 3]\n[simulation]", "tables.a.y[1]", "too large"),
        ("[simulation]", "[tables.a]\nx = [1, 2, 3]\ny = [1, nan, 3]\n[simulation]", "tables.a.y[1]", "not finite"),
        ("[simulation]", "[tables.a]\nx = [1, 2, 3]\ny = [1, 't', 3]\n[simulation]", "tables.a.y[1]", "only during the run"),
        ("[simulation]", "[tables.a]\npoints = [[1, 2], [1, 3]]\n[simulation]", "tables.a.points[1]", "ascend"),
        ("[simulation]", "[tables.a]\npoints = [[1, 2], [1]]\n[simulation]", "tables.a.points[1]", "found 1"),
        ("[simulation]", "[tables.a]\npoints = [['1 m', 2], ['2 m', 3], ['3 s', 4]]\n[simulation]", "tables.a.points[2][0]", "a time (s)"),
        ("[simulation]", "[tables.a]\npoints = [[1, 2], [2, 3]]\ninterpolation = 'cubc'\n[simulation]", "tables.a.interpolation", "unknown interpolation"),
        ("[simulation]", "[tables.a]\npoints = [[1, 2], [2, 3]]\ninterpolation = 'periodic'\n[simulation]", "tables.a.points[1]", "begins"),
        ("[simulation]", "[tables.a]\npoints = [[1, 2], [2, 2]]\ninterpolation = 'periodic'\nextend = 'hold'\n[simulation]", "tables.a.extend", "no ends"),
        ("[simulation]", "[tables.sin]\npoints = [[1, 2], [2, 3]]\n[simulation]", "tables.sin", "built in"),
        ("[simulation]", "[tables.speed]\npoints = [[1, 2], [2, 3]]\n[simulation]", "tables.speed", "built in"),
    ];
    for (find, replace, path, word) in defects {
        assert!(FOUR_BAR.contains(find), "{find}");
        let faults = refuse("model.toml", FOUR_BAR.replacen(find, replace, 1));
        let found = faults.list.iter().find(|fault| fault.path == path && fault.message.contains(word));
        let Some(fault) = found else { panic!("no fault at {path} with `{word}` in {:#?}", faults.list) };
        // file, line and column always
        let (line, column) = faults.provenance.as_ref().unwrap().line_column(faults.span(fault).unwrap_or(0..0).start);
        let text = faults.to_string();
        assert!(text.contains(&format!("model.toml:{line}:{column}")) && text.contains('^'), "{text}");
        // and nothing that merely follows from it; a third coordinate for all points is four faults
        assert!(faults.list.len() == 1 || path == "points.A" || path == "model", "{text}");
    }
}

#[test]
fn exact_rendered_fault_underlines_the_place_in_the_expression() {
    let faults = refuse("model.toml", FOUR_BAR.replace("mass = 2.0", "mass = \"2 kg + 3 mm\""));
    let expected = r#"error: this is a length (m), but it is combined with a mass (kg)
  --> model.toml:18:46
   |
18 | coupler = { points = ["B", "C"], mass = "2 kg + 3 mm" }
   |                                                 ^^^^ bodies.coupler.mass"#;
    let column = "coupler = { points = [\"B\", \"C\"], mass = \"2 kg + ".len() + 1;
    assert_eq!(faults.to_string(), expected.replace(":46", &format!(":{column}")));
}

#[test]
fn exact_faults_in_formulas_underline_the_name() {
    for (measure, place, help) in [
        ("a = '2 * (t + point.b.x)'", "point.b.x", "did you mean `B`?"),
        ("a = { value = \"1 + 3 * powr\" }\npower = 2", "powr", "did you mean `power`?"),
        ("a = '1 + legth'\n[parameters]\nlength = 2", "legth", "did you mean `length`?"),
        ("a = '2 + wave(3 * t)'\n[tables.waves]\npoints = [[0, 1], [1, 2]]", "wave", "did you mean `waves`?"),
        ("a = '1 s + 2 t'", "2 t", "for the time write `2 * t`"),
    ] {
        let faults = refuse("model.toml", format!("{FOUR_BAR}\n[measures]\n{measure}"));
        let fault = &faults.list[0];
        assert_eq!(&faults.provenance.as_ref().unwrap().text[faults.span(fault).unwrap()], place, "{faults}");
        assert!(fault.help.as_ref().is_some_and(|text| text.contains(help)), "{faults}");
        assert_eq!(faults.list.len(), 1, "{faults}");
    }
}

/// A key that takes a force by a law of its length and rate.
#[derive(Debug)]
struct Law;

impl crate::file::values::Locals for Law {
    const NAMES: &'static [&'static str] = &["length", "rate"];
}

fn law(text: &str) -> Result<Formula, Vec<Fault>> {
    let file = format!("law = {text}");
    let Some(Node { value: Value::Table(entries), .. }) = document::read(Syntax::Toml, &file).root else {
        panic!("{file}");
    };
    let mut reader = Reader::new(&file, crate::model::reading::dims);
    let quantity = |value, state| expressions::quantity::Quantity { value, state };
    let stiffness = expressions::quantity::State::Known(expressions::units::Dims::new(0, 1, -2));
    reader.parameters.insert("k".into(), quantity(200.0, stiffness));
    reader.parameters.insert("free".into(), quantity(0.5, expressions::quantity::State::Unknown));
    reader.parameters.insert("rate".into(), quantity(7.0, expressions::quantity::State::Unknown));
    let (key, node) = &entries[0];
    let decode =
        |reader: &mut Reader<'_>| crate::file::values::FormulaOf::<1, 1, -2, Law>::decode(node, reader);
    reader.entry(key, node, decode).map(|formula| formula.0).ok_or(reader.faults)
}

#[test]
fn exact_formulas_of_keys_know_their_locals_and_dimension() {
    assert_eq!(law("3").unwrap().is_constant(), Some(3.0));
    assert_eq!(law("'3 kN'").unwrap().is_constant(), Some(3e3));
    let formula = law("'k * (length - free) + 3 * rate'").unwrap();
    assert_eq!(formula.references().len(), 2);
    // a local wins over the parameter of its name
    assert_eq!(formula.eval(&[1.5, 2.0], &mut Vec::new()), 206.0);
    assert!(law("'5 N * sin(t)'").is_ok() && law("'1 / (t - t)'").is_ok());
    for (text, word) in [
        ("'k'", "expected a force (N), found a stiffness (N/m)"),
        ("'3 mm'", "found a length (m)"),
        ("'2 t'", "found a mass (kg)"),
        ("'k * length + x'", "unknown name `x`"),
        ("'1 / 0'", "infinite"),
        ("'if(t > 1, 3 N, 2 m)'", "a length (m), but it is combined with a force (N)"),
        ("true", "expected a force (N): a number or an expression"),
        ("nan", "not finite"),
    ] {
        let faults = law(text).expect_err(text);
        assert!(faults[0].message.contains(word), "{text}: {faults:?}");
    }
}

#[test]
fn exact_all_faults_come_at_once() {
    let text = FOUR_BAR
        .replace("mass = 1.0", "mass = '3 mm', colour = 3")
        .replace(r#"["B", "C"]"#, r#"["B", "X"]"#)
        .replace("dimension = 2", "dimension = 2\nauthor = 'x'")
        .replace("duration = 10", "duration = -1")
        .replace("mass = 1.5", "mass = '2 *'");
    let faults = refuse("model.toml", text);
    let paths: Vec<_> = faults.list.iter().map(|fault| fault.path.as_str()).collect();
    let expected = [
        "model.author",
        "bodies.crank.mass",
        "bodies.crank.colour",
        "bodies.coupler.points[1]",
        "bodies.rocker.mass",
        "simulation.duration",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn exact_suggestions_name_the_nearest() {
    let help = |find: &str, replace: &str| {
        refuse("model.toml", FOUR_BAR.replacen(find, replace, 1)).list[0].help.clone().unwrap_or_default()
    };
    assert_eq!(help("mass = 1.0", "mas = 1.0, mass = 1"), "did you mean `mass`?");
    assert_eq!(help("dimension = 2", "dimension = 2\ncolour = 1"), "known here: name, dimension, gravity");
    assert_eq!(
        help("mass = 1.0", "mass = '3 * kg'"),
        "`kg` is a unit: it must follow a number, as in `1 kg`"
    );
    assert_eq!(help("duration = 10", "integrator = 'dop835'"), "did you mean `dop853`?");
    assert!(help(r#"["A", "B"]"#, r#"["A", "B", "C"]"#).contains("polygon"));
    let shadowed = FOUR_BAR.replace("mass = 1.0", "mass = '2 kg * g'") + "[parameters]\ng = 9.81";
    assert!(refuse("model.toml", shadowed).list[0].help.as_ref().unwrap().contains("`g` is the unit"));
    let unsaid = Model::parse("model.toml", FOUR_BAR.replacen("format = 1", "", 1)).unwrap().check();
    assert!(unsaid.to_string().contains("taken as `format = 1`") && !unsaid.any_errors(), "{unsaid}");
}

/// Only the ratios of a direction count, so it may be given in lengths; a name that follows no number is no unit.
#[test]
fn exact_directions_of_any_dimension() {
    let model = |axis: &str| {
        format!(
            "format = 1\n[parameters]\nh = \"2 m\"\nx = \"1 m\"\n[points]\nA = [0, 0]\n[bodies]\nground = {{ points = [\"A\"] }}\n\
             slider = {{ points = [\"A\"], mass = 1, com = \"A\", inertia = 1 }}\n\
             [joints]\nguide = {{ type = \"prismatic\", bodies = [\"ground\", \"slider\"], at = \"A\", axis = {axis} }}\n"
        )
    };
    let read = Model::from_toml(&model("[\"-h*x\", \"x^2\"]")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.joints[0].axis(), Some(&crate::model::Axis::Vector([-2.0, 1.0, 0.0])));
    let faults = refuse("model.toml", model("[\"h\", \"h*x\"]"));
    assert!(faults.list[0].message.contains("this is an area (m^2), but before it stands a length (m)"));
    let mass = model("[1, 0]").replace("mass = 1,", "mass = \"h*x\",");
    assert_eq!(refuse("model.toml", mass).list[0].help, None);
}

#[test]
fn exact_limits_and_encodings() {
    let big = vec![b' '; MAX_FILE_BYTES + 1];
    assert!(refuse("model.toml", big).list[0].message.contains("8 MiB"));
    let many: String = (0..=MAX_ITEMS).map(|i| format!("P{i} = [0, {i}]\n")).collect();
    let faults = refuse("model.toml", format!("format = 1\n[points]\n{many}"));
    assert!(faults.list[0].message.contains("20000"), "{faults}");
    let faults = refuse("model.toml", b"format = 1\nmodel.name = '\xff'");
    assert!(
        faults.list[0].message.contains("UTF-8") && faults.to_string().contains("model.toml:2:15"),
        "{faults}"
    );
    assert!(Model::parse("model.toml", format!("\u{feff}{FOUR_BAR}")).is_ok());
    assert!(Model::parse("model.toml", FOUR_BAR.replace('\n', "\r\n")).is_ok());
    let wrong: String = (0..200).map(|i| format!("x{i} = 1\n")).collect();
    let faults = refuse("model.toml", format!("format = 1\n{wrong}"));
    assert_eq!(faults.list.len(), MAX_REPORTED_FAULTS + 1);
    assert!(faults.list.last().unwrap().message.contains("more faults"));
    assert!(matches!(Model::from_file("/no/such/file.toml"), Err(Error::Io { .. })));
    for text in ["", "[]", "3", "{}", "null", "\"x\""] {
        refuse("<stdin>", text);
        refuse("model.json", text);
    }
}

/// Strings with escapes are underlined as a whole.
#[test]
fn exact_escaped_strings_are_marked_whole() {
    let faults = refuse("model.toml", FOUR_BAR.replace("mass = 1.0", r#"mass = "1 \u0040""#));
    let span = faults.span(&faults.list[0]).unwrap();
    assert_eq!(&faults.provenance.as_ref().unwrap().text[span], r#""1 \u0040""#);
}

/// 20 000 unknown names among 20 000 points: suggestions for all would take minutes.
#[test]
fn keeps_large_defective_files_quick() {
    let points: String = (0..MAX_ITEMS).map(|i| format!("P{i} = [0, {i}]\n")).collect();
    let names: Vec<_> = (0..MAX_ITEMS).map(|i| format!("'Q{i}'")).collect();
    let text = format!(
        "format = 1\n[points]\n{points}[bodies.b]\nmass = 1\nshape = 'polygon'\npoints = [{}]",
        names.join(",")
    );
    let start = std::time::Instant::now();
    let faults = refuse("model.toml", &text);
    faults.render(true);
    assert!(start.elapsed().as_secs_f64() < 10.0, "{:?}", start.elapsed());
}

/// Inputs that make a careless reader slow, large or deep; a limit answers each.
#[test]
#[rustfmt::skip]
fn keeps_calm_with_hostile_files() {
    const BYTES: usize = 100_000;
    let pieces = [
        "a=\n", "a=1\n", "[a]\n", "[[a]]\n", "@ ", "=", "\"\n", "[", "]", "{", "}", ".", "\u{1}", "'''", "a.", "{},", "\n",
    ];
    for piece in pieces {
        let text = piece.repeat(BYTES / piece.len());
        for text in [format!("a=[{text}"), format!("[a]\n{text}"), text] {
            survives("x.toml", text.as_bytes());
            survives("x.json", text.as_bytes());
        }
    }
    let chain: String = (0..15_000).map(|i| format!("p{i} = 'p{} + p{}'\n", (i + 1) % 15_000, i / 2)).collect();
    let reported = refuse("x.toml", format!("format = 1\n[parameters]\n{chain}")).to_string();
    assert!(reported.contains("depends on itself"), "{reported}");
    // a key as long as the file is cut in the message
    let long = format!("format = 1\n{} = 1", "k".repeat(BYTES));
    assert!(refuse("x.toml", long).to_string().len() < 10_000);
}

fn validator() -> impl Fn(&serde_json::Value) -> bool {
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("linkwork.json", schema()).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("linkwork.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
    move |model| schemas.validate(model, index).is_ok()
}

#[test]
fn cross_schema_agrees_with_the_decoder() {
    let valid = validator();
    let value = |text: &str| ::toml::from_str::<serde_json::Value>(text).unwrap();
    assert!(valid(&value(FOUR_BAR)) && valid(&value(SLIDER)));
    let defects = [
        ("format = 1", "format = 2"),
        ("[simulation]", "[simulaton]"),
        ("mass = 1.0", "mass = 1.0, colour = 3"),
        ("mass = 1.0", "mass = [1]"),
        (r#"["A", "B"]"#, r#"[1, 2]"#),
        (r#"{ points = ["A", "D"] }"#, r#"{ points = ["A", "D"], mass = 1 }"#),
        ("dimension = 2", "dimension = 4"),
        ("duration = 10", "integrator = 'rk5'"),
        ("B = [0, 1]", "B = [0]"),
    ];
    for (find, replace) in defects {
        let text = FOUR_BAR.replacen(find, replace, 1);
        assert!(!valid(&value(&text)), "{replace}");
        refuse("model.toml", text);
    }
}

#[test]
fn exact_schema_describes_every_key() {
    let schema = schema();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(schema["title"], "Linkwork model");
    assert_eq!(schema["additionalProperties"], false);
    let tables = schema["definitions"].as_object().unwrap().values().chain([&schema]);
    for table in tables {
        for (key, property) in table["properties"].as_object().unwrap() {
            assert!(property["description"].as_str().is_some_and(|text| text.len() > 4), "{key}");
        }
    }
}

/// Pieces that a model file is made of, put together at random.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "format = 1\n",
        "[points]\n",
        "[bodies.a]\n",
        "[bodies]\n",
        "a",
        "=",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        "\"",
        "'",
        "\"\"\"",
        "\n",
        "points",
        "mass",
        "shape",
        "1",
        "-",
        "1e400",
        "\"1 mm\"",
        "\"2 * x\"",
        "[1, 2]",
        "[\"A\", \"B\"]",
        "A = [0, 0]\n",
        "[parameters]\n",
        "x = 'y'\n",
        "y = 'x^2'\n",
        "true",
        "1979-05-27",
        "#",
        "\\",
        "é",
        "\u{0}",
        ":",
        "[joints.j]\n",
        "type = 'hinge'\n",
        "axis = [1, 0]\n",
        "{\"format\": 1, \"points\": {",
        "\u{feff}",
        "nan",
        "null",
        "[measures]\n",
        "[tables.x]\n",
        "x = 'point.A.x + a(t)'\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const FORMULA_PIECES: [&str; 40] = [
    "1",
    "0",
    "2 mm",
    "-3",
    "t",
    "t",
    "(t)",
    "+",
    "-",
    "*",
    "/",
    "^",
    "(",
    ")",
    ",",
    "<",
    ">=",
    "==",
    "and",
    "or",
    "not",
    "if(t > 0, t, 1 / t)",
    "sqrt(t - 1)",
    "sin(",
    "step(t, 0, 1, 2, 3)",
    "clamp(t, ",
    "mod(t, 2)",
    "deadband(",
    "point.A.x",
    "joint.A.q",
    "distance(A, B)",
    "speed(",
    "profile(t)",
    "a",
    "`",
    "`x y`",
    ".",
    "max(t, 1, ",
    "hypot(t, 0)",
    "ln(0)",
];

/// Reading ends with a model or faults that render.
fn survives(file: &str, contents: &[u8]) {
    if let Err(error) = Model::parse(file, contents) {
        assert!(!error.to_string().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keeps_calm_with_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives("x.toml", &bytes);
        survives("x.json", &bytes);
    }

    #[test]
    fn keeps_calm_with_any_pieces(text in pieces()) {
        survives("x.toml", text.as_bytes());
        survives("x.json", text.as_bytes());
    }

    #[test]
    fn keeps_calm_with_any_expression(text in "[-+*/^(), .0-9a-zé%<>=!`]{0,40}") {
        survives("x.toml", FOUR_BAR.replace("1.0", &format!("'{text}'")).as_bytes());
        survives("x.toml", format!("{FOUR_BAR}\n[measures]\na = '{text}'").as_bytes());
    }

    #[test]
    fn keeps_calm_with_any_formula(pieces in prop::collection::vec(prop::sample::select(FORMULA_PIECES.to_vec()), 0..12)) {
        let text = pieces.join(" ");
        survives("x.toml", format!("{FOUR_BAR}\n[measures]\na = '{text}'").as_bytes());
        if let Ok(formula) = Formula::parse(&text) {
            let jets = vec![crate::linalg::jet::Jet::time(0.3); formula.references().len()];
            let (value, jet) = (formula.eval(&vec![0.3; jets.len()], &mut Vec::new()), formula.eval_jet(&jets, &mut Vec::new()));
            assert!(value == jet.x || value.is_nan() && jet.x.is_nan(), "{text}: {value} {jet:?}");
            let sound = jet.x.is_finite() && jet.d.is_finite() && jet.dd.is_finite();
            assert_eq!(formula.trouble(&jets).is_none(), sound, "{text}");
        }
    }

    #[test]
    fn keeps_calm_with_mutated_models(at in 0..SLIDER.len(), length in 0..20usize, with in ".{0,5}") {
        let end = (at + length).min(SLIDER.len());
        let text = format!("{}{with}{}", SLIDER.get(..at).unwrap_or(""), SLIDER.get(end..).unwrap_or(""));
        survives("x.toml", text.as_bytes());
    }
}

/// A parameter that is a table has the value of one that is not; what is wrong with it stands at its keys.
#[test]
fn same_parameters_as_tables() {
    let file = |l: &str| {
        format!(
            "format = 1\nparameters = {{ l = {l}, twice = '2 * l' }}\npoints = {{ A = [0, 0], B = ['twice', 0] }}\nbodies.rod = {{ points = ['A', 'B'], mass = 1 }}\n"
        )
    };
    let table = "{ value = '30 cm', min = '10 cm', max = 1, label = 'length' }";
    let model = Model::from_toml(&file(table)).unwrap();
    assert_eq!(model.points[1].position[0], 0.6);
    let provenance = model.provenance.as_ref().unwrap();
    let range = ParameterRange { min: Some(0.1), max: Some(1.0), label: Some("length".into()) };
    assert_eq!(provenance.ranges.get("l"), Some(&range));
    assert_eq!(&provenance.text[provenance.spans["parameters.l"].clone()], "'30 cm'");
    assert!(model.to_toml().unwrap().contains("label = \"length\""), "{}", model.to_toml().unwrap());
    // other values, by the name of the parameter
    let read = ModelFile::parse("a.toml", file(table)).unwrap();
    assert_eq!(read.model(&[("l", 0.5)]).unwrap().points[1].position[0], 1.0);
    assert_eq!(read.with(&[("l", "50 cm")]).unwrap().model(&[]).unwrap().points[1].position[0], 1.0);
    let variables = read.variables().unwrap();
    let l = variables.find("l").unwrap()[0];
    assert_eq!(read.model_with(&[(l, 0.5)]).unwrap().points[1].position[0], 1.0);
    assert!(read.text_with(&[(l, 0.5)]).contains("{ value = '50 cm', min = '10 cm'"));
    for (table, said) in [
        ("{ min = 1 }", "expected a number or an expression, found a table"),
        ("{ value = 1, most = 2 }", "unknown key `most`"),
        ("{ value = 1, min = 3, max = 2 }", "`min` must be below `max`"),
        ("{ value = '1 m', min = '2 kg' }", "parameters.l.min"),
        ("{ value = 1, label = 2 }", "expected a text"),
    ] {
        let text = Model::from_toml(&file(table)).expect_err(table).to_string();
        assert!(text.contains(said), "{table}: {text}");
    }
}
