//! `linkwork optimize` and `linkwork fit`, as a user meets them.

use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

const SLIDER: &str = r#"
format = 1
parameters = { r = "30 mm" }   # half of the stroke
points = { O = [0, 0], A = ["r", 0], B = ["r + 0.2", 0] }
bodies.ground = { points = ["O"] }
bodies.crank = { points = ["O", "A"], mass = 1 }
bodies.rod = { points = ["A", "B"], mass = 1 }
bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
drivers.motor = { joint = "O", value = "2 * pi * t" }
simulation = { duration = 1, output_step = 0.02 }
[optimize]
over = "kinematics"
minimize = "(max(point.B.x) - min(point.B.x) - 80 mm)^2"
variables.r = { from = "10 mm", to = "35 mm" }
"#;

const FALL: &str = r#"
format = 1
parameters.g = 9
model = { dimension = 2, gravity = [0, "-g"] }
points.B = [0, 0]
bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
simulation = { duration = 1, output_step = 0.1 }
[optimize]
variables = { g = { from = 1, to = 20 } }
"#;

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The upper bound of the crank is what limits the stroke.
#[test]
fn exact_best_model_history_and_report() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("slider.toml"), SLIDER).unwrap();
    let done = linkwork(dir.path(), &["optimize", "slider.toml", "-o", "best", "--jobs", "1"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    assert!(said.contains("limits: r at its upper bound") && said.contains("best.toml"), "{said}");
    let best = read(&dir.path().join("best/best.toml"));
    assert!(best.contains("# half of the stroke") && !best.contains("30 mm"), "{best}");
    let summary: Value = serde_json::from_str(&read(&dir.path().join("best/summary.json"))).unwrap();
    assert!((summary["objective"].as_f64().unwrap() - 1e-4).abs() < 1e-9, "{summary}");
    assert!(read(&dir.path().join("best/report.html")).contains("What limits the result"));
    assert!(
        read(&dir.path().join("best/history.csv"))
            .starts_with("evaluation,solver,objective,violation,open,r\n")
    );
    let json =
        linkwork(dir.path(), &["optimize", "slider.toml", "-o", "best", "--format", "json", "--runs", "1"]);
    assert_eq!(json.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(found["evaluations"], 1);
}

#[test]
fn exact_fall_is_fitted() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("fall.toml"), FALL).unwrap();
    let mut data = String::from("t,height\n");
    for k in 1..10 {
        let t = 0.1 * f64::from(k);
        let _ = writeln!(data, "{t},{}", -0.5 * 9.81 * t * t + 1e-3 * f64::from(9 * k).sin());
    }
    std::fs::write(dir.path().join("data.csv"), data).unwrap();
    let args = ["fit", "fall.toml", "--data", "data.csv", "--map", "height=point.B.y", "--format", "json"];
    let done = linkwork(dir.path(), &args);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let found: Value = serde_json::from_slice(&done.stdout).unwrap();
    let one = &found["estimates"][0];
    let number = |value: &Value| value.as_f64().unwrap();
    assert!(number(&one["interval"][0]) < 9.81 && 9.81 < number(&one["interval"][1]), "{found}");
    assert!((number(&one["value"]) - 9.81).abs() < 0.01, "{found}");
    assert!(read(&dir.path().join("fit/report.html")).contains("95 % interval"));
}

#[test]
fn wrong_options_and_sections_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("slider.toml"), SLIDER).unwrap();
    std::fs::write(dir.path().join("bad.toml"), SLIDER.replace("max(point.B.x)", "max(point.C.x)")).unwrap();
    std::fs::write(dir.path().join("fall.toml"), FALL).unwrap();
    std::fs::write(dir.path().join("data.csv"), "time,y\n0.1,2\n").unwrap();
    for (args, words) in [
        (&["optimize", "bad.toml"][..], "bad.toml:14"),
        (&["optimize", "slider.toml", "--method", "least-squares"], "least squares needs `residuals`"),
        (&["optimize", "slider.toml", "--method", "newton"], "no method"),
        (&["optimize", "fall.toml"], "nothing says what is wanted"),
        (&["fit", "fall.toml", "--data", "data.csv"], "no column `t` of times"),
        (
            &["fit", "fall.toml", "--data", "data.csv", "--time", "time", "--map", "z=point.B.y"],
            "no column `z`",
        ),
        (&["fit", "fall.toml", "--data", "none.csv"], "none.csv"),
    ] {
        let done = linkwork(dir.path(), args);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(words), "{words}: {}", text(&done.stderr));
    }
}
