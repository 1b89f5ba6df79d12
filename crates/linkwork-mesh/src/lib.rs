//! Triangle meshes of other programs: STL, OBJ, glTF, Collada and MuJoCo's MSH.
//!
//! ```no_run
//! let mesh = linkwork_mesh::Mesh::read("link0.stl".as_ref())?;
//! println!("{} triangles, {:?} m³", mesh.triangles.len(), mesh.volume().map(|solid| solid.volume));
//! let coarse = mesh.thinned(0.005);                            // details below 5 mm are gone
//! # Ok::<(), linkwork_mesh::MeshError>(())
//! ```
//!
//! A file is data from anywhere: its size, its counts and its nesting have limits, what it says of itself is checked, and of the files that it names
//! (materials of OBJ, buffers of glTF) only those in its own folder, or in folders there, are read. Textures, lines, skins and animations are left out. Axes stay as
//! they are in the file: `up_axis` of Collada and the y that points up in glTF turn nothing.

mod collada;
mod gltf;
mod grid;
mod msh;
mod normals;
mod numbers;
mod obj;
mod stl;
mod thin;
mod volume;

use std::fs;
use std::io::Read;
use std::path::{Component, Path};

pub use thin::cell_for;
pub use volume::Volume;

/// A place or direction.
pub type Vector = [f64; 3];
/// Red, green, blue and opacity as screens show them, 0 to 1.
pub type Colour = [f32; 4];

/// Largest file, bytes.
pub const MAX_BYTES: u64 = 256 << 20;
/// Most triangles of a mesh.
pub const MAX_TRIANGLES: usize = 5_000_000;
/// Endings of the files that are read.
pub const ENDINGS: [&str; 6] = ["stl", "obj", "glb", "gltf", "dae", "msh"];

/// Triangles, counter-clockwise as seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners, in units of the file; in m for Collada, which says its unit.
    pub vertices: Vec<Vector>,
    /// Corners of each triangle by their places in the list.
    pub triangles: Vec<[u32; 3]>,
    /// Runs of triangles of one colour, in their order; together they are all.
    pub parts: Vec<Part>,
}

/// Triangles of one colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// How many.
    pub count: usize,
    /// Their colour, where the file says it.
    pub colour: Option<Colour>,
}

/// Why there is no mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file, or one that it names, cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The file has an ending that is not known.
    #[error("files ending in `.{0}` are not read; meshes are .stl, .obj, .glb, .gltf, .dae and .msh")]
    UnknownFormat(String),
    /// The file is not what it should be.
    #[error("{}{what}", .line.map_or_else(String::new, |line| format!("line {line}: ")))]
    Damaged {
        /// Where, in a text.
        line: Option<usize>,
        /// What is wrong.
        what: String,
    },
    /// The file uses something that is not read.
    #[error("{0} is not read")]
    Unsupported(String),
    /// More than is read.
    #[error("the mesh has more than {0}")]
    TooLarge(String),
}

fn damaged(what: impl Into<String>) -> MeshError {
    MeshError::Damaged { line: None, what: what.into() }
}

fn damaged_at(line: usize, what: impl Into<String>) -> MeshError {
    MeshError::Damaged { line: Some(line), what: what.into() }
}

/// Gives the bytes of a file that a mesh names, or says why not.
pub type Companions<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// Companions of a mesh that has none.
pub fn alone(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("`{}` is not there: nothing is beside this mesh", name.escape_debug()))
}

impl Mesh {
    /// Reads a file, by its ending; files that it names in its folder.
    pub fn read(path: &Path) -> Result<Mesh, MeshError> {
        let bytes = read_bytes(path).map_err(MeshError::Unreadable)?;
        Mesh::from_bytes(&ending(path), &bytes, &|name: &str| companion(path, name))
    }

    /// Reads the contents of a file with an ending of [`ENDINGS`].
    pub fn from_bytes(ending: &str, bytes: &[u8], companions: &Companions<'_>) -> Result<Mesh, MeshError> {
        match ending {
            "stl" => stl::read(bytes),
            "obj" => obj::read(bytes, companions),
            "glb" | "gltf" => gltf::read(bytes, companions),
            "dae" => collada::read(bytes),
            "msh" => msh::read(bytes),
            other => Err(MeshError::UnknownFormat(other.escape_debug().to_string())),
        }
    }

    /// The names of the files that a file needs beside it.
    pub fn companions(path: &Path) -> Result<Vec<String>, MeshError> {
        let ending = ending(path);
        if !matches!(ending.as_str(), "obj" | "gltf") {
            return Ok(Vec::new());
        }
        let bytes = read_bytes(path).map_err(MeshError::Unreadable)?;
        match ending.as_str() {
            "obj" => Ok(obj::libraries(&bytes)),
            _ => gltf::buffers(&bytes),
        }
    }

    /// Corners of a triangle.
    pub fn corners(&self, triangle: [u32; 3]) -> [Vector; 3] {
        triangle.map(|vertex| self.vertices[vertex as usize])
    }

    /// Smallest and largest coordinates; `None` without triangles.
    pub fn bounds(&self) -> Option<[Vector; 2]> {
        let mut corners = self.triangles.iter().flat_map(|triangle| self.corners(*triangle));
        let first = corners.next()?;
        Some(corners.fold([first, first], |[low, high], corner| {
            [0, 1].map(|side| {
                std::array::from_fn(|k| match side {
                    0 => f64::min(low[k], corner[k]),
                    _ => f64::max(high[k], corner[k]),
                })
            })
        }))
    }

    /// Stretched along its axes. A mirrored mesh (a negative product of the factors) is turned inside out, so that it keeps its volume.
    pub fn scaled(mut self, factors: Vector) -> Mesh {
        for vertex in &mut self.vertices {
            *vertex = std::array::from_fn(|k| vertex[k] * factors[k]);
        }
        if factors.iter().product::<f64>() < 0.0 {
            self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        self
    }

    /// Turned by a matrix of rows, then moved.
    pub fn placed(mut self, rows: [Vector; 3], by: Vector) -> Mesh {
        let along = |row: Vector, v: Vector| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
        for vertex in &mut self.vertices {
            *vertex = std::array::from_fn(|k| along(rows[k], *vertex) + by[k]);
        }
        self
    }

    fn vertex(&mut self, place: Vector) -> Result<u32, MeshError> {
        if let Some(wrong) = place.iter().find(|x| !(x.abs() <= numbers::MAX)) {
            return Err(damaged(format!("a coordinate is {wrong}")));
        }
        let at = self.vertices.len();
        if at >= 3 * MAX_TRIANGLES {
            return Err(MeshError::TooLarge(format!("{} vertices", 3 * MAX_TRIANGLES)));
        }
        self.vertices.push(place);
        Ok(at as u32)
    }

    /// Adds a triangle of vertices that are there.
    fn triangle(&mut self, corners: [u32; 3], colour: Option<Colour>) -> Result<(), MeshError> {
        if self.triangles.len() >= MAX_TRIANGLES {
            return Err(MeshError::TooLarge(format!("{MAX_TRIANGLES} triangles")));
        }
        self.triangles.push(corners);
        match self.parts.last_mut().filter(|part| part.colour == colour) {
            Some(part) => part.count += 1,
            None => self.parts.push(Part { count: 1, colour }),
        }
        Ok(())
    }

    /// The colour of each triangle, in their order.
    fn colours(&self) -> impl Iterator<Item = Option<Colour>> + '_ {
        self.parts.iter().flat_map(|part| std::iter::repeat_n(part.colour, part.count))
    }
}

/// The ending of a file in small letters.
pub fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The bytes of a plain file of at most [`MAX_BYTES`].
fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let unread = |error: std::io::Error| format!("cannot read the file: {error}");
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err("not a plain file".into());
    }
    let mut bytes = Vec::new();
    fs::File::open(path).map_err(unread)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(format!("the file has more than {} MiB", MAX_BYTES >> 20)),
        false => Ok(bytes),
    }
}

/// A file that a mesh names, in the folder of the mesh or in folders there, links resolved.
fn companion(mesh: &Path, name: &str) -> Result<Vec<u8>, String> {
    let shown = name.escape_debug();
    let inside =
        Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let folder = mesh.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = fs::canonicalize(folder.join(name)).ok().zip(fs::canonicalize(folder).ok());
    match found {
        Some((file, folder)) if inside && file.starts_with(&folder) => {
            read_bytes(&file).map_err(|why| format!("`{shown}`: {why}"))
        }
        Some(_) => Err(format!("`{shown}` does not lie in the folder of the mesh")),
        None => Err(format!("`{shown}` is not there")),
    }
}
