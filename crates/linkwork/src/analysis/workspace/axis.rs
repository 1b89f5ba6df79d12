//! Axes of a grid: a quantity and the values that it takes.

use crate::analysis::position_quantity::number;
use std::str::FromStr;

/// A quantity that runs over evenly spaced values, both ends included.
///
/// ```
/// use linkwork::analysis::workspace::GridAxis;
/// let axis: GridAxis = "joint.A.q=0..90deg:61".parse()?;
/// assert_eq!(axis.count, 61);
/// assert!((axis.value(60) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GridAxis {
    /// The quantity: a coordinate of a joint or of a point, the angle of a body.
    pub quantity: String,
    /// First and last value, SI units.
    pub range: [f64; 2],
    /// How many values.
    pub count: usize,
}

impl GridAxis {
    /// An axis.
    pub fn new(quantity: impl Into<String>, range: [f64; 2], count: usize) -> Self {
        GridAxis { quantity: quantity.into(), range, count }
    }

    /// A value, by its place.
    pub fn value(&self, i: usize) -> f64 {
        let [from, to] = self.range;
        match self.count.saturating_sub(1) {
            0 => from,
            last if i == last => to,
            last => from + (to - from) * (i as f64 / last as f64),
        }
    }

    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        if !self.range.iter().all(|x| x.is_finite()) {
            return Err("both ends are finite numbers".into());
        }
        if self.count < 2 {
            return Err(format!("a grid has two values at least, not {}", self.count));
        }
        if self.range[0] == self.range[1] {
            return Err("the range begins where it ends".into());
        }
        Ok(())
    }
}

impl FromStr for GridAxis {
    type Err = String;

    /// Reads `QUANTITY=FROM..TO:COUNT`, with a unit behind either number.
    fn from_str(text: &str) -> Result<Self, String> {
        const ADVICE: &str = "write QUANTITY=FROM..TO:COUNT, as in joint.A.q=0..90deg:61";
        let (quantity, values) = text.split_once('=').ok_or(ADVICE)?;
        let (from, rest) = values.split_once("..").ok_or(ADVICE)?;
        let (to, count) = rest.rsplit_once(':').ok_or("the number of values is missing: FROM..TO:COUNT")?;
        let count: usize = count.trim().parse().map_err(|_| format!("`{}` is not a count", count.trim()))?;
        let (from, to) = (spaced(from), spaced(to));
        let unit = to.rsplit_once(' ').map_or("", |(_, unit)| unit);
        let from = if from.contains(' ') || unit.is_empty() { from } else { format!("{from} {unit}") };
        let axis = GridAxis::new(quantity.trim(), [number(&from)?.0, number(&to)?.0], count);
        axis.check()?;
        Ok(axis)
    }
}

/// A number with a space before its unit: `90deg` is `90 deg`.
fn spaced(text: &str) -> String {
    let text = text.trim();
    // 1e3 is a number
    let begins = text.char_indices().rev().take_while(|(_, c)| c.is_ascii_alphabetic() || *c == '°').last();
    match begins {
        Some((0, _)) | None => text.to_owned(),
        Some((i, _)) if text.as_bytes()[i - 1] == b' ' => text.to_owned(),
        Some((i, _)) => format!("{} {}", &text[..i], &text[i..]),
    }
}
