//! Numbers of texts.

use crate::{MeshError, damaged};

/// Largest size of a coordinate. Larger ones are none of a machine, and their products would not be numbers.
pub(crate) const MAX: f64 = 1e30;

/// A finite number of reasonable size.
pub(crate) fn number(word: &str) -> Result<f64, MeshError> {
    let shown = || word.chars().take(40).flat_map(char::escape_debug).collect::<String>();
    let value: f64 = word.parse().map_err(|_| damaged(format!("`{}` is not a number", shown())))?;
    match value.abs() <= MAX {
        true => Ok(value),
        false => Err(damaged(format!("`{}` is no coordinate: not finite, or larger than {MAX:e}", shown()))),
    }
}

/// Numbers between white space.
pub(crate) fn numbers(text: &str) -> Result<Vec<f64>, MeshError> {
    text.split_ascii_whitespace().map(number).collect()
}

/// Four bytes of a binary file.
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?).and_then(|four| four.try_into().ok())
}

impl MeshError {
    /// The same at a line of a text.
    pub(crate) fn at(self, line: usize) -> MeshError {
        match self {
            MeshError::Damaged { line: None, what } => MeshError::Damaged { line: Some(line), what },
            other => other,
        }
    }
}
