//! A [`Model`] into a model file.
//!
//! The model becomes sections of entries, and those tables of values (`sections`, `item`, and a file for each group of sections); keys that would say what is
//! so without them are left out. Where the model was read from a file, the words of that file take the place of numbers as long as they mean the same
//! (`source`), and its comments stay (`comments`). `layout` makes text of it. What is written is read again and compared with the model (`agreement`): so
//! either the file gives the model back, or there is an error that names what it cannot say.

mod agreement;
mod comments;
mod joints;
mod layout;
mod sections;
mod settings;
mod settle;
mod source;

use crate::Error;
use crate::error::names::segment;
use crate::file::document::Syntax;
use crate::model::{Fault, Faults, Model, Provenance, each_list};
use comments::Notes;
use settle::Words;
use source::Source;
use std::collections::HashSet;

impl Model {
    /// The model as a model file in TOML: reading it gives an equal model, with the same motion to the last bit.
    ///
    /// Sections and keys come in the order of the manual, without those that have their defaults. Numbers have the fewest digits that give the same
    /// bits. A single quantity has its SI unit (`"800 N/m"`; `"30 deg"`, `"20 rpm"` and `"45 mm"` where that is the same number and shorter), components of vectors have none. Of a model that was read from a
    /// file, expressions, units, parameters and comments stay as they stand there, as far as they still mean the same.
    ///
    /// # Errors
    /// Names everything that a file cannot say: numbers that are not finite, names that come twice. The model need not pass its
    /// [check](Model::check).
    ///
    /// ```
    /// use linkwork::model::{Body, Model, Spring};
    /// let model = Model::planar("swing")
    ///     .gravity([0.0, -9.81])
    ///     .point("A", [0.0, 0.0])
    ///     .point("B", [0.3, 0.0])
    ///     .ground(["A"])
    ///     .body(Body::rod("rod", ["A", "B"], 0.2))
    ///     .spring(Spring::new("band", ["A", "B"], 800.0).free_length(0.25));
    /// let file = model.to_toml()?;
    /// assert_eq!(file, r#"format = 1
    ///
    /// [model]
    /// name = "swing"
    /// gravity = "-y"
    ///
    /// [points]
    /// A = [0, 0]
    /// B = [0.3, 0]
    ///
    /// [bodies]
    /// ground = { points = ["A"] }
    /// rod    = { points = ["A", "B"], mass = "0.2 kg" }
    ///
    /// [springs]
    /// band = { between = ["A", "B"], stiffness = "800 N/m", free_length = "0.25 m" }
    /// "#);
    /// assert_eq!(Model::from_toml(&file)?.springs, model.springs);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn to_toml(&self) -> Result<String, Error> {
        let refuse = |list: Vec<Fault>| Err(Error::Model(Faults { list, provenance: None }));
        let faults = unwritable(self);
        if !faults.is_empty() {
            return refuse(faults);
        }
        let notes = self.provenance.as_deref().map(notes).unwrap_or_default();
        let mut source = self.provenance.as_deref().and_then(Source::of);
        if let Some(source) = &mut source
            && let Ok(text) = attempt(self, Some(source), Words::Own, &notes)
        {
            return Ok(text);
        }
        // the words of the file do not fit what the model has become: without them, and at last without any
        attempt(self, None, Words::Own, &notes)
            .or_else(|_| attempt(self, None, Words::Bare, &notes))
            .or_else(refuse)
    }
}

/// Writes a model, and reads it again; the faults if that does not give it back.
fn attempt(
    model: &Model,
    source: Option<&mut Source<'_>>,
    words: Words,
    notes: &Notes,
) -> Result<String, Vec<Fault>> {
    let settled = settle::settled(model, source.as_deref(), words);
    let sections = sections::sections(&settled, source, notes);
    let text = layout::text(&sections, notes);
    let faults = agreement::check(&text, &settled);
    if faults.is_empty() { Ok(text) } else { Err(faults) }
}

/// The comments of a file.
fn notes(provenance: &Provenance) -> Notes {
    let text = provenance.own_text();
    match Syntax::of(&provenance.file, text) {
        Syntax::Toml => Notes::of(text),
        Syntax::Json => Notes::default(),
    }
}

/// What no file has words for.
fn unwritable(model: &Model) -> Vec<Fault> {
    let mut faults = Vec::new();
    if model.expanded || model.origin != [0.0; 3] {
        let message = "this model was made by assembling another one, and is no longer what its author wrote";
        faults.push(Fault::error("", message).help("write the model that was assembled"));
    }
    macro_rules! lists {
        ($($section:ident: $type:ident = $one:ident, $about:literal;)*) => {
            $(twice(stringify!($section), model.$section.iter().map(|item| item.name.as_str()), &mut faults);)*
        };
    }
    lists!(points: Point = point, ""; bodies: Body = body, ""; joints: Joint = joint, "";);
    each_list!(lists);
    twice("initial.velocities", model.initial.velocities.iter().map(|(name, _)| name.as_str()), &mut faults);
    let turning = model.initial.angular_velocities.iter().map(|(name, _)| name.as_str());
    twice("initial.angular_velocities", turning, &mut faults);
    faults
}

/// Names that come twice in a section.
fn twice<'n>(section: &str, names: impl Iterator<Item = &'n str>, faults: &mut Vec<Fault>) {
    let mut seen = HashSet::new();
    for name in names.filter(|name| !seen.insert(*name)) {
        let path = format!("{section}.{}", segment(name));
        let fault = Fault::error(path, "a model file cannot have two entries of the same name");
        faults.push(fault.help("give one of them another name"));
    }
}
