//! What can be wrong with the book.

use std::fmt;
use std::path::PathBuf;

/// Something in a source that must be mended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The source, as a path in the repository.
    pub file: String,
    /// Counted from one.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// Sources have faults.
    #[error("{}", list(.0))]
    Faults(Vec<Fault>),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder for the book has something else in it.
    #[error("{} is there already and no book of an earlier run; choose another folder with --output", .0.display())]
    Occupied(PathBuf),
    /// The list of what the gallery shows has a fault.
    #[error("{}: {message}", path.display())]
    Choice {
        /// The list.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A command that makes a picture failed.
    #[error("`{command}` failed:\n{said}")]
    Command {
        /// As one would type it.
        command: String,
        /// What it said.
        said: String,
    },
    /// A picture is too large to be kept.
    #[error("{what}: {size} bytes, more than {most}; show fewer points or columns")]
    TooLarge {
        /// Which.
        what: String,
        /// How large, bytes.
        size: u64,
        /// How large it may be, bytes.
        most: u64,
    },
}

fn list(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    lines.join("\n")
}

impl BookError {
    /// For `map_err`, with the path at hand.
    pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> BookError {
        let path = path.into();
        move |source| BookError::File { path, source }
    }
}
