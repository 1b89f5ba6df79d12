//! Time stepping over contacts: the system makes the step, by velocities and impulses ([`System::impulsive_step`]).
//!
//! Forces and impacts within a step are one impulse. Between impacts the rule of Moreau's that systems follow has order 2; an impact happens up to a step too early or
//! too late, so over impacts the order is 1. Between steps the straight line.
//!
//! Error control takes the system's own estimate e of the local error. It behaves like h at impacts and like h³ elsewhere:
//!
//!   (M1)  h_new = h · clamp(0.9 · (tolerance/e)^(1/2), 0.2, 2)
//!
//! Impacts follow each other without end in heaps, so that there is a shortest step, which is accepted whatever its error.

use super::control::{Evaluator, Failure};
use super::method::{Method, Tried, line};
use super::{Ends, Step, Stepper, System};

#[derive(Clone, Debug)]
pub(super) struct Moreau {
    dy: Vec<f64>,
    /// Local error in parts of the size; infinite where steps are given.
    tolerance: f64,
    /// The shortest step, s.
    shortest: f64,
}

impl Stepper {
    /// Time stepping over contacts with step `h` (s): Moreau's midpoint rule. Needs [`System::impulsive_step`].
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn moreau(n: usize, h: f64) -> Self {
        Stepper::fixed(n, Moreau { dy: vec![0.0; n], tolerance: f64::INFINITY, shortest: 0.0 }, h)
    }

    /// Time stepping over contacts under error control: the local error of a step stays below `tolerance` times the size of the system, but for steps of the length `shortest` (s).
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn moreau_within(n: usize, tolerance: f64, shortest: f64) -> Self {
        Stepper::adaptive(n, Moreau { dy: vec![0.0; n], tolerance, shortest }, tolerance)
    }
}

impl Method for Moreau {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        let made = f.system.impulsive_step(step.t, step.h, step.y, y_new, &mut self.dy);
        f.statistics.derivative_evaluations += 2;
        match made {
            None => Err(Failure::NoMechanics),
            Some(Err(source)) => Err(Failure::System { t: step.t_new, source }),
            Some(Ok(error)) => {
                let error = error / self.tolerance;
                // never longer than the shortest by more than roundings
                Ok(if step.h.abs() <= 1.01 * self.shortest { error.min(1.0) } else { error })
            }
        }
    }

    fn order(&self) -> u32 {
        2
    }

    // (M1)
    fn factor(&self, err: f64) -> f64 {
        (0.9 / err.max(1e-6).sqrt()).clamp(0.2, 2.0)
    }

    fn plan<S: System>(&mut self, f: &mut Evaluator<S>, start: &Step, planned: f64) -> Tried<S, f64> {
        let _ = (f, start);
        Ok(planned.max(self.shortest))
    }

    fn rates(&self) -> Option<&[f64]> {
        Some(&self.dy)
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        line(ends, s, out);
    }
}

crate::keep::keep!(Moreau { dy } but { tolerance, shortest });
