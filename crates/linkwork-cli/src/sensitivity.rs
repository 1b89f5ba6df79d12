//! `linkwork sensitivity`.

use crate::arguments::{Format, formulation, integrator, names};
use crate::output::{PendingFile, count, folder_for, print_json, print_text, short};
use crate::source::model_file;
use crate::{Outcome, point_at_options, refuse};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use linkwork::Error;
use linkwork::model::{Formulation, Integrator, Model, ModelFile, Reduction};
use linkwork::sensitivity::{Design, Method, Quantity, Sensitivities, SensitivityError, Study, Take};
use linkwork_sweep::{ResultColumn, split_columns};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Args)]
#[command(
    after_help = "A derivative is what a result changes by when a number of the model changes, per SI unit of the number. Neighbours of the run take its steps and must\n\
    have its events; where they do not, the command names the event.\n\n\
    Examples:\n  \
    linkwork sensitivity four-bar.toml --of 'final(point.P.x),max(joint.D.q)' --by C,bodies.rocker.mass\n  \
    linkwork sensitivity suspension.toml --of 'max(measure.camber)' --by 'points.*' -o camber.csv\n  \
    linkwork sensitivity model.toml --list\n\n\
    Exit code: 0 all derivatives are there, 1 a run failed or there is no derivative, 2 the model or an option was refused."
)]
pub struct SensitivityArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// What derivatives are taken of: final(COLUMN), at(TIME, COLUMN), max, min, mean, rms, integral of result columns, before(N, COLUMN) and after(N, COLUMN) the N-th
    /// event; a name alone is its last value
    #[arg(long, value_name = "LIST", required_unless_present = "list")]
    pub of: Option<String>,
    /// By what: parameters (l2), points (C) and their coordinates (C.x), any number of the file by its path (bodies.arm.mass), all below a path (points.*)
    #[arg(long, value_name = "LIST", required_unless_present = "list")]
    pub by: Option<String>,
    /// List the numbers of the file that derivatives can be taken by, with their values
    #[arg(long)]
    pub list: bool,
    /// How derivatives are computed: differences of runs that repeat steps and events, 6 runs for each number, with estimates of errors; direct: along with the motion, with the jump rule at events;
    /// jets: power series that carry derivatives, exact to rounding; adjoint: back from the results, for many numbers; auto: direct or adjoint, and differences where these refuse
    #[arg(long, default_value = "differences", value_name = "WAY", value_parser = way())]
    pub method: Method,
    /// Compute all derivatives in a second way, and fail if they differ by more than 1e-6 of the largest of their result: direct for differences, and differences for all others
    #[arg(long)]
    pub check: bool,
    /// File for the table: .csv or .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Threads; 0: as many as the machine has cores
    #[arg(long, visible_alias = "jobs", value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Local error per step, relative to the size of the mechanism
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Steps of this size, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    #[arg(long, value_name = "NAME", value_parser = formulation, help = names("Coordinates", &Formulation::CHOICES, Formulation::name))]
    pub formulation: Option<Formulation>,
    /// Method, as for `run`
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// The names of the ways.
fn way() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name)).try_map(|name: String| Method::from_str(&name))
}

/// Both ways must agree to this, in parts of the largest derivative of a result.
const AGREES: f64 = 1e-6;
/// Errors of derivatives above this part of them are pointed out.
const POOR: f64 = 1e-6;

pub fn sensitivity(args: &SensitivityArguments) -> Outcome {
    let file = match model_file(&args.model) {
        Ok(file) => file,
        Err(error) => return refuse(&error, args.format),
    };
    if args.list {
        return list(&file, args.format);
    }
    let write = match args.output.as_deref().map(|path| (path, writer(path))) {
        None => None,
        Some((path, Ok(write))) => Some((path, write)),
        Some((_, Err(message))) => return misuse(&message),
    };
    let of: Result<Vec<Quantity>, String> =
        split_columns(args.of.as_deref().unwrap_or_default()).into_iter().map(quantity).collect();
    let of = match of {
        Ok(of) => of,
        Err(message) => return misuse(&format!("--of: {message}")),
    };
    let by: Vec<&str> = args.by.as_deref().unwrap_or_default().split(',').map(str::trim).collect();
    let change = |model: &mut Model| {
        let settings = &mut model.settings;
        settings.duration = args.duration.unwrap_or(settings.duration);
        settings.tolerance = args.tolerance.unwrap_or(settings.tolerance);
        settings.step = args.step.or(settings.step);
        settings.formulation = args.formulation.unwrap_or(settings.formulation);
        settings.integrator = args.integrator.unwrap_or(settings.integrator);
    };
    let study = match Study::of_file_with(&file, &by, of, change) {
        Ok(study) => study.threads(args.threads),
        Err(faults) => return refuse(&Error::Model(faults), args.format),
    };
    let found = study.derivatives(args.method);
    let checked = |found: Sensitivities| match args.check {
        true => Agreement::with_other_way(&study, &found).map(|check| (found, Some(check))),
        false => Ok((found, None)),
    };
    let (found, check) = match found.and_then(checked) {
        Ok(found) => found,
        Err(error) => return failed(error, args),
    };
    if let Some((path, write)) = write
        && let Err(error) = folder_for(path).and_then(|()| written(path, &found, write))
    {
        eprintln!("error: {}: {error}", path.display());
        return Outcome::Refused;
    }
    match args.format {
        Format::Json => {
            let mut value = as_json(&found);
            if let Some(check) = &check {
                value["check"] = check.to_json();
            }
            print_json(&value);
        }
        Format::Text => {
            found.notes.iter().for_each(|note| eprintln!("note: {note}"));
            let mut text = describe(file.name(), &found);
            if let Some(Agreement { difference, of, by, ways: [one, other] }) = &check {
                let _ = writeln!(
                    text,
                    "\n{one} and {other} agree to {difference:.0e} of the largest derivative of each result; worst: {of} by {by}"
                );
            }
            print_text(&text);
        }
    }
    match check {
        Some(check) if !check.agrees() => {
            let Agreement { difference, of, by, ways: [one, other] } = check;
            eprintln!(
                "error: {one} and {other} differ by {difference:.1e} of the largest derivative of {of}, by {by}"
            );
            Outcome::Failed
        }
        _ => Outcome::Good,
    }
}

/// By how much two ways differ, in parts of the largest derivative of a result per size of its variable.
pub struct Agreement {
    /// The largest difference.
    pub difference: f64,
    /// The result where it is.
    pub of: String,
    /// The number where it is.
    pub by: String,
    /// The ways that were compared.
    pub ways: [Method; 2],
}

impl Agreement {
    /// Compares derivatives with those of a way that shares little with theirs.
    ///
    /// # Errors
    /// As [`Study::derivatives`].
    pub fn with_other_way(study: &Study<'_>, found: &Sensitivities) -> Result<Agreement, SensitivityError> {
        let other = match found.method {
            Method::Differences => Method::Direct,
            _ => Method::Differences,
        };
        Ok(Agreement::of(found, &study.derivatives(other)?))
    }

    /// Compares derivatives with those of another way.
    fn of(found: &Sensitivities, other: &Sensitivities) -> Agreement {
        let ways = [found.method, other.method];
        let mut worst = Agreement { difference: 0.0, of: String::new(), by: String::new(), ways };
        for (i, quantity) in found.quantities.iter().enumerate() {
            let size = |j: usize| match found.variables[j].value {
                0.0 => 1.0,
                value => value.abs(),
            };
            let scale = found.derivatives[i]
                .iter()
                .enumerate()
                .fold(0.0_f64, |most, (j, x)| most.max(x.abs() * size(j)));
            for (j, variable) in found.variables.iter().enumerate() {
                let off = (found.derivatives[i][j] - other.derivatives[i][j]).abs() * size(j);
                // what depends on nothing has no scale
                let off = if off == 0.0 { 0.0 } else { off / scale.max(1e-6 * found.values[i].abs()) };
                if worst.by.is_empty() || off > worst.difference || off.is_nan() {
                    let (of, by) = (quantity.name.clone(), variable.name.clone());
                    worst = Agreement { difference: off, of, by, ways };
                }
            }
        }
        worst
    }

    /// Whether they agree; what is not a number does not.
    pub fn agrees(&self) -> bool {
        self.difference <= AGREES
    }

    /// As `--format json` has it.
    pub fn to_json(&self) -> Value {
        json!({ "agrees": self.agrees(), "difference": self.difference, "of": self.of, "by": self.by, "ways": self.ways.map(Method::name) })
    }
}

fn misuse(message: &str) -> Outcome {
    eprintln!("error: {message}");
    Outcome::Refused
}

fn failed(error: SensitivityError, args: &SensitivityArguments) -> Outcome {
    let given = [
        ("duration", args.duration.is_some()),
        ("tolerance", args.tolerance.is_some()),
        ("step", args.step.is_some()),
        ("formulation", args.formulation.is_some()),
        ("integrator", args.integrator.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    let outcome = match &error {
        SensitivityError::Nominal(Error::Run(_))
        | SensitivityError::Unsteady { .. }
        | SensitivityError::Sequence { .. }
        | SensitivityError::Variable { .. } => Outcome::Failed,
        _ => Outcome::Refused,
    };
    match (error, args.format) {
        (SensitivityError::Nominal(Error::Model(faults)), format) => {
            refuse(&Error::Model(point_at_options(faults, &given)), format);
        }
        (SensitivityError::Nominal(error), format) => {
            refuse(&error, format);
        }
        (error, Format::Json) => print_json(&json!({ "status": "failed", "error": error.to_string() })),
        (error, Format::Text) => eprintln!("error: {error}"),
    }
    outcome
}

/// Reads what a derivative is taken of: a column of the results, or `final`, `at`, `max`, `min`, `mean`, `rms`, `integral`, `before` or `after` of one.
///
/// # Errors
/// What is not understood, and what to write.
pub fn quantity(text: &str) -> Result<Quantity, String> {
    let text = text.trim();
    for (word, take) in [("before", Take::Before as fn(usize) -> Take), ("after", Take::After)] {
        let inner = text.strip_prefix(word).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
        let Some(inner) = inner else { continue };
        let parts =
            inner.split_once(',').and_then(|(n, of)| Some((n.trim().parse::<usize>().ok()?, of.trim())));
        return match parts {
            Some((n, of)) if n > 0 => Ok(Quantity { name: text.into(), ..Quantity::new(take(n), of) }),
            _ => Err(format!(
                "`{text}`: write {word}(NUMBER OF THE EVENT, COLUMN), as in {word}(1, point.B.y)"
            )),
        };
    }
    let column =
        ResultColumn::read(text).map_err(|error| error.to_string().replacen("--columns: ", "", 1))?;
    if column.of.is_empty() || column.of.contains(['(', ')', ' ']) {
        return Err(format!(
            "`{text}` is not understood: write a result column, or final, at, max, min, mean, rms, integral, before or after of one"
        ));
    }
    let take = match column.kind {
        Reduction::Final => Take::Final,
        Reduction::At(t) => Take::At(t),
        Reduction::Max => Take::Max,
        Reduction::Min => Take::Min,
        Reduction::Mean => Take::Mean,
        Reduction::Rms => Take::Rms,
        Reduction::Integral => Take::Integral,
    };
    Ok(Quantity { name: column.name, take, column: column.of })
}

/// The numbers of the file.
fn list(file: &ModelFile, format: Format) -> Outcome {
    let variables = match file.variables() {
        Ok(variables) => variables,
        Err(faults) => return refuse(&Error::Model(faults), format),
    };
    match format {
        Format::Json => {
            let one = |v: &linkwork::model::Variable| json!({ "name": v.name, "path": v.path, "value": v.value, "unit": v.unit });
            print_json(&variables.list().iter().map(one).collect::<Value>());
        }
        Format::Text => {
            let width = variables.list().iter().map(|v| v.name.chars().count()).max().unwrap_or(0);
            let mut text = String::new();
            for variable in variables.list() {
                let _ =
                    writeln!(text, "{:width$}  {} {}", variable.name, short(variable.value), variable.unit);
            }
            print_text(&text);
        }
    }
    Outcome::Good
}

/// The unit of a derivative: `m/s per kg`.
fn unit(of: &str, by: &Design) -> String {
    match (of, by.unit.as_str()) {
        ("", "") => String::new(),
        (of, "") => of.into(),
        ("", by) => format!("per {by}"),
        (of, by) => format!("{of} per {by}"),
    }
}

/// Whether a derivative is known to few digits only.
fn is_poor(found: &Sensitivities, i: usize, j: usize) -> bool {
    let (derivative, error) = (found.derivatives[i][j], found.errors[i][j]);
    let scale = found.derivatives[i].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    error > POOR * derivative.abs().max(1e-3 * scale)
}

/// The table for people.
fn describe(name: &str, found: &Sensitivities) -> String {
    let mut text = format!(
        "{name}: derivatives of {} by {}, {} ({})\n",
        count(found.values.len(), "result", "results"),
        count(found.variables.len(), "number", "numbers"),
        count(found.runs, "run", "runs"),
        found.method
    );
    let width = found.variables.iter().map(|design| design.name.chars().count()).max().unwrap_or(0);
    let mut poor = false;
    for (i, quantity) in found.quantities.iter().enumerate() {
        let _ = writeln!(text, "\n{} = {} {}", quantity.name, number(found.values[i]), found.units[i]);
        for (j, design) in found.variables.iter().enumerate() {
            let (derivative, error) = (found.derivatives[i][j], found.errors[i][j]);
            let mark = if is_poor(found, i, j) { "  !" } else { "" };
            poor |= !mark.is_empty();
            let error = if error.is_nan() { String::new() } else { format!("± {error:.0e}") };
            let _ = writeln!(
                text,
                "  {:width$}  {:>17}  {error:9}  {}{mark}",
                design.name,
                number(derivative),
                unit(&found.units[i], design)
            );
        }
    }
    if poor {
        text.push_str(
            "\n!  known to few digits: the result has a kink there, or changes too fast for differences\n",
        );
    }
    text
}

/// Ten digits.
fn number(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&x.abs()) {
        let digits = (9 - x.abs().log10().floor() as i32).clamp(0, 12) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.9e}")
    }
}

/// As `--format json` has it.
pub fn as_json(found: &Sensitivities) -> Value {
    let quantities = found.quantities.iter().enumerate().map(|(i, quantity)| {
        let by = found.variables.iter().enumerate().map(|(j, design)| {
            (design.name.clone(), json!({ "derivative": found.derivatives[i][j], "error": found.errors[i][j], "unit": unit(&found.units[i], design) }))
        });
        json!({ "of": quantity.name, "value": found.values[i], "unit": found.units[i], "by": by.collect::<serde_json::Map<_, _>>() })
    });
    let variables = found
        .variables
        .iter()
        .map(|design| json!({ "name": design.name, "value": design.value, "unit": design.unit }));
    json!({
        "status": "finished",
        "method": found.method.name(),
        "notes": found.notes,
        "runs": found.runs,
        "variables": variables.collect::<Value>(),
        "results": quantities.collect::<Value>(),
    })
}

type Writer = fn(&Sensitivities, &mut dyn Write) -> io::Result<()>;

fn writer(path: &Path) -> Result<Writer, String> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => Ok(|found, to| writeln!(to, "{:#}", as_json(found))),
        Some("csv") => Ok(write_csv),
        _ => Err(format!("{}: derivatives are written to .csv or .json", path.display())),
    }
}

fn written(path: &Path, found: &Sensitivities, write: Writer) -> io::Result<()> {
    let pending = PendingFile::named(path.to_path_buf())?;
    let mut to = pending.writer()?;
    write(found, &mut to)?;
    to.flush()?;
    drop(to);
    pending.keep()
}

/// A row for each pair of a result and a number.
fn write_csv(found: &Sensitivities, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "of,value,of_unit,by,at,by_unit,derivative,error")?;
    for (i, quantity) in found.quantities.iter().enumerate() {
        for (j, design) in found.variables.iter().enumerate() {
            writeln!(
                to,
                "{},{:?},{},{},{:?},{},{:?},{:?}",
                cell(&quantity.name),
                found.values[i],
                cell(&found.units[i]),
                cell(&design.name),
                design.value,
                cell(&design.unit),
                found.derivatives[i][j],
                found.errors[i][j]
            )?;
        }
    }
    Ok(())
}

fn cell(text: &str) -> String {
    let text = linkwork::results::text_cell(text);
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}
