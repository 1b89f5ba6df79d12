//! Entries under `[joints]` against what bodies share, and loads at joints.

mod suite;

use linkwork::linalg::vec3::{norm, sub};
use linkwork::model::*;
use linkwork::simulation::Trajectory;
use suite::{G, planar_four_bar, run, settings};

/// A crowded pin with entries of its own: the pair that the model names is a joint, on the side it names,
/// and a weld between two of three bodies holds in every formulation.
#[test]
fn cross_named_joints_at_a_crowded_pin() {
    let bars = |kind: JointKind| {
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
            .joint(Joint::new("w", kind, ["c", "b"], "P"))
            .settings(settings(0.5, 0.05, 1e-12))
    };
    for (kind, freedom) in [(JointKind::Revolute, 3), (JointKind::Fixed, 2)] {
        let mut seen: Option<Trajectory> = None;
        for formulation in Formulation::ALL {
            let mut model = bars(kind);
            model.settings.formulation = formulation;
            let mechanism = model.assemble().unwrap();
            if !formulation.objections(&mechanism).is_empty() {
                continue;
            }
            let (mechanism, run) = run(&model);
            assert_eq!(mechanism.degrees_of_freedom(), freedom, "{kind:?}");
            let names: Vec<&str> = mechanism.joints.iter().map(|j| j.name.as_str()).collect();
            assert_eq!(names, ["O", "w", "P.b"], "{kind:?}");
            assert_eq!(mechanism.joints[1].bodies, [Some(2), Some(1)]);
            if let Some(first) = &seen {
                for (f, g) in first.frames.iter().zip(&run.frames) {
                    for (p, q) in f.reactions.iter().zip(&g.reactions) {
                        let off = norm(sub(p.force, q.force)) + norm(sub(p.moment, q.moment));
                        assert!(off < 1e-8, "{kind:?} {formulation:?}: {p:?} {q:?}");
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
    assert_eq!((mechanism.joints[1].kind, mechanism.degrees_of_freedom()), (JointKind::Revolute, 4));
    let refused = |joint: Joint, word: &str| {
        let text = flap(Some(joint), false).assemble().unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
    };
    let on = |kind| Joint::new("J", kind, ["upper", "lower"], "H1");
    refused(on(JointKind::Spherical), "share 2 points");
    refused(on(JointKind::Revolute).axis(Axis::Vector([1.0, 0.0, 0.0])), "does not run along");
    assert!(flap(Some(on(JointKind::Revolute)), false).assemble().is_ok());
    let twice = planar_four_bar()
        .joint(Joint::new("J", JointKind::Revolute, ["crank", "coupler"], "B"))
        .joint(Joint::new("K", JointKind::Revolute, ["coupler", "crank"], "B"));
    assert!(twice.assemble().unwrap_err().to_string().contains("joined by `J` already"));
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
            .joint(
                Joint::new("slot", JointKind::Prismatic, ["swing", "slider"], "S")
                    .axis(Axis::Vector([1.0, 0.0, 0.0])),
            )
            .settings(settings(0.3, 0.01, 1e-12));
        model.bodies[0].points.push("S".into());
        model = model.force(Force::new("f", "swing", "S", [0.0, 30.0]));
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        if !formulation.objections(&mechanism).is_empty() {
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
    assert_eq!((two.degrees_of_freedom(), two.redundancy.count), (2, 1));
    assert!(two.redundancy.not_unique.iter().any(|open| open[0] && open[1]));
    let (p, q) = (two_run.frames.last().unwrap().positions[2], one_run.frames.last().unwrap().positions[2]);
    assert!(norm(sub(p, q)) < 1e-10);
    let comparison = two.compare().unwrap();
    assert!(comparison.agrees() && comparison.ran() >= 6, "{comparison:#?}");
}
