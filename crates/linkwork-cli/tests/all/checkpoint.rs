//! Runs of the command that are interrupted: the files of a resumed run are those of one that was not.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkwork"));
    command.current_dir(folder).args(["run"]).args(args);
    command
}

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn good(folder: &Path, args: &[&str]) {
    let out = linkwork(folder, args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn read(folder: &Path, name: &str) -> Option<Vec<u8>> {
    std::fs::read(folder.join(name)).ok()
}

fn summary(folder: &Path) -> Value {
    serde_json::from_slice(&read(folder, "summary.json").unwrap()).unwrap()
}

fn same(folder: &Path, plain: &str, other: &str) {
    for name in ["results.csv", "events.csv", "motion.lwm"] {
        let (a, b) = (read(&folder.join(plain), name), read(&folder.join(other), name));
        assert!(a == b, "{name} of {plain} and {other}");
    }
    let (mut a, mut b) = (summary(&folder.join(plain)), summary(&folder.join(other)));
    for summary in [&mut a, &mut b] {
        summary["statistics"]["wall_seconds"] = Value::Null;
    }
    assert_eq!(a, b);
    let left = std::fs::read_dir(folder.join(other)).unwrap().map(|f| f.unwrap().file_name());
    let left: Vec<_> = left
        .filter(|name| name.to_string_lossy().contains("part") || name.to_string_lossy().starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Waits until a child has written its first checkpoint.
fn wait_for(file: &Path, child: &mut Child) {
    let begun = Instant::now();
    while !file.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended before it could be interrupted");
        assert!(begun.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn same_files_with_checkpoints_and_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    for (name, more) in [("bouncing-ball", "--quiet"), ("latch", "--quiet"), ("four-bar", "--integrator=bdf")]
    {
        let model = example(name);
        good(folder, &[&model, "-o", "plain", "--duration", "1", more]);
        // the same bits in another process
        good(folder, &[&model, "-o", "again", "--duration", "1", more]);
        same(folder, "plain", "again");
        for every in ["0.03", "0.4"] {
            let all = [
                &model,
                "-o",
                "watched",
                "--duration",
                "1",
                more,
                "--checkpoint",
                "state",
                "--checkpoint-every",
                every,
            ];
            good(folder, &all);
            same(folder, "plain", "watched");
            // from the last checkpoint once more: the rows behind it are thrown away and come again
            good(folder, &[&model, "-o", "watched", "--duration", "1", more, "--resume", "state"]);
            same(folder, "plain", "watched");
        }
        for name in ["plain", "again", "watched"] {
            std::fs::remove_dir_all(folder.join(name)).unwrap();
        }
    }
}

fn case(name: &str) -> String {
    format!("{}/tests/data/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Every example with chains or changes, models whose checkpoints were refused as those of another model, and one with a beam.
#[test]
fn same_files_where_parts_come_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let examples = [
        ("breaking-chain", 0.9),
        ("hanging-chain", 0.2),
        ("line-throwing-rocket", 0.3),
        ("rope-swing", 0.3),
        ("whip", 0.04),
        ("winch", 0.4),
    ];
    let models = examples.map(|(name, duration)| (example(name), duration));
    let cases = [("resume-chain", 0.2), ("resume-changes", 1.5), ("resume-beam", 0.01)]
        .map(|(name, duration)| (case(name), duration));
    for (model, duration) in models.into_iter().chain(cases) {
        let all = [model.as_str(), "--quiet", "--duration", &duration.to_string()].map(String::from);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        good(folder, &[&all[..], &["-o", "plain"]].concat());
        for part in [0.55, 0.9] {
            let every = (part * duration).to_string();
            let watched = ["-o", "out", "--checkpoint", "state", "--checkpoint-every", &every];
            good(folder, &[&all[..], &watched].concat());
            same(folder, "plain", "out");
            good(folder, &[&all[..], &["-o", "out", "--resume", "state"]].concat());
            same(folder, "plain", "out");
        }
        for name in ["chains.csv", "beams.csv"] {
            assert_eq!(read(&folder.join("plain"), name), read(&folder.join("out"), name), "{name}");
        }
        for name in ["plain", "out"] {
            std::fs::remove_dir_all(folder.join(name)).unwrap();
        }
    }
}

/// A second run into a folder, or with the same checkpoint file, is refused and says who is there; the first is not disturbed.
#[test]
fn exact_one_run_at_a_time_in_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let model = example("double-pendulum");
    let all = [&model, "-o", "out", "--duration", "2000", "--output-step", "0.02", "--quiet"];
    let watched = [&all[..], &["--checkpoint", "state", "--checkpoint-every", "1"]].concat();
    let mut child = command(folder, &watched).stdout(Stdio::null()).spawn().unwrap();
    wait_for(&folder.join("state"), &mut child);
    let id = format!("process {}", child.id());
    let refused = |out: Output, words: &[&str]| {
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "{word}: {said}"));
        println!("{}", said.trim());
    };
    let pendulum = example("pendulum");
    refused(linkwork(folder, &watched), &["out", &id, "double-pendulum", "is writing there"]);
    refused(linkwork(folder, &[&pendulum, "-o", "out", "--quiet"]), &["out", &id, "is writing there"]);
    let elsewhere = [&pendulum, "-o", "other", "--quiet", "--checkpoint", "state"];
    refused(linkwork(folder, &elsewhere), &["state", &id, "checkpoints"]);
    let report = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
    };
    refused(report(&["report", "out"]), &["out", &id, "is writing there"]);
    assert!(child.try_wait().unwrap().is_none(), "the first run goes on");
    child.kill().unwrap();
    child.wait().unwrap();
    // a lock ends with its process, however that ends, and leaves nothing behind
    good(folder, &[&pendulum, "-o", "out", "--quiet"]);
    let left = std::fs::read_dir(folder.join("out")).unwrap().map(|f| f.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Killed without warning, with rows on the disk that the checkpoint knows nothing of.
#[test]
fn same_files_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let model = example("double-pendulum");
    let all = [&model, "-o", "out", "--duration", "300", "--output-step", "0.02", "--quiet"];
    good(folder, &[&all[..1], &["-o", "plain"], &all[3..]].concat());
    let watched = [&all[..], &["--checkpoint", "state", "--checkpoint-every", "1"]].concat();
    let mut child = command(folder, &watched).stdout(Stdio::null()).spawn().unwrap();
    wait_for(&folder.join("state"), &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(read(&folder.join("out"), "results.csv").is_none(), "not under its name before it is whole");
    let part = folder.join("out/results.csv.part");
    let mut rows = std::fs::read(&part).unwrap();
    rows.extend_from_slice(b"1234.5,half a r");
    std::fs::write(&part, rows).unwrap();
    good(folder, &[&all[..], &["--resume", "state"]].concat());
    same(folder, "plain", "out");
}

#[cfg(unix)]
#[test]
fn same_files_after_ctrl_c() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let model = example("double-pendulum");
    let all = [&model, "-o", "out", "--duration", "300", "--output-step", "0.02", "--quiet"];
    good(folder, &[&all[..1], &["-o", "plain"], &all[3..]].concat());
    let watched = [&all[..], &["--checkpoint", "state", "--checkpoint-every", "1"]].concat();
    let mut child = command(folder, &watched).stdout(Stdio::null()).spawn().unwrap();
    wait_for(&folder.join("state"), &mut child);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "stopped");
    let stopped = summary(&folder.join("out"));
    assert_eq!(stopped["status"], "stopped");
    let rows = read(&folder.join("out"), "results.csv").unwrap();
    let lines = rows.iter().filter(|b| **b == b'\n').count() as u64;
    assert_eq!(stopped["rows"], lines - 1, "a valid partial result");
    good(folder, &[&all[..], &["--resume", "state"]].concat());
    same(folder, "plain", "out");
    let (before, whole) =
        (stopped["rows"].as_u64().unwrap(), summary(&folder.join("out"))["rows"].as_u64().unwrap());
    assert!(before < whole);
    println!("stopped after {before} of {whole} rows");
}

#[test]
fn exact_what_does_not_belong_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let model = example("pendulum");
    let all = [model.as_str(), "-o", "out", "--duration", "1", "--quiet"];
    good(folder, &[&all[..], &["--checkpoint", "state"]].concat());
    let refused = |args: &[&str], words: &[&str]| {
        let out = linkwork(folder, args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "{word}: {said}"));
        println!("{}", said.trim());
    };
    let resume = ["--resume", "state"];
    refused(
        &[&all[..], &resume, &["--tolerance", "1e-6"]].concat(),
        &["tolerance 0.000001", "other settings"],
    );
    refused(&[&[example("four-bar").as_str()], &all[1..], &resume].concat(), &["another model", "pendulum"]);
    refused(
        &[&[model.as_str(), "-o", "elsewhere"], &all[3..], &resume].concat(),
        &["results.csv", "another folder"],
    );
    refused(&[&all[..], &["--resume", "out/results.csv"]].concat(), &["no checkpoint"]);
    refused(&[&all[..], &["--resume", "nowhere"]].concat(), &["nowhere"]);
    refused(&[&all[..], &["--checkpoint", "state", "--checkpoint-every", "0"]].concat(), &["positive"]);
    // a refusal leaves the results alone
    good(folder, &[&all[..], &resume].concat());
    let mut rows = read(&folder.join("out"), "results.csv").unwrap();
    let at = rows.len() / 2;
    rows[at] ^= 1;
    std::fs::write(folder.join("out/results.csv"), rows).unwrap();
    refused(&[&all[..], &resume].concat(), &["results.csv", "when the checkpoint was taken"]);
}
