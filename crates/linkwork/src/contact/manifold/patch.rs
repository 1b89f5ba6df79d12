//! Contact points from the direction in which two convex surfaces meet: the patch that two faces share, or where edges cross.
//!
//! The face that is most square to the normal is the reference R, with normal m; what looks at it from the other side is the incident I. Seen along m
//! the patch is R ∩ I, and its corners are
//!
//! 1. corners of I over R,
//! 2. corners of R under I,
//! 3. crossings of their borders.
//!
//! Each is a point of I's face or line, with its height above R as gap. A cap is a circle: its corners are points of the rim, and lines are clipped by the
//! circle itself. A corner that lies on a border would be there twice or not at all, as rounding will have it: b's corners count as over a's
//! face up to [`BORDER`] beyond, a's as over b's up to as much within. So the same features give the same points, whichever face is the reference.
//!
//! Where the nearest points are not in the patch, as between crossing edges or beside a border, they are a contact of their own, with
//! their own normal; parallel edges have two.

use super::ContactPoint;
use super::placed::{Border, Convex, Disc, Edge, FACE_CODE, Loop, MAX_CORNERS, RIM_POINTS, edge_code};
use crate::linalg::vec3::{Vec3, ZERO, add, axpy, cross, dot, norm, scale, sub};

/// Width of a border, of the size.
const BORDER: f64 = 1e-6;
/// A patch that misses the nearest points by this part of the size misses them.
pub(super) const EXACT: f64 = 1e-9;
/// Cosine between the normal and a face from which on the face has a patch where the surfaces are apart: 15°.
const ALIGNED: f64 = 0.966;
/// The same where they overlap: 2.6°. There a point of the patch may be deeper along its face than the surfaces are.
const ALIGNED_DEEP: f64 = 0.999;
/// Preference for the first surface's face as reference.
const PREFER: f64 = 1e-12;
/// Edges with a smaller sine between them, or to the plane across the normal, are parallel.
const PARALLEL: f64 = 1e-3;
/// Key of a pair of nearest points that are no features.
const NEAREST: u32 = u32::MAX;

/// How two convex cores meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// From a to b.
    pub normal: Vec3,
    /// Of the cores along it, m.
    pub apart: f64,
    /// The nearest points of the cores, if known.
    pub nearest: Option<[Vec3; 2]>,
}

/// Collects the points of a pair.
pub(super) struct Patch<'a> {
    pub pair: [&'a Convex<'a>; 2],
    pub origin: Vec3,
    pub reach: f64,
    pub out: &'a mut Vec<ContactPoint>,
    /// One of the points of the patch has the gap of the meeting.
    pub exact: bool,
}

/// Which surface is the reference, its outward normal, and the least gap there may be.
struct Reference {
    first: bool,
    normal: Vec3,
    least: f64,
}

impl Patch<'_> {
    /// Points for a meeting, the nearest first.
    pub fn add(&mut self, meeting: &Meeting) {
        let before = self.out.len();
        if !self.faces(meeting) {
            let patch = self.out.len();
            self.edges(meeting);
            self.out[before..].rotate_left(patch - before);
        }
    }

    fn size(&self) -> f64 {
        self.pair[0].reach + self.pair[1].reach
    }

    /// The patch of two faces, or of a face and a line; whether the nearest points are among them.
    pub fn faces(&mut self, meeting: &Meeting) -> bool {
        let n = meeting.normal;
        let directions = [n, scale(-1.0, n)];
        let faces = [0, 1].map(|i| self.pair[i].facing(directions[i]));
        let cosines = [0, 1].map(|i| faces[i].map_or(-1.0, |m| dot(m, directions[i])));
        let first = cosines[0] >= cosines[1] - PREFER;
        let of = usize::from(!first);
        let aligned = if meeting.apart > 0.0 { ALIGNED } else { ALIGNED_DEEP };
        let Some(normal) = faces[of].filter(|_| cosines[of] > aligned) else { return false };
        let reference = Reference { first, normal, least: meeting.apart };
        self.exact = false;
        let [r, i] = [self.pair[of].outline(normal), self.pair[1 - of].outline(scale(-1.0, normal))];
        let size = self.size();
        // b's corners count up to beyond the border of a, a's up to within that of b
        let slack = if first { BORDER * size } else { -BORDER * size };
        let flat = dot(i.normal, normal) < -ALIGNED;
        match (&r.border, &i.border) {
            (Border::Loop(face), Border::Loop(list)) => {
                let sides = Sides::new(face, normal);
                self.lines(
                    &reference,
                    list,
                    &|p, q| sides.clip(p, q, slack),
                    &|t| face.codes[t],
                    face.corners[0],
                );
                if flat && list.count > 2 {
                    let under = Sides::new(list, normal);
                    for (k, &corner) in face.corners().iter().enumerate() {
                        if under.within(corner, -slack) {
                            let at = raise(corner, list.corners[0], i.normal, normal);
                            self.push(&reference, at, face.corners[0], [face.codes[k], FACE_CODE]);
                        }
                    }
                }
            }
            (Border::Disc(disc), Border::Loop(list)) => {
                self.lines(
                    &reference,
                    list,
                    &|p, q| in_disc(disc, normal, p, q, slack),
                    &|_| disc.code(0),
                    disc.centre,
                );
                if flat && list.count > 2 {
                    let under = Sides::new(list, normal);
                    for k in 0..RIM_POINTS {
                        let rim = disc.point(k);
                        if under.within(rim, -slack) {
                            let at = raise(rim, list.corners[0], i.normal, normal);
                            self.push(&reference, at, disc.centre, [disc.code(k), FACE_CODE]);
                        }
                    }
                }
            }
            (Border::Loop(face), Border::Disc(disc)) => {
                let sides = Sides::new(face, normal);
                for k in 0..RIM_POINTS {
                    let rim = disc.point(k);
                    if sides.within(rim, slack) {
                        self.push(&reference, rim, face.corners[0], [FACE_CODE, disc.code(k)]);
                    }
                }
                for k in 0..face.count {
                    let ends = [face.corners[k], face.corners[(k + 1) % face.count]];
                    let [p, q] = ends.map(|x| raise(x, disc.centre, i.normal, normal));
                    let Some(([from, to], _)) = in_disc(disc, i.normal, p, q, -slack) else { continue };
                    let at = |t: f64| axpy(p, t, sub(q, p));
                    let start = if from > 0.0 { edge_code(face.codes[k].into()) } else { face.codes[k] };
                    self.push(&reference, at(from), face.corners[0], [start, FACE_CODE]);
                    if to < 1.0 {
                        let code = edge_code(face.codes[k].into());
                        self.push(&reference, at(to), face.corners[0], [code, edge_code(0)]);
                    }
                }
            }
            (Border::Disc(one), Border::Disc(two)) => self.discs(&reference, one, two, i.normal, slack),
        }
        self.exact
    }

    /// Corners of a face or line, and the crossings of its lines with a border.
    fn lines(
        &mut self,
        reference: &Reference,
        list: &Loop,
        clip: &dyn Fn(Vec3, Vec3) -> Option<([f64; 2], [usize; 2])>,
        code: &dyn Fn(usize) -> u16,
        on: Vec3,
    ) {
        if list.count == 1 {
            if clip(list.corners[0], list.corners[0]).is_some() {
                self.push(reference, list.corners[0], on, [FACE_CODE, list.codes[0]]);
            }
            return;
        }
        let edges = if list.count == 2 { 1 } else { list.count };
        for k in 0..edges {
            let next = (k + 1) % list.count;
            let (p, q) = (list.corners[k], list.corners[next]);
            let Some(([from, to], [enter, leave])) = clip(p, q) else { continue };
            let at = |t: f64| axpy(p, t, sub(q, p));
            let crossing = |side: usize| [edge_code(code(side).into()), edge_code(list.codes[k].into())];
            if from > 0.0 {
                self.push(reference, at(from), on, crossing(enter));
            } else {
                self.push(reference, p, on, [FACE_CODE, list.codes[k]]);
            }
            if to < 1.0 {
                // of the same edge, but not the same point
                let [r, i] = crossing(leave);
                self.push(reference, at(to), on, [r, i ^ 0x2000]);
            } else if list.count == 2 {
                self.push(reference, q, on, [FACE_CODE, list.codes[1]]);
            }
        }
    }

    /// Two caps.
    fn discs(&mut self, reference: &Reference, one: &Disc, two: &Disc, normal: Vec3, slack: f64) {
        let m = reference.normal;
        let inside = |p: Vec3, disc: &Disc, slack: f64| {
            let d = sub(p, disc.centre);
            norm(axpy(d, -dot(d, m), m)) <= disc.radius + slack
        };
        for k in 0..RIM_POINTS {
            let rim = two.point(k);
            if inside(rim, one, slack) {
                self.push(reference, rim, one.centre, [FACE_CODE, two.code(k)]);
            }
            let rim = one.point(k);
            if inside(rim, two, -slack) {
                let at = raise(rim, two.centre, normal, m);
                self.push(reference, at, one.centre, [one.code(k), FACE_CODE]);
            }
        }
        // crossings of the circles
        let d = sub(two.centre, one.centre);
        let d = axpy(d, -dot(d, m), m);
        let length = norm(d);
        if length < 1e-3 * (one.radius + two.radius) {
            return;
        }
        let along = 0.5 * (length + (one.radius * one.radius - two.radius * two.radius) / length);
        let square = one.radius * one.radius - along * along;
        if square > 0.0 {
            let u = scale(1.0 / length, d);
            let w = cross(m, u);
            for (k, side) in [1.0, -1.0].into_iter().enumerate() {
                let at = axpy(axpy(one.centre, along, u), side * square.sqrt(), w);
                let at = raise(at, two.centre, normal, m);
                self.push(reference, at, one.centre, [edge_code(k), edge_code(k)]);
            }
        }
    }

    /// A point of the incident surface over a place of the reference face; codes of the reference and of the incident feature.
    fn push(&mut self, reference: &Reference, at: Vec3, on: Vec3, codes: [u16; 2]) {
        let m = reference.normal;
        let height = dot(m, sub(at, on));
        let [r, i] = if reference.first { [0, 1] } else { [1, 0] };
        let radii = [self.pair[r].radius, self.pair[i].radius];
        self.exact |= (height - reference.least).abs() <= EXACT * self.size();
        let gap = height.max(reference.least) - radii[0] - radii[1];
        if gap >= self.reach {
            return;
        }
        let middle = axpy(at, 0.5 * (radii[0] - radii[1] - height), m);
        let (normal, [a, b]) = match reference.first {
            true => (m, codes),
            false => (scale(-1.0, m), [codes[1], codes[0]]),
        };
        let key = u32::from(a) << 16 | u32::from(b);
        self.out.push(ContactPoint { gap, point: add(self.origin, middle), normal, key });
    }

    /// Points of two edges, or the nearest points.
    pub fn edges(&mut self, meeting: &Meeting) {
        let n = meeting.normal;
        let [a, b] = self.pair;
        let edges = [a.edge(n, PARALLEL), b.edge(scale(-1.0, n), PARALLEL)];
        let ways = edges.map(|e| sub(e.ends[1], e.ends[0]));
        let lengths = ways.map(norm);
        let both = lengths[0] > 0.0 && lengths[1] > 0.0;
        let c = cross(ways[0], ways[1]);
        let sine = if both { norm(c) / (lengths[0] * lengths[1]) } else { 0.0 };
        if both && sine < PARALLEL && self.parallel(meeting, &edges, ways[0], lengths[0]) {
            return;
        }
        let (points, key) =
            match crossed(&edges, ways, c, BORDER * self.size()).filter(|_| both && sine >= PARALLEL) {
                Some(points) => (points, u32::from(edges[0].code) << 16 | u32::from(edges[1].code)),
                None => match meeting.nearest {
                    Some(points) => (points, NEAREST),
                    None => ([edges[0].ends[0], edges[1].ends[0]], NEAREST),
                },
            };
        self.push_pair(meeting, points, meeting.apart, key);
    }

    /// The nearest points alone.
    pub fn nearest(&mut self, meeting: &Meeting) {
        if let Some(points) = meeting.nearest {
            self.push_pair(meeting, points, meeting.apart, NEAREST);
        }
    }

    /// Both ends of the stretch along which two parallel edges lie side by side; whether they do.
    fn parallel(&mut self, meeting: &Meeting, [a, b]: &[Edge; 2], way: Vec3, length: f64) -> bool {
        let u = scale(1.0 / length, way);
        let along = |p: Vec3| dot(u, sub(p, a.ends[0]));
        let [s, t] = b.ends.map(along);
        let (low, low_code, high, high_code) = match s < t {
            true => (s, b.codes[0], t, b.codes[1]),
            false => (t, b.codes[1], s, b.codes[0]),
        };
        let border = BORDER * self.size();
        if low > length - border || high < border {
            return false;
        }
        // b's ends count up to beyond those of a
        let starts = if low >= -border { (low, FACE_CODE, low_code) } else { (0.0, a.codes[0], FACE_CODE) };
        let stops = if high <= length + border {
            (high, FACE_CODE, high_code)
        } else {
            (length, a.codes[1], FACE_CODE)
        };
        for (x, on_a, on_b) in [starts, stops] {
            let p = axpy(a.ends[0], x, u);
            let q = axpy(b.ends[0], (x - s) / (t - s), sub(b.ends[1], b.ends[0]));
            let apart = dot(meeting.normal, sub(q, p)).max(meeting.apart);
            self.push_pair(meeting, [p, q], apart, u32::from(on_a) << 16 | u32::from(on_b));
        }
        true
    }

    fn push_pair(&mut self, meeting: &Meeting, [p, q]: [Vec3; 2], apart: f64, key: u32) {
        let radii = self.pair.map(|c| c.radius);
        let gap = apart - radii[0] - radii[1];
        if gap < self.reach {
            let middle = axpy(scale(0.5, add(p, q)), 0.5 * (radii[0] - radii[1]), meeting.normal);
            let point = add(self.origin, middle);
            self.out.push(ContactPoint { gap, point, normal: meeting.normal, key });
        }
    }
}

/// The points of two edges where they pass each other, if they do.
fn crossed([a, b]: &[Edge; 2], [u, w]: [Vec3; 2], c: Vec3, border: f64) -> Option<[Vec3; 2]> {
    let square = dot(c, c);
    let d = sub(b.ends[0], a.ends[0]);
    let t = dot(cross(d, w), c) / square;
    let s = dot(cross(d, u), c) / square;
    let within = |t: f64, w: Vec3| t * norm(w) >= -border && (t - 1.0) * norm(w) <= border;
    (within(t, u) && within(s, w))
        .then(|| [axpy(a.ends[0], t.clamp(0.0, 1.0), u), axpy(b.ends[0], s.clamp(0.0, 1.0), w)])
}

/// A place moved along m into the plane through `on` with this normal.
fn raise(x: Vec3, on: Vec3, normal: Vec3, m: Vec3) -> Vec3 {
    axpy(x, dot(normal, sub(on, x)) / dot(normal, m), m)
}

/// Sides of a face as seen along a direction, unit vectors across them that point inwards.
struct Sides<'a> {
    list: &'a Loop,
    inward: [Vec3; MAX_CORNERS],
}

impl<'a> Sides<'a> {
    fn new(list: &'a Loop, m: Vec3) -> Self {
        let mut inward = [ZERO; MAX_CORNERS];
        let corner = |k: usize| list.corners[k % list.count];
        // the third corner tells which way round
        let mut area = ZERO;
        for k in 1..list.count - 1 {
            area = add(area, cross(sub(corner(k), corner(0)), sub(corner(k + 1), corner(0))));
        }
        let turn = 1.0_f64.copysign(dot(area, m));
        for (k, inward) in inward.iter_mut().enumerate().take(list.count) {
            let across = cross(m, sub(corner(k + 1), corner(k)));
            let length = norm(across);
            *inward = if length > 0.0 { scale(turn / length, across) } else { ZERO };
        }
        Sides { list, inward }
    }

    fn within(&self, x: Vec3, slack: f64) -> bool {
        (0..self.list.count).all(|k| dot(self.inward[k], sub(x, self.list.corners[k])) >= -slack)
    }

    /// The part of a line over the face, from 0 to 1, and the sides at which it ends.
    fn clip(&self, p: Vec3, q: Vec3, slack: f64) -> Option<([f64; 2], [usize; 2])> {
        let (mut ends, mut sides) = ([0.0, 1.0], [0, 0]);
        for k in 0..self.list.count {
            let [s, t] = [p, q].map(|x| dot(self.inward[k], sub(x, self.list.corners[k])));
            if s < -slack && t < -slack {
                return None;
            }
            // crossings are on the border itself
            if s < -slack && s < t {
                let x = (s / (s - t)).clamp(f64::MIN_POSITIVE, 1.0);
                if x > ends[0] {
                    (ends[0], sides[0]) = (x, k);
                }
            } else if t < -slack && t < s {
                let x = (s / (s - t)).clamp(0.0, 1.0 - f64::EPSILON);
                if x < ends[1] {
                    (ends[1], sides[1]) = (x, k);
                }
            }
        }
        (ends[0] <= ends[1]).then_some((ends, sides))
    }
}

/// The part of a line over a cap, from 0 to 1.
fn in_disc(disc: &Disc, m: Vec3, p: Vec3, q: Vec3, slack: f64) -> Option<([f64; 2], [usize; 2])> {
    let flat = |x: Vec3| axpy(x, -dot(x, m), m);
    let (d, way) = (flat(sub(p, disc.centre)), flat(sub(q, p)));
    let inside = |d: Vec3| norm(d) <= disc.radius + slack;
    let [starts, stops] = [inside(d), inside(add(d, way))];
    if starts && stops {
        return Some(([0.0, 1.0], [0, 1]));
    }
    // crossings are on the rim itself
    let (a, b, c) = (dot(way, way), dot(d, way), dot(d, d) - disc.radius * disc.radius);
    let square = b * b - a * c;
    if square < 0.0 || a == 0.0 {
        return None;
    }
    let from = if starts { 0.0 } else { ((-b - square.sqrt()) / a).max(f64::MIN_POSITIVE) };
    let to = if stops { 1.0 } else { ((-b + square.sqrt()) / a).min(1.0 - f64::EPSILON) };
    (from <= to).then_some(([from, to], [0, 1]))
}
