//! Columns by name or pattern.

use super::Table;
use crate::Error;

impl Table {
    /// The places of the columns that a name or a pattern (`joint.*.q`) means, in the table's order.
    pub fn select(&self, wanted: &str) -> Result<Vec<usize>, Error> {
        // a name that is there is meant, whatever signs it has
        if let Some(place) = self.columns.iter().position(|column| column.name == wanted) {
            return Ok(vec![place]);
        }
        let found: Vec<usize> = (0..self.columns.len())
            .filter(|&i| {
                wanted.contains(['*', '?']) && matches(wanted.as_bytes(), self.columns[i].name.as_bytes())
            })
            .collect();
        if found.is_empty() { Err(self.unknown(wanted)) } else { Ok(found) }
    }

    fn unknown(&self, wanted: &str) -> Error {
        let likeness = |name: &str| {
            // the end of a name is often left out, or its beginning
            let part = wanted.len() > 1 && name.to_lowercase().contains(&wanted.to_lowercase());
            strsim::jaro_winkler(&name.to_lowercase(), &wanted.to_lowercase()).max(if part {
                0.9
            } else {
                0.0
            })
        };
        let mut near: Vec<(f64, &str)> = self
            .columns
            .iter()
            .map(|c| (likeness(&c.name), c.name.as_str()))
            .filter(|(x, _)| *x > 0.75)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near = near.iter().take(4).map(|(_, name)| (*name).to_string()).collect();
        Error::UnknownColumn { file: self.file.clone(), name: wanted.into(), near }
    }
}

/// Whether a pattern means a name: `*` stands for any letters, `?` for one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                // the last star takes one letter more
                Some((at, taken)) => {
                    *taken += 1;
                    (p, n) = (*at + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_patterns() {
        let is = |pattern: &str, name: &str| matches(pattern.as_bytes(), name.as_bytes());
        assert!(is("joint.*.q", "joint.A.q") && is("joint.*.q", "joint.P.crank.q"));
        assert!(!is("joint.*.q", "joint.A.q2") && !is("joint.*.q", "joint.A.v"));
        assert!(is("*", "t") && is("*.v?", "point.A.vx") && is("a**b", "ab") && is("*ab", "aab"));
        assert!(!is("", "t") && is("", ""));
    }
}
