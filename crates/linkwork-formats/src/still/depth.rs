//! What is far is painted first: the order of faces and lines in space, also of those that cross each other.
//!
//! The plane of a face parts all others into those behind it, seen from the eye, and those in front of it; what crosses it is cut in two. What is behind is painted first, then
//! the face, then what is in front. Taken again and again this makes a tree of planes (Fuchs, Kedem and Naylor, 1980), whose order is right for any faces. Faces too small for
//! errors to be seen part nothing: they are sorted by the nearness of their middles within the part of space that they are in.

use super::camera::Camera;
use crate::drawing::{Colour, Element, Pen};
use crate::geometry::{Vector, add, between, cross, dot, length, scaled, sub, unit};

/// Something to be painted.
#[derive(Clone, Debug)]
pub struct Thing {
    pub shape: Shape,
    pub ink: Ink,
    /// So far nearer to the eye it counts, m: edges lie on faces, and joints over what they join.
    pub lift: f64,
}

#[derive(Clone, Debug)]
pub enum Shape {
    /// A flat convex polygon.
    Face(Vec<Vector>),
    /// A line through places.
    Line(Vec<Vector>),
    /// What is painted as a whole.
    Dot(Vector),
}

#[derive(Clone, Debug)]
pub enum Ink {
    Fill(Colour),
    Stroke(Pen),
    /// Of a dot: what it looks like, from back to front.
    Ready(Vec<Element>),
}

/// A face whose extent in the picture is above this, pixels, parts others.
const LARGE: f64 = 14.0;
/// No more faces than this part others: the limit for their extent is raised until they are fewer.
const MOST_PLANES: usize = 1200;
/// So many faces are tried as the next to part the others.
const TRIED: usize = 6;
/// Of many things about so many are asked on which side of such a face they are.
const ASKED: usize = 300;
/// A cut costs as much as so many things that are on one side more than on the other.
const CUT: usize = 8;
/// What is nearer to a plane than this part of the picture's extent lies in it.
const FLAT: f64 = 1e-6;
/// The tree is no deeper than this.
const DEEPEST: usize = 500;

/// The elements of all things, the farthest first.
pub fn back_to_front(things: Vec<Thing>, camera: &Camera) -> Vec<Element> {
    let size = |thing: &Thing| match &thing.shape {
        Shape::Face(corners) => extent(corners, camera),
        _ => 0.0,
    };
    let mut sizes: Vec<f64> = things.iter().map(size).filter(|size| *size > LARGE).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let large = sizes.get(MOST_PLANES).copied().unwrap_or(LARGE);
    let flat = FLAT * camera.extent()[0].max(camera.extent()[1]);
    let mut painter = Painter { camera, large, flat, out: Vec::new() };
    painter.paint(things, 0);
    painter.out
}

fn extent(corners: &[Vector], camera: &Camera) -> f64 {
    let spots: Vec<[f64; 2]> = corners.iter().map(|p| camera.spot(*p)).collect();
    let range = |k: usize| {
        let along = spots.iter().map(|spot| spot[k]);
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    };
    range(0).max(range(1))
}

struct Painter<'a> {
    camera: &'a Camera,
    large: f64,
    flat: f64,
    out: Vec<Element>,
}

/// A plane whose normal looks towards the eye.
#[derive(Clone, Copy)]
struct Plane {
    normal: Vector,
    at: Vector,
}

/// On which side of a plane something is.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Behind,
    In,
    Before,
    Across,
}

impl Painter<'_> {
    fn paint(&mut self, mut things: Vec<Thing>, depth: usize) {
        let Some(plane) = self.plane(&things).filter(|_| depth < DEEPEST) else {
            let middle = |thing: &Thing| self.nearness(thing);
            let mut order: Vec<(f64, Thing)> =
                things.drain(..).map(|thing| (middle(&thing), thing)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            order.into_iter().for_each(|(_, thing)| self.put(thing));
            return;
        };
        let [mut behind, mut level, mut before] = [Vec::new(), Vec::new(), Vec::new()];
        for thing in things {
            match self.side(&thing, plane) {
                Side::Behind => behind.push(thing),
                Side::In => level.push(thing),
                Side::Before => before.push(thing),
                Side::Across => {
                    let [far, near] = self.cut(thing, plane);
                    behind.extend(far);
                    before.extend(near);
                }
            }
        }
        self.paint(behind, depth + 1);
        level.into_iter().for_each(|thing| self.put(thing));
        self.paint(before, depth + 1);
    }

    /// The plane of the large face that cuts few others and has about as many on either side; none where there is no large face.
    fn plane(&self, things: &[Thing]) -> Option<Plane> {
        let large: Vec<Plane> = things.iter().filter_map(|thing| self.plane_of(thing)).collect();
        let step = large.len().div_ceil(TRIED).max(1);
        let cost = |plane: &Plane| {
            let [mut behind, mut before, mut cuts] = [0_usize; 3];
            for thing in things.iter().step_by(things.len() / ASKED + 1) {
                match self.side(thing, *plane) {
                    Side::Behind => behind += 1,
                    Side::Before => before += 1,
                    Side::Across => cuts += 1,
                    Side::In => {}
                }
            }
            CUT * cuts + behind.abs_diff(before)
        };
        large.into_iter().step_by(step).min_by_key(cost)
    }

    fn plane_of(&self, thing: &Thing) -> Option<Plane> {
        let Shape::Face(corners) = &thing.shape else { return None };
        if extent(corners, self.camera) <= self.large {
            return None;
        }
        let normal = unit(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])));
        let towards = dot(normal, self.camera.back());
        // seen edge-on it hides nothing
        (towards.abs() > 1e-6).then(|| Plane { normal: scaled(normal, towards.signum()), at: corners[0] })
    }

    fn height(&self, p: Vector, lift: f64, plane: Plane) -> f64 {
        dot(plane.normal, sub(add(p, scaled(self.camera.back(), lift)), plane.at))
    }

    fn side(&self, thing: &Thing, plane: Plane) -> Side {
        let places: &[Vector] = match &thing.shape {
            Shape::Face(places) | Shape::Line(places) => places,
            Shape::Dot(place) => std::slice::from_ref(place),
        };
        let heights = || places.iter().map(|p| self.height(*p, thing.lift, plane));
        let (low, high) = heights().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        match thing.shape {
            Shape::Face(_) if low >= -self.flat && high <= self.flat => Side::In,
            // a line in the plane is to be seen on it
            _ if low >= -self.flat => Side::Before,
            _ if high <= self.flat => Side::Behind,
            _ => Side::Across,
        }
    }

    /// The parts behind and before a plane; what is too small is not cut, but goes where its middle is.
    fn cut(&self, thing: Thing, plane: Plane) -> [Vec<Thing>; 2] {
        const SMALL: f64 = 1.5;
        let part = |shape: Shape| Thing { shape, ..thing.clone() };
        let height = |p: &Vector| self.height(*p, thing.lift, plane);
        match &thing.shape {
            Shape::Face(corners) if extent(corners, self.camera) > SMALL => {
                let mut halves = [Vec::new(), Vec::new()];
                for (i, p) in corners.iter().enumerate() {
                    let q = &corners[(i + 1) % corners.len()];
                    let (a, b) = (height(p), height(q));
                    if a <= self.flat {
                        halves[0].push(*p);
                    }
                    if a >= -self.flat {
                        halves[1].push(*p);
                    }
                    if (a < -self.flat && b > self.flat) || (a > self.flat && b < -self.flat) {
                        let meets = between(*p, *q, a / (a - b));
                        halves.iter_mut().for_each(|half| half.push(meets));
                    }
                }
                halves.map(|half| if half.len() > 2 { vec![part(Shape::Face(half))] } else { Vec::new() })
            }
            Shape::Line(places) => {
                let mut pieces = [Vec::new(), Vec::new()];
                let mut piece = vec![places[0]];
                for pair in places.windows(2) {
                    let (a, b) = (height(&pair[0]), height(&pair[1]));
                    if a * b < 0.0 {
                        let meets = between(pair[0], pair[1], a / (a - b));
                        piece.push(meets);
                        let done = std::mem::replace(&mut piece, vec![meets]);
                        pieces[usize::from(a > 0.0)].push(part(Shape::Line(done)));
                    }
                    piece.push(pair[1]);
                }
                let last = piece.last().map_or(0.0, height);
                let end = if last == 0.0 { piece.first().map_or(0.0, height) } else { last };
                pieces[usize::from(end > 0.0)].push(part(Shape::Line(piece)));
                pieces
            }
            _ => {
                let middle = self.middle(&thing);
                let before = height(&middle) > 0.0;
                if before { [Vec::new(), vec![thing]] } else { [vec![thing], Vec::new()] }
            }
        }
    }

    fn middle(&self, thing: &Thing) -> Vector {
        match &thing.shape {
            Shape::Dot(place) => *place,
            Shape::Face(places) | Shape::Line(places) => {
                scaled(places.iter().fold([0.0; 3], |sum, p| add(sum, *p)), 1.0 / places.len() as f64)
            }
        }
    }

    fn nearness(&self, thing: &Thing) -> f64 {
        self.camera.nearness(self.middle(thing)) + thing.lift
    }

    fn put(&mut self, thing: Thing) {
        let spots = |places: &[Vector]| places.iter().map(|p| self.camera.spot(*p)).collect::<Vec<_>>();
        match (thing.shape, thing.ink) {
            (_, Ink::Ready(elements)) => self.out.extend(elements),
            (Shape::Face(corners), Ink::Fill(fill)) => {
                // a hair of the same colour closes the seams between neighbours
                let pen = Some(Pen::solid(fill, 0.6));
                let lines = vec![spots(&corners)];
                self.out.push(Element::Path { lines, closed: true, fill: Some(fill), pen });
            }
            (Shape::Line(places), Ink::Stroke(pen)) => {
                // pieces that follow each other at once are one line again
                let line = spots(&places);
                if let Some(Element::Path { lines, closed: false, fill: None, pen: Some(last) }) =
                    self.out.last_mut()
                    && *last == pen
                    && let [before] = &mut lines[..]
                    && before.last() == line.first()
                {
                    before.extend(&line[1..]);
                    return;
                }
                self.out.push(Element::Path { lines: vec![line], closed: false, fill: None, pen: Some(pen) });
            }
            _ => {}
        }
    }
}

/// A line in pieces no longer than `longest`, so that they are sorted one by one.
pub fn pieces(line: &[Vector], longest: f64) -> Vec<Vec<Vector>> {
    let mut pieces: Vec<Vec<Vector>> = Vec::new();
    let (mut piece, mut long): (Vec<Vector>, f64) = (Vec::new(), 0.0);
    for pair in line.windows(2) {
        let cuts = (length(sub(pair[1], pair[0])) / longest).ceil().clamp(1.0, 100.0) as usize;
        for k in 0..cuts {
            let [a, b] = [k, k + 1].map(|k| between(pair[0], pair[1], k as f64 / cuts as f64));
            if piece.is_empty() {
                piece.push(a);
            }
            piece.push(b);
            long += length(sub(b, a));
            if long > 0.5 * longest {
                pieces.push(std::mem::take(&mut piece));
                long = 0.0;
            }
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}
