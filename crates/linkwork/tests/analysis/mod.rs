//! Questions without a run.

mod inverse;
mod inverse_faults;
