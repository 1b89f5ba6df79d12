//! Closed forms, boxes and stacks with the mass data of rigid bodies, and random problems whose answers are checked
//! law by law.

use super::*;

/// Numbers from −1 to 1.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// W = G M⁻¹ Gᵀ and f = G v, from rows of G and the diagonal of M⁻¹.
fn contacts(d: usize, g: &[Vec<f64>], inverse_mass: &[f64], v: &[f64], mu: &[f64]) -> Problem {
    let n = g.len();
    let mut w = vec![0.0; n * n];
    for r in 0..n {
        for c in 0..=r {
            let value = (0..v.len()).map(|x| g[r][x] * inverse_mass[x] * g[c][x]).sum();
            w[r * n + c] = value;
            w[c * n + r] = value;
        }
    }
    let free = g.iter().map(|g| g.iter().zip(v).map(|(g, v)| g * v).sum()).collect();
    Problem { directions: d, w, free, friction: mu.to_vec(), tangent: vec![Tangent::Cone; n / d] }
}

/// Law by law and not as (C6), in the units of the problem: the worst of u relative to the island's velocities in energy
/// units, and of p relative to its impulses.
fn laws(problem: &Problem, solution: &Solution) -> f64 {
    let (d, n) = (problem.directions, problem.free.len());
    let u = problem.velocities(&solution.p);
    let scale: Vec<f64> = (0..problem.contacts())
        .map(|i| (0..d).fold(0.0, |m: f64, e| m.max(problem.w[(i * d + e) * (n + 1)])).sqrt().max(1e-300))
        .collect();
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let size = (0..n).fold(1e-300, |m: f64, r| {
        let terms = (0..n).map(|c| (problem.w[r * n + c] * solution.p[c]).abs()).sum::<f64>();
        m.max((problem.free[r].abs() + terms) / scale[r / d])
    });
    let mut worst: f64 = 0.0;
    for i in 0..problem.contacts() {
        let (p, u, mu, c) = (&solution.p[i * d..][..d], &u[i * d..][..d], problem.friction[i], scale[i]);
        let (p, u): (Vec<f64>, Vec<f64>) =
            (p.iter().map(|p| p * c / size).collect(), u.iter().map(|u| u / c / size).collect());
        worst = worst.max(-p[0]).max(-u[0]);
        worst = worst.max(p[0].min(u[0]));
        match problem.tangent[i] {
            Tangent::Sliding(s) => {
                (1..d).for_each(|e| worst = worst.max((p[e] + mu * p[0] * s[e - 1]).abs()))
            }
            Tangent::Cone => {
                let (pt, ut) = (norm(&p[1..]), norm(&u[1..]));
                if mu.is_finite() {
                    worst = worst.max(pt - mu * p[0]);
                    // p_t opposes u_t with all of μ p_n, or u_t vanishes
                    let power = (1..d).map(|e| p[e] * u[e]).sum::<f64>() + mu * p[0] * ut;
                    worst = worst.max((power / (mu * p[0]).max(1e-3)).min(ut));
                } else if p[0] > 1e-13 {
                    worst = worst.max(ut);
                }
            }
        }
        match solution.modes[i] {
            Mode::Open => assert!(p.iter().all(|p| *p == 0.0)),
            Mode::Stick => assert!(norm(&u) < 1e-11, "{i} sticks with {u:?}"),
            Mode::Slip => {
                assert!((norm(&p[1..]) - mu * p[0]).abs() < 1e-9 * mu.max(1.0), "{i} slips with {p:?}")
            }
        }
    }
    worst
}

fn kinetic_gain(problem: &Problem, p: &[f64]) -> (f64, f64) {
    let u = problem.velocities(p);
    let terms = || p.iter().zip(u.iter().zip(&problem.free));
    (
        terms().map(|(p, (u, f))| 0.5 * p * (u + f)).sum(),
        terms().map(|(p, (u, f))| 0.5 * p.abs() * (u.abs() + f.abs())).sum(),
    )
}

/// A particle of mass 2 on a floor: opens, sticks, slips, slides, in the plane and in space.
#[test]
fn exact_single_contact() {
    let m = 2.0;
    for d in [2, 3] {
        let g: Vec<Vec<f64>> =
            (0..d).map(|r| (0..d).map(|c| if r == c { 1.0 } else { 0.0 }).collect()).collect();
        let along = if d == 2 { vec![1.0] } else { vec![0.6, 0.8] };
        for (vn, vt, mu, mode, pn, pt) in [
            (0.5, 1.0, 0.3, Mode::Open, 0.0, 0.0),
            (0.0, 1.0, 0.3, Mode::Open, 0.0, 0.0),
            (-3.0, 1.0, 0.5, Mode::Stick, 6.0, 2.0),
            (-3.0, 1.0, f64::INFINITY, Mode::Stick, 6.0, 2.0),
            (-3.0, 4.0, 0.5, Mode::Slip, 6.0, 3.0),
            (-3.0, 4.0, 0.0, Mode::Slip, 6.0, 0.0),
        ] {
            let v: Vec<f64> = std::iter::once(vn).chain(along.iter().map(|a| a * vt)).collect();
            let mut problem = contacts(d, &g, &vec![1.0 / m; d], &v, &[mu]);
            let expected: Vec<f64> = std::iter::once(pn).chain(along.iter().map(|a| -a * pt)).collect();
            let found = solve(&problem).unwrap();
            assert_eq!(found.modes, [mode], "{vn} {vt} {mu}");
            let off = found.p.iter().zip(&expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(off < 4e-15, "{d} directions, {mode:?}: {off:.1e}");
            // sliding along the given direction, whatever the velocity says
            if mu.is_finite() && vn < 0.0 {
                problem.tangent = vec![Tangent::Sliding([along[0], along.get(1).copied().unwrap_or(0.0)])];
                let found = solve(&problem).unwrap();
                let t: f64 = found.p[1..].iter().zip(&along).map(|(p, a)| p * a).sum();
                assert!((found.p[0] - 6.0).abs() < 4e-15 && (t + mu * 6.0).abs() < 4e-15, "{found:?}");
            }
        }
    }
}

/// A single contact without friction parts with exactly e, and one with friction slips the other way by less than it came.
#[test]
fn exact_restitution() {
    for e in [0.0, 0.3, 0.7, 1.0] {
        let problem = contacts(2, &[vec![1.0, 0.0], vec![0.0, 1.0]], &[0.4; 2], &[-3.0, 5.0], &[0.0]);
        let found = impact(&problem, &problem.free, &[e]).unwrap();
        let u = problem.velocities(&found.p);
        assert!((u[0] - 3.0 * e).abs() < 2e-15 && u[1] == 5.0, "{e}: {u:?}");
    }
}

/// Rows of G of a box of mass m, half sides a and b, for a corner at (x, y) from its centre, in axes n, t.
fn corner(body: usize, bodies: usize, x: f64, y: f64, n: [f64; 2]) -> Vec<Vec<f64>> {
    let t = [n[1], -n[0]];
    [n, t]
        .iter()
        .map(|e| {
            let mut row = vec![0.0; 3 * bodies];
            row[3 * body..3 * body + 3].copy_from_slice(&[e[0], e[1], x * e[1] - y * e[0]]);
            row
        })
        .collect()
}

/// On two corners the load is shared evenly, and in space on four.
#[test]
fn exact_box_at_rest() {
    let (a, b, m) = (0.5, 0.25, 3.0);
    let mut g = corner(0, 1, -a, -b, [0.0, 1.0]);
    g.extend(corner(0, 1, a, -b, [0.0, 1.0]));
    let inertia = m / 3.0 * (a * a + b * b);
    let problem = contacts(2, &g, &[1.0 / m, 1.0 / m, 1.0 / inertia], &[0.0, -9.81, 0.0], &[0.4; 2]);
    let found = solve(&problem).unwrap();
    for (p, expected) in found.p.iter().zip([m * 9.81 / 2.0, 0.0, m * 9.81 / 2.0, 0.0]) {
        assert!((p - expected).abs() < 1e-13, "{found:?}");
    }
    assert_eq!(found.modes, [Mode::Stick; 2]);

    let problem = box_in_space(&[0.0, 0.0, -9.81, 0.0, 0.0, 0.0], 0.4);
    let found = solve(&problem).unwrap();
    for (i, p) in found.p.iter().enumerate() {
        let expected = if i % 3 == 0 { 9.81 / 4.0 } else { 0.0 };
        assert!((p - expected).abs() < 1e-13, "{found:?}");
    }
    // gone sideways: all four slip, the front ones carry more, and the centre is braked by μ g
    let problem = box_in_space(&[3.0, 0.0, -9.81, 0.0, 0.0, 0.0], 0.1);
    let found = solve(&problem).unwrap();
    assert_eq!(found.modes, [Mode::Slip; 4]);
    let sum: f64 = found.p.chunks(3).map(|p| p[1]).sum();
    println!("box in space: laws {:.1e}", laws(&problem, &found));
    assert!((sum + 0.981).abs() < 1e-13 && laws(&problem, &found) < 1e-13, "{found:?}");
}

/// A unit cube of mass 1 on the corners of its base, v and ω at its centre.
fn box_in_space(v: &[f64; 6], mu: f64) -> Problem {
    let mut g = Vec::new();
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        let z = -0.5;
        // n = z, t = x, y; v + ω × r
        g.push(vec![0.0, 0.0, 1.0, y, -x, 0.0]);
        g.push(vec![1.0, 0.0, 0.0, 0.0, z, -y]);
        g.push(vec![0.0, 1.0, 0.0, -z, 0.0, x]);
    }
    contacts(3, &g, &[1.0, 1.0, 1.0, 6.0, 6.0, 6.0], v, &[mu; 4])
}

/// A spinning cube stops spinning or slips at all corners, with friction across the arms.
#[test]
fn exact_spinning_box() {
    for (spin, mode) in [(0.5, Mode::Stick), (50.0, Mode::Slip)] {
        let problem = box_in_space(&[0.0, 0.0, -1.0, 0.0, 0.0, spin], 0.3);
        let found = solve(&problem).unwrap();
        let u = problem.velocities(&found.p);
        assert_eq!(found.modes, [mode; 4]);
        // the torque of four friction impulses 0.3/4 on arms 1/√2 turns an inertia of 1/6
        let after = if mode == Mode::Stick { 0.0 } else { spin - 6.0 * 0.3 / 2_f64.sqrt() };
        let off = (u[1].hypot(u[2]) - after / 2_f64.sqrt()).abs();
        println!("spin {spin}: off {off:.1e}");
        assert!(off < 1e-14 * spin.max(1.0) && laws(&problem, &found) < 1e-13);
    }
}

/// A block on an incline rests up to the friction angle; the even split of the friction leaves the cone of
/// the upper corner long before. Above the angle it slips down.
#[test]
fn exact_incline() {
    let (a, b, m, mu) = (0.5, 0.25, 3.0, 0.6_f64);
    let mut g = corner(0, 1, -a, -b, [0.0, 1.0]);
    g.extend(corner(0, 1, a, -b, [0.0, 1.0]));
    let inertia = m / 3.0 * (a * a + b * b);
    for (less, slips) in
        [(0.3, false), (1e-3, false), (1e-6, false), (1e-9, false), (-1e-9, true), (-1e-2, true)]
    {
        let angle = mu.atan() - less;
        let problem = contacts(
            2,
            &g,
            &[1.0 / m, 1.0 / m, 1.0 / inertia],
            &[-9.81 * angle.sin(), -9.81 * angle.cos(), 0.0],
            &[mu; 2],
        );
        let found = solve(&problem).unwrap();
        let u = problem.velocities(&found.p);
        let down = 9.81 * (angle.sin() - mu * angle.cos()).max(0.0);
        let off = (u[1].abs() - down).abs().max((u[3].abs() - down).abs());
        println!("incline, angle less {less:e}: {:?}, off {off:.1e}", found.modes);
        assert!(off < 1e-13 && laws(&problem, &found) < 1e-13);
        assert_eq!(found.modes.iter().all(|m| *m == Mode::Slip), slips);
        assert!(found.p.chunks(2).all(|p| p[1].abs() <= mu * p[0] * (1.0 + 1e-14)), "{found:?}");
        // the lower corner carries more
        assert!(found.p[0] > found.p[2]);
    }
}

/// Boxes on boxes, all on two corners: each pair carries what is above, evenly.
fn stack(count: usize, mass: impl Fn(usize) -> f64, v: impl Fn(usize) -> [f64; 3], mu: f64) -> Problem {
    let (a, b) = (0.5, 0.5);
    let mut g = Vec::new();
    let mut inverse = Vec::new();
    let mut all = Vec::new();
    for body in 0..count {
        for x in [-a, a] {
            let mut rows = corner(body, count, x, -b, [0.0, 1.0]);
            if body > 0 {
                for (row, below) in rows.iter_mut().zip(corner(body - 1, count, x, b, [0.0, 1.0])) {
                    row.iter_mut().zip(below).for_each(|(r, o)| *r -= o);
                }
            }
            g.extend(rows);
        }
        let m = mass(body);
        inverse.extend([1.0 / m, 1.0 / m, 3.0 / (m * (a * a + b * b))]);
        all.extend(v(body));
    }
    contacts(2, &g, &inverse, &all, &vec![mu; 2 * count])
}

#[test]
fn exact_stack_of_ten() {
    for ratio in [1.0, 3.0, 0.3] {
        let mass = |i: usize| f64::powi(ratio, i as i32);
        let problem = stack(10, mass, |_| [0.0, -9.81, 0.0], 0.5);
        let found = solve(&problem).unwrap();
        let total: f64 = (0..10).map(mass).sum();
        let mut off: f64 = 0.0;
        for (i, p) in found.p.chunks(2).enumerate() {
            let above: f64 = (i / 2..10).map(mass).sum();
            off = off.max((p[0] - above * 9.81 / 2.0).abs() / above).max(p[1].abs() / total);
        }
        let worst = laws(&problem, &found);
        println!("stack of ten, mass ratio {ratio}: impulses off {off:.1e}, laws {worst:.1e}");
        // tilting of heavy boxes on light ones hardly moves anything: of impulses that many digits are lost
        assert!(off < if ratio > 1.0 { 1e-7 } else { 1e-11 } && worst < 1e-13);
        assert!(found.modes.iter().all(|m| *m == Mode::Stick));
    }
    // pushed at the top, thrown together, and with random velocities
    let mut next = numbers(5);
    for case in 0..50 {
        let v: Vec<[f64; 3]> = (0..10).map(|_| [next(), next() - 1.0, next()]).collect();
        let problem = stack(10, |i| 1.0 + (i % 3) as f64, |i| v[i], 0.5);
        let found = solve(&problem).unwrap();
        let worst = laws(&problem, &found);
        assert!(worst < 1e-12, "{case}: {worst:.1e}");
    }
}

/// Random contacts of random bodies: of full rank and far below it, in the plane and in space.
fn random(next: &mut impl FnMut() -> f64, d: usize, k: usize, columns: usize, steepest: f64) -> Problem {
    let g: Vec<Vec<f64>> = (0..k * d).map(|_| (0..columns).map(|_| next()).collect()).collect();
    let inverse: Vec<f64> = (0..columns).map(|_| 0.05 + next().abs()).collect();
    let v: Vec<f64> = (0..columns).map(|_| next()).collect();
    let mu: Vec<f64> = (0..k).map(|_| steepest * next().abs()).collect();
    contacts(d, &g, &inverse, &v, &mu)
}

#[test]
fn keeps_laws_in_random_problems() {
    let mut next = numbers(11);
    let mut worst: f64 = 0.0;
    for case in 0..600_usize {
        let d = 2 + case % 2;
        let k = 1 + case / 2 % 30;
        let columns = match case % 5 {
            0 => d * k + 3,
            1 => d * k,
            2 => (d * k).div_ceil(2),
            3 => k.div_ceil(3) * 3,
            _ => 3,
        };
        let problem = random(&mut next, d, k, columns, 1.5);
        let found = solve(&problem).unwrap_or_else(|e| panic!("{case}: {d} x {k}, {columns} columns: {e}"));
        let now = laws(&problem, &found);
        assert!(now < 1e-12, "{case}: {d} x {k}, {columns} columns: {now:.1e}");
        worst = worst.max(now);
    }
    println!("600 random problems: laws missed by {worst:.1e} at most");
}

#[test]
fn keeps_energy_from_growing() {
    let mut next = numbers(17);
    let (mut most, mut scaled) = (f64::NEG_INFINITY, 0);
    for case in 0..200 {
        let d = 2 + case % 2;
        let k = 1 + case / 2 % 12;
        let columns = if case % 3 == 0 && k < 5 { 3 } else { d * k - k / 3 };
        let problem = random(&mut next, d, k, columns, 1.5);
        let e: Vec<f64> = (0..k).map(|_| next().abs()).collect();
        let found = impact(&problem, &problem.free, &e).unwrap_or_else(|f| panic!("{case}: {f}"));
        let (gain, size) = kinetic_gain(&problem, &found.p);
        most = most.max(gain / size.max(1e-300));
        let u = problem.velocities(&found.p);
        let missed = (0..k).any(|i| u[i * d] < -e[i] * problem.free[i * d].min(0.0) - 1e-9);
        scaled += usize::from(missed);
        assert!((0..k).all(|i| u[i * d] > -1e-12), "{case}: {u:?}");
        // where W is nearly singular the laws themselves are met to 1e-10 only
        assert!(gain <= 1e-11 * size, "{case}: {gain:.1e} of {size:.1e}");
    }
    println!("200 random collisions: energy grows by {most:.1e} at most; {scaled} with restitution lowered");
}

/// Kane's paradox: a rod struck obliquely would gain energy with Newton's law; the bound is met with equality.
#[test]
fn exact_oblique_rod_does_not_gain() {
    // a contact whose slip reverses: coupling of normal and tangential directions
    let w = vec![2.0, -1.5, -1.5, 2.0];
    let free = vec![-1.0, 1.2];
    let problem =
        Problem { directions: 2, w, free: free.clone(), friction: vec![0.8], tangent: vec![Tangent::Cone] };
    let full = {
        let mut p = problem.clone();
        p.free[0] += free[0];
        solve(&p).unwrap()
    };
    let (gain, _) = kinetic_gain(&problem, &full.p);
    let found = impact(&problem, &free, &[1.0]).unwrap();
    let (bounded, size) = kinetic_gain(&problem, &found.p);
    println!("oblique: Newton gains {gain:.3}, bounded {bounded:.1e}");
    assert!(gain > 0.01, "{gain}");
    assert!(bounded.abs() < 1e-12 * size);
}

/// A wedge closed on both sides cannot give back anything: s goes to 0.
#[test]
fn exact_closed_wedge() {
    let problem = contacts(
        2,
        &[vec![1.0, 0.0], vec![0.0, 1.0], vec![-1.0, 0.0], vec![0.0, 1.0]],
        &[1.0; 2],
        &[-2.0, 1.0],
        &[0.0; 2],
    );
    let found = impact(&problem, &problem.free, &[0.8, 0.8]).unwrap();
    let u = problem.velocities(&found.p);
    assert!(u[0].abs() < 1e-12 && u[2].abs() < 1e-12 && u[1] == 1.0, "{u:?}");
}

/// Masses from 1e-6 to 1e6, in one problem and one after the other: u does not know the unit of mass.
#[test]
fn same_in_other_units() {
    let mut next = numbers(23);
    for case in 0..40 {
        let (d, k) = (2 + case % 2, 2 + case / 4);
        let problem = random(&mut next, d, k, 2 * k, 1.0);
        let base = solve(&problem).unwrap();
        for scale in [1e-6, 1e6] {
            let mut other = problem.clone();
            other.w.iter_mut().for_each(|w| *w *= scale);
            let found = solve(&other).unwrap();
            let (u, v) = (problem.velocities(&base.p), other.velocities(&found.p));
            let off = u.iter().zip(&v).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-11, "{case}, {scale:e}: {off:.1e}");
        }
    }
    let mut worst: f64 = 0.0;
    for case in 0..40 {
        let mass = |i: usize| 10_f64.powi(((i * 7 + case) % 13) as i32 - 6);
        let problem = stack(6, mass, |i| [0.3 * i as f64, -1.0, 0.1], 0.4);
        let found = solve(&problem).unwrap_or_else(|e| panic!("{case}: {e}"));
        worst = worst.max(laws(&problem, &found));
    }
    println!("stacks of masses 1e-6 to 1e6: laws {worst:.1e}");
    assert!(worst < 1e-12);
}

/// Contacts far apart are solved as if alone, bit by bit, and twice the same.
#[test]
fn same_twice_and_apart() {
    let mut next = numbers(29);
    let one = random(&mut next, 3, 5, 9, 1.0);
    let two = random(&mut next, 3, 4, 7, 1.0);
    let n = one.free.len() + two.free.len();
    let mut w = vec![0.0; n * n];
    for (part, first) in [(&one, 0), (&two, one.free.len())] {
        let m = part.free.len();
        (0..m * m).for_each(|i| w[(first + i / m) * n + first + i % m] = part.w[i]);
    }
    let both = Problem {
        directions: 3,
        w,
        free: [one.free.clone(), two.free.clone()].concat(),
        friction: [one.friction.clone(), two.friction.clone()].concat(),
        tangent: vec![Tangent::Cone; 9],
    };
    let all = solve(&both).unwrap();
    assert_eq!(all, solve(&both).unwrap());
    assert_eq!(all.p, [solve(&one).unwrap().p, solve(&two).unwrap().p].concat());
}

/// One contact that slides with W_nn − μ W_nt < 0: no force where it would overlap, none needed where it opens.
#[test]
fn exact_painleve() {
    let problem = |free: f64| Problem {
        directions: 2,
        w: vec![1.0, 0.9, 0.9, 1.0],
        free: vec![free, 0.0],
        friction: vec![1.4],
        tangent: vec![Tangent::Sliding([1.0, 0.0])],
    };
    assert_eq!(solve(&problem(1.0)).unwrap().p, [0.0, 0.0]);
    let failure = solve(&problem(-1.0)).unwrap_err();
    println!("{failure}");
    assert!(matches!(failure, ContactFailure::Unsolved { sliding: true, .. }));
    // the same as velocities, with the cone: sticks or slips, but has an answer
    let mut cone = problem(-1.0);
    cone.free[1] = 1.0;
    cone.tangent = vec![Tangent::Cone];
    assert!(laws(&cone, &solve(&cone).unwrap()) < 1e-14);
}

/// Contacts that slide among others that do not, with moderate friction.
#[test]
fn keeps_laws_with_sliding_contacts() {
    let mut next = numbers(31);
    let mut none = 0;
    for case in 0..200 {
        let (d, k) = (2 + case % 2, 1 + case / 10);
        let mut problem = random(&mut next, d, k, d * k, 0.4);
        for t in &mut problem.tangent {
            if next() > 0.0 {
                let a = 3.0 * next();
                *t = Tangent::Sliding(if d == 2 { [a.signum(), 0.0] } else { [a.cos(), a.sin()] });
            }
        }
        match solve(&problem) {
            Ok(found) => assert!(laws(&problem, &found) < 1e-12),
            Err(failure) => {
                println!("{case}: {d} x {k}: {failure}");
                none += 1;
            }
        }
    }
    println!("sliding: {none} of 200 without an answer");
    assert!(none < 10);
}

#[test]
fn exact_nothing_moves_and_wrong_numbers() {
    let still = Problem {
        directions: 3,
        w: vec![0.0; 9],
        free: vec![0.0; 3],
        friction: vec![0.5],
        tangent: vec![Tangent::Cone],
    };
    assert_eq!(solve(&still).unwrap().modes, [Mode::Open]);
    let mut wall = still.clone();
    wall.free[0] = -1.0;
    assert!(matches!(solve(&wall), Err(ContactFailure::Unsolved { law: Law::Overlap, sliding: false, .. })));
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut bad = still.clone();
        bad.free[1] = wrong;
        assert_eq!(solve(&bad), Err(ContactFailure::NotFinite { contact: 0 }));
    }
    let mut bad = still.clone();
    bad.friction[0] = -0.1;
    assert!(solve(&bad).is_err());
    let none = Problem { directions: 2, w: vec![], free: vec![], friction: vec![], tangent: vec![] };
    assert!(solve(&none).unwrap().p.is_empty());
}
