//! The surface of a mesh: the faces that belong to one element only, as triangles.

use super::mesh::Mesh;
use std::collections::HashMap;

/// A surface of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Its corners, by their places among the nodes.
    pub nodes: Vec<usize>,
    /// Triangles by their places among the corners, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Nodes at the corners of a face, and in the middle of its edges.
type Face = (Vec<usize>, Vec<usize>);

impl Surface {
    /// That of a mesh. Faces with nodes on their edges are cut through these.
    pub fn of(mesh: &Mesh) -> Self {
        let mut faces: HashMap<Vec<usize>, Option<Face>> = HashMap::new();
        let mut order = Vec::new();
        for element in &mesh.elements {
            for (corners, middles) in element.kind.faces() {
                let node = |k: &usize| element.nodes[*k];
                let (corners, middles): (Vec<usize>, Vec<usize>) =
                    (corners.iter().map(node).collect(), middles.iter().map(node).collect());
                let mut key = corners.clone();
                key.sort_unstable();
                match faces.get_mut(&key) {
                    // between two elements
                    Some(face) => *face = None,
                    None => {
                        faces.insert(key.clone(), Some((corners, middles)));
                        order.push(key);
                    }
                }
            }
        }
        let mut surface = Surface::default();
        let mut places: HashMap<usize, u32> = HashMap::new();
        for key in order {
            let Some(Some((corners, middles))) = faces.get(&key) else { continue };
            for triangle in cut(corners, middles) {
                surface.triangles.push(triangle.map(|node| {
                    *places.entry(node).or_insert_with(|| {
                        surface.nodes.push(node);
                        surface.nodes.len() as u32 - 1
                    })
                }));
            }
        }
        surface
    }
}

/// A face as triangles: a small one at each corner, and what is left in the middle.
fn cut(corners: &[usize], middles: &[usize]) -> Vec<[usize; 3]> {
    let n = corners.len();
    if middles.len() != n {
        return (2..n).map(|k| [corners[0], corners[k - 1], corners[k]]).collect();
    }
    let mut list: Vec<[usize; 3]> =
        (0..n).map(|k| [middles[(k + n - 1) % n], corners[k], middles[k]]).collect();
    list.extend((2..n).map(|k| [middles[0], middles[k - 1], middles[k]]));
    list
}

#[cfg(test)]
mod tests {
    use super::super::mesh::{Element, ElementKind};
    use super::*;

    /// Two bricks of second order on each other: ten of twelve faces are outside, and the surface closes.
    #[test]
    fn exact_surface_of_two_bricks() {
        let mut nodes: Vec<[i32; 3]> = Vec::new();
        let mut brick = |low: i32| -> Element {
            let corner =
                [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2]];
            let corner = corner.map(|[x, y, z]: [i32; 3]| [x, y, z + low]);
            let middles = ElementKind::Hex20.edges();
            let middle = |(a, b): (usize, usize)| std::array::from_fn(|c| (corner[a][c] + corner[b][c]) / 2);
            let all = corner.into_iter().chain(middles.into_iter().map(middle));
            let place = |at: [i32; 3]| {
                nodes.iter().position(|x| *x == at).unwrap_or_else(|| {
                    nodes.push(at);
                    nodes.len() - 1
                })
            };
            Element { kind: ElementKind::Hex20, nodes: all.map(place).collect() }
        };
        let elements = vec![brick(0), brick(2)];
        let surface = Surface::of(&Mesh { elements, material: None });
        assert_eq!(surface.triangles.len(), 10 * 6);
        assert_eq!(surface.nodes.len(), 32);
        let edges: std::collections::HashSet<(u32, u32)> =
            surface.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        assert_eq!(edges.len(), 3 * surface.triangles.len());
        assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
        // the volume by Gauss's theorem
        let at = |k: u32| nodes[surface.nodes[k as usize]].map(f64::from);
        let volume: f64 = surface
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(at);
                crate::linalg::vec3::dot(a, crate::linalg::vec3::cross(b, c)) / 6.0
            })
            .sum();
        assert!((volume - 16.0).abs() < 1e-12, "{volume}");
    }
}
