//! Numbers, names and comments as a model file has them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use nalgebra::Vector3;

use super::NOISE;

/// Significant digits that an author gives at most.
const MEANT: usize = 12;

/// An angle with more characters than these may be shorter in degrees.
const DIGITS: usize = 8;

/// The number with the fewest digits that is at most `noise` away; the number itself where that needs so many digits that it is not the one that was meant.
pub fn neat(x: f64, noise: f64) -> String {
    let mut best = x;
    if x.abs() <= noise {
        best = 0.0;
    } else {
        for digits in 0..MEANT {
            let shorter: f64 = format!("{x:.digits$e}").parse().unwrap_or(x);
            if (shorter - x).abs() <= noise {
                best = shorter;
                break;
            }
        }
    }
    number(best)
}

/// The fewest digits that give the same bits.
pub fn number(x: f64) -> String {
    let size = x.abs();
    match size == 0.0 {
        true => "0".into(),
        false if (1e-4..1e7).contains(&size) => format!("{x}"),
        false => format!("{x:e}"),
    }
}

/// A number in its unit, but an angle in degrees where that is shorter: `"45 deg"` and not 0.7853981633974483.
pub(super) fn along(x: f64, unit: &str) -> String {
    let radians = neat(x, NOISE * x.abs());
    if unit != "rad" || radians.len() <= DIGITS {
        return radians;
    }
    let degrees = neat(x.to_degrees(), NOISE * x.to_degrees().abs());
    if degrees.len() <= DIGITS { format!("\"{degrees} deg\"") } else { radians }
}

/// A vector, each component within `noise`.
pub(super) fn vector(v: Vector3<f64>, noise: f64) -> String {
    format!("[{}, {}, {}]", neat(v[0], noise), neat(v[1], noise), neat(v[2], noise))
}

/// A unit vector, as the words of an author where it lies along an axis.
pub(super) fn direction(axis: Vector3<f64>) -> String {
    vector(axis, NOISE)
}

/// A string of TOML.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key of TOML, in quotes where it needs them.
pub(super) fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { string(name) }
}

/// A name within an expression, in backticks where it needs them.
pub(super) fn in_expression(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if plain { name.to_owned() } else { format!("`{name}`") }
}

/// A list of names.
pub(super) fn names<'a>(list: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = list.into_iter().map(|name| string(name)).collect();
    format!("[{}]", quoted.join(", "))
}

/// Text of a comment: one line without control characters.
pub(super) fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

/// Names that the model file takes: not empty, at most 100 characters, without control characters and backticks, each once.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The next number behind a name that is taken.
    next: HashMap<String, usize>,
}

impl Names {
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let mut plain: String =
            wanted.chars().map(|c| if c.is_control() || c == '`' { '_' } else { c }).take(90).collect();
        if plain.trim().is_empty() {
            plain = "unnamed".into();
        }
        let mut name = plain.clone();
        while !self.taken.insert(name.clone()) {
            let n = self.next.entry(plain.clone()).or_insert(2);
            name = format!("{plain}_{n}");
            *n += 1;
        }
        name
    }
}
