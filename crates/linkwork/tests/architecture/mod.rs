//! Which module and which crate may use which: dependencies point one way.
//!
//! The tables below hold every arrow. The sources under `src/`, the manifests and the tables of CONTRIBUTING.md are held to them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The top-level modules of the library, from top to bottom, and what each uses: only modules below it.
const MODULES: &[(&str, &[&str])] = &[
    (
        "analysis",
        &[
            "simulation",
            "formulations",
            "results",
            "mechanism",
            "recursive",
            "model",
            "interactions",
            "expressions",
            "drawing",
            "joints",
            "error",
            "linalg",
        ],
    ),
    (
        "batch",
        &["simulation", "formulations", "integrate", "results", "mechanism", "recursive", "model", "error"],
    ),
    ("sensitivity", &["simulation", "formulations", "integrate", "results", "mechanism", "model", "error"]),
    (
        "simulation",
        &[
            "formulations",
            "integrate",
            "results",
            "mechanism",
            "topology",
            "contact",
            "recursive",
            "model",
            "interactions",
            "expressions",
            "error",
            "linalg",
            "keep",
        ],
    ),
    (
        "formulations",
        &[
            "integrate",
            "results",
            "mechanism",
            "contact",
            "constraints",
            "recursive",
            "particles",
            "model",
            "modal",
            "interactions",
            "expressions",
            "joints",
            "error",
            "linalg",
            "keep",
        ],
    ),
    ("integrate", &["linalg", "keep"]),
    ("results", &["mechanism", "interactions", "linalg", "keep"]),
    (
        "mechanism",
        &[
            "topology",
            "contact",
            "constraints",
            "particles",
            "model",
            "modal",
            "interactions",
            "drawing",
            "joints",
            "error",
            "linalg",
            "keep",
        ],
    ),
    ("topology", &["model", "interactions", "joints", "linalg", "keep"]),
    ("contact", &["interactions", "linalg", "keep"]),
    ("constraints", &["linalg"]),
    ("recursive", &["linalg"]),
    ("particles", &["model", "drawing", "linalg"]),
    (
        "model",
        &["modal", "interactions", "joints", "file", "checks", "expressions", "drawing", "error", "linalg"],
    ),
    ("modal", &["linalg"]),
    ("interactions", &["file", "checks", "expressions", "drawing", "error", "linalg", "keep"]),
    ("joints", &["file", "checks", "drawing", "error"]),
    ("file", &["expressions", "drawing", "error"]),
    ("checks", &["expressions", "drawing", "error"]),
    ("expressions", &["error", "linalg"]),
    ("drawing", &[]),
    ("error", &["keep"]),
    ("linalg", &["keep"]),
    ("keep", &[]),
];

/// The crates, from top to bottom, and what each uses of the others.
const CRATES: &[(&str, &[&str])] = &[
    (
        "linkwork-python",
        &[
            "linkwork-cli",
            "linkwork-sweep",
            "linkwork-optimize",
            "linkwork-linear",
            "linkwork-import",
            "linkwork-view",
            "linkwork-formats",
            "linkwork-scene",
            "linkwork",
        ],
    ),
    (
        "linkwork-cli",
        &[
            "linkwork-optimize",
            "linkwork-sweep",
            "linkwork-linear",
            "linkwork-import",
            "linkwork-view",
            "linkwork-formats",
            "linkwork-scene",
            "linkwork",
        ],
    ),
    (
        "linkwork-fuzz",
        &["linkwork-import", "linkwork-view", "linkwork-formats", "linkwork-scene", "linkwork"],
    ),
    ("linkwork-optimize", &["linkwork-sweep", "linkwork-formats", "linkwork"]),
    ("linkwork-sweep", &["linkwork-formats", "linkwork"]),
    ("linkwork-linear", &["linkwork"]),
    ("linkwork-import", &["linkwork", "linkwork-mesh"]),
    ("linkwork-view", &["linkwork-scene", "linkwork"]),
    ("linkwork-formats", &["linkwork-scene", "linkwork"]),
    ("linkwork-scene", &["linkwork", "linkwork-mesh"]),
    ("linkwork-book", &[]),
    ("linkwork", &["linkwork-mesh"]),
    ("linkwork-mesh", &[]),
];

type Arrows = BTreeSet<(String, String)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn arrows_of(table: &[(&str, &[&str])]) -> Arrows {
    let of = |(from, to): &(&str, &[&str])| -> Vec<(String, String)> {
        to.iter().map(|to| (from.to_string(), to.to_string())).collect()
    };
    table.iter().flat_map(of).collect()
}

/// Fails where what is there differs from what may be there.
#[track_caller]
fn compare(there: &Arrows, table: &[(&str, &[&str])], what: &str) {
    let allowed = arrows_of(table);
    let new: Vec<_> = there.difference(&allowed).map(|(a, b)| format!("{a} -> {b}")).collect();
    let unused: Vec<_> = allowed.difference(there).map(|(a, b)| format!("{a} -> {b}")).collect();
    assert!(new.is_empty(), "{what}: not in the table: {}", new.join(", "));
    assert!(unused.is_empty(), "{what}: in the table, but not used any more: {}", unused.join(", "));
}

/// Each line of a table uses only lines below it: so there is no cycle.
#[track_caller]
fn points_down(table: &[(&str, &[&str])]) {
    let place = |name: &str| table.iter().position(|line| line.0 == name);
    for (i, (from, to)) in table.iter().enumerate() {
        for to in *to {
            let below = place(to).unwrap_or_else(|| panic!("{to} has no line in the table"));
            assert!(below > i, "{from} uses {to}, which is not below it");
        }
    }
}

/// A source without comments, without the contents of strings and characters, and without what is compiled for tests only. The second part
/// names the modules of tests that have files of their own.
fn bare(text: &str) -> (String, Vec<String>) {
    let text = without_words(text);
    let mut out = String::new();
    let mut test_modules = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        rest = &rest[at + "#[cfg(test)]".len()..];
        let item = item_length(rest);
        if let Some(name) = rest[..item].trim().strip_suffix(';').and_then(|item| item.split("mod ").nth(1)) {
            test_modules.push(name.trim().to_owned());
        }
        rest = &rest[item..];
    }
    out.push_str(rest);
    (out, test_modules)
}

/// How far the item at the beginning of a text goes: to its semicolon, or to the end of its braces.
fn item_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            ';' if depth == 0 => return i + 1,
            _ => {}
        }
    }
    text.len()
}

/// Leaves out comments and the contents of strings and characters.
fn without_words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            'r' if !out.ends_with(|c: char| c.is_alphanumeric() || c == '_') => raw_string(rest).unwrap_or(0),
            '"' => quoted(rest, '"'),
            // a lifetime has no second quote at once
            '\'' if rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'') => quoted(rest, '\''),
            _ => 0,
        };
        if skip == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            rest = &rest[skip..];
        }
    }
    out
}

fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].chars().take_while(|&c| c == '#').count();
    text[1 + hashes..].starts_with('"').then(|| {
        let end = format!("\"{}", "#".repeat(hashes));
        let from = 2 + hashes;
        text[from..].find(&end).map_or(text.len(), |at| from + at + end.len())
    })
}

fn quoted(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices().skip(1);
    while let Some((i, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == quote {
            return i + c.len_utf8();
        }
    }
    text.len()
}

/// The first names behind each occurrence of a path: one, or all of a group in braces.
fn names_behind(text: &str, path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let before = rest[..at].chars().next_back();
        rest = &rest[at + path.len()..];
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        match rest.strip_prefix('{') {
            None => names.extend(first_name(rest)),
            Some(group) => names.extend(members(group)),
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// First names of the members of a group whose opening brace has been read.
fn members(group: &str) -> Vec<String> {
    let mut names: Vec<String> = first_name(group).into_iter().collect();
    let mut depth = 0_usize;
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.extend(first_name(&group[i + 1..])),
            _ => {}
        }
    }
    names
}

/// The Rust files under a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// The path of the module that a file is: `model/file/mod.rs` is `[model, file]`.
fn module_of(file: &Path) -> Vec<String> {
    let parts = file.with_extension("");
    let parts = parts.iter().map(|part| part.to_string_lossy().into_owned());
    parts.filter(|part| part != "mod" && part != "lib").collect()
}

/// Names that the root of the library shows, and the modules that they come from.
fn shown_by_the_root(root: &str) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::new();
    for line in root.split(';').filter_map(|item| item.trim().split("pub use ").nth(1)) {
        let (module, names) = line.split_once("::").expect("the root shows items of modules");
        let names = match names.strip_prefix('{') {
            Some(group) => members(group),
            None => first_name(names).into_iter().collect(),
        };
        shown.extend(names.into_iter().map(|name| (name, module.to_owned())));
    }
    shown
}

/// The arrows between the top-level modules under a folder, and the modules.
fn arrows_under(folder: &Path) -> (Arrows, BTreeSet<String>) {
    let shown = shown_by_the_root(&bare(&read(folder.join("lib.rs"))).0);
    let mut texts = BTreeMap::new();
    let mut for_tests = Vec::new();
    for file in sources(folder) {
        let module = module_of(file.strip_prefix(folder).expect("it lies in the folder"));
        let (text, tests) = bare(&read(&file));
        for_tests.extend(tests.into_iter().map(|test| [module.clone(), vec![test]].concat()));
        texts.insert(module, text);
    }
    texts.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
    let modules: BTreeSet<String> = texts.keys().filter_map(|module| module.first().cloned()).collect();
    let mut arrows = Arrows::new();
    for (module, text) in texts.iter().filter(|(module, _)| !module.is_empty()) {
        let mut names = names_behind(text, "crate::");
        // as many steps up as the module is deep lead to the root, or to a module around one within the file
        let up = names_behind(text, &"super::".repeat(module.len()));
        names.extend(up.into_iter().filter(|name| modules.contains(name) || shown.contains_key(name)));
        for name in names {
            let to = shown.get(&name).unwrap_or(&name);
            let known = modules.contains(to);
            assert!(known, "{}: `{name}` is no module and not shown by lib.rs", module.join("/"));
            if *to != module[0] {
                arrows.insert((module[0].clone(), to.clone()));
            }
        }
    }
    (arrows, modules)
}

/// The lines of the table in CONTRIBUTING.md that begins with a heading: names in the first column, and those in the last.
fn documented(heading: &str) -> Vec<(String, BTreeSet<String>)> {
    let text = read(root().join("CONTRIBUTING.md"));
    let table = text.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let quoted = |cell: &str| -> Vec<String> {
        let inside = cell.split('`').skip(1).step_by(2);
        inside.map(|name| name.trim_end_matches('/').to_owned()).collect()
    };
    let mut lines = Vec::new();
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let uses: BTreeSet<String> = quoted(cells[cells.len() - 1]).into_iter().collect();
        lines.extend(quoted(cells[0]).into_iter().map(|name| (name, uses.clone())));
    }
    lines
}

#[track_caller]
fn documented_as(table: &[(&str, &[&str])], lines: Vec<(String, BTreeSet<String>)>) {
    let here =
        |(from, to): &(&str, &[&str])| (from.to_string(), to.iter().map(|to| to.to_string()).collect());
    let here: Vec<(String, BTreeSet<String>)> = table.iter().map(here).collect();
    for (there, here) in lines.iter().zip(&here) {
        assert_eq!(there, here, "CONTRIBUTING.md (left) says other than the table of this test (right)");
    }
    assert_eq!(lines.len(), here.len(), "CONTRIBUTING.md has other lines than the table of this test");
}

fn manifest(name: &str) -> toml::Table {
    read(root().join("crates").join(name).join("Cargo.toml")).parse().expect("a manifest is TOML")
}

#[test]
fn modules_use_only_modules_below_them() {
    let (arrows, modules) = arrows_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let listed: BTreeSet<String> = MODULES.iter().map(|line| line.0.to_string()).collect();
    assert_eq!(modules, listed, "modules under src/ (left) and in the table (right)");
    compare(&arrows, MODULES, "modules");
    points_down(MODULES);
}

#[test]
fn crates_use_only_crates_below_them() {
    let mut arrows = Arrows::new();
    let mut there = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).expect("there are crates") {
        let name = entry.expect("the entry can be read").file_name().to_string_lossy().into_owned();
        let manifest = manifest(&name);
        let uses =
            manifest.get("dependencies").and_then(|list| list.as_table()).into_iter().flat_map(|t| t.keys());
        for used in uses.filter(|used| used.starts_with("linkwork")) {
            arrows.insert((name.clone(), used.clone()));
        }
        there.insert(name);
    }
    assert_eq!(there, CRATES.iter().map(|line| line.0.to_string()).collect::<BTreeSet<_>>());
    compare(&arrows, CRATES, "crates");
    points_down(CRATES);
}

/// What a program gets that writes its models in code: `default-features = false`.
#[test]
fn library_without_files_has_at_most_five_dependencies() {
    let manifest = manifest("linkwork");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    let optional = |value: &toml::Value| value.get("optional").and_then(|v| v.as_bool()) == Some(true);
    let always: Vec<&String> =
        dependencies.iter().filter(|(_, v)| !optional(v)).map(|(name, _)| name).collect();
    assert!(always.len() <= 5, "{always:?}");
    let of_files: BTreeSet<String> =
        dependencies.iter().filter(|(_, v)| optional(v)).map(|(name, _)| format!("dep:{name}")).collect();
    let feature = manifest["features"]["file"].as_array().expect("a list");
    let listed: BTreeSet<String> = feature.iter().filter_map(|v| v.as_str()).map(str::to_owned).collect();
    assert_eq!(of_files, listed, "optional dependencies (left) and the feature `file` (right)");
    assert_eq!(manifest["features"]["default"].as_array().expect("a list").len(), 1);
}

#[test]
fn contributing_has_the_same_tables() {
    documented_as(MODULES, documented("| folder | what is in it | uses |"));
    documented_as(CRATES, documented("| crate | what is in it | uses |"));
}

/// What is read from sources: groups, strings, comments, tests, steps up.
#[test]
fn arrows_are_found_in_sources() {
    let text = r##"
        use crate::{alpha::{A, B}, beta, gamma::C}; // crate::comment
        /* crate::block */
        const S: &str = "crate::string \" crate::still";
        const R: &str = r#"crate::raw " "#;
        fn f<'a>(c: char) -> bool { c == '"' && crate::delta::g::<'a>() }
        #[cfg(test)]
        mod tests { use crate::tested; fn f() {} }
        #[cfg(test)]
        mod more_tests;
        use super::super::epsilon::D;
        macro_rules! m { () => { $crate::zeta::E } }
        type T = my_crate::Other;
    "##;
    let (text, tests) = bare(text);
    assert_eq!(tests, ["more_tests"]);
    assert_eq!(names_behind(&text, "crate::"), ["alpha", "beta", "gamma", "delta", "zeta"]);
    assert_eq!(names_behind(&text, &"super::".repeat(2)), ["epsilon"]);
}

#[test]
#[should_panic(expected = "b uses a, which is not below it")]
fn a_cycle_in_a_table_is_found() {
    points_down(&[("a", &["b"]), ("b", &["a"])]);
}

#[test]
#[should_panic(expected = "not in the table: a -> c")]
fn a_new_arrow_is_found() {
    compare(&[("a".to_string(), "c".to_string())].into(), &[], "test");
}

#[test]
#[should_panic(expected = "not used any more: a -> b")]
fn an_arrow_that_is_gone_is_found() {
    compare(&Arrows::new(), &[("a", &["b"])], "test");
}
