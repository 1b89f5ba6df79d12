//! Optimisation and fitting. What they are goes to `linkwork/_optimize.py`.

use crate::errors::{guarded, internal, raised, wrong};
use crate::model::Model;
use crate::watch::watched;
use linkwork::model::ModelFile;
use linkwork_formats::table::Table;
use linkwork_optimize::{Data, Error, Evaluation, Measured, Options, Study, fit_page, page};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::path::PathBuf;

/// A summary as JSON, the best model as a file, the report page, and what ended it before its time.
type Found = (String, String, String, Option<PyErr>);

/// What a call gives along with a model: values for keys of its file, values for its inputs in their units, and the section `[optimize]` as TOML.
type Given = (Vec<(String, String)>, Vec<(String, f64)>, Option<String>);

/// What is to be optimised in a model.
struct Wanted {
    study: Study,
    /// Whether values were given that the file does not say.
    is_changed: bool,
}

impl Wanted {
    fn new(model: &Model, (mut values, inputs, section): Given, jobs: usize) -> Result<Self, Error> {
        let mut file = model.source.file()?;
        values.extend(of_inputs(&file, &inputs));
        if !values.is_empty() {
            file = file.with(&values)?;
        }
        if let Some(section) = section {
            file = file.with(&[("optimize", section)])?;
        }
        Ok(Wanted { study: Study::new(file, jobs)?, is_changed: !values.is_empty() })
    }

    /// The model at values of the variables, as a file: its own one, with its comments, if it says all there is.
    fn text_with(&self, x: &[f64]) -> Result<String, Error> {
        match self.is_changed {
            true => Ok(self.study.model(x)?.to_toml()?),
            false => Ok(self.study.text_with(x)),
        }
    }
}

/// Finds the best values of the variables that the section `[optimize]` names.
#[pyfunction]
#[pyo3(signature = (model, given, *, method="auto", runs=2000, seed=1, jobs=0, search_globally=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn optimize(
    py: Python<'_>,
    model: &Model,
    given: Given,
    method: &str,
    runs: u64,
    seed: u64,
    jobs: usize,
    search_globally: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    guarded(py, || {
        let method = method.parse().map_err(|message: String| wrong(py, message))?;
        let options = Options { method, runs, seed, global: search_globally };
        searched(py, model, given, jobs, progress, |wanted| {
            let found = linkwork_optimize::optimize(&wanted.study, &options)?;
            let summary = linkwork_cli::optimum_json(&wanted.study, &found).to_string();
            Ok((summary, wanted.text_with(&found.x)?, page(&wanted.study, &found)))
        })
    })
}

/// Finds the values of the variables with which a run gives measurements best: a list of column, quantity and values at the times.
#[pyfunction]
#[pyo3(signature = (model, given, t, columns, *, runs=2000, jobs=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn fit(
    py: Python<'_>,
    model: &Model,
    given: Given,
    t: PyReadonlyArray1<'_, f64>,
    columns: Vec<(String, String, PyReadonlyArray1<'_, f64>)>,
    runs: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    guarded(py, || {
        let t = t.as_array().to_vec();
        let mut list = Vec::new();
        for (name, quantity, values) in &columns {
            let values = values.as_array().to_vec();
            if values.len() != t.len() {
                let why = format!("the column `{name}` has {} values for {} times", values.len(), t.len());
                return Err(wrong(py, why));
            }
            list.push(Measured { name: name.clone(), quantity: quantity.clone(), values });
        }
        let data = Data { t, columns: list };
        searched(py, model, given, jobs, progress, |wanted| {
            let found = linkwork_optimize::fit(&wanted.study, &data, runs)?;
            let x: Vec<f64> = found.estimates.iter().map(|one| one.value).collect();
            let summary = linkwork_cli::fit_json(&found).to_string();
            Ok((summary, wanted.text_with(&x)?, fit_page(&wanted.study, &data, &found)))
        })
    })
}

/// The columns of a file with measurements, CSV or Parquet: names, and the values of those that are wanted.
#[pyfunction]
pub fn measured(
    py: Python<'_>,
    file: PathBuf,
    names: Option<Vec<String>>,
) -> PyResult<Vec<(String, Vec<f64>)>> {
    guarded(py, || {
        let read = py.detach(|| -> Result<_, linkwork_formats::Error> {
            let table = Table::open(&file)?;
            let wanted = |name: &str| names.as_ref().is_none_or(|names| names.iter().any(|one| one == name));
            let places: Vec<usize> =
                (0..table.columns.len()).filter(|k| wanted(&table.columns[*k].name)).collect();
            let values = table.read(&places)?;
            let names = places.iter().map(|k| table.columns[*k].name.clone());
            Ok(names.zip(values).collect())
        });
        read.map_err(|error| failed(py, &Error::Formats(error)))
    })
}

/// Makes a study and searches it, while Python is looked at; what it found, also if Python wanted an end.
fn searched(
    py: Python<'_>,
    model: &Model,
    given: Given,
    jobs: usize,
    progress: Option<Py<PyAny>>,
    search: impl FnOnce(&Wanted) -> Result<(String, String, String), Error> + Send,
) -> PyResult<Found> {
    let wanted = py.detach(|| Wanted::new(model, given, jobs));
    let wanted = wanted.map_err(|error| failed(py, &error))?;
    let watch = wanted.study.watch();
    let done = || watch.evaluations() as f64;
    let (worked, error) = py.detach(|| watched(|| search(&wanted), progress, done, watch.flag()));
    match (worked.map_err(|panic| internal(py, &*panic))?, error) {
        (Ok((summary, text, page)), error) => Ok((summary, text, page, error)),
        (Err(_), Some(error)) => Err(error),
        (Err(error), None) => Err(failed(py, &error)),
    }
}

/// The exception where nothing can be optimised.
fn failed(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Model(error) => raised(py, error),
        // options of the command are arguments here
        Error::Wrong { what, why } => wrong(py, format!("{}: {why}", what.trim_start_matches("--"))),
        other => wrong(py, other.to_string()),
    }
}

/// Values with their derivatives at one point: objective, gradient, residuals, Jacobian, constraints, their gradients, and why there is no objective.
type Numbers = (f64, Vec<f64>, Vec<f64>, Vec<Vec<f64>>, Vec<f64>, Vec<Vec<f64>>, Option<String>);

/// The numbers of an optimisation, for optimisers of others.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Objective {
    wanted: Wanted,
}

#[pymethods]
impl Objective {
    /// What the section `[optimize]` of a model says.
    #[new]
    fn new(py: Python<'_>, model: &Model, given: Given, jobs: usize) -> PyResult<Self> {
        guarded(py, || {
            let wanted = py.detach(|| Wanted::new(model, given, jobs));
            let wanted = wanted.map_err(|error| failed(py, &error))?;
            Ok(Objective { wanted })
        })
    }

    /// Name, unit, value in the file, least and largest value of each variable.
    fn variables(&self) -> Vec<(String, String, f64, f64, f64)> {
        let study = &self.wanted.study;
        let (lower, upper) = study.bounds();
        let plain = |(i, variable): (usize, &linkwork::model::Variable)| {
            (variable.name.clone(), variable.unit.clone(), variable.value, lower[i], upper[i])
        };
        study.variables().iter().enumerate().map(plain).collect()
    }

    /// Name, text and whether it is an equation, of each constraint.
    fn constraints(&self) -> Vec<(String, String, bool)> {
        let list = &self.wanted.study.optimization().constraints;
        let is_equal = |relation| relation == linkwork::model::Relation::Equal;
        list.iter().map(|one| (one.name.clone(), one.text.clone(), is_equal(one.relation))).collect()
    }

    /// The numbers at values of the variables.
    fn evaluate(&self, py: Python<'_>, x: Vec<f64>, derivatives: bool) -> PyResult<Numbers> {
        guarded(py, || {
            let found = py.detach(|| self.wanted.study.evaluation(&x, derivatives));
            let Evaluation {
                objective,
                gradient,
                residuals,
                jacobian,
                constraints,
                constraint_gradients,
                why,
            } = found.map_err(|error| failed(py, &error))?;
            Ok((objective, gradient, residuals, jacobian, constraints, constraint_gradients, why))
        })
    }

    /// The model at values of the variables, as a file.
    fn text_with(&self, py: Python<'_>, x: Vec<f64>) -> PyResult<String> {
        guarded(py, || self.wanted.text_with(&x).map_err(|error| failed(py, &error)))
    }
}

/// Values of inputs, as if they stood in the file.
fn of_inputs(file: &ModelFile, inputs: &[(String, f64)]) -> Vec<(String, String)> {
    let in_file = |(name, value): &(String, f64)| {
        // an input is a number, or a table with a default
        let of_table = (format!("inputs.\"{name}\".default"), format!("{value:?}"));
        let is_table = file.with(std::slice::from_ref(&of_table)).is_ok();
        if is_table { of_table } else { (format!("inputs.\"{name}\""), of_table.1) }
    };
    inputs.iter().map(in_file).collect()
}
