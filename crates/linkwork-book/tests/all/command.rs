//! The page about the command has every verb and every option that the command declares.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The name of the option that an attribute `#[arg(..)]` and the field after it declare.
fn option(attribute: &str, field: &str) -> Option<String> {
    if let Some((_, name)) = attribute.split_once("long = \"") {
        return name.split('"').next().map(str::to_owned);
    }
    let words: Vec<&str> = attribute.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let name = field.trim().strip_prefix("pub ")?.split(':').next()?;
    words.contains(&"long").then(|| name.replace('_', "-"))
}

/// Each verb with its options. A verb is the struct `VerbArguments`.
fn declared() -> Vec<(String, BTreeSet<String>)> {
    let mut verbs: Vec<(String, BTreeSet<String>)> = vec![("schema".into(), BTreeSet::new())];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linkwork-cli/src");
    for source in fs::read_dir(folder).unwrap() {
        let path = source.unwrap().path();
        if path.is_dir() {
            continue; // parts of a verb
        }
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut inside = false;
        for (i, line) in lines.iter().enumerate() {
            let named = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix("Arguments {"));
            if let Some(verb) = named.filter(|verb| !verb.is_empty()) {
                verbs.push((verb.to_lowercase(), BTreeSet::new()));
                inside = true;
            } else if *line == "}" {
                inside = false;
            } else if inside && line.trim().starts_with("#[arg(") {
                let found = option(line, lines[i + 1]);
                verbs.last_mut().unwrap().1.extend(found);
            }
        }
    }
    verbs
}

#[test]
fn same_verbs_and_options_as_the_command_has() {
    let page = read("docs/cli.md");
    let verbs = declared();
    assert!(
        verbs.len() == 23
            && verbs.iter().any(|(verb, options)| verb == "run" && options.contains("no-report"))
    );
    for (verb, options) in verbs {
        let head = format!("\n## `{verb}`\n");
        let section =
            page.split_once(&head).unwrap_or_else(|| panic!("docs/cli.md has no section `{verb}`")).1;
        let section = section.split("\n## ").next().unwrap();
        assert!(section.contains(&format!("linkwork {verb}")), "docs/cli.md shows no example of `{verb}`");
        let tables: String = section.lines().filter(|line| line.starts_with('|')).collect();
        for option in options {
            let word = format!("--{option}");
            let listed = tables.split('`').any(|piece| piece.split(' ').next() == Some(word.as_str()));
            assert!(listed, "docs/cli.md: `{verb}` does not list `{word}`");
        }
    }
}
