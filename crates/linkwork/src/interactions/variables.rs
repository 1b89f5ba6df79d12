//! Variables: numbers of a state that formulas read and that no body has, behind the hints and holds. Inputs are such variables, and states with differential equations of
//! the user's.
//!
//! An input takes up as many as it needs to be a state like any other, so that nothing outside of the state changes between evaluations:
//!
//! ```text
//!   (N1)  held:       x, ẋ = 0
//!   (N2)  linear:     x, ẋ = s;  s, ṡ = 0
//!   (N3)  filtered:   x, ẋ = v;  v, v̇ = (w − x − 2τv)/τ²;  w, ẇ = 0
//! ```

use super::action::Action;
use super::program::{Context, Program, Scratch};
use crate::linalg::jet::Jet;

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What results call it.
    pub name: String,
    /// Whether they show it.
    pub shown: bool,
    /// The unit it is shown in, and its size in SI units.
    pub unit: (String, f64),
    /// Its initial value.
    pub initial: f64,
    /// How it changes.
    pub rate: Rate,
    /// What counts as large, for error control; infinite if its error does not count.
    pub scale: f64,
}

/// How a variable changes.
#[derive(Clone, Debug)]
pub enum Rate {
    /// Not by itself.
    Still,
    /// As the variable with this number says.
    Of(usize),
    /// (N3), as the velocity of a filter of this time constant whose x and w have these numbers; the velocity itself lies between them.
    Filter(f64, [usize; 2]),
    /// As a formula says.
    Program(Program),
    /// As the integral of the controller of this action, (M5).
    Integral(usize),
}

/// What an input does between two changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Between {
    /// It jumps to a new value and keeps it.
    Held,
    /// It goes to a new value in a straight line and is there at the end of the time that the simulation is advanced by.
    Linear,
    /// It follows a new value as x + 2τẋ + τ²ẍ = value does, τ the time in seconds: smooth enough for a driver.
    Filtered(f64),
}

/// An input among the variables.
#[derive(Clone, Debug)]
pub struct InputPlace {
    /// Its name.
    pub name: String,
    /// Its first variable.
    pub first: usize,
    /// How it goes on between changes.
    pub between: Between,
    /// Values beyond these are cut.
    pub limits: Option<[f64; 2]>,
    /// The size of its unit.
    pub unit_size: f64,
}

impl Rate {
    /// The rate where the variables have these values.
    pub(super) fn value(&self, at: &Context<'_>, variables: &[f64], scratch: &mut Scratch) -> f64 {
        match self {
            Rate::Still => 0.0,
            Rate::Of(k) => variables[*k],
            Rate::Filter(tau, [x, w]) => filter(*tau, variables[*x], variables[x + 1], variables[*w]),
            Rate::Program(program) => program.eval(at, scratch),
            Rate::Integral(action) => match &at.interactions.actions[*action].action {
                Action::Actuator(actuator) => actuator.integral_rate(at, scratch),
                _ => 0.0,
            },
        }
    }
}

fn filter(tau: f64, x: f64, v: f64, w: f64) -> f64 {
    (w - x - 2.0 * tau * v) / (tau * tau)
}

impl InputPlace {
    /// Its value with two derivatives, which is continuous only if it is filtered.
    pub fn jet(&self, variables: &[f64]) -> Jet {
        let x = variables[self.first];
        match self.between {
            Between::Held => Jet::from(x),
            Between::Linear => Jet::new(x, variables[self.first + 1], 0.0),
            Between::Filtered(tau) => {
                let [v, w] = [variables[self.first + 1], variables[self.first + 2]];
                Jet::new(x, v, filter(tau, x, v, w))
            }
        }
    }
}
