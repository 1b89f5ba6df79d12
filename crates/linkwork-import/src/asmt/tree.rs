//! Lines indented by tabs as a tree: what stands deeper belongs to the line above it.
//!
//! A value stands below its name, so that `Mass` has one child, which is the number. The tree ends at `TimeSeries`, the results of an earlier run.

use std::sync::Arc;

use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::fault::{Fault, Place};
use crate::pose::Pose;
use crate::xml::{MAX_BYTES, MAX_DEPTH, MAX_NODES, number, quoted, too_large};

/// A line with all that is indented below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub text: String,
    pub place: Place,
    pub children: Vec<Node>,
}

/// How far a rotation may be from one, by its entries: the digits of a file.
const ROUNDED: f64 = 1e-6;

/// The lines without indentation.
pub(super) fn parse(file: &Arc<str>, text: &str) -> Result<Vec<Node>, Fault> {
    if text.len() > MAX_BYTES {
        return Err(too_large(file, text.len() as u64));
    }
    let mut tops: Vec<Node> = Vec::new();
    // the line of each depth that further ones may belong to
    let mut open: Vec<Node> = Vec::new();
    let mut count = 0;
    for (n, line) in text.lines().enumerate() {
        let place = Place { file: file.clone(), line: n as u32 + 1 };
        let depth = line.bytes().take_while(|byte| *byte == b'\t').count();
        let text = line.trim();
        if depth == 0 && text == "TimeSeries" {
            break;
        }
        if text.is_empty() {
            continue;
        }
        count += 1;
        if count > MAX_NODES {
            return Err(Fault::new(Place::whole(file), "", format!("more than {MAX_NODES} lines")));
        }
        if depth > MAX_DEPTH {
            return Err(Fault::new(place, "", format!("lines are indented deeper than {MAX_DEPTH} tabs")));
        }
        if depth > open.len() {
            let message =
                format!("the line is {depth} tabs deep, and the one above it {}", open.len().max(1) - 1);
            return Err(Fault::new(place, quoted(text), message));
        }
        close(&mut open, &mut tops, depth);
        open.push(Node { text: text.to_owned(), place, children: Vec::new() });
    }
    close(&mut open, &mut tops, 0);
    Ok(tops)
}

/// Ends all lines of a depth and deeper ones.
fn close(open: &mut Vec<Node>, tops: &mut Vec<Node>, depth: usize) {
    while open.len() > depth {
        let Some(done) = open.pop() else { return };
        match open.last_mut() {
            Some(above) => above.children.push(done),
            None => tops.push(done),
        }
    }
}

impl Node {
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.text == name)
    }

    /// What stands below a name, as a text.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.child(name)?.children.first().map(|value| value.text.as_str())
    }

    /// What messages call it: ``RevoluteJoint `hinge` ``.
    pub fn item(&self) -> String {
        match self.value("Name") {
            Some(name) => format!("{} {}", self.text, quoted(name)),
            None => self.text.chars().take(60).collect(),
        }
    }

    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.place.clone(), self.item(), message)
    }

    /// The name, which everything that others speak of needs.
    pub fn name(&self) -> Result<&str, Fault> {
        self.value("Name").ok_or_else(|| self.fault("it has no `Name`"))
    }

    /// Rows of so many numbers below a name.
    fn rows<const N: usize>(&self, name: &str) -> Result<Option<Vec<[f64; N]>>, Fault> {
        let Some(node) = self.child(name) else { return Ok(None) };
        let row = |line: &Node| {
            let named =
                |message: String| Fault::new(line.place.clone(), self.item(), format!("`{name}`: {message}"));
            let list: Result<Vec<f64>, String> = line.text.split_whitespace().map(number).collect();
            let list = list.map_err(named)?;
            let found = list.len();
            list.try_into().map_err(|_| named(format!("has {found} numbers and needs {N}")))
        };
        node.children.iter().map(row).collect::<Result<_, _>>().map(Some)
    }

    /// A number below a name.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        Ok(self.rows::<1>(name)?.and_then(|rows| rows.first().map(|[number]| *number)))
    }

    /// A vector below a name.
    pub fn vector(&self, name: &str) -> Result<Option<Vector3<f64>>, Fault> {
        Ok(self.rows::<3>(name)?.and_then(|rows| rows.first().map(|row| Vector3::from(*row))))
    }

    /// `Position3D` and `RotationMatrix`, whose columns are the axes of the frame; lengths are counted in `unit` metres.
    pub fn pose(&self, unit: f64) -> Result<Pose, Fault> {
        let origin = self.vector("Position3D")?.unwrap_or_default() * unit;
        let Some(rows) = self.rows::<3>("RotationMatrix")? else { return Ok(Pose::at(origin)) };
        let [a, b, c] = rows[..] else { return Err(self.fault("`RotationMatrix` needs three rows")) };
        let given = Matrix3::from_rows(&[a.into(), b.into(), c.into()]);
        let off = (given.transpose() * given - Matrix3::identity()).amax();
        if !(off < ROUNDED && given.determinant() > 0.0) {
            return Err(self.fault("`RotationMatrix` is no rotation"));
        }
        // a rotation that is one to rounding stays as it is
        let rotation = if off < 1e-14 { given } else { Rotation3::from_matrix(&given).into_inner() };
        Ok(Pose { rotation, origin })
    }
}
