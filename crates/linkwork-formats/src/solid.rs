//! Solids as faces.

use crate::geometry::{Vector, across, add, cross, scaled, sub, unit};
use linkwork_scene::scene::Solid;

/// A flat piece of a surface, counter-clockwise from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its corners, three or four.
    pub corners: Vec<Vector>,
    /// Directions out of the surface at the corners where it is round; one where it is flat.
    pub normals: Vec<Vector>,
}

/// How finely round things are cut.
const AROUND: usize = 24;
const BALL_RINGS: usize = 10;

impl Face {
    fn flat(corners: Vec<Vector>) -> Face {
        let normal = unit(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])));
        Face { corners, normals: vec![normal] }
    }

    /// The middle direction out of it.
    pub fn normal(&self) -> Vector {
        unit(self.normals.iter().fold([0.0; 3], |sum, n| add(sum, *n)))
    }
}

/// The faces of a solid in its body's axes, and whether they close: then the far ones cannot be seen. Planes and lines have none.
/// Bars are cut along their length into pieces no longer than `longest`.
pub fn faces(solid: &Solid, longest: f64) -> (Vec<Face>, bool) {
    match solid {
        Solid::Bar { ends: [a, b], radius } => {
            let along = sub(*b, *a);
            let cuts = cuts(crate::geometry::length(along), longest);
            let mut list = Vec::new();
            for k in 0..cuts {
                let from = add(*a, scaled(along, k as f64 / cuts as f64));
                let to = add(*a, scaled(along, (k + 1) as f64 / cuts as f64));
                list.extend(mantle(from, to, *radius, false));
            }
            list.extend(disc(*a, scaled(unit(along), -1.0), *radius));
            list.extend(disc(*b, unit(along), *radius));
            (list, true)
        }
        Solid::Ball { at, radius } => (ball(*at, *radius), true),
        Solid::Box { at, axes, half } => (box_faces(*at, *axes, *half, longest), true),
        Solid::Cylinder { at, axis, radius, bore, half } => {
            let (from, to) = (sub(*at, scaled(*axis, *half)), add(*at, scaled(*axis, *half)));
            let pieces = cuts(2.0 * half, longest);
            let cut = |k: usize| add(from, scaled(sub(to, from), k as f64 / pieces as f64));
            let mut list: Vec<Face> =
                (0..pieces).flat_map(|k| mantle(cut(k), cut(k + 1), *radius, false)).collect();
            if *bore > 0.0 && bore < radius {
                list.extend(mantle(from, to, *bore, true));
                list.extend(ring(from, scaled(*axis, -1.0), *bore, *radius));
                list.extend(ring(to, *axis, *bore, *radius));
            } else {
                list.extend(disc(from, scaled(*axis, -1.0), *radius));
                list.extend(disc(to, *axis, *radius));
            }
            (list, true)
        }
        Solid::Mesh { vertices, triangles, .. } => {
            let corner = |i: u32| vertices.get(i as usize).copied();
            let list = triangles
                .iter()
                .filter_map(|[a, b, c]| Some(Face::flat(vec![corner(*a)?, corner(*b)?, corner(*c)?])));
            (list.collect(), is_closed(triangles))
        }
        Solid::Surface(surface) => {
            let corners: Vec<Vector> = surface.corners().collect();
            let face = |(triangle, normals): (&[u32; 3], [Vector; 3])| Face {
                corners: triangle.iter().map(|corner| corners[*corner as usize]).collect(),
                normals: normals.to_vec(),
            };
            let list = surface.triangles().iter().zip(surface.normals()).map(face).collect();
            (list, is_closed(surface.triangles()))
        }
        Solid::Tyre { at, axis, radius, width } => (tyre(*at, *axis, *radius, *width), true),
        Solid::Plane { .. } | Solid::Line { .. } => (Vec::new(), false),
    }
}

/// Whether every edge has a face on both sides.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let edges = || triangles.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]);
    let all: std::collections::HashSet<(u32, u32)> = edges().collect();
    !triangles.is_empty() && edges().all(|(a, b)| all.contains(&(b, a)))
}

fn cuts(length: f64, longest: f64) -> usize {
    if longest > 0.0 && longest.is_finite() { (length / longest).ceil().clamp(1.0, 24.0) as usize } else { 1 }
}

/// Directions around an axis, the first again at the end.
fn around(axis: Vector) -> Vec<Vector> {
    let p = across(axis);
    let r = cross(axis, p);
    (0..=AROUND)
        .map(|i| (i % AROUND) as f64 * std::f64::consts::TAU / AROUND as f64)
        .map(|a| add(scaled(p, a.cos()), scaled(r, a.sin())))
        .collect()
}

fn mantle(from: Vector, to: Vector, radius: f64, inside: bool) -> Vec<Face> {
    lathe(
        from,
        unit(sub(to, from)),
        &[[0.0, radius], [crate::geometry::length(sub(to, from)), radius]],
        inside,
    )
}

/// A surface around an axis through (height, radius) pairs, round about the axis and flat along it.
fn lathe(base: Vector, axis: Vector, profile: &[[f64; 2]], inside: bool) -> Vec<Face> {
    let directions = around(axis);
    let at = |[height, radius]: [f64; 2], d: Vector| add(add(base, scaled(axis, height)), scaled(d, radius));
    let mut list = Vec::new();
    for pair in profile.windows(2) {
        let (rise, grow) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
        let normal = |d: Vector| {
            let n = unit(sub(scaled(d, rise), scaled(axis, grow)));
            if inside { scaled(n, -1.0) } else { n }
        };
        for d in directions.windows(2) {
            let mut corners =
                vec![at(pair[0], d[0]), at(pair[0], d[1]), at(pair[1], d[1]), at(pair[1], d[0])];
            let mut normals = vec![normal(d[0]), normal(d[1]), normal(d[1]), normal(d[0])];
            if inside {
                corners.reverse();
                normals.reverse();
            }
            list.push(Face { corners, normals });
        }
    }
    list
}

fn disc(at: Vector, normal: Vector, radius: f64) -> Vec<Face> {
    let directions = around(normal);
    let rim = |d: Vector| add(at, scaled(d, radius));
    directions
        .windows(2)
        .map(|d| Face { corners: vec![at, rim(d[0]), rim(d[1])], normals: vec![normal] })
        .collect()
}

fn ring(at: Vector, normal: Vector, inner: f64, outer: f64) -> Vec<Face> {
    let directions = around(normal);
    let rim = |d: Vector, r: f64| add(at, scaled(d, r));
    directions
        .windows(2)
        .map(|d| Face {
            corners: vec![rim(d[0], inner), rim(d[0], outer), rim(d[1], outer), rim(d[1], inner)],
            normals: vec![normal],
        })
        .collect()
}

fn ball(at: Vector, radius: f64) -> Vec<Face> {
    let directions = around([0.0, 0.0, 1.0]);
    let out = |ring: usize, d: Vector| {
        let a = std::f64::consts::PI * ring as f64 / BALL_RINGS as f64;
        [a.sin() * d[0], a.sin() * d[1], -a.cos()]
    };
    let mut list = Vec::new();
    for ring in 0..BALL_RINGS {
        for d in directions.windows(2) {
            let normals = match ring {
                0 => vec![out(0, d[0]), out(1, d[1]), out(1, d[0])],
                last if last + 1 == BALL_RINGS => vec![out(last, d[0]), out(last, d[1]), out(last + 1, d[0])],
                _ => vec![out(ring, d[0]), out(ring, d[1]), out(ring + 1, d[1]), out(ring + 1, d[0])],
            };
            list.push(Face {
                corners: normals.iter().map(|n| add(at, scaled(*n, radius))).collect(),
                normals,
            });
        }
    }
    list
}

fn box_faces(at: Vector, axes: [Vector; 3], half: Vector, longest: f64) -> Vec<Face> {
    let mut list = Vec::new();
    for k in 0..3 {
        for sign in [1.0, -1.0] {
            let normal = scaled(axes[k], sign);
            let (mut u, mut v) = ((k + 1) % 3, (k + 2) % 3);
            if sign < 0.0 {
                (u, v) = (v, u);
            }
            let middle = add(at, scaled(normal, half[k]));
            let corner =
                |x: f64, y: f64| add(middle, add(scaled(axes[u], x * half[u]), scaled(axes[v], y * half[v])));
            let (nu, nv) = (cuts(2.0 * half[u], longest).min(6), cuts(2.0 * half[v], longest).min(6));
            for i in 0..nu {
                for j in 0..nv {
                    let x = [i, i + 1].map(|i| 2.0 * i as f64 / nu as f64 - 1.0);
                    let y = [j, j + 1].map(|j| 2.0 * j as f64 / nv as f64 - 1.0);
                    let corners =
                        vec![corner(x[0], y[0]), corner(x[1], y[0]), corner(x[1], y[1]), corner(x[0], y[1])];
                    list.push(Face { corners, normals: vec![normal] });
                }
            }
        }
    }
    list
}

/// A tyre with rounded shoulders and an open middle.
fn tyre(at: Vector, axis: Vector, radius: f64, width: f64) -> Vec<Face> {
    let (w, rim) = (width / 2.0, 0.62 * radius);
    let base = sub(at, scaled(axis, w));
    let profile = [
        [0.25 * w, rim],
        [0.05 * w, 0.8 * radius],
        [0.2 * w, 0.95 * radius],
        [0.5 * w, radius],
        [1.5 * w, radius],
        [1.8 * w, 0.95 * radius],
        [1.95 * w, 0.8 * radius],
        [1.75 * w, rim],
    ];
    let mut list = lathe(base, axis, &profile, false);
    list.extend(mantle(add(base, scaled(axis, 0.25 * w)), add(base, scaled(axis, 1.75 * w)), rim, true));
    list
}

/// The edges of a solid that are drawn as lines.
pub fn edges(solid: &Solid) -> Vec<Vec<Vector>> {
    match solid {
        Solid::Mesh { vertices, edges, .. } => {
            let corner = |i: u32| vertices.get(i as usize).copied();
            edges.iter().filter_map(|[a, b]| Some(vec![corner(*a)?, corner(*b)?])).collect()
        }
        Solid::Box { at, axes, half } => {
            let corner = |s: [f64; 3]| (0..3).fold(*at, |p, k| add(p, scaled(axes[k], s[k] * half[k])));
            let mut list = Vec::new();
            for k in 0..3 {
                for (p, r) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                    let end = |sign: f64| {
                        let mut s = [0.0; 3];
                        (s[k], s[(k + 1) % 3], s[(k + 2) % 3]) = (sign, p, r);
                        corner(s)
                    };
                    list.push(vec![end(-1.0), end(1.0)]);
                }
            }
            list
        }
        Solid::Line { through } => vec![through.clone()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::dot;

    /// Corners run counter-clockwise about the direction out, and the volume that the faces enclose is right.
    #[test]
    fn exact_faces_look_outwards() {
        let axis = unit([1.0, 2.0, 3.0]);
        let p = across(axis);
        let around = AROUND as f64 / 2.0 * (std::f64::consts::TAU / AROUND as f64).sin(); // area of the polygon, for π
        for (solid, volume, within) in [
            (Solid::Bar { ends: [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0]], radius: 0.5 }, around * 0.25 * 2.0, 1e-9),
            (
                Solid::Box { at: [5.0, 1.0, 0.0], axes: [axis, p, cross(axis, p)], half: [1.0, 2.0, 3.0] },
                48.0,
                1e-9,
            ),
            (
                Solid::Cylinder { at: [0.0; 3], axis, radius: 2.0, bore: 1.0, half: 1.5 },
                around * 3.0 * 3.0,
                1e-9,
            ),
            (Solid::Ball { at: [1.0; 3], radius: 1.0 }, 4.0 / 3.0 * std::f64::consts::PI, 0.4),
        ] {
            let (faces, closed) = faces(&solid, 0.7);
            assert!(closed);
            let mut sum = 0.0;
            for face in &faces {
                for k in 1..face.corners.len() - 1 {
                    let [a, b, c] = [face.corners[0], face.corners[k], face.corners[k + 1]];
                    sum += dot(a, cross(b, c)) / 6.0;
                    assert!(dot(cross(sub(b, a), sub(c, a)), face.normal()) > 0.0, "{solid:?}");
                }
            }
            assert!((sum - volume).abs() <= within, "{solid:?}: {sum} {volume}");
        }
    }
}
