//! `linkwork equilibrium`.

use crate::arguments::Format;
use crate::output::{count, print_json, print_text, short, write_whole};
use crate::source::{Setting, read_model_with, setting};
use crate::{Outcome, refuse, tell, warnings};
use clap::Args;
use linkwork::Error;
use linkwork::analysis::{
    Equilibrium, EquilibriumOptions, FreeDirection, Hold, MovedJoint, MovedPoint, Redrawing, Stability,
    SteadyMotion, SteadyOptions,
};
use linkwork::mechanism::Mechanism;
use linkwork::model::Model;
use linkwork::results::Frame;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(after_help = "Exit code: 0 found, 1 there is none or it was not found, 2 the model was refused.")]
pub struct EquilibriumArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// The time at which drivers and forces stand still, s
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    pub at: f64,
    /// Look for a steady motion: rates that stay as they are
    #[arg(long)]
    pub steady: bool,
    /// With --steady, a rate that is held, in SI units: joint.NAME.v, point.NAME.vx or body.NAME.wz; several options hold several
    #[arg(long, value_name = "RATE=VALUE", value_parser = crate::sweep::number_for, requires = "steady")]
    pub hold: Vec<(String, f64)>,
    /// Write the model at rest to this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "steady")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Reactions below this part of the largest, and angles and paths below it, are roundings.
const ROUNDING: f64 = 1e-12;
/// So many points, joints and directions are listed.
const LISTED: usize = 12;

pub fn equilibrium(args: &EquilibriumArguments) -> Outcome {
    let read = read_model_with(&args.model, &args.set)
        .and_then(|model| model.assemble().map_err(Error::Model).map(|mechanism| (model, mechanism)));
    let (model, mechanism) = match read {
        Ok(read) => read,
        Err(error) => return refuse(&error, args.format),
    };
    let warnings = warnings(&mechanism);
    if !warnings.list.is_empty() && args.format == Format::Text {
        tell(&warnings);
    }
    let found = if args.steady { steady(args, &mechanism) } else { rest(args, &model, &mechanism) };
    match found {
        Ok(()) => Outcome::Good,
        Err(error @ Error::Equilibrium(_)) => refuse(&error, args.format).min(Outcome::Failed),
        Err(error) => refuse(&error, args.format),
    }
}

fn rest(args: &EquilibriumArguments, model: &Model, mechanism: &Mechanism) -> Result<(), Error> {
    let mut options = EquilibriumOptions::default();
    options.at = args.at;
    let found = mechanism.equilibrium(&options)?;
    let mut written = None;
    if let Some(file) = &args.output {
        let redrawn = found.redrawn(mechanism, model)?;
        let text = redrawn.model.to_toml()?;
        let failed = |source| Error::Io { file: file.display().to_string(), source };
        write_whole(file, &text).map_err(failed)?;
        written = Some((file.as_path(), redrawn.how, redrawn.replaced));
    }
    match args.format {
        Format::Json => {
            let mut report = found.to_json(mechanism);
            if let Some((file, how, replaced)) = &written {
                report["written"] = serde_json::json!({
                    "file": file.display().to_string(),
                    "by": match how { Redrawing::Points => "points", Redrawing::InitialJoints => "initial.joints" },
                    "replaced": replaced,
                });
            }
            print_json(&report);
        }
        Format::Text => {
            let mut text = describe(mechanism, &found);
            if let Some((file, how, replaced)) = &written {
                tell_written(&mut text, file, *how, replaced);
            }
            print_text(&text);
        }
    }
    Ok(())
}

fn tell_written(text: &mut String, file: &Path, how: Redrawing, replaced: &[String]) {
    let by = match how {
        Redrawing::Points => "its points are where they rest; coordinates of joints count from there",
        Redrawing::InitialJoints => "drawn as before, with `[initial.joints]`",
    };
    let _ = writeln!(text, "\nwritten to {}: {by}", file.display());
    if !replaced.is_empty() {
        let _ = writeln!(
            text,
            "  numbers in place of expressions: {}",
            some(replaced.iter().map(String::as_str))
        );
    }
}

/// The first few names, and how many there are besides.
fn some<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let mut list: Vec<String> = names.take(LISTED).map(str::to_owned).collect();
    if more > 0 {
        list.push(format!("{more} more"));
    }
    list.join(", ")
}

fn describe(mechanism: &Mechanism, found: &Equilibrium) -> String {
    let mut text = String::new();
    let at = if found.state.t > 0.0 { format!(" at t = {} s", short(found.state.t)) } else { String::new() };
    let stops = match found.stops {
        0 => String::new(),
        stops => format!(", after a relaxation with {}", count(stops as usize, "stop", "stops")),
    };
    let _ = writeln!(
        text,
        "{}: equilibrium{at}, {}{stops}\n  force left over      {:.1e} N, {:.1e} of {} N",
        mechanism.model().name,
        count(found.iterations as usize, "step of Newton's method", "steps of Newton's method"),
        found.residual,
        found.relative_residual(),
        short(found.weight),
    );
    let _ = writeln!(text, "  potential energy     {} J", short(found.frame.potential));
    stability(&mut text, found);
    moved(&mut text, mechanism, &found.moved, &found.joints);
    reactions(&mut text, mechanism, &found.frame);
    text
}

fn stability(text: &mut String, found: &Equilibrium) {
    let what = match found.stability {
        Stability::Stable => "stable".to_string(),
        Stability::Neutral => format!(
            "stable but for {}",
            count(found.free.len(), "direction that nothing resists", "directions that nothing resists")
        ),
        Stability::Unstable => {
            format!("unstable in {}", count(found.unstable.len(), "direction", "directions"))
        }
        Stability::Held => "nothing can move".to_string(),
        Stability::Unknown => "not known: the stiffness about it could not be found".to_string(),
    };
    let slowest = match found.slowest {
        Some(omega) => format!("; slowest motion about it {} rad/s", short(omega)),
        None => String::new(),
    };
    let _ = writeln!(text, "  stability            {what}{slowest}");
    let mut tell = |name: &str, directions: &[FreeDirection]| {
        for direction in directions.iter().take(LISTED) {
            let rate = match direction.square < 0.0 {
                true => format!(", leaves with e^({} t/s)", short((-direction.square).sqrt())),
                false => String::new(),
            };
            let _ = writeln!(text, "    {name:<19}{}{rate}", direction.what);
        }
    };
    tell("unstable", &found.unstable);
    tell("free", &found.free);
    if !found.sticking.is_empty() {
        let names = some(found.sticking.iter().map(String::as_str));
        let _ = writeln!(
            text,
            "  one of many          friction holds {names}: it can rest beside this place, too"
        );
    }
}

/// A number that is nothing but rounding is zero to people.
fn rounded(x: f64, tiny: f64) -> f64 {
    if x.abs() <= tiny { 0.0 } else { x }
}

/// The parts of a vector in brackets, roundings as zero.
fn list(x: &[f64], tiny: f64) -> String {
    let parts: Vec<String> = x.iter().map(|x| short(rounded(*x, tiny))).collect();
    format!("({})", parts.join(", "))
}

fn moved(text: &mut String, mechanism: &Mechanism, moved: &[MovedPoint], joints: &[MovedJoint]) {
    let tiny = 1e-12 * mechanism.size();
    let d = mechanism.columns();
    let vector = |x: &[f64; 3]| list(&x[..d], tiny);
    let far: Vec<&MovedPoint> = moved.iter().filter(|moved| moved.distance() > tiny).collect();
    if far.is_empty() {
        let _ = writeln!(text, "\nnothing had to move");
        return;
    }
    let _ = writeln!(text, "\nmoved, farthest first");
    for moved in far.iter().take(LISTED) {
        let _ = writeln!(
            text,
            "  {:<20} {} m, from {} to {}",
            moved.point,
            short(moved.distance()),
            vector(&moved.before),
            vector(&moved.after)
        );
    }
    if far.len() > LISTED {
        let _ = writeln!(text, "  and {} more", far.len() - LISTED);
    }
    let changed: Vec<&MovedJoint> = joints
        .iter()
        .filter(|joint| (joint.after - joint.before).abs() > 1e-12 * mechanism.size().max(1.0))
        .collect();
    if changed.is_empty() {
        return;
    }
    let _ = writeln!(text, "\njoint coordinates, before and after");
    for joint in changed.iter().take(LISTED) {
        let (factor, unit) = if joint.turns { (180.0 / std::f64::consts::PI, "deg") } else { (1.0, "m") };
        let name = match joint.coordinate {
            1 => joint.joint.clone(),
            n => format!("{} {n}", joint.joint),
        };
        let _ = writeln!(
            text,
            "  {name:<20} {} {unit} -> {} {unit}",
            short(rounded(factor * joint.before, ROUNDING)),
            short(rounded(factor * joint.after, ROUNDING))
        );
    }
    if changed.len() > LISTED {
        let _ = writeln!(text, "  and {} more", changed.len() - LISTED);
    }
}

fn reactions(text: &mut String, mechanism: &Mechanism, frame: &Frame) {
    let d = mechanism.columns();
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let loads: Vec<_> = mechanism.named_joints().map(|(j, joint)| (joint, frame.reactions[j])).collect();
    if loads.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nreactions on the second body of each joint");
    let largest = loads.iter().map(|(_, wrench)| size(&wrench.force)).fold(0.0, f64::max);
    let tiny = ROUNDING * largest;
    for (joint, wrench) in loads.iter().take(LISTED) {
        let moment = match size(&wrench.moment) {
            m if m > tiny * mechanism.size() => format!(", moment {} N m", short(m)),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "  {:<20} {} N: {}{moment}",
            joint.name,
            short(rounded(size(&wrench.force), tiny)),
            list(&wrench.force[..d], tiny)
        );
    }
    if loads.len() > LISTED {
        let _ = writeln!(text, "  and {} more", loads.len() - LISTED);
    }
}

fn steady(args: &EquilibriumArguments, mechanism: &Mechanism) -> Result<(), Error> {
    let mut options = SteadyOptions::default();
    options.at = args.at;
    options.hold = args.hold.iter().map(|(what, value)| Hold { what: what.clone(), value: *value }).collect();
    let found = mechanism.steady_motion(&options)?;
    match args.format {
        Format::Json => print_json(&found.to_json(mechanism)),
        Format::Text => print_text(&describe_steady(mechanism, &found)),
    }
    Ok(())
}

fn describe_steady(mechanism: &Mechanism, found: &SteadyMotion) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: steady motion, {}\n  acceleration left    {:.1e} m/s² or rad/s²",
        mechanism.model().name,
        count(found.iterations as usize, "step of Newton's method", "steps of Newton's method"),
        found.residual
    );
    for held in &found.held {
        let force = held
            .force
            .map_or(String::new(), |force| format!(", by a force or moment of {} N or N m", short(force)));
        let _ = writeln!(text, "  held                 {} = {}{force}", held.what, short(held.value));
    }
    for (name, rate) in found.travelling.iter().take(LISTED) {
        let _ = writeln!(text, "  travels              {name} = {} m/s or rad/s", short(*rate));
    }
    if found.travelling.is_empty() {
        let _ = writeln!(text, "  travels              nothing: it is at rest");
    }
    moved(&mut text, mechanism, &found.moved, &found.joints);
    reactions(&mut text, mechanism, &found.frame);
    text
}
