//! `linkwork compare`.

use crate::arguments::Format;
use crate::output::{print_json, print_text, short};
use crate::run::UNBALANCED;
use crate::source::{Setting, read_model_with, setting};
use crate::{Outcome, matrix, point_at_options, refuse, work_precision};
use clap::Args;
use indicatif::ProgressBar;
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::Formulation;
use linkwork::simulation::{self, Comparison, Status};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

#[derive(Args)]
#[command(
    after_help = "Exit code: 0 all that apply agree, 1 they do not or one failed, 2 the model was refused."
)]
pub struct CompareArguments {
    /// Model files (TOML or JSON), names of built-in examples, or - for standard input; each is compared by itself
    #[arg(required = true)]
    pub models: Vec<String>,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time between compared rows, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
    /// Local error per step, relative to the size of the mechanism
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Run every formulation with every integrator and list what finishes, what is refused, what fails and why
    #[arg(long, group = "table")]
    pub matrix: bool,
    /// Compare integrators instead of formulations: what each costs for what accuracy, coarse to fine
    #[arg(long, group = "table", conflicts_with = "tolerance")]
    pub integrators: bool,
    /// Wall time that one run of an integrator may take, s
    #[arg(long, value_name = "S", default_value_t = 20.0, requires = "table")]
    pub most: f64,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn compare(args: &CompareArguments) -> Outcome {
    let outcomes = args.models.iter().map(|model| compare_one(model, args));
    outcomes.max().unwrap_or(Outcome::Good)
}

fn compare_one(model: &str, args: &CompareArguments) -> Outcome {
    let prepared = read_model_with(model, &args.set).and_then(|mut model| {
        let settings = &mut model.settings;
        let mut given = Vec::new();
        for (key, option, setting) in [
            ("duration", args.duration, &mut settings.duration),
            ("output_step", args.output_step, &mut settings.output_step),
            ("tolerance", args.tolerance, &mut settings.tolerance),
        ] {
            if let Some(value) = option {
                *setting = value;
                given.push(key);
            }
        }
        let mechanism = model.assemble().map_err(|faults| Error::Model(point_at_options(faults, &given)))?;
        if args.integrators || args.matrix {
            return Ok((mechanism, None));
        }
        let bar = progress();
        let comparison = mechanism
            .compare_watched(&mut |formulation| bar.set_message(formulation.name()))
            .map_err(Error::Model);
        bar.finish_and_clear();
        let comparison = comparison?;
        Ok((mechanism, Some(comparison)))
    });
    let (mechanism, comparison) = match prepared {
        Ok((mechanism, Some(comparison))) => (mechanism, comparison),
        Ok((mechanism, None)) if args.matrix => return compare_all(&mechanism, args),
        Ok((mechanism, None)) => return compare_integrators(&mechanism, args),
        Err(error) => return refuse(&error, args.format),
    };
    match args.format {
        Format::Json => print_json(&report(&mechanism, &comparison)),
        Format::Text => print_text(&describe(&mechanism, &comparison)),
    }
    if comparison.agrees() { Outcome::Good } else { Outcome::Failed }
}

fn compare_integrators(mechanism: &Mechanism, args: &CompareArguments) -> Outcome {
    let bar = progress();
    let most = longest(args);
    let table = mechanism.work_precision(most, &mut |integrator, fineness| {
        let fineness = match fineness {
            simulation::Fineness::Tolerance(tolerance) => format!("tolerance {tolerance:.0e}"),
            simulation::Fineness::Step(step) => format!("step {} s", short(step)),
        };
        bar.set_message(format!("{} {fineness}", integrator.name()));
    });
    bar.finish_and_clear();
    match table {
        Err(faults) => refuse(&Error::Model(faults), args.format),
        Ok(table) => {
            match args.format {
                Format::Json => print_json(&work_precision::report(mechanism, &table)),
                Format::Text => print_text(&work_precision::describe(mechanism, &table)),
            }
            Outcome::Good
        }
    }
}

fn compare_all(mechanism: &Mechanism, args: &CompareArguments) -> Outcome {
    let bar = progress();
    let matrix = mechanism.matrix(longest(args), &mut |formulation, integrator| {
        bar.set_message(format!("{} {}", formulation.name(), integrator.name()));
    });
    bar.finish_and_clear();
    match matrix {
        Err(faults) => refuse(&Error::Model(faults), args.format),
        Ok(matrix) => {
            match args.format {
                Format::Json => print_json(&matrix::report(mechanism, &matrix)),
                Format::Text => print_text(&matrix::describe(mechanism, &matrix)),
            }
            Outcome::Good
        }
    }
}

/// Wall time that a run may take.
fn longest(args: &CompareArguments) -> Duration {
    Duration::try_from_secs_f64(args.most).unwrap_or(Duration::MAX)
}

/// Which formulation is running, on standard error if that is a terminal.
fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    bar
}

fn describe(mechanism: &Mechanism, comparison: &Comparison) -> String {
    let settings = &mechanism.model().settings;
    let mut text = format!(
        "{}: {} s at tolerance {:e}, largest differences from `{}`\n\n",
        mechanism.model().name,
        short(settings.duration),
        settings.tolerance,
        comparison.reference.name(),
    );
    let _ = writeln!(
        text,
        "{:13} {:>6} {:>8} {:>7} {:>9} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8} {:>8}",
        "formulation",
        "coord.",
        "unknowns",
        "steps",
        "wall ms",
        "positions",
        "velocities",
        "reactions",
        "own error",
        "energy",
        "residual",
        "until s"
    );
    for (formulation, outcome) in &comparison.entries {
        let _ = match outcome {
            simulation::Outcome::Ran { summary, difference, own_error, compared_until, agrees } => {
                let of = |x: f64| {
                    if *formulation == comparison.reference { "–".into() } else { format!("{x:.1e}") }
                };
                let remark = match (&summary.status, agrees) {
                    (Status::Finished, true) => String::new(),
                    (Status::Finished, false) => "  DIFFERS".into(),
                    (Status::Stopped, _) => "  stopped".into(),
                    (Status::Failed(f), _) => format!("  failed at t = {} s: {}", short(f.t), f.message),
                };
                writeln!(
                    text,
                    "{:13} {:>6} {:>8} {:>7} {:>9.2} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8} {:>8}{remark}",
                    formulation.name(),
                    summary.coordinates,
                    summary.unknowns,
                    summary.steps.accepted_steps,
                    1e3 * summary.wall.as_secs_f64(),
                    of(difference.positions),
                    of(difference.velocities),
                    of(difference.reactions),
                    format!("{:.1e}", own_error.positions),
                    format!("{:.0e}", summary.relative_energy_drift()),
                    format!("{:.0e}", summary.constraint_residual / summary.size),
                    short(*compared_until),
                )
            }
            simulation::Outcome::Refused(faults) => {
                let why = faults.first().map_or(String::new(), |f| format!("{}: {}", f.path, f.message));
                let more = if faults.len() > 1 {
                    format!(" (and {} more)", faults.len() - 1)
                } else {
                    String::new()
                };
                writeln!(text, "{:13} does not apply: {why}{more}", formulation.name())
            }
        };
    }
    text.push_str(
        "\nPositions are relative to the size of the mechanism, velocities and reactions to their largest. Own error:\n\
         positions against the same formulation at a tenth of the tolerance; rows count until it exceeds 1e-6.\n\n",
    );
    let _ = writeln!(text, "{}", verdict(comparison));
    text.push_str(&shared(comparison));
    let unbalanced = comparison.entries.iter().any(|(_, outcome)| match outcome {
        simulation::Outcome::Ran { summary, .. } => summary.relative_energy_drift() > UNBALANCED,
        simulation::Outcome::Refused(_) => false,
    });
    if unbalanced {
        // what all of them have wrong together
        text.push_str("Warning: the energies do not balance. A prescribed velocity may jump, or the tolerance be too coarse.\n");
    }
    text
}

/// The conclusion in a sentence or two.
fn verdict(comparison: &Comparison) -> String {
    let ran = comparison.entries.iter().filter_map(|(formulation, outcome)| match outcome {
        simulation::Outcome::Ran { summary, difference, compared_until, agrees, .. } => {
            Some((formulation.name(), summary, difference, *compared_until, *agrees))
        }
        simulation::Outcome::Refused(_) => None,
    });
    let unfinished: Vec<&str> =
        ran.clone().filter(|(_, summary, ..)| summary.status != Status::Finished).map(|r| r.0).collect();
    let mut parts = Vec::new();
    if !unfinished.is_empty() {
        parts.push(format!("NOT FINISHED: {}", unfinished.join(", ")));
    }
    if let Some(apart) = disagreement(comparison) {
        parts.push(apart);
    }
    let contradicted: Vec<String> = comparison
        .contradicted()
        .map(|w| format!("`{}` (off by {:.1e})", w.name, w.error.unwrap_or(f64::NAN)))
        .collect();
    if !contradicted.is_empty() {
        let list = contradicted.join(", ");
        parts.push(format!("CONTRADICTED by virtual work, in all formulations alike: {list}"));
    }
    if parts.is_empty() && !comparison.conclusive() {
        parts.push("INCONCLUSIVE: the motion is too sensitive to compare beyond the start".into());
    }
    if !parts.is_empty() {
        return parts.join(". ");
    }
    let (mut worst, mut until): (f64, f64) = (0.0, f64::INFINITY);
    for (_, _, difference, compared_until, _) in ran {
        worst = worst.max(difference.positions);
        until = until.min(compared_until);
    }
    let agree = match comparison.ran() {
        1 => return "only one formulation applies: nothing to compare".into(),
        n => format!(
            "All {n} formulations agree: positions to {worst:.1e} of the size over {} s.",
            short(until)
        ),
    };
    let less: Vec<&str> = comparison.less_accurate().iter().map(|f| f.name()).collect();
    match less.is_empty() {
        true => agree,
        false => format!("{agree} Far less accurate than the others here: {}.", less.join(", ")),
    }
}

/// Who stands apart from whom, if anyone does.
fn disagreement(comparison: &Comparison) -> Option<String> {
    let [first, others @ ..] = comparison.groups.as_slice() else { return None };
    let names = |list: &[Formulation]| list.iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
    let second = others.first()?;
    if first.len() == second.len() {
        let all: Vec<String> = comparison.groups.iter().map(|g| names(g)).collect();
        return Some(format!("DISAGREEMENT without a majority: {}", all.join(" | ")));
    }
    let outliers: Vec<Formulation> = others.iter().flatten().copied().collect();
    let distance = |list: &[Formulation]| {
        let of = |(f, outcome): &(Formulation, simulation::Outcome)| match outcome {
            simulation::Outcome::Ran { difference, .. } if list.contains(f) => difference.positions,
            _ => 0.0,
        };
        comparison.entries.iter().map(of).fold(0.0, f64::max)
    };
    let reference = comparison.reference.name();
    let agreeing = match first.len() {
        1 => String::new(),
        n => {
            format!("; the {n} others agree to {:.1e} (differences are from `{reference}`)", distance(first))
        }
    };
    Some(format!(
        "DISAGREEMENT: {} (positions {:.1e} of the size away){agreeing}",
        names(&outliers),
        distance(&outliers)
    ))
}

/// What agreement cannot prove, and what speaks for it besides.
fn shared(comparison: &Comparison) -> String {
    const LISTED: usize = 6;
    let mut text = String::from(
        "\nAgreement says nothing about what all formulations share: mass properties, formulas, contacts",
    );
    if comparison.shared.is_empty() {
        text.push_str(".\n");
        return text;
    }
    let mut names: Vec<String> = comparison.shared.iter().map(|w| format!("`{}`", w.name)).collect();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = writeln!(text, ", and the laws of {}{more}.", names.join(", "));
    let worst =
        comparison.shared.iter().filter_map(|w| Some((w.error?, &w.name))).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((error, name)) = worst {
        let _ = writeln!(
            text,
            "Their forces do the work that their energies account for (virtual work by differences): to {error:.0e} in `{name}`, better in the others."
        );
    }
    text
}

/// A comparison of formulations, for programs: the JSON of `linkwork compare`.
pub fn report(mechanism: &Mechanism, comparison: &Comparison) -> Value {
    let difference = |d: &simulation::Difference| {
        json!({ "positions": d.positions, "velocities": d.velocities, "reactions": d.reactions,
                "start_reactions": d.start_reactions, "start_accelerations": d.start_accelerations })
    };
    let entries: Vec<Value> = comparison
        .entries
        .iter()
        .map(|(formulation, outcome)| match outcome {
            simulation::Outcome::Ran { summary, difference: d, own_error, compared_until, agrees } => json!({
                "formulation": formulation.name(),
                "status": match &summary.status {
                    Status::Finished => "finished",
                    Status::Stopped => "stopped",
                    Status::Failed(_) => "failed",
                },
                "agrees": agrees,
                "coordinates": summary.coordinates,
                "unknowns": summary.unknowns,
                "steps": summary.steps.accepted_steps,
                "rejected_steps": summary.steps.rejected_steps,
                "wall_seconds": summary.wall.as_secs_f64(),
                "difference": difference(d),
                "own_error": difference(own_error),
                "compared_until": compared_until,
                "relative_energy_drift": summary.relative_energy_drift(),
                "relative_constraint_residual": summary.constraint_residual / summary.size,
            }),
            simulation::Outcome::Refused(faults) => json!({
                "formulation": formulation.name(),
                "status": "refused",
                "reasons": faults.iter().map(|f| json!({ "path": f.path, "message": f.message })).collect::<Vec<_>>(),
            }),
        })
        .collect();
    json!({
        "model": mechanism.model().name,
        "reference": comparison.reference.name(),
        "formulations": entries,
        "groups": comparison.groups.iter().map(|g| g.iter().map(|f| f.name()).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "less_accurate": comparison.less_accurate().iter().map(|f| f.name()).collect::<Vec<_>>(),
        "shared": comparison.shared.iter().map(|w| json!({ "name": w.name, "virtual_work_error": w.error })).collect::<Vec<_>>(),
        "agrees": comparison.agrees(),
        "verdict": verdict(comparison),
    })
}
