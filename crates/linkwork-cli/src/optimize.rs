//! `linkwork optimize`.

use crate::arguments::Format;
use crate::output::{count, print_json, print_text, write_whole};
use crate::source::model_file;
use crate::{Outcome, refuse};
use clap::Args;
use linkwork::Error;
use linkwork_optimize::{Method, Optimum, Options, Study, history_csv, optimize, page};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "The section [optimize] of the model says what may change, what must hold and what is to become small. The folder gets best.toml (the model with its\n\
    numbers replaced and its comments kept), history.csv, summary.json and report.html. See docs/how-to/optimize.md.\n\n\
    Example: linkwork optimize four-bar-synthesis.toml --global --runs 20000 -o best\n\n\
    Exit code: 0 found, 1 constraints do not hold or the evaluations were spent, 2 the model or an option was refused."
)]
pub struct OptimizeArguments {
    /// Model file (TOML or JSON) with a section [optimize], or - for standard input
    pub model: String,
    /// Folder for the best model, the way there and the report
    #[arg(short, long, value_name = "DIR", default_value = "optimize")]
    pub output: PathBuf,
    /// Solver: auto, least-squares, sqp or evolution
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub method: Method,
    /// Evaluations at most, those of differences included
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub runs: u64,
    /// Search the whole ranges, from random points
    #[arg(long)]
    pub global: bool,
    /// Seed of random numbers: the same seed, the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads; 0: as many as the machine has cores. The result does not depend on it
    #[arg(long, visible_alias = "threads", value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(args: &OptimizeArguments) -> Outcome {
    match searched(args) {
        Ok(outcome) => outcome,
        Err(error) => report(error, args.format),
    }
}

/// Tells what went wrong.
pub fn report(error: linkwork_optimize::Error, format: Format) -> Outcome {
    match (error, format) {
        (linkwork_optimize::Error::Model(error), format) => refuse(&error, format),
        (other, Format::Json) => {
            print_json(&json!({ "status": "refused", "error": other.to_string() }));
            Outcome::Refused
        }
        (other, Format::Text) => {
            eprintln!("error: {other}");
            Outcome::Refused
        }
    }
}

/// The file with its section, ready to be searched.
pub fn study(model: &str, jobs: usize) -> Result<Study, linkwork_optimize::Error> {
    Study::new(model_file(model)?, jobs)
}

/// Puts files into a folder, which is made if it is not there.
pub fn write_files(folder: &Path, files: &[(&str, String)]) -> Result<(), linkwork_optimize::Error> {
    let io = |file: &Path| {
        let file = file.display().to_string();
        move |source| linkwork_optimize::Error::Model(Error::Io { file, source })
    };
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        write_whole(&path, text).map_err(io(&path))?;
    }
    Ok(())
}

/// The name of the best model: a JSON file stays one.
pub fn best_name(model: &str) -> &'static str {
    if model.to_ascii_lowercase().ends_with(".json") { "best.json" } else { "best.toml" }
}

fn searched(args: &OptimizeArguments) -> Result<Outcome, linkwork_optimize::Error> {
    let study = study(&args.model, args.jobs)?;
    let options = Options { method: args.method, runs: args.runs, seed: args.seed, global: args.global };
    let found = optimize(&study, &options)?;
    let best = best_name(&args.model);
    let files = [
        (best, study.text_with(&found.x)),
        ("history.csv", history_csv(&study, &found.history)),
        ("summary.json", text_of(&as_json(&study, &found))),
        ("report.html", page(&study, &found)),
    ];
    write_files(&args.output, &files)?;
    match args.format {
        Format::Json => print_json(&as_json(&study, &found)),
        Format::Text => print_text(&describe(&study, &found, &args.output.join(best))),
    }
    Ok(if found.success { Outcome::Good } else { Outcome::Failed })
}

/// JSON for a file.
pub fn text_of(value: &Value) -> String {
    format!("{value:#}\n")
}

/// A number that JSON can have.
fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// What was found, for programs.
pub fn as_json(study: &Study, found: &Optimum) -> Value {
    let variables: Vec<Value> = study
        .variables()
        .iter()
        .zip(&found.x)
        .map(|(variable, x)| json!({ "name": variable.name, "unit": variable.unit, "before": variable.value, "after": x }))
        .collect();
    json!({
        "status": if found.success { "found" } else { "failed" },
        "end": found.end.name(),
        "message": found.message,
        "objective": number(found.objective),
        "objective_before": number(found.first_objective),
        "solver": found.solver,
        "evaluations": found.evaluations,
        "points": found.history.len(),
        "residuals": found.residuals.iter().map(|r| number(*r)).collect::<Vec<_>>(),
        "gradient": found.gradient.iter().map(|g| number(*g)).collect::<Vec<_>>(),
        "variables": variables,
        "constraints": found.constraints.iter().map(|one| json!({ "name": one.name, "value": number(one.value), "holds": one.holds })).collect::<Vec<_>>(),
        "limits": found.limits.iter().map(|one| json!({ "what": one.what, "per_cent": number(one.per_cent), "equation": one.is_equation })).collect::<Vec<_>>(),
        "undetermined": found.undetermined,
        "gradient_check": number(found.gradient_check),
    })
}

/// What was found, for people.
fn describe(study: &Study, found: &Optimum, best: &Path) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {}, by {} after {}",
        study.file().name(),
        found.message,
        found.solver,
        count(found.evaluations as usize, "evaluation", "evaluations")
    );
    let _ = writeln!(text, "objective {:.6e}, before {:.6e}\n", found.objective, found.first_objective);
    let width = study.variables().iter().map(|variable| variable.name.chars().count()).max().unwrap_or(0);
    for (variable, x) in study.variables().iter().zip(&found.x) {
        let line = format!(
            "{:width$}  {:>14.8}  before {:>14.8} {}",
            variable.name, x, variable.value, variable.unit
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for one in found.constraints.iter().filter(|one| !one.holds) {
        let _ =
            writeln!(text, "violated: {}: {} ({:.1e} in parts of its sides)", one.name, one.text, one.value);
    }
    for limit in found.limits.iter().filter(|limit| limit.per_cent != 0.0) {
        let relief = if limit.is_equation { "more on its right side" } else { "of relief" };
        let _ = writeln!(
            text,
            "limits: {} (one per cent {relief} changes the objective by {:.2e})",
            limit.what, limit.per_cent
        );
    }
    if let Some(left) = found.undetermined.filter(|left| *left > 0) {
        let _ = writeln!(
            text,
            "{} of the variables change none of the residuals: other values are as good",
            count(left, "direction", "directions")
        );
    }
    let _ = writeln!(text, "\n{}", best.display());
    text
}
