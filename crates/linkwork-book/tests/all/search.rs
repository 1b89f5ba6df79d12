//! The search of the book: its index has every section, and a browser that opens a page from the disk finds what is asked for.

use linkwork_book::Book;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn book() -> Book {
    Book::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

#[test]
fn keeps_every_section_in_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let (book, out) = (book(), folder.path().join("book"));
    book.write(&out).unwrap();
    let sections = book.sections();
    assert!(sections.len() > 500, "{} sections", sections.len());
    assert_eq!(sections[0].address, "index.html", "the start page comes first");
    let places: BTreeSet<&str> = sections.iter().map(|section| section.address.as_str()).collect();
    for place in
        ["model-file/forces.html#springs", "errors/dead-centre.html", "theory/points.html#7-projection"]
    {
        assert!(places.contains(place), "no section {place}");
    }
    // each place is there, and so is its anchor
    for place in &places {
        let (file, anchor) =
            place.split_once('#').map_or((*place, None), |(file, anchor)| (file, Some(anchor)));
        let page = fs::read_to_string(out.join(file)).unwrap_or_else(|e| panic!("{place}: {e}"));
        assert!(anchor.is_none_or(|anchor| page.contains(&format!(" id=\"{anchor}\""))), "{place}");
    }
    // one line a section, between the first and the last
    let script = fs::read_to_string(out.join("search-index.js")).unwrap();
    assert_eq!(script.lines().count(), sections.len() + 2);
    assert!(script.starts_with("window.linkworkSearch = [\n") && script.ends_with("];\n"));
    assert!(
        script.len() < 1_500_000,
        "{} bytes are too many to look through at each keystroke",
        script.len()
    );
    let deep = fs::read_to_string(out.join("theory/points.html")).unwrap();
    assert!(deep.contains("<script src=\"../search.js\" data-root=\"../\"></script>"));
}

/// A browser, if there is one. Where there must be one, there is.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let mut places = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    let found = named.or_else(|| places.find(|file| file.is_file()));
    let wanted = std::env::var("LINKWORK_BROWSER").is_ok_and(|value| value == "required");
    assert!(found.is_some() || !wanted, "no browser: put Chromium on the PATH or name it in CHROMIUM");
    if found.is_none() {
        eprintln!("skipped: no browser found; put Chromium on the PATH or name it in CHROMIUM");
    }
    found
}

/// A page as it is after its scripts have run.
fn shown(browser: &Path, address: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let out = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions"])
        .args(["--disable-background-networking", "--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(address)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Addresses of the results for some words, in order, on a page that is opened from the disk.
fn results(browser: &Path, folder: &Path, page: &str, words: &str) -> Vec<String> {
    let address = format!("file://{}/{page}?search={}", folder.display(), words.replace(' ', "%20"));
    let shown = shown(browser, &address);
    let list = shown.split("id=\"search-results\"").nth(1).unwrap_or_default();
    let list = list.split("</ul>").next().unwrap_or_default();
    let links = list.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.map(str::to_owned).collect()
}

#[test]
fn exact_first_results_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().canonicalize().unwrap().join("book");
    book().write(&out).unwrap();
    for (page, words, first) in [
        ("index.html", "dead centre", "errors/dead-centre.html"),
        ("theory/points.html", "redundant constraints", "../how-to/redundant-constraints.html"),
        ("index.html", "TORSION_SPRINGS", "model-file/forces.html#torsion_springs"),
    ] {
        let found = results(&browser, &out, page, words);
        assert_eq!(found.first().map(String::as_str), Some(first), "{words}: {found:?}");
        assert!(out.join(page).parent().unwrap().join(first.split('#').next().unwrap()).is_file());
    }
    assert!(results(&browser, &out, "index.html", "xyzzy").is_empty());
}

/// Presses keys on a page and writes what has become of it into its title.
const KEYS: &str = r##"<script>
const press = (key) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const dialog = document.querySelector("dialog.search");
const field = document.querySelector("#search-words");
const chosen = () => [...document.querySelectorAll("#search-results li")].findIndex((item) => item.getAttribute("aria-selected") === "true");
const said = [];
press("/");
said.push(dialog.open, document.activeElement === field);
const whenLoaded = (then) => (window.linkworkSearch && document.querySelector("dialog.search p").textContent ? then() : setTimeout(() => whenLoaded(then), 20));
whenLoaded(() => {
  field.value = "spring";
  field.dispatchEvent(new Event("input"));
  said.push(chosen());
  press("ArrowDown");
  press("ArrowDown");
  said.push(chosen(), field.getAttribute("aria-activedescendant"));
  press("ArrowUp");
  said.push(chosen());
  document.querySelectorAll("#search-results a")[1].addEventListener("click", (event) => { event.preventDefault(); said.push("opened"); });
  press("Enter");
  press("/");
  press("Escape");
  said.push(dialog.open);
  document.title = said.join(" ");
});
</script></body>"##;

#[test]
fn exact_keys_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().canonicalize().unwrap().join("book");
    book().write(&out).unwrap();
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    fs::write(out.join("keys.html"), page.replace("</body>", KEYS)).unwrap();
    let shown = shown(&browser, &format!("file://{}", out.join("keys.html").display()));
    let title = shown.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    assert_eq!(title, Some("true true 0 2 search-2 1 opened false"));
}
