//! What is wrong with a model: names, numbers, structure. Whether mass properties are physical and the
//! mechanism can be assembled is judged later, by the mechanism.

mod bodies;
mod cables;
mod chains;
mod changes;
mod contacts;
mod drivers;
mod elements;
mod events;
mod force_elements;
mod formulas;
mod impulses;
mod joint_forces;
mod joints;
mod settings;
mod thrusters;
mod tyres;

#[cfg(test)]
mod tests;

use super::{Axis, Body, Dimension, Fault, Faults, GROUND, Model, Place, Readings};
use crate::error::names::{MAX_NAME_LENGTH, nearest, segment};
use crate::expressions::{MAX_NUMBER, MIN_NUMBER};
use std::collections::{HashMap, HashSet};

/// The chains of a model may have this many segments at the start, all together.
pub const MAX_SEGMENTS: usize = 100_000;
/// A run may have this many result rows.
pub const MAX_OUTPUT_ROWS: f64 = 1e7;

/// Suggestions are looked for in this many faults: each searches all names.
const MAX_SUGGESTIONS: usize = 50;

impl Model {
    /// Everything wrong with the model, warnings included, with the file it was read from.
    pub fn check(&self) -> Faults {
        Faults { list: check(self), provenance: self.provenance.clone() }
    }
}

/// Everything wrong with a model, in the order of its parts.
pub fn check(model: &Model) -> Vec<Fault> {
    if model.expanded {
        let message = "this model was made by assembling another one, and is no longer what its author wrote";
        return vec![Fault::error("", message).help("take the model that was assembled")];
    }
    let mut checker = Checker::new(model);
    checker.model();
    checker.points();
    checker.bodies();
    checker.joints();
    checker.joint_forces();
    checker.springs();
    checker.torsion_springs();
    checker.bushings();
    checker.forces();
    checker.couples();
    checker.actuators();
    checker.drags();
    checker.thrusters();
    checker.cables();
    checker.chains();
    checker.tables();
    checker.measures();
    checker.variables();
    checker.couplings();
    checker.drivers();
    checker.locks();
    checker.impulses();
    checker.tyres();
    checker.surfaces();
    checker.contacts();
    checker.changes();
    checker.initial();
    checker.settings();
    checker.stops();
    checker.faults
}

/// Which numbers make sense.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    NotNegative,
    Positive,
}

struct Checker<'a> {
    model: &'a Model,
    faults: Vec<Fault>,
    suggestions: usize,
    readings: Readings<'a>,
    positions: HashMap<&'a str, [f64; 3]>,
    /// The points of each body, ground included.
    held: HashMap<&'a str, HashSet<&'a str>>,
    /// Whether two bodies share two points, as far as that was asked.
    shares_axis: HashMap<[&'a str; 2], bool>,
}

impl<'a> Checker<'a> {
    fn new(model: &'a Model) -> Self {
        let set = |points: &'a [String]| points.iter().map(String::as_str).collect::<HashSet<_>>();
        let mut held: HashMap<&str, HashSet<&str>> = HashMap::new();
        held.insert(GROUND, set(&model.ground));
        for body in &model.bodies {
            held.entry(&body.name).or_default().extend(set(&body.points));
        }
        let positions = model.points.iter().map(|point| (point.name.as_str(), point.position)).collect();
        Checker {
            model,
            faults: Vec::new(),
            suggestions: 0,
            readings: Readings::new(model),
            positions,
            held,
            shares_axis: HashMap::new(),
        }
    }

    /// The text of an item in the file that the model was read from.
    fn said(&self, path: &str) -> Option<&'a str> {
        let provenance = self.model.provenance.as_ref()?;
        provenance.text.get(provenance.spans.get(path)?.clone())
    }

    fn planar(&self) -> bool {
        self.model.dimension == Dimension::Planar
    }

    fn error(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault::error(path, message));
    }

    fn error_with(&mut self, path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault::error(path, message).help(help));
    }

    fn model(&mut self) {
        if self.model.provenance.as_ref().is_some_and(|p| !p.spans.contains_key("format")) {
            let warning = Fault::warning("format", "the file does not say its format: taken as `format = 1`");
            self.faults
                .push(warning.code("no-format").help("begin it with `format = 1`, in JSON `\"format\": 1`"));
        }
        if self.model.name.contains(char::is_control) {
            self.error("model.name", "the name of the model has a control character");
        }
        self.vector("model.gravity", self.model.gravity);
        if self.model.bodies.iter().all(|body| !body.present) && self.model.chains.is_empty() {
            let help = match self.model.bodies.is_empty() {
                true => "add a body other than `ground`",
                false => "one at least must be there from the start on: `present = true`",
            };
            self.error_with("bodies", "the model has no moving body", help);
        }
    }

    fn points(&mut self) {
        self.names("points", self.model.points.iter().map(|point| point.name.as_str()));
        let mut on_bodies: HashSet<&str> = self.held.values().flatten().copied().collect();
        // ends of chains are free where no body holds them
        for chain in &self.model.chains {
            on_bodies
                .extend([Some(&chain.from), chain.to.as_ref()].into_iter().flatten().map(String::as_str));
        }
        for point in &self.model.points {
            let path = format!("points.{}", segment(&point.name));
            self.vector(&path, point.position);
            if !on_bodies.contains(point.name.as_str()) {
                let message = format!("no body holds the point `{}`", point.name);
                self.error_with(
                    path,
                    message,
                    "add it to the `points` of a body or of `ground`, or remove it",
                );
            }
        }
    }

    /// Names that users may give, each once.
    fn names(&mut self, table: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen = HashSet::new();
        for name in names {
            let path = format!("{table}.{}", segment(name));
            if name.is_empty() {
                self.error(path, "a name is empty");
            } else if name.contains(char::is_control) {
                self.error(path, "a name has a control character");
            } else if name.chars().count() > MAX_NAME_LENGTH {
                self.error(path, format!("a name has more than {MAX_NAME_LENGTH} characters"));
            } else if !seen.insert(name) {
                self.error(path, format!("the name `{name}` is given twice"));
            }
        }
    }

    /// A number that must be finite and of a given sign.
    fn number(&mut self, path: &str, value: f64, sign: Sign) {
        let wrong = match sign {
            _ if !value.is_finite() => "must be finite",
            Sign::NotNegative if value < 0.0 => "must not be negative",
            Sign::Positive if value <= 0.0 => "must be more than zero",
            _ if value > MAX_NUMBER => "is too large to compute with",
            _ if value > 0.0 && value < MIN_NUMBER => "is too small to compute with",
            _ => return,
        };
        let name = path.rsplit('.').next().unwrap_or(path);
        let far = value != 0.0 && !(1e-6..1e9).contains(&value.abs());
        let shown = if far { format!("{value:e}") } else { value.to_string() };
        self.error(path, format!("`{name}` {wrong}, it is {shown}"));
    }

    /// Numbers that must be finite and not too large; tells whether they are.
    fn sizes(&mut self, path: &str, what: &str, numbers: &[f64]) -> bool {
        let message = match numbers.iter().find(|value| value.is_nan() || value.abs() > MAX_NUMBER) {
            None => return true,
            Some(value) if value.is_finite() => {
                format!("{what} must not be larger than {MAX_NUMBER:e}, one is {value:e}")
            }
            Some(value) => format!("{what} must be finite, one is {value}"),
        };
        self.error(path, message);
        false
    }

    /// A vector that must be finite, and in the plane of a planar model.
    fn vector(&mut self, path: &str, vector: [f64; 3]) {
        if self.sizes(path, "every component", &vector) && self.planar() && vector[2] != 0.0 {
            self.error_with(
                path,
                format!("the model is planar, but the z component is {}", vector[2]),
                "planar models move in x and y; set the model's dimension to 3 for space",
            );
        }
    }

    /// About z in the plane, any direction in space.
    fn turning(&mut self, path: &str, vector: [f64; 3]) {
        if self.sizes(path, "every component", &vector)
            && self.planar()
            && (vector[0] != 0.0 || vector[1] != 0.0)
        {
            self.error(path, "the model is planar: only the z component may differ from zero");
        }
    }

    /// The name of a point of the model.
    fn point(&mut self, path: &str, name: &str) -> Option<[f64; 3]> {
        let position = self.positions.get(name).copied();
        if position.is_none() {
            let known: Vec<&str> = self.model.points.iter().map(|point| point.name.as_str()).collect();
            self.unknown(path, "point", name, known);
        }
        position
    }

    /// The name of a body of the model, or `ground`.
    fn body(&mut self, path: &str, name: &str) -> bool {
        let known = self.held.contains_key(name);
        if !known {
            let bodies = self.model.bodies.iter().map(|body| body.name.as_str());
            let known = bodies.chain([GROUND]).collect();
            self.unknown(path, "body", name, known);
        }
        known
    }

    fn unknown(&mut self, path: &str, what: &str, name: &str, known: Vec<&str>) {
        self.suggestions += 1;
        let help = if self.suggestions <= MAX_SUGGESTIONS { nearest(name, known) } else { None };
        self.faults.push(Fault { help, ..Fault::error(path, format!("there is no {what} `{name}`")) });
    }

    /// The name of a point that a body must hold.
    fn point_of(&mut self, path: &str, name: &str, body: &str) {
        if self.point(path, name).is_none() {
            return;
        }
        if let Some(held) = self.held.get(body)
            && !held.contains(name)
        {
            let message = format!("the point `{name}` is not a point of `{body}`");
            self.error_with(path, message, format!("add `{name}` to the `points` of `{body}`"));
        }
    }

    fn place(&mut self, path: &str, place: &Place) {
        match place {
            Place::Point(name) => {
                self.point(path, name);
            }
            Place::At(position) => self.vector(path, *position),
        }
    }

    /// A direction as drawn; nothing if it is not known.
    fn axis(&mut self, path: &str, axis: &Axis) -> Option<[f64; 3]> {
        let vector = match axis {
            Axis::Vector(vector) => *vector,
            Axis::Points(p, q) => {
                let from = self.point(&format!("{path}[0]"), p);
                let to = self.point(&format!("{path}[1]"), q);
                let (from, to) = (from?, to?);
                std::array::from_fn(|k| to[k] - from[k])
            }
        };
        let finite = vector.iter().all(|x| x.is_finite());
        let largest = vector.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        if !finite && matches!(axis, Axis::Vector(_)) {
            self.error(path, "every component of the axis must be finite");
        } else if finite && largest != 0.0 && !(MIN_NUMBER..=MAX_NUMBER).contains(&largest) {
            self.error(path, format!("the axis is too short or too long to compute with: {largest:e}"));
            return None;
        } else if vector == [0.0; 3] {
            let message = match axis {
                Axis::Vector(_) => "the axis has no direction: it is zero".to_owned(),
                Axis::Points(p, q) => format!("the axis has no direction: `{p}` and `{q}` coincide"),
            };
            self.error(path, message);
            return None;
        }
        finite.then_some(vector)
    }

    /// Where a body's points lie, if all are known.
    fn corners(&self, body: &Body) -> Option<Vec<[f64; 3]>> {
        body.points.iter().map(|name| self.positions.get(name.as_str()).copied()).collect()
    }
}
