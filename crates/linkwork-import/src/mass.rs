//! Mass properties of triangle meshes by volume integrals; STL (binary and ASCII), OBJ, and MuJoCo's MSH.
//!
//! Each triangle (a, b, c) and the origin span a tetrahedron of signed volume
//!
//!   (M1)  V_t = a · (b × c) / 6
//!
//! The signed sum over a closed surface is the solid's volume. With s = a + b + c, and the origin as the fourth corner,
//!
//!   (M2)  ∫ x dV   = V_t s / 4
//!   (M3)  ∫ x xᵀ dV = V_t (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20
//!
//! and with Σ = ∫ x xᵀ dV about the centre of mass, I = tr(Σ) 1 − Σ for density 1. The sums are taken about the middle of the mesh, so that a mesh far from its
//! origin loses no digits. An open surface has no volume: (M1) then depends on the origin, and [`Mesh::openness`] says how open it is.

use std::path::Path;

use nalgebra::{Matrix3, Vector3};

use crate::files::{MAX_MESH_BYTES, read_bytes};

/// Most triangles of a mesh.
pub const MAX_TRIANGLES: usize = 5_000_000;

/// Triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners of each triangle, counter-clockwise as seen from outside, m.
    pub triangles: Vec<[Vector3<f64>; 3]>,
}

/// Volume, its centre, and inertia for density one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// m³; negative if the triangles face inwards.
    pub volume: f64,
    /// Its centre, m.
    pub com: Vector3<f64>,
    /// About the centre for one kg/m³, kg m².
    pub inertia: Matrix3<f64>,
}

impl Mesh {
    /// Reads an STL, OBJ or MSH file, by its ending.
    pub fn read(path: &Path) -> Result<Mesh, String> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let reader: fn(&[u8]) -> Result<Mesh, String> = match ending.as_str() {
            "stl" => Mesh::from_stl,
            "obj" => Mesh::from_obj,
            "msh" => Mesh::from_msh,
            other => return Err(format!("meshes in the format `{}` are not read", other.escape_debug())),
        };
        reader(&read_bytes(path, MAX_MESH_BYTES)?)
    }

    /// STL, binary or ASCII.
    pub fn from_stl(bytes: &[u8]) -> Result<Mesh, String> {
        // A binary file has 80 bytes of anything, a count, and 50 bytes a triangle; some of them begin with `solid`, too.
        if let Some(count) = bytes.get(80..84) {
            let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
            if count.checked_mul(50).is_some_and(|size| size == bytes.len() - 84) {
                return Mesh::from_binary_stl(&bytes[84..], count);
            }
        }
        let text =
            std::str::from_utf8(bytes).map_err(|_| "neither a binary nor an ASCII STL file".to_owned())?;
        if !text.trim_start().starts_with("solid") {
            return Err("neither a binary nor an ASCII STL file".into());
        }
        let mut mesh = Mesh::default();
        let mut corners: Vec<Vector3<f64>> = Vec::with_capacity(3);
        for (line, words) in text.lines().enumerate().map(|(n, line)| (n + 1, line.trim())) {
            if let Some(rest) = words.strip_prefix("vertex") {
                let place = crate::xml::numbers(rest).map_err(|message| format!("line {line}: {message}"))?;
                let place: [f64; 3] =
                    place.try_into().map_err(|_| format!("line {line}: a vertex needs three numbers"))?;
                corners.push(place.into());
            } else if words.starts_with("endloop") {
                let triangle = std::mem::take(&mut corners)
                    .try_into()
                    .map_err(|_| format!("line {line}: a facet needs three vertices"))?;
                mesh.push(triangle)?;
            }
        }
        match corners.is_empty() {
            true => Ok(mesh),
            false => Err("the last facet is not finished".into()),
        }
    }

    fn from_binary_stl(bytes: &[u8], count: usize) -> Result<Mesh, String> {
        let mut mesh = Mesh::default();
        let number = |at: usize| {
            f64::from(f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
        };
        for t in 0..count {
            let corner = |c: usize| {
                let at = 50 * t + 12 + 12 * c; // behind the normal
                Vector3::new(number(at), number(at + 4), number(at + 8))
            };
            let triangle = [corner(0), corner(1), corner(2)];
            if triangle.iter().flat_map(|c| c.iter()).any(|x| !x.is_finite()) {
                return Err(format!("triangle {} is not finite", t + 1));
            }
            mesh.push(triangle)?;
        }
        Ok(mesh)
    }

    /// MuJoCo's MSH: four counts (vertices, normals, texture coordinates, faces), then the vertices and the others as single floats, then the faces.
    pub fn from_msh(bytes: &[u8]) -> Result<Mesh, String> {
        let word = |at: usize| bytes.get(4 * at..4 * at + 4).map(|b| [b[0], b[1], b[2], b[3]]);
        let damaged = || "not an MSH file: its counts do not fit its size".to_owned();
        let mut counts = [0usize; 4];
        for (n, count) in counts.iter_mut().enumerate() {
            let found = word(n).map(i32::from_le_bytes).ok_or_else(damaged)?;
            *count = usize::try_from(found).ok().filter(|n| *n <= bytes.len()).ok_or_else(damaged)?;
        }
        let [vertices, normals, textures, faces] = counts;
        let first_face = 4 + 3 * vertices + 3 * normals + 2 * textures;
        if 4 * (first_face + 3 * faces) != bytes.len() {
            return Err(damaged());
        }
        let mut mesh = Mesh::default();
        for f in 0..faces {
            let mut triangle = [Vector3::zeros(); 3];
            for (c, corner) in triangle.iter_mut().enumerate() {
                let index = word(first_face + 3 * f + c).map(i32::from_le_bytes).ok_or_else(damaged)?;
                let vertex = usize::try_from(index)
                    .ok()
                    .filter(|n| *n < vertices)
                    .ok_or_else(|| format!("face {}: there is no vertex {index}", f + 1))?;
                for (k, x) in corner.iter_mut().enumerate() {
                    let value = word(4 + 3 * vertex + k).map(f32::from_le_bytes).ok_or_else(damaged)?;
                    if !value.is_finite() {
                        return Err(format!("vertex {vertex} is not finite"));
                    }
                    *x = f64::from(value);
                }
            }
            mesh.push(triangle)?;
        }
        Ok(mesh)
    }

    /// Wavefront OBJ: `v` and `f`; faces with more corners are fans.
    pub fn from_obj(bytes: &[u8]) -> Result<Mesh, String> {
        let text = String::from_utf8_lossy(bytes);
        let mut places: Vec<Vector3<f64>> = Vec::new();
        let mut mesh = Mesh::default();
        for (line, content) in text.lines().enumerate().map(|(n, content)| (n + 1, content)) {
            let mut words = content.split_ascii_whitespace();
            match words.next() {
                Some("v") => {
                    let numbers: Result<Vec<f64>, String> = words.take(3).map(crate::xml::number).collect();
                    let numbers = numbers.map_err(|message| format!("line {line}: {message}"))?;
                    let place: [f64; 3] = numbers
                        .try_into()
                        .map_err(|_| format!("line {line}: a vertex needs three numbers"))?;
                    places.push(place.into());
                }
                Some("f") => {
                    let mut fan: [Option<Vector3<f64>>; 2] = [None, None];
                    for word in words {
                        let index: i64 = word
                            .split('/')
                            .next()
                            .and_then(|first| first.parse().ok())
                            .ok_or_else(|| format!("line {line}: not a corner of a face"))?;
                        let at = match index {
                            1.. => index - 1,
                            _ => places.len() as i64 + index,
                        };
                        let place = usize::try_from(at)
                            .ok()
                            .filter(|_| index != 0)
                            .and_then(|at| places.get(at))
                            .ok_or_else(|| format!("line {line}: there is no vertex {index}"))?;
                        match fan {
                            [None, _] => fan[0] = Some(*place),
                            [Some(_), None] => fan[1] = Some(*place),
                            [Some(first), Some(last)] => {
                                mesh.push([first, last, *place])?;
                                fan[1] = Some(*place);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(mesh)
    }

    fn push(&mut self, triangle: [Vector3<f64>; 3]) -> Result<(), String> {
        if self.triangles.len() >= MAX_TRIANGLES {
            return Err(format!("the mesh has more than {MAX_TRIANGLES} triangles"));
        }
        self.triangles.push(triangle);
        Ok(())
    }

    /// Stretched along its axes. A mirrored mesh (a negative product of the factors) is turned inside out, so that it keeps its volume.
    pub fn scaled(mut self, factors: Vector3<f64>) -> Mesh {
        let mirrored = factors.product() < 0.0;
        for triangle in &mut self.triangles {
            *triangle = triangle.map(|corner| corner.component_mul(&factors));
            if mirrored {
                triangle.swap(1, 2);
            }
        }
        self
    }

    /// Smallest and largest coordinates; `None` without triangles.
    pub fn bounds(&self) -> Option<[Vector3<f64>; 2]> {
        let mut corners = self.triangles.iter().flatten();
        let first = *corners.next()?;
        Some(corners.fold([first, first], |[low, high], corner| [low.inf(corner), high.sup(corner)]))
    }

    /// Volume integrals (M1) to (M3). `None` without a volume.
    pub fn volume(&self) -> Option<Volume> {
        let [low, high] = self.bounds()?;
        let middle = (low + high) * 0.5;
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| corner - middle);
            let v = a.dot(&b.cross(&c)) / 6.0; // (M1)
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0); // (M2)
            second +=
                (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (v / 20.0); // (M3)
        }
        let box_volume = (high - low).product();
        if !volume.is_finite() || volume.abs() <= 1e-12 * box_volume || volume == 0.0 {
            return None;
        }
        let com = first / volume;
        let about_com = second - com * com.transpose() * volume;
        let inertia = Matrix3::identity() * about_com.trace() - about_com;
        Some(Volume { volume, com: com + middle, inertia })
    }

    /// Volume integrals in which every tetrahedron counts as positive: too much where the surface is not star-shaped about its middle, but a volume for surfaces
    /// with holes as well. What MuJoCo calls `legacy`, step by step: the fourth corner is the middle of the surface, which gives a centre; it is then that centre, which gives
    /// volume and inertia.
    pub fn unsigned_volume(&self) -> Option<Volume> {
        let (volume, first, _) = self.unsigned_about(self.surface()?.com);
        let com = self.surface()?.com + first / volume;
        let (volume, _, second) = self.unsigned_about(com);
        let inertia = Matrix3::identity() * second.trace() - second;
        (volume.is_finite() && volume > 0.0).then_some(Volume { volume, com, inertia })
    }

    /// Unsigned sums of (M1) to (M3) about a place.
    fn unsigned_about(&self, middle: Vector3<f64>) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| corner - middle);
            let v = (a.dot(&b.cross(&c)) / 6.0).abs(); // (M1)
            volume += v;
            first += (a + b + c) * (v / 4.0); // (M2)
            second += products(a, b, c) * (v / 20.0); // (M3)
        }
        (volume, first, second)
    }

    /// Area, and the inertia of one kg/m² on the surface: with A for V, the third parts of (M2) and A (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 12 for (M3), s = a + b + c.
    pub fn surface(&self) -> Option<Volume> {
        let [low, high] = self.bounds()?;
        let middle = (low + high) * 0.5;
        let (mut area, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| corner - middle);
            let part = (b - a).cross(&(c - a)).norm() / 2.0;
            area += part;
            first += (a + b + c) * (part / 3.0);
            second += products(a, b, c) * (part / 12.0);
        }
        about_centre(area, first, second, middle)
    }

    /// |Σ area vectors| / Σ areas: zero for a closed surface, one for a single triangle.
    pub fn openness(&self) -> f64 {
        let (mut vector, mut area) = (Vector3::zeros(), 0.0);
        for [a, b, c] in &self.triangles {
            let twice = (b - a).cross(&(c - a));
            vector += twice;
            area += twice.norm();
        }
        match area > 0.0 {
            true => vector.norm() / area,
            false => 1.0,
        }
    }
}

/// a aᵀ + b bᵀ + c cᵀ + s sᵀ with s = a + b + c.
fn products(a: Vector3<f64>, b: Vector3<f64>, c: Vector3<f64>) -> Matrix3<f64> {
    let s = a + b + c;
    a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()
}

/// Moments about the centre from those about another place.
fn about_centre(
    size: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
    middle: Vector3<f64>,
) -> Option<Volume> {
    if !(size.is_finite() && size > 0.0) {
        return None;
    }
    let com = first / size;
    let about_com = second - com * com.transpose() * size;
    let inertia = Matrix3::identity() * about_com.trace() - about_com;
    Some(Volume { volume: size, com: com + middle, inertia })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of edges 1, 2, 3 about (5, 6, 7) as OBJ, faces of four corners.
    const BOX: &str = "v 4.5 5 5.5\nv 5.5 5 5.5\nv 5.5 7 5.5\nv 4.5 7 5.5\nv 4.5 5 8.5\nv 5.5 5 8.5\nv 5.5 7 8.5\nv 4.5 7 8.5\n\
        f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3/1/1 4/2/2 8/3/3 7/4/4\nf 1 5 -1 4\n";

    #[test]
    fn exact_box() {
        let mesh = Mesh::from_obj(BOX.as_bytes()).unwrap();
        assert_eq!(mesh.triangles.len(), 12);
        assert!(mesh.openness() < 1e-15);
        let solid = mesh.volume().unwrap();
        assert!((solid.volume - 6.0).abs() < 1e-14);
        assert!((solid.com - Vector3::new(5.0, 6.0, 7.0)).norm() < 1e-14);
        let expected = Matrix3::from_diagonal(&Vector3::new(4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0)) * 0.5; // m (b² + c²) / 12
        assert!((solid.inertia - expected).norm() < 1e-13, "{}", solid.inertia);
    }

    #[test]
    fn same_box_in_both_kinds_of_stl() {
        let mesh = Mesh::from_obj(BOX.as_bytes()).unwrap();
        let mut binary = vec![0; 80];
        let mut ascii = "solid box\n".to_owned();
        binary.extend((mesh.triangles.len() as u32).to_le_bytes());
        for triangle in &mesh.triangles {
            binary.extend([0; 12]);
            ascii.push_str("facet normal 0 0 0\nouter loop\n");
            for corner in triangle {
                corner.iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
                ascii.push_str(&format!("vertex {} {:e} {}\n", corner[0], corner[1], corner[2]));
            }
            binary.extend([0; 2]);
            ascii.push_str("endloop\nendfacet\n");
        }
        ascii.push_str("endsolid box\n");
        assert_eq!(Mesh::from_stl(&binary).unwrap(), mesh);
        assert_eq!(Mesh::from_stl(ascii.as_bytes()).unwrap(), mesh);
        let mirrored = mesh.scaled(Vector3::new(-2.0, 1.0, 1.0)).volume().unwrap();
        assert!((mirrored.volume - 12.0).abs() < 1e-13);
        assert!((mirrored.com[0] + 10.0).abs() < 1e-13);
    }

    #[test]
    fn damaged_meshes_are_refused() {
        assert!(Mesh::from_stl(b"solid\nvertex 1 2\n").unwrap_err().contains("three numbers"));
        assert!(Mesh::from_stl(&[0; 100]).is_err());
        assert!(Mesh::from_obj(b"v 0 0 0\nf 1 2 3\n").unwrap_err().contains("no vertex 2"));
        assert!(Mesh::from_obj(b"v 0 0 1e300\n").unwrap_err().contains("larger"));
        assert!(Mesh::from_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap().volume().is_none());
    }
}
