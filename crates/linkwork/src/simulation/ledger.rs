//! What a run keeps through all its stages.

use super::contact_method::EventRate;
use super::pieces::Pieces;
use super::stiffness::Stiffness;
use super::summary::{Pace, RowSums};
use super::{Event, Fallback, Remark, Status, Summary};
use crate::formulations::{Counters, Formulate, StepCounts};
use crate::integrate::Statistics;
use crate::mechanism::Mechanism;
use crate::model::{Formulation, ImpactLaw, Integrator, Settings};
use crate::results::Balances;
use std::time::{Duration, Instant};

/// The balances of a run.
pub(super) struct Ledger {
    pub sums: RowSums,
    /// The first events, and how many there were.
    pub happened: Vec<Event>,
    pub event_count: u64,
    pub remarks: Vec<Remark>,
    /// The next row.
    pub k: u64,
    pub pace: Pace,
    pub stiffness: Stiffness,
    clock: Instant,
    /// Wall time before the run was resumed.
    pub before: Duration,
    /// Of earlier stages.
    pub statistics: Statistics,
    pub counters: Counters,
    /// What the next stage may begin with, s.
    pub step: Option<f64>,
    /// What was chosen, and why, for as long as nothing but a segment more or less of a chain changes.
    pub formulation: Option<(Formulation, Option<String>)>,
    pub integrator: Option<(Integrator, Option<String>)>,
    pub balances: Balances,
    /// Time steps over contacts in earlier stages.
    pub contact_steps: Option<StepCounts>,
    /// How fast contact events come.
    pub contact_events: EventRate,
    /// Steps in a row that were very short while bodies touched.
    pub short_steps: u64,
    /// How often what there is has changed at the last instant.
    pub changes: (f64, u32),
    /// What is read off within steps, if anything is.
    pub pieces: Option<Box<Pieces>>,
    /// Size of the last step, s, also where something that happened has cut it.
    pub last_step: f64,
}

impl Ledger {
    pub fn new(settings: &Settings) -> Self {
        Ledger {
            sums: RowSums::new(),
            happened: Vec::new(),
            event_count: 0,
            remarks: Vec::new(),
            k: 1,
            pace: Pace::new(settings),
            stiffness: Stiffness::default(),
            clock: Instant::now(),
            before: Duration::ZERO,
            statistics: Statistics::default(),
            counters: Counters::default(),
            step: None,
            formulation: None,
            integrator: None,
            balances: Balances::default(),
            contact_steps: None,
            contact_events: EventRate::default(),
            short_steps: 0,
            changes: (f64::NEG_INFINITY, 0),
            pieces: None,
            last_step: 0.0,
        }
    }

    pub fn wall(&self) -> Duration {
        self.before + self.clock.elapsed()
    }

    /// How the run went.
    pub fn summary<F: Formulate>(
        &mut self,
        mechanism: &Mechanism,
        status: Status,
        system: &F,
        chosen: (Formulation, Option<String>, Integrator, Option<String>, Option<Fallback>),
    ) -> Summary {
        let (coordinates, unknowns) = system.sizes();
        let totals = self.sums.close(mechanism);
        let (formulation, formulation_chosen, integrator, why, fallback) = chosen;
        self.remarks.extend(self.sums.drift_remark(
            mechanism,
            self.statistics.accepted_steps,
            self.contact_steps.is_some_and(|counts| counts.steps > 0),
        ));
        let steps = self.contact_steps.unwrap_or_default();
        self.remarks.extend(law_remark(mechanism, &steps));
        self.remarks.extend(accuracy_remark(
            &steps,
            mechanism.smallest_reach(),
            self.sums.energies(mechanism),
        ));
        Summary {
            status,
            t: totals.t,
            rows: totals.rows,
            steps: self.statistics,
            counters: self.counters,
            coordinates,
            unknowns,
            wall: self.wall(),
            energy_drift: totals.energy_drift,
            energy_scale: totals.energy_scale,
            constraint_residual: totals.constraint_residual,
            velocity_residual: totals.velocity_residual,
            balances: totals.balances,
            contact_steps: self.contact_steps.filter(|counts| counts.steps > 0),
            contact_losses: totals.contact_losses,
            size: mechanism.size,
            event_count: self.event_count,
            events: std::mem::take(&mut self.happened),
            remarks: std::mem::take(&mut self.remarks),
            formulation,
            formulation_chosen,
            integrator,
            chosen: why,
            fallback,
        }
    }

    /// Chooses again from now on.
    pub fn forget_choices(&mut self) {
        (self.formulation, self.integrator) = (None, None);
    }

    /// Adds up what a stage cost.
    pub fn close_stage(
        &mut self,
        statistics: &Statistics,
        counters: Counters,
        contact_steps: Option<StepCounts>,
    ) {
        if let Some(counts) = contact_steps {
            self.contact_steps = Some(self.contact_steps.unwrap_or_default().with(&counts));
        }
        self.statistics = self.statistics.with(statistics);
        self.counters = self.counters.with(counters);
    }
}

/// What time steps do not do that the law of impact of the model says.
fn law_remark(mechanism: &Mechanism, steps: &StepCounts) -> Option<Remark> {
    let law = mechanism.model.settings.impact;
    let crowds = mechanism.crowds.list().iter().map(|crowd| mechanism.model.contacts[crowd.of].restitution);
    let listed = mechanism.contacts.iter().map(|contact| contact.restitution);
    let bounces = listed.chain(crowds).any(|restitution| restitution > 0.0);
    let message = match law {
        ImpactLaw::Poisson if bounces && steps.steps > 0 => {
            "time steps take impacts with Newton's law, all at once: `impact = \"poisson\"` has no effect on them; `contact_method = \"events\"` follows it".into()
        }
        ImpactLaw::Sequential if steps.coupled > 0 => format!(
            "in {} time steps contacts with restitution were struck through others: steps take impacts all at once, with Newton's law, and `impact = \"sequential\"` has no effect on them; `contact_method = \"events\"` follows it",
            steps.coupled
        ),
        _ => return None,
    };
    Some(Remark { t: None, code: "coupled-impacts", message })
}

/// Overlaps beyond this part of the smallest reach are reported.
const DEEP: f64 = 1e-4;
/// So is energy from lifting beyond this part of the energies,
const LIFTED: f64 = 1e-3;
/// and more than this part of the steps that were not solved: 1 % of a velocity in 1 % of the steps is less than the tolerance of steps, 1e-3, leaves open.
const UNSOLVED: f64 = 1e-2;

/// What time steps over contacts have not kept: bodies apart, energy, the laws of contact.
fn accuracy_remark(steps: &StepCounts, reach: f64, energies: f64) -> Option<Remark> {
    let mut parts = Vec::new();
    if steps.overlap > DEEP * reach {
        parts.push(format!(
            "bodies overlap by up to {:.1e} m, {:.1e} of the smallest reach of a body, at t = {:.4} s",
            steps.overlap,
            steps.overlap / reach,
            steps.overlap_at
        ));
    }
    if steps.lifted > LIFTED * energies {
        parts.push(format!(
            "opening overlaps has lifted bodies by {:.1e} J, {:.0e} of the energies, that no speed paid for",
            steps.lifted,
            steps.lifted / energies
        ));
    }
    if steps.unsolved as f64 > UNSOLVED * steps.steps as f64 {
        parts.push(format!(
            "{} of {} time steps end with the laws of contact met to {:.1e} m/s only, more than 1 % of the velocities that contacts change",
            steps.unsolved, steps.steps, steps.residual
        ));
    }
    if parts.is_empty() {
        return None;
    }
    let message = format!(
        "time steps over contacts: {}. Compare with a tighter `tolerance` or a shorter `step` before this result is trusted",
        parts.join("; ")
    );
    let t = (steps.overlap > DEEP * reach).then_some(steps.overlap_at);
    Some(Remark { t, code: "contact-accuracy", message })
}

crate::keep::keep!(Ledger { sums, happened, event_count, remarks, k, pace, stiffness, statistics, counters, step, balances, contact_steps, contact_events, short_steps, changes } but { clock, before, formulation, integrator, pieces, last_step } if |ledger| {
    crate::keep::are_counts(&[ledger.event_count, ledger.short_steps])
});
