//! What is to run: the text of the model file, and what was chosen besides.

use linkwork::Error;
use linkwork::model::{Formulation, Integrator, MAX_OUTPUT_ROWS, Model};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Frames for a second of the clock.
pub(super) const RATE: f64 = 60.0;

/// A run is at least this long before another one goes on from it, s.
const LEAST_DURATION: f64 = 60.0;

/// What is to run.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// Name of the model file, as the user gave it.
    pub file: String,
    /// Its text.
    pub text: Arc<[u8]>,
    /// Other values for its parameters, SI units.
    pub set: BTreeMap<String, f64>,
    /// Another formulation than the file says.
    pub formulation: Option<Formulation>,
    /// Another integrator than the file says.
    pub integrator: Option<Integrator>,
    /// Seconds of the model for a second of the clock.
    pub speed: f64,
}

impl Setup {
    /// The model, with what was chosen.
    pub fn read(&self) -> Result<Model, Error> {
        let set: Vec<(&str, f64)> = self.set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let mut model = Model::parse_beside(&self.file, &self.text, &set)?;
        if let Some(formulation) = self.formulation {
            model.settings.formulation = formulation;
        }
        if let Some(integrator) = self.integrator {
            model.settings.integrator = integrator;
        }
        Ok(model)
    }

    /// The model as it runs live from a time on: rows at the rate of the frames, steps no longer than a frame so that hands are felt, and no end of its own.
    /// Steps of a given size stay what they were.
    pub fn live(&self, model: &Model, t: f64) -> Model {
        let mut live = model.clone();
        let (own, settings) = (&model.settings, &mut live.settings);
        let frame = self.speed / RATE;
        // runs are continued: none has to be longer than its rows are many
        let longest = (0.9 * MAX_OUTPUT_ROWS * frame).max(LEAST_DURATION);
        settings.duration = own.duration.max(LEAST_DURATION).min(longest).max(2.0 * t);
        settings.output_step = frame.max(settings.duration / (0.99 * MAX_OUTPUT_ROWS));
        if own.integrator.fixed_step() {
            settings.step = own.fixed_step();
        }
        // where forces depend on time, the file's output step says how closely to look
        let looks = own.output_step.max(0.1 * frame);
        settings.max_step = Some(own.max_step.unwrap_or(looks).min(frame));
        settings.max_steps = u64::MAX;
        live
    }
}
