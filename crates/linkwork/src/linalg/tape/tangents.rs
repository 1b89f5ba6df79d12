//! Derivatives of all series on a tape along directions: of the coordinates, and of the numbers that stand on it.
//!
//! Each operation is differentiated as the series that it is, with δ of every coefficient; all coefficients themselves are known before:
//!
//! ```text
//!   (T11)  u = Σ w a + c        δu_m = Σ (w δa_m + δw a_m) + δc
//!   (T12)  u = a b              δu_m = Σ_{j=0..m} (δa_j b_{m−j} + a_j δb_{m−j})
//!   (T13)  u b = a              δu_m = (δa_m − Σ_{j=0..m} δb_j u_{m−j} − Σ_{j=1..m} b_j δu_{m−j}) / b_0
//!   (T14)  u² = a               δu_m = (δa_m − 2 Σ_{j=1..m} u_j δu_{m−j}) / 2u_0
//!   (T15)  u = a^c              a δu = c u δa
//!   (T16)  u = f(a), f' = w     δu = w δa;   of an angle  c δy − s δx
//! ```
//!
//! Several directions go side by side.

use super::{Level, Node, Op, Tape};

/// What is varied in the numbers of a tape: derivatives by each of the variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// Operation, and the derivatives of its constant or of the constant part of its sum.
    pub constants: Vec<(usize, Vec<f64>)>,
    /// Term of a sum, and the derivatives of its weight.
    pub weights: Vec<(usize, Vec<f64>)>,
}

/// Derivatives of all coefficients along directions that go side by side.
#[derive(Clone, Debug, Default)]
pub struct Tangents {
    lanes: usize,
    /// δ of coefficient m of node i for the k-th direction at (i × stride + m) × lanes + k.
    c: Vec<f64>,
    /// Changes by operation and by term.
    constants: Vec<f64>,
    weights: Vec<f64>,
    /// Which operations have any.
    touched: Vec<bool>,
}

/// Σ_{j=from..m} a_j δb_{m−j}
#[inline(always)]
fn against<const L: usize>(a: &[f64], db: &[[f64; L]], from: usize, m: usize) -> [f64; L] {
    let mut sum = [0.0; L];
    for j in from..=m {
        let (a, db) = (a[j], &db[m - j]);
        (0..L).for_each(|k| sum[k] += a * db[k]);
    }
    sum
}

/// x + c y
#[inline(always)]
fn plus<const L: usize>(x: [f64; L], c: f64, y: [f64; L]) -> [f64; L] {
    std::array::from_fn(|k| x[k] + c * y[k])
}

impl Tape {
    /// Room for derivatives by some of the variables, side by side in as many lanes or more.
    pub fn tangents(&self, variables: std::ops::Range<usize>, lanes: usize) -> Tangents {
        let count = variables.len();
        let mut tangents = Tangents {
            lanes,
            c: vec![0.0; self.c.len() * lanes],
            constants: vec![0.0; self.ops.len() * lanes],
            weights: vec![0.0; self.terms.len() * lanes],
            touched: vec![false; self.ops.len()],
        };
        let mut moved = vec![false; self.terms.len()];
        for (i, slopes) in &self.changes.constants {
            tangents.constants[i * lanes..][..count].copy_from_slice(&slopes[variables.clone()]);
            tangents.touched[*i] = true;
        }
        for (i, slopes) in &self.changes.weights {
            tangents.weights[i * lanes..][..count].copy_from_slice(&slopes[variables.clone()]);
            moved[*i] = true;
        }
        // constants have no other coefficient, and it stays
        for (i, op) in self.ops.iter().enumerate() {
            if let Op::Constant(_) = op {
                let own = &tangents.constants[i * lanes..][..lanes];
                tangents.c[i * self.stride * lanes..][..lanes].copy_from_slice(own);
            }
        }
        for (op, touched) in self.ops.iter().zip(&mut tangents.touched) {
            if let Op::Sum(from, to, _) = *op {
                *touched |= moved[from as usize..to as usize].iter().any(|&moved| moved);
            }
        }
        tangents
    }

    /// δ of order m of everything at a level whose coefficients of that order are known; `x` has δ of the coordinates.
    ///
    /// # Panics
    /// If there is room for another number of directions.
    #[inline(always)]
    pub fn vary<const L: usize>(&self, level: Level, m: usize, x: &[[f64; L]], tangents: &mut Tangents) {
        assert!(tangents.lanes == L, "there is room for {} directions", tangents.lanes);
        let Tangents { c, constants, weights, touched, .. } = tangents;
        let (c, _) = c.as_chunks_mut::<L>();
        let (constants, weights) = (constants.as_chunks::<L>().0, weights.as_chunks::<L>().0);
        for &i in &self.levels[level as usize] {
            let i = i as usize;
            let of = |node: Node| &c[node.0 as usize * self.stride..][..self.stride];
            let own = &c[i * self.stride..][..self.stride];
            let value: [f64; L] = match self.ops[i] {
                Op::Constant(_) => continue,
                Op::Time => [0.0; L],
                Op::Input(k) => x[k as usize],
                Op::Sum(from, to, _) => {
                    let terms = from as usize..to as usize;
                    let mut sum = if m == 0 { constants[i] } else { [0.0; L] };
                    for &(a, w) in &self.terms[terms.clone()] {
                        sum = plus(sum, w, of(a)[m]);
                    }
                    if touched[i] {
                        for (&(a, _), dw) in self.terms[terms.clone()].iter().zip(&weights[terms]) {
                            sum = plus(sum, self.at(a, m), *dw);
                        }
                    }
                    sum
                }
                Op::Product(a, b) => {
                    plus(against(self.series(b), of(a), 0, m), 1.0, against(self.series(a), of(b), 0, m))
                }
                Op::Square(a) => against(self.series(a), of(a), 0, m).map(|x| 2.0 * x),
                Op::Quotient(a, b) => {
                    let b_0 = self.at(b, 0);
                    let rest = plus(
                        against(self.series(Node(i as u32)), of(b), 0, m),
                        1.0,
                        against(self.series(b), own, 1, m),
                    );
                    plus(of(a)[m], -1.0, rest).map(|x| x / b_0) // (T13)
                }
                Op::Root(a) => {
                    let u = self.series(Node(i as u32));
                    let rest = against(u, own, 1, m);
                    plus(of(a)[m], -2.0, rest).map(|x| 0.5 * x / u[0]) // (T14)
                }
                Op::Power(a, power) => {
                    let right = against(self.series(Node(i as u32)), of(a), 0, m).map(|x| power * x);
                    let a_0 = self.at(a, 0);
                    plus(right, -1.0, against(self.series(a), own, 1, m)).map(|x| x / a_0) // (T15)
                }
                Op::Through(_, a, w, sign) => against(self.series(w), of(a), 0, m).map(|x| sign * x), // (T16)
                Op::Angle { y, x, c, s, .. } => {
                    plus(against(self.series(c), of(y), 0, m), -1.0, against(self.series(s), of(x), 0, m))
                }
                Op::Rate(a) => match of(a).get(m + 1) {
                    Some(next) => next.map(|x| (m + 1) as f64 * x),
                    None => [0.0; L],
                },
                Op::Either { options: [a, b], .. } => of(if self.chosen[i] { a } else { b })[m],
            };
            c[i * self.stride + m] = value;
        }
    }

    /// δ of coefficient m of a node.
    #[inline(always)]
    pub fn varied<const L: usize>(&self, tangents: &Tangents, node: Node, m: usize) -> [f64; L] {
        let from = (node.0 as usize * self.stride + m) * L;
        std::array::from_fn(|k| tangents.c[from + k])
    }

    /// Highest order of the coefficients.
    pub fn order(&self) -> usize {
        self.stride - 1
    }
}
