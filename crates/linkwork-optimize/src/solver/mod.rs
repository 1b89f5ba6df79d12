//! Solvers behind one trait: least squares of our own, and those of `basin` for what is no sum of squares.

mod evolution;
mod least_squares;
mod probe;
mod sqp;

pub(crate) use evolution::Evolution;
pub(crate) use least_squares::{Descent, LeastSquares};
pub(crate) use probe::{Probe, Record};
pub(crate) use sqp::Sqp;

/// A way to make a problem's objective small from a starting point. What it finds stays in the probe, whatever ends it.
pub(crate) trait Solver {
    /// Its name in reports.
    fn name(&self) -> &'static str;
    /// Searches from a point, within the evaluations that the probe has left.
    fn search(&self, probe: &Probe<'_>, start: &[f64]);
}

/// The probe has no evaluations left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent;
