//! Points and bodies on the tape. Everything is what [`EquivalentBody`](crate::particles::EquivalentBody) and
//! [`Motion`](crate::interactions::Motion) say of an instant, as series:
//!
//!   (B1)  r_node = Σ w x + constant
//!   (B2)  R u = Σ_i (∇N_i·u) r_i                                     linear in the coordinates, but for
//!   (B3)  R u = … + (u·e₁×e₂) R e₁ × R e₂                            the normal of a plate in space
//!   (B4)  forces on the particles for a force and a moment on the body, (P3)–(P5) of the particles
//!
//! A rod in space has no spin: a direction across it is carried the shortest way round, which is no series worth having.

use crate::interactions::{BodyIndex, BodyPoint, Direction};
use crate::linalg::tape::{Builder, Node};
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm};
use crate::mechanism::Mechanism;

/// A vector of series.
pub(super) type V = [Node; 3];

/// What can be written as series, or why not.
pub(super) type Covered<T> = Result<T, String>;

/// Forces at centres of mass and moments about them, one for each body.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrenches {
    pub list: Vec<(usize, V, V)>,
}

/// Writes a mechanism onto a tape.
pub(super) struct Scribe<'m> {
    pub mechanism: &'m Mechanism,
    pub tape: Builder,
    /// All coordinates zero.
    zeros: Vec<f64>,
    /// Where the particles of each body are, once asked for.
    particles: Vec<Option<Vec<V>>>,
    /// What bodies feel.
    pub loads: Wrenches,
    /// What coordinates feel.
    pub forces: Vec<Vec<(Node, f64)>>,
    /// Powers that no potential accounts for.
    pub power: Vec<(Node, f64)>,
    /// Whether a law may change within a series' reach in ways that its coefficients do not show.
    pub conceals: bool,
}

impl<'m> Scribe<'m> {
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let n = mechanism.coordinate_count();
        Scribe {
            mechanism,
            tape: Builder::default(),
            zeros: vec![0.0; n],
            particles: vec![None; mechanism.bodies.len()],
            loads: Wrenches::default(),
            forces: vec![Vec::new(); n],
            power: Vec::new(),
            conceals: false,
        }
    }

    pub fn fixed(&mut self, v: Vec3) -> V {
        v.map(|x| self.tape.constant(x))
    }

    pub fn nothing(&mut self) -> V {
        self.fixed([0.0; 3])
    }

    /// Σ w v
    pub fn combine(&mut self, terms: &[(V, f64)]) -> V {
        std::array::from_fn(|c| {
            let terms: Vec<_> = terms.iter().map(|(v, w)| (v[c], *w)).collect();
            self.tape.sum(&terms, 0.0)
        })
    }

    pub fn plus(&mut self, a: V, b: V) -> V {
        self.combine(&[(a, 1.0), (b, 1.0)])
    }

    pub fn minus(&mut self, a: V, b: V) -> V {
        self.combine(&[(a, 1.0), (b, -1.0)])
    }

    pub fn negative(&mut self, a: V) -> V {
        self.combine(&[(a, -1.0)])
    }

    pub fn times(&mut self, s: Node, a: V) -> V {
        a.map(|x| self.tape.mul(s, x))
    }

    pub fn over(&mut self, a: V, s: Node) -> V {
        let one = self.tape.constant(1.0);
        let inverse = self.tape.div(one, s);
        self.times(inverse, a)
    }

    pub fn dot(&mut self, a: V, b: V) -> Node {
        let terms: [_; 3] = std::array::from_fn(|c| (self.tape.mul(a[c], b[c]), 1.0));
        self.tape.sum(&terms, 0.0)
    }

    pub fn cross(&mut self, a: V, b: V) -> V {
        std::array::from_fn(|c| {
            let (d, e) = ((c + 1) % 3, (c + 2) % 3);
            let (p, q) = (self.tape.mul(a[d], b[e]), self.tape.mul(a[e], b[d]));
            self.tape.sub(p, q)
        })
    }

    pub fn norm(&mut self, a: V) -> Node {
        let square = self.dot(a, a);
        self.tape.sqrt(square)
    }

    pub fn unit(&mut self, a: V) -> V {
        let length = self.norm(a);
        self.over(a, length)
    }

    pub fn rate(&mut self, a: V) -> V {
        a.map(|x| self.tape.rate(x))
    }

    pub fn planar(&self) -> bool {
        self.mechanism.columns() == 2
    }

    /// (B1)
    pub fn node(&mut self, node: usize) -> V {
        let maps = &self.mechanism.maps;
        let columns = self.mechanism.columns();
        let constant = maps.position(node, &self.zeros);
        std::array::from_fn(|c| {
            if c >= columns {
                return self.tape.constant(constant[c]);
            }
            let terms: Vec<_> = maps
                .terms(node)
                .iter()
                .map(|&(b, w)| (self.tape.input(b as usize * columns + c), w))
                .collect();
            self.tape.sum(&terms, constant[c])
        })
    }

    pub fn particles(&mut self, b: usize) -> Vec<V> {
        if let Some(found) = &self.particles[b] {
            return found.clone();
        }
        let nodes = &self.mechanism.bodies[b].nodes;
        let found: Vec<V> = nodes.iter().map(|&n| self.node(n)).collect();
        self.particles[b] = Some(found.clone());
        found
    }

    /// The centre of mass; of the ground the origin.
    pub fn centre(&mut self, body: BodyIndex) -> V {
        let Some(b) = body else { return self.nothing() };
        let particles = &self.mechanism.bodies[b].particles;
        let weights = particles.weights(particles.properties.com);
        let terms: Vec<_> = self.particles(b).into_iter().zip(weights).collect();
        self.combine(&terms)
    }

    /// R u: (B2), (B3).
    pub fn turned(&mut self, body: BodyIndex, u: Vec3) -> Covered<V> {
        let Some(b) = body else { return Ok(self.fixed(u)) };
        let body = &self.mechanism.bodies[b];
        let axes = body.particles.axes();
        if axes.is_empty() {
            return Ok(self.fixed(u)); // a particle does not turn
        }
        let points = self.particles(b);
        let image = |scribe: &mut Self, u: Vec3| {
            let terms: Vec<_> =
                points.iter().enumerate().map(|(i, &p)| (p, dot(body.particles.gradient(i), u))).collect();
            scribe.combine(&terms)
        };
        let within = axes.iter().fold([0.0; 3], |s, &e| axpy(s, dot(u, e), e));
        let mut out = image(self, within);
        let planar = self.planar();
        match axes {
            [e] if planar => {
                // Z × R e beside it
                let side = dot(u, cross([0.0, 0.0, 1.0], *e));
                let along = image(self, *e);
                let across = [self.tape.scale(-side, along[1]), self.tape.scale(side, along[0])];
                out = [
                    self.tape.add(out[0], across[0]),
                    self.tape.add(out[1], across[1]),
                    self.tape.constant(u[2]),
                ];
            }
            _ if planar => out[2] = self.tape.constant(u[2]),
            [e] => {
                let rest = norm(axpy(u, -dot(u, *e), *e));
                if rest > 1e-12 * norm(u) {
                    return Err(format!(
                        "`{}` is a rod in space, and a direction across it is used",
                        body.name
                    ));
                }
            }
            [e, f] => {
                let normal = dot(u, cross(*e, *f));
                if normal.abs() > 1e-15 * norm(u) {
                    let (p, q) = (image(self, *e), image(self, *f));
                    let n = self.cross(p, q);
                    out = self.combine(&[(out, 1.0), (n, normal)]); // (B3)
                }
            }
            _ => {}
        }
        Ok(out)
    }

    pub fn direction(&mut self, d: &Direction) -> Covered<V> {
        self.turned(d.body, d.u)
    }

    /// R s and r of a place.
    pub fn spot(&mut self, spot: &BodyPoint) -> Covered<(V, V)> {
        let arm = self.turned(spot.body, spot.s)?;
        let centre = self.centre(spot.body);
        Ok((arm, self.plus(centre, arm)))
    }

    /// Angular velocity.
    pub fn spin(&mut self, body: BodyIndex) -> V {
        let Some(b) = body else { return self.nothing() };
        let points = self.particles(b);
        let [first, second, rest @ ..] = &points[..] else { return self.nothing() };
        let e1 = self.minus(*second, *first);
        let w1 = self.rate(e1);
        let (square, turn) = (self.dot(e1, e1), self.cross(e1, w1));
        let mut w = self.over(turn, square);
        if let (Some(third), false) = (rest.first(), self.planar()) {
            let e2 = self.minus(*third, *first);
            let (n, v2) = (self.cross(e1, e2), self.rate(e2));
            let swing = self.cross(w, e2);
            let rest = self.minus(v2, swing);
            let (part, nn) = (self.dot(rest, n), self.dot(n, n));
            let part = self.tape.div(part, nn);
            let about = self.times(part, e1);
            w = self.plus(w, about);
        }
        w
    }

    /// Forces on the particles of a body that have this moment: (B4).
    fn couple(&mut self, b: usize, m: V) -> Vec<V> {
        let points = self.particles(b);
        let k = points.len();
        let mut e: Vec<V> = Vec::new();
        for &p in &points[1..] {
            e.push(self.minus(p, points[0]));
        }
        if k == 1 {
            return vec![self.nothing()];
        }
        if k == 2 {
            let square = self.dot(e[0], e[0]);
            let turn = self.cross(m, e[0]);
            let f = self.over(turn, square);
            return vec![self.negative(f), f];
        }
        let normal = self.cross(e[0], e[1]);
        let mut gradients = vec![self.nothing()];
        if k == 3 {
            let square = self.dot(normal, normal);
            for (a, b) in [(e[1], normal), (normal, e[0])] {
                let g = self.cross(a, b);
                gradients.push(self.over(g, square));
            }
        } else {
            let volume = self.dot(e[2], normal);
            for (a, b) in [(e[1], e[2]), (e[2], e[0]), (e[0], e[1])] {
                let g = self.cross(a, b);
                gradients.push(self.over(g, volume));
            }
        }
        let others: Vec<_> = gradients[1..].iter().map(|&g| (g, -1.0)).collect();
        gradients[0] = self.combine(&others);
        let plate = k == 3 && !self.planar();
        let n = if plate { self.unit(normal) } else { normal };
        gradients
            .into_iter()
            .map(|g| match plate {
                true => {
                    let tilt = self.cross(n, m);
                    let (lift, spin) = (self.dot(tilt, g), self.dot(m, n));
                    let (up, round) = (self.times(lift, n), self.cross(n, g));
                    let round = self.times(spin, round);
                    self.combine(&[(up, 1.0), (round, 0.5)])
                }
                false => {
                    let f = self.cross(m, g);
                    self.combine(&[(f, 0.5)])
                }
            })
            .collect()
    }

    /// Forces on the particles of a body for a force and a moment on it.
    pub fn spread(&mut self, b: usize, force: V, moment: V) -> Vec<V> {
        let particles = &self.mechanism.bodies[b].particles;
        let weights = particles.weights(particles.properties.com);
        let turning = moment.iter().any(|&m| self.tape.value(m) != Some(0.0));
        let couple = if turning { self.couple(b, moment) } else { vec![self.nothing(); weights.len()] };
        couple.into_iter().zip(weights).map(|(f, w)| self.combine(&[(f, 1.0), (force, w)])).collect()
    }

    /// A force at a node, onto the coordinates.
    pub fn push(&mut self, node: usize, force: V, out: &mut [Vec<(Node, f64)>]) {
        let columns = self.mechanism.columns();
        for &(b, w) in self.mechanism.maps.terms(node) {
            for c in 0..columns {
                if self.tape.value(force[c]) != Some(0.0) {
                    out[b as usize * columns + c].push((force[c], w));
                }
            }
        }
    }
}

impl Wrenches {
    /// Adds a force at an arm from the centre of mass, and a couple. The ground takes everything.
    pub fn add(&mut self, scribe: &mut Scribe<'_>, body: BodyIndex, arm: V, force: V, couple: V) {
        let Some(body) = body else { return };
        let lever = scribe.cross(arm, force);
        let moment = scribe.plus(lever, couple);
        match self.list.iter_mut().find(|p| p.0 == body) {
            Some(p) => {
                p.1 = scribe.plus(p.1, force);
                p.2 = scribe.plus(p.2, moment);
            }
            None => self.list.push((body, force, moment)),
        }
    }

    /// All of it, times a factor, into others.
    pub fn add_to(&self, scribe: &mut Scribe<'_>, factor: Node, others: &mut Wrenches) {
        let nothing = scribe.nothing();
        for &(body, force, moment) in &self.list {
            let (force, moment) = (scribe.times(factor, force), scribe.times(factor, moment));
            others.add(scribe, Some(body), nothing, force, moment);
        }
    }
}
