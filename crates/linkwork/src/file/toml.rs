//! TOML into a [`Document`].

use super::document::{Document, Key, Node, Value, duplicate, too_deep};
use super::{MAX_COLLECTED_FAULTS, MAX_NESTING};
use crate::error::Fault;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// The parser's words for a key that stands twice.
const DUPLICATE: &str = "duplicate key";

/// Reads a TOML text; tells every syntax error.
pub(crate) fn read(text: &str) -> Document {
    if let Some(span) = nested_too_deeply(text) {
        return Document::broken(too_deep(span));
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    let sound = errors.iter().all(|error| error.message() == DUPLICATE);
    let uncounted = errors.len().saturating_sub(MAX_COLLECTED_FAULTS);
    let faults: Vec<Fault> = errors
        .iter()
        .take(MAX_COLLECTED_FAULTS)
        .map(|error| {
            let span = error.span().unwrap_or(0..0);
            match error.message() {
                DUPLICATE => duplicate(span),
                message => {
                    let hint = hint(text, span.start);
                    let fault = Fault::error("", format!("TOML syntax: {message}")).at(span);
                    if let Some(hint) = hint {
                        fault.help(hint)
                    } else if message.contains("must be quoted") {
                        fault.help("expressions and values with units stand in quotes: mass = \"1.5 kg\"")
                    } else if message.contains("unclosed") {
                        fault.help("look for an opening bracket that is not closed, on this line or above")
                    } else {
                        fault
                    }
                }
            }
        })
        .collect();
    // what comes after a bracket that is never closed follows from it
    let faults = first_of_open_bracket(faults);
    let value = table(root.into_inner());
    let root = sound.then_some(Node { span: 0..text.len(), value });
    Document { root, faults, uncounted }
}

/// Without the faults that come after a bracket that is not closed: they follow from it.
fn first_of_open_bracket(mut faults: Vec<Fault>) -> Vec<Fault> {
    let open = |fault: &Fault| {
        let about = fault.help.as_ref().is_some_and(|help| help.starts_with("a bracket that is opened"));
        fault.span.as_ref().filter(|_| about).map(|span| span.start)
    };
    if let Some(first) = faults.iter().filter_map(open).min() {
        let mut reported = false;
        faults.retain(|fault| {
            let before = fault.span.as_ref().is_none_or(|span| span.start < first);
            before || open(fault) == Some(first) && !std::mem::replace(&mut reported, true)
        });
    }
    faults
}

/// What was probably meant, by the line that the error stands in.
fn hint(text: &str, at: usize) -> Option<String> {
    let at = (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i))?;
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next()?;
    let column = at - start;
    let (before, rest) = line.split_at(column.min(line.len()));
    let first = rest.chars().next();
    let value = rest.trim_end_matches([']', '}', ',', ' ']);
    if line.contains(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("these are not the quotes of the keyboard: write \"...\"".into());
    }
    let minus = |c: char| c == '\u{2212}' || ('\u{2010}'..='\u{2015}').contains(&c);
    if first.is_some_and(minus) {
        return Some("this is not the minus sign of the keyboard: write `-`".into());
    }
    if first == Some('(') {
        return Some("lists stand in square brackets: [1, 2]".into());
    }
    let key = before.split('#').next().unwrap_or_default();
    if !key.contains('=') && rest.trim_start().starts_with(':') {
        return Some("key and value are parted by `=`".into());
    }
    // an entry or a heading cannot begin within a list
    let begins = line.trim_start();
    let entry = begins.starts_with('[')
        || begins.split_once('=').is_some_and(|(key, _)| !key.contains(['[', '{', '"']));
    if entry && let Some(open) = open_before(&text[..start]) {
        let number = text[..open].bytes().filter(|&byte| byte == b'\n').count() + 1;
        return Some(format!("a bracket that is opened in line {number} is not closed"));
    }
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let numbers = |text: &str| {
        text.split([' ', ',']).filter(|part| !part.is_empty()).all(|part| part.parse::<f64>().is_ok())
    };
    let list = before.trim_end().ends_with('[') || before.trim_end().ends_with(',');
    if list && value.contains(' ') && numbers(value.split(']').next().unwrap_or_default()) {
        return Some("the items of a list are parted by commas: [2.5, 2]".into());
    }
    let comma = before.find(',').is_some_and(|i| digit(before[..i].chars().last())) || {
        let mut parts = before.rsplitn(2, ',');
        let (tail, head) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        tail.chars().all(|c| c.is_ascii_digit()) && digit(head.chars().last())
    };
    if comma && !before.contains('[') && before.contains('=') {
        return Some("a decimal fraction is written with a point: 1.5".into());
    }
    let word = |c: char| c.is_alphabetic() || c == '_';
    let bare = first.is_some_and(word) && !value.contains(['=', ':']);
    if bare && (before.trim_end().ends_with('=') || list) {
        let name = value.split([',', ']', '}']).next().unwrap_or_default().trim();
        return Some(format!("names and texts stand in quotes: \"{name}\""));
    }
    None
}

/// Where the innermost bracket stands that is open at the end of a text.
fn open_before(text: &str) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut line_begins = true;
    let mut heading = false;
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Newline => (line_begins, heading) = (true, false),
            TokenKind::Whitespace | TokenKind::Comment => {}
            TokenKind::LeftSquareBracket if open.is_empty() && (line_begins || heading) => {
                (line_begins, heading) = (false, true);
            }
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                line_begins = false;
                open.push(token.span().start());
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                open.pop();
            }
            _ => line_begins = false,
        }
    }
    open.pop()
}

fn table(entries: DeTable<'_>) -> Value {
    let mut entries: Vec<_> = entries
        .into_iter()
        .map(|(key, value)| {
            let key = Key { span: key.span(), name: key.into_inner().into_owned() };
            let span = value.span();
            (key, Node { span, value: convert(value.into_inner()) })
        })
        .collect();
    // the parser sorts by name
    entries.sort_by_key(|(key, _)| key.span.start);
    Value::Table(entries)
}

fn convert(value: DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => Value::Number(integer(number.as_str(), number.radix())),
        DeValue::Float(number) => Value::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| {
                    let span = item.span();
                    Node { span, value: convert(item.into_inner()) }
                })
                .collect(),
        ),
        DeValue::Table(entries) => table(entries),
    }
}

/// An integer of any size as the nearest f64; decimal ones round correctly.
fn integer(digits: &str, radix: u32) -> f64 {
    match radix {
        10 => digits.parse().unwrap_or(f64::NAN),
        _ => digits
            .chars()
            .filter_map(|c| c.to_digit(radix))
            .fold(0.0, |n, digit| n * f64::from(radix) + f64::from(digit)),
    }
}

/// Where tables, lists and dotted keys first nest more than [`MAX_NESTING`] deep.
///
/// Counts what encloses each token: the parts of the table header, of the dotted keys, and the open
/// brackets. Where the text is malformed it may count too much, never too little.
fn nested_too_deeply(text: &str) -> Option<Range<usize>> {
    let mut header = 0; // parts of the last header
    let mut in_header = false;
    let mut enclosing: Vec<(TokenKind, usize)> = Vec::new(); // closing bracket, depth it added
    let mut dots = 0; // since the key can have begun
    let mut key = 0; // dots of the key whose value we are in
    let mut depth = 0; // of all enclosing brackets
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Newline => {
                dots = 0;
                if enclosing.is_empty() {
                    (in_header, key) = (false, 0);
                }
            }
            TokenKind::Dot => {
                dots += 1;
                if in_header {
                    header += 1;
                }
            }
            TokenKind::Equals => {
                key += dots + 1;
                dots = 0;
            }
            TokenKind::Comma => (dots, key) = (0, 0),
            TokenKind::LeftSquareBracket if enclosing.is_empty() && key == 0 => {
                if !in_header {
                    header = 1;
                }
                in_header = true;
            }
            kind @ (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket) => {
                let close = match kind {
                    TokenKind::LeftSquareBracket => TokenKind::RightSquareBracket,
                    _ => TokenKind::RightCurlyBracket,
                };
                enclosing.push((close, key + 1));
                depth += key + 1;
                (dots, key) = (0, 0);
            }
            kind @ (TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket) => {
                if let Some(&(close, added)) = enclosing.last()
                    && close == kind
                {
                    enclosing.pop();
                    depth -= added;
                    (dots, key) = (0, added - 1);
                }
            }
            _ => {}
        }
        if header + depth + key.max(dots) > MAX_NESTING {
            let span = token.span();
            return Some(span.start()..span.end());
        }
    }
    None
}
