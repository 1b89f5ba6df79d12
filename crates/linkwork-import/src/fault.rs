//! Faults of a file that cannot be read: all of them, each with file, line and item.

use std::fmt;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named or found.
    pub file: Arc<str>,
    /// The line, counted from one; 0 for the file as a whole.
    pub line: u32,
}

impl Place {
    /// The file as a whole.
    pub fn whole(file: &Arc<str>) -> Self {
        Place { file: file.clone(), line: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// One thing that keeps a file from being read.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Where it stands.
    pub place: Place,
    /// The item: ``joint `elbow` ``. Empty for the file as a whole.
    pub item: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Fault {
    /// A fault of an item.
    pub fn new(place: Place, item: impl Into<String>, message: impl Into<String>) -> Self {
        Fault { place, item: item.into(), message: message.into(), help: None }
    }

    /// Adds advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.item.is_empty() {
            write!(f, "{}: ", self.item)?;
        }
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// The most faults that are reported; the rest is counted.
pub const MAX_REPORTED: usize = 50;

/// All faults of a file, in the order found; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults(pub Vec<Fault>);

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Faults(vec![fault])
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, fault) in self.0.iter().take(MAX_REPORTED).enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            write!(f, "{fault}")?;
        }
        if self.0.len() > MAX_REPORTED {
            write!(f, "\nand {} more", self.0.len() - MAX_REPORTED)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
