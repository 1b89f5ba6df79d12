//! The model file: TOML or JSON text into a [`Model`], with every fault where it stands.
//!
//! The text becomes a tree of spanned values (`document`), the tree is decoded by one description of
//! the format (`format`, `decode`) that also writes the schema for editors, strings are evaluated as
//! expressions with units (`expressions`), and the tables become a model (`build`).
//! Then the model is checked as any other, so that all faults are reported at once.

mod build;
mod format;
mod given;
mod joint_build;
mod parsed;
mod schema;
mod values;
mod variables;
mod writing;

#[cfg(test)]
mod chain_tests;
#[cfg(test)]
mod tests;

pub use crate::expressions::{MAX_EXPRESSION_BYTES, MAX_EXPRESSION_DEPTH};
pub use crate::file::{MAX_ITEMS, MAX_NESTING, MAX_REPORTED_FAULTS};
pub use parsed::ModelFile;
pub use schema::schema;
pub use variables::{Variable, Variables};

use super::reading;
use super::{Dimension, Fault, Faults, JointKind, Model, Optimization, Provenance, check};
use crate::Error;
use crate::error::names::segment;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{self, Document, Key, Node, Syntax, Value};
use crate::file::{parameters, within};
use format::Root;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// A model file may be this long, in bytes.
pub const MAX_FILE_BYTES: usize = 8 << 20;
impl Model {
    /// Reads a model file: JSON if its name ends in `.json`, TOML if in `.toml`, else by its first
    /// character.
    ///
    /// All faults of the file are reported at once, each with file, line, column and the item. Warnings do
    /// not hinder; [`Model::check`] tells them.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        Model::parse_beside(&path.display().to_string(), bytes_of(path)?, &[])
    }

    /// Reads a model from TOML text.
    ///
    /// ```
    /// let model = linkwork::model::Model::from_toml(r#"
    ///     format = 1
    ///     model.gravity = "-y"
    ///     points = { A = [0, 0], B = ["30 cm", 0] }
    ///     bodies.ground = { points = ["A"] }
    ///     bodies.pendulum = { points = ["A", "B"], mass = "200 g" }
    /// "#)?;
    /// assert_eq!(model.points[1].position, [0.3, 0.0, 0.0]);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Model, Error> {
        read("<toml>", Some(Syntax::Toml), text.as_bytes(), &[], None).map_err(Error::Model)
    }

    /// Reads a model from JSON text.
    pub fn from_json(text: &str) -> Result<Model, Error> {
        read("<json>", Some(Syntax::Json), text.as_bytes(), &[], None).map_err(Error::Model)
    }

    /// Reads a model from the contents of a file. The name is used in messages, and its ending says
    /// whether the text is TOML or JSON; without one (`<stdin>`) the first character does.
    pub fn parse(file: &str, contents: impl AsRef<[u8]>) -> Result<Model, Error> {
        read(file, None, contents.as_ref(), &[], None).map_err(Error::Model)
    }

    /// As [`Model::parse`], with other values for some of the file's `[parameters]`: numbers in SI units, which may stand for
    /// anything, as a number in the file does. A parameter that the file does not have is a fault.
    ///
    /// ```
    /// use linkwork::model::Model;
    /// let file = r#"
    ///     format = 1
    ///     parameters = { l = "30 cm", half = "l / 2" }
    ///     points = { A = [0, 0], B = ["2 * half", 0] }
    ///     bodies.ground = { points = ["A"] }
    ///     bodies.pendulum = { points = ["A", "B"], mass = "200 g" }
    /// "#;
    /// let longer = Model::parse_with("pendulum.toml", file, &[("l", 0.5)])?;
    /// assert_eq!(longer.points[1].position, [0.5, 0.0, 0.0]);
    /// assert!(Model::parse_with("pendulum.toml", file, &[("k", 0.5)]).is_err());
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn parse_with(
        file: &str,
        contents: impl AsRef<[u8]>,
        parameters: &[(&str, f64)],
    ) -> Result<Model, Error> {
        read(file, None, contents.as_ref(), parameters, None).map_err(Error::Model)
    }

    /// As [`Model::parse_with`], for the contents of a file that has a place: what the model names (CSV files of tables) is read from the folder of `file`. A name like
    /// `<stdin>` has no folder.
    pub fn parse_beside(
        file: &str,
        contents: impl AsRef<[u8]>,
        parameters: &[(&str, f64)],
    ) -> Result<Model, Error> {
        let folder = Path::new(file).parent().filter(|_| !file.starts_with('<'));
        read(file, None, contents.as_ref(), parameters, folder).map_err(Error::Model)
    }
}

/// The contents of a model file. One that is too long is cut behind the limit, which is then reported.
fn bytes_of(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|source| Error::Io { file: path.display().to_string(), source })?;
    Ok(bytes)
}

/// Reads a file; its syntax is known by the name or the text unless it is given.
fn read(
    file: &str,
    syntax: Option<Syntax>,
    bytes: &[u8],
    overrides: &[(&str, f64)],
    folder: Option<&Path>,
) -> Result<Model, Faults> {
    ModelFile::new(file, syntax, bytes, folder)?.model(overrides)
}

/// Decodes the whole file. Nothing if too little is known to look further.
fn decode(root: &Node, reader: &mut Reader<'_>) -> Option<(Model, Option<Optimization>)> {
    let Value::Table(entries) = &root.value else {
        return reader.wrong(root, "a table");
    };
    let section = |name: &str| entries.iter().find(|(key, _)| key.name == name);
    let names = |name: &str| match section(name) {
        Some((_, Node { value: Value::Table(entries), .. })) => {
            entries.iter().map(|(key, _)| key.name.clone()).collect()
        }
        _ => HashSet::new(),
    };
    (reader.measures, reader.tables, reader.points) = (names("measures"), names("tables"), names("points"));
    if let Some((key, node)) = section("parameters") {
        reader.entry(key, node, |reader| parameters::resolve(node, reader));
    }
    parameters::check_overrides(reader);
    let points = section("points").map(|(_, node)| node);
    let stated = section("model").and_then(|(_, node)| match &node.value {
        Value::Table(entries) => entries.iter().find(|(key, _)| key.name == "dimension"),
        _ => None,
    });
    reader.dimension = match stated {
        Some((_, node)) => values::Directions::of(node),
        None => inferred(points, reader),
    };
    let entries_of = |name: &str| match section(name) {
        Some((_, Node { value: Value::Table(entries), .. })) => entries.as_slice(),
        _ => &[],
    };
    reader.joints = turning_joints(entries_of("joints"), reader.dimension);
    reader.look_ahead(entries_of("tables"), entries_of("measures"));
    reader.look_ahead_at("input", entries_of("inputs"));
    reader.look_ahead_at("state", entries_of("states"));
    let mut tables = Root::decode(root, reader)?;
    let optimization = tables.sections.optimize.take().and_then(|table| table.build(reader));
    let reported = ["model", "points"];
    if stated.is_none()
        && reader.dimension.is_none()
        && !reader.broken.iter().any(|path| reported.contains(&path.as_str()))
    {
        let span = section("model").map_or(0..0, |(key, _)| key.span.clone());
        let help =
            "2: motion in the plane, points have two coordinates; 3: motion in space, points have three";
        let fault = match points.and_then(odd_one) {
            Some((name, span, message)) => {
                let help = "give all points as many, or say `dimension = 2` or `3` under [model]";
                Fault::error(format!("points.{}", segment(name)), message).help(help).at(span)
            }
            None => {
                let message = "`dimension` is missing, and the points do not tell";
                Fault::error("model", message).help(help).at(span)
            }
        };
        reader.reject(fault);
    }
    let model = build::build(tables, reader.dimension.unwrap_or(Dimension::Planar), reader);
    let sections = ["points", "bodies", "model", "model.dimension"];
    let judged =
        reader.dimension.is_some() && !reader.broken.iter().any(|path| sections.contains(&path.as_str()));
    judged.then_some((model, optimization))
}

/// Plane or space by the number of coordinates that most points have; the reader remembers why.
fn inferred(points: Option<&Node>, reader: &mut Reader<'_>) -> Option<Dimension> {
    let Some(Node { value: Value::Table(points), .. }) = points else { return None };
    let with = |n: usize| {
        let has = |node: &Node| matches!(&node.value, Value::Array(items) if items.len() == n);
        points.iter().filter(|(_, node)| has(node)).count()
    };
    let (two, three) = (with(2), with(3));
    let (dimension, most, word) = match two.cmp(&three) {
        Ordering::Greater => (Dimension::Planar, two, "two"),
        Ordering::Less => (Dimension::Spatial, three, "three"),
        Ordering::Equal => return None,
    };
    if most < points.len() {
        let all = points.len();
        reader.reason = Some(format!("{most} of the {all} points have {word} coordinates"));
    }
    Some(dimension)
}

/// The first point that has two coordinates where the first of all has three, or the other way round.
fn odd_one(points: &Node) -> Option<(&str, Range<usize>, String)> {
    let Value::Table(points) = &points.value else { return None };
    let mut counts = points.iter().filter_map(|(key, node)| match &node.value {
        Value::Array(items) if (2..=3).contains(&items.len()) => Some((key, node, items.len())),
        _ => None,
    });
    let (first, _, n) = counts.next()?;
    let (key, node, m) = counts.find(|(_, _, m)| *m != n)?;
    let message = format!("this point has {m} coordinates, `{}` has {n}", first.name);
    Some((&key.name, node.span.clone(), message))
}

/// Whether the coordinates of the joints that a file lists are angles, where their kinds are known.
fn turning_joints(
    joints: &[(Key, Node)],
    dimension: Option<Dimension>,
) -> HashMap<String, Option<Vec<bool>>> {
    let turning = |node: &Node| match &node.value {
        Value::Table(entries) => Some(JointKind::in_table(entries)?.turning(dimension?.is_planar())),
        _ => None,
    };
    joints.iter().map(|(key, node)| (key.name.clone(), turning(node))).collect()
}

/// Of the faults of the model those that do not follow from an item that could not be decoded.
fn further(faults: Vec<Fault>, broken: &[String]) -> Vec<Fault> {
    if broken.is_empty() {
        return faults;
    }
    let holders = broken.iter().any(|path| within(path, "bodies") || within(path, "chains"));
    let follows = |fault: &Fault| {
        let path = fault.path.as_str();
        // which points bodies hold, and which are ends of chains, is then not known either
        holders && within(path, "points")
            || broken
                .iter()
                .any(|broken| !broken.is_empty() && (within(path, broken) || within(broken, path)))
    };
    faults.into_iter().filter(|fault| !follows(fault)).collect()
}

/// In the order of the file, and not more than anybody reads.
fn put_in_order(faults: &mut Faults, uncounted: usize) {
    let mut keyed: Vec<_> = std::mem::take(&mut faults.list)
        .into_iter()
        .map(|fault| (faults.span(&fault).map_or(0, |span| span.start), fault))
        .collect();
    keyed.sort_by_key(|(start, _)| *start);
    faults.list = keyed.into_iter().map(|(_, fault)| fault).collect();
    let more = faults.list.len().saturating_sub(MAX_REPORTED_FAULTS) + uncounted;
    // where the first of those stands that are not reported
    let next = faults.list.get(MAX_REPORTED_FAULTS).or(faults.list.last());
    let place = next.map(|fault| (fault.path.clone(), faults.span(fault)));
    faults.list.truncate(MAX_REPORTED_FAULTS);
    if more > 0 {
        let (path, span) = place.unwrap_or_default();
        faults.list.push(Fault { span, ..Fault::error(path, format!("... and {more} more faults")) });
    }
}
