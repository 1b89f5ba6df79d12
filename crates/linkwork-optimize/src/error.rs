//! What can go wrong with an optimisation.

/// Why nothing can be optimised or fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model, or what its section `[optimize]` says.
    #[error(transparent)]
    Model(#[from] linkwork::Error),
    /// An option or a file that does not fit.
    #[error("{what}: {why}")]
    Wrong {
        /// The option, file or section.
        what: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A table or a plot cannot be made.
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
}
