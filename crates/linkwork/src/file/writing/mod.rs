//! Values on their way into a model file.

pub(crate) mod context;
pub(crate) mod item;
pub(crate) mod number;
pub(crate) mod spelling;

pub(crate) use context::Context;
pub(crate) use item::{Entry, Item};
