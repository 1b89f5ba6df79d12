//! Whether a fixed step that is too long is to blame for a failure.
//!
//! A step beyond the bounds of stability makes a motion grow until something breaks: a number that is not finite, constraints that cannot be met, a
//! matrix that cannot be factored. What breaks is then reported, and is not to blame. So a run with fixed steps that has failed is made again with
//! a half, a quarter, ... of the step, up to the time where it failed and two steps further. If it passes there, the step is what was wrong.

use super::{Checkpoint, Observer, RunFailure, Status};
use crate::mechanism::Mechanism;
use crate::model::Settings;
use crate::results::Frame;
use std::ops::ControlFlow;

/// Parts of the step that are tried.
const PARTS: [u32; 8] = [2, 4, 8, 16, 64, 256, 1024, 4096];
/// Steps that all trials may take together, times the number of bodies, of which [`FEW`] at least are counted: a second or so.
const BUDGET: u64 = 500_000;
const FEW: usize = 10;
/// Failures that say nothing about the step.
const NOT_ABOUT_STEPS: [&str; 3] = ["too-many-steps", "stalled", "events-pile-up"];

/// Counts steps of bodies, and ends the run when there were too many.
struct Counter {
    left: u64,
    bodies: u64,
}

impl Observer for Counter {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self.bodies = frame.motions.len().max(FEW) as u64;
        ControlFlow::Continue(())
    }
    fn checkpoint(&mut self, _: Checkpoint) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn step(&mut self, _: f64) -> ControlFlow<()> {
        self.left = self.left.saturating_sub(self.bodies);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Mechanism {
    /// The failure of a run with fixed steps, blamed on the step where a shorter one cures it.
    pub(super) fn blame_step(&self, failure: RunFailure) -> RunFailure {
        let settings = &self.model.settings;
        let Some(h) = settings.fixed_step() else { return failure };
        if NOT_ABOUT_STEPS.contains(&failure.code) || self.start_time > 0.0 {
            return failure;
        }
        let duration = (failure.t + 2.0 * h).min(settings.duration);
        let mut left = BUDGET;
        for part in PARTS {
            let step = h / f64::from(part);
            let steps = duration / step * self.bodies.len().max(FEW) as f64;
            let fits = steps < left as f64; // false where it is not a number
            if !fits {
                break;
            }
            let mut model = self.author_model().clone();
            model.settings = Settings {
                step: Some(step),
                duration,
                output_step: settings.output_step.max(duration / 10.0).min(duration),
                ..settings.clone()
            };
            let mut counter = Counter { left, bodies: FEW as u64 };
            let status = match model.assemble() {
                Err(_) => break,
                Ok(mechanism) => match mechanism.run_once(None, &mut counter) {
                    Ok(summary) => summary.status,
                    Err(_) => break,
                },
            };
            left = counter.left;
            if status == Status::Finished {
                let message = format!(
                    "the step of {h} s is too long: with {step} s the run passes this place. What went wrong here: {}",
                    failure.message
                );
                let advice = format!(
                    "set `step` to {step} or less, or take a method with error control, such as `dop853` or `radau5`, without `step`"
                );
                return RunFailure { code: "step-too-long", message, advice, ..failure };
            }
            if left == 0 {
                break;
            }
        }
        failure
    }
}
