//! Why there is no derivative.

use super::Method;
use crate::Error;
use crate::model::{Faults, Integrator};

/// Why sensitivities could not be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// The nominal model or its run is at fault.
    #[error("{0}")]
    Nominal(Error),
    /// A column that the results do not have, or whose derivative cannot be taken.
    #[error("there is no result `{name}` to take derivatives of{}", .help.as_ref().map_or(String::new(), |help| format!(": {help}")))]
    Column {
        /// As it was written.
        name: String,
        /// What may be meant.
        help: Option<String>,
    },
    /// A time outside of the run.
    #[error("`{name}`: the run goes from 0 to {duration} s")]
    Time {
        /// The quantity.
        name: String,
        /// The end of the run, s.
        duration: f64,
    },
    /// A quantity that has no value in the run.
    #[error(
        "`{name}` has no value in this run, in which {events} events happened: its column is empty then, or there is no event of this number"
    )]
    NoValue {
        /// The quantity.
        name: String,
        /// How many events there were.
        events: usize,
    },
    /// The method changed on the way.
    #[error("the integrator changed from `{}` to `{}` at t = {t} s, where derivatives end: name one that suits the whole run in [simulation]; time steps over contacts (`moreau`) have no derivatives", .from.name(), .to.name())]
    Unsteady {
        /// When, s.
        t: f64,
        /// From which.
        from: Integrator,
        /// To which.
        to: Integrator,
    },
    /// Another value has other events.
    #[error("what happens changes at t = {t} s: {expected} becomes {found}")]
    Sequence {
        /// When, s.
        t: f64,
        /// What happens in the nominal run.
        expected: String,
        /// What happens in its neighbour.
        found: String,
    },
    /// What a method cannot do.
    #[error("{} end{} at t = {t} s: {why}; {}", .method.noun(), if .method.is_plural() { "" } else { "s" }, .method.instead())]
    Refused {
        /// The method.
        method: Method,
        /// When, s.
        t: f64,
        /// Why.
        why: String,
    },
    /// No derivative by a variable.
    #[error("there is no derivative by `{variable}`, not even for a change of {change:.1e}{}: {source}", spaced(.unit))]
    Variable {
        /// The variable.
        variable: String,
        /// Its unit.
        unit: String,
        /// The change, in SI units.
        change: f64,
        /// Why.
        source: Box<SensitivityError>,
    },
}

impl From<Error> for SensitivityError {
    fn from(error: Error) -> Self {
        SensitivityError::Nominal(error)
    }
}

impl From<Faults> for SensitivityError {
    fn from(faults: Faults) -> Self {
        SensitivityError::Nominal(Error::Model(faults))
    }
}

/// A unit behind a number; nothing where there is none.
fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
