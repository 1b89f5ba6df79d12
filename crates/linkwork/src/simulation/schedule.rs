//! Inputs over time, as a table has them: a run that sets them on the way.

use super::run::Leg;
use super::stepping::{InputId, Progress, Simulation};
use super::{Observer, Summary};
use crate::Error;
use crate::expressions::number_lines::{NumberLines, WrongLine};
use crate::mechanism::Mechanism;
use crate::model::{Between, Input, Model};
use std::ops::ControlFlow;

/// What steers a run: it sets inputs and says up to which time they hold, s.
pub type Steer<'a> = dyn FnMut(&mut Simulation<'_>) -> Result<ControlFlow<(), f64>, Error> + 'a;

/// Values of inputs at times. Between two rows an input does what its `between` or `filter` says; after the last row it stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputSchedule {
    /// The inputs.
    pub inputs: Vec<String>,
    /// Times, s, ascending, each with a value for every input, in its unit.
    pub rows: Vec<(f64, Vec<f64>)>,
}

impl InputSchedule {
    /// Reads a table: a line with `t` and the names of inputs, then lines of numbers, separated by commas. `file` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Input`], with the line.
    pub fn from_csv(file: &str, text: &str) -> Result<Self, Error> {
        let wrong = |WrongLine { line, what }| {
            Error::Input(format!("{file}{}: {what}", line.map_or(String::new(), |line| format!(":{line}"))))
        };
        let at = |line: usize, what: String| wrong(WrongLine { line: Some(line), what });
        let mut lines = NumberLines::new(text).map_err(wrong)?;
        let (head, names) = (lines.head.0, lines.names.clone());
        let Some((&"t", names)) = names.split_first() else {
            return Err(at(head, "the first column must be `t`, the time in seconds".into()));
        };
        let inputs = names.iter().map(|name| name.strip_prefix("input.").unwrap_or(name).to_owned());
        let mut schedule = InputSchedule { inputs: inputs.collect(), rows: Vec::new() };
        let places: Vec<usize> = (0..=names.len()).collect();
        let mut numbers = Vec::new();
        while let Some(line) = lines.next(&places, &mut numbers).map_err(wrong)? {
            let (t, values) = (numbers[0], numbers[1..].to_vec());
            if schedule.rows.last().is_some_and(|(before, _)| t <= *before) {
                return Err(at(line, format!("times must rise, {t} s does not come after the time before")));
            }
            schedule.rows.push((t, values));
        }
        Ok(schedule)
    }

    /// Makes the values at t = 0 the defaults of a model's inputs, so that the run begins with them.
    ///
    /// # Errors
    /// [`Error::Input`] if the model has no input of a name, or a value is beyond its limits.
    pub fn begin(&self, model: &mut Model) -> Result<(), Error> {
        for (i, name) in self.inputs.iter().enumerate() {
            let Some(input) = model.inputs.iter().find(|input| input.name == *name) else {
                return Err(Input::unknown(name, model.inputs.iter().map(|input| input.name.as_str())));
            };
            if let Some(value) = self.value_at(i, 0.0, input.between == Between::Linear) {
                model.set_input(name, value)?;
            }
        }
        Ok(())
    }

    /// The value of an input at a time: that of the row before, or between two rows on the line through them; `None` before the first.
    fn value_at(&self, input: usize, t: f64, linear: bool) -> Option<f64> {
        let after = self.rows.partition_point(|(row, _)| *row <= t);
        let (t0, before) = &self.rows[after.checked_sub(1)?];
        let value = before[input];
        Some(match self.rows.get(after).filter(|_| linear) {
            Some((t1, next)) => value + (next[input] - value) * ((t - t0) / (t1 - t0)),
            None => value,
        })
    }
}

impl Mechanism {
    /// A run in which inputs change as a table says. Where the run begins they have their defaults: see [`InputSchedule::begin`].
    ///
    /// # Errors
    /// As [`Mechanism::run`], and [`Error::Input`].
    pub fn run_with_inputs(
        &self,
        schedule: &InputSchedule,
        observer: &mut dyn Observer,
    ) -> Result<Summary, Error> {
        let linear: Vec<bool> = schedule
            .inputs
            .iter()
            .map(|name| {
                let mut list = self.model.inputs.iter();
                list.any(|input| input.name == *name && input.between == Between::Linear)
            })
            .collect();
        let duration = self.model.settings.duration;
        let mut times =
            schedule.rows.iter().map(|(t, _)| *t).filter(|t| *t > 0.0 && *t < duration).chain([duration]);
        let mut inputs: Vec<InputId> = Vec::new();
        let mut steer = |simulation: &mut Simulation<'_>| {
            if inputs.is_empty() {
                let found: Result<_, Error> =
                    schedule.inputs.iter().map(|name| simulation.input(name)).collect();
                inputs = found?;
            }
            let (from, t) = (simulation.t(), times.next().unwrap_or(duration));
            for (i, &input) in inputs.iter().enumerate() {
                // what is held has its value from now on, what is linear is on its way to the next
                let at = if linear[i] { t } else { from };
                if let Some(value) = schedule.value_at(i, at, linear[i]) {
                    simulation.set(input, value)?;
                }
            }
            Ok(ControlFlow::Continue(t))
        };
        self.run_steered(&mut steer, observer)
    }

    /// A run that a controller steers: `steer` is called in the beginning and then whenever the time has come that it named, and sets inputs and forces. It ends the
    /// run by `Break`. Rows, events and summary are those of [`Mechanism::run`]; but the first time that a force from outside is asked for begins the accounts of the summary again.
    ///
    /// ```
    /// use linkwork::model::{Body, Model};
    /// use linkwork::results::Frame;
    /// use std::ops::ControlFlow;
    ///
    /// let mut model = Model::planar("pendulum").gravity([0.0, -9.81])
    ///     .point("O", [0.0, 0.0]).point("A", [1.0, 0.0]).ground(["O"]).body(Body::rod("rod", ["O", "A"], 1.0));
    /// model.settings.duration = 1.0;
    /// let mechanism = model.assemble()?;
    /// let mut last = 1.0;
    /// let hold = &mut |simulation: &mut linkwork::Simulation<'_>| {
    ///     let motor = simulation.joint_force("O", 1)?;
    ///     simulation.set(motor, 0.5 * 9.81)?; // what holds the rod level
    ///     Ok(ControlFlow::Continue(simulation.t() + 0.01))
    /// };
    /// let summary = mechanism.run_steered(hold, &mut |frame: &Frame| last = frame.positions[1][1])?;
    /// assert!(last.abs() < 1e-9 && summary.rows >= 100);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Mechanism::run`], and what `steer` returns.
    pub fn run_steered(&self, steer: &mut Steer<'_>, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let mut simulation = self.ready(None, observer)?;
        let duration = self.model.settings.duration;
        while simulation.status().is_none() {
            let t = match steer(&mut simulation)? {
                ControlFlow::Continue(t) => t.min(duration),
                ControlFlow::Break(()) => break,
            };
            if t.is_nan() || t <= simulation.t() {
                return Err(Error::Time { t, now: simulation.t(), end: duration });
            }
            if simulation.drive_with_inputs(Leg::To { t, or_event: false }, observer)? == Progress::Finished {
                break;
            }
        }
        Ok(simulation.finish())
    }
}
