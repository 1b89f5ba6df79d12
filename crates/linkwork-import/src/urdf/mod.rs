//! URDF: links in a tree of joints, and the loops that URDF has no word for, in every convention that is in use.
//!
//! A joint's frame stands in its parent link at `<origin>`; the child link's frame is the joint's frame moved by the joint. So the zero pose follows from the
//! root, joint by joint. A loop may be written as
//!
//! - a link that is the child of two joints: the second one closes the loop, at the place where it stands in its parent;
//! - `<loop_joint type="spherical"><link1 link= xyz= rpy=/><link2 …/></loop_joint>`, as Isaac Sim reads and writes it;
//! - `<constraint type=""><parent link=/><parent_origin/><parent_axis/><child link=/><child_origin/><child_axis/></constraint>`, as proposed for urdfdom.
//!
//! A mimic joint with an offset is drawn at the offset, and its coordinate is counted from there.

mod inertial;
mod joints;
mod shapes;
mod tree;

use std::collections::HashMap;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{JointKind, Link, Robot, too_many};
use crate::xml::{Element, quoted};
use crate::{Base, Context};

/// A link of this name is fixed, and need not be listed.
const WORLD: &str = "world";
/// Elements of a robot that say nothing about its motion.
const SILENT: &[&str] = &["material", "transmission", "link", "joint", "loop_joint", "constraint"];

/// Reads a `<robot>`.
pub fn read(root: &Element, context: &Context<'_>, report: &mut Report) -> Option<Robot> {
    let name = root.attribute("name").unwrap_or("robot").to_owned();
    let mut robot = Robot::new(name, "URDF".into(), root.place.clone());
    left_out(root, report);
    let materials = shapes::materials(root, report);
    let mut by_name = HashMap::new();
    for element in root.all("link") {
        let Some(name) = report.take(element.required("name")) else { continue };
        if by_name.insert(name.to_owned(), robot.links.len()).is_some() {
            report.fault(element.fault("another link has this name"));
        }
        let link = inertial::link(element, name, report);
        robot.links.push(link);
        let shapes = shapes::shapes(element, &materials, context, report);
        if let Some(link) = robot.links.last_mut() {
            link.shapes = shapes;
        }
    }
    // a robot that hangs on a `world` need not list it as a link
    let hangs =
        |joint: &Element| joint.child("parent").is_some_and(|parent| parent.attribute("link") == Some(WORLD));
    if let Some(joint) = root.all("joint").find(|joint| hangs(joint))
        && !by_name.contains_key(WORLD)
    {
        by_name.insert(WORLD.to_owned(), robot.links.len());
        robot.links.push(Link::new(WORLD, joint.place.clone(), Pose::identity()));
    }
    if robot.links.is_empty() {
        report.fault(root.fault("the robot has no links"));
        return None;
    }
    let joints = joints::joints(root, &by_name, report);
    let joined = root
        .children
        .iter()
        .filter(|child| child.name.ends_with("joint") || child.name == "constraint")
        .count();
    if let Some(fault) = too_many(&root.place, robot.links.len(), joined) {
        report.fault(fault);
    }
    if !report.faults.is_empty() {
        return None;
    }
    let (base, frames) = tree::place(&mut robot.links, &joints, report);
    joints::fill(&mut robot, &joints, &frames, report);
    joints::loop_joints(root, &by_name, &mut robot, report);
    joints::transmissions(root, &joints, &mut robot, report);
    let jointed = robot.joints.iter().any(|joint| joint.kind != JointKind::Fixed);
    if context.options.base.is_none() && !jointed {
        let item = robot.links[base].name.clone();
        let place = robot.links[base].place.clone();
        let done = "it is free, since nothing would move otherwise; `--base fixed` holds it";
        report.note(
            Severity::Assumed,
            &place,
            format!("link {}", quoted(&item)),
            "a robot without moving joints",
            done,
        );
    }
    let fixed = context.options.base.map_or(jointed, |base| base == Base::Fixed);
    robot.links[base].fixed = fixed || robot.links[base].name == WORLD;
    Some(robot)
}

/// `<origin>` of an element; the identity without one.
fn origin(element: &Element) -> Result<Pose, Fault> {
    element.child("origin").map_or(Ok(Pose::identity()), pose)
}

/// `xyz` and `rpy` of an element.
fn pose(element: &Element) -> Result<Pose, Fault> {
    let xyz = element.vector("xyz")?.unwrap_or_default();
    if let Some(wxyz) = element.array::<4>("quat_wxyz")? {
        return Pose::from_quaternion(xyz, wxyz).ok_or_else(|| element.fault("`quat_wxyz` is zero"));
    }
    Ok(Pose::from_rpy(xyz, element.vector("rpy")?.unwrap_or_default()))
}

/// What stands in the robot and is not read.
fn left_out(root: &Element, report: &mut Report) {
    for element in root.children.iter().filter(|element| !SILENT.contains(&element.name.as_str())) {
        let what = format!("<{}>", element.name);
        report.note(
            Severity::LeftOut,
            &element.place,
            element.item(),
            what,
            "not part of the motion; left out",
        );
    }
}
