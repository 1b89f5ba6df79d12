//! The command as a user meets it: exit codes, files, streams.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|d| d.map(|f| f.unwrap().file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn exact_run_writes_results_and_summary() {
    let dir = tempfile::tempdir().unwrap();
    let out = linkwork(dir.path(), &["run", &example("four-bar"), "--duration", "1"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let said = text(&out.stdout);
    for word in ["1 degree of freedom", "energy drift", "constraint residual", "results.csv"] {
        assert!(said.contains(word), "{said}");
    }
    let last = said.lines().last().unwrap();
    assert!(last.trim_start().starts_with("report ") && last.ends_with("report.html"), "{said}");
    let folder = dir.path().join("results/four-bar");
    assert_eq!(files(&folder), ["motion.lwm", "report.html", "results.csv", "summary.json"]);
    let csv = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(header.starts_with("t,point.A.x,point.A.y,point.A.vx,point.A.vy,point.B.x"), "{header}");
    for column in
        ["joint.A.q", "joint.A.v", "joint.A.force.x", "energy.kinetic", "energy.potential", "energy.total"]
    {
        assert!(header.split(',').any(|c| c == column), "{column} in {header}");
    }
    assert_eq!(csv.lines().count(), 102);
    assert!(csv.lines().last().unwrap().starts_with("1.0,"));
    let summary = summary(&folder);
    assert_eq!(summary["status"], "finished");
    assert_eq!(summary["rows"], 101);
    assert_eq!(summary["mechanism"]["degrees_of_freedom"], 1);
    assert_eq!(summary["columns"].as_array().unwrap().len(), header.split(',').count());
    assert!(summary["accuracy"]["relative_constraint_residual"].as_f64().unwrap() < 1e-12);
}

/// Two processes, the same bytes.
#[test]
fn same_bytes_in_another_process() {
    let dir = tempfile::tempdir().unwrap();
    for model in ["four-bar-in-space", "double-pendulum", "slider-crank"] {
        let results: Vec<Vec<u8>> = ["a", "b"]
            .map(|out| {
                let done = linkwork(dir.path(), &["run", &example(model), "--quiet", "-o", out]);
                assert_eq!(done.status.code(), Some(0));
                assert!(done.stdout.is_empty() && done.stderr.is_empty());
                std::fs::read(dir.path().join(out).join("results.csv")).unwrap()
            })
            .into();
        assert!(results[0] == results[1], "{model}");
    }
}

#[test]
fn exact_bad_input_names_file_line_and_item() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.toml");
    let good = std::fs::read_to_string(example("four-bar")).unwrap();
    let bad = good
        .replace("mass = 1.0", "mas = 1.0")
        .replace("\"C\", \"D\"", "\"C\", \"E\"")
        .replace("duration = 10", "duration = \"10 kg\"");
    std::fs::write(&file, bad).unwrap();
    for command in ["run", "check"] {
        let out = linkwork(dir.path(), &[command, "bad.toml"]);
        assert_eq!(out.status.code(), Some(2));
        let said = text(&out.stderr);
        for word in ["bad.toml:", "mas", "mass", "there is no point `E`", "expected a time", "^"] {
            assert!(said.contains(word), "{word} in {said}");
        }
        assert!(out.stdout.is_empty());
    }
    assert_eq!(files(dir.path()), ["bad.toml"], "nothing half-written");
    let out = linkwork(dir.path(), &["check", "bad.toml", "--format", "json"]);
    assert_eq!(out.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let faults = report["faults"].as_array().unwrap();
    assert!(faults.len() >= 3);
    assert!(faults.iter().all(|f| f["line"].as_u64().is_some() && f["file"] == "bad.toml"));
    assert_eq!(linkwork(dir.path(), &["run", "missing.toml"]).status.code(), Some(2));
    assert_eq!(linkwork(dir.path(), &["walk"]).status.code(), Some(2));
    let out = linkwork(dir.path(), &["run", &example("four-bar"), "--tolerance", "-1"]);
    assert_eq!(out.status.code(), Some(2));
    let out = linkwork(dir.path(), &["run", &example("four-bar"), "--tolerance=-1"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("--tolerance"), "{}", text(&out.stderr));
    let out = linkwork(dir.path(), &["run", &example("four-bar"), "--formulation", "kane"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("closes a loop"));
}

#[test]
fn exact_standard_input_and_json() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_linkwork"))
        .current_dir(dir.path())
        .args(["run", "-", "--format", "json", "-o", "out", "--duration", "0.5"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let model = std::fs::read_to_string(example("pendulum")).unwrap();
    child.stdin.take().unwrap().write_all(model.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&report["status"], &report["rows"]), (&"finished".into(), &51.into()));
    assert_eq!(summary(&dir.path().join("out"))["status"], "finished");
    assert_eq!(report["warnings"], Value::Array(Vec::new()));
}

/// What `check` warns of is in the summary of a run as well.
#[test]
fn exact_warnings_in_the_summary() {
    let dir = tempfile::tempdir().unwrap();
    let model = "format = 1\n[points]\nO = [0, 0]\nP = [0, -1]\n[bodies]\nground = { points = ['O'] }\n\
        ball = { points = ['P'], mass = 0.001 }\n[springs]\nline = { between = ['O', 'P'], stiffness = 1e9, damping = 10 }\n\
        [simulation]\nduration = 2\noutput_step = 0.1\n";
    std::fs::write(dir.path().join("stiff.toml"), model).unwrap();
    let out = linkwork(dir.path(), &["run", "stiff.toml", "-o", "out", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let printed: Value = serde_json::from_slice(&out.stdout).unwrap();
    let warnings = printed["warnings"].as_array().unwrap();
    let warning = warnings.iter().find(|warning| warning["path"] == "springs.line.stiffness");
    assert_eq!(warning.map(|warning| &warning["line"]), Some(&9.into()), "{warnings:?}");
    assert_eq!(summary(&dir.path().join("out"))["warnings"], printed["warnings"]);
}

/// Inputs by value and by a table: the columns show what was set, and wrong ones are refused by name.
#[test]
fn exact_inputs_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let model = "format = 1\n[points]\nO = [0, 0]\nC = [0.5, 0]\n[bodies]\nground = { points = ['O'] }\n\
        sled = { points = ['C'], mass = 2, shape = { type = 'box', size = [0.4, 0.2], axis = [1, 0] } }\n\
        [joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'sled']\nat = ['O', 'C']\naxis = [1, 0]\n\
        [inputs]\npush = { unit = 'N', limits = [-9, 9] }\n[actuators]\nmotor = { joint = 'rail', force = 'input.push' }\n\
        [simulation]\nduration = 1\noutput_step = 0.5\n";
    std::fs::write(dir.path().join("sled.toml"), model).unwrap();
    std::fs::write(dir.path().join("push.csv"), "t,push\n0,2\n0.25,-4\n").unwrap();
    let last = |out: &str| {
        let text = std::fs::read_to_string(dir.path().join(out).join("results.csv")).unwrap();
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let (names, row) = (cells(text.lines().next().unwrap()), cells(text.lines().last().unwrap()));
        ["input.push", "point.C.vx"].map(|name| {
            let at = names.iter().position(|known| known == name).unwrap();
            row[at].parse::<f64>().unwrap()
        })
    };
    for (input, expected) in [("push=3", [3.0, 1.5]), ("push.csv", [-4.0, 0.25 - 1.5])] {
        let out = linkwork(dir.path(), &["run", "sled.toml", "--input", input, "-o", "out", "--no-report"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let found = last("out");
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{input}: {found:?}");
    }
    for (input, message) in [
        ("pull=3", "it has push"),
        ("push=10", "beyond its limits"),
        ("push=x", "not a number"),
        ("no.csv", "no.csv"),
    ] {
        let out = linkwork(dir.path(), &["run", "sled.toml", "--input", input, "-o", "other"]);
        assert_eq!(out.status.code(), Some(2), "{input}");
        assert!(text(&out.stderr).contains(message), "{}", text(&out.stderr));
        assert!(!dir.path().join("other").exists());
    }
}

/// A run that fails keeps its rows and says when and what.
#[test]
fn exact_failed_run_keeps_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("short.toml");
    let model = std::fs::read_to_string(example("double-pendulum")).unwrap() + "max_steps = 100\n";
    std::fs::write(&file, model).unwrap();
    let out = linkwork(dir.path(), &["run", "short.toml", "-o", "out"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("the run failed at t ="), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("[too-many-steps]"), "{}", text(&out.stderr));
    let summary = summary(&dir.path().join("out"));
    assert_eq!((&summary["status"], &summary["partial"]), (&"failed".into(), &true.into()));
    assert_eq!(summary["failure"]["code"], "too-many-steps");
    let rows =
        std::fs::read_to_string(dir.path().join("out/results.csv")).unwrap().lines().count() as u64 - 1;
    assert!(rows > 10 && summary["rows"] == rows);
    let data = page_data(&dir.path().join("out/report.html"));
    assert_eq!(data["motion"]["frames"], rows, "a report of what there is");
    assert!(data["warnings"][0].as_str().unwrap().starts_with("the run failed at"), "{}", data["warnings"]);
}

/// The data that a page holds.
fn page_data(file: &Path) -> Value {
    let page = std::fs::read_to_string(file).unwrap();
    let (_, rest) = page.split_once("id=\"linkwork-data\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn exact_report_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let good = |args: &[&str]| {
        let out = linkwork(dir.path(), args);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    good(&["run", &example("bouncing-ball"), "-o", "out", "--duration", "1"]);
    let folder = dir.path().join("out");
    let first = std::fs::read(folder.join("report.html")).unwrap();
    let data = page_data(&folder.join("report.html"));
    assert_eq!((&data["format"], &data["kind"]), (&1.into(), &"report".into()));
    assert_eq!(
        data["table"]["columns"].as_array().unwrap().len(),
        summary(&folder)["columns"].as_array().unwrap().len()
    );
    assert_eq!(data["table"]["columns"][0], serde_json::json!({ "name": "t", "unit": "s" }));
    assert_eq!(data["table"]["rows"], data["summary"]["rows"]);
    assert!(!data["events"].as_array().unwrap().is_empty());
    std::fs::remove_file(folder.join("report.html")).unwrap();
    assert_eq!(good(&["report", "out"]).trim(), "out/report.html");
    assert!(std::fs::read(folder.join("report.html")).unwrap() == first);
    good(&["report", "out", "-o", "page.html"]);
    assert!(std::fs::read(dir.path().join("page.html")).unwrap() == first);
    // a run without a report takes those away that belong to another run
    good(&["run", &example("bouncing-ball"), "-o", "out", "--duration", "1", "--no-report"]);
    assert_eq!(files(&folder), ["events.csv", "results.csv", "summary.json"]);
    let out = linkwork(dir.path(), &["report", "out"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("motion.lwm is not there"), "{}", text(&out.stderr));
    let out = linkwork(dir.path(), &["report", "nowhere"]);
    assert_eq!(out.status.code(), Some(2));
    std::fs::write(folder.join("motion.lwm"), b"LWMOTION\x01\0\0\0\xff\xff\0\0{").unwrap();
    let out = linkwork(dir.path(), &["report", "out"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("damaged"), "{}", text(&out.stderr));
}

/// Ctrl-C leaves a valid partial result that says it is partial.
#[cfg(unix)]
#[test]
fn exact_interrupted_run_is_partial_and_valid() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_linkwork"))
        .current_dir(dir.path())
        .args(["run", &example("double-pendulum"), "--duration", "50000", "-o", "out"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // samples are on the disk, so the run is well on its way
    let out = dir.path().join("out");
    let begun = std::time::Instant::now();
    let written = |name: &String| std::fs::metadata(out.join(name)).map_or(0, |file| file.len());
    while files(&out).iter().map(written).max().unwrap_or(0) < 10_000 {
        assert!(child.try_wait().unwrap().is_none() && begun.elapsed().as_secs() < 300);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(!out.join("results.csv").exists(), "appears only when complete");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("stopped at"), "{}", text(&out.stdout));
    let folder: PathBuf = dir.path().join("out");
    assert_eq!(files(&folder), ["motion.lwm", "report.html", "results.csv", "summary.json"]);
    let summary = summary(&folder);
    assert_eq!((&summary["status"], &summary["partial"]), (&"stopped".into(), &true.into()));
    let csv = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|l| l.split(',').count() == columns) && csv.ends_with('\n'));
    assert_eq!(summary["rows"].as_u64().unwrap(), csv.lines().count() as u64 - 1);
}

#[test]
fn exact_examples_new_and_schema() {
    let dir = tempfile::tempdir().unwrap();
    let list = text(&linkwork(dir.path(), &["examples"]).stdout);
    assert!(list.contains("four-bar") && list.contains("manipulator-3rrr"));
    let shown = linkwork(dir.path(), &["examples", "chain"]).stdout;
    assert_eq!(shown, std::fs::read(example("chain")).unwrap());
    let renamed = linkwork(dir.path(), &["examples", "rope_swing"]);
    assert_eq!(renamed.stdout, std::fs::read(example("rope-swing")).unwrap());
    assert!(text(&renamed.stderr).contains("called `rope-swing` now"));
    assert_eq!(linkwork(dir.path(), &["examples", "nothing"]).status.code(), Some(2));
    for (name, options) in [("mine.toml", vec![]), ("mine-3d.toml", vec!["--spatial"])] {
        let mut args = vec!["new", name];
        args.extend(options);
        assert_eq!(linkwork(dir.path(), &args).status.code(), Some(0));
        assert_eq!(linkwork(dir.path(), &args).status.code(), Some(2), "does not overwrite");
        let out = linkwork(dir.path(), &["run", name]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let out = linkwork(dir.path(), &["check", name]);
        assert!(text(&out.stdout).contains("degree"), "{}", text(&out.stderr));
    }
    let schema = text(&linkwork(dir.path(), &["schema"]).stdout);
    let kept =
        std::fs::read_to_string(format!("{}/../../docs/linkwork.schema.json", env!("CARGO_MANIFEST_DIR")))
            .unwrap();
    assert_eq!(schema, kept, "refresh with: cargo run -p linkwork-cli -- schema > docs/linkwork.schema.json");
    serde_json::from_str::<Value>(&schema).unwrap();
}

/// Every code that a message shows can be looked up.
#[test]
fn exact_codes_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let explain = |args: &[&str]| linkwork(dir.path(), &[&["explain"], args].concat());
    let all = text(&explain(&[]).stdout);
    assert!(all.contains("Failures\n") && all.contains("\n  dead-centre "), "{all}");
    let listed: Value = serde_json::from_slice(&explain(&["--format", "json"]).stdout).unwrap();
    assert!(listed.as_array().unwrap().iter().any(|e| e["code"] == "stiffness" && e["kind"] == "remark"));
    let page = text(&explain(&["[stiff-pair]"]).stdout);
    assert!(page.starts_with("stiff-pair\n\n") && page.contains("\nWhat to do\n"), "{page}");
    let unknown = explain(&["stif-pair"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("did you mean `stiff-pair`?"));

    let model =
        page.lines().filter_map(|line| line.strip_prefix("    ")).take_while(|line| !line.starts_with('$'));
    std::fs::write(dir.path().join("pair.toml"), model.collect::<Vec<_>>().join("\n")).unwrap();
    let checked = linkwork(dir.path(), &["check", "pair.toml"]);
    assert!(text(&checked.stderr).contains("try `linkwork explain stiff-pair`"), "{}", text(&checked.stderr));
}

/// The vehicle rests at its height, is written there with its comments, and a run that begins at rest says so.
#[test]
fn exact_equilibrium_of_the_vehicle() {
    let dir = tempfile::tempdir().unwrap();
    let out =
        linkwork(dir.path(), &["equilibrium", &example("vehicle"), "-o", "rest.toml", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&found["stability"], &found["written"]["by"]), (&"neutral".into(), &"points".into()));
    let moved = found["moved"].as_array().unwrap();
    let centre = moved.iter().find(|moved| moved["point"] == "centre").unwrap();
    // the end of a damped run of 40 s is off by up to 4e-11 m
    assert!((centre["after"][2].as_f64().unwrap() - 0.498927571487).abs() < 4e-11, "{centre}");
    let written = std::fs::read_to_string(dir.path().join("rest.toml")).unwrap();
    assert!(written.contains("# A vehicle of 13 rigid bodies"), "{written}");
    let said = text(&linkwork(dir.path(), &["equilibrium", "rest.toml"]).stdout);
    assert!(said.contains("nothing had to move") && said.contains("7 directions"), "{said}");
    let run = ["run", &example("vehicle"), "--initial", "equilibrium", "--duration", "0.1", "--no-report"];
    let said = text(&linkwork(dir.path(), &run).stdout);
    assert!(said.contains("the run begins at the equilibrium"), "{said}");
}

/// A body that falls has no equilibrium: the force and the body are named, with exit code 1. A steady motion says what keeps a rate.
#[test]
fn exact_falling_body_has_no_equilibrium() {
    let dir = tempfile::tempdir().unwrap();
    let model = "format = 1\n[model]\ngravity = \"-y\"\n[points]\nA = [0, 0]\n[bodies]\nstone = { points = [\"A\"], mass = 2 }\n";
    std::fs::write(dir.path().join("stone.toml"), model).unwrap();
    let out = linkwork(dir.path(), &["equilibrium", "stone.toml"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stderr);
    assert!(said.contains("1.9620e1 N moves") && said.contains("`stone` along -y"), "{said}");
    let steady = ["equilibrium", "stone.toml", "--steady", "--hold", "point.A.vy=-3"];
    let said = text(&linkwork(dir.path(), &steady).stdout);
    assert!(said.contains("point.A.vy = -3, by a force or moment of 19.62"), "{said}");
    let out = linkwork(dir.path(), &["equilibrium", "stone.toml", "--hold", "point.A.vy=-3"]);
    assert_eq!(out.status.code(), Some(2));
}

/// `check` names the redundancy of the four-bar in space by joint and component.
/// The normal form runs to the same bytes, is its own normal form, and may take the place of the file.
#[test]
fn same_results_of_a_formatted_model() {
    let dir = tempfile::tempdir().unwrap();
    let out = linkwork(dir.path(), &["format", &example("four-bar")]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let printed = text(&out.stdout);
    assert!(printed.starts_with("format = 1\n\n[model]\nname = \"four-bar linkage\"\n"), "{printed}");
    assert!(printed.contains("# a point of the coupler: watch its path\n"), "{printed}");
    let file = dir.path().join("four-bar.toml");
    std::fs::copy(example("four-bar"), &file).unwrap();
    let results = |name: &str| {
        let out =
            linkwork(dir.path(), &["run", "four-bar.toml", "--duration", "1", "-o", name, "--no-report"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        std::fs::read(dir.path().join(name).join("results.csv")).unwrap()
    };
    let before = results("before");
    for _ in 0..2 {
        let out = linkwork(dir.path(), &["format", "four-bar.toml", "-o", "four-bar.toml"]);
        assert_eq!((out.status.code(), text(&out.stdout)), (Some(0), String::new()), "{}", text(&out.stderr));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    }
    assert_eq!(results("after"), before);

    let json = dir.path().join("m.json");
    let model = r#"{"format": 1, "points": {"A": [0, 0], "B": ["30 cm", 0]}, "bodies": {"rod": {"points": ["A", "B"], "mass": 1}}}"#;
    std::fs::write(&json, model).unwrap();
    let out = linkwork(dir.path(), &["format", "m.json"]);
    assert!(text(&out.stdout).contains("B = [\"30 cm\", 0]\n"), "{}", text(&out.stdout));
    let out = linkwork(dir.path(), &["format", "m.json", "-o", "m.json"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("writes TOML"), "{}", text(&out.stderr));
    assert_eq!(std::fs::read_to_string(&json).unwrap(), model);

    std::fs::write(
        &file,
        "format = 1\npoints = { A = [0, 0] }\nbodies.rod = { points = [\"A\"], mass = \"3 m\" }\n",
    )
    .unwrap();
    let out = linkwork(dir.path(), &["format", "four-bar.toml", "-o", "four-bar.toml"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("bodies.rod.mass"), "{}", text(&out.stderr));
    assert!(std::fs::read_to_string(&file).unwrap().contains("3 m"), "a file that is refused stays");
}

#[test]
fn exact_check_names_redundant_constraints() {
    let dir = tempfile::tempdir().unwrap();
    let out = text(&linkwork(dir.path(), &["check", &example("four-bar-in-space")]).stdout);
    for word in [
        "1 degree of freedom",
        "3 redundant constraints",
        "joint `D`: x of `rocker`",
        "joint A: force y, moment x, moment z",
    ] {
        assert!(out.contains(word), "{word} in {out}");
    }
}

const SWEPT: &str = r#"
    format = 1
    model = { name = "swept", gravity = "-y" }
    parameters = { l = "30 cm", m = "2 kg", half = "l / 2" }
    points = { A = [0, 0], B = ["l", 0] }
    bodies.ground = { points = ["A"] }
    bodies.rod = { points = ["A", "B"], mass = "m" }
    simulation = { duration = 0.2, output_step = 0.05, integrator = "rk4", step = 0.001 }
"#;

#[test]
fn exact_faults_of_set_parameters_are_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("swept.toml"), SWEPT).unwrap();
    for (options, word) in [
        (vec!["--set", "ll=1"], "no parameter `ll`"),
        (vec!["--set", "l"], "KEY=VALUE"),
        (vec!["--set", "l=1..2:2"], "the given values:1:5"),
        (vec!["--set", "l=1", "--set", "l=2"], "`l` is given twice"),
        (vec!["--set", "m=-1"], "bodies.rod"),
    ] {
        let mut all = vec!["run", "swept.toml"];
        all.extend(options);
        let done = linkwork(dir.path(), &all);
        assert_eq!(done.status.code(), Some(2), "{all:?}");
        assert!(text(&done.stderr).contains(word), "{all:?}: {}", text(&done.stderr));
        assert!(!dir.path().join("results").exists());
    }
}

/// One row a variant; the numbers are those of single runs; any number of threads gives the same bytes.
#[test]
fn same_numbers_in_a_sweep() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("swept.toml"), SWEPT).unwrap();
    let columns = "point.B.y,max(energy.kinetic),min(point.B.y)";
    let sweep = |out: &str, more: &[&str]| {
        let mut args = vec!["sweep", "swept.toml", "--set", "l=0.2..0.5:4", "--columns", columns, "-o", out];
        args.extend(more);
        let done = linkwork(dir.path(), &args);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        (text(&done.stdout), std::fs::read_to_string(dir.path().join(out)).unwrap())
    };
    let (said, grid) = sweep("grid.csv", &["--set", "m=1..2:3"]);
    assert!(said.contains("12 cases, 0 without a complete result, 12 in lanes"), "{said}");
    let lines: Vec<&str> = grid.lines().collect();
    assert_eq!(lines[0], "case,l,m,point.B.y,max(energy.kinetic),min(point.B.y),status,code");
    assert_eq!(lines.len(), 13);
    assert!(lines[1].starts_with("0,0.2,1.0,") && lines[2].starts_with("1,0.2,1.5,"), "{grid}");
    assert!(lines[12].starts_with("11,0.5,2.0,") && lines[12].ends_with(",finished,"), "{grid}");
    assert_eq!(sweep("one.csv", &["--set", "m=1..2:3", "--threads", "1"]).1, grid);
    assert_eq!(sweep("three.csv", &["--set", "m=1..2:3", "--threads", "3", "--grid"]).1, grid);
    let pairs = sweep("pairs.csv", &["--set", "m=1..4:4", "--pairs"]).1;
    assert!(pairs.lines().nth(4).unwrap().starts_with("3,0.5,4.0,") && pairs.lines().count() == 5, "{pairs}");
    // a single run of the last variant
    let single = SWEPT.replace("30 cm", "0.5 m").replace("2 kg", "2.0 kg");
    std::fs::write(dir.path().join("single.toml"), single).unwrap();
    let done = linkwork(dir.path(), &["run", "single.toml", "--quiet", "-o", "single"]);
    assert_eq!(done.status.code(), Some(0));
    let csv = std::fs::read_to_string(dir.path().join("single/results.csv")).unwrap();
    // the same with the values on the command line
    let sets = ["run", "swept.toml", "--set", "l=0.5", "--set", "m=2", "--quiet", "-o", "set"];
    let done = linkwork(dir.path(), &sets);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(std::fs::read_to_string(dir.path().join("set/results.csv")).unwrap(), csv);
    let at = csv.lines().next().unwrap().split(',').position(|c| c == "point.B.y").unwrap();
    let last = csv.lines().last().unwrap().split(',').nth(at).unwrap();
    assert_eq!(lines[12].split(',').nth(3).unwrap().parse::<f64>().unwrap(), last.parse::<f64>().unwrap());
}

#[test]
fn exact_sweep_faults_are_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("swept.toml"), SWEPT).unwrap();
    for (args, words) in [
        (vec!["--set", "ll=1..2:3"], "no parameter `ll`"),
        (vec!["--set", "l=1..2"], "FROM..TO:COUNT"),
        (vec!["--set", "l=1..2:2", "--set", "m=1..2:3", "--pairs"], "`l` has 2 and `m` has 3"),
        (vec!["--set", "l=1..2:2", "--set", "l=1..2:3"], "`l` twice"),
        (vec!["--set", "l=1..2:2", "--columns", "point.B.q"], "no result column `point.B.q`"),
        (vec!["--set", "l=1..2:2", "--step", "-1"], "--step"),
        (vec!["--set", "m=-1..-2:2"], "bodies.rod"),
    ] {
        let mut all = vec!["sweep", "swept.toml"];
        all.extend(args);
        let done = linkwork(dir.path(), &all);
        assert_eq!(done.status.code(), Some(2), "{all:?} {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(words), "{words}: {}", text(&done.stderr));
        assert!(!dir.path().join("sweep").exists());
    }
    // a case in the middle that cannot be: its row says so, the others have their numbers
    let done = linkwork(
        dir.path(),
        &["sweep", "swept.toml", "--set", "m=3..-1:3", "--columns", "point.B.y", "-o", "sweep.csv"],
    );
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("case 2 was refused"), "{}", text(&done.stderr));
    let csv = std::fs::read_to_string(dir.path().join("sweep.csv")).unwrap();
    let status: Vec<&str> = csv.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap()).collect();
    assert_eq!(status, ["finished", "finished", "refused"], "{csv}");
}

fn case(name: &str) -> String {
    format!("{}/tests/data/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// A shell command, with `$L` for the command under test.
#[cfg(unix)]
fn shell(folder: &Path, script: &str) -> Output {
    Command::new("bash")
        .current_dir(folder)
        .env("L", env!("CARGO_BIN_EXE_linkwork"))
        .env("M", example("pendulum"))
        .env("S", case("sweep-first-variant-impossible"))
        .args(["-c", script])
        .output()
        .unwrap()
}

/// What cannot be written to standard output is told, unless the reader has seen enough.
#[cfg(target_os = "linux")]
#[test]
fn exact_standard_output_that_fails_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    for (script, code) in [
        ("$L run $M -o out --duration 1 > /dev/full", 1),
        ("$L run $M -o out --duration 1 --format json > /dev/full", 1),
        ("$L check $M > /dev/full", 1),
        ("$L check $M --format json > /dev/full", 1),
        ("$L compare $M --duration 0.1 > /dev/full", 1),
        ("$L plot out joint.A.q --terminal > /dev/full", 1),
        ("$L report out > /dev/full", 1),
        ("$L examples > /dev/full", 1),
        ("$L examples pendulum > /dev/full", 1),
        ("$L schema > /dev/full", 1),
        ("$L --help > /dev/full", 1),
        ("$L --version > /dev/full", 1),
        // both streams: nobody can be told, and still the code says so
        ("$L schema > /dev/full 2> /dev/full", 1),
        ("$L run nowhere.toml 2> /dev/full", 2),
        // a reader that went away
        ("$L schema | head -c 10 > /dev/null; exit ${PIPESTATUS[0]}", 0),
        ("$L examples four-bar | true; exit ${PIPESTATUS[0]}", 0),
    ] {
        let out = shell(folder, script);
        assert_eq!(out.status.code(), Some(code), "{script}: {}", text(&out.stderr));
        if code == 1 && !script.contains("2>") {
            assert!(text(&out.stderr).contains("standard output"), "{script}: {}", text(&out.stderr));
        }
    }
}

/// A file that cannot grow stands for a full disk. The rows so far are kept, whole, with a summary that says what happened.
#[cfg(target_os = "linux")]
#[test]
fn exact_rows_outlive_a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let out = shell(folder, "ulimit -f 100; $L run $M -o out --duration 20 --output-step 0.001 --no-report");
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("could not be written") && said.contains("rows so far are kept"), "{said}");
    println!("{}", said.trim());
    assert_eq!(files(&folder.join("out")), ["results.csv", "summary.json"]);
    let rows = std::fs::read_to_string(folder.join("out/results.csv")).unwrap();
    assert!(rows.ends_with('\n') && rows.len() > 50_000 && rows.len() <= 100 << 10, "{}", rows.len());
    let summary = summary(&folder.join("out"));
    assert_eq!(summary["rows"], rows.lines().count() - 1);
    assert_eq!(summary["status"], "failed");
    assert_eq!(summary["failure"]["code"], "not-written");
    // the same rows as those of a run that has room
    let whole = shell(folder, "$L run $M -o whole --duration 20 --output-step 0.001 --no-report -q");
    assert_eq!(whole.status.code(), Some(0));
    assert!(std::fs::read_to_string(folder.join("whole/results.csv")).unwrap().starts_with(&rows));
    // with checkpoints the run can go on from the last one, once there is room
    let all = "run $M -o part --duration 20 --output-step 0.001 --no-report -q";
    let out = shell(folder, &format!("ulimit -f 100; $L {all} --checkpoint state --checkpoint-every 0.05"));
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("--resume state"), "{said}");
    let out = shell(folder, &format!("$L {all} --resume state"));
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let [a, b] = ["whole", "part"].map(|name| std::fs::read(folder.join(name).join("results.csv")).unwrap());
    assert!(a == b);
    // results that fit, and a recording that does not
    let out = shell(folder, "ulimit -f 40; $L run $M -o small --duration 1 --output-step 0.01");
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("are whole"), "{said}");
    assert_eq!(files(&folder.join("small")), ["results.csv", "summary.json"]);
    // a table of a sweep is whole or not there
    let out = shell(
        folder,
        "ulimit -f 1; $L sweep $S --set m=1..9:200 -q -o sweep.csv 2>&1 | grep -q . ; ls sweep.csv .linkwork* 2>/dev/null",
    );
    assert!(text(&out.stdout).is_empty(), "{}", text(&out.stdout));
}

/// Nothing but ordinary files is replaced, no link under a name that can be guessed is followed, and what a user names is written to.
#[cfg(target_os = "linux")]
#[test]
fn exact_devices_pipes_and_links_stay() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let refused = |script: &str, word: &str| {
        let out = shell(folder, script);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{script}: {said}");
        assert!(said.contains(word), "{script}: {said}");
    };
    let good = |script: &str| {
        let out = shell(folder, script);
        assert_eq!(out.status.code(), Some(0), "{script}: {}", text(&out.stderr));
        text(&out.stdout)
    };
    let names =
        ["results.csv", "events.csv", "chains.csv", "beams.csv", "summary.json", "motion.lwm", "report.html"];
    for name in names {
        good("rm -rf out; mkdir out");
        refused(&format!("mkfifo out/{name}; $L run $M -o out --duration 1 -q"), "a named pipe");
        good(&format!("test -p out/{name} && rm out/{name} && test -z \"$(ls -A out)\""));
        good(&format!("echo precious > secret; ln -s ../secret out/{name}"));
        refused("$L run $M -o out --duration 1 -q", "a link");
        assert_eq!(good(&format!("cat secret; test -L out/{name}")), "precious\n", "{name}");
    }
    // names that can be guessed: the link goes, what it points to stays
    good(
        "rm -rf out; mkdir out; for n in results.csv.part motion.lwm.part motion.lwm.part.new; do ln -s ../secret out/$n; done",
    );
    good("$L run $M -o out --duration 1 -q --checkpoint state --checkpoint-every 0.4; cat secret");
    assert_eq!(good("cat secret"), "precious\n");
    refused("rm state; ln -s secret state; $L run $M -o out --duration 1 -q --checkpoint state", "a link");
    assert_eq!(good("cat secret"), "precious\n");
    // what a user names
    let table = good("$L sweep $S --set m=1..2:2 -q --columns t -o table.csv; cat table.csv");
    assert_eq!(good("$L sweep $S --set m=1..2:2 -q --columns t -o /dev/stdout"), table);
    assert_eq!(
        good("mkfifo p; cat p & $L sweep $S --set m=1..2:2 -q --columns t -o p; wait; test -p p"),
        table
    );
    assert_eq!(good("$L sweep $S --set m=1..2:2 -q --columns t -o /dev/stdout > file; cat file"), table);
    good("ln -s file link; $L sweep $S --set m=1..2:2 -q --columns t -o link; test -L link");
    assert_eq!(good("cat file"), table);
    good("$L sweep $S --set m=1..2:2 -q -o /dev/null; test -c /dev/null");
    let left = files(folder).into_iter().chain(files(&folder.join("out")));
    let left: Vec<String> = left.filter(|name| name.starts_with('.') || name.contains("part")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A command that is told to end takes its temporary files with it.
#[cfg(unix)]
#[test]
fn exact_nothing_stays_after_a_signal() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let mut child = Command::new(env!("CARGO_BIN_EXE_linkwork"))
        .current_dir(folder)
        .args([
            "run",
            &example("double-pendulum"),
            "-o",
            "out",
            "--duration",
            "100000",
            "--output-step",
            "0.1",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = std::time::Instant::now();
    while files(&folder.join("out")).len() < 3 {
        assert!(begun.elapsed().as_secs() < 300 && child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // one stops it in good order, two in a row at once
    for _ in 0..20 {
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
    }
    assert!(child.wait().unwrap().code().is_some_and(|code| code == 130 || code == 1));
    let left: Vec<String> =
        files(&folder.join("out")).into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Names that a spreadsheet would take for formulas are text in every table, and read back as they were.
#[test]
fn exact_no_cell_is_a_formula() {
    let dir = tempfile::tempdir().unwrap();
    let model = r##"
format = 1
[model]
gravity = "-y"
[parameters]
m = 1
[points]
A = [0, 0]
[bodies]
"=1+1" = { points = ["A"], mass = "m", shape = { type = "sphere", radius = 0.1 } }
[impulses]
"=cmd|' /C calc'!A0" = { at = 0.1, point = "A", impulse = [0, 1] }
"+a" = { at = 0.2, point = "A", impulse = [0, -1] }
"@b" = { at = 0.3, point = "A", impulse = [-1, 0] }
"-c" = { at = 0.4, point = "A", impulse = [1, 0] }
[simulation]
duration = 0.5
output_step = 0.1
"##;
    std::fs::write(dir.path().join("m.toml"), model).unwrap();
    let out = linkwork(dir.path(), &["run", "m.toml", "-o", "out", "-q"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let events = std::fs::read_to_string(dir.path().join("out/events.csv")).unwrap();
    for name in ["'=cmd|' /C calc'!A0", "'+a", "'@b", "'-c"] {
        assert!(events.contains(&format!(",{name},")), "{name}: {events}");
    }
    for file in ["events.csv", "results.csv"] {
        let table = std::fs::read_to_string(dir.path().join("out").join(file)).unwrap();
        for cell in table.lines().flat_map(|line| line.split(',')) {
            let bare = cell.trim_matches('"');
            let number = bare.parse::<f64>().is_ok();
            assert!(number || !bare.starts_with(['=', '+', '-', '@']), "{file}: {cell}");
        }
    }
    // the report tells the names as they are
    let data = page_data(&dir.path().join("out/report.html"));
    assert!(
        data["events"].as_array().unwrap().iter().any(|event| event["name"] == "+a"),
        "{}",
        data["events"]
    );
}

/// Impossible variants, the first among them, are rows of the table; the others run.
#[test]
fn exact_a_sweep_outlives_its_first_variant() {
    let dir = tempfile::tempdir().unwrap();
    let model = case("sweep-first-variant-impossible");
    let out = linkwork(
        dir.path(),
        &["sweep", &model, "--set", "m=-1..1:5", "--columns", "joint.A.q", "-o", "sweep.csv"],
    );
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    assert!(
        text(&out.stderr).contains("m = -1") && text(&out.stderr).contains("mass"),
        "{}",
        text(&out.stderr)
    );
    let table = std::fs::read_to_string(dir.path().join("sweep.csv")).unwrap();
    let ends: Vec<&str> = table.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap()).collect();
    println!("{table}");
    assert_eq!(ends, ["refused", "refused", "refused", "finished", "finished"]);
    // a root that ends: the first value has it, the second not
    let set = ["--set", "a=1..0:2", "--duration", "0.6", "-q", "-o", "sweep.csv"];
    let out = linkwork(dir.path(), &[&["sweep", &model], &set[..]].concat());
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let table = std::fs::read_to_string(dir.path().join("sweep.csv")).unwrap();
    assert!(table.lines().nth(1).unwrap().ends_with("failed,not-finite"), "{table}");
    // where nothing can be had the model is refused
    let out = linkwork(dir.path(), &["sweep", &model, "--set", "m=-2..-1:3", "-o", "none.csv"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(!dir.path().join("none.csv").exists());
}

/// What a run records can be read, whatever its numbers; where nothing can be drawn the run says so.
#[test]
fn exact_own_recordings_are_sound() {
    let dir = tempfile::tempdir().unwrap();
    let original = std::fs::read_to_string(case("report-damaged-5988")).unwrap();
    let long = "9999999999999999999999999 m";
    assert!(original.contains(long));
    for (i, length) in [long, "1e30 m", "1e60 m", "1e100 m", "1e-30 m"].into_iter().enumerate() {
        let file = format!("m{i}.toml");
        std::fs::write(dir.path().join(&file), original.replace(long, length)).unwrap();
        let folder = format!("out{i}");
        let out = linkwork(dir.path(), &["run", &file, "-o", &folder, "--duration", "0.02"]);
        let said = text(&out.stderr);
        println!("{length}: {:?} {}", out.status.code(), said.trim());
        assert!(!said.contains("damaged"), "{length}: {said}");
        if dir.path().join(&folder).join("motion.lwm").exists() {
            let again = linkwork(dir.path(), &["report", &folder]);
            assert_eq!(again.status.code(), Some(0), "{length}: {}", text(&again.stderr));
        } else {
            assert!(said.contains("no recording") || out.status.code() == Some(2), "{length}: {said}");
        }
    }
}

/// The particles of each body add up to it; a warning has its code, in text and in JSON.
#[test]
fn exact_check_lists_particles_and_warnings() {
    let dir = tempfile::tempdir().unwrap();
    let out =
        linkwork(dir.path(), &["check", &example("four-bar-in-space"), "--particles", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let bodies = report["particles"].as_array().unwrap();
    assert_eq!(bodies.len(), report["bodies"].as_array().unwrap().len());
    for body in bodies {
        let particles = body["particles"].as_array().unwrap();
        let sum = |key: &str| particles.iter().filter_map(|p| p[key].as_f64()).sum::<f64>();
        let mass = body["mass"].as_f64().unwrap();
        assert!(
            (sum("mass") - mass).abs() < 1e-12 * mass && (sum("m_bar") - mass).abs() < 1e-12 * mass,
            "{body}"
        );
        for key in ["mass", "com", "inertia"] {
            assert!(body["difference"][key].as_f64().unwrap() < 1e-12, "{body}");
        }
    }
    let out = linkwork(dir.path(), &["check", &example("four-bar"), "--particles"]);
    let said = text(&out.stdout);
    for word in ["particles of coupler", "m-bar", "together 2 kg"] {
        assert!(said.contains(word), "{word} in {said}");
    }
    let beam = "format = 1\nmodel.gravity = \"-y\"\npoints = { A = [0, 0], B = [3, 0] }\nbodies.ground = { points = [\"A\"] }\n\
                bodies.beam = { points = [\"A\", \"B\"], mass = 1 }\n\
                joints.roller = { type = \"point-on-line\", bodies = [\"ground\", \"beam\"], at = \"B\", axis = [1, 0] }\n";
    std::fs::write(dir.path().join("beam.toml"), beam).unwrap();
    let out = linkwork(dir.path(), &["check", "beam.toml", "--format", "json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (&report["degrees_of_freedom"], &report["warnings"][0]["code"]),
        (&0.into(), &"cannot-move".into())
    );
    for command in ["check", "run"] {
        let out = linkwork(dir.path(), &[command, "beam.toml"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(text(&out.stderr).contains("[cannot-move]"), "{}", text(&out.stderr));
    }
}

/// Formulations in groups, a witness for each shared law, and every formulation with every integrator.
#[test]
fn exact_compare_lists_groups_witnesses_and_the_matrix() {
    let dir = tempfile::tempdir().unwrap();
    let gears = example("gear-train");
    let out = linkwork(dir.path(), &["compare", &gears, "--duration", "0.1", "--format", "json"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let groups = report["groups"].as_array().unwrap();
    let ran = report["formulations"].as_array().unwrap().iter().filter(|f| f["status"] == "finished").count();
    assert_eq!((groups.len(), groups[0].as_array().unwrap().len()), (1, ran), "{report}");
    let shared = report["shared"].as_array().unwrap();
    assert!(!shared.is_empty());
    let errors = shared.iter().filter_map(|w| w["virtual_work_error"].as_f64()).collect::<Vec<_>>();
    // differences over 1e-5 of the size: 1e-10, and what roundings leave of small powers
    assert!(!errors.is_empty() && errors.iter().all(|&e| e < 1e-7), "{shared:?}");
    let said = text(&linkwork(dir.path(), &["compare", &gears, "--duration", "0.1"]).stdout);
    assert!(said.contains("formulations agree") && said.contains("Agreement says nothing about"), "{said}");

    let pendulum = example("pendulum");
    let arguments = ["compare", "--matrix", &pendulum, "--duration", "0.1", "--most", "60"];
    let out = linkwork(dir.path(), &[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let runs = report["runs"].as_array().unwrap();
    // all but `auto`
    let integrators = linkwork::model::Integrator::ALL.len() - 1;
    assert_eq!(runs.len(), linkwork::model::Formulation::ALL.len() * integrators);
    for run in runs {
        let needs_points =
            ["index3", "generalized-alpha", "rattle", "rattle4", "esdirk4", "taylor"].map(Value::from);
        let no_points = needs_points.contains(&run["integrator"]) && run["formulation"] != "points";
        // a pendulum has no contacts to step over
        let expected = match no_points || run["integrator"] == "moreau" {
            true => "refused",
            false => "finished",
        };
        assert_eq!(run["status"], expected, "{run}");
    }
    let said = text(&linkwork(dir.path(), &arguments).stdout);
    assert!(said.lines().any(|line| line.starts_with("newton-euler") && line.contains('–')), "{said}");
    let out = linkwork(dir.path(), &["compare", &pendulum, "--most", "1"]);
    assert_eq!(out.status.code(), Some(2), "an option that changes nothing");
}

/// A robot of another program: printed, written to a file, run as it is, refused with its line.
#[test]
fn imports_write_models_and_tell_what_they_substitute() {
    let dir = tempfile::tempdir().unwrap();
    let arm = format!("{}/../linkwork-import/tests/data/arm.urdf", env!("CARGO_MANIFEST_DIR"));
    let printed = linkwork(dir.path(), &["import", &arm]);
    assert_eq!(printed.status.code(), Some(0), "{}", text(&printed.stderr));
    assert!(text(&printed.stdout).contains("elbow    = [0, 0, 0.5]  # line 42"), "{}", text(&printed.stdout));
    assert!(text(&printed.stderr).contains("a limit of the velocity"), "{}", text(&printed.stderr));
    let written =
        linkwork(dir.path(), &["import", &arm, "-o", "arm.toml", "--base", "floating", "--format", "json"]);
    let told: Value = serde_json::from_slice(&written.stdout).unwrap();
    assert_eq!((&told["status"], &told["bodies"]), (&"imported".into(), &3.into()));
    assert!(told.get("model").is_none());
    let checked = linkwork(dir.path(), &["check", "arm.toml"]);
    assert!(text(&checked.stdout).contains("8 degrees of freedom"), "{}", text(&checked.stdout));
    let run = linkwork(dir.path(), &["run", &arm, "--duration", "0.1"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("2 degrees of freedom"), "{}", text(&run.stdout));
    let strict = linkwork(dir.path(), &["import", &arm, "--strict"]);
    assert_eq!(strict.status.code(), Some(2));
    assert!(text(&strict.stderr).contains("arm.urdf:42"), "{}", text(&strict.stderr));
    assert_eq!(linkwork(dir.path(), &["import", &arm, "--package", "nothing"]).status.code(), Some(2));
}
