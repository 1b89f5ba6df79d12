//! Decoding a tree of values into typed tables: goes on after a fault, so that all are reported at once.

use super::csv_table::Kept;
use super::document::{Key, Node, Value};
use super::{MAX_COLLECTED_FAULTS, MAX_ITEMS};
use crate::drawing::Dimension;
use crate::error::inside;
use crate::error::names::{closest, nearest, segment};
use crate::error::{Fault, ParameterRange};
use crate::expressions::Formula;
use crate::expressions::quantity::{Quantity, State, dimension, evaluate};
use crate::expressions::units::{self, Dims};
use crate::expressions::{Expression, Function, Problem, Reference, TIME, Target};
use schemars::JsonSchema;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// So many broken items are remembered: each is compared with all later faults.
const MAX_BROKEN: usize = 1000;

/// A type that a value of the model file decodes into; its schema says the same to editors.
pub(crate) trait Decode: Sized + JsonSchema {
    /// Nothing if the value is at fault; the reader then knows why.
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self>;
}

/// The dimension of what a name of an expression reads off the mechanism, as far as the name tells it. The second argument says whether a
/// coordinate of a joint, counted from one, is an angle.
pub(crate) type ReadingDims = fn(&Target, &dyn Fn(&str, usize) -> Option<bool>) -> Option<Dims>;

/// A number that decoding has found: its path, its value in SI units, and what is known of its dimension.
#[derive(Clone, Debug)]
pub(crate) struct FoundNumber {
    pub path: String,
    pub value: f64,
    pub dims: Option<Dims>,
}

/// What decoding knows and gathers.
pub(crate) struct Reader<'a> {
    text: &'a str,
    reading_dims: ReadingDims,
    /// Plane or space, once known.
    pub dimension: Option<Dimension>,
    /// How that is known, where the points tell it.
    pub reason: Option<String>,
    /// Of the joints that the file lists: whether their coordinates are angles, where that is known.
    pub joints: HashMap<String, Option<Vec<bool>>>,
    /// What the tables take and give.
    pub columns: HashMap<String, [State; 2]>,
    /// What is known of the measures' dimensions.
    pub measured: HashMap<String, State>,
    /// Names of all points the file has.
    pub points: HashSet<String>,
    /// Where they are, once they are decoded; not finite where that is not known.
    pub positions: HashMap<String, [f64; 3]>,
    /// Named values for expressions.
    pub parameters: HashMap<String, Quantity>,
    /// Between what parameters may be moved, where the file says so.
    pub ranges: BTreeMap<String, ParameterRange>,
    /// Values of parameters that take the place of those in the file.
    pub overrides: &'a [(&'a str, f64)],
    /// Where the file stands, for files that it names.
    pub folder: Option<&'a Path>,
    /// Files that have been read, if the same text is decoded several times.
    pub files: Option<&'a Kept>,
    /// What is known of the dimensions of inputs and states, by their names as formulas write them.
    pub variables: HashMap<String, State>,
    /// Names of all measures the file has.
    pub measures: HashSet<String>,
    /// Names of all tables the file has.
    pub tables: HashSet<String>,
    /// What is known of the dimensions of values whose dimension the item around them decides, by their paths.
    pub states: HashMap<String, State>,
    /// The SI units of measures that are given without one, by their paths, as far as their values tell them.
    pub units: HashMap<String, String>,
    /// Where each item stands.
    pub spans: HashMap<String, Range<usize>>,
    /// The numbers of the file, by where they begin, where somebody wants them.
    pub numbers: Option<BTreeMap<usize, FoundNumber>>,
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
    pub fn new(text: &'a str, reading_dims: ReadingDims) -> Self {
        Reader {
            text,
            reading_dims,
            dimension: None,
            reason: None,
            joints: HashMap::new(),
            columns: HashMap::new(),
            measured: HashMap::new(),
            points: HashSet::new(),
            positions: HashMap::new(),
            parameters: HashMap::new(),
            ranges: BTreeMap::new(),
            overrides: &[],
            folder: None,
            files: None,
            variables: HashMap::new(),
            measures: HashSet::new(),
            tables: HashSet::new(),
            states: HashMap::new(),
            units: HashMap::new(),
            spans: HashMap::new(),
            numbers: None,
            faults: Vec::new(),
            uncounted: 0,
            broken: Vec::new(),
            misspelt: HashSet::new(),
            failures: 0,
            path: String::new(),
        }
    }

    /// Notes what is known of the dimension of the value being decoded.
    pub fn note(&mut self, state: State) {
        self.states.insert(self.path.clone(), state);
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
        let span = match node.value {
            Value::Table(_) => key.span.clone(),
            // the key of a value that stands for a whole table is not written
            _ if key.span == node.span => return decode(self),
            _ => node.span.clone(),
        };
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
            _ => {
                let mut parts = self.path.split('.');
                let section = parts.next().unwrap_or_default();
                let named = !["", "model", "simulation", "initial"].contains(&section) && parts.count() < 2;
                let help = format!("an entry of [{section}] is a table with a name: [{section}.NAME]");
                let message = format!("expected a table, found {}", node.kind());
                self.fault_with(node.span.clone(), message, named.then_some(help))
            }
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
            None if required && !self.is_misspelt(name) => {
                let span = self.spans.get(&self.path).cloned().unwrap_or(node.span.clone());
                self.fault_with(span, format!("`{name}` is missing"), None)
            }
            None => None,
        }
    }

    /// Whether a key of the table being decoded is there under a wrong name.
    pub fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt.contains(&self.path_of(key))
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
        self.found(node, quantity.value, Some(expected));
        self.fits(node, quantity.state, Some(expected)).then_some(quantity.value)
    }

    /// Keeps a number where the numbers of the file are wanted.
    fn found(&mut self, node: &Node, value: f64, dims: Option<Dims>) {
        let Some(numbers) = &mut self.numbers else { return };
        numbers.insert(node.span.start, FoundNumber { path: self.path.clone(), value, dims });
    }

    /// A number that takes certain values only is none that varies.
    pub fn counts(&mut self, node: &Node) {
        if let Some(numbers) = &mut self.numbers {
            numbers.remove(&node.span.start);
        }
    }

    /// A finite number, or a string that is an expression, of any dimension.
    pub fn quantity(&mut self, node: &Node) -> Option<Quantity> {
        match &node.value {
            Value::Number(value) if value.is_finite() => {
                self.found(node, *value, None);
                Some(Quantity { value: *value, state: State::Number })
            }
            Value::Number(_) => self.fault(node.span.clone(), "this number is not finite"),
            Value::String(text) => {
                let expression = self.compile(node, text)?;
                let quantity = self.expression(node, text, &expression)?;
                if !quantity.value.is_finite() {
                    self.follows();
                }
                self.found(node, quantity.value, quantity.state.dims());
                quantity.value.is_finite().then_some(quantity)
            }
            _ => self.wrong(node, "a number or an expression"),
        }
    }

    /// Whether what is known of the dimension of a value fits; tells if not.
    fn fits(&mut self, node: &Node, found: State, expected: Option<Dims>) -> bool {
        let (Some(dims), Some(expected)) = (found.dims(), expected) else { return true };
        if dims == expected {
            return true;
        }
        let help = match &node.value {
            Value::String(text) => self.misfit(text, found, &[expected]),
            _ => None,
        };
        self.fault_with::<()>(node.span.clone(), format!("expected {expected}, found {dims}"), help);
        false
    }

    /// The text of a value as it stands in the file.
    pub fn written(&self, node: &Node) -> Option<&'a str> {
        self.text.get(node.span.clone())
    }

    /// The text of the string at a path.
    pub fn said(&self, path: &str) -> Option<&'a str> {
        self.text.get(self.spans.get(path)?.clone()).map(|text| text.trim_matches(['"', '\'']))
    }

    /// Advice where a value has another dimension than its key expects.
    pub fn misfit(&self, text: &str, found: State, expected: &[Dims]) -> Option<String> {
        let dims = found.measured()?;
        let is = |unit: &str| units::parse(unit).is_some_and(|(_, dims)| expected == [dims]);
        let rate = |unit: &str| units::parse(unit).is_some_and(|(_, rate)| rate == dims);
        let (angle, length) = (expected == [Dims::NONE], is("m"));
        self.shadowed(text).or_else(|| {
            Some(match found {
                State::Reading(_) => "a bare factor may carry the unit: `2 * ...` instead of `...`".into(),
                _ if (angle && rate("rad/s") || length && rate("m/s"))
                    && words(text).all(|word| word != TIME) =>
                {
                    format!("this is a speed: `{text} * t` is where it has got to")
                }
                _ if is("N m") && rate("N") => "a moment is a force times an arm: `5 N m`".into(),
                _ if is("N") && rate("kg") => {
                    "a mass is no force: its weight is `9.81 m/s^2` times that".into()
                }
                _ if is("N/m") && rate("N m") || is("N m") && rate("N/m") => {
                    "springs along a path have N/m, those about an axis N m (per rad)".into()
                }
                _ => return None,
            })
        })
    }

    /// Whether a coordinate of a joint, counted from one, is an angle; nothing if that is not known.
    pub fn turns(&self, joint: &str, coordinate: usize) -> Option<bool> {
        match self.joints.get(joint) {
            Some(turns) => turns.as_ref()?.get(coordinate.checked_sub(1)?).copied(),
            // where bodies share points they turn; such joints are called after a point
            None => {
                let mut ends = joint.char_indices().filter(|(_, c)| ['.', '\''].contains(c)).map(|(i, _)| i);
                let known =
                    self.points.contains(joint) || ends.any(|end| self.points.contains(&joint[..end]));
                known.then_some(true)
            }
        }
    }

    /// What is known of the dimension of a reference whose value comes later.
    fn later(&self, target: &Target) -> State {
        match target.single() {
            Some(TIME) => State::Reading(Dims::new(0, 0, 1)),
            Some(name) => self.measured.get(name).copied().unwrap_or(State::Unknown),
            None if self.variables.contains_key(&target.to_string()) => self.variables[&target.to_string()],
            None => {
                let dims = (self.reading_dims)(target, &|joint, coordinate| self.turns(joint, coordinate));
                dims.map_or(State::Unknown, State::Reading)
            }
        }
    }

    /// Finds out what can be known of the dimensions of tables and measures before they are decoded.
    pub fn look_ahead(&mut self, tables: &[(Key, Node)], measures: &[(Key, Node)]) {
        let field = |node: &Node, name: &str| match &node.value {
            Value::Table(entries) => {
                entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node.clone())
            }
            _ => None,
        };
        for (key, node) in tables {
            let list = |node: Option<Node>| match node.map(|node| node.value) {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            };
            let mut columns = [list(field(node, "x")), list(field(node, "y"))];
            for pair in list(field(node, "points")) {
                for (column, item) in columns.iter_mut().zip(list(Some(pair))) {
                    column.push(item);
                }
            }
            let states = columns.map(|column| {
                let known = column.iter().map(|item| self.known(&item.value));
                known.into_iter().find(|state| matches!(state, State::Known(_))).unwrap_or(State::Unknown)
            });
            // those of a file are what their units say
            let units = list(field(node, "units"));
            let of_unit = |i: usize| match units.get(i).map(|unit| &unit.value) {
                Some(Value::String(unit)) => units::parse(unit).map(|(_, dims)| State::Known(dims)),
                _ => None,
            };
            let states = [0, 1].map(|i| of_unit(i).unwrap_or(states[i]));
            self.columns.insert(key.name.clone(), states);
        }
        for (key, node) in measures {
            let unit = match field(node, "unit").map(|unit| unit.value) {
                Some(Value::String(unit)) => units::parse(&unit).map(|(_, dims)| State::Reading(dims)),
                _ => None,
            };
            // what has no unit is held to none
            self.measured.insert(key.name.clone(), unit.unwrap_or(State::Unknown));
        }
    }

    /// Finds out what the units of inputs or states say of their dimensions before they are decoded.
    pub fn look_ahead_at(&mut self, kind: &str, entries: &[(Key, Node)]) {
        for (key, node) in entries {
            let Value::Table(fields) = &node.value else { continue };
            let unit = fields.iter().find(|(field, _)| field.name == "unit").map(|(_, unit)| &unit.value);
            if let Some(Value::String(unit)) = unit
                && let Some((_, dims)) = units::parse(unit)
            {
                self.variables.insert(format!("{kind}.{}", segment(&key.name)), State::Reading(dims));
            }
        }
    }

    /// What is known of the dimension of a value, without telling its faults.
    fn known(&self, value: &Value) -> State {
        let Value::String(text) = value else { return State::Number };
        let Ok(expression) = Expression::compile(text) else { return State::Unknown };
        let state = |index: usize| {
            let target = &expression.references[index].target;
            let parameter = target.single().and_then(|name| self.parameters.get(name));
            parameter.map_or_else(|| self.later(target), |quantity| quantity.state)
        };
        let columns = |index: usize| self.table_states(&expression.tables[index].0);
        dimension(&expression, state, columns).unwrap_or(State::Unknown)
    }

    fn table_states(&self, name: &str) -> [State; 2] {
        self.columns.get(name).copied().unwrap_or([State::Unknown; 2])
    }

    /// What this item depends on failed, and was reported: nothing more can be said of it.
    pub fn follows(&mut self) {
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
        self.formula_of(node, expected, locals, &[])
    }

    /// As [`formula`](Self::formula), with what is known of the dimensions of the locals.
    pub fn formula_of(
        &mut self,
        node: &Node,
        expected: Option<Dims>,
        locals: &[&str],
        states: &[State],
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
            let quantity = self.expression(node, text, &expression)?;
            self.found(node, quantity.value, expected.or(quantity.state.dims()));
            quantity.state
        } else {
            let state = |index: usize| {
                let target = &expression.references[index].target;
                let local = target.single().and_then(|name| locals.iter().position(|local| *local == name));
                match (values[index], local) {
                    (Some(quantity), _) => quantity.state,
                    (None, Some(local)) => states.get(local).copied().unwrap_or(State::Unknown),
                    (None, None) => self.later(target),
                }
            };
            let columns = |index: usize| self.table_states(&expression.tables[index].0);
            match dimension(&expression, state, columns) {
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
        // the unit t: directly after a number or another unit
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let tonne = text.char_indices().map(|(i, _)| i).find(|&i| {
            let rest = &text[i..];
            if !rest.starts_with(TIME) || rest[TIME.len()..].starts_with(part) {
                return false;
            }
            let before = text[..i].trim_end_matches([' ', '/']);
            let last = &before[before.trim_end_matches(part).len()..];
            let number = last.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            let apart = before.len() < i || before.ends_with(|c: char| c.is_ascii_digit());
            apart && (number || units::unit(last).is_some())
        });
        tonne.map(|i| {
            let before = text[..i].trim_end_matches([' ', '/']);
            let start = before.rfind(['+', '-', '*', '(', ',', '<', '>', '=']).map_or(0, |at| at + 1);
            let before = before[start..].trim_start();
            match text[..i].trim_end().ends_with('/') {
                true => format!("after a number `t` is the unit tonne; for the time write `({before}) / t`"),
                false => format!("after a number `t` is the unit tonne; for the time write `{before} * t`"),
            }
        })
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
        } else if let Some(unit) = units::meant(name).filter(|unit| {
            // units run together have a capital or a digit: `Nm`, `s2`
            let odd = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
            self.advising() && (!unit.trim_start_matches("write ").contains(' ') || name.contains(odd))
        }) {
            let known: BTreeSet<&str> = known.collect();
            Some(match closest(name, known) {
                Some(near) => format!("did you mean `{near}`? as a unit {unit}"),
                None => format!("as a unit {unit}, after a number"),
            })
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

/// The words of an expression.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
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
