//! How the runs of a batch ended.

use crate::integrate::Statistics;
use crate::model::Faults;
use crate::simulation::RunFailure;
use std::sync::Arc;

/// Why a variant has no complete result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The variant has faults: it did not begin.
    #[error("variant {variant} was refused: {faults}")]
    Refused {
        /// Its index.
        variant: usize,
        /// What is wrong.
        faults: Faults,
    },
    /// The run could not go on.
    #[error("variant {variant} failed at t = {} s: {}", failure.t, failure.message)]
    Failed {
        /// Its index.
        variant: usize,
        /// Why.
        failure: RunFailure,
    },
}

/// One run of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchRun {
    /// What went wrong, if anything did; rows that came before it are kept.
    pub error: Option<BatchError>,
    /// The time of the last row, s.
    pub t: f64,
    /// What the run has cost. In lanes only rows that are kept are looked at, so that evaluations may be fewer than in a run alone.
    pub statistics: Statistics,
    /// The rows that were asked for, each with the columns that were asked for.
    pub rows: Vec<Vec<f64>>,
    /// The least value of each column over all rows of the run, if extremes were asked for.
    pub least: Vec<f64>,
    /// The largest value.
    pub most: Vec<f64>,
    /// Whether the run shared its steps with seven others.
    pub in_lanes: bool,
    /// Whether a device moved it ([`Batch::on`](super::Batch::on)).
    pub on_device: bool,
    /// Why not, where a device was to.
    pub not_on_device: Option<Arc<str>>,
}

impl BatchRun {
    /// The last row.
    ///
    /// ```
    /// # let run = linkwork::batch::BatchRun { rows: vec![vec![1.0]], ..Default::default() };
    /// assert_eq!(run.last(), Some(&[1.0][..]));
    /// ```
    pub fn last(&self) -> Option<&[f64]> {
        self.rows.last().map(Vec::as_slice)
    }

    /// Whether the run came to its end.
    pub fn is_finished(&self) -> bool {
        self.error.is_none()
    }
}
