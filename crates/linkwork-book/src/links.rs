//! What links lead to, and the faults of those that lead nowhere.

use crate::files::{page_address, relative, resolve};
use crate::references::{BIBLIOGRAPHY, CITED, REFERENCES};
use crate::{Fault, Link, Page};
use std::collections::BTreeMap;
use std::path::Path;

/// What a link means.
pub enum Target {
    /// Another site; not looked at.
    Elsewhere,
    /// A page of the book, with the place on it.
    Page(String, Option<String>),
    /// Another file or folder of the repository.
    File(String),
}

/// Reads a link of a page. The error says what is wrong with it.
pub fn target(root: &Path, from: &str, link: &str) -> Result<Target, String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(Target::Elsewhere);
    }
    if let Some(key) = link.strip_prefix(CITED) {
        return match root.join(REFERENCES).is_file() {
            true => Ok(Target::Page(REFERENCES.into(), Some(key.to_owned()))),
            false => Err(format!("`[{key}]` is cited, but there is no {REFERENCES}")),
        };
    }
    let (file, anchor) = match link.split_once('#') {
        None => (link, None),
        Some((file, anchor)) => (file, Some(anchor.to_owned())),
    };
    if file.starts_with('/') {
        return Err(format!("`{link}` begins with a slash; write it relative to this file"));
    }
    let path = if file.is_empty() { from.to_owned() } else { resolve(from, file).unwrap_or_default() };
    if path.is_empty() || !root.join(&path).exists() {
        return Err(format!("`{link}` leads to no file of the repository"));
    }
    if path.ends_with(".md") {
        return Ok(Target::Page(path, anchor));
    }
    match anchor {
        Some(anchor) => Err(format!("`{link}`: only pages have places such as `#{anchor}`")),
        None => Ok(Target::File(path)),
    }
}

/// All faults in the links of the pages.
pub fn faults(root: &Path, pages: &BTreeMap<String, Page>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for page in pages.values() {
        for link in &page.links {
            if let Some(message) = fault(root, pages, page, link) {
                faults.push(Fault { file: page.path.clone(), line: link.line, message });
            }
        }
    }
    faults
}

fn fault(root: &Path, pages: &BTreeMap<String, Page>, page: &Page, link: &Link) -> Option<String> {
    let what = match target(root, &page.path, &link.target) {
        Err(message) => return Some(message),
        Ok(what) => what,
    };
    let target = &link.target;
    match what {
        Target::Elsewhere => None,
        Target::Page(path, _) if link.image => {
            Some(format!("`{target}` is shown as a picture, but {path} is a text"))
        }
        Target::Page(path, anchor) => {
            let (other, anchor) = (pages.get(&path)?, anchor?);
            if other.has_anchor(&anchor) {
                return None;
            }
            if target.starts_with(CITED) {
                return Some(format!("`[{anchor}]` is cited, but {BIBLIOGRAPHY} has no such work"));
            }
            let near = other
                .headings
                .iter()
                .find(|heading| heading.id.contains(&anchor) || anchor.contains(&heading.id));
            let advice = near.map_or_else(String::new, |heading| format!("; there is `#{}`", heading.id));
            Some(format!("`{target}`: {path} has no heading `#{anchor}`{advice}"))
        }
        Target::File(path) if link.image && !is_picture(&path) => {
            Some(format!("`{target}` is shown as a picture, but is none"))
        }
        Target::File(_) => None,
    }
}

/// Whether a browser shows the file in a page.
pub fn is_picture(path: &str) -> bool {
    ["svg", "png", "jpg", "jpeg", "gif", "webp"].iter().any(|ending| path.ends_with(&format!(".{ending}")))
}

/// Where a link of a page leads in the book.
pub fn address(root: &Path, from: &str, link: &str) -> String {
    let here = page_address(from);
    match target(root, from, link) {
        Ok(Target::Page(path, anchor)) => {
            let anchor = anchor.map_or_else(String::new, |anchor| format!("#{anchor}"));
            format!("{}{anchor}", relative(&here, &page_address(&path)))
        }
        Ok(Target::File(path)) => relative(&here, &file_address(root, &path)),
        Ok(Target::Elsewhere) | Err(_) => link.to_owned(),
    }
}

/// The place in the book of a file that is no page: pictures as they are, texts and folders as pages that show them.
pub fn file_address(root: &Path, path: &str) -> String {
    if is_picture(path) {
        format!("files/{path}")
    } else if root.join(path).is_dir() {
        format!("files/{path}/index.html")
    } else {
        format!("files/{path}.html")
    }
}
