//! JSON into a [`Document`]: as the standard has it, no comments, no trailing commas.

use super::MAX_NESTING;
use super::document::{Document, Key, Node, Value, duplicate, too_deep};
use crate::error::Fault;
use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::{Range as AstRange, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::HashSet;
use std::ops::Range;

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a JSON text; tells the first syntax error and every duplicate key.
pub(crate) fn read(text: &str) -> Document {
    if let Some(span) = nested_too_deeply(text) {
        return Document::broken(too_deep(span));
    }
    match parse_to_ast(text, &CollectOptions::default(), &STRICT) {
        Err(error) => {
            let mut message = error.kind().to_string();
            if let Some(first) = message.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            Document::broken(Fault::error("", format!("JSON syntax: {message}")).at(range(error.range())))
        }
        Ok(result) => match result.value {
            None => Document::broken(Fault::error("", "the file is empty").at(0..text.len())),
            Some(value) => {
                let mut faults = Vec::new();
                let root = Some(convert(value, &mut faults));
                Document { root, faults, uncounted: 0 }
            }
        },
    }
}

fn range(range: AstRange) -> Range<usize> {
    range.start..range.end.max(range.start)
}

fn convert(value: Ast<'_>, faults: &mut Vec<Fault>) -> Node {
    let span = range(value.range());
    let value = match value {
        Ast::StringLit(text) => Value::String(text.value.into_owned()),
        Ast::NumberLit(number) => Value::Number(number.value.parse().unwrap_or(f64::NAN)),
        Ast::BooleanLit(value) => Value::Bool(value.value),
        Ast::NullKeyword(_) => Value::Other,
        Ast::Array(array) => {
            Value::Array(array.elements.into_iter().map(|item| convert(item, faults)).collect())
        }
        Ast::Object(object) => {
            let mut seen = HashSet::new();
            let mut entries = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let span = range(property.name.range());
                let name = match property.name {
                    ObjectPropName::String(text) => text.value.into_owned(),
                    ObjectPropName::Word(word) => word.value.to_owned(),
                };
                let node = convert(property.value, faults);
                if seen.insert(name.clone()) {
                    entries.push((Key { name, span }, node));
                } else {
                    faults.push(duplicate(span));
                }
            }
            Value::Table(entries)
        }
    };
    Node { span, value }
}

/// Where brackets first nest more than [`MAX_NESTING`] deep.
fn nested_too_deeply(text: &str) -> Option<Range<usize>> {
    let mut depth = 0;
    let mut in_string = false;
    let mut bytes = text.bytes().enumerate();
    while let Some((i, byte)) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                bytes.next();
            }
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Some(i..i + 1);
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
