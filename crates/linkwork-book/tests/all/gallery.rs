//! The gallery shows every example, and its page and pictures are there.

use linkwork_book::{Gallery, MAX_PICTURE, MAX_PICTURES, Shown};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// File names in a folder of the repository.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn same_examples_in_the_gallery_and_in_the_folder() {
    let gallery = Gallery::read(&root()).unwrap();
    let shown: Vec<String> = gallery.shown().map(|shown| format!("{}.toml", shown.name)).collect();
    let once: BTreeSet<String> = shown.iter().cloned().collect();
    assert_eq!(once.len(), shown.len(), "an example is shown twice");
    let examples: BTreeSet<String> =
        names("examples").into_iter().filter(|name| name.ends_with(".toml")).collect();
    assert_eq!(once, examples, "docs/gallery.toml and examples/ differ");
}

#[test]
fn same_page_as_the_choice_makes() {
    let page = fs::read_to_string(root().join("docs/gallery.md")).unwrap();
    let made = Gallery::read(&root()).unwrap().page();
    assert_eq!(page, made, "run `cargo run --release -p linkwork-book -- gallery`");
}

#[test]
fn keeps_pictures_present_and_small() {
    let gallery = Gallery::read(&root()).unwrap();
    let wanted: BTreeSet<String> = gallery.shown().flat_map(Shown::pictures).collect();
    assert_eq!(wanted, names("docs/images/gallery"));
    let mut sum = 0;
    for name in wanted {
        let text = fs::read_to_string(root().join("docs/images/gallery").join(&name)).unwrap();
        assert!(text.contains("<svg") && text.trim_end().ends_with("</svg>"), "{name} is no whole picture");
        assert!(text.len() as u64 <= MAX_PICTURE, "{name} has {} bytes", text.len());
        assert!(!text.contains("NaN"), "{name} has a number that is none");
        sum += text.len() as u64;
    }
    assert!(sum <= MAX_PICTURES, "all pictures together have {sum} bytes");
}
