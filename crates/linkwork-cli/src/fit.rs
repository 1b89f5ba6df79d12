//! `linkwork fit`.

use crate::Outcome;
use crate::arguments::Format;
use crate::optimize::{best_name, report, study, text_of, write_files};
use crate::output::{count, print_json, print_text};
use clap::Args;
use linkwork_formats::table::Table;
use linkwork_optimize::{Data, Error, Fit, Measured, Study, fit, fit_page, history_csv};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "The variables are those of [optimize.variables]. The folder gets best.toml (the model with its numbers replaced and its comments kept), history.csv,\n\
    summary.json and report.html, with 95 % confidence intervals. See docs/how-to/optimize.md.\n\n\
    Example: linkwork fit pendulum.toml --data measured.csv --map angle=joint.A.q -o fitted\n\n\
    Exit code: 0 found, 1 the data do not tell all parameters or the evaluations were spent, 2 the model or the data were refused."
)]
pub struct FitArguments {
    /// Model file (TOML or JSON) with [optimize.variables], or - for standard input
    pub model: String,
    /// Measurements: a CSV or Parquet file with a column of times in seconds, and columns in SI units
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// A column of the file and the quantity that it measures, as y=point.P.y or angle=measure.angle; several options compare several. Without any, columns that are called
    /// like quantities of the model
    #[arg(long, value_name = "COLUMN=QUANTITY")]
    pub map: Vec<String>,
    /// The column of times
    #[arg(long, value_name = "COLUMN", default_value = "t")]
    pub time: String,
    /// Folder for the fitted model, the way there and the report
    #[arg(short, long, value_name = "DIR", default_value = "fit")]
    pub output: PathBuf,
    /// Evaluations at most, those of differences included
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub runs: u64,
    /// Threads; 0: as many as the machine has cores. The result does not depend on it
    #[arg(long, visible_alias = "threads", value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(args: &FitArguments) -> Outcome {
    match fitted(args) {
        Ok(outcome) => outcome,
        Err(error) => report(error, args.format),
    }
}

fn wrong(what: impl Into<String>, why: impl Into<String>) -> Error {
    Error::Wrong { what: what.into(), why: why.into() }
}

/// The columns of a file that are compared.
fn data(args: &FitArguments) -> Result<Data, Error> {
    let table = Table::open(&args.data)?;
    let known: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let place = |name: &str| known.iter().position(|column| *column == name);
    let file = args.data.display().to_string();
    let Some(time) = place(&args.time) else {
        let why = format!(
            "it has no column `{}` of times: name another one of {} with --time",
            args.time,
            known.join(", ")
        );
        return Err(wrong(file, why));
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for text in &args.map {
        let Some((column, quantity)) = text.split_once('=') else {
            return Err(wrong(format!("--map {text}"), "write COLUMN=QUANTITY, as in y=point.P.y"));
        };
        pairs.push((column.trim().to_owned(), quantity.trim().to_owned()));
    }
    if args.map.is_empty() {
        let others = known.iter().filter(|name| **name != args.time);
        pairs.extend(others.map(|name| ((*name).to_owned(), (*name).to_owned())));
    }
    let mut places = vec![time];
    for (column, _) in &pairs {
        let found = place(column).ok_or_else(|| {
            wrong(
                format!("--map {column}"),
                format!("{file} has no column `{column}`: it has {}", known.join(", ")),
            )
        })?;
        places.push(found);
    }
    let mut values = table.read(&places)?.into_iter();
    let t = values.next().unwrap_or_default();
    let columns =
        pairs.into_iter().zip(values).map(|((name, quantity), values)| Measured { name, quantity, values });
    Ok(Data { t, columns: columns.collect() })
}

fn fitted(args: &FitArguments) -> Result<Outcome, Error> {
    let study = study(&args.model, args.jobs)?;
    let data = data(args)?;
    let found = fit(&study, &data, args.runs)?;
    let x: Vec<f64> = found.estimates.iter().map(|one| one.value).collect();
    let best = best_name(&args.model);
    let files = [
        (best, study.text_with(&x)),
        ("history.csv", history_csv(&study, &found.history)),
        ("summary.json", text_of(&as_json(&found))),
        ("report.html", fit_page(&study, &data, &found)),
    ];
    write_files(&args.output, &files)?;
    match args.format {
        Format::Json => print_json(&as_json(&found)),
        Format::Text => print_text(&describe(&study, &data, &found, &args.output.join(best))),
    }
    Ok(if found.success { Outcome::Good } else { Outcome::Failed })
}

/// A fit, for programs.
pub fn as_json(found: &Fit) -> Value {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let estimates: Vec<Value> = found
        .estimates
        .iter()
        .map(|one| {
            json!({
                "name": one.name,
                "unit": one.unit,
                "before": one.first,
                "value": one.value,
                "standard_error": finite(one.error),
                "interval": one.interval.map(finite),
                "at_bound": one.at_bound,
            })
        })
        .collect();
    let correlation: Vec<Vec<Value>> =
        found.correlation.iter().map(|row| row.iter().map(|c| finite(*c)).collect()).collect();
    json!({
        "status": if found.success { "found" } else { "failed" },
        "message": found.message,
        "estimates": estimates,
        "correlation": correlation,
        "left": found.left,
        "measurements": found.measurements,
        "undetermined": found.undetermined,
        "evaluations": found.evaluations,
    })
}

fn describe(study: &Study, data: &Data, found: &Fit, best: &Path) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {}, with {} after {}\n",
        study.file().name(),
        found.message,
        count(found.measurements, "measurement", "measurements"),
        count(found.evaluations as usize, "evaluation", "evaluations")
    );
    let width = found.estimates.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    for one in &found.estimates {
        let half = 0.5 * (one.interval[1] - one.interval[0]);
        let half = if half.is_finite() { format!("{half:.2e}") } else { "unknown".into() };
        let note = if one.at_bound { "  at its bound: the interval means nothing" } else { "" };
        let _ = writeln!(
            text,
            "{:width$}  {:>14.8} ± {half} {}  before {}{note}",
            one.name, one.value, one.unit, one.first
        );
    }
    for (column, left) in data.columns.iter().zip(&found.left) {
        let _ = writeln!(text, "left of {}: {left:.3e} (root mean square)", column.name);
    }
    let _ = writeln!(text, "\n{}", best.display());
    text
}
