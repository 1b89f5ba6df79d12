//! XML as the readers see it: an owned tree of elements with lines, and numbers with faults that name file, line and item.
//!
//! Documents with a DTD (and so with entities) are refused, and so are those that are larger or nested deeper than the limits here. The tree is owned, so
//! that included files can be put in the place of what includes them.

use std::sync::Arc;

use nalgebra::Vector3;

use crate::fault::{Fault, Place};

/// Largest file, bytes.
pub const MAX_BYTES: usize = 32 << 20;
/// Deepest nesting of elements.
pub const MAX_DEPTH: usize = 100;
/// Most nodes of a document: elements, texts and comments.
pub const MAX_NODES: u32 = 1_000_000;
/// Largest size of a number, in any unit. Larger ones are no lengths or masses of a robot, and their squares would not be numbers.
pub const MAX_NUMBER: f64 = 1e30;

/// An element with all that is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Local name, without a prefix.
    pub name: String,
    /// Where its tag begins.
    pub place: Place,
    /// Attributes in their order, by local name.
    pub attributes: Vec<Attribute>,
    /// Elements within, in their order.
    pub children: Vec<Element>,
    /// Text directly within, trimmed.
    pub text: String,
}

/// An attribute of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Local name.
    pub name: String,
    /// Value, references resolved.
    pub value: String,
    /// Where it stands.
    pub line: u32,
}

/// Parses a document.
pub fn parse(file: &Arc<str>, text: &str) -> Result<Element, Fault> {
    if text.len() > MAX_BYTES {
        return Err(too_large(file, text.len() as u64));
    }
    let options =
        roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, entity_resolver: None };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| {
        let line = error.pos().row;
        let place = Place { file: file.clone(), line };
        match error {
            roxmltree::Error::DtdDetected => Fault::new(
                Place::whole(file),
                "",
                "the document has a DTD: entities are not followed, and the file is not read",
            )
            .help("remove the `<!DOCTYPE …>`"),
            roxmltree::Error::NodesLimitReached => {
                Fault::new(Place::whole(file), "", format!("more than {MAX_NODES} nodes"))
            }
            error => Fault::new(place, "", format!("not well-formed XML: {error}")),
        }
    })?;
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(n, _)| n + 1))
        .collect();
    let line = |at: usize| starts.partition_point(|start| *start <= at) as u32;
    owned(file, &line, document.root_element(), 1)
}

/// The fault of a file beyond [`MAX_BYTES`].
pub(crate) fn too_large(file: &Arc<str>, bytes: u64) -> Fault {
    Fault::new(
        Place::whole(file),
        "",
        format!("the file has {bytes} bytes; files of at most {MAX_BYTES} bytes are read"),
    )
}

/// An element and all within it; recursion ends at [`MAX_DEPTH`].
fn owned(
    file: &Arc<str>,
    line: &impl Fn(usize) -> u32,
    node: roxmltree::Node<'_, '_>,
    depth: usize,
) -> Result<Element, Fault> {
    let place = Place { file: file.clone(), line: line(node.range().start) };
    if depth > MAX_DEPTH {
        let message = format!("elements are nested deeper than {MAX_DEPTH}");
        return Err(Fault::new(place, format!("<{}>", node.tag_name().name()), message));
    }
    let attributes = node
        .attributes()
        .map(|attribute| Attribute {
            name: attribute.name().to_owned(),
            value: attribute.value().to_owned(),
            line: line(attribute.range().start),
        })
        .collect();
    let mut children = Vec::new();
    let mut text = String::new();
    for child in node.children() {
        if child.is_element() {
            children.push(owned(file, line, child, depth + 1)?);
        } else if let Some(part) = child.text().filter(|_| child.is_text()) {
            text.push_str(part);
        }
    }
    Ok(Element {
        name: node.tag_name().name().to_owned(),
        place,
        attributes,
        children,
        text: text.trim().to_owned(),
    })
}

/// A name in backticks for a message: long ones are cut, and control characters shown as escapes.
pub fn quoted(name: &str) -> String {
    let short: String = name.chars().take(60).flat_map(|c| c.escape_debug()).collect();
    match name.chars().nth(60) {
        Some(_) => format!("`{short}…`"),
        None => format!("`{short}`"),
    }
}

impl Element {
    /// What messages call it: ``joint `elbow` ``, or `<origin>` without a name.
    pub fn item(&self) -> String {
        match self.attribute("name") {
            Some(name) => format!("{} {}", self.name, quoted(name)),
            None => format!("<{}>", self.name),
        }
    }

    /// A fault of this element.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.place.clone(), self.item(), message)
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| attribute.value.as_str())
    }

    /// The value of an attribute that must be there.
    pub fn required(&self, name: &str) -> Result<&str, Fault> {
        self.attribute(name).ok_or_else(|| self.fault(format!("the attribute `{name}` is missing")))
    }

    /// A fault of an attribute.
    fn attribute_fault(&self, name: &str, message: impl Into<String>) -> Fault {
        let line = self.attributes.iter().find(|a| a.name == name).map_or(self.place.line, |a| a.line);
        Fault::new(Place { file: self.place.file.clone(), line }, self.item(), message)
    }

    /// The first element of a name within.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All elements of a name within.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element along a path of names.
    pub fn at_path(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// All numbers of an attribute, separated by white space.
    pub fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, Fault> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        numbers(value).map(Some).map_err(|message| self.attribute_fault(name, format!("`{name}`: {message}")))
    }

    /// A number in an attribute.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        Ok(self.array::<1>(name)?.map(|[number]| number))
    }

    /// So many numbers in an attribute.
    pub fn array<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, Fault> {
        let Some(list) = self.numbers(name)? else { return Ok(None) };
        let found = list.len();
        let array = list
            .try_into()
            .map_err(|_| self.attribute_fault(name, format!("`{name}` has {found} numbers and needs {N}")))?;
        Ok(Some(array))
    }

    /// Three numbers in an attribute.
    pub fn vector(&self, name: &str) -> Result<Option<Vector3<f64>>, Fault> {
        Ok(self.array::<3>(name)?.map(Vector3::from))
    }

    /// `true` or `false` in an attribute; `1` and `0` as well.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Fault> {
        self.attribute(name)
            .map(|value| {
                flag(value).ok_or_else(|| {
                    self.attribute_fault(
                        name,
                        format!("`{name}` is {}, neither `true` nor `false`", quoted(value)),
                    )
                })
            })
            .transpose()
    }

    /// All numbers of the text within.
    pub fn text_numbers(&self) -> Result<Vec<f64>, Fault> {
        numbers(&self.text).map_err(|message| self.fault(message))
    }

    /// So many numbers as the text within.
    pub fn text_array<const N: usize>(&self) -> Result<[f64; N], Fault> {
        let list = self.text_numbers()?;
        let found = list.len();
        list.try_into().map_err(|_| self.fault(format!("has {found} numbers and needs {N}")))
    }

    /// The number in an element of a name within, as SDF writes values.
    pub fn child_number(&self, name: &str) -> Result<Option<f64>, Fault> {
        self.child(name).map(|child| child.text_array::<1>().map(|[number]| number)).transpose()
    }

    /// Three numbers in an element of a name within.
    pub fn child_vector(&self, name: &str) -> Result<Option<Vector3<f64>>, Fault> {
        self.child(name).map(|child| child.text_array::<3>().map(Vector3::from)).transpose()
    }

    /// `true` or `false` in an element of a name within.
    pub fn child_flag(&self, name: &str) -> Result<Option<bool>, Fault> {
        let Some(child) = self.child(name) else { return Ok(None) };
        let fault = || child.fault(format!("{} is neither `true` nor `false`", quoted(&child.text)));
        flag(&child.text).map(Some).ok_or_else(fault)
    }

    /// The text of an element of a name within.
    pub fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// All numbers of a text, or what is wrong with one.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split_ascii_whitespace().map(number).collect()
}

/// A finite number of reasonable size. Infinite ones are refused: where a format means them, the reader looks at the text first.
pub fn number(word: &str) -> Result<f64, String> {
    let value: f64 = word.parse().map_err(|_| format!("{} is not a number", quoted(word)))?;
    if !value.is_finite() {
        return Err(format!("{} is not finite", quoted(word)));
    }
    if value.abs() > MAX_NUMBER {
        return Err(format!("{} is larger than {MAX_NUMBER:e}", quoted(word)));
    }
    Ok(value)
}
