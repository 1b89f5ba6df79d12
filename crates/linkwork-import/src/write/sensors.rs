//! What is measured, as measures of the model.
//!
//! A quantity along an axis e that is fixed in a body needs the axis as it is now. A point P and another one at P + h e, both of the body, tell it:
//!
//!   (S1)  e = (r_Q − r_P) / h

use std::fmt::Write;

use nalgebra::Vector3;

use super::Writer;
use super::text::{in_expression, key, neat, number, string};
use crate::notes::Severity;
use crate::robot::{Kinematic, Quantity};
use crate::xml::quoted;

/// How far the second point of an axis is from the first, m.
const ALONG: f64 = 0.1;

const AXES: [&str; 3] = ["x", "y", "z"];

impl Writer<'_> {
    /// Points at which sensors measure.
    pub(super) fn measured_points(&mut self) {
        for sensor in &self.robot.sensors {
            match &sensor.quantity {
                Quantity::Point { what, link, at, .. } if *what != Kinematic::AngularVelocity => {
                    self.site(*link, *at, &sensor.name);
                }
                Quantity::Along { link, at, axis, .. } | Quantity::Direction { link, at, axis, .. } => {
                    self.site(*link, *at, &sensor.name);
                    let wanted = self.site_name(*link, *at).cloned().unwrap_or_else(|| sensor.name.clone());
                    let nearest = axis.iamax();
                    self.site(*link, at + axis * ALONG, &format!("{wanted}_{}", AXES[nearest]));
                }
                _ => {}
            }
        }
    }

    /// Whether a sensor reads a tendon.
    pub(super) fn reads_tendon(&self, number: usize) -> bool {
        self.robot
            .sensors
            .iter()
            .any(|sensor| matches!(sensor.quantity, Quantity::Tendon { tendon, .. } if tendon == number))
    }

    pub(super) fn sensors(&mut self) {
        let mut entries = std::mem::take(&mut self.tendon_measures);
        for sensor in &self.robot.sensors {
            match self.expression(&sensor.quantity) {
                Some(value) => {
                    let name = self.measures.take(&sensor.name);
                    entries.push([key(&name), string(&value), self.place(&sensor.place)]);
                }
                None => self.report.note(
                    Severity::LeftOut,
                    &sensor.place,
                    format!("sensor {}", quoted(&sensor.name)),
                    "a sensor of the ground",
                    "left out",
                ),
            }
        }
        self.section("measures", entries);
    }

    fn expression(&self, quantity: &Quantity) -> Option<String> {
        let nth = |n: usize| if n == 0 { String::new() } else { (n + 1).to_string() };
        let joint = |n: usize| in_expression(&self.joints[n]);
        let coordinate = |j: usize, letter: char, c: usize| format!("joint.{}.{letter}{}", joint(j), nth(c));
        let plus = |text: String, offset: f64| match neat(offset, super::NOISE).as_str() {
            "0" => text,
            offset => match offset.strip_prefix('-') {
                Some(size) => format!("{text} - {size}"),
                None => format!("{text} + {offset}"),
            },
        };
        let times = |factor: f64, text: String| {
            if factor == 1.0 { text } else { format!("{} * {text}", number(factor)) }
        };
        Some(match quantity {
            Quantity::Time => "t".into(),
            Quantity::Coordinate { joint: j, coordinate: c, offset } => {
                plus(coordinate(*j, 'q', *c), *offset)
            }
            Quantity::Rate { joint: j, coordinate: c } => coordinate(*j, 'v', *c),
            Quantity::Point { what, link, at, component } => self.component(*what, *link, *at, *component)?,
            Quantity::Along { what, link, at, axis } => {
                let axis = self.axis_now(*link, *at, *axis)?;
                let mut sum = String::new();
                for (k, along) in axis.iter().enumerate() {
                    let mut part = self.component(*what, *link, *at, k)?;
                    let gravity = self.robot.gravity[k];
                    if *what == Kinematic::Acceleration && gravity != 0.0 {
                        part = format!("({})", plus(part, -gravity));
                    }
                    let _ = write!(sum, "{}{part} * {along}", if sum.is_empty() { "" } else { " + " });
                }
                format!("{} * ({sum})", number(1.0 / ALONG))
            }
            Quantity::Direction { link, at, axis, component } => {
                format!("{} * {}", number(1.0 / ALONG), self.axis_now(*link, *at, *axis)?[*component % 3])
            }
            Quantity::ActuatorForce { actuator, gear } => {
                let own = self.robot.actuators.get(*actuator)?;
                let word = self.force_word(own.joint, own.coordinate);
                times(1.0 / gear, format!("actuator.{}.{word}", in_expression(&self.actuators[*actuator])))
            }
            Quantity::ActuatorLength { actuator, gear, offset } => {
                let own = self.robot.actuators.get(*actuator)?;
                let letter = if offset.is_some() { 'q' } else { 'v' };
                plus(times(*gear, coordinate(own.joint, letter, own.coordinate)), offset.unwrap_or(0.0))
            }
            Quantity::Tendon { tendon, rate } => in_expression(&self.tendons[*tendon][usize::from(*rate)]),
            Quantity::Reaction { joint: j, component } => {
                let word = if *component < 3 { "force" } else { "moment" };
                format!("joint.{}.{word}.{}", joint(*j), AXES[component % 3])
            }
        })
    }

    /// A component of what a point of a link does, world axes; `None` on the ground.
    fn component(&self, what: Kinematic, link: usize, at: Vector3<f64>, k: usize) -> Option<String> {
        let axis = AXES[k % 3];
        if self.robot.links[link].fixed {
            return None;
        }
        if what == Kinematic::AngularVelocity {
            return Some(format!("body.{}.w{axis}", in_expression(&self.bodies[link])));
        }
        let letter = match what {
            Kinematic::Velocity => "v",
            Kinematic::Acceleration => "a",
            _ => "",
        };
        let point = self.site_name(link, at)?;
        Some(format!("point.{}.{letter}{axis}", in_expression(point)))
    }

    /// (S1), times h: the components of an axis as it is now.
    fn axis_now(&self, link: usize, at: Vector3<f64>, axis: Vector3<f64>) -> Option<[String; 3]> {
        let [from, to] = [at, at + axis * ALONG].map(|place| self.site_name(link, place));
        let [from, to] = [in_expression(from?), in_expression(to?)];
        Some(AXES.map(|axis| format!("(point.{to}.{axis} - point.{from}.{axis})")))
    }
}
