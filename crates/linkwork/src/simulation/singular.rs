//! Passages through singular positions, where constraints lose rank for an instant and the motion may branch.
//!
//! Each row of a formulation's equations has an *independence*, d: of the order of one where the row says something
//! new, zero where it follows from the others, and growing with the square of the distance from there. So with
//!
//!   (S1)  s = √(min d / max d so far), rows that depend on others from the start left out
//!
//! a passage at time t* looks like s ≈ c |t − t*|: a kink that touches zero, and d = s² like a parabola. After each step near a small s the dense output is
//! searched for a least d; below [`PASSED`] the passage is told, with the time and the row. The search begins at quarters of the step and goes on to where the
//! parabola through the last three places is least,
//!
//!   (S2)  t = t_b − ½ ((t_b − t_a)² (d_b − d_c) − (t_b − t_c)² (d_b − d_a)) / ((t_b − t_a)(d_b − d_c) − (t_b − t_c)(d_b − d_a))
//!
//! or, where there is none within the bracket, to the middle of its longer part. What a step lands on is of no account:
//! nothing but chance would make it the singular position itself.
//!
//! A passage that s does not rise from again was none: if the run ends there, it is taken back.

use super::Remark;
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, Stepper};

/// Steps whose ends are both above this are not looked into, unless s changes fast enough, in this step or the last, to reach zero in
/// [`REACH`] times the step.
const NEAR: f64 = 0.1;
const REACH: f64 = 3.0;
/// A least s below this is a passage.
const PASSED: f64 = 1e-3;
/// s has to rise above this before another passage is told.
const LEFT: f64 = 0.02;
/// Rows whose independence at the start is below this depend on others.
const DEPENDENT: f64 = 1e-7;
/// Rows whose independence is below this are nearly given by others.
const WEAK: f64 = 1e-3;
/// Parts of a step at whose ends s is read.
const PARTS: usize = 4;
/// The search for the least d ends when it moves by less than this part of the bracket, or after so many places.
const STILL: f64 = 1e-6;
const PLACES: usize = 24;
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
pub(super) struct SingularWatch {
    /// Rows that count.
    rows: Vec<bool>,
    values: Vec<f64>,
    largest: f64,
    /// s at the last step's end.
    before: f64,
    /// How fast it changed in the last step, 1/s.
    slope: f64,
    /// Whether it has left the last passage behind.
    left: bool,
    more: u64,
    /// Steps since the time below was noted.
    steps: u32,
    since: f64,
    y: Vec<f64>,
    dy: Vec<f64>,
}

impl SingularWatch {
    pub(super) fn new() -> Self {
        SingularWatch {
            rows: Vec::new(),
            values: Vec::new(),
            largest: 0.0,
            before: f64::INFINITY,
            slope: f64::INFINITY,
            left: true,
            more: 0,
            steps: 0,
            since: f64::NEG_INFINITY,
            y: Vec::new(),
            dy: Vec::new(),
        }
    }

    /// A stretch begins: the last evaluation was at its start. Rows may have come into force or gone.
    pub(super) fn begin<F: Formulate>(&mut self, system: &mut F) {
        system.independence(&mut self.values);
        self.rows.clear();
        self.rows.extend(self.values.iter().map(|&d| d > DEPENDENT));
        self.largest = 0.0;
        self.before = self.read(system).0;
    }

    /// (S1), and the row of the least d, where the last evaluation was.
    fn read<F: Formulate>(&mut self, system: &mut F) -> (f64, usize) {
        system.independence(&mut self.values);
        let counted = self.values.iter().zip(&self.rows).enumerate().filter(|(_, (_, counts))| **counts);
        let (row, least) = counted
            .map(|(row, (&d, _))| (row, d))
            .fold((0, f64::INFINITY), |least, d| if d.1 < least.1 { d } else { least });
        if least == f64::INFINITY {
            return (least, 0);
        }
        self.largest = self.largest.max(least);
        ((least / self.largest.max(f64::MIN_POSITIVE)).sqrt(), row)
    }

    /// s at a time inside the last step.
    fn at<F: Formulate>(
        &mut self,
        t: f64,
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<(f64, usize), StepError<MotionError>> {
        self.y.resize(system.dimension(), 0.0);
        self.dy.resize(system.dimension(), 0.0);
        stepper.interpolate(system, t, &mut self.y)?;
        system
            .evaluate_independence(t, &self.y, &mut self.dy)
            .map_err(|source| StepError::System { t, source })?;
        Ok(self.read(system))
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
        let after = self.read(system).0;
        let before = std::mem::replace(&mut self.before, after);
        self.left |= before > LEFT;
        if !self.left {
            return Ok(());
        }
        let h = stepper.h().abs();
        let now = (after - before).abs() / h.max(f64::MIN_POSITIVE);
        let slope = std::mem::replace(&mut self.slope, now).max(now);
        if before.min(after) > f64::max(NEAR, REACH * slope * h) {
            return Ok(());
        }
        let (t0, t1) = (stepper.t_old(), stepper.t());
        let place = |i: usize| if i == PARTS { t1 } else { t0 + (t1 - t0) * i as f64 / PARTS as f64 };
        let mut samples = [after; PARTS + 1];
        samples[0] = before;
        for (i, sample) in samples.iter_mut().enumerate().take(PARTS).skip(1) {
            *sample = self.at(place(i), system, stepper)?.0;
        }
        let least = (0..=PARTS).fold(0, |k, i| if samples[i] < samples[k] { i } else { k });
        // a kink reaches zero between two places only if s changes from one to the next by about as much as is left
        let fall = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        if samples[least] > f64::max(PASSED, REACH * fall) {
            return Ok(());
        }
        let (t, s, row) = self.least(least, place, &samples, system, stepper)?;
        if s < PASSED {
            self.left = false;
            let told = remarks.iter().filter(|r| r.code == "singular-position").count();
            if told < MOST_TOLD {
                let row = system.row_name(row);
                remarks.push(Remark {
                    t: Some(t),
                    code: "singular-position",
                    message: format!(
                        "passed a singular position at t = {t:.9} s, where {row} follows from the others: the motion could branch here, \
                         it was continued smoothly"
                    ),
                });
            } else {
                self.more += 1;
            }
        }
        Ok(())
    }

    /// The least s beside a sample: where, how much, and the row.
    fn least<F: Formulate>(
        &mut self,
        k: usize,
        place: impl Fn(usize) -> f64,
        samples: &[f64; PARTS + 1],
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<(f64, f64, usize), StepError<MotionError>> {
        let square = |i: usize| (place(i), samples[i] * samples[i]);
        // the least at an end may belong to a neighbour; the bracket then begins there
        let (mut a, mut c) = (square(k.saturating_sub(1)), square((k + 1).min(PARTS)));
        let mut b = match k {
            0 | PARTS => {
                let t = 0.5 * (a.0 + c.0);
                let s = self.at(t, system, stepper)?.0;
                (t, s * s)
            }
            _ => square(k),
        };
        for _ in 0..PLACES {
            let width = c.0 - a.0;
            let (left, right) = (b.0 - a.0, b.0 - c.0);
            let (rise_left, rise_right) = (b.1 - a.1, b.1 - c.1);
            let below = left * rise_right - right * rise_left;
            let mut t = b.0 - 0.5 * (left * left * rise_right - right * right * rise_left) / below; // (S2)
            let inside = (t - a.0) / width > APART && (c.0 - t) / width > APART;
            let falls = b.1 <= a.1 && b.1 <= c.1;
            if !(inside && falls && t.is_finite()) {
                // towards the lower end, or into the longer part
                let first = if falls { left > -right } else { a.1 < c.1 };
                t = if first { 0.5 * (a.0 + b.0) } else { 0.5 * (b.0 + c.0) };
            }
            if (t - b.0).abs() <= STILL * width.abs() {
                break;
            }
            let s = self.at(t, system, stepper)?.0;
            let new = (t, s * s);
            let later = (new.0 - b.0) / width > 0.0;
            // the lower of the two is the new middle
            match (new.1 <= b.1, later) {
                (true, true) => (a, b) = (b, new),
                (true, false) => (c, b) = (b, new),
                (false, true) => c = new,
                (false, false) => a = new,
            }
            if (c.0 - a.0).abs() <= STILL * (place(1) - place(0)).abs() {
                break;
            }
        }
        let ends = [a, b, c];
        let t = ends.iter().fold(b, |x, &y| if y.1 < x.1 { y } else { x }).0;
        let (s, row) = self.at(t, system, stepper)?;
        Ok((t, s, row))
    }

    /// Counts an accepted step; tells whether the last ones led nowhere beside a singular position.
    pub(super) fn is_stuck(&mut self, stepper: &Stepper, duration: f64) -> bool {
        self.steps += 1;
        if self.steps < STUCK.0 {
            return false;
        }
        self.steps = 0;
        let moved = stepper.t() - std::mem::replace(&mut self.since, stepper.t());
        moved < STUCK.1 * duration && self.before < NEAR
    }

    /// A run ends: a passage that has not been left behind was none.
    pub(super) fn take_back(&mut self, remarks: &mut Vec<Remark>) {
        if self.left || self.before > LEFT {
            return;
        }
        self.left = true;
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
    pub(super) fn finish(self, remarks: &mut Vec<Remark>) {
        if self.more > 0 {
            remarks.push(Remark {
                t: None,
                code: "singular-position",
                message: format!("passed singular positions {} more times", self.more),
            });
        }
    }
}

crate::keep::keep!(SingularWatch { rows, values, largest, before, slope, left, more, steps, since, y, dy });
