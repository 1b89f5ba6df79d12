//! Universal, planar, point-on-plane, distance and floating joints: closed forms, balances of every body, and all
//! formulations against each other, in trees and closing loops.

use crate::suite;
use crate::suite::of_kind;
use linkwork::joints::{
    Distance, Floating, JointData, Oldham, Planar, PointOnLine, PointOnPlane, Prismatic, Revolute, Spherical,
    Universal,
};

use linkwork::linalg::vec3::{
    Mat3, Vec3, add, apply, apply_transposed, axpy, cross, dot, norm, scale, sub, unit,
};
use linkwork::mechanism::{BodyIndex, Mechanism, Tree};
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::Trajectory;
use suite::{G, applicable, run, settings};

const Z: Vec3 = [0.0, 0.0, 1.0];
/// How far the marks of a body are from its centre of mass, m.
const MARK: f64 = 0.1;

/// Adds a body with its centre of mass and three marks around it as points of its own, from which a test reads its motion.
fn with_body(
    mut model: Model,
    name: &str,
    points: &[&str],
    mass: f64,
    com: Vec3,
    inertia: [f64; 6],
) -> Model {
    let mut held: Vec<String> = points.iter().map(|p| p.to_string()).collect();
    for k in 0..4 {
        let mut at = com;
        if k > 0 {
            at[k - 1] += MARK;
        }
        model = model.point(format!("{name}{k}"), at);
        held.push(format!("{name}{k}"));
    }
    model.body(Body::with_inertia(name, held, mass, com, Inertia::Matrix(inertia)))
}

/// A body at an instant, read off its marks.
struct Motion {
    turned: Mat3,
    /// Place, velocity and acceleration of the centre of mass; and where it is drawn.
    c: Vec3,
    v: Vec3,
    a: Vec3,
    drawn: Vec3,
    w: Vec3,
    alpha: Vec3,
}

impl Motion {
    fn of(mechanism: &Mechanism, frame: &Frame, body: BodyIndex) -> Self {
        let Some(b) = body else {
            let turned = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            return Motion {
                turned,
                c: [0.0; 3],
                v: [0.0; 3],
                a: [0.0; 3],
                drawn: [0.0; 3],
                w: [0.0; 3],
                alpha: [0.0; 3],
            };
        };
        let name = &mechanism.model().bodies[b].name;
        let at = |k: usize| mechanism.points().iter().position(|p| p.name == format!("{name}{k}")).unwrap();
        let from_com = |list: &[Vec3], k: usize| scale(1.0 / MARK, sub(list[at(k)], list[at(0)]));
        let columns: [Vec3; 3] = [1, 2, 3].map(|k| from_com(&frame.positions, k));
        let (mut w, mut alpha) = ([0.0; 3], [0.0; 3]);
        for k in 1..4 {
            // Σ d × (ω × d) = 2ω over an orthonormal triple, and Σ d × (ω × (ω × d)) = 0
            w = axpy(w, 0.5, cross(columns[k - 1], from_com(&frame.velocities, k)));
            alpha = axpy(alpha, 0.5, cross(columns[k - 1], from_com(&frame.accelerations, k)));
        }
        Motion {
            turned: std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i])),
            c: frame.positions[at(0)],
            v: frame.velocities[at(0)],
            a: frame.accelerations[at(0)],
            drawn: mechanism.model().points.iter().find(|p| p.name == format!("{name}0")).unwrap().position,
            w,
            alpha,
        }
    }

    fn place(&self, drawn: Vec3) -> Vec3 {
        add(self.c, apply(&self.turned, sub(drawn, self.drawn)))
    }

    fn velocity(&self, r: Vec3) -> Vec3 {
        add(self.v, cross(self.w, sub(r, self.c)))
    }
}

/// How far the reactions of a frame are from balancing every body (forces and moments), and the power of the
/// constraints, relative to the largest force (times the size, times the largest speed). Springs, forces and couples
/// are not looked at.
fn audit(mechanism: &Mechanism, frame: &Frame) -> [f64; 2] {
    let model = mechanism.model();
    let motions: Vec<Motion> =
        (0..model.bodies.len()).map(|b| Motion::of(mechanism, frame, Some(b))).collect();
    let mut left: Vec<[Vec3; 2]> = Vec::new();
    let mut largest: f64 = 0.0;
    for (m, body) in motions.iter().zip(mechanism.bodies()) {
        let p = &body.particles.properties;
        let inertia = |x: Vec3| apply(&m.turned, apply(&p.inertia_about_com, apply_transposed(&m.turned, x)));
        let force = scale(p.mass, sub(m.a, model.gravity));
        left.push([force, add(inertia(m.alpha), cross(m.w, inertia(m.w)))]);
        // without gravity a fast body may feel nothing for an instant
        largest = largest.max(p.mass * norm(model.gravity)).max(norm(force));
        largest = largest.max(p.mass * mechanism.size() * dot(m.w, m.w));
    }
    let ground = Motion::of(mechanism, frame, None);
    let of = |body: BodyIndex| body.map_or(&ground, |b| &motions[b]);
    let mut power: f64 = 0.0;
    let mut fastest: f64 = 1e-3;
    for (joint, reaction) in mechanism.joints().iter().zip(&frame.reactions) {
        let entry = model.joints.iter().find(|j| j.name == joint.name).expect("every joint has an entry");
        let drawn = model.points.iter().find(|p| p.name == entry.at[1]).unwrap().position;
        let [first, second] = joint.bodies.map(of);
        let at = second.place(drawn);
        for (body, sign) in joint.bodies.into_iter().zip([1.0, -1.0]) {
            if let Some(b) = body {
                left[b][0] = axpy(left[b][0], sign, reaction.force);
                let moment = add(reaction.moment, cross(sub(at, motions[b].c), reaction.force));
                left[b][1] = axpy(left[b][1], sign, moment);
            }
        }
        let (slip, turn) = (sub(second.velocity(at), first.velocity(at)), sub(second.w, first.w));
        power = power.max((dot(reaction.force, slip) + dot(reaction.moment, turn)).abs());
        for body in [first, second] {
            fastest = fastest.max(norm(body.velocity(at))).max(mechanism.size() * norm(body.w));
        }
    }
    let balance = left.iter().fold(0.0_f64, |m, [f, k]| m.max(norm(*f)).max(norm(*k) / mechanism.size()));
    [balance / largest, power / (largest * fastest)]
}

/// Every formulation that takes a model: degrees of freedom, balance, power, and the first one's motion.
fn all_agree(
    what: &str,
    model: &Model,
    freedom: usize,
    audited: bool,
) -> (Mechanism, Vec<(Formulation, Trajectory)>) {
    let mut all: Vec<(Formulation, Trajectory)> = Vec::new();
    let mut worst = [0.0_f64; 5];
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(mechanism.degrees_of_freedom(), freedom, "{what}");
    for formulation in applicable(model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let (mechanism, run) = run(&model);
        assert!(
            run.summary.energy_drift < 1e-8,
            "{what}, {formulation:?}: drift {:.1e} J",
            run.summary.energy_drift
        );
        if audited {
            for frame in &run.frames {
                let [balance, power] = audit(&mechanism, frame);
                worst[3] = worst[3].max(balance);
                worst[4] = worst[4].max(power);
                assert!(
                    balance < 1e-9 && power < 1e-9,
                    "{what}, {formulation:?}, t = {}: {balance:.1e} {power:.1e}",
                    frame.t
                );
            }
        }
        if let Some((_, first)) = all.first() {
            let off = apart(&mechanism, first, &run);
            worst.iter_mut().zip(off).for_each(|(w, o)| *w = w.max(o));
            // one solve each at the start: rounding; then local errors of 1e-12
            assert!(off[0] < 1e-9 && off[1] < 1e-8 && off[2] < 1e-8, "{what}, {formulation:?}: {off:?}");
        }
        all.push((formulation, run));
    }
    let [a, r, p, balance, power] = worst;
    println!(
        "{what}: {freedom} degrees of freedom, {} formulations; accelerations {a:.1e}, reactions {r:.1e}, positions {p:.1e}; \
         balance {balance:.1e}, power {power:.1e}; cut {:?}, kept {:?}",
        all.len(),
        Tree::new(&mechanism).cut,
        Tree::new(&mechanism).kept,
    );
    (mechanism, all)
}

/// Largest differences: accelerations at the start, reactions and positions over the run; relative.
fn apart(mechanism: &Mechanism, a: &Trajectory, b: &Trajectory) -> [f64; 3] {
    let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(1e-3 * G, f64::max);
    let (f, g) = (&a.frames[0], &b.frames[0]);
    let accelerations = f.accelerations.iter().zip(&g.accelerations).map(|(p, q)| norm(sub(*p, *q)));
    let acceleration =
        accelerations.fold(0.0, f64::max) / largest(&mut f.accelerations.iter().map(|a| norm(*a)));
    let force = largest(&mut a.frames.iter().flat_map(|f| f.reactions.iter().map(|r| norm(r.force))));
    let (mut reaction, mut position): (f64, f64) = (0.0, 0.0);
    for (f, g) in a.frames.iter().zip(&b.frames) {
        for ((p, q), open) in f.reactions.iter().zip(&g.reactions).zip(&mechanism.redundancy().not_unique) {
            if !open.contains(&true) {
                reaction = reaction.max(norm(sub(p.force, q.force)) / force);
                reaction = reaction.max(norm(sub(p.moment, q.moment)) / (force * mechanism.size()));
            }
        }
        for (p, q) in f.positions.iter().zip(&g.positions) {
            position = position.max(norm(sub(*p, *q)) / mechanism.size());
        }
    }
    [acceleration, reaction, position]
}

const INERTIA: [f64; 6] = [0.03, 0.04, 0.05, 0.002, -0.001, 0.003];
const AXIS: Vec3 = [0.3, 1.0, 0.4];
/// Square to it.
const AXIS2: Vec3 = [1.0, -0.5, 0.5];

/// A joint of a kind at P, or between P and its neighbour P'.
fn joint(name: &str, kind: JointKind, bodies: [&str; 2], at: [&str; 2]) -> Joint {
    let at = if kind == JointKind::Distance { at } else { [at[0]; 2] };
    Joint::between(name, of_kind(kind, AXIS, AXIS2), bodies, at)
}

/// The kinds that hold something, and what they leave free.
const KINDS: [(JointKind, usize); 5] = [
    (JointKind::Oldham, 2),
    (JointKind::Universal, 2),
    (JointKind::Planar, 3),
    (JointKind::PointOnPlane, 5),
    (JointKind::Distance, 5),
];

/// An arm on a ball of the ground.
fn arm(name: &str) -> Model {
    let model = Model::spatial(name)
        .gravity([0.3, -0.2, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [0.4, 0.1, 0.2])
        .point("P'", [0.6, 0.0, 0.4])
        .ground(["O"])
        .settings(settings(0.6, 0.05, 1e-12));
    with_body(model, "arm", &["O", "P"], 1.0, [0.2, 0.1, 0.0], INERTIA)
        .joint(Joint::new("base", Spherical, ["ground", "arm"], "O"))
        .angular_velocity("arm", [1.0, -2.0, 0.5])
}

/// Each kind between two moving bodies, either of them first: the universal joint carries, the others leave the second body
/// floating.
#[test]
fn cross_between_bodies() {
    for (kind, free) in KINDS {
        for swapped in [false, true] {
            let mut model = arm("pair");
            model = with_body(model, "hand", &["P", "P'"], 0.7, [0.6, 0.05, 0.35], INERTIA);
            let distance = kind == JointKind::Distance;
            if distance {
                model.bodies[1].points.retain(|p| p != "P");
            }
            let (bodies, at) = match swapped {
                false => (["arm", "hand"], ["P", "P'"]),
                true => (["hand", "arm"], if distance { ["P'", "P"] } else { ["P", "P'"] }),
            };
            let model = model.joint(joint("J", kind, bodies, at));
            let (mechanism, all) = all_agree(&format!("{} {bodies:?}", kind.name()), &model, 3 + free, true);
            let tree = Tree::new(&mechanism);
            let carries = kind == JointKind::Universal;
            assert_eq!((tree.cut.is_empty(), tree.kept.is_empty()), (carries, !carries));
            let moment = all[0].1.columns.iter().any(|c| c.name == "joint.J.moment.x");
            assert_eq!(moment, matches!(kind, JointKind::Universal | JointKind::Planar | JointKind::Oldham));
            let coordinates = match kind {
                JointKind::Universal | JointKind::PointOnPlane | JointKind::Oldham => 2,
                JointKind::Planar => 3,
                _ => 0,
            };
            assert_eq!(
                mechanism.joints().iter().find(|j| j.name == "J").unwrap().coordinates.len(),
                coordinates
            );
        }
    }
}

/// Each kind on the ground, which is first or second.
#[test]
fn cross_with_the_ground() {
    for (kind, free) in KINDS {
        for swapped in [false, true] {
            let mut model = Model::spatial("one body")
                .gravity([0.3, -0.2, -G])
                .point("P", [0.4, 0.1, 0.2])
                .point("P'", [0.6, 0.0, 0.4])
                .settings(settings(0.6, 0.05, 1e-12));
            let (on_ground, on_body) = if kind == JointKind::Distance { ("P", "P'") } else { ("P", "P") };
            model = model.ground([on_ground]);
            model = with_body(
                model,
                "hand",
                &[on_body, "P'"][..1 + usize::from(on_body == "P")],
                0.7,
                [0.6, 0.05, 0.35],
                INERTIA,
            );
            let (bodies, at) = match swapped {
                false => (["ground", "hand"], [on_ground, on_body]),
                true => (["hand", "ground"], [on_body, on_ground]),
            };
            let spin = match kind {
                JointKind::Oldham => [0.0; 3],
                JointKind::Planar => unit(AXIS),
                _ => scale(0.7, unit(AXIS2)),
            };
            let model = model.joint(joint("J", kind, bodies, at)).angular_velocity("hand", spin);
            all_agree(&format!("{} {bodies:?}", kind.name()), &model, free, true);
        }
    }
}

/// Each kind closing a loop: arm on a ball, hand hinged to it, the hand's end held to the ground. The universal
/// joint both carrying (the ball at P is cut then) and cut.
#[test]
fn cross_closing_a_loop() {
    for (kind, free) in KINDS {
        for (swapped, cut) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut model = arm("loop").point("E", [0.9, -0.3, 0.3]).point("F", [1.1, -0.2, 0.6]);
            model.ground.push("F".into());
            model = with_body(model, "hand", &["P", "P'", "E"], 0.7, [0.6, 0.05, 0.35], INERTIA)
                .joint(Joint::new("elbow", Spherical, ["arm", "hand"], "P"));
            let (bodies, at) = match swapped {
                false => (["hand", "ground"], ["E", "F"]),
                true => {
                    (["ground", "hand"], if kind == JointKind::Distance { ["F", "E"] } else { ["E", "E"] })
                }
            };
            model.initial = Initial::default();
            let mut closing = joint("J", kind, bodies, at);
            closing.cut = cut;
            let mut model = model.joint(closing);
            if matches!(kind, JointKind::PointOnPlane | JointKind::Distance) {
                // square to the arm: allowed whatever the rest does
                model = model.velocity("P", scale(0.8, cross(unit([0.2, -0.5, 1.0]), [0.4, 0.1, 0.2])));
            }
            let freedom = 6 + free - 6;
            let (mechanism, _) =
                all_agree(&format!("loop {} {bodies:?} cut {cut}", kind.name()), &model, freedom, true);
            let tree = Tree::new(&mechanism);
            let name = |j: &usize| mechanism.joints()[*j].name.as_str();
            let expected = if kind == JointKind::Universal && !cut { "elbow" } else { "J" };
            assert_eq!(tree.cut.iter().map(name).collect::<Vec<_>>(), [expected]);
            assert_eq!(tree.kept.len(), usize::from(expected == "elbow"));
        }
    }
}

/// A chain of universal joints, with a loop closed across one that keeps its row: what is kept is not counted twice.
#[test]
fn cross_chain_of_universal_joints() {
    let mut model = Model::spatial("chain").gravity([0.1, 0.2, -G]).settings(settings(0.5, 0.05, 1e-12));
    let at = |i: usize| [0.5 * i as f64, 0.1 * (i % 2) as f64, 0.05 * i as f64];
    for i in 0..5 {
        model = model.point(format!("J{i}"), at(i));
    }
    model = model.ground(["J0"]);
    for i in 0..4 {
        let com = add(scale(0.5, add(at(i), at(i + 1))), [0.02, -0.03, 0.04]);
        let name = format!("b{i}_");
        model = with_body(
            model,
            &name,
            &[&format!("J{i}"), &format!("J{}", i + 1)],
            1.0 - 0.1 * i as f64,
            com,
            INERTIA,
        );
        let before = if i == 0 { "ground".to_owned() } else { format!("b{}_", i - 1) };
        let bodies = if i % 2 == 0 { [before.as_str(), &name] } else { [name.as_str(), &before] };
        model = model.joint(joint(&format!("U{i}"), JointKind::Universal, bodies, [&format!("J{i}"), ""]));
    }
    all_agree("chain of four universal joints", &model, 8, true);
    let model = model.joint(Joint::between("link", Distance { length: None }, ["b0_", "b2_"], ["J1", "J3"]));
    let (mechanism, _) = all_agree("the same with a rod across two", &model, 7, true);
    assert_eq!(Tree::new(&mechanism).kept.len(), 4);
}

/// A plane and a rod beside a cross that the same two bodies share, named either way round: each takes a degree of freedom. A
/// slide beside them holds the bodies for good, so that it must fit as drawn.
#[test]
fn cross_beside_a_shared_point() {
    for bodies in [["arm", "hand"], ["hand", "arm"]] {
        let model = arm("pair").point("E", [0.9, -0.3, 0.3]);
        let model = with_body(model, "hand", &["P", "P'", "E"], 0.7, [0.6, 0.05, 0.35], INERTIA)
            .joint(joint("J", JointKind::Universal, ["arm", "hand"], ["P", ""]));
        let own = if bodies[0] == "arm" { ["arm0", "E"] } else { ["E", "arm0"] };
        let beside = |data: JointData| Joint::between("K", data, bodies, own);
        // a plane in which both points lie as drawn
        let normal = cross([0.7, -0.4, 0.3], [0.1, 0.3, 1.0]);
        let plane = beside(PointOnPlane { axis: Axis::Vector(normal) }.into());
        all_agree(&format!("plane beside a cross {bodies:?}"), &model.clone().joint(plane), 4, true);
        let rod = beside(Distance { length: None }.into());
        all_agree(&format!("rod beside a cross {bodies:?}"), &model.clone().joint(rod), 4, true);
        let slide = beside(Prismatic { axis: Axis::Vector(AXIS) }.into());
        // the points do not lie on the line of the slide, and the bodies cannot turn there
        let refused = model.joint(slide).assemble().unwrap_err().to_string();
        assert!(refused.contains("cannot be assembled") && refused.contains("joint `K`"), "{refused}");
    }
}

/// Two shafts at an angle β, coupled by a universal joint: tan θ₂ = cos β tan θ₁, counted from where the first fork is
/// square to the plane of the shafts. Spinning freely they keep ½ I₁ ω₁² + ½ I₂ ω₂², with ω₂/ω₁ = cos β / (cos²θ₁ + cos²β sin²θ₁).
/// The second shaft is held by the cross and by a point of its own on its line, so that no reaction is open.
#[test]
fn exact_universal_shafts() {
    let beta = 35f64.to_radians();
    let s2 = [beta.cos(), beta.sin(), 0.0];
    let across2 = [-beta.sin(), beta.cos(), 0.0];
    let (i1, i2, w0) = (0.02, 0.03, 7.0);
    let mut model = Model::spatial("shafts")
        .point("A", [-0.5, 0.0, 0.0])
        .point("O", [0.0, 0.0, 0.0])
        .point("B", scale(0.6, s2))
        .point("R1", [-0.2, 0.0, 0.1])
        .point("R2", axpy(scale(0.3, s2), 0.1, across2))
        .ground(["A"])
        .settings(settings(1.2, 0.01, 1e-13));
    model =
        with_body(model, "in", &["A", "O", "R1"], 1.0, [-0.25, 0.0, 0.0], [i1, 0.04, 0.04, 0.0, 0.0, 0.0]);
    // about s2: i2; square to it: 0.05
    let spread = |i: usize, j: usize| (i2 - 0.05) * s2[i] * s2[j] + if i == j { 0.05 } else { 0.0 };
    let inertia = [spread(0, 0), spread(1, 1), spread(2, 2), spread(0, 1), spread(0, 2), spread(1, 2)];
    model = with_body(model, "out", &["O", "B", "R2"], 0.8, scale(0.3, s2), inertia)
        .joint(Joint::new("bearing", Revolute { axis: Some(Axis::X) }, ["ground", "in"], "A"))
        .joint(Joint::new(
            "cross",
            Universal { axis: Axis::Vector(Z), axis2: Axis::Vector(across2) },
            ["in", "out"],
            "O",
        ))
        .joint(Joint::new("far", PointOnLine { axis: Axis::Vector(s2) }, ["ground", "out"], "B"))
        .angular_velocity("in", [w0, 0.0, 0.0]);
    // the cross closes the loop, or carries the second shaft and keeps its row
    for far_is_cut in [false, true] {
        model.joints[2].cut = far_is_cut;
        let (mechanism, all) = all_agree("universal shafts", &model, 1, true);
        assert_eq!(mechanism.redundancy().count, 0);
        assert_eq!(Tree::new(&mechanism).kept.len(), usize::from(far_is_cut));
        let point = |frame: &Frame, name: &str| {
            frame.positions[mechanism.points().iter().position(|p| p.name == name).unwrap()]
        };
        let ratio = |theta: f64| beta.cos() / (theta.cos().powi(2) + (beta.cos() * theta.sin()).powi(2));
        for (formulation, run) in &all {
            let (mut angle, mut speed, mut turned): (f64, f64, f64) = (0.0, 0.0, 0.0);
            for frame in &run.frames {
                // angles from marks on the shafts: z turns about x, `across2` turns about s2 towards z
                let (r1, r2) = (point(frame, "R1"), point(frame, "R2"));
                let theta1 = (-r1[1]).atan2(r1[2]);
                let theta2 = r2[2].atan2(dot(r2, across2));
                let expected = (beta.cos() * theta1.sin()).atan2(theta1.cos());
                angle = angle.max((theta2 - expected).sin().abs());
                let (w1, w2) =
                    (Motion::of(&mechanism, frame, Some(0)).w, Motion::of(&mechanism, frame, Some(1)).w);
                let k = ratio(theta1);
                let k0 = ratio(0.0);
                let exact = w0 * ((i1 + i2 * k0 * k0) / (i1 + i2 * k * k)).sqrt();
                speed = speed.max((w1[0] - exact).abs()).max((dot(w2, s2) - k * exact).abs());
                turned = turned.max(frame.t * w0);
            }
            println!(
                "universal shafts, {}: angle {angle:.1e} rad, speeds {speed:.1e} rad/s over {turned:.1} rad",
                formulation.name()
            );
            assert!(turned > std::f64::consts::TAU && angle < 1e-10 && speed < 1e-9, "{formulation:?}");
        }
    }
}

/// A disc on a tilted plane: constant acceleration along it, constant spin about the normal; the plane pushes with
/// −m g·n along n, and with the moment ω × Iω that a lopsided disc needs.
#[test]
fn exact_planar_disc_on_a_tilted_plane() {
    let n = unit([0.3, -0.2, 1.0]);
    let along = unit(cross(n, [1.0, 0.0, 0.0]));
    let (m, spin, v0) = (1.7, 4.0, scale(0.9, along));
    let mut model =
        Model::spatial("disc on a plane").gravity([0.0, 0.0, -G]).settings(settings(1.0, 0.05, 1e-12));
    model = model.point("C", [0.1, 0.2, 0.3]).ground(["C"]);
    model = with_body(model, "disc", &["C"], m, [0.1, 0.2, 0.3], INERTIA)
        .joint(Joint::new("table", Planar { axis: Axis::Vector(n) }, ["ground", "disc"], "C"))
        .velocity("disc0", v0)
        .angular_velocity("disc", scale(spin, n));
    let (mechanism, all) = all_agree("disc on a plane", &model, 3, true);
    let g = model.gravity;
    let slope = axpy(g, -dot(g, n), n);
    for (formulation, run) in &all {
        let (mut place, mut force): (f64, f64) = (0.0, 0.0);
        for frame in &run.frames {
            let motion = Motion::of(&mechanism, frame, Some(0));
            let exact = axpy(axpy([0.1, 0.2, 0.3], frame.t, v0), 0.5 * frame.t.powi(2), slope);
            place = place.max(norm(sub(motion.c, exact))).max(norm(sub(motion.w, scale(spin, n))));
            let inertia = mechanism.bodies()[0].particles.properties.inertia_about_com;
            let h = apply(&motion.turned, apply(&inertia, apply_transposed(&motion.turned, motion.w)));
            let reaction = frame.reactions[0];
            force = force.max(norm(sub(reaction.force, scale(-m * dot(g, n), n))));
            force = force.max(norm(sub(reaction.moment, cross(motion.w, h))));
        }
        println!("disc on a plane, {}: {place:.1e} m, rad/s; {force:.1e} N, N m", formulation.name());
        assert!(place < 1e-10 && force < 1e-9, "{formulation:?}");
    }
}

/// Two shafts in bearings whose lines are apart, joined by an Oldham coupling: a torque turns both alike, α = T / (J₁ + J₂), the coupling passes J₂ α on, and its halves slide
/// round a circle of the offset.
#[test]
fn exact_shafts_with_an_oldham_coupling() {
    let (j1, j2, torque, offset) = (0.3, 0.5, 2.0, 0.05);
    let mut model = Model::spatial("shafts").settings(settings(1.0, 0.05, 1e-12));
    model = model.point("A", [0.0, 0.0, 0.0]).point("B", [offset, 0.0, 0.4]).point("C", [0.0, 0.0, 0.2]);
    model = model.point("D", [offset, 0.0, 0.2]).ground(["A", "B"]);
    let inertia = |j: f64| [0.4, 0.45, j, 0.0, 0.0, 0.0];
    model = with_body(model, "in", &["A", "C"], 1.0, [0.0, 0.0, 0.1], inertia(j1));
    model = with_body(model, "out", &["B", "D"], 1.0, [offset, 0.0, 0.3], inertia(j2));
    let bearing = |name: &str, body: &str, at: &str| {
        Joint::new(name, Revolute { axis: Some(Axis::Vector(Z)) }, ["ground", body], at)
    };
    model = model
        .joint(bearing("A", "in", "A"))
        .joint(bearing("B", "out", "B"))
        .joint(Joint::between("J", Oldham { axis: Axis::Vector(Z) }, ["in", "out"], ["C", "D"]))
        .couple(Couple::new("motor", "in", [0.0, 0.0, torque]));
    let alpha = torque / (j1 + j2);
    for formulation in applicable(&model) {
        model.settings.formulation = formulation;
        let (mechanism, motion) = run(&model);
        let column = |name: &str| motion.column(&mechanism, name).unwrap();
        let (q, p, r) = (column("joint.B.q"), column("joint.J.q"), column("joint.J.q2"));
        let moment = column("joint.J.moment.z");
        let mut off: f64 = 0.0;
        for (k, frame) in motion.frames.iter().enumerate() {
            off = off.max((q[k] - 0.5 * alpha * frame.t.powi(2)).abs());
            off = off.max((p[k].hypot(r[k]) - offset).abs()).max((moment[k] - j2 * alpha).abs());
        }
        println!("shafts, {}: {off:.1e}", formulation.name());
        assert!(off < 1e-9, "{formulation:?}: {off:e}");
    }
}

/// A particle on a tilted plane flies a parabola in it and is pushed with −m g·n; on two planes it slides along their line.
#[test]
fn exact_particle_on_planes() {
    let n = unit([0.3, -0.2, 1.0]);
    let n2 = unit([0.9, 0.4, 0.1]);
    let m = 0.6;
    let v0 = cross(n, [0.5, 0.8, -0.3]);
    let one = Model::spatial("particle on a plane")
        .gravity([0.0, 0.0, -G])
        .point("P", [0.1, 0.2, 0.3])
        .body(Body::with_inertia("ball", ["P"], m, "P", Inertia::Matrix([0.0; 6])))
        .joint(Joint::new("floor", PointOnPlane { axis: Axis::Vector(n) }, ["ground", "ball"], "P"))
        .settings(settings(1.0, 0.05, 1e-12));
    let two = one.clone().joint(Joint::new(
        "wall",
        PointOnPlane { axis: Axis::Vector(n2) },
        ["ball", "ground"],
        "P",
    ));
    // a normal in the particle would turn with nothing
    assert!(two.assemble().is_err());
    let two = one.clone().joint(Joint::new(
        "wall",
        PointOnPlane { axis: Axis::Vector(n2) },
        ["ground", "ball"],
        "P",
    ));
    let one = one.velocity("P", v0);
    let line = unit(cross(n, n2));
    for (model, freedom) in [(one, 2), (two, 1)] {
        let (_, all) = all_agree("particle", &model, freedom, false);
        let g = model.gravity;
        let slope = if freedom == 2 { axpy(g, -dot(g, n), n) } else { scale(dot(g, line), line) };
        let start = if freedom == 2 { v0 } else { [0.0; 3] };
        for (formulation, run) in &all {
            let (mut place, mut force): (f64, f64) = (0.0, 0.0);
            for frame in &run.frames {
                let exact = axpy(axpy([0.1, 0.2, 0.3], frame.t, start), 0.5 * frame.t.powi(2), slope);
                place = place.max(norm(sub(frame.positions[0], exact)));
                let total = frame.reactions.iter().fold([0.0; 3], |s, r| add(s, r.force));
                force = force.max(norm(sub(total, scale(m, sub(slope, g)))));
                for (r, n) in frame.reactions.iter().zip([n, n2]) {
                    force = force.max(norm(cross(r.force, n))).max(norm(r.moment));
                }
            }
            println!(
                "particle on {} planes, {}: {place:.1e} m, {force:.1e} N",
                3 - freedom,
                formulation.name()
            );
            assert!(place < 1e-10 && force < 1e-9, "{formulation:?}");
        }
    }
}

/// A particle at a distance from a fixed point is a spherical pendulum: that of a massless rod with a ball. The
/// pull is m (v²/L − g·d/L).
#[test]
fn exact_distance_pendulum() {
    let (m, q) = (0.8, [0.5, -0.3, -0.6]);
    let base = || {
        Model::spatial("pendulum")
            .gravity([0.0, 0.0, -G])
            .point("O", [0.0; 3])
            .point("Q", q)
            .ground(["O"])
            .velocity("Q", cross([0.4, 1.0, 2.0], q))
            .settings(settings(2.0, 0.05, 1e-13))
    };
    let bob = Body::with_inertia("bob", ["Q"], m, "Q", Inertia::Matrix([0.0; 6]));
    let by_distance = base().body(bob).joint(Joint::between(
        "string",
        Distance { length: None },
        ["ground", "bob"],
        ["O", "Q"],
    ));
    let rod = Body::with_inertia("rod", ["O", "Q"], m, "Q", Inertia::Matrix([0.0; 6]));
    let (_, by_rod) = run(&base().body(rod));
    let (_, all) = all_agree("pendulum by a distance", &by_distance, 2, false);
    let length = norm(q);
    for (formulation, run) in &all {
        let (mut place, mut force): (f64, f64) = (0.0, 0.0);
        for (frame, other) in run.frames.iter().zip(&by_rod.frames) {
            place = place.max(norm(sub(frame.positions[1], other.positions[1])));
            let (d, v) = (frame.positions[1], frame.velocities[1]);
            let pull = m * (dot(v, v) + dot([0.0, 0.0, -G], d)) / length;
            force = force.max(norm(sub(frame.reactions[0].force, scale(-pull / length, d))));
            force = force.max(norm(frame.reactions[0].moment));
            force = force.max(norm(sub(frame.reactions[0].force, other.reactions[0].force)));
        }
        println!(
            "pendulum by a distance, {}: {place:.1e} m, {force:.1e} N against rod and closed form",
            formulation.name()
        );
        assert!(place < 1e-9 && force < 1e-8, "{formulation:?}");
    }
}

/// A four-bar whose coupler is a distance moves as one with a massless rod for a coupler, in the plane and in space; the
/// coupler pulls along itself with what the rod's pins carry.
#[test]
fn cross_distance_as_a_coupler() {
    let base = |spatial: bool| {
        let model = if spatial { Model::spatial("four-bar") } else { Model::planar("four-bar") };
        let z = |z: f64| if spatial { z } else { 0.0 };
        model
            .gravity([0.0, -G, 0.0])
            .point("A", [0.0, 0.0, 0.0])
            .point("B", [0.1, 1.0, z(0.2)])
            .point("C", [2.0, 1.6, z(-0.1)])
            .point("D", [2.0, 0.0, 0.0])
            .ground(["A", "D"])
            .body(Body::rod("crank", ["A", "B"], 1.0))
            .body(Body::rod("rocker", ["C", "D"], 1.5))
            .settings(settings(1.5, 0.05, 1e-12))
    };
    for (spatial, freedom) in [(false, 1), (true, 3)] {
        let distance = base(spatial).joint(Joint::between(
            "coupler",
            Distance { length: None },
            ["crank", "rocker"],
            ["B", "C"],
        ));
        let unsupported = Formulation::Kane.unsupported(&distance.assemble().unwrap());
        let path = if spatial { "simulation.formulation" } else { "joints.coupler" };
        assert!(unsupported.iter().any(|fault| fault.path == path), "{unsupported:?}");
        let (rods, by_rod) = run(&base(spatial).body(Body::rod("link", ["B", "C"], 0.0)));
        let (_, all) = all_agree("four-bar with a distance", &distance, freedom, false);
        let pin = rods.joints().iter().position(|j| j.name == "C").unwrap();
        // the first body of that pin is the rocker
        assert_eq!(rods.joints()[pin].bodies, [Some(1), Some(2)]);
        for (formulation, run) in &all {
            let (mut place, mut force): (f64, f64) = (0.0, 0.0);
            for (frame, other) in run.frames.iter().zip(&by_rod.frames) {
                for (p, q) in frame.positions.iter().zip(&other.positions) {
                    place = place.max(norm(sub(*p, *q)));
                }
                let pull = frame.reactions.last().unwrap().force;
                force = force.max(norm(add(pull, other.reactions[pin].force)));
                force = force.max(norm(cross(pull, unit(sub(frame.positions[2], frame.positions[1])))));
            }
            println!(
                "four-bar with a distance, {}: {place:.1e} m, {force:.1e} N against a massless rod",
                formulation.name()
            );
            assert!(place < 1e-9 && force < 1e-7, "{formulation:?}");
        }
    }
}

/// `length` moves the drawing: the assembly finds the position in which the points are that far apart.
#[test]
fn exact_length_of_a_distance_joint() {
    let model = |length: f64| {
        Model::planar("rough")
            .point("A", [0.0, 0.0])
            .point("B", [0.0, 1.0])
            .point("C", [2.0, 1.5])
            .point("D", [2.0, 0.0])
            .ground(["A", "D"])
            .body(Body::rod("crank", ["A", "B"], 1.0))
            .body(Body::rod("rocker", ["C", "D"], 1.0))
            .joint(Joint::between(
                "coupler",
                Distance { length: Some(length) },
                ["crank", "rocker"],
                ["B", "C"],
            ))
    };
    let mechanism = model(2.3).assemble().unwrap();
    let at = |name: &str| {
        mechanism.start_position(mechanism.points().iter().find(|p| p.name == name).unwrap().node)
    };
    let [a, b, c, d] = ["A", "B", "C", "D"].map(at);
    let off = (norm(sub(c, b)) - 2.3).abs() + (norm(sub(b, a)) - 1.0).abs() + (norm(sub(d, c)) - 1.5).abs();
    println!("lengths off by {off:.1e} m, moved {:?}", mechanism.assembly().moved);
    assert!(off < 1e-13 && mechanism.assembly().moved.len() == 2);
    assert!(model(9.0).assemble().unwrap_err().to_string().contains("cannot be assembled"));
}

/// A floating joint demands nothing: the same motion as without it, no columns, neither carried nor cut.
#[test]
fn exact_floating_joint_does_nothing() {
    let base = || {
        let mut model =
            Model::spatial("two bodies").gravity([0.0, 0.0, -G]).settings(settings(0.5, 0.05, 1e-12));
        model = model.point("P", [0.3, 0.1, 0.0]).point("Q", [0.9, 0.0, 0.2]);
        model = with_body(model, "one", &["P"], 1.0, [0.1, 0.0, 0.0], INERTIA);
        with_body(model, "two", &["P", "Q"], 0.7, [0.6, 0.0, 0.1], INERTIA)
            .angular_velocity("two", [3.0, 1.0, -2.0])
    };
    // at one point, of which each body has its own then
    let joined = base().joint(Joint::new("J", Floating, ["one", "two"], "P"));
    let joined = joined.point("O", [0.0; 3]).ground(["O"]);
    let joined = joined.joint(Joint::between("K", Floating, ["ground", "two"], ["O", "Q"]));
    let mut apart = base();
    apart.bodies[0].points.retain(|p| p != "P");
    let (mechanism, all) = all_agree("floating", &joined, 12, true);
    let tree = Tree::new(&mechanism);
    assert!(tree.cut.is_empty() && tree.kept.is_empty() && tree.branches.iter().all(|b| b.joint.is_none()));
    let (_, alone) = run(&apart);
    for (formulation, run) in &all {
        let shown = |c: &str| run.columns.iter().filter(|column| column.name.starts_with(c)).count();
        assert_eq!((shown("joint.J."), shown("joint.K.force")), (12, 0), "{formulation:?}");
        let last = [&run.frames, &alone.frames].map(|frames| frames.last().unwrap().positions[1]);
        assert!(norm(sub(last[0], last[1])) < 1e-10, "{formulation:?}: {last:?}");
    }
    // bodies that share a point are not free of each other
    let bound = base().joint(Joint::between("J", Floating, ["one", "two"], ["one0", "Q"]));
    assert!(bound.assemble().unwrap_err().to_string().contains("neither is free"));
}

/// Thin rods and particles on each kind: turns that move nothing, and turns that the joint grips.
#[test]
fn cross_thin_bodies() {
    let base = |name: &str| {
        Model::spatial(name)
            .gravity([0.3, -0.2, -G])
            .point("O", [0.0, 0.0, 0.0])
            .point("P", [0.6, 0.1, 0.2])
            .point("Q", [1.0, 0.5, 0.4])
            .settings(settings(0.6, 0.05, 1e-12))
    };
    let line = sub([0.6, 0.1, 0.2], [0.0; 3]);
    let vector = |v: Vec3| Axis::Vector(v);
    let across = unit(cross(line, Z));
    let third = unit(cross(line, across));
    // a rod on a cross: the second axis along itself, square to itself, or aslant
    for (what, axis, axis2) in [
        ("along the rod", across, line),
        ("square to the rod", across, third),
        ("aslant", across, add(third, scale(0.7, unit(line)))),
        ("first along, second square", line, third),
    ] {
        for bodies in [["ground", "rod"], ["rod", "ground"]] {
            let mut model = base("rod on a cross").ground(["O"]).body(Body::rod("rod", ["O", "P"], 1.0));
            model.points.pop();
            let cross_axes = Universal { axis: vector(axis), axis2: vector(axis2) };
            let model = model.joint(Joint::new("J", cross_axes, bodies, "O"));
            // an axis along the rod does not grip its spin, which is none then
            let own = if bodies[1] == "rod" { axis2 } else { axis };
            let other = if bodies[1] == "rod" { axis } else { axis2 };
            let parallel = |v: Vec3| norm(cross(unit(v), unit(line))) < 1e-9;
            if parallel(other) {
                // where the other axis stands along the rod nothing tells how it spins
                assert!(model.assemble().unwrap_err().to_string().contains("undetermined"));
                continue;
            }
            let freedom = if parallel(own) { 1 } else { 2 };
            thin(&format!("rod on a cross, {what}, {bodies:?}"), &model, Some(freedom));
        }
    }
    // a rod that stands on a plane, or lies with an end on it
    for (kind, normal, freedom) in [
        (JointKind::Planar, line, 2),
        (JointKind::Planar, across, 3),
        (JointKind::PointOnPlane, line, 4),
        (JointKind::PointOnPlane, across, 4),
    ] {
        let mut model = base("rod on a plane").ground(["O"]).body(Body::rod("rod", ["O", "P"], 1.0));
        model.points.pop();
        let model = model.joint(Joint::new("J", of_kind(kind, normal, normal), ["ground", "rod"], "O"));
        thin(&format!("rod, {}, normal {normal:.1?}", kind.name()), &model, Some(freedom));
    }
    // the plane is fixed in a rod on a ball, and a particle moves in it
    for normal in [line, across] {
        let model = base("plane on a rod")
            .ground(["O"])
            .body(Body::rod("rod", ["O", "P"], 1.0))
            .body(Body::with_inertia("ball", ["Q"], 0.3, "Q", Inertia::Matrix([0.0; 6])))
            .joint(Joint::new("base", Spherical, ["ground", "rod"], "O"))
            .joint(Joint::between("J", PointOnPlane { axis: vector(normal) }, ["rod", "ball"], ["P", "Q"]));
        thin(&format!("plane on a rod, normal {normal:.1?}"), &model, None);
    }
    // rods held together by distances, one of them beside a ball
    let model = base("rods by a distance")
        .point("R", [1.4, 0.3, 0.1])
        .ground(["O"])
        .body(Body::rod("one", ["O", "P"], 1.0))
        .body(Body::rod("two", ["P", "Q"], 1.0))
        .body(Body::rod("three", ["Q", "R"], 0.5))
        .joint(Joint::between("J", Distance { length: None }, ["one", "three"], ["P", "R"]));
    thin("rods by a distance", &model, Some(5));
}

fn thin(what: &str, model: &Model, freedom: Option<usize>) {
    match model.assemble() {
        Ok(mechanism) => {
            all_agree(what, model, freedom.unwrap_or(mechanism.degrees_of_freedom()), false);
        }
        Err(faults) => panic!("{what}: {faults}"),
    }
}
