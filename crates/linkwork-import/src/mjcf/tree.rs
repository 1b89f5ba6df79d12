//! Bodies, frames, joints, sites.

use nalgebra::Vector3;

use crate::Base;
use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Coordinate, End, Joint, JointKind, Link, MAX_ITEMS, NamedPoint, Role};
use crate::xml::{Element, quoted};

use super::compiler::{FromGeoms, direction};
use super::geoms::{Geom, Weight};
use super::weights::sum;
use super::{JointInfo, LinkInfo, Reading};

/// Types of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hinge,
    Slide,
    Ball,
    Free,
}

impl Kind {
    /// Numbers in `qpos` and in `qvel`.
    pub(super) fn numbers(self) -> [usize; 2] {
        match self {
            Kind::Hinge | Kind::Slide => [1, 1],
            Kind::Ball => [4, 3],
            Kind::Free => [7, 6],
        }
    }

    pub(super) fn scalar(self) -> bool {
        matches!(self, Kind::Hinge | Kind::Slide)
    }
}

/// An element within a body, the frame it stands in, and the class of that frame.
struct Part<'e> {
    element: &'e Element,
    frame: Pose,
    class: Option<&'e str>,
}

/// A joint before it is known what is at its ends.
struct Given {
    joint: Joint,
    info: JointInfo,
    named: bool,
    /// Time constant and damping ratio of a spring and damper that are still to be found.
    spring_damper: Option<[f64; 2]>,
}

const BODY: [&str; 11] =
    ["name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mocap", "user", "class"];
const FRAME: [&str; 10] = [
    "name",
    "childclass",
    "pos",
    "quat",
    "axisangle",
    "xyaxes",
    "zaxis",
    "euler",
    "offset",
    super::include::REPLICA,
];
const JOINT: [&str; 16] = [
    "name",
    "class",
    "type",
    "group",
    "pos",
    "axis",
    "springdamper",
    "limited",
    "stiffness",
    "range",
    "damping",
    "springref",
    "armature",
    "frictionloss",
    "ref",
    "user",
];

impl Reading<'_> {
    /// Reads a body with all that is in it, or the world.
    pub(super) fn body<'e>(
        &mut self,
        element: &'e Element,
        parent: Option<End>,
        outer: Pose,
        childclass: Option<&'e str>,
        report: &mut Report,
    ) {
        if self.robot.links.len().max(self.robot.joints.len()) > MAX_ITEMS {
            return; // reported at the end
        }
        let world = parent.is_none();
        let childclass = element.attribute("childclass").or(childclass);
        let pose = match world {
            true => outer,
            false => match report.take(self.compiler.pose(element)) {
                Some(local) => outer.then(&local),
                None => return,
            },
        };
        let mut parts = Vec::new();
        self.parts(element, Pose::identity(), childclass, &mut parts, report);
        let link = match world {
            true => self.world(element, &parts, report),
            false => {
                self.unread.attributes(element, &BODY);
                Some(self.link(element, pose, &parts, parent.flatten(), report))
            }
        };
        // a keyframe may have it elsewhere
        let pose = link.map_or(pose, |link| self.robot.links[link].pose);
        for part in &parts {
            match part.element.name.as_str() {
                "site" => self.site(part, link, report),
                "body" => self.body(part.element, Some(link), pose.then(&part.frame), part.class, report),
                "joint" | "freejoint" if world => report.fault(part.element.fault("the world has no joints")),
                "inertial" | "geom" | "joint" | "freejoint" => {}
                "camera" | "light" => self.unread.element(part.element),
                other => {
                    let what = format!("<{other}>");
                    let done = "left out: flexible bodies, composites and plugins are not read";
                    report.note(Severity::Changed, &part.element.place, part.element.item(), what, done);
                }
            }
        }
    }

    /// Elements of a body, those within frames too.
    fn parts<'e>(
        &mut self,
        element: &'e Element,
        frame: Pose,
        class: Option<&'e str>,
        out: &mut Vec<Part<'e>>,
        report: &mut Report,
    ) {
        for child in &element.children {
            if child.name == "frame" {
                self.unread.attributes(child, &FRAME);
                if let Some(local) = report.take(self.compiler.pose(child)) {
                    self.parts(
                        child,
                        frame.then(&local),
                        child.attribute("childclass").or(class),
                        out,
                        report,
                    );
                }
            } else {
                out.push(Part { element: child, frame, class });
            }
        }
    }

    /// The world: a fixed link if something is seen of it.
    fn world(&mut self, element: &Element, parts: &[Part<'_>], report: &mut Report) -> End {
        let mut link = Link::new("world", element.place.clone(), Pose::identity());
        link.fixed = true;
        let geoms = self.geoms(parts, false, report);
        if geoms.is_empty() {
            return None;
        }
        let number = self.robot.links.len();
        let info = LinkInfo::default();
        self.shapes(geoms, number, &mut link);
        self.robot.links.push(link);
        self.links.push(info);
        Some(number)
    }

    /// The link of a body, with its joints and the links between them.
    fn link(
        &mut self,
        element: &Element,
        pose: Pose,
        parts: &[Part<'_>],
        parent: End,
        report: &mut Report,
    ) -> usize {
        let name = element
            .attribute("name")
            .map_or_else(|| format!("body{}", self.robot.links.len() + 1), str::to_owned);
        let mut pose = pose;
        let inertial = parts.iter().rfind(|part| part.element.name == "inertial");
        let weigh = match self.compiler.from_geoms {
            FromGeoms::Always => true,
            FromGeoms::Never => false,
            FromGeoms::WhereMissing => inertial.is_none(),
        };
        let geoms = self.geoms(parts, weigh, report);
        let mut link = Link::new(name.clone(), element.place.clone(), pose);
        let mut weight =
            inertial.and_then(|part| report.take(self.inertial(part.element, &part.frame, element.item())));
        if weigh {
            let groups = self.compiler.groups;
            let chosen = geoms.iter().filter(|geom| groups[0] <= geom.group && geom.group <= groups[1]);
            let weights: Vec<Weight> = chosen.filter_map(|geom| geom.mass).collect();
            if let Some(sum) = sum(&weights) {
                weight = Some(sum);
            }
        }
        if let Some(weight) = weight {
            let weight = self.bounded(weight, element, report);
            (link.mass, link.com, link.inertia) = (weight.mass, weight.com, weight.inertia);
        }
        let mocap = element.flag("mocap").ok().flatten().unwrap_or(false);
        if mocap {
            let what = "a motion capture body, set from outside";
            report.note(
                Severity::Changed,
                &element.place,
                element.item(),
                what,
                "it stands still where it is drawn",
            );
        }
        let mut joints: Vec<Given> = Vec::new();
        let mut numbers = [0, 0];
        for part in parts.iter().filter(|part| matches!(part.element.name.as_str(), "joint" | "freejoint")) {
            let resolved = match part.element.name.as_str() {
                "joint" => self.classes.resolve(part.element, part.class, report),
                _ => part.element.clone(),
            };
            if let Some(mut given) = report.take(self.joint(&resolved, part, &pose, &name, joints.len())) {
                self.joint_notes(&resolved, &given, report);
                match given.info.kind {
                    Kind::Free => {
                        pose = self.free_pose(numbers).unwrap_or(pose);
                        given.joint.origin = pose.origin;
                    }
                    Kind::Ball => {
                        if let Some(turn) = self.ball_turn(numbers) {
                            let anchor = given.joint.origin;
                            let rotation = pose.rotation * turn.rotation; // T R = R q
                            let turned = rotation * pose.rotation.transpose();
                            pose = Pose { rotation, origin: anchor + turned * (pose.origin - anchor) };
                        }
                    }
                    _ => {}
                }
                numbers = [0, 1].map(|k| numbers[k] + given.info.kind.numbers()[k]);
                joints.push(given);
            }
        }
        link.pose = pose;
        if let [only] = joints.as_mut_slice()
            && !only.named
        {
            only.joint.name.clone_from(&name);
        }
        if self.base(parent, &mut joints, element, &pose, report) {
            // a keyframe speaks of it all the same
            let gone = JointInfo {
                number: usize::MAX,
                kind: Kind::Free,
                reference: 0.0,
                range: None,
                in_file: true,
            };
            self.order.push(gone);
        }
        let number = self.robot.links.len() + joints.len().saturating_sub(1);
        if element.attribute("name").is_some() && self.bodies.insert(name.clone(), Some(number)).is_some() {
            report.fault(element.fault("another body has this name"));
        }
        if joints.is_empty() {
            self.robot.joints.push(Joint {
                name: name.clone(),
                place: element.place.clone(),
                kind: JointKind::Fixed,
                first: parent,
                second: Some(number),
                origin: pose.origin,
                origin_on_second: None,
                axis: Vector3::z(),
                keep: false,
                coordinates: Vec::new(),
            });
        }
        let count = joints.len();
        let (mut first, mut above) = (parent, parent);
        for (n, mut given) in joints.into_iter().enumerate() {
            let second = match n + 1 == count {
                true => number,
                false => {
                    self.robot.links.push(Link::new(
                        format!("{name}_{}", n + 1),
                        element.place.clone(),
                        pose,
                    ));
                    self.links.push(LinkInfo { parent: first });
                    self.robot.links.len() - 1
                }
            };
            (given.joint.first, given.joint.second) = (first, Some(second));
            above = first;
            first = Some(second);
            given.info.number = self.robot.joints.len();
            self.order.push(given.info);
            if given.named && self.joints.insert(given.joint.name.clone(), given.info).is_some() {
                report.fault(Fault::new(
                    given.joint.place.clone(),
                    quoted(&given.joint.name),
                    "another joint has this name",
                ));
            }
            if let Some(times) = given.spring_damper {
                self.pending.push((given.info.number, times));
            }
            self.robot.joints.push(given.joint);
        }
        let info = LinkInfo { parent: above };
        self.shapes(geoms, number, &mut link);
        self.robot.links.push(link);
        self.links.push(info);
        number
    }

    /// What `--base` asks for; whether a free joint is gone.
    fn base(
        &self,
        parent: End,
        joints: &mut Vec<Given>,
        element: &Element,
        pose: &Pose,
        report: &mut Report,
    ) -> bool {
        let on_world =
            parent.is_none_or(|link| self.robot.links[link].fixed && self.links[link].parent.is_none());
        if !on_world {
            return false;
        }
        match self.options.base {
            Some(Base::Fixed) if joints.iter().any(|given| given.info.kind == Kind::Free) => {
                joints.clear();
                report.note(
                    Severity::Equivalent,
                    &element.place,
                    element.item(),
                    "a free body",
                    "fixed to the world, as asked",
                );
                return true;
            }
            Some(Base::Floating) if joints.is_empty() => {
                let name = element.attribute("name").unwrap_or("base").to_owned();
                let joint = floating(name, element, pose);
                let info =
                    JointInfo { number: 0, kind: Kind::Free, reference: 0.0, range: None, in_file: false };
                joints.push(Given { joint, info, named: false, spring_damper: None });
                report.note(
                    Severity::Equivalent,
                    &element.place,
                    element.item(),
                    "a body that is fixed to the world",
                    "free, as asked",
                );
            }
            _ => {}
        }
        false
    }

    /// A joint whose class is resolved; what is at its ends comes later.
    fn joint(
        &self,
        element: &Element,
        part: &Part<'_>,
        pose: &Pose,
        body: &str,
        before: usize,
    ) -> Result<Given, Fault> {
        let kind = match element.attribute("type").unwrap_or("hinge") {
            _ if element.name == "freejoint" => Kind::Free,
            "hinge" => Kind::Hinge,
            "slide" => Kind::Slide,
            "ball" => Kind::Ball,
            "free" => Kind::Free,
            other => return Err(element.fault(format!("there are no joints of type {}", quoted(other)))),
        };
        let name = element.attribute("name").map_or_else(|| format!("{body}_{}", before + 1), str::to_owned);
        let named = element.attribute("name").is_some();
        let angle = if matches!(kind, Kind::Hinge | Kind::Ball) { self.compiler.angle } else { 1.0 };
        let reference = element.number("ref")?.unwrap_or(0.0) * angle;
        let range = element.array::<2>("range")?;
        let limited = match element.attribute("limited").unwrap_or("auto") {
            "true" => true,
            "false" => false,
            "auto" => self.compiler.autolimits && range.is_some_and(|range| range != [0.0, 0.0]),
            other => return Err(element.fault(format!("`limited` is {}", quoted(other)))),
        };
        let range = range.unwrap_or_default().map(|bound| bound * angle);
        let range = limited.then_some(range);
        if kind == Kind::Free {
            let info = JointInfo { number: 0, kind, reference: 0.0, range: None, in_file: true };
            return Ok(Given { joint: floating(name, element, pose), info, named, spring_damper: None });
        }
        let frame = pose.then(&part.frame);
        let origin = frame.point(element.vector("pos")?.unwrap_or_default());
        let axis = element.vector("axis")?.unwrap_or(Vector3::z());
        let axis = frame.direction(direction(element, "axis", axis)?);
        let first = |name: &str| {
            Ok::<f64, Fault>(element.numbers(name)?.and_then(|list| list.first().copied()).unwrap_or(0.0))
        };
        let rest = element.number("springref")?.unwrap_or(0.0) * angle - reference;
        let coordinate = Coordinate {
            limits: range
                .map_or([f64::NEG_INFINITY, f64::INFINITY], |range| range.map(|bound| bound - reference)),
            stop: None,
            damping: first("damping")?,
            friction: first("frictionloss")?,
            stiffness: first("stiffness")?,
            rest,
            armature: first("armature")?,
        };
        for (name, value) in [
            ("damping", coordinate.damping),
            ("frictionloss", coordinate.friction),
            ("stiffness", coordinate.stiffness),
            ("armature", coordinate.armature),
        ] {
            if value < 0.0 {
                return Err(element.fault(format!("`{name}` is negative")));
            }
        }
        let joint = Joint {
            name,
            place: element.place.clone(),
            kind: match kind {
                Kind::Hinge => JointKind::Revolute,
                Kind::Slide => JointKind::Prismatic,
                Kind::Ball | Kind::Free => JointKind::Spherical,
            },
            first: None,
            second: None,
            origin,
            origin_on_second: None,
            axis,
            keep: false,
            coordinates: if kind.scalar() { vec![coordinate] } else { Vec::new() },
        };
        let spring_damper = element
            .array::<2>("springdamper")?
            .filter(|times| kind.scalar() && times.iter().all(|t| *t > 0.0));
        Ok(Given {
            joint,
            info: JointInfo { number: 0, kind, reference, range, in_file: true },
            named,
            spring_damper,
        })
    }

    /// What of a joint is in other words or left out.
    fn joint_notes(&mut self, element: &Element, given: &Given, report: &mut Report) {
        self.unread.attributes(
            element,
            if element.name == "freejoint" { &["name", "group", "align"] } else { &JOINT },
        );
        let mut tell = |severity, what: &str, done: &str| {
            report.note(severity, &element.place, element.item(), what, done)
        };
        for name in ["stiffness", "damping"] {
            let more = element
                .numbers(name)
                .ok()
                .flatten()
                .is_some_and(|list| list.iter().skip(1).any(|x| *x != 0.0));
            if more {
                tell(Severity::Changed, &format!("powers of {name} beyond the first"), "left out");
            }
        }
        let acts = |name: &str| {
            element.numbers(name).ok().flatten().is_some_and(|list| list.iter().any(|x| *x != 0.0))
        };
        if !given.info.kind.scalar() {
            for name in ["stiffness", "damping", "armature", "frictionloss"] {
                if acts(name) && element.name != "freejoint" {
                    let kind = if given.info.kind == Kind::Free { "free" } else { "ball" };
                    tell(Severity::Changed, &format!("{name} of a {kind} joint"), "left out");
                }
            }
            if given.info.range.is_some() && given.info.kind == Kind::Ball {
                tell(Severity::Changed, "the range of a ball joint", "left out");
            }
            return;
        }
        if given.info.range.is_some() {
            tell(
                Severity::Assumed,
                "limits that give way (solreflimit, solimplimit)",
                "hard stops without rebound",
            );
        }
        if acts("frictionloss") {
            tell(Severity::Assumed, "dry friction that gives way (solreffriction)", "Coulomb friction");
        }
        if given.info.reference != 0.0 {
            tell(Severity::Equivalent, "a `ref`", "coordinates count from the drawn pose");
        }
    }

    fn geoms(&mut self, parts: &[Part<'_>], weigh: bool, report: &mut Report) -> Vec<Geom> {
        let mut out = Vec::new();
        for part in parts.iter().filter(|part| part.element.name == "geom") {
            let element = self.classes.resolve(part.element, part.class, report);
            let geom =
                self.assets.geom(&element, &self.compiler, &part.frame, weigh, &mut self.unread, report);
            out.extend(report.take(geom).flatten());
        }
        out
    }

    /// Gives a link its shapes.
    fn shapes(&mut self, geoms: Vec<Geom>, number: usize, link: &mut Link) {
        // where some geoms are there to be seen only, the others are there to touch
        let looks = geoms.iter().any(|geom| geom.shape.role == Role::Visual);
        for mut geom in geoms {
            if looks && geom.shape.role == Role::Both {
                geom.shape.role = Role::Collision;
            }
            if !geom.shape.name.is_empty() {
                self.geoms.insert(geom.shape.name.clone(), (Some(number), geom.shape.pose));
            }
            link.shapes.push(geom.shape);
        }
    }

    fn site(&mut self, part: &Part<'_>, link: End, report: &mut Report) {
        let element = self.classes.resolve(part.element, part.class, report);
        let Some(local) = report.take(self.site_pose(&element)) else { return };
        let pose = part.frame.then(&local);
        let Some(name) = element.attribute("name") else {
            return report.note(
                Severity::LeftOut,
                &element.place,
                element.item(),
                "a site without a name",
                "left out",
            );
        };
        if self.sites.insert(name.to_owned(), (link, pose)).is_some() {
            return report.fault(element.fault("another site has this name"));
        }
        let at = self.pose(link).point(pose.origin);
        self.robot.points.push(NamedPoint { name: name.to_owned(), place: element.place.clone(), link, at });
    }

    /// Where a site is; with `fromto` in the middle.
    fn site_pose(&self, element: &Element) -> Result<Pose, Fault> {
        match element.array::<6>("fromto")? {
            Some([a, b, c, d, e, f]) => {
                let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
                Ok(Pose {
                    origin: (from + to) * 0.5,
                    ..super::compiler::along(direction(element, "fromto", from - to)?)
                })
            }
            None => self.compiler.pose(element),
        }
    }
}

fn floating(name: String, element: &Element, pose: &Pose) -> Joint {
    Joint {
        name,
        place: element.place.clone(),
        kind: JointKind::Floating,
        first: None,
        second: None,
        origin: pose.origin,
        origin_on_second: None,
        axis: Vector3::z(),
        keep: false,
        coordinates: Vec::new(),
    }
}
