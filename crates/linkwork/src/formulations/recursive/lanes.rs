//! Eight mechanisms side by side as one system: y[8 i + k] is component i of lane k.
//!
//! The kernel works on all lanes at a time ([`Octet`]); forces, springs and formulas are worked out lane by lane by the code that a
//! mechanism alone uses. All that happens to a lane happens to it alone, in the same order: where a stepper works component by
//! component, as explicit methods of a given step do, a lane has the bits of its mechanism's own run.
//!
//! Only for mechanisms without rows: no loops, no couplings. What goes wrong in a lane is not distinguishable here: whoever runs the
//! lanes runs them again one by one.

use super::input::power;
use super::loads::hand_over;
use super::{Formulate, Input, Recursive, Spin, pose_of};
use crate::integrate::System;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Mat3, apply, apply_transposed};
use crate::recursive::lane::{PACK, Pack};
use crate::recursive::{LinkJoint, Octet};

/// Some lane cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneTrouble;

/// Eight mechanisms whose trees are alike.
pub(crate) struct Lanes<'m> {
    lanes: Vec<Recursive<'m>>,
    octet: Octet,
    /// Bodies that forces depend on.
    asked: Vec<usize>,
    /// Angular velocities that the state has in the axes of the body, as a run alone has them.
    spins: Vec<Spin>,
    q: Vec<Pack>,
    u: Vec<Pack>,
    tau: Vec<Pack>,
    out: Vec<Pack>,
    /// (q, u), the forces on the rates and the auxiliary states of one lane.
    one: Vec<f64>,
    one_tau: Vec<f64>,
    auxiliary: Vec<f64>,
    auxiliary_rates: Vec<f64>,
}

impl<'m> Lanes<'m> {
    /// Puts eight side by side; gives them back if that is not possible.
    pub fn new(lanes: Vec<Recursive<'m>>) -> Result<Self, Vec<Recursive<'m>>> {
        let whole = |a: &Recursive<'_>| a.links.inertias.iter().all(Option::is_some);
        let fits = |a: &Recursive<'_>| a.rows.is_empty() && a.dimension() == lanes[0].dimension() && whole(a);
        if lanes.len() != PACK || !lanes.iter().all(fits) {
            return Err(lanes);
        }
        let tree = lanes[0].tree();
        let octet = if lanes.iter().all(|lane| std::ptr::eq(lane.mechanism, lanes[0].mechanism)) {
            Some(Octet::new(tree.clone()))
        } else {
            Octet::of_trees(std::array::from_fn(|k| lanes[k].tree()))
        };
        let Some(octet) = octet else { return Err(lanes) };
        let (nq, nu) = (tree.q_count(), tree.u_count());
        let auxiliary = lanes[0].dimension() - nq - nu - 1;
        let packs = |n: usize| vec![Pack::default(); n];
        let mut asked: Vec<usize> = lanes.iter().flat_map(Recursive::asked_bodies).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut all = Lanes {
            octet,
            asked,
            spins: lanes[0].spins(),
            q: packs(nq),
            u: packs(nu),
            tau: packs(nu),
            out: packs(nu),
            one: vec![0.0; nq + nu],
            one_tau: vec![0.0; nu],
            auxiliary: vec![0.0; auxiliary],
            auxiliary_rates: vec![0.0; auxiliary],
            lanes,
        };
        all.refresh_inputs();
        Ok(all)
    }

    /// One of the mechanisms.
    pub fn lane(&mut self, k: usize) -> &mut Recursive<'m> {
        &mut self.lanes[k]
    }

    /// Takes over the constant inputs of the lanes: to be called when they have changed.
    pub fn refresh_inputs(&mut self) {
        for (i, tau) in self.tau.iter_mut().enumerate() {
            *tau = Pack(std::array::from_fn(|k| self.lanes[k].tau[i]));
        }
    }

    /// The start of all lanes.
    pub fn start(&self) -> Vec<f64> {
        let starts: Vec<Vec<f64>> = self.lanes.iter().map(Formulate::start).collect();
        let mut starts = starts;
        for y in &mut starts {
            for spin in &self.spins {
                let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
                let nu = apply_transposed(&r, [y[spin.u], y[spin.u + 1], y[spin.u + 2]]);
                y[spin.u..spin.u + 3].copy_from_slice(&nu);
            }
        }
        (0..starts[0].len() * PACK).map(|i| starts[i % PACK][i / PACK]).collect()
    }

    /// The state of one lane, as its mechanism has it.
    pub fn pick(&self, y: &[f64], k: usize, to: &mut Vec<f64>) {
        to.clear();
        to.extend(y.iter().skip(k).step_by(PACK));
        for spin in &self.spins {
            let r = quaternion::matrix(&to[spin.q..spin.q + 4]);
            let w = apply(&r, [to[spin.u], to[spin.u + 1], to[spin.u + 2]]);
            to[spin.u..spin.u + 3].copy_from_slice(&w);
        }
    }

    /// A quaternion of a lane as the kernel has it, and its matrix.
    fn turned(&self, spin: Spin, k: usize) -> ([f64; 4], Mat3) {
        let q: [f64; 4] = std::array::from_fn(|c| self.q[spin.q + c].0[k]);
        (q, quaternion::matrix(&q))
    }

    fn counts(&self) -> (usize, usize) {
        (self.q.len(), self.u.len())
    }

    /// Takes coordinates and rates of a state over.
    fn take(&mut self, y: &[f64]) {
        let nq = self.q.len();
        for (to, from) in self.q.iter_mut().zip(y.chunks_exact(PACK)) {
            to.0.copy_from_slice(from);
        }
        for (to, from) in self.u.iter_mut().zip(y[nq * PACK..].chunks_exact(PACK)) {
            to.0.copy_from_slice(from);
        }
        for i in 0..self.spins.len() {
            let spin = self.spins[i];
            for k in 0..PACK {
                let (_, r) = self.turned(spin, k);
                let u = &mut self.u[spin.u - nq..][..3];
                let w = apply(&r, [u[0].0[k], u[1].0[k], u[2].0[k]]);
                (0..3).for_each(|c| u[c].0[k] = w[c]);
            }
        }
    }

    /// What laws say of the forces on the rates.
    fn drive(&mut self, t: f64) {
        for (k, lane) in self.lanes.iter().enumerate() {
            let Some(input @ Input::Law(_)) = &lane.input else { continue };
            for (to, from) in self.one.iter_mut().zip(self.q.iter().chain(&self.u)) {
                *to = from.0[k];
            }
            let (q, u) = self.one.split_at(self.q.len());
            self.one_tau.fill(0.0);
            input.write(t, q, u, &mut self.one_tau);
            for (to, from) in self.tau.iter_mut().zip(&self.one_tau) {
                to.0[k] = *from;
            }
        }
    }

    /// Where the bodies are that somebody asks about. Lanes of a link lie side by side: body by body, not lane by lane.
    fn refresh(&mut self) {
        for &b in &self.asked {
            for (k, lane) in self.lanes.iter_mut().enumerate() {
                let octet = &self.octet;
                lane.kinematics.poses[b] = pose_of(&lane.links.places[b], |link| octet.motion(link, k));
            }
        }
    }

    /// The auxiliary states of a lane.
    fn take_extras(&mut self, y: &[f64], k: usize) {
        let first = (self.q.len() + self.u.len() + 1) * PACK + k;
        for (to, from) in self.auxiliary.iter_mut().zip(y.iter().skip(first).step_by(PACK)) {
            *to = *from;
        }
    }

    /// Rates of the coordinates, as [`Recursive::coordinate_rates`].
    fn coordinate_rates(&self, dq: &mut [f64]) {
        let lane = &self.lanes[0];
        if lane.quaternions.is_empty() {
            for (to, from) in dq.chunks_exact_mut(PACK).zip(&self.u) {
                to.copy_from_slice(&from.0);
            }
            return;
        }
        let tree = self.octet.tree();
        let mut next = lane.quaternions.iter().peekable();
        for (link, l) in lane.links.list.iter().enumerate() {
            let (i, k) = tree.first(link);
            if next.peek().is_none_or(|at| at.0 != link) {
                dq[PACK * i..][..PACK].copy_from_slice(&self.u[k].0);
                continue;
            }
            next.next();
            let (i, k) = match l.joint {
                LinkJoint::Free => {
                    for c in 0..3 {
                        dq[PACK * (i + c)..][..PACK].copy_from_slice(&self.u[k + c].0);
                    }
                    (i + 3, k + 3)
                }
                _ => (i, k),
            };
            for of in 0..PACK {
                let mut w: [f64; 3] = std::array::from_fn(|c| self.u[k + c].0[of]);
                if let Some(parent) = tree.parent(link) {
                    w = apply_transposed(&self.octet.motion(parent, of).rotation, w);
                }
                let q: [f64; 4] = std::array::from_fn(|c| self.q[i + c].0[of]);
                for (c, rate) in quaternion::rate(&q, w).into_iter().enumerate() {
                    dq[PACK * (i + c) + of] = rate;
                }
            }
        }
    }
}

impl System for Lanes<'_> {
    type Error = LaneTrouble;

    fn dimension(&self) -> usize {
        PACK * self.lanes[0].dimension()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), LaneTrouble> {
        let (nq, nu) = self.counts();
        let rest = PACK * (nq + nu);
        self.take(y);
        self.drive(t);
        if self.lanes.iter().all(|lane| lane.plain && !lane.core.active) {
            self.octet.forward(&self.q, &self.u, &self.tau, &mut self.out);
            dy[rest..].fill(0.0);
        } else {
            self.octet.place(&self.q, &self.u);
            self.refresh();
            for k in 0..PACK {
                self.take_extras(y, k);
                let lane = &mut self.lanes[k];
                dy[rest + k] = lane.work_out_loads(t, &self.auxiliary);
                let octet = &mut self.octet;
                hand_over(&lane.loads, &lane.links.places, |link, load| {
                    octet.load(link, k, [0.0; 3], load.force, load.moment);
                });
                let interactions = &lane.mechanism.interactions;
                lane.core.interactions.auxiliary_rates(
                    interactions,
                    t,
                    &self.auxiliary,
                    &mut self.auxiliary_rates,
                );
                for (i, rate) in self.auxiliary_rates.iter().enumerate() {
                    dy[rest + PACK * (1 + i) + k] = *rate;
                }
            }
            self.octet.solve(&self.tau, &mut self.out);
            if !self.octet.is_sound() {
                return Err(LaneTrouble);
            }
        }
        for (k, lane) in self.lanes.iter().enumerate() {
            if lane.input.is_some() {
                let (tau, u) = (self.tau.iter().map(|x| x.0[k]), self.u.iter().map(|x| x.0[k]));
                dy[rest + k] += power(tau, u);
            }
        }
        for (to, from) in dy[PACK * nq..].chunks_exact_mut(PACK).zip(&self.out) {
            if !from.0.iter().all(|x| x.is_finite()) {
                return Err(LaneTrouble);
            }
            to.copy_from_slice(&from.0);
        }
        self.coordinate_rates(&mut dy[..PACK * nq]);
        for &spin in &self.spins {
            for k in 0..PACK {
                let (q, r) = self.turned(spin, k);
                let three = |x: &[f64]| std::array::from_fn(|c| x[PACK * (spin.u + c) + k]);
                let rate = quaternion::rate_in_body(&q, three(y));
                let nu = apply_transposed(&r, three(dy));
                (0..4).for_each(|c| dy[PACK * (spin.q + c) + k] = rate[c]);
                (0..3).for_each(|c| dy[PACK * (spin.u + c) + k] = nu[c]);
            }
        }
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), LaneTrouble> {
        for &(_, i) in &self.lanes[0].quaternions {
            for k in 0..PACK {
                let mut q: [f64; 4] = std::array::from_fn(|c| y[PACK * (i + c) + k]);
                quaternion::normalise(&mut q);
                for c in 0..4 {
                    y[PACK * (i + c) + k] = q[c];
                }
            }
        }
        if self.lanes.iter().any(|lane| lane.mechanism.interactions.hints > 0) {
            let (nq, nu) = self.counts();
            self.take(y);
            self.octet.place(&self.q, &self.u);
            self.refresh();
            for k in 0..PACK {
                self.take_extras(y, k);
                let lane = &mut self.lanes[k];
                lane.motions();
                lane.core.interactions.settle(&lane.mechanism.interactions, &mut self.auxiliary);
                for (i, extra) in self.auxiliary.iter().enumerate() {
                    y[PACK * (nq + nu + 1 + i) + k] = *extra;
                }
            }
        }
        self.derivative(t, y, dy)
    }

    fn rates(&self) -> std::ops::Range<usize> {
        let (nq, nu) = self.counts();
        PACK * nq..PACK * (nq + nu)
    }

    fn error_scale(&self, out: &mut [f64]) {
        let mut one = vec![0.0; self.lanes[0].dimension()];
        for (k, lane) in self.lanes.iter().enumerate() {
            lane.error_scale(&mut one);
            for (i, scale) in one.iter().enumerate() {
                out[PACK * i + k] = *scale;
            }
        }
    }

    fn is_place(&self, i: usize) -> bool {
        self.lanes[i % PACK].is_place(i / PACK)
    }
}
