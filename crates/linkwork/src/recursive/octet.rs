//! Eight variants of one mechanism at a time.
//!
//! The lanes are eight states of one tree, or of eight trees whose links hang alike and differ in their numbers. Nothing crosses from
//! lane to lane: each has the bits that [`Dynamics`](super::Dynamics) gives it alone.

use super::dynamics::LinkMotion;
use super::lane::{Lane, Many, PACK, Pack, Part, Source};
use super::sweeps::{Given, accelerate, inward, outward};
use super::tree::{Constants, Tree, side_by_side};
use super::work::Work;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Mat3, Vec3, add, cross};
use pulp::{Arch, Simd, WithSimd};

/// Forward dynamics of eight states at a time, of one tree or of eight that are alike.
///
/// [`Octet::forward`] does everything in one call. Where forces depend on where the links are, [`Octet::place`] comes first, then
/// [`Octet::motion`] tells, [`Octet::load`] adds forces, and [`Octet::solve`] gives the accelerations.
#[derive(Clone, Debug)]
pub struct Octet {
    tree: Tree,
    /// The numbers of each lane, where they differ.
    own: Option<Box<Own>>,
    arch: Arch,
    work: Work<Pack, Pack>,
}

/// Numbers of eight trees side by side.
#[derive(Clone, Debug)]
struct Own {
    constants: Vec<Constants<Pack>>,
    masses: Vec<Pack>,
    spare: Vec<[[Pack; 3]; 3]>,
    gravity: [Pack; 3],
    /// As those of the trees.
    turned: Vec<[Mat3; PACK]>,
}

impl Octet {
    /// Eight states of one tree.
    pub fn new(tree: Tree) -> Self {
        Octet { work: Work::new(&tree, tree.len(), 0), own: None, arch: Arch::new(), tree }
    }

    /// Eight trees; nothing if their links do not hang alike ([`Tree::is_like`]).
    pub fn of_trees(trees: [&Tree; PACK]) -> Option<Self> {
        if trees.iter().any(|tree| !tree.is_like(trees[0])) {
            return None;
        }
        let n = trees[0].len();
        let cell = |f: &dyn Fn(&Tree) -> f64| Pack(std::array::from_fn(|k| f(trees[k])));
        let own = Own {
            constants: (0..n).map(|i| side_by_side(|k| &trees[k].constants[i])).collect(),
            masses: (0..n).map(|i| cell(&|tree| tree.masses[i])).collect(),
            spare: (0..trees[0].spare.len())
                .map(|i| std::array::from_fn(|a| std::array::from_fn(|b| cell(&|tree| tree.spare[i][a][b]))))
                .collect(),
            gravity: std::array::from_fn(|a| cell(&|tree| tree.gravity[a])),
            turned: (0..n).map(|i| trees.map(|tree| tree.turned[i])).collect(),
        };
        Some(Octet { own: Some(Box::new(own)), ..Octet::new(trees[0].clone()) })
    }

    /// The tree of the first lane.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Accelerations of the rates: each number of a pack belongs to a state of its own.
    ///
    /// # Panics
    /// Where a slice is shorter than the tree's counts.
    pub fn forward(&mut self, q: &[Pack], u: &[Pack], tau: &[Pack], out: &mut [Pack]) {
        self.sweep(Sweep::All { q, u, tau, out });
    }

    /// Puts the links of all lanes where (q, u) has them.
    pub fn place(&mut self, q: &[Pack], u: &[Pack]) {
        self.work.moving.resize(self.tree.len(), Default::default());
        self.sweep(Sweep::Place { q, u });
    }

    /// Accelerations of the rates where the links were put, under the loads and under forces on the rates.
    pub fn solve(&mut self, tau: &[Pack], out: &mut [Pack]) {
        self.sweep(Sweep::Solve { tau, out });
    }

    fn sweep(&mut self, sweep: Sweep<'_>) {
        let (tree, work) = (&self.tree, &mut self.work);
        match &self.own {
            None => self.arch.dispatch(Eight { tree, given: tree.given(), work, sweep }),
            Some(own) => {
                let Own { constants, masses, spare, gravity, .. } = &**own;
                let given = Given { constants, masses, spare, gravity };
                self.arch.dispatch(Eight { tree, given, work, sweep });
            }
        }
    }

    /// Where a link of a lane is and how it moves. Follows [`Octet::place`].
    ///
    /// # Panics
    /// If there is no such lane, or nothing was placed.
    #[inline]
    pub fn motion(&self, link: usize, lane: usize) -> LinkMotion {
        let moving = &self.work.moving[link];
        let read = |cells: &[Pack; 3]| -> Vec3 { [0, 1, 2].map(|k| cells[k].0[lane]) };
        let columns = [read(&moving.frame[0]), read(&moving.frame[1]), read(&moving.frame[2])];
        let (turned, gravity) = match &self.own {
            None => (&self.tree.turned[link], self.tree.gravity),
            Some(own) => (&own.turned[link][lane], read(&own.gravity)),
        };
        LinkMotion {
            rotation: std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..3).map(|k| columns[k][i] * turned[j][k]).sum())
            }),
            base: read(&self.work.groups[self.tree.places[link].group as usize].origin),
            p: read(&moving.p),
            twist: Twist { v: read(&moving.v), w: read(&moving.w) },
            bias: Twist { v: add(read(&moving.a), gravity), w: read(&moving.al) },
        }
    }

    /// Adds a force on a link of a lane at r from its reference point, and a moment. Follows [`Octet::place`], comes before
    /// [`Octet::solve`].
    #[inline]
    pub fn load(&mut self, link: usize, lane: usize, r: Vec3, force: Vec3, moment: Vec3) {
        let moment = add(moment, cross(r, force));
        let record = &mut self.work.records[link];
        for i in 0..3 {
            record.w[1][i].0[lane] -= moment[i];
        }
        record.rate.0[lane] -= force[0];
        record.inverse.0[lane] -= force[1];
        record.f2.0[lane] -= force[2];
    }

    /// Whether all joints of all lanes had an inertia to move in the last elimination.
    pub fn is_sound(&self) -> bool {
        self.tree.is_empty() || self.work.lowest.0.iter().all(|&x| x > 0.0 && x.is_finite())
    }
}

/// What is to be done.
enum Sweep<'a> {
    All { q: &'a [Pack], u: &'a [Pack], tau: &'a [Pack], out: &'a mut [Pack] },
    Place { q: &'a [Pack], u: &'a [Pack] },
    Solve { tau: &'a [Pack], out: &'a mut [Pack] },
}

struct Eight<'a, C> {
    tree: &'a Tree,
    given: Given<'a, C>,
    work: &'a mut Work<Pack, Pack>,
    sweep: Sweep<'a>,
}

/// What the lanes of any instruction set can read their numbers from.
trait Readable: Sized {
    fn run<S: Simd>(simd: S, job: Eight<'_, Self>);
}

impl Readable for f64 {
    #[inline(always)]
    fn run<S: Simd>(simd: S, job: Eight<'_, f64>) {
        job.parts(simd);
    }
}

impl Readable for Pack {
    #[inline(always)]
    fn run<S: Simd>(simd: S, job: Eight<'_, Pack>) {
        job.parts(simd);
    }
}

impl<C> Eight<'_, C> {
    #[inline(always)]
    fn parts<S: Simd>(self, simd: S)
    where
        C: Source<Many<S>>,
        Many<S>: Lane<Token = Part<S>, Cell = Pack, Number = Pack>,
    {
        let Eight { tree, given, work, mut sweep } = self;
        for part in 0..Many::<S>::PARTS {
            let token = Part { simd, part };
            match &mut sweep {
                Sweep::All { q, u, tau, out } => {
                    outward::<Many<S>, C, false>(token, tree, given, q, u, work);
                    inward::<Many<S>, C>(token, tree, given, tau, work);
                    accelerate::<Many<S>>(token, tree, work, out);
                }
                Sweep::Place { q, u } => outward::<Many<S>, C, true>(token, tree, given, q, u, work),
                Sweep::Solve { tau, out } => {
                    inward::<Many<S>, C>(token, tree, given, tau, work);
                    accelerate::<Many<S>>(token, tree, work, out);
                }
            }
        }
    }
}

impl<C: Readable> WithSimd for Eight<'_, C> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        C::run(simd, self);
    }
}
