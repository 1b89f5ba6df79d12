//! Results as comma-separated values: a header, then one line per row, every number in the shortest form that
//! reads back to the same bits.

use super::{Column, Frame, Table, columns, row};
use crate::mechanism::Mechanism;
use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a spreadsheet would take a cell of text for a formula, apostrophes before it aside.
fn is_like_a_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

/// A name or another text as a cell of a table: what a spreadsheet would take for a formula has an apostrophe before it, and so stays text. Numbers are no text and have none.
pub fn text_cell(text: &str) -> Cow<'_, str> {
    match is_like_a_formula(text) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// The text of a cell that [`text_cell`] has made.
pub fn text_of_cell(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_like_a_formula(text)).unwrap_or(cell)
}

/// Writes the numbers of a row.
fn write_row(writer: &mut csv::Writer<impl Write>, row: &[f64]) -> io::Result<()> {
    if row.iter().any(|value| value.is_nan()) {
        // what is not there now has an empty cell
        let cells: Vec<Option<f64>> = row.iter().map(|v| (!v.is_nan()).then_some(*v)).collect();
        return writer.serialize(&cells).map_err(io::Error::from);
    }
    writer.serialize(row).map_err(io::Error::from)
}

fn write_header(writer: &mut csv::Writer<impl Write>, columns: &[Column]) -> io::Result<()> {
    Ok(writer.write_record(columns.iter().map(|c| text_cell(&c.name).into_owned()))?)
}

impl Table {
    /// Writes the table as comma-separated values, with the bytes of `results.csv`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let names = self.columns().iter().map(|column| column.name.as_str());
        let values: Vec<&[f64]> = self.values().collect();
        write_columns(names, &values, out)
    }
}

/// Writes columns that have their numbers elsewhere, with the bytes of `results.csv`; as many rows as the shortest of them has.
///
/// # Errors
/// What the writer says.
pub fn write_columns<'a>(
    names: impl IntoIterator<Item = &'a str>,
    values: &[&[f64]],
    out: impl Write,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(names.into_iter().map(|name| text_cell(name).into_owned()))?;
    let mut row = vec![0.0; values.len()];
    for i in 0..values.iter().map(|column| column.len()).min().unwrap_or(0) {
        row.iter_mut().zip(values).for_each(|(cell, column)| *cell = column[i]);
        write_row(&mut writer, &row)?;
    }
    writer.flush()
}

/// Writes rows as they come.
pub struct CsvResults<'m, W: Write> {
    mechanism: &'m Mechanism,
    writer: csv::Writer<W>,
    row: Vec<f64>,
    rows: u64,
    columns: usize,
}

impl<'m, W: Write> CsvResults<'m, W> {
    /// Writes the header.
    pub fn new(mechanism: &'m Mechanism, out: W) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        let columns: Vec<Column> = columns(mechanism);
        write_header(&mut writer, &columns)?;
        Ok(CsvResults { mechanism, writer, row: Vec::new(), rows: 0, columns: columns.len() })
    }

    /// Goes on behind `rows` rows that another one wrote.
    pub fn append(mechanism: &'m Mechanism, out: W, rows: u64) -> Self {
        let writer = csv::Writer::from_writer(out);
        CsvResults { mechanism, writer, row: Vec::new(), rows, columns: columns(mechanism).len() }
    }

    /// Writes a row.
    pub fn write(&mut self, frame: &Frame) -> io::Result<()> {
        row(self.mechanism, frame, &mut self.row);
        write_row(&mut self.writer, &self.row)?;
        self.rows += 1;
        Ok(())
    }

    /// Rows written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Columns of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The writer behind; what is buffered has not reached it.
    pub fn writer(&self) -> &W {
        self.writer.get_ref()
    }

    /// Writes out what is buffered here and in the writer behind.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Writes out what is buffered and gives the writer back.
    pub fn finish(self) -> io::Result<W> {
        self.writer.into_inner().map_err(|e| io::Error::other(e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_text_cells_there_and_back() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+a", "'+a"),
            ("-a", "'-a"),
            ("@a", "'@a"),
            ("'=a", "''=a"),
            ("a=1", "a=1"),
            ("'a", "'a"),
            ("", ""),
            ("point.A.x", "point.A.x"),
        ] {
            assert_eq!(text_cell(text), cell);
            assert_eq!(text_of_cell(cell), text);
        }
    }
}
