//! Tables, measures, and what formulas refer to.

use super::{Checker, MAX_NUMBER, MAX_SUGGESTIONS, Sign};
use crate::error::names::{nearest, segment};
use crate::expressions::order::circle_text;
use crate::expressions::{PointFunction, Problem, built_in};
use crate::model::{Between, Fault, Formula, Reference, StateChange, TIME};

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
            self.formula(if said { &value } else { &path }, &measure.formula, &[]);
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

    /// What a formula refers to must be there. `locals` are the names that its key allows besides.
    pub(super) fn formula(&mut self, path: &str, formula: &Formula, locals: &[&str]) {
        let alone = formula.references().is_empty() && formula.tables().is_empty();
        if let Some(trouble) = alone.then(|| formula.trouble(&[])).flatten() {
            self.in_formula(path, formula, Problem::new(trouble.span, trouble.message));
        } else if let Some(value) = formula.is_constant()
            && (value.is_nan() || value.abs() > MAX_NUMBER)
        {
            let wrong = if value.is_finite() { "is too large to compute with" } else { "must be finite" };
            self.error(path, format!("this value {wrong}, it is {value:e}"));
        }
        for reference in formula.references() {
            self.readings.advise = self.suggestions < MAX_SUGGESTIONS;
            if let Err(problem) = self.readings.reading(reference, locals) {
                self.suggestions += 1;
                self.in_formula(path, formula, problem);
            }
        }
        for table in formula.tables() {
            if self.readings.table(&table.name).is_none() {
                self.suggestions += 1;
                let tables = self.model.tables.iter().map(|table| table.name.as_str());
                let help =
                    if self.suggestions <= MAX_SUGGESTIONS { nearest(&table.name, tables) } else { None };
                let message = format!("there is no function or table `{}`", table.name);
                self.in_formula(path, formula, Problem { help, ..Problem::new(table.span.clone(), message) });
            }
        }
    }

    /// A formula that may use the time, and nothing that depends on the motion.
    pub(super) fn formula_of_time(&mut self, path: &str, formula: &Formula, what: &str) {
        self.formula(path, formula, &[]);
        let time = |reference: &Reference| reference.target.single() == Some(TIME);
        let known = |checker: &Self, reference: &Reference| checker.readings.reading(reference, &[]).is_ok();
        let other = formula.references().iter().find(|&reference| !time(reference) && known(self, reference));
        if let Some(reference) = other {
            let message = format!("{what} may depend on the time `t` only, not on `{}`", reference.target);
            let help = "use `t`, parameters and tables: it must be known before the motion is".to_owned();
            let problem = Problem { help: Some(help), ..Problem::new(reference.span.clone(), message) };
            self.in_formula(path, formula, problem);
        }
    }

    /// A fault inside a formula: where it stands in the file, if the text stands there letter by letter.
    fn in_formula(&mut self, path: &str, formula: &Formula, problem: Problem) {
        let mut fault = Fault { help: problem.help, ..Fault::error(path, problem.message) };
        let provenance = self.model.provenance.as_ref();
        if let Some(start) = provenance.and_then(|provenance| provenance.inside(path, formula.text())) {
            fault.span = Some(start + problem.span.start..start + problem.span.end);
        }
        self.faults.push(fault);
    }
}
