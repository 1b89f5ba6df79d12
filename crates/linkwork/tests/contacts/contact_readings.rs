//! Contacts in formulas and columns, and the energy that they take: under events and under time steps.

use crate::suite;

use linkwork::model::Model;
use linkwork::simulation::{Status, Trajectory};
use suite::G;

fn read(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"))
}

fn run(text: &str) -> (linkwork::mechanism::Mechanism, Trajectory) {
    let mechanism = read(text).assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let run = mechanism.simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    (mechanism, run)
}

/// The last value of a column.
fn last((mechanism, run): &(linkwork::mechanism::Mechanism, Trajectory), column: &str) -> f64 {
    let values = run.column(mechanism, column).unwrap_or_else(|| panic!("no column {column}"));
    *values.last().unwrap()
}

fn faults(text: &str) -> String {
    match Model::from_toml(text) {
        Err(faults) => faults.to_string(),
        Ok(model) => model.assemble().map(|_| String::new()).unwrap_or_else(|faults| faults.to_string()),
    }
}

/// A ball of 2 kg, a metre above a floor.
fn ball(method: &str, restitution: f64, duration: f64) -> String {
    format!(
        r#"format = 1
model = {{ dimension = 3, gravity = "-z" }}
[points]
C = [0, 0, 1.1]
[bodies]
ball = {{ points = ["C"], mass = 2, shape = {{ type = "sphere", radius = 0.1 }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["floor", "ball"], restitution = {restitution}, friction = 0.3 }}
[simulation]
duration = {duration}
output_step = 0.05
{method}
"#
    )
}

/// A cube of 2 kg that slides on the ground, with a speed along x.
fn block(method: &str, more: &str) -> String {
    format!(
        r#"format = 1
model = {{ dimension = 3, gravity = "-z" }}
[points]
C = [0, 0, 0.1]
[bodies.cube]
points = ["C"]
mass = 2
shape = {{ type = "box", size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["floor", "cube"], friction = 0.5 }}
[initial.velocities]
C = [2, 0, 0]
[simulation]
duration = 1
output_step = 0.05
{method}
{more}
"#
    )
}

const EVENTS: &str = "contact_method = \"events\"\ntolerance = 1e-10";
const STEPS: &str = "contact_method = \"steps\"\nstep = 1e-3";

fn name_of(method: &str) -> &str {
    if method.contains("steps") { "steps" } else { "events" }
}

/// A ball that falls by a metre loses m g h (1 − e²) at its first impact and gets m (1 + e) v; a ball without restitution loses all.
#[test]
fn exact_loss_of_a_bouncing_ball() {
    for (e, duration) in [(0.7, 0.8), (0.0, 0.8)] {
        for (method, bound) in [(EVENTS, 1e-9), (STEPS, 2e-2)] {
            let run = run(&ball(method, e, duration));
            let (energy, v) = (2.0 * G, (2.0 * G).sqrt());
            let lost = last(&run, "energy.lost_in_impacts");
            let impulse = last(&run, "contact.f.impulse");
            let exact = (energy * (1.0 - e * e), 2.0 * (1.0 + e) * v);
            let off = [(lost - exact.0).abs() / energy, (impulse - exact.1).abs() / exact.1];
            println!("{}, e = {e}: lost {lost:.9} J, off by {off:?}", name_of(method));
            // events: the tolerance; steps: of the order of h g/v
            assert!(off.iter().all(|off| *off < bound), "{off:?}");
            assert!(last(&run, "energy.lost_in_friction").abs() < 1e-12);
            // E(t) − E(0) = work, of which impacts are all
            let (first, end) = (&run.1.frames[0], run.1.frames.last().unwrap());
            let balance = end.energy() - first.energy() + lost;
            assert!(balance.abs() < bound * energy, "{balance:e}");
            // nothing else does any work, to rounding
            let work = last(&run, "energy.work");
            assert!((work + lost).abs() < 1e-12 * energy, "{work} {lost}");
            let summary = run.1.summary.contact_losses.unwrap();
            assert_eq!((summary.impacts, summary.friction), (lost, last(&run, "energy.lost_in_friction")));
        }
    }
}

/// A block that slides to rest loses ½ m v² in friction and nothing in impacts.
#[test]
fn exact_loss_of_a_block_that_slides_to_rest() {
    for (method, bound) in [(EVENTS, 1e-9), (STEPS, 1e-3)] {
        let run = run(&block(method, ""));
        let (friction, impacts) =
            (last(&run, "energy.lost_in_friction"), last(&run, "energy.lost_in_impacts"));
        println!("{}: {friction:.12} J in friction, {impacts:.1e} J in impacts", name_of(method));
        // events: the tolerance; steps: one step of free fall
        assert!((friction - 4.0).abs() < bound && impacts.abs() < bound, "{friction} {impacts}");
        let work = last(&run, "energy.work");
        assert!((work + friction + impacts).abs() < 1e-9, "{work}");
    }
}

/// Losses in time steps approach those of events with the step.
#[test]
fn order_of_losses_in_steps() {
    let mut off = Vec::new();
    for step in [4e-3, 1e-3, 2.5e-4] {
        let method = format!("contact_method = \"steps\"\nstep = {step}");
        let run = run(&ball(&method, 0.5, 0.6));
        off.push((last(&run, "energy.lost_in_impacts") - 2.0 * G * 0.75).abs());
    }
    println!("losses off by {off:?} J with steps of 4, 1 and 0.25 ms");
    // a bounce is up to a step early: order 1, with a factor that depends on where in the step it falls
    assert!(off[2] < 2.5e-4 * 2.0 * G * 10.0 && off[2] < 0.5 * off[0], "{off:?}");
}

/// What measures read off a block that slides: closed forms, under both methods.
#[test]
fn exact_measures_of_a_sliding_block() {
    let measures = r#"[measures]
gap = "contact.f.gap"
rate = "contact.f.rate"
normal = "contact.f.normal"
friction = "contact.f.friction.x"
up = "contact.f.force.z"
closed = "contact.f.closed"
one = "contact.f.1.slip.x"
fast = "contact.f.1.slip"
state = "contact.f.1.state"
body_up = "body.cube.contact_force.z"
body_along = "body.cube.contact_force.x"
ratio = "-contact.f.friction.x / max(contact.f.normal, 1 N)"
"#;
    for (method, bound) in [(EVENTS, 1e-9), (STEPS, 1e-4)] {
        let (mechanism, run) = run(&block(method, measures));
        let at = |t: f64, name: &str| {
            let values = run.column(&mechanism, &format!("measure.{name}")).unwrap();
            let k = run.frames.iter().position(|frame| (frame.t - t).abs() < 1e-9).unwrap();
            values[k]
        };
        let slip = 2.0 - 0.5 * G * 0.2;
        // at 0.2 s it slides; at 0.9 s it has come to rest
        let slides = [
            ("gap", 0.0),
            ("rate", 0.0),
            ("normal", 2.0 * G),
            ("friction", -G),
            ("up", 2.0 * G),
            ("one", slip),
            ("fast", slip),
            ("state", 1.0),
            ("body_up", 2.0 * G),
            ("body_along", -G),
            ("ratio", 0.5),
        ];
        let rests =
            [("normal", 2.0 * G), ("friction", 0.0), ("one", 0.0), ("body_up", 2.0 * G), ("ratio", 0.0)];
        let mut worst = 0.0_f64;
        for (t, list) in [(0.2, &slides[..]), (0.9, &rests[..])] {
            for (name, exact) in list {
                let off = (at(t, name) - exact).abs();
                worst = worst.max(off);
                // events: the tolerance. Steps: passes end that change less than 1e-6 of 20 N, a few of these
                assert!(off < bound, "{}, {t} s, {name}: {} for {exact}", name_of(method), at(t, name));
            }
            assert!(at(t, "closed") >= 2.0, "{}", at(t, "closed"));
        }
        println!("{}: measures off by {worst:.1e}", name_of(method));
        // columns say the same
        let column = |name: &str| *run.column(&mechanism, name).unwrap().last().unwrap();
        assert_eq!(column("contact.f.normal"), column("measure.normal"));
        assert_eq!(column("contact.f.closed"), column("measure.closed"));
        assert_eq!(column("contact.f.1.slip"), column("measure.fast"));
    }
}

/// A controller that is sampled sees forces of contacts: it presses a disc onto the floor until that bears 30 N. What is not sampled may not read them.
#[test]
fn sampled_actuators_read_contact_forces() {
    let press = |every: &str, reads: &str| {
        format!(
            r#"format = 1
model = {{ dimension = 2, gravity = "-y" }}
[points]
A = [0, 0.1]
[bodies]
press = {{ points = ["A"], mass = 2, shape = {{ type = "disc", radius = 0.1 }} }}
[joints]
guide = {{ type = "prismatic", bodies = ["ground", "press"], at = "A", axis = [0, -1] }}
[surfaces]
floor = {{ type = "plane", normal = [0, 1] }}
[contacts]
f = {{ between = ["floor", "press"], jointed = true }}
[actuators]
push = {{ joint = "guide", force = "{reads}", {every} }}
[states]
want = {{ initial = 0, next = "state.want + 0.2*(30 - contact.f.normal)", every = "10 ms" }}
[simulation]
duration = 1
output_step = 0.1
contact_method = "events"
"#
        )
    };
    let message = faults(&press("limit = 100", "10 + 0.1*contact.f.normal"));
    assert!(message.contains("forces of contacts") && message.contains("`every`"), "{message}");
    let measured = press("limit = 100", "10 + 0.1*load") + "[measures]\nload = \"contact.f.normal\"\n";
    assert!(faults(&measured).contains("forces of contacts"), "{}", faults(&measured));
    let run = run(&press("every = \"10 ms\"", "state.want + 0*contact.f.normal"));
    let normal = last(&run, "contact.f.normal");
    println!("pressed with {normal:.12} N");
    // the loop contracts by 0.8 in each of 100 samples
    assert!((normal - 30.0).abs() < 1e-7, "{normal}");
}

/// Gaps and slips may be read by forces, and forces of contacts by conditions: a repulsion that reads the gap, a run that ends when the floor bears 100 N.
#[test]
fn gaps_in_forces_and_forces_in_conditions() {
    let text = |method: &str| {
        ball(method, 0.0, 2.0)
            + "[forces]\nrepel = { body = \"ball\", force = [0, 0, \"0.2 / max(contact.f.gap, 0.01)\"] }\n"
    };
    let events = run(&text(EVENTS));
    // F = 0.2/gap has the potential −0.2 ln gap: energy is kept until the impact
    let before = events.1.frames.iter().take_while(|frame| frame.t < 0.4);
    let off = before.map(|frame| (frame.energy() - events.1.frames[0].energy() - frame.work).abs());
    assert!(off.fold(0.0, f64::max) < 1e-7);
    for method in [EVENTS, STEPS] {
        let stop = format!("{method}\nstop = \"contact.f.normal > 19\"");
        let run = run(&ball(&stop, 0.0, 2.0));
        let (t, exact) = (run.1.summary.t, (2.0 / G).sqrt());
        println!("{}: stopped at {t:.6} s; it lands at {exact:.6} s", name_of(method));
        assert!((t - exact).abs() < 3e-3, "{t} {exact}");
    }
}

/// Twenty-two balls: an entry of 231 pairs shows its sums only, which bear the weight of all.
#[test]
fn many_contacts_show_only_their_sums() {
    let mut text = String::from("format = 1\nmodel = { dimension = 3, gravity = \"-z\" }\n[points]\n");
    (0..22).for_each(|i| text += &format!("P{i} = [{}, 0, 0.1]\n", 0.25 * f64::from(i)));
    text += "[bodies]\n";
    let names: Vec<String> = (0..22).map(|i| format!("\"b{i}\"")).collect();
    for i in 0..22 {
        text += &format!(
            "b{i} = {{ points = [\"P{i}\"], mass = 1, shape = {{ type = \"sphere\", radius = 0.1 }} }}\n"
        );
    }
    let list = names.join(", ");
    text += &format!(
        "[surfaces]\nfloor = {{ type = \"plane\", normal = [0, 0, 1] }}\n[contacts]\n\
         floor = {{ between = [\"floor\", [{list}]] }}\nballs = {{ among = [{list}] }}\n\
         [measures]\npair = \"contact.floor.floor.b3.normal\"\nlimit = \"contact.balls.gap\"\n\
         [simulation]\nduration = 0.1\noutput_step = 0.1\ncontact_method = \"steps\"\nstep = 5e-3\n"
    );
    let run = run(&text);
    let columns = linkwork::mechanism::columns(&run.0);
    let of = |prefix: &str| columns.iter().filter(|column| column.name.starts_with(prefix)).count();
    // gap, normal, three of friction, closed, impulse
    assert_eq!(of("contact.balls."), 7);
    assert_eq!(of("contact.floor."), 22 * 7 + 7);
    let off = (last(&run, "contact.floor.normal") - 22.0 * G).abs();
    assert!(off < 1e-6, "{off:e}");
    assert_eq!(last(&run, "contact.floor.closed"), 22.0);
    assert!((last(&run, "measure.pair") - G).abs() < 1e-6);
    assert!((last(&run, "measure.limit") - 0.05).abs() < 1e-9);
}

/// Names that are not there are told with what there is.
#[test]
fn unknown_contacts_are_told() {
    let with = |value: &str| faults(&(block(EVENTS, "") + &format!("[measures]\nm = \"{value}\"\n")));
    for (value, word) in [
        ("contact.g.gap", "no contact `g`"),
        ("contact.f.9.gap", "no contact `f.9`"),
        ("contact.f.gpa", "says nothing"),
        ("contact.f.slip", "contact.f.1.slip"),
        ("contact.f.state", "contact.f.1.state"),
        ("contact.f.1.impulse", "contact.f.impulse"),
        ("body.cube.contact_force.w", "x, y, z"),
        ("body.ground.contact_force.x", "body"),
    ] {
        let message = with(value);
        assert!(message.contains(word), "{value}: {message}");
    }
    for value in [
        "contact.f.normal / 1 N",
        "contact.f.impulse",
        "contact.f.1.friction.y",
        "contact.f.floor.cube.normal",
    ] {
        assert_eq!(with(value), "", "{value}");
    }
}
