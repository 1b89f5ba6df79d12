//! What is written is read again and compared: a file that says something else than the model never leaves.

use super::super::decode;
use crate::error::names::segment;
use crate::file::csv_table::Kept;
use crate::file::decode::Reader;
use crate::file::document::{self, Syntax};
use crate::model::{Fault, Model, Severity, each_list};
use std::fmt::Debug;

/// The faults of a text that does not give the model back.
pub(super) fn check(text: &str, model: &Model) -> Vec<Fault> {
    let document = document::read(Syntax::Toml, text);
    let mut reader = Reader::new(text, crate::model::reading::dims);
    // what was read from files is not beside a text
    let kept = Kept::default();
    model.modal_bodies.iter().for_each(|body| body.keep(&kept));
    model.bodies.iter().for_each(|body| body.keep(&kept));
    model.surfaces.iter().for_each(|surface| surface.keep(&kept));
    model.looks.iter().for_each(|look| look.keep(&kept));
    reader.files = Some(&kept);
    let read = document.root.as_ref().and_then(|root| decode(root, &mut reader)).map(|(model, _)| model);
    let errors = document.faults.into_iter().chain(reader.faults);
    let errors: Vec<Fault> = errors.filter(|fault| fault.severity == Severity::Error).collect();
    if !errors.is_empty() {
        // what a place in the text is, nobody can see
        return errors.into_iter().map(|fault| Fault { span: None, ..fault }).collect();
    }
    let different = |path: String| {
        let message =
            "a model file cannot say this as the model has it: it would read back as something else";
        Fault::error(path, message)
    };
    let name = read.as_ref().filter(|read| read.name != model.name).map(|_| "model.name".to_owned());
    let path = match read {
        Some(read) => difference(&read, model),
        None => Some(String::new()),
    };
    name.or(path).map(different).into_iter().collect()
}

/// The first item in which two models differ; their names and origins do not count.
pub(super) fn difference(a: &Model, b: &Model) -> Option<String> {
    let alone = [
        ("model.dimension", a.dimension == b.dimension),
        ("model.gravity", a.gravity == b.gravity),
        ("bodies.ground", a.ground == b.ground),
        ("simulation", same(&a.settings, &b.settings)),
        ("view", same(&a.view, &b.view)),
    ];
    if let Some((path, _)) = alone.iter().find(|(_, same)| !same) {
        return Some((*path).to_owned());
    }
    macro_rules! lists {
        ($($section:ident: $type:ident = $one:ident, $about:literal;)*) => {
            $(if let Some(path) = list(stringify!($section), &a.$section, &b.$section, |item| &item.name) {
                return Some(path);
            })*
        };
    }
    lists!(points: Point = point, ""; bodies: Body = body, ""; joints: Joint = joint, "";);
    each_list!(lists);
    let (p, q) = (&a.initial, &b.initial);
    list("initial.joints", &p.joints, &q.joints, |start| &start.joint)
        .or_else(|| list("initial.velocities", &p.velocities, &q.velocities, |(name, _)| name))
        .or_else(|| {
            list("initial.angular_velocities", &p.angular_velocities, &q.angular_velocities, |(name, _)| name)
        })
}

/// Whether two items are the same. One with a formula that has no value (1 / 0) is not even equal to itself, but it says the same.
fn same<T: PartialEq + Debug>(a: &T, b: &T) -> bool {
    a == b || format!("{a:?}") == format!("{b:?}")
}

fn list<T: PartialEq + Debug>(section: &str, a: &[T], b: &[T], name: fn(&T) -> &String) -> Option<String> {
    let pair = a.iter().zip(b).find(|(a, b)| !same(*a, *b));
    match pair {
        Some((_, item)) => Some(format!("{section}.{}", segment(name(item)))),
        None => (a.len() != b.len()).then(|| section.to_owned()),
    }
}
