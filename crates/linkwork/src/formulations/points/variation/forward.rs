//! (V1) and (V2) along directions that go side by side: what a state and the numbers of the model do to y', to first order.
//!
//! With κ the factor of a row, s and w its vectors, λ its multiplier,
//!
//!   (F1)  δ(Aᵀλ):  κ λ δw on the ends of s, κ λ δs on those of w, and δκ/κ of what there is;   of a distance κ λ δd, once
//!   (F2)  δG = κ (s̈·δw + δs·ẅ + 2 (ṡ·δẇ + δṡ·ẇ)) + …                u̇ held, so that δr̈ is what weights of nodes change
//!
//! then −δR and −δG go through the factor of the instant.

use super::super::Points;
use super::super::series::tangents::{Held, Into};
use super::tables::{Direction, RowChange};
use super::{Block, Varied, room};
use crate::constraints::Constraint;
use crate::linalg::vec3::{Vec3, dot, norm, scale, sub};
use pulp::Arch;

/// x += c y
#[inline(always)]
fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    for k in 0..L {
        x[k] += c * y[k];
    }
}

/// The difference of a vector of two nodes.
#[inline(always)]
fn between<const L: usize, const D: usize>(x: &[[[f64; L]; D]], from: usize, to: usize) -> [[f64; L]; D] {
    std::array::from_fn(|c| std::array::from_fn(|k| x[to][c][k] - x[from][c][k]))
}

/// vᵀ x for a vector of the instant.
#[inline(always)]
fn along<const L: usize, const D: usize>(v: Vec3, x: &[[f64; L]; D]) -> [f64; L] {
    let mut sum = [0.0; L];
    for c in 0..D {
        add(&mut sum, v[c], &x[c]);
    }
    sum
}

/// Adds c x to one node and takes it from another.
#[inline(always)]
fn pull<const L: usize, const D: usize>(
    felt: &mut [[[f64; L]; D]],
    from: usize,
    to: usize,
    c: f64,
    x: &[[f64; L]; D],
) {
    for i in 0..D {
        add(&mut felt[to][i], c, &x[i]);
        add(&mut felt[from][i], -c, &x[i]);
    }
}

/// The same with one direction only.
#[inline(always)]
fn pull_one<const L: usize, const D: usize>(
    felt: &mut [[[f64; L]; D]],
    k: usize,
    [from, to]: [usize; 2],
    c: f64,
    x: Vec3,
) {
    for i in 0..D {
        felt[to][i][k] += c * x[i];
        felt[from][i][k] -= c * x[i];
    }
}

#[inline(always)]
fn apart(x: &[Vec3], from: usize, to: usize) -> Vec3 {
    sub(x[to], x[from])
}

/// δr, δṙ and δr̈ of the nodes, and δ(Aᵀλ − f) there.
struct Nodes<'n, const L: usize, const D: usize> {
    r: &'n mut [[[f64; L]; D]],
    v: &'n mut [[[f64; L]; D]],
    /// Nothing where nodes stay the same functions of the coordinates: u̇ that is held then keeps r̈.
    a: &'n mut [[[f64; L]; D]],
    felt: &'n mut [[[f64; L]; D]],
}

impl Points<'_> {
    /// S' of a block from y and S at the instant.
    pub(super) fn vary_block(
        &mut self,
        y: &[f64],
        list: &[Direction],
        block: &mut Block,
        remainders: &[f64],
        s: &[f64],
        ds: &mut [f64],
    ) {
        let mut varied = std::mem::take(&mut self.varied);
        let arch = Arch::new();
        let planar = self.mechanism.columns() == 2;
        macro_rules! vary {
            ($lanes:literal) => {
                match planar {
                    true => arch.dispatch(
                        #[inline(always)]
                        || self.vary_in::<$lanes, 2>(&mut varied, y, list, block, remainders, s, ds),
                    ),
                    false => arch.dispatch(
                        #[inline(always)]
                        || self.vary_in::<$lanes, 3>(&mut varied, y, list, block, remainders, s, ds),
                    ),
                }
            };
        }
        match block.lanes {
            1 => vary!(1),
            2 => vary!(2),
            4 => vary!(4),
            8 => vary!(8),
            other => panic!("{other} directions do not go side by side"),
        }
        self.core.counters.solves += 1 + u64::from(varied.refinements);
        self.varied = varied;
    }

    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "those of `vary`, and buffers")]
    fn vary_in<const L: usize, const D: usize>(
        &mut self,
        varied: &mut Varied,
        y: &[f64],
        list: &[Direction],
        block: &mut Block,
        remainders: &[f64],
        s: &[f64],
        ds: &mut [f64],
    ) {
        let directions = &list[block.variables.clone()];
        let (n, nodes) = (self.core.nq, self.mechanism.maps.len());
        let (m, joint_rows) = (self.core.lambda.len(), self.core.joint_rows);
        let (s, ds) = (s.as_chunks::<L>().0, ds.as_chunks_mut::<L>().0);
        let turns = directions.iter().any(Direction::moves_nodes);
        let [r, v, a, felt] = [&mut varied.r, &mut varied.v, &mut varied.a, &mut varied.felt]
            .map(|list| room::<L>(list, D * nodes).as_chunks_mut::<D>().0);
        let mut node = Nodes::<L, D> { r, v, a: if turns { a } else { &mut [] }, felt };
        let (f, acceleration) = (room::<L>(&mut varied.f, n), room::<L>(&mut varied.acceleration, n));
        let (g, lambda) = (room::<L>(&mut varied.g, m), room::<L>(&mut varied.lambda, m));
        let power = &mut room::<L>(&mut varied.power, 1)[0];
        self.vary_nodes(y, directions, s, &mut node);
        node.felt.fill([[0.0; L]; D]);
        *power = [0.0; L];
        self.vary_rows(directions, &mut node, &mut g[..joint_rows]);
        // the tape has them, too
        let springs = varied.written.is_none() || block.tangents.is_none();
        if springs {
            self.vary_springs(directions, &mut node, power);
        }
        // δR
        f.fill([0.0; L]);
        let maps = &self.mechanism.maps;
        for (i, felt) in node.felt.iter().enumerate() {
            for &(b, w) in maps.terms(i) {
                for c in 0..D {
                    add(&mut f[b as usize * D + c], w, &felt[c]);
                }
            }
        }
        if turns {
            self.felt_here(springs, &mut varied.here);
        }
        for (k, direction) in directions.iter().enumerate() {
            for &(node, b, w) in &direction.maps {
                (0..D).for_each(|c| f[b * D + c][k] += w * varied.here[node][c]);
            }
            for &(i, j, mass) in &direction.mass {
                for c in 0..D {
                    f[i * D + c][k] += mass * self.core.acceleration[j * D + c];
                    if i != j {
                        f[j * D + c][k] += mass * self.core.acceleration[i * D + c];
                    }
                }
            }
            for &(i, force) in &direction.forces {
                f[i][k] -= force;
            }
        }
        if let (Some(tangents), Some(written)) = (&mut block.tangents, &varied.written) {
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
        } else if let Some(each) = remainders.len().checked_div(directions.len()).filter(|&each| each > 0) {
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
        for x in f.iter_mut().chain(&mut *g) {
            *x = x.map(|x| -x);
        }
        self.kkt.solve_lanes(varied.refinements, f, g, acceleration, lambda);
        ds[..n].copy_from_slice(&s[n..2 * n]);
        ds[n..2 * n].copy_from_slice(acceleration);
        for (row, l) in self.core.interactions.evaluated.iter().zip(&lambda[joint_rows..]) {
            add(power, row.phi_t, l);
        }
        ds[2 * n] = *power;
    }

    /// (P3): δr, δṙ and δr̈ of the nodes.
    #[inline(always)]
    fn vary_nodes<const L: usize, const D: usize>(
        &self,
        y: &[f64],
        directions: &[Direction],
        s: &[[f64; L]],
        nodes: &mut Nodes<'_, L, D>,
    ) {
        let (n, maps) = (self.core.nq, &self.mechanism.maps);
        let (dq, dv) = (s[..n].as_chunks::<D>().0, s[n..2 * n].as_chunks::<D>().0);
        for (i, (r, v)) in nodes.r.iter_mut().zip(&mut *nodes.v).enumerate() {
            match maps.terms(i) {
                [] => {
                    *r = [[0.0; L]; D];
                    *v = [[0.0; L]; D];
                }
                &[(b, 1.0)] => {
                    *r = dq[b as usize];
                    *v = dv[b as usize];
                }
                terms => {
                    *r = [[0.0; L]; D];
                    *v = [[0.0; L]; D];
                    for &(b, w) in terms {
                        for c in 0..D {
                            add(&mut r[c], w, &dq[b as usize][c]);
                            add(&mut v[c], w, &dv[b as usize][c]);
                        }
                    }
                }
            }
        }
        nodes.a.fill([[0.0; L]; D]);
        let (q, u) = (&y[..n], &y[n..2 * n]);
        for (k, direction) in directions.iter().enumerate() {
            for &(node, b, w) in &direction.maps {
                for c in 0..D {
                    nodes.r[node][c][k] += w * q[b * D + c];
                    nodes.v[node][c][k] += w * u[b * D + c];
                    nodes.a[node][c][k] += w * self.core.acceleration[b * D + c];
                }
            }
            for (node, change) in &direction.constants {
                (0..D).for_each(|c| nodes.r[*node][c][k] += change[c]);
            }
        }
    }

    /// (F1) and (F2).
    #[inline(always)]
    fn vary_rows<const L: usize, const D: usize>(
        &self,
        directions: &[Direction],
        nodes: &mut Nodes<'_, L, D>,
        g: &mut [[f64; L]],
    ) {
        let (r, v, a) = (&self.r[..], &self.v[..], &self.a[..]);
        let Nodes { r: dr, v: dv, a: da, felt } = nodes;
        let rows = &self.mechanism.rows.list;
        let turns = !da.is_empty();
        for ((row, &lambda), g) in rows.iter().zip(&self.core.lambda).zip(&mut *g) {
            match &row.constraint {
                Constraint::Distance(c) => {
                    let kappa = 1.0 / c.length;
                    let dd = between(dr, c.a, c.b);
                    pull(felt, c.a, c.b, kappa * lambda, &dd);
                    *g = along(scale(kappa, apart(a, c.a, c.b)), &dd);
                    let twice = scale(2.0 * kappa, apart(v, c.a, c.b));
                    add(g, 1.0, &along(twice, &between(dv, c.a, c.b)));
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
                    *g = along(scale(kappa, apart(a, i, j)), &dw);
                    add(g, 1.0, &along(scale(kappa, apart(a, p, q)), &ds));
                    add(g, 1.0, &along(scale(2.0 * kappa, apart(v, i, j)), &between(dv, p, q)));
                    add(g, 1.0, &along(scale(2.0 * kappa, apart(v, p, q)), &between(dv, i, j)));
                    if turns {
                        add(g, kappa, &along(apart(r, i, j), &between(da, p, q)));
                        add(g, kappa, &along(apart(r, p, q), &between(da, i, j)));
                    }
                }
                Constraint::Linear(c) => {
                    *g = [0.0; L];
                    if turns {
                        c.terms.iter().for_each(|&(node, w)| add(g, w, &da[node][c.component]));
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
                            felt[node][c.component][k] += lambda * change;
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
    #[inline(always)]
    fn vary_springs<const L: usize, const D: usize>(
        &self,
        directions: &[Direction],
        nodes: &mut Nodes<'_, L, D>,
        power: &mut [f64; L],
    ) {
        for (i, (link, spring)) in self.mechanism.springs_between_nodes().enumerate() {
            let [a, b] = link.nodes;
            let (d, d_dot) = (apart(&self.r, a, b), apart(&self.v, a, b));
            let (dd, dd_dot) = (between(nodes.r, a, b), between(nodes.v, a, b));
            let l = norm(d);
            if l == 0.0 {
                // a spring that has a free length has no direction here, and no derivative; its law gives no force
                pull(nodes.felt, a, b, spring.stiffness, &dd);
                continue;
            }
            let u = scale(1.0 / l, d);
            let rate = dot(d_dot, u);
            let tension = spring.stiffness * (l - spring.free_length) + spring.damping * rate;
            let dl = along(u, &dd);
            let du: [[f64; L]; D] =
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
            let df: [[f64; L]; D] =
                std::array::from_fn(|c| std::array::from_fn(|k| d_tension[k] * u[c] + tension * du[c][k]));
            pull(nodes.felt, a, b, 1.0, &df);
        }
    }

    /// Aᵀλ − f of rows, and of springs if asked for, at the nodes.
    pub(super) fn felt_here(&self, springs: bool, here: &mut Vec<Vec3>) {
        let mechanism = self.mechanism;
        here.clear();
        here.resize(mechanism.maps.len(), [0.0; 3]);
        let mut put = |node: usize, c: f64, x: Vec3| (0..3).for_each(|i| here[node][i] += c * x[i]);
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
}
