//! Beams in motion: against another engine, closed forms and the rigid mechanism.

use super::{assemble, distance};
use crate::suite;
use linkwork::Model;
use linkwork::model::{Beam, BeamOrder, Body, Formulation, Integrator, ModelFile, Settings};
use linkwork::sensitivity::{Quantity, Study, Take};
use linkwork::simulation::{Status, Trajectory};
use serde_json::Value;

/// Places of a point at times, of a run that must finish.
fn places(model: &Model, point: &str, times: &[f64]) -> (Vec<[f64; 3]>, Trajectory) {
    let mechanism = assemble(model);
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    let k = mechanism.points().iter().position(|p| p.name == point).expect("a point");
    let at = |t: &f64| run.frames.iter().find(|f| (f.t - t).abs() < 1e-9).expect("a row").positions[k];
    (times.iter().map(at).collect(), run)
}

/// What Exudyn 1.13.6 says: `studies/beam_peers.py`.
fn peer(case: &str) -> (Vec<f64>, Vec<[f64; 3]>) {
    let all: Value = serde_json::from_str(include_str!("../../data/exudyn_beams.json")).expect("a file");
    let entry = all["cases"].as_array().expect("cases").iter().find(|c| c["case"] == case).expect("a case");
    let number = |v: &Value| v.as_f64().expect("a number");
    let list = |key: &str| entry[key].as_array().expect("a list");
    let places = list("places").iter().map(|p| [number(&p[0]), number(&p[1]), 0.0]).collect();
    (list("times").iter().map(number).collect(), places)
}

/// A flexible rod let go from the horizontal, 32 elements with two nodes in both engines.
#[test]
fn cross_flexible_pendulum_with_exudyn() {
    let (times, theirs) = peer("pendulum");
    let settings = Settings {
        formulation: Formulation::Points,
        integrator: Integrator::Esdirk4,
        ..suite::settings(0.5, 0.1, 1e-6)
    };
    let model = Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .beam(
            Beam::new("rod", "A", "B")
                .stiffness(1e4, [1.0; 2], 1.0)
                .shear([4e3; 2])
                .elements(32, BeamOrder::Linear),
        )
        .settings(settings);
    let (found, run) = places(&model, "B", &times);
    for (t, (ours, theirs)) in times.iter().zip(found.iter().zip(&theirs)) {
        println!("{t}: {:.1e} m apart", distance(*ours, *theirs));
        assert!(distance(*ours, *theirs) < 1e-3, "{t}: {ours:?} {theirs:?}");
    }
    println!("{} steps, drift {:.1e}", run.summary.steps.accepted_steps, run.summary.relative_energy_drift());
    assert!(run.summary.relative_energy_drift() < 1e-5);
}

/// A crank of 150 mm, driven from rest to 20 rad/s, with a flexible coupler of 300 mm and a slider: the middle of the coupler, 32 elements with two nodes in both engines.
#[test]
fn cross_flexible_slider_crank_with_exudyn() {
    let (times, theirs) = peer("slider");
    let model = Model::from_toml(SLIDER).unwrap_or_else(|e| panic!("{e}"));
    let (found, run) = places(&model, "C", &times);
    for (t, (ours, theirs)) in times.iter().zip(found.iter().zip(&theirs)) {
        println!("{t}: {:.1e} m apart", distance(*ours, *theirs));
        assert!(distance(*ours, *theirs) < 3e-4, "{t}: {ours:?} {theirs:?}"); // 1e-3 of the coupler
    }
    println!("{} steps", run.summary.steps.accepted_steps);
}

const SLIDER: &str = r#"
format = 1
model = { name = "flexible slider-crank", gravity = "none" }

[points]
O = [0, 0]
A = [0.15, 0]
C = [0.3, 0]
B = [0.45, 0]

[bodies]
ground = { points = ["O"] }
crank = { points = ["O", "A"], mass = 0.1 }
slider = { points = ["B"], mass = 0.2 }

[beams.coupler]
from = "A"
to = "B"
points = ["C"]
elements = 32
order = "linear"
axial_stiffness = 2e5
shear_stiffness = 5e4
bending_stiffness = 0.6
mass_per_length = 0.2
damping = 1e-3

[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = "B"
axis = [1, 0]

[drivers.motor]
joint = "O"
value = "if(t < 0.2, 4*((t/0.2)^3 - 0.5*(t/0.2)^4), 20*(t - 0.1))"

[simulation]
duration = 0.5
output_step = 0.1
tolerance = 1e-6
"#;

/// Kane's spin-up: a beam of 10 m is brought to 6 rad/s within 15 s. It leans back, comes forward again and stays there, and in steady rotation it is longer by ρA Ω² L³/3EA. Models that
/// leave out what the centrifugal force does to bending grow without bound.
#[test]
fn exact_stretch_of_a_beam_that_is_spun_up() {
    let model = Model::from_toml(SPIN).unwrap_or_else(|e| panic!("{e}"));
    let mechanism = assemble(&model);
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    let tip = mechanism.points().iter().position(|p| p.name == "B").expect("a point");
    let lag: Vec<[f64; 2]> = run
        .frames
        .iter()
        .map(|frame| {
            let (turned, at) = (angle(frame.t), frame.positions[tip]);
            let (sin, cos) = turned.sin_cos();
            [cos * at[0] + sin * at[1] - 10.0, cos * at[1] - sin * at[0]]
        })
        .collect();
    let back = lag.iter().map(|x| x[1]).fold(0.0, f64::min);
    let last: Vec<f64> = lag[lag.len() - 20..].iter().map(|x| x[0]).collect();
    let stretch = last.iter().sum::<f64>() / last.len() as f64;
    println!("leans back by {back} m, stretch {stretch:.4e} m, {} steps", run.summary.steps.accepted_steps);
    let exact = 1.2 * 36.0 * 1000.0 / (3.0 * 2.8e7);
    // the published figure shows between 0.5 and 0.6 m
    assert!((-0.65..-0.45).contains(&back), "{back}");
    // it still swings a little across, which pulls the tip in
    assert!((stretch / exact - 1.0).abs() < 0.02, "{stretch} {exact}");
}

fn angle(t: f64) -> f64 {
    let pi = std::f64::consts::PI;
    if t >= 15.0 {
        return 6.0 * t - 45.0;
    }
    6.0 / 15.0 * (0.5 * t * t + (15.0 / (2.0 * pi)).powi(2) * ((2.0 * pi * t / 15.0).cos() - 1.0))
}

const SPIN: &str = r#"
format = 1
model = { name = "spin-up", gravity = "none" }

[points]
A = [0, 0]
B = [10, 0]
H = [0, 1]

[bodies]
ground = { points = ["A"] }
hub = { points = ["A", "H"], mass = 1 }

[beams.blade]
from = "A"
to = "B"
clamp = ["hub", "none"]
elements = 8
axial_stiffness = 2.8e7
shear_stiffness = 1e7
bending_stiffness = 1.4e4
mass_per_length = 1.2

[drivers.motor]
joint = "A.hub"
value = "if(t < 15, 6/15*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)"

[simulation]
duration = 20
output_step = 0.05
tolerance = 1e-5
"#;

/// The stiffer a beam, the nearer is a swinging one to the rigid rod of its mass: differences fall in proportion to 1/EI. Simpson's masses have the moment of inertia of the rod.
#[test]
fn order_of_the_rigid_limit() {
    let swing = |beam: Option<f64>| {
        let settings = Settings { formulation: Formulation::Points, ..suite::settings(0.6, 0.6, 1e-8) };
        let model = Model::planar("rod").gravity([0.0, -9.81]).point("A", [0.0, 0.0]).point("B", [1.0, 0.0]);
        let model = match beam {
            None => model.ground(["A"]).body(Body::rod("rod", ["A", "B"], 2.0)),
            Some(stiffness) => model.ground(["A"]).beam(
                Beam::new("rod", "A", "B")
                    .stiffness(1e6 * stiffness, [stiffness; 2], 2.0)
                    .elements(4, BeamOrder::Quadratic)
                    // what still vibrates dies away: the limit is of the motion, not of a vibration
                    .damping(2.0 / stiffness),
            ),
        };
        places(&model.settings(settings), "B", &[0.6]).0[0]
    };
    let rigid = swing(None);
    let errors = [1e2, 1e3, 1e4].map(|stiffness| distance(swing(Some(stiffness)), rigid));
    println!("{errors:?}");
    for pair in errors.windows(2) {
        assert!((6.0..16.0).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

/// A beam that is welded to the ground and may break half way: at a moment of 3 N m under a force that grows by 1 N/s at 2 m from its end, and when a change opens it. The force is then
/// F = 3 N m/1 m, and the outer half, 1 kg/m, flies with F/m.
#[test]
fn exact_a_beam_breaks_at_a_moment_and_at_a_time() {
    let text = |how: &str, change: &str| {
        format!(
            r#"
format = 1
model = {{ name = "breaking", gravity = "none" }}
points = {{ A = [0, 0], C = [1, 0], B = [2, 0] }}
bodies = {{ ground = {{ points = ["A"] }} }}
[beams.rod]
from = "A"
to = "B"
points = ["C"]
elements = 4
clamp = ["ground", "none"]
axial_stiffness = 1e6
bending_stiffness = 1e3
mass_per_length = 1
damping = 1e-2
breaks_at = ["C"]
{how}
[forces.pull]
body = "rod/B"
at = "B"
force = [0, "t"]
{change}
[simulation]
duration = 4
output_step = 0.05
tolerance = 1e-6
"#
        )
    };
    for (how, change, broken) in
        [("break_moment = 3", "", 3.0), ("", "[changes.snap]\nat = 2\ndetach = [\"rod/C\"]", 2.0)]
    {
        let model = Model::from_toml(&text(how, change)).unwrap_or_else(|e| panic!("{e}"));
        let mechanism = assemble(&model);
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
        let at = |name: &str, t: f64| {
            let k = mechanism.points().iter().position(|p| p.name == name).expect("a point");
            run.frames.iter().rfind(|f| f.t <= t + 1e-9).expect("a row").positions[k]
        };
        let (before, after) = (broken - 0.15, broken + 0.15);
        // the outer half turns about its middle and flies: the tip moves by more than that of the whole beam in the same time
        let moved = [before, after].map(|t| at("B", t)[1] - at("B", t - 0.1)[1]);
        println!("broken at {broken}: {moved:?}, at the end {:?} {:?}", at("C", 4.0), at("B", 4.0));
        assert!(moved[1] > 5.0 * moved[0].abs(), "{moved:?}");
        // the inner half goes back to where it was drawn
        assert!(at("C", 4.0)[1].abs() < 1e-3, "{:?}", at("C", 4.0));
        // momentum of the outer half, of two elements of 0.5 kg: all that the force gives
        let momentum = |t: f64| -> f64 {
            let frame = run.frames.iter().rfind(|f| f.t <= t + 1e-9).expect("a row");
            let speed = |name: &str| {
                let k = mechanism.points().iter().position(|p| p.name == name).expect("a point");
                frame.velocities[k][1]
            };
            let names = ["rod/C/2", "rod/6", "rod/7", "rod/8", "B"];
            names.iter().zip([1.0, 4.0, 2.0, 4.0, 1.0]).map(|(name, part)| part / 12.0 * speed(name)).sum()
        };
        let gained = momentum(4.0) - momentum(after);
        let given = 0.5 * (16.0 - after * after);
        assert!((gained / given - 1.0).abs() < 1e-4, "{gained} {given}");
    }
}

/// Derivatives through a beam by its stiffness and by the place of its tip: differences of runs that repeat the steps, against the slope of runs on both sides, each with steps of its own.
#[test]
fn cross_sensitivities_through_a_beam() {
    let text = |stiffness: f64, length: f64| {
        format!(
            r#"
format = 1
model = {{ name = "sensitive", dimension = 2, gravity = [0, -9.81] }}
parameters = {{ EI = {stiffness}, L = {length} }}
points = {{ A = [0, 0], B = ["L", 0] }}
bodies = {{ ground = {{ points = ["A"] }} }}
[beams.rod]
from = "A"
to = "B"
clamp = ["ground", "none"]
elements = 2
axial_stiffness = 1e4
bending_stiffness = "EI"
mass_per_length = 1
[simulation]
duration = 0.3
output_step = 0.1
tolerance = 1e-8
"#
        )
    };
    let file = ModelFile::parse("model.toml", text(2.0, 1.0)).unwrap_or_else(|e| panic!("{e}"));
    let of = vec![Quantity::new(Take::Final, "point.B.y")];
    let study = Study::of_file(&file, &["EI", "L"], of).unwrap_or_else(|e| panic!("{e}"));
    let found = study.differences().unwrap_or_else(|e| panic!("{e}"));
    let y = |stiffness: f64, length: f64| {
        let model = Model::from_toml(&text(stiffness, length)).unwrap_or_else(|e| panic!("{e}"));
        places(&model, "B", &[0.3]).0[0][1]
    };
    let h = 1e-3;
    let slopes =
        [(y(2.0 + h, 1.0) - y(2.0 - h, 1.0)) / (2.0 * h), (y(2.0, 1.0 + h) - y(2.0, 1.0 - h)) / (2.0 * h)];
    println!("{:?} {slopes:?}, said {:?}", found.derivatives, found.errors);
    for (derivative, slope) in found.derivatives[0].iter().zip(slopes) {
        // h² of the slope, and the errors of those runs over h
        assert!((derivative / slope - 1.0).abs() < 1e-3, "{:?} {slopes:?}", found.derivatives);
    }
}
