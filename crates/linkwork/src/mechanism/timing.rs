//! What of a mechanism depends on time itself, and when it changes its course.
//!
//! An integrator sees a force only where it looks. One that acts for ten milliseconds after an hour of rest falls between
//! two looks. So steps end where formulas of time have corners, and none is longer than the output step (or what the
//! model says) where anything depends on time.

use super::Mechanism;
use crate::interactions::{Action, Rate};
use crate::model::{Fault, Formula};

/// What depends on time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing {
    /// Whether anything does.
    pub depends: bool,
    /// Times within the run at which something changes its course, ascending.
    pub edges: Vec<f64>,
}

/// So many corners are passed to the integrator; a table may have more.
pub(crate) const MAX_EDGES: usize = 10_000;

impl Mechanism {
    /// Works out [`Timing`].
    pub(super) fn timing(&self) -> Timing {
        let interactions = &self.interactions;
        let mut formulas: Vec<&Formula> =
            interactions.couplings.iter().filter_map(|c| Some(c.drive.as_ref()?.formula())).collect();
        // what is sampled sees time at its samples only
        let sampled =
            |action: &Action| matches!(action, Action::Actuator(actuator) if actuator.held.is_some());
        for action in interactions.actions.iter().filter(|action| !sampled(&action.action)) {
            formulas.extend(action.action.programs().into_iter().map(|p| p.formula()));
            if let Action::Tyre(tyre) = &action.action {
                formulas.push(&tyre.road.height);
            }
        }
        formulas.extend(interactions.measures.iter().map(|m| m.program.formula()));
        formulas.extend(interactions.variables.iter().filter_map(|variable| match &variable.rate {
            Rate::Program(program) => Some(program.formula()),
            _ => None,
        }));
        let locks = self.events.locks.iter().flat_map(|lock| lock.when.iter().chain(&lock.release));
        let changes = self.events.changes.iter().filter_map(|change| change.when.as_ref());
        formulas.extend(self.events.stops.iter().chain(locks).chain(changes).map(|c| c.program.formula()));
        let depends = formulas.iter().any(|f| f.uses_time());
        let depends = depends || !self.masses.is_empty() || !self.burns.is_empty();
        let mut timing = Timing { depends, edges: Vec::new() };
        if timing.depends {
            let duration = self.model.settings.duration;
            let edges = formulas.iter().flat_map(|f| f.time_edges()).chain(self.mass_edges());
            timing.edges = edges.filter(|t| *t > 0.0 && *t < duration).collect();
            timing.edges.sort_by(f64::total_cmp);
            timing.edges.dedup_by(|a, b| *a - *b <= 1e-12 * duration);
            timing.edges.truncate(MAX_EDGES);
        }
        timing
    }

    /// Warnings of drivers whose velocity jumps: nothing can follow that without an impulse.
    pub(super) fn driver_jumps(&self) -> Vec<Fault> {
        let mut warnings = Vec::new();
        let duration = self.model.settings.duration;
        for (i, coupling) in self.interactions.couplings.iter().enumerate() {
            let Some(drive) = &coupling.drive else { continue };
            let at = |t: f64| drive.initial_jet(t, &self.interactions);
            let jump =
                drive.formula().time_edges().into_iter().filter(|t| *t > 0.0 && *t < duration).find_map(
                    |t| {
                        let [before, after] = [at(t * (1.0 - 1e-9)), at(t * (1.0 + 1e-9))];
                        let change = (after.d - before.d).abs();
                        let size = before.d.abs().max(after.d.abs());
                        // a corner of the velocity, not of the acceleration
                        (change > 1e-6 * size && change > 1e-7 * (before.dd.abs() + after.dd.abs()) * t)
                            .then_some((t, before.d, after.d))
                    },
                );
            if let Some((t, before, after)) = jump {
                let message = format!(
                    "the prescribed velocity jumps from {before:.4} to {after:.4} at t = {t:.6} s: that takes an impulse, \
                     which the energies and the driving force do not show"
                );
                let help = "use a function with a continuous velocity: `step5`, or a table that begins and ends level";
                let path = format!("{}.value", self.coupling_path(i));
                warnings.push(Fault::warning(path, message).code("driver-jumps").help(help));
            }
        }
        warnings
    }

    /// The next corner or sample after a time, or the end of the run.
    pub(crate) fn next_edge(&self, t: f64) -> f64 {
        let edges = &self.timing.edges;
        let corner = edges.get(edges.partition_point(|&edge| edge <= t)).copied();
        corner.unwrap_or(self.model.settings.duration).min(self.interactions.next_sample(t))
    }

    /// The longest step that error control may take, s.
    pub(crate) fn longest_step(&self) -> f64 {
        let settings = &self.model.settings;
        let own = if self.timing.depends { settings.output_step } else { f64::INFINITY };
        settings.max_step.unwrap_or(own)
    }
}
