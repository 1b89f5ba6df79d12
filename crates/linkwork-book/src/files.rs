//! Paths within the repository and within the book, as text with `/` between the parts.

use crate::BookError;
use std::fs;
use std::path::Path;

/// Where a relative link of a page leads, or nothing where it leaves the repository.
pub fn resolve(from: &str, link: &str) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The address of one file of the book as another one has to write it.
pub fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let most = from.len().min(to.len()) - 1;
    let shared = (0..most).take_while(|&i| from[i] == to[i]).count();
    let up = "../".repeat(from.len() - 1 - shared);
    format!("{up}{}", to[shared..].join("/"))
}

/// The page of a source: `README.md` begins the book, and a folder.
pub fn page_address(source: &str) -> String {
    let inside = source.strip_prefix("docs/").unwrap_or(source);
    let stem = inside.strip_suffix(".md").unwrap_or(inside);
    match stem.strip_suffix("README") {
        Some("") => "index.html".into(),
        Some(folder) => format!("{folder}index.html"),
        None => format!("{}.html", stem.to_lowercase()),
    }
}

/// All Markdown files below a folder of the repository, sorted.
pub fn markdown_below(root: &Path, folder: &str) -> Result<Vec<String>, BookError> {
    let mut found = Vec::new();
    let here = root.join(folder);
    for entry in fs::read_dir(&here).map_err(BookError::at(&here))? {
        let entry = entry.map_err(BookError::at(&here))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            found.extend(markdown_below(root, &path)?);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_links_are_followed_from_their_page() {
        assert_eq!(resolve("docs/theory/points.md", "../images/a.svg").as_deref(), Some("docs/images/a.svg"));
        assert_eq!(resolve("README.md", "./docs/results.md").as_deref(), Some("docs/results.md"));
        assert_eq!(resolve("docs/results.md", "../../elsewhere"), None);
    }

    #[test]
    fn exact_addresses_between_pages() {
        assert_eq!(relative("index.html", "theory/points.html"), "theory/points.html");
        assert_eq!(relative("theory/points.html", "theory/joints.html"), "joints.html");
        assert_eq!(
            relative("theory/points.html", "files/examples/a.toml.html"),
            "../files/examples/a.toml.html"
        );
    }

    #[test]
    fn exact_pages_of_sources() {
        assert_eq!(page_address("README.md"), "index.html");
        assert_eq!(page_address("CHANGELOG.md"), "changelog.html");
        assert_eq!(page_address("docs/decisions/README.md"), "decisions/index.html");
        assert_eq!(page_address("benches/peers/README.md"), "benches/peers/index.html");
    }
}
