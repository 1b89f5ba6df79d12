//! Simulation settings.

use super::{Checker, Checks, MAX_OUTPUT_ROWS, Sign};
use crate::model::{ContactMethod, Fault, Integrator};

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
        if let Some(radius) = settings.spectral_radius {
            if !(0.0..=1.0).contains(&radius) {
                let message = format!("`spectral_radius` must be at least 0 and at most 1, it is {radius}");
                self.error("simulation.spectral_radius", message);
            } else if settings.integrator != Integrator::GeneralizedAlpha {
                let name = settings.integrator.name();
                let message = format!("`spectral_radius` has no effect: `{name}` has none to choose");
                self.faults.push(Fault::warning("simulation.spectral_radius", message));
            }
        }
        if let Some(step) = settings.max_step {
            self.number("simulation.max_step", step, Sign::Positive);
        }
        let moreau = settings.integrator == Integrator::Moreau;
        match settings.contact_method {
            ContactMethod::Steps if !moreau && settings.integrator != Integrator::Auto => {
                let name = settings.integrator.name();
                let message = format!("time steps over contacts are made by `moreau`, not by `{name}`");
                let help = "leave `integrator` out, or take `contact_method = \"events\"`";
                self.faults.push(Fault::error("simulation.contact_method", message).help(help));
            }
            ContactMethod::Events if moreau => {
                let message = "`moreau` makes time steps over contacts and finds no events";
                let help = "leave one of the two out";
                self.faults.push(Fault::error("simulation.contact_method", message).help(help));
            }
            _ => {}
        }
        if let Some(after) = settings.sleep {
            self.number("simulation.sleep", after, Sign::Positive);
            if settings.contacts_are_events() {
                let message = "`sleep` has no effect: bodies sleep in time steps over contacts, and contacts are events";
                self.faults.push(Fault::warning("simulation.sleep", message));
            }
        }
        if let Some(speed) = settings.sleep_speed {
            self.number("simulation.sleep_speed", speed, Sign::Positive);
            if settings.sleep.is_none() {
                let message = "`sleep_speed` has no effect: nothing sleeps without `sleep`";
                self.faults.push(Fault::warning("simulation.sleep_speed", message));
            }
        }
        if let Some(order) = settings.order {
            let name = settings.integrator.name();
            match settings.integrator.facts().orders {
                None => {
                    let message = format!("`order` has no effect: `{name}` has no orders to choose from");
                    self.faults.push(Fault::warning("simulation.order", message));
                }
                Some((least, most)) if order < least || order > most => {
                    let message =
                        format!("`order` of `{name}` must be between {least} and {most}, it is {order}");
                    self.error("simulation.order", message);
                }
                Some(_) => {}
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
