//! `linkwork import`: a robot of another program as a model file.

use crate::arguments::Format;
use crate::output::{print_json, print_text, write_whole};
use crate::{Outcome, refuse};
use clap::{Args, ValueEnum};
use linkwork::Error;
use linkwork_import::meshes::Destination;
use linkwork_import::notes::Table;
use linkwork_import::{Import, Options};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Reads URDF, SDF, MJCF and FreeCAD's ASMT. What was merged, assumed or left out stands on standard error.\n\n\
    Other verbs read such a file, too: `linkwork run robot.urdf` imports it as it is.\n\n\
    Exit code: 0 written, 2 the file was refused."
)]
pub struct ImportArguments {
    /// File to read
    pub file: String,
    /// Write the model to this file, rather than to standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder of a package that the file names, as in package://NAME/meshes/arm.stl
    #[arg(long, value_name = "NAME=DIR", value_parser = package)]
    pub package: Vec<(String, PathBuf)>,
    /// Whether the base is part of the ground. Without it, as the format has it: the root of a URDF is fixed, a model in SDF or MJCF says it
    #[arg(long)]
    pub base: Option<Base>,
    /// How loops are closed that demand more than necessary: by the joints of the file, or by ones that demand what the others leave open as drawn
    #[arg(long, value_enum, default_value = "as-given")]
    pub loops: Loops,
    /// Keyframe at which the motion begins (MJCF): its name, or its number from zero; `none` for the drawn pose. The first, unless given
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,
    /// Unit of length of a file that does not say it (ASMT): m, cm, mm, in or ft. FreeCAD writes mm
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub unit: Option<f64>,
    /// Make surfaces of collision shapes, and contacts of who meets whom. Meshes touch by their convex hulls; what overlaps where the motion begins is kept apart
    #[arg(long)]
    pub contacts: bool,
    /// Replace an indefinite inertia by the nearest one that a body can have, rather than refuse it
    #[arg(long)]
    pub repair_inertia: bool,
    /// Refuse the file if anything is assumed, changed or left out
    #[arg(long)]
    pub strict: bool,
    /// Output format: the table of substitutions on standard error, or model and table as JSON on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// What the root link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Base {
    /// It is part of the ground
    Fixed,
    /// It is free
    Floating,
}

/// How loops are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Loops {
    /// By the joints of the file
    AsGiven,
    /// By joints that demand less where the others imply the rest
    Fewest,
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok((name.into(), folder.into())),
        _ => Err("write NAME=DIR".into()),
    }
}

fn unit(text: &str) -> Result<f64, String> {
    linkwork_import::length_unit(text).ok_or_else(|| "one of m, cm, mm, in, ft".into())
}

pub fn import(args: &ImportArguments) -> Outcome {
    let options = Options {
        packages: args.package.clone(),
        base: args.base.map(|base| match base {
            Base::Fixed => linkwork_import::Base::Fixed,
            Base::Floating => linkwork_import::Base::Floating,
        }),
        loops: match args.loops {
            Loops::AsGiven => linkwork_import::Loops::AsGiven,
            Loops::Fewest => linkwork_import::Loops::Fewest,
        },
        repair_inertia: args.repair_inertia,
        strict: args.strict,
        contacts: args.contacts,
        keyframe: args.keyframe.clone(),
        length_unit: args.unit,
        destination: match &args.output {
            Some(file) => Destination::File(file.clone()),
            None => Destination::Printed,
        },
    };
    // the model is checked before anybody gets it: what an import writes can be read
    let imported = linkwork_import::import(&args.file, &options).map_err(Error::from);
    let imported = match imported.and_then(|imported| imported.model().map(|_| imported)) {
        Ok(imported) => imported,
        Err(error) => return refuse(&error, args.format),
    };
    if let Some(file) = &args.output
        && let Err(error) = write_whole(file, &imported.toml)
    {
        eprintln!("error: cannot write {}: {error}", file.display());
        return Outcome::Refused;
    }
    if let Some(file) = &args.output {
        match imported.copy_meshes(file) {
            Ok(0) => {}
            Ok(bytes) => {
                let (count, size) =
                    (imported.meshes.iter().filter(|mesh| mesh.copied).count(), bytes as f64 / 1e6);
                eprintln!("{count} files of meshes copied beside {}: {size:.1} MB", file.display());
            }
            Err(error) => {
                eprintln!("error: cannot copy the meshes of {}: {error}", file.display());
                return Outcome::Refused;
            }
        }
    }
    match args.format {
        Format::Json => print_json(&as_json(&imported, args.output.is_none())),
        Format::Text => {
            if args.output.is_none() {
                print_text(&imported.toml);
            }
            eprint!("{}", Table(&imported.notes));
        }
    }
    Outcome::Good
}

/// Figures, table and, unless it went to a file, the model.
fn as_json(imported: &Import, with_model: bool) -> serde_json::Value {
    let notes: Vec<_> = imported
        .notes
        .iter()
        .map(|note| {
            serde_json::json!({
                "severity": note.severity.word(), "file": &*note.place.file, "line": note.place.line,
                "item": note.item, "what": note.what, "done": note.done,
            })
        })
        .collect();
    let moving = imported.robot.links.iter().filter(|link| !link.fixed).count();
    let mut out = serde_json::json!({
        "status": "imported", "format": imported.robot.format, "name": imported.robot.name, "bodies": moving,
        "joints": imported.robot.joints.len(), "mass": imported.robot.moving_mass(), "substitutions": notes,
    });
    if with_model {
        out["model"] = imported.toml.clone().into();
    }
    out
}

/// A robot for the verbs that take a model, as `import` without options reads it: the name and the text of the model file. What changes the motion is printed.
pub(crate) fn read(file: &str) -> Result<(String, String), Error> {
    let imported = linkwork_import::import(file, &Options::default())?;
    let grave: Vec<_> = imported
        .notes
        .iter()
        .filter(|note| note.severity > linkwork_import::notes::Severity::LeftOut)
        .cloned()
        .collect();
    eprint!("{}", Table(&grave));
    let others = imported.notes.len() - grave.len();
    if others > 0 {
        eprintln!("{others} further substitutions: `linkwork import {file}` lists all");
    }
    Ok((imported.model_name(), imported.toml))
}
