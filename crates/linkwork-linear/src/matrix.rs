//! Matrices of a linear system, and the balance of their sizes.

use faer::Mat;

/// A matrix of numbers that stand row by row.
pub fn from_rows(rows: usize, columns: usize, values: &[f64]) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, k| values[i * columns + k])
}

/// The largest entry.
pub fn largest(a: &Mat<f64>) -> f64 {
    let entries = (0..a.ncols()).flat_map(|k| (0..a.nrows()).map(move |i| (i, k)));
    entries.fold(0.0, |m: f64, (i, k)| m.max(a[(i, k)].abs()))
}

/// Balances a square matrix in place by powers of two, D⁻¹ A D, so that rows and columns have similar sums; returns D. Rows or columns that are zero off the
/// diagonal are left alone. [parlett1969]
pub fn balance(a: &mut Mat<f64>) -> Vec<f64> {
    let n = a.nrows();
    let mut scale = vec![1.0_f64; n];
    for _ in 0..20 {
        let mut settled = true;
        for i in 0..n {
            let others = || (0..n).filter(move |&k| k != i);
            let column: f64 = others().map(|k| a[(k, i)].abs()).sum();
            let row: f64 = others().map(|k| a[(i, k)].abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let f = 2.0_f64.powi((0.5 * (row / column).log2()).round() as i32);
            if column * f + row / f < 0.95 * (column + row) {
                settled = false;
                scale[i] *= f;
                (0..n).for_each(|k| a[(k, i)] *= f);
                (0..n).for_each(|k| a[(i, k)] /= f);
            }
        }
        if settled {
            break;
        }
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A similarity: D⁻¹ A D has the entries a_ik d_k / d_i, and sizes meet.
    #[test]
    fn exact_balance_is_a_similarity() {
        let a = from_rows(2, 2, &[0.0, 1.0, -1e8, -3.0]);
        let mut b = a.clone();
        let d = balance(&mut b);
        for i in 0..2 {
            for k in 0..2 {
                assert_eq!(b[(i, k)], a[(i, k)] * d[k] / d[i]);
            }
        }
        assert!(largest(&b) < 1e5);
    }
}
