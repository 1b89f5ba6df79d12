//! Ropes that stretch and bend.

use super::shared::{finish, frequency, nodes, orders, tensions};
use crate::suite::{G, settings};
use linkwork::joints::Prismatic;
use linkwork::model::*;
use linkwork::simulation::Trajectory;
use std::f64::consts::PI;

/// Energy is kept to this part of what moves.
fn keeps_energy(run: &Trajectory) {
    let drift = run.summary.relative_energy_drift();
    assert!(drift < 1e-7, "energy drifts by {drift:e}");
}

/// Waves along a rope travel at c = √(EA/ρ): between two fixed ends it sways with ω = π c/L, of n segments with
/// 2 (c/l) sin(π/2n) to rounding.
#[test]
fn exact_waves_along_a_tight_rope() {
    let (length, density, stiffness) = (2.0, 0.3, 800.0);
    let c = f64::sqrt(stiffness / density);
    let mut errors = Vec::new();
    for n in [4, 8, 16, 32] {
        let model = Model::planar("waves")
            .gravity([20.0, 0.0])
            .point("A", [0.0, 0.0])
            .point("B", [1.02 * length, 0.0])
            .ground(["A", "B"])
            .chain(Chain::new("rope", "A", n, density).to("B").length(length).elastic(stiffness, 0.0))
            .settings(settings(0.3, 0.002, 1e-12));
        let (mechanism, run) = finish(&model);
        keeps_energy(&run);
        let l = length / n as f64;
        let mode = |r: Vec<[f64; 3]>| {
            r.iter().enumerate().map(|(k, r)| (PI * k as f64 / n as f64).sin() * r[0]).sum::<f64>()
        };
        let mode: Vec<f64> = run.frames.iter().map(|f| mode(nodes(&mechanism, f))).collect();
        let found = frequency(&mode, 0.002);
        let discrete = 2.0 * c / l * (0.5 * PI / n as f64).sin();
        println!("{n} segments: {found} rad/s, {:.1e} off the discrete one", found / discrete - 1.0);
        // 1e-12 of tolerance in a sway of 3 mm, over the square of ωh
        assert!((found / discrete - 1.0).abs() < 1e-6, "{n}: {found} {discrete}");
        errors.push((found / (PI * c / length) - 1.0).abs());
    }
    let orders = orders(&errors);
    println!("orders {orders:.3?}");
    assert!((orders[2] - 2.0).abs() < 0.1, "{orders:?}");
}

/// A hung elastic rope with a mass m at its end: ω = β c/L with β tan β = ρL/m, form sin(β s/L).
#[test]
fn order_of_the_frequency_of_a_hung_mass() {
    let (length, density, stiffness, m) = (2.0, 0.5, 4000.0, 0.7);
    let c = f64::sqrt(stiffness / density);
    let (mut low, mut high) = (0.0, 0.5 * PI);
    for _ in 0..100 {
        let beta: f64 = 0.5 * (low + high);
        if beta * beta.tan() > density * length / m { high = beta } else { low = beta }
    }
    let (beta, exact) = (low, low * c / length);
    // nearly as long as at rest, so that it never gets slack
    let hung = length * (1.0 + (m + 0.9 * density * length) * G / stiffness);
    let mut errors = Vec::new();
    for n in [8, 16, 32, 64] {
        let model = Model::planar("hung")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", [0.0, -hung])
            .ground(["A"])
            .body(Body::particle("weight", "B", m))
            .chain(Chain::new("rope", "A", n, density).to("B").length(length).elastic(stiffness, 0.0))
            .settings(settings(0.3, 0.002, 1e-12));
        let (mechanism, run) = finish(&model);
        keeps_energy(&run);
        for frame in &run.frames {
            assert!(tensions(&mechanism, frame).iter().all(|&t| t > 0.0));
        }
        let mut masses = mechanism.chains()[0].masses.clone();
        masses[n] += m;
        let mode = |r: Vec<[f64; 3]>| {
            r.iter()
                .enumerate()
                .map(|(k, r)| masses[k] * (beta * k as f64 / n as f64).sin() * r[1])
                .sum::<f64>()
        };
        let mode: Vec<f64> = run.frames.iter().map(|f| mode(nodes(&mechanism, f))).collect();
        errors.push((frequency(&mode, 0.002) / exact - 1.0).abs());
    }
    let orders = orders(&errors);
    println!("{errors:?}, orders {orders:.3?}");
    assert!((orders[2] - 2.0).abs() < 0.1, "{orders:?}");
}

/// Thrown up, a mass on a slack rope flies freely until the rope is tight; a rope does not push.
#[test]
fn exact_slack_rope_does_not_push() {
    let (v, length) = (4.0, 1.0);
    let model = Model::planar("slack")
        .point("A", [0.0, 0.0])
        .point("B", [length, 0.0])
        .ground(["A"])
        .body(Body::particle("weight", "B", 2.0))
        .chain(Chain::new("rope", "A", 4, 0.1).to("B").elastic(1e4, 5.0))
        .velocity("B", [-v, 0.0])
        .settings(settings(0.1, 0.025, 1e-10));
    let (mechanism, run) = finish(&model);
    for frame in &run.frames {
        let nodes = nodes(&mechanism, frame);
        assert!((nodes[4][0] - (length - v * frame.t)).abs() < 1e-12, "{:?}", nodes);
        assert!((nodes[3][0] - 0.75 * length).abs() < 1e-12, "{:?}", nodes);
        assert!(tensions(&mechanism, frame).iter().all(|&t| t == 0.0));
    }
    keeps_energy(&run);
}

/// A beam on two pins, of which one slides. Without other forces than a faint weight across it, it sways with ω = (π/L)² √(EI/ρ); of n
/// lumped segments with (2/l)² sin²(π/2n) √(EI/ρ) to rounding.
fn beam(chain: Chain, n: usize, length: f64, duration: f64) -> Model {
    Model::planar("beam")
        .gravity([0.0, -1e-3])
        .point("A", [0.0, 0.0])
        .point("B", [length, 0.0])
        .ground(["A"])
        .body(Body::with_inertia("shoe", ["B"], 0.01, "B", Inertia::Polar(1e-3)))
        .joint(Joint::new("slide", Prismatic { axis: Axis::X }, ["ground", "shoe"], "B"))
        .chain(Chain { segments: Some(n), ..chain })
        .settings(settings(duration, 0.02, 1e-10))
}

fn sway(mechanism: &linkwork::mechanism::Mechanism, run: &Trajectory, n: usize) -> Vec<f64> {
    let mode = |r: Vec<[f64; 3]>| {
        r.iter().enumerate().map(|(k, r)| (PI * k as f64 / n as f64).sin() * r[1]).sum::<f64>()
    };
    run.frames.iter().map(|f| mode(nodes(mechanism, f))).collect()
}

#[test]
fn exact_frequency_of_a_beam() {
    let (length, density, stiffness) = (1.5, 0.4, 2.0);
    let exact = (PI / length).powi(2) * f64::sqrt(stiffness / density);
    for rods in [false, true] {
        let mut errors = Vec::new();
        for n in [4, 8, 16] {
            let chain = Chain::new("rope", "A", n, density).to("B").bending(stiffness, 0.0);
            let model = beam(if rods { chain.rods() } else { chain }, n, length, 2.0);
            let (mechanism, run) = finish(&model);
            keeps_energy(&run);
            let found = frequency(&sway(&mechanism, &run, n), 0.02);
            let l = length / n as f64;
            let discrete = (2.0 / l * (0.5 * PI / n as f64).sin()).powi(2) * f64::sqrt(stiffness / density);
            println!("{n}: {found}, discrete off {:.1e}, {:?}", found / discrete - 1.0, run.summary.wall);
            if !rods {
                // the sag of 1e-4 of the length is not quite linear
                assert!((found / discrete - 1.0).abs() < 1e-6, "{n}: {found} {discrete}");
            }
            errors.push((found / exact - 1.0).abs());
        }
        let orders = orders(&errors);
        println!("{errors:?}, orders {orders:.3?}");
        // the inertia of rods about themselves cancels the error of second order here
        let order = if rods { 4.0 } else { 2.0 };
        assert!((orders[1] - order).abs() < 0.1, "{orders:?}");
    }
}

/// Bending damping takes out of the first form δ = ½ (c_b/EI) ω² a second.
#[test]
fn exact_bending_damping() {
    let (length, density, stiffness, damping, n) = (1.5, 0.4, 2.0, 0.02, 8);
    let chain = Chain::new("rope", "A", n, density).to("B").bending(stiffness, damping);
    let (mechanism, run) = finish(&beam(chain, n, length, 2.0));
    keeps_energy(&run);
    let l = length / n as f64;
    let k = (2.0 / l * (0.5 * PI / n as f64).sin()).powi(4) / density;
    let (omega2, delta) = (k * stiffness, 0.5 * k * damping);
    let (omega, x) = ((omega2 - delta * delta).sqrt(), sway(&mechanism, &run, n));
    // from rest: x = x∞ (1 − e^(−δt) (cos ωt + δ/ω sin ωt))
    let rest = -1e-3 / omega2 * (1..n).map(|k| (PI * k as f64 / n as f64).sin()).sum::<f64>();
    // a uniform weight is this part of the first form, summed
    for (frame, x) in run.frames.iter().zip(&x) {
        let t = frame.t;
        let exact =
            rest * (1.0 - (-delta * t).exp() * ((omega * t).cos() + delta / omega * (omega * t).sin()));
        assert!((x - exact).abs() < 1e-6 * rest.abs(), "{t}: {x} {exact}");
    }
}

/// A long rope with a weight, drawn at its natural length, falls into its own stiffness and comes to rest: between nodes with the weight G_k below them the segments are
/// l (1 + G_k/EA) long. Explicit steps would be bound by stability, 3 µs long, so that `auto` takes sparse implicit ones from the start.
#[test]
fn exact_long_damped_rope_comes_to_rest() {
    let (n, length, stiffness, weight) = (100, 10.0, 1e5, 1.0);
    let rope = Model::planar("rope")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, -length])
        .ground(["A"])
        .body(Body::particle("weight", "B", weight))
        .chain(Chain::new("rope", "A", n, 0.2).to("B").elastic(stiffness, 1000.0))
        .settings(settings(0.4, 0.1, 1e-6));
    let (mechanism, run) = finish(&rope);
    let mut below = weight + mechanism.chains()[0].masses.iter().sum::<f64>();
    let (mut y, mut worst) = (0.0, 0.0_f64);
    for (node, mass) in
        nodes(&mechanism, run.frames.last().unwrap()).iter().zip(&mechanism.chains()[0].masses)
    {
        worst = worst.max(node[0].hypot(node[1] - y));
        below -= mass;
        y -= length / n as f64 * (1.0 + below * G / stiffness);
    }
    let steps = run.summary.steps.accepted_steps;
    println!("{} with {steps} steps, {worst:.1e} m off", run.summary.integrator.name());
    assert_eq!((run.summary.formulation, run.summary.integrator), (Formulation::Points, Integrator::Bdf));
    // what is left of the swing after 0.4 s at c/2Lm = 30/s is 6e-6 of the 2 mm that it falls; the tolerance is 1e-6 of 10 m
    assert!(worst < 1e-5 && steps < 2000);

    // explicit steps where the tolerance is tight, the damping too slight for its fast modes to fade, the run or the rope short
    let chosen = |change: &dyn Fn(&mut Model)| {
        let mut model = rope.clone();
        change(&mut model);
        model.assemble().unwrap().formulation().0
    };
    assert_eq!(chosen(&|_| ()), Formulation::Points);
    assert_eq!(chosen(&|model| model.settings.tolerance = 1e-9), Formulation::Recursive);
    assert_eq!(chosen(&|model| model.chains[0].damping = 0.1), Formulation::Recursive);
    assert_eq!(chosen(&|model| model.settings.duration = 1e-3), Formulation::Recursive);
    assert_eq!(chosen(&|model| model.chains[0].segments = Some(20)), Formulation::Recursive);
}
