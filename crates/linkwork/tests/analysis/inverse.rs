//! Inverse dynamics along a motion: closed forms, round trips with runs, redundant actuation, over-constrained loops, noise.

use linkwork::analysis::inverse::{Inverse, Motion, Settings, Smoothing};
use linkwork::joints::Revolute;
use linkwork::mechanism::Mechanism;
use linkwork::model::{
    Axis, Body, Driven, Driver, Extend, Formula, Formulation, Inertia, Interpolation, Joint, Model,
    NamedTable, Table,
};
use linkwork::simulation::Trajectory;
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::suite::{G, settings};

/// An example without its drivers and measures, which read them, and the joints that these drove.
fn without_drivers(name: &str) -> Model {
    let file = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut model = Model::from_file(file).unwrap_or_else(|e| panic!("{e}"));
    model.drivers.clear();
    model.measures.clear();
    model
}

fn drive(mut model: Model, joint: &str, value: &str) -> Model {
    let of = Driven::Joint { joint: joint.into(), coordinate: 1 };
    model.drivers.push(Driver { name: joint.into(), of, value: Formula::parse(value).unwrap() });
    model
}

fn run(model: &Model) -> (Mechanism, Trajectory) {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let trajectory = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    (mechanism, trajectory)
}

fn column((mechanism, run): &(Mechanism, Trajectory), name: &str) -> Vec<f64> {
    run.column(mechanism, name).unwrap_or_else(|| panic!("no column {name}"))
}

/// The recorded motion of coordinates.
fn recorded(run: &(Mechanism, Trajectory), coordinates: &[&str]) -> Motion {
    let motion = Motion::new(column(run, "t"), Smoothing::Through).unwrap();
    coordinates.iter().fold(motion, |motion, of| motion.prescribe(*of, &column(run, of)).unwrap())
}

fn by(names: &[&str]) -> Settings {
    Settings { actuators: Some(names.iter().map(|name| (*name).into()).collect()), ..Settings::default() }
}

fn solve(model: &Model, motion: &Motion, settings: &Settings) -> Inverse {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    mechanism.inverse(motion, settings).unwrap_or_else(|e| panic!("{e}"))
}

/// The largest difference of two lists, as a part of the largest number of the second.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let largest = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / largest
}

/// The forces found, as tables of time that act along the joints; the run with them makes the motion again.
fn comes_back(
    model: &Model,
    inverse: &Inverse,
    run_before: &(Mechanism, Trajectory),
    joints: &[&str],
    bound: f64,
) {
    let mut again = model.clone();
    for (i, joint) in joints.iter().enumerate() {
        let table = Table::new(
            inverse.times(),
            inverse.supplies()[i].forces.clone(),
            Interpolation::Quintic,
            Extend::Hold,
        );
        again.tables.push(NamedTable { name: format!("found{i}"), table: Arc::new(table.unwrap()) });
        let law = Formula::parse(&format!("found{i}(t)")).unwrap();
        let law = if inverse.supplies()[i].turns {
            linkwork::model::ActuatorLaw::Torque(law)
        } else {
            linkwork::model::ActuatorLaw::Force(law)
        };
        let of = linkwork::model::ActsOn::joint(joint);
        again.actuators.push(linkwork::model::Actuator::new(format!("a{i}"), of, law));
    }
    // the motion begins with the velocities that it was recorded with
    let mechanism = again.assemble().unwrap_or_else(|e| panic!("{e}"));
    let start = run_before.0.initial_state(Formulation::Points).unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    let mut state = mechanism.initial_state(Formulation::Points).unwrap();
    state.coordinates.clone_from(&start.coordinates);
    state.rates.clone_from(&start.rates);
    simulation.set_state(&state).unwrap();
    let mut worst = 0.0_f64;
    for frame in run_before.1.frames.iter().skip(1).step_by(20) {
        if frame.t >= again.settings.duration {
            break;
        }
        simulation.advance_to(frame.t).unwrap();
        let now = simulation.sample().unwrap();
        for (a, b) in now.positions.iter().zip(&frame.positions) {
            worst = (0..3).fold(worst, |m, c| m.max((a[c] - b[c]).abs()));
        }
    }
    println!("{}: with the forces found the points are within {worst:.1e} m", model.name);
    assert!(worst < bound, "{worst}");
}

/// A point mass at the end of an arm that turns about the vertical, joined by a point they share: it turns against the arm or not, and no moment says which. (J + m l²) φ̈.
#[test]
fn exact_particle_on_an_arm_in_space() {
    let (l, m, w) = (0.8, 2.0, 3.0);
    let arm = Body::with_inertia(
        "arm",
        ["S", "W"],
        3.0,
        [0.3, 0.0, 0.0],
        Inertia::Matrix([0.01, 0.1, 0.1, 0.0, 0.0, 0.0]),
    );
    let model = Model::spatial("arm")
        .gravity([0.0, 0.0, -G])
        .point("S", [0.0; 3])
        .point("W", [l, 0.0, 0.0])
        .ground(["S"])
        .body(arm)
        .body(Body::particle("load", "W", m))
        .joint(Joint::new(
            "turn",
            Revolute { axis: Some(Axis::Vector([0.0, 0.0, 1.0])) },
            ["ground", "arm"],
            "S",
        ));
    let t: Vec<f64> = (0..=100).map(|i| 0.02 * f64::from(i)).collect();
    let of = |f: fn(f64) -> f64, size: f64| -> Vec<f64> { t.iter().map(|t| size * f(w * t)).collect() };
    let (phi, alpha) = (of(f64::sin, 0.7), of(f64::sin, -0.7 * w * w));
    let exact: Vec<f64> = alpha.iter().map(|a| (0.1 + 3.0 * 0.09 + m * l * l) * a).collect();
    let given = Motion::new(&t[..], Smoothing::Through).unwrap();
    let given =
        given.prescribe_with_derivatives("joint.turn.q", &phi, &of(f64::cos, 0.7 * w), &alpha).unwrap();
    let inverse = solve(&model, &given, &by(&["joint.turn"]));
    let off = apart(inverse.forces("joint.turn").unwrap(), &exact);
    println!("particle on an arm: {off:.1e}, accelerations missed by {:.1e}", inverse.acceleration_error());
    // a few roundings
    assert!(off < 1e-13 && inverse.acceleration_error() < 1e-12 && inverse.is_confirmed(), "{off}");
}

/// A rod on a pin: m l²/3 φ̈ + m g l/2 cos φ.
#[test]
fn exact_pendulum() {
    let (l, m, w) = (2.0, 3.0, 3.0);
    let model = Model::planar("pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [l, 0.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], m));
    let t: Vec<f64> = (0..=1000).map(|i| 0.002 * f64::from(i)).collect();
    let of = |f: fn(f64) -> f64, size: f64| -> Vec<f64> { t.iter().map(|t| size * f(w * t)).collect() };
    let (phi, alpha) = (of(f64::sin, 0.7), of(f64::sin, -0.7 * w * w));
    let exact: Vec<f64> =
        phi.iter().zip(&alpha).map(|(q, a)| m * l * l / 3.0 * a + m * G * l / 2.0 * q.cos()).collect();
    let given = Motion::new(&t[..], Smoothing::Through).unwrap();
    let given = given.prescribe_with_derivatives("joint.O.q", &phi, &of(f64::cos, 0.7 * w), &alpha).unwrap();
    let inverse = solve(&model, &given, &by(&["joint.O"]));
    let off = apart(inverse.forces("joint.O").unwrap(), &exact);
    println!("pendulum with given derivatives: {off:.1e}");
    // a few roundings
    assert!(off < 1e-14, "{off}");
    assert_eq!((inverse.degrees_of_freedom(), inverse.multiplicity()), (1, 0));
    assert!(inverse.residual().is_none() && inverse.acceleration_error() < 1e-12 && inverse.gap().0 < 1e-13);
    // the same by the height of its end, and through a spline
    let tip: Vec<f64> = phi.iter().map(|q| l * q.sin()).collect();
    let motion = Motion::new(&t[..], Smoothing::Through).unwrap().prescribe("point.A.y", &tip).unwrap();
    let off = apart(solve(&model, &motion, &by(&["joint.O"])).forces("joint.O").unwrap(), &exact);
    println!("pendulum by its end, through a spline: {off:.1e}");
    // the spline's second derivative at the ends, where it is off most: h⁴ s⁽⁶⁾, with s⁽⁶⁾ of the height of about 1e4 m/s⁶
    assert!(off < 2e-8, "{off}");
}

/// Six legs of the Stewart platform, driven; then supplied by forces along the legs.
#[test]
fn cross_round_trip_of_the_stewart_platform() {
    let file = format!("{}/../../examples/stewart-platform.toml", env!("CARGO_MANIFEST_DIR"));
    let mut driven = Model::from_file(file).unwrap();
    driven.settings.output_step = 0.002;
    driven.settings.duration = 1.0;
    let before = run(&driven);
    let legs: Vec<String> = (1..=6).map(|k| format!("leg{k}")).collect();
    let legs: Vec<&str> = legs.iter().map(String::as_str).collect();
    let names: Vec<String> = legs.iter().map(|leg| format!("joint.{leg}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let columns: Vec<String> = names.iter().map(|name| format!("{name}.q")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut free = without_drivers("stewart-platform");
    free.settings = driven.settings.clone();
    let inverse = solve(&free, &recorded(&before, &columns), &by(&names));
    assert_eq!((inverse.degrees_of_freedom(), inverse.multiplicity()), (6, 0));
    for leg in &legs {
        let off = apart(
            inverse.forces(&format!("joint.{leg}")).unwrap(),
            &column(&before, &format!("driver.{leg}.force")),
        );
        println!("Stewart platform, {leg}: {off:.1e}");
        assert!(off < 1e-8, "{leg}: {off}");
    }
    // over-determined: the platform's place as well, which says the same
    let more: Vec<&str> = columns.iter().copied().chain(["point.C.x", "point.C.z", "point.P3.y"]).collect();
    let again = solve(&free, &recorded(&before, &more), &by(&names));
    assert!(again.gap().0 < 1e-9, "{:?}", again.gap());
    assert!(apart(again.forces("joint.leg2").unwrap(), inverse.forces("joint.leg2").unwrap()) < 1e-7);
    free.settings.tolerance = 1e-12;
    // forces that are off by 1e-9 of the largest and less, of both signs
    comes_back(&free, &inverse, &before, &legs, 1e-8);
}

/// Three cylinders of the excavator, driven smoothly: closed loops of cylinders and a linkage.
#[test]
fn cross_round_trip_of_the_excavator() {
    let mut free = without_drivers("excavator");
    free.settings.duration = 3.0;
    free.settings.output_step = 0.005;
    let start = run(&Model { settings: settings(0.01, 0.01, 1e-9), ..free.clone() });
    let joints = ["boom", "stick", "bucket"];
    let driven = joints.iter().zip([-0.2, 0.15, -0.1]).fold(free.clone(), |model, (joint, size)| {
        let drawn = column(&start, &format!("joint.{joint}.q"))[0];
        drive(model, joint, &format!("{drawn:?} + {size}*(1 - cos(1.3*t))"))
    });
    let before = run(&driven);
    let inverse = solve(
        &free,
        &recorded(&before, &["joint.boom.q", "joint.stick.q", "joint.bucket.q"]),
        &by(&["joint.boom", "joint.stick", "joint.bucket"]),
    );
    for joint in joints {
        let off = apart(
            inverse.forces(&format!("joint.{joint}")).unwrap(),
            &column(&before, &format!("driver.{joint}.force")),
        );
        println!("excavator, {joint}: {off:.1e}");
        assert!(off < 1e-8, "{joint}: {off}");
    }
    // the frames are those of the run: reactions, energies, work
    let (mut worst, mut drift, mut first, mut k) = ([0.0_f64; 2], 0.0_f64, None, 0);
    let force =
        before.1.frames.iter().flat_map(|f| &f.reactions).fold(0.0_f64, |m, r| m.max(r.force[1].abs()));
    inverse
        .frames(&mut |frame| {
            let other = &before.1.frames[k];
            for (a, b) in frame.positions.iter().zip(&other.positions) {
                worst[0] = worst[0].max((a[0] - b[0]).abs().max((a[1] - b[1]).abs()));
            }
            for (a, b) in frame.reactions.iter().zip(&other.reactions) {
                worst[1] = worst[1]
                    .max((0..2).fold(0.0, |m: f64, c| m.max((a.force[c] - b.force[c]).abs())) / force);
            }
            let sum = frame.energy() - frame.work;
            drift = drift.max((sum - *first.get_or_insert(sum)).abs());
            k += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    println!("excavator: points {:.1e} m, reactions {:.1e}, E - W {drift:.1e} J", worst[0], worst[1]);
    assert_eq!(k, before.1.frames.len());
    assert!(worst[0] < 1e-10 && worst[1] < 1e-8, "{worst:?}");
    // hundreds of kilojoules go back and forth
    assert!(drift < 1e-4, "{drift}");
    free.settings.tolerance = 1e-12;
    // 1e-9 of a meganewton on a tonne, for three seconds, of both signs
    comes_back(&free, &inverse, &before, &joints, 1e-8);
}

/// The three cranks of a 3-RRR manipulator are driven; then supplied by torques.
#[test]
fn cross_round_trip_of_a_3rrr_manipulator() {
    let mut free = without_drivers("manipulator-3rrr");
    free.settings.duration = 1.0;
    free.settings.output_step = 0.002;
    let joints = ["1", "7", "9"];
    let driven = joints
        .iter()
        .zip([0.1, -0.08, 0.12])
        .fold(free.clone(), |model, (joint, size)| drive(model, joint, &format!("{size}*(1 - cos(3*t))")));
    let before = run(&driven);
    let motion = recorded(&before, &["joint.1.q", "joint.7.q", "joint.9.q"]);
    let inverse = solve(&free, &motion, &by(&["joint.1", "joint.7", "joint.9"]));
    for joint in joints {
        let found = inverse.forces(&format!("joint.{joint}")).unwrap();
        let off = apart(found, &column(&before, &format!("driver.{joint}.torque")));
        println!("3-RRR, {joint}: {off:.1e}");
        assert!(off < 1e-8, "{joint}: {off}");
    }
    // the same by the place of the platform
    let motion = recorded(&before, &["point.center.x", "point.center.y", "joint.9.q"]);
    let same = solve(&free, &motion, &by(&["joint.1", "joint.7", "joint.9"]));
    for joint in joints {
        let name = format!("joint.{joint}");
        let off = apart(&same.forces(&name).unwrap()[10..490], &inverse.forces(&name).unwrap()[10..490]);
        // but for the ends, where the sixth derivative of the platform's path counts, which is larger
        assert!(off < 1e-7, "{off}");
    }
    free.settings.tolerance = 1e-12;
    comes_back(&free, &inverse, &before, &joints, 1e-8);
}

/// A five-bar falls under known torques; two of them are found from its motion, the third keeps its own law.
#[test]
fn cross_known_torques_are_found() {
    let text = FIVE_BAR.replace("joint = \"A\", torque = 0", "joint = \"A\", torque = \"25*cos(2*t)\"");
    let text = text.replace("joint = \"E\", torque = 0", "joint = \"E\", torque = \"-20 + 8*t\"");
    let text = text.replace("joint = \"C\", torque = 0", "joint = \"C\", torque = \"3*sin(t)\"");
    let mut model = Model::from_toml(&text).unwrap();
    // later the middle of it is stretched, and derivatives of the motion grow
    model.settings = settings(0.08, 0.0008, 1e-13);
    let before = run(&model);
    let inverse = solve(&model, &recorded(&before, &["joint.A.q", "joint.E.q"]), &by(&["a", "e"]));
    for name in ["a", "e"] {
        let off = apart(inverse.forces(name).unwrap(), &column(&before, &format!("actuator.{name}.torque")));
        println!("five-bar under known torques, {name}: {off:.1e}");
        assert!(off < 1e-8, "{name}: {off}");
    }
}

/// A thin rod on a ball joint does not know its own turns: two freedoms, moved by two struts to its end A. Of a rod, r × (f + m g/2 − m r̈/3) = 0, r from O to A.
#[test]
fn exact_thin_rod_in_space() {
    let text = "format = 1\n[model]\ndimension = 3\ngravity = [0, 0, -9.81]\n[points]\nO = [0, 0, 0]\nA = [0.1, 0.2, -1.987460691435179]\nS = [3, 0, 0]\nT = [0, 3, -1]\n\
        [bodies]\nground = { points = [\"O\", \"S\", \"T\"] }\nrod = { points = [\"O\", \"A\"], mass = 3 }\n\
        [actuators]\ns = { between = [\"S\", \"A\"], force = 0 }\nt = { between = [\"T\", \"A\"], force = 0 }\n";
    let mechanism = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}")).assemble().unwrap();
    let t: Vec<f64> = (0..=50).map(|i| 0.02 * f64::from(i)).collect();
    let course = |f: &dyn Fn(f64) -> [f64; 3]| -> [Vec<f64>; 3] {
        std::array::from_fn(|k| t.iter().map(|t| f(*t)[k]).collect())
    };
    let x = |t: f64| [0.1 + 0.3 * (2.0 * t).sin(), 0.6 * (2.0 * t).cos(), -1.2 * (2.0 * t).sin()];
    let y = |t: f64| [0.2 * t.cos(), -0.2 * t.sin(), -0.2 * t.cos()];
    let ([a, b, c], [d, e, f]) = (course(&x), course(&y));
    let motion = Motion::new(&t[..], Smoothing::Through).unwrap();
    let motion = motion.prescribe_with_derivatives("point.A.x", &a, &b, &c).unwrap();
    let motion = motion.prescribe_with_derivatives("point.A.y", &d, &e, &f).unwrap();
    let inverse = mechanism.inverse(&motion, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((inverse.degrees_of_freedom(), inverse.multiplicity()), (2, 0));
    let mut worst = 0.0_f64;
    for (k, &t) in t.iter().enumerate() {
        let ([x, vx, ax], [y, vy, ay]) = (x(t), y(t));
        let z = -(4.0 - x * x - y * y).sqrt();
        let vz = -(x * vx + y * vy) / z;
        let az = -(x * ax + y * ay + vx * vx + vy * vy + vz * vz) / z;
        let (m, r) = (3.0, [x, y, z]);
        let mut left = [-m / 3.0 * ax, -m / 3.0 * ay, -m / 3.0 * az - m / 2.0 * G];
        for (name, from) in [("s", [3.0, 0.0, 0.0]), ("t", [0.0, 3.0, -1.0])] {
            let d: [f64; 3] = std::array::from_fn(|i| r[i] - from[i]);
            let size = inverse.forces(name).unwrap()[k] / d.iter().map(|d| d * d).sum::<f64>().sqrt();
            (0..3).for_each(|i| left[i] += size * d[i]);
        }
        worst = worst.max(linkwork::linalg::vec3::norm(linkwork::linalg::vec3::cross(r, left)));
    }
    println!("thin rod: moments of {worst:.1e} N m are left of up to 30 N m");
    assert!(worst < 1e-9, "{worst}");
}

const FIVE_BAR: &str = r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
A = [0, 0]
B = [-0.5, 1]
C = [0.6, 2]
D = [1.7, 1.1]
E = [1.2, 0]
[bodies]
ground = { points = ["A", "E"] }
ab = { points = ["A", "B"], mass = 1 }
bc = { points = ["B", "C"], mass = 2 }
cd = { points = ["C", "D"], mass = 1.5 }
de = { points = ["D", "E"], mass = 0.8 }
[actuators]
a = { joint = "A", torque = 0 }
e = { joint = "E", torque = 0 }
c = { joint = "C", torque = 0 }
"#;

/// A five-bar with motors at both ends and one in the middle: of all torques that make the motion those with the least Σ w a². The same from unit torques, one solve of the
/// forward dynamics each, and the pseudo-inverse of another library.
#[test]
fn cross_redundant_five_bar() {
    let model = Model::from_toml(FIVE_BAR).unwrap();
    let mechanism = model.assemble().unwrap();
    let t: Vec<f64> = (0..=40).map(|i| 0.02 * f64::from(i)).collect();
    let of = |f: &dyn Fn(f64) -> f64| -> Vec<f64> { t.iter().map(|t| f(*t)).collect() };
    let motion = Motion::new(&t[..], Smoothing::Through)
        .unwrap()
        .prescribe_with_derivatives(
            "joint.A.q",
            &of(&|t| 0.2 * (3.0 * t).sin()),
            &of(&|t| 0.6 * (3.0 * t).cos()),
            &of(&|t| -1.8 * (3.0 * t).sin()),
        )
        .unwrap()
        .prescribe_with_derivatives("joint.E.q", &of(&|t| 0.3 * t * t), &of(&|t| 0.6 * t), &of(&|_| 0.6))
        .unwrap();
    let weights = [("a", 1.0), ("e", 4.0), ("c", 0.3)];
    let settings =
        Settings { weights: weights.iter().map(|(n, w)| ((*n).into(), *w)).collect(), ..Settings::default() };
    let inverse = mechanism.inverse(&motion, &settings).unwrap();
    assert_eq!((inverse.degrees_of_freedom(), inverse.multiplicity()), (2, 1));
    let mut worst = 0.0_f64;
    for (k, state) in inverse.states().iter().enumerate() {
        // states of the mechanism with unknown forces: positions and rates are those of the plain one
        let mut plain = mechanism.initial_state(Formulation::Recursive).unwrap();
        plain.t = state.t;
        plain.coordinates.clone_from(&state.coordinates);
        plain.rates.clone_from(&state.rates);
        let n = plain.auxiliary.len().min(state.auxiliary.len());
        plain.auxiliary[..n].copy_from_slice(&state.auxiliary[..n]);
        let mut here = mechanism.at(&plain).unwrap();
        let rates = here.rates();
        // with no torque, and with unit torques: between the first link and the ground, and so on
        let bare = here.accelerations().unwrap();
        let wanted = &inverse.accelerations()[k];
        let columns: Vec<Vec<f64>> = ["A", "E", "C"]
            .iter()
            .map(|joint| {
                let mut unit = model.clone();
                let i = unit.actuators.iter().position(|a| a.name == joint.to_lowercase()).unwrap();
                unit.actuators[i].law = linkwork::model::ActuatorLaw::Torque(Formula::constant(1.0));
                let unit = unit.assemble().unwrap();
                let mut here = unit.at(&plain).unwrap();
                here.accelerations().unwrap().iter().zip(&bare).map(|(a, b)| a - b).collect()
            })
            .collect();
        let a = DMatrix::from_fn(rates.len(), 3, |r, c| columns[c][r] / weights[c].1.sqrt());
        let b = DVector::from_fn(rates.len(), |r, _| wanted[r] - bare[r]);
        let z = a.pseudo_inverse(1e-9).unwrap() * b;
        for (i, (name, weight)) in weights.iter().enumerate() {
            let found = inverse.forces(name).unwrap()[k];
            worst = worst.max((z[i] / weight.sqrt() - found).abs() / (1.0 + found.abs()));
        }
    }
    println!("redundant five-bar: {worst:.1e} from the pseudo-inverse");
    assert!(worst < 1e-10, "{worst}");
    assert!(inverse.acceleration_error() < 1e-11);
    // the least effort: the motors at the ends alone need more
    let effort = |inverse: &Inverse| -> f64 {
        inverse
            .supplies()
            .iter()
            .map(|s| {
                let weight = weights.iter().find(|(name, _)| *name == s.name).unwrap().1;
                s.forces.iter().map(|f| weight * f * f).sum::<f64>()
            })
            .sum()
    };
    let ends = mechanism.inverse(&motion, &by(&["a", "e"])).unwrap();
    assert!(effort(&inverse) < effort(&ends) && ends.multiplicity() == 0);
}

/// Two motors on one pin share its torque as 1/w.
#[test]
fn exact_two_motors_on_one_pin() {
    let text = FIVE_BAR.replace(
        "e = { joint = \"E\", torque = 0 }",
        "e = { joint = \"E\", torque = 0 }\na2 = { joint = \"A\", torque = 0 }",
    );
    let mechanism = Model::from_toml(&text).unwrap().assemble().unwrap();
    let t: Vec<f64> = (0..=20).map(|i| 0.02 * f64::from(i)).collect();
    let angle: Vec<f64> = t.iter().map(|t| 0.2 * (3.0 * t).sin()).collect();
    let motion = Motion::new(&t[..], Smoothing::Through).unwrap().prescribe("joint.A.q", &angle).unwrap();
    let motion = motion.prescribe("joint.E.q", &[0.0; 21]).unwrap();
    let settings = Settings { weights: vec![("a2".into(), 3.0)], ..by(&["a", "a2", "e"]) };
    let inverse = mechanism.inverse(&motion, &settings).unwrap();
    assert_eq!(inverse.multiplicity(), 1);
    let triple: Vec<f64> = inverse.forces("a2").unwrap().iter().map(|f| 3.0 * f).collect();
    assert!(apart(&triple, inverse.forces("a").unwrap()) < 1e-13);
}

/// A four-bar with ordinary hinges is over-constrained in space: the torque is that of the planar one, its reactions are not unique.
#[test]
fn cross_over_constrained_four_bar_in_space() {
    let text = |dimension: usize| {
        let point =
            |x: f64, y: f64| if dimension == 2 { format!("[{x}, {y}]") } else { format!("[{x}, {y}, 0]") };
        let joints = if dimension == 2 {
            String::new()
        } else {
            ["A", "B", "C", "D"]
                .iter()
                .zip([["ground", "ab"], ["ab", "bc"], ["bc", "cd"], ["cd", "ground"]])
                .map(|(at, [a, b])| {
                    format!("{at} = {{ type = \"revolute\", bodies = [\"{a}\", \"{b}\"], at = \"{at}\", axis = [0, 0, 1] }}\n")
                })
                .collect()
        };
        let body = |name: &str, points: &str, mass: f64| {
            format!(
                "{name} = {{ points = {points}, mass = {mass}, shape = {{ type = \"cylinder\", radius = \"1 mm\" }} }}\n"
            )
        };
        let body = |name: &str, points: &str, mass: f64| match dimension {
            2 => format!("{name} = {{ points = {points}, mass = {mass} }}\n"),
            _ => body(name, points, mass),
        };
        format!(
            "format = 1\n[model]\ndimension = {dimension}\ngravity = \"-y\"\n[points]\nA = {}\nB = {}\nC = {}\nD = {}\n[bodies]\nground = {{ points = [\"A\", \"D\"] }}\n{}{}{}[joints]\n{joints}",
            point(0.0, 0.0),
            point(0.0, 1.0),
            point(2.0, 2.0),
            point(2.0, 0.0),
            body("ab", "[\"A\", \"B\"]", 1.0),
            body("bc", "[\"B\", \"C\"]", 2.0),
            body("cd", "[\"C\", \"D\"]", 1.5),
        )
    };
    let t: Vec<f64> = (0..=60).map(|i| 0.02 * f64::from(i)).collect();
    let angle: Vec<f64> = t.iter().map(|t| 0.4 * (2.0 * t).sin()).collect();
    let motion = Motion::new(&t[..], Smoothing::Through).unwrap().prescribe("joint.A.q", &angle).unwrap();
    let find = |dimension: usize| {
        let mechanism =
            Model::from_toml(&text(dimension)).unwrap_or_else(|e| panic!("{e}")).assemble().unwrap();
        println!("{dimension}D: {} redundant", mechanism.redundancy().count);
        assert_eq!(mechanism.redundancy().count, if dimension == 2 { 0 } else { 3 });
        mechanism.inverse(&motion, &by(&["joint.A"])).unwrap_or_else(|e| panic!("{e}"))
    };
    let (plane, space) = (find(2), find(3));
    let off = apart(space.forces("joint.A").unwrap(), plane.forces("joint.A").unwrap());
    println!("four-bar in space against the plane: {off:.1e}");
    // cylinders of 1 mm have an inertia that rods do not have
    assert!(off < 1e-5, "{off}");
    assert!(space.acceleration_error() < 1e-9);
}

/// Noise of 1 mrad on a swing of 1 Hz, smoothed at 4 Hz: the torque is right within a few per cent, where differences of the data would be off by far more than the torque itself.
#[test]
fn cross_noise_is_smoothed() {
    let model = Model::planar("pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [2.0, 0.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], 3.0));
    let (rate, w) = (200.0, std::f64::consts::TAU);
    let t: Vec<f64> = (0..800).map(|i| f64::from(i) / rate).collect();
    let mut seed = 5_u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 2e-3
    };
    let angle: Vec<f64> = t.iter().map(|t| 0.5 * (w * t).sin() + noise()).collect();
    let exact = |t: f64| 4.0 * -0.5 * w * w * (w * t).sin() + 3.0 * G * (0.5 * (w * t).sin()).cos();
    let motion = Motion::new(&t[..], Smoothing::Cutoff(4.0)).unwrap().prescribe("joint.O.q", &angle).unwrap();
    let inverse = solve(&model, &motion, &by(&["joint.O"]));
    assert_eq!(inverse.smoothing(), Smoothing::Cutoff(4.0));
    let torque = inverse.forces("joint.O").unwrap();
    // half a second at the ends is left out: there the curve has data on one side only
    let off = |i: &usize| (torque[*i] - exact(t[*i])).abs();
    let worst = (100..700).map(|i| off(&i)).fold(0.0, f64::max);
    let differences = (100..700)
        .map(|i| {
            4.0 * ((angle[i + 1] - 2.0 * angle[i] + angle[i - 1]) * rate * rate
                + 0.5 * w * w * (w * t[i]).sin())
            .abs()
        })
        .fold(0.0, f64::max);
    println!("torque up to 108 N m: off by {worst:.2} N m, by differences {differences:.0} N m");
    // noise of 0.58 mrad, rms, in a band of 4 of 100 Hz, times (2π 4 Hz)²: 0.1 rad/s², and three times that at times
    assert!(worst < 4.0 && differences > 200.0, "{worst} {differences}");
}
