//! `newton-euler`: centres of mass and angles with multipliers ([schwab2002] chapter 1), in the plane.
//!
//!   (1)  M ẍ + Φ_xᵀ λ = f        x = (x, y, φ) of each body, M = diag(m, m, I)
//!   (2)  Φ_x ẍ        = γ        eq. (8) of the notes
//!
//! A point of body b that lies at s from the centre of mass as drawn stands at r = c + R(φ) s. With ⊥
//! turning a vector by +90°, its acceleration is c̈ + φ̈ ⊥Rs − φ̇² Rs. Rows, with a the first body of a
//! joint and b the second (a may be the ground):
//!
//!   (3)  Φ = r_b − r_a                     pin: two rows;  γ = φ̇_b² Rs_b − φ̇_a² Rs_a
//!   (4)  Φ = φ_b − φ_a                     no turning;     γ = 0
//!   (5)  Φ = (r_b − r_a)·n,  n = R_a n_0   along a line of a;
//!        γ = (φ̇_b² Rs_b − φ̇_a² Rs_a)·n − 2 φ̇_a ḋ·⊥n + φ̇_a² d·n,   d = r_b − r_a
//!
//! With (3) the multipliers are minus the force on b, as in the notes, where A in (vb1.5) has the
//! opposite sign of (vb1.1) and a wrong entry (2,4). Unlike in `points`, a pin is an equation here, so
//! without projection the bodies come apart at it: the drift of section 1.5.
//!
//! It takes names, mass properties and the start from the compiled mechanism and nothing else: no
//! particle, no point row. Spatial models are refused.

use super::{Counters, Formulate, MotionError, largest};
use crate::integrate::System;
use crate::linalg::kkt::Kkt;
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, add, axpy, cross, dot, norm, scale, sub};
use crate::mechanism::{BodyIndex, JointReaction, Mechanism, slides, too_large};
use crate::model::fault::segment;
use crate::model::{Dimension, Fault, JointKind};
use crate::results::{Frame, JointCoordinate};

const OPEN: f64 = 1e-12;
const CLOSED: f64 = 2e-15;
const MAX_PROJECTION_STEPS: u32 = 12;

/// A place on a body: where it stands from the centre of mass as drawn; on the ground: where it is.
#[derive(Clone, Copy, Debug)]
struct Spot {
    body: BodyIndex,
    s: Vec3,
}

#[derive(Clone, Copy, Debug)]
enum Equation {
    /// (3), one component.
    Pin { a: Spot, b: Spot, component: usize },
    /// (4)
    NoTurn { a: BodyIndex, b: BodyIndex },
    /// (5)
    Line { a: Spot, b: Spot, normal: Vec3 },
}

/// Position and velocity of a spot, and the parts that its body's angle contributes.
#[derive(Clone, Copy, Default)]
struct Moving {
    r: Vec3,
    v: Vec3,
    /// R s.
    arm: Vec3,
    /// φ̇.
    w: f64,
}

struct Law {
    spots: [Spot; 2],
    stiffness: f64,
    damping: f64,
    free_length: f64,
}

/// The formulation with all its buffers.
pub struct NewtonEuler<'m> {
    mechanism: &'m Mechanism,
    equations: Vec<Equation>,
    labels: Vec<String>,
    /// First row of each joint.
    first_row: Vec<usize>,
    points: Vec<Spot>,
    springs: Vec<Law>,
    forces: Vec<(Spot, Vec3)>,
    inertia: Vec<(f64, f64)>,
    kkt: Kkt,
    n: usize,
    phi: Vec<f64>,
    gamma: Vec<f64>,
    force: Vec<f64>,
    zero: Vec<f64>,
    correction: Vec<f64>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    counters: Counters,
}

fn turn(s: Vec3) -> Vec3 {
    [-s[1], s[0], 0.0]
}

impl<'m> NewtonEuler<'m> {
    /// What keeps a mechanism from being solved here.
    pub fn objections(mechanism: &Mechanism) -> Vec<Fault> {
        let mut faults = Vec::new();
        if mechanism.dimension() == Dimension::Spatial {
            faults.push(
                Fault::error("simulation.formulation", "`newton-euler` solves planar models only")
                    .help("use formulation = \"points\" for spatial models"),
            );
        }
        for body in &mechanism.bodies {
            let p = &body.particles.properties;
            if p.mass <= 0.0 || p.inertia_about_com[2][2] <= 0.0 {
                faults.push(
                    Fault::error(
                        format!("bodies.{}", segment(&body.name)),
                        "`newton-euler` needs a mass and a moment of inertia for every body",
                    )
                    .help("use formulation = \"points\", where point masses and massless links are at home"),
                );
            }
        }
        faults
    }

    /// Sets up equations and buffers. The mechanism has met no objection.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let mut r = vec![[0.0; 3]; mechanism.maps.len()];
        mechanism.maps.positions(&mechanism.start_positions, &mut r);
        let spot = |body: BodyIndex, node: usize| -> Spot {
            let s = match body {
                None => r[node],
                Some(b) => {
                    let p = &mechanism.bodies[b].particles;
                    let mut at = [0.0; 3];
                    if let Some((_, carrier)) = mechanism.links.carrier(body, node) {
                        mechanism.bodies[b].spread(carrier, |i, w| at = axpy(at, w, p.at[i]));
                    }
                    sub(at, p.properties.com)
                }
            };
            Spot { body, s }
        };
        let holders = mechanism.links.holders();
        let mut equations = Vec::new();
        let mut labels = Vec::new();
        let mut first_row = Vec::new();
        for joint in &mechanism.joints {
            first_row.push(equations.len());
            let [a, b] = joint.bodies;
            let mut add = |equation: Equation, what: &str| {
                equations.push(equation);
                labels.push(format!("joint `{}`: {what}", joint.name));
            };
            let ends = match joint.shared.first() {
                Some(&node) => [spot(a, node), spot(b, node)],
                None => [spot(a, joint.points[0]), spot(b, joint.points[1])],
            };
            if !joint.shared.is_empty() {
                for component in 0..2 {
                    add(Equation::Pin { a: ends[0], b: ends[1], component }, ["x", "y"][component]);
                }
            } else if slides(joint.kind) {
                let u = joint.axis.unwrap_or([1.0, 0.0, 0.0]);
                add(Equation::Line { a: ends[0], b: ends[1], normal: turn(u) }, "across the line");
            }
            if matches!(joint.kind, JointKind::Prismatic | JointKind::Fixed) {
                add(Equation::NoTurn { a, b }, "turn");
            }
        }
        let points = mechanism.points.iter().map(|p| match mechanism.roles[p.node] {
            crate::mechanism::Role::Fixed => spot(None, p.node),
            _ => spot(holders[p.node], p.node),
        });
        let springs = mechanism.springs.iter().map(|s| Law {
            spots: [0, 1].map(|e| spot(s.bodies[e], s.law.nodes[e])),
            stiffness: s.law.stiffness,
            damping: s.law.damping,
            free_length: s.law.free_length,
        });
        let forces = mechanism.forces.iter().map(|f| {
            let com = mechanism.bodies[f.body].particles.properties.com;
            (Spot { body: Some(f.body), s: sub(f.at, com) }, f.force)
        });
        let inertia: Vec<(f64, f64)> = mechanism
            .bodies
            .iter()
            .map(|b| (b.particles.properties.mass, b.particles.properties.inertia_about_com[2][2]))
            .collect();
        let n = 3 * inertia.len();
        let mass: Vec<_> =
            (0..n).map(|i| (i, i, if i % 3 == 2 { inertia[i / 3].1 } else { inertia[i / 3].0 })).collect();
        let rows: Vec<RowPattern> = equations.iter().map(pattern_of).collect();
        let m = equations.len();
        Ok(NewtonEuler {
            points: points.collect(),
            springs: springs.collect(),
            forces: forces.collect(),
            kkt: Kkt::new(n, 1, &mass, &rows).ok_or_else(too_large)?,
            mechanism,
            equations,
            labels,
            first_row,
            inertia,
            n,
            phi: vec![0.0; m],
            gamma: vec![0.0; m],
            force: vec![0.0; n],
            zero: vec![0.0; n],
            correction: vec![0.0; n],
            acceleration: vec![0.0; n],
            lambda: vec![0.0; m],
            counters: Counters::default(),
        })
    }

    fn moving(spot: Spot, x: &[f64], v: &[f64]) -> Moving {
        let Some(b) = spot.body else { return Moving { r: spot.s, ..Default::default() } };
        let (sin, cos) = x[3 * b + 2].sin_cos();
        let w = v[3 * b + 2];
        let arm = [cos * spot.s[0] - sin * spot.s[1], sin * spot.s[0] + cos * spot.s[1], 0.0];
        Moving {
            r: add([x[3 * b], x[3 * b + 1], 0.0], arm),
            v: axpy([v[3 * b], v[3 * b + 1], 0.0], w, turn(arm)),
            arm,
            w,
        }
    }

    /// Φ, Φ_x and γ of every row.
    fn linearise(&mut self, x: &[f64], v: &[f64]) {
        for i in 0..self.equations.len() {
            let equation = self.equations[i];
            let start = self.kkt.row(i).0;
            let mut at = start;
            let mut put = |values: &mut Vec<f64>, body: BodyIndex, block: &[f64]| {
                if body.is_some() {
                    values[at..at + block.len()].copy_from_slice(block);
                    at += block.len();
                }
            };
            let a_values = &mut self.kkt.a;
            match equation {
                Equation::Pin { a, b, component: c } => {
                    let (p, q) = (Self::moving(a, x, v), Self::moving(b, x, v));
                    self.phi[i] = q.r[c] - p.r[c];
                    self.gamma[i] = q.w * q.w * q.arm[c] - p.w * p.w * p.arm[c];
                    put(a_values, a.body, &[-1.0, -turn(p.arm)[c]]);
                    put(a_values, b.body, &[1.0, turn(q.arm)[c]]);
                }
                Equation::NoTurn { a, b } => {
                    let angle = |body: BodyIndex| body.map_or(0.0, |b| x[3 * b + 2]);
                    self.phi[i] = angle(b) - angle(a);
                    self.gamma[i] = 0.0;
                    put(a_values, a, &[-1.0]);
                    put(a_values, b, &[1.0]);
                }
                Equation::Line { a, b, normal } => {
                    let (p, q) = (Self::moving(a, x, v), Self::moving(b, x, v));
                    let n = match a.body {
                        Some(_) => Self::moving(Spot { body: a.body, s: normal }, x, v).arm,
                        None => normal,
                    };
                    let (d, d_dot) = (sub(q.r, p.r), sub(q.v, p.v));
                    self.phi[i] = dot(d, n);
                    self.gamma[i] = dot(sub(scale(q.w * q.w, q.arm), scale(p.w * p.w, p.arm)), n)
                        - 2.0 * p.w * dot(d_dot, turn(n))
                        + p.w * p.w * dot(d, n);
                    put(a_values, a.body, &[-n[0], -n[1], dot(d, turn(n)) - dot(turn(p.arm), n)]);
                    put(a_values, b.body, &[n[0], n[1], dot(turn(q.arm), n)]);
                }
            }
        }
    }

    fn factor_at(&mut self, x: &[f64], v: &[f64]) -> Result<(), MotionError> {
        self.linearise(x, v);
        if self.counters.factorisations == 0 {
            self.kkt.weigh_rows();
        }
        self.counters.factorisations += 1;
        self.kkt.factor().map_err(|_| MotionError::NotFinite { what: "the constraint Jacobian".into() })
    }

    fn apply_force(&mut self, spot: Spot, arm: Vec3, f: Vec3) {
        if let Some(b) = spot.body {
            self.force[3 * b] += f[0];
            self.force[3 * b + 1] += f[1];
            self.force[3 * b + 2] += cross(arm, f)[2];
        }
    }

    /// Accelerations and multipliers with the present factor; returns the power of dampers and couples.
    fn accelerate(&mut self, x: &[f64], v: &[f64]) -> Result<f64, MotionError> {
        let mut power = 0.0;
        let g = self.mechanism.model.gravity;
        for b in 0..self.inertia.len() {
            let m = self.inertia[b].0;
            self.force[3 * b..3 * b + 3].copy_from_slice(&[m * g[0], m * g[1], 0.0]);
        }
        for i in 0..self.forces.len() {
            let (spot, f) = self.forces[i];
            self.apply_force(spot, Self::moving(spot, x, v).arm, f);
        }
        for i in 0..self.springs.len() {
            let law = &self.springs[i];
            let spots = law.spots;
            let [p, q] = spots.map(|s| Self::moving(s, x, v));
            let d = sub(q.r, p.r);
            let l = norm(d);
            if l > 0.0 {
                let u = scale(1.0 / l, d);
                let rate = dot(sub(q.v, p.v), u);
                let sigma = law.stiffness * (l - law.free_length) + law.damping * rate;
                power -= law.damping * rate * rate;
                self.apply_force(spots[0], p.arm, scale(sigma, u));
                self.apply_force(spots[1], q.arm, scale(-sigma, u));
            }
        }
        for couple in &self.mechanism.couples {
            self.force[3 * couple.body + 2] += couple.moment[2];
            power += couple.moment[2] * v[3 * couple.body + 2];
        }
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => Err(MotionError::NotFinite {
                what: format!("the acceleration of body `{}`", self.mechanism.bodies[i / 3].name),
            }),
        }
    }

    fn potential(&self, x: &[f64]) -> f64 {
        let v = &self.zero;
        let g = self.mechanism.model.gravity;
        let mut sum = 0.0;
        for (b, (m, _)) in self.inertia.iter().enumerate() {
            sum -= m * (g[0] * x[3 * b] + g[1] * x[3 * b + 1]);
        }
        for &(spot, f) in &self.forces {
            sum -= dot(f, Self::moving(spot, x, v).r);
        }
        for law in &self.springs {
            let [p, q] = law.spots.map(|s| Self::moving(s, x, v));
            sum += 0.5 * law.stiffness * (norm(sub(q.r, p.r)) - law.free_length).powi(2);
        }
        sum
    }
}

/// The unknowns that a row touches, in the order in which `linearise` writes them. An angle's part in a
/// pin, and everything in a line's, may vanish.
fn pattern_of(equation: &Equation) -> RowPattern {
    let (a, b, of_body): (BodyIndex, BodyIndex, &[(usize, bool)]) = match equation {
        Equation::Pin { a, b, component: 0 } => (a.body, b.body, &[(0, true), (2, false)]),
        Equation::Pin { a, b, .. } => (a.body, b.body, &[(1, true), (2, false)]),
        Equation::NoTurn { a, b } => (*a, *b, &[(2, true)]),
        Equation::Line { a, b, .. } => (a.body, b.body, &[(0, false), (1, false), (2, false)]),
    };
    let entries =
        [a, b].into_iter().flatten().flat_map(|body| of_body.iter().map(move |&(c, s)| (3 * body + c, s)));
    let (points, certain) = entries.unzip();
    RowPattern { points, certain, simplex: None }
}

impl System for NewtonEuler<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        2 * self.n + 1
    }

    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        let (x, v) = (&y[..n], &y[n..2 * n]);
        self.factor_at(x, v)?;
        dy[2 * n] = self.accelerate(x, v)?;
        dy[..n].copy_from_slice(v);
        dy[n..2 * n].copy_from_slice(&self.acceleration);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let n = self.n;
        let mut before = f64::INFINITY;
        let size = self.mechanism.size;
        for steps in 0.. {
            let (x, v) = y.split_at_mut(n);
            self.factor_at(x, &v[..n])?;
            let (worst, residual) = largest(&self.phi);
            if residual <= CLOSED * size || (residual <= OPEN * size && residual > 0.25 * before) {
                break;
            }
            if steps == MAX_PROJECTION_STEPS || !residual.is_finite() {
                let worst = self.labels[worst].clone();
                return Err(MotionError::NotConverged { worst, residual, iterations: steps });
            }
            for p in &mut self.phi {
                *p = -*p;
            }
            self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.lambda);
            self.counters.projection_steps += 1;
            for (x, dx) in x.iter_mut().zip(&self.correction) {
                *x += dx;
            }
            before = residual;
        }
        let v = &mut y[n..2 * n];
        for r in 0..self.phi.len() {
            self.phi[r] = -self.kkt.row_times(r, v);
        }
        self.kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.lambda);
        for (v, dv) in v.iter_mut().zip(&self.correction) {
            *v += dv;
        }
        self.derivative(t, y, dy)
    }

    fn error_scale(&self, scale: &mut [f64]) {
        for (i, s) in scale[..2 * self.n].iter_mut().enumerate() {
            *s = if i % 3 == 2 { 1.0 } else { self.mechanism.size };
        }
        scale[2 * self.n] = f64::INFINITY;
    }
}

impl Formulate for NewtonEuler<'_> {
    fn start(&self) -> Vec<f64> {
        let m = self.mechanism;
        let (mut r, mut rate) = (vec![[0.0; 3]; m.maps.len()], vec![[0.0; 3]; m.maps.len()]);
        m.maps.positions(&m.start_positions, &mut r);
        m.maps.rates(&m.start_velocities, &mut rate);
        let mut y = vec![0.0; 2 * self.n + 1];
        for (b, body) in m.bodies.iter().enumerate() {
            let p = &body.particles;
            let now: Vec<Vec3> = body.nodes.iter().map(|&n| r[n]).collect();
            let v: Vec<Vec3> = body.nodes.iter().map(|&n| rate[n]).collect();
            let weights = p.weights(p.properties.com);
            let turned = p.rotation(&now);
            let mix = |x: &[Vec3]| weights.iter().zip(x).fold([0.0; 3], |s, (&w, &x)| axpy(s, w, x));
            let (c, c_dot) = (mix(&now), mix(&v));
            y[3 * b..3 * b + 3].copy_from_slice(&[c[0], c[1], turned[1][0].atan2(turned[0][0])]);
            let w = p.angular_velocity(&now, &v)[2];
            y[self.n + 3 * b..self.n + 3 * b + 3].copy_from_slice(&[c_dot[0], c_dot[1], w]);
        }
        y
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let n = self.n;
        let (x, v) = (&y[..n], &y[n..2 * n]);
        self.factor_at(x, v)?;
        self.accelerate(x, v)?;
        frame.t = t;
        frame.constraint_residual = largest(&self.phi).1;
        frame.velocity_residual =
            (0..self.phi.len()).fold(0.0, |m: f64, r| m.max(self.kkt.row_times(r, v).abs()));
        for (i, &spot) in self.points.iter().enumerate() {
            let p = Self::moving(spot, x, v);
            frame.positions[i] = p.r;
            frame.velocities[i] = p.v;
            frame.accelerations[i] = match spot.body {
                None => [0.0; 3],
                Some(b) => {
                    let [x, y, turning] = [0, 1, 2].map(|c| self.acceleration[3 * b + c]);
                    axpy(axpy([x, y, 0.0], turning, turn(p.arm)), -p.w * p.w, p.arm)
                }
            };
        }
        frame.kinetic = (0..n)
            .map(|i| {
                let (m, inertia) = self.inertia[i / 3];
                0.5 * if i % 3 == 2 { inertia } else { m } * v[i] * v[i]
            })
            .sum();
        frame.potential = self.potential(x);
        frame.work = y[2 * n];
        let angle = |x: &[f64], body: BodyIndex| body.map_or(0.0, |b| x[3 * b + 2]);
        for (j, joint) in self.mechanism.joints.iter().enumerate() {
            let row = self.first_row[j];
            let end = self.first_row.get(j + 1).copied().unwrap_or(self.equations.len());
            let [a, b] = joint.bodies;
            let mut reaction = JointReaction::default();
            let mut gap = [0.0; 3];
            for i in row..end {
                match self.equations[i] {
                    Equation::Pin { component, .. } => {
                        reaction.force[component] = -self.lambda[i];
                        gap[component] = self.phi[i];
                    }
                    Equation::NoTurn { .. } => reaction.moment[2] = -self.lambda[i],
                    Equation::Line { a, b: spot, normal } => {
                        let n = match a.body {
                            Some(_) => Self::moving(Spot { body: a.body, s: normal }, x, v).arm,
                            None => normal,
                        };
                        reaction.force = scale(-self.lambda[i], n);
                        gap[0] = self.phi[i];
                        let (p, q) = (Self::moving(a, x, v), Self::moving(spot, x, v));
                        let along = scale(-1.0, turn(n));
                        let d = sub(q.r, p.r);
                        let rate = sub(sub(q.v, p.v), scale(p.w, turn(d)));
                        frame.joints[j] = Some(JointCoordinate { q: dot(d, along), v: dot(rate, along) });
                    }
                }
            }
            if joint.kind == JointKind::Revolute {
                frame.joints[j] =
                    Some(JointCoordinate { q: angle(x, b) - angle(x, a), v: angle(v, b) - angle(v, a) });
            }
            frame.reactions[j] = reaction;
            frame.gaps[j] = norm(gap);
        }
        Ok(())
    }

    fn sizes(&self) -> (usize, usize) {
        (self.n, self.n + self.lambda.len())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn component_name(&self, i: usize) -> String {
        if i >= 2 * self.n {
            return "the work of dampers and couples".into();
        }
        let what = ["x", "y", "angle"][i % 3];
        let kind = if i < self.n { "coordinate" } else { "velocity" };
        format!("the {what} {kind} of body `{}`", self.mechanism.bodies[(i % self.n.max(1)) / 3].name)
    }
}
