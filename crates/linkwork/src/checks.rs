//! Checks of joints and elements: what they may ask of the model around them, whether names mean something and numbers make sense. Every fault goes to the list, none ends the check.

use crate::drawing::Axis;
use crate::error::Fault;
use crate::expressions::{Formula, Table};
use std::sync::Arc;

/// Which numbers make sense.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sign {
    /// Zero or more.
    NotNegative,
    /// More than zero.
    Positive,
}

/// The model around a joint or an element, and the faults found so far. Paths are those of the file: `springs.front.stiffness`.
pub(crate) trait Checks {
    /// Whether the model is planar.
    fn planar(&self) -> bool;
    /// Keeps a fault.
    fn push(&mut self, fault: Fault);
    /// A number that must be finite and of a given sign.
    fn number(&mut self, path: &str, value: f64, sign: Sign);
    /// Numbers that must be finite and not too large; says whether they are.
    fn sizes(&mut self, path: &str, what: &str, numbers: &[f64]) -> bool;
    /// A vector that must be finite, and in the plane of a planar model.
    fn vector(&mut self, path: &str, vector: [f64; 3]);
    /// A moment or an angular velocity: about z in the plane, any direction in space.
    fn turning(&mut self, path: &str, vector: [f64; 3]);
    /// A direction as drawn; `None` if it is not known.
    fn axis(&mut self, path: &str, axis: &Axis) -> Option<[f64; 3]>;
    /// The name of a point; where it is drawn.
    fn point(&mut self, path: &str, name: &str) -> Option<[f64; 3]>;
    /// The name of a body, or `ground`; says whether there is one.
    fn body(&mut self, path: &str, name: &str) -> bool;
    /// The name of a body that is not `ground`; `message` says why not.
    fn moving_body(&mut self, path: &str, name: &str, message: &str);
    /// The name of a point that a body must hold.
    fn point_of(&mut self, path: &str, name: &str, body: &str);
    /// Whether a body holds a point.
    fn holds(&self, body: &str, point: &str) -> bool;
    /// What a formula refers to must be there. `locals` are the names that its key allows besides.
    fn formula(&mut self, path: &str, formula: &Formula, locals: &[&str]);
    /// Three formulas of a vector.
    fn formulas(&mut self, path: &str, parts: &[Formula; 3]);
    /// A formula that may use the time, and nothing that depends on the motion.
    fn formula_of_time(&mut self, path: &str, formula: &Formula, what: &str);
    /// The name of a table, where a key takes one.
    fn table_named(&mut self, path: &str, name: Option<&str>);
    /// A table of the model by its name.
    fn table(&self, name: &str) -> Option<Arc<Table>>;
    /// The names of all tables.
    fn table_names(&self) -> Vec<String>;
    /// A name that nothing has; `known` are those that could have been meant.
    fn unknown(&mut self, path: &str, what: &str, name: &str, known: Vec<&str>);
}

impl dyn Checks + '_ {
    /// Keeps an error.
    pub fn error(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.push(Fault::error(path, message));
    }

    /// Keeps an error with advice.
    pub fn error_with(
        &mut self,
        path: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Fault::error(path, message).help(help));
    }
}
