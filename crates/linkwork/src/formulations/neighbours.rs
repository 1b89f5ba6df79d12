//! Neighbours of a mechanism along numbers of its model, and slopes of what is compiled of them.
//!
//! With x_k a number of the mechanism at p + k ε, and weights w_k of a central difference,
//!
//!   (N1)  ∂x/∂p = Σ_k w_k (x_k − x_0)                       without the roundings of what all have in common
//!
//! A number that is chosen by the drawing, as a direction across an axis is, may jump from one mechanism to the other. With the nearest two pairs,
//!
//!   (N2)  J = (4 m_1 − m_2)/3,  m_k = (x_k + x_−k)/2 − x_0;     J' = d_1 − d_2,  d_k = (x_k − x_−k)/2k
//!
//! are of higher order in ε where x is smooth, and as large as the jump where it jumps. Where x bends too much for ε, a difference of lower order over the same places differs:
//!
//!   (N3)  doubt = |Σ_k w_k x_k − Σ_k w'_k x_k| P / max(|x|, P |∂x/∂p|)         P: the size of p

use crate::mechanism::Mechanism;
use std::cell::{Cell, RefCell};

/// A jump is more than this part of the numbers, and more than this.
const JUMP: (f64, f64) = (0.2, 1e-9);
/// What differs by less than this part of the numbers, or by less than this, are roundings.
const ROUNDING: (f64, f64) = (1e-14, 1e-15);

/// Weights of a difference, in pairs at the multiples 1, −1, 2, −2, … of ε.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Those of the difference.
    pub best: &'static [f64],
    /// Those of the one of lower order.
    pub lower: &'static [f64],
}

/// A mechanism and its neighbours along some variables.
pub struct Neighbours<'m> {
    /// All mechanisms: the nominal one, then those of each variable, in pairs on either side of it, the nearest pair first.
    all: Vec<&'m Mechanism>,
    weights: Weights,
    /// ε and P by variable.
    steps: Vec<(f64, f64)>,
    /// Whether a number that was asked for jumps; the largest doubt, by variable.
    jumps: Cell<bool>,
    doubts: RefCell<Vec<f64>>,
}

impl<'m> Neighbours<'m> {
    /// Mechanisms at the multiples 1, −1, 2, −2, … of ε of each variable, the weights of a difference at these multiples for ε = 1, and ε and size of each variable.
    pub fn new(
        nominal: &'m Mechanism,
        lines: impl IntoIterator<Item = &'m [Mechanism]>,
        weights: Weights,
        steps: Vec<(f64, f64)>,
    ) -> Self {
        let all = std::iter::once(nominal).chain(lines.into_iter().flatten()).collect();
        let doubts = RefCell::new(vec![0.0; steps.len()]);
        Neighbours { all, weights, steps, jumps: Cell::new(false), doubts }
    }

    /// A mechanism that nothing varies.
    pub fn none(nominal: &'m Mechanism) -> Self {
        Neighbours::new(nominal, [], Weights { best: &[], lower: &[] }, Vec::new())
    }

    /// The mechanism itself.
    pub fn nominal(&self) -> &'m Mechanism {
        self.all[0]
    }

    /// The mechanism, then all neighbours.
    pub fn all(&self) -> &[&'m Mechanism] {
        &self.all
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.steps.len()
    }

    /// (N1) by each variable, from the number in [all](Self::all) mechanisms; nothing where it is the same in all.
    pub fn slopes(&self, x: &[f64]) -> Vec<f64> {
        if x.iter().all(|&value| value == x[0]) {
            return Vec::new();
        }
        let lines = x[1..].chunks_exact(self.weights.best.len().max(1));
        lines.enumerate().map(|(j, line)| self.slope(j, x[0], line)).collect()
    }

    /// (N1) by one variable, from the number of the mechanism itself and those on its [line](Self::line).
    pub fn slope(&self, variable: usize, here: f64, line: &[f64]) -> f64 {
        let sum = |weights: &[f64]| weights.iter().zip(line).map(|(w, x)| w * (x - here)).sum::<f64>();
        let (epsilon, size) = self.steps[variable];
        let best = sum(self.weights.best);
        if let &[a, b, c, d, ..] = line {
            let means = [0.5 * (a + b) - here, 0.5 * (c + d) - here];
            let across = [0.5 * (a - b), 0.25 * (c - d)];
            let jump = f64::max((4.0 * means[0] - means[1]).abs() / 3.0, (across[0] - across[1]).abs()); // (N2)
            let moved = line.iter().fold(0.0_f64, |most, x| most.max((x - here).abs()));
            if jump.is_nan() || jump > JUMP.1.max(JUMP.0 * moved) {
                self.jumps.set(true);
            }
            // (N3)
            let most = moved + here.abs();
            let off = (best - sum(self.weights.lower)).abs();
            if off > ROUNDING.0 * most + ROUNDING.1 {
                let doubt = off * size / epsilon / most.max(best.abs() * size / epsilon);
                let known = &mut self.doubts.borrow_mut()[variable];
                *known = known.max(doubt);
            }
        }
        best / epsilon
    }

    /// (N1) by one variable of what a function says of a mechanism.
    pub fn slope_of(&self, variable: usize, of: impl Fn(&Mechanism) -> f64) -> f64 {
        let line: Vec<f64> = self.line(variable).iter().map(|mechanism| of(mechanism)).collect();
        self.slope(variable, of(self.all[0]), &line)
    }

    /// The mechanisms of a variable.
    pub fn line(&self, variable: usize) -> &[&'m Mechanism] {
        let n = self.weights.best.len();
        &self.all[1 + variable * n..][..n]
    }

    /// Whether a number that was asked for so far jumps between the mechanisms.
    pub fn jump(&self) -> bool {
        self.jumps.get()
    }

    /// (N3), the largest so far, by variable.
    pub fn doubts(&self) -> Vec<f64> {
        self.doubts.borrow().clone()
    }
}
