//! A rope whose supply comes to its end, as a whole number of segments and with a piece left over.

use super::shared::{finish, nodes};
use linkwork::linalg::vec3;
use linkwork::model::{Model, SupplyEnd};
use linkwork::simulation::{EventKind, Status};
use std::path::PathBuf;

/// The line-throwing rocket with 10 m segments and so much rope.
fn rocket(supply: f64, at_end: SupplyEnd) -> Model {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/line-throwing-rocket.toml");
    let text = std::fs::read(file).unwrap();
    let mut model =
        Model::parse_with("rocket.toml", text, &[("segment", 10.0)]).unwrap_or_else(|e| panic!("{e}"));
    let pay_out = model.chains[0].pay_out.as_mut().unwrap();
    (pay_out.supply, pay_out.at_end) = (Some(supply), at_end);
    model
}

/// A tied rope holds the rocket back where it is straight, and its end stays as far from the exit as it was.
#[test]
fn exact_end_of_a_tied_rope() {
    for supply in [200.0, 195.3] {
        let (mechanism, run) = finish(&rocket(supply, SupplyEnd::Tied));
        let length = run.column(&mechanism, "chain.rope.length").unwrap();
        assert!(length.iter().all(|l| *l < supply + 1e-9), "{supply}");
        let mut farthest = 0.0_f64;
        let mut apart = (f64::INFINITY, 0.0_f64);
        for frame in &run.frames {
            let nodes = nodes(&mechanism, frame);
            farthest = farthest.max(vec3::norm(nodes[0]));
            if nodes.len() == 1 + (supply / 10.0) as usize {
                let end = vec3::norm(nodes[nodes.len() - 1]);
                apart = (apart.0.min(end), apart.1.max(end));
            }
        }
        println!("{supply}: {farthest}, {apart:?}, {} s", run.summary.t);
        assert!(farthest < supply + 1e-6 && farthest > 0.95 * supply, "{farthest}");
        // from the row on that shows the piece at its whole length
        let rest = supply % 10.0;
        assert!(apart.1 < rest + 1e-6, "{apart:?}");
    }
}

/// A rope that runs out altogether follows the rocket, which flies on beyond its length.
#[test]
fn exact_end_of_a_loose_rope() {
    for supply in [200.0, 195.3] {
        let (mechanism, run) = finish(&rocket(supply, SupplyEnd::Loose));
        let last = run.frames.last().unwrap();
        let nodes = nodes(&mechanism, last);
        let away = vec3::norm(nodes[0]);
        println!("{supply}: {away} m, {} nodes, the end {:?}", nodes.len(), nodes.last());
        assert!(away > 1.5 * supply && vec3::norm(nodes[nodes.len() - 1]) > 10.0);
        for pair in nodes.windows(2) {
            assert!((vec3::norm(vec3::sub(pair[0], pair[1])) - 10.0).abs() < 1e-9);
        }
        let events = run.summary.events.iter().filter(|e| e.kind == EventKind::Empty).count();
        assert_eq!(events, 1);
    }
}

/// The steps of all its stages count together.
#[test]
fn ends_after_so_many_steps() {
    let mut model = rocket(200.0, SupplyEnd::Loose);
    model.settings.max_steps = 60;
    let summary = model.assemble().unwrap().simulate().unwrap().summary;
    let Status::Failed(failure) = summary.status else { panic!("{:?}", summary.status) };
    println!("{failure:?} after {} pay-outs", summary.event_count);
    assert!(failure.code == "too-many-steps" && failure.message.contains("60 steps"), "{failure:?}");
    assert!(summary.event_count > 1 && summary.steps.accepted_steps == 60);
}
