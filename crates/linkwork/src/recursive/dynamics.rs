//! Forward dynamics of one mechanism: which kernel, in how many calls.

use super::lane::{Lane, Many, One, PACK, Pack, Part, Picked, Sink, Source};
use super::packed::{RUN, outward_packed};
use super::response::respond;
use super::sweeps::{accelerate, inward, outward};
use super::tree::{Kind, Tree};
use super::work::{Work, Wrench};
use crate::linalg::spatial::{self, Twist};
use crate::linalg::vec3::{Mat3, Vec3, add, cross, dot, sub};
use pulp::{Arch, Simd, WithSimd};
use std::marker::PhantomData;

/// Trees of fewer links are worked on link by link: a pack would be mostly empty.
const FEW: usize = 6;

/// Which kernel works on a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Link by link.
    Single,
    /// Neighbouring links side by side.
    Packed,
}

/// How a link moves at an instant. Places are measured from the reference point of its group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// The link's frame in the world.
    pub rotation: Mat3,
    /// The reference point in the world.
    pub base: Vec3,
    /// The frame's origin from it.
    pub p: Vec3,
    /// Angular velocity, and velocity of the point of the link that is at the reference point.
    pub twist: Twist,
    /// Rate of the twist, with all accelerations of rates zero: not that of a point of the link, but that of what passes the
    /// reference point.
    pub bias: Twist,
}

impl LinkMotion {
    /// Velocity of a place of the link at r from the reference point.
    #[inline]
    pub fn velocity(&self, r: Vec3) -> Vec3 {
        self.twist.velocity(r)
    }

    /// Acceleration of a place of the link at r, with all accelerations of rates zero.
    #[inline]
    pub fn bias(&self, r: Vec3) -> Vec3 {
        add(self.bias.v, add(cross(self.bias.w, r), cross(self.twist.w, self.velocity(r))))
    }
}

/// A tree with the buffers for its forward dynamics.
///
/// [`Dynamics::forward`] does everything in one call. Where forces depend on where the links are, [`Dynamics::place`] comes first, then
/// [`Dynamics::motion`] tells, [`Dynamics::load`] adds forces, and [`Dynamics::solve`] gives the accelerations.
#[derive(Clone, Debug)]
pub struct Dynamics {
    tree: Tree,
    arch: Arch,
    work: Storage,
    again: Vec<Wrench<f64>>,
    eight: Vec<Wrench<Pack>>,
}

#[derive(Clone, Debug)]
enum Storage {
    Single(Work<f64, f64>),
    Packed(Work<Pack, f64>),
}

impl Dynamics {
    /// Buffers for a tree, for [`Dynamics::forward`] and everything else.
    pub fn new(tree: Tree) -> Self {
        let kernel = if tree.len() < FEW { Kernel::Single } else { Kernel::Packed };
        Self::with_kernel(tree, kernel)
    }

    /// The same with a kernel of the caller's choice. The results are the same to the bit.
    pub fn with_kernel(tree: Tree, kernel: Kernel) -> Self {
        let n = tree.len();
        let work = match kernel {
            Kernel::Single => Storage::Single(Work::new(&tree, n, 0)),
            Kernel::Packed => Storage::Packed(Work::new(&tree, n.div_ceil(PACK), RUN)),
        };
        Dynamics { tree, arch: Arch::new(), work, again: Vec::new(), eight: Vec::new() }
    }

    /// Makes room for what [`Dynamics::place`] and the calls after it keep; they do it by themselves the first time.
    pub fn prepare(&mut self) {
        let n = self.tree.len();
        if self.again.len() == n {
            return;
        }
        self.again = vec![Wrench::default(); n];
        self.work = match self.work {
            Storage::Single(_) => Storage::Single(Work::new(&self.tree, n, n)),
            Storage::Packed(_) => {
                let packs = n.div_ceil(PACK);
                Storage::Packed(Work::new(&self.tree, packs, packs.max(RUN)))
            }
        };
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Accelerations of the rates at (q, u) under forces on the rates.
    ///
    /// # Panics
    /// Where a slice is shorter than the tree's counts.
    pub fn forward(&mut self, q: &[f64], u: &[f64], tau: &[f64], out: &mut [f64]) {
        let job = Job { tree: &self.tree, q, u, tau, out };
        match &mut self.work {
            Storage::Single(work) => self.arch.dispatch(Single(work, job, PhantomData::<Whole>)),
            Storage::Packed(work) => self.arch.dispatch(Packed(work, job, PhantomData::<Whole>)),
        }
    }

    /// Puts the links where (q, u) has them.
    pub fn place(&mut self, q: &[f64], u: &[f64]) {
        self.prepare();
        let job = Job { tree: &self.tree, q, u, tau: &[], out: &mut [] };
        match &mut self.work {
            Storage::Single(work) => self.arch.dispatch(Single(work, job, PhantomData::<Placing>)),
            Storage::Packed(work) => self.arch.dispatch(Packed(work, job, PhantomData::<Placing>)),
        }
    }

    /// Where a link is and how it moves. Follows [`Dynamics::place`].
    #[inline]
    pub fn motion(&self, link: usize) -> LinkMotion {
        let group = self.tree.places[link].group as usize;
        match &self.work {
            Storage::Single(work) => motion_at::<One<false>>(&self.tree, link, work, group, (link, ())),
            Storage::Packed(work) => {
                let at = Picked::<false>::at(0, link);
                motion_at::<Picked<false>>(&self.tree, link, work, group, at)
            }
        }
    }

    /// Adds a force on a link at r from its reference point, and a moment. Follows [`Dynamics::place`], comes before
    /// [`Dynamics::solve`].
    #[inline]
    pub fn load(&mut self, link: usize, r: Vec3, force: Vec3, moment: Vec3) {
        let moment = add(moment, cross(r, force));
        match &mut self.work {
            Storage::Single(work) => {
                let record = &mut work.records[link];
                record.w[1] = sub(record.w[1], moment);
                record.rate -= force[0];
                record.inverse -= force[1];
                record.f2 -= force[2];
            }
            Storage::Packed(work) => {
                let (record, k) = (&mut work.records[link / PACK], link % PACK);
                for i in 0..3 {
                    record.w[1][i].0[k] -= moment[i];
                }
                record.rate.0[k] -= force[0];
                record.inverse.0[k] -= force[1];
                record.f2.0[k] -= force[2];
            }
        }
    }

    /// Accelerations of the rates where the links were put, under the loads and under forces on the rates. What
    /// [`Dynamics::solve_again`] needs is kept.
    pub fn solve(&mut self, tau: &[f64], out: &mut [f64]) {
        let job = Job { tree: &self.tree, q: &[], u: &[], tau, out };
        match &mut self.work {
            Storage::Single(work) => self.arch.dispatch(Single(work, job, PhantomData::<Solving>)),
            Storage::Packed(work) => self.arch.dispatch(Packed(work, job, PhantomData::<Solving>)),
        }
    }

    /// Clears the loads of [`Dynamics::solve_again`].
    pub fn clear_again(&mut self) {
        self.again.fill(Wrench::default());
    }

    /// Adds a load for [`Dynamics::solve_again`], as [`Dynamics::load`].
    #[inline]
    pub fn load_again(&mut self, link: usize, r: Vec3, force: Vec3, moment: Vec3) {
        let to = &mut self.again[link];
        to.n = sub(to.n, add(moment, cross(r, force)));
        to.f = sub(to.f, force);
    }

    /// What forces alone do to the rates, M⁻¹ (τ + Jᵀ loads), with the inertias of the last [`Dynamics::solve`]. The loads are those of
    /// [`Dynamics::load_again`], and are used up: call [`Dynamics::clear_again`] before the next ones.
    pub fn solve_again(&mut self, tau: &[f64], out: &mut [f64]) {
        out.copy_from_slice(tau);
        let (tree, wrenches) = (&self.tree, self.again.as_mut_slice());
        match &self.work {
            Storage::Single(work) => self.arch.dispatch(SingleAnswer { tree, work, wrenches, out }),
            Storage::Packed(work) => self.arch.dispatch(PackedAnswer { tree, work, wrenches, out }),
        }
    }

    /// M⁻¹ times eight right-hand sides at a time, in place, with the inertias of the last [`Dynamics::solve`].
    pub fn solve_eight(&mut self, out: &mut [Pack]) {
        self.eight.resize(self.tree.len(), Wrench::default());
        self.eight.fill(Wrench::default());
        let (tree, wrenches) = (&self.tree, self.eight.as_mut_slice());
        match &self.work {
            Storage::Single(work) => self.arch.dispatch(SingleEight { tree, work, wrenches, out }),
            Storage::Packed(work) => self.arch.dispatch(PackedEight { tree, work, wrenches, out }),
        }
    }

    /// The motion of a link per unit of the rate of its axis: angular, and of what passes the reference point.
    #[inline]
    fn axis_motion(&self, link: usize) -> [Vec3; 2] {
        match &self.work {
            Storage::Single(work) => work.records[link].motion,
            Storage::Packed(work) => work.records[link / PACK].motion.map(|v| v.map(|x| x.0[link % PACK])),
        }
    }

    /// From the parent's reference point to the link's own, if its joint begins a group of links.
    #[inline]
    pub fn offset(&self, link: usize) -> Option<Vec3> {
        let place = &self.tree.places[link];
        let groups = match &self.work {
            Storage::Single(work) => &work.groups,
            Storage::Packed(work) => &work.groups,
        };
        place.begins.then(|| groups[place.group as usize].r)
    }

    /// Velocities of all links for given rates where the links are: angular, and of what passes the reference point.
    pub fn spread(&self, rates: &[f64], out: &mut [Twist]) {
        for (i, place) in self.tree.places.iter().enumerate() {
            let u = place.u as usize;
            let Twist { mut v, mut w } = self.tree.parent(i).map_or_else(Twist::default, |p| out[p]);
            if let Some(r) = self.offset(i) {
                v = add(v, cross(w, r));
            }
            match place.kind {
                Kind::Axis => {
                    let [turn, slide] = self.axis_motion(i);
                    for k in 0..3 {
                        w[k] += rates[u] * turn[k];
                        v[k] += rates[u] * slide[k];
                    }
                }
                Kind::Ball => w = add(w, [rates[u], rates[u + 1], rates[u + 2]]),
                Kind::Free => {
                    v = [rates[u], rates[u + 1], rates[u + 2]];
                    w = [rates[u + 3], rates[u + 4], rates[u + 5]];
                }
            }
            out[i] = Twist { v, w };
        }
    }

    /// Calls back with every rate that moves a link and the power for a unit of that rate of a wrench on it, whose moment is about
    /// the link's reference point.
    pub fn each_rate(&self, link: usize, wrench: spatial::Wrench, mut f: impl FnMut(usize, f64)) {
        let mut at = Some(link);
        let spatial::Wrench { force, mut moment } = wrench;
        while let Some(i) = at {
            let place = &self.tree.places[i];
            let u = place.u as usize;
            match place.kind {
                Kind::Axis => {
                    let [turn, slide] = self.axis_motion(i);
                    f(u, dot(turn, moment) + dot(slide, force));
                }
                Kind::Ball => (0..3).for_each(|k| f(u + k, moment[k])),
                Kind::Free => (0..3).for_each(|k| {
                    f(u + k, force[k]);
                    f(u + 3 + k, moment[k]);
                }),
            }
            if let Some(r) = self.offset(i) {
                moment = add(moment, cross(r, force));
            }
            at = self.tree.parent(i);
        }
    }

    /// The pivots of a ball joint or a floating link's rotation in the last solve: inertias, one after the other.
    pub(crate) fn ball_inertias(&self, link: usize) -> Option<[f64; 3]> {
        let place = &self.tree.places[link];
        let balls = match &self.work {
            Storage::Single(work) => &work.balls,
            Storage::Packed(work) => &work.balls,
        };
        (place.kind != Kind::Axis).then(|| balls[place.group as usize].inverse.map(|x| 1.0 / x))
    }

    /// The first link in the order of elimination whose joint has no inertia to move, if the last solve met one.
    pub fn without_inertia(&self) -> Option<usize> {
        let lowest = match &self.work {
            Storage::Single(work) => work.lowest,
            Storage::Packed(work) => work.lowest,
        };
        if lowest > 0.0 && lowest.is_finite() || self.tree.is_empty() {
            return None;
        }
        (0..self.tree.len()).rev().find(|&i| {
            let place = &self.tree.places[i];
            let fine = |x: f64| x > 0.0 && x.is_finite();
            match (&self.work, place.kind) {
                (Storage::Single(work), Kind::Axis) => !fine(work.records[i].inverse),
                (Storage::Packed(work), Kind::Axis) => !fine(work.records[i / PACK].inverse.0[i % PACK]),
                (Storage::Single(Work { balls, .. }), _) | (Storage::Packed(Work { balls, .. }), _) => {
                    let kept = &balls[place.group as usize];
                    let massless = place.kind == Kind::Free && !kept.mass_inverse.iter().all(|&x| fine(x));
                    massless || !kept.inverse.iter().all(|&x| fine(x))
                }
            }
        })
    }
}

fn motion_at<L: Lane<Number = f64> + Into<f64>>(
    tree: &Tree,
    link: usize,
    work: &Work<L::Cell, f64>,
    group: usize,
    (at, token): (usize, L::Token),
) -> LinkMotion {
    let moving = &work.moving[at];
    let read = |cells: &[L::Cell; 3]| -> Vec3 {
        [0, 1, 2].map(|k| {
            let x: L = cells[k].read(token);
            x.into()
        })
    };
    let columns = [read(&moving.frame[0]), read(&moving.frame[1]), read(&moving.frame[2])];
    let own = &tree.turned[link];
    LinkMotion {
        rotation: std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..3).map(|k| columns[k][i] * own[j][k]).sum())
        }),
        base: work.groups[group].origin,
        p: read(&moving.p),
        twist: Twist { v: read(&moving.v), w: read(&moving.w) },
        bias: Twist { v: add(read(&moving.a), tree.gravity), w: read(&moving.al) },
    }
}

/// What a kernel is to work on.
struct Job<'a> {
    tree: &'a Tree,
    q: &'a [f64],
    u: &'a [f64],
    tau: &'a [f64],
    out: &'a mut [f64],
}

/// Which sweeps.
trait Sweeps {
    /// Whether everything of the links is kept.
    const ALL: bool;
    const OUTWARD: bool;
    const INWARD: bool;
}

struct Whole;
struct Placing;
struct Solving;

impl Sweeps for Whole {
    const ALL: bool = false;
    const OUTWARD: bool = true;
    const INWARD: bool = true;
}

impl Sweeps for Placing {
    const ALL: bool = true;
    const OUTWARD: bool = true;
    const INWARD: bool = false;
}

impl Sweeps for Solving {
    const ALL: bool = true;
    const OUTWARD: bool = false;
    const INWARD: bool = true;
}

impl Job<'_> {
    /// The sweeps after the first.
    #[inline(always)]
    fn inward<L: Lane<Number = f64>>(self, token: L::Token, work: &mut Work<L::Cell, f64>)
    where
        f64: Sink<L>,
    {
        inward::<L, f64>(token, self.tree, self.tree.given(), self.tau, work);
        accelerate::<L>(token, self.tree, work, self.out);
    }
}

struct Single<'a, W>(&'a mut Work<f64, f64>, Job<'a>, PhantomData<W>);

impl<W: Sweeps> WithSimd for Single<'_, W> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if S::F64_LANES == 1 { self.run::<One<false>>() } else { self.run::<One<true>>() }
    }
}

impl<W: Sweeps> Single<'_, W> {
    #[inline(always)]
    fn run<L: Lane<Token = (), Cell = f64, Number = f64>>(self)
    where
        f64: Sink<L>,
    {
        let Single(work, job, _) = self;
        if W::OUTWARD && W::ALL {
            outward::<L, f64, true>((), job.tree, job.tree.given(), job.q, job.u, work);
        } else if W::OUTWARD {
            outward::<L, f64, false>((), job.tree, job.tree.given(), job.q, job.u, work);
        }
        if W::INWARD {
            job.inward::<L>((), work);
        }
    }
}

struct Packed<'a, W>(&'a mut Work<Pack, f64>, Job<'a>, PhantomData<W>);

impl<W: Sweeps> WithSimd for Packed<'_, W> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F64_LANES == 1 { self.run::<S, false>(simd) } else { self.run::<S, true>(simd) }
    }
}

impl<W: Sweeps> Packed<'_, W> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, simd: S) {
        let Packed(work, job, _) = self;
        if W::OUTWARD && W::ALL {
            outward_packed::<S, FUSED, true>(simd, job.tree, job.q, job.u, work);
        } else if W::OUTWARD {
            outward_packed::<S, FUSED, false>(simd, job.tree, job.q, job.u, work);
        }
        if W::INWARD {
            job.inward::<Picked<FUSED>>(0, work);
        }
    }
}

/// An answer to forces after the elimination: `$lane` lanes of right-hand sides, on records in cells of `$kernel`.
macro_rules! answer {
    ($name:ident, $number:ty, $cell:ty, $run:item) => {
        struct $name<'a> {
            tree: &'a Tree,
            work: &'a Work<$cell, f64>,
            wrenches: &'a mut [Wrench<$number>],
            out: &'a mut [$number],
        }

        impl WithSimd for $name<'_> {
            type Output = ();
            #[inline(always)]
            $run
        }
    };
}

answer! { SingleAnswer, f64, f64, fn with_simd<S: Simd>(self, _: S) {
    let kept = (&*self.work.records, &*self.work.balls, &*self.work.groups);
    if S::F64_LANES == 1 {
        respond::<One<false>, One<false>>((), self.tree, kept, ((), |(), x| x), self.wrenches, self.out);
    } else {
        respond::<One<true>, One<true>>((), self.tree, kept, ((), |(), x| x), self.wrenches, self.out);
    }
}}

answer! { PackedAnswer, f64, Pack, fn with_simd<S: Simd>(self, _: S) {
    let kept = (&*self.work.records, &*self.work.balls, &*self.work.groups);
    if S::F64_LANES == 1 {
        respond::<Picked<false>, Picked<false>>(0, self.tree, kept, (0, |_, x| x), self.wrenches, self.out);
    } else {
        respond::<Picked<true>, Picked<true>>(0, self.tree, kept, (0, |_, x| x), self.wrenches, self.out);
    }
}}

answer! { SingleEight, Pack, f64, fn with_simd<S: Simd>(self, simd: S) {
    let kept = (&*self.work.records, &*self.work.balls, &*self.work.groups);
    for part in 0..Many::<S>::PARTS {
        let all = |token, x: One<true>| Many::splat(token, x.0);
        respond::<Many<S>, One<true>>(Part { simd, part }, self.tree, kept, ((), all), self.wrenches, self.out);
    }
}}

answer! { PackedEight, Pack, Pack, fn with_simd<S: Simd>(self, simd: S) {
    let kept = (&*self.work.records, &*self.work.balls, &*self.work.groups);
    for part in 0..Many::<S>::PARTS {
        let all = |token, x: Picked<true>| Many::splat(token, x.0);
        respond::<Many<S>, Picked<true>>(Part { simd, part }, self.tree, kept, (0, all), self.wrenches, self.out);
    }
}}
