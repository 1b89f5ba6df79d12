//! Dense least squares with rank: min |A x − b|, and among all such x the shortest.
//!
//! Householder reflections with column pivoting (\[golub2013\] section 5.4) give A Π = Q [R₁₁ R₁₂; 0 ≈ 0]. With
//! c the first entries of Qᵀ b:
//!
//!   (1)  x_b = Π [R₁₁⁻¹ c; 0]                  one solution
//!   (2)  N   = Π [−R₁₁⁻¹ R₁₂; 1]               the null space
//!   (3)  x   = x_b − N N⁺ x_b                  the shortest
//!
//! with the columns of N made orthogonal for (3). A row of N tells whether an unknown is determined at all.
//! A system with a number in it that is not finite has the answer NaN.

/// A pivot below this part of the first one is zero: above rounding, which leaves about 1e-15, and as near to it
/// as may be, since the pivots of a mechanism at a distance θ from a singular position are of the size θ².
const ZERO: f64 = 1e-13;

/// A system of at most `height` equations, filled row by row.
#[derive(Clone, Debug)]
pub struct LeastSquares {
    height: usize,
    width: usize,
    rows: usize,
    rank: usize,
    /// Columns of length `height`; below the diagonal the reflections.
    a: Vec<f64>,
    b: Vec<f64>,
    diagonal: Vec<f64>,
    /// Which unknown each column is.
    order: Vec<usize>,
    /// Squares of what is left of each column, and what they were when last computed afresh.
    left: Vec<[f64; 2]>,
    /// (2), one column of length `width` after the other, in the order of the unknowns.
    null: Vec<f64>,
}

impl LeastSquares {
    /// Room for `height` equations in `width` unknowns.
    pub fn new(height: usize, width: usize) -> Self {
        LeastSquares {
            height,
            width,
            rows: 0,
            rank: 0,
            a: vec![0.0; height * width],
            b: vec![0.0; height],
            diagonal: vec![0.0; width],
            order: vec![0; width],
            left: vec![[0.0; 2]; width],
            null: Vec::new(),
        }
    }

    /// Number of equations so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rank found by the last solve.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Forgets all equations.
    pub fn clear(&mut self) {
        self.a.fill(0.0);
        self.b.fill(0.0);
        self.rows = 0;
    }

    /// Adds an equation Σ factor·row·x = factor·right.
    pub fn push(&mut self, row: &[f64], right: f64, factor: f64) {
        let at = self.rows;
        for (c, &value) in row.iter().enumerate() {
            self.a[c * self.height + at] = factor * value;
        }
        self.b[at] = factor * right;
        self.rows += 1;
    }

    /// Solves and uses the equations up.
    pub fn solve(&mut self, x: &mut [f64]) {
        if self.a.iter().chain(&self.b).any(|v| !v.is_finite()) {
            x.fill(f64::NAN);
            self.rank = 0;
            self.null.clear();
            return;
        }
        self.factor();
        self.null_space();
        let (h, rank) = (self.height, self.rank);
        // (1)
        for i in (0..rank).rev() {
            let s = (i + 1..rank).fold(self.b[i], |s, j| s - self.a[j * h + i] * self.b[j]);
            self.b[i] = s / self.diagonal[i];
        }
        for (i, &unknown) in self.order.iter().enumerate() {
            x[unknown] = if i < rank { self.b[i] } else { 0.0 };
        }
        self.shorten(x);
    }

    /// How far an unknown is left open: the length of its row of N, 0 if it is determined.
    pub fn open(&self, unknown: usize) -> f64 {
        self.null.chunks_exact(self.width).map(|n| n[unknown] * n[unknown]).sum::<f64>().sqrt()
    }

    fn factor(&mut self) {
        let (h, m, n) = (self.height, self.rows, self.width);
        for c in 0..n {
            let square = self.a[c * h..c * h + m].iter().map(|v| v * v).sum();
            self.left[c] = [square, square];
            self.order[c] = c;
        }
        self.rank = 0;
        let mut first = 0.0;
        for k in 0..n.min(m) {
            let best = (k..n).fold(k, |best, c| if self.left[c][0] > self.left[best][0] { c } else { best });
            if best != k {
                let (low, high) = self.a.split_at_mut(best * h);
                low[k * h..k * h + m].swap_with_slice(&mut high[..m]);
                self.left.swap(k, best);
                self.order.swap(k, best);
            }
            let (done, rest) = self.a.split_at_mut((k + 1) * h);
            let v = &mut done[k * h + k..k * h + m];
            let alpha = v.iter().map(|v| v * v).sum::<f64>().sqrt();
            if k == 0 {
                first = alpha;
            }
            if alpha <= ZERO * first {
                break;
            }
            // H = 1 − v vᵀ / β maps the column on −sign α e_1
            let beta = alpha * (alpha + v[0].abs());
            self.diagonal[k] = if v[0] > 0.0 { -alpha } else { alpha };
            v[0] -= self.diagonal[k];
            let reflect = |column: &mut [f64]| {
                let s = v.iter().zip(column.iter()).map(|(v, c)| v * c).sum::<f64>() / beta;
                if s != 0.0 {
                    for (c, v) in column.iter_mut().zip(v.iter()) {
                        *c -= s * v;
                    }
                }
            };
            for c in k + 1..n {
                let column = &mut rest[(c - k - 1) * h..][..m];
                reflect(&mut column[k..]);
                let [now, fresh] = &mut self.left[c];
                *now -= column[k] * column[k];
                // differences of squares lose digits: compute afresh before they matter
                if *now < 1e-6 * *fresh {
                    *now = column[k + 1..].iter().map(|v| v * v).sum();
                    *fresh = *now;
                }
            }
            reflect(&mut self.b[k..m]);
            self.rank = k + 1;
        }
    }

    /// (2)
    fn null_space(&mut self) {
        let (h, rank) = (self.height, self.rank);
        self.null.clear();
        let mut z = vec![0.0; rank];
        for free in rank..self.width {
            for i in (0..rank).rev() {
                let s = (i + 1..rank).fold(-self.a[free * h + i], |s, j| s - self.a[j * h + i] * z[j]);
                z[i] = s / self.diagonal[i];
            }
            let start = self.null.len();
            self.null.resize(start + self.width, 0.0);
            for (i, &z) in z.iter().enumerate() {
                self.null[start + self.order[i]] = z;
            }
            self.null[start + self.order[free]] = 1.0;
        }
    }

    /// (3): Gram–Schmidt on the columns of N, each twice.
    fn shorten(&mut self, x: &mut [f64]) {
        let n = self.width;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let columns = self.width - self.rank;
        let mut basis = self.null.clone();
        for c in 0..columns {
            let (before, rest) = basis.split_at_mut(c * n);
            let column = &mut rest[..n];
            for _ in 0..2 {
                for other in before.chunks_exact(n) {
                    let s = dot(other, column);
                    column.iter_mut().zip(other).for_each(|(c, o)| *c -= s * o);
                }
            }
            let length = dot(column, column).sqrt();
            column.iter_mut().for_each(|c| *c /= length);
            let s = dot(column, x);
            x.iter_mut().zip(column.iter()).for_each(|(x, c)| *x -= s * c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        }
    }

    /// Against the pseudo-inverse: tall, square and wide, of full and of lower rank.
    #[test]
    fn cross_pseudo_inverse() {
        let mut next = numbers(7);
        for (m, n, rank) in [(6, 6, 6), (9, 5, 5), (9, 6, 4), (5, 8, 5), (6, 8, 3), (7, 7, 5)] {
            let left = DMatrix::from_fn(m, rank, |_, _| next());
            let right = DMatrix::from_fn(rank, n, |_, _| next());
            let a = left * right;
            let b = DVector::from_fn(m, |_, _| next());
            let expected = a.clone().svd(true, true).solve(&b, 1e-10).unwrap();
            let mut system = LeastSquares::new(m + 2, n);
            for i in 0..m {
                let row: Vec<f64> = (0..n).map(|c| 2.0 * a[(i, c)]).collect();
                system.push(&row, 2.0 * b[i], 0.5);
            }
            let mut x = vec![0.0; n];
            system.solve(&mut x);
            let off = x.iter().zip(expected.iter()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert_eq!(system.rank(), rank, "{m} x {n}");
            assert!(off < 1e-11 * (1.0 + expected.norm()), "{m} x {n}, rank {rank}: {off:.1e}");
            assert_eq!((0..n).any(|i| system.open(i) > 1e-9), rank < n);
        }
    }

    /// An unknown that no equation mentions is open and comes out zero; the others are found.
    #[test]
    fn exact_open_unknown() {
        let mut system = LeastSquares::new(4, 3);
        for row in [[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [1.0, 0.0, 3.0]] {
            system.push(&row, row[0] * 4.0 + row[2] * 5.0, 1.0);
        }
        let mut x = [9.0; 3];
        system.solve(&mut x);
        assert!((x[0] - 4.0).abs() < 1e-14 && x[1] == 0.0 && (x[2] - 5.0).abs() < 1e-14, "{x:?}");
        assert!(system.open(1) == 1.0 && system.open(0) < 1e-14 && system.rank() == 2);
    }
}
