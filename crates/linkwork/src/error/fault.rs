//! Faults of a model: all of them at once, each where it stands.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model can be used; look at this all the same.
    Warning,
    /// The model cannot be used.
    Error,
}

/// One thing that is wrong with a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// How bad it is.
    pub severity: Severity,
    /// The item, as the model file spells it: `bodies.coupler.points[1]`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Byte range in the file, where it is known better than the path tells.
    pub span: Option<Range<usize>>,
    /// A short name of the kind of warning that it is, for programs and for the manual.
    pub code: Option<&'static str>,
    /// Of a mechanism that cannot be assembled: by how much its worst equation stays open, m.
    pub residual: Option<OpenBy>,
}

/// By how much an equation of the assembly stays open, m: to seven digits, in few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenBy(NonZeroU32);

impl OpenBy {
    /// Of a length, m; `None` if that is zero.
    pub(crate) fn new(length: f64) -> Option<Self> {
        NonZeroU32::new((length as f32).to_bits()).map(OpenBy)
    }

    /// The length, m.
    pub fn metres(self) -> f64 {
        f32::from_bits(self.0.get()).into()
    }
}

impl Fault {
    /// An error at an item.
    pub fn error(path: impl Into<String>, message: impl Into<String>) -> Self {
        Fault {
            severity: Severity::Error,
            path: path.into(),
            message: message.into(),
            help: None,
            span: None,
            code: None,
            residual: None,
        }
    }
    /// A warning at an item.
    pub fn warning(path: impl Into<String>, message: impl Into<String>) -> Self {
        Fault { severity: Severity::Warning, ..Fault::error(path, message) }
    }
    /// Adds advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// Says which kind of warning it is.
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }
    /// Adds the place in the file.
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }
}

/// What a slider for a parameter shows: the ends of its range, in SI units, and its label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterRange {
    /// The least value.
    pub min: Option<f64>,
    /// The greatest value.
    pub max: Option<f64>,
    /// What it is called.
    pub label: Option<String>,
}

/// What faults of values that were given along with a file have in place of its name.
const GIVEN: &str = "the given values";

/// The file a model was read from, and where each item stands in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// File name as the user gave it, or `<stdin>`.
    pub file: String,
    /// The whole text.
    pub text: String,
    /// Byte range of the value at each path.
    pub spans: HashMap<String, Range<usize>>,
    /// The SI units of measures that are given without one, by their paths, as far as their values tell them.
    pub units: HashMap<String, String>,
    /// What sliders show of parameters, by their names, where the file says so.
    pub ranges: BTreeMap<String, ParameterRange>,
    /// Where the text of the file ends and lines with values begin that were given along with it.
    pub given: Option<usize>,
}

/// All faults of a model, with the file they were found in.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    /// The faults, in the order found.
    pub list: Vec<Fault>,
    /// The file, if the model came from one.
    pub provenance: Option<Arc<Provenance>>,
}

impl Faults {
    /// Whether any fault keeps the model from being used.
    pub fn any_errors(&self) -> bool {
        self.list.iter().any(|fault| fault.severity == Severity::Error)
    }

    /// Of a mechanism that cannot be assembled: by how much its worst equation stays open, m. `None` if something else is wrong. Studies that try many values take
    /// it as a result like any other.
    pub fn residual(&self) -> Option<f64> {
        self.list.iter().filter_map(|fault| fault.residual.map(OpenBy::metres)).reduce(f64::max)
    }

    /// Where a fault stands in the file.
    pub fn span(&self, fault: &Fault) -> Option<Range<usize>> {
        let provenance = self.provenance.as_ref()?;
        fault.span.clone().or_else(|| provenance.span(&fault.path))
    }
}

impl Provenance {
    /// Byte range of the item at a path, or of the nearest item around it that is known.
    pub fn span(&self, path: &str) -> Option<Range<usize>> {
        let mut path = path;
        loop {
            if let Some(span) = self.spans.get(path) {
                return Some(span.clone());
            }
            path = parent(path)?;
        }
    }

    /// Where the contents of the string at a path begin, if they stand in the file letter by letter.
    pub(crate) fn inside(&self, path: &str, contents: &str) -> Option<usize> {
        inside(&self.text, self.spans.get(path)?.clone(), contents)
    }

    /// The text of the file, without the values that were given along with it.
    #[cfg(feature = "file")]
    pub(crate) fn own_text(&self) -> &str {
        &self.text[..self.given.unwrap_or(self.text.len())]
    }

    /// Where a byte stands: the file or the values that were given along with it, line and column.
    pub fn place(&self, at: usize) -> (&str, usize, usize) {
        let (line, column) = self.line_column(at);
        match self.given.filter(|&given| at > given) {
            Some(given) => (GIVEN, line - self.line_column(given).0, column),
            None => (&self.file, line, column),
        }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// Where the contents of a string with its quotes begin, if they stand there letter by letter.
pub(crate) fn inside(text: &str, string: Range<usize>, contents: &str) -> Option<usize> {
    let written = text.get(string.clone())?;
    [3, 1].into_iter().find_map(|quotes| {
        let inner = written.get(quotes..written.len().checked_sub(quotes)?)?;
        (inner == contents).then_some(string.start + quotes)
    })
}

/// The path of the item that encloses the item at a path.
fn parent(path: &str) -> Option<&str> {
    let mut quoted = false;
    let mut cut = None;
    let mut characters = path.char_indices();
    while let Some((i, c)) = characters.next() {
        match c {
            '\\' if quoted => {
                characters.next();
            }
            '"' => quoted = !quoted,
            '.' | '[' if !quoted => cut = Some(i),
            _ => {}
        }
    }
    cut.map(|i| &path[..i])
}

impl std::error::Error for Faults {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_parents_of_paths() {
        assert_eq!(parent("bodies.crank.points[1]"), Some("bodies.crank.points"));
        assert_eq!(parent("bodies.crank.points"), Some("bodies.crank"));
        assert_eq!(parent(r#"bodies."a.b[\"]""#), Some("bodies"));
        assert_eq!(parent("format"), None);
    }
}
