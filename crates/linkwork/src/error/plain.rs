//! Faults as text without the feature `file`: a line for each, and one for its advice.

use super::{Faults, Severity};
use std::fmt;

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.list.iter().enumerate() {
            let kind = match fault.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let path = if fault.path.is_empty() { String::new() } else { format!("{}: ", fault.path) };
            let code = fault.code.map_or_else(String::new, |code| format!(" [{code}]"));
            let line = if i == 0 { "" } else { "\n" };
            write!(f, "{line}{kind}: {path}{}{code}", fault.message)?;
            fault.help.iter().try_for_each(|help| write!(f, "\n  = help: {help}"))?;
        }
        Ok(())
    }
}
