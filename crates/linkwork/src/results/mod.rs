//! What a run shows: points, joints, energies, reactions, residuals.

mod books;
mod chains;
mod columns;
mod csv;
mod frame;

pub use self::csv::{CsvResults, text_cell, text_of_cell};
pub use books::Balance;
pub(crate) use books::{Before, Books, Flow};
pub use chains::CsvChains;
pub use columns::{Column, columns, row};
pub(crate) use columns::{own_columns, own_row};
pub use frame::{ContactState, Frame, JointCoordinate, Late};
