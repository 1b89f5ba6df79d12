//! Radau on stiff systems with known solutions, and what the small methods promise.

use super::*;

/// Runs and tells steps, evaluations and the end.
fn solve<S: System<Error = Refused>>(
    name: &str,
    mut stepper: Stepper,
    mut system: S,
    y0: &[f64],
    t_end: f64,
) -> Stepper {
    stepper.start(&mut system, 0.0, y0, t_end).unwrap();
    finish(&mut stepper, &mut system).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let s = stepper.statistics();
    println!(
        "{name}: {} steps, {} rejected, {} evaluations",
        s.accepted_steps, s.rejected_steps, s.derivative_evaluations
    );
    stepper
}

/// y' = −λ (y − cos t) − sin t from 1 is cos t, whatever λ: the step does not feel λ.
#[test]
fn exact_prothero_robinson() {
    let mut counts = Vec::new();
    for lambda in [1e3, 1e6, 1e9] {
        let stiff = system(1, move |t, y, dy| dy[0] = -lambda * (y[0] - t.cos()) - t.sin());
        let stepper = solve("prothero-robinson", Stepper::radau5(1, 1e-8), stiff, &[1.0], 10.0);
        let error = (stepper.y()[0] - 10.0_f64.cos()).abs();
        println!("  λ = {lambda:e}: error {error:.1e}");
        // order reduction: stiff errors are those of the estimate, held below 0.1 tolerance^(2/3) = 5e-7 a step
        assert!(error < 5e-6);
        counts.push(stepper.statistics().accepted_steps);
    }
    assert!(counts.iter().all(|&n| n < 200), "{counts:?}");
}

fn van_der_pol(mu: f64) -> impl System<Error = Refused> {
    // in the time of the slow motion: ε = 1/μ²
    system(2, move |_, y, dy| {
        dy.copy_from_slice(&[y[1], mu * mu * ((1.0 - y[0] * y[0]) * y[1] - y[0])]);
    })
}

/// ε y'' = (1 − y²) y' − y with ε = 1e-6, from (2, 0), at t = 1, 2: the reference solution of the test set of Hairer and Wanner
/// [Solving Ordinary Differential Equations II, section IV.10, problem VDPOL].
#[test]
fn paper_van_der_pol() {
    for (t_end, reference) in [
        (1.0, [-0.186_364_625_480_813e1, 0.753_543_086_543_546]),
        (2.0, [0.170_616_773_217_048_3e1, -0.892_809_701_024_797_5]),
    ] {
        for exponent in [4, 6, 8, 10] {
            let tolerance = 10.0_f64.powi(-exponent);
            let name = format!("van der Pol to {t_end}, {tolerance:.0e}");
            let stepper = solve(&name, Stepper::radau5(2, tolerance), van_der_pol(1e3), &[2.0, 0.0], t_end);
            let error = (0..2).map(|i| (stepper.y()[i] - reference[i]).abs()).fold(0.0, f64::max);
            println!("  error {error:.1e} {:?}", stepper.y());
            assert!(error < 100.0 * tolerance, "{error} at {tolerance}");
            assert!(stepper.statistics().accepted_steps < 3000);
        }
    }
}

/// Robertson's kinetics, eleven decades of time; reference of the same test set (problem ROBER). The sum of the three is kept.
#[test]
fn paper_robertson() {
    let reference = [
        (0.4, [0.985_172_113_863_285_1, 0.338_639_537_899_047_6e-4, 0.147_940_222_392_276e-1]),
        (4e1, [0.715_827_068_719_404, 0.918_553_476_545_757_3e-5, 0.284_163_745_745_830_5]),
        (1e11, [0.208_334_014_970_125_5e-7, 0.833_336_077_033_471_3e-13, 0.999_999_979_166_505]),
    ];
    for (t_end, wanted) in reference {
        let robertson = Closure {
            n: 3,
            f: |_: f64, y: &[f64], dy: &mut [f64]| {
                let (slow, fast, back) = (0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]);
                dy.copy_from_slice(&[back - slow, slow - back - fast, fast]);
                Ok(())
            },
            project: |_: &mut [f64]| (),
            scale: vec![1e-6, 1e-10, 1e-6],
        };
        let name = format!("robertson to {t_end:e}");
        let stepper = solve(&name, Stepper::radau5(3, 1e-7), robertson, &[1.0, 0.0, 0.0], t_end);
        let y = stepper.y();
        let error = (0..3).map(|i| (y[i] / wanted[i] - 1.0).abs()).fold(0.0, f64::max);
        println!("  relative error {error:.1e}, sum off by {:.1e}", y.iter().sum::<f64>() - 1.0);
        assert!(error < 1e-4, "{y:?}");
        assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-10);
        assert!(stepper.statistics().accepted_steps < 1000);
    }
}

/// Smooth motion: errors follow the tolerance although the estimate has a lower order than the solution.
#[test]
fn exact_kepler_errors_of_order_five_track_tolerance() {
    let start: [f64; 4] = [0.5, 0.0, 0.0, 3.0_f64.sqrt()];
    for make in [Stepper::dopri5, Stepper::tsit5, Stepper::radau5] {
        let mut previous = f64::INFINITY;
        for exponent in [5, 7, 9, 11] {
            let tolerance = 10.0_f64.powi(-exponent);
            let name = format!("kepler, {tolerance:.0e}");
            let stepper = solve(&name, make(4, tolerance), kepler(), &start, 3.0 * TAU);
            let error = start.iter().zip(stepper.y()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!("  error {error:.1e}");
            // as for Dormand–Prince 8: errors grow quadratically in time, and add up over more steps
            assert!(error < 1e4 * tolerance, "{error} at {tolerance}");
            assert!(error < previous);
            previous = error;
        }
    }
}

/// A component of infinite scale costs no column, no step and no accuracy.
#[test]
fn same_radau5_steps_with_a_quadrature_left_out() {
    let with_work = Closure {
        n: 3,
        f: |_: f64, y: &[f64], dy: &mut [f64]| {
            dy.copy_from_slice(&[y[1], -y[0], y[1] * y[1]]);
            Ok(())
        },
        project: |_: &mut [f64]| (),
        scale: vec![1.0, 1.0, f64::INFINITY],
    };
    let plain = system(2, |_, y, dy| dy.copy_from_slice(&[y[1], -y[0]]));
    let a = solve("with a quadrature", Stepper::radau5(3, 1e-9), with_work, &[1.0, 0.0, 0.0], 10.0);
    let b = solve("without", Stepper::radau5(2, 1e-9), plain, &[1.0, 0.0], 10.0);
    assert_eq!(a.statistics().accepted_steps, b.statistics().accepted_steps);
    assert_eq!(a.statistics().largest_step, b.statistics().largest_step);
    assert_eq!(a.y()[..2], *b.y());
    let exact = 5.0 - 0.25 * 20.0_f64.sin(); // ∫ sin²
    println!("quadrature off by {:.1e}", a.y()[2] - exact);
    assert!((a.y()[2] - exact).abs() < 1e-7);
}

/// Between steps inside a layer and after it. The cubic has the order of the estimate, so about 0.1 tolerance^(2/3) = 1e-7 a step and
/// not the tolerance of 1e-9; thirty times that is seen in the layer.
#[test]
fn exact_dense_output_of_a_stiff_run() {
    // y = cos t + e^(−1000 t)
    let mut stiff = system(1, |t, y, dy| dy[0] = -1e3 * (y[0] - t.cos()) - t.sin());
    let mut stepper = Stepper::radau5(1, 1e-9);
    stepper.start(&mut stiff, 0.0, &[2.0], 3.0).unwrap();
    let (mut y, mut worst) = ([0.0], 0.0_f64);
    while !stepper.is_finished() {
        stepper.step(&mut stiff).unwrap();
        for s in [0.1, 0.3, 0.5, 0.8, 0.95] {
            let t = stepper.t_old() + s * (stepper.t() - stepper.t_old());
            stepper.interpolate(&mut stiff, t, &mut y).unwrap();
            worst = worst.max((y[0] - t.cos() - (-1e3 * t).exp()).abs());
        }
    }
    println!("dense output: {worst:.1e} off in {} steps", stepper.statistics().accepted_steps);
    assert!(worst < 1e-5, "{worst}");
}

/// Oscillator by hand: u⁺ = u − h q, q⁺ = q + h u⁺ keeps q² + u² − h q u for good, where explicit Euler grows by 1 + h² a step.
#[test]
fn exact_semi_implicit_euler_keeps_its_energy() {
    struct Oscillator;
    impl System for Oscillator {
        type Error = Infallible;
        fn dimension(&self) -> usize {
            2
        }
        fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
            dy.copy_from_slice(&[y[1], -y[0]]);
            Ok(())
        }
        fn rates(&self) -> std::ops::Range<usize> {
            1..2
        }
    }
    let h = 0.125;
    let mut stepper = Stepper::semi_implicit_euler(2, h);
    stepper.start(&mut Oscillator, 0.0, &[1.0, 0.0], 1000.0).unwrap();
    stepper.step(&mut Oscillator).unwrap();
    assert_eq!(stepper.y(), [1.0 - h * h, -h]);
    let mut worst = 0.0_f64;
    while !stepper.is_finished() {
        stepper.step(&mut Oscillator).unwrap();
        let [q, u] = [stepper.y()[0], stepper.y()[1]];
        worst = worst.max((q * q + u * u - h * q * u - 1.0).abs());
    }
    println!("kept form: {worst:.1e} off after 8000 steps");
    assert!(worst < 1e-12);
}
