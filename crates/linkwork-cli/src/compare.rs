//! `linkwork compare`.

use crate::arguments::{CompareArguments, Format};
use crate::output::{print_json, print_text, short};
use crate::{Outcome, read_model, refuse};
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::simulation::{self, Comparison, Status};
use serde_json::{Value, json};
use std::fmt::Write;

pub fn compare(args: &CompareArguments) -> Outcome {
    let prepared = read_model(&args.model).and_then(|mut model| {
        let settings = &mut model.settings;
        settings.duration = args.duration.unwrap_or(settings.duration);
        settings.output_step = args.output_step.unwrap_or(settings.output_step);
        settings.tolerance = args.tolerance.unwrap_or(settings.tolerance);
        let mechanism = model.assemble().map_err(Error::Model)?;
        let comparison = mechanism.compare().map_err(Error::Model)?;
        Ok((mechanism, comparison))
    });
    let (mechanism, comparison) = match prepared {
        Ok(both) => both,
        Err(error) => return refuse(&error, args.format),
    };
    match args.format {
        Format::Json => print_json(&report(&mechanism, &comparison)),
        Format::Text => print_text(&describe(&mechanism, &comparison)),
    }
    if comparison.agrees() { Outcome::Good } else { Outcome::Failed }
}

fn describe(mechanism: &Mechanism, comparison: &Comparison) -> String {
    let settings = &mechanism.model.settings;
    let mut text = format!(
        "{}: {} s at tolerance {:e}, largest differences from `{}` over {}\n\n",
        mechanism.model.name,
        settings.duration,
        settings.tolerance,
        comparison.reference.name(),
        span(mechanism, comparison)
    );
    let _ = writeln!(
        text,
        "{:13} {:>6} {:>8} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "formulation",
        "coord.",
        "unknowns",
        "steps",
        "wall ms",
        "positions",
        "velocities",
        "reactions",
        "energy",
        "residual"
    );
    for (formulation, outcome) in &comparison.entries {
        let _ = match outcome {
            simulation::Outcome::Ran { summary, difference, .. } => {
                let of = |x: f64| {
                    if *formulation == comparison.reference { "–".into() } else { format!("{x:.1e}") }
                };
                writeln!(
                    text,
                    "{:13} {:>6} {:>8} {:>7} {:>10.2} {:>10} {:>10} {:>10} {:>10} {:>10}{}",
                    formulation.name(),
                    summary.coordinates,
                    summary.unknowns,
                    summary.steps.accepted_steps,
                    1e3 * summary.wall.as_secs_f64(),
                    of(difference.positions),
                    of(difference.velocities),
                    of(difference.reactions),
                    format!("{:.1e}", summary.relative_energy_drift()),
                    format!("{:.1e}", summary.constraint_residual / summary.size),
                    match &summary.status {
                        Status::Finished => String::new(),
                        Status::Stopped => "  stopped".into(),
                        Status::Failed(f) => format!("  failed at t = {} s: {}", f.t, f.message),
                    }
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
    let own = &comparison.own_error;
    let _ = writeln!(
        text,
        "\n`{}` against itself at a tenth of the tolerance: positions {:.1e}, velocities {:.1e}, reactions {:.1e}",
        comparison.reference.name(),
        own.positions,
        own.velocities,
        own.reactions
    );
    let _ = writeln!(text, "{}", verdict(comparison));
    text
}

fn span(mechanism: &Mechanism, comparison: &Comparison) -> String {
    if comparison.compared_until >= mechanism.model.settings.duration {
        "the whole run".into()
    } else {
        format!(
            "the first {} s (beyond them the motion is too sensitive: `{}` differs from itself by more than {:e})",
            short(comparison.compared_until),
            comparison.reference.name(),
            simulation::SENSITIVE
        )
    }
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
    let worst = comparison.entries.iter().fold(0.0_f64, |m, (_, outcome)| match outcome {
        simulation::Outcome::Ran { difference, .. } => m.max(difference.positions),
        simulation::Outcome::Refused(_) => m,
    });
    match comparison.ran() {
        1 => "only one formulation applies: nothing to compare".into(),
        n => format!(
            "all {n} formulations agree: positions to {worst:.1e} of the size over {} s",
            short(comparison.compared_until)
        ),
    }
}

fn report(mechanism: &Mechanism, comparison: &Comparison) -> Value {
    let difference = |d: &simulation::Difference| {
        json!({ "positions": d.positions, "velocities": d.velocities, "reactions": d.reactions,
                "start_reactions": d.start_reactions })
    };
    let entries: Vec<Value> = comparison
        .entries
        .iter()
        .map(|(formulation, outcome)| match outcome {
            simulation::Outcome::Ran { summary, difference: d, agrees } => json!({
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
        "compared_until": comparison.compared_until,
        "own_error": difference(&comparison.own_error),
        "formulations": entries,
        "agrees": comparison.agrees(),
        "verdict": verdict(comparison),
    })
}
