//! Texts of finite-element programs: matrices in Matrix Market form, as bare triplets (CalculiX's `.sti` and `.mas`), by nodes and directions (Abaqus's `*MATRIX GENERATE`) or as `DMIG`
//! cards of Nastran; nodes, elements, sets and materials of Abaqus, CalculiX, gmsh and Nastran; degrees of freedom as CalculiX's `.dof`.

mod matrix;
mod nastran;
mod nodes;

pub(crate) use matrix::{MatrixText, matrix};
pub(crate) use nodes::{NodeText, nodes};

/// What is wrong, and in which line.
pub(crate) type Wrong = (Option<usize>, String);

/// Which matrix is read: some files hold both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// K
    Stiffness,
    /// M
    Mass,
}

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

/// A direction of a node, counted from one in files.
fn direction(number: u64, node: u64, line: usize) -> Result<usize, Wrong> {
    match number {
        c @ 1..=3 => Ok(c as usize - 1),
        c => {
            let message = format!(
                "direction {c} of node {node}: only displacements 1, 2 and 3 are taken, as solid elements have them"
            );
            Err((Some(line), message))
        }
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
        list.push((node, self::direction(whole(direction.trim(), at)?, node, at)?));
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_freedom_are_read() {
        assert_eq!(dofs("12.1\n12.3\n").unwrap(), [(12, 0), (12, 2)]);
        assert_eq!(dofs("12.4\n").unwrap_err().0, Some(1));
    }
}
