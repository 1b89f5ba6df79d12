//! Results as they lie in a folder: `results.csv` with the units that `summary.json` tells, or any other CSV file with a header.

mod select;
mod units;

pub use units::unit_of;

use crate::Error;
use linkwork::results::{Column, CsvRows};
use std::path::{Path, PathBuf};

/// A table on the disk. Numbers are read when asked for.
#[derive(Clone, Debug)]
pub struct Table {
    /// The CSV file.
    pub file: PathBuf,
    /// What it is called beside others: its folder's name.
    pub label: String,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// Places of columns of text, such as names: those whose first cell is no number.
    pub text: Vec<usize>,
}

impl Table {
    /// Opens the `results.csv` of a folder, or a CSV file.
    pub fn open(path: &Path) -> Result<Table, Error> {
        let mut file = path.to_path_buf();
        if path.is_dir() {
            file = path.join("results.csv");
            if !file.exists() {
                return Err(Error::Missing { folder: path.into(), what: "results.csv" });
            }
        }
        let mut rows = CsvRows::open(&file)?;
        let names = rows.names().to_vec();
        let mut text = Vec::new();
        if rows.next(&[], &mut Vec::new())? {
            let is_text = |place: &usize| {
                let cell = rows.text(*place).trim();
                !cell.is_empty() && cell.parse::<f64>().is_err()
            };
            text = (0..names.len()).filter(is_text).collect();
        }
        let reported = told_units(&file);
        let columns = names
            .into_iter()
            .map(|name| {
                let unit = reported.iter().find(|(of, _)| *of == name).map(|(_, unit)| unit.clone());
                Column { unit: unit.unwrap_or_else(|| unit_of(&name).to_string()), name }
            })
            .collect();
        Ok(Table { label: label_of(&file), file, columns, text })
    }

    /// Goes through the rows: the numbers of the columns with these places, NaN where a cell is empty.
    pub fn for_each_row(
        &self,
        places: &[usize],
        mut visit: impl FnMut(&[f64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.for_each_line(places, |row, _| visit(row))
    }

    /// Likewise, with the row itself, which knows its texts.
    pub fn for_each_line(
        &self,
        places: &[usize],
        mut visit: impl FnMut(&[f64], &CsvRows) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut rows = CsvRows::open(&self.file)?;
        let mut row = Vec::with_capacity(places.len());
        while rows.next(places, &mut row)? {
            visit(&row, &rows)?;
        }
        Ok(())
    }

    /// The numbers of the columns with these places, column by column.
    pub fn read(&self, places: &[usize]) -> Result<Vec<Vec<f64>>, Error> {
        let mut columns = vec![Vec::new(); places.len()];
        self.for_each_row(places, |row| {
            for (column, x) in columns.iter_mut().zip(row) {
                column.push(*x);
            }
            Ok(())
        })?;
        Ok(columns)
    }
}

/// The units that a summary beside the table tells.
fn told_units(file: &Path) -> Vec<(String, String)> {
    let Ok(text) = std::fs::read(file.with_file_name("summary.json")) else { return Vec::new() };
    let Ok(summary) = serde_json::from_slice::<serde_json::Value>(&text) else { return Vec::new() };
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let of_file = |table: &&serde_json::Value| table["file"] == name;
    let long = summary["tables"].as_array().and_then(|tables| tables.iter().find(of_file));
    let Some(columns) = long.unwrap_or(&summary)["columns"].as_array() else { return Vec::new() };
    let word = |value: &serde_json::Value| value.as_str().map(str::to_string);
    columns.iter().filter_map(|c| Some((word(&c["name"])?, word(&c["unit"])?))).collect()
}

fn label_of(file: &Path) -> String {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.into());
    let named = match whole.file_name() {
        Some(name) if name == "results.csv" => whole.parent().and_then(Path::file_name),
        _ => whole.file_stem(),
    };
    named.map_or_else(|| "results".into(), |name| name.to_string_lossy().into_owned())
}
