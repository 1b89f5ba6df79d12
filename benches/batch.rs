//! What variants of one mechanism cost, alone, eight at a time and on all cores: a chain of 30 links.
//!
//! `cargo bench -p linkwork --bench batch`. Figures are the best of several repetitions, interleaved. Forward dynamics: nanoseconds
//! for a body and an evaluation of one variant. Runs: variants a second, each 200 steps of `rk4`.

use linkwork::batch::{Batch, Variant};
use linkwork::formulations::{Formulate, Recursive};
use linkwork::joints::Revolute;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Axis, Body, Formulation, Inertia, Integrator, Joint, Model, Settings, Spring};
use linkwork::recursive::lane::{PACK, Pack};
use linkwork::recursive::{Dynamics, Kernel, Octet};
use linkwork::results::Frame;
use std::hint::black_box;
use std::time::Instant;

const LINKS: usize = 30;
const REPETITIONS: usize = 15;
const EVALUATIONS: usize = 400;
const STEPS: usize = 200;
const VARIANTS: usize = 64;

/// Bodies in space, each on a hinge of its own direction.
fn chain(spring: bool) -> Mechanism {
    let mut model =
        Model::spatial("chain").gravity([0.0, 0.0, -9.81]).point("P0", [0.0, 0.0, 0.0]).ground(["P0"]);
    for i in 1..=LINKS {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        let x = 0.1 * i as f64;
        model = model.point(&point, [x, 0.03 * (i % 2) as f64, 0.0]);
        let inertia = Inertia::Matrix([1e-3, 2e-3, 2e-3, 0.0, 0.0, 0.0]);
        let body =
            Body::with_inertia(format!("b{i}"), [&before, &point], 0.5, [x - 0.05, 0.01, 0.0], inertia);
        let on = if i == 1 { "ground".to_owned() } else { format!("b{}", i - 1) };
        let axis = Some(Axis::Vector([0.0, (i % 3) as f64, 1.0]));
        let joint = Joint::new(format!("J{i}"), Revolute { axis }, [&on, &format!("b{i}")], &before);
        model = model.body(body).joint(joint);
    }
    if spring {
        model = model.spring(Spring::new("s", ["P0", "P30"], 20.0).free_length(1.0).damping(0.5));
    }
    let settings = Settings {
        duration: STEPS as f64 * 1e-3,
        output_step: STEPS as f64 * 1e-3,
        formulation: Formulation::Recursive,
        integrator: Integrator::Rk4,
        step: Some(1e-3),
        ..Settings::default()
    };
    model.settings(settings).assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

fn time(work: &mut dyn FnMut()) -> f64 {
    let clock = Instant::now();
    work();
    clock.elapsed().as_secs_f64()
}

/// The least times of several jobs, interleaved.
fn race<const N: usize>(mut jobs: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..REPETITIONS {
        for (job, best) in jobs.iter_mut().zip(&mut best) {
            *best = best.min(time(*job));
        }
    }
    best
}

fn main() {
    let mechanism = chain(false);
    let system = Recursive::new(&mechanism).unwrap();
    let (tree, y) = (system.tree(), system.start());
    let (nq, nu) = (tree.q_count(), tree.u_count());
    let (q, u, tau) = (&y[..nq], vec![0.3; nu], vec![0.0; nu]);
    let packs = |list: &[f64]| -> Vec<Pack> { list.iter().map(|&x| Pack([x; PACK])).collect() };
    let (q8, u8, tau8) = (packs(q), packs(&u), packs(&tau));
    let mut single = Dynamics::with_kernel(tree.clone(), Kernel::Single);
    let mut packed = Dynamics::with_kernel(tree.clone(), Kernel::Packed);
    let mut shared = Octet::new(tree.clone());
    let mut own = Octet::of_trees([tree; PACK]).unwrap();
    let (mut out_1, mut out_2) = (tau.clone(), tau.clone());
    let (mut out_3, mut out_4) = (tau8.clone(), tau8.clone());
    let evaluations = race([
        &mut || (0..EVALUATIONS).for_each(|_| single.forward(black_box(q), &u, &tau, &mut out_1)),
        &mut || (0..EVALUATIONS).for_each(|_| packed.forward(black_box(q), &u, &tau, &mut out_2)),
        &mut || (0..EVALUATIONS).for_each(|_| shared.forward(black_box(&q8), &u8, &tau8, &mut out_3)),
        &mut || (0..EVALUATIONS).for_each(|_| own.forward(black_box(&q8), &u8, &tau8, &mut out_4)),
    ]);
    println!("forward dynamics, a chain of {LINKS}: ns for a body and an evaluation of one variant");
    let kinds = [
        ("link by link", 1),
        ("neighbouring links side by side", 1),
        ("eight variants, the same links", PACK),
        ("eight variants, links of their own", PACK),
    ];
    for ((name, variants), t) in kinds.iter().zip(evaluations) {
        println!("  {name:36} {:8.1}", 1e9 * t / (EVALUATIONS * LINKS * variants) as f64);
    }
    for (name, spring) in [("free", false), ("with a spring", true)] {
        let base = chain(spring);
        let variants: Vec<Variant> =
            (0..VARIANTS).map(|k| Variant::new().start(vec![0.01 * k as f64; nq], vec![0.0; nu])).collect();
        let one = Batch::new(&base).threads(1);
        let all = Batch::new(&base);
        // the ordinary run, as many times
        let alone = &mut || {
            for _ in 0..VARIANTS {
                black_box(base.run(&mut |_: &Frame| ()).unwrap());
            }
        };
        let [alone, lanes, threads] = race([alone, &mut || drop(black_box(one.run(&variants))), &mut || {
            drop(black_box(all.run(&variants)))
        }]);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        println!("runs of {STEPS} steps of rk4, {name}: variants a second");
        println!("  one by one, one thread   {:10.0}", VARIANTS as f64 / alone);
        println!("  in lanes, one thread     {:10.0}  ({:.1} times)", VARIANTS as f64 / lanes, alone / lanes);
        println!(
            "  in lanes, {cores} threads     {:10.0}  ({:.1} times)",
            VARIANTS as f64 / threads,
            alone / threads
        );
    }
}
