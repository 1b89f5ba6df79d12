//! Robots and mechanisms of other programs as Linkwork model files: URDF, SDF, MJCF, ASMT.
//!
//! ```no_run
//! let robot = linkwork_import::import("four-bar.urdf", &linkwork_import::Options::default())?;
//! println!("{}", robot.toml);                                   // a model file that a person could have written
//! print!("{}", linkwork_import::notes::Table(&robot.notes));    // what was merged, assumed or left out
//! let mechanism = robot.model()?.assemble().map_err(linkwork::Error::from)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **How it is made.** [`xml`] gives elements with lines; a reader ([`READERS`]) makes a [`robot::Robot`] of them and writes what it substitutes into a
//! [`notes::Report`]; [`robot::Robot::merge_fixed`] joins what is fixed together; [`write::toml`] writes the file. A reader does not know the model file, and
//! the writer does not know the formats.

mod asmt;
mod contacts;
pub mod fault;
mod fewest;
pub mod files;
mod loops;
mod merge;
pub mod meshes;
mod mjcf;
pub mod notes;
pub mod pose;
pub mod robot;
mod sdf;
mod urdf;
pub mod write;
pub mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use fault::{Fault, Faults, Place};
pub use robot::Robot;

use files::{Files, Trail};
use meshes::{Destination, MeshPlace, Shelf};
use notes::{Note, Report};
use xml::Element;

/// What the user asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Packages and their folders.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether the root link is fixed to the world; `None`: as the format has it (URDF: fixed, SDF and MJCF: as they say).
    pub base: Option<Base>,
    /// How loops are closed that demand more than necessary.
    pub loops: Loops,
    /// Whether an indefinite inertia is replaced by the nearest one that a body can have, rather than refused.
    pub repair_inertia: bool,
    /// Whether each substitution is an error.
    pub strict: bool,
    /// Whether collision shapes become surfaces that touch.
    pub contacts: bool,
    /// The keyframe at which the motion begins (MJCF): its name or its number from zero, `none`; `None`: the first.
    pub keyframe: Option<String>,
    /// Metres of a unit of length in formats that do not say it (ASMT); `None`: one.
    pub length_unit: Option<f64>,
    /// Where the model file will be, for the meshes that it names.
    pub destination: Destination,
}

/// What the root link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// It is part of the ground.
    Fixed,
    /// It is free.
    Floating,
}

/// Metres of a unit of length by its name: `m`, `cm`, `mm`, `in`, `ft`.
pub fn length_unit(name: &str) -> Option<f64> {
    Some(match name {
        "m" => 1.0,
        "cm" => 0.01,
        "mm" => 0.001,
        "in" => 0.0254,
        "ft" => 0.3048,
        _ => return None,
    })
}

/// How loops are closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loops {
    /// By the joints of the file, redundant or not.
    #[default]
    AsGiven,
    /// By joints that demand no more than the others leave open at the zero pose.
    Fewest,
}

/// What a reader gets besides the root element.
pub struct Context<'a> {
    /// The file, as messages call it.
    pub file: Arc<str>,
    /// Files that may be read.
    pub files: Files,
    /// The file in the chain of includes.
    pub trail: Arc<Trail>,
    /// What the user asks for.
    pub options: &'a Options,
}

/// A reader of an XML format: root element, what goes with it, and where notes and faults go. `None` after a fault; the faults are in the report.
pub type Reader = fn(&Element, &Context<'_>, &mut Report) -> Option<Robot>;

/// Names of root elements and their readers. A new format is a module with a [`Reader`] and a line here.
pub const READERS: &[(&str, Reader)] = &[("robot", urdf::read), ("sdf", sdf::read), ("mujoco", mjcf::read)];

/// A robot as a model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The links and joints, after merging.
    pub robot: Robot,
    /// What was merged, assumed or left out.
    pub notes: Vec<Note>,
    /// The model file.
    pub toml: String,
    /// The file that was read.
    pub file: PathBuf,
    /// Meshes that the model names, and where they are.
    pub meshes: Vec<MeshPlace>,
}

impl Import {
    /// What the model is called where it is only in memory: a file beside the one that was read.
    pub fn model_name(&self) -> String {
        format!("{}.toml", self.file.display())
    }

    /// The model, with meshes where they are.
    pub fn model(&self) -> Result<linkwork::Model, linkwork::Error> {
        model(&self.model_name(), &self.toml, &self.meshes)
    }

    /// Copies the meshes that the model names beside itself into the folder of the model file; returns their bytes.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn copy_meshes(&self, model: &Path) -> std::io::Result<u64> {
        let folder = model.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        meshes::copy(&self.meshes, folder)
    }
}

/// Reads a file, whatever its format: by its root element, not by its name.
pub fn read(path: &Path, options: &Options, report: &mut Report) -> Result<Robot, Faults> {
    let file: Arc<str> = path.display().to_string().into();
    let text = files::read_text(path, &file)?;
    read_text(path, &text, options, report)
}

/// Reads a text as if it stood in this file; files that it names are looked for beside it.
pub fn read_text(path: &Path, text: &str, options: &Options, report: &mut Report) -> Result<Robot, Faults> {
    let file: Arc<str> = path.display().to_string().into();
    let context = Context {
        file: path.file_name().map_or(file.clone(), |name| name.to_string_lossy().into()),
        files: Files::new(path, &options.packages),
        trail: Trail::of(path),
        options,
    };
    // ASMT is no XML
    if !text.trim_start().starts_with('<') {
        let robot = asmt::read(text, &context, report);
        report.check()?;
        return robot
            .ok_or_else(|| Fault::new(Place::whole(&context.file), "", "the file has no robot").into());
    }
    let root = xml::parse(&context.file, text)?;
    let Some((_, reader)) = READERS.iter().find(|(name, _)| *name == root.name) else {
        let known: Vec<String> = READERS.iter().map(|(name, _)| format!("<{name}>")).collect();
        let message =
            format!("<{}> is the root of no format that is read; those are {}", root.name, known.join(", "));
        return Err(Fault::new(root.place, "", message).into());
    };
    let robot = reader(&root, &context, report);
    report.check()?;
    robot.ok_or_else(|| Fault::new(Place::whole(&context.file), "", "the file has no robot").into())
}

/// Reads a file and writes it as a model file.
pub fn import(path: impl AsRef<Path>, options: &Options) -> Result<Import, Faults> {
    let path = path.as_ref();
    let mut report = Report::default();
    let robot = read(path, options, &mut report)?;
    finish(path, robot, options, report)
}

/// As [`import`], of a text as if it stood in this file.
pub fn import_text(path: impl AsRef<Path>, text: &str, options: &Options) -> Result<Import, Faults> {
    let mut report = Report::default();
    let robot = read_text(path.as_ref(), text, options, &mut report)?;
    finish(path.as_ref(), robot, options, report)
}

/// What all formats have in common, after their reader.
fn finish(path: &Path, mut robot: Robot, options: &Options, mut report: Report) -> Result<Import, Faults> {
    robot.hold_massless(&mut report);
    robot.merge_fixed(&mut report);
    if robot.links.iter().all(|link| link.fixed) {
        let fault =
            Fault::new(robot.place.clone(), "", "nothing in the file moves: all of it stands on the world");
        report.fault(fault.help("import it with `--base floating`, which frees what stands there"));
    }
    robot.repair_inertias(options.repair_inertia, &mut report);
    robot.align_loops(&mut report);
    if options.loops == Loops::Fewest {
        robot.close_loops_by_fewest(&mut report);
    }
    robot.start_within_limits(&mut report);
    robot.name_all_initial();
    if !options.contacts {
        untouched(&robot, &mut report);
    }
    report.check()?;
    let (toml, meshes) = write(path, &robot, options, &mut report)?;
    report.check()?;
    if options.strict {
        report.strict()?;
    }
    Ok(Import { robot, notes: report.notes, toml, file: path.to_owned(), meshes })
}

/// Attempts at contacts without overlaps: what overlaps where the motion begins is kept apart.
const ATTEMPTS: usize = 3;

/// The text of the model file. Surfaces that overlap at the start are kept apart, which takes another attempt.
fn write(
    path: &Path,
    robot: &Robot,
    options: &Options,
    report: &mut Report,
) -> Result<(String, Vec<MeshPlace>), Faults> {
    let mut apart = std::collections::BTreeSet::new();
    for attempt in 1.. {
        let mut shelf = Shelf::new(path, &options.destination);
        let mut own = Report::default();
        let wanted = write::Wanted { shelf: &mut shelf, contacts: options.contacts, apart: apart.clone() };
        let toml = write::toml_with(robot, wanted, &mut own);
        let meshes = shelf.places();
        let name = format!("{}.toml", path.display());
        let overlapping = if options.contacts { overlaps(&name, &toml, &meshes) } else { Vec::new() };
        if overlapping.is_empty() || attempt == ATTEMPTS {
            report.notes.append(&mut own.notes);
            report.faults.append(&mut own.faults);
            return Ok((toml, meshes));
        }
        for ([a, b], depth) in overlapping {
            let what = format!("they overlap by {depth:.1e} m where the motion begins");
            let item = format!("{} and {}", xml::quoted(&a), xml::quoted(&b));
            let done = "they pass through each other: in `except` of the contacts";
            report.note(notes::Severity::Changed, &robot.place, item, what, done);
            apart.insert([a, b]);
        }
    }
    unreachable!("attempts end")
}

/// A model whose meshes are read where they are now.
fn model(name: &str, toml: &str, meshes: &[MeshPlace]) -> Result<linkwork::Model, linkwork::Error> {
    let file = linkwork::model::ModelFile::parse_beside(name, toml)?;
    meshes
        .iter()
        .fold(file, |file, mesh| file.locate(&mesh.to, &mesh.from))
        .model(&[])
        .map_err(linkwork::Error::Model)
}

/// Bodies whose surfaces overlap at the start, the smaller name first, with the largest depth.
fn overlaps(name: &str, toml: &str, meshes: &[MeshPlace]) -> Vec<([String; 2], f64)> {
    let Ok(model) = model(name, toml, meshes) else { return Vec::new() };
    let Ok(found) = model.overlaps() else { return Vec::new() };
    let body = |name: &String| model.surfaces.iter().find(|s| s.name == *name).map(|s| s.body.clone());
    let mut pairs: std::collections::BTreeMap<[String; 2], f64> = std::collections::BTreeMap::new();
    for overlap in found {
        let [Some(a), Some(b)] = overlap.surfaces.each_ref().map(body) else { continue };
        let pair = if a < b { [a, b] } else { [b, a] };
        let depth = pairs.entry(pair).or_default();
        *depth = depth.max(overlap.depth);
    }
    pairs.into_iter().collect()
}

/// Collision shapes without `--contacts`.
fn untouched(robot: &Robot, report: &mut Report) {
    for link in
        robot.links.iter().filter(|link| link.shapes.iter().any(|shape| shape.role != robot::Role::Visual))
    {
        let item = format!("link {}", xml::quoted(&link.name));
        let done = "it touches nothing; `--contacts` makes surfaces of them";
        report.note(notes::Severity::LeftOut, &link.place, item, "collision shapes", done);
    }
}

/// Whether a file is one that is imported rather than a model file: by its ending, `.urdf`, `.sdf`, `.world`, `.mjcf`, `.xml` or `.asmt`.
pub fn is_foreign(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("urdf" | "sdf" | "world" | "mjcf" | "xml" | "asmt"))
}

impl From<Faults> for linkwork::Error {
    fn from(faults: Faults) -> Self {
        let list = faults.0.into_iter().map(|fault| {
            let path = match fault.item.is_empty() {
                true => fault.place.to_string(),
                false => format!("{}: {}", fault.place, fault.item),
            };
            let known = linkwork::model::Fault::error(path, fault.message);
            match fault.help {
                Some(help) => known.help(help),
                None => known,
            }
        });
        linkwork::Error::Model(linkwork::Faults { list: list.collect(), provenance: None })
    }
}
