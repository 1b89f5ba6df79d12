//! The `[optimize]` section of a model file.

use super::text::{Found, WORDS, comparison, reductions};
use super::{
    DesignConstraint, DesignRange, DesignVariable, Following, Goal, Optimization, Over, Part, Reduced,
    Reduction, Relation, Residual, WantedPath,
};
use crate::error::Fault;
use crate::error::names::{nearest, segment};
use crate::expressions::Formula;
use crate::expressions::quantity::State;
use crate::expressions::units::Dims;
use crate::file::decode::{Decode, Reader};
use crate::file::document::{Node, Value};
use crate::file::table::{Named, table};
use crate::file::values::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

const LENGTH: Dims = Dims::new(1, 0, 0);
const SECONDS: Dims = Dims::new(0, 0, 1);

impl Choices for Over {
    const WHAT: &'static str = "thing to optimise over";
    fn choices() -> Vec<(&'static str, Self)> {
        Over::ALL.iter().map(|&over| (over.name(), over)).collect()
    }
}

table! {
    /// What `linkwork optimize` changes, and what for.
    OptimizationTable {
        /// A number to be made small: an expression of parameters and reductions final, at, max, min, mean, rms, integral and path, as in "max(abs(measure.toe))".
        minimize: optional Minimized,
        /// Numbers whose squares are to be made small together: each an expression of reductions, or a quantity that is taken at every sample, as in "measure.camber - wanted(t)"; or path(P, NAME), or path(P, NAME, timing = free).
        residuals: optional Vec<ResidualText>,
        /// What the mechanism does: "kinematics" (it moves as its drivers say), "run" (the default) or "equilibrium".
        over: optional Choice<Over>,
        /// What may change: parameters, points, coordinates of points such as "C.x", or numbers of the file such as "bodies.arm.mass".
        variables: required Named<RangeTable>,
        /// What must hold: two expressions with <=, >= or == between them.
        constraints: optional Named<ConstraintText>,
        /// Paths that points shall follow.
        paths: optional Named<PathTable>,
    }
}

table! {
    /// How far a variable may change.
    RangeTable {
        /// Its least value; of a point one for each coordinate, or one for all.
        from: optional Numbers,
        /// Its largest value.
        to: optional Numbers,
        /// How far it may go to either side of what the file says, instead of `from` and `to`.
        within: optional AnyQuantity,
    }
}

table! {
    /// A path that a point shall follow.
    PathTable {
        /// The places to pass, in their order.
        points: required Places,
        /// When each is to be passed; left out where the timing is free.
        at: optional InstantList,
    }
}

/// A number, or one for each coordinate.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(Vec<AnyQuantity>);

inline_schema!(Numbers, |_| json_schema!({ "anyOf": [number_schema(), vector_schema(2, 3)] }));

impl Decode for Numbers {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Array(items) => reader.each(items, AnyQuantity::decode).map(Numbers),
            _ => AnyQuantity::decode(node, reader).map(|one| Numbers(vec![one])),
        }
    }
}

/// Places.
#[derive(Clone, Debug)]
pub(crate) struct Places(Vec<[f64; 3]>);

inline_schema!(Places, |_| json_schema!({ "type": "array", "items": vector_schema(2, 3), "minItems": 1 }));

impl Decode for Places {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list of places")?;
        if items.is_empty() {
            return reader.fault(node.span.clone(), "a path has one place or more");
        }
        reader.each(items, |item, reader| vector(item, reader, LENGTH)).map(Places)
    }
}

/// Times in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct InstantList(Vec<f64>);

inline_schema!(InstantList, |_| json_schema!({ "type": "array", "items": number_schema() }));

impl Decode for InstantList {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = reader.items(node, "a list of times")?;
        let times = reader.each(items, |item, reader| reader.number(item, SECONDS))?;
        match times.windows(2).all(|pair| pair[0] < pair[1]) {
            true => Some(InstantList(times)),
            false => reader.fault(node.span.clone(), "the times of a path ascend"),
        }
    }
}

/// What is minimised.
#[derive(Clone, Debug)]
pub(crate) struct Minimized(Sided);

inline_schema!(Minimized, |_| json_schema!({ "type": "string" }));

impl Decode for Minimized {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = string(node, reader)?;
        Some(Minimized(sided(node, &text, 0..text.len(), reader)?))
    }
}

/// One of the residuals.
#[derive(Clone, Debug)]
pub(crate) enum ResidualText {
    Sided(Sided),
    Samples(Formula),
    Path(FollowingText),
}

inline_schema!(ResidualText, |_| json_schema!({ "type": "string" }));

impl Decode for ResidualText {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = string(node, reader)?;
        let found = reductions(&text);
        match &found[..] {
            [] => {
                Some(ResidualText::Samples(reader.formula(&part(node, &text, 0..text.len()), None, &[])?.0))
            }
            [one] if one.word == "path" && one.span == trimmed(&text) => {
                following(node, &text, one, reader).map(ResidualText::Path)
            }
            _ => sided(node, &text, 0..text.len(), reader).map(ResidualText::Sided),
        }
    }
}

/// A constraint.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintText {
    text: String,
    relation: Relation,
    left: Sided,
    right: Sided,
}

inline_schema!(ConstraintText, |_| json_schema!({ "type": "string" }));

impl Decode for ConstraintText {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = string(node, reader)?;
        let help = "write it as `max(joint.A.q) <= 30 deg`, with <=, >= or ==";
        let (relation, at) = match comparison(&text) {
            Some(("<=", at)) => (Relation::AtMost, at),
            Some((">=", at)) => (Relation::AtLeast, at),
            Some(("==", at)) => (Relation::Equal, at),
            Some((other, _)) => {
                let message = format!("a constraint has no `{other}`");
                return reader.fault_with(node.span.clone(), message, Some(help.into()));
            }
            None => {
                let message = "a constraint compares two expressions";
                return reader.fault_with(node.span.clone(), message, Some(help.into()));
            }
        };
        if comparison(&text[at.end..]).is_some() {
            let message = "a constraint compares two expressions, not three: make two constraints of it";
            return reader.fault(node.span.clone(), message);
        }
        let left = sided(node, &text, 0..at.start, reader);
        let right = sided(node, &text, at.end..text.len(), reader);
        let (left, right) = (left?, right?);
        if let (Some(a), Some(b)) = (left.state.measured(), right.state.measured())
            && a != b
        {
            return reader.fault(node.span.clone(), format!("the left side is {a}, the right side is {b}"));
        }
        let text = match &node.value {
            Value::String(text) => text.clone(),
            _ => text,
        };
        Some(ConstraintText { text, relation, left, right })
    }
}

/// An expression of reductions, with what is known of its dimension.
#[derive(Clone, Debug)]
pub(crate) struct Sided {
    text: String,
    formula: Formula,
    parts: Vec<PartText>,
    state: State,
}

#[derive(Clone, Debug)]
enum PartText {
    Reduced(Reduction, Formula),
    Path(FollowingText),
}

/// A point that follows a path, by their names.
#[derive(Clone, Debug)]
pub(crate) struct FollowingText {
    point: String,
    path: String,
    free: bool,
}

/// The text, in which measures are called as formulas call them: `measure.` becomes as many spaces.
fn string(node: &Node, reader: &mut Reader<'_>) -> Option<String> {
    match &node.value {
        Value::String(text) => Some(without_prefix(text)),
        _ => reader.wrong(node, "an expression in quotes, such as \"max(abs(measure.toe))\""),
    }
}

fn without_prefix(text: &str) -> String {
    const PREFIX: &str = "measure.";
    let mut out = text.to_owned();
    for (at, _) in text.match_indices(PREFIX) {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'`');
        if at == 0 || !inner(text.as_bytes()[at - 1]) {
            out.replace_range(at..at + PREFIX.len(), &" ".repeat(PREFIX.len()));
        }
    }
    out
}

fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// A part of a string as a value of its own: its place is that of the part, with a character on each side as quotes are.
fn part(node: &Node, text: &str, span: Range<usize>) -> Node {
    let quotes = node.span.len().saturating_sub(text.len()) / 2;
    let start = node.span.start + quotes;
    let place = match node.span.len() == text.len() + 2 * quotes && quotes > 0 {
        true => start + span.start - 1..start + span.end + 1,
        false => node.span.clone(),
    };
    Node { span: place, value: Value::String(text[span].to_owned()) }
}

/// An expression of reductions, which is a part of a string.
fn sided(node: &Node, whole: &str, span: Range<usize>, reader: &mut Reader<'_>) -> Option<Sided> {
    let text = &whole[span.clone()];
    let mut marks = String::from("_");
    while reader.parameters.keys().chain(&reader.measures).any(|name| name.starts_with(&marks)) {
        marks.push('_');
    }
    let (mut rest, mut names, mut parts, mut states) = (text.to_owned(), Vec::new(), Vec::new(), Vec::new());
    let found = reductions(text);
    let failures = reader.failures;
    for (i, one) in found.iter().enumerate().rev() {
        let shifted = Found {
            word: one.word,
            span: one.span.start + span.start..one.span.end + span.start,
            arguments: one.arguments.iter().map(|a| a.start + span.start..a.end + span.start).collect(),
        };
        let name = format!("{marks}{i}");
        let padded = format!("{name:_<width$}", width = one.span.len());
        rest.replace_range(one.span.clone(), &padded);
        names.push(padded);
        match reduced(node, whole, &shifted, reader) {
            Some((part, state)) => {
                parts.push(part);
                states.push(state);
            }
            None => states.push(State::Unknown),
        }
    }
    if reader.failures > failures {
        return None;
    }
    let locals: Vec<&str> = names.iter().map(String::as_str).collect();
    // the places of what stands beside reductions are those in the text
    let place = if found.is_empty() { part(node, whole, span) } else { node.clone() };
    let rest = Node { span: place.span, value: Value::String(rest) };
    let (formula, state) = reader.formula_of(&rest, None, &locals, &states)?;
    let mut ordered = Vec::new();
    for reference in formula.references() {
        let local = reference.target.single().and_then(|name| names.iter().position(|known| known == name));
        ordered.push(match local {
            Some(i) => parts[i].clone(),
            // a name alone is its last value
            None => match Formula::parse(&reference.target.to_string()) {
                Ok(formula) => PartText::Reduced(Reduction::Final, formula),
                Err(_) => {
                    return reader
                        .fault(node.span.clone(), format!("`{}` is not understood", reference.target));
                }
            },
        });
    }
    Some(Sided { text: text.trim().to_owned(), formula, parts: ordered, state })
}

/// A reduction.
fn reduced(node: &Node, text: &str, found: &Found, reader: &mut Reader<'_>) -> Option<(PartText, State)> {
    let said = &text[found.span.clone()];
    let wrong = |reader: &mut Reader<'_>, help: String| {
        let message = format!("`{said}` is not understood");
        reader.fault_with(node.span.clone(), message, Some(help))
    };
    if found.word == "path" {
        let part = following(node, text, found, reader)?;
        return Some((PartText::Path(part), State::Reading(Dims::new(2, 0, 0))));
    }
    let arguments: Vec<Node> = found.arguments.iter().map(|span| part(node, text, span.clone())).collect();
    let (time, of) = match (found.word, &arguments[..]) {
        ("at", [time, of]) => (Some(time), of),
        ("at", _) => return wrong(reader, "write at(TIME, QUANTITY), as in at(0.5 s, point.B.y)".into()),
        (_, [of]) => (None, of),
        (word, _) => return wrong(reader, format!("write {word}(QUANTITY)")),
    };
    let inner = &text[found.arguments[found.arguments.len() - 1].clone()];
    if let Some(again) = reductions(inner).first() {
        let message = format!(
            "`{}` stands in another reduction: what it gives does not vary",
            &inner[again.span.clone()]
        );
        let help = format!(
            "one of {} at a time; a measure under [measures] has functions of several quantities",
            WORDS.join(", ")
        );
        return reader.fault_with(of.span.clone(), message, Some(help));
    }
    let kind = match (found.word, time) {
        ("final", _) => Reduction::Final,
        ("max", _) => Reduction::Max,
        ("min", _) => Reduction::Min,
        ("mean", _) => Reduction::Mean,
        ("rms", _) => Reduction::Rms,
        ("integral", _) => Reduction::Integral,
        (_, Some(time)) => match reader.number(time, SECONDS)? {
            t if t >= 0.0 => Reduction::At(t),
            t => {
                return reader
                    .fault(time.span.clone(), format!("there is nothing before t = 0, this is {t} s"));
            }
        },
        _ => return wrong(reader, "this is no reduction".into()),
    };
    let (formula, state) = reader.formula(of, None, &[])?;
    let state = match (kind, state) {
        (Reduction::Integral, State::Known(dims)) => dims.times(SECONDS).map_or(State::Unknown, State::Known),
        (Reduction::Integral, State::Reading(dims)) => {
            dims.times(SECONDS).map_or(State::Unknown, State::Reading)
        }
        (_, State::Number) => State::Unknown,
        (_, state) => state,
    };
    Some((PartText::Reduced(kind, formula), state))
}

/// `path(POINT, PATH)` or `path(POINT, PATH, timing = free)`.
fn following(node: &Node, text: &str, found: &Found, reader: &mut Reader<'_>) -> Option<FollowingText> {
    let parts: Vec<&str> =
        found.arguments.iter().map(|span| text[span.clone()].trim().trim_matches('`')).collect();
    let free = |word: &str| word.split('=').map(str::trim).eq(["timing", "free"]);
    let (point, path, free) = match &parts[..] {
        [point, path] => (*point, *path, false),
        [point, path, timing] if free(timing) => (*point, *path, true),
        _ => {
            let message = format!("`{}` is not understood", &text[found.span.clone()]);
            let help = "write path(POINT, PATH), or path(POINT, PATH, timing = free)";
            return reader.fault_with(node.span.clone(), message, Some(help.into()));
        }
    };
    if !reader.points.contains(point) {
        let help = nearest(point, reader.points.iter().map(String::as_str).collect::<BTreeSet<_>>());
        return reader.fault_with(node.span.clone(), format!("there is no point `{point}`"), help);
    }
    Some(FollowingText { point: point.to_owned(), path: path.to_owned(), free })
}

impl OptimizationTable {
    /// The section as the model has it; what is wrong goes to the reader.
    pub fn build(self, reader: &mut Reader<'_>) -> Option<Optimization> {
        let failures = reader.failures;
        let faults = RefCell::new(Vec::new());
        let refuse = |key: &str, message: String, help: &str| {
            let path = if key.is_empty() { "optimize".to_owned() } else { format!("optimize.{key}") };
            let fault = Fault::error(path, message);
            faults.borrow_mut().push(if help.is_empty() { fault } else { fault.help(help) });
        };
        let over = self.over.map_or(Over::Run, |over| over.0);
        let mut paths = Vec::new();
        for (name, entry) in self.paths.map_or(Vec::new(), |named| named.0) {
            let Some(PathTable { points: Some(Places(points)), at }) = entry else { continue };
            let at = at.map_or(Vec::new(), |at| at.0);
            if !at.is_empty() && at.len() != points.len() {
                let message = format!("there are {} times for {} places", at.len(), points.len());
                refuse(
                    &format!("paths.{}.at", segment(&name)),
                    message,
                    "give as many, or none where the timing is free",
                );
            }
            paths.push(WantedPath { name, points, at });
        }
        let follow = |key: &str, text: FollowingText| {
            let Some(path) = paths.iter().position(|path| path.name == text.path) else {
                let help = nearest(&text.path, paths.iter().map(|path| path.name.as_str()))
                    .unwrap_or_else(|| "paths stand under [optimize.paths]".into());
                refuse(key, format!("there is no path `{}`", text.path), &help);
                return None;
            };
            if over == Over::Equilibrium {
                let message = "a mechanism at rest follows no path".to_owned();
                refuse(key, message, "use `over = \"kinematics\"` or `over = \"run\"`");
                return None;
            }
            if !text.free && paths[path].at.is_empty() {
                let message = format!("nothing says when the places of `{}` are to be passed", text.path);
                refuse(key, message, "give their times with `at`, or write `timing = free`");
                return None;
            }
            if text.free && over != Over::Kinematics {
                let message = "the timing can be free over kinematics only".to_owned();
                refuse(key, message, "set `over = \"kinematics\"`, or give the places their times with `at`");
                return None;
            }
            Some(Following { point: text.point, path, free: text.free })
        };
        let whole = |key: &str, sided: Sided| {
            let mut parts = Vec::new();
            for part in sided.parts {
                parts.push(match part {
                    PartText::Reduced(kind, formula) => Part::Reduced(kind, formula),
                    PartText::Path(text) => Part::Path(follow(key, text)?),
                });
            }
            Some(Reduced { text: sided.text, formula: sided.formula, parts })
        };
        let mut residuals = Vec::new();
        let several = self.residuals.is_some();
        let minimized = self.minimize.and_then(|Minimized(sided)| whole("minimize", sided));
        let mut followed = Vec::new();
        for (i, text) in self.residuals.unwrap_or_default().into_iter().enumerate() {
            let key = format!("residuals[{i}]");
            match text {
                ResidualText::Sided(sided) => residuals.extend(whole(&key, sided).map(Residual::Number)),
                ResidualText::Samples(formula) if over == Over::Equilibrium => {
                    let text = formula.text().to_owned();
                    residuals.push(Residual::Number(alone(text, formula)));
                }
                ResidualText::Samples(formula) => residuals.push(Residual::Samples(formula)),
                ResidualText::Path(text) => followed.push((i, key, text)),
            }
        }
        let mut constraints = Vec::new();
        for (name, entry) in self.constraints.map_or(Vec::new(), |named| named.0) {
            let Some(ConstraintText { text, relation, left, right }) = entry else { continue };
            let key = format!("constraints.{}", segment(&name));
            if let (Some(left), Some(right)) = (whole(&key, left), whole(&key, right)) {
                constraints.push(DesignConstraint { name, text, relation, left, right });
            }
        }
        for (i, key, text) in followed {
            if let Some(following) = follow(&key, text) {
                residuals.insert(i.min(residuals.len()), Residual::Path(following));
            }
        }
        let goal = match (minimized, several) {
            (Some(_), true) => {
                refuse("", "there is `minimize` beside `residuals`".into(), "keep one of the two");
                None
            }
            (Some(reduced), false) => Some(Goal::Minimize(reduced)),
            (None, true) if residuals.is_empty() => {
                refuse("residuals", "there are no residuals".into(), "");
                None
            }
            (None, true) => Some(Goal::Residuals(residuals)),
            (None, false) => None,
        };
        let mut variables = Vec::new();
        let entries = self.variables.map_or(Vec::new(), |named| named.0);
        for (name, entry) in entries {
            let Some(RangeTable { from, to, within }) = entry else { continue };
            let key = format!("variables.{}", segment(&name));
            let range = match (from, to, within) {
                (Some(from), Some(to), None) => {
                    let pair =
                        [from, to].map(|list| list.0.iter().map(|number| number.0).collect::<Vec<f64>>());
                    let [from, to] = pair;
                    let at = |list: &[f64], i: usize| list[i.min(list.len() - 1)];
                    let most = from.len().max(to.len());
                    let fits = |list: &[f64]| list.len() == 1 || list.len() == most;
                    if from.is_empty() || to.is_empty() || !fits(&from) || !fits(&to) {
                        refuse(&key, "`from` and `to` have different numbers of values".into(), "");
                        continue;
                    }
                    if (0..most).any(|i| at(&from, i) >= at(&to, i)) {
                        let message = "the range is empty: `from` is not below `to`";
                        refuse(&key, message.into(), "to keep a value, leave the variable out");
                        continue;
                    }
                    DesignRange::Between { from, to }
                }
                (None, None, Some(within)) if within.0 > 0.0 => DesignRange::Within(within.0),
                (None, None, Some(within)) => {
                    let message = format!("the range must be positive, it is {}", within.0);
                    refuse(&format!("{key}.within"), message, "");
                    continue;
                }
                _ => {
                    refuse(&key, "a variable needs a range".into(), "give it `from` and `to`, or `within`");
                    continue;
                }
            };
            variables.push(DesignVariable { name, range });
        }
        let sound = reader.failures == failures && faults.borrow().is_empty();
        let judged = sound && reader.broken.iter().all(|path| !path.starts_with("optimize"));
        if variables.is_empty() && judged {
            refuse(
                "variables",
                "there is nothing that may change".into(),
                "name a parameter or a point, with `from` and `to`",
            );
        }
        for fault in faults.into_inner() {
            reader.reject(fault);
        }
        Some(Optimization { goal, over, variables, constraints, paths })
            .filter(|_| reader.failures == failures)
    }
}

/// A formula as an expression whose parts are all last values.
fn alone(text: String, formula: Formula) -> Reduced {
    let parts = formula.references().iter().map(|reference| {
        let of = Formula::parse(&reference.target.to_string()).unwrap_or_default();
        Part::Reduced(Reduction::Final, of)
    });
    Reduced { parts: parts.collect(), text, formula }
}
