//! Verbs of `linkwork sweep` on folders: `status`, `merge`, `indices`, `show`, `page`.

use super::report;
use crate::Outcome;
use crate::arguments::Format;
use crate::output::{print_json, print_text, short, write_whole};
use clap::{Args, Subcommand};
use linkwork_sweep::{Changes, Error, PartState, SweepFolder, SweepStatus, merge, page, sensitivity};
use serde_json::json;
use std::path::PathBuf;

/// What can be done with the folder of a sweep.
#[derive(Subcommand, Clone)]
pub enum Verb {
    /// Say how far a sweep is
    Status(OneFolder),
    /// Write all cases into one table, .parquet or .csv: the same bytes however the sweep was cut, interrupted or shared
    Merge(FolderAndFile),
    /// First-order and total sensitivity indices of a sweep with --sample saltelli:N
    Indices(OneFolder),
    /// Show a case, and the command that runs it alone
    Show(OneCase),
    /// Write a page with histograms and scatter plots
    Page(FolderAndFile),
}

/// A folder.
#[derive(Args, Clone)]
pub struct OneFolder {
    /// Folder of a sweep
    pub folder: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// A folder, and a file to be written.
#[derive(Args, Clone)]
pub struct FolderAndFile {
    /// Folder of a sweep
    pub folder: PathBuf,
    /// The file [default: sweep.parquet or sweep.html in the folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A case of a folder.
#[derive(Args, Clone)]
pub struct OneCase {
    /// Folder of a sweep
    pub folder: PathBuf,
    /// Number of the case
    pub case: u64,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(verb: &Verb) -> Outcome {
    let done = match verb {
        Verb::Status(args) => status(args),
        Verb::Merge(args) => merged(args),
        Verb::Indices(args) => indices(args),
        Verb::Show(args) => show(args),
        Verb::Page(args) => paged(args),
    };
    done.unwrap_or_else(|error| report(error, &[]))
}

/// The command that runs a case alone.
pub fn repeat<'n>(model: &str, values: impl Iterator<Item = (&'n str, f64)>, changes: &Changes) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+=".contains(c);
    let word = |text: String| match text.chars().all(plain) && !text.is_empty() {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    };
    let mut line = format!("linkwork run {}", word(model.to_owned()));
    for (name, value) in values {
        line.push_str(&format!(" --set {}", word(format!("{name}={value:?}"))));
    }
    for (key, value) in changes.options() {
        line.push_str(&format!(" --{} {value}", key.replace('_', "-")));
    }
    line
}

fn status(args: &OneFolder) -> Result<Outcome, Error> {
    let folder = SweepFolder::open(&args.folder)?;
    let manifest = folder.manifest();
    let SweepStatus { whole, finished, failed, refused, damaged } = folder.status();
    let parts = manifest.parts();
    match args.format {
        Format::Json => print_json(&json!({
            "cases": manifest.cases, "finished": finished, "failed": failed, "refused": refused,
            "parts": parts, "whole": whole, "damaged": damaged, "sample": manifest.sample, "seed": manifest.seed,
            "model": { "file": manifest.model.file, "sha256": manifest.model.hash }, "linkwork": manifest.linkwork,
        })),
        Format::Text => {
            let done = finished + failed + refused;
            print_text(&format!(
                "{}: {done} of {} cases, {whole} of {parts} parts\n  {finished} finished, {failed} failed, {refused} refused\n  {}, sample {}, seed {}\n",
                args.folder.display(),
                manifest.cases,
                manifest.model.file,
                manifest.sample,
                manifest.seed
            ));
            damaged.iter().for_each(|error| eprintln!("error: {error}"));
        }
    }
    Ok(if whole == parts && damaged.is_empty() { Outcome::Good } else { Outcome::Failed })
}

fn merged(args: &FolderAndFile) -> Result<Outcome, Error> {
    let folder = SweepFolder::open(&args.folder)?;
    let path = args.output.clone().unwrap_or_else(|| args.folder.join("sweep.parquet"));
    let cases = merge(&folder, &path)?;
    print_text(&format!("{}: {cases} cases\n", path.display()));
    Ok(Outcome::Good)
}

fn indices(args: &OneFolder) -> Result<Outcome, Error> {
    let folder = SweepFolder::open(&args.folder)?;
    let list = sensitivity(&folder)?;
    if args.format == Format::Json {
        let rows = list.iter().map(|index| {
            json!({
                "column": index.column, "parameter": index.parameter, "first": index.first, "total": index.total,
                "points": index.points, "left_out": index.left_out,
            })
        });
        print_json(&json!(rows.collect::<Vec<_>>()));
        return Ok(Outcome::Good);
    }
    let mut text = String::new();
    let mut column = "";
    for index in &list {
        if index.column != column {
            column = &index.column;
            text.push_str(&format!("{column} ({} points, {} left out)\n", index.points, index.left_out));
            text.push_str(&format!("  {:<20} {:>12} {:>12}\n", "parameter", "first order", "total"));
        }
        text.push_str(&format!(
            "  {:<20} {:>12} {:>12}\n",
            index.parameter,
            short(index.first),
            short(index.total)
        ));
    }
    print_text(&text);
    Ok(Outcome::Good)
}

fn show(args: &OneCase) -> Result<Outcome, Error> {
    let folder = SweepFolder::open(&args.folder)?;
    let manifest = folder.manifest();
    if args.case >= manifest.cases {
        let why = format!("the sweep has the cases 0 to {}", manifest.cases.saturating_sub(1));
        return Err(Error::Wrong { what: format!("case {}", args.case), why });
    }
    let values = manifest.plan()?.case(args.case);
    let pairs = || manifest.parameter_names().zip(values.iter().copied());
    let command = repeat(&manifest.model.file, pairs(), &manifest.settings);
    let part = args.case / manifest.part_size;
    let row = match folder.state(part)? {
        PartState::Missing => None,
        PartState::Whole { .. } => Some(folder.read(part)?),
    };
    let at = (args.case - part * manifest.part_size) as usize;
    let results: Vec<(&str, &str, f64)> = match &row {
        None => Vec::new(),
        Some(cases) => {
            let columns = manifest.columns.iter().zip(&cases.results);
            columns.map(|(column, list)| (column.name.as_str(), column.unit.as_str(), list[at])).collect()
        }
    };
    let ended = row.as_ref().map_or(("missing", ""), |cases| (cases.status[at].name(), &*cases.codes[at]));
    if args.format == Format::Json {
        let parameters: serde_json::Map<_, _> =
            pairs().map(|(name, x)| (name.to_owned(), json!(x))).collect();
        // what is missing is null
        let results: serde_json::Map<_, _> = results
            .iter()
            .map(|(name, _, x)| (name.to_string(), json!(x.is_finite().then_some(*x))))
            .collect();
        print_json(&json!({
            "case": args.case, "status": ended.0, "code": ended.1, "parameters": parameters, "results": results,
            "command": command,
        }));
        return Ok(Outcome::Good);
    }
    let code = if ended.1.is_empty() { String::new() } else { format!(" [{}]", ended.1) };
    let mut text = format!("case {}: {}{code}\n", args.case, ended.0);
    for (name, value) in pairs() {
        text.push_str(&format!("  {name} = {value:?}\n"));
    }
    for (name, unit, value) in results.iter().filter(|(.., value)| !value.is_nan()) {
        text.push_str(format!("  {name} = {value:?} {unit}").trim_end());
        text.push('\n');
    }
    print_text(&format!("{text}{command}\n"));
    Ok(Outcome::Good)
}

fn paged(args: &FolderAndFile) -> Result<Outcome, Error> {
    let folder = SweepFolder::open(&args.folder)?;
    let path = args.output.clone().unwrap_or_else(|| args.folder.join("sweep.html"));
    let text = page(&folder)?;
    write_whole(&path, &text).map_err(|source| Error::Io { file: path.clone(), source })?;
    print_text(&format!("{}\n", path.display()));
    Ok(Outcome::Good)
}
