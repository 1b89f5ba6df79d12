//! Batches: many variants of a mechanism on all cores.

use crate::errors::{as_faults, guarded, internal, raised, refused, wrong};
use crate::model::{Mechanism, Source};
use crate::settings::Overrides;
use crate::watch::Lookout;
use linkwork::Batch;
use linkwork::batch::{BatchError, BatchRun, KeptRows, Variant};
use linkwork::model::{Faults, Model};
use numpy::ndarray::{Array2, Array3};
use numpy::{PyArray1, PyArray2, PyArray3, PyReadonlyArray2};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a batch has left; variants come first in the arrays.
#[pyclass(frozen, get_all, module = "linkwork._native")]
pub struct BatchData {
    /// Names of the columns that were kept.
    columns: Vec<String>,
    /// The last row of each variant; what has no row has no number (NaN).
    last: Py<PyArray2<f64>>,
    /// All rows, if they were kept; shorter runs are filled with NaN.
    rows: Option<Py<PyArray3<f64>>>,
    /// Least and largest values over each run, if they were kept.
    least: Option<Py<PyArray2<f64>>>,
    most: Option<Py<PyArray2<f64>>>,
    /// When each run ended, s, and its status: 0 finished, 1 failed, 2 refused.
    t: Py<PyArray1<f64>>,
    status: Py<PyArray1<u8>>,
    /// How many variants went through the registers side by side.
    in_lanes: usize,
    /// Variant, code and message of what went wrong.
    errors: Vec<(usize, String, String)>,
}

/// Names with a row of values for each variant.
type Varied<'py> = (Vec<String>, PyReadonlyArray2<'py, f64>);

/// What makes the models of variants.
struct Maker {
    source: Arc<Source>,
    overrides: Overrides,
    said: Arc<Model>,
}

impl Maker {
    /// The model with other values for parameters and inputs.
    fn make(&self, parameters: &[(String, f64)], inputs: &[(String, f64)]) -> Result<Model, Faults> {
        let mut model = match parameters.is_empty() {
            true => Model::clone(&self.said),
            false => {
                let mut model = self.source.read(parameters).map_err(as_faults)?;
                self.overrides.apply(&mut model).map_err(as_faults)?;
                model
            }
        };
        inputs.iter().try_for_each(|(name, value)| model.set_input(name, *value)).map_err(as_faults)?;
        Ok(model)
    }
}

/// The names with their values in one variant.
fn named(varied: Option<&(Vec<String>, Array2<f64>)>, variant: usize) -> Vec<(String, f64)> {
    let Some((names, values)) = varied else { return Vec::new() };
    names.iter().cloned().zip(values.row(variant).iter().copied()).collect()
}

/// Time of a piece of a batch: signals are heeded between two.
const PIECE: Duration = Duration::from_millis(100);

/// Runs so many variants of a mechanism; each table has a row for each.
#[pyfunction]
#[pyo3(signature = (mechanism, count, *, threads=0, parameters=None, inputs=None, starts=None, columns=None, all_rows=false, extremes=false, lockstep=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn run_batch(
    py: Python<'_>,
    mechanism: &Mechanism,
    count: usize,
    threads: usize,
    parameters: Option<Varied<'_>>,
    inputs: Option<Varied<'_>>,
    starts: Option<(PyReadonlyArray2<'_, f64>, PyReadonlyArray2<'_, f64>)>,
    columns: Option<Vec<String>>,
    all_rows: bool,
    extremes: bool,
    lockstep: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<BatchData> {
    guarded(py, || {
        let owned =
            |varied: Option<Varied<'_>>| varied.map(|(names, values)| (names, values.as_array().to_owned()));
        let (parameters, inputs) = (owned(parameters), owned(inputs));
        let starts = starts.map(|(q, u)| (q.as_array().to_owned(), u.as_array().to_owned()));
        let lengths = [&parameters, &inputs].into_iter().flatten().map(|(_, values)| values.nrows());
        let of_starts = starts.iter().flat_map(|(q, u)| [q.nrows(), u.nrows()]);
        if lengths.chain(of_starts).any(|length| length != count) {
            return Err(wrong(py, format!("each table needs a row for each of the {count} variants")));
        }
        let mut batch =
            Batch::new(&mechanism.assembled).threads(threads).extremes(extremes).lockstep(lockstep);
        batch = batch.rows(if all_rows { KeptRows::All } else { KeptRows::Last });
        if let Some(columns) = &columns {
            batch = batch.columns(columns).map_err(|faults| refused(py, &faults))?;
        }
        let maker = Arc::new(Maker {
            source: Arc::clone(&mechanism.source),
            overrides: mechanism.overrides.clone(),
            said: Arc::clone(&mechanism.said),
        });
        let variant = |i: usize| {
            let (set, input) = (named(parameters.as_ref(), i), named(inputs.as_ref(), i));
            let mut variant = match set.is_empty() && input.is_empty() {
                true => Variant::new(),
                false => {
                    let maker = Arc::clone(&maker);
                    Variant::made_by(move || maker.make(&set, &input))
                }
            };
            if let Some((q, u)) = &starts {
                variant = variant.start(q.row(i).to_vec(), u.row(i).to_vec());
            }
            variant
        };
        let ran =
            py.detach(|| catch_unwind(AssertUnwindSafe(|| in_pieces(&batch, count, variant, progress))));
        let (runs, error) = ran.map_err(|panic| internal(py, &*panic))?;
        if let Some(error) = error {
            return Err(error);
        }
        let names = batch.kept_columns().map(|column| column.name.clone()).collect();
        data(py, names, &runs, all_rows, extremes)
    })
}

/// Runs the variants piece by piece. Neighbours do not matter: each has the bits of a run alone.
fn in_pieces(
    batch: &Batch<'_>,
    count: usize,
    variant: impl Fn(usize) -> Variant,
    progress: Option<Py<PyAny>>,
) -> (Vec<BatchRun>, Option<PyErr>) {
    let mut lookout = Lookout::new(progress);
    let mut runs = Vec::with_capacity(count);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let least = 8 * cores;
    let mut piece = least;
    while runs.len() < count {
        let variants: Vec<Variant> = (runs.len()..count.min(runs.len() + piece)).map(&variant).collect();
        let began = Instant::now();
        runs.extend(batch.run(&variants));
        if lookout.look(runs.len() as f64).is_break() {
            return (runs, lookout.error);
        }
        let factor = PIECE.as_secs_f64() / began.elapsed().as_secs_f64().max(1e-6);
        piece = ((piece as f64 * factor.clamp(0.25, 4.0)) as usize).next_multiple_of(least).max(least);
    }
    (runs, None)
}

/// The results as arrays.
fn data(
    py: Python<'_>,
    columns: Vec<String>,
    runs: &[BatchRun],
    all_rows: bool,
    extremes: bool,
) -> PyResult<BatchData> {
    let (n, width) = (runs.len(), columns.len());
    let table = |of: &dyn Fn(&BatchRun) -> Option<Vec<f64>>| {
        let mut table = Array2::from_elem((n, width), f64::NAN);
        for (i, values) in runs.iter().enumerate().filter_map(|(i, run)| Some((i, of(run)?))) {
            table.row_mut(i).iter_mut().zip(values).for_each(|(cell, value)| *cell = value);
        }
        PyArray2::from_owned_array(py, table).unbind()
    };
    let rows = all_rows.then(|| {
        let most = runs.iter().map(|run| run.rows.len()).max().unwrap_or(0);
        let mut rows = Array3::from_elem((n, most, width), f64::NAN);
        for (i, run) in runs.iter().enumerate() {
            for (r, row) in run.rows.iter().enumerate() {
                row.iter().enumerate().for_each(|(c, value)| rows[[i, r, c]] = *value);
            }
        }
        PyArray3::from_owned_array(py, rows).unbind()
    });
    let status = runs.iter().map(|run| match &run.error {
        None => 0,
        Some(BatchError::Refused { .. }) => 2,
        Some(_) => 1,
    });
    let message = |(i, run): (usize, &BatchRun)| {
        run.error.as_ref().map(|error| match error {
            BatchError::Failed { failure, .. } => (i, failure.code.to_owned(), failure.message.clone()),
            BatchError::Refused { faults, .. } => (i, "refused".to_owned(), faults.to_string()),
            other => (i, "failed".to_owned(), other.to_string()),
        })
    };
    Ok(BatchData {
        columns,
        last: table(&|run| run.last().map(<[f64]>::to_vec)),
        rows,
        least: extremes.then(|| table(&|run| Some(run.least.clone()))),
        most: extremes.then(|| table(&|run| Some(run.most.clone()))),
        t: PyArray1::from_vec(py, runs.iter().map(|run| run.t).collect()).unbind(),
        status: PyArray1::from_vec(py, status.collect()).unbind(),
        in_lanes: runs.iter().filter(|run| run.in_lanes).count(),
        errors: runs.iter().enumerate().filter_map(message).collect(),
    })
}

/// Coordinates and rates at the start in the formulation `recursive`, and what each is.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "it is a tuple in Python")]
pub fn batch_start(
    py: Python<'_>,
    mechanism: &Mechanism,
) -> PyResult<(Vec<f64>, Vec<f64>, Vec<String>, Vec<String>)> {
    guarded(py, || {
        let batch = Batch::new(&mechanism.assembled);
        let start = batch.start().and_then(|(q, u)| Ok((q, u, batch.names()?)));
        let (q, u, (of_q, of_u)) = start.map_err(|faults| raised(py, &faults.into()))?;
        Ok((q, u, of_q, of_u))
    })
}
