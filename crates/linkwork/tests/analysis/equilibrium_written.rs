//! Models at rest, and runs that begin there.

use super::equilibrium::{place, rest};
use linkwork::analysis::Redrawing;
use linkwork::linalg::vec3::{norm, sub};
use linkwork::model::{InitialState, Model};

fn example(name: &str) -> Model {
    Model::from_file(format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The vehicle is written with its points at rest, and read again it rests there to 1e-12 of its size.
#[test]
fn keeps_equilibrium_of_the_written_vehicle() {
    let model = example("vehicle");
    let (mechanism, found) = rest(&model);
    let redrawn = found.redrawn(&mechanism, &model).unwrap();
    assert_eq!(redrawn.how, Redrawing::Points);
    assert!(redrawn.replaced.iter().any(|what| what == "points.lf_wheel_centre"), "{:?}", redrawn.replaced);
    let text = redrawn.model.to_toml().unwrap();
    assert!(text.contains("# A vehicle of 13 rigid bodies"), "comments stay");
    let (again, at_rest) = rest(&Model::from_toml(&text).unwrap());
    for (a, b) in at_rest.frame.positions.iter().zip(&found.frame.positions) {
        assert!(norm(sub(*a, *b)) < 1e-12 * mechanism.size(), "{a:?} {b:?}");
    }
    let farthest = at_rest.moved.first().unwrap();
    assert!(farthest.distance() < 1e-12 * again.size(), "{farthest:?}");
}

/// A lever on a torsion spring cannot be drawn anew: its angle counts from the drawing. Its joint says where it is.
#[test]
fn same_equilibrium_by_initial_joints() {
    let model = Model::from_toml(
        r#"
        format = 1
        [model]
        gravity = "-y"
        [points]
        O = [0, 0]
        A = [1, 0]          # the tip
        [bodies]
        ground = { points = ["O"] }
        rod = { points = ["O", "A"], mass = 2 }
        [torsion_springs]
        s = { joint = "O", stiffness = 40 }
        "#,
    )
    .unwrap();
    let (mechanism, found) = rest(&model);
    let redrawn = found.redrawn(&mechanism, &model).unwrap();
    assert_eq!(redrawn.how, Redrawing::InitialJoints);
    let text = redrawn.model.to_toml().unwrap();
    assert!(text.contains("# the tip") && text.contains("[initial.joints]"), "{text}");
    let (again, at_rest) = rest(&Model::from_toml(&text).unwrap());
    let there = place(&again, &at_rest, "A");
    assert!(norm(sub(there, place(&mechanism, &found, "A"))) < 1e-12);
    assert!(at_rest.moved[0].distance() < 1e-12);
}

/// A run that begins at the equilibrium stays there, and says how far it has moved.
#[test]
fn exact_run_from_equilibrium_stays() {
    let mut model = example("vehicle");
    model.settings.initial = InitialState::Equilibrium;
    model.settings.duration = 0.5;
    let mechanism = model.assemble().unwrap();
    let run = mechanism.simulate().unwrap();
    let z = mechanism.points().iter().position(|point| point.name == "centre").unwrap();
    for frame in &run.frames {
        // the tolerance of the example is 1e-9
        assert!((frame.positions[z][2] - 0.498927571487).abs() < 1e-9);
        assert!(frame.kinetic < 1e-14, "{}", frame.kinetic);
    }
    assert!(
        run.summary.remarks.iter().any(|remark| remark.code == "at-equilibrium"),
        "{:?}",
        run.summary.remarks
    );
    // the same by stepping
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.1).unwrap();
    assert!(simulation.sample().unwrap().kinetic < 1e-14);
}

/// A run that begins at rest has no velocities.
#[test]
fn velocities_contradict_equilibrium() {
    let mut model = example("vehicle").velocity("centre", [1.0, 0.0, 0.0]);
    model.settings.initial = InitialState::Equilibrium;
    let faults = model.assemble().unwrap_err();
    assert!(faults.to_string().contains("begins at rest"), "{faults}");
    assert_eq!(faults.list[0].path, "simulation.initial");
}
