//! Settings of a model that a call replaces.

use linkwork::Error;
use linkwork::model::{Fault, Faults, Formulation, Integrator, Model};

/// Values in place of those of the model's `[simulation]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Simulated time, s.
    pub duration: Option<f64>,
    /// Time between rows, s.
    pub output_step: Option<f64>,
    /// Local error per step, relative to the size of the mechanism.
    pub tolerance: Option<f64>,
    /// Step of the fixed-step integrators, s.
    pub step: Option<f64>,
    /// Coordinates.
    pub formulation: Option<String>,
    /// Method.
    pub integrator: Option<String>,
    /// Inputs, in their units.
    pub inputs: Vec<(String, f64)>,
}

impl Overrides {
    /// Puts the values into a model.
    pub fn apply(&self, model: &mut Model) -> Result<(), Error> {
        let settings = &mut model.settings;
        settings.duration = self.duration.unwrap_or(settings.duration);
        settings.output_step = self.output_step.unwrap_or(settings.output_step);
        settings.tolerance = self.tolerance.unwrap_or(settings.tolerance);
        settings.step = self.step.or(settings.step);
        let unknown = |key: &str, name: &str, known: Vec<&str>| {
            let fault = Fault::error(format!("simulation.{key}"), format!("there is no {key} `{name}`"));
            let fault = fault.help(format!("choose one of {}", known.join(", ")));
            Error::Model(Faults { list: vec![fault], provenance: None })
        };
        if let Some(name) = &self.formulation {
            let names = || Formulation::CHOICES.into_iter().map(Formulation::name).collect();
            let found = Formulation::CHOICES.into_iter().find(|choice| choice.name() == name);
            settings.formulation = found.ok_or_else(|| unknown("formulation", name, names()))?;
        }
        if let Some(name) = &self.integrator {
            let names = || Integrator::ALL.into_iter().map(Integrator::name).collect();
            let found = Integrator::ALL.into_iter().find(|choice| choice.name() == name);
            settings.integrator = found.ok_or_else(|| unknown("integrator", name, names()))?;
        }
        self.inputs.iter().try_for_each(|(name, value)| model.set_input(name, *value))
    }
}
