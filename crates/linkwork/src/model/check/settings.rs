//! Simulation settings.

use super::{Checker, MAX_OUTPUT_ROWS, Sign};
use crate::model::{Fault, Integrator};

/// Tolerances below are lost in rounding, tolerances above mean nothing.
const TOLERANCES: (f64, f64) = (1e-15, 1e-2);

impl Checker<'_> {
    pub(super) fn settings(&mut self) {
        let settings = &self.model.settings;
        self.number("simulation.duration", settings.duration, Sign::Positive);
        self.number("simulation.output_step", settings.output_step, Sign::Positive);
        if let Some(step) = settings.step {
            self.number("simulation.step", step, Sign::Positive);
        }
        let said = |key: &str| self.model.provenance.as_ref().is_some_and(|p| p.spans.contains_key(key));
        if let Some(reason) = settings.tolerance_unused()
            && said("simulation.tolerance")
        {
            let message = format!("`tolerance` has no effect: {reason}");
            self.faults.push(Fault::warning("simulation.tolerance", message));
        }
        let (least, most) = TOLERANCES;
        let tolerance = settings.tolerance;
        if !(tolerance > least && tolerance <= most) {
            let message =
                format!("`tolerance` must be more than {least:e} and at most {most}, it is {tolerance}");
            self.error("simulation.tolerance", message);
        }
        if let Some(step) = settings.max_step {
            self.number("simulation.max_step", step, Sign::Positive);
        }
        if let Some(order) = settings.order {
            if settings.integrator != Integrator::Bdf {
                let name = settings.integrator.name();
                let message = format!("`order` has no effect: `{name}` has one order only");
                self.faults.push(Fault::warning("simulation.order", message));
            } else if !(1..=5).contains(&order) {
                self.error("simulation.order", format!("`order` must be 1, 2, 3, 4 or 5, it is {order}"));
            }
        }
        if settings.max_steps == 0 {
            self.error("simulation.max_steps", "`max_steps` must be one or more");
        }
        let (duration, output_step) = (settings.duration, settings.output_step);
        if duration > 0.0 && output_step > 0.0 && duration.is_finite() {
            let rows = duration / output_step;
            if rows > MAX_OUTPUT_ROWS {
                let message =
                    format!("the results would have {rows:.1e} rows, more than {MAX_OUTPUT_ROWS:.0e}");
                self.error_with(
                    "simulation.output_step",
                    message,
                    "take a longer output step or a shorter duration",
                );
            } else if output_step > duration {
                let message =
                    "the output step is longer than the duration: only the start and the end are kept";
                self.faults.push(Fault::warning("simulation.output_step", message));
            }
        }
    }
}
