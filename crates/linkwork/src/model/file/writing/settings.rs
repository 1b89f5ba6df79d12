//! What the model is.

use super::super::format::ModelTable;
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are};
use crate::model::Model;

/// What one word says in place of a vector, m/s².
const FREE_FALL: f64 = 9.81;

/// `[model]`.
pub(super) fn about(model: &Model, context: &Context<'_>) -> Entry {
    let gravity = match &model.gravity {
        gravity if are(gravity, [0.0, -FREE_FALL, 0.0]) => Item::from("-y"),
        gravity if are(gravity, [0.0, 0.0, -FREE_FALL]) => Item::from("-z"),
        gravity => context.vector(gravity),
    };
    Entry::new(ModelTable::KEYS)
        .unless(model.name.is_empty(), "name", &model.name)
        // points tell it
        .unless(!model.points.is_empty(), "dimension", model.dimension.columns())
        .unless(are(&model.gravity, [0.0; 3]), "gravity", gravity)
}
