//! Examples against published figures and closed forms.

use crate::suite;

use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Model, Settings};
use linkwork::simulation::Trajectory;
use std::path::PathBuf;
use suite::{applicable, run};

fn example(name: &str) -> Model {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(format!("{name}.toml"));
    Model::from_file(file).unwrap_or_else(|e| panic!("{e}"))
}

fn column(run: &(Mechanism, Trajectory), name: &str) -> Vec<f64> {
    run.1.column(&run.0, name).unwrap_or_else(|| panic!("no column {name}"))
}

fn with(model: &Model, formulation: Formulation, tolerance: f64) -> Model {
    let settings = Settings { formulation, tolerance, ..model.settings.clone() };
    model.clone().settings(settings)
}

/// The angles after 30 ms of the test set for initial value problem solvers (Andrews' squeezer), to the figures given there.
#[test]
fn paper_squeezer_after_30_ms() {
    let model = example("squeezer");
    assert_eq!(model.assemble().unwrap().degrees_of_freedom(), 1);
    for formulation in applicable(&model) {
        let run = run(&with(&model, formulation, 1e-13));
        let last = |name: &str| *column(&run, name).last().unwrap();
        // crank β; K3 turns by γ, K5 by δ, K7 by ε, each against the ground
        let exact = [
            ("joint.O.q", 15.81077119629904 + 0.061_713_890_014_276_45),
            ("joint.B.q", 0.04082224013073101 - 0.455_279_819_163_070_4),
            ("joint.A.K5.q", 0.5244099658805304 - 0.487_364_979_543_842_5),
            ("joint.A.K7.q", 1.048080741042263 - 1.230_547_444_549_821),
        ];
        let off = exact.iter().fold(0.0_f64, |m, (name, value)| m.max((last(name) - value).abs()));
        println!("squeezer, {}: angles after 30 ms off by {off:.1e} rad", formulation.name());
        // the motion amplifies errors; the published digits are good to about 1e-9 themselves
        assert!(off < 1e-8, "{formulation:?}: {off}");
    }
}

/// Eigenvalues of the benchmark bicycle at 5 m/s (Meijaard et al. 2007, table 2): the lean after a small knock obeys the linear
/// recurrence that they define, x_{k+4} + c₃ x_{k+3} + … = 0 with the roots exp(λ h).
#[test]
fn paper_eigenvalues_of_the_benchmark_bicycle() {
    let mut model = example("bicycle");
    // a knock fifty times smaller: 1e-4 rad, of which the square is not linear, and the tolerance is far below
    for (_, w) in &mut model.initial.angular_velocities {
        w[0] *= 0.02;
    }
    model.settings.duration = 2.0;
    let h = 0.05;
    model.settings.output_step = h;
    let weave = (-0.775_341_882_195_85_f64, 4.464_867_713_788_23_f64);
    let (capsize, castering) = (-0.322_866_429_004_09_f64, -14.078_389_692_798_2_f64);
    // (z² − 2 e^{ah} cos(bh) z + e^{2ah}) (z − e^{ch}) (z − e^{dh})
    let pair = [1.0, -2.0 * (weave.0 * h).exp() * (weave.1 * h).cos(), (2.0 * weave.0 * h).exp()];
    let (p, q) = ((capsize * h).exp(), (castering * h).exp());
    let real = [1.0, -(p + q), p * q];
    let mut c = [0.0; 5];
    for (i, a) in pair.iter().enumerate() {
        for (j, b) in real.iter().enumerate() {
            c[i + j] += a * b;
        }
    }
    for formulation in applicable(&model) {
        let run = run(&with(&model, formulation, 1e-12));
        assert_eq!(run.0.degrees_of_freedom(), 3);
        for name in ["measure.lean", "measure.steer"] {
            let x = column(&run, name);
            let size = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let off = x.windows(5).fold(0.0_f64, |m, w| {
                let sum: f64 = (0..5).map(|k| c[k] * w[4 - k]).sum();
                m.max(sum.abs())
            });
            println!(
                "bicycle, {}: {name} obeys the recurrence to {:.1e} of its size",
                formulation.name(),
                off / size
            );
            assert!(off < 3e-7 * size, "{formulation:?}: {off} of {size}");
        }
    }
}

/// The train turns as one: the motor's torque and the load, reduced to the motor by the speeds.
#[test]
fn exact_gear_train() {
    let model = example("gear-train");
    let m = 0.002;
    let disc = |mass: f64, teeth: f64| 0.5 * mass * (0.5 * teeth * m).powi(2);
    // speeds over that of the motor
    let (shaft2, shaft3) = (-1.0 / 3.0, 1.0 / 9.0);
    let arm = shaft3 / 4.0;
    let planet = -shaft3 / 2.0;
    let centre = 40.0 * m / 2.0 * arm; // speed of the planet's centre
    let inertia = disc(0.8, 18.0)
        + disc(1.2, 54.0) * shaft2 * shaft2
        + disc(1.5, 60.0) * shaft3 * shaft3
        + 2.0e-3 * arm * arm
        + 0.3 * centre * centre
        + disc(0.3, 20.0) * planet * planet;
    let alpha = (0.5 - 10.0 * arm) / inertia;
    let start = 600.0 * std::f64::consts::TAU / 60.0;
    for formulation in applicable(&model) {
        let run = run(&with(&model, formulation, 1e-11));
        let speed = column(&run, "joint.A.v");
        let off =
            speed.iter().zip(&run.1.frames).fold(0.0_f64, |m, (v, f)| m.max((v - start - alpha * f.t).abs()));
        let ratio = column(&run, "measure.ratio").iter().fold(0.0_f64, |m, r| m.max((r - 36.0).abs()));
        println!("gear train, {}: speed {off:.1e} rad/s, ratio {ratio:.1e}", formulation.name());
        assert!(off < 1e-6 * start && ratio < 1e-9);
    }
}

/// The spline runs through its points: every 15° of the cam the lift is h (1 − cos 2a)/2.
#[test]
fn exact_lift_of_the_cam() {
    let mut model = example("cam-follower");
    // 300 rpm: 15° take 1/120 s
    model.settings.output_step = 1.0 / 120.0;
    model.settings.duration = 0.4;
    for formulation in applicable(&model) {
        let run = run(&with(&model, formulation, 1e-11));
        let off = column(&run, "measure.lift").iter().zip(&run.1.frames).fold(0.0_f64, |m, (lift, f)| {
            let a = 10.0 * std::f64::consts::PI * f.t;
            m.max((lift - 5.0 * (1.0 - (2.0 * a).cos())).abs())
        });
        println!("cam, {}: lift off by {off:.1e} mm", formulation.name());
        assert!(off < 1e-9);
    }
}

/// tan q₂ = tan q₁ / cos β for the middle shaft: its speed is cos β / (1 − sin²β cos²q₁); the output turns like the input.
#[test]
fn exact_speeds_of_the_universal_shaft() {
    let model = example("universal-shaft");
    let (s, c) = 30_f64.to_radians().sin_cos();
    for formulation in applicable(&model) {
        let run = run(&with(&model, formulation, 1e-11));
        let (mut middle, mut output) = (0.0_f64, 0.0_f64);
        for (k, frame) in run.1.frames.iter().enumerate() {
            // the cross's arm in the input fork stands along z, across the plane of the bend's normal, at the start
            let q = 10.0 * frame.t;
            let exact = c / (1.0 - (s * q.sin()).powi(2));
            let low = c / (1.0 - (s * q.cos()).powi(2));
            let found = column(&run, "measure.middle")[k];
            middle = middle.max((found - exact).abs().min((found - low).abs()));
            output = output.max((column(&run, "measure.output")[k] - 1.0).abs());
        }
        println!("universal shaft, {}: middle {middle:.1e}, output {output:.1e}", formulation.name());
        assert!(middle < 1e-10 && output < 1e-10);
    }
}
