//! How a run went.

use super::{Event, EventKind, RunFailure};
use crate::formulations::{Counters, NotCovered, StepCounts};
use crate::integrate::Statistics;
use crate::keep::{Bytes, Damaged, Keep};
use crate::linalg::vec3::norm;
use crate::mechanism::Mechanism;
use crate::model::{Formulation, Integrator, Settings};
use crate::results::{ContactLosses, Frame};
use std::time::Duration;

/// Something worth knowing about a run that went on all the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remark {
    /// When, s; nothing if it is about the whole run.
    pub t: Option<f64>,
    /// A short name for programs: `singular-position`, ...
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl Remark {
    /// Every code that a remark of a run has.
    pub const CODES: [&'static str; 10] = [
        "at-equilibrium",
        "branch",
        "contact-accuracy",
        "contact-steps",
        "coupled-impacts",
        "energy-drift",
        "far-away",
        "impacts-cut",
        "singular-position",
        "stiffness",
    ];
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It reached the end.
    Finished,
    /// An observer ended it.
    Stopped,
    /// It could not go on; the rows so far are good.
    Failed(RunFailure),
}

/// A run that was integrated otherwise than its settings say, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// What was used instead.
    pub integrator: Integrator,
    /// What kept the chosen one from being used.
    pub reasons: Vec<NotCovered>,
}

impl std::fmt::Display for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "integrated with {}: ", self.integrator.name())?;
        const SHOWN: usize = 3;
        for (i, NotCovered { element, why }) in self.reasons.iter().take(SHOWN).enumerate() {
            write!(f, "{}{element}: {why}", if i > 0 { "; " } else { "" })?;
        }
        match self.reasons.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// A summary holds this many events; an [`Observer`](super::Observer) sees them all.
pub const KEPT_EVENTS: usize = 10_000;

/// Statistics of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How it ended.
    pub status: Status,
    /// Time of the last row, s.
    pub t: f64,
    /// Result rows.
    pub rows: u64,
    /// Integrator's statistics.
    pub steps: Statistics,
    /// Formulation's statistics.
    pub counters: Counters,
    /// Coordinates of the formulation.
    pub coordinates: usize,
    /// Unknowns of the linear system solved for accelerations and reactions.
    pub unknowns: usize,
    /// Wall time.
    pub wall: Duration,
    /// Largest |E − E₀ − W| over the rows, J: energy that neither dampers nor couples account for.
    pub energy_drift: f64,
    /// Largest energy of the run that the drift compares to: the largest kinetic energy, or the
    /// largest change of potential energy, J.
    pub energy_scale: f64,
    /// Largest constraint residual over the rows, m.
    pub constraint_residual: f64,
    /// Largest constraint rate over the rows, m/s.
    pub velocity_residual: f64,
    /// How far the balances of momentum and energy are from balancing, where they are kept.
    pub balances: Option<BalanceGaps>,
    /// Time steps over contacts, where there were any.
    pub contact_steps: Option<StepCounts>,
    /// What contacts have taken of the energy up to the last row, where there are contacts.
    pub contact_losses: Option<ContactLosses>,
    /// Largest extent of the mechanism, m.
    pub size: f64,
    /// What happened on the way, in order; of a run with more than [`KEPT_EVENTS`] the first, and the condition that ended it.
    pub events: Vec<Event>,
    /// How many events there were.
    pub event_count: u64,
    /// What else is worth knowing.
    pub remarks: Vec<Remark>,
    /// The formulation that ran.
    pub formulation: Formulation,
    /// Why it was chosen, where the settings left it to us.
    pub formulation_chosen: Option<String>,
    /// The integrator that ran.
    pub integrator: Integrator,
    /// Why it was chosen, where the settings left it to us.
    pub chosen: Option<String>,
    /// Whether another integrator had to be used.
    pub fallback: Option<Fallback>,
}

/// How far balances are from balancing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BalanceGaps {
    /// Largest difference of momentum and impulse over the rows, N s.
    pub momentum: f64,
    /// Largest momentum, N s.
    pub largest_momentum: f64,
    /// Largest difference of energy and supply, J.
    pub energy: f64,
    /// Largest change of energy, J.
    pub largest_energy: f64,
}

impl Summary {
    /// The condition that ended the run before its time, and when, s.
    pub fn stopped_by(&self) -> Option<(&str, f64)> {
        let stop = self.events.last().filter(|event| event.kind == EventKind::Stop)?;
        Some((&stop.name, stop.t))
    }

    /// The energy drift relative to the energies of the run.
    pub fn relative_energy_drift(&self) -> f64 {
        if self.energy_scale > 0.0 { self.energy_drift / self.energy_scale } else { self.energy_drift }
    }
}

/// Notices a run that takes steps without getting anywhere: at the pace of the last ones, what is left would take ten times as many as `max_steps` allows, or
/// as it allows by default. Trials are counted, thrown away or not, never wall time. A window is the shorter the more states there are, since their steps take longer.
pub(super) struct Pace {
    duration: f64,
    most: f64,
    /// Trials of the present window, and of the present stage so far.
    steps: u64,
    trials: u64,
    t: f64,
    /// Windows in a row without progress.
    strikes: u32,
}

impl Pace {
    /// Steps that no run is going to take, over `max_steps`.
    const MOST: f64 = 10.0;
    /// Trials of a window times states, and its bounds.
    const WINDOW: (u64, u64, u64) = (20_000, 50, 500);
    /// Windows in a row.
    const STRIKES: u32 = 4;

    pub(super) fn new(settings: &Settings) -> Self {
        let most = Self::MOST * settings.max_steps.max(Settings::default().max_steps) as f64;
        Pace { duration: settings.duration, most, steps: 0, trials: 0, t: 0.0, strikes: 0 }
    }

    /// Begins another window: how far the last one went says nothing.
    pub(super) fn begin_again(&mut self, t: f64, statistics: &Statistics) {
        (self.steps, self.t, self.strikes) = (0, t, 0);
        self.trials = statistics.accepted_steps + statistics.rejected_steps;
    }

    /// Counts an accepted step of `n` states that ended at `t`, and the trials before it; the number of trials that what is left would take, once that is hopeless.
    pub(super) fn stalled(&mut self, t: f64, n: usize, statistics: &Statistics) -> Option<f64> {
        let trials = statistics.accepted_steps + statistics.rejected_steps;
        // another stage counts from zero
        self.steps += trials.checked_sub(self.trials).unwrap_or(trials);
        self.trials = trials;
        let (work, least, most) = Self::WINDOW;
        let window = (work / n.max(1) as u64).clamp(least, most);
        if self.steps < window {
            return None;
        }
        let taken = std::mem::take(&mut self.steps);
        let moved = t - std::mem::replace(&mut self.t, t);
        let expected = (self.duration - t) / moved * taken as f64;
        let hopeless = expected > self.most || (moved <= 0.0 && t < self.duration);
        self.strikes = if hopeless { self.strikes + 1 } else { 0 };
        (self.strikes >= Self::STRIKES).then_some(expected)
    }
}

/// Keeps the balances while rows go by.
pub(super) struct RowSums {
    first: Option<(f64, f64)>,
    t: f64,
    rows: u64,
    energy_drift: f64,
    energy_scale: f64,
    constraint_residual: f64,
    velocity_residual: f64,
    balances: Option<BalanceGaps>,
    contact_losses: Option<ContactLosses>,
    first_energy: f64,
    /// G of the witness, J.
    missed: f64,
    /// The drift of the last row, J.
    drift: f64,
    /// Between which two rows it grew most, s, by how much, J, and which constraint row was the least independent there.
    growth: ([f64; 2], f64),
    weakest: Option<String>,
}

/// A drift beyond this many tolerances of the energies is far beyond the tolerance, if it is also beyond so many steps' worth of errors of the velocities.
const FAR_OFF: (f64, f64) = (1e4, 100.0);
/// The same of time steps over contacts, in their tolerances: they open overlaps, by displacements that lift what lies on others.
const OVER_CONTACTS: f64 = 50.0;
/// Relative drifts below this are roundings of long runs.
const ROUNDINGS: f64 = 1e-9;
/// Part of the drift that grows at one place if that place is to blame.
const MOST: f64 = 0.3;

impl RowSums {
    pub(super) fn new() -> Self {
        RowSums {
            first: None,
            t: 0.0,
            rows: 0,
            energy_drift: 0.0,
            energy_scale: 0.0,
            constraint_residual: 0.0,
            velocity_residual: 0.0,
            balances: None,
            contact_losses: None,
            first_energy: 0.0,
            missed: 0.0,
            drift: 0.0,
            growth: ([0.0; 2], 0.0),
            weakest: None,
        }
    }

    /// Work that the state does not know of, J.
    pub(super) fn missed(&mut self, gap: f64) {
        self.missed += gap;
    }

    /// The energies so far, J.
    pub(super) fn energies(&self, mechanism: &Mechanism) -> f64 {
        self.energy_scale.max(least_energy(mechanism))
    }

    /// Names the row that was the least independent where the drift has just grown.
    pub(super) fn blame(&mut self, row: Option<String>) {
        self.weakest = row;
    }

    /// A drift far beyond the tolerance, for people. An error of the tolerance in the velocities, size/s + v of (C1), changes the kinetic energy by
    /// m v (size/s + v) times the tolerance in each step.
    pub(super) fn drift_remark(
        &self,
        mechanism: &Mechanism,
        steps: u64,
        over_contacts: bool,
    ) -> Option<Remark> {
        let settings = &mechanism.model.settings;
        if settings.fixed_step().is_some() {
            return None;
        }
        let energies = self.energies(mechanism);
        let mass: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
        let slow = mechanism.size * (2.0 * mass * energies).sqrt();
        let (times, more) = FAR_OFF;
        let (tolerance, allowed) = match mechanism.contact_tolerance().filter(|_| over_contacts) {
            Some(tolerance) => (tolerance, OVER_CONTACTS * tolerance * energies),
            None => {
                (settings.tolerance, settings.tolerance * (times * energies + (more + steps as f64) * slow))
            }
        };
        if self.energy_drift <= allowed.max(ROUNDINGS * energies) {
            return None;
        }
        let relative = self.energy_drift / energies;
        let mut message = format!(
            "the energy balance is off by {:.1e} J, {relative:.0e} of the energies, far beyond the tolerance of {:.0e}",
            self.energy_drift, tolerance
        );
        let ([from, to], grown) = self.growth;
        let sudden = grown > MOST * self.energy_drift;
        if sudden {
            message += &format!(": most of it between t = {from:.6} and {to:.6} s");
            if let Some(row) = &self.weakest {
                message += &format!(", where {row} nearly follows from the other constraints");
            }
        }
        message += match over_contacts {
            true => {
                " of time steps over contacts. Compare with a tighter `tolerance` or a given `step` before this result is trusted"
            }
            false => {
                ". Compare with a tighter `tolerance` and another `formulation` before this result is trusted"
            }
        };
        Some(Remark { t: sudden.then_some(to), code: "energy-drift", message })
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes a row; tells whether the drift has grown more since the last one than ever before.
    pub(super) fn take(&mut self, frame: &Frame) -> bool {
        let &mut (energy, potential) = self.first.get_or_insert((frame.energy(), frame.potential));
        if let Some(balance) = &frame.balance {
            if self.balances.is_none() {
                self.first_energy = balance.energy;
            }
            let gaps = self.balances.get_or_insert_default();
            gaps.momentum = gaps.momentum.max(balance.momentum_gap());
            gaps.largest_momentum = gaps.largest_momentum.max(norm(balance.momentum));
            gaps.energy = gaps.energy.max(balance.energy_gap());
            let change = (balance.energy - self.first_energy).abs();
            gaps.largest_energy = gaps.largest_energy.max(change).max(frame.kinetic);
        }
        self.rows += 1;
        self.contact_losses = frame.contact_losses;
        let last = std::mem::replace(&mut self.t, frame.t);
        let off = frame.energy() - energy - frame.work;
        let drift = off.abs().max((off - self.missed).abs()); // (W2)
        self.energy_drift = self.energy_drift.max(drift);
        let grown = drift - std::mem::replace(&mut self.drift, drift);
        // roundings are nobody's fault
        let most = grown > self.growth.1 && grown > ROUNDINGS * self.energy_scale;
        if most {
            self.growth = ([last, frame.t], grown);
        }
        self.energy_scale = self.energy_scale.max(frame.kinetic).max((frame.potential - potential).abs());
        self.constraint_residual = self.constraint_residual.max(frame.constraint_residual);
        self.velocity_residual = self.velocity_residual.max(frame.velocity_residual);
        most
    }

    /// What the rows have shown, as far as they have.
    pub(super) fn close(&self, mechanism: &Mechanism) -> Totals {
        Totals {
            t: self.t,
            rows: self.rows,
            energy_drift: self.energy_drift,
            energy_scale: self.energy_scale.max(least_energy(mechanism)),
            constraint_residual: self.constraint_residual,
            velocity_residual: self.velocity_residual,
            balances: self.balances,
            contact_losses: self.contact_losses,
        }
    }
}

/// What a run has summed up.
pub(super) struct Totals {
    pub t: f64,
    pub rows: u64,
    pub energy_drift: f64,
    pub energy_scale: f64,
    pub constraint_residual: f64,
    pub velocity_residual: f64,
    pub balances: Option<BalanceGaps>,
    pub contact_losses: Option<ContactLosses>,
}

crate::keep::keep!(Pace { steps, trials, t, strikes } but { duration, most } if |pace| {
    crate::keep::are_counts(&[pace.steps, pace.trials]) && pace.strikes < u32::MAX / 2
});

crate::keep::keep!(RowSums {
    first,
    t,
    rows,
    energy_drift,
    energy_scale,
    constraint_residual,
    velocity_residual,
    balances,
    contact_losses,
    first_energy,
    missed,
    drift,
    growth,
    weakest
});

crate::keep::keep!(BalanceGaps { momentum, largest_momentum, energy, largest_energy });

impl Keep for Remark {
    fn keep(&self, to: &mut Vec<u8>) {
        self.t.keep(to);
        self.code.to_string().keep(to);
        self.message.keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.t.recall(from)?;
        let code = String::recalled(from)?;
        self.code = Self::CODES.into_iter().find(|known| **known == code).ok_or(Damaged)?;
        self.message.recall(from)
    }
}

/// Energies below this are nothing, J: a millionth of what lifting the mechanism by its size would take, or crossing its size within the run.
fn least_energy(mechanism: &Mechanism) -> f64 {
    let mass: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
    let (size, g) = (mechanism.size, crate::linalg::vec3::norm(mechanism.model.gravity));
    let slow = size / mechanism.model.settings.duration;
    1e-6 * mass * (g * size).max(slow * slow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Body, Model, Settings};

    /// Remarks of all kinds come out of a checkpoint as they went in: a run that went on after a change of topology may have any of them.
    #[test]
    fn same_remarks_from_bytes() {
        for code in Remark::CODES {
            let remark = Remark { t: Some(0.5), code, message: "what".into() };
            let mut bytes = Vec::new();
            remark.keep(&mut bytes);
            let mut again = Remark { t: None, code: "stiffness", message: String::new() };
            again.recall(&mut Bytes::new(&bytes)).unwrap();
            assert_eq!(again, remark);
        }
    }

    /// Sums over rows with these energies: time, kinetic energy and work.
    fn reported(rows: &[[f64; 3]], missed: f64) -> Option<Remark> {
        let model = Model::planar("pendulum")
            .point("O", [0.0, 0.0])
            .point("A", [1.0, 0.0])
            .ground(["O"])
            .body(Body::rod("arm", ["O", "A"], 1.0))
            .settings(Settings { tolerance: 1e-11, ..Settings::default() });
        let mechanism = model.assemble().unwrap();
        let mut sums = RowSums::new();
        let mut frame = Frame::new(&mechanism);
        for (i, &[t, kinetic, work]) in rows.iter().enumerate() {
            (frame.t, frame.kinetic, frame.potential, frame.work) = (t, kinetic, 0.0, work);
            if i == 1 {
                sums.missed(missed);
            }
            if sums.take(&frame) {
                sums.blame(Some("the row".into()));
            }
        }
        sums.drift_remark(&mechanism, 100, false)
    }

    /// A drift of a millionth is reported with its time and its row, one of 1e-9 is not; and so is work that the state does not know of.
    #[test]
    fn exact_drifts_are_told() {
        let balanced = [[0.0, 1.0, 0.0], [0.1, 2.0, 1.0], [0.2, 3.0, 2.0 - 3e-9]];
        assert_eq!(reported(&balanced, 0.0), None);
        let remark = reported(&[[0.0, 1.0, 0.0], [0.1, 2.0, 1.0], [0.2, 3.0 + 3e-6, 2.0]], 0.0).unwrap();
        assert_eq!((remark.code, remark.t), ("energy-drift", Some(0.2)));
        assert!(
            remark.message.contains("between t = 0.100000 and 0.200000 s, where the row nearly"),
            "{remark:?}"
        );
        let remark = reported(&balanced, 0.01).unwrap();
        assert_eq!(remark.t, Some(0.1), "{remark:?}");
    }
}
