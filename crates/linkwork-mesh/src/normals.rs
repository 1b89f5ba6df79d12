//! Directions out of a surface at the corners of its triangles: round where it bends little, sharp at its edges.

use nalgebra::Vector3;

use crate::{Mesh, Vector};

/// Triangles about a vertex that are looked at; a mesh that means harm has all of them about one.
const MOST: usize = 64;

impl Mesh {
    /// For each corner of each triangle the mean direction of the triangles about its vertex that are turned by less than an angle (by its cosine) against its own, by
    /// their areas. Vertices of one place must be one: [`Mesh::welded`].
    pub fn corner_normals(&self, cosine: f64) -> Vec<[Vector; 3]> {
        let area = |triangle: &[u32; 3]| {
            let [a, b, c] = self.corners(*triangle).map(Vector3::from);
            (b - a).cross(&(c - a))
        };
        let areas: Vec<Vector3<f64>> = self.triangles.iter().map(area).collect();
        let units: Vec<Vector3<f64>> =
            areas.iter().map(|n| n.try_normalize(0.0).unwrap_or_else(Vector3::z)).collect();
        let mut about: Vec<Vec<u32>> = vec![Vec::new(); self.vertices.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            triangle.iter().for_each(|vertex| about[*vertex as usize].push(t as u32));
        }
        let normal = |t: usize, vertex: u32| {
            let near = about[vertex as usize].iter().take(MOST).map(|other| *other as usize);
            let sum: Vector3<f64> =
                near.filter(|other| units[*other].dot(&units[t]) > cosine).map(|other| areas[other]).sum();
            sum.try_normalize(0.0).unwrap_or(units[t]).into()
        };
        self.triangles
            .iter()
            .enumerate()
            .map(|(t, triangle)| triangle.map(|vertex| normal(t, vertex)))
            .collect()
    }
}
