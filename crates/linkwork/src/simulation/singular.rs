//! Passages through singular positions, where constraints lose rank for an instant and the motion may branch.
//!
//! Each row of a formulation's equations has an *independence*, d: of the order of one where the row says something
//! new, zero where it follows from the others, and growing with the square of the distance from there. So with
//!
//!   (S1)  s = √(d / max d so far) of each row, those that depend on others from the start left out
//!
//! a passage at time t* looks like s ≈ c |t − t*|: a kink that touches zero, and d = s² like a parabola. s of a row cannot have touched zero between two places unless
//!
//!   (S2)  s_a + s_b ≤ c |t_b − t_a|,     c: a few times the steepest change seen beside them
//!
//! After each step in which that may be so at its ends the middle is read off the dense output, and if it may still be so in a half, the step is searched for a least d: where the
//! parabola through the last three places is least,
//!
//!   (S3)  t = t_b − ½ ((t_b − t_a)² (d_b − d_c) − (t_b − t_c)² (d_b − d_a)) / ((t_b − t_a)(d_b − d_c) − (t_b − t_c)(d_b − d_a))
//!
//! or, where there is none within the bracket, in the middle of its longer part. Each place takes a factorisation; a passage is found with three to five. Below [`PASSED`] it is reported, with
//! the time and the row. What a step lands on is of no account: nothing but chance would make it the singular position itself.
//!
//! A passage that s does not rise from again was none: if the run ends there, it is taken back.

use super::Remark;
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, Stepper};

/// (S2): s of a row may change this many times faster than is seen.
const REACH: f64 = 3.0;
/// A least s below this is a passage.
const PASSED: f64 = 1e-3;
/// s of the row has to rise above this before another passage is reported.
const LEFT: f64 = 0.02;
/// Rows whose independence at the start is below this depend on others.
const DEPENDENT: f64 = 1e-7;
/// Rows whose independence is below this are nearly given by others.
const WEAK: f64 = 1e-3;
/// The search for the least d ends when (S3) is this part of the step away from the last place, or after so many places.
const STILL: f64 = 1e-4;
const PLACES: usize = 24;
/// It also ends where the least that the parabola has is this many times the d of a passage and near to the least seen, twice in a row.
const CLEAR: f64 = 100.0;
/// A place this near to the end of the bracket, as a part of it, says nothing new.
const APART: f64 = 1e-3;
/// Beside a singular position so many steps must advance the time by more than this part of the duration.
const STUCK: (u32, f64) = (200, 1e-6);
/// A run tells this many passages one by one, the rest as a number.
const MOST_TOLD: usize = 20;

/// What the least independent constraint row is called where the last evaluation was.
pub(super) fn weakest_row<F: Formulate>(system: &mut F) -> Option<String> {
    let mut values = Vec::new();
    system.independence(&mut values);
    let rows = values.iter().enumerate().filter(|(_, d)| **d > DEPENDENT);
    let (row, least) = rows.min_by(|a, b| a.1.total_cmp(b.1))?;
    // far from singular there is no row to blame
    (*least < WEAK).then(|| system.row_name(row))
}

/// Watches one run.
#[derive(Default)]
pub(super) struct SingularWatch {
    /// Rows that count.
    rows: Vec<bool>,
    values: Vec<f64>,
    /// The largest independence of each so far.
    largest: Vec<f64>,
    /// s of each at the last step's end, and how fast it changed in that step, 1/s.
    before: Vec<f64>,
    slope: Vec<f64>,
    /// The row of the last passage, if s of it has not risen again.
    within: Option<usize>,
    more: u64,
    /// Steps since the time below was noted.
    steps: u32,
    since: f64,
    /// s of all rows at the start of a step.
    first: Vec<f64>,
    y: Vec<f64>,
    dy: Vec<f64>,
}

impl SingularWatch {
    pub(super) fn new() -> Self {
        SingularWatch { since: f64::NEG_INFINITY, ..Default::default() }
    }

    /// A stretch begins: the last evaluation was at its start. Rows may have come into force or gone.
    pub(super) fn begin<F: Formulate>(&mut self, system: &mut F) {
        system.independence(&mut self.values);
        self.rows.clear();
        self.rows.extend(self.values.iter().map(|&d| d > DEPENDENT));
        self.largest.resize(self.values.len(), 0.0);
        self.slope.clear();
        self.slope.resize(self.values.len(), f64::INFINITY);
        if !self.values.is_empty() {
            // a look that comes later allocates nothing
            self.first.clear();
            self.first.reserve(self.values.len());
            self.y.resize(system.dimension(), 0.0);
            self.dy.resize(system.dimension(), 0.0);
        }
        self.read(system);
        self.before.clone_from(&self.values);
    }

    /// (S1) where the last evaluation was, into `values`.
    fn read<F: Formulate>(&mut self, system: &mut F) {
        system.independence(&mut self.values);
        for (d, largest) in self.values.iter_mut().zip(&mut self.largest) {
            *largest = largest.max(*d);
            *d = (*d / largest.max(f64::MIN_POSITIVE)).sqrt();
        }
    }

    /// (S1) at a time inside the last step.
    fn read_at<F: Formulate>(
        &mut self,
        t: f64,
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<(), StepError<MotionError>> {
        self.y.resize(system.dimension(), 0.0);
        self.dy.resize(system.dimension(), 0.0);
        stepper.interpolate(system, t, &mut self.y)?;
        system
            .evaluate_independence(t, &self.y, &mut self.dy)
            .map_err(|source| StepError::System { t, source })?;
        self.read(system);
        Ok(())
    }

    /// Looks into the last step, whose end the system has just been evaluated at.
    pub(super) fn look<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        remarks: &mut Vec<Remark>,
    ) -> Result<(), StepError<MotionError>> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.read(system);
        let n = self.rows.len();
        if self.values.len() != n || self.before.len() != n {
            // nothing is known here, or was at the last step's end
            self.before.clone_from(&self.values);
            return Ok(());
        }
        let h = stepper.h().abs().max(f64::MIN_POSITIVE);
        self.within = self.within.filter(|&row| self.before[row] <= LEFT);
        let mut suspect = false;
        for row in (0..n).filter(|&row| self.rows[row]) {
            let (before, after) = (self.before[row], self.values[row]);
            let now = (after - before).abs() / h;
            let slope = std::mem::replace(&mut self.slope[row], now).max(now);
            suspect |= before + after <= REACH * slope * h; // (S2)
        }
        // what is needed of the start before it is replaced
        self.first.clone_from(&self.before);
        self.before.clone_from(&self.values);
        if !suspect || self.within.is_some() {
            return Ok(());
        }
        let (t0, t1) = (stepper.t_old(), stepper.t());
        let middle = 0.5 * (t0 + t1);
        self.read_at(middle, system, stepper)?;
        if self.values.len() != n {
            return Ok(());
        }
        let samples = |row: usize| [self.first[row], self.values[row], self.before[row]];
        let may_touch = |[a, b, c]: [f64; 3]| {
            let steepest = f64::max((b - a).abs(), (c - b).abs());
            a.min(c) + b <= REACH * steepest || a.min(b).min(c) < PASSED // (S2) of the halves
        };
        let least = |[a, b, c]: [f64; 3]| a.min(b).min(c);
        let found = (0..n).filter(|&row| self.rows[row]).map(|row| (row, samples(row)));
        let found = found.filter(|&(_, s)| may_touch(s)).min_by(|x, y| least(x.1).total_cmp(&least(y.1)));
        let Some((row, s)) = found else { return Ok(()) };
        let places = [(t0, s[0] * s[0]), (middle, s[1] * s[1]), (t1, s[2] * s[2])];
        let (t, s) = self.least(row, places, system, stepper)?;
        if s < PASSED {
            self.within = Some(row);
            self.report(t, row, system, remarks);
        }
        Ok(())
    }

    /// Tells a passage, or counts it where many were told.
    fn report<F: Formulate>(&mut self, t: f64, row: usize, system: &F, remarks: &mut Vec<Remark>) {
        let reported = remarks.iter().filter(|r| r.code == "singular-position").count();
        if reported >= MOST_TOLD {
            self.more += 1;
            return;
        }
        let row = system.row_name(row);
        let message = format!(
            "passed a singular position at t = {t:.9} s, where {row} follows from the others: the motion could branch here, \
             it was continued smoothly"
        );
        remarks.push(Remark { t: Some(t), code: "singular-position", message });
    }

    /// The least s of a row within a bracket of three places with their d: where, and how much.
    fn least<F: Formulate>(
        &mut self,
        row: usize,
        [mut a, mut b, mut c]: [(f64, f64); 3],
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<(f64, f64), StepError<MotionError>> {
        let still = STILL * (c.0 - a.0).abs();
        let mut clear = false;
        for _ in 0..PLACES {
            let width = c.0 - a.0;
            let (left, right) = (b.0 - a.0, b.0 - c.0);
            let (rise_left, rise_right) = (b.1 - a.1, b.1 - c.1);
            let below = left * rise_right - right * rise_left;
            let away = 0.5 * (left * left * rise_right - right * right * rise_left) / below;
            let mut t = b.0 - away; // (S3)
            let inside = (t - a.0) / width > APART && (c.0 - t) / width > APART;
            let falls = b.1 <= a.1 && b.1 <= c.1;
            if inside && falls && t.is_finite() {
                let lowest = b.1 - below / (left * right * (left - right)) * away * away; // the parabola there
                let is_clear = lowest > f64::max(CLEAR * PASSED * PASSED, 0.5 * b.1);
                if away.abs() <= still || (clear && is_clear) {
                    // one more place would move it by less than its own error
                    return Ok((t, b.1.min(lowest.max(0.0)).sqrt()));
                }
                clear = is_clear;
            } else {
                // towards the lower end, or into the longer part
                let first = if falls { left > -right } else { a.1 < c.1 };
                t = if first { 0.5 * (a.0 + b.0) } else { 0.5 * (b.0 + c.0) };
                clear = false;
            }
            self.read_at(t, system, stepper)?;
            let new = (t, self.values[row].powi(2));
            let later = (new.0 - b.0) / width > 0.0;
            // the lower of the two is the new middle
            match (new.1 <= b.1, later) {
                (true, true) => (a, b) = (b, new),
                (true, false) => (c, b) = (b, new),
                (false, true) => c = new,
                (false, false) => a = new,
            }
            if (c.0 - a.0).abs() <= still {
                break;
            }
        }
        let (t, d) = [a, c].iter().fold(b, |x, &y| if y.1 < x.1 { y } else { x });
        Ok((t, d.sqrt()))
    }

    /// Counts an accepted step; tells whether the last ones led nowhere.
    pub(super) fn is_stuck(&mut self, stepper: &Stepper, duration: f64) -> bool {
        self.steps += 1;
        if self.steps < STUCK.0 {
            return false;
        }
        self.steps = 0;
        let moved = stepper.t() - std::mem::replace(&mut self.since, stepper.t());
        moved < STUCK.1 * duration
    }

    /// A run ends: a passage that has not been left behind was none.
    pub(super) fn take_back(&mut self, remarks: &mut Vec<Remark>) {
        let Some(row) = self.within.take() else { return };
        if self.before.get(row).is_none_or(|s| *s > LEFT) {
            return;
        }
        match self.more {
            0 => {
                if let Some(last) = remarks.iter().rposition(|r| r.code == "singular-position") {
                    remarks.remove(last);
                }
            }
            _ => self.more -= 1,
        }
    }

    /// Tells what was counted only.
    pub(super) fn finish(&self, remarks: &mut Vec<Remark>) {
        if self.more > 0 {
            remarks.push(Remark {
                t: None,
                code: "singular-position",
                message: format!("passed singular positions {} more times", self.more),
            });
        }
    }
}

crate::keep::keep!(SingularWatch { rows, values, largest, before, slope, within, more, steps, since, y, dy } but { first } if |watch| {
    watch.steps < u32::MAX / 2 && crate::keep::are_counts(&[watch.more])
});
