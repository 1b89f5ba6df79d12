//! A suspension that gets its curves back.

use crate::study;
use linkwork::model::Model;
use linkwork_optimize::{Options, optimize};
use std::fmt::Write;

const EXAMPLE: &str = include_str!("../../../../examples/suspension.toml");

/// The curves of a five-link suspension with its links as drawn, then every hardpoint is moved by up to 5 mm: least squares finds hardpoints with the same camber and toe, to 1e-9 rad at every sample, although 18 directions of the points hardly change the curves. The points need
/// not be the same ones: five links have more lengths than the curves tell.
#[test]
fn exact_curves_of_a_suspension_come_back() {
    let steps = "duration = 4\noutput_step = 0.02";
    assert!(EXAMPLE.contains(steps));
    let text = EXAMPLE.replace(steps, "duration = 3\noutput_step = 0.125");
    let names = ["measure.camber", "measure.toe_in"];
    let mechanism = Model::from_toml(&text).unwrap().assemble().unwrap();
    let mut motion = mechanism.kinematics(&names).unwrap();
    let (mut curves, mut row, mut t) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
    for k in 0..=24 {
        t.push(0.125 * f64::from(k));
        motion.go_to(t[k as usize]).unwrap();
        motion.values_into(&mut row);
        curves[0].push(row[0]);
        curves[1].push(row[1]);
    }
    let mut text = moved(&text);
    for (name, curve) in ["wanted_camber", "wanted_toe"].iter().zip(&curves) {
        let _ = writeln!(text, "\n[tables.{name}]\nx = {t:?}\ny = {curve:?}");
    }
    text.push_str("\n[optimize]\nover = \"kinematics\"\n");
    text.push_str(
        "residuals = [\"measure.camber - wanted_camber(t)\", \"measure.toe_in - wanted_toe(t)\"]\n",
    );
    text.push_str("\n[optimize.variables]\n");
    for point in ["A1", "B1", "A2", "B2", "A3", "B3", "A4", "B4", "A5", "B5"] {
        let _ = writeln!(text, "{point} = {{ within = \"15 mm\" }}");
    }
    let study = study("suspension.toml", &text);
    let before = optimize(&study, &Options { runs: 1, ..Options::default() }).unwrap();
    let worst = |residuals: &[f64]| residuals.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
    assert!(worst(&before.residuals) > 1e-3, "moved points have other curves: {}", worst(&before.residuals));
    let found = optimize(&study, &Options { runs: 2500, ..Options::default() }).unwrap();
    println!(
        "suspension: {:.1e} rad, before {:.1e}, after {} evaluations",
        worst(&found.residuals),
        worst(&before.residuals),
        found.evaluations
    );
    assert!(worst(&found.residuals) < 1e-9, "{:.1e} rad: {}", worst(&found.residuals), found.message);
    assert!(found.undetermined.unwrap() > 0);
}

/// The file with every hardpoint moved by 5 mm, each another way.
fn moved(text: &str) -> String {
    let mut out = String::new();
    let mut turn = 0.0_f64;
    for line in text.lines() {
        let hardpoint = ["A", "B"].iter().any(|start| line.starts_with(start)) && line.contains(" = [");
        if hardpoint {
            let (name, rest) = line.split_once(" = [").unwrap();
            let (numbers, comment) = rest.split_once(']').unwrap();
            let place: Vec<f64> = numbers.split(',').map(|x| x.trim().parse().unwrap()).collect();
            turn += 2.4;
            let way = [turn.cos() * 0.8, turn.sin() * 0.8, 0.6 * (2.0 * turn).cos().signum()];
            let place: Vec<String> =
                place.iter().zip(way).map(|(x, d)| format!("{}", x + 0.005 * d)).collect();
            let _ = writeln!(out, "{name} = [{}]{comment}", place.join(", "));
        } else {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}
