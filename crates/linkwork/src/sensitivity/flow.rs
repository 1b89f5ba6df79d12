//! How a state and its derivatives go on between events.

use super::SensitivityError;
use super::bundle::Bundle;

/// A way to integrate y and all S_j over stretches of smooth motion.
pub(super) trait Flow<'v> {
    /// What there is at an instant.
    fn bundle(&mut self) -> &mut Bundle<'v>;

    /// Begins a stretch; a step is to end at `landing`.
    fn begin(
        &mut self,
        whole: &[f64],
        span: [f64; 2],
        landing: Option<f64>,
    ) -> Result<(), SensitivityError>;

    /// One step; when it began and ended, s.
    fn step(&mut self) -> Result<[f64; 2], SensitivityError>;

    /// Whether the stretch is over.
    fn is_finished(&self) -> bool;

    /// y and S after the last step.
    fn whole(&self) -> &[f64];

    /// y and S within the last step.
    fn look_at(&mut self, t: f64, out: &mut [f64]) -> Result<(), SensitivityError>;
}
