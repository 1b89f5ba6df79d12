//! The order of the book: `docs/SUMMARY.md`, headings for parts and lists of links for chapters.

use crate::files::resolve;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// The list of chapters, as a path in the repository.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// A part of the book.
pub struct Part {
    /// Its heading; empty before the first one.
    pub title: String,
    /// Its chapters, in order.
    pub chapters: Vec<Chapter>,
}

/// A page in its place.
pub struct Chapter {
    /// As the list calls it.
    pub title: String,
    /// The source.
    pub path: String,
    /// The line of the list.
    pub line: usize,
    /// 0, or more where lists are nested.
    pub depth: usize,
}

/// Reads the list. Links that leave the repository are kept as they are written, so that they are reported as broken.
pub fn parts(text: &str) -> Vec<Part> {
    let mut parts = vec![Part { title: String::new(), chapters: Vec::new() }];
    let mut depth = 0;
    let mut words = String::new();
    let mut target = String::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) => depth -= 1,
            Event::Start(Tag::Heading { .. }) => words.clear(),
            Event::End(TagEnd::Heading(level)) if level as u8 > 1 => {
                parts.push(Part { title: words.clone(), chapters: Vec::new() });
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                words.clear();
                target = dest_url.into_string();
            }
            Event::End(TagEnd::Link) => {
                let path = resolve(SUMMARY, &target).unwrap_or_else(|| target.clone());
                let line = 1 + text[..range.start].matches('\n').count();
                let chapter = Chapter { title: words.clone(), path, line, depth: usize::max(depth, 1) - 1 };
                if let Some(part) = parts.last_mut() {
                    part.chapters.push(chapter);
                }
            }
            Event::Text(piece) | Event::Code(piece) => words.push_str(&piece),
            _ => {}
        }
    }
    parts.retain(|part| !part.chapters.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_parts_and_chapters() {
        let read = parts(
            "# Book\n\n- [Start](../README.md)\n\n## Theory\n\n- [Points](theory/points.md)\n  - [More](a.md)\n",
        );
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].chapters[0].path, "README.md");
        assert_eq!((read[1].title.as_str(), read[1].chapters[1].depth), ("Theory", 1));
        assert_eq!(read[1].chapters[0].line, 7);
    }
}
