//! The tables of a results folder, for the page: columns of numbers, and events.

use crate::page::blob;
use linkwork::results::Column;
use linkwork::results::{CsvError, CsvRows, text_of_cell};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// A report holds no more numbers than this; longer tables are decimated.
pub const MOST_VALUES: usize = 4_000_000;
/// And no more events.
pub const MOST_EVENTS: usize = 2_000;

/// A table as the page takes it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    /// Names and units.
    pub columns: Vec<Column>,
    /// How many rows.
    pub rows: usize,
    /// The numbers, column after column, f32.
    pub blob: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableEvent {
    /// When, s.
    pub t: f64,
    /// What, as in `impact`.
    pub kind: String,
    /// To whom.
    pub name: String,
}

fn at_fault(file: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", file.display()))
}

/// Reads `results.csv`. The units are those of columns that the recording knows. Says so where rows are left out.
pub fn read_table(file: &Path, known: &[Column], most: usize) -> io::Result<(Table, Option<String>)> {
    let mut source = CsvRows::open(file).map_err(not_read)?;
    let names = source.names().to_vec();
    let unit = |name: &String| known.iter().find(|c| c.name == *name).map(|c| c.unit.clone());
    let columns: Vec<Column> = names
        .iter()
        .map(|name| Column { name: name.clone(), unit: unit(name).unwrap_or_default() })
        .collect();
    let width = columns.len().max(1);
    let most_rows = (most / width).max(2);
    // one of `stride` rows is kept; twice as few whenever they are too many
    let (mut stride, mut seen) = (1_usize, 0_usize);
    let mut rows: Vec<Vec<f32>> = Vec::new();
    let mut last: Vec<f32> = Vec::new();
    let places: Vec<usize> = (0..columns.len()).collect();
    let mut numbers = Vec::with_capacity(columns.len());
    while source.next(&places, &mut numbers).map_err(not_read)? {
        let row: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
        if seen.is_multiple_of(stride) {
            rows.push(row);
            last.clear();
            if rows.len() > most_rows {
                last = match rows.len() % 2 {
                    0 => rows.pop().unwrap_or_default(),
                    _ => Vec::new(),
                };
                let mut number = 0..;
                rows.retain(|_| number.next().is_some_and(|n: usize| n.is_multiple_of(2)));
                stride *= 2;
            }
        } else {
            last = row;
        }
        seen += 1;
    }
    if !last.is_empty() {
        rows.push(last);
    }
    let mut bytes = Vec::with_capacity(4 * width * rows.len());
    for c in 0..columns.len() {
        for row in &rows {
            let value = row.get(c).copied().filter(|x| x.is_finite()).unwrap_or(f32::NAN);
            bytes.extend_from_slice(&value.to_le_bytes());
        }
    }
    let remark = (stride > 1).then(|| {
        format!("the plots show {} of {seen} rows, every {stride}th; results.csv has all", rows.len())
    });
    Ok((Table { columns, rows: rows.len(), blob: blob(&bytes)? }, remark))
}

fn not_read(error: CsvError) -> io::Error {
    match error {
        CsvError::Io { file, error } => at_file(&file, error),
        CsvError::Content { file, what } => at_fault(&file, what),
    }
}

fn at_file(file: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", file.display()))
}

/// Reads `events.csv`; nothing where there is none. Says so where events are left out.
pub fn read_events(file: &Path, most: usize) -> io::Result<(Vec<TableEvent>, Option<String>)> {
    let source = match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), None)),
        other => other.map_err(|error| at_file(file, error))?,
    };
    let mut reader = csv::ReaderBuilder::new().from_reader(BufReader::new(source));
    let headers = reader.headers().map_err(|error| at_fault(file, error))?.clone();
    let column = |name: &str| headers.iter().position(|h| h == name);
    let (Some(t), Some(kind), Some(name)) = (column("t"), column("kind"), column("name")) else {
        return Err(at_fault(file, "it lacks the columns t, kind and name"));
    };
    let mut all = Vec::new();
    let (mut stride, mut seen) = (1_usize, 0_usize);
    for record in reader.records() {
        let record = record.map_err(|error| at_fault(file, error))?;
        let cell = |i: usize| record.get(i).unwrap_or_default();
        // what joints felt of the event before
        if cell(kind) == "joint" {
            continue;
        }
        if seen.is_multiple_of(stride) {
            let time = cell(t).parse::<f64>().ok().filter(|t| t.is_finite());
            let time = time.ok_or_else(|| at_fault(file, format!("row {} has no time", seen + 2)))?;
            all.push(TableEvent { t: time, kind: cell(kind).into(), name: text_of_cell(cell(name)).into() });
            if all.len() > most.max(1) {
                let mut number = 0..;
                all.retain(|_| number.next().is_some_and(|n: usize| n.is_multiple_of(2)));
                stride *= 2;
            }
        }
        seen += 1;
    }
    let remark = (stride > 1).then(|| {
        format!("the report shows {} of {seen} events, every {stride}th; events.csv has all", all.len())
    });
    Ok((all, remark))
}

/// Reads `summary.json`.
pub fn read_summary(file: &Path) -> io::Result<serde_json::Value> {
    /// A summary is some kilobytes.
    const MOST: u64 = 64 << 20;
    let mut text = Vec::new();
    let source = File::open(file).map_err(|error| at_file(file, error))?;
    source.take(MOST).read_to_end(&mut text).map_err(|error| at_file(file, error))?;
    serde_json::from_slice(&text).map_err(|error| at_fault(file, error))
}
