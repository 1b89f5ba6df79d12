//! Motions that are prescribed, and limits.

use linkwork::model::Formula;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::Driver;
use crate::xml::quoted;

use super::Reading;
use super::joints::Made;
use super::tree::Node;

impl Reading<'_> {
    /// What a motion or a limit speaks of: a joint of the file.
    fn moved(&self, element: &Node) -> Result<Made, Fault> {
        let name = element.value("MotionJoint").ok_or_else(|| element.fault("it has no `MotionJoint`"))?;
        let found = self.joints.get(name).copied();
        found.ok_or_else(|| element.fault(format!("there is no joint {}", quoted(name))))
    }

    pub(super) fn motion(&mut self, element: &Node, above: &str, report: &mut Report) -> Result<(), Fault> {
        let leave = |what: &str, report: &mut Report| {
            report.note(Severity::Changed, &element.place, element.item(), what, "left out");
            Ok(())
        };
        let (key, unit) = match element.text.as_str() {
            "RotationalMotion" => ("RotationZ", 1.0),
            "TranslationalMotion" => ("TranslationZ", self.unit),
            "GeneralMotion" => return leave("a motion of all six coordinates", report),
            _ => return leave("a motion of this kind", report),
        };
        let made = self.moved(element)?;
        let Some((joint, coordinate, drawn)) = (if key == "RotationZ" { made.turn } else { made.path })
        else {
            return leave("a motion of a joint that has no such coordinate", report);
        };
        let Some(given) = element.value(key) else {
            return leave("a motion without a function that is written in the file", report);
        };
        let value = translated(given);
        let formula = Formula::parse(&value);
        let plain = formula.as_ref().is_ok_and(|formula| {
            formula.references().iter().all(|name| name.target.single() == Some("t"))
                && formula.tables().is_empty()
        });
        if !plain {
            return leave(&format!("the function {}, which cannot be read", quoted(given)), report);
        }
        let value = match unit == 1.0 {
            true => value,
            false => format!("{unit} * ({value})"),
        };
        let name = element.value("Name").unwrap_or(above).to_owned();
        self.robot.drivers.push(Driver {
            name,
            place: element.place.clone(),
            joint,
            coordinate,
            value,
            drawn,
        });
        Ok(())
    }

    /// `Type` is `=<` or `>=`, of a coordinate as motions count it.
    pub(super) fn limit(&mut self, element: &Node, report: &mut Report) -> Result<(), Fault> {
        let made = self.moved(element)?;
        let (of, unit) = match element.text.as_str() {
            "RotationLimit" => (made.turn, 1.0),
            "TranslationLimit" => (made.path, self.unit),
            _ => (None, 1.0),
        };
        let value =
            element.value("Limit").and_then(|text| Formula::parse(&translated(text)).ok()?.is_constant());
        let (Some((joint, coordinate, drawn)), Some(value)) = (of, value) else {
            report.note(
                Severity::Changed,
                &element.place,
                element.item(),
                "a limit that is no number, or of a joint without such a coordinate",
                "left out",
            );
            return Ok(());
        };
        let limits = &mut self.robot.joints[joint].coordinates[coordinate].limits;
        let bound = value * unit - drawn;
        match element.value("Type").unwrap_or("=<") {
            "=>" | ">=" => limits[0] = limits[0].max(bound),
            _ => limits[1] = limits[1].min(bound),
        }
        Ok(())
    }
}

/// A function of the solver in our words.
fn translated(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        out.push_str(match word.as_str() {
            "time" => "t",
            "arctan" => "atan",
            "arctan2" => "atan2",
            "arcsin" => "asin",
            "arccos" => "acos",
            other => other,
        });
        word.clear();
    };
    for c in text.chars() {
        match c.is_alphanumeric() || c == '_' {
            true => word.push(c),
            false => {
                flush(&mut word, &mut out);
                out.push(c);
            }
        }
    }
    flush(&mut word, &mut out);
    out
}
