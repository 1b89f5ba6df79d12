//! `points`: primary particles and multipliers ([attia2003] sections 4 and 5).
//!
//!   (1)  M q̈ + Φ_qᵀ λ = f
//!   (2)  Φ_q q̈        = γ
//!
//! M is constant, Φ_q linear in q, γ quadratic in q̇ and free of q. The state is y = [q, q̇, W] with W
//! the work of dampers and couples, Ẇ = P, which the energy balance needs.
//!
//! [attia2003] has +Φ_qᵀ λ in (4.1) and − in (6.3); with (1), λ > 0 in a distance row is tension: the points
//! are pulled together (see (D2)).
//!
//! Projection: Newton steps with the solver of (1), (2) itself, [0; −Φ] on the right for positions and
//! [0; −Φ_q q̇] for velocities, so the correction is the smallest in the sense of kinetic energy and does
//! not disturb momentum.

mod mechanics;
mod series;
mod tangent;
mod variation;

pub use variation::Directions;

use super::kernel::{At, Core, Kernel, accessors};
use super::{MotionError, NotCovered, Twist, Variational, largest, not_finite};
use crate::formulations::projection::{Next, Projection};
use crate::integrate::{Mechanics, Series};
use crate::interactions::{BodyWrench, Motion, Workspace};
use crate::keep::{Bytes, Damaged, Keep};
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::vec3::{Vec3, cross, sub};
use crate::mechanism::{Mechanism, NodeState, ReactionWorkspace, farthest, judged_by, too_large};
use crate::model::Fault;
use crate::results::Frame;

/// The formulation with all its buffers.
pub struct Points<'m> {
    mechanism: &'m Mechanism,
    kkt: Kkt,
    r: Vec<Vec3>,
    v: Vec<Vec3>,
    a: Vec<Vec3>,
    force: Vec<f64>,
    reactions: ReactionWorkspace,
    /// Its interactions leave out springs and constant forces: nodes and coordinates feel those directly.
    core: Core,
    place: mechanics::Place,
    /// For implicit steps, once one is taken.
    tangent: Option<Box<tangent::Tangent>>,
    /// For Taylor's method, if asked for.
    series: Option<Box<series::Source>>,
    /// For derivatives along directions, and for series of them.
    varied: variation::Varied,
    jets: Option<Box<series::jets::Jets>>,
    /// Time and state to which the factor, the accelerations and the multipliers belong; empty if nobody knows.
    stamp: Vec<f64>,
}

/// A factor serves a place this near to its own, as a part of the size: what differs is rounding. A refinement could mend more, but every
/// solve would need it, and a factor costs no more than one of those.
const NEARBY: f64 = 1e-14;

impl<'m> Points<'m> {
    /// Sets up buffers and the solver. A mechanism whose equations take too much memory or time is refused.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let workspace = Workspace::for_points(&mechanism.interactions, mechanism.bodies.len());
        Self::with(mechanism, workspace, !mechanism.interactions.is_idle_between_points())
    }

    /// The same without forces between nodes and on coordinates: for whoever takes constraints, projection and energies
    /// from here, and works out the forces by all interactions.
    pub(super) fn without_forces(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let workspace = Workspace::new(&mechanism.interactions, mechanism.bodies.len());
        Self::with(mechanism, workspace, !mechanism.interactions.is_idle())
    }

    fn with(mechanism: &'m Mechanism, workspace: Workspace, active: bool) -> Result<Self, Fault> {
        let kkt = mechanism.solver().ok_or_else(too_large)?;
        let n = mechanism.coordinate_count();
        let nodes = vec![[0.0; 3]; mechanism.maps.len()];
        let core = Core::new(mechanism, workspace, active, n, vec![true; 2 * n], mechanism.rows.len());
        let mut points = Points {
            mechanism,
            kkt,
            r: nodes.clone(),
            v: nodes.clone(),
            a: nodes,
            force: vec![0.0; n],
            reactions: ReactionWorkspace::default(),
            core,
            place: Default::default(),
            tangent: None,
            series: None,
            varied: Default::default(),
            jets: None,
            stamp: Vec::with_capacity(2 + 2 * n + mechanism.interactions.auxiliary()),
        };
        let auxiliary = mechanism.initial_auxiliary();
        points.locate(0.0, &mechanism.start_positions, &mechanism.start_velocities, &auxiliary);
        points.linearise_rows();
        points.kkt.weigh_rows();
        points.core.weighed = true;
        Ok(points)
    }

    /// Number of entries in the solver's factor: the cost of an evaluation is about proportional to it.
    pub fn factor_entries(&self) -> usize {
        self.kkt.factor_entries()
    }

    /// Where everything is; the couplings, which look at velocities as well.
    fn locate(&mut self, t: f64, q: &[f64], v: &[f64], auxiliary: &[f64]) {
        let mechanism = self.mechanism;
        mechanism.maps.positions(q, &mut self.r);
        if self.core.active {
            mechanism.maps.rates(v, &mut self.v);
            mechanism.couple(t, &self.r, &self.v, auxiliary, &mut self.core.interactions);
        }
    }

    /// Φ where the nodes are.
    fn residuals(&mut self) {
        let (phi, coupled) = self.core.phi.split_at_mut(self.mechanism.rows.len());
        self.mechanism.rows.residuals(&self.r, phi);
        for (phi, row) in coupled.iter_mut().zip(&self.core.interactions.evaluated) {
            *phi = row.phi;
        }
    }

    /// Φ_q where the nodes are, and γ of the couplings.
    fn linearise_rows(&mut self) {
        let mechanism = self.mechanism;
        mechanism.rows.jacobian(&self.r, mechanism.columns(), &mut self.kkt);
        if self.core.active {
            let gamma = &mut self.core.gamma[mechanism.rows.len()..];
            mechanism.coupling_jacobian(&self.core.interactions, &self.r, &mut self.kkt, gamma);
        }
    }

    /// The factor at a state.
    pub(super) fn factor_at(&mut self, at: At<'_>) -> Result<(), MotionError> {
        self.locate(at.t, at.q, at.u, at.auxiliary);
        self.linearise_rows();
        self.factor_rows()
    }

    fn factor_rows(&mut self) -> Result<(), MotionError> {
        if !self.core.weighed {
            self.kkt.weigh_rows();
            self.core.weighed = true;
        }
        self.stamp.clear();
        self.core.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless {
                point: self.mechanism.node_names[self.mechanism.coordinates[point]].clone(),
            },
            KktFailure::NotFinite => MotionError::NotFinite { what: "the constraint Jacobian".into() },
        })
    }

    /// Whether the factor, the accelerations and the multipliers of an instant are at hand.
    fn is_at(&self, at: At<'_>) -> bool {
        let n = self.core.nq;
        self.stamp.split_first().is_some_and(|(&t, place)| {
            t == at.t && place[..n] == *at.q && place[n..2 * n] == *at.u && place[2 * n..] == *at.auxiliary
        })
    }

    /// Forces at the nodes' present positions and velocities; returns the power of dampers, couples and actions.
    fn forces(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let mechanism = self.mechanism;
        let mut power = 0.0;
        self.force.copy_from_slice(&mechanism.constant_force);
        for (link, spring) in mechanism.springs_between_nodes() {
            let (f, damped) = spring.between(link.nodes.map(|n| self.r[n]), link.nodes.map(|n| self.v[n]));
            mechanism.maps.pull_back(link.nodes[0], f, &mut self.force);
            mechanism.maps.pull_back(link.nodes[1], f.map(|x| -x), &mut self.force);
            power += damped;
        }
        if self.core.active { power + self.action_forces(t, auxiliary) } else { power }
    }

    /// Adds the forces of actions and of loads from elsewhere; returns the power of the actions.
    fn action_forces(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        let mechanism = self.mechanism;
        let (pulls, power) = self.core.interactions.loads(&mechanism.interactions, t, auxiliary);
        for pull in pulls {
            for (node, f) in mechanism.spread_over_nodes(pull, &self.r) {
                mechanism.maps.pull_back(node, f, &mut self.force);
            }
        }
        power
    }

    /// Accelerations and multipliers with the present factor; returns the power that no potential accounts for.
    fn solve(&mut self, at: At<'_>) -> Result<f64, MotionError> {
        let At { t, q, u, auxiliary } = at;
        let between_points = self.mechanism.rows.len();
        self.mechanism.maps.rates(u, &mut self.v);
        self.mechanism.rows.gammas(&self.v, &mut self.core.gamma[..between_points]);
        let mut power = self.forces(t, auxiliary);
        power += self.core.solve(&mut self.kkt, &self.force);
        if let Some(i) = self.core.acceleration.iter().position(|a| !a.is_finite()) {
            let found = format!("the acceleration of {}", self.point_name(i));
            return Err(not_finite(self.mechanism, &mut self.core.interactions, (t, auxiliary), found));
        }
        self.stamp.clear();
        self.stamp.push(t);
        [q, u, auxiliary].iter().for_each(|part| self.stamp.extend_from_slice(part));
        Ok(power)
    }

    fn point_name(&self, i: usize) -> &str {
        &self.mechanism.node_names[self.mechanism.coordinates[i / self.mechanism.columns()]]
    }

    /// Moves positions and velocities of a state onto the constraints, and leaves the factor of that place.
    pub(super) fn project_onto(&mut self, t: f64, y: &mut [f64]) -> Result<(), MotionError> {
        let n = self.core.nq;
        let (q, rest) = y.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let auxiliary = &mut rest[1..];
        let mechanism = self.mechanism;
        mechanism.maps.positions(q, &mut self.r);
        let mut projection = Projection::new(judged_by(mechanism.size, farthest(&self.r)));
        let mut moved = f64::INFINITY; // since the last factor
        loop {
            self.locate(t, q, v, auxiliary);
            self.residuals();
            let (worst, residual) = largest(&self.core.phi);
            match projection.next(residual, || mechanism.row_label(worst).into())? {
                Next::Done => break,
                Next::Step => {}
                Next::StepAnew => {
                    self.linearise_rows();
                    self.factor_rows()?;
                    moved = 0.0;
                }
            }
            self.core.phi.iter_mut().for_each(|p| *p = -*p);
            self.core.counters.solves += self.core.correct(&mut self.kkt);
            self.core.counters.projection_steps += 1;
            for (q, dq) in q.iter_mut().zip(&self.core.correction) {
                *q += dq;
            }
            moved += largest(&self.core.correction).1;
        }
        self.linearise_rows();
        if moved > NEARBY * mechanism.size {
            self.factor_rows()?;
        }
        self.project_velocities(v);
        if self.core.active {
            // γ of the couplings follows the new velocities
            self.locate(t, q, v, auxiliary);
            self.linearise_rows();
            self.core.interactions.settle(&mechanism.interactions, auxiliary);
        }
        Ok(())
    }

    /// The smallest change of velocities that the constraints, moving ones among them, ask for.
    fn project_velocities(&mut self, v: &mut [f64]) {
        self.stamp.clear(); // the multipliers are others now
        for r in 0..self.core.phi.len() {
            self.core.phi[r] = -self.kkt.row_times(r, v) - self.core.moves(r);
        }
        self.core.counters.solves += self.core.correct(&mut self.kkt);
        for (v, dv) in v.iter_mut().zip(&self.core.correction) {
            *v += dv;
        }
    }

    /// All of a frame but the reactions.
    pub(super) fn describe_points(&mut self, at: At<'_>, frame: &mut Frame) {
        let mechanism = self.mechanism;
        let (q, v) = (at.q, at.u);
        self.locate(at.t, q, v, at.auxiliary);
        self.residuals();
        self.linearise_rows();
        mechanism.maps.rates(v, &mut self.v);
        mechanism.maps.rates(&self.core.acceleration, &mut self.a);
        for (i, point) in mechanism.points.iter().enumerate() {
            frame.positions[i] = self.r[point.node];
            frame.velocities[i] = self.v[point.node];
            frame.accelerations[i] = self.a[point.node];
        }
        frame.nodes.clone_from(&self.r);
        frame.node_velocities.clone_from(&self.v);
        mechanism.motions(&self.r, &self.v, &mut frame.motions);
        self.kkt.apply_mass(v, &mut self.core.correction);
        frame.kinetic = 0.5 * self.core.correction.iter().zip(v).map(|(p, v)| p * v).sum::<f64>();
        frame.potential =
            mechanism.constant_potential - mechanism.weight.iter().zip(q).map(|(f, q)| f * q).sum::<f64>();
        for (gap, joint) in frame.gaps.iter_mut().zip(&mechanism.joints) {
            *gap = joint.rows.iter().map(|&r| self.core.phi[r] * self.core.phi[r]).sum::<f64>().sqrt();
        }
    }
}

impl Kernel for Points<'_> {
    accessors!();

    fn initial(&self) -> (Vec<f64>, Vec<f64>) {
        (self.mechanism.start_positions.clone(), self.mechanism.start_velocities.clone())
    }

    fn accelerate(&mut self, at: At<'_>, observed: bool) -> Result<f64, MotionError> {
        if observed && self.is_at(at) {
            return Ok(0.0);
        }
        self.factor_at(at)?;
        self.solve(at)
    }

    fn coordinate_rates(&mut self, _: &[f64], v: &[f64], dq: &mut [f64]) {
        dq.copy_from_slice(v);
    }

    fn move_along(&mut self, q: &mut [f64], change: &[f64]) {
        q.iter_mut().zip(change).for_each(|(q, d)| *q += d);
    }

    fn motions(&mut self, q: &[f64], v: &[f64], motions: &mut [Motion]) {
        self.mechanism.maps.positions(q, &mut self.r);
        self.mechanism.maps.rates(v, &mut self.v);
        self.mechanism.motions(&self.r, &self.v, motions);
    }

    fn rigid_rates(&mut self, q: &[f64], v: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]) {
        let mechanism = self.mechanism;
        mechanism.maps.positions(q, &mut self.r);
        mechanism.maps.rates(if biased { v } else { rates }, &mut self.v);
        for (b, (body, out)) in mechanism.bodies.iter().zip(&mut *out).enumerate() {
            let k = body.nodes.len();
            let (now, v) = (mechanism.particles_of(b, &self.r), mechanism.particles_of(b, &self.v));
            let p = &body.particles;
            *out = Twist { v: p.centre(&v[..k]), w: p.angular_velocity(&now[..k], &v[..k]) };
        }
        if !biased {
            return;
        }
        mechanism.maps.rates(rates, &mut self.a);
        for (b, (body, out)) in mechanism.bodies.iter().zip(out).enumerate() {
            let k = body.nodes.len();
            let (now, mut a) = (mechanism.particles_of(b, &self.r), mechanism.particles_of(b, &self.a));
            let p = &body.particles;
            let c = p.centre(&now[..k]);
            let centre = p.centre(&a[..k]);
            // what is left of r̈ without ω × (ω × d) is c̈ + ω̇ × d
            for (a, &r) in a[..k].iter_mut().zip(&now) {
                *a = sub(*a, cross(out.w, cross(out.w, sub(r, c))));
            }
            *out = Twist { v: centre, w: p.angular_velocity(&now[..k], &a[..k]) };
        }
    }

    fn answer(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError> {
        let mechanism = self.mechanism;
        self.stamp.clear();
        self.force.fill(0.0);
        for pull in pulls {
            for (node, f) in mechanism.spread_over_nodes(pull, &self.r) {
                mechanism.maps.pull_back(node, f, &mut self.force);
            }
        }
        self.core.answer(&mut self.kkt, &self.force, change);
        Ok(())
    }

    fn describe(&mut self, at: At<'_>, frame: &mut Frame) {
        self.describe_points(at, frame);
        let state = NodeState { r: &self.r, v: &self.v, a: &self.a };
        let Core { lambda, interactions, .. } = &self.core;
        self.mechanism.reactions(state, lambda, interactions, &mut self.reactions, &mut frame.reactions);
    }

    fn component(&self, i: usize) -> (String, Vec<usize>) {
        let (n, columns) = (self.core.nq, self.mechanism.columns());
        let what = if i < n { "position" } else { "velocity" };
        let axis = ["x", "y", "z"][i % n % columns];
        let node = self.mechanism.coordinates[i % n / columns];
        let bodies = self.mechanism.bodies.iter().enumerate();
        let bodies = bodies.filter(|(_, body)| body.nodes.contains(&node)).map(|(b, _)| b);
        (format!("the {what} {axis} of {}", self.point_name(i % n)), bodies.collect())
    }

    fn linearise(&mut self, at: At<'_>) {
        self.locate(at.t, at.q, at.u, at.auxiliary);
        self.residuals();
        self.linearise_rows();
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.factor_rows()
    }

    fn correct(&mut self) -> u64 {
        self.core.correct(&mut self.kkt)
    }

    fn rates_of_rows(&mut self, v: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(r, rate)| *rate = self.kkt.row_times(r, v));
    }

    fn independence_of(&self, row: usize) -> f64 {
        self.kkt.independence(row)
    }

    fn joint_row_label(&self, row: usize) -> &str {
        self.mechanism.row_label(row)
    }

    /// One factor may serve several steps, and the evaluation that follows.
    fn project_state(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.project_onto(t, y)?;
        let (n, at) = (self.core.nq, self.core.at(t, y));
        dy[2 * n] = self.solve(at)?;
        dy[..n].copy_from_slice(at.u);
        dy[n..2 * n].copy_from_slice(&self.core.acceleration);
        let auxiliary = &mut dy[2 * n + 1..];
        self.core.interactions.auxiliary_rates(&self.mechanism.interactions, t, at.auxiliary, auxiliary);
        Ok(())
    }

    fn forget(&mut self) {
        self.stamp.clear();
    }

    fn prepare_independence(&mut self, t: f64, y: &[f64], _: &mut [f64]) -> Result<(), MotionError> {
        self.factor_at(self.core.at(t, y))
    }

    fn prepare_series(&mut self, order: usize) -> Result<(), Vec<NotCovered>> {
        self.with_series(order)
    }

    fn differentiated(&mut self) -> Option<&mut dyn Variational> {
        // loads from elsewhere are in nobody's tables
        if self.core.interactions.has_extra() { None } else { Some(self) }
    }

    fn power_series(&mut self) -> Option<&mut dyn Series<Error = MotionError>> {
        match self.series {
            Some(_) => Some(self),
            None => None,
        }
    }

    fn as_mechanics(&mut self) -> Option<&mut dyn Mechanics<Error = MotionError>> {
        // methods of mechanics integrate positions and velocities only
        if self.mechanism.interactions.variables_move() { None } else { Some(self) }
    }
}

impl Keep for Points<'_> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.kkt.keep(to);
        self.core.keep(to);
        self.place.keep(to);
        self.stamp.keep(to);
        self.tangent.is_some().keep(to);
        self.tangent.iter().for_each(|tangent| tangent.keep(to));
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.kkt.recall(from)?;
        self.core.recall(from)?;
        self.place.recall(from)?;
        self.stamp.clear();
        self.stamp.recall(from)?;
        self.tangent = None;
        if bool::recalled(from)? {
            // it is made when an implicit step first asks for it
            let mut tangent = tangent::Tangent::new(self.mechanism).ok_or(Damaged)?;
            tangent.recall(from)?;
            self.tangent = Some(Box::new(tangent));
        }
        Ok(())
    }
}
