//! Runs of the command, and what their tables say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The examples' folder.
pub fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The command.
pub fn linkwork() -> Command {
    Command::new(env!("CARGO_BIN_EXE_linkwork"))
}

/// Runs a model into a folder.
pub fn run(model: &Path, duration: f64, folder: &Path) {
    let output = linkwork()
        .arg("run")
        .arg(model)
        .args(["--quiet", "--duration", &duration.to_string(), "--output"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}: {}", model.display(), String::from_utf8_lossy(&output.stderr));
}

/// The table of a run.
pub struct Results {
    names: HashMap<String, usize>,
    rows: Vec<Vec<f64>>,
}

impl Results {
    /// From a results folder.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("results.csv")).unwrap();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let names = header.split(',').enumerate().map(|(i, name)| (name.to_owned(), i)).collect();
        let numbers = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        Results { names, rows: lines.map(numbers).collect() }
    }

    /// So many rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The time of a row, s.
    pub fn t(&self, row: usize) -> f64 {
        self.rows[row][0]
    }

    /// Whether a row is the only one at its time.
    pub fn is_alone(&self, row: usize) -> bool {
        self.rows.iter().filter(|r| (r[0] - self.t(row)).abs() < 1e-9).count() == 1
    }

    /// The named points.
    pub fn points(&self) -> Vec<String> {
        let mut names: Vec<(usize, String)> = self
            .names
            .iter()
            .filter_map(|(name, &i)| Some((i, name.strip_prefix("point.")?.strip_suffix(".x")?.to_owned())))
            .collect();
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Where a point is in a row; nothing where it is not there.
    pub fn point(&self, row: usize, name: &str) -> Option<[f64; 3]> {
        let at = |axis: &str| match self.names.get(&format!("point.{name}.{axis}")) {
            Some(&i) => self.rows[row][i],
            None => 0.0,
        };
        let place = ["x", "y", "z"].map(at);
        place.iter().all(|x| x.is_finite()).then_some(place)
    }
}
