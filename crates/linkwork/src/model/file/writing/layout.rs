//! Sections into text: one line for each entry that fits on one, a table of its own for each other.
//!
//! A section is `[section]` with its entries line by line, their `=` below each other. An entry that is too wide for that, or has comments on its keys, is a
//! table `[section.name]` with a line for each key. Entries keep their order, and TOML lets `[section]` stand once: so it has the longest run of short
//! entries, and those before and after that run are tables even where they are short.

use super::comments::{Note, Notes};
use super::sections::{Holds, Section};
use crate::file::writing::item::{Entry, Item};
use crate::file::writing::number::{number, quantity};
use std::ops::Range;

/// Lines are no longer than this, where they can be broken; comments do not count.
const WIDTH: usize = 100;
/// Names up to this width have their `=` below each other.
const NAMES: usize = 24;
/// Comments behind lines up to this width stand below each other.
const COMMENTED: usize = 80;
/// A run of short entries that is no longer than this, among tables, is no section of its own.
const FEW: usize = 2;
const INDENT: &str = "    ";

/// The text of a file.
pub(super) fn text(sections: &[Section], notes: &Notes) -> String {
    let mut layout = Layout { notes, out: String::new(), pending: Note::default() };
    let format = layout.row(&[], "format", "1".into());
    layout.rows(&[format], false);
    for section in sections {
        let path: Vec<String> = section.path.iter().map(|part| (*part).to_owned()).collect();
        if let [parent, _] = &path[..] {
            layout.expect(std::slice::from_ref(parent));
        }
        match &section.holds {
            Holds::Keys(entry) => layout.table(&path, entry),
            Holds::Named(entries) => layout.named(&path, entries),
        }
    }
    if !notes.foot.is_empty() {
        layout.out.push('\n');
        layout.lines(&notes.foot);
    }
    layout.out
}

struct Layout<'n> {
    notes: &'n Notes,
    out: String,
    /// Comments on a section whose heading does not come by itself: they go to the next one.
    pending: Note,
}

/// A key with its value, and what is said about it.
struct Row {
    note: Note,
    key: String,
    value: String,
}

impl Row {
    /// The width of its line, if it is one.
    fn width(&self, names: usize) -> Option<usize> {
        let key = self.key.chars().count().max(names);
        (!self.value.contains('\n')).then(|| key + 3 + self.value.chars().count())
    }
}

impl Layout<'_> {
    /// A table with its heading.
    fn table(&mut self, path: &[String], entry: &Entry) {
        self.heading(path);
        let (mut rows, mut inner) = (Vec::new(), Vec::new());
        for (key, item) in &entry.keys {
            let below = [path, std::slice::from_ref(key)].concat();
            match item {
                Item::Table(entry) if !self.fits(&below, key, item, 0) => inner.push((below, entry)),
                _ => rows.push(self.row(path, key, broken(key, item))),
            }
        }
        self.rows(&rows, false);
        for (path, entry) in inner {
            self.table(&path, entry);
        }
    }

    /// A section of named entries.
    fn named(&mut self, path: &[String], entries: &[(String, Item)]) {
        let names = entries.iter().map(|(name, _)| key(name).chars().count()).filter(|width| *width <= NAMES);
        let names = if path == ["parameters"] { 0 } else { names.max().unwrap_or(0) };
        let below = |name: &String| [path, std::slice::from_ref(name)].concat();
        let short: Vec<bool> =
            entries.iter().map(|(name, item)| self.fits(&below(name), name, item, names)).collect();
        let run = longest_run(&short);
        if run.is_empty() {
            self.expect(path);
        }
        for (name, item) in &entries[..run.start] {
            self.apart(&below(name), item);
        }
        if !run.is_empty() {
            self.heading(path);
            let row = |(name, item): &(String, Item)| self.row(path, name, broken(name, item));
            let rows: Vec<Row> = entries[run.clone()].iter().map(row).collect();
            self.rows(&rows, names > 0);
        }
        for (name, item) in &entries[run.end..] {
            self.apart(&below(name), item);
        }
    }

    /// An entry as a table of its own.
    fn apart(&mut self, path: &[String], item: &Item) {
        if let Item::Table(entry) = item {
            self.table(path, entry);
        }
    }

    /// Whether an item may stand on the line of its key.
    fn fits(&self, path: &[String], name: &str, item: &Item, names: usize) -> bool {
        let Item::Table(entry) = item else { return true };
        // a single value is no shorter in a table of its own
        let sole = entry.sole().is_some();
        let width = key(name).chars().count().max(names) + 3 + inline(item).chars().count();
        (sole || width <= WIDTH) && (entry.keys.len() <= 1 || !self.notes.within(path))
    }

    fn row(&self, path: &[String], name: &str, value: String) -> Row {
        let path = [path, &[name.to_owned()]].concat();
        Row { note: self.notes.at(&path), key: key(name), value }
    }

    /// Comments on an item that gets no heading: the next heading takes them.
    fn expect(&mut self, path: &[String]) {
        let note = self.notes.own(path);
        self.pending.above.extend(note.above);
        self.pending.above.extend(note.beside);
    }

    fn heading(&mut self, path: &[String]) {
        let note = self.notes.own(path);
        let above = std::mem::take(&mut self.pending).above;
        self.out.push('\n');
        self.lines(&above);
        self.lines(&note.above);
        let name: Vec<String> = path.iter().map(|part| key(part)).collect();
        self.out.push_str(&format!("[{}]", name.join(".")));
        self.end(note.beside, 0);
    }

    fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    /// The end of a line, with a comment behind so many spaces.
    fn end(&mut self, comment: Option<String>, spaces: usize) {
        if let Some(comment) = comment {
            self.out.push_str(&" ".repeat(spaces.max(2)));
            self.out.push_str(&comment);
        }
        self.out.push('\n');
    }

    /// Lines of keys, in blocks that blank lines part.
    fn rows(&mut self, rows: &[Row], aligned: bool) {
        let mut rest = rows;
        while !rest.is_empty() {
            let end = rest.iter().skip(1).position(|row| row.note.apart).map_or(rest.len(), |i| i + 1);
            let (block, next) = rest.split_at(end);
            self.block(block, aligned);
            if !next.is_empty() {
                self.out.push('\n');
            }
            rest = next;
        }
    }

    fn block(&mut self, rows: &[Row], aligned: bool) {
        let names = rows.iter().map(|row| row.key.chars().count()).filter(|width| *width <= NAMES).max();
        let names = names.filter(|_| aligned).unwrap_or(0);
        let commented = rows.iter().filter(|row| row.note.beside.is_some());
        let widths = commented.filter_map(|row| row.width(names)).filter(|width| *width <= COMMENTED);
        let column = widths.max().unwrap_or(0) + 2;
        for row in rows {
            self.lines(&row.note.above);
            self.out.push_str(&format!("{:names$} = {}", row.key, row.value));
            let spaces = row.width(names).map_or(0, |width| column.saturating_sub(width));
            self.end(row.note.beside.clone(), spaces);
        }
    }
}

/// The longest run of short entries, the first of several; none if it is short itself and stands among others.
fn longest_run(short: &[bool]) -> Range<usize> {
    let mut best = 0..0;
    let mut start = 0;
    for (i, &fits) in short.iter().enumerate() {
        if !fits {
            start = i + 1;
        } else if i + 1 - start > best.len() {
            best = start..i + 1;
        }
    }
    if best.start > 0 && best.len() <= FEW { 0..0 } else { best }
}

/// A key: bare where TOML lets it be.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A string in quotes: in single ones where that spares escapes.
fn quoted(text: &str) -> String {
    let plain = |c: char| !c.is_control() && c != '\'';
    if text.contains(['"', '\\']) && text.chars().all(plain) {
        return format!("'{text}'");
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A value on one line.
fn inline(item: &Item) -> String {
    match item {
        Item::Number(value) => number(*value),
        Item::Quantity(value, unit) => match quantity(*value, unit) {
            Some(text) => quoted(&text),
            None => number(*value),
        },
        Item::Text(text) => quoted(text),
        Item::Bool(value) => value.to_string(),
        Item::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Item::Table(entry) => match entry.sole() {
            Some(value) => inline(value),
            None if entry.keys.is_empty() => "{}".into(),
            None => {
                let keys =
                    entry.keys.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value)));
                format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
            }
        },
    }
}

/// A value behind its key: a list that is too long for a line on several.
fn broken(name: &str, item: &Item) -> String {
    let line = inline(item);
    let Item::List(items) = item else { return line };
    if items.is_empty() || key(name).chars().count() + 3 + line.chars().count() <= WIDTH {
        return line;
    }
    filled(items, 1)
}

/// A list over several lines, indented so many times; lists in it that are too long for a line are filled, too.
fn filled(items: &[Item], depth: usize) -> String {
    let indent = INDENT.repeat(depth);
    let mut text = String::from("[\n");
    let mut width = 0;
    for item in items {
        let line = inline(item);
        let item = match item {
            Item::List(inner) if indent.len() + line.chars().count() + 1 > WIDTH => {
                // behind it a new line
                if width > 0 {
                    text.push('\n');
                }
                text.push_str(&format!("{indent}{},\n", filled(inner, depth + 1)));
                width = 0;
                continue;
            }
            _ => line + ",",
        };
        let wide = item.chars().count();
        if width > 0 && width + 1 + wide > WIDTH {
            text.push('\n');
            width = 0;
        }
        if width == 0 {
            text.push_str(&indent);
            width = indent.len();
        } else {
            text.push(' ');
            width += 1;
        }
        text.push_str(&item);
        width += wide;
    }
    if width > 0 {
        text.push('\n');
    }
    text + &INDENT.repeat(depth - 1) + "]"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_entries_stand_together() {
        let (o, l) = (true, false);
        assert_eq!(longest_run(&[o, o, l]), 0..2);
        assert_eq!(longest_run(&[o, l, o, o, o, l]), 2..5);
        assert_eq!(longest_run(&[l, o, o, l]), 0..0);
        assert_eq!(longest_run(&[o, l, l]), 0..1);
        assert_eq!(longest_run(&[]), 0..0);
    }

    #[test]
    fn texts_are_quoted_as_little_as_possible() {
        assert_eq!(quoted("30 deg"), "\"30 deg\"");
        assert_eq!(quoted("say \"x\""), "'say \"x\"'");
        assert_eq!(quoted("a'b\"\\\n\u{7}"), "\"a'b\\\"\\\\\\n\\u0007\"");
        assert_eq!(key("front-left_2"), "front-left_2");
        assert_eq!((key("A'"), key(""), key("ä")), ("\"A'\"".into(), "\"\"".into(), "\"ä\"".into()));
    }

    #[test]
    fn long_lists_are_filled() {
        let list = Item::List((0..60).map(|i| Item::Number(f64::from(i))).collect());
        let text = broken("x", &list);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.lines().count(), 5);
        assert!(text.starts_with("[\n    0, 1, 2,") && text.ends_with("59,\n]"), "{text}");
    }
}
