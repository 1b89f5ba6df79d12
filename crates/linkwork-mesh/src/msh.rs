//! MuJoCo's MSH: four counts (vertices, normals, texture coordinates, faces), then the vertices and the others as single floats, then the faces.

use crate::numbers::word;
use crate::{Mesh, MeshError, damaged};

pub(crate) fn read(bytes: &[u8]) -> Result<Mesh, MeshError> {
    let misfit = || damaged("not an MSH file: its counts do not fit its size");
    let mut counts = [0usize; 4];
    for (n, count) in counts.iter_mut().enumerate() {
        let found = word(bytes, 4 * n).map(i32::from_le_bytes).ok_or_else(misfit)?;
        *count = usize::try_from(found).ok().filter(|n| *n <= bytes.len()).ok_or_else(misfit)?;
    }
    let [vertices, normals, textures, faces] = counts;
    let first_face = 4 * (4 + 3 * vertices + 3 * normals + 2 * textures);
    if first_face + 12 * faces != bytes.len() {
        return Err(misfit());
    }
    let mut mesh = Mesh::default();
    for at in (16..16 + 12 * vertices).step_by(12) {
        let number = |k: usize| f64::from(word(bytes, at + 4 * k).map_or(f32::NAN, f32::from_le_bytes));
        mesh.vertex([number(0), number(1), number(2)])?;
    }
    for (f, face) in bytes[first_face..].chunks_exact(12).enumerate() {
        let mut triangle = [0; 3];
        for (c, corner) in triangle.iter_mut().enumerate() {
            let index = word(face, 4 * c).map_or(-1, i32::from_le_bytes);
            let vertex = u32::try_from(index).ok().filter(|n| (*n as usize) < vertices);
            *corner = vertex.ok_or_else(|| damaged(format!("face {}: there is no vertex {index}", f + 1)))?;
        }
        mesh.triangle(triangle, None)?;
    }
    Ok(mesh)
}
