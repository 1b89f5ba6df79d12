//! Checkpoints that cannot be used.

use crate::keep::Damaged;

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Something else.
    #[error("this is no checkpoint")]
    NotOne,
    /// Cut short or changed.
    #[error("the checkpoint is damaged: {why}")]
    Damaged {
        /// What is wrong.
        why: &'static str,
    },
    /// Another version wrote it.
    #[error(
        "the checkpoint was written by Linkwork {theirs}, this is {ours}: another version need not give the same numbers"
    )]
    OtherVersion {
        /// Who wrote it.
        theirs: String,
        /// Who reads it.
        ours: String,
    },
    /// It is of another model.
    #[error("the checkpoint is of another model (`{theirs}`), or the model has been changed since")]
    OtherModel {
        /// The name of that model.
        theirs: String,
    },
    /// The settings are others.
    #[error("the checkpoint was taken with other settings: {}", differences.join(", "))]
    OtherSettings {
        /// Which, with the value in the checkpoint and the present one.
        differences: Vec<String>,
    },
}

impl From<Damaged> for CheckpointError {
    fn from(_: Damaged) -> Self {
        CheckpointError::Damaged { why: "its state does not fit the model" }
    }
}
