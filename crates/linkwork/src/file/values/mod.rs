mod choices;
mod formulas;
mod places;
mod quantities;
mod schemas;

pub(crate) use choices::{Choice, Choices};
pub(crate) use formulas::*;
pub(crate) use places::*;
pub(crate) use quantities::*;
pub(crate) use schemas::{inline_schema, number_schema, vector_schema};
