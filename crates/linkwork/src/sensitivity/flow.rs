//! How a state and its derivatives go on between events.

use super::bundle::Bundle;
use super::{Method, SensitivityError};
use crate::model::Integrator;

/// A way to integrate y and all S_j over stretches of smooth motion.
pub(super) trait Flow<'v> {
    /// What there is at an instant.
    fn bundle(&mut self) -> &mut Bundle<'v>;

    /// Begins a stretch; a step is to end at `landing`.
    fn begin(&mut self, whole: &[f64], span: [f64; 2], landing: Option<f64>) -> Result<(), SensitivityError>;

    /// One step; when it began and ended, s.
    fn step(&mut self) -> Result<[f64; 2], SensitivityError>;

    /// Whether the stretch is over.
    fn is_finished(&self) -> bool;

    /// y and S after the last step.
    fn whole(&self) -> &[f64];

    /// y and S within the last step.
    fn look_at(&mut self, t: f64, out: &mut [f64]) -> Result<(), SensitivityError>;
}

/// Watches how far steps lead, so that a motion that is stiff for explicit ones is refused and does not go on for days.
pub(super) struct Pace {
    method: Method,
    from: f64,
    to: f64,
    most: f64,
    steps: usize,
    /// When it is looked at next.
    next: usize,
}

impl Pace {
    /// Steps of a stretch, at most: of a run by a method for stiff motions, and of all others.
    const MOST: [f64; 2] = [50_000.0, 5_000_000.0];
    /// After so many steps it is looked at for the first time.
    const FIRST: usize = 100;

    /// For a stretch of a run by an integrator.
    pub fn new(method: Method, integrator: Integrator, [from, to]: [f64; 2]) -> Self {
        use Integrator::{Bdf, Esdirk4, GeneralizedAlpha, Index3, Radau5};
        let stiff = matches!(integrator, Bdf | Esdirk4 | GeneralizedAlpha | Index3 | Radau5);
        Pace { method, from, to, most: Self::MOST[usize::from(!stiff)], steps: 0, next: Self::FIRST }
    }

    /// Counts a step that led to a time.
    ///
    /// # Errors
    /// If as many steps as these would be too many.
    pub fn step(&mut self, t: f64) -> Result<(), SensitivityError> {
        self.steps += 1;
        if self.steps < self.next {
            return Ok(());
        }
        self.next *= 2;
        let all = self.steps as f64 * (self.to - self.from) / (t - self.from);
        if all <= self.most {
            return Ok(());
        }
        let why = format!(
            "the motion is stiff for explicit steps, of which {all:.0} would have to be taken from t = {} s to {} s",
            self.from, self.to
        );
        Err(SensitivityError::Refused { method: self.method, t, why })
    }
}
