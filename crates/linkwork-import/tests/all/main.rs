//! Files of our own, read and run.

mod asmt;
mod contacts;
mod drives;
mod hostile;
mod looks;
mod mjcf;
mod sdf;
mod urdf;
mod written;

use linkwork::Model;
use linkwork_import::{Import, Options, import_text};

/// Reads a text as a file of this name.
fn import(name: &str, text: &str) -> Import {
    import_text(name, text, &Options::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn model(imported: &Import) -> Model {
    imported.model().unwrap_or_else(|error| panic!("{error}\n{}", imported.toml))
}

/// The model with its joint `A` under way, rad/s: a linkage that stands upright would else stay there.
fn pushed(imported: &Import, rate: f64) -> Model {
    let text = format!("{}\n[initial.joints]\nA = {{ q = 0, v = {rate} }}\n", imported.toml);
    Model::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A column of a run of so many seconds.
fn column(mut model: Model, duration: f64, name: &str) -> Vec<f64> {
    model.settings.duration = duration;
    model.settings.output_step = duration / 10.0;
    let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let trajectory = mechanism.simulate().unwrap_or_else(|error| panic!("{error}"));
    trajectory.column(&mechanism, name).unwrap_or_else(|| panic!("no column {name}"))
}

/// Its last value.
fn last(model: Model, duration: f64, name: &str) -> f64 {
    *column(model, duration, name).last().unwrap()
}

/// A note about an item, whose parts have these words.
#[track_caller]
fn assert_noted(imported: &Import, words: &[&str]) {
    let noted = imported.notes.iter().any(|note| {
        let line = format!("{} {} {} {}", note.severity.word(), note.item, note.what, note.done);
        words.iter().all(|word| line.contains(word))
    });
    assert!(noted, "{words:?} in\n{}", linkwork_import::notes::Table(&imported.notes));
}
