//! Results in memory: one contiguous array for each column.

use super::{Column, Frame, columns, row};
use crate::mechanism::Mechanism;

/// A table of results by columns: [`Mechanism::record`] fills one, and plots, files and other programs read whole columns of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    values: Vec<Vec<f64>>,
    row: Vec<f64>,
}

impl Table {
    /// A table with the columns of a mechanism and no rows.
    pub fn new(mechanism: &Mechanism) -> Self {
        let columns = columns(mechanism);
        Table { values: vec![Vec::new(); columns.len()], columns, row: Vec::new() }
    }

    /// Adds a row. A column of something that is not there now has no number (NaN).
    pub fn push(&mut self, mechanism: &Mechanism, frame: &Frame) {
        row(mechanism, frame, &mut self.row);
        self.values.iter_mut().zip(&self.row).for_each(|(column, value)| column.push(*value));
    }

    /// Names and units.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// The numbers of a column, by its name, as in `table.column("point.B.x")`.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some(&self.values[place])
    }

    /// The numbers of all columns in one piece, column after column: what arrays of other programs take without a copy.
    pub fn into_block(self) -> Vec<f64> {
        let mut block = Vec::with_capacity(self.columns.len() * self.rows());
        for column in self.values {
            block.extend_from_slice(&column);
        }
        block
    }

    /// The numbers of all columns, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.iter().map(Vec::as_slice)
    }
}
