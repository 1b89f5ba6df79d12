//! Modes with closed forms.

use crate::suite::{G, eigenvalues, example, linear, model, modes};
use linkwork::model::{Body, Chain, Formulation, Model};
use linkwork_linear::Kind;
use std::path::Path;

/// A parallelogram of rods that hangs: cranks of 1 m and 1 kg, a coupler of 2 m and 2 kg. (2 m L²/3 + M L²) θ'' = −(m + M) g L θ.
fn parallelogram(spatial: bool) -> Model {
    match spatial {
        false => model(
            "format = 1\n[model]\ndimension = 2\ngravity = \"-y\"\n[points]\nA = [0, 0]\nB = [0, -1]\nC = [2, -1]\nD = [2, 0]\n[bodies]\nground = { points = [\"A\", \"D\"] }\n\
             crank = { points = [\"A\", \"B\"], mass = 1 }\ncoupler = { points = [\"B\", \"C\"], mass = 2 }\nrocker = { points = [\"C\", \"D\"], mass = 1 }\n",
        ),
        // hinges by two shared points: three constraints too many
        true => model(
            "format = 1\n[model]\ndimension = 3\ngravity = \"-y\"\n[points]\nA = [0, 0, -0.1]\nB = [0, -1, -0.1]\nC = [2, -1, -0.1]\nD = [2, 0, -0.1]\n\
             a = [0, 0, 0.1]\nb = [0, -1, 0.1]\nc = [2, -1, 0.1]\nd = [2, 0, 0.1]\n[bodies]\nground = { points = [\"A\", \"D\", \"a\", \"d\"] }\n\
             crank = { points = [\"A\", \"B\", \"a\", \"b\"], mass = 1, com = [0, -0.5, 0], inertia = [0.0833333333333333333, 0.01, 0.0833333333333333333] }\n\
             coupler = { points = [\"B\", \"C\", \"b\", \"c\"], mass = 2, com = [1, -1, 0], inertia = [0.01, 0.6666666666666666, 0.6666666666666666] }\n\
             rocker = { points = [\"C\", \"D\", \"c\", \"d\"], mass = 1, com = [2, -0.5, 0], inertia = [0.0833333333333333333, 0.01, 0.0833333333333333333] }\n",
        ),
    }
}

/// In the plane and in space, with three redundant constraints, one frequency: ω² = (m + M) g / (2m/3 + M) L.
#[test]
fn exact_parallelogram_with_and_without_redundant_constraints() {
    let exact = (3.0 * G / (2.0 / 3.0 + 2.0)).sqrt();
    let mut found = Vec::new();
    for spatial in [false, true] {
        let linear = linear(&parallelogram(spatial), Formulation::Auto);
        assert_eq!(linear.counts, [1, 1, 0]);
        let modes = modes(&linear);
        let mode = &modes.list[0];
        assert_eq!((modes.list.len(), mode.kind, mode.damping_ratio()), (1, Kind::Oscillating, Some(0.0)));
        println!("spatial {spatial}: off by {:.1e}", mode.eigenvalue.im / exact - 1.0);
        assert!((mode.eigenvalue.im / exact - 1.0).abs() < 1e-9);
        // the coupler has M L² of 2m L²/3 + M L²
        let coupler = mode.bodies.iter().find(|part| part.name == "coupler").expect("a part");
        assert!((coupler.size - 2.0 / (2.0 / 3.0 + 2.0)).abs() < 1e-9);
        found.push(mode.eigenvalue.im);
    }
    assert!((found[0] / found[1] - 1.0).abs() < 1e-9);
}

/// A hanging rope has ω = j₀ₖ/2 √(g/L); segments of length h are off by a part of order h².
#[test]
fn order_of_a_hanging_rope() {
    /// Zeros of J₀ (Abramowitz and Stegun, table 9.5).
    const ZEROS: [f64; 4] =
        [2.404_825_557_695_773, 5.520_078_110_286_311, 8.653_727_912_911_012, 11.791_534_439_014_281];
    let length = 2.0;
    let mut last: Option<Vec<f64>> = None;
    for segments in [16, 32, 64] {
        let rope = Model::planar("rope")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .ground(["A"])
            .chain(Chain::new("rope", "A", segments, 0.3).length(length));
        let modes = modes(&linear(&rope, Formulation::Auto));
        assert_eq!(modes.list.len(), segments);
        let off: Vec<f64> = ZEROS
            .iter()
            .zip(&modes.list)
            .map(|(zero, mode)| mode.eigenvalue.im / (0.5 * zero * (G / length).sqrt()) - 1.0)
            .collect();
        println!("{segments} segments: {off:?}");
        if let Some(last) = &last {
            for (k, (a, b)) in last.iter().zip(&off).enumerate() {
                // order two: a quarter, for the highest once it is resolved
                assert!((a / b - 4.0).abs() < 0.4 || segments < 64 && k > 1, "mode {k}: {a:.2e} {b:.2e}");
            }
        }
        last = Some(off);
    }
}

/// Upside down a rod falls with λ = √(3g/2l), and its other eigenvalue is the opposite.
#[test]
fn exact_rod_upside_down_is_unstable() {
    let rod = Model::planar("rod")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [0.0, 2.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], 3.0));
    let modes = modes(&linear(&rod, Formulation::Auto));
    let exact = (1.5 * G / 2.0).sqrt();
    assert_eq!((modes.list[0].kind, modes.list[1].kind), (Kind::Unstable, Kind::Settling));
    assert!((modes.list[0].eigenvalue.re / exact - 1.0).abs() < 1e-9);
    assert!((modes.list[1].eigenvalue.re / exact + 1.0).abs() < 1e-9);
    assert!(modes.list[0].damping_ratio().is_some_and(|z| (z + 1.0).abs() < 1e-12));
}

/// A rod on a shaft that a driver turns at Ω: about its lower place of rest, ω² = m g l/2J − Ω² (J − K)/J with the moment of inertia K about its line. Its motion is steady.
#[test]
fn exact_rod_on_a_driven_shaft() {
    for speed in [0.0, 1.0, 2.5, 3.5] {
        let linear = linear(&shaft(speed), Formulation::Auto);
        assert_eq!(linear.counts, [1, 1, 0], "{:?}", linear.states);
        assert!(linear.unsteady.is_none(), "{:?}", linear.unsteady);
        let (j, k) = (2.0 / 3.0, 1e-6);
        let square = G / j - speed * speed * (j - k) / j;
        let modes = modes(&linear);
        let found = modes.list[0].eigenvalue;
        let off = match square > 0.0 {
            true => found.im / square.sqrt() - 1.0,
            false => found.re / (-square).sqrt() - 1.0,
        };
        println!("{speed} rad/s: off by {off:.1e}");
        assert!(off.abs() < 1e-9);
    }
}

fn shaft(speed: f64) -> Model {
    model(&format!(
        "format = 1\n[model]\ngravity = \"-z\"\n[points]\nO = [0, 0, 0]\nP = [0, 0, -1]\nQ = [0, 0, 0.3]\nR = [0.3, 0, 0.3]\n[bodies]\nground = {{ points = [\"O\"] }}\n\
         shaft = {{ points = [\"O\", \"Q\", \"R\"], mass = 1, com = \"O\", inertia = [1, 1, 1] }}\nrod = {{ points = [\"O\", \"P\"], mass = 2, com = [0, 0, -0.5], inertia = [0.16666666666666666, 0.16666666666666666, 0.000001] }}\n\
         [joints]\nbearing = {{ type = \"revolute\", bodies = [\"ground\", \"shaft\"], at = \"O\", axis = [0, 0, 1] }}\n\
         hinge = {{ type = \"revolute\", bodies = [\"shaft\", \"rod\"], at = \"O\", axis = [0, 1, 0] }}\n\
         [drivers]\nmotor = {{ joint = \"bearing\", value = \"{speed} * t\" }}\n"
    ))
}

/// Frequencies of the built-in pendulum do not depend on the unit of its states: shares of energy add up to one.
#[test]
fn keeps_shares_of_energy() {
    for name in ["double-pendulum", "governor", "linkage"] {
        let modes = modes(&linear(&example(name, &[]), Formulation::Auto));
        for mode in modes.list.iter().filter(|mode| !mode.bodies.is_empty()) {
            let sum: f64 = mode.bodies.iter().map(|part| part.size).sum();
            // parts below 1e-9 are left out
            assert!((sum - 1.0).abs() < 1e-7, "{name}: {sum}");
        }
        assert_eq!(modes.eigenvalues().len(), linear(&example(name, &[]), Formulation::Auto).states.len());
        assert!(eigenvalues(&modes).iter().all(|x| x.re.is_finite() && x.im.is_finite()));
    }
}

/// A string of n segments, stretched between two points: across it ω = 2 √(T/m h) sin(kπ/2n), along it 2 √(c/m) sin(kπ/2n), with the tension T, the stiffness c
/// and the stretched length h of a segment and the mass m of a node.
#[test]
fn exact_stretched_string() {
    let (n, free, span, density, stiffness) = (12_usize, 2.0, 2.5, 0.3, 40.0);
    let string = Model::planar("string")
        .point("A", [0.0, 0.0])
        .point("B", [span, 0.0])
        .ground(["A", "B"])
        .chain(Chain::new("string", "A", n, density).to("B").length(free).elastic(stiffness, 0.0));
    let segments = n as f64;
    let tension = stiffness * (span / free - 1.0);
    let mass = density * free / segments;
    let across = tension / (mass * span / segments);
    let along = stiffness * segments / free / mass;
    let mut exact: Vec<f64> = (1..n)
        .flat_map(|k| {
            let sine = (0.5 * std::f64::consts::PI * k as f64 / segments).sin();
            [2.0 * across.sqrt() * sine, 2.0 * along.sqrt() * sine]
        })
        .collect();
    exact.sort_by(f64::total_cmp);
    let linear = linear(&string, Formulation::Auto);
    assert!(linear.unsteady.is_none(), "{:?}", linear.unsteady);
    let modes = modes(&linear);
    assert_eq!(modes.list.len(), exact.len());
    let off = exact.iter().zip(&modes.list).map(|(w, mode)| (mode.eigenvalue.im / w - 1.0).abs());
    let off = off.fold(0.0, f64::max);
    println!("stretched string: off by {off:.1e}");
    assert!(off < 1e-9);
}

/// An elastic beam on two pins, n segments: ω = 4 √(EI/ρh⁴) sin²(kπ/2n), which comes near Euler's and Bernoulli's (kπ/L)² √(EI/ρ) with h².
#[test]
fn exact_and_order_of_a_beam_on_two_pins() {
    let (span, density, stiff) = (1.5_f64, 0.4, 3.0_f64);
    let mut last: Option<Vec<f64>> = None;
    for n in [12_usize, 24] {
        let beam = Model::planar("beam")
            .point("A", [0.0, 0.0])
            .point("B", [span, 0.0])
            .ground(["A", "B"])
            // waves along it are far above those across it
            .chain(
                Chain::new("beam", "A", n, density)
                    .to("B")
                    .length(span)
                    .elastic(1e7, 0.0)
                    .bending(stiff, 0.0),
            );
        let modes = modes(&linear(&beam, Formulation::Auto));
        assert_eq!(modes.list.len(), 2 * (n - 1));
        let (h, pi) = (span / n as f64, std::f64::consts::PI);
        let mut off = Vec::new();
        for k in 1..=5 {
            let sine = (0.5 * pi * k as f64 / n as f64).sin();
            let exact = 4.0 * (stiff / density).sqrt() / (h * h) * sine * sine;
            let found = modes.list[k - 1].eigenvalue.im;
            println!("{n} segments, mode {k}: off by {:.1e}", found / exact - 1.0);
            // slow beside the waves along it: 2e-10 of them
            assert!((found / exact - 1.0).abs() < 1e-8, "{n} {k}: {found} {exact}");
            off.push(found / ((k as f64 * pi / span).powi(2) * (stiff / density).sqrt()) - 1.0);
        }
        if let Some(last) = &last {
            for (a, b) in last.iter().zip(&off) {
                assert!((a / b - 4.0).abs() < 0.3, "{a:.2e} {b:.2e}");
            }
        }
        last = Some(off);
    }
}

/// The L-shaped bracket of `studies/modal_body.py`, reduced, against its full finite-element model: clamped at a flange, and free. The figures are those of
/// scipy in `linkwork/tests/data/modal_bodies/figures.json`, with both flanges rigid as they are in the reduced body.
#[test]
fn cross_modal_bracket_swings_as_the_full_model() {
    const CLAMPED: [f64; 5] =
        [157.98001607103998, 250.77615159327698, 484.68172543391313, 1540.2005302389093, 1923.2535009194924];
    const FREE: [f64; 5] =
        [619.8431869468408, 2074.808508911555, 2593.950981778465, 3480.2221264874356, 4142.383063408224];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linkwork/tests/data/modal_bodies/clamped.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let model = |text: &str| {
        let name = path.display().to_string();
        Model::parse_beside(&name, text, &[]).unwrap_or_else(|error| panic!("{error}"))
    };
    let clamped = model(&text);
    let clamped = Model { gravity: [0.0; 3], ..clamped };
    let modes = modes(&linear(&clamped, Formulation::Auto));
    for (mode, exact) in modes.list.iter().zip(CLAMPED) {
        assert!((mode.frequency() / exact - 1.0).abs() < 1e-3, "{} {exact}", mode.frequency());
    }
    // without a clamp more held modes matter
    let fine = model(&text.replace("modes = 5", "modes = 30"));
    for (model, count, least) in [(&clamped, 3, 5e-3), (&fine, 5, 1e-3)] {
        for (mode, exact) in model.modal_bodies[0].basis.modes.iter().zip(FREE).take(count) {
            let hertz = mode.frequency / std::f64::consts::TAU;
            println!("free: {:.1e}", hertz / exact - 1.0);
            assert!((hertz / exact - 1.0).abs() < least, "{hertz} {exact}");
        }
    }
}
