//! Gauss–Seidel passes over an island, with Nesterov's extrapolation.
//!
//! With GS the map of a pass, x its input and z = GS(x) its output ([nesterov1983], restarts after [odonoghue2015]):
//!
//!   (A1)  z_k = GS(x_k),   x_{k+1} = z_k + β_k (z_k − z_{k−1})
//!   (A2)  θ_{k+1} = (1 + √(1 + 4 θ_k²))/2,   β_k = (θ_k − 1)/θ_{k+1},   θ_0 = 1
//!   (A3)  θ ← 1, β ← 0   where (x_k − z_k)·(z_k − z_{k−1}) > 0: the last pass turned back
//!
//! in units in which the diagonal of W = J K is 1. Outputs are inside the cones, inputs need not be: the search ends with an output. Velocities are linear in the impulses, so
//! that (A1) is made for them too, body by body, instead of once more contact by contact.
//!
//! Coulomb's law is no minimum of anything, so that (A1) need not converge: late passes are plain ones.
//!
//! The nonsmooth conjugate gradient method [silcowitz2010] with passes there and back took twice as many passes in heaps, walls and rows of dominoes, Anderson's acceleration
//! as many as this at three times the cost, over-relaxation more than plain passes.

use super::Effect;
use super::direct::Island;
use crate::linalg::vec3::Vec3;

/// Impulses and velocities of passes over an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    theta: f64,
    /// x_k and z_{k−1} by member.
    input: Vec<[f64; 3]>,
    last: Vec<[f64; 3]>,
    /// Velocities that belong to z_{k−1}, by body of the island.
    moved: Vec<[Vec3; 2]>,
}

impl Search {
    /// Begins with the impulses and velocities that there are.
    pub fn begin(&mut self, island: &Island) {
        let Island { blocks, moved, bodies, .. } = island;
        self.theta = 1.0;
        self.last.clear();
        self.last.extend(blocks.iter().map(|block| block.law.impulse));
        self.input.clone_from(&self.last);
        self.moved.clear();
        self.moved.extend(bodies.iter().map(|&slot| moved[slot as usize].added()));
    }

    /// z = GS(x); returns the largest change of a velocity, m/s.
    pub fn pass(&self, island: &mut Island, effects: &[Effect]) -> f64 {
        let Island { blocks, moved, .. } = island;
        let mut change: f64 = 0.0;
        for block in blocks.iter_mut() {
            let new = block.alone(moved);
            let old = block.law.impulse;
            let delta = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
            let square = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
            if square > 0.0 {
                block.law.impulse = new;
                change = change.max(block.w.size * block.w.size * square);
                block.add(moved, effects, delta);
            }
        }
        change.sqrt()
    }

    /// (A1) to (A3).
    pub fn extrapolate(&mut self, island: &mut Island, hurries: bool) {
        let Island { blocks, moved, bodies, .. } = island;
        let mut turned = 0.0;
        for ((block, x), last) in blocks.iter().zip(&self.input).zip(&self.last) {
            let z = &block.law.impulse;
            let product = |e: usize| (x[e] - z[e]) * (z[e] - last[e]);
            turned += block.w.size * (product(0) + product(1) + product(2));
        }
        let mut beta = 0.0;
        if turned > 0.0 || !hurries {
            self.theta = 1.0;
        } else {
            let next = 0.5 * (1.0 + (1.0 + 4.0 * self.theta * self.theta).sqrt());
            beta = (self.theta - 1.0) / next;
            self.theta = next;
        }
        for ((block, x), last) in blocks.iter_mut().zip(&mut self.input).zip(&mut self.last) {
            let z = block.law.impulse;
            *x = beyond(z, *last, beta);
            *last = z;
            block.law.impulse = *x;
        }
        for (last, &slot) in self.moved.iter_mut().zip(*bodies) {
            let body = &mut moved[slot as usize];
            let z = body.added();
            body.set([beyond(z[0], last[0], beta), beyond(z[1], last[1], beta)]);
            *last = z;
        }
    }
}

/// z + β (z − last)
#[inline]
fn beyond(z: Vec3, last: Vec3, beta: f64) -> Vec3 {
    let along = |i: usize| z[i] + beta * (z[i] - last[i]);
    [along(0), along(1), along(2)]
}
