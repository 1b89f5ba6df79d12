//! The sections of a file, in the order of the manual. A new one is a line here.

use super::super::format::{GroundTable, Root};
use super::comments::Notes;
use super::joints;
use super::settings;
use super::source::Source;
use crate::file::keys::Keys;
use crate::file::list::Named;
use crate::file::writing::{Context, Entry, Item};
use crate::model::{Dimension, GROUND, Initial, Model, each_list};
use std::fmt::Debug;

/// A section.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name: one part, or two for those of `initial`.
    pub path: Vec<&'static str>,
    pub holds: Holds,
}

/// What a section has in it.
#[derive(Debug)]
pub(super) enum Holds {
    /// Keys, as `[model]` and `[simulation]`.
    Keys(Entry),
    /// Entries with names.
    Named(Vec<(String, Item)>),
}

/// The sections of a model, without empty ones. Values stand as they do in the source where they are still the same.
pub(super) fn sections(model: &Model, source: Option<&mut Source<'_>>, notes: &Notes) -> Vec<Section> {
    // what is new in a model has to be written, too: then this no longer compiles
    let Model {
        name: _,
        dimension,
        gravity: _,
        points: _,
        ground: _,
        bodies: _,
        joints: _,
        initial: Initial { velocities: _, angular_velocities: _, joints: _ },
        settings: _,
        view: _,
        expanded: _,
        origin: _,
        provenance: _,
        ..
    } = model;
    let context = &Context::new(
        model.dimension,
        model.joints.iter().map(|joint| (joint.name.as_str(), joint.kind().turning(dimension.is_planar()))),
        model.points.iter().map(|point| point.name.as_str()),
    );
    let mut list = List { model, source, notes, sections: Vec::new() };
    list.about(settings::about(model, context));
    list.named("points", |m| &m.points, |p| &p.name, |p| Item::vector(&p.position, *dimension));
    list.bodies(context);
    list.items("joints", |m| &m.joints, context);
    list.lists(context);
    let entries = list.entries(
        &["initial", "joints"],
        |m| &m.initial.joints,
        |start| &start.joint,
        |start| joints::initial(start, context),
    );
    list.push(vec!["initial", "joints"], Holds::Named(entries));
    list.initial("velocities", |m| &m.initial.velocities, |v| Item::vector(v, *dimension));
    list.initial("angular_velocities", |m| &m.initial.angular_velocities, |w| spin(w, *dimension));
    list.keys("simulation", |m| &m.settings, context);
    list.keys("view", |m| &m.view, context);
    list.in_order()
}

fn spin(w: &[f64; 3], dimension: Dimension) -> Item {
    Item::turning(w, "rad/s", dimension)
}

/// A name and a vector.
type Velocity = (String, [f64; 3]);

/// Sections on their way into a file.
struct List<'a, 't> {
    model: &'a Model,
    source: Option<&'a mut Source<'t>>,
    notes: &'a Notes,
    sections: Vec<Section>,
}

/// Whether two parts of models are the same to the last bit.
fn same(a: &impl Debug, b: &impl Debug) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

impl List<'_, '_> {
    /// A value as the source has it, where that says the same: `whole` if all of it is known to.
    fn as_written(&mut self, path: &[&str], item: Item, whole: bool) -> Item {
        match &mut self.source {
            Some(source) => source.merge(path, item, whole, self.notes),
            None => item,
        }
    }

    /// What the model is. A name that comes from that of the file is not in the source.
    fn about(&mut self, entry: Entry) {
        let name = entry.get("name").cloned();
        let part = |model: &Model| (model.dimension, model.gravity);
        let whole = self.source.as_ref().is_some_and(|s| same(&part(&s.model), &part(self.model)));
        if let Item::Table(mut entry) = self.as_written(&["model"], entry.into(), whole) {
            if let Some(name) = name {
                entry.put("name", name);
            }
            self.push(vec!["model"], Holds::Keys(entry));
        }
    }

    /// A section that is one item, such as how to simulate.
    fn keys<T: Keys + Debug>(&mut self, key: &'static str, part: fn(&Model) -> &T, context: &Context<'_>) {
        let here = part(self.model);
        let entry = Keys::write(here, context);
        let whole = self.source.as_ref().is_some_and(|s| same(part(&s.model), here));
        if let Item::Table(entry) = self.as_written(&[key], entry.into(), whole) {
            self.push(vec![key], Holds::Keys(entry));
        }
    }

    /// The lists of elements and other items.
    fn lists(&mut self, context: &Context<'_>) {
        macro_rules! lists {
            ($($list:ident: $type:ident = $one:ident, $about:literal;)*) => {
                $(self.items(stringify!($list), |m| &m.$list, context);)*
            };
        }
        each_list!(lists);
    }

    /// A section of items that are tables of a file.
    fn items<T: Keys + Named + Debug>(
        &mut self,
        key: &'static str,
        part: fn(&Model) -> &Vec<T>,
        context: &Context<'_>,
    ) {
        self.named(key, part, T::name, |item| item.write(context).into());
    }

    /// A section of named entries.
    fn named<T: Debug>(
        &mut self,
        key: &'static str,
        part: fn(&Model) -> &Vec<T>,
        name: fn(&T) -> &str,
        write: impl Fn(&T) -> Item,
    ) {
        let entries = self.entries(&[key], part, name, write);
        self.push(vec![key], Holds::Named(entries));
    }

    /// The bodies, `ground` before all others.
    fn bodies(&mut self, context: &Context<'_>) {
        let ground = &self.model.ground;
        let same = self.source.as_ref().is_some_and(|source| source.model.ground == *ground);
        let mut entries: Vec<(String, Item)> = Vec::new();
        if !ground.is_empty() {
            let item = Entry::new(GroundTable::KEYS).set("points", ground).into();
            entries.push((GROUND.to_owned(), self.as_written(&["bodies", GROUND], item, same)));
        }
        entries.extend(self.entries(&["bodies"], |m| &m.bodies, |b| &b.name, |b| b.write(context).into()));
        self.push(vec!["bodies"], Holds::Named(entries));
    }

    /// A section of start velocities.
    fn initial(
        &mut self,
        key: &'static str,
        part: fn(&Model) -> &Vec<Velocity>,
        write: impl Fn(&[f64; 3]) -> Item,
    ) {
        let entries = self.entries(&["initial", key], part, |(name, _)| name.as_str(), |(_, v)| write(v));
        self.push(vec!["initial", key], Holds::Named(entries));
    }

    fn entries<T: Debug>(
        &mut self,
        section: &[&str],
        part: fn(&Model) -> &Vec<T>,
        name: fn(&T) -> &str,
        write: impl Fn(&T) -> Item,
    ) -> Vec<(String, Item)> {
        let index = |model: &Model| -> std::collections::HashMap<String, String> {
            part(model).iter().map(|item| (name(item).to_owned(), format!("{item:?}"))).collect()
        };
        let known = self.source.as_ref().map(|source| index(&source.model)).unwrap_or_default();
        let model = self.model;
        let entry = |item: &T| {
            let whole = known.get(name(item)).is_some_and(|known| *known == format!("{item:?}"));
            let path = [section, &[name(item)]].concat();
            (name(item).to_owned(), self.as_written(&path, write(item), whole))
        };
        part(model).iter().map(entry).collect()
    }

    fn push(&mut self, path: Vec<&'static str>, holds: Holds) {
        let empty = match &holds {
            Holds::Keys(entry) => entry.keys.is_empty(),
            Holds::Named(entries) => entries.is_empty(),
        };
        if !empty {
            self.sections.push(Section { path, holds });
        }
    }

    /// All of them, with the parameters of the source, in the order of the format.
    fn in_order(mut self) -> Vec<Section> {
        if let Some(entry) = self.source.as_ref().and_then(|source| source.optimization()) {
            self.push(vec!["optimize"], Holds::Keys(entry));
        }
        if let Some(source) = &self.source {
            let parameters = source.parameters(self.model, &self.sections);
            self.push(vec!["parameters"], Holds::Named(parameters));
        }
        let order = Root::keys();
        let place = |section: &Section| order.iter().position(|key| *key == section.path[0]);
        self.sections.sort_by_key(place);
        self.sections
    }
}
