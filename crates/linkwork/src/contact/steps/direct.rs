//! Direct solution of an island whose contacts are taken to stay as they are: open, sticking or slipping.
//!
//! Passes settle quickly which contacts push and which stick, and slowly how much each of them carries: stacks, walls and large ratios of masses. Between passes the impulses
//! of the active rows, normal where a contact pushes and across where it sticks, are therefore solved for at once (subspace minimisation, \[silcowitz2010sm\]). With residuals
//! r = J v − ū of these rows:
//!
//!   (D1)  M δv = Jᵀ δp,   J δv + E δp = −r           E = 10⁻⁶ diag W: a proximal point, since rows may depend on each other
//!   (D2)  (M + Jᵀ E⁻¹ J) δv = −Jᵀ E⁻¹ r,   δp = −E⁻¹ (r + J δv)
//!
//! repeated, as E leaves a part of r. What does not change the motion, loads that may be shared in many ways, stays as it is. Impulses that would pull are dropped, those outside the
//! cones cut back; where a contact slips, its friction follows its push. The passes that follow judge the result: if they change more than before, it is taken back.
//!
//! (D2) is a matrix of bodies, factorised as L Lᵀ within its envelope, bodies in the order of [cuthill1969], reversed. It costs about Σ b², b the lengths of the rows; that is
//! spent only after passes that have cost half as much. Bodies that joints hold are not in M: islands with such are left to passes.

use super::bodies::Moved;
use super::{Block, GROUND, Law};
use crate::linalg::vec3::{Vec3, cross};

/// E over the diagonal of W.
const PROXIMAL: f64 = 1e-6;
/// Solutions of (D2) in a row.
const ROUNDS: u32 = 5;
/// A residual that has fallen to this part is left to the passes.
const SOLVED: f64 = 1e-13;
/// Passes before the first attempt, and between attempts.
const PASSES: u32 = 8;
/// Operations of a contact in a pass.
const OPERATIONS: f64 = 150.0;

/// An active row of a contact.
#[derive(Clone, Copy, Debug)]
struct Row {
    contact: u32,
    direction: usize,
    /// By side: first unknown of the body, `usize::MAX` for the ground, and the row there.
    at: [usize; 2],
    j: [[f64; 6]; 2],
    /// 1/E
    weight: f64,
    /// r
    residual: f64,
}

/// Buffers of direct solutions.
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    /// Bodies of the island as members of it: by slot.
    local: Vec<u32>,
    /// Neighbours of each body.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// Bodies in the order of elimination, and where each stands in it.
    order: Vec<u32>,
    place: Vec<u32>,
    /// First column of each row of the matrix, and where its row begins in `values`.
    first: Vec<usize>,
    row_at: Vec<usize>,
    values: Vec<f64>,
    right: Vec<f64>,
    rows: Vec<Row>,
    /// Before an attempt.
    kept: Vec<[f64; 3]>,
    kept_velocities: Vec<[Vec3; 2]>,
    /// The pass after which the next attempt is due; never, if infinite.
    due: u32,
    /// The change of the last pass before the attempt that is being judged, and the pass by which it has to be less.
    judged: Option<(f64, u32)>,
    cost: f64,
}

/// An island, and what its contacts do.
pub(super) struct Island<'a> {
    pub blocks: &'a mut [Block],
    pub moved: &'a mut [Moved],
    pub bodies: &'a [u32],
    pub planar: bool,
}

impl Direct {
    /// Gets ready for an island.
    pub fn begin(&mut self, island: &Island) {
        self.judged = None;
        let free = island.bodies.iter().all(|&slot| island.moved[slot as usize].is_free());
        self.due = if free && island.blocks.len() > 1 { PASSES } else { u32::MAX };
        self.cost = 0.0;
    }

    /// Judges the last attempt by the passes that follow; takes it back if they still change more than the pass before it. Tells whether it did.
    pub fn judge(&mut self, island: &mut Island, passes: u32, change: f64) -> bool {
        let Some((before, by)) = self.judged else { return false };
        if change <= before {
            self.judged = None;
        }
        if change <= before || passes < by {
            return false;
        }
        self.judged = None;
        for (kept, block) in self.kept.iter().zip(island.blocks.iter_mut()) {
            block.law.impulse = *kept;
        }
        for (kept, &slot) in self.kept_velocities.iter().zip(island.bodies) {
            island.moved[slot as usize].set(*kept);
        }
        self.due = self.due.saturating_mul(2);
        true
    }

    /// Solves for the impulses of the active rows, if passes have cost enough for it. Tells whether it did.
    pub fn improve(&mut self, island: &mut Island, passes: u32, change: f64) -> bool {
        if passes < self.due {
            return false;
        }
        if self.cost == 0.0 {
            self.order_bodies(island);
            self.cost = self.envelope(island);
        }
        let worth = 0.5 * self.cost / (OPERATIONS * island.blocks.len() as f64);
        if f64::from(passes) < worth {
            self.due = if worth < 1e6 { worth.ceil() as u32 } else { u32::MAX };
            return false;
        }
        self.due = passes + (worth.ceil() as u32).max(PASSES);
        self.find_rows(island);
        if self.rows.is_empty() || !self.factorise(island) {
            return false;
        }
        self.kept.clear();
        self.kept.extend(island.blocks.iter().map(|block| block.law.impulse));
        self.kept_velocities.clear();
        self.kept_velocities.extend(island.bodies.iter().map(|&slot| island.moved[slot as usize].added()));
        let mut first = f64::INFINITY;
        for round in 0..ROUNDS {
            let left = self.solve_rows(island);
            if round == 0 {
                first = left;
            }
            if left <= SOLVED * first {
                break;
            }
        }
        self.cut_back(island);
        self.judged = Some((change, passes + PASSES - 1));
        true
    }

    /// Bodies in reverse Cuthill–McKee order of the graph of contacts.
    fn order_bodies(&mut self, island: &Island) {
        let n = island.bodies.len();
        let slots = island.moved.len();
        self.local.resize(slots.max(self.local.len()), 0);
        for (k, &slot) in island.bodies.iter().enumerate() {
            self.local[slot as usize] = k as u32;
        }
        // neighbours, each as often as there are contacts with it
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        let pair = |block: &Block| {
            let slots = block.slots;
            (slots[0] != GROUND && slots[1] != GROUND).then_some(slots)
        };
        for slots in island.blocks.iter().filter_map(pair) {
            slots.iter().for_each(|&slot| self.starts[self.local[slot as usize] as usize + 1] += 1);
        }
        for k in 0..n {
            self.starts[k + 1] += self.starts[k];
        }
        self.neighbours.clear();
        self.neighbours.resize(self.starts[n] as usize, 0);
        self.place.clear();
        self.place.extend_from_slice(&self.starts[..n]);
        for [a, b] in island.blocks.iter().filter_map(pair) {
            for (own, other) in [(a, b), (b, a)] {
                let place = &mut self.place[self.local[own as usize] as usize];
                self.neighbours[*place as usize] = self.local[other as usize];
                *place += 1;
            }
        }
        // twice: the second time from an end
        let mut from = 0;
        for _ in 0..2 {
            self.spread(from, n);
            from = self.order[n - 1];
        }
        self.order.reverse();
        self.place.resize(n, 0);
        for (place, &body) in self.order.iter().enumerate() {
            self.place[body as usize] = place as u32;
        }
    }

    /// Bodies by their distance from one of them.
    fn spread(&mut self, from: u32, n: usize) {
        self.order.clear();
        self.place.clear();
        self.place.resize(n, u32::MAX);
        self.order.push(from);
        self.place[from as usize] = 0;
        let mut next = 0;
        while next < self.order.len() {
            let body = self.order[next] as usize;
            next += 1;
            let begin = self.order.len();
            for &other in &self.neighbours[self.starts[body] as usize..self.starts[body + 1] as usize] {
                if self.place[other as usize] == u32::MAX {
                    self.place[other as usize] = 0;
                    self.order.push(other);
                }
            }
            let degree = |body: &u32| self.starts[*body as usize + 1] - self.starts[*body as usize];
            self.order[begin..].sort_unstable_by_key(|body| (degree(body), *body));
        }
    }

    /// Finds the envelope of the matrix; returns what a factorisation costs.
    fn envelope(&mut self, island: &Island) -> f64 {
        let n = island.bodies.len();
        let d = unknowns(island.planar).len();
        self.first.clear();
        self.row_at.clear();
        let (mut at, mut cost) = (0, 0.0);
        for &body in &self.order {
            let own = self.place[body as usize];
            let around = &self.neighbours
                [self.starts[body as usize] as usize..self.starts[body as usize + 1] as usize];
            let lowest = around.iter().fold(own, |low, other| low.min(self.place[*other as usize]));
            let first = lowest as usize * d;
            for k in 0..d {
                let row = own as usize * d + k;
                self.first.push(first);
                self.row_at.push(at);
                at += row - first + 1;
                cost += ((row - first + 1) as f64).powi(2);
            }
        }
        self.right.clear();
        self.right.resize(n * d, 0.0);
        self.values.clear();
        self.values.resize(at, 0.0);
        cost
    }

    /// Normal where a contact pushes, across where it sticks.
    fn find_rows(&mut self, island: &Island) {
        let unknowns = unknowns(island.planar);
        self.rows.clear();
        for (c, block) in island.blocks.iter().enumerate() {
            if !block.law.pushes() || block.w.size == 0.0 {
                continue;
            }
            let across = if island.planar { 2 } else { 3 };
            for e in 0..if block.law.sticks() { across } else { 1 } {
                let mut row = Row {
                    contact: c as u32,
                    direction: e,
                    at: [usize::MAX; 2],
                    j: [[0.0; 6]; 2],
                    weight: 1.0 / (PROXIMAL * block.w.size),
                    residual: 0.0,
                };
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let slot = block.slots[side];
                    if slot == GROUND {
                        continue;
                    }
                    let place = self.place[self.local[slot as usize] as usize] as usize;
                    row.at[side] = place * unknowns.len();
                    let (v, w) = (block.axes[e], cross(block.arms[side], block.axes[e]));
                    let all = [v[0], v[1], v[2], w[0], w[1], w[2]];
                    for (k, &unknown) in unknowns.iter().enumerate() {
                        row.j[side][k] = sign * all[unknown];
                    }
                }
                self.rows.push(row);
            }
        }
    }

    /// (D2): the matrix, and its factor in place. Tells whether it is positive definite.
    fn factorise(&mut self, island: &Island) -> bool {
        let unknowns = unknowns(island.planar);
        let d = unknowns.len();
        self.values.fill(0.0);
        for &slot in island.bodies {
            let at = self.place[self.local[slot as usize] as usize] as usize * d;
            let mass = island.moved[slot as usize].mass_matrix(island.planar);
            for (i, &row) in unknowns.iter().enumerate() {
                for (j, &column) in unknowns.iter().enumerate().take(i + 1) {
                    self.values[self.row_at[at + i] + at + j - self.first[at + i]] = mass[row][column];
                }
            }
        }
        for row in &self.rows {
            for (side, at) in row.moving() {
                for (other, column) in row.moving() {
                    if column > at {
                        continue;
                    }
                    for i in 0..d {
                        let scaled = row.weight * row.j[side][i];
                        let begin = self.row_at[at + i] + column - self.first[at + i];
                        let most = if column == at { i + 1 } else { d };
                        for j in 0..most {
                            self.values[begin + j] += scaled * row.j[other][j];
                        }
                    }
                }
            }
        }
        match island.planar {
            true => self.factorise_blocks::<3>(),
            false => self.factorise_blocks::<6>(),
        }
    }

    /// L, body by body: the rows of a body begin in the same column, so that products are made for three rows and two columns at a time.
    fn factorise_blocks<const D: usize>(&mut self) -> bool {
        for own in (0..self.first.len()).step_by(D) {
            let (first, at) = (self.first[own], self.row_at[own]);
            let (above, rows) = self.values.split_at_mut(at);
            let starts: [usize; D] = std::array::from_fn(|r| self.row_at[own + r] - at);
            for other in (first..own).step_by(D) {
                let from = first.max(self.first[other]);
                let columns: [&[f64]; D] = std::array::from_fn(|c| {
                    let column = &above[self.row_at[other + c]..];
                    &column[from - self.first[other]..other + c + 1 - self.first[other]]
                });
                let behind = columns.map(|column| &column[..other - from]);
                let sums = {
                    let left: [&[f64]; D] =
                        std::array::from_fn(|r| &rows[starts[r] + from - first..starts[r] + other - first]);
                    block_products(left, behind)
                };
                for r in 0..D {
                    let row = &mut rows[starts[r] + other - first..][..D];
                    for c in 0..D {
                        let known = product(&row[..c], &columns[c][other - from..other - from + c]);
                        row[c] = (row[c] - sums[r][c] - known) / columns[c][other - from + c];
                    }
                }
            }
            for r in 0..D {
                let (done, row) = rows.split_at_mut(starts[r]);
                let row = &mut row[..own + r + 1 - first];
                for c in 0..r {
                    let other = &done[starts[c]..starts[c] + own + c + 1 - first];
                    let length = own + c - first;
                    row[length] = (row[length] - product(&row[..length], &other[..length])) / other[length];
                }
                let length = own + r - first;
                let pivot = row[length] - product(&row[..length], &row[..length]);
                if pivot <= 1e-14 * row[length] || pivot.is_nan() {
                    return false;
                }
                row[length] = pivot.sqrt();
            }
        }
        true
    }

    /// A round of (D2); returns the largest residual before it, m/s.
    fn solve_rows(&mut self, island: &mut Island) -> f64 {
        let d = unknowns(island.planar).len();
        self.right.fill(0.0);
        let mut largest: f64 = 0.0;
        for row in &mut self.rows {
            row.residual = row.residual(island);
            largest = largest.max(row.residual.abs());
            for (side, at) in row.moving() {
                for k in 0..d {
                    self.right[at + k] -= row.weight * row.residual * row.j[side][k];
                }
            }
        }
        self.substitute();
        for row in &self.rows {
            let mut left = row.residual;
            for (side, at) in row.moving() {
                left += product(&row.j[side][..d], &self.right[at..at + d]);
            }
            let mut delta = [0.0; 3];
            delta[row.direction] = -row.weight * left;
            let block = &mut island.blocks[row.contact as usize];
            block.law.impulse[row.direction] += delta[row.direction];
            block.add(island.moved, &[], delta);
        }
        largest
    }

    /// L Lᵀ x = right, in place.
    fn substitute(&mut self) {
        let n = self.first.len();
        for i in 0..n {
            let (first, row) = (self.first[i], &self.values[self.row_at[i]..]);
            let sum = product(&row[..i - first], &self.right[first..i]);
            self.right[i] = (self.right[i] - sum) / row[i - first];
        }
        for i in (0..n).rev() {
            let (first, row) = (self.first[i], &self.values[self.row_at[i]..]);
            self.right[i] /= row[i - first];
            let x = self.right[i];
            for (right, l) in self.right[first..i].iter_mut().zip(row) {
                *right -= l * x;
            }
        }
    }

    /// Drops impulses that pull, and brings the others into their cones.
    fn cut_back(&self, island: &mut Island) {
        for (kept, block) in self.kept.iter().zip(island.blocks.iter_mut()) {
            let Law { impulse: old, friction, .. } = block.law;
            let mut new = [old[0].max(0.0), old[1], old[2]];
            let bound = friction * new[0];
            let slips = old[1] == kept[1] && old[2] == kept[2];
            let across = new[1].hypot(new[2]);
            if across > bound || slips && across > 0.0 && kept[0] * friction <= across * (1.0 + 1e-9) {
                new[1] *= bound / across;
                new[2] *= bound / across;
            }
            block.law.impulse = new;
            block.add(island.moved, &[], [new[0] - old[0], new[1] - old[1], new[2] - old[2]]);
        }
    }
}

impl Row {
    /// How fast what should stand still moves, m/s.
    fn residual(&self, island: &Island) -> f64 {
        let block = &island.blocks[self.contact as usize];
        let u = block.velocity(island.moved)[self.direction];
        if self.direction == 0 { u - block.law.target } else { u }
    }

    /// Sides that are not the ground, and their first unknowns.
    fn moving(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.at.into_iter().enumerate().filter(|(_, at)| *at != usize::MAX)
    }
}

/// Components of a body's velocity that are unknown: v, and ω behind it.
fn unknowns(planar: bool) -> &'static [usize] {
    if planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] }
}

/// All products of rows with columns of the same length.
fn block_products<const D: usize>(rows: [&[f64]; D], columns: [&[f64]; D]) -> [[f64; D]; D] {
    let mut sums = [[0.0; D]; D];
    for r in (0..D).step_by(3) {
        let three = [rows[r], rows[r + 1], rows[r + 2]];
        for c in (0..D).step_by(2) {
            let second = (c + 1).min(D - 1);
            let part = products(three, [columns[c], columns[second]]);
            for (k, [one, two]) in part.into_iter().enumerate() {
                (sums[r + k][c], sums[r + k][second]) = (one, two);
            }
        }
    }
    sums
}

/// Products of three rows with two columns, each in two sums.
#[inline]
fn products(rows: [&[f64]; 3], columns: [&[f64]; 2]) -> [[f64; 2]; 3] {
    let pairs = rows[0].len() / 2;
    let left = rows.map(|row| &row.as_chunks::<2>().0[..pairs]);
    let right = columns.map(|column| &column.as_chunks::<2>().0[..pairs]);
    let mut sums = [[[0.0; 2]; 2]; 3];
    for k in 0..pairs {
        for r in 0..3 {
            for c in 0..2 {
                for lane in 0..2 {
                    sums[r][c][lane] += left[r][k][lane] * right[c][k][lane];
                }
            }
        }
    }
    let rest = |r: usize, c: usize| match rows[0].len() % 2 {
        0 => 0.0,
        _ => rows[r][2 * pairs] * columns[c][2 * pairs],
    };
    std::array::from_fn(|r| std::array::from_fn(|c| sums[r][c][0] + sums[r][c][1] + rest(r, c)))
}

/// a·b, in four sums.
#[inline]
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (fours, rest) = a.as_chunks::<4>();
    let (other, others) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (x, y) in fours.iter().zip(other) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    let tail: f64 = rest.iter().zip(others).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
