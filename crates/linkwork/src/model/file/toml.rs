//! TOML into a [`Document`].

use super::document::{Document, Key, Node, Value, duplicate, too_deep};
use super::{MAX_COLLECTED_FAULTS, MAX_NESTING};
use crate::model::Fault;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// The parser's words for a key that stands twice.
const DUPLICATE: &str = "duplicate key";

/// Reads a TOML text; tells every syntax error.
pub(super) fn read(text: &str) -> Document {
    if let Some(span) = nested_too_deeply(text) {
        return Document::broken(too_deep(span));
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    let sound = errors.iter().all(|error| error.message() == DUPLICATE);
    let uncounted = errors.len().saturating_sub(MAX_COLLECTED_FAULTS);
    let faults = errors
        .iter()
        .take(MAX_COLLECTED_FAULTS)
        .map(|error| {
            let span = error.span().unwrap_or(0..0);
            match error.message() {
                DUPLICATE => duplicate(span),
                message => {
                    let fault = Fault::error("", format!("TOML syntax: {message}")).at(span);
                    if message.contains("must be quoted") {
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
    let value = table(root.into_inner());
    let root = sound.then_some(Node { span: 0..text.len(), value });
    Document { root, faults, uncounted }
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
