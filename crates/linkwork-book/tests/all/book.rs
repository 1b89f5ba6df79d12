//! The book of this repository, and that its checks find what they should.

use linkwork_book::{Book, BookError};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A repository with two pages, one of which links to everything that can be linked to.
fn repository(page: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("README.md", "# Start\n\n[a page](docs/a.md#second-part) and [a model](examples/m.toml)\n");
    write("docs/SUMMARY.md", "# Book\n\n- [Start](../README.md)\n\n## Part\n\n- [A page](a.md)\n");
    write("docs/a.md", page);
    write("docs/images/p.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    write("examples/m.toml", "format = 1 # <b>\n");
    folder
}

const GOOD: &str = "# A page\n\n![picture](images/p.svg) [home](../README.md)\n\n## Second part\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n";

fn faults(root: &Path) -> Vec<String> {
    match Book::read(root) {
        Err(BookError::Faults(faults)) => faults.iter().map(ToString::to_string).collect(),
        Err(other) => panic!("{other}"),
        Ok(_) => Vec::new(),
    }
}

fn fault_of(page: &str) -> String {
    let root = repository(page);
    let faults = faults(root.path());
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults[0].clone()
}

#[test]
fn exact_book_of_two_pages() {
    let root = repository(GOOD);
    let out = root.path().join("out");
    let built = Book::read(root.path()).unwrap().write(&out).unwrap();
    assert_eq!((built.pages, built.links, built.files), (2, 4, 2));

    let start = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(start.contains("href=\"a.html#second-part\""), "{start}");
    assert!(start.contains("href=\"files/examples/m.toml.html\""));
    assert!(start.contains("<a rel=\"next\" href=\"a.html\">A page →</a>"));
    let page = fs::read_to_string(out.join("a.html")).unwrap();
    assert!(page.contains("<h2 id=\"second-part\">") && page.contains("<table>"));
    assert!(
        page.contains("src=\"files/docs/images/p.svg\"") && out.join("files/docs/images/p.svg").is_file()
    );
    assert!(page.contains("aria-current=\"page\""));
    let shown = fs::read_to_string(out.join("files/examples/m.toml.html")).unwrap();
    assert!(shown.contains("format = 1 # &lt;b&gt;"));
}

#[test]
fn exact_broken_file_is_named_with_its_line() {
    let fault = fault_of(&GOOD.replace("../README.md", "../NOTHING.md"));
    assert_eq!(fault, "docs/a.md:3: `../NOTHING.md` leads to no file of the repository");
}

#[test]
fn exact_broken_picture_is_found() {
    assert!(fault_of(&GOOD.replace("p.svg", "q.svg")).starts_with("docs/a.md:3: `images/q.svg`"));
    assert!(
        fault_of(&GOOD.replace("images/p.svg", "../examples/m.toml"))
            .contains("is shown as a picture, but is none")
    );
}

#[test]
fn exact_broken_anchor_is_found_with_what_is_there() {
    let fault = fault_of(&GOOD.replace("## Second part", "## The second part"));
    assert_eq!(
        fault,
        "README.md:3: `docs/a.md#second-part`: docs/a.md has no heading `#second-part`; there is `#the-second-part`"
    );
}

#[test]
fn exact_unlisted_page_is_found() {
    let root = repository(GOOD);
    fs::create_dir(root.path().join("docs/more")).unwrap();
    fs::write(root.path().join("docs/more/b.md"), "# B\n").unwrap();
    let faults = faults(root.path());
    assert_eq!(
        faults,
        ["docs/more/b.md:1: docs/SUMMARY.md does not list this page; add it where it belongs"]
    );
}

#[test]
fn exact_listed_page_that_is_not_there() {
    let root = repository(GOOD);
    fs::write(root.path().join("docs/SUMMARY.md"), "# Book\n\n- [A](a.md)\n- [Again](a.md)\n- [B](b.md)\n")
        .unwrap();
    let faults = faults(root.path());
    assert_eq!(
        faults,
        ["docs/SUMMARY.md:4: docs/a.md is listed twice", "docs/SUMMARY.md:5: there is no page docs/b.md"]
    );
}

#[test]
fn keeps_what_is_not_its_own() {
    let root = repository(GOOD);
    let book = Book::read(root.path()).unwrap();
    assert!(matches!(book.write(&root.path().join("docs")), Err(BookError::Occupied(_))));
    assert!(root.path().join("docs/a.md").is_file());

    let out = root.path().join("out");
    book.write(&out).unwrap();
    fs::write(out.join("left-over.html"), "old").unwrap();
    book.write(&out).unwrap();
    assert!(!out.join("left-over.html").exists(), "a new book takes the place of the old one");
    assert!(!root.path().join(".out.part").exists());
}

/// The documentation as it stands.
#[test]
fn keeps_all_links_of_this_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = faults(&root);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    let out = tempfile::tempdir().unwrap();
    let built = Book::read(&root).unwrap().write(&out.path().join("book")).unwrap();
    assert!(built.pages > 40 && built.links > 200 && built.files > 40, "{built:?}");
}
