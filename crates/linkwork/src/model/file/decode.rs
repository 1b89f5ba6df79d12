//! Decoding a tree of values into typed tables: goes on after a fault, so that all are told at once.

use super::document::{Key, Node, Value};
use super::{MAX_COLLECTED_FAULTS, MAX_ITEMS};
use crate::model::expression::quantity::{Quantity, State, evaluate};
use crate::model::expression::units::{self, Dims};
use crate::model::expression::{Expression, Function, Problem, Reference};
use crate::model::fault::{closest, nearest, segment};
use crate::model::{Dimension, Fault};
use schemars::JsonSchema;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// So many broken items are remembered: each is compared with all later faults.
const MAX_BROKEN: usize = 1000;

/// A type that a value of the model file decodes into; its schema says the same to editors.
pub(super) trait Decode: Sized + JsonSchema {
    /// Nothing if the value is at fault; the reader then knows why.
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self>;
}

/// What decoding knows and gathers.
pub(super) struct Reader<'a> {
    text: &'a str,
    /// Plane or space, once known.
    pub dimension: Option<Dimension>,
    /// Names of all points the file has.
    pub points: HashSet<String>,
    /// Named values for expressions.
    pub parameters: HashMap<String, Quantity>,
    /// Where each item stands.
    pub spans: HashMap<String, Range<usize>>,
    /// Everything found wrong.
    pub faults: Vec<Fault>,
    /// Faults beyond those kept.
    pub uncounted: usize,
    /// Paths of items that could not be decoded: nothing more can be said about them.
    pub broken: Vec<String>,
    /// Paths of keys that are there under a wrong name.
    misspelt: HashSet<String>,
    /// How often an item could not be decoded.
    pub failures: usize,
    path: String,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Reader {
            text,
            dimension: None,
            points: HashSet::new(),
            parameters: HashMap::new(),
            spans: HashMap::new(),
            faults: Vec::new(),
            uncounted: 0,
            broken: Vec::new(),
            misspelt: HashSet::new(),
            failures: 0,
            path: String::new(),
        }
    }

    /// The path of the item being decoded.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Keeps a fault.
    pub fn push(&mut self, fault: Fault) {
        if self.faults.len() < MAX_COLLECTED_FAULTS {
            self.faults.push(fault);
        } else {
            self.uncounted += 1;
        }
    }

    /// The item being decoded is at fault, so it has no value: returns nothing.
    pub fn fault<T>(&mut self, span: Range<usize>, message: impl Into<String>) -> Option<T> {
        self.fault_with(span, message, None)
    }

    /// As [`fault`](Self::fault), with advice.
    pub fn fault_with<T>(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Option<T> {
        let fault = Fault { help, ..Fault::error(self.path.clone(), message).at(span) };
        self.reject(fault);
        None
    }

    /// Keeps a fault of an item of which nothing more can be said.
    pub fn reject(&mut self, fault: Fault) {
        self.failures += 1;
        if self.broken.len() < MAX_BROKEN {
            self.broken.push(fault.path.clone());
        }
        self.push(fault);
    }

    /// Whether suggestions are still worth their search: later faults are only counted.
    pub fn advising(&self) -> bool {
        self.faults.len() < super::MAX_REPORTED_FAULTS
    }

    /// Decodes an item of a table or list.
    pub fn within<T>(&mut self, part: &str, span: Range<usize>, decode: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(part);
        self.spans.insert(self.path.clone(), span);
        let value = decode(self);
        self.path.truncate(length);
        value
    }

    /// Decodes the value of a key.
    pub fn entry<T>(&mut self, key: &Key, node: &Node, decode: impl FnOnce(&mut Self) -> T) -> T {
        let span = if matches!(node.value, Value::Table(_)) { key.span.clone() } else { node.span.clone() };
        let path = self.path_of(&key.name);
        self.within(&path[self.path.len()..], span, decode)
    }

    /// The path of an entry of the table being decoded.
    fn path_of(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => segment(name).into_owned(),
            path => format!("{path}.{}", segment(name)),
        }
    }

    /// The entries of a table of given keys; tells unknown ones.
    pub fn table<'n>(&mut self, node: &'n Node, keys: &[&'static str]) -> Option<&'n [(Key, Node)]> {
        let entries = self.entries(node)?;
        for (key, node) in entries {
            if keys.contains(&key.name.as_str()) {
                continue;
            }
            let mut help = None;
            if self.advising() {
                help = nearest(&key.name, keys.iter().copied());
                let meant = closest(&key.name, keys.iter().copied());
                if let Some(meant) = meant.filter(|meant| entries.iter().all(|(key, _)| key.name != *meant)) {
                    // its value is there, under another name: it is not missing
                    self.failures += 1;
                    self.misspelt.insert(self.path_of(meant));
                    self.broken.push(self.path_of(meant));
                }
            }
            let path = self.entry(key, node, |reader| reader.path.clone());
            let message = format!("unknown key `{}`", key.name);
            self.push(Fault { help, ..Fault::error(path, message).at(key.span.clone()) });
        }
        Some(entries)
    }

    /// The entries of a table whose keys are names.
    pub fn entries<'n>(&mut self, node: &'n Node) -> Option<&'n [(Key, Node)]> {
        match &node.value {
            Value::Table(entries) if entries.len() > MAX_ITEMS => {
                let message = format!("a table may have {MAX_ITEMS} entries, this has {}", entries.len());
                self.fault(entries[MAX_ITEMS].0.span.clone(), message)
            }
            Value::Table(entries) => Some(entries),
            _ => self.wrong(node, "a table"),
        }
    }

    /// The items of a list.
    pub fn items<'n>(&mut self, node: &'n Node, expected: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::Array(items) if items.len() > MAX_ITEMS => {
                let message = format!("a list may have {MAX_ITEMS} items, this has {}", items.len());
                self.fault(items[MAX_ITEMS].span.clone(), message)
            }
            Value::Array(items) => Some(items),
            _ => self.wrong(node, expected),
        }
    }

    /// Decodes each item of a list; nothing if one fails.
    pub fn each<T>(
        &mut self,
        items: &[Node],
        mut decode: impl FnMut(&Node, &mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut values = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            values.extend(self.within(&format!("[{i}]"), item.span.clone(), |reader| decode(item, reader)));
        }
        (values.len() == items.len()).then_some(values)
    }

    /// Decodes the value of one key of a table, if it is there.
    pub fn field<T: Decode>(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
        name: &str,
        required: bool,
    ) -> Option<T> {
        match entries.iter().find(|(key, _)| key.name == name) {
            Some((key, node)) => self.entry(key, node, |reader| T::decode(node, reader)),
            None if required && !self.misspelt.contains(&self.path_of(name)) => {
                let span = self.spans.get(&self.path).cloned().unwrap_or(node.span.clone());
                self.fault_with(span, format!("`{name}` is missing"), None)
            }
            None => None,
        }
    }

    /// A value of the wrong kind.
    pub fn wrong<T>(&mut self, node: &Node, expected: &str) -> Option<T> {
        self.fault(node.span.clone(), format!("expected {expected}, found {}", node.kind()))
    }

    /// A number, or a string that is an expression, in SI units.
    pub fn number(&mut self, node: &Node, expected: Dims) -> Option<f64> {
        match &node.value {
            Value::Number(value) if value.is_finite() => Some(*value),
            Value::Number(_) => self.fault(node.span.clone(), "this number is not finite"),
            Value::String(text) => {
                let quantity = self.expression(node, text)?;
                match quantity.state {
                    State::Known(found) if found != expected => {
                        let help = self.shadowed(text);
                        self.fault_with(
                            node.span.clone(),
                            format!("expected {expected}, found {found}"),
                            help,
                        )
                    }
                    _ if quantity.value.is_finite() => Some(quantity.value),
                    // a parameter failed, and was told: nothing more can be said of this item
                    _ => {
                        self.failures += 1;
                        if self.broken.len() < MAX_BROKEN {
                            self.broken.push(self.path.clone());
                        }
                        None
                    }
                }
            }
            _ => self.wrong(node, &format!("{expected}: a number or an expression")),
        }
    }

    /// Evaluates a string with the parameters.
    fn expression(&mut self, node: &Node, text: &str) -> Option<Quantity> {
        let expression = self.compile(node, text)?;
        self.fixed(node, text, &expression)?;
        let parameter = |reference: &Reference| {
            reference.target.single().and_then(|name| self.parameters.get(name)).copied()
        };
        let values: Vec<Quantity> = expression.references.iter().filter_map(parameter).collect();
        if values.len() < expression.references.len() {
            for Reference { target, span } in &expression.references {
                if let Some(name) = target.single()
                    && !self.parameters.contains_key(name)
                {
                    self.unknown_parameter(node, text, name, span.clone());
                }
            }
            return None;
        }
        match evaluate(&expression, |index| values[index]) {
            Ok(quantity) => Some(quantity),
            Err(problem) => {
                let help = problem.help.clone().or_else(|| self.shadowed(text));
                self.problem(node, text, Problem { help, ..problem })
            }
        }
    }

    /// Advice where a name is both a parameter and a unit, and may have been read as the wrong one.
    fn shadowed(&self, text: &str) -> Option<String> {
        let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let name = text
            .split(word)
            .find(|name| units::unit(name).is_some() && self.parameters.contains_key(*name))?;
        Some(format!("after a number `{name}` is the unit; for the parameter write `(2 kg) * {name}`"))
    }

    /// Compiles a string.
    pub fn compile(&mut self, node: &Node, text: &str) -> Option<Expression> {
        match Expression::compile(text) {
            Ok(expression) => Some(expression),
            Err(problem) => self.problem(node, text, problem),
        }
    }

    /// Refuses what is known only during a run, or that no function has.
    pub fn fixed(&mut self, node: &Node, text: &str, expression: &Expression) -> Option<()> {
        let failures = self.failures;
        for (name, span) in &expression.tables {
            let help = nearest(name, Function::ALL.iter().map(|(name, ..)| *name));
            let problem =
                Problem { help, ..Problem::new(span.clone(), format!("there is no function `{name}`")) };
            self.problem::<()>(node, text, problem);
        }
        for Reference { target, span } in &expression.references {
            if target.single().is_none() {
                let message =
                    format!("`{target}` is known only during the run, this value must be known before");
                self.problem::<()>(node, text, Problem::new(span.clone(), message));
            }
        }
        (self.failures == failures).then_some(())
    }

    /// A name that no parameter has.
    pub fn unknown_parameter(&mut self, node: &Node, text: &str, name: &str, span: Range<usize>) {
        let help = if units::unit(name).is_some() {
            Some(format!("`{name}` is a unit: it must follow a number, as in `1 {name}`"))
        } else if self.advising() {
            let known: BTreeSet<&str> = self.parameters.keys().map(String::as_str).collect();
            nearest(name, known).or_else(|| Some("define it under [parameters]".into()))
        } else {
            None
        };
        let problem = Problem { span, message: format!("unknown name `{name}`"), help };
        self.problem::<()>(node, text, problem);
    }

    /// A fault inside a string.
    pub fn problem<T>(&mut self, node: &Node, text: &str, problem: Problem) -> Option<T> {
        let span = match self.inside(node, text) {
            Some(start) => start + problem.span.start..start + problem.span.end,
            None => node.span.clone(),
        };
        self.fault_with(span, problem.message, problem.help)
    }

    /// Where the contents of a string begin in the file, if they stand there letter by letter.
    fn inside(&self, node: &Node, text: &str) -> Option<usize> {
        let written = self.text.get(node.span.clone())?;
        [3, 1].into_iter().find_map(|quotes| {
            let inner = written.get(quotes..written.len().checked_sub(quotes)?)?;
            (inner == text).then_some(node.span.start + quotes)
        })
    }
}

impl Decode for String {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String(text) => Some(text.clone()),
            _ => reader.wrong(node, "a string"),
        }
    }
}

impl Decode for bool {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            Value::Bool(value) => Some(value),
            _ => reader.wrong(node, "true or false"),
        }
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list")?;
        reader.each(items, T::decode)
    }
}
