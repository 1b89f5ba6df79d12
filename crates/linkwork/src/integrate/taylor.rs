//! Taylor's method: the power series of the solution, summed up. Any order p.
//!
//! ```text
//!   (Y1)  y⁺ = Σ_{k=0..p} y_k hᵏ                                    by Horner's rule
//!   (Y2)  ‖y_k‖ = max_i |y_k,i| / w_i                               w: the weights (C1) of `control`
//!   (Y3)  h = 0.9 min(‖y_{p−1}‖^(−1/(p−1)), ‖y_p‖^(−1/p))
//! ```
//!
//! (Y3) makes the last two terms as large as the tolerance allows; what is cut off is smaller by h over the radius of convergence. Two
//! terms, because every other one vanishes in many motions. The series shows its step before it is taken, so trials are
//! rejected only where the projection fails or a solution changes within less than a rounding of the series: a friction that
//! turns round is invisible to a series that begins far from there. Hence the end is looked at once more, when y' there
//! is known (it is the first slope of the next step anyway):
//!
//! ```text
//!   (Y4)  |h| ‖Σ k y_k h^(k−1) − f(t + h, ŷ)‖ ≤ 1000 (p + 1)            else the step is tried again with a third of it
//! ```
//!
//! For a series that holds, the left side is about p + 1 times the local error.
//!
//! **Between steps** the polynomial itself, with what the projection moved at the end blended in by s² (3 − 2s).
//!
//! **Where the series has no finite coefficients** (the root of a length that vanishes here) one step of Dormand–Prince is taken.

use super::control::{Evaluator, Failure, Weights, check_finite};
use super::dop853::Dop853;
use super::method::Method;
use super::{Ends, Step, System};

/// Orders that make sense.
pub const TAYLOR_ORDERS: std::ops::RangeInclusive<usize> = 8..=24;

/// How far (Y4) may be off, in local errors.
const DEFECT: f64 = 1e3;

/// The order that suits a tolerance: a little more than its digits.
pub fn taylor_order(tolerance: f64) -> usize {
    let mut digits = 0.0;
    let mut power = 1.0;
    while power > tolerance && digits < 20.0 {
        power *= 0.1;
        digits += 1.0;
    }
    ((1.15 * digits + 2.0) as usize).clamp(*TAYLOR_ORDERS.start(), *TAYLOR_ORDERS.end())
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
}

impl Taylor {
    pub(super) fn new(n: usize, order: usize) -> Self {
        assert!(order >= 2, "a series needs two terms at least");
        Taylor {
            order,
            n,
            c: vec![0.0; (order + 1) * n],
            ready: false,
            end: vec![0.0; n],
            rescue: Dop853::new(n),
            rescued: false,
        }
    }

    fn prepare<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        t: f64,
        y: &[f64],
    ) -> Result<(), Failure<S::Error>> {
        if self.ready {
            return Ok(());
        }
        let series = f.system.series().ok_or(Failure::NoMechanics)?;
        series.expand(t, y, self.order, &mut self.c).map_err(|source| Failure::System { t, source })?;
        // every order is a solution of the equations of motion
        f.statistics.derivative_evaluations += self.order as u64 - 1;
        self.rescued = check_finite::<S::Error>(t, &self.c).is_err();
        self.ready = true;
        Ok(())
    }

    /// (Y2) of the coefficients k, for a state of the size of y.
    fn norm(&self, k: usize, y: &[f64], weights: &Weights) -> f64 {
        let c = &self.c[k * self.n..(k + 1) * self.n];
        let sizes = c.iter().zip(y).enumerate();
        sizes.fold(0.0, |max: f64, (i, (c, y))| max.max(c.abs() * weights.inverse(i, y.abs())))
    }

    /// (Y1) at h.
    fn sum(&self, h: f64, out: &mut [f64]) {
        let n = self.n;
        out.copy_from_slice(&self.c[self.order * n..]);
        for k in (0..self.order).rev() {
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
    fn trial<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        weights: Option<&Weights>,
        y_new: &mut [f64],
    ) -> Result<f64, Failure<S::Error>> {
        self.prepare(f, step.t, step.y)?;
        if self.rescued {
            return self.rescue.trial(f, step, weights, y_new);
        }
        self.sum(step.h, y_new);
        self.end.copy_from_slice(y_new);
        let last =
            |weights: &Weights| self.norm(self.order, step.y, weights) * step.h.abs().powi(self.order as i32);
        Ok(weights.map_or(0.0, last))
    }

    fn factor(&self, err: f64) -> f64 {
        match self.rescued {
            true => self.rescue.factor(err),
            false => super::control::step_factor(root(err, self.order)),
        }
    }

    /// (Y3)
    fn plan<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        start: &Step,
        weights: &Weights,
        planned: f64,
    ) -> Result<f64, Failure<S::Error>> {
        self.prepare(f, start.t, start.y)?;
        if self.rescued {
            return Ok(planned);
        }
        let p = self.order;
        let steepest =
            [p - 1, p].map(|k| root(self.norm(k, start.y, weights), k)).into_iter().fold(0.0, f64::max);
        Ok((0.9 / steepest).min(start.h.abs()))
    }

    /// (Y4)
    fn judge(&mut self, step: &Step, _: &[f64], dy_new: &[f64], weights: &Weights, err: f64) -> f64 {
        if self.rescued {
            return err;
        }
        let (n, h) = (self.n, step.h);
        let mut worst = 0.0_f64;
        for i in 0..n {
            let slope = (1..=self.order).rev().fold(0.0, |s, k| s * h + k as f64 * self.c[k * n + i]);
            let size = step.y[i].abs().max(self.end[i].abs());
            worst = worst.max((slope - dy_new[i]).abs() * weights.inverse(i, size));
        }
        let defect = h.abs() * worst / (DEFECT * (self.order + 1) as f64);
        if defect.is_nan() { defect } else { err.max(defect) }
    }

    fn accept(&mut self, ends: &Ends) {
        self.ready = false;
        if self.rescued {
            self.rescue.accept(ends);
        }
    }

    fn restart(&mut self) {
        self.ready = false;
        self.rescue.restart();
    }

    fn interpolate<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        ends: &Ends,
        s: f64,
        out: &mut [f64],
    ) -> Result<(), Failure<S::Error>> {
        if self.rescued {
            return self.rescue.interpolate(f, ends, s, out);
        }
        self.sum(s * ends.h, out);
        let blend = s * s * (3.0 - 2.0 * s);
        for ((out, y), end) in out.iter_mut().zip(ends.y).zip(&self.end) {
            *out += blend * (y - end);
        }
        Ok(())
    }
}

crate::keep::keep!(Taylor { c, ready, end, rescue, rescued } but { order, n });
