//! Sensors of joints, tendons, actuators, points and frames; the others are listed.

use nalgebra::Vector3;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{End, Kinematic, Quantity, Sensor};
use crate::xml::{Element, quoted};

use super::{Pulled, Reading};

impl Reading<'_> {
    pub(super) fn sensor(&mut self, element: &Element, report: &mut Report) {
        let Some(quantities) = report.take(self.quantities(element)) else { return };
        if quantities.is_empty() {
            let what = format!("a sensor of kind {}", quoted(&element.name));
            return report.note(Severity::LeftOut, &element.place, element.item(), what, "left out");
        }
        for name in ["noise", "cutoff", "delay", "interp"] {
            if element.numbers(name).ok().flatten().is_some_and(|list| list.iter().any(|x| *x != 0.0)) {
                let what = format!("{name} of a sensor");
                report.note(Severity::LeftOut, &element.place, element.item(), what, "left out");
            }
        }
        let base = element.attribute("name").map_or_else(|| self.plain_name(element), str::to_owned);
        let count = quantities.len();
        for (quantity, axis) in quantities.into_iter().zip(["x", "y", "z"]) {
            let name = if count == 1 { base.clone() } else { format!("{base}_{axis}") };
            self.robot.sensors.push(Sensor { name, place: element.place.clone(), quantity });
        }
    }

    /// A name of kind and object, for a sensor that has none.
    fn plain_name(&self, element: &Element) -> String {
        let of = ["joint", "actuator", "tendon", "objname", "site"]
            .iter()
            .find_map(|name| element.attribute(name));
        format!("{}_{}", element.name, of.unwrap_or("sensor"))
    }

    /// What a sensor measures: one quantity, or three components; none if it is not to be had.
    fn quantities(&self, element: &Element) -> Result<Vec<Quantity>, Fault> {
        let kind = element.name.as_str();
        Ok(match kind {
            "clock" => vec![Quantity::Time],
            "jointpos" | "jointvel" => {
                let joint = self.joint_named(element, "joint")?;
                match kind {
                    _ if !joint.kind.scalar() => Vec::new(),
                    "jointpos" => vec![Quantity::Coordinate {
                        joint: joint.number,
                        coordinate: 0,
                        offset: joint.reference,
                    }],
                    _ => vec![Quantity::Rate { joint: joint.number, coordinate: 0 }],
                }
            }
            "tendonpos" | "tendonvel" => match self.pulled.get(element.required("tendon")?) {
                Some(Pulled::Fixed(tendon)) => {
                    vec![Quantity::Tendon { tendon: *tendon, rate: kind == "tendonvel" }]
                }
                _ => Vec::new(),
            },
            "actuatorfrc" | "actuatorpos" | "actuatorvel" => {
                let Some((actuator, gear)) = self.actuators.get(element.required("actuator")?).copied()
                else {
                    return Ok(Vec::new());
                };
                let reference =
                    self.order.iter().find(|info| info.number == self.robot.actuators[actuator].joint);
                let drawn = gear * reference.map_or(0.0, |info| info.reference);
                vec![match kind {
                    "actuatorfrc" => Quantity::ActuatorForce { actuator, gear },
                    "actuatorpos" => Quantity::ActuatorLength { actuator, gear, offset: Some(drawn) },
                    _ => Quantity::ActuatorLength { actuator, gear, offset: None },
                }]
            }
            "gyro" => self.along_site(element, Kinematic::AngularVelocity)?,
            "velocimeter" => self.along_site(element, Kinematic::Velocity)?,
            "accelerometer" => self.along_site(element, Kinematic::Acceleration)?,
            "framepos" | "framelinvel" | "framelinacc" | "frameangvel"
                if element.attribute("reftype").is_none() =>
            {
                let Some((link, pose)) = self.object(element)? else { return Ok(Vec::new()) };
                let what = match kind {
                    "framepos" => Kinematic::Position,
                    "framelinvel" => Kinematic::Velocity,
                    "framelinacc" => Kinematic::Acceleration,
                    _ => Kinematic::AngularVelocity,
                };
                (0..3).map(|component| Quantity::Point { what, link, at: pose.origin, component }).collect()
            }
            "framexaxis" | "frameyaxis" | "framezaxis" if element.attribute("reftype").is_none() => {
                let Some((link, pose)) = self.object(element)? else { return Ok(Vec::new()) };
                let k = usize::from(kind.as_bytes()[5] - b'x');
                let axis: Vector3<f64> = pose.rotation.column(k).into_owned();
                (0..3)
                    .map(|component| Quantity::Direction { link, at: pose.origin, axis, component })
                    .collect()
            }
            _ => Vec::new(),
        })
    }

    /// Along the axes of a site; none of a site that stands still.
    fn along_site(&self, element: &Element, what: Kinematic) -> Result<Vec<Quantity>, Fault> {
        let name = element.required("site")?;
        let (link, local) = self
            .sites
            .get(name)
            .ok_or_else(|| element.fault(format!("there is no site {}", quoted(name))))?;
        let Some(link) = self.moving(*link) else { return Ok(Vec::new()) };
        let pose = self.pose(Some(link)).then(local);
        let along =
            |k| Quantity::Along { what, link, at: pose.origin, axis: pose.rotation.column(k).into_owned() };
        Ok((0..3).map(along).collect())
    }

    /// The link of an object and its frame at the zero pose; `None` of what stands still, or is of another kind.
    fn object(&self, element: &Element) -> Result<Option<(usize, Pose)>, Fault> {
        let name = element.required("objname")?;
        let found = match element.required("objtype")? {
            "site" => self.sites.get(name).copied(),
            "geom" => self.geoms.get(name).copied(),
            "xbody" => self.bodies.get(name).map(|link| (*link, Pose::identity())),
            "body" => self.bodies.get(name).map(|link| {
                let com = link.map_or_else(Vector3::zeros, |link| self.robot.links[link].com);
                (*link, Pose::at(com))
            }),
            _ => return Ok(None),
        };
        let (link, local) =
            found.ok_or_else(|| element.fault(format!("there is no such {}", quoted(name))))?;
        Ok(self.moving(link).map(|link| (link, self.pose(Some(link)).then(&local))))
    }

    fn moving(&self, link: End) -> End {
        link.filter(|link| !self.robot.links[*link].fixed)
    }
}
