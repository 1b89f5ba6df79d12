//! Readings: what formulas may read off a mechanism while it moves. The one list of them.

use super::{Dimension, Formula, FormulaError, GROUND, Model, Table};
use crate::error::names::nearest;
use crate::expressions::units::Dims;
use crate::expressions::{PointFunction, Problem, Reference, TIME, Target};
use crate::interactions::elements::{self, Output, Readable, each_element};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What a reference of a formula means. Indices are those of the model's lists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reading {
    /// The time `t`, s.
    Time,
    /// A quantity that only the formula's own key knows, such as the length in the law of a spring: its index in the list
    /// of names the key allows.
    Local(usize),
    /// The value of a measure.
    Measure(usize),
    /// `input.NAME`
    Input(usize),
    /// `state.NAME`
    State(usize),
    /// `point.NAME.x`
    Point {
        /// Which point.
        index: usize,
        /// What of it.
        what: PointReading,
    },
    /// `body.NAME.x`
    Body {
        /// Which moving body.
        index: usize,
        /// What of it.
        what: BodyReading,
    },
    /// `joint.NAME.q`. By name: points shared by bodies are joints that the model does not list. Whether there is a joint
    /// of this name, and whether it has this coordinate or moment, is known once the mechanism is.
    Joint {
        /// Its name; of an implied joint that of its point, or `POINT.BODY`.
        name: String,
        /// What of it.
        what: JointReading,
    },
    /// `contact.NAME.gap`. By name: an entry of the model's contacts, or a pair or a single contact of it. Whether there is such a pair or contact is
    /// known once the mechanism is.
    Contact {
        /// Its name.
        name: String,
        /// What of it.
        what: ContactReading,
    },
    /// `actuator.NAME.power` and the like: an output of a force element or of a driver. Whether it has this one is
    /// known once the mechanism is.
    Element {
        /// Of which kind.
        kind: ElementKind,
        /// Which, in the model's list of that kind.
        index: usize,
        /// What of it: the name of its column in the results.
        what: &'static str,
    },
    /// `distance(A, B)`
    Between {
        /// Which quantity.
        function: PointFunction,
        /// Its points, in the order given.
        points: Vec<usize>,
    },
}

/// An axis of the world: 0 is x, 1 is y, 2 is z.
pub type WorldAxis = usize;

/// What can be read of a point, in world axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointReading {
    /// `x` `y` `z`, m
    Position(WorldAxis),
    /// `vx` `vy` `vz`, m/s
    Velocity(WorldAxis),
    /// `ax` `ay` `az`, m/s²
    Acceleration(WorldAxis),
}

/// What can be read of a body, in world axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyReading {
    /// `x` `y` `z` of the centre of mass, m
    Position(WorldAxis),
    /// `vx` `vy` `vz` of the centre of mass, m/s
    Velocity(WorldAxis),
    /// `wx` `wy` `wz`: the angular velocity, rad/s; in the plane only `wz`
    AngularVelocity(WorldAxis),
    /// `angle`, in the plane: how far it has turned since the drawing, rad
    Angle,
    /// `roll`, in space: the last of the turns yaw (about z), pitch (about the new y), roll (about the new x) from the drawing, rad
    Roll,
    /// `pitch`, in space, rad
    Pitch,
    /// `yaw`, in space, rad
    Yaw,
    /// `qw` `qx` `qy` `qz`, in space: the unit quaternion of the turn since the drawing; 0 is w
    Quaternion(usize),
    /// `contact_force.x` `contact_force.y` `contact_force.z`: the sum of the forces of contacts on it, N
    ContactForce(WorldAxis),
}

/// What can be read of a contact, or of several together: of a pair of surfaces, or of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactReading {
    /// `gap`, m; of several the least
    Gap,
    /// `rate` of the gap, m/s; of several that of the least
    Rate,
    /// `slip`: how fast it slips, m/s; of a single contact
    Slip,
    /// `slip.x` `slip.y` `slip.z`: velocity of the second surface along the first, m/s; of a single contact
    SlipAlong(WorldAxis),
    /// `normal` force, N; of several their sum
    Normal,
    /// `friction.x` `friction.y` `friction.z` on the second surface, N; of several their sum
    Friction(WorldAxis),
    /// `force.x` `force.y` `force.z`: all force on the second surface, N; of several their sum
    Force(WorldAxis),
    /// `closed`: how many of them push
    Closed,
    /// `state`: 0 open, 1 slips, 2 sticks; of a single contact
    State,
    /// `impulse`: normal impulses of all impacts so far, N s; of a whole entry
    Impulse,
}

/// What can be read of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointReading {
    /// `q`, `q2`, `q3` …: its coordinates, from 0; rad or m
    Coordinate(usize),
    /// `v`, `v2`, `v3` …: their rates, from 0; rad/s or m/s
    Rate(usize),
    /// `force.x` `force.y` `force.z` on the second body, in world axes, N
    Force(WorldAxis),
    /// `moment.x` `moment.y` `moment.z` on the second body, in world axes, N m; in the plane only `moment.z`
    Moment(WorldAxis),
}

/// The kinds of element with outputs that formulas may read: those of the list of elements, chains and drivers.
macro_rules! element_kinds {
    ($($list:ident: $type:ident = $one:ident, $about:literal;)*) => {
        /// The kinds of element with outputs that formulas may read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ElementKind {
            $(
                #[doc = concat!("`", stringify!($one), "`")]
                $type,
            )*
            /// `chain`
            Chain,
            /// `driver`
            Driver,
        }

        impl ElementKind {
            /// Every kind.
            pub const ALL: &'static [ElementKind] =
                &[$(ElementKind::$type,)* ElementKind::Chain, ElementKind::Driver];

            /// The word that readings and columns begin with.
            pub fn name(self) -> &'static str {
                match self {
                    $(ElementKind::$type => <elements::$type as Readable>::WORD,)*
                    ElementKind::Chain => "chain",
                    ElementKind::Driver => "driver",
                }
            }

            /// What can be read of such an element.
            pub(crate) fn outputs(self) -> &'static [Output] {
                match self {
                    $(ElementKind::$type => <elements::$type as Readable>::OUTPUTS,)*
                    ElementKind::Chain => &CHAIN,
                    ElementKind::Driver => &DRIVER,
                }
            }

            /// The names of all such elements of a model.
            pub(crate) fn names(self, model: &Model) -> Vec<&str> {
                match self {
                    $(ElementKind::$type => model.$list.iter().map(|e| e.name.as_str()).collect(),)*
                    ElementKind::Chain => model.chains.iter().map(|e| e.name.as_str()).collect(),
                    ElementKind::Driver => model.drivers.iter().map(|e| e.name.as_str()).collect(),
                }
            }
        }
    };
}
each_element!(element_kinds);

const CHAIN: [Output; 4] = [
    Output::of_any_dimension("segments"),
    Output::both("length", Dims::new(1, 0, 0)),
    Output::of_any_dimension("growing"),
    Output::both("pay_out_speed", Dims::new(1, 0, -1)),
];

const DRIVER: [Output; 2] =
    [Output::both("force", Dims::new(1, 1, -2)), Output::both("torque", Dims::new(2, 1, -2))];

/// The kinds of item that a dotted name may begin with.
fn kinds() -> impl Iterator<Item = &'static str> + Clone {
    ["point", "body", "joint", "contact", "input", "state"]
        .into_iter()
        .chain(ElementKind::ALL.iter().map(|kind| kind.name()))
}

const POINT: [(&str, PointReading); 9] = [
    ("x", PointReading::Position(0)),
    ("y", PointReading::Position(1)),
    ("z", PointReading::Position(2)),
    ("vx", PointReading::Velocity(0)),
    ("vy", PointReading::Velocity(1)),
    ("vz", PointReading::Velocity(2)),
    ("ax", PointReading::Acceleration(0)),
    ("ay", PointReading::Acceleration(1)),
    ("az", PointReading::Acceleration(2)),
];

const BODY: [(&str, BodyReading); 17] = [
    ("x", BodyReading::Position(0)),
    ("y", BodyReading::Position(1)),
    ("z", BodyReading::Position(2)),
    ("vx", BodyReading::Velocity(0)),
    ("vy", BodyReading::Velocity(1)),
    ("vz", BodyReading::Velocity(2)),
    ("wx", BodyReading::AngularVelocity(0)),
    ("wy", BodyReading::AngularVelocity(1)),
    ("wz", BodyReading::AngularVelocity(2)),
    ("angle", BodyReading::Angle),
    ("roll", BodyReading::Roll),
    ("pitch", BodyReading::Pitch),
    ("yaw", BodyReading::Yaw),
    ("qw", BodyReading::Quaternion(0)),
    ("qx", BodyReading::Quaternion(1)),
    ("qy", BodyReading::Quaternion(2)),
    ("qz", BodyReading::Quaternion(3)),
];

/// The vectors of a joint; its coordinates are numbered.
const JOINT: [(&str, JointReading); 6] = [
    ("force.x", JointReading::Force(0)),
    ("force.y", JointReading::Force(1)),
    ("force.z", JointReading::Force(2)),
    ("moment.x", JointReading::Moment(0)),
    ("moment.y", JointReading::Moment(1)),
    ("moment.z", JointReading::Moment(2)),
];

/// The forces of contacts on a body.
const CONTACT_FORCE: &str = "contact_force";

const CONTACT: [(&str, ContactReading); 16] = [
    ("gap", ContactReading::Gap),
    ("rate", ContactReading::Rate),
    ("slip", ContactReading::Slip),
    ("slip.x", ContactReading::SlipAlong(0)),
    ("slip.y", ContactReading::SlipAlong(1)),
    ("slip.z", ContactReading::SlipAlong(2)),
    ("normal", ContactReading::Normal),
    ("friction.x", ContactReading::Friction(0)),
    ("friction.y", ContactReading::Friction(1)),
    ("friction.z", ContactReading::Friction(2)),
    ("force.x", ContactReading::Force(0)),
    ("force.y", ContactReading::Force(1)),
    ("force.z", ContactReading::Force(2)),
    ("closed", ContactReading::Closed),
    ("state", ContactReading::State),
    ("impulse", ContactReading::Impulse),
];

/// A joint has no more coordinates than this.
const MAX_COORDINATES: usize = 6;

impl PointReading {
    fn exists(self, dimension: Dimension) -> bool {
        let (PointReading::Position(axis) | PointReading::Velocity(axis) | PointReading::Acceleration(axis)) =
            self;
        axis < dimension.columns()
    }
}

impl BodyReading {
    fn exists(self, dimension: Dimension) -> bool {
        match (self, dimension) {
            (
                BodyReading::Position(axis) | BodyReading::Velocity(axis) | BodyReading::ContactForce(axis),
                _,
            ) => axis < dimension.columns(),
            (BodyReading::AngularVelocity(axis), Dimension::Planar) => axis == 2,
            (BodyReading::Angle, _) => dimension == Dimension::Planar,
            (_, _) => dimension == Dimension::Spatial,
        }
    }
}

impl ContactReading {
    fn exists(self, dimension: Dimension) -> bool {
        match self {
            ContactReading::SlipAlong(axis)
            | ContactReading::Friction(axis)
            | ContactReading::Force(axis) => axis < dimension.columns(),
            _ => true,
        }
    }

    #[cfg(feature = "file")]
    fn dims(self) -> Dims {
        match self {
            ContactReading::Gap => Dims::new(1, 0, 0),
            ContactReading::Rate | ContactReading::Slip | ContactReading::SlipAlong(_) => Dims::new(1, 0, -1),
            ContactReading::Normal | ContactReading::Friction(_) | ContactReading::Force(_) => {
                Dims::new(1, 1, -2)
            }
            ContactReading::Closed | ContactReading::State => Dims::NONE,
            ContactReading::Impulse => Dims::new(1, 1, -1),
        }
    }
}

/// An axis of the world by its name, if there is one.
fn axis_named(name: &str, dimension: Dimension) -> Option<WorldAxis> {
    ["x", "y", "z"].iter().position(|axis| *axis == name).filter(|axis| *axis < dimension.columns())
}

impl JointReading {
    fn exists(self, dimension: Dimension) -> bool {
        match (self, dimension) {
            (JointReading::Force(axis), _) => axis < dimension.columns(),
            (JointReading::Moment(axis), Dimension::Planar) => axis == 2,
            _ => true,
        }
    }

    /// By its name: `q`, `q2`, `force.x`.
    fn parse(name: &str) -> Option<JointReading> {
        if let Some((_, reading)) = JOINT.iter().find(|(known, _)| *known == name) {
            return Some(*reading);
        }
        let number = match name.get(1..)? {
            "" => 1,
            "1" => return None, // the first has no number
            digits => digits.parse().ok().filter(|n| (2..=MAX_COORDINATES).contains(n))?,
        };
        match name.as_bytes()[0] {
            b'q' => Some(JointReading::Coordinate(number - 1)),
            b'v' => Some(JointReading::Rate(number - 1)),
            _ => None,
        }
    }
}

/// The dimension of what a name reads, as far as the name tells it: whether it can be read at all is checked with the
/// model. `turns` says whether a coordinate of a joint, counted from one, is an angle.
#[cfg(feature = "file")]
pub(crate) fn dims(target: &Target, turns: &dyn Fn(&str, usize) -> Option<bool>) -> Option<Dims> {
    const ANGLE: Dims = Dims::NONE;
    const LENGTH: Dims = Dims::new(1, 0, 0);
    const SPEED: Dims = Dims::new(1, 0, -1);
    const TURNING: Dims = Dims::new(0, 0, -1);
    const FORCE: Dims = Dims::new(1, 1, -2);
    const MOMENT: Dims = Dims::new(2, 1, -2);
    let parts: Vec<&str> = match target {
        Target::Name(parts) => parts.iter().map(String::as_str).collect(),
        Target::Call { function, .. } => {
            return Some(match function {
                PointFunction::Distance => LENGTH,
                PointFunction::DistanceRate | PointFunction::Speed => SPEED,
                PointFunction::Angle => ANGLE,
                PointFunction::AngleRate => TURNING,
            });
        }
    };
    let [kind, name @ .., what] = parts.as_slice() else { return None };
    if *kind == "joint" {
        if let [.., "force"] = name {
            return Some(FORCE);
        }
        if let [.., "moment"] = name {
            return Some(MOMENT);
        }
        let (coordinate, rate) = match JointReading::parse(what)? {
            JointReading::Coordinate(n) => (n, false),
            JointReading::Rate(n) => (n, true),
            JointReading::Force(_) => return Some(FORCE),
            JointReading::Moment(_) => return Some(MOMENT),
        };
        return Some(match (turns(&name.join("."), coordinate + 1)?, rate) {
            (true, false) => ANGLE,
            (true, true) => TURNING,
            (false, false) => LENGTH,
            (false, true) => SPEED,
        });
    }
    if *kind == "contact" {
        let two = name.last().map(|inner| format!("{inner}.{what}")).unwrap_or_default();
        let known = |text: &str| CONTACT.iter().find(|(known, _)| *known == text);
        return known(&two).or_else(|| known(what)).map(|(_, what)| what.dims());
    }
    match *kind {
        "body" if name.last() == Some(&CONTACT_FORCE) => Some(FORCE),
        "point" => POINT.iter().find(|(known, _)| known == what).map(|(_, what)| match what {
            PointReading::Position(_) => LENGTH,
            PointReading::Velocity(_) => SPEED,
            PointReading::Acceleration(_) => Dims::new(1, 0, -2),
        }),
        "body" => BODY.iter().find(|(known, _)| known == what).map(|(_, what)| match what {
            BodyReading::Position(_) => LENGTH,
            BodyReading::Velocity(_) => SPEED,
            BodyReading::AngularVelocity(_) => TURNING,
            BodyReading::Angle | BodyReading::Roll | BodyReading::Pitch | BodyReading::Yaw => ANGLE,
            BodyReading::Quaternion(_) => ANGLE,
            BodyReading::ContactForce(_) => FORCE,
        }),
        _ => {
            let kind = ElementKind::ALL.iter().find(|known| known.name() == *kind)?;
            kind.outputs().iter().find(|output| output.name == *what)?.dims
        }
    }
}

/// Finds out what the references of formulas mean, in one model.
#[derive(Clone, Debug)]
pub struct Readings<'a> {
    model: &'a Model,
    points: HashMap<&'a str, usize>,
    bodies: HashMap<&'a str, usize>,
    joints: HashSet<&'a str>,
    contacts: HashSet<&'a str>,
    elements: HashMap<(ElementKind, &'a str), usize>,
    measures: HashMap<&'a str, usize>,
    inputs: HashMap<&'a str, usize>,
    states: HashMap<&'a str, usize>,
    tables: HashMap<&'a str, usize>,
    /// Whether errors suggest the nearest name, which takes a search through all of them.
    pub advise: bool,
}

fn indexed<'a>(names: impl Iterator<Item = &'a String>) -> HashMap<&'a str, usize> {
    names.enumerate().map(|(i, name)| (name.as_str(), i)).collect()
}

impl<'a> Readings<'a> {
    /// Readings of a model.
    pub fn new(model: &'a Model) -> Self {
        Readings {
            model,
            points: indexed(model.points.iter().map(|point| &point.name)),
            bodies: indexed(model.bodies.iter().map(|body| &body.name)),
            joints: model.joints.iter().map(|joint| joint.name.as_str()).collect(),
            contacts: model.contacts.iter().map(|contact| contact.name.as_str()).collect(),
            elements: ElementKind::ALL
                .iter()
                .copied()
                .flat_map(|kind| {
                    kind.names(model).into_iter().enumerate().map(move |(i, name)| ((kind, name), i))
                })
                .collect(),
            measures: indexed(model.measures.iter().map(|measure| &measure.name)),
            inputs: indexed(model.inputs.iter().map(|input| &input.name)),
            states: indexed(model.states.iter().map(|state| &state.name)),
            tables: indexed(model.tables.iter().map(|table| &table.name)),
            advise: true,
        }
    }

    /// The curve of a table, by its name.
    pub fn table(&self, name: &str) -> Option<&'a Arc<Table>> {
        self.tables.get(name).map(|&index| &self.model.tables[index].table)
    }

    /// What each reference of a formula means, in their order, and the formula with its tables: ready to be evaluated. `locals`
    /// are names that the formula's key allows besides.
    pub fn resolve(
        &self,
        formula: &Formula,
        locals: &[&str],
    ) -> Result<(Formula, Vec<Reading>), FormulaError> {
        let readings: Result<Vec<_>, Problem> =
            formula.references().iter().map(|reference| self.reading(reference, locals)).collect();
        let readings = readings.map_err(|problem| FormulaError::new(formula.text(), problem))?;
        Ok((formula.clone().with_tables(|name| self.table(name).cloned())?, readings))
    }

    /// What a reference means.
    pub(crate) fn reading(&self, reference: &Reference, locals: &[&str]) -> Result<Reading, Problem> {
        let parts = match &reference.target {
            Target::Name(parts) => parts,
            Target::Call { function, points } => {
                let points: Result<Vec<usize>, Problem> =
                    points.iter().map(|name| self.find("point", &self.points, name, reference)).collect();
                return Ok(Reading::Between { function: *function, points: points? });
            }
        };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts[..] {
            [name] => self.single(name, reference, locals),
            ["input", name] => Ok(Reading::Input(self.find("input", &self.inputs, name, reference)?)),
            ["state", name] => Ok(Reading::State(self.find("state", &self.states, name, reference)?)),
            ["joint", ..] => self.joint(&parts[1..], reference),
            ["contact", ..] => self.contact(&parts[1..], reference),
            ["body", name, CONTACT_FORCE, axis] if name != GROUND => {
                let index = self.find("body", &self.bodies, name, reference)?;
                match axis_named(axis, self.model.dimension) {
                    Some(axis) => Ok(Reading::Body { index, what: BodyReading::ContactForce(axis) }),
                    None => {
                        let message = format!("a {CONTACT_FORCE} has no `{axis}`");
                        let known = ["x", "y", "z"][..self.model.dimension.columns()].join(", ");
                        Err(self.problem(reference, message, Some(format!("it has {known}"))))
                    }
                }
            }
            [kind, name, what] => match kind {
                "point" => {
                    let index = self.find(kind, &self.points, name, reference)?;
                    let what = self.what(kind, &POINT, PointReading::exists, what, reference)?;
                    Ok(Reading::Point { index, what })
                }
                "body" if name == GROUND => {
                    Err(self.problem(reference, format!("`{GROUND}` never moves: it has no readings"), None))
                }
                "body" => {
                    let index = self.find(kind, &self.bodies, name, reference)?;
                    let what = self.what(kind, &BODY, BodyReading::exists, what, reference)?;
                    Ok(Reading::Body { index, what })
                }
                _ => match ElementKind::ALL.iter().find(|known| known.name() == kind) {
                    Some(&kind) => self.element(kind, name, what, reference),
                    None => Err(self.unknown_kind(kind, reference)),
                },
            },
            [kind, ..] if !kinds().any(|known| known == kind) => Err(self.unknown_kind(kind, reference)),
            _ => {
                let what = if ["input", "state"].contains(&parts[0]) { "" } else { ".WHAT" };
                let message =
                    format!("a reading is written `{}.NAME{what}`, this is `{}`", parts[0], reference.target);
                Err(self.problem(reference, message, Some("a name with a dot stands in backticks".into())))
            }
        }
    }

    /// An output of an element.
    fn element(
        &self,
        kind: ElementKind,
        name: &str,
        what: &str,
        reference: &Reference,
    ) -> Result<Reading, Problem> {
        let Some(&index) = self.elements.get(&(kind, name)) else {
            let help = if self.advise { nearest(name, kind.names(self.model)) } else { None };
            return Err(self.problem(reference, format!("there is no {} `{name}`", kind.name()), help));
        };
        let known = kind.outputs().iter().filter(|output| output.exists(self.model.dimension));
        match known.clone().find(|known| known.name == what) {
            Some(output) => Ok(Reading::Element { kind, index, what: output.name }),
            None => {
                let known: Vec<&str> = known.map(|output| output.name).collect();
                let help = format!("a {} has {}", kind.name(), known.join(", "));
                Err(self.problem(reference, format!("a {} has no `{what}`", kind.name()), Some(help)))
            }
        }
    }

    /// A name without a dot.
    fn single(&self, name: &str, reference: &Reference, locals: &[&str]) -> Result<Reading, Problem> {
        if let Some(index) = locals.iter().position(|local| *local == name) {
            return Ok(Reading::Local(index));
        }
        if name == TIME {
            return Ok(Reading::Time);
        }
        if let Some(&index) = self.measures.get(name) {
            return Ok(Reading::Measure(index));
        }
        let measures = self.model.measures.iter().map(|measure| measure.name.as_str());
        let known = || measures.chain(locals.iter().copied()).chain([TIME]).collect::<Vec<_>>();
        let help = if self.advise { nearest(name, known()) } else { None };
        Err(self.problem(reference, format!("unknown name `{name}`"), help))
    }

    /// The parts after `joint`: a name, which may have dots, and what of it.
    fn joint(&self, parts: &[&str], reference: &Reference) -> Result<Reading, Problem> {
        let dimension = self.model.dimension;
        // the longer reading first: `force.x` ends in `x`
        for count in [2, 1] {
            let Some(split) = parts.len().checked_sub(count).filter(|split| *split > 0) else { continue };
            let what = JointReading::parse(&parts[split..].join("."));
            if let Some(what) = what.filter(|what| what.exists(dimension)) {
                let name = parts[..split].join(".");
                if !self.may_be_joint(&name) {
                    let joints = self.joints.iter().chain(self.points.keys()).copied();
                    let known: BTreeSet<&str> = if self.advise { joints.collect() } else { BTreeSet::new() };
                    let help = nearest(&name, known);
                    return Err(self.problem(reference, format!("there is no joint `{name}`"), help));
                }
                return Ok(Reading::Joint { name, what });
            }
        }
        let vectors = JOINT.iter().filter(|(_, what)| what.exists(dimension)).map(|(name, _)| *name);
        let known = ["q", "v", "q2", "v2"].into_iter().chain(vectors).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` says nothing that a joint has", reference.target);
        Err(self.problem(reference, message, Some(format!("a joint has {known}"))))
    }

    /// The parts after `contact`: a name, which may have dots, and what of it.
    fn contact(&self, parts: &[&str], reference: &Reference) -> Result<Reading, Problem> {
        let dimension = self.model.dimension;
        let known = || CONTACT.iter().filter(|(_, what)| what.exists(dimension));
        // the longer reading first: `slip.x` ends in `x`
        for count in [2, 1] {
            let Some(split) = parts.len().checked_sub(count).filter(|split| *split > 0) else { continue };
            let what = parts[split..].join(".");
            if let Some((_, what)) = known().find(|(name, _)| *name == what) {
                let name = parts[..split].join(".");
                let mut ends = name.match_indices('.').map(|(i, _)| i);
                let entry = self.contacts.contains(name.as_str())
                    || ends.any(|end| self.contacts.contains(&name[..end]));
                if !entry {
                    let entries = self.contacts.iter().copied();
                    let entries: BTreeSet<&str> =
                        if self.advise { entries.collect() } else { BTreeSet::new() };
                    let help = nearest(&name, entries);
                    return Err(self.problem(reference, format!("there is no contact `{name}`"), help));
                }
                return Ok(Reading::Contact { name, what: *what });
            }
        }
        let known = known().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` says nothing that a contact has", reference.target);
        Err(self.problem(reference, message, Some(format!("a contact has {known}"))))
    }

    /// Whether it is the name of an entry, or begins with a point as the names of implied joints do: `P`, `P.BODY`, `P'`.
    fn may_be_joint(&self, name: &str) -> bool {
        let mut ends = name.char_indices().filter(|(_, c)| ['.', '\''].contains(c)).map(|(i, _)| i);
        self.joints.contains(name)
            || self.points.contains_key(name)
            || ends.any(|end| self.points.contains_key(&name[..end]))
    }

    /// The index of an item by its name.
    fn find(
        &self,
        kind: &str,
        items: &HashMap<&str, usize>,
        name: &str,
        reference: &Reference,
    ) -> Result<usize, Problem> {
        items.get(name).copied().ok_or_else(|| {
            let mut known: Vec<&str> = if self.advise { items.keys().copied().collect() } else { Vec::new() };
            known.sort_unstable();
            self.problem(reference, format!("there is no {kind} `{name}`"), nearest(name, known))
        })
    }

    /// What is read of an item, of those readings that exist in the plane or in space.
    fn what<T: Copy>(
        &self,
        kind: &str,
        list: &[(&'static str, T)],
        exists: impl Fn(T, Dimension) -> bool,
        name: &str,
        reference: &Reference,
    ) -> Result<T, Problem> {
        let dimension = self.model.dimension;
        let known = list.iter().filter(|(_, what)| exists(*what, dimension));
        if let Some((_, what)) = known.clone().find(|(known, _)| *known == name) {
            return Ok(*what);
        }
        let place = match dimension {
            Dimension::Planar => " in the plane",
            Dimension::Spatial => " in space",
        };
        let place = if list.iter().any(|(known, _)| *known == name) { place } else { "" };
        let known: Vec<&str> = known.map(|(name, _)| *name).collect();
        let help = format!("a {kind} has {}", known.join(", "));
        Err(self.problem(reference, format!("a {kind} has no `{name}`{place}"), Some(help)))
    }

    fn unknown_kind(&self, kind: &str, reference: &Reference) -> Problem {
        let help = nearest(kind, kinds());
        self.problem(reference, format!("unknown name `{}`", reference.target), help)
    }

    fn problem(&self, reference: &Reference, message: String, help: Option<String>) -> Problem {
        Problem { span: reference.span.clone(), message, help }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Body, Driver, Extend, Inertia, Interpolation, Measure, Spring};

    fn planar() -> Model {
        let table = Table::new([0.0, 1.0], [0.0, 1.0], Interpolation::Cubic, Extend::Hold).unwrap();
        Model::planar("four-bar")
            .point("A", [0.0, 0.0])
            .point("B", [0.0, 1.0])
            .point("front left", [2.0, 2.0])
            .ground(["A"])
            .body(Body::rod("crank", ["A", "B"], 1.0))
            .body(Body::rod("coupler", ["B", "front left"], 2.0))
            .spring(Spring::new("front", ["A", "front left"], 10.0))
            .table("profile", table)
            .driver(Driver::joint("motor", "A", Formula::parse("2*t").unwrap()))
            .measure(Measure::new("power", 3.0))
    }

    fn spatial() -> Model {
        let inertia = Inertia::Matrix([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        Model::spatial("block").point("O", [0.0, 0.0, 0.0]).body(Body::with_inertia(
            "block",
            ["O"],
            1.0,
            [0.5, 0.0, 0.0],
            inertia,
        ))
    }

    fn readings(model: &Model, text: &str) -> Result<Vec<Reading>, FormulaError> {
        let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{error}"));
        Readings::new(model).resolve(&formula, &["length", "rate"]).map(|(_, readings)| readings)
    }

    #[test]
    #[rustfmt::skip]
    fn exact_every_reading_is_found() {
        let one = |model: &Model, text: &str| match readings(model, text).unwrap_or_else(|error| panic!("{error}")).as_slice() {
            [reading] => reading.clone(),
            other => panic!("{other:?}"),
        };
        let joint = |name: &str, what| Reading::Joint { name: name.into(), what };
        let cases = [
            ("t", Reading::Time), ("rate", Reading::Local(1)), ("power", Reading::Measure(0)), ("profile(t)", Reading::Time),
            ("point.B.vy", Reading::Point { index: 1, what: PointReading::Velocity(1) }),
            ("point.`front left`.ax", Reading::Point { index: 2, what: PointReading::Acceleration(0) }),
            ("body.coupler.x", Reading::Body { index: 1, what: BodyReading::Position(0) }),
            ("body.crank.wz", Reading::Body { index: 0, what: BodyReading::AngularVelocity(2) }),
            ("body.crank.angle", Reading::Body { index: 0, what: BodyReading::Angle }),
            ("joint.A.q", joint("A", JointReading::Coordinate(0))), ("joint.A.v", joint("A", JointReading::Rate(0))),
            ("joint.B.coupler.q2", joint("B.coupler", JointReading::Coordinate(1))), ("joint.`B.coupler`.v3", joint("B.coupler", JointReading::Rate(2))),
            ("joint.`B'`.force.y", joint("B'", JointReading::Force(1))), ("joint.A.moment.z", joint("A", JointReading::Moment(2))),
            ("spring.front.force", Reading::Element { kind: ElementKind::Spring, index: 0, what: "force" }),
            ("driver.motor.torque", Reading::Element { kind: ElementKind::Driver, index: 0, what: "torque" }),
            ("distance(A, `front left`)", Reading::Between { function: PointFunction::Distance, points: vec![0, 2] }),
            ("angle_rate(A, B, A)", Reading::Between { function: PointFunction::AngleRate, points: vec![0, 1, 0] }),
        ];
        for (text, expected) in cases {
            assert_eq!(one(&planar(), text), expected, "{text}");
        }
        let spatial = spatial();
        assert_eq!(one(&spatial, "body.block.yaw"), Reading::Body { index: 0, what: BodyReading::Yaw });
        assert_eq!(one(&spatial, "body.block.qz"), Reading::Body { index: 0, what: BodyReading::Quaternion(3) });
        assert_eq!(one(&spatial, "point.O.az"), Reading::Point { index: 0, what: PointReading::Acceleration(2) });
    }

    #[test]
    #[rustfmt::skip]
    fn exact_unknown_readings_are_told() {
        let cases = [
            ("1 + point.C.x", "point.C.x", "no point `C`", "known here: A, B, front left"), ("point.A.z", "point.A.z", "no `z` in the plane", "x, y, vx"),
            ("point.A.u", "point.A.u", "no `u`", "x, y, vx"), ("body.crnk.x", "body.crnk.x", "no body `crnk`", "did you mean `crank`?"),
            ("body.crank.roll", "body.crank.roll", "no `roll` in the plane", "angle"), ("body.ground.x", "body.ground.x", "never moves", ""),
            ("joint.Q.q", "joint.Q.q", "no joint `Q`", "A"), ("joint.A.u", "joint.A.u", "says nothing", "q, v"), ("joint.A.force.z", "joint.A.force.z", "says nothing", "force.x, force.y, moment.z"),
            ("joint.q", "joint.q", "says nothing", ""), ("joint.A.q1", "joint.A.q1", "says nothing", ""), ("joint.A.q7", "joint.A.q7", "says nothing", ""), ("spring.front.torque", "spring.front.torque", "no `torque`", "length, rate, force"),
            ("driver.motor.power", "driver.motor.power", "no `power`", "force, torque"),
            ("sprin.front.force", "sprin.front.force", "unknown name", "did you mean `spring`?"), ("point.A", "point.A", "point.NAME.WHAT", "backticks"),
            ("powr * 2", "powr", "unknown name `powr`", "did you mean `power`?"), ("lenght", "lenght", "unknown name", "did you mean `length`?"),
            ("speed(C) + 1", "speed(C)", "no point `C`", ""), ("profil(t)", "profil", "no function or table `profil`", ""), ("a.b.c.d", "a.b.c.d", "unknown name", ""),
        ];
        for (text, place, word, help) in cases {
            let error = readings(&planar(), text).expect_err(text);
            assert_eq!(&text[error.span.clone()], place, "{error}");
            assert!(error.message.contains(word) && error.help.clone().unwrap_or_default().contains(help), "{error}");
        }
    }
}
