//! Pairs in the plane: convex polygons with a rounding radius. A disc is a corner, a capsule two, a rectangle four.
//!
//! The direction of the largest σ is the normal of an edge of either, or, where they are apart, the line between two corners. The edge is the
//! reference, the edge of the other that looks at it most the incident; the patch is the stretch along which both lie over each
//! other, and its ends are the points. Corners at the ends of a stretch belong to b where both have one.

use super::super::{Form, Surface};
use super::ContactPoint;
use super::placed::{Convex, Core, FACE_CODE, corner_code};
use crate::interactions::{Motion, motion_of};
use crate::linalg::vec3::{Vec3, add, apply, axpy, dot, norm, scale, sub};

/// Width of a border, of the size.
const BORDER: f64 = 1e-6;
/// Part of the size by which b's edge must be better than a's to be taken, and to which a gap is exact.
const EXACT: f64 = 1e-9;

/// A polygon at an instant, corners counter-clockwise.
struct Polygon<'a> {
    convex: Convex<'a>,
    count: usize,
    /// A rectangle whose axes are left-handed.
    mirrored: bool,
}

impl<'a> Polygon<'a> {
    fn new(surface: &'a Surface, bodies: &'a [Motion], origin: Vec3) -> Self {
        let convex = Convex::new(surface, bodies, origin);
        let (count, mirrored) = match &surface.form {
            Form::Block(block) => {
                let [u, w, _] = block.axes;
                (4, u[0] * w[1] - u[1] * w[0] < 0.0)
            }
            Form::Hull(hull) => (hull.corners().len(), false),
            Form::Capsule { .. } => (2, false),
            _ => (1, false),
        };
        Polygon { convex, count, mirrored }
    }

    fn corner(&self, k: usize) -> Vec3 {
        let k = if k >= self.count { k - self.count } else { k };
        let centre = self.convex.centre;
        match &self.convex.core {
            Core::Segment { along, half } => axpy(centre, if k == 0 { -half } else { *half }, *along),
            Core::Block { axes, half } => {
                let number = self.number(k);
                let side = |i: usize| if number >> i & 1 == 0 { -half[i] } else { half[i] };
                axpy(axpy(centre, side(0), axes[0]), side(1), axes[1])
            }
            Core::Hull { turned, hull } => add(centre, apply(turned, hull.corners()[k])),
            Core::Point | Core::Can { .. } => centre,
        }
    }

    /// The number that a corner is known by.
    fn number(&self, k: usize) -> usize {
        match (&self.convex.core, self.mirrored) {
            (Core::Block { .. }, false) => [0, 1, 3, 2][k % 4],
            (Core::Block { .. }, true) => [0, 2, 3, 1][k % 4],
            _ => k % self.count,
        }
    }

    /// The normal of the edge from corner k on, outwards.
    fn normal(&self, k: usize) -> Vec3 {
        let [x, y, _] = sub(self.corner(k + 1), self.corner(k));
        let length = x.hypot(y);
        [y / length, -x / length, 0.0]
    }

    fn edges(&self) -> usize {
        if self.count > 1 { self.count } else { 0 }
    }

    /// The corner that lies farthest along d.
    fn support(&self, d: Vec3) -> usize {
        let along = |k: usize| dot(d, self.corner(k));
        let mut best = (0, along(0));
        for k in 1..self.count {
            let x = along(k);
            if x > best.1 {
                best = (k, x);
            }
        }
        best.0
    }

    /// The edge that looks along d most.
    fn facing(&self, d: Vec3) -> usize {
        let s = self.support(d);
        if self.count < 3 {
            // both sides of a segment are the same two corners
            return 0;
        }
        let before = (s + self.count - 1) % self.count;
        if dot(self.normal(before), d) > dot(self.normal(s), d) { before } else { s }
    }
}

/// The edge of `of` along whose normal `other` is farthest: how far, which, and the normal.
fn best_edge(of: &Polygon<'_>, other: &Polygon<'_>) -> Option<(f64, usize, Vec3)> {
    let mut best: Option<(f64, usize, Vec3)> = None;
    for k in 0..of.edges() {
        let n = of.normal(k);
        let away = dot(n, sub(other.corner(other.support(scale(-1.0, n))), of.corner(k)));
        if best.is_none_or(|(least, ..)| away > least) {
            best = Some((away, k, n));
        }
    }
    best
}

/// The point of a line next to a place.
fn on_line(p: Vec3, q: Vec3, x: Vec3) -> Vec3 {
    let way = sub(q, p);
    let square = dot(way, way);
    let t = if square > 0.0 { (dot(sub(x, p), way) / square).clamp(0.0, 1.0) } else { 0.0 };
    axpy(p, t, way)
}

/// The nearest points of two polygons that are apart: of each corner of one and each edge of the other.
fn nearest(a: &Polygon<'_>, b: &Polygon<'_>) -> [Vec3; 2] {
    let mut best = ([a.corner(0), b.corner(0)], f64::INFINITY);
    for (one, two, turned) in [(a, b, false), (b, a, true)] {
        for k in 0..one.count {
            for l in 0..two.count {
                let x = two.corner(l);
                let p = on_line(one.corner(k), one.corner(k + 1), x);
                let away = norm(sub(x, p));
                if away < best.1 {
                    best = (if turned { [x, p] } else { [p, x] }, away);
                }
            }
        }
    }
    best.0
}

/// Two surfaces in the plane that are no planes.
pub(super) fn polygons(surfaces: [&Surface; 2], bodies: &[Motion], reach: f64, out: &mut Vec<ContactPoint>) {
    let origin = motion_of(bodies, surfaces[0].body()).c;
    let [a, b] = surfaces.map(|s| Polygon::new(s, bodies, origin));
    let d = sub(b.convex.centre, a.convex.centre);
    let size = a.convex.reach + b.convex.reach;
    if dot(d, d) >= (size + reach) * (size + reach) {
        return;
    }
    let radii = [a.convex.radius, b.convex.radius];
    let limit = reach + radii[0] + radii[1];
    let mut push = |n: Vec3, apart: f64, p: Vec3, q: Vec3, key: u32| {
        if apart < limit {
            let middle = axpy(scale(0.5, add(p, q)), 0.5 * (radii[0] - radii[1]), n);
            let gap = apart - radii[0] - radii[1];
            out.push(ContactPoint { gap, point: add(origin, middle), normal: n, key });
        }
    };
    let (of_a, of_b) = (best_edge(&a, &b), best_edge(&b, &a));
    let sigma = |edge: &Option<(f64, usize, Vec3)>| edge.map_or(f64::NEG_INFINITY, |e| e.0);
    if sigma(&of_a).max(sigma(&of_b)) >= limit {
        return;
    }
    let first = sigma(&of_a) >= sigma(&of_b) - EXACT * size;
    let mut least = f64::INFINITY;
    let best = if first { of_a } else { of_b };
    if let Some((apart, edge, m)) = best {
        let (r, i) = if first { (&a, &b) } else { (&b, &a) };
        for (p, q, codes) in stretch(r, edge, i, m, first, BORDER * size).into_iter().flatten() {
            let height = dot(m, sub(q, p)).max(apart);
            least = least.min(height);
            let key = |[a, b]: [u16; 2]| u32::from(a) << 16 | u32::from(b);
            match first {
                true => push(m, height, p, q, key(codes)),
                false => push(scale(-1.0, m), height, q, p, key([codes[1], codes[0]])),
            }
        }
        if least <= apart + EXACT * size {
            return;
        }
    }
    // apart, and next to each other with corners
    let [p, q] = nearest(&a, &b);
    let d = sub(q, p);
    let length = norm(d);
    if length > EXACT * size {
        push(scale(1.0 / length, d), length, p, q, u32::MAX);
    } else if least == f64::INFINITY {
        let n = best.map_or([0.0, 1.0, 0.0], |(.., m)| if first { m } else { scale(-1.0, m) });
        push(n, 0.0, p, q, u32::MAX);
    }
}

/// Both ends of the stretch along which an edge of r and the one of i that looks at it lie over each other: the points on r and on i, and
/// what they are of.
fn stretch(
    r: &Polygon<'_>,
    edge: usize,
    i: &Polygon<'_>,
    m: Vec3,
    first: bool,
    border: f64,
) -> [Option<(Vec3, Vec3, [u16; 2])>; 2] {
    let (p, q) = (r.corner(edge), r.corner(edge + 1));
    let length = norm(sub(q, p));
    let u = scale(1.0 / length, sub(q, p));
    let facing = i.facing(scale(-1.0, m));
    let ends =
        [facing, facing + 1].map(|k| (dot(u, sub(i.corner(k), p)), i.corner(k), corner_code(i.number(k))));
    let [low, high] = if ends[0].0 <= ends[1].0 { ends } else { [ends[1], ends[0]] };
    // b's corners count up to beyond those of a
    let slack = if first { border } else { -border };
    let under = |x: f64| (axpy(p, x, u), dot(m, sub(low.1, p)), dot(m, sub(high.1, p)));
    let end = |inner: (f64, Vec3, u16), own: (f64, usize), over: bool| {
        if over {
            let foot = axpy(inner.1, -dot(m, sub(inner.1, p)), m);
            return Some((foot, inner.1, [FACE_CODE, inner.2]));
        }
        let x = own.0;
        if high.0 - low.0 <= border || x < low.0 - border || x > high.0 + border {
            return None;
        }
        let (foot, from, to) = under(x);
        let height = from + (to - from) * ((x - low.0) / (high.0 - low.0)).clamp(0.0, 1.0);
        Some((foot, axpy(foot, height, m), [corner_code(r.number(own.1)), FACE_CODE]))
    };
    let within = |x: f64| x >= -slack && x <= length + slack;
    if i.count == 1 {
        return [if within(low.0) { end(low, (0.0, edge), true) } else { None }, None];
    }
    [end(low, (0.0, edge), within(low.0)), end(high, (length, edge + 1), within(high.0))]
}
