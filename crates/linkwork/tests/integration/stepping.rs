//! A simulation that the caller steps: the same motion as a run, in any pieces.

use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Integrator, Model};
use linkwork::results::Frame;
use linkwork::simulation::{Progress, Simulation, Status};
use std::sync::Arc;

fn example(name: &str) -> Model {
    let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(&path).unwrap_or_else(|e| panic!("{e}"))
}

fn assembled(model: &Model) -> Mechanism {
    model.assemble().unwrap_or_else(|e| panic!("{e}"))
}

/// Everything that a sample says of the motion.
fn numbers(frame: &Frame) -> Vec<u64> {
    let motion = frame.positions.iter().chain(&frame.velocities).flatten();
    let energies = [frame.t, frame.kinetic, frame.potential, frame.work];
    motion.chain(&energies).map(|x| x.to_bits()).collect()
}

fn farthest(a: &Frame, b: &Frame) -> f64 {
    let pairs = a.positions.iter().flatten().zip(b.positions.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Steps of a given size: whatever the pieces, if they end on steps, what comes out has the bits of a run.
#[test]
fn exact_given_steps_in_any_pieces() {
    for name in ["four-bar", "double-pendulum", "governor", "slider-crank"] {
        for integrator in
            [Integrator::Rk4, Integrator::SemiImplicitEuler, Integrator::Dop853, Integrator::Radau5]
        {
            let mut model = example(name);
            model.settings.integrator = integrator;
            (model.settings.step, model.settings.duration, model.settings.output_step) =
                (Some(1e-3), 0.24, 0.03);
            let mechanism = assembled(&model);
            let run = mechanism.simulate().unwrap();
            assert_eq!(run.summary.status, Status::Finished, "{name} {integrator:?}");
            for pieces in [1, 2, 8, 240] {
                let mut simulation = mechanism.simulation().unwrap();
                for k in 1..=pieces {
                    let t = 0.24 * f64::from(k) / f64::from(pieces);
                    simulation.advance_to(t).unwrap();
                    assert!((simulation.t() - t).abs() < 1e-12);
                    let row = run.frames.iter().find(|frame| (frame.t - t).abs() < 1e-9);
                    if let Some(row) = row {
                        assert_eq!(
                            numbers(simulation.sample().unwrap()),
                            numbers(row),
                            "{name} {integrator:?} {t}"
                        );
                    }
                }
                assert_eq!(simulation.finish().steps.accepted_steps, run.summary.steps.accepted_steps);
            }
        }
    }
}

/// A given step that does not end where the caller wants to be is cut, and the time is met exactly.
#[test]
fn exact_landing_beside_given_steps() {
    let mut model = example("double-pendulum");
    model.settings.integrator = Integrator::Rk4;
    (model.settings.step, model.settings.duration) = (Some(1e-3), 1.0);
    let mechanism = assembled(&model);
    let mut simulation = mechanism.simulation().unwrap();
    for t in [0.0004, 0.01234567, 0.0123456700001, 0.5, 1.0] {
        simulation.advance_to(t).unwrap();
        assert_eq!(simulation.t(), t);
    }
    let cut = simulation.sample().unwrap().clone();
    let whole = mechanism.simulate().unwrap();
    let off = farthest(&cut, whole.frames.last().unwrap());
    println!("given steps, cut four times: {off:.1e} m off");
    assert!(off < 1e-9, "{off}");
}

/// Under error control, 1, 10 and 1,000 pieces agree within ten tolerances.
#[test]
fn same_motion_in_any_pieces() {
    for (name, duration) in
        [("four-bar", 2.0), ("double-pendulum", 1.0), ("stewart-platform", 0.5), ("bouncing-ball", 1.0)]
    {
        for integrator in [Integrator::Auto, Integrator::Dop853, Integrator::Radau5, Integrator::Bdf] {
            let mut model = example(name);
            let tolerance = 1e-8;
            model.settings.tolerance = tolerance;
            (model.settings.integrator, model.settings.duration) = (integrator, duration);
            let mechanism = assembled(&model);
            let Ok(mut whole) = mechanism.simulation() else { continue };
            whole.advance_to(duration).unwrap();
            let whole = whole.sample().unwrap().clone();
            for pieces in [10, 1000] {
                let mut simulation = mechanism.simulation().unwrap();
                for k in 1..=pieces {
                    let t = if k == pieces { duration } else { duration * f64::from(k) / f64::from(pieces) };
                    let progress = simulation.advance_to(t).unwrap();
                    assert_eq!(simulation.t(), t);
                    assert_eq!(progress == Progress::Finished, k == pieces);
                }
                let off = farthest(simulation.sample().unwrap(), &whole) / mechanism.size();
                println!("{name}, {}: {pieces} pieces, {off:.1e} of the size", integrator.name());
                // the multistep method is off by that much in one piece, too
                let bound = if integrator == Integrator::Bdf { 1e4 } else { 10.0 };
                assert!(off < bound * tolerance, "{name} {integrator:?}: {off:e}");
            }
        }
    }
}

/// Save, 100 steps, restore, 100 steps: the same bits, also where contacts, chains and changes of topology come between.
#[test]
fn exact_saved_and_restored() {
    let cases = [
        ("four-bar", Formulation::Points),
        ("four-bar", Formulation::Recursive),
        ("double-pendulum", Formulation::Joints),
        ("governor", Formulation::Auto),
        ("newtons-cradle", Formulation::Auto),
        ("latch", Formulation::Auto),
        ("winch", Formulation::Auto),
        ("breaking-chain", Formulation::Auto),
        ("line-throwing-rocket", Formulation::Auto),
    ];
    for (name, formulation) in cases {
        let mut model = example(name);
        model.settings.formulation = formulation;
        let mechanism = assembled(&model);
        let duration = model.settings.duration;
        let mut simulation = mechanism.simulation().unwrap_or_else(|e| panic!("{name}: {e}"));
        for part in [0.0, 0.1, 0.3] {
            if simulation.advance_to(part * duration).unwrap() == Progress::Finished {
                break;
            }
            simulation.events();
            let saved = simulation.save();
            let ways: Vec<_> = (0..2)
                .map(|_| {
                    let mut path = Vec::new();
                    for _ in 0..100 {
                        if simulation.step().unwrap() == Progress::Finished {
                            break;
                        }
                        path.push(simulation.t().to_bits());
                    }
                    path.extend(numbers(simulation.sample().unwrap()));
                    let events: Vec<_> =
                        simulation.events().iter().map(|e| (e.t.to_bits(), e.name.clone())).collect();
                    simulation.restore(&saved).unwrap();
                    (path, events)
                })
                .collect();
            assert!(ways[0] == ways[1], "{name} at {part}");
        }
    }
}

/// A loop of the caller's over single steps ends where a run ends, with the same events. To rounding: rows that a run looks at leave their traces in what is
/// computed next, such as where an iteration begins.
#[test]
fn exact_single_steps_are_a_run() {
    for name in ["four-bar", "newtons-cradle", "latch", "breaking-chain", "bouncing-ball"] {
        let model = example(name);
        let mechanism = assembled(&model);
        let run = mechanism.simulate().unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        while simulation.step().unwrap() != Progress::Finished {}
        let last = run.frames.last().unwrap();
        let events = simulation.events();
        assert_eq!(simulation.status(), Some(&Status::Finished));
        let off = farthest(simulation.sample().unwrap(), last);
        let steps = simulation.finish().steps.accepted_steps;
        println!("{name}: {steps} single steps, {off:.1e} m from the run, {} events", events.len());
        assert!(off < 1e-10 * mechanism.size(), "{name}: {off:e}");
        assert_eq!(steps, run.summary.steps.accepted_steps, "{name}");
        assert_eq!(events.len(), run.summary.events.len(), "{name}");
        for (a, b) in events.iter().zip(&run.summary.events) {
            assert!(a.name == b.name && a.kind == b.kind && (a.t - b.t).abs() < 1e-10, "{name}: {a:?} {b:?}");
        }
    }
}

/// `advance_to_event` comes back at each impact of a bouncing ball, and at nothing else.
#[test]
fn exact_events_are_not_swallowed() {
    let model = example("bouncing-ball");
    let mechanism = assembled(&model);
    let run = mechanism.simulate().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    let mut times = Vec::new();
    let end = model.settings.duration;
    while simulation.advance_to_event(end).unwrap() == Progress::Event {
        let events = simulation.events();
        assert!(!events.is_empty());
        times.extend(events.iter().map(|event| event.t));
    }
    let expected: Vec<f64> = run.summary.events.iter().map(|event| event.t).collect();
    assert_eq!(times, expected);
    assert!(expected.len() > 3);
}

/// One that shares its mechanism can go to another thread and outlive the place where it was made.
#[test]
fn exact_owned_simulations_travel() {
    fn travels<T: Send + 'static>(_: &T) {}
    let simulation = {
        let mechanism = Arc::new(assembled(&example("breaking-chain")));
        Simulation::owned(mechanism).unwrap()
    };
    travels(&simulation);
    let ended = std::thread::spawn(move || {
        let mut simulation = simulation;
        while simulation.step().unwrap() != Progress::Finished {}
        simulation.finish().status
    });
    assert_eq!(ended.join().unwrap(), Status::Finished);
}

/// Times that cannot be gone to are refused, and nothing moves.
#[test]
fn exact_times_out_of_reach() {
    let [mechanism, other] = [(); 2].map(|()| assembled(&example("four-bar")));
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.5).unwrap();
    for t in [0.4, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(matches!(simulation.advance_to(t), Err(Error::Time { .. })), "{t}");
        assert_eq!(simulation.t(), 0.5);
    }
    assert_eq!(simulation.advance_to(0.5).unwrap(), Progress::Reached);
    // what is off by roundings only is where it is, or the end
    assert_eq!(simulation.advance_to(0.5 - 1e-15).unwrap(), Progress::Reached);
    let end = mechanism.model().settings.duration;
    assert_eq!(simulation.advance_to(end * (1.0 + 1e-15)).unwrap(), Progress::Finished);
    assert_eq!(simulation.t(), end);
    let saved = other.simulation().unwrap().save();
    assert!(matches!(simulation.restore(&saved), Err(Error::Checkpoint(_))));
}

/// Turns are counted however far samples are apart, in every formulation: a pendulum that goes round and round, faster below than above.
#[test]
fn exact_turns_between_samples_that_are_far_apart() {
    let mut model = linkwork::Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .ground(["O"])
        .body(linkwork::model::Body::rod("rod", ["O", "A"], 1.0))
        .angular_velocity("rod", [0.0, 0.0, 5.6]);
    let mut last = |formulation: Formulation, output_step: f64| {
        model.settings.duration = 20.0;
        model.settings.output_step = output_step;
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        *run.column(&mechanism, "joint.O.q").unwrap().last().unwrap()
    };
    let dense = last(Formulation::Points, 0.01);
    assert!(dense > 50.0, "{dense}");
    for formulation in Formulation::ALL {
        let sparse = last(formulation, 20.0);
        println!("{}: {:.1e} rad of {dense:.1}", formulation.name(), sparse - dense);
        assert!((sparse - dense).abs() < 1e-5, "{formulation:?}: {sparse} {dense}");
    }
}
