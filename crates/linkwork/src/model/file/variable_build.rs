//! Inputs and states from their tables.

use super::decode::Reader;
use super::format::{InputTable, StateTable};
use super::values::{AnyNumber, UnitName};
use crate::model::expression::quantity::State;
use crate::model::expression::units;
use crate::model::fault::segment;
use crate::model::{Between, Fault, Formula, Input, StateVariable};

/// A number in the unit of its entry: a bare one counts in it, one with a unit of its own must be of its kind.
fn in_unit(number: AnyNumber, unit: Option<&UnitName>, path: &str, reader: &mut Reader<'_>) -> f64 {
    let AnyNumber(value, state) = number;
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
    let mut number = |value: Option<AnyNumber>, key: &str| {
        value.map(|number| in_unit(number, unit, &format!("{path}.{key}"), reader))
    };
    let initial = number(table.initial, "initial").unwrap_or(0.0);
    let size = unit.and_then(|unit| units::parse(&unit.0)).map_or(1.0, |(size, _)| size);
    let scale = number(table.scale, "scale").unwrap_or(size);
    let rate = table.rate.map_or(Formula::constant(0.0), |rate| rate.0);
    StateVariable { name, rate, initial, unit: table.unit.map(|unit| unit.0), scale }
}
