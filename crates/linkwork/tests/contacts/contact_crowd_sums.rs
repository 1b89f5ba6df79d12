//! Sums of contacts whose pairs are not listed: forces, impulses and losses of entries and bodies.

use crate::suite;

use linkwork::mechanism::{Mechanism, columns};
use linkwork::model::Model;
use linkwork::simulation::{Status, Trajectory};
use suite::G;

const COUNT: usize = 40;

/// Spheres of 1 kg and 0.1 m.
fn spheres(at: impl Fn(usize) -> [f64; 3], surfaces: &str, contacts: &str, more: &str) -> String {
    let mut text = String::from("format = 1\nmodel = { dimension = 3, gravity = \"-z\" }\n[points]\n");
    (0..COUNT).for_each(|i| text += &format!("P{i} = {:?}\n", at(i)));
    text += "[bodies]\n";
    for i in 0..COUNT {
        text += &format!(
            "b{i} = {{ points = [\"P{i}\"], mass = 1, shape = {{ type = \"sphere\", radius = 0.1 }} }}\n"
        );
    }
    format!("{text}[surfaces]\n{FLOOR}{surfaces}[contacts]\n{contacts}\n{more}\n")
}

const FLOOR: &str = "floor = { type = \"plane\", normal = [0, 0, 1] }\n";

/// In a grid of twenty columns of two, at a height.
fn in_columns(i: usize, height: f64) -> [f64; 3] {
    let column = i / 2;
    [0.5 * (column % 5) as f64, 0.5 * (column / 5) as f64, height]
}

/// Twelve planes far away, so that forty spheres and these have more pairs than are listed.
fn walls() -> String {
    let wall =
        |i: usize| format!("w{i} = {{ type = \"plane\", at = [-{}, 0, 0], normal = [1, 0, 0] }}\n", 5 + i);
    (0..12).map(wall).collect()
}

fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    format!("[{}]", names.join(", "))
}

fn balls() -> String {
    list((0..COUNT).map(|i| format!("b{i}")))
}

fn planes() -> String {
    list(["floor".to_owned()].into_iter().chain((0..12).map(|wall| format!("w{wall}"))))
}

fn steps(duration: f64) -> String {
    format!(
        "[simulation]\nduration = {duration}\noutput_step = {duration}\ncontact_method = \"steps\"\nstep = 1e-3"
    )
}

fn run(text: &str) -> (Mechanism, Trajectory) {
    let model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"));
    let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let run = mechanism.simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    (mechanism, run)
}

fn last((mechanism, run): &(Mechanism, Trajectory), column: &str) -> f64 {
    let values = run.column(mechanism, column).unwrap_or_else(|| panic!("no column {column}"));
    *values.last().unwrap()
}

/// Twenty towers of two: the floor bears all, each upper sphere presses on its lower one, and each body is borne. Forces between two count on the one listed second.
#[test]
fn exact_sums_of_towers_at_rest() {
    // lower before upper in 15 towers, upper before lower in 5
    let order = (0..COUNT).map(|i| format!("b{}", if i < 30 { i } else { i ^ 1 }));
    let contacts = format!(
        "ground = {{ between = [{}, {}], friction = 0.5 }}\nballs = {{ among = {}, friction = 0.5 }}",
        balls(),
        planes(),
        list(order),
    );
    let mut measures = String::from("[measures]\n");
    for i in 0..COUNT {
        measures += &format!("on{i} = \"body.b{i}.contact_force.z\"\n");
    }
    measures += "up = \"contact.ground.force.z\"\nmutual = \"contact.balls.force.z\"\n\
                 normal = \"contact.ground.normal\"\npushing = \"contact.balls.closed\"\n";
    let text = spheres(|i| in_columns(i, [0.1, 0.3][i % 2]), &walls(), &contacts, &(measures + &steps(0.1)));
    let run = run(&text);
    let weight = COUNT as f64 * G;
    // what the sweeps leave of the forces
    let bound = 1e-7 * weight;
    for (column, exact) in [
        ("contact.ground.normal", weight),
        ("measure.normal", weight),
        ("measure.up", weight),
        ("contact.balls.normal", 0.5 * weight),
        ("measure.mutual", (15.0 - 5.0) * G),
        ("contact.ground.friction.x", 0.0),
        ("contact.ground.closed", 20.0),
        ("measure.pushing", 20.0),
        ("contact.ground.impulse", 0.0),
        ("energy.lost_in_impacts", 0.0),
        ("energy.lost_in_friction", 0.0),
    ] {
        let found = last(&run, column);
        println!("{column} = {found:.9}, off by {:.1e}", (found - exact).abs());
        assert!((found - exact).abs() < bound, "{column}: {found} for {exact}");
    }
    for i in 0..COUNT {
        let found = last(&run, &format!("measure.on{i}"));
        assert!((found - G).abs() < bound, "b{i}: {found}");
    }
    // normal, three of friction, closed, impulse; no gap
    for entry in ["contact.balls.", "contact.ground."] {
        assert_eq!(columns(&run.0).iter().filter(|column| column.name.starts_with(entry)).count(), 6);
    }
}

/// Forty spheres that fall by different heights onto the floor and bounce once: what each loses and gets is known.
#[test]
fn exact_losses_of_falls() {
    let e = 0.6;
    let contacts = format!("all = {{ among = [\"floor\", {}, restitution = {e} }}", &balls()[1..]);
    // upper ones are beside the lower ones, not above them
    let fall = |i: usize| 0.3 + 0.01 * i as f64;
    let at = |i: usize| {
        let [x, y, z] = in_columns(i, 0.1 + fall(i));
        [x + 0.25 * (i % 2) as f64, y, z]
    };
    let text = spheres(at, "", &contacts, &steps(0.45));
    let run = run(&text);
    let energy: f64 = (0..COUNT).map(|i| G * fall(i)).sum();
    let impulse: f64 = (0..COUNT).map(|i| (1.0 + e) * (2.0 * G * fall(i)).sqrt()).sum();
    let lost = last(&run, "energy.lost_in_impacts");
    let given = last(&run, "contact.all.impulse");
    let off = [lost / (energy * (1.0 - e * e)) - 1.0, given / impulse - 1.0];
    println!("lost {lost:.6} J, off by {:.1e}; {given:.6} N s, off by {:.1e}", off[0], off[1]);
    // steps meet the floor up to h early, at speeds up to h g off: 1e-3 · 9.81 of more than 2.4 m/s, twice in the energy
    assert!(off.iter().all(|off| off.abs() < 1e-2), "{off:?}");
    let (first, end) = (&run.1.frames[0], run.1.frames.last().unwrap());
    let balance = end.energy() - first.energy() + lost + last(&run, "energy.lost_in_friction");
    assert!(balance.abs() < 1e-2 * energy, "{balance:e}");
    let kept = run.1.summary.contact_losses.unwrap();
    assert_eq!(kept.impacts, lost);
}

/// Spheres that begin to slide end up rolling at 5/7 of the speed: friction takes 2/7 of the kinetic energy, and no impact anything.
#[test]
fn exact_loss_of_spheres_that_begin_to_roll() {
    let contacts = format!("ground = {{ between = [{}, {}], friction = 0.5 }}", planes(), balls());
    let v = 1.0;
    let mut more = String::from("[initial.velocities]\n");
    (0..COUNT).filter(|i| i % 2 == 0).for_each(|i| more += &format!("P{i} = [{v}, 0, 0]\n"));
    // the others hang high above
    let text = spheres(|i| in_columns(i, [0.1, 9.0][i % 2]), &walls(), &contacts, &(more + &steps(0.2)));
    let run = run(&text);
    let exact = 20.0 * 0.5 * v * v * 2.0 / 7.0;
    let (friction, impacts) = (last(&run, "energy.lost_in_friction"), last(&run, "energy.lost_in_impacts"));
    println!("{friction:.9} J in friction for {exact:.9} J, {impacts:.1e} J in impacts");
    // the work of impulses is exact: what is left is a position within the step in which slip ends
    assert!((friction - exact).abs() < 1e-6 * exact && impacts.abs() < 1e-9, "{friction} {impacts}");
}

/// Spheres thrown together in a box: their forces add up to their weight when they have come to rest, and energy is accounted for all the while.
#[test]
fn keeps_account_of_a_heap() {
    let at = |i: usize| {
        let (layer, k) = (i / 9, i % 9);
        let shift = 0.02 * layer as f64 - 0.25;
        [0.25 * (k % 3) as f64 + shift, 0.25 * (k / 3) as f64 - 0.5 - shift, 0.12 + 0.25 * layer as f64]
    };
    let mut walls = String::new();
    for (name, at, normal) in [
        ("left", "[-0.45, 0, 0]", "[1, 0, 0]"),
        ("right", "[0.45, 0, 0]", "[-1, 0, 0]"),
        ("front", "[0, -0.45, 0]", "[0, 1, 0]"),
        ("back", "[0, 0.45, 0]", "[0, -1, 0]"),
    ] {
        walls += &format!("{name} = {{ type = \"plane\", at = {at}, normal = {normal} }}\n");
    }
    let contacts = format!(
        "all = {{ among = [\"floor\", \"left\", \"right\", \"front\", \"back\", {}, friction = 0.4, restitution = 0.3 }}",
        &balls()[1..]
    );
    let mut more = String::from("[measures]\n");
    (0..COUNT).for_each(|i| more += &format!("on{i} = \"body.b{i}.contact_force.z\"\n"));
    let settings = steps(3.0).replace("output_step = 3", "output_step = 0.1").replace("1e-3", "4e-3");
    let text = spheres(at, &walls, &contacts, &(more + &settings));
    let run = run(&text);
    let frame = run.1.frames.last().unwrap();
    let borne: f64 = (0..COUNT).map(|i| last(&run, &format!("measure.on{i}"))).sum();
    let pushed: f64 = frame.pushes.iter().filter(|p| p.bodies[0].is_none()).map(|p| p.force[2]).sum();
    let other: f64 = frame.pushes.iter().filter(|p| p.bodies[1].is_none()).map(|p| -p.force[2]).sum();
    let weight = COUNT as f64 * G;
    let normal: f64 = frame.pushes.iter().map(|p| p.normal_force()).sum();
    println!("borne {borne:.6} N, by the ground {:.6} N of {weight:.6} N", pushed + other);
    // forces between two cancel, to rounding
    assert!((borne - pushed - other).abs() < 1e-9 * weight);
    assert!((last(&run, "contact.all.normal") - normal).abs() < 1e-9 * weight);
    assert_eq!(last(&run, "contact.all.closed"), frame.pushes.len() as f64);
    // what still creeps
    assert!((borne - weight).abs() < 1e-2 * weight, "{borne}");
    let (impacts, friction) = (last(&run, "energy.lost_in_impacts"), last(&run, "energy.lost_in_friction"));
    let begin = run.1.frames[0].energy();
    println!("{begin:.4} J: {impacts:.4} J lost in impacts, {friction:.4} J in friction");
    assert!(impacts > 0.0 && friction > 0.0);
    for frame in &run.1.frames {
        let lost = frame.contact_losses.unwrap();
        let off = frame.energy() - begin + lost.impacts + lost.friction;
        // nothing else takes or gives but what opens overlaps, and what falls within a step
        assert!(off.abs() < 1e-2 * begin, "{} s: {off:e} J", frame.t);
    }
}

/// What nothing knows of such an entry is refused, with what there is.
#[test]
fn unlisted_readings_are_told() {
    let contacts = format!("balls = {{ among = {} }}", balls());
    let faults = |reading: &str| {
        let more = format!("[measures]\nm = \"{reading}\"\n{}", steps(0.1));
        let model =
            Model::from_toml(&spheres(|i| in_columns(i, [0.1, 0.3][i % 2]), "", &contacts, &more)).unwrap();
        model.assemble().map(|_| String::new()).unwrap_or_else(|faults| faults.to_string())
    };
    for reading in ["gap", "rate", "slip", "state", "b0.b1.normal", "b3.b7.gap"] {
        let message = faults(&format!("contact.balls.{reading}"));
        assert!(
            message.contains("too many pairs") && message.contains("of their own"),
            "{reading}: {message}"
        );
    }
    for reading in ["normal", "force.x", "friction.y", "closed", "impulse"] {
        assert_eq!(faults(&format!("contact.balls.{reading}")), "", "{reading}");
    }
}

/// Bodies on cables are not free: with few others contacts are events, and all pairs are listed. With more they are time steps, and are not.
#[test]
fn regress_couplings_count_before_pairs_are_listed() {
    let contacts = format!("balls = {{ among = {} }}", balls());
    let faults = |hanging: usize| {
        let mut more = String::from("[measures]\nm = \"contact.balls.gap\"\n[cables]\n");
        (0..hanging).for_each(|i| {
            more += &format!("c{i} = {{ through = [\"H{i}\", \"P{i}\"], inextensible = true }}\n")
        });
        more += "[simulation]\nduration = 0.1\n";
        let place = |i: usize| in_columns(i, [0.1, 0.4][i % 2]);
        let mut hooks = String::from("[points]\n");
        let mut ground = String::from("[bodies]\nground = { points = [");
        for i in 0..hanging {
            let [x, y, z] = place(i);
            hooks += &format!("H{i} = {:?}\n", [x, y, z + 1.0]);
            ground += &format!("\"H{i}\", ");
        }
        ground += "] }\n";
        let text = spheres(place, "", &contacts, &more).replacen("[points]\n", &hooks, 1).replacen(
            "[bodies]\n",
            &ground,
            1,
        );
        let model = Model::from_toml(&text).unwrap_or_else(|faults| panic!("{faults}"));
        model.assemble().map(|_| String::new()).unwrap_or_else(|faults| faults.to_string())
    };
    assert_eq!(faults(35), "");
    let message = faults(20);
    assert!(message.contains("too many pairs"), "{message}");
}
