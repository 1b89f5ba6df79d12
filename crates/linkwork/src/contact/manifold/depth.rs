//! Depth of two convex cores that overlap, by a polytope that grows in their difference [bergen2001].
//!
//! D = {y − x} for x of a and y of b holds 0. The least translation of b that parts them is the way from 0 to the nearest border of D,
//! backwards. A polytope of supports in D has faces with outward normals f at distances δ from 0:
//!
//!   (E1)  least δ ≤ depth ≤ h(f),   h(f) the farthest of D along the f of that face
//!
//! The support there joins the polytope until both agree. δ may be negative, as long as 0 is not in the polytope: then it grows towards 0
//! first, so any tetrahedron is a start. Faces of polytopes come out to rounding, after some steps; curved borders quadratically.

use super::distance::{Support, on_triangle};
use super::placed::Convex;
use crate::linalg::vec3::{IDENTITY, Vec3, ZERO, any_perpendicular, axpy, cross, dot, norm, scale, sub};

/// Bounds that agree to this part of the size are one.
const AGREE: f64 = 1e-11;
/// The same for curved surfaces, whose direction is polished afterwards.
const AGREE_CURVED: f64 = 1e-5;
/// What is in the plane of a face up to this part of the size is seen by it.
const FLAT: f64 = 1e-13;
const MAX_POINTS: usize = 96;
const MAX_FACES: usize = 2 * MAX_POINTS;

#[derive(Clone, Copy)]
struct Face {
    corners: [u8; 3],
    normal: Vec3,
    /// δ
    distance: f64,
}

struct Polytope {
    points: [Support; MAX_POINTS],
    count: usize,
    faces: [Face; MAX_FACES],
    face_count: usize,
}

/// The direction from a to b along which the least translation parts them, that translation, and the points that touch then; nothing if one
/// of them is flat.
pub(super) fn depth(pair: [&Convex<'_>; 2]) -> Option<(f64, Vec3, [Vec3; 2])> {
    let size = pair[0].reach + pair[1].reach;
    let curved = pair[0].is_curved() || pair[1].is_curved();
    let agree = if curved { AGREE_CURVED } else { AGREE };
    let mut polytope = Polytope::start(pair, size)?;
    // the best upper bound so far is the answer if room or rounding ends the search
    let mut best: Option<(f64, Face)> = None;
    loop {
        let face = polytope.nearest();
        let next = Support::along(pair, face.normal);
        let bound = dot(face.normal, next.w);
        if best.is_none_or(|(least, _)| bound < least) {
            best = Some((bound, face));
        }
        if bound - face.distance <= agree * size || !polytope.grow(next, FLAT * size) {
            break;
        }
    }
    let (bound, face) = best?;
    let corners = face.corners.map(|c| polytope.points[usize::from(c)]);
    let foot = scale(face.distance, face.normal);
    let [p, q, r] = corners.map(|c| sub(c.w, foot));
    let weights = on_triangle(p, q, r);
    let of = |i: usize| (0..3).fold(ZERO, |x, k| axpy(x, weights[k], corners[k].of[i]));
    Some((bound, scale(-1.0, face.normal), [of(0), of(1)]))
}

impl Polytope {
    /// A tetrahedron of supports with some volume.
    fn start(pair: [&Convex<'_>; 2], size: f64) -> Option<Polytope> {
        let least = 1e-9 * size;
        let towards = sub(pair[1].centre, pair[0].centre);
        let first = if norm(towards) > least { scale(-1.0 / norm(towards), towards) } else { IDENTITY[0] };
        let a = Support::along(pair, first);
        let b = [scale(-1.0, first), any_perpendicular(first)];
        let b = farthest(b.map(|d| Support::along(pair, d)), |p| norm(sub(p.w, a.w)));
        let ab = sub(b.w, a.w);
        if norm(ab) <= least {
            return None;
        }
        let u = scale(1.0 / norm(ab), ab);
        let e = any_perpendicular(u);
        let f = cross(u, e);
        let off_line = |p: &Support| norm(cross(u, sub(p.w, a.w)));
        let around = [e, f, scale(-1.0, e), scale(-1.0, f)];
        let c = farthest(around.map(|d| Support::along(pair, d)), off_line);
        if off_line(&c) <= least {
            return None;
        }
        let n = cross(u, sub(c.w, a.w));
        let n = scale(1.0 / norm(n), n);
        let off_plane = |p: &Support| dot(n, sub(p.w, a.w)).abs();
        let d = farthest([n, scale(-1.0, n)].map(|d| Support::along(pair, d)), off_plane);
        if off_plane(&d) <= least {
            return None;
        }
        let mut points = [a; MAX_POINTS];
        (points[1], points[2], points[3]) = (b, c, d);
        let none = Face { corners: [0; 3], normal: ZERO, distance: f64::INFINITY };
        let mut polytope = Polytope { points, count: 4, faces: [none; MAX_FACES], face_count: 0 };
        // outwards: away from d
        let up = dot(n, sub(d.w, a.w)) > 0.0;
        for [i, j, k] in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
            polytope.push(if up { [i, k, j] } else { [i, j, k] });
        }
        Some(polytope)
    }

    fn push(&mut self, corners: [u8; 3]) {
        let [p, q, r] = corners.map(|c| self.points[usize::from(c)].w);
        let n = cross(sub(q, p), sub(r, p));
        let length = norm(n);
        let longest = norm(sub(q, p)).max(norm(sub(r, p)));
        // a needle has no direction: it stays, and is never the nearest
        let (normal, distance) = match length > 1e-14 * longest * longest {
            true => (scale(1.0 / length, n), dot(scale(1.0 / length, n), p)),
            false => (ZERO, f64::INFINITY),
        };
        self.faces[self.face_count] = Face { corners, normal, distance };
        self.face_count += 1;
    }

    fn nearest(&self) -> Face {
        let faces = &self.faces[..self.face_count];
        faces.iter().fold(faces[0], |best, face| if face.distance < best.distance { *face } else { best })
    }

    /// Takes up a point; whether there was room.
    fn grow(&mut self, next: Support, flat: f64) -> bool {
        if self.count == MAX_POINTS {
            return false;
        }
        let new = self.count as u8;
        self.points[self.count] = next;
        self.count += 1;
        let mut horizon = [[0_u8; 2]; MAX_FACES];
        let (mut edges, mut kept) = (0, 0);
        for k in 0..self.face_count {
            let face = self.faces[k];
            if face.distance == f64::INFINITY || dot(face.normal, next.w) - face.distance <= -flat {
                self.faces[kept] = face;
                kept += 1;
                continue;
            }
            let [p, q, r] = face.corners;
            for edge in [[p, q], [q, r], [r, p]] {
                // an edge between two faces that are seen is inside
                match horizon[..edges].iter().position(|e| *e == [edge[1], edge[0]]) {
                    Some(twin) => {
                        edges -= 1;
                        horizon[twin] = horizon[edges];
                    }
                    None if edges < MAX_FACES => {
                        horizon[edges] = edge;
                        edges += 1;
                    }
                    None => return false,
                }
            }
        }
        if kept + edges > MAX_FACES || edges < 3 {
            return false;
        }
        self.face_count = kept;
        for edge in &horizon[..edges] {
            self.push([edge[0], edge[1], new]);
        }
        true
    }
}

fn farthest<const N: usize>(points: [Support; N], by: impl Fn(&Support) -> f64) -> Support {
    points[1..].iter().fold(points[0], |best, p| if by(p) > by(&best) { *p } else { best })
}
