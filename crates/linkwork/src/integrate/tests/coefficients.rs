//! Tables against the conditions they stand for.

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-13, "{a} {b}"); // entries are about 10
}

/// Sums of the rows, quadrature of order 5, an estimate that vanishes up to order 4, and the tall trees of order 3 to 5.
#[test]
fn exact_dopri5_order_conditions() {
    use crate::integrate::dopri5::{A2, A3, A4, A5, A6, B, C, D, E};
    let mut a = [[0.0; 7]; 7];
    for (i, row) in [&A2[..], &A3, &A4, &A5, &A6].into_iter().enumerate() {
        a[i + 1][..row.len()].copy_from_slice(row);
        near(row.iter().sum(), C[i + 1]);
    }
    let b = [B[0], 0.0, B[1], B[2], B[3], B[4], 0.0];
    a[6] = b;
    let spread = |x: [f64; 6]| [x[0], 0.0, x[1], x[2], x[3], x[4], x[5]];
    let (e, d) = (spread(E), spread(D));
    let times = |x: [f64; 7]| a.map(|row| (0..7).map(|j| row[j] * x[j]).sum::<f64>());
    let dot = |x: [f64; 7], y: [f64; 7]| (0..7).map(|i| x[i] * y[i]).sum::<f64>();
    let power = |p: i32| C.map(|c| c.powi(p));
    for p in 0..5 {
        near(dot(b, power(p)), 1.0 / f64::from(p + 1));
        if p < 4 {
            near(dot(e, power(p)), 0.0);
        }
    }
    // b·A c = 1/6, b·A c² = 1/12, b·A A c = 1/24, b·A c³ = 1/20, b·A A A c = 1/120
    let (ac, ac2) = (times(C), times(power(2)));
    for (tree, of_b) in [(ac, 6.0), (ac2, 12.0), (times(ac), 24.0)] {
        near(dot(b, tree), 1.0 / of_b);
        near(dot(e, tree), 0.0);
    }
    near(dot(b, times(power(3))), 1.0 / 20.0);
    near(dot(b, times(times(ac))), 1.0 / 120.0);
    assert!(dot(e, power(4)).abs() > 1e-4); // but an error of order 5 is seen
    // the bend s²(1 − s)² F₄ completes y' = 5t⁴ to order 4: a cubic slope needs F₄ = 0 up to y = t³, and t⁴ = … + s²(1 − s)²
    for (p, wanted) in [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.25)] {
        near(dot(d, power(p)), wanted);
    }
}

/// A is collocation at the nodes, T splits its inverse, and the estimate vanishes up to order 3.
#[test]
fn exact_radau5_coefficients() {
    use crate::integrate::radau5_coefficients::{A, ALPHA, BETA, C, E, GAMMA, T, T_INVERSE};
    for p in 0..3 {
        for i in 0..3 {
            let sum = (0..3).map(|j| A[i][j] * C[j].powi(p)).sum();
            near(sum, C[i].powi(p + 1) / f64::from(p + 1));
        }
    }
    for p in 3..5 {
        near((0..3).map(|j| A[2][j] * C[j].powi(p)).sum(), 1.0 / f64::from(p + 1));
    }
    let product = |x: [[f64; 3]; 3], y: [[f64; 3]; 3]| {
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| x[i][k] * y[k][j]).sum::<f64>()))
    };
    let split = [[GAMMA, 0.0, 0.0], [0.0, ALPHA, -BETA], [0.0, BETA, ALPHA]];
    let (one, inverse) = (product(T, T_INVERSE), product(A, product(T, product(split, T_INVERSE))));
    for i in 0..3 {
        for j in 0..3 {
            let delta = if i == j { 1.0 } else { 0.0 };
            near(one[i][j], delta);
            near(inverse[i][j], delta);
        }
    }
    // z = c, c², c³ of y = t, t², t³: f(t, y) h + Σ e z is zero
    for p in 1..4 {
        let slope = if p == 1 { 1.0 } else { 0.0 };
        near(slope + (0..3).map(|i| E[i] * C[i].powi(p)).sum::<f64>(), 0.0);
    }
}

/// Roots by Newton's method over the whole range of numbers.
#[test]
fn exact_roots() {
    use crate::integrate::control::root;
    for n in 2..=9 {
        for x in [1e-300, 3.7e-11, 0.999, 1.0, 2.0, 1e5, 1.7e308] {
            let r = root(x, n);
            let power = (1..n).fold(r, |power, _| power * r);
            assert!((power / x - 1.0).abs() < 1e-14, "{x} {n} {r}"); // n roundings of r, twice n of the power
        }
        assert_eq!((root(0.0, n), root(f64::INFINITY, n)), (0.0, f64::INFINITY));
        assert!(root(f64::NAN, n).is_nan() && root(-1.0, n).is_nan());
        assert!(root(1e-310, n) > 0.0);
    }
}
