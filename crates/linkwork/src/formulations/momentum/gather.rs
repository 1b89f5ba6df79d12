//! Rates of linear and angular momentum, gathered from the last body of each branch inward.
//!
//! For each body b with its joint's point p_b, all linear in the unknowns:
//!
//!   (G1)  F_b = Σ_i m̄_i r̈_i − R_b − (reactions of cut joints on b)                          (2.15)
//!   (G2)  M_b = Σ_i (A_i + [r_1 − p_b]× m̄_i) r̈_i − G_b − (their moments), about p_b          (2.16)
//!   (G3)  F_p += F_b,   M_p += M_b + (p_b − p_p) × F_b                                        (2.21), (2.27)
//!
//! Once a body's children have been added, F_b and M_b are what its own joint does to it, (2.17); along
//! what the joint leaves free they vanish, and these are the equations. (2.21) of the paper writes the
//! moments with the arms of each body's own A: all arms must run from the same point, which is what (G3)
//! sees to.

use super::branches::Branch;
use super::invariants::{momentum_matrices, scalar, skew};
use super::unknowns::{Expression, Released, Unknowns};
use crate::constraints::MAX_NODES;
use crate::formulations::tree::{Rotation, Translation};
use crate::interactions::Workspace;
use crate::linalg::least_squares::LeastSquares;
use crate::linalg::spatial::{Wrench, product};
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, cross, dot, norm, scale, sub};
use crate::mechanism::{BodyIndex, Mechanism};

/// A row shorter than this part of what its masses and arms amount to is not stretched to unit length: it may
/// be the spin of a rod, which is all rounding.
const SHORT: f64 = 1e-2;

/// F_b and M_b as rows over the unknowns, with what stands on the right.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// F in rows 0..3, M in rows 3..6.
    rows: Vec<f64>,
    right: [f64; 6],
    /// p_b.
    about: Vec3,
    /// Of the branch, kg; what a reaction column counts included.
    mass: f64,
    /// Of the branch from p_b, m.
    extent: f64,
}

/// Adds factor times an expression to three rows.
fn add_expression(rows: &mut [f64], right: &mut [f64], d: usize, factor: &Mat3, x: &Expression) {
    let width = rows.len() / 3;
    let constant = apply(factor, x.constant);
    for (right, c) in right.iter_mut().zip(constant) {
        *right -= c;
    }
    for (column, m) in &x.terms {
        let m = product(factor, m);
        for (i, row) in m.iter().enumerate() {
            for (entry, value) in rows[i * width + column..][..d].iter_mut().zip(row) {
                *entry += value;
            }
        }
    }
}

/// Buffers of the recursion.
#[derive(Clone, Debug)]
pub(super) struct Gather {
    bodies: Vec<Gathered>,
    row: Vec<f64>,
    /// Reactions count in multiples of this mass times m/s², so that all unknowns are of a size.
    pub unit_of_force: f64,
}

impl Gather {
    pub fn new(mechanism: &Mechanism, width: usize) -> Self {
        let mass: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
        let unit_of_force = mass / mechanism.bodies.len().max(1) as f64;
        let body =
            Gathered { rows: vec![0.0; 6 * width], right: [0.0; 6], about: [0.0; 3], mass: 0.0, extent: 0.0 };
        Gather {
            bodies: vec![body; mechanism.bodies.len()],
            row: vec![0.0; width],
            unit_of_force: if unit_of_force > 0.0 { unit_of_force } else { 1.0 },
        }
    }

    /// What each body needs by itself; `applied` holds forces and moments on each body about its pivot.
    pub fn own_parts(
        &mut self,
        mechanism: &Mechanism,
        branches: &[Branch],
        unknowns: &Unknowns,
        r: &[Vec3],
        applied: &[Wrench],
        couplings: &Workspace,
    ) {
        for branch in branches {
            self.own(mechanism, branch, unknowns, r, &applied[branch.body]);
        }
        for &released in &unknowns.released {
            self.release(mechanism, released, r);
        }
        for i in 0..couplings.evaluated.len() {
            for pull in couplings.pulls(i) {
                for (node, f) in mechanism.spread_over_nodes(pull, r) {
                    self.load(Some(pull.body), unknowns.couplings + i, r[node], scale(-1.0, f));
                }
            }
        }
    }

    /// The equations of all branches, once everything is gathered from the last inward.
    pub fn emit_all(
        &mut self,
        mechanism: &Mechanism,
        branches: &[Branch],
        r: &[Vec3],
        system: &mut LeastSquares,
    ) {
        for branch in branches.iter().rev() {
            self.emit(mechanism, branch, r, system);
            if let Some(parent) = branch.parent {
                self.hand_on(branch.body, parent);
            }
        }
    }

    /// (G1), (G2): the body's own part.
    fn own(
        &mut self,
        mechanism: &Mechanism,
        branch: &Branch,
        unknowns: &Unknowns,
        r: &[Vec3],
        applied: &Wrench,
    ) {
        let body = &mechanism.bodies[branch.body];
        let k = body.nodes.len();
        let mut at = [[0.0; 3]; 4];
        for (x, &node) in at.iter_mut().zip(&body.nodes) {
            *x = r[node];
        }
        let g = &mut self.bodies[branch.body];
        g.about = r[branch.pivot];
        g.mass = body.particles.properties.mass;
        g.extent = at[..k].iter().fold(0.0, |m, &x| m.max(norm(sub(x, g.about))));
        g.rows.fill(0.0);
        for i in 0..3 {
            g.right[i] = applied.force[i];
            g.right[i + 3] = applied.moment[i];
        }
        let matrices = momentum_matrices(&body.particles.gram, &at[..k]);
        let shift = skew(sub(at[0], g.about));
        let half = g.rows.len() / 2;
        let (force, moment) = g.rows.split_at_mut(half);
        let (force_right, moment_right) = g.right.split_at_mut(3);
        let d = mechanism.columns();
        for (i, &node) in body.nodes.iter().enumerate() {
            let x = &unknowns.nodes[node];
            let m_bar = matrices.m_bar[i];
            let a: Mat3 = std::array::from_fn(|row| add(matrices.a[i][row], scale(m_bar, shift[row])));
            add_expression(force, force_right, d, &scalar(m_bar), x);
            add_expression(moment, moment_right, d, &a, x);
        }
    }

    /// A force on a body, linear in one unknown: it stands on the left with a minus.
    fn load(&mut self, body: BodyIndex, column: usize, at: Vec3, force: Vec3) {
        let Some(b) = body else { return };
        let force = scale(self.unit_of_force, force);
        let width = self.row.len();
        let g = &mut self.bodies[b];
        let moment = cross(sub(at, g.about), force);
        for i in 0..3 {
            g.rows[i * width + column] -= force[i];
            g.rows[(i + 3) * width + column] -= moment[i];
        }
        g.mass = g.mass.max(self.unit_of_force);
    }

    fn release(&mut self, mechanism: &Mechanism, released: Released, r: &[Vec3]) {
        match released {
            Released::Node { joint, node, column } => {
                let [first, second] = mechanism.joints[joint].bodies;
                for (c, &e) in IDENTITY.iter().enumerate().take(mechanism.columns()) {
                    self.load(second, column + c, r[node], e);
                    self.load(first, column + c, r[node], scale(-1.0, e));
                }
            }
            Released::Row { row, column, .. } => {
                let row = &mechanism.rows.list[row];
                let mut gradient = [[0.0; 3]; MAX_NODES];
                row.constraint.gradient(r, &mut gradient);
                for ((node, &on), &g) in row.constraint.nodes().into_iter().zip(&row.acts_on).zip(&gradient) {
                    self.load(on, column, r[node], scale(-1.0, g));
                }
            }
        }
    }

    /// The equations of a branch: F and M along what its joint leaves free.
    fn emit(&mut self, mechanism: &Mechanism, branch: &Branch, r: &[Vec3], system: &mut LeastSquares) {
        let axes = &IDENTITY[..mechanism.columns()];
        match branch.translation {
            Translation::None => {}
            Translation::Slide => self.project(branch.body, 0, branch.sliding(mechanism, r), system),
            Translation::Free => axes.iter().for_each(|&e| self.project(branch.body, 0, e, system)),
        }
        match branch.rotation {
            Rotation::None => {}
            Rotation::Axis => self.project(branch.body, 3, branch.turning(mechanism, r), system),
            Rotation::Ball => IDENTITY.iter().for_each(|&e| self.project(branch.body, 3, e, system)),
        }
    }

    fn project(&mut self, body: usize, first: usize, along: Vec3, system: &mut LeastSquares) {
        let g = &self.bodies[body];
        let width = self.row.len();
        self.row.fill(0.0);
        for (i, &e) in along.iter().enumerate().filter(|(_, e)| **e != 0.0) {
            let from = &g.rows[(first + i) * width..][..width];
            self.row.iter_mut().zip(from).for_each(|(x, f)| *x += e * f);
        }
        let right = dot(along, [g.right[first], g.right[first + 1], g.right[first + 2]]);
        let size = g.mass * if first == 0 { 1.0 } else { g.extent };
        let length = self.row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let divisor = if length > SHORT * size { length } else { size };
        // a particle on a pin of its own point has no moment at all
        if divisor > 0.0 {
            system.push(&self.row, right, 1.0 / divisor);
        }
    }

    /// (G3)
    fn hand_on(&mut self, body: usize, parent: usize) {
        let width = self.row.len();
        let low = body.min(parent);
        let (left, rest) = self.bodies.split_at_mut(low + 1);
        let other = &mut rest[body.max(parent) - low - 1];
        let (from, to) = if body < parent { (&left[low], other) } else { (&*other, &mut left[low]) };
        let arm = sub(from.about, to.about);
        let turn = skew(arm);
        for (to, from) in to.rows.iter_mut().zip(&from.rows) {
            *to += from;
        }
        for i in 0..3 {
            for k in (0..3).filter(|&k| k != i) {
                let (source, s) = (&from.rows[k * width..][..width], turn[i][k]);
                to.rows[(i + 3) * width..][..width].iter_mut().zip(source).for_each(|(t, f)| *t += s * f);
            }
        }
        let force = [from.right[0], from.right[1], from.right[2]];
        let moment = cross(arm, force);
        for i in 0..3 {
            to.right[i] += from.right[i];
            to.right[i + 3] += from.right[i + 3] + moment[i];
        }
        to.mass += from.mass;
        to.extent = to.extent.max(from.extent + norm(arm));
    }
}

/// The constraint rows that are left, as equations between accelerations.
pub(super) fn constraint_equations(
    mechanism: &Mechanism,
    unknowns: &Unknowns,
    r: &[Vec3],
    v: &[Vec3],
    row: &mut [f64],
    system: &mut LeastSquares,
) {
    let d = mechanism.columns();
    let mut gradient = [[0.0; 3]; MAX_NODES];
    for &i in &unknowns.rows {
        let constraint = &mechanism.rows.list[i].constraint;
        constraint.gradient(r, &mut gradient);
        row.fill(0.0);
        let mut right = constraint.gamma(v);
        for (node, g) in constraint.nodes().into_iter().zip(gradient) {
            let x = &unknowns.nodes[node];
            right -= dot(g, x.constant);
            for (column, m) in &x.terms {
                let part = crate::linalg::vec3::apply_transposed(m, g);
                for (entry, value) in row[*column..][..d].iter_mut().zip(part) {
                    *entry += value;
                }
            }
        }
        system.push(row, right, 1.0);
    }
}

/// The couplings as equations between accelerations of particles; those that are not in force say nothing.
pub(super) fn coupling_equations(
    mechanism: &Mechanism,
    unknowns: &Unknowns,
    r: &[Vec3],
    couplings: &Workspace,
    row: &mut [f64],
    system: &mut LeastSquares,
) {
    let d = mechanism.columns();
    for (i, evaluated) in couplings.evaluated.iter().enumerate() {
        row.fill(0.0);
        let mut right = evaluated.gamma;
        for pull in couplings.pulls(i) {
            let m = &couplings.motions[pull.body];
            for (&node, g) in mechanism.bodies[pull.body].nodes.iter().zip(mechanism.spread_pull(pull, r)) {
                right += dot(g, cross(m.w, cross(m.w, sub(r[node], m.c))));
                let x = &unknowns.nodes[node];
                right -= dot(g, x.constant);
                for (column, factor) in &x.terms {
                    let part = crate::linalg::vec3::apply_transposed(factor, g);
                    for (entry, value) in row[*column..][..d].iter_mut().zip(part) {
                        *entry += value;
                    }
                }
            }
        }
        system.push(row, right, 1.0);
    }
}
