//! Points of plans.

use linkwork_sweep::{Parameter, Plan, Sampling, Sobol, Values};

fn plan(values: Vec<Values>, sampling: Sampling, seed: u64) -> Plan {
    let named = |(i, values)| Parameter { name: format!("p{i}"), values };
    Plan::new(values.into_iter().enumerate().map(named).collect(), sampling, seed).unwrap()
}

fn unit() -> Values {
    Values::Even { from: 0.0, to: 1.0, count: None }
}

/// Points of `scipy.stats.qmc.Sobol(128, scramble=False)`, scipy 1.17.1, as `tests/data/references.py` writes them: every bit.
#[test]
fn cross_sobol_points_are_those_of_scipy() {
    let sobol = Sobol::new(128).unwrap();
    let mut point = [0.0; 128];
    let mut lines = 0;
    for line in include_str!("../data/sobol.csv").lines() {
        let mut numbers = line.split(',').map(|cell| cell.parse::<u64>().unwrap());
        let n = numbers.next().unwrap();
        sobol.point(n, &mut point);
        let digits: Vec<u64> = numbers.collect();
        assert_eq!(digits.len(), 128);
        for (x, digits) in point.iter().zip(digits) {
            assert_eq!(*x, digits as f64 / f64::from(1 << 30), "point {n}");
        }
        lines += 1;
    }
    assert_eq!(lines, 10);
    assert!(Sobol::new(129).is_err());
    // a plan has them in the same order, from the corner on
    let plan = plan(vec![unit(), unit()], Sampling::Sobol(4), 0);
    let points: Vec<Vec<f64>> = (0..4).map(|n| plan.case(n)).collect();
    assert_eq!(points, [[0.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]);
}

/// Where a distribution has no end the corner is left out, and every case has values to run with.
#[test]
fn exact_normal_values_begin_behind_the_corner() {
    let normal = Values::Normal { mean: 2.0, deviation: 0.1, count: None };
    let plan = plan(vec![normal, unit()], Sampling::Sobol(8), 0);
    assert_eq!(plan.first_point(), 1);
    assert_eq!(plan.case(0), [2.0, 0.5]);
    assert!((0..8).all(|n| plan.case(n).iter().all(|x| x.is_finite())));
}

/// Each of n parts of each parameter is met once.
#[test]
fn exact_latin_hypercube() {
    for n in [1, 7, 100] {
        let plan = plan(vec![unit(), unit(), unit()], Sampling::Latin(n), 11);
        for j in 0..3 {
            let mut met: Vec<u64> = (0..n).map(|case| (plan.case(case)[j] * n as f64) as u64).collect();
            met.sort_unstable();
            assert_eq!(met, (0..n).collect::<Vec<_>>());
        }
    }
}

#[test]
fn same_cases_whoever_asks_and_other_ones_with_another_seed() {
    for sampling in [Sampling::Random(50), Sampling::Latin(50)] {
        let [a, b, c] = [3, 3, 4].map(|seed| plan(vec![unit(), unit()], sampling, seed));
        for n in (0..50).rev() {
            assert_eq!(a.case(n), b.case(n));
            assert_ne!(a.case(n), c.case(n));
        }
    }
}

/// The grid's last parameter changes fastest; Saltelli's design is A, A with one column of B each, B.
#[test]
fn exact_orders_of_cases() {
    let counted = |from, to, count| Values::Even { from, to, count: Some(count) };
    let grid = plan(vec![counted(1.0, 2.0, 2), counted(0.0, 2.0, 3)], Sampling::Grid, 0);
    let cases: Vec<Vec<f64>> = (0..grid.cases()).map(|n| grid.case(n)).collect();
    assert_eq!(cases, [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [2.0, 0.0], [2.0, 1.0], [2.0, 2.0]]);
    let design = plan(vec![unit(), unit()], Sampling::Saltelli(2), 0);
    assert_eq!(design.cases(), 8);
    let sobol = Sobol::new(4).unwrap();
    let mut point = [0.0; 4];
    sobol.point(1, &mut point);
    let [a1, a2, b1, b2] = point;
    let cases: Vec<Vec<f64>> = (4..8).map(|n| design.case(n)).collect();
    assert_eq!(cases, [[a1, a2], [b1, a2], [a1, b2], [b1, b2]]);
    for (sampling, word) in [(Sampling::Grid, "COUNT"), (Sampling::Pairs, "COUNT")] {
        let named = Parameter { name: "p".into(), values: unit() };
        assert!(Plan::new(vec![named], sampling, 0).unwrap_err().to_string().contains(word));
    }
}
