//! Values as they are going to stand in a file: numbers, texts, lists, and tables that know the order of their keys.

use crate::drawing::{Axis, Dimension, Place};
use crate::expressions::Formula;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A bare number.
    Number(f64),
    /// A number in SI units, and the unit to write behind it.
    Quantity(f64, &'static str),
    Text(String),
    Bool(bool),
    List(Vec<Item>),
    Table(Entry),
}

/// A table: an entry of a section, or a part of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    /// Every key it may have, in the order of the manual; none where its keys are names.
    order: &'static [&'static str],
    /// Its keys with their values.
    pub keys: Vec<(String, Item)>,
    /// Keys left out because they would say what is so without them.
    pub left_out: Vec<&'static str>,
    /// The key whose value may stand for the whole table where it is the only one.
    pub alone: Option<&'static str>,
}

impl Entry {
    /// An empty table of these keys.
    pub fn new(order: &'static [&'static str]) -> Self {
        Entry { order, ..Entry::default() }
    }

    /// A table whose keys are names.
    pub fn named(keys: Vec<(String, Item)>) -> Self {
        Entry { keys, ..Entry::default() }
    }

    /// Lets the value of a key stand for the whole where it is the only one.
    pub fn alone(mut self, key: &'static str) -> Self {
        self.alone = Some(key);
        self
    }

    /// Adds a key.
    pub fn set(mut self, key: &str, value: impl Into<Item>) -> Self {
        self.put(key, value.into());
        self
    }

    /// Adds a key if it has a value.
    pub fn maybe(self, key: &str, value: Option<impl Into<Item>>) -> Self {
        match value {
            Some(value) => self.set(key, value),
            None => self,
        }
    }

    /// Adds a key unless it has its default; one that is there already is taken away then.
    pub fn unless(mut self, default: bool, key: &'static str, value: impl Into<Item>) -> Self {
        if default {
            self.keys.retain(|(known, _)| known != key);
            self.left_out.push(key);
            return self;
        }
        self.set(key, value)
    }

    /// Adds a quantity unless it is zero, which is what it is if it is left out.
    pub fn unless_zero(self, key: &'static str, value: f64, unit: &'static str) -> Self {
        self.unless(is(value, 0.0), key, Item::Quantity(value, unit))
    }

    /// Puts a key in its place; one that is there already gets the value.
    pub fn put(&mut self, key: &str, value: Item) {
        debug_assert!(self.order.is_empty() || self.order.contains(&key), "there is no key `{key}`");
        if let Some((_, old)) = self.keys.iter_mut().find(|(known, _)| known == key) {
            *old = value;
            return;
        }
        let order = self.order;
        let rank = |key: &str| order.iter().position(|known| *known == key);
        let before = |(known, _): &(String, Item)| rank(known) <= rank(key);
        let at = if order.is_empty() { self.keys.len() } else { self.keys.partition_point(before) };
        self.keys.insert(at, (key.to_owned(), value));
    }

    /// Whether it may have a key.
    pub fn takes(&self, key: &str) -> bool {
        self.order.contains(&key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.keys.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The same table without its keys.
    pub fn emptied(&self) -> Entry {
        Entry { keys: Vec::new(), ..self.clone() }
    }

    /// The value that may stand for the whole.
    pub fn sole(&self) -> Option<&Item> {
        match &self.keys[..] {
            [(key, value)] if self.alone == Some(key.as_str()) => Some(value),
            _ => None,
        }
    }
}

impl From<f64> for Item {
    fn from(value: f64) -> Self {
        Item::Number(value)
    }
}
impl From<usize> for Item {
    fn from(value: usize) -> Self {
        Item::Number(value as f64)
    }
}
impl From<u64> for Item {
    fn from(value: u64) -> Self {
        Item::Number(value as f64)
    }
}
impl From<bool> for Item {
    fn from(value: bool) -> Self {
        Item::Bool(value)
    }
}
impl From<&str> for Item {
    fn from(value: &str) -> Self {
        Item::Text(value.to_owned())
    }
}
impl From<&String> for Item {
    fn from(value: &String) -> Self {
        Item::Text(value.clone())
    }
}
impl From<Entry> for Item {
    fn from(value: Entry) -> Self {
        Item::Table(value)
    }
}
impl From<Vec<Item>> for Item {
    fn from(value: Vec<Item>) -> Self {
        Item::List(value)
    }
}
/// A list of names.
impl From<&[String]> for Item {
    fn from(names: &[String]) -> Self {
        Item::List(names.iter().map(Item::from).collect())
    }
}
impl From<&Vec<String>> for Item {
    fn from(names: &Vec<String>) -> Self {
        names.as_slice().into()
    }
}
impl From<&[String; 2]> for Item {
    fn from(names: &[String; 2]) -> Self {
        names.as_slice().into()
    }
}
/// A number where it never changes, else the text.
impl From<&Formula> for Item {
    fn from(formula: &Formula) -> Self {
        match formula.is_constant() {
            Some(value) if *formula == Formula::constant(value) => Item::Number(value),
            _ => Item::Text(formula.text().to_owned()),
        }
    }
}

/// A condition, which is always a text.
pub(crate) fn condition(formula: &Formula) -> Item {
    Item::Text(formula.text().to_owned())
}

/// Whether a number is another one to the last bit.
pub(crate) fn is(value: f64, other: f64) -> bool {
    value.to_bits() == other.to_bits()
}

/// Whether all numbers of two vectors are the same to the last bit.
pub(crate) fn are<const N: usize>(values: &[f64; N], others: [f64; N]) -> bool {
    values.iter().zip(others).all(|(&value, other)| is(value, other))
}

/// A list of bare numbers.
pub(crate) fn numbers(values: &[f64]) -> Item {
    Item::List(values.iter().map(|&value| Item::Number(value)).collect())
}

/// One name where two are the same, else both.
pub(crate) fn once(names: &[String; 2]) -> Item {
    if names[0] == names[1] { Item::from(&names[0]) } else { Item::from(names) }
}

/// Vectors and directions of a model.
impl Item {
    /// As many components as the model has directions.
    pub fn vector(v: &[f64; 3], dimension: Dimension) -> Item {
        numbers(&v[..dimension.columns()])
    }

    /// A moment or an angular velocity: about z in the plane.
    pub fn turning(v: &[f64; 3], unit: &'static str, dimension: Dimension) -> Item {
        match dimension {
            Dimension::Planar => Item::Quantity(v[2], unit),
            Dimension::Spatial => numbers(v),
        }
    }

    /// A vector of formulas.
    pub fn formulas(v: &[Formula; 3], dimension: Dimension) -> Item {
        Item::List(v[..dimension.columns()].iter().map(Item::from).collect())
    }

    /// A direction as a vector: in the plane it has a third component only where that is not zero.
    pub fn direction(v: &[f64; 3], dimension: Dimension) -> Item {
        match dimension {
            Dimension::Planar if is(v[2], 0.0) => numbers(&v[..2]),
            _ => numbers(v),
        }
    }

    /// A direction as a vector or by two points.
    pub fn axis(axis: &Axis, dimension: Dimension) -> Item {
        match axis {
            Axis::Vector(v) => Item::direction(v, dimension),
            Axis::Points(p, q) => Item::List(vec![p.into(), q.into()]),
        }
    }

    /// Coordinates or the name of a point.
    pub fn place(place: &Place, dimension: Dimension) -> Item {
        match place {
            Place::Point(name) => name.into(),
            Place::At(at) => Item::vector(at, dimension),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_in_the_order_of_the_manual() {
        let entry = Entry::new(&["a", "b", "c", "d"]).set("c", 3.0).set("a", 1.0).unless(true, "b", 2.0);
        let entry = entry.set("d", 4.0);
        let keys: Vec<&str> = entry.keys.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!((keys, entry.left_out), (vec!["a", "c", "d"], vec!["b"]));
    }

    #[test]
    fn constants_of_formulas_are_numbers() {
        assert_eq!(Item::from(&Formula::constant(2.5)), Item::Number(2.5));
        assert_eq!(Item::from(&Formula::parse("2 m").unwrap()), Item::Text("2 m".into()));
        assert_eq!(condition(&Formula::constant(1.0)), Item::Text("1".into()));
    }
}
