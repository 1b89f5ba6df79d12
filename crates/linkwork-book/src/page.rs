//! One source: its headings, its links, and its text as HTML.

use crate::references::{CITED, is_key};
use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};
use std::collections::HashMap;
use std::ops::Range;

/// A source that has been read.
pub struct Page {
    /// Its path in the repository.
    pub path: String,
    /// Its first heading of the first level, or its path.
    pub title: String,
    /// All headings, in order.
    pub headings: Vec<Heading>,
    /// All links and images, in order.
    pub links: Vec<Link>,
    /// Names that raw HTML gives to places.
    pub anchors: Vec<String>,
    text: String,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// What links call it, as the pages of GitHub do.
    pub id: String,
    /// As it is read.
    pub text: String,
}

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Counted from one.
    pub line: usize,
    /// As it is written.
    pub target: String,
    /// Whether it is shown in its place.
    pub image: bool,
}

impl Page {
    /// Reads a source.
    pub fn new(path: &str, text: String) -> Page {
        let mut headings: Vec<Heading> = Vec::new();
        let mut links = Vec::new();
        let mut anchors = Vec::new();
        let mut open: Option<(u8, String)> = None;
        let mut used = HashMap::new();
        for (event, range) in events(&text) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => open = Some((depth(level), String::new())),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((level, text)) = open.take() {
                        let id = unique(&slug(&text), &mut used);
                        headings.push(Heading { level, id, text });
                    }
                }
                Event::Text(piece) | Event::Code(piece) => {
                    if let Some((_, text)) = &mut open {
                        text.push_str(&piece);
                    }
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    links.push(link(&text, &range, &dest_url, false));
                }
                Event::Start(Tag::Image { dest_url, .. }) => {
                    links.push(link(&text, &range, &dest_url, true));
                }
                Event::Html(piece) | Event::InlineHtml(piece) => {
                    let attributes = |name| attributes(&piece, name).into_iter();
                    links.extend(attributes("src").map(|target| link(&text, &range, target, true)));
                    links.extend(attributes("href").map(|target| link(&text, &range, target, false)));
                    anchors.extend(attributes("id").map(str::to_owned));
                }
                _ => {}
            }
        }
        let title = headings.iter().find(|heading| heading.level == 1);
        let title = title.map_or_else(|| path.to_owned(), |heading| heading.text.clone());
        Page { path: path.to_owned(), title, headings, links, anchors, text }
    }

    /// Whether a link may end in `#id`.
    pub fn has_anchor(&self, id: &str) -> bool {
        self.headings.iter().any(|heading| heading.id == id) || self.anchors.iter().any(|anchor| anchor == id)
    }

    /// The text below each heading in one line, without marks of any kind, and first what stands before all headings. Headings are numbers in
    /// [`headings`](Self::headings).
    pub(crate) fn section_texts(&self) -> Vec<(Option<usize>, String)> {
        let mut sections = vec![(None, String::new())];
        let (mut within, mut count) = (false, 0);
        for (event, _) in events(&self.text) {
            let text = match event {
                Event::Start(Tag::Heading { .. }) => {
                    sections.push((Some(count), String::new()));
                    count += 1;
                    within = true;
                    continue;
                }
                Event::End(TagEnd::Heading(_)) => {
                    within = false;
                    continue;
                }
                Event::Text(piece) | Event::Code(piece) if !within => piece,
                Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link) => continue,
                Event::SoftBreak | Event::HardBreak | Event::End(_) => " ".into(),
                _ => continue,
            };
            if let Some((_, section)) = sections.last_mut() {
                section.push_str(&text);
            }
        }
        for (_, text) in &mut sections {
            *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        sections
    }

    /// The text as HTML. `address` says where a link leads in the book.
    pub fn html(&self, address: impl Fn(&str) -> String) -> String {
        let mut ids = self.headings.iter().map(|heading| heading.id.clone());
        let mut current = String::new();
        let mut cited = false;
        let mut out = Vec::new();
        for (event, _) in events(&self.text) {
            match event {
                Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                    current = ids.next().unwrap_or_default();
                    let id = Some(CowStr::from(current.clone()));
                    out.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
                }
                Event::End(TagEnd::Heading(level)) => {
                    let anchor = format!(
                        " <a class=\"anchor\" href=\"#{current}\" aria-label=\"link to this heading\">#</a>"
                    );
                    out.push(Event::InlineHtml(anchor.into()));
                    out.push(Event::End(TagEnd::Heading(level)));
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    cited = dest_url.starts_with(CITED);
                    if cited {
                        out.push(Event::Text("[".into()));
                    }
                    let dest_url = address(&dest_url).into();
                    out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
                Event::End(TagEnd::Link) => {
                    out.push(Event::End(TagEnd::Link));
                    if std::mem::take(&mut cited) {
                        out.push(Event::Text("]".into()));
                    }
                }
                Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                    let dest_url = address(&dest_url).into();
                    out.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
                }
                Event::Start(Tag::Table(columns)) => {
                    out.push(Event::Html("<div class=\"table\">".into()));
                    out.push(Event::Start(Tag::Table(columns)));
                }
                Event::End(TagEnd::Table) => {
                    out.push(Event::End(TagEnd::Table));
                    out.push(Event::Html("</div>\n".into()));
                }
                Event::Html(piece) => out.push(Event::Html(with_addresses(&piece, &address).into())),
                Event::InlineHtml(piece) => {
                    out.push(Event::InlineHtml(with_addresses(&piece, &address).into()));
                }
                other => out.push(other),
            }
        }
        let mut text = String::new();
        html::push_html(&mut text, out.into_iter());
        text
    }
}

/// The code blocks of a language in a Markdown text, each with the line where its code begins.
pub fn code_blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (event, range) in events(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if &*info == language => {
                open = Some((line_of(text, range.start) + 1, String::new()));
            }
            Event::Text(piece) => {
                if let Some((_, code)) = &mut open {
                    code.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

/// Whether a TOML block is a model that can be run, and not a piece of one: it says its format and has something that moves.
pub fn is_whole_model(block: &str) -> bool {
    let begins = |head: &str| block.lines().any(|line| line.starts_with(head));
    begins("format = 1") && (begins("[bodies") || begins("[chains"))
}

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    // a key in brackets leads nowhere by itself: it is a citation
    let cite = |link: BrokenLink<'_>| {
        is_key(&link.reference).then(|| (format!("{CITED}{}", link.reference).into(), CowStr::from("")))
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    Parser::new_with_broken_link_callback(text, options, Some(cite)).into_offset_iter()
}

fn link(text: &str, range: &Range<usize>, target: &str, image: bool) -> Link {
    Link { line: line_of(text, range.start), target: target.to_owned(), image }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count()
}

fn depth(level: HeadingLevel) -> u8 {
    level as u8
}

/// The name that GitHub gives to a heading.
fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Headings of the same text get numbers.
fn unique(slug: &str, used: &mut HashMap<String, usize>) -> String {
    let count = used.entry(slug.to_owned()).or_insert(0);
    let id = if *count == 0 { slug.to_owned() } else { format!("{slug}-{count}") };
    *count += 1;
    id
}

/// The values of an attribute in a piece of raw HTML.
fn attributes<'a>(piece: &'a str, name: &str) -> Vec<&'a str> {
    let head = format!(" {name}=\"");
    let values = piece.split(head.as_str()).skip(1);
    values.filter_map(|rest| rest.split_once('"').map(|(value, _)| value)).collect()
}

fn with_addresses(piece: &str, address: impl Fn(&str) -> String) -> String {
    let mut text = piece.to_owned();
    for name in ["src", "href"] {
        for value in attributes(piece, name) {
            let (old, new) = (format!(" {name}=\"{value}\""), format!(" {name}=\"{}\"", address(value)));
            text = text.replace(&old, &new);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_headings_are_named_as_github_names_them() {
        let page =
            Page::new("a.md", "# The file\n## `[model]`\n## `results.csv`\n## Drift\n## Drift\n".into());
        let ids: Vec<&str> = page.headings.iter().map(|heading| heading.id.as_str()).collect();
        assert_eq!(ids, ["the-file", "model", "resultscsv", "drift", "drift-1"]);
        assert_eq!(page.title, "The file");
    }

    #[test]
    fn exact_links_know_their_lines() {
        let page = Page::new("a.md", "# T\n\na [b](c.md#d)\n\n![e](f.svg)\n<img src=\"g.png\">\n".into());
        let found: Vec<(usize, &str, bool)> =
            page.links.iter().map(|link| (link.line, link.target.as_str(), link.image)).collect();
        assert_eq!(found, [(3, "c.md#d", false), (5, "f.svg", true), (6, "g.png", true)]);
    }

    #[test]
    fn exact_code_is_no_link() {
        assert!(Page::new("a.md", "`[a](b)`\n\n```md\n[a](b)\n```\n".into()).links.is_empty());
    }

    #[test]
    fn exact_blocks_of_a_language() {
        let text = "# T\n\n```toml\na = 1\n```\n\n```sh\nls\n```\n";
        assert_eq!(code_blocks(text, "toml"), [(4, "a = 1\n".to_owned())]);
        assert!(!is_whole_model("a = 1\n"));
        assert!(is_whole_model("format = 1\n[bodies]\n"));
    }
}
