//! `linkwork compare --matrix`.

use crate::output::short;
use linkwork::mechanism::Mechanism;
use linkwork::model::Formulation;
use linkwork::simulation::{Cell, Matrix};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Column heads: names of integrators, cut to what fits.
const HEADS: [(&str, &str); 2] = [("generalized-alpha", "gen-alpha"), ("semi-implicit-euler", "semi-imp")];

/// The table for people, with the reasons below it.
pub fn describe(mechanism: &Mechanism, matrix: &Matrix) -> String {
    let settings = &mechanism.model().settings;
    let mut text = format!(
        "{}: {} s at tolerance {:e}, fixed steps of {} s\n\n",
        mechanism.model().name,
        short(settings.duration),
        settings.tolerance,
        short(settings.step.unwrap_or(settings.output_step)),
    );
    let _ = write!(text, "{:13}", "");
    for integrator in &matrix.integrators {
        let name = integrator.name();
        let head = HEADS.iter().find(|h| h.0 == name).map_or(name, |h| h.1);
        let _ = write!(text, " {head:>9}");
    }
    text.push('\n');
    let mut reasons: BTreeMap<(u8, String), Vec<String>> = BTreeMap::new();
    for (i, formulation) in matrix.formulations.iter().enumerate() {
        let _ = write!(text, "{:13}", formulation.name());
        for (j, integrator) in matrix.integrators.iter().enumerate() {
            let who = format!("{} {}", formulation.name(), integrator.name());
            let shown = match matrix.cell(i, j) {
                Cell::Finished(Some(error)) => format!("{error:.0e}"),
                Cell::Finished(None) => "ended".into(),
                Cell::Late(_) => "late".into(),
                Cell::Refused(why) => {
                    // what holds for every model needs no line
                    if *formulation == Formulation::Points || !integrator.facts().needs_points {
                        reasons.entry((1, format!("refused: {why}"))).or_default().push(who);
                    }
                    "–".into()
                }
                Cell::Failed(failure) => {
                    let why = format!("failed: {}: {}", failure.code, failure.message);
                    reasons.entry((0, why)).or_default().push(format!("{who} at {} s", short(failure.t)));
                    "failed".into()
                }
            };
            let _ = write!(text, " {shown:>9}");
        }
        text.push('\n');
    }
    if !reasons.is_empty() {
        text.push('\n');
    }
    for ((_, why), who) in reasons {
        let more = if who.len() > 2 { format!(" and {} more", who.len() - 2) } else { String::new() };
        let _ = writeln!(text, "{}{more}: {why}", who[..who.len().min(2)].join(", "));
    }
    text
}

/// The table for programs.
pub fn report(mechanism: &Mechanism, matrix: &Matrix) -> Value {
    let mut runs = Vec::new();
    for (i, formulation) in matrix.formulations.iter().enumerate() {
        for (j, integrator) in matrix.integrators.iter().enumerate() {
            let mut run = json!({ "formulation": formulation.name(), "integrator": integrator.name() });
            let (status, detail) = match matrix.cell(i, j) {
                Cell::Finished(error) => ("finished", json!({ "error": error })),
                Cell::Refused(why) => ("refused", json!({ "why": why })),
                Cell::Late(t) => ("late", json!({ "t": t })),
                Cell::Failed(f) => ("failed", json!({ "t": f.t, "code": f.code, "message": f.message })),
            };
            run["status"] = json!(status);
            if let (Some(run), Some(detail)) = (run.as_object_mut(), detail.as_object()) {
                run.extend(detail.clone());
            }
            runs.push(run);
        }
    }
    json!({ "model": mechanism.model().name, "runs": runs })
}
