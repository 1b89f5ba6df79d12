//! ESDIRK: a diagonally implicit Runge–Kutta method of order 4 for stiff constrained mechanics, L-stable, with error control.
//!
//! The method ARK4(3)6L[2]SA of [kennedy2003], six stages of which the first is where the step before ended. On the stabilised equations (G1), (G2) of `bdf`, in which
//! positions and velocities meet the constraints at every stage,
//!
//! ```text
//!   (K1)  Y_1 = y,   Y_i = y + h Σ_{j<i} a_ij Y'_j + γ h Y'_i,   γ = 1/4,   i = 2 … 6
//!   (K2)  y⁺ = Y_6,   err = ‖h Σ (b_i − b̂_i) Y'_i‖
//! ```
//!
//! A stage has the form y = y* + β Y' of the steps of `bdf`, with β = γ h for all of them, so the same Newton's method solves it ([`newton`](super::bdf::newton)): with sparse
//! matrices, one of which, M + β D + β² K, serves all stages and as many steps as its size is kept. Velocities in the error are filtered as there, (N6).
//!
//! **What is fast is damped.** An oscillation of infinite frequency is gone after a step, one with ω h = 1 loses 2e-5 of its size, with ω h = 5 3 %, with ω h = 20 half; it amplifies
//! nothing, where formulas of `bdf` of order 3 and more do. For that the slope of the first stage is the one that the last stage of the step before has found, (Y_6 − y*)/β, and not
//! f(y): forces of stiff elements magnify the rounding of a position.
//!
//! **Order.** 4 without constraints. Stages are of order 2, so that with constraints, or where elements are very stiff, errors fall with the third power of the step. The estimate
//! behaves like h⁴.
//!
//! **Between steps** the cubic through both ends with their slopes.

use super::bdf::first_step;
use super::bdf::newton::{Formula, Newton};
use super::control::{Failure, Weights, root};
use super::method::{Method, Tried};
use super::{Ends, Step, Stepper, System};
use crate::integrate::control::Evaluator;

/// Implicit stages.
const STAGES: usize = 5;
/// γ
const GAMMA: f64 = 0.25;
/// Nodes.
pub(super) const C: [f64; STAGES + 1] = [0.0, 0.5, 83.0 / 250.0, 31.0 / 50.0, 17.0 / 20.0, 1.0];
/// a_ij of the stages 2 … 6 below the diagonal; the last row with γ behind it is b.
pub(super) const A: [[f64; STAGES]; STAGES] = [
    [0.25, 0.0, 0.0, 0.0, 0.0],
    [8611.0 / 62500.0, -1743.0 / 31250.0, 0.0, 0.0, 0.0],
    [5012029.0 / 34652500.0, -654441.0 / 2922500.0, 174375.0 / 388108.0, 0.0, 0.0],
    [
        15267082809.0 / 155376265600.0,
        -71443401.0 / 120774400.0,
        730878875.0 / 902184768.0,
        2285395.0 / 8070912.0,
        0.0,
    ],
    [82889.0 / 524892.0, 0.0, 15625.0 / 83664.0, 69875.0 / 102672.0, -2260.0 / 8211.0],
];
/// b̂, of order 3.
pub(super) const LOWER: [f64; STAGES + 1] = [
    4586570599.0 / 29645900160.0,
    0.0,
    178811875.0 / 945068544.0,
    814220225.0 / 1159782912.0,
    -3700637.0 / 11593932.0,
    61727.0 / 225920.0,
];

/// By how much a step changes at once.
const CHANGE: [f64; 2] = [0.2, 6.0];
/// Rises below this are not taken: the factor then still serves.
const KEPT: f64 = 1.2;

#[derive(Clone, Debug)]
pub(super) struct Esdirk {
    newton: Newton,
    /// Y' of the stages, in all components.
    slopes: [Vec<f64>; STAGES + 1],
    /// Y'_6 of the last accepted step, if the run goes on from it.
    last: Vec<f64>,
    goes_on: bool,
    predicted: Vec<f64>,
    star: Vec<f64>,
}

impl Stepper {
    /// ESDIRK of order 4 for stiff constrained mechanics, with error control; what is fast is damped. Needs [`System::mechanics`]; keeps positions and velocities on the
    /// constraints, and projects what is left after each step.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn esdirk4(n: usize, tolerance: f64) -> Self {
        Stepper::adaptive(n, Esdirk::new(n), tolerance)
    }
}

impl Esdirk {
    fn new(n: usize) -> Self {
        let vector = || vec![0.0; n];
        Esdirk {
            newton: Newton::default(),
            slopes: std::array::from_fn(|_| vector()),
            last: vector(),
            goes_on: false,
            predicted: vector(),
            star: vector(),
        }
    }

    /// (K1): the last stage is left in `y_new`.
    fn stages<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S> {
        let &Step { t, h, y, dy, weights, .. } = step;
        let m = f.system.mechanics().ok_or(Failure::NoMechanics)?;
        self.newton.begin(t, y, &mut *m)?;
        self.slopes[0].copy_from_slice(if self.goes_on { &self.last } else { dy });
        let beta = GAMMA * h;
        for (row, stage) in A.iter().zip(1..) {
            let (known, open) = self.slopes.split_at_mut(stage);
            for i in 0..y.len() {
                let sum: f64 = row.iter().zip(&*known).map(|(a, slope)| a * slope[i]).sum();
                self.star[i] = y[i] + h * sum;
                self.predicted[i] = self.star[i] + beta * known[stage - 1][i];
            }
            let formula =
                Formula { t: t + C[stage] * h, h, beta, predicted: &self.predicted, star: &self.star };
            self.newton.solve(&formula, m, weights, f.statistics, y_new)?;
            for i in 0..y.len() {
                open[0][i] = (y_new[i] - self.star[i]) / beta;
            }
        }
        Ok(())
    }

    /// (K2)
    fn error<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        y_new: &[f64],
        weights: &Weights,
    ) -> f64 {
        for i in 0..y_new.len() {
            let b = |stage: usize| if stage == STAGES { GAMMA } else { A[STAGES - 1][stage] };
            let sum: f64 = (0..=STAGES).map(|s| (b(s) - LOWER[s]) * self.slopes[s][i]).sum();
            self.star[i] = step.h * sum;
        }
        if let Some(mechanics) = f.system.mechanics() {
            self.newton.filter(mechanics, &mut self.star);
        }
        let parts = self.star.iter().zip(step.y).zip(y_new).enumerate();
        let squares = parts.map(|(i, ((e, a), b))| (e * weights.inverse(i, a.abs().max(b.abs()))).powi(2));
        (squares.sum::<f64>() / weights.count).sqrt()
    }
}

impl Method for Esdirk {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        if let Err(failure) = self.stages(f, step, y_new) {
            if let Failure::NotFinite { t, .. } = failure {
                // a force that is to blame is reported by name
                f.derivative(t, y_new, &mut self.star)?;
            }
            return Err(failure);
        }
        Ok(step.weights.map_or(0.0, |weights| self.error(f, step, y_new, weights)))
    }

    fn order(&self) -> u32 {
        4
    }

    fn nodes(&self) -> &'static [f64] {
        &C
    }

    fn factor(&self, err: f64) -> f64 {
        if err.is_nan() {
            return CHANGE[0];
        }
        let factor = (0.9 / root(err.max(1e-12), 4)).clamp(CHANGE[0], CHANGE[1]);
        if (1.0..=KEPT).contains(&factor) { 1.0 } else { factor }
    }

    fn plan<S: System>(&mut self, f: &mut Evaluator<S>, start: &Step, planned: f64) -> Tried<S, f64> {
        match start.weights {
            Some(weights) if !self.goes_on => {
                Ok(first_step(f, start, weights, &mut self.predicted, &mut self.star).min(planned))
            }
            _ => Ok(planned),
        }
    }

    fn accept(&mut self, _: &Ends) {
        self.newton.accept();
        self.last.copy_from_slice(&self.slopes[STAGES]);
        self.goes_on = true;
    }

    fn restart(&mut self) {
        self.newton.forget();
        self.goes_on = false;
    }
}

crate::keep::keep!(Esdirk { newton, slopes, last, goes_on, predicted, star });
