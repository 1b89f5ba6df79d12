//! Parts that come and go while a mechanism runs: against closed forms, in every formulation.

use crate::suite;

use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Model};
use linkwork::simulation::{Event, EventKind, Status, Trajectory};
use suite::{G, applicable};

fn model(text: &str) -> Model {
    let head = "format = 1\n";
    Model::parse("changes.toml", format!("{head}{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// A run with what reads it.
struct Seen {
    formulation: Formulation,
    mechanism: Mechanism,
    run: Trajectory,
}

impl Seen {
    fn of(model: &Model, formulation: Formulation) -> Self {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{formulation:?}: {e}"));
        Seen { formulation, mechanism, run }
    }

    fn column(&self, name: &str) -> Vec<f64> {
        self.run.column(&self.mechanism, name).unwrap_or_else(|| panic!("no column {name}"))
    }

    fn times(&self) -> Vec<f64> {
        self.run.frames.iter().map(|frame| frame.t).collect()
    }

    /// Position and velocity of a point in a row.
    fn at(&self, point: &str, row: usize) -> [[f64; 3]; 2] {
        let frame = &self.run.frames[row];
        let stage = frame.stage.as_deref().unwrap_or(&self.mechanism);
        let k =
            stage.points().iter().position(|p| p.name == point).unwrap_or_else(|| panic!("no point {point}"));
        [frame.positions[k], frame.velocities[k]]
    }

    /// The first row after an instant.
    fn after(&self, t: f64) -> usize {
        self.times().iter().rposition(|&x| x == t).unwrap_or_else(|| panic!("no row at {t}"))
    }

    /// Structural events.
    fn events(&self, kind: EventKind) -> Vec<&Event> {
        self.run.summary.events.iter().filter(|event| event.kind == kind).collect()
    }

    fn near(&self, what: &str, found: f64, expected: f64, tolerance: f64) {
        let name = self.formulation.name();
        assert!(
            (found - expected).abs() <= tolerance,
            "{name}: {what}: {found:.15e}, expected {expected:.15e}"
        );
    }
}

/// Runs in every formulation that takes the model; the runs finish and the balances close.
fn each(model: &Model, check: impl Fn(&Seen)) {
    for formulation in applicable(model) {
        let seen = Seen::of(model, formulation);
        let summary = &seen.run.summary;
        if let Status::Failed(failure) = &summary.status
            && formulation == Formulation::Kane
            && failure.message.contains("`kane` solves one chain")
        {
            println!("{failure:?}");
            continue;
        }
        assert_eq!(summary.status, Status::Finished, "{formulation:?}: {summary:?}");
        assert!(summary.constraint_residual < 1e-11 * summary.size.max(1.0), "{formulation:?}: {summary:?}");
        assert!(summary.energy_drift < 1e-8 * summary.energy_scale, "{formulation:?}: {summary:?}");
        let balances = summary.balances.unwrap_or_else(|| panic!("{formulation:?}: no balances"));
        assert!(balances.momentum <= 1e-8 * balances.largest_momentum, "{formulation:?}: {balances:?}");
        assert!(
            balances.energy <= 1e-8 * balances.largest_energy.max(summary.energy_scale),
            "{formulation:?}: {balances:?}"
        );
        check(&seen);
    }
}

/// From a row on, C is on a parabola and P turns about it evenly; in the plane.
fn flies(seen: &Seen, from: usize, com: &str, point: &str, tolerance: f64) {
    let ([c0, v0], [p0, u0]) = (seen.at(com, from), seen.at(point, from));
    let arm = [p0[0] - c0[0], p0[1] - c0[1]];
    let w = (arm[0] * (u0[1] - v0[1]) - arm[1] * (u0[0] - v0[0])) / (arm[0].powi(2) + arm[1].powi(2));
    for row in from..seen.run.frames.len() {
        let t = seen.run.frames[row].t - seen.run.frames[from].t;
        let c = [c0[0] + v0[0] * t, c0[1] + v0[1] * t - 0.5 * G * t * t];
        let (s, k) = (w * t).sin_cos();
        let p = [c[0] + k * arm[0] - s * arm[1], c[1] + s * arm[0] + k * arm[1]];
        let [found, _] = seen.at(com, row);
        let [end, _] = seen.at(point, row);
        for i in 0..2 {
            seen.near(com, found[i], c[i], tolerance);
            seen.near(point, end[i], p[i], tolerance);
        }
    }
}

const PLANE: &str = "model = { dimension = 2, gravity = [0, -9.81] }\n";
const FINE: &str = "[simulation]\nduration = 1\noutput_step = 0.05\ntolerance = 1e-12\n";
const ROD: &str = r#"rod = { points = ["A", "C", "B"], mass = 2, com = "C", inertia = 0.3 }"#;

/// Whose pin opens at 0.4 s: it swings before, and flies afterwards.
#[test]
fn pendulum_lets_go() {
    let points = "[points]\nA = [0, 0]\nC = [0.6, 0]\nB = [1, 0.2]\nO = [0, 0]\n";
    let ground = format!("[bodies]\nground = {{ points = [\"A\", \"O\"] }}\n{ROD}\n");
    let apart = format!("[bodies]\nground = {{ points = [\"O\"] }}\n{ROD}\n");
    let change = |joint: &str| format!("[changes.drop]\nat = 0.4\ndetach = [\"{joint}\"]\n");
    let entry =
        |at: &str| format!("[joints.pin]\ntype = \"revolute\"\nbodies = [\"ground\", \"rod\"]\nat = {at}\n");
    let cases = [
        (format!("{ground}{}", change("A")), "A"),
        (format!("{ground}{}{}", entry("\"A\""), change("pin")), "pin"),
        (format!("{apart}{}{}", entry("[\"O\", \"A\"]"), change("pin")), "pin"),
    ];
    for (case, joint) in cases {
        let model = model(&format!("{PLANE}{points}{case}{FINE}"));
        each(&model, |seen| {
            let from = seen.after(0.4);
            flies(seen, from, "C", "B", 1e-9);
            assert_eq!(seen.times()[from - 1], 0.4, "a row before and one after");
            for i in 0..2 {
                let [before, after] = [from - 1, from].map(|row| seen.at("C", row));
                seen.near("place", after[0][i], before[0][i], 1e-15);
                seen.near("velocity", after[1][i], before[1][i], 1e-14);
            }
            let force = seen.column(&format!("joint.{joint}.force.y"));
            let angle = seen.column(&format!("joint.{joint}.q"));
            for row in 0..force.len() {
                assert_eq!(force[row].is_nan(), row >= from, "the force ends with the joint");
                assert_eq!(angle[row].is_nan(), row >= from);
            }
            if joint == "A" {
                let [r, v] = seen.at("A", seen.run.frames.len() - 1);
                assert_eq!((r, v), ([0.0; 3], [0.0; 3]), "the ground keeps the point");
            }
            let events = seen.events(EventKind::Change);
            assert_eq!((events.len(), events[0].t, events[0].name.as_str()), (1, 0.4, "drop"));
            seen.near("energy of the event", events[0].energy, 0.0, 1e-10);
        });
    }
}

/// Three bodies at a point: the second rod goes, the first one stays on the pin and does not feel it any more.
#[test]
fn one_of_three_lets_go() {
    let model = model(&format!(
        r#"{PLANE}
        [points]
        A = [0, 0]
        C = [0.6, 0]
        B = [1, 0.2]
        D = [-0.5, 0]
        [bodies]
        ground = {{ points = ["A"] }}
        other = {{ points = ["A", "D"], mass = 1 }}
        {ROD}
        [changes.drop]
        at = 0.4
        detach = ["A.rod"]
        {FINE}"#
    ));
    each(&model, |seen| {
        let from = seen.after(0.4);
        flies(seen, from, "C", "B", 1e-9);
        // the other one keeps its distance and its energy
        let energy = |row| {
            let [r, v] = seen.at("D", row);
            (v[0] * v[0] + v[1] * v[1]) / 6.0 + G * r[1] / 2.0
        };
        for row in from..seen.run.frames.len() {
            let [r, _] = seen.at("D", row);
            seen.near("distance", r[0].hypot(r[1]), 0.5, 1e-12);
            seen.near("energy", energy(row), energy(0), 1e-9);
        }
    });
}

/// A block on a slope that leaves its guide, and a door whose hinge of two points opens.
#[test]
fn guides_and_hinges_let_go() {
    let slide = model(&format!(
        r#"{PLANE}
        [points]
        A = [0, 0]
        B = [0.2, 0.1]
        [bodies]
        ground = {{ points = ["A"] }}
        block = {{ points = ["A", "B"], mass = 2, com = "A", inertia = 0.1 }}
        [joints.guide]
        type = "prismatic"
        bodies = ["ground", "block"]
        at = "A"
        axis = [4, -3]
        [changes.drop]
        at = 0.4
        detach = ["guide"]
        {FINE}"#
    ));
    each(&slide, |seen| {
        let from = seen.after(0.4);
        let [r, v] = seen.at("B", from);
        let along = 0.6 * G; // down the slope
        seen.near("way", r[0], 0.2 + 0.8 * 0.5 * along * 0.16, 1e-10);
        seen.near("speed", v[1], -0.6 * along * 0.4, 1e-10);
        let t = 0.6;
        let [end, _] = seen.at("B", seen.run.frames.len() - 1);
        seen.near("x", end[0], r[0] + v[0] * t, 1e-9);
        seen.near("y", end[1], r[1] + v[1] * t - 0.5 * G * t * t, 1e-9);
    });
    let door = model(&format!(
        r#"model = {{ dimension = 3, gravity = [0, 0, -9.81] }}
        [points]
        P = [0, 0, 0]
        Q = [0, 1, 0]
        C = [0.5, 0.5, 0]
        E = [1, 0.2, 0]
        [bodies]
        ground = {{ points = ["P", "Q"] }}
        flap = {{ points = ["P", "Q", "C", "E"], mass = 3, com = "C", inertia = [0.25, 0.25, 0.5] }}
        [changes.drop]
        at = 0.4
        detach = ["P"]
        {FINE}"#
    ));
    each(&door, |seen| {
        let from = seen.after(0.4);
        let ([c0, v0], [e0, u0]) = (seen.at("C", from), seen.at("E", from));
        // it goes on turning about y, a principal axis
        let arm = [e0[0] - c0[0], e0[2] - c0[2]];
        let w = (arm[1] * (u0[0] - v0[0]) - arm[0] * (u0[2] - v0[2])) / (arm[0].powi(2) + arm[1].powi(2));
        let t = 0.6;
        let ([c, _], [e, _]) = (seen.at("C", seen.after(1.0)), seen.at("E", seen.after(1.0)));
        let (s, k) = (w * t).sin_cos();
        let fall = c0[2] + v0[2] * t - 0.5 * G * t * t;
        seen.near("x", c[0], c0[0] + v0[0] * t, 1e-9);
        seen.near("z", c[2], fall, 1e-9);
        seen.near("x of E", e[0], c[0] + k * arm[0] + s * arm[1], 1e-9);
        seen.near("z of E", e[2], fall - s * arm[0] + k * arm[1], 1e-9);
        seen.near("y of E", e[1], 0.2, 1e-9);
    });
}

/// A rod that a driver spins up with φ = α t²/2. At its tip a mass on a pin; the force on it is m L √(α² + ω⁴), which reaches its limit at
/// ω⁴ = (F/m L)² − α².
#[test]
fn joint_breaks_at_its_force() {
    let model = model(
        r#"model = { dimension = 2, gravity = "none" }
        [points]
        O = [0, 0]
        T = [0.5, 0]
        [bodies]
        ground = { points = ["O"] }
        arm = { points = ["O", "T"], mass = 1 }
        stone = { points = ["T"], mass = 0.2, com = "T", inertia = 0.01 }
        [joints.grip]
        type = "revolute"
        bodies = ["arm", "stone"]
        at = "T"
        break_force = 4
        [drivers.spin]
        joint = "O"
        value = "t^2"
        [simulation]
        duration = 4
        output_step = 0.1
        tolerance = 1e-12"#,
    );
    each(&model, |seen| {
        let w = ((4.0_f64 / 0.1).powi(2) - 4.0).powf(0.25);
        let broke = seen.events(EventKind::Break);
        assert_eq!((broke.len(), broke[0].name.as_str()), (1, "grip"));
        seen.near("when", broke[0].t, w / 2.0, 1e-9);
        let from = seen.after(broke[0].t);
        let force = seen.column("joint.grip.force.x");
        assert!(force[..from].iter().all(|f| f.is_finite()) && force[from..].iter().all(|f| f.is_nan()));
        seen.near("energy", broke[0].energy, 0.0, 1e-14);
        let last = seen.run.frames.len() - 1;
        // the mass goes off along the tangent, the arm goes on
        let (phi, t) = (w * w / 4.0, 4.0 - w / 2.0);
        let stone = |row: usize| {
            let frame = &seen.run.frames[row];
            let stage = frame.stage.as_deref().unwrap_or(&seen.mechanism);
            let b = stage.bodies().iter().position(|b| b.name == "stone").unwrap();
            (frame.motions[b].c, frame.motions[b].v)
        };
        let (r, v) = stone(last);
        seen.near("x", r[0], 0.5 * phi.cos() - 0.5 * w * phi.sin() * t, 1e-8);
        seen.near("y", r[1], 0.5 * phi.sin() + 0.5 * w * phi.cos() * t, 1e-8);
        seen.near("speed", v[0].hypot(v[1]), 0.5 * w, 1e-9);
        let [tip, _] = seen.at("T", last);
        seen.near("the arm keeps the point", tip[0], 0.5 * 16.0_f64.cos(), 1e-9);
        seen.near("angle of the arm", seen.column("joint.O.q")[last], 16.0, 1e-10);
    });
}

/// Two carts that meet and couple: m₁ v₁ = (m₁ + m₂) v, and m₁ m₂/(m₁ + m₂) v₁²/2 is lost. They part again later.
#[test]
fn carts_couple() {
    let text = r#"model = { dimension = 2, gravity = [0, -9.81] }
        [points]
        O = [0, 0]
        A = [0, 0]
        B = [1, 0]
        [bodies]
        ground = { points = ["O"] }
        one = { points = ["A"], mass = 2, com = "A", inertia = 0.1 }
        two = { points = ["B"], mass = 3, com = "B", inertia = 0.1 }
        [joints.rail1]
        type = "prismatic"
        bodies = ["ground", "one"]
        at = ["O", "A"]
        axis = [1, 0]
        [joints.rail2]
        type = "prismatic"
        bodies = ["ground", "two"]
        at = ["O", "B"]
        axis = [1, 0]
        [joints.coupler]
        type = "TYPE"
        bodies = ["one", "two"]
        at = ["A", "B"]
        active = false
        [initial.velocities]
        A = [2, 0]
        [changes.meet]
        when = "point.A.x >= point.B.x"
        attach = ["coupler"]
        [changes.part]
        at = 1
        detach = ["coupler"]
        [changes.again]
        at = 1.2
        attach = ["coupler"]
        [simulation]
        duration = 2
        output_step = 0.1
        tolerance = 1e-11"#;
    for kind in ["fixed", "revolute"] {
        let model = model(&text.replace("TYPE", kind));
        each(&model, |seen| {
            let events = seen.events(EventKind::Change);
            let names: Vec<_> = events.iter().map(|event| event.name.as_str()).collect();
            assert_eq!(names, ["meet", "part", "again"]);
            seen.near("when", events[0].t, 0.5, 1e-12);
            seen.near("loss", events[0].energy, -0.5 * 6.0 / 5.0 * 4.0, 1e-10);
            seen.near("parting", events[1].energy, 0.0, 1e-10);
            seen.near("again", events[2].energy, 0.0, 1e-10);
            let work = seen.column("energy.work");
            seen.near("work", *work.last().unwrap(), -2.4, 1e-9);
            let last = seen.run.frames.len() - 1;
            for point in ["A", "B"] {
                let [r, v] = seen.at(point, last);
                seen.near("speed", v[0], 0.8, 1e-11);
                seen.near("place", r[0], 1.0 + 0.8 * 1.5, 1e-10);
            }
        });
    }
    // too far apart
    let far = text.replace("TYPE", "fixed").replace("point.A.x >= point.B.x", "point.A.x >= point.B.x - 0.2");
    let seen = Seen::of(&model(&far), Formulation::Auto);
    let Status::Failed(failure) = &seen.run.summary.status else { panic!("{:?}", seen.run.summary) };
    let text = &failure.message;
    assert!(text.contains("coupler") && text.contains("2.000e-1 m apart"), "{text}");
}

/// A rotating rod hits a peg that it is to hang on: angular momentum about the peg is kept.
#[test]
fn rod_catches_a_hook() {
    let model = model(
        r#"model = { dimension = 2, gravity = "none" }
        [points]
        H = [1, 2]
        A = [1, 0]
        C = [0, 0]
        [bodies]
        ground = { points = ["H"] }
        rod = { points = ["A", "C"], mass = 3, com = "C", inertia = 1 }
        [joints.hook]
        type = "revolute"
        bodies = ["ground", "rod"]
        at = ["H", "A"]
        active = false
        [initial.velocities]
        C = [0, 1]
        [changes.catch]
        at = 2
        attach = ["hook"]
        [simulation]
        duration = 3
        output_step = 0.1
        tolerance = 1e-12"#,
    );
    each(&model, |seen| {
        // about the hook L = −m v r, I = 1 + 3·1²
        let w = -3.0 / 4.0;
        let event = seen.events(EventKind::Change)[0];
        seen.near("loss", event.energy, 0.5 * 4.0 * w * w - 1.5, 1e-10);
        let [r, v] = seen.at("C", seen.run.frames.len() - 1);
        seen.near("x", r[0], 1.0 - w.cos(), 1e-9);
        seen.near("y", r[1], 2.0 - w.sin(), 1e-9);
        seen.near("speed", v[0].hypot(v[1]), -w, 1e-10);
    });
}

/// A load that drops off a spring: the hook below swings about its own equilibrium, with the spring's default length kept.
#[test]
fn load_drops_off() {
    let model = model(
        r#"model = { dimension = 2, gravity = [0, -9.81] }
        [points]
        O = [0, 0]
        G = [0, 0]
        H = [0, -1]
        L = [0, -1]
        [bodies]
        ground = { points = ["O", "G"] }
        hook = { points = ["H"], mass = 1, com = "H", inertia = 0.1 }
        load = { points = ["L"], mass = 3, com = "L", inertia = 0.1 }
        [joints.rail]
        type = "prismatic"
        bodies = ["ground", "hook"]
        at = ["G", "H"]
        axis = [0, 1]
        [joints.weld]
        type = "fixed"
        bodies = ["hook", "load"]
        at = ["H", "L"]
        [springs.coil]
        between = ["O", "H"]
        stiffness = 100
        [changes.drop]
        at = 0.5
        remove = ["load"]
        [simulation]
        duration = 2
        output_step = 0.1
        tolerance = 1e-12"#,
    );
    each(&model, |seen| {
        // below the free length of 1 m: x'' = g − k x/m
        let motion = |m: f64, x: f64, v: f64, t: f64| {
            let (w, rest) = ((100.0 / m).sqrt(), m * G / 100.0);
            let (s, c) = (w * t).sin_cos();
            (rest + (x - rest) * c + v / w * s, v * c - (x - rest) * w * s)
        };
        let (x, v) = motion(4.0, 0.0, 0.0, 0.5);
        for (row, &t) in seen.times().iter().enumerate() {
            let expected = if t < 0.5 { motion(4.0, 0.0, 0.0, t).0 } else { motion(1.0, x, v, t - 0.5).0 };
            seen.near("place", -1.0 - seen.at("H", row)[0][1], expected, 1e-9);
        }
        let from = seen.after(0.5);
        let event = seen.events(EventKind::Change)[0];
        seen.near("energy", event.energy, -(1.5 * v * v - 3.0 * G * (1.0 + x)), 1e-9);
        assert!(seen.column("point.L.y")[from..].iter().all(|y| y.is_nan()), "empty cells");
        assert!(seen.column("point.L.y")[..from].iter().all(|y| y.is_finite()));
        let mass = seen.column("balance.mass");
        assert_eq!((mass[from - 1], mass[from]), (4.0, 1.0));
    });
}

/// A ball that appears as drawn, with its start velocity; and one that a rotating arm lets go.
#[test]
fn bodies_appear() {
    let model = model(&format!(
        r#"{PLANE}
        [points]
        O = [0, 0]
        T = [0.5, 0]
        P = [0.5, 0]
        Q = [3, 1]
        [bodies]
        ground = {{ points = ["O"] }}
        arm = {{ points = ["O", "T"], mass = 1 }}
        thrown = {{ points = ["P"], mass = 0.2, com = "P", inertia = 0.01, present = false }}
        placed = {{ points = ["Q"], mass = 0.3, com = "Q", inertia = 0.01, present = false }}
        [initial.velocities]
        Q = [1, 2]
        [drivers.spin]
        joint = "O"
        value = "3*t"
        [changes.throw]
        at = 0.4
        add = ["thrown"]
        moving_with = "arm"
        [changes.place]
        when = "t > 0.3"
        add = ["placed"]
        {FINE}"#
    ));
    each(&model, |seen| {
        let last = seen.run.frames.len() - 1;
        let (s, c) = 1.2_f64.sin_cos();
        let [r, _] = seen.at("P", last);
        seen.near("x of P", r[0], 0.5 * c - 1.5 * s * 0.6, 1e-10);
        seen.near("y of P", r[1], 0.5 * s + 1.5 * c * 0.6 - 0.5 * G * 0.36, 1e-10);
        let [r, _] = seen.at("Q", last);
        seen.near("x of Q", r[0], 3.7, 1e-10);
        seen.near("y of Q", r[1], 1.0 + 2.0 * 0.7 - 0.5 * G * 0.49, 1e-10);
        seen.near("turn", seen.column("joint.O.q")[last], 3.0, 1e-11);
        let events = seen.events(EventKind::Change);
        assert_eq!((events[0].name.as_str(), events[1].name.as_str()), ("place", "throw"));
        seen.near("energy of Q", events[0].energy, 0.5 * 0.3 * 5.0 + 0.3 * G, 1e-10);
        seen.near("energy of P", events[1].energy, 0.1 * 2.25 + 0.005 * 9.0 + 0.2 * G * 0.5 * s, 1e-10);
    });
}

/// A hanging chain of n links whose end is pulled down with a force that grows: the top link breaks when it bears all, and what is below falls freely.
#[test]
fn hanging_chain_breaks() {
    // of a lumped chain half of the broken segment stays above
    for (kind, below) in [("kind = \"lumped\"", 2.95), ("kind = \"rods\"", 3.0)] {
        let model = model(&format!(
            r#"{PLANE}
            [points]
            A = [0, 0]
            B = [0, -2]
            [bodies]
            ground = {{ points = ["A"] }}
            load = {{ points = ["B"], mass = 2, com = "B", inertia = 0.1 }}
            [chains.rope]
            from = "A"
            to = "B"
            segments = 10
            mass_per_length = 0.5
            break_force = 40
            {kind}
            [forces.pull]
            body = "load"
            at = "B"
            force = [0, "-20*t"]
            [simulation]
            duration = 1.5
            output_step = 0.1
            tolerance = 1e-11"#
        ));
        each(&model, |seen| {
            let hanging = 3.0;
            let broke = seen.events(EventKind::Break);
            assert_eq!((broke.len(), broke[0].name.as_str()), (1, "rope/1"));
            let when = (40.0 - hanging * G) / 20.0;
            seen.near("when", broke[0].t, when, 1e-9);
            let t: f64 = 1.5 - when;
            let pulled = 20.0 / below * (1.5_f64.powi(3) / 6.0 - when.powi(3) / 6.0 - when * when * t / 2.0);
            let [r, _] = seen.at("B", seen.run.frames.len() - 1);
            seen.near("fall", -2.0 - r[1], 0.5 * G * t * t + pulled, 1e-8);
        });
    }
}

/// A chain that is cut while it swings: both parts go on from the same state, and what is cut off, all alone, keeps the path of its centre of mass.
#[test]
fn chain_is_cut() {
    for stiffness in ["", "stiffness = 2000\ndamping = 5\n"] {
        let model = model(&format!(
            r#"{PLANE}
            [points]
            A = [0, 0]
            B = [2, 0]
            [bodies]
            ground = {{ points = ["A"] }}
            [chains.rope]
            from = "A"
            to = "B"
            segments = 5
            mass_per_length = 0.5
            {stiffness}
            [changes.cut]
            at = 0.3
            cut = {{ rope = 0.9 }}
            {FINE}"#
        ));
        each(&model, |seen| {
            let from = seen.after(0.3);
            // segment 3 is gone: nodes 3, 4 and the end B, halves of it included
            let centre = |row: usize| {
                let parts: Vec<_> = ["rope/3", "rope/4", "B"].iter().map(|p| seen.at(p, row)).collect();
                parts
            };
            let stage = seen.run.frames[from].stage.as_deref().unwrap();
            let m = &stage.chains()[0].masses[3..];
            let total: f64 = m.iter().sum();
            let mean = |row: usize, what: usize, i: usize| {
                centre(row).iter().zip(m).map(|(state, m)| m * state[what][i]).sum::<f64>() / total
            };
            let last = seen.run.frames.len() - 1;
            let t = 0.7;
            seen.near("x", mean(last, 0, 0), mean(from, 0, 0) + mean(from, 1, 0) * t, 1e-9);
            let fall = mean(from, 0, 1) + mean(from, 1, 1) * t - 0.5 * G * t * t;
            seen.near("y", mean(last, 0, 1), fall, 1e-9);
            for point in ["rope/1", "rope/2", "rope/3", "rope/4", "B"] {
                let [before, after] = [from - 1, from].map(|row| seen.at(point, row));
                for i in 0..2 {
                    seen.near("place", after[0][i], before[0][i], 1e-14);
                    seen.near("velocity", after[1][i], before[1][i], 1e-12);
                }
            }
        });
    }
}

/// What has nothing to do with a change goes on: a block that friction holds on a slope, a lock, a driver, turns that are counted, a spring at its
/// default length.
#[test]
fn the_rest_goes_on() {
    let model = model(
        r#"model = { dimension = 2, gravity = [0, -9.81] }
        [points]
        S = [0, 5]
        O = [5, 0]
        P = [6, 0]
        L = [8, 0]
        M = [9, 0]
        W = [12, 0]
        V = [13, 0]
        X = [20, 0]
        Y = [20, -1]
        [bodies]
        ground = { points = ["O", "L", "W", "X"] }
        block = { points = ["S"], mass = 2, com = "S", inertia = 1 }
        falls = { points = ["O", "P"], mass = 1 }
        held = { points = ["L", "M"], mass = 1 }
        wheel = { points = ["W", "V"], mass = 1 }
        bob = { points = ["Y"], mass = 1 }
        [surfaces]
        slope = { type = "plane", at = [0, 4], normal = [-0.2, 1] }
        foot1 = { type = "point", body = "block", at = [-0.5, 3.9] }
        foot2 = { type = "point", body = "block", at = [0.5, 4.1] }
        [contacts.stand]
        between = ["slope", ["foot1", "foot2"]]
        friction = 0.5
        [locks.brake]
        joint = "L"
        from = 0
        [drivers.spin]
        joint = "W"
        value = "20*t"
        [springs.coil]
        between = ["X", "Y"]
        stiffness = 100
        [changes.first]
        at = 0.4
        detach = ["O"]
        [changes.second]
        when = "point.P.y < -3"
        remove = ["falls"]
        [simulation]
        duration = 1.5
        output_step = 0.05
        tolerance = 1e-11"#,
    );
    each(&model, |seen| {
        let names: Vec<_> = seen.events(EventKind::Change).iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        let state = seen.column("contact.stand.slope.foot1.state");
        assert!(state[1..].iter().all(|&s| s == 2.0), "it sticks throughout: {state:?}");
        let slips = [EventKind::Slip, EventKind::Lift, EventKind::Impact];
        assert!(slips.iter().all(|&kind| seen.events(kind).is_empty()));
        let (locked, turns) = (seen.column("lock.brake.locked"), seen.column("joint.W.q"));
        for (row, &t) in seen.times().iter().enumerate() {
            seen.near("block", seen.at("S", row)[0][0], 0.0, 1e-9);
            seen.near("locked", seen.at("M", row)[0][1], 0.0, 1e-9);
            assert!(t == 0.0 || locked[row] == 1.0);
            seen.near("turns", turns[row], 20.0 * t, 1e-9);
            let fall = G / 100.0 * (1.0 - (10.0 * t).cos());
            seen.near("spring", -1.0 - seen.at("Y", row)[0][1], fall, 1e-8);
        }
        assert!(seen.events(EventKind::Lock).is_empty(), "closed from the start, it does not engage anew");
    });
}

/// At the start, at the end, two at once, one whose condition is true from the start, one that reads what another takes away.
#[test]
fn changes_at_odd_times() {
    let text = |changes: &str| {
        let text = format!(
            r#"{PLANE}
            [points]
            A = [0, 0]
            B = [1, 0]
            C = [2, 0]
            [bodies]
            ground = {{ points = ["A"] }}
            one = {{ points = ["A", "B"], mass = 1 }}
            two = {{ points = ["B", "C"], mass = 1 }}
            {changes}
            {FINE}"#
        );
        model(&text)
    };
    let fallen = -0.5 * G;
    for when in ["at = 0", "when = \"t >= 0\""] {
        each(&text(&format!("[changes.go]\n{when}\ndetach = [\"A\"]\n")), |seen| {
            seen.near("end", seen.at("C", seen.run.frames.len() - 1)[0][1], fallen, 1e-9);
            assert_eq!(seen.events(EventKind::Change)[0].t, 0.0);
        });
    }
    each(&text("[changes.go]\nat = 1\ndetach = [\"B\"]\n"), |seen| {
        assert_eq!(seen.events(EventKind::Change).len(), 1);
        assert_eq!(*seen.times().last().unwrap(), 1.0);
    });
    let two = "[changes.go]\nat = 0\ndetach = [\"A\"]\n[changes.too]\nat = 0\ndetach = [\"B\"]\n";
    each(&text(two), |seen| {
        assert_eq!(seen.events(EventKind::Change).len(), 2);
        seen.near("end", seen.at("C", seen.run.frames.len() - 1)[0][1], fallen, 1e-9);
    });
    let reads = "[changes.go]\nat = 0.2\nremove = [\"two\"]\n[changes.never]\nwhen = \"joint.B.q > 100\"\ndetach = [\"A\"]\n";
    each(&text(reads), |seen| assert_eq!(seen.events(EventKind::Change).len(), 1));
}

/// Formulations agree over a change.
#[test]
fn cross_comparison_over_a_change() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut model = Model::from_file(folder.join("breaking-chain.toml")).unwrap();
    model.settings.duration = 0.9;
    let comparison = model.assemble().unwrap().compare().unwrap();
    assert!(comparison.agrees(), "{comparison:#?}");
}
