//! A robot as the model file that a person would have written: points named by joints, one line a body, parameters where values repeat, a comment behind
//! each entry that says where it came from.
//!
//! Places are those of the zero pose, in world axes. Turning frames into world axes leaves roundings such as 0.30000000000000004 and 6e-17; a number is
//! written with the fewest digits that are within such a rounding of it ([`neat`]), so that 0.3 and 0 stand there again.

mod drives;
mod looks;
mod sensors;
mod surfaces;
mod text;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;

use nalgebra::Vector3;

use crate::meshes::{Destination, Shelf};
use crate::notes::Report;
use crate::robot::{Coordinate, End, GRAVITY, JointKind, Robot};
use surfaces::Surface;
use text::{Names, along, comment, direction, key, names, string, vector};
pub use text::{neat, number};

/// Roundings of a chain of frames, relative to the size of the robot.
const NOISE: f64 = 1e-14;

/// So many joints with one value make a parameter of it.
const REPEATS: usize = 4;

/// What a model file is to have besides the mechanism.
pub(crate) struct Wanted<'a> {
    /// Names of meshes.
    pub shelf: &'a mut Shelf,
    /// Whether collision shapes become surfaces.
    pub contacts: bool,
    /// Pairs of bodies that do not meet, the smaller name first.
    pub apart: BTreeSet<[String; 2]>,
}

/// The model file of a robot that somebody has made, without contacts.
pub fn toml(robot: &Robot, report: &mut Report) -> String {
    let mut shelf = Shelf::new(Path::new(""), &Destination::Memory);
    let wanted = Wanted { shelf: &mut shelf, contacts: false, apart: BTreeSet::new() };
    toml_with(robot, wanted, report)
}

/// The model file with all that is wanted.
pub(crate) fn toml_with(robot: &Robot, wanted: Wanted<'_>, report: &mut Report) -> String {
    Writer::new(robot, wanted, report).write()
}

/// Values along coordinates that many joints share.
struct Shared {
    /// Key and text of the value, and the name of its parameter.
    parameters: HashMap<(&'static str, String), String>,
    /// Lines of `[parameters]`.
    lines: Vec<String>,
}

/// Keys along a coordinate: name, value, and units for a turn and a path.
type AlongKey = (&'static str, fn(&Coordinate) -> f64, [&'static str; 2]);

/// What is written of a coordinate besides its stops.
const ALONG: [AlongKey; 4] = [
    ("stiffness", |c| c.stiffness, ["N m/rad", "N/m"]),
    ("damping", |c| c.damping, ["N m s/rad", "N s/m"]),
    ("friction", |c| c.friction, ["N m", "N"]),
    ("inertia", |c| c.armature, ["kg m^2", "kg"]),
];

/// The unit of a value along a coordinate that counts in `of`.
fn unit(units: [&'static str; 2], of: &str) -> &'static str {
    units[usize::from(of == "m")]
}

struct Writer<'a> {
    robot: &'a Robot,
    report: &'a mut Report,
    shelf: &'a mut Shelf,
    contacts: bool,
    apart: BTreeSet<[String; 2]>,
    surfaces: Vec<Surface>,
    surface_names: Names,
    /// Names of bodies: `ground` where they do not move.
    bodies: Vec<String>,
    joints: Vec<String>,
    /// Points: name, place and what it is.
    points: Vec<(String, Vector3<f64>, String)>,
    /// Points of each body, and of the ground behind them.
    held: Vec<Vec<String>>,
    /// Points of each joint, on the first and on the second body.
    ends: Vec<[String; 2]>,
    point_names: Names,
    shared: Shared,
    /// Points at which sensors measure: link, place, name.
    sites: Vec<(usize, Vector3<f64>, String)>,
    /// Names of the robot's named points in the model file.
    named: HashMap<String, String>,
    /// Names of the actuators, which are those of their inputs.
    drives: Names,
    actuators: Vec<String>,
    /// Names of the measures of each tendon: length, rate and force.
    measures: Names,
    tendons: Vec<[String; 3]>,
    /// Entries of `[measures]` for tendons.
    tendon_measures: Vec<[String; 3]>,
    /// Rounding of places, m.
    noise: f64,
    text: String,
}

impl<'a> Writer<'a> {
    fn new(robot: &'a Robot, wanted: Wanted<'a>, report: &'a mut Report) -> Self {
        let Wanted { shelf, contacts, apart } = wanted;
        let mut body_names = Names::default();
        body_names.take("ground");
        let bodies = robot
            .links
            .iter()
            .map(|link| if link.fixed { "ground".to_owned() } else { body_names.take(&link.name) })
            .collect();
        let mut joint_names = Names::default();
        let joints = robot.joints.iter().map(|joint| joint_names.take(&joint.name)).collect();
        let mut writer = Writer {
            robot,
            report,
            shelf,
            contacts,
            apart,
            surfaces: Vec::new(),
            surface_names: Names::default(),
            bodies,
            joints,
            points: Vec::new(),
            held: vec![Vec::new(); robot.links.len() + 1],
            ends: Vec::new(),
            point_names: Names::default(),
            shared: shared(robot),
            sites: Vec::new(),
            named: HashMap::new(),
            drives: Names::default(),
            actuators: Vec::new(),
            measures: Names::default(),
            tendons: Vec::new(),
            tendon_measures: Vec::new(),
            noise: NOISE * robot.reach(),
            text: String::new(),
        };
        writer.actuators =
            robot.actuators.iter().map(|actuator| writer.drives.take(&actuator.name)).collect();
        let tendons = robot
            .tendons
            .iter()
            .map(|tendon| &tendon.name)
            .chain(robot.cables.iter().map(|cable| &cable.name));
        writer.tendons = tendons
            .map(|name| {
                ["length", "rate", "force"].map(|word| writer.measures.take(&format!("{name}_{word}")))
            })
            .collect();
        writer.lay_out();
        writer.choose_surfaces();
        writer
    }

    /// Where an end of a joint is among `held`: the ground is the last.
    fn holder(&self, end: End) -> usize {
        end.filter(|link| !self.robot.links[*link].fixed).unwrap_or(self.robot.links.len())
    }

    /// Points of joints, and one of each body that has no joint.
    fn lay_out(&mut self) {
        for (n, joint) in self.robot.joints.iter().enumerate() {
            let (first, second) = (self.holder(joint.first), self.holder(joint.second));
            let name = self.joints[n].clone();
            let place = self.place(&joint.place);
            let one = self.point(&name, joint.origin, place.clone(), first);
            let two = match joint.origin_on_second {
                Some(other) => self.point(&format!("{name}_on_second"), other, place, second),
                None => {
                    self.held[second].push(one.clone());
                    one.clone()
                }
            };
            self.ends.push([one, two]);
        }
        for (n, link) in self.robot.links.iter().enumerate() {
            if !link.fixed && self.held[n].is_empty() {
                let place = self.place(&link.place);
                self.point(&link.name, link.world_com(), place, n);
            }
        }
        for named in &self.robot.points {
            let (holder, place) = (self.holder(named.link), format!("site, {}", self.place(&named.place)));
            let name = self.point(&named.name, named.at, place, holder);
            self.named.insert(named.name.clone(), name);
        }
        self.measured_points();
        for motion in &self.robot.initial_motions {
            let wanted = format!("{}_origin", self.robot.links[motion.link].name);
            self.site(motion.link, motion.at, &wanted);
        }
    }

    /// The point of a moving link at a place: one of its points that is there, or a new one.
    fn site(&mut self, link: usize, at: Vector3<f64>, wanted: &str) {
        if self.robot.links[link].fixed || self.site_name(link, at).is_some() {
            return;
        }
        let there = self
            .points
            .iter()
            .find(|point| (point.1 - at).amax() <= self.noise && self.held[link].contains(&point.0));
        let name = match there {
            Some(point) => point.0.clone(),
            None => self.point(wanted, at, "measured".into(), link),
        };
        self.sites.push((link, at, name));
    }

    fn site_name(&self, link: usize, at: Vector3<f64>) -> Option<&String> {
        self.sites.iter().find(|site| site.0 == link && site.1 == at).map(|site| &site.2)
    }

    fn point(&mut self, wanted: &str, at: Vector3<f64>, what: String, holder: usize) -> String {
        let name = self.point_names.take(wanted);
        self.points.push((name.clone(), at, what));
        self.held[holder].push(name.clone());
        name
    }

    /// `line 12`, or `wheel.sdf:12` in another file than the robot's.
    fn place(&self, place: &crate::fault::Place) -> String {
        match place.file == self.robot.place.file {
            true => format!("line {}", place.line),
            false => comment(&place.to_string()),
        }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A section of entries: text and comment, keys and comments in columns.
    fn section(&mut self, name: &str, entries: Vec<[String; 3]>) {
        if entries.is_empty() {
            return;
        }
        let wide = |n: usize, most: usize| {
            let widths = entries.iter().map(|entry| entry[n].chars().count());
            widths.filter(|width| *width <= most).max().unwrap_or(0)
        };
        let (keys, values) = (wide(0, 32), wide(1, 120));
        self.line(format!("\n[{name}]"));
        for [name, value, origin] in &entries {
            let entry = match origin.is_empty() {
                true => format!("{name:keys$} = {value}"),
                false => format!("{name:keys$} = {value:values$}  # {origin}"),
            };
            self.line(entry.trim_end());
        }
    }

    fn write(mut self) -> String {
        self.head();
        let parameters = std::mem::take(&mut self.shared.lines);
        if !parameters.is_empty() {
            self.line("\n[parameters]");
            parameters.iter().for_each(|line| self.line(line));
        }
        let points = self.points.iter();
        let points =
            points.map(|(name, at, what)| [key(name), vector(*at, self.noise), what.clone()]).collect();
        self.section("points", points);
        self.bodies();
        self.joints();
        self.couplings();
        self.cables();
        self.drivers();
        self.actuators();
        self.sensors();
        self.surfaces();
        self.looks();
        self.initial();
        self.initial_motions();
        self.duration();
        self.text
    }

    fn head(&mut self) {
        let robot = self.robot;
        let file = comment(&robot.place.file);
        self.line(format!(
            "# {}: made of {file} ({}) by `linkwork import`.",
            comment(&robot.name),
            comment(&robot.format)
        ));
        self.line("# Points, centres of mass, inertias and axes are those of the zero pose, in world axes; SI units.");
        self.line("format = 1\n\n[model]");
        self.line(format!(
            "name = {}",
            string(&robot.name.chars().filter(|c| !c.is_control()).collect::<String>())
        ));
        self.line("dimension = 3");
        let g = robot.gravity;
        let gravity = match g.norm() == 0.0 {
            true => "\"none\"".to_owned(),
            false if g == Vector3::new(0.0, 0.0, -GRAVITY) => "\"-z\"".to_owned(),
            false => vector(g, 0.0),
        };
        self.line(format!("gravity = {gravity}"));
    }

    fn bodies(&mut self) {
        let mut entries = Vec::new();
        let ground = &self.held[self.robot.links.len()];
        if !ground.is_empty() {
            let fixed: Vec<&str> = self
                .robot
                .links
                .iter()
                .filter(|link| link.fixed)
                .map(|link| link.name.as_str())
                .take(6)
                .collect();
            entries.push([
                "ground".into(),
                format!("{{ points = {} }}", names(ground)),
                comment(&fixed.join(", ")),
            ]);
        }
        for (n, link) in self.robot.links.iter().enumerate().filter(|(_, link)| !link.fixed) {
            let inertia = link.world_inertia();
            let noise = NOISE * inertia.amax();
            let entry = |a: usize, b: usize| neat(inertia[(a, b)], noise);
            let diagonal = [entry(0, 0), entry(1, 1), entry(2, 2)].join(", ");
            let mixed = [entry(0, 1), entry(0, 2), entry(1, 2)];
            let inertia = match mixed.iter().all(|entry| entry == "0") {
                true => format!("[{diagonal}]"),
                false => format!("[{diagonal}, {}]", mixed.join(", ")),
            };
            // a body without mass has its centre where it is held; one that is held there needs no numbers for it
            let centre = link.world_com();
            let at_centre = self.held[n].iter().find(|point| {
                link.mass == 0.0
                    || self
                        .points
                        .iter()
                        .any(|(name, at, _)| name == *point && (at - centre).amax() <= self.noise)
            });
            let com = at_centre.map_or_else(|| vector(centre, self.noise), |point| string(point));
            let value = format!(
                "{{ points = {}, mass = {}, com = {com}, inertia = {inertia}{} }}",
                names(&self.held[n]),
                neat(link.mass, NOISE * link.mass),
                link.colour().map_or_else(String::new, |colour| format!(", color = \"{colour}\"")),
            );
            let mut origin = self.place(&link.place);
            if !link.merged.is_empty() {
                let shown: Vec<&str> = link.merged.iter().take(6).map(String::as_str).collect();
                let _ = write!(origin, ", with {}", shown.join(", "));
                if link.merged.len() > shown.len() {
                    let _ = write!(origin, " and {} more", link.merged.len() - shown.len());
                }
            }
            entries.push([key(&self.bodies[n]), value, comment(&origin)]);
        }
        self.section("bodies", entries);
    }

    /// The name of the body at an end of a joint.
    fn end_name(&self, end: End) -> String {
        end.map_or("ground", |link| &self.bodies[link]).to_owned()
    }

    fn joints(&mut self) {
        let mut entries = Vec::new();
        for (n, joint) in self.robot.joints.iter().enumerate() {
            let [one, two] = &self.ends[n];
            let at = if one == two { string(one) } else { names([one, two]) };
            let bodies = names([&self.end_name(joint.first), &self.end_name(joint.second)]);
            let mut value = format!("{{ type = \"{}\", bodies = {bodies}, at = {at}", joint.kind.word());
            if joint.kind.has_axis() {
                let _ = write!(value, ", axis = {}", direction(joint.axis));
            }
            match joint.kind {
                JointKind::Universal { axis2 } | JointKind::ConstantVelocity { axis2 } => {
                    let _ = write!(value, ", axis2 = {}", direction(axis2));
                }
                JointKind::Screw { pitch } => {
                    let _ = write!(value, ", pitch = {}", number(pitch));
                }
                JointKind::Distance { length } => {
                    let _ = write!(value, ", length = {}", number(length));
                }
                _ => {}
            }
            self.along(n, &mut value);
            value.push_str(" }");
            entries.push([key(&self.joints[n]), value, self.place(&joint.place)]);
        }
        self.section("joints", entries);
    }

    /// Springs, dampers, friction, inertia and stops along the coordinates of a joint.
    fn along(&self, n: usize, out: &mut String) {
        let joint = &self.robot.joints[n];
        let units = joint.kind.coordinates();
        let coordinates = &joint.coordinates[..joint.coordinates.len().min(units.len())];
        let list = |values: Vec<String>| match values.as_slice() {
            [one] => one.clone(),
            _ => format!("[{}]", values.join(", ")),
        };
        for (key, value, unit_of) in ALONG {
            if coordinates.iter().any(|c| value(c) != 0.0) {
                let texts = coordinates.iter().zip(units).map(|(c, of)| {
                    let text = number(value(c));
                    match self.shared.parameters.get(&(key, format!("{text} {}", unit(unit_of, of)))) {
                        Some(parameter) => string(parameter),
                        None => text,
                    }
                });
                let _ = write!(out, ", {key} = {}", list(texts.collect()));
            }
        }
        if coordinates.iter().any(|c| c.stiffness != 0.0) {
            let rests = coordinates.iter().zip(units).map(|(c, of)| along(c.rest, of)).collect();
            let _ = write!(out, ", rest = {}", list(rests));
        }
        let bounded = |c: &Coordinate| c.limits.iter().any(|limit| limit.is_finite());
        let soft = |c: &Coordinate| bounded(c) && c.stop.is_some();
        let bound = |limit: f64, of| if limit.is_finite() { along(limit, of) } else { "\"none\"".into() };
        let range = |c: &Coordinate, of| format!("[{}, {}]", bound(c.limits[0], of), bound(c.limits[1], of));
        if coordinates.iter().any(soft) {
            let ranges = coordinates.iter().zip(units);
            let ranges = ranges.map(|(c, of)| if soft(c) { range(c, of) } else { "[]".into() }).collect();
            let stop = |value: fn(&crate::robot::Stop) -> f64| {
                list(coordinates.iter().map(|c| number(c.stop.as_ref().map_or(0.0, value))).collect())
            };
            let _ = write!(
                out,
                ", limits = {}, limit_stiffness = {}, limit_damping = {}",
                list(ranges),
                stop(|stop| stop.stiffness),
                stop(|stop| stop.damping)
            );
        }
        let hard: Vec<String> = coordinates
            .iter()
            .enumerate()
            .filter(|(_, c)| bounded(c) && c.stop.is_none())
            .map(|(at, c)| {
                // a hard stop on one side has its other side out of reach
                let far = |limit: f64| if limit.is_finite() { limit } else { 1e6 * limit.signum() };
                let [least, most] = c.limits.map(|limit| along(far(limit), units[at]));
                let which = if at == 0 { String::new() } else { format!(", coordinate = {}", at + 1) };
                format!("{{ range = [{least}, {most}], restitution = 0{which} }}")
            })
            .collect();
        if !hard.is_empty() {
            let _ = write!(out, ", impact_limits = {}", list(hard));
        }
    }

    fn couplings(&mut self) {
        let mut taken = Names::default();
        let mut entries = Vec::new();
        for coupling in &self.robot.couplings {
            let joints = names(coupling.terms.iter().map(|term| &self.joints[term.0]));
            let mut value = format!("{{ joints = {joints}");
            if coupling.terms.iter().any(|term| term.1 > 0) {
                let list: Vec<String> = coupling.terms.iter().map(|term| (term.1 + 1).to_string()).collect();
                let _ = write!(value, ", coordinates = [{}]", list.join(", "));
            }
            match coupling.terms.as_slice() {
                [(_, _, 1.0), (_, _, factor)] => {
                    let _ = write!(value, ", ratio = {} }}", number(-factor));
                }
                terms => {
                    let list: Vec<String> = terms.iter().map(|term| number(term.2)).collect();
                    let _ = write!(value, ", factors = [{}] }}", list.join(", "));
                }
            }
            entries.push([key(&taken.take(&coupling.name)), value, self.place(&coupling.place)]);
        }
        self.section("couplings", entries);
    }

    fn cables(&mut self) {
        let mut taken = Names::default();
        let mut entries = Vec::new();
        for cable in self.robot.cables.iter().filter(|cable| cable.stiffness != 0.0 || cable.damping != 0.0) {
            let points: Vec<String> =
                cable.through.iter().map(|(name, ..)| self.named.get(name).unwrap_or(name).clone()).collect();
            let mut value = format!("{{ through = {}", names(&points));
            for (key, number) in [("stiffness", cable.stiffness), ("damping", cable.damping)] {
                if number != 0.0 {
                    let _ = write!(value, ", {key} = {}", self::number(number));
                }
            }
            let _ = write!(value, ", free_length = {}", neat(cable.free_length, self.noise));
            if !cable.tension_only {
                value.push_str(", tension_only = false");
            }
            value.push_str(" }");
            entries.push([key(&taken.take(&cable.name)), value, self.place(&cable.place)]);
        }
        self.section("cables", entries);
    }

    fn initial(&mut self) {
        let mut by_joint: Vec<(usize, Vec<[f64; 2]>)> = Vec::new();
        for initial in &self.robot.initial {
            let at = match by_joint.iter().position(|(joint, _)| *joint == initial.joint) {
                Some(at) => at,
                None => {
                    by_joint.push((initial.joint, Vec::new()));
                    by_joint.len() - 1
                }
            };
            let list = &mut by_joint[at].1;
            if list.len() <= initial.coordinate {
                list.resize(initial.coordinate + 1, [0.0, 0.0]);
            }
            list[initial.coordinate] = [initial.q, initial.v];
        }
        // rates that nothing gives would follow, too
        let all_still = self.robot.initial.iter().all(|initial| initial.v == 0.0)
            && self.robot.initial_motions.is_empty();
        let mut entries = Vec::new();
        for (joint, values) in by_joint {
            let mut motions = self.robot.initial_motions.iter().map(|motion| motion.link);
            let units = self.robot.joints[joint].kind.coordinates();
            let list = |n: usize| {
                let texts: Vec<String> = values
                    .iter()
                    .enumerate()
                    .map(|(at, value)| match units.get(at) {
                        Some(of) if n == 0 => along(value[0], of),
                        _ => number(value[n]),
                    })
                    .collect();
                if texts.len() == 1 { texts[0].clone() } else { format!("[{}]", texts.join(", ")) }
            };
            let given = motions.any(|link| self.robot.joints[joint].second == Some(link));
            let still = all_still || given;
            let value = match (still, values.len()) {
                (true, 1) => list(0),
                (true, _) => format!("{{ q = {} }}", list(0)),
                (false, _) => format!("{{ q = {}, v = {} }}", list(0), list(1)),
            };
            entries.push([key(&self.joints[joint]), value, String::new()]);
        }
        self.section("initial.joints", entries);
    }
}

/// Values that so many joints have become parameters.
fn shared(robot: &Robot) -> Shared {
    let mut counts: HashMap<(&'static str, String), usize> = HashMap::new();
    let mut order = Vec::new();
    for joint in &robot.joints {
        for (coordinate, of) in joint.coordinates.iter().zip(joint.kind.coordinates()) {
            for (key, value, units) in ALONG {
                let value = value(coordinate);
                if value != 0.0 {
                    let value = (key, format!("{} {}", number(value), unit(units, of)));
                    let count = counts.entry(value.clone()).or_default();
                    *count += 1;
                    if *count == 1 {
                        order.push(value);
                    }
                }
            }
        }
    }
    let mut shared = Shared { parameters: HashMap::new(), lines: Vec::new() };
    for (key, value) in order.into_iter().filter(|value| counts[value] >= REPEATS) {
        let count = counts[&(key, value.clone())];
        let same = shared.parameters.keys().filter(|(other, _)| *other == key).count();
        let name = if same == 0 { format!("joint_{key}") } else { format!("joint_{key}_{}", same + 1) };
        shared.lines.push(format!("{name} = {}  # of {count} joints", string(&value)));
        shared.parameters.insert((key, value), name);
    }
    shared
}
