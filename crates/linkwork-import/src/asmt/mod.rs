//! ASMT, the assemblies of FreeCAD's solver (OndselSolver): parts with markers, joints between pairs of markers, motions, masses.
//!
//! A marker is a frame on a part, or on the assembly, which stands still. A joint I–J demands something of the frames of its markers: a revolute one that their
//! origins coincide and their z axes are parallel. Motions prescribe by how far J is turned or moved against I about or along its z axis, counted from where x of both
//! coincide; coordinates here count from the drawn pose, so that the drawn angle is taken off.
//!
//! The file has no units: FreeCAD writes millimetres, others metres. `--unit` says which.

mod joints;
mod motions;
mod parts;
mod tree;

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::fault::{Fault, Place};
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{End, Robot, too_many};
use crate::{Base, Context};

use tree::Node;

/// A frame on a part or on the assembly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Marker {
    link: End,
    /// In the world, as drawn.
    pose: Pose,
}

/// The assembly while it is read.
struct Reading<'a> {
    robot: Robot,
    /// Metres of a unit of length.
    unit: f64,
    /// By their full names.
    markers: HashMap<String, Marker>,
    /// What a joint of the file has become, by its full name.
    joints: HashMap<String, joints::Made>,
    /// The assembly's name.
    name: &'a str,
}

/// What stands in an assembly without being part of the motion, or is read elsewhere.
const SILENT: [&str; 14] = [
    "Notes",
    "Name",
    "Position3D",
    "RotationMatrix",
    "Velocity3D",
    "Omega3D",
    "RefPoints",
    "Parts",
    "KinematicIJs",
    "ConstraintSets",
    "ConstantGravity",
    "SimulationParameters",
    "AnimationParameters",
    "FeatureOrder",
];

/// Reads a text of indented lines.
pub(crate) fn read(text: &str, context: &Context<'_>, report: &mut Report) -> Option<Robot> {
    let tops = report.take(tree::parse(&context.file, text))?;
    let Some(assembly) = tops.iter().find(|node| node.text == "Assembly") else {
        let message = "neither XML nor an ASMT file: there is no line `Assembly`";
        report.fault(Fault::new(Place::whole(&context.file), "", message));
        return None;
    };
    let name = report.take(assembly.name())?;
    let unit = context.options.length_unit.unwrap_or(1.0);
    let robot = Robot::new(name.to_owned(), "ASMT".into(), assembly.place.clone());
    let mut reading = Reading { robot, unit, markers: HashMap::new(), joints: HashMap::new(), name };
    reading.assembly(assembly, context.options.base, report);
    report.faults.is_empty().then_some(reading.robot)
}

impl Reading<'_> {
    fn assembly(&mut self, assembly: &Node, base: Option<Base>, report: &mut Report) {
        let Some(frame) = report.take(assembly.pose(self.unit)) else { return };
        let whole = format!("/{}", self.name);
        self.ref_points(assembly, &whole, None, &frame, report);
        let parts: Vec<&Node> =
            assembly.child("Parts").map(|parts| parts.children.iter().collect()).unwrap_or_default();
        let sets = assembly.child("ConstraintSets");
        let listed = |name: &str| {
            sets.and_then(|sets| sets.child(name)).map(|list| list.children.as_slice()).unwrap_or_default()
        };
        if let Some(fault) = too_many(&assembly.place, parts.len(), listed("Joints").len()) {
            return report.fault(fault);
        }
        for part in parts {
            let read = self.part(part, &whole, &frame, report);
            report.take(read);
        }
        if self.robot.links.is_empty() {
            return report.fault(assembly.fault("the assembly has no parts"));
        }
        if !report.faults.is_empty() {
            return;
        }
        if base == Some(Base::Fixed) {
            self.robot.links[0].fixed = true;
        }
        // gears and the like speak of the joints of their parts
        let (relations, plain): (Vec<&Node>, Vec<&Node>) =
            listed("Joints").iter().partition(|joint| joints::is_relation(&joint.text));
        for joint in plain.into_iter().chain(relations) {
            let read = self.joint(joint, &whole, report);
            report.take(read);
        }
        for motion in listed("Motions") {
            let read = self.motion(motion, &whole, report);
            report.take(read);
        }
        for limit in listed("Limits") {
            let read = self.limit(limit, report);
            report.take(read);
        }
        self.gravity(assembly, &frame, report);
        self.duration(assembly, report);
        for child in &assembly.children {
            let empty = child.children.is_empty();
            if !SILENT.contains(&child.text.as_str()) && !empty {
                let severity =
                    if child.text.starts_with("Force") { Severity::Changed } else { Severity::LeftOut };
                report.note(severity, &child.place, "the assembly", format!("`{}`", child.text), "left out");
            }
        }
        for list in sets.iter().flat_map(|sets| &sets.children) {
            if list.text == "GeneralConstraintSets" && !list.children.is_empty() {
                report.note(
                    Severity::Changed,
                    &list.place,
                    "the assembly",
                    "general constraints",
                    "left out",
                );
            }
        }
    }

    fn gravity(&mut self, assembly: &Node, frame: &Pose, report: &mut Report) {
        let given = assembly.child("ConstantGravity").and_then(|node| node.children.first());
        let list: Option<Vec<f64>> = given.map(|line| {
            line.text.split_whitespace().filter_map(|word| crate::xml::number(word).ok()).collect()
        });
        let gravity = match list.as_deref() {
            Some([x, y, z]) => frame.direction(Vector3::new(*x, *y, *z)) * self.unit,
            None => Vector3::zeros(),
            Some(_) => return report.fault(assembly.fault("`ConstantGravity` needs three numbers")),
        };
        if gravity == Vector3::zeros() {
            report.note(
                Severity::Assumed,
                &assembly.place,
                "the assembly",
                "no gravity",
                "none: set `gravity` under [model] to have some",
            );
        }
        self.robot.gravity = gravity;
    }

    /// How long a motion lasts, and how often it is written.
    fn duration(&mut self, assembly: &Node, report: &mut Report) {
        let Some(parameters) = assembly.child("SimulationParameters") else { return };
        let number = |name: &str, report: &mut Report| report.take(parameters.number(name)).flatten();
        let (start, end, step) =
            (number("tstart", report).unwrap_or(0.0), number("tend", report), number("hout", report));
        if start != 0.0 {
            let what = format!("a simulation that begins at {start} s");
            report.note(Severity::Changed, &parameters.place, "the assembly", what, "it begins at 0");
        }
        if let Some(duration) = end.map(|end| end - start).filter(|duration| *duration > 0.0) {
            self.robot.duration =
                Some([duration, step.filter(|step| *step > 0.0).unwrap_or(duration / 100.0)]);
        }
    }
}
