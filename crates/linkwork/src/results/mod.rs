//! What a run shows: points, joints, energies, reactions, residuals.

mod balances;
#[cfg(feature = "file")]
mod csv;
#[cfg(feature = "file")]
mod csv_rows;
mod forces;
mod frame;
#[cfg(feature = "file")]
mod long;
mod row;
mod table;

#[cfg(feature = "file")]
pub use self::csv::{CsvResults, text_cell, text_of_cell, write_columns};
pub use balances::Balance;
pub(crate) use balances::{Balances, Before, Flow};
#[cfg(feature = "file")]
pub use csv_rows::{CsvError, CsvRows};
pub use frame::{ContactLosses, ContactState, ContactSum, Frame, Push, StateCoordinate};
#[cfg(feature = "file")]
pub use long::{CsvLong, LongOwner, LongTable, LongValues};
pub use row::row;
pub(crate) use row::{own_row, read};
pub use table::Table;

pub(crate) use crate::mechanism::own_columns;
pub use crate::mechanism::{Column, JointCoordinate, Late, columns};
