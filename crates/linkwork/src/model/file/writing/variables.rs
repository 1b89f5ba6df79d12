//! Inputs and states. Their numbers count in the unit of the entry.

use super::super::format::{InputTable, StateTable};
use crate::expressions::units::{self, Dims};
use crate::file::writing::item::{Entry, Item, is};
use crate::file::writing::number::{RADIAN, number, times};
use crate::model::{Between, Input, StateChange, StateVariable};

pub(super) fn input(input: &Input) -> Item {
    let Input { name: _, default, unit, limits, between } = input;
    let value = |value: &f64| in_unit(*value, unit.as_deref());
    // something has to be said
    let alone = unit.is_none() && limits.is_none() && *between == Between::Held;
    let entry = Entry::new(InputTable::KEYS)
        .alone("default")
        .unless(is(*default, 0.0) && !alone, "default", value(default))
        .maybe("unit", unit.as_ref())
        .maybe("limits", limits.as_ref().map(|limits| limits.iter().map(value).collect::<Vec<_>>()));
    match between {
        Between::Held => entry.unless(true, "between", "held"),
        Between::Linear => entry.set("between", "linear"),
        Between::Filtered(time) => entry.set("filter", Item::Quantity(*time, "s")),
    }
    .into()
}

pub(super) fn state(state: &StateVariable) -> Item {
    let StateVariable { name: _, change, initial, unit, scale } = state;
    let entry = Entry::new(StateTable::KEYS);
    let (entry, sampled) = match change {
        StateChange::Rate(rate) => (entry.set("rate", rate), false),
        StateChange::Next { value, every } => {
            (entry.set("next", value).set("every", Item::Quantity(*every, "s")), true)
        }
    };
    entry
        .unless(is(*initial, 0.0), "initial", in_unit(*initial, unit.as_deref()))
        .maybe("unit", unit.as_ref())
        .unless(
            sampled || is(*scale, state.unit_size().unwrap_or(1.0)),
            "scale",
            in_unit(*scale, unit.as_deref()),
        )
        .into()
}

/// A number in the unit of its entry: bare, or with SI units where no bare one has the same bits.
fn in_unit(value: f64, unit: Option<&str>) -> Item {
    let Some((size, dims)) = unit.and_then(units::parse) else { return Item::Number(value) };
    match times(value, size, 17) {
        Some(count) => Item::Number(count),
        None => Item::Text(format!("{} {}", number(value), si(dims))),
    }
}

/// The SI unit of a dimension, in base units.
fn si(dims: Dims) -> String {
    let part = |(symbol, exponent): (&str, i8)| match exponent {
        0 => None,
        1 => Some(symbol.to_owned()),
        n => Some(format!("{symbol}^{n}")),
    };
    let parts: Vec<String> =
        [("kg", dims.kg), ("m", dims.m), ("s", dims.s)].into_iter().filter_map(part).collect();
    if parts.is_empty() { RADIAN.into() } else { parts.join(" ") }
}
