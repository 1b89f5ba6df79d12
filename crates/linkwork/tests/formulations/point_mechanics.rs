//! The mechanics that implicit methods work on: every matrix meets differences, every solve its equations.

use linkwork::formulations::{Formulate, Points};
use linkwork::integrate::{Blend, Mechanics};
use linkwork::mechanism::Mechanism;
use linkwork::model::Model;

fn example(name: &str) -> Mechanism {
    let file = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(&file).unwrap_or_else(|e| panic!("{e}")).assemble().unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers between −1 and 1, the same each time.
fn numbers(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| (seed + 1.7 * i as f64 + 0.3 * (i * i % 17) as f64).sin()).collect()
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Aᵀλ − f at a state.
fn imbalance(points: &mut Points, t: f64, y: &[f64], lambda: &[f64]) -> Vec<f64> {
    let n = points.coordinates();
    let (mut f, mut out) = (vec![0.0; n], vec![0.0; n]);
    points.look_at(t, y);
    points.forces(&mut f);
    points.add_transposed(lambda, &mut out);
    out.iter().zip(&f).map(|(a, f)| a - f).collect()
}

/// The derivative of the imbalance in a direction of positions or velocities, by central differences.
fn slope(points: &mut Points, t: f64, y: &[f64], lambda: &[f64], x: &[f64], first: usize) -> Vec<f64> {
    let s = 1e-5;
    let moved = |sign: f64| {
        let mut y = y.to_vec();
        y[first..first + x.len()].iter_mut().zip(x).for_each(|(y, x)| *y += sign * s * x);
        y
    };
    let ahead = imbalance(points, t, &moved(1.0), lambda);
    let behind = imbalance(points, t, &moved(-1.0), lambda);
    ahead.iter().zip(behind).map(|(a, b)| (a - b) / (2.0 * s)).collect()
}

/// For some x and λ: the right sides that differences give must lead back to x; λ is one of several where rows are redundant, so Aᵀλ
/// is compared. Where teeth, tyres or controllers act, D or K is not symmetric, and x is not to be expected.
#[test]
fn cross_tangent_and_differences() {
    let cases = [
        ("double-pendulum", true),
        ("four-bar", true),
        ("four-bar-in-space", true),
        ("spring", true),
        ("governor", true),
        ("slider-crank", true),
        ("stewart-platform", false),
        ("gear-train", false),
        ("suspension", false),
        ("vehicle", false),
    ];
    for (name, symmetric) in cases {
        let mechanism = example(name);
        let mut points = Points::new(&mechanism).unwrap();
        let (n, m) = (points.coordinates(), points.constraints());
        let mut y = points.start();
        for (v, x) in y[n..2 * n].iter_mut().zip(numbers(n, 0.2)) {
            *v += 0.5 * mechanism.size() * x;
        }
        let t = 0.0;
        let mut dy = vec![0.0; y.len()];
        linkwork::integrate::System::project(&mut points, t, &mut y, &mut dy).unwrap();
        let (x, l) = (numbers(n, 1.0), numbers(m, 2.0));
        let beta = 1e-3;
        let blend = Blend { mass: 1.0, damping: beta, stiffness: beta * beta };

        points.look_at(t, &y);
        points.factor().unwrap();
        let (mut f, mut gamma) = (vec![0.0; n], vec![0.0; m]);
        points.forces(&mut f);
        points.curvatures(&mut gamma);
        let (mut a, mut lambda) = (vec![0.0; n], vec![0.0; m]);
        points.solve(&f, &gamma, &mut a, &mut lambda);
        points.factor_tangent(&lambda, blend).unwrap_or_else(|e| panic!("{name}: {e}"));
        let k_x = slope(&mut points, t, &y, &lambda, &x, 0);
        let d_x = slope(&mut points, t, &y, &lambda, &x, n);
        points.look_at(t, &y);
        let mut a_l = vec![0.0; n];
        points.mass_times(&x, &mut f);
        points.add_transposed(&l, &mut a_l);
        for i in 0..n {
            f[i] += beta * d_x[i] + beta * beta * k_x[i] + a_l[i];
        }
        // A x from rates with and without x
        let (mut g, mut still) = (vec![0.0; m], vec![0.0; m]);
        points.residual_rates(&x, &mut g);
        points.residual_rates(&vec![0.0; n], &mut still);
        g.iter_mut().zip(&still).for_each(|(g, s)| *g -= s);

        // looking elsewhere in between must not matter
        let mut elsewhere = y.clone();
        elsewhere[0] += 0.3;
        points.look_at(t, &elsewhere);
        let (mut found, mut multipliers) = (vec![0.0; n], vec![0.0; m]);
        points.solve_tangent(&f, &g, &mut found, &mut multipliers);
        points.look_at(t, &y);
        let mut a_found = vec![0.0; n];
        points.add_transposed(&multipliers, &mut a_found);
        let off = |a: &[f64], b: &[f64]| {
            largest(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()) / largest(b).max(1e-300)
        };
        let (x_off, l_off) = (off(&found, &x), off(&a_found, &a_l));
        println!("{name:18} {n:3} + {m:3}: x {x_off:.1e}, Aᵀλ {l_off:.1e} relative");
        let mut rates = vec![0.0; m];
        points.residual_rates(&found, &mut rates);
        rates.iter_mut().zip(&still).for_each(|(g, s)| *g -= s);
        assert!(off(&rates, &g) < 1e-9, "{name}: A x is off by {:.1e}", off(&rates, &g));
        if symmetric {
            assert!(x_off < 1e-5 && l_off < 1e-4, "{name}");
        }

        // the same blend again, from what is kept
        points.look_at(t, &y);
        points.refactor_tangent(blend).unwrap();
        let (mut again, mut multipliers_again) = (vec![0.0; n], vec![0.0; m]);
        points.solve_tangent(&f, &g, &mut again, &mut multipliers_again);
        assert!(off(&again, &found) < 1e-9, "{name}: {:.1e}", off(&again, &found));
    }
}

/// The mass solve, and forces, curvatures and rates against y' of the formulation itself.
#[test]
fn cross_accelerations() {
    for name in
        ["double-pendulum", "four-bar-in-space", "governor", "stewart-platform", "suspension", "vehicle"]
    {
        let mechanism = example(name);
        let mut points = Points::new(&mechanism).unwrap();
        let (n, m) = (points.coordinates(), points.constraints());
        let mut y = points.start();
        let t = 0.0;
        let mut dy = vec![0.0; y.len()];
        linkwork::integrate::System::project(&mut points, t, &mut y, &mut dy).unwrap();
        points.look_at(t, &y);
        points.factor().unwrap();
        let (mut f, mut gamma) = (vec![0.0; n], vec![0.0; m]);
        points.forces(&mut f);
        points.curvatures(&mut gamma);
        let (mut a, mut lambda) = (vec![0.0; n], vec![0.0; m]);
        points.solve(&f, &gamma, &mut a, &mut lambda);
        let mut rest = vec![0.0; y.len() - 2 * n];
        points.rest_rates(&y, &lambda, &mut rest);
        let scale = largest(&dy).max(1.0);
        let off = (0..n).map(|i| (a[i] - dy[n + i]).abs()).fold(0.0, f64::max) / scale;
        let off_rest = rest.iter().zip(&dy[2 * n..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale;
        println!("{name:18} accelerations {off:.1e}, rest {off_rest:.1e} relative");
        assert!(off < 1e-9 && off_rest < 1e-9, "{name}");
    }
}
