//! The `[parameters]` of a model file: named values that may use each other in any order.
//!
//! A parameter is a number or an expression, or a table that has it as `value` and says besides between what it may be moved, and what a slider calls it.

use super::decode::Reader;
use super::document::{Key, Node, Value};
use crate::error::names::nearest;
use crate::error::{Fault, ParameterRange};
use crate::expressions::order::circle_text;
use crate::expressions::quantity::{Quantity, State, evaluate};
use crate::expressions::{Expression, Reference, TIME, built_in};
use std::collections::{BTreeSet, HashMap};

/// The value of a parameter that failed: its users say nothing more about it.
const FAILED: Quantity = Quantity { value: f64::NAN, state: State::Unknown };

/// One parameter on its way to a value.
struct Parameter<'a> {
    key: &'a Key,
    node: &'a Node,
    /// Nothing for a plain number, or once it failed.
    expression: Option<(Expression, &'a str)>,
    /// Indices of the parameters it uses, in the order of the expression's names.
    uses: Vec<usize>,
    value: Option<Quantity>,
}

/// The keys of a parameter that is a table.
pub(crate) const KEYS: [&str; 4] = ["value", "min", "max", "label"];

/// Where the value of a parameter stands: in it, or it is that itself.
pub(crate) fn value_of(node: &Node) -> &Node {
    match &node.value {
        Value::Table(entries) => {
            entries.iter().find(|(key, _)| key.name == KEYS[0]).map_or(node, |(_, value)| value)
        }
        _ => node,
    }
}

/// Evaluates all parameters and gives them to the reader.
pub(crate) fn resolve(node: &Node, reader: &mut Reader<'_>) {
    let Some(entries) = reader.entries(node) else { return };
    let index: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(i, (key, _))| (key.name.as_str(), i)).collect();
    // names must be known before the first expression is judged
    reader.parameters = entries.iter().map(|(key, _)| (key.name.clone(), FAILED)).collect();
    let mut parameters: Vec<Parameter> = entries
        .iter()
        .map(|(key, node)| {
            let node = value_of(node);
            reader.entry(key, node, |reader| read(key, node, &index, reader))
        })
        .collect();
    for &(name, value) in reader.overrides {
        if let Some(&i) = index.get(name) {
            let parameter = &mut parameters[i];
            parameter.expression = None;
            parameter.uses.clear();
            parameter.value = Some(Quantity { value, state: State::Unknown });
        }
    }
    for i in order(&parameters, reader) {
        if parameters[i].value.is_some() {
            continue;
        }
        let parameter = &parameters[i];
        let Some((expression, text)) = &parameter.expression else { continue };
        let values: Vec<_> =
            parameter.uses.iter().map(|&other| parameters[other].value.unwrap_or(FAILED)).collect();
        let value = reader.entry(parameter.key, parameter.node, |reader| {
            match evaluate(expression, |name| values[name]) {
                Ok(quantity) => Some(quantity),
                Err(problem) => reader.problem(parameter.node, text, problem),
            }
        });
        // without a unit it may stand for anything
        let value = value.map(|quantity| match quantity.state {
            State::Number => Quantity { state: State::Unknown, ..quantity },
            _ => quantity,
        });
        parameters[i].value = Some(value.unwrap_or(FAILED));
    }
    for parameter in &parameters {
        reader.parameters.insert(parameter.key.name.clone(), parameter.value.unwrap_or(FAILED));
    }
    for (key, node) in entries {
        if let Value::Table(fields) = &node.value {
            reader.entry(key, node, |reader| range(key, node, fields, reader));
            // the place of a parameter is that of its value
            reader.entry(key, value_of(node), |_| ());
        }
    }
}

/// Between what a parameter may be moved, and its label.
fn range(key: &Key, node: &Node, fields: &[(Key, Node)], reader: &mut Reader<'_>) {
    if reader.table(node, &KEYS).is_none() || std::ptr::eq(value_of(node), node) {
        return;
    }
    let own = reader.parameters.get(&key.name).copied().unwrap_or(FAILED);
    let mut range = ParameterRange::default();
    for (key, node) in fields {
        reader.entry(key, node, |reader| match (key.name.as_str(), &node.value) {
            ("label", Value::String(text)) => range.label = Some(text.clone()),
            ("label", _) => {
                reader.wrong::<()>(node, "a text");
            }
            (end @ ("min" | "max"), Value::Number(_) | Value::String(_)) => {
                let Some(found) = reader.quantity(node) else { return };
                if let (Some(own), Some(found)) = (own.state.dims(), found.state.dims())
                    && own != found
                {
                    reader.fault::<()>(node.span.clone(), format!("the value is {own}, but this is {found}"));
                }
                let place = if end == "min" { &mut range.min } else { &mut range.max };
                *place = Some(found.value);
            }
            ("min" | "max", _) => {
                reader.wrong::<()>(node, "a number or an expression");
            }
            _ => {}
        });
    }
    // a value that was given from elsewhere may lie outside
    if let (Some(min), Some(max)) = (range.min, range.max)
        && min >= max
    {
        reader.fault::<()>(key.span.clone(), "`min` must be below `max`");
    }
    reader.ranges.insert(key.name.clone(), range);
}

/// Tells the values from elsewhere that cannot be given to any parameter.
pub(crate) fn check_overrides(reader: &mut Reader<'_>) {
    for &(name, value) in reader.overrides {
        let path = format!("parameters.{name}");
        if !reader.parameters.contains_key(name) {
            let mut fault =
                Fault::error(path, format!("the model has no parameter `{name}` to give a value to"));
            let known: BTreeSet<&str> = reader.parameters.keys().map(String::as_str).collect();
            fault.help = nearest(name, known).or_else(|| Some("define it under [parameters]".into()));
            reader.push(fault);
        } else if !value.is_finite() {
            reader.push(Fault::error(path, format!("the value {value} given to `{name}` is not finite")));
        }
    }
}

fn read<'a>(
    key: &'a Key,
    node: &'a Node,
    index: &HashMap<&str, usize>,
    reader: &mut Reader<'_>,
) -> Parameter<'a> {
    let mut parameter = Parameter { key, node, expression: None, uses: Vec::new(), value: None };
    check_name(key, reader);
    match &node.value {
        Value::Number(value) if value.is_finite() => {
            parameter.value = Some(Quantity { value: *value, state: State::Unknown });
        }
        Value::Number(_) => {
            reader.fault::<()>(node.span.clone(), "this number is not finite");
        }
        Value::String(text) => {
            if let Some(expression) = reader.compile(node, text) {
                let mut known = reader.fixed(node, text, &expression).is_some();
                for Reference { target, span } in &expression.references {
                    let Some(name) = target.single() else { continue };
                    match index.get(name) {
                        Some(&other) => parameter.uses.push(other),
                        None => {
                            reader.unknown_parameter(node, text, name, span.clone());
                            known = false;
                        }
                    }
                }
                parameter.expression = known.then_some((expression, text));
                if !known {
                    parameter.uses.clear();
                }
            }
        }
        _ => {
            let help =
                "as a table it has its value as `value`: { value = \"30 cm\", min = 0, max = \"1 m\" }";
            let message = format!("expected a number or an expression, found {}", node.kind());
            reader.fault_with::<()>(node.span.clone(), message, Some(help.into()));
        }
    }
    parameter
}

fn check_name(key: &Key, reader: &mut Reader<'_>) {
    let name = key.name.as_str();
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !name.starts_with(letter) || !name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
        let help = "use letters, digits and `_`, not beginning with a digit";
        let message = format!("expressions cannot use the parameter name `{name}`");
        reader.fault_with::<()>(key.span.clone(), message, Some(help.into()));
    } else if name == TIME {
        reader.fault::<()>(key.span.clone(), "`t` is the time: choose another name");
    } else if built_in(name) {
        reader.fault::<()>(key.span.clone(), format!("`{name}` is built in: choose another name"));
    }
}

/// An order in which each parameter comes after those it uses; tells the circles.
fn order(parameters: &[Parameter<'_>], reader: &mut Reader<'_>) -> Vec<usize> {
    let uses = |i: usize| parameters[i].uses.as_slice();
    crate::expressions::order::order(parameters.len(), uses, |circle| {
        let names = circle_text(circle, |i| &parameters[i].key.name);
        let first = &parameters[circle[0]];
        reader.entry(first.key, first.node, |reader| {
            let message = format!("this parameter depends on itself: {names}");
            reader.fault::<()>(first.node.span.clone(), message);
        });
    })
}
