//! `linkwork sensitivity`, as a user meets it.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PENDULUM: &str = r#"
    format = 1
    model = { name = "pendulum", gravity = [0, -9.81] }
    parameters = { l = "50 cm", m = "2 kg" }
    points = { A = [0, 0], B = ["l", 0] }
    bodies.ground = { points = ["A"] }
    bodies.rod = { points = ["A", "B"], mass = "m" }
    simulation = { duration = 3, stop = "point.B.x < 0" }
"#;

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pendulum.toml"), PENDULUM).unwrap();
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A rod falls from the horizontal in a time that goes with √l, and whatever its mass.
#[test]
fn exact_derivatives_as_text_json_and_table() {
    let folder = folder();
    let of = ["sensitivity", "pendulum.toml", "--of", "final(t),at(0.1, point.B.y)", "--by", "l,m"];
    let done = linkwork(folder.path(), &[&of[..], &["--check", "-o", "out/found.csv"]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let shown = text(&done.stdout);
    assert!(
        shown.contains("final(t) = ") && shown.contains("s per m") && shown.contains("agree to"),
        "{shown}"
    );
    let done = linkwork(folder.path(), &[&of[..], &["--format", "json"]].concat());
    let found: Value = serde_json::from_slice(&done.stdout).unwrap();
    let result = &found["results"][0];
    let (value, slope) =
        (result["value"].as_f64().unwrap(), result["by"]["l"]["derivative"].as_f64().unwrap());
    assert!((slope / (value / (2.0 * 0.5)) - 1.0).abs() < 1e-8, "{result}");
    assert!(result["by"]["m"]["derivative"].as_f64().unwrap().abs() < 1e-8);
    assert_eq!((&result["unit"], &result["by"]["l"]["unit"]), (&"s".into(), &"s per m".into()));
    let table = fs::read_to_string(folder.path().join("out/found.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "of,value,of_unit,by,at,by_unit,derivative,error");
    assert_eq!(lines.len(), 5);
    assert!(lines[3].starts_with("\"at(0.1, point.B.y)\",-"), "{}", lines[3]);
}

/// The same by every way, which the answer names; each is checked by another.
#[test]
fn exact_every_way_by_its_name() {
    let folder = folder();
    let of =
        ["sensitivity", "pendulum.toml", "--of", "final(t)", "--by", "l,m", "--check", "--format", "json"];
    for (way, names) in [
        ("auto", ["direct", "differences"]),
        ("differences", ["differences", "direct"]),
        ("direct", ["direct", "differences"]),
        ("jets", ["jets", "differences"]),
        ("adjoint", ["adjoint", "differences"]),
    ] {
        let done = linkwork(folder.path(), &[&of[..], &["--method", way]].concat());
        assert_eq!(done.status.code(), Some(0), "{way}: {}", text(&done.stderr));
        let found: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!((&found["method"], &found["check"]["ways"]), (&names[0].into(), &names[..].into()));
        let (value, slope) = (&found["results"][0]["value"], &found["results"][0]["by"]["l"]["derivative"]);
        assert!((slope.as_f64().unwrap() / value.as_f64().unwrap() - 1.0).abs() < 1e-8, "{way}: {found}");
    }
    let done = linkwork(folder.path(), &[&of[..], &["--method", "newton"]].concat());
    assert!(done.status.code() == Some(2) && text(&done.stderr).contains("adjoint"));
}

#[test]
fn exact_numbers_of_a_file_are_listed() {
    let folder = folder();
    let done = linkwork(folder.path(), &["sensitivity", "pendulum.toml", "--list"]);
    let shown = text(&done.stdout);
    let names: Vec<&str> = shown.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(&names[..5], ["model.gravity[0]", "model.gravity[1]", "l", "m", "A.x"]);
    assert!(shown.contains("bodies.rod.mass") && !shown.contains("duration"));
}

#[test]
fn exact_misuse_is_named() {
    let folder = folder();
    for (of, by, code, words) in [
        ("final(point.B.xx)", "l", 2, "did you mean `point.B.x`?"),
        ("final(t)", "bodies.rod.mas", 2, "did you mean `bodies.rod.mass`?"),
        ("before(0, t)", "l", 2, "before(NUMBER OF THE EVENT, COLUMN)"),
        ("highest(t)", "l", 2, "is not understood"),
        ("after(2, t)", "l", 2, "1 events happened"),
        ("at(9, t)", "l", 2, "from 0 to 3 s"),
    ] {
        let done = linkwork(folder.path(), &["sensitivity", "pendulum.toml", "--of", of, "--by", by]);
        assert_eq!(done.status.code(), Some(code), "{of} {by}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(words), "{of} {by}: {}", text(&done.stderr));
    }
    let done =
        linkwork(folder.path(), &["sensitivity", "pendulum.toml", "--of", "t", "--by", "l", "-o", "x.txt"]);
    assert!(done.status.code() == Some(2) && text(&done.stderr).contains(".csv or .json"));
}
