//! The formulation `momentum` against `points`: the same accelerations, reactions and motions.

use crate::suite;

use linkwork::formulations::{Formulate, Momentum, MomentumCount, Points};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::Status;

const G: f64 = 9.81;

fn inertia(scale: f64) -> Inertia {
    Inertia::Matrix([0.03, 0.04, 0.05, 0.002, -0.001, 0.003].map(|i| scale * i))
}

/// State, derivative and reactions of a formulation.
fn evaluate(system: &mut impl Formulate, mechanism: &Mechanism, y: &[f64]) -> (Vec<f64>, Frame) {
    let mut dy = vec![0.0; system.dimension()];
    system.derivative(0.0, y, &mut dy).unwrap();
    let mut frame = Frame::new(mechanism);
    system.observe(0.0, y, &mut frame).unwrap();
    (dy, frame)
}

/// The state of `points` at a frame.
fn state(mechanism: &Mechanism, frame: &Frame) -> Vec<f64> {
    let d = mechanism.columns();
    let of = |x: &[[f64; 3]]| -> Vec<f64> {
        mechanism.coordinates().iter().flat_map(|&n| x[n][..d].to_vec()).collect()
    };
    of(&frame.nodes).into_iter().chain(of(&frame.node_velocities)).chain([0.0]).collect()
}

/// Accelerations and unique reactions at the start and after a while, where everything moves, to 1e-10 of the
/// largest; then the motion over one second to 1e-9 m.
fn compare(mut model: Model) -> Mechanism {
    model.settings = Settings { duration: 1.0, output_step: 0.1, tolerance: 1e-12, ..Default::default() };
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let by_points = mechanism.simulate().unwrap();
    assert_eq!(by_points.summary.status, Status::Finished);
    let (mut acceleration, mut reaction): (f64, f64) = (0.0, 0.0);
    for k in [0, 3, 7] {
        let y = state(&mechanism, &by_points.frames[k]);
        let (a, theirs) = evaluate(&mut Points::new(&mechanism).unwrap(), &mechanism, &y);
        let (b, ours) = evaluate(&mut Momentum::new(&mechanism).unwrap(), &mechanism, &y);
        let size = a.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        acceleration = a.iter().zip(&b).fold(acceleration, |m, (a, b)| m.max((a - b).abs() / size));
        let components = |f: &Frame| -> Vec<[f64; 6]> {
            let six = |j: &linkwork::linalg::spatial::Wrench| {
                std::array::from_fn(|c| if c < 3 { j.force[c] } else { j.moment[c - 3] })
            };
            f.reactions.iter().map(six).collect()
        };
        let (theirs, ours) = (components(&theirs), components(&ours));
        let size = theirs.iter().flatten().fold(1.0, |m: f64, v| m.max(v.abs()));
        for (j, (a, b)) in theirs.iter().zip(&ours).enumerate() {
            for c in (0..6).filter(|&c| !mechanism.redundancy().not_unique[j][c]) {
                let off = (a[c] - b[c]).abs() / size;
                assert!(
                    off < 1e-10,
                    "{}: joint `{}`[{c}] {a:?} {b:?}",
                    model.name,
                    mechanism.joints()[j].name
                );
                reaction = reaction.max(off);
            }
        }
    }
    let settings = Settings { formulation: Formulation::Momentum, ..mechanism.model().settings.clone() };
    let other = mechanism.clone().with_settings(settings);
    let by_momentum = other.simulate().unwrap();
    assert_eq!(by_momentum.summary.status, Status::Finished);
    let mut motion: f64 = 0.0;
    for (f, g) in by_points.frames.iter().zip(&by_momentum.frames) {
        for (p, q) in f.nodes.iter().flatten().zip(g.nodes.iter().flatten()) {
            motion = motion.max((p - q).abs());
        }
        motion = motion.max((f.work - g.work).abs());
    }
    println!(
        "{}: {:?}, accelerations {acceleration:.1e}, reactions {reaction:.1e}, motion {motion:.1e} m",
        model.name,
        Momentum::new(&mechanism).unwrap().count()
    );
    assert!(acceleration < 1e-10, "{}: accelerations {acceleration:.1e}", model.name);
    assert!(motion < 1e-9, "{}: motion {motion:.1e}", model.name);
    mechanism
}

fn box_of(name: &str, points: &[&str], com: [f64; 3], scale: f64) -> Body {
    Body::with_inertia(name, points.iter().copied(), scale, com, inertia(scale))
}

/// One body: free, about a point, about an axis, with a force, a couple and a spring.
#[test]
fn cross_single_bodies() {
    for (name, ground, count) in [
        ("free body", vec!["W"], [9, 6, 3]),
        ("body about a point", vec!["W", "A"], [6, 3, 3]),
        ("body about an axis", vec!["W", "A", "B"], [3, 1, 2]),
    ] {
        let mut model = Model::spatial(name)
            .gravity([0.2, -0.3, -G])
            .point("W", [0.3, 0.8, 0.9])
            .point("A", [0.0, 0.0, 0.0])
            .point("B", [0.3, 0.1, 0.0])
            .point("C", [0.1, 0.4, 0.05])
            .point("D", [0.1, -0.1, 0.35])
            .ground(ground.clone())
            .body(box_of("body", &["A", "B", "C", "D"], [0.15, 0.1, 0.1], 1.3))
            .force(Force::new("push", "body", "C", [1.0, -2.0, 0.5]))
            .couple(Couple::new("twist", "body", [0.1, 0.3, -0.2]))
            .spring(Spring::new("spring", ["W", "D"], 40.0).damping(0.7).free_length(0.5));
        if ground.len() < 3 {
            model = model.angular_velocity("body", [2.0, -3.0, 4.0]);
        }
        let mechanism = compare(model);
        let found = Momentum::new(&mechanism).unwrap().count();
        let [accelerations, momentum, constraints] = count;
        assert_eq!(found, MomentumCount { accelerations, reactions: 0, momentum, constraints }, "{name}");
    }
}

/// A body on the ground, a second on it by every kind of joint, either way round, and a third at the end.
#[test]
fn cross_spatial_chains() {
    use JointKind::*;
    for kind in [Spherical, Revolute, Prismatic, Cylindrical, PointOnLine, Fixed] {
        for bodies in [["arm", "hand"], ["hand", "arm"]] {
            let joint = Joint::new("J", kind, bodies, "P");
            let joint = match kind {
                Spherical | Fixed => joint,
                _ => joint.axis(Axis::Vector([0.3, 1.0, 0.4])),
            };
            compare(
                Model::spatial(format!("chain with {kind:?} {}", bodies[0]))
                    .gravity([0.3, -0.2, -G])
                    .point("O", [0.0, 0.0, 0.0])
                    .point("P", [0.4, 0.1, 0.2])
                    .point("Q", [0.9, -0.2, 0.5])
                    .point("R", [1.2, 0.1, 0.4])
                    .ground(["O"])
                    .body(box_of("arm", &["O", "P"], [0.2, 0.1, 0.0], 1.0))
                    .body(box_of("hand", &["P", "Q"], [0.6, 0.0, 0.3], 0.7))
                    .body(Body::rod("finger", ["Q", "R"], 0.2))
                    .joint(joint)
                    .spring(Spring::new("spring", ["O", "Q"], 30.0).damping(0.4))
                    .couple(Couple::new("twist", "hand", [0.1, 0.2, -0.1]))
                    .force(Force::new("push", "arm", "P", [0.5, 1.0, 0.2]))
                    .angular_velocity("arm", [1.0, -2.0, 0.5]),
            );
        }
    }
}

/// Two shared points are a hinge: plates, and bodies with four particles of their own.
#[test]
fn cross_shared_hinges() {
    compare(
        Model::spatial("plate and flap")
            .gravity([0.0, 0.0, -G])
            .point("O", [0.0, 0.0, 0.0])
            .point("P", [0.5, 0.1, 0.0])
            .point("H", [0.5, 0.4, 0.1])
            .point("Q", [1.1, 0.2, 0.3])
            .ground(["O"])
            .body(Body::plate("plate", ["O", "P", "H"], 1.0))
            .body(box_of("flap", &["P", "H", "Q"], [0.7, 0.2, 0.15], 0.6))
            .couple(Couple::new("c", "flap", [0.1, 0.2, -0.3]))
            .spring(Spring::new("s", ["O", "Q"], 20.0).damping(0.5))
            .angular_velocity("plate", [1.0, -2.0, 0.5]),
    );
}

fn floating_chain(n: usize) -> Model {
    let mut model = Model::spatial(format!("floating chain of {n}")).gravity([0.0, 0.3, -1.0]);
    let at = |i: usize| {
        let i = i as f64;
        [0.4 * i, 0.1 * (i * 1.3).sin(), 0.15 * (i * 0.7).cos()]
    };
    for i in 0..=n {
        model = model.point(format!("P{i}"), at(i));
    }
    for i in 0..n {
        let (p, q) = (at(i), at(i + 1));
        let com = [0, 1, 2].map(|c| 0.5 * (p[c] + q[c]) + [0.02, -0.03, 0.04][c]);
        let ends = [format!("P{i}"), format!("P{}", i + 1)];
        model = model
            .body(Body::with_inertia(format!("b{i}"), ends, 1.0, com, inertia(1.0)))
            .angular_velocity(format!("b{i}"), [1.0 - i as f64, 0.5 * i as f64, 2.0]);
    }
    model
}

/// Section 2.4.1: a floating chain of N bodies on spherical joints has 3N + 1 primary particles, 6N + 3 unknown
/// accelerations, 3N moment equations and 3 force equations, 3N distances.
#[test]
fn paper_floating_chain() {
    for n in 1..=5 {
        let mechanism = compare(floating_chain(n));
        assert_eq!(mechanism.coordinates().len(), 3 * n + 1);
        assert_eq!(
            Momentum::new(&mechanism).unwrap().count(),
            MomentumCount { accelerations: 6 * n + 3, reactions: 0, momentum: 3 * n + 3, constraints: 3 * n }
        );
    }
}

/// A floating body that shares all its four particles, each with a rod or another body.
#[test]
fn cross_trees() {
    let mut model = Model::spatial("hub with four arms").gravity([0.0, 0.0, -G]);
    let hub = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.1], [0.1, 0.6, 0.0], [0.1, 0.1, 0.7]];
    for (i, p) in hub.iter().enumerate() {
        model = model.point(format!("H{i}"), *p).point(format!("E{i}"), p.map(|x| 1.6 * x + 0.2));
    }
    model = model.body(box_of("hub", &["H0", "H1", "H2", "H3"], [0.2, 0.2, 0.2], 2.0));
    for i in 0..4 {
        let (h, e) = (format!("H{i}"), format!("E{i}"));
        let body = if i == 2 {
            box_of("arm2", &[&h, &e], [0.3, 0.9, 0.15], 0.5)
        } else {
            Body::rod(format!("arm{i}"), [&h, &e], 0.4)
        };
        model = model.body(body);
    }
    model = model
        .spring(Spring::new("s", ["E0", "E3"], 15.0).damping(0.3).free_length(0.4))
        .angular_velocity("hub", [1.0, 2.0, -0.5]);
    let mechanism = compare(model);
    // 12 of the hub, 3 for each rod, 6 for the box, whose third own particle follows
    assert_eq!(Momentum::new(&mechanism).unwrap().count().accelerations, 12 + 9 + 6);

    let mut model = Model::planar("hanger").gravity([0.0, -G]);
    let pins = [[0.0, 0.0], [1.0, 0.2], [0.4, 0.7], [-0.6, 0.3], [0.2, -0.5]];
    for (i, p) in pins.iter().enumerate() {
        model = model.point(format!("P{i}"), *p);
        if i > 0 {
            model = model.point(format!("E{i}"), [p[0] + 0.3, p[1] - 0.4]);
        }
    }
    model = model.ground(["P0"]).body(Body::with_inertia(
        "hub",
        (0..5).map(|i| format!("P{i}")).collect::<Vec<_>>(),
        2.0,
        [0.3, 0.2],
        Inertia::Polar(0.4),
    ));
    for i in 1..5 {
        model = model.body(Body::rod(format!("rod{i}"), [&format!("P{i}"), &format!("E{i}")], 0.5));
    }
    compare(model);
}

fn four_bar() -> Model {
    suite::planar_four_bar().couple(Couple::new("motor", "crank", [0.0, 0.0, 3.0]))
}

/// Loops in the plane: pins cut, a guide cut or carrying, a massless coupler.
#[test]
fn cross_planar_loops() {
    compare(four_bar());
    let mut light = four_bar();
    light.name = "four-bar with a massless coupler".into();
    light.bodies[1] = Body::rod("coupler", ["B", "C"], 0.0);
    compare(light);
    for cut in [false, true] {
        let mut guide = Joint::new("guide", JointKind::Prismatic, ["ground", "slider"], "C")
            .axis(Axis::Vector([1.0, 0.2, 0.0]));
        guide.cut = cut;
        let mechanism = compare(
            Model::planar(format!("slider-crank, guide cut: {cut}"))
                .gravity([0.0, -G])
                .point("A", [0.0, 0.0])
                .point("B", [0.2, 0.25])
                .point("C", [0.9, 0.1])
                .ground(["A"])
                .body(Body::rod("crank", ["A", "B"], 1.0))
                .body(Body::rod("rod", ["B", "C"], 1.0))
                .body(Body::with_inertia("slider", ["C"], 0.5, "C", Inertia::Polar(1e-3)))
                .joint(guide)
                .angular_velocity("crank", [0.0, 0.0, 8.0]),
        );
        assert_eq!(Momentum::new(&mechanism).unwrap().count().reactions, 2);
    }
    // three legs on a platform: two pins are cut
    let h = 3.0_f64.sqrt();
    let base = [[0.0, 0.0], [5.0, 0.0], [2.5, 4.33]];
    let corner = [[-1.0, -h / 3.0], [1.0, -h / 3.0], [0.0, 2.0 * h / 3.0]].map(|p| [1.5 + p[0], p[1] - 0.6]);
    let mut model = Model::planar("3-RRR").gravity([0.0, -G]).ground(["A0", "A1", "A2"]);
    for i in 0..3 {
        let d = [corner[i][0] - base[i][0], corner[i][1] - base[i][1]];
        let l = d[0].hypot(d[1]);
        let s = [-1.0, 1.0, -1.0][i] * (4.0 - l * l / 4.0).sqrt() / l;
        let elbow = [base[i][0] + d[0] / 2.0 - s * d[1], base[i][1] + d[1] / 2.0 + s * d[0]];
        model = model
            .point(format!("A{i}"), base[i])
            .point(format!("B{i}"), elbow)
            .point(format!("C{i}"), corner[i])
            .body(Body::rod(format!("lower{i}"), [&format!("A{i}"), &format!("B{i}")], 1.0))
            .body(Body::rod(format!("upper{i}"), [&format!("B{i}"), &format!("C{i}")], 1.0));
    }
    model = model
        .point("centre", [1.5, -0.6])
        .body(Body::with_inertia(
            "platform",
            ["C0", "C1", "C2", "centre"],
            3.0,
            "centre",
            Inertia::Polar(1.0),
        ))
        .force(Force::new("push", "platform", "centre", [10.0, 0.0]));
    let mechanism = compare(model);
    assert_eq!(Momentum::new(&mechanism).unwrap().count().reactions, 4);
}

/// Loops in space: hinges of two shared points, overconstrained; a crank and a rocker with a coupler on balls.
#[test]
fn cross_spatial_loops() {
    let mut model = Model::spatial("four-bar in space").gravity([0.0, -G, 0.0]);
    let flat = four_bar();
    for p in &flat.points {
        let [x, y, _] = p.position;
        model = model.point(&p.name, [x, y, -0.1]).point(format!("{}'", p.name), [x, y, 0.1]);
    }
    model = model.ground(["A", "A'", "D", "D'"]);
    for (name, p, q) in [("crank", "A", "B"), ("coupler", "B", "C"), ("rocker", "C", "D")] {
        let at = |n: &str| flat.points.iter().find(|x| x.name == n).unwrap().position;
        let com = [0, 1, 2].map(|c| 0.5 * (at(p)[c] + at(q)[c]));
        let points = [p.to_string(), format!("{p}'"), q.to_string(), format!("{q}'")];
        model = model.body(Body::with_inertia(name, points, 1.2, com, inertia(1.0)));
    }
    let mechanism = compare(model);
    assert_eq!(mechanism.redundancy().count, 3);

    for coupler in ["rod", "box"] {
        let body = match coupler {
            "rod" => Body::rod("coupler", ["B", "C"], 0.8),
            _ => box_of("coupler", &["B", "C"], [0.6, 0.2, 0.5], 0.8),
        };
        compare(
            Model::spatial(format!("RSSR with a {coupler}"))
                .gravity([0.0, 0.0, -G])
                .point("A", [0.0, 0.0, 0.0])
                .point("A'", [0.0, 0.3, 0.0])
                .point("B", [0.1, 0.0, 0.4])
                .point("C", [1.2, 0.5, 0.7])
                .point("D", [1.2, 0.6, 0.0])
                .point("D'", [1.5, 0.7, 0.0])
                .ground(["A", "A'", "D", "D'"])
                .body(box_of("crank", &["A", "A'", "B"], [0.05, 0.0, 0.2], 1.0))
                .body(body)
                .body(box_of("rocker", &["C", "D", "D'"], [1.2, 0.55, 0.3], 1.1))
                .couple(Couple::new("motor", "crank", [0.0, 1.0, 0.0]))
                .spring(Spring::new("s", ["B", "C"], 5.0).damping(0.2).free_length(1.0)),
        );
    }
}

/// Joints by entry in a loop in space, each of them cut in turn: their rows are the unknowns then.
#[test]
fn cross_cut_rows_in_space() {
    for cut in ["hinge", "guide", "ball"] {
        let joint = |name: &str, kind, bodies, at: &str| {
            let mut joint = Joint::new(name, kind, bodies, at);
            joint.cut = name == cut;
            joint
        };
        let mechanism = compare(
            Model::spatial(format!("crank and guide, cut at the {cut}"))
                .gravity([0.0, 0.0, -G])
                .point("A", [0.0, 0.0, 0.0])
                .point("B", [0.1, 0.2, 0.4])
                .point("C", [1.1, 0.4, 0.1])
                .ground(["A"])
                .body(box_of("crank", &["A", "B"], [0.05, 0.1, 0.2], 1.0))
                .body(box_of("rod", &["B", "C"], [0.6, 0.3, 0.3], 0.8))
                .body(box_of("slider", &["C"], [1.1, 0.45, 0.1], 0.5))
                .joint(
                    joint("hinge", JointKind::Revolute, ["ground", "crank"], "A")
                        .axis(Axis::Vector([0.1, 1.0, 0.0])),
                )
                .joint(
                    joint("guide", JointKind::Cylindrical, ["slider", "ground"], "C")
                        .axis(Axis::Vector([1.0, 0.1, 0.0])),
                )
                .joint(joint("ball", JointKind::Spherical, ["rod", "crank"], "B"))
                .angular_velocity("crank", [0.3, 3.0, 0.0]),
        );
        assert!(Momentum::new(&mechanism).unwrap().count().reactions >= 3);
    }
}

/// Two bars welded to each other at a pin that a third one carries.
#[test]
fn cross_weld_at_a_crowded_pin() {
    let mechanism = compare(
        Model::planar("weld at a crowded pin")
            .gravity([0.0, -G])
            .point("O", [0.0, 0.0])
            .point("P", [1.0, 0.0])
            .point("Q", [1.5, -0.5])
            .point("R", [1.5, 0.6])
            .ground(["O"])
            .body(Body::rod("a", ["O", "P"], 1.0))
            .body(Body::rod("b", ["P", "Q"], 1.0))
            .body(Body::rod("c", ["P", "R"], 1.0))
            .joint(Joint::new("weld", JointKind::Fixed, ["b", "c"], "P")),
    );
    assert_eq!(mechanism.degrees_of_freedom(), 2);
}

/// A parallelogram through its flat positions, where constraints lose rank and a cut pin's force is not unique.
#[test]
fn keeps_energy_through_singular_positions() {
    let mut model = Model::planar("parallelogram")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [1.0, 1.0])
        .point("D", [1.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("left", ["A", "B"], 1.0))
        .body(Body::rod("top", ["B", "C"], 1.0))
        .body(Body::rod("right", ["C", "D"], 1.0))
        .velocity("B", [1.0, 0.0])
        .settings(Settings { duration: 10.0, tolerance: 1e-10, ..Default::default() });
    model.settings.formulation = Formulation::Momentum;
    let run = model.assemble().unwrap().simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished);
    let off = run.frames.iter().fold(0.0, |m: f64, f| m.max((f.positions[1][1] - f.positions[2][1]).abs()));
    println!("parallelogram: dE {:.1e} J, off its branch by {off:.1e} m", run.summary.energy_drift);
    assert!(off < 1e-6 && run.summary.energy_drift < 1e-6);
}

/// A chain too long for dense equations is refused by name, not attempted.
#[test]
fn exact_long_chains_are_refused() {
    let mut model = floating_chain(170);
    model.settings.formulation = Formulation::Momentum;
    let faults = model.assemble().unwrap().simulate().unwrap_err();
    assert_eq!(faults.list[0].path, "simulation.formulation");
    assert!(faults.to_string().contains("here are 1023"), "{faults}");
}
