//! Results read back from comma-separated values, row by row.

use super::text_of_cell;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The file.
    #[error("{}: {error}", file.display())]
    Io {
        /// Its path.
        file: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// What is in it.
    #[error("{}: {what}", file.display())]
    Content {
        /// Its path.
        file: PathBuf,
        /// What is wrong, with the line.
        what: String,
    },
}

/// A table on the disk, one row at a time: `results.csv`, or any other file of numbers under a line of names.
pub struct CsvRows {
    file: PathBuf,
    reader: csv::Reader<File>,
    record: csv::StringRecord,
    names: Vec<String>,
}

impl CsvRows {
    /// Opens a table and reads the names of its columns.
    ///
    /// # Errors
    /// [`CsvError`] if the file cannot be read, or has no names.
    pub fn open(file: &Path) -> Result<Self, CsvError> {
        let opened = File::open(file).map_err(|error| CsvError::Io { file: file.into(), error })?;
        let mut reader = csv::ReaderBuilder::new().buffer_capacity(1 << 16).from_reader(opened);
        let header = reader.headers().map_err(|error| unreadable(file, error))?;
        let names: Vec<String> = header.iter().map(|cell| text_of_cell(cell).to_string()).collect();
        if names.iter().all(String::is_empty) {
            let what = "it is empty; a table begins with the names of its columns".into();
            return Err(CsvError::Content { file: file.into(), what });
        }
        Ok(CsvRows { file: file.into(), reader, record: csv::StringRecord::new(), names })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the next row: the numbers of the columns with these places, NaN where a cell is empty. False at the end.
    ///
    /// # Errors
    /// [`CsvError`] with the line and the column.
    pub fn next(&mut self, places: &[usize], row: &mut Vec<f64>) -> Result<bool, CsvError> {
        row.clear();
        let more =
            self.reader.read_record(&mut self.record).map_err(|error| unreadable(&self.file, error))?;
        if more {
            for &place in places {
                row.push(self.number(place)?);
            }
        }
        Ok(more)
    }

    /// The text of a cell of the row that was read last, without the apostrophe that marks text for spreadsheets.
    pub fn text(&self, place: usize) -> &str {
        text_of_cell(self.record.get(place).unwrap_or_default())
    }

    fn number(&self, place: usize) -> Result<f64, CsvError> {
        match self.record.get(place).map(str::trim) {
            None | Some("") => Ok(f64::NAN),
            Some(cell) => cell.parse().map_err(|_| CsvError::Content {
                file: self.file.clone(),
                what: format!(
                    "line {}, column `{}`: `{cell}` is not a number",
                    self.record.position().map_or(0, csv::Position::line),
                    self.names[place]
                ),
            }),
        }
    }
}

fn unreadable(file: &Path, error: csv::Error) -> CsvError {
    let what = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => CsvError::Io { file: file.into(), error },
        _ => CsvError::Content { file: file.into(), what },
    }
}
