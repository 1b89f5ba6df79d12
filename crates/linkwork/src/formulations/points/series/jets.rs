//! Power series in time with their derivatives by what is varied: jets.
//!
//! Everything stands on one tape here, rows between points among it, with numbers that carry their derivatives: nothing is shared with the tables that direct differentiation works on. With A_j of all rows and f_m from the
//! tape, and x_m, λ_m by (S1) and (S3) of [`series`](super), the same equations give, to first order in p and order by order,
//!
//!   (J1)  M (m+1)(m+2) δx_{m+2} + A₀ᵀ δλ_m = δf_m − δM (m+1)(m+2) x_{m+2} − Σ_{j=0..m} δA_jᵀ λ_{m−j} − Σ_{j=1..m} A_jᵀ δλ_{m−j}
//!   (J2)  A₀ (m+1)(m+2) δx_{m+2} = (m+1) ((m+2) δh_{m+2} − Σ_{j=0..m+1} δA_j v_{m+1−j} − Σ_{j=1..m+1} A_j δv_{m+1−j})
//!
//! with the factor of the start for all orders and all variables; h is what drives a row.

use super::bodies::Terms;
use super::gauges::RowSeries;
use super::text::Text;
use crate::constraints::Constraint;
use crate::formulations::{Neighbours, NotCovered};
use crate::linalg::kkt::Kkt;
use crate::linalg::tape::{Level, Node, Number, Start, Tangents, Tape, Varied};
use crate::mechanism::Mechanism;
use std::collections::BTreeSet;
use std::ops::Range;

/// A mechanism as jets, with all buffers.
#[derive(Clone, Debug)]
pub(in crate::formulations::points) struct Jets {
    order: usize,
    tape: Tape,
    rows: Vec<RowSeries>,
    forces: Vec<(usize, Node)>,
    power: Node,
    hints: Vec<(usize, Node)>,
    /// Coordinate blocks and the derivatives of the mass that they share, by variable.
    mass: Vec<(usize, usize, Vec<f64>)>,
    /// Coefficients of the coordinates and of the multipliers, by order.
    x: Vec<f64>,
    lambda: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    solution: Vec<f64>,
    multipliers: Vec<f64>,
    blocks: Vec<Block>,
}

/// Variables that go side by side.
#[derive(Clone, Debug)]
struct Block {
    variables: Range<usize>,
    lanes: usize,
    tangents: Tangents,
    /// δx and δλ by order, and buffers, each with all variables side by side.
    x: Vec<f64>,
    lambda: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    solution: Vec<f64>,
    multipliers: Vec<f64>,
}

/// Where a state begins: the time, positions and velocities, the turns of angles, and which couplings are in force.
pub(in crate::formulations::points) struct From<'f> {
    pub t: f64,
    pub middle: f64,
    pub qv: &'f [f64],
    pub turns: &'f [f64],
    pub on: &'f dyn Fn(usize) -> bool,
}

/// A₀ of a row between points: coordinates and entries.
fn row(text: &mut Text<'_, Varied>, r: usize) -> Result<RowSeries, String> {
    let scribe = &mut text.scribe;
    let mut columns: Terms<Varied> = vec![Vec::new(); scribe.mechanism.coordinate_count()];
    let each = scribe.each(|m| &m.rows.list[r].constraint);
    match each.first() {
        Constraint::Distance(c) => {
            let ends = [c.a, c.b];
            let inverse = each.pick(|c| match c {
                Constraint::Distance(c) => Some(1.0 / c.length),
                _ => None,
            })?;
            let inverse = scribe.number(&inverse);
            let [a, b] = ends.map(|node| scribe.node(node));
            let d = scribe.minus(b, a);
            let pull = scribe.blend(&[(d, inverse)]);
            let back = scribe.negative(pull);
            scribe.push(ends[1], pull, &mut columns);
            scribe.push(ends[0], back, &mut columns);
        }
        Constraint::Dot(c) => {
            let nodes = c.nodes;
            let inverse = each.pick(|c| match c {
                Constraint::Dot(c) => Some(1.0 / c.scale),
                _ => None,
            })?;
            let inverse = scribe.number(&inverse);
            let [i, j, p, q] = nodes.map(|node| scribe.node(node));
            let (s, w) = (scribe.minus(j, i), scribe.minus(q, p));
            for ([from, to], other) in [([nodes[0], nodes[1]], w), ([nodes[2], nodes[3]], s)] {
                let pull = scribe.blend(&[(other, inverse.clone())]);
                let back = scribe.negative(pull);
                scribe.push(to, pull, &mut columns);
                scribe.push(from, back, &mut columns);
            }
        }
        Constraint::Linear(c) => {
            let component = c.component;
            let terms = each.pick(|c| match c {
                Constraint::Linear(c) => Some(&c.terms[..]),
                _ => None,
            })?;
            let nodes: BTreeSet<usize> = terms.0.iter().flat_map(|terms| terms.iter().map(|t| t.0)).collect();
            for node in nodes {
                let of =
                    |terms: &[(usize, f64)]| terms.iter().filter(|t| t.0 == node).map(|t| t.1).sum::<f64>();
                let weight = scribe.number(&terms.map(of));
                let mut along = scribe.nothing();
                along[component] = scribe.tape.fixed(weight);
                scribe.push(node, along, &mut columns);
            }
        }
    }
    let entries = columns.into_iter().enumerate().filter(|(_, terms)| !terms.is_empty());
    let entries = entries.map(|(i, terms)| (i, text.scribe.tape.weighted(&terms, Varied::of(0.0)))).collect();
    Ok(RowSeries { entries, drive: None })
}

impl Jets {
    /// Writes a mechanism and what its neighbours vary, for series to an order, in blocks of variables with their lanes.
    pub fn new(
        neighbours: &Neighbours<'_>,
        order: usize,
        blocks: impl Iterator<Item = (Range<usize>, usize)>,
    ) -> Result<Self, Vec<NotCovered>> {
        let mechanism = neighbours.nominal();
        let lacking =
            |element: &str, why: &str| vec![NotCovered { element: element.into(), why: why.into() }];
        let mut text = Text::<Varied>::new(neighbours, false)?;
        if text.scribe.conceals {
            return Err(lacking(
                "a force",
                "it may change within a step in ways that its series does not show",
            ));
        }
        let between: Result<Vec<RowSeries>, String> =
            (0..mechanism.rows.len()).map(|r| row(&mut text, r)).collect();
        let mut rows = between.map_err(|why| lacking("a joint", &why))?;
        for i in 0..mechanism.constant_force.len() {
            let force = text.scribe.number(&text.scribe.each(|m| m.constant_force[i]));
            let own = text.forces.iter().position(|(at, _)| *at == i);
            let terms: Vec<(Node, Varied)> =
                own.map(|own| (text.forces[own].1, Varied::of(1.0))).into_iter().collect();
            let node = text.scribe.tape.weighted(&terms, force);
            match own {
                Some(own) => text.forces[own].1 = node,
                None if !text.scribe.tape.is_zero(node) => text.forces.push((i, node)),
                None => {}
            }
        }
        let masses: Vec<&Mechanism> = neighbours.all().to_vec();
        let entries: BTreeSet<(usize, usize)> =
            masses.iter().flat_map(|m| m.mass.iter().map(|&(i, j, _)| (i, j))).collect();
        let of = |m: &Mechanism, entry: (usize, usize)| -> f64 {
            m.mass.iter().filter(|(i, j, _)| (*i, *j) == entry).map(|entry| entry.2).sum()
        };
        let mut mass = Vec::new();
        for (i, j) in entries {
            let slopes = neighbours.slopes(&masses.iter().map(|m| of(m, (i, j))).collect::<Vec<_>>());
            if slopes.iter().any(|&slope| slope != 0.0) {
                mass.push((i, j, slopes));
            }
        }
        if neighbours.jump() {
            return Err(lacking(
                "the drawing",
                "a direction or a length of it is chosen otherwise in a neighbour",
            ));
        }
        rows.append(&mut text.couplings);
        let mut outputs = text.outputs();
        for row in &rows {
            outputs.extend(row.entries.iter().map(|e| e.1).chain(row.drive));
        }
        let (n, m) = (mechanism.coordinate_count(), mechanism.row_count());
        let tape = text.scribe.tape.finish(order + 1, &outputs);
        let block = |(variables, lanes): (Range<usize>, usize)| Block {
            tangents: tape.tangents(variables.clone(), lanes),
            variables,
            lanes,
            x: vec![0.0; (order + 2) * n * lanes],
            lambda: vec![0.0; order * m * lanes],
            f: vec![0.0; n * lanes],
            g: vec![0.0; m * lanes],
            solution: vec![0.0; n * lanes],
            multipliers: vec![0.0; m * lanes],
        };
        let blocks = blocks.map(block).collect();
        Ok(Jets {
            order,
            rows,
            forces: text.forces,
            power: text.power,
            hints: text.hints,
            mass,
            x: vec![0.0; (order + 2) * n],
            lambda: vec![0.0; order * m],
            f: vec![0.0; n],
            g: vec![0.0; m],
            solution: vec![0.0; n],
            multipliers: vec![0.0; m],
            blocks,
            tape,
        })
    }

    /// Writes the coefficients of y, which has so many components, and those of S, block by block: order by order, each as long as `whole`, where y and S stand at the start. They are not finite where the motion has no series.
    pub fn expand(&mut self, kkt: &mut Kkt, from: &From<'_>, size: usize, whole: &[f64], out: &mut [f64]) {
        let stride = whole.len();
        self.expand_nominal(kkt, from);
        self.put_nominal(&whole[..size], stride, out);
        let mut at = size;
        let mut blocks = std::mem::take(&mut self.blocks);
        for block in &mut blocks {
            let s = &whole[at..at + size * block.lanes];
            match block.lanes {
                1 => self.expand_block::<1>(kkt, from, block, s, (at, stride), out),
                2 => self.expand_block::<2>(kkt, from, block, s, (at, stride), out),
                4 => self.expand_block::<4>(kkt, from, block, s, (at, stride), out),
                _ => self.expand_block::<8>(kkt, from, block, s, (at, stride), out),
            }
            at += s.len();
        }
        self.blocks = blocks;
    }

    /// (S1) and (S3), all rows alike.
    fn expand_nominal(&mut self, kkt: &mut Kkt, from: &From<'_>) {
        let (n, rows) = (self.f.len(), self.rows.len());
        let start = Start { t: from.t, middle: from.middle, turns: from.turns };
        self.x.fill(f64::NAN);
        self.x[..2 * n].copy_from_slice(&from.qv[..2 * n]);
        self.tape.begin(&start);
        self.tape.positions(0, &start, &self.x[..n]);
        self.tape.positions(1, &start, &self.x[n..2 * n]);
        for m in 0..self.order {
            self.tape.rates(m, &start);
            let step = (m + 1) as f64;
            self.f.fill(0.0);
            for &(i, node) in &self.forces {
                self.f[i] = self.tape.at(node, m);
            }
            for (r, row) in self.rows.iter().enumerate() {
                self.g[r] = 0.0;
                if !(from.on)(r) {
                    continue;
                }
                let mut moved = 0.0;
                for &(i, node) in &row.entries {
                    let a = self.tape.series(node);
                    self.f[i] -= (1..=m).map(|j| a[j] * self.lambda[(m - j) * rows + r]).sum::<f64>();
                    for j in 1..=m + 1 {
                        let k = m + 2 - j; // v_{k−1} = k x_k
                        moved += a[j] * k as f64 * self.x[k * n + i];
                    }
                }
                let drive = row.drive.map_or(0.0, |h| (m + 2) as f64 * self.tape.at(h, m + 2));
                self.g[r] = step * (drive - moved);
            }
            if !self.f.iter().chain(&self.g).all(|x| x.is_finite()) {
                return;
            }
            kkt.solve(&self.f, &self.g, &mut self.solution, &mut self.multipliers);
            let scale = 1.0 / (step * (m + 2) as f64);
            for (x, a) in self.x[(m + 2) * n..].iter_mut().zip(&self.solution) {
                *x = scale * a;
            }
            self.lambda[m * rows..(m + 1) * rows].copy_from_slice(&self.multipliers);
            if m + 2 <= self.order {
                self.tape.positions(m + 2, &start, &self.x[(m + 2) * n..(m + 3) * n]);
            }
        }
    }

    /// P_m, with what the drivers do.
    fn power(&self, m: usize) -> f64 {
        let rows = self.rows.len();
        let mut power = self.tape.at(self.power, m);
        for (r, h) in self.rows.iter().enumerate().filter_map(|(r, row)| Some((r, row.drive?))) {
            for j in 0..=m {
                let rate = (m - j + 1) as f64 * self.tape.at(h, m - j + 1);
                power -= rate * self.lambda[j * rows + r];
            }
        }
        power
    }

    fn put_nominal(&self, y: &[f64], stride: usize, out: &mut [f64]) {
        let n = self.f.len();
        for k in 0..=self.order {
            let row = &mut out[k * stride..k * stride + y.len()];
            row[..n].copy_from_slice(&self.x[k * n..(k + 1) * n]);
            // v_k = (k+1) x_{k+1}
            for (v, x) in row[n..2 * n].iter_mut().zip(&self.x[(k + 1) * n..]) {
                *v = (k + 1) as f64 * x;
            }
            row[2 * n + 1..].fill(0.0);
            row[2 * n] = if k == 0 { y[2 * n] } else { self.power(k - 1) / k as f64 };
            if k == 0 {
                row[2 * n + 1..].copy_from_slice(&y[2 * n + 1..]);
            }
            for &(hint, node) in &self.hints {
                row[2 * n + 1 + hint] = self.tape.at(node, k);
            }
        }
    }

    /// (J1) and (J2).
    fn expand_block<const L: usize>(
        &self,
        kkt: &mut Kkt,
        from: &From<'_>,
        block: &mut Block,
        s: &[f64],
        (at, stride): (usize, usize),
        out: &mut [f64],
    ) {
        let (n, rows) = (self.f.len(), self.rows.len());
        let columns = kkt.columns();
        let Block { variables, tangents, x, lambda, f, g, solution, multipliers, .. } = block;
        let (x, lambda) = (x.as_chunks_mut::<L>().0, lambda.as_chunks_mut::<L>().0);
        let (f, g) = (f.as_chunks_mut::<L>().0, g.as_chunks_mut::<L>().0);
        let (solution, multipliers) = (solution.as_chunks_mut::<L>().0, multipliers.as_chunks_mut::<L>().0);
        let s = s.as_chunks::<L>().0;
        x.fill([f64::NAN; L]);
        x[..2 * n].copy_from_slice(&s[..2 * n]);
        for m in 0..=self.tape.order() {
            self.tape.vary(Level::Time, m, x, tangents);
        }
        self.tape.vary(Level::Positions, 0, &x[..n], tangents);
        self.tape.vary(Level::Positions, 1, &x[n..2 * n], tangents);
        for m in 0..self.order {
            self.tape.vary(Level::Rates, m, &x[..n], tangents);
            let step = (m + 1) as f64;
            f.fill([0.0; L]);
            for &(i, node) in &self.forces {
                f[i] = self.tape.varied(tangents, node, m);
            }
            let both = step * (m + 2) as f64;
            for (i, j, slopes) in &self.mass {
                let own = &slopes[variables.clone()];
                for c in 0..columns {
                    let (p, q) = (i * columns + c, j * columns + c);
                    for (k, slope) in own.iter().enumerate() {
                        f[p][k] -= slope * both * self.x[(m + 2) * n + q];
                        if i != j {
                            f[q][k] -= slope * both * self.x[(m + 2) * n + p];
                        }
                    }
                }
            }
            for (r, row) in self.rows.iter().enumerate() {
                g[r] = [0.0; L];
                if !(from.on)(r) {
                    continue;
                }
                let mut moved = [0.0; L];
                for &(i, node) in &row.entries {
                    let a = self.tape.series(node);
                    for j in 0..=m + 1 {
                        let da: [f64; L] = self.tape.varied(tangents, node, j);
                        if j <= m {
                            add(&mut f[i], -self.lambda[(m - j) * rows + r], &da);
                        }
                        let k = m + 2 - j;
                        add(&mut moved, k as f64 * self.x[k * n + i], &da);
                        if j > 0 {
                            add(&mut moved, a[j] * k as f64, &x[k * n + i]);
                        }
                        if j > 0 && j <= m {
                            add(&mut f[i], -a[j], &lambda[(m - j) * rows + r]);
                        }
                    }
                }
                if let Some(h) = row.drive {
                    let dh: [f64; L] = self.tape.varied(tangents, h, m + 2);
                    add(&mut moved, -((m + 2) as f64), &dh);
                }
                g[r] = moved.map(|moved| -step * moved);
            }
            kkt.solve_lanes(1, f, g, solution, multipliers);
            for (x, a) in x[(m + 2) * n..].iter_mut().zip(&*solution) {
                *x = a.map(|a| a / both);
            }
            lambda[m * rows..(m + 1) * rows].copy_from_slice(multipliers);
            if m + 2 <= self.order {
                self.tape.vary(Level::Positions, m + 2, &x[(m + 2) * n..(m + 3) * n], tangents);
            }
        }
        let mut work = s[2 * n];
        for k in 0..=self.order {
            let row = out[k * stride + at..][..s.len() * L].as_chunks_mut::<L>().0;
            row[..n].copy_from_slice(&x[k * n..(k + 1) * n]);
            for (v, x) in row[n..2 * n].iter_mut().zip(&x[(k + 1) * n..]) {
                *v = x.map(|x| (k + 1) as f64 * x);
            }
            row[2 * n + 1..].fill([0.0; L]);
            if k == 0 {
                row[2 * n + 1..].copy_from_slice(&s[2 * n + 1..]);
            }
            row[2 * n] = work;
            for &(hint, node) in &self.hints {
                row[2 * n + 1 + hint] = self.tape.varied(tangents, node, k);
            }
            if k < self.order {
                // δP_k
                work = self.tape.varied(tangents, self.power, k);
                for (r, h) in self.rows.iter().enumerate().filter_map(|(r, row)| Some((r, row.drive?))) {
                    for j in 0..=k {
                        let order = k - j + 1;
                        let dh: [f64; L] = self.tape.varied(tangents, h, order);
                        add(&mut work, -(order as f64) * self.lambda[j * rows + r], &dh);
                        add(&mut work, -(order as f64) * self.tape.at(h, order), &lambda[j * rows + r]);
                    }
                }
                work = work.map(|x| x / (k + 1) as f64);
            }
        }
    }
}

/// x += c y
fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    (0..L).for_each(|k| x[k] += c * y[k]);
}
