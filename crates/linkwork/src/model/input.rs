//! Inputs and states: numbers that formulas read and that no body has. An input is set from outside while the mechanism moves; a state has a differential
//! or difference equation of its own.

use super::{Formula, Model};
use crate::Error;
use crate::expressions::units;
pub use crate::interactions::Between;

/// A number that whoever runs the mechanism may change at any time, read as `input.NAME`.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its value as long as nobody sets it, SI units.
    pub default: f64,
    /// The unit in which it is set and shown, such as `deg`; SI if there is none.
    pub unit: Option<String>,
    /// Values beyond these are cut, SI units.
    pub limits: Option<[f64; 2]>,
    /// What happens between changes.
    pub between: Between,
}

impl Input {
    /// An input that is held between changes, SI units.
    pub fn new(name: impl Into<String>, default: f64) -> Self {
        Input { name: name.into(), default, unit: None, limits: None, between: Between::Held }
    }

    /// Sets the unit in which it is set and shown.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Cuts values beyond these, SI units.
    pub fn limits(mut self, low: f64, high: f64) -> Self {
        self.limits = Some([low, high]);
        self
    }

    /// Sets what happens between changes.
    pub fn between(mut self, between: Between) -> Self {
        self.between = between;
        self
    }

    /// The size of its unit in SI units; `None` if there is no such unit.
    pub fn unit_size(&self) -> Option<f64> {
        size_of(self.unit.as_deref())
    }

    /// The error of a name that no input has.
    pub(crate) fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Error {
        let known: Vec<&str> = known.collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        Error::Input(format!("the model has no input `{name}`; it has {known}"))
    }
}

/// A number with a differential or difference equation of its own, read as `state.NAME`.
#[derive(Clone, Debug, PartialEq)]
pub struct StateVariable {
    /// Its name.
    pub name: String,
    /// How it changes.
    pub change: StateChange,
    /// Its initial value, SI units.
    pub initial: f64,
    /// The unit in which it is shown; SI if there is none.
    pub unit: Option<String>,
    /// What counts as large, SI units: errors are held below `tolerance` times this, or times its value where that is larger.
    pub scale: f64,
}

/// How a state changes.
#[derive(Clone, Debug, PartialEq)]
pub enum StateChange {
    /// By a differential equation: its rate of change, SI units a second.
    Rate(Formula),
    /// By a difference equation: at multiples of a period, s, it takes this value, SI units, and keeps it in between.
    Next {
        /// Its value from a sample on. What it reads of sampled states is from before.
        value: Formula,
        /// The period, s.
        every: f64,
    },
}

impl StateVariable {
    /// A state that begins with zero and changes at a rate, SI units.
    pub fn new(name: impl Into<String>, rate: impl Into<Formula>) -> Self {
        let change = StateChange::Rate(rate.into());
        StateVariable { name: name.into(), change, initial: 0.0, unit: None, scale: 1.0 }
    }

    /// A state that is zero before it takes its next value at t = 0, and then at multiples of a period, s.
    pub fn sampled(name: impl Into<String>, every: f64, next: impl Into<Formula>) -> Self {
        let change = StateChange::Next { value: next.into(), every };
        StateVariable { name: name.into(), change, initial: 0.0, unit: None, scale: 1.0 }
    }

    /// The period, s, of a state that is sampled.
    pub fn every(&self) -> Option<f64> {
        match self.change {
            StateChange::Rate(_) => None,
            StateChange::Next { every, .. } => Some(every),
        }
    }

    /// Its rate or next value.
    pub fn formula(&self) -> &Formula {
        match &self.change {
            StateChange::Rate(formula) | StateChange::Next { value: formula, .. } => formula,
        }
    }

    /// Sets the initial value, SI units.
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }

    /// The size of its unit in SI units; `None` if there is no such unit.
    pub fn unit_size(&self) -> Option<f64> {
        size_of(self.unit.as_deref())
    }
}

fn size_of(unit: Option<&str>) -> Option<f64> {
    unit.map_or(Some(1.0), |unit| units::parse(unit).map(|(size, _)| size))
}

impl Model {
    /// Adds an input.
    pub fn input(mut self, input: Input) -> Self {
        self.inputs.push(input);
        self
    }

    /// Sets the default of an input, in its unit.
    ///
    /// # Errors
    /// [`Error::Input`] if there is none of this name, or the value is not a number within its limits.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let Some(at) = self.inputs.iter().position(|input| input.name == name) else {
            return Err(Input::unknown(name, self.inputs.iter().map(|input| input.name.as_str())));
        };
        let input = &mut self.inputs[at];
        let si = value * input.unit_size().unwrap_or(1.0);
        let [low, high] = input.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if !si.is_finite() {
            return Err(Error::Input(format!("the input `{name}` cannot be {value}")));
        }
        if si < low || si > high {
            return Err(Error::Input(format!(
                "the input `{name}` cannot be {value}: that is beyond its limits"
            )));
        }
        input.default = si;
        Ok(())
    }

    /// Adds a state.
    pub fn state(mut self, state: StateVariable) -> Self {
        self.states.push(state);
        self
    }
}
