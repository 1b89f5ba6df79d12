//! The constants of a tape while it is built: plain numbers, or numbers with their derivatives by what is varied.
//!
//!   (N1)  x = a + Σ_j b_j ε_j,   ε_i ε_j = 0       so that  f(x) = f(a) + f'(a) Σ_j b_j ε_j
//!
//! A number is zero, and what it multiplies vanishes, only where its derivatives are zero, too. So a tape that is built with varied numbers has every operation that a neighbour of the model needs.

use std::fmt::Debug;
use std::hash::Hash;

/// A constant of a tape.
pub trait Number: Clone + Debug {
    /// What makes two of them the same.
    type Key: Clone + Debug + Eq + Hash;
    /// Whether it has derivatives.
    const VARIES: bool;

    /// A number that nothing varies.
    fn of(value: f64) -> Self;
    /// a
    fn value(&self) -> f64;
    /// b_j, or nothing where all are zero.
    fn slopes(&self) -> &[f64];
    /// x + w y
    fn plus(&self, w: &Self, y: &Self) -> Self;
    /// A number with these derivatives, where they are kept.
    fn with(value: f64, slopes: Vec<f64>) -> Self;
    /// (N1), from f(a) and f'(a).
    fn through(&self, value: f64, slope: f64) -> Self;
    /// See [`Number::Key`].
    fn key(&self) -> Self::Key;

    /// Whether it is this number, and nothing varies it.
    fn is(&self, value: f64) -> bool {
        self.value() == value && self.slopes().is_empty()
    }
    /// x y
    fn times(&self, y: &Self) -> Self {
        Self::of(0.0).plus(self, y)
    }
    /// x / y
    fn over(&self, y: &Self) -> Self {
        let inverse = 1.0 / y.value();
        match y.slopes().is_empty() && self.slopes().is_empty() {
            true => Self::of(self.value() / y.value()),
            false => self.times(&y.through(inverse, -inverse * inverse)),
        }
    }
}

impl Number for f64 {
    type Key = u64;
    const VARIES: bool = false;

    fn of(value: f64) -> Self {
        value
    }
    fn value(&self) -> f64 {
        *self
    }
    fn slopes(&self) -> &[f64] {
        &[]
    }
    fn plus(&self, w: &Self, y: &Self) -> Self {
        self + w * y
    }
    fn with(value: f64, _: Vec<f64>) -> Self {
        value
    }
    fn through(&self, value: f64, _: f64) -> Self {
        value
    }
    fn key(&self) -> u64 {
        (self + 0.0).to_bits() // one zero
    }
}

/// A number with its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Varied {
    value: f64,
    slopes: Vec<f64>,
}

impl Number for Varied {
    type Key = Vec<u64>;
    const VARIES: bool = true;

    fn of(value: f64) -> Self {
        Varied { value, slopes: Vec::new() }
    }
    fn value(&self) -> f64 {
        self.value
    }
    fn slopes(&self) -> &[f64] {
        &self.slopes
    }
    fn with(value: f64, slopes: Vec<f64>) -> Self {
        let varied = slopes.iter().any(|&slope| slope != 0.0);
        Varied { value, slopes: if varied { slopes } else { Vec::new() } }
    }
    fn plus(&self, w: &Self, y: &Self) -> Self {
        let value = self.value + w.value * y.value;
        let count = self.slopes.len().max(w.slopes.len()).max(y.slopes.len());
        let at = |x: &Self, j: usize| x.slopes.get(j).copied().unwrap_or(0.0);
        let slope = |j| at(self, j) + w.value * at(y, j) + at(w, j) * y.value;
        Varied::with(value, (0..count).map(slope).collect())
    }
    fn through(&self, value: f64, slope: f64) -> Self {
        Varied::with(value, self.slopes.iter().map(|b| slope * b).collect())
    }
    fn key(&self) -> Vec<u64> {
        std::iter::once(&self.value).chain(&self.slopes).map(Number::key).collect()
    }
}
