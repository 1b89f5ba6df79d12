//! Pages that are followed step by step: their files are written, their commands run, and the outputs that they print come out again.
//!
//! What a block of code is shows from its language and its first line:
//!
//! | block | |
//! | --- | --- |
//! | `toml`, `csv`, `xml`, first line `# FILE` or `<!-- FILE -->` | written to this file |
//! | `toml`, first line `# at the end of FILE` | added to this file |
//! | `toml`, `json`, `xml`, `rust` without such a line, or no language | a piece to look at |
//! | `sh` | commands; all succeed |
//! | `text` | `$ COMMAND`, then what it prints; a line `...` stands for any lines |
//! | `python` | run by `python/tests/test_package.py` |

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Block {
    line: usize,
    language: String,
    code: String,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block { line: number + 2, language: language.into(), code: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => writeln!(block.code, "{line}").unwrap(),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block of code is not closed");
    blocks
}

/// The file that a block belongs to, and whether it goes to its end.
fn file_of(code: &str) -> Option<(&str, bool)> {
    let first = code.lines().next()?;
    let name = first.strip_prefix("# ").or_else(|| first.strip_prefix("<!-- ")?.strip_suffix(" -->"))?;
    let (name, added) = match name.strip_prefix("at the end of ") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let is_name = !name.contains(' ') && Path::new(name).extension().is_some();
    is_name.then_some((name, added))
}

/// What a command prints to standard output. It must succeed.
fn output(folder: &Path, command: &str, place: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_linkwork")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let done = Command::new("sh").args(["-ec", command]).current_dir(folder).env("PATH", path).output();
    let done = done.unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{place}: `{command}` ends with {}\n{said}{errors}", done.status);
    said
}

/// Follows a page from its first block to its last in an empty folder.
fn follow(page: &str) {
    let text = std::fs::read_to_string(docs().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut commands = 0;
    for Block { line, language, code } in blocks(&text) {
        let place = format!("docs/{page}:{line}");
        match (language.as_str(), file_of(&code)) {
            ("toml" | "csv" | "xml", Some((name, added))) => {
                let file = folder.join(name);
                let before =
                    if added { std::fs::read_to_string(&file).expect(&place) } else { String::new() };
                // a file of data has no place for the comment with its name
                let code = if language == "toml" { &code } else { code.split_once('\n').unwrap().1 };
                std::fs::write(&file, before + code).unwrap();
            }
            ("toml" | "json" | "xml" | "rust" | "python" | "", _) => {}
            ("sh", _) => {
                output(folder, &code, &place);
                commands += 1;
            }
            ("text", _) => {
                let sessions = code.strip_prefix("$ ").unwrap_or_else(|| panic!("{place}: no `$ COMMAND`"));
                for session in sessions.split("\n$ ") {
                    let (command, printed) = session.split_once('\n').unwrap();
                    let said = output(folder, command, &place);
                    if let Err(line) = compare(printed, &said) {
                        panic!("{place}: `{command}` does not print\n{line}\nbut\n{said}");
                    }
                    commands += 1;
                }
            }
            (other, _) => panic!("{place}: a block of `{other}` means nothing here"),
        }
    }
    assert!(commands > 0, "docs/{page} has no commands");
}

/// Whether a page prints what a command says; else the line that does not fit.
fn compare<'a>(printed: &'a str, said: &str) -> Result<(), &'a str> {
    let mut said = said.lines();
    let (mut any, mut timed) = (false, false);
    for line in printed.lines() {
        // a table with a column of times is measured down to its end
        timed = line.contains("wall ms") || timed && !line.is_empty();
        let measured = timed || line.contains("wall time");
        if line.trim() == "..." {
            any = true;
            continue;
        }
        let found = if any {
            said.any(|next| alike(line, next, measured))
        } else {
            said.next().is_some_and(|next| alike(line, next, measured))
        };
        if !found {
            return Err(line);
        }
        any = false;
    }
    if any || said.next().is_none() { Ok(()) } else { Err("(the end)") }
}

/// Whether two lines have the same words and nearly the same numbers. What is `measured`, times and counts of steps, differs from machine to machine.
fn alike(printed: &str, said: &str, measured: bool) -> bool {
    let (mut a, mut b) = (printed.split_whitespace(), said.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || close(a, b, measured) => {}
            _ => return false,
        }
    }
}

/// Whether two words are numbers that a page may have for each other: within a hundredth, or both nothing but rounding.
fn close(a: &str, b: &str, any: bool) -> bool {
    let number = |word: &str| word.trim_matches(['(', ')', ',', ';']).parse::<f64>().ok();
    let (Some(a), Some(b)) = (number(a), number(b)) else { return false };
    let largest = a.abs().max(b.abs());
    any || (a - b).abs() <= 0.01 * largest || largest < 1e-5
}

#[test]
fn getting_started_runs_as_printed() {
    follow("getting-started.md");
}

#[test]
fn planar_linkage_runs_as_printed() {
    follow("tutorials/planar-linkage.md");
}

#[test]
fn robot_arm_runs_as_printed() {
    follow("tutorials/robot-arm.md");
}

#[test]
fn suspension_study_runs_as_printed() {
    follow("tutorials/suspension-study.md");
}

#[test]
fn conversions_run_as_printed() {
    for program in ["adams", "geogebra", "working-model"] {
        follow(&format!("how-to/coming-from-{program}.md"));
    }
}

#[test]
fn design_studies_run_as_printed() {
    follow("how-to/design-studies.md");
}

#[test]
fn robots_run_as_printed() {
    follow("how-to/robots.md");
}

#[test]
fn lecture_runs_as_printed() {
    follow("how-to/teaching.md");
}

/// A tutorial without a test would rot.
#[test]
fn every_tutorial_is_followed() {
    let here = include_str!("walkthroughs.rs");
    for entry in std::fs::read_dir(docs().join("tutorials")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(here.contains(&format!("follow(\"tutorials/{name}\")")), "no test follows {name}");
    }
}

#[test]
fn other_words_and_other_numbers_are_found() {
    let said = "one degree of freedom\n  drift  2.5e-11 J, 1.25 m\n  last\n";
    for same in [said, "one degree of freedom\n...\n", "...\n last\n", "...\n drift 9e-12 J, 1.251 m\n...\n"]
    {
        assert_eq!(compare(same, said), Ok(()), "{same}");
    }
    for (other, line) in [
        ("two degrees of freedom\n...\n", "two degrees of freedom"),
        ("one degree of freedom\n", "(the end)"),
        ("...\n drift 9e-12 J, 1.30 m\n...\n", " drift 9e-12 J, 1.30 m"),
        ("...\n drift 3e-5 J, 1.25 m\n...\n", " drift 3e-5 J, 1.25 m"),
        ("...\n last\none more\n", "one more"),
    ] {
        assert_eq!(compare(other, said), Err(line));
    }
}
