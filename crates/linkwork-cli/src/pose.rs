//! `linkwork pose`: where a mechanism stands when points, joints and measures are where they should be.

use crate::arguments::Format;
use crate::output::{print_json, print_text, write_whole};
use crate::source::{Setting, read_model_with, setting};
use crate::sweep::number_for;
use crate::{Outcome, refuse};
use clap::Args;
use linkwork::analysis::pose::{Pose, PoseOptions, Poses, Target};
use linkwork::{Error, Mechanism};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "A target is QUANTITY = VALUE, point.P = [X, Y] or QUANTITY in [LOW, HIGH]: quantities that depend on positions, as expressions have them\n\
    (point.P.x, joint.A.q, body.tool.angle, distance(A, B), measure.reach). Loops stay closed, gears and drivers are kept, limits of joints respected.\n\n\
    Examples:\n  \
    linkwork pose arm.toml --target 'point.P = [40, 20] cm' --target 'body.tool.angle = 30 deg'\n  \
    linkwork pose arm.toml --target 'point.P = [0.4, 0.2]' --target 'joint.A.q in [0, 90] deg' --all\n  \
    linkwork pose four-bar.toml --target 'joint.A.q = 40 deg' -o four-bar-posed.toml\n\n\
    Exit code: 0 the targets are met, 1 not all (the nearest pose is printed), 2 the model or an option was refused."
)]
pub struct PoseArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// What should be where, several times; none: only drivers, limits and loops say where the mechanism is
    #[arg(short, long, value_name = "TARGET")]
    pub target: Vec<Target>,
    /// How much a target counts where not all can be met: its quantity and a number
    #[arg(long, value_name = "QUANTITY=NUMBER", value_parser = number_for)]
    pub weight: Vec<(String, f64)>,
    /// Look for all poses, by random starts: other elbows, other ways to assemble the loops
    #[arg(long)]
    pub all: bool,
    /// How many random starts `--all` takes
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub starts: u64,
    /// What the random starts begin with
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The time at which drivers are held, s
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    pub at: f64,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// Write the model at the pose
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which of all poses is written, from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "output")]
    pub pick: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn pose(args: &PoseArguments) -> Outcome {
    match try_pose(args) {
        Ok(outcome) => outcome,
        Err(error) => refuse(&error, args.format),
    }
}

fn try_pose(args: &PoseArguments) -> Result<Outcome, Error> {
    let mechanism = read_model_with(&args.model, &args.set)?.assemble()?;
    let targets = match weighted(args) {
        Ok(targets) => targets,
        Err(message) => return Err(Error::State(message)),
    };
    let starts = usize::try_from(args.starts).unwrap_or(usize::MAX);
    let options = PoseOptions { at: args.at, seed: args.seed, starts, ..PoseOptions::default() };
    let found = if args.all {
        mechanism.poses(&targets, &options)?
    } else {
        let pose = mechanism.pose(&targets, &options)?;
        let (list, nearest) =
            if pose.reached { (vec![pose], None) } else { (Vec::new(), Some(Box::new(pose))) };
        Poses { arrived: list.len(), list, starts: 0, isolated: true, nearest }
    };
    match args.format {
        Format::Text => print_text(&text(&mechanism, &found, args.all)),
        Format::Json => print_json(&as_json(&mechanism, &found, args.all)),
    }
    if let Some(file) = &args.output {
        let chosen =
            found.list.get(args.pick.wrapping_sub(1)).or(found.nearest.as_deref().filter(|_| args.pick == 1));
        let Some(pose) = chosen else {
            let (pick, count) = (args.pick, found.list.len());
            return Err(Error::State(format!("--pick {pick}: there are {count} poses")));
        };
        write(&mechanism, pose, file)?;
    }
    Ok(if found.list.is_empty() { Outcome::Failed } else { Outcome::Good })
}

/// The targets with their weights.
fn weighted(args: &PoseArguments) -> Result<Vec<Target>, String> {
    let mut targets = args.target.clone();
    for (name, weight) in &args.weight {
        if weight.is_nan() || *weight <= 0.0 {
            return Err(format!("--weight {name}={weight}: a weight is a positive number"));
        }
        let mut found = false;
        for target in targets.iter_mut().filter(|target| target.quantity() == name) {
            *target = target.clone().weight(*weight);
            found = true;
        }
        if !found {
            return Err(format!("--weight {name}={weight}: there is no target `{name}`"));
        }
    }
    Ok(targets)
}

fn write(mechanism: &Mechanism, pose: &Pose, file: &Path) -> Result<(), Error> {
    let failed = |source| Error::Io { file: file.display().to_string(), source };
    let text = mechanism.model_at(&pose.state)?.to_toml()?;
    write_whole(file, &text).map_err(failed)?;
    eprintln!("wrote {}", file.display());
    Ok(())
}

/// For people.
fn text(mechanism: &Mechanism, found: &Poses, all: bool) -> String {
    let mut out = String::new();
    if let Some(pose) = &found.nearest {
        let missed: Vec<String> =
            pose.targets.iter().filter(|target| target.off > 1e-9).map(ToString::to_string).collect();
        let why = if missed.is_empty() {
            "limits and ranges cannot be kept together".into()
        } else {
            missed.join("; ")
        };
        let _ = writeln!(out, "cannot be reached: {why}");
        one(&mut out, mechanism, pose);
    }
    for (i, pose) in found.list.iter().enumerate() {
        match all {
            true => {
                let _ = writeln!(out, "{}pose {}", if i > 0 { "\n" } else { "" }, i + 1);
            }
            false => out.push_str("reached\n"),
        }
        one(&mut out, mechanism, pose);
    }
    if all {
        let (count, arrived, starts) = (found.list.len(), found.arrived, found.starts + 1);
        let more =
            if found.isolated { "there may be more" } else { "there are infinitely many: freedoms are left" };
        let _ = writeln!(
            out,
            "\n{count} poses; {arrived} of {starts} starts arrived, the drawing and random ones; {more}"
        );
    }
    out
}

fn one(out: &mut String, mechanism: &Mechanism, pose: &Pose) {
    for target in &pose.targets {
        let _ = writeln!(out, "  target  {target}");
    }
    for limit in &pose.limits {
        let _ = writeln!(out, "  limit   {limit}");
    }
    for (joint, list) in mechanism.joints().iter().zip(&pose.state.joints) {
        for (i, (coordinate, value)) in joint.coordinates.iter().zip(list).enumerate() {
            let number = if i == 0 { String::new() } else { (i + 1).to_string() };
            let turns = mechanism.interactions().gauges[coordinate.gauge].is_angle();
            // adding zero takes the sign off what is rounded to zero
            let value = match turns {
                true => format!("{:.4} deg", (value.q.to_degrees() * 1e4).round() / 1e4 + 0.0),
                false => format!("{:.6} m", (value.q * 1e6).round() / 1e6 + 0.0),
            };
            let _ = writeln!(out, "  joint   {}.q{number} = {value}", joint.name);
        }
    }
    let _ = write!(out, "  freedoms {}, undetermined {}", pose.freedoms, pose.undetermined);
    let drivers = &mechanism.model().drivers;
    if !pose.reached && !drivers.is_empty() {
        let names: Vec<&str> = drivers.iter().map(|driver| driver.name.as_str()).collect();
        let _ =
            write!(out, "; held by the drivers {}: leave out those that it should move", names.join(", "));
    }
    if pose.is_nearly_singular() {
        let _ = write!(out, "; next to a singular position ({:.1e})", pose.conditioning);
    }
    out.push('\n');
}

/// Poses for programs.
pub fn as_json(mechanism: &Mechanism, found: &Poses, all: bool) -> Value {
    let one = |pose: &Pose| {
        let targets = pose
            .targets
            .iter()
            .map(|t| json!({ "quantity": t.quantity, "wanted": t.wanted, "value": t.value, "off": t.off }));
        let limits = pose.limits.iter().map(|l| {
            json!({ "quantity": l.quantity, "end": l.end, "upper": l.upper, "beyond": l.beyond, "of_model": l.of_model })
        });
        let points = mechanism.points().iter().zip(&pose.points);
        let points: Map<String, Value> =
            points.map(|(point, r)| (point.name.clone(), json!(r[..mechanism.columns()]))).collect();
        let joints = mechanism.joints().iter().zip(&pose.state.joints);
        let joints: Map<String, Value> =
            joints.map(|(joint, list)| (joint.name.clone(), list.iter().map(|c| c.q).collect())).collect();
        json!({
            "reached": pose.reached,
            "targets": targets.collect::<Vec<_>>(),
            "limits": limits.collect::<Vec<_>>(),
            "freedoms": pose.freedoms,
            "undetermined": pose.undetermined,
            "conditioning": pose.conditioning,
            "nearly_singular": pose.is_nearly_singular(),
            "iterations": pose.iterations,
            "points": points,
            "joints": joints,
            "state": pose.state,
        })
    };
    let status = if found.list.is_empty() { "not reached" } else { "reached" };
    let poses: Vec<Value> = found.list.iter().chain(found.nearest.as_deref()).map(one).collect();
    match all {
        true => {
            json!({ "status": status, "poses": poses, "starts": found.starts, "arrived": found.arrived, "isolated": found.isolated })
        }
        false => json!({ "status": status, "poses": poses }),
    }
}
