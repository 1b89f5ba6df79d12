//! Index-3 steps: position constraints inside an implicit step, velocities and accelerations projected after it. Order 2.
//!
//! The family of Newmark's formulas with averaged accelerations ([chunghulbert1993], [arnold2007]). With M v̇ + Aᵀλ = f of
//! [`Mechanics`] at the end of the step, and w an average of accelerations that lags a little behind v̇:
//!
//! ```text
//!   (A1)  (1 − α_m) w⁺ + α_m w = (1 − α_f) v̇⁺ + α_f v̇
//!   (A2)  v⁺ = v + h ((1 − γ) w + γ w⁺)
//!   (A3)  q⁺ = q + h v + h² ((½ − β) w + β w⁺)
//!   (A4)  M v̇⁺ + A⁺ᵀ λ = f(t⁺, q⁺, v⁺),   Φ(t⁺, q⁺) = 0
//! ```
//!
//! `index3` is the trapezoidal rule, α_m = α_f = γ = ½, β = ¼, where w = v̇: the augmented Lagrangian method with
//! projections ([cuadrado1997], [bayo1996]). `generalized-alpha` damps what the step cannot resolve: per step, an
//! oscillation of infinite frequency is left with the part ρ of its size,
//!
//! ```text
//!   (A5)  α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f − α_m,  β = ¼ (½ + γ)²
//! ```
//!
//! **Newton's method** on the velocities, with s = (1 − α_f) γ h/(1 − α_m) and b = β h/γ:
//!
//! ```text
//!   (A6)  [M + s D + s b K   Aᵀ] [ dv ]   [ s (f − M v̇ − Aᵀλ) ]
//!         [       A          0 ] [s dλ] = [      −Φ/b          ],   v += dv, q += b dv, v̇ += dv/s, λ += dλ
//! ```
//!
//! A is renewed in every step; D and K stay until convergence slows down. Rows that bind velocities only have −Φ̇ on
//! the right. The solver behind (A6) is the augmented Lagrangian: it eliminates with M + … + Aᵀ(W/ε)A, a penalty 1/ε = 1e10
//! times the mass that a row moves, and its refinement is λ += (W/ε)·residual, so redundant rows and singular positions
//! do no harm.
//!
//! **Ends of the iteration.** It goes on until what is left is below [`TIGHT`] or below [`SETTLED`] of the first correction, or corrections no longer fall and are
//! below [`STUCK`]; after [`MAX_ITERATIONS`] the step is taken if the last correction was below [`GOOD`], else it has failed. All
//! are parts of the error scale of velocities plus their size. When corrections go back and forth though the matrix is new, they are
//! cut to [`NARROWER`] of the one before from then on. At a corner of a force that ends the cycle; at a jump it closes in on the
//! jump, and where corrections still oppose each other when they are cut to [`CLOSED`], the step ends there, with a force
//! between those of the jump's sides, which is what motion along a jump means.
//!
//! **Divided steps.** Many jumps at once, as of a rope that begins to pull all along its length, are too much for that. A step whose equations are not met is made of
//! 2, 4, … [`MOST_PARTS`] parts instead, each a step of its own; every division is counted as a rejected step. What lies between its ends is read off the ends, as always.
//!
//! **Projections.** Then q⁺, v⁺ are moved onto Φ = 0 and Φ̇ = 0, and v̇⁺ is replaced by the acceleration that meets Φ̈ = 0 there,
//! in (A1) too: multipliers of (A4) are off by O(h) in the direction of the constraints, and would swing from step to step.
//! The work is W⁺ = W + h (P + P⁺)/2 with the power after the projections.

use super::control::{Evaluator, Failure, check_finite};
use super::method::{Method, Tried};
use super::{Blend, Ends, Mechanics, Step, Stepper, System};

/// Newton's method ends when this is left.
const TIGHT: f64 = 1e-13;
/// Or this part of the first correction of the step, which is larger than the error of the step by one over its size.
const SETTLED: f64 = 1e-8;
/// Corrections that fall no further below this are rounding, as stiff forces make it.
const STUCK: f64 = 1e-9;
/// Good enough when the iterations are used up: far below the error of a step that takes so many.
const GOOD: f64 = 1e-7;
/// The most iterations of a step.
pub(super) const MAX_ITERATIONS: u32 = 60;
/// Convergence slower than this asks for new D and K.
const SLOW: f64 = 0.1;
/// Corrections that shrink by less than this go back and forth.
const CYCLE: f64 = 0.7;

/// By how much cut corrections become smaller: more than a half, so that none ends short of what it looks for.
const NARROWER: f64 = 0.6;
/// Cut to this, they have found a jump.
const CLOSED: f64 = 1e-8;
/// If they have opposed each other within so many iterations.
const RECENT: u32 = 8;

/// Where accelerations alone would move something by this part of the size within a step, they are those of an oscillation
/// that the step does not resolve: the iteration then starts from q + h v, not from constant accelerations.
const LEAP: f64 = 0.05;

/// The most parts that a step is divided into.
const MOST_PARTS: u32 = 64;

/// The numbers of (A1) to (A3).
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

/// What of the matrix (A6) has to be made.
#[derive(Clone, Copy, PartialEq)]
enum Matrix {
    /// Nothing.
    Kept,
    /// A.
    Renewed,
    /// A, D and K.
    New,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Index3 {
    rule: Rule,
    /// w of (A1), once there was a step.
    average: Vec<f64>,
    /// Whether the last trial was divided: w is then that of its end already.
    divided: bool,
    begun: bool,
    /// Whether D and K are known, and whether K is part of the matrix.
    tangent: Option<bool>,
    scale: Vec<f64>,
    acceleration: Vec<f64>,
    force: Vec<f64>,
    right: Vec<f64>,
    dv: Vec<f64>,
    /// dv of the iteration before.
    last: Vec<f64>,
    phi: Vec<f64>,
    rates: Vec<f64>,
    lambda: Vec<f64>,
    /// λ before the step.
    last_lambda: Vec<f64>,
    dlambda: Vec<f64>,
    dy: Vec<f64>,
}

impl Stepper {
    /// The trapezoidal rule with position constraints inside the step and projections after it, with step `h` (s). Needs
    /// [`Mechanics`].
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn index3(n: usize, h: f64) -> Self {
        Stepper::generalized_alpha(n, h, 1.0)
    }

    /// Generalized-α with position constraints inside the step and projections after it, with step `h` (s): an oscillation
    /// much faster than the step is left with the part `spectral_radius` of its size per step. Needs [`Mechanics`].
    ///
    /// # Panics
    /// If `h` is not positive, or `spectral_radius` is not in 0 … 1.
    pub fn generalized_alpha(n: usize, h: f64, spectral_radius: f64) -> Self {
        assert!((0.0..=1.0).contains(&spectral_radius), "a part of one, not {spectral_radius}");
        Stepper::fixed(n, Index3::new(n, spectral_radius), h)
    }
}

impl Index3 {
    /// (A5), for `n` components.
    fn new(n: usize, rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        let beta = 0.25 * (0.5 + gamma) * (0.5 + gamma);
        Index3 {
            rule: Rule { alpha_m, alpha_f, beta, gamma },
            scale: vec![1.0; n],
            dy: vec![0.0; n],
            ..Index3::default()
        }
    }

    /// The first step of a run: sizes, and the multipliers to begin with.
    fn begin<E>(&mut self, m: &mut dyn Mechanics<Error = E>, step: &Step) -> Result<(), E> {
        let (n, rows) = (m.coordinates(), m.constraints());
        for x in [
            &mut self.average,
            &mut self.acceleration,
            &mut self.force,
            &mut self.right,
            &mut self.dv,
            &mut self.last,
        ] {
            x.resize(n, 0.0);
        }
        for x in [&mut self.phi, &mut self.rates, &mut self.lambda, &mut self.dlambda] {
            x.resize(rows, 0.0);
        }
        self.average.copy_from_slice(&step.dy[n..2 * n]);
        m.look_at(step.t, step.y);
        m.forces(&mut self.force);
        m.curvatures(&mut self.phi);
        m.factor()?;
        m.solve(&self.force, &self.phi, &mut self.dv, &mut self.lambda);
        self.tangent = None;
        self.begun = true;
        Ok(())
    }

    fn make<E>(&mut self, m: &mut dyn Mechanics<Error = E>, what: Matrix, blend: Blend) -> Result<(), E> {
        let without_k = Blend { stiffness: 0.0, ..blend };
        if let Some(with_k) = self.tangent {
            let kept = match what {
                Matrix::Kept => true,
                Matrix::Renewed => m.refactor_tangent(if with_k { blend } else { without_k }).is_ok(),
                Matrix::New => false,
            };
            if kept {
                return Ok(());
            }
        }
        self.tangent = Some(true);
        m.factor_tangent(&self.lambda, blend).or_else(|_| {
            // a stiffness so negative that it outweighs the mass: do without, if that goes
            self.tangent = Some(false);
            m.factor_tangent(&self.lambda, without_k)
        })
    }

    /// (A6) until (A4) is met.
    fn solve<E>(
        &mut self,
        m: &mut dyn Mechanics<Error = E>,
        evaluations: &mut u64,
        (t, h): (f64, f64),
        y: &mut [f64],
    ) -> Result<(), Failure<E>> {
        let Rule { alpha_m, alpha_f, beta, gamma } = self.rule;
        let n = self.dv.len();
        let s = (1.0 - alpha_f) * gamma * h / (1.0 - alpha_m);
        let b = beta * h / gamma;
        let blend = Blend { mass: 1.0, damping: s, stiffness: s * b };
        let mut what = Matrix::Renewed;
        let mut cap = f64::INFINITY;
        let mut crossed = 0;
        let mut before = f64::INFINITY;
        let mut first = 0.0;
        let velocities_only = (0..self.phi.len()).any(|r| m.binds_velocities_only(r));
        self.last.fill(0.0);
        for iteration in 1..=MAX_ITERATIONS {
            m.look_at(t, y);
            *evaluations += 1;
            let new = what == Matrix::New || self.tangent.is_none();
            self.make(m, what, blend).map_err(|source| Failure::System { t, source })?;
            m.forces(&mut self.force);
            m.mass_times(&self.acceleration, &mut self.right);
            m.add_transposed(&self.lambda, &mut self.right);
            for (r, f) in self.right.iter_mut().zip(&self.force) {
                *r = s * (f - *r);
            }
            m.residuals(&mut self.phi);
            if velocities_only {
                m.residual_rates(&y[n..2 * n], &mut self.rates);
            }
            let (per_b, per_s) = (-1.0 / b, 1.0 / s);
            for (r, phi) in self.phi.iter_mut().enumerate() {
                let by_rate = velocities_only && m.binds_velocities_only(r);
                *phi = if by_rate { -self.rates[r] } else { *phi * per_b };
            }
            m.solve_tangent(&self.right, &self.phi, &mut self.dv, &mut self.dlambda);
            let (mut worst, mut size) = (0, 0.0);
            // Φ/b of coordinates that are far from the origin, known to their roundings
            let beyond = (0..n).fold(0.0, |m: f64, i| m.max(y[i].abs() - 4.0 * self.scale[i]));
            let rounding = 8.0 * f64::EPSILON * beyond / b.abs();
            for (i, dv) in self.dv.iter().enumerate() {
                let part = (dv.abs() - rounding) / (self.scale[n + i] + y[n + i].abs());
                if part > size || part.is_nan() {
                    (worst, size) = (n + i, part);
                }
            }
            if !size.is_finite() {
                return Err(Failure::NotFinite { t, component: worst });
            }
            let rate = size / before;
            let opposed = self.dv.iter().zip(&self.last).map(|(a, b)| a * b).sum::<f64>() < 0.0;
            self.last.copy_from_slice(&self.dv);
            if opposed {
                crossed = iteration;
            }
            if cap.is_finite() {
                cap *= NARROWER;
            } else if new && opposed && rate > CYCLE {
                cap = NARROWER * before;
            }
            let cut = f64::min(1.0, cap / size.max(f64::MIN_POSITIVE));
            for i in 0..n {
                let dv = cut * self.dv[i];
                y[n + i] += dv;
                y[i] += b * dv;
                self.acceleration[i] += dv * per_s;
            }
            for (l, dl) in self.lambda.iter_mut().zip(&self.dlambda) {
                *l += cut * dl * per_s;
            }
            let left = if iteration > 1 && rate < 1.0 { size * rate / (1.0 - rate) } else { size };
            let stuck = size <= STUCK && (cap.is_finite() || (rate > 0.5 && iteration > 1));
            let on_a_jump = cap <= CLOSED && iteration - crossed <= RECENT;
            if iteration == 1 {
                first = size;
            }
            if (cut == 1.0 && left <= f64::max(TIGHT, SETTLED * first)) || stuck || on_a_jump {
                return Ok(());
            }
            if iteration == MAX_ITERATIONS && size > GOOD {
                return Err(Failure::NotSolved { t, iterations: iteration, component: worst });
            }
            what = if rate > SLOW && iteration > 1 { Matrix::New } else { Matrix::Kept };
            before = size;
        }
        Ok(())
    }
}

impl Method for Index3 {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        if !self.begun {
            f.system.error_scale(&mut self.scale);
        }
        let m = f.system.mechanics().ok_or(Failure::NoMechanics)?;
        if !self.begun {
            self.begin(m, step).map_err(|source| Failure::System { t: step.t, source })?;
        }
        self.divided = false;
        self.last_lambda.clone_from(&self.lambda);
        match self.advance(f, step, y_new) {
            Ok(()) => Ok(0.0),
            Err(failure) => self.divide(f, step, y_new, failure).map(|()| 0.0),
        }
    }

    fn rates(&self) -> Option<&[f64]> {
        Some(&self.dy)
    }

    fn accept(&mut self, ends: &Ends) {
        if !self.divided {
            self.lag(ends.dy_old, ends.dy);
        }
    }

    fn restart(&mut self) {
        self.begun = false;
    }
}

impl Index3 {
    /// (A1): w at the end of a step whose ends have these slopes.
    fn lag(&mut self, dy_old: &[f64], dy: &[f64]) {
        let Rule { alpha_m, alpha_f, .. } = self.rule;
        let n = self.average.len();
        for (i, w) in self.average.iter_mut().enumerate() {
            let mean = (1.0 - alpha_f) * dy[n + i] + alpha_f * dy_old[n + i];
            *w = (mean - alpha_m * *w) / (1.0 - alpha_m);
        }
    }

    /// The step in parts, where it could not be made at once.
    fn divide<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        y_new: &mut [f64],
        failure: Failure<S::Error>,
    ) -> Tried<S> {
        let &Step { t, t_new, h, y, dy, .. } = step;
        let average = self.average.clone();
        let (mut from, mut slope) = (y.to_vec(), dy.to_vec());
        let mut parts = 1;
        'divided: while parts < MOST_PARTS {
            parts *= 2;
            f.statistics.rejected_steps += 1;
            self.average.copy_from_slice(&average);
            self.lambda.clone_from(&self.last_lambda);
            self.tangent = None;
            from.copy_from_slice(y);
            slope.copy_from_slice(dy);
            let part = h / f64::from(parts);
            for k in 0..parts {
                let start = t + part * f64::from(k);
                let end = if k + 1 == parts { t_new } else { t + part * f64::from(k + 1) };
                let step = Step { t: start, t_new: end, h: part, y: &from, dy: &slope, weights: None };
                if self.advance(f, &step, y_new).is_err() {
                    continue 'divided;
                }
                let end = std::mem::take(&mut self.dy);
                self.lag(&slope, &end);
                from.copy_from_slice(y_new);
                slope.copy_from_slice(&end);
                self.dy = end;
            }
            self.divided = true;
            return Ok(());
        }
        self.average.copy_from_slice(&average);
        self.tangent = None;
        Err(failure)
    }

    /// One step, into `y_new` and `dy`.
    fn advance<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S> {
        let &Step { t_new, h, y, dy, .. } = step;
        let m = f.system.mechanics().ok_or(Failure::NoMechanics)?;
        let n = m.coordinates();
        let Rule { alpha_m, alpha_f, beta, gamma } = self.rule;
        self.acceleration.copy_from_slice(&dy[n..2 * n]);
        let leap = (0..n).map(|i| h * h * dy[n + i].abs() / (self.scale[i] + y[i].abs()));
        let stiff = leap.fold(0.0, f64::max) > LEAP;
        for i in 0..n {
            let (w, a) = (self.average[i], dy[n + i]);
            let w_new = if stiff {
                -(0.5 - beta) / beta * w
            } else {
                (a - alpha_m * w) / (1.0 - alpha_m) // (A1) with v̇⁺ = v̇
            };
            if stiff {
                let mean = (1.0 - alpha_m) * w_new + alpha_m * w;
                self.acceleration[i] = (mean - alpha_f * a) / (1.0 - alpha_f);
            }
            y_new[n + i] = y[n + i] + h * ((1.0 - gamma) * w + gamma * w_new); // (A2)
            y_new[i] = y[i] + h * (y[n + i] + h * ((0.5 - beta) * w + beta * w_new)); // (A3)
        }
        for i in 2 * n..y.len() {
            y_new[i] = y[i] + h * dy[i];
        }
        self.solve(m, &mut f.statistics.derivative_evaluations, (t_new, h), y_new)?;
        check_finite(t_new, y_new)?;
        f.project(t_new, y_new, &mut self.dy)?;
        y_new[2 * n] = y[2 * n] + 0.5 * h * (dy[2 * n] + self.dy[2 * n]);
        Ok(())
    }
}

crate::keep::keep!(Index3 { average, divided, begun, tangent, scale, acceleration, force, right, dv, last, phi, rates, lambda, last_lambda, dlambda, dy } but { rule } if |a| {
    let points = [&a.force, &a.right, &a.dv].iter().all(|x| x.len() == a.acceleration.len());
    let rows = [&a.rates, &a.lambda, &a.dlambda].iter().all(|x| x.len() == a.phi.len());
    points && rows
});
