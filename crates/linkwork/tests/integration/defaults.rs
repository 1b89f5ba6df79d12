//! Defaults that can be trusted: no integrator, formulation or tolerance is named anywhere here.

use crate::suite;

use linkwork::model::{Body, Inertia, Model, Settings, Spring};
use linkwork::simulation::{Status, Trajectory};
use suite::G;

fn defaults(duration: f64, output_step: f64) -> Settings {
    Settings { duration, output_step, ..Default::default() }
}

fn simulate(model: &Model) -> Trajectory {
    let run = model.assemble().unwrap_or_else(|e| panic!("{e}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    println!(
        "{}: {} s, {} in {} steps, energy {:.1e} of the energies at play",
        model.name,
        run.summary.t,
        run.summary.integrator.name(),
        run.summary.steps.accepted_steps,
        run.summary.relative_energy_drift()
    );
    run
}

/// Two rods of 1 m and 1 kg, let go from level.
fn double_pendulum(duration: f64, output_step: f64) -> Model {
    Model::planar("double pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .point("B", [2.0, 0.0])
        .ground(["O"])
        .body(Body::rod("upper", ["O", "A"], 1.0))
        .body(Body::rod("lower", ["A", "B"], 1.0))
        .settings(defaults(duration, output_step))
}

/// Energy of a frictionless double pendulum: 1e-9 over 100 s, 1e-8 over 10,000 s.
#[test]
fn keeps_energy_of_a_double_pendulum() {
    for (duration, output_step, bound) in [(100.0, 0.1, 1e-9), (10_000.0, 10.0, 1e-8)] {
        let run = simulate(&double_pendulum(duration, output_step));
        assert!(run.summary.relative_energy_drift() < bound, "{:?}", run.summary);
    }
}

/// The complete elliptic integral of the first kind by the arithmetic-geometric mean, from k'² = 1 − k².
fn quarter_period(complement: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, complement.sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// A free body that tumbles about its middle axis: energy and angular momentum to 1e-9 over 10,000 s, and it flips as often as the
/// exact solution, whose period is that of Jacobi's functions.
#[test]
fn exact_tumbling_body_flips_as_often_as_it_should() {
    let (i1, i2, i3) = (0.02, 0.05, 0.06);
    // off the separatrix, where the period would be endless
    let w = [0.01, 5.0, 0.1];
    let mut model = Model::spatial("spinning body")
        .point("G", [0.0; 3])
        .point("P", [0.3, 0.0, 0.0])
        .body(Body::with_inertia(
            "racket",
            ["G", "P"],
            1.2,
            "G",
            Inertia::Matrix([i1, i2, i3, 0.0, 0.0, 0.0]),
        ))
        .angular_velocity("racket", w);
    model = model.settings(defaults(10_000.0, 0.25));
    let run = simulate(&model);
    // the component of ω along the middle axis of the body, and L in the world
    let inertia = [i1, i2, i3];
    let (mut flips, mut before, mut worst) = (0, 5.0, 0.0_f64);
    let momentum = |frame: &linkwork::results::Frame| -> [f64; 3] {
        let m = &frame.motions[0];
        let body: [f64; 3] =
            std::array::from_fn(|k| (0..3).map(|i| m.turned[i][k] * m.w[i]).sum::<f64>() * inertia[k]);
        std::array::from_fn(|i| (0..3).map(|k| m.turned[i][k] * body[k]).sum())
    };
    let start = momentum(&run.frames[0]);
    let size = start.iter().map(|x| x * x).sum::<f64>().sqrt();
    for frame in &run.frames {
        let m = &frame.motions[0];
        let middle: f64 = (0..3).map(|i| m.turned[i][1] * m.w[i]).sum();
        if middle * before < 0.0 {
            flips += 1;
            before = middle;
        }
        let l = momentum(frame);
        worst = worst.max((0..3).map(|i| (l[i] - start[i]).powi(2)).sum::<f64>().sqrt() / size);
    }
    // Landau and Lifshitz, section 37, with the axes ordered so that 2 T I₂ < L² where that holds
    let twice = (0..3).map(|k| inertia[k] * w[k] * w[k]).sum::<f64>();
    let square = (0..3).map(|k| (inertia[k] * w[k]).powi(2)).sum::<f64>();
    let (a, b, c) = if square > twice * i2 { (i1, i2, i3) } else { (i3, i2, i1) };
    let rate = ((c - b) * (square - twice * a) / (a * b * c)).sqrt();
    let modulus = (b - a) * (twice * c - square) / ((c - b) * (square - twice * a));
    let period = 4.0 * quarter_period(1.0 - modulus) / rate;
    // ω₂ goes through zero twice a period; at the start it is near its largest value
    let expected = (2.0 * 10_000.0 / period).round();
    println!("angular momentum {worst:.1e}, {flips} flips, {:.2} in the exact motion", 20_000.0 / period);
    assert!(run.summary.relative_energy_drift() < 1e-9 && worst < 1e-9);
    assert!((f64::from(flips) - expected).abs() <= 1.0);
}

/// Ten rods with a tip a million times as heavy: the run agrees with one at a much tighter tolerance to 1e-6 of the size.
#[test]
fn cross_chain_with_a_heavy_tip() {
    let chain = |tolerance: Option<f64>| {
        let mut model = Model::planar("heavy tip").gravity([0.0, -G]).ground(["P0"]);
        for i in 0..=10 {
            model = model.point(format!("P{i}"), [0.1 * i as f64, 0.0]);
        }
        for i in 0..10 {
            let mass = if i == 9 { 1e3 } else { 1e-3 };
            model =
                model.body(Body::rod(format!("rod{i}"), [&format!("P{i}"), &format!("P{}", i + 1)], mass));
        }
        let settings = defaults(1.0, 0.01);
        let tolerance = tolerance.unwrap_or(settings.tolerance);
        simulate(&model.settings(Settings { tolerance, ..settings }))
    };
    let (run, tight) = (chain(None), chain(Some(1e-14)));
    let mut worst = 0.0_f64;
    for (a, b) in run.frames.iter().zip(&tight.frames) {
        for (p, q) in a.positions.iter().zip(&b.positions) {
            worst = worst.max((p[0] - q[0]).hypot(p[1] - q[1]));
        }
    }
    println!("heavy tip: {worst:.1e} m from a tight run");
    assert!(worst < 1e-6);
}

/// A pendulum on a spring of 1e9 N/m is a pendulum: it stays within 1e-6 of the size of the exact motion of a rigid one, whose
/// period is 4 K(sin θ₀/2) √(L/g).
#[test]
fn exact_pendulum_on_a_very_stiff_spring() {
    let (stiffness, mass, angle) = (1e9, 1.0, 1.0_f64);
    let model = Model::planar("stiff pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [angle.sin(), -angle.cos()])
        .ground(["O"])
        .body(Body::with_inertia("bob", ["A"], mass, "A", Inertia::Polar(0.0)))
        .spring(Spring::new("rope", ["O", "A"], stiffness).free_length(1.0))
        .settings(defaults(10.0, 0.01));
    let run = simulate(&model);
    let omega = G.sqrt();
    let complement = 1.0 - (0.5 * angle).sin().powi(2);
    let period = 4.0 * quarter_period(complement) / omega;
    // where the exact pendulum is after whole and half periods
    let mut worst = 0.0_f64;
    for frame in &run.frames {
        let [x, y, _] = frame.positions[1];
        worst = worst.max((x.hypot(y) - 1.0).abs());
    }
    let crossings: Vec<f64> = run
        .frames
        .windows(2)
        .filter(|f| f[0].positions[1][0].signum() != f[1].positions[1][0].signum())
        .map(|f| {
            // through the lowest point the bob moves almost evenly: angle and rate at both ends give the time
            let at = |k: usize| {
                let ([x, y, _], [u, v, _]) = (f[k].positions[1], f[k].velocities[1]);
                (x.atan2(-y), (u * -y + v * x) / (x * x + y * y), f[k].t)
            };
            let ((a, wa, t), (b, wb, s)) = (at(0), at(1));
            let h = s - t;
            // the root of the cubic through both ends, by Newton's method
            let cubic = |z: f64| {
                let d = b - a;
                a + z * d + z * (z - 1.0) * ((1.0 - 2.0 * z) * d + (z - 1.0) * h * wa + z * h * wb)
            };
            let mut z = -a / (b - a);
            for _ in 0..50 {
                z -= cubic(z) / (b - a);
            }
            t + z * h
        })
        .collect();
    for (k, t) in crossings.iter().enumerate() {
        worst = worst.max((t - (0.25 + 0.5 * k as f64) * period).abs() * omega);
    }
    println!("stiff pendulum: {worst:.1e} of the size, {} crossings", crossings.len());
    assert!(crossings.len() > 8 && worst < 1e-6);
}
