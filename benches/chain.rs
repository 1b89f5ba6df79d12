//! What one evaluation of the equations of motion costs, by the length of a chain of rods.
//!
//! `cargo bench -p linkwork --bench chain`. Each figure is the best of several repetitions; those of all
//! lengths are interleaved, so that a busy machine slows them alike. The bar: a rod of the chain of 1000
//! costs at most three times one of the chain of 10.

use linkwork::formulations::{Formulate, Points};
use linkwork::integrate::System;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Body, Model};
use std::hint::black_box;
use std::time::Instant;

const LENGTHS: [usize; 4] = [2, 10, 100, 1000];
const REPETITIONS: usize = 25;
/// Rods evaluated in one repetition, whatever the length of the chain.
const RODS: usize = 40_000;
const BAR: f64 = 3.0;

/// Rods of 0.1 m in a zig-zag, let go from there: no two neighbours in line.
fn chain(n: usize) -> Mechanism {
    let mut model = Model::planar("chain").gravity([0.0, -9.81]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 1..=n {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [0.08 * i as f64, if i % 2 == 1 { 0.06 } else { 0.0 }]);
        model = model.body(Body::rod(format!("rod{i}"), [&before, &point], 0.05));
    }
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

fn main() {
    let chains: Vec<Mechanism> = LENGTHS.iter().map(|&n| chain(n)).collect();
    let mut systems: Vec<Points> = chains.iter().map(|m| Points::new(m).unwrap()).collect();
    let mut best = [f64::INFINITY; LENGTHS.len()];
    for _ in 0..REPETITIONS {
        for (i, system) in systems.iter_mut().enumerate() {
            let y = system.start();
            let mut dy = vec![0.0; system.dimension()];
            let evaluations = RODS / LENGTHS[i];
            let clock = Instant::now();
            for _ in 0..evaluations {
                system.derivative(0.0, black_box(&y), &mut dy).unwrap();
                black_box(&dy);
            }
            best[i] = best[i].min(clock.elapsed().as_secs_f64() / evaluations as f64);
        }
    }
    println!("{:>6} {:>16} {:>12}", "rods", "evaluation [µs]", "rod [ns]");
    for (n, t) in LENGTHS.iter().zip(best) {
        println!("{n:6} {:16.2} {:12.1}", 1e6 * t, 1e9 * t / *n as f64);
    }
    let per_rod = |n: usize| {
        let i = LENGTHS.iter().position(|&l| l == n).unwrap();
        best[i] / n as f64
    };
    let ratio = per_rod(1000) / per_rod(10);
    println!("a rod among 1000 costs {ratio:.2} times one among 10; the bar is {BAR}");
    // a failure here is a loss of speed, not of results: tell the shell
    if ratio > BAR {
        std::process::exit(1);
    }
}
