//! Meshes of all formats.

mod formats;
mod hostile;
mod solids;

use linkwork_mesh::{Mesh, MeshError, alone};

/// A box of edges 1, 2, 3 about (5, 6, 7) as OBJ, faces of four corners.
const BOX: &str = "v 4.5 5 5.5\nv 5.5 5 5.5\nv 5.5 7 5.5\nv 4.5 7 5.5\nv 4.5 5 8.5\nv 5.5 5 8.5\nv 5.5 7 8.5\nv 4.5 7 8.5\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3/1/1 4/2/2 8/3/3 7/4/4\nf 1 5 -1 4\n";

fn read(ending: &str, bytes: impl AsRef<[u8]>) -> Result<Mesh, MeshError> {
    Mesh::from_bytes(ending, bytes.as_ref(), &alone)
}

fn boxed() -> Mesh {
    read("obj", BOX).unwrap()
}

/// A glTF text with places and indices in a `data:` URI; `node` and `more` go into the node and the root.
fn gltf(mesh: &Mesh, node: &str, more: &str) -> String {
    use std::fmt::Write;
    let mut bytes: Vec<u8> = Vec::new();
    mesh.vertices.iter().flatten().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
    let places = bytes.len();
    mesh.triangles.iter().flatten().for_each(|vertex| bytes.extend((*vertex as u16).to_le_bytes()));
    let mut coded = String::new();
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for k in 0..4 {
            match k <= three.len() {
                true => coded.push(char::from(digits[(bits >> (18 - 6 * k)) as usize & 63])),
                false => coded.push('='),
            }
        }
    }
    let mut out = String::new();
    let (vertices, corners) = (mesh.vertices.len(), 3 * mesh.triangles.len());
    write!(
        out,
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0{node}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"material":0}}]}}],
        "materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[1.0,0.0,0.214041,1.0]}}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{vertices},"type":"VEC3"}},
                     {{"bufferView":1,"componentType":5123,"count":{corners},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{places}}},{{"buffer":0,"byteOffset":{places},"byteLength":{}}}],
        "buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{coded}"}}]{more}}}"#,
        bytes.len() - places,
        bytes.len()
    )
    .unwrap();
    out
}
