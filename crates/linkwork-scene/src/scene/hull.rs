//! Plates and convex hulls as faces.

use super::{Solid, Vector};
use linkwork::linalg::vec3::{Vec3, any_perpendicular, axpy, cross, dot, norm, sub, unit};
use std::collections::{HashMap, HashSet};
use std::f64::consts::TAU;

/// Points nearer to a plane or a line than this part of their extent lie in it.
const FLAT: f64 = 1e-3;
/// Corners that stand for a quarter of a circle, times four.
const ROUND: u32 = 16;

/// How points lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lie {
    /// In one place.
    Place,
    /// On a line, between these two.
    Line([Vec3; 2]),
    /// In a plane with this normal.
    Plane(Vec3),
    /// In space.
    Space,
}

/// How points lie.
pub(super) fn lie(points: &[Vec3]) -> Lie {
    let Some(&first) = points.first() else { return Lie::Place };
    let far = |from: Vec3| {
        points
            .iter()
            .copied()
            .max_by(|a, b| norm(sub(*a, from)).total_cmp(&norm(sub(*b, from))))
            .unwrap_or(first)
    };
    let a = far(first);
    let b = far(a);
    let size = norm(sub(b, a));
    if size == 0.0 {
        return Lie::Place;
    }
    let along = unit(sub(b, a));
    let off = |p: Vec3| cross(along, sub(p, a));
    let c = points.iter().copied().max_by(|p, q| norm(off(*p)).total_cmp(&norm(off(*q)))).unwrap_or(a);
    if norm(off(c)) <= FLAT * size {
        return Lie::Line([a, b]);
    }
    let normal = unit(off(c));
    match points.iter().all(|p| dot(normal, sub(*p, a)).abs() <= FLAT * size) {
        true => Lie::Plane(normal),
        false => Lie::Space,
    }
}

/// A plate around points of a plane, rounded by a radius.
pub(super) fn plate(points: &[Vec3], normal: Vec3, radius: f64, half: f64) -> Option<Solid> {
    let origin = *points.first()?;
    let e = any_perpendicular(normal);
    let f = cross(normal, e);
    let mut around = Vec::new();
    for &p in points {
        let (x, y) = (dot(e, sub(p, origin)), dot(f, sub(p, origin)));
        for k in 0..ROUND {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(ROUND)).sin_cos();
            around.push([x + radius * cos, y + radius * sin]);
        }
    }
    prism(&convex(around), origin, [e, f, normal], half)
}

/// A plate whose outline runs through points of a plane in order.
pub(super) fn outlined(points: &[Vec3], normal: Vec3, half: f64) -> Option<Solid> {
    let origin = *points.first()?;
    let e = any_perpendicular(normal);
    let f = cross(normal, e);
    let flat: Vec<[f64; 2]> =
        points.iter().map(|p| [dot(e, sub(*p, origin)), dot(f, sub(*p, origin))]).collect();
    prism(&flat, origin, [e, f, normal], half)
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The convex outline of points, counter-clockwise.
fn convex(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let mut outline: Vec<[f64; 2]> = Vec::new();
    for pass in 0..2 {
        let floor = outline.len() + 2;
        for i in 0..points.len() {
            let p = if pass == 0 { points[i] } else { points[points.len() - 1 - i] };
            while outline.len() >= floor
                && turn(outline[outline.len() - 2], outline[outline.len() - 1], p) <= 0.0
            {
                outline.pop();
            }
            outline.push(p);
        }
        outline.pop();
    }
    outline
}

/// Corners of an outline, three to a face.
fn triangles(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let mut faces = Vec::new();
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&i| {
            let [a, b, c] = [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
            let [p, q, r] = [a, b, c].map(|k| outline[k]);
            let within = |k: &usize| {
                let x = outline[*k];
                turn(p, q, x) >= 0.0 && turn(q, r, x) >= 0.0 && turn(r, p, x) >= 0.0
            };
            turn(p, q, r) > 0.0 && !left.iter().filter(|k| ![a, b, c].contains(k)).any(within)
        });
        // an outline that touches itself has none: take any corner
        let i = ear.unwrap_or(0);
        faces.push([left[(i + n - 1) % n], left[i], left[(i + 1) % n]].map(|k| k as u32));
        left.remove(i);
    }
    if let [a, b, c] = left[..] {
        faces.push([a, b, c].map(|k| k as u32));
    }
    faces
}

fn prism(outline: &[[f64; 2]], origin: Vec3, [e, f, normal]: [Vec3; 3], half: f64) -> Option<Solid> {
    if outline.len() < 3 {
        return None;
    }
    let area: f64 =
        (0..outline.len()).map(|i| turn([0.0; 2], outline[i], outline[(i + 1) % outline.len()])).sum();
    let outline: Vec<[f64; 2]> =
        if area < 0.0 { outline.iter().rev().copied().collect() } else { outline.to_vec() };
    let n = outline.len() as u32;
    let mut vertices = Vec::new();
    for side in [-half, half] {
        let at = |p: &[f64; 2]| axpy(axpy(axpy(origin, p[0], e), p[1], f), side, normal);
        vertices.extend(outline.iter().map(at));
    }
    let mut faces = Vec::new();
    let mut edges = Vec::new();
    for [a, b, c] in triangles(&outline) {
        faces.push([a, c, b]);
        faces.push([a + n, b + n, c + n]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        faces.extend([[i, j, j + n], [i, j + n, i + n]]);
        edges.extend([[i, j], [i + n, j + n]]);
        let [p, q, r] = [(i + n - 1) % n, i, j].map(|k| outline[k as usize]);
        let (before, after) = ([q[0] - p[0], q[1] - p[1]], [r[0] - q[0], r[1] - q[1]]);
        let sine = turn([0.0; 2], before, after).abs();
        if sine > 0.5 * (before[0].hypot(before[1]) * after[0].hypot(after[1])) {
            edges.push([i, i + n]);
        }
    }
    Some(Solid::Mesh { vertices, triangles: faces, edges })
}

/// The convex hull of points in space. Points are added one after the other: the faces that one sees are replaced by those between it and their rim.
pub(super) fn hull(points: &[Vec3]) -> Option<Solid> {
    let faces = hull_faces(points)?;
    let mut place: HashMap<usize, u32> = HashMap::new();
    let mut vertices: Vec<Vector> = Vec::new();
    let mut number = |i: usize| {
        *place.entry(i).or_insert_with(|| {
            vertices.push(points[i]);
            vertices.len() as u32 - 1
        })
    };
    let triangles: Vec<[u32; 3]> = faces.iter().map(|face| face.map(&mut number)).collect();
    let normal = |[a, b, c]: [u32; 3], v: &[Vector]| {
        let [a, b, c] = [a, b, c].map(|k| v[k as usize]);
        unit(cross(sub(b, a), sub(c, a)))
    };
    let mut beside: HashMap<[u32; 2], Vec3> = HashMap::new();
    for &face in &triangles {
        let n = normal(face, &vertices);
        for k in 0..3 {
            beside.insert([face[k], face[(k + 1) % 3]], n);
        }
    }
    let sharp = |edge: &[u32; 2]| {
        let other = beside.get(&[edge[1], edge[0]]);
        edge[0] < edge[1] && other.is_none_or(|n| dot(*n, beside[edge]) < 0.999)
    };
    let mut edges: Vec<[u32; 2]> = beside.keys().filter(|edge| sharp(edge)).copied().collect();
    edges.sort_unstable();
    Some(Solid::Mesh { vertices, triangles, edges })
}

fn hull_faces(points: &[Vec3]) -> Option<Vec<[usize; 3]>> {
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        (0..points.len()).max_by(|&i, &j| measure(points[i]).total_cmp(&measure(points[j])))
    };
    let a = farthest(&|p| -p[0])?;
    let b = farthest(&|p| norm(sub(p, points[a])))?;
    let size = norm(sub(points[b], points[a]));
    let along = unit(sub(points[b], points[a]));
    let c = farthest(&|p| norm(cross(along, sub(p, points[a]))))?;
    let normal = unit(cross(along, sub(points[c], points[a])));
    let d = farthest(&|p| dot(normal, sub(p, points[a])).abs())?;
    let height = dot(normal, sub(points[d], points[a]));
    let tolerance = 1e-9 * size;
    if !(height.abs() > tolerance && norm(normal) > 0.5) {
        return None;
    }
    let mut faces = match height < 0.0 {
        true => vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]],
        false => vec![[a, c, b], [a, b, d], [b, c, d], [c, a, d]],
    };
    for (i, &p) in points.iter().enumerate() {
        if [a, b, c, d].contains(&i) {
            continue;
        }
        let sees = |face: &[usize; 3]| {
            let [x, y, z] = face.map(|k| points[k]);
            let n = unit(cross(sub(y, x), sub(z, x)));
            dot(n, sub(p, x)) > tolerance
        };
        let seen: HashSet<usize> = (0..faces.len()).filter(|&k| sees(&faces[k])).collect();
        if seen.is_empty() {
            continue;
        }
        let rims: HashSet<[usize; 2]> = seen
            .iter()
            .flat_map(|&k| (0..3).map(move |e| (k, e)))
            .map(|(k, e)| [faces[k][e], faces[k][(e + 1) % 3]])
            .collect();
        let mut border: Vec<[usize; 2]> =
            rims.iter().filter(|edge| !rims.contains(&[edge[1], edge[0]])).copied().collect();
        border.sort_unstable();
        let mut number = 0..;
        faces.retain(|_| !seen.contains(&number.next().unwrap_or(0)));
        faces.extend(border.into_iter().map(|[x, y]| [x, y, i]));
    }
    Some(faces)
}

/// A cone below its tip.
pub(super) fn cone(tip: Vec3, up: Vec3, height: f64, radius: f64) -> Solid {
    let e = any_perpendicular(up);
    let f = cross(up, e);
    let middle = axpy(tip, -height, up);
    let mut vertices = vec![tip, middle];
    for k in 0..ROUND {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(ROUND)).sin_cos();
        vertices.push(axpy(axpy(middle, radius * cos, e), radius * sin, f));
    }
    let beside = |k: u32| [2 + k, 2 + (k + 1) % ROUND];
    let around = (0..ROUND).map(beside);
    let triangles = around.clone().flat_map(|[a, b]| [[0, a, b], [1, b, a]]).collect();
    Solid::Mesh { vertices, triangles, edges: around.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the volume within faces that all look outwards, and whether every edge has two of them.
    fn closed_volume(solid: &Solid) -> f64 {
        let Solid::Mesh { vertices, triangles, .. } = solid else { panic!("no faces") };
        let mut rims: HashSet<[u32; 2]> = HashSet::new();
        for t in triangles {
            for k in 0..3 {
                assert!(rims.insert([t[k], t[(k + 1) % 3]]), "two faces on one side of an edge");
            }
        }
        assert!(rims.iter().all(|e| rims.contains(&[e[1], e[0]])), "an open edge");
        let six = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| vertices[k as usize]);
            dot(a, cross(b, c))
        };
        triangles.iter().map(six).sum::<f64>() / 6.0
    }

    /// Corners, middles of faces and the centre of a cube of edge 2: volume 8, twelve edges.
    #[test]
    fn exact_hull_of_a_cube() {
        let mut points = vec![[0.0; 3]];
        for x in [-1.0, 0.0, 1.0] {
            for y in [-1.0, 0.0, 1.0] {
                for z in [-1.0, 1.0] {
                    points.push([x, y, z]);
                }
            }
        }
        let solid = hull(&points).unwrap();
        assert!((closed_volume(&solid) - 8.0).abs() < 1e-12);
        let Solid::Mesh { edges, vertices, .. } = &solid else { panic!() };
        assert_eq!((lie(&points), vertices.len() >= 8, edges.is_empty()), (Lie::Space, true, false));
    }

    /// All points of a cloud lie within its hull.
    #[test]
    fn keeps_all_points_within_the_hull() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / f64::from(1u32 << 31)
        };
        let points: Vec<Vec3> = (0..200).map(|_| [random(), random(), random()]).collect();
        let solid = hull(&points).unwrap();
        assert!(closed_volume(&solid) > 0.5);
        let Solid::Mesh { vertices, triangles, .. } = &solid else { panic!() };
        for t in triangles {
            let [a, b, c] = t.map(|k| vertices[k as usize]);
            let n = unit(cross(sub(b, a), sub(c, a)));
            assert!(points.iter().all(|p| dot(n, sub(*p, a)) < 1e-9));
        }
    }

    /// An L of area 3, two thick; clockwise and counter-clockwise.
    #[test]
    fn exact_plate_that_is_not_convex() {
        let mut corners: Vec<Vec3> = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]
            .map(|[x, y]| [x, y, 0.0])
            .to_vec();
        for _ in 0..2 {
            let solid = outlined(&corners, [0.0, 0.0, 1.0], 1.0).unwrap();
            assert!((closed_volume(&solid) - 6.0).abs() < 1e-12);
            corners.reverse();
        }
    }

    #[test]
    fn exact_rounded_plate_about_a_line() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
        assert_eq!(lie(&points), Lie::Line([[3.0, 0.0, 0.0], [0.0; 3]]));
        let solid = plate(&points, [0.0, 0.0, 1.0], 0.5, 0.5).unwrap();
        let circle = 0.5 * f64::from(ROUND) * 0.25 * (TAU / f64::from(ROUND)).sin();
        assert!((closed_volume(&solid) - (3.0 + circle)).abs() < 1e-12);
    }
}
