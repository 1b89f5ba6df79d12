//! Ropes out of containers that move, in free space: nothing acts from outside.

use linkwork::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub};
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::{Status, Summary};

const DENSITY: f64 = 0.2;

/// Rope between a probe and an exit.
fn rope(segment: f64, pick_up: f64, exit_tension: f64) -> Chain {
    Chain::new("rope", "probe", 1, DENSITY)
        .to("exit")
        .segment_length(segment)
        .masses(Lumping::Far)
        .pay_out(PayOut { pick_up, exit_tension, ..PayOut::follows() })
}

fn run(model: &Model, mut watch: impl FnMut(&Frame)) -> Summary {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let summary = mechanism.run(&mut |frame: &Frame| watch(frame)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(summary.status, Status::Finished, "{summary:?}");
    summary
}

/// All momentum comes from the tension, so that the container feels nothing: the motion is that beside a container at rest, seen from one that
/// passes by.
#[test]
fn same_exit_that_moves_evenly() {
    let passing = [7.0, -3.0, 2.0];
    let launch = [30.0, 12.0, 5.0];
    let model = |moves: bool| {
        let at = scale(1e-3, launch);
        let by = if moves { passing } else { [0.0; 3] };
        let model = Model::spatial("probe")
            .point("exit", [0.0; 3])
            .point("probe", at)
            .body(Body::particle("probe", "probe", 4.0))
            .velocity("probe", add(launch, by))
            .chain(rope(1.0, 1.0, 0.0));
        let mut model = match moves {
            true => model.body(Body::particle("ship", "exit", 50.0)).velocity("exit", passing),
            false => model.ground(["exit"]),
        };
        // a force turns the probe, so that the rope bends
        model = model.force(Force::new("jet", "probe", "probe", [0.0, -20.0, 30.0]));
        model.settings = Settings { duration: 3.0, output_step: 0.1, tolerance: 1e-10, ..Default::default() };
        model
    };
    let path = |moves: bool| {
        let mut rows = Vec::new();
        let summary =
            run(&model(moves), |frame| rows.push((frame.t, frame.positions[1], frame.positions.clone())));
        assert!(summary.event_count > 30, "{}", summary.event_count);
        rows
    };
    let (still, moving) = (path(false), path(true));
    assert_eq!(still.len(), moving.len());
    let mut most: f64 = 0.0;
    for ((t, a, _), (u, b, all)) in still.iter().zip(&moving) {
        assert!((t - u).abs() < 1e-8);
        most = most.max(norm(sub(sub(*b, scale(*u, passing)), add(*a, scale(u - t, launch)))));
        assert!(norm(sub(all[0], scale(*u, passing))) < 1e-9, "the ship feels nothing");
    }
    println!("probe off by {most:.1e} m");
    assert!(most < 1e-6);
}

/// What moves: momentum of bodies and growing rope, and what leaves the container in a second.
fn moving(model: &linkwork::mechanism::Mechanism, frame: &Frame) -> (Vec3, Vec3) {
    let now = frame.stage.as_deref().unwrap_or(model);
    let mut momentum = [0.0; 3];
    for (body, motion) in now.bodies().iter().zip(&frame.motions) {
        momentum = axpy(momentum, body.particles.properties.mass, motion.v);
    }
    let exit = now.model().points.iter().position(|p| p.name == "exit").unwrap();
    let node = *now.chains()[0].nodes.last().unwrap();
    let along = sub(frame.positions[node], frame.positions[exit]);
    let (v, v_exit) = (frame.velocities[node], frame.velocities[exit]);
    let length = norm(along);
    let e = if length > 1e-9 {
        scale(1.0 / length, along)
    } else {
        scale(1.0 / norm(sub(v, v_exit)), sub(v, v_exit))
    };
    let u = dot(sub(v, v_exit), e);
    (axpy(momentum, DENSITY * length, axpy(v_exit, u, e)), scale(DENSITY * u, v_exit))
}

/// A ship that tumbles and is pushed and pulled at the exit. Rope brings the momentum along that it had in the container, ρ u v_C in a second; all
/// else stays, but for the growing segment, which has no inertia of its own: the shorter, the closer.
#[test]
fn keeps_momentum_beside_a_tumbling_ship() {
    let gap = |segment: f64, pick_up: f64, tension: f64| {
        let mut model = Model::planar("ship")
            .point("stern", [-2.0, 0.5])
            .point("exit", [0.0, 0.0])
            .point("probe", [1e-3, 0.0])
            .body(Body::rod("ship", ["stern", "exit"], 30.0))
            .body(Body::particle("probe", "probe", 4.0))
            .velocity("exit", [2.0, 5.0])
            .angular_velocity("ship", [0.0, 0.0, 0.4])
            .velocity("probe", [42.0, 5.0])
            .chain(rope(segment, pick_up, tension));
        model.settings =
            Settings { duration: 1.5, output_step: 0.002, tolerance: 1e-9, ..Default::default() };
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let (mut start, mut last): (Option<Vec3>, Option<(f64, Vec3)>) = (None, None);
        let (mut brought, mut most, mut largest): (Vec3, f64, f64) = ([0.0; 3], 0.0, 0.0);
        let summary = run(&model, |frame| {
            let (momentum, flow) = moving(&mechanism, frame);
            let start = *start.get_or_insert(momentum);
            if let Some((t, before)) = last {
                brought = axpy(brought, 0.5 * (frame.t - t), add(before, flow));
            }
            last = Some((frame.t, flow));
            most = most.max(norm(sub(momentum, add(start, brought))));
            largest = largest.max(norm(momentum));
        });
        let balances = summary.balances.expect("balances are kept");
        println!(
            "{segment} m, pick-up {pick_up}, {tension} N: momentum within {:.2e}; the balances say {:.2e}",
            most / largest,
            balances.momentum / balances.largest_momentum
        );
        // the same by two roads; rows are closer than the gap changes
        assert!((most - balances.momentum).abs() < 0.02 * most, "{most} {}", balances.momentum);
        most / largest
    };
    for (pick_up, tension) in [(1.0, 0.0), (0.5, 0.0), (0.75, 15.0)] {
        let gaps = [2.0, 1.0, 0.5].map(|segment| gap(segment, pick_up, tension));
        for pair in gaps.windows(2) {
            let slope = (pair[0] / pair[1]).log2();
            println!("slope {slope:.3}");
            assert!((slope - 1.0).abs() < 0.15, "{gaps:?}");
        }
        assert!(gaps[2] < 5e-3);
    }
}
