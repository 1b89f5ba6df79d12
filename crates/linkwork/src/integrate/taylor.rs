//! Taylor's method: the power series of the solution, summed up. Any order p.
//!
//! ```text
//!   (Y1)  y⁺ = Σ_{k=0..r} y_k hᵏ                                    by Horner's rule; r = p but for (Y4)
//!   (Y2)  ‖y_k‖ = max_i |y_k,i| / w_i                               w: the weights (C1) of `control`
//!   (Y3)  h_k = 0.9 min(‖y_{k−1}‖^(−1/(k−1)), ‖y_k‖^(−1/k)),  h = h_p
//! ```
//!
//! (Y3) makes the last two terms as large as the tolerance allows; what is cut off is smaller by h over the radius of convergence. Two
//! terms, because every other one vanishes in many motions. The series shows its step before it is taken, so hardly any trial is
//! rejected.
//!
//! **Roundings.** The radius of convergence cannot shrink by more than the step that was taken, which is a small part of it. Near
//! a singular position, which the motion passes smoothly, h_p falls nevertheless: errors of 1e-15 in the state grow from order to
//! order by the inverse of the time ρ to or from there. Shorter and shorter steps would end nearer and nearer to it, where not even
//! velocities are known. So it is stepped over, with the terms that are good: as in an asymptotic series up to the smallest one,
//!
//! ```text
//!   (Y4)  where h_p < 0.7 of the last step:   h = min(2ρ, 0.7 of the last step),  ρ = ‖y_{p−1}‖ / ‖y_p‖,  r = argmin_k ‖y_k‖ hᵏ
//! ```
//!
//! if h_p does not reach beyond 1.2ρ by itself, and the last term stays below a thousand tolerances, or 1e-8. Before
//! that the series is worked out again to all digits.
//!
//! **What a series does not show.** A friction that turns round is invisible to a series that begins far from there. Where the system
//! [`conceals`](super::Series::conceals) such things, the forces by their series are compared with the forces themselves, on the motion
//! that the series gives, at places all over the step:
//!
//! ```text
//!   (Y5)  |h| max_j ‖M⁻¹ (Σ_{k<r} f_k τ_jᵏ − f(t + τ_j, Σ y_k τ_jᵏ))‖ ≤ p + 1,   τ_j = j h / 8,   else the step is tried again
//! ```
//!
//! M⁻¹ stands for the accelerations that forces cause under the constraints, with the factor of the start. For a series that holds, the left side is about
//! p + 1 times the local error. No y' is evaluated at the end: near singular positions it is known to few digits only, and a step that ends there would
//! never pass. What is narrower than an eighth of the step is for the [`Inspector`](super::Inspector) to find.
//!
//! **Between steps** the polynomial itself, with what the projection moved at the end blended in by s² (3 − 2s).
//!
//! **Where coefficients are not finite** (the root of a length that vanishes here) one step of Dormand–Prince is taken instead.

use super::control::{Evaluator, Failure, Weights, check_finite};
use super::dop853::Dop853;
use super::method::{Method, Tried};
use super::{Ends, Step, Stepper, System};

/// Orders that make sense.
pub const TAYLOR_ORDERS: std::ops::RangeInclusive<usize> = 8..=24;

/// Places of (Y5).
const PLACES: usize = 8;
/// After a step that (Y5) has shortened, the next one is at most this much longer.
const LONGER: f64 = 4.0;

/// A step that shrinks to less than this part of the last one is not that of the radius of convergence.
const SHRINKS: f64 = 0.7;
/// Series are not cut off before this.
const LOWEST: usize = 3;
/// What (Y4) may cost, in tolerances, or relative to the sizes.
const NOISE: (f64, f64) = (1e3, 1e-8);
/// The part of a step's error that solving for the coefficients may cause, and what is good enough for any of them.
const SOLVED: (f64, f64) = (1e-3, 1e-10);

/// The order that suits a tolerance: six more than its digits, as measured on chains and loops. It matters little.
pub fn taylor_order(tolerance: f64) -> usize {
    let mut digits = 0.0;
    let mut power = 1.0;
    while power > tolerance && digits < 20.0 {
        power *= 0.1;
        digits += 1.0;
    }
    (digits as usize + 6).clamp(*TAYLOR_ORDERS.start(), *TAYLOR_ORDERS.end())
}

#[derive(Clone, Debug)]
pub(super) struct Taylor {
    order: usize,
    n: usize,
    /// y_0..y_p, one after the other.
    c: Vec<f64>,
    /// Whether they belong to the start of the next step.
    ready: bool,
    /// y⁺ before the projection.
    end: Vec<f64>,
    /// For places without a series.
    rescue: Dop853,
    rescued: bool,
    conceals: bool,
    /// r
    used: usize,
    /// How large its term may be, in tolerances.
    allowed: f64,
    /// How accurate each coefficient has to be, once the tolerance is known.
    wanted: Vec<f64>,
    /// Size of the last step; 0 if there was none.
    last: f64,
    /// What (Y5) allows for the next step, s.
    limit: f64,
    /// Whether (Y5) rejected a trial of this step.
    gapped: bool,
    /// (Y5): how far y' is off.
    gap: Vec<f64>,
}

impl Stepper {
    /// Taylor's method of the given order for `n` components, with the local error of each step held below `tolerance` relative to
    /// [`System::error_scale`]. Projects after each step. The system must have [`System::series`] of this order;
    /// [`taylor_order`] tells which one suits a tolerance.
    ///
    /// # Panics
    /// If `tolerance` is not positive or the order is below 2.
    pub fn taylor(n: usize, tolerance: f64, order: usize) -> Self {
        Stepper::adaptive(n, Taylor::new(n, order), tolerance)
    }

    /// Taylor's method of the given order with step `h` (s). Projects after each step.
    ///
    /// # Panics
    /// If `h` is not positive or the order is below 2.
    pub fn taylor_fixed(n: usize, h: f64, order: usize) -> Self {
        Stepper::fixed(n, Taylor::new(n, order), h)
    }
}

impl Taylor {
    fn new(n: usize, order: usize) -> Self {
        assert!(order >= 2, "a series needs two terms at least");
        Taylor {
            order,
            n,
            c: vec![0.0; (order + 1) * n],
            ready: false,
            end: vec![0.0; n],
            rescue: Dop853::new(n),
            rescued: false,
            conceals: false,
            used: order,
            allowed: 1.0,
            wanted: vec![0.0; order],
            last: 0.0,
            limit: f64::INFINITY,
            gapped: false,
            gap: vec![0.0; n],
        }
    }

    fn prepare<S: System>(&mut self, f: &mut Evaluator<S>, t: f64, y: &[f64]) -> Tried<S> {
        if self.ready {
            return Ok(());
        }
        let series = f.system.series().ok_or(Failure::NoMechanics)?;
        series.expand(t, y, &self.wanted, &mut self.c).map_err(|source| Failure::System { t, source })?;
        self.conceals = series.conceals();
        (self.used, self.allowed) = (self.order, 1.0);
        // every order is a solution of the equations of motion
        f.statistics.derivative_evaluations += self.order as u64 - 1;
        self.rescued = check_finite::<S::Error>(t, &self.c).is_err();
        self.ready = true;
        Ok(())
    }

    /// With h at (Y3) the terms fall evenly down to the tolerance: the larger a term, the more digits of it count.
    fn ask(&mut self, tolerance: f64) {
        let fall = root(tolerance, self.order);
        let mut wanted = SOLVED.0 * tolerance;
        for w in &mut self.wanted {
            *w = wanted.min(SOLVED.1);
            wanted /= fall;
        }
    }

    /// (Y2) of the coefficients k, for a state of the size of y.
    fn norm(&self, k: usize, y: &[f64], weights: &Weights) -> f64 {
        let c = &self.c[k * self.n..(k + 1) * self.n];
        let sizes = c.iter().zip(y).enumerate();
        sizes.fold(0.0, |max: f64, (i, (c, y))| max.max(c.abs() * weights.inverse(i, y.abs())))
    }

    /// The order with the smallest term at h, and that term, if it is small enough for (Y4).
    fn smallest_term(&self, h: f64, y: &[f64], weights: &Weights) -> Option<(usize, f64)> {
        let term = |k: usize| self.norm(k, y, weights) * h.powi(k as i32);
        let limit = NOISE.0.max(NOISE.1 / weights.tolerance);
        let terms = (LOWEST.min(self.order)..=self.order).map(|k| (k, term(k)));
        terms.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|smallest| smallest.1 <= limit)
    }

    /// (Y1) at h.
    fn sum(&self, h: f64, out: &mut [f64]) {
        let n = self.n;
        out.copy_from_slice(&self.c[self.used * n..(self.used + 1) * n]);
        for k in (0..self.used).rev() {
            for (out, c) in out.iter_mut().zip(&self.c[k * n..(k + 1) * n]) {
                *out = *out * h + c;
            }
        }
    }
}

/// x^(1/p) by multiplications and divisions only, so the same on every machine.
fn root(x: f64, p: usize) -> f64 {
    if !(x.is_normal() && x > 0.0) {
        return if x < 1.0 { 0.0 } else { f64::INFINITY };
    }
    let p = p as i32;
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1022;
    let mut r = 2f64.powi(-(-exponent).div_euclid(p)); // not below the root
    for _ in 0..60 {
        let step = (r - x / r.powi(p - 1)) / f64::from(p);
        r -= step;
        if step <= 1e-15 * r {
            break;
        }
    }
    r
}

impl Method for Taylor {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        self.prepare(f, step.t, step.y)?;
        if self.rescued {
            return self.rescue.trial(f, step, y_new);
        }
        self.sum(step.h, y_new);
        self.end.copy_from_slice(y_new);
        let Some(weights) = step.weights else { return Ok(0.0) };
        let last = self.norm(self.used, step.y, weights) * step.h.abs().powi(self.used as i32) / self.allowed;
        if !self.conceals || last > 1.0 {
            return Ok(last);
        }
        // (Y5)
        let places: [f64; PLACES] = std::array::from_fn(|j| step.h * (j + 1) as f64 / PLACES as f64);
        let series = f.system.series().ok_or(Failure::NoMechanics)?;
        if !series.gap(&places, &mut self.gap) {
            return Ok(last);
        }
        let worst = (0..self.n).fold(0.0_f64, |worst, i| {
            let off = self.gap[i].abs() * weights.inverse(i, step.y[i].abs().max(y_new[i].abs()));
            if off.is_nan() { f64::INFINITY } else { worst.max(off) }
        });
        let gap = step.h.abs() * worst / (self.order + 1) as f64;
        self.gapped |= gap > 1.0;
        Ok(last.max(gap))
    }

    fn factor(&self, err: f64) -> f64 {
        match self.rescued {
            true => self.rescue.factor(err),
            false => super::control::step_factor(root(err, self.used)),
        }
    }

    /// (Y3)
    fn plan<S: System>(&mut self, f: &mut Evaluator<S>, start: &Step, planned: f64) -> Tried<S, f64> {
        let Some(weights) = start.weights else { return Ok(planned) };
        self.ask(weights.tolerance);
        self.prepare(f, start.t, start.y)?;
        if self.rescued {
            return Ok(planned);
        }
        let p = self.order;
        let end = |taylor: &Self| {
            let [before, last] = [p - 1, p].map(|k| taylor.norm(k, start.y, weights));
            (before / last, 0.9 / root(before, p - 1).max(root(last, p)))
        };
        let (mut rho, mut h) = end(self);
        if h < SHRINKS * self.last {
            self.wanted.fill(0.0);
            self.ready = false;
            self.prepare(f, start.t, start.y)?;
            (rho, h) = end(self);
        }
        // ρ is not finite where there is nothing to divide: then nothing shrinks either
        let across = (2.0 * rho).min(SHRINKS * self.last);
        if h < across
            && h < 1.2 * rho
            && let Some((k, term)) = self.smallest_term(across, start.y, weights)
        {
            (self.used, self.allowed) = (k, term.max(1.0)); // (Y4)
            return Ok(across.min(start.h.abs()));
        }
        Ok(h.min(self.limit).min(start.h.abs()))
    }

    fn accept(&mut self, ends: &Ends) {
        self.ready = false;
        self.last = ends.h.abs();
        self.limit = if std::mem::take(&mut self.gapped) { LONGER * self.last } else { f64::INFINITY };
        if self.rescued {
            self.rescue.accept(ends);
        }
    }

    fn restart(&mut self) {
        self.ready = false;
        self.last = 0.0;
        (self.limit, self.gapped) = (f64::INFINITY, false);
        self.rescue.restart();
    }

    fn sketch(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        match self.rescued {
            true => self.rescue.sketch(ends, s, out),
            false => self.sum(s * ends.h, out),
        }
    }

    fn prepare_dense<S: System>(&mut self, f: &mut Evaluator<S>, ends: &Ends) -> Tried<S> {
        if self.rescued { self.rescue.prepare_dense(f, ends) } else { Ok(()) }
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        if self.rescued {
            return self.rescue.dense(ends, s, out);
        }
        self.sum(s * ends.h, out);
        let blend = s * s * (3.0 - 2.0 * s);
        for ((out, y), end) in out.iter_mut().zip(ends.y).zip(&self.end) {
            *out += blend * (y - end);
        }
    }
}

crate::keep::keep!(Taylor { c, ready, end, rescue, rescued, conceals, used, allowed, wanted, last, limit, gapped } but { order, n, gap } if |t| t.used <= t.order);
