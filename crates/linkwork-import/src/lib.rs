//! Robots and mechanisms of other programs as Linkwork model files: URDF, SDF, MJCF.
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

pub mod fault;
mod fewest;
pub mod files;
mod loops;
mod merge;
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
}

/// What the root link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// It is part of the ground.
    Fixed,
    /// It is free.
    Floating,
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
    /// Name of the file that was read.
    pub file: String,
}

impl Import {
    /// What the model file is called in messages.
    pub fn model_name(&self) -> String {
        format!("{}.toml", self.file)
    }

    /// The model.
    pub fn model(&self) -> Result<linkwork::Model, linkwork::Error> {
        linkwork::Model::parse(&self.model_name(), &self.toml)
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
    robot.merge_fixed(&mut report);
    robot.repair_inertias(options.repair_inertia, &mut report);
    robot.align_loops(&mut report);
    if options.loops == Loops::Fewest {
        robot.close_loops_by_fewest(&mut report);
    }
    robot.start_within_limits(&mut report);
    robot.name_all_initial();
    shapes_left_out(&robot, &mut report);
    report.check()?;
    let toml = write::toml(&robot, &mut report);
    report.check()?;
    if options.strict {
        report.strict()?;
    }
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Import { robot, notes: report.notes, toml, file })
}

/// What of the shapes is not in the model file.
fn shapes_left_out(robot: &Robot, report: &mut Report) {
    use notes::Severity;
    use robot::Role;
    for link in &robot.links {
        let item = format!("link {}", xml::quoted(&link.name));
        let count = |role: fn(Role) -> bool| link.shapes.iter().filter(|shape| role(shape.role)).count();
        let (seen, touched) = (count(|role| role != Role::Collision), count(|role| role != Role::Visual));
        if seen > 0 {
            let done = "the body has its colour; its form is left out";
            report.note(Severity::LeftOut, &link.place, item.clone(), "what it looks like", done);
        }
        if touched > 0 {
            report.note(
                Severity::LeftOut,
                &link.place,
                item,
                "collision shapes",
                "it touches nothing; left out",
            );
        }
    }
}

/// Whether a file is one that is imported rather than a model file: by its ending, `.urdf`, `.sdf`, `.world`, `.mjcf` or `.xml`.
pub fn is_foreign(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("urdf" | "sdf" | "world" | "mjcf" | "xml"))
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
