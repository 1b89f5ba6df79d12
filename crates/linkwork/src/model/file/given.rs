//! Values that are given along with a file, as if they stood in it: `bodies.rod.mass=2 kg`.
//!
//! Each takes its place in the tree that the text has been read into. What was given is kept behind the text, one line for each, so that its faults have a place as all others have.

use super::ModelFile;
use super::format::Root;
use crate::error::names::nearest;
use crate::file::document::{Key, Node, Value};
use crate::file::toml;
use crate::model::{Fault, Faults};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

const AXES: [&str; 3] = ["x", "y", "z"];

/// What is wrong with a key, and what to do.
type Wrong = (String, Option<String>);

/// A part of a key.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Name(String),
    Index(usize),
}

impl ModelFile {
    /// The file with values for some of its keys, as if they stood in it. A value is TOML; what is none is a string, so that units and expressions need no quotes.
    ///
    /// A key is the path of a value (`bodies.arm.mass`, `simulation.integrator`, `points.C`), or of an item of a list (`points.C[0]`, `points.C.x`), or the name of a parameter or of
    /// a point alone (`l2`, `C.x`). Lists may be named in the singular (`body.arm.mass`). The key need not stand in the file, but a parameter must.
    ///
    /// ```
    /// use linkwork::model::ModelFile;
    /// let file = ModelFile::parse("pendulum.toml", r#"
    ///     format = 1
    ///     parameters.l = "30 cm"
    ///     points = { A = [0, 0], B = ["l", 0] }
    ///     bodies.ground = { points = ["A"] }
    ///     bodies.rod = { points = ["A", "B"], mass = "200 g" }
    /// "#)?;
    /// let given = [("l", "50 cm"), ("body.rod.mass", "2"), ("B.y", "-5 mm"), ("simulation.duration", "3")];
    /// let model = file.with(&given)?.model(&[])?;
    /// assert_eq!(model.points[1].position, [0.5, -0.005, 0.0]);
    /// assert_eq!(model.settings.duration, 3.0);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// Keys that no file has, parameters that this one does not have, keys that are given twice: all of them. What is wrong with a value [`ModelFile::model`] says.
    pub fn with(&self, values: &[(impl AsRef<str>, impl AsRef<str>)]) -> Result<ModelFile, Faults> {
        let mut text = self.whole_text().to_owned();
        let mut root = self.root().clone();
        let mut faults = Vec::new();
        let mut done: Vec<Vec<Part>> = Vec::new();
        for (key, value) in values {
            let (key, value) = (key.as_ref().trim(), value.as_ref().trim());
            text.push('\n');
            let name = text.len()..text.len() + key.len();
            text.push_str(key);
            text.push_str(" = ");
            let node = parsed(value, text.len());
            text.push_str(value);
            let put = path(key, self.root()).and_then(|path| {
                if done.contains(&path) {
                    return Err((format!("`{key}` is given twice"), Some("keep one of the two".into())));
                }
                put(&mut root, &path, &name, node)?;
                done.push(path);
                Ok(())
            });
            if let Err((message, help)) = put {
                faults.push(Fault { help, ..Fault::error("", message) }.at(name));
            }
        }
        let changed = self.changed(text, root);
        if faults.is_empty() {
            return Ok(changed);
        }
        Err(Faults { list: faults, provenance: Some(Arc::new(changed.source(HashMap::new()))) })
    }

    /// The file as JSON, with the values that were given along with it where they belong.
    ///
    /// ```
    /// use linkwork::model::ModelFile;
    /// let file = ModelFile::parse("model.toml", "format = 1\nparameters.l = '30 cm'")?;
    /// assert_eq!(file.with(&[("l", "50 cm")])?.to_json(), r#"{"format":1,"parameters":{"l":"50 cm"}}"#);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        as_json(self.root()).to_string()
    }
}

fn as_json(node: &Node) -> serde_json::Value {
    /// Beyond it not every whole number is a float.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    match &node.value {
        Value::Table(entries) => {
            entries.iter().map(|(key, node)| (key.name.clone(), as_json(node))).collect()
        }
        Value::Array(items) => items.iter().map(as_json).collect(),
        Value::String(text) => text.clone().into(),
        Value::Number(x) if x.fract() == 0.0 && x.abs() < WHOLE && !(*x == 0.0 && x.is_sign_negative()) => {
            (*x as i64).into()
        }
        Value::Number(x) => (*x).into(),
        Value::Bool(said) => (*said).into(),
        Value::Other => serde_json::Value::Null,
    }
}

/// The value that a text means, which begins at a byte of the whole.
fn parsed(text: &str, at: usize) -> Node {
    const BEFORE: &str = "v=";
    let read = toml::read(&format!("{BEFORE}{text}"));
    if read.faults.is_empty()
        && let Some(Node { value: Value::Table(mut entries), .. }) = read.root
        && entries.len() == 1
        && let Some((_, mut node)) = entries.pop()
        && !matches!(node.value, Value::Other)
    {
        moved(&mut node, at as isize - BEFORE.len() as isize);
        return node;
    }
    Node { span: at..at + text.len(), value: Value::String(text.to_owned()) }
}

/// Moves the places of a value.
fn moved(node: &mut Node, by: isize) {
    let shift = |span: &mut Range<usize>| {
        *span = span.start.saturating_add_signed(by)..span.end.saturating_add_signed(by);
    };
    shift(&mut node.span);
    match &mut node.value {
        Value::Table(entries) => {
            for (key, node) in entries {
                shift(&mut key.span);
                moved(node, by);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| moved(item, by)),
        _ => {}
    }
}

/// The entry of a table.
fn entry<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Table(entries) => entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node),
        _ => None,
    }
}

/// The path that a key means in a file.
fn path(key: &str, root: &Node) -> Result<Vec<Part>, Wrong> {
    let mut parts = split(key)?;
    let Some(Part::Name(first)) = parts.first().cloned() else {
        return Err(("a key begins with a name".into(), None));
    };
    let alone = parts.len() == 1;
    let sections = Root::keys();
    let plural = if first == "body" { "bodies".to_owned() } else { format!("{first}s") };
    let among = |section: &str| entry(root, section).is_some_and(|list| entry(list, &first).is_some());
    let section = match (sections.contains(&&*first), among("parameters") && alone, among("points")) {
        (true, ..) => None,
        (_, true, true) => {
            let help = format!("write `parameters.{first}` or `points.{first}`");
            return Err((format!("`{first}` is a parameter and a point"), Some(help)));
        }
        (_, true, _) => Some("parameters"),
        (_, _, true) => Some("points"),
        _ if !alone && sections.contains(&&*plural) => {
            parts[0] = Part::Name(plural);
            None
        }
        _ if alone => {
            let known = entry(root, "parameters").map(|list| &list.value);
            let known = match known {
                Some(Value::Table(entries)) => entries.iter().map(|(key, _)| key.name.as_str()).collect(),
                _ => Vec::new(),
            };
            let help = nearest(&first, known.into_iter().chain(sections.iter().copied()));
            let advice = "define it under [parameters], or give the path of a key, as in bodies.rod.mass=2";
            return Err((
                format!("the model has no parameter `{first}` to give a value to"),
                help.or_else(|| Some(advice.into())),
            ));
        }
        _ => {
            return Err((
                format!("no file has a section `{first}`"),
                nearest(&first, sections.iter().copied()),
            ));
        }
    };
    if let Some(section) = section {
        parts.insert(0, Part::Name(section.into()));
    }
    match &parts[..] {
        [Part::Name(list), Part::Name(name), ..] if list == "parameters" => {
            let has = entry(root, "parameters").is_some_and(|list| entry(list, name).is_some());
            let missing = || (format!("the model has no parameter `{name}` to give a value to"), None);
            has.then_some(()).ok_or_else(missing)?;
            let own = entry(root, "parameters").and_then(|list| entry(list, name));
            if parts.len() == 2 && own.is_some_and(|own| entry(own, "value").is_some()) {
                parts.push(Part::Name("value".into()));
            }
        }
        _ => {}
    }
    Ok(parts)
}

/// Names and indices of a key: parts with dots of their own stand in quotes.
fn split(key: &str) -> Result<Vec<Part>, Wrong> {
    let wrong = || (format!("`{key}` is no key"), Some("as in l2, C.x or bodies.rod.mass".to_owned()));
    let mut parts = Vec::new();
    let mut rest = key;
    loop {
        let (name, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(wrong)?,
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        if name.is_empty() {
            return Err(wrong());
        }
        parts.push(Part::Name(name.to_owned()));
        rest = behind;
        while let Some(inner) = rest.strip_prefix('[') {
            let (index, behind) = inner.split_once(']').ok_or_else(wrong)?;
            parts.push(Part::Index(index.trim().parse().map_err(|_| wrong())?));
            rest = behind;
        }
        match rest.strip_prefix('.') {
            Some(next) => rest = next,
            None if rest.is_empty() => return Ok(parts),
            None => return Err(wrong()),
        }
    }
}

/// Puts a value in its place; tables on the way to it are made.
fn put(root: &mut Node, path: &[Part], given: &Range<usize>, value: Node) -> Result<(), Wrong> {
    let mut at = root;
    for (i, part) in path.iter().enumerate() {
        let kind = at.kind();
        let before = || path[..i].iter().enumerate().map(|(i, part)| shown(part, i == 0)).collect::<String>();
        let index = match part {
            Part::Index(index) => Some(*index),
            Part::Name(name) => AXES.iter().position(|axis| axis == name),
        };
        at = match (&mut at.value, part, index) {
            (Value::Table(entries), Part::Name(name), _) => {
                let found = entries.iter().position(|(key, _)| key.name == *name);
                let place = found.unwrap_or(entries.len());
                if found.is_none() {
                    let key = Key { name: name.clone(), span: given.clone() };
                    entries.push((key, Node { span: given.clone(), value: Value::Table(Vec::new()) }));
                }
                &mut entries[place].1
            }
            (Value::Array(items), _, Some(index)) => {
                let count = items.len();
                items.get_mut(index).ok_or_else(|| {
                    (
                        format!(
                            "`{}` has {count} items: there is none for `{}`",
                            before(),
                            shown(part, true)
                        ),
                        None,
                    )
                })?
            }
            _ => return Err((format!("`{}` is {kind}: it has no `{}`", before(), shown(part, true)), None)),
        };
    }
    *at = value;
    Ok(())
}

/// A part as a key has it.
fn shown(part: &Part, first: bool) -> String {
    match part {
        Part::Index(index) => format!("[{index}]"),
        Part::Name(name) if first => name.clone(),
        Part::Name(name) => format!(".{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Integrator, Model};

    const FILE: &str = r#"format = 1
parameters = { l = "30 cm", twice = "2 * l" }
points = { A = [0, 0], B = ["l", 0] }
bodies.ground = { points = ["A"] }
bodies.rod = { points = ["A", "B"], mass = "200 g" }
[simulation]
duration = 2
"#;

    fn with(values: &[(&str, &str)]) -> Result<Model, Faults> {
        ModelFile::parse("pendulum.toml", FILE).unwrap().with(values)?.model(&[])
    }

    /// As if the values stood in the file.
    #[test]
    fn same_as_in_the_file() {
        let given = [
            ("l", "50 cm"),
            ("bodies.rod.mass", "l * 4 kg/m"),
            ("B.y", "-5 mm"),
            ("simulation.integrator", "rk4"),
            ("simulation.duration", "3"),
            ("spring.s", r#"{ between = ["A", "B"], stiffness = "twice * 10 N/m^2", free_length = 1 }"#),
            ("model.gravity", "[0, -1.62]"),
        ];
        let text = r#"format = 1
parameters = { l = "50 cm", twice = "2 * l" }
points = { A = [0, 0], B = ["l", "-5 mm"] }
bodies.ground = { points = ["A"] }
bodies.rod = { points = ["A", "B"], mass = "l * 4 kg/m" }
springs.s = { between = ["A", "B"], stiffness = "twice * 10 N/m^2", free_length = 1 }
model.gravity = [0, -1.62]
[simulation]
duration = 3
integrator = "rk4"
"#;
        let plain = |model: Model| format!("{:?}", Model { provenance: None, ..model });
        let found = with(&given).unwrap();
        assert_eq!(found.settings.integrator, Integrator::Rk4);
        assert_eq!(plain(found), plain(Model::parse("pendulum.toml", text).unwrap()));
    }

    /// What is wrong has the place where it was given.
    #[test]
    fn exact_faults_of_given_values() {
        for (key, value, said, place) in [
            ("k", "2", "no parameter `k`", "the given values:1:1"),
            ("bodis.rod.mass", "2", "no file has a section `bodis`", "the given values:1:1"),
            ("bodies.rod.mas", "2", "unknown key `mas`", "the given values:1:1"),
            ("bodies.rod.mass", "2 m", "expected a mass", "the given values:1:19"),
            ("bodies.rod.mass", "-2", "mass", "the given values:1:19"),
            ("bodies.rod.mass.x", "2", "is a string: it has no `x`", "the given values:1:1"),
            ("points.B[2]", "2", "`points.B` has 2 items", "the given values:1:1"),
            ("simulation.integrator", "rk5", "rk5", "the given values:1:25"),
            ("points..B", "2", "is no key", "the given values:1:1"),
            ("", "2", "is no key", "the given values:1:1"),
        ] {
            let text = with(&[(key, value)]).expect_err(key).to_string();
            assert!(text.contains(said) && text.contains(place), "{key}: {text}");
        }
        let twice = with(&[("l", "1"), ("parameters.l", "2")]).unwrap_err().to_string();
        assert!(
            twice.contains("`parameters.l` is given twice") && twice.contains("given values:2:1"),
            "{twice}"
        );
    }
}
