//! How values of several parameters come together.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How cases are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Sampling {
    /// All combinations of counted values; the last parameter changes fastest.
    #[default]
    Grid,
    /// First values together, second values together, and so on.
    Pairs,
    /// Independent random points.
    Random(u64),
    /// A Latin hypercube: each of n parts of equal probability of each parameter is met once.
    Latin(u64),
    /// Points of Sobol's sequence.
    Sobol(u64),
    /// Saltelli's design for sensitivity indices: n (d + 2) cases for d parameters.
    Saltelli(u64),
}

impl Sampling {
    /// The names of all.
    pub const NAMES: &str = "grid, pairs, random:N, latin:N, sobol:N, saltelli:N";
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sampling::Grid => f.write_str("grid"),
            Sampling::Pairs => f.write_str("pairs"),
            Sampling::Random(n) => write!(f, "random:{n}"),
            Sampling::Latin(n) => write!(f, "latin:{n}"),
            Sampling::Sobol(n) => write!(f, "sobol:{n}"),
            Sampling::Saltelli(n) => write!(f, "saltelli:{n}"),
        }
    }
}

impl From<Sampling> for String {
    fn from(sampling: Sampling) -> String {
        sampling.to_string()
    }
}

impl TryFrom<String> for Sampling {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Sampling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, count) = match text.split_once(':') {
            None => (text, None),
            Some((name, count)) => match count.parse::<u64>() {
                Ok(n) if n > 0 => (name, Some(n)),
                _ => return Err(format!("`{count}` is not a number of points")),
            },
        };
        Ok(match (name, count) {
            ("grid", None) => Sampling::Grid,
            ("pairs", None) => Sampling::Pairs,
            ("random", Some(n)) => Sampling::Random(n),
            ("latin", Some(n)) => Sampling::Latin(n),
            ("sobol", Some(n)) => Sampling::Sobol(n),
            ("saltelli", Some(n)) => Sampling::Saltelli(n),
            ("random" | "latin" | "sobol" | "saltelli", None) => {
                return Err(format!("the number of points is missing: {name}:N, as in {name}:1024"));
            }
            _ => return Err(format!("choose one of: {}", Sampling::NAMES)),
        })
    }
}
