//! A model written in code, without the feature `file`: checked, assembled, run, its results as values.

use linkwork::model::{Body, Model, Settings};

fn pendulum(length: f64) -> Model {
    Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [length, 0.0])
        .ground(["A"])
        .body(Body::rod("rod", ["A", "B"], 2.0))
        .settings(Settings { duration: 1.0, output_step: 0.25, ..Settings::default() })
}

/// A rod that falls from the horizontal starts with 3g/2 at its tip, and keeps its energy.
#[test]
fn exact_rod_that_falls() {
    let mechanism = pendulum(0.5).assemble().unwrap();
    let trajectory = mechanism.simulate().unwrap();
    let frames = &trajectory.frames;
    assert_eq!(frames.len(), 5);
    // one solve, no step: rounding only
    assert!((frames[0].accelerations[1][1] + 1.5 * 9.81).abs() < 1e-12);
    let last = &frames[4];
    // the tolerance of the run, 1e-8, over some hundred steps
    assert!((last.energy() - frames[0].energy()).abs() < 1e-6, "{}", last.energy() - frames[0].energy());
    assert!(last.positions[1][1] < 0.0);
}

/// The caller steps; results have names.
#[test]
fn exact_columns_of_a_simulation_that_the_caller_steps() {
    let mechanism = pendulum(1.0).assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.5).unwrap();
    let mut row = Vec::new();
    linkwork::results::row(&mechanism, simulation.sample().unwrap(), &mut row);
    let columns = linkwork::results::columns(&mechanism);
    assert_eq!((columns[0].name.as_str(), row[0]), ("t", 0.5));
    assert_eq!(columns.len(), row.len());
}

#[test]
fn faults_name_their_items() {
    let faults = pendulum(1.0).body(Body::rod("rod", ["A", "b"], -1.0)).assemble().unwrap_err();
    let text = faults.to_string();
    assert!(
        text.contains("error") && text.contains("bodies.rod") && text.contains("did you mean `B`?"),
        "{text}"
    );
}
