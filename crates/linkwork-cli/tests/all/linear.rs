//! `linearize` and `modes`.

use serde_json::Value;
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

/// The table, the pages and the plots of the bicycle; the weave has 0.71 Hz at 5 m/s (Meijaard et al. 2007, table 2).
#[test]
fn paper_modes_of_the_bicycle_and_their_files() {
    let dir = tempfile::tempdir().unwrap();
    let bicycle = example("bicycle");
    let out = linkwork(
        dir.path(),
        &["modes", &bicycle, "--set", "knock=0", "--range", "v=5..8:7", "-n", "8", "-o", "modes"],
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(out.stderr.is_empty(), "{}", text(&out.stderr));
    let said = text(&out.stdout);
    for word in [
        "10 states, 7 positions and 3 velocities",
        "-0.775342 ± 4.464868i",
        "0.710606 Hz",
        "6 eigenvalues are zero",
        "stability changes at v = 6.024262",
    ] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    let folder = dir.path().join("modes");
    for file in ["modes.csv", "modes.html", "mode-1.html", "locus.csv", "locus.svg", "campbell.svg"] {
        assert!(folder.join(file).metadata().unwrap().len() > 100, "{file}");
    }
    let csv = std::fs::read_to_string(folder.join("modes.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("damping_ratio,time_constant,body.frame,"), "{csv}");
    let page = std::fs::read_to_string(folder.join("modes.html")).unwrap();
    assert!(page.contains("href=\"mode-1.html\" target=\"mode\"") && !page.contains("<script"));
    let locus = std::fs::read_to_string(folder.join("locus.csv")).unwrap();
    assert_eq!(locus.lines().count(), 8);
}

/// Three formats of one linear system, and the same for programs.
#[test]
fn same_linear_system_in_all_files() {
    let dir = tempfile::tempdir().unwrap();
    let bicycle = example("bicycle");
    for file in ["linear.json", "linear.npz", "linear.mat"] {
        let out = linkwork(
            dir.path(),
            &["linearize", &bicycle, "--set", "knock=0", "--output", "joint.steering.q", "-o", file],
        );
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(text(&out.stdout).contains(file));
    }
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.path().join("linear.json")).unwrap()).unwrap();
    let out = linkwork(
        dir.path(),
        &["linearize", &bicycle, "--set", "knock=0", "--output", "joint.steering.q", "--format", "json"],
    );
    let printed: Value = serde_json::from_str(&text(&out.stdout)).unwrap();
    assert_eq!(written, printed);
    assert_eq!(printed["outputs"][0]["name"], "joint.steering.q");
    assert_eq!(printed["A"].as_array().unwrap().len(), 10);
    // an entry of A stands in the other two as it is
    let entry = printed["A"][8][1].as_f64().unwrap().to_le_bytes();
    for file in ["linear.npz", "linear.mat"] {
        let bytes = std::fs::read(dir.path().join(file)).unwrap();
        assert!(bytes.windows(8).any(|window| window == entry), "{file}");
    }
}

/// A rod drawn level swings about where it rests with ω² = 3g/2l; the governor's sleeve about where it is at speed, without a word on unsteady motion.
#[test]
fn exact_modes_at_rest_and_in_steady_motion() {
    let dir = tempfile::tempdir().unwrap();
    let model = "format = 1\n[model]\nname = \"rod\"\ngravity = \"-y\"\n[points]\nO = [0, 0]\nA = [2, 0]\n[bodies]\nground = { points = [\"O\"] }\nrod = { points = [\"O\", \"A\"], mass = 3 }\n";
    std::fs::write(dir.path().join("rod.toml"), model).unwrap();
    let out = linkwork(dir.path(), &["modes", "rod.toml", "--at", "equilibrium", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let said: Value = serde_json::from_str(&text(&out.stdout)).unwrap();
    let frequency = said["modes"][0]["frequency"].as_f64().unwrap();
    let exact = (1.5f64 * 9.81 / 2.0).sqrt() / std::f64::consts::TAU;
    // differences of order six
    assert!((frequency - exact).abs() < 1e-9, "{frequency} {exact}");

    let out = linkwork(dir.path(), &["modes", &example("governor"), "--at", "steady", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(out.stderr.is_empty(), "{}", text(&out.stderr));
    let said: Value = serde_json::from_str(&text(&out.stdout)).unwrap();
    assert_eq!(said["modes"][0]["kind"], "oscillating", "{said}");
}

/// What cannot be done is said with exit code 2, and what runs to a state and fails with 1.
#[test]
fn refuses_with_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let bicycle = example("bicycle");
    for (args, said) in [
        (
            vec!["linearize", &bicycle, "-o", "linear.txt"],
            "a linear system is written to .json, .npz or .mat",
        ),
        (vec!["linearize", &bicycle, "--input", "throttle"], "no input `throttle`"),
        (vec!["linearize", &bicycle, "--output", "speedo"], "cannot take `speedo` as an output"),
        (vec!["modes", &bicycle, "--at", "-1"], "is neither a time"),
        (vec!["modes", &example("box-stack"), "--at", "1.5"], "contact"),
    ] {
        let out = linkwork(dir.path(), &args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", text(&out.stderr));
        assert!(text(&out.stderr).contains(said), "{args:?}: {}", text(&out.stderr));
    }
}

/// A state that moves is linearised with a warning that says by how much.
#[test]
fn tells_of_motion_that_is_not_steady() {
    let dir = tempfile::tempdir().unwrap();
    let out = linkwork(dir.path(), &["modes", &example("four-bar"), "--at", "0.3"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("is not steady: the rate of `joint."), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("at t = 0.3 s: 2 states, 1 position and 1 velocity"));
}
