//! Inputs and outputs by their names.

use super::Quantity;
use crate::Error;
use crate::interactions::{Between, InputPlace};
use crate::mechanism::Mechanism;
use crate::model::Input;
use crate::results::own_columns;

/// An input, and the variable that is changed for it: its value, or what it is filtered from.
#[derive(Clone, Debug)]
pub(super) struct InputColumn {
    pub quantity: Quantity,
    pub variable: usize,
    pub unit_size: f64,
}

/// An output, and its place in a row of results.
#[derive(Clone, Debug)]
pub(super) struct OutputColumn {
    pub quantity: Quantity,
    pub place: usize,
}

pub(super) fn inputs(mechanism: &Mechanism, names: Option<&[String]>) -> Result<Vec<InputColumn>, Error> {
    let interactions = &mechanism.interactions;
    let known = &interactions.inputs;
    let column = |input: &InputPlace| InputColumn {
        quantity: Quantity {
            name: format!("input.{}", input.name),
            unit: interactions.variables[input.first].unit.0.clone(),
        },
        variable: input.first + if matches!(input.between, Between::Filtered(_)) { 2 } else { 0 },
        unit_size: input.unit_size,
    };
    let Some(names) = names else { return Ok(known.iter().map(column).collect()) };
    let find = |name: &String| {
        let short = name.strip_prefix("input.").unwrap_or(name);
        let found = known.iter().find(|input| input.name == short).map(column);
        found.ok_or_else(|| Input::unknown(short, known.iter().map(|input| input.name.as_str())))
    };
    names.iter().map(find).collect()
}

pub(super) fn outputs(mechanism: &Mechanism, names: Option<&[String]>) -> Result<Vec<OutputColumn>, Error> {
    let known = own_columns(mechanism);
    let column = |place: usize| {
        let shown = &known[place];
        OutputColumn { quantity: Quantity { name: shown.name.clone(), unit: shown.unit.clone() }, place }
    };
    let Some(names) = names else {
        let measures = (0..known.len()).filter(|&place| known[place].name.starts_with("measure."));
        return Ok(measures.map(column).collect());
    };
    let find = |name: &String| {
        let is = |wanted: &str| known.iter().position(|column| column.name == wanted);
        let found = is(name).or_else(|| is(&format!("measure.{name}")));
        found.map(column).ok_or_else(|| {
            Error::State(format!(
                "cannot take `{name}` as an output: `{}` has no such result column; outputs are columns of its results, such as `{}`",
                mechanism.model.name,
                known.get(1).map_or("energy.total", |column| column.name.as_str())
            ))
        })
    };
    names.iter().map(find).collect()
}
