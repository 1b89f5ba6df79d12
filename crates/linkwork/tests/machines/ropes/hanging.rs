//! Ropes that hang: at rest, and in small oscillations.

use super::shared::{finish, frequency, nodes, orders, tensions};
use crate::suite::{G, settings};
use linkwork::linalg::vec3::{norm, sub};
use linkwork::model::*;

/// A free rope at rest carries what hangs below: T = ρ g (L − s) at the upper end of every segment.
#[test]
fn exact_tension_of_a_rope_at_rest() {
    let (density, length, n) = (0.7, 3.0, 12);
    for spatial in [false, true] {
        for chain in [
            Chain::new("rope", "A", n, density),
            Chain::new("rope", "A", n, density).masses(Lumping::Far),
            Chain::new("rope", "A", n, density).rods(),
        ] {
            let model = if spatial { Model::spatial("rest") } else { Model::planar("rest") };
            let down = if spatial { [0.0, 0.0, -G] } else { [0.0, -G, 0.0] };
            let model = model.gravity(down).point("A", [0.0; 3]).ground(["A"]).chain(chain.length(length));
            for formulation in [Formulation::Points, Formulation::Recursive] {
                let settings = Settings { formulation, ..settings(0.1, 0.1, 1e-9) };
                let (mechanism, run) = finish(&model.clone().settings(settings));
                for frame in &run.frames {
                    for (k, t) in tensions(&mechanism, frame).iter().enumerate() {
                        let exact = density * G * length * (1.0 - k as f64 / n as f64);
                        assert!((t - exact).abs() < 1e-10 * density * G * length, "{k}: {t} {exact}");
                    }
                }
            }
        }
    }
}

/// a of a catenary with the span d and the length l: l = 2 a sinh(d/2a).
fn parameter(d: f64, l: f64) -> f64 {
    let (mut low, mut high) = (1e-3 * d, 1e3 * d);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (0.5 * d / a).sinh() > l { low = a } else { high = a }
    }
    0.5 * (low + high)
}

/// Between two points of one height a slack rope settles to the catenary y = a cosh(x/a), with s = a sinh(x/a) and T = ρ g y.
#[test]
fn order_of_the_catenary() {
    let (d, length, density) = (2.0, 3.0, 0.4);
    let a = parameter(d, length);
    let (mut places, mut pulls) = (Vec::new(), Vec::new());
    for n in [8, 16, 32, 64] {
        let model = Model::planar("catenary")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", [d, 0.0])
            .ground(["A", "B"])
            .chain(
                Chain::new("rope", "A", n, density)
                    .to("B")
                    .length(length)
                    // the air does not see nodes that move against their neighbours: its force follows the mean of a segment's ends
                    .bending(0.0, 0.02)
                    .drag(ChainDrag { linear: 4.0 * density, ..Default::default() }),
            )
            .settings(settings(20.0, 10.0, 1e-10));
        let (mechanism, run) = finish(&model);
        let last = run.frames.last().unwrap();
        let (mut off, mut drift) = (0.0_f64, 0.0_f64);
        for (k, r) in nodes(&mechanism, last).iter().enumerate() {
            let s = length * (k as f64 / n as f64 - 0.5);
            let (x, y) = (a * (s / a).asinh(), a.hypot(s));
            let low = a.hypot(0.5 * length);
            off = off.max(norm(sub(*r, [0.5 * d + x, y - low, 0.0])));
            drift = drift.max(norm(last.velocities[mechanism.chains()[0].nodes[k]]));
        }
        let pull = tensions(&mechanism, last)[0];
        let exact = density * G * a.hypot(0.5 * length);
        println!(
            "{n} segments: {off:.2e} m, end tension {:.2e}, still moving {drift:.1e} m/s, {:?}",
            pull / exact - 1.0,
            run.summary.wall
        );
        // 2e-7 m/s of 64 segments is far below their error in place
        assert!(drift < 1e-6, "{drift}");
        places.push(off);
        pulls.push((pull / exact - 1.0).abs());
    }
    for (what, errors) in [("places", &places), ("tension", &pulls)] {
        let orders = orders(errors);
        println!("{what}: orders {orders:.2?}");
        assert!((orders[2] - 2.0).abs() < 0.1, "{what}: {orders:?}");
    }
}

/// J₀(x) by its series, for x below 6.
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..60 {
        term *= -0.25 * x * x / (k * k) as f64;
        sum += term;
    }
    sum
}

/// A hanging rope swings slowest with ω = j/2 √(g/L), j = 2.4048 the first zero of J₀; its form is J₀(j √(1 − s/L)).
#[test]
fn order_of_the_first_frequency_of_a_hanging_rope() {
    const J: f64 = 2.404825557695773;
    let (length, density) = (1.3, 0.8);
    let exact = 0.5 * J * (G / length).sqrt();
    for (kind, lumping) in [
        (ChainKind::Lumped, Lumping::Halves),
        (ChainKind::Rods, Lumping::Halves),
        (ChainKind::Lumped, Lumping::Far),
    ] {
        let mut errors = Vec::new();
        for n in [8, 16, 32, 64] {
            let mut chain = Chain::new("rope", "A", n, density).to("B").length(length).masses(lumping);
            chain.kind = kind;
            // a rope that hangs a little beside gravity swings about it
            let model = Model::planar("swing")
                .gravity([1e-4 * G, -G])
                .point("A", [0.0, 0.0])
                .point("B", [0.0, -length])
                .ground(["A"])
                .chain(chain)
                .settings(settings(3.0, 0.02, 1e-11));
            let (mechanism, run) = finish(&model);
            // in the other forms' sum masses count
            let masses = &mechanism.chains()[0].masses;
            let shape = |k: usize| bessel(J * (1.0 - k as f64 / n as f64).sqrt());
            let mode =
                |r: Vec<[f64; 3]>| r.iter().enumerate().map(|(k, r)| masses[k] * shape(k) * r[0]).sum();
            let mode: Vec<f64> = run.frames.iter().map(|f| mode(nodes(&mechanism, f))).collect();
            errors.push(frequency(&mode, 0.02) / exact - 1.0);
        }
        let orders = orders(&errors);
        println!("{} {}: {errors:?}, orders {orders:.2?}", kind.name(), lumping.name());
        // all of a segment's mass at one end is a first-order rule
        let order = if lumping == Lumping::Far { 1.0 } else { 2.0 };
        assert!((orders[2] - order).abs() < 0.1, "{orders:?}");
    }
}
