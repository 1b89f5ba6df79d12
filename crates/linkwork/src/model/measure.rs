//! Measures: named quantities computed from others, and the named curves that formulas call.

use super::Model;
use crate::expressions::order::order;
use crate::expressions::{Formula, Reference, Table, units};
use std::collections::HashMap;
use std::sync::Arc;

/// A table with the name that formulas call it by.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// Its name: `profile` is called as `profile(t)`.
    pub name: String,
    /// The curve.
    pub table: Arc<Table>,
}

/// A named quantity of the results, computed from others. Other formulas may use it by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// Its value, in SI units.
    pub formula: Formula,
    /// The unit it is shown in, such as `N/mm`; SI if there is none.
    pub unit: Option<String>,
}

impl Measure {
    /// A measure shown in SI units.
    pub fn new(name: impl Into<String>, formula: impl Into<Formula>) -> Self {
        Measure { name: name.into(), formula: formula.into(), unit: None }
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
            .map(|measure| measure.formula.references().iter().filter_map(used).collect())
            .collect();
        order(uses.len(), |i| &uses[i], circle)
    }
}
