//! Equality constraints: loops. They are rigid here; what softens them in MuJoCo is left out.

use nalgebra::Vector3;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Coupling, End, Joint, JointKind};
use crate::xml::Element;

use super::{Pulled, Reading};

const KNOWN: [&str; 20] = [
    "name",
    "class",
    "active",
    "solref",
    "solimp",
    "body1",
    "body2",
    "anchor",
    "site1",
    "site2",
    "relpose",
    "torquescale",
    "joint1",
    "joint2",
    "polycoef",
    "tendon1",
    "tendon2",
    "data",
    "geom1",
    "geom2",
];

/// How far the poses of a weld may be apart and still be the drawn ones, m and rad: the digits of a file.
const DRAWN: f64 = 1e-6;

impl Reading<'_> {
    pub(super) fn equality(&mut self, element: &Element, report: &mut Report) {
        let mut named = element.clone();
        named.name = "equality".into();
        let mut resolved = self.classes.resolve(&named, None, report);
        resolved.name.clone_from(&element.name);
        let element = &resolved;
        let item = element.item();
        if report.take(element.flag("active")) == Some(Some(false)) {
            return report.note(
                Severity::Changed,
                &element.place,
                item,
                "an equality that is not active",
                "left out",
            );
        }
        let done = match element.name.as_str() {
            "connect" => self.connect(element),
            "weld" => self.weld(element, report),
            "joint" => self.joints(element, report),
            "tendon" => self.tendon_equality(element, report),
            other => {
                let what = match other {
                    "distance" => "a distance of geoms, which MuJoCo itself removed".to_owned(),
                    other => format!("<{other}> in <equality>"),
                };
                return report.note(Severity::Changed, &element.place, item, what, "left out");
            }
        };
        self.unread.attributes(element, &KNOWN);
        if report.take(done).is_some() {
            let what = "an equality that gives way (solref, solimp)";
            report.note(Severity::Assumed, &element.place, item, what, "a rigid constraint");
        }
    }

    /// Closes a loop.
    fn close(&mut self, element: &Element, kind: JointKind, ends: [End; 2], places: [Vector3<f64>; 2]) {
        let word = &element.name;
        let name = match element.attribute("name") {
            Some(name) => name.to_owned(),
            None => {
                let called = |end: End| end.map_or("world", |link| self.robot.links[link].name.as_str());
                format!("{word}_{}_{}", called(ends[0]), called(ends[1]))
            }
        };
        self.robot.joints.push(Joint {
            name,
            place: element.place.clone(),
            kind,
            first: ends[0],
            second: ends[1],
            origin: places[0],
            origin_on_second: Some(places[1]).filter(|second| (second - places[0]).amax() > 0.0),
            axis: Vector3::z(),
            keep: true,
            coordinates: Vec::new(),
        });
    }

    /// The bodies of `body1` and `body2`, the world if `body2` is left out.
    fn two_bodies(&self, element: &Element) -> Result<[End; 2], Fault> {
        let second = match element.attribute("body2") {
            Some(_) => self.body_named(element, "body2")?,
            None => None,
        };
        Ok([self.body_named(element, "body1")?, second])
    }

    /// A point of one body stays on a point of the other: by an anchor in the first body's frame, or by two sites.
    fn connect(&mut self, element: &Element) -> Result<(), Fault> {
        if element.attribute("site1").is_some() || element.attribute("site2").is_some() {
            let ((a, at_a), (b, at_b)) =
                (self.site_named(element, "site1")?, self.site_named(element, "site2")?);
            self.close(element, JointKind::Spherical, [a, b], [at_a, at_b]);
            return Ok(());
        }
        let ends = self.two_bodies(element)?;
        let anchor = element
            .vector("anchor")?
            .ok_or_else(|| element.fault("`anchor` or `site1` and `site2` are missing"))?;
        let at = self.pose(ends[0]).point(anchor);
        self.close(element, JointKind::Spherical, ends, [at, at]);
        Ok(())
    }

    /// Two bodies keep their relative pose: the drawn one, or `relpose`.
    fn weld(&mut self, element: &Element, report: &mut Report) -> Result<(), Fault> {
        let (ends, frames) =
            match element.attribute("site1").is_some() || element.attribute("site2").is_some() {
                true => {
                    let site = |name: &str| {
                        let wanted = element.required(name)?;
                        let found = self.sites.get(wanted).copied();
                        found.ok_or_else(|| {
                            element.fault(format!("there is no site {}", crate::xml::quoted(wanted)))
                        })
                    };
                    let ((a, in_a), (b, in_b)) = (site("site1")?, site("site2")?);
                    ([a, b], [self.pose(a).then(&in_a), self.pose(b).then(&in_b)])
                }
                false => {
                    let ends = self.two_bodies(element)?;
                    let [one, two] = ends.map(|end| self.pose(end));
                    let anchor = element.vector("anchor")?.unwrap_or_default(); // in the frame of the second body
                    let wanted = match element.array::<7>("relpose")? {
                        Some([x, y, z, w, a, b, c]) if [w, a, b, c] != [0.0; 4] => {
                            let relative = Pose::from_quaternion(Vector3::new(x, y, z), [w, a, b, c])
                                .ok_or_else(|| element.fault("the quaternion of `relpose` has no length"))?;
                            one.then(&relative)
                        }
                        _ => two,
                    };
                    let there = Pose::at(anchor);
                    (ends, [wanted.then(&there), two.then(&there)])
                }
            };
        if ends[0] == ends[1] {
            return Err(element.fault("both bodies are the same"));
        }
        if (frames[0].rotation - frames[1].rotation).norm() > DRAWN {
            let what = "a weld that turns bodies out of the drawn pose";
            report.note(
                Severity::Changed,
                &element.place,
                element.item(),
                what,
                "they keep the drawn orientation",
            );
        }
        let places = match (frames[0].origin - frames[1].origin).norm() > DRAWN {
            true => frames.map(|frame| frame.origin),
            false => [frames[1].origin; 2],
        };
        self.close(element, JointKind::Fixed, ends, places);
        Ok(())
    }

    /// q₁ = a₀ + a₁ q₂ + …, both counted from the drawn pose.
    fn joints(&mut self, element: &Element, report: &mut Report) -> Result<(), Fault> {
        let first = self.joint_named(element, "joint1")?;
        let second = element.attribute("joint2").map(|_| self.joint_named(element, "joint2")).transpose()?;
        if !first.kind.scalar() || second.is_some_and(|second| !second.kind.scalar()) {
            return Err(element.fault("the joints must be hinges or slides"));
        }
        let factor = self.slope(element, second.is_some(), report)?;
        let Some(second) = second.filter(|_| factor != 0.0) else {
            return self.hold(element, first.number, report);
        };
        let terms = vec![(first.number, 0, 1.0), (second.number, 0, -factor)];
        self.couple(element, terms);
        Ok(())
    }

    /// A joint that does not move becomes a fixed one.
    fn hold(&mut self, element: &Element, joint: usize, report: &mut Report) -> Result<(), Fault> {
        let joint = &mut self.robot.joints[joint];
        if !joint.coordinates.is_empty() {
            joint.coordinates[0].limits = [f64::NEG_INFINITY, f64::INFINITY];
        }
        joint.kind = JointKind::Fixed;
        report.note(
            Severity::Equivalent,
            &element.place,
            element.item(),
            "a joint that is held",
            "a fixed joint",
        );
        Ok(())
    }

    /// a₁ of `polycoef`; the others are noted.
    fn slope(&self, element: &Element, linear: bool, report: &mut Report) -> Result<f64, Fault> {
        let mut factors = [0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(given) = element.numbers("polycoef")? {
            factors.iter_mut().zip(given).for_each(|(old, new)| *old = new);
        }
        let mut changed = |what: &str, done: &str| {
            report.note(Severity::Changed, &element.place, element.item(), what, done)
        };
        if factors[0] != 0.0 {
            changed(
                "a constant in `polycoef`",
                "left out: the coordinates keep the relation of the drawn pose",
            );
        }
        if linear && factors[2..].iter().any(|factor| *factor != 0.0) {
            changed("powers in `polycoef`", "left out: the linear part stays");
        }
        Ok(if linear { factors[1] } else { 0.0 })
    }

    fn couple(&mut self, element: &Element, terms: Vec<(usize, usize, f64)>) {
        let name = element.attribute("name").map_or_else(
            || terms.iter().map(|term| self.robot.joints[term.0].name.as_str()).collect::<Vec<_>>().join("_"),
            str::to_owned,
        );
        self.robot.couplings.push(Coupling { name, place: element.place.clone(), terms });
    }

    fn tendon_equality(&mut self, element: &Element, report: &mut Report) -> Result<(), Fault> {
        let tendon = |name: &str| match element.attribute(name).and_then(|tendon| self.pulled.get(tendon)) {
            Some(Pulled::Fixed(number)) => Some(*number),
            _ => None,
        };
        let (Some(first), second) = (tendon("tendon1"), tendon("tendon2")) else {
            let what = "an equality of a tendon that is left out";
            report.note(Severity::Changed, &element.place, element.item(), what, "left out");
            return Ok(());
        };
        if element.attribute("tendon2").is_some() && second.is_none() {
            let what = "an equality of a tendon that is left out";
            report.note(Severity::Changed, &element.place, element.item(), what, "left out");
            return Ok(());
        }
        let factor = self.slope(element, second.is_some(), report)?;
        let mut terms = self.robot.tendons[first].terms.clone();
        for term in second.iter().flat_map(|second| &self.robot.tendons[*second].terms) {
            match terms.iter_mut().find(|old| old.0 == term.0) {
                Some(old) => old.2 -= factor * term.2,
                None => terms.push((term.0, term.1, -factor * term.2)),
            }
        }
        terms.retain(|term| term.2 != 0.0);
        match terms.as_slice() {
            [] => Err(element.fault("the tendons hold nothing")),
            [(joint, ..)] => {
                let joint = *joint;
                self.hold(element, joint, report)
            }
            _ => {
                self.couple(element, terms);
                Ok(())
            }
        }
    }
}
