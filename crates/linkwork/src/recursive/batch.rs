//! Eight variants of one mechanism at a time.

use super::lane::{Many, Pack, Part};
use super::sweeps::{accelerate, inward, outward};
use super::tree::Tree;
use super::work::Work;
use pulp::{Arch, Simd, WithSimd};

/// Forward dynamics of eight states of one tree at a time.
#[derive(Clone, Debug)]
pub struct Octet {
    tree: Tree,
    arch: Arch,
    work: Work<Pack, Pack>,
}

impl Octet {
    /// Buffers for a tree.
    pub fn new(tree: Tree) -> Self {
        Octet { work: Work::new(&tree, tree.len(), 0, 0), arch: Arch::new(), tree }
    }

    /// Accelerations of the rates: each number of a pack belongs to a state of its own.
    pub fn forward(&mut self, q: &[Pack], u: &[Pack], tau: &[Pack], out: &mut [Pack]) {
        self.arch.dispatch(Eight { tree: &self.tree, q, u, tau, out, work: &mut self.work });
    }
}

struct Eight<'a> {
    tree: &'a Tree,
    q: &'a [Pack],
    u: &'a [Pack],
    tau: &'a [Pack],
    out: &'a mut [Pack],
    work: &'a mut Work<Pack, Pack>,
}

impl WithSimd for Eight<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for part in 0..Many::<S>::PARTS {
            let token = Part { simd, part };
            outward::<Many<S>, f64, false>(token, self.tree, &self.tree.constants, self.q, self.u, self.work);
            inward::<Many<S>, f64>(token, self.tree, &self.tree.masses, self.tau, self.work);
            accelerate::<Many<S>, false>(token, self.tree, self.work, self.out);
        }
    }
}
