//! Meshes in files: where they are, and how they are drawn.
//!
//! With the length s of a unit of the file along each of its axes, and the directions e₁, e₂, e₃ in which these are drawn, a place x of the file is drawn at
//!
//!   (F1)  r = p + s₁ x₁ e₁ + s₂ x₂ e₂ + s₃ x₃ e₃
//!
//! where p is `at`, e₁ is `axis` and e₂ is as near to `side` as e₁ allows.

use super::{Orientation, Place};
use crate::linalg::vec3::{Mat3, Vec3, add, apply_transposed, norm, triad, unit};
use std::path::PathBuf;

/// A mesh in a file, and how it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// The file as the model names it: by its path from the model file.
    pub file: String,
    /// Where the file is.
    pub path: PathBuf,
    /// Length of a unit of the file along each of its axes, m.
    pub scale: [f64; 3],
    /// Where its origin is drawn (the origin if left out), the direction of its x axis (x) and one in the plane of its x and y axes.
    pub pose: Orientation,
}

/// What a mesh encloses, for density one. Places and axes are those of the file, in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshSolid {
    /// Volume, m³.
    pub volume: f64,
    /// Its centre, m.
    pub com: [f64; 3],
    /// Moments of inertia about the centre for 1 kg/m³: xx, yy, zz, xy, xz, yz, kg m².
    pub inertia: [f64; 6],
    /// Edges without a triangle on either side: none where the surface is closed.
    pub open_edges: usize,
}

/// The convex hull of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct HullFile {
    /// The mesh.
    pub mesh: MeshFile,
    /// At most so many corners.
    pub most: usize,
    /// Corners in the axes of the file, m.
    pub corners: Vec<[f64; 3]>,
    /// How far what is left out stands off the corners' hull, m.
    pub left_out: f64,
}

/// So many corners a hull has at most, unless it says otherwise.
pub const HULL_CORNERS: usize = 64;

impl MeshFile {
    /// A file as it is: in m, along the world's axes.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        MeshFile { file: path.display().to_string(), path, scale: [1.0; 3], pose: Orientation::default() }
    }

    /// Sets the length of a unit of the file, m.
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = [scale; 3];
        self
    }

    /// Sets where the origin of the file is drawn.
    pub fn at(mut self, at: impl Into<Place>) -> Self {
        self.pose.center = Some(at.into());
        self
    }

    /// Where the origin is drawn, and the directions of the axes; `named` finds points.
    pub fn frame(&self, named: &dyn Fn(&str) -> Option<Vec3>) -> Option<(Vec3, Mat3)> {
        let origin = match &self.pose.center {
            None => [0.0; 3],
            Some(Place::At(at)) => *at,
            Some(Place::Point(name)) => named(name)?,
        };
        let axis = unit(self.pose.axis.unwrap_or([1.0, 0.0, 0.0]));
        (norm(axis) > 0.0).then(|| (origin, triad(axis, self.pose.side)))
    }

    /// (F1), of a place in m.
    pub fn place(&self, x: Vec3, named: &dyn Fn(&str) -> Option<Vec3>) -> Option<Vec3> {
        let (origin, axes) = self.frame(named)?;
        Some(add(origin, apply_transposed(&axes, x)))
    }
}

/// The keys in a file.
#[cfg(feature = "file")]
pub(super) mod file {
    use super::{HULL_CORNERS, HullFile, MeshFile, MeshSolid};
    use crate::expressions::units::Dims;
    use crate::file::beside;
    use crate::file::csv_table::Kept;
    use crate::file::document::{Node, Value};
    use crate::file::prelude::*;
    use crate::linalg::hull::hull_of_most;
    use crate::linalg::vec3::Vec3;
    use crate::model::Orientation;
    use linkwork_mesh::{Mesh, MeshError};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;
    use std::convert::Infallible;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// The length of a unit along each axis: one number, or three.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Scale(pub [f64; 3]);

    inline_schema!(Scale, |_| json_schema!({ "anyOf": [number_schema(), vector_schema(3, 3)] }));

    impl Decode for Scale {
        fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
            let length = Dims::new(1, 0, 0);
            let Value::Array(items) = &node.value else {
                return reader.number(node, length).map(|scale| Scale([scale; 3]));
            };
            let numbers = reader.each(items, |item, reader| reader.number(item, length))?;
            let found = numbers.len();
            match numbers.try_into() {
                Ok(numbers) => Some(Scale(numbers)),
                Err(_) => reader.fault(
                    node.span.clone(),
                    format!("expected one length, or three [x, y, z]; found {found}"),
                ),
            }
        }
    }

    impl Kind for Scale {
        type Value = [f64; 3];
        fn value(self) -> [f64; 3] {
            self.0
        }
        fn write(scale: &[f64; 3], _: &Context<'_>) -> Item {
            match scale {
                [x, y, z] if is(*x, *y) && is(*x, *z) => Item::Quantity(*x, "m"),
                _ => numbers(scale),
            }
        }
    }

    /// The keys of a mesh, among those of what it is part of.
    pub(crate) struct MeshKeys {
        pub file: Option<String>,
        pub scale: Option<Scale>,
        pub at: Option<PlaceName>,
        pub axis: Option<DrawnDirection>,
        pub side: Option<DrawnDirection>,
    }

    /// Their names.
    pub(crate) const MESH_KEYS: [&str; 5] = ["file", "scale", "at", "axis", "side"];

    impl MeshKeys {
        /// The mesh; `None` if it has no file, or one that is not there, which has been reported.
        pub fn mesh(self, reader: &mut Reader<'_>) -> Option<MeshFile> {
            let file = self.file?;
            let find = || beside::find(reader.folder, &file);
            let path = match reader.files {
                Some(kept) => kept.made(where_it_is(&file), find).map(|path| PathBuf::clone(&path)),
                None => find(),
            };
            match path {
                Ok(path) => {
                    let [axis, side] = [self.axis, self.side].map(|direction| direction.map(Kind::value));
                    let pose = Orientation { center: self.at.map(Kind::value), axis, side };
                    let scale = self.scale.map_or([1.0; 3], Kind::value);
                    if scale.iter().any(|factor| *factor == 0.0) {
                        reader.refuse(
                            ".scale",
                            "a scale of zero leaves nothing of the mesh",
                            "scale = \"1 mm\"",
                        );
                        return None;
                    }
                    Some(MeshFile { file, path, scale, pose })
                }
                Err((message, help)) => {
                    reader.refuse(".file", message, help);
                    None
                }
            }
        }
    }

    fn where_it_is(file: &str) -> String {
        format!("the place of {file}")
    }

    /// What something is kept by that was made of a mesh.
    fn made_of(what: &str, mesh: &MeshFile) -> String {
        format!("{what} of {} by {:?}", mesh.file, mesh.scale.map(f64::to_bits))
    }

    /// Makes something of a mesh, once for a text that is decoded many times; `None` if it cannot be read, which has been reported.
    fn make<T: Send + Sync + 'static>(
        what: &str,
        mesh: &MeshFile,
        reader: &mut Reader<'_>,
        make: impl FnOnce(Mesh) -> Result<T, String>,
    ) -> Option<Arc<T>> {
        let read = || {
            let read = Mesh::read(&mesh.path).map_err(|error: MeshError| error.to_string());
            read.and_then(|read| make(read.scaled(mesh.scale)))
                .map_err(|why| format!("`{}`: {why}", mesh.file))
        };
        let made = match reader.files {
            Some(kept) => kept.made(made_of(what, mesh), read),
            None => read().map(Arc::new),
        };
        made.map_err(|message| {
            reader.refuse(".file", message, "meshes are .stl, .obj, .glb, .gltf, .dae and .msh files")
        })
        .ok()
    }

    impl MeshFile {
        /// Keeps where it is for a text that names it.
        pub(crate) fn keep(&self, kept: &Kept) {
            let _ = kept.made(where_it_is(&self.file), || Ok::<_, Infallible>(self.path.clone()));
        }

        pub(crate) fn write(&self, entry: Entry, context: &Context<'_>) -> Entry {
            let Orientation { center, axis, side } = &self.pose;
            let direction = |axis: &[f64; 3]| DrawnDirection::write(axis, context);
            entry
                .set("file", &self.file)
                .unless(
                    self.scale.iter().all(|factor| is(*factor, 1.0)),
                    "scale",
                    Scale::write(&self.scale, context),
                )
                .maybe("at", center.as_ref().map(|at| PlaceName::write(at, context)))
                .maybe("axis", axis.as_ref().map(direction))
                .maybe("side", side.as_ref().map(direction))
        }
    }

    impl MeshSolid {
        /// Of a mesh in m.
        ///
        /// # Errors
        /// If it has no volume, or is inside out.
        pub fn of(mesh: &Mesh) -> Result<MeshSolid, String> {
            let solid = mesh.volume().ok_or("its triangles enclose no volume")?;
            if solid.volume < 0.0 {
                return Err("its triangles look inwards, so its volume would be negative".into());
            }
            let i = solid.inertia;
            Ok(MeshSolid {
                volume: solid.volume,
                com: solid.com.into(),
                inertia: [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]],
                open_edges: mesh.open_edges(),
            })
        }

        pub(crate) fn decode(mesh: &MeshFile, reader: &mut Reader<'_>) -> Option<MeshSolid> {
            make("the solid", mesh, reader, |read| MeshSolid::of(&read)).map(|solid| *solid)
        }

        pub(crate) fn keep(&self, mesh: &MeshFile, kept: &Kept) {
            mesh.keep(kept);
            let _ = kept.made(made_of("the solid", mesh), || Ok::<_, Infallible>(*self));
        }
    }

    impl HullFile {
        fn kind(most: usize) -> String {
            format!("the hull of at most {most} corners")
        }

        /// Of a mesh in m.
        ///
        /// # Errors
        /// If all of it lies in one plane.
        pub fn of(mesh: MeshFile, read: &Mesh, most: usize) -> Result<HullFile, String> {
            let used = read.welded();
            let (corners, left_out) =
                hull_of_most(&used.vertices, most).ok_or("all of it lies in one plane, so it has no hull")?;
            let corners: Vec<Vec3> = corners.into_iter().map(|corner| used.vertices[corner]).collect();
            Ok(HullFile { mesh, most, corners, left_out })
        }

        pub(crate) fn decode(
            mesh: MeshFile,
            most: Option<Count>,
            reader: &mut Reader<'_>,
        ) -> Option<HullFile> {
            let most = most.map_or(HULL_CORNERS, |most| usize::try_from(most.0).unwrap_or(usize::MAX)).max(4);
            let made =
                make(&Self::kind(most), &mesh, reader, |read| HullFile::of(mesh.clone(), &read, most))?;
            // the same hull may be drawn elsewhere
            Some(HullFile { mesh, ..HullFile::clone(&made) })
        }

        pub(crate) fn keep(&self, kept: &Kept) {
            self.mesh.keep(kept);
            let _ =
                kept.made(made_of(&Self::kind(self.most), &self.mesh), || Ok::<_, Infallible>(self.clone()));
        }

        pub(crate) fn write(&self, entry: Entry, context: &Context<'_>) -> Entry {
            self.mesh.write(entry, context).unless(self.most == HULL_CORNERS, "most", self.most)
        }
    }

    impl MeshFile {
        /// What the mesh of a file encloses, as a shape of a body.
        ///
        /// # Errors
        /// If the file cannot be read, or encloses no volume.
        pub fn solid(self) -> Result<crate::model::Shape, MeshError> {
            let read = Mesh::read(&self.path)?.scaled(self.scale);
            let solid = MeshSolid::of(&read).map_err(|what| MeshError::Damaged { line: None, what })?;
            Ok(crate::model::Shape::Mesh { mesh: self, solid })
        }
    }

    /// Whether a file is a mesh by its ending.
    pub(crate) fn is_mesh(file: &str) -> bool {
        linkwork_mesh::ENDINGS.contains(&linkwork_mesh::ending(Path::new(file)).as_str())
    }
}
