//! What the family around the forward dynamics shares: buffers, how a call reaches the instructions of the machine, and how
//! columns of numbers are laid out.
//!
//! All of them begin with the first sweep of [`super::packed`], with rates that stand still, so that frames, joints' motions and inertias
//! are those of the forward dynamics to the bit. Accelerations of rates are added where they are asked for:
//!
//! ```text
//!   (P1)  Â = Â_k + S u̇,  Â = 0 on the ground, expressed about the reference point of the link's own group
//!   (P2)  n += J α̂ + mc × â,   f += m â + α̂ × mc
//! ```
//!
//! **Runs.** Rates are numbered link by link. Where each link hangs on the one just before it and no group begins, the rates that move
//! the last of them are neighbours in memory and expressed about one point: products with them run in lanes. A way to the ground is a few such runs.

use super::algebra::V;
use super::lane::{Lane, Many, PACK, Pack, Part, Picked};
use super::packed::RUN;
use super::tree::{Kind, NONE, Tree};
use super::work::Work;
use pulp::{Arch, Simd, WithSimd};

/// What is to be done with the instructions of a machine.
pub(super) trait Task {
    fn run<S: Simd, const FUSED: bool>(self, simd: S);
}

struct Dispatch<T>(T);

impl<T: Task> WithSimd for Dispatch<T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F64_LANES == 1 { self.0.run::<S, false>(simd) } else { self.0.run::<S, true>(simd) }
    }
}

/// Does a task with the best instructions that there are.
#[inline]
pub(super) fn dispatch(arch: Arch, task: impl Task) {
    arch.dispatch(Dispatch(task));
}

/// The parts of a pack.
#[inline(always)]
pub(super) fn parts<S: Simd>(simd: S) -> impl Iterator<Item = Part<S>> + Clone {
    (0..Many::<S>::PARTS).map(move |part| Part { simd, part })
}

/// Neighbouring rates, see the header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The first rate.
    pub first: u32,
    /// The link that the run hangs on.
    pub above: u32,
    /// The group that begins with it, whose reference point is not that of the link above.
    pub group: u32,
}

/// Â of eight links: angular, and of what passes the reference point.
pub(super) type Beyond = [[Pack; 3]; 2];

/// A tree, the buffers of its first sweep, and its runs.
#[derive(Clone, Debug)]
pub(super) struct Posture {
    pub tree: Tree,
    pub arch: Arch,
    pub work: Work<Pack, f64>,
    /// Â of all links.
    pub beyond: Vec<Beyond>,
    pub runs: Vec<Run>,
    /// The run of each link.
    pub run_of: Vec<u32>,
    /// Which link a rate belongs to.
    pub link_of: Vec<u32>,
    pub zeros: Vec<f64>,
}

impl Posture {
    pub fn new(tree: Tree) -> Self {
        let packs = tree.len().div_ceil(PACK);
        let (mut runs, mut run_of) = (Vec::<Run>::new(), Vec::with_capacity(tree.len()));
        let mut link_of = Vec::with_capacity(tree.u_count);
        for (i, place) in tree.places.iter().enumerate() {
            if !place.follows || place.begins {
                let group = if place.begins { place.group } else { NONE };
                runs.push(Run { first: place.u, above: tree.parents[i], group });
            }
            run_of.push(runs.len() as u32 - 1);
            link_of.extend(std::iter::repeat_n(i as u32, rates_of(place.kind)));
        }
        Posture {
            work: Work::new(&tree, packs, packs.max(RUN)),
            beyond: vec![Beyond::default(); packs],
            arch: Arch::new(),
            runs,
            run_of,
            link_of,
            zeros: vec![0.0; tree.u_count],
            tree,
        }
    }
}

/// How many rates a joint has.
#[inline(always)]
pub(super) fn rates_of(kind: Kind) -> usize {
    match kind {
        Kind::Axis => 1,
        Kind::Ball => 3,
        Kind::Free => 6,
    }
}

/// Three neighbouring numbers.
#[inline(always)]
pub(super) fn triple<const FUSED: bool>(list: &[f64], from: usize) -> V<Picked<FUSED>> {
    let list = &list[from..from + 3];
    V([Picked(list[0]), Picked(list[1]), Picked(list[2])])
}

/// (P1)
#[inline(always)]
pub(super) fn spread<const FUSED: bool>(
    tree: &Tree,
    rates: &[f64],
    work: &mut Work<Pack, f64>,
    to: &mut [Beyond],
) {
    let zero = V::<Picked<FUSED>>::splat(0, [0.0; 3]);
    let (mut al, mut a) = (zero, zero);
    for (i, place) in tree.places.iter().enumerate() {
        let (at, token) = Picked::<FUSED>::at(0, i);
        if !place.follows {
            (al, a) = match place.from {
                NONE => (zero, zero),
                from => {
                    let beyond = &work.forks[from as usize].beyond;
                    (V::load(0, &beyond[0]), V::load(0, &beyond[1]))
                }
            };
        }
        if place.begins {
            a = al.cross_add(V::load(0, &work.groups[place.group as usize].r), a);
        }
        let u = place.u as usize;
        match place.kind {
            Kind::Axis => {
                let [turn, slide] = work.records[at].motion::<Picked<FUSED>>(token);
                let rate = Picked(rates[u]);
                al = al.axpy(rate, turn);
                a = a.axpy(rate, slide);
            }
            Kind::Ball => al = al + triple(rates, u),
            Kind::Free => (al, a) = (triple(rates, u + 3), triple(rates, u)),
        }
        let beyond = &mut to[at];
        al.store(token, &mut beyond[0]);
        a.store(token, &mut beyond[1]);
        if place.fork != NONE {
            let beyond = &mut work.forks[place.fork as usize].beyond;
            al.store(0, &mut beyond[0]);
            a.store(0, &mut beyond[1]);
        }
    }
}

/// Runs from a link to the ground.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub tree: &'a Tree,
    pub runs: &'a [Run],
    pub run_of: &'a [u32],
}

/// Neighbouring rates [lo, hi) on a way, and the group whose reference point is left before them.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub lo: usize,
    pub hi: usize,
    pub left: Option<usize>,
}

impl Way<'_> {
    /// The rates of a link and of the links that it hangs on, without those of its run from `hi` on.
    #[inline(always)]
    pub fn from(self, link: usize, hi: usize) -> impl Iterator<Item = Stretch> {
        let mut next = Some((link, hi, None));
        std::iter::from_fn(move || {
            let (link, hi, left) = next?;
            let run = &self.runs[self.run_of[link] as usize];
            next = (run.above != NONE).then(|| {
                let place = &self.tree.places[run.above as usize];
                let hi = place.u as usize + rates_of(place.kind);
                (run.above as usize, hi, (run.group != NONE).then_some(run.group as usize))
            });
            Some(Stretch { lo: run.first as usize, hi, left })
        })
    }
}

impl Posture {
    /// Whether every link moves all that come after it.
    pub fn is_chain(&self) -> bool {
        self.tree.places.iter().skip(1).all(|place| place.follows)
    }
}

/// Writes what a pack says about the rates [lo, hi) into a row, of which the pack's first number stands at 8 `block`.
#[inline(always)]
pub(super) fn put(row: &mut [f64], block: usize, (lo, hi): (usize, usize), pack: &Pack) {
    let first = block * PACK;
    if lo <= first && first + PACK <= hi {
        row[first..first + PACK].copy_from_slice(&pack.0);
        return;
    }
    for j in lo.max(first)..hi.min(first + PACK) {
        row[j] = pack.0[j % PACK];
    }
}

/// The same for a column of a matrix of n columns.
#[inline(always)]
pub(super) fn put_down(
    matrix: &mut [f64],
    (n, column): (usize, usize),
    block: usize,
    (lo, hi): (usize, usize),
    pack: &Pack,
) {
    let first = block * PACK;
    for j in lo.max(first)..hi.min(first + PACK) {
        matrix[j * n + column] = pack.0[j % PACK];
    }
}
