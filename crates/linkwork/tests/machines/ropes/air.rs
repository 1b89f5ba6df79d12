//! What the air does to a rope, in closed form.

use super::shared::{finish, nodes};
use crate::suite::{G, settings};
use linkwork::model::*;

const DENSITY: f64 = 0.04;
const DIAMETER: f64 = 0.01;

/// A free straight rope.
fn falling(along: [f64; 2], drag: ChainDrag) -> Model {
    Model::planar("fall")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [3.0 * along[0], 3.0 * along[1]])
        .chain(Chain::new("rope", "A", 12, DENSITY).to("B").drag(drag))
        .settings(settings(3.0, 0.1, 1e-10))
}

/// From rest a straight rope falls as y = (V²/g) ln cosh(g t/V), across itself with V² = 2 ρ g/(ρ_a C_n d), along itself with
/// V² = 2 ρ g/(ρ_a C_t π d), and stays straight.
#[test]
fn exact_fall_through_air() {
    let drag = ChainDrag { diameter: DIAMETER, normal: 1.1, tangential: 0.02, ..Default::default() };
    for (along, area) in [([1.0, 0.0], 1.1), ([0.0, 1.0], 0.02 * std::f64::consts::PI)] {
        let terminal = (2.0 * DENSITY * G / (1.225 * area * DIAMETER)).sqrt();
        for formulation in [Formulation::Points, Formulation::Recursive] {
            let mut model = falling(along, drag.clone());
            model.settings.formulation = formulation;
            let (mechanism, run) = finish(&model);
            for frame in &run.frames {
                let fallen = terminal * terminal / G * (G * frame.t / terminal).cosh().ln();
                for (k, r) in nodes(&mechanism, frame).iter().enumerate() {
                    let s = 0.25 * k as f64;
                    let off = (r[0] - s * along[0]).abs().max((r[1] - s * along[1] + fallen).abs());
                    assert!(off < 1e-8, "{formulation:?} {along:?} t {}: {off}", frame.t);
                }
            }
            assert!(run.summary.relative_energy_drift() < 1e-8);
        }
    }
}

/// Linear drag takes a rope along with the wind: v = w (1 − e^(−ct/ρ)).
#[test]
fn exact_rope_in_the_wind() {
    let (linear, wind) = (0.03, [2.0, 1.0]);
    let drag = ChainDrag { linear, wind: [wind[0], wind[1], 0.0], ..Default::default() };
    let (mechanism, run) = finish(&falling([0.6, 0.8], drag).gravity([0.0, 0.0]));
    for frame in &run.frames {
        let part = frame.t - DENSITY / linear * (1.0 - (-linear * frame.t / DENSITY).exp());
        for (k, r) in nodes(&mechanism, frame).iter().enumerate() {
            let s = 0.25 * k as f64;
            let off = [0, 1].map(|c| (r[c] - s * [0.6, 0.8][c] - wind[c] * part).abs());
            assert!(off[0].max(off[1]) < 1e-8, "t {}: {off:?}", frame.t);
        }
    }
}
