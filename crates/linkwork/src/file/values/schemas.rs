//! Schemas of values, for editors.

use schemars::{Schema, json_schema};

/// Writes `JsonSchema` for a type whose schema is spelled where it is used.
macro_rules! inline_schema {
    ($(const $($generic:ident)+ =>)? $name:ty, $schema:expr) => {
        impl$(<$(const $generic: i8),+>)? JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let schema: fn(&mut SchemaGenerator) -> Schema = $schema;
                schema(generator)
            }
        }
    };
}
pub(crate) use inline_schema;

pub(crate) fn number_schema() -> Schema {
    json_schema!({ "type": ["number", "string"] })
}

pub(crate) fn vector_schema(least: usize, most: usize) -> Schema {
    json_schema!({ "type": "array", "items": number_schema(), "minItems": least, "maxItems": most })
}

pub(crate) fn names_schema() -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
}
