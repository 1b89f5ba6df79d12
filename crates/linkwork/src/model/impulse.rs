//! Impulses and jumps of velocities at given times.

use super::IntoVector;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

keys! {
    /// An impulse at given times: on a body (`impulse`, `angular_impulse`), or along a joint coordinate such that it gets a `rate`.
    Impulse(name) {
        /// When, s: a time or a list of times, each once.
        at: Vec<f64> => required Times,
        /// What happens.
        gives: Blow => group BlowKeys,
    }
}

#[cfg(feature = "file")]
impl Rules for Impulse {}

#[cfg(feature = "file")]
use file::BlowKeys;

/// What happens at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Blow {
    /// Impulses on a body.
    Strike {
        /// The body; if left out, the first that holds the point.
        body: Option<String>,
        /// Where; at the body's centre of mass if left out.
        point: Option<String>,
        /// World axes, N s.
        impulse: [f64; 3],
        /// World axes, N m s; about z in the plane.
        angular_impulse: [f64; 3],
    },
    /// A joint coordinate gets this rate, by the impulse along it that this takes.
    Rate {
        /// The joint, by its name in results.
        joint: String,
        /// Which of its coordinates, counted from one; may be left out where there is one only.
        coordinate: Option<usize>,
        /// rad/s or m/s.
        rate: f64,
    },
}

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::Blow;
    use crate::file::along_coordinate::RATE;
    use crate::file::prelude::*;
    use crate::file::writing::context;

    table! {
        /// What an impulse does.
        BlowKeys {
            /// The point that is struck; the body's centre of mass if left out.
            point: optional String,
            /// The body that is struck; the first that has the point if left out.
            body: optional String,
            /// The impulse in world axes, N s.
            impulse: optional Vector<1, 1, -1>,
            /// The angular impulse on the body in world axes, N m s: a number in the plane, a vector in space.
            angular_impulse: optional Turning<2, 1, -1>,
            /// Instead of a body: the joint whose coordinate gets a rate, by its name in results.
            joint: optional String,
            /// Which of the joint's coordinates, counted from one; may be left out if there is one only.
            coordinate: optional Count,
            /// The rate that the coordinate gets, rad/s or m/s.
            rate: optional AnyQuantity,
        }
    }

    impl Group for BlowKeys {
        type Value = Blow;

        fn build(self, reader: &mut Reader<'_>) -> Option<Blow> {
            let mut refuse = |key: &str, message: &str, help: &str| {
                reader.refuse(key, message, help);
                None
            };
            let (sets, strikes): (Vec<_>, Vec<_>) =
                self.given().into_iter().partition(|key| ["joint", "coordinate", "rate"].contains(key));
            match (strikes.first(), sets.first()) {
                (Some(a), Some(b)) => {
                    let message = format!(
                        "`{a}` and `{b}` do not go together: a body is struck, or a coordinate gets a rate"
                    );
                    refuse(&format!(".{b}"), &message, "make two impulses of it, at the same time")
                }
                (None, None) => {
                    let help =
                        "give `point` and `impulse`, `body` and `angular_impulse`, or `joint` and `rate`";
                    refuse("", "this impulse does not say what happens", help)
                }
                (Some(_), None) if self.impulse.is_none() && self.angular_impulse.is_none() => {
                    refuse("", "an `impulse` or an `angular_impulse` is missing", "give one, or both")
                }
                (Some(_), None) if self.angular_impulse.is_some() && self.body.is_none() => {
                    refuse(".angular_impulse", "`body` is missing", "name the body that is to turn")
                }
                (Some(_), None) => Some(Blow::Strike {
                    body: self.body,
                    point: self.point,
                    impulse: self.impulse.map_or([0.0; 3], Kind::value),
                    angular_impulse: self.angular_impulse.map_or([0.0; 3], Kind::value),
                }),
                (None, Some(_)) => {
                    let (Some(joint), Some(AnyQuantity(rate, _))) = (self.joint, self.rate) else {
                        return refuse("", "`joint` and `rate` go together", "give both");
                    };
                    let coordinate = self.coordinate.map(Kind::value);
                    let turns = reader.turns(&joint, coordinate.unwrap_or(1));
                    reader.key_fits("rate", turns, RATE);
                    Some(Blow::Rate { joint, coordinate, rate })
                }
            }
        }

        fn stand_in() -> Blow {
            Blow::Strike { body: None, point: None, impulse: [0.0; 3], angular_impulse: [0.0; 3] }
        }

        fn write(blow: &Blow, entry: Entry, context: &Context<'_>) -> Entry {
            match blow {
                Blow::Strike { body, point, impulse, angular_impulse } => {
                    let zero = |v: &[f64; 3]| are(v, [0.0; 3]);
                    let turn = Turning::<2, 1, -1>::write(angular_impulse, context);
                    entry
                        .maybe("point", point.as_ref())
                        .maybe("body", body.as_ref())
                        .unless(zero(impulse) && !zero(angular_impulse), "impulse", context.vector(impulse))
                        .unless(zero(angular_impulse), "angular_impulse", turn)
                }
                Blow::Rate { joint, coordinate, rate } => {
                    let unit = context::unit(context.turns(joint, coordinate.unwrap_or(1)), context::RATE);
                    entry
                        .set("joint", joint)
                        .maybe("coordinate", *coordinate)
                        .set("rate", Item::Quantity(*rate, unit))
                }
            }
        }
    }
}

impl Impulse {
    /// An impulse at a point, on the first body that holds it.
    pub fn at_point(name: impl Into<String>, at: f64, point: &str, impulse: impl IntoVector) -> Self {
        let gives = Blow::Strike {
            body: None,
            point: Some(point.into()),
            impulse: impulse.into_vector(),
            angular_impulse: [0.0; 3],
        };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// An impulse at the centre of mass of a body.
    pub fn at_com(name: impl Into<String>, at: f64, body: &str, impulse: impl IntoVector) -> Self {
        let gives = Blow::Strike {
            body: Some(body.into()),
            point: None,
            impulse: impulse.into_vector(),
            angular_impulse: [0.0; 3],
        };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// An angular impulse on a body, N m s; about z in the plane.
    pub fn turning(name: impl Into<String>, at: f64, body: &str, angular_impulse: [f64; 3]) -> Self {
        let gives = Blow::Strike { body: Some(body.into()), point: None, impulse: [0.0; 3], angular_impulse };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// The coordinate of a joint gets a rate, rad/s or m/s.
    pub fn rate(name: impl Into<String>, at: f64, joint: &str, rate: f64) -> Self {
        let gives = Blow::Rate { joint: joint.into(), coordinate: None, rate };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// On this body, where several hold the point.
    pub fn on(mut self, name: &str) -> Self {
        if let Blow::Strike { body, .. } = &mut self.gives {
            *body = Some(name.into());
        }
        self
    }

    /// Which coordinate of the joint gets the rate, counted from one.
    pub fn coordinate(mut self, number: usize) -> Self {
        if let Blow::Rate { coordinate, .. } = &mut self.gives {
            *coordinate = Some(number);
        }
        self
    }

    /// At this time as well, s.
    pub fn and_at(mut self, t: f64) -> Self {
        self.at.push(t);
        self
    }
}
