//! `linkwork sweep`.

use crate::arguments::{Format, integrator};
use crate::output::{PendingFile, print_text};
use crate::{Outcome, point_at_options, read_bytes, refuse};
use clap::Args;
use linkwork::Error;
use linkwork::batch::{Batch, BatchError, BatchRun, Variant};
use linkwork::model::{Faults, Integrator, Model};
use linkwork::results::text_cell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args, Clone)]
#[command(
    after_help = "The table has a row for each variant: the values of the parameters, the results, and how the run ended.\n\
    With steps of a given size (--step, or `step` in the model) open chains run eight at a time in the registers of each core;\n\
    the numbers are those of single runs to the last bit. See docs/batch.md.\n\n\
    Example: linkwork sweep pendulum.toml --set l=0.1..0.5:9 --set m=1..2:3 --columns 'joint.A.q,max(energy.kinetic)'\n\n\
    Exit code: 0 all finished, 1 some did not, 2 the model or an option was refused."
)]
pub struct SweepArguments {
    /// Model file (TOML or JSON), or - for standard input
    pub model: String,
    /// A parameter of the model's [parameters] and its values in SI units, evenly spaced, both ends included; several options
    /// vary several parameters. NAME=VALUE gives one value
    #[arg(long, value_name = "NAME=FROM..TO:COUNT", required = true, value_parser = crate::sweep::range)]
    pub set: Vec<crate::sweep::Range>,
    /// All combinations of the values; the default
    #[arg(long, conflicts_with = "pairs")]
    pub grid: bool,
    /// First values together, second values together, and so on
    #[arg(long)]
    pub pairs: bool,
    /// The table
    #[arg(short, long, value_name = "FILE", default_value = "sweep.csv")]
    pub output: PathBuf,
    /// Result columns of the last row, or max(COLUMN), min(COLUMN) over all rows [default: all columns]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Threads; 0: as many as the machine has cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Let eight variants share their steps under error control: faster, but not to the last bit what single runs give
    #[arg(long)]
    pub lockstep: bool,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Steps of this size, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Method, as for `run`
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
    /// No summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// A sweep may have this many variants.
const MOST_VARIANTS: usize = 1_000_000;
/// Failures that are reported one by one; the table has them all.
const MOST_TOLD: usize = 10;

/// A parameter and the values it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    name: String,
    values: Vec<f64>,
}

impl Range {
    /// The parameter.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its values, in order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// Reads `NAME=FROM..TO:COUNT` or `NAME=VALUE`.
pub fn range(text: &str) -> Result<Range, String> {
    let (name, values) = text.split_once('=').ok_or("write NAME=FROM..TO:COUNT, as in l=0.1..0.5:9")?;
    let values = match values.split_once("..") {
        None => vec![number(values)?],
        Some((from, rest)) => {
            let (to, count) =
                rest.split_once(':').ok_or("the number of values is missing: FROM..TO:COUNT")?;
            let (from, to) = (number(from)?, number(to)?);
            let count: usize = count.trim().parse().map_err(|_| format!("`{count}` is not a count"))?;
            if !(1..=MOST_VARIANTS).contains(&count) {
                return Err(format!("there must be 1 to {MOST_VARIANTS} values, not {count}"));
            }
            let last = count - 1;
            let value = |i: usize| match i {
                0 => from,
                i if i == last => to,
                i => from + (to - from) * (i as f64 / last as f64),
            };
            (0..count).map(value).collect()
        }
    };
    Ok(Range { name: name.trim().to_owned(), values })
}

/// Reads `NAME=VALUE`.
pub fn setting(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as in l=0.5")?;
    Ok((name.trim().to_owned(), number(value)?))
}

fn number(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("`{}` is not a number; values are numbers in SI units", text.trim())),
    }
}

/// What a column of the table shows of a result column.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Last,
    Least,
    Most,
}

/// `max(NAME)`, `min(NAME)` or `NAME`.
fn shown(text: &str) -> (Shown, &str) {
    let inner = |word: &str| text.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')');
    match (inner("max"), inner("min")) {
        (Some(name), _) => (Shown::Most, name),
        (_, Some(name)) => (Shown::Least, name),
        _ => (Shown::Last, text),
    }
}

pub fn sweep(args: &SweepArguments) -> Outcome {
    let table = match combine(args) {
        Ok(table) => table,
        Err(message) => {
            eprintln!("error: {message}");
            return Outcome::Refused;
        }
    };
    match run(args, &table) {
        Ok(outcome) => outcome,
        Err(error) => refuse(&error, Format::Text),
    }
}

/// The values of all parameters, variant by variant.
fn combine(args: &SweepArguments) -> Result<Vec<Vec<f64>>, String> {
    let ranges = &args.set;
    for (i, range) in ranges.iter().enumerate() {
        if ranges[..i].iter().any(|other| other.name == range.name) {
            return Err(format!("--set gives `{}` twice", range.name));
        }
    }
    if args.pairs {
        let count = ranges[0].values.len();
        return match ranges.iter().find(|range| range.values.len() != count) {
            Some(other) => Err(format!(
                "--pairs takes the values together, but `{}` has {count} and `{}` has {}",
                ranges[0].name,
                other.name,
                other.values.len()
            )),
            None => Ok((0..count).map(|i| ranges.iter().map(|range| range.values[i]).collect()).collect()),
        };
    }
    let count = ranges.iter().try_fold(1usize, |n, range| n.checked_mul(range.values.len()));
    let Some(count) = count.filter(|&n| n <= MOST_VARIANTS) else {
        return Err(format!("the grid has more than {MOST_VARIANTS} variants"));
    };
    // the last parameter changes fastest
    let variant = |mut i: usize| {
        let mut values: Vec<f64> = Vec::with_capacity(ranges.len());
        for range in ranges.iter().rev() {
            values.push(range.values[i % range.values.len()]);
            i /= range.values.len();
        }
        values.reverse();
        values
    };
    Ok((0..count).map(variant).collect())
}

/// Reads the model with values for its parameters and with the options.
fn model(args: &SweepArguments, text: &[u8], values: &[f64]) -> Result<Model, Faults> {
    let file = if args.model == "-" { "<stdin>" } else { &args.model };
    let parameters: Vec<(&str, f64)> =
        args.set.iter().map(|range| range.name.as_str()).zip(values.iter().copied()).collect();
    let mut model = Model::parse_beside(file, text, &parameters).map_err(|error| match error {
        Error::Model(faults) => faults,
        // text in memory has no other errors
        other => {
            Faults { list: vec![linkwork::model::Fault::error("", other.to_string())], provenance: None }
        }
    })?;
    let settings = &mut model.settings;
    if let Some(duration) = args.duration {
        settings.duration = duration;
    }
    if args.step.is_some() {
        settings.step = args.step;
    }
    if let Some(integrator) = args.integrator {
        settings.integrator = integrator;
    }
    Ok(model)
}

fn run(args: &SweepArguments, table: &[Vec<f64>]) -> Result<Outcome, Error> {
    let text: Arc<Vec<u8>> = read_bytes(&args.model)?.into();
    let given: Vec<&str> =
        [args.duration.map(|_| "duration"), args.step.map(|_| "step"), args.integrator.map(|_| "integrator")]
            .into_iter()
            .flatten()
            .collect();
    let shared = Arc::new(args.clone());
    let variants: Vec<Variant> = table
        .iter()
        .map(|values| {
            let (args, text, values) = (shared.clone(), text.clone(), values.clone());
            Variant::made_by(move || model(&args, &text, &values))
        })
        .collect();
    // one that is impossible, the first or another, is one row of the table
    let base = Batch::base_of(&variants).map_err(|faults| point_at_options(faults, &given))?;
    let wanted: Vec<(Shown, &str)> = args.columns.iter().map(|name| shown(name)).collect();
    let mut batch = Batch::new(&base).threads(args.threads).lockstep(args.lockstep);
    if !wanted.is_empty() {
        batch = batch.columns(wanted.iter().map(|(_, name)| *name))?;
    }
    batch = batch.extremes(wanted.iter().any(|(shown, _)| *shown != Shown::Last));
    let runs = batch.run(&variants);
    let io = |source| Error::Io { file: args.output.display().to_string(), source };
    write(args, &batch, &wanted, table, &runs).map_err(io)?;
    let failed = runs.iter().filter(|run| !run.is_finished()).count();
    for (run, values) in runs.iter().zip(table).filter(|(run, _)| !run.is_finished()).take(MOST_TOLD) {
        let at: Vec<String> =
            args.set.iter().zip(values).map(|(range, value)| format!("{} = {value}", range.name)).collect();
        if let Some(error) = &run.error {
            eprintln!("{} ({})", error.to_string().trim_end(), at.join(", "));
        }
    }
    if failed > MOST_TOLD {
        eprintln!("... and {} more", failed - MOST_TOLD);
    }
    if !args.quiet {
        let lanes = runs.iter().filter(|run| run.in_lanes).count();
        print_text(&format!(
            "{}: {} variants, {failed} without a complete result, {lanes} in lanes\n{}\n",
            base.model().name,
            runs.len(),
            args.output.display()
        ));
    }
    Ok(if failed == 0 { Outcome::Good } else { Outcome::Failed })
}

/// A cell of text.
fn quoted(text: &str) -> String {
    let text = &*text_cell(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// The table: parameters, results, how the run ended. Runs that are not complete have no results.
fn write(
    args: &SweepArguments,
    batch: &Batch<'_>,
    wanted: &[(Shown, &str)],
    table: &[Vec<f64>],
    runs: &[BatchRun],
) -> io::Result<()> {
    let pending = PendingFile::named(args.output.clone())?;
    let mut out = pending.writer()?;
    let columns: Vec<String> = match wanted.is_empty() {
        true => batch.kept_columns().map(|column| quoted(&column.name)).collect(),
        false => args.columns.iter().map(|name| quoted(name)).collect(),
    };
    let names = args.set.iter().map(|range| quoted(&range.name));
    let header: Vec<String> = names.chain(columns.iter().cloned()).chain(["status".into()]).collect();
    writeln!(out, "{}", header.join(","))?;
    for (values, run) in table.iter().zip(runs) {
        // the shortest form that reads back to the same bits
        let mut cells: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let status = match &run.error {
            None => "finished",
            Some(BatchError::Refused { .. }) => "refused",
            Some(_) => "failed",
        };
        for i in 0..columns.len() {
            let from = match wanted.get(i) {
                None | Some((Shown::Last, _)) => run.last(),
                Some((Shown::Least, _)) => Some(run.least.as_slice()),
                Some((Shown::Most, _)) => Some(run.most.as_slice()),
            };
            let value = from.filter(|_| run.is_finished()).and_then(|row| row.get(i));
            cells.push(value.map_or(String::new(), |value| format!("{value:?}")));
        }
        cells.push(status.into());
        writeln!(out, "{}", cells.join(","))?;
    }
    out.flush()?;
    drop(out);
    pending.keep()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_ranges() {
        assert_eq!(range("l=1..2:3").unwrap().values, [1.0, 1.5, 2.0]);
        assert_eq!(range("l=0.1..0.7:7").unwrap().values[6], 0.7);
        assert_eq!(range(" m = -2").unwrap(), Range { name: "m".into(), values: vec![-2.0] });
        assert_eq!(range("l=-1..-3:1").unwrap().values, [-1.0]);
        for bad in ["l", "l=1..2", "l=1..2:0", "l=a..2:3", "l=1..2:x", "l=1..inf:3", "l="] {
            assert!(range(bad).is_err(), "{bad}");
        }
        assert_eq!(setting(" m = -2e-3").unwrap(), ("m".into(), -2e-3));
        for bad in ["m", "m=", "m=1..2:3", "m=nan", "m=30 deg"] {
            assert!(setting(bad).is_err(), "{bad}");
        }
        assert!(shown("max(point.A.x)") == (Shown::Most, "point.A.x"));
        assert!(shown("min(x)") == (Shown::Least, "x"));
        assert!(shown("maximum") == (Shown::Last, "maximum"));
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
