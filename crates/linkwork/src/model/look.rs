//! Looks of bodies: meshes and solids that pictures show in the place of what follows from points, shapes and surfaces.

use super::{GROUND, MeshFile, Orientation, Place, Shape};
use crate::drawing::{Axis, Color};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
#[cfg(feature = "file")]
use file::FormKeys;

keys! {
    /// What a body looks like: a mesh in a file, or a solid. A body with looks is drawn by them alone; they have no mass and touch nothing.
    Look(name) {
        /// The body it is part of; if left out the body of its own name.
        body: String => default String = String::new(),
        /// What is seen.
        form: LookForm => group FormKeys,
        /// Its colour, "#rrggbb" or a name such as "red". If left out that of the file, or else of the body.
        color: Option<Color> => optional ColorName,
    }
}

/// What is seen.
#[derive(Clone, Debug, PartialEq)]
pub enum LookForm {
    /// A mesh in a file.
    Mesh(MeshFile),
    /// A sphere, box, cylinder, tube or capsule. What is left out follows from the body's points.
    Solid(Shape),
    /// An ellipsoid; in the plane an ellipse.
    Ellipsoid {
        /// Its three diameters, m.
        size: [f64; 3],
        /// Its centre, and the directions of its first two diameters.
        pose: Orientation,
    },
    /// A plane, in planar models a line.
    Plane {
        /// A place of it; the origin if left out.
        at: Option<Place>,
        /// Out of what is solid, of any length.
        normal: Axis,
    },
}

impl Look {
    /// Of a body, or of the ground.
    pub fn new(name: impl Into<String>, body: impl Into<String>, form: LookForm) -> Self {
        Look { name: name.into(), body: body.into(), form, color: None }
    }

    /// A mesh as the look of the ground, or with [`Look::on`] of a body.
    pub fn mesh(name: impl Into<String>, mesh: MeshFile) -> Self {
        Look::new(name, GROUND, LookForm::Mesh(mesh))
    }

    /// Makes it a part of a body.
    pub fn on(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets its colour.
    pub fn color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }
}

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::{Look, LookForm};
    use crate::file::csv_table::Kept;
    use crate::file::prelude::*;
    use crate::model::GROUND;
    use crate::model::mesh_file::file::{MESH_KEYS, MeshKeys, Scale, is_mesh};
    use crate::model::shape::file::{Form, ShapeKeys};
    use crate::model::{Orientation, Place, Shape};

    /// What a look can be.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) enum LookKind {
        Mesh,
        Solid(Form),
        Ellipsoid,
        Plane,
    }

    impl Choices for LookKind {
        const WHAT: &'static str = "type of look";
        fn choices() -> Vec<(&'static str, Self)> {
            let solids = [Form::Sphere, Form::Box, Form::Cylinder, Form::Capsule, Form::Tube, Form::Disc];
            let solid = |form: Form| (form.keys().0, LookKind::Solid(form));
            [("mesh", LookKind::Mesh)]
                .into_iter()
                .chain(solids.map(solid))
                .chain([("ellipsoid", LookKind::Ellipsoid), ("plane", LookKind::Plane)])
                .collect()
        }
    }

    table! {
        /// What is seen.
        FormKeys {
            /// mesh, sphere, box, cylinder, capsule, tube, ellipsoid, plane, or in the plane disc; a mesh if there is a `file`.
            r#type: optional Choice<LookKind>,
            /// Mesh: its file, by its path from the model file; .stl, .obj, .glb, .gltf, .dae or .msh.
            file: optional String,
            /// Mesh: length of a unit of the file, m, or that of each of its axes; 1 m if left out.
            scale: optional Scale,
            /// Mesh: where its origin is drawn, the origin if left out. Plane: a place of it. Coordinates as drawn or the name of a point.
            at: optional PlaceName,
            /// Plane: direction out of what is solid, a vector or two points.
            normal: optional Direction,
            /// Solids: the centre, coordinates as drawn or the name of a point.
            center: optional PlaceName,
            /// Sphere, cylinder, capsule, tube, disc: radius, m.
            radius: optional Length,
            /// Tube: radius of the bore, m.
            inner_radius: optional Length,
            /// Tube: thickness of the wall, m, instead of the inner radius.
            wall: optional Length,
            /// Cylinder, tube: length along the axis, m. Capsule: between the centres of its round ends.
            length: optional Length,
            /// Box: edge lengths; ellipsoid: diameters, m.
            size: optional Size,
            /// Mesh: where its x axis points, x if left out. Axis of a cylinder, tube or capsule, first edge of a box, first diameter of an ellipsoid: a vector or two points.
            axis: optional DrawnDirection,
            /// Mesh: a direction in the plane of its x and y axes. Box, ellipsoid: of the first and second edge.
            side: optional DrawnDirection,
        }
    }

    impl Group for FormKeys {
        type Value = LookForm;

        fn build(self, reader: &mut Reader<'_>) -> Option<LookForm> {
            let given = self.given();
            let FormKeys {
                r#type,
                file,
                scale,
                at,
                normal,
                center,
                radius,
                inner_radius,
                wall,
                length,
                size,
                axis,
                side,
            } = self;
            let Some(kind) = r#type.map(|kind| kind.0).or(file.is_some().then_some(LookKind::Mesh)) else {
                if !reader.is_broken() {
                    let help = "file = \"arm.stl\" for a mesh, or a `type`: sphere, box, cylinder, capsule, tube, ellipsoid, plane";
                    reader.refuse("", "this does not say what is seen", help);
                }
                return None;
            };
            match kind {
                LookKind::Mesh => {
                    reader.fits_kind("mesh", &given, &MESH_KEYS, &["file"]);
                    let mesh = MeshKeys { file, scale, at, axis, side }.mesh(reader)?;
                    if !is_mesh(&mesh.file) {
                        let message = format!("`{}` is no mesh by its ending", mesh.file);
                        reader.refuse(
                            ".file",
                            message,
                            "meshes are .stl, .obj, .glb, .gltf, .dae and .msh files",
                        );
                    }
                    Some(LookForm::Mesh(mesh))
                }
                LookKind::Solid(form) => {
                    let (what, takes, needs) = form.keys();
                    let takes: Vec<&str> = takes.iter().copied().filter(|key| *key != "thickness").collect();
                    reader.fits_kind(what, &given, &takes, needs);
                    let keys = ShapeKeys {
                        center,
                        radius,
                        inner_radius,
                        wall,
                        length,
                        size,
                        axis,
                        side,
                        ..ShapeKeys::default()
                    };
                    keys.shape(form, reader).map(LookForm::Solid)
                }
                LookKind::Ellipsoid => {
                    reader.fits_kind("ellipsoid", &given, &["size", "center", "axis", "side"], &["size"]);
                    let [axis, side] = [axis, side].map(|direction| direction.map(Kind::value));
                    let pose = Orientation { center: center.map(Kind::value), axis, side };
                    Some(LookForm::Ellipsoid { size: size?.0, pose })
                }
                LookKind::Plane => {
                    reader.fits_kind("plane", &given, &["normal", "at"], &["normal"]);
                    Some(LookForm::Plane { at: at.map(Kind::value), normal: normal?.0 })
                }
            }
        }

        fn stand_in() -> LookForm {
            LookForm::Solid(Shape::Sphere { radius: 1.0, center: Some(Place::At([0.0; 3])) })
        }

        fn write(form: &LookForm, entry: Entry, context: &Context<'_>) -> Entry {
            match form {
                LookForm::Mesh(mesh) => mesh.write(entry, context),
                LookForm::Solid(shape) => shape.written(entry, context),
                LookForm::Ellipsoid { size, pose } => {
                    let direction = |axis: &[f64; 3]| DrawnDirection::write(axis, context);
                    entry
                        .set("type", "ellipsoid")
                        .set("size", Size::write(size, context))
                        .maybe("center", pose.center.as_ref().map(|place| PlaceName::write(place, context)))
                        .maybe("axis", pose.axis.as_ref().map(direction))
                        .maybe("side", pose.side.as_ref().map(direction))
                }
                LookForm::Plane { at, normal } => entry
                    .set("type", "plane")
                    .maybe("at", at.as_ref().map(|at| PlaceName::write(at, context)))
                    .set("normal", Direction::write(normal, context)),
            }
        }
    }

    impl Rules for Look {
        const ALONE: Option<&'static str> = Some("file");
        const FIRST: &'static [&'static str] = &["body", "type", "file"];

        fn judge(&mut self, given: Given<'_>, _: &mut Reader<'_>) {
            if !given.has("body") {
                self.body.clone_from(&self.name);
            }
            // the ground has no points to take an axis from
            if let LookForm::Solid(
                Shape::Box { pose, .. }
                | Shape::Cylinder { pose, .. }
                | Shape::Capsule { pose, .. }
                | Shape::Tube { pose, .. },
            ) = &mut self.form
                && self.body == GROUND
            {
                pose.axis.get_or_insert([1.0, 0.0, 0.0]);
            }
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            let entry = entry.unless(self.body == self.name, "body", &self.body);
            match &self.form {
                LookForm::Solid(
                    Shape::Box { pose, .. }
                    | Shape::Cylinder { pose, .. }
                    | Shape::Capsule { pose, .. }
                    | Shape::Tube { pose, .. },
                ) if self.body == GROUND && pose.axis.is_some_and(|axis| are(&axis, [1.0, 0.0, 0.0])) => {
                    entry.unless(true, "axis", "")
                }
                _ => entry,
            }
        }
    }

    impl Look {
        /// Keeps where its file is for a text that names it.
        pub(in crate::model) fn keep(&self, kept: &Kept) {
            if let LookForm::Mesh(mesh) = &self.form {
                mesh.keep(kept);
            }
        }
    }
}
