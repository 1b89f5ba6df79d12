//! The values of the file as the model has them, and their way back into a file.

use super::{
    AnyFormula, AnyQuantity, At, Bounds, Choice, Choices, ColorName, Count, Direction, DrawnDirection, Ends,
    FormulaOf, FormulaVector, Locals, Moment, PlaceName, Range, Si, Six, Size, Time, Times, Truth, Truths,
    Turning, Two, TwoDirections, UnitName, Vector, Whole,
};
use crate::drawing::{Axis, Color, Dimension, Place};
use crate::expressions::Formula;
use crate::file::decode::Decode;
use crate::file::keys::{Entries, Keys, Kind};
use crate::file::list::Named;
use crate::file::table;
use crate::file::writing::item::{are, condition, is, numbers, once};
use crate::file::writing::{Context, Item};
use schemars::JsonSchema;

/// The unit that a number of given exponents of m, kg and s is written with.
fn si_unit(m: i8, kg: i8, s: i8) -> &'static str {
    match (m, kg, s) {
        (1, 0, 0) => "m",
        (2, 0, 0) => "m^2",
        (0, 1, 0) => "kg",
        (-1, 1, 0) => "kg/m",
        (-3, 1, 0) => "kg/m^3",
        (0, 0, 1) => "s",
        (1, 0, -1) => "m/s",
        (1, 1, -2) => "N",
        (2, 1, -2) => "N m",
        (0, 1, -2) => "N/m",
        (0, 1, -1) => "N s/m",
        (1, 1, -1) => "N s",
        (3, 1, -2) => "N m^2",
        (3, 1, -1) => "N m^2 s",
        (-1, 1, -2) => "Pa",
        (-1, 1, -1) => "N s/m^2",
        (2, 1, -1) => "N m s",
        (0, 0, -1) => "rad/s",
        _ => "",
    }
}

/// Writes the parts of [`Kind`] for a value that wraps what the model has.
macro_rules! wraps {
    ($type:ty) => {
        type Value = $type;
        fn value(self) -> $type {
            self.0
        }
    };
}

impl<const M: i8, const KG: i8, const S: i8> Kind for Si<M, KG, S> {
    wraps!(f64);
    fn write(value: &f64, _: &Context<'_>) -> Item {
        match si_unit(M, KG, S) {
            "" => Item::Number(*value),
            unit => Item::Quantity(*value, unit),
        }
    }
    fn same(a: &f64, b: &f64) -> bool {
        is(*a, *b)
    }
}

/// A number that is written with a unit of its own, though its dimension has another.
macro_rules! with_unit {
    ($($(#[doc = $doc:literal])* $name:ident: $si:ty, $unit:literal;)+) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(pub f64);

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$si>::json_schema(generator)
            }
        }

        impl Decode for $name {
            fn decode(
                node: &crate::file::document::Node,
                reader: &mut crate::file::decode::Reader<'_>,
            ) -> Option<Self> {
                <$si>::decode(node, reader).map(|value| $name(value.0))
            }
        }

        impl Kind for $name {
            wraps!(f64);
            fn write(value: &f64, _: &Context<'_>) -> Item {
                Item::Quantity(*value, $unit)
            }
            fn same(a: &f64, b: &f64) -> bool {
                is(*a, *b)
            }
        }
    )+};
}

with_unit! {
    /// An angle.
    Angle: Si<0, 0, 0>, "rad";

    /// A moment per angle.
    TurnStiffness: Si<2, 1, -2>, "N m/rad";
    /// A moment per angular velocity.
    TurnDamping: Si<2, 1, -1>, "N m s/rad";
}

impl Kind for AnyQuantity {
    wraps!(f64);
    fn write(value: &f64, _: &Context<'_>) -> Item {
        Item::Number(*value)
    }
    fn same(a: &f64, b: &f64) -> bool {
        is(*a, *b)
    }
}

impl Kind for AnyFormula {
    wraps!(Formula);
    fn write(value: &Formula, _: &Context<'_>) -> Item {
        value.into()
    }
}

impl Kind for Count {
    type Value = usize;
    fn value(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
    fn write(value: &usize, _: &Context<'_>) -> Item {
        (*value).into()
    }
}

impl Kind for Whole {
    wraps!(u64);
    fn write(value: &u64, _: &Context<'_>) -> Item {
        (*value).into()
    }
}

impl Kind for bool {
    type Value = bool;
    fn value(self) -> bool {
        self
    }
    fn write(value: &bool, _: &Context<'_>) -> Item {
        (*value).into()
    }
}

impl Kind for String {
    type Value = String;
    fn value(self) -> String {
        self
    }
    fn write(value: &String, _: &Context<'_>) -> Item {
        value.into()
    }
}

impl<K: Kind> Kind for Vec<K> {
    type Value = Vec<K::Value>;
    fn value(self) -> Vec<K::Value> {
        self.into_iter().map(K::value).collect()
    }
    fn write(values: &Vec<K::Value>, context: &Context<'_>) -> Item {
        Item::List(values.iter().map(|value| K::write(value, context)).collect())
    }
    fn same(a: &Vec<K::Value>, b: &Vec<K::Value>) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| K::same(a, b))
    }
}

impl<T: Keys + JsonSchema + Named + PartialEq> Kind for Entries<T> {
    wraps!(Vec<T>);
    fn write(items: &Vec<T>, context: &Context<'_>) -> Item {
        let entry = |item: &T| (item.name().to_owned(), Item::from(item.write(context)));
        crate::file::writing::Entry::named(items.iter().map(entry).collect()).into()
    }
}

impl<T: Choices + PartialEq> Kind for Choice<T> {
    wraps!(T);
    fn write(value: &T, _: &Context<'_>) -> Item {
        let name = T::choices().into_iter().find(|(_, choice)| choice == value).map(|(name, _)| name);
        name.unwrap_or_default().into()
    }
}

impl<const M: i8, const KG: i8, const S: i8, L: Locals> Kind for FormulaOf<M, KG, S, L> {
    wraps!(Formula);
    fn write(value: &Formula, _: &Context<'_>) -> Item {
        value.into()
    }
}

impl Kind for Truth {
    wraps!(Formula);
    fn write(value: &Formula, _: &Context<'_>) -> Item {
        condition(value)
    }
}

impl Kind for Truths {
    type Value = Vec<Formula>;
    fn value(self) -> Vec<Formula> {
        self.0.into_iter().map(Truth::value).collect()
    }
    fn write(conditions: &Vec<Formula>, _: &Context<'_>) -> Item {
        match &conditions[..] {
            [one] => condition(one),
            _ => Item::List(conditions.iter().map(condition).collect()),
        }
    }
}

/// Values by names; those at fault are left out.
impl<K: Kind> Kind for table::Named<K> {
    type Value = Vec<(String, K::Value)>;
    fn value(self) -> Self::Value {
        self.0.into_iter().filter_map(|(name, value)| Some((name, value?.value()))).collect()
    }
    fn write(values: &Self::Value, context: &Context<'_>) -> Item {
        let items = values.iter().map(|(name, value)| (name.clone(), K::write(value, context)));
        crate::file::writing::Entry::named(items.collect()).into()
    }
    fn same(a: &Self::Value, b: &Self::Value) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && K::same(&a.1, &b.1))
    }
}

impl<const M: i8, const KG: i8, const S: i8> Kind for FormulaVector<M, KG, S> {
    wraps!([Formula; 3]);
    fn write(value: &[Formula; 3], context: &Context<'_>) -> Item {
        context.formulas(value)
    }
}

impl Kind for Moment {
    wraps!([Formula; 3]);
    fn write(value: &[Formula; 3], context: &Context<'_>) -> Item {
        match context.dimension {
            Dimension::Planar => Item::from(&value[2]),
            Dimension::Spatial => context.formulas(value),
        }
    }
}

impl<const M: i8, const KG: i8, const S: i8> Kind for Vector<M, KG, S> {
    wraps!([f64; 3]);
    fn write(value: &[f64; 3], context: &Context<'_>) -> Item {
        context.vector(value)
    }
    fn same(a: &[f64; 3], b: &[f64; 3]) -> bool {
        are(a, *b)
    }
}

impl<const M: i8, const KG: i8, const S: i8> Kind for Turning<M, KG, S> {
    wraps!([f64; 3]);
    fn write(value: &[f64; 3], context: &Context<'_>) -> Item {
        Item::turning(value, si_unit(M, KG, S), context.dimension)
    }
    fn same(a: &[f64; 3], b: &[f64; 3]) -> bool {
        are(a, *b)
    }
}

impl Kind for DrawnDirection {
    wraps!([f64; 3]);
    fn write(value: &[f64; 3], context: &Context<'_>) -> Item {
        Item::direction(value, context.dimension)
    }
}

impl Kind for Size {
    wraps!([f64; 3]);
    fn write(value: &[f64; 3], context: &Context<'_>) -> Item {
        Item::direction(value, context.dimension)
    }
}

impl Kind for UnitName {
    wraps!(String);
    fn write(value: &String, _: &Context<'_>) -> Item {
        value.into()
    }
}

impl Kind for ColorName {
    wraps!(Color);
    fn write(value: &Color, _: &Context<'_>) -> Item {
        Item::Text(value.to_string())
    }
}

impl Kind for Bounds {
    wraps!([f64; 2]);
    fn write(value: &[f64; 2], _: &Context<'_>) -> Item {
        numbers(value)
    }
}

impl Kind for Range {
    wraps!([f64; 2]);
    fn write(value: &[f64; 2], _: &Context<'_>) -> Item {
        numbers(value)
    }
    fn same(a: &[f64; 2], b: &[f64; 2]) -> bool {
        are(a, *b)
    }
}

impl<const M: i8, const KG: i8, const S: i8> Kind for Ends<M, KG, S> {
    wraps!([f64; 2]);
    fn write(value: &[f64; 2], context: &Context<'_>) -> Item {
        let one = |x: f64| Si::<M, KG, S>::write(&x, context);
        match is(value[0], value[1]) {
            true => one(value[0]),
            false => Item::List(value.iter().map(|&x| one(x)).collect()),
        }
    }
    fn same(a: &[f64; 2], b: &[f64; 2]) -> bool {
        are(a, *b)
    }
}

impl Kind for Times {
    wraps!(Vec<f64>);
    fn write(times: &Vec<f64>, context: &Context<'_>) -> Item {
        match &times[..] {
            [time] => Time::write(time, context),
            _ => Vec::<Time>::write(times, context),
        }
    }
}

impl Kind for Two {
    wraps!([String; 2]);
    fn write(value: &[String; 2], _: &Context<'_>) -> Item {
        value.into()
    }
}

impl Kind for At {
    wraps!([String; 2]);
    fn write(value: &[String; 2], _: &Context<'_>) -> Item {
        once(value)
    }
}

impl Kind for PlaceName {
    wraps!(Place);
    fn write(value: &Place, context: &Context<'_>) -> Item {
        Item::place(value, context.dimension)
    }
}

impl Kind for Direction {
    wraps!(Axis);
    fn write(value: &Axis, context: &Context<'_>) -> Item {
        Item::axis(value, context.dimension)
    }
}

impl Kind for TwoDirections {
    type Value = [Axis; 2];
    fn value(self) -> [Axis; 2] {
        self.0.map(Direction::value)
    }
    fn write(value: &[Axis; 2], context: &Context<'_>) -> Item {
        Item::List(value.iter().map(|axis| Direction::write(axis, context)).collect())
    }
}

impl<const KIND: u8> Kind for Six<KIND> {
    wraps!([f64; 6]);
    fn write(six: &[f64; 6], context: &Context<'_>) -> Item {
        match context.dimension {
            Dimension::Planar => numbers(&[six[0], six[1], six[5]]),
            Dimension::Spatial => numbers(six),
        }
    }
    fn same(a: &[f64; 6], b: &[f64; 6]) -> bool {
        are(a, *b)
    }
}
