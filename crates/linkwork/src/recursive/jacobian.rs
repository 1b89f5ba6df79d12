//! How places of links move with the rates: Jacobians, and what is left of an acceleration where all u̇ are zero.
//!
//! For a place at x from the reference point of the link's group, and a rate with the motion (ω, s) there,
//!
//! ```text
//!   (J1)  columns of ω and ẋ:  (ω, s + ω × x)
//!   (J2)  where a group ends at r:  x' = x + r
//!   (J3)  with u̇ = 0:  α,  ẍ = a + α × x + ω × (v + ω × x)
//! ```
//!
//! (J3) with the link's own ω, v, α, a of (W1) to (W3), is J̇ u. Only the columns of rates that move the link are written.

use super::algebra::V;
use super::inverse::Placing;
use super::lane::{Many, PACK, Pack, Picked, Sink};
use super::mass_matrix::motions_by_rate;
use super::posture::{Posture, Task, Way, dispatch, parts, put, rates_of};
use super::tree::Tree;
use super::variations::load_six;
use super::work::Work;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Vec3, add, apply_transposed, axpy, cross};
use pulp::Simd;

/// A tree put where a state has it, and the Jacobians of its places.
///
/// ```
/// use linkwork::recursive::{Jacobians, Link, LinkJoint, Tree};
/// let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let arm = Link::massless(None, LinkJoint::revolute([0.0, 0.0, 1.0]), identity, [0.0; 3]);
/// let mut jacobians = Jacobians::new(Tree::new(&[arm], [0.0; 3])?);
/// jacobians.place(&[0.0], &[2.0]);
/// let mut j = [0.0; 3];
/// jacobians.point(0, [1.0, 0.0, 0.0], &mut j);
/// assert_eq!(j, [0.0, 1.0, 0.0]); // the tip of the arm moves along y
/// assert_eq!(jacobians.bias(0, [1.0, 0.0, 0.0]).v, [-4.0, 0.0, 0.0]); // towards the axis
/// # Ok::<(), linkwork::recursive::TreeFault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Jacobians {
    posture: Posture,
    motions: Vec<[Pack; 6]>,
}

impl Jacobians {
    /// Buffers for a tree.
    pub fn new(tree: Tree) -> Self {
        let motions = vec![[Pack::default(); 6]; tree.u_count.div_ceil(PACK)];
        Jacobians { posture: Posture::new(tree), motions }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.posture.tree
    }

    /// Puts the links where (q, u) has them.
    ///
    /// # Panics
    /// Where a slice is shorter than the tree's counts.
    pub fn place(&mut self, q: &[f64], u: &[f64]) {
        let Posture { tree, work, arch, .. } = &mut self.posture;
        dispatch(*arch, Placing { tree, q, u, work });
        dispatch(*arch, Sorting { tree, work, motions: &mut self.motions });
    }

    /// Where a place of a link, expressed in the link's frame, is from its group's reference point.
    fn at(&self, link: usize, place: Vec3) -> Vec3 {
        let (moving, lane) = (&self.posture.work.moving[link / PACK], link % PACK);
        let place = apply_transposed(&self.posture.tree.turned[link], place);
        (0..3).fold(moving.p.map(|x| x.0[lane]), |sum, k| {
            axpy(sum, place[k], moving.frame[k].map(|x| x.0[lane]))
        })
    }

    /// Where a place of a link is in the world.
    pub fn position(&self, link: usize, place: Vec3) -> Vec3 {
        let group = self.posture.tree.places[link].group as usize;
        add(self.posture.work.groups[group].origin, self.at(link, place))
    }

    /// Angular velocity of a link and velocity of a place of it: J u.
    pub fn velocity(&self, link: usize, place: Vec3) -> Twist {
        let (moving, lane) = (&self.posture.work.moving[link / PACK], link % PACK);
        let (w, v) = (moving.w.map(|x| x.0[lane]), moving.v.map(|x| x.0[lane]));
        Twist { v: add(v, cross(w, self.at(link, place))), w }
    }

    /// Angular acceleration of a link and acceleration of a place of it with u̇ = 0: J̇ u.
    pub fn bias(&self, link: usize, place: Vec3) -> Twist {
        let (moving, lane) = (&self.posture.work.moving[link / PACK], link % PACK);
        let [w, al, a] = [&moving.w, &moving.al, &moving.a].map(|v| v.map(|x| x.0[lane]));
        let a = add(a, self.posture.tree.gravity);
        let turning = add(cross(al, self.at(link, place)), cross(w, self.velocity(link, place).v));
        Twist { v: add(a, turning), w: al }
    }

    /// The Jacobian of a place of a link, expressed in the link's frame: three rows of u_count numbers, of which only the columns that move the link are
    /// written. Those of other columns are zero: [`Jacobians::moved_by`] tells which these are.
    ///
    /// # Panics
    /// Where `out` holds fewer than 3 u_count numbers, or there is no such link.
    pub fn point(&self, link: usize, place: Vec3, out: &mut [f64]) {
        self.go::<3>(link, place, out);
    }

    /// The same with three rows for the angular velocity before those of the place.
    ///
    /// # Panics
    /// Where `out` holds fewer than 6 u_count numbers, or there is no such link.
    pub fn spatial(&self, link: usize, place: Vec3, out: &mut [f64]) {
        self.go::<6>(link, place, out);
    }

    fn go<const ROWS: usize>(&self, link: usize, place: Vec3, out: &mut [f64]) {
        let Posture { tree, runs, run_of, work, arch, .. } = &self.posture;
        let way = Way { tree, runs, run_of };
        let task = Columns::<ROWS> { way, link, x: self.at(link, place), work, motions: &self.motions, out };
        dispatch(*arch, task);
    }

    /// Calls back with the rates that move a link, a range at a time.
    pub fn moved_by(&self, link: usize, mut f: impl FnMut(std::ops::Range<usize>)) {
        let Posture { tree, runs, run_of, .. } = &self.posture;
        let place = &tree.places[link];
        let end = place.u as usize + rates_of(place.kind);
        Way { tree, runs, run_of }.from(link, end).for_each(|stretch| f(stretch.lo..stretch.hi));
    }
}

struct Sorting<'a> {
    tree: &'a Tree,
    work: &'a Work<Pack, f64>,
    motions: &'a mut [[Pack; 6]],
}

impl Task for Sorting<'_> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, _: S) {
        motions_by_rate::<FUSED>(self.tree, self.work, self.motions);
    }
}

struct Columns<'a, const ROWS: usize> {
    way: Way<'a>,
    link: usize,
    x: Vec3,
    work: &'a Work<Pack, f64>,
    motions: &'a [[Pack; 6]],
    out: &'a mut [f64],
}

impl<const ROWS: usize> Task for Columns<'_, ROWS> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, simd: S) {
        let Columns { way, link, x, work, motions, out } = self;
        let (place, n) = (&way.tree.places[link], way.tree.u_count);
        let mut x = V::<Picked<FUSED>>(x.map(Picked));
        for stretch in way.from(link, place.u as usize + rates_of(place.kind)) {
            if let Some(group) = stretch.left {
                x = x + V::load(0, &work.groups[group].r);
            }
            for block in stretch.lo / PACK..stretch.hi.div_ceil(PACK) {
                let mut rows = [Pack::default(); 6];
                let [a, b, c, d, e, f] = motions[block];
                for token in parts(simd) {
                    let [w, s] = load_six::<Many<S>, Pack>(token, &[[a, b, c], [d, e, f]]);
                    let moved = w.cross_add(V::load(token, &x.0.map(|x| x.0)), s);
                    for k in 0..3 {
                        rows[k].write(token, w.0[k]);
                        rows[k + 3].write(token, moved.0[k]);
                    }
                }
                for (k, row) in out[..ROWS * n].chunks_exact_mut(n).enumerate() {
                    put(row, block, (stretch.lo, stretch.hi), &rows[k + 6 - ROWS]);
                }
            }
        }
    }
}
