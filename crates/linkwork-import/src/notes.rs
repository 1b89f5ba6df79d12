//! The table of substitutions: what was merged, assumed or left out on the way into a model. Nothing is left out in silence.

use std::fmt::{self, Write};

use crate::fault::{Fault, Faults, Place};

/// What a note means for the motion. In order of weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The same mechanism in other words: fixed links merged into one body. `--strict` lets it pass.
    Equivalent,
    /// Nothing that moves is different, but something is not there to see or to read: a mesh, a sensor.
    LeftOut,
    /// A value was put in place of one that is missing, or that Linkwork does not have in this form.
    Assumed,
    /// Something that acts on the motion was left out.
    Changed,
}

impl Severity {
    /// The word of the table.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Equivalent => "equivalent",
            Severity::LeftOut => "left out",
            Severity::Assumed => "assumed",
            Severity::Changed => "changed",
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// How much it matters.
    pub severity: Severity,
    /// Where it stands in the file that was read.
    pub place: Place,
    /// The item: ``link `arm` ``.
    pub item: String,
    /// What there is: `<safety_controller>`, a collision mesh.
    pub what: String,
    /// What was done with it.
    pub done: String,
}

/// Collects notes and faults while a file is read, so that all come at once.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Substitutions so far.
    pub notes: Vec<Note>,
    /// Faults so far.
    pub faults: Vec<Fault>,
}

/// The most notes that are kept; more are counted. A file of damaged bytes must not fill the memory with words about it.
pub const MAX_NOTES: usize = 20_000;

impl Report {
    /// Adds a line to the table.
    pub fn note(
        &mut self,
        severity: Severity,
        place: &Place,
        item: impl Into<String>,
        what: impl Into<String>,
        done: impl Into<String>,
    ) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(Note {
                severity,
                place: place.clone(),
                item: item.into(),
                what: what.into(),
                done: done.into(),
            });
        }
    }

    /// Adds a fault and goes on.
    pub fn fault(&mut self, fault: Fault) {
        if self.faults.len() < MAX_NOTES {
            self.faults.push(fault);
        }
    }

    /// The value, or the fault and `None`.
    pub fn take<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(fault) => {
                self.fault(fault);
                None
            }
        }
    }

    /// All faults, if there are any.
    pub fn check(&mut self) -> Result<(), Faults> {
        match self.faults.is_empty() {
            true => Ok(()),
            false => Err(Faults(std::mem::take(&mut self.faults))),
        }
    }

    /// What `--strict` does: every note but the equivalent ones becomes a fault.
    pub fn strict(&mut self) -> Result<(), Faults> {
        let substituted = self.notes.iter().filter(|note| note.severity > Severity::Equivalent);
        let faults: Vec<_> = substituted
            .map(|note| {
                let message = format!("{}: {} ({})", note.what, note.done, note.severity.word());
                Fault::new(note.place.clone(), note.item.clone(), message)
            })
            .collect();
        self.faults.extend(faults);
        self.check()
    }
}

/// The table of substitutions, for people; notes that say the same of many items share a line.
pub struct Table<'a>(pub &'a [Note]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups: Vec<(&Note, Vec<&Note>)> = Vec::new();
        let mut sorted: Vec<&Note> = self.0.iter().collect();
        sorted.sort_by_key(|note| std::cmp::Reverse(note.severity));
        let mut index = std::collections::HashMap::new();
        for note in sorted {
            let key = (note.severity.word(), &note.what, &note.done);
            let at = *index.entry(key).or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, members)) => members.push(note),
                None => groups.push((note, vec![note])),
            }
        }
        for (note, members) in groups {
            let mut items = String::new();
            for member in members.iter().take(4) {
                if !items.is_empty() {
                    items.push_str(", ");
                }
                let _ = write!(items, "{}", member.item);
                if member.place.line > 0 {
                    let _ = write!(items, " (line {})", member.place.line);
                }
            }
            if members.len() > 4 {
                let _ = write!(items, " and {} more", members.len() - 4);
            }
            writeln!(f, "{:10}  {items}: {}: {}", note.severity.word(), note.what, note.done)?;
        }
        Ok(())
    }
}
