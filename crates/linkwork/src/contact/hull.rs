//! Convex hulls as surfaces: corners, faces and edges, and which of them lie farthest along a direction.

use crate::linalg::hull::{convex_hull, convex_polygon};
use crate::linalg::vec3::{Vec3, ZERO, add, axpy, cross, dot, norm, scale, sub, unit};

/// A convex polyhedron as drawn, from its middle; in the plane a convex polygon.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// In the plane counter-clockwise.
    corners: Vec<Vec3>,
    /// Outward, unit length; none in the plane.
    normals: Vec<Vec3>,
    /// Corners of face k, counter-clockwise seen from outside: `loops[starts[k]..starts[k + 1]]`.
    loops: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<[u32; 2]>,
    reach: f64,
}

impl Hull {
    /// The hull of points in space, and its middle; `None` if they lie in one plane.
    pub fn new(points: &[Vec3]) -> Option<(Hull, Vec3)> {
        let (corners, faces) = convex_hull(points)?;
        let (mut hull, middle) = Hull::around(corners.iter().map(|&k| points[k]).collect());
        hull.starts.push(0);
        for face in faces {
            let at = |k: usize| hull.corners[face[k % face.len()] as usize];
            let around = |k: usize| cross(sub(at(k), at(0)), sub(at(k + 1), at(0)));
            hull.normals.push(unit((1..face.len() - 1).fold(ZERO, |n, k| add(n, around(k)))));
            for (k, &from) in face.iter().enumerate() {
                let to = face[(k + 1) % face.len()];
                if from < to {
                    hull.edges.push([from, to]);
                }
            }
            hull.loops.extend(face);
            hull.starts.push(hull.loops.len() as u32);
        }
        Some((hull, middle))
    }

    /// The hull of points in the x-y plane, and its middle; `None` if they lie on one line.
    pub fn flat(points: &[Vec3]) -> Option<(Hull, Vec3)> {
        let corners = convex_polygon(points)?;
        Some(Hull::around(corners.iter().map(|&k| [points[k][0], points[k][1], 0.0]).collect()))
    }

    fn around(corners: Vec<Vec3>) -> (Hull, Vec3) {
        let sum = corners.iter().fold(ZERO, |sum, &x| add(sum, x));
        let middle = scale(1.0 / corners.len() as f64, sum);
        let corners: Vec<Vec3> = corners.into_iter().map(|x| sub(x, middle)).collect();
        let reach = corners.iter().map(|&x| norm(x)).fold(0.0, f64::max);
        (Hull { corners, reach, ..Hull::default() }, middle)
    }

    /// Its corners, from its middle, as drawn.
    pub fn corners(&self) -> &[Vec3] {
        &self.corners
    }

    /// How many faces it has.
    pub fn faces(&self) -> usize {
        self.normals.len()
    }

    /// Numbers of the corners of a face, counter-clockwise seen from outside.
    pub fn face(&self, k: usize) -> &[u32] {
        &self.loops[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// The outward normal of a face, as drawn.
    pub fn normal(&self, k: usize) -> Vec3 {
        self.normals[k]
    }

    /// Its edges, by the numbers of their corners.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// No corner is farther from the middle, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The corner that lies farthest along d.
    pub(super) fn farthest(&self, d: Vec3) -> usize {
        most(&self.corners, d)
    }

    /// The face that looks along d most.
    pub(super) fn facing(&self, d: Vec3) -> usize {
        most(&self.normals, d)
    }

    /// The edge at the farthest corner along d that lies across d up to an angle; twice the corner if there is none.
    pub(super) fn edge(&self, d: Vec3, angle: f64) -> [usize; 2] {
        let far = self.farthest(d);
        let mut best = ([far, far], angle);
        for edge in self.edges.iter().map(|e| e.map(|c| c as usize)).filter(|e| e.contains(&far)) {
            let way = axpy(self.corners[edge[1]], -1.0, self.corners[edge[0]]);
            let sine = dot(way, d).abs() / norm(way);
            if sine < best.1 {
                best = (edge, sine);
            }
        }
        best.0
    }
}

fn most(list: &[Vec3], d: Vec3) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (k, &x) in list.iter().enumerate() {
        let along = dot(x, d);
        if along > best.1 {
            best = (k, along);
        }
    }
    best.0
}
