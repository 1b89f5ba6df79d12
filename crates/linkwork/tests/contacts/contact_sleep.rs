//! Bodies that sleep under time steps over contacts, and what wakes them.

use linkwork::Model;
use linkwork::linalg::vec3::{norm, sub};
use linkwork::mechanism::Mechanism;
use linkwork::simulation::{Status, Trajectory};

fn assembled(text: &str) -> Mechanism {
    let model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"));
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

fn run(text: &str) -> Trajectory {
    let run = assembled(text).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    run
}

/// Three cubes on each other and one beside them, all still from the start, and what else there is.
fn cubes(more_points: &str, more_bodies: &str, more: &str, settings: &str) -> String {
    format!(
        r#"format = 1
model = {{ dimension = 3, gravity = [0, 0, -9.81] }}
[points]
A = [0, 0, 0.1]
B = [0, 0, 0.3]
C = [0, 0, 0.5]
D = [0, 1, 0.1]
{more_points}
[bodies]
a = {{ points = ["A"], mass = 2, shape = {{ type = "box", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }} }}
b = {{ points = ["B"], mass = 2, shape = {{ type = "box", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }} }}
c = {{ points = ["C"], mass = 2, shape = {{ type = "box", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }} }}
d = {{ points = ["D"], mass = 2, shape = {{ type = "box", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }} }}
{more_bodies}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
{more}
[simulation]
output_step = 0.05
contact_method = "steps"
step = 2e-3
{settings}
"#
    )
}

const SLEEP: &str = "sleep = 0.3";

/// How far the bodies of two runs are apart, at most.
fn apart(one: &Trajectory, other: &Trajectory) -> f64 {
    let rows = one.frames.iter().zip(&other.frames);
    rows.flat_map(|(a, b)| a.motions.iter().zip(&b.motions)).fold(0.0, |m, (a, b)| m.max(norm(sub(a.c, b.c))))
}

/// What sleeps shows the forces and energies that it had, and a ball that flies into a stack wakes it, but not what stands beside it. With and without sleep the motion is the same.
#[test]
fn cross_stack_that_is_struck_wakes() {
    let text = |sleep: &str| {
        cubes(
            "S = [-2.0, 0, 0.85]",
            r#"s = { points = ["S"], mass = 1, shape = { type = "sphere", radius = 0.1 } }"#,
            r#"[contacts]
f = { between = [["a", "b", "c", "d", "s"], "floor"], friction = 0.4 }
m = { among = ["a", "b", "c", "d", "s"], friction = 0.4 }
[initial.velocities]
S = [4.0, 0, 1.2]"#,
            &format!("duration = 1\n{sleep}"),
        )
    };
    let (with, without) = (run(&text(SLEEP)), run(&text("")));
    let counts = with.summary.contact_steps.unwrap();
    println!(
        "asleep {} at the end, {} at most; {:.1e} m apart; drift {:.1e} J, {:.1e} J without",
        counts.asleep,
        counts.most_asleep,
        apart(&with, &without),
        with.summary.energy_drift,
        without.summary.energy_drift
    );
    assert_eq!((counts.asleep, counts.most_asleep), (1, 4));
    assert_eq!(without.summary.contact_steps.unwrap().most_asleep, 0);
    // a stack at rest is solved to 1e-10 of its weight, what is struck to 1e-6 and less
    assert!(apart(&with, &without) < 1e-6, "{:.1e}", apart(&with, &without));
    let last = with.frames.last().unwrap();
    assert!(norm(sub(last.motions[2].c, [0.0, 0.0, 0.5])) > 0.05, "the topmost cube was struck");
    // asleep: the floor still bears what stands on it
    let asleep = &with.frames[8];
    let on_floor = asleep.pushes.iter().filter(|push| push.bodies.contains(&None));
    let borne: f64 = on_floor.map(|push| push.normal_force().abs()).sum();
    println!("the floor bears {borne:.9} N");
    assert!((borne - 8.0 * 9.81).abs() < 1e-6, "{borne}");
    for (a, b) in with.frames.iter().zip(&without.frames) {
        assert!(
            (a.potential - b.potential).abs() < 1e-5 && (a.kinetic - b.kinetic).abs() < 1e-5,
            "t = {}",
            a.t
        );
    }
}

/// A force that begins at 0.6 s wakes the cube it acts on: from there on it slides with (F − μ m g)/m.
#[test]
fn exact_force_wakes() {
    let text = cubes(
        "",
        "",
        r#"[forces]
pull = { body = "d", at = "D", force = ["if(t < 0.6, 0, 12)", 0, 0] }
[contacts]
f = { between = [["a", "d"], "floor"], friction = 0.4 }
m = { among = ["a", "b", "c"], friction = 0.4 }"#,
        &format!("duration = 1\n{SLEEP}"),
    );
    let slides = run(&text);
    let counts = slides.summary.contact_steps.unwrap();
    let x = slides.frames.last().unwrap().motions[3].c[0];
    let expected = 0.5 * (12.0 / 2.0 - 0.4 * 9.81) * 0.4 * 0.4;
    println!("slid {x:.6} m, closed form {expected:.6} m, asleep {counts:?}");
    assert_eq!((counts.asleep, counts.most_asleep), (3, 4));
    // the force begins within a step: half a step of the way
    assert!((x - expected).abs() < 2e-3, "{x}");
    let early = slides.frames.iter().filter(|frame| frame.t <= 0.6).map(|frame| frame.motions[3].c[0].abs());
    assert!(early.fold(0.0, f64::max) < 1e-9);
}

/// Going back to where bodies slept gives the same bits, and steps over them need no sweeps.
#[test]
fn same_bits_of_what_sleeps() {
    let text = cubes(
        "",
        "",
        r#"[contacts]
f = { between = [["a", "d"], "floor"], friction = 0.4 }
m = { among = ["a", "b", "c"], friction = 0.4 }"#,
        &format!("duration = 3\n{SLEEP}"),
    );
    let mechanism = assembled(&text);
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.2).unwrap();
    let saved = simulation.save();
    simulation.advance_to(2.0).unwrap();
    let first = simulation.state().clone();
    simulation.restore(&saved).unwrap();
    simulation.advance_to(2.0).unwrap();
    assert_eq!(first, simulation.state().clone());
    let (long, short) = (run(&text), run(&text.replace("duration = 3", "duration = 1")));
    let [long, short] = [long, short].map(|run| run.summary.contact_steps.unwrap());
    assert_eq!((long.sweeps, long.asleep), (short.sweeps, 4));
    assert!(long.steps > 2 * short.steps);
}
