//! The file that a model was read from. Where it still says what the model has, its own words stay: expressions, units, parameters, other names of a key.

use super::super::decode;
use super::agreement::difference;
use super::comments::Notes;
use super::sections::{Holds, Section};
use crate::file::decode::Reader;
use crate::file::document::{self, Key, Node, Syntax, Value};
use crate::file::writing::item::{Entry, Item, is};
use crate::model::{Model, Provenance, Severity};
use std::collections::HashSet;

/// A file and the model in it.
pub(super) struct Source<'t> {
    root: Node,
    /// What the file says, whatever became of it since.
    pub model: Model,
    reader: Reader<'t>,
}

impl<'t> Source<'t> {
    /// Reads a file again; nothing if it is not sound by itself.
    pub fn of(provenance: &'t Provenance) -> Option<Self> {
        let text = provenance.own_text();
        let document = document::read(Syntax::of(&provenance.file, text), text);
        let root = document.root.filter(|_| document.faults.is_empty())?;
        let mut reader = Reader::new(text, crate::model::reading::dims);
        let (model, _) = decode(&root, &mut reader)?;
        let sound = reader.faults.iter().all(|fault| fault.severity == Severity::Warning);
        sound.then_some(Source { root, model, reader })
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.reader.parameters.get(name).map(|quantity| quantity.value)
    }

    /// The value at a path.
    fn node(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, name| child(node, name))
    }

    /// A value in the words of the file, as far as they mean the same. With `whole` all of it is known to be the same, so
    /// that keys stay that the value has not: they have another way to say it.
    pub fn merge(&mut self, path: &[&str], item: Item, whole: bool, notes: &Notes) -> Item {
        let Some(node) = self.node(path).cloned() else { return item };
        let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        match whole {
            true => self.adopt(&item, &node, &path, notes),
            false => self.follow(item, &node),
        }
    }

    /// A value as the file has it, less the keys that say what is so without them. One with a comment stays, and so does one that follows a parameter.
    fn adopt(&self, item: &Item, node: &Node, path: &[String], notes: &Notes) -> Item {
        let Item::Table(entry) = item else { return written(node) };
        let mut adopted = entry.emptied();
        match (&node.value, entry.alone) {
            (Value::Table(entries), _) => {
                for (key, node) in entries {
                    let path = [path, std::slice::from_ref(&key.name)].concat();
                    let needless = entry.left_out.contains(&key.name.as_str());
                    if needless && !notes.any(&path) && !self.varies(node) {
                        continue;
                    }
                    let value = match entry.get(&key.name) {
                        Some(item) => self.adopt(item, node, &path, notes),
                        None => written(node),
                    };
                    adopted.put(&key.name, value);
                }
            }
            (_, Some(key)) => adopted.put(key, written(node)),
            _ => return written(node),
        }
        adopted.into()
    }

    /// Whether a value follows a parameter.
    fn varies(&self, node: &Node) -> bool {
        let mut words = HashSet::new();
        collect(&written(node), &mut words);
        words.iter().any(|word| self.reader.parameters.contains_key(word))
    }

    /// A value with those parts of it in the words of the file that are still the same.
    fn follow(&mut self, item: Item, node: &Node) -> Item {
        match (item, &node.value) {
            (Item::Table(entry), _) => Item::Table(self.follow_keys(entry, node)),
            (Item::List(items), Value::Array(nodes)) if items.len() == nodes.len() => {
                Item::List(items.into_iter().zip(nodes).map(|(item, node)| self.follow(item, node)).collect())
            }
            (Item::Number(value), _) => self.number(value, node).unwrap_or(Item::Number(value)),
            (Item::Quantity(value, unit), _) => {
                self.number(value, node).unwrap_or(Item::Quantity(value, unit))
            }
            (item, _) => item,
        }
    }

    fn follow_keys(&mut self, mut entry: Entry, node: &Node) -> Entry {
        let keys = std::mem::take(&mut entry.keys);
        let alone = entry.alone.filter(|_| !matches!(node.value, Value::Table(_)));
        for (key, item) in keys {
            let written = if alone == Some(key.as_str()) { Some(node) } else { child(node, &key) };
            let item = match written {
                Some(node) => self.follow(item, node),
                None => item,
            };
            entry.keys.push((key, item));
        }
        entry
    }

    /// The words of the file for a number, if they have this value to the last bit.
    fn number(&mut self, value: f64, node: &Node) -> Option<Item> {
        let scalar = matches!(node.value, Value::Number(_) | Value::String(_));
        let found = scalar.then(|| self.reader.quantity(node)).flatten()?;
        is(found.value, value).then(|| written(node))
    }

    /// What is to be optimised: a section that says nothing of the model, and stays as it is.
    pub fn optimization(&self) -> Option<Entry> {
        match self.node(&["optimize"]).map(written) {
            Some(Item::Table(entry)) => Some(entry),
            _ => None,
        }
    }

    /// The parameters of the file. Of a model that is no longer what the file says, those that are still used.
    pub fn parameters(&self, model: &Model, sections: &[Section]) -> Vec<(String, Item)> {
        let Some(Node { value: Value::Table(entries), .. }) = self.node(&["parameters"]) else {
            return Vec::new();
        };
        let all = difference(&self.model, model).is_none();
        let used = if all { HashSet::new() } else { used(sections, entries) };
        let kept = entries.iter().filter(|(key, _)| all || used.contains(key.name.as_str()));
        kept.map(|(key, node)| (key.name.clone(), written(node))).collect()
    }
}

/// The value of a key of a table.
fn child<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Table(entries) => entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node),
        _ => None,
    }
}

/// A value as the file has it.
fn written(node: &Node) -> Item {
    match &node.value {
        Value::Number(value) => Item::Number(*value),
        Value::String(text) => Item::Text(text.clone()),
        Value::Bool(value) => Item::Bool(*value),
        Value::Array(items) => Item::List(items.iter().map(written).collect()),
        Value::Table(entries) => {
            Entry::named(entries.iter().map(|(key, node)| (key.name.clone(), written(node))).collect()).into()
        }
        // a date: no model has one
        Value::Other => Item::Text(String::new()),
    }
}

/// The parameters that anything written refers to, or another one of them: by their names, so rather too many than too few.
fn used<'e>(sections: &[Section], entries: &'e [(Key, Node)]) -> HashSet<&'e str> {
    let mut words = HashSet::new();
    for section in sections {
        match &section.holds {
            Holds::Keys(entry) => entry.keys.iter().for_each(|(_, item)| collect(item, &mut words)),
            Holds::Named(entries) => entries.iter().for_each(|(_, item)| collect(item, &mut words)),
        }
    }
    let mut used = HashSet::new();
    loop {
        let next = entries.iter().find(|(key, _)| words.contains(&key.name) && !used.contains(&*key.name));
        let Some((key, node)) = next else { return used };
        used.insert(key.name.as_str());
        collect(&written(node), &mut words);
    }
}

/// The words of all texts in a value.
fn collect(item: &Item, words: &mut HashSet<String>) {
    match item {
        Item::Text(text) => {
            let parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            words.extend(parts.map(str::to_owned));
        }
        Item::List(items) => items.iter().for_each(|item| collect(item, words)),
        Item::Table(entry) => entry.keys.iter().for_each(|(_, item)| collect(item, words)),
        Item::Number(_) | Item::Quantity(..) | Item::Bool(_) => {}
    }
}
