//! `linkwork sweep` on folders, as a user and a cluster meet it.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SWEPT: &str = r#"
    format = 1
    model = { name = "swept", gravity = "-y" }
    parameters = { l = "30 cm", m = "2 kg" }
    points = { A = [0, 0], B = ["l", 0] }
    bodies.ground = { points = ["A"] }
    bodies.rod = { points = ["A", "B"], mass = "m" }
    simulation = { duration = 0.5, output_step = 0.01, integrator = "rk4", step = 0.001 }
"#;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkwork"));
    command.current_dir(folder).args(args);
    command
}

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn good(folder: &Path, args: &[&str]) -> String {
    let done = linkwork(folder, args);
    assert_eq!(done.status.code(), Some(0), "{args:?}: {}", text(&done.stderr));
    text(&done.stdout)
}

fn refused(folder: &Path, args: &[&str], words: &str) {
    let done = linkwork(folder, args);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {}", text(&done.stderr));
    assert!(text(&done.stderr).contains(words), "{words}: {}", text(&done.stderr));
}

fn dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("swept.toml"), SWEPT).unwrap();
    dir
}

const SWEEP: [&str; 13] = [
    "sweep",
    "swept.toml",
    "--set",
    "l=20 cm..50 cm",
    "--set",
    "m=normal(2 kg, 0.1 kg)",
    "--sample",
    "latin:300",
    "--columns",
    "final(point.B.y),rms(joint.A.v),at(0.123, point.B.x)",
    "--part-size",
    "10",
    "-q",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SWEEP[..], more].concat()
}

fn parts(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|e| e.file_name().to_string_lossy().starts_with("part-")).count()
}

/// Waits until there are so many parts, or the process has ended.
fn wait_for(child: &mut Child, folder: &Path, count: usize) {
    let begun = Instant::now();
    while parts(folder) < count && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no part comes");
        std::thread::yield_now();
    }
}

/// Killed at moments that nobody has chosen and resumed, and by sixteen shards: the merged tables have the bytes of one run.
#[test]
fn same_bytes_after_kills_and_from_shards() {
    let dir = dir();
    let folder = dir.path();
    good(folder, &with(&["-o", "one"]));
    assert_eq!(parts(&folder.join("one")), 30);
    let killed = folder.join("killed");
    for target in [1, 2, 9, 17] {
        let args = with(&["-o", "killed", "--resume", "--threads", "1"]);
        let mut child = command(folder, &args).stderr(Stdio::null()).spawn().unwrap();
        wait_for(&mut child, &killed, target);
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
    }
    println!("killed with {} of 30 parts", parts(&killed));
    refused(folder, &with(&["-o", "killed"]), "--resume");
    good(folder, &with(&["-o", "killed", "--resume"]));
    let mut shards = Vec::new();
    for task in 1..=16 {
        let mut shard = command(folder, &with(&["-o", "shards", "--shard", "auto", "--threads", "1"]));
        shard
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .env("SLURM_ARRAY_TASK_COUNT", "16")
            .env("SLURM_ARRAY_TASK_MIN", "1");
        shards.push(shard.spawn().unwrap());
    }
    shards.into_iter().for_each(|mut shard| assert!(shard.wait().unwrap().success()));
    for name in ["sweep.parquet", "sweep.csv"] {
        let [one, others @ ..] = ["one", "killed", "shards"].map(|sweep| {
            let file = format!("{sweep}/{name}");
            good(folder, &["sweep", "merge", sweep, "-o", &file]);
            std::fs::read(folder.join(file)).unwrap()
        });
        assert!(others.iter().all(|other| *other == one), "{name}");
    }
    // the table that is written in one go has the same cases
    good(folder, &with(&["-o", "whole.csv"]));
    assert_eq!(
        std::fs::read(folder.join("whole.csv")).unwrap(),
        std::fs::read(folder.join("one/sweep.csv")).unwrap()
    );
    let status: Value =
        serde_json::from_str(&good(folder, &["sweep", "status", "one", "--format", "json"])).unwrap();
    assert_eq!((status["finished"].as_u64(), status["whole"].as_u64()), (Some(300), Some(30)));
    assert!(good(folder, &["sweep", "page", "one"]).contains("sweep.html"));
    let html = std::fs::read_to_string(folder.join("one/sweep.html")).unwrap();
    assert_eq!(html.matches("<svg").count(), 9);
}

/// A case can be run alone, as `show` says, with the same numbers.
#[test]
fn same_numbers_in_the_run_of_a_case_alone() {
    let dir = dir();
    let folder = dir.path();
    good(
        folder,
        &["sweep", "swept.toml", "--set", "l=20,30 cm", "--columns", "joint.A.q", "--duration", "0.3", "-q"],
    );
    let shown: Value =
        serde_json::from_str(&good(folder, &["sweep", "show", "sweep", "0", "--format", "json"])).unwrap();
    assert_eq!(shown["status"], "finished");
    let line = shown["command"].as_str().unwrap();
    assert_eq!(line, "linkwork run swept.toml --set l=0.2 --duration 0.3");
    let words: Vec<&str> = line.split(' ').skip(1).chain(["-q", "-o", "alone"]).collect();
    good(folder, &words);
    let csv = std::fs::read_to_string(folder.join("alone/results.csv")).unwrap();
    let at = csv.lines().next().unwrap().split(',').position(|name| name == "joint.A.q").unwrap();
    let last: f64 = csv.lines().last().unwrap().split(',').nth(at).unwrap().parse().unwrap();
    assert_eq!(shown["results"]["joint.A.q"].as_f64(), Some(last));
    refused(folder, &["sweep", "show", "sweep", "2"], "0 to 1");
    // a case that cannot be: how it is repeated is said where it fails, and by `show`
    let out =
        linkwork(folder, &["sweep", "swept.toml", "--set", "m=1,-1", "--columns", "joint.A.q", "-o", "bad"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("case 1 was refused"), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("linkwork run swept.toml --set m=-1.0"), "{}", text(&out.stderr));
    let shown = good(folder, &["sweep", "show", "bad", "1"]);
    assert!(shown.starts_with("case 1: refused [model]\n") && shown.ends_with("--set m=-1.0\n"), "{shown}");
    let status = good(folder, &["sweep", "status", "bad"]);
    assert!(status.contains("1 finished, 0 failed, 1 refused"), "{status}");
}

#[test]
fn sensitivity_indices_of_a_folder() {
    let dir = dir();
    let folder = dir.path();
    let args = ["sweep", "swept.toml", "--set", "l=0.2..0.5", "--set", "m=1..2", "--sample", "saltelli:64"];
    good(folder, &[&args[..], &["--columns", "max(energy.kinetic),joint.A.q", "--duration", "0.1"]].concat());
    let list: Value =
        serde_json::from_str(&good(folder, &["sweep", "indices", "sweep", "--format", "json"])).unwrap();
    // the angle of a pendulum does not depend on its mass; rounding is all that is left
    assert!(list[3]["parameter"] == "m" && list[3]["total"].as_f64().unwrap() < 1e-12, "{list}");
    assert!((list[2]["total"].as_f64().unwrap() - 1.0).abs() < 0.1, "{list}");
    let said = good(folder, &["sweep", "indices", "sweep"]);
    assert!(said.contains("max(energy.kinetic) (64 points, 0 left out)"), "{said}");
}

#[test]
fn wrong_options_are_named() {
    let dir = dir();
    let folder = dir.path();
    let wrong = |more: &[&str], words: &str| {
        let args = [&["sweep", "swept.toml", "--set", "l=0.2..0.5:3"], more].concat();
        refused(folder, &args, words);
        assert!(!folder.join("sweep").exists());
    };
    wrong(&["--sample", "sobol"], "sobol:N");
    wrong(&["--sample", "halton:8"], "grid, pairs");
    wrong(&["--shard", "4/3"], "--shard 4/3");
    wrong(&["--shard", "auto"], "SLURM_ARRAY_TASK_ID");
    wrong(&["--columns", "at(soon, t)"], "`soon` is not a time");
    wrong(&["--part-size", "0"], "--part-size");
    wrong(&["--set", "m=2 m"], "a length");
    wrong(&["--duration", "-1"], "--duration");
    wrong(&["-o", "a.csv", "--resume"], "merge");
    refused(folder, &["sweep", "status", "none"], "plan.json");
    refused(folder, &["sweep"], "required");
    good(folder, &["sweep", "swept.toml", "--set", "l=0.2..0.5:3", "--columns", "t", "-q"]);
    refused(folder, &["sweep", "merge", "sweep", "-o", "a.xlsx"], ".parquet or .csv");
    refused(folder, &["sweep", "indices", "sweep"], "saltelli:N");
    refused(folder, &["sweep", "swept.toml", "--set", "l=0.2..0.5:4", "--columns", "t", "--resume"], "--set");
    std::fs::write(folder.join("sweep/part-00000.parquet"), "no").unwrap();
    refused(folder, &["sweep", "merge", "sweep"], "part-00000.parquet is damaged");
    let status = linkwork(folder, &["sweep", "status", "sweep"]);
    assert_eq!(status.status.code(), Some(1));
    assert!(text(&status.stderr).contains("damaged"));
}

/// The job files of docs/how-to/cluster.md, with 64 cases for a million: what a scheduler would start.
#[test]
fn job_files_of_the_page_run() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-to/cluster.md"))
            .unwrap();
    let page = page.replace("1048576", "64");
    let dir = dir();
    let folder = dir.path();
    std::fs::rename(folder.join("swept.toml"), folder.join("model.toml")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_linkwork"), folder.join("linkwork")).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let script = page.split("```sh\n").find(|block| block.starts_with("#!/bin/bash")).unwrap();
    std::fs::write(folder.join("sweep.sbatch"), script.split("```").next().unwrap()).unwrap();
    let slurm = |task: &str| {
        let mut job = Command::new("bash");
        job.arg("sweep.sbatch").current_dir(folder).env("PATH", &path).env("SLURM_CPUS_PER_TASK", "1");
        job.env("SLURM_ARRAY_TASK_ID", task)
            .env("SLURM_ARRAY_TASK_COUNT", "16")
            .env("SLURM_ARRAY_TASK_MIN", "0");
        let done = job.output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    };
    (0..16).for_each(|task| slurm(&task.to_string()));
    good(folder, &["sweep", "status", "sweep"]);
    good(folder, &["sweep", "merge", "sweep", "-o", "slurm.csv"]);
    // the arguments of the container
    let yaml = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let list = yaml.lines().filter_map(|line| line.trim().strip_prefix("- --"));
    let arguments: Vec<String> = list.map(|argument| format!("--{argument}")).collect();
    assert_eq!(arguments.len(), 7);
    std::fs::remove_dir_all(folder.join("sweep")).unwrap();
    let mut pod = command(folder, &["sweep", "model.toml"]);
    let done =
        pod.args(&arguments).env("JOB_COMPLETION_INDEX", "0").env("JOB_COMPLETIONS", "16").output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    good(folder, &["sweep", "merge", "sweep", "-o", "pod.csv"]);
    // the one part of 64 cases is that of the first task and the first pod
    let [slurm, pod] = ["slurm.csv", "pod.csv"].map(|name| std::fs::read(folder.join(name)).unwrap());
    assert!(slurm == pod && slurm.split(|byte| *byte == b'\n').count() == 66);
}
