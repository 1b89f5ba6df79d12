//! Inverse dynamics, mass matrix, Jacobians and derivatives of trees of links: against each other, against the forward
//! dynamics, against differences.

use crate::suite::trees;

use linkwork::linalg::spatial::Twist;
use linkwork::recursive::{
    Derivatives, Dynamics, Inverse, Jacobians, Link, LinkJoint, Load, MassMatrix, NoInertia, Tree,
};
use trees::{
    GRAVITY, Mix, Random, apart, coordinates, displace, largest, off, product, quaternion_product, rotation,
    times, transposed, tree,
};

/// Random trees of all kinds, with how likely a link hangs on the one before.
const SHAPES: [(usize, Mix, f64); 12] = [
    (1, Mix::Revolute, 1.0),
    (1, Mix::All, 1.0),
    (2, Mix::All, 1.0),
    (7, Mix::Revolute, 1.0),
    (7, Mix::All, 1.0),
    (9, Mix::Axes, 0.5),
    (20, Mix::All, 0.3),
    (30, Mix::Revolute, 1.0),
    (33, Mix::Axes, 0.8),
    (60, Mix::All, 0.9),
    (60, Mix::All, 0.6),
    (60, Mix::All, 1.0),
];

struct Case {
    links: Vec<Link>,
    tree: Tree,
    q: Vec<f64>,
    u: Vec<f64>,
    accelerations: Vec<f64>,
    name: String,
}

fn case(seed: u64, (n, mix, straight): (usize, Mix, f64)) -> Case {
    let mut random = Random(seed * 7919 + 12345);
    let (links, tree) = tree(&mut random, n, mix, straight);
    let q = coordinates(&mut random, &links);
    let (u, accelerations) = (random.list(tree.u_count()), random.list(tree.u_count()));
    Case { links, tree, q, u, accelerations, name: format!("{n} links, {mix:?}, {straight}") }
}

fn cases() -> impl Iterator<Item = Case> {
    SHAPES
        .into_iter()
        .enumerate()
        .flat_map(|(i, shape)| (0..3).map(move |k| case(1 + i as u64 * 3 + k, shape)))
}

/// Derivative of a function by differences of eighth order.
fn slope(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut sum = Vec::new();
    for (k, weight) in WEIGHTS.into_iter().enumerate() {
        let (a, b) = (f((k + 1) as f64 * h), f(-((k + 1) as f64) * h));
        sum.resize(a.len(), 0.0);
        for (s, (a, b)) in sum.iter_mut().zip(a.iter().zip(&b)) {
            *s += weight * (a - b) / h;
        }
    }
    sum
}

#[test]
fn cross_forward_of_inverse_is_the_identity() {
    let mut worst: f64 = 0.0;
    for case in cases() {
        let mut tau = vec![0.0; case.u.len()];
        Inverse::new(case.tree.clone()).forces(&case.q, &case.u, &case.accelerations, &mut tau);
        let mut dynamics = Dynamics::new(case.tree.clone());
        let mut back = tau.clone();
        dynamics.forward(&case.q, &case.u, &tau, &mut back);
        let mut again = tau.clone();
        Inverse::new(case.tree.clone()).forces(&case.q, &case.u, &back, &mut again);
        let (there, here) = (apart(&back, &case.accelerations), apart(&again, &tau));
        println!("{}: u̇ {there:.1e}, τ {here:.1e}", case.name);
        worst = worst.max(here);
        assert!(here < 1e-11, "{}", case.name);
        assert!(there < 1e-9, "{}: {there}", case.name);
    }
    println!("worst residual of forces {worst:.1e}");
}

#[test]
fn cross_mass_matrix_and_bias() {
    for case in cases() {
        let n = case.u.len();
        let mut m = vec![f64::NAN; n * n];
        let mut matrix = MassMatrix::new(case.tree.clone());
        matrix.full(&case.q, &mut m);
        let mut lower = vec![f64::NAN; n * n];
        matrix.lower(&case.q, &mut lower);
        let mut inverse = Inverse::new(case.tree.clone());
        let (mut tau, mut bias) = (vec![0.0; n], vec![0.0; n]);
        inverse.forces(&case.q, &case.u, &case.accelerations, &mut tau);
        inverse.bias(&case.q, &case.u, &mut bias);
        let sum: Vec<f64> = (0..n)
            .map(|i| bias[i] + (0..n).map(|j| m[i * n + j] * case.accelerations[j]).sum::<f64>())
            .collect();
        let error = apart(&sum, &tau);
        for i in 0..n {
            for j in 0..n {
                assert_eq!(m[i * n + j], m[j * n + i]);
                assert!(lower[i * n + j] == m[i * n + j] || (j > i && lower[i * n + j].is_nan()));
            }
        }
        // kinetic energy by both roads; positive for any rates
        let twice: f64 =
            (0..n).map(|i| (0..n).map(|j| case.u[i] * m[i * n + j] * case.u[j]).sum::<f64>()).sum();
        let totals = inverse.totals(&case.q, &case.u);
        let energy = (0.5 * twice - totals.kinetic).abs() / totals.kinetic;
        // the inverse
        let mut inverted = vec![f64::NAN; n * n];
        matrix.inverse(&case.q, &mut inverted).unwrap();
        let mut identity: f64 = 0.0;
        let mut skew: f64 = 0.0;
        for i in 0..n {
            for j in 0..n {
                let x: f64 = (0..n).map(|k| m[i * n + k] * inverted[k * n + j]).sum();
                identity = identity.max((x - f64::from(u8::from(i == j))).abs());
                skew = skew.max((inverted[i * n + j] - inverted[j * n + i]).abs() / largest(&inverted));
            }
        }
        println!(
            "{}: M u̇ + bias {error:.1e}, energy {energy:.1e}, M M⁻¹ {identity:.1e}, M⁻¹ − M⁻ᵀ {skew:.1e}",
            case.name
        );
        assert!(error < 1e-12 && energy < 1e-13 && twice > 0.0, "{}", case.name);
        assert!(skew < 1e-11 && identity < 1e-7, "{}", case.name);
    }
}

#[test]
fn cross_jacobians_are_slopes_of_places() {
    for case in cases() {
        let n = case.u.len();
        let mut random = Random(77);
        let mut jacobians = Jacobians::new(case.tree.clone());
        let mut dynamics = Dynamics::new(case.tree.clone());
        let link = case.links.len() - 1 - random.pick(3).min(case.links.len() - 1);
        let place = random.vector();
        jacobians.place(&case.q, &case.u);
        let mut j6 = vec![0.0; 6 * n];
        let mut j3 = vec![f64::NAN; 3 * n];
        jacobians.spatial(link, place, &mut j6);
        jacobians.point(link, place, &mut j3);
        let mut moves = vec![false; n];
        jacobians.moved_by(link, |range| moves[range].fill(true));
        for k in 0..3 * n {
            assert!(if moves[k % n] { j3[k] == j6[3 * n + k] } else { j3[k].is_nan() && j6[k] == 0.0 });
        }
        let mut other = Jacobians::new(case.tree.clone());
        let zeros = vec![0.0; n];
        let mut worst: f64 = 0.0;
        for e in 0..n {
            let by_difference = slope(1e-2, |h| {
                other.place(&displace(&case.links, &mut dynamics, &case.q, e, h), &zeros);
                other.position(link, place).to_vec()
            });
            let column: Vec<f64> = (0..3).map(|k| j6[(3 + k) * n + e]).collect();
            worst = worst.max(largest(&[0, 1, 2].map(|k| by_difference[k] - column[k])));
        }
        // J u is the velocity
        let Twist { v, w } = jacobians.velocity(link, place);
        for (k, x) in w.into_iter().chain(v).enumerate() {
            let sum: f64 = (0..n).map(|e| j6[k * n + e] * case.u[e]).sum();
            assert!((sum - x).abs() < 1e-12 * (1.0 + x.abs()), "{}", case.name);
        }
        println!("{}: Jacobian against differences {worst:.1e}", case.name);
        assert!(worst < 1e-11, "{}", case.name);
    }
}

/// Where the state is after a short time with rates u + u̇ t: the classical Runge–Kutta method in small steps.
fn moved(case: &Case, dynamics: &mut Dynamics, accelerations: &[f64], t: f64) -> (Vec<f64>, Vec<f64>) {
    const STEPS: usize = 8;
    let rates = |t: f64| -> Vec<f64> { case.u.iter().zip(accelerations).map(|(u, a)| u + t * a).collect() };
    let slopes = |dynamics: &mut Dynamics, q: &[f64], t: f64| -> Vec<f64> {
        let u = rates(t);
        dynamics.place(q, &u);
        let mut out = vec![0.0; q.len()];
        for (i, link) in case.links.iter().enumerate() {
            let (at, first) = dynamics.tree().first(i);
            let (at, first) = match link.joint {
                LinkJoint::Axis { .. } => {
                    out[at] = u[first];
                    continue;
                }
                LinkJoint::Ball => (at, first),
                LinkJoint::Free => {
                    out[at..at + 3].copy_from_slice(&u[first..first + 3]);
                    (at + 3, first + 3)
                }
            };
            let own: [f64; 4] = std::array::from_fn(|c| q[at + c]);
            let before = product(&dynamics.motion(i).rotation, &transposed(&rotation(own)));
            let w = times(&transposed(&before), std::array::from_fn(|k| u[first + k]));
            let slope = quaternion_product([0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]], own);
            out[at..at + 4].copy_from_slice(&slope);
        }
        out
    };
    let axpy =
        |q: &[f64], h: f64, k: &[f64]| -> Vec<f64> { q.iter().zip(k).map(|(q, k)| q + h * k).collect() };
    let h = t / STEPS as f64;
    let mut q = case.q.clone();
    for step in 0..STEPS {
        let now = step as f64 * h;
        let k1 = slopes(dynamics, &q, now);
        let k2 = slopes(dynamics, &axpy(&q, 0.5 * h, &k1), now + 0.5 * h);
        let k3 = slopes(dynamics, &axpy(&q, 0.5 * h, &k2), now + 0.5 * h);
        let k4 = slopes(dynamics, &axpy(&q, h, &k3), now + h);
        for i in 0..q.len() {
            q[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }
    (q, rates(t))
}

#[test]
fn cross_bias_accelerations_are_rates_of_velocities() {
    for case in cases() {
        let mut random = Random(99);
        let mut dynamics = Dynamics::new(case.tree.clone());
        let mut jacobians = Jacobians::new(case.tree.clone());
        let link = case.links.len() - 1;
        let place = random.vector();
        jacobians.place(&case.q, &case.u);
        let Twist { v: a, w: alpha } = jacobians.bias(link, place);
        let by_difference = slope(5e-3, |t| {
            let zeros = vec![0.0; case.u.len()];
            let (q, u) = moved(&case, &mut dynamics, &zeros, t);
            jacobians.place(&q, &u);
            let Twist { v, w } = jacobians.velocity(link, place);
            [w, v].concat()
        });
        let bias = [alpha, a].concat();
        let error = off(&by_difference, &bias);
        println!("{}: J̇ u against differences {error:.1e}", case.name);
        assert!(error < 1e-8, "{}", case.name);
    }
}

#[test]
fn cross_derivatives_of_inverse_dynamics_are_slopes() {
    let mut all: f64 = 0.0;
    for case in cases().filter(|case| case.links.len() <= 33) {
        all = all.max(check_inverse_derivatives(&case));
    }
    // several groups, and groups that begin behind forks
    for (seed, straight) in [(900, 1.0), (901, 0.97)] {
        all = all.max(check_inverse_derivatives(&case(seed, (60, Mix::All, straight))));
    }
    println!("worst {all:.1e}");
}

fn check_inverse_derivatives(case: &Case) -> f64 {
    let n = case.u.len();
    let mut derivatives = Derivatives::new(case.tree.clone());
    derivatives.inverse(&case.q, &case.u, &case.accelerations);
    let mut inverse = Inverse::new(case.tree.clone());
    let mut dynamics = Dynamics::new(case.tree.clone());
    let (mut by_position, mut by_rate) = (vec![0.0; n * n], vec![0.0; n * n]);
    let mut tau = vec![0.0; n];
    for e in 0..n {
        let column = slope(1e-2, |h| {
            let q = displace(&case.links, &mut dynamics, &case.q, e, h);
            inverse.forces(&q, &case.u, &case.accelerations, &mut tau);
            tau.clone()
        });
        (0..n).for_each(|d| by_position[d * n + e] = column[d]);
        let mut u = case.u.clone();
        let column = slope(1e-2, |h| {
            u[e] = case.u[e] + h;
            inverse.forces(&case.q, &u, &case.accelerations, &mut tau);
            tau.clone()
        });
        (0..n).for_each(|d| by_rate[d * n + e] = column[d]);
    }
    let position = off(derivatives.by_position(), &by_position);
    let rate = off(derivatives.by_rate(), &by_rate);
    println!("{}: ∂τ/∂q {position:.1e}, ∂τ/∂u {rate:.1e}", case.name);
    assert!(position < 1e-10 && rate < 1e-10, "{}", case.name);
    position.max(rate)
}

#[test]
fn cross_derivatives_of_forward_dynamics_are_slopes() {
    for case in cases().filter(|case| case.links.len() <= 20) {
        let n = case.u.len();
        let mut derivatives = Derivatives::new(case.tree.clone());
        let mut random = Random(5);
        let tau = random.list(n);
        derivatives.forward(&case.q, &case.u, &tau).unwrap();
        let mut dynamics = Dynamics::new(case.tree.clone());
        let mut forward = Dynamics::new(case.tree.clone());
        let mut out = vec![0.0; n];
        forward.forward(&case.q, &case.u, &tau, &mut out);
        assert_eq!(derivatives.accelerations(), out);
        let mut worst: f64 = 0.0;
        let (mut by_position, mut by_rate, mut by_force) =
            (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
        for e in 0..n {
            let column = slope(2e-3, |h| {
                let q = displace(&case.links, &mut dynamics, &case.q, e, h);
                forward.forward(&q, &case.u, &tau, &mut out);
                out.clone()
            });
            (0..n).for_each(|d| by_position[d * n + e] = column[d]);
            let mut u = case.u.clone();
            let column = slope(1e-2, |h| {
                u[e] = case.u[e] + h;
                forward.forward(&case.q, &u, &tau, &mut out);
                out.clone()
            });
            (0..n).for_each(|d| by_rate[d * n + e] = column[d]);
            let mut t = tau.clone();
            let column = slope(1e-1, |h| {
                t[e] = tau[e] + h;
                forward.forward(&case.q, &case.u, &t, &mut out);
                out.clone()
            });
            (0..n).for_each(|d| by_force[d * n + e] = column[d]);
        }
        for (name, a, b) in [
            ("q", derivatives.by_position(), &by_position),
            ("u", derivatives.by_rate(), &by_rate),
            ("τ", derivatives.by_force(), &by_force),
        ] {
            let error = off(a, b);
            worst = worst.max(error);
            assert!(error < 1e-10, "{} by {name}: {error:.1e}", case.name);
        }
        println!("{}: derivatives of u̇ {worst:.1e}", case.name);
    }
}

/// The rate of the energy is the power of the forces; that of the momentum is weight and what the ground gives.
#[test]
fn cross_energy_and_momentum() {
    for case in cases() {
        let n = case.u.len();
        let mut inverse = Inverse::new(case.tree.clone());
        let mut dynamics = Dynamics::new(case.tree.clone());
        let mut tau = vec![0.0; n];
        inverse.forces(&case.q, &case.u, &case.accelerations, &mut tau);
        let power: f64 = tau.iter().zip(&case.u).map(|(a, b)| a * b).sum();
        let now = inverse.totals(&case.q, &case.u);
        let rates = slope(2e-3, |t| {
            let (q, u) = moved(&case, &mut dynamics, &case.accelerations, t);
            let totals = inverse.totals(&q, &u);
            [vec![totals.kinetic + totals.potential], totals.centre.to_vec()].concat()
        });
        let scale: f64 = tau.iter().zip(&case.u).map(|(a, b)| (a * b).abs()).sum();
        let error = (rates[0] - power).abs() / scale;
        let centre = off(&rates[1..], &now.velocity);
        println!("{}: power {error:.1e}, velocity of the centre {centre:.1e}", case.name);
        assert!(error < 1e-9 && centre < 1e-9, "{}", case.name);
        assert!(apart(&now.momentum, &now.velocity.map(|v| v * now.mass)) < 1e-13);
        let mass: f64 = case.links.iter().map(|l| l.mass).sum();
        assert!((mass - now.mass).abs() < 1e-12 * mass);
    }
}

/// A floating tree on which only its joints act: the centre falls, and the angular momentum about it stays.
#[test]
fn keeps_the_angular_momentum_of_a_floating_tree() {
    for seed in 1..6 {
        let mut case = case(seed, (12, Mix::All, 1.0));
        let mut dynamics = Dynamics::new(case.tree.clone());
        let mut tau = case.accelerations.clone();
        tau[..6].fill(0.0);
        let mut accelerations = tau.clone();
        dynamics.forward(&case.q, &case.u, &tau, &mut accelerations);
        case.accelerations = accelerations;
        let mut inverse = Inverse::new(case.tree.clone());
        let rates = slope(2e-3, |t| {
            let (q, u) = moved(&case, &mut dynamics, &case.accelerations, t);
            let totals = inverse.totals(&q, &u);
            [totals.angular_momentum, totals.velocity].concat()
        });
        let now = inverse.totals(&case.q, &case.u);
        let turning = largest(&rates[..3]) / largest(&now.angular_momentum);
        let falling = apart(&rates[3..], &GRAVITY);
        println!(
            "floating tree {seed}: angular momentum changes by {turning:.1e} a second, fall {falling:.1e}"
        );
        assert!(turning < 1e-8 && falling < 1e-9);
    }
}

/// Derivatives of a tree of 200 links along random directions.
#[test]
fn cross_derivatives_of_large_trees() {
    for (seed, straight) in [(41, 1.0), (42, 0.97), (43, 0.7)] {
        let case = case(seed, (200, Mix::All, straight));
        let n = case.u.len();
        let along = Random(seed + 7).list(n);
        let mut derivatives = Derivatives::new(case.tree.clone());
        derivatives.inverse(&case.q, &case.u, &case.accelerations);
        let times = |m: &[f64]| -> Vec<f64> {
            m.chunks(n).map(|row| row.iter().zip(&along).map(|(a, b)| a * b).sum()).collect()
        };
        let (by_position, by_rate) = (times(derivatives.by_position()), times(derivatives.by_rate()));
        let mut inverse = Inverse::new(case.tree.clone());
        let mut dynamics = Dynamics::new(case.tree.clone());
        let mut tau = vec![0.0; n];
        let difference = slope(1e-3, |h| {
            let mut q = case.q.clone();
            for e in 0..n {
                q = displace(&case.links, &mut dynamics, &q, e, h * along[e]);
            }
            inverse.forces(&q, &case.u, &case.accelerations, &mut tau);
            tau.clone()
        });
        let position = off(&by_position, &difference);
        let difference = slope(1e-1, |h| {
            let u: Vec<f64> = case.u.iter().zip(&along).map(|(u, a)| u + h * a).collect();
            inverse.forces(&case.q, &u, &case.accelerations, &mut tau);
            tau.clone()
        });
        let rate = off(&by_rate, &difference);
        // forward: −M times what comes out is what went in
        let position_in = derivatives.by_position().to_vec();
        inverse.forces(&case.q, &case.u, &case.accelerations, &mut tau);
        derivatives.forward(&case.q, &case.u, &tau).unwrap();
        let mut m = vec![0.0; n * n];
        MassMatrix::new(case.tree.clone()).full(&case.q, &mut m);
        let out = derivatives.by_position();
        let back: Vec<f64> =
            (0..n * n).map(|i| -(0..n).map(|k| m[i / n * n + k] * out[k * n + i % n]).sum::<f64>()).collect();
        let forward = off(&back, &position_in);
        println!("{}: ∂τ/∂q {position:.1e}, ∂τ/∂u {rate:.1e}, M ∂u̇/∂q {forward:.1e}", case.name);
        assert!(position < 1e-9 && rate < 1e-10 && forward < 1e-7, "{}", case.name);
    }
}

/// Idle spins are in M, in its inverse and in all derivatives, as they are in the forward dynamics.
#[test]
fn cross_idle_spins() {
    for (n, straight) in [(1, 1.0), (2, 1.0), (9, 1.0), (24, 0.7)] {
        let mut random = Random(n as u64 + 3);
        let mut links = trees::links(&mut random, n, Mix::All, straight);
        for link in links.iter_mut().step_by(2) {
            let axis = random.unit();
            link.spare = axis.map(|a| axis.map(|b| 0.1 * a * b));
        }
        if let Some(second) = links.get_mut(1) {
            second.spare = second.inertia;
        }
        let tree = Tree::new(&links, GRAVITY).unwrap();
        let q = coordinates(&mut random, &links);
        let u = random.list(tree.u_count());
        let accelerations = random.list(tree.u_count());
        let case = Case { links, tree, q, u, accelerations, name: format!("{n} links with idle spins") };
        check_inverse_derivatives(&case);
        let n = case.u.len();
        let mut m = vec![0.0; n * n];
        let mut inverted = m.clone();
        let mut matrix = MassMatrix::new(case.tree.clone());
        matrix.full(&case.q, &mut m);
        matrix.inverse(&case.q, &mut inverted).unwrap();
        let mut inverse = Inverse::new(case.tree.clone());
        let (mut tau, mut bias) = (vec![0.0; n], vec![0.0; n]);
        inverse.forces(&case.q, &case.u, &case.accelerations, &mut tau);
        inverse.bias(&case.q, &case.u, &mut bias);
        let (mut worst, mut identity): (f64, f64) = (0.0, 0.0);
        for i in 0..n {
            let sum: f64 = bias[i] + (0..n).map(|j| m[i * n + j] * case.accelerations[j]).sum::<f64>();
            worst = worst.max((sum - tau[i]).abs());
            for j in 0..n {
                assert_eq!(m[i * n + j], m[j * n + i]);
                let x: f64 = (0..n).map(|k| m[i * n + k] * inverted[k * n + j]).sum();
                identity = identity.max((x - f64::from(u8::from(i == j))).abs());
            }
        }
        println!("{}: M u̇ + bias {worst:.1e}, M M⁻¹ {identity:.1e}", case.name);
        assert!(worst < 1e-11 && identity < 1e-10);
    }
}

#[test]
fn keeps_to_its_buffers() {
    let case = case(3, (40, Mix::All, 0.8));
    let n = case.u.len();
    let mut inverse = Inverse::new(case.tree.clone());
    let mut matrix = MassMatrix::new(case.tree.clone());
    let mut jacobians = Jacobians::new(case.tree.clone());
    let mut derivatives = Derivatives::new(case.tree.clone());
    matrix.prepare_inverse();
    derivatives.prepare_forward();
    let (mut tau, mut m) = (vec![0.0; n], vec![0.0; n * n]);
    let load = Load { link: 5, place: [0.1; 3], force: [1.0; 3], moment: [2.0; 3] };
    let counted = allocation_counter::measure(|| {
        inverse.forces(&case.q, &case.u, &case.accelerations, &mut tau);
        inverse.forces_under((&case.q, &case.u), &case.accelerations, &[load], &mut tau);
        inverse.bias(&case.q, &case.u, &mut tau);
        inverse.gravity_forces(&case.q, &mut tau);
        inverse.totals(&case.q, &case.u);
        matrix.full(&case.q, &mut m);
        matrix.lower(&case.q, &mut m);
        matrix.inverse(&case.q, &mut m).unwrap();
        jacobians.place(&case.q, &case.u);
        jacobians.spatial(39, [0.0; 3], &mut m);
        jacobians.bias(39, [0.0; 3]);
        derivatives.inverse(&case.q, &case.u, &case.accelerations);
        derivatives.forward(&case.q, &case.u, &case.accelerations).unwrap();
    });
    assert_eq!(counted.count_total, 0);
    // the counter counts
    assert!(allocation_counter::measure(|| drop(Inverse::new(case.tree.clone()))).count_total > 0);
}

/// Forces that hold a tree still are those of its potential energy.
#[test]
fn cross_gravity_forces_are_slopes_of_the_potential() {
    for case in cases().step_by(3) {
        let n = case.u.len();
        let mut inverse = Inverse::new(case.tree.clone());
        let mut dynamics = Dynamics::new(case.tree.clone());
        let (mut tau, zeros) = (vec![0.0; n], vec![0.0; n]);
        inverse.gravity_forces(&case.q, &mut tau);
        let slopes: Vec<f64> = (0..n)
            .map(|e| {
                slope(1e-2, |h| {
                    let q = displace(&case.links, &mut dynamics, &case.q, e, h);
                    vec![inverse.totals(&q, &zeros).potential]
                })[0]
            })
            .collect();
        let error = off(&slopes, &tau);
        println!("{}: weights {error:.1e}", case.name);
        assert!(error < 1e-11);
    }
}

#[test]
fn exact_what_has_no_inertia_is_told() {
    let mut random = Random(2);
    let mut links = trees::links(&mut random, 5, Mix::Revolute, 1.0);
    links.push(Link::massless(
        None,
        LinkJoint::revolute([0.0, 0.0, 1.0]),
        trees::rotation([1.0, 0.0, 0.0, 0.0]),
        [0.0; 3],
    ));
    links.extend(trees::links(&mut random, 1, Mix::Revolute, 1.0));
    let tree = Tree::new(&links, GRAVITY).unwrap();
    let mut m = [f64::NAN; 49];
    assert_eq!(MassMatrix::new(tree.clone()).inverse(&[0.1; 7], &mut m), Err(NoInertia { link: 5 }));
    assert_eq!(m, [0.0; 49]);
    let mut derivatives = Derivatives::new(tree);
    assert_eq!(derivatives.forward(&[0.1; 7], &[0.1; 7], &[0.1; 7]), Err(NoInertia { link: 5 }));
    assert!(
        [derivatives.by_position(), derivatives.by_rate(), derivatives.by_force()]
            .concat()
            .iter()
            .all(|&x| x == 0.0)
    );
    // inverse dynamics has an answer
    derivatives.inverse(&[0.1; 7], &[0.1; 7], &[0.1; 7]);
    assert!(largest(derivatives.by_position()) > 0.0);
    // nothing at all is a tree, too
    let empty = Tree::new(&[], GRAVITY).unwrap();
    Inverse::new(empty.clone()).forces(&[], &[], &[], &mut []);
    assert_eq!(Inverse::new(empty.clone()).totals(&[], &[]).mass, 0.0);
    MassMatrix::new(empty.clone()).full(&[], &mut []);
    MassMatrix::new(empty.clone()).inverse(&[], &mut []).unwrap();
    Derivatives::new(empty).forward(&[], &[], &[]).unwrap();
}
