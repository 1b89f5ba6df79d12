//! Tendons. A fixed one is a sum of joint coordinates with factors; a spatial one runs through sites and becomes a cable.

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::{Cable, Tendon};
use crate::xml::Element;

use super::{Pulled, Reading};

const FIXED: [&str; 14] = [
    "name",
    "class",
    "group",
    "limited",
    "range",
    "actuatorfrclimited",
    "actuatorfrcrange",
    "frictionloss",
    "springlength",
    "stiffness",
    "damping",
    "armature",
    "user",
    "rgba",
];

impl Reading<'_> {
    pub(super) fn tendon(&mut self, element: &Element, report: &mut Report) {
        // defaults of both kinds stand in `<tendon>`
        let mut named = element.clone();
        named.name = "tendon".into();
        let mut resolved = self.classes.resolve(&named, None, report);
        resolved.name.clone_from(&element.name);
        let done = match element.name.as_str() {
            "fixed" => self.fixed(&resolved, &element.children, report),
            "spatial" => self.spatial(&resolved, &element.children, report),
            other => {
                let what = format!("<{other}> in <tendon>");
                return report.note(Severity::Changed, &element.place, element.item(), what, "left out");
            }
        };
        report.take(done);
    }

    fn fixed(&mut self, element: &Element, children: &[Element], report: &mut Report) -> Result<(), Fault> {
        let (mut terms, mut length) = (Vec::new(), 0.0);
        for part in children.iter().filter(|part| part.name == "joint") {
            let joint = self.joint_named(part, "joint")?;
            let factor = part.number("coef")?.ok_or_else(|| part.fault("`coef` is missing"))?;
            if !joint.kind.scalar() {
                return Err(part.fault("a tendon needs hinges and slides"));
            }
            length += factor * joint.reference;
            if factor != 0.0 {
                terms.push((joint.number, 0, factor));
            }
        }
        let name = element
            .attribute("name")
            .map_or_else(|| format!("tendon{}", self.robot.tendons.len() + 1), str::to_owned);
        if terms.is_empty() {
            return Err(element.fault("a fixed tendon needs a joint"));
        }
        self.unread.attributes(element, &FIXED);
        let rest = rest(element, length)?;
        self.limits_note(element, report);
        self.pulled.insert(name.clone(), Pulled::Fixed(self.robot.tendons.len()));
        let first = |name: &str| {
            Ok::<f64, Fault>(element.numbers(name)?.and_then(|list| list.first().copied()).unwrap_or(0.0))
        };
        self.robot.tendons.push(Tendon {
            name,
            place: element.place.clone(),
            terms,
            length,
            stiffness: first("stiffness")?,
            damping: first("damping")?,
            rest: rest.unwrap_or([length; 2]),
            drives: Vec::new(),
        });
        Ok(())
    }

    /// What of a tendon is left out.
    fn limits_note(&mut self, element: &Element, report: &mut Report) {
        let mut leave =
            |what: &str| report.note(Severity::Changed, &element.place, element.item(), what, "left out");
        let limited = match element.attribute("limited") {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.autolimits && element.attribute("range").is_some(),
        };
        if limited {
            leave("limits of the length of a tendon");
        }
        for name in ["frictionloss", "armature", "actuatorfrcrange"] {
            if element.numbers(name).ok().flatten().is_some_and(|list| list.iter().any(|x| *x != 0.0)) {
                leave(&format!("{name} of a tendon"));
            }
        }
    }

    fn spatial(&mut self, element: &Element, children: &[Element], report: &mut Report) -> Result<(), Fault> {
        let mut through = Vec::new();
        for part in children {
            match part.name.as_str() {
                "site" => {
                    let (link, at) = self.site_named(part, "site")?;
                    through.push((part.required("site")?.to_owned(), link, at));
                }
                other => {
                    let what = format!("a tendon with <{other}>");
                    report.note(
                        Severity::Changed,
                        &element.place,
                        element.item(),
                        what,
                        "left out with all that acts on it",
                    );
                    return Ok(());
                }
            }
        }
        if through.len() < 2 {
            return Err(element.fault("a tendon needs two sites"));
        }
        self.unread.attributes(element, &FIXED);
        self.limits_note(element, report);
        let first = |name: &str| {
            Ok::<f64, Fault>(element.numbers(name)?.and_then(|list| list.first().copied()).unwrap_or(0.0))
        };
        let (stiffness, damping) = (first("stiffness")?, first("damping")?);
        let drawn: f64 = through.windows(2).map(|pair| (pair[1].2 - pair[0].2).norm()).sum();
        let [low, high] = rest(element, drawn)?.unwrap_or([drawn; 2]);
        let name = element
            .attribute("name")
            .map_or_else(|| format!("cable{}", self.robot.cables.len() + 1), str::to_owned);
        if low != high && low != 0.0 {
            let what = "a springlength with two bounds";
            report.note(
                Severity::Changed,
                &element.place,
                element.item(),
                what,
                "a cable that pulls beyond the upper one",
            );
        }
        self.pulled.insert(name.clone(), Pulled::Spatial(self.robot.cables.len()));
        self.robot.cables.push(Cable {
            name,
            place: element.place.clone(),
            through,
            stiffness,
            damping,
            free_length: high,
            tension_only: low != high,
            drives: Vec::new(),
        });
        Ok(())
    }

    /// Cables along which nothing acts, once all actuators are known.
    pub(super) fn drop_idle_cables(&mut self, report: &mut Report) {
        self.robot.cables.retain(|cable| {
            let acts = cable.stiffness != 0.0 || cable.damping != 0.0 || !cable.drives.is_empty();
            if !acts {
                let item = format!("spatial {}", crate::xml::quoted(&cable.name));
                let what = "a tendon without stiffness, damping and actuators";
                report.note(Severity::LeftOut, &cable.place, item, what, "left out: nothing acts along it");
            }
            acts
        });
    }
}

/// `springlength`: where a spring begins to pull and to push; `None`: at the length of the drawn pose.
fn rest(element: &Element, drawn: f64) -> Result<Option<[f64; 2]>, Fault> {
    Ok(match element.numbers("springlength")?.as_deref() {
        None | Some([]) => None,
        Some([one]) if *one < 0.0 => Some([drawn; 2]),
        Some([one]) => Some([*one; 2]),
        Some([low, high, ..]) if *low < 0.0 && *high < 0.0 => Some([drawn; 2]),
        Some([low, high, ..]) => Some([*low, *high]),
    })
}
