//! Time stepping over contacts: the system makes the step, by velocities and impulses ([`System::impulsive_step`]).
//!
//! Forces and impacts within a step are one impulse. Between impacts the rule of Moreau's that systems follow has order 2; an impact happens up to a step too early or
//! too late, so over impacts the order is 1. Between steps the straight line.

use super::control::{Evaluator, Failure};
use super::method::{Method, Tried, line};
use super::{Ends, Step, Stepper, System};

#[derive(Clone, Debug)]
pub(super) struct Moreau {
    dy: Vec<f64>,
}

impl Stepper {
    /// Time stepping over contacts with step `h` (s): Moreau's midpoint rule. Needs [`System::impulsive_step`].
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn moreau(n: usize, h: f64) -> Self {
        Stepper::fixed(n, Moreau { dy: vec![0.0; n] }, h)
    }
}

impl Method for Moreau {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        let made = f.system.impulsive_step(step.t, step.h, step.y, y_new, &mut self.dy);
        f.statistics.derivative_evaluations += 2;
        match made {
            None => Err(Failure::NoMechanics),
            Some(made) => made.map(|()| 0.0).map_err(|source| Failure::System { t: step.t_new, source }),
        }
    }

    fn rates(&self) -> Option<&[f64]> {
        Some(&self.dy)
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        line(ends, s, out);
    }
}

crate::keep::keep!(Moreau { dy });
