//! The data of joints as keys of a file: `type`, and the keys that this kind has.

use super::{Fixed, JointData, JointKind};
use crate::error::Fault;
use crate::file::document::{Key, Node, Value};
pub(super) use crate::file::keys::Keys;
use crate::file::prelude::*;
pub(super) use crate::file::prelude::{Context, Entry};
use crate::file::table::Properties;
use schemars::SchemaGenerator;
use std::sync::LazyLock;

/// The keys that joints of a kind have.
pub(super) struct KeysOfKind {
    names: &'static [&'static str],
    read: fn(&Node, Given<'_>, &mut Reader<'_>) -> JointData,
    properties: fn(&mut SchemaGenerator, &mut Properties),
}

impl KeysOfKind {
    /// Those of the data of a kind.
    pub fn of<K: Keys + Into<JointData>>() -> Self {
        let read = |node: &Node, given: Given<'_>, reader: &mut Reader<'_>| K::of(node, given, reader).into();
        KeysOfKind { names: K::keys(), read, properties: K::properties }
    }
}

impl Choices for JointKind {
    const WHAT: &'static str = "type of joint";
    fn choices() -> Vec<(&'static str, Self)> {
        let mut choices: Vec<_> = JointKind::ALL.iter().map(|&kind| (kind.name(), kind)).collect();
        let others = |&kind: &JointKind| kind.descriptor().aliases.iter().map(move |&name| (name, kind));
        choices.extend(JointKind::ALL.iter().flat_map(others));
        choices
    }
}

impl JointKind {
    /// The kind of a joint by the key `type` of its table, where that is known.
    pub(crate) fn in_table(entries: &[(Key, Node)]) -> Option<JointKind> {
        let Value::String(name) = &entries.iter().find(|(key, _)| key.name == "type")?.1.value else {
            return None;
        };
        JointKind::choices().into_iter().find(|(known, _)| known == name).map(|(_, kind)| kind)
    }
}

impl Rules for JointData {}

impl Keys for JointData {
    fn keys() -> &'static [&'static str] {
        static KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            let mut keys = vec!["type"];
            for key in JointKind::ALL.iter().flat_map(|kind| kind.keys().names) {
                if !keys.contains(key) {
                    keys.push(key);
                }
            }
            keys
        });
        &KEYS
    }

    fn of(node: &Node, given: Given<'_>, reader: &mut Reader<'_>) -> Self {
        let kind = given.field::<Choice<JointKind>>(node, "type", true, reader);
        // without a kind nobody knows which keys belong
        let Some(Choice(kind)) = kind else { return Fixed.into() };
        let (name, keys) = (kind.name(), kind.keys());
        for (key, node) in given.entries.unwrap_or_default() {
            let own = key.name == "type" || keys.names.contains(&key.name.as_str());
            if !own && Self::keys().contains(&key.name.as_str()) {
                let path = reader.entry(key, node, |reader| reader.path().to_owned());
                let fault = Fault::error(path, format!("a {name} joint has no `{}`", key.name));
                reader.push(fault.help(format!("remove `{}`, or choose another type", key.name)));
            }
        }
        // of a kind that does not exist in the plane nothing more is asked: the check of the model refuses it
        let planar = reader.dimension.is_some_and(|dimension| dimension.is_planar());
        let entries = given.entries.filter(|_| !planar || kind.descriptor().space_only.is_none());
        let owner = format!("{name} joint");
        (keys.read)(node, Given { entries, owner: Some(&owner), ..given }, reader)
    }

    fn add(&self, _: &str, entry: Entry, context: &Context<'_>) -> Entry {
        self.add_data(entry.set("type", self.kind().name()), context)
    }

    fn properties(generator: &mut SchemaGenerator, schema: &mut Properties) {
        schema.key::<Choice<JointKind>>(generator, "type", "What the joint lets its bodies do.", true);
        for kind in JointKind::ALL {
            let mut own = Properties::default();
            (kind.keys().properties)(generator, &mut own);
            schema.merge(own, kind.name());
        }
    }
}
