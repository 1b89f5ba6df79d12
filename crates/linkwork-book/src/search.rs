//! The index of the book's search: the text of each section, in the order of the chapters, as a script that sets one variable.
//!
//! A page that is opened from a disk may not fetch files, but may load scripts. So the index is one, and `search.js` loads it when it is needed.
//! Sections are searched as they are: the whole documentation is under a megabyte, which a browser looks through between two keystrokes.

use crate::Page;
use crate::files::page_address;
use std::fmt::Write;

/// The script that searches.
pub const SCRIPT: &str = include_str!("search.js");

/// A heading and what stands below it, up to the next heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Of its page in the book, with the anchor of the heading.
    pub address: String,
    /// Of its page.
    pub title: String,
    /// Its heading; the title, for what stands before the second one.
    pub heading: String,
    /// As it is read, in one line.
    pub text: String,
}

/// The sections of a page.
pub fn sections(page: &Page) -> Vec<Section> {
    let address = page_address(&page.path);
    let texts = page.section_texts();
    let first = page.headings.first().is_none_or(|heading| heading.level == 1);
    let mut sections = Vec::new();
    for (heading, text) in texts {
        let heading = heading.map(|i| &page.headings[i]);
        let whole = heading.is_none_or(|heading| first && *heading == page.headings[0]);
        if whole && heading.is_none() && text.is_empty() {
            continue;
        }
        sections.push(Section {
            address: match heading.filter(|_| !whole) {
                Some(heading) => format!("{address}#{}", heading.id),
                None => address.clone(),
            },
            title: page.title.clone(),
            heading: heading.map_or_else(|| page.title.clone(), |heading| heading.text.clone()),
            text,
        });
    }
    sections
}

/// The index as a script.
pub fn index<'a>(pages: impl Iterator<Item = &'a Page>) -> String {
    let mut script = String::from("window.linkworkSearch = [\n");
    for section in pages.flat_map(sections) {
        let parts =
            [&section.address, &section.title, &section.heading, &section.text].map(|part| quoted(part));
        let _ = writeln!(script, "[{}],", parts.join(","));
    }
    script.push_str("];\n");
    script
}

/// A string of JavaScript.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_sections_of_a_page() {
        let page = Page::new(
            "docs/a/b.md",
            "# The page\n\nFirst *words*,\nhere.\n\n## A `part`\n\n| x | y |\n| --- | --- |\n| 1 | `two` |\n\n```toml\na = 1\n```\n"
                .into(),
        );
        let found = sections(&page);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].address.as_str(), found[0].heading.as_str()), ("a/b.html", "The page"));
        assert_eq!(found[0].text, "First words, here.");
        assert_eq!((found[1].address.as_str(), found[1].heading.as_str()), ("a/b.html#a-part", "A part"));
        assert_eq!((found[1].title.as_str(), found[1].text.as_str()), ("The page", "x y 1 two a = 1"));
    }

    #[test]
    fn exact_strings_are_quoted() {
        assert_eq!(quoted("a \"b\" \\ \n é"), "\"a \\\"b\\\" \\\\ \\u000a é\"");
    }
}
