//! Where models and results are: built-in examples, `--set` for any key, folders of results, completions and manual pages.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const FALL: &str = r#"format = 1
parameters.h = "2 m"
model = { dimension = 2, gravity = "-y" }
points.B = [0, "h"]
bodies.stone = { points = ["B"], mass = 2, com = "B", inertia = 1 }
simulation = { duration = 0.1, output_step = 0.1 }
"#;

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

fn last_row(folder: &Path) -> Vec<f64> {
    let rows = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    rows.lines().last().unwrap().split(',').map(|number| number.parse().unwrap()).collect()
}

#[test]
fn exact_any_key_can_be_set() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("fall.toml"), FALL).unwrap();
    let set = ["h=30 cm", "model.gravity=[0, -1.62]", "simulation.duration=1", "body.stone.mass='4 kg'"];
    let mut args = vec!["run", "fall.toml", "--no-report"];
    args.extend(set.iter().flat_map(|set| ["--set", set]));
    let done = linkwork(dir.path(), &args);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let row = last_row(&dir.path().join("results/fall"));
    assert_eq!(row[0], 1.0);
    assert!((row[2] - (0.3 - 0.81)).abs() < 1e-12, "{row:?}"); // y = h - g t^2/2
    let inertia = &summary(&dir.path().join("results/fall"))["mechanism"]["bodies"][0]["mass"];
    assert_eq!(*inertia, 4.0);
    let refused = linkwork(dir.path(), &["check", "fall.toml", "--set", "bodies.stone.mas=2"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("the given values:1:1") && said.contains("`mass`"), "{said}");
}

#[test]
fn exact_examples_run_by_name_unless_a_file_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let done = linkwork(dir.path(), &["run", "pendulum", "--duration", "0.1", "--no-report"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(summary(&dir.path().join("results/pendulum"))["model_file"], "pendulum");
    std::fs::write(dir.path().join("pendulum"), FALL).unwrap();
    let own = linkwork(dir.path(), &["check", "pendulum"]);
    assert!(text(&own.stdout).contains("stone"), "{}", text(&own.stdout));
    let slip = linkwork(dir.path(), &["run", "fourbar"]);
    assert_eq!(slip.status.code(), Some(2));
    assert!(text(&slip.stderr).contains("did you mean `four-bar`?"), "{}", text(&slip.stderr));
    let missing = linkwork(dir.path(), &["run", "other/four-bar.toml"]);
    assert!(text(&missing.stderr).contains("other/four-bar.toml"), "{}", text(&missing.stderr));
}

#[test]
fn keeps_results_of_other_models() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("other")).unwrap();
    for file in ["fall.toml", "other/fall.toml"] {
        std::fs::write(dir.path().join(file), FALL).unwrap();
    }
    let run = |args: &[&str]| {
        let done = linkwork(dir.path(), &[&["run", "--no-report"], args].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        text(&done.stdout)
    };
    assert!(!run(&["fall.toml"]).contains("replaced"));
    let said = run(&["fall.toml", "--set", "h=3"]);
    assert!(said.contains("replaced") && said.contains("the results of an earlier run\n"), "{said}");
    assert!(!run(&["other/fall.toml"]).contains("replaced"));
    assert!(run(&["other/fall.toml"]).contains("replaced"));
    let model = |folder: &str| summary(&dir.path().join("results").join(folder))["model_file"].clone();
    assert_eq!([model("fall"), model("fall-2")], ["fall.toml", "other/fall.toml"]);
    // where the user says so, whatever is there is replaced
    let said = run(&["other/fall.toml", "-o", "results/fall"]);
    assert!(said.contains("the results of an earlier run of fall.toml"), "{said}");
}

#[test]
fn exact_completions_and_manual_pages_have_every_verb() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = linkwork(dir.path(), &["completions", shell]);
        let script = text(&done.stdout);
        for word in ["equilibrium", "checkpoint-every", "completions"] {
            assert!(script.contains(word), "{shell} has no `{word}`");
        }
    }
    let done = linkwork(dir.path(), &["manual", "-o", "man1"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let page = |name: &str| std::fs::read_to_string(dir.path().join("man1").join(name)).unwrap();
    assert!(page("linkwork.1").contains("linkwork\\-run(1)"), "{}", page("linkwork.1"));
    assert!(page("linkwork-run.1").contains("\\-\\-output\\-step"), "{}", page("linkwork-run.1"));
    assert!(page("linkwork-sweep-status.1").contains("linkwork"));
}
