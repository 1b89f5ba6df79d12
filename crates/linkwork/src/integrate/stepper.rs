//! The loop around one step: trial, error test, projection, acceptance; and the grid of a given step.
//!
//! Under error control the last step is stretched by up to a hundredth, or cut, to end at t_end; t is then
//! *set* to t_end, so that it is met exactly in floating point. Step times of a given step h are
//!
//! ```text
//!   (S1)  t_k = t₀ + k h,  k < n;   t_n = t_end,   n = ⌈(1 − 10⁻⁹) |t_end − t₀| / h⌉
//! ```
//!
//! so that roundings do not add up and a duration that is meant to be a multiple of h gets no sliver of
//! a step at its end. The last step is shortened only where it differs from h by more than roundings of t.

use super::control::{self, Evaluator, Failure, Limits, Statistics, StepError, StepOutcome, Weights};
use super::inspect::{Inspector, Trial, Trusting, Verdict};
use super::method::Method;
use super::passage::Passage;
use super::{AnyMethod, Ends, Step, System};
use crate::keep::{Bytes, Damaged, Keep, keep};
use std::mem::swap;

/// Advances a [`System`] step by step. Holds its whole state in plain data: a clone is a checkpoint, and [`Keep`] turns it into bytes and back.
#[derive(Clone, Debug)]
pub struct Stepper {
    method: AnyMethod,
    control: Control,
    limits: Limits,
    projection: bool,
    statistics: Statistics,
    weights: Weights,
    t_old: f64,
    t: f64,
    t_end: f64,
    /// A time before the end at which a step is to end; infinite for none.
    landing: f64,
    /// Signed size of the last trial step.
    h_tried: f64,
    /// Signed size of the last step; t − t_old up to roundings.
    h: f64,
    y_old: Vec<f64>,
    dy_old: Vec<f64>,
    y: Vec<f64>,
    dy: Vec<f64>,
    /// The trial step's end. Holds nothing between calls.
    y_new: Vec<f64>,
    dy_new: Vec<f64>,
    /// The trial step's end before it was projected.
    y_raw: Vec<f64>,
    passage: Passage,
    /// A stage on the invariants. Holds nothing between calls.
    y_on: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Control {
    /// The size of the next trial step.
    Adaptive { h_next: f64 },
    /// (S1): the size h, t₀, steps taken since then, and how many there will be.
    Fixed { h: f64, origin: f64, k: u64, n: u64 },
}

/// Reason for the rejection of a trial step.
enum Rejection<E> {
    ErrorTest(f64),
    /// (C3): how far the projection moved the end.
    Leap(f64),
    /// An inspector wants this part of it.
    Shorten(f64),
    Failure(Failure<E>),
}

/// A projection after a step of a given size that moves the state by more than this part of it is counted as a leap.
const FAR: f64 = 0.01;
/// A landing this part of a given step beside a time of (S1) is that time.
const ON_GRID: f64 = 1e-9;

impl Stepper {
    /// Steps of `method` by error control; projects after each step.
    pub(super) fn adaptive(n: usize, method: impl Into<AnyMethod>, tolerance: f64) -> Self {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "tolerance must be positive, not {tolerance}");
        Stepper::new(n, method.into(), Control::Adaptive { h_next: 0.0 }, tolerance)
    }

    /// Steps of `method` of the size `h` (s); projects after each step.
    pub(super) fn fixed(n: usize, method: impl Into<AnyMethod>, h: f64) -> Self {
        Stepper::new(n, method.into(), Control::fixed(h), 1.0)
    }

    fn new(n: usize, method: AnyMethod, control: Control, tolerance: f64) -> Self {
        let zeros = || vec![0.0; n];
        Stepper {
            method,
            control,
            limits: Limits::default(),
            projection: true,
            statistics: Statistics::default(),
            weights: Weights::new(n, tolerance),
            t_old: 0.0,
            t: 0.0,
            t_end: 0.0,
            landing: f64::INFINITY,
            h_tried: 0.0,
            h: 0.0,
            y_old: zeros(),
            dy_old: zeros(),
            y: zeros(),
            dy: zeros(),
            y_new: zeros(),
            dy_new: zeros(),
            y_raw: zeros(),
            passage: Passage::default(),
            y_on: zeros(),
        }
    }

    /// Whether each step ends with [`System::project`].
    #[must_use]
    pub fn with_projection(mut self, projection: bool) -> Self {
        self.projection = projection;
        self
    }

    /// Steps of the size `h` (s) throughout, whatever the method: nothing is said about errors, and the first failure
    /// is reported. A tolerance is then only what implicit methods solve their equations to.
    ///
    /// # Panics
    /// If `h` is not positive.
    #[must_use]
    pub fn with_step(mut self, h: f64) -> Self {
        self.control = Control::fixed(h);
        self
    }

    /// When to give up, and bounds on the step.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Begins a run at (t0, y0) that is to end at `t_end`, with fresh statistics. Evaluates y' there and,
    /// under error control, once nearby to choose a first step. `y0` is taken as it is, not projected.
    ///
    /// # Errors
    /// [`StepError::System`] and [`StepError::NotFinite`] if y0 or y' there is bad.
    ///
    /// # Panics
    /// If the dimensions of the stepper, the system and `y0` differ, or a time is not finite.
    pub fn start<S: System>(
        &mut self,
        system: &mut S,
        t0: f64,
        y0: &[f64],
        t_end: f64,
    ) -> Result<(), StepError<S::Error>> {
        assert_eq!(system.dimension(), self.y.len(), "the stepper was made for another dimension");
        assert!(t_end.is_finite(), "the end of the run must be finite, not {t_end}");
        self.statistics = Statistics::default();
        self.weights.read(system);
        self.method.begin(&self.weights);
        self.t_end = t_end;
        self.restart(system, t0, y0)
    }

    /// Goes on from (t, y) to the same end with the same statistics: after an impact, say, which changed
    /// y at a time inside the last step. A given step is counted from here.
    ///
    /// # Errors and panics
    /// As [`start`](Self::start).
    pub fn restart<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
    ) -> Result<(), StepError<S::Error>> {
        assert!(t.is_finite(), "time must be finite, not {t}");
        self.t = t;
        self.y.copy_from_slice(y);
        self.method.restart();
        let stretch = [t, self.t_end];
        let mut f = Evaluator { system, statistics: &mut self.statistics, stretch, guard: None };
        control::check_finite(t, y)?;
        f.derivative(t, &self.y, &mut self.dy)?;
        if self.watches() {
            self.passage.begin(system);
        }
        (self.h, self.h_tried) = (0.0, 0.0);
        self.forget_last_step();

        let reach = self.t_end - t;
        if let Control::Adaptive { h_next } = &mut self.control {
            let h_max = reach.abs().min(self.limits.max_step);
            *h_next = match self.limits.first_step {
                _ if reach == 0.0 => 0.0,
                Some(h) => h.min(h_max),
                None => {
                    let h = h_max.copysign(reach);
                    let weights = Some(&self.weights);
                    let start = Step { t, t_new: t + h, h, y: &self.y, dy: &self.dy, weights };
                    let stretch = [self.t, self.t_end];
                    let mut f = Evaluator { system, statistics: &mut self.statistics, stretch, guard: None };
                    let order = self.method.order();
                    let (y, dy) = (&mut self.y_new, &mut self.dy_new);
                    control::first_step(&mut f, &start, &self.weights, order, y, dy)
                }
            };
        }
        self.plan_grid();
        Ok(())
    }

    /// Goes on from another state at the present time: an input was set. The step that was planned is tried.
    ///
    /// # Errors and panics
    /// As [`start`](Self::start).
    pub fn revise<S: System>(&mut self, system: &mut S, y: &[f64]) -> Result<(), StepError<S::Error>> {
        let first = self.limits.first_step;
        if let Control::Adaptive { h_next } = self.control
            && h_next > 0.0
        {
            self.limits.first_step = Some(h_next);
        }
        let restarted = self.restart(system, self.t, y);
        self.limits.first_step = first;
        restarted
    }

    /// Goes on from the present state with the method and the tolerance of `other`, which was made for the same dimension. End, limits, projection and statistics stay.
    /// The first trial step has the size `h` (s), unless the method shows its own.
    ///
    /// # Errors and panics
    /// As [`start`](Self::start).
    pub(crate) fn exchange<S: System>(
        &mut self,
        system: &mut S,
        other: Stepper,
        h: f64,
    ) -> Result<(), StepError<S::Error>> {
        assert_eq!(other.y.len(), self.y.len(), "the other stepper was made for another dimension");
        let (t, y) = (self.t, std::mem::take(&mut self.y));
        *self = Stepper {
            limits: self.limits,
            projection: self.projection,
            statistics: self.statistics,
            t_end: self.t_end,
            landing: self.landing,
            ..other
        };
        self.weights.read(system);
        self.method.begin(&self.weights);
        self.restart(system, t, &y)?;
        let reach = (self.t_end - t).abs().min(self.limits.max_step);
        if let Control::Adaptive { h_next } = &mut self.control {
            *h_next = h.abs().min(reach);
        }
        Ok(())
    }

    /// Whether components of a step depend on each other through y' alone, so that systems side by side do not mix.
    pub(crate) fn is_componentwise(&self) -> bool {
        self.method.is_componentwise()
    }

    /// Cost of the run so far in linear algebra of implicit steps, in floating-point operations.
    pub(crate) fn effort(&self) -> f64 {
        self.method.effort()
    }

    /// Counts evaluations that were made to judge the method.
    pub(crate) fn charge(&mut self, evaluations: u64) {
        self.statistics.derivative_evaluations += evaluations;
    }

    /// Moves the end of the run and keeps everything else. A given step is counted from here.
    ///
    /// # Panics
    /// If `t_end` is not finite.
    pub fn set_end(&mut self, t_end: f64) {
        assert!(t_end.is_finite(), "the end of the run must be finite, not {t_end}");
        self.t_end = t_end;
        if let Control::Adaptive { h_next } = &mut self.control
            && *h_next == 0.0
        {
            // started with nowhere to go: no size is known yet
            *h_next = f64::min(1e-6, (t_end - self.t).abs());
        }
        self.plan_grid();
    }

    /// Steps stay below this from now on, s.
    pub(crate) fn set_longest(&mut self, h: f64) {
        self.limits.max_step = h;
    }

    /// A step is to end at a time on the way, which changes nothing else: under error control the step there is cut or stretched, and the one after it has the size
    /// that was planned. A given step is cut, and counted from there, unless the time is one of (S1) up to 10⁻⁹ h: then that is where the step ends.
    pub fn land_on(&mut self, t: f64) {
        self.landing = t;
    }

    /// Whether the present time is the one to land on, or one of (S1) next to it.
    pub fn has_landed(&self) -> bool {
        match self.control {
            Control::Adaptive { .. } => self.t >= self.landing,
            Control::Fixed { h, .. } => self.t >= self.landing - ON_GRID * h,
        }
    }

    /// The next step has the size `h` (s), whatever its error; it ends at the end of the run if it reaches it, to 10⁻⁹ of `h`. Steps stay given from now on: dictate each.
    pub(crate) fn dictate(&mut self, h: f64) {
        let reach = (self.t_end - self.t).abs();
        let n = if h * (1.0 + ON_GRID) >= reach { 1 } else { 2 };
        self.control = Control::Fixed { h: h.min(reach), origin: self.t, k: 0, n };
    }

    /// Time that steps under error control lead to, s.
    fn goal(&self) -> f64 {
        if self.t < self.landing && self.landing < self.t_end { self.landing } else { self.t_end }
    }

    /// (S1) from the present time.
    fn plan_grid(&mut self) {
        if let Control::Fixed { h, origin, k, n } = &mut self.control {
            *origin = self.t;
            *k = 0;
            *n = grid_steps(*h, self.t_end - self.t);
        }
    }

    /// One accepted step, never beyond the end, which is met exactly. Does nothing there.
    ///
    /// # Errors
    /// Any [`StepError`]. The stepper then stays at the last good (t, y), and nothing before t can be
    /// interpolated any more.
    pub fn step<S: System>(&mut self, system: &mut S) -> Result<StepOutcome, StepError<S::Error>> {
        self.step_inspected(system, &mut Trusting)
    }

    /// As [`step`](Self::step), with an inspector that looks into every trial step under error control before it is accepted.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_inspected<S: System, I: Inspector<S>>(
        &mut self,
        system: &mut S,
        inspector: &mut I,
    ) -> Result<StepOutcome, StepError<S::Error>> {
        if !self.is_finished() {
            if self.statistics.accepted_steps >= self.limits.max_steps {
                let steps = self.statistics.accepted_steps;
                return Err(StepError::TooManySteps { t: self.t, t_end: self.t_end, h: self.h.abs(), steps });
            }
            let result = match self.control {
                Control::Adaptive { h_next } => self.step_adaptive(system, h_next, inspector),
                Control::Fixed { h, origin, k, n } => self.step_fixed(system, h, origin, k + 1, n),
            };
            if result.is_err() {
                self.forget_last_step();
            }
            result?;
        }
        Ok(if self.is_finished() { StepOutcome::Finished } else { StepOutcome::Advanced })
    }

    fn step_adaptive<S: System, I: Inspector<S>>(
        &mut self,
        system: &mut S,
        planned: f64,
        inspector: &mut I,
    ) -> Result<(), StepError<S::Error>> {
        let goal = self.goal();
        let reach = goal - self.t;
        let smallest = self.limits.min_step.max(rounding(self.t));
        let weights = Some(&self.weights);
        let start = Step { t: self.t, t_new: goal, h: reach, y: &self.y, dy: &self.dy, weights };
        let stretch = [self.t, self.t_end];
        let mut f = Evaluator { system, statistics: &mut self.statistics, stretch, guard: None };
        let planned = self.method.plan(&mut f, &start, planned)?;
        let mut size = planned.min(self.limits.max_step);
        let mut in_a_row = 0;
        loop {
            let wanted = size;
            let reaches = size.min(reach.abs());
            size = self.passage.fit(self.method.nodes(), self.t, reach.signum(), reaches);
            let fitted = size < reaches;
            if !fitted {
                size = wanted;
            }
            let last =
                size >= reach.abs() || (1.01 * size >= reach.abs() && reach.abs() <= self.limits.max_step);
            if !last && size <= smallest {
                return Err(StepError::StepTooSmall { t: self.t, h: size });
            }
            let last = last && !fitted;
            let cut_short = fitted || (last && reach.abs() < size);
            let h = if last { reach } else { size.copysign(reach) };
            let t_new = if last { goal } else { self.t + h };
            let attempt = self.attempt(system, h, t_new);
            let rejection =
                match attempt.and_then(|err| self.inspect(system, h, t_new, inspector).map(|()| err)) {
                    Ok(err) => {
                        self.accept(h, t_new, cut_short);
                        self.watch(system)?;
                        let mut next = h.abs() * self.method.factor(err);
                        if cut_short {
                            next = next.max(wanted); // a short step says nothing against the size planned
                        }
                        if in_a_row > 0 {
                            next = next.min(if fitted { wanted } else { h.abs() });
                        }
                        self.control = Control::Adaptive { h_next: next };
                        return Ok(());
                    }
                    Err(rejection) => rejection,
                };

            self.statistics.rejected_steps += 1;
            in_a_row += 1;
            let error = if let Rejection::ErrorTest(err) = &rejection { Some(*err) } else { None };
            let again = self.passage.reject(error, self.weights.tolerance, h.abs(), wanted);
            let shorter = h.abs()
                * match &rejection {
                    Rejection::ErrorTest(err) => self.method.factor(*err),
                    Rejection::Leap(_) => 0.25,
                    Rejection::Shorten(part) => *part,
                    Rejection::Failure(failure) => failure.reduction(),
                };
            size = again.unwrap_or(shorter);
            if size <= smallest || in_a_row >= self.limits.max_rejections {
                return Err(match rejection {
                    Rejection::Failure(failure) => failure.into(),
                    Rejection::Leap(distance) => StepError::Branches { t: self.t, h: h.abs(), distance },
                    Rejection::ErrorTest(_) | Rejection::Shorten(_) if size <= smallest => {
                        StepError::StepTooSmall { t: self.t, h: size }
                    }
                    Rejection::ErrorTest(_) | Rejection::Shorten(_) => {
                        StepError::TooManyRejections { t: self.t, h: h.abs(), in_a_row }
                    }
                });
            }
        }
    }

    fn step_fixed<S: System>(
        &mut self,
        system: &mut S,
        size: f64,
        origin: f64,
        k: u64,
        n: u64,
    ) -> Result<(), StepError<S::Error>> {
        let reach = self.t_end - self.t;
        let given = size.copysign(reach);
        let last = k >= n;
        let roundings = rounding(self.t_end).max(rounding(self.t));
        if !last && size < roundings {
            return Err(StepError::StepTooSmall { t: self.t, h: size });
        }
        let cut_short = last && is_cut(given, reach, self.t, self.t_end);
        let h = if cut_short { reach } else { given };
        let t_new = if last { self.t_end } else { origin + k as f64 * given };
        if self.t < self.landing && self.landing < t_new - ON_GRID * size {
            return self.step_off_grid(system, size);
        }
        match self.attempt(system, h, t_new) {
            Ok(_) => {
                self.accept(h, t_new, cut_short);
                self.control = Control::Fixed { h: size, origin, k, n };
                Ok(())
            }
            Err(rejection) => Err(rejection.of_given_step()),
        }
    }

    /// A given step that is cut to end at the landing; (S1) is counted from there.
    fn step_off_grid<S: System>(&mut self, system: &mut S, size: f64) -> Result<(), StepError<S::Error>> {
        let (t_new, h) = (self.landing, self.landing - self.t);
        if h < rounding(self.t) {
            // nothing that f could tell apart
            self.t = t_new;
        } else {
            self.attempt(system, h, t_new).map_err(Rejection::of_given_step)?;
            self.accept(h, t_new, true);
        }
        self.control = Control::fixed(size);
        self.plan_grid();
        Ok(())
    }

    /// Whether passages are looked out for.
    fn watches(&self) -> bool {
        let adaptive = matches!(self.control, Control::Adaptive { .. });
        adaptive && self.projection && !self.method.nodes().is_empty()
    }

    /// Looks at the end of the step that was accepted.
    fn watch<S: System>(&mut self, system: &mut S) -> Result<(), StepError<S::Error>> {
        if !self.watches() {
            return Ok(());
        }
        if self.method.rates().is_some() {
            let t = self.t;
            system
                .evaluate_independence(t, &self.y, &mut self.dy_new)
                .map_err(|source| StepError::System { t, source })?;
        }
        self.passage.accept(system, self.t_old, self.t);
        Ok(())
    }

    /// (I1), the error test, (I2), (I3): from (t, y) into `y_new`, `dy_new`. Gives the error.
    fn attempt<S: System>(&mut self, system: &mut S, h: f64, t_new: f64) -> Result<f64, Rejection<S::Error>> {
        self.h_tried = h;
        let stretch = [self.t, self.t_end];
        let guard = self.passage.guarded.then_some(&mut self.y_on[..]);
        let mut f = Evaluator { system, statistics: &mut self.statistics, stretch, guard };
        let allowed = if self.passage.guarded { self.passage.allowed } else { 1.0 };
        let t_new = control::before_end(t_new, stretch);
        let weights = matches!(self.control, Control::Adaptive { .. }).then_some(&self.weights);
        let step = Step { t: self.t, t_new, h, y: &self.y, dy: &self.dy, weights };
        let y_new = &mut self.y_new;
        let err = self.method.trial(&mut f, &step, y_new)? / allowed;
        control::check_finite(t_new, y_new)?;
        if err > 1.0 || err.is_nan() {
            return Err(Rejection::ErrorTest(err));
        }
        if let Some(rates) = self.method.rates() {
            self.dy_new.copy_from_slice(rates);
            control::check_finite(t_new, &self.dy_new)?;
        } else if self.projection {
            self.y_raw.copy_from_slice(y_new);
            f.project(t_new, y_new, &mut self.dy_new)?;
            match weights {
                Some(weights) => {
                    let distance = weights.distance(&self.y_raw, y_new);
                    if distance > weights.farthest_projection() {
                        self.statistics.leaps += 1;
                        return Err(Rejection::Leap(distance));
                    }
                }
                // a given step is not changed, but what it did is counted
                None => {
                    let far = self.weights.distance(&self.y_raw, y_new) * self.weights.tolerance > FAR;
                    self.statistics.leaps += u64::from(far);
                }
            }
        } else {
            f.derivative(t_new, y_new, &mut self.dy_new)?;
        }
        let Some(weights) = weights else { return Ok(0.0) };
        let err = self.method.judge(&step, y_new, &self.dy_new, weights, err * allowed) / allowed;
        if err > 1.0 || err.is_nan() { Err(Rejection::ErrorTest(err)) } else { Ok(err) }
    }

    /// Shows a trial that has passed to an inspector, and leaves the system where the trial ended.
    fn inspect<S: System, I: Inspector<S>>(
        &mut self,
        system: &mut S,
        h: f64,
        t_new: f64,
        inspector: &mut I,
    ) -> Result<(), Rejection<S::Error>> {
        let ends =
            Ends { t_old: self.t, h, y_old: &self.y, dy_old: &self.dy, y: &self.y_new, dy: &self.dy_new };
        let trial = Trial { method: &self.method, ends, weights: &self.weights };
        match inspector.inspect(system, &trial) {
            Verdict::Calm => Ok(()),
            Verdict::Shorten(part, evaluations) => {
                self.statistics.derivative_evaluations += evaluations;
                Err(Rejection::Shorten(part.clamp(0.02, 0.9)))
            }
            Verdict::Looked(evaluations) => {
                self.statistics.derivative_evaluations += evaluations;
                let stretch = [self.t, self.t_end];
                let mut f = Evaluator { system, statistics: &mut self.statistics, stretch, guard: None };
                f.derivative(t_new, &self.y_new, &mut self.y_raw)?;
                Ok(())
            }
        }
    }

    fn accept(&mut self, h: f64, t_new: f64, cut_short: bool) {
        swap(&mut self.y_old, &mut self.y);
        swap(&mut self.y, &mut self.y_new);
        swap(&mut self.dy_old, &mut self.dy);
        swap(&mut self.dy, &mut self.dy_new);
        self.t_old = self.t;
        self.t = t_new;
        self.h = h;
        self.statistics.accept(h.abs(), cut_short);
        let ends = Ends {
            t_old: self.t_old,
            h: self.h,
            y_old: &self.y_old,
            dy_old: &self.dy_old,
            y: &self.y,
            dy: &self.dy,
        };
        self.method.accept(&ends);
    }

    /// Leaves (t, y) as all there is.
    fn forget_last_step(&mut self) {
        self.t_old = self.t;
        self.y_old.copy_from_slice(&self.y);
        self.dy_old.copy_from_slice(&self.dy);
    }

    /// The solution at a time `t` inside the last step, into `y`. At both ends it is exactly what the
    /// stepper holds there. The first call after a step of Dormand–Prince costs three evaluations.
    ///
    /// Between the ends the invariants hold to the order of the interpolation only.
    ///
    /// # Errors
    /// [`StepError::Outside`] if `t` is not between [`t_old`](Self::t_old) and [`t`](Self::t); [`StepError::System`] or [`StepError::NotFinite`] from those
    /// evaluations.
    pub fn interpolate<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &mut [f64],
    ) -> Result<(), StepError<S::Error>> {
        if t == self.t {
            y.copy_from_slice(&self.y);
            return Ok(());
        }
        let s = (t - self.t_old) / (self.t - self.t_old);
        if !(0.0..=1.0).contains(&s) {
            return Err(StepError::Outside { t, from: self.t_old, to: self.t });
        }
        if t == self.t_old {
            y.copy_from_slice(&self.y_old);
            return Ok(());
        }
        let ends = Ends {
            t_old: self.t_old,
            h: self.h,
            y_old: &self.y_old,
            dy_old: &self.dy_old,
            y: &self.y,
            dy: &self.dy,
        };
        let stretch = [self.t_old, self.t_end];
        let guard = self.passage.was_guarded.then_some(&mut self.y_on[..]);
        let mut f = Evaluator { system, statistics: &mut self.statistics, stretch, guard };
        self.method.prepare_dense(&mut f, &ends)?;
        self.method.dense(&ends, s, y);
        Ok(())
    }

    /// Whether the run has reached its end.
    pub fn is_finished(&self) -> bool {
        self.t == self.t_end
    }

    /// End of the run, s.
    pub fn t_end(&self) -> f64 {
        self.t_end
    }

    /// Start of the last step, s; [`t`](Self::t) if there was none.
    pub fn t_old(&self) -> f64 {
        self.t_old
    }

    /// The present time, s.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// The last step, s, negative if time runs backwards; 0 after a start.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// The state where the last step began.
    pub fn y_old(&self) -> &[f64] {
        &self.y_old
    }

    /// The present state.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// y' where the last step began.
    pub fn dy_old(&self) -> &[f64] {
        &self.dy_old
    }

    /// y' at present.
    pub fn dy(&self) -> &[f64] {
        &self.dy
    }

    /// The size of the last trial step, s, accepted or not.
    pub fn h_tried(&self) -> f64 {
        self.h_tried.abs()
    }

    /// After a step that failed: the component that the last trial led furthest from its tangent, as errors are measured; the one that changes
    /// fastest if no step was short enough to be tried. What is not a number is furthest of all.
    pub fn restless(&self) -> Option<usize> {
        let bend = |i: usize| {
            let size = self.weights.inverse(i, self.y[i].abs());
            let straight = self.y[i] + self.h_tried * self.dy[i];
            // what chose the first step has looked ahead
            let ahead = self.dy_new[i] - self.dy[i];
            let off = if self.h_tried == 0.0 { ahead } else { self.y_new[i] - straight };
            let bend = (off * size).abs();
            if bend.is_nan() { f64::INFINITY } else { bend }
        };
        // of those that overflow alike, the one whose derivative is largest
        let order = |a: &(usize, f64), b: &(usize, f64)| {
            a.1.total_cmp(&b.1).then(self.dy_new[a.0].abs().total_cmp(&self.dy_new[b.0].abs()))
        };
        (0..self.y.len()).map(|i| (i, bend(i))).filter(|(_, bend)| *bend > 0.0).max_by(order).map(|(i, _)| i)
    }

    /// The component that the last step led furthest from its tangent, as errors are measured.
    pub(crate) fn bent(&self) -> Option<usize> {
        let bend = |i: usize| {
            let straight = self.y_old[i] + self.h * self.dy_old[i];
            ((self.y[i] - straight) * self.weights.inverse(i, self.y[i].abs())).abs()
        };
        let parts = (0..self.y.len()).map(|i| (i, bend(i))).filter(|(_, bend)| *bend > 0.0);
        parts.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    }

    /// Cost of the run.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

impl Control {
    /// Times that it keeps, s.
    fn times(&self) -> [f64; 2] {
        match *self {
            Control::Adaptive { h_next } => [h_next, 0.0],
            Control::Fixed { h, origin, .. } => [h, origin],
        }
    }

    fn fixed(h: f64) -> Self {
        assert!(h > 0.0 && h.is_finite(), "the step must be positive, not {h} s");
        Control::Fixed { h, origin: 0.0, k: 0, n: 0 }
    }
}

impl<E> Rejection<E> {
    /// The error that ends a run of given steps.
    fn of_given_step(self) -> StepError<E> {
        match self {
            Rejection::Failure(failure) => failure.into(),
            Rejection::ErrorTest(_) | Rejection::Leap(_) | Rejection::Shorten(_) => {
                unreachable!("a given step is not tested")
            }
        }
    }
}

impl<E> From<Failure<E>> for Rejection<E> {
    fn from(failure: Failure<E>) -> Self {
        Rejection::Failure(failure)
    }
}

/// (S1) from 0 to `t_end` > 0: how many steps of the size `h`, and the size of the last one.
pub(crate) fn given_steps(h: f64, t_end: f64) -> (u64, f64) {
    let n = grid_steps(h, t_end);
    let t = n.saturating_sub(1) as f64 * h;
    let reach = t_end - t;
    (n, if is_cut(h, reach, t, t_end) { reach } else { h })
}

/// How many steps of (S1) there are over a reach.
fn grid_steps(h: f64, reach: f64) -> u64 {
    ((1.0 - 1e-9) * reach.abs() / h).ceil() as u64
}

/// Whether a last step differs from a given one by more than roundings.
fn is_cut(given: f64, reach: f64, t: f64, t_end: f64) -> bool {
    (reach - given).abs() > rounding(t_end).max(rounding(t))
}

/// The smallest step that still advances `t` well: 16 roundings, so that stages fall on different times.
fn rounding(t: f64) -> f64 {
    16.0 * f64::EPSILON * t.abs()
}

keep!(Stepper {
    method,
    control,
    limits,
    projection,
    statistics,
    weights,
    t_old,
    t,
    t_end,
    h_tried,
    h,
    y_old,
    dy_old,
    y,
    dy,
    y_new,
    dy_new,
    y_raw,
    passage
} but { y_on, landing } if |stepper| {
    let times = [stepper.t_old, stepper.t, stepper.t_end, stepper.h];
    times.into_iter().chain(stepper.control.times()).all(f64::is_finite)
});

impl Keep for Control {
    fn keep(&self, to: &mut Vec<u8>) {
        match self {
            Control::Adaptive { h_next } => (0_u8, *h_next).keep(to),
            Control::Fixed { h, origin, k, n } => (1_u8, ([*h, *origin], [*k, *n])).keep(to),
        }
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        let mut tag = 0_u8;
        tag.recall(from)?;
        match (tag, self) {
            (0, Control::Adaptive { h_next }) => h_next.recall(from),
            (1, Control::Fixed { h, origin, k, n }) => {
                h.recall(from)?;
                origin.recall(from)?;
                k.recall(from)?;
                n.recall(from)
            }
            _ => Err(Damaged),
        }
    }
}
