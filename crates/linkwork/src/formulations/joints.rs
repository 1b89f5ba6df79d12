//! `joints`: relative joint variables by velocity transformation ([attia2003] section 6).
//!
//!   (1)  ṙ = B θ̇                                  (6.1)
//!   (2)  r̈ = B θ̈ + Ḃ θ̇                            (6.2)
//!   (3)  Bᵀ M B θ̈ = Bᵀ (f − M Ḃ θ̇)                 (6.4), open loops
//!   (4)  [ BᵀMB  Cᵀ ] [θ̈]   [ Bᵀ(f − M Ḃθ̇) ]
//!        [  C    0  ] [ν] = [  γ = −Ċ θ̇     ]      (6.8), loops closed at cut joints
//!
//! r are the primary particles of all bodies, M their constant mass matrix (the bodies' Gram matrices), and
//! B comes from the points' positions alone. (6.7) of the paper lacks Ċ θ̇; its cut-joint rates are r₇' = 0
//! and r₉' = 0. Here ν > 0 has the sign of a multiplier: the force on the second body is −ν ∂Φ/∂r.
//!
//! A rod in space has no inertia about itself, and a particle none at all, so BᵀMB is singular for such a
//! body on a ball joint. Its spin moves nothing; giving it an inertia of its own in BᵀMB, and nowhere else,
//! makes the matrix regular and the spin's acceleration zero, and changes no other number.

use super::tree::{Column, CutRow, Kinematics, Loops, Rotation, Variables, Wrench};
use super::tree::{applied_wrenches, carry_reactions, joint_point};
use super::{Counters, Formulate, MotionError, largest};
use crate::integrate::System;
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::vec3::{Vec3, axpy, cross, dot, scale, sub, unit};
use crate::mechanism::{BodyIndex, Mechanism, too_large};
use crate::model::Fault;
use crate::results::{Frame, joint_coordinates};

const CLOSED: f64 = 2e-15;
const OPEN: f64 = 1e-12;
const MAX_PROJECTION_STEPS: u32 = 12;

/// The formulation with all its buffers.
pub struct Joints<'m> {
    mechanism: &'m Mechanism,
    variables: Variables,
    kinematics: Kinematics,
    loops: Loops,
    /// Body and place as drawn of every node.
    homes: Vec<(BodyIndex, Vec3)>,
    spring_ends: Vec<[(BodyIndex, Vec3); 2]>,
    /// For each row i of BᵀMB: the columns j <= i that are kept, and where each stands in `mass`.
    entry_of: Vec<Vec<(usize, usize)>>,
    mass: Vec<f64>,
    kkt: Kkt,
    applied: Vec<Wrench>,
    force: Vec<f64>,
    gamma: Vec<f64>,
    phi: Vec<f64>,
    zero: Vec<f64>,
    correction: Vec<f64>,
    acceleration: Vec<f64>,
    nu: Vec<f64>,
    scratch: Vec<f64>,
    column_wrenches: Vec<Wrench>,
    weighed: bool,
    counters: Counters,
}

impl<'m> Joints<'m> {
    /// Sets up the tree, its variables, and the solver's pattern; a fault if that would be too large.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let variables = Variables::new(mechanism);
        let kinematics = Kinematics::new(&variables);
        let loops = Loops::new(mechanism, &variables.tree, &kinematics.path);
        let n = variables.u_count;
        let m = loops.rows.len();
        // BᵀMB couples the rates along each path
        let mut coupled: Vec<Vec<usize>> = vec![Vec::new(); n];
        for path in &kinematics.path {
            if let Some((&last, before)) = path.split_last() {
                for (s, &i) in before.iter().chain([&last]).enumerate() {
                    coupled[i].extend(path[..=s].iter().copied());
                }
            }
        }
        let mut pattern: Vec<(usize, usize, f64)> = Vec::new();
        let mut entry_of = vec![Vec::new(); n];
        for (i, row) in coupled.iter_mut().enumerate() {
            row.sort_unstable();
            row.dedup();
            for &j in row.iter() {
                entry_of[i].push((j, pattern.len()));
                pattern.push((i, j, 0.0));
            }
        }
        let kkt = Kkt::new(n, 1, &pattern, &loops.patterns());
        let mut r = vec![[0.0; 3]; mechanism.maps.len()];
        mechanism.maps.positions(&mechanism.start_positions, &mut r);
        let on = |body: BodyIndex, node: usize| (body, super::tree::node_on_body(mechanism, body, node, &r));
        let mut homes: Vec<(BodyIndex, Vec3)> = r.iter().map(|&x| (None, x)).collect();
        for (b, body) in mechanism.bodies.iter().enumerate().rev() {
            for &node in body.nodes.iter().chain(body.others.iter().map(|o| &o.0)) {
                if mechanism.roles[node] != crate::mechanism::Role::Fixed {
                    homes[node] = on(Some(b), node);
                }
            }
        }
        let spring_ends =
            mechanism.springs.iter().map(|s| [0, 1].map(|e| on(s.bodies[e], s.law.nodes[e]))).collect();
        Ok(Joints {
            mass: vec![0.0; pattern.len()],
            entry_of,
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
            column_wrenches: Vec::new(),
            weighed: false,
            counters: Counters::default(),
            mechanism,
            variables,
            kinematics,
            loops,
            homes,
            spring_ends,
        })
    }

    /// The joint variables: rates and coordinates.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The matrix C of the cut joints at the start, row by row over all rates ([attia2003] (6.6)).
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

    /// The column of B of each rate at a node: its velocity for a unit rate ([attia2003] (6.1)).
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

    /// BᵀMB, Bᵀ(f − MḂθ̇), C and γ at a state; returns the power of dampers and couples.
    fn linearise(&mut self, q: &[f64], u: &[f64]) -> f64 {
        self.kinematics.evaluate(&self.variables, q, u);
        let kinematics = &self.kinematics;
        let power = applied_wrenches(self.mechanism, kinematics, &self.spring_ends, &mut self.applied);
        self.mass.fill(0.0);
        self.force.fill(0.0);
        for (b, body) in self.mechanism.bodies.iter().enumerate() {
            let pose = &kinematics.poses[b];
            let k = body.nodes.len();
            let mut r = [[0.0; 3]; 4];
            let mut bias = [[0.0; 3]; 4];
            for i in 0..k {
                r[i] = pose.place(body.particles.at[i]);
                bias[i] = pose.bias(r[i]);
            }
            let gram = &body.particles.gram;
            let through = |moved: &[Vec3; 4]| {
                let mut wrench = Wrench::default();
                for i in 0..k {
                    let f = (0..k).fold([0.0; 3], |s, j| axpy(s, gram[i][j], moved[j]));
                    wrench = wrench.plus(Wrench::at(r[i], f));
                }
                wrench
            };
            let left = self.applied[b].plus(through(&bias).negative());
            let path = &kinematics.path[b];
            self.column_wrenches.clear();
            for &c in path {
                let column = kinematics.columns[c];
                let mut moved = [[0.0; 3]; 4];
                for i in 0..k {
                    moved[i] = column.at(r[i]);
                }
                self.column_wrenches.push(through(&moved));
                self.force[c] += work(&column, &left);
            }
            for (s, &i) in path.iter().enumerate() {
                let row = &self.entry_of[i];
                for (&j, wrench) in path[..=s].iter().zip(&self.column_wrenches) {
                    if let Ok(at) = row.binary_search_by_key(&j, |e| e.0) {
                        self.mass[row[at].1] += work(&kinematics.columns[i], wrench);
                    }
                }
            }
        }
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
            let idle_axis: Option<Vec3> = match (k, branch.rotation) {
                (1, _) => None,
                (2, Rotation::Ball) if !planar => {
                    let pose = &self.kinematics.poses[branch.body];
                    let at = &body.particles.at;
                    Some(unit(sub(pose.place(at[1]), pose.place(at[0]))))
                }
                _ => continue,
            };
            let inertia = body.particles.properties.mass * self.mechanism.size.powi(2);
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
                    let (row, column) = (branch.u[1] + i, branch.u[1] + j);
                    if let Ok(at) = self.entry_of[row].binary_search_by_key(&column, |e| e.0) {
                        self.mass[self.entry_of[row][at].1] += inertia * part;
                    }
                }
            }
        }
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.kkt.set_mass(self.mass.iter().copied());
        if !self.weighed {
            self.kkt.weigh_rows();
            self.weighed = true;
        }
        self.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless { point: self.rate_name(point) },
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

    fn accelerate(&mut self, q: &[f64], u: &[f64]) -> Result<f64, MotionError> {
        let power = self.linearise(q, u);
        self.factor()?;
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.nu);
        self.counters.solves += 1 + u64::from(report.refinements);
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                Err(MotionError::NotFinite { what: format!("the acceleration of {}", self.rate_name(i)) })
            }
        }
    }

    fn cut_wrenches(&self) -> Vec<(usize, Wrench)> {
        let mut cut: Vec<(usize, Wrench)> =
            self.variables.tree.cut.iter().map(|&j| (j, Wrench::default())).collect();
        for (row, &nu) in self.loops.rows.iter().zip(&self.nu) {
            let second = self.mechanism.joints[row.joint].bodies[1];
            let (second, sign) = match second {
                Some(_) => (second, 1.0),
                // the ground has no balance of its own: what the first body feels, turned round
                None => (self.mechanism.joints[row.joint].bodies[0], -1.0),
            };
            if let Some(entry) = cut.iter_mut().find(|c| c.0 == row.joint) {
                let wrench = row.wrench_on(second, &self.kinematics, sign * nu);
                entry.1 = entry.1.plus(wrench);
            }
        }
        cut
    }
}

/// What a wrench does along a column: its power for a unit rate.
fn work(column: &Column, wrench: &Wrench) -> f64 {
    match *column {
        Column::Slide { a } => dot(a, wrench.force),
        Column::Turn { a, p } => dot(a, sub(wrench.moment, cross(p, wrench.force))),
    }
}

/// The worst of the cut rows.
fn worst<'r>(rows: &'r [CutRow], phi: &[f64]) -> (f64, &'r str) {
    let (i, value) = largest(phi);
    (value, rows.get(i).map_or("", |r| r.label.as_str()))
}

impl System for Joints<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        self.variables.q_count + self.variables.u_count + 1
    }

    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let (q, u) = (&y[..nq], &y[nq..nq + nu]);
        dy[nq + nu] = self.accelerate(q, u)?;
        self.kinematics.coordinate_rates(&self.variables, q, u, &mut dy[..nq]);
        dy[nq..nq + nu].copy_from_slice(&self.acceleration);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let (q, rest) = y.split_at_mut(nq);
        let u = &mut rest[..nu];
        super::tree::normalise(&self.variables, q);
        if !self.loops.rows.is_empty() {
            let size = self.mechanism.size;
            let mut before = f64::INFINITY;
            for steps in 0.. {
                self.linearise(q, u);
                let (residual, label) = worst(&self.loops.rows, &self.phi);
                if residual <= CLOSED * size || (residual <= OPEN * size && residual > 0.25 * before) {
                    break;
                }
                if steps == MAX_PROJECTION_STEPS || !residual.is_finite() {
                    let worst = label.into();
                    return Err(MotionError::NotConverged { worst, residual, iterations: steps });
                }
                self.factor()?;
                for p in &mut self.phi {
                    *p = -*p;
                }
                self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.nu);
                self.counters.projection_steps += 1;
                self.kinematics.displace(&self.variables, q, &self.correction, &mut self.scratch[..nq]);
                before = residual;
            }
            self.factor()?;
            for r in 0..self.phi.len() {
                self.phi[r] = -self.kkt.row_times(r, u);
            }
            self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.nu);
            for (u, du) in u.iter_mut().zip(&self.correction) {
                *u += du;
            }
        }
        self.derivative(t, y, dy)
    }

    fn error_scale(&self, out: &mut [f64]) {
        // angles and quaternions against one, paths against the size
        out.fill(1.0);
        let nq = self.variables.q_count;
        for branch in &self.variables.branches {
            out[branch.q[0]..branch.q[1]].fill(self.mechanism.size);
            out[nq + branch.u[0]..nq + branch.u[1]].fill(self.mechanism.size);
        }
        out[nq + self.variables.u_count] = f64::INFINITY;
    }
}

impl Formulate for Joints<'_> {
    fn start(&self) -> Vec<f64> {
        let (q, u) = self.variables.start(self.mechanism);
        q.into_iter().chain(u).chain([0.0]).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let (nq, nu) = (self.variables.q_count, self.variables.u_count);
        let (q, u) = (&y[..nq], &y[nq..nq + nu]);
        self.accelerate(q, u)?;
        let mechanism = self.mechanism;
        let kinematics = &self.kinematics;
        frame.t = t;
        frame.constraint_residual = largest(&self.phi).1;
        frame.velocity_residual =
            (0..self.phi.len()).fold(0.0, |m: f64, r| m.max(self.kkt.row_times(r, u).abs()));
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
        frame.kinetic = 0.0;
        frame.potential = 0.0;
        let mut surplus = vec![Wrench::default(); mechanism.bodies.len()];
        for (b, body) in mechanism.bodies.iter().enumerate() {
            let pose = &kinematics.poses[b];
            let gram = &body.particles.gram;
            let k = body.nodes.len();
            let r: Vec<Vec3> = body.particles.at.iter().map(|&x| pose.place(x)).collect();
            let a: Vec<Vec3> = r
                .iter()
                .map(|&r| {
                    kinematics.path[b].iter().fold(pose.bias(r), |s, &c| {
                        axpy(s, self.acceleration[c], kinematics.columns[c].at(r))
                    })
                })
                .collect();
            for i in 0..k {
                for j in 0..k {
                    frame.kinetic += 0.5 * gram[i][j] * dot(pose.velocity(r[i]), pose.velocity(r[j]));
                    surplus[b] = surplus[b].plus(Wrench::at(r[i], scale(gram[i][j], a[j])));
                }
            }
            surplus[b] = surplus[b].plus(self.applied[b].negative());
            let p = &body.particles.properties;
            frame.potential -= p.mass * dot(mechanism.model.gravity, pose.place(p.com));
        }
        for force in &mechanism.forces {
            frame.potential -= dot(force.force, kinematics.poses[force.body].place(force.at));
        }
        for spring in &mechanism.springs {
            frame.potential += spring.law.potential(&frame.nodes);
        }
        frame.work = y[nq + nu];
        let cut = self.cut_wrenches();
        let place = |j: usize| joint_point(mechanism, kinematics, j);
        carry_reactions(mechanism, &self.variables.tree, &place, &mut surplus, &cut, &mut frame.reactions);
        frame.gaps.fill(0.0);
        for (row, phi) in self.loops.rows.iter().zip(&self.phi) {
            frame.gaps[row.joint] = frame.gaps[row.joint].hypot(*phi);
        }
        let (nodes, rates) = (std::mem::take(&mut frame.nodes), std::mem::take(&mut frame.node_velocities));
        joint_coordinates(mechanism, &nodes, &rates, frame);
        (frame.nodes, frame.node_velocities) = (nodes, rates);
        Ok(())
    }

    fn sizes(&self) -> (usize, usize) {
        (self.variables.q_count, self.variables.u_count + self.nu.len())
    }

    fn counters(&self) -> Counters {
        self.counters
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
