//! Faults of a model: all of them at once, each where it stands.

use std::collections::HashMap;
use std::fmt;
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
    /// Adds the place in the file.
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }
}

/// The file a model was read from, and where each item stands in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// File name as the user gave it, or `<stdin>`.
    pub file: String,
    /// The whole text.
    pub text: String,
    /// Byte range of the value at each path.
    pub spans: HashMap<String, Range<usize>>,
}

/// All faults of a model, with the file they were found in.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    /// The faults, in the order found.
    pub list: Vec<Fault>,
    /// The file, if the model came from one.
    pub provenance: Option<Arc<Provenance>>,
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.list {
            writeln!(f, "{}: {}", fault.path, fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
