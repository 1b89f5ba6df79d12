//! Decoding a tree of values into typed tables: goes on after a fault, so that all are told at once.

use super::document::{Key, Node, Value};
use super::{MAX_COLLECTED_FAULTS, MAX_ITEMS};
use crate::model::expression::quantity::{Quantity, State, dimension, evaluate};
use crate::model::expression::units::{self, Dims};
use crate::model::expression::{Expression, Function, Problem, Reference, TIME, Target};
use crate::model::fault::{closest, inside, nearest, segment};
use crate::model::{Dimension, Fault, Formula};
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
    /// Values of parameters that take the place of those in the file.
    pub overrides: &'a [(&'a str, f64)],
    /// Names of all measures the file has.
    pub measures: HashSet<String>,
    /// Names of all tables the file has.
    pub tables: HashSet<String>,
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
            overrides: &[],
            measures: HashSet::new(),
            tables: HashSet::new(),
            spans: HashMap::new(),
            faults: Vec::new(),
            uncounted: 0,
            broken: Vec::new(),
            misspelt: HashSet::new(),
            failures: 0,
            path: String::new(),
        }
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
        if !matches!(node.value, Value::Number(_) | Value::String(_)) {
            return self.wrong(node, &format!("{expected}: a number or an expression"));
        }
        let quantity = self.quantity(node)?;
        self.fits(node, quantity.state, Some(expected)).then_some(quantity.value)
    }

    /// A finite number, or a string that is an expression, of any dimension.
    pub fn quantity(&mut self, node: &Node) -> Option<Quantity> {
        match &node.value {
            Value::Number(value) if value.is_finite() => {
                Some(Quantity { value: *value, state: State::Number })
            }
            Value::Number(_) => self.fault(node.span.clone(), "this number is not finite"),
            Value::String(text) => {
                let expression = self.compile(node, text)?;
                let quantity = self.expression(node, text, &expression)?;
                if !quantity.value.is_finite() {
                    self.follows();
                }
                quantity.value.is_finite().then_some(quantity)
            }
            _ => self.wrong(node, "a number or an expression"),
        }
    }

    /// Whether what is known of the dimension of a value fits; tells if not.
    fn fits(&mut self, node: &Node, found: State, expected: Option<Dims>) -> bool {
        let (State::Known(found), Some(expected)) = (found, expected) else { return true };
        if found == expected {
            return true;
        }
        let help = if let Value::String(text) = &node.value { self.shadowed(text) } else { None };
        self.fault_with::<()>(node.span.clone(), format!("expected {expected}, found {found}"), help);
        false
    }

    /// A parameter failed, and was told: nothing more can be said of this item.
    fn follows(&mut self) {
        self.failures += 1;
        if self.broken.len() < MAX_BROKEN {
            self.broken.push(self.path.clone());
        }
    }

    /// Evaluates an expression with the parameters.
    fn expression(&mut self, node: &Node, text: &str, expression: &Expression) -> Option<Quantity> {
        self.fixed(node, text, expression)?;
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
        match evaluate(expression, |index| values[index]) {
            Ok(quantity) => Some(quantity),
            Err(problem) => {
                let help = problem.help.clone().or_else(|| self.shadowed(text));
                self.problem(node, text, Problem { help, ..problem })
            }
        }
    }

    /// A number, or a string that is an expression of time and readings. `locals` are names that the key allows besides; they
    /// win over parameters. With what is known of its dimension. Whether the readings exist is checked with the model.
    pub fn formula(
        &mut self,
        node: &Node,
        expected: Option<Dims>,
        locals: &[&str],
    ) -> Option<(Formula, State)> {
        let Value::String(text) = &node.value else {
            let value = match expected {
                Some(dims) => self.number(node, dims)?,
                None => self.quantity(node)?.value,
            };
            return Some((Formula::constant(value), State::Number));
        };
        let expression = self.compile(node, text)?;
        let failures = self.failures;
        // a parameter, or nothing for what has its value later
        let mut values: Vec<Option<Quantity>> = Vec::with_capacity(expression.references.len());
        for Reference { target, span } in &expression.references {
            let later = |name: &str| locals.contains(&name) || name == TIME;
            let parameter =
                target.single().filter(|name| !later(name)).and_then(|name| self.parameters.get(name));
            values.push(parameter.copied());
            if let Some(name) = target.single().filter(|name| !later(name))
                && values.last() == Some(&None)
                && !self.measures.contains(name)
            {
                self.unknown_name(node, text, name, span.clone(), locals);
            }
        }
        for (name, span) in &expression.tables {
            if !self.tables.contains(name) {
                let tables = self.tables.iter().map(String::as_str);
                let known: BTreeSet<&str> =
                    tables.chain(Function::ALL.iter().map(|(known, ..)| *known)).collect();
                let help = if self.advising() { nearest(name, known) } else { None };
                let message = format!("there is no function or table `{name}`");
                self.problem::<()>(node, text, Problem { help, ..Problem::new(span.clone(), message) });
            }
        }
        if self.failures > failures {
            return None;
        }
        if values.iter().flatten().any(|quantity| !quantity.value.is_finite()) {
            self.follows();
            return None;
        }
        let state = if expression.tables.is_empty() && values.iter().all(Option::is_some) {
            // a number like any other: it must have a value
            self.expression(node, text, &expression)?.state
        } else {
            let state = |index: usize| values[index].map_or(State::Unknown, |quantity| quantity.state);
            match dimension(&expression, state) {
                Ok(state) => state,
                Err(problem) => {
                    let help = problem.help.clone().or_else(|| self.shadowed(text));
                    return self.problem(node, text, Problem { help, ..problem });
                }
            }
        };
        if !self.fits(node, state, expected) {
            return None;
        }
        let targets: Vec<Target> = expression.references.iter().map(|known| known.target.clone()).collect();
        let value = |reference: &Reference| {
            let index = targets.iter().position(|target| *target == reference.target)?;
            values[index].map(|quantity| quantity.value)
        };
        Some((Formula::new(text, expression).fold(value), state))
    }

    /// Advice where a name is both a parameter, or the time, and a unit, and may have been read as the wrong one.
    fn shadowed(&self, text: &str) -> Option<String> {
        let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let named = |name: &&str| units::unit(name).is_some() && self.parameters.contains_key(*name);
        // only what comes after a number may have been read as a unit
        let after = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
        if let Some(name) = text.split(word).skip_while(|name| !after(name)).find(named) {
            return Some(format!(
                "after a number `{name}` is the unit; for the parameter write `(2 kg) * {name}`"
            ));
        }
        let time = text.split(word).any(|name| name == TIME);
        time.then(|| "after a number `t` is the unit tonne; for the time write `2 * t`".into())
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

    /// A name that no parameter has, where the value must be known before the run.
    pub fn unknown_parameter(&mut self, node: &Node, text: &str, name: &str, span: Range<usize>) {
        let problem = if name == TIME || self.measures.contains(name) {
            let message = format!("`{name}` is known only during the run, this value must be known before");
            Problem::new(span, message)
        } else {
            let help = self.advice(name, self.parameters.keys().map(String::as_str));
            Problem { help, ..Problem::new(span, format!("unknown name `{name}`")) }
        };
        self.problem::<()>(node, text, problem);
    }

    /// A name in a formula that nothing has.
    fn unknown_name(&mut self, node: &Node, text: &str, name: &str, span: Range<usize>, locals: &[&str]) {
        let names = self.parameters.keys().chain(&self.measures).map(String::as_str);
        let help = self.advice(name, names.chain(locals.iter().copied()).chain([TIME]));
        let problem = Problem { help, ..Problem::new(span, format!("unknown name `{name}`")) };
        self.problem::<()>(node, text, problem);
    }

    /// Advice on an unknown name.
    fn advice<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
        if units::unit(name).is_some() {
            Some(format!("`{name}` is a unit: it must follow a number, as in `1 {name}`"))
        } else if self.advising() {
            let known: BTreeSet<&str> = known.collect();
            nearest(name, known).or_else(|| Some("define it under [parameters]".into()))
        } else {
            None
        }
    }

    /// A fault inside a string.
    pub fn problem<T>(&mut self, node: &Node, text: &str, problem: Problem) -> Option<T> {
        let span = match inside(self.text, node.span.clone(), text) {
            Some(start) => start + problem.span.start..start + problem.span.end,
            None => node.span.clone(),
        };
        self.fault_with(span, problem.message, problem.help)
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
