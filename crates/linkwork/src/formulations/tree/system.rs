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
use super::kinematics::{Kinematics, UnitTwist, normalise};
use super::loops::Loops;
use super::mass_matrix::MassMatrix;
use super::reactions::{show_points, show_reactions, weights};
use super::variables::{BranchVariables, Variables};
use crate::formulations::kernel::{At, Core, Kernel, accessors};
use crate::formulations::{MotionError, Spin, not_finite};
use crate::interactions::{BodyWrench, Motion, Workspace};
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::ordering::RowPattern;
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{Vec3, axpy, dot, sub, unit};
use crate::mechanism::{BodyIndex, Mechanism, Rotation, too_large};
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
    pub(super) law: L,
    pub(super) mass: MassMatrix,
    pub(super) kkt: Kkt,
    pub(super) applied: Vec<Wrench>,
    pub(super) force: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) momentum_rates: Vec<Wrench>,
    /// Inertia for spins that move nothing: any positive number of the right size.
    pub(super) spare_inertia: f64,
    /// Its multipliers are ν.
    pub(super) core: Core,
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
        let mut lengths = vec![false; variables.q_count + n];
        for branch in &variables.branches {
            lengths[branch.q[0]..branch.q[1]].fill(true);
            lengths[variables.q_count + branch.u[0]..variables.q_count + branch.u[1]].fill(true);
        }
        let workspace = Workspace::new(&mechanism.interactions, mechanism.bodies.len());
        let active = !mechanism.interactions.is_idle();
        let core = Core::new(mechanism, workspace, active, variables.q_count, lengths, loops.rows.len());
        Ok(TreeSystem {
            law: L::new(mechanism, &variables),
            mass,
            kkt: kkt.ok_or_else(too_large)?,
            applied: vec![Wrench::default(); mechanism.bodies.len()],
            force: vec![0.0; n],
            scratch: vec![0.0; variables.q_count.max(n)],
            momentum_rates: vec![Wrench::default(); mechanism.bodies.len()],
            spare_inertia: spare_inertia(mechanism),
            core,
            coupled,
            mechanism,
            variables,
            kinematics,
            loops,
            homes: node_homes(mechanism),
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
    fn evaluate(&mut self, at: At<'_>) -> f64 {
        let At { t, q, u, auxiliary } = at;
        self.kinematics.evaluate(&self.variables, q, u);
        weights(self.mechanism, &self.kinematics, &mut self.applied);
        let mut power = 0.0;
        self.mass.values.fill(0.0);
        self.force.fill(0.0);
        if self.core.active {
            power += self.interact(t, auxiliary);
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
            self.core.gamma[i] = row.linearise(kinematics, &mut self.kkt.a[start..start + row.rates.len()]);
            self.core.phi[i] = row.residual(kinematics);
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
                        UnitTwist::Turn { a, .. } => dot(a, line()).abs(),
                        UnitTwist::Slide { .. } => 0.0,
                    };
                    if along < 1.0 - 1e-9 {
                        continue;
                    }
                    None
                }
                _ => continue,
            };
            let inertia = self.spare_inertia;
            for i in 0..branch.rotation.rates() {
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

    fn rate_name(&self, rate: usize) -> String {
        let branch = self.variables.branches.iter().rev().find(|b| b.u[0] <= rate);
        let Some(branch) = branch else { return "the mechanism".into() };
        match branch.joint {
            Some(j) => format!("joint `{}`", self.mechanism.joints[j].name),
            None => format!("body `{}`", self.mechanism.bodies[branch.body].name),
        }
    }
}

/// The mean mass of the bodies times the size squared; massless mechanisms count as one kilogram.
pub fn spare_inertia(mechanism: &Mechanism) -> f64 {
    let total: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
    let mean = total / mechanism.bodies.len().max(1) as f64;
    (if mean > 0.0 { mean } else { 1.0 }) * mechanism.size.powi(2)
}

impl<L: Law> Kernel for TreeSystem<'_, L> {
    accessors!();

    fn initial(&self) -> (Vec<f64>, Vec<f64>) {
        self.variables.start(self.mechanism)
    }

    fn accelerate(&mut self, at: At<'_>, _: bool) -> Result<f64, MotionError> {
        let mut power = self.evaluate(at);
        self.factor()?;
        power += self.core.solve(&mut self.kkt, &self.force);
        match self.core.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                let found = format!("the acceleration of {}", self.rate_name(i));
                Err(not_finite(self.mechanism, &mut self.core.interactions, (at.t, at.auxiliary), found))
            }
        }
    }

    fn coordinate_rates(&mut self, q: &[f64], u: &[f64], dq: &mut [f64]) {
        self.kinematics.coordinate_rates(&self.variables, q, u, dq);
    }

    fn move_along(&mut self, q: &mut [f64], change: &[f64]) {
        let scratch = &mut self.scratch[..q.len()];
        self.kinematics.displace(&self.variables, q, change, scratch);
    }

    fn normalise(&self, q: &mut [f64]) {
        normalise(&self.variables, q);
    }

    fn motions(&mut self, q: &[f64], u: &[f64], out: &mut [Motion]) {
        self.kinematics.evaluate(&self.variables, q, u);
        self.kinematics.motions(self.mechanism, out);
    }

    fn rigid_rates(&mut self, q: &[f64], u: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]) {
        self.kinematics.evaluate(&self.variables, q, u);
        self.body_twists(rates, out);
        if biased {
            for ((body, pose), out) in self.mechanism.bodies.iter().zip(&self.kinematics.poses).zip(out) {
                *out = out.add(1.0, &pose.bias_twist(pose.place(body.particles.properties.com)));
            }
        }
    }

    fn answer(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError> {
        self.pulled(pulls);
        self.core.answer(&mut self.kkt, &self.force, change);
        Ok(())
    }

    fn describe(&mut self, at: At<'_>, frame: &mut Frame) {
        let mechanism = self.mechanism;
        let kinematics = &self.kinematics;
        let acceleration = |b: usize, r: Vec3| {
            kinematics.path[b].iter().fold(kinematics.poses[b].bias_at(r), |s, &c| {
                axpy(s, self.core.acceleration[c], kinematics.columns[c].at(r))
            })
        };
        show_points(mechanism, kinematics, &self.homes, acceleration, frame);
        let (q, u) = (at.q, at.u);
        let instant =
            Instant { mechanism, variables: &self.variables, kinematics, applied: &self.applied, q, u };
        frame.kinetic = self.law.kinetic(&instant);
        // what the joints must supply: the rate of momentum less what is applied
        let surplus = &mut self.momentum_rates;
        self.law.momentum_rates(&instant, &self.core.acceleration, surplus);
        frame.potential = 0.0;
        for (b, body) in mechanism.bodies.iter().enumerate() {
            surplus[b] = surplus[b].plus(self.applied[b].negative());
            let p = &body.particles.properties;
            frame.potential -= p.mass * dot(mechanism.model.gravity, kinematics.poses[b].place(p.com));
        }
        let tree = (&self.variables.tree, &self.loops);
        show_reactions(mechanism, tree, kinematics, &self.core, surplus, frame);
    }

    fn component(&self, i: usize) -> (String, Vec<usize>) {
        let nq = self.core.nq;
        let branches = self.variables.branches.iter().rev();
        let (what, branch) = match i.checked_sub(nq) {
            None => ("coordinate", branches.clone().find(|b| b.q[0] <= i)),
            Some(i) => ("rate", branches.clone().find(|b| b.u[0] <= i)),
        };
        let name = branch.map_or_else(|| "the mechanism".into(), |b| self.rate_name(b.u[0]));
        (format!("the {what} of {name}"), branch.map(|branch| branch.body).into_iter().collect())
    }

    fn linearise(&mut self, at: At<'_>) {
        self.evaluate(at);
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.kkt.set_mass(self.mass.values.iter().copied());
        if !self.core.weighed {
            self.kkt.weigh_rows();
            self.core.weighed = true;
        }
        self.core.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => {
                MotionError::SingularMass { coordinates: vec![self.rate_name(point)] }
            }
            KktFailure::NotFinite => {
                MotionError::NotFinite { what: "the mass matrix of the joint variables".into() }
            }
        })
    }

    fn correct(&mut self) -> u64 {
        self.core.correct(&mut self.kkt)
    }

    fn rates_of_rows(&mut self, u: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(r, rate)| *rate = self.kkt.row_times(r, u));
    }

    fn independence_of(&self, row: usize) -> f64 {
        self.kkt.independence(row)
    }

    fn joint_row_label(&self, row: usize) -> &str {
        &self.loops.rows[row].label
    }

    fn free_spins(&self) -> Vec<Spin> {
        let turns = |b: &&BranchVariables| b.rotation == Rotation::Ball && b.parent.is_none();
        let branches = self.variables.branches.iter().filter(turns);
        branches.map(|b| Spin { q: b.q[1], u: self.core.nq + b.u[1] }).collect()
    }
}

crate::keep::keep!([L: Law] TreeSystem<'_, L> { kkt, core } but {
    mechanism, variables, kinematics, loops, homes, law, mass, applied, force, scratch, momentum_rates, spare_inertia, coupled
});
