//! Time steps over contacts: rest, friction, restitution, and what only they can do.

use crate::suite;

use linkwork::model::{Formulation, Model};
use linkwork::simulation::{Status, Trajectory};
use suite::{G, applicable};

fn read(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"))
}

fn run(text: &str) -> Trajectory {
    let run = read(text).assemble().unwrap_or_else(|faults| panic!("{faults}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    run
}

/// A cube on a plane whose slope is a part of what friction holds.
fn cube_on_slope(part: f64, mu: f64, step: f64) -> String {
    let angle = (part * mu).atan();
    let gravity = [G * angle.sin(), 0.0, -G * angle.cos()];
    format!(
        r#"format = 1
model = {{ dimension = 3, gravity = {gravity:?} }}
[points]
C = [0, 0, 0.1]
[bodies]
cube = {{ points = ["C"], mass = 2, shape = {{ type = "box", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["cube", "floor"], friction = {mu} }}
[simulation]
duration = 2
output_step = 0.1
contact_method = "steps"
step = {step}
"#
    )
}

/// Friction holds up to its bound, and beyond it the acceleration is g (sin α − μ cos α).
#[test]
fn exact_slope_holds_and_slides() {
    let held = run(&cube_on_slope(0.9999, 0.5, 2e-3));
    let [early, late] = [held.frames.len() / 2, held.frames.len() - 1].map(|k| held.frames[k].positions[0]);
    println!("held: {early:?}, {late:?}");
    // the first steps do not begin with an answer; what rests then stays to rounding
    assert!(late[0].abs() < 1e-8 && (late[0] - early[0]).abs() < 1e-12, "{early:?}, {late:?}");
    let slides = run(&cube_on_slope(1.0001, 0.5, 2e-3));
    let angle = (1.0001_f64 * 0.5).atan();
    let a = G * (angle.sin() - 0.5 * angle.cos());
    let x = slides.frames.last().unwrap().positions[0][0];
    println!("slides {x:.6e} m, closed form {:.6e} m", 0.5 * a * 4.0);
    // the normal force is found to 1e-6 of the weight, the driving force is 1e-4 of it
    assert!((x / (2.0 * a) - 1.0).abs() < 0.02, "{x}");
}

/// Ten cubes on each other stand without creep.
#[test]
fn exact_stack_rests() {
    let names: Vec<String> = (0..10).map(|i| format!("\"b{i}\"")).collect();
    let mut text = String::from("format = 1\nmodel = { dimension = 3, gravity = \"-z\" }\n[points]\n");
    (0..10).for_each(|i| text += &format!("P{i} = [0, 0, {}]\n", 0.1 + 0.2 * f64::from(i)));
    text += "[bodies]\n";
    for i in 0..10 {
        text += &format!(
            "b{i} = {{ points = [\"P{i}\"], mass = 1, shape = {{ type = \"box\", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }} }}\n"
        );
    }
    let list = names.join(", ");
    text += &format!(
        "[surfaces]\nfloor = {{ type = \"plane\", normal = [0, 0, 1] }}\n[contacts]\n\
         f = {{ between = [[{list}], \"floor\"], friction = 0.5 }}\nb = {{ among = [{list}], friction = 0.5 }}\n\
         [simulation]\nduration = 20\noutput_step = 1\ncontact_method = \"steps\"\nstep = 5e-3\n"
    );
    let stack = run(&text);
    let [early, late] = [stack.frames.len() / 2, stack.frames.len() - 1].map(|k| &stack.frames[k].positions);
    let mut creep: f64 = 0.0;
    for (i, (before, place)) in early.iter().zip(late).enumerate() {
        let off = [place[0], place[1], place[2] - 0.1 - 0.2 * i as f64];
        // the first steps do not begin with an answer
        assert!(off.iter().all(|x| x.abs() < 1e-6), "{i}: {off:?}");
        creep = (0..3).fold(creep, |m, k| m.max((place[k] - before[k]).abs()));
    }
    println!("creep in the last ten seconds {creep:.1e} m");
    assert!(creep < 1e-11, "{creep}");
    let last = stack.frames.last().unwrap();
    assert!(last.kinetic < 1e-20, "{}", last.kinetic);
    let push: f64 = last.contacts.iter().take(40).map(|contact| contact.normal).sum();
    println!("kinetic energy {:.1e} J, floor pushes {push} N", last.kinetic);
    // the floor carries ten kilograms
    assert!((push - 10.0 * G).abs() < 1e-8, "{push}");
}

/// A ball that bounces without losses keeps its energy: a step reverses the velocity where the ball is.
#[test]
fn keeps_energy_of_elastic_bounces() {
    let ball = r#"format = 1
model = { dimension = 3, gravity = "-z" }
[points]
C = [0, 0, 1]
[bodies]
ball = { points = ["C"], mass = 1, shape = { type = "sphere", radius = 0.1 } }
[surfaces]
floor = { type = "plane", normal = [0, 0, 1] }
[contacts]
f = { between = ["ball", "floor"], restitution = 1 }
[simulation]
duration = 20
output_step = 0.1
contact_method = "steps"
step = 1e-3
"#;
    let run = run(ball);
    let first = run.frames[0].energy();
    let off = run.frames.iter().fold(0.0, |m: f64, frame| m.max((frame.energy() - first).abs()));
    println!("energy changes by {off:.1e} J of {first} J");
    // rows lie on ends of steps: roundings of 20,000 steps
    assert!(off < 1e-9, "{off}");
}

/// A ball that is thrown without spin slides, and rolls from 2v/7μg on with 5/7 of its speed.
#[test]
fn order_sliding_ball_begins_to_roll() {
    let (mu, v) = (0.3, 2.0);
    let off = |step: f64| {
        let text = format!(
            r#"format = 1
model = {{ dimension = 3, gravity = "-z" }}
[points]
C = [0, 0, 0.1]
[bodies]
ball = {{ points = ["C"], mass = 1, shape = {{ type = "sphere", radius = 0.1 }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["ball", "floor"], friction = {mu} }}
[initial.velocities]
C = [{v}, 0, 0]
[simulation]
duration = 0.5
output_step = 0.5
contact_method = "steps"
step = {step}
"#
        );
        let run = run(&text);
        let t = 2.0 * v / (7.0 * mu * G);
        let x = v * t - 0.5 * mu * G * t * t + 5.0 / 7.0 * v * (0.5 - t);
        let last = run.frames.last().unwrap();
        assert!((last.motions[0].v[0] - 5.0 / 7.0 * v).abs() < 1e-9, "{:?}", last.motions[0].v);
        (last.positions[0][0] - x).abs()
    };
    let errors = [off(1e-2), off(1e-3), off(1e-4)];
    println!("errors {errors:?}");
    assert!(errors[2] < 1e-6 && errors[2] < 0.02 * errors[0] + 1e-12, "{errors:?}");
}

/// A pendulum that swings against a wall: every formulation gives the same motion, and that of the events as the step becomes short.
#[test]
fn cross_formulations_and_events() {
    let text = |method: &str, step: &str| {
        format!(
            r#"format = 1
model = {{ dimension = 2, gravity = "-y" }}
[points]
A = [0, 0]
B = [0.8, -0.6]
C = [1.6, -0.6]
[bodies]
ground = {{ points = ["A"] }}
upper = {{ points = ["A", "B"], mass = 1 }}
lower = {{ points = ["B", "C"], mass = 1 }}
[surfaces]
wall = {{ type = "plane", at = [-0.3, 0], normal = [1, 0] }}
tip = {{ type = "point", at = "C", body = "lower" }}
[contacts]
w = {{ between = ["tip", "wall"], restitution = 0.5, friction = 0.1 }}
[simulation]
duration = 1
output_step = 0.5
contact_method = "{method}"
{step}
"#
        )
    };
    let end = |text: &str, formulation: Formulation| {
        let mut model = read(text);
        model.settings.formulation = formulation;
        let run = model.assemble().unwrap().simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished, "{formulation}");
        run.frames.last().unwrap().positions[2]
    };
    let events = end(&text("events", ""), Formulation::Recursive);
    let apart = |a: [f64; 3], b: [f64; 3]| (a[0] - b[0]).hypot(a[1] - b[1]);
    for formulation in applicable(&read(&text("events", ""))) {
        let off = [2e-3, 2e-4]
            .map(|step| apart(end(&text("steps", &format!("step = {step}")), formulation), events));
        println!("{formulation}: {off:?} m from the events");
        // order 1 with a factor that depends on where in a step the impacts fall
        assert!(off[1] < 5e-3 && off[1] < 0.6 * off[0], "{formulation}: {off:?}");
    }
}

/// Spheres that fall into a bin: the heap comes to rest, nothing overlaps, energy does not grow.
#[test]
fn keeps_heap_of_spheres() {
    let mut text = String::from("format = 1\nmodel = { dimension = 3, gravity = \"-z\" }\n[points]\n");
    for i in 0..27 {
        let [x, y, z] = [i % 3, i / 3 % 3, i / 9].map(|k| 0.11 * (f64::from(k) - 1.0));
        text += &format!("P{i} = [{}, {}, {}]\n", x + 0.003 * z, y - 0.002 * z, z + 0.17);
    }
    text += "[bodies]\n";
    for i in 0..27 {
        text += &format!(
            "s{i} = {{ points = [\"P{i}\"], density = 2500, shape = {{ type = \"sphere\", radius = 0.05 }} }}\n"
        );
    }
    let list = (0..27).map(|i| format!("\"s{i}\"")).collect::<Vec<_>>().join(", ");
    text += &format!(
        "[surfaces]\nfloor = {{ type = \"plane\", normal = [0, 0, 1] }}\n\
         l = {{ type = \"plane\", at = [-0.2, 0, 0], normal = [1, 0, 0] }}\nr = {{ type = \"plane\", at = [0.2, 0, 0], normal = [-1, 0, 0] }}\n\
         n = {{ type = \"plane\", at = [0, -0.2, 0], normal = [0, 1, 0] }}\nm = {{ type = \"plane\", at = [0, 0.2, 0], normal = [0, -1, 0] }}\n\
         [contacts]\nballs = {{ among = [{list}], friction = 0.4, restitution = 0.2 }}\n\
         bin = {{ between = [[{list}], [\"floor\", \"l\", \"r\", \"n\", \"m\"]], friction = 0.4 }}\n\
         [simulation]\nduration = 1\noutput_step = 0.02\n"
    );
    let heap = run(&text);
    let counts = heap.summary.contact_steps.expect("more than twelve bodies take time steps");
    assert!(counts.overlap < 1e-4 * heap.summary.size, "{counts:?}");
    let grows = heap.frames.windows(2).map(|f| f[1].energy() - f[0].energy()).fold(f64::MIN, f64::max);
    let scale = heap.frames[0].energy();
    println!("{counts:?}, energy grows by at most {grows:.1e} J of {scale:.1} J between rows");
    assert!(grows < 1e-3 * scale, "{grows}");
    let gaps = heap.frames.iter().flat_map(|f| &f.contacts).fold(f64::INFINITY, |m, c| m.min(c.gap));
    assert!(gaps > -1e-4 * heap.summary.size, "{gaps}");
}

/// Where events fail, `auto` goes on with time steps and says so.
#[test]
fn events_that_fail_become_steps() {
    for (name, text) in [
        ("dropped stack", include_str!("../data/contact_stack_dropped.toml")),
        ("turntable", include_str!("../data/cases/turntable-box.toml")),
        ("tilted cylinder", include_str!("../data/contact_cylinder_tilted.toml")),
    ] {
        let run = run(text);
        let remark = run.summary.remarks.iter().find(|remark| remark.code == "contact-steps");
        println!("{name}: {}", remark.map_or("events did", |remark| &remark.message));
        let from_start = run.summary.chosen.as_deref().is_some_and(|why| why.contains("free bodies"));
        assert!(remark.is_some() || from_start, "{name}: nothing says that time steps took over");
        let overlap = run.summary.contact_steps.map_or(0.0, |counts| counts.overlap);
        assert!(overlap < 1e-4 * run.summary.size, "{name}: {overlap}");
    }
}

/// Going back to where a simulation was saved gives the same bits: impulses of the last step are part of it.
#[test]
fn same_bits_after_restore() {
    let text = cube_on_slope(1.5, 0.3, 5e-3);
    let mechanism = read(&text).assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.5).unwrap();
    let saved = simulation.save();
    simulation.advance_to(1.0).unwrap();
    let first = simulation.sample().unwrap().positions[0];
    simulation.restore(&saved).unwrap();
    simulation.advance_to(1.0).unwrap();
    assert_eq!(first, simulation.sample().unwrap().positions[0]);
}

/// What a stiff controller with much damping presses against a wall presses with all its force: the damper feels that the wall stops it.
#[test]
fn exact_push_of_damped_actuator() {
    let text = r#"format = 1
model = { dimension = 2, gravity = "-y" }
[points]
O = [0, 0]
B = [0, 0]
[bodies]
ground = { points = ["O"] }
block = { points = ["B"], mass = 0.2, shape = { type = "box", size = [0.2, 0.2], axis = [1, 0] } }
[joints]
rail = { type = "prismatic", bodies = ["ground", "block"], at = ["O", "B"], axis = [1, 0] }
[actuators]
push = { joint = "rail", controller = { type = "pd", setpoint = 0.1, kp = 1000, kd = 40 } }
[surfaces]
wall = { type = "plane", at = [0.1, 0], normal = [-1, 0] }
[contacts]
w = { between = ["block", "wall"], jointed = true }
[simulation]
duration = 0.2
output_step = 0.1
contact_method = "steps"
step = 2e-3
"#;
    for formulation in applicable(&read(text)) {
        let mut model = read(text);
        model.settings.formulation = formulation;
        let run = model.assemble().unwrap().simulate().unwrap();
        let force: f64 = run.frames.last().unwrap().pushes.iter().map(|push| push.normal_force()).sum();
        println!("{formulation}: {force} N");
        // the damper is h kd/2m = 0.2 of the way to instability, and so is what one correction leaves of the error of the first force
        assert!((force - 100.0).abs() < 1e-6, "{formulation}: {force}");
    }
}

/// The gripper of the examples carries its box, by friction alone, from where events fail on with time steps.
#[test]
fn regress_gripper_carries_its_box() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gripper.toml");
    let run = run(&std::fs::read_to_string(file).unwrap());
    let box_at = |t: f64| {
        let frame = run.frames.iter().min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs())).unwrap();
        *frame.positions.last().unwrap()
    };
    let (carried, down) = (box_at(2.0), box_at(3.0));
    println!("{carried:?}, {down:?}, drift {:e}", run.summary.relative_energy_drift());
    // lifted by 150 mm from 40 mm, carried 250 mm aside
    assert!((box_at(1.15)[1] - 0.19).abs() < 1e-4, "{:?}", box_at(1.15));
    assert!((carried[0] - 0.25).abs() < 2e-3 && (down[1] - 0.04).abs() < 1e-6, "{carried:?} {down:?}");
    // 0.5 % of the energies, 3.4 % before forces felt what contacts do to velocities
    assert!(run.summary.relative_energy_drift() < 0.01);
}

/// Boxes that fall onto each other with little restitution leave each other's surfaces from where they met: nothing is lifted out afterwards.
#[test]
fn keeps_energy_of_dropped_stack() {
    let mut text = String::from("format = 1\nmodel = { dimension = 2, gravity = \"-y\" }\n[points]\n");
    for i in 0..10 {
        let aside = 0.01 * (2.4 * f64::from(i)).sin();
        text += &format!("P{i} = [{aside}, {}]\n", 0.26 + 0.51 * f64::from(i));
    }
    text += "[bodies]\n";
    let names: Vec<String> = (0..10).map(|i| format!("\"b{i}\"")).collect();
    for i in 0..10 {
        text += &format!(
            "b{i} = {{ points = [\"P{i}\"], mass = 1, shape = {{ type = \"box\", size = [0.5, 0.5], axis = [1, 0] }} }}\n"
        );
    }
    let list = names.join(", ");
    text += &format!(
        "[surfaces]\nfloor = {{ type = \"plane\", normal = [0, 1] }}\n[contacts]\n\
         f = {{ between = [[{list}], \"floor\"], friction = 0.5, restitution = 0.1 }}\nb = {{ among = [{list}], friction = 0.5, restitution = 0.1 }}\n\
         [simulation]\nduration = 1\noutput_step = 0.01\ncontact_method = \"steps\"\nstep = 0.01\n"
    );
    let stack = run(&text);
    println!("drift {:e} of {:e} J", stack.summary.energy_drift, stack.summary.energy_scale);
    // before (M10) 7 % of what the fall gives
    assert!(stack.summary.relative_energy_drift() < 0.02);
}
