//! Equations among the rates, solved on top of the tree.
//!
//! With C the rows of cut joints and couplings, and a the accelerations (or changes of rates) without them,
//!
//! ```text
//!   (R1)  W = M⁻¹ Cᵀ                 a sweep of the tree for each row
//!   (R2)  Λ = C W,  Λ ν = C a − γ
//!   (R3)  x = a − W ν
//! ```
//!
//! Λ is as large as there are rows, and dense: this pays where loops are few. Rows that depend on others make it singular, so
//! that Λ + E is factored, with E a small part of the diagonal, and the answer is refined against Λ: x is unique even then, ν one of
//! the possible ones.

use crate::recursive::Dynamics;
use crate::recursive::lane::{PACK, Pack};
use pulp::Arch;

/// More rows than this are refused: a dense matrix of them would be too large.
pub(super) const MAX_ROWS: usize = 3000;

const EPSILON: f64 = 1e-10;
/// An entry of Λ's diagonal below this part of the largest is next to nothing.
const SLIGHT: f64 = 1e-4;
const REFINED: f64 = 1e-14;
const MAX_REFINEMENTS: usize = 6;

/// A sparse row of C.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The rates it may depend on, ascending.
    pub rates: Vec<usize>,
    /// Their factors.
    pub values: Vec<f64>,
    /// The rows that say the same along other axes, itself among them: any of them may vanish while the others do not, and is then noise at their size.
    pub together: std::ops::Range<usize>,
}

impl Row {
    /// C_r x
    pub fn times(&self, x: &[f64]) -> f64 {
        self.rates.iter().zip(&self.values).map(|(&k, c)| c * x[k]).sum()
    }
}

/// The rows with their buffers.
#[derive(Clone, Debug, Default)]
pub struct RowSolver {
    /// C
    pub rows: Vec<Row>,
    /// W: for every eight rows, rate by rate.
    w: Vec<Pack>,
    /// Λ, and the factor of Λ + E below the diagonal with its pivots on it.
    lambda: Vec<f64>,
    factor: Vec<f64>,
    rest: Vec<f64>,
    right: Vec<f64>,
    n: usize,
    /// What each row's pivot is measured against.
    scale: Vec<f64>,
    /// What independence is measured against: the entries of Λ's diagonal at the first factorisation, so that a row that vanishes is seen to do so.
    pub reference: Vec<f64>,
}

impl RowSolver {
    /// Buffers for rows over n rates.
    pub fn new(patterns: Vec<Vec<usize>>, n: usize) -> Self {
        let m = patterns.len();
        let row = |(r, rates): (usize, Vec<usize>)| Row {
            values: vec![0.0; rates.len()],
            rates,
            together: r..r + 1,
        };
        let rows = patterns.into_iter().enumerate().map(row).collect();
        RowSolver {
            rows,
            w: vec![Pack::default(); m.div_ceil(PACK) * n],
            lambda: vec![0.0; m * m],
            factor: vec![0.0; m * m],
            rest: vec![0.0; m],
            right: vec![0.0; m],
            n,
            scale: vec![0.0; m],
            reference: vec![0.0; m],
        }
    }

    /// What each row's pivot is measured against: its own entry of Λ, the mean of those that belong together, unless that is next to nothing, as where the tree keeps the
    /// row by itself, or where the row is out of force.
    fn measure(&mut self) {
        let m = self.rows.len();
        let own = |r: usize| self.lambda[r * m + r];
        let largest = (0..m).fold(0.0, |largest: f64, r| largest.max(own(r)));
        let least = (SLIGHT * largest).max(f64::MIN_POSITIVE / EPSILON);
        for (scale, row) in self.scale.iter_mut().zip(&self.rows) {
            let together = row.together.clone();
            let count = together.len() as f64;
            *scale = (together.map(own).sum::<f64>() / count).max(least);
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// (R1) and the factor of (R2), with the inertias that were eliminated last.
    pub fn factor(&mut self, dynamics: &mut Dynamics) {
        let n = self.n;
        for (rows, w) in self.rows.chunks(PACK).zip(self.w.chunks_mut(n.max(1))) {
            w.fill(Pack::default());
            for (lane, row) in rows.iter().enumerate() {
                for (&k, &c) in row.rates.iter().zip(&row.values) {
                    w[k].0[lane] = c;
                }
            }
            dynamics.solve_eight(w);
        }
        Arch::new().dispatch(|| self.eliminate());
    }

    /// Λ and its factor.
    #[inline(always)]
    fn eliminate(&mut self) {
        let (m, n) = (self.rows.len(), self.n);
        for (r, row) in self.rows.iter().enumerate() {
            for group in 0..=r / PACK {
                let w = &self.w[group * n..(group + 1) * n];
                let mut sum = [0.0; PACK];
                for (&k, &c) in row.rates.iter().zip(&row.values) {
                    for (sum, w) in sum.iter_mut().zip(&w[k].0) {
                        *sum += c * w;
                    }
                }
                for (s, value) in (group * PACK..=r).zip(sum) {
                    self.lambda[r * m + s] = value;
                    self.lambda[s * m + r] = value;
                }
            }
        }
        self.measure();
        if self.reference.first() == Some(&0.0) {
            self.reference.copy_from_slice(&self.scale);
        }
        // L D Lᵀ of Λ + E
        self.factor.copy_from_slice(&self.lambda);
        for r in 0..m {
            self.factor[r * m + r] += EPSILON * self.scale[r];
        }
        for k in 0..m {
            let pivot = self.factor[k * m + k];
            for r in k + 1..m {
                let l = self.factor[r * m + k] / pivot;
                if l == 0.0 {
                    continue;
                }
                for s in k + 1..=r {
                    // the column above still holds L D of row s
                    self.factor[r * m + s] -= l * self.factor[s * m + k];
                }
            }
            for r in k + 1..m {
                self.factor[r * m + k] /= pivot;
            }
        }
    }

    /// How independent a row is of those before it, from the present factor: see [`crate::linalg::kkt::Kkt::independence`].
    pub fn independence(&self, r: usize) -> f64 {
        let pivot = self.factor[r * self.rows.len() + r];
        (pivot - EPSILON * self.scale[r]).max(0.0) / self.reference[r]
    }

    /// (R2) and (R3): brings accelerations without rows to those with them. `x` comes as a; the rows end at C x = γ.
    /// Returns how often it refined.
    pub fn solve(&mut self, gamma: &[f64], x: &mut [f64], nu: &mut [f64]) -> u64 {
        let (m, n) = (self.rows.len(), self.n);
        nu.fill(0.0);
        for (r, row) in self.rows.iter().enumerate() {
            self.rest[r] = row.times(x) - gamma[r];
        }
        let size = self.rest.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let mut before = f64::INFINITY;
        let mut rounds = 0;
        self.right.copy_from_slice(&self.rest);
        for round in 0..=MAX_REFINEMENTS {
            self.substitute();
            for r in 0..m {
                nu[r] += self.rest[r];
            }
            let mut residual: f64 = 0.0;
            let mut weight = size;
            for r in 0..m {
                let of_row = &self.lambda[r * m..(r + 1) * m];
                let sum: f64 = of_row.iter().zip(&*nu).map(|(l, v)| l * v).sum();
                self.rest[r] = self.right[r] - sum;
                residual = residual.max(self.rest[r].abs());
                weight = weight.max((of_row[r] * nu[r]).abs());
            }
            rounds = round as u64;
            let relative = residual / weight.max(f64::MIN_POSITIVE);
            let gained = relative < 0.25 * before;
            if relative <= REFINED || !gained || relative.is_nan() {
                break;
            }
            before = relative;
        }
        for (nu, w) in nu.chunks(PACK).zip(self.w.chunks(n.max(1))) {
            for (x, w) in x.iter_mut().zip(w) {
                *x -= nu.iter().zip(&w.0).map(|(nu, w)| nu * w).sum::<f64>();
            }
        }
        rounds
    }

    /// Solves (Λ + E) y = rest in place.
    fn substitute(&mut self) {
        let m = self.rows.len();
        for r in 0..m {
            let mut sum = self.rest[r];
            for s in 0..r {
                sum -= self.factor[r * m + s] * self.rest[s];
            }
            self.rest[r] = sum;
        }
        for r in 0..m {
            self.rest[r] /= self.factor[r * m + r];
        }
        for r in (0..m).rev() {
            let mut sum = self.rest[r];
            for s in r + 1..m {
                sum -= self.factor[s * m + r] * self.rest[s];
            }
            self.rest[r] = sum;
        }
    }
}
