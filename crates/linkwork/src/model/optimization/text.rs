//! Reductions in the text of an expression: `max(measure.toe) - 2 * final(point.P.y)`.
//!
//! `max` and `min` of one thing are reductions, of several the functions of expressions. What stands in a reduction is an expression of its own; the
//! rest is one of the reductions' values, which it knows by names of the same length as the text that they stand for.

use std::ops::Range;

/// The words of reductions.
pub(super) const WORDS: [&str; 8] = ["final", "at", "max", "min", "mean", "rms", "integral", "path"];

/// A reduction in a text.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    pub word: &'static str,
    /// All of it.
    pub span: Range<usize>,
    /// Its arguments, without the commas and parentheses around them.
    pub arguments: Vec<Range<usize>>,
}

/// The reductions of a text that stand in no other.
pub(super) fn reductions(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((word, span)) = next_word(text, at) {
        at = span.end;
        let known = WORDS.iter().find(|known| **known == word);
        let Some(word) = known else { continue };
        let Some(open) = opening(text, span.end) else { continue };
        let Some((arguments, end)) = arguments(text, open) else { continue };
        if ["max", "min"].contains(word) && arguments.len() > 1 {
            at = open + 1;
            continue;
        }
        at = end;
        found.push(Found { word, span: span.start..end, arguments });
    }
    found
}

/// The next word that is not a part of a dotted name or in backticks.
fn next_word(text: &str, from: usize) -> Option<(&str, Range<usize>)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'`' => at = text[at + 1..].find('`').map_or(bytes.len(), |end| at + 1 + end + 1),
            byte if is_word(byte) => {
                let end = (at..bytes.len()).find(|&i| !is_word(bytes[i])).unwrap_or(bytes.len());
                if byte.is_ascii_digit() || at > 0 && bytes[at - 1] == b'.' {
                    at = end;
                    continue;
                }
                return Some((&text[at..end], at..end));
            }
            _ => at += 1,
        }
    }
    None
}

/// The parenthesis that follows, if one does.
fn opening(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    let spaces = rest.len() - rest.trim_start().len();
    text.as_bytes().get(from + spaces).filter(|byte| **byte == b'(').map(|_| from + spaces)
}

/// The arguments behind an opening parenthesis, and the end of the closing one.
fn arguments(text: &str, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut depth, mut list, mut first, mut quoted) = (0, Vec::new(), open + 1, false);
    for (i, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'`' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    list.push(first..i);
                    return Some((list, i + 1));
                }
            }
            b',' if depth == 1 => {
                list.push(first..i);
                first = i + 1;
            }
            _ => {}
        }
    }
    None
}

/// The first comparison that stands in no parentheses.
pub(super) fn comparison(text: &str) -> Option<(&'static str, Range<usize>)> {
    let (mut depth, mut quoted) = (0, false);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'`' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'<' | b'>' | b'=' | b'!' if depth == 0 => {
                let known = ["<=", ">=", "==", "!=", "<", ">", "=", "!"];
                return known
                    .into_iter()
                    .find(|op| text[i..].starts_with(op))
                    .map(|op| (op, i..i + op.len()));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(&str, Vec<&str>)> {
        reductions(text)
            .into_iter()
            .map(|found| (found.word, found.arguments.into_iter().map(|span| &text[span]).collect()))
            .collect()
    }

    #[test]
    fn exact_reductions_of_a_text() {
        assert_eq!(words("max(abs(measure.toe)) + 2"), [("max", vec!["abs(measure.toe)"])]);
        assert_eq!(words("max(a, min(b))"), [("min", vec!["b"])]);
        assert_eq!(words("at(0.5, x) - final (y)"), [("at", vec!["0.5", " x"]), ("final", vec!["y"])]);
        assert_eq!(words("point.max.x + measure.`rms(2)`"), []);
        assert_eq!(
            words("path(P, wanted, timing = free)"),
            [("path", vec!["P", " wanted", " timing = free"])]
        );
        assert_eq!(words("mean(x"), []);
        assert_eq!(words("rms(distance(`a,b`, C))"), [("rms", vec!["distance(`a,b`, C)"])]);
    }

    #[test]
    fn exact_comparisons_of_a_text() {
        let found = |text| comparison(text).map(|(op, span)| (op, span.start));
        assert_eq!(found("a + b <= c"), Some(("<=", 6)));
        assert_eq!(found("max(if(a < b, 1, 2)) == 3"), Some(("==", 21)));
        assert_eq!(found("a < b"), Some(("<", 2)));
        assert_eq!(found("`a<b` + 1"), None);
    }
}
