//! Whole runs.

use crate::errors::{failed, guarded, internal, raised, wrong};
use crate::model::Mechanism;
use crate::simulation::{Actuation, actuation, places};
use crate::watch::{Lookout, Watch, Written};
use linkwork::mechanism::Mechanism as Assembled;
use linkwork::results::row;
use linkwork::simulation::{InputSchedule, Status, Summary, summary_json};
use linkwork::{Error, Simulation};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a run has left.
#[pyclass(frozen, get_all, module = "linkwork._native")]
pub struct RunData {
    /// A row for each column: one piece of memory, which cannot be written to.
    values: Py<PyArray2<f64>>,
    /// The summary, as JSON.
    summary: String,
    /// `events.csv`, `motion.lwm`, and tables in long form by their files' names.
    events: Option<Vec<u8>>,
    motion: Option<Vec<u8>>,
    long: Vec<(&'static str, Vec<u8>)>,
    /// What ended the run early: a signal, or an exception of a callable.
    interrupted: Option<Py<PyAny>>,
    /// `RunFailure`, if the run failed.
    failure: Option<Py<PyAny>>,
}

/// A callable that sets inputs and forces at regular times.
struct Controller {
    call: Py<PyAny>,
    every: f64,
    /// Places of the columns that it reads.
    reads: Vec<usize>,
    y: Py<PyArray1<f64>>,
    u: Py<PyArray1<f64>>,
    names: Vec<String>,
    set: Vec<Actuation>,
    calls: u64,
    row: Vec<f64>,
    error: Option<PyErr>,
}

impl Controller {
    /// Reads, calls and sets; the time of the next call, or an end if the callable has raised something.
    fn act(
        &mut self,
        mechanism: &Assembled,
        simulation: &mut Simulation<'_>,
    ) -> Result<ControlFlow<(), f64>, Error> {
        if self.set.len() < self.names.len() {
            let found: Result<Vec<_>, Error> =
                self.names.iter().map(|name| actuation(simulation, name)).collect();
            self.set = found?;
        }
        let t = simulation.t();
        row(mechanism, simulation.sample()?, &mut self.row);
        let read: Vec<f64> = self.reads.iter().map(|&place| self.row[place]).collect();
        let called = Python::attach(|py| -> PyResult<Vec<f64>> {
            self.y.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(&read);
            let answer = self.call.bind(py).call1((t, self.y.bind(py), self.u.bind(py)))?;
            if !answer.is_none() {
                let answer: Vec<f64> = match answer.extract::<f64>() {
                    Ok(number) => vec![number],
                    Err(_) => answer.extract()?,
                };
                if answer.len() != self.names.len() {
                    let (given, wanted) = (answer.len(), self.names.len());
                    return Err(wrong(
                        py,
                        format!("the controller returned {given} values for {wanted} inputs"),
                    ));
                }
                self.u.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(&answer);
            }
            Ok(self.u.bind(py).try_readonly()?.as_slice()?.to_vec())
        });
        match called {
            Ok(values) => {
                self.set.iter().zip(values).try_for_each(|(set, value)| set.set(simulation, value))?
            }
            Err(error) => {
                self.error = Some(error);
                return Ok(ControlFlow::Break(()));
            }
        }
        // a time of its own grid, even where an event has taken it off
        while self.calls as f64 * self.every <= t + 1e-9 * self.every {
            self.calls += 1;
        }
        Ok(ControlFlow::Continue(self.calls as f64 * self.every))
    }
}

/// Runs a mechanism from the beginning to the end: with a table of inputs (`names`, `times`, and a row of values for each time), or with a controller.
#[pyfunction]
#[pyo3(signature = (mechanism, *, record=true, progress=None, schedule=None, controller=None, every=0.0, reads=Vec::new(), sets=Vec::new()))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn simulate(
    py: Python<'_>,
    mechanism: &Mechanism,
    record: bool,
    progress: Option<Py<PyAny>>,
    schedule: Option<(Vec<String>, PyReadonlyArray1<'_, f64>, PyReadonlyArray2<'_, f64>)>,
    controller: Option<Py<PyAny>>,
    every: f64,
    reads: Vec<String>,
    sets: Vec<String>,
) -> PyResult<RunData> {
    guarded(py, || {
        let assembled = &*mechanism.assembled;
        let schedule = schedule.map(|(inputs, times, values)| {
            let (times, values) = (times.as_array(), values.as_array());
            let rows = times.iter().zip(values.rows());
            InputSchedule { inputs, rows: rows.map(|(t, row)| (*t, row.to_vec())).collect() }
        });
        if let Some(schedule) = &schedule
            && !schedule.rows.is_sorted_by(|(a, _), (b, _)| a < b)
        {
            return Err(wrong(py, "the times of a table of inputs must rise"));
        }
        let mut controller = match controller {
            None => None,
            Some(_) if !(every > 0.0 && every.is_finite()) => {
                return Err(wrong(
                    py,
                    "`every`, the time between two calls of the controller, must be positive",
                ));
            }
            Some(call) => Some(Controller {
                call,
                every,
                reads: places(py, assembled, &reads)?,
                y: vec![0.0; reads.len()].to_pyarray(py).unbind(),
                u: vec![0.0; sets.len()].to_pyarray(py).unbind(),
                names: sets,
                set: Vec::new(),
                calls: 0,
                row: Vec::new(),
                error: None,
            }),
        };
        // a panic must not unwind through the lock of Python
        let ran = py.detach(|| {
            catch_unwind(AssertUnwindSafe(|| {
                run(assembled, record, Lookout::new(progress), schedule.as_ref(), controller.as_mut())
            }))
        });
        let (summary, written, block, looked) = match ran {
            Ok(ran) => ran.map_err(|error| raised(py, &error))?,
            Err(panic) => return Err(internal(py, &*panic)),
        };
        let interrupted = looked.or_else(|| controller.and_then(|controller| controller.error));
        let failure = match &summary.status {
            Status::Failed(failure) => Some(failed(py, failure).into_value(py).into_any()),
            Status::Finished | Status::Stopped => None,
        };
        let mut said = summary_json(assembled, &summary);
        said["warnings"] = mechanism.warnings().to_json();
        Ok(RunData {
            values: unwritable(py, block)?,
            summary: said.to_string(),
            events: written.events,
            motion: written.motion,
            long: written.long,
            interrupted: interrupted.map(|error| error.into_value(py).into_any()),
            failure,
        })
    })
}

type Ran = (Summary, Written, Array2<f64>, Option<PyErr>);

/// The run, without the lock of Python.
fn run(
    assembled: &Assembled,
    record: bool,
    lookout: Lookout,
    schedule: Option<&InputSchedule>,
    controller: Option<&mut Controller>,
) -> Result<Ran, Error> {
    let in_memory = |source| Error::Io { file: "results".into(), source };
    let mut watch = Watch::new(assembled, record, lookout).map_err(in_memory)?;
    let mut summary = match (schedule, controller) {
        (Some(schedule), _) => assembled.run_with_inputs(schedule, &mut watch),
        (None, Some(controller)) => {
            assembled.run_steered(&mut |simulation| controller.act(assembled, simulation), &mut watch)
        }
        (None, None) => assembled.run(&mut watch).map_err(Error::Model),
    }?;
    let looked = watch.lookout.error.take();
    let (table, written) = watch.finish(&summary).map_err(in_memory)?;
    // forces from outside begin the accounts again
    summary.rows = table.rows() as u64;
    let shape = (table.columns().len(), table.rows());
    let block = Array2::from_shape_vec(shape, table.into_block());
    let block = block.map_err(|error| in_memory(std::io::Error::other(error.to_string())))?;
    Ok((summary, written, block, looked))
}

/// An array with the memory of another one, which cannot be written to.
pub fn unwritable(py: Python<'_>, block: Array2<f64>) -> PyResult<Py<PyArray2<f64>>> {
    let array = PyArray2::from_owned_array(py, block);
    array.try_readwrite()?.make_nonwriteable();
    Ok(array.unbind())
}
