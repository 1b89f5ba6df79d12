//! Ropes that touch the ground.

use super::shared::{finish, nodes};
use crate::suite::{G, settings};
use linkwork::linalg::vec3::norm;
use linkwork::model::*;
use std::path::PathBuf;

fn over_ground(name: &str) -> Model {
    Model::planar(name).gravity([0.0, -G]).point("O", [0.0, 0.0]).ground(["O"]).surface(Surface::plane(
        "floor",
        "O",
        [0.0, 1.0],
    ))
}

/// A rope that falls askew on rough ground comes to rest there.
#[test]
fn keeps_a_fallen_rope_at_rest() {
    for n in [10, 20] {
        let model = over_ground("fall")
            .point("A", [0.0, 0.3])
            .point("B", [1.9, 0.8])
            .chain(Chain::new("rope", "A", n, 0.3).to("B").contact("floor", 0.5, 0.0))
            .settings(settings(2.0, 0.02, 1e-6));
        let (mechanism, run) = finish(&model);
        let (mut deepest, mut widest) = (0.0_f64, 0.0_f64);
        for frame in &run.frames {
            for r in nodes(&mechanism, frame) {
                deepest = deepest.min(r[1]);
                widest = widest.max(r[0].abs());
            }
        }
        let last = run.frames.last().unwrap();
        let speed = mechanism.chains()[0].nodes.iter().fold(0.0_f64, |v, &k| v.max(norm(last.velocities[k])));
        println!(
            "{n} nodes: {} events, {} steps, {:?}; deepest {deepest:.1e} m, {speed:.1e} m/s at the end",
            run.summary.event_count, run.summary.steps.accepted_steps, run.summary.wall
        );
        assert!(deepest > -1e-6, "{deepest}");
        assert!(speed < 1e-3, "{speed}");
        assert!(widest < 3.0);
    }
}

/// A rope that is pulled over the ground takes μ ρ g L; one that slides on by itself comes to rest after v²/2μg.
#[test]
fn exact_pulled_rope() {
    let (mu, density, length, n, v) = (0.4, 0.3, 2.0, 20, 0.5);
    let chain = Chain::new("rope", "A", n, density).to("B").masses(Lumping::Far).contact("floor", mu, 0.0);
    let laid = || over_ground("pull").point("A", [0.0, 0.0]).point("B", [-length, 0.0]).chain(chain.clone());
    let model = laid()
        .body(Body::particle("tug", "A", 1.0))
        .driver(Driver::point("x", "A", 0, Formula::parse("0.5*t").unwrap()))
        .driver(Driver::point("y", "A", 1, Formula::constant(0.0)))
        .settings(settings(0.5, 0.05, 1e-9));
    let (mechanism, run) = finish(&model);
    let names: Vec<&str> =
        run.columns.iter().map(|c| c.name.as_str()).filter(|n| n.contains("driver")).collect();
    println!("{names:?} {:?}", run.summary.wall);
    let force = run.column(&mechanism, "driver.x.force").unwrap();
    // the row before contacts close at the start has no force yet
    for (frame, f) in run.frames.iter().zip(&force).filter(|(frame, _)| frame.t > 0.0) {
        assert!((f - mu * density * G * length).abs() < 1e-6, "t {}: {f}", frame.t);
    }
    let mut model = laid();
    model.chains[0].masses = Lumping::Halves;
    let model = model.velocity("A", [v, 0.0]).velocity("B", [v, 0.0]).settings(settings(0.5, 0.05, 1e-9));
    let (mechanism, run) = finish(&model);
    let last = nodes(&mechanism, run.frames.last().unwrap());
    let exact = 0.5 * v * v / (mu * G);
    println!("stops after {} m, {exact} m, {:?}", last[0][0], run.summary.wall);
    assert!((last[0][0] - exact).abs() < 1e-6, "{last:?}");
    assert!(last.iter().all(|r| r[1].abs() < 1e-9));
}

/// The rocket of the example with rope and rocket falling on the ground: it lands, slides on and nothing gets below. Segments of 20 m; those
/// of 10 m take ten times as long.
#[test]
fn keeps_flying_a_rocket_whose_rope_lands() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/line-throwing-rocket.toml");
    let mut model = Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"));
    model.chains[0].segment_length = Some(20.0);
    model.chains[0].contact = Some(ChainContact { surface: "floor".into(), friction: 0.6, restitution: 0.0 });
    model = model
        .surface(Surface::plane("floor", "container", [0.0, 1.0]))
        .surface(Surface::point("tip", "nose").on("rocket"))
        .contact(Contact::between("landing", "floor", "tip").friction(0.6));
    model.settings.stop.clear();
    model.settings.duration = 12.0;
    let (mechanism, run) = finish(&model);
    println!(
        "{} events, {} steps, {:?}, {:?}, {:?}",
        run.summary.event_count,
        run.summary.steps.accepted_steps,
        run.summary.wall,
        run.summary.contact_steps,
        run.summary.remarks
    );
    for frame in &run.frames {
        let lowest = nodes(&mechanism, frame).iter().fold(0.0_f64, |low, r| low.min(r[1]));
        assert!(lowest > -1e-6, "t {}: {lowest}", frame.t);
    }
    // node 0 is the rocket's
    let nose = nodes(&mechanism, run.frames.last().unwrap())[0];
    assert!(nose[1].abs() < 1e-6 && nose[0] > 500.0, "{nose:?}");
}
