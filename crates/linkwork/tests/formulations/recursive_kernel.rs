//! The forward dynamics of trees of links: kernels against each other, and everything that `Dynamics` tells against inverse
//! dynamics and Jacobians.

use crate::suite::trees;

use linkwork::linalg::spatial::{Twist, Wrench};
use linkwork::recursive::lane::Pack;
use linkwork::recursive::{
    Dynamics, Inverse, Jacobians, Kernel, Link, LinkJoint, Load, MassMatrix, Octet, Tree,
};
use trees::{GRAVITY, Mix, Random, apart, coordinates, cross, dot, link, links, times, tree};

const SHAPES: [(usize, Mix, f64); 9] = [
    (1, Mix::Revolute, 1.0),
    (3, Mix::All, 1.0),
    (7, Mix::Revolute, 1.0),
    (8, Mix::All, 0.4),
    (17, Mix::Axes, 0.7),
    (60, Mix::All, 0.8),
    (100, Mix::Revolute, 1.0),
    (200, Mix::All, 0.95),
    (200, Mix::Axes, 1.0),
];

struct State {
    links: Vec<Link>,
    tree: Tree,
    q: Vec<f64>,
    u: Vec<f64>,
    tau: Vec<f64>,
    name: String,
}

fn state(random: &mut Random, links: Vec<Link>, name: String) -> State {
    let tree = Tree::new(&links, GRAVITY).unwrap();
    let q = coordinates(random, &links);
    let (u, tau) = (random.list(tree.u_count()), random.list(tree.u_count()));
    State { links, tree, q, u, tau, name }
}

fn states() -> impl Iterator<Item = State> {
    SHAPES.into_iter().enumerate().map(|(i, (n, mix, straight))| {
        let mut random = Random(31 * (i as u64 + 1));
        let links = links(&mut random, n, mix, straight);
        state(&mut random, links, format!("{n} links, {mix:?}, {straight}"))
    })
}

fn forward(s: &State, kernel: Kernel) -> Vec<f64> {
    let mut out = vec![0.0; s.u.len()];
    Dynamics::with_kernel(s.tree.clone(), kernel).forward(&s.q, &s.u, &s.tau, &mut out);
    out
}

/// Largest residual of the forces when the accelerations go back through inverse dynamics, of the largest force that any
/// joint carries.
fn residual(s: &State, accelerations: &[f64]) -> f64 {
    let mut inverse = Inverse::new(s.tree.clone());
    let (mut back, mut weights) = (s.tau.clone(), s.tau.clone());
    inverse.forces(&s.q, &s.u, accelerations, &mut back);
    inverse.bias(&s.q, &s.u, &mut weights);
    let size = trees::largest(&weights).max(trees::largest(&s.tau));
    back.iter().zip(&s.tau).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}

#[test]
fn same_bits_from_all_kernels() {
    for s in states() {
        let single = forward(&s, Kernel::Single);
        assert_eq!(single, forward(&s, Kernel::Packed), "{}", s.name);
        let mut octet = Octet::new(s.tree.clone());
        // the state in the third lane, others elsewhere
        let spread = |list: &[f64]| -> Vec<Pack> {
            list.iter()
                .map(|&x| Pack(std::array::from_fn(|k| if k == 2 { x } else { x + 0.01 * k as f64 })))
                .collect()
        };
        let mut out = vec![Pack::default(); s.u.len()];
        octet.forward(&spread(&s.q), &spread(&s.u), &spread(&s.tau), &mut out);
        let third: Vec<f64> = out.iter().map(|p| p.0[2]).collect();
        assert_eq!(single, third, "{}", s.name);
        // in several calls
        for kernel in [Kernel::Single, Kernel::Packed] {
            let mut dynamics = Dynamics::with_kernel(s.tree.clone(), kernel);
            let mut out = vec![0.0; s.u.len()];
            dynamics.place(&s.q, &s.u);
            dynamics.solve(&s.tau, &mut out);
            assert_eq!(single, out, "{}", s.name);
            assert_eq!(dynamics.without_inertia(), None);
        }
    }
}

#[test]
fn cross_forces_come_back() {
    for s in states() {
        let error = residual(&s, &forward(&s, Kernel::Packed));
        println!("{}: {error:.1e}", s.name);
        assert!(error < 1e-11, "{}", s.name);
    }
}

#[test]
fn cross_loads_on_links() {
    for s in states() {
        let mut random = Random(5);
        let n = s.u.len();
        let loads: Vec<Load> = (0..5)
            .map(|_| Load {
                link: random.pick(s.links.len()),
                place: random.vector(),
                force: random.vector().map(|x| 5.0 * x),
                moment: random.vector(),
            })
            .collect();
        let mut dynamics = Dynamics::new(s.tree.clone());
        dynamics.place(&s.q, &s.u);
        let mut jacobians = Jacobians::new(s.tree.clone());
        jacobians.place(&s.q, &s.u);
        let mut generalised = vec![0.0; n];
        let mut column = vec![0.0; 6 * n];
        for load in &loads {
            let motion = dynamics.motion(load.link);
            let r: [f64; 3] = std::array::from_fn(|k| motion.p[k] + times(&motion.rotation, load.place)[k]);
            dynamics.load(load.link, r, load.force, load.moment);
            // each_rate is Jᵀ f
            column.fill(0.0);
            jacobians.spatial(load.link, load.place, &mut column);
            let mut by_rate = vec![0.0; n];
            let wrench = Wrench { force: load.force, moment: load.moment }.about_origin(r);
            dynamics.each_rate(load.link, wrench, |e, x| by_rate[e] = x);
            for e in 0..n {
                let [w, v] =
                    [0, 3].map(|k| [column[k * n + e], column[(k + 1) * n + e], column[(k + 2) * n + e]]);
                let power = dot(w, load.moment) + dot(v, load.force);
                assert!((power - by_rate[e]).abs() < 1e-11, "{}", s.name);
                generalised[e] += power;
            }
            // motion tells what the Jacobians tell
            let velocity = jacobians.velocity(load.link, load.place).v;
            assert!(apart(&motion.velocity(r), &velocity) < 1e-12);
            let bias = jacobians.bias(load.link, load.place).v;
            let size = trees::largest(&bias).max(1.0);
            assert!((0..3).all(|k| (motion.bias(r)[k] - bias[k]).abs() < 1e-11 * size), "{}", s.name);
        }
        let mut out = vec![0.0; n];
        dynamics.solve(&s.tau, &mut out);
        let mut back = vec![0.0; n];
        Inverse::new(s.tree.clone()).forces_under((&s.q, &s.u), &out, &loads, &mut back);
        let error = apart(&back, &s.tau);
        // the same loads as forces on the rates
        let both: Vec<f64> = s.tau.iter().zip(&generalised).map(|(a, b)| a + b).collect();
        let mut other = vec![0.0; n];
        Dynamics::new(s.tree.clone()).forward(&s.q, &s.u, &both, &mut other);
        let second = apart(&other, &out);
        // again, forces alone: M⁻¹ (τ + Jᵀ f)
        dynamics.clear_again();
        for load in &loads {
            let motion = dynamics.motion(load.link);
            let r = std::array::from_fn(|k| motion.p[k] + times(&motion.rotation, load.place)[k]);
            dynamics.load_again(load.link, r, load.force, load.moment);
        }
        let mut again = vec![0.0; n];
        dynamics.solve_again(&s.tau, &mut again);
        let mut m = vec![0.0; n * n];
        MassMatrix::new(s.tree.clone()).full(&s.q, &mut m);
        let sum: Vec<f64> = (0..n).map(|i| (0..n).map(|j| m[i * n + j] * again[j]).sum()).collect();
        let third = apart(&sum, &both);
        // eight at a time, of which the sixth is this one
        let mut eight: Vec<Pack> = both
            .iter()
            .map(|&x| Pack(std::array::from_fn(|k| if k == 5 { x } else { x * k as f64 })))
            .collect();
        dynamics.solve_eight(&mut eight);
        let sixth: Vec<f64> = eight.iter().map(|p| p.0[5]).collect();
        let fourth = apart(&sixth, &again);
        println!(
            "{}: loads {error:.1e}, as forces {second:.1e}, again {third:.1e}, by eight {fourth:.1e}",
            s.name
        );
        assert!(error < 1e-9 && second < 1e-8 && third < 1e-9 && fourth < 1e-8, "{}", s.name);
    }
}

#[test]
fn cross_spread_is_the_velocity() {
    for s in states() {
        let mut dynamics = Dynamics::new(s.tree.clone());
        dynamics.place(&s.q, &s.u);
        let mut motions = vec![Twist::default(); s.links.len()];
        dynamics.spread(&s.u, &mut motions);
        for (i, Twist { v, w }) in motions.iter().enumerate() {
            let motion = dynamics.motion(i);
            for k in 0..3 {
                assert!((motion.twist.w[k] - w[k]).abs() < 1e-12 * (1.0 + w[k].abs()));
                assert!((motion.twist.v[k] - v[k]).abs() < 1e-11 * (1.0 + v[k].abs()));
            }
        }
    }
}

/// Where the base is does not matter, as long as the distance itself can be told: 1000 km have steps of 1e-10 m.
#[test]
fn same_motion_a_thousand_kilometres_away() {
    for s in states() {
        let here = forward(&s, Kernel::Packed);
        let mut far = s.links.clone();
        far.iter_mut().filter(|l| l.parent.is_none()).for_each(|l| {
            l.translation = [l.translation[0] + 6e5, l.translation[1] - 8e5, l.translation[2] + 1e4]
        });
        let far = State {
            tree: Tree::new(&far, GRAVITY).unwrap(),
            links: far,
            q: s.q.clone(),
            u: s.u.clone(),
            tau: s.tau.clone(),
            name: s.name.clone(),
        };
        let there = forward(&far, Kernel::Packed);
        let error = apart(&there, &here);
        let mut m = vec![0.0; s.u.len().pow(2)];
        let mut m_far = m.clone();
        MassMatrix::new(s.tree.clone()).full(&s.q, &mut m);
        MassMatrix::new(far.tree.clone()).full(&far.q, &mut m_far);
        let masses = apart(&m_far, &m);
        println!("{}: u̇ {error:.1e}, M {masses:.1e}", s.name);
        assert!(error < 1e-10 && masses < 1e-10, "{}", s.name);
    }
}

#[test]
fn cross_long_chains() {
    for (mix, n) in [(Mix::Revolute, 1000), (Mix::Axes, 1000), (Mix::All, 1000)] {
        let mut random = Random(2024);
        let links = links(&mut random, n, mix, 1.0);
        let s = state(&mut random, links, format!("{n} links, {mix:?}"));
        let error = residual(&s, &forward(&s, Kernel::Packed));
        println!("{}: {error:.1e}", s.name);
        assert!(error < 1e-11, "{}", s.name);
    }
    // stretched out: the lever arms are as long as they can be
    let mut random = Random(2025);
    let mut row: Vec<Link> = (0..1000)
        .map(|i| {
            link(&mut random, if i == 0 { None } else { Some(i - 1) }, LinkJoint::revolute([0.0, 0.0, 1.0]))
        })
        .collect();
    for l in &mut row {
        (l.rotation, l.translation) = ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 0.0, 0.0]);
    }
    let mut s = state(&mut random, row, "1000 links in a row".into());
    s.q.iter_mut().for_each(|q| *q *= 1e-3);
    let error = residual(&s, &forward(&s, Kernel::Packed));
    println!("{}: {error:.1e}", s.name);
    assert!(error < 1e-11);
}

/// Many branches from one link, each of them longer than a group, some of which begin a group where they begin.
#[test]
fn cross_groups_that_begin_at_forks() {
    let mut random = Random(17);
    let mut all = Vec::new();
    for i in 0..23 {
        all.push(link(
            &mut random,
            if i == 0 { None } else { Some(i - 1) },
            LinkJoint::revolute([0.6, 0.0, 0.8]),
        ));
    }
    for joint in [
        LinkJoint::revolute([0.0, 1.0, 0.0]),
        LinkJoint::Ball,
        LinkJoint::prismatic([1.0, 0.0, 0.0]),
        LinkJoint::screw([0.0, 0.0, 1.0], 0.3),
    ] {
        for i in 0..30 {
            let parent = if i == 0 { 22 } else { all.len() - 1 };
            let axis = random.unit();
            let joint = if i == 0 { joint } else { LinkJoint::revolute(axis) };
            all.push(link(&mut random, Some(parent), joint));
        }
    }
    let s = state(&mut random, all, "four branches".into());
    let out = forward(&s, Kernel::Packed);
    assert_eq!(out, forward(&s, Kernel::Single));
    let error = residual(&s, &out);
    println!("{}: {error:.1e}", s.name);
    assert!(error < 1e-11);
}

#[test]
fn same_motion_after_many_turns() {
    let mut random = Random(3);
    let (links, tree) = tree(&mut random, 20, Mix::Revolute, 1.0);
    let q = coordinates(&mut random, &links);
    let (u, tau) = (random.list(20), random.list(20));
    for turns in [1e3, 2e4, 1e6, 1e9] {
        // angles as they are stored, and the same angles within a turn by way of their sine and cosine
        let far: Vec<f64> = q.iter().map(|q| q + turns * std::f64::consts::TAU).collect();
        let near: Vec<f64> = far.iter().map(|q| q.sin().atan2(q.cos())).collect();
        let (mut a, mut b) = (vec![0.0; 20], vec![0.0; 20]);
        Dynamics::new(tree.clone()).forward(&far, &u, &tau, &mut a);
        Dynamics::new(tree.clone()).forward(&near, &u, &tau, &mut b);
        println!("{turns:e} turns: {:.1e}", apart(&a, &b));
        assert!(apart(&a, &b) < 1e-11);
    }
}

/// Idle spins: a rod on a ball joint, and rotors on axes. Forward and inverse dynamics take them alike.
#[test]
fn cross_idle_spins() {
    let mut random = Random(8);
    let mut all = links(&mut random, 30, Mix::All, 0.8);
    for (i, l) in all.iter_mut().enumerate() {
        if i % 3 == 0 {
            let axis = random.unit();
            l.spare = axis.map(|a| axis.map(|b| 0.05 * a * b));
        }
    }
    let s = state(&mut random, all, "idle spins".into());
    let out = forward(&s, Kernel::Packed);
    assert_eq!(out, forward(&s, Kernel::Single));
    let error = residual(&s, &out);
    let mut without = s.links.clone();
    without.iter_mut().for_each(|l| l.spare = [[0.0; 3]; 3]);
    let mut other = out.clone();
    Dynamics::new(Tree::new(&without, GRAVITY).unwrap()).forward(&s.q, &s.u, &s.tau, &mut other);
    println!("idle spins: {error:.1e}; they change u̇ by {:.1e}", apart(&other, &out));
    assert!(error < 1e-12 && apart(&other, &out) > 1e-4);
    // a rod whose own line no inertia is about: its spin is idle, and nothing else notices
    let rod = |spare: f64| {
        let mut random = Random(4);
        let mut l = link(&mut random, None, LinkJoint::Ball);
        (l.com, l.inertia) = ([0.0, 0.0, 0.5], [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0; 3]]);
        l.spare[2][2] = spare;
        let s = state(&mut Random(6), vec![l], "rod".into());
        (
            forward(&s, Kernel::Single),
            times(&trees::rotation(std::array::from_fn(|k| s.q[k])), [0.0, 0.0, 1.0]),
            l.rotation,
        )
    };
    let (a, line, frame) = rod(1.0);
    let (b, ..) = rod(7.0);
    let line = times(&frame, line);
    let difference: [f64; 3] = std::array::from_fn(|k| a[k] - b[k]);
    assert!(trees::largest(&cross(difference, line)) < 1e-12);
}

/// A link without inertia is told, wherever it comes in the order of elimination.
#[test]
fn exact_joints_without_inertia() {
    let mut random = Random(12);
    for bare in 0..4 {
        let mut all: Vec<Link> =
            (0..4).map(|_| link(&mut random, None, LinkJoint::revolute([0.0, 0.0, 1.0]))).collect();
        (all[bare].mass, all[bare].inertia) = (0.0, [[0.0; 3]; 3]);
        for kernel in [Kernel::Single, Kernel::Packed] {
            let mut dynamics = Dynamics::with_kernel(Tree::new(&all, GRAVITY).unwrap(), kernel);
            dynamics.forward(&[0.1; 4], &[0.2; 4], &[0.3; 4], &mut [0.0; 4]);
            assert_eq!(dynamics.without_inertia(), Some(bare), "{kernel:?}");
        }
    }
    // a floating link that turns but has no mass, behind one that has all
    let mut all: Vec<Link> = (0..2).map(|_| link(&mut random, None, LinkJoint::Free)).collect();
    all[0].mass = 0.0;
    let mut q = coordinates(&mut random, &all);
    let mut dynamics = Dynamics::new(Tree::new(&all, GRAVITY).unwrap());
    dynamics.forward(&q, &[0.2; 12], &[0.3; 12], &mut [0.0; 12]);
    assert_eq!(dynamics.without_inertia(), Some(0));
    // and again when all is well
    all[0].mass = 1.0;
    q[0] += 1.0;
    let mut dynamics = Dynamics::new(Tree::new(&all, GRAVITY).unwrap());
    dynamics.forward(&q, &[0.2; 12], &[0.3; 12], &mut [0.0; 12]);
    assert_eq!(dynamics.without_inertia(), None);
}
