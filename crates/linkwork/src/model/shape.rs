//! Uniform shapes of bodies and surfaces.

use super::{MeshFile, MeshSolid, Place};

/// A uniform shape. Where a place or direction is left out, it follows from the body's points: the
/// centre is their mean, the axis runs from the first to the second.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A thin rod between the body's first two points.
    Rod {
        /// Cross-section, m²; needed with a density.
        area: Option<f64>,
    },
    /// A plate whose outline runs through points of the body.
    Polygon {
        /// Corner points in order; all points of the body if empty.
        outline: Vec<String>,
        /// Thickness, m; needed with a density. Zero or left out with a mass: a thin plate.
        thickness: Option<f64>,
    },
    /// A solid box.
    Box {
        /// Edge lengths, m; in the plane the third may be left out (zero) with a mass.
        size: [f64; 3],
        /// Centre and direction of the first edge.
        pose: Orientation,
    },
    /// A solid circular cylinder.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Length along the axis, m; the distance of the first two points if left out.
        length: Option<f64>,
        /// Centre and axis.
        pose: Orientation,
    },
    /// A cylinder with a concentric bore.
    Tube {
        /// Outer radius, m.
        radius: f64,
        /// Radius of the bore, m.
        inner_radius: f64,
        /// Length along the axis, m; the distance of the first two points if left out.
        length: Option<f64>,
        /// Centre and axis.
        pose: Orientation,
    },
    /// A solid cylinder with half a sphere on both ends.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Length between the centres of the round ends, m; the distance of the first two points if left out.
        length: Option<f64>,
        /// Centre and axis.
        pose: Orientation,
    },
    /// A solid sphere.
    Sphere {
        /// Radius, m.
        radius: f64,
        /// Centre; the mean of the body's points if left out.
        center: Option<Place>,
    },
    /// What a mesh in a file encloses.
    Mesh {
        /// The file, and how it is drawn.
        mesh: MeshFile,
        /// Volume, centre and inertia, as [`MeshFile::solid`] finds them.
        solid: MeshSolid,
    },
}

impl Shape {
    /// The name in the model file.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Rod { .. } => "rod",
            Shape::Polygon { .. } => "polygon",
            Shape::Box { .. } => "box",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Tube { .. } => "tube",
            Shape::Capsule { .. } => "capsule",
            Shape::Sphere { .. } => "sphere",
            Shape::Mesh { .. } => "mesh",
        }
    }
}

/// Where a shape lies in the drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Orientation {
    /// Centre of the shape; the mean of the body's points if left out (for a cylinder, tube or capsule with
    /// two or more points: the middle of the first two).
    pub center: Option<Place>,
    /// Direction of the axis (cylinder, tube, capsule) or of the first edge (box); from the first to the
    /// second point if left out, x if the body has one point. In the plane a cylinder's axis may be
    /// `[0, 0, 1]`: a disc.
    pub axis: Option<[f64; 3]>,
    /// Box in space: a direction in the plane of the first and second edge; any if left out.
    pub side: Option<[f64; 3]>,
}

/// The keys in a file.
#[cfg(feature = "file")]
pub(super) mod file {
    use super::{Orientation, Shape};
    use crate::drawing::Dimension;
    use crate::file::document::{Node, Value};
    use crate::file::prelude::*;
    use crate::model::MeshSolid;
    use crate::model::mesh_file::file::{MESH_KEYS, MeshKeys, Scale};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    /// The names of shapes; a triangle is a polygon, and a disc a cylinder across the plane.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) enum Form {
        Rod,
        Polygon,
        Triangle,
        Box,
        Cylinder,
        Disc,
        Tube,
        Capsule,
        Sphere,
        Mesh,
    }

    impl Form {
        const ALL: [Form; 10] = [
            Form::Rod,
            Form::Polygon,
            Form::Triangle,
            Form::Box,
            Form::Cylinder,
            Form::Disc,
            Form::Tube,
            Form::Capsule,
            Form::Sphere,
            Form::Mesh,
        ];

        /// Its name, the keys that it takes, and those of them that it needs.
        pub fn keys(self) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
            match self {
                Form::Rod => ("rod", &["area"], &[]),
                Form::Polygon => ("polygon", &["outline", "thickness"], &[]),
                Form::Triangle => ("triangle", &["outline", "thickness"], &[]),
                Form::Box => ("box", &["size", "center", "axis", "side"], &["size"]),
                Form::Cylinder => ("cylinder", &["radius", "length", "center", "axis"], &["radius"]),
                Form::Disc => ("disc", &["radius", "thickness", "center"], &["radius"]),
                Form::Tube => {
                    ("tube", &["radius", "inner_radius", "wall", "length", "center", "axis"], &["radius"])
                }
                Form::Capsule => ("capsule", &["radius", "length", "center", "axis"], &["radius"]),
                Form::Sphere => ("sphere", &["radius", "center"], &["radius"]),
                Form::Mesh => ("mesh", &MESH_KEYS, &["file"]),
            }
        }
    }

    impl Choices for Form {
        const WHAT: &'static str = "shape";
        fn choices() -> Vec<(&'static str, Self)> {
            Form::ALL.iter().map(|&form| (form.keys().0, form)).collect()
        }
    }

    table! {
        /// A uniform shape. What is left out follows from the body's points.
        ShapeKeys {
            /// rod, polygon, triangle, box, cylinder, disc, tube, capsule, sphere or mesh.
            r#type: required Choice<Form>,
            /// Cylinder, disc, tube, capsule, sphere: outer radius, m.
            radius: optional Length,
            /// Tube: radius of the bore, m.
            inner_radius: optional Length,
            /// Tube: thickness of the wall, m, instead of the inner radius.
            wall: optional Length,
            /// Cylinder, tube: length along the axis, m. Capsule: between the centres of its round ends.
            length: optional Length,
            /// Polygon, triangle, disc: thickness, m; needed with a density.
            thickness: optional Length,
            /// Box: edge lengths, m.
            size: optional Size,
            /// Rod: cross-section, m^2; needed with a density.
            area: optional Area,
            /// Polygon, triangle: names of the corner points in order; all points of the body if left out.
            outline: optional Vec<String>,
            /// Centre: coordinates as drawn or the name of a point.
            center: optional PlaceName,
            /// Axis of a cylinder, tube or capsule, first edge of a box: a vector or two points. Mesh: where its x axis points, x if left out.
            axis: optional DrawnDirection,
            /// Box in space: a direction in the plane of the first and second edge. Mesh: in that of its x and y axes.
            side: optional DrawnDirection,
            /// Mesh: its file, by its path from the model file; .stl, .obj, .glb, .gltf, .dae or .msh.
            file: optional String,
            /// Mesh: length of a unit of the file, m, or that of each of its axes; 1 m if left out.
            scale: optional Scale,
            /// Mesh: where its origin is drawn, the origin if left out: coordinates or the name of a point.
            at: optional PlaceName,
        }
    }

    impl ShapeKeys {
        /// The shape of a name; `None` if it misses a key, which has been reported.
        pub fn shape(self, form: Form, reader: &mut Reader<'_>) -> Option<Shape> {
            if form == Form::Mesh {
                let ShapeKeys { file, scale, at, axis, side, .. } = self;
                let mesh = MeshKeys { file, scale, at, axis, side }.mesh(reader)?;
                let solid = MeshSolid::decode(&mesh, reader)?;
                return Some(Shape::Mesh { mesh, solid });
            }
            let center = self.center.map(Kind::value);
            let [axis, side] = [self.axis, self.side].map(|direction| direction.map(Kind::value));
            let pose = Orientation { center: center.clone(), axis, side };
            let length = self.length.map(Kind::value);
            let thickness = self.thickness.map(Kind::value);
            Some(match form {
                Form::Rod => Shape::Rod { area: self.area.map(Kind::value) },
                Form::Polygon | Form::Triangle => {
                    Shape::Polygon { outline: self.outline.unwrap_or_default(), thickness }
                }
                Form::Box => Shape::Box { size: self.size?.0, pose },
                Form::Cylinder => Shape::Cylinder { radius: self.radius?.0, length, pose },
                Form::Disc => {
                    if reader.dimension == Some(Dimension::Spatial) {
                        let help = "in space: type = \"cylinder\" with radius, length and axis";
                        reader.refuse("", "a disc belongs to planar models", help);
                    }
                    let pose = Orientation { axis: Some(ACROSS), ..pose };
                    Shape::Cylinder { radius: self.radius?.0, length: thickness, pose }
                }
                Form::Tube => {
                    let radius = self.radius?.0;
                    let inner_radius = match (self.inner_radius, self.wall) {
                        (Some(inner), None) => inner.0,
                        (None, Some(wall)) => radius - wall.0,
                        _ => {
                            let help = "give one of the two";
                            reader.refuse("", "a tube needs either `inner_radius` or `wall`", help);
                            return None;
                        }
                    };
                    Shape::Tube { radius, inner_radius, length, pose }
                }
                Form::Capsule => Shape::Capsule { radius: self.radius?.0, length, pose },
                Form::Sphere => Shape::Sphere { radius: self.radius?.0, center },
                Form::Mesh => return None, // above
            })
        }
    }

    inline_schema!(Shape, |generator| {
        let name = Choice::<Form>::json_schema(generator);
        json_schema!({ "anyOf": [name, generator.subschema_for::<ShapeKeys>()] })
    });

    /// A shape by its name alone, or with its dimensions.
    impl Decode for Shape {
        fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
            let keys = match &node.value {
                Value::String(_) => {
                    ShapeKeys { r#type: Choice::decode(node, reader), ..ShapeKeys::default() }
                }
                Value::Table(_) => ShapeKeys::decode(node, reader)?,
                _ => {
                    return reader
                        .wrong(node, "the name of a shape, or a table with its `type` and dimensions");
                }
            };
            let Choice(form) = keys.r#type.filter(|_| !reader.is_broken())?;
            let (name, takes, needs) = form.keys();
            reader.fits_kind(name, &keys.given(), takes, needs);
            keys.shape(form, reader).filter(|_| !reader.is_broken())
        }
    }

    impl Kind for Shape {
        type Value = Shape;
        fn value(self) -> Shape {
            self
        }
        fn write(shape: &Shape, context: &Context<'_>) -> Item {
            shape.written(Entry::new(ShapeKeys::KEYS).alone("type"), context).into()
        }
    }

    /// The axis of a disc in the plane.
    const ACROSS: [f64; 3] = [0.0, 0.0, 1.0];

    impl Shape {
        /// Adds the keys of the shape.
        pub(in crate::model) fn written(&self, entry: Entry, context: &Context<'_>) -> Entry {
            let metres = |length: &f64| Item::Quantity(*length, "m");
            let (name, entry, pose) = match self {
                Shape::Rod { area } => {
                    ("rod", entry.maybe("area", area.map(|area| Item::Quantity(area, "m^2"))), None)
                }
                Shape::Polygon { outline, thickness } => {
                    let entry = entry.unless(outline.is_empty(), "outline", outline);
                    ("polygon", entry.maybe("thickness", thickness.as_ref().map(metres)), None)
                }
                Shape::Box { size, pose } => {
                    ("box", entry.set("size", Size::write(size, context)), Some(pose))
                }
                Shape::Cylinder { radius, length, pose: Orientation { center, axis, side: None } }
                    if context.dimension == Dimension::Planar
                        && axis.is_some_and(|axis| are(&axis, ACROSS))
                        && (length.is_none() || entry.takes("thickness")) =>
                {
                    let entry = entry.set("type", "disc").set("radius", metres(radius));
                    let entry = entry.maybe("thickness", length.as_ref().map(metres));
                    return entry
                        .maybe("center", center.as_ref().map(|place| PlaceName::write(place, context)));
                }
                Shape::Cylinder { radius, length, pose } => {
                    let entry = entry.set("radius", metres(radius));
                    ("cylinder", entry.maybe("length", length.as_ref().map(metres)), Some(pose))
                }
                Shape::Tube { radius, inner_radius, length, pose } => {
                    let entry = entry.set("radius", metres(radius)).set("inner_radius", metres(inner_radius));
                    ("tube", entry.maybe("length", length.as_ref().map(metres)), Some(pose))
                }
                Shape::Capsule { radius, length, pose } => {
                    let entry = entry.set("radius", metres(radius));
                    ("capsule", entry.maybe("length", length.as_ref().map(metres)), Some(pose))
                }
                Shape::Sphere { radius, center } => {
                    let entry = entry.set("radius", metres(radius));
                    let center = center.as_ref().map(|place| PlaceName::write(place, context));
                    ("sphere", entry.maybe("center", center), None)
                }
                Shape::Mesh { mesh, .. } => ("mesh", mesh.write(entry, context), None),
            };
            let entry = entry.set("type", name);
            let Some(Orientation { center, axis, side }) = pose else { return entry };
            let direction = |axis: &[f64; 3]| DrawnDirection::write(axis, context);
            entry
                .maybe("center", center.as_ref().map(|place| PlaceName::write(place, context)))
                .maybe("axis", axis.as_ref().map(direction))
                .maybe("side", side.as_ref().map(direction))
        }
    }
}
