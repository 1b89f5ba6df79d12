//! `linkwork compare --integrators`.

use crate::output::short;
use linkwork::mechanism::Mechanism;
use linkwork::simulation::{Fineness, Status, WorkPoint, WorkPrecision, work_formulation};
use serde_json::{Value, json};
use std::fmt::Write;

/// The table for people.
pub fn describe(mechanism: &Mechanism, table: &WorkPrecision) -> String {
    let settings = &mechanism.model().settings;
    let mut text = format!(
        "{}: {} s in {}, errors against `{}` at its tightest, which is good to {:.0e}\n\n",
        mechanism.model().name,
        short(settings.duration),
        work_formulation(mechanism.model().settings.formulation).name(),
        table.reference.name(),
        table.doubt,
    );
    let _ = writeln!(
        text,
        "{:20} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}",
        "integrator", "tol / step", "error", "energy", "steps", "rejected", "evals", "wall ms"
    );
    let mut before = None;
    for point in &table.points {
        let WorkPoint { integrator, fineness, error, summary } = point;
        let fineness = match fineness {
            Fineness::Tolerance(tolerance) => format!("{tolerance:.0e}"),
            Fineness::Step(step) => format!("{} s", short(*step)),
        };
        let remark = match &summary.status {
            Status::Finished => String::new(),
            Status::Stopped => format!("  out of time at {} s", short(summary.t)),
            Status::Failed(f) => format!("  failed at {} s: {}", short(f.t), f.code),
        };
        let _ = writeln!(
            text,
            "{:20} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10.2}{remark}",
            if before == Some(integrator) { "" } else { integrator.name() },
            fineness,
            error.map_or("–".into(), |e| format!("{e:.1e}")),
            format!("{:.1e}", summary.relative_energy_drift()),
            summary.steps.accepted_steps,
            summary.steps.rejected_steps,
            summary.steps.derivative_evaluations,
            1e3 * summary.wall.as_secs_f64(),
        );
        before = Some(integrator);
    }
    for (integrator, why) in &table.left_out {
        let _ = writeln!(text, "{:20} left out: {why}", integrator.name());
    }
    text.push_str(
        "\nError: the largest distance of a point from the reference over all rows, as a part of the size. Energy: drift as a part of the\n\
         energies at play. Evals: evaluations of the accelerations, where the method counts them.\n",
    );
    text
}

/// The table for programs.
pub fn report(mechanism: &Mechanism, table: &WorkPrecision) -> Value {
    let point = |p: &WorkPoint| {
        let (tolerance, step) = match p.fineness {
            Fineness::Tolerance(tolerance) => (Some(tolerance), None),
            Fineness::Step(step) => (None, Some(step)),
        };
        json!({
            "integrator": p.integrator.name(),
            "tolerance": tolerance,
            "step": step,
            "error": p.error,
            "relative_energy_drift": p.summary.relative_energy_drift(),
            "steps": p.summary.steps.accepted_steps,
            "rejected_steps": p.summary.steps.rejected_steps,
            "evaluations": p.summary.steps.derivative_evaluations,
            "factorisations": p.summary.counters.factorisations,
            "wall_seconds": p.summary.wall.as_secs_f64(),
            "status": match &p.summary.status {
                Status::Finished => "finished",
                Status::Stopped => "out of time",
                Status::Failed(f) => f.code,
            },
        })
    };
    json!({
        "model": mechanism.model().name,
        "formulation": work_formulation(mechanism.model().settings.formulation).name(),
        "reference": table.reference.name(),
        "doubt": table.doubt,
        "runs": table.points.iter().map(point).collect::<Vec<_>>(),
        "left_out": table.left_out.iter()
            .map(|(integrator, why)| json!({ "integrator": integrator.name(), "why": why })).collect::<Vec<_>>(),
    })
}
