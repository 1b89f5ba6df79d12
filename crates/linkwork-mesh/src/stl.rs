//! STL, binary and ASCII: triangles by their corners. Normals and colours of dialects are left out.

use crate::numbers::{numbers, word};
use crate::{Mesh, MeshError, Vector, damaged, damaged_at};

pub(crate) fn read(bytes: &[u8]) -> Result<Mesh, MeshError> {
    // A binary file has 80 bytes of anything, a count, and 50 bytes a triangle; some of them begin with `solid`, too.
    if let Some(count) = word(bytes, 80).map(|count| u32::from_le_bytes(count) as usize)
        && count.checked_mul(50) == Some(bytes.len() - 84)
    {
        return binary(&bytes[84..]);
    }
    let neither = || damaged("neither a binary nor an ASCII STL file");
    let text = std::str::from_utf8(bytes).map_err(|_| neither())?;
    match text.trim_start().starts_with("solid") {
        true => ascii(text),
        false => Err(neither()),
    }
}

fn binary(bytes: &[u8]) -> Result<Mesh, MeshError> {
    let mut mesh = Mesh::default();
    for facet in bytes.chunks_exact(50) {
        let number = |at: usize| f64::from(word(facet, at).map_or(f32::NAN, f32::from_le_bytes));
        let mut corners = [0; 3];
        for (c, corner) in corners.iter_mut().enumerate() {
            let at = 12 + 12 * c; // behind the normal
            *corner = mesh.vertex([number(at), number(at + 4), number(at + 8)])?;
        }
        mesh.triangle(corners, None)?;
    }
    Ok(mesh)
}

fn ascii(text: &str) -> Result<Mesh, MeshError> {
    let mut mesh = Mesh::default();
    let mut corners: Vec<Vector> = Vec::with_capacity(3);
    for (line, words) in text.lines().enumerate().map(|(n, line)| (n + 1, line.trim())) {
        if let Some(rest) = words.strip_prefix("vertex") {
            let place = numbers(rest).map_err(|error| error.at(line))?;
            corners.push(place.try_into().map_err(|_| damaged_at(line, "a vertex needs three numbers"))?);
        } else if words.starts_with("endloop") {
            let three: [Vector; 3] = std::mem::take(&mut corners)
                .try_into()
                .map_err(|_| damaged_at(line, "a facet needs three vertices"))?;
            let mut triangle = [0; 3];
            for (corner, place) in triangle.iter_mut().zip(three) {
                *corner = mesh.vertex(place)?;
            }
            mesh.triangle(triangle, None)?;
        }
    }
    match corners.is_empty() {
        true => Ok(mesh),
        false => Err(damaged("the last facet is not finished")),
    }
}
