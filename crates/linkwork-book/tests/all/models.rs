//! Models that are printed in the documentation run.

use linkwork::model::Model;
use linkwork::simulation::Status;
use linkwork_book::{code_blocks, is_whole_model};
use std::fs;
use std::path::Path;

/// A run of this length shows that a model works, s.
const LONG_ENOUGH: f64 = 0.5;

/// Every block of TOML in these pages that is a whole model.
fn models(page: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let blocks = code_blocks(&text, "toml").into_iter().filter(|(_, block)| is_whole_model(block));
    blocks.map(|(line, block)| (format!("{page}:{line}"), block)).collect()
}

fn run(name: &str, text: &str) {
    let mut model = Model::parse("block.toml", text).unwrap_or_else(|e| panic!("{name}: {e}"));
    model.settings.duration = model.settings.duration.min(LONG_ENOUGH);
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{name}: {e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(run.summary.status, Status::Finished, "{name}");
    let drift = run.summary.relative_energy_drift();
    assert!(drift < 1e-6, "{name}: energy drift {drift:.1e}");
}

#[test]
fn keeps_printed_models_running() {
    let pages = [
        ("README.md", 1),
        ("docs/getting-started.md", 1),
        ("docs/model-file.md", 1),
        ("docs/how-to/closed-loops.md", 1),
        ("docs/how-to/redundant-constraints.md", 1),
        ("docs/how-to/drivers.md", 1),
        ("docs/how-to/inverse-dynamics.md", 1),
        ("docs/how-to/impact.md", 1),
        ("docs/how-to/contacts.md", 1),
        ("docs/how-to/ropes.md", 2),
        ("docs/how-to/beams.md", 1),
        ("docs/how-to/modes.md", 1),
        ("docs/how-to/optimize.md", 1),
        ("docs/how-to/synthesise-a-four-bar.md", 1),
        ("docs/how-to/vehicle-suspension.md", 1),
        ("docs/how-to/driving-a-simulation.md", 1),
        ("docs/how-to/poses-and-workspace.md", 1),
        ("docs/cli.md", 1),
    ];
    for (page, count) in pages {
        let found = models(page);
        assert_eq!(
            found.len(),
            count,
            "whole models in {page}: {:?}",
            found.iter().map(|m| &m.0).collect::<Vec<_>>()
        );
        for (name, text) in found {
            run(&name, &text);
        }
    }
}

/// Positions at the end of a short run.
fn end_of(text: &str) -> Vec<[f64; 3]> {
    let mut model = Model::parse("block.toml", text).unwrap();
    model.settings.duration = LONG_ENOUGH;
    let run = model.assemble().unwrap().simulate().unwrap();
    run.frames.last().unwrap().positions.clone()
}

/// The model in the README is a shorter file for the mechanism of `examples/four-bar.toml`, which its first command runs.
#[test]
fn same_four_bar_in_the_readme() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/four-bar.toml");
    let example = fs::read_to_string(example).unwrap();
    assert_eq!(end_of(&models("README.md")[0].1), end_of(&example));
}

/// A start page that is read to its end: what does not fit belongs to the book.
#[test]
fn keeps_the_readme_short() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(path).unwrap();
    assert!(text.lines().count() <= 120 && text.len() <= 8000, "{} bytes", text.len());
    for command in
        ["cargo run --release -p linkwork-cli -- run examples/four-bar.toml", "cargo test --workspace"]
    {
        assert!(text.lines().any(|line| line == command), "the README has no line `{command}`");
    }
}
