//! The comments of a TOML text, by what they belong to.
//!
//! A comment behind a statement belongs to it, and so do those inside of it, in a list say, and those on the lines above. Blank lines between them count,
//! several in a row as one.

use crate::file::document::{self, Syntax, Value};
use std::collections::BTreeMap;
use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// The comments on one item.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Note {
    /// Lines above; an empty one is blank.
    pub above: Vec<String>,
    /// Behind it.
    pub beside: Option<String>,
    /// Whether a blank line parts it from the entry before it.
    pub apart: bool,
    /// Its place among all notes.
    order: usize,
}

/// All comments of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Notes {
    notes: BTreeMap<Vec<String>, Note>,
    /// Below everything.
    pub foot: Vec<String>,
}

impl Notes {
    /// The comments of a TOML text that has no faults.
    pub fn of(text: &str) -> Notes {
        let mut gatherer = Gatherer { text, ..Gatherer::default() };
        for token in Source::new(text).lex() {
            gatherer.take(token);
        }
        gatherer.finish()
    }

    /// The comments on an item, with those on its parts above it.
    pub fn at(&self, path: &[String]) -> Note {
        let mut parts: Vec<&Note> = self.below(path).collect();
        parts.sort_by_key(|note| note.order);
        let mut note = self.notes.get(path).cloned().unwrap_or_default();
        let mut beside = parts.iter().filter_map(|part| part.beside.clone());
        let only = (note.beside.is_none() && parts.iter().filter(|part| part.beside.is_some()).count() == 1)
            .then(|| beside.next())
            .flatten();
        for part in parts {
            let lines = part.above.iter().filter(|line| !line.is_empty()).cloned();
            note.above.extend(lines.chain(part.beside.clone().filter(|_| only.is_none())));
        }
        note.beside = note.beside.or(only);
        note
    }

    /// The comments on an item itself.
    pub fn own(&self, path: &[String]) -> Note {
        self.notes.get(path).cloned().unwrap_or_default()
    }

    /// Whether anything is said about an item or a part of it.
    pub fn any(&self, path: &[String]) -> bool {
        let says = |note: &Note| !note.above.is_empty() || note.beside.is_some();
        self.notes.get(path).is_some_and(says) || self.within(path)
    }

    /// Whether anything is said about the parts of an item.
    pub fn within(&self, path: &[String]) -> bool {
        self.below(path).any(|note| !note.above.is_empty() || note.beside.is_some())
    }

    fn below<'n>(&'n self, path: &'n [String]) -> impl Iterator<Item = &'n Note> {
        let from = (std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded);
        let range = self.notes.range::<[String], _>(from);
        range.take_while(move |(key, _)| key.starts_with(path)).map(|(_, note)| note)
    }
}

/// A statement that is being read.
#[derive(Debug)]
struct Statement {
    start: usize,
    /// A heading in brackets, else a key with its value.
    heading: bool,
    /// Where the key ends, once it has.
    key_end: Option<usize>,
    /// Open brackets.
    depth: usize,
    note: Note,
}

/// Puts tokens together to statements.
#[derive(Debug, Default)]
struct Gatherer<'t> {
    text: &'t str,
    notes: Notes,
    /// The path of the last heading.
    heading: Vec<String>,
    statement: Option<Statement>,
    /// Lines since the last statement.
    waiting: Vec<String>,
    /// Nothing but spaces so far in this line.
    blank: bool,
}

impl Gatherer<'_> {
    fn take(&mut self, token: Token) {
        let (start, end) = (token.span().start(), token.span().end());
        match (token.kind(), &mut self.statement) {
            (TokenKind::Whitespace, _) => {}
            (TokenKind::Newline, Some(statement)) if statement.depth > 0 => {}
            (TokenKind::Newline | TokenKind::Eof, Some(_)) => self.end_statement(),
            (TokenKind::Newline, None) => {
                if self.blank && self.waiting.last().is_none_or(|line| !line.is_empty()) {
                    self.waiting.push(String::new());
                }
                self.blank = true;
            }
            (TokenKind::Eof, None) => {}
            (TokenKind::Comment, Some(statement)) => {
                let comment = self.text[start..end].trim_end().to_owned();
                match statement.depth {
                    0 => statement.note.beside = Some(comment),
                    _ => statement.note.above.push(comment),
                }
            }
            (TokenKind::Comment, None) => {
                self.waiting.push(self.text[start..end].trim_end().to_owned());
                self.blank = false;
            }
            (kind, Some(statement)) => statement.take(kind, start),
            (kind, None) => self.begin(kind, start),
        }
    }

    fn begin(&mut self, kind: TokenKind, start: usize) {
        let mut above = std::mem::take(&mut self.waiting);
        let apart = above.first().is_some_and(String::is_empty);
        if apart {
            above.remove(0);
        }
        let note = Note { above, apart, beside: None, order: start };
        let heading = kind == TokenKind::LeftSquareBracket;
        self.statement = Some(Statement { start, heading, key_end: None, depth: 0, note });
    }

    fn end_statement(&mut self) {
        self.blank = true;
        let Some(statement) = self.statement.take() else { return };
        let Some(key) = statement.key_end.and_then(|end| self.text.get(statement.start..end)) else { return };
        let key = parts(key.trim_start_matches('['));
        let path = match statement.heading {
            true => {
                self.heading = key;
                self.heading.clone()
            }
            false => [self.heading.clone(), key].concat(),
        };
        let apart = statement.note.apart && !statement.heading;
        let note = self.notes.notes.entry(path).or_insert(Note { order: statement.start, ..Note::default() });
        note.apart |= apart;
        note.above.extend(statement.note.above);
        match (&note.beside, statement.note.beside) {
            (Some(_), Some(second)) => note.above.push(second),
            (None, beside) => note.beside = beside,
            (Some(_), None) => {}
        }
    }

    fn finish(mut self) -> Notes {
        self.end_statement();
        let mut foot = self.waiting;
        while foot.last().is_some_and(String::is_empty) {
            foot.pop();
        }
        if foot.first().is_some_and(String::is_empty) {
            foot.remove(0);
        }
        Notes { foot, ..self.notes }
    }
}

impl Statement {
    fn take(&mut self, kind: TokenKind, start: usize) {
        match (kind, self.key_end) {
            (TokenKind::Equals, None) if !self.heading => self.key_end = Some(start),
            (TokenKind::RightSquareBracket, None) if self.heading => self.key_end = Some(start),
            (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket, Some(_)) if !self.heading => {
                self.depth += 1;
            }
            (TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket, Some(_)) if !self.heading => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// The parts of a dotted key as it is written.
fn parts(key: &str) -> Vec<String> {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_-. \t".contains(c);
    if key.chars().all(bare) {
        return key.split('.').map(|part| part.trim().to_owned()).collect();
    }
    let mut node = document::read(Syntax::Toml, &format!("{key} = 0")).root;
    let mut parts = Vec::new();
    while let Some(Value::Table(entries)) = node.map(|node| node.value) {
        let Some((key, value)) = entries.into_iter().next() else { break };
        parts.push(key.name);
        node = Some(value);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(notes: &Notes, path: &str) -> (Vec<String>, Option<String>) {
        let path: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let note = notes.at(&path);
        (note.above, note.beside)
    }

    #[test]
    fn comments_belong_to_what_they_stand_at() {
        let text = "\
# head
#

format = 1 # one

# all points
[points] # metres
A = [0, 0]  # origin

# far
\"B.1\" = [ # open
    1, # one
    2,
] # closed
[bodies.ground]
points = ['A'] # fixed
[chains.rope.drag]
# thick
diameter = '#2 mm'
# end
";
        let notes = Notes::of(text);
        let list = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert_eq!(at(&notes, "format"), (list(&["# head", "#", ""]), Some("# one".into())));
        assert_eq!(notes.own(&list(&["points"])).above, list(&["# all points"]));
        assert_eq!(notes.own(&list(&["points"])).beside, Some("# metres".into()));
        assert_eq!(at(&notes, "points/A"), (vec![], Some("# origin".into())));
        assert_eq!(at(&notes, "points/B.1"), (list(&["# far", "# open", "# one"]), Some("# closed".into())));
        assert!(notes.own(&list(&["points", "B.1"])).apart && !notes.own(&list(&["points", "A"])).apart);
        assert_eq!(at(&notes, "bodies/ground"), (vec![], Some("# fixed".into())));
        assert!(notes.within(&list(&["bodies"])) && !notes.within(&list(&["points", "A"])));
        assert_eq!(at(&notes, "chains/rope"), (list(&["# thick"]), None));
        assert_eq!(notes.foot, list(&["# end"]));
    }

    #[test]
    fn keys_are_read_as_toml_has_them() {
        assert_eq!(parts(" a . b-1 "), ["a", "b-1"]);
        assert_eq!(parts("a.\"x \\\" y\".'z.z'"), ["a", "x \" y", "z.z"]);
    }
}
