//! The mass matrix of a tree in O(n d), d the number of links from the ground to a link, and its inverse in O(n²).
//!
//! Composite bodies in world axes about the reference point of each group: (m, mc, J) of a link and of all that hangs on it are sums, and
//! where a group ends at r they are expressed about the point before,
//!
//! ```text
//!   (M1)  J' = J + 2 (r·mc) 1 − r mcᵀ − mc rᵀ + m (r·r 1 − r rᵀ),   mc' = mc + m r
//!   (M2)  P = (J ω + mc × s, m s + ω × mc)  for a rate's motion S = (ω, s)
//!   (M3)  M_da = P_d · S_a  for every rate a on the way from d to the ground, with n' = n + r × f where a group ends
//! ```
//!
//! Idle spins: an axis adds its part to its own diagonal, a ball joint or a floating link adds its matrix to J.
//!
//! The inverse comes from the elimination of the forward dynamics ([`super::by_columns`]): the mass matrix of a long chain is far too ill-conditioned
//! to be factored without loss.

use super::algebra::{Columns, Symmetric, V};
use super::by_columns::{Block, invert};
use super::derivatives::{NoInertia, without_inertia};
use super::inverse::idle;
use super::lane::{Lane, Many, PACK, Pack, Picked, Sink, Source};
use super::packed::outward_packed;
use super::posture::{Posture, Task, Way, dispatch, parts, put, put_down, rates_of};
use super::sweeps;
use super::tree::{Kind, NONE, Tree};
use super::work::Work;
use pulp::Simd;

/// Mass, first moment and inertia about a reference point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Composite<L> {
    pub mass: L,
    pub mc: V<L>,
    pub j: Symmetric<L>,
}

/// What is stored of it at a fork.
pub(super) type StoredComposite = [f64; 10];

/// −a bᵀ − b aᵀ + 2 (a·b) 1, added to a symmetric matrix.
#[inline(always)]
pub(super) fn add_moment<L: Lane>(j: &Symmetric<L>, a: V<L>, b: V<L>) -> Symmetric<L> {
    let ([ax, ay, az], [bx, by, bz]) = (a.0, b.0);
    let (xx, yy, zz) = (ax * bx, ay * by, az * bz);
    let twice = |x: L| x + x;
    let m = &j.0;
    Symmetric([
        m[0] + twice(yy + zz),
        ax.mul_sub(by, ay.mul_sub(bx, m[1])),
        ax.mul_sub(bz, az.mul_sub(bx, m[2])),
        m[3] + twice(xx + zz),
        ay.mul_sub(bz, az.mul_sub(by, m[4])),
        m[5] + twice(xx + yy),
    ])
}

impl<L: Lane> Composite<L> {
    /// The sum.
    #[inline(always)]
    pub fn plus(&self, b: &Self) -> Self {
        Composite {
            mass: self.mass + b.mass,
            mc: self.mc + b.mc,
            j: Symmetric(std::array::from_fn(|k| self.j.0[k] + b.j.0[k])),
        }
    }

    /// (M1)
    #[inline(always)]
    pub fn shift(&self, r: V<L>) -> Self {
        let j = add_moment(&self.j, r, self.mc.axpy(self.mass * self.mass.of(0.5), r));
        Composite { mass: self.mass, mc: self.mc.axpy(self.mass, r), j }
    }

    /// (M2)
    #[inline(always)]
    pub fn times(&self, [w, v]: [V<L>; 2]) -> [V<L>; 2] {
        [self.mc.cross_add(v, self.j.times(w)), w.cross_add(self.mc, v.scale(self.mass))]
    }

    #[inline(always)]
    pub fn zero(token: L::Token) -> Self {
        let zero = L::splat(token, 0.0);
        Composite { mass: zero, mc: V([zero; 3]), j: Symmetric([zero; 6]) }
    }
}

/// A tree with the buffers for its mass matrix.
///
/// ```
/// use linkwork::recursive::{Link, LinkJoint, MassMatrix, Tree};
/// let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let axis = LinkJoint::revolute([0.0, 0.0, 1.0]);
/// let rod = |parent: Option<usize>, at: [f64; 3]| Link {
///     mass: 1.0,
///     com: [1.0, 0.0, 0.0],
///     ..Link::massless(parent, axis, identity, at)
/// };
/// // two point masses on a stretched double pendulum
/// let tree = Tree::new(&[rod(None, [0.0; 3]), rod(Some(0), [1.0, 0.0, 0.0])], [0.0; 3])?;
/// let mut matrix = MassMatrix::new(tree);
/// let mut m = [0.0; 4];
/// matrix.full(&[0.0, 0.0], &mut m);
/// assert_eq!(m, [5.0, 2.0, 2.0, 1.0]);
/// # Ok::<(), linkwork::recursive::TreeFault>(())
/// ```
#[derive(Clone, Debug)]
pub struct MassMatrix {
    posture: Posture,
    /// S by rates.
    motions: Vec<[Pack; 6]>,
    forks: Vec<StoredComposite>,
    /// Made when somebody asks for the inverse.
    block: Option<Block>,
}

impl MassMatrix {
    /// Buffers for a tree.
    pub fn new(tree: Tree) -> Self {
        let motions = vec![[Pack::default(); 6]; tree.u_count.div_ceil(PACK)];
        let forks = vec![[0.0; 10]; tree.forks];
        MassMatrix { posture: Posture::new(tree), motions, forks, block: None }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.posture.tree
    }

    /// Makes the buffers for [`MassMatrix::inverse`], which does it by itself the first time.
    pub fn prepare_inverse(&mut self) {
        if self.block.is_none() {
            self.block = Some(Block::new(&self.posture.tree));
        }
    }

    /// The matrix at q, row by row, both triangles.
    ///
    /// # Panics
    /// Where `out` does not hold u_count² numbers, or `q` is too short.
    pub fn full(&mut self, q: &[f64], out: &mut [f64]) {
        self.go::<true>(q, out);
    }

    /// The matrix at q, row by row, of which only the lower triangle is written.
    ///
    /// # Panics
    /// As [`MassMatrix::full`].
    pub fn lower(&mut self, q: &[f64], out: &mut [f64]) {
        self.go::<false>(q, out);
    }

    fn go<const BOTH: bool>(&mut self, q: &[f64], out: &mut [f64]) {
        let n = self.posture.tree.u_count;
        let out = &mut out[..n * n];
        if !self.posture.is_chain() {
            for (i, row) in out.chunks_exact_mut(n.max(1)).enumerate() {
                row[..if BOTH { n } else { i + 1 }].fill(0.0);
            }
        }
        let Posture { tree, work, runs, run_of, zeros, arch, .. } = &mut self.posture;
        let way = Way { tree, runs, run_of };
        let (motions, forks) = (&mut self.motions, &mut self.forks);
        dispatch(*arch, Filling::<BOTH> { way, q, zeros, work, motions, forks, out });
    }

    /// The inverse of the matrix at q, row by row. `out` is zero where there is none.
    ///
    /// # Panics
    /// As [`MassMatrix::full`].
    pub fn inverse(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), NoInertia> {
        self.prepare_inverse();
        let Posture { tree, work, link_of, zeros, arch, .. } = &mut self.posture;
        let (n, Some(block)) = (tree.u_count, &mut self.block) else { return Ok(()) };
        let out = &mut out[..n * n];
        dispatch(*arch, Inverting { tree, q, zeros, link_of, work, block, out: &mut *out });
        match without_inertia(tree, work) {
            None => Ok(()),
            Some(link) => {
                out.fill(0.0);
                Err(NoInertia { link })
            }
        }
    }
}

struct Filling<'a, const BOTH: bool> {
    way: Way<'a>,
    q: &'a [f64],
    zeros: &'a [f64],
    work: &'a mut Work<Pack, f64>,
    motions: &'a mut [[Pack; 6]],
    forks: &'a mut [StoredComposite],
    out: &'a mut [f64],
}

/// The motion of one rate of a joint, (ω, s); of a ball joint or a floating link about its own reference point.
#[inline(always)]
pub(super) fn motion_of<const FUSED: bool>(
    kind: Kind,
    k: usize,
    axis: [V<Picked<FUSED>>; 2],
) -> [V<Picked<FUSED>>; 2] {
    let zero = V::splat(0, [0.0; 3]);
    let unit = V::splat(0, std::array::from_fn(|i| f64::from(u8::from(i == k % 3))));
    match (kind, k) {
        (Kind::Axis, _) => axis,
        (Kind::Free, 0..3) => [zero, unit],
        (Kind::Ball | Kind::Free, _) => [unit, zero],
    }
}

/// S by rates.
#[inline(always)]
pub(super) fn motions_by_rate<const FUSED: bool>(tree: &Tree, work: &Work<Pack, f64>, to: &mut [[Pack; 6]]) {
    if tree.u_count == tree.len() && work.balls.is_empty() {
        for (record, to) in work.records.iter().zip(to) {
            let [[a, b, c], [d, e, f]] = record.motion;
            *to = [a, b, c, d, e, f];
        }
        return;
    }
    for (i, place) in tree.places.iter().enumerate() {
        let axis = work.records[i / PACK].motion::<Picked<FUSED>>(i % PACK);
        for k in 0..rates_of(place.kind) {
            let [w, v] = motion_of(place.kind, k, axis);
            let u = place.u as usize + k;
            for c in 0..3 {
                to[u / PACK][c].0[u % PACK] = w.0[c].0;
                to[u / PACK][c + 3].0[u % PACK] = v.0[c].0;
            }
        }
    }
}

impl<const BOTH: bool> Task for Filling<'_, BOTH> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, simd: S) {
        let Filling { way, q, zeros, work, motions, forks, out } = self;
        let (tree, n) = (way.tree, way.tree.u_count);
        match tree.spare.is_empty() {
            true => outward_packed::<S, FUSED, false>(simd, tree, q, zeros, work),
            false => outward_packed::<S, FUSED, true>(simd, tree, q, zeros, work),
        }
        motions_by_rate::<FUSED>(tree, work, motions);
        forks.fill([0.0; 10]);
        let mut carried = Composite::<Picked<FUSED>>::zero(0);
        for (i, place) in tree.places.iter().enumerate().rev() {
            let (at, token) = Picked::<FUSED>::at(0, i);
            let record = &work.records[at];
            let body = Composite {
                mass: Picked(tree.masses[i]),
                mc: V::load(token, &record.w[0]),
                j: Symmetric::load(token, &record.j),
            };
            carried = carried.plus(&body);
            if place.fork != NONE {
                carried = carried.plus(&restore(&forks[place.fork as usize]));
            }
            let axis = record.motion(token);
            let mut idle_axis = 0.0;
            if let Some(spare) = tree.spare.get(i) {
                match place.kind {
                    Kind::Axis => idle_axis = spare[2][2],
                    Kind::Ball | Kind::Free => {
                        let frame = Columns::load(token, &work.moving[at].frame);
                        let idle = idle::<FUSED>(spare, &frame);
                        carried.j = Symmetric(std::array::from_fn(|k| carried.j.0[k] + idle.0[k]));
                    }
                }
            }
            for k in 0..rates_of(place.kind) {
                let d = place.u as usize + k;
                let mut p = carried.times(motion_of(place.kind, k, axis));
                for stretch in way.from(i, d + 1) {
                    if let Some(group) = stretch.left {
                        p[0] = V::load(0, &work.groups[group].r).cross_add(p[1], p[0]);
                    }
                    let range = (stretch.lo, stretch.hi);
                    for block in stretch.lo / PACK..stretch.hi.div_ceil(PACK) {
                        let pack = products(simd, &motions[block], [p[0].0, p[1].0]);
                        put(&mut out[d * n..(d + 1) * n], block, range, &pack);
                        if BOTH {
                            put_down(out, (n, d), block, range, &pack);
                        }
                    }
                }
                out[d * n + d] += idle_axis;
            }
            if place.begins && tree.parents[i] != NONE {
                carried = carried.shift(V::load(0, &work.groups[place.group as usize].r));
            }
            if place.from != NONE {
                let fork = &mut forks[place.from as usize];
                *fork = keep(&carried.plus(&restore(fork)));
            }
            if !place.follows {
                carried = Composite::zero(0);
            }
        }
    }
}

/// (M3) for a pack of rates.
#[inline(always)]
fn products<S: Simd, const FUSED: bool>(simd: S, motions: &[Pack; 6], p: [[Picked<FUSED>; 3]; 2]) -> Pack {
    let mut pack = Pack::default();
    for token in parts(simd) {
        let half = |from: usize| {
            let of = |k: usize| -> Many<S> { motions[from + k].read(token) };
            let with = |k: usize| Many::<S>::splat(token, p[from / 3][k].0);
            of(2).mul_add(with(2), of(1).mul_add(with(1), of(0) * with(0)))
        };
        pack.write(token, half(0) + half(3));
    }
    pack
}

#[inline(always)]
fn restore<const FUSED: bool>(x: &StoredComposite) -> Composite<Picked<FUSED>> {
    Composite {
        mass: Picked(x[0]),
        mc: V([Picked(x[1]), Picked(x[2]), Picked(x[3])]),
        j: Symmetric(std::array::from_fn(|k| Picked(x[k + 4]))),
    }
}

#[inline(always)]
fn keep<const FUSED: bool>(x: &Composite<Picked<FUSED>>) -> StoredComposite {
    let (c, j) = (x.mc.0, &x.j.0);
    [x.mass.0, c[0].0, c[1].0, c[2].0, j[0].0, j[1].0, j[2].0, j[3].0, j[4].0, j[5].0]
}

struct Inverting<'a> {
    tree: &'a Tree,
    q: &'a [f64],
    zeros: &'a [f64],
    link_of: &'a [u32],
    work: &'a mut Work<Pack, f64>,
    block: &'a mut Block,
    out: &'a mut [f64],
}

impl Task for Inverting<'_> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, simd: S) {
        let Inverting { tree, q, zeros, link_of, work, block, out } = self;
        if tree.is_empty() {
            return;
        }
        outward_packed::<S, FUSED, false>(simd, tree, q, zeros, work);
        sweeps::inward::<Picked<FUSED>, f64>(0, tree, tree.given(), zeros, work);
        invert(simd, tree, link_of, (work, block), out);
    }
}
