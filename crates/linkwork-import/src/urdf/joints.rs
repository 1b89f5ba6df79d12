//! Joints, mimic joints, loops and transmissions.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::fault::{Fault, Place};
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Actuator, Coordinate, Coupling, Drive, Joint, JointKind, Robot};
use crate::xml::{Element, quoted};

/// A `<joint>` as it stands in the file.
pub(super) struct Given<'a> {
    element: &'a Element,
    name: &'a str,
    kind: JointKind,
    /// Numbers of the links.
    pub(super) parent: usize,
    pub(super) child: usize,
    /// The joint's frame in the parent's.
    pub(super) origin: Pose,
    /// Where the child is drawn in the joint's frame: the identity, but for a mimic joint with an offset.
    pub(super) offset: Pose,
    /// Unit vector in the joint's frame.
    axis: Vector3<f64>,
    coordinate: Coordinate,
    /// Most force or torque; infinite if none is given.
    effort: f64,
    mimic: Option<(&'a str, f64, f64)>,
}

/// How far apart the ends of a loop may be drawn and still count as one point, m.
const CLOSED: f64 = 1e-9;

/// All joints of the robot.
pub(super) fn joints<'a>(
    root: &'a Element,
    links: &HashMap<String, usize>,
    report: &mut Report,
) -> Vec<Given<'a>> {
    let mut names = std::collections::HashSet::new();
    let mut joints = Vec::new();
    for element in root.all("joint") {
        if let Some(joint) = report.take(joint(element, links)) {
            if !names.insert(joint.name) {
                report.fault(element.fault("another joint has this name"));
            }
            extras(element, report);
            joints.push(joint);
        }
    }
    // a joint that follows nothing is drawn at its own zero
    for joint in &mut joints {
        if let Some((leader, _, offset)) = joint.mimic.filter(|(leader, ..)| !names.contains(leader)) {
            let what = format!("it mimics {}, which is no joint", quoted(leader));
            report.note(
                Severity::Changed,
                &joint.element.place,
                joint.element.item(),
                what,
                "it moves freely",
            );
            joint.coordinate.limits = joint.coordinate.limits.map(|limit| limit + offset);
            (joint.mimic, joint.offset) = (None, Pose::identity());
        }
    }
    joints
}

/// The link that an element within a joint names.
fn link(joint: &Element, end: &str, links: &HashMap<String, usize>) -> Result<usize, Fault> {
    let element = joint.child(end).ok_or_else(|| joint.fault(format!("`<{end}>` is missing")))?;
    let name = element.required("link").map_err(|fault| Fault { item: joint.item(), ..fault })?;
    links.get(name).copied().ok_or_else(|| {
        Fault::new(element.place.clone(), joint.item(), format!("its {end} {} is no link", quoted(name)))
    })
}

/// A unit vector; `None` if it has no direction.
fn unit(v: Vector3<f64>) -> Option<Vector3<f64>> {
    // an axis that is given with unit length to rounding stays as it is
    let length = v.norm();
    if length < 1e-12 || !length.is_finite() {
        return None;
    }
    Some(if (length - 1.0).abs() < 1e-15 { v } else { v / length })
}

fn axis(element: &Element, child: &str) -> Result<Vector3<f64>, Fault> {
    let Some(axis) = element.child(child) else { return Ok(Vector3::x()) };
    let xyz = axis.vector("xyz").map_err(|fault| Fault { item: element.item(), ..fault })?;
    unit(xyz.unwrap_or(Vector3::x()))
        .ok_or_else(|| Fault::new(axis.place.clone(), element.item(), "the axis has no length"))
}

fn joint<'a>(element: &'a Element, links: &HashMap<String, usize>) -> Result<Given<'a>, Fault> {
    let named = |fault: Fault| Fault { item: element.item(), ..fault };
    let name = element.required("name")?;
    let word = element.required("type")?;
    let kind = match word {
        "revolute" | "continuous" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "fixed" => JointKind::Fixed,
        "floating" => JointKind::Floating,
        "planar" => JointKind::Planar,
        "ball" | "spherical" => JointKind::Spherical,
        other => return Err(element.fault(format!("{} is not a type of joint", quoted(other)))),
    };
    let parent = link(element, "parent", links)?;
    let child = link(element, "child", links)?;
    if parent == child {
        return Err(element.fault("a link is joined to itself"));
    }
    let axis = match kind.has_axis() {
        true => axis(element, "axis")?,
        false => Vector3::x(),
    };
    let mut coordinate = Coordinate::default();
    let mut effort = f64::INFINITY;
    if let Some(limit) = element.child("limit") {
        let stops = word != "continuous" && matches!(kind, JointKind::Revolute | JointKind::Prismatic);
        if stops {
            let [low, high] = [limit.number("lower").map_err(named)?, limit.number("upper").map_err(named)?];
            if let (Some(low), Some(high)) = (low, high)
                && low > high
            {
                return Err(Fault::new(
                    limit.place.clone(),
                    element.item(),
                    format!("the limits are {low} and {high}"),
                ));
            }
            // limits that are left out are zero by the specification; both left out are none
            if low.is_some() || high.is_some() {
                coordinate.limits = [low.unwrap_or(0.0), high.unwrap_or(0.0)];
            }
        }
        effort =
            limit.number("effort").map_err(named)?.filter(|effort| *effort > 0.0).unwrap_or(f64::INFINITY);
    }
    if let Some(dynamics) = element.child("dynamics") {
        let value = |name: &str| -> Result<f64, Fault> {
            let value = dynamics.number(name).map_err(named)?.unwrap_or(0.0);
            match value < 0.0 {
                true => {
                    Err(Fault::new(dynamics.place.clone(), element.item(), format!("`{name}` is {value}")))
                }
                false => Ok(value),
            }
        };
        coordinate.damping = value("damping")?;
        coordinate.friction = value("friction")?;
        coordinate.armature = value("armature")?;
    }
    let mut offset = Pose::identity();
    let mimic = match element.child("mimic") {
        None => None,
        Some(_) if kind.coordinates().len() != 1 => None, // noted in `extras`
        Some(mimic) => {
            let leader = mimic.required("joint").map_err(named)?;
            let factor = mimic.number("multiplier").map_err(named)?.unwrap_or(1.0);
            let at = mimic.number("offset").map_err(named)?.unwrap_or(0.0);
            match kind {
                JointKind::Prismatic => offset = Pose::at(axis * at),
                _ => offset = Pose::turn(axis, at),
            }
            if at != 0.0 {
                coordinate.limits = coordinate.limits.map(|limit| limit - at);
            } else {
                offset = Pose::identity();
            }
            Some((leader, factor, at))
        }
    };
    let origin = super::origin(element).map_err(named)?;
    Ok(Given { element, name, kind, parent, child, origin, offset, axis, coordinate, effort, mimic })
}

/// What a joint has that does not become part of the model.
fn extras(element: &Element, report: &mut Report) {
    for child in &element.children {
        let (severity, done) = match child.name.as_str() {
            "safety_controller" => (Severity::LeftOut, "a matter of the controller; left out"),
            "calibration" | "hardwareInterface" => (Severity::LeftOut, "left out"),
            "origin" | "parent" | "child" | "axis" | "limit" | "dynamics" | "mimic" => continue,
            _ => (Severity::LeftOut, "unknown; left out"),
        };
        report.note(severity, &child.place, element.item(), format!("<{}>", child.name), done);
    }
    if element
        .child("limit")
        .is_some_and(|limit| limit.attribute("velocity").is_some_and(|v| v != "0" && v != "0.0"))
    {
        let done = "Linkwork bounds no velocities; left out";
        report.note(Severity::LeftOut, &element.place, element.item(), "a limit of the velocity", done);
    }
}

/// Joints of the model, placed; couplings of mimic joints.
pub(super) fn fill(robot: &mut Robot, joints: &[Given<'_>], frames: &[Pose], report: &mut Report) {
    let by_name: HashMap<&str, usize> = joints.iter().enumerate().map(|(n, joint)| (joint.name, n)).collect();
    for (joint, frame) in joints.iter().zip(frames) {
        let axis = frame.direction(joint.axis);
        let child = &robot.links[joint.child].pose;
        let drawn = frame.then(&joint.offset);
        let apart = (child.origin - drawn.origin).norm() > CLOSED;
        if (child.direction(joint.axis) - drawn.direction(joint.axis)).norm() > 1e-9 && joint.kind.has_axis()
        {
            let what = "the loop is not closed in direction at the zero pose";
            let done = "the axis in the second link is that of the first as drawn";
            report.note(Severity::Changed, &joint.element.place, joint.element.item(), what, done);
        }
        let has_coordinates = !joint.kind.coordinates().is_empty();
        robot.joints.push(Joint {
            name: joint.name.to_owned(),
            place: joint.element.place.clone(),
            kind: joint.kind,
            first: Some(joint.parent),
            second: Some(joint.child),
            origin: drawn.origin,
            origin_on_second: apart.then_some(child.origin),
            axis,
            keep: apart,
            coordinates: if has_coordinates { vec![joint.coordinate] } else { Vec::new() },
        });
        if joint.kind == JointKind::Planar {
            spread(robot);
        }
    }
    for (n, joint) in joints.iter().enumerate() {
        let Some((leader, factor, offset)) = joint.mimic else { continue };
        let element = joint.element;
        let Some(&leader) = by_name.get(leader) else { continue };
        if leader == n || joints[leader].kind.coordinates().len() != 1 {
            report.fault(element.fault(format!("it cannot mimic {}", quoted(joints[leader].name))));
            continue;
        }
        // q_own = factor q_leader + offset; both counted from where they are drawn, the leader with its own offset if it mimics, too
        let of_leader = joints[leader].mimic.map_or(0.0, |(_, _, offset)| offset);
        if offset != 0.0 {
            let done = format!("drawn there: its coordinate is counted from {offset}");
            report.note(
                Severity::Assumed,
                &element.place,
                element.item(),
                "a mimic joint with an offset",
                done,
            );
        }
        if of_leader != 0.0 {
            let message =
                "it mimics a joint that mimics with an offset; let it mimic the first joint of the chain";
            report.fault(element.fault(message));
            continue;
        }
        if factor == 0.0 {
            let what = "a mimic joint with the multiplier 0";
            report.note(Severity::Equivalent, &element.place, element.item(), what, "fixed at its offset");
            robot.joints[n].kind = JointKind::Fixed;
            continue;
        }
        robot.couplings.push(Coupling {
            name: joint.name.to_owned(),
            place: element.place.clone(),
            terms: vec![(n, 0, 1.0), (leader, 0, -factor)],
        });
    }
}

/// What acts along the coordinates of a planar joint is the same along all of its paths; its turn is free.
fn spread(robot: &mut Robot) {
    if let Some(joint) = robot.joints.last_mut() {
        let along = Coordinate { limits: Coordinate::default().limits, ..joint.coordinates[0] };
        joint.coordinates = vec![along, along, Coordinate::default()];
    }
}

/// Loops of Isaac Sim and of urdfdom's proposal.
pub(super) fn loop_joints(
    root: &Element,
    links: &HashMap<String, usize>,
    robot: &mut Robot,
    report: &mut Report,
) {
    for element in root.children.iter() {
        let joint = match element.name.as_str() {
            "loop_joint" => loop_joint(element, links, robot, ["link1", "link2"], report),
            "constraint" => loop_joint(element, links, robot, ["parent", "child"], report),
            _ => continue,
        };
        if let Some(joint) = report.take(joint) {
            robot.joints.push(joint);
        }
    }
}

fn loop_joint(
    element: &Element,
    links: &HashMap<String, usize>,
    robot: &Robot,
    ends: [&str; 2],
    report: &mut Report,
) -> Result<Joint, Fault> {
    let named = |fault: Fault| Fault { item: element.item(), ..fault };
    let numbers = [link(element, ends[0], links)?, link(element, ends[1], links)?];
    if numbers[0] == numbers[1] {
        return Err(element.fault("a link is joined to itself"));
    }
    // the frames of the two ends: in the same element, or in `<parent_origin>` and `<child_origin>`
    let frame = |end: usize| -> Result<Pose, Fault> {
        let apart = element.child(&format!("{}_origin", ends[end]));
        let own = apart.or_else(|| element.child(ends[end]));
        let inner = own.map_or(Ok(Pose::identity()), super::pose).map_err(named)?;
        Ok(robot.links[numbers[end]].pose.then(&inner))
    };
    let frames = [frame(0)?, frame(1)?];
    let axes = [0, 1].map(|end| -> Result<Vector3<f64>, Fault> {
        let apart = format!("{}_axis", ends[end]);
        let name = if element.child(&apart).is_some() { apart.as_str() } else { "axis" };
        Ok(frames[end].direction(axis(element, name)?))
    });
    let [first_axis, second_axis] = axes;
    let (first_axis, second_axis) = (first_axis?, second_axis?);
    let word = element.required("type")?;
    let kind = match word {
        "revolute" | "continuous" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "spherical" | "ball" => JointKind::Spherical,
        "fixed" => JointKind::Fixed,
        "cylindrical" => JointKind::Cylindrical,
        "planar" => JointKind::Planar,
        "universal" => {
            if first_axis.dot(&second_axis).abs() > 1e-6 {
                return Err(element.fault("the two axes of a universal joint must be square to each other"));
            }
            JointKind::Universal { axis2: second_axis }
        }
        other => return Err(element.fault(format!("{} is not a type of loop joint", quoted(other)))),
    };
    let one_axis = kind.has_axis() && !matches!(kind, JointKind::Universal { .. });
    if one_axis && (first_axis - second_axis).norm() > 1e-9 {
        let what = "the loop is not closed in direction at the zero pose";
        let done = "the axis in the second link is that of the first as drawn";
        report.note(Severity::Changed, &element.place, element.item(), what, done);
    }
    let apart = (frames[1].origin - frames[0].origin).norm() > CLOSED;
    Ok(Joint {
        name: element.attribute("name").unwrap_or("loop").to_owned(),
        place: element.place.clone(),
        kind,
        first: Some(numbers[0]),
        second: Some(numbers[1]),
        origin: frames[0].origin,
        origin_on_second: apart.then_some(frames[1].origin),
        axis: first_axis,
        keep: true,
        coordinates: Vec::new(),
    })
}

/// Ratio of a gear as ROS writes it.
const REDUCTION: &str = "mechanicalReduction";

/// Motors: each joint with a transmission has an input.
pub(super) fn transmissions(root: &Element, joints: &[Given<'_>], robot: &mut Robot, report: &mut Report) {
    let by_name: HashMap<&str, usize> = joints.iter().enumerate().map(|(n, joint)| (joint.name, n)).collect();
    let mut driven = std::collections::HashSet::new();
    for element in root.all("transmission") {
        for part in element.all("joint") {
            let Some(name) = part.attribute("name") else { continue };
            let Some(&n) = by_name.get(name) else {
                let what = format!("a transmission of {}, which is no joint", quoted(name));
                report.note(Severity::LeftOut, &part.place, element.item(), what, "left out");
                continue;
            };
            if joints[n].mimic.is_some() || joints[n].kind.coordinates().len() != 1 {
                let why =
                    if joints[n].mimic.is_some() { "follows another" } else { "has not one coordinate" };
                let what = format!("a transmission of {}, which {why}", quoted(name));
                report.note(Severity::LeftOut, &part.place, element.item(), what, "left out");
            } else if driven.insert(n) {
                robot.actuators.push(actuator(name, n, &joints[n], &part.place));
                let armature = match reflected_inertia(element) {
                    Ok(armature) => armature,
                    Err(fault) => return report.fault(fault),
                };
                robot.joints[n].coordinates.iter_mut().take(1).for_each(|along| along.armature += armature);
                if element
                    .all("joint")
                    .chain(element.all("actuator"))
                    .any(|side| side.child(REDUCTION).is_some())
                {
                    let done = "the input is the torque or the force at the joint, behind the gear";
                    report.note(
                        Severity::Equivalent,
                        &part.place,
                        element.item(),
                        format!("<{REDUCTION}>"),
                        done,
                    );
                }
            }
        }
    }
    for (n, joint) in joints.iter().enumerate() {
        if joint.effort.is_finite() && !driven.contains(&n) {
            let done = "nothing drives the joint; a <transmission> would make an input of it";
            let item = format!("joint {}", quoted(joint.name));
            report.note(Severity::Equivalent, &joint.element.place, item, "a limit of the effort", done);
        }
    }
}

/// Inertia of a rotor behind its gear, n² J, as Drake has it; zero where it is not given.
fn reflected_inertia(transmission: &Element) -> Result<f64, Fault> {
    let value = |name: &str| -> Result<Option<f64>, Fault> {
        let element = transmission.child("actuator").and_then(|actuator| actuator.child(name));
        element.map_or(Ok(None), |element| element.number("value"))
    };
    let (rotor, gear) = (value("rotor_inertia")?, value("gear_ratio")?);
    Ok(rotor.unwrap_or(0.0) * gear.unwrap_or(1.0).powi(2))
}

fn actuator(name: &str, n: usize, joint: &Given<'_>, place: &Place) -> Actuator {
    Actuator {
        name: name.to_owned(),
        place: place.clone(),
        joint: n,
        coordinate: 0,
        drive: Drive {
            control_limits: match joint.effort.is_finite() {
                true => [-joint.effort, joint.effort],
                false => [f64::NEG_INFINITY, f64::INFINITY],
            },
            unit: if joint.kind == JointKind::Prismatic { "N" } else { "N m" },
            ..Drive::default()
        },
    }
}
