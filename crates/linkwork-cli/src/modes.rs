//! `linkwork modes`.

mod files;
mod pages;

use crate::Outcome;
use crate::arguments::Format;
use crate::linear::{StateOptions, headline, linearized, tell_remarks};
use crate::linearize::refused;
use crate::output::{print_json, print_text, short};
use crate::source::model_file;
use clap::Args;
use linkwork::Error;
use linkwork::analysis::Linearization;
use linkwork::model::{Faults, ModelFile};
use linkwork::{Mechanism, Model, State};
use linkwork_linear::{Kind, Locus, Mode, Modes, Part, Response, frequencies, write};
use linkwork_sweep::Values;
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "With -o: modes.csv, modes.html with a page for each mode that plays it, locus.csv and locus.svg with --range, campbell.svg where something\n\
    oscillates, bode.csv and bode.svg with --bode.\n\n\
    Examples:\n  \
    linkwork modes bicycle.toml --set knock=0 -o modes\n  \
    linkwork modes bicycle.toml --set knock=0 --range v=0..10:101 -o modes\n  \
    linkwork modes quarter-car.toml --bode road:body.z -o modes\n\n\
    Exit code: 0 found, stable or not; 1 the run to the state failed; 2 the model or the state was refused, or files cannot be written."
)]
pub struct ModesArguments {
    #[command(flatten)]
    pub point: StateOptions,
    /// Follow the eigenvalues over values of a parameter: NAME=FROM..TO:COUNT, as for `sweep`, with units if you like
    #[arg(long, value_name = "RANGE")]
    pub range: Option<String>,
    /// Answer of an output, a result column, to an input over frequencies
    #[arg(long, value_name = "INPUT:OUTPUT", value_parser = pair)]
    pub bode: Option<(String, String)>,
    /// Number of modes to list and to play
    #[arg(short = 'n', long, value_name = "N", default_value_t = 12)]
    pub count: usize,
    /// Folder for tables, pages and plots
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Reads `INPUT:OUTPUT`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (input, output) = text.split_once(':').ok_or("write INPUT:OUTPUT, as in road:body.z")?;
    Ok((input.trim().into(), output.trim().into()))
}

/// What was found.
struct Found {
    mechanism: Mechanism,
    state: State,
    linear: Linearization,
    modes: Modes,
    locus: Option<Locus>,
    /// Values of its parameter at which stability changes.
    limits: Vec<f64>,
    response: Option<Response>,
}

impl Found {
    /// The value of the parameter of `--range` that the modes are at.
    fn first_value(&self) -> Option<String> {
        let locus = self.locus.as_ref()?;
        let value = short(*locus.values.first()?);
        Some(format!("{} = {value}, the first of {} values", locus.parameter, locus.values.len()))
    }
}

/// Refused by the library, or what is wrong with a result.
enum Trouble {
    Library(Error),
    Other(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Library(error)
    }
}

impl From<linkwork_linear::Error> for Trouble {
    fn from(error: linkwork_linear::Error) -> Self {
        Trouble::Other(error.to_string())
    }
}

pub fn modes(args: &ModesArguments) -> Outcome {
    let found = match find(args) {
        Ok(found) => found,
        Err(Trouble::Library(error)) => return refused(&error, args.format),
        Err(Trouble::Other(message)) => {
            eprintln!("error: {message}");
            return Outcome::Refused;
        }
    };
    tell_remarks(&found.linear);
    let written = match &args.output {
        None => Ok(Vec::new()),
        Some(folder) => files::write(&found, args, folder),
    };
    let written = match written {
        Ok(written) => written,
        Err(message) => {
            eprintln!("error: {message}");
            return Outcome::Refused;
        }
    };
    match args.format {
        Format::Json => {
            let mut value = write::modes_json(&found.linear, &found.modes);
            if let Some(locus) = &found.locus {
                value["locus"] = files::locus_json(locus, &found.limits);
            }
            print_json(&value);
        }
        Format::Text => {
            let mut text = describe(&found, args.count);
            if !written.is_empty() {
                text.push('\n');
            }
            written.iter().for_each(|file| {
                let _ = writeln!(text, "{}", file.display());
            });
            print_text(&text);
        }
    }
    Outcome::Good
}

/// More values of a parameter than this are not followed.
const MOST_VALUES: u64 = 100_000;

/// The parameter of `--range` and its values.
fn values(file: &ModelFile, range: &str) -> Result<(String, Vec<f64>), Trouble> {
    let wrong = |why: &str| Trouble::Other(format!("--range {range}: {why}"));
    let Some((name, text)) = range.split_once('=') else {
        return Err(wrong("write NAME=FROM..TO:COUNT, as in v=0..10:51"));
    };
    let name = name.trim();
    // a name that is not there is a fault of its own, whatever its values
    file.value(name, "0").map_err(Error::Model)?;
    let number = |text: &str| {
        let first = |faults: Faults| faults.list.into_iter().next().map(|fault| fault.message);
        file.value(name, text)
            .map_err(|faults| first(faults).unwrap_or_else(|| format!("`{text}` is not a number")))
    };
    let values = Values::read(text, &number).map_err(|why| wrong(&why))?;
    let count = values.count().ok_or_else(|| wrong("say how many values, as in v=0..10:51"))?;
    if !(1..=MOST_VALUES).contains(&count) {
        return Err(wrong(&format!("there must be 1 to {MOST_VALUES} values, not {count}")));
    }
    Ok((name.to_owned(), (0..count).filter_map(|i| values.nth(i)).collect()))
}

fn find(args: &ModesArguments) -> Result<Found, Trouble> {
    let file = model_file(&args.point.model)?;
    let file = file.with(&args.point.set).map_err(Error::Model)?;
    let range = args.range.as_ref().map(|range| values(&file, range)).transpose()?;
    let model = |more: Option<(&str, f64)>| file.model(&Vec::from_iter(more)).map_err(Error::Model);
    let inputs = args.bode.as_ref().map(|(input, _)| vec![input.clone()]);
    let outputs = args.bode.as_ref().map(|(_, output)| vec![output.clone()]);
    let ask = |model: Model| linearized(model, &args.point, inputs.clone(), outputs.clone());
    // without a range of one's own the first value stands for the model
    let first = range.as_ref().and_then(|(name, values)| Some((name.as_str(), *values.first()?)));
    let (mechanism, state, linear) = ask(model(first)?)?;
    let modes = Modes::new(&linear)?;
    let (mut locus, mut limits) = (None, Vec::new());
    if let Some((name, values)) = &range {
        let mut following = Locus::new(name);
        for (i, &value) in values.iter().enumerate() {
            if i == 0 {
                following.push(value, &modes)?;
            } else {
                let (_, _, linear) = ask(model(Some((name, value)))?)?;
                following.push(value, &Modes::new(&linear)?)?;
            }
        }
        limits = following.exact_limits(|value| {
            let (_, _, linear) = ask(model(Some((name, value)))?)?;
            Ok::<_, Trouble>(Modes::new(&linear)?)
        })?;
        locus = Some(following);
    }
    let response = match &args.bode {
        None => None,
        Some((input, output)) => {
            let [from, to] = span(&modes);
            Some(Response::new(&linear, input, output, &frequencies(from, to, 600))?)
        }
    };
    Ok(Found { mechanism, state, linear, modes, locus, limits, response })
}

/// Frequencies around those of the modes, Hz.
fn span(modes: &Modes) -> [f64; 2] {
    let sizes = modes.list.iter().filter(|mode| mode.kind != Kind::Free).map(Mode::natural_frequency);
    let [least, most] = sizes.fold([f64::INFINITY, 0.0_f64], |[a, b], f| [a.min(f), b.max(f)]);
    if most > 0.0 { [0.1 * least, 10.0 * most] } else { [0.01, 100.0] }
}

/// The table for people.
fn describe(found: &Found, count: usize) -> String {
    let Found { linear, modes, locus, .. } = found;
    let mut text = headline(linear);
    if let Some(first) = found.first_value() {
        let _ = writeln!(text, "at {first}");
    }
    let shown = &modes.list[..count.min(modes.list.len())];
    let heads = ["", "kind", "eigenvalue, 1/s", "frequency", "damping", "time constant", "bodies", "joints"];
    let mut rows: Vec<[String; 8]> = vec![heads.map(String::from)];
    rows.extend(shown.iter().enumerate().map(|(i, mode)| line(i, mode)));
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    text.push('\n');
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    if shown.len() < modes.list.len() {
        let _ = writeln!(text, "\n{} more, see -n", modes.list.len() - shown.len());
    }
    if modes.zeros > 0 {
        let _ = writeln!(
            text,
            "\n{} eigenvalues are zero: places and speeds that nothing brings back",
            modes.zeros
        );
    }
    if let Some(locus) = locus {
        let limits: Vec<String> = found.limits.iter().map(|value| short(*value)).collect();
        let _ = match limits.is_empty() {
            true => writeln!(text, "\nstability does not change over {}", locus.parameter),
            false => writeln!(text, "\nstability changes at {} = {}", locus.parameter, limits.join(", ")),
        };
    }
    text
}

fn line(i: usize, mode: &Mode) -> [String; 8] {
    let parts = |list: &[Part], percent: bool| {
        let one = |part: &Part| match percent {
            true => format!("{} {:.0} %", part.name, 100.0 * part.size),
            false => format!("{} {:.2}", part.name, part.size),
        };
        let large = list.iter().filter(|part| part.size >= 0.005);
        large.take(3).map(one).collect::<Vec<_>>().join(", ")
    };
    let oscillates = mode.eigenvalue.im > 0.0;
    [
        (i + 1).to_string(),
        mode.kind.to_string(),
        eigenvalue(mode),
        if oscillates { format!("{} Hz", short(mode.frequency())) } else { String::new() },
        mode.damping_ratio().filter(|_| oscillates).map(short).unwrap_or_default(),
        mode.time_constant().map(|t| format!("{} s", short(t))).unwrap_or_default(),
        parts(&mode.bodies, true),
        parts(&mode.joints, false),
    ]
}

/// λ for people.
fn eigenvalue(mode: &Mode) -> String {
    let (re, im) = (mode.eigenvalue.re, mode.eigenvalue.im);
    match (re == 0.0, im > 0.0) {
        (true, true) => format!("±{}i", short(im)),
        (_, true) => format!("{} ± {}i", short(re), short(im)),
        _ => short(re),
    }
}
