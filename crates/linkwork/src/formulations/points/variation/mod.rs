//! Point coordinates differentiated along directions: (V1) and (V2) of [`variational`](crate::formulations::Variational).
//!
//! Rows are quadratic and masses constant, so that δR and δG are sums of products, exact to rounding. With s and w the vectors of a row between nodes, κ its factor,
//! λ its multiplier, r, ṙ, r̈ positions, velocities and accelerations of nodes,
//!
//!   (P1)  Aᵀλ:  κ λ w on the ends of s, κ λ s on those of w;    of a distance κ = 1/L and s = w = d, once
//!   (P2)  G  =  κ (s̈·w + s·ẅ + 2 ṡ·ẇ);                          of a distance κ (d·d̈ + ḋ·ḋ)
//!   (P3)  δr =  Σ w_b δq_b + Σ δw_b q_b + δconstant,   δr̈ = Σ δw_b q̈_b,   δ of a sum over nodes that is brought to the coordinates likewise
//!
//! What a number of the model changes in κ, w_b, masses, constant forces and springs stands in sparse tables ([`Direction`]). Couplings and actions are differentiated
//! on the tape of their series, where they have one of the same shape in all neighbours, and otherwise by whoever calls, along the line ([`Variational::remain`]).
//! Several directions go side by side: the nominal instant is read once for all of them.

mod tables;

use tables::Direction;

use super::Points;
use super::series::tangents::{Held, Into, Written};
use crate::constraints::Constraint;
use crate::formulations::{MotionError, Variational};
use crate::integrate::System;
use crate::linalg::tape::{Changes, Tangents};
use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};
use crate::mechanism::Mechanism;
use tables::RowChange;

/// Directions that go side by side.
#[derive(Clone, Debug)]
pub struct Directions {
    list: Vec<Direction>,
    /// Couplings and actions along them, where these are on a tape.
    tangents: Option<Tangents>,
    /// Whether these have to be differentiated along the line.
    on_line: bool,
}

impl Directions {
    /// Whether what couplings and actions give has to be differentiated along each direction ([`Variational::remain`]).
    pub fn are_on_line(&self) -> bool {
        self.on_line
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Buffers, each for as many directions as go side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Varied {
    /// δr, δṙ and δr̈ of the nodes, three components each.
    r: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// δ(Aᵀλ − f) at nodes.
    felt: Vec<f64>,
    /// −δR, −δG, δu̇, δλ.
    f: Vec<f64>,
    g: Vec<f64>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    power: Vec<f64>,
    /// Aᵀλ − f at nodes, for directions that change what nodes are.
    here: Vec<Vec3>,
    /// How often the solution of the instant was refined.
    refinements: u32,
    /// Couplings and actions, where they are on a tape.
    written: Option<Box<Written>>,
}

/// x += c y
#[inline(always)]
fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    for k in 0..L {
        x[k] += c * y[k];
    }
}

/// The difference of a vector of two nodes.
#[inline(always)]
fn between<const L: usize>(x: &[[f64; L]], from: usize, to: usize) -> [[f64; L]; 3] {
    std::array::from_fn(|c| std::array::from_fn(|k| x[3 * to + c][k] - x[3 * from + c][k]))
}

/// Vᵀ x for a vector of the instant.
#[inline(always)]
fn along<const L: usize>(v: Vec3, x: &[[f64; L]; 3]) -> [f64; L] {
    std::array::from_fn(|k| v[0] * x[0][k] + v[1] * x[1][k] + v[2] * x[2][k])
}

/// Adds c x to one node and takes it from another.
#[inline(always)]
fn pull<const L: usize>(felt: &mut [[f64; L]], from: usize, to: usize, c: f64, x: &[[f64; L]; 3]) {
    for i in 0..3 {
        for k in 0..L {
            let part = c * x[i][k];
            felt[3 * to + i][k] += part;
            felt[3 * from + i][k] -= part;
        }
    }
}

/// The same with one direction only.
#[inline(always)]
fn pull_one<const L: usize>(felt: &mut [[f64; L]], k: usize, [from, to]: [usize; 2], c: f64, x: Vec3) {
    for i in 0..3 {
        felt[3 * to + i][k] += c * x[i];
        felt[3 * from + i][k] -= c * x[i];
    }
}

/// Makes room for vectors of L.
fn room<const L: usize>(list: &mut Vec<f64>, n: usize) -> &mut [[f64; L]] {
    list.resize(n * L, 0.0);
    list.as_chunks_mut::<L>().0
}

impl Points<'_> {
    /// Aᵀλ − f of rows, and of springs if asked for, at the nodes.
    fn felt_here(&self, springs: bool, here: &mut Vec<Vec3>) {
        let mechanism = self.mechanism;
        here.clear();
        here.resize(mechanism.maps.len(), [0.0; 3]);
        let mut put = |node: usize, c: f64, x: Vec3| (0..3).for_each(|i| here[node][i] += c * x[i]);
        let apart = |x: &[Vec3], from: usize, to: usize| sub(x[to], x[from]);
        for (row, &lambda) in mechanism.rows.list.iter().zip(&self.core.lambda) {
            match &row.constraint {
                Constraint::Distance(c) => {
                    let d = apart(&self.r, c.a, c.b);
                    put(c.b, lambda / c.length, d);
                    put(c.a, -lambda / c.length, d);
                }
                Constraint::Dot(c) => {
                    let [a, b, p, q] = c.nodes;
                    let (s, w) = (apart(&self.r, a, b), apart(&self.r, p, q));
                    let kappa = lambda / c.scale;
                    put(b, kappa, w);
                    put(a, -kappa, w);
                    put(q, kappa, s);
                    put(p, -kappa, s);
                }
                Constraint::Linear(c) => {
                    let mut e = [0.0; 3];
                    e[c.component] = 1.0;
                    c.terms.iter().for_each(|&(node, w)| put(node, lambda * w, e));
                }
            }
        }
        for (link, spring) in mechanism.springs_between_nodes().filter(|_| springs) {
            let (f, _) = spring.between(link.nodes.map(|n| self.r[n]), link.nodes.map(|n| self.v[n]));
            put(link.nodes[0], -1.0, f);
            put(link.nodes[1], 1.0, f);
        }
    }

    /// (P3): δr, δṙ and δr̈ of the nodes.
    fn vary_nodes<const L: usize>(
        &self,
        y: &[f64],
        directions: &[Direction],
        s: &[[f64; L]],
        [r, v, a]: [&mut [[f64; L]]; 3],
    ) {
        let (n, d, maps) = (self.core.nq, self.mechanism.columns(), &self.mechanism.maps);
        let (dq, dv) = (&s[..n], &s[n..2 * n]);
        for x in [&mut *r, &mut *v, &mut *a] {
            x.fill([0.0; L]);
        }
        for node in 0..maps.len() {
            for &(b, w) in maps.terms(node) {
                let b = b as usize * d;
                for c in 0..d {
                    add(&mut r[3 * node + c], w, &dq[b + c]);
                    add(&mut v[3 * node + c], w, &dv[b + c]);
                }
            }
        }
        let (q, u) = (&y[..n], &y[n..2 * n]);
        for (k, direction) in directions.iter().enumerate() {
            for &(node, block, w) in &direction.maps {
                for c in 0..d {
                    r[3 * node + c][k] += w * q[block * d + c];
                    v[3 * node + c][k] += w * u[block * d + c];
                    a[3 * node + c][k] += w * self.core.acceleration[block * d + c];
                }
            }
            for (node, change) in &direction.constants {
                (0..3).for_each(|c| r[3 * node + c][k] += change[c]);
            }
        }
    }

    /// (P1) and (P2) along the directions.
    fn vary_rows<const L: usize>(
        &self,
        directions: &[Direction],
        [dr, dv, da]: [&[[f64; L]]; 3],
        felt: &mut [[f64; L]],
        g: &mut [[f64; L]],
    ) {
        let (r, v, a) = (&self.r[..], &self.v[..], &self.a[..]);
        let rows = &self.mechanism.rows.list;
        let apart = |x: &[Vec3], from: usize, to: usize| sub(x[to], x[from]);
        // where nodes stay the same functions of the coordinates, u̇ that is held keeps r̈
        let turns = directions.iter().any(Direction::moves_nodes);
        for ((row, &lambda), g) in rows.iter().zip(&self.core.lambda).zip(&mut *g) {
            match &row.constraint {
                Constraint::Distance(c) => {
                    let kappa = 1.0 / c.length;
                    let dd = between(dr, c.a, c.b);
                    pull(felt, c.a, c.b, kappa * lambda, &dd);
                    let along_a = along(apart(a, c.a, c.b), &dd);
                    let along_v = along(apart(v, c.a, c.b), &between(dv, c.a, c.b));
                    for k in 0..L {
                        g[k] = kappa * (along_a[k] + 2.0 * along_v[k]);
                    }
                    if turns {
                        add(g, kappa, &along(apart(r, c.a, c.b), &between(da, c.a, c.b)));
                    }
                }
                Constraint::Dot(c) => {
                    let [i, j, p, q] = c.nodes;
                    let kappa = 1.0 / c.scale;
                    let (ds, dw) = (between(dr, i, j), between(dr, p, q));
                    pull(felt, i, j, kappa * lambda, &dw);
                    pull(felt, p, q, kappa * lambda, &ds);
                    let parts = [
                        (1.0, along(apart(a, i, j), &dw)),
                        (1.0, along(apart(a, p, q), &ds)),
                        (2.0, along(apart(v, i, j), &between(dv, p, q))),
                        (2.0, along(apart(v, p, q), &between(dv, i, j))),
                    ];
                    *g = [0.0; L];
                    for (twice, part) in &parts {
                        add(g, kappa * twice, part);
                    }
                    if turns {
                        add(g, kappa, &along(apart(r, i, j), &between(da, p, q)));
                        add(g, kappa, &along(apart(r, p, q), &between(da, i, j)));
                    }
                }
                Constraint::Linear(c) => {
                    *g = [0.0; L];
                    if turns {
                        c.terms.iter().for_each(|&(node, w)| add(g, w, &da[3 * node + c.component]));
                    }
                }
            }
        }
        for (k, direction) in directions.iter().enumerate() {
            for (i, change) in &direction.rows {
                let i = *i;
                let lambda = self.core.lambda[i];
                match (&rows[i].constraint, change) {
                    (Constraint::Distance(c), RowChange::Factor(change)) => {
                        let (d, d_dot) = (apart(r, c.a, c.b), apart(v, c.a, c.b));
                        pull_one(felt, k, [c.a, c.b], change * lambda, d);
                        g[i][k] += change * (dot(d, apart(a, c.a, c.b)) + dot(d_dot, d_dot));
                    }
                    (Constraint::Dot(c), RowChange::Factor(change)) => {
                        let [a0, a1, b0, b1] = c.nodes;
                        let (s, w) = (apart(r, a0, a1), apart(r, b0, b1));
                        pull_one(felt, k, [a0, a1], change * lambda, w);
                        pull_one(felt, k, [b0, b1], change * lambda, s);
                        let curved = dot(apart(a, a0, a1), w) + dot(s, apart(a, b0, b1));
                        g[i][k] += change * (curved + 2.0 * dot(apart(v, a0, a1), apart(v, b0, b1)));
                    }
                    (Constraint::Linear(c), RowChange::Weights(changes)) => {
                        for &(node, change) in changes {
                            felt[3 * node + c.component][k] += lambda * change;
                            g[i][k] += change * a[node][c.component];
                        }
                    }
                    // a direction has the kinds of the mechanism
                    _ => {}
                }
            }
        }
    }

    /// Springs between nodes along the directions, taken from what is felt; what their dampers do into `power`.
    fn vary_springs<const L: usize>(
        &self,
        directions: &[Direction],
        [dr, dv]: [&[[f64; L]]; 2],
        felt: &mut [[f64; L]],
        power: &mut [f64; L],
    ) {
        for (i, (link, spring)) in self.mechanism.springs_between_nodes().enumerate() {
            let [a, b] = link.nodes;
            let (d, d_dot) = (sub(self.r[b], self.r[a]), sub(self.v[b], self.v[a]));
            let (dd, dd_dot) = (between(dr, a, b), between(dv, a, b));
            let l = norm(d);
            if l == 0.0 {
                // a spring that has a free length has no direction here, and no derivative; its law gives no force
                pull(felt, a, b, spring.stiffness, &dd);
                continue;
            }
            let u = scale(1.0 / l, d);
            let rate = dot(d_dot, u);
            let tension = spring.stiffness * (l - spring.free_length) + spring.damping * rate;
            let dl = along(u, &dd);
            let du: [[f64; L]; 3] =
                std::array::from_fn(|c| std::array::from_fn(|k| (dd[c][k] - u[c] * dl[k]) / l));
            let (part, other) = (along(u, &dd_dot), along(d_dot, &du));
            let d_rate: [f64; L] = std::array::from_fn(|k| part[k] + other[k]);
            let mut d_tension: [f64; L] =
                std::array::from_fn(|k| spring.stiffness * dl[k] + spring.damping * d_rate[k]);
            for k in 0..L {
                power[k] -= 2.0 * spring.damping * rate * d_rate[k];
            }
            for (k, direction) in directions.iter().enumerate() {
                for (_, [dk, dl0, dc]) in direction.springs.iter().filter(|change| change.0 == i) {
                    d_tension[k] += dk * (l - spring.free_length) - spring.stiffness * dl0 + dc * rate;
                    power[k] -= dc * rate * rate;
                }
            }
            // the force on the first is T u
            let df: [[f64; L]; 3] =
                std::array::from_fn(|c| std::array::from_fn(|k| d_tension[k] * u[c] + tension * du[c][k]));
            pull(felt, a, b, 1.0, &df);
        }
    }

    fn vary_in<const L: usize>(
        &mut self,
        y: &[f64],
        Directions { list: directions, tangents, .. }: &mut Directions,
        remainders: &[f64],
        s: &[f64],
        ds: &mut [f64],
    ) {
        let directions = &directions[..];
        let mut varied = std::mem::take(&mut self.varied);
        let (n, d, nodes) = (self.core.nq, self.mechanism.columns(), self.mechanism.maps.len());
        let (m, joint_rows) = (self.core.lambda.len(), self.core.joint_rows);
        let (s, ds) = (s.as_chunks::<L>().0, ds.as_chunks_mut::<L>().0);
        let [r, v, a, felt] = [&mut varied.r, &mut varied.v, &mut varied.a, &mut varied.felt]
            .map(|list| room::<L>(list, 3 * nodes));
        let (f, acceleration) = (room::<L>(&mut varied.f, n), room::<L>(&mut varied.acceleration, n));
        let (g, lambda) = (room::<L>(&mut varied.g, m), room::<L>(&mut varied.lambda, m));
        let power = &mut room::<L>(&mut varied.power, 1)[0];
        self.vary_nodes(y, directions, s, [&mut *r, &mut *v, &mut *a]);
        felt.fill([0.0; L]);
        *power = [0.0; L];
        self.vary_rows(directions, [&*r, &*v, &*a], felt, &mut g[..joint_rows]);
        // the tape has them, too
        let springs = tangents.is_none();
        if springs {
            self.vary_springs(directions, [&*r, &*v], felt, power);
        }
        // δR
        f.fill([0.0; L]);
        let maps = &self.mechanism.maps;
        for node in 0..nodes {
            for &(b, w) in maps.terms(node) {
                for c in 0..d {
                    add(&mut f[b as usize * d + c], w, &felt[3 * node + c]);
                }
            }
        }
        if directions.iter().any(Direction::moves_nodes) {
            self.felt_here(springs, &mut varied.here);
        }
        for (k, direction) in directions.iter().enumerate() {
            for &(node, block, w) in &direction.maps {
                (0..d).for_each(|c| f[block * d + c][k] += w * varied.here[node][c]);
            }
            for &(i, j, mass) in &direction.mass {
                for c in 0..d {
                    f[i * d + c][k] += mass * self.core.acceleration[j * d + c];
                    if i != j {
                        f[j * d + c][k] += mass * self.core.acceleration[i * d + c];
                    }
                }
            }
            for &(i, force) in &direction.forces {
                f[i][k] -= force;
            }
        }
        if let (Some(tangents), Some(written)) = (tangents, &varied.written) {
            let couplings = &self.mechanism.interactions.couplings;
            let switches = &self.core.interactions.switches;
            let on = |r: usize| couplings[r].held.is_none_or(|(switch, _)| switches[switch]);
            let held = Held {
                v: &y[n..2 * n],
                acceleration: &self.core.acceleration,
                lambda: &self.core.lambda[joint_rows..],
                on: &on,
            };
            let auxiliary = &mut ds[2 * n + 1..];
            let into = Into { f: &mut *f, g: &mut g[joint_rows..], power: &mut *power, auxiliary };
            written.vary(tangents, [&s[..n], &s[n..2 * n]], held, into);
        } else if let Some(each) = remainders.len().checked_div(L).filter(|&each| each > 0) {
            for (k, part) in remainders.chunks_exact(each).enumerate() {
                for (f, x) in f.iter_mut().zip(&part[..n]) {
                    f[k] += x;
                }
                for (g, x) in g[joint_rows..].iter_mut().zip(&part[n..]) {
                    g[k] = *x;
                }
                power[k] += part[n + m - joint_rows];
                for (ds, x) in ds[2 * n + 1..].iter_mut().zip(&part[n + m - joint_rows + 1..]) {
                    ds[k] = *x;
                }
            }
        } else {
            ds[2 * n + 1..].fill([0.0; L]);
        }
        for x in f.iter_mut().chain(&mut *g).flatten() {
            *x = -*x;
        }
        self.kkt.solve_lanes(varied.refinements, f, g, acceleration, lambda);
        self.core.counters.solves += 1 + u64::from(varied.refinements);
        ds[..n].copy_from_slice(&s[n..2 * n]);
        ds[n..2 * n].copy_from_slice(acceleration);
        for (row, l) in self.core.interactions.evaluated.iter().zip(&lambda[joint_rows..]) {
            add(power, row.phi_t, l);
        }
        ds[2 * n] = *power;
        self.varied = varied;
    }
}

impl Points<'_> {
    /// What is on the tape at the instant.
    fn read_tape(&mut self, t: f64, y: &[f64]) {
        let Some(written) = &mut self.varied.written else { return };
        let n = self.core.nq;
        let next = self.mechanism.next_edge(t);
        let middle = if next > t { 0.5 * (t + next) } else { t + 1e-9 * (1.0 + t.abs()) };
        let turns = &y[2 * n + 1..][..self.mechanism.interactions.hints];
        written.look_at(t, middle, [&y[..n], &y[n..2 * n]], turns);
    }
}

impl Variational for Points<'_> {
    fn directions(&mut self, neighbours: &[Vec<(f64, &Mechanism)>]) -> Option<Directions> {
        let list = neighbours.iter().map(|stencil| Direction::new(self.mechanism, stencil));
        let list = list.collect::<Option<Vec<Direction>>>()?;
        let mut directions = Directions { list, tangents: None, on_line: self.core.active };
        if !self.core.active {
            return Some(directions);
        }
        if self.varied.written.is_none() {
            self.varied.written = Written::new(self.mechanism).ok().map(Box::new);
        }
        let Some(written) = &self.varied.written else { return Some(directions) };
        let changes = |stencil: &Vec<(f64, &Mechanism)>| {
            let others =
                stencil.iter().map(|(weight, mechanism)| Some((*weight, Written::new(mechanism).ok()?)));
            let others = others.collect::<Option<Vec<(f64, Written)>>>()?;
            written.changes(&others.iter().map(|(weight, other)| (*weight, other)).collect::<Vec<_>>())
        };
        if let Some(changes) = neighbours.iter().map(changes).collect::<Option<Vec<Changes>>>() {
            directions.tangents = Some(written.tangents(&changes.iter().collect::<Vec<_>>()));
            directions.on_line = false;
        }
        Some(directions)
    }

    fn begin(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let before = self.core.counters.solves;
        self.derivative(t, y, dy)?;
        self.varied.refinements = (self.core.counters.solves - before).saturating_sub(1) as u32;
        self.mechanism.maps.rates(&self.core.acceleration, &mut self.a);
        self.read_tape(t, y);
        Ok(())
    }

    fn remainders(&self) -> usize {
        let couplings = self.core.lambda.len() - self.core.joint_rows;
        self.core.nq + couplings + 1 + self.mechanism.interactions.auxiliary()
    }

    fn held(&self) -> [&[f64]; 2] {
        [&self.core.acceleration, &self.core.lambda]
    }

    fn remain(&mut self, t: f64, y: &[f64], [acceleration, lambda]: [&[f64]; 2], out: &mut [f64]) {
        let mechanism = self.mechanism;
        let at = self.core.at(t, y);
        let (n, first) = (at.q.len(), self.core.joint_rows);
        self.stamp.clear();
        self.locate(t, at.q, at.u, at.auxiliary);
        mechanism.maps.rates(at.u, &mut self.v);
        let gamma = &mut self.core.gamma[first..];
        mechanism.coupling_jacobian(&self.core.interactions, &self.r, &mut self.kkt, gamma);
        let (f, rest) = out.split_at_mut(n);
        let (rows, rest) = rest.split_at_mut(lambda.len() - first);
        self.force.fill(0.0);
        let mut power = self.action_forces(t, at.auxiliary);
        power += self.core.interactions.drive_power(&lambda[first..]);
        for (f, force) in f.iter_mut().zip(&self.force) {
            *f = -force;
        }
        for (i, row) in rows.iter_mut().enumerate() {
            self.kkt.add_row(first + i, lambda[first + i], f);
            *row = self.kkt.row_times(first + i, acceleration) - self.core.gamma[first + i];
        }
        rest[0] = power;
        self.core.interactions.auxiliary_rates(&mechanism.interactions, t, at.auxiliary, &mut rest[1..]);
    }

    fn vary(
        &mut self,
        y: &[f64],
        directions: &mut Directions,
        remainders: &[f64],
        s: &[f64],
        ds: &mut [f64],
    ) {
        match directions.len() {
            1 => self.vary_in::<1>(y, directions, remainders, s, ds),
            2 => self.vary_in::<2>(y, directions, remainders, s, ds),
            4 => self.vary_in::<4>(y, directions, remainders, s, ds),
            other => panic!("{other} directions do not go side by side"),
        }
    }
}
