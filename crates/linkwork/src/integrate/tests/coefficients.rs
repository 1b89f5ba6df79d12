//! Tables against the conditions they stand for.

use crate::integrate::pair54::Tableau;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-13, "{a} {b}"); // entries are about 10
}

/// Sums of the rows, all trees up to order 5 for b and up to order 4 for the estimate, and dense output of order 4.
fn pair54_order_conditions(tableau: &Tableau, tolerance: f64) {
    let &Tableau { c, a2, a3, a4, a5, a6, b, e, d } = tableau;
    let near = |a: f64, b: f64| assert!((a - b).abs() < tolerance, "{a} {b}");
    let mut a = [[0.0; 7]; 7];
    for (i, row) in [&a2[..], &a3, &a4, &a5, &a6, &b].into_iter().enumerate() {
        a[i + 1][..row.len()].copy_from_slice(row);
        near(row.iter().sum(), c[i + 1]);
    }
    let b = a[6];
    let along = |x: [f64; 7]| a.map(|row| (0..7).map(|j| row[j] * x[j]).sum::<f64>());
    let times = |x: [f64; 7], y: [f64; 7]| std::array::from_fn::<f64, 7, _>(|i| x[i] * y[i]);
    let dot = |x: [f64; 7], y: [f64; 7]| times(x, y).iter().sum::<f64>();
    let power = |p: i32| c.map(|c| c.powi(p));
    // elementary weights of the rooted trees of order 1 to 5, with the density of each
    let (ac, ac2) = (along(c), along(power(2)));
    let trees = [
        vec![(power(0), 1.0)],
        vec![(c, 2.0)],
        vec![(power(2), 3.0), (ac, 6.0)],
        vec![(power(3), 4.0), (times(c, ac), 8.0), (ac2, 12.0), (along(ac), 24.0)],
        vec![
            (power(4), 5.0),
            (times(power(2), ac), 10.0),
            (times(c, ac2), 15.0),
            (times(c, along(ac)), 30.0),
            (times(ac, ac), 20.0),
            (along(power(3)), 20.0),
            (along(times(c, ac)), 40.0),
            (along(ac2), 60.0),
            (along(along(ac)), 120.0),
        ],
    ];
    for (order, trees) in trees.iter().enumerate() {
        for &(tree, density) in trees {
            near(dot(b, tree), 1.0 / density);
            if order < 4 {
                near(dot(e, tree), 0.0);
                // the cubic part of (P4) gives all up to order 3; s²(1 − s)² F₄ the power s⁴ of order 4
                near(dot(d, tree), if order < 3 { 0.0 } else { 1.0 / density });
            }
        }
    }
    assert!(trees[4].iter().any(|(tree, _)| dot(e, *tree).abs() > 1e-5)); // but an error of order 5 is seen
}

#[test]
fn exact_dopri5_order_conditions() {
    pair54_order_conditions(&crate::integrate::dopri5::TABLEAU, 1e-13); // entries are about 10
}

#[test]
fn exact_tsit5_order_conditions() {
    // 16 digits are given, of entries up to 50
    pair54_order_conditions(&crate::integrate::tsit5::TABLEAU, 1e-13);
}

/// Sums of the rows, stages of order 2, all trees up to order 4 for b and up to order 3 for b̂, which sees an error of order 4.
#[test]
fn exact_esdirk_order_conditions() {
    use crate::integrate::esdirk::{A, C, LOWER};
    let mut a = [[0.0; 6]; 6];
    for (stage, row) in A.iter().enumerate() {
        a[stage + 1][..5].copy_from_slice(row);
        a[stage + 1][stage + 1] = 0.25;
    }
    let along = |x: [f64; 6]| a.map(|row| (0..6).map(|j| row[j] * x[j]).sum::<f64>());
    let times = |x: [f64; 6], y: [f64; 6]| std::array::from_fn::<f64, 6, _>(|i| x[i] * y[i]);
    let dot = |x: [f64; 6], y: [f64; 6]| times(x, y).iter().sum::<f64>();
    let power = |p: i32| C.map(|c| c.powi(p));
    for i in 0..6 {
        near(along(power(0))[i], C[i]);
        near(along(C)[i], 0.5 * C[i] * C[i]);
    }
    let (ac, ac2) = (along(C), along(power(2)));
    let trees = [
        vec![(power(0), 1.0)],
        vec![(C, 2.0)],
        vec![(power(2), 3.0), (ac, 6.0)],
        vec![(power(3), 4.0), (times(C, ac), 8.0), (ac2, 12.0), (along(ac), 24.0)],
    ];
    for (order, trees) in trees.iter().enumerate() {
        for &(tree, density) in trees {
            near(dot(a[5], tree), 1.0 / density);
            if order < 3 {
                near(dot(LOWER, tree), 1.0 / density);
            }
        }
    }
    assert!(trees[3].iter().all(|&(tree, density)| (dot(LOWER, tree) - 1.0 / density).abs() > 1e-4));
}

/// Growth of y' = λ y in a step with z = λ h: at most one on the whole imaginary axis and zero at infinity; and the damping that is promised.
#[test]
fn exact_esdirk_damps_every_oscillation() {
    use crate::integrate::esdirk::A;
    use nalgebra::Complex;
    let growth = |z: Complex<f64>| {
        let mut stages = vec![Complex::new(1.0, 0.0)];
        for row in &A {
            let known: Complex<f64> = row.iter().zip(&stages).map(|(a, y)| z * y * *a).sum();
            stages.push((known + 1.0) / (Complex::new(1.0, 0.0) - z * 0.25));
        }
        stages[5]
    };
    for k in -40..=160 {
        let omega = 10f64.powf(f64::from(k) / 20.0);
        assert!(growth(Complex::new(0.0, omega)).norm() < 1.0 + 1e-15, "{omega}");
    }
    let at_one = 1.0 - growth(Complex::new(0.0, 1.0)).norm();
    println!("damping at 1: {at_one:.2e}");
    assert!(growth(Complex::new(0.0, 1e9)).norm() < 1e-7 && growth(Complex::new(-1e9, 0.0)).norm() < 1e-7);
    assert!((1e-5..1e-4).contains(&at_one), "{at_one}");
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
