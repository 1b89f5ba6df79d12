//! Forces, drivers and conditions that wake up late: an integrator must not step over them.

use crate::suite;
use linkwork::joints::Prismatic;

use linkwork::model::*;
use suite::{G, applicable, run, settings};

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// A block of 1 kg on a rail, at rest.
fn block() -> Model {
    Model::planar("block")
        .point("O", [0.0, 0.0])
        .point("P", [0.0, 0.0])
        .ground(["O"])
        .body(Body::with_inertia("block", ["P"], 1.0, [0.0; 3], Inertia::Polar(0.1)))
        .joint(Joint::between("rail", Prismatic { axis: Axis::X }, ["ground", "block"], ["O", "P"]))
        .settings(settings(3.0, 0.5, 1e-10))
}

fn pushed(force: &str) -> Model {
    let mut push = Force::new("push", "block", "P", [0.0, 0.0]);
    push.force[0] = formula(force);
    block().force(push)
}

/// 100 N for 10 ms, or as much in a triangle of 20 ms, after a second of rest: 1 m/s, with rows half a second apart.
#[test]
fn exact_late_pulses_are_seen() {
    let triangle =
        Table::new([1.0, 1.01, 1.02], [0.0, 100.0, 0.0], Interpolation::Linear, Extend::Hold).unwrap();
    let models = [
        pushed("if(t > 1 and t < 1.01, 100, 0)"),
        pushed("200 * (step(t, 1, 0, 1.005, 1) - step(t, 1.005, 0, 1.01, 1))"),
        pushed("hammer(t)").table("hammer", triangle),
    ];
    for model in models {
        for f in applicable(&model) {
            let settings = Settings { formulation: f, ..model.settings.clone() };
            let (mechanism, run) = run(&model.clone().settings(settings));
            let v = *run.column(&mechanism, "joint.rail.v").unwrap().last().unwrap();
            assert!((v - 1.0).abs() < 1e-8, "{f:?}: {v}");
        }
    }
}

/// A trolley that jerks after four seconds of rest, its load hanging still: nothing moves before, and all formulations agree after.
#[test]
fn cross_a_driver_that_starts_late() {
    let model = Model::planar("crane")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("T", [0.0, 0.0])
        .point("L", [0.0, -1.0])
        .ground(["O"])
        .body(Body::with_inertia("trolley", ["T"], 1.0, [0.0; 3], Inertia::Polar(0.1)))
        .body(Body::rod("load", ["T", "L"], 2.0))
        .joint(Joint::between("rail", Prismatic { axis: Axis::X }, ["ground", "trolley"], ["O", "T"]))
        .driver(Driver::joint("drive", "rail", formula("step5(t, 4, 0, 4.2, 0.3)")))
        .settings(settings(6.0, 0.1, 1e-11));
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let settings = Settings { formulation: f, ..model.settings.clone() };
        let (mechanism, run) = run(&model.clone().settings(settings));
        let swing = run.column(&mechanism, "joint.T.q").unwrap();
        assert!(run.summary.relative_energy_drift() < 1e-8, "{f:?}: {}", run.summary.relative_energy_drift());
        for (frame, swing) in run.frames.iter().zip(&swing) {
            assert!(frame.t > 4.0 || swing.abs() < 1e-12, "{f:?} at {}: {swing}", frame.t);
        }
        let largest = swing.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        assert!((0.2..1.0).contains(&largest), "{f:?}: {largest}");
        match &first {
            None => first = Some(swing),
            Some(first) => {
                let off = first.iter().zip(&swing).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                println!("{}: largest swing {largest:.4} rad, off by {off:.1e}", f.name());
                assert!(off < 1e-8, "{f:?}: {off}");
            }
        }
    }
}

/// A velocity that jumps is told; one that does not is not.
#[test]
fn exact_jumps_of_drivers_are_told() {
    let warnings = |value: &str| {
        let mechanism = block().driver(Driver::joint("d", "rail", formula(value))).assemble().unwrap();
        mechanism.warnings().iter().map(|w| w.message.clone()).collect::<Vec<_>>()
    };
    assert!(
        warnings("clamp(t, 0.5, 1)")
            .iter()
            .any(|w| w.contains("velocity jumps from 0.0000 to 1.0000 at t = 0.5"))
    );
    for smooth in ["step5(t, 1, 0, 2, 1)", "step(t, 1, 0, 2, 1)", "0.3 * sin(20 * t)", "t^2"] {
        assert!(warnings(smooth).is_empty(), "{smooth}: {:?}", warnings(smooth));
    }
}

/// A stop on a short triangle of time within long steps.
#[test]
fn exact_a_condition_of_time_is_met() {
    let mut model = block();
    let triangle =
        Table::new([1.0, 1.05, 1.1], [0.0, 1.0, 0.0], Interpolation::Linear, Extend::Hold).unwrap();
    model = model.table("p", triangle);
    model.settings.stop = vec![formula("p(t) > 0.5")];
    let (_, run) = run(&model);
    assert!((run.summary.t - 1.025).abs() < 1e-10, "{}", run.summary.t);
}

/// A body that turns through pitch 90° at a row keeps finite angles.
#[test]
fn keeps_going_through_the_upright_position() {
    let model = Model::spatial("gimbal")
        .point("A", [0.0; 3])
        .point("B", [0.2, 0.0, 0.0])
        .ground(["A"])
        .body(Body::with_inertia(
            "b",
            ["A", "B"],
            1.0,
            [0.0; 3],
            Inertia::Matrix([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]),
        ))
        .angular_velocity("b", [0.0, std::f64::consts::FRAC_PI_2, 0.0])
        .settings(settings(2.0, 0.5, 1e-10));
    for f in applicable(&model) {
        let settings = Settings { formulation: f, ..model.settings.clone() };
        let (mechanism, run) = run(&model.clone().settings(settings));
        let pitch = run.column(&mechanism, "joint.A.q2").unwrap();
        assert!((pitch[2] - std::f64::consts::FRAC_PI_2).abs() < 1e-6, "{f:?}: {pitch:?}");
    }
}

/// A condition that reads a spring without a free length, and a driver far from zero on an angle that others count as well.
#[test]
fn exact_what_is_settled_at_assembly_is_settled_for_all() {
    let pendulum = || {
        Model::planar("pendulum")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", [1.0, 0.0])
            .point("C", [1.0, 1.0])
            .ground(["A", "C"])
            .body(Body::rod("arm", ["A", "B"], 1.0))
            .settings(settings(1.0, 0.1, 1e-10))
    };
    let mut model = pendulum().spring(Spring::new("s", ["C", "B"], 20.0));
    model.settings.stop = vec![formula("spring.s.force > 1")];
    let (mechanism, result) = run(&model);
    let force = *result.column(&mechanism, "spring.s.force").unwrap().last().unwrap();
    assert!((force - 1.0).abs() < 1e-8, "{force}");
    let driven = pendulum().measure(Measure::new("turns", formula("joint.A.q / tau"))).driver(Driver::joint(
        "d",
        "A",
        formula("50 + t"),
    ));
    let (mechanism, result) = run(&driven);
    let q = result.column(&mechanism, "joint.A.q").unwrap();
    assert!((q[0] - 50.0).abs() < 1e-10 && (q[10] - 51.0).abs() < 1e-10, "{q:?}");
}
