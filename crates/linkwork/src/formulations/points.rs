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

use super::{Counters, Formulate, Jump, MotionError, NotCovered, Twist, finite, jump, largest, not_finite};
use crate::formulations::projection::{Next, Projection};
use crate::integrate::{Mechanics, Series, System};
use crate::interactions::{Motion, Pull, Workspace};
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
    n: usize,
    r: Vec<Vec3>,
    v: Vec<Vec3>,
    a: Vec<Vec3>,
    phi: Vec<f64>,
    gamma: Vec<f64>,
    force: Vec<f64>,
    zero: Vec<f64>,
    correction: Vec<f64>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    counters: Counters,
    reactions: ReactionWorkspace,
    /// Couplings and actions, but for springs and constant forces, which nodes and coordinates feel directly; idle where there are none.
    interactions: Workspace,
    active: bool,
    /// Whether the rows' weights are those of the rows in force.
    weighed: bool,
    place: mechanics::Place,
    /// For implicit steps, once one is taken.
    tangent: Option<Box<tangent::Tangent>>,
    /// For Taylor's method, if asked for.
    series: Option<Box<series::Source>>,
    /// Time and state to which the factor, the accelerations and the multipliers belong; empty if nobody knows.
    stamp: Vec<f64>,
}

/// A factor serves a place this near to its own, as a part of the size: what differs is rounding. A refinement could mend more, but every
/// solve would need it, and a factor costs no more than one of those.
const NEARBY: f64 = 1e-14;

impl<'m> Points<'m> {
    /// Sets up buffers and the solver. A mechanism whose equations take too much memory or time is refused.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let kkt = mechanism.solver().ok_or_else(too_large)?;
        let n = mechanism.coordinate_count();
        let m = mechanism.row_count();
        let nodes = vec![[0.0; 3]; mechanism.maps.len()];
        let mut points = Points {
            mechanism,
            kkt,
            n,
            r: nodes.clone(),
            v: nodes.clone(),
            a: nodes,
            phi: vec![0.0; m],
            gamma: vec![0.0; m],
            force: vec![0.0; n],
            zero: vec![0.0; n],
            correction: vec![0.0; n],
            acceleration: vec![0.0; n],
            lambda: vec![0.0; m],
            counters: Counters::default(),
            reactions: ReactionWorkspace::default(),
            interactions: Workspace::for_points(&mechanism.interactions, mechanism.bodies.len()),
            active: !mechanism.interactions.is_idle_between_points(),
            weighed: true,
            place: Default::default(),
            tangent: None,
            series: None,
            stamp: Vec::with_capacity(2 + 2 * n + mechanism.interactions.extras()),
        };
        let extras = mechanism.start_extras();
        points.locate(0.0, &mechanism.start_positions, &mechanism.start_velocities, &extras);
        points.linearise();
        points.kkt.weigh_rows();
        Ok(points)
    }

    /// The factor at a state.
    pub(super) fn factor_state(&mut self, t: f64, y: &[f64]) -> Result<(), MotionError> {
        let n = self.n;
        self.factor_at(t, &y[..n], &y[n..2 * n], &y[2 * n + 1..])
    }

    /// Number of entries in the solver's factor: the cost of an evaluation is about proportional to it.
    pub fn factor_entries(&self) -> usize {
        self.kkt.factor_entries()
    }

    /// Where everything is; the couplings, which look at velocities as well.
    fn locate(&mut self, t: f64, q: &[f64], v: &[f64], extras: &[f64]) {
        let mechanism = self.mechanism;
        mechanism.maps.positions(q, &mut self.r);
        if self.active {
            mechanism.maps.rates(v, &mut self.v);
            mechanism.couple(t, &self.r, &self.v, extras, &mut self.interactions);
        }
    }

    /// Φ where the nodes are.
    fn residuals(&mut self) {
        let (phi, coupled) = self.phi.split_at_mut(self.mechanism.rows.len());
        self.mechanism.rows.residuals(&self.r, phi);
        for (phi, row) in coupled.iter_mut().zip(&self.interactions.evaluated) {
            *phi = row.phi;
        }
    }

    /// Φ_q where the nodes are, and γ of the couplings.
    fn linearise(&mut self) {
        let mechanism = self.mechanism;
        mechanism.rows.jacobian(&self.r, mechanism.columns(), &mut self.kkt);
        if self.active {
            let gamma = &mut self.gamma[mechanism.rows.len()..];
            mechanism.coupling_jacobian(&self.interactions, &self.r, &mut self.kkt, gamma);
        }
    }

    fn factor_at(&mut self, t: f64, q: &[f64], v: &[f64], extras: &[f64]) -> Result<(), MotionError> {
        self.locate(t, q, v, extras);
        self.linearise();
        self.factor()
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        if !self.weighed {
            self.kkt.weigh_rows();
            self.weighed = true;
        }
        self.stamp.clear();
        self.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless {
                point: self.mechanism.node_names[self.mechanism.coordinates[point]].clone(),
            },
            KktFailure::NotFinite => MotionError::NotFinite { what: "the constraint Jacobian".into() },
        })
    }

    /// The factor, the accelerations and the multipliers of a state, unless they are at hand.
    fn settle_at(&mut self, t: f64, y: &[f64]) -> Result<(), MotionError> {
        let n = self.n;
        // nothing of it depends on the work done so far
        let here = |(at, place): (&f64, &[f64])| {
            *at == t && place[..2 * n] == y[..2 * n] && place[2 * n + 1..] == y[2 * n + 1..]
        };
        if self.stamp.split_first().is_some_and(here) {
            return Ok(());
        }
        let (v, extras) = (&y[n..2 * n], &y[2 * n + 1..]);
        self.factor_at(t, &y[..n], v, extras)?;
        self.accelerate(t, v, extras)?;
        self.remember_place(t, y);
        Ok(())
    }

    /// Notes where the factor, the accelerations and the multipliers at hand belong.
    fn remember_place(&mut self, t: f64, y: &[f64]) {
        self.stamp.clear();
        self.stamp.push(t);
        self.stamp.extend_from_slice(y);
    }

    /// Forces at the nodes' present positions and velocities; returns the power of dampers, couples and actions.
    fn forces(&mut self, t: f64, extras: &[f64]) -> f64 {
        let mechanism = self.mechanism;
        let mut power = 0.0;
        self.force.copy_from_slice(&mechanism.constant_force);
        for (link, spring) in mechanism.springs_between_nodes() {
            let (f, damped) = spring.between(link.nodes.map(|n| self.r[n]), link.nodes.map(|n| self.v[n]));
            mechanism.maps.pull_back(link.nodes[0], f, &mut self.force);
            mechanism.maps.pull_back(link.nodes[1], f.map(|x| -x), &mut self.force);
            power += damped;
        }
        if self.active {
            let (pulls, more) = self.interactions.loads(&mechanism.interactions, t, extras);
            power += more;
            for pull in pulls {
                let forces = mechanism.spread_pull(pull, &self.r);
                for (&node, f) in mechanism.bodies[pull.body].nodes.iter().zip(forces) {
                    mechanism.maps.pull_back(node, f, &mut self.force);
                }
            }
        }
        power
    }

    /// Accelerations and multipliers with the present factor; returns the power that no potential accounts for.
    fn accelerate(&mut self, t: f64, v: &[f64], extras: &[f64]) -> Result<f64, MotionError> {
        let between_points = self.mechanism.rows.len();
        self.mechanism.maps.rates(v, &mut self.v);
        self.mechanism.rows.gammas(&self.v, &mut self.gamma[..between_points]);
        let mut power = self.forces(t, extras);
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        if self.active {
            power += self.interactions.drive_power(&self.lambda[between_points..]);
        }
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                let found = format!("the acceleration of {}", self.point_name(i));
                Err(not_finite(self.mechanism, &mut self.interactions, (t, extras), found))
            }
        }
    }

    /// The state's rates with the present factor.
    fn rates(&mut self, t: f64, v: &[f64], extras: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        dy[2 * n] = self.accelerate(t, v, extras)?;
        dy[..n].copy_from_slice(v);
        dy[n..2 * n].copy_from_slice(&self.acceleration);
        self.interactions.extra_rates(&self.mechanism.interactions, t, extras, &mut dy[2 * n + 1..]);
        Ok(())
    }

    fn point_name(&self, i: usize) -> &str {
        &self.mechanism.node_names[self.mechanism.coordinates[i / self.mechanism.columns()]]
    }

    /// Moves positions and velocities of a state onto the constraints, and leaves the factor of that place.
    pub(super) fn project_state(&mut self, t: f64, y: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        let (q, rest) = y.split_at_mut(n);
        let (v, rest) = rest.split_at_mut(n);
        let extras = &mut rest[1..];
        let mechanism = self.mechanism;
        mechanism.maps.positions(q, &mut self.r);
        let mut projection = Projection::new(judged_by(mechanism.size, farthest(&self.r)));
        let mut moved = f64::INFINITY; // since the last factor
        loop {
            self.locate(t, q, v, extras);
            self.residuals();
            let (worst, residual) = largest(&self.phi);
            match projection.next(residual, || mechanism.row_label(worst).into())? {
                Next::Done => break,
                Next::Step => {}
                Next::StepAnew => {
                    self.linearise();
                    self.factor()?;
                    moved = 0.0;
                }
            }
            for p in &mut self.phi {
                *p = -*p;
            }
            let report = self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.lambda);
            self.counters.solves += 1 + u64::from(report.refinements);
            self.counters.projection_steps += 1;
            for (q, dq) in q.iter_mut().zip(&self.correction) {
                *q += dq;
            }
            moved += largest(&self.correction).1;
        }
        self.linearise();
        if moved > NEARBY * mechanism.size {
            self.factor()?;
        }
        self.project_velocities(v);
        if self.active {
            // γ of the couplings follows the new velocities
            self.locate(t, q, v, extras);
            self.linearise();
            self.interactions.settle(&mechanism.interactions, extras);
        }
        Ok(())
    }

    /// The smallest change of velocities that the constraints, moving ones among them, ask for.
    fn project_velocities(&mut self, v: &mut [f64]) {
        self.stamp.clear(); // the multipliers are others now
        let first = self.mechanism.rows.len();
        for r in 0..self.gamma.len() {
            let moves = if r < first { 0.0 } else { self.interactions.evaluated[r - first].phi_t };
            self.gamma[r] = -self.kkt.row_times(r, v) - moves;
        }
        let report = self.kkt.solve(&self.zero, &self.gamma, &mut self.correction, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        for (v, dv) in v.iter_mut().zip(&self.correction) {
            *v += dv;
        }
    }

    /// All of a frame but the reactions, with accelerations of the coordinates from wherever they come.
    pub(super) fn observe_state(&mut self, t: f64, y: &[f64], acceleration: &[f64], frame: &mut Frame) {
        let n = self.n;
        let mechanism = self.mechanism;
        let (q, v, extras) = (&y[..n], &y[n..2 * n], &y[2 * n + 1..]);
        self.locate(t, q, v, extras);
        self.residuals();
        self.linearise();
        mechanism.maps.rates(v, &mut self.v);
        mechanism.maps.rates(acceleration, &mut self.a);
        frame.t = t;
        frame.constraint_residual = largest(&self.phi).1;
        let first = mechanism.rows.len();
        frame.velocity_residual = (0..self.phi.len()).fold(0.0, |m: f64, r| {
            let moves = if r < first { 0.0 } else { self.interactions.evaluated[r - first].phi_t };
            m.max((self.kkt.row_times(r, v) + moves).abs())
        });
        for (i, point) in mechanism.points.iter().enumerate() {
            frame.positions[i] = self.r[point.node];
            frame.velocities[i] = self.v[point.node];
            frame.accelerations[i] = self.a[point.node];
        }
        frame.nodes.clone_from(&self.r);
        frame.node_velocities.clone_from(&self.v);
        mechanism.motions(&self.r, &self.v, &mut frame.motions);
        self.kkt.apply_mass(v, &mut self.correction);
        frame.kinetic = 0.5 * self.correction.iter().zip(v).map(|(p, v)| p * v).sum::<f64>();
        frame.potential =
            mechanism.constant_potential - mechanism.weight.iter().zip(q).map(|(f, q)| f * q).sum::<f64>();
        frame.work = y[2 * n];
        for (gap, joint) in frame.gaps.iter_mut().zip(&mechanism.joints) {
            *gap = joint.rows.iter().map(|&r| self.phi[r] * self.phi[r]).sum::<f64>().sqrt();
        }
        frame.extras.clear();
        frame.extras.extend(extras);
    }
}

impl System for Points<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        2 * self.n + 1 + self.mechanism.interactions.extras()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        let (v, extras) = (&y[n..2 * n], &y[2 * n + 1..]);
        self.factor_at(t, &y[..n], v, extras)?;
        self.rates(t, v, extras, dy)?;
        self.remember_place(t, y);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        self.project_state(t, y)?;
        self.rates(t, &y[n..2 * n], &y[2 * n + 1..], dy)?;
        self.remember_place(t, y);
        Ok(())
    }

    fn series(&mut self) -> Option<&mut dyn Series<Error = MotionError>> {
        match self.series {
            Some(_) => Some(self),
            None => None,
        }
    }

    fn mechanics(&mut self) -> Option<&mut dyn Mechanics<Error = MotionError>> {
        // methods of mechanics integrate positions and velocities only
        if self.mechanism.interactions.variables_move() { None } else { Some(self) }
    }

    fn rates(&self) -> std::ops::Range<usize> {
        self.n..2 * self.n
    }

    fn independence(&mut self, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.kkt.m()).map(|r| self.kkt.independence(r)));
    }

    fn evaluate_independence(&mut self, t: f64, y: &[f64], _: &mut [f64]) -> Result<(), MotionError> {
        self.factor_state(t, y)
    }

    fn error_scale(&self, scale: &mut [f64]) {
        // Positions against the mechanism's size, velocities against size per second; hints are corrected at
        // every step and steer nothing.
        scale[..2 * self.n].fill(self.mechanism.size);
        scale[2 * self.n] = f64::INFINITY;
        self.mechanism.interactions.scale_extras(&mut scale[2 * self.n + 1..]);
        scale[2 * self.n] = self.mechanism.work_scale();
    }

    fn is_place(&self, i: usize) -> bool {
        i < self.n
    }
}

impl Formulate for Points<'_> {
    fn begin_series(&mut self, order: usize) -> Result<(), Vec<NotCovered>> {
        self.with_series(order)
    }

    fn start(&self) -> Vec<f64> {
        let m = self.mechanism;
        let state = m.start_positions.iter().chain(&m.start_velocities).copied().chain([0.0]);
        state.chain(m.start_extras()).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        self.settle_at(t, y)?;
        let acceleration = std::mem::take(&mut self.acceleration);
        self.observe_state(t, y, &acceleration, frame);
        self.acceleration = acceleration;
        let state = NodeState { r: &self.r, v: &self.v, a: &self.a };
        let mechanism = self.mechanism;
        let ws = &mut self.interactions;
        mechanism.reactions(state, &self.lambda, ws, &mut self.reactions, &mut frame.reactions);
        frame.multipliers.clear();
        frame.multipliers.extend(&self.lambda[mechanism.rows.len()..]);
        frame.read(mechanism, ws);
        Ok(())
    }

    fn work_index(&self) -> usize {
        2 * self.n
    }

    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Motion]) {
        let maps = &self.mechanism.maps;
        maps.positions(&y[..self.n], &mut self.r);
        maps.rates(&y[self.n..2 * self.n], &mut self.v);
        self.mechanism.motions(&self.r, &self.v, motions);
    }

    fn switch(&mut self, switch: usize, on: bool) {
        self.stamp.clear();
        self.interactions.switches[switch] = on;
        self.weighed = false;
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        let (n, first) = (self.n, self.mechanism.rows.len());
        self.factor_at(t, &y[..n], &y[n..2 * n], &y[2 * n + 1..])?;
        let v = &mut y[n..2 * n];
        let before: Vec<f64> = (0..self.gamma.len()).map(|r| self.kkt.row_times(r, v)).collect();
        let mut b = vec![0.0; before.len()];
        for &(row, rate) in wanted {
            b[first + row] = rate - before[first + row] - self.interactions.evaluated[row].phi_t;
        }
        let report = self.kkt.solve(&self.zero, &b, &mut self.correction, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        for (v, dv) in v.iter_mut().zip(&self.correction) {
            *v += dv;
        }
        self.stamp.clear();
        let after: Vec<f64> = (0..before.len()).map(|r| self.kkt.row_times(r, v)).collect();
        let label = |row: usize| self.mechanism.row_label(row).into();
        let jump = jump::sum_up(&before, &after, &b, &self.lambda, first, label)?;
        y[2 * n] += jump.work;
        Ok(jump)
    }

    fn row_name(&self, row: usize) -> String {
        self.mechanism.row_label(row).into()
    }

    fn set_loads(&mut self, pulls: &[Pull]) {
        self.stamp.clear();
        self.interactions.set_extra(pulls);
        self.active = !self.mechanism.interactions.is_idle_between_points() || !pulls.is_empty();
    }

    fn respond(&mut self, pulls: &[Pull], change: &mut [f64]) -> Result<f64, MotionError> {
        let mechanism = self.mechanism;
        self.stamp.clear();
        self.force.fill(0.0);
        for pull in pulls {
            let forces = mechanism.spread_pull(pull, &self.r);
            for (&node, f) in mechanism.bodies[pull.body].nodes.iter().zip(forces) {
                mechanism.maps.pull_back(node, f, &mut self.force);
            }
        }
        self.phi.fill(0.0);
        let report = self.kkt.solve(&self.force, &self.phi, change, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        finite(change)?;
        Ok(self.interactions.drive_power(&self.lambda[mechanism.rows.len()..]))
    }

    fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [Twist]) {
        let mechanism = self.mechanism;
        mechanism.maps.positions(&y[..self.n], &mut self.r);
        mechanism.maps.rates(rates, &mut self.v);
        for (b, (body, out)) in mechanism.bodies.iter().zip(out).enumerate() {
            let k = body.nodes.len();
            let (now, v) = (mechanism.particles_of(b, &self.r), mechanism.particles_of(b, &self.v));
            let p = &body.particles;
            *out = Twist { v: p.centre(&v[..k]), w: p.angular_velocity(&now[..k], &v[..k]) };
        }
    }

    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]) {
        let (n, mechanism) = (self.n, self.mechanism);
        self.twists(y, &y[n..2 * n], out);
        mechanism.maps.rates(&dy[n..2 * n], &mut self.a);
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

    fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        y[..self.n].iter_mut().zip(change).for_each(|(q, d)| *q += d);
    }

    fn sizes(&self) -> (usize, usize) {
        (self.n, self.n + self.lambda.len())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn component_name(&self, i: usize) -> String {
        let n = self.n;
        if i >= 2 * n {
            return "the work of dampers and couples".into();
        }
        let what = if i < n { "position" } else { "velocity" };
        let axis = ["x", "y", "z"][(i % n.max(1)) % self.mechanism.columns()];
        format!("the {what} {axis} of {}", self.point_name(i % n.max(1)))
    }

    fn component_bodies(&self, i: usize) -> Vec<usize> {
        if i >= 2 * self.n {
            return Vec::new();
        }
        let node = self.mechanism.coordinates[i % self.n / self.mechanism.columns()];
        let bodies = self.mechanism.bodies.iter().enumerate();
        bodies.filter(|(_, body)| body.nodes.contains(&node)).map(|(b, _)| b).collect()
    }
}

impl Keep for Points<'_> {
    fn keep(&self, to: &mut Vec<u8>) {
        let Points { kkt, acceleration, lambda, counters, interactions, active, weighed, .. } = self;
        kkt.keep(to);
        acceleration.keep(to);
        lambda.keep(to);
        counters.keep(to);
        interactions.keep(to);
        active.keep(to);
        weighed.keep(to);
        self.place.keep(to);
        self.stamp.keep(to);
        self.tangent.is_some().keep(to);
        self.tangent.iter().for_each(|tangent| tangent.keep(to));
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.kkt.recall(from)?;
        self.acceleration.recall(from)?;
        self.lambda.recall(from)?;
        self.counters.recall(from)?;
        self.interactions.recall(from)?;
        self.active.recall(from)?;
        self.weighed.recall(from)?;
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
