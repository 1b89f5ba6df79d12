//! Derivatives of results by numbers of the model. What they are goes to `linkwork/_sensitivity.py`.

use crate::errors::{as_faults, guarded, internal, made, raised, refused, wrong};
use crate::model::Mechanism;
use crate::watch::watched;
use linkwork::model::{Fault, Faults, Variable};
use linkwork::sensitivity::{Method, Quantity, SensitivityError, Study};
use linkwork_cli::Agreement;
use pyo3::prelude::*;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The numbers of a model by which derivatives can be taken, or those that names mean: name, value and unit.
#[pyfunction]
pub fn variables(
    py: Python<'_>,
    mechanism: &Mechanism,
    by: Option<Vec<String>>,
) -> PyResult<Vec<(String, f64, String)>> {
    guarded(py, || {
        let file = mechanism.source.file().map_err(|error| raised(py, &error))?;
        let known = file.variables().map_err(|faults| refused(py, &faults))?;
        let plain = |variable: &Variable| (variable.name.clone(), variable.value, variable.unit.clone());
        match by {
            None => Ok(known.list().iter().map(plain).collect()),
            Some(by) => {
                let found = known.find_all(&by).map_err(|faults| refused(py, &faults))?;
                let replaced = |variable: &&&Variable| {
                    let of = |(name, _): &(String, f64)| {
                        let default =
                            variable.path.strip_prefix("inputs.").and_then(|rest| rest.strip_prefix(name));
                        matches!(default, Some("" | ".default"))
                    };
                    mechanism.overrides.inputs.iter().any(of)
                };
                match found.iter().find(replaced) {
                    Some(variable) => Err(wrong(
                        py,
                        format!(
                            "`{}` has no effect, since the mechanism has another value for this input: write that value into the model",
                            variable.name
                        ),
                    )),
                    None => Ok(found.into_iter().map(plain).collect()),
                }
            }
        }
    })
}

/// Derivatives as JSON, in a way by its name; `check` compares them with those of another.
#[pyfunction]
#[pyo3(signature = (mechanism, of, by, *, method="differences", check=false, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn sensitivity(
    py: Python<'_>,
    mechanism: &Mechanism,
    of: Vec<String>,
    by: Vec<String>,
    method: &str,
    check: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    guarded(py, || {
        let method = Method::from_str(method).map_err(|message| wrong(py, message))?;
        let of: Result<Vec<Quantity>, String> = of.iter().map(|text| linkwork_cli::quantity(text)).collect();
        let of = of.map_err(|message| wrong(py, message))?;
        let file = mechanism.source.file().map_err(|error| raised(py, &error))?;
        let (stop, models) = (AtomicBool::new(false), AtomicUsize::new(0));
        let known = file.variables().map_err(|faults| refused(py, &faults))?;
        let found = known.find_all(&by).map_err(|faults| refused(py, &faults))?;
        let family = |values: &[f64]| {
            models.fetch_add(1, Ordering::Relaxed);
            if stop.load(Ordering::Relaxed) {
                return Err(Faults { list: vec![Fault::error("", "interrupted")], provenance: None });
            }
            // what keeps its value keeps its words: an expression follows its parameters
            let pairs = found.iter().copied().zip(values.iter().copied());
            let moved: Vec<(&Variable, f64)> =
                pairs.filter(|(variable, value)| *value != variable.value).collect();
            let mut model = file.model_with(&moved)?;
            mechanism.overrides.apply(&mut model).map_err(as_faults)?;
            Ok(model)
        };
        let of_file = Study::of_file(&file, &by, of.clone()).map_err(|faults| refused(py, &faults))?;
        let study = Study::new(family, of_file.designs().to_vec(), of).threads(threads);
        let work = || -> Result<String, SensitivityError> {
            let found = study.derivatives(method)?;
            let mut said = linkwork_cli::sensitivity_json(&found);
            if check {
                said["check"] = Agreement::with_other_way(&study, &found)?.to_json();
            }
            Ok(said.to_string())
        };
        // the nominal one is made twice
        let done = || models.load(Ordering::Relaxed).saturating_sub(2) as f64;
        let (worked, error) = py.detach(|| watched(work, progress, done, &stop));
        let found = worked.map_err(|panic| internal(py, &*panic))?;
        if let Some(error) = error {
            return Err(error);
        }
        found.map_err(|error| unable(py, &error))
    })
}

/// The exception where there is no derivative.
fn unable(py: Python<'_>, error: &SensitivityError) -> PyErr {
    match error {
        SensitivityError::Nominal(error) => raised(py, error),
        SensitivityError::Unsteady { .. }
        | SensitivityError::Sequence { .. }
        | SensitivityError::Refused { .. }
        | SensitivityError::Variable { .. } => made(py, "derivative_error", (error.to_string(),)),
        _ => wrong(py, error.to_string()),
    }
}
