//! What stands around a page: the list of chapters, the ways on and back.

use crate::Page;
use crate::files::{page_address, relative};
use crate::summary::{Chapter, Part};

/// The one style sheet.
pub const STYLE: &str = include_str!("book.css");

/// The button that opens the search. The script shows it: without one there is no search.
const FIND: &str = "<button class=\"find\" type=\"button\" aria-keyshortcuts=\"/ Control+K\" hidden>Search <kbd>/</kbd></button>";

/// A page in the book.
pub struct Frame<'a> {
    /// All chapters.
    pub parts: &'a [Part],
    /// The page, unless a file is shown.
    pub page: Option<&'a Page>,
    /// What the window is called.
    pub title: &'a str,
}

impl Frame<'_> {
    /// The whole page, at its place in the book.
    pub fn html(&self, here: &str, body: &str) -> String {
        let to = |place: &str| relative(here, place);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{style}\">\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#text\">Skip to the text</a>\n\
             <header><label for=\"menu\">☰ Chapters</label><a class=\"home\" href=\"{home}\">Linkwork</a>{find}</header>\n\
             <input type=\"checkbox\" id=\"menu\" aria-label=\"show the chapters\">\n\
             <nav class=\"chapters\" aria-label=\"Chapters\">\n<a class=\"home\" href=\"{home}\">Linkwork</a>\n{find}\n{chapters}</nav>\n\
             <main id=\"text\">\n{body}\n{ways}</main>\n<script src=\"{search}\" data-root=\"{root}\"></script>\n</body>\n</html>\n",
            title = self.window_title(),
            style = to("book.css"),
            search = to("search.js"),
            root = "../".repeat(here.matches('/').count()),
            find = FIND,
            home = to("index.html"),
            chapters = self.chapters(here),
            ways = self.ways(here),
        )
    }

    fn window_title(&self) -> String {
        match self.title {
            "Linkwork" => "Linkwork".into(),
            title => format!("{} · Linkwork", escape(title)),
        }
    }

    fn is_here(&self, chapter: &Chapter) -> bool {
        self.page.is_some_and(|page| page.path == chapter.path)
    }

    fn chapters(&self, here: &str) -> String {
        let mut text = String::new();
        for part in self.parts {
            let open = part.title.is_empty() || part.chapters.iter().any(|chapter| self.is_here(chapter));
            if !part.title.is_empty() {
                let state = if open { " open" } else { "" };
                text.push_str(&format!("<details{state}><summary>{}</summary>\n", escape(&part.title)));
            }
            text.push_str("<ul>\n");
            for chapter in &part.chapters {
                text.push_str(&self.entry(here, chapter));
            }
            text.push_str("</ul>\n");
            if !part.title.is_empty() {
                text.push_str("</details>\n");
            }
        }
        text
    }

    fn entry(&self, here: &str, chapter: &Chapter) -> String {
        let address = relative(here, &page_address(&chapter.path));
        let title = escape(&chapter.title);
        let deep = if chapter.depth > 0 { " class=\"deep\"" } else { "" };
        match self.page.filter(|_| self.is_here(chapter)) {
            None => format!("<li{deep}><a href=\"{address}\">{title}</a></li>\n"),
            Some(page) => {
                let sections: String = page
                    .headings
                    .iter()
                    .filter(|heading| heading.level == 2)
                    .map(|heading| {
                        format!("<li><a href=\"#{}\">{}</a></li>\n", heading.id, escape(&heading.text))
                    })
                    .collect();
                let sections = if sections.is_empty() {
                    sections
                } else {
                    format!("<ul class=\"sections\">\n{sections}</ul>")
                };
                format!("<li{deep}><a href=\"{address}\" aria-current=\"page\">{title}</a>{sections}</li>\n")
            }
        }
    }

    /// To the chapter before and the chapter after.
    fn ways(&self, here: &str) -> String {
        let order: Vec<&Chapter> = self.parts.iter().flat_map(|part| &part.chapters).collect();
        let Some(place) = order.iter().position(|chapter| self.is_here(chapter)) else {
            return String::new();
        };
        let way = |chapter: Option<&&Chapter>, rel: &str, sign: &dyn Fn(&str) -> String| {
            chapter.map_or_else(String::new, |chapter| {
                let address = relative(here, &page_address(&chapter.path));
                format!("<a rel=\"{rel}\" href=\"{address}\">{}</a>", sign(&escape(&chapter.title)))
            })
        };
        let before = place.checked_sub(1).and_then(|i| order.get(i));
        let back = way(before, "prev", &|title| format!("← {title}"));
        let on = way(order.get(place + 1), "next", &|title| format!("{title} →"));
        format!("<nav class=\"ways\" aria-label=\"Neighbouring chapters\">{back}{on}</nav>\n")
    }
}

/// A file of the repository as a page.
pub fn shown_file(path: &str, content: &str) -> String {
    format!("<h1 class=\"file\">{}</h1>\n<pre><code>{}</code></pre>\n", escape(path), escape(content))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
