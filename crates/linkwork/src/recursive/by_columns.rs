//! M⁻¹ times many columns at a time, with the elimination that the forward dynamics left behind: O(n) a column.
//!
//! The lanes are columns; the numbers of a link are the same for all of them. The sweeps are those of
//! [`super::response`], with what a link hands on kept in registers, and without wrenches on links:
//!
//! ```text
//!   (C1)  inward:   u = b − S·(n, f),  keep u/D;  (n, f) + W u to the parent
//!   (C2)  outward:  x = u/D − W·A_k,   A = A_k + S x
//! ```
//!
//! For the columns of 1, nothing comes from the links after the last of them: these are left out of the inward sweep.

use super::algebra::{Columns, V};
use super::lane::{Many, PACK, Pack, Part, Sink, Source};
use super::posture::parts;
use super::tree::{Kind, NONE, Tree};
use super::work::{KeptBall, Record, Work, load_factor};
use pulp::Simd;

/// Packs of columns at a time: two, so that one waits while the other works.
pub(super) const WIDE: usize = 2;
/// Columns at a time.
pub(super) const BLOCK: usize = WIDE * PACK;

/// What a link hands on: moment and force, or angular and other acceleration, for a block of columns.
pub(super) type Handed = [[Pack; 6]; WIDE];

/// Buffers for a block of columns.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// A row for each rate.
    pub rows: Vec<[Pack; WIDE]>,
    forks: Vec<Handed>,
}

impl Block {
    pub fn new(tree: &Tree) -> Self {
        Block {
            rows: vec![[Pack::default(); WIDE]; tree.u_count],
            forks: vec![Handed::default(); tree.forks],
        }
    }
}

/// A link's numbers, the same in all lanes.
#[inline(always)]
fn same<S: Simd>(token: Part<S>, cells: &[[Pack; 3]; 2], lane: usize) -> [V<Many<S>>; 2] {
    // spelled out: what is mapped over arrays is not always put in line, and then lacks the instructions
    let ([a, b, c], [d, e, f]) = (&cells[0], &cells[1]);
    let lane = lane % PACK;
    [
        V([a.0[lane].read(token), b.0[lane].read(token), c.0[lane].read(token)]),
        V([d.0[lane].read(token), e.0[lane].read(token), f.0[lane].read(token)]),
    ]
}

#[inline(always)]
fn load<S: Simd>(token: Part<S>, from: &[Pack; 6]) -> [V<Many<S>>; 2] {
    let [a, b, c, d, e, f] = from;
    [V([a.read(token), b.read(token), c.read(token)]), V([d.read(token), e.read(token), f.read(token)])]
}

#[inline(always)]
fn store<S: Simd>(token: Part<S>, [a, b]: [V<Many<S>>; 2], to: &mut [Pack; 6]) {
    for k in 0..3 {
        to[k].write(token, a.0[k]);
        to[k + 3].write(token, b.0[k]);
    }
}

/// Rows of a column, or of several side by side.
#[inline(always)]
fn rows<S: Simd>(token: Part<S>, rows: &[[Pack; WIDE]], at: usize, w: usize) -> V<Many<S>> {
    let rows = &rows[at..at + 3];
    V([rows[0][w].read(token), rows[1][w].read(token), rows[2][w].read(token)])
}

#[inline(always)]
fn set_rows<S: Simd>(token: Part<S>, rows: &mut [[Pack; WIDE]], (at, w): (usize, usize), value: V<Many<S>>) {
    let rows = &mut rows[at..at + 3];
    for k in 0..3 {
        rows[k][w].write(token, value.0[k]);
    }
}

/// (C1) for the links up to `last`.
#[inline(always)]
fn inward<S: Simd>(simd: S, tree: &Tree, last: usize, work: &Work<Pack, f64>, block: &mut Block) {
    block.forks.fill(Handed::default());
    let mut handed = Handed::default();
    for (i, place) in tree.places[..=last].iter().enumerate().rev() {
        let u = place.u as usize;
        let record = &work.records[i / PACK];
        if place.fork != NONE {
            let fork = &block.forks[place.fork as usize];
            for w in 0..WIDE {
                for token in parts(simd) {
                    for k in 0..6 {
                        let sum: Many<S> = handed[w][k].read(token);
                        handed[w][k].write(token, sum + fork[w][k].read(token));
                    }
                }
            }
        }
        for w in 0..WIDE {
            for token in parts(simd) {
                let [n, f] = load(token, &handed[w]);
                let (n, f) = match place.kind {
                    Kind::Axis => inward_axis(token, record, i % PACK, &mut block.rows[u][w], [n, f]),
                    Kind::Ball | Kind::Free => {
                        let kept = &work.balls[place.group as usize];
                        let free = place.kind == Kind::Free;
                        let first = if free { u + 3 } else { u };
                        let moment = rows(token, &block.rows, first, w);
                        let (rate, force) = inward_ball(token, kept, moment, [n, f]);
                        set_rows(token, &mut block.rows, (first, w), rate);
                        if free {
                            let mass = load_factor::<Many<S>>(token, &kept.mass_below, &kept.mass_inverse);
                            let a = mass.solve(rows(token, &block.rows, u, w) - force);
                            set_rows(token, &mut block.rows, (u, w), a);
                        }
                        (moment, force)
                    }
                };
                let n = match place.begins && place.kind != Kind::Free {
                    true => V::load(token, &work.groups[place.group as usize].r).cross_add(f, n),
                    false => n,
                };
                store(token, [n, f], &mut handed[w]);
            }
        }
        if place.from != NONE {
            let fork = &mut block.forks[place.from as usize];
            for w in 0..WIDE {
                for token in parts(simd) {
                    for k in 0..6 {
                        let sum: Many<S> = fork[w][k].read(token);
                        fork[w][k].write(token, sum + handed[w][k].read(token));
                    }
                }
            }
        }
        if !place.follows {
            handed = Handed::default();
        }
    }
}

#[inline(always)]
fn inward_axis<S: Simd>(
    token: Part<S>,
    record: &Record<Pack>,
    lane: usize,
    row: &mut Pack,
    [n, f]: [V<Many<S>>; 2],
) -> (V<Many<S>>, V<Many<S>>) {
    let [turn, slide] = same(token, &record.motion, lane);
    let [w_turn, w_slide] = same(token, &record.w, lane);
    let inverse: Many<S> = record.inverse.0[lane].read(token);
    let force: Many<S> = row.read(token);
    let rest = (force - turn.dot(n)) - slide.dot(f);
    row.write(token, rest * inverse);
    (n.axpy(rest, w_turn), f.axpy(rest, w_slide))
}

/// J⁻¹ (τ − n), and the force that crosses the joint.
#[inline(always)]
fn inward_ball<S: Simd>(
    token: Part<S>,
    kept: &KeptBall<f64>,
    moment: V<Many<S>>,
    [n, f]: [V<Many<S>>; 2],
) -> (V<Many<S>>, V<Many<S>>) {
    let rest = moment - n;
    let solved = load_factor::<Many<S>>(token, &kept.below, &kept.inverse).solve(rest);
    (solved, f + Columns::load(token, &kept.k).transposed_times(rest))
}

/// (C2)
#[inline(always)]
fn outward<S: Simd>(simd: S, tree: &Tree, work: &Work<Pack, f64>, block: &mut Block) {
    let mut handed = Handed::default();
    for (i, place) in tree.places.iter().enumerate() {
        let u = place.u as usize;
        if !place.follows {
            handed = match place.from {
                NONE => Handed::default(),
                from => block.forks[from as usize],
            };
        }
        let record = &work.records[i / PACK];
        for w in 0..WIDE {
            for token in parts(simd) {
                let [al, mut a] = load(token, &handed[w]);
                if place.begins {
                    a = al.cross_add(V::load(token, &work.groups[place.group as usize].r), a);
                }
                let now = match place.kind {
                    Kind::Axis => {
                        let lane = i % PACK;
                        let [turn, slide] = same(token, &record.motion, lane);
                        let [w_turn, w_slide] = same(token, &record.w, lane);
                        let row = &mut block.rows[u][w];
                        let rate: Many<S> = row.read(token);
                        let rate = (rate - w_turn.dot(al)) - w_slide.dot(a);
                        row.write(token, rate);
                        [al.axpy(rate, turn), a.axpy(rate, slide)]
                    }
                    Kind::Ball | Kind::Free => {
                        let kept = &work.balls[place.group as usize];
                        let mut first = u;
                        if place.kind == Kind::Free {
                            a = rows(token, &block.rows, u, w);
                            first = u + 3;
                        }
                        let turning =
                            rows(token, &block.rows, first, w) - Columns::load(token, &kept.k).times(a);
                        set_rows(token, &mut block.rows, (first, w), turning - al);
                        [turning, a]
                    }
                };
                store(token, now, &mut handed[w]);
            }
        }
        if place.fork != NONE {
            block.forks[place.fork as usize] = handed;
        }
    }
}

/// Replaces the columns of a matrix, rate by rate in rows, by −M⁻¹ of them.
#[inline(always)]
pub(super) fn solve_negative<S: Simd>(
    simd: S,
    tree: &Tree,
    work: &Work<Pack, f64>,
    block: &mut Block,
    matrix: &mut [f64],
) {
    let n = tree.u_count;
    for first in (0..n).step_by(BLOCK) {
        let wide = BLOCK.min(n - first);
        for (row, to) in matrix.chunks_exact(n).zip(&mut block.rows) {
            let row = &row[first..first + wide];
            if let Ok(row) = <&[f64; BLOCK]>::try_from(row) {
                for k in 0..BLOCK {
                    to[k / PACK].0[k % PACK] = -row[k];
                }
                continue;
            }
            for (k, x) in row.iter().enumerate() {
                to[k / PACK].0[k % PACK] = -x;
            }
        }
        inward(simd, tree, tree.len() - 1, work, block);
        outward(simd, tree, work, block);
        put_back(matrix, n, first, block);
    }
}

/// M⁻¹.
#[inline(always)]
pub(super) fn invert<S: Simd>(
    simd: S,
    tree: &Tree,
    link_of: &[u32],
    (work, block): (&Work<Pack, f64>, &mut Block),
    matrix: &mut [f64],
) {
    let n = tree.u_count;
    for first in (0..n).step_by(BLOCK) {
        let end = n.min(first + BLOCK);
        block.rows.fill([Pack::default(); WIDE]);
        for k in first..end {
            block.rows[k][(k - first) / PACK].0[(k - first) % PACK] = 1.0;
        }
        inward(simd, tree, link_of[end - 1] as usize, work, block);
        outward(simd, tree, work, block);
        put_back(matrix, n, first, block);
    }
}

#[inline(always)]
fn put_back(matrix: &mut [f64], n: usize, first: usize, block: &Block) {
    let wide = BLOCK.min(n - first);
    for (row, from) in matrix.chunks_exact_mut(n).zip(&block.rows) {
        let row = &mut row[first..first + wide];
        if let Ok(row) = <&mut [f64; BLOCK]>::try_from(&mut *row) {
            for k in 0..BLOCK {
                row[k] = from[k / PACK].0[k % PACK];
            }
            continue;
        }
        for (k, x) in row.iter_mut().enumerate() {
            *x = from[k / PACK].0[k % PACK];
        }
    }
}
