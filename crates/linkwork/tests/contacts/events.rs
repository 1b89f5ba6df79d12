//! Events: impacts on limits, locks, conditions that end a run. Closed forms, balances, agreement of formulations.

use crate::suite;
use linkwork::joints::{Fixed, Prismatic, Revolute};

use linkwork::mechanism::Mechanism;
use linkwork::model::{Axis, Body, Formula, Joint, Lock, Mass, Model, Place, Settings};
use linkwork::simulation::{EventKind, Trajectory};
use suite::{G, applicable, run, settings};

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// A block of 2 kg that falls along a rail from 1 m.
fn falling_block(restitution: f64) -> Model {
    Model::planar("falling block")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [0.0, 1.0])
        .point("Q", [0.1, 1.0])
        .ground(["O"])
        .body(Body::rod("block", ["P", "Q"], 2.0))
        .joint(
            Joint::between("rail", Prismatic { axis: Axis::Y }, ["ground", "block"], ["O", "P"])
                .impact_limit([0.0, 20.0], restitution),
        )
}

/// Two rods of 1 m and 0.7 m, 2 kg and 1.2 kg; the first swings about A.
fn double_pendulum() -> Model {
    Model::planar("double pendulum")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.8, -0.6])
        .point("C", [1.5, -0.6])
        .ground(["A"])
        .body(Body::rod("upper", ["A", "B"], 2.0))
        .body(Body::rod("lower", ["B", "C"], 1.2))
        .angular_velocity("upper", [0.0, 0.0, 1.5])
        .angular_velocity("lower", [0.0, 0.0, -4.0])
}

/// Position, velocity and reaction at the end.
fn end(run: &Trajectory) -> Vec<f64> {
    let last = run.frames.last().unwrap();
    let vectors = last.positions.iter().chain(&last.velocities);
    vectors.flatten().copied().collect()
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

/// Angular momentum of two rods about the origin.
fn momentum(mechanism: &Mechanism, frame: &linkwork::results::Frame) -> f64 {
    let mut sum = 0.0;
    for (body, m) in mechanism.bodies().iter().zip(&frame.motions) {
        let p = &body.particles.properties;
        sum += p.mass * (m.c[0] * m.v[1] - m.c[1] * m.v[0]) + p.inertia_about_com[2][2] * m.w[2];
    }
    sum
}

/// t_n = t_1 + 2 v/g (e + … + eⁿ⁻¹): every impact of an elastic and of a lossy block, in every formulation.
#[test]
fn exact_times_of_bounces() {
    for restitution in [1.0, 0.8] {
        let model = falling_block(restitution);
        for f in applicable(&model) {
            let (_, run) =
                run(&model.clone().settings(Settings { formulation: f, ..settings(3.0, 0.05, 1e-11) }));
            let (speed, mut t) = ((2.0 * G).sqrt(), (2.0 / G).sqrt());
            let mut worst: f64 = 0.0;
            assert!(run.summary.events.len() >= 3);
            for (n, event) in run.summary.events.iter().enumerate() {
                assert_eq!(event.kind, EventKind::Impact);
                worst = worst.max((event.t - t).abs());
                let before = speed * restitution.powi(n as i32);
                let impulse = 2.0 * before * (1.0 + restitution);
                assert!((event.impulse - impulse).abs() < 1e-9, "{f:?}: {} {impulse}", event.impulse);
                let lost = before * before * (restitution * restitution - 1.0);
                assert!((event.energy - lost).abs() < 1e-9, "{f:?}: {} {lost}", event.energy);
                t += 2.0 * before * restitution / G;
            }
            assert!(t > 3.0, "{f:?}: an impact is missing");
            println!(
                "{}, e = {restitution}: {} impacts, off by {worst:.1e} s",
                f.name(),
                run.summary.events.len()
            );
            assert!(worst < 1e-11, "{f:?}: {worst}");
            assert!(run.summary.energy_drift < 1e-10, "{f:?}: {}", run.summary.energy_drift);
            if restitution == 1.0 {
                assert!(run.frames.iter().all(|frame| frame.work.abs() < 1e-9));
            }
        }
    }
}

/// With e = 0.5 all bounces take t_1 (1 + e)/(1 − e); then the block lies still and the limit carries its weight.
#[test]
fn exact_comes_to_rest_in_finite_time() {
    for restitution in [0.0, 0.5, 0.9] {
        let model = falling_block(restitution);
        for f in applicable(&model) {
            let duration = 12.0;
            let settings = Settings { formulation: f, ..settings(duration, 0.5, 1e-11) };
            let (mechanism, run) = run(&model.clone().settings(settings));
            let rest = run.summary.events.last().unwrap();
            assert_eq!(rest.kind, EventKind::Rest, "{f:?}");
            let exact = (2.0 / G).sqrt() * (1.0 + restitution) / (1.0 - restitution);
            println!(
                "{}, e = {restitution}: at rest after {} bounces, {:.1e} s early, {} steps, energy {:.1e}",
                f.name(),
                run.summary.events.len() - 1,
                exact - rest.t,
                run.summary.steps.accepted_steps,
                run.summary.energy_drift
            );
            // the flights that are left out are shorter than 2 √(2 h/g) with h = 1e-13 of the size, and follow each other by e
            assert!((exact - rest.t).abs() < 1e-6 / (1.0 - restitution), "{f:?}");
            let force = run.column(&mechanism, "limit.rail.force").unwrap();
            let q = run.column(&mechanism, "joint.rail.q").unwrap();
            let (last, count) = (run.frames.len() - 1, run.frames.len());
            assert!(run.frames[last].t == duration && count > 24);
            assert!((force[last] - 2.0 * G).abs() < 1e-10 && q[last].abs() < 1e-12, "{f:?}");
            assert_eq!(force[0], 0.0);
            assert!(run.summary.energy_drift < 1e-10, "{f:?}");
        }
    }
}

/// A block lying on its limit from the start stays; pulled up by a growing force it lifts off when that exceeds its weight.
#[test]
fn exact_lifts_off_when_pulled() {
    let spring = linkwork::model::Spring::new("lifter", ["P", "H"], 40.0).free_length(1.0);
    let model = falling_block(0.3).point("H", [0.0, 1.0]).point("R", [0.3, 1.0]);
    let model = Model {
        points: model
            .points
            .iter()
            .map(|p| match p.name.as_str() {
                "P" => linkwork::model::Point { position: [0.0, 0.0, 0.0], ..p.clone() },
                "Q" => linkwork::model::Point { position: [0.1, 0.0, 0.0], ..p.clone() },
                _ => p.clone(),
            })
            .collect(),
        ..model
    };
    // the hook rises by 0.4 m/s: the spring lifts at 40 (0.4 t) = 2 g
    let model = model
        .body(Body::rod("hook", ["H", "R"], 1.0))
        .joint(Joint::between("hoist", Prismatic { axis: Axis::Y }, ["ground", "hook"], ["O", "H"]))
        .driver(linkwork::model::Driver::joint("hoist", "hoist", formula("1 + 0.4*t")))
        .spring(spring);
    let exact = 2.0 * G / 16.0;
    for f in applicable(&model) {
        let (mechanism, run) =
            run(&model.clone().settings(Settings { formulation: f, ..settings(2.0, 0.1, 1e-11) }));
        let kinds: Vec<_> = run.summary.events.iter().map(|e| e.kind).collect();
        assert_eq!(kinds, [EventKind::Rest, EventKind::Lift], "{f:?}");
        let lift = &run.summary.events[1];
        println!(
            "{}: lifts off {:.1e} s off, energy {:.1e}",
            f.name(),
            lift.t - exact,
            run.summary.energy_drift
        );
        assert!((lift.t - exact).abs() < 1e-10, "{f:?}: {}", lift.t);
        // then it swings: m ẍ = k (0.4 τ − x), x = 0.4 (τ − sin ωτ / ω)
        let (tau, w) = (2.0 - exact, 20f64.sqrt());
        let q = run.column(&mechanism, "joint.rail.q").unwrap();
        let x = 0.4 * (tau - (w * tau).sin() / w);
        assert!((q.last().unwrap() - x).abs() < 1e-9, "{f:?}: {} {x}", q.last().unwrap());
    }
}

/// Locking the elbow of a double pendulum keeps the angular momentum about A, and the energy falls to L²/2J + V; then it swings as
/// one rigid body.
#[test]
fn exact_locked_elbow() {
    let model = double_pendulum().lock(Lock::joint("elbow", "B").from(0.4));
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let all = Settings { formulation: f, ..settings(1.5, 0.1, 1e-12) };
        let (mechanism, swung) = run(&model.clone().settings(all.clone()));
        assert_eq!(mechanism.degrees_of_freedom(), 2, "an open lock binds nothing");
        assert_eq!(mechanism.redundancy().count, 0);
        let at = swung.frames.iter().position(|frame| frame.t == 0.4).unwrap();
        let (before, after) = (&swung.frames[at], &swung.frames[at + 1]);
        assert_eq!(after.t, 0.4);
        assert_eq!(swung.frames.len(), 17, "one row more than without the lock");
        let [l0, l1] = [before, after].map(|frame| momentum(&mechanism, frame));
        assert!((l0 - l1).abs() < 1e-12 * l0.abs(), "{f:?}: {l0} {l1}");
        let inertia: f64 = mechanism
            .bodies()
            .iter()
            .zip(&after.motions)
            .map(|(body, m)| {
                let p = &body.particles.properties;
                p.mass * (m.c[0] * m.c[0] + m.c[1] * m.c[1]) + p.inertia_about_com[2][2]
            })
            .sum();
        let kinetic = 0.5 * l0 * l0 / inertia;
        let lost = swung.summary.events[0].energy;
        assert!((after.kinetic - kinetic).abs() < 1e-12 * kinetic, "{f:?}: {} {kinetic}", after.kinetic);
        assert!((lost - (kinetic - before.kinetic)).abs() < 1e-11 && lost < -0.1, "{f:?}: {lost}");
        assert!(
            after.motions[0].w[2] == after.motions[1].w[2]
                || (after.motions[0].w[2] - after.motions[1].w[2]).abs() < 1e-12
        );
        assert!(swung.summary.energy_drift < 1e-9, "{f:?}: {}", swung.summary.energy_drift);
        let locked = swung.column(&mechanism, "lock.elbow.locked").unwrap();
        let torque = swung.column(&mechanism, "lock.elbow.torque").unwrap();
        assert_eq!((locked[at], locked[at + 1], torque[at]), (0.0, 1.0, 0.0));
        assert!(torque[at + 2].abs() > 0.1);

        // one rigid body of three points, started there
        let place = |i: usize| [after.positions[i][0], after.positions[i][1]];
        let welded = Model::planar("welded")
            .gravity([0.0, -G])
            .point("A", place(0))
            .point("B", place(1))
            .point("C", place(2))
            .ground(["A"])
            .body(Body::rod("upper", ["A", "B"], 2.0))
            .body(Body::rod("lower", ["B", "C"], 1.2))
            .joint(Joint::new("B", Fixed, ["upper", "lower"], "B"))
            .angular_velocity("upper", after.motions[0].w)
            .settings(settings(1.1, 0.1, 1e-12));
        let (_, swings) = run(&welded);
        let apart = off(&end(&swung), &end(&swings));
        println!("{}: {apart:.1e} from the welded one, energy {:.1e}", f.name(), swung.summary.energy_drift);
        assert!(apart < 1e-10, "{f:?}: {apart}");
        match &first {
            None => first = Some(end(&swung)),
            Some(first) => assert!(off(first, &end(&swung)) < 1e-10, "{f:?}"),
        }
    }
}

/// A lock that is closed at the start takes a degree of freedom away, holds, and gives it back.
#[test]
fn keeps_locked_and_gives_free() {
    let mut model = double_pendulum().lock(Lock::joint("elbow", "B").until(0.5));
    model.initial.angular_velocities.pop();
    for f in applicable(&model) {
        let (mechanism, run) =
            run(&model.clone().settings(Settings { formulation: f, ..settings(1.0, 0.1, 1e-11) }));
        assert_eq!(mechanism.degrees_of_freedom(), 1);
        assert_eq!(mechanism.redundancy().count, 0);
        let q = run.column(&mechanism, "joint.B.q").unwrap();
        let locked = run.column(&mechanism, "lock.elbow.locked").unwrap();
        for (frame, (q, locked)) in run.frames.iter().zip(q.iter().zip(&locked)) {
            if *locked == 1.0 {
                assert!(q.abs() < 1e-12, "{f:?} {}: {q}", frame.t);
            }
        }
        assert_eq!((locked[0], *locked.last().unwrap()), (1.0, 0.0));
        assert!(q.last().unwrap().abs() > 0.05, "{f:?}: it moves again: {:?}", q.last());
        let (drift, work) = (run.summary.energy_drift, run.frames.last().unwrap().work);
        println!("{}: energy {drift:.1e}, work {work:.1e}", f.name());
        assert!(drift < 1e-9 && work.abs() < 1e-10, "{f:?}");
    }
}

/// An elbow that is locked and freed again and again by conditions: all formulations find the same motion.
#[test]
fn cross_repeated_locks() {
    let model = double_pendulum().lock(
        Lock::joint("elbow", "B")
            .when(formula("joint.B.v < -3"))
            .release(formula("joint.A.v < -0.5 and joint.A.q < 0.2")),
    );
    let mut first: Option<(Vec<f64>, Vec<f64>)> = None;
    for f in applicable(&model) {
        let (_, run) = run(&model.clone().settings(Settings { formulation: f, ..settings(4.0, 0.1, 1e-12) }));
        let times: Vec<f64> = run.summary.events.iter().map(|e| e.t).collect();
        println!(
            "{}: {} events, energy {:.1e}, {times:.3?}",
            f.name(),
            times.len(),
            run.summary.energy_drift
        );
        assert!(times.len() >= 4, "{f:?}");
        assert!(run.summary.energy_drift < 1e-9);
        match &first {
            None => first = Some((times, end(&run))),
            Some((t, y)) => {
                assert_eq!(t.len(), times.len());
                let (t, y) = (off(t, &times), off(y, &end(&run)));
                println!("  times differ by {t:.1e} s, ends by {y:.1e}");
                assert!(t < 1e-9 && y < 1e-9, "{f:?}: {t} {y}");
            }
        }
    }
}

/// A pendulum on a long arm with a small swing has no closed form; a rotor has: θ = ω t, stopped where its tip crosses a height.
#[test]
fn exact_stop_at_a_crossing() {
    let model = Model::planar("rotor")
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .body(Body::rod("arm", ["A", "B"], 1.0))
        .angular_velocity("arm", [0.0, 0.0, 2.0])
        .measure(linkwork::model::Measure::new("height", formula("point.B.y")));
    // true at the start, so it has to become false first: the second one ends the run
    let stops = vec![formula("point.B.x > 0.999"), formula("height < -0.6")];
    let exact = (std::f64::consts::PI + 0.6f64.asin()) / 2.0;
    for f in applicable(&model) {
        let settings = Settings { formulation: f, stop: stops.clone(), ..settings(10.0, 0.1, 1e-11) };
        let (mechanism, run) = run(&model.clone().settings(settings));
        let (text, t) = run.summary.stopped_by().unwrap();
        println!("{}: stops {:.1e} s off", f.name(), t - exact);
        assert_eq!(text, "height < -0.6");
        assert!((t - exact).abs() < 1e-11, "{f:?}: {}", t - exact);
        assert_eq!((run.summary.t, run.frames.last().unwrap().t), (t, t));
        let height = run.column(&mechanism, "measure.height").unwrap();
        assert!((height.last().unwrap() + 0.6).abs() < 1e-11);
    }
}

/// A pendulum released from the horizontal: the pull in its pin is 5/2 m g sin, so it reaches 2 m g where sin = 4/5. A condition on a
/// reaction, and one that is true for a moment only.
#[test]
fn exact_stop_at_a_reaction_and_in_a_flash() {
    let model = Model::planar("pendulum")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .body(Body::rod("arm", ["A", "B"], 1.0));
    // along the rod: m g sin + m (3 g sin / l) l/2 = 5/2 m g sin θ
    let pull = "joint.A.force.y*sin(-joint.A.q) - joint.A.force.x*cos(joint.A.q)";
    for f in applicable(&model) {
        let stop = vec![formula(&format!("{pull} > {}", 2.0 * G))];
        let settings_ = Settings { formulation: f, stop, ..settings(10.0, 0.1, 1e-12) };
        let (_, run_) = run(&model.clone().settings(settings_));
        let angle = run_.frames.last().unwrap().joints[0][0].q;
        println!("{}: stops {:.1e} rad off", f.name(), -angle - 0.8f64.asin());
        assert!((-angle - 0.8f64.asin()).abs() < 1e-10, "{f:?}: {angle}");

        // at the lowest point for less than 1e-4 of a swing: B.y < −1 + 1e-7
        let stop = vec![formula("point.B.y < -0.9999999")];
        let settings_ = Settings { formulation: f, stop, ..settings(10.0, 0.1, 1e-9) };
        let (_, run_) = run(&model.clone().settings(settings_));
        let (_, t) = run_.summary.stopped_by().expect("it was caught");
        assert!(t < 1.0, "{f:?}: in the first swing, not at {t}");
    }
}

/// Two blocks that strike their limits at the same instant, and a bar in space between two stops: all formulations agree.
#[test]
fn cross_limits_in_space() {
    let model = Model::spatial("gate")
        .gravity([0.0, 0.0, -G])
        .point("A", [0.0, 0.0, 0.0])
        .point("B", [0.0, 0.3, 1.0])
        .point("C", [1.0, 0.0, 0.2])
        .point("D", [1.4, 0.4, 0.9])
        .ground(["A", "B"])
        .body(Body {
            name: "gate".into(),
            points: vec!["A".into(), "B".into(), "C".into()],
            mass: Mass::Given {
                mass: 5.0,
                com: Place::At([0.5, 0.1, 0.3]),
                inertia: linkwork::model::Inertia::Matrix([0.4, 0.5, 0.6, 0.0, 0.02, 0.0]),
            },
            mass_law: None,
            length: None,
            present: true,
            primary: vec![],
            color: None,
            visible: true,
        })
        .body(Body::rod("flap", ["C", "D"], 0.7))
        .joint(
            Joint::new(
                "hinge",
                Revolute { axis: Some(Axis::Points("A".into(), "B".into())) },
                ["ground", "gate"],
                "A",
            )
            .impact_limit([-0.4, 0.7], 0.6),
        )
        .angular_velocity("gate", [0.0, 2.0 * 0.3 / 1.09_f64.sqrt(), 2.0 / 1.09_f64.sqrt()]);
    let mut first: Option<(Vec<f64>, Vec<f64>)> = None;
    for f in applicable(&model) {
        let (_, run) = run(&model.clone().settings(Settings { formulation: f, ..settings(1.5, 0.1, 1e-12) }));
        let times: Vec<f64> = run.summary.events.iter().map(|e| e.t).collect();
        println!("{}: {times:.4?}, energy {:.1e}", f.name(), run.summary.energy_drift);
        assert!(times.len() >= 2 && run.summary.energy_drift < 1e-9);
        match &first {
            None => first = Some((times, end(&run))),
            Some((t, y)) => {
                assert_eq!(t.len(), times.len());
                assert!(
                    off(t, &times) < 1e-9 && off(y, &end(&run)) < 1e-8,
                    "{f:?}: {} {}",
                    off(t, &times),
                    off(y, &end(&run))
                );
            }
        }
    }
}

/// A four-bar linkage whose crank swings between stops: bounces without loss keep the energy, and all formulations agree.
#[test]
fn keeps_energy_of_a_linkage_between_stops() {
    let model = suite::planar_four_bar().angular_velocity("crank", [0.0, 0.0, 1.5]).joint(
        Joint::new("A", Revolute { axis: None }, ["ground", "crank"], "A").impact_limit([-0.5, 0.3], 1.0),
    );
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let (mechanism, run) =
            run(&model.clone().settings(Settings { formulation: f, ..settings(1.5, 0.1, 1e-12) }));
        let impacts = run.summary.events.len();
        println!("{}: {impacts} impacts, energy {:.1e}", f.name(), run.summary.energy_drift);
        assert!(impacts >= 2 && run.summary.energy_drift < 1e-10, "{f:?}");
        let energy = |i: usize| run.frames[i].energy() - run.frames[0].energy();
        assert!((0..run.frames.len()).all(|i| energy(i).abs() < 1e-10), "{f:?}");
        let q = run.column(&mechanism, "joint.A.q").unwrap();
        assert!(q.iter().all(|q| (-0.5 - 1e-11..0.3 + 1e-11).contains(q)), "{f:?}: {q:?}");
        match &first {
            None => first = Some(end(&run)),
            Some(first) => assert!(off(first, &end(&run)) < 1e-8, "{f:?}: {}", off(first, &end(&run))),
        }
    }
}

/// A ball joint in space locks in all three coordinates: with the ground's pin through A the momentum about A is kept in the jump.
#[test]
fn cross_locked_ball_joint() {
    let body = |name: &str, points: [&str; 2], com: [f64; 3]| Body {
        name: name.into(),
        points: points.map(String::from).to_vec(),
        mass: Mass::Given {
            mass: 2.0,
            com: Place::At(com),
            inertia: linkwork::model::Inertia::Matrix([0.1, 0.2, 0.15, 0.01, 0.0, 0.02]),
        },
        mass_law: None,
        length: None,
        present: true,
        primary: vec![],
        color: None,
        visible: true,
    };
    let model = Model::spatial("two bodies on ball joints")
        .gravity([0.0, 0.0, -G])
        .point("A", [0.0, 0.0, 0.0])
        .point("B", [0.6, 0.2, -0.3])
        .point("C", [1.2, 0.1, 0.1])
        .ground(["A"])
        .body(body("upper", ["A", "B"], [0.3, 0.0, -0.1]))
        .body(body("lower", ["B", "C"], [0.9, 0.2, 0.0]))
        .angular_velocity("upper", [0.5, -1.0, 2.0])
        .angular_velocity("lower", [-2.0, 1.0, 0.3])
        .lock(Lock::joint("grip", "B").when(formula("t > 0.2")).until(0.7));
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let (mechanism, run) =
            run(&model.clone().settings(Settings { formulation: f, ..settings(1.0, 0.1, 1e-12) }));
        let events: Vec<_> = run.summary.events.iter().map(|e| (e.kind, e.coordinate)).collect();
        let lock = |n| (EventKind::Lock, Some(n));
        assert_eq!(events, [lock(1), lock(2), lock(3), (EventKind::Release, Some(1))], "{f:?}");
        assert!((run.summary.events[0].t - 0.2).abs() < 1e-15);
        assert_eq!(run.summary.events[3].t, 0.7);
        for row in run.frames.windows(2).filter(|rows| rows[0].t == rows[1].t) {
            let [a, b] = [0, 1].map(|i| {
                let mut sum = [0.0; 3];
                for (body, m) in mechanism.bodies().iter().zip(&row[i].motions) {
                    let p = &body.particles.properties;
                    let (c, v) = (m.c, m.v);
                    let spin: Vec<f64> =
                        (0..3).map(|r| (0..3).map(|s| m.turned[s][r] * m.w[s]).sum::<f64>()).collect();
                    let own: Vec<f64> =
                        (0..3).map(|r| (0..3).map(|s| p.inertia_about_com[r][s] * spin[s]).sum()).collect();
                    for (r, sum) in sum.iter_mut().enumerate() {
                        let (s, t) = ((r + 1) % 3, (r + 2) % 3);
                        *sum += p.mass * (c[s] * v[t] - c[t] * v[s])
                            + (0..3).map(|k| m.turned[r][k] * own[k]).sum::<f64>();
                    }
                }
                sum
            });
            assert!(off(&a, &b) < 1e-12, "{f:?}: {a:?} {b:?}");
        }
        println!("{}: energy {:.1e}", f.name(), run.summary.energy_drift);
        assert!(run.summary.energy_drift < 1e-9, "{f:?}");
        match &first {
            None => first = Some(end(&run)),
            Some(first) => assert!(off(first, &end(&run)) < 1e-9, "{f:?}: {}", off(first, &end(&run))),
        }
    }
}

/// With fixed steps events are located on the cubic between steps, and steps are counted from there.
#[test]
fn exact_events_between_fixed_steps() {
    use linkwork::model::Integrator;
    let model = falling_block(0.5);
    for integrator in [Integrator::Rk4, Integrator::Euler, Integrator::SemiImplicitEuler] {
        let base = settings(3.0, 0.1, 1e-11);
        let (mechanism, run) =
            run(&model.clone().settings(Settings { integrator, step: Some(0.001), ..base }));
        let (first, last) = (&run.summary.events[0], run.summary.events.last().unwrap());
        let (fall, allowed) = ((2.0 / G).sqrt(), if integrator == Integrator::Rk4 { 1e-6 } else { 1e-2 });
        println!("{}: {} events", integrator.name(), run.summary.events.len());
        assert!((first.t - fall).abs() < allowed);
        assert!(last.kind == EventKind::Rest && (last.t - 3.0 * fall).abs() < 10.0 * allowed, "{last:?}");
        assert!(run.column(&mechanism, "limit.rail.force").unwrap().last().unwrap() > &19.0);
    }
}

/// What cannot be is told: a lock against a driver, a condition without a value.
#[test]
fn exact_failures_name_what_is_wrong() {
    use linkwork::simulation::Status;
    let pendulum = Model::planar("driven")
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .body(Body::rod("arm", ["A", "B"], 2.0))
        .driver(linkwork::model::Driver::joint("motor", "A", formula("3*t")))
        .settings(settings(1.0, 0.1, 1e-10));
    let failure = |model: &Model| {
        let summary = model.assemble().unwrap().simulate().unwrap().summary;
        let Status::Failed(failure) = summary.status else { panic!("{:?}", summary.status) };
        (failure.code, failure.message, failure.t)
    };
    for f in applicable(&pendulum) {
        let base = Settings { formulation: f, ..pendulum.settings.clone() };
        let locked = pendulum.clone().lock(Lock::joint("brake", "A").from(0.5)).settings(base.clone());
        let (code, message, t) = failure(&locked);
        assert_eq!((code, t), ("jammed", 0.5), "{f:?}: {message}");
        assert!(message.contains("`brake`") || message.contains("`motor`"), "{f:?}: {message}");
        let stop = vec![formula("sqrt(0.5 - t) < -1")];
        let (code, message, _) = failure(&pendulum.clone().settings(Settings { stop, ..base }));
        assert!(code == "not-finite" && message.contains("sqrt(0.5 - t) < -1"), "{f:?}: {message}");
    }
    // beyond its limits from the start
    let mut beyond = falling_block(0.5);
    beyond.joints[0].impact_limits[0].range = [1.5, 2.0];
    let faults = beyond.assemble().unwrap_err();
    assert_eq!(faults.list[0].path, "joints.rail.impact_limits");
    // locks are no part of `kane`
    let model = double_pendulum().lock(Lock::joint("elbow", "B").from(0.4));
    let unsupported = linkwork::model::Formulation::Kane.unsupported(&model.assemble().unwrap());
    assert_eq!(unsupported[0].path, "locks.elbow");
}
