//! Entries under `[joints]` against what bodies share, and loads at joints.

use crate::suite;
use linkwork::joints::{Fixed, JointData, PointOnLine, PointOnPlane, Prismatic, Revolute, Spherical};

use linkwork::linalg::vec3::{norm, sub};
use linkwork::model::*;
use linkwork::simulation::Trajectory;
use suite::{G, planar_four_bar, run, settings};

/// A crowded pin with entries of its own: the pair that the model names is a joint, on the side it names,
/// and a weld between two of three bodies holds in every formulation.
#[test]
fn cross_named_joints_at_a_crowded_pin() {
    let bars = |data: JointData| {
        Model::planar("three bars, two of them named")
            .gravity([0.0, -G])
            .point("O", [0.0, 0.0])
            .point("P", [1.0, 0.0])
            .point("Q", [1.5, -0.5])
            .point("R", [1.5, 0.6])
            .ground(["O"])
            .body(Body::rod("a", ["O", "P"], 1.0))
            .body(Body::rod("b", ["P", "Q"], 1.0))
            .body(Body::rod("c", ["P", "R"], 1.0))
            .joint(Joint::new("w", data, ["c", "b"], "P"))
            .settings(settings(0.5, 0.05, 1e-12))
    };
    for (data, freedom) in [(JointData::from(Revolute { axis: None }), 3), (Fixed.into(), 2)] {
        let mut seen: Option<Trajectory> = None;
        for formulation in Formulation::ALL {
            let mut model = bars(data.clone());
            model.settings.formulation = formulation;
            let mechanism = model.assemble().unwrap();
            if !formulation.unsupported(&mechanism).is_empty() {
                continue;
            }
            let (mechanism, run) = run(&model);
            assert_eq!(mechanism.degrees_of_freedom(), freedom, "{data:?}");
            let names: Vec<&str> = mechanism.joints().iter().map(|j| j.name.as_str()).collect();
            assert_eq!(names, ["O", "w", "P.b"], "{data:?}");
            assert_eq!(mechanism.joints()[1].bodies, [Some(2), Some(1)]);
            if let Some(first) = &seen {
                for (f, g) in first.frames.iter().zip(&run.frames) {
                    for (p, q) in f.reactions.iter().zip(&g.reactions) {
                        let off = norm(sub(p.force, q.force)) + norm(sub(p.moment, q.moment));
                        assert!(off < 1e-8, "{data:?} {formulation:?}: {p:?} {q:?}");
                    }
                    assert!(norm(sub(f.positions[3], g.positions[3])) < 1e-9);
                }
            } else {
                seen = Some(run);
            }
        }
    }
}

/// Entries that contradict what is shared are refused by name, and three points in line are a hinge.
#[test]
fn exact_joint_entries_against_shared_points() {
    let flap = |joint: Option<Joint>, third: bool| {
        let mut model = Model::spatial("flap")
            .point("O", [0.0, 0.0, 0.0])
            .point("H1", [0.5, -0.1, 0.0])
            .point("H2", [0.5, 0.1, 0.0])
            .point("H3", [0.5, 0.0, 0.0])
            .point("E", [1.0, 0.0, 0.1])
            .ground(["O"]);
        let mut lower = vec!["H1", "H2", "E"];
        if third {
            lower.push("H3");
        }
        model = model
            .body(Body::new(
                "upper",
                ["O", "H1", "H2", "H3"],
                Mass::Shape(
                    Shape::Polygon {
                        outline: vec!["O".into(), "H1".into(), "H2".into()],
                        thickness: Some(0.01),
                    },
                    Amount::Mass(1.0),
                ),
            ))
            .body(Body::new(
                "lower",
                lower,
                Mass::Shape(
                    Shape::Polygon {
                        outline: vec!["H1".into(), "H2".into(), "E".into()],
                        thickness: Some(0.01),
                    },
                    Amount::Mass(1.0),
                ),
            ));
        match joint {
            Some(joint) => model.joint(joint),
            None => model,
        }
    };
    let mechanism = flap(None, true).assemble().unwrap();
    assert_eq!((mechanism.joints()[1].kind, mechanism.degrees_of_freedom()), (JointKind::Revolute, 4));
    let refused = |joint: Joint, word: &str| {
        let text = flap(Some(joint), false).assemble().unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
    };
    let on = |data: JointData| Joint::new("J", data, ["upper", "lower"], "H1");
    let hinge = |axis| on(Revolute { axis }.into());
    refused(on(Spherical.into()), "share 2 points");
    refused(hinge(Some(Axis::X)), "does not run along");
    assert!(flap(Some(hinge(None)), false).assemble().is_ok());
    let twice = planar_four_bar()
        .joint(Joint::new("J", Revolute { axis: None }, ["crank", "coupler"], "B"))
        .joint(Joint::new("K", Revolute { axis: None }, ["coupler", "crank"], "B"));
    assert!(twice.assemble().unwrap_err().to_string().contains("joined at this point by `J` already"));
}

/// A force at the point of a sliding joint acts on the body it names, wherever the other side is.
#[test]
fn cross_force_at_a_sliding_joint() {
    let mut seen: Option<f64> = None;
    for formulation in Formulation::ALL {
        let mut model = Model::planar("slider on a swing")
            .gravity([0.0, -G])
            .point("O", [0.0, 0.0])
            .point("S", [0.8, 0.0])
            .point("E", [1.2, 0.0])
            .ground(["O"])
            .body(Body::rod("swing", ["O", "E"], 1.0))
            .body(Body::with_inertia("slider", ["S"], 0.4, "S", Inertia::Polar(0.01)))
            .joint(Joint::new("slot", Prismatic { axis: Axis::X }, ["swing", "slider"], "S"))
            .settings(settings(0.3, 0.01, 1e-12));
        model.bodies[0].points.push("S".into());
        model = model.force(Force::new("f", "swing", "S", [0.0, 30.0]));
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        if !formulation.unsupported(&mechanism).is_empty() {
            continue;
        }
        let (mechanism, run) = run(&model);
        let q = *run.column(&mechanism, "joint.O.q").unwrap().last().unwrap();
        let first = *seen.get_or_insert(q);
        assert!(q.abs() > 0.1 && (q - first).abs() < 1e-9, "{formulation:?}: {q} {first}");
    }
}

/// Two rods side by side between the same points share a load in any proportion: the reactions along them are not
/// unique, and that is told; the motion is that of one rod of twice the mass.
#[test]
fn cross_parallel_rods_leave_their_reactions_open() {
    let model = |doubled: bool| {
        let mut model = Model::planar("parallel rods")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", [1.0, 0.2])
            .point("C", [1.6, -0.3])
            .ground(["A"])
            .body(Body::rod("upper", ["A", "B"], if doubled { 2.0 } else { 1.0 }))
            .settings(settings(1.0, 0.1, 1e-12));
        if !doubled {
            model = model.body(Body::rod("lower", ["A", "B"], 1.0));
        }
        model.body(Body::rod("end", ["B", "C"], 0.5))
    };
    let (two, two_run) = run(&model(false));
    let (_, one_run) = run(&model(true));
    assert_eq!((two.degrees_of_freedom(), two.redundancy().count), (2, 1));
    assert!(two.redundancy().not_unique.iter().any(|open| open[0] && open[1]));
    let (p, q) = (two_run.frames.last().unwrap().positions[2], one_run.frames.last().unwrap().positions[2]);
    assert!(norm(sub(p, q)) < 1e-10);
    let comparison = two.compare().unwrap();
    assert!(comparison.agrees() && comparison.ran() >= 6, "{comparison:#?}");
}

/// The reactions of a structure at rest, in every formulation that applies: (joint, force) on its second body.
fn at_rest(model: &Model, expected: &[(&str, [f64; 3])]) {
    for formulation in suite::applicable(model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let (mechanism, run) = run(&model);
        assert_eq!((mechanism.degrees_of_freedom(), mechanism.redundancy().count), (0, 0), "{}", model.name);
        let size = expected.iter().fold(0.0_f64, |s, e| s.max(norm(e.1)));
        let mut worst = 0.0_f64;
        for frame in [&run.frames[0], run.frames.last().unwrap()] {
            for (name, force) in expected {
                let j = mechanism.joints().iter().position(|j| j.name == *name).unwrap();
                worst = worst.max(norm(sub(frame.reactions[j].force, *force)) / size);
            }
        }
        println!("{}, {}: reactions off by {worst:.1e}", model.name, formulation.name());
        // a solve of a few equations
        assert!(worst < 1e-12, "{} {formulation:?}: {worst:e}", model.name);
    }
}

/// Beams of the textbooks: a pin that is a shared point, and a roller between the same two bodies.
#[test]
fn exact_beams_on_a_pin_and_a_roller() {
    let m = 120.0;
    let weight = m * G;
    let beam = |name: &str, length: f64, support: f64, axis: [f64; 3]| {
        Model::planar(name)
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("S", [support, 0.0])
            .point("E", [length, 0.0])
            .ground(["A"])
            .body(Body::with_inertia(
                "beam",
                ["A", "S", "E"],
                m,
                [length / 2.0, 0.0, 0.0],
                Inertia::Polar(m * length * length / 12.0),
            ))
            .joint(Joint::new("roller", PointOnLine { axis: Axis::Vector(axis) }, ["ground", "beam"], "S"))
            .settings(settings(1.0, 0.1, 1e-10))
    };
    let half = [0.0, weight / 2.0, 0.0];
    let x = [1.0, 0.0, 0.0];
    at_rest(&beam("simply supported beam", 3.0, 3.0, x), &[("A", half), ("roller", half)]);
    // overhanging: R = m g (l/2) / s
    let r = weight * 1.5 / 2.0;
    at_rest(
        &beam("overhanging beam", 3.0, 2.0, x),
        &[("A", [0.0, weight - r, 0.0]), ("roller", [0.0, r, 0.0])],
    );
    // on a slope of 30 deg the roller pushes square to it: R cos 30 = m g / 2
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let push = weight / 2.0 / cos;
    let slope = beam("beam on a slope", 3.0, 3.0, [cos, sin, 0.0]);
    at_rest(&slope, &[("A", [push * sin, weight / 2.0, 0.0]), ("roller", [-push * sin, push * cos, 0.0])]);
    // the other way round, and the ground lists both points
    let mut turned = slope.clone();
    turned.name = "beam with its roller named the other way round".into();
    turned.joints[0].bodies.reverse();
    turned.ground.push("S".into());
    at_rest(&turned, &[("A", [push * sin, weight / 2.0, 0.0]), ("roller", [push * sin, -push * cos, 0.0])]);
    // three rollers and no pin: two along x, one along y
    let mut rollers = beam("beam on three rollers", 3.0, 3.0, x);
    rollers.ground = vec![];
    let on = |name: &str, at: &str, axis: [f64; 3]| {
        Joint::new(name, PointOnLine { axis: Axis::Vector(axis) }, ["ground", "beam"], at)
    };
    rollers = rollers.joint(on("left", "A", x)).joint(on("wall", "E", [0.0, 1.0, 0.0]));
    rollers.points.retain(|p| p.name != "S");
    rollers.bodies[0].points.retain(|p| p != "S");
    rollers.joints.remove(0);
    rollers = rollers.joint(on("right", "E", x));
    at_rest(&rollers, &[("left", half), ("right", half), ("wall", [0.0; 3])]);
}

/// A door on two hinges that are entries of their own swings as one whose hinge is the line of two shared points; the hinges share
/// what they do together in open proportion, and their sum is that of the one hinge. With a latch it stands still.
#[test]
fn cross_door_on_two_hinges() {
    let door = |entries: &[(&str, JointKind)], axis: bool| {
        let mut model = Model::spatial("door")
            .gravity([0.0, -2.0, -G])
            .point("low", [0.0, 0.0, 0.3])
            .point("high", [0.0, 0.0, 1.7])
            .point("edge", [0.8, 0.1, 1.0])
            .ground(["low", "high"])
            .body(Body::with_inertia(
                "door",
                ["low", "high", "edge"],
                20.0,
                [0.4, 0.02, 1.0],
                Inertia::Matrix([6.0, 7.0, 1.2, 0.1, 0.05, 0.02]),
            ))
            .settings(settings(0.5, 0.05, 1e-11));
        for &(at, kind) in entries {
            let data: JointData = match kind {
                JointKind::Revolute => Revolute { axis: axis.then_some(Axis::Z) }.into(),
                _ => Spherical.into(),
            };
            model = model.joint(Joint::new(format!("hinge {at}"), data, ["ground", "door"], at));
        }
        model
    };
    let (one, one_run) = run(&door(&[], false));
    assert_eq!((one.degrees_of_freedom(), one.joints().len()), (1, 1));
    let kinds = [(JointKind::Revolute, true), (JointKind::Revolute, false), (JointKind::Spherical, false)];
    for (kind, axis) in kinds {
        let model = door(&[("low", kind), ("high", kind)], axis);
        for formulation in suite::applicable(&model) {
            let mut model = model.clone();
            model.settings.formulation = formulation;
            let (two, two_run) = run(&model);
            assert_eq!((two.degrees_of_freedom(), two.joints().len()), (1, 2), "{kind:?}");
            assert!(
                two.redundancy().not_unique.iter().all(|open| open[2]),
                "{kind:?}: {:?}",
                two.redundancy()
            );
            let moments = two.redundancy().not_unique.iter().any(|open| open[3] || open[4]);
            assert_eq!(moments, kind == JointKind::Revolute, "{:?}", two.redundancy().not_unique);
            let mut worst = [0.0_f64; 2];
            for (f, g) in one_run.frames.iter().zip(&two_run.frames) {
                worst[0] = worst[0].max(norm(sub(f.positions[2], g.positions[2])));
                let sum = [0, 1, 2].map(|c| g.reactions[0].force[c] + g.reactions[1].force[c]);
                worst[1] = worst[1].max(norm(sub(f.reactions[0].force, sum)) / (20.0 * G));
            }
            println!(
                "door, {} twice, {}: places off by {:.1e} m, sums of forces by {:.1e}",
                kind.name(),
                formulation.name(),
                worst[0],
                worst[1]
            );
            assert!(worst[0] < 1e-9 && worst[1] < 1e-8, "{kind:?} {formulation:?}: {worst:?}");
        }
    }
    // a latch at the edge: a point-on-plane joint between the same bodies
    let mut latched = door(&[("low", JointKind::Spherical), ("high", JointKind::Spherical)], false);
    let latch = Joint::new("latch", PointOnPlane { axis: Axis::Y }, ["ground", "door"], "edge");
    latched = latched.joint(latch);
    for formulation in suite::applicable(&latched) {
        let mut model = latched.clone();
        model.settings.formulation = formulation;
        let (mechanism, run) = run(&model);
        assert_eq!(mechanism.degrees_of_freedom(), 0);
        // about the hinge: 0.8 R = 0.4 · 20 · 2
        let frame = run.frames.last().unwrap();
        let r = frame.reactions[2].force;
        println!("latched door, {}: {r:?}", formulation.name());
        assert!(norm(sub(r, [0.0, 20.0, 0.0])) < 1e-9, "{formulation:?}: {r:?}");
    }
    // hinges whose axes are not the line through them hold the door
    let mut crooked = door(&[("low", JointKind::Revolute), ("high", JointKind::Revolute)], true);
    crooked.points[1].position = [0.3, 0.0, 1.7];
    assert_eq!(crooked.assemble().unwrap().degrees_of_freedom(), 0);
}

/// Which points are primary changes the coordinates and nothing else.
#[test]
fn same_motion_with_other_primary_points() {
    let coupler = |primary: &[&str]| {
        let mut model = planar_four_bar().point("P", [1.2, 2.4]).point("Q", [0.5, 1.9]);
        model.bodies[1] = Body::plate("coupler", ["B", "C", "P", "Q"], 2.0).primary(primary.iter().copied());
        model.settings = settings(1.0, 0.1, 1e-11);
        model
    };
    let (first, first_run) = run(&coupler(&[]));
    for primary in [["Q", "P", "C"], ["P", "B", "Q"], ["C", "P", "B"]] {
        for formulation in [Formulation::Points, Formulation::Momentum, Formulation::Recursive] {
            let mut model = coupler(&primary);
            model.settings.formulation = formulation;
            let (mechanism, run) = run(&model);
            let of_body: Vec<&str> =
                mechanism.bodies()[1].nodes.iter().map(|&n| mechanism.node_names()[n].as_str()).collect();
            assert_eq!(of_body, primary);
            let last = |run: &Trajectory| run.frames.last().unwrap().positions[2];
            let off = norm(sub(last(&run), last(&first_run)));
            println!("primary {primary:?}, {}: {off:.1e} m", formulation.name());
            assert!(off < 1e-9, "{primary:?}: {off:e}");
        }
        for body in
            first.body_particles().iter().chain(&coupler(&primary).assemble().unwrap().body_particles())
        {
            assert!(body.difference.iter().all(|d| *d < 1e-13), "{body:?}");
        }
    }
    let refused = |primary: &[&str], word: &str| {
        let text = coupler(primary).assemble().unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
    };
    refused(&["B", "C", "P", "Q"], "3 primary points say where a body is");
    refused(&["B", "D"], "not a point of `coupler`");
    let mut flat = coupler(&["B", "C", "Q"]);
    flat.points[5].position = [1.0, 1.5, 0.0];
    assert!(flat.assemble().unwrap_err().to_string().contains("lie on one line"));
}

/// Two hinges across each other, drawn at one place whose digits differ by a rounding: they are hinges all the same, in a drawing with extent and in one without.
#[test]
fn same_freedoms_of_points_a_rounding_apart() {
    let near: f64 = 0.010748717293312046;
    for apart in [0.0, 1.0, 2.0] {
        for more in ["", "ground = { points = ['y', 'far'] }\n"] {
            let ground = if more.is_empty() { "ground = { points = ['y'] }\n" } else { more };
            let text = format!(
                "format = 1\n[model]\ndimension = 3\n[points]\ny = [{near:?}, 0.1, 0.2]\nz = [{:?}, 0.1, 0.2]\n{}[bodies]\n{ground}\
                 one = {{ points = ['y', 'z'], mass = 1, com = [0, 0.1, 0.1], inertia = [1e-3, 2e-3, 2e-3] }}\n\
                 two = {{ points = ['z'], mass = 1, com = [0, 0.2, 0.1], inertia = [1e-3, 2e-3, 2e-3] }}\n[joints]\n\
                 a = {{ type = 'revolute', bodies = ['ground', 'one'], at = 'y', axis = [1, 0, 0] }}\n\
                 b = {{ type = 'revolute', bodies = ['one', 'two'], at = 'z', axis = [0, 1, 0] }}\n",
                near + apart * 2.0 * f64::EPSILON * near,
                if more.is_empty() { "" } else { "far = [0.5, 0, 0]\n" }
            );
            let mechanism = Model::from_toml(&text).unwrap().assemble().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(mechanism.degrees_of_freedom(), 2, "{apart} roundings\n{text}");
        }
    }
}
