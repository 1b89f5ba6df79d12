//! What can go wrong, in the names the user gave.

mod checkpoint;
mod fault;
pub(crate) mod names;
#[cfg(not(feature = "file"))]
mod plain;
#[cfg(feature = "file")]
mod render;
mod run_failure;

pub use checkpoint::CheckpointError;
#[cfg(feature = "file")]
pub(crate) use fault::inside;

pub use fault::{Fault, Faults, OpenBy, ParameterRange, Provenance, Severity};
pub use run_failure::RunFailure;

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
    /// A simulation cannot go on.
    #[error("the simulation failed at t = {} s: {}", .0.t, .0.message)]
    Run(RunFailure),
    /// A simulation cannot go to this time.
    #[error("the simulation cannot go to t = {t} s: it is at {now} s and ends with `duration`, at {end} s")]
    Time {
        /// Where it should go, s.
        t: f64,
        /// Where it is, s.
        now: f64,
        /// Where it ends, s.
        end: f64,
    },
    /// An input cannot be set.
    #[error("{0}")]
    Input(String),
    /// A state cannot be used.
    #[error("{0}")]
    State(String),
    /// An equilibrium or a steady motion does not exist, or was not found.
    #[error("{0}")]
    Equilibrium(String),
    /// A prescribed motion cannot be used, or nothing can supply it.
    #[error("{0}")]
    Motion(String),
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
