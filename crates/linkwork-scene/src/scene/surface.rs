//! Surfaces of many triangles, as looks of bodies: corners on a lattice, packed for files and pages.
//!
//! With the lowest corner l of the box around a surface and the step h of the lattice, corner k is at
//!
//!   (S1)  r = l + h (i, j, k),   h = (largest edge of the box) / 65535
//!
//! so that it is off by h/2 at most. In JSON its numbers are one text: whole numbers of variable length (zig-zag, seven bits a byte, lowest first) in a zlib stream in
//! Base64. First come the corners, each as its difference to the one before; then the corners of the triangles, each as its distance from the first one that no
//! triangle has had yet, so that a new one is a zero.

use super::{Scene, Solid, Vector};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use linkwork_mesh::{Mesh, cell_for};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{Read, Write};

/// Steps of the lattice along the longest edge.
const STEPS: f64 = 65535.0;
/// Corners and triangles that a surface may have.
const MOST: usize = 5_000_000;

/// Triangles, counter-clockwise from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Surface {
    low: Vector,
    step: f64,
    corners: Vec<[u16; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// As it is written.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    low: Vector,
    step: f64,
    corners: usize,
    triangles: usize,
    data: String,
}

impl Surface {
    /// A mesh on a lattice; `None` without triangles. Corners that fall together become one.
    pub fn of(mesh: &Mesh) -> Option<Surface> {
        let [low, high] = mesh.bounds()?;
        let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let step = size / STEPS;
        if !(step > 0.0 && step.is_finite()) {
            return None;
        }
        let on_lattice = |place: &Vector| -> Vector {
            std::array::from_fn(|k| ((place[k] - low[k]) / step).round().clamp(0.0, STEPS))
        };
        let rounded =
            Mesh { vertices: mesh.vertices.iter().map(on_lattice).collect(), ..mesh.clone() }.welded();
        let corners = rounded.vertices.iter().map(|place| place.map(|x| x as u16)).collect();
        let surface = Surface { low, step, corners, triangles: rounded.triangles };
        (!surface.triangles.is_empty()).then_some(surface)
    }

    /// Corners of the triangles, by their places in [`Surface::corners`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Places of the corners (S1).
    pub fn corners(&self) -> impl ExactSizeIterator<Item = Vector> + '_ {
        self.corners
            .iter()
            .map(|corner| std::array::from_fn(|k| self.low[k] + self.step * f64::from(corner[k])))
    }

    /// Lowest and highest coordinates.
    pub fn bounds(&self) -> [Vector; 2] {
        self.corners().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], corner| {
            [
                std::array::from_fn(|k| f64::min(low[k], corner[k])),
                std::array::from_fn(|k| f64::max(high[k], corner[k])),
            ]
        })
    }

    /// The same somewhere else.
    pub fn moved(self, by: Vector) -> Surface {
        Surface { low: std::array::from_fn(|k| self.low[k] + by[k]), ..self }
    }

    /// As a mesh.
    pub fn mesh(&self) -> Mesh {
        let part = linkwork_mesh::Part { count: self.triangles.len(), colour: None };
        Mesh { vertices: self.corners().collect(), triangles: self.triangles.clone(), parts: vec![part] }
    }

    /// For each corner of each triangle the direction out of the surface: round where its triangles are turned by less than 40 degrees against each other.
    pub fn normals(&self) -> Vec<[Vector; 3]> {
        self.mesh().corner_normals(0.77)
    }

    /// Whether it can be drawn.
    pub(super) fn is_finite(&self) -> bool {
        self.step.is_finite() && self.low.iter().all(|x| x.is_finite() && (x + self.step * STEPS).is_finite())
    }
}

impl Scene {
    fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        let solids = self.bodies.iter().flat_map(|body| body.painted()).map(|(solid, _)| solid);
        solids.filter_map(|solid| match solid {
            Solid::Surface(surface) => Some(surface),
            _ => None,
        })
    }

    /// The same with at most so many triangles in all of its surfaces together.
    pub fn with_triangles(&self, most: usize) -> Cow<'_, Scene> {
        let meshes: Vec<Mesh> = self.surfaces().map(Surface::mesh).collect();
        let Some(cells) = cell_for(&meshes.iter().collect::<Vec<_>>(), most) else {
            return Cow::Borrowed(self);
        };
        let mut thin = meshes.iter().zip(cells).map(|(mesh, cell)| Surface::of(&mesh.thinned(cell)));
        let mut scene = self.clone();
        for body in &mut scene.bodies {
            let looks = body.looks.iter_mut().map(|look| &mut look.solid);
            for solid in body.solids.iter_mut().chain(looks) {
                // what vanishes is too small to be seen
                if let Solid::Surface(surface) = solid
                    && let Some(Some(thin)) = thin.next()
                {
                    *surface = thin;
                }
            }
        }
        Cow::Owned(scene)
    }
}

fn write(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn read(bytes: &mut std::slice::Iter<'_, u8>) -> Option<i64> {
    let mut value = 0u64;
    for place in (0..35).step_by(7) {
        let byte = *bytes.next()?;
        value |= u64::from(byte & 0x7f) << place;
        if byte < 0x80 {
            return Some((value >> 1) as i64 ^ -((value & 1) as i64));
        }
    }
    None
}

impl From<Surface> for Packed {
    fn from(surface: Surface) -> Packed {
        let mut bytes = Vec::new();
        let mut last = [0i64; 3];
        for corner in &surface.corners {
            let now = corner.map(i64::from);
            (0..3).for_each(|k| write(now[k] - last[k], &mut bytes));
            last = now;
        }
        let mut next = 0;
        for corner in surface.triangles.iter().flatten().map(|corner| i64::from(*corner)) {
            write(next - corner, &mut bytes);
            next = next.max(corner + 1);
        }
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::new(6));
        // a vector takes all that is written to it
        let _ = zlib.write_all(&bytes);
        let data = STANDARD.encode(zlib.finish().unwrap_or_default());
        let Surface { low, step, corners, triangles } = surface;
        Packed { low, step, corners: corners.len(), triangles: triangles.len(), data }
    }
}

impl TryFrom<Packed> for Surface {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Surface, &'static str> {
        const DAMAGED: &str = "a surface whose numbers do not fit its counts";
        let Packed { low, step, corners: places, triangles: faces, data } = packed;
        if places > MOST || faces > MOST {
            return Err("a surface of too many triangles");
        }
        let coded = STANDARD.decode(data).map_err(|_| DAMAGED)?;
        let mut bytes = Vec::new();
        let most = 5 * 3 * (places + faces) as u64 + 1;
        ZlibDecoder::new(&coded[..]).take(most).read_to_end(&mut bytes).map_err(|_| DAMAGED)?;
        let mut bytes = bytes.iter();
        let mut corners = Vec::with_capacity(places.min(bytes.len()));
        let mut last = [0i64; 3];
        for _ in 0..places {
            let mut corner = [0u16; 3];
            for k in 0..3 {
                last[k] += read(&mut bytes).ok_or(DAMAGED)?;
                corner[k] = u16::try_from(last[k]).map_err(|_| DAMAGED)?;
            }
            corners.push(corner);
        }
        let mut triangles = Vec::with_capacity(faces.min(bytes.len()));
        let mut next = 0;
        for _ in 0..faces {
            let mut triangle = [0u32; 3];
            for corner in &mut triangle {
                let number = next - read(&mut bytes).ok_or(DAMAGED)?;
                let known = usize::try_from(number).ok().filter(|number| *number < places).ok_or(DAMAGED)?;
                next = next.max(number + 1);
                *corner = known as u32;
            }
            triangles.push(triangle);
        }
        match bytes.next() {
            None => Ok(Surface { low, step, corners, triangles }),
            Some(_) => Err(DAMAGED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> Surface {
        let text = b"v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 0.5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        Surface::of(&Mesh::from_bytes("obj", text, &linkwork_mesh::alone).unwrap())
            .unwrap()
            .moved([5.0, 0.0, 0.0])
    }

    #[test]
    fn same_surface_through_json() {
        let surface = tetrahedron();
        let text = serde_json::to_string(&surface).unwrap();
        assert_eq!(serde_json::from_str::<Surface>(&text).unwrap(), surface);
        let volume = surface.mesh().volume().unwrap();
        // a lattice of 65535 steps along the longest edge
        assert!((volume.volume - 1.0 / 6.0).abs() < 1e-4 && (volume.com[0] - 5.5).abs() < 1e-4);
    }

    #[test]
    fn damaged_surfaces_are_refused() {
        let text = serde_json::to_string(&tetrahedron()).unwrap();
        for (old, new) in [
            ("\"corners\":4", "\"corners\":3"),
            ("\"corners\":4", "\"corners\":5000001"),
            ("\"triangles\":4", "\"triangles\":5"),
            ("\"data\":\"", "\"data\":\"AAAA"),
        ] {
            assert!(serde_json::from_str::<Surface>(&text.replace(old, new)).is_err(), "{new}");
        }
    }
}
