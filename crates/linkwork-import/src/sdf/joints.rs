//! Joints of all types between any two links.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Coordinate, Coupling, End, Joint, JointKind, Link, Robot};
use crate::xml::{Element, quoted};

use super::Collected;
use super::frames::in_scope;

/// A joint with its ends and its frame.
struct Given<'a> {
    element: &'a Element,
    scope: &'a str,
    full: String,
    first: End,
    second: End,
    frame: Pose,
}

/// Limits from here on are none: the specification's default is 1e16.
const UNLIMITED: f64 = 1e15;

/// Joints and couplings of the model.
pub(super) fn fill(robot: &mut Robot, all: &Collected, report: &mut Report) {
    let links: HashMap<&str, usize> =
        all.links.iter().enumerate().map(|(n, name)| (name.as_str(), n)).collect();
    let mut gearboxes = Vec::new();
    let mut numbers = HashMap::new();
    for (element, scope) in &all.joints {
        let Some(given) = report.take(given(element, scope, all, &links)) else { continue };
        if element.attribute("type") == Some("gearbox") {
            gearboxes.push(given);
            continue;
        }
        let before = robot.joints.len();
        if let Err(fault) = joint(&given, robot, all, report) {
            report.fault(fault);
        }
        numbers.insert(given.full, before);
    }
    for given in &gearboxes {
        if let Err(fault) = gearbox(given, robot, all, &links, report) {
            report.fault(fault);
        }
    }
    for (element, scope) in &all.joints {
        if let Err(fault) = mimics(element, scope, &numbers, robot, report) {
            report.fault(fault);
        }
    }
}

fn given<'a>(
    element: &'a Element,
    scope: &'a str,
    all: &Collected,
    links: &HashMap<&str, usize>,
) -> Result<Given<'a>, Fault> {
    let named = |fault: Fault| Fault { item: format!("{}, {}", element.item(), fault.item), ..fault };
    let end = |which: &str| -> Result<End, Fault> {
        let missing = || element.fault(format!("`<{which}>` is missing"));
        let name = element.child_text(which).filter(|name| !name.is_empty()).ok_or_else(missing)?;
        let link = all.frames.link_of(&in_scope(scope, name), &element.place).map_err(named)?;
        Ok(link.and_then(|link| links.get(link.as_str()).copied()))
    };
    let (first, second) = (end("parent")?, end("child")?);
    if first == second {
        return Err(element.fault("a link is joined to itself"));
    }
    let full = in_scope(scope, element.required("name")?);
    let frame = all.frames.in_world(&full, &element.place).map_err(named)?;
    Ok(Given { element, scope, full, first, second, frame })
}

/// The direction of `<axis>` or `<axis2>` at the zero pose, in the world.
fn axis(given: &Given<'_>, name: &str, all: &Collected) -> Result<Vector3<f64>, Fault> {
    let named = |fault: Fault| Fault { item: given.element.item(), ..fault };
    let missing = || given.element.fault(format!("`<{name}>` is missing"));
    let axis = given.element.child(name).ok_or_else(missing)?;
    let xyz = axis.child("xyz");
    let direction = axis.child_vector("xyz").map_err(named)?.unwrap_or(Vector3::z());
    let in_model = axis.child_flag("use_parent_model_frame").map_err(named)?.unwrap_or(all.version < 1.5);
    let expressed = xyz.and_then(|xyz| xyz.attribute("expressed_in")).filter(|frame| !frame.is_empty());
    let frame = match expressed {
        Some(frame) => all.frames.in_world(&in_scope(given.scope, frame), &axis.place).map_err(named)?,
        None if in_model && !given.scope.is_empty() => {
            all.frames.in_world(given.scope, &axis.place).map_err(named)?
        }
        None => given.frame,
    };
    let turned = frame.direction(direction);
    match turned.norm() {
        length if length > 1e-12 => Ok(turned / length),
        _ => Err(Fault::new(axis.place.clone(), given.element.item(), "the axis has no length")),
    }
}

/// A limit, which may be infinite.
fn limit(limit: &Element, name: &str, default: f64) -> Result<f64, Fault> {
    let value = match limit.child_text(name).map(|text| text.trim_start_matches('+').to_ascii_lowercase()) {
        None => return Ok(default),
        Some(text) if matches!(text.as_str(), "inf" | "infinity") => f64::INFINITY,
        Some(text) if matches!(text.as_str(), "-inf" | "-infinity") => f64::NEG_INFINITY,
        Some(_) => limit.child_number(name)?.unwrap_or(default),
    };
    Ok(if value.abs() >= UNLIMITED { f64::INFINITY.copysign(value) } else { value })
}

/// What acts along an axis.
fn coordinate(given: &Given<'_>, name: &str, report: &mut Report) -> Result<Coordinate, Fault> {
    let named = |fault: Fault| Fault { item: given.element.item(), ..fault };
    let mut coordinate = Coordinate::default();
    let Some(axis) = given.element.child(name) else { return Ok(coordinate) };
    if let Some(limits) = axis.child("limit") {
        coordinate.limits = [
            limit(limits, "lower", f64::NEG_INFINITY).map_err(named)?,
            limit(limits, "upper", f64::INFINITY).map_err(named)?,
        ];
        for (name, severity) in [
            ("velocity", Severity::LeftOut),
            ("stiffness", Severity::Assumed),
            ("dissipation", Severity::Assumed),
        ] {
            if limits.child(name).is_some() {
                let done = match severity {
                    Severity::Assumed => "stops are hard and without rebound",
                    _ => "Linkwork bounds no velocities; left out",
                };
                report.note(
                    severity,
                    &limits.place,
                    given.element.item(),
                    format!("<{name}> of the limits"),
                    done,
                );
            }
        }
    }
    if let Some(dynamics) = axis.child("dynamics") {
        let value = |name: &str| dynamics.child_number(name).map_err(named).map(|value| value.unwrap_or(0.0));
        coordinate.damping = value("damping")?;
        coordinate.friction = value("friction")?;
        coordinate.stiffness = value("spring_stiffness")?;
        coordinate.rest = value("spring_reference")?;
        for (name, value) in [("damping", coordinate.damping), ("friction", coordinate.friction)] {
            if value < 0.0 {
                return Err(Fault::new(
                    dynamics.place.clone(),
                    given.element.item(),
                    format!("`<{name}>` is {value}"),
                ));
            }
        }
    }
    Ok(coordinate)
}

fn joint(given: &Given<'_>, robot: &mut Robot, all: &Collected, report: &mut Report) -> Result<(), Fault> {
    let element = given.element;
    let kind = match element.required("type")? {
        "revolute" | "continuous" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "fixed" => JointKind::Fixed,
        "ball" => JointKind::Spherical,
        "screw" => JointKind::Screw { pitch: pitch(given)? },
        "universal" | "revolute2" => return two_axes(given, robot, all, report),
        other => return Err(element.fault(format!("{} is not a type of joint", quoted(other)))),
    };
    for child in &element.children {
        if matches!(child.name.as_str(), "sensor" | "plugin" | "physics") {
            let what = format!("<{}>", child.name);
            report.note(Severity::LeftOut, &child.place, element.item(), what, "left out");
        }
    }
    let mut joint = plain(given, kind);
    if kind.has_axis() {
        joint.axis = axis(given, "axis", all)?;
        joint.coordinates.push(coordinate(given, "axis", report)?);
    }
    if element.attribute("type") == Some("continuous")
        && let Some(coordinate) = joint.coordinates.first_mut()
    {
        coordinate.limits = Coordinate::default().limits;
    }
    robot.joints.push(joint);
    Ok(())
}

fn plain(given: &Given<'_>, kind: JointKind) -> Joint {
    Joint {
        name: given.full.clone(),
        place: given.element.place.clone(),
        kind,
        first: given.first,
        second: given.second,
        origin: given.frame.origin,
        origin_on_second: None,
        axis: Vector3::z(),
        keep: false,
        coordinates: Vec::new(),
    }
}

/// The path per turn. `screw_thread_pitch` (1.10 on) is that; `thread_pitch` is the turn per path, with the opposite sign.
fn pitch(given: &Given<'_>) -> Result<f64, Fault> {
    let named = |fault: Fault| Fault { item: given.element.item(), ..fault };
    let new = given.element.child_number("screw_thread_pitch").map_err(named)?;
    let old = given.element.child_number("thread_pitch").map_err(named)?;
    let pitch = match (new, old) {
        (Some(pitch), _) => pitch,
        (None, Some(turns)) => -2.0 * std::f64::consts::PI / turns,
        (None, None) => 1.0,
    };
    match pitch.is_finite() && pitch != 0.0 {
        true => Ok(pitch),
        false => Err(given.element.fault("the pitch of the thread is zero")),
    }
}

/// Turns about an axis of the parent and one of the child: a universal joint where they are square to each other, else two hinges with a link between.
fn two_axes(given: &Given<'_>, robot: &mut Robot, all: &Collected, report: &mut Report) -> Result<(), Fault> {
    let (first, second) = (axis(given, "axis", all)?, axis(given, "axis2", all)?);
    let along = [coordinate(given, "axis", report)?, coordinate(given, "axis2", report)?];
    if first.dot(&second).abs() < 1e-9 {
        let mut joint = plain(given, JointKind::Universal { axis2: second });
        joint.axis = first;
        joint.coordinates = along.to_vec();
        robot.joints.push(joint);
        return Ok(());
    }
    if first.cross(&second).norm() < 1e-9 {
        return Err(given.element.fault("the two axes are parallel"));
    }
    let item = given.element.item();
    let done = "two hinges with a link without mass between them";
    report.note(
        Severity::Equivalent,
        &given.element.place,
        item,
        "two axes that are not square to each other",
        done,
    );
    let mut cross = Link::new(format!("{}_cross", given.full), given.element.place.clone(), given.frame);
    cross.name = cross.name.rsplit("::").next().unwrap_or_default().to_owned();
    robot.links.push(cross);
    let between = Some(robot.links.len() - 1);
    let mut one = plain(given, JointKind::Revolute);
    (one.axis, one.second, one.coordinates) = (first, between, vec![along[0]]);
    let mut two = plain(given, JointKind::Revolute);
    (two.axis, two.first, two.coordinates) = (second, between, vec![along[1]]);
    two.name.push_str("_2");
    robot.joints.push(one);
    robot.joints.push(two);
    Ok(())
}

/// A gearbox: θ₂ = −ratio · θ₁, with θ₁ the turn of the parent and θ₂ that of the child against the reference body, about `<axis>` and `<axis2>`.
fn gearbox(
    given: &Given<'_>,
    robot: &mut Robot,
    all: &Collected,
    links: &HashMap<&str, usize>,
    report: &mut Report,
) -> Result<(), Fault> {
    let element = given.element;
    let ratio = element.child_number("gearbox_ratio")?.unwrap_or(1.0);
    let missing = || element.fault("`<gearbox_reference_body>` is missing");
    let reference = element.child_text("gearbox_reference_body").ok_or_else(missing)?;
    let reference = all.frames.link_of(&in_scope(given.scope, reference), &element.place)?;
    let reference = reference.and_then(|link| links.get(link.as_str()).copied());
    let axes = [
        axis(given, "axis", all)?,
        axis(given, if element.child("axis2").is_some() { "axis2" } else { "axis" }, all)?,
    ];
    // the hinge between the reference body and a link, and how it counts against an axis
    let hinge = |link: End, axis: Vector3<f64>| {
        robot.joints.iter().enumerate().find_map(|(n, joint)| {
            let sign = match (joint.first, joint.second) {
                ends if ends == (reference, link) => 1.0,
                ends if ends == (link, reference) => -1.0,
                _ => return None,
            };
            let along = joint.axis.dot(&axis);
            (joint.kind == JointKind::Revolute && along.abs() > 1.0 - 1e-6)
                .then(|| (n, sign * along.signum()))
        })
    };
    match (hinge(given.first, axes[0]), hinge(given.second, axes[1])) {
        (Some((one, sign_one)), Some((two, sign_two))) if ratio != 0.0 => {
            robot.couplings.push(Coupling {
                name: given.full.clone(),
                place: element.place.clone(),
                terms: vec![(one, 0, 1.0), (two, 0, sign_two / (sign_one * ratio))],
            });
        }
        _ => {
            let what = "a gearbox whose parent or child has no hinge along its axis with the reference body";
            report.note(Severity::Changed, &element.place, element.item(), what, "left out");
        }
    }
    Ok(())
}

/// `<mimic>` within an axis: follower = multiplier · (leader − reference) + offset.
fn mimics(
    element: &Element,
    scope: &str,
    numbers: &HashMap<String, usize>,
    robot: &mut Robot,
    report: &mut Report,
) -> Result<(), Fault> {
    for (at, axis) in ["axis", "axis2"].iter().enumerate() {
        let Some(mimic) = element.child(axis).and_then(|axis| axis.child("mimic")) else { continue };
        let named = |fault: Fault| Fault { item: element.item(), ..fault };
        let leader = mimic.required("joint").map_err(named)?;
        let own = numbers.get(&in_scope(scope, element.required("name")?));
        let (Some(&leader), Some(&own)) = (numbers.get(&in_scope(scope, leader)), own) else {
            return Err(element.fault(format!("it mimics {}, which is no joint", quoted(leader))));
        };
        let value =
            |name: &str, default: f64| mimic.child_number(name).map_err(named).map(|v| v.unwrap_or(default));
        let (factor, offset, reference) =
            (value("multiplier", 1.0)?, value("offset", 0.0)?, value("reference", 0.0)?);
        if factor == 0.0 {
            return Err(element.fault("it mimics with the multiplier 0; write a fixed joint"));
        }
        if (offset - factor * reference).abs() > 1e-12 {
            let done = "it counts from the pose of the file: the coordinates stay in proportion from there";
            report.note(Severity::Changed, &mimic.place, element.item(), "a mimic with an offset", done);
        }
        let of_leader = usize::from(mimic.attribute("axis") == Some("axis2"));
        robot.couplings.push(Coupling {
            name: in_scope(scope, element.required("name")?),
            place: element.place.clone(),
            terms: vec![(own, at, 1.0), (leader, of_leader, -factor)],
        });
    }
    Ok(())
}
