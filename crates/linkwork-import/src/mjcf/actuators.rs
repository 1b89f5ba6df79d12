//! Actuators: force = gain · u + bias[0] + bias[1] · length + bias[2] · rate, along a joint or a fixed tendon, behind a gear.
//!
//! MuJoCo's shortcuts (`motor`, `position`, …) are settings of one general actuator, and its default classes have only that one; so each element sets the
//! fields that it names, from the outermost class to the actuator itself. With the gear g the length is L = g (q + ref), and along the coordinate q the force is g F:
//!
//!   (A1)  F = (k₀ + k₁ L + k₂ L̇) u + b₀ + b₁ L + b₂ L̇
//!
//! A `dampratio` ζ of a position servo is a damping for the inertia M of the drawn pose that hangs on the joint, armature included:
//!
//!   (A2)  b₂ = −2 ζ √(k₀ M / g²)
//!
//! Filters and integrators become states that follow the input.

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::{Activation, Actuator, Drive, TendonDrive};
use crate::xml::{Element, quoted};

use super::defaults::ACTUATORS;
use super::{Control, Pulled, Reading};

/// One general actuator.
#[derive(Clone, Debug)]
struct General {
    gear: f64,
    gain: [f64; 3],
    bias: [f64; 3],
    control: Option<[f64; 2]>,
    control_limited: Option<bool>,
    force: Option<[f64; 2]>,
    force_limited: Option<bool>,
    active: Option<[f64; 2]>,
    active_limited: Option<bool>,
    inherit_range: f64,
    damping_ratio: f64,
    /// Types of gain, bias and dynamics.
    gain_type: String,
    bias_type: String,
    dynamics: String,
    time: f64,
}

impl Default for General {
    fn default() -> Self {
        General {
            gear: 1.0,
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            control: None,
            control_limited: None,
            force: None,
            force_limited: None,
            active: None,
            active_limited: None,
            inherit_range: 0.0,
            damping_ratio: 0.0,
            gain_type: "fixed".into(),
            bias_type: "none".into(),
            dynamics: "none".into(),
            time: 1.0,
        }
    }
}

/// Attributes that are read.
const KNOWN: [&str; 40] = [
    "name",
    "class",
    "group",
    "nsample",
    "interp",
    "delay",
    "ctrllimited",
    "forcelimited",
    "ctrlrange",
    "forcerange",
    "actlimited",
    "actrange",
    "actdim",
    "actearly",
    "bias",
    "lengthrange",
    "gear",
    "joint",
    "jointinparent",
    "tendon",
    "site",
    "refsite",
    "body",
    "cranksite",
    "slidersite",
    "cranklength",
    "dyntype",
    "gaintype",
    "biastype",
    "dynprm",
    "gainprm",
    "biasprm",
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "inheritrange",
    "user",
    "area",
    "diameter",
];

/// The first so many numbers of an attribute, over what was there.
fn overlay(element: &Element, name: &str, into: &mut [f64]) -> Result<(), Fault> {
    if let Some(list) = element.numbers(name)? {
        into.iter_mut().zip(list).for_each(|(old, new)| *old = new);
    }
    Ok(())
}

/// `true`, `false`, or `auto` as `None`; what was there if left out.
fn limited(element: &Element, name: &str, old: Option<bool>) -> Result<Option<bool>, Fault> {
    match element.attribute(name) {
        Some("auto") => Ok(None),
        Some(_) => element.flag(name),
        None => Ok(old),
    }
}

impl General {
    fn apply(&mut self, element: &Element) -> Result<(), Fault> {
        overlay(element, "gear", std::slice::from_mut(&mut self.gear))?;
        self.control = element.array("ctrlrange")?.or(self.control);
        self.force = element.array("forcerange")?.or(self.force);
        self.control_limited = limited(element, "ctrllimited", self.control_limited)?;
        self.force_limited = limited(element, "forcelimited", self.force_limited)?;
        self.active = element.array("actrange")?.or(self.active);
        self.active_limited = limited(element, "actlimited", self.active_limited)?;
        let first = self.gain[0];
        match element.name.as_str() {
            "general" => {
                overlay(element, "gainprm", &mut self.gain)?;
                overlay(element, "biasprm", &mut self.bias)?;
                let word = |name: &str, old: &str| element.attribute(name).unwrap_or(old).to_owned();
                self.gain_type = word("gaintype", &self.gain_type);
                self.bias_type = word("biastype", &self.bias_type);
                self.dynamics = word("dyntype", &self.dynamics);
                overlay(element, "dynprm", std::slice::from_mut(&mut self.time))?;
            }
            "motor" => self.fixed(1.0, [0.0; 3]),
            "position" => {
                let kp = element.number("kp")?.unwrap_or(first);
                let kv = element.number("kv")?.unwrap_or(-self.bias[2]);
                self.fixed(kp, [0.0, -kp, -kv]);
                if let Some(time) = element.number("timeconst")?.filter(|time| *time > 0.0) {
                    (self.dynamics, self.time) = ("filterexact".into(), time);
                }
                self.inherit_range = element.number("inheritrange")?.unwrap_or(self.inherit_range);
            }
            "intvelocity" => {
                let kp = element.number("kp")?.unwrap_or(first);
                let kv = element.number("kv")?.unwrap_or(-self.bias[2]);
                self.fixed(kp, [0.0, -kp, -kv]);
                self.dynamics = "integrator".into();
                self.inherit_range = element.number("inheritrange")?.unwrap_or(self.inherit_range);
            }
            "velocity" => {
                let kv = element.number("kv")?.unwrap_or(first);
                self.fixed(kv, [0.0, 0.0, -kv]);
            }
            "damper" => {
                let kv = element.number("kv")?.unwrap_or(0.0);
                self.fixed(0.0, [0.0; 3]);
                self.gain = [0.0, 0.0, -kv];
                self.gain_type = "affine".into();
            }
            "cylinder" => {
                let diameter = element.number("diameter")?;
                let area = diameter
                    .map(|d| std::f64::consts::FRAC_PI_4 * d * d)
                    .or(element.number("area")?)
                    .unwrap_or(1.0);
                let mut bias = [0.0; 3];
                overlay(element, "bias", &mut bias)?;
                self.fixed(area, bias);
                (self.dynamics, self.time) = ("filter".into(), element.number("timeconst")?.unwrap_or(1.0));
            }
            other => self.gain_type = other.to_owned(),
        }
        self.damping_ratio = element.number("dampratio")?.unwrap_or(self.damping_ratio);
        Ok(())
    }

    fn fixed(&mut self, gain: f64, bias: [f64; 3]) {
        self.gain = [gain, 0.0, 0.0];
        self.bias = bias;
        self.gain_type = "fixed".into();
        self.bias_type = "affine".into();
        self.dynamics = "none".into();
    }
}

/// Whether a range limits: `None` means that it does if it is there.
fn range(limited: Option<bool>, autolimits: bool, range: Option<[f64; 2]>) -> Option<[f64; 2]> {
    range.filter(|range| limited.unwrap_or(autolimits && *range != [0.0, 0.0]))
}

impl Reading<'_> {
    pub(super) fn actuator(&mut self, element: &Element, report: &mut Report) {
        let mut chain = self.classes.actuator(element, report);
        if !ACTUATORS.contains(&element.name.as_str()) {
            return report.note(
                Severity::Changed,
                &element.place,
                element.item(),
                "an actuator of this kind",
                "left out",
            );
        }
        let mut general = General::default();
        for part in &chain {
            if report.take(general.apply(part)).is_none() {
                return;
            }
        }
        if let Some(own) = chain.pop() {
            self.unread.attributes(&own, &KNOWN);
        }
        self.controls.push(None);
        self.gears.push(general.gear);
        let actuator = self.general(element, general, report);
        if let Some(actuator) = report.take(actuator).flatten() {
            let number = self.robot.actuators.len();
            self.actuators.insert(actuator.name.clone(), (number, self.gears[self.gears.len() - 1]));
            if let Some(last) = self.controls.last_mut() {
                *last = Some(Control::Joint(number));
            }
            self.robot.actuators.push(actuator);
        }
    }

    /// The actuator as one of ours; one along a tendon is put there.
    fn general(
        &mut self,
        element: &Element,
        mut general: General,
        report: &mut Report,
    ) -> Result<Option<Actuator>, Fault> {
        let mut leave = |why: String, done: &str| {
            report.note(Severity::Changed, &element.place, element.item(), why, done);
        };
        match general.gain_type.as_str() {
            "fixed" => (general.gain[1], general.gain[2]) = (0.0, 0.0),
            "affine" => {}
            other => {
                leave(format!("an actuator of gain type {}", quoted(other)), "left out");
                return Ok(None);
            }
        }
        match general.bias_type.as_str() {
            "none" => general.bias = [0.0; 3],
            "affine" => {}
            other => {
                leave(format!("an actuator of bias type {}", quoted(other)), "left out");
                return Ok(None);
            }
        }
        let autolimits = self.compiler.autolimits;
        let time = general.time.max(LEAST_TIME);
        let within = |limits: Option<[f64; 2]>| limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let activation = match general.dynamics.as_str() {
            "none" => None,
            "filter" | "filterexact" => Some(Some(time)),
            "integrator" => Some(None),
            other => {
                leave(format!("activation dynamics {}", quoted(other)), "the actuator is left out");
                return Ok(None);
            }
        };
        let force_limits = within(range(general.force_limited, autolimits, general.force));
        if force_limits[0] > force_limits[1] {
            return Err(element.fault("`forcerange` is empty"));
        }
        let name = |fallback: &str| element.attribute("name").unwrap_or(fallback).to_owned();
        let g = general.gear;
        let mut drive = Drive {
            gain: general.gain,
            bias: general.bias,
            control_limits: within(range(general.control_limited, autolimits, general.control)),
            force_limits,
            ..Drive::default()
        };
        let mut active_limits = range(general.active_limited, autolimits, general.active);
        if let Some(tendon) = element.attribute("tendon") {
            let Some(&on) = self.pulled.get(tendon) else {
                leave("an actuator on a tendon that is left out".into(), "left out");
                return Ok(None);
            };
            if general.damping_ratio > 0.0 {
                leave("the setting `dampratio` on a tendon".into(), "left out");
            }
            drive.activation =
                activation.map(|time| Activation { time, limits: within(active_limits), initial: 0.0 });
            drive.behind(g, 0.0);
            let own = TendonDrive { name: name(tendon), place: element.place.clone(), drive };
            let drives = match on {
                Pulled::Fixed(number) => &mut self.robot.tendons[number].drives,
                Pulled::Spatial(number) => &mut self.robot.cables[number].drives,
            };
            drives.push(own);
            if let Some(last) = self.controls.last_mut() {
                *last = Some(Control::Tendon(on, drives.len() - 1));
            }
            return Ok(None);
        }
        let attribute = if element.attribute("jointinparent").is_some() { "jointinparent" } else { "joint" };
        if element.attribute(attribute).is_none() {
            leave("an actuator that acts on neither a joint nor a tendon".into(), "left out");
            return Ok(None);
        }
        let joint = self.joint_named(element, attribute)?;
        if !joint.kind.scalar() {
            leave("an actuator on a ball or free joint".into(), "left out");
            return Ok(None);
        }
        if general.inherit_range > 0.0 && general.control.is_none() {
            let [low, high] =
                joint.range.ok_or_else(|| element.fault("`inheritrange` needs a joint with a range"))?;
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low) * general.inherit_range);
            let inherited = [middle - half, middle + half];
            // what follows the input has the range where there is something
            match activation {
                Some(None) => active_limits = Some(inherited),
                _ => drive.control_limits = inherited,
            }
        }
        if general.damping_ratio > 0.0 {
            let inertia = self.hanging_inertia(joint.number);
            drive.bias[2] =
                -2.0 * general.damping_ratio * (general.gain[0].max(0.0) * inertia / (g * g)).sqrt(); // (A2)
        }
        drive.activation =
            activation.map(|time| Activation { time, limits: within(active_limits), initial: 0.0 });
        drive.behind(g, g * joint.reference);
        let in_joint = self.robot.joints[joint.number].kind.coordinates().first().copied();
        drive.unit = match (element.name.as_str(), in_joint) {
            ("motor", Some("rad")) if g == 1.0 => "N m",
            ("motor", Some("m")) if g == 1.0 => "N",
            _ => "",
        };
        Ok(Some(Actuator {
            name: name(&self.robot.joints[joint.number].name),
            place: element.place.clone(),
            joint: joint.number,
            coordinate: 0,
            drive,
        }))
    }
}

/// Shorter time constants are none in MuJoCo either, s.
const LEAST_TIME: f64 = 1e-15;

impl Drive {
    /// From (A1), along L = g q + `drawn`, to the coordinate q.
    fn behind(&mut self, g: f64, drawn: f64) {
        for factors in [&mut self.gain, &mut self.bias] {
            let [constant, by_length, by_rate] = *factors;
            *factors = [g * (constant + by_length * drawn), g * g * by_length, g * g * by_rate];
        }
        let [low, high] = self.force_limits.map(|limit| g * limit);
        self.force_limits = [low.min(high), low.max(high)];
    }
}
