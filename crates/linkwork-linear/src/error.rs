//! What can go wrong.

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The eigenvalues of a matrix were not found.
    #[error(
        "cannot find the eigenvalues of `{model}`: the iteration over {states} states did not converge; scale the model or take another state"
    )]
    Eigenvalues {
        /// The model.
        model: String,
        /// Number of states.
        states: usize,
    },
    /// There is no such input or output.
    #[error(
        "cannot take the response of `{output}` to `{input}`: the linear system has the inputs {inputs} and the outputs {outputs}"
    )]
    Unknown {
        /// The input asked for.
        input: String,
        /// The output asked for.
        output: String,
        /// Inputs there are.
        inputs: String,
        /// Outputs there are.
        outputs: String,
    },
    /// Linear systems of a locus differ in their states.
    #[error(
        "cannot follow eigenvalues over `{parameter}`: at {value} there are {found} states, before {before}; the parameter changes what the mechanism consists of"
    )]
    States {
        /// The parameter.
        parameter: String,
        /// Its value there.
        value: f64,
        /// Number of states there.
        found: usize,
        /// Number of states before.
        before: usize,
    },
    /// A file could not be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}
