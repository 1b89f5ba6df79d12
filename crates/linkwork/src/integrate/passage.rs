//! Passages: how to step over an instant at which the invariants lose rank, as where all rods of a loop lie in a line.
//!
//! The motion goes on smoothly there, but f is known at a distance d from the instant to ε/d² only if the state is on the invariants to ε. At the end of
//! a step ε is rounding; in the stages of a step it is an error of low order, so that no step across, nor next to, such an instant passes the error
//! test, and shorter steps end nearer and nearer to it. Three things mend that:
//!
//! ```text
//!   (A1)  s + ṡ τ + ½ s̈ τ² = 0,  t* = t + τ          s = √independence of a row ≈ c |t − t*|, its rates from the ends of the last two steps
//!   (A2)  h such that no node t + c_i h, and no end, is near a t*
//!   (A3)  f(t, P(y)) instead of f(t, y) in the stages      within two steps of t*
//! ```
//!
//! (A1) counts if it says the same after two steps. With (A2) the instant lies in the widest gap between the nodes c_i of the method. (A3), P the projection
//! onto the invariants, is smooth across t*: what P takes away is what f is so sensitive to. It keeps the order of a method, since P moves a stage by its error only,
//! and costs two or three factorisations in place of one.
//!
//! If the error of a step across does not fall when the step is shortened, it is what rounding leaves, ε/d; it is let pass up to [`NOISE`]. A step
//! across that fails again and again meets something else: a motion that turns off beside a position that is only nearly singular, or one that ends there.
//! Then the ordinary way is taken.

use super::System;

/// Rows whose independence at the start is below this depend on others from the start.
const DEPENDENT: f64 = 1e-7;
/// Two predictions agree if they differ by less than this part of the step between them.
const AGREE: f64 = 0.25;
/// Nodes stay away from t* by this part of half the widest gap between them, and ends of steps across by that part of the step. A step that ends before t* leaves
/// room for one across of the full size.
const CLEAR: f64 = 0.7;
const CLEAR_END: f64 = 0.3;
const ROOM: f64 = 0.95;
/// Trial sizes: each this part of the one before, so many.
const SHRINK: f64 = 0.96;
const SIZES: u32 = 100;
/// Stages are projected in steps that begin this many steps from t*, of the size that is usual: unprojected ones get shorter and shorter on the way there.
const NEAR: f64 = 2.0;
/// By what the usual size falls from step to step.
const FADES: f64 = 0.93;
/// The error that a step across may have, in tolerances, or relative to the sizes; as (Y4) of `taylor`.
pub(super) const NOISE: (f64, f64) = (1e3, 1e-8);
/// Shortening by this part helps if the error falls to less than that.
const GENTLY: f64 = 0.7;
const HELPS: f64 = 0.3;
/// In a step across that is shorter than this part of what was planned, the error of the method is small.
const SHORT: f64 = 0.6;
/// Trials across before the ordinary way is taken.
const TRIALS: u32 = 6;
/// Predictions kept at a time.
const KEPT: usize = 4;

/// Passages near the present time.
#[derive(Clone, Debug, Default)]
pub(super) struct Passage {
    /// Rows that count.
    counts: Vec<bool>,
    values: Vec<f64>,
    /// s of each row at the end of the last step, its mean rate in that step, and t* as predicted there; NaN for none.
    s: Vec<f64>,
    rate: Vec<f64>,
    predicted: Vec<f64>,
    /// The last step, s, and what steps are of late where nothing shortens them.
    h: f64,
    usual: f64,
    /// Instants ahead, and one just behind.
    times: Vec<f64>,
    /// Whether stages are projected in the present trial, and in the last accepted step.
    pub(super) guarded: bool,
    pub(super) was_guarded: bool,
    /// Whether the present trial leads across.
    pub(super) across: bool,
    /// Trials across that were thrown away, the error of the last, and the error that is let pass.
    thrown: u32,
    error: f64,
    /// The error of the last trial of the present step that was thrown away; 0 for none.
    last_error: f64,
    pub(super) allowed: f64,
    /// The instant that is taken the ordinary way; NaN for none.
    refused: f64,
}

impl Passage {
    /// Begins where the last evaluation was.
    pub(super) fn begin<S: System>(&mut self, system: &mut S) {
        system.independence(&mut self.values);
        self.counts.clear();
        self.counts.extend(self.values.iter().map(|&d| d > DEPENDENT));
        self.s.clear();
        self.s.extend(self.values.iter().map(|d| d.sqrt()));
        self.predicted.clear();
        self.predicted.resize(self.values.len(), f64::NAN);
        self.rate.clear();
        self.rate.resize(self.values.len(), f64::NAN);
        self.times.clear();
        if !self.counts.is_empty() {
            self.times.reserve(KEPT);
        }
        (self.refused, self.usual) = (f64::NAN, 0.0);
        (self.guarded, self.was_guarded) = (false, false);
        self.forget_trials();
    }

    fn forget_trials(&mut self) {
        (self.thrown, self.error, self.allowed) = (0, 0.0, 1.0);
        self.across = false;
    }

    /// A step was accepted, and the last evaluation was at its end.
    pub(super) fn accept<S: System>(&mut self, system: &mut S, t_old: f64, t: f64) {
        self.was_guarded = self.guarded;
        if self.across {
            self.forget_trials();
        }
        (self.last_error, self.allowed) = (0.0, 1.0);
        if self.counts.is_empty() {
            return;
        }
        system.independence(&mut self.values);
        if self.values.len() != self.counts.len() {
            // nothing is known here: predictions begin again
            self.times.clear();
            self.rate.fill(f64::NAN);
            self.predicted.fill(f64::NAN);
            return;
        }
        let h = t - t_old;
        self.usual = h.abs().max(FADES * self.usual);
        // the one just passed stays for a while
        let near = NEAR * self.usual;
        let passed = self.times.iter().copied().find(|x| (t - x) * h > 0.0 && (t - x).abs() < near);
        self.times.clear();
        self.times.extend(passed);
        let h_mean = 0.5 * (h + std::mem::replace(&mut self.h, h));
        for r in (0..self.counts.len()).filter(|&r| self.counts[r]) {
            let s = self.values[r].max(0.0).sqrt();
            let before = std::mem::replace(&mut self.s[r], s);
            let last = std::mem::replace(&mut self.predicted[r], f64::NAN);
            let rate = (s - before) / h;
            let rate_before = std::mem::replace(&mut self.rate[r], rate);
            if (last - t_old) * h > 0.0 && (t - last) * h > 0.0 {
                self.rate[r] = f64::NAN; // passed: s has turned round
                continue;
            }
            // (A1); a mean rate is that of the middle of its step
            let bend = if rate_before.is_nan() { 0.0 } else { (rate - rate_before) / h_mean };
            let now = rate + 0.5 * h * bend;
            if now * h >= 0.0 {
                continue;
            }
            let root = (now * now - 2.0 * bend * s).max(0.0).sqrt();
            let next = t + 2.0 * s / (-now + root.copysign(-now));
            self.predicted[r] = next;
            let agrees = (next - last).abs() < AGREE * h.abs().max(0.5 * (next - t).abs());
            if agrees && (next - t).abs() < 2.0 * near && self.times.len() < KEPT {
                self.times.push(next);
            }
        }
    }

    /// (A2): a size for the next trial, at most `size`. Tells also whether (A3) holds in it.
    pub(super) fn fit(&mut self, nodes: &[f64], t: f64, direction: f64, size: f64) -> f64 {
        (self.guarded, self.across) = (false, false);
        if self.times.is_empty() || nodes.is_empty() {
            return size;
        }
        let refused = self.refused;
        let ahead = |time: &f64| (time - t) * direction;
        let reach = NEAR * size.max(self.usual);
        let near = |d: f64| d > -reach && d < 2.0 * reach;
        let taken = |time: &&f64| near(ahead(time)) && ((**time - refused).abs() >= size || refused.is_nan());
        if !self.times.iter().any(|time| taken(&time)) {
            return size;
        }
        // the widest gap: half its width, and its middle
        let gap = |&c: &f64| {
            let next = nodes.iter().filter(|x| **x > c).fold(f64::INFINITY, |a, &b| a.min(b));
            (0.5 * (next - c), 0.5 * (next + c))
        };
        let gaps = std::iter::once(&0.0).chain(nodes).map(gap).filter(|g| g.0.is_finite());
        let (widest, middle) = gaps.fold((0.0, 0.5), |a, b| if b.0 > a.0 { b } else { a });
        let clearance = |h: f64, d: f64| {
            nodes.iter().fold(f64::INFINITY, |least, &c| {
                let needed = match c >= 1.0 {
                    false => CLEAR * widest * h,
                    true if d <= h => CLEAR_END * h,
                    true => ROOM * middle * size,
                };
                least.min((c * h - d).abs() / needed)
            })
        };
        let score = |h: f64| {
            let times = self.times.iter().filter(|time| taken(time));
            times.map(|time| clearance(h, ahead(time))).fold(f64::INFINITY, f64::min)
        };
        let mut best = (size, score(size));
        let mut h = size;
        for _ in 0..SIZES {
            if best.1 >= 1.0 {
                break;
            }
            h *= SHRINK;
            let found = score(h);
            if found > best.1 {
                best = (h, found);
            }
        }
        let h = best.0;
        let within =
            |from: f64, to: f64| self.times.iter().filter(taken).any(|x| (from..=to).contains(&ahead(x)));
        (self.guarded, self.across) = (within(-reach, reach), within(0.0, h));
        h
    }

    /// A trial of the size h was thrown away, by its error or for another reason; `size` is what was planned. Tells the size to go on with, if it
    /// is not the usual one.
    pub(super) fn reject(&mut self, error: Option<f64>, tolerance: f64, h: f64, size: f64) -> Option<f64> {
        if !self.guarded {
            return None;
        }
        self.thrown += u32::from(self.across);
        if self.thrown >= TRIALS {
            self.refused = self.times.first().copied().unwrap_or(f64::NAN);
            self.forget_trials();
            return None;
        }
        let error = error? * self.allowed;
        let limit = NOISE.0.max(NOISE.1 / tolerance);
        let last = if self.across { &mut self.error } else { &mut self.last_error };
        let before = std::mem::replace(last, error);
        if error > limit || error.is_nan() {
            return None;
        }
        // what the method leaves out would be little in so short a step across, or would have fallen
        if (self.across && h < SHORT * size) || (before > 0.0 && error > HELPS * before) {
            self.allowed = 2.0 * error;
            return Some(size);
        }
        self.across.then_some(GENTLY * h)
    }
}

crate::keep::keep!(Passage {
    counts,
    s,
    rate,
    predicted,
    h,
    usual,
    times,
    guarded,
    was_guarded,
    across,
    thrown,
    error,
    last_error,
    allowed,
    refused
} but { values });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::{StepOutcome, Stepper};

    /// Nodes of Dormand–Prince 8(5,3), with those of its dense output.
    const NODES: [f64; 12] =
        [0.0526, 0.0789, 0.1184, 0.2816, 0.3333, 0.25, 0.3077, 0.6513, 0.6, 0.8571, 1.0, 1.0];

    /// Wherever the instant is ahead, no node comes near it, and the step across comes at last.
    #[test]
    fn keeps_nodes_away() {
        for k in 1..400 {
            let star = 0.01 * f64::from(k);
            let mut passage = Passage {
                counts: vec![true],
                times: vec![star],
                allowed: 1.0,
                refused: f64::NAN,
                ..Default::default()
            };
            let (mut t, mut steps) = (0.0, 0);
            while t < star {
                let h = passage.fit(&NODES, t, 1.0, 1.0);
                assert!(h > 0.0 && h <= 1.0);
                let nearest = NODES.iter().fold(f64::INFINITY, |s, c| s.min((t + c * h - star).abs()));
                if passage.across {
                    assert!(nearest > 0.09 * h, "{star}: {nearest} of {h}");
                }
                t += h;
                steps += 1;
                assert!(steps < 9, "{star}");
            }
        }
    }

    /// q = (x, y) on the crossing lines x² = y² along x = y, at the speed 1 + x², with f as badly off beside the lines as multipliers make it.
    #[derive(Default)]
    struct Crossing {
        at: f64,
    }

    impl System for Crossing {
        type Error = &'static str;

        fn dimension(&self) -> usize {
            2
        }

        fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Self::Error> {
            let off = 0.5 * (y[0] * y[0] - y[1] * y[1]);
            let square = y[0] * y[0] + y[1] * y[1];
            let speed = 1.0 + 0.25 * (y[0] + y[1]) * (y[0] + y[1]);
            dy[0] = speed + off / (square * square).max(1e-300);
            dy[1] = speed - off / (square * square).max(1e-300);
            self.at = square;
            Ok(())
        }

        fn independence(&mut self, out: &mut Vec<f64>) {
            out.clear();
            out.push(self.at);
        }

        fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Self::Error> {
            for _ in 0..20 {
                let off = 0.5 * (y[0] * y[0] - y[1] * y[1]);
                let square = y[0] * y[0] + y[1] * y[1];
                if off.abs() < 1e-17 {
                    break;
                }
                (y[0], y[1]) = (y[0] - off * y[0] / square, y[1] + off * y[1] / square);
            }
            self.derivative(t, y, dy)
        }
    }

    /// x = y = tan t passes the crossing of the lines at t = 0 with all digits and without short steps.
    #[test]
    fn exact_crossing_lines() {
        for mut stepper in [Stepper::dop853(2, 1e-11), Stepper::dopri5(2, 1e-9)] {
            let mut system = Crossing::default();
            let start = f64::tan(-1.0);
            stepper.start(&mut system, -1.0, &[start, start], 1.0).unwrap();
            while stepper.step(&mut system).unwrap() != StepOutcome::Finished {}
            let off = stepper.y().iter().fold(0.0_f64, |s, y| s.max((y - f64::tan(1.0)).abs()));
            let cost = stepper.statistics();
            println!(
                "off by {off:.1e} after {} steps, {} rejected",
                cost.accepted_steps, cost.rejected_steps
            );
            assert!(off < 1e-7 && cost.accepted_steps < 300 && cost.rejected_steps < 60);
        }
    }
}
