//! Inputs and states: numbers that formulas read and that no body has. An input is set from outside while the mechanism moves; a state has a differential
//! or difference equation of its own.

use super::{Formula, Model};
use crate::Error;
use crate::expressions::units;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
pub use crate::interactions::Between;
#[cfg(feature = "file")]
use file::{BetweenKeys, ChangeKeys};

keys! {
    /// A number that is set from outside while the mechanism moves, read as `input.NAME`. Its numbers are in `unit`, in the library in SI units.
    Input(name) {
        /// Its value until somebody sets it, in `unit`; 0 if left out.
        default: f64 => default AnyQuantity = 0.0,
        /// The unit in which it is set and shown, such as "deg"; SI if left out.
        unit: Option<String> => optional UnitName,
        /// Values beyond these are cut, in `unit`: [lowest, highest].
        limits: Option<[f64; 2]> => optional Bounds,
        /// What happens between changes.
        between: Between => group BetweenKeys,
    }
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

keys! {
    /// A number with a differential equation of its own (`rate`), or a difference equation (`next` and `every`), read as `state.NAME`. Its `initial` and `scale` are in `unit`, in the library in SI units.
    StateVariable(name) {
        /// How it changes.
        change: StateChange => group ChangeKeys,
        /// Its initial value, in `unit`; 0 if left out.
        initial: f64 => default AnyQuantity = 0.0,
        /// The unit in which it is shown; SI if left out.
        unit: Option<String> => optional UnitName,
        /// What counts as large, in `unit`: its error is held below `tolerance` times this or times its value; 1 if left out.
        scale: f64 => default AnyQuantity = 1.0,
    }
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

/// The keys in a file. Numbers count in the unit of their entry.
#[cfg(feature = "file")]
mod file {
    use super::{Between, Formula, Input, StateChange, StateVariable, size_of};
    use crate::expressions::quantity::State;
    use crate::expressions::units::{self, Dims};
    use crate::file::prelude::*;
    use crate::file::writing::number::{RADIAN, number, times};

    /// Whether an input goes to a new value in a straight line.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Straight(bool);

    impl Choices for Straight {
        const WHAT: &'static str = "way between changes";
        fn choices() -> Vec<(&'static str, Self)> {
            vec![("held", Straight(false)), ("linear", Straight(true))]
        }
    }

    table! {
        /// What happens between changes of an input.
        BetweenKeys {
            /// Between changes: held, or linear, which goes to a new value in a straight line. Held if left out.
            between: optional Choice<Straight>,
            /// Time constant of a filter that smooths changes, s.
            filter: optional Time,
        }
    }

    impl Group for BetweenKeys {
        type Value = Between;

        fn build(self, reader: &mut Reader<'_>) -> Option<Between> {
            let linear = self.between.is_some_and(|choice| choice.0.0);
            match self.filter {
                Some(_) if linear => {
                    let message = "an input is either `linear` between changes or has a `filter`";
                    reader.refuse(".filter", message, "keep one of the two");
                    None
                }
                Some(filter) => Some(Between::Filtered(filter.0)),
                None => Some(if linear { Between::Linear } else { Between::Held }),
            }
        }

        fn stand_in() -> Between {
            Between::Filtered(1.0)
        }

        fn write(between: &Between, entry: Entry, context: &Context<'_>) -> Entry {
            match between {
                Between::Held => entry.unless(true, "between", "held"),
                Between::Linear => entry.set("between", "linear"),
                Between::Filtered(time) => entry.set("filter", Time::write(time, context)),
            }
        }
    }

    impl Rules for Input {
        const ALONE: Option<&'static str> = Some("default");

        fn judge(&mut self, _: Given<'_>, reader: &mut Reader<'_>) {
            let unit = self.unit.as_deref();
            count_in(unit, "default", &mut self.default, reader);
            for (i, limit) in self.limits.iter_mut().flatten().enumerate() {
                count_in(unit, &format!("limits[{i}]"), limit, reader);
            }
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            let value = |value: &f64| in_unit(*value, self.unit.as_deref());
            let limits = self.limits.as_ref().map(|limits| limits.iter().map(value).collect::<Vec<_>>());
            // something has to be said
            let needless = is(self.default, 0.0) && !entry.keys.is_empty();
            entry.unless(needless, "default", value(&self.default)).maybe("limits", limits)
        }
    }

    table! {
        /// How a state changes.
        ChangeKeys {
            /// Its rate of change: an expression of time and readings, in SI units a second.
            rate: optional AnyFormula,
            /// Instead of a rate: the value that it takes at multiples of `every` and keeps in between, an expression in SI units.
            next: optional AnyFormula,
            /// The period of `next`, s.
            every: optional Time,
        }
    }

    impl Group for ChangeKeys {
        type Value = StateChange;

        fn build(self, reader: &mut Reader<'_>) -> Option<StateChange> {
            let (key, message, help) = match (self.rate, self.next, self.every) {
                (Some(rate), None, None) => return Some(StateChange::Rate(rate.0)),
                (None, Some(next), Some(every)) => {
                    return Some(StateChange::Next { value: next.0, every: every.0 });
                }
                (Some(_), Some(_), _) => ("", "a state has a `rate` or a `next`", "keep one of the two"),
                (Some(_), None, Some(_)) => {
                    (".every", "`every` belongs to `next`", "remove it, or write `next` instead of `rate`")
                }
                (None, Some(_), None) => {
                    (".next", "nothing says when this value is taken", "give the period: `every = \"1 ms\"`")
                }
                (None, None, _) => {
                    ("", "nothing says how this state changes", "give a `rate`, or `next` and `every`")
                }
            };
            reader.refuse(key, message, help);
            None
        }

        fn stand_in() -> StateChange {
            StateChange::Rate(Formula::constant(0.0))
        }

        fn write(change: &StateChange, entry: Entry, context: &Context<'_>) -> Entry {
            match change {
                StateChange::Rate(rate) => entry.set("rate", rate),
                StateChange::Next { value, every } => {
                    entry.set("next", value).set("every", Time::write(every, context))
                }
            }
        }
    }

    impl Rules for StateVariable {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            if self.every().is_some() && given.has("scale") {
                let message = "`scale` belongs to a `rate`: a sampled state has no error";
                reader.refuse(".scale", message, "remove it");
            }
            let unit = self.unit.as_deref();
            count_in(unit, "initial", &mut self.initial, reader);
            count_in(unit, "scale", &mut self.scale, reader);
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            let value = |value: f64| in_unit(value, self.unit.as_deref());
            let usual =
                self.every().is_some() || is(self.scale, size_of(self.unit.as_deref()).unwrap_or(1.0));
            entry.unless(is(self.initial, 0.0), "initial", value(self.initial)).unless(
                usual,
                "scale",
                value(self.scale),
            )
        }
    }

    /// Turns a number of an entry into SI units: a bare one counts in the unit of the entry, one with a unit of its own must be of its kind.
    fn count_in(unit: Option<&str>, key: &str, number: &mut f64, reader: &mut Reader<'_>) {
        let Some((name, (size, dims))) = unit.and_then(|unit| Some((unit, units::parse(unit)?))) else {
            return;
        };
        match reader.noted(key) {
            Some(State::Known(found)) if found != dims => {
                let message = format!("this is {found}, but `{name}` is the unit of {dims}");
                reader.push(Fault::error(format!("{}.{key}", reader.path()), message));
            }
            Some(State::Known(_)) => {}
            _ => *number *= size,
        }
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
}

fn size_of(unit: Option<&str>) -> Option<f64> {
    unit.map_or(Some(1.0), |unit| units::parse(unit).map(|(size, _)| size))
}

impl Model {
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
}
