//! Names that stand for one of several choices.

use crate::drawing::Axes;
use crate::error::names::nearest;
use crate::expressions::{Extend, Interpolation};
use crate::file::decode::{Decode, Reader};
use crate::file::document::Node;
use crate::joints::JointKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Names that stand for values.
pub(crate) trait Choices: Copy + 'static {
    /// What is chosen, for schema and messages.
    const WHAT: &'static str;
    /// Every name; the first of a value is its proper one.
    fn choices() -> Vec<(&'static str, Self)>;
}

/// Lets the names that all values of a type have stand for them.
macro_rules! named_choices {
    ($type:ty, $what:literal) => {
        impl $crate::file::values::Choices for $type {
            const WHAT: &'static str = $what;
            fn choices() -> Vec<(&'static str, Self)> {
                <$type>::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
            }
        }
    };
}
pub(crate) use named_choices;

impl Choices for JointKind {
    const WHAT: &'static str = "type of joint";
    fn choices() -> Vec<(&'static str, Self)> {
        let mut choices: Vec<_> = JointKind::ALL.iter().map(|&kind| (kind.name(), kind)).collect();
        let others = |&kind: &JointKind| kind.descriptor().aliases.iter().map(move |&name| (name, kind));
        choices.extend(JointKind::ALL.iter().flat_map(others));
        choices
    }
}

named_choices!(Interpolation, "interpolation");
named_choices!(Extend, "way to extend a table");

/// One of several names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<T>(pub T);

impl<T: Choices> JsonSchema for Choice<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = T::choices().into_iter().map(|(name, _)| name).collect();
        json_schema!({ "enum": names })
    }
}

impl<T: Choices> Decode for Choice<T> {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let name = String::decode(node, reader)?;
        let choices = T::choices();
        match choices.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => Some(Choice(*value)),
            None => {
                let help = nearest(&name, choices.iter().map(|(known, _)| *known));
                reader.fault_with(node.span.clone(), format!("unknown {} `{name}`", T::WHAT), help)
            }
        }
    }
}

impl Choices for Axes {
    const WHAT: &'static str = "kind of axes";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("world", Axes::World), ("body", Axes::Body)]
    }
}
