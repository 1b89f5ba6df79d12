//! MJCF, MuJoCo's format: bodies within bodies, joints that stand in the body they move, default classes, geoms that give mass.
//!
//! The zero pose is the one that is drawn, MuJoCo's `qpos0`. Coordinates count from there, while MuJoCo counts from there plus `ref`: ranges, rests, actuators and
//! sensors are moved by it. Of several joints in one body the first stands outermost; between them are links without mass.

mod actuators;
mod compiler;
mod defaults;
mod equality;
mod geoms;
mod include;
mod keyframes;
mod sensors;
mod tendons;
mod tree;
mod unread;
mod weights;

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::Context;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{End, FrictionRule, Robot, too_many};
use crate::xml::{Element, quoted};

use compiler::Compiler;
use defaults::Classes;
use geoms::Assets;
use unread::Unread;

/// What a part of the file may need of the others.
struct Reading<'a> {
    options: &'a crate::Options,
    compiler: Compiler,
    classes: Classes,
    assets: Assets,
    robot: Robot,
    /// Bodies by name: link and pose.
    bodies: HashMap<String, End>,
    /// Joints by name.
    joints: HashMap<String, JointInfo>,
    /// Sites by name: link and place in it.
    sites: HashMap<String, (End, Pose)>,
    /// Geoms by name: link and pose in it.
    geoms: HashMap<String, (End, Pose)>,
    /// Joints in the order of `qpos`.
    order: Vec<JointInfo>,
    /// For each link: what it hangs on.
    links: Vec<LinkInfo>,
    /// Names of actuators on joints: where they are, and their gear.
    actuators: HashMap<String, (usize, f64)>,
    /// What each actuator of the file has become, in their order, and its gear.
    controls: Vec<Option<Control>>,
    gears: Vec<f64>,
    /// Tendons by name.
    pulled: HashMap<String, Pulled>,
    /// Where the motion begins.
    key: Option<keyframes::Key>,
    /// Joints with `springdamper`, and its values.
    pending: Vec<(usize, [f64; 2])>,
    unread: Unread,
}

/// A tendon among those of the robot, or a cable.
#[derive(Clone, Copy, Debug)]
enum Pulled {
    Fixed(usize),
    Spatial(usize),
}

/// An actuator of the file among those of the robot, or among the drives of a tendon.
#[derive(Clone, Copy, Debug)]
enum Control {
    Joint(usize),
    Tendon(Pulled, usize),
}

/// A joint of the file.
#[derive(Clone, Copy, Debug)]
struct JointInfo {
    /// Its number in the robot.
    number: usize,
    kind: tree::Kind,
    /// Coordinate that MuJoCo gives the drawn pose.
    reference: f64,
    /// Least and largest coordinate as MuJoCo counts, if it is limited.
    range: Option<[f64; 2]>,
    /// Whether the file has it, so that a keyframe speaks of it.
    in_file: bool,
}

/// A link made of a body.
#[derive(Clone, Debug, Default)]
struct LinkInfo {
    /// The link of the body that it stands in.
    parent: End,
}

/// Sections that are read.
const SECTIONS: [&str; 11] = [
    "compiler",
    "option",
    "worldbody",
    "contact",
    "equality",
    "tendon",
    "actuator",
    "sensor",
    "keyframe",
    "asset",
    "default",
];
/// Sections that are only seen, or say how to store and to draw.
const NOT_MECHANICAL: [&str; 4] = ["visual", "statistic", "size", "custom"];

/// Reads an MJCF file.
pub(crate) fn read(root: &Element, context: &Context<'_>, report: &mut Report) -> Option<Robot> {
    let root = include::Expansion::new(context).expand(root, &context.trail, 1, report);
    let compiler = Compiler::read(&root, report);
    let classes = Classes::read(&root, report);
    let resolve = |element: &Element, report: &mut Report| classes.resolve(element, None, report);
    let mut unread = Unread::default();
    let assets = Assets::read(&root, &compiler, context, &resolve, &mut unread, report);
    let name = root.attribute("model").unwrap_or("mechanism").to_owned();
    let gravity = compiler::option(&root, report);
    let friction = FrictionRule { larger: true, default: 1.0, ground_meets_jointed: true };
    let robot = Robot { gravity, friction, ..Robot::new(name, "MJCF".into(), root.place.clone()) };
    let mut reading = Reading {
        options: context.options,
        compiler,
        classes,
        assets,
        robot,
        bodies: HashMap::new(),
        joints: HashMap::new(),
        sites: HashMap::new(),
        geoms: HashMap::new(),
        order: Vec::new(),
        links: Vec::new(),
        actuators: HashMap::new(),
        controls: Vec::new(),
        gears: Vec::new(),
        pulled: HashMap::new(),
        key: None,
        pending: Vec::new(),
        unread,
    };
    reading.bodies.insert("world".into(), None);
    for section in &root.children {
        let name = section.name.as_str();
        if !SECTIONS.contains(&name) {
            let seen = NOT_MECHANICAL.contains(&name);
            let severity = if seen { Severity::LeftOut } else { Severity::Changed };
            report.note(severity, &section.place, format!("<{name}>"), "this section", "left out");
        }
    }
    let keys: Vec<&Element> = root
        .children
        .iter()
        .filter(|section| section.name == "keyframe")
        .flat_map(|section| &section.children)
        .collect();
    reading.key = keyframes::choose(&keys, context.options.keyframe.as_deref(), report);
    for world in root.all("worldbody") {
        reading.body(world, None, Pose::identity(), None, report);
    }
    if let Some(fault) = too_many(&root.place, reading.robot.links.len(), reading.robot.joints.len()) {
        report.fault(fault);
        return None;
    }
    reading.scale_mass(report);
    reading.spring_dampers(report);
    let section =
        |name: &'static str| root.children.iter().filter(move |s| s.name == name).flat_map(|s| &s.children);
    section("equality").for_each(|element| reading.equality(element, report));
    section("tendon").for_each(|element| reading.tendon(element, report));
    section("actuator").for_each(|element| reading.actuator(element, report));
    section("sensor").for_each(|element| reading.sensor(element, report));
    reading.keyframes(report);
    reading.drop_idle_cables(report);
    section("contact").for_each(|element| reading.contact(element, report));
    reading.unread.report(report);
    Some(reading.robot)
}

impl Reading<'_> {
    /// `<exclude>` and `<pair>` of `<contact>`.
    fn contact(&mut self, element: &Element, report: &mut Report) {
        match element.name.as_str() {
            "exclude" => {
                let names = [element.required("body1"), element.required("body2")];
                let [Some(one), Some(two)] = names.map(|name| report.take(name)) else { return };
                let ends = [one, two].map(|name| self.bodies.get(name).copied());
                match ends {
                    [Some(Some(a)), Some(Some(b))] => self.robot.no_contact.push([a, b]),
                    [Some(_), Some(_)] => {} // the world's surfaces
                    _ => report.fault(element.fault("there is no such body")),
                }
            }
            _ => {
                let what = format!("<{}> in <contact>", element.name);
                let done = "left out: what touches follows from the geoms alone";
                report.note(Severity::Changed, &element.place, element.item(), what, done);
            }
        }
    }

    /// The link of a body by its name.
    fn body_named(&self, element: &Element, attribute: &str) -> Result<End, crate::Fault> {
        let name = element.required(attribute)?;
        self.bodies
            .get(name)
            .copied()
            .ok_or_else(|| element.fault(format!("there is no body {}", quoted(name))))
    }

    /// Where a link is in the world at the zero pose.
    fn pose(&self, link: End) -> Pose {
        link.map_or(Pose::identity(), |link| self.robot.links[link].pose)
    }

    /// A site: its link and its place in the world.
    fn site_named(&self, element: &Element, attribute: &str) -> Result<(End, Vector3<f64>), crate::Fault> {
        let name = element.required(attribute)?;
        let (link, pose) = self
            .sites
            .get(name)
            .ok_or_else(|| element.fault(format!("there is no site {}", quoted(name))))?;
        Ok((*link, self.pose(*link).point(pose.origin)))
    }

    /// A joint by its name.
    fn joint_named(&self, element: &Element, attribute: &str) -> Result<JointInfo, crate::Fault> {
        let name = element.required(attribute)?;
        self.joints
            .get(name)
            .copied()
            .ok_or_else(|| element.fault(format!("there is no joint {}", quoted(name))))
    }
}
