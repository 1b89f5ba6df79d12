//! Items of the model as tables of a file. The struct that the program has *is* the table: one list of its keys gives the struct, its decoding, its way back into
//! a file and the schema for editors.
//!
//! ```text
//! keys! {
//!     /// A spring between two points.
//!     Spring(name) {
//!         /// The two points.
//!         between: [String; 2] => required Two,
//!         /// Stiffness, N/m.
//!         stiffness: f64 => default Stiffness = 0.0,
//!         /// Length without force, m; the drawn distance if left out.
//!         free_length: Option<f64> => optional Length,
//!         /// What it acts along.
//!         of: ActsOn => group CoordinateKeys,
//!     }
//! }
//! ```
//!
//! Each field has the type of the model and the [`Kind`] of its value in the file. A *group* is a part of the item that several keys make together ([`Group`]).
//! What the list cannot say (keys that exclude each other, one of several that must be there) stands in [`Rules`]. A field that is `unlisted` has no key of its
//! own: the rules set it.

use super::decode::{Decode, Reader};
use super::document::{Key, Node, Value};
use super::table::{Properties, Table};
use super::within;
use super::writing::{Context, Entry, Item};
use crate::error::Fault;
use crate::expressions::quantity::State;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// A kind of value behind a key, with the type that it has in the model.
pub(crate) trait Kind: Decode {
    /// Its type in the model.
    type Value: PartialEq;
    /// What was decoded, as the model has it.
    fn value(self) -> Self::Value;
    /// The way back into a file.
    fn write(value: &Self::Value, context: &Context<'_>) -> Item;
    /// Whether two values are the same to the last bit.
    fn same(a: &Self::Value, b: &Self::Value) -> bool {
        a == b
    }
}

/// Keys that make one part of an item together.
pub(crate) trait Group: Table {
    /// The part.
    type Value;
    /// The part; `None` if the keys do not fit each other, which has been reported.
    fn build(self, reader: &mut Reader<'_>) -> Option<Self::Value>;
    /// A harmless part in place of one that is at fault, so that the item keeps its name and its users are not blamed.
    fn stand_in() -> Self::Value;
    /// Adds the keys of a part.
    fn write(value: &Self::Value, entry: Entry, context: &Context<'_>) -> Entry;
}

/// The keys that a table of the file has.
#[derive(Clone, Copy)]
pub(crate) struct Given<'n>(pub Option<&'n [(Key, Node)]>);

impl<'n> Given<'n> {
    /// The entry of a key.
    fn find(self, key: &str) -> Option<&'n (Key, Node)> {
        self.0?.iter().find(|(known, _)| known.name == key)
    }

    /// Whether a key is there.
    pub fn has(self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Whether one of several keys is there.
    pub fn any(self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    /// Whether a key, or the `type` of its table, has a word for its value.
    pub fn says(self, key: &str, word: &str) -> bool {
        let is = |node: &Node| matches!(&node.value, Value::String(text) if text == word);
        self.find(key).is_some_and(|(_, node)| match &node.value {
            Value::Table(entries) => entries.iter().any(|(key, node)| key.name == "type" && is(node)),
            _ => is(node),
        })
    }

    /// The value of a key once more, where two fields need it.
    pub fn again<T: Decode>(self, key: &str, reader: &mut Reader<'_>) -> Option<T> {
        let (key, node) = self.find(key)?;
        reader.entry(key, node, |reader| T::decode(node, reader))
    }

    /// The value of a key, decoded; nothing is missing where there is no table at all.
    pub fn field<T: Decode>(
        self,
        node: &Node,
        key: &'static str,
        required: bool,
        reader: &mut Reader<'_>,
    ) -> Option<T> {
        self.0.and_then(|entries| reader.field(node, entries, key, required))
    }
}

/// What a list of keys cannot say.
pub(crate) trait Rules: Sized {
    /// The key whose value may stand for the whole table.
    const ALONE: Option<&'static str> = None;
    /// Keys that come before all others.
    const FIRST: &'static [&'static str] = &[];

    /// Judges the item once its keys are decoded, and completes what depends on several of them. `given` are the keys that are there.
    fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
        let _ = (given, reader);
    }

    /// Makes an item at fault one that no check objects to.
    fn stand_in(&mut self) {}

    /// Changes what is written, where that depends on more than one key.
    fn written(&self, entry: Entry, context: &Context<'_>) -> Entry {
        let _ = context;
        entry
    }
}

/// An item that is a table of a file.
pub(crate) trait Keys: Rules + JsonSchema {
    /// Every key, in the order of the manual.
    fn keys() -> &'static [&'static str];
    /// Decodes an item of a name; one at fault becomes a stand-in of that name.
    fn read(name: &str, node: &Node, reader: &mut Reader<'_>) -> Self;
    /// The table.
    fn write(&self, context: &Context<'_>) -> Entry;
    /// Adds the schemas of the keys.
    fn properties(generator: &mut SchemaGenerator, schema: &mut Properties);
}

/// The entries of a value that stands for a whole table: one key, which is not written and so has the place of the value.
pub(crate) fn sole<T: Rules>(node: &Node) -> Option<[(Key, Node); 1]> {
    let name = T::ALONE.filter(|_| !matches!(node.value, Value::Table(_)))?;
    Some([(Key { name: name.into(), span: node.span.clone() }, node.clone())])
}

/// Items with names, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Entries<T>(pub Vec<T>);

impl<T: Keys> Decode for Entries<T> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node)?;
        let read =
            |(key, node): &(Key, Node)| reader.entry(key, node, |reader| T::read(&key.name, node, reader));
        Some(Entries(entries.iter().map(read).collect()))
    }
}

impl<T: Keys> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Entries{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        let entry = match T::ALONE {
            None => table,
            Some(key) => {
                let mut keys = Properties::default();
                T::properties(generator, &mut keys);
                json_schema!({ "anyOf": [keys.plain(key), table] })
            }
        };
        json_schema!({ "type": "object", "additionalProperties": entry })
    }
}

impl Reader<'_> {
    /// Whether a part of the item being decoded is at fault, so that nothing more can be said of it.
    pub fn is_broken(&self) -> bool {
        self.broken.iter().any(|broken| within(broken, self.path()))
    }

    /// What is known of the dimension of a key of the item being decoded, as far as that was noted.
    pub fn noted(&self, key: &str) -> Option<State> {
        self.states.get(&format!("{}.{key}", self.path())).copied()
    }

    /// Refuses keys that are given without what they belong to: the key, whether it is such a stray, and what it belongs to.
    pub fn refuse_strays(&mut self, keys: &[(&str, bool, &str)]) {
        for (key, _, of) in keys.iter().filter(|(_, stray, _)| *stray) {
            self.refuse(&format!(".{key}"), format!("`{key}` belongs to {of}"), "remove it");
        }
    }

    /// Refuses what a kind of item does not take, and misses what it needs.
    pub fn fits_kind(&mut self, kind: &str, given: &[&str], takes: &[&str], needs: &[&str]) {
        for key in given.iter().filter(|key| **key != "type" && !takes.contains(key)) {
            let help = format!("a {kind} takes {}", takes.join(", "));
            self.refuse(&format!(".{key}"), format!("a {kind} has no `{key}`"), help);
        }
        for key in needs.iter().filter(|key| !given.contains(key)) {
            let help = format!("{{ type = \"{kind}\", {key} = ... }}");
            self.refuse("", format!("a {kind} needs `{key}`"), help);
        }
    }

    /// Refuses the item being decoded, or one of its keys (`.stiffness`), with advice.
    pub fn refuse(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let path = format!("{}{key}", self.path());
        self.reject(Fault::error(path, message).help(help));
    }
}
