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
mod rows;

use super::{Counters, Formulate, Jump, MotionError, Spin, Twist, finite, jump, largest, not_finite};
use crate::error::names::segment;
use crate::formulations::projection::{Next, Projection};
use crate::formulations::tree::{Wrench, add_coupling_reactions};
use crate::integrate::System;
use crate::interactions::{Pull, Workspace};
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, add, cross, dot, scale, sub};
use crate::mechanism::{JointReaction, Mechanism, Role, judged_by, too_large};
use crate::model::{Fault, JointKind};
use crate::results::Frame;
use coordinates::{Layout, Pose, Spot, pose};
use inertia::Inertia;
use rows::{Evaluated, Law, Row};

/// The formulation with all its buffers.
pub struct NewtonEuler<'m> {
    mechanism: &'m Mechanism,
    layout: Layout,
    /// The largest coordinate of a node at the start, m.
    farthest: f64,
    rows: Vec<Row>,
    points: Vec<Spot>,
    /// The joint's points on its first and second body.
    joint_points: Vec<[Spot; 2]>,
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
    interactions: Workspace,
    active: bool,
}

impl<'m> NewtonEuler<'m> {
    /// What keeps a mechanism from being solved here: turns of bodies that neither an inertia nor a joint
    /// determines.
    pub fn objections(mechanism: &'m Mechanism) -> Vec<Fault> {
        let Some(mut system) = Self::build(mechanism) else {
            return vec![too_large()];
        };
        let (x, v) = system.layout.start(mechanism);
        system.locate(0.0, &x, &v, &mechanism.start_extras());
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
        let inertia = inertia::of_bodies(mechanism, &layout, &rows);
        let holders = mechanism.links.holders();
        let points = mechanism.points.iter().map(|p| {
            let body = if mechanism.roles[p.node] == Role::Fixed { None } else { holders[p.node] };
            mechanism.spot(body, p.node)
        });
        let joint_points = mechanism
            .joints
            .iter()
            .map(|joint| [0, 1].map(|side| mechanism.spot(joint.bodies[side], joint.points[side])));
        let total: f64 = inertia.iter().map(|i| i.mass).sum();
        let mean = if total > 0.0 { total / inertia.len() as f64 } else { 1.0 };
        let couplings = &mechanism.interactions.couplings;
        let (n, m) = (layout.rates() * layout.bodies, rows.len() + couplings.len());
        let mut pattern = Vec::new();
        for b in 0..layout.bodies {
            let at = layout.rates() * b;
            let linear = mechanism.columns();
            pattern.extend((at..at + linear).map(|i| (i, i, 0.0)));
            for i in at + linear..at + layout.rates() {
                pattern.extend((at + linear..=i).map(|j| (i, j, 0.0)));
            }
        }
        let mut patterns: Vec<_> = rows.iter().map(|row| row.pattern(&layout)).collect();
        patterns.extend(couplings.iter().map(|coupling| {
            let all = coupling.bodies.iter().flat_map(|&b| layout.rates() * b..layout.rates() * (b + 1));
            let points: Vec<usize> = all.collect();
            RowPattern { certain: vec![false; points.len()], points, simplex: None }
        }));
        let length = mechanism.size;
        Some(NewtonEuler {
            points: points.collect(),
            joint_points: joint_points.collect(),
            kkt: Kkt::new(n, 1, &pattern, &patterns)?,
            mass: vec![0.0; pattern.len()],
            poses: vec![Pose::FIXED; layout.bodies],
            evaluated: vec![Evaluated::default(); rows.len()],
            phi: vec![0.0; m],
            gamma: vec![0.0; m],
            force: vec![0.0; n],
            zero: vec![0.0; n],
            correction: vec![0.0; n],
            acceleration: vec![0.0; n],
            lambda: vec![0.0; m],
            weighed: false,
            counters: Counters::default(),
            interactions: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            active: !mechanism.interactions.is_idle(),
            spare: mean * length * length,
            mechanism,
            farthest: mechanism.farthest_start(),
            layout,
            rows,
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
    fn locate(&mut self, t: f64, x: &[f64], v: &[f64], extras: &[f64]) {
        self.layout.poses(x, v, &mut self.poses);
        for (i, row) in self.rows.iter().enumerate() {
            let e = row.evaluate(&self.poses, self.length);
            let (start, points) = self.kkt.row(i);
            let end = start + points.len();
            row.write(&e, &self.layout, self.length, &mut self.kkt.a[start..end]);
            (self.phi[i], self.gamma[i]) = (e.phi, e.gamma);
            self.evaluated[i] = e;
        }
        if self.active {
            self.couple(t, extras);
        }
    }

    /// Rows of the couplings, behind those of the joints.
    fn couple(&mut self, t: f64, extras: &[f64]) {
        let interactions = &self.mechanism.interactions;
        let ws = &mut self.interactions;
        ws.motions.copy_from_slice(&self.poses);
        ws.rows(interactions, t, extras);
        let (first, k) = (self.rows.len(), self.layout.rates());
        for (i, coupling) in interactions.couplings.iter().enumerate() {
            let start = self.kkt.row(first + i).0;
            let values = &mut self.kkt.a[start..start + coupling.bodies.len() * k];
            values.fill(0.0);
            for pull in ws.pulls(i) {
                let Some(at) = coupling.bodies.iter().position(|&b| b == pull.body) else { continue };
                let packed = self.layout.pack(pull.force, scale(1.0 / self.length, pull.moment));
                values[at * k..(at + 1) * k].copy_from_slice(&packed[..k]);
            }
            (self.phi[first + i], self.gamma[first + i]) = (ws.evaluated[i].phi, ws.evaluated[i].gamma);
        }
    }

    /// Φ_t of a row: zero but for driven couplings.
    fn moves(&self, row: usize) -> f64 {
        row.checked_sub(self.rows.len()).map_or(0.0, |i| self.interactions.evaluated[i].phi_t)
    }

    fn row_label(&self, row: usize) -> &str {
        match self.rows.get(row) {
            Some(row) => &row.label,
            None => &self.mechanism.interactions.couplings[row - self.rows.len()].label,
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

    fn factor_at(&mut self, t: f64, x: &[f64], v: &[f64], extras: &[f64]) -> Result<(), MotionError> {
        self.locate(t, x, v, extras);
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

    /// Φ_x v + Φ_t of every row into `phi`.
    fn rates_of_rows(&mut self, v: &[f64]) {
        for (i, (scaled, v)) in self.correction.iter_mut().zip(v).enumerate() {
            *scaled = if self.layout.turns(i) { self.length * v } else { *v };
        }
        for r in 0..self.phi.len() {
            self.phi[r] = self.kkt.row_times(r, &self.correction) + self.moves(r);
        }
    }

    /// Accelerations and multipliers with the present factor; returns the power that no potential accounts for.
    fn accelerate(&mut self, t: f64, extras: &[f64]) -> Result<f64, MotionError> {
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
        let mut power = 0.0;
        if self.active {
            let (pulls, more) = self.interactions.loads(&self.mechanism.interactions, t, extras);
            power += more;
            for pull in pulls {
                let moment = self.inertia[pull.body].carried(&self.poses[pull.body], pull.moment);
                load(pull.body, pull.force, moment);
            }
        }
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        Self::unscale(&layout, length, &mut self.acceleration);
        if self.active {
            power += self.interactions.drive_power(&self.lambda[self.rows.len()..]);
        }
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                let found = format!("the acceleration of {}", self.body_name(i));
                Err(not_finite(self.mechanism, &mut self.interactions, (t, extras), found))
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

    /// What the couplings of joints do to the joints' second bodies.
    fn coupling_reactions(&self, frame: &mut Frame) {
        let first = self.rows.len();
        let mut wrenches = Vec::new();
        for i in 0..self.interactions.evaluated.len() {
            for pull in self.interactions.pulls(i) {
                let mut wrench =
                    Wrench::at(self.poses[pull.body].c, scale(-self.lambda[first + i], pull.force));
                wrench.moment = add(wrench.moment, scale(-self.lambda[first + i], pull.moment));
                wrenches.push((i, pull.body, wrench));
            }
        }
        let place = |j: usize| self.joint_points[j][1].at(&self.poses).r;
        add_coupling_reactions(self.mechanism, &wrenches, &place, &mut frame.reactions);
    }
}

impl System for NewtonEuler<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        let (nx, nv) = self.counts();
        nx + nv + 1 + self.mechanism.interactions.extras()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nx, nv) = self.counts();
        let (x, v, extras) = (&y[..nx], &y[nx..nx + nv], &y[nx + nv + 1..]);
        self.factor_at(t, x, v, extras)?;
        dy[nx + nv] = self.accelerate(t, extras)?;
        self.layout.coordinate_rates(x, v, &mut dy[..nx]);
        dy[nx..nx + nv].copy_from_slice(&self.acceleration);
        self.interactions.extra_rates(&self.mechanism.interactions, t, extras, &mut dy[nx + nv + 1..]);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nx, nv) = self.counts();
        let size = self.mechanism.size;
        let (x, rest) = y.split_at_mut(nx);
        let (v, rest) = rest.split_at_mut(nv);
        let extras = &mut rest[1..];
        self.layout.normalise(x);
        let places = x.chunks(self.layout.coordinates()).flat_map(|x| &x[..self.mechanism.columns()]);
        let farthest = places.fold(self.farthest, |m: f64, x| m.max(x.abs()));
        let mut projection = Projection::new(judged_by(size, farthest));
        loop {
            self.factor_at(t, x, v, extras)?;
            let (worst, residual) = largest(&self.phi);
            if projection.next(residual, || self.row_label(worst).into())? == Next::Done {
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
        if self.mechanism.interactions.hints > 0 {
            self.layout.poses(x, v, &mut self.poses);
            self.interactions.motions.copy_from_slice(&self.poses);
            self.interactions.settle(&self.mechanism.interactions, extras);
        }
        self.derivative(t, y, dy)
    }

    fn rates(&self) -> std::ops::Range<usize> {
        let (nx, nv) = self.counts();
        nx..nx + nv
    }

    fn independence(&mut self, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.kkt.m()).map(|r| self.kkt.independence(r)));
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
        self.mechanism.interactions.scale_extras(&mut scale[nx + nv + 1..]);
        scale[nx + nv] = self.mechanism.work_scale();
    }

    fn is_place(&self, i: usize) -> bool {
        i < self.counts().0 && i % self.layout.coordinates() < self.mechanism.columns()
    }
}

impl Formulate for NewtonEuler<'_> {
    fn start(&self) -> Vec<f64> {
        let (x, v) = self.layout.start(self.mechanism);
        x.into_iter().chain(v).chain([0.0]).chain(self.mechanism.start_extras()).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let (nx, nv) = self.counts();
        let (x, v, extras) = (&y[..nx], &y[nx..nx + nv], &y[nx + nv + 1..]);
        self.factor_at(t, x, v, extras)?;
        self.accelerate(t, extras)?;
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
        frame.potential = -bodies().map(|(inertia, pose)| inertia.mass * dot(g, pose.c)).sum::<f64>();
        frame.work = y[nx + nv];
        self.reactions(frame);
        self.coupling_reactions(frame);
        self.rates_of_rows(v);
        frame.velocity_residual = largest(&self.phi).1;
        frame.motions.copy_from_slice(&self.poses);
        frame.extras.clear();
        frame.extras.extend(extras);
        frame.multipliers.clear();
        frame.multipliers.extend(&self.lambda[self.rows.len()..]);
        frame.read(self.mechanism, &mut self.interactions);
        Ok(())
    }

    fn spins(&self) -> Vec<Spin> {
        let (nx, _) = self.counts();
        let bodies = if self.layout.planar { 0 } else { self.layout.bodies };
        // what an axis holds turns about it in world axes as well, and stiff loads on it are simpler there
        let free = |b: &usize| {
            let mut joints = self.mechanism.joints.iter().filter(|joint| joint.bodies.contains(&Some(*b)));
            joints.all(|joint| matches!(joint.kind, JointKind::Spherical | JointKind::Floating))
        };
        (0..bodies).filter(free).map(|b| Spin { q: 7 * b + 3, u: nx + 6 * b + 3 }).collect()
    }

    fn work_index(&self) -> usize {
        let (nx, nv) = self.counts();
        nx + nv
    }

    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Pose]) {
        let (nx, nv) = self.counts();
        self.layout.poses(&y[..nx], &y[nx..nx + nv], &mut self.poses);
        motions.copy_from_slice(&self.poses);
    }

    fn switch(&mut self, switch: usize, on: bool) {
        self.interactions.switches[switch] = on;
        self.weighed = false;
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        let ((nx, nv), first) = (self.counts(), self.rows.len());
        self.factor_at(t, &y[..nx], &y[nx..nx + nv], &y[nx + nv + 1..])?;
        let v = &mut y[nx..nx + nv];
        let own = |system: &mut Self, v: &[f64]| -> Vec<f64> {
            system.rates_of_rows(v);
            (0..system.phi.len()).map(|r| system.phi[r] - system.moves(r)).collect()
        };
        let before = own(self, v);
        let mut b = vec![0.0; before.len()];
        for &(row, rate) in wanted {
            b[first + row] = rate - self.phi[first + row];
        }
        self.phi.copy_from_slice(&b);
        self.correct();
        for (v, dv) in v.iter_mut().zip(&self.correction) {
            *v += dv;
        }
        let after = own(self, v);
        let jump = jump::sum_up(&before, &after, &b, &self.lambda, first, |row| self.row_label(row).into())?;
        y[nx + nv] += jump.work;
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
        let k = self.layout.rates();
        self.force.fill(0.0);
        for pull in pulls {
            let moment = self.inertia[pull.body].carried(&self.poses[pull.body], pull.moment);
            let packed = self.layout.pack(pull.force, scale(1.0 / self.length, moment));
            self.force[k * pull.body..k * (pull.body + 1)].iter_mut().zip(packed).for_each(|(f, p)| *f += p);
        }
        self.phi.fill(0.0);
        let report = self.kkt.solve(&self.force, &self.phi, change, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        Self::unscale(&self.layout, self.length, change);
        finite(change)?;
        Ok(self.interactions.drive_power(&self.lambda[self.rows.len()..]))
    }

    fn twists(&mut self, _: &[f64], rates: &[f64], out: &mut [Twist]) {
        for (b, out) in out.iter_mut().enumerate() {
            let (v, w) = self.layout.unpack(rates, b);
            *out = Twist { v, w };
        }
    }

    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]) {
        let rates = System::rates(self);
        self.twists(y, &dy[rates], out);
    }

    fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        let nx = self.counts().0;
        self.layout.displace(&mut y[..nx], change);
    }

    fn sizes(&self) -> (usize, usize) {
        (self.counts().0, self.counts().1 + self.lambda.len())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn component_bodies(&self, i: usize) -> Vec<usize> {
        let (nx, nv) = self.counts();
        match i {
            i if i < nx => vec![i / self.layout.coordinates()],
            i if i < nx + nv => vec![(i - nx) / self.layout.rates()],
            _ => Vec::new(),
        }
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

crate::keep::keep!(NewtonEuler<'_> { kkt, acceleration, lambda, weighed, counters, interactions, active } but {
    mechanism, layout, farthest, rows, points, joint_points, inertia, length, spare, mass, poses, evaluated, phi, gamma, force, zero, correction
});
