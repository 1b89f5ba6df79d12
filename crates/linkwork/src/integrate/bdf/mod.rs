//! Backward differentiation formulas of order 1 to 5 (Gear's method) for stiff constrained mechanics.
//!
//! The equations in stabilised form ([gear1985]): positions *and* velocities meet the constraints, with a second set of
//! multipliers μ that is zero in the exact solution,
//!
//! ```text
//!   (G1)  M q̇ = M v − Aᵀ μ,   M v̇ = f(t, q, v) − Aᵀ λ
//!   (G2)  Φ(t, q) = 0,   A v + Φ_t = 0
//! ```
//!
//! of index 2, so that formulas converge with their full order. A step of order k puts the slope at the end of the step of
//! the polynomial through the end and the k points before it in place of the rates. With p, p' and γ of
//! `history`, for points of any spacing,
//!
//! ```text
//!   (G3)  ẏ = p' + γ_k (y − p)
//! ```
//!
//! and (G1), (G2) are solved for the end (`newton`). Systems that offer y' = f(t, y) alone, as those in joint variables and in momenta do, are
//! solved as they are, and projected after the step (`dense`). The work W is a component like others, with the power at the end as its rate;
//! counters are set by what the place says.
//!
//! **Error.** (H6) of `history`, in the weights (C1) of `control`, over positions, velocities and work; velocities are filtered (N6). Multipliers are
//! algebraic: they may jump where forces do, they are not carried from step to step, and they do not take part. The work counts as one component among
//! all; to test it alone was tried, and the work of drivers, which has a multiplier in it, then took ten times the steps.
//!
//! **Order and step** (much as DASSL does, with estimates for uneven points). After a start the order rises and the step doubles with each step,
//! until an error speaks against it. Then, after k + 1 steps of one size, the order k − 1, k or k + 1 is taken that allows the longest next step,
//! (2E)^(−1/(k+1)), but k + 1 only if the terms T of (H6) fall up to there, and at once a lower one if they rise: this is how
//! oscillations that the formulas of order 3 and more would amplify are noticed. The step is left alone unless it can grow by a
//! quarter; it grows by at most 2.
//!
//! **Between steps** the polynomial through the end and k points before it. It meets both ends, and slopes to order k.

mod dense;
mod history;
pub(super) mod newton;

use super::control::{Evaluator, Failure, Weights};
use super::dop853::Dop853;
use super::method::{Method, Options, Tried};
use super::{Ends, Step, Stepper, System};
use dense::Dense;
use history::{Estimate, History, MAX_ORDER};
use newton::{Formula, Newton};

#[derive(Clone, Debug)]
pub(super) struct Bdf {
    history: History,
    newton: Newton,
    /// Of systems without [`Mechanics`](super::Mechanics).
    dense: Dense,
    order: usize,
    highest: usize,
    /// For a given order and step: what makes the points it starts from.
    starter: Option<Box<Dop853>>,
    /// Steps since order or step size changed.
    steady: usize,
    /// Whether the order still rises with every step after a start.
    rising: bool,
    /// Trials thrown away since the last step.
    failures: u32,
    /// (H6) of the orders 0 to 6 after a trial, as far as they are known.
    estimates: [Estimate; MAX_ORDER + 2],
    /// By what the step may grow after the one accepted last.
    growth: f64,
    /// Order of the last step, for what lies within it; 0 if the starter took it.
    last_order: usize,
    predicted: Vec<f64>,
    star: Vec<f64>,
    difference: Vec<f64>,
}

impl Stepper {
    /// Backward differentiation formulas (Gear's method), order and step by error control: for stiff systems. Needs
    /// [`System::mechanics`]; keeps positions and velocities on the constraints, and projects what is left after each step. The order
    /// is at most `highest`; up to 2 the formulas damp every oscillation, above they amplify some that are nearly undamped.
    ///
    /// # Panics
    /// If `highest` is not 1 to 5 or `tolerance` is not positive.
    pub fn bdf(n: usize, highest: usize, tolerance: f64) -> Self {
        Stepper::adaptive(n, Bdf::new(n, highest), tolerance)
    }

    /// The backward differentiation formula of one order with step `h` (s). The first steps, until there are enough points, are
    /// of a Runge–Kutta method of order 8.
    ///
    /// # Panics
    /// If `order` is not 1 to 5 or `h` is not positive.
    pub fn bdf_of_order(n: usize, order: usize, h: f64) -> Self {
        Stepper::fixed(n, Bdf::of_order(n, order), h)
    }
}

impl Bdf {
    /// Of the order that the options ask for, or of order 2 where the step is given.
    pub(super) fn stepper(n: usize, options: &Options) -> Stepper {
        let order = options.order.map(|order| order.clamp(1, MAX_ORDER));
        match options.fixed {
            true => Stepper::bdf_of_order(n, order.unwrap_or(2), options.step),
            false => Stepper::bdf(n, order.unwrap_or(MAX_ORDER), options.tolerance),
        }
    }

    /// Order, up to the highest, and step by error control.
    fn new(n: usize, highest: usize) -> Self {
        assert!((1..=MAX_ORDER).contains(&highest), "there are orders 1 to {MAX_ORDER}, not {highest}");
        Bdf {
            highest,
            history: History::new(n),
            newton: Newton::default(),
            dense: Dense::default(),
            order: 1,
            starter: None,
            steady: 0,
            rising: true,
            failures: 0,
            estimates: [Estimate::UNKNOWN; MAX_ORDER + 2],
            growth: 1.0,
            last_order: 1,
            predicted: vec![0.0; n],
            star: vec![0.0; n],
            difference: vec![0.0; n],
        }
    }

    /// One order throughout; the first points come from a Runge–Kutta method of order 8.
    fn of_order(n: usize, order: usize) -> Self {
        Bdf { order, starter: Some(Box::new(Dop853::new(n))), ..Bdf::new(n, order) }
    }

    /// (H6) after a trial that ended at `y_new`, filtered by (N6) or (E3).
    fn judge<S: System>(&mut self, step: &Step, weights: &Weights, y_new: &[f64], system: &mut S) {
        let change = &mut self.star; // not needed any more
        for ((change, y), p) in change.iter_mut().zip(y_new).zip(&self.predicted) {
            *change = y - p;
        }
        let (h, k) = (step.h, self.order);
        self.estimates = [Estimate::UNKNOWN; MAX_ORDER + 2];
        for j in k.saturating_sub(2).max(1)..=k + 1 {
            if !self.history.difference(h, k, j, change, &mut self.difference) {
                continue;
            }
            match system.mechanics() {
                Some(mechanics) => self.newton.filter(mechanics, &mut self.difference),
                None => self.dense.filter(&mut self.difference),
            }
            let mut sum = 0.0;
            for (i, d) in self.difference.iter().enumerate() {
                let x = d * weights.inverse(i, step.y[i].abs().max(y_new[i].abs()));
                sum += x * x;
            }
            self.estimates[j] = self.history.judge(h, j, (sum / weights.count).sqrt());
        }
    }

    /// By what the step may change for an error of a method of this order.
    fn longest(error: f64, order: usize) -> f64 {
        (2.0 * error).max(1e-10).powf(-1.0 / (order as f64 + 1.0))
    }

    /// Whether the terms say that a lower order does as well: they rise with the order.
    fn terms_rise(&self) -> bool {
        let (e, k) = (&self.estimates, self.order);
        match k {
            1 => false,
            2 => e[1].term <= 0.5 * e[2].term,
            _ => e[k - 1].term.max(e[k - 2].term) <= e[k].term,
        }
    }

    fn change_order(&mut self, order: usize) {
        self.order = order;
        self.steady = 0;
    }

    /// Order and growth after an accepted step.
    fn choose(&mut self) {
        let (e, k) = (self.estimates, self.order);
        let here = Self::longest(e[k].error, k);
        self.growth = 1.0;
        if self.terms_rise() && k > 1 {
            self.rising = false;
            self.change_order(k - 1);
            self.settle_growth(Self::longest(e[k - 1].error, k - 1).min(1.0));
            return;
        }
        if self.rising {
            if here >= 2.0 && k < self.highest {
                self.change_order(k + 1);
                self.growth = 2.0;
                return;
            }
            self.rising = false;
        }
        let mut best = (here, k);
        if self.steady > k {
            if k > 1 {
                let below = Self::longest(e[k - 1].error, k - 1);
                if below > best.0 {
                    best = (below, k - 1);
                }
            }
            let falls = e[k + 1].term < if k == 1 { 0.5 } else { 1.0 } * e[k].term;
            if k < self.highest && falls {
                let above = Self::longest(e[k + 1].error, k + 1);
                if above > best.0 {
                    best = (above, k + 1);
                }
            }
            if best.1 != k {
                self.change_order(best.1);
            }
            self.settle_growth(best.0);
        } else {
            self.settle_growth(best.0.min(1.0));
        }
    }

    /// A step that is nearly right is left alone.
    fn settle_growth(&mut self, factor: f64) {
        self.growth = match factor {
            f if f >= 1.25 => f.min(2.0),
            f if f < 1.0 => f.clamp(0.5, 0.9),
            _ => 1.0,
        };
        if self.growth != 1.0 {
            self.steady = 0;
        }
    }
}

impl Method for Bdf {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        let weights = step.weights;
        if let Some(starter) = &mut self.starter {
            if self.history.points() == 0 {
                self.history.begin_with_one(step.y);
            }
            if self.history.points() < self.order {
                self.last_order = 0;
                return starter.trial(f, step, y_new);
            }
        } else if self.last_order == 0 || self.history.points() == 0 {
            // nothing accepted yet since the start
            self.history.begin(step.h, step.y, step.dy);
            self.last_order = 0;
        }
        let fresh = self.last_order == 0 && self.starter.is_none();
        let k = self.order;
        let h = step.h;
        let beta = 1.0 / self.history.slope(h, k);
        self.history.predict(h, k, &mut self.predicted, &mut self.star);
        for (star, p) in self.star.iter_mut().zip(&self.predicted) {
            *star = p - beta * *star;
        }
        let formula = Formula { t: step.t + h, h, beta, predicted: &self.predicted, star: &self.star };
        let solved = match f.system.mechanics() {
            Some(mechanics) => {
                self.newton.begin(step.t, step.y, &mut *mechanics)?;
                self.newton.solve(&formula, mechanics, weights, f.statistics, y_new)
            }
            None => self.dense.solve(f, step, &formula, weights, y_new),
        };
        if let Err(failure) = solved {
            self.rising = false;
            self.steady = 0;
            if let Failure::NotFinite { t, .. } = failure {
                // a force that is to blame is reported by name
                f.derivative(t, y_new, &mut self.star)?;
            }
            return Err(failure);
        }
        let Some(weights) = weights else {
            self.last_order = k;
            return Ok(0.0);
        };
        self.judge(step, weights, y_new, f.system);
        let err = self.estimates[k].error;
        if err > 1.0 || err.is_nan() {
            self.rising = false;
            self.steady = 0;
            self.failures += 1;
            if self.failures >= 3 {
                self.change_order(1);
            } else if k > 1 && Self::longest(self.estimates[k - 1].error, k - 1) > Self::longest(err, k) {
                self.change_order(k - 1);
            }
        } else if !fresh {
            self.last_order = k;
        }
        Ok(err)
    }

    fn nodes(&self) -> &'static [f64] {
        &[1.0]
    }

    fn factor(&self, err: f64) -> f64 {
        if err <= 1.0 {
            return self.growth;
        }
        if err.is_nan() || self.failures > 1 {
            return 0.25;
        }
        let k = self.order;
        (0.9 * Self::longest(err, k)).clamp(0.25, 0.9)
    }

    fn plan<S: System>(&mut self, f: &mut Evaluator<S>, start: &Step, planned: f64) -> Tried<S, f64> {
        match start.weights {
            Some(weights) if self.history.points() == 0 => {
                Ok(first_step(f, start, weights, &mut self.predicted, &mut self.star).min(planned))
            }
            _ => Ok(planned),
        }
    }

    fn accept(&mut self, ends: &Ends) {
        let started = self.starter.is_some() && self.history.points() < self.order;
        self.history.push(ends.h, ends.y);
        self.failures = 0;
        if let Some(starter) = &mut self.starter {
            if started {
                starter.accept(ends);
            } else {
                self.newton.accept();
                self.dense.accept();
            }
            return;
        }
        self.newton.accept();
        self.dense.accept();
        self.last_order = self.last_order.max(1);
        self.steady += 1;
        self.choose();
    }

    fn restart(&mut self) {
        self.history.forget();
        self.newton.forget();
        self.dense.forget();
        if self.starter.is_none() {
            self.order = 1;
        }
        self.steady = 0;
        self.rising = true;
        self.failures = 0;
        self.growth = 1.0;
        self.last_order = 0;
    }

    fn prepare_dense<S: System>(&mut self, f: &mut Evaluator<S>, ends: &Ends) -> Tried<S> {
        match &mut self.starter {
            Some(starter) if self.last_order == 0 => starter.prepare_dense(f, ends),
            _ => Ok(()),
        }
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        match &self.starter {
            Some(starter) if self.last_order == 0 => starter.dense(ends, s, out),
            _ => self.history.interpolate((s - 1.0) * ends.h, self.last_order, out),
        }
    }
}

/// A first step whose error, h² |ÿ|/2 of order 1, is a thousandth of the tolerance: order and step rise from there at once,
/// and what is lower than the tolerance, as a last bounce, is not flattened. `y` and `dy` are scratch.
pub(super) fn first_step<S: System>(
    f: &mut Evaluator<S>,
    start: &Step,
    weights: &Weights,
    y: &mut [f64],
    dy: &mut [f64],
) -> f64 {
    let norm = |at: &dyn Fn(usize) -> f64| {
        let n = start.y.len();
        let sum: f64 = (0..n).map(|i| (at(i) * weights.inverse(i, start.y[i].abs())).powi(2)).sum();
        (sum / weights.count).sqrt()
    };
    // a ten-thousandth of the way to where everything has changed by its size
    let speed = norm(&|i| start.dy[i]) * weights.tolerance;
    let reach = start.h.abs();
    let h = if speed > 0.0 { 1e-4 / speed } else { 1e-6 }.min(reach).copysign(start.h);
    for i in 0..y.len() {
        y[i] = start.y[i] + h * start.dy[i];
    }
    if f.derivative(start.t + h, y, dy).is_err() {
        return 0.01 * h.abs();
    }
    let curvature = norm(&|i| (dy[i] - start.dy[i]) / h);
    let longest = 0.05 * curvature.sqrt().recip();
    if longest.is_finite() { longest.min(reach) } else { reach }
}

crate::keep::keep!(Bdf {
    history,
    newton,
    dense,
    order,
    highest,
    starter,
    steady,
    rising,
    failures,
    estimates,
    growth,
    last_order,
    predicted,
    star,
    difference
} if |bdf| (1..=MAX_ORDER).contains(&bdf.order) && bdf.last_order <= MAX_ORDER);
