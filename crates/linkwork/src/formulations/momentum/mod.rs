//! `momentum`: particles, with linear and angular momentum gathered along the tree instead of multipliers
//! ([attia2005] section 2).
//!
//! The state is that of `points`, y = [q, q̇, W], and so are projection and energies. Accelerations and
//! reactions come another way. Unknown are the accelerations of the particles, less one for each
//! spatial body of four ([`ParticleInvariants`]), and the reactions of cut joints; no force inside a body or in
//! a joint of the tree appears, but for rows that the joint keeps (`mechanism/tree`). The equations are
//!
//!   (1)  d·F_b = 0,  d·M_b = 0    for each tree joint, along each direction d that it leaves free (`branches`)
//!   (2)  Φ_q q̈ = γ                for all constraints between points that are left (`unknowns`)
//!
//! with F_b and M_b gathered by `gather`. A floating chain of N bodies on spherical joints has 6N + 3 unknowns,
//! 3N moment equations, 3N distances and 3 force equations, as in the paper. Where bodies carry no spin
//! (rods), points are crowded or loops overconstrained, some equations repeat others and some reactions are
//! not unique. So (1) and (2) are solved together in the least-squares sense: consistent equations are met
//! exactly, and of reactions that balance each other the least are taken. Reactions of the tree's joints
//! follow from the balance of the bodies beyond them, (2.17).
//!
//! The matrix is dense, n unknowns cost n³: this is the formulation to read beside the paper and to check
//! others with, not the one for long chains.

mod branches;
mod gather;
mod invariants;
mod unknowns;

pub use invariants::{MomentumMatrices, ParticleInvariants, momentum_matrices};

use super::kernel::{At, Core, Kernel};
use super::tree::{add_coupling_reactions, carry_reactions};
use super::{MotionError, Points, not_finite};
use crate::constraints::MAX_NODES;
use crate::integrate::System;
use crate::interactions::{BodyWrench, Motion};
use crate::linalg::least_squares::LeastSquares;
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{Vec3, axpy, scale, sub};
use crate::mechanism::{Mechanism, Tree};
use crate::model::Fault;
use crate::results::Frame;
use branches::Branch;
use gather::{Gather, constraint_equations, coupling_equations};
use unknowns::{Released, Unknowns};

/// An acceleration with this part in the null space is not determined. Beside a singular position accelerations have
/// a small part in reactions that nearly balance each other, which is no harm.
const UNDETERMINED: f64 = 1e-2;

/// Beyond this one solve takes seconds.
const MOST_UNKNOWNS: usize = 1000;

/// The numbers of unknowns and equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MomentumCount {
    /// Components of particles' accelerations.
    pub accelerations: usize,
    /// Components of cut joints' reactions, and rows that joints of the tree keep.
    pub reactions: usize,
    /// Force and moment equations.
    pub momentum: usize,
    /// Accelerations of constraints.
    pub constraints: usize,
}

/// The formulation with all its buffers.
pub struct Momentum<'m> {
    mechanism: &'m Mechanism,
    /// State, constraints, projection and energies.
    points: Box<Points<'m>>,
    tree: Tree,
    branches: Vec<Branch>,
    unknowns: Unknowns,
    gather: Gather,
    system: LeastSquares,
    /// Weights of each body's centre of mass.
    centres: Vec<Vec<f64>>,
    applied: Vec<Wrench>,
    r: Vec<Vec3>,
    v: Vec<Vec3>,
    a: Vec<Vec3>,
    row: Vec<f64>,
    x: Vec<f64>,
    /// The last state, and its time until `points` has a factor there.
    place: Vec<f64>,
    unfactored: Option<f64>,
}

impl<'m> Momentum<'m> {
    /// Faults that keep a mechanism from being solved in this formulation: only its size can.
    pub fn unsupported(mechanism: &Mechanism) -> Vec<Fault> {
        let unknowns = Unknowns::new(mechanism, &Tree::new(mechanism)).count;
        if unknowns <= MOST_UNKNOWNS {
            return Vec::new();
        }
        let message = format!(
            "`momentum` solves dense equations for at most {MOST_UNKNOWNS} unknowns; here are {unknowns}"
        );
        vec![Fault::error("simulation.formulation", message).help("`points` and `joints` take large models")]
    }

    /// Sets up the tree, the unknowns and the buffers. The mechanism has met no objection.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let tree = Tree::new(mechanism);
        let unknowns = Unknowns::new(mechanism, &tree);
        let n = unknowns.count;
        let nodes = vec![[0.0; 3]; mechanism.maps.len()];
        let weights = |body: usize, at: Vec3| mechanism.bodies[body].particles.weights(at);
        let com = |b: usize| weights(b, mechanism.bodies[b].particles.properties.com);
        Ok(Momentum {
            points: Box::new(Points::without_forces(mechanism)?),
            branches: Branch::all(mechanism, &tree),
            gather: Gather::new(mechanism, n),
            system: LeastSquares::new(
                unknowns.rows.len() + mechanism.interactions.couplings.len() + 6 * mechanism.bodies.len(),
                n,
            ),
            centres: (0..mechanism.bodies.len()).map(com).collect(),
            applied: vec![Wrench::default(); mechanism.bodies.len()],
            r: nodes.clone(),
            v: nodes.clone(),
            a: nodes,
            row: vec![0.0; n],
            x: vec![0.0; n],
            place: Vec::new(),
            unfactored: None,
            unknowns,
            tree,
            mechanism,
        })
    }

    fn remember(&mut self, At { t, q, u, auxiliary }: At<'_>) {
        self.place.clear();
        [q, u, &[0.0], auxiliary].iter().for_each(|part| self.place.extend_from_slice(part));
        self.unfactored = Some(t);
    }

    /// How many unknowns and equations there are.
    pub fn count(&self) -> MomentumCount {
        let d = self.mechanism.columns();
        let of_branch = |b: &Branch| b.translation.count(d) + b.rotation.rates();
        MomentumCount {
            accelerations: self.unknowns.accelerations,
            reactions: self.unknowns.count - self.unknowns.accelerations,
            momentum: self.branches.iter().map(of_branch).sum(),
            constraints: self.unknowns.rows.len(),
        }
    }

    /// Gravity and actions on each body, moments about its pivot; returns the power that no
    /// potential accounts for.
    fn apply_forces(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let mechanism = self.mechanism;
        let r = &self.r;
        let mut pivots = vec![[0.0; 3]; mechanism.bodies.len()];
        for branch in &self.branches {
            pivots[branch.body] = r[branch.pivot];
        }
        let place = |body: usize, weights: &[f64]| {
            let nodes = &mechanism.bodies[body].nodes;
            nodes.iter().zip(weights).fold([0.0; 3], |s, (&n, &w)| axpy(s, w, r[n]))
        };
        let about = |body: usize, at: Vec3, f: Vec3| Wrench::at(sub(at, pivots[body]), f);
        let mut power = 0.0;
        for (b, body) in mechanism.bodies.iter().enumerate() {
            let weight = scale(body.particles.properties.mass, mechanism.model.gravity);
            self.applied[b] = about(b, place(b, &self.centres[b]), weight);
        }
        let core = self.points.parts().1;
        if core.active {
            let (pulls, more) = core.interactions.loads(&mechanism.interactions, t, auxiliary);
            power += more;
            for pull in pulls {
                // by its forces on the particles: a rod takes no couple about itself
                for (node, f) in mechanism.spread_over_nodes(pull, r) {
                    self.applied[pull.body] = self.applied[pull.body].plus(about(pull.body, r[node], f));
                }
            }
        }
        power
    }

    /// Accelerations and cut reactions at a state; returns the power that no potential accounts for.
    fn solve(&mut self, at: At<'_>) -> Result<f64, MotionError> {
        let At { t, q, u: v, auxiliary } = at;
        let mechanism = self.mechanism;
        mechanism.maps.positions(q, &mut self.r);
        mechanism.maps.rates(v, &mut self.v);
        mechanism.couple(t, &self.r, &self.v, auxiliary, &mut self.points.parts().1.interactions);
        let mut power = self.apply_forces(t, auxiliary);
        self.unknowns.evaluate(mechanism, &self.r, &self.v);
        self.system.clear();
        let (unknowns, r) = (&self.unknowns, &self.r);
        let system = &mut self.system;
        constraint_equations(mechanism, unknowns, r, &self.v, &mut self.row, system);
        let core = self.points.parts().1;
        let ws = &core.interactions;
        coupling_equations(mechanism, unknowns, r, ws, &mut self.row, system);
        self.gather.own_parts(mechanism, &self.branches, unknowns, r, &self.applied, ws);
        self.gather.emit_all(mechanism, &self.branches, r, system);
        core.counters.factorisations += 1;
        core.counters.solves += 1;
        system.solve(&mut self.x);
        if core.active {
            let unit = self.gather.unit_of_force;
            let multipliers = core.lambda[core.joint_rows..].iter_mut();
            multipliers.zip(&self.x[unknowns.couplings..]).for_each(|(lambda, x)| *lambda = unit * x);
            power += core.drive_power();
        }
        let columns = mechanism.columns();
        let name = |i: usize| mechanism.node_names[mechanism.coordinates[i]].clone();
        if let Some(i) = (0..unknowns.accelerations).find(|&i| system.open(i) > UNDETERMINED) {
            return Err(MotionError::Massless { point: name(unknowns.block_of(i, columns)) });
        }
        unknowns.accelerations_into(columns, &self.x, &mut core.acceleration);
        match core.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                let found = format!("the acceleration of {}", name(i / columns));
                Err(not_finite(mechanism, &mut core.interactions, (t, auxiliary), found))
            }
        }
    }

    /// What a cut joint's unknowns do: (body, wrench about the origin) for each body and the ground.
    fn released_wrenches(&self, released: Released, mut each: impl FnMut(Option<usize>, Wrench)) {
        let unit = self.gather.unit_of_force;
        match released {
            Released::Node { joint, node, column } => {
                let [first, second] = self.mechanism.joints[joint].bodies;
                let mut force = [0.0; 3];
                for (f, x) in force.iter_mut().zip(&self.x[column..][..self.mechanism.columns()]) {
                    *f = unit * x;
                }
                let wrench = Wrench::at(self.r[node], force);
                each(second, wrench);
                each(first, wrench.negative());
            }
            Released::Row { row, column, .. } => {
                let row = &self.mechanism.rows.list[row];
                let mut gradient = [[0.0; 3]; MAX_NODES];
                row.constraint.gradient(&self.r, &mut gradient);
                let nu = unit * self.x[column];
                for ((node, &on), &g) in row.constraint.nodes().into_iter().zip(&row.acts_on).zip(&gradient) {
                    each(on, Wrench::at(self.r[node], scale(-nu, g)));
                }
            }
        }
    }

    /// (2.17): reactions of all joints from the balance of bodies and the cut joints' unknowns. Kept rows are part
    /// of what their branch carries.
    fn reactions(&mut self, out: &mut [Wrench]) {
        let mechanism = self.mechanism;
        let of_cut = &self.unknowns.released[..self.unknowns.of_cut];
        mechanism.maps.rates(&self.points.core().acceleration, &mut self.a);
        let mut surplus = vec![Wrench::default(); mechanism.bodies.len()];
        for branch in &self.branches {
            let body = &mechanism.bodies[branch.body];
            let applied = &self.applied[branch.body];
            let sum = &mut surplus[branch.body];
            *sum = Wrench::at(self.r[branch.pivot], applied.force).negative();
            sum.moment = sub(sum.moment, applied.moment);
            for (row, &i) in body.particles.gram.iter().zip(&body.nodes) {
                let f = row.iter().zip(&body.nodes).fold([0.0; 3], |s, (&g, &j)| axpy(s, g, self.a[j]));
                *sum = sum.plus(Wrench::at(self.r[i], f));
            }
        }
        for &released in of_cut {
            self.released_wrenches(released, |on, wrench| {
                if let Some(b) = on {
                    surplus[b] = surplus[b].plus(wrench.negative());
                }
            });
        }
        let mut coupled = Vec::new();
        let core = self.core();
        for (i, &lambda) in core.lambda[core.joint_rows..].iter().enumerate() {
            for pull in core.interactions.pulls(i) {
                // by the forces on the particles: what a thin body does not carry is not there
                for (node, f) in mechanism.spread_over_nodes(pull, &self.r) {
                    coupled.push((i, pull.body, Wrench::at(self.r[node], scale(-lambda, f))));
                }
            }
        }
        for &(_, b, wrench) in &coupled {
            surplus[b] = surplus[b].plus(wrench.negative());
        }
        out.fill(Wrench::default());
        let place = |j: usize| self.r[mechanism.joints[j].points[1]];
        carry_reactions(mechanism, &self.tree, &place, &mut surplus, &[], out);
        add_coupling_reactions(mechanism, &coupled, &place, out);
        for &released in of_cut {
            let (Released::Node { joint, .. } | Released::Row { joint, .. }) = released;
            self.released_wrenches(released, |on, wrench| {
                if on == mechanism.joints[joint].bodies[1] {
                    out[joint] = out[joint].plus(wrench.about(place(joint)));
                }
            });
        }
    }
}

impl Kernel for Momentum<'_> {
    fn parts(&mut self) -> (&Mechanism, &mut Core) {
        self.points.parts()
    }

    fn mechanism(&self) -> &Mechanism {
        self.mechanism
    }

    fn core(&self) -> &Core {
        self.points.core()
    }

    fn accelerate(&mut self, at: At<'_>, _: bool) -> Result<f64, MotionError> {
        self.remember(at);
        self.solve(at)
    }

    fn describe(&mut self, at: At<'_>, frame: &mut Frame) {
        self.points.describe_points(at, frame);
        self.reactions(&mut frame.reactions);
    }

    fn unknowns(&self) -> usize {
        self.unknowns.count
    }

    /// Brings the factor of `points` to the last state, if it is elsewhere.
    fn restore(&mut self) -> Result<(), MotionError> {
        match self.unfactored.take() {
            Some(t) => self.points.factor_at(self.points.core().at(t, &self.place)),
            None => Ok(()),
        }
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.unfactored = None;
        self.points.factor()
    }

    fn project_state(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.points.project_onto(t, y)?;
        self.derivative(t, y, dy)
    }

    fn prepare_independence(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.unfactored = None;
        self.points.prepare_independence(t, y, dy)
    }

    // all else is as in `points`

    fn initial(&self) -> (Vec<f64>, Vec<f64>) {
        self.points.initial()
    }

    fn coordinate_rates(&mut self, q: &[f64], v: &[f64], dq: &mut [f64]) {
        self.points.coordinate_rates(q, v, dq);
    }

    fn move_along(&mut self, q: &mut [f64], change: &[f64]) {
        self.points.move_along(q, change);
    }

    fn motions(&mut self, q: &[f64], v: &[f64], out: &mut [Motion]) {
        self.points.motions(q, v, out);
    }

    fn rigid_rates(&mut self, q: &[f64], v: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]) {
        self.points.rigid_rates(q, v, rates, biased, out);
    }

    fn answer(&mut self, wrenches: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError> {
        self.points.answer(wrenches, change)
    }

    fn component(&self, i: usize) -> (String, Vec<usize>) {
        self.points.component(i)
    }

    fn linearise(&mut self, at: At<'_>) {
        self.points.linearise(at);
    }

    fn correct(&mut self) -> u64 {
        self.points.correct()
    }

    fn rates_of_rows(&mut self, v: &[f64], out: &mut [f64]) {
        self.points.rates_of_rows(v, out);
    }

    fn independence_of(&self, row: usize) -> f64 {
        self.points.independence_of(row)
    }

    fn joint_row_label(&self, row: usize) -> &str {
        self.points.joint_row_label(row)
    }
}

crate::keep::keep!(Momentum<'_> { points, place, unfactored } but {
    mechanism, tree, branches, unknowns, gather, system, centres, applied, r, v, a, row, x
});
