//! Surfaces that touch, and what happens where they do.

use super::{Axis, Body, GROUND, IntoVector, Mass, Model, Orientation, Place, Shape};
use std::collections::{HashMap, HashSet};

/// A model may have this many ways in which surfaces can touch: corners, edges and rims each count.
pub const MAX_CONTACTS: usize = 100_000;

/// A surface of a body, or of the ground, that contacts speak of.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// The body it is part of; `ground` for one that never moves.
    pub body: String,
    /// What it is.
    pub form: SurfaceForm,
}

/// What a surface is.
#[derive(Clone, Debug, PartialEq)]
pub enum SurfaceForm {
    /// A plane, in planar models a line: everything behind it is solid.
    Plane {
        /// A place of the plane as drawn; the origin if left out.
        at: Option<Place>,
        /// Out of the solid side, as drawn, of any length.
        normal: Axis,
    },
    /// A point.
    Point {
        /// Where, as drawn.
        at: Place,
    },
    /// A sphere, box, cylinder or capsule; the other shapes cannot touch. What is left out follows from the body's points.
    Solid(Shape),
    /// The convex hull of points of the body and of places, in planar models a polygon.
    Hull {
        /// Names of points.
        points: Vec<String>,
        /// Coordinates as drawn.
        vertices: Vec<[f64; 3]>,
    },
}

impl Surface {
    /// A plane of the ground.
    pub fn plane(name: impl Into<String>, at: impl Into<Place>, normal: impl IntoVector) -> Self {
        let normal = Axis::Vector(normal.into_vector());
        Self::new(name, SurfaceForm::Plane { at: Some(at.into()), normal })
    }

    /// A point of the ground.
    pub fn point(name: impl Into<String>, at: impl Into<Place>) -> Self {
        Self::new(name, SurfaceForm::Point { at: at.into() })
    }

    /// A sphere of the ground, in planar models a disc; radius in m.
    pub fn sphere(name: impl Into<String>, center: impl Into<Place>, radius: f64) -> Self {
        Self::new(name, SurfaceForm::Solid(Shape::Sphere { radius, center: Some(center.into()) }))
    }

    /// A box of the ground with its first edge along x, in planar models a rectangle; edges in m.
    pub fn cuboid(name: impl Into<String>, center: impl Into<Place>, size: [f64; 3]) -> Self {
        let pose =
            Orientation { center: Some(center.into()), axis: Some([1.0, 0.0, 0.0]), ..Default::default() };
        Self::new(name, SurfaceForm::Solid(Shape::Box { size, pose }))
    }

    /// The convex hull of places on the ground, in planar models a polygon.
    pub fn hull(name: impl Into<String>, vertices: Vec<[f64; 3]>) -> Self {
        Self::new(name, SurfaceForm::Hull { points: Vec::new(), vertices })
    }

    fn new(name: impl Into<String>, form: SurfaceForm) -> Self {
        Surface { name: name.into(), body: GROUND.into(), form }
    }

    /// Makes it a part of a body.
    pub fn on(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }
}

/// Surfaces that touch each other. Each name is that of a surface, or of a body: then it is the body's own shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name, used in results.
    pub name: String,
    /// Which surfaces.
    pub of: Meeting,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// From 0 (no bounce) to 1 (without loss).
    pub restitution: f64,
    /// Whether bodies that a joint connects touch each other, too.
    pub jointed: bool,
}

/// Who meets whom.
#[derive(Clone, Debug, PartialEq)]
pub enum Meeting {
    /// Each of the first list each of the second.
    Between([Vec<String>; 2]),
    /// Each all others.
    Among(Vec<String>),
}

impl Contact {
    /// Two surfaces, without friction or bounce.
    pub fn between(name: impl Into<String>, first: &str, second: &str) -> Self {
        Self::new(name, Meeting::Between([vec![first.into()], vec![second.into()]]))
    }

    /// All surfaces of a list, without friction or bounce.
    pub fn among<S: Into<String>>(name: impl Into<String>, surfaces: impl IntoIterator<Item = S>) -> Self {
        Self::new(name, Meeting::Among(surfaces.into_iter().map(Into::into).collect()))
    }

    fn new(name: impl Into<String>, of: Meeting) -> Self {
        Contact { name: name.into(), of, friction: 0.0, restitution: 0.0, jointed: false }
    }

    /// Sets the coefficient of friction.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }

    /// Sets the coefficient of restitution, 0 to 1.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// Lets bodies touch that a joint connects.
    pub fn jointed(mut self) -> Self {
        self.jointed = true;
        self
    }
}

/// A surface that takes part in contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Participant<'a> {
    pub name: &'a str,
    pub body: &'a str,
    pub form: Kind<'a>,
}

/// What a participant is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'a> {
    Plane { at: Option<&'a Place>, normal: &'a Axis },
    Point(&'a Place),
    Solid(&'a Shape),
    Hull { points: &'a [String], vertices: &'a [[f64; 3]] },
}

/// Who can touch whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings<'a> {
    pub participants: Vec<Participant<'a>>,
    /// Contact, first and second participant.
    pub pairs: Vec<[usize; 3]>,
    /// Pairs that a joint connects, which nobody asked for by `jointed`.
    pub left_out: Vec<[usize; 3]>,
    /// There are more pairs than [`MAX_CONTACTS`], and these are not all of them.
    pub too_many: bool,
}

/// A body's own shape, if it has one that can touch.
pub(crate) fn own_shape(body: &Body) -> Option<&Shape> {
    match &body.mass {
        Mass::Shape(
            shape @ (Shape::Box { .. }
            | Shape::Cylinder { .. }
            | Shape::Sphere { .. }
            | Shape::Capsule { .. }),
            _,
        ) => Some(shape),
        _ => None,
    }
}

/// Bodies that a joint connects, by their names in order: they share a point, or an entry joins them. A floating joint leaves
/// its bodies free.
fn joined(model: &Model) -> HashSet<[&str; 2]> {
    let mut holders: HashMap<&str, Vec<&str>> = HashMap::new();
    let ground = model.ground.iter().map(|p| (p, GROUND));
    let bodies = model.bodies.iter().flat_map(|b| b.points.iter().map(move |p| (p, b.name.as_str())));
    for (point, body) in ground.chain(bodies) {
        holders.entry(point).or_default().push(body);
    }
    let mut joined = HashSet::new();
    let mut join = |a, b| joined.insert(if a < b { [a, b] } else { [b, a] });
    for list in holders.values() {
        for (i, a) in list.iter().enumerate() {
            list[i + 1..].iter().for_each(|b| {
                join(*a, *b);
            });
        }
    }
    for joint in model.joints.iter().filter(|joint| !joint.kind.is_free()) {
        join(&joint.bodies[0], &joint.bodies[1]);
    }
    joined
}

impl<'a> Meetings<'a> {
    /// Of a model. Unknown names are left out.
    pub fn new(model: &'a Model) -> Self {
        let mut meetings = Meetings::default();
        if model.contacts.is_empty() {
            return meetings;
        }
        let joined = joined(model);
        let mut index: HashMap<&str, usize> = HashMap::new();
        for surface in &model.surfaces {
            let form = match &surface.form {
                SurfaceForm::Plane { at, normal } => Kind::Plane { at: at.as_ref(), normal },
                SurfaceForm::Point { at } => Kind::Point(at),
                SurfaceForm::Solid(shape) => Kind::Solid(shape),
                SurfaceForm::Hull { points, vertices } => Kind::Hull { points, vertices },
            };
            index.entry(&surface.name).or_insert(meetings.participants.len());
            meetings.participants.push(Participant { name: &surface.name, body: &surface.body, form });
        }
        for body in &model.bodies {
            let Some(shape) = own_shape(body) else { continue };
            if !index.contains_key(body.name.as_str()) {
                index.insert(&body.name, meetings.participants.len());
                let form = Kind::Solid(shape);
                meetings.participants.push(Participant { name: &body.name, body: &body.name, form });
            }
        }
        let find = |names: &[String]| -> Vec<usize> {
            names.iter().filter_map(|n| index.get(n.as_str())).copied().collect()
        };
        for (c, contact) in model.contacts.iter().enumerate() {
            match &contact.of {
                Meeting::Between([first, second]) => {
                    let second = find(second);
                    for a in find(first) {
                        second.iter().for_each(|&b| meetings.pair(c, contact, [a, b], &joined));
                    }
                }
                Meeting::Among(names) => {
                    let all = find(names);
                    for (i, &a) in all.iter().enumerate() {
                        all[i + 1..].iter().for_each(|&b| meetings.pair(c, contact, [a, b], &joined));
                        if meetings.too_many {
                            return meetings;
                        }
                    }
                }
            }
        }
        meetings
    }

    fn pair(&mut self, c: usize, contact: &Contact, [a, b]: [usize; 2], joined: &HashSet<[&str; 2]>) {
        let [p, q] = [a, b].map(|i| self.participants[i].body);
        let both = if p < q { [p, q] } else { [q, p] };
        if p == q {
            return;
        }
        if !contact.jointed && joined.contains(&both) {
            // among many it goes without saying
            if matches!(contact.of, Meeting::Between(_)) {
                self.left_out.push([c, a, b]);
            }
            return;
        }
        if self.pairs.len() >= MAX_CONTACTS {
            self.too_many = true;
            return;
        }
        self.pairs.push([c, a, b]);
    }
}
