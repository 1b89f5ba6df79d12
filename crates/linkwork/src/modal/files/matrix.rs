//! Matrices: Matrix Market, lines `row column value`, lines `node, direction, node, direction, value`, and `DMIG` cards.

use super::{Which, Wrong, direction, nastran, number, short, whole};
use crate::modal::MAX_NODES;
use std::collections::{HashMap, HashSet};

/// Entries of a sparse symmetric matrix.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct MatrixText {
    /// Number of rows.
    pub rows: usize,
    /// Row, column and value, from zero.
    pub entries: Vec<(u32, u32, f64)>,
    /// Whether entries on both sides of the diagonal are given.
    pub both: bool,
    /// Node and direction of each row, where the file says it.
    pub labels: Option<Vec<(u64, usize)>>,
}

/// Rows that a matrix may have, and entries.
const MAX_ROWS: usize = 3 * MAX_NODES;
const MAX_ENTRIES: usize = 20_000_000;

/// A matrix whose rows are named by nodes and directions, as it grows.
#[derive(Default)]
pub(super) struct Labelled {
    text: MatrixText,
    places: HashMap<(u64, usize), u32>,
}

impl Labelled {
    /// The place of a row.
    pub fn row(&mut self, label: (u64, usize), line: usize) -> Result<u32, Wrong> {
        let next = self.places.len();
        if next == MAX_ROWS && !self.places.contains_key(&label) {
            return Err((Some(line), format!("more than {MAX_ROWS} rows")));
        }
        Ok(*self.places.entry(label).or_insert_with(|| {
            self.text.labels.get_or_insert_default().push(label);
            next as u32
        }))
    }

    pub fn push(&mut self, row: u32, column: u32, value: f64, line: usize) -> Result<(), Wrong> {
        if self.text.entries.len() == MAX_ENTRIES {
            return Err((Some(line), format!("more than {MAX_ENTRIES} entries")));
        }
        self.text.entries.push((row, column, value));
        Ok(())
    }

    /// The matrix. The order of the rows says nothing of the side of the diagonal that was given: an entry with its mirror image does.
    pub fn finish(mut self) -> Result<MatrixText, Wrong> {
        if self.text.entries.is_empty() {
            return Err((None, "there are no entries".into()));
        }
        let off: HashSet<(u32, u32)> =
            self.text.entries.iter().filter(|e| e.0 != e.1).map(|e| (e.0, e.1)).collect();
        self.text.both = off.iter().any(|&(i, j)| off.contains(&(j, i)));
        self.text.rows = self.places.len();
        Ok(self.text)
    }
}

/// Reads a matrix; of a file with several the one that is asked for.
pub(crate) fn matrix(text: &str, which: Which) -> Result<MatrixText, Wrong> {
    if text
        .lines()
        .any(|line| line.trim_start().get(..4).is_some_and(|word| word.eq_ignore_ascii_case("DMIG")))
    {
        return nastran::matrix(text, which);
    }
    let comment = |line: &str| line.is_empty() || line.starts_with(['%', '#']) || line.starts_with("**");
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())).peekable();
    let mut head = None;
    if let Some(&(at, first)) = lines.peek()
        && let Some(rest) = first.strip_prefix("%%MatrixMarket")
    {
        let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let symmetric = match words[..] {
            ["matrix", "coordinate", "real" | "double" | "integer", "symmetric"] => true,
            ["matrix", "coordinate", "real" | "double" | "integer", "general"] => false,
            _ => {
                let message = format!(
                    "`{}` is not read: expected `matrix coordinate real symmetric` or `general`",
                    short(rest.trim())
                );
                return Err((Some(at), message));
            }
        };
        lines.next();
        head = Some(symmetric);
    }
    let mut lines = lines.filter(|(_, line)| !comment(line)).peekable();
    fn words(line: &str) -> Vec<&str> {
        line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect()
    }
    if head.is_none() && lines.peek().is_some_and(|(_, line)| words(line).len() == 5) {
        return labelled(lines.map(|(at, line)| (at, words(line))));
    }
    let mut sizes: Option<(usize, usize)> = None;
    let mut out = MatrixText { both: head == Some(false), ..MatrixText::default() };
    let (mut lower, mut upper) = (false, false);
    for (at, line) in lines {
        let words = words(line);
        let &[row, column, value] = &words[..] else {
            return Err((Some(at), format!("expected `row column value`, found {} words", words.len())));
        };
        if head.is_some() && sizes.is_none() {
            let (rows, columns, count) = (whole(row, at)?, whole(column, at)?, whole(value, at)?);
            if rows != columns {
                return Err((Some(at), format!("the matrix is not square: {rows} rows, {columns} columns")));
            }
            if rows as usize > MAX_ROWS || count as usize > MAX_ENTRIES {
                let message = format!(
                    "at most {MAX_ROWS} rows and {MAX_ENTRIES} entries are read, here are {rows} and {count}"
                );
                return Err((Some(at), message));
            }
            sizes = Some((rows as usize, count as usize));
            continue;
        }
        let (i, j, v) = (whole(row, at)? as usize, whole(column, at)? as usize, number(value, at)?);
        let most = sizes.map_or(MAX_ROWS, |s| s.0);
        if !(1..=most).contains(&i) || !(1..=most).contains(&j) {
            return Err((Some(at), format!("the entry ({i}, {j}) is outside a matrix of {most} rows")));
        }
        if out.entries.len() == sizes.map_or(MAX_ENTRIES, |s| s.1) {
            return Err((Some(at), format!("more than {} entries", out.entries.len())));
        }
        lower |= i > j;
        upper |= i < j;
        out.rows = out.rows.max(i).max(j);
        out.entries.push((i as u32 - 1, j as u32 - 1, v));
    }
    match (head, sizes) {
        (Some(_), None) => return Err((None, "there are no sizes after the first line".into())),
        (Some(symmetric), Some((rows, count))) => {
            if out.entries.len() < count {
                return Err((
                    None,
                    format!("{count} entries are announced, there are {}", out.entries.len()),
                ));
            }
            if symmetric && lower && upper {
                return Err((
                    None,
                    "entries on both sides of the diagonal, though the matrix is said to be symmetric".into(),
                ));
            }
            out.rows = rows;
        }
        (None, _) => out.both = lower && upper,
    }
    match out.entries.is_empty() {
        true => Err((None, "there are no entries".into())),
        false => Ok(out),
    }
}

/// Lines `node, direction, node, direction, value`, as Abaqus writes for `*MATRIX INPUT`.
fn labelled<'t>(lines: impl Iterator<Item = (usize, Vec<&'t str>)>) -> Result<MatrixText, Wrong> {
    let mut matrix = Labelled::default();
    for (at, words) in lines {
        let &[node, component, other, other_component, value] = &words[..] else {
            let message =
                format!("expected `node, direction, node, direction, value`, found {} words", words.len());
            return Err((Some(at), message));
        };
        let mut row = |node: &str, component: &str| {
            let node = whole(node, at)?;
            matrix.row((node, direction(whole(component, at)?, node, at)?), at)
        };
        let (i, j) = (row(node, component)?, row(other, other_component)?);
        matrix.push(i, j, number(value, at)?, at)?;
    }
    matrix.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_both_kinds_are_read_and_faults_name_their_line() {
        let matrix = |text: &str| super::matrix(text, Which::Stiffness);
        let text =
            "%%MatrixMarket matrix coordinate real symmetric\n% made by hand\n2 2 2\n1 1 4.0\n2 1 -1D0\n";
        let read = matrix(text).unwrap();
        let wanted =
            MatrixText { rows: 2, entries: vec![(0, 0, 4.0), (1, 0, -1.0)], ..MatrixText::default() };
        assert_eq!(read, wanted);
        let bare = matrix("1 1 2\n1 2 -1\n2 2 2\n").unwrap();
        assert!(!bare.both && bare.rows == 2 && bare.entries.len() == 3);
        for (text, line) in [
            ("%%MatrixMarket matrix array real general\n1 1\n", Some(1)),
            ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", Some(2)),
            ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n3 1 1\n", Some(3)),
            ("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n", None),
            ("1 1 x\n", Some(1)),
            ("7,1,7,1,2.0\n7,1,9\n", Some(2)),
            ("7,1,7,4,2.0\n", Some(1)),
            ("", None),
        ] {
            assert_eq!(matrix(text).unwrap_err().0, line, "{text}");
        }
    }

    /// As Abaqus writes it; nodes come in any order.
    #[test]
    fn matrices_by_nodes_and_directions_are_read() {
        let read =
            matrix("** STIFFNESS\n7,1, 7,1, 2.0\n3,1, 7,1, -1.0\n3,1, 3,1, 2.0\n", Which::Stiffness).unwrap();
        assert_eq!(read.labels, Some(vec![(7, 0), (3, 0)]));
        assert_eq!((read.rows, read.both), (2, false));
        assert_eq!(read.entries, [(0, 0, 2.0), (1, 0, -1.0), (1, 1, 2.0)]);
        let both = matrix("7,1,3,2,-1.0\n3,2,7,1,-1.0\n", Which::Mass).unwrap();
        assert!(both.both);
    }
}
