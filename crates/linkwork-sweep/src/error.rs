//! What can go wrong with a sweep.

use std::path::{Path, PathBuf};

/// Why a sweep cannot be planned, run, or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model, or the values that it is given.
    #[error(transparent)]
    Model(#[from] linkwork::Error),
    /// A plan or an option that cannot be.
    #[error("{what}: {why}")]
    Wrong {
        /// The option or the text that says so.
        what: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// Which one.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not what was written.
    #[error("{} is damaged: {why}", file.display())]
    Damaged {
        /// Which one.
        file: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A folder holds another sweep.
    #[error("{} holds another sweep: {why}", folder.display())]
    Another {
        /// The folder.
        folder: PathBuf,
        /// What differs, and what to do.
        why: String,
    },
    /// Cases are missing.
    #[error("{}: {why}", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// What is missing, and what to do.
        why: String,
    },
    /// A table, a plot or a Parquet file cannot be made.
    #[error(transparent)]
    Formats(#[from] linkwork_formats::Error),
}

impl From<linkwork::Faults> for Error {
    fn from(faults: linkwork::Faults) -> Self {
        Error::Model(linkwork::Error::Model(faults))
    }
}

impl Error {
    pub(crate) fn wrong(what: impl Into<String>, why: impl Into<String>) -> Self {
        Error::Wrong { what: what.into(), why: why.into() }
    }

    pub(crate) fn io(file: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        move |source| Error::Io { file: file.to_path_buf(), source }
    }

    pub(crate) fn damaged(file: &Path, why: impl Into<String>) -> Self {
        Error::Damaged { file: file.to_path_buf(), why: why.into() }
    }
}
