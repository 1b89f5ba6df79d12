//! Radau IIA in three stages: implicit, order 5, for stiff systems.
//!
//! [hairer1996], section IV.8. The solution is a cubic that meets
//! y' = f at the nodes c₁, c₂, c₃ = 1 of the step. With z_i its rise up to node i and A the weights of the nodes:
//!
//! ```text
//!   (V1)  z_i = h Σ_j a_ij f(t + c_j h, y + z_j),   y⁺ = y + z₃
//! ```
//!
//! **Newton's method** with one Jacobian J for all nodes, in the eigenvectors of A⁻¹ (w = T⁻¹ z), takes apart into a real and a
//! complex system of the size of y ((Q1) in `radau5_coefficients`):
//!
//! ```text
//!   (V2)  (γ/h − J) Δw₁ = (T⁻¹ f)₁ − γ/h w₁
//!   (V3)  ((α + iβ)/h − J) (Δw₂ + iΔw₃) = (T⁻¹ f)₂ + i (T⁻¹ f)₃ − (α + iβ)/h (w₂ + iw₃)
//! ```
//!
//! It starts from the cubic of the step before, continued. The rate θ of its corrections says how many more are needed (η = θ/(1 − θ)
//! times the last one is what is left), whether to give up, and whether J may serve for the next step as well. J comes from
//! differences of f. Components that steer nothing (of infinite scale) are left out of it and of the systems; they follow by (V1).
//!
//! **Error.** An embedded formula of order 3, made harmless for stiff components by the real matrix:
//!
//! ```text
//!   (V4)  d = Σ e_i z_i/h,   err = ‖(γ/h − J)⁻¹ (f(t, y) + d)‖
//!   (V5)  and where that is too large in a first or repeated trial: err = ‖(γ/h − J)⁻¹ (f(t, y + (V4)) + d)‖
//! ```
//!
//! The estimate is some h⁴ where the solution is in error by h⁶: held below 0.1 tolerance^(2/3) it keeps errors about the
//! tolerance.
//!
//! **Step size.** The smaller of what this error and the trend of the last two errors [gustafsson1994] suggest; rises up to a fifth are not
//! taken, since the factors of (V2) and (V3) then still serve:
//!
//! ```text
//!   (V6)  h_new = h · min(φ err^(-1/4), 0.9 h/h_old (err_old/err²)^(1/4)) within 0.2..8,   φ = 0.9 · 21/(20 + iterations)
//! ```
//!
//! Where a stiff direction turns with the mechanism, one J for a whole step is a poor one, and the rate of Newton's method grows like h⁴: a point
//! at speed v on a spring k of length l has θ ~ (k h²/m)(v h/l)². So that failures do not set the step, it stays within a reach that is learnt where J
//! is of the step itself:
//!
//! ```text
//!   (V7)  reach = h (0.1/θ)^(1/4),   h/2 after a failure;   it grows by a fifth in each step that tells nothing
//! ```
//!
//! **Between steps** the cubic itself, with s (ŷ − y⁺) added, so that it meets the projected end ŷ.

use super::control::{Evaluator, Failure, Weights, root};
use super::jacobian;
use super::method::{Method, Tried};
use super::radau5_coefficients::{A, ALPHA, BETA, C, E, GAMMA, T, T_INVERSE};
use super::{Ends, Step, Stepper, System};
use crate::linalg::lu::Lu;
use nalgebra::Complex;

/// The most iterations under error control, and with given steps, where no shorter step is the way out.
const ITERATIONS: [u32; 2] = [10, 30];
/// J serves for another step if corrections shrink at least by this, times a third of the unknowns: the more columns, the more iterations
/// it may cost to do without new ones.
const GOOD_RATE: f64 = 1e-2;
/// But not if they shrink by less than this.
const FAIR_RATE: f64 = 0.1;

/// Corrections of this size end Newton's method where stages are projected.
const SETTLED: f64 = 0.3;
/// Corrections of this size that no longer shrink end it everywhere. A force of 1e9 N/m on 1 g makes accelerations of 1e-4 m/s² of the last digit of
/// a position, and then no more can be had.
const ROUNDING: f64 = 0.1;

#[derive(Clone, Debug)]
pub(super) struct Radau5 {
    weights: Weights,
    /// The components under control: the unknowns; and the others.
    active: Vec<usize>,
    passive: Vec<usize>,
    /// J, the unknowns only, row by row.
    jacobian: Vec<f64>,
    real: Lu<f64>,
    complex: Lu<Complex<f64>>,
    /// The step the factors belong to; 0 for none.
    h_factored: f64,
    age: Age,
    /// Rises z_i up to the nodes, in all components, and slopes there.
    z: [Vec<f64>; 3],
    slopes: [Vec<f64>; 3],
    /// w of (V2), (V3), the unknowns only, and the right-hand sides.
    w: [Vec<f64>; 3],
    rhs: Vec<f64>,
    rhs_complex: Vec<Complex<f64>>,
    stage: Vec<f64>,
    /// Rises of the last accepted step, for what lies in it and the next start; none of size 0.
    cubic: [Vec<f64>; 3],
    h_cubic: f64,
    /// η of the last iteration, and the rate θ it came from; 0 where a single one was enough.
    eta: f64,
    rate: f64,
    /// The largest step in which Newton's method is expected to converge (V7).
    reach: f64,
    /// By what to multiply the step after the last trial.
    factor: f64,
    /// Size and error of the last trial, and of the last accepted step.
    trial: (f64, f64),
    accepted: Option<(f64, f64)>,
    /// Whether a trial is under way that has not been accepted.
    repeated: bool,
    /// Operations of (V2) and (V3) so far.
    effort: f64,
}

/// How old a Jacobian is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Age {
    /// Of the present state.
    Fresh,
    /// Of an earlier state, and still good.
    Good,
    Useless,
}

/// How an iteration ended without an answer.
enum Stuck<E> {
    Slow { iterations: u32, component: usize },
    Failed(Failure<E>),
}

impl<E> From<Failure<E>> for Stuck<E> {
    fn from(failure: Failure<E>) -> Self {
        Stuck::Failed(failure)
    }
}

impl Stepper {
    /// Radau IIA of order 5 for `n` components, for stiff systems, with error control. Projects after each step.
    /// Dense: it keeps five matrices of n² numbers.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn radau5(n: usize, tolerance: f64) -> Self {
        Stepper::adaptive(n, Radau5::new(n), tolerance)
    }
}

impl Radau5 {
    fn new(n: usize) -> Self {
        let vectors = || std::array::from_fn(|_| vec![0.0; n]);
        Radau5 {
            weights: Weights::new(n, 1.0),
            active: (0..n).collect(),
            passive: Vec::with_capacity(n),
            jacobian: vec![0.0; n * n],
            real: Lu::new(n),
            complex: Lu::new(n),
            h_factored: 0.0,
            age: Age::Useless,
            z: vectors(),
            slopes: vectors(),
            w: vectors(),
            rhs: vec![0.0; n],
            rhs_complex: vec![Complex::new(0.0, 0.0); n],
            stage: vec![0.0; n],
            cubic: vectors(),
            h_cubic: 0.0,
            eta: 1.0,
            rate: 1.0,
            reach: f64::INFINITY,
            factor: 1.0,
            trial: (0.0, 1.0),
            accepted: None,
            repeated: false,
            effort: 0.0,
        }
    }

    /// J by differences at the start of the step.
    fn differentiate<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step) -> Tried<S> {
        let scratch = [&mut self.slopes[0][..], &mut self.stage[..]];
        let places = (&self.active[..], &self.weights.scale[..]);
        jacobian::differentiate(f, step, places, &mut self.jacobian, scratch)?;
        self.age = Age::Fresh;
        self.h_factored = 0.0;
        Ok(())
    }

    /// The matrices of (V2) and (V3).
    fn factorise<E>(&mut self, t: f64, h: f64) -> Result<(), Failure<E>> {
        if self.h_factored == h {
            return Ok(());
        }
        self.h_factored = 0.0;
        let (m, jacobian) = (self.active.len(), &self.jacobian);
        let on = |i: usize, j: usize, x: f64| if i == j { x / h } else { 0.0 };
        let real = self.real.factor(m, |i, j| on(i, j, GAMMA) - jacobian[i * m + j]);
        let complex = self
            .complex
            .factor(m, |i, j| Complex::new(on(i, j, ALPHA) - jacobian[i * m + j], on(i, j, BETA)));
        self.effort += 2.0 * self.real.work() + 8.0 * self.complex.work();
        match real.and(complex) {
            Ok(()) => {
                self.h_factored = h;
                Ok(())
            }
            Err(column) => {
                Err(Failure::NotSolved { t: t + h, iterations: 0, component: self.active[column] })
            }
        }
    }

    /// Starting values: the last cubic continued, or no motion.
    fn predict(&mut self, h: f64) {
        let [z1, z2, z3] = &mut self.z;
        if self.h_cubic == 0.0 {
            for z in [z1, z2, z3] {
                z.fill(0.0);
            }
        } else {
            let q = h / self.h_cubic;
            for i in 0..z1.len() {
                let rises = [self.cubic[0][i], self.cubic[1][i], self.cubic[2][i]];
                for (z, c) in [&mut *z1, &mut *z2, &mut *z3].into_iter().zip(C) {
                    z[i] = cubic(rises, 1.0 + c * q) - rises[2];
                }
            }
        }
        for (k, &at) in self.active.iter().enumerate() {
            let z = [self.z[0][at], self.z[1][at], self.z[2][at]];
            for (w, row) in self.w.iter_mut().zip(T_INVERSE) {
                w[k] = dot(row, z);
            }
        }
    }

    /// Newton's method (V2), (V3) for (V1). Tells how many iterations it took.
    fn iterate<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        most: u32,
    ) -> Result<u32, Stuck<S::Error>> {
        let &Step { t, h, y, .. } = step;
        let (m, tolerance) = (self.active.len(), self.weights.tolerance);
        let enough = (10.0 * f64::EPSILON / tolerance).max(tolerance.sqrt().min(0.03));
        // the rate of the last step is a guess at that of this one, less and less sure
        let fifth = root(self.eta.max(f64::EPSILON), 5);
        let (mut size_before, mut ratio_before, mut met) = (0.0, 0.0, false);
        self.eta = (fifth * fifth) * (fifth * fifth);
        self.rate = 0.0;
        for iteration in 1..=most {
            for j in 0..3 {
                for i in 0..y.len() {
                    self.stage[i] = y[i] + self.z[j][i];
                }
                f.derivative(t + C[j] * h, &self.stage, &mut self.slopes[j])?;
            }
            let [f1, f2, f3] = &self.slopes;
            for &at in &self.passive {
                for (z, a) in self.z.iter_mut().zip(A) {
                    z[at] = h * dot(a, [f1[at], f2[at], f3[at]]); // (V1)
                }
            }
            if met {
                return Ok(iteration - 1);
            }
            let [w1, w2, w3] = &mut self.w;
            for (k, &at) in self.active.iter().enumerate() {
                let slopes = [f1[at], f2[at], f3[at]];
                let w = Complex::new(w2[k], w3[k]);
                self.rhs[k] = dot(T_INVERSE[0], slopes) - GAMMA / h * w1[k];
                let slope = Complex::new(dot(T_INVERSE[1], slopes), dot(T_INVERSE[2], slopes));
                self.rhs_complex[k] = slope - Complex::new(ALPHA / h, BETA / h) * w;
            }
            self.real.solve(&mut self.rhs[..m]);
            self.complex.solve(&mut self.rhs_complex[..m]);
            self.effort += 10.0 * (m * m) as f64;

            let (mut sum, mut worst) = (0.0, (0.0, 0));
            for (k, &at) in self.active.iter().enumerate() {
                let weight = self.weights.inverse(at, y[at].abs());
                let part = (self.rhs[k] * self.rhs[k] + self.rhs_complex[k].norm_sqr()) * weight * weight;
                sum += part;
                if part > worst.0 {
                    worst = (part, at);
                }
            }
            let size = (sum / (3.0 * self.weights.count)).sqrt();
            let stuck = Stuck::Slow { iterations: iteration, component: worst.1 };
            if !size.is_finite() {
                return Err(stuck);
            }
            // beside a passage slopes are not known well enough for more: (A3) of `passage`
            let settled = f.guard.is_some() && iteration > 1 && size <= SETTLED;
            let ratio = size / size_before;
            // what is this small and does not shrink is rounding: it says nothing about the rate
            let rounding = iteration > 1 && size <= ROUNDING && ratio > FAIR_RATE;
            if iteration > 1 && !settled && !rounding {
                self.rate = if iteration == 2 { ratio } else { f64::sqrt(ratio * ratio_before) };
                ratio_before = ratio;
                if self.rate >= 0.99 {
                    return Err(stuck);
                }
                self.eta = self.rate / (1.0 - self.rate);
                let left = (iteration..most).fold(self.eta * size, |left, _| left * self.rate);
                if left > enough {
                    return Err(stuck);
                }
            }
            size_before = size.max(f64::EPSILON);

            for k in 0..m {
                w1[k] += self.rhs[k];
                w2[k] += self.rhs_complex[k].re;
                w3[k] += self.rhs_complex[k].im;
            }
            for (k, &at) in self.active.iter().enumerate() {
                for (z, row) in self.z.iter_mut().zip(T) {
                    z[at] = dot(row, [w1[k], w2[k], w3[k]]);
                }
            }
            if settled || rounding || self.eta * size <= enough {
                // slopes of a first iteration are those of the guess: too far off for what follows them
                met = iteration == 1 && !self.passive.is_empty();
                if !met {
                    return Ok(iteration);
                }
            }
        }
        Err(Stuck::Slow { iterations: most, component: self.active.first().copied().unwrap_or(0) })
    }

    /// (V4), (V5)
    fn error<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, careful: bool) -> Tried<S, f64> {
        let &Step { t, h, y, dy, .. } = step;
        let err = self.filtered(h, y, dy);
        if err <= 1.0 || !careful {
            return Ok(err);
        }
        self.stage.copy_from_slice(y);
        for (k, &at) in self.active.iter().enumerate() {
            self.stage[at] += self.rhs[k];
        }
        let mut slope = std::mem::take(&mut self.slopes[0]);
        let answer = f.derivative(t, &self.stage, &mut slope);
        let err = self.filtered(h, y, &slope);
        self.slopes[0] = slope;
        answer.map(|()| err)
    }

    /// The norm of (γ/h − J)⁻¹ (slope + d); the vector itself is left in `rhs`.
    fn filtered(&mut self, h: f64, y: &[f64], slope: &[f64]) -> f64 {
        let m = self.active.len();
        for (k, &at) in self.active.iter().enumerate() {
            let z = [self.z[0][at], self.z[1][at], self.z[2][at]];
            self.rhs[k] = slope[at] + dot(E, z) / h;
        }
        self.real.solve(&mut self.rhs[..m]);
        self.effort += 2.0 * (m * m) as f64;
        let mut sum = 0.0;
        for (k, &at) in self.active.iter().enumerate() {
            let x = self.rhs[k] * self.weights.inverse(at, y[at].abs());
            sum += x * x;
        }
        (sum / self.weights.count).sqrt()
    }

    /// (V6)
    fn next_factor(&self, h: f64, err: f64, iterations: u32) -> f64 {
        if err.is_nan() {
            return 0.1;
        }
        if err > 1.0 && self.accepted.is_none() {
            return 0.1; // nothing is known yet, not even the size of things
        }
        let small = root(err, 4);
        let effort = 0.9 * (21.0 / (20.0 + f64::from(iterations)));
        let mut factor = effort / small;
        if let Some((h_old, err_old)) = self.accepted
            && err <= 1.0
        {
            factor = factor.min(0.9 * (h / h_old) * root(err_old, 4) / (small * small));
        }
        let factor = factor.min(self.reach / h).clamp(0.2, 8.0);
        if (1.0..=1.2).contains(&factor) && self.jacobian_is_good() { 1.0 } else { factor }
    }

    /// Whether corrections shrink so fast that J will do once more.
    fn jacobian_is_good(&self) -> bool {
        self.rate <= (GOOD_RATE / 3.0 * self.active.len() as f64).min(FAIR_RATE)
    }
}

impl Method for Radau5 {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        let &Step { t, h, y, .. } = step;
        let careful = self.repeated || self.accepted.is_none();
        if self.age == Age::Useless || (self.repeated && self.age == Age::Good) {
            self.differentiate(f, step)?;
        }
        self.repeated = true;
        let most = ITERATIONS[usize::from(step.weights.is_none())];
        let iterations = loop {
            self.factorise(t, h)?;
            self.predict(h);
            match self.iterate(f, step, most) {
                Ok(iterations) => break iterations,
                Err(Stuck::Failed(failure)) => return Err(failure),
                Err(Stuck::Slow { .. }) if self.age != Age::Fresh => self.differentiate(f, step)?,
                Err(Stuck::Slow { iterations, component }) => {
                    self.reach = 0.5 * h.abs(); // (V7)
                    return Err(Failure::NotSolved { t: t + h, iterations, component });
                }
            }
        };
        for i in 0..y.len() {
            y_new[i] = y[i] + self.z[2][i];
        }
        if step.weights.is_none() {
            return Ok(0.0);
        }
        self.reach = match self.age {
            Age::Fresh if self.rate > 0.0 => h.abs() * root(0.1 / self.rate, 4), // (V7)
            _ => 1.2 * self.reach,
        };
        let err = self.error(f, step, careful)?;
        self.factor = self.next_factor(h.abs(), err, iterations);
        self.trial = (h.abs(), err);
        Ok(err)
    }

    fn order(&self) -> u32 {
        4
    }

    fn begin(&mut self, weights: &Weights) {
        let cube = root(weights.tolerance, 3);
        self.weights.tolerance = 0.1 * cube * cube;
        self.weights.scale.copy_from_slice(&weights.scale);
        self.weights.cut.copy_from_slice(&weights.cut);
        self.weights.count = weights.count;
        self.active.clear();
        self.passive.clear();
        for (i, scale) in weights.scale.iter().enumerate() {
            if scale.is_finite() { self.active.push(i) } else { self.passive.push(i) }
        }
        self.age = Age::Useless;
    }

    fn nodes(&self) -> &'static [f64] {
        &C
    }

    fn factor(&self, _: f64) -> f64 {
        self.factor
    }

    fn effort(&self) -> f64 {
        self.effort
    }

    fn accept(&mut self, ends: &Ends) {
        std::mem::swap(&mut self.z, &mut self.cubic);
        self.h_cubic = ends.h;
        self.accepted = Some((self.trial.0, self.trial.1.max(1e-2)));
        self.age = if self.jacobian_is_good() { Age::Good } else { Age::Useless };
        self.repeated = false;
    }

    fn restart(&mut self) {
        self.age = Age::Useless;
        self.h_cubic = 0.0;
        self.eta = 1.0;
        self.reach = f64::INFINITY;
        self.accepted = None;
        self.repeated = false;
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        let [z1, z2, z3] = &self.cubic;
        for i in 0..out.len() {
            let rises = [z1[i], z2[i], z3[i]];
            let moved = ends.y[i] - (ends.y_old[i] + rises[2]);
            out[i] = ends.y_old[i] + cubic(rises, s) + s * moved;
        }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cubic through 0 at 0 and the rises at the nodes, by divided differences from the end.
fn cubic(rises: [f64; 3], s: f64) -> f64 {
    let [z1, z2, z3] = rises;
    let first = [(z3 - z2) / (C[2] - C[1]), (z2 - z1) / (C[1] - C[0]), z1 / C[0]];
    let second = [(first[0] - first[1]) / (C[2] - C[0]), (first[1] - first[2]) / C[1]];
    let third = second[0] - second[1];
    z3 + (s - 1.0) * (first[0] + (s - C[1]) * (second[0] + (s - C[0]) * third))
}

crate::keep::keep!(Radau5 {
    weights,
    active,
    passive,
    jacobian,
    real,
    complex,
    h_factored,
    age,
    z,
    slopes,
    w,
    rhs,
    rhs_complex,
    stage,
    cubic,
    h_cubic,
    eta,
    rate,
    reach,
    factor,
    trial,
    accepted,
    repeated,
    effort
} if |r| {
    let n = r.stage.len();
    r.active.len() + r.passive.len() <= n && r.active.iter().chain(&r.passive).all(|&i| i < n)
});

impl crate::keep::Keep for Age {
    fn keep(&self, to: &mut Vec<u8>) {
        to.push(*self as u8);
    }
    fn recall(&mut self, from: &mut crate::keep::Bytes<'_>) -> Result<(), crate::keep::Damaged> {
        let tag = from.take(1)?[0];
        let all = [Age::Fresh, Age::Good, Age::Useless];
        *self = all.into_iter().find(|age| *age as u8 == tag).ok_or(crate::keep::Damaged)?;
        Ok(())
    }
}
