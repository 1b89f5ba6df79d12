//! `plot` and `export` as a user meets them: files, exit codes, what is said.

use std::path::Path;
use std::process::{Command, Output};

fn linkwork(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkwork")).current_dir(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn good(folder: &Path, args: &[&str]) -> String {
    let out = linkwork(folder, args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
    text(&out.stderr)
}

/// Refused with exit code 2, one line for people and no file.
fn refused(folder: &Path, args: &[&str], words: &[&str]) {
    let before = files(folder);
    let out = linkwork(folder, args);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?}: no {word} in {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(files(folder), before, "{args:?}");
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A folder `run` with results and a recording of the four-bar linkage, one second.
fn run(folder: &Path) {
    let model = format!("{}/../../examples/four-bar.toml", env!("CARGO_MANIFEST_DIR"));
    good(folder, &["run", &model, "--duration", "1", "-q", "-o", "run"]);
}

fn begins(file: &Path, with: &[u8]) {
    let bytes = std::fs::read(file).unwrap();
    assert!(bytes.starts_with(with), "{}", file.display());
    assert!(bytes.len() > 500, "{}: {}", file.display(), bytes.len());
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn exact_plots() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    run(folder);
    good(folder, &["plot", "run", "joint.A.q"]);
    begins(&folder.join("run/plot.svg"), b"<svg ");
    good(
        folder,
        &[
            "plot",
            "run",
            "run/results.csv",
            "joint.*.q",
            "energy.*",
            "-o",
            "new/a.svg",
            "-o",
            "a.png",
            "--size",
            "90x60mm",
        ],
    );
    begins(&folder.join("new/a.svg"), b"<svg ");
    begins(&folder.join("a.png"), PNG);
    good(
        folder,
        &[
            "plot",
            "run",
            "point.P.y",
            "--x",
            "point.P.x",
            "-o",
            "path.svg",
            "--from",
            "0.2",
            "--to",
            "0.8",
            "--title",
            "P & Q",
        ],
    );
    assert!(std::fs::read_to_string(folder.join("path.svg")).unwrap().contains("P &amp; Q"));
    // in the terminal: on standard output, nothing else is written
    let before = files(folder);
    let out = linkwork(folder, &["plot", "run", "energy.kinetic", "--terminal"]);
    assert_eq!((out.status.code(), files(folder)), (Some(0), before));
    let said = text(&out.stdout);
    assert!(
        said.contains("energy.kinetic (J)") && said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
}

#[test]
fn exact_plots_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    run(folder);
    std::fs::create_dir(folder.join("empty")).unwrap();
    refused(folder, &["plot", "run", "joint.A.w"], &["joint.A.w", "did you mean", "`joint.A.v`"]);
    refused(folder, &["plot", "run", "nothing.*"], &["nothing.*"]);
    refused(folder, &["plot", "nowhere", "joint.A.q"], &["nowhere", "folder"]);
    refused(folder, &["plot", "nowhere.csv", "joint.A.q"], &["nowhere.csv"]);
    refused(folder, &["plot", "empty", "joint.A.q"], &["results.csv", "linkwork run"]);
    refused(folder, &["plot", "run"], &["columns", "point.A.x"]);
    refused(folder, &["plot", "run", "joint.A.q", "--x", "joint.Z.q"], &["joint.Z.q"]);
    refused(folder, &["plot", "run", "joint.A.q", "-o", "a.pdf"], &["a.pdf", ".svg or .png"]);
    refused(folder, &["plot", "run", "joint.A.q", "--size", "big"], &["160x100mm"]);
    refused(folder, &["plot", "run", "joint.A.q", "--from", "7"], &["time"]);
    refused(
        folder,
        &["plot", "run", "joint.A.q", "-o", "/proc/none/a.svg"],
        &["cannot write", "/proc/none/a.svg"],
    );
    refused(folder, &["plot", "run", "joint.A.q", "-o", "run/results.csv/a.svg"], &["cannot write"]);
    assert!(files(&folder.join("run")).iter().all(|name| !name.contains("part")));
}

#[test]
fn exact_exports() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    run(folder);
    for (file, with) in [("a.glb", &b"glTF\x02\0\0\0"[..]), ("a.parquet", b"PAR1")] {
        good(folder, &["export", "run", "--to", file]);
        begins(&folder.join(file), with);
    }
    for (file, with) in [("a.png", PNG), ("a.svg", b"<svg ")] {
        good(folder, &["export", "run", "--to", file, "--size", "200x150"]);
        begins(&folder.join(file), with);
    }
    let said = good(
        folder,
        &[
            "export", "run", "--to", "a.gif", "--size", "120x90", "--fps", "5", "--speed", "1", "--trace",
            "P", "--labels",
        ],
    );
    assert!(said.contains("6 pictures"), "{said}");
    begins(&folder.join("a.gif"), b"GIF89a");
    good(folder, &["export", "run", "--to", "still.svg", "--at", "0.5"]);
    assert!(!std::fs::read_to_string(folder.join("still.svg")).unwrap().contains("<animate"));
    good(folder, &["export", "run", "--to", "odd.bin", "--as", "glb", "--fps", "10"]);
    begins(&folder.join("odd.bin"), b"glTF");
    let said =
        good(folder, &["export", "run", "--to", "frames/", "--fps", "4", "--speed", "1", "--size", "121x90"]);
    assert!(said.contains("ffmpeg") && said.contains("%05d.png") && said.contains("pad="), "{said}");
    assert_eq!(
        files(&folder.join("frames")),
        ["00000.png", "00001.png", "00002.png", "00003.png", "00004.png"]
    );
    // fewer pictures take the place of more
    good(
        folder,
        &["export", "run", "--to", "frames", "--fps", "2", "--speed", "1", "--size", "120x90", "-q"],
    );
    assert_eq!(files(&folder.join("frames")).len(), 3);
}

#[test]
fn exact_exports_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    run(folder);
    std::fs::create_dir(folder.join("empty")).unwrap();
    std::fs::create_dir(folder.join("old")).unwrap();
    std::fs::write(folder.join("old/letter.txt"), "kept").unwrap();
    refused(folder, &["export", "nowhere", "--to", "a.glb"], &["nowhere", "not there"]);
    refused(folder, &["export", "empty", "--to", "a.glb"], &["motion.lwm", "linkwork run"]);
    refused(folder, &["export", "empty", "--to", "a.parquet"], &["results.csv"]);
    refused(folder, &["export", "run", "--to", "a.step"], &[".step", ".glb"]);
    refused(folder, &["export", "run", "--to", "old/"], &["old", "another folder"]);
    refused(folder, &["export", "run", "--to", "a.png", "--at", "9"], &["lasts from 0 s to 1 s"]);
    refused(folder, &["export", "run", "--to", "a.gif", "--from", "9"], &["lasts"]);
    refused(folder, &["export", "run", "--to", "a.gif", "--fps", "0"], &["above zero"]);
    refused(folder, &["export", "run", "--to", "a.gif", "--fps", "60"], &["at most 50"]);
    refused(folder, &["export", "run", "--to", "a.gif", "--from", "0.5", "--until", "0.2"], &["behind"]);
    refused(folder, &["export", "run", "--to", "a.glb", "--size", "200x150"], &["--size is for pictures"]);
    refused(folder, &["export", "run", "--to", "a.parquet", "--fps", "5"], &["--fps is for"]);
    refused(folder, &["export", "run", "--to", "a.gif", "--speed", "1e-9"], &["too many"]);
    refused(folder, &["export", "run", "--to", "a.gif", "--trace", "PP"], &["`PP`", "`P`"]);
    refused(folder, &["export", "run", "--to", "/proc/none/a.glb"], &["cannot write"]);
    refused(folder, &["export", "run", "--to", "/proc/none/frames/"], &["cannot write"]);
    assert_eq!(std::fs::read_to_string(folder.join("old/letter.txt")).unwrap(), "kept");
    // damaged recordings are told, not shown
    let whole = std::fs::read(folder.join("run/motion.lwm")).unwrap();
    for bytes in [&whole[..whole.len() / 2], b"", b"something else altogether"] {
        std::fs::write(folder.join("run/motion.lwm"), bytes).unwrap();
        refused(folder, &["export", "run", "--to", "a.glb"], &["motion.lwm"]);
    }
}

/// From named directions and from angles, with forces; a direction that is none, or of a planar mechanism, is refused.
#[test]
fn exact_views_of_stills() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let model = format!("{}/../../examples/tower-crane.toml", env!("CARGO_MANIFEST_DIR"));
    good(folder, &["run", &model, "--duration", "1", "-q", "-o", "crane"]);
    let mut pictures = Vec::new();
    for view in ["front", "top", "side", "iso", "-30,10"] {
        good(folder, &["export", "crane", "--to", "view.png", "--view", view, "--size", "300x200"]);
        begins(&folder.join("view.png"), PNG);
        pictures.push(std::fs::read(folder.join("view.png")).unwrap());
    }
    good(folder, &["export", "crane", "--to", "view.png", "--view=front", "--size", "300x200", "--arrows"]);
    pictures.push(std::fs::read(folder.join("view.png")).unwrap());
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 6, "pictures are alike");
    refused(folder, &["export", "crane", "--to", "no.png", "--view", "behind"], &["front, top, side or iso"]);
    refused(folder, &["export", "crane", "--to", "no.glb", "--view", "top"], &["--view is for pictures"]);
    run(folder);
    refused(folder, &["export", "run", "--to", "no.png", "--view", "top"], &["planar"]);
}

/// Without ffmpeg a video is refused by a message that says so; with it there is an MP4 file.
#[test]
fn videos_need_ffmpeg() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    run(folder);
    let export = |program: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkwork"));
        command.current_dir(folder).env("FFMPEG", program);
        command.args(["export", "run", "-o", "film.mp4", "--fps", "5", "--size", "161x120"]).output().unwrap()
    };
    let before = files(folder);
    let out = export("no-such-ffmpeg");
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(said.contains("`no-such-ffmpeg`, which is not there: install ffmpeg"), "{said}");
    assert_eq!(files(folder), before);
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        println!("no ffmpeg here: no video is made");
        return;
    }
    let out = export("ffmpeg");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let film = std::fs::read(folder.join("film.mp4")).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
}
