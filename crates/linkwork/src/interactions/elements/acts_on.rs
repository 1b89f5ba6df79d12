//! The coordinate that a torsion spring, an actuator or a motor acts along.

use super::checks::Checks;
use super::site::{Coordinate, Site};
use super::{Line, Symbol, Use};
use crate::drawing::{Axis, GROUND};
use crate::interactions::CoordinateFunction;
use crate::linalg::vec3::Vec3;

const Z: Vec3 = [0.0, 0.0, 1.0];

/// The coordinate that a torsion spring or an actuator acts along.
#[derive(Clone, Debug, PartialEq)]
pub enum ActsOn {
    /// A coordinate of a joint, counted from one.
    Joint {
        /// The joint, by its name in results.
        joint: String,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// The distance of two points.
    Between([String; 2]),
    /// The angle by which the second body has turned against the first about an axis since the drawing.
    Turn {
        /// The bodies; the axis is fixed in the first.
        bodies: [String; 2],
        /// The axis; z in the plane.
        axis: Option<Axis>,
    },
}

impl ActsOn {
    /// The first coordinate of a joint.
    pub fn joint(joint: &str) -> Self {
        ActsOn::Joint { joint: joint.into(), coordinate: 1 }
    }

    /// The angle of a body against the ground; in space about an axis.
    pub fn body(body: &str, axis: Option<Axis>) -> Self {
        ActsOn::Turn { bodies: [GROUND.into(), body.into()], axis }
    }

    /// Checks it. Joints that shared points imply are known once the mechanism is. `bodies_keys`: where the bodies are named.
    pub(super) fn check(&self, path: &str, bodies_keys: [&str; 2], on: &mut dyn Checks) {
        match self {
            ActsOn::Joint { .. } => {}
            ActsOn::Between([p, q]) => {
                on.point(&format!("{path}.between[0]"), p);
                on.point(&format!("{path}.between[1]"), q);
                if p == q {
                    on.error(
                        format!("{path}.between"),
                        format!("two points are needed, this has `{p}` twice"),
                    );
                }
            }
            ActsOn::Turn { bodies: [a, b], axis } => {
                let [first, second] = bodies_keys.map(|key| format!("{path}.{key}"));
                let known = [on.body(&first, a), on.body(&second, b)];
                if known == [true, true] && a == b {
                    on.error(second, "a body does not turn against itself");
                }
                turn_axis(path, axis.as_ref(), on);
            }
        }
    }

    /// What it is attached to.
    pub(super) fn uses(&self) -> Vec<Use<'_>> {
        match self {
            ActsOn::Joint { joint, .. } => vec![Use::Joint(joint)],
            ActsOn::Between(points) => points.iter().map(|point| Use::Point(point)).collect(),
            ActsOn::Turn { bodies, .. } => bodies.iter().map(|body| Use::Body(body)).collect(),
        }
    }

    /// The picture of what drives it: something along the line, where it is a distance.
    pub(super) fn symbol(&self) -> Option<Symbol<'_>> {
        match self {
            ActsOn::Between(ends) => Some(Symbol::Line { look: Line::Actuator, ends }),
            ActsOn::Joint { .. } | ActsOn::Turn { .. } => None,
        }
    }

    /// The coordinate itself; its turns are counted.
    pub(super) fn attach(&self, path: &str, site: &mut dyn Site) -> Option<Coordinate> {
        let (coordinate, key) = match self {
            ActsOn::Joint { joint, coordinate } => (site.coordinate(joint, *coordinate, path)?, "joint"),
            ActsOn::Between([p, q]) => {
                let (from, to) = (site.point(p)?, site.point(q)?);
                (
                    Coordinate { gauge: site.gauge(CoordinateFunction::Distance { from, to }), factor: 1.0 },
                    "between",
                )
            }
            ActsOn::Turn { bodies, axis } => {
                let u = axis.as_ref().map_or(Some(Z), |axis| site.direction(axis))?;
                let [a, b] = bodies.each_ref().map(|name| site.body(name));
                if !site.oriented([a, b], &format!("{path}.axis")) {
                    return None;
                }
                (
                    Coordinate { gauge: site.gauge(CoordinateFunction::turn(a, b, u, None)), factor: 1.0 },
                    "axis",
                )
            }
        };
        site.track(coordinate.gauge, 0.0);
        site.turnable(coordinate.gauge, &format!("{path}.{key}")).then_some(coordinate)
    }
}

/// The axis of an angle: none in the plane.
fn turn_axis(path: &str, axis: Option<&Axis>, on: &mut dyn Checks) {
    match axis {
        None if !on.planar() => {
            let help = "axis = a vector such as [0, 0, 1], or two points";
            on.error_with(path, "an angle in space needs an `axis`", help);
        }
        Some(_) if on.planar() => {
            on.error(format!("{path}.axis"), "in the plane bodies turn about z: remove `axis`");
        }
        Some(axis) => {
            on.axis(&format!("{path}.axis"), axis);
        }
        None => {}
    }
}

#[cfg(feature = "file")]
pub(super) use keys::{AngleKeys, MotorKeys};

/// The keys in a file.
#[cfg(feature = "file")]
mod keys {
    use super::ActsOn;
    use crate::drawing::GROUND;
    use crate::file::prelude::*;

    table! {
        /// The angle that a torsion spring acts on.
        AngleKeys {
            /// The joint, by its name in results.
            joint: optional String,
            /// Which of the joint's coordinates, counted from one; the first if left out.
            coordinate: optional Count,
            /// Instead of a joint: the two bodies; the angle is that of the second against the first.
            bodies: optional Two,
            /// Axis of the angle, fixed in the first body: a vector or two points; in the plane it is z.
            axis: optional Direction,
        }
    }

    table! {
        /// The coordinate that a motor acts along.
        MotorKeys {
            /// The joint along whose coordinate it acts, by its name in results.
            joint: optional String,
            /// Which of the joint's coordinates, counted from one; the first if left out.
            coordinate: optional Count,
            /// Instead of a joint: two points that the force pushes apart.
            between: optional Two,
            /// Instead of a joint: the body that the torque turns.
            body: optional String,
            /// The body that takes the opposite torque and carries the axis; `ground` if left out.
            against: optional String,
            /// Axis of the torque on a body: a vector or two points; in the plane it is z.
            axis: optional Direction,
        }
    }

    fn number(count: Option<Count>) -> usize {
        count.map_or(1, Count::value)
    }

    impl Group for AngleKeys {
        type Value = ActsOn;

        fn build(self, reader: &mut Reader<'_>) -> Option<ActsOn> {
            match (self.joint, self.bodies) {
                (Some(joint), None) => {
                    if self.axis.is_some() {
                        reader.refuse(
                            ".axis",
                            "`axis` belongs to `bodies`",
                            "remove it: a joint has its own axis",
                        );
                    }
                    Some(ActsOn::Joint { joint, coordinate: number(self.coordinate) })
                }
                (None, Some(bodies)) => {
                    if self.coordinate.is_some() {
                        reader.refuse(".coordinate", "`coordinate` belongs to `joint`", "remove it");
                    }
                    Some(ActsOn::Turn { bodies: bodies.0, axis: self.axis.map(Kind::value) })
                }
                (joint, _) => {
                    let both = joint.is_some();
                    let message =
                        if both { "both `joint` and `bodies` are given" } else { "this acts on nothing" };
                    reader.refuse("", message, "name a `joint`, or two `bodies`");
                    None
                }
            }
        }

        fn stand_in() -> ActsOn {
            ActsOn::joint("")
        }

        fn write(of: &ActsOn, entry: Entry, context: &Context<'_>) -> Entry {
            match of {
                ActsOn::Turn { bodies, axis } => entry
                    .set("bodies", bodies)
                    .maybe("axis", axis.as_ref().map(|a| Direction::write(a, context))),
                ActsOn::Joint { .. } => joint(of, entry),
                // no angle: the reader says that it acts on nothing
                ActsOn::Between(_) => entry,
            }
        }
    }

    fn joint(of: &ActsOn, entry: Entry) -> Entry {
        match of {
            ActsOn::Joint { joint, coordinate } => {
                entry.set("joint", joint).unless(*coordinate == 1, "coordinate", *coordinate)
            }
            _ => entry,
        }
    }

    impl Group for MotorKeys {
        type Value = ActsOn;

        fn build(self, reader: &mut Reader<'_>) -> Option<ActsOn> {
            let given = [self.joint.is_some(), self.between.is_some(), self.body.is_some()];
            match given.iter().filter(|given| **given).count() {
                0 => {
                    let help = "name a `joint`, two points with `between`, or a `body`";
                    reader.refuse("", "this acts on nothing", help);
                    return None;
                }
                1 => {}
                _ => {
                    let help = "keep one of `joint`, `between` and `body`";
                    reader.refuse("", "an actuator acts on one thing", help);
                    return None;
                }
            }
            reader.refuse_strays(&[
                ("coordinate", self.coordinate.is_some() && self.joint.is_none(), "a joint"),
                ("against", self.against.is_some() && self.body.is_none(), "a body"),
                ("axis", self.axis.is_some() && self.body.is_none(), "a body"),
            ]);
            // whether there is such a joint is known once the mechanism is
            Some(if let Some(joint) = self.joint {
                ActsOn::Joint { joint, coordinate: number(self.coordinate) }
            } else if let Some(two) = self.between {
                ActsOn::Between(two.0)
            } else {
                let against = self.against.unwrap_or_else(|| GROUND.into());
                let bodies = [against, self.body.unwrap_or_default()];
                ActsOn::Turn { bodies, axis: self.axis.map(Kind::value) }
            })
        }

        fn stand_in() -> ActsOn {
            ActsOn::joint("")
        }

        fn write(of: &ActsOn, entry: Entry, context: &Context<'_>) -> Entry {
            match of {
                ActsOn::Joint { .. } => joint(of, entry),
                ActsOn::Between(points) => entry.set("between", points),
                ActsOn::Turn { bodies: [against, body], axis } => entry
                    .set("body", body)
                    .unless(against == GROUND, "against", Item::from(against))
                    .maybe("axis", axis.as_ref().map(|a| Direction::write(a, context))),
            }
        }
    }

    impl ActsOn {
        /// Whether it is an angle; `None` if that is not known. `of_joint` says it of a coordinate of a joint.
        pub(crate) fn turns(&self, of_joint: impl Fn(&str, usize) -> Option<bool>) -> Option<bool> {
            match self {
                ActsOn::Joint { joint, coordinate } => of_joint(joint, *coordinate),
                ActsOn::Between(_) => Some(false),
                ActsOn::Turn { .. } => Some(true),
            }
        }
    }
}
