//! Tables, measures, and what formulas refer to.

use super::{Checker, Checks, MAX_NUMBER, Sign};
use crate::error::names::segment;
use crate::expressions::order::circle_text;
use crate::expressions::{PointFunction, Problem, built_in};
use crate::model::{Between, Fault, Formula, StateChange};

impl Checker<'_> {
    pub(super) fn tables(&mut self) {
        let model = self.model;
        self.names("tables", model.tables.iter().map(|table| table.name.as_str()));
        for table in &model.tables {
            let name = table.name.as_str();
            if built_in(name) || PointFunction::ALL.iter().any(|function| function.name() == name) {
                self.error(
                    format!("tables.{}", segment(name)),
                    format!("`{name}` is built in: choose another name"),
                );
            }
        }
    }

    pub(super) fn measures(&mut self) {
        let model = self.model;
        self.names("measures", model.measures.iter().map(|measure| measure.name.as_str()));
        for measure in &model.measures {
            let path = format!("measures.{}", segment(&measure.name));
            if built_in(&measure.name) {
                self.error(&path, format!("`{}` is built in: choose another name", measure.name));
            }
            if let Some(unit) = measure.unit.as_ref().filter(|_| measure.unit_size().is_none()) {
                self.error(format!("{path}.unit"), format!("`{unit}` is not a unit"));
            }
            let value = format!("{path}.value");
            let said = self.said(&value).is_some();
            self.formula(if said { &value } else { &path }, &measure.value, &[]);
        }
        model.measure_order_telling(|circle| {
            let names = circle_text(circle, |i| &model.measures[i].name);
            let path = format!("measures.{}", segment(&model.measures[circle[0]].name));
            self.error(path, format!("this measure depends on itself: {names}"));
        });
    }

    pub(super) fn variables(&mut self) {
        let model = self.model;
        self.names("inputs", model.inputs.iter().map(|input| input.name.as_str()));
        self.names("states", model.states.iter().map(|state| state.name.as_str()));
        for input in &model.inputs {
            let path = format!("inputs.{}", segment(&input.name));
            if let Some(unit) = input.unit.as_ref().filter(|_| input.unit_size().is_none()) {
                self.error(format!("{path}.unit"), format!("`{unit}` is not a unit"));
            }
            if input.default.is_nan() || input.default.abs() > MAX_NUMBER {
                self.error(format!("{path}.default"), "this number is too large to compute with");
            }
            if let Some([low, high]) = input.limits {
                if !(low < high && low.abs() <= MAX_NUMBER && high.abs() <= MAX_NUMBER) {
                    self.error(
                        format!("{path}.limits"),
                        "the lower limit comes first and is below the upper one",
                    );
                } else if !(low <= input.default && input.default <= high) {
                    self.error(format!("{path}.default"), "the default lies beyond the limits");
                }
            }
            if let Between::Filtered(tau) = input.between
                && !(tau > 0.0 && tau <= MAX_NUMBER)
            {
                self.error(format!("{path}.filter"), "the time constant of a filter must be positive");
            }
        }
        for state in &model.states {
            let path = format!("states.{}", segment(&state.name));
            if let Some(unit) = state.unit.as_ref().filter(|_| state.unit_size().is_none()) {
                self.error(format!("{path}.unit"), format!("`{unit}` is not a unit"));
            }
            if state.initial.is_nan() || state.initial.abs() > MAX_NUMBER {
                self.error(format!("{path}.initial"), "this number is too large to compute with");
            }
            if !(state.scale > 0.0 && state.scale <= MAX_NUMBER) {
                self.error(format!("{path}.scale"), "the scale must be positive");
            }
            match &state.change {
                StateChange::Rate(rate) => self.formula(&format!("{path}.rate"), rate, &[]),
                StateChange::Next { value, every } => {
                    self.formula(&format!("{path}.next"), value, &[]);
                    self.number(&format!("{path}.every"), *every, Sign::Positive);
                }
            }
        }
    }

    /// A fault inside a formula: where it stands in the file, if the text stands there letter by letter.
    pub(super) fn in_formula(&mut self, path: &str, formula: &Formula, problem: Problem) {
        let mut fault = Fault { help: problem.help, ..Fault::error(path, problem.message) };
        let provenance = self.model.provenance.as_ref();
        if let Some(start) = provenance.and_then(|provenance| provenance.inside(path, formula.text())) {
            fault.span = Some(start + problem.span.start..start + problem.span.end);
        }
        self.faults.push(fault);
    }
}
