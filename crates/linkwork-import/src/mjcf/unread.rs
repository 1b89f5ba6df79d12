//! Attributes that nothing reads: one line of the table for each kind, not one for each element.

use std::collections::BTreeMap;

use crate::fault::Place;
use crate::notes::{Report, Severity};
use crate::xml::{Element, quoted};

/// Attributes that set how MuJoCo softens contacts and constraints.
const SOFT: [&str; 15] = [
    "solref",
    "solimp",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "solreffix",
    "solimpfix",
    "margin",
    "gap",
    "solmix",
    "priority",
    "torquescale",
    "adhesiongain",
    "impratio",
];

/// Attributes that are only seen or stored.
const SEEN: [&str; 7] = ["group", "user", "rgba", "material", "width", "texrepeat", "fluidshape"];

/// Collects attributes that nothing reads.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<(String, String), (Place, usize)>);

impl Unread {
    /// Counts the attributes of an element that are not among those read.
    pub(super) fn attributes(&mut self, element: &Element, known: &[&str]) {
        for attribute in element.attributes.iter().filter(|a| !known.contains(&a.name.as_str())) {
            let key = (element.name.clone(), attribute.name.clone());
            let place = || Place { file: element.place.file.clone(), line: attribute.line };
            self.0.entry(key).or_insert_with(|| (place(), 0)).1 += 1;
        }
    }

    /// Counts an element that is only seen.
    pub(super) fn element(&mut self, element: &Element) {
        let key = (element.name.clone(), String::new());
        self.0.entry(key).or_insert_with(|| (element.place.clone(), 0)).1 += 1;
    }

    /// Writes the notes.
    pub(super) fn report(self, report: &mut Report) {
        for ((element, attribute), (place, count)) in self.0 {
            if attribute.is_empty() {
                report.note(
                    Severity::LeftOut,
                    &place,
                    format!("{count} <{element}>"),
                    "elements that are only seen",
                    "left out",
                );
                continue;
            }
            let (severity, done) = match attribute.as_str() {
                name if SOFT.contains(&name) => {
                    (Severity::Assumed, "left out: constraints and contacts are rigid")
                }
                name if SEEN.contains(&name) => (Severity::LeftOut, "left out"),
                _ => (Severity::Changed, "left out"),
            };
            let item = match count {
                1 => format!("<{element}>"),
                _ => format!("{count} <{element}>, the first"),
            };
            report.note(severity, &place, item, format!("the attribute {}", quoted(&attribute)), done);
        }
    }
}
