//! Bending frequencies of beams against Euler and Bernoulli's closed forms: by modes, and about an equilibrium.

use crate::suite::{linear, modes};
use linkwork::Model;
use linkwork::analysis::{EquilibriumOptions, Stability};
use linkwork::model::{Beam, BeamOrder, Formulation};

/// β²: ω = β² √(EI/ρA)/L², here β²/10.
const CLAMPED_FREE: [f64; 2] = [3.516_015_268, 22.034_491_56];
const PINNED: [f64; 2] = [9.869_604_401, 39.478_417_60];
const FREE: [f64; 2] = [22.373_285_45, 61.672_822_96];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    ClampedFree,
    Pinned,
    Free,
}

/// 10 m long with EI = 100 N m² and 1 kg/m, so slender that EA L²/EI = 1e7.
fn beam(ends: Ends, elements: usize, order: BeamOrder) -> Model {
    let beam =
        Beam::new("beam", "A", "B").stiffness(1e7, [100.0; 2], 1.0).shear([4e6; 2]).elements(elements, order);
    let model = Model::planar("beam").point("A", [0.0, 0.0]).point("B", [10.0, 0.0]);
    match ends {
        Ends::ClampedFree => model.ground(["A"]).beam(beam.clamp("ground", "none")),
        Ends::Pinned => model.ground(["A", "B"]).beam(beam),
        Ends::Free => model.point("O", [0.0, 1.0]).ground(["O"]).beam(beam),
    }
}

/// By how much the slowest frequencies are off, in parts.
fn off(found: &[f64], exact: &[f64]) -> f64 {
    found.iter().zip(exact).map(|(a, b)| (a / (0.1 * b) - 1.0).abs()).fold(0.0, f64::max)
}

/// Frequencies converge with h² of linear and h⁴ of quadratic elements.
#[test]
fn order_of_bending_frequencies() {
    for (ends, exact) in [(Ends::ClampedFree, CLAMPED_FREE), (Ends::Pinned, PINNED), (Ends::Free, FREE)] {
        for (order, counts, least, most) in
            [(BeamOrder::Linear, [8, 16], 1.8, 0.04), (BeamOrder::Quadratic, [3, 6], 3.5, 4e-3)]
        {
            let errors = counts.map(|count| {
                let linear = linear(&beam(ends, count, order), Formulation::Auto);
                let modes = modes(&linear);
                let mut found: Vec<f64> =
                    modes.eigenvalues().iter().map(|x| x.im).filter(|x| *x > 1e-2).collect();
                found.sort_by(f64::total_cmp);
                let error = off(&found, &exact);
                println!("{ends:?} {order:?} {count}: {:?}, off by {error:.2e}", &found[..2]);
                error
            });
            let rate = (errors[0] / errors[1]).log2();
            println!("  order {rate:.2}");
            assert!(rate > least && errors[1] < most, "{ends:?} {order:?}: {errors:?}");
        }
    }
}

/// The slowest motion about an equilibrium is that of `modes`, and a beam that floats is neutral in three ways.
#[test]
fn cross_slowest_motion_about_an_equilibrium() {
    for ends in [Ends::ClampedFree, Ends::Pinned, Ends::Free] {
        for order in [BeamOrder::Linear, BeamOrder::Quadratic] {
            let model = beam(ends, 8, order);
            let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
            let rest =
                mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
            let modes = modes(&linear(&model, Formulation::Auto));
            let all = modes.eigenvalues();
            let by_modes = all.iter().map(|x| x.im).filter(|x| *x > 1e-2).fold(f64::INFINITY, f64::min);
            println!(
                "{ends:?} {order:?}: {:?} {by_modes} {:?} {:?}",
                rest.slowest, rest.stability, rest.free
            );
            let slowest = rest.slowest.expect("a frequency");
            assert!((slowest / by_modes - 1.0).abs() < 1e-4, "{ends:?} {order:?}: {slowest} {by_modes}");
            let expected = if ends == Ends::Free { Stability::Neutral } else { Stability::Stable };
            assert_eq!((rest.stability, rest.free.len()), (expected, if ends == Ends::Free { 3 } else { 0 }));
        }
    }
}

/// A steel ruler, EA L²/EI = 4e6, clamped and without weight: 3.516 √(EI/ρA)/L². Upright and too heavy for its slenderness it buckles.
#[test]
fn exact_frequency_of_a_ruler_and_its_buckling() {
    let ruler = |gravity: [f64; 2], column: bool| {
        let (width, height, young, density) = (25e-3, 0.5e-3, 210e9, 7850.0);
        let area: f64 = width * height;
        let second = width * f64::powi(height, 3) / 12.0;
        let to = if column { [0.0, 0.3] } else { [0.3, 0.0] };
        let model =
            Model::planar("ruler").gravity(gravity).point("A", [0.0, 0.0]).point("B", to).ground(["A"]);
        let beam = Beam::new("ruler", "A", "B")
            .stiffness(young * area, [young * second; 2], density * area)
            .elements(4, BeamOrder::Quadratic)
            .clamp("ground", "none");
        (model.beam(beam), 3.516_015_268 * (young * second / (density * area)).sqrt() / 0.09)
    };
    let (model, exact) = ruler([0.0, 0.0], false);
    let slowest = |model: &Model| {
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"))
    };
    let found = slowest(&model).slowest.expect("a frequency");
    println!("{found} {exact}");
    assert!((found / exact - 1.0).abs() < 1e-3, "{found} {exact}");
    // upright it carries 7.837 EI/L² of its own weight ρA g L: g = 7.837 EI/ρA L³
    let critical = 7.8373 * (exact * 0.09 / 3.516_015_268).powi(2) / 0.027;
    for (part, least, most) in [(0.98, 0.0, 1e-5), (1.02, 1e-2, 0.3)] {
        let rest = slowest(&ruler([0.0, -part * critical], true).0);
        let aside = rest.moved.iter().find(|m| m.point == "B").map_or(f64::NAN, |m| m.distance());
        println!("{part}: {:?} {:?}, the tip moves by {aside:.3e} m", rest.stability, rest.slowest);
        // an equilibrium that is not stable is left for one that is
        assert!(rest.stability == Stability::Stable && (least..most).contains(&aside), "{part}: {aside}");
    }
}
