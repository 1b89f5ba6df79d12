//! TOML and JSON as one small tree in which every key and value knows where it stands.
//!
//! Both readers end here, so that decoding, units and diagnostics exist once. Nesting is measured on the
//! bare tokens before a parser builds anything: a hostile file cannot exhaust the stack, neither while
//! it is read nor while its tree is dropped.

use super::{MAX_COLLECTED_FAULTS, MAX_NESTING, json, toml};
use crate::error::Fault;
use crate::error::names::MAX_NAME_LENGTH;
use crate::error::names::segment;
use std::ops::Range;

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub name: String,
    pub span: Range<usize>,
}

/// A value and its byte range in the text, quotes and brackets included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub span: Range<usize>,
    pub value: Value,
}

/// What a value can be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Entries in the order of the file; no key twice.
    Table(Vec<(Key, Node)>),
    Array(Vec<Node>),
    String(String),
    Number(f64),
    Bool(bool),
    /// A date, a time or null: nothing a model has a use for.
    Other,
}

impl Node {
    /// The kind of value, with its article.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Table(_) => "a table",
            Value::Array(_) => "a list",
            Value::String(_) => "a string",
            Value::Number(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Other => "a date or null",
        }
    }
}

/// The syntax of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    /// By the file's ending; failing that JSON if the text starts with a brace.
    pub fn of(file: &str, text: &str) -> Syntax {
        let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("json") => Syntax::Json,
            Some("toml") => Syntax::Toml,
            _ if text.trim_start().starts_with('{') => Syntax::Json,
            _ => Syntax::Toml,
        }
    }
}

/// What a text holds, and what is wrong with it.
pub(crate) struct Document {
    /// The top table, if the rest can be judged at all.
    pub root: Option<Node>,
    /// Syntax errors and duplicate keys.
    pub faults: Vec<Fault>,
    /// How many more there are.
    pub uncounted: usize,
}

impl Document {
    /// Nothing but one fault.
    pub fn broken(fault: Fault) -> Self {
        Document { root: None, faults: vec![fault], uncounted: 0 }
    }
}

/// Reads a text.
pub(crate) fn read(syntax: Syntax, text: &str) -> Document {
    match syntax {
        Syntax::Toml => toml::read(text),
        Syntax::Json => json::read(text),
    }
}

/// The faults of keys that are too long for a name. Nothing more should be said of such a file: each
/// message would repeat them.
pub(crate) fn long_keys(root: &Node) -> Vec<Fault> {
    fn walk(node: &Node, path: &mut String, faults: &mut Vec<Fault>) {
        let inner: Vec<(String, Option<&Key>, &Node)> = match &node.value {
            Value::Table(entries) => {
                let dot = if path.is_empty() { "" } else { "." };
                let part = |key: &Key| format!("{dot}{}", segment(&key.name));
                entries.iter().map(|(key, node)| (part(key), Some(key), node)).collect()
            }
            Value::Array(items) => {
                items.iter().enumerate().map(|(i, node)| (format!("[{i}]"), None, node)).collect()
            }
            _ => return,
        };
        let length = path.len();
        for (part, key, node) in inner {
            path.push_str(&part);
            if let Some(key) = key
                && key.name.chars().count() > MAX_NAME_LENGTH
                && faults.len() < MAX_COLLECTED_FAULTS
            {
                let message = format!("a name has more than {MAX_NAME_LENGTH} characters");
                faults.push(Fault::error(path.clone(), message).at(key.span.clone()));
            }
            walk(node, path, faults);
            path.truncate(length);
        }
    }
    let mut faults = Vec::new();
    walk(root, &mut String::new(), &mut faults);
    faults
}

/// The fault of a file that nests too deeply.
pub(crate) fn too_deep(span: Range<usize>) -> Fault {
    Fault::error("", format!("tables and lists are nested more than {MAX_NESTING} deep"))
        .help("a model needs five levels at most")
        .at(span)
}

/// The fault of a key that stands twice in one table.
pub(crate) fn duplicate(span: Range<usize>) -> Fault {
    Fault::error("", "this key stands twice in the same table").help("keep one of the two").at(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(node: &Node) -> &[(Key, Node)] {
        match &node.value {
            Value::Table(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exact_spans_cover_keys_and_values() {
        for (syntax, text) in [
            (Syntax::Toml, "b = 'x y'\na = [1, 2.5]\n[t.u]\nk = true\n"),
            (Syntax::Json, r#"{"b": "x y", "a": [1, 2.5], "t": {"u": {"k": true}}}"#),
        ] {
            let document = read(syntax, text);
            assert!(document.faults.is_empty());
            let root = document.root.unwrap();
            let names: Vec<_> = table(&root).iter().map(|(key, _)| key.name.as_str()).collect();
            assert_eq!(names, ["b", "a", "t"]);
            let (key, b) = &table(&root)[0];
            assert_eq!(text[key.span.clone()].trim_matches('"'), "b");
            assert_eq!(text[b.span.clone()].trim_matches(['"', '\'']), "x y");
            let a = &table(&root)[1].1;
            assert_eq!(&text[a.span.clone()], "[1, 2.5]");
            let Value::Array(items) = &a.value else { panic!() };
            assert_eq!((&items[1].value, &text[items[1].span.clone()]), (&Value::Number(2.5), "2.5"));
        }
    }

    #[test]
    fn exact_syntax_follows_ending_then_first_character() {
        assert_eq!(Syntax::of("a.json", "x = 1"), Syntax::Json);
        assert_eq!(Syntax::of("a.TOML", "{"), Syntax::Toml);
        assert_eq!(Syntax::of("<stdin>", " \n {\"format\": 1}"), Syntax::Json);
        assert_eq!(Syntax::of("<stdin>", "format = 1"), Syntax::Toml);
    }

    /// On a small stack, so that a recursion would show.
    #[test]
    fn keeps_the_stack_under_deep_nesting() {
        let n = 100_000;
        let texts = [
            (Syntax::Toml, format!("a = {}{}", "[".repeat(n), "]".repeat(n))),
            (Syntax::Toml, format!("a = {}1{}", "{a=".repeat(n), "}".repeat(n))),
            (Syntax::Toml, format!("a = {}", "{a=".repeat(n))),
            (Syntax::Toml, format!("{}a = 1", "a.".repeat(n))),
            (Syntax::Toml, format!("[{}a]", "a.".repeat(n))),
            (Syntax::Toml, format!("[[{}a]]", "a.".repeat(n))),
            // each part within the parser's own limit of 80, the whole 6400 deep
            (
                Syntax::Toml,
                format!("a = {}1{}", format!("{{{}a=", "a.".repeat(78)).repeat(78), "}".repeat(78)),
            ),
            (Syntax::Toml, (1..40).fold(String::new(), |text, i| format!("{text}[[{}a]]\n", "a.".repeat(i)))),
            (Syntax::Json, "[".repeat(n)),
            (Syntax::Json, r#"{"a":"#.repeat(n)),
            (Syntax::Json, format!("{}{}", "[".repeat(n), "]".repeat(n))),
        ];
        let check = move || {
            for (syntax, text) in &texts {
                let document = read(*syntax, text);
                assert!(document.root.is_none(), "{:.40}", text);
                assert!(document.faults[0].message.contains("nested"), "{:?}", document.faults[0]);
                assert!(document.faults[0].span.is_some());
            }
        };
        std::thread::Builder::new().stack_size(256 * 1024).spawn(check).unwrap().join().unwrap();
    }

    #[test]
    fn exact_brackets_in_strings_do_not_nest() {
        let brackets = "[{".repeat(100);
        let texts = [
            (
                Syntax::Toml,
                format!("a = \"{brackets}\\\"{brackets}\"\nb = '{brackets}'\nc = '''\n{brackets}'''"),
            ),
            (Syntax::Toml, format!("# {brackets}\na = 1 # {brackets}")),
            (Syntax::Json, format!(r#"{{"{brackets}": "\"{brackets}"}}"#)),
        ];
        for (syntax, text) in texts {
            let document = read(syntax, &text);
            assert!(document.root.is_some() && document.faults.is_empty(), "{:?}", document.faults);
        }
    }

    #[test]
    fn exact_all_toml_syntax_errors_are_told() {
        let text = "a = \nb = 1\nc = [1, 2\nd = @\n";
        let document = read(Syntax::Toml, text);
        assert!(document.root.is_none());
        assert!(document.faults.len() >= 2, "{:?}", document.faults);
        assert!(document.faults.iter().all(|fault| fault.span.is_some()));
    }

    #[test]
    fn exact_duplicate_keys_are_faults() {
        let toml = "a = 1\na = 2\n[t]\nx = 1\n[t]\n";
        let document = read(Syntax::Toml, toml);
        assert!(document.root.is_some());
        let spans: Vec<_> = document.faults.iter().map(|fault| fault.span.clone().unwrap().start).collect();
        assert_eq!(spans, [6, 23]);
        let document = read(Syntax::Json, r#"{"a": 1, "b": {"c": 1, "c": 2}}"#);
        assert_eq!(document.faults[0].span, Some(23..26));
    }

    #[test]
    fn exact_json_is_strict() {
        for text in [
            "{\"a\": 1,}",
            "{\"a\": 1} // x",
            "{a: 1}",
            "{'a': 1}",
            "{\"a\": +1}",
            "{\"a\": NaN}",
            "",
            "[1 2]",
        ] {
            let document = read(Syntax::Json, text);
            assert_eq!((document.faults.len(), document.root), (1, None), "{text}");
        }
    }
}
