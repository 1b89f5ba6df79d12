//! `pose` and `workspace` as a user meets them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const ARM: &str = r#"format = 1

[points]
A = [0, 0]
B = [1, 0]       # the elbow
P = [1, 0.7]

[bodies]
ground = { points = ["A"] }
upper = { points = ["A", "B"], mass = 1 }
fore = { points = ["B", "P"], mass = 1 }
"#;

#[test]
fn exact_pose_is_told_and_written() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("arm.toml"), ARM).unwrap();
    let target = ["--target", "point.P = [120, 90] cm"];
    let out = linkwork(dir.path(), &["pose", "arm.toml", target[0], target[1], "-o", "posed.toml"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let said = text(&out.stdout);
    assert!(said.starts_with("reached") && said.contains("undetermined 0"), "{said}");
    let posed = fs::read_to_string(dir.path().join("posed.toml")).unwrap();
    assert!(posed.contains("[initial") && posed.contains("# the elbow"), "{posed}");
    let out = linkwork(dir.path(), &["pose", "posed.toml", "--format", "json"]);
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    let at = |i: usize| found["poses"][0]["points"]["P"][i].as_f64().unwrap();
    assert!((at(0) - 1.2).abs() < 1e-12 && (at(1) - 0.9).abs() < 1e-12, "{found}");
    // both elbows; the other one can be written, too
    let all = [
        "pose",
        "arm.toml",
        target[0],
        target[1],
        "--all",
        "--starts",
        "20",
        "--pick",
        "2",
        "-o",
        "other.toml",
    ];
    let out = linkwork(dir.path(), &all);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let said = text(&out.stdout);
    assert!(
        said.contains("pose 2")
            && said.contains("2 poses; 21 of 21 starts")
            && said.contains("there may be more"),
        "{said}"
    );
    assert!(dir.path().join("other.toml").exists());
}

#[test]
fn exit_codes_of_poses() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("arm.toml"), ARM).unwrap();
    let code = |args: &[&str]| {
        let out = linkwork(dir.path(), args);
        (out.status.code(), text(&out.stdout) + &text(&out.stderr))
    };
    let (out, said) = code(&["pose", "arm.toml", "--target", "point.P = [3, 0]"]);
    assert!(
        out == Some(1) && said.contains("cannot be reached: point.P") && said.contains("1.3 m off"),
        "{said}"
    );
    for (args, words) in [
        (&["--target", "point.P"][..], "QUANTITY = VALUE"),
        (&["--target", "point.Q.x = 1"], "Q"),
        (&["--target", "point.P.x = 1", "--weight", "point.P.y=2"], "there is no target"),
        (&["--target", "point.P.x = 1", "--starts", "0"], "starts"),
        (&["--target", "point.P.x = 1", "--pick", "3", "-o", "x.toml"], "--pick 3"),
        (&["--target", "point.P.x = 1", "--at", "nan"], "NaN"),
    ] {
        let (out, said) = code(&[&["pose", "arm.toml"], args].concat());
        assert!(out == Some(2) && said.contains(words), "{args:?}: {out:?} {said}");
    }
}

/// A loop is written with its own joint coordinate, and begins where it was posed.
#[test]
fn exact_posed_loop_begins_there() {
    let dir = tempfile::tempdir().unwrap();
    let out = linkwork(
        dir.path(),
        &[
            "pose",
            &example("four-bar"),
            "--target",
            "joint.A.q = 40 deg",
            "-o",
            "posed.toml",
            "--format",
            "json",
        ],
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let posed: Value = serde_json::from_slice(&out.stdout).unwrap();
    let out = linkwork(dir.path(), &["pose", "posed.toml", "--format", "json"]);
    let again: Value = serde_json::from_slice(&out.stdout).unwrap();
    let points = |found: &Value| -> Vec<f64> {
        found["poses"][0]["points"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|p| p.as_array().unwrap().clone())
            .filter_map(|x| x.as_f64())
            .collect()
    };
    let (a, b) = (points(&posed), points(&again));
    assert!(a.len() >= 8 && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
}

#[test]
fn exact_workspace_folder() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("arm.toml"), ARM).unwrap();
    let args = [
        "workspace",
        "arm.toml",
        "--of",
        "point.P",
        "--over",
        "joint.A.q=-60..60deg:5",
        "--over",
        "joint.B.q=-170..-20deg:4",
    ];
    let out = linkwork(dir.path(), &[&args[..], &["-o", "map"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).starts_with("20 of 20 cells reached, 1 branch\n"), "{}", text(&out.stdout));
    let folder = dir.path().join("map");
    let csv = fs::read_to_string(folder.join("workspace.csv")).unwrap();
    let head = "joint.A.q,joint.B.q,i,j,reached,branch,x,y,condition,transmission,stiffness,margin";
    assert_eq!(csv.lines().next(), Some(head));
    assert_eq!(csv.lines().count(), 21);
    assert!(fs::read(folder.join("workspace.parquet")).unwrap().starts_with(b"PAR1"));
    assert!(fs::read(folder.join("map.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(fs::read_to_string(folder.join("curves.csv")).unwrap().contains("rank,0,"));
    let page = fs::read_to_string(folder.join("workspace.html")).unwrap();
    assert!(page.matches("<svg").count() == 2 && page.contains("20 of 20 cells reached"));
    for (more, words) in [
        (&["--quality", "transmission"][..], "no body with two pins"),
        (&["--over", "joint.A.q=0..1:2"], "one quantity or two"),
        (&["--target", "joint.A.q in [0, 1]"], "held at a value"),
    ] {
        let out = linkwork(dir.path(), &[&args[..], more].concat());
        assert!(
            out.status.code() == Some(2) && text(&out.stderr).contains(words),
            "{more:?}: {}",
            text(&out.stderr)
        );
    }
}
