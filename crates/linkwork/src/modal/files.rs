//! Texts of finite-element programs: matrices in Matrix Market form or as bare triplets (CalculiX's `.sti` and `.mas`), nodes as `*NODE` blocks of Abaqus and CalculiX
//! or as lines `number, x, y, z`, degrees of freedom as CalculiX's `.dof`.

use std::collections::HashMap;

/// What is wrong, and in which line.
pub(crate) type Wrong = (Option<usize>, String);

/// Entries of a sparse symmetric matrix.
#[derive(Debug, PartialEq)]
pub(crate) struct MatrixText {
    /// Number of rows.
    pub rows: usize,
    /// Row, column and value, from zero.
    pub entries: Vec<(u32, u32, f64)>,
    /// Whether entries on both sides of the diagonal are given.
    pub both: bool,
}

/// Nodes and named sets of them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct NodeText {
    /// Their numbers.
    pub numbers: Vec<u64>,
    /// Their places, in the unit of the file.
    pub positions: Vec<[f64; 3]>,
    /// Sets by their names in capitals.
    pub sets: HashMap<String, Vec<u64>>,
}

/// Rows that a matrix may have, and entries.
const MAX_ROWS: usize = 3 * super::MAX_NODES;
const MAX_ENTRIES: usize = 20_000_000;

fn number(word: &str, line: usize) -> Result<f64, Wrong> {
    // Fortran writes 1.0D+05
    let plain = word.parse::<f64>().or_else(|_| word.replace(['D', 'd'], "e").parse::<f64>());
    match plain {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err((Some(line), format!("expected a number, found `{}`", short(word)))),
    }
}

fn whole(word: &str, line: usize) -> Result<u64, Wrong> {
    word.parse::<u64>().map_err(|_| (Some(line), format!("expected a whole number, found `{}`", short(word))))
}

fn short(word: &str) -> String {
    word.chars().take(30).collect()
}

/// Reads a matrix.
pub(crate) fn matrix(text: &str) -> Result<MatrixText, Wrong> {
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
    let mut sizes: Option<(usize, usize)> = None;
    let mut out = MatrixText { rows: 0, entries: Vec::new(), both: head == Some(false) };
    let (mut lower, mut upper) = (false, false);
    for (at, line) in lines {
        if line.is_empty() || line.starts_with('%') || line.starts_with('#') {
            continue;
        }
        let words: Vec<&str> = line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
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

/// Reads nodes.
pub(crate) fn nodes(text: &str) -> Result<NodeText, Wrong> {
    enum Block {
        Nodes,
        Set(String, bool),
        Other,
    }
    let keywords =
        text.lines().any(|line| line.trim_start().starts_with('*') && !line.trim_start().starts_with("**"));
    let mut block = if keywords { Block::Other } else { Block::Nodes };
    let mut out = NodeText::default();
    let mut seen = std::collections::HashSet::new();
    for (at, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())) {
        if line.is_empty() || line.starts_with("**") || line.starts_with('#') {
            continue;
        }
        if let Some(keyword) = line.strip_prefix('*') {
            let mut words = keyword.split(',').map(|word| word.trim().to_uppercase());
            let name = words.next().unwrap_or_default();
            let options: Vec<String> = words.collect();
            let value = |key: &str| {
                options.iter().find_map(|o| {
                    o.split_once('=').filter(|(k, _)| k.trim() == key).map(|(_, v)| v.trim().to_owned())
                })
            };
            block = match name.as_str() {
                "NODE" => Block::Nodes,
                "NSET" => match value("NSET") {
                    Some(set) => Block::Set(set, options.iter().any(|o| o == "GENERATE")),
                    None => return Err((Some(at), "this set has no name".into())),
                },
                _ => Block::Other,
            };
            continue;
        }
        let words: Vec<&str> = line.split([',', ';', '\t', ' ']).filter(|word| !word.is_empty()).collect();
        match &block {
            Block::Other => {}
            Block::Nodes => {
                let first = words.first().copied().unwrap_or_default();
                if !keywords && out.numbers.is_empty() && first.parse::<f64>().is_err() {
                    continue; // names of columns
                }
                if words.len() < 4 {
                    return Err((
                        Some(at),
                        format!("expected `number, x, y, z`, found {} words", words.len()),
                    ));
                }
                let node = whole(first, at)?;
                if !seen.insert(node) {
                    return Err((Some(at), format!("the node {node} is given twice")));
                }
                if out.numbers.len() == super::MAX_NODES {
                    return Err((Some(at), format!("more than {} nodes", super::MAX_NODES)));
                }
                out.numbers.push(node);
                out.positions.push([number(words[1], at)?, number(words[2], at)?, number(words[3], at)?]);
            }
            Block::Set(name, generate) => {
                let numbers: Result<Vec<u64>, Wrong> = words.iter().map(|word| whole(word, at)).collect();
                let numbers = match numbers {
                    Ok(numbers) => numbers,
                    // a set of sets: nobody may need it
                    Err(_) => continue,
                };
                let list = out.sets.entry(name.clone()).or_default();
                match (generate, &numbers[..]) {
                    (true, &[from, to]) => list.extend((from..=to).take(super::MAX_NODES)),
                    (true, &[from, to, step]) if step > 0 => {
                        list.extend((from..=to).step_by(step as usize).take(super::MAX_NODES));
                    }
                    (true, _) => return Err((Some(at), "expected `first, last, step`".into())),
                    (false, _) => list.extend(numbers),
                }
            }
        }
    }
    match out.numbers.is_empty() {
        true => {
            Err((None, "there are no nodes: expected a `*NODE` block, or lines `number, x, y, z`".into()))
        }
        false => Ok(out),
    }
}

/// Reads which degree of freedom each row is: node and direction (0, 1, 2), from `node.direction`.
pub(crate) fn dofs(text: &str) -> Result<Vec<(u64, usize)>, Wrong> {
    let mut list = Vec::new();
    for (at, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') || line.starts_with('%') {
            continue;
        }
        let (node, direction) = match line.split_once('.') {
            Some((node, direction)) => (node, direction),
            None => return Err((Some(at), format!("expected `node.direction`, found `{}`", short(line)))),
        };
        let node = whole(node.trim(), at)?;
        match whole(direction.trim(), at)? {
            c @ 1..=3 => list.push((node, c as usize - 1)),
            c => {
                let message = format!(
                    "direction {c} of node {node}: only displacements 1, 2 and 3 are taken, as solid elements have them"
                );
                return Err((Some(at), message));
            }
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_both_kinds_are_read_and_faults_name_their_line() {
        let text =
            "%%MatrixMarket matrix coordinate real symmetric\n% made by hand\n2 2 2\n1 1 4.0\n2 1 -1D0\n";
        let read = matrix(text).unwrap();
        assert_eq!(read, MatrixText { rows: 2, entries: vec![(0, 0, 4.0), (1, 0, -1.0)], both: false });
        let bare = matrix("1 1 2\n1 2 -1\n2 2 2\n").unwrap();
        assert!(!bare.both && bare.rows == 2 && bare.entries.len() == 3);
        for (text, line) in [
            ("%%MatrixMarket matrix array real general\n1 1\n", Some(1)),
            ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", Some(2)),
            ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n3 1 1\n", Some(3)),
            ("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n", None),
            ("1 1 x\n", Some(1)),
            ("", None),
        ] {
            assert_eq!(matrix(text).unwrap_err().0, line, "{text}");
        }
    }

    #[test]
    fn nodes_sets_and_degrees_of_freedom_are_read() {
        let text = "*HEADING\nbracket\n*NODE, NSET=all\n1, 0., 1., 2.\n** between\n7, 3, 4, 5\n*ELEMENT, TYPE=C3D8\n1, 1, 7\n*NSET, NSET=Flange\n1, 7\n*NSET, NSET=many, GENERATE\n1, 7, 3\n";
        let read = nodes(text).unwrap();
        assert_eq!((read.numbers, read.positions), (vec![1, 7], vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]));
        assert_eq!((&read.sets["FLANGE"], &read.sets["MANY"]), (&vec![1, 7], &vec![1, 4, 7]));
        let csv = nodes("node,x,y,z\n3,1,2,3\n4,1e-1,2,3\n").unwrap();
        assert_eq!(csv.numbers, [3, 4]);
        assert_eq!(nodes("1, 2, 3\n").unwrap_err().0, Some(1));
        assert_eq!(nodes("*NODE\n1,0,0,0\n1,0,0,1\n").unwrap_err().0, Some(3));
        assert_eq!(dofs("12.1\n12.3\n").unwrap(), [(12, 0), (12, 2)]);
        assert_eq!(dofs("12.4\n").unwrap_err().0, Some(1));
    }
}
