//! Impulses at given times: closed forms, balances, agreement of formulations, faults.

use crate::suite;
use linkwork::joints::Prismatic;

use linkwork::Error;
use linkwork::model::{
    Amount, Axis, Blow, Body, Formulation, Impulse, Joint, Mass, Model, Orientation, Settings, Severity,
    Shape,
};
use linkwork::simulation::{EventKind, Trajectory};
use suite::{G, applicable, run, settings};

/// A uniform rod of 3 kg along x from 0 to 2 m, free.
fn free_rod() -> Model {
    Model::planar("rod").point("A", [0.0, 0.0]).point("B", [2.0, 0.0]).body(Body::rod("rod", ["A", "B"], 3.0))
}

/// The same, with a pin at A and a point at two thirds.
fn pendulum() -> Model {
    Model::planar("pendulum")
        .point("A", [0.0, 0.0])
        .point("B", [2.0, 0.0])
        .point("P", [4.0 / 3.0, 0.0])
        .ground(["A"])
        .body(Body::new("rod", ["A", "B", "P"], Body::rod("", ["A", "B"], 3.0).mass))
}

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

/// A block of 2 kg that falls along a rail from 1 m on a limit that keeps it.
fn falling_block() -> Model {
    Model::planar("falling block")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [0.0, 1.0])
        .point("Q", [0.1, 1.0])
        .ground(["O"])
        .body(Body::rod("block", ["P", "Q"], 2.0))
        .joint(
            Joint::between("rail", Prismatic { axis: Axis::Y }, ["ground", "block"], ["O", "P"])
                .impact_limit([0.0, 20.0], 0.0),
        )
}

fn end(run: &Trajectory) -> Vec<f64> {
    let last = run.frames.last().unwrap();
    last.positions.iter().chain(&last.velocities).flatten().copied().collect()
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

fn with(model: &Model, formulation: Formulation, duration: f64) -> Model {
    model.clone().settings(Settings { formulation, ..settings(duration, 0.05, 1e-11) })
}

/// Largest change of kinetic and potential energy less work.
fn imbalance(run: &Trajectory) -> f64 {
    let sum = |f: &linkwork::results::Frame| f.energy() - f.work;
    let first = sum(&run.frames[0]);
    run.frames.iter().fold(0.0, |m: f64, f| m.max((sum(f) - first).abs()))
}

/// Struck at the end, square to it: v = P/m of the centre and ω = P (L/2)/(m L²/12) = 6P/(mL); at t = 0, on the way and at the end.
#[test]
fn exact_free_rod() {
    let (p, m, l) = (1.5, 3.0, 2.0);
    for f in applicable(&free_rod()) {
        for at in [0.0, 0.33, 1.0] {
            let model = free_rod().impulse(Impulse::at_point("blow", at, "B", [0.0, p]));
            let (_, run) = run(&with(&model, f, 1.0));
            let [event] = &run.summary.events[..] else { panic!("{:?}", run.summary.events) };
            assert_eq!((event.t, event.kind, event.name.as_str()), (at, EventKind::Impulse, "blow"));
            assert_eq!((event.impulse, event.unit()), (p, "N s"));
            let after = run.frames.iter().rfind(|frame| frame.t == at).unwrap();
            let motion = &after.motions[0];
            let (v, w) = (p / m, 6.0 * p / (m * l));
            let energy = 0.5 * m * v * v + 0.5 * m * l * l / 12.0 * w * w;
            let wrong = [motion.v[0], motion.v[1] - v, motion.w[2] - w, event.energy - energy];
            let wrong = wrong.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            // what turns is integrated
            assert!(imbalance(&run) < 1e-9);
            println!("{f:?}, free rod at {at} s: off {wrong:.1e}");
            assert!(wrong < 1e-12, "{f:?} at {at}: {wrong:e}");
            // a row before it and one after
            assert_eq!(run.frames.iter().filter(|frame| frame.t == at).count(), 2);
        }
    }
}

/// The pin feels P(3h/2L − 1) of a blow at h: nothing at the centre of percussion, half of it at the end.
#[test]
fn exact_centre_of_percussion() {
    let p = 1.5;
    for f in applicable(&pendulum()) {
        for (point, part) in [("P", 0.0), ("B", 0.5)] {
            let model = pendulum().impulse(Impulse::at_point("blow", 0.2, point, [0.0, p]));
            let (_, run) = run(&with(&model, f, 0.5));
            let event = &run.summary.events[0];
            let pin = event.joints.iter().find(|j| j.joint == "A").unwrap();
            let size = pin.force.iter().map(|x| x * x).sum::<f64>().sqrt();
            let h: f64 = if point == "P" { 4.0 / 3.0 } else { 2.0 };
            let w = run.frames.last().unwrap().motions[0].w[2] - p * h / 4.0;
            println!("{f:?}, blow at {point}: pin off {:.1e}, ω off {w:.1e}", size - part * p);
            assert!((size - part * p).abs() < 1e-12 && w.abs() < 1e-12);
        }
    }
}

/// Blows, a turning one and a rate on a double pendulum on its way.
#[test]
fn cross_all_formulations() {
    let model = double_pendulum()
        .impulse(Impulse::at_point("tip", 0.3, "C", [0.4, 1.1]).and_at(0.7))
        .impulse(Impulse::turning("twist", 0.5, "upper", [0.0, 0.0, -0.8]));
    let rated = model.clone().impulse(Impulse::rate("kick", 0.6, "B", 3.0));
    for model in [model, rated] {
        let mut reference: Option<(Formulation, Vec<f64>)> = None;
        for f in applicable(&model) {
            let (_, run) = run(&with(&model, f, 1.0));
            let found = end(&run);
            assert_eq!(run.summary.events.len(), if model.impulses.len() == 3 { 4 } else { 3 });
            let balance = imbalance(&run);
            let (_, expected) = reference.get_or_insert_with(|| (f, found.clone()));
            let wrong = off(&found, expected);
            println!("{f:?}: off {wrong:.1e}, energies {balance:.1e}");
            assert!(wrong < 1e-8 && balance < 1e-8, "{f:?}");
        }
    }
}

/// The rate is what was told; the impulse is the change of angular momentum about the pin; other joints hold.
#[test]
fn exact_rate_of_a_pin() {
    let model = double_pendulum().impulse(Impulse::rate("kick", 0.4, "A", 2.0));
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f, 0.8));
        let [event] = &run.summary.events[..] else { panic!("{:?}", run.summary.events) };
        assert_eq!((event.unit(), event.coordinate), ("N m s", Some(1)));
        let at: Vec<_> = run.frames.iter().filter(|frame| frame.t == 0.4).collect();
        let momentum = |frame: &linkwork::results::Frame| {
            let of = |(body, m): (&linkwork::mechanism::MechanismBody, &linkwork::interactions::Motion)| {
                let p = &body.particles.properties;
                p.mass * (m.c[0] * m.v[1] - m.c[1] * m.v[0]) + p.inertia_about_com[2][2] * m.w[2]
            };
            mechanism.bodies().iter().zip(&frame.motions).map(of).sum::<f64>()
        };
        let [before, after] = at[..] else { panic!("{} rows", at.len()) };
        let rate = after.motions[0].w[2].abs() - 2.0;
        let impulse = (momentum(after) - momentum(before)).abs() - event.impulse.abs();
        let balance = imbalance(&run);
        println!("{f:?}: rate off {rate:.1e}, impulse {impulse:.1e}, energies {balance:.1e}");
        assert!(rate.abs() < 1e-12 && impulse.abs() < 1e-10 && balance < 1e-8);
    }
}

/// Two at once are one of their sum, and the first has the energy of both.
#[test]
fn same_twice_at_once() {
    let blow = |name: &str, t, p| Impulse::at_point(name, t, "C", p);
    for f in applicable(&double_pendulum()) {
        let (_, one) = run(&with(&double_pendulum().impulse(blow("one", 0.3, [0.4, 1.0])), f, 0.6));
        let two = double_pendulum().impulse(blow("a", 0.3, [0.4, 0.0])).impulse(blow("b", 0.3, [0.0, 1.0]));
        let (_, two) = run(&with(&two, f, 0.6));
        let [a, b] = &two.summary.events[..] else { panic!("{:?}", two.summary.events) };
        assert!((a.energy - one.summary.events[0].energy).abs() < 1e-12 && b.energy == 0.0);
        assert!(off(&end(&one), &end(&two)) < 1e-12, "{f:?}");
    }
}

/// A block that rests on a limit: struck down it stays and the limit takes all; struck up it flies for 2v/g and rests again.
#[test]
fn exact_on_a_limit() {
    let model = falling_block()
        .impulse(Impulse::at_com("down", 0.8, "block", [0.0, -3.0]))
        .impulse(Impulse::at_com("up", 1.0, "block", [0.0, 4.0]));
    for f in applicable(&model) {
        let (_, run) = run(&with(&model, f, 2.0));
        let kinds: Vec<_> = run.summary.events.iter().map(|e| e.kind).collect();
        use EventKind::{Impulse as Blow, Lift, Rest};
        assert_eq!(kinds, [Rest, Blow, Lift, Blow, Rest], "{f:?}");
        let events = &run.summary.events;
        let wrong = [events[1].energy, events[3].energy - 4.0, events[4].t - 1.0 - 4.0 / G, imbalance(&run)];
        println!("{f:?}: off {:.1e}", wrong.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        assert!(wrong.iter().all(|x| x.abs() < 1e-8), "{f:?}: {wrong:?}");
    }
    // at the very instant of the fall's end, just told as a time
    let t = (2.0 / G).sqrt();
    let model = falling_block().impulse(Impulse::at_com("down", t, "block", [0.0, -3.0]));
    for f in applicable(&model) {
        let (_, run) = run(&with(&model, f, 1.0));
        let y = run.frames.last().unwrap().motions[0].c[1];
        assert!(y.abs() < 1e-9 && imbalance(&run) < 1e-8, "{f:?}: {y:e} {:?}", run.summary.events);
    }
}

/// In space: a cylinder on no joint gets P/m and I⁻¹ (r × P + L).
#[test]
fn exact_free_cylinder_in_space() {
    let shape = Shape::Cylinder { radius: 0.5, length: None, pose: Orientation::default() };
    let model = Model::spatial("cylinder")
        .point("A", [0.0, 0.0, 0.0])
        .point("B", [0.0, 0.0, 2.0])
        .body(Body::new("c", ["A", "B"], Mass::Shape(shape, Amount::Mass(3.0))));
    let model = model.impulse(Impulse {
        name: "blow".into(),
        at: vec![0.25],
        gives: Blow::Strike {
            body: Some("c".into()),
            point: Some("B".into()),
            impulse: [1.0, 2.0, 3.0],
            angular_impulse: [0.0, 0.0, 0.6],
        },
    });
    for f in applicable(&model) {
        let (_, run) = run(&with(&model, f, 0.25));
        let m = &run.frames.last().unwrap().motions[0];
        let across = 3.0 * (3.0 * 0.25 + 4.0) / 12.0;
        let w = [-2.0 / across, 1.0 / across, 0.6 / (0.5 * 3.0 * 0.25)];
        let wrong = off(&m.w, &w).max(off(&m.v, &[1.0 / 3.0, 2.0 / 3.0, 1.0]));
        println!("{f:?}: off {wrong:.1e}");
        assert!(wrong < 1e-12 && imbalance(&run) < 1e-12);
        assert_eq!(run.summary.events.len(), 2);
    }
}

#[test]
fn exact_faults() {
    let said = |text: &str| -> Vec<(Severity, String)> {
        let file = format!(
            "format = 1\n[points]\nA = [0, 0]\nB = [1, 0]\n[bodies]\nground = {{ points = [\"A\"] }}\n\
             rod = {{ points = [\"A\", \"B\"], mass = 1 }}\n[simulation]\nduration = 2\n\
             [impulses.hit]\n{text}\n"
        );
        let list = match Model::from_toml(&file).map(|model| model.assemble()) {
            Err(Error::Model(faults)) | Ok(Err(faults)) => faults.list,
            Err(error) => panic!("{error}"),
            Ok(Ok(mechanism)) => mechanism.warnings().to_vec(),
        };
        list.into_iter().map(|f| (f.severity, format!("{}: {}", f.path, f.message))).collect()
    };
    let good = "at = \"1 s\"\npoint = \"B\"\nimpulse = [\"0 N s\", 2]";
    assert!(said(good).is_empty(), "{:?}", said(good));
    for (text, path, word) in [
        ("at = 1\npoint = \"X\"\nimpulse = [0, 2]", "impulses.hit.point", "X"),
        ("at = 1\npoint = \"A\"\nimpulse = [0, 2]", "impulses.hit.point", "ground"),
        ("at = -1\npoint = \"B\"\nimpulse = [0, 2]", "impulses.hit.at", "negative"),
        ("at = [1, 1]\npoint = \"B\"\nimpulse = [0, 2]", "impulses.hit.at[1]", "twice"),
        ("at = []\npoint = \"B\"\nimpulse = [0, 2]", "impulses.hit.at", "never"),
        (
            "at = 1\npoint = \"B\"\nimpulse = [0, 2]\njoint = \"A\"\nrate = 1",
            "impulses.hit.joint",
            "together",
        ),
        ("at = 1\npoint = \"B\"", "impulses.hit", "missing"),
        ("at = 1", "impulses.hit", "what happens"),
        ("at = 1\njoint = \"A\"", "impulses.hit", "go together"),
        ("at = 1\njoint = \"Q\"\nrate = 1", "impulses.hit.joint", "Q"),
        ("at = 1\njoint = \"A\"\nrate = \"2 m/s\"", "impulses.hit.rate", "expected"),
        ("at = 1\njoint = \"A\"\nrate = \"2 kg\"", "impulses.hit.rate", "expected"),
        ("at = 1\npoint = \"B\"\nimpulse = [0, \"2 N\"]", "impulses.hit.impulse", "expected"),
        ("at = 1\npoint = \"B\"\nangular_impulse = 2", "impulses.hit.angular_impulse", "body"),
        ("at = 1\nbody = \"ground\"\nangular_impulse = 2", "impulses.hit.body", "ground"),
        ("point = \"B\"\nimpulse = [0, 2]", "impulses.hit", "at"),
    ] {
        let found = said(text);
        let fits = |(severity, told): &(Severity, String)| {
            *severity == Severity::Error && told.starts_with(path) && told.contains(word)
        };
        assert!(found.iter().any(fits), "{text}: {found:?}");
    }
    let late = said("at = [1, 3]\npoint = \"B\"\nimpulse = [0, 2]");
    assert!(late.len() == 1 && late[0].0 == Severity::Warning && late[0].1.contains("at[1]"), "{late:?}");
}
