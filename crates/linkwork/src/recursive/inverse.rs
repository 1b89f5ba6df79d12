//! Inverse dynamics: the forces on the rates that make a given motion, in O(n).
//!
//! ```text
//!   (I1)  τ = S·F,   F = Σ over the link and all that hangs on it of (n, f) − loads
//! ```
//!
//! with (n, f) of a link from (W5), expressed about the reference point of its group, and handed inward as (W9) says. A load is a force at a
//! place of a link, and a moment. Idle spins ([`super::Link::spare`]) resist as they do in the forward dynamics: an axis with its part times its q̈, a ball joint
//! or a floating link with a moment against what u̇ adds to its angular acceleration.

use super::algebra::{Columns, Symmetric, V};
use super::lane::{Lane, Many, PACK, Pack, Picked, Sink, Source};
use super::packed::outward_packed;
use super::posture::{Beyond, Posture, Task, dispatch, parts, rates_of, spread};
use super::tree::{Kind, NONE, Tree};
use super::work::Work;
use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, axpy, cross, dot, scale, sub};
use pulp::Simd;

/// A force at a place of a link, and a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The link.
    pub link: usize,
    /// Where the force acts, in the link's own frame, m.
    pub place: Vec3,
    /// In world axes, N.
    pub force: Vec3,
    /// In world axes, N m.
    pub moment: Vec3,
}

/// The tree as a whole at an instant. Masses only: idle spins have no energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// kg
    pub mass: f64,
    /// Centre of mass in the world, m. That of a tree without mass is the origin.
    pub centre: Vec3,
    /// Its velocity, m/s.
    pub velocity: Vec3,
    /// Momentum, kg m/s.
    pub momentum: Vec3,
    /// Angular momentum about the centre of mass, kg m²/s.
    pub angular_momentum: Vec3,
    /// J
    pub kinetic: f64,
    /// Potential energy in the tree's gravity, zero at the world's origin, J.
    pub potential: f64,
}

/// A tree with the buffers for its inverse dynamics.
///
/// ```
/// use linkwork::recursive::{Inverse, Link, LinkJoint, Tree};
/// let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let bob = Link {
///     mass: 2.0,
///     com: [0.5, 0.0, 0.0],
///     ..Link::massless(None, LinkJoint::revolute([0.0, 0.0, 1.0]), identity, [0.0; 3])
/// };
/// let mut inverse = Inverse::new(Tree::new(&[bob], [0.0, -9.81, 0.0])?);
/// let mut tau = [0.0];
/// inverse.forces(&[0.0], &[0.0], &[3.0], &mut tau);
/// assert!((tau[0] - (2.0 * 0.25 * 3.0 + 2.0 * 9.81 * 0.5)).abs() < 1e-12); // m l² q̈ + m g l
/// # Ok::<(), linkwork::recursive::TreeFault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Inverse {
    posture: Posture,
}

impl Inverse {
    /// Buffers for a tree.
    pub fn new(tree: Tree) -> Self {
        Inverse { posture: Posture::new(tree) }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.posture.tree
    }

    /// Forces on the rates at (q, u) for accelerations u̇.
    ///
    /// # Panics
    /// Where a slice is shorter than the tree's counts. This holds for all functions here.
    pub fn forces(&mut self, q: &[f64], u: &[f64], accelerations: &[f64], out: &mut [f64]) {
        self.go(q, Some(u), Some(accelerations), &[], out);
    }

    /// The same with forces and moments on links.
    ///
    /// # Panics
    /// Where a load names a link that is not there.
    pub fn forces_under(
        &mut self,
        (q, u): (&[f64], &[f64]),
        accelerations: &[f64],
        loads: &[Load],
        out: &mut [f64],
    ) {
        self.go(q, Some(u), Some(accelerations), loads, out);
    }

    /// Forces on the rates with u̇ = 0: centrifugal and Coriolis forces, and weights.
    pub fn bias(&mut self, q: &[f64], u: &[f64], out: &mut [f64]) {
        self.go(q, Some(u), None, &[], out);
    }

    /// Forces on the rates that hold the tree still.
    pub fn gravity_forces(&mut self, q: &[f64], out: &mut [f64]) {
        self.go(q, None, None, &[], out);
    }

    fn go(
        &mut self,
        q: &[f64],
        u: Option<&[f64]>,
        accelerations: Option<&[f64]>,
        loads: &[Load],
        out: &mut [f64],
    ) {
        let Posture { tree, work, beyond, zeros, arch, .. } = &mut self.posture;
        let u = u.unwrap_or(zeros);
        dispatch(*arch, Forces { tree, q, u, accelerations, loads, out, work, beyond });
    }

    /// Mass, centre of mass, momentum and energy at (q, u).
    pub fn totals(&mut self, q: &[f64], u: &[f64]) -> Totals {
        let Posture { tree, work, arch, .. } = &mut self.posture;
        dispatch(*arch, Placing { tree, q, u, work });
        let tree = &self.posture.tree;
        let mut all = Totals::default();
        let mut moment = [0.0; 3];
        for (i, place) in tree.places.iter().enumerate() {
            let (m, c, velocity, _) = self.centre(i);
            all.mass += m;
            moment = axpy(moment, m, add(self.posture.work.groups[place.group as usize].origin, c));
            all.momentum = axpy(all.momentum, m, velocity);
        }
        all.potential = -dot(tree.gravity, moment);
        if all.mass > 0.0 {
            all.centre = scale(1.0 / all.mass, moment);
            all.velocity = scale(1.0 / all.mass, all.momentum);
        }
        for (i, place) in tree.places.iter().enumerate() {
            let (m, c, velocity, spin) = self.centre(i);
            // both from the centre of mass: nothing large is subtracted
            let r = add(sub(self.posture.work.groups[place.group as usize].origin, all.centre), c);
            let turning = axpy(spin.momentum, m, cross(r, sub(velocity, all.velocity)));
            all.angular_momentum = add(all.angular_momentum, turning);
            all.kinetic += 0.5 * (m * dot(velocity, velocity) + spin.twice_energy);
        }
        all
    }

    /// Mass of a link, its centre from the reference point, its velocity, and how it spins.
    fn centre(&self, i: usize) -> (f64, Vec3, Vec3, Spin) {
        let (moving, lane) = (&self.posture.work.moving[i / PACK], i % PACK);
        let read = |cells: &[Pack; 3]| -> Vec3 { [cells[0].0[lane], cells[1].0[lane], cells[2].0[lane]] };
        let k = &self.posture.tree.constants[i];
        let (c, w) = (read(&moving.c), read(&moving.w));
        let columns: Mat3 = [read(&moving.frame[0]), read(&moving.frame[1]), read(&moving.frame[2])];
        let own = apply(&columns, w);
        let [j33, j11, j12, j13, j22, j23] = k.j;
        let j = [[2.0 * j11 + j33, j12, j13], [j12, 2.0 * j22 + j33, j23], [j13, j23, j33]];
        let turning = apply(&j, own);
        let spin = Spin { momentum: apply_transposed(&columns, turning), twice_energy: dot(own, turning) };
        (k.mass, c, add(read(&moving.v), cross(w, c)), spin)
    }
}

/// Angular momentum of a link about its own centre, and its part of the energy.
struct Spin {
    momentum: Vec3,
    twice_energy: f64,
}

/// The first sweep, all of which is kept.
pub(super) struct Placing<'a> {
    pub tree: &'a Tree,
    pub q: &'a [f64],
    pub u: &'a [f64],
    pub work: &'a mut Work<Pack, f64>,
}

impl Task for Placing<'_> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, simd: S) {
        outward_packed::<S, FUSED, true>(simd, self.tree, self.q, self.u, self.work);
    }
}

struct Forces<'a> {
    tree: &'a Tree,
    q: &'a [f64],
    u: &'a [f64],
    accelerations: Option<&'a [f64]>,
    loads: &'a [Load],
    out: &'a mut [f64],
    work: &'a mut Work<Pack, f64>,
    beyond: &'a mut [Beyond],
}

impl Task for Forces<'_> {
    #[inline(always)]
    fn run<S: Simd, const FUSED: bool>(self, simd: S) {
        let Forces { tree, q, u, accelerations, loads, out, work, beyond } = self;
        // frames are needed where loads act and where idle spins are expressed in world axes
        match loads.is_empty() && tree.spare.is_empty() {
            true => outward_packed::<S, FUSED, false>(simd, tree, q, u, work),
            false => outward_packed::<S, FUSED, true>(simd, tree, q, u, work),
        }
        if let Some(accelerations) = accelerations {
            spread::<FUSED>(tree, accelerations, work, beyond);
            push_on(simd, tree, work, beyond);
            if !tree.spare.is_empty() {
                resist_idle(tree, work, beyond);
            }
        }
        for load in loads {
            take_off(tree, work, load);
        }
        inward::<FUSED>(tree, work, out);
        if let (Some(accelerations), false) = (accelerations, tree.spare.is_empty()) {
            for (place, spare) in tree.places.iter().zip(&tree.spare) {
                let u = place.u as usize;
                if place.kind == Kind::Axis {
                    out[u] += spare[2][2] * accelerations[u];
                }
            }
        }
    }
}

/// (P2)
#[inline(always)]
fn push_on<S: Simd>(simd: S, tree: &Tree, work: &mut Work<Pack, f64>, beyond: &[Beyond]) {
    for ((record, beyond), k) in work.records.iter_mut().zip(beyond).zip(&tree.packed) {
        for token in parts(simd) {
            let (al, a) = (V::<Many<S>>::load(token, &beyond[0]), V::load(token, &beyond[1]));
            let body = record.load_body::<Many<S>>(token);
            let mass: Many<S> = k.mass.read(token);
            let n = body.mc.cross_add(a, body.j.times_add(al, body.n));
            let f = al.cross_add(body.mc, body.f.axpy(mass, a));
            n.store(token, &mut record.w[1]);
            let [f0, f1, f2] = f.0;
            record.rate.write(token, f0);
            record.inverse.write(token, f1);
            record.f2.write(token, f2);
        }
    }
}

/// The inertia of idle spins in world axes, from the columns of a frame.
#[inline(always)]
pub(super) fn idle<const FUSED: bool>(
    spare: &Mat3,
    frame: &Columns<Picked<FUSED>>,
) -> Symmetric<Picked<FUSED>> {
    let rows = spare.map(|row| frame.times(V(row.map(Picked))));
    let entry =
        |i: usize, j: usize| (0..3).fold(Picked(0.0), |sum, k| rows[k].0[i].mul_add(frame.0[k].0[j], sum));
    Symmetric([entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)])
}

/// Moments of idle spins of ball joints and floating links.
fn resist_idle(tree: &Tree, work: &mut Work<Pack, f64>, beyond: &[Beyond]) {
    for (i, (place, spare)) in tree.places.iter().zip(&tree.spare).enumerate() {
        if place.kind == Kind::Axis {
            continue;
        }
        let (at, lane) = (i / PACK, i % PACK);
        let frame = Columns::<Picked<false>>::load(lane, &work.moving[at].frame);
        let al = V::load(lane, &beyond[at][0]);
        let n = V::load(lane, &work.records[at].w[1]);
        (n + idle(spare, &frame).times(al)).store(lane, &mut work.records[at].w[1]);
    }
}

/// A load on a link.
fn take_off(tree: &Tree, work: &mut Work<Pack, f64>, load: &Load) {
    let (at, lane) = (load.link / PACK, load.link % PACK);
    let moving = &work.moving[at];
    let place = apply_transposed(&tree.turned[load.link], load.place);
    let mut r: Vec3 = std::array::from_fn(|k| moving.p[k].0[lane]);
    for (k, column) in moving.frame.iter().enumerate() {
        r = axpy(r, place[k], std::array::from_fn(|i| column[i].0[lane]));
    }
    let moment = add(load.moment, cross(r, load.force));
    let record = &mut work.records[at];
    for k in 0..3 {
        record.w[1][k].0[lane] -= moment[k];
    }
    record.rate.0[lane] -= load.force[0];
    record.inverse.0[lane] -= load.force[1];
    record.f2.0[lane] -= load.force[2];
}

/// (I1)
#[inline(always)]
fn inward<const FUSED: bool>(tree: &Tree, work: &mut Work<Pack, f64>, out: &mut [f64]) {
    let zero = V::<Picked<FUSED>>::splat(0, [0.0; 3]);
    let (mut n, mut f) = (zero, zero);
    for (i, place) in tree.places.iter().enumerate().rev() {
        let (at, token) = Picked::<FUSED>::at(0, i);
        let record = &work.records[at];
        n = n + V::load(token, &record.w[1]);
        f = f + V([record.rate.read(token), record.inverse.read(token), record.f2.read(token)]);
        if place.fork != NONE {
            let wrench = &work.forks[place.fork as usize].wrench;
            n = n + V::load(0, &wrench.n);
            f = f + V::load(0, &wrench.f);
        }
        let out = &mut out[place.u as usize..place.u as usize + rates_of(place.kind)];
        match place.kind {
            Kind::Axis => {
                let [turn, slide] = record.motion::<Picked<FUSED>>(token);
                out[0] = (turn.dot(n) + slide.dot(f)).0;
            }
            Kind::Ball => (0..3).for_each(|k| out[k] = n.0[k].0),
            Kind::Free => (0..3).for_each(|k| (out[k], out[k + 3]) = (f.0[k].0, n.0[k].0)),
        }
        if place.begins {
            n = V::load(0, &work.groups[place.group as usize].r).cross_add(f, n);
        }
        if place.from != NONE {
            let wrench = &mut work.forks[place.from as usize].wrench;
            (V::<Picked<FUSED>>::load(0, &wrench.n) + n).store(0, &mut wrench.n);
            (V::<Picked<FUSED>>::load(0, &wrench.f) + f).store(0, &mut wrench.f);
        }
        if !place.follows {
            (n, f) = (zero, zero);
        }
    }
}
