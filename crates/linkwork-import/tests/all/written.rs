//! What the writer writes is read again as the same model.

use crate::{column, import, model};
use linkwork_import::robot::{
    Actuator, Coordinate, Drive, FrictionRule, Joint, JointKind, Kinematic, Link, Quantity, Sensor, Stop,
};
use linkwork_import::write::{neat, number, toml};
use linkwork_import::{Options, Place, Robot, import_text, notes::Report, pose::Pose};
use nalgebra::{Matrix3, Vector3};

/// A leg on a spring that falls on the ground, with a servo that follows slowly.
const HOPPER: &str = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='trunk' pos='0 0 .62'><freejoint name='root'/>\n\
    <geom name='trunk' type='capsule' size='.05 .2' euler='0 90 0'/><body name='leg'><joint name='hip' axis='0 1 0' range='-45 60'/>\n\
    <joint name='leg' type='slide' axis='0 0 1' stiffness='800' damping='3'/><geom name='foot' type='sphere' size='.03' pos='0 0 -.6'/></body></body></worldbody>\n\
    <actuator><position name='hip' joint='hip' kp='20' timeconst='.1'/></actuator>\n\
    <keyframe><key qpos='0 0 .65 1 0 0 0 .2 0' ctrl='.1'/></keyframe></mujoco>";

/// Reading, writing and reading again gives the same bits of a run: of limits and gears, of drivers, and of contacts, drives with states, looks and a start.
#[test]
fn same_run_after_writing_the_model_again() {
    for (name, text) in [
        ("arm.urdf", include_str!("../data/arm.urdf")),
        ("gear.sdf", include_str!("../data/gearbox.sdf")),
        ("crank.asmt", include_str!("../data/slider-crank.asmt")),
        ("hopper.xml", HOPPER),
    ] {
        let options = Options { contacts: true, ..Options::default() };
        let imported = import_text(name, text, &options).unwrap_or_else(|faults| panic!("{faults}"));
        let first = model(&imported);
        let again = linkwork::Model::from_toml(&first.to_toml().unwrap()).unwrap();
        for name in ["energy.kinetic", "energy.total"] {
            let bits = [&first, &again].map(|model| {
                column(model.clone(), 0.2, name).into_iter().map(f64::to_bits).collect::<Vec<_>>()
            });
            assert_eq!(bits[0], bits[1], "{name}");
        }
    }
}

#[test]
fn numbers_have_the_digits_that_they_need() {
    assert_eq!(neat(0.30000000000000004, 1e-15), "0.3");
    assert_eq!(neat(6.123233995736766e-17, 1e-15), "0");
    // so many digits are not those of a person
    assert_eq!(neat(1.0 / 3.0, 1e-15), "0.3333333333333333");
    assert_eq!(neat(-0.8660254037844387, 0.0), "-0.8660254037844387");
    // angles in degrees where that is shorter; the model has the same bits
    let hopper = import("hopper.xml", HOPPER);
    assert!(hopper.toml.contains("range = [\"-45 deg\", \"60 deg\"]"), "{}", hopper.toml);
    assert_eq!(model(&hopper).joints[1].impact_limits[0].range, [-45f64.to_radians(), 60f64.to_radians()]);
    assert_eq!(number(1e-7), "1e-7");
    assert_eq!(number(-0.0), "0");
    assert_eq!(number(12345678.0), "1.2345678e7");
}

/// A robot with one of everything.
#[test]
fn all_that_a_robot_can_have_is_written_and_read() {
    let place = Place { file: "robot.xml".into(), line: 7 };
    let mut link = Link::new("arm \"1\"`", place.clone(), Pose::identity());
    (link.mass, link.com, link.inertia) = (1.0, Vector3::new(0.5, 0.0, 0.0), Matrix3::identity() * 0.1);
    let along = Coordinate {
        limits: [-1.0, 2.0],
        stop: Some(Stop { stiffness: 100.0, damping: 1.0 }),
        damping: 0.1,
        friction: 0.2,
        stiffness: 3.0,
        rest: 0.4,
        armature: 0.05,
    };
    let joint = |name: &str, kind, along: Vec<Coordinate>| Joint {
        name: name.into(),
        place: place.clone(),
        kind,
        first: None,
        second: Some(0),
        origin: Vector3::zeros(),
        origin_on_second: None,
        axis: Vector3::y(),
        keep: false,
        coordinates: along,
    };
    let mut robot = Robot {
        name: "one of everything".into(),
        format: "a test".into(),
        place: place.clone(),
        gravity: Vector3::new(0.0, 0.0, -1.62),
        links: vec![link],
        joints: vec![joint("hinge of 1", JointKind::Revolute, vec![along])],
        couplings: Vec::new(),
        actuators: vec![Actuator {
            name: "servo 1".into(),
            place: place.clone(),
            joint: 0,
            coordinate: 0,
            drive: Drive {
                gain: [20.0, 0.0, 0.0],
                bias: [0.5, -20.0, -1.5],
                control_limits: [-1.0, 1.0],
                force_limits: [-30.0, 30.0],
                unit: "rad",
                ..Drive::default()
            },
        }],
        tendons: Vec::new(),
        cables: Vec::new(),
        points: Vec::new(),
        sensors: Vec::new(),
        initial: Vec::new(),
        initial_motions: Vec::new(),
        drivers: Vec::new(),
        duration: None,
        no_contact: Vec::new(),
        friction: FrictionRule::default(),
    };
    let quantities = [
        Quantity::Coordinate { joint: 0, coordinate: 0, offset: 0.0 },
        Quantity::Rate { joint: 0, coordinate: 0 },
        Quantity::Point { what: Kinematic::Position, link: 0, at: Vector3::new(1.0, 0.0, 0.0), component: 2 },
        Quantity::Point { what: Kinematic::Velocity, link: 0, at: Vector3::new(1.0, 0.0, 0.0), component: 2 },
        Quantity::ActuatorForce { actuator: 0, gear: 1.0 },
        Quantity::Reaction { joint: 0, component: 4 },
    ];
    robot.sensors = quantities
        .into_iter()
        .enumerate()
        .map(|(n, quantity)| Sensor { name: format!("sensor {n}"), place: place.clone(), quantity })
        .collect();
    let text = toml(&robot, &mut Report::default());
    let read = linkwork::Model::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let first = |name: &str| column(read.clone(), 0.1, name)[0];
    assert!((first("actuator.servo 1.torque") - 0.5).abs() < 1e-12);
    assert_eq!(first("measure.sensor 4"), first("actuator.servo 1.torque"));
    assert_eq!(first("measure.sensor 2"), 0.0);
    for (kind, coordinates) in [
        (JointKind::Cylindrical, 2),
        (JointKind::Planar, 3),
        (JointKind::Universal { axis2: Vector3::z() }, 2),
    ] {
        for stop in [None, Some(Stop { stiffness: 100.0, damping: 1.0 })] {
            robot.joints = vec![joint("j", kind, vec![Coordinate { stop, ..along }; coordinates])];
            (robot.actuators, robot.sensors) = (Vec::new(), Vec::new());
            let text = toml(&robot, &mut Report::default());
            let read = linkwork::Model::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(read.assemble().is_ok(), "{text}");
        }
    }
}
