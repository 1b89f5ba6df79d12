//! The values that a parameter takes.
//!
//! Lists and counted ranges have values one by one; ranges and distributions without a count have a quantile for each probability u:
//!
//!   (V1)  a..b            x = a + (b − a) u
//!   (V2)  log a..b        x = a (b / a)^u
//!   (V3)  normal(m, s)    x = m + s Φ⁻¹(u)
//!
//! A counted range has its ends, u = i / (n − 1); a counted normal distribution the middles of n parts of equal probability, u = (i + ½) / n. A list of n is
//! sampled as x = value ⌊n u⌋.

use crate::normal::normal_quantile;
use serde::{Deserialize, Serialize};

/// Values of one parameter, in SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// These values; one alone is a constant.
    List(Vec<f64>),
    /// From one to another, evenly: so many, or any in between.
    Even {
        /// The first or least.
        from: f64,
        /// The last or largest.
        to: f64,
        /// How many; `None` for a uniform distribution.
        count: Option<u64>,
    },
    /// From one to another, evenly in their logarithm.
    Log {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// How many; `None` for a distribution.
        count: Option<u64>,
    },
    /// A normal distribution.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
        /// In how many parts of equal probability; `None` for the distribution itself.
        count: Option<u64>,
    },
}

impl Values {
    /// Reads `1.5`, `0.3..0.9:61`, `1, 2, 5`, `log 1e3..1e6`, `normal(2, 0.1)`, `uniform(1, 2)`. A unit behind the last number goes for those before it that have none.
    ///
    /// # Errors
    /// A sentence on what is wrong.
    pub fn read(text: &str, number: &dyn Fn(&str) -> Result<f64, String>) -> Result<Values, String> {
        let text = text.trim();
        let all = |texts: &[&str]| {
            let unit = texts.last().map_or("", |last| unit_of(last));
            let with_unit = |text: &str| match unit_of(text).is_empty() && !unit.is_empty() {
                true => number(&format!("{} {unit}", text.trim())),
                false => number(text.trim()),
            };
            texts.iter().map(|text| with_unit(text)).collect::<Result<Vec<f64>, String>>()
        };
        let two = |texts: Vec<&str>, what: &str| match all(&texts)?[..] {
            [a, b] => Ok((a, b)),
            _ => Err(format!("`{text}` is not understood: write {what}")),
        };
        if let Some((inner, count)) = call(text, "normal")? {
            let (mean, deviation) = two(inner.split(',').collect(), "normal(MEAN, DEVIATION)")?;
            return match deviation > 0.0 {
                true => Ok(Values::Normal { mean, deviation, count }),
                false => Err(format!("the standard deviation of `{text}` must be positive")),
            };
        }
        if let Some((inner, count)) = call(text, "uniform")? {
            let (from, to) = two(inner.split(',').collect(), "uniform(FROM, TO)")?;
            return Ok(Values::Even { from, to, count });
        }
        let logarithmic = text.strip_prefix("log ").or_else(|| text.strip_prefix("log\t"));
        if let Some((from, rest)) = logarithmic.unwrap_or(text).split_once("..") {
            let (to, count) = counted(rest)?;
            let (from, to) = two(vec![from, to], "FROM..TO:COUNT")?;
            return match logarithmic {
                None => Ok(Values::Even { from, to, count }),
                Some(_) if from > 0.0 && to > 0.0 => Ok(Values::Log { from, to, count }),
                Some(_) => Err(format!("both ends of `{text}` must be positive to have logarithms")),
            };
        }
        if logarithmic.is_some() {
            return Err(format!("`{text}` is not understood: write log FROM..TO, as in log 1e3..1e6:4"));
        }
        let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        all(&list.split(',').collect::<Vec<_>>()).map(Values::List)
    }

    /// How many values there are, if they are counted.
    pub fn count(&self) -> Option<u64> {
        match self {
            Values::List(list) => Some(list.len() as u64),
            Values::Even { count, .. } | Values::Log { count, .. } | Values::Normal { count, .. } => *count,
        }
    }

    /// Value i of those that are counted; `None` where there is none.
    pub fn nth(&self, i: u64) -> Option<f64> {
        let count = self.count().filter(|count| i < *count)?;
        // the ends are those that were given, to the bit
        let spread = |from: f64, to: f64, between: &dyn Fn(f64) -> f64| match i {
            0 => from,
            i if i == count - 1 => to,
            i => between(i as f64 / (count - 1) as f64),
        };
        match *self {
            Values::List(ref list) => list.get(usize::try_from(i).ok()?).copied(),
            Values::Even { from, to, .. } => Some(spread(from, to, &|u| even(from, to, u))),
            Values::Log { from, to, .. } => Some(spread(from, to, &|u| logarithmic(from, to, u))),
            Values::Normal { mean, deviation, .. } => {
                Some(mean + deviation * normal_quantile((i as f64 + 0.5) / count as f64))
            }
        }
    }

    /// The value that a part `u` of all lies below, 0 ≤ u < 1.
    pub fn quantile(&self, u: f64) -> f64 {
        if let Some(count) = self.count() {
            let i = ((u * count as f64) as u64).min(count.saturating_sub(1));
            return self.nth(i).unwrap_or(f64::NAN);
        }
        match *self {
            Values::Even { from, to, .. } => even(from, to, u), // (V1)
            Values::Log { from, to, .. } => logarithmic(from, to, u), // (V2)
            Values::Normal { mean, deviation, .. } => mean + deviation * normal_quantile(u), // (V3)
            Values::List(_) => f64::NAN,
        }
    }

    /// Whether the quantile of zero is not a number to run with.
    pub fn is_unbounded(&self) -> bool {
        matches!(self, Values::Normal { count: None, .. })
    }
}

fn even(from: f64, to: f64, u: f64) -> f64 {
    from + (to - from) * u
}

fn logarithmic(from: f64, to: f64, u: f64) -> f64 {
    (from.ln() + (to.ln() - from.ln()) * u).exp()
}

/// What follows the number at the beginning of a text.
fn unit_of(text: &str) -> &str {
    let text = text.trim();
    let is_number =
        |end: &usize| text.is_char_boundary(*end) && text[..*end].trim_end().parse::<f64>().is_ok();
    (1..=text.len()).rev().find(is_number).map_or("", |end| text[end..].trim())
}

/// `TEXT:COUNT` or `TEXT`.
fn counted(text: &str) -> Result<(&str, Option<u64>), String> {
    let Some((text, count)) = text.rsplit_once(':') else { return Ok((text, None)) };
    match count.trim().parse::<u64>() {
        Ok(n) if n > 0 => Ok((text, Some(n))),
        _ => Err(format!("`{}` is not a count: there must be one value or more", count.trim())),
    }
}

/// The arguments of `NAME(…)`, and the count behind it.
fn call<'t>(text: &'t str, name: &str) -> Result<Option<(&'t str, Option<u64>)>, String> {
    let Some(rest) = text.strip_prefix(name).and_then(|rest| rest.trim_start().strip_prefix('(')) else {
        return Ok(None);
    };
    match rest.rsplit_once(')') {
        Some((inner, "")) => Ok(Some((inner, None))),
        Some((inner, count)) if count.trim_start().starts_with(':') => {
            Ok(Some((inner, counted(count.trim_start())?.1)))
        }
        _ => Err(format!("`{text}` is not understood: its parenthesis does not close")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<f64, String> {
        let (digits, size) = match text.strip_suffix("cm") {
            Some(digits) => (digits, 0.01),
            None => (text, 1.0),
        };
        digits.trim().parse::<f64>().map(|x| x * size).map_err(|_| format!("`{text}` is not a number"))
    }

    fn read(text: &str) -> Values {
        Values::read(text, &number).unwrap_or_else(|why| panic!("{why}"))
    }

    fn all(text: &str) -> Vec<f64> {
        let values = read(text);
        (0..values.count().unwrap()).map(|i| values.nth(i).unwrap()).collect()
    }

    #[test]
    fn exact_counted_values() {
        assert_eq!(all("1..2:3"), [1.0, 1.5, 2.0]);
        assert_eq!(all("0.1..0.7:7")[6], 0.7);
        assert_eq!(all("-1..-3:1"), [-1.0]);
        assert_eq!(all(" -2"), [-2.0]);
        assert_eq!(all("1, 2, 5 cm"), [0.01, 0.02, 0.05]);
        assert_eq!(all("[3 cm, 4]"), [0.03, 4.0]);
        assert_eq!(all("30..50 cm:2"), [0.3, 0.5]);
        assert_eq!(all("uniform(1, 2):2"), [1.0, 2.0]);
        let log = all("log 1e3..1e6:4");
        assert_eq!([log[0], log[3]], [1e3, 1e6]);
        // exp and ln are each good to a rounding, and ln 1e6 = 14 enlarges it
        assert!((log[1] / 1e4 - 1.0).abs() < 1e-14 && (log[2] / 1e5 - 1.0).abs() < 1e-14);
        let normal = all("normal(2, 0.1):2");
        // Φ⁻¹(¾) = 0.6744897501960817
        assert!(
            (normal[1] - 2.067_448_975_019_608).abs() < 1e-15 && (normal[0] + normal[1] - 4.0).abs() < 1e-15
        );
    }

    #[test]
    fn exact_quantiles() {
        assert_eq!(read("0.3..0.9").quantile(0.5), 0.3 + (0.9 - 0.3) * 0.5);
        assert_eq!(read("1, 2, 5").quantile(0.99), 5.0);
        assert_eq!(read("7").quantile(0.2), 7.0);
        assert_eq!(read("normal(1 cm, 2 cm)").quantile(0.5), 0.01);
        assert!(read("normal(1, 2)").is_unbounded() && !read("normal(1, 2):3").is_unbounded());
    }

    #[test]
    fn exact_wrong_values_are_named() {
        for (text, word) in [
            ("1..2:0", "not a count"),
            ("1..2:x", "`x`"),
            ("a..2:3", "`a` is not a number"),
            ("", "not a number"),
            ("log -1..2", "positive"),
            ("log 3", "log FROM..TO"),
            ("normal(1, -1)", "deviation"),
            ("normal(1)", "normal(MEAN, DEVIATION)"),
            ("normal(1, 2", "parenthesis"),
            ("uniform(1, 2, 3)", "uniform(FROM, TO)"),
            ("1,,2", "not a number"),
        ] {
            let why = Values::read(text, &number).unwrap_err();
            assert!(why.contains(word), "{text}: {why}");
        }
    }
}
