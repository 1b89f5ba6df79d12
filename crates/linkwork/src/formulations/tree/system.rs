//! The skeleton of every formulation in joint variables: state, loops, projection, reactions, observation.
//!
//!   (S1)  [ M  Cᵀ ] [q̈]   [ f ]
//!         [ C  0  ] [ν] = [ γ ]
//!
//! over the rates of a spanning tree, with one row of C for every equation of a cut joint and every row that a joint of
//! the tree keeps. What M and f are
//! is a [`Law`]: `joints` takes them from particles, `tmt` from centres of mass and orientations, `lagrange`
//! from derivatives of the energies. Everything else is the same for all of them and stands here. ν > 0
//! has the sign of a multiplier: the force on the second body is −ν ∂Φ/∂r.
//!
//! The state is (q, u, W): coordinates with quaternions, rates, and the work of dampers and couples.
//!
//! A rod in space has no inertia about itself, and a particle none at all, so M is singular for such a
//! body on a ball joint. Its spin moves nothing; giving it an inertia of its own in M, and nowhere else,
//! makes the matrix regular and the spin's acceleration zero, and changes no other number.

use super::homes::node_homes;
use super::kinematics::{Column, Kinematics, normalise};
use super::loops::Loops;
use super::mass_matrix::MassMatrix;
use super::reactions::{Wrench, add_coupling_reactions, carry_reactions, joint_point, weights};
use super::variables::{BranchVariables, Variables};
use crate::formulations::projection::{Next, Projection};
use crate::formulations::{
    Counters, Formulate, Jump, MotionError, Spin, Twist, finite, jump, largest, not_finite,
};
use crate::integrate::System;
use crate::interactions::{Motion, Pull, Workspace};
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, add, axpy, dot, sub, unit};
use crate::mechanism::{BodyIndex, Mechanism, Rotation, judged_by, too_large};
use crate::model::Fault;
use crate::results::Frame;
use std::collections::BTreeSet;

/// More entries of M than this are refused: it is nearly dense for a chain.
pub const MAX_PATH_ENTRIES: usize = 4_000_000;

/// A mechanism at an instant, as a law sees it.
#[derive(Clone, Copy)]
pub struct Instant<'a> {
    /// The mechanism.
    pub mechanism: &'a Mechanism,
    /// Its joint variables.
    pub variables: &'a Variables,
    /// Poses and columns at q and u.
    pub kinematics: &'a Kinematics,
    /// Gravity and actions on each body.
    pub applied: &'a [Wrench],
    /// Coordinates.
    pub q: &'a [f64],
    /// Rates.
    pub u: &'a [f64],
}

/// What a formulation says about inertia.
pub trait Law: Send {
    /// Whether `equations` takes all forces from [`Instant::applied`]; else those of actions are added for it.
    const TAKES_APPLIED: bool = true;
    /// Buffers for a mechanism.
    fn new(mechanism: &Mechanism, variables: &Variables) -> Self;
    /// Adds M and f of (S1) at an instant. Both arrive as zeros.
    fn equations(&mut self, at: &Instant<'_>, mass: &mut MassMatrix, force: &mut [f64]);
    /// Kinetic energy, J. Follows a call of `equations` at the same instant.
    fn kinetic(&mut self, at: &Instant<'_>) -> f64;
    /// Each body's rate of momentum about the world's origin, for given accelerations. Follows a call of
    /// `equations` at the same instant.
    fn momentum_rates(&mut self, at: &Instant<'_>, acceleration: &[f64], out: &mut [Wrench]);
}

/// A formulation in joint variables, with all its buffers.
pub struct TreeSystem<'m, L> {
    pub(super) mechanism: &'m Mechanism,
    pub(super) variables: Variables,
    pub(super) kinematics: Kinematics,
    pub(super) loops: Loops,
    /// Body and place as drawn of every node.
    pub(super) homes: Vec<(BodyIndex, Vec3)>,
    /// The largest coordinate of a node at the start, m.
    farthest: f64,
    pub(super) law: L,
    pub(super) mass: MassMatrix,
    pub(super) kkt: Kkt,
    pub(super) applied: Vec<Wrench>,
    pub(super) force: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    pub(super) phi: Vec<f64>,
    pub(super) zero: Vec<f64>,
    pub(super) correction: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    pub(super) nu: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) momentum_rates: Vec<Wrench>,
    /// Inertia for spins that move nothing: any positive number of the right size.
    pub(super) spare_inertia: f64,
    pub(super) weighed: bool,
    pub(super) counters: Counters,
    pub(super) interactions: Workspace,
    pub(super) active: bool,
    /// For each coupling: the rates it depends on.
    pub(super) coupled: Vec<Vec<usize>>,
}

impl<'m, L: Law> TreeSystem<'m, L> {
    /// Sets up the tree, its variables, and the solver's pattern; a fault if that would be too large.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let variables = Variables::new(mechanism);
        let kinematics = Kinematics::new(&variables);
        let loops = Loops::new(mechanism, &variables.tree, &|b| kinematics.path[b].clone());
        let n = variables.u_count;
        let coupled: Vec<Vec<usize>> = mechanism
            .interactions
            .couplings
            .iter()
            .map(|coupling| {
                let rates = coupling.bodies.iter().flat_map(|&b| kinematics.path[b].iter().copied());
                rates.collect::<BTreeSet<usize>>().into_iter().collect()
            })
            .collect();
        let m = loops.rows.len() + coupled.len();
        let entries: usize = kinematics.path.iter().map(Vec::len).sum();
        if entries > MAX_PATH_ENTRIES {
            return Err(too_large());
        }
        let mass = MassMatrix::new(n, &kinematics.path);
        let mut patterns = loops.patterns();
        patterns.extend(coupled.iter().map(|rates| RowPattern {
            points: rates.clone(),
            certain: vec![false; rates.len()],
            simplex: None,
        }));
        let kkt = Kkt::new(n, 1, &mass.pattern(), &patterns);
        Ok(TreeSystem {
            law: L::new(mechanism, &variables),
            mass,
            kkt: kkt.ok_or_else(too_large)?,
            applied: vec![Wrench::default(); mechanism.bodies.len()],
            force: vec![0.0; n],
            gamma: vec![0.0; m],
            phi: vec![0.0; m],
            zero: vec![0.0; n],
            correction: vec![0.0; n],
            acceleration: vec![0.0; n],
            nu: vec![0.0; m],
            scratch: vec![0.0; variables.q_count.max(n)],
            momentum_rates: vec![Wrench::default(); mechanism.bodies.len()],
            spare_inertia: spare_inertia(mechanism),
            weighed: false,
            counters: Counters::default(),
            interactions: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            active: !mechanism.interactions.is_idle(),
            coupled,
            mechanism,
            variables,
            kinematics,
            loops,
            homes: node_homes(mechanism),
            farthest: mechanism.farthest_start(),
        })
    }

    /// The joint variables: rates and coordinates.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The matrix C of the cut joints at the start, row by row over all rates (\[attia2003\] (6.6)).
    pub fn cut_matrix(&mut self, q: &[f64]) -> Vec<Vec<f64>> {
        let u = vec![0.0; self.variables.u_count];
        self.kinematics.evaluate(&self.variables, q, &u);
        let kinematics = &self.kinematics;
        self.loops
            .rows
            .iter()
            .map(|row| {
                let mut c = vec![0.0; row.rates.len()];
                row.linearise(kinematics, &mut c);
                let mut full = vec![0.0; u.len()];
                for (&k, v) in row.rates.iter().zip(c) {
                    full[k] = v;
                }
                full
            })
            .collect()
    }

    /// The column of B of each rate at a node: its velocity for a unit rate (\[attia2003\] (6.1)).
    pub fn velocity_matrix(&mut self, q: &[f64], node: usize) -> Vec<Vec3> {
        let u = vec![0.0; self.variables.u_count];
        self.kinematics.evaluate(&self.variables, q, &u);
        let mut columns = vec![[0.0; 3]; u.len()];
        if let (Some(b), x) = self.homes[node] {
            let r = self.kinematics.poses[b].place(x);
            for &k in &self.kinematics.path[b] {
                columns[k] = self.kinematics.columns[k].at(r);
            }
        }
        columns
    }

    /// M, f, C and γ at a state; returns the power of dampers, couples and actions.
    fn linearise(&mut self, t: f64, q: &[f64], u: &[f64], extras: &[f64]) -> f64 {
        self.kinematics.evaluate(&self.variables, q, u);
        weights(self.mechanism, &self.kinematics, &mut self.applied);
        let mut power = 0.0;
        self.mass.values.fill(0.0);
        self.force.fill(0.0);
        if self.active {
            power += self.interact(t, extras);
        }
        let at = Instant {
            mechanism: self.mechanism,
            variables: &self.variables,
            kinematics: &self.kinematics,
            applied: &self.applied,
            q,
            u,
        };
        self.law.equations(&at, &mut self.mass, &mut self.force);
        self.hold_idle_spins();
        let kinematics = &self.kinematics;
        for (i, row) in self.loops.rows.iter().enumerate() {
            let start = self.kkt.row(i).0;
            self.gamma[i] = row.linearise(kinematics, &mut self.kkt.a[start..start + row.rates.len()]);
            self.phi[i] = row.residual(kinematics);
        }
        power
    }

    /// Inertia for spins that move nothing (see the header).
    fn hold_idle_spins(&mut self) {
        let planar = self.mechanism.columns() == 2;
        for branch in &self.variables.branches {
            let body = &self.mechanism.bodies[branch.body];
            let k = body.nodes.len();
            let line = || {
                let pose = &self.kinematics.poses[branch.body];
                let at = &body.particles.at;
                unit(sub(pose.place(at[1]), pose.place(at[0])))
            };
            // the directions that turn the body without moving it: all of a particle's, a rod's own line
            let idle_axis: Option<Vec3> = match (k, branch.rotation) {
                (1, _) => None,
                (2, Rotation::Ball) if !planar => Some(line()),
                (2, Rotation::Axis) if !planar => {
                    let along = match self.kinematics.columns[branch.u[1]] {
                        Column::Turn { a, .. } => dot(a, line()).abs(),
                        Column::Slide { .. } => 0.0,
                    };
                    if along < 1.0 - 1e-9 {
                        continue;
                    }
                    None
                }
                _ => continue,
            };
            let inertia = self.spare_inertia;
            let rates = match branch.rotation {
                Rotation::None => 0,
                Rotation::Axis => 1,
                Rotation::Ball => 3,
            };
            for i in 0..rates {
                for j in 0..=i {
                    let part = match idle_axis {
                        Some(a) => a[i] * a[j],
                        None => f64::from(u8::from(i == j)),
                    };
                    self.mass.add(branch.u[1] + i, branch.u[1] + j, inertia * part);
                }
            }
        }
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.kkt.set_mass(self.mass.values.iter().copied());
        if !self.weighed {
            self.kkt.weigh_rows();
            self.weighed = true;
        }
        self.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => {
                MotionError::SingularMass { coordinates: vec![self.rate_name(point)] }
            }
            KktFailure::NotFinite => {
                MotionError::NotFinite { what: "the mass matrix of the joint variables".into() }
            }
        })
    }

    fn rate_name(&self, rate: usize) -> String {
        let branch = self.variables.branches.iter().rev().find(|b| b.u[0] <= rate);
        let Some(branch) = branch else { return "the mechanism".into() };
        match branch.joint {
            Some(j) => format!("joint `{}`", self.mechanism.joints[j].name),
            None => format!("body `{}`", self.mechanism.bodies[branch.body].name),
        }
    }

    fn accelerate(&mut self, t: f64, q: &[f64], u: &[f64], extras: &[f64]) -> Result<f64, MotionError> {
        let mut power = self.linearise(t, q, u, extras);
        self.factor()?;
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.nu);
        self.counters.solves += 1 + u64::from(report.refinements);
        if self.active {
            power += self.interactions.drive_power(&self.nu[self.loops.rows.len()..]);
        }
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                let found = format!("the acceleration of {}", self.rate_name(i));
                Err(not_finite(self.mechanism, &mut self.interactions, (t, extras), found))
            }
        }
    }
}

/// The mean mass of the bodies times the size squared; massless mechanisms count as one kilogram.
pub fn spare_inertia(mechanism: &Mechanism) -> f64 {
    let total: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
    let mean = total / mechanism.bodies.len().max(1) as f64;
    (if mean > 0.0 { mean } else { 1.0 }) * mechanism.size.powi(2)
}

impl<L: Law> System for TreeSystem<'_, L> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        self.variables.q_count + self.variables.u_count + 1 + self.mechanism.interactions.extras()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let (q, u, extras) = (&y[..nq], &y[nq..nq + nu], &y[nq + nu + 1..]);
        dy[nq + nu] = self.accelerate(t, q, u, extras)?;
        self.kinematics.coordinate_rates(&self.variables, q, u, &mut dy[..nq]);
        dy[nq..nq + nu].copy_from_slice(&self.acceleration);
        self.interactions.extra_rates(&self.mechanism.interactions, t, extras, &mut dy[nq + nu + 1..]);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let (q, rest) = y.split_at_mut(nq);
        let (u, rest) = rest.split_at_mut(nu);
        let extras = &mut rest[1..];
        normalise(&self.variables, q);
        if !self.phi.is_empty() {
            let branches = self.variables.branches.iter();
            let far = branches.flat_map(|b| &q[b.q[0]..b.q[1]]).fold(0.0, |m: f64, x| m.max(x.abs()));
            let mut projection = Projection::new(judged_by(self.mechanism.size, self.farthest + far));
            loop {
                self.linearise(t, q, u, extras);
                let (worst, residual) = largest(&self.phi);
                if projection.next(residual, || self.row_label(worst).into())? == Next::Done {
                    break;
                }
                self.factor()?;
                for p in &mut self.phi {
                    *p = -*p;
                }
                self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.nu);
                self.counters.projection_steps += 1;
                self.kinematics.displace(&self.variables, q, &self.correction, &mut self.scratch[..nq]);
            }
            self.factor()?;
            for r in 0..self.phi.len() {
                self.phi[r] = -self.kkt.row_times(r, u) - self.moves(r);
            }
            self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.nu);
            for (u, du) in u.iter_mut().zip(&self.correction) {
                *u += du;
            }
        }
        if self.mechanism.interactions.hints > 0 {
            self.kinematics.evaluate(&self.variables, q, u);
            Self::motions(self.mechanism, &self.kinematics, &mut self.interactions.motions);
            self.interactions.settle(&self.mechanism.interactions, extras);
        }
        self.derivative(t, y, dy)
    }

    fn rates(&self) -> std::ops::Range<usize> {
        self.variables.q_count..self.variables.q_count + self.variables.u_count
    }

    fn independence(&mut self, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.kkt.m()).map(|r| self.kkt.independence(r)));
    }

    fn error_scale(&self, out: &mut [f64]) {
        // angles and quaternions against one, paths against the size
        out.fill(1.0);
        let nq = self.variables.q_count;
        for branch in &self.variables.branches {
            out[branch.q[0]..branch.q[1]].fill(self.mechanism.size);
            out[nq + branch.u[0]..nq + branch.u[1]].fill(self.mechanism.size);
        }
        let work = nq + self.variables.u_count;
        out[work] = f64::INFINITY;
        self.mechanism.interactions.scale_extras(&mut out[work + 1..]);
        out[nq + self.variables.u_count] = self.mechanism.work_scale();
    }

    fn is_place(&self, i: usize) -> bool {
        self.variables.branches.iter().any(|branch| (branch.q[0]..branch.q[1]).contains(&i))
    }
}

impl<L: Law> Formulate for TreeSystem<'_, L> {
    fn start(&self) -> Vec<f64> {
        let (q, u) = self.variables.start(self.mechanism);
        q.into_iter().chain(u).chain([0.0]).chain(self.mechanism.start_extras()).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let (q, u, extras) = (&y[..nq], &y[nq..nq + nu], &y[nq + nu + 1..]);
        self.accelerate(t, q, u, extras)?;
        let mechanism = self.mechanism;
        let kinematics = &self.kinematics;
        frame.t = t;
        frame.constraint_residual = largest(&self.phi).1;
        frame.velocity_residual = (0..self.phi.len())
            .fold(0.0, |m: f64, r| m.max((self.kkt.row_times(r, u) + self.moves(r)).abs()));
        frame.nodes.resize(self.homes.len(), [0.0; 3]);
        frame.node_velocities.resize(self.homes.len(), [0.0; 3]);
        for (node, &(body, x)) in self.homes.iter().enumerate() {
            let (r, v) = match body {
                None => (x, [0.0; 3]),
                Some(b) => {
                    let r = kinematics.poses[b].place(x);
                    (r, kinematics.poses[b].velocity(r))
                }
            };
            frame.nodes[node] = r;
            frame.node_velocities[node] = v;
        }
        for (i, point) in mechanism.points.iter().enumerate() {
            frame.positions[i] = frame.nodes[point.node];
            frame.velocities[i] = frame.node_velocities[point.node];
            frame.accelerations[i] = match self.homes[point.node] {
                (None, _) => [0.0; 3],
                (Some(b), x) => {
                    let r = kinematics.poses[b].place(x);
                    kinematics.path[b].iter().fold(kinematics.poses[b].bias(r), |s, &c| {
                        axpy(s, self.acceleration[c], kinematics.columns[c].at(r))
                    })
                }
            };
        }
        let at = Instant { mechanism, variables: &self.variables, kinematics, applied: &self.applied, q, u };
        frame.kinetic = self.law.kinetic(&at);
        // what the joints must supply: the rate of momentum less what is applied
        let surplus = &mut self.momentum_rates;
        self.law.momentum_rates(&at, &self.acceleration, surplus);
        frame.potential = 0.0;
        for (b, body) in mechanism.bodies.iter().enumerate() {
            surplus[b] = surplus[b].plus(self.applied[b].negative());
            let p = &body.particles.properties;
            frame.potential -= p.mass * dot(mechanism.model.gravity, kinematics.poses[b].place(p.com));
        }
        frame.work = y[nq + nu];
        let cut = self.loops.cut_wrenches(mechanism, &self.variables.tree, kinematics, &self.nu);
        let coupled = self.coupling_wrenches();
        let surplus = &mut self.momentum_rates;
        for &(_, body, wrench) in &coupled {
            surplus[body] = surplus[body].plus(wrench.negative());
        }
        let place = |j: usize| joint_point(mechanism, kinematics, j);
        carry_reactions(mechanism, &self.variables.tree, &place, surplus, &cut, &mut frame.reactions);
        add_coupling_reactions(mechanism, &coupled, &place, &mut frame.reactions);
        frame.gaps.fill(0.0);
        for (row, phi) in self.loops.rows.iter().zip(&self.phi) {
            frame.gaps[row.joint] = frame.gaps[row.joint].hypot(*phi);
        }
        Self::motions(mechanism, kinematics, &mut frame.motions);
        frame.extras.clear();
        frame.extras.extend(extras);
        frame.multipliers.clear();
        frame.multipliers.extend(&self.nu[self.loops.rows.len()..]);
        frame.read(mechanism, &mut self.interactions);
        Ok(())
    }

    fn spins(&self) -> Vec<Spin> {
        let turns = |b: &&BranchVariables| b.rotation == Rotation::Ball && b.parent.is_none();
        let branches = self.variables.branches.iter().filter(turns);
        branches.map(|b| Spin { q: b.q[1], u: self.variables.q_count + b.u[1] }).collect()
    }

    fn work_index(&self) -> usize {
        self.variables.q_count + self.variables.u_count
    }

    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Motion]) {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        self.kinematics.evaluate(&self.variables, &y[..nq], &y[nq..nq + nu]);
        Self::motions(self.mechanism, &self.kinematics, motions);
    }

    fn switch(&mut self, switch: usize, on: bool) {
        self.interactions.switches[switch] = on;
        self.weighed = false;
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        let (nq, nu, first) = (self.variables.q_count, self.variables.u_count, self.loops.rows.len());
        self.linearise(t, &y[..nq], &y[nq..nq + nu], &y[nq + nu + 1..]);
        self.factor()?;
        let u = &mut y[nq..nq + nu];
        let before: Vec<f64> = (0..self.phi.len()).map(|r| self.kkt.row_times(r, u)).collect();
        let mut b = vec![0.0; before.len()];
        for &(row, rate) in wanted {
            b[first + row] = rate - before[first + row] - self.interactions.evaluated[row].phi_t;
        }
        let report = self.kkt.solve(&self.zero, &b, &mut self.correction, &mut self.nu);
        self.counters.solves += 1 + u64::from(report.refinements);
        for (u, du) in u.iter_mut().zip(&self.correction) {
            *u += du;
        }
        let after: Vec<f64> = (0..before.len()).map(|r| self.kkt.row_times(r, u)).collect();
        let jump = jump::sum_up(&before, &after, &b, &self.nu, first, |row| self.row_label(row).into())?;
        y[nq + nu] += jump.work;
        Ok(jump)
    }

    fn row_name(&self, row: usize) -> String {
        self.row_label(row).into()
    }

    fn set_loads(&mut self, pulls: &[Pull]) {
        self.interactions.set_extra(pulls);
        self.active = !self.mechanism.interactions.is_idle() || !pulls.is_empty();
    }

    fn respond(&mut self, pulls: &[Pull], change: &mut [f64]) -> Result<f64, MotionError> {
        self.pulled(pulls);
        self.phi.fill(0.0);
        let report = self.kkt.solve(&self.force, &self.phi, change, &mut self.nu);
        self.counters.solves += 1 + u64::from(report.refinements);
        finite(change)?;
        Ok(self.interactions.drive_power(&self.nu[self.loops.rows.len()..]))
    }

    fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [Twist]) {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        self.kinematics.evaluate(&self.variables, &y[..nq], &y[nq..nq + nu]);
        self.body_twists(rates, out);
    }

    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]) {
        let rates = System::rates(self);
        self.twists(y, &dy[rates], out);
        for ((body, pose), out) in self.mechanism.bodies.iter().zip(&self.kinematics.poses).zip(out) {
            out.v = add(out.v, pose.bias(pose.place(body.particles.properties.com)));
            out.w = add(out.w, pose.alpha);
        }
    }

    fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        let nq = self.variables.q_count;
        self.kinematics.displace(&self.variables, &mut y[..nq], change, &mut self.scratch[..nq]);
    }

    fn sizes(&self) -> (usize, usize) {
        (self.variables.q_count, self.variables.u_count + self.nu.len())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn component_bodies(&self, i: usize) -> Vec<usize> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let branches = &self.variables.branches;
        let branch = match i {
            i if i < nq => branches.iter().rev().find(|b| b.q[0] <= i),
            i if i < nq + nu => branches.iter().rev().find(|b| b.u[0] <= i - nq),
            _ => None,
        };
        branch.map(|branch| branch.body).into_iter().collect()
    }

    fn component_name(&self, i: usize) -> String {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        if i >= nq + nu {
            return "the work of dampers and couples".into();
        }
        if i >= nq {
            return format!("the rate of {}", self.rate_name(i - nq));
        }
        let branch = self.variables.branches.iter().rev().find(|b| b.q[0] <= i);
        format!(
            "the coordinate of {}",
            branch.map_or_else(|| "the mechanism".into(), |b| self.rate_name(b.u[0]))
        )
    }
}

crate::keep::keep!([L: Law] TreeSystem<'_, L> { kkt, acceleration, nu, weighed, counters, interactions, active } but {
    mechanism, variables, kinematics, loops, homes, farthest, law, mass, applied, force, gamma, phi, zero, correction, scratch,
    momentum_rates, spare_inertia, coupled
});
