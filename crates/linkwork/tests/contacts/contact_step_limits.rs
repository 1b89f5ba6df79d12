//! Limits of joints in time steps over contacts: they stop, bounce, bear loads and let go, in one problem with the contacts.

use crate::suite;

use linkwork::model::Model;
use linkwork::simulation::{Status, Trajectory};
use suite::{G, applicable};

fn read(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"))
}

fn run(model: &Model) -> Trajectory {
    let run = model.assemble().unwrap_or_else(|faults| panic!("{faults}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    run
}

/// Force or torque of the first limit in a row.
fn force_of_limit(model: &Model, run: &Trajectory, row: usize) -> f64 {
    model.assemble().unwrap().events().limits[0].row.force(&run.frames[row])
}

/// A rod that falls from the horizontal onto a limit at −30 degrees. The wall is out of reach: it is there since time steps are for models with contacts.
fn falling_rod(restitution: f64, step: f64) -> Model {
    read(&format!(
        r#"format = 1
model = {{ dimension = 2, gravity = "-y" }}
[points]
O = [0, 0]
A = [1, 0]
[bodies]
ground = {{ points = ["O"] }}
rod = {{ points = ["O", "A"], mass = 2 }}
[joints]
pin = {{ type = "revolute", bodies = ["ground", "rod"], at = "O", impact_limits = {{ range = ["-30 deg", "60 deg"], restitution = {restitution} }} }}
[surfaces]
wall = {{ type = "plane", at = [-9, 0], normal = [1, 0] }}
tip = {{ type = "point", at = "A", body = "rod" }}
[contacts]
w = {{ between = ["tip", "wall"], jointed = true }}
[simulation]
duration = 1
output_step = 0.005
contact_method = "steps"
step = {step}
"#
    ))
}

/// Without restitution the rod stays where it falls; the limit bears m g l/2 cos 30°, and the fall is lost.
#[test]
fn exact_rod_rests_on_limit() {
    let model = falling_rod(0.0, 2e-3);
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let run = run(&model);
        let last = run.frames.len() - 1;
        let [x, y, _] = run.frames[last].positions[1];
        let torque = force_of_limit(&model, &run, last);
        println!("{formulation}: {x} {y}, {torque} N m, drift {:e}", run.summary.energy_drift);
        assert!((y + 0.5).abs() < 1e-9 && (x - 0.75_f64.sqrt()).abs() < 1e-9, "{formulation}: {x} {y}");
        assert!((torque - 2.0 * G * 0.5 * 0.75_f64.sqrt()).abs() < 1e-6, "{formulation}: {torque}");
        // the work of the limit takes what the fall has given
        let work = run.frames[last].work;
        assert!((work + 2.0 * G * 0.25).abs() < 0.02, "{formulation}: {work}");
    }
}

/// With restitution e the rod rises to e² of the height that it has fallen, within the order of the step; with e = 1 it keeps its energy.
#[test]
fn exact_rod_bounces_off_limit() {
    for (restitution, top) in [(0.5, -0.375), (1.0, 0.0)] {
        let model = falling_rod(restitution, 1e-3);
        for formulation in applicable(&model) {
            let mut model = model.clone();
            model.settings.formulation = formulation;
            let run = run(&model);
            let heights: Vec<f64> = run.frames.iter().map(|frame| frame.positions[1][1]).collect();
            let hit = heights.iter().position(|y| *y < -0.49).unwrap();
            let rises =
                heights[hit..].windows(2).position(|pair| pair[1] < pair[0] && pair[0] > -0.48).unwrap();
            let highest = heights[hit..=hit + rises].iter().fold(f64::MIN, |m, y| m.max(*y));
            let lowest = heights.iter().fold(f64::MAX, |m, y| m.min(*y));
            println!("e = {restitution}, {formulation}: top {highest}, lowest {lowest}");
            // u h: what the tip moves in a step
            assert!((highest - top).abs() < 4e-3, "{formulation}: {highest}");
            assert!(lowest > -0.5 - 1e-9, "{formulation}: {lowest}");
        }
    }
}

/// A carriage on an inclined rail in space that falls onto its lower limit: it rests there, and the limit bears what the rail does not.
#[test]
fn exact_carriage_rests_on_limit() {
    let model = read(
        r#"format = 1
model = { dimension = 3, gravity = "-z" }
[points]
O = [0, 0, 0]
C = [0, 0, 0]
[bodies]
ground = { points = ["O"] }
carriage = { points = ["C"], com = "C", mass = 3, inertia = [0.1, 0.1, 0.1] }
[joints]
rail = { type = "prismatic", bodies = ["ground", "carriage"], at = ["O", "C"], axis = [0.6, 0, 0.8], impact_limits = { range = [-0.2, 1], restitution = 0.4 } }
[surfaces]
floor = { type = "plane", at = [0, 0, -9], normal = [0, 0, 1] }
tip = { type = "point", at = "C", body = "carriage" }
[contacts]
f = { between = ["tip", "floor"], jointed = true }
[simulation]
duration = 1.5
output_step = 0.1
contact_method = "steps"
step = 2e-3
"#,
    );
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let run = run(&model);
        let last = run.frames.len() - 1;
        let z = run.frames[last].positions[1][2];
        let force = force_of_limit(&model, &run, last);
        println!("{formulation}: z = {z}, {force} N");
        assert!((z + 0.16).abs() < 1e-9, "{formulation}: {z}");
        assert!((force - 3.0 * G * 0.8).abs() < 1e-6, "{formulation}: {force}");
        // all outer forces of a carriage at rest: its weight, the rail is a joint's reaction, and what the limit gives
        let acting = run.frames[last].acting;
        assert!((acting[0] - 0.6 * force).abs() < 1e-6, "{formulation}: {acting:?}");
    }
}

/// Three discs slide down a slope against a door and press it shut.
fn door() -> Model {
    let (sin, cos) = (0.5_f64, 0.75_f64.sqrt());
    let mut text = format!(
        "format = 1\nmodel = {{ dimension = 2, gravity = [{}, {}] }}\n[points]\nO = [0, 0]\nA = [0, 1]\n",
        -G * sin,
        -G * cos
    );
    (0..3).for_each(|i| text += &format!("D{i} = [{}, 0.1]\n", 0.15 + 0.25 * f64::from(i)));
    text += "[bodies]\nground = { points = [\"O\"] }\ndoor = { points = [\"O\", \"A\"], mass = 4 }\n";
    for i in 0..3 {
        text += &format!(
            "d{i} = {{ points = [\"D{i}\"], mass = 1, shape = {{ type = \"disc\", radius = 0.1 }} }}\n"
        );
    }
    text += r#"[joints]
hinge = { type = "revolute", bodies = ["ground", "door"], at = "O", impact_limits = { range = ["-60 deg", 0], restitution = 0.3 } }
[surfaces]
floor = { type = "plane", normal = [0, 1] }
panel = { type = "plane", at = "O", normal = [1, 0], body = "door" }
[contacts]
f = { between = [["d0", "d1", "d2"], "floor"] }
p = { between = [["d0", "d1", "d2"], "panel"], restitution = 0.2 }
d = { among = ["d0", "d1", "d2"] }
[simulation]
duration = 2
output_step = 0.1
contact_method = "steps"
"#;
    read(&text)
}

/// A door that discs press shut: the limit bears their push and the weight of the door, in every formulation. With limits as events this run stalled.
#[test]
fn exact_door_pressed_shut() {
    let model = door();
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let run = run(&model);
        let last = run.frames.len() - 1;
        let torque = force_of_limit(&model, &run, last);
        // of three discs at the height of their radius, and of the door at its middle
        let wanted = -(3.0 * 0.1 + 4.0 * 0.5) * G * 0.5;
        let top = run.frames[last].positions[1];
        println!(
            "{formulation}: {torque} N m of {wanted}, {top:?}, {} steps",
            run.summary.steps.accepted_steps
        );
        assert!((torque / wanted - 1.0).abs() < 1e-5, "{formulation}: {torque} of {wanted}");
        assert!(top[0].abs() < 1e-8, "{formulation}: {top:?}");
        assert!(
            run.summary.steps.accepted_steps < 3000,
            "{formulation}: {}",
            run.summary.steps.accepted_steps
        );
    }
}

/// Forces of limits are part of what is saved: going back gives the same bits.
#[test]
fn same_bits_after_restore_on_limit() {
    let mechanism = door().assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.7).unwrap();
    let saved = simulation.save();
    simulation.advance_to(1.2).unwrap();
    let first = simulation.sample().unwrap().clone();
    simulation.restore(&saved).unwrap();
    simulation.advance_to(1.2).unwrap();
    let again = simulation.sample().unwrap();
    assert_eq!((&first.positions, &first.multipliers), (&again.positions, &again.multipliers));
}
