//! All pairs of surfaces in time steps: they meet, rest, and land at all angles.

use linkwork::model::{Chain, Model, Surface};
use linkwork::simulation::{Status, Trajectory};

fn run(text: &str) -> Trajectory {
    let model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
    let run = model.assemble().unwrap_or_else(|faults| panic!("{faults}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    run
}

/// Energy that is left and what has been taken out, J: it may not grow.
fn growth(run: &Trajectory) -> f64 {
    run.frames.windows(2).map(|f| f[1].energy() - f[0].energy()).fold(f64::MIN, f64::max)
}

const SOLIDS: [&str; 6] = ["point", "sphere", "capsule", "box", "cylinder", "hull"];

/// A surface about a place, as table; half its height is 0.1, and it is 0.2 or more long.
fn surface(kind: &str, at: [f64; 3], planar: bool) -> String {
    let [x, y, z] = at;
    let place =
        |x: f64, y: f64, z: f64| if planar { format!("[{x}, {z}]") } else { format!("[{x}, {y}, {z}]") };
    let centre = place(x, y, z);
    let axis = if planar { "[1, 0]" } else { "[1, 0, 0]" };
    match kind {
        "plane" => format!(
            "type = \"plane\", at = {}, normal = {}",
            place(x, y, z + 0.1),
            if planar { "[0, 1]" } else { "[0, 0, 1]" }
        ),
        "point" => format!("type = \"point\", at = {}", place(x, y, z)),
        "sphere" => format!("type = \"sphere\", center = {centre}, radius = 0.1"),
        "capsule" => {
            format!("type = \"capsule\", center = {centre}, radius = 0.1, length = 0.3, axis = {axis}")
        }
        "box" => {
            let size = if planar { "[0.3, 0.2]" } else { "[0.3, 0.2, 0.2]" };
            format!("type = \"box\", center = {centre}, size = {size}, axis = {axis}")
        }
        "cylinder" => {
            format!("type = \"cylinder\", center = {centre}, radius = 0.1, length = 0.3, axis = {axis}")
        }
        _ => {
            let corner = |i: i32| {
                let side = |k: i32, size: f64| if i >> k & 1 == 0 { -size } else { size };
                place(x + side(0, 0.15), y + side(1, 0.1), z + side(2, 0.1))
            };
            let numbers: Vec<i32> = if planar { vec![0, 1, 4, 5] } else { (0..8).collect() };
            let corners: Vec<String> = numbers.into_iter().map(corner).collect();
            format!("type = \"hull\", vertices = [{}]", corners.join(", "))
        }
    }
}

/// Every solid falls on every other and on a plane, which are on the ground or on a block that lies on the floor: all pairs that there are.
fn all_pairs(planar: bool, moving: bool) -> (String, usize) {
    let (mut points, mut bodies, mut surfaces, mut contacts) =
        (String::new(), String::new(), String::new(), String::new());
    let mut count = 0;
    for (i, low) in ["plane"].iter().chain(&SOLIDS).enumerate() {
        for (j, high) in SOLIDS.iter().enumerate() {
            // a plane of a block is as wide as all the others
            if (moving && *low == "plane" && j != 3) || (*low == "point" && *high == "point") {
                continue;
            }
            let at = if planar {
                [40.0 * f64::from(u8::from(*low == "plane" && moving)) + 2.0 * count as f64, 0.0, 0.1]
            } else {
                [2.0 * i as f64 + 40.0 * f64::from(u8::from(*low == "plane")), 2.0 * j as f64, 0.1]
            };
            let name = format!("{low}-{high}");
            let reach = |kind: &str| if kind == "point" { 0.0 } else { 0.1 };
            let top = [at[0], at[1], at[2] + reach(low) + reach(high) + 0.02];
            let place =
                |[x, y, z]: [f64; 3]| if planar { format!("[{x}, {z}]") } else { format!("[{x}, {y}, {z}]") };
            points += &format!("\"{name}\" = {}\n", place(top));
            let inertia = if planar { "inertia = 0.01" } else { "inertia = [0.01, 0.011, 0.012]" };
            bodies +=
                &format!("\"{name}\" = {{ points = [\"{name}\"], mass = 1, com = \"{name}\", {inertia} }}\n");
            surfaces +=
                &format!("\"{name}.high\" = {{ body = \"{name}\", {} }}\n", surface(high, top, planar));
            let body = match moving {
                true => {
                    points += &format!("\"{name}.C\" = {}\n", place(at));
                    let size = if planar { "[0.6, 0.2]" } else { "[0.6, 0.6, 0.2]" };
                    let axis = if planar { "[1, 0]" } else { "[1, 0, 0]" };
                    bodies += &format!(
                        "\"{name}.low\" = {{ points = [\"{name}.C\"], mass = 20, shape = {{ type = \"box\", size = {size}, axis = {axis} }} }}\n"
                    );
                    contacts += &format!(
                        "\"{name}.floor\" = {{ between = [\"{name}.low\", \"floor\"], friction = 0.5 }}\n"
                    );
                    format!("body = \"{name}.low\", ")
                }
                false => String::new(),
            };
            surfaces += &format!("\"{name}.below\" = {{ {body}{} }}\n", surface(low, at, planar));
            contacts += &format!(
                "\"{name}\" = {{ between = [\"{name}.below\", \"{name}.high\"], friction = 0.4 }}\n"
            );
            count += 1;
        }
    }
    let (dimension, up) = if planar { (2, "[0, 1]") } else { (3, "[0, 0, 1]") };
    let gravity = if planar { "[0, -10]" } else { "[0, 0, -10]" };
    let text = format!(
        "format = 1\nmodel = {{ dimension = {dimension}, gravity = {gravity} }}\n[points]\n{points}[bodies]\n{bodies}\
         [surfaces]\nfloor = {{ type = \"plane\", normal = {up} }}\n{surfaces}[contacts]\n{contacts}\
         [simulation]\nduration = 0.12\noutput_step = 0.01\nstep = 0.002\n"
    );
    (text, count)
}

#[test]
fn keeps_all_pairs_apart() {
    for (planar, moving) in [(false, false), (true, false), (false, true), (true, true)] {
        let (text, count) = all_pairs(planar, moving);
        let mut model = Model::from_toml(&text).unwrap_or_else(|faults| panic!("{faults}"));
        model.settings.duration = 0.12;
        let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished);
        let counts = run.summary.contact_steps.expect("time steps");
        // 0.02 m are fallen through in 0.063 s: each pair has met, most still touch
        let names = mechanism.contacts().iter().enumerate().filter(|(_, c)| !c.name.contains(".floor"));
        let mut met: Vec<&str> = Vec::new();
        for (i, contact) in names {
            let entry = contact.name.split('.').next().unwrap();
            if run.frames.iter().any(|f| f.contacts[i].normal > 0.0) && !met.contains(&entry) {
                met.push(entry);
            }
        }
        println!(
            "planar {planar}, moving {moving}: {} of {count} pairs met, {counts:?}, energy grows by {:.1e} J",
            met.len(),
            growth(&run)
        );
        assert_eq!(met.len(), count, "{met:?}");
        // bodies are 0.2 m high
        assert!(counts.overlap < 1e-6 * 0.2, "{counts:?}");
        // of 1 kg that falls by 0.02 m, 0.2 J each
        assert!(growth(&run) < 1e-6, "{:e}", growth(&run));
    }
}

/// Where the pair has no features, `auto` begins with time steps and says why; a chain's nodes touch a hull, too.
#[test]
fn exact_reason_for_steps() {
    let (text, _) = all_pairs(false, false);
    let why = run(&text).summary.chosen.expect("`auto` says why");
    assert!(why.contains("can meet: the event-driven method has no"), "{why}");
    let hill = Surface::hull("hill", vec![[0.1, -0.5, 0.0], [1.5, -0.5, 0.0], [0.6, 0.2, 0.0]]);
    let mut model = Model::planar("hill").gravity([0.0, -10.0]).point("A", [0.0, 0.5]).point("B", [1.0, 0.5]);
    model = model.ground(["A"]).surface(hill);
    model = model.chain(Chain::new("rope", "A", 10, 0.5).to("B").contact("hill", 0.2, 0.0));
    model.settings.duration = 0.5;
    model.settings.output_step = 0.02;
    let run = model.assemble().unwrap_or_else(|faults| panic!("{faults}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished);
    let counts = run.summary.contact_steps.expect("time steps");
    println!("rope on a hill: {counts:?}");
    // segments are 0.1 m long
    assert!(counts.contacts > 0 && counts.overlap < 1e-5, "{counts:?}");
}

/// Solids of each kind dropped at all angles on a plane and on a wide box, each with its own place there.
fn landings(table: bool) -> String {
    let (mut points, mut bodies, mut names) = (String::new(), String::new(), Vec::new());
    let mut surfaces = String::new();
    for (row, kind) in ["capsule", "cylinder", "disc", "hull"].iter().enumerate() {
        for k in 0..8 {
            let name = format!("{kind}{k}");
            let (x, y) = (1.5 * k as f64, 1.5 * row as f64);
            let angle = 0.05 + 0.2 * f64::from(k);
            let (sin, cos) = angle.sin_cos();
            // turned about the vertical as well
            let (s, c) = (0.7 * f64::from(k)).sin_cos();
            let axis = format!("[{}, {}, {}]", cos * c, cos * s, sin);
            points += &format!("{name} = [{x}, {y}, 0.5]\n");
            let shape = match *kind {
                "capsule" => format!("{{ type = \"capsule\", radius = 0.1, length = 0.4, axis = {axis} }}"),
                "cylinder" => format!("{{ type = \"cylinder\", radius = 0.1, length = 0.4, axis = {axis} }}"),
                "disc" => format!("{{ type = \"cylinder\", radius = 0.2, length = 0.1, axis = {axis} }}"),
                _ => {
                    // a box with other edges in each direction, as hull
                    let e = [[cos * c, cos * s, sin], [-s, c, 0.0], [-sin * c, -sin * s, cos]];
                    let corner = |i: usize| -> String {
                        let half = [0.2, 0.15, 0.1];
                        let side = |k: usize| if i >> k & 1 == 0 { -half[k] } else { half[k] };
                        let at: [f64; 3] = std::array::from_fn(|j| {
                            [x, y, 0.5][j] + (0..3).map(|k| side(k) * e[k][j]).sum::<f64>()
                        });
                        format!("{at:?}")
                    };
                    let corners: Vec<String> = (0..8).map(corner).collect();
                    surfaces += &format!(
                        "{name}.hull = {{ type = \"hull\", body = \"{name}\", vertices = [{}] }}\n",
                        corners.join(", ")
                    );
                    format!(
                        "{{ type = \"box\", size = [0.4, 0.3, 0.2], axis = {:?}, side = {:?} }}",
                        e[0], e[1]
                    )
                }
            };
            bodies += &format!("{name} = {{ points = [\"{name}\"], mass = 1, shape = {shape} }}\n");
            names.push(if *kind == "hull" { format!("\"{name}.hull\"") } else { format!("\"{name}\"") });
        }
    }
    let floor = match table {
        false => "floor = { type = \"plane\", normal = [0, 0, 1] }",
        true => "floor = { type = \"box\", center = [5, 2, -0.5], axis = [1, 0, 0], size = [20, 12, 1] }",
    };
    let surfaces = surfaces.replace(".hull =", "_hull =");
    let list = names.join(", ").replace(".hull", "_hull");
    format!(
        "format = 1\nmodel = {{ dimension = 3, gravity = [0, 0, -10] }}\n[points]\n{points}[bodies]\n{bodies}[surfaces]\n{floor}\n{surfaces}\
         [contacts]\nland = {{ between = [[{list}], \"floor\"], friction = 0.6 }}\n\
         [simulation]\nduration = 4\noutput_step = 0.05\nstep = 0.0025\n"
    )
}

/// Whatever a solid lands on, it comes to lie at the height of that face, edge or side; nothing overlaps, and energy does not grow.
#[test]
fn exact_heights_after_landing() {
    for table in [false, true] {
        let run = run(&landings(table));
        let counts = run.summary.contact_steps.expect("time steps");
        let last = run.frames.last().unwrap();
        let before = &run.frames[run.frames.len() - 10];
        let heights = |kind: &str| -> &[f64] {
            match kind {
                "capsule" => &[0.1],
                "cylinder" => &[0.1, 0.2],
                "disc" => &[0.05, 0.2],
                _ => &[0.1, 0.15, 0.2],
            }
        };
        let mut worst = 0.0_f64;
        let mut ends = [0; 4];
        for (row, kind) in ["capsule", "cylinder", "disc", "hull"].iter().enumerate() {
            for k in 0..8 {
                let z = last.positions[8 * row + k][2];
                let off = heights(kind).iter().map(|h| (z - h).abs()).fold(f64::INFINITY, f64::min);
                let sinks = (z - before.positions[8 * row + k][2]).abs();
                ends[row] += usize::from((z - heights(kind)[0]).abs() < 1e-3);
                if off > 1e-6 {
                    println!("{kind}{k}: {z}, {sinks:.1e} lower than half a second before");
                }
                worst = worst.max(off);
            }
        }
        println!(
            "table {table}: {counts:?}; energy grows by {:.1e} J; heights off by {worst:.1e} m; on their lowest: {ends:?} of 8",
            growth(&run)
        );
        assert!(worst < 4e-7, "{worst}");
        // at rest 1e-6 of the size of a solid; an impact may leave ten times that for a step
        let gaps = last.contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.gap));
        assert!(gaps > -4e-7 && counts.overlap < 4e-6, "{gaps:e} {counts:?}");
        // of 32 bodies of 5 J: what opening overlaps adds, which the drift of the energy shows
        assert!(growth(&run) < 1e-5 * 160.0, "{:e}", growth(&run));
    }
}
