//! What can go wrong.

use linkwork::results::CsvError;
use std::path::PathBuf;

/// Why something could not be read, drawn or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{}: {}", file.display(), source)]
    Io {
        /// Which one.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There are no results where they were looked for.
    #[error("{} has no {what}; `linkwork run MODEL -o {}` writes it", folder.display(), folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
        /// The file that is not there.
        what: &'static str,
    },
    /// A file is not what it should be.
    #[error("{}: {what}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// A column that the results do not have.
    #[error("{} has no column `{name}`{}", file.display(), advice(near))]
    UnknownColumn {
        /// The file.
        file: PathBuf,
        /// The name or pattern that was asked for.
        name: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// There is nothing to show.
    #[error("nothing to show: {0}")]
    Empty(String),
    /// A picture, a file or a number of frames beyond what is sensible.
    #[error("{0}")]
    TooLarge(String),
    /// Something could not be encoded.
    #[error("cannot make {what}: {why}")]
    Encoding {
        /// What was being made.
        what: &'static str,
        /// Why it failed.
        why: String,
    },
}

impl From<CsvError> for Error {
    fn from(error: CsvError) -> Self {
        match error {
            CsvError::Io { file, error } => Error::Io { file, source: error },
            CsvError::Content { file, what } => Error::Unreadable { file, what },
        }
    }
}

fn advice(near: &[String]) -> String {
    match near {
        [] => "; its first line lists all columns".into(),
        near => {
            let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {}?", quoted.join(" or "))
        }
    }
}
