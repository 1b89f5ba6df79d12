//! Prescribed motion.

use super::{Axis, Formula, GROUND};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

/// What a driver prescribes.
#[derive(Clone, Debug, PartialEq)]
pub enum Driven {
    /// A coordinate of a joint, counted from one: an angle or a path since the drawing.
    Joint {
        /// The joint, by its name in results.
        joint: String,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// A component of a point's position in world axes.
    Point {
        /// The point.
        point: String,
        /// 0, 1 or 2 for x, y, z.
        component: usize,
    },
    /// The angle by which a body has turned against another about an axis since the drawing.
    Body {
        /// The body.
        body: String,
        /// The body that it turns against, in which the axis is fixed; `ground` is one.
        against: String,
        /// The axis; z in the plane.
        axis: Option<Axis>,
    },
}

keys! {
    /// A prescribed motion: of a joint's coordinate, of a component of a point, or of a body's angle. The force or torque that it takes is a result.
    Driver(name) {
        /// What it drives.
        of: Driven => group DrivenKeys,
        /// The value: metres or radians as an expression of `t` and of inputs that have a filter, which may use tables.
        value: Formula => required AnyFormula = Formula::constant(0.0),
    }
}

#[cfg(feature = "file")]
use file::DrivenKeys;

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::{Driven, Driver, GROUND};
    use crate::expressions::units::Dims;
    use crate::file::prelude::*;

    const LENGTH: Dims = Dims::new(1, 0, 0);

    /// A component of a vector: 0, 1, 2.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Component(usize);

    impl Choices for Component {
        const WHAT: &'static str = "component";
        fn choices() -> Vec<(&'static str, Self)> {
            vec![("x", Component(0)), ("y", Component(1)), ("z", Component(2))]
        }
    }

    table! {
        /// What a driver drives.
        DrivenKeys {
            /// The joint, by its name in results.
            joint: optional String,
            /// Which of the joint's coordinates, counted from one; the first if left out.
            coordinate: optional Count,
            /// The point.
            point: optional String,
            /// Component of the point's position: x, y or z.
            component: optional Choice<Component>,
            /// The body whose angle is driven.
            body: optional String,
            /// The body that it turns against and that carries the axis; `ground` if left out.
            against: optional String,
            /// Axis of the angle: a vector or two points; in the plane it is z.
            axis: optional Direction,
        }
    }

    impl Group for DrivenKeys {
        type Value = Driven;

        fn build(self, reader: &mut Reader<'_>) -> Option<Driven> {
            reader.refuse_strays(&[
                ("coordinate", self.coordinate.is_some() && self.joint.is_none(), "a joint"),
                ("component", self.component.is_some() && self.point.is_none(), "a point"),
                ("against", self.against.is_some() && self.body.is_none(), "a body"),
                ("axis", self.axis.is_some() && self.body.is_none(), "a body"),
            ]);
            let (message, help) = match (self.joint, self.point, self.body) {
                (Some(joint), None, None) => {
                    return Some(Driven::Joint {
                        joint,
                        coordinate: self.coordinate.map_or(1, Count::value),
                    });
                }
                (None, Some(point), None) => match self.component {
                    Some(Choice(Component(component))) => return Some(Driven::Point { point, component }),
                    None => ("`component` is missing", "component = \"x\", \"y\" or \"z\""),
                },
                (None, None, Some(body)) => {
                    let against = self.against.unwrap_or_else(|| GROUND.into());
                    return Some(Driven::Body { body, against, axis: self.axis.map(Kind::value) });
                }
                (None, None, None) => {
                    ("this drives nothing", "name a `joint`, a `point` with `component`, or a `body`")
                }
                _ => ("a driver drives one thing", "keep one of `joint`, `point` and `body`"),
            };
            reader.refuse("", message, help);
            None
        }

        fn stand_in() -> Driven {
            Driven::Joint { joint: String::new(), coordinate: 1 }
        }

        fn write(of: &Driven, entry: Entry, context: &Context<'_>) -> Entry {
            match of {
                Driven::Joint { joint, coordinate } => {
                    entry.set("joint", joint).unless(*coordinate == 1, "coordinate", *coordinate)
                }
                Driven::Point { point, component } => {
                    // another component is none: the reader says so
                    entry
                        .set("point", point)
                        .set("component", *["x", "y", "z"].get(*component).unwrap_or(&"?"))
                }
                Driven::Body { body, against, axis } => entry
                    .set("body", body)
                    .unless(against == GROUND, "against", against)
                    .maybe("axis", axis.as_ref().map(|axis| Direction::write(axis, context))),
            }
        }
    }

    impl Rules for Driver {
        fn judge(&mut self, _: Given<'_>, reader: &mut Reader<'_>) {
            let (turns, what) = match &self.of {
                Driven::Joint { joint, coordinate } => {
                    (reader.turns(joint, *coordinate), format!("coordinate {coordinate} of joint `{joint}`"))
                }
                Driven::Point { point, .. } => (Some(false), format!("the position of point `{point}`")),
                Driven::Body { body, .. } => (Some(true), format!("the angle of body `{body}`")),
            };
            let (Some(turns), Some(state)) = (turns, reader.noted("value")) else { return };
            let (expected, kind) =
                if turns { (Dims::NONE, "an angle (rad or deg)") } else { (LENGTH, "a length (m)") };
            if let Some(found) = state.dims().filter(|found| *found != expected) {
                let path = format!("{}.value", reader.path());
                let help = reader.said(&path).and_then(|text| reader.misfit(text, state, &[expected]));
                let message = format!("this drives {what}, {kind}; found {found}");
                reader.reject(Fault { help, ..Fault::error(path, message) });
            }
        }
    }
}

impl Driver {
    /// The formula reads no more names than this.
    pub const MOST_NAMES: usize = crate::interactions::MOST_NAMES;

    /// Drives the first coordinate of a joint.
    pub fn joint(name: impl Into<String>, joint: &str, value: impl Into<Formula>) -> Self {
        let of = Driven::Joint { joint: joint.into(), coordinate: 1 };
        Driver { name: name.into(), of, value: value.into() }
    }

    /// Drives a component (0, 1, 2 for x, y, z) of a point's position.
    pub fn point(name: impl Into<String>, point: &str, component: usize, value: impl Into<Formula>) -> Self {
        let of = Driven::Point { point: point.into(), component };
        Driver { name: name.into(), of, value: value.into() }
    }

    /// Drives the angle of a body against the ground, about an axis as drawn; in the plane about z.
    pub fn angle(name: impl Into<String>, body: &str, axis: Option<Axis>, value: impl Into<Formula>) -> Self {
        let of = Driven::Body { body: body.into(), against: GROUND.into(), axis };
        Driver { name: name.into(), of, value: value.into() }
    }

    /// Chooses another coordinate of the joint, counted from one.
    pub fn coordinate(mut self, number: usize) -> Self {
        if let Driven::Joint { coordinate, .. } = &mut self.of {
            *coordinate = number;
        }
        self
    }
}
