//! glTF 2.0, as `.gltf` or as `.glb`: the triangles of the default scene with the colours of their materials.
//!
//! A node has a matrix, or T R S, and its children stand in it:
//!
//!   (N1)  x_parent = T R S x_node
//!
//! Numbers lie in buffers: within the GLB, in a `data:` URI, or in a file beside. Every offset is checked before it is followed. Compressed
//! meshes (Draco, meshopt) and sparse accessors are refused by name; skins, morphs, textures and animations are left out.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nalgebra::{Affine3, Matrix4, Point3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde::Deserialize;

use crate::numbers::word;
use crate::{Colour, Companions, MAX_BYTES, MAX_TRIANGLES, Mesh, MeshError, damaged};

/// Deepest nesting of nodes.
const MAX_DEPTH: usize = 100;
/// Most visits of nodes: a node that many share is visited by each.
const MAX_NODES: usize = 100_000;
/// Extensions that change nothing of the form, or that are understood here.
const UNDERSTOOD: [&str; 4] = ["KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Root {
    #[serde(default)]
    extensions_required: Vec<String>,
    scene: Option<usize>,
    #[serde(default)]
    scenes: Vec<Scene>,
    #[serde(default)]
    nodes: Vec<Node>,
    #[serde(default)]
    meshes: Vec<Shapes>,
    #[serde(default)]
    materials: Vec<Material>,
    #[serde(default)]
    accessors: Vec<Accessor>,
    #[serde(default)]
    buffer_views: Vec<View>,
    #[serde(default)]
    buffers: Vec<Store>,
}

#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Deserialize)]
struct Node {
    mesh: Option<usize>,
    #[serde(default)]
    children: Vec<usize>,
    /// Column by column.
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    /// x, y, z, w.
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
struct Shapes {
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: Attributes,
    indices: Option<usize>,
    material: Option<usize>,
    mode: Option<u32>,
}

#[derive(Deserialize)]
struct Attributes {
    #[serde(rename = "POSITION")]
    position: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Material {
    pbr_metallic_roughness: Option<Metal>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metal {
    base_color_factor: Option<[f32; 4]>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    #[serde(default)]
    normalized: bool,
    count: usize,
    #[serde(rename = "type")]
    kind: String,
    sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Store {
    uri: Option<String>,
    byte_length: usize,
}

pub(crate) fn read(bytes: &[u8], companions: &Companions<'_>) -> Result<Mesh, MeshError> {
    let (root, inside) = parsed(bytes)?;
    let foreign = |name: &&String| !UNDERSTOOD.iter().any(|known| name.starts_with(known));
    if let Some(name) = root.extensions_required.iter().find(foreign) {
        return Err(MeshError::Unsupported(format!("glTF with the extension `{}`", name.escape_debug())));
    }
    let mut stores = Vec::new();
    for (n, store) in root.buffers.iter().enumerate() {
        stores.push(buffer(store, n, inside, companions)?);
    }
    let mut reading = Reading { root: &root, stores, mesh: Mesh::default(), visits: 0 };
    let tops: Vec<usize> = match root.scenes.get(root.scene.unwrap_or(0)) {
        Some(scene) => scene.nodes.clone(),
        None => (0..root.nodes.len())
            .filter(|n| !root.nodes.iter().any(|node| node.children.contains(n)))
            .collect(),
    };
    for top in tops {
        reading.node(top, &Affine3::identity(), 0)?;
    }
    Ok(reading.mesh)
}

/// Names of the buffers that are files of their own.
pub(crate) fn buffers(bytes: &[u8]) -> Result<Vec<String>, MeshError> {
    let (root, _) = parsed(bytes)?;
    let names = root.buffers.into_iter().filter_map(|store| store.uri);
    Ok(names.filter(|uri| !uri.starts_with("data:")).map(|uri| unescaped(&uri)).collect())
}

/// The JSON, and the binary chunk behind it.
fn parsed(bytes: &[u8]) -> Result<(Root, &[u8]), MeshError> {
    let cut = || damaged("the GLB file ends too early");
    let (json, inside) = match bytes.starts_with(b"glTF") {
        false => (bytes, &[][..]),
        true => {
            let number = |at: usize| word(bytes, at).map(u32::from_le_bytes).ok_or_else(cut);
            if number(4)? != 2 {
                return Err(MeshError::Unsupported(format!("glTF of version {}", number(4)?)));
            }
            let chunk = |at: usize, kind: u32| -> Result<&[u8], MeshError> {
                let length = number(at)? as usize;
                if number(at + 4)? != kind {
                    return Err(damaged("the GLB file has chunks in another order"));
                }
                bytes.get(at + 8..(at + 8).saturating_add(length)).ok_or_else(cut)
            };
            let json = chunk(12, u32::from_le_bytes(*b"JSON"))?;
            let next = 20 + json.len();
            let inside =
                if next + 8 <= bytes.len() { chunk(next, u32::from_le_bytes(*b"BIN\0"))? } else { &[] };
            (json, inside)
        }
    };
    let root = serde_json::from_slice(json).map_err(|error| damaged(format!("not glTF: {error}")))?;
    Ok((root, inside))
}

/// `%20` and the like in a URI as what they stand for.
fn unescaped(uri: &str) -> String {
    let mut out = Vec::new();
    let mut rest = uri.as_bytes();
    while let [first, more @ ..] = rest {
        let coded = more.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        let code = coded.and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(code.unwrap_or(*first));
        rest = if code.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn buffer(
    store: &Store,
    number: usize,
    inside: &[u8],
    companions: &Companions<'_>,
) -> Result<Vec<u8>, MeshError> {
    let bytes = match &store.uri {
        None if number == 0 => inside.to_vec(),
        None => return Err(damaged(format!("buffer {number} is nowhere"))),
        Some(uri) => match uri.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
            Some((_, coded)) => {
                STANDARD.decode(coded).map_err(|error| damaged(format!("buffer {number}: {error}")))?
            }
            None => companions(&unescaped(uri)).map_err(MeshError::Unreadable)?,
        },
    };
    match bytes.len() >= store.byte_length && bytes.len() as u64 <= MAX_BYTES {
        true => Ok(bytes),
        false => {
            Err(damaged(format!("buffer {number} has {} bytes and not {}", bytes.len(), store.byte_length)))
        }
    }
}

struct Reading<'a> {
    root: &'a Root,
    stores: Vec<Vec<u8>>,
    mesh: Mesh,
    visits: usize,
}

impl Reading<'_> {
    fn node(&mut self, number: usize, outer: &Affine3<f64>, depth: usize) -> Result<(), MeshError> {
        let root = self.root;
        let node = root.nodes.get(number).ok_or_else(|| damaged(format!("there is no node {number}")))?;
        self.visits += 1;
        if depth > MAX_DEPTH || self.visits > MAX_NODES {
            return Err(MeshError::TooLarge(format!(
                "{MAX_NODES} nodes, or nodes nested deeper than {MAX_DEPTH}"
            )));
        }
        let pose = outer * node.pose(); // (N1)
        if let Some(shapes) = node.mesh {
            let shapes =
                root.meshes.get(shapes).ok_or_else(|| damaged(format!("there is no mesh {shapes}")))?;
            for primitive in &shapes.primitives {
                self.primitive(primitive, &pose)?;
            }
        }
        node.children.iter().try_for_each(|child| self.node(*child, &pose, depth + 1))
    }

    fn primitive(&mut self, primitive: &Primitive, pose: &Affine3<f64>) -> Result<(), MeshError> {
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        let (Some(position), TRIANGLES | STRIP | FAN) = (primitive.attributes.position, mode) else {
            return Ok(()); // points and lines
        };
        let first = self.mesh.vertices.len() as u32;
        let [xs, ys, zs] = [0, 1, 2].map(|k| self.numbers(position, "VEC3", k));
        let places: Vec<Vector3<f64>> =
            xs?.into_iter().zip(ys?).zip(zs?).map(|((x, y), z)| Vector3::new(x, y, z)).collect();
        let count = places.len();
        for place in places {
            self.mesh.vertex((pose * Point3::from(place)).coords.into())?;
        }
        let indices: Vec<u32> = match primitive.indices {
            None => (0..count as u32).collect(),
            Some(accessor) => {
                self.numbers(accessor, "SCALAR", 0)?.into_iter().map(|index| index as u32).collect()
            }
        };
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            return Err(damaged(format!("there is no vertex {index}")));
        }
        let colour = primitive.material.and_then(|number| self.colour(number));
        let mirrored = pose.matrix().fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let mut add = |[a, b, c]: [u32; 3]| {
            let corners = if mirrored { [a, c, b] } else { [a, b, c] };
            self.mesh.triangle(corners.map(|corner| first + corner), colour)
        };
        match mode {
            TRIANGLES => indices.chunks_exact(3).try_for_each(|three| add([three[0], three[1], three[2]])),
            STRIP => indices.windows(3).enumerate().try_for_each(|(n, three)| match n % 2 {
                0 => add([three[0], three[1], three[2]]),
                _ => add([three[1], three[0], three[2]]),
            }),
            _ => indices.windows(2).skip(1).try_for_each(|two| add([indices[0], two[0], two[1]])),
        }
    }

    /// Component `k` of each element of an accessor.
    fn numbers(&self, number: usize, kind: &str, k: usize) -> Result<Vec<f64>, MeshError> {
        let fault = |what: &str| damaged(format!("accessor {number} {what}"));
        let accessor = self.root.accessors.get(number).ok_or_else(|| fault("is not there"))?;
        if accessor.sparse.is_some() {
            return Err(MeshError::Unsupported("a sparse accessor".into()));
        }
        if accessor.kind != kind {
            return Err(fault(&format!("is not a {kind}")));
        }
        if accessor.count > 3 * MAX_TRIANGLES {
            return Err(MeshError::TooLarge(format!("{} vertices", 3 * MAX_TRIANGLES)));
        }
        let (size, read) = component(accessor.component_type, accessor.normalized)
            .ok_or_else(|| fault("has numbers of an unknown type"))?;
        let each = if kind == "VEC3" { 3 } else { 1 };
        let view = accessor.buffer_view.ok_or_else(|| fault("has no numbers"))?;
        let view = self.root.buffer_views.get(view).ok_or_else(|| fault("has no buffer view"))?;
        let store = self.stores.get(view.buffer).ok_or_else(|| fault("has no buffer"))?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let bytes = end
            .and_then(|end| store.get(view.byte_offset..end))
            .ok_or_else(|| fault("is outside its buffer"))?;
        let stride = view.byte_stride.unwrap_or(each * size).max(1);
        let last = accessor.count.checked_sub(1).map_or(Some(0), |last| {
            last.checked_mul(stride)?.checked_add(accessor.byte_offset)?.checked_add(each * size)
        });
        if last.is_none_or(|last| last > bytes.len()) {
            return Err(fault("is outside its buffer view"));
        }
        let at = |n: usize| accessor.byte_offset + n * stride + k * size;
        Ok((0..accessor.count).map(|n| read(&bytes[at(n)..at(n) + size])).collect())
    }

    /// The base colour of a material, as screens show it.
    fn colour(&self, number: usize) -> Option<Colour> {
        let factor = self.root.materials.get(number)?.pbr_metallic_roughness.as_ref()?.base_color_factor?;
        let shown = |light: f32| match light <= 0.003_130_8 {
            true => 12.92 * light,
            false => 1.055 * light.powf(1.0 / 2.4) - 0.055,
        };
        Some([shown(factor[0]), shown(factor[1]), shown(factor[2]), factor[3]])
    }
}

const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

impl Node {
    fn pose(&self) -> Affine3<f64> {
        if let Some(columns) = &self.matrix {
            let matrix = Matrix4::from_column_slice(columns);
            return Affine3::from_matrix_unchecked(matrix);
        }
        let [x, y, z, w] = self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let turn: Rotation3<f64> = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)).into();
        let scale = Matrix4::new_nonuniform_scaling(&Vector3::from(self.scale.unwrap_or([1.0; 3])));
        let shift = Translation3::from(self.translation.unwrap_or_default());
        Affine3::from_matrix_unchecked(shift.to_homogeneous() * turn.to_homogeneous() * scale)
    }
}

/// Size and meaning of a number of a component type.
fn component(kind: u32, normalized: bool) -> Option<(usize, fn(&[u8]) -> f64)> {
    Some(match (kind, normalized) {
        (5120, false) => (1, |b| f64::from(b[0] as i8)),
        (5120, true) => (1, |b| (f64::from(b[0] as i8) / 127.0).max(-1.0)),
        (5121, false) => (1, |b| f64::from(b[0])),
        (5121, true) => (1, |b| f64::from(b[0]) / 255.0),
        (5122, false) => (2, |b| f64::from(i16::from_le_bytes([b[0], b[1]]))),
        (5122, true) => (2, |b| (f64::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).max(-1.0)),
        (5123, false) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]]))),
        (5123, true) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0),
        (5125, _) => (4, |b| f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
        (5126, _) => (4, |b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
        _ => return None,
    })
}
