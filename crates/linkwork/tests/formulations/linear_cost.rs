//! The cost of a step grows with the size of the mechanism, not faster; evaluating allocates nothing.

use linkwork::formulations::{Formulate, Points};
use linkwork::integrate::System;
use linkwork::joints::Revolute;
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::results::Frame;

/// Rods in a zig-zag.
fn chain(n: usize) -> Mechanism {
    let mut model = Model::planar("chain").gravity([0.0, -9.81]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 1..=n {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [0.08 * i as f64, if i % 2 == 1 { 0.06 } else { 0.0 }]);
        model = model.body(Body::rod(format!("rod{i}"), [&before, &point], 0.05));
    }
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

/// Cylinders in space, each hinged to the one before about its own axis.
fn hinges(n: usize) -> Mechanism {
    let mut model =
        Model::spatial("hinges").gravity([0.0, 0.0, -9.81]).point("P0", [0.0, 0.0, 0.0]).ground(["P0"]);
    for i in 1..=n {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [i as f64, (i % 2) as f64, 0.0]);
        let shape = Shape::Cylinder { radius: 0.1, length: None, pose: Orientation::default() };
        let mass = Mass::Shape(shape, Amount::Mass(1.0));
        model = model.body(Body::new(format!("b{i}"), [&before, &point], mass));
        let first = if i == 1 { "ground".to_owned() } else { format!("b{}", i - 1) };
        let axis = Some(Axis::Vector([0.0, (i % 3) as f64, 1.0]));
        let joint = Joint::new(format!("J{i}"), Revolute { axis }, [&first, &format!("b{i}")], &before);
        model = model.joint(joint);
    }
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

/// Squares with both diagonals: a loop and a rod too many in each.
fn squares(n: usize) -> Mechanism {
    let mut model = Model::planar("squares").gravity([0.0, -9.81]).ground(["A0"]);
    for i in 0..=n {
        let [a, b] = ["A", "B"].map(|name| format!("{name}{i}"));
        model = model.point(&a, [i as f64, 0.0]).point(&b, [i as f64, 1.0]);
        model = model.body(Body::rod(format!("v{i}"), [&a, &b], 1.0));
        if i > 0 {
            let [c, d] = ["A", "B"].map(|name| format!("{name}{}", i - 1));
            for (name, ends) in [("a", [&c, &a]), ("b", [&d, &b]), ("c", [&c, &b]), ("d", [&d, &a])] {
                model = model.body(Body::rod(format!("{name}{i}"), ends.map(String::as_str), 1.0));
            }
        }
    }
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

/// Entries of the factor per body: what a factorisation and a solve go through.
#[test]
fn keeps_the_factor_linear() {
    type Family = (&'static str, fn(usize) -> Mechanism);
    let families: [Family; 3] = [("chain", chain), ("hinges", hinges), ("squares", squares)];
    for (name, family) in families {
        let [small, large] = [10, 1000].map(|n| {
            let mechanism = family(n);
            let points = Points::new(&mechanism).unwrap();
            points.factor_entries() as f64 / n as f64
        });
        println!("{name}: {small:.1} entries of the factor per item of 10, {large:.1} of 1000");
        assert!(large < 3.0 * small, "{name}");
    }
}

fn spring_and_couple() -> Mechanism {
    let model = Model::planar("loop")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [2.0, 2.0])
        .point("D", [2.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5))
        .spring(Spring::new("s", ["A", "C"], 10.0).damping(1.0))
        .couple(Couple::new("c", "crank", [0.0, 0.0, 1.0]));
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn keeps_evaluation_and_projection_to_their_buffers() {
    for mechanism in [chain(20), hinges(5), squares(5), spring_and_couple()] {
        let mut points = Points::new(&mechanism).unwrap();
        let mut y = points.start();
        let mut dy = y.clone();
        let mut frame = Frame::new(&mechanism);
        points.observe(0.0, &y, &mut frame).unwrap(); // buffers that grow to their size at the first use
        let counted = allocation_counter::measure(|| {
            for k in 0..20 {
                points.derivative(0.0, &y, &mut dy).unwrap();
                for (y, dy) in y.iter_mut().zip(&dy) {
                    *y += 1e-3 * dy; // off the constraints, so that there is something to project
                }
                points.project(1e-3 * f64::from(k), &mut y, &mut dy).unwrap();
            }
        });
        assert_eq!(counted.count_total, 0, "{}", mechanism.model().name);
        assert!(points.counters().projection_steps > 0);
        let counted = allocation_counter::measure(|| points.observe(0.02, &y, &mut frame).unwrap());
        assert_eq!(counted.count_total, 0, "observation of {}", mechanism.model().name);
    }
}
