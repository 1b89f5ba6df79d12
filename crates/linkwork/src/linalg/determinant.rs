//! The sign of a determinant.

/// The sign of the determinant of a matrix given row by row, by elimination with pivots; zero of one that is singular to the last bit.
pub fn sign_of_determinant(mut a: Vec<f64>, n: usize) -> f64 {
    let mut value = 1.0;
    for k in 0..n {
        let pivot =
            (k..n).fold(k, |best, r| if a[r * n + k].abs() > a[best * n + k].abs() { r } else { best });
        if a[pivot * n + k] == 0.0 {
            return 0.0;
        }
        if pivot != k {
            (0..n).for_each(|c| a.swap(k * n + c, pivot * n + c));
            value = -value;
        }
        value *= a[k * n + k].signum();
        for r in k + 1..n {
            let factor = a[r * n + k] / a[k * n + k];
            for c in k..n {
                a[r * n + c] -= factor * a[k * n + c];
            }
        }
    }
    value
}
