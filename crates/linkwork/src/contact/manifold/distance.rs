//! Distance of two convex cores by supports, after Gilbert, Johnson and Keerthi [gilbert1988].
//!
//! D = {y − x} for x of a and y of b is convex, and the distance of a and b is that of D from 0. v, the point of a simplex of D next to 0, tends to the
//! nearest one:
//!
//!   (G1)  w = s_b(−v) − s_a(v)                the point of D that lies farthest against v
//!   (G2)  v·w/|v| ≤ distance ≤ |v|            ends when both agree
//!
//! Otherwise w joins the simplex, of which only the face next to 0 is kept.

use super::placed::Convex;
use crate::linalg::vec3::{Vec3, ZERO, add, axpy, cross, dot, scale, sub};

/// Ends where the bounds of the distance's square agree to this.
const AGREE: f64 = 1e-14;
/// The same for curved surfaces, whose direction is polished afterwards.
const AGREE_CURVED: f64 = 1e-7;
/// What is nearer than this part of the size touches.
const TOUCHES: f64 = 1e-9;
/// A tetrahedron of less height, of the size, has no inside.
const FLAT: f64 = 1e-12;
/// Curved surfaces take up to some tens.
const MOST: usize = 128;

/// What is known of the distance of two cores.
#[derive(Clone, Copy, Debug)]
pub(super) enum Distance {
    /// More than asked for.
    Far,
    /// Apart: the distance, the direction from a to b, and the nearest points.
    Apart(f64, Vec3, [Vec3; 2]),
    /// Touching or overlapping.
    Touching,
}

/// A point of D, and the points of a and b that make it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Support {
    pub w: Vec3,
    pub of: [Vec3; 2],
}

impl Support {
    const ZERO: Support = Support { w: ZERO, of: [ZERO; 2] };

    /// The point of D that lies farthest along d.
    pub fn along(pair: [&Convex<'_>; 2], d: Vec3) -> Support {
        let of = [pair[0].support(scale(-1.0, d)), pair[1].support(d)];
        Support { w: sub(of[1], of[0]), of }
    }
}

/// The distance of two cores if it is less than `limit`.
pub(super) fn distance(pair: [&Convex<'_>; 2], limit: f64) -> Distance {
    let touches = TOUCHES * (pair[0].reach + pair[1].reach);
    let curved = pair[0].is_curved() || pair[1].is_curved();
    let agree = if curved { AGREE_CURVED } else { AGREE };
    let start = sub(pair[1].centre, pair[0].centre);
    let start = if dot(start, start) > touches * touches { start } else { [1.0, 0.0, 0.0] };
    let mut simplex = Simplex {
        points: [Support::along(pair, scale(-1.0, start)); 4],
        weights: [1.0, 0.0, 0.0, 0.0],
        count: 1,
    };
    let mut v = simplex.points[0].w;
    let mut square = dot(v, v);
    for _ in 0..MOST {
        if square <= touches * touches {
            return Distance::Touching;
        }
        let next = Support::along(pair, scale(-1.0, v));
        let along = dot(v, next.w);
        if along > 0.0 && along * along > limit * limit * square {
            return Distance::Far;
        }
        // (G2)
        if square - along <= agree * square || simplex.has(&next) {
            break;
        }
        let before = simplex;
        simplex.points[simplex.count] = next;
        simplex.count += 1;
        if !simplex.reduce(FLAT * (pair[0].reach + pair[1].reach)) {
            return Distance::Touching;
        }
        v = simplex.point();
        let now = dot(v, v);
        // rounding: the simplex before was as near as can be
        if now >= square {
            simplex = before;
            v = simplex.point();
            break;
        }
        square = now;
    }
    let length = dot(v, v).sqrt();
    if length <= touches {
        return Distance::Touching;
    }
    if length >= limit {
        return Distance::Far;
    }
    let nearest = [0, 1]
        .map(|i| (0..simplex.count).fold(ZERO, |p, k| axpy(p, simplex.weights[k], simplex.points[k].of[i])));
    Distance::Apart(length, scale(1.0 / length, v), nearest)
}

#[derive(Clone, Copy)]
struct Simplex {
    points: [Support; 4],
    weights: [f64; 4],
    count: usize,
}

impl Simplex {
    fn has(&self, next: &Support) -> bool {
        self.points[..self.count].iter().any(|p| p.w == next.w)
    }

    fn point(&self) -> Vec3 {
        (0..self.count).fold(ZERO, |p, k| axpy(p, self.weights[k], self.points[k].w))
    }

    /// Keeps the part of the simplex next to 0; whether 0 is outside.
    fn reduce(&mut self, flat: f64) -> bool {
        let w: [Vec3; 4] = std::array::from_fn(|k| self.points[k].w);
        match self.count {
            2 => self.keep(&[0, 1], &on_segment(w[0], w[1])),
            3 => self.keep(&[0, 1, 2], &on_triangle(w[0], w[1], w[2])),
            _ => {
                let mut best: Option<(f64, [usize; 3], [f64; 3])> = None;
                for (face, opposite) in [([0, 1, 2], 3), ([0, 2, 3], 1), ([0, 3, 1], 2), ([1, 3, 2], 0)] {
                    let [p, q, r] = face.map(|k| w[k]);
                    let normal = cross(sub(q, p), sub(r, p));
                    // 0 and the opposite corner lie on the same side, and it is clear which
                    let [inner, origin] = [dot(normal, sub(w[opposite], p)), -dot(normal, p)];
                    if inner * origin > 0.0 && inner.abs() > flat * dot(normal, normal).sqrt() {
                        continue;
                    }
                    let weights = on_triangle(p, q, r);
                    let at = add(add(scale(weights[0], p), scale(weights[1], q)), scale(weights[2], r));
                    let square = dot(at, at);
                    if best.is_none_or(|(least, ..)| square < least) {
                        best = Some((square, face, weights));
                    }
                }
                let Some((_, face, weights)) = best else { return false };
                self.keep(&face, &weights);
            }
        }
        true
    }

    fn keep(&mut self, which: &[usize], weights: &[f64]) {
        let old = self.points;
        self.count = 0;
        for (&k, &weight) in which.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            self.points[self.count] = old[k];
            self.weights[self.count] = weight;
            self.count += 1;
        }
        for k in self.count..4 {
            self.points[k] = Support::ZERO;
        }
    }
}

/// Weights of the point of a segment next to 0.
fn on_segment(a: Vec3, b: Vec3) -> [f64; 2] {
    let u = sub(b, a);
    let t = -dot(a, u);
    let length = dot(u, u);
    if t <= 0.0 {
        [1.0, 0.0]
    } else if t >= length {
        [0.0, 1.0]
    } else {
        [1.0 - t / length, t / length]
    }
}

/// Weights of the point of a triangle next to 0, by the regions of its corners and sides [ericson2005].
pub(super) fn on_triangle(a: Vec3, b: Vec3, c: Vec3) -> [f64; 3] {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let (d1, d2) = (-dot(ab, a), -dot(ac, a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (-dot(ab, b), -dot(ac, b));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let (d5, d6) = (-dot(ab, c), -dot(ac, c));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}
