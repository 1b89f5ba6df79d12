//! `linkwork linearize`.

use crate::arguments::Format;
use crate::linear::{StateOptions, headline, linearized, tell_remarks};
use crate::output::{folder_for, print_json, print_text, write_bytes};
use crate::source::read_model_with;
use crate::{Outcome, refuse};
use clap::Args;
use linkwork::Error;
use linkwork::analysis::{Linearization, Quantity};
use linkwork_linear::write;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "The file has the matrices A, B, C, D and the names and units of states, inputs and outputs; its ending chooses the format:\n\
    .json, .npz (NumPy), .mat (MATLAB, Octave).\n\n\
    Examples:\n  \
    linkwork linearize quarter-car.toml -o linear.npz\n  \
    linkwork linearize robot.toml --at 1.5 --output joint.elbow.q --output energy.kinetic\n\n\
    Exit code: 0 linearised, 1 the run to the state failed, 2 the model or the state was refused."
)]
pub struct LinearizeArguments {
    #[command(flatten)]
    pub point: StateOptions,
    /// An input by its name; may be repeated [default: all of the model]
    #[arg(long, value_name = "NAME")]
    pub input: Vec<String>,
    /// A result column as an output; may be repeated [default: all measures]
    #[arg(long, value_name = "COLUMN")]
    pub output: Vec<String>,
    /// File for the linear system: .json, .npz or .mat
    #[arg(short = 'o', long = "output-file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// All of them if none is named.
pub fn chosen(names: &[String]) -> Option<Vec<String>> {
    (!names.is_empty()).then(|| names.to_vec())
}

pub fn linearize(args: &LinearizeArguments) -> Outcome {
    let bytes: Option<fn(&Linearization) -> Vec<u8>> = match &args.file {
        None => None,
        Some(file) => match writer(file) {
            Ok(bytes) => Some(bytes),
            Err(message) => {
                eprintln!("error: {message}");
                return Outcome::Refused;
            }
        },
    };
    let found = read_model_with(&args.point.model, &args.point.set)
        .and_then(|model| linearized(model, &args.point, chosen(&args.input), chosen(&args.output)));
    let linear = match found {
        Ok((_, _, linear)) => linear,
        Err(error) => return refused(&error, args.format),
    };
    tell_remarks(&linear);
    if let (Some(file), Some(bytes)) = (&args.file, bytes) {
        let written = folder_for(file).and_then(|()| write_bytes(file, &bytes(&linear)));
        if let Err(error) = written {
            eprintln!("error: {}: {error}", file.display());
            return Outcome::Refused;
        }
    }
    match args.format {
        Format::Json => print_json(&write::json(&linear)),
        Format::Text => {
            let mut text = describe(&linear);
            if let Some(file) = &args.file {
                let _ = writeln!(text, "\nlinear system   {}", file.display());
            }
            print_text(&text);
        }
    }
    Outcome::Good
}

/// A run that failed on the way is a failure, everything else misuse.
pub fn refused(error: &Error, format: Format) -> Outcome {
    let outcome = refuse(error, format);
    if matches!(error, Error::Run(_) | Error::Equilibrium(_)) { Outcome::Failed } else { outcome }
}

fn writer(file: &Path) -> Result<fn(&Linearization) -> Vec<u8>, String> {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("json") => Ok(|linear| format!("{:#}\n", write::json(linear)).into_bytes()),
        Some("npz") => Ok(write::npz),
        Some("mat") => Ok(write::mat),
        _ => Err(format!("{}: a linear system is written to .json, .npz or .mat", file.display())),
    }
}

/// The table for people: names, and the matrices where they are small.
fn describe(linear: &Linearization) -> String {
    /// More columns than this do not fit a line.
    const MOST: usize = 8;
    let mut text = headline(linear);
    for (what, list) in [("states", &linear.states), ("inputs", &linear.inputs), ("outputs", &linear.outputs)]
    {
        let named: Vec<String> = list.iter().map(named).collect();
        let _ =
            writeln!(text, "{what:8} {}", if named.is_empty() { "none".into() } else { named.join(", ") });
    }
    let (n, m) = (linear.states.len(), linear.inputs.len());
    for (name, columns, rows, values) in [
        ("A", n, &linear.states, &linear.a),
        ("B", m, &linear.states, &linear.b),
        ("C", n, &linear.outputs, &linear.c),
        ("D", m, &linear.outputs, &linear.d),
    ] {
        if columns == 0 || rows.is_empty() {
            continue;
        }
        if columns > MOST {
            let _ = writeln!(text, "\n{name}: {} x {columns}, in a file with -o", rows.len());
            continue;
        }
        let _ = writeln!(text, "\n{name}");
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for (row, values) in rows.iter().zip(values.chunks(columns)) {
            let _ = write!(text, "{:width$}", row.name);
            values.iter().for_each(|value| {
                let _ = write!(text, " {:>12}", number(*value));
            });
            text.push('\n');
        }
    }
    text
}

fn named(quantity: &Quantity) -> String {
    match quantity.unit.as_str() {
        "" => quantity.name.clone(),
        unit => format!("{} ({unit})", quantity.name),
    }
}

/// Six digits.
fn number(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&x.abs()) {
        let digits = (5 - x.abs().log10().floor() as i32).clamp(0, 8) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.4e}")
    }
}
