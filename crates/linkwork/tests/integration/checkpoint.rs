//! Runs that are interrupted: a checkpoint and a resumed run give the bits of an uninterrupted one.

use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Integrator, Model};
use linkwork::results::{Frame, row};
use linkwork::simulation::{Checkpoint, CheckpointError, Event, Observer, Status, Summary};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Everything that a run shows, as bits; and checkpoints at every n-th step.
#[derive(Default)]
struct Recorder<'m> {
    mechanism: Option<&'m Mechanism>,
    rows: Vec<Vec<u64>>,
    events: Vec<Event>,
    every: usize,
    steps: usize,
    taken: Vec<Vec<u8>>,
    /// Rows and events before it was resumed.
    before: (u64, u64),
    /// Ends the run after the n-th checkpoint.
    most: usize,
}

impl<'m> Recorder<'m> {
    fn new(mechanism: &'m Mechanism, every: usize) -> Self {
        Recorder { mechanism: Some(mechanism), every, most: usize::MAX, ..Recorder::default() }
    }
}

impl Observer for Recorder<'_> {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        let mut out = Vec::new();
        row(self.mechanism.unwrap(), frame, &mut out);
        self.rows.push(out.iter().map(|x| x.to_bits()).collect());
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self.events.push(event.clone());
        ControlFlow::Continue(())
    }

    fn wants_checkpoint(&mut self, _: f64) -> bool {
        self.steps += 1;
        self.every > 0 && self.steps.is_multiple_of(self.every)
    }

    fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
        assert_eq!(checkpoint.rows(), self.before.0 + self.rows.len() as u64);
        assert_eq!(checkpoint.events(), self.before.1 + self.events.len() as u64);
        self.taken.push(checkpoint.to_bytes());
        if self.taken.len() >= self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// All but the wall time.
fn without_clock(summary: &Summary) -> Summary {
    Summary { wall: Default::default(), ..summary.clone() }
}

fn example(name: &str) -> Model {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    Model::from_file(folder.join(format!("{name}.toml"))).unwrap()
}

/// Runs, runs again with checkpoints, resumes from a handful of them: the same bits throughout.
fn interrupt(mut model: Model, duration: f64, formulation: Formulation, integrator: Integrator) {
    let name = format!("{}, {}, {}", model.name, formulation.name(), integrator.name());
    model.settings.duration = duration;
    model.settings.formulation = formulation;
    model.settings.integrator = integrator;
    let mechanism = model.assemble().unwrap();
    let mut plain = Recorder::new(&mechanism, 0);
    let whole = mechanism.run(&mut plain).unwrap();
    assert_eq!(whole.status, Status::Finished, "{name}");

    let mut watched = Recorder::new(&mechanism, 3);
    let again = mechanism.run(&mut watched).unwrap();
    assert!(plain.rows == watched.rows, "{name}: checkpoints change rows");
    assert_eq!(plain.events, watched.events, "{name}");
    assert_eq!(without_clock(&whole), without_clock(&again), "{name}");
    let n = watched.taken.len();
    assert!(n > 0, "{name}: too few steps for a checkpoint");
    let mut places = vec![0, n / 4, n / 2, (3 * n) / 4, n - 1];
    places.dedup();
    for i in places {
        let checkpoint = Checkpoint::from_bytes(&watched.taken[i]).unwrap();
        // the model is read and assembled anew, as in another process
        let again = model.clone().assemble().unwrap();
        let before = (checkpoint.rows(), checkpoint.events());
        let mut rest = Recorder { before, ..Recorder::new(&again, 5) };
        let summary = again.resume(&checkpoint, &mut rest).unwrap();
        let (rows, events) = (checkpoint.rows() as usize, checkpoint.events() as usize);
        assert_eq!(rest.rows.len() + rows, plain.rows.len(), "{name} from {} s", checkpoint.t());
        let first = rest.rows.iter().zip(&plain.rows[rows..]).position(|(a, b)| a != b);
        assert_eq!(first, None, "{name}: another row after {} s", checkpoint.t());
        assert!(rest.events == plain.events[events..], "{name} from {} s", checkpoint.t());
        assert_eq!(without_clock(&summary), without_clock(&whole), "{name} from {} s", checkpoint.t());
        assert!(summary.wall > std::time::Duration::ZERO);
    }
    println!(
        "{name}: {} rows, {} events, {n} checkpoints of up to {} bytes",
        plain.rows.len(),
        plain.events.len(),
        watched.taken.iter().map(Vec::len).max().unwrap()
    );
}

#[test]
fn same_bits_in_every_integrator() {
    for integrator in crate::suite::integrators() {
        let mut model = example("four-bar");
        // forces that implicit methods have to differentiate
        model.springs = example("four-bar").springs;
        model.settings.output_step = 0.01;
        interrupt(model, 0.5, Formulation::Points, integrator);
    }
    interrupt(example("box-stack"), 0.5, Formulation::Recursive, Integrator::Moreau);
}

#[test]
fn same_bits_in_every_formulation() {
    for formulation in Formulation::ALL {
        interrupt(example("chain"), 0.5, formulation, Integrator::Dop853);
    }
}

#[test]
fn same_bits_with_forces_drivers_and_measures() {
    let methods = [Integrator::Auto, Integrator::Taylor, Integrator::Radau5, Integrator::Bdf];
    for (name, duration) in
        [("suspension", 0.5), ("slider-crank", 0.3), ("governor", 0.05), ("cam-follower", 0.3)]
    {
        for integrator in methods {
            interrupt(example(name), duration, Formulation::Points, integrator);
        }
        interrupt(example(name), duration, Formulation::NewtonEuler, Integrator::Dop853);
        interrupt(example(name), duration, Formulation::Momentum, Integrator::Dopri5);
        interrupt(example(name), duration, Formulation::Tmt, Integrator::Radau5);
    }
}

/// `auto` exchanges its integrator on the way: before, and after it.
#[test]
fn same_bits_through_an_exchange_of_integrators() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases/elastic-rope-stiff.toml");
    let mut model = Model::from_file(file).unwrap();
    model.chains[0].segments = Some(6);
    model.settings.output_step = 0.1;
    interrupt(model, 1.0, Formulation::Auto, Integrator::Auto);
}

#[test]
fn same_bits_through_impacts_locks_and_friction() {
    let machines =
        [("bouncing-ball", 1.5), ("block-on-incline", 1.0), ("latch", 1.0), ("rocking-block", 0.6)];
    for (name, duration) in machines {
        for (formulation, integrator) in [
            (Formulation::Points, Integrator::Auto),
            (Formulation::NewtonEuler, Integrator::Dop853),
            (Formulation::Joints, Integrator::Rk4),
        ] {
            interrupt(example(name), duration, formulation, integrator);
        }
    }
}

#[test]
fn same_bits_while_the_mass_varies() {
    for (formulation, integrator) in [
        (Formulation::Points, Integrator::Auto),
        (Formulation::Recursive, Integrator::Radau5),
        (Formulation::Tmt, Integrator::Rk4),
    ] {
        interrupt(example("sounding-rocket"), 3.0, formulation, integrator);
    }
    // and with a contact and locks above it
    let mut model = example("bouncing-ball");
    model.bodies[0].mass_law = Some(linkwork::model::Formula::parse("0.5 - 0.1 * min(t, 1)").unwrap());
    interrupt(model, 1.5, Formulation::Points, Integrator::Auto);
    let mut model = example("latch");
    let mass = model.clone().assemble().unwrap().bodies()[0].particles.properties.mass;
    model.bodies[0].mass_law =
        Some(linkwork::model::Formula::parse(&format!("{mass} * (1 + 0.2 * sin(9 * t))")).unwrap());
    interrupt(model, 1.0, Formulation::Joints, Integrator::Dop853);
}

/// A checkpoint of a run that was resumed is that of the run that was not.
/// What there is changes: a chain breaks, a rope of segments of 10 m leaves its container.
#[test]
fn same_bits_while_parts_come_and_go() {
    for formulation in [Formulation::Auto, Formulation::Points, Formulation::NewtonEuler, Formulation::Joints]
    {
        interrupt(example("breaking-chain"), 0.9, formulation, Integrator::Auto);
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/line-throwing-rocket.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let rocket = Model::parse_with("rocket.toml", &text, &[("segment", 10.0)]).unwrap();
    for formulation in [Formulation::Auto, Formulation::Points, Formulation::Momentum] {
        interrupt(rocket.clone(), 1.5, formulation, Integrator::Auto);
    }
}

/// Every example with chains or with parts that come and go, and the models of which a resumed run was refused as of another model.
#[test]
fn same_bits_in_all_examples_that_change() {
    for (name, duration) in [("hanging-chain", 0.3), ("rope-swing", 0.4), ("whip", 0.06), ("winch", 0.6)] {
        interrupt(example(name), duration, Formulation::Auto, Integrator::Auto);
    }
    let case = |name: &str| {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
        Model::from_file(folder.join(name)).unwrap()
    };
    interrupt(case("resume-chain.toml"), 0.3, Formulation::Auto, Integrator::Auto);
    for formulation in [Formulation::Auto, Formulation::Points, Formulation::NewtonEuler] {
        interrupt(case("resume-changes.toml"), 1.6, formulation, Integrator::Auto);
    }
}

const CHANGES: &str = r#"
format = 1
[model]
gravity = "-y"
[points]
A = [0, 0]
B = [1, 0]
C = [2, 0]
D = [0, 3]
[bodies]
ground = { points = ["A"] }
a = { points = ["A", "B"], mass = 1 }
b = { points = ["B", "C"], mass = 1 }
stone = { points = ["D"], mass = 2, present = false, shape = { type = "sphere", radius = 0.1 } }
[joints.J]
type = "revolute"
bodies = ["a", "b"]
at = "B"
[springs.s]
between = ["A", "C"]
stiffness = 20
[changes.throw]
at = 0.25
add = ["stone"]
[changes.cut]
at = 0.5
detach = ["J"]
[changes.lose]
at = 0.75
remove = ["stone"]
[simulation]
duration = 1
output_step = 0.01
"#;

/// Interrupted before, between and after changes, at the first checkpoint and at the last of each part of the run.
#[test]
fn same_bits_before_between_and_after_changes() {
    let model = Model::parse("changes.toml", CHANGES).unwrap();
    for (formulation, integrator) in [
        (Formulation::Auto, Integrator::Auto),
        (Formulation::Points, Integrator::Dop853),
        (Formulation::Joints, Integrator::Radau5),
    ] {
        let mut model = model.clone();
        (model.settings.formulation, model.settings.integrator) = (formulation, integrator);
        let mechanism = model.clone().assemble().unwrap();
        let mut plain = Recorder::new(&mechanism, 1);
        let whole = mechanism.run(&mut plain).unwrap();
        assert_eq!(whole.status, Status::Finished);
        let taken: Vec<Checkpoint> =
            plain.taken.iter().map(|bytes| Checkpoint::from_bytes(bytes).unwrap()).collect();
        let mut resumed = 0;
        for part in [[0.0, 0.25], [0.25, 0.5], [0.5, 0.75], [0.75, 1.0]] {
            let within: Vec<&Checkpoint> =
                taken.iter().filter(|c| part[0] < c.t() && c.t() < part[1]).collect();
            assert!(!within.is_empty(), "no checkpoint between {} and {} s", part[0], part[1]);
            for checkpoint in [within[0], within[within.len() - 1]] {
                let again = model.clone().assemble().unwrap();
                checkpoint.belongs_to(&again).unwrap();
                let before = (checkpoint.rows(), checkpoint.events());
                let mut rest = Recorder { before, ..Recorder::new(&again, 0) };
                let summary = again.resume(checkpoint, &mut rest).unwrap();
                assert!(rest.rows == plain.rows[before.0 as usize..], "from {} s", checkpoint.t());
                assert!(rest.events == plain.events[before.1 as usize..], "from {} s", checkpoint.t());
                assert_eq!(without_clock(&summary), without_clock(&whole));
                resumed += 1;
            }
        }
        println!("{}, {}: resumed {resumed} times", formulation.name(), integrator.name());
        // one change more or less is another model
        let mut other = model.clone();
        other.changes.pop();
        let other = other.assemble().unwrap();
        assert!(matches!(taken[0].belongs_to(&other), Err(CheckpointError::OtherModel { .. })));
    }
}

#[test]
fn same_state_through_several_checkpoints() {
    let mut model = example("bouncing-ball");
    model.settings.duration = 1.0;
    let mechanism = model.assemble().unwrap();
    let mut plain = Recorder::new(&mechanism, 4);
    mechanism.run(&mut plain).unwrap();
    let mut bytes = plain.taken[0].clone();
    for expected in &plain.taken[1..] {
        let checkpoint = Checkpoint::from_bytes(&bytes).unwrap();
        let before = (checkpoint.rows(), checkpoint.events());
        let mut next = Recorder { most: 1, before, ..Recorder::new(&mechanism, 4) };
        let summary = mechanism.resume(&checkpoint, &mut next).unwrap();
        assert_eq!(summary.status, Status::Stopped);
        bytes = next.taken.remove(0);
        assert_eq!(bytes.len(), expected.len());
        // the wall time differs, and with it the fingerprint at the end
        let differ = bytes.iter().zip(expected).filter(|(a, b)| a != b).count();
        assert!(differ <= 16, "{differ} bytes differ");
    }
}

#[test]
fn exact_what_does_not_belong_is_refused() {
    let mut model = example("pendulum");
    model.settings.duration = 1.0;
    let mechanism = model.clone().assemble().unwrap();
    let mut watched = Recorder::new(&mechanism, 5);
    mechanism.run(&mut watched).unwrap();
    let bytes = &watched.taken[0];
    let checkpoint = Checkpoint::from_bytes(bytes).unwrap();
    let refused = |model: Model| {
        let mechanism = model.assemble().unwrap();
        match mechanism.resume(&checkpoint, &mut |_: &Frame| panic!("a row")) {
            Err(Error::Checkpoint(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let mut other = model.clone();
    other.gravity[1] = -9.8;
    let error = refused(other);
    println!("{error}");
    assert!(matches!(error, CheckpointError::OtherModel { .. }));
    let mut other = model.clone();
    other.settings.tolerance *= 2.0;
    other.settings.integrator = Integrator::Radau5;
    let error = refused(other).to_string();
    println!("{error}");
    assert!(error.contains("tolerance") && error.contains("integrator") && !error.contains("duration"));
    // other names of the file it came from are no other model
    let mut same = model.clone();
    same.provenance = None;
    assert!(checkpoint.belongs_to(&same.assemble().unwrap()).is_ok());

    let of = |bytes: &[u8]| Checkpoint::from_bytes(bytes).unwrap_err();
    assert_eq!(of(b"t,x\n0,1\n"), CheckpointError::NotOne);
    for n in [20, 24, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(of(&bytes[..n]), CheckpointError::Damaged { .. }), "cut after {n}");
    }
    for i in (40..bytes.len()).step_by(97) {
        let mut changed = bytes.clone();
        changed[i] ^= 0x10;
        assert!(matches!(of(&changed), CheckpointError::Damaged { .. }), "byte {i}");
    }
    let mut newer = bytes.clone();
    newer[20] += 1;
    println!("{}", of(&newer));
    assert!(matches!(of(&newer), CheckpointError::OtherVersion { .. }));
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(of(&longer), CheckpointError::Damaged { .. }));
}
