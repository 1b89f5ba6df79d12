//! Cards of Nastran: `GRID`, `CTETRA`, `CPENTA`, `CHEXA`, `MAT1` and `DMIG`, with fields of 8 or 16 characters or between commas.

use super::matrix::{Labelled, MatrixText};
use super::nodes::{ElementText, NodeText};
use super::{Which, Wrong, direction, short, whole};
use crate::modal::ElementKind;
use std::collections::HashSet;

/// A card: its name in capitals, its fields without it, and the line where it begins.
struct Card {
    name: String,
    fields: Vec<String>,
    line: usize,
}

/// The fields of a line behind the first, and whether they are wide.
fn fields(line: &str) -> (String, Vec<String>) {
    if line.contains(',') {
        let mut words = line.split(',').map(|word| word.trim().to_owned());
        let first = words.next().unwrap_or_default().to_uppercase();
        return (first, words.take(8).collect());
    }
    let characters: Vec<char> = line.replace('\t', " ").chars().collect();
    let piece = |from: usize, to: usize| -> String {
        let (from, to) = (from.min(characters.len()), to.min(characters.len()));
        characters[from..to].iter().collect::<String>().trim().to_owned()
    };
    let first = piece(0, 8).to_uppercase();
    let (width, count) = if first.contains('*') { (16, 4) } else { (8, 8) };
    (first, (0..count).map(|k| piece(8 + width * k, 8 + width * (k + 1))).collect())
}

/// The cards of a text, lines that go on joined to those before.
fn cards(text: &str) -> Vec<Card> {
    let mut list: Vec<Card> = Vec::new();
    for (at, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        let plain = line.split('$').next().unwrap_or_default().trim_end();
        if plain.trim().is_empty() {
            continue;
        }
        let (first, more) = fields(plain);
        let goes_on = first.is_empty() || first.starts_with(['+', '*']);
        match list.last_mut().filter(|_| goes_on) {
            Some(card) => card.fields.extend(more),
            None => list.push(Card { name: first.trim_end_matches('*').to_owned(), fields: more, line: at }),
        }
    }
    list
}

/// A real number, also as 1.5-3 or 1.5D-3.
fn real(word: &str, line: usize) -> Result<f64, Wrong> {
    let plain = word.replace(['D', 'd', 'E'], "e");
    let spelled = match plain
        .char_indices()
        .skip(1)
        .find(|&(k, c)| (c == '-' || c == '+') && !plain[..k].ends_with('e'))
    {
        Some((k, _)) if !plain.contains('e') => format!("{}e{}", &plain[..k], &plain[k..]),
        _ => plain,
    };
    super::number(&spelled, line)
        .map_err(|_| (Some(line), format!("expected a number, found `{}`", short(word))))
}

impl Card {
    fn field(&self, k: usize) -> &str {
        self.fields.get(k).map_or("", String::as_str)
    }

    fn whole(&self, k: usize) -> Result<u64, Wrong> {
        whole(self.field(k), self.line)
    }

    fn real(&self, k: usize) -> Result<f64, Wrong> {
        match self.field(k) {
            "" => Ok(0.0),
            word => real(word, self.line),
        }
    }
}

/// Nodes, elements and materials.
pub(super) fn nodes(text: &str) -> Result<NodeText, Wrong> {
    let (mut out, mut seen) = (NodeText::default(), HashSet::new());
    for card in cards(text) {
        match card.name.as_str() {
            "GRID" => {
                let node = card.whole(0)?;
                // wide cards have four fields a line
                if !matches!(card.field(1), "" | "0") {
                    let message = format!(
                        "the node {node} is given in the coordinates {}: only those of the model are read",
                        card.field(1)
                    );
                    return Err((Some(card.line), message));
                }
                out.add_node(&mut seen, node, [card.real(2)?, card.real(3)?, card.real(4)?], card.line)?;
            }
            "CTETRA" | "CPENTA" | "CHEXA" => out.add_element(element(&card)?)?,
            "MAT1" => {
                let value = |k: usize| match card.field(k) {
                    "" => Ok(None),
                    word => real(word, card.line).map(Some),
                };
                out.materials.push([value(1)?, value(3)?, value(4)?]);
            }
            _ => {}
        }
    }
    Ok(out)
}

/// An element with its nodes in the order of Abaqus: the middles of upright edges come last there.
fn element(card: &Card) -> Result<ElementText, Wrong> {
    let numbers = card.fields.iter().skip(2).filter(|word| !word.is_empty());
    let mut nodes = numbers.map(|word| whole(word, card.line)).collect::<Result<Vec<u64>, Wrong>>()?;
    let (first, second) = match card.name.as_str() {
        "CTETRA" => (ElementKind::Tet4, ElementKind::Tet10),
        "CPENTA" => (ElementKind::Wedge6, ElementKind::Wedge15),
        _ => (ElementKind::Hex8, ElementKind::Hex20),
    };
    let Some(kind) = [first, second].into_iter().find(|kind| kind.nodes() == nodes.len()) else {
        let (name, count) = (&card.name, nodes.len());
        let message = format!(
            "a `{name}` with {count} nodes is not taken: it has {} or {}",
            first.nodes(),
            second.nodes()
        );
        return Err((Some(card.line), message));
    };
    let upright = match kind {
        ElementKind::Wedge15 => 9..12,
        ElementKind::Hex20 => 12..16,
        _ => 0..0,
    };
    let moved: Vec<u64> = nodes.drain(upright).collect();
    nodes.extend(moved);
    Ok(ElementText { kind: Some(kind), nodes, line: card.line })
}

/// A matrix of `DMIG` cards. Of several the one whose name begins with K or M.
pub(super) fn matrix(text: &str, which: Which) -> Result<MatrixText, Wrong> {
    let cards: Vec<Card> = cards(text).into_iter().filter(|card| card.name == "DMIG").collect();
    let mut names: Vec<&str> = cards.iter().map(|card| card.field(0)).collect();
    names.sort_unstable();
    names.dedup();
    let letter = if which == Which::Stiffness { 'K' } else { 'M' };
    let of_letter: Vec<&str> =
        names.iter().copied().filter(|name| name.to_uppercase().starts_with(letter)).collect();
    let name = match (&names[..], &of_letter[..]) {
        (_, [one]) | ([one], []) => (*one).to_owned(),
        _ => {
            let message = format!(
                "expected one matrix whose name begins with {letter}; there are {}",
                names.join(", ")
            );
            return Err((None, message));
        }
    };
    let mut matrix = Labelled::default();
    for card in cards.iter().filter(|card| card.field(0) == name) {
        if card.field(1) == "0" {
            // the head: IFO is 6 for symmetric matrices, 1 for square ones
            if !matches!(card.field(2), "6" | "1") {
                let message = format!(
                    "the matrix {name} is of the form {}: only square ones, 1 and 6, are taken",
                    card.field(2)
                );
                return Err((Some(card.line), message));
            }
            continue;
        }
        let label = |k: usize| -> Result<(u64, usize), Wrong> {
            let node = card.whole(k)?;
            Ok((node, direction(card.whole(k + 1)?, node, card.line)?))
        };
        let column = matrix.row(label(1)?, card.line)?;
        // GJ, CJ and an empty field, then four fields for each entry
        for k in (4..card.fields.len()).step_by(4).filter(|&k| !card.field(k).is_empty()) {
            let row = matrix.row(label(k)?, card.line)?;
            matrix.push(row, column, card.real(k + 2)?, card.line)?;
        }
    }
    matrix.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_nastran_are_read() {
        for (word, value) in
            [("1.5-3", 1.5e-3), ("-1.5+3", -1.5e3), ("2.D0", 2.0), ("7.", 7.0), ("1.0E-2", 1e-2)]
        {
            assert_eq!(real(word, 1), Ok(value), "{word}");
        }
        assert!(real("1.5x", 1).is_err());
    }

    #[test]
    fn cards_of_all_widths_are_read() {
        let text = "$ a wedge\nGRID,1,,0.,0.,0.\nGRID           2       0      1.      0.      0.\nGRID*                  3               0              0.              1.\n*                     0.\nGRID,4,,0.,0.,1.\nGRID,5,,1.,0.,1.\nGRID,6,,0.,1.,1.\nCPENTA,1,1,1,2,3,4,5,6\nMAT1           1  2.1+11              .3   7850.\n";
        let read = nodes(text).unwrap();
        assert_eq!(read.numbers, [1, 2, 3, 4, 5, 6]);
        assert_eq!(read.positions[2], [0.0, 1.0, 0.0]);
        assert_eq!(read.elements[0].kind, Some(ElementKind::Wedge6));
        assert_eq!(read.materials, [[Some(2.1e11), Some(0.3), Some(7850.0)]]);
        let hex: Vec<String> = (1..=20).map(|k| k.to_string()).collect();
        let line = format!(
            "CHEXA,1,1,{},\n+,{},\n+,{}\nGRID,1,,0.,0.,0.\n",
            hex[..6].join(","),
            hex[6..14].join(","),
            hex[14..].join(",")
        );
        let hex20 = &nodes(&line).unwrap().elements[0];
        assert_eq!(hex20.nodes[12..], [17, 18, 19, 20, 13, 14, 15, 16]);
        assert_eq!(nodes("GRID,1,7,0.,0.,0.\n").unwrap_err().0, Some(1));
    }

    /// As a punch file has them: both matrices, wide fields.
    #[test]
    fn matrices_of_a_punch_file_are_read() {
        let text = "DMIG    KAAX           0       6       2       0\nDMIG*   KAAX                           1               1\n*                      1               1 2.000000000D+00\nDMIG*   KAAX                           2               1\n*                      1               1-1.000000000D+00\n*                      2               1 2.000000000D+00\nDMIG    MAAX           0       6       2       0\nDMIG*   MAAX                           1               1\n*                      1               1 5.000000000D-01\n";
        let stiffness = matrix(text, Which::Stiffness).unwrap();
        assert_eq!(stiffness.labels, Some(vec![(1, 0), (2, 0)]));
        assert_eq!(stiffness.entries, [(0, 0, 2.0), (0, 1, -1.0), (1, 1, 2.0)]);
        assert_eq!(matrix(text, Which::Mass).unwrap().entries, [(0, 0, 0.5)]);
        let narrow = "DMIG,K2,1,1,,1,1,4.\n";
        assert_eq!(matrix(narrow, Which::Stiffness).unwrap().entries, [(0, 0, 4.0)]);
        assert!(matrix("DMIG,B,0,2,1,0\n", Which::Stiffness).is_err());
    }
}
