//! Runs that cannot go on.

/// Why a run failed: when, at which step, and what is worst. The rows so far are good.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFailure {
    /// Time reached, s.
    pub t: f64,
    /// Step size tried, s.
    pub step: f64,
    /// A short name for programs: `step-too-small`, `not-finite`, ...
    pub code: &'static str,
    /// What happened, with the name of the body, joint or point concerned.
    pub message: String,
    /// Where to look and what to try; empty if there is nothing to say.
    pub advice: String,
}
