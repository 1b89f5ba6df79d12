//! The examples with ropes against what is known of them.

use super::shared::finish;
use linkwork::model::Model;
use std::path::PathBuf;

fn example(name: &str) -> Model {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
    Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"))
}

/// The first and last values of a column, and the largest one.
fn column(model: &Model, name: &str) -> [f64; 3] {
    let (mechanism, run) = finish(model);
    let values = run.column(&mechanism, name).unwrap_or_else(|| panic!("no column {name}"));
    println!("{name}: {:?}", run.summary.wall);
    [values[0], values[values.len() - 1], values.iter().fold(0.0_f64, |most, v| most.max(v.abs()))]
}

/// Thirty-two segments hang 0.46 mm lower than the catenary, sixty-four a quarter of that.
#[test]
fn exact_hanging_chain() {
    let mut model = example("hanging-chain");
    let coarse = column(&model, "measure.difference")[1];
    for chain in &mut model.chains {
        chain.segments = chain.segments.map(|n| 2 * n);
    }
    let fine = column(&model, "measure.difference")[1];
    println!("{coarse} mm, {fine} mm");
    assert!(coarse.abs() < 0.5 && (coarse / fine - 4.0).abs() < 0.1, "{coarse} {fine}");
}

/// The drum takes in what it turns, and carries load and rope at its radius when the load hangs still.
#[test]
fn exact_winch() {
    let model = example("winch");
    let (mechanism, run) = finish(&model);
    println!("winch: {} events, {:?}", run.summary.event_count, run.summary.wall);
    let last = |name: &str| *run.column(&mechanism, name).unwrap().last().unwrap();
    assert_eq!(last("chain.rope.segments"), 7.0);
    assert!((last("chain.rope.length") - 4.0).abs() < 1e-6, "{}", last("chain.rope.length"));
    // the load swings by up to 9 degrees: the torque is that of the weight to a few per cent
    let torque = last("driver.motor.torque") / (0.2 * 9.81 * (300.0 + 1.2 * 4.0));
    assert!((torque - 1.0).abs() < 0.05, "{torque}");
}

/// The tip gets many times as fast as the handle ever is.
#[test]
fn keeps_the_whip_cracking() {
    let [_, _, gain] = column(&example("whip"), "measure.gain");
    println!("gain {gain}");
    assert!(gain > 5.0, "{gain}");
}

/// Nothing but the air takes energy from the rope, and the weight never gets farther than the rope is long.
#[test]
fn keeps_the_rope_of_the_swing() {
    let (mechanism, run) = finish(&example("rope-swing"));
    println!("rope-swing: {:?}", run.summary.wall);
    let straight = run.column(&mechanism, "measure.straight").unwrap();
    assert!(straight.iter().all(|&s| s < 1.0 + 1e-9));
    assert!(run.summary.relative_energy_drift() < 1e-8);
}
