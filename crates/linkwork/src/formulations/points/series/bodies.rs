//! Points and bodies on the tape. Everything is what [`EquivalentBody`](crate::particles::EquivalentBody) and
//! [`Motion`](crate::interactions::Motion) say of an instant, as series:
//!
//!   (B1)  r_node = Σ w x + constant
//!   (B2)  R u = Σ_i (∇N_i·u) r_i                                     linear in the coordinates, but for
//!   (B3)  R u = … + (u·e₁×e₂) R e₁ × R e₂                            the normal of a plate in space
//!   (B4)  forces on the particles for a force and a moment on the body, (P3)–(P5) of the particles
//!
//! A rod in space has no spin: a direction across it is carried the shortest way round, which is no series worth having.

use super::each::Each;
use crate::formulations::Neighbours;
use crate::interactions::{BodyIndex, BodyPoint, Direction};
use crate::linalg::tape::{Builder, Node, Number};
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm};
use crate::mechanism::Mechanism;
use std::collections::BTreeSet;

/// A vector of series.
pub(super) type V = [Node; 3];

/// What can be written as series, or why not.
pub(super) type Covered<T> = Result<T, String>;

/// Forces at centres of mass and moments about them, one for each body.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrenches {
    pub list: Vec<(usize, V, V)>,
}

/// Coordinates, each with what is added up there.
pub(super) type Terms<N> = Vec<Vec<(Node, N)>>;

/// Writes a mechanism onto a tape, its numbers with their derivatives by what its neighbours vary.
pub(super) struct Scribe<'m, N: Number> {
    pub mechanism: &'m Mechanism,
    neighbours: &'m Neighbours<'m>,
    pub tape: Builder<N>,
    /// All coordinates zero.
    zeros: Vec<f64>,
    /// Where the particles of each body are, once asked for.
    particles: Vec<Option<Vec<V>>>,
    /// What bodies feel.
    pub loads: Wrenches,
    /// What coordinates feel.
    pub forces: Terms<N>,
    /// Powers that no potential accounts for.
    pub power: Vec<(Node, N)>,
    /// Whether a law may change within a series' reach in ways that its coefficients do not show.
    pub conceals: bool,
    /// Whether the tape serves instants only: what has corners is then what it is at the instant.
    pub at_instants: bool,
}

impl<'m, N: Number> Scribe<'m, N> {
    pub fn new(neighbours: &'m Neighbours<'m>, at_instants: bool) -> Self {
        let mechanism = neighbours.nominal();
        let n = mechanism.coordinate_count();
        Scribe {
            mechanism,
            neighbours,
            tape: Builder::default(),
            zeros: vec![0.0; n],
            particles: vec![None; mechanism.bodies.len()],
            loads: Wrenches::default(),
            forces: vec![Vec::new(); n],
            power: Vec::new(),
            conceals: false,
            at_instants,
        }
    }

    /// Something of the mechanism and of its neighbours, which plain numbers need not know.
    pub fn each<T>(&self, of: impl Fn(&'m Mechanism) -> T) -> Each<T> {
        let all = self.neighbours.all();
        let known = if N::VARIES { all } else { &all[..1] };
        Each(known.iter().map(|&mechanism| of(mechanism)).collect())
    }

    /// A number with its derivatives.
    pub fn number(&self, each: &Each<f64>) -> N {
        N::with(each.0[0], if N::VARIES { self.neighbours.slopes(&each.0) } else { Vec::new() })
    }

    pub fn numbers(&self, each: &Each<Vec3>) -> [N; 3] {
        std::array::from_fn(|c| self.number(&each.map(|x| x[c])))
    }

    /// Numbers of lists that are as long.
    fn list(&self, each: &Each<Vec<f64>>) -> Vec<N> {
        let n = each.0[0].len();
        (0..n)
            .map(|i| {
                self.number(&Each(
                    each.0.iter().map(|list| list.get(i).copied().unwrap_or(f64::NAN)).collect(),
                ))
            })
            .collect()
    }

    pub fn fixed(&mut self, v: Vec3) -> V {
        v.map(|x| self.tape.constant(x))
    }

    pub fn vector(&mut self, v: &Each<Vec3>) -> V {
        let v = self.numbers(v);
        v.map(|x| self.tape.fixed(x))
    }

    pub fn nothing(&mut self) -> V {
        self.fixed([0.0; 3])
    }

    /// Whether a vector vanishes, whatever is varied.
    pub fn vanishes(&self, v: V) -> bool {
        v.iter().all(|&x| self.tape.is_zero(x))
    }

    /// w a
    pub fn scale(&mut self, w: N, a: Node) -> Node {
        self.tape.weighted(&[(a, w)], N::of(0.0))
    }

    /// Σ w v of weights that may be varied.
    pub fn blend(&mut self, terms: &[(V, N)]) -> V {
        std::array::from_fn(|c| {
            let terms: Vec<_> = terms.iter().map(|(v, w)| (v[c], w.clone())).collect();
            self.tape.weighted(&terms, N::of(0.0))
        })
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

    /// The blocks that a node depends on, of any of the mechanisms, with their weights.
    fn terms_of(&self, node: usize) -> Vec<(usize, N)> {
        let each = self.each(|m| m.maps.terms(node));
        let blocks: BTreeSet<u32> = each.0.iter().flat_map(|terms| terms.iter().map(|t| t.0)).collect();
        let weight =
            |terms: &[(u32, f64)], b: u32| terms.iter().filter(|t| t.0 == b).map(|t| t.1).sum::<f64>();
        let mut blocks: Vec<u32> = blocks.into_iter().collect();
        // in the order of the nominal mechanism, so that roundings are those of its other sums
        blocks.sort_by_key(|&b| each.0[0].iter().position(|t| t.0 == b).unwrap_or(usize::MAX));
        blocks.into_iter().map(|b| (b as usize, self.number(&each.map(|terms| weight(terms, b))))).collect()
    }

    /// (B1)
    pub fn node(&mut self, node: usize) -> V {
        let columns = self.mechanism.columns();
        let constant = self.numbers(&self.each(|m| m.maps.position(node, &self.zeros)));
        let terms = self.terms_of(node);
        let mut c = 0;
        constant.map(|constant| {
            c += 1;
            if c > columns {
                return self.tape.fixed(constant);
            }
            let terms: Vec<_> =
                terms.iter().map(|(b, w)| (self.tape.input(b * columns + c - 1), w.clone())).collect();
            self.tape.weighted(&terms, constant)
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

    /// Weights of the particles at the centre of mass.
    fn central_weights(&self, b: usize) -> Vec<N> {
        self.list(&self.each(|m| {
            let particles = &m.bodies[b].particles;
            particles.weights(particles.properties.com)
        }))
    }

    /// The centre of mass; of the ground the origin.
    pub fn centre(&mut self, body: BodyIndex) -> V {
        let Some(b) = body else { return self.nothing() };
        let weights = self.central_weights(b);
        let terms: Vec<_> = self.particles(b).into_iter().zip(weights).collect();
        self.blend(&terms)
    }

    /// Σ_i (∇N_i·u) r_i
    fn image(&mut self, b: usize, u: &Each<Vec3>) -> V {
        let bodies = self.each(|m| &m.bodies[b].particles);
        let points = self.particles(b).into_iter().enumerate();
        let terms: Vec<_> = points
            .map(|(i, p)| (p, self.number(&bodies.with(u, |body, u| dot(body.gradient(i), u)))))
            .collect();
        self.blend(&terms)
    }

    /// R u: (B2), (B3).
    pub fn turned(&mut self, body: BodyIndex, u: &Each<Vec3>) -> Covered<V> {
        let Some(b) = body else { return Ok(self.vector(u)) };
        let axes = self.each(|m| m.bodies[b].particles.axes());
        if axes.agree(|axes| axes.len())? == 0 {
            return Ok(self.vector(u)); // a particle does not turn
        }
        let within = axes.with(u, |axes, u| axes.iter().fold([0.0; 3], |s, &e| axpy(s, dot(u, e), e)));
        let mut out = self.image(b, &within);
        let planar = self.planar();
        match axes.first() {
            [_] if planar => {
                // Z × R e beside it
                let along = self.image(b, &axes.map(|axes| axes[0]));
                let side = self.number(&axes.with(u, |axes, u| dot(u, cross([0.0, 0.0, 1.0], axes[0]))));
                let across = [self.scale(N::of(-1.0).times(&side), along[1]), self.scale(side, along[0])];
                let up = self.number(&u.map(|u| u[2]));
                out =
                    [self.tape.add(out[0], across[0]), self.tape.add(out[1], across[1]), self.tape.fixed(up)];
            }
            _ if planar => {
                let up = self.number(&u.map(|u| u[2]));
                out[2] = self.tape.fixed(up);
            }
            [_] => {
                let off = axes.with(u, |axes, u| norm(axpy(u, -dot(u, axes[0]), axes[0])) > 1e-12 * norm(u));
                if off.0.contains(&true) {
                    let name = &self.mechanism.bodies[b].name;
                    return Err(format!("`{name}` is a rod in space, and a direction across it is used"));
                }
            }
            [_, _] => {
                let normal = axes.with(u, |axes, u| {
                    let normal = dot(u, cross(axes[0], axes[1]));
                    if normal.abs() > 1e-15 * norm(u) { normal } else { 0.0 }
                });
                let normal = self.number(&normal);
                if !normal.is(0.0) {
                    let (p, q) = (axes.map(|axes| axes[0]), axes.map(|axes| axes[1]));
                    let (p, q) = (self.image(b, &p), self.image(b, &q));
                    let n = self.cross(p, q);
                    out = self.blend(&[(out, N::of(1.0)), (n, normal)]); // (B3)
                }
            }
            _ => {}
        }
        Ok(out)
    }

    pub fn direction(&mut self, d: &Each<&Direction>) -> Covered<V> {
        let body = d.agree(|d| d.body)?;
        self.turned(body, &d.map(|d| d.u))
    }

    /// R s and r of a place.
    pub fn spot(&mut self, spot: &Each<&BodyPoint>) -> Covered<(V, V)> {
        let body = spot.agree(|spot| spot.body)?;
        let arm = self.turned(body, &spot.map(|spot| spot.s))?;
        let centre = self.centre(body);
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
        let weights = self.central_weights(b);
        let couple =
            if self.vanishes(moment) { vec![self.nothing(); weights.len()] } else { self.couple(b, moment) };
        couple.into_iter().zip(weights).map(|(f, w)| self.blend(&[(f, N::of(1.0)), (force, w)])).collect()
    }

    /// A force at a node, onto the coordinates.
    pub fn push(&self, node: usize, force: V, out: &mut Terms<N>) {
        let columns = self.mechanism.columns();
        for (b, w) in self.terms_of(node) {
            for c in 0..columns {
                if !self.tape.is_zero(force[c]) {
                    out[b * columns + c].push((force[c], w.clone()));
                }
            }
        }
    }
}

impl Wrenches {
    /// Adds a force at an arm from the centre of mass, and a couple. The ground takes everything.
    pub fn add<N: Number>(
        &mut self,
        scribe: &mut Scribe<'_, N>,
        body: BodyIndex,
        arm: V,
        force: V,
        couple: V,
    ) {
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
    pub fn add_to<N: Number>(&self, scribe: &mut Scribe<'_, N>, factor: Node, others: &mut Wrenches) {
        let nothing = scribe.nothing();
        for &(body, force, moment) in &self.list {
            let (force, moment) = (scribe.times(factor, force), scribe.times(factor, moment));
            others.add(scribe, Some(body), nothing, force, moment);
        }
    }
}
