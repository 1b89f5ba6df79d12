//! Long runs: memory does not grow with rows or events.

use linkwork::joints::Prismatic;
use linkwork::model::{Axis, Body, Integrator, Joint, Model};
use linkwork::results::{CsvResults, Frame};
use linkwork::simulation::{Checkpoint, CsvEvents, Event, KEPT_EVENTS, Observer, Status, Summary};
use std::io::{Sink, sink};
use std::ops::ControlFlow;

/// Rows and events go by, checkpoints are taken and thrown away.
struct Stream<'m> {
    rows: CsvResults<'m, Sink>,
    events: CsvEvents<Sink>,
    event_count: u64,
    steps: u64,
}

impl Observer for Stream<'_> {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self.rows.write(frame).unwrap();
        ControlFlow::Continue(())
    }
    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self.events.write(event).unwrap();
        self.event_count += 1;
        ControlFlow::Continue(())
    }
    fn wants_checkpoint(&mut self, _: f64) -> bool {
        self.steps += 1;
        self.steps.is_multiple_of(100)
    }
    fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
        assert!(!checkpoint.to_bytes().is_empty());
        ControlFlow::Continue(())
    }
}

/// The most memory that a run of this duration holds at a time, bytes; and its rows, events and summary.
fn peak(mut model: Model, duration: f64) -> (u64, u64, u64, Summary) {
    model.settings.duration = duration;
    let mechanism = model.assemble().unwrap();
    let mut found = None;
    let counted = allocation_counter::measure(|| {
        let rows = CsvResults::new(&mechanism, sink()).unwrap();
        let events = CsvEvents::new(sink()).unwrap();
        let mut stream = Stream { rows, events, event_count: 0, steps: 0 };
        let summary = mechanism.run(&mut stream).unwrap();
        found = Some((stream.rows.rows(), stream.event_count, summary));
    });
    let (rows, events, summary) = found.unwrap();
    assert_eq!(summary.status, Status::Finished);
    (counted.bytes_max, rows, events, summary)
}

#[test]
fn keeps_memory_whatever_the_number_of_rows() {
    let mut model = Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], 1.0));
    model.settings.output_step = 1e-3;
    (model.settings.integrator, model.settings.step) = (Integrator::Rk4, Some(0.01));
    let (short, few, ..) = peak(model.clone(), 4.0);
    let (long, many, ..) = peak(model, 64.0);
    println!("{few} rows: {short} bytes at most; {many} rows: {long} bytes");
    assert!(many > 15 * few);
    assert_eq!(short, long);
}

/// A puck between two walls that give everything back: a thousand impacts a second.
#[test]
fn keeps_memory_whatever_the_number_of_events() {
    let mut model = Model::planar("puck")
        .point("O", [0.0, 0.0])
        .point("P", [0.5, 0.0])
        .point("Q", [0.6, 0.0])
        .ground(["O"])
        .body(Body::rod("puck", ["P", "Q"], 1.0))
        .joint(
            Joint::between("rail", Prismatic { axis: Axis::X }, ["ground", "puck"], ["O", "P"])
                .impact_limit([0.0, 1.0], 1.0),
        )
        .velocity("P", [1000.0, 0.0]);
    model.settings.output_step = 1.0;
    model.settings.integrator = Integrator::Dop853;
    let kept = KEPT_EVENTS as f64 / 1000.0;
    let (short, _, few, _) = peak(model.clone(), 1.1 * kept);
    let (long, _, many, summary) = peak(model, 2.2 * kept);
    println!("{few} events: {short} bytes at most; {many} events: {long} bytes");
    assert!(few > KEPT_EVENTS as u64 && many > 19 * few / 10);
    assert_eq!((summary.events.len(), summary.event_count), (KEPT_EVENTS, many));
    assert!(long as f64 <= 1.01 * short as f64, "{short} {long}");
}
