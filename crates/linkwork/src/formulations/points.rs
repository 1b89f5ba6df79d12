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

use super::{Counters, Formulate, MotionError, largest};
use crate::formulations::projection::{Next, Projection};
use crate::integrate::System;
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::vec3::{Vec3, dot};
use crate::mechanism::{Mechanism, NodeState, ReactionWorkspace, too_large};
use crate::model::Fault;
use crate::results::{Frame, joint_coordinates};

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
}

impl<'m> Points<'m> {
    /// Sets up buffers and the solver. A mechanism whose equations take too much memory or time is refused.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let columns = mechanism.columns();
        let kkt = mechanism.solver().ok_or_else(too_large)?;
        let n = mechanism.coordinate_count();
        let m = mechanism.rows.len();
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
        };
        mechanism.maps.positions(&mechanism.start_positions, &mut points.r);
        mechanism.rows.jacobian(&points.r, columns, &mut points.kkt);
        points.kkt.weigh_rows();
        Ok(points)
    }

    /// Number of entries in the solver's factor: the cost of an evaluation is about proportional to it.
    pub fn factor_entries(&self) -> usize {
        self.kkt.factor_entries()
    }

    fn linearise_at(&mut self, q: &[f64]) {
        self.mechanism.maps.positions(q, &mut self.r);
        self.mechanism.rows.jacobian(&self.r, self.mechanism.columns(), &mut self.kkt);
    }

    fn factor_at(&mut self, q: &[f64]) -> Result<(), MotionError> {
        self.linearise_at(q);
        self.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless {
                point: self.mechanism.node_names[self.mechanism.coordinates[point]].clone(),
            },
            KktFailure::NotFinite => MotionError::NotFinite { what: "the constraint Jacobian".into() },
        })
    }

    /// Forces at the nodes' present positions and velocities; returns the power of dampers and couples.
    fn forces(&mut self) -> f64 {
        let mechanism = self.mechanism;
        let mut power = 0.0;
        self.force.copy_from_slice(&mechanism.constant_force);
        for spring in &mechanism.springs {
            let law = &spring.law;
            let f = law.force(&self.r, &self.v);
            mechanism.maps.pull_back(law.nodes[0], f, &mut self.force);
            mechanism.maps.pull_back(law.nodes[1], f.map(|x| -x), &mut self.force);
            power += law.damper_power(&self.r, &self.v);
        }
        for couple in &mechanism.couples {
            let body = &mechanism.bodies[couple.body];
            let mut now = [[0.0; 3]; 4];
            for (x, &node) in now.iter_mut().zip(&body.nodes) {
                *x = self.r[node];
            }
            let forces = body.particles.couple_forces(&now[..body.nodes.len()], couple.moment);
            for (&node, f) in body.nodes.iter().zip(forces) {
                mechanism.maps.pull_back(node, f, &mut self.force);
                power += dot(f, self.v[node]);
            }
        }
        power
    }

    /// Accelerations and multipliers with the present factor.
    fn accelerate(&mut self, v: &[f64]) -> Result<f64, MotionError> {
        self.mechanism.maps.rates(v, &mut self.v);
        self.mechanism.rows.gammas(&self.v, &mut self.gamma);
        let power = self.forces();
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                Err(MotionError::NotFinite { what: format!("the acceleration of {}", self.point_name(i)) })
            }
        }
    }

    fn point_name(&self, i: usize) -> &str {
        &self.mechanism.node_names[self.mechanism.coordinates[i / self.mechanism.columns()]]
    }

    /// Moves q onto Φ = 0.
    fn close(&mut self, q: &mut [f64]) -> Result<(), MotionError> {
        let mechanism = self.mechanism;
        let mut projection = Projection::new(mechanism.size);
        loop {
            mechanism.maps.positions(q, &mut self.r);
            mechanism.rows.residuals(&self.r, &mut self.phi);
            let (worst, residual) = largest(&self.phi);
            match projection.next(residual, || mechanism.rows.list[worst].label.clone())? {
                Next::Done => return Ok(()),
                Next::Step => {}
                Next::StepAnew => self.factor_at(q)?,
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
        }
    }

    /// Moves positions and velocities of a state onto the constraints, and leaves the factor of that place.
    pub(super) fn project_state(&mut self, y: &mut [f64]) -> Result<(), MotionError> {
        let (q, rest) = y.split_at_mut(self.n);
        self.close(q)?;
        self.factor_at(q)?;
        let v = &mut rest[..self.n];
        for r in 0..self.gamma.len() {
            self.gamma[r] = -self.kkt.row_times(r, v);
        }
        let report = self.kkt.solve(&self.zero, &self.gamma, &mut self.correction, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        for (v, dv) in v.iter_mut().zip(&self.correction) {
            *v += dv;
        }
        Ok(())
    }

    /// All of a frame but the reactions, with accelerations of the coordinates from wherever they come.
    pub(super) fn observe_state(&mut self, t: f64, y: &[f64], acceleration: &[f64], frame: &mut Frame) {
        let n = self.n;
        let mechanism = self.mechanism;
        let (q, v) = (&y[..n], &y[n..2 * n]);
        self.linearise_at(q);
        mechanism.maps.rates(v, &mut self.v);
        mechanism.maps.rates(acceleration, &mut self.a);
        mechanism.rows.residuals(&self.r, &mut self.phi);
        frame.t = t;
        frame.constraint_residual = largest(&self.phi).1;
        frame.velocity_residual =
            (0..self.phi.len()).fold(0.0, |m: f64, r| m.max(self.kkt.row_times(r, v).abs()));
        for (i, point) in mechanism.points.iter().enumerate() {
            frame.positions[i] = self.r[point.node];
            frame.velocities[i] = self.v[point.node];
            frame.accelerations[i] = self.a[point.node];
        }
        frame.nodes.clone_from(&self.r);
        frame.node_velocities.clone_from(&self.v);
        self.kkt.apply_mass(v, &mut self.correction);
        frame.kinetic = 0.5 * self.correction.iter().zip(v).map(|(p, v)| p * v).sum::<f64>();
        frame.potential = mechanism.constant_potential
            - mechanism.constant_force.iter().zip(q).map(|(f, q)| f * q).sum::<f64>()
            + mechanism.springs.iter().map(|s| s.law.potential(&self.r)).sum::<f64>();
        frame.work = y[2 * n];
        for (gap, joint) in frame.gaps.iter_mut().zip(&mechanism.joints) {
            *gap = joint.rows.iter().map(|&r| self.phi[r] * self.phi[r]).sum::<f64>().sqrt();
        }
        joint_coordinates(mechanism, &self.r, &self.v, frame);
    }
}

impl System for Points<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        2 * self.n + 1
    }

    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        self.factor_at(&y[..n])?;
        let power = self.accelerate(&y[n..2 * n])?;
        dy[..n].copy_from_slice(&y[n..2 * n]);
        dy[n..2 * n].copy_from_slice(&self.acceleration);
        dy[2 * n] = power;
        Ok(())
    }

    fn project(&mut self, _t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        self.project_state(y)?;
        let v = &y[n..2 * n];
        let power = self.accelerate(v)?;
        dy[..n].copy_from_slice(v);
        dy[n..2 * n].copy_from_slice(&self.acceleration);
        dy[2 * n] = power;
        Ok(())
    }

    fn error_scale(&self, scale: &mut [f64]) {
        // Positions against the mechanism's size, velocities against size per second; the work is a
        // quadrature and steers nothing.
        scale[..2 * self.n].fill(self.mechanism.size);
        scale[2 * self.n] = f64::INFINITY;
    }
}

impl Formulate for Points<'_> {
    fn start(&self) -> Vec<f64> {
        let m = self.mechanism;
        m.start_positions.iter().chain(&m.start_velocities).copied().chain([0.0]).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let n = self.n;
        self.factor_at(&y[..n])?;
        self.accelerate(&y[n..2 * n])?;
        let acceleration = std::mem::take(&mut self.acceleration);
        self.observe_state(t, y, &acceleration, frame);
        self.acceleration = acceleration;
        let state = NodeState { r: &self.r, v: &self.v, a: &self.a };
        self.mechanism.reactions(state, &self.lambda, &mut self.reactions, &mut frame.reactions);
        Ok(())
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
}
