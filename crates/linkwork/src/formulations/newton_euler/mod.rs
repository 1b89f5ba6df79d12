//! `newton-euler`: centres of mass and orientations with multipliers ([schwab2002] chapter 1).
//!
//!   (1)  M ẍ + Φ_xᵀ λ = f        plane: rates (ċ, φ̇) of each body, M = diag(m, m, I)
//!                                space: rates (ċ, ω), M = diag(m 1, R I Rᵀ), and −ω × Iω among the moments of f
//!   (2)  Φ_x ẍ        = γ        eq. (8) of the notes
//!
//! The notes are planar; the rows (3)–(7) of `rows.rs` hold in both. With them the multipliers are minus
//! the force on b, as in the notes, where A in (vb1.5) has the opposite sign of (vb1.1) and a wrong entry
//! (2,4). Unlike in `points`, a pin is an equation here, so without projection the bodies come apart at
//! it: the drift of section 1.5.
//!
//! The solver sees rates of turning times the mechanism's size L, moments by L and inertias by L², so that
//! masses stand beside masses whatever the units of length.
//!
//! It takes names, mass properties, places of nodes on bodies and the start from the compiled mechanism
//! and nothing else: no Gram matrix, no point row.

mod coordinates;
mod inertia;
mod loads;
mod rows;

use super::{Counters, Formulate, MotionError, largest};
use crate::formulations::projection::{Next, Projection};
use crate::integrate::System;
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::vec3::{Vec3, add, any_perpendicular, apply, apply_transposed, cross, dot, scale, sub};
use crate::mechanism::{JointReaction, Mechanism, Role, too_large};
use crate::model::fault::segment;
use crate::model::{Fault, JointKind};
use crate::results::{Frame, JointCoordinate};
use coordinates::{Layout, Pose, Spot, pose};
use inertia::Inertia;
use loads::Loads;
use rows::{Evaluated, Law, Row};

/// The formulation with all its buffers.
pub struct NewtonEuler<'m> {
    mechanism: &'m Mechanism,
    layout: Layout,
    rows: Vec<Row>,
    points: Vec<Spot>,
    /// The joint's points on its first and second body.
    joint_points: Vec<[Spot; 2]>,
    loads: Loads,
    inertia: Vec<Inertia>,
    /// L.
    length: f64,
    /// m̄ L² of (8).
    spare: f64,
    kkt: Kkt,
    mass: Vec<f64>,
    poses: Vec<Pose>,
    evaluated: Vec<Evaluated>,
    phi: Vec<f64>,
    gamma: Vec<f64>,
    force: Vec<f64>,
    zero: Vec<f64>,
    correction: Vec<f64>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    weighed: bool,
    counters: Counters,
}

impl<'m> NewtonEuler<'m> {
    /// What keeps a mechanism from being solved here: turns of bodies that neither an inertia nor a joint
    /// determines.
    pub fn objections(mechanism: &'m Mechanism) -> Vec<Fault> {
        let Some(mut system) = Self::build(mechanism) else {
            return vec![too_large()];
        };
        let (x, v) = system.layout.start(mechanism);
        system.locate(&x, &v);
        match system.factor() {
            Err(KktFailure::Massless { point }) => {
                let body = &mechanism.bodies[point / system.layout.rates()].name;
                vec![
                    Fault::error(
                        format!("bodies.{}", segment(body)),
                        format!("neither mass nor a joint determines every motion of `{body}`, as `newton-euler` needs"),
                    )
                    .help("give the body some inertia, or use formulation = \"points\""),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Sets up equations and buffers; a fault if they would be too large. The mechanism has met no objection.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        Self::build(mechanism).ok_or_else(too_large)
    }

    /// `None` if the factor would be too large.
    fn build(mechanism: &'m Mechanism) -> Option<Self> {
        let layout = Layout::new(mechanism);
        let rows = rows::list(mechanism, &layout);
        let loads = Loads::new(mechanism);
        let inertia = inertia::of_bodies(mechanism, &layout, &rows, &loads);
        let holders = mechanism.links.holders();
        let points = mechanism.points.iter().map(|p| {
            let body = if mechanism.roles[p.node] == Role::Fixed { None } else { holders[p.node] };
            Spot::of_node(mechanism, body, p.node)
        });
        let joint_points = mechanism
            .joints
            .iter()
            .map(|joint| [0, 1].map(|side| Spot::of_node(mechanism, joint.bodies[side], joint.points[side])));
        let total: f64 = inertia.iter().map(|i| i.mass).sum();
        let mean = if total > 0.0 { total / inertia.len() as f64 } else { 1.0 };
        let (n, m) = (layout.rates() * layout.bodies, rows.len());
        let mut pattern = Vec::new();
        for b in 0..layout.bodies {
            let at = layout.rates() * b;
            let linear = mechanism.columns();
            pattern.extend((at..at + linear).map(|i| (i, i, 0.0)));
            for i in at + linear..at + layout.rates() {
                pattern.extend((at + linear..=i).map(|j| (i, j, 0.0)));
            }
        }
        let patterns: Vec<_> = rows.iter().map(|row| row.pattern(&layout)).collect();
        let length = mechanism.size;
        Some(NewtonEuler {
            points: points.collect(),
            joint_points: joint_points.collect(),
            kkt: Kkt::new(n, 1, &pattern, &patterns)?,
            mass: vec![0.0; pattern.len()],
            poses: vec![Pose::FIXED; layout.bodies],
            evaluated: vec![Evaluated::default(); m],
            phi: vec![0.0; m],
            gamma: vec![0.0; m],
            force: vec![0.0; n],
            zero: vec![0.0; n],
            correction: vec![0.0; n],
            acceleration: vec![0.0; n],
            lambda: vec![0.0; m],
            weighed: false,
            counters: Counters::default(),
            spare: mean * length * length,
            mechanism,
            layout,
            rows,
            loads,
            inertia,
            length,
        })
    }

    /// Number of coordinates and of rates.
    fn counts(&self) -> (usize, usize) {
        let Layout { bodies, .. } = self.layout;
        (bodies * self.layout.coordinates(), bodies * self.layout.rates())
    }

    /// Poses, Φ, Φ_x, γ and M at a state.
    fn locate(&mut self, x: &[f64], v: &[f64]) {
        self.layout.poses(x, v, &mut self.poses);
        for (i, row) in self.rows.iter().enumerate() {
            let e = row.evaluate(&self.poses, self.length);
            let (start, points) = self.kkt.row(i);
            let end = start + points.len();
            row.write(&e, &self.layout, self.length, &mut self.kkt.a[start..end]);
            (self.phi[i], self.gamma[i]) = (e.phi, e.gamma);
            self.evaluated[i] = e;
        }
    }

    fn factor(&mut self) -> Result<(), KktFailure> {
        let mut mass = self.mass.iter_mut();
        let mut put = |value: f64| {
            if let Some(entry) = mass.next() {
                *entry = value;
            }
        };
        let by = 1.0 / (self.length * self.length);
        for (inertia, pose) in self.inertia.iter().zip(&self.poses) {
            let j = inertia.in_matrix(pose, self.spare);
            if self.layout.planar {
                [inertia.mass, inertia.mass, by * j[2][2]].into_iter().for_each(&mut put);
            } else {
                [inertia.mass; 3].into_iter().for_each(&mut put);
                for (r, row) in j.iter().enumerate() {
                    row[..=r].iter().for_each(|&value| put(by * value));
                }
            }
        }
        self.kkt.set_mass(self.mass.iter().copied());
        if !self.weighed {
            self.kkt.weigh_rows();
            self.weighed = true;
        }
        self.counters.factorisations += 1;
        self.kkt.factor()
    }

    fn factor_at(&mut self, x: &[f64], v: &[f64]) -> Result<(), MotionError> {
        self.locate(x, v);
        self.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless { point: self.body_name(point) },
            KktFailure::NotFinite => MotionError::NotFinite { what: "the constraint Jacobian".into() },
        })
    }

    fn body_name(&self, rate: usize) -> String {
        format!("body `{}`", self.mechanism.bodies[rate / self.layout.rates()].name)
    }

    /// Rates of turning from the solver's scale to rad.
    fn unscale(layout: &Layout, length: f64, values: &mut [f64]) {
        for (i, value) in values.iter_mut().enumerate() {
            if layout.turns(i) {
                *value /= length;
            }
        }
    }

    /// The smallest change of rates, in the sense of kinetic energy, that gives the rows these values.
    fn correct(&mut self) {
        let report = self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        Self::unscale(&self.layout, self.length, &mut self.correction);
    }

    /// Φ_x v of every row into `phi`.
    fn rates_of_rows(&mut self, v: &[f64]) {
        for (i, (scaled, v)) in self.correction.iter_mut().zip(v).enumerate() {
            *scaled = if self.layout.turns(i) { self.length * v } else { *v };
        }
        for r in 0..self.phi.len() {
            self.phi[r] = self.kkt.row_times(r, &self.correction);
        }
    }

    /// Accelerations and multipliers with the present factor; returns the power of dampers and couples.
    fn accelerate(&mut self) -> Result<f64, MotionError> {
        let (layout, length) = (self.layout, self.length);
        let k = layout.rates();
        let g = self.mechanism.model.gravity;
        for ((inertia, pose), force) in
            self.inertia.iter().zip(&self.poses).zip(self.force.chunks_exact_mut(k))
        {
            let moment = inertia::gyroscopic(inertia, pose);
            force.copy_from_slice(&layout.pack(scale(inertia.mass, g), scale(1.0 / length, moment))[..k]);
        }
        let force = &mut self.force;
        let mut load = |body: usize, f: Vec3, moment: Vec3| {
            let packed = layout.pack(f, scale(1.0 / length, moment));
            force[k * body..k * (body + 1)].iter_mut().zip(packed).for_each(|(f, p)| *f += p);
        };
        let mut power = self.loads.apply(&self.poses, |body, arm, f| load(body, f, cross(arm, f)));
        for couple in &self.mechanism.couples {
            let pose = &self.poses[couple.body];
            let moment = self.inertia[couple.body].carried(pose, couple.moment);
            load(couple.body, [0.0; 3], moment);
            power += dot(moment, pose.w);
        }
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        Self::unscale(&layout, length, &mut self.acceleration);
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                Err(MotionError::NotFinite { what: format!("the acceleration of {}", self.body_name(i)) })
            }
        }
    }

    /// What the joints do to their second bodies, and how far each has come apart.
    fn reactions(&self, frame: &mut Frame) {
        frame.reactions.fill(JointReaction::default());
        frame.gaps.fill(0.0);
        for ((row, e), (&lambda, &phi)) in
            self.rows.iter().zip(&self.evaluated).zip(self.lambda.iter().zip(&self.phi))
        {
            let j = row.joint;
            let second = self.mechanism.joints[j].bodies[1];
            // rows of a third body at the same point act on neither side, or on the other one
            let (side, sign) = match row.bodies {
                [_, b] if b == second => (1, -1.0),
                [a, _] if a == second => (0, 1.0),
                _ => continue,
            };
            let force = scale(sign * lambda, e.force);
            let at = add(pose(&self.poses, row.bodies[side]).c, e.arms[side]);
            let about = self.joint_points[j][1].at(&self.poses).r;
            let reaction = &mut frame.reactions[j];
            reaction.force = add(reaction.force, force);
            let moment = add(cross(sub(at, about), force), scale(sign * lambda, e.couple));
            reaction.moment = add(reaction.moment, moment);
            if matches!(row.law, Law::Pin { .. } | Law::Line { .. } | Law::Distance { .. }) {
                frame.gaps[j] = frame.gaps[j].hypot(phi);
            }
        }
    }

    fn joint_coordinates(&self, frame: &mut Frame) {
        for (j, joint) in self.mechanism.joints.iter().enumerate() {
            let [a, b] = joint.bodies.map(|body| pose(&self.poses, body));
            let Some(u) = joint.axis else { continue };
            let axis = apply(&a.turned, u);
            match joint.kind {
                JointKind::Revolute if self.layout.planar => {
                    let v = b.w[2] - a.w[2];
                    frame.joints[j] = Some(JointCoordinate { q: b.angle - a.angle, v });
                }
                JointKind::Revolute => {
                    let e = any_perpendicular(u);
                    let turned = apply_transposed(&a.turned, apply(&b.turned, e));
                    let q = dot(turned, cross(u, e)).atan2(dot(turned, e));
                    frame.count_on(j, JointCoordinate { q, v: dot(axis, sub(b.w, a.w)) });
                }
                JointKind::Prismatic | JointKind::Cylindrical | JointKind::PointOnLine => {
                    let [p, q] = self.joint_points[j].map(|s| s.at(&self.poses));
                    let d = sub(q.r, p.r);
                    let rate = sub(sub(q.v, p.v), cross(a.w, d));
                    frame.joints[j] = Some(JointCoordinate { q: dot(d, axis), v: dot(rate, axis) });
                }
                _ => {}
            }
        }
        frame.joints_done();
    }
}

impl System for NewtonEuler<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        let (nx, nv) = self.counts();
        nx + nv + 1
    }

    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nx, nv) = self.counts();
        let (x, v) = (&y[..nx], &y[nx..nx + nv]);
        self.factor_at(x, v)?;
        dy[nx + nv] = self.accelerate()?;
        self.layout.coordinate_rates(x, v, &mut dy[..nx]);
        dy[nx..nx + nv].copy_from_slice(&self.acceleration);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nx, nv) = self.counts();
        let size = self.mechanism.size;
        let (x, v) = y.split_at_mut(nx);
        let v = &mut v[..nv];
        self.layout.normalise(x);
        let mut projection = Projection::new(size);
        loop {
            self.factor_at(x, v)?;
            let (worst, residual) = largest(&self.phi);
            if projection.next(residual, || self.rows[worst].label.clone())? == Next::Done {
                break;
            }
            self.phi.iter_mut().for_each(|p| *p = -*p);
            self.correct();
            self.counters.projection_steps += 1;
            self.layout.displace(x, &self.correction);
        }
        self.rates_of_rows(v);
        self.phi.iter_mut().for_each(|p| *p = -*p);
        self.correct();
        for (v, dv) in v.iter_mut().zip(&self.correction) {
            *v += dv;
        }
        self.derivative(t, y, dy)
    }

    fn error_scale(&self, scale: &mut [f64]) {
        // places against the mechanism's size, angles and quaternions against one
        let (nx, nv) = self.counts();
        let (size, linear) = (self.mechanism.size, self.mechanism.columns());
        for (i, s) in scale[..nx].iter_mut().enumerate() {
            *s = if i % self.layout.coordinates() < linear { size } else { 1.0 };
        }
        for (i, s) in scale[nx..nx + nv].iter_mut().enumerate() {
            *s = if self.layout.turns(i) { 1.0 } else { size };
        }
        scale[nx + nv] = f64::INFINITY;
    }
}

impl Formulate for NewtonEuler<'_> {
    fn start(&self) -> Vec<f64> {
        let (x, v) = self.layout.start(self.mechanism);
        x.into_iter().chain(v).chain([0.0]).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let (nx, nv) = self.counts();
        let (x, v) = (&y[..nx], &y[nx..nx + nv]);
        self.factor_at(x, v)?;
        self.accelerate()?;
        frame.t = t;
        frame.constraint_residual = largest(&self.phi).1;
        for (i, spot) in self.points.iter().enumerate() {
            let p = spot.at(&self.poses);
            frame.positions[i] = p.r;
            frame.velocities[i] = p.v;
            frame.accelerations[i] = match spot.body {
                None => [0.0; 3],
                Some(b) => {
                    let (a, alpha) = self.layout.unpack(&self.acceleration, b);
                    add(add(a, cross(alpha, p.arm)), p.bias)
                }
            };
        }
        let g = self.mechanism.model.gravity;
        let bodies = || self.inertia.iter().zip(&self.poses);
        frame.kinetic = bodies().map(|(inertia, pose)| inertia::kinetic(inertia, pose)).sum();
        frame.potential = self.loads.potential(&self.poses)
            - bodies().map(|(inertia, pose)| inertia.mass * dot(g, pose.c)).sum::<f64>();
        frame.work = y[nx + nv];
        self.reactions(frame);
        self.joint_coordinates(frame);
        self.rates_of_rows(v);
        frame.velocity_residual = largest(&self.phi).1;
        Ok(())
    }

    fn sizes(&self) -> (usize, usize) {
        (self.counts().0, self.counts().1 + self.lambda.len())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn component_name(&self, i: usize) -> String {
        let (nx, nv) = self.counts();
        if i >= nx + nv {
            return "the work of dampers and couples".into();
        }
        let (i, per_body, kind) = match i < nx {
            true => (i, self.layout.coordinates(), "coordinate"),
            false => (i - nx, self.layout.rates(), "velocity"),
        };
        let linear = self.mechanism.columns();
        let what = match i % per_body {
            c if c < linear => ["x", "y", "z"][c],
            _ => "angular",
        };
        format!("the {what} {kind} of body `{}`", self.mechanism.bodies[i / per_body].name)
    }
}
