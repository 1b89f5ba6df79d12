//! `linkwork inverse`.

use crate::arguments::Format;
use crate::files::ResultFiles;
use crate::lock::Lock;
use crate::motion::{MotionFile, remove_earlier, write_report};
use crate::output::{count, print_json, print_text, remove_leftovers, replace, short};
use crate::source::{Setting, read_model_with, setting};
use crate::{Outcome, refuse, tell};
use clap::Args;
use linkwork::Error;
use linkwork::analysis::inverse::{Columns, Inverse, Motion, Settings, Smoothing, Supply};
use linkwork::results::columns;
use linkwork::simulation::mechanism_json;
use linkwork_view::REPORT_FILE;
use serde_json::{Value, json};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "The folder has results.csv (with actuator.NAME.force or torque, and power), summary.json and report.html, as that of a run.\n\n\
    Example: linkwork inverse leg.toml --motion walk.csv --map hip=joint.hip.q --unit hip=deg --cutoff 6Hz --actuators joint.hip\n\n\
    Exit code: 0 the forces were found, 1 results could not be written, 2 the model or the motion was refused."
)]
pub struct InverseArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// The motion: a table with the columns t (s) and coordinates, such as the results.csv of a run
    #[arg(long, value_name = "FILE")]
    pub motion: PathBuf,
    /// Cut-off frequency of the smoothing spline near measured data, such as 6Hz; none: a spline through the data of a motion that was computed
    #[arg(long, value_name = "F|none", value_parser = cutoff)]
    pub cutoff: Smoothing,
    /// What a column is: a joint's coordinate, a point's position, a measure or an expression of them; several options map several columns [default: columns with names of joint coordinates]
    #[arg(long, value_name = "COLUMN=COORDINATE", value_parser = pair)]
    pub map: Vec<(String, String)>,
    /// The unit of a column, such as hip=deg [default: SI units]
    #[arg(long, value_name = "COLUMN=UNIT", value_parser = pair)]
    pub unit: Vec<(String, String)>,
    /// The actuators that supply the motion, or joints as joint.NAME, joint.NAME.q2 [default: all actuators of the model]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub actuators: Vec<String>,
    /// What the squares of forces count where actuators share the work, such as a=1,b=2 [default: 1]
    #[arg(long, value_name = "NAME=WEIGHT,...", value_delimiter = ',', value_parser = weight)]
    pub weights: Vec<(String, f64)>,
    /// Time between instants, s [default: the times of the motion]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
    /// How far coordinates may be from the motion where it prescribes more than the mechanism has freedoms, m or rad
    #[arg(long, value_name = "X", default_value_t = 1e-6)]
    pub gap: f64,
    /// Accept actuators that move too few freedoms, and tell what they cannot supply
    #[arg(long)]
    pub residuals: bool,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// Folder for the results [default: results/<name of the model file>-inverse]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Record no motion and write no report
    #[arg(long)]
    pub no_report: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Reads `6Hz`, `6 Hz`, `6` or `none`.
fn cutoff(text: &str) -> Result<Smoothing, String> {
    if text.trim() == "none" {
        return Ok(Smoothing::Through);
    }
    let number = text.trim().strip_suffix("Hz").unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(f) if f > 0.0 && f.is_finite() => Ok(Smoothing::Cutoff(f)),
        _ => Err("write a frequency, as in 6Hz, or none".into()),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (column, what) = text.split_once('=').ok_or("write COLUMN=..., as in hip=joint.hip.q")?;
    Ok((column.trim().into(), what.trim().into()))
}

fn weight(text: &str) -> Result<(String, f64), String> {
    let (name, weight) = text.rsplit_once('=').ok_or("write NAME=WEIGHT, as in hip=2")?;
    let weight = weight.trim().parse().map_err(|_| format!("`{weight}` is not a number"))?;
    Ok((name.trim().into(), weight))
}

pub fn inverse(args: &InverseArguments) -> Outcome {
    let inverse = match solve(args) {
        Ok(inverse) => inverse,
        Err(error) => return refuse(&error, args.format),
    };
    let folder = args.output.clone().unwrap_or_else(|| default_folder(&args.model));
    if let Err(source) = write(&inverse, args, &folder) {
        let outcome = refuse(&Error::Io { file: folder.display().to_string(), source }, args.format);
        return outcome.min(Outcome::Failed);
    }
    match args.format {
        Format::Json => print_json(&summary(&inverse, args)),
        Format::Text => print_text(&describe(&inverse, args, &folder)),
    }
    Outcome::Good
}

fn default_folder(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().filter(|_| model != "-");
    let mut name = stem.unwrap_or("stdin".as_ref()).to_owned();
    name.push("-inverse");
    Path::new("results").join(name)
}

fn solve(args: &InverseArguments) -> Result<Inverse, Error> {
    let mechanism = read_model_with(&args.model, &args.set)?.assemble()?;
    let warnings = crate::warnings(&mechanism);
    if !warnings.list.is_empty() && args.format == Format::Text {
        tell(&warnings);
    }
    let columns = Columns { map: args.map.clone(), units: args.unit.clone() };
    let motion = Motion::read(&args.motion, &mechanism, &columns, args.cutoff)?;
    let settings = Settings {
        actuators: Some(args.actuators.clone()).filter(|names| !names.is_empty()),
        weights: args.weights.clone(),
        output_step: args.output_step,
        gap: args.gap,
        residuals: args.residuals,
    };
    mechanism.inverse(&motion, &settings)
}

fn write(inverse: &Inverse, args: &InverseArguments, folder: &Path) -> io::Result<()> {
    let within = |file: &Path| Some(file.canonicalize().ok()?.parent()? == folder.canonicalize().ok()?);
    if within(&args.motion) == Some(true) {
        return Err(io::Error::other("the motion is read from this folder: write elsewhere with -o"));
    }
    std::fs::create_dir_all(folder)?;
    let _folder = Lock::folder(folder, &format!("linkwork inverse {}", args.model))?;
    remove_leftovers(folder);
    let mechanism = inverse.mechanism();
    let mut files = ResultFiles::create(mechanism, folder, false)?;
    let mut motion = match args.no_report {
        true => None,
        false => Some(MotionFile::create(mechanism, folder, false)?),
    };
    let mut trouble = None;
    let read = inverse.frames(&mut |frame| {
        let written = files.row(frame).and_then(|()| match &mut motion {
            Some(motion) => motion.row(frame),
            None => Ok(()),
        });
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                trouble = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(error) = trouble.or(read.err().map(io::Error::other)) {
        files.discard()?;
        motion.map_or(Ok(()), MotionFile::discard)?;
        return Err(error);
    }
    files.keep()?;
    let mut text = serde_json::to_string_pretty(&summary(inverse, args))?;
    text.push('\n');
    replace(&folder.join("summary.json"), text.as_bytes())?;
    match motion {
        Some(motion) => motion.keep(notes(inverse)).and_then(|()| write_report(folder)),
        None => remove_earlier(folder),
    }
}

/// Conditions above this are noted.
const NEARLY_SINGULAR: f64 = 1e3;

/// The unit of an actuator's force.
fn unit(supply: &Supply) -> &'static str {
    if supply.turns { "N m" } else { "N" }
}

/// What is to be noted beside the numbers.
fn notes(inverse: &Inverse) -> Vec<String> {
    let mut list = Vec::new();
    if !inverse.is_confirmed() {
        list.push(format!(
            "forward dynamics does not confirm these forces: it misses the accelerations by {:.1e} (m/s² or rad/s²). Do not rely on them; near a singular position that is to be expected, elsewhere it is a mistake of ours that we would like to hear of",
            inverse.acceleration_error()
        ));
    }
    if inverse.multiplicity() > 0 {
        let ways = count(inverse.multiplicity(), "way", "ways");
        list.push(format!(
            "forces are not unique: the actuators can work against each other in {ways}; those with the least sum of weighted squares are shown"
        ));
    }
    for supply in inverse.supplies() {
        let (peak, i) = supply.peak();
        if let Some(limit) = supply.limit.filter(|limit| peak.abs() > *limit) {
            let t = inverse.times()[i];
            list.push(format!(
                "`{}` needs {} {} at {} s, beyond its limit of {}",
                supply.name,
                short(peak),
                unit(supply),
                short(t),
                short(limit)
            ));
        }
    }
    if let Some(residual) = inverse.residual() {
        list.push(format!(
            "the actuators do not supply up to {} N m on `{}`, at {} s, with a power of up to {} W",
            short(residual.size),
            residual.rate,
            short(residual.t),
            short(residual.power)
        ));
    }
    let (condition, t) = inverse.condition();
    if condition > NEARLY_SINGULAR {
        list.push(format!(
            "at {} s the position is nearly singular: errors of the motion are magnified {} times, and forces are large; what comes after may be another branch",
            short(t),
            short(condition)
        ));
    }
    if inverse.mechanism().redundancy().count > 0 {
        let redundant =
            count(inverse.mechanism().redundancy().count, "redundant constraint", "redundant constraints");
        list.push(format!("{redundant}: some reactions are not unique; the forces of actuators are"));
    }
    if let Smoothing::Cutoff(f) = inverse.smoothing() {
        let margin = short(1.0 / f);
        list.push(format!(
            "smoothing has data on one side only at the ends: forces within about {margin} s of them are less certain"
        ));
    }
    list
}

fn smoothing(inverse: &Inverse) -> String {
    match inverse.smoothing() {
        Smoothing::Through => "none: quintic splines through the samples".into(),
        Smoothing::Cutoff(f) => format!("quintic smoothing splines, half the power at {} Hz", short(f)),
    }
}

/// The summary for programs.
fn summary(inverse: &Inverse, args: &InverseArguments) -> Value {
    let times = inverse.times();
    let actuators: Vec<Value> = inverse
        .supplies()
        .iter()
        .map(|supply| {
            let ((peak, at), (power, power_at)) = (supply.peak(), supply.peak_power());
            json!({
                "name": supply.name,
                "unit": unit(supply),
                "peak": peak,
                "peak_t": times[at],
                "rms": supply.rms(times),
                "peak_power": power,
                "peak_power_t": times[power_at],
                "limit": supply.limit,
            })
        })
        .collect();
    let mechanism = inverse.mechanism();
    let columns = columns(mechanism);
    let columns: Vec<Value> = columns.iter().map(|c| json!({ "name": c.name, "unit": c.unit })).collect();
    json!({
        "status": "finished",
        "kind": "inverse dynamics",
        "motion": args.motion.display().to_string(),
        "cutoff": match inverse.smoothing() { Smoothing::Cutoff(f) => json!(f), Smoothing::Through => Value::Null },
        "prescribed": inverse.prescribed(),
        "rows": times.len(),
        "t": times.last(),
        "degrees_of_freedom": inverse.degrees_of_freedom(),
        "multiplicity": inverse.multiplicity(),
        "actuators": actuators,
        "accuracy": {
            "gap": inverse.gap().0,
            "gap_of": inverse.gap().1,
            "condition": inverse.condition().0,
            "condition_t": inverse.condition().1,
            "acceleration_error": inverse.acceleration_error(),
        },
        "residual": inverse.residual().map(|r| json!({ "size": r.size, "t": r.t, "rate": r.rate, "power": r.power })),
        "notes": notes(inverse),
        "warnings": crate::warnings(mechanism).to_json(),
        "mechanism": mechanism_json(mechanism),
        "columns": columns,
    })
}

/// The summary for people.
fn describe(inverse: &Inverse, args: &InverseArguments, folder: &Path) -> String {
    let times = inverse.times();
    let mut text = format!(
        "{}: {} prescribed for {}\n",
        inverse.mechanism().model().name,
        count(inverse.prescribed().len(), "coordinate", "coordinates"),
        count(inverse.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
    );
    let mut line = |name: &str, what: String| text.push_str(&format!("  {name:<21}{what}\n"));
    let (first, last) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    line(
        "motion",
        format!(
            "{} from {} s to {} s of {}",
            count(times.len(), "instant", "instants"),
            short(first),
            short(last),
            args.motion.display()
        ),
    );
    line("smoothing", smoothing(inverse));
    for supply in inverse.supplies() {
        let ((peak, at), (power, power_at)) = (supply.peak(), supply.peak_power());
        line(
            &supply.name,
            format!(
                "peak {} {} at {} s, rms {} {}; power up to {} W at {} s",
                short(peak),
                unit(supply),
                short(times[at]),
                short(supply.rms(times)),
                unit(supply),
                short(power),
                short(times[power_at])
            ),
        );
    }
    let (gap, of) = inverse.gap();
    if inverse.prescribed().len() > inverse.degrees_of_freedom() {
        line("gap", format!("{gap:.1e} (m or rad) of `{of}`"));
    }
    line(
        "check",
        format!(
            "forward dynamics misses the accelerations by {:.1e} (m/s² or rad/s²)",
            inverse.acceleration_error()
        ),
    );
    for note in notes(inverse) {
        line("note", note);
    }
    line("rows", format!("{} in {}", times.len(), folder.join("results.csv").display()));
    line("summary", folder.join("summary.json").display().to_string());
    if !args.no_report {
        line("report", folder.join(REPORT_FILE).display().to_string());
    }
    text
}
