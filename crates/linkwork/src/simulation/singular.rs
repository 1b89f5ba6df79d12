//! Passages through singular positions, where constraints lose rank for an instant and the motion may branch.
//!
//! Each row of a formulation's equations has an *independence*, d: of the order of one where the row says something
//! new, zero where it follows from the others, and growing with the square of the distance from there. So with
//!
//!   (S1)  s = √(min d / max d so far), rows that depend on others from the start left out
//!
//! a passage at time t* looks like s ≈ c |t − t*|: a kink that touches zero. After each step near a small s the dense output is
//! searched for a least s; below [`PASSED`] the passage is told, with the time and the row. The search goes where the two lines of the
//! kink would meet,
//!
//!   (S2)  t = (t₀ s₁ + t₁ s₀) / (s₀ + s₁)
//!
//! if s is larger on both sides of it, and else throws thirds of the interval away. What a step lands on is of no account:
//! nothing but chance would make it the singular position itself.

use super::Remark;
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, Stepper};

/// Steps whose ends are both above this are not looked into, unless s has been falling fast enough to reach zero in
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
/// Places within a step where s is read.
const PLACES: usize = 8;
/// The search for the least s ends when the interval is this part of the first, or after so many turns.
const NARROW: f64 = 1e-7;
const NARROWINGS: usize = 40;
/// How much of the interval is left around a place where two lines meet.
const AROUND: f64 = 0.02;
/// A run tells this many passages one by one, the rest as a number.
const MOST_TOLD: usize = 20;

/// What the least independent constraint row is called where the last evaluation was.
pub(super) fn weakest_row<F: Formulate>(system: &F) -> Option<String> {
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
            y: Vec::new(),
            dy: Vec::new(),
        }
    }

    /// A stretch begins: the last evaluation was at its start. Rows may have come into force or gone.
    pub(super) fn begin<F: Formulate>(&mut self, system: &F) {
        system.independence(&mut self.values);
        self.rows.clear();
        self.rows.extend(self.values.iter().map(|&d| d > DEPENDENT));
        self.largest = 0.0;
        self.before = self.read(system).0;
    }

    /// (S1), and the row of the least d, where the last evaluation was.
    fn read<F: Formulate>(&mut self, system: &F) -> (f64, usize) {
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
        let slope = std::mem::replace(&mut self.slope, (after - before).abs() / h.max(f64::MIN_POSITIVE));
        if before.min(after) > f64::max(NEAR, REACH * slope * h) {
            return Ok(());
        }
        let (t0, t1) = (stepper.t_old(), stepper.t());
        let place = |i: usize| t0 + (t1 - t0) * i as f64 / PLACES as f64;
        let mut samples = [after; PLACES + 1];
        samples[0] = before;
        for (i, sample) in samples.iter_mut().enumerate().take(PLACES).skip(1) {
            *sample = self.at(place(i), system, stepper)?.0;
        }
        let least = (0..=PLACES).fold(0, |k, i| if samples[i] < samples[k] { i } else { k });
        // a kink reaches zero between two places only if s falls by as much as is left from one to the next
        let neighbours = [least.checked_sub(1), Some(least + 1).filter(|&i| i <= PLACES)];
        let fall = neighbours.into_iter().flatten().map(|i| samples[i] - samples[least]).fold(0.0, f64::max);
        if samples[least] > f64::max(PASSED, REACH * fall) {
            return Ok(());
        }
        // the least at an end belongs to a neighbour, unless it is a passage already
        let ends = [least.saturating_sub(1), (least + 1).min(PLACES)];
        let [mut low, mut high] = ends.map(|i| (place(i).min(t1), samples[i]));
        let narrow = NARROW * (high.0 - low.0);
        for _ in 0..NARROWINGS {
            let width = high.0 - low.0;
            if width <= narrow {
                break;
            }
            let t = (low.0 * high.1 + high.0 * low.1) / (low.1 + high.1); // (S2)
            if t - AROUND * width > low.0 && t + AROUND * width < high.0 {
                let [a, t, b] = [t - AROUND * width, t, t + AROUND * width];
                let [s_a, s, s_b] = [
                    self.at(a, system, stepper)?.0,
                    self.at(t, system, stepper)?.0,
                    self.at(b, system, stepper)?.0,
                ];
                if s < s_a && s < s_b {
                    (low, high) = ((a, s_a), (b, s_b));
                    continue;
                }
            }
            let [a, b] = [low.0 + width / 3.0, high.0 - width / 3.0];
            let [s_a, s_b] = [self.at(a, system, stepper)?.0, self.at(b, system, stepper)?.0];
            if s_a < s_b {
                high = (b, s_b);
            } else {
                low = (a, s_a);
            }
        }
        let (low, high) = (low.0, high.0);
        let t = 0.5 * (low + high);
        let (s, row) = self.at(t, system, stepper)?;
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

crate::keep::keep!(SingularWatch { rows, values, largest, before, slope, left, more, y, dy });
