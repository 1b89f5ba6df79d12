//! What is kept of a run while it goes by.

use linkwork::results::{CsvLong, Frame, LongTable, Table};
use linkwork::simulation::{CsvEvents, Event, Summary};
use linkwork::{Mechanism, Observer};
use linkwork_scene::Recorder;
use pyo3::prelude::*;
use std::any::Any;
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at Python: signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// Looks at Python now and then while its lock is not held.
pub struct Lookout {
    progress: Option<Py<PyAny>>,
    last: Instant,
    /// What a signal or the progress bar raised.
    pub error: Option<PyErr>,
}

impl Lookout {
    /// One that tells `progress` how far it is.
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Lookout { progress, last: Instant::now(), error: None }
    }

    /// Looks, if it is time to: `Break` if Python wants an end.
    pub fn look(&mut self, done: f64) -> ControlFlow<()> {
        if self.last.elapsed() < LOOK {
            return ControlFlow::Continue(());
        }
        let looked = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done,)).map(|_| ()))
        });
        self.last = Instant::now();
        self.error = looked.err();
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Lets work run on a thread of its own, while this one looks at Python, which does not hold its lock: tells `progress` what is done, and sets `stop` if Python wants an end. What
/// the work gave, or its panic, and what Python raised.
pub fn watched<T: Send>(
    work: impl FnOnce() -> T + Send,
    progress: Option<Py<PyAny>>,
    done: impl Fn() -> f64,
    stop: &AtomicBool,
) -> (Result<T, Box<dyn Any + Send>>, Option<PyErr>) {
    let mut lookout = Lookout::new(progress);
    let here = std::thread::current();
    let worked = std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let worked = catch_unwind(AssertUnwindSafe(work));
            here.unpark();
            worked
        });
        while !worker.is_finished() {
            std::thread::park_timeout(LOOK);
            if lookout.look(done()).is_break() {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        worker.join().unwrap_or_else(Err)
    });
    (worked, lookout.error)
}

/// Rows, events, tables in long form and the motion of a run.
pub struct Watch<'m> {
    mechanism: &'m Mechanism,
    /// The rows.
    pub table: Table,
    recorder: Option<Recorder>,
    events: Option<CsvEvents<Vec<u8>>>,
    long: Vec<CsvLong<'m, Vec<u8>>>,
    /// The look at Python.
    pub lookout: Lookout,
    failed: Option<io::Error>,
}

/// What a run writes beside its rows: the contents of the files.
pub struct Written {
    /// `events.csv`, if there were any.
    pub events: Option<Vec<u8>>,
    /// Tables in long form, by their files' names.
    pub long: Vec<(&'static str, Vec<u8>)>,
    /// `motion.lwm`, if it was recorded and there is something to be seen.
    pub motion: Option<Vec<u8>>,
}

impl<'m> Watch<'m> {
    /// Nothing seen so far.
    pub fn new(mechanism: &'m Mechanism, record: bool, lookout: Lookout) -> io::Result<Self> {
        let tables = LongTable::ALL.into_iter().filter(|table| table.is_of(mechanism));
        let long =
            tables.map(|table| CsvLong::new(table, mechanism, Vec::new())).collect::<io::Result<_>>()?;
        let recorder = record.then(|| Recorder::new(mechanism));
        let table = Table::new(mechanism);
        Ok(Watch { mechanism, table, recorder, events: None, long, lookout, failed: None })
    }

    fn row_of(&mut self, frame: &Frame) -> io::Result<()> {
        self.table.push(self.mechanism, frame);
        if let Some(recorder) = &mut self.recorder {
            recorder.record(self.mechanism, frame);
        }
        self.long.iter_mut().try_for_each(|long| long.write(frame))
    }

    fn event_of(&mut self, event: &Event) -> io::Result<()> {
        if self.events.is_none() {
            self.events = Some(CsvEvents::new(Vec::new())?);
        }
        self.events.as_mut().map_or(Ok(()), |events| events.write(event))
    }

    fn go_on(&mut self, written: io::Result<()>, t: f64) -> ControlFlow<()> {
        self.failed = self.failed.take().or(written.err());
        if self.failed.is_some() { ControlFlow::Break(()) } else { self.lookout.look(t) }
    }

    /// The rows and the contents of the files.
    pub fn finish(self, summary: &Summary) -> io::Result<(Table, Written)> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let motion = self.recorder.and_then(|recorder| {
            let mut warnings = linkwork_cli::report_warnings(self.mechanism, summary);
            warnings.extend(recorder.remarks());
            let mut motion = Vec::new();
            // an error here means that there is nothing to be seen
            recorder.write(&mut motion, &warnings).is_ok().then_some(motion)
        });
        let (mut events, mut long) = (self.events, self.long);
        events.as_mut().map_or(Ok(()), CsvEvents::flush)?;
        long.iter_mut().try_for_each(CsvLong::flush)?;
        let events = events.map(|events| events.writer().clone());
        let long = long.iter().map(|long| (long.table().file(), long.writer().clone())).collect();
        Ok((self.table, Written { events, long, motion }))
    }
}

impl Observer for Watch<'_> {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        let written = self.row_of(frame);
        self.go_on(written, frame.t)
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        let written = self.event_of(event);
        self.go_on(written, event.t)
    }

    fn step(&mut self, t: f64) -> ControlFlow<()> {
        self.go_on(Ok(()), t)
    }
}
