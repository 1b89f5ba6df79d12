//! Impacts of the double pendulum of [schwab2002] on a wall: sections 1.4, 2.3 and 3.3, and closed forms of single impacts.

use crate::suite;

use linkwork::mechanism::Mechanism;
use linkwork::model::{
    Amount, Body, Contact, Formulation, ImpactLaw, Inertia, Mass, Model, Settings, Shape, Surface,
};
use linkwork::simulation::{EventKind, Status, Trajectory};
use suite::contacts::{against_ground, ball_pair, run_with, spot};
use suite::{G, applicable, settings};

/// Bars of 1 kg and 0.6 m, gravity along +x, angles from +x.
fn double_pendulum(phi: [f64; 2], rate: [f64; 2]) -> Model {
    let l = 0.6;
    let b = [l * phi[0].cos(), l * phi[0].sin()];
    let c = [b[0] + l * phi[1].cos(), b[1] + l * phi[1].sin()];
    Model::planar("double pendulum")
        .gravity([G, 0.0])
        .point("A", [0.0, 0.0])
        .point("B", b)
        .point("C", c)
        .ground(["A"])
        .body(Body::rod("bar1", ["A", "B"], 1.0))
        .body(Body::rod("bar2", ["B", "C"], 1.0))
        .angular_velocity("bar1", [0.0, 0.0, rate[0]])
        .angular_velocity("bar2", [0.0, 0.0, rate[1]])
}

fn wall(mechanism: &mut Mechanism, tip: [f64; 3], x: f64, restitution: f64) {
    let tip = spot(mechanism, "bar2", tip);
    against_ground(mechanism, "wall", [x, 0.0, 0.0], [-1.0, 0.0, 0.0], tip, 0.0, 0.0, restitution);
}

fn rows(text: &str) -> Vec<Vec<f64>> {
    let numbers = |line: &str| line.split(',').filter_map(|x| x.parse().ok()).collect();
    text.lines().skip(1).map(numbers).collect()
}

/// Systems (20), (22) and (15): velocities after, contact impulse, joint impulses.
#[test]
fn paper_impact_tables() {
    let mut worst: f64 = 0.0;
    for row in rows(include_str!("../data/schwab_impacts.csv")) {
        let [phi1, phi2, w1, w2, e, w1_plus, w2_plus, contact, ha, va, hb, vb] = row[..] else {
            panic!("{row:?}")
        };
        let model = double_pendulum([phi1, phi2], [w1, w2]);
        let tip = model.points[2].position;
        for f in applicable(&model) {
            let model = model.clone().settings(Settings { formulation: f, ..settings(1e-3, 1e-3, 1e-12) });
            let mut mechanism = model.assemble().unwrap();
            wall(&mut mechanism, tip, tip[0], e);
            let run = run_with(&mechanism);
            let event = &run.summary.events[0];
            assert_eq!((event.kind, event.t), (EventKind::Impact, 0.0), "{f:?}");
            let after = &run.frames[1];
            assert_eq!(after.t, 0.0);
            let joint = |name: &str| event.joints.iter().find(|j| j.joint == name).unwrap().force;
            let (a, b) = (joint("A"), joint("B"));
            let found = [
                after.motions[0].w[2] - w1_plus,
                after.motions[1].w[2] - w2_plus,
                event.contact.unwrap().impulse[0] - contact,
                event.impulse + contact,
                a[0] - ha,
                a[1] - va,
                b[0] - hb,
                b[1] - vb,
            ];
            let off = found.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(off < 1e-12, "{}: {found:?}", f.name());
            worst = worst.max(off);
        }
    }
    println!("largest difference: {worst:.1e}");
}

fn angles(run: &Trajectory, k: usize) -> [f64; 4] {
    let frame = &run.frames[k];
    let p = &frame.positions;
    let angle = |a: [f64; 3], b: [f64; 3]| (b[1] - a[1]).atan2(b[0] - a[0]);
    [angle(p[0], p[1]), angle(p[1], p[2]), frame.motions[0].w[2], frame.motions[1].w[2]]
}

/// Three elastic impacts within two seconds against a solution of multiple precision.
#[test]
fn paper_bouncing_double_pendulum() {
    let table = rows(include_str!("../data/schwab_double_pendulum_bounce_e1.csv"));
    let times = [0.3991276358860875, 1.175288980184536, 1.9305397559141204];
    let quarter = std::f64::consts::FRAC_PI_2;
    let model = double_pendulum([quarter, quarter], [0.0, 0.0]);
    for f in applicable(&model) {
        let model = model.clone().settings(Settings { formulation: f, ..settings(2.0, 0.01, 1e-13) });
        let mut mechanism = model.assemble().unwrap();
        wall(&mut mechanism, model.points[2].position, 0.9, 1.0);
        let run = run_with(&mechanism);
        let events = &run.summary.events;
        assert_eq!(events.len(), 3, "{f:?}: {events:?}");
        let late = events.iter().zip(times).fold(0.0_f64, |m, (e, t)| m.max((e.t - t).abs()));
        let mut worst: f64 = 0.0;
        let mut compared = 0;
        for row in &table {
            let Some(k) = run.frames.iter().position(|frame| (frame.t - row[0]).abs() < 1e-9) else {
                continue;
            };
            compared += 1;
            for (i, (x, exact)) in angles(&run, k).into_iter().zip(&row[1..5]).enumerate() {
                let turn = std::f64::consts::TAU;
                let off = x - exact;
                let off = if i < 2 { off - turn * (off / turn).round() } else { off };
                worst = worst.max(off.abs());
            }
        }
        println!(
            "{}: {compared} rows, off by {worst:.1e}, impact times by {late:.1e} s, energy by {:.1e}",
            f.name(),
            run.summary.energy_drift
        );
        assert!(compared > 190 && worst < 1e-7 && late < 1e-9, "{f:?}: {worst} {late}");
    }
}

/// A bar of mass m and length 2l at angle α falls on one end with speed v, without friction and with e = 0:
/// Λ = m v / (1 + 3 cos²α), ω⁺ = 3 cos α v / (l (1 + 3 cos²α)).
#[test]
fn exact_dropped_bar() {
    let (m, l, alpha, v) = (1.7, 0.4, 0.5_f64, 2.0);
    let [x, y] = [l * alpha.cos(), l * alpha.sin()];
    for e in [0.0, 0.6] {
        let model = Model::planar("bar")
            .gravity([0.0, -G])
            .point("P", [-x, 0.0])
            .point("Q", [x, 2.0 * y])
            .body(Body::rod("bar", ["P", "Q"], m))
            .velocity("P", [0.0, -v])
            .velocity("Q", [0.0, -v]);
        for f in applicable(&model) {
            let model = model.clone().settings(Settings { formulation: f, ..settings(1e-3, 1e-3, 1e-12) });
            let mut mechanism = model.assemble().unwrap();
            let end = spot(&mechanism, "bar", [-x, 0.0, 0.0]);
            against_ground(&mut mechanism, "floor", [0.0; 3], [0.0, 1.0, 0.0], end, 0.0, 0.0, e);
            let run = run_with(&mechanism);
            let after = &run.frames[1];
            let impulse = (1.0 + e) * m * v / (1.0 + 3.0 * alpha.cos().powi(2));
            let w = 3.0 * x * impulse / (m * l * l);
            let off = [
                run.summary.events[0].impulse - impulse,
                after.motions[0].w[2] + w,
                after.motions[0].v[1] - (impulse / m - v),
            ];
            assert!(off.iter().all(|x| x.abs() < 1e-13), "{f:?}: {off:?}");
            println!("{}, e = {e}: {off:?}", f.name());
        }
    }
}

/// Equal balls in a line: the first stops, the second goes on with its speed.
#[test]
fn exact_two_balls() {
    let ball = |name: &str, at: &str, x: f64| {
        Body::with_inertia(name, [at], 0.2, [x, 0.0, 0.0], Inertia::Matrix([8e-5, 8e-5, 8e-5, 0.0, 0.0, 0.0]))
    };
    for e in [1.0, 0.5] {
        let model = Model::spatial("balls")
            .point("P", [0.0, 0.0, 0.0])
            .point("Q", [0.5, 0.0, 0.0])
            .body(ball("first", "P", 0.0))
            .body(ball("second", "Q", 0.5))
            .velocity("P", [2.0, 0.0, 0.0]);
        for f in applicable(&model) {
            let model = model.clone().settings(Settings { formulation: f, ..settings(1.0, 0.1, 1e-11) });
            let mut mechanism = model.assemble().unwrap();
            ball_pair(&mut mechanism, "touch", ["first", "second"], [0.05, 0.05], 0.3, e);
            let run = run_with(&mechanism);
            let last = run.frames.last().unwrap();
            let (v1, v2) = (last.motions[0].v[0], last.motions[1].v[0]);
            assert_eq!(run.summary.events.len(), 1, "{f:?} {:?}", run.summary.events);
            let off = [
                run.summary.events[0].t - 0.2,
                v1 - (1.0 - e),
                v2 - (1.0 + e),
                run.summary.events[0].energy + 0.5 * 0.2 * 4.0 * 0.5 * (1.0 - e * e),
            ];
            println!("{}, e = {e}: {off:?}", f.name());
            assert!(off.iter().all(|x| x.abs() < 1e-11), "{f:?}: {off:?}");
        }
    }
}

/// Whatever is hit, with whatever friction and restitution: energy does not grow.
#[test]
fn keeps_energy_from_growing() {
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut impacts, mut most) = (0, f64::NEG_INFINITY);
    for case in 0..60 {
        let mut between = |a: f64, b: f64| a + (b - a) * random();
        let phi = [between(-1.5, 1.5), between(-1.5, 1.5)];
        let model = double_pendulum(phi, [between(-5.0, 5.0), between(-5.0, 5.0)]).settings(Settings {
            formulation: if case % 2 == 0 { Formulation::Points } else { Formulation::NewtonEuler },
            ..settings(2e-3, 1e-3, 1e-10)
        });
        let mut mechanism = model.assemble().unwrap();
        let tip = spot(&mechanism, "bar2", model.points[2].position);
        let elbow = spot(&mechanism, "bar1", model.points[1].position);
        let [c, b] = [model.points[2].position, model.points[1].position];
        let angle = between(0.0, std::f64::consts::TAU);
        let n = [angle.cos(), angle.sin(), 0.0];
        let (mu, e) = (between(0.0, 1.5), between(0.0, 1.0));
        against_ground(&mut mechanism, "tip", c, n, tip, 0.0, mu, e);
        against_ground(&mut mechanism, "elbow", b, [n[1], -n[0], 0.0], elbow, 0.0, mu, between(0.0, 1.0));
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished, "case {case}: {:?}", run.summary);
        for event in run.summary.events.iter().filter(|e| e.kind == EventKind::Impact) {
            impacts += 1;
            most = most.max(event.energy);
        }
        assert!(run.summary.energy_drift < 1e-9, "case {case}: {}", run.summary.energy_drift);
    }
    println!("{impacts} impacts, energy at most {most:.1e}");
    assert!(impacts > 40 && most <= 1e-12);
}

/// A cradle of balls that hang side by side, the first ones lifted.
fn cradle(balls: usize, lifted: usize) -> Model {
    let (r, length, lift) = (0.02, 0.2, 40_f64.to_radians());
    let mut model = Model::planar("cradle").gravity([0.0, -G]);
    for i in 0..balls {
        let x = 2.0 * r * i as f64;
        let (sin, cos) = if i < lifted { lift.sin_cos() } else { (0.0, 1.0) };
        let (pin, ball) = (format!("P{i}"), format!("B{i}"));
        model = model
            .point(&pin, [x, length])
            .point(&ball, [x - length * sin, length - length * cos])
            .ground([&pin]);
        let shape = Shape::Sphere { radius: r, center: Some(ball.as_str().into()) };
        model =
            model.body(Body::new(format!("ball{i}"), [&ball, &pin], Mass::Shape(shape, Amount::Mass(0.26))));
    }
    let names: Vec<String> = (0..balls).map(|i| format!("ball{i}")).collect();
    model.contact(Contact::among("knock", names).restitution(1.0))
}

/// As many balls leave as arrive, with their velocity: at twice the time of the impact they hang where the others were let go, mirrored.
#[test]
fn exact_cradle_as_many_leave_as_arrive() {
    let mut worst = 0.0_f64;
    for balls in 2..=7 {
        for lifted in 1..balls {
            let mut model = cradle(balls, lifted);
            model.settings = settings(0.3, 0.3, 1e-11);
            let run = model.assemble().unwrap().simulate().unwrap();
            let hit = run.summary.events.first().expect("an impact").t;
            model.settings = settings(2.0 * hit, 2.0 * hit, 1e-11);
            let formulations = if balls == 5 {
                vec![Formulation::Auto, Formulation::Points]
            } else {
                vec![Formulation::Auto]
            };
            for formulation in formulations {
                model.settings.formulation = formulation;
                let mechanism = model.assemble().unwrap();
                let run = mechanism.simulate().unwrap();
                assert_eq!(run.summary.status, Status::Finished, "{balls} {lifted}");
                let last = run.frames.last().unwrap();
                for i in 0..balls {
                    let at = mechanism.points().iter().position(|p| p.name == format!("B{i}")).unwrap();
                    let swing = if i + lifted >= balls { 0.2 * 40_f64.to_radians().sin() } else { 0.0 };
                    worst = worst.max((last.positions[at][0] - 0.04 * i as f64 - swing).abs());
                }
                let coupled = run.summary.remarks.iter().any(|r| r.code == "coupled-impacts");
                assert_eq!(coupled, balls > 2, "{balls} {lifted}: {:?}", run.summary.remarks);
            }
        }
    }
    println!("cradles of 2 to 7 balls: off by {worst:.1e} m");
    // the tolerance of the run, and noise of 1e-13 m/s in balls that stand
    assert!(worst < 1e-9, "{worst:.1e}");
}

/// All at once, Newton's restitution for the first contact alone: the row moves off as one, with (1 + e) m / (m + 4 m) of the speed.
#[test]
fn exact_cradle_all_at_once_moves_the_row() {
    let mut model = cradle(5, 1);
    model.settings = Settings { impact: ImpactLaw::Simultaneous, ..settings(0.24, 0.01, 1e-11) };
    let mechanism = model.assemble().unwrap();
    let run = mechanism.simulate().unwrap();
    let hit = run.summary.events.iter().find(|e| e.kind == EventKind::Impact).unwrap().t;
    let rate = |t: f64, joint: &str| {
        let j = mechanism.joints().iter().position(|j| j.name == joint).unwrap();
        let frame = run.frames.iter().rev().find(|f| f.t == t).unwrap();
        frame.joints[j][0].v
    };
    let after = |joint: &str| rate(hit, joint);
    // the speed at the bottom from the drop, as a solid ball of the plane
    let inertia = 0.26 * (0.04 + 0.4 * 0.02 * 0.02);
    let speed = (2.0 * 0.26 * G * 0.2 * (1.0 - 40_f64.to_radians().cos()) / inertia).sqrt();
    println!("all at once: {:.4} and {:.4} of the speed", after("P0") / speed, after("P4") / speed);
    assert!((after("P0") / speed + 0.6).abs() < 1e-9, "{}", after("P0") / speed);
    for joint in ["P1", "P2", "P3", "P4"] {
        assert!((after(joint) / speed - 0.4).abs() < 1e-9, "{}", after(joint) / speed);
    }
}

/// Discs in a row on a smooth table, each lighter than the one before: each is struck once, v' = (1 + e) m / (m + m') v.
#[test]
fn exact_discs_of_falling_mass_are_struck_one_by_one() {
    let masses = [1.0, 0.7, 0.4, 0.1];
    for e in [1.0, 0.8] {
        let mut model = Model::planar("row");
        for (i, m) in masses.iter().enumerate() {
            let x = if i == 0 { -0.05 } else { 0.1 * i as f64 };
            let shape = Shape::Sphere { radius: 0.05, center: None };
            model = model.point(format!("C{i}"), [x, 0.0]);
            model = model.body(Body::new(
                format!("d{i}"),
                [format!("C{i}")],
                Mass::Shape(shape, Amount::Mass(*m)),
            ));
        }
        let names: Vec<String> = (0..4).map(|i| format!("d{i}")).collect();
        model = model.contact(Contact::among("c", names).restitution(e)).velocity("C0", [2.0, 0.0]);
        model.settings = settings(0.1, 0.1, 1e-11);
        let mut exact = [2.0, 0.0, 0.0, 0.0];
        for i in 0..3 {
            let (m, n, u) = (masses[i], masses[i + 1], exact[i]);
            (exact[i], exact[i + 1]) = (u * (m - e * n) / (m + n), u * (1.0 + e) * m / (m + n));
        }
        let run = model.assemble().unwrap().simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished);
        let last = run.frames.last().unwrap();
        let off = (0..4).fold(0.0, |m: f64, i| m.max((last.velocities[i][0] - exact[i]).abs()));
        println!("falling masses, e = {e}: off by {off:.1e} m/s");
        assert!(off < 1e-12, "{exact:?} {:?}", last.velocities);
    }
}

/// A small ball on a large one, dropped together (Galilei's cannon): the large one turns round at the floor and meets the small one. With v at the floor the small one
/// leaves with (3M − m)/(M + m) v and the large one with (M − 3m)/(M + m) v.
#[test]
fn exact_small_ball_on_a_large_one() {
    let (big, small, drop) = (0.6, 0.06, 0.5);
    let ball = |name: &str, at: &str, radius: f64, mass: f64| {
        Body::new(name, [at], Mass::Shape(Shape::Sphere { radius, center: None }, Amount::Mass(mass)))
    };
    let model = Model::planar("cannon")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.125 + drop])
        .point("B", [0.0, 0.3125 + drop])
        .body(ball("large", "A", 0.125, big))
        .body(ball("small", "B", 0.0625, small))
        .surface(Surface::plane("floor", [0.0, 0.0], [0.0, 1.0]))
        .contact(Contact::between("ground", "large", "floor").restitution(1.0))
        .contact(Contact::between("pair", "large", "small").restitution(1.0));
    let (v, fall) = ((2.0 * G * drop).sqrt(), (2.0 * drop / G).sqrt());
    for formulation in applicable(&model) {
        let later = fall + 0.05;
        let model = model.clone().settings(Settings { formulation, ..settings(later, later, 1e-11) });
        let run = model.assemble().unwrap().simulate().unwrap();
        let last = run.frames.last().unwrap();
        let after = [(big - 3.0 * small) / (big + small) * v, (3.0 * big - small) / (big + small) * v];
        let off = (0..2).fold(0.0, |m: f64, i| m.max((last.velocities[i][1] - (after[i] - G * 0.05)).abs()));
        println!("{:12} cannon: off by {off:.1e} m/s", formulation.name());
        assert!(off < 1e-9, "{formulation:?}: {:?} {after:?}", last.velocities);
    }
}
