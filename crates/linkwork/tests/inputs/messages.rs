//! What the program says about models that are wrong, or probably wrong: the first message names the true cause, and
//! there is no second, false one after it.

use linkwork::Error;
use linkwork::model::{Faults, Model};
use serde_json::Value;
use std::path::Path;

/// The faults of a model file, its assembly included, as JSON; empty if there are none.
fn faults(file: &str, text: &str) -> Vec<Value> {
    let outcome = Model::parse(file, text).and_then(|model| model.assemble().map_err(Error::Model));
    let list = match outcome {
        Ok(_) => return Vec::new(),
        Err(Error::Model(faults)) => faults.to_json(),
        Err(other) => panic!("{file}: {other}"),
    };
    list.as_array().unwrap().iter().filter(|fault| fault["severity"] == "error").cloned().collect()
}

/// The codes of what a model that can be run is warned of.
fn codes(text: &str) -> Vec<String> {
    let mechanism = Model::parse("model.toml", text)
        .and_then(|model| model.assemble().map_err(Error::Model))
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let doubts = mechanism.doubts();
    for doubt in &doubts {
        assert!(doubt.help.is_some() && doubt.code.is_some(), "{doubt:?}");
    }
    let warnings = Faults { list: doubts, provenance: mechanism.model().provenance.clone() };
    println!("{warnings}");
    let json = warnings.to_json();
    json.as_array().unwrap().iter().map(|fault| fault["code"].as_str().unwrap().to_owned()).collect()
}

fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Mistakes of new users, whole files: where the message points and what it says.
#[test]
fn exact_first_messages_of_whole_files() {
    let cases = [
        ("message-08-two.toml", 39, 10, "`motor` (joint `O`", "drive as many coordinates"),
        ("message-11-joint.toml", 36, 9, "no joint `A`", "`A.b` (ground – b), `A.d` (ground – d), `A.c`"),
        ("message-13-dim.toml", 20, 6, "three numbers [x, y, z]", "15 of the 16 points have three"),
        ("message-15-t.toml", 37, 9, "an angle (rad or deg); found a mass", "write `6.28 * t`"),
        ("message-39-comma.toml", 14, 5, "two numbers [x, y]", "`2.5` instead of `2,5`"),
        ("message-60.toml", 37, 9, "coordinate 1 of joint `O`, an angle (rad or deg); found a mass (kg)", ""),
    ];
    for (name, line, column, message, help) in cases {
        let found = faults(name, &case(name));
        println!("{name}: {found:#?}");
        assert_eq!(found.len(), 1, "{name}");
        let first = &found[0];
        assert_eq!((first["line"].as_u64(), first["column"].as_u64()), (Some(line), Some(column)), "{name}");
        assert!(first["message"].as_str().unwrap().contains(message), "{name}: {first}");
        assert!(first["help"].as_str().unwrap_or_default().contains(help), "{name}: {first}");
    }
}

const FOUR_BAR: &str = r#"format = 1
[model]
name = "four-bar"
gravity = "-y"
[parameters]
crank = "1 m"
speed = "3 rad/s"
[points]
A = [0, 0]
B = [0, "crank"]
C = [2.5, 2]
D = [2, 0]
P = [1.2, 2.4]
[bodies]
ground = { points = ["A", "D"] }
crank = { points = ["A", "B"], mass = 1.0 }
coupler = { points = ["B", "C", "P"], mass = 2.0, shape = "polygon" }
rocker = { points = ["C", "D"], mass = 1.5 }
[measures]
lift = { value = "point.P.y", unit = "mm" }
[simulation]
duration = 1
"#;

/// One mistake each in a good file: what is said first, about which item, and that nothing else is said.
#[test]
fn exact_first_messages_of_beginners_mistakes() {
    assert!(faults("four-bar.toml", FOUR_BAR).is_empty());
    let add = |text: &'static str| ("[simulation]", text);
    let cases = [
        // units and numbers
        (("mass = 1.0", "mass = \"1 Kg\""), "bodies.crank.mass", "`Kg`", "`kg`"),
        (("\"3 rad/s\"", "\"3 rad/sec\""), "parameters.speed", "`sec`", "`s`"),
        (("\"1 m\"", "\"1,5 m\""), "parameters.crank", "`,`", "point"),
        (("\"1 m\"", "\"−1 m\""), "parameters.crank", "no meaning", "`-`"),
        (("\"1 m\"", "\"1 meter\""), "parameters.crank", "`meter`", "`m`"),
        (("mass = 1.0", "mass = \"one\""), "bodies.crank.mass", "`one`", ""),
        (("mass = 1.0", "mass = \"3 N\""), "bodies.crank.mass", "expected a mass (kg), found a force", ""),
        (("[0, \"crank\"]", "[0, \"3 kg\"]"), "points.B[1]", "expected a length (m), found a mass", ""),
        (("[2.5, 2]", "[2,5, 2]"), "points.C", "two numbers [x, y]", "`2.5`"),
        (("[2.5, 2]", "[2.5]"), "points.C", "found 1", "4 of the 5 points"),
        (("[2.5, 2]", "[2.5, 2, 0]"), "points.C", "found 3", "leave the z out"),
        (("[2.5, 2]", "2.5"), "points.C", "a list", ""),
        // names and keys
        (("mass = 1.0", "masss = 1.0"), "bodies.crank.masss", "unknown key `masss`", "`mass`"),
        (("[points]", "[point]"), "point", "unknown key `point`", "`points`"),
        (("[\"A\", \"B\"], mass", "[\"A\", \"Q\"], mass"), "bodies.crank.points[1]", "no point `Q`", ""),
        (
            ("crank = { points = [\"A\", \"B\"], mass = 1.0 }", "crank = { points = [\"A\", \"B\"] }"),
            "bodies.crank",
            "no mass",
            "`mass`",
        ),
        (
            ("P = [1.2, 2.4]", "P = [1.2, 2.4]\nQ = [1, 1]"),
            "points.Q",
            "no body holds the point `Q`",
            "`points`",
        ),
        (("P = [1.2, 2.4]", "P = [1.2, 2.4]\nA = [0, 1]"), "", "twice", "keep one"),
        (("shape = \"polygon\"", "shape = \"polygn\""), "bodies.coupler.shape", "unknown shape", "`polygon`"),
        (("\"point.P.y\"", "\"point.P.z\""), "measures.lift.value", "no `z` in the plane", ""),
        // dimensions of formulas
        (("unit = \"mm\"", "unit = \"deg\""), "measures.lift.unit", "but the value is a length", ""),
        (("unit = \"mm\"", "unit = \"Nm\""), "measures.lift.unit", "not a unit", "`N m`"),
        (("point.P.y\"", "point.P.y + 3 deg\""), "measures.lift.value", "combined with", ""),
        (
            add("[drivers]\nm = { joint = \"A\", value = \"3 mm/s * t\" }\n[simulation]"),
            "drivers.m.value",
            "angle (rad or deg); found a length",
            "",
        ),
        (
            add("[drivers]\nm = { joint = \"A\", value = \"speed\" }\n[simulation]"),
            "drivers.m.value",
            "found an angular velocity",
            "`speed * t`",
        ),
        (
            add("[drivers]\nm = { joint = \"A\", value = \"60 rpm t\" }\n[simulation]"),
            "drivers.m.value",
            "found",
            "`60 rpm * t`",
        ),
        (
            add("[drivers]\nm = { body = \"crank\", value = \"0.1 m\" }\n[simulation]"),
            "drivers.m.value",
            "body `crank`, an angle",
            "",
        ),
        (
            add("[drivers]\nm = { point = \"P\", component = \"x\", value = \"30 deg\" }\n[simulation]"),
            "drivers.m.value",
            "a length (m); found a plain number",
            "",
        ),
        (
            add("[drivers]\nm = { joint = \"Q\", value = \"t\" }\n[simulation]"),
            "drivers.m.joint",
            "no joint `Q`",
            "A, D, B, C",
        ),
        (
            add(
                "[tables]\nf = { x = [0, \"1 s\"], y = [0, \"3 kg\"] }\n[drivers]\nm = { joint = \"A\", value = \"f(t)\" }\n[simulation]",
            ),
            "drivers.m.value",
            "found a mass",
            "",
        ),
        (
            add(
                "[tables]\nf = { x = [0, \"1 m\"], y = [0, 1] }\n[drivers]\nm = { joint = \"A\", value = \"f(t)\" }\n[simulation]",
            ),
            "drivers.m.value",
            "the table `f` takes a length (m), this is a time",
            "",
        ),
        (
            add("[couples]\nc = { body = \"crank\", moment = \"5 N\" }\n[simulation]"),
            "couples.c.moment",
            "expected a moment",
            "`5 N m`",
        ),
        (
            add("[couples]\nc = { body = \"crank\", moment = \"5 Nm\" }\n[simulation]"),
            "couples.c.moment",
            "`Nm`",
            "`N m`",
        ),
        (
            add("[couples]\nc = { body = \"crank\", moment = \"2 N/m * joint.A.q\" }\n[simulation]"),
            "couples.c.moment",
            "found a stiffness",
            "",
        ),
        (
            add(
                "[forces]\nf = { body = \"crank\", at = \"B\", force = [\"3 N/m * point.B.x * point.B.y\", 0] }\n[simulation]",
            ),
            "forces.f.force[0]",
            "found a moment",
            "",
        ),
        (
            add("[springs]\ns = { between = [\"A\", \"P\"], law = \"5 N * (length - 1)\" }\n[simulation]"),
            "springs.s.law",
            "found a moment",
            "",
        ),
        (
            add(
                "[actuators]\na = { joint = \"A\", controller = { type = \"pd\", setpoint = \"3 mm\", stiffness = 5 } }\n[simulation]",
            ),
            "actuators.a.controller.setpoint",
            "found a length",
            "",
        ),
        (
            add("[locks]\nl = { joint = \"A\", when = \"joint.A.q > 3 mm\" }\n[simulation]"),
            "locks.l.when",
            "combined with",
            "",
        ),
        (
            ("duration = 1", "duration = 1\nstop = \"point.P.y\""),
            "simulation.stop",
            "true or false",
            "compare",
        ),
        (
            ("duration = 1", "duration = 1\nstop = \"t > 3 mm\""),
            "simulation.stop",
            "combined with a time",
            "",
        ),
        (("duration = 1", "duration = \"1 m\""), "simulation.duration", "expected a time", ""),
        // joints
        (
            add(
                "[joints]\nj = { type = \"revolute\", bodies = [\"crank\", \"crank\"], at = \"B\" }\n[simulation]",
            ),
            "joints.j.bodies",
            "`crank` twice",
            "",
        ),
        (
            add(
                "[joints]\nj = { type = \"prismatic\", bodies = [\"ground\", \"rocker\"], at = \"C\", axis = [0, 0] }\n[simulation]",
            ),
            "joints.j.axis",
            "no direction",
            "",
        ),
        (
            add(
                "[joints]\nj = { type = \"revolut\", bodies = [\"ground\", \"crank\"], at = \"A\" }\n[simulation]",
            ),
            "joints.j.type",
            "unknown type of joint",
            "`revolute`",
        ),
        (
            add(
                "[joints]\nj = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", limits = [1, -1], limit_stiffness = 5 }\n[simulation]",
            ),
            "joints.j.limits",
            "below the second",
            "",
        ),
        (("mass = 1.5", "mass = -1.5"), "bodies.rocker.mass", "must not be negative", ""),
        (("gravity = \"-y\"", "gravity = 9.81"), "model.gravity", "gravity has a direction", "-9.81"),
        (("[bodies]", "[body]"), "body", "unknown key `body`", "`bodies`"),
        (
            add("[drivers]\njoint = \"A\"\n[simulation]"),
            "drivers.joint",
            "expected a table",
            "[drivers.NAME]",
        ),
        (add("[[drivers]]\njoint = \"A\"\n[simulation]"), "drivers", "expected a table", "[drivers.NAME]"),
        // syntax
        (("[2.5, 2]", "[2.5 2]"), "", "TOML syntax", "parted by commas"),
        (("C = [2.5, 2]", "C : [2.5, 2]"), "", "TOML syntax", "`=`"),
        (("mass = 1.0", "mass = 1 kg"), "", "TOML syntax", "quotes"),
        (("name = \"four-bar\"", "name = four-bar"), "", "TOML syntax", "\"four-bar\""),
        (("name = \"four-bar\"", "name = “four-bar”"), "", "TOML syntax", "not the quotes of the keyboard"),
        (("mass = 1.0", "mass = −1.0"), "", "TOML syntax", "write `-`"),
        (("[2.5, 2]", "[2.5, 2"), "", "TOML syntax", "opened in line 11"),
        (("gravity = \"-y\"", "gravity = \"y\""), "model.gravity", "one of", ""),
        (
            add("[couplings]\nc = { joints = [\"A\", \"D\"], ratio = \"3 mm\" }\n[simulation]"),
            "couplings.c.ratio",
            "found a length",
            "",
        ),
        (
            (
                "rocker = { points = [\"C\", \"D\"], mass = 1.5 }",
                "rocker = { points = [\"C\", \"D\"], mass = 1.5, primary = [\"C\", \"D\", \"A\"] }",
            ),
            "bodies.rocker.primary[2]",
            "not a point of `rocker`",
            "",
        ),
        (
            ("shape = \"polygon\" }", "shape = \"polygon\", primary = [\"B\", \"C\", \"B\"] }"),
            "bodies.coupler.primary[2]",
            "listed twice",
            "",
        ),
    ];
    let mut failures = Vec::new();
    for ((from, to), path, message, help) in cases {
        assert!(FOUR_BAR.contains(from), "{from}");
        let text = FOUR_BAR.replacen(from, to, 1);
        let found = faults("four-bar.toml", &text);
        let right = |fault: &Value| {
            fault["path"] == path
                && fault["message"].as_str().unwrap().contains(message)
                && fault["help"].as_str().unwrap_or_default().contains(help)
                && fault["line"].as_u64().is_some_and(|line| line > 0)
        };
        if !(found.len() == 1 && right(&found[0])) {
            failures.push(format!("{to}: expected {path}: {message} ({help}), found {found:#?}"));
        }
    }
    assert!(failures.is_empty(), "{} wrong:\n{}", failures.len(), failures.join("\n"));
}

/// What fits stays accepted: bare numbers, factors beside readings, the time alone.
#[test]
fn exact_formulas_that_fit() {
    let good = [
        "[drivers]\nm = { joint = \"A\", value = \"3 * t\" }",
        "[drivers]\nm = { joint = \"A\", value = \"t\" }",
        "[drivers]\nm = { joint = \"A\", value = \"t^2\" }",
        "[drivers]\nm = { joint = \"A\", value = \"3 rad/s * t\" }",
        "[drivers]\nm = { joint = \"A\", value = \"speed*t + 5 deg/s^2 * t^2\" }",
        "[drivers]\nm = { joint = \"A\", value = \"30 deg * sin(2*pi*0.5*t) - 30 deg * 0\" }",
        "[tables]\nf = { x = [0, \"1 s\"], y = [0, \"30 deg\"], extend = \"hold\" }\n[drivers]\nm = { joint = \"A\", value = \"f(t)\" }",
        "[couples]\nc = { body = \"crank\", moment = \"-5 * joint.A.q - 0.1 * joint.A.v\" }",
        "[couples]\nc = { body = \"crank\", moment = \"-(5 N m) * joint.A.q - 0.1 N m s * joint.A.v\" }",
        "[springs]\ns = { between = [\"A\", \"P\"], law = \"500 * (length - 1) + 3 * rate\" }",
        "[forces]\nf = { body = \"crank\", at = \"B\", force = [\"-2 * point.B.x\", \"if(t > 0.5, 3, 0)\"] }",
        "[locks]\nl = { joint = \"A\", when = \"joint.A.q > 3 deg and t > 0.1\" }",
        "[actuators]\na = { joint = \"A\", controller = { type = \"pd\", setpoint = \"-joint.D.q + 3 deg\", stiffness = \"5 N m\" } }",
    ];
    for text in good {
        let text = FOUR_BAR.replacen("[simulation]", &format!("{text}\n[simulation]"), 1);
        let found = faults("four-bar.toml", &text);
        assert!(found.is_empty(), "{text}\n{found:#?}");
    }
}

/// Models that can be run but are probably wrong.
#[test]
fn exact_doubts_have_codes() {
    let four_bar = |from: &str, to: &str| FOUR_BAR.replacen(from, to, 1);
    let with = |text: &str| four_bar("[simulation]", &format!("{text}\n[simulation]"));
    assert!(codes(FOUR_BAR).is_empty());
    assert!(codes(&with("[drivers]\nm = { joint = \"A\", value = \"speed * t\" }")).is_empty());
    let cases: Vec<(&str, String)> = vec![
        (
            "drivers-exceed-freedom",
            with("[drivers]\nm = { joint = \"A\", value = \"speed * t\" }\nn = { body = \"crank\", value = \"3*t\" }"),
        ),
        ("cannot-move", case("simply-supported-beam.toml")),
        (
            "undriven-freedom",
            "format = 1\nmodel.gravity = \"none\"\nmodel.dimension = 2\npoints = { A = [0, 0], B = [1, 0], C = [2, 0.1] }\n\
             bodies.ground = { points = [\"A\"] }\nbodies.a = { points = [\"A\", \"B\"], mass = 1 }\n\
             bodies.b = { points = [\"B\", \"C\"], mass = 1 }\ndrivers.m = { joint = \"A\", value = \"t\" }\n"
                .into(),
        ),
        (
            "held-slide",
            "format = 1\nmodel.gravity = \"-y\"\nmodel.dimension = 2\npoints = { A = [0, 0], B = [1, 0] }\n\
             bodies.ground = { points = [\"A\"] }\nbodies.a = { points = [\"A\", \"B\"], mass = 1 }\n\
             joints.s = { type = \"prismatic\", bodies = [\"ground\", \"a\"], at = [\"A\", \"B\"], axis = [1, 0] }\n"
                .into(),
        ),
        ("far-point", four_bar("P = [1.2, 2.4]", "P = [1200, 2400]")),
        (
            "limit-beyond-turn",
            with("[joints]\nj = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", limits = [-90, 90], limit_stiffness = 5 }"),
        ),
        (
            "limit-beyond-turn",
            with("[joints]\nj = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", impact_limits = { range = [-90, 90], restitution = 0.5 } }"),
        ),
        ("hertz-as-radians", with("[drivers]\nm = { joint = \"A\", value = \"0.2*sin(5 Hz * t)\" }")),
        ("stiff-pair", with("[springs]\ns = { between = [\"A\", \"P\"], stiffness = \"1e9 kN/mm\", free_length = 1 }")),
        ("isolated-body", four_bar("P = [1.2, 2.4]", "P = [1.2, 2.4]\nE = [0, 1]\nF = [1, 1]").replacen("[measures]", "[bodies.loose]\npoints = [\"E\", \"F\"]\nmass = 1\n[measures]", 1)),
        ("nothing-held", four_bar("ground = { points = [\"A\", \"D\"] }\n", "")),
        ("gear-ratio", gears("2")),
        ("gear-ratio", gears("-0.5")),
    ];
    for (code, text) in cases {
        let found = codes(&text);
        // what is held on all sides cannot move either
        let found: Vec<&String> =
            found.iter().filter(|c| code != "held-slide" || *c != "cannot-move").collect();
        assert_eq!(found, [code], "{text}");
    }
    // these are meant
    assert!(codes(&gears("-2")).is_empty());
    let limits = "[joints]\nj = { type = \"revolute\", bodies = [\"ground\", \"crank\"], at = \"A\", limits = [\"-540 deg\", \"540 deg\"], limit_stiffness = 5 }";
    assert!(codes(&with(limits)).is_empty());
    assert!(
        codes(&with("[drivers]\nm = { joint = \"A\", value = \"0.2*sin(2*pi * 5 Hz * t)\" }")).is_empty()
    );
    assert!(
        codes(&with(
            "[springs]\ns = { between = [\"A\", \"P\"], stiffness = \"400 N/mm\", free_length = 1 }"
        ))
        .is_empty()
    );
}

/// Two discs of 0.1 m and 0.2 m that touch, coupled.
fn gears(ratio: &str) -> String {
    format!(
        "format = 1\nmodel.gravity = \"none\"\nmodel.dimension = 2\npoints = {{ A = [0, 0], B = [0.3, 0] }}\n\
         bodies.ground = {{ points = [\"A\", \"B\"] }}\n\
         bodies.small = {{ points = [\"A\"], mass = 1, shape = {{ type = \"disc\", radius = 0.1 }} }}\n\
         bodies.large = {{ points = [\"B\"], mass = 4, shape = {{ type = \"disc\", radius = 0.2 }} }}\n\
         couplings.mesh = {{ joints = [\"A\", \"B\"], ratio = {ratio} }}\n\
         initial.angular_velocities = {{ large = 1 }}\n"
    )
}

/// None of the examples is doubted.
#[test]
fn keeps_quiet_about_the_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut count, mut doubts) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let mechanism = Model::from_file(&path).unwrap().assemble().unwrap_or_else(|e| panic!("{e}"));
        let of_file = mechanism.doubts().into_iter().map(|doubt| format!("{}: {doubt:?}", path.display()));
        doubts.extend(of_file);
        count += 1;
    }
    assert!(doubts.is_empty(), "{}", doubts.join("\n"));
    assert!(count >= 38, "{count}");
}
