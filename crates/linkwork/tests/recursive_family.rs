//! Inverse dynamics, mass matrix, Jacobians and derivatives of trees of links: against each other, against the forward
//! dynamics, against differences.

#[path = "suite/trees.rs"]
mod trees;

use linkwork::recursive::{
    Derivatives, Dynamics, Inverse, Jacobians, Link, LinkJoint, Load, MassMatrix, NoInertia, Tree,
};
use trees::{Mix, Random, apart, coordinates, cross, displace, dot, largest, off, times, tree};

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
        let [w, v] = jacobians.velocity(link, place);
        for (k, x) in w.into_iter().chain(v).enumerate() {
            let sum: f64 = (0..n).map(|e| j6[k * n + e] * case.u[e]).sum();
            assert!((sum - x).abs() < 1e-12 * (1.0 + x.abs()), "{}", case.name);
        }
        println!("{}: Jacobian against differences {worst:.1e}", case.name);
        assert!(worst < 1e-11, "{}", case.name);
    }
}

/// Where the state is after a short time with constant rates, to third order in it: steps of the displacement along u.
fn moved(links: &[Link], dynamics: &mut Dynamics, q: &[f64], u: &[f64], t: f64) -> Vec<f64> {
    // coordinates of axes and origins are linear; a quaternion turns about a vector that is constant in the world, but its parent turns
    // as well: small steps by the midpoint rule, extrapolated
    let run = |dynamics: &mut Dynamics, steps: usize| {
        let h = t / steps as f64;
        let rate = |dynamics: &mut Dynamics, q: &[f64]| -> Vec<f64> {
            dynamics.place(q, u);
            let mut out = vec![0.0; q.len()];
            for (i, link) in links.iter().enumerate() {
                let (at, first) = dynamics.tree().first(i);
                let quaternion = match link.joint {
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
                let own: [f64; 4] = std::array::from_fn(|c| q[quaternion.0 + c]);
                let before =
                    trees::product(&dynamics.motion(i).rotation, &trees::transposed(&trees::rotation(own)));
                let w = times(&trees::transposed(&before), std::array::from_fn(|k| u[quaternion.1 + k]));
                let dot = trees::quaternion_product([0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]], own);
                out[quaternion.0..quaternion.0 + 4].copy_from_slice(&dot);
            }
            out
        };
        let mut q = q.to_vec();
        let axpy =
            |q: &[f64], h: f64, k: &[f64]| -> Vec<f64> { q.iter().zip(k).map(|(q, k)| q + h * k).collect() };
        for _ in 0..steps {
            let k1 = rate(dynamics, &q);
            let k2 = rate(dynamics, &axpy(&q, 0.5 * h, &k1));
            let k3 = rate(dynamics, &axpy(&q, 0.5 * h, &k2));
            let k4 = rate(dynamics, &axpy(&q, h, &k3));
            for i in 0..q.len() {
                q[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
            }
        }
        q
    };
    run(dynamics, 8)
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
        let [alpha, a] = jacobians.bias(link, place);
        let by_difference = slope(5e-3, |t| {
            jacobians.place(&moved(&case.links, &mut dynamics, &case.q, &case.u, t), &case.u);
            jacobians.velocity(link, place).concat()
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
            assert!(error < 1e-7, "{} by {name}: {error:.1e}", case.name);
        }
        println!("{}: derivatives of u̇ {worst:.1e}", case.name);
    }
}
