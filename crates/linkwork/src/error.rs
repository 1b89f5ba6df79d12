//! What can go wrong, in the names the user gave.

use crate::model::Faults;
use crate::simulation::CheckpointError;

/// Every error of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model has faults: all of them, each where it stands.
    #[error("{0}")]
    Model(Faults),
    /// A checkpoint cannot be used.
    #[error("{0}")]
    Checkpoint(CheckpointError),
    /// A file could not be read or written.
    #[error("{file}: {source}")]
    Io {
        /// The file, as the user gave it.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
}

impl From<CheckpointError> for Error {
    fn from(error: CheckpointError) -> Self {
        Error::Checkpoint(error)
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Error::Model(faults)
    }
}
