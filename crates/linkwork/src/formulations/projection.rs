//! When a projection onto the constraints has arrived: one rule for every formulation.
//!
//! Newton steps go on until the largest residual is down to rounding ([`CLOSED`]), or good enough ([`OPEN`]) and no
//! longer falling. One step that gains nothing may only have handed the residual on: in point coordinates a coupling reads
//! a body that is slightly out of shape, and is met once the body is in shape. So two steps are given to it, unless
//! what is left is little more than rounding ([`NEARLY`]). A projection that is still open after [`MAX_STEPS`] has failed.
//!
//! Coordinates at a distance D from the origin are known to ε D only. Where that is far away, as it is for a mechanism that has travelled, D/4 takes
//! the place of the size: a projection never fails because of the distance.

use super::MotionError;

/// Residuals below this part of the mechanism's size are rounding.
const CLOSED: f64 = 2e-15;
/// Residuals below this part of the size that fall no further are rounding too.
const NEARLY: f64 = 2e-14;
/// A projection that ends above this part of the size has failed.
const OPEN: f64 = 1e-12;
const MAX_STEPS: u32 = 12;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: the constraints are met.
    Done,
    /// Another step; a factor from an earlier one still serves.
    Step,
    /// Another step with a new factor: the first, or the last one gained too little.
    StepAnew,
}

/// A projection under way.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    size: f64,
    before: f64,
    steps: u32,
}

impl Projection {
    /// Begins, with residuals to be judged against `size`.
    pub fn new(size: f64) -> Self {
        Projection { size, before: f64::INFINITY, steps: 0 }
    }

    /// Judges the largest residual; `worst` names its row for the error.
    pub fn next(&mut self, residual: f64, worst: impl FnOnce() -> String) -> Result<Next, MotionError> {
        let last = self.steps == MAX_STEPS;
        let tried = self.steps >= 2 || residual <= NEARLY * self.size;
        let stagnates = (residual > 0.25 * self.before && tried) || last;
        if residual <= CLOSED * self.size || (residual <= OPEN * self.size && stagnates) {
            return Ok(Next::Done);
        }
        if !residual.is_finite() {
            return Err(MotionError::NotFinite { what: worst() });
        }
        if last {
            return Err(MotionError::NotConverged { worst: worst(), residual, iterations: self.steps });
        }
        let again = self.steps == 0 || residual > 0.1 * self.before;
        self.before = residual;
        self.steps += 1;
        Ok(if again { Next::StepAnew } else { Next::Step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_ends_at_rounding_when_stagnant_and_never_open() {
        let name = || "row".into();
        let mut p = Projection::new(2.0);
        assert_eq!(p.next(1e-3, name), Ok(Next::StepAnew), "the first needs a factor");
        assert_eq!(p.next(1e-7, name), Ok(Next::Step));
        assert_eq!(p.next(9e-8, name), Ok(Next::StepAnew), "gained too little");
        assert_eq!(p.next(1e-14, name), Ok(Next::Step), "good enough, but still falling");
        assert_eq!(p.next(9e-15, name), Ok(Next::Done));
        assert_eq!(Projection::new(2.0).next(4e-15, name), Ok(Next::Done));
        assert!(Projection::new(1.0).next(f64::NAN, name).is_err());
        let mut p = Projection::new(1.0);
        for _ in 0..MAX_STEPS {
            assert!(p.next(1.0, name).is_ok());
        }
        assert!(matches!(p.next(1.0, name), Err(MotionError::NotConverged { iterations: MAX_STEPS, .. })));
    }
}
