//! Models and mechanisms.

use crate::errors::{guarded, raised, refused};
use crate::settings::Overrides;
use linkwork::model::{Faults, ModelFile, Variable};
use linkwork::results::columns;
use linkwork::simulation::mechanism_json;
use linkwork::{Error, Mechanism as Assembled, Model as Said};
use pyo3::prelude::*;
use std::sync::Arc;

/// What a model was read from: enough to read it again, with other parameters too.
#[derive(Debug)]
pub struct Source {
    file: String,
    text: Vec<u8>,
    parameters: Vec<(String, f64)>,
}

impl Source {
    /// Reads the model, with other values for some parameters.
    pub fn read(&self, parameters: &[(String, f64)]) -> Result<Said, Error> {
        let other = |name: &String| parameters.iter().any(|(given, _)| given == name);
        let kept = self.parameters.iter().filter(|(name, _)| !other(name));
        let all: Vec<(&str, f64)> =
            kept.chain(parameters).map(|(name, value)| (name.as_str(), *value)).collect();
        Said::parse_beside(&self.file, &self.text, &all)
    }

    /// The file, in which other values of parameters take the place of those that stood there.
    pub fn file(&self) -> Result<ModelFile, Error> {
        let file = ModelFile::parse_beside(&self.file, &self.text)?;
        if self.parameters.is_empty() {
            return Ok(file);
        }
        let known = file.variables()?;
        let mut values: Vec<(&Variable, f64)> = Vec::new();
        for (name, value) in &self.parameters {
            values
                .extend(known.find(&format!("parameters.{name}"))?.into_iter().map(|found| (found, *value)));
        }
        ModelFile::parse_beside(&self.file, file.text_with(&values))
    }
}

/// The contents of a model file with other values for some of its keys, as the command has them behind `--set`: as JSON, with the name that the model has.
#[pyfunction]
pub fn with_values(
    py: Python<'_>,
    file: String,
    text: Vec<u8>,
    values: Vec<(String, String)>,
) -> PyResult<(String, String)> {
    guarded(py, || {
        let read = py.detach(|| -> Result<_, Error> {
            let changed = ModelFile::parse_beside(&file, text)?.with(&values)?;
            Ok((changed.to_json(), changed.model(&[])?.name))
        });
        read.map_err(|error| raised(py, &error))
    })
}

/// A model that has been read.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Model {
    /// What it was read from.
    pub source: Arc<Source>,
    said: Arc<Said>,
}

#[pymethods]
impl Model {
    /// Reads a model from the contents of a file.
    #[new]
    fn new(py: Python<'_>, file: String, text: Vec<u8>, parameters: Vec<(String, f64)>) -> PyResult<Self> {
        guarded(py, || {
            let source = Source { file, text, parameters };
            let said = py.detach(|| source.read(&[])).map_err(|error| raised(py, &error))?;
            Ok(Model { source: Arc::new(source), said: Arc::new(said) })
        })
    }

    /// The name of the model.
    #[getter]
    fn name(&self) -> &str {
        &self.said.name
    }

    /// The names of the inputs.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.said.inputs.iter().map(|input| input.name.clone()).collect()
    }

    /// Duration, output step and tolerance.
    #[getter]
    fn settings(&self) -> (f64, f64, f64) {
        let settings = &self.said.settings;
        (settings.duration, settings.output_step, settings.tolerance)
    }

    /// The model as a TOML file.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || self.said.to_toml().map_err(|error| raised(py, &error)))
    }

    /// Checks and compiles the model, with other values for some settings and inputs.
    #[pyo3(signature = (*, duration=None, output_step=None, tolerance=None, step=None, formulation=None, integrator=None, inputs=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn assemble(
        &self,
        py: Python<'_>,
        duration: Option<f64>,
        output_step: Option<f64>,
        tolerance: Option<f64>,
        step: Option<f64>,
        formulation: Option<String>,
        integrator: Option<String>,
        inputs: Vec<(String, f64)>,
    ) -> PyResult<Mechanism> {
        guarded(py, || {
            let overrides =
                Overrides { duration, output_step, tolerance, step, formulation, integrator, inputs };
            let assembled = py.detach(|| {
                let mut said = Said::clone(&self.said);
                overrides.apply(&mut said)?;
                let assembled = said.assemble().map_err(Error::Model)?;
                let settings = &assembled.model().settings;
                let mut list = assembled.formulation().0.unsupported(&assembled);
                list.extend(settings.integrator.objection(&assembled));
                let faults = Faults { list, provenance: said.provenance.clone() };
                if faults.any_errors() { Err(Error::Model(faults)) } else { Ok((assembled, said)) }
            });
            let (assembled, said) = assembled.map_err(|error| raised(py, &error))?;
            let (source, said) = (Arc::clone(&self.source), Arc::new(said));
            Ok(Mechanism { source, overrides, said, assembled: Arc::new(assembled) })
        })
    }
}

/// A compiled mechanism.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Mechanism {
    /// What its model was read from, and what was changed since.
    pub source: Arc<Source>,
    /// Settings and inputs that were replaced.
    pub overrides: Overrides,
    /// Its model as it was written.
    pub said: Arc<Said>,
    /// The mechanism.
    pub assembled: Arc<Assembled>,
}

#[pymethods]
impl Mechanism {
    /// Names and units of the result columns.
    fn columns(&self) -> (Vec<String>, Vec<String>) {
        let columns = columns(&self.assembled);
        columns.into_iter().map(|column| (column.name.to_string(), column.unit.to_string())).unzip()
    }

    /// Duration, output step and tolerance.
    #[getter]
    fn settings(&self) -> (f64, f64, f64) {
        let settings = &self.said.settings;
        (settings.duration, settings.output_step, settings.tolerance)
    }

    /// What the mechanism is, as JSON.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || {
            let mut report = mechanism_json(&self.assembled);
            report["formulation"] = self.assembled.formulation().0.name().into();
            report["warnings"] = self.warnings().to_json();
            Ok(report.to_string())
        })
    }

    /// What the mechanism is, for people.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || {
            let warnings = self.warnings();
            let text = if warnings.list.is_empty() { String::new() } else { warnings.render(false) };
            Ok(text + &linkwork_cli::check_text(&self.assembled))
        })
    }

    /// Refuses the mechanism if formulation or integrator cannot run it.
    fn accept(&self, py: Python<'_>) -> PyResult<()> {
        let warnings = self.warnings();
        if warnings.any_errors() { Err(refused(py, &warnings)) } else { Ok(()) }
    }
}

impl Mechanism {
    /// What the check and the assembly warn of, and what is probably a mistake.
    pub fn warnings(&self) -> Faults {
        let list = self.assembled.warnings().iter().cloned().chain(self.assembled.doubts()).collect();
        Faults { list, provenance: self.said.provenance.clone() }
    }
}
