//! Which points of which bodies are one: occurrences of points on bodies, joined and kept apart.
//!
//! A point that several bodies list is one node: they share it. A sliding joint at such a point keeps
//! its two sides apart. A joint between differently named points makes them one. A joint at a point
//! that a body does not list gives that body the point, where it is drawn.

use crate::linalg::vec3::{Vec3, add, norm, scale, sub};
use crate::model::{GROUND, Joint};
use crate::topology::Plain;
use std::collections::{HashMap, HashSet};

/// A body by its index, or the ground.
pub type BodyIndex = Option<usize>;

/// A point on a body.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The body.
    pub body: BodyIndex,
    /// Where the body has it, as drawn (with the body's true length).
    pub at: Vec3,
    /// The named point, if it has a name.
    pub point: Option<usize>,
}

/// All points on bodies, grouped into nodes.
#[derive(Clone, Debug)]
pub struct Features {
    /// Points by name.
    pub point_index: HashMap<String, usize>,
    body_index: HashMap<String, usize>,
    /// All occurrences.
    pub list: Vec<Occurrence>,
    held: HashMap<(BodyIndex, usize), usize>,
    apart: HashSet<usize>,
    parent: Vec<usize>,
    drawn: Vec<Vec3>,
    /// Extent of the drawing, m.
    reach: f64,
    /// Extent of each body's points, m.
    extents: Vec<f64>,
}

/// Points that are drawn nearer together than this part of the drawing are one place, rounded differently.
const ONE_PLACE: f64 = 1e-9;
/// So are all points of a drawing that extends by less than this part of its distance from the origin.
const ROUNDING: f64 = 1e-14;

impl Features {
    /// Lists what bodies hold and joins what they share. The model check has passed.
    pub fn new(plain: Plain<'_>) -> Self {
        let model = plain.model;
        let drawn: Vec<Vec3> = model.points.iter().map(|p| p.position).collect();
        let middle = scale(1.0 / drawn.len().max(1) as f64, drawn.iter().fold([0.0; 3], |s, &p| add(s, p)));
        let extent = drawn.iter().fold(0.0_f64, |s, &p| s.max(norm(sub(p, middle))));
        let distance = drawn.iter().fold(0.0_f64, |s, &p| s.max(norm(add(p, model.origin))));
        let mut features = Features {
            point_index: model.points.iter().enumerate().map(|(i, p)| (p.name.clone(), i)).collect(),
            body_index: model.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect(),
            list: Vec::new(),
            held: HashMap::new(),
            apart: HashSet::new(),
            parent: Vec::new(),
            drawn,
            reach: if extent > ROUNDING * distance { extent } else { 1.0 },
            extents: Vec::new(),
        };
        for name in &model.ground {
            features.hold(None, name);
        }
        for (b, body) in model.bodies.iter().enumerate() {
            for name in &body.points {
                features.hold(Some(b), name);
            }
            if let (Some(length), [p, q]) = (body.length, body.points.as_slice()) {
                features.stretch(b, p, q, length);
            }
            let first = body.points.first().and_then(|p| features.drawn(p));
            let far = |s: f64, x: Vec3| first.map_or(s, |first| s.max(norm(sub(x, first))));
            let extent = body.points.iter().filter_map(|p| features.drawn(p)).fold(0.0, far);
            features.extents.push(extent);
        }
        for joint in &model.joints {
            features.split(joint);
        }
        for parting in plain.expansion.iter().flat_map(|e| e.partings()) {
            features.part(&parting.point, &parting.bodies);
        }
        features.share();
        for joint in &model.joints {
            if !joint.kind().slides() {
                features.join(joint);
            }
        }
        // from now on every way to a representative is one step
        for i in 0..features.list.len() {
            features.parent[i] = features.shorten(i);
        }
        features
    }

    /// The body of a name.
    pub fn body(&self, name: &str) -> BodyIndex {
        if name == GROUND { None } else { self.body_index.get(name).copied() }
    }

    /// How far from a joint between two bodies its auxiliary points are put, m: as far as the drawing
    /// extends, but not much farther than the bodies do. Particles far off a body would drown it in rounding.
    pub fn reach(&self, bodies: [BodyIndex; 2]) -> f64 {
        /// Times the larger body.
        const FARTHEST: f64 = 4.0;
        let larger = bodies.iter().flatten().fold(0.0_f64, |s, &b| s.max(self.extents[b]));
        if larger > ONE_PLACE * self.reach { self.reach.min(FARTHEST * larger) } else { self.reach }
    }

    /// Where a named point is drawn.
    pub fn drawn(&self, name: &str) -> Option<Vec3> {
        self.point_index.get(name).map(|&i| self.drawn[i])
    }

    fn add(&mut self, occurrence: Occurrence) -> usize {
        self.list.push(occurrence);
        self.parent.push(self.parent.len());
        self.list.len() - 1
    }

    fn hold(&mut self, body: BodyIndex, name: &str) -> Option<usize> {
        let &point = self.point_index.get(name)?;
        if let Some(&known) = self.held.get(&(body, point)) {
            return Some(known);
        }
        let new = self.add(Occurrence { body, at: self.drawn[point], point: Some(point) });
        self.held.insert((body, point), new);
        Some(new)
    }

    fn stretch(&mut self, body: usize, p: &str, q: &str, length: f64) {
        let (Some(a), Some(b)) = (self.hold(Some(body), p), self.hold(Some(body), q)) else { return };
        let d = sub(self.list[b].at, self.list[a].at);
        if norm(d) > 0.0 {
            self.list[b].at = add(self.list[a].at, scale(length / norm(d), d));
        }
    }

    /// A sliding joint at a point that both bodies hold: the ground's side, or the first body's, stands
    /// apart from everybody else's.
    fn split(&mut self, joint: &Joint) {
        if !joint.kind().slides() || joint.at[0] != joint.at[1] {
            return;
        }
        let Some(&point) = self.point_index.get(&joint.at[0]) else { return };
        let bodies = [self.body(&joint.bodies[0]), self.body(&joint.bodies[1])];
        let sides: Vec<usize> = bodies.iter().filter_map(|&b| self.held.get(&(b, point)).copied()).collect();
        if let [first, second] = sides[..] {
            self.apart.insert(if bodies[1].is_none() { second } else { first });
        }
    }

    /// Bodies that share a point with each other, but no more with the rest.
    fn part(&mut self, point: &str, bodies: &[String]) {
        let Some(&point) = self.point_index.get(point) else { return };
        let sides: Vec<usize> =
            bodies.iter().filter_map(|b| self.held.get(&(self.body(b), point)).copied()).collect();
        self.apart.extend(&sides);
        for two in sides.windows(2) {
            self.unite(two[0], two[1]);
        }
    }

    fn share(&mut self) {
        let mut first: HashMap<usize, usize> = HashMap::new();
        for i in 0..self.list.len() {
            let Some(point) = self.list[i].point else { continue };
            if self.apart.contains(&i) {
                continue;
            }
            match first.get(&point) {
                Some(&other) => self.unite(i, other),
                None => {
                    first.insert(point, i);
                }
            }
        }
    }

    fn join(&mut self, joint: &Joint) {
        let sides = [0, 1].map(|s| {
            let body = self.body(&joint.bodies[s]);
            self.hold(body, &joint.at[s])
        });
        if let [Some(a), Some(b)] = sides {
            self.unite(a, b);
        }
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.shorten(a), self.shorten(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low;
    }

    /// The representative of an occurrence's node; halves the way there for the next time.
    fn shorten(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// The representative of an occurrence's node.
    pub fn root(&self, mut i: usize) -> usize {
        while self.parent[i] != i {
            i = self.parent[i];
        }
        i
    }

    /// The joint's point on its first (0) or second (1) body, given to the body if it has none.
    pub fn side(&mut self, joint: &Joint, s: usize) -> Option<usize> {
        let body = self.body(&joint.bodies[s]);
        self.hold(body, &joint.at[s])
    }

    /// A nameless point of a body, as drawn.
    pub fn auxiliary(&mut self, body: BodyIndex, at: Vec3) -> usize {
        self.add(Occurrence { body, at, point: None })
    }

    /// The occurrence that stands for each named point in results: the first that is not set apart, or
    /// the first of all.
    pub fn shown(&self) -> Vec<Option<usize>> {
        let mut shown: Vec<Option<usize>> = vec![None; self.drawn.len()];
        for (i, occurrence) in self.list.iter().enumerate() {
            let Some(point) = occurrence.point else { continue };
            let better = match shown[point] {
                None => true,
                Some(known) => self.apart.contains(&known) && !self.apart.contains(&i),
            };
            if better {
                shown[point] = Some(i);
            }
        }
        shown
    }

    /// The occurrence of a named point on a body.
    pub fn on_body(&self, body: BodyIndex, point: &str) -> Option<usize> {
        let &point = self.point_index.get(point)?;
        self.held.get(&(body, point)).copied()
    }
}
