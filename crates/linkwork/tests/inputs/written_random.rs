//! Models at random, with numbers of all sizes and names of all characters: written and read again they are the same.

use crate::suite::of_kind;
use crate::suite::trees::Random;
use linkwork::joints::{Cylindrical, Planar, PointOnLine, PointOnPlane, Prismatic, Revolute};
use linkwork::model::{
    ActsOn, Actuator, ActuatorLaw, Amount, Axis, Body, Bushing, Couple, Dimension, Drag, Driver, Extend,
    Force, Formula, Impulse, Inertia, Interpolation, Joint, JointForces, JointKind, Lock, Mass, Measure,
    Model, Orientation, Settings, Shape, Spring, Table, Thrust, ThrustDirection, Thruster, TorsionSpring,
    Tyre,
};

/// Choices of a generator.
trait Choose {
    fn chance(&mut self) -> bool;
    fn size(&mut self) -> f64;
    fn maybe(&mut self) -> Option<f64>;
    fn any(&mut self) -> f64;
    fn name(&mut self, number: usize) -> String;
}

impl Choose for Random {
    fn chance(&mut self) -> bool {
        self.next() > 0.0
    }

    /// More than zero: short numbers, odd ones, angles, powers of ten.
    fn size(&mut self) -> f64 {
        let x = 1.0 + self.next();
        let value = match self.pick(5) {
            0 => (x * 50.0).round().max(1.0),
            1 => (x * 500.0).round().max(1.0) / 100.0,
            2 => (x * 90.0).round().max(1.0).to_radians(),
            3 => 10f64.powi(self.pick(20) as i32 - 10),
            _ => x,
        };
        value.max(1e-12)
    }

    fn maybe(&mut self) -> Option<f64> {
        self.chance().then(|| self.size())
    }

    fn any(&mut self) -> f64 {
        match self.pick(4) {
            0 => 0.0,
            1 => -self.size(),
            _ => self.size(),
        }
    }

    fn name(&mut self, number: usize) -> String {
        let kinds = [
            "p#",
            "#",
            "front left #",
            "ä#",
            "a.b#",
            "say \"#\"",
            "it's #",
            "c:\\#",
            "-#",
            "[x] = {#}",
            "é\u{1f527}#",
        ];
        kinds[self.pick(kinds.len())].replace('#', &number.to_string())
    }
}

fn mass(random: &mut Random, points: &[String], dimension: Dimension) -> Mass {
    let amount = Amount::Mass(random.size());
    let pose = Orientation { axis: random.chance().then_some([1.0, 0.5, 0.0]), ..Orientation::default() };
    let shape = match random.pick(6) {
        0 => Shape::Rod { area: None },
        1 => Shape::Box { size: [random.size(), random.size(), random.size()], pose },
        2 => Shape::Cylinder { radius: random.size(), length: Some(random.size()), pose },
        3 => Shape::Capsule { radius: random.size(), length: Some(random.size()), pose },
        4 => Shape::Sphere {
            radius: random.size(),
            center: random.chance().then(|| points[0].as_str().into()),
        },
        _ => {
            let moment = random.size();
            let inertia = match dimension {
                Dimension::Planar => Inertia::Polar(moment),
                Dimension::Spatial => {
                    Inertia::Matrix([moment, moment, moment, 0.1 * moment * random.next(), 0.0, 0.0])
                }
            };
            return Mass::Given { mass: random.size(), com: points[1].as_str().into(), inertia };
        }
    };
    Mass::Shape(shape, amount)
}

fn along(random: &mut Random) -> JointForces {
    let limits = random
        .chance()
        .then(|| [-random.size(), if random.chance() { f64::INFINITY } else { random.size() }]);
    JointForces {
        stiffness: if random.chance() { random.size() } else { 0.0 },
        damping: if random.chance() { random.size() } else { 0.0 },
        rest: None,
        preload: random.any(),
        friction: if random.chance() { random.size() } else { 0.0 },
        friction_speed: None,
        inertia: if random.chance() { random.size() } else { 0.0 },
        limits,
        limit_stiffness: limits.map_or(0.0, |_| random.size()),
        limit_damping: limits.map_or(0.0, |_| random.size()),
    }
}

fn joint(random: &mut Random, name: &str, bodies: [&str; 2], at: [&str; 2], dimension: Dimension) -> Joint {
    let planar = [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::PointOnLine,
        JointKind::Fixed,
        JointKind::Floating,
    ];
    let spatial = [JointKind::Cylindrical, JointKind::Spherical, JointKind::Planar, JointKind::PointOnPlane];
    let kind = match dimension {
        Dimension::Planar => planar[random.pick(planar.len())],
        Dimension::Spatial => [&planar[..], &spatial[..]].concat()[random.pick(9)],
    };
    let turning = matches!(kind, JointKind::Fixed | JointKind::Floating | JointKind::Spherical);
    let straight = kind == JointKind::Revolute && dimension == Dimension::Planar;
    let axis = match !turning && !straight && random.chance() {
        true => Axis::points(at[0], at[1]),
        false => Axis::Vector([0.6, -0.8, 0.0]),
    };
    let data = match kind {
        JointKind::Revolute => Revolute { axis: (!straight).then_some(axis) }.into(),
        JointKind::Prismatic => Prismatic { axis }.into(),
        JointKind::PointOnLine => PointOnLine { axis }.into(),
        JointKind::Cylindrical => Cylindrical { axis }.into(),
        JointKind::Planar => Planar { axis }.into(),
        JointKind::PointOnPlane => PointOnPlane { axis }.into(),
        _ => of_kind(kind, [0.0; 3], [0.0; 3]),
    };
    let mut joint = Joint::between(name, data, bodies, at);
    let coordinates = kind.coordinates(dimension).len();
    if random.chance() && coordinates > 0 {
        joint.forces = (0..coordinates).map(|_| along(random)).collect();
        if joint.forces.iter().all(|forces| *forces == JointForces::default()) {
            joint.forces.clear();
        }
    }
    if random.chance() {
        joint = joint.break_force(random.size());
    }
    joint
}

/// Bodies of two points each, every one joined to the one before it.
fn model(random: &mut Random) -> Model {
    let dimension = if random.chance() { Dimension::Planar } else { Dimension::Spatial };
    let name = random.name(0);
    let mut model = match dimension {
        Dimension::Planar => Model::planar(name),
        Dimension::Spatial => Model::spatial(name),
    };
    let place = |random: &mut Random| {
        let [x, y, z] = random.vector();
        [x, y, if dimension == Dimension::Planar { 0.0 } else { z }]
    };
    model.gravity = [0.0, -random.size(), 0.0];
    let count = 1 + random.pick(6);
    let mut held: Vec<[String; 2]> = Vec::new();
    for i in 0..count {
        let points = [random.name(2 * i + 1), random.name(2 * i + 2)];
        for point in &points {
            let at = place(random);
            model = model.point(point.clone(), at);
        }
        let mass = mass(random, &points, dimension);
        let mut body = Body::new(format!("{}.", random.name(i)), points.clone(), mass);
        body.present = i == 0 || random.pick(8) > 0;
        model = model.body(body);
        held.push(points);
    }
    let bodies: Vec<String> = model.bodies.iter().map(|body| body.name.clone()).collect();
    for i in 1..count {
        let at = [held[i - 1][1].as_str(), held[i][0].as_str()];
        let name = random.name(i);
        let joint = joint(random, &name, [&bodies[i - 1], &bodies[i]], at, dimension);
        model = model.joint(joint);
    }
    elements(random, model, &held, &bodies, dimension)
}

fn elements(
    random: &mut Random,
    mut model: Model,
    held: &[[String; 2]],
    bodies: &[String],
    dimension: Dimension,
) -> Model {
    let (body, [p, q]) = (bodies[0].as_str(), [held[0][0].as_str(), held[held.len() - 1][1].as_str()]);
    let solid = !matches!(model.bodies[0].mass, Mass::Shape(Shape::Rod { .. }, _));
    let formula = |random: &mut Random| match random.pick(3) {
        0 => Formula::constant(random.any()),
        1 => Formula::parse("3 * sin(t) - step5(t, 0, 0, 1, 90 deg)").unwrap(),
        // a name that has become a number
        _ => Formula::parse("gain * t^2 + -gain")
            .unwrap()
            .fold(|r| (r.target.single() == Some("gain")).then_some(random_size(&r.span))),
    };
    let three = |random: &mut Random| {
        let zero = Formula::constant(0.0);
        let z = if dimension == Dimension::Planar { zero } else { formula(random) };
        [formula(random), formula(random), z]
    };
    let mut spring = Spring::new(random.name(1), [p, q], random.size());
    (spring.damping, spring.free_length, spring.tension_only) =
        (random.any().abs(), random.maybe(), random.chance());
    model = model.spring(spring).force(Force::at_com("f", body, [0.0, 0.0]).formulas(three(random)));
    if random.chance() {
        let mut drag = Drag::new("air", body, random.size()).at(p);
        drag.wind = random.chance().then(|| three(random));
        model = model.drag(drag);
    }
    if solid && random.chance() {
        let zero = || Formula::constant(0.0);
        let moment = [zero(), zero(), formula(random)];
        let couple = Couple::new("turn", body, [0.0; 3]).formulas(moment);
        model = model.couple(if random.chance() { couple.in_body_axes() } else { couple });
        let axis = (dimension == Dimension::Spatial).then_some(Axis::Vector([0.0, 0.0, 1.0]));
        let on = ActsOn::Turn { bodies: ["ground".into(), body.into()], axis: axis.clone() };
        let mut twist = TorsionSpring::new("twist", on.clone(), random.size());
        (twist.free_angle, twist.preload) = (random.maybe(), random.any());
        let (setpoint, rate_setpoint) = (formula(random), formula(random));
        let (stiffness, damping) = (random.size(), random.size());
        let law = if random.chance() {
            ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping }
        } else {
            let (integral, tracking_time) = (random.size(), random.chance().then(|| random.size()));
            ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, integral, damping, tracking_time }
        };
        let mut servo = Actuator::new("servo", on, law);
        servo.limit = random.maybe();
        // the integral of a sampled controller has to be led back slowly enough
        servo.every = matches!(servo.law, ActuatorLaw::Pd { .. }).then_some(0.125);
        model = model.torsion_spring(twist).actuator(servo);
        model = model.driver(Driver::angle("drive", body, axis, Formula::parse("0.3 * t").unwrap()));
        let turn = [0.0, 0.0, random.size()];
        model = model.impulse(Impulse::at_com("blow", 0.5, body, [random.size(), 0.0]).and_at(0.75));
        model = model.angular_velocity(body, turn);
    }
    if held.len() > 1 && bodies.len() > 1 && solid {
        let six: [f64; 6] = std::array::from_fn(|i| {
            if dimension == Dimension::Planar && (2..5).contains(&i) { 0.0 } else { random.size() }
        });
        let solid = |i: usize| !matches!(model.bodies[i].mass, Mass::Shape(Shape::Rod { .. }, _));
        if solid(1) {
            model = model.bushing(
                Bushing::new("mount", [&bodies[0], &bodies[1]], p, six).at([p, &held[1][1]]).damping(six),
            );
        }
    }
    let x = [0.0, random.size(), 1e12];
    let interpolations = [Interpolation::Linear, Interpolation::Cubic, Interpolation::Monotone];
    let table = Table::new(
        x,
        [random.any(), random.any(), random.any()],
        interpolations[random.pick(3)],
        Extend::Linear,
    );
    model = model
        .table("curve", table.unwrap())
        .measure(Measure::new("far", Formula::parse("curve(t) + 1").unwrap()));
    if random.chance() {
        let thrust = Thrust::Constant { impulse: random.size(), burn_time: random.size() };
        let up = ThrustDirection::World(Axis::Vector([0.0, 1.0, 0.0]));
        model = model.thruster(Thruster::new("jet", body, up, thrust).at(p).start(random.any().abs()));
        model = model
            .tyre(Tyre::radial("round", body, p, random.size(), random.size()).damping(random.any().abs()));
    }
    if let Some(joint) =
        model.joints.iter().find(|joint| joint.active && joint.kind() == JointKind::Prismatic)
    {
        let lock = Lock::joint("brake", &joint.name.clone())
            .from(random.size())
            .release(Formula::parse("t > 3 and far < 2").unwrap());
        model = model.lock(lock);
    }
    let velocity = model.points[0].name.clone();
    let v = [random.any(), random.any(), if dimension == Dimension::Planar { 0.0 } else { random.any() }];
    model.velocity(velocity, v).settings(Settings {
        duration: random.size().clamp(1e-3, 100.0),
        output_step: 0.001,
        step: random.chance().then_some(0.0001),
        max_steps: 1 + random.pick(100_000_000) as u64,
        ..Settings::default()
    })
}

/// A number that follows from where a name stands, so that the closure that gives it needs no generator.
fn random_size(span: &std::ops::Range<usize>) -> f64 {
    1.0 / (3.0 + span.start as f64)
}

#[test]
fn same_model_after_writing_models_at_random() {
    let (models, mut sound, mut bytes, mut refused) = (1000, 0, 0, Vec::new());
    for seed in 1..=models {
        let mut random = Random(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
        let model = model(&mut random);
        let text = model.to_toml().unwrap_or_else(|e| panic!("{seed}: {e}"));
        bytes += text.len();
        match Model::from_toml(&text) {
            Ok(read) => {
                sound += 1;
                assert_eq!(read.to_toml().unwrap(), text, "{seed}");
                let built = Model { provenance: None, ..read };
                assert_eq!(built.to_toml().unwrap(), text, "{seed}");
                // formulas whose names have become numbers have another text
                let told =
                    |model: &Model| format!("{:?} {:?} {:?}", model.points, model.bodies, model.joints);
                assert_eq!(told(&built), told(&model), "{seed}");
                assert_eq!(built.settings, model.settings);
            }
            // what a check refuses is refused of the model as well
            Err(_) => {
                assert!(model.check().any_errors(), "{seed}\n{text}");
                refused.push(model.check().list.remove(0).message);
            }
        }
    }
    println!("{models} models, {sound} without faults, {bytes} bytes; refused: {:?}", refused.first());
    assert!(sound > models / 2, "{sound}: {:?}", &refused[..refused.len().min(20)]);
}
