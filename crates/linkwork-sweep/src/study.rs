//! A model file, a plan and the results to be kept: what runs cases.

use crate::reduction::Reducer;
use crate::{CaseStatus, Cases, Error, Plan, ResultColumn};
use linkwork::Faults;
use linkwork::batch::{Batch, BatchError, Variant};
use linkwork::mechanism::Mechanism;
use linkwork::model::{Fault, Formulation, Integrator, Model, ModelFile, Reduction};
use linkwork::results::columns;
use linkwork::straight::Accelerator;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Settings in the place of those of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// Simulated time, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Time between samples, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_step: Option<f64>,
    /// Local error per step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Steps of this size, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The name of the coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<String>,
    /// The name of the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrator: Option<String>,
}

impl Changes {
    /// The keys that are given.
    pub fn keys(&self) -> Vec<&'static str> {
        self.options().into_iter().map(|(key, _)| key).collect()
    }

    /// Keys and values, as options of the command have them.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let number = |key, value: Option<f64>| value.map(|value| (key, format!("{value:?}")));
        let word = |key, value: &Option<String>| value.clone().map(|value| (key, value));
        [
            number("duration", self.duration),
            number("output_step", self.output_step),
            number("tolerance", self.tolerance),
            number("step", self.step),
            word("formulation", &self.formulation),
            word("integrator", &self.integrator),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn apply(&self, model: &mut Model) -> Result<(), Faults> {
        let settings = &mut model.settings;
        settings.duration = self.duration.unwrap_or(settings.duration);
        settings.output_step = self.output_step.unwrap_or(settings.output_step);
        settings.tolerance = self.tolerance.unwrap_or(settings.tolerance);
        settings.step = self.step.or(settings.step);
        let unknown = |key: &str, name: &str| {
            let fault = Fault::error(format!("simulation.{key}"), format!("`{name}` is not known"));
            Faults { list: vec![fault], provenance: None }
        };
        if let Some(name) = &self.formulation {
            let found = Formulation::CHOICES.iter().copied().find(|f| f.name() == name);
            settings.formulation = found.ok_or_else(|| unknown("formulation", name))?;
        }
        if let Some(name) = &self.integrator {
            let found = Integrator::ALL.iter().copied().find(|i| i.name() == name);
            settings.integrator = found.ok_or_else(|| unknown("integrator", name))?;
        }
        Ok(())
    }
}

/// How a call watches cases that run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Threads; 0: as many as the machine has cores.
    pub threads: usize,
    /// Set, no further case begins, and the cases of the call are worth nothing.
    pub stop: Arc<AtomicBool>,
    /// How many cases of the call have begun.
    pub begun: Arc<AtomicU64>,
}

/// A model file with a plan and the results to be kept.
#[derive(Debug)]
pub struct Study {
    file: Arc<ModelFile>,
    plan: Plan,
    changes: Arc<Changes>,
    names: Arc<Vec<String>>,
    lockstep: bool,
    device: Option<Arc<dyn Accelerator>>,
    base: Mechanism,
    columns: Vec<ResultColumn>,
    units: Vec<String>,
    /// The columns of the results that are needed, each once, and where each column of the study finds its own.
    kept: Vec<String>,
    places: Vec<usize>,
}

/// So many cases are tried for one that is possible.
const TRIED: u64 = 1000;

impl Study {
    /// A study; without columns, the last values of all results.
    ///
    /// # Errors
    /// A model that is impossible in all of the first cases and with its own values; columns that the results do not have, or that are named twice.
    pub fn new(
        file: ModelFile,
        plan: Plan,
        changes: Changes,
        wanted: &[impl AsRef<str>],
    ) -> Result<Study, Error> {
        let names: Vec<String> = plan.parameters().iter().map(|parameter| parameter.name.clone()).collect();
        let base = base(&file, &plan, &changes, &names)?;
        let known = columns(&base);
        let mut list = Vec::new();
        match wanted.is_empty() {
            true => list.extend(known.iter().map(|column| {
                let name = column.name.clone();
                ResultColumn { of: name.clone(), name, kind: Reduction::Final }
            })),
            false => {
                for name in wanted {
                    list.push(ResultColumn::read(name.as_ref())?);
                }
            }
        }
        // a measure may be named as formulas name it
        let is_known = |name: &str| known.iter().any(|column| column.name == name);
        for column in &mut list {
            let measure = format!("measure.{}", column.of);
            if !is_known(&column.of) && is_known(&measure) {
                column.of = measure;
            }
        }
        let mut kept: Vec<String> = Vec::new();
        let mut places = Vec::new();
        for column in &list {
            places.push(match kept.iter().position(|name| *name == column.of) {
                Some(place) => place,
                None => {
                    kept.push(column.of.clone());
                    kept.len() - 1
                }
            });
        }
        // names that are no columns are reported together
        Batch::new(&base).columns(&kept)?;
        let mut seen: Vec<&str> = vec!["case", "status", "code"];
        if let Some(name) = names.iter().find(|name| seen.contains(&name.as_str())) {
            let why = "the table has a column of this name already: give the parameter another one";
            return Err(Error::wrong(format!("--set {name}"), why));
        }
        seen.extend(names.iter().map(String::as_str));
        for column in &list {
            if seen.contains(&column.name.as_str()) {
                let why = format!(
                    "the table has two columns `{}`: write final({}) for one of them",
                    column.name, column.of
                );
                return Err(Error::wrong("--columns", why));
            }
            seen.push(&column.name);
            let duration = base.model().settings.duration;
            if let Reduction::At(t) = column.kind
                && t > duration
            {
                let why = format!("`{}` is after the end of the run, at {duration} s", column.name);
                return Err(Error::wrong("--columns", why));
            }
        }
        let unit = |column: &ResultColumn| {
            let of = known.iter().find(|known| known.name == column.of);
            of.map_or_else(String::new, |of| column.unit(of))
        };
        let units = list.iter().map(unit).collect();
        Ok(Study {
            file: Arc::new(file),
            plan,
            changes: Arc::new(changes),
            names: Arc::new(names),
            lockstep: false,
            device: None,
            base,
            columns: list,
            units,
            kept,
            places,
        })
    }

    /// Lets eight cases share their steps under error control: see [`Batch::lockstep`].
    #[must_use]
    pub fn with_lockstep(self, lockstep: bool) -> Self {
        Study { lockstep, ..self }
    }

    /// Lets a device move the cases that it can: see [`Batch::on`]. No number changes.
    #[must_use]
    pub fn with_device(self, device: Option<Arc<dyn Accelerator>>) -> Self {
        Study { device, ..self }
    }

    /// The model file.
    pub fn file(&self) -> &ModelFile {
        &self.file
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Settings in the place of those of the model.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Whether cases share their steps.
    pub fn lockstep(&self) -> bool {
        self.lockstep
    }

    /// The device that moves cases, if there is one.
    pub fn device(&self) -> Option<&dyn Accelerator> {
        self.device.as_deref()
    }

    /// The mechanism of the first case that is possible.
    pub fn base(&self) -> &Mechanism {
        &self.base
    }

    /// Names and units of the results.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().map(|column| column.name.as_str()).zip(self.units.iter().map(String::as_str))
    }

    pub(crate) fn hash_of_tables(&self) -> String {
        let tables = &self.base.model().tables;
        match tables.is_empty() {
            true => String::new(),
            false => crate::manifest::hash(format!("{tables:?}").as_bytes()),
        }
    }

    /// Runs cases, given by their numbers.
    pub fn run(&self, numbers: impl IntoIterator<Item = u64>, watch: &Watch) -> Cases {
        let numbers: Vec<u64> = numbers.into_iter().collect();
        let values: Vec<Vec<f64>> = numbers.iter().map(|n| self.plan.case(*n)).collect();
        let variants: Vec<Variant> =
            values.iter().map(|values| self.variant(values.clone(), watch)).collect();
        let batch = Batch::new(&self.base).threads(watch.threads).lockstep(self.lockstep);
        // the names have been found before
        let batch = batch.clone().columns(&self.kept).unwrap_or(batch);
        let batch = match &self.device {
            Some(device) => batch.on(&**device),
            None => batch,
        };
        let runs = batch.reduce(&variants, |i| {
            watch.begun.fetch_max(i as u64 + 1, Ordering::Relaxed);
            Reducer::new(&self.columns, &self.places)
        });
        let mut cases = Cases {
            parameters: (0..self.names.len())
                .map(|j| values.iter().map(|values| values[j]).collect())
                .collect(),
            results: vec![Vec::with_capacity(numbers.len()); self.columns.len()],
            numbers,
            ..Cases::default()
        };
        for (i, (run, reducer)) in runs.iter().enumerate() {
            let (status, code) = match &run.error {
                None => (CaseStatus::Finished, ""),
                Some(BatchError::Refused { faults, .. }) => {
                    (CaseStatus::Refused, faults.list.iter().find_map(|fault| fault.code).unwrap_or("model"))
                }
                Some(BatchError::Failed { failure, .. }) => (CaseStatus::Failed, failure.code),
                Some(_) => (CaseStatus::Failed, "unknown"),
            };
            for (column, value) in cases.results.iter_mut().zip(reducer.results()) {
                column.push(if status == CaseStatus::Finished { value } else { f64::NAN });
            }
            cases.status.push(status);
            cases.codes.push(Cow::Borrowed(code));
            cases.in_lanes += usize::from(run.in_lanes);
            cases.on_device += usize::from(run.on_device);
            if let Some(why) = &run.not_on_device {
                *cases.not_on_device.entry(why.to_string()).or_default() += 1;
            }
            let message = run.error.as_ref().map(|error| match error {
                BatchError::Refused { faults, .. } => {
                    format!("was refused: {}", faults.to_string().trim_end())
                }
                BatchError::Failed { failure, .. } => {
                    format!("failed at t = {} s: {} [{}]", failure.t, failure.message, failure.code)
                }
                other => other.to_string(),
            });
            cases.messages.extend(message.map(|message| (i, message)));
        }
        cases
    }

    fn variant(&self, values: Vec<f64>, watch: &Watch) -> Variant {
        let (file, names, changes) = (self.file.clone(), self.names.clone(), self.changes.clone());
        let stop = watch.stop.clone();
        Variant::made_by(move || match stop.load(Ordering::Relaxed) {
            true => Err(Faults { list: vec![Fault::error("sweep", "it was stopped")], provenance: None }),
            false => model(&file, &names, &values, &changes),
        })
    }
}

fn model(file: &ModelFile, names: &[String], values: &[f64], changes: &Changes) -> Result<Model, Faults> {
    let pairs: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(values.iter().copied()).collect();
    let mut model = file.model(&pairs)?;
    changes.apply(&mut model)?;
    Ok(model)
}

/// The mechanism of the first case that is possible, or of the model with its own values: it says which results there are.
fn base(file: &ModelFile, plan: &Plan, changes: &Changes, names: &[String]) -> Result<Mechanism, Error> {
    let mut first = None;
    for n in 0..plan.cases().min(TRIED) {
        match model(file, names, &plan.case(n), changes).and_then(|model| model.assemble()) {
            Ok(mechanism) => return Ok(mechanism),
            Err(faults) => first = first.or(Some(faults)),
        }
    }
    match (plan.cases() > TRIED, first) {
        // later ones may be possible
        (true, first) => {
            let own = model(file, &[], &[], changes).and_then(|model| model.assemble());
            own.map_err(|faults| first.unwrap_or(faults).into())
        }
        (false, Some(faults)) => Err(faults.into()),
        (false, None) => Err(Error::wrong("--set", "the plan has no cases")),
    }
}
