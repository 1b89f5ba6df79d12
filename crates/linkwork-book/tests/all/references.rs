//! Works that the documentation and the code cite are in `docs/references.bib`, and nothing else is.

use linkwork_book::{Book, BookError, References};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn same_page_as_the_bibliography_makes() {
    let page = fs::read_to_string(root().join("docs/references.md")).unwrap();
    assert_eq!(
        page,
        References::read(&root()).unwrap().page(),
        "run `cargo run -p linkwork-book -- references`"
    );
    assert!(!page.contains(['{', '}', '\\', '$']), "marks of TeX are left over");
}

/// Texts of a repository below a folder with one of some endings.
fn texts(folder: &Path, endings: &[&str], found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            texts(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted)) {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

fn is_key(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text.len() == name.len() + 4 && !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())
}

/// Keys in brackets, plain or as rustdoc wants them, in comments and pages, each with a place where it is cited.
fn cited(known: &BTreeSet<String>) -> BTreeMap<String, PathBuf> {
    let mut files = Vec::new();
    texts(&root().join("docs"), &["md"], &mut files);
    texts(&root().join("crates"), &["rs", "md"], &mut files);
    texts(&root().join("examples"), &["toml"], &mut files);
    let mut cited = BTreeMap::new();
    for (path, text) in files {
        let (code, own) = (path.extension().is_some_and(|e| e == "rs"), path.ends_with("docs/references.md"));
        let made_up = path.starts_with(root().join("crates/linkwork-book"));
        let lines = text.lines().filter(|line| !(own || made_up) && (!code || line.contains("//")));
        for piece in lines.flat_map(|line| line.split('[').skip(1)) {
            let Some((key, _)) = piece.split_once(']') else { continue };
            let key = key.trim_end_matches('\\');
            if is_key(key) || known.contains(key) {
                cited.entry(key.to_owned()).or_insert_with(|| path.clone());
            }
        }
    }
    cited
}

#[test]
fn same_works_cited_and_listed() {
    let references = References::read(&root()).unwrap();
    let known: BTreeSet<String> = references.works().iter().map(|work| work.key.clone()).collect();
    let cited = cited(&known);
    for (key, path) in &cited {
        assert!(
            known.contains(key),
            "{} cites [{key}], which docs/references.bib does not have",
            path.display()
        );
    }
    for key in &known {
        assert!(cited.contains_key(key), "docs/references.bib has `{key}`, which nothing cites");
    }
    for work in references.works() {
        let has = |name: &str| work.fields.iter().any(|(field, _)| field == name);
        assert!(has("year") && (has("author") || has("editor")), "`{}` has no year or no author", work.key);
    }
}

#[test]
fn exact_unknown_work_is_found_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("docs/SUMMARY.md", "# Book\n\n- [A](a.md)\n- [References](references.md)\n");
    write("docs/references.md", "# References\n\n- <a id=\"known1990\"></a>`known1990`: A work.\n");
    write("docs/a.md", "# A\n\nAs [known1990] says, x[i10] = `[code1990]`.\n");
    let out = folder.path().join("out");
    Book::read(folder.path()).unwrap().write(&out).unwrap();
    let page = fs::read_to_string(out.join("a.html")).unwrap();
    assert!(page.contains("As [<a href=\"references.html#known1990\">known1990</a>] says"), "{page}");
    write("docs/a.md", "# A\n\nAs [known1990] and\n[other2000] say.\n");
    let Err(BookError::Faults(faults)) = Book::read(folder.path()) else { panic!("no fault") };
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["docs/a.md:4: `[other2000]` is cited, but docs/references.bib has no such work"]);
}
