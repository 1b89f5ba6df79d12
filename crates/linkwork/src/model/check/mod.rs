//! What is wrong with a model: names, numbers, structure. Whether mass properties are physical and the
//! mechanism can be assembled is judged later, by the mechanism.

mod beams;
mod bodies;
mod chains;
mod changes;
mod contacts;
mod drivers;
mod events;
mod formulas;
mod impulses;
mod initial;
mod joint_forces;
mod joints;
mod looks;
mod modal_bodies;
mod settings;
mod view;

#[cfg(test)]
mod tests;

use super::{Axis, Body, Fault, Faults, Formula, GROUND, Model, Place, Readings, Reference, TIME, Table};
use crate::checks::{Checks, Sign};
use crate::error::names::{MAX_NAME_LENGTH, nearest, segment};
use crate::expressions::Problem;
use crate::expressions::{MAX_NUMBER, MIN_NUMBER};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

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
    if model.beams.is_empty() {
        return check_parts(model);
    }
    let of_beams = beams::check(model);
    if !beams::can_be_laid_out(&of_beams) {
        // what sections hold is not known
        let faults = check_parts(model);
        return faults.into_iter().chain(of_beams).collect();
    }
    // sections are bodies like any others: joints, forces and contacts may name them
    let mut faults = check_parts(&model.with_sections());
    faults.extend(of_beams);
    faults
}

fn check_parts(model: &Model) -> Vec<Fault> {
    let spelled_out = match model.dimension.is_planar() {
        true => Cow::Borrowed(model), // refused below
        false => model.with_modal_parts(),
    };
    let mut checker = Checker::new(&spelled_out);
    checker.model();
    checker.modal_bodies(model);
    checker.points();
    checker.bodies();
    checker.joints();
    checker.joint_forces();
    checker.elements();
    checker.chains();
    checker.tables();
    checker.measures();
    checker.variables();
    checker.couplings();
    checker.drivers();
    checker.locks();
    checker.impulses();
    checker.surfaces();
    checker.contacts();
    checker.looks();
    checker.changes();
    checker.initial();
    checker.settings();
    checker.stops();
    checker.view();
    checker.faults
}

/// What is wrong with the quantities that an optimisation reads.
#[cfg(feature = "file")]
pub(crate) fn check_optimization(model: &Model, optimization: &super::Optimization) -> Vec<Fault> {
    let mut checker = Checker::new(model);
    for (path, formula) in optimization.formulas() {
        checker.formula(&path, formula, &[]);
    }
    let duration = model.settings.duration;
    let late = |at: f64| format!("{at} s is after the end of the run, at {duration} s");
    let help = "make `simulation.duration` longer";
    for (path, at) in optimization.times() {
        if at > duration {
            checker.faults.push(Fault::error(path, late(at)).help(help));
        }
    }
    checker.faults
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

    fn error(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault::error(path, message));
    }

    fn error_with(&mut self, path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault::error(path, message).help(help));
    }

    /// The elements, each by the rules of its own file.
    fn elements(&mut self) {
        for (list, elements) in self.model.elements() {
            self.names(list, elements.iter().map(|element| element.name()));
            for element in elements {
                element.check(&format!("{list}.{}", segment(element.name())), self);
            }
        }
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
        let deforms = !self.model.modal_bodies.is_empty() || !self.model.beams.is_empty();
        if self.model.bodies.iter().all(|body| !body.present) && self.model.chains.is_empty() && !deforms {
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
        for beam in &self.model.beams {
            on_bodies.extend(beam.stations().map(String::as_str));
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

    fn place(&mut self, path: &str, place: &Place) {
        match place {
            Place::Point(name) => {
                self.point(path, name);
            }
            Place::At(position) => self.vector(path, *position),
        }
    }

    /// Where a body's points lie, if all are known.
    fn corners(&self, body: &Body) -> Option<Vec<[f64; 3]>> {
        body.points.iter().map(|name| self.positions.get(name.as_str()).copied()).collect()
    }
}

impl Checks for Checker<'_> {
    fn push(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn holds(&self, body: &str, point: &str) -> bool {
        self.held.get(body).is_some_and(|held| held.contains(point))
    }

    fn table(&self, name: &str) -> Option<Arc<Table>> {
        self.readings.table(name).cloned()
    }

    fn table_names(&self) -> Vec<String> {
        self.model.tables.iter().map(|table| table.name.clone()).collect()
    }

    fn planar(&self) -> bool {
        self.model.dimension.is_planar()
    }

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

    fn vector(&mut self, path: &str, vector: [f64; 3]) {
        if self.sizes(path, "every component", &vector) && self.planar() && vector[2] != 0.0 {
            self.error_with(
                path,
                format!("the model is planar, but the z component is {}", vector[2]),
                "planar models move in x and y; set the model's dimension to 3 for space",
            );
        }
    }

    fn turning(&mut self, path: &str, vector: [f64; 3]) {
        if self.sizes(path, "every component", &vector)
            && self.planar()
            && (vector[0] != 0.0 || vector[1] != 0.0)
        {
            self.error(path, "the model is planar: only the z component may differ from zero");
        }
    }

    fn point(&mut self, path: &str, name: &str) -> Option<[f64; 3]> {
        let position = self.positions.get(name).copied();
        if position.is_none() {
            let known: Vec<&str> = self.model.points.iter().map(|point| point.name.as_str()).collect();
            self.unknown(path, "point", name, known);
        }
        position
    }

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

    fn moving_body(&mut self, path: &str, name: &str, message: &str) {
        if self.body(path, name) && name == GROUND {
            self.error_with(path, message, "name a moving body");
        }
    }

    fn formula(&mut self, path: &str, formula: &Formula, locals: &[&str]) {
        let alone = formula.references().is_empty() && formula.tables().is_empty();
        if let Some(trouble) = alone.then(|| formula.trouble(&[])).flatten() {
            self.in_formula(path, formula, Problem::new(trouble.span, trouble.message));
        } else if let Some(value) = formula.is_constant()
            && (value.is_nan() || value.abs() > MAX_NUMBER)
        {
            let wrong = if value.is_finite() { "is too large to compute with" } else { "must be finite" };
            self.error(path, format!("this value {wrong}, it is {value:e}"));
        }
        for reference in formula.references() {
            self.readings.advise = self.suggestions < MAX_SUGGESTIONS;
            if let Err(problem) = self.readings.reading(reference, locals) {
                self.suggestions += 1;
                self.in_formula(path, formula, problem);
            }
        }
        for table in formula.tables() {
            if self.readings.table(&table.name).is_none() {
                self.suggestions += 1;
                let tables = self.model.tables.iter().map(|table| table.name.as_str());
                let help =
                    if self.suggestions <= MAX_SUGGESTIONS { nearest(&table.name, tables) } else { None };
                let message = format!("there is no function or table `{}`", table.name);
                self.in_formula(path, formula, Problem { help, ..Problem::new(table.span.clone(), message) });
            }
        }
    }

    fn formulas(&mut self, path: &str, parts: &[Formula; 3]) {
        for (i, part) in parts.iter().enumerate() {
            let component = format!("{path}[{i}]");
            // in the plane a moment is one number and no list
            let said = self.model.provenance.is_none() || self.said(&component).is_some();
            self.formula(if said { &component } else { path }, part, &[]);
        }
    }

    fn formula_of_time(&mut self, path: &str, formula: &Formula, what: &str) {
        self.formula(path, formula, &[]);
        let time = |reference: &Reference| reference.target.single() == Some(TIME);
        let known =
            |checker: &Checker<'_>, reference: &Reference| checker.readings.reading(reference, &[]).is_ok();
        let other = formula.references().iter().find(|&reference| !time(reference) && known(self, reference));
        if let Some(reference) = other {
            let message = format!("{what} may depend on the time `t` only, not on `{}`", reference.target);
            let help = "use `t`, parameters and tables: it must be known before the motion is".to_owned();
            let problem = Problem { help: Some(help), ..Problem::new(reference.span.clone(), message) };
            self.in_formula(path, formula, problem);
        }
    }

    fn table_named(&mut self, path: &str, name: Option<&str>) {
        let Some(name) = name else { return };
        if self.readings.table(name).is_none() {
            let help = nearest(name, self.model.tables.iter().map(|table| table.name.as_str()));
            let help = help.or_else(|| Some("the tables of the model stand under [tables]".into()));
            self.faults.push(Fault { help, ..Fault::error(path, format!("there is no table `{name}`")) });
        }
    }
}
