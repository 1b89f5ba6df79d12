//! Convex hulls of points in space and in the plane.
//!
//! In space by quickhull \[barber1996\]: from a tetrahedron on, the point that lies farthest outside of a face joins the hull, and the faces that
//! it sees are replaced by those through it and their rim. What lies in the plane of a face up to ε = 10⁻¹⁰ of the size is seen, too, so that no needles arise where
//! many points are in a plane, and no point is taken up that is not ε outside. Triangles in one plane are then joined to faces, and corners on
//! a straight edge are left out.

use super::vec3::{Vec3, cross, dot, norm, sub};
use std::collections::HashMap;

/// What is nearer than this part of the size is the same.
const SAME: f64 = 1e-10;

struct Triangle {
    corners: [usize; 3],
    normal: Vec3,
    offset: f64,
    /// Points outside, none of which is outside of an older triangle.
    outside: Vec<usize>,
}

/// Indices of the corners, and faces by their places in that list, counter-clockwise seen from outside.
type Polyhedron = (Vec<usize>, Vec<Vec<u32>>);

/// The corners and faces of the hull; `None` if all points lie in one plane.
pub fn convex_hull(points: &[Vec3]) -> Option<Polyhedron> {
    let (hull, flat) = triangles(points, usize::MAX)?;
    joined(points, &hull, flat)
}

/// Corners of a hull within the hull of all points, at most so many: from a tetrahedron on always the point that lies farthest outside. Also how far outside the
/// farthest point is that was left out.
pub fn hull_of_most(points: &[Vec3], most: usize) -> Option<(Vec<usize>, f64)> {
    let (hull, flat) = triangles(points, most)?;
    let above =
        |t: &Triangle| t.outside.iter().map(|&p| dot(t.normal, points[p]) - t.offset).fold(0.0, f64::max);
    let left_out = hull.iter().map(above).fold(0.0, f64::max);
    let (corners, _) = joined(points, &hull, flat)?;
    Some((corners, left_out))
}

/// The hull in triangles once it has so many corners, and what is nearer than the rest; `None` if all points lie in one plane.
fn triangles(points: &[Vec3], most: usize) -> Option<(Vec<Triangle>, f64)> {
    let farthest = |by: &dyn Fn(Vec3) -> f64| {
        (0..points.len())
            .max_by(|&i, &j| by(points[i]).total_cmp(&by(points[j])))
            .filter(|_| !points.is_empty())
    };
    let origin = *points.first()?;
    let a = farthest(&|x| norm(sub(x, origin)))?;
    let b = farthest(&|x| norm(sub(x, points[a])))?;
    let way = sub(points[b], points[a]);
    let size = norm(way);
    let c = farthest(&|x| norm(cross(way, sub(x, points[a]))))?;
    let across = cross(way, sub(points[c], points[a]));
    let d = farthest(&|x| dot(across, sub(x, points[a])).abs())?;
    let height = dot(across, sub(points[d], points[a]));
    let flat = SAME * size;
    // as lengths: off the line, and off the plane
    if norm(across) <= flat * size || height.abs() <= flat * norm(across) {
        return None;
    }
    let [b, c] = if height > 0.0 { [c, b] } else { [b, c] };
    let mut hull = Vec::new();
    for corners in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
        hull.push(triangle(points, corners));
    }
    let all: Vec<usize> = (0..points.len()).collect();
    share_out(points, &mut hull, 0, all, flat);
    let mut corners = 4;
    while corners < most {
        let Some(apex) = farthest_outside(points, &hull, most < usize::MAX) else { break };
        corners += 1;
        let (seen, kept): (Vec<_>, Vec<_>) =
            hull.into_iter().partition(|t| dot(t.normal, points[apex]) - t.offset > -flat);
        hull = kept;
        let edges: HashMap<[usize; 2], ()> =
            seen.iter().flat_map(|t| (0..3).map(|k| ([t.corners[k], t.corners[(k + 1) % 3]], ()))).collect();
        let first = hull.len();
        // in the order of the faces, so that the same points give the same hull
        for [p, q] in seen.iter().flat_map(|t| (0..3).map(|k| [t.corners[k], t.corners[(k + 1) % 3]])) {
            if !edges.contains_key(&[q, p]) {
                hull.push(triangle(points, [p, q, apex]));
            }
        }
        let orphans = seen.into_iter().flat_map(|t| t.outside).filter(|&p| p != apex).collect();
        share_out(points, &mut hull, first, orphans, flat);
    }
    Some((hull, flat))
}

/// The point that lies farthest outside of the first triangle that has any outside, or of all.
fn farthest_outside(points: &[Vec3], hull: &[Triangle], of_all: bool) -> Option<usize> {
    let above = |t: &Triangle, p: usize| dot(t.normal, points[p]) - t.offset;
    let farthest = |t: &Triangle| {
        let heights = t.outside.iter().map(|&p| (above(t, p), p));
        heights.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut some = hull.iter().filter(|t| !t.outside.is_empty());
    match of_all {
        false => some.next().and_then(farthest).map(|(_, p)| p),
        true => some.filter_map(farthest).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, p)| p),
    }
}

fn triangle(points: &[Vec3], corners: [usize; 3]) -> Triangle {
    let [p, q, r] = corners.map(|c| points[c]);
    let n = cross(sub(q, p), sub(r, p));
    let length = norm(n);
    let normal = n.map(|x| x / length);
    Triangle { corners, normal, offset: dot(normal, p), outside: Vec::new() }
}

/// Gives each point to the first new face that it is outside of; the others are inside for good.
fn share_out(points: &[Vec3], hull: &mut [Triangle], first: usize, list: Vec<usize>, flat: f64) {
    for p in list {
        let outside = |t: &&mut Triangle| dot(t.normal, points[p]) - t.offset > flat;
        if let Some(t) = hull[first..].iter_mut().find(outside) {
            t.outside.push(p);
        }
    }
}

/// Triangles in one plane as one face.
fn joined(points: &[Vec3], hull: &[Triangle], flat: f64) -> Option<Polyhedron> {
    let of: HashMap<[usize; 2], usize> = hull
        .iter()
        .enumerate()
        .flat_map(|(i, t)| (0..3).map(move |k| ([t.corners[k], t.corners[(k + 1) % 3]], i)))
        .collect();
    let mut group = vec![usize::MAX; hull.len()];
    let mut loops: Vec<Vec<usize>> = Vec::new();
    for start in 0..hull.len() {
        if group[start] != usize::MAX {
            continue;
        }
        group[start] = start;
        let mut members = vec![start];
        let mut at = 0;
        // neighbours whose corners all lie in the plane of the first
        while at < members.len() {
            let corners = hull[members[at]].corners;
            for k in 0..3 {
                let other = *of.get(&[corners[(k + 1) % 3], corners[k]])?;
                let level = |&c: &usize| {
                    (dot(hull[start].normal, points[c]) - hull[start].offset).abs() <= 10.0 * flat
                };
                if group[other] == usize::MAX
                    && hull[other].corners.iter().all(level)
                    && dot(hull[other].normal, hull[start].normal) > 0.0
                {
                    group[other] = start;
                    members.push(other);
                }
            }
            at += 1;
        }
        let border: HashMap<usize, usize> = members
            .iter()
            .flat_map(|&t| (0..3).map(move |k| [hull[t].corners[k], hull[t].corners[(k + 1) % 3]]))
            .filter(|[p, q]| group[of[&[*q, *p]]] != start)
            .map(|[p, q]| (p, q))
            .collect();
        let first = *border.keys().min()?;
        let (mut list, mut next) = (vec![first], border[&first]);
        while next != first && list.len() <= border.len() {
            list.push(next);
            next = *border.get(&next)?;
        }
        loops.push(list);
    }
    // a corner of two faces only lies on a straight edge
    let mut faces_of: HashMap<usize, usize> = HashMap::new();
    loops.iter().flatten().for_each(|&c| *faces_of.entry(c).or_default() += 1);
    let mut corners: Vec<usize> = faces_of.iter().filter(|(_, n)| **n > 2).map(|(c, _)| *c).collect();
    corners.sort_unstable();
    let faces = loops.into_iter().map(|list| {
        list.into_iter()
            .filter_map(|c| corners.binary_search(&c).ok().map(|k| k as u32))
            .collect::<Vec<u32>>()
    });
    let faces: Vec<Vec<u32>> = faces.filter(|face| face.len() > 2).collect();
    Some((corners, faces))
}

/// The corners of the hull in the x-y plane, counter-clockwise; `None` if all points lie on one line.
pub fn convex_polygon(points: &[Vec3]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| {
        let ([a, b, _], [c, d, _]) = (points[i], points[j]);
        a.total_cmp(&c).then(b.total_cmp(&d)).then(i.cmp(&j))
    });
    let low = points.iter().fold([f64::INFINITY; 2], |l, p| [l[0].min(p[0]), l[1].min(p[1])]);
    let high = points.iter().fold([f64::NEG_INFINITY; 2], |h, p| [h[0].max(p[0]), h[1].max(p[1])]);
    let flat = SAME * (high[0] - low[0]).hypot(high[1] - low[1]);
    // monotone chain: below from left to right, then above and back
    let mut chain: Vec<usize> = Vec::new();
    let turns = |p: usize, q: usize, r: usize| {
        let [u, w] = [sub(points[q], points[p]), sub(points[r], points[p])];
        u[0] * w[1] - u[1] * w[0] > flat * u[0].hypot(u[1]).max(w[0].hypot(w[1]))
    };
    for pass in 0..2 {
        let start = chain.len();
        let list: Vec<usize> = if pass == 0 { order.clone() } else { order.iter().rev().copied().collect() };
        for p in list {
            while chain.len() >= start + 2 && !turns(chain[chain.len() - 2], chain[chain.len() - 1], p) {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
    }
    (chain.len() > 2).then_some(chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1, the same every time.
    fn random(count: usize, mut seed: u64) -> Vec<Vec3> {
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| [next(), next(), next()]).collect()
    }

    /// Corners, edges and faces; all points are inside, and Euler's formula holds.
    fn counts(points: &[Vec3]) -> [usize; 3] {
        let (corners, faces) = convex_hull(points).unwrap();
        let at = |c: u32| points[corners[c as usize]];
        let size = points.iter().map(|&p| norm(p)).fold(0.0, f64::max);
        for face in &faces {
            let n = (1..face.len() - 1).fold([0.0; 3], |n: Vec3, k| {
                let c = cross(sub(at(face[k]), at(face[0])), sub(at(face[k + 1]), at(face[0])));
                [n[0] + c[0], n[1] + c[1], n[2] + c[2]]
            });
            let length = norm(n);
            for &p in points {
                assert!(dot(n, sub(p, at(face[0]))) <= 1e-8 * size * length, "{p:?} is outside");
            }
        }
        let edges = faces.iter().map(Vec::len).sum::<usize>() / 2;
        assert_eq!(corners.len() + faces.len(), edges + 2, "Euler");
        [corners.len(), edges, faces.len()]
    }

    #[test]
    fn exact_cubes() {
        let cube: Vec<Vec3> =
            (0..8).map(|n| std::array::from_fn(|k| if n >> k & 1 == 0 { -0.5 } else { 0.5 })).collect();
        assert_eq!(counts(&cube), [8, 12, 6]);
        // corners twice, points on edges, on faces and inside
        let mut more = cube.clone();
        more.extend(&cube);
        for n in 0..27 {
            more.push([n % 3, n / 3 % 3, n / 9].map(|k| 0.5 * f64::from(k) - 0.5));
        }
        assert_eq!(counts(&more), [8, 12, 6]);
        // in an order that takes points of edges up first, turned, and far from the origin
        more.reverse();
        let (sin, cos) = 0.7_f64.sin_cos();
        let turned: Vec<Vec3> = more
            .iter()
            .map(|[x, y, z]| [cos * x - sin * y + 3.0, sin * x + cos * y - 2.0, z + 5.0])
            .collect();
        assert_eq!(counts(&turned), [8, 12, 6]);
    }

    #[test]
    fn exact_solids() {
        let octahedron: Vec<Vec3> = (0..6)
            .map(|n| {
                std::array::from_fn(|k| {
                    if n / 2 != k {
                        0.0
                    } else if n % 2 == 0 {
                        1.0
                    } else {
                        -1.0
                    }
                })
            })
            .collect();
        assert_eq!(counts(&octahedron), [6, 12, 8]);
        let prism: Vec<Vec3> = (0..40)
            .map(|n| {
                let (y, x) = (std::f64::consts::TAU * f64::from(n / 2) / 20.0).sin_cos();
                [x, y, f64::from(n % 2)]
            })
            .collect();
        assert_eq!(counts(&prism), [40, 60, 22]);
    }

    #[test]
    fn keeps_random_points_inside() {
        for seed in 0..60 {
            let cloud = random(10 + 5 * seed as usize, seed);
            counts(&cloud);
            // on a ball all are corners
            let ball: Vec<Vec3> = cloud.iter().map(|&p| p.map(|x| x / norm(p))).collect();
            assert_eq!(counts(&ball)[0], ball.len());
            // on a lattice many lie in planes
            counts(&cloud.iter().map(|p| p.map(|x| (2.0 * x).round())).collect::<Vec<_>>());
        }
    }

    #[test]
    fn flat_points_have_no_hull() {
        assert!(convex_hull(&[]).is_none() && convex_hull(&[[1.0; 3]; 9]).is_none());
        let flat: Vec<Vec3> = random(20, 5).iter().map(|[x, y, _]| [*x, *y, 2.0 * x - y]).collect();
        assert!(convex_hull(&flat).is_none());
        let line: Vec<Vec3> = (0..5).map(|i| [f64::from(i), 2.0 * f64::from(i), 0.0]).collect();
        assert!(convex_polygon(&line).is_none() && convex_polygon(&line[..2]).is_none());
    }

    #[test]
    fn exact_polygons() {
        let square = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mut points = square.to_vec();
        points.extend([[0.5, 0.0, 0.0], [1.0, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0; 3]]);
        let corners = convex_polygon(&points).unwrap();
        assert_eq!(corners.len(), 4);
        let area = (0..4).map(|k| cross(points[corners[k]], points[corners[(k + 1) % 4]])[2]).sum::<f64>();
        assert_eq!(area, 2.0, "counter-clockwise");
        let round: Vec<Vec3> =
            random(200, 3).iter().map(|p| [p[0] / p[0].hypot(p[1]), p[1] / p[0].hypot(p[1]), 0.0]).collect();
        assert_eq!(convex_polygon(&round).unwrap().len(), 200);
    }
}
