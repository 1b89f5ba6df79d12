//! The kinds of value that stand behind the keys of a model file. Each decodes itself and has a schema; a [`Kind`](super::keys::Kind) is written back, too.

mod choices;
mod formulas;
mod kinds;
mod places;
mod quantities;
mod schemas;

pub(crate) use choices::{Choice, Choices, named_choices};
pub(crate) use formulas::*;
pub(crate) use kinds::{Angle, TurnDamping, TurnStiffness};
pub(crate) use places::*;
pub(crate) use quantities::*;
pub(crate) use schemas::{inline_schema, number_schema, vector_schema};
