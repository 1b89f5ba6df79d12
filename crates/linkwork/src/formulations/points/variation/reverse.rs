//! The transpose of [`forward`](super::forward): what y' weighs goes back to y, and to the numbers of the tables that variables change.
//!
//! The matrix of (V1), (V2) is symmetric, so that with weights a of δu̇ and l of δλ
//!
//!   (R1)  M x + Aᵀ μ = a,   A x = l:    R weighs −x, G weighs −μ
//!
//! with the factor of the instant. What δR weighs at a node is F = Σ w_b R_b; then by rows, with the letters of (F1) and (F2),
//!
//!   (R2)  δw: κ λ (F_j − F_i) + κ s̈ G,   δẇ: 2 κ ṡ G,   δẅ: κ s G;   likewise with s and w exchanged
//!   (R3)  δκ: λ ((F_j − F_i)·w + (F_q − F_p)·s) + (s̈·w + s·ẅ + 2 ṡ·ẇ) G
//!
//! What numbers weigh is summed over instants, entry by entry of all tables together, so that the cost of an instant does not grow with the number of variables. Several weights go side by side.

use super::super::Points;
use super::super::series::tangents::{Held, Weights};
use super::tables::{Direction, RowChange};
use super::{Directions, Varied, room};
use crate::constraints::Constraint;
use crate::linalg::tape::Weighed;
use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};
use pulp::Arch;
use std::collections::BTreeMap;

/// A number of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    /// The weight of a block in a node.
    Map(usize, usize),
    /// A component of the constant part of a node.
    Constant(usize, usize),
    /// The factor of a row.
    Factor(usize),
    /// The weight of a node in a linear row.
    Weight(usize, usize),
    Mass(usize, usize),
    Force(usize),
    /// k, l₀ or c of a spring.
    Spring(usize, usize),
}

/// What the numbers of all tables weigh, summed over instants.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    lanes: usize,
    entries: Vec<Entry>,
    /// By entry, weights side by side.
    sums: Vec<f64>,
    /// By variable: entries and what it changes there.
    changes: Vec<Vec<(usize, f64)>>,
    /// Couplings and actions, and columns of results.
    pub written: Option<Weighed>,
    pub readings: Option<Weighed>,
}

impl Sums {
    pub fn new(list: &[Direction], lanes: usize) -> Self {
        let mut at: BTreeMap<Entry, usize> = BTreeMap::new();
        let all: Vec<Vec<(Entry, f64)>> = list.iter().map(entries).collect();
        all.iter().flatten().for_each(|(entry, _)| {
            at.insert(*entry, 0);
        });
        at.values_mut().enumerate().for_each(|(slot, at)| *at = slot);
        let changes =
            all.iter().map(|list| list.iter().map(|(entry, change)| (at[entry], *change)).collect());
        Sums {
            lanes,
            changes: changes.collect(),
            sums: vec![0.0; at.len() * lanes],
            entries: at.into_keys().collect(),
            written: None,
            readings: None,
        }
    }

    /// How many weights go side by side.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// What the tables give to the derivative by a variable, for all weights.
    pub fn by(&self, variable: usize, out: &mut [f64]) {
        for &(slot, change) in &self.changes[variable] {
            let sums = &self.sums[slot * self.lanes..][..self.lanes];
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out += change * sum);
        }
    }
}

/// All that a direction changes.
fn entries(direction: &Direction) -> Vec<(Entry, f64)> {
    let mut all = Vec::new();
    all.extend(direction.maps.iter().map(|&(node, block, change)| (Entry::Map(node, block), change)));
    for &(node, change) in &direction.constants {
        all.extend((0..3).map(|c| (Entry::Constant(node, c), change[c])));
    }
    for (row, change) in &direction.rows {
        match change {
            RowChange::Factor(change) => all.push((Entry::Factor(*row), *change)),
            RowChange::Weights(list) => {
                all.extend(list.iter().map(|&(node, change)| (Entry::Weight(*row, node), change)));
            }
        }
    }
    all.extend(direction.mass.iter().map(|&(i, j, change)| (Entry::Mass(i, j), change)));
    all.extend(direction.forces.iter().map(|&(i, change)| (Entry::Force(i), change)));
    for &(i, change) in &direction.springs {
        all.extend((0..3).map(|k| (Entry::Spring(i, k), change[k])));
    }
    all
}

/// x += c y
#[inline(always)]
fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    (0..L).for_each(|k| x[k] += c * y[k]);
}

/// v·x for a vector of the instant.
#[inline(always)]
fn along<const L: usize, const D: usize>(v: Vec3, x: &[[f64; L]; D]) -> [f64; L] {
    let mut sum = [0.0; L];
    for c in 0..D {
        add(&mut sum, v[c], &x[c]);
    }
    sum
}

/// The difference of a vector of two nodes.
#[inline(always)]
fn between<const L: usize, const D: usize>(x: &[[[f64; L]; D]], from: usize, to: usize) -> [[f64; L]; D] {
    std::array::from_fn(|c| std::array::from_fn(|k| x[to][c][k] - x[from][c][k]))
}

/// Adds to what one node weighs, and takes it from another.
#[inline(always)]
fn put<const L: usize, const D: usize>(x: &mut [[[f64; L]; D]], [from, to]: [usize; 2], y: &[[f64; L]; D]) {
    for c in 0..D {
        add(&mut x[to][c], 1.0, &y[c]);
        add(&mut x[from][c], -1.0, &y[c]);
    }
}

/// c x + v g, for vectors v of the instant and x of all weights.
#[inline(always)]
fn blend<const L: usize, const D: usize>(c: f64, x: &[[f64; L]; D], v: Vec3, g: &[f64; L]) -> [[f64; L]; D] {
    std::array::from_fn(|i| std::array::from_fn(|k| c * x[i][k] + v[i] * g[k]))
}

#[inline(always)]
fn apart(x: &[Vec3], from: usize, to: usize) -> Vec3 {
    sub(x[to], x[from])
}

/// What δr, δṙ, δr̈ of the nodes weigh, and δ(Aᵀλ − f) there.
struct Nodes<'n, const L: usize, const D: usize> {
    r: &'n mut [[[f64; L]; D]],
    v: &'n mut [[[f64; L]; D]],
    a: &'n mut [[[f64; L]; D]],
    felt: &'n mut [[[f64; L]; D]],
}

impl Points<'_> {
    /// Adds what S weighs to `s`, from what S' weighs, at the instant.
    pub(super) fn pull_back_in(&mut self, y: &[f64], directions: &mut Directions, ds: &[f64], s: &mut [f64]) {
        let Some(sums) = &mut directions.sums else { return };
        let mut varied = std::mem::take(&mut self.varied);
        let arch = Arch::new();
        let planar = self.mechanism.columns() == 2;
        macro_rules! pull_back {
            ($lanes:literal) => {
                match planar {
                    true => arch.dispatch(
                        #[inline(always)]
                        || self.back_in::<$lanes, 2>(&mut varied, sums, y, ds, s),
                    ),
                    false => arch.dispatch(
                        #[inline(always)]
                        || self.back_in::<$lanes, 3>(&mut varied, sums, y, ds, s),
                    ),
                }
            };
        }
        match sums.lanes {
            1 => pull_back!(1),
            2 => pull_back!(2),
            4 => pull_back!(4),
            8 => pull_back!(8),
            other => panic!("{other} weights do not go side by side"),
        }
        self.core.counters.solves += 1 + u64::from(varied.refinements);
        self.varied = varied;
    }

    #[inline(always)]
    fn back_in<const L: usize, const D: usize>(
        &mut self,
        varied: &mut Varied,
        sums: &mut Sums,
        y: &[f64],
        ds: &[f64],
        s: &mut [f64],
    ) {
        let (n, count) = (self.core.nq, self.mechanism.maps.len());
        let (m, joint_rows) = (self.core.lambda.len(), self.core.joint_rows);
        let (ds, s) = (ds.as_chunks::<L>().0, s.as_chunks_mut::<L>().0);
        let [r, v, a, felt] = [&mut varied.r, &mut varied.v, &mut varied.a, &mut varied.felt]
            .map(|list| room::<L>(list, D * count).as_chunks_mut::<D>().0);
        let mut nodes = Nodes::<L, D> { r, v, a, felt };
        let (f, x) = (room::<L>(&mut varied.f, n), room::<L>(&mut varied.acceleration, n));
        let (g, mu) = (room::<L>(&mut varied.g, m), room::<L>(&mut varied.lambda, m));
        let power = &ds[2 * n];
        // (R1)
        f.copy_from_slice(&ds[n..2 * n]);
        g[..joint_rows].fill([0.0; L]);
        for (g, row) in g[joint_rows..].iter_mut().zip(&self.core.interactions.evaluated) {
            *g = power.map(|x| row.phi_t * x);
        }
        self.kkt.solve_lanes(varied.refinements, f, g, x, mu);
        for x in x.iter_mut().chain(&mut *mu) {
            *x = x.map(|x| -x);
        }
        let (f, g) = (&*x, &*mu);
        for (s, ds) in s[n..2 * n].iter_mut().zip(&ds[..n]) {
            add(s, 1.0, ds);
        }
        let maps = &self.mechanism.maps;
        for (i, felt) in nodes.felt.iter_mut().enumerate() {
            *felt = [[0.0; L]; D];
            for &(b, w) in maps.terms(i) {
                for c in 0..D {
                    add(&mut felt[c], w, &f[b as usize * D + c]);
                }
            }
        }
        for x in [&mut *nodes.r, &mut *nodes.v, &mut *nodes.a] {
            x.fill([[0.0; L]; D]);
        }
        let sum = sums.sums.as_chunks_mut::<L>().0;
        self.rows_back(&mut nodes, g);
        let springs = varied.written.is_none();
        if springs {
            self.springs_back(&mut nodes, power);
        }
        if sums.entries.iter().any(|entry| matches!(entry, Entry::Map(..))) {
            self.felt_here(springs, &mut varied.here);
        }
        for (entry, sum) in sums.entries.iter().zip(sum) {
            let part = match *entry {
                Entry::Spring(..) if !springs => continue,
                Entry::Map(node, b) => {
                    let (here, mut part) = (varied.here[node], [0.0; L]);
                    for c in 0..D {
                        let at = b * D + c;
                        add(&mut part, here[c], &f[at]);
                        add(&mut part, y[at], &nodes.r[node][c]);
                        add(&mut part, y[n + at], &nodes.v[node][c]);
                        add(&mut part, self.core.acceleration[at], &nodes.a[node][c]);
                    }
                    part
                }
                Entry::Constant(node, c) => nodes.r[node].get(c).copied().unwrap_or([0.0; L]),
                Entry::Force(i) => f[i].map(|x| -x),
                Entry::Mass(i, j) => {
                    let (a, mut part) = (&self.core.acceleration, [0.0; L]);
                    for c in 0..D {
                        add(&mut part, a[j * D + c], &f[i * D + c]);
                        if i != j {
                            add(&mut part, a[i * D + c], &f[j * D + c]);
                        }
                    }
                    part
                }
                Entry::Factor(row) => self.factor_weighs(row, &nodes, &g[row]),
                Entry::Weight(row, node) => match &self.mechanism.rows.list[row].constraint {
                    Constraint::Linear(c) => {
                        let mut part = nodes.felt[node][c.component].map(|x| self.core.lambda[row] * x);
                        add(&mut part, self.a[node][c.component], &g[row]);
                        part
                    }
                    _ => continue,
                },
                Entry::Spring(i, k) => self.spring_weighs(i, k, &nodes, power),
            };
            add(sum, 1.0, &part);
        }
        for (i, (r, v)) in nodes.r.iter().zip(&*nodes.v).enumerate() {
            for &(b, w) in maps.terms(i) {
                for c in 0..D {
                    let at = b as usize * D + c;
                    add(&mut s[at], w, &r[c]);
                    add(&mut s[n + at], w, &v[c]);
                }
            }
        }
        if let (Some(weighed), Some(written)) = (&mut sums.written, &varied.written) {
            let couplings = &self.mechanism.interactions.couplings;
            let switches = &self.core.interactions.switches;
            let on = |r: usize| couplings[r].held.is_none_or(|(switch, _)| switches[switch]);
            let held = Held {
                v: &y[n..2 * n],
                acceleration: &self.core.acceleration,
                lambda: &self.core.lambda[joint_rows..],
                on: &on,
            };
            let from = Weights { f, g: &g[joint_rows..], power, auxiliary: &ds[2 * n + 1..] };
            let (q, rest) = s.split_at_mut(n);
            written.pull_back(weighed, [q, &mut rest[..n]], held, &from);
        }
    }

    /// (R2)
    #[inline(always)]
    fn rows_back<const L: usize, const D: usize>(&self, nodes: &mut Nodes<'_, L, D>, g: &[[f64; L]]) {
        let (r, v, a) = (&self.r[..], &self.v[..], &self.a[..]);
        let Nodes { r: dr, v: dv, a: da, felt } = nodes;
        let rows = &self.mechanism.rows.list;
        let none = [[0.0; L]; D];
        for ((row, &lambda), g) in rows.iter().zip(&self.core.lambda).zip(g) {
            match &row.constraint {
                Constraint::Distance(c) => {
                    let (kappa, ends) = (1.0 / c.length, [c.a, c.b]);
                    let of = |x: &[Vec3]| scale(kappa, apart(x, c.a, c.b));
                    put(dr, ends, &blend(kappa * lambda, &between(felt, c.a, c.b), of(a), g));
                    put(dv, ends, &blend(0.0, &none, scale(2.0, of(v)), g));
                    put(da, ends, &blend(0.0, &none, of(r), g));
                }
                Constraint::Dot(c) => {
                    let [i, j, p, q] = c.nodes;
                    let kappa = 1.0 / c.scale;
                    for ([i, j], [p, q]) in [([i, j], [p, q]), ([p, q], [i, j])] {
                        let of = |x: &[Vec3]| scale(kappa, apart(x, p, q));
                        put(dr, [i, j], &blend(kappa * lambda, &between(felt, p, q), of(a), g));
                        put(dv, [i, j], &blend(0.0, &none, scale(2.0, of(v)), g));
                        put(da, [i, j], &blend(0.0, &none, of(r), g));
                    }
                }
                Constraint::Linear(c) => {
                    c.terms.iter().for_each(|&(node, w)| add(&mut da[node][c.component], w, g));
                }
            }
        }
    }

    /// (R3)
    #[inline(always)]
    fn factor_weighs<const L: usize, const D: usize>(
        &self,
        row: usize,
        nodes: &Nodes<'_, L, D>,
        g: &[f64; L],
    ) -> [f64; L] {
        let (r, v, a, felt) = (&self.r[..], &self.v[..], &self.a[..], &*nodes.felt);
        let lambda = self.core.lambda[row];
        let mut part = [0.0; L];
        match &self.mechanism.rows.list[row].constraint {
            Constraint::Distance(c) => {
                let (d, d_dot) = (apart(r, c.a, c.b), apart(v, c.a, c.b));
                add(&mut part, lambda, &along(d, &between(felt, c.a, c.b)));
                add(&mut part, dot(d, apart(a, c.a, c.b)) + dot(d_dot, d_dot), g);
            }
            Constraint::Dot(c) => {
                let [i, j, p, q] = c.nodes;
                let (s, w) = (apart(r, i, j), apart(r, p, q));
                add(&mut part, lambda, &along(w, &between(felt, i, j)));
                add(&mut part, lambda, &along(s, &between(felt, p, q)));
                let curved = dot(apart(a, i, j), w) + dot(s, apart(a, p, q));
                add(&mut part, curved + 2.0 * dot(apart(v, i, j), apart(v, p, q)), g);
            }
            Constraint::Linear(_) => {}
        }
        part
    }

    /// What the tension of a spring weighs, and its rate: with F of its ends, T = k (l − l₀) + c l̇ and the power −c l̇² of its damper.
    #[inline(always)]
    fn tension_weighs<const L: usize, const D: usize>(
        &self,
        i: usize,
        felt: &[[[f64; L]; D]],
        power: &[f64; L],
    ) -> Option<SpringNow<L>> {
        let (link, spring) = self.mechanism.springs_between_nodes().nth(i)?;
        let [a, b] = link.nodes;
        let (d, d_dot) = (apart(&self.r, a, b), apart(&self.v, a, b));
        let l = norm(d);
        let u = if l == 0.0 { [0.0; 3] } else { scale(1.0 / l, d) };
        let rate = dot(d_dot, u);
        let tension = along(u, &between(felt, a, b));
        let (k, c) = (spring.stiffness, spring.damping);
        let by_rate = std::array::from_fn(|n| c * tension[n] - 2.0 * c * rate * power[n]);
        let stretch = l - spring.free_length;
        Some(SpringNow {
            ends: [a, b],
            l,
            u,
            d_dot,
            rate,
            k,
            stretch,
            value: k * stretch + c * rate,
            tension,
            by_rate,
        })
    }

    /// The transpose of springs between nodes.
    #[inline(always)]
    fn springs_back<const L: usize, const D: usize>(&self, nodes: &mut Nodes<'_, L, D>, power: &[f64; L]) {
        for i in 0..self.mechanism.springs_between_nodes().count() {
            let Some(now) = self.tension_weighs(i, nodes.felt, power) else { continue };
            let [a, b] = now.ends;
            let felt = between(nodes.felt, a, b);
            if now.l == 0.0 {
                // see the springs of `forward`
                put(nodes.r, now.ends, &felt.map(|x| x.map(|x| now.k * x)));
                continue;
            }
            // δu weighs T F + ḋ of the rate; δd = l δu + u δl
            let du: [[f64; L]; D] = blend(now.value, &felt, now.d_dot, &now.by_rate);
            let mut dl = now.tension.map(|x| now.k * x);
            add(&mut dl, -1.0 / now.l, &along(now.u, &du));
            put(nodes.r, now.ends, &blend(1.0 / now.l, &du, now.u, &dl));
            put(nodes.v, now.ends, &blend(0.0, &[[0.0; L]; D], now.u, &now.by_rate));
        }
    }

    /// What a number of a spring weighs.
    #[inline(always)]
    fn spring_weighs<const L: usize, const D: usize>(
        &self,
        i: usize,
        k: usize,
        nodes: &Nodes<'_, L, D>,
        power: &[f64; L],
    ) -> [f64; L] {
        let Some(now) = self.tension_weighs(i, nodes.felt, power).filter(|now| now.l > 0.0) else {
            return [0.0; L];
        };
        std::array::from_fn(|n| match k {
            0 => now.stretch * now.tension[n],
            1 => -now.k * now.tension[n],
            _ => now.rate * now.tension[n] - now.rate * now.rate * power[n],
        })
    }

    /// Adds what the state weighs to `s`, from what columns of results weigh.
    pub(super) fn columns_back<const L: usize>(&mut self, sums: &mut Sums, columns: &[f64], s: &mut [f64]) {
        let n = self.core.nq;
        let (columns, s) = (columns.as_chunks::<L>().0, s.as_chunks_mut::<L>().0);
        if let (Some(readings), Some(weighed)) = (&self.varied.readings, &mut sums.readings) {
            let (q, rest) = s.split_at_mut(n);
            let (v, beyond) = rest.split_at_mut(n);
            readings.pull_back(weighed, columns, [q, v, beyond]);
        }
    }
}

/// A spring at an instant.
struct SpringNow<const L: usize> {
    ends: [usize; 2],
    l: f64,
    u: Vec3,
    d_dot: Vec3,
    rate: f64,
    k: f64,
    stretch: f64,
    /// T
    value: f64,
    /// What T weighs, and l̇.
    tension: [f64; L],
    by_rate: [f64; L],
}
