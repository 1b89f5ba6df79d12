//! Sweeps that fill a folder. What they are and leave goes to `linkwork/_sweep.py`.

use crate::errors::{guarded, internal, raised, wrong};
use crate::watch::watched;
use linkwork::model::ModelFile;
use linkwork_sweep::{
    CaseStatus, Cases, Changes, Error, Plan, Progress, Sampling, Selection, Shard, Study, SweepFolder, Watch,
    merge, page, sensitivity,
};
use numpy::PyArray2;
use numpy::ndarray::Array2;
use pyo3::prelude::*;
use serde_json::json;
use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Messages of cases that did not finish are kept up to so many.
const MOST_TOLD: usize = 10;

/// Options of the command in messages, and what Python calls them.
const OPTIONS: [(&str, &str); 8] = [
    ("--set ", "parameter "),
    ("--sample ", "sample="),
    ("--sample", "sample"),
    ("--part-size", "part_size"),
    ("--columns", "columns"),
    ("--pairs", "pairs"),
    ("--resume", "resume=True"),
    ("with -o", "with `out`"),
];

/// The exception of an error of a sweep.
fn unable(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Model(error) => raised(py, error),
        Error::Io { file, source } => {
            let again = source.raw_os_error().map(io::Error::from_raw_os_error);
            let source = again.unwrap_or_else(|| io::Error::new(source.kind(), source.to_string()));
            raised(py, &linkwork::Error::Io { file: file.display().to_string(), source })
        }
        other => {
            let message = other.to_string();
            let said = OPTIONS.iter().fold(message, |text, (option, word)| text.replace(option, word));
            wrong(py, said)
        }
    }
}

/// The parameters of a plan and their values, a row for each case; `set` has texts NAME=VALUES, as the command has them.
#[pyfunction]
pub fn plan_values<'py>(
    py: Python<'py>,
    file: &str,
    text: Vec<u8>,
    set: Vec<String>,
    sample: &str,
    seed: u64,
) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>)> {
    guarded(py, || {
        let sampling: Sampling = sample.parse().map_err(|message: String| wrong(py, message))?;
        let read = || Plan::read(&ModelFile::parse_beside(file, text)?, &set, sampling, seed);
        let plan = read().map_err(|error| unable(py, &error))?;
        let names: Vec<String> = plan.parameters().iter().map(|parameter| parameter.name.clone()).collect();
        let rows = (0..plan.cases()).flat_map(|n| plan.case(n)).collect();
        let table = Array2::from_shape_vec((plan.cases() as usize, names.len()), rows);
        let table = table.map_err(|error| wrong(py, error.to_string()))?;
        Ok((names, PyArray2::from_owned_array(py, table)))
    })
}

/// A model file, a plan, and what is kept of each run.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Sweep {
    study: Study,
}

#[pymethods]
impl Sweep {
    /// Reads model and plan; `set` has texts NAME=VALUES, as the command has them.
    #[new]
    #[pyo3(signature = (file, text, *, set, sample, seed, columns, lockstep=false, duration=None, output_step=None, tolerance=None, step=None, formulation=None, integrator=None))]
    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn new(
        py: Python<'_>,
        file: String,
        text: Vec<u8>,
        set: Vec<String>,
        sample: &str,
        seed: u64,
        columns: Vec<String>,
        lockstep: bool,
        duration: Option<f64>,
        output_step: Option<f64>,
        tolerance: Option<f64>,
        step: Option<f64>,
        formulation: Option<String>,
        integrator: Option<String>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let sampling: Sampling = sample.parse().map_err(|message: String| wrong(py, message))?;
            let changes = Changes { duration, output_step, tolerance, step, formulation, integrator };
            let study = py.detach(|| {
                let file = ModelFile::parse_beside(&file, text)?;
                let plan = Plan::read(&file, &set, sampling, seed)?;
                Ok(Study::new(file, plan, changes, &columns)?.with_lockstep(lockstep))
            });
            Ok(Sweep { study: study.map_err(|error| unable(py, &error))? })
        })
    }

    /// Begins the folder, or opens it where it holds this sweep; how many parts and cases there are.
    fn begin(&self, py: Python<'_>, folder: PathBuf, part_size: u64, resume: bool) -> PyResult<(u64, u64)> {
        guarded(py, || {
            let folder = py.detach(|| SweepFolder::begin(folder, &self.study, part_size, resume));
            let folder = folder.map_err(|error| unable(py, &error))?;
            Ok((folder.manifest().parts(), folder.manifest().cases))
        })
    }

    /// Runs what is missing of a shard of the folder, `2/4` being the second of four: how many cases there are, how many of them did not finish, and what
    /// was wrong with the first of these.
    #[pyo3(signature = (folder, shard, *, threads=0, retry_failed=false, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        shard: &str,
        threads: usize,
        retry_failed: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64, Vec<String>)> {
        guarded(py, || {
            let folder = SweepFolder::open(folder).map_err(|error| unable(py, &error))?;
            let shard = Shard::read(shard, &|_| None).map_err(|error| unable(py, &error))?;
            let selection = Selection { shard, retry_failed };
            let ran = py.detach(|| self.watched(&folder, selection, threads, progress));
            let (ran, seen, error) = ran.map_err(|panic| internal(py, &*panic))?;
            if let Some(error) = error {
                return Err(error);
            }
            ran.map_err(|error| unable(py, &error))?;
            Ok((seen.cases, seen.unfinished, seen.messages))
        })
    }
}

/// How a selection went, what was heard of it, and what Python raised meanwhile.
type Ran = (Result<bool, Error>, Told, Option<PyErr>);

impl Sweep {
    /// Runs a selection on threads of its own, while this one looks at Python.
    fn watched(
        &self,
        folder: &SweepFolder,
        selection: Selection,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Result<Ran, Box<dyn Any + Send>> {
        let watch = Watch { threads, ..Watch::default() };
        let passed = Arc::new(AtomicU64::new(0));
        let mut seen = Told { begun: watch.begun.clone(), passed: passed.clone(), ..Told::default() };
        let run = || folder.run(&self.study, selection, &watch, &mut seen);
        let done = || (passed.load(Ordering::Relaxed) + watch.begun.load(Ordering::Relaxed)) as f64;
        let (ran, error) = watched(run, progress, done, &watch.stop);
        ran.map(|ran| (ran, seen, error))
    }
}

/// What is heard of a sweep that goes on.
#[derive(Default)]
struct Told {
    cases: u64,
    unfinished: u64,
    messages: Vec<String>,
    begun: Arc<AtomicU64>,
    passed: Arc<AtomicU64>,
}

impl Progress for Told {
    fn part(&mut self, _: u64, cases: &Cases, _: bool) {
        self.begun.store(0, Ordering::Relaxed);
        self.passed.fetch_add(cases.len() as u64, Ordering::Relaxed);
        self.cases += cases.len() as u64;
        self.unfinished += (cases.len() - cases.count(CaseStatus::Finished)) as u64;
        let room = MOST_TOLD - self.messages.len();
        let shown = cases.messages.iter().take(room);
        self.messages
            .extend(shown.map(|(i, message)| format!("case {} {}", cases.numbers[*i], message.trim_end())));
    }
}

/// How far the sweep of a folder is, as JSON.
#[pyfunction]
pub fn sweep_status(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    guarded(py, || {
        let folder = SweepFolder::open(folder).map_err(|error| unable(py, &error))?;
        let status = py.detach(|| folder.status());
        let manifest = folder.manifest();
        let status = json!({
            "cases": manifest.cases, "finished": status.finished, "failed": status.failed, "refused": status.refused,
            "parts": manifest.parts(), "whole": status.whole, "damaged": status.damaged,
        });
        Ok(status.to_string())
    })
}

/// Writes all cases of a folder into one table; how many there are.
#[pyfunction]
pub fn sweep_merge(py: Python<'_>, folder: PathBuf, file: PathBuf) -> PyResult<u64> {
    guarded(py, || {
        let merged = py.detach(|| merge(&SweepFolder::open(folder)?, &file));
        merged.map_err(|error| unable(py, &error))
    })
}

/// Sensitivity indices of a folder: column, parameter, first order, total.
#[pyfunction]
pub fn sweep_indices(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(String, String, f64, f64)>> {
    guarded(py, || {
        let found = py.detach(|| sensitivity(&SweepFolder::open(folder)?));
        let found = found.map_err(|error| unable(py, &error))?;
        Ok(found.into_iter().map(|index| (index.column, index.parameter, index.first, index.total)).collect())
    })
}

/// The page of a folder: histograms and scatter plots.
#[pyfunction]
pub fn sweep_page(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    guarded(py, || {
        let made = py.detach(|| page(&SweepFolder::open(folder)?));
        made.map_err(|error| unable(py, &error))
    })
}
