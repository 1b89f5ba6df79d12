//! Stiffness that shows while a run goes on, and the exchange of integrators.
//!
//! An explicit method whose steps are bound by stability takes steps of about
//!
//! ```text
//!   (W1)  h ρ ≈ 4 … 7,    ρ = largest |eigenvalue| of ∂f/∂y, 1/s
//! ```
//!
//! whatever its tolerance, and Runge–Kutta stages, which are of low order by themselves, make that 1 … 3 where the tolerance is tight. One that resolves an oscillation takes
//! steps of h ρ ≈ 1 … 2 with a series or a loose tolerance, and of 0.3 … 1 with `dop853` and a tight one. ρ comes from a few power iterations with differences of
//! y', which begin with the direction that the last ones ended with:
//!
//! ```text
//!   (W2)  x ← (f(y + x) − f(y)),   ρ = (‖x_k‖/‖x_{k−4}‖)^(1/4),   each x made small before it is used
//! ```
//!
//! Four growths, because those of an oscillation alternate: positions turn into velocities and back. Positions are measured against their sizes over ρ, with the ρ found so far, as they belong
//! to velocities in a mode; else a damped oscillation would look slower than it is.
//!
//! **To `radau5`** when h ρ is above a bound between [`BOUND`] in [`VOTES`] looks in a row, and enough steps are left. What a second of motion costs is then
//! known for both, in evaluations of y' (linear algebra is converted): where the implicit steps are not cheaper once they have settled, the run goes
//! back at once. So a wrong exchange costs some forty steps; after each one it takes twice as many looks to make the next.
//!
//! **Back** when steps within stability would cost less,
//!
//! ```text
//!   (W3)  e / min(b/ρ, 3h)  <  0.6 · cost of the implicit steps        e: evaluations of an explicit step, b: h ρ of the explicit steps before
//! ```
//!
//! in two looks in a row, or when the implicit method fails. The 3 h: where accuracy bounds the steps, a method of high order takes longer ones.
//!
//! Everything is counted in steps and evaluations, never in wall time: the same model gives the same bits. Only `integrator = "auto"` does all this.

use super::failure::place;
use super::run::Run;
use super::{Remark, Status, choice};
use crate::formulations::Formulate;
use crate::model::{Formulation, Integrator};

/// h ρ from which steps count as bound by stability: with `dop853` at tight tolerances; and else, half of (W1).
const BOUND: [f64; 2] = [1.0, 3.0];
/// The tolerance that is loose.
const LOOSE: f64 = 1e-5;
/// Looks in a row that must say so.
const VOTES: u64 = 3;
/// Steps before the first look, and between looks while nothing is stiff: twice as many after each, up to the second number.
const WAIT: [u64; 2] = [50, 800];
/// Steps between looks while votes are counted, and of an implicit method.
const SOON: u64 = 10;
const IMPLICIT_WAIT: u64 = 20;
/// Implicit steps after which costs are compared.
const TRIAL: u64 = 40;
/// An exchange that lasted for so many steps was none in vain.
const LASTING: u64 = 200;
/// Explicit steps that must be left: rows between implicit steps are less accurate, so that a few hundred explicit steps are better.
const WORTH: f64 = 1500.0;
/// Power iterations: growths of the last four count.
const ITERATIONS: usize = 8;
/// Floating-point operations of an evaluation: of each component, and for itself. Only their size matters.
const OPERATIONS: (f64, f64) = (200.0, 2000.0);
/// The most states of an implicit method that is chosen here: its matrices take n² numbers.
const MOST_STATES: usize = 1000;
/// Exchanges that are reported one by one.
const TOLD: u64 = 10;

/// What is known about the stiffness of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Stiffness {
    /// Steps since the last look, the time of that look, s, and the costs up to it, in evaluations.
    steps: u64,
    t: f64,
    cost: f64,
    /// Steps from the last look to the next, and the mean step before the last one, s.
    wait: u64,
    mean: f64,
    /// Looks in a row that spoke for the other kind of method.
    votes: u64,
    /// Steps since the last exchange, and exchanges in vain.
    since: u64,
    vain: u32,
    /// What a second of motion cost with explicit steps, evaluations, and their h ρ; 0 if that is not known.
    explicit: f64,
    reach: f64,
    /// x and ρ of (W2); 0 if it is not known.
    direction: Vec<f64>,
    rate: f64,
    /// How many exchanges there were.
    exchanges: u64,
    /// Scale, state and derivative of a look.
    buffers: [Vec<f64>; 3],
}

crate::keep::keep!(Stiffness {
    steps,
    t,
    cost,
    wait,
    mean,
    votes,
    since,
    vain,
    explicit,
    reach,
    direction,
    rate,
    exchanges
} but { buffers } if |watch| crate::keep::are_counts(&[watch.steps, watch.exchanges, watch.wait, watch.votes, watch.since]) && watch.vain < u32::MAX / 2);

impl Stiffness {
    /// Begins to count at a time, with costs so far.
    fn mark(&mut self, t: f64, cost: f64, wait: u64) {
        (self.steps, self.t, self.cost, self.wait) = (0, t, cost, wait);
    }

    /// Another mechanism goes on from here, with so many components of its state. Looks that come later allocate nothing.
    pub(super) fn begin_stage(&mut self, t: f64, n: usize) {
        let room = |list: &mut Vec<f64>| list.reserve(n.saturating_sub(list.len()));
        self.buffers.iter_mut().for_each(room);
        room(&mut self.direction);
        self.mark(t, 0.0, WAIT[0]);
        self.votes = 0;
        self.direction.clear();
    }

    /// Tells how many exchanges were not reported one by one.
    pub(super) fn finish(&self, remarks: &mut Vec<Remark>) {
        if self.exchanges > TOLD {
            let message = format!(
                "integrators were exchanged {} more times, as stiffness came and went",
                self.exchanges - TOLD
            );
            remarks.push(Remark { t: None, code: "stiffness", message });
        }
    }
}

impl<F: Formulate> Run<'_, F> {
    /// What the stage has cost so far, in evaluations.
    fn cost(&self) -> f64 {
        let (each, base) = OPERATIONS;
        let operations = each * self.y.len() as f64 + base;
        self.stepper.statistics().derivative_evaluations as f64 + self.stepper.effort() / operations
    }

    /// Counts an accepted step, and looks from time to time whether the other kind of method suits better.
    pub(super) fn mind_stiffness(&mut self) -> Result<(), Status> {
        if !self.adapts || self.stepper.is_finished() {
            return Ok(());
        }
        let h = self.stepper.h().abs();
        let watch = &mut self.ledger.stiffness;
        watch.steps += 1;
        watch.since += 1;
        let shrunk = watch.wait > WAIT[0] && watch.steps.is_multiple_of(WAIT[0]) && 3.0 * h < watch.mean;
        if watch.steps < watch.wait && !shrunk {
            return Ok(());
        }
        let t = self.stepper.t();
        let (steps, lasted) = (watch.steps as f64, t - watch.t);
        let mean = lasted / steps;
        let before = watch.cost;
        let cost = (self.cost() - before) / lasted;
        let found = match self.integrator {
            Integrator::Radau5 => self.look_from_implicit(mean, cost),
            _ => self.look_from_explicit(mean, cost),
        };
        let now = self.cost();
        let watch = &mut self.ledger.stiffness;
        watch.mean = mean;
        match found {
            Look::Wait(steps) => watch.mark(t, now, steps),
            Look::Exchange { to, h, reason, in_vain } => {
                self.exchange(to, h, in_vain, &reason)?;
            }
        }
        Ok(())
    }

    fn look_from_explicit(&mut self, mean: f64, cost: f64) -> Look {
        let left = self.mechanism.model.settings.duration - self.stepper.t();
        let wait = self.ledger.stiffness.wait.max(WAIT[0]);
        // an implicit method must be worth its matrices: a trial makes some five of them and factors twenty times
        let n = self.y.len() as f64;
        let (each, base) = OPERATIONS;
        let trial = 5.0 * n + 20.0 * (10.0 / 3.0 * n * n * n) / (each * n + base);
        let least = WORTH.max(trial / 12.0);
        if left < least * mean || self.y.len() > MOST_STATES {
            return Look::Wait(wait);
        }
        let Some(rate) = self.fastest() else { return Look::Wait((2 * wait).min(WAIT[1])) };
        let bound = self.bound();
        let watch = &mut self.ledger.stiffness;
        if rate * mean < bound {
            watch.votes = 0;
            return Look::Wait(if rate * mean < 0.5 * bound { (2 * wait).min(WAIT[1]) } else { WAIT[0] });
        }
        watch.votes += 1;
        if watch.votes < VOTES << watch.vain.min(20) {
            return Look::Wait(SOON);
        }
        (watch.explicit, watch.reach) = (cost, rate * mean);
        let place = self.fastest_place();
        let reason = format!(
            "explicit steps of {mean:.1e} s were bound by stability, not by the tolerance (what reacts fastest, within {:.1e} s: {place})",
            1.0 / rate
        );
        Look::Exchange { to: Integrator::Radau5, h: mean, reason, in_vain: false }
    }

    fn look_from_implicit(&mut self, mean: f64, cost: f64) -> Look {
        let watch = &self.ledger.stiffness;
        let (since, explicit) = (watch.since, watch.explicit);
        if since < TRIAL {
            return Look::Wait(IMPLICIT_WAIT.min(TRIAL - since));
        }
        let in_vain = since < LASTING;
        if explicit > 0.0 && in_vain && cost > 0.8 * explicit {
            let reason = "`radau5` did not get on faster, the motion itself is fast".to_string();
            return Look::Exchange { to: self.explicit(), h: mean, reason, in_vain };
        }
        let Some(rate) = self.fastest() else { return Look::Wait(IMPLICIT_WAIT) };
        let reach = self.ledger.stiffness.reach;
        let reach = if reach > 0.0 { reach } else { 1.5 * self.bound() };
        let longest = (reach / rate).min(3.0 * mean); // (W3)
        // a series costs as many solutions as it has orders
        let evaluations = match self.formulation {
            Formulation::Points => choice::series_order(&self.mechanism.model.settings) as f64,
            _ => 12.0,
        };
        let watch = &mut self.ledger.stiffness;
        let cheaper = evaluations / longest < 0.6 * cost; // false where a number is missing
        if !cheaper {
            watch.votes = 0;
            return Look::Wait(IMPLICIT_WAIT);
        }
        watch.votes += 1;
        if watch.votes < 2 << watch.vain.min(20) {
            return Look::Wait(SOON);
        }
        let reason = "explicit steps are bound by stability no longer".to_string();
        Look::Exchange { to: self.explicit(), h: longest, reason, in_vain }
    }

    /// h ρ from which explicit steps count as bound by stability.
    fn bound(&self) -> f64 {
        let tolerance = self.formulation.share() * self.mechanism.model.settings.tolerance;
        match self.integrator {
            Integrator::Taylor => BOUND[1],
            // as steps that resolve an oscillation with order 8
            _ => (BOUND[1] * (tolerance / LOOSE).sqrt().sqrt().sqrt()).clamp(BOUND[0], BOUND[1]),
        }
    }

    /// The explicit method that suits the mechanism.
    fn explicit(&mut self) -> Integrator {
        choice::explicit(&self.mechanism.model.settings, self.formulation, &mut self.system)
    }

    /// Goes on with another method.
    fn exchange(&mut self, to: Integrator, h: f64, in_vain: bool, reason: &str) -> Result<(), Status> {
        let t = self.stepper.t();
        let stepper = choice::stepper_of(self.mechanism, self.formulation, to, self.y.len());
        if let Err(error) = self.stepper.exchange(&mut self.system, stepper, h) {
            return Err(self.failed(t, &error));
        }
        self.integrator = to;
        self.why = Some(format!("{reason}, from t = {t:.6} s on"));
        self.ledger.integrator = Some((to, self.why.clone()));
        let cost = self.cost();
        let watch = &mut self.ledger.stiffness;
        let wait = if to == Integrator::Radau5 { IMPLICIT_WAIT } else { WAIT[0] };
        watch.mark(t, cost, wait);
        watch.vain = match (in_vain, to) {
            (true, _) => watch.vain + 1,
            (false, Integrator::Radau5) => watch.vain,
            (false, _) => 0,
        };
        (watch.votes, watch.since) = (0, 0);
        watch.exchanges += 1;
        if watch.exchanges <= TOLD {
            let message = format!("at t = {t:.6} s: {reason}; continued with `{}`", to.name());
            self.ledger.remarks.push(Remark { t: Some(t), code: "stiffness", message });
        }
        Ok(())
    }

    /// After a failure of an implicit method that was chosen here: goes back to an explicit one, if that may help.
    pub(super) fn retreat(&mut self) -> Result<bool, Status> {
        let chosen = self.adapts && self.integrator == Integrator::Radau5;
        let watch = &self.ledger.stiffness;
        // each retreat makes the next exchange rarer; a run that does nothing else ends
        if !chosen || watch.vain > 8 {
            return Ok(false);
        }
        let to = self.explicit();
        let h = 0.1 * self.stepper.h_tried();
        self.exchange(to, h, true, "`radau5` could not make its next step")?;
        Ok(true)
    }

    /// ρ of (W2) at the present state, 1/s; nothing if it cannot be known.
    fn fastest(&mut self) -> Option<f64> {
        let t = self.stepper.t();
        let mut direction = std::mem::take(&mut self.ledger.stiffness.direction);
        self.y.copy_from_slice(self.stepper.y());
        let before = self.ledger.stiffness.rate;
        let buffers = &mut self.ledger.stiffness.buffers;
        let at = (t, &self.y[..], self.stepper.dy());
        let rate = spectral_rate(&mut self.system, at, &mut direction, before, buffers);
        self.ledger.stiffness.direction = direction;
        self.ledger.stiffness.rate = rate.unwrap_or(0.0);
        // whoever reads off the system finds it where the run is
        let dy = &mut self.dy;
        let back = self.system.derivative(t, &self.y, dy);
        self.stepper.charge(ITERATIONS as u64 + 1);
        rate.filter(|_| back.is_ok())
    }

    /// What takes most part in the direction of (W2), for people.
    fn fastest_place(&self) -> String {
        let mut scale = vec![1.0; self.y.len()];
        self.system.error_scale(&mut scale);
        let parts = self.ledger.stiffness.direction.iter().zip(&scale).map(|(x, s)| (x / s).abs());
        let most = parts.enumerate().fold((0, 0.0), |most, part| if part.1 > most.1 { part } else { most });
        place(self.mechanism, &self.system, most.0)
    }
}

/// What a look found.
enum Look {
    /// Nothing to do for so many steps.
    Wait(u64),
    Exchange {
        to: Integrator,
        /// The first step, s.
        h: f64,
        reason: String,
        in_vain: bool,
    },
}

/// (W2): about the largest |eigenvalue| of ∂f/∂y at (t, y), where y' is `dy`. `x` is where the last call ended, or empty, and `before` what it gave, or 0.
fn spectral_rate<F: Formulate>(
    system: &mut F,
    (t, y, dy): (f64, &[f64], &[f64]),
    x: &mut Vec<f64>,
    before: f64,
    [scale, state, there]: &mut [Vec<f64>; 3],
) -> Option<f64> {
    let n = y.len();
    for (buffer, fill) in [(&mut *scale, 1.0), (&mut *there, 0.0)] {
        buffer.clear();
        buffer.resize(n, fill);
    }
    state.clear();
    state.extend_from_slice(y);
    system.error_scale(scale);
    // coordinates and rates only: the rest steers nothing
    let steer = system.work_index();
    let counts = |i: usize| i < steer && scale[i].is_finite() && scale[i] > 0.0;
    if x.len() != n {
        // a direction with all modes in it
        x.clear();
        x.extend((0..n).map(|i| if counts(i) { scale[i] * (0.5 + (i as f64 * 0.618).fract()) } else { 0.0 }));
    }
    let rates = system.rates();
    let norm = |x: &[f64], rate: f64| {
        let of = |i: usize| x[i] / scale[i] * if rates.contains(&i) { 1.0 } else { rate };
        (0..n).filter(|&i| counts(i)).map(|i| of(i) * of(i)).sum::<f64>().sqrt()
    };
    let mut rate = if before > 0.0 && !rates.is_empty() { before } else { 1.0 };
    let mut growths = [0.0; 4];
    for iteration in 0..ITERATIONS {
        let size = norm(x, rate);
        if !(size > 0.0 && size.is_finite()) {
            x.clear();
            return None;
        }
        // small in every component, whatever the rate
        let small = SMALL * rate.clamp(1.0, 1e4);
        let step = small / size;
        for i in 0..n {
            x[i] *= step;
            state[i] = y[i] + x[i];
        }
        if system.derivative(t, state, there).is_err() {
            x.clear();
            return None;
        }
        for i in 0..n {
            x[i] = if counts(i) { there[i] - dy[i] } else { 0.0 };
        }
        growths[iteration % 4] = (norm(x, rate) / small).sqrt().sqrt();
        if iteration == ITERATIONS / 2 - 1 && !rates.is_empty() {
            let found = growths.iter().product::<f64>();
            rate = if found.is_finite() && found > 0.0 { found } else { 1.0 };
        }
    }
    let rate = growths.iter().product::<f64>();
    (rate.is_finite() && rate > 0.0).then_some(rate)
}

/// The size of x, in sizes of positions: half the digits of y'.
const SMALL: f64 = 1e-7;

impl Formulation {
    /// The part of the tolerance that its states are held to.
    pub(super) fn share(self) -> f64 {
        match self {
            Formulation::Recursive => choice::JOINT_SHARE,
            _ => 1.0,
        }
    }
}
