//! What is to run: the text of the model file, and what was chosen besides.

use linkwork::Error;
use linkwork::model::{Formulation, Integrator, MAX_OUTPUT_ROWS, Model, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Frames for a second of the clock.
pub(super) const RATE: f64 = 60.0;

/// A simulation is at least this long before it is prolonged, s.
const LEAST_DURATION: f64 = 60.0;

/// Steps are not made shorter than this to look at forces that depend on time, s.
const LEAST_LOOK: f64 = 0.1 / RATE;

/// What is to run.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// Name of the model file, as the user gave it.
    pub file: String,
    /// Its text.
    pub text: Arc<[u8]>,
    /// Other values for its parameters, SI units.
    pub set: BTreeMap<String, f64>,
    /// What inputs have been set to, in their units.
    pub inputs: BTreeMap<String, f64>,
    /// Another formulation than the file says.
    pub formulation: Option<Formulation>,
    /// Another integrator than the file says.
    pub integrator: Option<Integrator>,
    /// Seconds of the model for a second of the clock.
    pub speed: f64,
}

impl Setup {
    /// The model with its parameters.
    pub fn read(&self) -> Result<Model, Error> {
        let set: Vec<(&str, f64)> = self.set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        Model::parse_beside(&self.file, &self.text, &set)
    }

    /// The settings with which a model runs live from a time on: it has no end of its own. Steps of a given size stay what they were.
    pub fn live(&self, own: &Settings, t: f64) -> Settings {
        let mut settings = own.clone();
        settings.duration = own.duration.max(LEAST_DURATION).max(2.0 * t);
        settings.output_step = own.output_step.max(settings.duration / (0.99 * MAX_OUTPUT_ROWS));
        if own.integrator.fixed_step() {
            settings.step = own.fixed_step();
        }
        // where forces depend on time, the file's output step says how closely to look
        settings.max_step = Some(own.max_step.unwrap_or(own.output_step).max(LEAST_LOOK));
        settings.max_steps = u64::MAX;
        settings.formulation = self.formulation.unwrap_or(own.formulation);
        settings.integrator = self.integrator.unwrap_or(own.integrator);
        settings
    }
}
