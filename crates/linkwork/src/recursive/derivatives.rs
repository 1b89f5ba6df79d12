//! Derivatives of inverse and of forward dynamics by positions, rates and forces, as dense matrices.
//!
//! The equations are in `variations.rs`. Rows are numbered by forces (or accelerations), columns by rates: entry (d, e) is at d·n + e. Of
//! forward dynamics, u̇(q, u, τ) solves τ(q, u, u̇) = τ, so that at the u̇ that belongs to the forces
//!
//! ```text
//!   (F1)  ∂u̇/∂q = −M⁻¹ ∂τ/∂q,   ∂u̇/∂u = −M⁻¹ ∂τ/∂u,   ∂u̇/∂τ = M⁻¹
//! ```
//!
//! with M⁻¹ by the elimination of the forward dynamics, O(n) a column.
//!
//! **By position** means by a displacement δ along the rates, which is what a rate times a short time does:
//!
//! | joint | what δ does |
//! |---|---|
//! | axis | q + δ |
//! | ball | turns the link by the rotation vector δ, in world axes, about the joint: R ← exp([δ]×) R with R the link's frame in the world, all that it hangs on at rest |
//! | floating | moves the frame's origin by δ₁, and turns the link by δ₂ in world axes about it |
//!
//! Rates, accelerations, and forces of all joints keep their numbers, and so in world axes where they are expressed in world axes.

use super::algebra::{Columns, V};
use super::by_columns::{Block, invert, solve_negative};
use super::inverse::idle;
use super::lane::{Lane, Many, PACK, Pack, Picked, Source};
use super::mass_matrix::{Composite, motion_of};
use super::packed::outward_packed;
use super::posture::{Beyond, Posture, Task, Way, dispatch, parts, put, put_down, rates_of, spread, triple};
use super::steps::weigh;
use super::sweeps;
use super::tree::{Kind, NONE, Tree};
use super::variations::{
    Load, Passing, Reach, Six, Stored, copy_passing, load_six, meet, pass_axis, six_plus, store_six,
    twist_cross,
};
use super::work::Work;
use crate::linalg::vec3::{Vec3, add, apply, axpy, cross, dot, sub};
use pulp::Simd;

/// A joint that nothing resists: forward dynamics has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the joint of link {link} has no inertia to move")]
pub struct NoInertia {
    /// The link.
    pub link: usize,
}

/// A tree with the buffers for derivatives of its dynamics.
///
/// ```
/// use linkwork::recursive::{Derivatives, Link, LinkJoint, Tree};
/// let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let bob = Link {
///     mass: 2.0,
///     com: [0.0, -0.5, 0.0],
///     ..Link::massless(None, LinkJoint::revolute([0.0, 0.0, 1.0]), identity, [0.0; 3])
/// };
/// let mut derivatives = Derivatives::new(Tree::new(&[bob], [0.0, -9.81, 0.0])?);
/// // a pendulum at rest: q̈ = −g/l sin q + τ/(m l²)
/// derivatives.forward(&[0.0], &[0.0], &[0.0])?;
/// assert!((derivatives.by_position()[0] + 9.81 / 0.5).abs() < 1e-12);
/// assert_eq!(derivatives.by_rate(), [0.0]);
/// assert!((derivatives.by_force()[0] - 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Derivatives {
    posture: Posture,
    passing: Vec<Passing>,
    links: Vec<Stored<Pack>>,
    forks: Vec<Stored<f64>>,
    /// Moment and force of all that hangs on a ball joint or a floating link, by group.
    held: Vec<[Vec3; 2]>,
    /// Links that carry a ball joint or float, or carry a link that does, from the last to the first.
    bent: Vec<u32>,
    turned: Turned,
    /// ω of S and of Ψ̇ by rates.
    turns: Vec<[Vec3; 2]>,
    block: Option<Block>,
    accelerations: Vec<f64>,
    by_position: Vec<f64>,
    by_rate: Vec<f64>,
    mass: Vec<f64>,
    by_force: Vec<f64>,
}

/// c1 and c2 at forks.
type Turned = Vec<[Vec3; 2]>;

impl Derivatives {
    /// Buffers for a tree: three or four dense matrices of u_count² numbers.
    pub fn new(tree: Tree) -> Self {
        let n = tree.u_count;
        let mut bends: Vec<bool> = tree.places.iter().map(|place| place.kind != Kind::Axis).collect();
        for i in (0..tree.len()).rev() {
            if let (true, Some(parent)) = (bends[i], tree.parent(i)) {
                bends[parent] = true;
            }
        }
        let bent: Vec<u32> = (0..tree.len()).rev().filter(|&i| bends[i]).map(|i| i as u32).collect();
        Derivatives {
            passing: vec![Passing::default(); n.div_ceil(PACK)],
            links: vec![Stored::default(); tree.len().div_ceil(PACK)],
            forks: vec![Stored::default(); tree.forks],
            held: vec![[[0.0; 3]; 2]; if bent.is_empty() { 0 } else { tree.groups }],
            turns: vec![[[0.0; 3]; 2]; if bent.is_empty() { 0 } else { n }],
            turned: vec![[[0.0; 3]; 2]; if bent.is_empty() { 0 } else { tree.forks }],
            mass: vec![0.0; if bent.is_empty() { 0 } else { n * n }],
            bent,
            block: None,
            accelerations: vec![0.0; n],
            by_position: vec![0.0; n * n],
            by_rate: vec![0.0; n * n],
            by_force: Vec::new(),
            posture: Posture::new(tree),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.posture.tree
    }

    /// Makes the buffers for [`Derivatives::forward`], which does it by itself the first time.
    pub fn prepare_forward(&mut self) {
        if self.block.is_none() {
            self.block = Some(Block::new(&self.posture.tree));
            self.by_force = vec![0.0; self.posture.tree.u_count.pow(2)];
        }
    }

    /// Derivatives of inverse dynamics at (q, u, u̇): afterwards [`Derivatives::by_position`] is ∂τ/∂q and
    /// [`Derivatives::by_rate`] ∂τ/∂u. The derivative by u̇ is the mass matrix.
    ///
    /// # Panics
    /// Where a slice is shorter than the tree's counts.
    pub fn inverse(&mut self, q: &[f64], u: &[f64], accelerations: &[f64]) {
        let n = self.posture.tree.u_count;
        self.accelerations.copy_from_slice(&accelerations[..n]);
        self.go::<false>(q, u, &[]);
    }

    /// Derivatives of forward dynamics at (q, u, τ): afterwards [`Derivatives::by_position`] is ∂u̇/∂q, [`Derivatives::by_rate`]
    /// ∂u̇/∂u, [`Derivatives::by_force`] ∂u̇/∂τ = M⁻¹ and [`Derivatives::accelerations`] u̇.
    ///
    /// # Panics
    /// Where a slice is shorter than the tree's counts.
    pub fn forward(&mut self, q: &[f64], u: &[f64], tau: &[f64]) -> Result<(), NoInertia> {
        self.prepare_forward();
        self.go::<true>(q, u, tau);
        without_inertia(&self.posture.tree, &self.posture.work).map_or(Ok(()), |link| {
            for matrix in [&mut self.by_position, &mut self.by_rate, &mut self.by_force] {
                matrix.fill(0.0);
            }
            self.accelerations.fill(0.0);
            Err(NoInertia { link })
        })
    }

    fn go<const FORWARD: bool>(&mut self, q: &[f64], u: &[f64], tau: &[f64]) {
        if !self.posture.is_chain() {
            self.by_position.fill(0.0);
            self.by_rate.fill(0.0);
            self.mass.fill(0.0);
        }
        let Posture { tree, work, beyond, runs, run_of, link_of, arch, .. } = &mut self.posture;
        if tree.is_empty() {
            return;
        }
        let way = Way { tree, runs, run_of };
        let task = Deriving {
            way,
            motion: (q, u, tau),
            link_of,
            work,
            beyond,
            passing: &mut self.passing,
            links: &mut self.links,
            forks: &mut self.forks,
            held: &mut self.held,
            bent: &self.bent,
            turned: &mut self.turned,
            turns: &mut self.turns,
            block: self.block.as_mut().filter(|_| FORWARD),
            accelerations: &mut self.accelerations,
            by_position: &mut self.by_position,
            by_rate: &mut self.by_rate,
            mass: &mut self.mass,
            by_force: &mut self.by_force,
        };
        dispatch(*arch, task);
    }

    /// The derivatives by positions, row by row: see the two functions that make them.
    pub fn by_position(&self) -> &[f64] {
        &self.by_position
    }

    /// The derivatives by rates, row by row.
    pub fn by_rate(&self) -> &[f64] {
        &self.by_rate
    }

    /// The derivatives of accelerations by forces, row by row. Empty before [`Derivatives::forward`].
    pub fn by_force(&self) -> &[f64] {
        &self.by_force
    }

    /// The accelerations at which the derivatives were taken.
    pub fn accelerations(&self) -> &[f64] {
        &self.accelerations
    }
}

/// The first link in the order of elimination whose joint has no inertia to move.
pub(super) fn without_inertia(tree: &Tree, work: &Work<Pack, f64>) -> Option<usize> {
    let fine = |x: f64| x > 0.0 && x.is_finite();
    (0..tree.len()).rev().find(|&i| {
        let place = &tree.places[i];
        match place.kind {
            Kind::Axis => !fine(work.records[i / PACK].inverse.0[i % PACK]),
            Kind::Ball => !work.balls[place.group as usize].inverse.iter().all(|&x| fine(x)),
            Kind::Free => {
                let kept = &work.balls[place.group as usize];
                !kept.inverse.iter().chain(&kept.mass_inverse).all(|&x| fine(x))
            }
        }
    })
}

struct Deriving<'a> {
    way: Way<'a>,
    /// q, u, τ
    motion: (&'a [f64], &'a [f64], &'a [f64]),
    link_of: &'a [u32],
    work: &'a mut Work<Pack, f64>,
    beyond: &'a mut [Beyond],
    passing: &'a mut [Passing],
    links: &'a mut [Stored<Pack>],
    forks: &'a mut [Stored<f64>],
    held: &'a mut [[Vec3; 2]],
    bent: &'a [u32],
    turned: &'a mut [[Vec3; 2]],
    turns: &'a mut [[Vec3; 2]],
    block: Option<&'a mut Block>,
    accelerations: &'a mut [f64],
    by_position: &'a mut [f64],
    by_rate: &'a mut [f64],
    mass: &'a mut [f64],
    by_force: &'a mut [f64],
}

impl Task for Deriving<'_> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(mut self, simd: S) {
        let (tree, (q, u, tau)) = (self.way.tree, self.motion);
        outward_packed::<S, FUSED, true>(simd, tree, q, u, self.work);
        if self.block.is_some() {
            sweeps::inward::<Picked<FUSED>, f64>(0, tree, tree.given(), tau, self.work);
            sweeps::accelerate::<Picked<FUSED>>(0, tree, self.work, self.accelerations);
        }
        spread::<FUSED>(tree, self.accelerations, self.work, self.beyond);
        self.local::<S, FUSED>(simd);
        match self.bent.is_empty() {
            true => self.meetings::<S, FUSED, false>(simd),
            false => {
                self.meetings::<S, FUSED, true>(simd);
                self.list_turns();
                self.turn_axes();
            }
        }
        if !tree.spare.is_empty() {
            self.idle_spins();
        }
        if let Some(block) = self.block.take() {
            solve_negative(simd, tree, self.work, block, self.by_position);
            solve_negative(simd, tree, self.work, block, self.by_rate);
            invert(simd, tree, self.link_of, (self.work, block), self.by_force);
        }
    }
}

impl Deriving<'_> {
    /// What does not depend on other links: (W5), (W6) with all accelerations, (D1), (D4).
    #[inline(always)]
    fn local<S: Simd, const FUSED: bool>(&mut self, simd: S) {
        let tree = self.way.tree;
        let axes_only = self.bent.is_empty();
        for (block, k) in tree.packed.iter().enumerate() {
            let mut mixed = Passing::default();
            for token in parts(simd) {
                let work = &*self.work;
                let mut at = work.moving[block].load::<Many<S>>(token);
                let [al, a] = load_six(token, &self.beyond[block]);
                (at.al, at.a) = (at.al + al, at.a + a);
                let (body, _) = weigh(token, k, &at);
                let inertia = Composite { mass: k.mass.read(token), mc: body.mc, j: body.j };
                self.links[block].store(token, &Load::of_link(inertia, [at.w, at.v], [body.n, body.f]));
                let passing = if axes_only { &mut self.passing[block] } else { &mut mixed };
                let s = work.records[block].motion(token);
                pass_axis(token, s, [at.w, at.v], [at.al, at.a], passing);
            }
            if axes_only {
                continue;
            }
            let end = tree.len().min((block + 1) * PACK);
            for (i, place) in tree.places[block * PACK..end].iter().enumerate() {
                let u = place.u as usize;
                match place.kind {
                    Kind::Axis => copy_passing(&mixed, i, &mut self.passing[u / PACK], u),
                    Kind::Ball | Kind::Free => self.pass_ball::<FUSED>(block * PACK + i),
                }
            }
        }
    }

    /// (D1) of a ball joint or a floating link.
    #[inline(always)]
    fn pass_ball<const FUSED: bool>(&mut self, i: usize) {
        let (tree, work) = (self.way.tree, &*self.work);
        let place = &tree.places[i];
        let (at, token) = Picked::<FUSED>::at(0, i);
        let moving = work.moving[at].load::<Picked<FUSED>>(token);
        let beyond: Six<Picked<FUSED>> = load_six(token, &self.beyond[at]);
        let zero = V::splat(0, [0.0; 3]);
        let u = place.u as usize;
        // the link before the joint, about the joint
        let (before, before_a) = match place.kind {
            Kind::Free => ([zero; 2], [zero, -V::splat(0, tree.gravity)]),
            Kind::Axis | Kind::Ball => {
                let rate = triple::<FUSED>(self.motion.1, u);
                let al = (moving.al + beyond[0]) - triple::<FUSED>(self.accelerations, u);
                ([moving.w - rate, moving.v], [al, rate.cross_add(moving.v, moving.a + beyond[1])])
            }
        };
        for k in 0..rates_of(place.kind) {
            let s = motion_of::<FUSED>(place.kind, k, [zero; 2]);
            let psi = twist_cross(before, s);
            let own_rate = [zero, moving.v.cross(s[0])];
            let to = &mut self.passing[(u + k) / PACK];
            let lane = (u + k) % PACK;
            store_six(lane, s, &mut to.s);
            store_six(lane, psi, &mut to.psi);
            store_six(lane, six_plus(own_rate, psi), &mut to.z);
            store_six(lane, six_plus(twist_cross(before_a, s), twist_cross(before, psi)), &mut to.psi2);
        }
    }

    /// (D5), (D6)
    #[inline(always)]
    fn meetings<S: Simd, const FUSED: bool, const BENT: bool>(&mut self, simd: S) {
        let (way, work) = (self.way, &*self.work);
        let (tree, n) = (way.tree, way.tree.u_count);
        self.forks.fill(Stored::default());
        let mut carried = Load::<Picked<FUSED>>::zero(0);
        for (i, place) in tree.places.iter().enumerate().rev() {
            let (at, token) = Picked::<FUSED>::at(0, i);
            carried = carried.plus(&self.links[at].load(token));
            if place.fork != NONE {
                carried = carried.plus(&self.forks[place.fork as usize].load(0));
            }
            if BENT && place.kind != Kind::Axis {
                self.held[place.group as usize] = carried.wrench.map(|v| v.0.map(f64::from));
            }
            let u = place.u as usize;
            let end = u + rates_of(place.kind);
            for d in u..end {
                let own = &self.passing[d / PACK];
                let lane = d % PACK;
                let mut reach = Reach::new(
                    &carried,
                    load_six(lane, &own.s),
                    load_six(lane, &own.psi),
                    load_six(lane, &own.z),
                    load_six(lane, &own.psi2),
                );
                for stretch in way.from(i, end) {
                    if let Some(group) = stretch.left {
                        reach.shift(V::load(0, &work.groups[group].r));
                    }
                    let range = (stretch.lo, stretch.hi);
                    let strictly = (stretch.lo, stretch.hi.min(u));
                    for block in stretch.lo / PACK..stretch.hi.div_ceil(PACK) {
                        let [by_q, by_u, mass, q_by, u_by] = meet(simd, &self.passing[block], &reach);
                        put(&mut self.by_position[d * n..(d + 1) * n], block, range, &by_q);
                        put(&mut self.by_rate[d * n..(d + 1) * n], block, range, &by_u);
                        put_down(self.by_position, (n, d), block, strictly, &q_by);
                        put_down(self.by_rate, (n, d), block, strictly, &u_by);
                        if BENT {
                            put(&mut self.mass[d * n..(d + 1) * n], block, range, &mass);
                            put_down(self.mass, (n, d), block, strictly, &mass);
                        }
                    }
                }
            }
            if place.begins && tree.parents[i] != NONE {
                carried = carried.shift(V::load(0, &work.groups[place.group as usize].r));
            }
            if place.from != NONE {
                let fork = &mut self.forks[place.from as usize];
                let sum = carried.plus(&fork.load(0));
                fork.store(0, &sum);
            }
            if !place.follows {
                carried = Load::zero(0);
            }
        }
    }

    /// ω of S and of Ψ̇ of all rates.
    #[inline(always)]
    fn list_turns(&mut self) {
        for (e, to) in self.turns.iter_mut().enumerate() {
            let (from, lane) = (&self.passing[e / PACK], e % PACK);
            for k in 0..3 {
                to[0][k] = from.s[0][k].0[lane];
                to[1][k] = from.psi[0][k].0[lane];
            }
        }
    }

    /// (D7), (D8)
    #[inline(always)]
    fn turn_axes(&mut self) {
        let (tree, n) = (self.way.tree, self.way.tree.u_count);
        let rates = &self.motion.1[..n];
        let accelerations = &self.accelerations[..n];
        let three = |list: &[f64], at: usize| -> Vec3 { [list[at], list[at + 1], list[at + 2]] };
        let rows = self.by_position.chunks_exact_mut(n).zip(self.by_rate.chunks_exact_mut(n));
        for ((by_position, by_rate), mass) in rows.zip(self.mass.chunks_exact(n)) {
            self.turned.fill([[0.0; 3]; 2]);
            let [mut c1, mut c2] = [[0.0; 3]; 2];
            let mut below = usize::MAX;
            for &m in self.bent {
                let m = m as usize;
                let place = &tree.places[m];
                if below != m + 1 || !tree.places[below].follows {
                    [c1, c2] = [[0.0; 3]; 2];
                }
                below = m;
                if place.fork != NONE {
                    let fork = &self.turned[place.fork as usize];
                    [c1, c2] = [add(c1, fork[0]), add(c2, fork[1])];
                }
                let u = place.u as usize;
                if place.kind == Kind::Axis {
                    let [w, psi] = self.turns[u];
                    by_rate[u] += dot(c1, w);
                    by_position[u] += dot(c2, w) + dot(c1, psi);
                } else {
                    let own = u..u + rates_of(place.kind);
                    for b in own.clone().step_by(3) {
                        c1 = add(c1, cross(three(mass, b), three(rates, b)));
                    }
                    for e in own.clone() {
                        by_rate[e] += dot(c1, self.turns[e][0]);
                    }
                    for b in own.clone().step_by(3) {
                        c2 = add(c2, cross(three(by_rate, b), three(rates, b)));
                        c2 = add(c2, cross(three(mass, b), three(accelerations, b)));
                    }
                    for e in own {
                        let [w, psi] = self.turns[e];
                        by_position[e] += dot(c2, w) + dot(c1, psi);
                    }
                }
                if place.from != NONE {
                    let fork = &mut self.turned[place.from as usize];
                    *fork = [add(fork[0], c1), add(fork[1], c2)];
                }
            }
        }
        for &j in self.bent {
            let place = &tree.places[j as usize];
            if place.kind == Kind::Axis {
                continue;
            }
            let u = place.u as usize;
            let [moment, force] = self.held[place.group as usize];
            let end = u + rates_of(place.kind);
            for stretch in self.way.from(j as usize, end) {
                for e in stretch.lo..stretch.hi {
                    let [w, _] = self.turns[e];
                    let mut add_rows = |first: usize, wrench: Vec3| {
                        for (k, x) in cross(w, wrench).into_iter().enumerate() {
                            self.by_position[(first + k) * n + e] += x;
                        }
                    };
                    if place.kind == Kind::Free {
                        add_rows(u, force);
                    }
                    add_rows(end - 3, moment);
                }
            }
        }
    }

    /// Idle spins of ball joints and floating links: τ_d += ω_d · σ α̂ of all links on whose way d is.
    fn idle_spins(&mut self) {
        let (way, n) = (self.way, self.way.tree.u_count);
        let tree = way.tree;
        for (i, (place, spare)) in tree.places.iter().zip(&tree.spare).enumerate() {
            if place.kind == Kind::Axis || *spare == [[0.0; 3]; 3] {
                continue;
            }
            let (at, lane) = (i / PACK, i % PACK);
            let frame = Columns::<Picked<false>>::load(lane, &self.work.moving[at].frame);
            let [xx, xy, xz, yy, yz, zz] = idle(spare, &frame).0.map(|x| x.0);
            let sigma = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            let al: Vec3 = self.beyond[at][0].map(|x| x.0[lane]);
            let moment = apply(&sigma, al);
            // what the axes from e's joint on add to α̂ turns with the links, the rest does not
            let mut carried = [0.0; 3];
            let mut m = Some(i);
            while let Some(link) = m {
                let joint = &tree.places[link];
                let first = joint.u as usize;
                let end = first + rates_of(joint.kind);
                if joint.kind == Kind::Axis {
                    carried = axpy(carried, self.accelerations[first], self.turns[first][0]);
                }
                for e in first..end {
                    let [w, _] = self.turns[e];
                    let change = sub(cross(w, moment), apply(&sigma, cross(w, sub(al, carried))));
                    for stretch in way.from(i, place.u as usize + rates_of(place.kind)) {
                        for d in stretch.lo..stretch.hi {
                            let [of_d, _] = self.turns[d];
                            let carried_along =
                                d >= first && tree.places[self.link_of[d] as usize].kind == Kind::Axis;
                            let own = if carried_along { dot(cross(w, of_d), moment) } else { 0.0 };
                            self.by_position[d * n + e] += dot(of_d, change) + own;
                        }
                    }
                }
                m = tree.parent(link);
            }
        }
    }
}
