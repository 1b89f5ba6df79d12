//! What every stepper promises: order, ends, invariants, step sizes. How runs fail is in `failures`.

mod coefficients;
mod failures;
mod stiff;

use super::*;
use std::convert::Infallible;
use std::f64::consts::{PI, TAU};

/// A system from closures, with scales.
struct Closure<F, P> {
    n: usize,
    f: F,
    project: P,
    scale: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Refused;

impl<F, P> System for Closure<F, P>
where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), Refused>,
    P: FnMut(&mut [f64]),
{
    type Error = Refused;
    fn dimension(&self) -> usize {
        self.n
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refused> {
        (self.f)(t, y, dy)
    }
    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Refused> {
        (self.project)(y);
        self.derivative(t, y, dy)
    }
    fn error_scale(&self, scale: &mut [f64]) {
        scale.copy_from_slice(&self.scale);
    }
}

fn fallible<F>(n: usize, f: F) -> Closure<F, fn(&mut [f64])>
where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), Refused>,
{
    Closure { n, f, project: |_| (), scale: vec![1.0; n] }
}

fn system(n: usize, mut f: impl FnMut(f64, &[f64], &mut [f64])) -> impl System<Error = Refused> {
    fallible(n, move |t, y, dy| {
        f(t, y, dy);
        Ok(())
    })
}

fn finish<S: System>(stepper: &mut Stepper, system: &mut S) -> Result<(), StepError<S::Error>> {
    while stepper.step(system)? == StepOutcome::Advanced {}
    Ok(())
}

/// Each method, by its usual control.
fn every(n: usize, h: f64) -> [Stepper; 7] {
    [
        Stepper::dop853(n, 1e-9),
        Stepper::dopri5(n, 1e-9),
        Stepper::tsit5(n, 1e-9),
        Stepper::radau5(n, 1e-9),
        Stepper::rk4(n, h),
        Stepper::euler(n, h),
        Stepper::semi_implicit_euler(n, h),
    ]
}

/// One component that depends on t, two that turn: y = (e^{sin t}, cos t, sin t).
struct Mixed;
impl Mixed {
    fn exact(t: f64) -> [f64; 3] {
        [t.sin().exp(), t.cos(), t.sin()]
    }
    fn distance(t: f64, y: &[f64]) -> f64 {
        Mixed::exact(t).iter().zip(y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}
impl System for Mixed {
    type Error = Infallible;
    fn dimension(&self) -> usize {
        3
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        dy[0] = y[0] * t.cos();
        dy[1] = -y[2];
        dy[2] = y[1];
        Ok(())
    }
}

/// Errors at the end and between steps, over 0..3 s.
fn errors_at(mut stepper: Stepper) -> [f64; 2] {
    stepper.start(&mut Mixed, 0.0, &Mixed::exact(0.0), 3.0).unwrap();
    let mut y = [0.0; 3];
    let mut between: f64 = 0.0;
    while !stepper.is_finished() {
        stepper.step(&mut Mixed).unwrap();
        for s in [0.15, 0.4, 0.5, 0.7, 0.9] {
            let t = stepper.t_old() + s * (stepper.t() - stepper.t_old());
            stepper.interpolate(&mut Mixed, t, &mut y).unwrap();
            between = between.max(Mixed::distance(t, &y));
        }
    }
    [Mixed::distance(3.0, stepper.y()), between]
}

/// Slopes of log(error) over log(h) when the step is halved twice.
fn slopes(name: &str, make: impl Fn(usize, f64) -> Stepper, h: f64) -> [f64; 2] {
    let coarse = errors_at(make(3, h));
    let fine = errors_at(make(3, h / 4.0));
    let slopes = [0, 1].map(|i| (coarse[i] / fine[i]).log2() / 2.0);
    println!("{name}: order {:.2} at the end, {:.2} between steps", slopes[0], slopes[1]);
    slopes
}

/// Slopes are asymptotic; a quarter is left for the next term of the expansion.
#[test]
fn order_of_each_method_and_its_interpolation() {
    let [end, between] = slopes("euler", Stepper::euler, 0.01);
    assert!((end - 1.0).abs() < 0.25 && (between - 1.0).abs() < 0.25);

    let [end, between] = slopes("rk4", Stepper::rk4, 0.1);
    assert!((end - 4.0).abs() < 0.25 && (between - 4.0).abs() < 0.25);

    let [end, between] = slopes("semi-implicit euler", Stepper::semi_implicit_euler, 0.01);
    assert!((end - 1.0).abs() < 0.25 && (between - 1.0).abs() < 0.25);

    // dense output of order 4 has an error of h⁵, as the step
    for (name, make) in [("dopri5", Stepper::dopri5 as fn(_, _) -> _), ("tsit5", Stepper::tsit5)] {
        let [end, between] = slopes(name, |n, h| make(n, 1.0).with_step(h), 0.2);
        assert!((end - 5.0).abs() < 0.25 && (between - 5.0).abs() < 0.25);
    }

    // the cubic is off by h⁴ between the nodes
    let [end, between] = slopes("radau5", |n, h| Stepper::radau5(n, 1e-13).with_step(h), 0.2);
    assert!((end - 5.0).abs() < 0.25 && (between - 4.0).abs() < 0.25);

    // between steps the error is that of the step plus an O(h⁸) of the interpolation alone
    let [end, between] = slopes("dop853", |n, h| Stepper::dop853(n, 1.0).with_step(h), 0.5);
    assert!(end > 7.75 && between > 7.0);
}

/// y' = p(t) with p of degree 7: a method of order 8 is exact, and so is its dense output to degree 7.
#[test]
fn exact_dop853_integrates_degree_seven() {
    let mut power = system(2, |t, _, dy| {
        dy[0] = 8.0 * t.powi(7);
        dy[1] = 7.0 * t.powi(6);
    });
    let mut stepper = Stepper::dop853(2, 1.0).with_step(0.5);
    stepper.start(&mut power, 0.0, &[0.0, 0.0], 2.0).unwrap();
    let mut y = [0.0; 2];
    while !stepper.is_finished() {
        stepper.step(&mut power).unwrap();
        let t = 0.3 * stepper.t_old() + 0.7 * stepper.t();
        stepper.interpolate(&mut power, t, &mut y).unwrap();
        assert!((y[1] - t.powi(7)).abs() < 1e-13 * 128.0, "{y:?} at {t}"); // a few roundings of 2⁷
    }
    assert!((stepper.y()[0] - 256.0).abs() < 1e-13 * 256.0, "{:?}", stepper.y());
}

/// Both embedded estimates vanish where the lower order is exact, and coefficients are consistent.
#[test]
fn exact_dop853_coefficient_sums() {
    use super::dop853_coefficients as c;
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13, "{a} {b}"); // largest entries are about 40
    near(c::B.iter().sum(), 1.0);
    near(c::E5.iter().sum(), 0.0);
    near(c::E3.iter().sum(), 0.0);
    near(c::A9.iter().sum(), c::C[8]);
    near(c::A12.iter().sum(), c::C[11]);
    near(c::A16.iter().sum(), c::C[15]);
    // Σ b_i c_i^p = 1/(p + 1), the quadrature conditions up to order 8
    let nodes = [0, 5, 6, 7, 8, 9, 10, 11].map(|i| c::C[i]);
    for p in 1..8 {
        near(nodes.iter().zip(c::B).map(|(x, b)| b * x.powi(p)).sum(), 1.0 / f64::from(p + 1));
    }
    for p in 1..5 {
        near(nodes.iter().zip(c::E5).map(|(x, e)| e * x.powi(p)).sum(), 0.0);
    }
}

/// Ends of the interpolant meet the states, and slopes match across steps, projected or not.
#[test]
fn exact_interpolation_meets_both_ends() {
    for (stepper, smooth) in [
        (Stepper::dop853(2, 1.0).with_step(0.3), true),
        (Stepper::rk4(2, 0.3), true),
        (Stepper::euler(2, 0.3), false),
        (Stepper::dopri5(2, 1.0).with_step(0.3), true),
        (Stepper::tsit5(2, 1.0).with_step(0.3), true),
        (Stepper::radau5(2, 1e-9).with_step(0.3), false),
        (Stepper::semi_implicit_euler(2, 0.3), false),
    ] {
        let mut circle = circle();
        let mut stepper = stepper.with_projection(true);
        stepper.start(&mut circle, 0.0, &[1.0, 0.0], 3.0).unwrap();
        let (mut y, mut near) = ([0.0; 2], [0.0; 2]);
        while !stepper.is_finished() {
            stepper.step(&mut circle).unwrap();
            let (t_old, t) = (stepper.t_old(), stepper.t());
            for (end, y_end, dy_end, inward) in
                [(t_old, stepper.y_old(), stepper.dy_old(), 1e-6), (t, stepper.y(), stepper.dy(), -1e-6)]
                    .map(|(t, y, dy, d)| (t, y.to_vec(), dy.to_vec(), d))
            {
                stepper.interpolate(&mut circle, end, &mut y).unwrap();
                assert_eq!(y[..], y_end[..]);
                stepper.interpolate(&mut circle, end + inward, &mut near).unwrap();
                for i in 0..2 {
                    let slope = (near[i] - y[i]) / inward;
                    // difference quotient: 1e-6 of curvature, 1e-10 of rounding
                    assert!(!smooth || (slope - dy_end[i]).abs() < 2e-6, "{slope} {}", dy_end[i]);
                    assert!((near[i] - y[i]).abs() < 2e-6);
                }
            }
        }
    }
}

/// Extra stages are evaluated once a step, and not at all at the ends.
#[test]
fn exact_evaluation_counts() {
    let mut stepper = Stepper::dop853(3, 1.0).with_step(0.1);
    stepper.start(&mut Mixed, 0.0, &Mixed::exact(0.0), 0.2).unwrap();
    assert_eq!(stepper.statistics().derivative_evaluations, 1);
    stepper.step(&mut Mixed).unwrap();
    assert_eq!(stepper.statistics().derivative_evaluations, 1 + 12);
    let mut y = [0.0; 3];
    for t in [0.0, 0.1] {
        stepper.interpolate(&mut Mixed, t, &mut y).unwrap();
    }
    assert_eq!(stepper.statistics().derivative_evaluations, 1 + 12);
    for t in [0.02, 0.05, 0.07] {
        stepper.interpolate(&mut Mixed, t, &mut y).unwrap();
    }
    assert_eq!(stepper.statistics().derivative_evaluations, 1 + 12 + 3);
    stepper.step(&mut Mixed).unwrap();
    assert_eq!(stepper.statistics().derivative_evaluations, 1 + 2 * 12 + 3);
    assert_eq!(stepper.statistics().projections, 2);

    let mut rk4 = Stepper::rk4(3, 0.1).with_projection(false);
    rk4.start(&mut Mixed, 0.0, &Mixed::exact(0.0), 1.0).unwrap();
    finish(&mut rk4, &mut Mixed).unwrap();
    assert_eq!(rk4.statistics().derivative_evaluations, 1 + 10 * 4);
    assert_eq!(rk4.statistics().projections, 0);
}

fn kepler() -> impl System<Error = Refused> {
    system(4, |_, y, dy| {
        let r2 = y[0] * y[0] + y[1] * y[1];
        let r3 = r2 * r2.sqrt();
        dy.copy_from_slice(&[y[2], y[3], -y[0] / r3, -y[1] / r3]);
    })
}

/// Kepler ellipse of eccentricity 0.5 and semi-axis 1: back at the start after each period of 2π.
#[test]
fn exact_kepler_error_tracks_tolerance() {
    let start: [f64; 4] = [0.5, 0.0, 0.0, 3.0_f64.sqrt()];
    let mut previous = f64::INFINITY;
    for exponent in 6..=13 {
        let tolerance = 10.0_f64.powi(-exponent);
        let mut stepper = Stepper::dop853(4, tolerance);
        let mut kepler = kepler();
        stepper.start(&mut kepler, 0.0, &start, 3.0 * TAU).unwrap();
        finish(&mut stepper, &mut kepler).unwrap();
        let error = start.iter().zip(stepper.y()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let steps = stepper.statistics().accepted_steps;
        println!("kepler: tolerance {tolerance:.0e}, error {error:.1e}, {:?}", stepper.statistics());
        // errors along the orbit grow about quadratically in time, and local errors add up over the steps
        assert!(error < 1e3 * tolerance, "{error} at {tolerance}");
        assert!(error < previous);
        assert!(steps < 400);
        previous = error;
    }
}

/// What one Kepler period costs: recorded from this code, to show lost or won speed as a diff. Square roots
/// and plain arithmetic only, so the counts do not depend on the machine.
#[test]
fn regress_kepler_counts() {
    let counts = [1e-6, 1e-9, 1e-12].map(|tolerance| {
        let mut stepper = Stepper::dop853(4, tolerance);
        let mut kepler = kepler();
        stepper.start(&mut kepler, 0.0, &[0.5, 0.0, 0.0, 3.0_f64.sqrt()], TAU).unwrap();
        finish(&mut stepper, &mut kepler).unwrap();
        let s = stepper.statistics();
        (s.accepted_steps, s.rejected_steps, s.derivative_evaluations)
    });
    assert_eq!(counts, [(14, 5, 225), (28, 9, 437), (59, 9, 809)]);
}

/// Pendulum from 2 rad: the period is 2π/ω / agm(1, cos(θ₀/2)).
#[test]
fn exact_pendulum_period() {
    let (mut a, mut b) = (1.0_f64, 1.0_f64.cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let period = TAU / 9.81_f64.sqrt() / a;
    for exponent in 6..=13 {
        let tolerance = 10.0_f64.powi(-exponent);
        let mut pendulum = system(2, |_, y, dy| dy.copy_from_slice(&[y[1], -9.81 * y[0].sin()]));
        let mut stepper = Stepper::dop853(2, tolerance);
        stepper.start(&mut pendulum, 0.0, &[2.0, 0.0], 5.0 * period).unwrap();
        finish(&mut stepper, &mut pendulum).unwrap();
        let error = (stepper.y()[0] - 2.0).abs().max(stepper.y()[1].abs());
        println!("pendulum: tolerance {tolerance:.0e}, error {error:.1e}");
        // rates reach 5 rad/s over 60 steps and more, and an error of the period adds up over the periods
        assert!(error < 1e3 * tolerance, "{error} at {tolerance}");
    }
}

/// Forward and back again, the second leg in negative time.
#[test]
fn exact_time_runs_backwards() {
    for mut stepper in [
        Stepper::dop853(3, 1e-12),
        Stepper::rk4(3, 1e-3),
        Stepper::dopri5(3, 1e-12),
        Stepper::radau5(3, 1e-12),
    ] {
        stepper.start(&mut Mixed, 2.0, &Mixed::exact(2.0), -1.0).unwrap();
        finish(&mut stepper, &mut Mixed).unwrap();
        assert_eq!(stepper.t(), -1.0);
        assert!(stepper.h() < 0.0);
        // RK4 at h = 1e-3: about h⁴
        assert!(Mixed::distance(-1.0, stepper.y()) < 1e-10);
        let t = stepper.t() + 0.3 * (stepper.t_old() - stepper.t());
        let mut y = [0.0; 3];
        stepper.interpolate(&mut Mixed, t, &mut y).unwrap();
        assert!(Mixed::distance(t, &y) < 1e-10);
    }
}

#[test]
fn exact_end_is_met_and_never_passed() {
    for end in [1.0, 0.1 + 0.2, PI, 1e-9, 7.3, 1e-300] {
        for mut stepper in every(3, 0.1) {
            // t beyond the end would show in the system
            let mut watched = system(3, |t, y, dy| {
                assert!(t <= end);
                Mixed.derivative(t, y, dy).unwrap();
            });
            stepper.start(&mut watched, 0.0, &Mixed::exact(0.0), end).unwrap();
            finish(&mut stepper, &mut watched).unwrap();
            assert_eq!(stepper.t().to_bits(), end.to_bits());
            assert_eq!(stepper.step(&mut watched).unwrap(), StepOutcome::Finished);
            assert_eq!(stepper.t().to_bits(), end.to_bits());
        }
    }
}

/// Times are t₀ + k h to the bit, with no sliver at the end and a shortened step only where needed.
#[test]
fn exact_grid_of_a_given_step() {
    for (t0, h, end, steps, last) in [
        (0.0, 0.1, 1.0, 10, 0.1),
        (0.0, 0.001, 3.0, 3000, 0.001),
        (5.0, 0.1, 5.3, 3, 0.1),
        (0.0, 0.4, 1.0, 3, 0.2),
        (0.0, 2.0, 1.0, 1, 1.0),
        (0.0, 0.1, 1.0 + 1e-12, 10, 0.1),
    ] {
        let mut rest = system(1, |_, _, dy| dy[0] = 1.0);
        let mut stepper = Stepper::euler(1, h);
        stepper.start(&mut rest, t0, &[0.0], end).unwrap();
        let mut k = 0;
        while !stepper.is_finished() {
            stepper.step(&mut rest).unwrap();
            k += 1;
            if !stepper.is_finished() {
                assert_eq!(stepper.t(), t0 + f64::from(k) * h);
                assert_eq!(stepper.h(), h);
            }
        }
        assert_eq!((k, stepper.t()), (steps, end));
        assert!((stepper.h() - last).abs() < 2e-12, "{} {last}", stepper.h());
    }
}

/// Explicit Euler by hand: y_{k+1} = y_k (1 + h).
#[test]
fn exact_euler_growth() {
    let mut growth = system(1, |_, y, dy| dy[0] = y[0]);
    let mut stepper = Stepper::euler(1, 0.125);
    stepper.start(&mut growth, 0.0, &[1.0], 1.0).unwrap();
    finish(&mut stepper, &mut growth).unwrap();
    assert_eq!(stepper.y()[0], 1.125_f64.powi(8)); // 9⁸/8⁸ needs 26 bits: exact
}

/// (x, y) turns on the unit circle, with x² + y² = 1 as the invariant.
fn circle() -> impl System<Error = Refused> {
    Closure {
        n: 2,
        f: |_: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = -y[1];
            dy[1] = y[0];
            Ok(())
        },
        project: |y: &mut [f64]| {
            let r = y[0].hypot(y[1]);
            y[0] /= r;
            y[1] /= r;
        },
        scale: vec![1.0; 2],
    }
}

#[test]
fn keeps_the_invariant_by_projection() {
    let drift = |mut stepper: Stepper| {
        let mut circle = circle();
        stepper.start(&mut circle, 0.0, &[1.0, 0.0], 50.0).unwrap();
        let mut worst: f64 = 0.0;
        while !stepper.is_finished() {
            stepper.step(&mut circle).unwrap();
            let y = stepper.y();
            worst = worst.max((y[0].hypot(y[1]) - 1.0).abs());
            assert_eq!(stepper.dy(), [-y[1], y[0]]); // y' belongs to the projected y
        }
        worst
    };
    for make in [
        || Stepper::dop853(2, 1e-6),
        || Stepper::rk4(2, 0.1),
        || Stepper::euler(2, 0.1),
        || Stepper::dopri5(2, 1e-6),
        || Stepper::radau5(2, 1e-6),
    ] {
        let (kept, free) = (drift(make().with_projection(true)), drift(make().with_projection(false)));
        println!("drift: {kept:.1e} projected, {free:.1e} free");
        assert!(kept < 4.0 * f64::EPSILON);
        assert!(free > 1e-8);
    }
    // by default only Euler drifts: each step multiplies the radius by √(1 + h²)
    assert!(drift(Stepper::rk4(2, 0.1)) < 1e-15);
    let radius = 1.01_f64.powf(0.5 * 500.0);
    assert!((drift(Stepper::euler(2, 0.1)) - (radius - 1.0)).abs() < 1e-12 * radius);
}

/// Projected interpolation stays as accurate as the free one.
#[test]
fn order_of_projected_interpolation() {
    let worst = |h: f64| {
        let mut circle = circle();
        let mut stepper = Stepper::dop853(2, 1.0).with_step(h);
        stepper.start(&mut circle, 0.0, &[1.0, 0.0], 4.0).unwrap();
        let (mut worst, mut y) = (0.0_f64, [0.0; 2]);
        while !stepper.is_finished() {
            stepper.step(&mut circle).unwrap();
            let t = 0.6 * stepper.t_old() + 0.4 * stepper.t();
            stepper.interpolate(&mut circle, t, &mut y).unwrap();
            worst = worst.max((y[0] - t.cos()).abs().max((y[1] - t.sin()).abs()));
        }
        worst
    };
    let slope = (worst(0.5) / worst(0.25)).log2();
    println!("projected dense output: order {slope:.2}");
    assert!(slope > 7.0);
}

#[test]
fn same_inputs_same_bits() {
    let run = || {
        let mut stepper = Stepper::dop853(4, 1e-9);
        let mut kepler = kepler();
        stepper.start(&mut kepler, 0.0, &[0.5, 0.0, 0.0, 1.7], 20.0).unwrap();
        let half = loop {
            stepper.step(&mut kepler).unwrap();
            if stepper.t() > 10.0 {
                break stepper.clone();
            }
        };
        let mut ends = Vec::new();
        for mut stepper in [stepper, half] {
            finish(&mut stepper, &mut kepler).unwrap();
            ends.push((stepper.y().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), *stepper.statistics()));
        }
        ends
    };
    let [first, second] = [run(), run()];
    assert_eq!(first, second);
    assert_eq!(first[0], first[1]); // a clone is a checkpoint
}

/// A moved end does not disturb the step size; a restart keeps the statistics.
#[test]
fn keeps_step_size_and_statistics_across_ends() {
    let mut stepper = Stepper::dop853(3, 1e-10);
    stepper.start(&mut Mixed, 0.0, &Mixed::exact(0.0), 2.0).unwrap();
    finish(&mut stepper, &mut Mixed).unwrap();
    let size = stepper.statistics().largest_step;
    stepper.set_end(2.0 + 1e-7);
    finish(&mut stepper, &mut Mixed).unwrap();
    assert_eq!(stepper.t(), 2.0 + 1e-7);
    stepper.set_end(6.0);
    stepper.step(&mut Mixed).unwrap();
    assert!(stepper.h() > 0.2 * size);
    let before = stepper.statistics().accepted_steps;
    let y = Mixed::exact(3.0);
    stepper.restart(&mut Mixed, 3.0, &y).unwrap();
    assert_eq!((stepper.t_old(), stepper.t(), stepper.t_end()), (3.0, 3.0, 6.0));
    finish(&mut stepper, &mut Mixed).unwrap();
    assert!(stepper.statistics().accepted_steps > before);
    assert!(Mixed::distance(6.0, stepper.y()) < 1e-8);
}

/// ∫ of a fast oscillation rides along without shortening a step.
#[test]
fn same_steps_with_a_quadrature_left_out() {
    let steps = |scale: f64| {
        let mut with_work = Closure {
            n: 3,
            f: |t: f64, y: &[f64], dy: &mut [f64]| {
                dy.copy_from_slice(&[y[1], -y[0], (100.0 * t).cos()]);
                Ok(())
            },
            project: |_: &mut [f64]| (),
            scale: vec![1.0, 1.0, scale],
        };
        let mut stepper = Stepper::dop853(3, 1e-9);
        stepper.start(&mut with_work, 0.0, &[1.0, 0.0, 0.0], 10.0).unwrap();
        finish(&mut stepper, &mut with_work).unwrap();
        *stepper.statistics()
    };
    let mut plain = system(2, |_, y, dy| dy.copy_from_slice(&[y[1], -y[0]]));
    let mut stepper = Stepper::dop853(2, 1e-9);
    stepper.start(&mut plain, 0.0, &[1.0, 0.0], 10.0).unwrap();
    finish(&mut stepper, &mut plain).unwrap();
    assert_eq!(steps(f64::INFINITY), *stepper.statistics());
    assert!(steps(1.0).accepted_steps > 5 * stepper.statistics().accepted_steps);
}

#[test]
fn exact_nothing_to_do() {
    for mut stepper in every(3, 0.1) {
        stepper.start(&mut Mixed, 2.0, &Mixed::exact(2.0), 2.0).unwrap();
        assert!(stepper.is_finished());
        assert_eq!(stepper.step(&mut Mixed).unwrap(), StepOutcome::Finished);
        assert_eq!(stepper.statistics().accepted_steps, 0);
        let mut y = [0.0; 3];
        stepper.interpolate(&mut Mixed, 2.0, &mut y).unwrap();
        assert_eq!(y, Mixed::exact(2.0));
        stepper.set_end(2.5);
        finish(&mut stepper, &mut Mixed).unwrap();
        assert_eq!(stepper.t(), 2.5);
    }
    for mut stepper in every(0, 0.1) {
        let mut nothing = system(0, |_, _, _| ());
        stepper.start(&mut nothing, 0.0, &[], 1.0).unwrap();
        finish(&mut stepper, &mut nothing).unwrap();
        assert_eq!(stepper.t(), 1.0);
    }
}

/// y' = 0 goes fast and stays to the bit, also with everything left out of the control or of scale zero.
#[test]
fn exact_rest() {
    for (y0, scale) in [(3.7, 1.0), (0.0, 1.0), (0.0, 0.0), (3.7, f64::INFINITY)] {
        let mut rest = Closure {
            n: 1,
            f: |_: f64, _: &[f64], dy: &mut [f64]| {
                dy[0] = 0.0;
                Ok(())
            },
            project: |_: &mut [f64]| (),
            scale: vec![scale],
        };
        for mut stepper in [Stepper::dop853(1, 1e-10), Stepper::dopri5(1, 1e-10), Stepper::radau5(1, 1e-10)] {
            stepper.start(&mut rest, 0.0, &[y0], 1e4).unwrap();
            finish(&mut stepper, &mut rest).unwrap();
            assert_eq!(stepper.y(), [y0]);
            assert!(stepper.statistics().accepted_steps < 20);
        }
    }
}

#[test]
fn exact_step_stays_below_max_step() {
    let mut rest = system(1, |_, _, dy| dy[0] = 0.0);
    let limits = Limits { max_step: 0.25, first_step: Some(0.25), ..Limits::default() };
    let mut stepper = Stepper::dop853(1, 1e-10).with_limits(limits);
    stepper.start(&mut rest, 0.0, &[1.0], 1.001).unwrap();
    finish(&mut stepper, &mut rest).unwrap();
    assert_eq!((stepper.statistics().accepted_steps, stepper.statistics().largest_step), (5, 0.25));
}

/// No trial after a rejection is larger than the last one, and steps change by 0.333 to 6.
#[test]
fn keeps_step_changes_in_bounds() {
    let mut kick = system(2, |t, y, dy| {
        let force = if t > 1.0 { 100.0 } else { 0.0 };
        dy.copy_from_slice(&[y[1], force - y[0]]);
    });
    let mut stepper = Stepper::dop853(2, 1e-9);
    stepper.start(&mut kick, 0.0, &[1.0, 0.0], 3.0).unwrap();
    let mut before: Option<(f64, u64)> = None;
    while !stepper.is_finished() {
        stepper.step(&mut kick).unwrap();
        let (h, rejected) = (stepper.h(), stepper.statistics().rejected_steps);
        if let Some((h_before, rejected_before)) = before {
            assert!(h <= 6.01 * h_before);
            if rejected > rejected_before {
                assert!(h < h_before * 6.0 * 0.9);
            }
        }
        before = Some((h, rejected));
    }
    assert!(stepper.statistics().rejected_steps > 0);
}
