//! Singular values of small dense matrices, for ranks, null spaces and shortest solutions.
//!
//!   (V1)  A V = U Σ,   V orthogonal: rotations of two columns at a time until all are orthogonal to each other (one-sided Jacobi, \[golub2013\] section 8.6.3)
//!   (V2)  null space: the columns of V with σ = 0
//!   (V3)  A⁺ b = Σ_i v_i (u_i · b) / σ_i over the others: of all x with the least |A x − b| the shortest
//!
//! Small singular values keep their digits, which the square of A would lose: ranks are decided by them.

/// A singular value below this part of the largest is zero: rows are of the size of one, redundant ones differ by roundings of about 1e-13.
const ZERO: f64 = 1e-9;
/// Columns are orthogonal if their product is this part of their lengths.
const ORTHOGONAL: f64 = 4e-15;
/// A column below this part of the matrix is rounding.
const ROUNDING: f64 = 1e-15;
/// Sweeps over all pairs; convergence is quadratic, and ten are plenty.
const SWEEPS: usize = 40;

/// A matrix as (V1).
#[derive(Clone, Debug)]
pub(super) struct Svd {
    /// Columns u_i σ_i.
    columns: Vec<Vec<f64>>,
    /// Columns v_i.
    v: Vec<Vec<f64>>,
    /// Squares of σ_i.
    squares: Vec<f64>,
    largest: f64,
}

impl Svd {
    /// Of a matrix given by its columns.
    pub fn new(mut columns: Vec<Vec<f64>>) -> Self {
        let n = columns.len();
        let mut v: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let floor = ROUNDING * ROUNDING * columns.iter().map(|c| dot(c, c)).sum::<f64>();
        for _ in 0..SWEEPS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    turned |= rotate(&mut columns, &mut v, [p, q], floor);
                }
            }
            if !turned {
                break;
            }
        }
        let squares: Vec<f64> = columns.iter().map(|c| dot(c, c)).collect();
        let largest = squares.iter().fold(0.0_f64, |m, s| m.max(*s)).sqrt();
        Svd { columns, v, squares, largest }
    }

    fn is_zero(&self, i: usize) -> bool {
        let sigma = self.squares[i].sqrt();
        // a matrix of zeros has no rank
        sigma <= ZERO * self.largest || sigma.is_nan()
    }

    /// Number of singular values that are not zero.
    pub fn rank(&self) -> usize {
        (0..self.squares.len()).filter(|&i| !self.is_zero(i)).count()
    }

    /// The largest singular value over the smallest; infinite if there are fewer than columns.
    pub fn condition(&self) -> f64 {
        let least = self.squares.iter().fold(f64::INFINITY, |m: f64, s| m.min(*s)).sqrt();
        if self.squares.is_empty() { 1.0 } else { self.largest / least }
    }

    /// (V2)
    pub fn null(&self) -> Vec<Vec<f64>> {
        (0..self.v.len()).filter(|&i| self.is_zero(i)).map(|i| self.v[i].clone()).collect()
    }

    /// The columns of V with σ > 0.
    pub fn row_space(&self) -> Vec<Vec<f64>> {
        (0..self.v.len()).filter(|&i| !self.is_zero(i)).map(|i| self.v[i].clone()).collect()
    }

    /// (V3)
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.v.len()];
        for i in (0..self.v.len()).filter(|&i| !self.is_zero(i)) {
            let share = dot(&self.columns[i], b) / self.squares[i];
            x.iter_mut().zip(&self.v[i]).for_each(|(x, v)| *x += share * v);
        }
        x
    }
}

/// Makes two columns orthogonal; whether they were not.
fn rotate(columns: &mut [Vec<f64>], v: &mut [Vec<f64>], [p, q]: [usize; 2], floor: f64) -> bool {
    let [a, b, c] =
        [dot(&columns[p], &columns[p]), dot(&columns[q], &columns[q]), dot(&columns[p], &columns[q])];
    if a.min(b) <= floor || c.abs() <= ORTHOGONAL * (a * b).sqrt() {
        return false;
    }
    let z = (b - a) / (2.0 * c);
    let t = z.signum() / (z.abs() + (1.0 + z * z).sqrt());
    let cosine = 1.0 / (1.0 + t * t).sqrt();
    let sine = cosine * t;
    for list in [columns, v] {
        let (low, high) = list.split_at_mut(q);
        for (x, y) in low[p].iter_mut().zip(&mut high[0]) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
    true
}

/// a · b
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Σ x_i a_i of vectors.
pub(super) fn combine(vectors: &[Vec<f64>], x: &[f64], length: usize) -> Vec<f64> {
    let mut out = vec![0.0; length];
    for (vector, x) in vectors.iter().zip(x) {
        out.iter_mut().zip(vector).for_each(|(out, v)| *out += x * v);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    /// Rank, null space and shortest solution of matrices of every shape, against the pseudo-inverse of another library.
    #[test]
    fn cross_pseudo_inverse() {
        let mut seed = 7;
        for (rows, columns, rank) in [(6, 4, 4), (4, 6, 4), (7, 7, 5), (9, 5, 3), (3, 8, 2), (1, 1, 1)] {
            let left = DMatrix::from_fn(rows, rank, |_, _| random(&mut seed));
            let right = DMatrix::from_fn(rank, columns, |_, _| random(&mut seed));
            let a = left * right;
            let svd = Svd::new(a.column_iter().map(|c| c.iter().copied().collect()).collect());
            assert_eq!((svd.rank(), svd.null().len()), (rank, columns - rank));
            for n in svd.null() {
                assert!((&a * DVector::from_vec(n)).norm() < 1e-14);
            }
            let b = DVector::from_fn(rows, |_, _| random(&mut seed));
            let other = a.clone().pseudo_inverse(1e-10).unwrap() * &b;
            let mine = DVector::from_vec(svd.solve(b.as_slice()));
            // the condition of these matrices is below 1e3
            assert!((&mine - &other).norm() < 1e-11 * (1.0 + other.norm()), "{mine} {other}");
        }
    }
}
