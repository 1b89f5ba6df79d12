//! Inputs over time, as a table has them: a run that sets them on the way.

use super::run::Leg;
use super::stepping::{InputId, Progress};
use super::{Observer, Summary};
use crate::Error;
use crate::mechanism::Mechanism;
use crate::model::{Between, Model};

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
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let wrong = |line: usize, what: String| Error::Input(format!("{file}:{}: {what}", line + 1));
        let Some((at, head)) = lines.next() else {
            return Err(Error::Input(format!("{file}: the table is empty")));
        };
        let mut names = head.split(',').map(|name| name.trim().trim_matches('"').to_owned());
        if names.next().as_deref() != Some("t") {
            return Err(wrong(at, "the first column must be `t`, the time in seconds".into()));
        }
        let inputs: Vec<String> =
            names.map(|name| name.strip_prefix("input.").unwrap_or(&name).into()).collect();
        let mut schedule = InputSchedule { inputs, rows: Vec::new() };
        for (at, line) in lines {
            let mut numbers = Vec::with_capacity(schedule.inputs.len());
            for cell in line.split(',') {
                match cell.trim().parse::<f64>() {
                    Ok(value) if value.is_finite() => numbers.push(value),
                    _ => return Err(wrong(at, format!("`{}` is not a finite number", cell.trim()))),
                }
            }
            if numbers.len() != schedule.inputs.len() + 1 {
                let columns = schedule.inputs.len() + 1;
                return Err(wrong(
                    at,
                    format!("this line has {} numbers, the first has {columns} names", numbers.len()),
                ));
            }
            let t = numbers.remove(0);
            if schedule.rows.last().is_some_and(|(before, _)| t <= *before) {
                return Err(wrong(at, format!("times must rise, {t} s does not come after the time before")));
            }
            schedule.rows.push((t, numbers));
        }
        Ok(schedule)
    }

    /// Makes the values at t = 0 the defaults of a model's inputs, so that the run begins with them.
    ///
    /// # Errors
    /// [`Error::Input`] if the model has no input of a name, or a value is beyond its limits.
    pub fn begin(&self, model: &mut Model) -> Result<(), Error> {
        for (i, name) in self.inputs.iter().enumerate() {
            let value = self.at_start(i);
            model.set_input(name, value.unwrap_or(f64::NAN)).or_else(|error| match value {
                Some(_) => Err(error),
                // only whether there is one is of interest
                None if model.inputs.iter().any(|input| input.name == *name) => Ok(()),
                None => Err(error),
            })?;
        }
        Ok(())
    }

    /// The value of an input at t = 0, if the table begins so early.
    fn at_start(&self, input: usize) -> Option<f64> {
        self.rows.iter().take_while(|(t, _)| *t <= 0.0).last().map(|(_, values)| values[input])
    }
}

impl Model {
    /// Sets the default of an input, in its unit.
    ///
    /// # Errors
    /// [`Error::Input`] if there is none of this name, or the value is not a number within its limits.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let known: Vec<&str> = self.inputs.iter().map(|input| input.name.as_str()).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        let Some(input) = self.inputs.iter_mut().find(|input| input.name == name) else {
            return Err(Error::Input(format!("the model has no input `{name}`; it has {known}")));
        };
        let value_si = value * input.unit_size().unwrap_or(1.0);
        let [low, high] = input.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if !(value_si.is_finite() && low <= value_si && value_si <= high) {
            return Err(Error::Input(format!(
                "the input `{name}` cannot be {value}: that is beyond its limits"
            )));
        }
        input.default = value_si;
        Ok(())
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
        let mut simulation = self.ready(None, observer)?;
        let inputs: Result<Vec<InputId>, Error> =
            schedule.inputs.iter().map(|name| simulation.input(name)).collect();
        let inputs = inputs?;
        let linear: Vec<bool> = schedule
            .inputs
            .iter()
            .map(|name| {
                let mut list = self.model.inputs.iter();
                list.any(|input| input.name == *name && input.between == Between::Linear)
            })
            .collect();
        let duration = self.model.settings.duration;
        let mut now: Option<&[f64]> = None;
        for (t, values) in &schedule.rows {
            if *t > 0.0 {
                // until then: what is held stays, what is linear is on its way
                for (i, &input) in inputs.iter().enumerate() {
                    if linear[i] {
                        simulation.set(input, values[i])?;
                    } else if let Some(now) = now {
                        simulation.set(input, now[i])?;
                    }
                }
                if *t >= duration {
                    break;
                }
                if simulation.drive_with_inputs(Leg::To { t: *t, or_event: false }, observer)?
                    == Progress::Finished
                {
                    return Ok(simulation.finish());
                }
            }
            now = Some(values);
        }
        if let (Some(now), Some((last, _))) = (now, schedule.rows.last())
            && *last < duration
        {
            for (&input, &value) in inputs.iter().zip(now) {
                simulation.set(input, value)?;
            }
        }
        simulation.drive_with_inputs(Leg::To { t: duration, or_event: false }, observer)?;
        Ok(simulation.finish())
    }
}
