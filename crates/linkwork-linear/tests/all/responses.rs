//! Answers to inputs: against closed forms, and against runs.

use crate::suite::{G, linear, model};
use linkwork::analysis::Linearization;
use linkwork::model::Formulation;
use linkwork_linear::{Response, c64, frequencies};
use std::f64::consts::TAU;

/// A mass on a spring and a damper: G(s) = 1/(m s² + d s + k).
#[test]
fn exact_response_of_an_oscillator() {
    let linear = linear(
        &model(
            "format = 1\n[model]\ndimension = 2\n[points]\nO = [0, 0]\nP = [1, 0]\n[bodies]\nground = { points = [\"O\"] }\nmass = { points = [\"P\"], mass = 2, com = \"P\", inertia = 1 }\n\
             [joints]\nguide = { type = \"prismatic\", bodies = [\"ground\", \"mass\"], at = [\"O\", \"P\"], axis = [1, 0] }\n\
             [inputs]\npush = { unit = \"kN\" }\n[forces]\npush = { body = \"mass\", force = [\"input.push - 50*(point.P.x - 1) - 3*point.P.vx\", 0] }\n[measures]\nx = { value = \"point.P.x\", unit = \"mm\" }\n",
        ),
        Formulation::Auto,
    );
    let response = Response::new(&linear, "push", "x", &frequencies(0.01, 100.0, 50)).expect("a response");
    assert_eq!(response.unit, "mm/kN");
    for (f, value) in response.frequencies.iter().zip(&response.values) {
        let s = c64::new(0.0, TAU * f);
        // mm over kN
        let exact = 1e6 / (s * s * 2.0 + s * 3.0 + 50.0);
        assert!((value - exact).norm() < 1e-8 * exact.norm(), "{f} Hz: {value} {exact}");
    }
    let phases = response.phases();
    assert!(phases[0].abs() < 0.01 && (phases[49] + TAU / 2.0).abs() < 0.01, "{phases:?}");
}

/// A rod under a carriage that a driver moves as a filtered input says: X = W/(1 + τs)², (2l/3) θ'' + g θ = −x''.
#[test]
fn exact_response_to_a_driver() {
    let (tau, length) = (0.05, 0.7);
    let linear = linear(
        &model(&format!(
            "format = 1\n[model]\ndimension = 2\ngravity = \"-y\"\n[points]\nO = [0, 0]\nA = [0, -{length}]\nN = [1, 0]\n[bodies]\nground = {{ points = [\"N\"] }}\ncarriage = {{ points = [\"O\"], mass = 1, com = \"O\", inertia = 1 }}\nrod = {{ points = [\"O\", \"A\"], mass = 2 }}\n\
             [joints]\nrail = {{ type = \"prismatic\", bodies = [\"ground\", \"carriage\"], at = [\"N\", \"O\"], axis = [1, 0] }}\n\
             [inputs]\nx = {{ filter = {tau} }}\n[drivers]\nmove = {{ point = \"O\", component = \"x\", value = \"input.x\" }}\n[measures]\nangle = \"body.rod.angle\"\n"
        )),
        Formulation::Auto,
    );
    // the angle, its rate, and the filter
    assert_eq!(linear.counts, [1, 1, 2], "{:?}", linear.states);
    let response = Response::new(&linear, "x", "angle", &[0.02, 0.3, 0.9, 5.0]).expect("a response");
    for (f, value) in response.frequencies.iter().zip(&response.values) {
        let s = c64::new(0.0, TAU * f);
        let lag = (s * tau + 1.0) * (s * tau + 1.0);
        let exact = -(s * s) / (s * s * (2.0 * length / 3.0) + G) / lag;
        // the carriage's acceleration is a difference of terms of 1/τ²: at low frequencies 1e-10 of those is left
        assert!((value - exact).norm() < 1e-8 * exact.norm() + 1e-9, "{f} Hz: {value} {exact}");
    }
}

/// Runs x' = A x + B w, o = C x + D w with w = a sin ωt by the classical method in small steps; o at the end.
fn forced(linear: &Linearization, amplitude: f64, omega: f64, duration: f64, steps: usize) -> f64 {
    let n = linear.states.len();
    let rate = |t: f64, x: &[f64]| -> Vec<f64> {
        let w = amplitude * (omega * t).sin();
        (0..n).map(|i| (0..n).map(|k| linear.a[i * n + k] * x[k]).sum::<f64>() + linear.b[i] * w).collect()
    };
    let h = duration / steps as f64;
    let mut x = vec![0.0; n];
    for s in 0..steps {
        let t = s as f64 * h;
        let along = |k: &[f64], by: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + by * k).collect() };
        let k1 = rate(t, &x);
        let k2 = rate(t + 0.5 * h, &along(&k1, 0.5 * h));
        let k3 = rate(t + 0.5 * h, &along(&k2, 0.5 * h));
        let k4 = rate(t + h, &along(&k3, h));
        (0..n).for_each(|i| x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let w = amplitude * (omega * duration).sin();
    (0..n).map(|k| linear.c[k] * x[k]).sum::<f64>() + linear.d[0] * w
}

/// A loop that hangs, shaken by a small moment: the run and the linear system agree in position, acceleration and a reaction.
#[test]
fn cross_run_with_a_small_sine() {
    let text = |moment: &str| {
        format!(
            "format = 1\n[model]\ndimension = 2\ngravity = \"-y\"\n[points]\nA = [0, 0]\nB = [0, -1]\nC = [2, -1]\nD = [2, 0]\nF = [1, -2]\nE = [1, -1]\n[bodies]\nground = {{ points = [\"A\", \"D\"] }}\n\
             crank = {{ points = [\"A\", \"B\"], mass = 1 }}\ncoupler = {{ points = [\"B\", \"C\", \"E\"], mass = 2, com = [1, -1], inertia = 0.6 }}\nrocker = {{ points = [\"C\", \"D\"], mass = 1 }}\nbob = {{ points = [\"E\", \"F\"], mass = 0.5 }}\n\
             [inputs]\nmoment = {{ unit = \"N m\" }}\n[couples]\nmotor = {{ body = \"crank\", moment = \"{moment} - 0.3 * body.crank.wz\" }}\n\
             [simulation]\nduration = 2\noutput_step = 1\ntolerance = 1e-12\n"
        )
    };
    let (amplitude, omega) = (1e-3, 4.0);
    let shaken = model(&text(&format!("{amplitude}*sin({omega}*t)"))).assemble().expect("a mechanism");
    let (table, _) = shaken.record().expect("a run");
    let mechanism = model(&text("input.moment")).assemble().expect("a mechanism");
    let state = mechanism.initial_state(Formulation::Auto).expect("a state");
    for output in ["point.F.x", "joint.A.v", "joint.A.force.x"] {
        let options =
            linkwork::analysis::LinearizeOptions { outputs: Some(vec![output.into()]), ..Default::default() };
        let linear = mechanism.linearize(&state, &options).expect("a linear system");
        let run = table.column(output).expect("a column");
        let found = forced(&linear, amplitude, omega, 2.0, 4000);
        let moved = run[2] - run[0];
        println!("{output}: run {moved:.9e}, linear {found:.9e}, off by {:.1e}", found / moved - 1.0);
        // the square of the motion, 1e-3, is left out of the linear system
        assert!((found / moved - 1.0).abs() < 1e-4, "{output}");
    }
}
