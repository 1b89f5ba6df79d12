//! Sensors of joints, points and actuators; the others are listed.

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::{Quantity, Sensor};
use crate::xml::{Element, quoted};

use super::Reading;

impl Reading<'_> {
    pub(super) fn sensor(&mut self, element: &Element, report: &mut Report) {
        match report.take(self.quantities(element)) {
            Some(quantities) if quantities.is_empty() => {
                let what = format!("a sensor of kind {}", quoted(&element.name));
                report.note(Severity::LeftOut, &element.place, element.item(), what, "left out");
            }
            Some(quantities) => {
                for name in ["noise", "cutoff", "delay", "interp"] {
                    if element.numbers(name).ok().flatten().is_some_and(|list| list.iter().any(|x| *x != 0.0))
                    {
                        report.note(
                            Severity::LeftOut,
                            &element.place,
                            element.item(),
                            format!("{name} of a sensor"),
                            "left out",
                        );
                    }
                }
                let base = element.attribute("name").map_or_else(|| self.plain_name(element), str::to_owned);
                let count = quantities.len();
                for (quantity, axis) in quantities.into_iter().zip(["x", "y", "z"]) {
                    let name = if count == 1 { base.clone() } else { format!("{base}_{axis}") };
                    self.robot.sensors.push(Sensor { name, place: element.place.clone(), quantity });
                }
            }
            None => {}
        }
        if let Some(joint) = element.attribute("joint").and_then(|name| self.joints.get(name))
            && element.name == "jointpos"
            && joint.reference != 0.0
        {
            let what = "a sensor of a joint with `ref`";
            report.note(
                Severity::Assumed,
                &element.place,
                element.item(),
                what,
                "it counts from the drawn pose",
            );
        }
    }

    /// A name of kind and object, for a sensor that has none.
    fn plain_name(&self, element: &Element) -> String {
        let of = ["joint", "actuator", "objname", "site"].iter().find_map(|name| element.attribute(name));
        format!("{}_{}", element.name, of.unwrap_or("sensor"))
    }

    /// What a sensor measures: one quantity, or three components; none if it is not to be had.
    fn quantities(&self, element: &Element) -> Result<Vec<Quantity>, Fault> {
        Ok(match element.name.as_str() {
            "jointpos" | "jointvel" => {
                let joint = self.joint_named(element, "joint")?;
                let (joint, scalar) = (joint.number, joint.kind.scalar());
                match element.name.as_str() {
                    _ if !scalar => Vec::new(),
                    "jointpos" => vec![Quantity::Coordinate { joint, coordinate: 0 }],
                    _ => vec![Quantity::Rate { joint, coordinate: 0 }],
                }
            }
            "actuatorfrc" => {
                let actuator = self.actuators.get(element.required("actuator")?);
                actuator.map(|actuator| Quantity::ActuatorForce { actuator: *actuator }).into_iter().collect()
            }
            "framepos" | "framelinvel" if element.attribute("reftype").is_none() => {
                let name = element.required("objname")?;
                let found = match element.required("objtype")? {
                    "site" => self.sites.get(name).map(|(link, pose)| (*link, pose.origin)),
                    "geom" => self.geoms.get(name).map(|(link, pose)| (*link, pose.origin)),
                    "xbody" => self.bodies.get(name).map(|link| (*link, Default::default())),
                    "body" => self.bodies.get(name).map(|link| {
                        (*link, link.map_or_else(Default::default, |link| self.robot.links[link].com))
                    }),
                    _ => return Ok(Vec::new()),
                };
                let (link, at) =
                    found.ok_or_else(|| element.fault(format!("there is no such {}", quoted(name))))?;
                let Some(link) = link else { return Ok(Vec::new()) };
                let at = self.pose(Some(link)).point(at);
                let quantity = |component| match element.name.as_str() {
                    "framepos" => Quantity::Position { link, at, component },
                    _ => Quantity::Velocity { link, at, component },
                };
                (0..3).map(quantity).collect()
            }
            _ => Vec::new(),
        })
    }
}
