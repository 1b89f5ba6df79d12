//! Stepping and interpolating allocate nothing.

use linkwork::integrate::{Stepper, System};
use std::convert::Infallible;

struct Oscillators;
impl System for Oscillators {
    type Error = Infallible;
    fn dimension(&self) -> usize {
        20
    }
    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        for i in 0..10 {
            dy[2 * i] = y[2 * i + 1];
            dy[2 * i + 1] = -(1.0 + i as f64) * y[2 * i];
        }
        Ok(())
    }
}

#[test]
fn keeps_to_its_buffers() {
    let y0 = [1.0; 20];
    let mut y = [0.0; 20];
    for mut stepper in [
        Stepper::dop853(20, 1e-9),
        Stepper::dopri5(20, 1e-9),
        Stepper::radau5(20, 1e-9),
        Stepper::rk4(20, 0.01),
        Stepper::euler(20, 0.01),
        Stepper::semi_implicit_euler(20, 0.01),
    ] {
        let counted = allocation_counter::measure(|| {
            stepper.start(&mut Oscillators, 0.0, &y0, 5.0).unwrap();
            while !stepper.is_finished() {
                stepper.step(&mut Oscillators).unwrap();
                let middle = 0.5 * (stepper.t_old() + stepper.t());
                stepper.interpolate(&mut Oscillators, middle, &mut y).unwrap();
            }
            stepper.set_end(6.0);
            stepper.restart(&mut Oscillators, 5.5, &y0).unwrap();
            stepper.step(&mut Oscillators).unwrap();
        });
        assert_eq!(counted.count_total, 0);
        assert!(stepper.statistics().accepted_steps > 10);
    }
    // the counter counts
    let mut made = None;
    assert!(allocation_counter::measure(|| made = Some(Stepper::euler(20, 0.1))).count_total > 0);
}
