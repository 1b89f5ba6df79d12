//! The formulation as straight-line code, where nothing but a tree moves under its weight.

use super::{Formulate, Recursive};
use crate::linalg::quaternion;
use crate::linalg::vec3::{apply, apply_transposed};
use crate::straight::tree::{self, Equations, SpinAt};
use crate::straight::{Method, Program};

impl Recursive<'_> {
    /// What keeps it from being straight-line code; nothing if it can be.
    pub(crate) fn not_straight(&self) -> Option<&'static str> {
        let whole = self.links.inertias.iter().all(Option::is_some);
        if !self.rows.is_empty() {
            Some("it has loops, couplings or drivers")
        } else if self.core.active || self.mechanism.interactions.auxiliary() > 0 {
            Some("forces, springs or other elements act in it")
        } else if self.input.is_some() {
            Some("it has an input")
        } else if !whole || !self.light.is_empty() {
            Some("something in it has no inertia of its own")
        } else {
            None
        }
    }

    /// The program that moves it, and all whose links hang alike and differ in these numbers.
    pub(crate) fn program(&self, varies: &[bool], method: Method, settles: bool, fused: bool) -> Program {
        let tree = self.tree();
        let equations = Equations { tree, spins: &self.spins_at(), plain: self.plain };
        let settled = if settles { tree::settled(tree, fused) } else { None };
        Program { rates: equations.rates(varies, fused), settled, method }
    }

    fn spins_at(&self) -> Vec<SpinAt> {
        Formulate::spins(self).iter().map(|spin| SpinAt { q: spin.q, u: spin.u }).collect()
    }

    /// The start as the program has it: coordinates and rates, angular velocities of free bodies in their own axes.
    pub(crate) fn straight_start(&self) -> Vec<f64> {
        let (nq, nu) = self.counts();
        let mut y = Formulate::start(self);
        y.truncate(nq + nu);
        for spin in self.spins_at() {
            let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
            let nu = apply_transposed(&r, [y[spin.u], y[spin.u + 1], y[spin.u + 2]]);
            y[spin.u..spin.u + 3].copy_from_slice(&nu);
        }
        y
    }

    /// A state of the program as the formulation has it.
    pub(crate) fn take_straight(&self, y: &mut Vec<f64>) {
        for spin in self.spins_at() {
            let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
            let w = apply(&r, [y[spin.u], y[spin.u + 1], y[spin.u + 2]]);
            y[spin.u..spin.u + 3].copy_from_slice(&w);
        }
        y.push(0.0); // no work of forces
    }
}
