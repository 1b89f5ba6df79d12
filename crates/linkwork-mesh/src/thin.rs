//! Meshes with fewer triangles, by clusters of vertices [lindstrom2000].
//!
//! The vertices in a cell of a lattice become one. It lies where the sum of the squared distances from the planes of all triangles that touch the cell is least, each
//! weighted by its squared area: with n the cross product of two edges of a triangle, and a one of its corners,
//!
//!   (T1)  A = Σ n nᵀ,  b = Σ n (n · a),  A x = b.
//!
//! Where A has little to say about a direction (a flat or a straight part), the mean m of the vertices says it: singular values below 10⁻³ of the largest are
//! left out of the inverse,
//!
//!   (T2)  x = m + A⁺ (b − A m),
//!
//! and a place farther from m than the cell is large is taken back to m. Triangles with corners in fewer than three cells vanish. It takes one pass whatever the
//! surface is like: cracks, several shells and faces that lie twice, as CAD exports have them, do no harm.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use crate::grid::{cell, numbered};
use crate::{Mesh, Vector};

/// Singular values below this part of the largest are none.
const NOTHING: f64 = 1e-3;
/// A mesh keeps so many cells along its diagonal, however small it is beside the others.
const LEAST_CELLS: f64 = 8.0;
/// Attempts at a cell; each comes nearer by the rule that triangles are as many as cells of the surface.
const ATTEMPTS: usize = 12;

#[derive(Clone)]
struct Cluster {
    a: Matrix3<f64>,
    b: Vector3<f64>,
    mean: Vector3<f64>,
    count: f64,
}

impl Mesh {
    /// With one vertex for each cell of this size; the same where the size is zero.
    pub fn thinned(&self, size: f64) -> Mesh {
        let Some([low, _]) = self.bounds().filter(|_| size > 0.0) else { return self.clone() };
        let (numbers, count) = numbered(self.vertices.iter().map(|place| cell(*place, low, size)));
        let none = Cluster { a: Matrix3::zeros(), b: Vector3::zeros(), mean: Vector3::zeros(), count: 0.0 };
        let mut clusters = vec![none; count];
        let place = |vertex: u32| Vector3::from(self.vertices[vertex as usize]) - Vector3::from(low);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(place);
            let n = (b - a).cross(&(c - a));
            let (quadric, linear) = (n * n.transpose(), n * n.dot(&a)); // (T1)
            for (vertex, corner) in triangle.iter().zip([a, b, c]) {
                let cluster = &mut clusters[numbers[*vertex as usize] as usize];
                cluster.a += quadric;
                cluster.b += linear;
                cluster.mean += corner;
                cluster.count += 1.0;
            }
        }
        let places: Vec<Vector> =
            clusters.iter().map(|cluster| (cluster.place(size) + Vector3::from(low)).into()).collect();
        self.merged(&numbers, &places, true)
    }

    /// How many triangles [`Mesh::thinned`] leaves, at most.
    fn left(&self, size: f64) -> usize {
        let Some([low, _]) = self.bounds().filter(|_| size > 0.0) else { return self.triangles.len() };
        let (numbers, _) = numbered(self.vertices.iter().map(|place| cell(*place, low, size)));
        let corners = self.triangles.iter().map(|triangle| triangle.map(|vertex| numbers[vertex as usize]));
        corners.filter(|[a, b, c]| a != b && b != c && c != a).count()
    }

    fn diagonal(&self) -> f64 {
        self.bounds().map_or(0.0, |[low, high]| (Vector3::from(high) - Vector3::from(low)).norm())
    }
}

impl Cluster {
    /// (T2)
    fn place(&self, size: f64) -> Vector3<f64> {
        let mean = self.mean / self.count.max(1.0);
        let eigen = SymmetricEigen::new(self.a);
        let largest = eigen.eigenvalues.amax();
        if !(largest > 0.0 && largest.is_finite()) {
            return mean;
        }
        let rest = self.b - self.a * mean;
        let mut step = Vector3::zeros();
        for k in (0..3).filter(|k| eigen.eigenvalues[*k] > NOTHING * largest) {
            let direction = eigen.eigenvectors.column(k);
            step += direction * (direction.dot(&rest) / eigen.eigenvalues[k]);
        }
        if step.norm() <= size { mean + step } else { mean }
    }
}

/// The size of cells for each of several meshes with which they have at most so many triangles together; `None` if they have no more as they are. It is the same for all, so that
/// all lose as much to the eye, but for small ones, which stay recognisable.
pub fn cell_for(meshes: &[&Mesh], most: usize) -> Option<Vec<f64>> {
    let all: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    if all <= most {
        return None;
    }
    let diagonals: Vec<f64> = meshes.iter().map(|mesh| mesh.diagonal()).collect();
    let area: f64 = meshes.iter().filter_map(|mesh| mesh.surface()).map(|surface| surface.volume).sum();
    // a cell that the surface crosses leaves about three triangles
    let mut size = (3.0 * area / most.max(1) as f64).sqrt();
    let mut sizes = Vec::new();
    for attempt in 0..ATTEMPTS {
        let small = |d: &f64| if attempt + 1 < ATTEMPTS { size.min(d / LEAST_CELLS) } else { size };
        sizes = diagonals.iter().map(small).collect();
        let left: usize = meshes.iter().zip(&sizes).map(|(mesh, size)| mesh.left(*size)).sum();
        let excess = left as f64 / most.max(1) as f64;
        if (0.8..=1.0).contains(&excess) || (left <= most && attempt + 2 >= ATTEMPTS) {
            break;
        }
        // a little more than needed, so that it ends
        size *= (excess.max(1e-3) * 1.05).sqrt().clamp(0.2, 5.0);
    }
    Some(sizes)
}
