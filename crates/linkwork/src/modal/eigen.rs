//! Eigenvalues of small dense symmetric matrices, by Jacobi's rotations [golub2013] section 8.5: cyclic sweeps until nothing is left off the
//! diagonal. Slow for large matrices and accurate for all: small eigenvalues beside large ones keep their digits.

/// Sweeps after which it is as good as it gets; ten are common.
const MAX_SWEEPS: usize = 60;

/// Eigenvalues in ascending order, and the eigenvectors as rows, of a symmetric matrix of n rows.
pub fn symmetric(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
                if apq.abs() <= f64::EPSILON * (app * aqq).abs().sqrt() || apq == 0.0 {
                    continue;
                }
                rotated = true;
                let theta = (aqq - app) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
                a[p * n + q] = 0.0;
                a[q * n + p] = 0.0;
                let (low, high) = v.split_at_mut(q);
                for (x, y) in low[p].iter_mut().zip(&mut high[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]));
    let values = order.iter().map(|&i| a[i * n + i]).collect();
    let vectors = order.iter().map(|&i| std::mem::take(&mut v[i])).collect();
    (values, vectors)
}

/// The same of K x = λ M x, with vectors that are M-orthonormal; `None` unless M is positive definite.
pub fn generalised(k: &[f64], m: &[f64], n: usize) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    // M = L Lᵀ
    let mut l = m.to_vec();
    for j in 0..n {
        for i in j..n {
            let sum = (0..j).fold(l[i * n + j], |s, p| s - l[i * n + p] * l[j * n + p]);
            if i == j {
                if sum <= 0.0 || !sum.is_finite() {
                    return None;
                }
                l[j * n + j] = sum.sqrt();
            } else {
                l[i * n + j] = sum / l[j * n + j];
            }
        }
    }
    // A = L⁻¹ K L⁻ᵀ, columns then rows
    let mut a = k.to_vec();
    for column in 0..n {
        for i in 0..n {
            let sum = (0..i).fold(a[i * n + column], |s, p| s - l[i * n + p] * a[p * n + column]);
            a[i * n + column] = sum / l[i * n + i];
        }
    }
    for row in 0..n {
        for i in 0..n {
            let sum = (0..i).fold(a[row * n + i], |s, p| s - l[i * n + p] * a[row * n + p]);
            a[row * n + i] = sum / l[i * n + i];
        }
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = mean;
        }
    }
    let (values, mut vectors) = symmetric(a, n);
    for x in &mut vectors {
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(x[i], |s, p| s - l[p * n + i] * x[p]);
            x[i] = sum / l[i * n + i];
        }
    }
    Some((values, vectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain of n masses between walls: λ_j = 2 − 2 cos(jπ/(n + 1)).
    #[test]
    fn exact_eigenvalues_of_a_chain() {
        let n = 12;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = 2.0;
            if i > 0 {
                a[i * n + i - 1] = -1.0;
                a[(i - 1) * n + i] = -1.0;
            }
        }
        let m: Vec<f64> = (0..n * n).map(|x| if x % (n + 1) == 0 { 4.0 } else { 0.0 }).collect();
        let (values, vectors) = symmetric(a.clone(), n);
        let (scaled, _) = generalised(&a, &m, n).unwrap();
        for j in 0..n {
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * (j + 1) as f64 / (n + 1) as f64).cos();
            assert!((values[j] - exact).abs() < 1e-13, "{} {exact}", values[j]);
            assert!((4.0 * scaled[j] - exact).abs() < 1e-13);
            let left: f64 = (0..n)
                .map(|i| {
                    let product: f64 = (0..n).map(|k| a[i * n + k] * vectors[j][k]).sum();
                    (product - exact * vectors[j][i]).powi(2)
                })
                .sum();
            assert!(left.sqrt() < 1e-13);
        }
    }
}
