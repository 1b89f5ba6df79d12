//! What the model is, and how to simulate it.

use super::super::format::{ModelTable, SimulationTable};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, condition, is};
use crate::model::{Model, Settings};

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

/// `[simulation]`.
pub(super) fn simulation(settings: &Settings) -> Entry {
    let Settings {
        duration,
        output_step,
        formulation,
        integrator,
        tolerance,
        order,
        step,
        spectral_radius,
        projection,
        impact,
        max_step,
        max_steps,
        stop,
    } = settings;
    let default = Settings::default();
    let seconds = |time: &f64| Item::Quantity(*time, "s");
    let stops = match &stop[..] {
        [stop] => condition(stop),
        _ => Item::List(stop.iter().map(condition).collect()),
    };
    Entry::new(SimulationTable::KEYS)
        .unless(is(*duration, default.duration), "duration", seconds(duration))
        .unless(is(*output_step, default.output_step), "output_step", seconds(output_step))
        .unless(*formulation == default.formulation, "formulation", formulation.name())
        .unless(*integrator == default.integrator, "integrator", integrator.name())
        .unless(is(*tolerance, default.tolerance), "tolerance", *tolerance)
        .maybe("order", *order)
        .maybe("step", step.as_ref().map(seconds))
        .maybe("spectral_radius", *spectral_radius)
        .maybe("projection", *projection)
        .unless(*impact == default.impact, "impact", impact.name())
        .unless(*max_steps == default.max_steps, "max_steps", *max_steps)
        .maybe("max_step", max_step.as_ref().map(seconds))
        .unless(stop.is_empty(), "stop", stops)
}
