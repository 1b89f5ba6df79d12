//! Vertices of equal place, or in one cell of a lattice.

use std::collections::HashMap;
use std::hash::Hash;

use crate::{Mesh, Part, Vector};

/// Numbers what is equal, in the order in which it first comes.
pub(crate) fn numbered<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> (Vec<u32>, usize) {
    let mut known: HashMap<K, u32> = HashMap::new();
    let numbers = keys
        .map(|key| {
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        })
        .collect();
    (numbers, known.len())
}

/// The cell of a lattice that a place lies in.
pub(crate) fn cell(place: Vector, low: Vector, size: f64) -> [i64; 3] {
    // far too many cells saturate: then they are one
    std::array::from_fn(|k| ((place[k] - low[k]) / size).floor() as i64)
}

impl Mesh {
    /// The same with vertices of one place made one, and without those that no triangle has and triangles without an area.
    pub fn welded(&self) -> Mesh {
        // minus zero is zero
        let keys = self.vertices.iter().map(|place| place.map(|x| (x + 0.0).to_bits()));
        let (numbers, count) = numbered(keys);
        let mut places = vec![[0.0; 3]; count];
        for (number, place) in numbers.iter().zip(&self.vertices) {
            places[*number as usize] = *place;
        }
        self.merged(&numbers, &places, false)
    }

    /// With `numbers[vertex]` in the place of each vertex. Triangles with two equal corners go; of several with the same corners in the same sense one stays, if `once`.
    pub(crate) fn merged(&self, numbers: &[u32], places: &[Vector], once: bool) -> Mesh {
        let mut mesh = Mesh::default();
        let mut new: Vec<Option<u32>> = vec![None; places.len()];
        let mut seen = std::collections::HashSet::new();
        for (triangle, colour) in self.triangles.iter().zip(self.colours()) {
            let [a, b, c] = triangle.map(|vertex| numbers[vertex as usize]);
            if a == b || b == c || c == a {
                continue;
            }
            // the same triangle from its smallest corner on
            let from_least = if a < b && a < c {
                [a, b, c]
            } else if b < c {
                [b, c, a]
            } else {
                [c, a, b]
            };
            if once && !seen.insert(from_least) {
                continue;
            }
            let corners = [a, b, c].map(|number| {
                *new[number as usize].get_or_insert_with(|| {
                    mesh.vertices.push(places[number as usize]);
                    mesh.vertices.len() as u32 - 1
                })
            });
            mesh.triangles.push(corners);
            match mesh.parts.last_mut().filter(|part| part.colour == colour) {
                Some(part) => part.count += 1,
                None => mesh.parts.push(Part { count: 1, colour }),
            }
        }
        mesh
    }

    /// Edges that do not have one triangle on each side, in opposite senses: none where the surface encloses a solid.
    pub fn open_edges(&self) -> usize {
        let mut balance: HashMap<[u32; 2], i64> = HashMap::new();
        for [a, b, c] in self.welded().triangles {
            for [p, q] in [[a, b], [b, c], [c, a]] {
                *balance.entry([p.min(q), p.max(q)]).or_default() += if p < q { 1 } else { -1 };
            }
        }
        balance.values().filter(|sum| **sum != 0).count()
    }
}
