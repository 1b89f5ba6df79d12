//! Limits, statistics and errors of a run, and how large a step may be.
//!
//! Error control ([hairer1993], section II.4). With the error weights
//!
//! ```text
//!   (C1)  w_i = tolerance · (s_i + max(|y_i|, |y⁺_i|))
//! ```
//!
//! with |y_i| cut at 100 s_i where y_i is a coordinate of a place: how far something is from the origin says nothing of how accurately its motion is
//! wanted. Roundings of such a coordinate, 4ε |y_i| beyond the cut, are no errors.
//!
//! A step is accepted if its error estimate err, measured in these weights, is at most 1. For a method
//! whose estimate behaves like h^p the next step is
//!
//! ```text
//!   (C2)  h_new = h · clamp(0.9 · err^(-1/p), 0.333, 6)
//! ```
//!
//! and no larger than h if a trial was rejected on the way. A trial step that meets a value which is not
//! finite is repeated with h/10, one in which the system reports an error with h/4.
//!
//! The projection onto the invariants should move the state by something like the local error. One that moves it by more
//! than
//!
//! ```text
//!   (C3)  min(10⁵, 10⁻³ / tolerance)
//! ```
//!
//! in the same weights has found another branch of the invariants, as may happen beside a singular position: the
//! step is repeated with h/4.
//!
//! The first step is that of the book's algorithm, up to one change: the size of y is taken as
//! s_i + |y_i|, the size its errors are measured against, so that a start at y = 0 needs no special case.

use super::{Step, System};

/// State of the run after a call to [`Stepper::step`](super::Stepper::step).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// One step further; the end is still ahead.
    Advanced,
    /// At the end of the run exactly.
    Finished,
}

/// Why a run cannot go on. The stepper stays at the last good state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError<E> {
    /// The accuracy asked for needs a step that would no longer advance time, as before a singularity.
    #[error(
        "step size {h:.1e} s at t = {t} s is too small to go on: a singularity, or too tight a tolerance"
    )]
    StepTooSmall {
        /// Last good time, s.
        t: f64,
        /// The step needed, s.
        h: f64,
    },
    /// [`Limits::max_steps`] used up.
    #[error(
        "t = {t} s after {steps} steps, the most allowed; the end is at {t_end} s, the last step was {h:.1e} s"
    )]
    TooManySteps {
        /// Last good time, s.
        t: f64,
        /// End of the run, s.
        t_end: f64,
        /// Last step, s.
        h: f64,
        /// Steps taken.
        steps: u64,
    },
    /// [`Limits::max_rejections`] trial steps in a row had too large an error.
    #[error("{in_a_row} trial steps in a row rejected at t = {t} s, the last with a step of {h:.1e} s")]
    TooManyRejections {
        /// Last good time, s.
        t: f64,
        /// The last step tried, s.
        h: f64,
        /// Number of rejected trial steps.
        in_a_row: u32,
    },
    /// The projection moves the end of a step onto the invariants far from where the step led, however small the step: the
    /// solution would go on along another branch.
    #[error(
        "at t = {t} s the invariants lead to another branch of the solution, {distance:.1e} tolerances away"
    )]
    Branches {
        /// Last good time, s.
        t: f64,
        /// The last step tried, s.
        h: f64,
        /// Distance of that branch, in units of the error that is allowed.
        distance: f64,
    },
    /// A time that was asked for is not in the last step.
    #[error("{t} s is not in the last step, {from} to {to} s")]
    Outside {
        /// The time, s.
        t: f64,
        /// Start of the step, s.
        from: f64,
        /// End of the step, s.
        to: f64,
    },
    /// The state or its derivative is infinite or not a number, and smaller steps do not avoid it.
    #[error("component {component} of the state or of its derivative is not finite at t = {t} s")]
    NotFinite {
        /// Time of the evaluation, s.
        t: f64,
        /// The first such component.
        component: usize,
    },
    /// Newton's method does not find the end of an implicit step, and smaller steps do not help.
    #[error("the equations of the step that ends at t = {t} s are not met after {iterations} iterations")]
    NotSolved {
        /// End of the step, s.
        t: f64,
        /// Iterations taken.
        iterations: u32,
        /// The component of the state that was furthest off.
        component: usize,
    },
    /// The method works on mechanical systems in coordinates with a constant mass matrix only.
    #[error("this method needs the mechanics behind the system, and there is none")]
    NoMechanics,
    /// The system reported an error, and smaller steps do not avoid it.
    #[error("evaluation failed at t = {t} s")]
    System {
        /// Time of the evaluation, s.
        t: f64,
        /// The error it reported.
        source: E,
    },
}

/// When to give up, and bounds on the step. All steps are sizes, so positive in both directions of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The first trial step, s; estimated if `None`. Error control only.
    pub first_step: Option<f64>,
    /// A step below this ends the run, s; so does one below 16 roundings of t. Error control only.
    pub min_step: f64,
    /// Steps stay below this, s. Error control only.
    pub max_step: f64,
    /// The most accepted steps from [`Stepper::start`](super::Stepper::start) on.
    pub max_steps: u64,
    /// The most rejected trial steps in a row. Error control only.
    pub max_rejections: u32,
}

impl Default for Limits {
    /// No bounds on the step, a million steps, 50 rejections in a row.
    fn default() -> Self {
        Limits {
            first_step: None,
            min_step: 0.0,
            max_step: f64::INFINITY,
            max_steps: 1_000_000,
            max_rejections: 50,
        }
    }
}

/// Cost of a run since [`Stepper::start`](super::Stepper::start).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Steps taken.
    pub accepted_steps: u64,
    /// Trial steps thrown away.
    pub rejected_steps: u64,
    /// Evaluations of y', those made along with a projection included.
    pub derivative_evaluations: u64,
    /// Projections onto the invariants.
    pub projections: u64,
    /// Trial steps thrown away because the projection moved the state further than errors explain; of steps of a given size, those
    /// whose projection moved it by more than a hundredth.
    pub leaps: u64,
    /// Size of the smallest step, s; 0 before the first. Steps cut short to end at the end of the run
    /// do not count, here and in `largest_step`.
    pub smallest_step: f64,
    /// Size of the largest step, s; 0 before the first.
    pub largest_step: f64,
    /// Size of the last step, s, cut short or not; 0 before the first.
    pub last_step: f64,
}

impl Statistics {
    /// With those of a run that went on from here.
    pub(crate) fn with(&self, later: &Statistics) -> Statistics {
        let smaller = |a: f64, b: f64| if a == 0.0 || (b > 0.0 && b < a) { b } else { a };
        Statistics {
            accepted_steps: self.accepted_steps + later.accepted_steps,
            rejected_steps: self.rejected_steps + later.rejected_steps,
            derivative_evaluations: self.derivative_evaluations + later.derivative_evaluations,
            projections: self.projections + later.projections,
            leaps: self.leaps + later.leaps,
            smallest_step: smaller(self.smallest_step, later.smallest_step),
            largest_step: self.largest_step.max(later.largest_step),
            last_step: if later.accepted_steps > 0 { later.last_step } else { self.last_step },
        }
    }

    pub(super) fn accept(&mut self, size: f64, cut_short: bool) {
        self.accepted_steps += 1;
        self.last_step = size;
        if !cut_short {
            self.largest_step = self.largest_step.max(size);
            let none_yet = self.smallest_step == 0.0;
            self.smallest_step = if none_yet { size } else { self.smallest_step.min(size) };
        }
    }
}

/// Why one trial step could not be completed.
pub(super) enum Failure<E> {
    NotFinite {
        t: f64,
        component: usize,
    },
    System {
        t: f64,
        source: E,
    },
    /// The equations of an implicit step.
    NotSolved {
        t: f64,
        iterations: u32,
        component: usize,
    },
    /// The method needs [`Mechanics`](super::Mechanics) and the system has none.
    NoMechanics,
}

impl<E> Failure<E> {
    /// By how much to shorten the step for the next trial.
    pub(super) fn reduction(&self) -> f64 {
        match self {
            Failure::NotFinite { .. } => 0.1,
            Failure::System { .. } | Failure::NotSolved { .. } | Failure::NoMechanics => 0.25,
        }
    }
}

impl<E> From<Failure<E>> for StepError<E> {
    fn from(failure: Failure<E>) -> Self {
        match failure {
            Failure::NotFinite { t, component } => StepError::NotFinite { t, component },
            Failure::System { t, source } => StepError::System { t, source },
            Failure::NotSolved { t, iterations, component } => {
                StepError::NotSolved { t, iterations, component }
            }
            Failure::NoMechanics => StepError::NoMechanics,
        }
    }
}

/// A system whose evaluations are counted and whose answers are checked to be finite.
///
/// A stretch of the run may end where y' jumps. What is asked at its end, or a rounding beyond it, is answered by the value before the jump.
pub(super) struct Evaluator<'a, S: System> {
    pub(super) system: &'a mut S,
    pub(super) statistics: &'a mut Statistics,
    /// Start and end of the stretch.
    pub(super) stretch: [f64; 2],
    /// Room for a state, where states are projected before they are evaluated: (A3) of `passage`.
    pub(super) guard: Option<&'a mut [f64]>,
}

/// The time, or the last number before the end of a stretch that it has reached.
pub(super) fn before_end(t: f64, [start, end]: [f64; 2]) -> f64 {
    match start < end {
        true if t >= end => end.next_down(),
        false if start > end && t <= end => end.next_up(),
        _ => t,
    }
}

impl<S: System> Evaluator<'_, S> {
    pub(super) fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure<S::Error>> {
        self.statistics.derivative_evaluations += 1;
        let t = before_end(t, self.stretch);
        let evaluated = match &mut self.guard {
            None => self.system.derivative(t, y, dy),
            Some(on) => {
                on.copy_from_slice(y);
                self.system.project(t, on, dy)
            }
        };
        evaluated.map_err(|source| Failure::System { t, source })?;
        check_finite(t, dy)
    }

    /// As [`derivative`](Self::derivative), of every component that is no rate.
    pub(super) fn derivative_beside_rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        self.statistics.derivative_evaluations += 1;
        let t = before_end(t, self.stretch);
        self.system.derivative_beside_rates(t, y, dy).map_err(|source| Failure::System { t, source })
    }

    pub(super) fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Failure<S::Error>> {
        self.statistics.derivative_evaluations += 1;
        self.statistics.projections += 1;
        let t = before_end(t, self.stretch);
        self.system.project(t, y, dy).map_err(|source| Failure::System { t, source })?;
        check_finite(t, y)?;
        check_finite(t, dy)
    }
}

pub(super) fn check_finite<E>(t: f64, v: &[f64]) -> Result<(), Failure<E>> {
    // without an early exit the loop runs in vector registers
    if v.iter().fold(true, |all, x| all & x.is_finite()) {
        return Ok(());
    }
    let component = v.iter().position(|x| !x.is_finite()).unwrap_or(0);
    Err(Failure::NotFinite { t, component })
}

/// A coordinate of a place counts up to so many times its scale.
const CUT: f64 = 100.0;

/// Error weights: tolerance and the s_i of (C1).
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub(super) tolerance: f64,
    pub(super) scale: Vec<f64>,
    /// The largest |y_i| that counts: of a coordinate of a place, [`CUT`] s_i.
    pub(super) cut: Vec<f64>,
    /// Number of components under error control; at least 1, as it is divided by.
    pub(super) count: f64,
}

impl Weights {
    pub(super) fn new(n: usize, tolerance: f64) -> Self {
        Weights { tolerance, scale: vec![1.0; n], cut: vec![f64::INFINITY; n], count: n.max(1) as f64 }
    }

    pub(super) fn read<S: System>(&mut self, system: &S) {
        system.error_scale(&mut self.scale);
        for (i, (cut, scale)) in self.cut.iter_mut().zip(&self.scale).enumerate() {
            *cut = if system.is_place(i) { CUT * scale } else { f64::INFINITY };
        }
        self.count = self.scale.iter().filter(|s| s.is_finite()).count().max(1) as f64;
    }

    /// The distance between two states, as errors are measured.
    pub(super) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..a.len() {
            let x = (a[i] - b[i]) * self.inverse(i, a[i].abs().max(b[i].abs()));
            sum += x * x;
        }
        (sum / self.count).sqrt()
    }

    /// (C3)
    pub(super) fn farthest_projection(&self) -> f64 {
        f64::min(1e5, 1e-3 / self.tolerance)
    }

    /// 1/w_i for a component whose size is `size` (C1). A component at zero with scale zero gets the
    /// smallest weight there is: an error of zero passes, any other does not.
    #[inline]
    pub(super) fn inverse(&self, i: usize, size: f64) -> f64 {
        let cut = self.cut[i];
        let allowed = self.tolerance * (self.scale[i] + size.min(cut));
        1.0 / allowed.max(4.0 * f64::EPSILON * (size - cut)).max(f64::MIN_POSITIVE)
    }
}

/// The factor of (C2) from err^(1/order); the smallest one if it is not a number.
pub(super) fn step_factor(root: f64) -> f64 {
    if root.is_nan() { 0.333 } else { (0.9 / root).clamp(0.333, 6.0) }
}

/// x^(1/n) for x ≥ 0, from arithmetic and square roots that are rounded the same on every machine; NaN for others.
pub(super) fn root(x: f64, n: u32) -> f64 {
    match n {
        _ if x == 0.0 || x == f64::INFINITY => x,
        _ if x.is_nan() || x < 0.0 => f64::NAN,
        2 => x.sqrt(),
        4 => x.sqrt().sqrt(),
        8 => x.sqrt().sqrt().sqrt(),
        _ => {
            // the exponent divided by n is off by a few per cent, which Newton's method squares away
            let one = 1.0_f64.to_bits() as i64;
            let guess = one + (x.max(f64::MIN_POSITIVE).to_bits() as i64 - one) / i64::from(n);
            let mut r = f64::from_bits(guess as u64);
            for _ in 0..6 {
                let power = (1..n).fold(1.0, |power, _| power * r);
                r -= (r - x / power) / f64::from(n);
            }
            r
        }
    }
}

/// The size of a first trial step for a method whose errors are tested as ~ h^`order`, at most that of `start.h`, which gives the
/// direction. `y_trial` and `dy_trial` are scratch.
pub(super) fn first_step<S: System>(
    f: &mut Evaluator<S>,
    start: &Step,
    weights: &Weights,
    order: u32,
    y_trial: &mut [f64],
    dy_trial: &mut [f64],
) -> f64 {
    let &Step { t, h, y, dy, .. } = start;
    let (direction, h_max) = (h.signum(), h.abs());
    let mut sum_f = 0.0;
    for i in 0..y.len() {
        let x = dy[i] * weights.inverse(i, y[i].abs());
        sum_f += x * x;
    }
    let norm_f = (sum_f / weights.count).sqrt();

    // an Euler step that moves y by a hundredth of its size; the size is 1/tolerance in its weights
    let h0 = 0.01 / (weights.tolerance * norm_f);
    let h0 = if norm_f > 0.0 && h0.is_normal() { h0 } else { 1e-6 }.min(h_max);
    for i in 0..y.len() {
        y_trial[i] = y[i] + direction * h0 * dy[i];
    }
    if f.derivative(t + direction * h0, y_trial, dy_trial).is_err() {
        return 0.01 * h0; // the trial steps will find out whether there is a way
    }
    let mut sum_ff = 0.0;
    for i in 0..y.len() {
        let x = (dy_trial[i] - dy[i]) * weights.inverse(i, y[i].abs());
        sum_ff += x * x;
    }
    let norm_ff = (sum_ff / weights.count).sqrt() / h0;

    let steepest = norm_f.max(norm_ff);
    let h1 = if steepest <= 1e-15 { f64::max(1e-6, 1e-3 * h0) } else { root(0.01 / steepest, order) };
    (100.0 * h0).min(h1).min(h_max)
}

crate::keep::keep!(Limits { first_step, min_step, max_step, max_steps, max_rejections });

crate::keep::keep!(Statistics {
    accepted_steps,
    rejected_steps,
    derivative_evaluations,
    projections,
    leaps,
    smallest_step,
    largest_step,
    last_step
} if |count| {
    let steps = [count.accepted_steps, count.rejected_steps, count.leaps];
    crate::keep::are_counts(&steps) && crate::keep::are_counts(&[count.derivative_evaluations, count.projections])
});

crate::keep::keep!(Weights { tolerance, scale, cut, count });
