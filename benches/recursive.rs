//! What an evaluation of a tree costs, link by link, side by side and in eights; and whether a long chain costs more.
//!
//! `cargo bench -p linkwork --bench recursive`, with `-- huge` for a chain of a million rods as well. Figures are the best of
//! several repetitions, interleaved, so that a busy machine slows all of them alike.

use linkwork::formulations::{Formulate, Recursive};
use linkwork::integrate::{Stepper, System};
use linkwork::model::{Body, Model};
use linkwork::recursive::lane::Pack;
use linkwork::recursive::{Dynamics, Kernel, Link, LinkJoint, Octet, Tree};
use std::hint::black_box;
use std::time::Instant;

const REPETITIONS: usize = 25;
/// Links evaluated in one repetition, whatever the size of the tree.
const LINKS: usize = 40_000;

/// Numbers between −1 and 1 that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        [size * self.next(), size * self.next(), size * self.next()]
    }

    fn unit(&mut self) -> [f64; 3] {
        let v = self.vector(1.0);
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        v.map(|x| x / length)
    }
}

/// A tree of links with generic masses; `parent` says on which one a link hangs.
fn tree(n: usize, parent: fn(usize) -> usize, balls: bool) -> Tree {
    let mut numbers = Numbers(n as u64);
    let links: Vec<Link> = (0..n)
        .map(|i| {
            let joint = match (balls, i) {
                (false, _) => LinkJoint::revolute(numbers.unit()),
                (true, 0) => LinkJoint::Free,
                (true, _) => LinkJoint::Ball,
            };
            let rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let parent = if i == 0 { None } else { Some(parent(i)) };
            let mut link = Link::massless(parent, joint, rotation, numbers.vector(0.3));
            link.mass = 1.0 + 0.5 * numbers.next();
            link.com = numbers.vector(0.2);
            link.inertia = [[0.1, 0.01, 0.0], [0.01, 0.12, 0.02], [0.0, 0.02, 0.09]];
            link
        })
        .collect();
    Tree::new(&links, [0.0, 0.0, -9.81]).expect("the links are sound")
}

/// Nanoseconds per link of the three kernels.
fn kernels(name: &str, parent: fn(usize) -> usize, balls: bool, sizes: &[usize]) -> Vec<[f64; 3]> {
    println!("\n{name}: ns per link\n{:>8} {:>10} {:>10} {:>10}", "links", "single", "packed", "octet");
    let mut rows = Vec::new();
    for &n in sizes {
        let tree = tree(n, parent, balls);
        let mut numbers = Numbers(7);
        let mut list = |count: usize| (0..count).map(|_| numbers.next()).collect::<Vec<f64>>();
        let (q, u, tau) = (list(tree.q_count()), list(tree.u_count()), list(tree.u_count()));
        let mut out = vec![0.0; u.len()];
        let packs = |v: &[f64]| v.iter().map(|&x| Pack([x; 8])).collect::<Vec<Pack>>();
        let (q8, u8s, tau8) = (packs(&q), packs(&u), packs(&tau));
        let mut out8 = vec![Pack::default(); u.len()];
        let mut single = Dynamics::with_kernel(tree.clone(), Kernel::Single);
        let mut packed = Dynamics::with_kernel(tree.clone(), Kernel::Packed);
        let mut octet = Octet::new(tree);
        let mut best = [f64::INFINITY; 3];
        let evaluations = (LINKS / n).max(1);
        for _ in 0..REPETITIONS {
            let mut time = |slot: usize, share: f64, f: &mut dyn FnMut()| {
                let clock = Instant::now();
                (0..evaluations).for_each(|_| f());
                let each = clock.elapsed().as_secs_f64() / evaluations as f64;
                best[slot] = best[slot].min(1e9 * each / n as f64 / share);
            };
            time(0, 1.0, &mut || single.forward(black_box(&q), &u, &tau, &mut out));
            time(1, 1.0, &mut || packed.forward(black_box(&q), &u, &tau, &mut out));
            time(2, 8.0, &mut || octet.forward(black_box(&q8), &u8s, &tau8, &mut out8));
        }
        println!("{n:8} {:10.1} {:10.1} {:10.1}", best[0], best[1], best[2]);
        rows.push(best);
    }
    rows
}

/// Rods of 0.1 m in a zig-zag: assembled from a model, evaluated, and one step of the classical Runge–Kutta method.
fn rods(n: usize) -> (f64, f64, f64) {
    let mut model = Model::planar("chain").gravity([0.0, -9.81]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 1..=n {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [0.08 * i as f64, if i % 2 == 1 { 0.06 } else { 0.0 }]);
        model = model.body(Body::rod(format!("rod{i}"), [&before, &point], 0.05));
    }
    let clock = Instant::now();
    let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let assembled = clock.elapsed().as_secs_f64();
    let mut system = Recursive::new(&mechanism).expect("it is a tree");
    let y = system.start();
    let mut dy = vec![0.0; y.len()];
    let evaluations = (LINKS / n).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..if n > 100_000 { 3 } else { REPETITIONS } {
        let clock = Instant::now();
        for _ in 0..evaluations {
            system.derivative(0.0, black_box(&y), &mut dy).expect("it moves");
        }
        best = best.min(clock.elapsed().as_secs_f64() / evaluations as f64);
    }
    let mut stepper = Stepper::rk4(y.len(), 1e-4);
    let clock = Instant::now();
    stepper.start(&mut system, 0.0, &y, 1e-4).expect("it starts");
    stepper.step(&mut system).expect("it steps");
    let step = clock.elapsed().as_secs_f64();
    assert!(stepper.y().iter().all(|x| x.is_finite()));
    (assembled, best, step)
}

fn main() {
    let before = |i: usize| i - 1;
    let halves = |i: usize| (i - 1) / 2;
    let chain =
        kernels("chain of revolute joints", before, false, &[2, 7, 10, 30, 100, 300, 1000, 10_000, 100_000]);
    kernels("binary tree of revolute joints", halves, false, &[7, 30, 127, 1023]);
    kernels("floating base, ball joints", before, true, &[7, 30, 60, 100, 1000]);
    println!(
        "\na link among 10,000 costs {:.2} (single), {:.2} (packed) times one among 10",
        chain[7][0] / chain[2][0],
        chain[7][1] / chain[2][1]
    );
    println!(
        "\nrods from a model\n{:>8} {:>14} {:>12} {:>14}",
        "rods", "assembly [s]", "rod [ns]", "rk4 step [ms]"
    );
    let huge = std::env::args().any(|a| a == "huge");
    for n in [10, 100, 1000, 10_000, 100_000, 1_000_000] {
        if n > 100_000 && !huge {
            continue;
        }
        let (assembled, each, step) = rods(n);
        println!("{n:8} {assembled:14.3} {:12.1} {:14.3}", 1e9 * each / n as f64, 1e3 * step);
    }
}
