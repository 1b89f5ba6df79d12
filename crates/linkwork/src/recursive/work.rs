//! What the kernels remember between their sweeps, in cells of any kind.
//!
//! A long chain is bound by memory, so that little is kept of a link: its joint's motion, and fifteen numbers that are its inertia
//! and its forces until they are eliminated, and the elimination from then on. The rest of its motion is kept where somebody asks
//! for it ([`Work::moving`]) or where the tree forks.

use super::algebra::{Columns, Factor, Symmetric, V};
use super::lane::{Lane, Sink};
use super::steps::{AxisSolution, BallSolution, Body, Motion, Weight};
use super::tree::Tree;

/// A link between sweeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record<C> {
    /// (ρz, s)
    pub motion: [[C; 3]; 2],
    /// W of a link that is eliminated; before that mc and n.
    pub w: [[C; 3]; 2],
    /// u/D and 1/D of a link that is eliminated; before that f with `f2`.
    pub rate: C,
    pub inverse: C,
    pub f2: C,
    pub j: [C; 6],
}

impl<C> Record<C> {
    #[inline(always)]
    pub fn store_body<L: Lane>(&mut self, token: L::Token, body: &Body<L>)
    where
        C: Sink<L>,
    {
        body.mc.store(token, &mut self.w[0]);
        body.n.store(token, &mut self.w[1]);
        self.rate.write(token, body.f.0[0]);
        self.inverse.write(token, body.f.0[1]);
        self.f2.write(token, body.f.0[2]);
        body.j.store(token, &mut self.j);
    }

    #[inline(always)]
    pub fn load_body<L: Lane>(&self, token: L::Token) -> Body<L>
    where
        C: Sink<L>,
    {
        Body {
            j: Symmetric::load(token, &self.j),
            mc: V::load(token, &self.w[0]),
            n: V::load(token, &self.w[1]),
            f: V([self.rate.read(token), self.inverse.read(token), self.f2.read(token)]),
        }
    }

    #[inline(always)]
    pub fn store_axis<L: Lane>(&mut self, token: L::Token, kept: &AxisSolution<L>)
    where
        C: Sink<L>,
    {
        kept.w[0].store(token, &mut self.w[0]);
        kept.w[1].store(token, &mut self.w[1]);
        self.rate.write(token, kept.rate);
        self.inverse.write(token, kept.inverse);
    }

    #[inline(always)]
    pub fn motion<L: Lane>(&self, token: L::Token) -> [V<L>; 2]
    where
        C: Sink<L>,
    {
        [V::load(token, &self.motion[0]), V::load(token, &self.motion[1])]
    }

    #[inline(always)]
    pub fn kept<L: Lane>(&self, token: L::Token) -> [V<L>; 2]
    where
        C: Sink<L>,
    {
        [V::load(token, &self.w[0]), V::load(token, &self.w[1])]
    }
}

/// (W1) to (W3) of a link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moving<C> {
    pub frame: [[C; 3]; 3],
    pub p: [C; 3],
    pub w: [C; 3],
    pub v: [C; 3],
    pub al: [C; 3],
    pub a: [C; 3],
    /// Centre of mass.
    pub c: [C; 3],
}

impl<C> Moving<C> {
    #[inline(always)]
    pub fn load<L: Lane>(&self, token: L::Token) -> Motion<L>
    where
        C: Sink<L>,
    {
        Motion {
            frame: Columns::load(token, &self.frame),
            p: V::load(token, &self.p),
            w: V::load(token, &self.w),
            v: V::load(token, &self.v),
            al: V::load(token, &self.al),
            a: V::load(token, &self.a),
        }
    }

    #[inline(always)]
    pub fn store<L: Lane>(&mut self, token: L::Token, at: &Motion<L>)
    where
        C: Sink<L>,
    {
        at.frame.store(token, &mut self.frame);
        at.p.store(token, &mut self.p);
        at.w.store(token, &mut self.w);
        at.v.store(token, &mut self.v);
        at.al.store(token, &mut self.al);
        at.a.store(token, &mut self.a);
    }
}

/// Moment and force.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wrench<C> {
    pub n: [C; 3],
    pub f: [C; 3],
}

/// A link that others hang on which do not follow it: how it moves, what they hand to it, and what it does beyond q̈ = 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fork<C> {
    pub moving: Moving<C>,
    pub j: [C; 6],
    pub h: [[C; 3]; 3],
    pub m: [C; 6],
    pub wrench: Wrench<C>,
    pub beyond: [[C; 3]; 2],
}

impl<C> Fork<C> {
    #[inline(always)]
    pub fn load<L: Lane>(&self, token: L::Token) -> Weight<L>
    where
        C: Sink<L>,
    {
        Weight {
            j: Symmetric::load(token, &self.j),
            h: Columns::load(token, &self.h),
            m: Symmetric::load(token, &self.m),
            n: V::load(token, &self.wrench.n),
            f: V::load(token, &self.wrench.f),
        }
    }

    #[inline(always)]
    pub fn store<L: Lane>(&mut self, token: L::Token, at: &Weight<L>)
    where
        C: Sink<L>,
    {
        at.j.store(token, &mut self.j);
        at.h.store(token, &mut self.h);
        at.m.store(token, &mut self.m);
        at.n.store(token, &mut self.wrench.n);
        at.f.store(token, &mut self.wrench.f);
    }
}

/// What is kept of a ball joint or a floating link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeptBall<C> {
    pub k: [[C; 3]; 3],
    pub rate: [C; 3],
    pub below: [C; 3],
    pub inverse: [C; 3],
    /// A floating link's factor of Ma, and its â.
    pub mass_below: [C; 3],
    pub mass_inverse: [C; 3],
    pub a: [C; 3],
}

impl<C> KeptBall<C> {
    #[inline(always)]
    pub fn store<L: Lane>(&mut self, token: L::Token, kept: &BallSolution<L>)
    where
        C: Sink<L>,
    {
        kept.k.store(token, &mut self.k);
        kept.rate.store(token, &mut self.rate);
        V(kept.factor.below).store(token, &mut self.below);
        V(kept.factor.inverse).store(token, &mut self.inverse);
    }
}

/// Where a group's reference point is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group<C> {
    /// From the parent's reference point.
    pub r: [C; 3],
    /// In the world.
    pub origin: [C; 3],
}

/// All buffers of a kernel: what is kept by link in cells, everything else in numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work<C, N> {
    pub records: Vec<Record<C>>,
    /// All links if `all`, else as many as are worked on at a time.
    pub moving: Vec<Moving<C>>,
    /// By group; only groups that a ball joint or a floating link begins use theirs.
    pub balls: Vec<KeptBall<N>>,
    pub groups: Vec<Group<N>>,
    pub forks: Vec<Fork<N>>,
    /// A of all links, if it is kept.
    pub beyond: Vec<[[C; 3]; 2]>,
    /// The lowest of all 1/D: positive where all is well.
    pub lowest: N,
}

impl<C: Copy + Default, N: Copy + Default> Work<C, N> {
    /// Buffers for a tree whose links take so many cells, of whose motion so many are kept, and of whose accelerations.
    pub fn new(tree: &Tree, links: usize, moving: usize, beyond: usize) -> Self {
        let balls = tree.places.iter().any(|p| p.kind != super::tree::Kind::Axis);
        Work {
            records: vec![Record::default(); links],
            moving: vec![Moving::default(); moving],
            balls: vec![KeptBall::default(); if balls { tree.groups } else { 0 }],
            groups: vec![Group::default(); tree.groups],
            forks: vec![Fork::default(); tree.forks],
            beyond: vec![[[C::default(); 3]; 2]; beyond],
            lowest: N::default(),
        }
    }
}

#[inline(always)]
pub(super) fn load_factor<L: Lane>(
    token: L::Token,
    below: &[L::Number; 3],
    inverse: &[L::Number; 3],
) -> Factor<L> {
    Factor { below: V::load(token, below).0, inverse: V::load(token, inverse).0 }
}
