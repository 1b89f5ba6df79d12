//! Every example reads, assembles, runs, and meets its own reference where there is one.

use linkwork::model::Model;
use linkwork::simulation::Status;
use std::path::PathBuf;

fn examples() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 9);
    files
}

/// Runs that take many seconds are cut short here, s.
const SPANS: [(&str, f64); 2] = [("hundred-dominoes", 0.3), ("sand-heap", 0.05)];

/// Energy less the work of drivers and dampers must stay, every row must meet the constraints.
#[test]
fn keeps_energy_and_constraints_in_every_example() {
    for file in examples() {
        let mut model = Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"));
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if let Some((_, span)) = SPANS.iter().find(|(of, _)| *of == name) {
            model.settings.duration = *span;
        }
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
        let s = &run.summary;
        println!(
            "{:24} {:2} dof, {:2} redundant, {:6} steps, {:5} rejected, energy drift {:.1e} J ({:.1e} relative), residual {:.1e} of the size",
            file.file_stem().unwrap().to_string_lossy(),
            mechanism.degrees_of_freedom(),
            mechanism.redundancy().count,
            s.steps.accepted_steps,
            s.steps.rejected_steps,
            s.energy_drift,
            s.relative_energy_drift(),
            s.constraint_residual / s.size
        );
        assert_eq!(s.status, Status::Finished, "{}", file.display());
        assert!(s.constraint_residual < 1e-12 * s.size);
        if let Some(counts) = &s.contact_steps {
            // no error control: the balance is off by what impacts within a step leave, of order h
            assert!(s.relative_energy_drift() < 0.05, "{}", file.display());
            assert!(counts.overlap < 1e-6 * s.size, "{}: {:e}", file.display(), counts.overlap);
        } else {
            // energy gathers the local errors of all steps; tolerances are 1e-10 and below, but for stiff beams
            let bound = f64::max(1e-7, 100.0 * mechanism.model().settings.tolerance);
            assert!(s.relative_energy_drift() < bound, "{}", file.display());
        }
    }
}

/// The schema accepts what the reader accepts.
#[test]
fn cross_schema_accepts_every_example() {
    let schema = linkwork::model::file::schema();
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("linkwork.json", schema).unwrap();
    let index = compiler.compile("linkwork.json", &mut schemas).unwrap();
    for file in examples() {
        let text = std::fs::read_to_string(&file).unwrap();
        let value: serde_json::Value = toml::from_str(&text).unwrap();
        schemas.validate(&value, index).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}
