//! Surfaces that touch, and what happens where they do.

use super::{Axis, GROUND, HullFile, IntoVector, Orientation, Place, Shape};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
#[cfg(feature = "file")]
use file::{FormKeys, MeetingKeys};

/// A model may have this many ways in which surfaces can touch: corners, edges and rims each count.
pub const MAX_CONTACTS: usize = 100_000;

keys! {
    /// A surface of a body or of the ground, which contacts speak of. What is left out of a sphere, box, cylinder or capsule of a body follows from the body's points.
    Surface(name) {
        /// The body it is part of; `ground` if left out.
        body: String => default String = GROUND.to_owned(),
        /// What it is.
        form: SurfaceForm => group FormKeys,
    }
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
    /// The convex hull of a mesh in a file.
    HullOf(HullFile),
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

keys! {
    /// Surfaces that touch each other: `between` two, or `among` many. Each is named by a surface, or by a body with a shape of its own.
    Contact(name) {
        /// Which surfaces.
        of: Meeting => group MeetingKeys,
        /// Coefficient of friction; 0 if left out.
        friction: f64 => default Plain = 0.0,
        /// How much of the speed is left after an impact, from 0 to 1; 0 if left out.
        restitution: f64 => default Plain = 0.0,
        /// Whether bodies that a joint connects touch each other, too; false if left out.
        jointed: bool => default bool = false,
        /// Pairs of bodies that do not meet here, whatever surfaces they have; `ground` is one, too.
        except: Vec<[String; 2]> => default Vec<Two> = Vec::new(),
    }
}

#[cfg(feature = "file")]
impl Rules for Contact {}

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
        Contact { name: name.into(), of, friction: 0.0, restitution: 0.0, jointed: false, except: Vec::new() }
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

    /// Lets two bodies pass through each other.
    pub fn except(mut self, first: impl Into<String>, second: impl Into<String>) -> Self {
        self.except.push([first.into(), second.into()]);
        self
    }

    /// Lets bodies touch that a joint connects.
    pub fn jointed(mut self) -> Self {
        self.jointed = true;
        self
    }
}

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::{GROUND, HullFile, Meeting, Surface, SurfaceForm};
    use crate::file::csv_table::Kept;
    use crate::file::document::{Node, Value};
    use crate::file::prelude::*;
    use crate::model::mesh_file::file::{MeshKeys, Scale};
    use crate::model::shape::file::{Form, ShapeKeys};
    use crate::model::{Place, Shape};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    /// What a surface can be.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) enum SurfaceKind {
        Plane,
        Point,
        Solid(Form),
        Hull,
    }

    impl Choices for SurfaceKind {
        const WHAT: &'static str = "type of surface";
        fn choices() -> Vec<(&'static str, Self)> {
            let solids = [Form::Sphere, Form::Box, Form::Cylinder, Form::Capsule, Form::Disc];
            let solid = |form: Form| (form.keys().0, SurfaceKind::Solid(form));
            [("plane", SurfaceKind::Plane), ("point", SurfaceKind::Point)]
                .into_iter()
                .chain(solids.map(solid))
                .chain([("hull", SurfaceKind::Hull)])
                .collect()
        }
    }

    table! {
        /// What a surface is.
        FormKeys {
            /// plane, point, sphere, box, cylinder, capsule, hull, or in the plane disc.
            r#type: required Choice<SurfaceKind>,
            /// Point: where it is. Plane: a place of it, and hull of a mesh: where its origin is drawn; the origin if left out. Coordinates as drawn or the name of a point.
            at: optional PlaceName,
            /// Plane: direction out of the solid side, a vector or two points.
            normal: optional Direction,
            /// Sphere, box, cylinder, capsule, disc: its centre, coordinates as drawn or the name of a point.
            center: optional PlaceName,
            /// Sphere, cylinder, capsule, disc: radius, m.
            radius: optional Length,
            /// Cylinder: length along the axis, m. Capsule: between the centres of its round ends.
            length: optional Length,
            /// Box: edge lengths, m.
            size: optional Size,
            /// Axis of a cylinder or capsule, first edge of a box: a vector or two points. Hull of a mesh: where its x axis points, x if left out.
            axis: optional DrawnDirection,
            /// Box in space: a direction in the plane of the first and second edge. Hull of a mesh: in that of its x and y axes.
            side: optional DrawnDirection,
            /// Hull: names of points of the body.
            points: optional Vec<String>,
            /// Hull: coordinates as drawn.
            vertices: optional Vec<Position>,
            /// Hull: a mesh instead, by its path from the model file; .stl, .obj, .glb, .gltf, .dae or .msh.
            file: optional String,
            /// Hull of a mesh: length of a unit of the file, m, or that of each of its axes; 1 m if left out.
            scale: optional Scale,
            /// Hull of a mesh: at most so many corners; 64 if left out.
            most: optional Count,
        }
    }

    impl Group for FormKeys {
        type Value = SurfaceForm;

        fn build(self, reader: &mut Reader<'_>) -> Option<SurfaceForm> {
            let given = self.given();
            let form = match self.r#type?.0 {
                SurfaceKind::Plane => {
                    reader.fits_kind("plane", &given, &["normal", "at"], &["normal"]);
                    SurfaceForm::Plane { at: self.at.map(Kind::value), normal: self.normal?.0 }
                }
                SurfaceKind::Point => {
                    reader.fits_kind("point", &given, &["at"], &["at"]);
                    SurfaceForm::Point { at: self.at?.0 }
                }
                SurfaceKind::Solid(form) => {
                    let (what, takes, needs) = form.keys();
                    // a disc has no thickness here
                    let takes: Vec<&str> = takes.iter().copied().filter(|key| *key != "thickness").collect();
                    reader.fits_kind(what, &given, &takes, needs);
                    let FormKeys { center, radius, length, size, axis, side, .. } = self;
                    let keys = ShapeKeys { center, radius, length, size, axis, side, ..ShapeKeys::default() };
                    SurfaceForm::Solid(keys.shape(form, reader)?)
                }
                SurfaceKind::Hull if self.file.is_some() => {
                    let takes = ["file", "scale", "at", "axis", "side", "most"];
                    reader.fits_kind("hull of a mesh", &given, &takes, &["file"]);
                    let FormKeys { file, scale, at, axis, side, most, .. } = self;
                    let mesh = MeshKeys { file, scale, at, axis, side }.mesh(reader)?;
                    SurfaceForm::HullOf(HullFile::decode(mesh, most, reader)?)
                }
                SurfaceKind::Hull => {
                    reader.fits_kind("hull", &given, &["points", "vertices"], &[]);
                    if self.points.is_none() && self.vertices.is_none() {
                        let help = "points = names of points of the body, vertices = coordinates as drawn, file = a mesh";
                        reader.refuse("", "a hull needs `points`, `vertices` or a `file`", help);
                    }
                    let vertices = self.vertices.map(Kind::value).unwrap_or_default();
                    SurfaceForm::Hull { points: self.points.unwrap_or_default(), vertices }
                }
            };
            (!reader.is_broken()).then_some(form)
        }

        fn stand_in() -> SurfaceForm {
            SurfaceForm::Point { at: Place::At([0.0; 3]) }
        }

        fn write(form: &SurfaceForm, entry: Entry, context: &Context<'_>) -> Entry {
            match form {
                SurfaceForm::Plane { at, normal } => entry
                    .set("type", "plane")
                    .maybe("at", at.as_ref().map(|at| PlaceName::write(at, context)))
                    .set("normal", Direction::write(normal, context)),
                SurfaceForm::Point { at } => {
                    entry.set("type", "point").set("at", PlaceName::write(at, context))
                }
                // cannot touch: the reader says that there is no such surface
                SurfaceForm::Solid(
                    shape @ (Shape::Rod { .. }
                    | Shape::Polygon { .. }
                    | Shape::Tube { .. }
                    | Shape::Mesh { .. }),
                ) => entry.set("type", shape.name()),
                SurfaceForm::Solid(shape) => shape.written(entry, context),
                SurfaceForm::Hull { points, vertices } => entry
                    .set("type", "hull")
                    .unless(points.is_empty() && !vertices.is_empty(), "points", points)
                    .unless(vertices.is_empty(), "vertices", Vec::<Position>::write(vertices, context)),
                SurfaceForm::HullOf(hull) => hull.write(entry.set("type", "hull"), context),
            }
        }
    }

    impl Rules for Surface {
        const FIRST: &'static [&'static str] = &["type"];

        fn judge(&mut self, _: Given<'_>, _: &mut Reader<'_>) {
            // the ground has no points to take an axis from
            if let SurfaceForm::Solid(
                Shape::Box { pose, .. } | Shape::Cylinder { pose, .. } | Shape::Capsule { pose, .. },
            ) = &mut self.form
                && self.body == GROUND
            {
                pose.axis.get_or_insert([1.0, 0.0, 0.0]);
            }
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            match &self.form {
                SurfaceForm::Solid(
                    Shape::Box { pose, .. } | Shape::Cylinder { pose, .. } | Shape::Capsule { pose, .. },
                ) if self.body == GROUND && pose.axis.is_some_and(|axis| are(&axis, [1.0, 0.0, 0.0])) => {
                    entry.unless(true, "axis", "")
                }
                _ => entry,
            }
        }
    }

    impl Surface {
        /// Keeps what was made of its file for a text that names it.
        pub(in crate::model) fn keep(&self, kept: &Kept) {
            if let SurfaceForm::HullOf(hull) = &self.form {
                hull.keep(kept);
            }
        }
    }

    /// Two names, or two lists of names.
    #[derive(Clone, Debug)]
    pub(crate) struct Sides([Vec<String>; 2]);

    inline_schema!(Sides, |_| {
        let side = json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
        json_schema!({ "type": "array", "items": side, "minItems": 2, "maxItems": 2 })
    });

    impl Decode for Sides {
        fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
            let items = reader.items(node, "two surfaces, or two lists of them")?;
            if items.len() != 2 {
                let message = format!("expected two surfaces, or two lists of them; found {}", items.len());
                return reader.fault(node.span.clone(), message);
            }
            let side = |item: &Node, reader: &mut Reader<'_>| match &item.value {
                Value::Array(_) => Vec::<String>::decode(item, reader),
                _ => String::decode(item, reader).map(|name| vec![name]),
            };
            reader.each(items, side)?.try_into().ok().map(Sides)
        }
    }

    table! {
        /// Who meets whom.
        MeetingKeys {
            /// Two surfaces, or two lists of them: each of the first meets each of the second.
            between: optional Sides,
            /// A list of surfaces that all meet each other.
            among: optional Vec<String>,
        }
    }

    impl Group for MeetingKeys {
        type Value = Meeting;

        fn build(self, reader: &mut Reader<'_>) -> Option<Meeting> {
            let (message, help) = match (self.between, self.among) {
                (Some(sides), None) => return Some(Meeting::Between(sides.0)),
                (None, Some(names)) => return Some(Meeting::Among(names)),
                (Some(_), Some(_)) => ("`between` and `among` are both given", "keep one of the two"),
                (None, None) => (
                    "this does not say what meets",
                    "between = [\"ball\", \"floor\"], or among = a list of surfaces",
                ),
            };
            reader.refuse("", message, help);
            None
        }

        fn stand_in() -> Meeting {
            Meeting::Among(Vec::new())
        }

        fn write(meeting: &Meeting, entry: Entry, _: &Context<'_>) -> Entry {
            let side = |names: &Vec<String>| match &names[..] {
                [name] => Item::from(name),
                _ => Item::from(names),
            };
            match meeting {
                Meeting::Between(sides) => entry.set("between", sides.iter().map(side).collect::<Vec<_>>()),
                Meeting::Among(names) => entry.set("among", names),
            }
        }
    }
}
