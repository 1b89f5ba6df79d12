//! Dense LU with partial pivoting, real or complex, for a size that may change and buffers that do not grow.
//!
//!   (L1)  P A = L U,   L with unit diagonal
//!
//! Rows are contiguous, so that elimination runs along them. Pivots are the largest of their column in |re| + |im|.

use crate::keep::{Bytes, Damaged, Keep};
use nalgebra::ComplexField;

/// L and U of a square matrix, one array for both.
#[derive(Clone, Debug, Default)]
pub struct Lu<T> {
    n: usize,
    a: Vec<T>,
    /// The row that came to place k in step k.
    pivots: Vec<usize>,
    /// Multiplications of the last elimination: zeros below pivots are passed over.
    work: f64,
}

impl<T: ComplexField<RealField = f64> + Copy> Lu<T> {
    /// Room for matrices of up to `most` rows.
    pub fn new(most: usize) -> Self {
        Lu { n: 0, a: vec![T::zero(); most * most], pivots: vec![0; most], work: 0.0 }
    }

    /// Factors the matrix of `n` rows whose entry in row i and column j is `entry(i, j)` (L1).
    ///
    /// # Errors
    /// The first column without a pivot, or with one that is not finite: there are then no factors.
    ///
    /// # Panics
    /// If there is no room for `n` rows.
    pub fn factor(&mut self, n: usize, mut entry: impl FnMut(usize, usize) -> T) -> Result<(), usize> {
        self.n = n;
        self.work = 0.0;
        let a = &mut self.a[..n * n];
        for i in 0..n {
            for (j, x) in a[i * n..(i + 1) * n].iter_mut().enumerate() {
                *x = entry(i, j);
            }
        }
        for k in 0..n {
            let (mut row, mut largest) = (k, 0.0);
            for i in k..n {
                let size = a[i * n + k].norm1();
                if size > largest {
                    (row, largest) = (i, size);
                }
            }
            if largest == 0.0 || !largest.is_finite() {
                return Err(k);
            }
            self.pivots[k] = row;
            if row != k {
                let (above, below) = a.split_at_mut(row * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
            }
            let (above, below) = a.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n + k..];
            let inverse = T::one() / pivot_row[0];
            for row in below.chunks_exact_mut(n) {
                let row = &mut row[k..];
                let l = row[0] * inverse;
                row[0] = l;
                if l != T::zero() {
                    self.work += (n - k) as f64;
                    for (x, u) in row[1..].iter_mut().zip(&pivot_row[1..]) {
                        *x -= l * *u;
                    }
                }
            }
        }
        Ok(())
    }

    /// Multiplications of the last [`factor`](Self::factor).
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Turns `b` into the solution x of A x = b.
    ///
    /// # Panics
    /// If `b` has another length than the matrix factored last.
    pub fn solve(&self, b: &mut [T]) {
        let (n, a) = (self.n, &self.a);
        assert_eq!(b.len(), n, "the matrix factored last is of another size");
        for k in 0..n {
            b.swap(k, self.pivots[k]);
        }
        for i in 1..n {
            let (known, rest) = b.split_at_mut(i);
            for (l, x) in a[i * n..i * n + i].iter().zip(known.iter()) {
                rest[0] -= *l * *x;
            }
        }
        for i in (0..n).rev() {
            let (rest, known) = b.split_at_mut(i + 1);
            for (u, x) in a[i * n + i + 1..(i + 1) * n].iter().zip(known.iter()) {
                rest[i] -= *u * *x;
            }
            rest[i] /= a[i * n + i];
        }
    }
}

impl Lu<f64> {
    /// The sign of the determinant of the matrix factored last; zero of one with a number in it that is none.
    pub fn sign(&self) -> f64 {
        let swaps = (0..self.n).filter(|&k| self.pivots[k] != k).count();
        let start = if swaps % 2 == 0 { 1.0 } else { -1.0 };
        (0..self.n).map(|k| self.a[k * self.n + k]).fold(start, |sign, pivot| match pivot {
            p if p > 0.0 => sign,
            p if p < 0.0 => -sign,
            _ => 0.0,
        })
    }

    /// The smallest pivot as a part of the largest: small where the matrix is close to singular.
    pub fn smallest_pivot(&self) -> f64 {
        let pivots = || (0..self.n).map(|k| self.a[k * self.n + k].abs());
        pivots().fold(f64::INFINITY, f64::min) / pivots().fold(0.0, f64::max)
    }
}

impl<T: Keep + Default> Keep for Lu<T> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.n.keep(to);
        self.a.keep(to);
        self.pivots.keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        let room = (self.a.len(), self.pivots.len());
        self.n.recall(from)?;
        self.a.recall(from)?;
        self.pivots.recall(from)?;
        let sound = (room == (0, 0) || room == (self.a.len(), self.pivots.len()))
            && self.a.len() == self.pivots.len() * self.pivots.len()
            && self.n <= self.pivots.len()
            && self.pivots.iter().all(|&p| p < self.pivots.len().max(1));
        if sound { Ok(()) } else { Err(Damaged) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Complex;

    /// Entries of no particular pattern, the diagonal small so that rows must be swapped.
    fn entry(i: usize, j: usize) -> f64 {
        if i == j { 1e-9 } else { ((3 * i + 7 * j) % 11) as f64 - 4.3 + 0.1 * (i * j) as f64 }
    }

    #[test]
    fn exact_solutions_real_and_complex() {
        let mut real = Lu::new(9);
        let mut complex = Lu::new(9);
        for n in [0, 1, 2, 5, 9] {
            real.factor(n, entry).unwrap();
            let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
            real.solve(&mut b);
            let worst = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
            // roundings times a condition number below 1e3; 1e-9 alone is exact
            assert!(worst < 1e-12, "{worst} for {n}");

            let z = |i: usize, j: usize| Complex::new(entry(i, j), if i == j { 2.0 } else { entry(j, i) });
            complex.factor(n, z).unwrap();
            let x: Vec<_> = (0..n).map(|i| Complex::new(1.0, i as f64)).collect();
            let mut b: Vec<_> =
                (0..n).map(|i| (0..n).map(|j| z(i, j) * x[j]).sum::<Complex<f64>>()).collect();
            complex.solve(&mut b);
            let worst = b.iter().zip(&x).map(|(b, x)| (b - x).norm()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{worst} for {n}");
        }
    }

    #[test]
    fn exact_sign_and_pivots() {
        let mut lu = Lu::new(3);
        let mut of = |rows: [[f64; 3]; 3]| {
            lu.factor(3, |i, j| rows[i][j]).unwrap();
            (lu.sign(), lu.smallest_pivot())
        };
        assert_eq!(of([[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 1.0]]), (1.0, 0.25));
        assert_eq!(of([[0.0, 2.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), (-1.0, 0.25));
        assert_eq!(of([[0.0, 2.0, 0.0], [0.0, 0.0, 4.0], [1.0, 0.0, 0.0]]), (1.0, 0.25));
        assert_eq!(of([[1.0, 2.0, 3.0], [2.0, 1.0, 1.0], [0.0, 0.0, -1.0]]).0, 1.0);
    }

    #[test]
    fn exact_column_without_a_pivot() {
        let mut lu = Lu::new(3);
        assert_eq!(lu.factor(3, |i, j| [[1.0, 2.0, 3.0], [2.0, 4.0, 1.0], [0.0, 0.0, 5.0]][i][j]), Err(1));
        assert_eq!(lu.factor(2, |_, _| f64::INFINITY), Err(0));
        assert_eq!(lu.factor(1, |_, _| 0.0), Err(0));
    }
}
