//! Tables of a model file whose keys are listed once: the list serves decoding, the suggestions for misspelled keys and the schema,
//! whose descriptions are the comments there.

use super::decode::{Decode, Reader};
use super::document::{Key, Node};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// A table as the file has it: what is not there, or could not be decoded, is `None`.
pub(crate) trait Table: Sized {
    /// Every key.
    const KEYS: &'static [&'static str];
    /// Decodes the keys of this table; those of others may stand beside them.
    fn fields(node: &Node, entries: &[(Key, Node)], reader: &mut Reader<'_>) -> Self;
    /// Adds the schemas of the keys, and the names of those that must be there.
    fn properties(generator: &mut SchemaGenerator, schema: &mut Properties);
}

/// The keys of a table on their way into a schema.
#[derive(Default)]
pub(crate) struct Properties {
    keys: serde_json::Map<String, serde_json::Value>,
    required: Vec<&'static str>,
}

impl Properties {
    /// Adds a key of a type, with a description.
    pub fn key<T: JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        key: &'static str,
        about: &str,
        required: bool,
    ) {
        let mut schema = generator.subschema_for::<T>();
        schema.insert("description".into(), about.trim().into());
        self.keys.insert(key.into(), schema.to_value());
        if required {
            self.required.push(key);
        }
    }

    /// The schema of one key, without its description.
    pub fn plain(&self, key: &str) -> serde_json::Value {
        let mut schema = self.keys[key].clone();
        schema.as_object_mut().and_then(|schema| schema.remove("description"));
        schema
    }

    /// The same keys in another order.
    pub fn in_order(mut self, keys: &[&str]) -> Self {
        let mut all: Vec<_> = std::mem::take(&mut self.keys).into_iter().collect();
        all.sort_by_key(|(key, _)| keys.iter().position(|known| known == key));
        self.keys.extend(all);
        self
    }

    /// The schema of a table of these keys.
    pub fn schema(self, about: &str) -> Schema {
        let mut schema = json_schema!({
            "type": "object",
            "description": about.trim(),
            "properties": self.keys,
            "additionalProperties": false,
        });
        if !self.required.is_empty() {
            schema.insert("required".into(), self.required.into());
        }
        schema
    }
}

/// Defines a [`Table`].
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $name:ident { $($(#[doc = $about:literal])* $field:ident: $need:ident $type:ty,)* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default)]
        #[allow(dead_code, reason = "some keys are read ahead of the others, or refused")]
        pub(crate) struct $name {
            $($(#[doc = $about])* pub $field: Option<$type>,)*
        }

        #[allow(dead_code, reason = "not every table asks")]
        impl $name {
            /// Every key.
            pub const KEYS: &'static [&'static str] = <Self as $crate::file::table::Table>::KEYS;

            /// The keys that are there.
            pub fn given(&self) -> Vec<&'static str> {
                let all = [$(self.$field.is_some()),*];
                Self::KEYS.iter().zip(all).filter(|(_, given)| *given).map(|(key, _)| *key).collect()
            }
        }

        impl $crate::file::table::Table for $name {
            const KEYS: &'static [&'static str] = &[$($crate::file::table::key(stringify!($field))),*];

            fn fields(
                node: &$crate::file::document::Node,
                entries: &[($crate::file::document::Key, $crate::file::document::Node)],
                reader: &mut $crate::file::decode::Reader<'_>,
            ) -> Self {
                $name {
                    $($field: reader.field(
                        node,
                        entries,
                        $crate::file::table::key(stringify!($field)),
                        $crate::file::table::table!(@ $need),
                    ),)*
                }
            }

            fn properties(
                generator: &mut schemars::SchemaGenerator,
                schema: &mut $crate::file::table::Properties,
            ) {
                $(schema.key::<$type>(
                    generator,
                    $crate::file::table::key(stringify!($field)),
                    concat!($($about),*),
                    $crate::file::table::table!(@ $need),
                );)*
            }
        }

        impl $crate::file::decode::Decode for $name {
            fn decode(
                node: &$crate::file::document::Node,
                reader: &mut $crate::file::decode::Reader<'_>,
            ) -> Option<Self> {
                let entries = reader.table(node, Self::KEYS)?;
                Some($crate::file::table::Table::fields(node, entries, reader))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = $crate::file::table::Properties::default();
                <Self as $crate::file::table::Table>::properties(generator, &mut schema);
                schema.schema(concat!($($doc),*))
            }
        }
    };
    (@ required) => { true };
    (@ optional) => { false };
}
pub(crate) use table;

/// The key a field stands for: without the mark of Rust's raw identifiers.
pub(crate) const fn key(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// A table whose keys are names. An entry at fault keeps its name, so that its users are not blamed.
#[derive(Clone, Debug)]
pub(crate) struct Named<T>(pub Vec<(String, Option<T>)>);

impl<T: Decode> Decode for Named<T> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node)?;
        let decode = |(key, node): &(_, _)| named(key, node, reader);
        Some(Named(entries.iter().map(decode).collect()))
    }
}

pub(crate) fn named<T: Decode>(key: &Key, node: &Node, reader: &mut Reader<'_>) -> (String, Option<T>) {
    (key.name.clone(), reader.entry(key, node, |reader| T::decode(node, reader)))
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Named{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
    }
}
