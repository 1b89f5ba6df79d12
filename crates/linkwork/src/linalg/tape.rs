//! Power series of formulas: a flat list of operations, each of which finds its m-th coefficient from lower ones.
//!
//! With a(τ) = Σ a_m τᵐ and so on, the operations are
//!
//! ```text
//!   (T1)  u = Σ w a + c          u_m = Σ w a_m
//!   (T2)  u = a b                u_m = Σ_{j=0..m} a_j b_{m−j}
//!   (T3)  u = a / b              u_m = (a_m − Σ_{j=1..m} b_j u_{m−j}) / b_0
//!   (T4)  u = √a                 u_m = (a_m − Σ_{j=1..m−1} u_j u_{m−j}) / 2u_0
//!   (T5)  u = a^c                u_m = Σ_{j=1..m} (c j − (m − j)) a_j u_{m−j} / m a_0
//!   (T6)  u = f(a), f' = w       u_m = Σ_{j=1..m} j a_j w_{m−j} / m
//!   (T7)  u = atan2(y, x)        u_m = Σ_{j=1..m} j (y_j c_{m−j} − x_j s_{m−j}) / m,   c = x/(x²+y²), s = y/(x²+y²)
//!   (T8)  u = ȧ                  u_m = (m + 1) a_{m+1}
//!   (T9)  u = a or b             by which of two functions of time is smaller while the series lasts
//! ```
//!
//! (T6) uses w below order m only, so w may be a function of u itself: exp has w = u, sine and cosine each other, tan has
//! w = 1 + u². That covers every elementary function with two or three operations.
//!
//! A node belongs to one of three [`Level`]s. Functions of time alone are known to any order at once; functions of coordinates
//! one order ahead of those of velocities, which is what (T8) needs. Building folds constants and finds what is there already, so a
//! body's frame is worked out once however many forces look at it.
//!
//! Where an operation is not analytic at the point of expansion (a root of zero, a division by zero) its coefficients are not finite.

mod build;
mod number;
mod reverse;
mod tangents;
#[cfg(test)]
mod tests;
mod values;

pub use build::Builder;
pub use number::{Number, Varied};
pub use reverse::Weighed;
use tangents::Changes;
pub use tangents::Tangents;

use std::f64::consts::TAU;

/// A series on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

impl Node {
    /// Its place in a list of all nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a series depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Time, or nothing.
    Time,
    /// Coordinates too.
    Positions,
    /// Their rates too.
    Rates,
}

/// Functions that (T6) finds from their slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
}

impl Function {
    fn of(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Exp => x.exp(),
            Function::Ln => x.ln(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Op<N = f64> {
    /// Never changes.
    Constant(N),
    Time,
    /// A coordinate.
    Input(u32),
    /// (T1): a range of the terms, and c.
    Sum(u32, u32, N),
    /// (T2)
    Product(Node, Node),
    Square(Node),
    /// (T3)
    Quotient(Node, Node),
    /// (T4)
    Root(Node),
    /// (T5)
    Power(Node, f64),
    /// (T6): f, a, w and a sign of w.
    Through(Function, Node, Node, f64),
    /// (T7): y, x, c, s and which of the given turns it is near.
    Angle {
        y: Node,
        x: Node,
        c: Node,
        s: Node,
        turn: Option<u32>,
    },
    /// (T8)
    Rate(Node),
    /// (T9): the first of the options where p < q, in the middle of the stretch if both are functions of time (`ahead`), and otherwise at its start.
    Either {
        p: Node,
        q: Node,
        options: [Node; 2],
        ahead: bool,
    },
}

/// A tape ready to run, with room for the coefficients.
#[derive(Clone, Debug)]
pub struct Tape {
    ops: Vec<Op>,
    terms: Vec<(Node, f64)>,
    /// Nodes of each level, in order.
    levels: [Vec<u32>; 3],
    /// Which option each [`Op::Either`] takes; empty where there are none.
    chosen: Vec<bool>,
    /// Coefficients of a node stand together.
    c: Vec<f64>,
    stride: usize,
    /// What is varied in its numbers.
    changes: Changes,
}

/// Where a series begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// s
    pub t: f64,
    /// A time within the stretch on which functions of time keep their course.
    pub middle: f64,
    /// Near which value angles are, by number.
    pub turns: &'a [f64],
}

impl Tape {
    /// Coefficient m of a node.
    #[inline]
    pub fn at(&self, node: Node, m: usize) -> f64 {
        self.c[node.0 as usize * self.stride + m]
    }

    /// Whether functions of time on it are made of pieces, so that a value at a corner is that of the stretch ahead.
    pub fn has_pieces(&self) -> bool {
        !self.chosen.is_empty()
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Begins at an instant: the series of time are worked out to every order.
    pub fn begin(&mut self, start: &Start<'_>) {
        if !self.chosen.is_empty() {
            self.choose(start);
        }
        for m in 0..self.stride {
            self.level(Level::Time, m, start, &[]);
        }
    }

    /// (T9): looks ahead.
    fn choose(&mut self, start: &Start<'_>) {
        let ahead = Start { t: start.middle, ..*start };
        let levels = std::mem::take(&mut self.levels);
        for &i in &levels[Level::Time as usize] {
            self.decide(i as usize);
            self.node(i as usize, 0, &ahead, &[]);
        }
        for &i in levels[1].iter().chain(&levels[2]) {
            self.decide(i as usize);
        }
        self.levels = levels;
    }

    fn decide(&mut self, i: usize) {
        if let Op::Either { p, q, ahead: true, .. } = self.ops[i] {
            self.chosen[i] = self.at(p, 0) < self.at(q, 0);
        }
    }

    /// Order m of everything that depends on coordinates, of which `x` are the coefficients of this order.
    pub fn positions(&mut self, m: usize, start: &Start<'_>, x: &[f64]) {
        self.level(Level::Positions, m, start, x);
    }

    /// Order m of everything that depends on rates; coordinates must be known to order m + 1.
    pub fn rates(&mut self, m: usize, start: &Start<'_>) {
        self.level(Level::Rates, m, start, &[]);
    }

    fn level(&mut self, level: Level, m: usize, start: &Start<'_>, x: &[f64]) {
        let list = std::mem::take(&mut self.levels[level as usize]);
        for &i in &list {
            self.node(i as usize, m, start, x);
        }
        self.levels[level as usize] = list;
    }

    /// Coefficients of a node.
    #[inline]
    pub fn series(&self, node: Node) -> &[f64] {
        let from = node.0 as usize * self.stride;
        &self.c[from..from + self.stride]
    }

    fn node(&mut self, i: usize, m: usize, start: &Start<'_>, x: &[f64]) {
        let value = match self.ops[i] {
            Op::Constant(c) => f64::from(u8::from(m == 0)) * c,
            Op::Time => match m {
                0 => start.t,
                1 => 1.0,
                _ => 0.0,
            },
            Op::Input(k) => x[k as usize],
            Op::Sum(from, to, c) => {
                let first = if m == 0 { c } else { 0.0 };
                let terms = &self.terms[from as usize..to as usize];
                terms.iter().fold(first, |s, &(a, w)| s + w * self.at(a, m)) // (T1)
            }
            Op::Product(a, b) => product(self.series(a), self.series(b), m),
            Op::Square(a) => square(self.series(a), m),
            Op::Quotient(a, b) => {
                let (b, u) = (self.series(b), self.series(Node(i as u32)));
                let rest: f64 = (1..=m).map(|j| b[j] * u[m - j]).sum();
                (self.at(a, m) - rest) / b[0] // (T3)
            }
            Op::Root(a) if m == 0 => self.at(a, 0).sqrt(),
            Op::Root(a) => {
                let u = self.series(Node(i as u32));
                let rest: f64 = (1..m).map(|j| u[j] * u[m - j]).sum();
                0.5 * (self.at(a, m) - rest) / u[0] // (T4)
            }
            Op::Power(a, c) if m == 0 => power(self.at(a, 0), c),
            Op::Power(a, c) => {
                let (a, u) = (self.series(a), self.series(Node(i as u32)));
                let sum: f64 = (1..=m).map(|j| (c * j as f64 - (m - j) as f64) * a[j] * u[m - j]).sum();
                sum / (m as f64 * a[0]) // (T5)
            }
            Op::Through(f, a, ..) if m == 0 => f.of(self.at(a, 0)),
            Op::Through(_, a, w, sign) => sign * slope_sum(self.series(a), self.series(w), m) / m as f64, // (T6)
            Op::Angle { y, x, turn, .. } if m == 0 => {
                let angle = self.at(y, 0).atan2(self.at(x, 0));
                match turn {
                    Some(k) => angle + TAU * ((start.turns[k as usize] - angle) / TAU).round(),
                    None => angle,
                }
            }
            Op::Angle { y, x, c, s, .. } => {
                let [y, x, c, s] = [y, x, c, s].map(|n| self.series(n));
                (slope_sum(y, c, m) - slope_sum(x, s, m)) / m as f64 // (T7)
            }
            Op::Rate(a) => (m + 1) as f64 * self.series(a).get(m + 1).copied().unwrap_or(0.0), // (T8)
            Op::Either { p, q, options: [a, b], ahead } => {
                if m == 0 && !ahead {
                    self.chosen[i] = self.at(p, 0) < self.at(q, 0);
                }
                self.at(if self.chosen[i] { a } else { b }, m)
            }
        };
        self.c[i * self.stride + m] = value;
    }
}

/// (T2)
#[inline]
fn product(a: &[f64], b: &[f64], m: usize) -> f64 {
    a[..=m].iter().zip(b[..=m].iter().rev()).map(|(a, b)| a * b).sum()
}

/// (T2) with itself: every pair once.
#[inline]
fn square(a: &[f64], m: usize) -> f64 {
    let pairs = m.div_ceil(2);
    let sum: f64 = (0..pairs).map(|j| a[j] * a[m - j]).sum();
    2.0 * sum + if m.is_multiple_of(2) { a[m / 2] * a[m / 2] } else { 0.0 }
}

/// Σ_{j=1..m} j a_j w_{m−j}
#[inline]
fn slope_sum(a: &[f64], w: &[f64], m: usize) -> f64 {
    (1..=m).map(|j| j as f64 * a[j] * w[m - j]).sum()
}

/// A power; the cube root of a negative number is one too.
fn power(x: f64, c: f64) -> f64 {
    if c == 1.0 / 3.0 { x.cbrt() } else { x.powf(c) }
}
