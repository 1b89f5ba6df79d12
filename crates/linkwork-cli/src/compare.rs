//! `linkwork compare`.

use crate::arguments::{CompareArguments, Format};
use crate::output::{print_json, print_text, short};
use crate::run::UNBALANCED;
use crate::{Outcome, point_at_options, read_model, refuse, work_precision};
use indicatif::ProgressBar;
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::simulation::{self, Comparison, Status};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::IsTerminal;

pub fn compare(args: &CompareArguments) -> Outcome {
    let outcomes = args.models.iter().map(|model| compare_one(model, args));
    outcomes.max().unwrap_or(Outcome::Good)
}

fn compare_one(model: &str, args: &CompareArguments) -> Outcome {
    let prepared = read_model(model).and_then(|mut model| {
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
        if args.integrators {
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
    let most = std::time::Duration::try_from_secs_f64(args.most).unwrap_or(std::time::Duration::MAX);
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
    let settings = &mechanism.model.settings;
    let mut text = format!(
        "{}: {} s at tolerance {:e}, largest differences from `{}`\n\n",
        mechanism.model.name,
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

fn verdict(comparison: &Comparison) -> String {
    let apart: Vec<&str> = comparison
        .entries
        .iter()
        .filter(|(_, outcome)| match outcome {
            simulation::Outcome::Ran { summary, agrees, .. } => !agrees || summary.status != Status::Finished,
            simulation::Outcome::Refused(_) => false,
        })
        .map(|(formulation, _)| formulation.name())
        .collect();
    if !apart.is_empty() {
        return format!("DISAGREEMENT: {}", apart.join(", "));
    }
    if !comparison.conclusive() {
        return "INCONCLUSIVE: the motion is too sensitive to compare beyond the start".into();
    }
    let (mut worst, mut until): (f64, f64) = (0.0, f64::INFINITY);
    for (_, outcome) in &comparison.entries {
        if let simulation::Outcome::Ran { difference, compared_until, .. } = outcome {
            worst = worst.max(difference.positions);
            until = until.min(*compared_until);
        }
    }
    match comparison.ran() {
        1 => "only one formulation applies: nothing to compare".into(),
        n => format!(
            "All {n} formulations agree: positions to {worst:.1e} of the size over {} s.",
            short(until)
        ),
    }
}

fn report(mechanism: &Mechanism, comparison: &Comparison) -> Value {
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
        "model": mechanism.model.name,
        "reference": comparison.reference.name(),
        "formulations": entries,
        "agrees": comparison.agrees(),
        "verdict": verdict(comparison),
    })
}
