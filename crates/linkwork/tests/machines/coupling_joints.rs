//! Screws, constant-velocity joints, gears, racks, wheels and curves: closed forms, degrees of freedom, reactions, and all
//! formulations against each other.

use crate::suite;
use linkwork::joints::{
    ConstantVelocity, Gear, JointData, PointOnCurve, PointOnLine, Prismatic, RackAndPinion, Revolute,
    Rolling, Screw,
};

use linkwork::linalg::vec3::{Vec3, norm, sub};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::simulation::Trajectory;
use std::f64::consts::{PI, TAU};
use suite::{G, applicable, run, settings};

/// Runs a model in every formulation; all must agree. Returns the first run.
fn all_agree(model: &Model, freedom: usize) -> (Mechanism, Trajectory) {
    let mut first: Option<(Mechanism, Trajectory)> = None;
    for formulation in applicable(model) {
        let settings = Settings { formulation, ..model.settings.clone() };
        let (mechanism, trajectory) = run(&model.clone().settings(settings));
        assert_eq!(mechanism.degrees_of_freedom(), freedom, "{}", model.name);
        let drift = trajectory.summary.relative_energy_drift();
        let Some((_, reference)) = &first else {
            println!("{}, {}: energy {drift:.1e}", model.name, formulation.name());
            assert!(drift < 1e-8, "{}: {drift}", model.name);
            first = Some((mechanism, trajectory));
            continue;
        };
        let (mut place, mut force, mut scale) = (0.0_f64, 0.0_f64, 1e-3_f64);
        for (a, b) in reference.frames.iter().zip(&trajectory.frames) {
            for (p, q) in a.positions.iter().zip(&b.positions) {
                place = place.max(norm(sub(*p, *q)));
            }
            for (j, (p, q)) in a.reactions.iter().zip(&b.reactions).enumerate() {
                let open = mechanism.redundancy().not_unique[j];
                for c in 0..3 {
                    scale = scale.max(p.force[c].abs());
                    if !open.iter().any(|o| *o) {
                        force = force.max((p.force[c] - q.force[c]).abs());
                    }
                }
            }
        }
        println!(
            "{}, {}: places {place:.1e} m, forces {:.1e}, energy {drift:.1e}",
            model.name,
            formulation.name(),
            force / scale
        );
        assert!(
            place < 1e-8 * mechanism.size().max(1.0) && force < 1e-7 * scale && drift < 1e-8,
            "{}",
            model.name
        );
    }
    first.expect("some formulation applies")
}

fn column(run: &(Mechanism, Trajectory), name: &str) -> Vec<f64> {
    run.1.column(&run.0, name).unwrap_or_else(|| panic!("no column {name}"))
}

fn worst(values: &[f64], run: &(Mechanism, Trajectory), exact: impl Fn(f64) -> f64) -> f64 {
    values.iter().zip(&run.1.frames).fold(0.0, |m, (v, f)| m.max((v - exact(f.t)).abs()))
}

fn solid(name: &str, points: &[&str], mass: f64, com: Vec3, inertia: [f64; 3]) -> Body {
    let [x, y, z] = inertia;
    Body::with_inertia(name, points.to_vec(), mass, com, Inertia::Matrix([x, y, z, 0.0, 0.0, 0.0]))
}

fn wheel(name: &str, points: &[&str], mass: f64, com: [f64; 2], polar: f64) -> Body {
    Body::with_inertia(name, points.to_vec(), mass, [com[0], com[1], 0.0], Inertia::Polar(polar))
}

/// A nut sinks on an upright screw: (m + I (2π/p)²) s̈ = −m g, over many turns.
#[test]
fn exact_nut_on_a_screw() {
    for pitch in [0.05, -0.05] {
        let (m, i) = (2.0, 0.01);
        let model = Model::spatial("screw")
            .gravity([0.0, 0.0, -G])
            .point("A", [0.0, 0.0, 1.0])
            .point("B", [0.3, 0.0, 1.0])
            .ground(["A"])
            .body(solid("nut", &["A", "B"], m, [0.0, 0.0, 1.0], [0.02, 0.02, i]))
            .joint(Joint::new("thread", Screw { axis: Axis::Z, pitch }, ["ground", "nut"], "A"))
            .settings(settings(3.0, 0.05, 1e-11));
        let run = all_agree(&model, 1);
        let a = -G * m / (m + i * (TAU / pitch).powi(2));
        let off = worst(&column(&run, "joint.thread.q2"), &run, |t| 0.5 * a * t * t);
        let turned = worst(&column(&run, "joint.thread.q"), &run, |t| 0.5 * a * t * t * TAU / pitch);
        // the thread's moment turns the nut
        let moment = worst(&column(&run, "joint.thread.moment.z"), &run, |_| i * a * TAU / pitch);
        println!("screw {pitch}: path {off:.1e} m, turn {turned:.1e} rad, moment {moment:.1e} N m");
        assert!(off < 1e-9 && turned < 1e-7 && moment < 1e-9);
    }
}

/// Two shafts bent by 35° in their bearings: both turn alike, and a couple on one speeds up both.
#[test]
fn exact_constant_velocity_shafts() {
    let bend = 35_f64.to_radians();
    let along: Vec3 = [bend.cos(), bend.sin(), 0.0];
    let (i1, i2, torque) = (0.02, 0.05, 3.0);
    // a cylinder of inertia i about its axis
    let second = Body::new(
        "second",
        ["O", "Q"],
        Mass::Shape(
            Shape::Cylinder {
                radius: 0.1,
                length: Some(0.4),
                pose: Orientation {
                    center: Some(Place::At([0.5 * along[0], 0.5 * along[1], 0.0])),
                    axis: Some(along),
                    side: None,
                },
            },
            Amount::Mass(i2 / 0.005),
        ),
    );
    let model = Model::spatial("constant velocity")
        .point("O", [0.0; 3])
        .point("P", [-1.0, 0.0, 0.0])
        .point("Q", along)
        .ground(["P", "Q"])
        .body(solid("first", &["P", "O"], 4.0, [-0.5, 0.0, 0.0], [i1, 0.3, 0.3]))
        .body(second)
        .joint(Joint::new("bearing 1", Revolute { axis: Some(Axis::X) }, ["ground", "first"], "P"))
        .joint(Joint::new(
            "bearing 2",
            Revolute { axis: Some(Axis::Vector(along)) },
            ["ground", "second"],
            "Q",
        ))
        .joint(Joint::new(
            "cv",
            ConstantVelocity { axis: Axis::X, axis2: Some(Axis::Vector(along)) },
            ["first", "second"],
            "O",
        ))
        .couple(Couple::new("engine", "first", [torque, 0.0, 0.0]))
        .settings(settings(0.6, 0.02, 1e-11));
    let run = all_agree(&model, 1);
    let rate = torque / (i1 + i2);
    let (one, two) = (column(&run, "joint.bearing 1.v"), column(&run, "joint.bearing 2.v"));
    let (first, second) = (worst(&one, &run, |t| rate * t), worst(&two, &run, |t| rate * t));
    println!("constant velocity: {first:.1e}, {second:.1e} rad/s");
    assert!(first < 1e-8 && second < 1e-8);
}

/// A gear of 0.1 m drives one of 0.25 m: (I₁ + I₂ (r₁/r₂)²) α₁ = M, and the teeth push with I₂ α₂ / r₂.
#[test]
fn exact_gear_pair() {
    let (r1, r2, i1, i2, torque) = (0.1, 0.25, 0.02, 0.3, 1.5);
    let model = Model::planar("gears")
        .point("A", [0.0, 0.0])
        .point("B", [r1 + r2, 0.0])
        .point("P", [r1, 0.0])
        .point("a", [0.0, r1])
        .point("b", [r1 + r2, r2])
        .ground(["A", "B", "P"])
        .body(wheel("pinion", &["A", "a"], 1.0, [0.0, 0.0], i1))
        .body(wheel("gear", &["B", "b"], 5.0, [r1 + r2, 0.0], i2))
        .joint(Joint::new("mesh", Gear { carrier: None }, ["pinion", "gear"], "P"))
        .couple(Couple::new("motor", "pinion", [0.0, 0.0, torque]))
        .settings(settings(2.0, 0.05, 1e-11));
    let run = all_agree(&model, 1);
    let alpha = torque / (i1 + i2 * (r1 / r2).powi(2));
    let one = worst(&column(&run, "joint.mesh.q"), &run, |t| 0.5 * alpha * t * t);
    let two = worst(&column(&run, "joint.mesh.q2"), &run, |t| -0.5 * alpha * t * t * r1 / r2);
    // on the gear, upwards at its left rim, which turns it clockwise
    let teeth = i2 * alpha * r1 / r2 / r2;
    let force = worst(&column(&run, "joint.mesh.force.y"), &run, |_| teeth);
    let bearing = worst(&column(&run, "joint.B.force.y"), &run, |_| -teeth);
    println!(
        "gears: {one:.1e}, {two:.1e} rad of {:.0}; teeth {force:.1e} N, bearing {bearing:.1e} N",
        2.0 * alpha
    );
    assert!(one < 1e-7 && two < 1e-7 && force < 1e-9 && bearing < 1e-9);
}

/// Sun, planet and a ring that stands still: the arm turns r_s / (2 (r_s + r_p)) times as fast as the sun.
#[test]
fn exact_planetary_gear() {
    let (rs, rp) = (0.1, 0.15);
    let (is, ip, ia, mp, ma, torque) = (0.01, 0.02, 0.05, 0.7, 0.4, 0.8);
    let c = rs + rp;
    let model = Model::planar("planetary gear")
        .point("O", [0.0, 0.0])
        .point("C", [c, 0.0])
        .point("S", [rs, 0.0])
        .point("R", [rs + 2.0 * rp, 0.0])
        .point("s", [0.0, rs])
        .point("p", [c, rp])
        .ground(["O"])
        .body(wheel("sun", &["O", "s"], 1.0, [0.0, 0.0], is))
        .body(wheel("arm", &["O", "C", "S", "R"], ma, [0.5 * c, 0.0], ia))
        .body(wheel("planet", &["C", "p"], mp, [c, 0.0], ip))
        .joint(Joint::new("sun-planet", Gear { carrier: Some("arm".into()) }, ["sun", "planet"], "S"))
        .joint(Joint::new("ring-planet", Gear { carrier: Some("arm".into()) }, ["ground", "planet"], "R"))
        .couple(Couple::new("motor", "sun", [0.0, 0.0, torque]))
        .settings(settings(2.0, 0.05, 1e-11));
    let run = all_agree(&model, 1);
    let ratio = rs / (2.0 * (rs + rp)); // arm to sun
    let planet = -rs / (2.0 * rp); // planet to sun, seen from outside
    let inertia = is
        + ia * ratio.powi(2)
        + ma * (0.5 * c * ratio).powi(2)
        + mp * (c * ratio).powi(2)
        + ip * planet.powi(2);
    let alpha = torque / inertia;
    let sun = worst(&column(&run, "joint.O.sun.v"), &run, |t| alpha * t);
    let arm = worst(&column(&run, "joint.O.arm.v"), &run, |t| ratio * alpha * t);
    println!("planetary: sun {sun:.1e}, arm {arm:.1e} rad/s of {:.0}", 2.0 * alpha);
    assert!(sun < 1e-8 && arm < 1e-8);
}

/// Bevel gears on axes at a right angle, in space.
#[test]
fn exact_bevel_gears() {
    let (r1, r2, i1, i2, torque) = (0.1, 0.2, 0.01, 0.06, 0.5);
    let model = Model::spatial("bevel gears")
        .point("A", [0.0, 0.0, 0.0])
        .point("A'", [0.0, 0.0, 0.3])
        .point("B", [-0.2, 0.0, 0.3])
        .point("B'", [0.1, 0.0, 0.3])
        .point("P", [r1, 0.0, 0.3 - r2])
        .ground(["A", "B", "P"])
        .body(solid("upright", &["A", "A'"], 2.0, [0.0, 0.0, 0.1], [0.02, 0.02, i1]))
        .body(solid("lying", &["B", "B'"], 3.0, [0.0, 0.0, 0.3], [i2, 0.05, 0.05]))
        .joint(Joint::new("bearing A", Revolute { axis: Some(Axis::Z) }, ["ground", "upright"], "A"))
        .joint(Joint::new("bearing B", Revolute { axis: Some(Axis::X) }, ["ground", "lying"], "B"))
        .joint(Joint::new("mesh", Gear { carrier: None }, ["upright", "lying"], "P"))
        .couple(Couple::new("motor", "upright", [0.0, 0.0, torque]))
        .settings(settings(2.0, 0.05, 1e-11));
    let run = all_agree(&model, 1);
    let alpha = torque / (i1 + i2 * (r1 / r2).powi(2));
    let one = worst(&column(&run, "joint.bearing A.v"), &run, |t| alpha * t);
    // t = z × x = y at P; the lying gear's rim there moves by x × (−r₂ z) = r₂ y
    let two = worst(&column(&run, "joint.bearing B.v"), &run, |t| alpha * t * r1 / r2);
    println!("bevel: {one:.1e}, {two:.1e} rad/s");
    assert!(one < 1e-8 && two < 1e-8);
}

/// A weight on a rack that hangs on a pinion: (m + I/r²) a = m g.
#[test]
fn exact_rack_and_pinion() {
    let (m, i, r) = (3.0, 0.04, 0.12);
    let model = Model::planar("rack and pinion")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [r, 0.0])
        .point("Q", [r, 0.4])
        .point("o", [0.0, r])
        .ground(["O", "P"])
        .body(wheel("pinion", &["O", "o"], 1.0, [0.0, 0.0], i))
        .body(wheel("rack", &["P", "Q"], m, [r, 0.2], 0.01))
        .joint(Joint::new("slide", Prismatic { axis: Axis::Y }, ["ground", "rack"], "P"))
        .joint(Joint::new("teeth", RackAndPinion { carrier: None }, ["pinion", "rack"], "P"))
        .settings(settings(2.0, 0.05, 1e-11));

    let run = all_agree(&model, 1);
    let a = -m * G / (m + i / (r * r));
    let path = worst(&column(&run, "joint.teeth.q2"), &run, |t| 0.5 * a * t * t);
    let turn = worst(&column(&run, "joint.teeth.q"), &run, |t| 0.5 * a * t * t / r);
    let force = worst(&column(&run, "joint.teeth.force.y"), &run, |_| m * (a + G));
    println!("rack: {path:.1e} m, {turn:.1e} rad, {force:.1e} N");
    assert!(path < 1e-8 && turn < 1e-7 && force < 1e-9);
}

/// A disc rolls down a slope of 20°, on either side of the line: a = g sin β / (1 + I/(m r²)).
#[test]
fn exact_disc_on_a_slope() {
    let (m, r) = (2.0, 0.3);
    let i = 0.7 * m * r * r;
    let beta = 20_f64.to_radians();
    let (u, n) = ([beta.cos(), -beta.sin()], [beta.sin(), beta.cos()]);
    for side in [1.0, -1.0] {
        let centre = [side * r * n[0], side * r * n[1]];
        let model = Model::planar("disc")
            .gravity([0.0, -G])
            .point("S", [0.0, 0.0])
            .point("C", centre)
            .point("c", [centre[0] + 0.1, centre[1]])
            .ground(["S"])
            .body(wheel("disc", &["C", "c"], m, centre, i))
            .joint(Joint::between(
                "roll",
                Rolling { axis: Axis::Vector([u[0], u[1], 0.0]), axis2: None, radius: None },
                ["ground", "disc"],
                ["S", "C"],
            ))
            .settings(settings(2.0, 0.05, 1e-11));
        let run = all_agree(&model, 1);
        let a = G * beta.sin() / (1.0 + i / (m * r * r));
        let path = worst(&column(&run, "joint.roll.q"), &run, |t| 0.5 * a * t * t);
        let turn = worst(&column(&run, "joint.roll.q2"), &run, |t| -side * 0.5 * a * t * t / r);
        // what the ground does along the slope is all that turns the disc
        let (x, y) = (column(&run, "joint.roll.force.x"), column(&run, "joint.roll.force.y"));
        let friction: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x * u[0] + y * u[1]).collect();
        let friction = worst(&friction, &run, |_| -i * a / (r * r));
        println!("disc {side}: {path:.1e} m, {turn:.1e} rad, friction {friction:.1e} N");
        assert!(path < 1e-8 && turn < 1e-7 && friction < 1e-9);
    }
}

/// A ball on a plane tilted about an odd axis, started across the slope: a = 5/7 of g's part in the plane, as a point would
/// with less gravity.
#[test]
fn exact_ball_on_a_plane() {
    let (m, r) = (1.3, 0.2);
    let i = 0.4 * m * r * r;
    let n: Vec3 = {
        let v: Vec3 = [0.3, -0.2, 1.0];
        v.map(|x| x / norm(v))
    };
    let at = |h: f64| n.map(|x| h * x);
    let c = at(r);
    let g: Vec3 = [0.0, 0.0, -G];
    let gn = g[2] * n[2];
    let down: Vec3 = std::array::from_fn(|k| 5.0 / 7.0 * (g[k] - gn * n[k]));
    // any direction in the plane
    let v0: Vec3 = {
        let v = [n[2], 0.0, -n[0]];
        v.map(|x| 1.4 * x)
    };
    let model = Model::spatial("ball")
        .gravity(g)
        .point("S", [0.0; 3])
        .point("C", c)
        .point("x", [c[0] + 0.1, c[1], c[2]])
        .point("y", [c[0], c[1] + 0.1, c[2]])
        .ground(["S"])
        .body(solid("ball", &["C", "x", "y"], m, c, [i, i, i]))
        .joint(Joint::between(
            "roll",
            Rolling { axis: Axis::Vector(n), axis2: None, radius: None },
            ["ground", "ball"],
            ["S", "C"],
        ))
        .velocity("C", v0)
        .settings(settings(1.5, 0.05, 1e-11));
    let run = all_agree(&model, 3);
    let mut off: f64 = 0.0;
    for frame in &run.1.frames {
        let t = frame.t;
        let exact: Vec3 = std::array::from_fn(|k| c[k] + v0[k] * t + 0.5 * down[k] * t * t);
        off = off.max(norm(sub(frame.positions[1], exact)));
    }
    println!("ball: {off:.1e} m");
    assert!(off < 1e-9);
}

/// A leaning disc rolls in a steady circle. With θ the lean of its plane from the vertical, Ω about the vertical and ω its spin about
/// its own axis, moments about the contact give (C + m r²) ω Ω cos θ + A Ω² sin θ cos θ = m g r sin θ, with ω counted along
/// the axis that points up and inwards as −ω. Tilt and speed stay as they are.
#[test]
fn exact_disc_in_a_steady_circle() {
    let (m, r, g) = (1.0, 0.4, G);
    let (axial, across) = (0.5 * m * r * r, 0.25 * m * r * r);
    let lean = 25_f64.to_radians();
    // the disc leans towards +y, its axis along x' = (0, cos, −sin)... rolling along +x
    let omega: f64 = 1.3; // about z, turning the track to the left, towards +y
    // (C + m r²) s Ω cos + A Ω² sin cos = m g r sin, s: spin that rolls the disc forwards
    let spin = (m * g * r * lean.sin() - across * omega * omega * lean.sin() * lean.cos())
        / ((axial + m * r * r) * omega * lean.cos());
    let e: Vec3 = [0.0, lean.sin(), lean.cos()]; // from the contact to the centre
    let axis: Vec3 = [0.0, lean.cos(), -lean.sin()]; // to the left and down
    let c = e.map(|x| r * x);
    // inertia tensor: across everywhere, axial along the axis
    let entry =
        |i: usize, j: usize| (if i == j { across } else { 0.0 }) + (axial - across) * axis[i] * axis[j];
    let inertia =
        Inertia::Matrix([entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]);
    // ω = spin about the axis (total along it) plus the part of Ω z across it
    let zx: f64 = axis[2];
    let w: Vec3 =
        std::array::from_fn(|k| spin * axis[k] + omega * ((if k == 2 { 1.0 } else { 0.0 }) - zx * axis[k]));
    let model = Model::spatial("leaning disc")
        .gravity([0.0, 0.0, -g])
        .point("S", [0.0; 3])
        .point("C", c)
        .point("a", std::array::from_fn::<f64, 3, _>(|k| c[k] + 0.1 * axis[k]))
        .point("e", std::array::from_fn::<f64, 3, _>(|k| c[k] + 0.1 * e[k]))
        .ground(["S"])
        .body(Body::with_inertia("disc", ["C", "a", "e"], m, c, inertia))
        .joint(Joint::between(
            "roll",
            Rolling { axis: Axis::Z, axis2: Some(Axis::Vector(axis)), radius: None },
            ["ground", "disc"],
            ["S", "C"],
        ))
        .angular_velocity("disc", w)
        .settings(settings(4.0, 0.05, 1e-11));
    let run = all_agree(&model, 3);
    let height = worst(&column(&run, "point.C.z"), &run, |_| c[2]);
    let up = worst(&column(&run, "point.a.z"), &run, |_| c[2] + 0.1 * axis[2]);
    println!("leaning disc: height {height:.1e} m, tilt {up:.1e} m");
    assert!(height < 1e-7 && up < 1e-7);
}

/// A bead on a curve through points on a line is a bead on that line.
#[test]
fn exact_bead_on_a_straight_curve() {
    let model = |wire: JointData| {
        Model::planar("bead")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", [1.0, -0.5])
            .point("D", [3.0, -1.5])
            .point("Q", [0.4, -0.2])
            .ground(["A", "B", "D"])
            .body(wheel("bead", &["Q"], 1.0, [0.4, -0.2], 0.01))
            .joint(Joint::new("wire", wire, ["ground", "bead"], "Q"))
            .settings(settings(0.5, 0.05, 1e-11))
    };
    let points = ["A", "B", "D"].map(String::from).to_vec();
    let curve = all_agree(&model(PointOnCurve { curve: points, closed: false }.into()), 2);
    let line = all_agree(&model(PointOnLine { axis: Axis::Vector([2.0, -1.0, 0.0]) }.into()), 2);
    let start = 0.4_f64.hypot(0.2);
    let off = column(&curve, "joint.wire.q")
        .iter()
        .zip(column(&line, "joint.wire.q"))
        .fold(0.0_f64, |m, (a, b)| m.max((a - start - b).abs()));
    println!("bead: {off:.1e} m");
    assert!(off < 1e-10);
}

/// A cam turns and lifts a follower: the curve moves. All formulations agree, energy is kept.
#[test]
fn cross_cam_and_follower() {
    let mut model = Model::planar("cam")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("F", [0.0, 0.5])
        .point("G", [0.0, 1.0]);
    let mut names = vec![];
    for k in 0..16 {
        // counter-clockwise from the top, where the follower touches
        let a = f64::from(k) * TAU / 16.0;
        let r = 0.45 + 0.05 * a.cos();
        names.push(format!("c{k}"));
        model = model.point(format!("c{k}"), [r * (PI / 2.0 + a).cos(), r * (PI / 2.0 + a).sin()]);
    }
    let mut held = vec!["O".to_string()];
    held.extend(names.clone());
    let model = model
        .ground(["O", "G"])
        .body(Body::with_inertia("cam", held, 3.0, [0.0; 3], Inertia::Polar(0.2)))
        .body(wheel("follower", &["F"], 0.5, [0.0, 0.6], 0.01))
        .joint(Joint::between("guide", Prismatic { axis: Axis::Y }, ["ground", "follower"], ["G", "F"]))
        .joint(Joint::new("contact", PointOnCurve { curve: names, closed: true }, ["cam", "follower"], "F"))
        .angular_velocity("cam", [0.0, 0.0, 8.0])
        .settings(settings(2.0, 0.02, 1e-11));
    let run = all_agree(&model, 1);
    let lift = column(&run, "point.F.y");
    let (low, high) = lift.iter().fold((f64::MAX, 0.0_f64), |(l, h), &y| (l.min(y), h.max(y)));
    println!("cam: follower from {low:.4} to {high:.4} m");
    assert!((low - 0.4).abs() < 1e-3 && (high - 0.5).abs() < 1e-3);
    // twice around and on: the way along the curve counts on
    let way = column(&run, "joint.contact.q");
    assert!(way.last().unwrap().abs() > 4.0, "{:?}", way.last());
}

/// A belt drive and a differential by proportions of joint angles, against the reduced inertia.
#[test]
fn exact_proportions_of_joints() {
    let base = || {
        let mut model = Model::planar("proportions").settings(settings(1.0, 0.05, 1e-11));
        let mut ground = vec![];
        for (k, name) in ["A", "B", "C"].into_iter().enumerate() {
            let x = k as f64;
            model = model.point(name, [x, 0.0]).point(format!("{name}'"), [x, 0.1]);
            ground.push(name);
        }
        model
            .ground(ground)
            .body(wheel("a", &["A", "A'"], 1.0, [0.0, 0.0], 0.02))
            .body(wheel("b", &["B", "B'"], 1.0, [1.0, 0.0], 0.05))
            .body(wheel("c", &["C", "C'"], 1.0, [2.0, 0.0], 0.03))
            .couple(Couple::new("motor", "a", [0.0, 0.0, 2.0]))
    };
    // a turns 2.5 times as far as b
    let belt = base().coupling(Coupling::ratio("belt", ["A", "B"], 2.5));
    let run = all_agree(&belt, 2);
    let alpha = 2.0 / (0.02 + 0.05 / 6.25);
    let off = worst(&column(&run, "joint.A.q"), &run, |t| 0.5 * alpha * t * t);
    // what the belt does to a: minus what b needs
    let torque = worst(&column(&run, "coupling.belt.torque"), &run, |_| -0.05 * alpha / 6.25);
    println!("belt: {off:.1e} rad, torque {torque:.1e} N m");
    assert!(off < 1e-8 && torque < 1e-10);
    // 2 a = b + c: the cage of a differential drives both sides, and neither knows the other's speed
    let terms = [("A", 2.0), ("B", -1.0), ("C", -1.0)].map(|(j, f)| (j.to_string(), 1, f)).to_vec();
    let differential = base().coupling(Coupling { name: "differential".into(), terms });
    let run = all_agree(&differential, 2);
    // each side gets the torque T: 0.05 β = 0.03 γ = T, 2 α = β + γ, 0.02 α = 2 − 2 T
    let t = 2.0 / (2.0 + 0.01 * (1.0 / 0.05 + 1.0 / 0.03));
    let b = worst(&column(&run, "joint.B.v"), &run, |time| t / 0.05 * time);
    let c = worst(&column(&run, "joint.C.v"), &run, |time| t / 0.03 * time);
    println!("differential: {b:.1e}, {c:.1e} rad/s");
    assert!(b < 1e-8 && c < 1e-8);
}
