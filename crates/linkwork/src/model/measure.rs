//! Measures: named quantities computed from others.

use super::Model;
use crate::expressions::order::order;
use crate::expressions::{Formula, Reference, units};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use std::collections::HashMap;

keys! {
    /// A quantity computed during the run. Other expressions may use it by its name.
    Measure(name) {
        /// Its value: an expression of time and readings, in SI units.
        value: Formula => required AnyFormula = Formula::constant(0.0),
        /// The unit it is shown in, such as "kN"; if left out the SI unit, as far as the value tells it.
        unit: Option<String> => optional UnitName,
    }
}

#[cfg(feature = "file")]
impl Rules for Measure {
    const ALONE: Option<&'static str> = Some("value");

    fn judge(&mut self, _: Given<'_>, reader: &mut Reader<'_>) {
        if reader.parameters.contains_key(&self.name) {
            let message = format!("`{}` is the name of a parameter, too", self.name);
            reader.refuse("", message, "give the measure another name");
        }
        let unit = self.unit.as_ref().and_then(|unit| Some((unit, units::parse(unit)?.1)));
        let alone = reader.states.get(reader.path()).copied();
        let found = reader.noted("value").or(alone).and_then(|state| state.measured());
        if let (Some((unit, dims)), Some(found)) = (unit, found)
            && found != dims
        {
            let message = format!("`{unit}` is the unit of {dims}, but the value is {found}");
            reader.push(Fault::error(format!("{}.unit", reader.path()), message));
        }
        if let Some(found) = found.filter(|_| self.unit.is_none()) {
            reader.units.insert(reader.path().to_owned(), found.unit());
        }
    }
}

impl Measure {
    /// A measure shown in SI units.
    pub fn new(name: impl Into<String>, value: impl Into<Formula>) -> Self {
        Measure { name: name.into(), value: value.into(), unit: None }
    }

    /// Sets the unit it is shown in.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// The size of its unit in SI units: the value shown is that of the formula divided by this. Nothing if there is no such unit.
    pub fn unit_size(&self) -> Option<f64> {
        self.unit.as_ref().map_or(Some(1.0), |unit| units::parse(unit).map(|(size, _)| size))
    }
}

impl Model {
    /// The measures in an order in which each comes after those that it uses. Those of a circle, which the check refuses, come in any.
    pub fn measure_order(&self) -> Vec<usize> {
        self.measure_order_telling(|_| ())
    }

    pub(crate) fn measure_order_telling(&self, circle: impl FnMut(&[usize])) -> Vec<usize> {
        let index: HashMap<&str, usize> =
            self.measures.iter().enumerate().map(|(i, measure)| (measure.name.as_str(), i)).collect();
        let used = |reference: &Reference| index.get(reference.target.single()?).copied();
        let uses: Vec<Vec<usize>> = self
            .measures
            .iter()
            .map(|measure| measure.value.references().iter().filter_map(used).collect())
            .collect();
        order(uses.len(), |i| &uses[i], circle)
    }
}
