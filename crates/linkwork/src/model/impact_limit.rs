//! Limits that coordinates of joints bounce off.

use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

keys! {
    /// Hard limits of a joint's coordinate: at either end the rate turns round, times the restitution.
    ImpactLimit {
        /// Lower and upper limit of the coordinate, rad or m.
        range: [f64; 2] => required Range,
        /// How much of the speed is left after an impact, from 0 to 1.
        restitution: f64 => required Plain,
        /// Which of the joint's coordinates, counted from one; its place in the list if left out.
        coordinate: usize => default Count = 1,
    }
}

/// The key `impact_limits`: a table, or a list of them.
#[cfg(feature = "file")]
mod in_file {
    use super::ImpactLimit;
    use crate::file::along_coordinate;
    use crate::file::document::{Node, Value};
    use crate::file::keys::Keys;
    use crate::file::prelude::*;
    use crate::file::table::Properties;
    use crate::file::writing::context::{COORDINATE, unit};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    const KEY: &str = "impact_limits";

    impl Rules for ImpactLimit {}
    impl Rules for Vec<ImpactLimit> {}

    impl Keys for Vec<ImpactLimit> {
        fn keys() -> &'static [&'static str] {
            &[KEY]
        }

        fn of(_: &Node, given: Given<'_>, reader: &mut Reader<'_>) -> Self {
            let Some((key, node)) = given.find(KEY) else { return Vec::new() };
            let limit = |i: usize, node: &Node, reader: &mut Reader<'_>| {
                let mut limit = ImpactLimit::read("", node, reader);
                if !matches!(&node.value, Value::Table(keys) if keys.iter().any(|(key, _)| key.name == "coordinate"))
                {
                    limit.coordinate = i + 1;
                }
                let turns = reader.turns(given.name, limit.coordinate);
                reader.key_fits("range", turns, along_coordinate::COORDINATE);
                limit
            };
            reader.entry(key, node, |reader| {
                let Value::Array(items) = &node.value else { return vec![limit(0, node, reader)] };
                let each = |(i, item): (usize, &Node)| {
                    reader.within(&format!("[{i}]"), item.span.clone(), |reader| limit(i, item, reader))
                };
                items.iter().enumerate().map(each).collect()
            })
        }

        fn add(&self, name: &str, entry: Entry, context: &Context<'_>) -> Entry {
            let table = |(i, limit): (usize, &ImpactLimit)| {
                let ImpactLimit { range, restitution, coordinate } = limit;
                let unit = unit(context.turns(name, *coordinate), COORDINATE);
                let ends: Vec<Item> = range.iter().map(|&end| Item::Quantity(end, unit)).collect();
                let entry =
                    Entry::new(ImpactLimit::keys()).set("range", ends).set("restitution", *restitution);
                Item::from(entry.unless(*coordinate == i + 1, "coordinate", *coordinate))
            };
            let mut tables: Vec<Item> = self.iter().enumerate().map(table).collect();
            match tables.len() {
                0 | 1 => entry.maybe(KEY, tables.pop()),
                _ => entry.set(KEY, tables),
            }
        }

        fn properties(generator: &mut SchemaGenerator, schema: &mut Properties) {
            let about = "Hard limits that the joint's coordinate bounces off: { range = [low, high], restitution = e }; a list of such tables for several coordinates.";
            schema.key::<OneOrMore>(generator, KEY, about, false);
        }
    }

    /// A table of limits, or a list of them.
    struct OneOrMore;

    inline_schema!(OneOrMore, |generator| {
        let one = generator.subschema_for::<ImpactLimit>();
        json_schema!({ "anyOf": [one.clone(), { "type": "array", "items": one }] })
    });
}
