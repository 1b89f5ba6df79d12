//! Inputs and states from their tables.

use super::format::{InputTable, StateTable};
use crate::error::names::segment;
use crate::expressions::quantity::State;
use crate::expressions::units;
use crate::file::decode::Reader;
use crate::file::values::{AnyQuantity, UnitName};
use crate::model::{Between, Fault, Formula, Input, StateChange, StateVariable};

/// A number in the unit of its entry: a bare one counts in it, one with a unit of its own must be of its kind.
fn in_unit(number: AnyQuantity, unit: Option<&UnitName>, path: &str, reader: &mut Reader<'_>) -> f64 {
    let AnyQuantity(value, state) = number;
    match (unit, state) {
        (Some(UnitName(name, dims)), State::Known(found)) => {
            if found != *dims {
                let message = format!("this is {found}, but `{name}` is the unit of {dims}");
                reader.push(Fault::error(path, message));
            }
            value
        }
        (Some(UnitName(name, _)), _) => value * units::parse(name).map_or(1.0, |(size, _)| size),
        (None, _) => value,
    }
}

pub(super) fn input(name: String, table: InputTable, reader: &mut Reader<'_>) -> Input {
    let path = format!("inputs.{}", segment(&name));
    let unit = table.unit.as_ref();
    let default =
        table.default.map_or(0.0, |number| in_unit(number, unit, &format!("{path}.default"), reader));
    let limits = table.limits.and_then(|list| {
        let at = format!("{path}.limits");
        let &[low, high] = list.as_slice() else {
            let message = format!("limits are two numbers, [lowest, highest]; there are {}", list.len());
            reader.push(Fault::error(at, message));
            return None;
        };
        Some([low, high].map(|number| in_unit(number, unit, &at, reader)))
    });
    let linear = table.between.is_some_and(|choice| choice.0.0);
    let between = match table.filter {
        Some(filter) if linear => {
            let message = "an input is either `linear` between changes or has a `filter`";
            reader.push(Fault::error(format!("{path}.filter"), message));
            Between::Filtered(filter.0)
        }
        Some(filter) => Between::Filtered(filter.0),
        None if linear => Between::Linear,
        None => Between::Held,
    };
    Input { name, default, unit: table.unit.map(|unit| unit.0), limits, between }
}

pub(super) fn state(name: String, table: StateTable, reader: &mut Reader<'_>) -> StateVariable {
    let path = format!("states.{}", segment(&name));
    let unit = table.unit.as_ref();
    let mut number = |value: Option<AnyQuantity>, key: &str| {
        value.map(|number| in_unit(number, unit, &format!("{path}.{key}"), reader))
    };
    let initial = number(table.initial, "initial").unwrap_or(0.0);
    let size = unit.and_then(|unit| units::parse(&unit.0)).map_or(1.0, |(size, _)| size);
    let scaled = table.scale.is_some();
    let scale = number(table.scale, "scale").unwrap_or(size);
    let mut refuse = |key: &str, message: &str, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
    };
    let change = match (table.rate, table.next, table.every) {
        (Some(rate), None, None) => StateChange::Rate(rate.0),
        (None, Some(next), Some(every)) => {
            if scaled {
                refuse(".scale", "`scale` belongs to a `rate`: a sampled state has no error", "remove it");
            }
            StateChange::Next { value: next.0, every: every.0 }
        }
        (rate, next, every) => {
            let (key, message, help) = match (rate.is_some(), next.is_some(), every.is_some()) {
                (true, true, _) => ("", "a state has a `rate` or a `next`", "keep one of the two"),
                (true, false, _) => {
                    (".every", "`every` belongs to `next`", "remove it, or write `next` instead of `rate`")
                }
                (false, true, _) => {
                    (".next", "nothing says when this value is taken", "give the period: `every = \"1 ms\"`")
                }
                (false, false, _) => {
                    ("", "nothing says how this state changes", "give a `rate`, or `next` and `every`")
                }
            };
            let _ = every;
            refuse(key, message, help);
            StateChange::Rate(Formula::constant(0.0))
        }
    };
    StateVariable { name, change, initial, unit: table.unit.map(|unit| unit.0), scale }
}
