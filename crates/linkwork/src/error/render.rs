//! Faults as text for people and as JSON for programs.
//!
//! Only a window of the offending line is drawn, so a file of one line of 8 MB renders at once, and
//! whatever the file holds is made visible: its text never reaches the terminal as control codes.

use super::{Fault, Faults, Provenance, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::json;
use std::fmt;
use std::ops::Range;

/// Characters shown before the offending text, where the line is longer.
const BEFORE: usize = 70;
/// Characters shown in all.
const WINDOW: usize = 120;
/// Characters of a message, path or advice; names of the file make them long.
const LONGEST: usize = 400;

impl Faults {
    /// The faults as text: what is wrong, file, line and column, the offending text underlined, and what
    /// to do about it. `styled` adds terminal colours.
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let mut text = String::new();
        for fault in &self.list {
            let place = self.provenance.as_ref().zip(self.span(fault));
            let place = place.map(|(provenance, span)| Place::of(provenance, span));
            let group = match (&self.provenance, &place) {
                (Some(_), Some(place)) => place.group(fault),
                // nothing of it stands in the file
                (Some(provenance), None) if !fault.path.is_empty() => {
                    let origin = Origin::path(visible(&provenance.file)).line(1).char_column(1);
                    title_with_path(fault).element(origin)
                }
                _ => Group::with_title(title_with_path(fault)),
            };
            let group = match &fault.help {
                Some(help) => group.element(Level::HELP.message(visible(help))),
                None => group,
            };
            let rendered = renderer.render(&[group]);
            match &place {
                Some(place) => text.push_str(&place.restore_column(&rendered)),
                None => text.push_str(&rendered),
            }
            text.push('\n');
        }
        text
    }

    /// The faults as JSON: `severity`, `code`, `path`, `message`, `help`, `file`, `line` and `column` of each,
    /// null where there is none. Lines and columns count from 1.
    pub fn to_json(&self) -> serde_json::Value {
        let one = |fault: &Fault| {
            let file = self.provenance.as_ref().map(|provenance| provenance.file.as_str());
            let place = self.provenance.as_ref().zip(self.span(fault));
            let place = place.map(|(provenance, span)| provenance.place(span.start));
            let place = place.or(file.filter(|_| !fault.path.is_empty()).map(|file| (file, 1, 1)));
            json!({
                "severity": match fault.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                },
                "code": fault.code,
                "path": fault.path,
                "message": fault.message,
                "help": fault.help,
                "file": place.map(|(file, ..)| file).or(file),
                "line": place.map(|(_, line, _)| line),
                "column": place.map(|(_, _, column)| column),
            })
        };
        self.list.iter().map(one).collect()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

fn level(fault: &Fault) -> Level<'static> {
    match fault.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

fn title(fault: &Fault) -> annotate_snippets::Title<'static> {
    level(fault).primary_title(visible(&coded(fault, &fault.message)))
}

/// The message with the code of its kind, as the manual lists it.
fn coded(fault: &Fault, message: &str) -> String {
    fault.code.map_or_else(|| message.to_owned(), |code| format!("{message} [{code}]"))
}

fn title_with_path(fault: &Fault) -> annotate_snippets::Title<'static> {
    match fault.path.as_str() {
        "" => title(fault),
        path => level(fault).primary_title(visible(&format!("{path}: {}", coded(fault, &fault.message)))),
    }
}

/// Where a fault stands, and what is shown of its line.
struct Place {
    file: String,
    line: usize,
    column: usize,
    source: String,
    marked: Range<usize>,
}

impl Place {
    fn of(provenance: &Provenance, span: Range<usize>) -> Self {
        let (file, line, column) = provenance.place(span.start);
        let file = visible(file);
        let (source, marked) = window(&provenance.text, span);
        Place { file, line, column, source, marked }
    }

    fn group<'a>(&'a self, fault: &Fault) -> Group<'a> {
        let mark = AnnotationKind::Primary.span(self.marked.clone());
        let mark = match fault.path.as_str() {
            "" => mark,
            path => mark.label(visible(path)),
        };
        let snippet = Snippet::source(self.source.as_str()).line_start(self.line).path(self.file.as_str());
        title(fault).element(snippet.annotation(mark))
    }

    /// The renderer counts columns in the window it was given: put the column of the file instead.
    fn restore_column(&self, rendered: &str) -> String {
        let shown = self.source[..self.marked.start].chars().count() + 1;
        let (line, column) = (self.line, self.column);
        rendered.replacen(&format!(":{line}:{shown}"), &format!(":{line}:{column}"), 1)
    }
}

/// The part of the first line of a span around its start, made visible, and where the span lies in it.
fn window(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let boundary =
        |at: usize| (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let start = boundary(span.start);
    let end = boundary(span.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let before: Vec<char> = text[line_start..start].chars().rev().take(BEFORE + 1).collect();
    let cut = before.len() > BEFORE;
    let mut shown = String::from(if cut { "…" } else { "" });
    for &c in before.iter().take(BEFORE).rev() {
        push_visible(&mut shown, c);
    }
    let marked = shown.len();
    let mut marked_end = marked;
    for (i, c) in text[start..].char_indices().take_while(|&(_, c)| c != '\n' && c != '\r') {
        if i + BEFORE.min(before.len()) >= WINDOW {
            shown.push('…');
            break;
        }
        push_visible(&mut shown, c);
        if start + i < end {
            marked_end = shown.len();
        }
    }
    (shown, marked..marked_end)
}

/// A text in which control characters and direction marks are spelled out, not longer than anybody reads.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        if i >= LONGEST {
            shown.push('…');
            break;
        }
        push_visible(&mut shown, c);
    }
    shown
}

fn push_visible(text: &mut String, c: char) {
    match c {
        '\t' => text.push(' '),
        // format characters that hide or reorder text count as control characters here
        '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => {
            text.extend(c.escape_unicode());
        }
        c if c.is_control() => text.extend(c.escape_default()),
        c => text.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn faults(text: &str, fault: Fault) -> Faults {
        let provenance = Provenance { file: "four.toml".into(), text: text.into(), ..Provenance::default() };
        Faults { list: vec![fault], provenance: Some(Arc::new(provenance)) }
    }

    #[test]
    fn exact_rendering_of_a_fault() {
        let fault = Fault::error("bodies.a.mass", "expected a mass (kg), found a length (m)")
            .help("write kg")
            .at(28..32);
        let rendered = faults("[bodies.a]\npoints = []\nmass = 3 mm\n", fault.at(30..34)).render(false);
        let expected = "\
error: expected a mass (kg), found a length (m)
 --> four.toml:3:8
  |
3 | mass = 3 mm
  |        ^^^^ bodies.a.mass
  |
  = help: write kg
";
        assert_eq!(rendered, expected);
    }

    #[test]
    fn exact_rendering_without_a_file() {
        let list =
            vec![Fault::error("bodies.a.mass", "mass is negative").help("give a mass of zero or more")];
        let text = Faults { list, provenance: None }.to_string();
        assert!(text.starts_with("error: bodies.a.mass: mass is negative\n"), "{text}");
        assert!(text.contains("help: give a mass"), "{text}");
    }

    #[test]
    fn exact_long_lines_are_cut_around_the_fault() {
        let text = format!("a = [{}]", "1234567, ".repeat(900_000));
        let middle = text.len() / 2;
        let rendered = faults(&text, Fault::error("a", "wrong").at(middle..middle + 3)).render(false);
        assert!(rendered.len() < 600, "{}", rendered.len());
        assert!(
            rendered.contains("^^^") && rendered.contains(&format!("four.toml:1:{}", middle + 1)),
            "{rendered}"
        );
        let whole = faults(&text, Fault::error("a", "wrong").at(0..text.len())).render(false);
        assert!(whole.len() < 800, "{whole}");
    }

    #[test]
    fn exact_control_characters_of_the_file_stay_inside() {
        let text = "a = \"\u{1b}[31mred\u{202e}\"";
        let fault = Fault::error("\u{1b}[1mpath", "bad \u{7}").help("\u{1b}[0m").at(4..8);
        let rendered = faults(text, fault).render(false);
        assert!(!rendered.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{rendered:?}");
        assert!(rendered.contains("\\u{1b}"), "{rendered}");
    }

    #[test]
    fn keeps_any_span_from_panicking() {
        let text = "é\r\nü = 'ß'\n";
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let rendered = faults(text, Fault::error("x", "y").at(start..end)).render(true);
                assert!(rendered.contains("four.toml"));
            }
        }
    }

    #[test]
    fn exact_json_form() {
        let json = faults("x = 1\ny = 2\n", Fault::warning("y", "odd").at(10..11)).to_json();
        let expected = json!([{
            "severity": "warning", "code": null, "path": "y", "message": "odd", "help": null,
            "file": "four.toml", "line": 2, "column": 5,
        }]);
        assert_eq!(json, expected);
    }
}
