//! How much work runs take, as counts: lost speed shows as a difference in `data/counts.csv`.
//!
//! Counts do not depend on the clock. They depend a little on the roundings of a machine's sines, so a difference of [`SLACK`] passes. After a change that is meant to
//! change them: `LINKWORK_COUNTS=write cargo test -p linkwork --test all counts`.

use linkwork::model::{Formulation, Integrator, Model};
use linkwork::simulation::Status;
use std::path::{Path, PathBuf};

/// Counts may differ by this part, and by [`FEW`].
const SLACK: f64 = 0.02;
const FEW: f64 = 5.0;

const HEAD: &str =
    "example,formulation,integrator,steps,rejected,evaluations,factorisations,solves,projection_steps";

/// Examples, each with a formulation and an integrator, and how long it runs, s.
const RUNS: [(&str, Formulation, Integrator, f64); 17] = [
    ("pendulum", Formulation::Auto, Integrator::Auto, 5.0),
    ("double-pendulum", Formulation::Auto, Integrator::Auto, 5.0),
    ("double-pendulum", Formulation::Recursive, Integrator::Dop853, 5.0),
    ("chain", Formulation::Auto, Integrator::Auto, 1.0),
    ("four-bar", Formulation::Auto, Integrator::Auto, 5.0),
    ("four-bar", Formulation::Points, Integrator::Dop853, 5.0),
    ("four-bar", Formulation::Points, Integrator::Index3, 1.0),
    ("linkage", Formulation::Auto, Integrator::Auto, 2.0),
    ("squeezer", Formulation::Auto, Integrator::Auto, 0.03),
    ("stewart-platform", Formulation::Auto, Integrator::Auto, 1.0),
    ("spinning-body", Formulation::Auto, Integrator::Auto, 5.0),
    ("governor", Formulation::Recursive, Integrator::Radau5, 0.5),
    ("governor", Formulation::Auto, Integrator::Auto, 2.0),
    ("vehicle", Formulation::Auto, Integrator::Auto, 1.0),
    ("vehicle", Formulation::Points, Integrator::Bdf, 0.2),
    ("bouncing-ball", Formulation::Auto, Integrator::Auto, 2.0),
    ("rope-swing", Formulation::Auto, Integrator::Auto, 0.2),
];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/counts.csv")
}

/// A line of the table.
fn count(&(name, formulation, integrator, duration): &(&str, Formulation, Integrator, f64)) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
    let mut model = Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"));
    model.settings.duration = duration;
    model.settings.formulation = formulation;
    model.settings.integrator = integrator;
    let summary = model.assemble().unwrap().run(&mut |_: &linkwork::Frame| {}).unwrap();
    assert_eq!(summary.status, Status::Finished, "{name}");
    let (s, c) = (&summary.steps, &summary.counters);
    format!(
        "{name},{},{},{},{},{},{},{},{}",
        summary.formulation.name(),
        summary.integrator.name(),
        s.accepted_steps,
        s.rejected_steps,
        s.derivative_evaluations,
        c.factorisations,
        c.solves,
        c.projection_steps
    )
}

#[test]
fn same_work_as_before() {
    let lines: Vec<String> = RUNS.iter().map(count).collect();
    if std::env::var_os("LINKWORK_COUNTS").is_some_and(|what| what == "write") {
        std::fs::write(here(), format!("{HEAD}\n{}\n", lines.join("\n"))).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(here()).unwrap();
    let mut kept = kept.lines();
    assert_eq!(kept.next(), Some(HEAD));
    let mut changed = Vec::new();
    for (now, before) in lines.iter().zip(kept.by_ref()) {
        let ([now_is, now_counts], [was, counts]) = (split(now), split(before));
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= (SLACK * b.abs()).max(FEW);
        if now_is != was || !numbers(&now_counts).iter().zip(&numbers(&counts)).all(same) {
            changed.push(format!("before {before}\nnow    {now}"));
        }
    }
    assert_eq!(kept.next(), None, "{} has more lines", here().display());
    assert!(changed.is_empty(), "{HEAD}\n{}", changed.join("\n"));
}

/// Names and counts of a line.
fn split(line: &str) -> [String; 2] {
    let cells: Vec<&str> = line.split(',').collect();
    let (names, counts) = cells.split_at(3);
    [names.join(","), counts.join(",")]
}

fn numbers(counts: &str) -> Vec<f64> {
    counts.split(',').map(|cell| cell.parse().unwrap()).collect()
}
