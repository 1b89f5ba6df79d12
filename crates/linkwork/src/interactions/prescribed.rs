//! Values that a driver prescribes: formulas of the time and of filtered inputs.
//!
//!   (P1)  w h(t, x₁, x₂, …),   its first and second derivative by the chain rule, with ẋ and ẍ of the filter (N3)

use super::variables::InputPlace;
use super::{Interactions, Program, Slot};
use crate::expressions::{Formula, FormulaError};
use crate::linalg::jet::Jet;

/// A driver's formula has at most this many names.
pub const MOST_NAMES: usize = 8;

/// A prescribed value.
#[derive(Clone, Debug)]
pub struct Prescribed {
    /// w
    pub weight: f64,
    /// h
    formula: Formula,
    /// The inputs among the formula's names, by their places among these; the others are the time.
    inputs: Vec<(usize, InputPlace)>,
    /// How many values of locks stand before the variables.
    holds: usize,
}

impl Prescribed {
    /// A function of the time.
    pub fn of_time(weight: f64, formula: Formula) -> Self {
        Prescribed { weight, formula, inputs: Vec::new(), holds: 0 }
    }

    /// A function of the time and of inputs, which stand at places among the names of the formula; there are at most [`MOST_NAMES`] of these.
    pub fn new(weight: f64, formula: Formula, inputs: Vec<(usize, InputPlace)>) -> Self {
        debug_assert!(formula.references().len() <= MOST_NAMES);
        Prescribed { weight, formula, inputs, holds: 0 }
    }

    /// h
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// How many values of locks stand before the variables, once that is known.
    pub(crate) fn settle(&mut self, holds: usize) {
        self.holds = holds;
    }

    /// h as a program, without derivatives.
    pub(super) fn program(&self) -> Program {
        let mut slots = vec![Slot::Time; self.formula.references().len()];
        self.inputs.iter().for_each(|(place, input)| slots[*place] = Slot::Variable(input.first));
        Program::new(self.formula.clone(), slots)
    }

    fn names(&self, t: f64, variables: &[f64]) -> [Jet; MOST_NAMES] {
        let mut names = [Jet::time(t); MOST_NAMES];
        for (place, input) in &self.inputs {
            names[*place] = input.jet(variables);
        }
        names
    }

    /// h with its derivatives at a time; `holds` are the values of locks and the variables behind them.
    #[inline]
    pub fn jet(&self, t: f64, holds: &[f64], stack: &mut Vec<Jet>) -> Jet {
        if self.inputs.is_empty() {
            return self.formula.eval_jet(&[Jet::time(t)], stack);
        }
        self.formula.eval_jet(&self.names(t, &holds[self.holds..]), stack)
    }

    /// The same with all inputs at their initial values; allocates.
    pub fn initial_jet(&self, t: f64, interactions: &Interactions) -> Jet {
        let variables = initial(interactions);
        self.formula.eval_jet(&self.names(t, &variables), &mut Vec::new())
    }

    /// Why there is no value at a time; inputs have their initial values. Allocates.
    pub fn trouble(&self, t: f64, interactions: &Interactions) -> Option<FormulaError> {
        self.formula.trouble(&self.names(t, &initial(interactions)))
    }
}

fn initial(interactions: &Interactions) -> Vec<f64> {
    interactions.variables.iter().map(|variable| variable.initial).collect()
}
