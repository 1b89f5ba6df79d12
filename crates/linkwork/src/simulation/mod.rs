//! The loop that joins formulation, integrator and observers.
//!
//! Rows fall on multiples of the output step and on the end. Between steps they are read off the dense
//! output and, where the run projects, projected as well, so that every row meets the constraints to
//! rounding. Where something happens ([`Event`]) there is a row before and a row after it, both at that time.

mod compare;
mod events;
mod report;
mod summary;
mod trajectory;

pub use compare::{ALLOWANCE, Comparison, Difference, FLOOR, Outcome, SENSITIVE};
pub use events::{Event, EventKind, write_events};
pub use report::{mechanism_json, summary_json};
pub use summary::{RunFailure, Status, Summary};
pub use trajectory::Trajectory;

use crate::formulations::{
    Formulate, Joints, Kane, Lagrange, Momentum, MotionError, NewtonEuler, Points, Tmt,
};
use crate::integrate::{Limits, StepError, StepOutcome, Stepper};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, Integrator, Severity};
use crate::results::Frame;
use events::{Events, Hit, Trouble};
use std::ops::ControlFlow;

/// Watches a run. Both calls may end it early.
pub trait Observer {
    /// A result row.
    fn row(&mut self, frame: &Frame) -> ControlFlow<()>;
    /// An accepted step, for progress.
    fn step(&mut self, t: f64) -> ControlFlow<()> {
        let _ = t;
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Frame)> Observer for F {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self(frame);
        ControlFlow::Continue(())
    }
}

impl Mechanism {
    /// Runs the mechanism as its model's settings say. The observer sees every row; the summary tells how
    /// the run ended. An error here means that the run could not begin.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Summary, Faults> {
        let settings = &self.model.settings;
        let objections = settings.formulation.objections(self);
        if objections.iter().any(|f| f.severity == Severity::Error) {
            return Err(Faults { list: objections, provenance: self.model.provenance.clone() });
        }
        if settings.integrator.facts().needs_points && settings.formulation != Formulation::Points {
            let (method, name) = (settings.integrator.name(), settings.formulation.name());
            let message = format!("`{method}` works in point coordinates, not in those of `{name}`");
            let fault = Fault::error("simulation.formulation", message).help("take formulation = \"points\"");
            return Err(Faults { list: vec![fault], provenance: self.model.provenance.clone() });
        }
        let refuse = |fault| Faults { list: vec![fault], provenance: self.model.provenance.clone() };
        Ok(match settings.formulation {
            Formulation::Points => drive(self, &mut Points::new(self).map_err(refuse)?, observer),
            Formulation::Joints => drive(self, &mut Joints::new(self).map_err(refuse)?, observer),
            Formulation::Momentum => drive(self, &mut Momentum::new(self).map_err(refuse)?, observer),
            Formulation::NewtonEuler => drive(self, &mut NewtonEuler::new(self).map_err(refuse)?, observer),
            Formulation::Tmt => drive(self, &mut Tmt::new(self).map_err(refuse)?, observer),
            Formulation::Lagrange => drive(self, &mut Lagrange::new(self).map_err(refuse)?, observer),
            Formulation::Kane => drive(self, &mut Kane::new(self).map_err(refuse)?, observer),
        })
    }

    /// Runs the mechanism and keeps every row.
    pub fn simulate(&self) -> Result<Trajectory, Faults> {
        let mut frames = Vec::new();
        let summary = self.run(&mut |frame: &Frame| frames.push(frame.clone()))?;
        Ok(Trajectory { columns: crate::results::columns(self), frames, summary })
    }
}

/// The time of row k: multiples of the output step, the last one exactly at the end.
fn row_time(k: u64, output_step: f64, duration: f64) -> f64 {
    let t = k as f64 * output_step;
    if t > duration - 1e-9 * output_step { duration } else { t }
}

/// Observes, and lets no number pass that is not finite.
fn observe<F: Formulate>(
    mechanism: &Mechanism,
    system: &mut F,
    t: f64,
    y: &[f64],
    frame: &mut Frame,
    row: &mut Vec<f64>,
) -> Result<(), MotionError> {
    system.observe(t, y, frame)?;
    crate::results::row(mechanism, frame, row);
    match row.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(MotionError::NotFinite {
            what: format!("the result `{}`", crate::results::columns(mechanism)[i].name),
        }),
    }
}

fn drive<F: Formulate>(mechanism: &Mechanism, system: &mut F, observer: &mut dyn Observer) -> Summary {
    let clock = std::time::Instant::now();
    let mut run = Run::new(mechanism, system, observer);
    let status = match run.drive() {
        Ok(status) | Err(status) => status,
    };
    let Run { book, stepper, events, .. } = run;
    let list = events.map_or(Vec::new(), |events| events.list);
    book.finish(mechanism, status, stepper.statistics(), system, clock.elapsed(), list)
}

/// A run under way.
struct Run<'a, 'm, F> {
    mechanism: &'m Mechanism,
    system: &'a mut F,
    observer: &'a mut dyn Observer,
    stepper: Stepper,
    project: bool,
    book: summary::Book,
    events: Option<Events<'m>>,
    frame: Frame,
    /// A state that is looked at.
    y: Vec<f64>,
    dy: Vec<f64>,
    row: Vec<f64>,
    /// The next row.
    k: u64,
}

impl<'a, 'm, F: Formulate> Run<'a, 'm, F> {
    fn new(mechanism: &'m Mechanism, system: &'a mut F, observer: &'a mut dyn Observer) -> Self {
        let settings = &mechanism.model.settings;
        let n = system.dimension();
        let step = settings.step.unwrap_or(settings.output_step);
        let stepper = match settings.integrator {
            Integrator::Dop853 => Stepper::dop853(n, settings.tolerance),
            Integrator::Rk4 => Stepper::rk4(n, step),
            Integrator::Euler => Stepper::euler(n, step),
            Integrator::Bdf => {
                let order = settings.order.map(|order| (order as usize).clamp(1, 5));
                match settings.fixed_step() {
                    Some(step) => Stepper::bdf_of_order(n, order.unwrap_or(2), step),
                    None => Stepper::bdf(n, order.unwrap_or(5), settings.tolerance),
                }
            }
        };
        let stepper = match settings.fixed_step() {
            Some(step) => stepper.with_step(step),
            None => stepper,
        };
        let project = settings.projects();
        Run {
            stepper: stepper.with_projection(project).with_limits(Limits {
                max_steps: settings.max_steps,
                max_step: mechanism.longest_step(),
                ..Limits::default()
            }),
            project,
            book: summary::Book::new(),
            events: Events::new(mechanism),
            frame: Frame::new(mechanism),
            y: system.start(),
            dy: vec![0.0; n],
            row: Vec::new(),
            k: 1,
            mechanism,
            system,
            observer,
        }
    }

    fn failed(&self, t: f64, error: &StepError<MotionError>) -> Status {
        Status::Failed(RunFailure::new(t, self.stepper.h(), error, self.system))
    }

    fn in_trouble(&self, t: f64, trouble: &Trouble) -> Status {
        match trouble {
            Trouble::Step(error) => self.failed(t, error),
            Trouble::PileUp(message) => {
                let (step, message) = (self.stepper.h(), message.clone());
                Status::Failed(RunFailure { t, step, code: "events-pile-up", message })
            }
        }
    }

    /// Shows the state `y` as a row.
    fn show(&mut self, t: f64) -> Result<(), Status> {
        let shown = observe(self.mechanism, self.system, t, &self.y, &mut self.frame, &mut self.row);
        if let Err(source) = shown {
            return Err(self.failed(t, &StepError::System { t, source }));
        }
        self.book.take(&self.frame);
        if self.observer.row(&self.frame).is_break() { Err(Status::Stopped) } else { Ok(()) }
    }

    /// The state at a time inside the last step, into `y`.
    fn look_at(&mut self, t: f64) -> Result<(), Status> {
        let found = if t == self.stepper.t() {
            self.y.copy_from_slice(self.stepper.y());
            Ok(())
        } else {
            self.stepper.interpolate(self.system, t, &mut self.y).and_then(|()| match self.project {
                true => self
                    .system
                    .project(t, &mut self.y, &mut self.dy)
                    .map_err(|source| StepError::System { t, source }),
                false => Ok(()),
            })
        };
        found.map_err(|e| self.failed(t, &e))
    }

    /// Shows the rows of the last step up to a time; where something happens then, its rows come instead of one there.
    fn show_rows(&mut self, until: f64, happens: bool) -> Result<(), Status> {
        let settings = &self.mechanism.model.settings;
        let (output_step, duration) = (settings.output_step, settings.duration);
        loop {
            let t = row_time(self.k, output_step, duration);
            let after_end = row_time(self.k - 1, output_step, duration) >= duration;
            let same = (t - until).abs() <= 1e-9 * output_step && (t < duration || t == until);
            if happens && !after_end && same {
                self.k += 1;
                return Ok(());
            }
            if t > until || after_end {
                return Ok(());
            }
            self.look_at(t)?;
            self.show(t)?;
            self.k += 1;
        }
    }

    /// Where the next stretch of smooth motion ends at the latest.
    fn next_end(&self, t: f64) -> f64 {
        let edge = self.mechanism.next_edge(t);
        self.events.as_ref().map_or(edge, |events| events.next_time(t).min(edge))
    }

    fn drive(&mut self) -> Result<Status, Status> {
        let duration = self.mechanism.model.settings.duration;
        self.show(0.0)?;
        if let Some(events) = &mut self.events {
            match events.begin(self.system, &mut self.y) {
                Err(trouble) => return Err(self.in_trouble(0.0, &trouble)),
                Ok(handled) => {
                    if handled.changed {
                        self.show(0.0)?;
                    }
                    if handled.stops {
                        return Ok(Status::Finished);
                    }
                }
            }
        }
        let end = self.next_end(0.0);
        if let Err(e) = self.stepper.start(self.system, 0.0, &self.y, end) {
            return Err(self.failed(0.0, &e));
        }
        let mut pace = summary::Pace::new(duration);
        loop {
            let outcome = match self.stepper.step(self.system) {
                Ok(outcome) => outcome,
                Err(e) => return Err(self.failed(self.stepper.t(), &e)),
            };
            let hit = match &mut self.events {
                None => None,
                Some(events) => match events.search(self.system, &mut self.stepper) {
                    Ok(hit) => hit,
                    Err(trouble) => return Err(self.in_trouble(self.stepper.t(), &trouble)),
                },
            };
            let ended = hit.is_none() && outcome == StepOutcome::Finished && self.stepper.t() < duration;
            let told = ended && self.events.as_ref().is_some_and(|events| events.tells(self.stepper.t()));
            let until = hit.as_ref().map_or(self.stepper.t(), |hit| hit.t);
            self.show_rows(until, hit.is_some() || told)?;
            if hit.is_some() || told {
                if self.happen(until, hit.as_ref())? {
                    return Ok(Status::Finished);
                }
            } else if ended {
                // a corner of a function of time: the next stretch starts anew
                self.look_at(until)?;
                self.restart(until)?;
            } else if outcome == StepOutcome::Finished {
                return Ok(Status::Finished);
            }
            if let Some(failure) = pace.stalled(self.stepper.t(), self.stepper.h()) {
                return Err(Status::Failed(failure));
            }
            if self.observer.step(self.stepper.t()).is_break() {
                return Err(Status::Stopped);
            }
        }
    }

    /// Goes on from the state in `y`.
    fn restart(&mut self, t: f64) -> Result<(), Status> {
        self.stepper.set_end(self.next_end(t));
        self.stepper.restart(self.system, t, &self.y).map_err(|e| self.failed(t, &e))
    }

    /// An event: a row before and one after it, and a new start. Tells whether the run ends here.
    fn happen(&mut self, t: f64, hit: Option<&Hit>) -> Result<bool, Status> {
        self.look_at(t)?;
        self.show(t)?;
        let handled = match &mut self.events {
            None => return Ok(false),
            Some(events) => match events.handle(self.system, t, &mut self.y, hit) {
                Ok(handled) => handled,
                Err(trouble) => return Err(self.in_trouble(t, &trouble)),
            },
        };
        if handled.changed {
            self.show(t)?;
        }
        if handled.stops {
            return Ok(true);
        }
        self.restart(t)?;
        Ok(false)
    }
}
