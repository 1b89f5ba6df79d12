//! A word for each way to fail, soon, with the last good state kept.

use super::*;

/// y' = y² from 1 is 1/(1 − t): no way past t = 1.
#[test]
fn exact_blow_up_ends() {
    let mut blow_up = system(1, |_, y, dy| dy[0] = y[0] * y[0]);
    let mut stepper = Stepper::dop853(1, 1e-10);
    stepper.start(&mut blow_up, 0.0, &[1.0], 2.0).unwrap();
    let error = finish(&mut stepper, &mut blow_up).unwrap_err();
    let StepError::StepTooSmall { t, .. } = error else { panic!("{error:?}") };
    println!("blow-up: {error:?} {:?}", stepper.statistics());
    assert!((t - 1.0).abs() < 1e-8 && t == stepper.t());
    assert!(stepper.y()[0].is_finite());
    assert!(stepper.statistics().derivative_evaluations < 20_000);

    // at t = 0, where roundings of t set no floor, the state itself runs out of numbers
    stepper.start(&mut blow_up, -1.0, &[1.0], 1.0).unwrap();
    let error = finish(&mut stepper, &mut blow_up).unwrap_err();
    println!("blow-up at 0: {error:?} {:?}", stepper.statistics());
    assert!(stepper.statistics().derivative_evaluations < 100_000);
    assert!(stepper.t() < 1e-8);
}

/// y' = −10⁹ (y − cos t) is stable only for steps of some 10⁻⁹ s.
#[test]
fn exact_stiff_run_ends_with_too_many_steps() {
    let mut stiff = system(1, |t, y, dy| dy[0] = -1e9 * (y[0] - t.cos()));
    let limits = Limits { max_steps: 1000, ..Limits::default() };
    let mut stepper = Stepper::dop853(1, 1e-6).with_limits(limits);
    stepper.start(&mut stiff, 0.0, &[1.0], 1.0).unwrap();
    let error = finish(&mut stepper, &mut stiff).unwrap_err();
    assert!(matches!(error, StepError::TooManySteps { steps: 1000, t_end: 1.0, .. }), "{error:?}");

    // left to the default limit, a run that gets nowhere ends in a fraction of a second
    let mut stepper = Stepper::dop853(1, 1e-6);
    let clock = std::time::Instant::now();
    stepper.start(&mut stiff, 0.0, &[1.0], 1.0).unwrap();
    assert!(matches!(finish(&mut stepper, &mut stiff), Err(StepError::TooManySteps { .. })));
    println!("stiff: {:?}, {:?}", clock.elapsed(), stepper.statistics());

    let mut euler = Stepper::euler(1, 1e-3).with_limits(limits);
    euler.start(&mut stiff, 0.0, &[1.0], 1.002).unwrap();
    assert!(matches!(finish(&mut euler, &mut stiff), Err(StepError::NotFinite { .. })));
    let mut calm = system(1, |_, _, dy| dy[0] = 0.0);
    euler.start(&mut calm, 0.0, &[1.0], 1.002).unwrap();
    assert!(matches!(finish(&mut euler, &mut calm), Err(StepError::TooManySteps { .. })));
}

/// A derivative that changes at random has no error estimate that falls with h.
#[test]
fn exact_rejections_in_a_row() {
    let mut call = 0_u32;
    let mut noise = system(1, move |_, _, dy| {
        call += 1;
        dy[0] = if call.is_multiple_of(2) { 1e30 } else { -1e30 };
    });
    let limits = Limits { max_rejections: 7, ..Limits::default() };
    let mut stepper = Stepper::dop853(1, 1e-9).with_limits(Limits { first_step: Some(1.0), ..limits });
    stepper.start(&mut noise, 0.0, &[1.0], 1.0).unwrap();
    let error = stepper.step(&mut noise).unwrap_err();
    assert!(matches!(error, StepError::TooManyRejections { t: 0.0, in_a_row: 7, .. }), "{error:?}");
    assert_eq!(stepper.statistics().rejected_steps, 7);
    assert_eq!((stepper.t(), stepper.y()), (0.0, &[1.0][..]));

    // a stated smallest step ends it sooner
    let limits = Limits { min_step: 0.2, first_step: Some(1.0), ..limits };
    let mut stepper = Stepper::dop853(1, 1e-9).with_limits(limits);
    stepper.start(&mut noise, 0.0, &[1.0], 1.0).unwrap();
    let error = stepper.step(&mut noise).unwrap_err();
    assert!(matches!(error, StepError::StepTooSmall { t: 0.0, .. }), "{error:?}");
}

#[test]
fn exact_not_finite_at_the_start() {
    for mut stepper in every(2, 0.1) {
        let mut bad = system(2, |_, y, dy| dy.copy_from_slice(&[1.0, y[0].ln()]));
        let error = stepper.start(&mut bad, 0.5, &[0.0, 0.0], 1.0).unwrap_err();
        assert_eq!(error, StepError::NotFinite { t: 0.5, component: 1 });
        let error = stepper.start(&mut bad, 0.5, &[f64::NAN, 0.0], 1.0).unwrap_err();
        assert_eq!(error, StepError::NotFinite { t: 0.5, component: 0 });
    }
}

/// y' is a number up to t = 1 only: the run gets there, as close as steps allow, and says so.
#[test]
fn exact_not_finite_on_the_way() {
    let mut ends_at_one =
        system(2, |t, _, dy| dy.copy_from_slice(&[1.0, if t > 1.0 { f64::NAN } else { 1.0 }]));
    let mut stepper = Stepper::dop853(2, 1e-9);
    stepper.start(&mut ends_at_one, 0.0, &[0.0, 0.0], 2.0).unwrap();
    let error = finish(&mut stepper, &mut ends_at_one).unwrap_err();
    let StepError::NotFinite { t, component: 1 } = error else { panic!("{error:?}") };
    assert!(t > 1.0 && t < 1.0 + 1e-12);
    assert!((stepper.t() - 1.0).abs() < 1e-12 && (stepper.y()[1] - 1.0).abs() < 1e-12);
    assert!(stepper.statistics().derivative_evaluations < 5000);
    let mut y = [0.0; 2];
    stepper.interpolate(&mut ends_at_one, stepper.t(), &mut y).unwrap();
    assert_eq!(y, stepper.y());

    // where no step at all works, at the time where roundings set no floor
    let mut never = system(1, |t, _, dy| dy[0] = if t > 0.0 { f64::INFINITY } else { 1.0 });
    let mut stepper = Stepper::dop853(1, 1e-9);
    stepper.start(&mut never, 0.0, &[0.0], 1.0).unwrap();
    assert!(matches!(stepper.step(&mut never), Err(StepError::NotFinite { component: 0, .. })));

    let mut rk4 = Stepper::rk4(2, 0.3);
    rk4.start(&mut ends_at_one, 0.0, &[0.0, 0.0], 2.0).unwrap();
    let error = finish(&mut rk4, &mut ends_at_one).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { component: 1, .. }));
    assert!((rk4.t() - 0.9).abs() < 1e-15);
}

/// √(1 − y) beyond y = 1 is refused. A solution that stays below passes, after shorter trials.
#[test]
fn exact_refusals_are_retried_then_reported() {
    let mut refusals = 0;
    let mut bounded = fallible(1, |_, y, dy| {
        if y[0] > 1.0 {
            refusals += 1;
            return Err(Refused);
        }
        dy[0] = 1.0 - y[0];
        Ok(())
    });
    let limits = Limits { first_step: Some(50.0), ..Limits::default() };
    let mut stepper = Stepper::dop853(1, 1e-8).with_limits(limits);
    stepper.start(&mut bounded, 0.0, &[0.0], 5.0).unwrap();
    finish(&mut stepper, &mut bounded).unwrap();
    assert!((stepper.y()[0] - (1.0 - (-5.0_f64).exp())).abs() < 1e-7);
    assert!(refusals > 0);

    let mut wall = fallible(1, |_, y, dy| {
        dy[0] = 1.0;
        if y[0] > 1.0 { Err(Refused) } else { Ok(()) }
    });
    stepper.start(&mut wall, 0.0, &[0.0], 5.0).unwrap();
    let error = finish(&mut stepper, &mut wall).unwrap_err();
    let StepError::System { t, source: Refused } = error else { panic!("{error:?}") };
    assert!((t - 1.0).abs() < 1e-12 && (stepper.t() - 1.0).abs() < 1e-12);
    assert_eq!(
        stepper.start(&mut wall, 3.0, &[2.0], 5.0),
        Err(StepError::System { t: 3.0, source: Refused })
    );
    let mut euler = Stepper::euler(1, 0.4);
    euler.start(&mut wall, 0.0, &[0.0], 5.0).unwrap();
    assert!(matches!(finish(&mut euler, &mut wall), Err(StepError::System { .. })));
    assert_eq!(euler.y(), [0.8]);
}

#[test]
fn exact_given_step_below_rounding() {
    let mut rest = system(1, |_, _, dy| dy[0] = 0.0);
    let mut stepper = Stepper::rk4(1, 1e-15);
    stepper.start(&mut rest, 0.0, &[0.0], 10.0).unwrap();
    assert_eq!(stepper.step(&mut rest), Err(StepError::StepTooSmall { t: 0.0, h: 1e-15 }));
}

/// What holds for Dormand–Prince 8 holds for the others under error control: blow-up, NaN and refusals end the run at the right time.
#[test]
fn exact_failures_of_other_methods() {
    for mut stepper in [Stepper::dopri5(1, 1e-8), Stepper::radau5(1, 1e-8)] {
        let mut blow_up = system(1, |_, y, dy| dy[0] = y[0] * y[0]);
        stepper.start(&mut blow_up, 0.0, &[1.0], 2.0).unwrap();
        let error = finish(&mut stepper, &mut blow_up).unwrap_err();
        println!("blow-up: {error:?} {:?}", stepper.statistics());
        assert!((stepper.t() - 1.0).abs() < 1e-6 && stepper.y()[0].is_finite());
        assert!(stepper.statistics().derivative_evaluations < 20_000);

        let mut ends_at_one = system(1, |t, _, dy| dy[0] = if t > 1.0 { f64::NAN } else { 1.0 });
        stepper.start(&mut ends_at_one, 0.0, &[0.0], 2.0).unwrap();
        let error = finish(&mut stepper, &mut ends_at_one).unwrap_err();
        assert!(matches!(error, StepError::NotFinite { component: 0, .. }), "{error:?}");
        assert!((stepper.t() - 1.0).abs() < 1e-12 && (stepper.y()[0] - 1.0).abs() < 1e-12);
        assert!(stepper.statistics().derivative_evaluations < 5000);

        let mut wall = fallible(1, |_, y, dy| {
            dy[0] = 1.0;
            if y[0] > 1.0 { Err(Refused) } else { Ok(()) }
        });
        stepper.start(&mut wall, 0.0, &[0.0], 5.0).unwrap();
        let error = finish(&mut stepper, &mut wall).unwrap_err();
        let StepError::System { t, source: Refused } = error else { panic!("{error:?}") };
        assert!((t - 1.0).abs() < 1e-7 && (stepper.t() - 1.0).abs() < 1e-7, "{t}");
        assert!(stepper.y()[0] <= 1.0);
    }
}

/// A right-hand side without a derivative: Newton's method finds nothing, and says where.
#[test]
fn exact_equations_that_are_not_met() {
    let mut call = 0_u32;
    let mut noise = system(2, move |_, _, dy| {
        call += 1;
        dy.copy_from_slice(&[1.0, if call.is_multiple_of(2) { 1e30 } else { -1e30 }]);
    });
    let limits = Limits { max_rejections: 7, first_step: Some(1.0), ..Limits::default() };
    let mut stepper = Stepper::radau5(2, 1e-9).with_limits(limits);
    stepper.start(&mut noise, 0.0, &[1.0, 1.0], 1.0).unwrap();
    let error = stepper.step(&mut noise).unwrap_err();
    assert!(matches!(error, StepError::NotSolved { component: 1, .. }), "{error:?}");
    assert_eq!((stepper.t(), stepper.y()), (0.0, &[1.0, 1.0][..]));
    let mut stepper = Stepper::radau5(2, 1e-9).with_step(0.5);
    stepper.start(&mut noise, 0.0, &[1.0, 1.0], 1.0).unwrap();
    assert!(matches!(stepper.step(&mut noise), Err(StepError::NotSolved { component: 1, .. })));
}

/// y' = λ y with λ = γ/h: the real matrix of a given step is singular to the bit, and that is reported. Under error control
/// another step is found.
#[test]
fn exact_singular_newton_matrix() {
    use super::radau5_coefficients::GAMMA;
    let h = 0.25;
    // from y = 0 differences of a linear function are exact
    let mut growth = system(1, |_, y, dy| dy[0] = GAMMA / 0.25 * y[0]);
    let mut stepper = Stepper::radau5(1, 1e-9).with_step(h);
    stepper.start(&mut growth, 0.0, &[0.0], 1.0).unwrap();
    let error = stepper.step(&mut growth).unwrap_err();
    assert_eq!(error, StepError::NotSolved { t: h, iterations: 0, component: 0 });
    let limits = Limits { first_step: Some(h), ..Limits::default() };
    let mut stepper = Stepper::radau5(1, 1e-9).with_limits(limits);
    stepper.start(&mut growth, 0.0, &[0.0], 1.0).unwrap();
    finish(&mut stepper, &mut growth).unwrap();
    assert_eq!((stepper.t(), stepper.y()), (1.0, &[0.0][..]));
    assert!(stepper.statistics().rejected_steps > 0);
}
