//! A tape at an instant after its start: what its operations are there, instead of what their series say.
//!
//! Coordinates are taken from their series, everything else is worked out from them:
//!
//! ```text
//!   (T10)  x(τ) = Σ x_m τᵐ,  ẋ(τ) = Σ m x_m τᵐ⁻¹;   u(τ) = f(a(τ)),  u̇ = f'(a) ȧ        what depends on rates has no u̇
//! ```
//!
//! One place costs as much as one order of the series, or less.

use super::{Function, Node, Op, Start, Tape, power};
use std::f64::consts::TAU;

impl Function {
    pub(super) fn slope(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.cos(),
            Function::Cos => -x.sin(),
            Function::Tan => 1.0 / x.cos().powi(2),
            Function::Asin => 1.0 / ((1.0 - x) * (1.0 + x)).sqrt(),
            Function::Acos => -1.0 / ((1.0 - x) * (1.0 + x)).sqrt(),
            Function::Atan => 1.0 / (1.0 + x * x),
            Function::Sinh => x.cosh(),
            Function::Cosh => x.sinh(),
            Function::Tanh => 1.0 - x.tanh().powi(2),
            Function::Exp => x.exp(),
            Function::Ln => 1.0 / x,
        }
    }
}

impl Tape {
    /// (T10) at τ after the start, into `out`: value and rate of every node. Coordinates have so many terms.
    pub fn values(&self, tau: f64, terms: usize, start: &Start<'_>, out: &mut Vec<[f64; 2]>) {
        out.resize(self.ops.len(), [0.0; 2]);
        for &i in self.levels.iter().flatten() {
            let i = i as usize;
            out[i] = self.value_of(i, tau, terms, start, out);
        }
    }

    /// A node's series, summed at τ.
    pub fn summed(&self, node: Node, tau: f64, terms: usize) -> f64 {
        self.series(node)[..terms].iter().rev().fold(0.0, |sum, c| sum * tau + c)
    }

    fn value_of(&self, i: usize, tau: f64, terms: usize, start: &Start<'_>, known: &[[f64; 2]]) -> [f64; 2] {
        let at = |node: Node| known[node.0 as usize];
        match self.ops[i] {
            Op::Constant(c) => [c, 0.0],
            Op::Time => [start.t + tau, 1.0],
            Op::Input(_) => {
                let c = &self.series(Node(i as u32))[..terms];
                let mut found = [0.0; 2];
                for &c in c.iter().rev() {
                    found = [found[0] * tau + c, found[1] * tau + found[0]];
                }
                found
            }
            Op::Sum(from, to, c) => {
                let terms = &self.terms[from as usize..to as usize];
                terms.iter().fold([c, 0.0], |s, &(a, w)| [s[0] + w * at(a)[0], s[1] + w * at(a)[1]])
            }
            Op::Product(a, b) => {
                let (a, b) = (at(a), at(b));
                [a[0] * b[0], a[0] * b[1] + a[1] * b[0]]
            }
            Op::Square(a) => {
                let a = at(a);
                [a[0] * a[0], 2.0 * a[0] * a[1]]
            }
            Op::Quotient(a, b) => {
                let (a, b) = (at(a), at(b));
                let u = a[0] / b[0];
                [u, (a[1] - u * b[1]) / b[0]]
            }
            Op::Root(a) => {
                let u = at(a)[0].sqrt();
                [u, 0.5 * at(a)[1] / u]
            }
            Op::Power(a, c) => {
                let (x, u) = (at(a)[0], power(at(a)[0], c));
                [u, if at(a)[1] == 0.0 { 0.0 } else { c * u / x * at(a)[1] }]
            }
            Op::Through(f, a, ..) => {
                let [x, rate] = at(a);
                [f.of(x), if rate == 0.0 { 0.0 } else { f.slope(x) * rate }]
            }
            Op::Angle { y, x, turn, .. } => {
                let (y, x) = (at(y), at(x));
                let angle = y[0].atan2(x[0]);
                let angle = match turn {
                    Some(_) => {
                        let near = self.summed(Node(i as u32), tau, terms);
                        angle + TAU * ((near - angle) / TAU).round()
                    }
                    None => angle,
                };
                [angle, (x[0] * y[1] - y[0] * x[1]) / (x[0] * x[0] + y[0] * y[0])]
            }
            Op::Rate(a) => [at(a)[1], 0.0],
            Op::Either { options: [a, b], .. } => at(if self.chosen[i] { a } else { b }),
        }
    }
}
