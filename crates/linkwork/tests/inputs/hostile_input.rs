//! Every example, mutated thousands of times: no panic, no hang, no number that is not one, and each
//! rejection says where and what.
//!
//! The mutations are the same in every run: a generator of pseudo-random numbers with a fixed seed.

use linkwork::Error;
use linkwork::model::{Faults, Formulation, Integrator, Model};
use linkwork::simulation::Status;
use std::path::PathBuf;

/// Mutants of each example in each syntax.
const MUTANTS: u64 = 700;
/// Simulated time of those that can be assembled, s.
const DURATION: f64 = 0.02;
const MAX_STEPS: u64 = 200;

struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n.max(1)
    }
    fn of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// Force elements of every kind, in the plane and in space.
const FORCES: [(&str, &str); 2] = [
    (
        "forces-planar",
        r#"format = 1
[model]
gravity = "-y"
[points]
A = [0, 0]
B = [0, 1]
C = [2, 2]
D = [2, 0]
E = [3, 1]
[bodies]
ground = { points = ["A", "D", "E"] }
crank = { points = ["A", "B"], mass = 1 }
coupler = { points = ["B", "C"], mass = 2 }
rocker = { points = ["C", "D"], mass = 1.5 }
[joints.pin]
type = "revolute"
bodies = ["ground", "crank"]
at = "A"
stiffness = "2 N m"
damping = [0.3]
rest = 0.1
preload = 0.5
friction = 0.2
friction_speed = 0.5
inertia = 0.02
limits = ["none", 1]
limit_stiffness = 60
limit_damping = 1
[springs]
a = { between = ["B", "D"], law = "30 * (length - 2) + 4 * rate", preload = 3 }
rope = { between = ["B", "E"], stiffness = 40, free_length = 3.1, tension_only = true, table = "curve" }
[torsion_springs]
knee = { bodies = ["coupler", "rocker"], stiffness = 6, law = "0.5 * angle^3", free_angle = 0.2 }
pin = { joint = "D", damping = 0.4, table = "curve", preload = 0.1 }
[cables]
line = { through = ["B", "E", "C"], stiffness = 25, free_length = 4, damping = 1, pulleys = { E = { radius = 0.2, side = "left" } } }
[actuators]
motor = { joint = "pin", torque = "5 * sin(3 * t) - 0.1 * v + q" }
beat = { joint = "D", every = "1 ms", torque = "3 * q" }
keep = { joint = "D", controller = { type = "pid", setpoint = 0.1, kp = 10, ki = 3, kd = 1, tracking_time = 0.5 }, limit = 3 }
hold = { joint = "D", controller = { type = "pd", setpoint = "0.1 * t", kp = 10, kd = 1, rate_setpoint = 0.1 }, limit = 3 }
push = { between = ["A", "C"], force = "distance(A, C)" }
turn = { body = "coupler", against = "crank", torque = 0.3 }
[motors]
drive = { joint = "pin", stall_torque = 2, no_load_speed = 40, gear = 3, command = "cos(2 * t) - 0.1 * q" }
ram = { between = ["A", "C"], curve = "curve", gear = "2 rad/m", command = "-v" }
[drags]
air = { body = "coupler", coefficient = 0.4, linear = 0.1, wind = ["2 * cos(t)", 0] }
tip = { body = "rocker", at = "C", density = 1.2, area = 0.1, cd = 1 }
[forces]
jet = { body = "coupler", at = "C", force = ["3", "spring.rope.force / 10"], axes = "body" }
[couples]
brake = { body = "rocker", moment = "-0.2 * body.rocker.wz" }
[bushings]
mount = { bodies = ["ground", "rocker"], at = ["E", "C"], stiffness = [3, 4, 1], damping = [1, 1, 1], axes = [[1, 1], [-1, 1]] }
[tables]
curve = { x = [-1, 0, 1], y = [-2, 0, 3] }
[measures]
m = "torsion_spring.knee.moment + cable.line.force + actuator.motor.power + drag.air.x + force.jet.y + bushing.mount.fx"
"#,
    ),
    (
        "forces-spatial",
        r#"format = 1
[model]
gravity = "-z"
[points]
O = [0, 0, 0]
A = [1, 0, 0]
B = [2, 0.5, 0]
L = [0, 0, -1]
W = [0.4, 0, -1.5]
P = [0.2, 0, 0]
[bodies]
ground = { points = ["O", "P"] }
drum = { points = ["A"], mass = 2, com = [1, 0, 0], inertia = [0.3, 0.4, 0.5] }
block = { points = ["B"], mass = 1, com = [2, 0.5, 0], inertia = [0.2, 0.3, 0.4] }
load = { points = ["L"], mass = 2, com = [0, 0, -1], inertia = [0, 0, 0] }
weight = { points = ["W"], mass = 3, com = [0.4, 0, -1.5], inertia = [0, 0, 0] }
[joints.axle]
type = "cylindrical"
bodies = ["ground", "drum"]
at = "A"
axis = [0, 0, 1]
stiffness = [72, "8 N m/rad"]
damping = [0, 0.6]
friction = [0.1, 0.1]
limits = [[-1, 1], []]
limit_stiffness = [100, 0]
[cables.rope]
through = ["L", "P", "W"]
pulleys = { P = { radius = 0.2, side = "right" } }
axis = [0, -1, 0]
inextensible = true
[cables.hoist]
through = ["O", "L"]
stiffness = 100
winch = { joint = "axle", coordinate = 2, radius = 0.1 }
[bushings.mount]
bodies = ["drum", "block"]
at = "B"
axes = [[0, 1, 0], [-1, 0, 0]]
stiffness = [18, 32, 50, 3, 4, 8]
damping = [1, 1, 1, 0.1, 0.1, 0.1]
preload = [0, 0, 5, 0, 0, 0]
[actuators]
spin = { joint = "axle", coordinate = 2, torque = "cable.hoist.force / 100" }
[couples]
turn = { body = "block", moment = [0, "sin(t)", 0.1], axes = "body" }
[drags]
air = { body = "load", coefficient = 0.1 }
[measures]
tension = "cable.rope.force + drag.air.speed"
"#,
    ),
];

/// Examples longer than this are slow to assemble and have many numbers: a part of their mutants must do.
const LONG: usize = 6000;

/// Their work grows as the cube of the number of segments: a few dozen mutants with long chains would take longer than all others together.
const IMPLICIT: [Integrator; 4] =
    [Integrator::Index3, Integrator::GeneralizedAlpha, Integrator::Bdf, Integrator::Radau5];
/// Segments of a chain that they get at most.
const SEGMENTS: usize = 20;

/// One mutant in so many is tried.
fn stride(file: &str, text: &str) -> usize {
    match text.len() > LONG {
        true => 8,
        // boxes that lean on each other: where a mutant lets their contacts rattle, a run takes seconds
        false if file.starts_with("dominoes.") => 4,
        false => 1,
    }
}

/// Many alike bodies, and nothing that the other examples do not have: a mutant takes as long as fifty of theirs.
const CROWDS: [&str; 4] = ["brick-wall", "hundred-dominoes", "rolling-bearing", "sand-heap"];

/// Examples as TOML and as JSON.
fn examples() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 9);
    let mut all: Vec<(String, String)> = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if !CROWDS.contains(&name.as_str()) {
            all.push((name, std::fs::read_to_string(&file).unwrap()));
        }
    }
    all.extend(FORCES.map(|(name, text)| (name.into(), text.into())));
    let mut texts = Vec::new();
    for (name, text) in all {
        let value: serde_json::Value = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        texts.push((format!("{name}.json"), serde_json::to_string_pretty(&value).unwrap()));
        texts.push((format!("{name}.toml"), text));
    }
    texts
}

// ---- what must hold ----------------------------------------------------------------------------------

#[derive(Default)]
struct Tally {
    unread: u64,
    refused: u64,
    failed: u64,
    finished: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { unread, refused, failed, finished } = self;
        write!(
            f,
            "{} mutants: {unread} not read, {refused} refused, {failed} failed, {finished} finished",
            self.total()
        )
    }
}

impl Tally {
    fn total(&self) -> u64 {
        self.unread + self.refused + self.failed + self.finished
    }
}

/// Reads, assembles and runs; panics where a promise is broken.
fn survive(file: &str, contents: &[u8], tally: &mut Tally) {
    let shown = || String::from_utf8_lossy(&contents[..contents.len().min(6000)]).into_owned();
    let mut model = match Model::parse(file, contents) {
        Ok(model) => model,
        Err(Error::Model(faults)) => {
            tally.unread += 1;
            return told(file, &faults, &shown);
        }
        Err(other) => panic!("{other}\n{}", shown()),
    };
    model.settings.duration = model.settings.duration.min(DURATION);
    model.settings.max_steps = model.settings.max_steps.min(MAX_STEPS);
    // the settings of some, by a number that the contents give
    let choice =
        contents.iter().fold(0_usize, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into())) >> 4;
    if choice.is_multiple_of(2) {
        model.settings.formulation = Formulation::ALL[choice / 2 % Formulation::ALL.len()];
        // whose work grows as the cube of the number of segments
        if model.settings.formulation == Formulation::Lagrange && !model.chains.is_empty() {
            model.settings.formulation = Formulation::Points;
        }
        model.settings.integrator = Integrator::ALL[choice / 4 % Integrator::ALL.len()];
        if IMPLICIT.contains(&model.settings.integrator) {
            for chain in &mut model.chains {
                chain.segments = chain.segments.map(|n| n.min(SEGMENTS));
            }
        }
        model.settings.projection = [None, Some(true), Some(false)][choice / 16 % 3];
    }
    let mechanism = match model.assemble() {
        Ok(mechanism) => mechanism,
        Err(faults) => {
            tally.refused += 1;
            return told(file, &faults, &shown);
        }
    };
    assert!(mechanism.redundancy().rank <= mechanism.coordinate_count(), "{}", shown());
    if !model.beams.is_empty() {
        // so stiff that a run takes as long as hundreds of others
        tally.finished += 1;
        return;
    }
    let columns = linkwork::results::columns(&mechanism);
    let mut row = Vec::new();
    let run = mechanism.run(&mut |frame: &linkwork::results::Frame| {
        linkwork::results::row(&mechanism, frame, &mut row);
        let nodes = frame.nodes.iter().chain(&frame.node_velocities).flatten();
        assert!(nodes.into_iter().all(|x| x.is_finite()), "a node at {} s\n{}", frame.t, shown());
        // cells of what is not there are empty
        let places = &frame.stage.as_deref().unwrap_or(&mechanism).shown().places;
        let there = |i: usize| places.is_empty() || places.contains(&i);
        if let Some(i) = (0..row.len()).find(|&i| !row[i].is_finite() && (there(i) || !row[i].is_nan())) {
            panic!("{} is {} at {} s\n{}", columns[i].name, row[i], frame.t, shown());
        }
    });
    match run {
        Err(faults) => {
            tally.refused += 1;
            told(file, &faults, &shown);
        }
        Ok(summary) => match summary.status {
            Status::Finished => tally.finished += 1,
            Status::Failed(failure) => {
                assert!(!failure.code.is_empty() && !failure.message.is_empty(), "{failure:?}\n{}", shown());
                assert!(failure.t.is_finite() && failure.step.is_finite(), "{failure:?}\n{}", shown());
                tally.failed += 1;
            }
            Status::Stopped => panic!("nobody stopped it\n{}", shown()),
        },
    }
}

/// A rejection has an error, and every fault says in which file, on which line and at which item.
fn told(file: &str, faults: &Faults, shown: &dyn Fn() -> String) {
    assert!(faults.any_errors(), "no error\n{}", shown());
    let json = faults.to_json();
    for fault in json.as_array().unwrap() {
        assert_eq!(fault["file"], file, "{fault}\n{}", shown());
        assert!(fault["line"].as_u64().is_some_and(|line| line >= 1), "{fault}\n{}", shown());
        assert!(fault["column"].as_u64().is_some_and(|column| column >= 1), "{fault}\n{}", shown());
        let message = fault["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains("NaN"), "{fault}\n{}", shown());
        // of a text that cannot be read at all the place is all there is to say
        let unreadable = [
            "TOML syntax",
            "JSON syntax",
            "the file",
            "tables and lists are nested",
            "this key stands twice",
            "a model file may have",
            "expected a table, found",
            "... and",
        ];
        let named = !fault["path"].as_str().unwrap().is_empty();
        assert!(named || unreadable.iter().any(|start| message.starts_with(start)), "{fault}\n{}", shown());
    }
    let text = faults.to_string();
    assert!(!text.contains(['\u{1b}', '\0']), "a control character\n{text}");
}

// ---- mutations -----------------------------------------------------------------------------------------

/// Byte ranges of the numbers of a text, inside strings too.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let word = i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'_');
        if bytes[i].is_ascii_digit() && !word {
            let start = i;
            while i < bytes.len() && (bytes[i].is_ascii_digit() || b".eE".contains(&bytes[i])) {
                i += 1;
            }
            found.push((start, i));
        } else {
            i += 1;
        }
    }
    found
}

/// Byte ranges of quoted strings, quotes included.
fn strings(text: &str) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = text.bytes().enumerate().filter(|(_, b)| *b == b'"').map(|(i, _)| i).collect();
    quotes.chunks_exact(2).map(|pair| (pair[0], pair[1] + 1)).collect()
}

fn replaced(text: &str, (start, end): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &text[..start], &text[end..])
}

const NUMBERS: [&str; 22] = [
    "nan", "inf", "-inf", "1e400", "-1e400", "-1", "0", "-0.0", "1e-300", "1e300", "-1e300", "1e-30", "1e30",
    "1e-12", "1e12", "1e17", "5e-324", "1e150", "1e-150", "0.1", "7", "100",
];
const EXPRESSIONS: [&str; 17] = [
    "\"t\"",
    "\"point.A.x\"",
    "\"if(t > 1, 1 / 0, distance(A, B))\"",
    "\"a(t)\"",
    "\"if(1 < 2, 3, 0 / 0)\"",
    "\"9^9^9^9\"",
    "\"1/0\"",
    "\"0/0\"",
    "\"sqrt(-1)\"",
    "\"-1e308*10\"",
    "\"1e300 m\"",
    "\"2 kg\"",
    "\"log(0)\"",
    "\"\"",
    "\"x\"",
    "\"1e999\"",
    "\"tan(pi/2)^99\"",
];

/// Numbers that may pass the checks and test the arithmetic.
const PASSABLE: [&str; 20] = [
    "0", "0.0", "1", "2", "0.5", "1e-9", "1e9", "1e-16", "1e16", "1e-25", "1e25", "1e-32", "1e32", "1e-3",
    "1e3", "3.14", "90", "1e-12", "1e12", "1e6",
];

/// Changes that leave the text well-formed: numbers, names and words for others.
fn gently(text: &str, random: &mut Random) -> Vec<u8> {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let (numbers, strings) = (numbers(&text), strings(&text));
        text = match random.below(8) {
            0..=4 => replaced(&text, numbers[random.below(numbers.len())], random.of(&PASSABLE)),
            5 | 6 => {
                let (start, end) = strings[random.below(strings.len())];
                replaced(&text, strings[random.below(strings.len())], &text[start..end])
            }
            _ => {
                let words = ["revolute", "prismatic", "fixed", "spherical", "cylindrical", "point-on-line"];
                let (from, with) = (random.of(&words), random.of(&words));
                text.replacen(from, with, 1)
            }
        };
    }
    text.into_bytes()
}

fn mutate(text: &str, json: bool, random: &mut Random) -> Vec<u8> {
    let mut text = text.to_owned();
    let times = 1 + random.below(3) * random.below(2);
    for _ in 0..times {
        text = once(&text, json, random);
    }
    let mut bytes = text.into_bytes();
    match random.below(14) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len() + 1);
                bytes.insert(at, random.next() as u8);
            }
        }
        2 if !bytes.is_empty() => {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        _ => {}
    }
    bytes
}

fn once(text: &str, json: bool, random: &mut Random) -> String {
    let numbers = numbers(text);
    let strings = strings(text);
    let mut lines: Vec<&str> = text.lines().collect();
    let line = random.below(lines.len());
    match random.below(18) {
        // numbers that are none, or too large, or too small
        0..=5 if !numbers.is_empty() => {
            replaced(text, numbers[random.below(numbers.len())], random.of(&NUMBERS))
        }
        6 if !numbers.is_empty() => {
            // the same for all of them from some place on
            let with = random.of(&NUMBERS);
            let from = random.below(numbers.len());
            let until = (from + 1 + random.below(4)).min(numbers.len());
            numbers[from..until].iter().rev().fold(text.to_owned(), |text, &at| replaced(&text, at, with))
        }
        7 if !numbers.is_empty() => {
            replaced(text, numbers[random.below(numbers.len())], random.of(&EXPRESSIONS))
        }
        // names: another one, none, a long one
        8 | 9 if !strings.is_empty() => {
            let (start, end) = strings[random.below(strings.len())];
            replaced(text, strings[random.below(strings.len())], &text[start..end])
        }
        10 if !strings.is_empty() => {
            let long = format!("\"{}\"", "é".repeat(90 + random.below(3000)));
            let with = ["\"\"", "\"nobody\"", "\"ground\"", "\"\\u0007\"", &long, "3", "[]", "{}"];
            replaced(text, strings[random.below(strings.len())], random.of(&with))
        }
        // lines and sections
        11 => {
            lines.remove(line);
            lines.join("\n")
        }
        12 => {
            lines.insert(random.below(lines.len()), lines[line]);
            lines.join("\n")
        }
        13 => {
            let other = random.below(lines.len());
            lines.swap(line, other);
            lines.join("\n")
        }
        14 => {
            let end = (line + 1 + random.below(8)).min(lines.len());
            lines.drain(line..end);
            lines.join("\n")
        }
        15 => {
            let end = (line + 1 + random.below(8)).min(lines.len());
            let again: Vec<&str> = lines[line..end].to_vec();
            lines.extend(again);
            lines.join("\n")
        }
        // depth
        16 if !numbers.is_empty() => {
            let n = 1 + random.below(60);
            let (open, close) = if json { ("{\"a\":", "}") } else { ("{a=", "}") };
            let nest = match random.below(3) {
                0 => format!("{}1{}", "[".repeat(n), "]".repeat(n)),
                1 => format!("{}1{}", open.repeat(n), close.repeat(n)),
                _ => format!("\"{}1{}\"", "(".repeat(n), ")".repeat(n)),
            };
            replaced(text, numbers[random.below(numbers.len())], &nest)
        }
        // a word of the format for another
        _ => {
            let words = [
                "revolute",
                "prismatic",
                "fixed",
                "spherical",
                "newton-euler",
                "rk4",
                "euler",
                "points",
                "polygon",
                "disc",
                "rod",
                "dimension",
                "mass",
                "inertia",
                "axis",
                "length",
                "stiffness",
            ];
            let from = random.of(&words);
            let with = random.of(&words);
            text.replacen(from, with, 1 + random.below(3))
        }
    }
}

/// The mutants of every `modulus`-th example, so that several tests share the work.
fn survive_mutants(modulus: usize, part: usize) {
    let mut tally = Tally::default();
    for (i, (file, text)) in examples().into_iter().enumerate().filter(|(i, _)| i % modulus == part) {
        for seed in 0..MUTANTS / stride(&file, &text) as u64 {
            let mut random = Random::new(1000 * i as u64 + seed);
            let mutant = match seed % 2 {
                0 => mutate(&text, file.ends_with("json"), &mut random),
                _ => gently(&text, &mut random),
            };
            survive(&file, &mutant, &mut tally);
        }
    }
    println!("{tally}");
    // the mutations must reach all parts of the work
    assert!(tally.finished > 0 && tally.refused > 0 && tally.unread > 0);
}

#[test]
fn keeps_calm_with_mutants_1() {
    survive_mutants(4, 0);
}
#[test]
fn keeps_calm_with_mutants_2() {
    survive_mutants(4, 1);
}
#[test]
fn keeps_calm_with_mutants_3() {
    survive_mutants(4, 2);
}
#[test]
fn keeps_calm_with_mutants_4() {
    survive_mutants(4, 3);
}

/// Every number of every example in turn, of long ones every eighth, by every odd one.
#[test]
fn keeps_calm_with_odd_numbers() {
    let mut tally = Tally::default();
    for (file, text) in
        examples().into_iter().filter(|(file, _)| file.ends_with("toml") && file != "chain.toml")
    {
        for at in numbers(&text).into_iter().step_by(stride(&file, &text)) {
            for with in ["nan", "1e400", "-1", "0", "1e-300", "1e300", "1e30", "1e-30"] {
                survive(&file, replaced(&text, at, with).as_bytes(), &mut tally);
            }
        }
    }
    println!("{tally}");
    assert!(tally.total() > 2000);
}

/// A well-formed file of anything with anything: points that coincide or lie in line, joints of all kinds
/// wherever they fall, loops of any sort.
fn random_mechanism(random: &mut Random) -> String {
    let columns = 2 + random.below(2);
    let vector = |random: &mut Random| -> String {
        let parts: Vec<&str> = (0..columns).map(|_| random.of(&["0", "1", "2", "-1", "0.5", "3"])).collect();
        format!("[{}]", parts.join(", "))
    };
    let points = 3 + random.below(6);
    let mut text = format!("format = 1\nmodel = {{ dimension = {columns}, gravity = \"-y\" }}\n[points]\n");
    for p in 0..points {
        text += &format!("P{p} = {}\n", vector(random));
    }
    // the ground first, then the bodies
    let mut held: Vec<Vec<usize>> = Vec::new();
    for _ in 0..2 + random.below(5) {
        let (first, count) = (random.below(points), 1 + random.below(3) + random.below(2));
        held.push((0..count.min(points)).map(|k| (first + k) % points).collect());
    }
    for p in 0..points {
        if held.iter().all(|held| !held.contains(&p)) {
            let on = random.below(held.len());
            held[on].push(p);
        }
    }
    let name = |b: usize| if b == 0 { "ground".to_owned() } else { format!("b{b}") };
    text += "[bodies]\n";
    for (b, held) in held.iter().enumerate() {
        let list: Vec<String> = held.iter().map(|p| format!("\"P{p}\"")).collect();
        let mass = match (b, random.below(7), held.len()) {
            (0, ..) => "",
            (_, 0, 3..) if columns == 2 => ", mass = 2, shape = \"polygon\"",
            (_, 1, _) => ", mass = 0, shape = { type = \"sphere\", radius = 0.1 }",
            (_, 2, _) if columns == 2 => ", mass = 1, com = [0.1, 0.2], inertia = 0.5",
            (_, 2, _) => ", mass = 1, com = [0.1, 0.2, 0], inertia = [1, 1, 1.5]",
            (_, 3, 2..) => ", mass = 1, shape = { type = \"box\", size = [1, 1, 0.5] }",
            (_, 4 | 5, 2) => ", mass = 1",
            _ => ", mass = 1, shape = { type = \"sphere\", radius = 0.1 }",
        };
        text += &format!("{} = {{ points = [{}]{mass} }}\n", name(b), list.join(", "));
    }
    text += "[joints]\n";
    for j in 0..random.below(6) {
        let kinds: &[&str] = match columns {
            2 => &["revolute", "prismatic", "fixed", "point-on-line"],
            _ => &["revolute", "prismatic", "fixed", "spherical", "cylindrical", "point-on-line"],
        };
        let kind = random.of(kinds);
        let a = random.below(held.len());
        let b = (a + 1 + random.below(held.len() - 1)) % held.len();
        let [p, q] = [a, b].map(|body| held[body][random.below(held[body].len())]);
        let at = if random.below(3) == 0 { format!("[\"P{p}\", \"P{q}\"]") } else { format!("\"P{p}\"") };
        let axis = match kind {
            "fixed" | "spherical" => String::new(),
            "revolute" if columns == 2 => String::new(),
            _ => format!(", axis = {}", vector(random)),
        };
        let (a, b) = (name(a), name(b));
        text += &format!("J{j} = {{ type = \"{kind}\", bodies = [\"{a}\", \"{b}\"], at = {at}{axis} }}\n");
    }
    text += "[springs]\n";
    for s in 0..random.below(3) {
        let p = random.below(points);
        let q = (p + 1 + random.below(points - 1)) % points;
        text += &format!("S{s} = {{ between = [\"P{p}\", \"P{q}\"], stiffness = 100, damping = 1 }}\n");
    }
    if random.below(3) == 0 {
        text +=
            &format!("[couples]\nM = {{ body = \"b1\", moment = {} }}\n", ["1", "[1, 0, 2]"][columns - 2]);
        text += &format!("[forces]\nF = {{ body = \"b1\", force = {} }}\n", vector(random));
    }
    if random.below(3) == 0 {
        let parts =
            ["t", "point.P1.x", "joint.P0.q", "body.b1.wz", "distance(P0, P1)", "m1", "m0", "c(t)", "1 / 0"];
        let operators = ["+", "*", "/", "<", "and", "^"];
        let formula = |random: &mut Random| {
            format!("{} {} {}", random.of(&parts), random.of(&operators), random.of(&parts))
        };
        text += &format!("[tables]\nc = {{ points = [[0, 1], [1, {}]] }}\n", random.of(&["1", "nan", "'t'"]));
        text += &format!("[measures]\nm0 = \"{}\"\nm1 = \"{}\"\n", formula(random), formula(random));
    }
    if random.below(2) == 0 {
        text += &random_forces(random, columns, points, held.len());
    }
    if random.below(4) == 0 {
        let w = ["1", "[1, 2, 0]"][columns - 2];
        text += &format!("[initial.angular_velocities]\nb{} = {w}\n", 1 + random.below(held.len() - 1));
        text += &format!("[initial.velocities]\nP{} = {}\n", random.below(points), vector(random));
        let start = random.of(&[
            "0.3",
            "'-170 deg'",
            "'200 deg'",
            "{ q = 0.5, v = 2 }",
            "{ v = 1e9 }",
            "[0.1, 0.2, 3]",
        ]);
        text += &format!("[initial.joints]\nP{} = {start}\n", random.below(points));
    }
    text
}

/// Force elements wherever they fall.
fn random_forces(random: &mut Random, columns: usize, points: usize, bodies: usize) -> String {
    let planar = columns == 2;
    let body = |random: &mut Random| match random.below(bodies) {
        0 => "ground".to_owned(),
        b => format!("b{b}"),
    };
    let numbers =
        ["0", "1", "50", "1e6", "-1", "'t'", "'1 / t'", "'point.P0.x'", "'drag.D.speed'", "'cable.C.force'"];
    let mut text = String::new();
    for kind in 0..6 {
        if random.below(3) != 0 {
            continue;
        }
        let [a, b] = [body(random), body(random)];
        let [p, q, r] = [0; 3].map(|_| random.below(points));
        let axis = if planar { "" } else { "axis = [0, 0, 1], " };
        let six = if planar { "[9, 9, 2]" } else { "[9, 9, 9, 2, 2, 2]" };
        let x = random.of(&numbers);
        let third = if planar { "" } else { ", 0" };
        text += &match kind {
            0 => format!(
                "[torsion_springs]\nT = {{ bodies = ['{a}', '{b}'], {axis}stiffness = 5, law = {x} }}\n"
            ),
            1 => format!(
                "[bushings]\nB = {{ bodies = ['{a}', '{b}'], at = ['P{p}', 'P{q}'], stiffness = {six}, damping = {six} }}\n"
            ),
            2 => format!(
                "[actuators]\nA = {{ between = ['P{p}', 'P{q}'], force = {x} }}\nJ = {{ joint = 'J0', torque = {x} }}\n"
            ),
            3 => format!("[drags]\nD = {{ body = '{a}', coefficient = 2, wind = [{x}, 0{third}] }}\n"),
            4 => format!(
                "[cables]\nC = {{ through = ['P{p}', 'P{q}', 'P{r}'], stiffness = 50, damping = 1 }}\n"
            ),
            _ => format!("[cables]\nK = {{ through = ['P{p}', 'P{q}', 'P{r}'], inextensible = true }}\n"),
        };
    }
    // a table may stand once
    if text.matches("[cables]").count() > 1 { text.replace("[cables]\nK", "K") } else { text }
}

#[test]
fn keeps_calm_with_random_mechanisms() {
    let mut tally = Tally::default();
    for seed in 0..6000 {
        survive("random.toml", random_mechanism(&mut Random::new(seed)).as_bytes(), &mut tally);
    }
    println!("{tally}");
    assert!(tally.finished > 300);
}

/// Bodies locked by more than enough constraints, met to rounding where their gradients nearly vanish: the
/// rank came out larger than the number of coordinates, and the degrees of freedom below zero.
#[test]
fn regress_rank_of_a_locked_structure() {
    let sphere = "mass = 1, shape = { type = \"sphere\", radius = 0.1 }";
    let text = format!(
        r#"
        format = 1
        model = {{ dimension = 3, gravity = "-y" }}
        points = {{ P0 = [3, 0.5, 0.5], P1 = [2, 0.5, 1], P2 = [-1, 2, 0], P3 = [0, 3, 0] }}
        [bodies]
        ground = {{ points = ["P2", "P3", "P0", "P1"] }}
        b1 = {{ points = ["P0", "P1"], {sphere} }}
        b2 = {{ points = ["P0", "P1", "P2"], {sphere} }}
        b4 = {{ points = ["P3", "P0", "P1", "P2"], {sphere} }}
        b5 = {{ points = ["P2", "P3", "P0"], {sphere} }}
        [joints]
        J0 = {{ type = "prismatic", bodies = ["b1", "b5"], at = "P1", axis = [1, 0.5, 3] }}
        "#
    );
    let mechanism = Model::from_toml(&text).unwrap().assemble().unwrap();
    assert_eq!(mechanism.degrees_of_freedom(), 0);
    survive("locked.toml", text.as_bytes(), &mut Tally::default());
}

/// Files that aim at a weakness.
#[test]
fn keeps_calm_with_bombs() {
    let mut tally = Tally::default();
    let mut random = Random::new(7);
    let junk: Vec<u8> = (0..10_000_000).map(|_| random.next() as u8).collect();
    let text: String = junk.iter().take(7_000_000).map(|b| char::from(b' ' + b % 95)).collect();
    let head = "format = 1\n[points]\nA = [0, 0]\nB = [1, 0]\n[bodies]\nground = { points = [\"A\"] }\n";
    let rod = "rod = { points = [\"A\", \"B\"], mass = 1 }\n";
    let doubling: String = (1..60).map(|i| format!("p{i} = \"p{} + p{}\"\n", i - 1, i - 1)).collect();
    let tower: String = (1..200).map(|i| format!("p{i} = \"p{} ^ p{}\"\n", i - 1, i - 1)).collect();
    let circle: String = (0..3000).map(|i| format!("p{i} = \"p{}\"\n", (i + 1) % 3000)).collect();
    let measures: String =
        (0..15_000).map(|i| format!("m{i} = 'm{} + m{}'\n", (i + 1) % 15_000, i / 2)).collect();
    let unknown: String = (0..15_000).map(|i| format!("m{i} = 'point.Q{i}.x + f{i}(n{i})'\n")).collect();
    let knots: Vec<String> = (0..20_000).map(|i| format!("[{i}, {}]", i % 7)).collect();
    let knots = knots.join(",");
    let bombs: Vec<Vec<u8>> = vec![
        format!("{head}{rod}[measures]\n{measures}").into_bytes(),
        format!("{head}{rod}[measures]\n{unknown}").into_bytes(),
        format!("{head}{rod}[measures]\nm = \"{}\"", "not ".repeat(240)).into_bytes(),
        format!("{head}{rod}[measures]\nm = \"{}\"", "a.".repeat(490)).into_bytes(),
        format!("{head}{rod}[measures]\nm = \"{}\"", "f(".repeat(490)).into_bytes(),
        format!("{head}{rod}[measures]\nm = \"{}\"", "`".repeat(901)).into_bytes(),
        format!("{head}{rod}[tables.f]\npoints = [{knots}]\n[measures]\nm = \"f(f(f(t)))\"").into_bytes(),
        junk.clone(),
        junk[..1000].to_vec(),
        text.clone().into_bytes(),
        text.replace(|c: char| !c.is_alphanumeric(), "\n").into_bytes(),
        b"[".repeat(5_000_000),
        b"{\"a\":".repeat(1_000_000),
        b"\"".repeat(1_000_001),
        b"a.".repeat(500_000),
        b"[a]\n".repeat(200_000),
        b"a = 1\n".repeat(200_000),
        b"\n".repeat(5_000_000),
        Vec::new(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"\xff\xfe".to_vec(),
        "format = 1\npoints = {}\nbodies = {}".as_bytes().to_vec(),
        format!("{head}{rod}[parameters]\np0 = 2\n{doubling}").into_bytes(),
        format!("{head}{rod}[parameters]\np0 = 2\n{tower}").into_bytes(),
        format!("{head}{rod}[parameters]\n{circle}").into_bytes(),
        format!(
            "{head}rod = {{ points = [\"A\", \"B\"], mass = \"{}1{}\" }}",
            "(".repeat(400),
            ")".repeat(400)
        )
        .into_bytes(),
        format!("{head}rod = {{ points = [\"A\", \"B\"], mass = \"{}1\" }}", "-".repeat(900)).into_bytes(),
        format!("{head}rod = {{ points = [\"A\", \"B\"], mass = \"1{}\" }}", "^2".repeat(450)).into_bytes(),
        format!("{head}rod = {{ points = [\"A\", \"B\"], mass = \"{}\" }}", "1+".repeat(1_000_000))
            .into_bytes(),
        format!("{head}rod = {{ points = [\"{}\", \"B\"], mass = 1 }}", "A".repeat(1_000_000)).into_bytes(),
        format!("{head}{} = {{ points = [\"A\", \"B\"], mass = 1 }}", "A".repeat(1_000_000)).into_bytes(),
        format!("{head}rod = {{ points = [{}], mass = 1 }}", "\"A\",".repeat(100_000)).into_bytes(),
    ];
    for (i, bomb) in bombs.iter().enumerate() {
        for file in ["bomb.toml", "bomb.json", "<stdin>"] {
            let before = tally.total();
            survive(file, bomb, &mut tally);
            assert_eq!(tally.total(), before + 1, "bomb {i}");
        }
    }
}
