//! Surfaces of modal bodies. Large ones are thinned: corners within a cell of a grid become one of them, which takes its displacements along.

use super::Vector;
use super::build::Drawing;
use super::deformable::{ModalBody, Packed};
use linkwork::linalg::vec3::{Vec3, cross, dot, norm, scale, sub, unit};
use linkwork::modal::ModalBasis;
use std::collections::{HashMap, HashSet};

/// Corners times modes that a picture has, so that a page stays small.
const MOST: usize = 40_000;
/// Corners that it has whatever the modes, and no more than.
const FEWEST: usize = 200;
const MANY: usize = 3000;
/// Steps of a displacement and of a stress up to the largest of its mode.
const FINE: f64 = 2047.0;
const COARSE: f64 = 127.0;
/// Faces that meet at an angle of more than this have an edge: cosine of 35°.
const EDGE: f64 = 0.82;

/// The surfaces of all modal bodies whose elements are known.
pub(super) fn surfaces(drawing: &Drawing<'_>) -> Vec<ModalBody> {
    let all = &*drawing.all;
    let body = |modal: &linkwork::mechanism::MechanismModalBody| {
        let basis = modal.basis(all);
        let frame = drawing.body(&modal.name)?;
        surface(basis).map(|body| ModalBody { name: modal.name.clone(), body: frame, ..body })
    };
    all.modal_bodies().iter().filter_map(body).collect()
}

fn surface(basis: &ModalBasis) -> Option<ModalBody> {
    let known = basis.surface.as_ref()?;
    let modes = basis.modes.len();
    let budget = (MOST / modes.max(1)).clamp(FEWEST, MANY);
    let places: Vec<Vec3> = known.nodes.iter().map(|&k| basis.nodes[k]).collect();
    let (kept, triangles) = thinned(&places, &known.triangles, budget);
    let edges_of = edges(&kept.iter().map(|&k| places[k]).collect::<Vec<_>>(), &triangles);
    let (kept, triangles, first) = creased(kept, triangles, &places);
    let vertices: Vec<Vector> = kept.iter().map(|&k| places[k]).collect();
    let edges = edges_of.into_iter().map(|edge| edge.map(|k| first[k as usize])).collect();
    let of_nodes = |shape: &Vec<Vec3>| kept.iter().flat_map(|&k| shape[known.nodes[k]]).collect();
    let displacements: Vec<Vec<f64>> = basis.shapes.iter().map(of_nodes).collect();
    let stresses = basis.stresses.as_ref().map(|modes| {
        let of_corners = |mode: &Vec<[f64; 6]>| kept.iter().flat_map(|&k| mode[k]).collect();
        Packed::new(&modes.iter().map(of_corners).collect::<Vec<Vec<f64>>>(), COARSE)
    });
    Some(ModalBody {
        name: String::new(),
        body: 0,
        modes,
        vertices,
        triangles,
        edges,
        displacements: Packed::new(&displacements, FINE),
        stresses,
    })
}

/// No more corners than the budget, by their places among those given, and the triangles between them.
fn thinned(places: &[Vec3], triangles: &[[u32; 3]], budget: usize) -> (Vec<usize>, Vec<[u32; 3]>) {
    if places.len() <= budget {
        return ((0..places.len()).collect(), triangles.to_vec());
    }
    let low: Vec3 = std::array::from_fn(|c| places.iter().map(|x| x[c]).fold(f64::INFINITY, f64::min));
    let high: Vec3 = std::array::from_fn(|c| places.iter().map(|x| x[c]).fold(f64::NEG_INFINITY, f64::max));
    let size = norm(sub(high, low));
    let clusters = |cell: f64| -> HashMap<[i64; 3], Vec<usize>> {
        let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
        for (k, x) in places.iter().enumerate() {
            cells.entry(std::array::from_fn(|c| ((x[c] - low[c]) / cell) as i64)).or_default().push(k);
        }
        cells
    };
    // the finest grid that is coarse enough
    let (mut fine, mut coarse) = (size / 4000.0, size);
    for _ in 0..30 {
        let middle = (fine * coarse).sqrt();
        if clusters(middle).len() > budget {
            fine = middle;
        } else {
            coarse = middle;
        }
    }
    let mut kept = Vec::new();
    let mut place = vec![0_u32; places.len()];
    let mut cells: Vec<Vec<usize>> = clusters(coarse).into_values().collect();
    cells.sort_unstable();
    for members in cells {
        let sum = members.iter().fold([0.0; 3], |s: Vec3, &k| std::array::from_fn(|c| s[c] + places[k][c]));
        let mean = scale(1.0 / members.len() as f64, sum);
        let off = |k: usize| norm(sub(places[k], mean));
        let nearest = members.iter().copied().min_by(|&a, &b| off(a).total_cmp(&off(b)));
        members.iter().for_each(|&k| place[k] = kept.len() as u32);
        kept.extend(nearest);
    }
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|k| place[k as usize]);
        let mut key = [a, b, c];
        key.sort_unstable();
        if a != b && b != c && c != a && seen.insert(key) {
            left.push([a, b, c]);
        }
    }
    (kept, left)
}

/// Corners at edges once for each side, so that light falls on a side as a whole; and for each corner before which one it has become first.
fn creased(
    kept: Vec<usize>,
    mut triangles: Vec<[u32; 3]>,
    places: &[Vec3],
) -> (Vec<usize>, Vec<[u32; 3]>, Vec<u32>) {
    let normal = |t: &[u32; 3]| {
        let [p, q, r] = t.map(|k| places[kept[k as usize]]);
        unit(cross(sub(q, p), sub(r, p)))
    };
    let normals: Vec<Vec3> = triangles.iter().map(normal).collect();
    // for each corner its sides: a new corner each, and the normals of their faces
    let mut sides: Vec<Vec<(u32, Vec<Vec3>)>> = vec![Vec::new(); kept.len()];
    let mut out = Vec::new();
    for (triangle, normal) in triangles.iter_mut().zip(&normals) {
        for corner in triangle {
            let own = &mut sides[*corner as usize];
            let smooth = own.iter_mut().find(|(_, known)| known.iter().any(|n| dot(*n, *normal) > EDGE));
            let old = kept[*corner as usize];
            *corner = match smooth {
                Some((new, known)) => {
                    known.push(*normal);
                    *new
                }
                None => {
                    own.push((out.len() as u32, vec![*normal]));
                    out.push(old);
                    out.len() as u32 - 1
                }
            };
        }
    }
    let first = sides.iter().map(|own| own.first().map_or(0, |(new, _)| *new)).collect();
    (out, triangles, first)
}

/// Edges at which faces meet at an angle, or where there is one face only.
fn edges(vertices: &[Vector], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut faces: HashMap<[u32; 2], Vec<Vec3>> = HashMap::new();
    let mut order = Vec::new();
    for &[a, b, c] in triangles {
        let [p, q, r] = [a, b, c].map(|k| vertices[k as usize]);
        let normal = unit(cross(sub(q, p), sub(r, p)));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let key = [from.min(to), from.max(to)];
            let known = faces.entry(key).or_default();
            if known.is_empty() {
                order.push(key);
            }
            known.push(normal);
        }
    }
    let sharp = |key: &[u32; 2]| match faces[key][..] {
        [one, other] => dot(one, other) < EDGE,
        _ => true,
    };
    order.into_iter().filter(sharp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fine cube: thinned to a budget it is still a closed surface of nearly its volume, and its edges are those of a cube.
    #[test]
    fn keeps_a_thinned_surface_closed() {
        const N: usize = 20;
        let (mut places, mut triangles) = (Vec::new(), Vec::new());
        let mut index: HashMap<[usize; 3], u32> = HashMap::new();
        let mut corner = |at: [usize; 3]| {
            *index.entry(at).or_insert_with(|| {
                places.push(at.map(|x| x as f64 / N as f64));
                places.len() as u32 - 1
            })
        };
        for axis in 0..3 {
            for side in [0, N] {
                for i in 0..N {
                    for j in 0..N {
                        let at = |u: usize, v: usize| {
                            let mut at = [side; 3];
                            at[(axis + 1) % 3] = i + u;
                            at[(axis + 2) % 3] = j + v;
                            at
                        };
                        let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(&mut corner);
                        triangles.extend(match side {
                            0 => [[a, c, b], [a, d, c]],
                            _ => [[a, b, c], [a, c, d]],
                        });
                    }
                }
            }
        }
        let volume = |vertices: &[Vec3], triangles: &[[u32; 3]]| -> f64 {
            let at = |k: u32| vertices[k as usize];
            triangles.iter().map(|&[a, b, c]| dot(at(a), cross(at(b), at(c))) / 6.0).sum()
        };
        assert!((volume(&places, &triangles) - 1.0).abs() < 1e-12);
        assert_eq!(edges(&places, &triangles).len(), 12 * N);
        let (kept, left) = thinned(&places, &triangles, 300);
        assert!(kept.len() <= 300 && kept.len() > 100, "{}", kept.len());
        let vertices: Vec<Vec3> = kept.iter().map(|&k| places[k]).collect();
        assert!((volume(&vertices, &left) - 1.0).abs() < 0.25, "{}", volume(&vertices, &left));
        let passed: HashSet<(u32, u32)> =
            left.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        let open = passed.iter().filter(|&&(a, b)| !passed.contains(&(b, a))).count();
        assert!(open * 50 <= passed.len(), "{open} of {}", passed.len());
        assert_eq!(thinned(&places, &triangles, places.len()).1, triangles);
        // each corner of the cube three times, those on its edges twice
        let all: Vec<usize> = (0..places.len()).collect();
        let (split, _, _) = creased(all, triangles, &places);
        assert_eq!(split.len() - places.len(), 12 * (N - 1) + 8 * 2);
    }
}
