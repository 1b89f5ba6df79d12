//! Stepping and interpolating allocate nothing.

use linkwork::formulations::{Formulate, Points};
use linkwork::integrate::{Stepper, System};
use linkwork::model::{Body, Driver, Formula, Model, Spring};
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

/// Methods on the mechanics of a system learn its sizes in their first step, and how stiff it is; after that nothing allocates.
#[test]
fn keeps_to_its_buffers_after_a_step_on_mechanics() {
    let model = Model::planar("driven five-bar")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 0.6])
        .point("C", [1.0, 1.5])
        .point("D", [2.0, 1.0])
        .point("E", [2.0, 0.0])
        .ground(["A", "E"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("left", ["B", "C"], 1.2))
        .body(Body::rod("right", ["C", "D"], 1.1))
        .body(Body::rod("rocker", ["D", "E"], 1.5))
        .spring(Spring::new("brace", ["A", "C"], 6e4).damping(400.0))
        .driver(Driver::joint("motor", "A", Formula::parse("0.4*sin(3*t) - 0.5*t").unwrap()));
    let mechanism = model.assemble().unwrap();
    let mut points = Points::new(&mechanism).unwrap();
    let (n, y0) = (points.dimension(), points.start());
    let mut y = vec![0.0; n];
    let steppers = [Stepper::index3, Stepper::rattle, Stepper::rattle4].map(|make| make(n, 0.01));
    for mut stepper in steppers.into_iter().chain([Stepper::generalized_alpha(n, 0.01, 0.5)]) {
        stepper.start(&mut points, 0.0, &y0, 0.5).unwrap();
        for _ in 0..5 {
            stepper.step(&mut points).unwrap();
        }
        let counted = allocation_counter::measure(|| {
            while !stepper.is_finished() {
                stepper.step(&mut points).unwrap();
                let middle = 0.5 * (stepper.t_old() + stepper.t());
                stepper.interpolate(&mut points, middle, &mut y).unwrap();
            }
        });
        assert_eq!(counted.count_total, 0);
    }
}

/// Loops of rods: with error control, by series and by given steps, nothing allocates once the first steps have learned the sizes.
#[test]
fn keeps_to_its_buffers_in_closed_loops() {
    let mut model = Model::planar("parallelograms").gravity([0.0, -9.81]);
    for i in 0..=5 {
        model = model.point(format!("P{i}"), [i as f64, 0.0]).point(format!("Q{i}"), [i as f64, 1.0]);
    }
    model = model.ground((0..=5).map(|i| format!("P{i}")));
    for i in 0..=5 {
        let (p, q) = (format!("P{i}"), format!("Q{i}"));
        model = model.body(Body::rod(format!("upright{i}"), [&p, &q], 1.0)).velocity(&q, [1.0, 0.0]);
        if i > 0 {
            model = model.body(Body::rod(format!("coupler{i}"), [&format!("Q{}", i - 1), &q], 1.0));
        }
    }
    let mechanism = model.assemble().unwrap();
    let mut points = Points::new(&mechanism).unwrap();
    points.begin_series(12).unwrap();
    let (n, y0) = (points.dimension(), points.start());
    let mut y = vec![0.0; n];
    for mut stepper in [Stepper::dop853(n, 1e-8), Stepper::taylor(n, 1e-8, 12), Stepper::index3(n, 0.01)] {
        stepper.start(&mut points, 0.0, &y0, 2.0).unwrap();
        for _ in 0..2 {
            stepper.step(&mut points).unwrap();
        }
        let counted = allocation_counter::measure(|| {
            while !stepper.is_finished() {
                stepper.step(&mut points).unwrap();
                let middle = 0.5 * (stepper.t_old() + stepper.t());
                stepper.interpolate(&mut points, middle, &mut y).unwrap();
            }
        });
        assert_eq!(counted.count_total, 0);
        assert!(stepper.statistics().accepted_steps > 10);
    }
}
