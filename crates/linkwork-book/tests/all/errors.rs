//! Every code of a warning, failure or remark has a page in `docs/errors`, and the models on these pages show it.

use linkwork::model::Model;
use linkwork::simulation::Status;
use linkwork_book::code_blocks;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rust sources below a folder: their names and texts up to their unit tests.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("\nmod tests {").next().unwrap_or_default().to_owned();
            found.push((path.file_name().unwrap().to_string_lossy().into_owned(), text));
        }
    }
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// The first string within a piece of code that can be a code.
fn first_code(piece: &str) -> Option<String> {
    piece.split('"').skip(1).step_by(2).find(|text| is_code(text)).map(str::to_owned)
}

/// The library keeps no list of its codes, so they are read off the places in the sources that give them.
fn codes() -> BTreeSet<String> {
    let mut files = Vec::new();
    for folder in ["crates/linkwork/src", "crates/linkwork-cli/src"] {
        sources(&root().join(folder), &mut files);
    }
    let mut codes = BTreeSet::new();
    for (name, text) in &files {
        for (head, tail) in
            [(".code(", ')'), ("code: \"", '\n'), ("RunFailure::plain(", ')'), ("fail(\"", ')')]
        {
            for (at, _) in text.match_indices(head) {
                // from the quotation mark on, where the head has one
                let piece = &text[at + head.trim_end_matches('"').len()..];
                codes.extend(first_code(piece.split(tail).next().unwrap_or_default()));
            }
        }
        if name == "failure.rs" {
            let lines = text.lines().map(str::trim_start);
            // a code stands on its own line, or begins a pair
            let lines = lines.filter_map(|line| {
                let begins =
                    line.split_once("=> (").or(line.split_once('(').filter(|(head, _)| head.is_empty()));
                begins.map_or(Some(line), |(_, rest)| Some(rest)).filter(|rest| rest.starts_with('"'))
            });
            codes.extend(
                lines.filter_map(|line| {
                    line.split('"').nth(1).filter(|text| is_code(text)).map(str::to_owned)
                }),
            );
        }
    }
    codes
}

fn pages() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("docs/errors")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "README.md").map(|name| name.trim_end_matches(".md").to_owned()).collect()
}

#[test]
fn same_codes_in_the_sources_and_in_the_documentation() {
    let (codes, pages) = (codes(), pages());
    // one of each kind: the sources are still read where they give codes
    for code in [
        "held-slide",
        "not-finite",
        "jammed",
        "dead-centre",
        "stalled",
        "structure",
        "far-away",
        "not-written",
    ] {
        assert!(codes.contains(code), "`{code}` is not found in the sources");
    }
    let missing: Vec<&String> = codes.difference(&pages).collect();
    assert!(missing.is_empty(), "no page docs/errors/CODE.md for {missing:?}");
    let left: Vec<&String> = pages.difference(&codes).collect();
    assert!(left.is_empty(), "docs/errors has pages for {left:?}, which nothing gives");
    let index = fs::read_to_string(root().join("docs/errors/README.md")).unwrap();
    for page in &pages {
        assert!(
            index.contains(&format!("[`{page}`]({page}.md)")),
            "docs/errors/README.md does not list `{page}`"
        );
        let text = fs::read_to_string(root().join(format!("docs/errors/{page}.md"))).unwrap();
        assert!(text.starts_with(&format!("# `{page}`\n")), "docs/errors/{page}.md has another title");
        for heading in ["\n## Why it happens\n", "\n## What to do\n"] {
            assert!(text.contains(heading), "docs/errors/{page}.md has no `{}`", heading.trim());
        }
    }
}

/// Codes of what a model gives: its warnings, then those of its run.
fn given(page: &str, text: &str) -> BTreeSet<&'static str> {
    let mechanism = Model::parse("block.toml", text).and_then(|model| Ok(model.assemble()?));
    let mechanism = mechanism.unwrap_or_else(|e| panic!("{page}: {e}"));
    let doubts = mechanism.doubts();
    let warnings: BTreeSet<_> = mechanism.warnings().iter().chain(&doubts).filter_map(|w| w.code).collect();
    if warnings.contains(page) {
        return warnings; // and the run may be a long one
    }
    let summary = mechanism.simulate().unwrap_or_else(|e| panic!("{page}: {e}")).summary;
    let mut given: BTreeSet<_> = summary.remarks.iter().map(|remark| remark.code).collect();
    if let Status::Failed(failure) = summary.status {
        given.insert(failure.code);
    }
    given
}

#[test]
fn same_code_as_the_model_on_its_page_gives() {
    let mut shown = 0;
    for page in pages() {
        let text = fs::read_to_string(root().join(format!("docs/errors/{page}.md"))).unwrap();
        for (_, model) in
            code_blocks(&text, "toml").into_iter().filter(|(_, block)| block.contains("[bodies]"))
        {
            let given = given(&page, &model);
            assert!(given.contains(page.as_str()), "docs/errors/{page}.md: its model gives {given:?}");
            shown += 1;
        }
    }
    assert!(shown > 20, "{shown} models");
}
