//! `kane`: an open chain of rods by Kane's method ([lu2014] section 2), in the plane.
//!
//! Generalised coordinates are the place of node 0, unless it is held, and the absolute angle of each rod
//! from the vertical, as the paper has them:
//!
//!   (1)  r_i = r_{i−1} + l_i e_i,   e_i = (−sin θ_i, −cos θ_i)
//!   (2)  ṙ_i = ṙ_{i−1} + τ_i θ̇_i
//!   (3)  u_ij = τ_j = l_j (−cos θ_j, sin θ_j)   for i >= j, nothing for i < j;  1 for node 0
//!   (4)  u'_ij = τ'_j = l_j (sin θ_j, cos θ_j) θ̇_j
//!   (5)  r̈_i = Σ_j u_ij q̈_j + u'_ij q̇_j
//!   (6)  F = uᵀ f
//!   (12) uᵀ M u q̈ = F − uᵀ M u' q̇
//!
//! with the paper's numbers; (2) there has ω_1 for ω_i, (3) and (4) index i for j in the last case, and the sums
//! (6) and (8) leave out node 0. Its M is diagonal, all mass at nodes; ours has the rods' middle particles
//! as well ((M1) of `chain.rs`). As u_ij does not depend on i >= j,
//!
//!   (13) (uᵀ M u)_jk = μ_jk τ_j·τ_k,   (uᵀ M u' q̇)_j = Σ_k μ_jk τ_j·τ'_k θ̇_k,   μ_jk = Σ_{i>=j} Σ_{h>=k} M_ih
//!
//! with constant μ. Reactions, which Kane's method does not need, follow from Newton's law for each rod,
//! from the free end inwards. θ grows clockwise: the angular velocity is −θ̇.
//!
//! The solver sees θ times the mechanism's size, so that every unknown is a length.

mod chain;

use super::kernel::{At, Core, Kernel, accessors};
use super::{MotionError, Twist, not_finite};
use crate::interactions::{BodyWrench, Motion, Workspace};
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub};
use crate::mechanism::{BodyIndex, Mechanism, Role, too_large};
use crate::model::Fault;
use crate::results::Frame;
use chain::{Chain, Place};

/// A rod at an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Moving {
    /// sin and cos of the turn since the drawing, counter-clockwise.
    turn: [f64; 2],
    /// Its first end.
    r: Vec3,
    v: Vec3,
    a: Vec3,
    /// τ and τ' θ̇ of (3), (4).
    tau: Vec3,
    tau_dot: Vec3,
    /// Angular velocity and acceleration, counter-clockwise.
    w: f64,
    alpha: f64,
}

impl Moving {
    fn arm(&self, d: Vec3) -> Vec3 {
        let [s, c] = self.turn;
        [c * d[0] - s * d[1], s * d[0] + c * d[1], 0.0]
    }
    fn velocity(&self, arm: Vec3) -> Vec3 {
        add(self.v, [-self.w * arm[1], self.w * arm[0], 0.0])
    }
    fn acceleration(&self, arm: Vec3) -> Vec3 {
        axpy(add(self.a, [-self.alpha * arm[1], self.alpha * arm[0], 0.0]), -self.w * self.w, arm)
    }
}

/// The formulation with all its buffers.
pub struct Kane<'m> {
    mechanism: &'m Mechanism,
    chain: Chain,
    /// Coordinates of node 0: two, or none where it is held.
    base: usize,
    /// Number of generalised coordinates.
    n: usize,
    /// Length and angle θ as drawn of each rod.
    rods: Vec<(f64, f64)>,
    /// Centre of mass of each body.
    coms: Vec<Place>,
    points: Vec<Result<Place, Vec3>>,
    /// μ of (13) over nodes 0..=rods.
    mu: Vec<Vec<f64>>,
    kkt: Kkt,
    mass: Vec<f64>,
    moving: Vec<Moving>,
    /// Force on each body, world axes.
    applied: Vec<Vec3>,
    /// On each rod: the force, and its part in F of the rod's own angle.
    on_rod: Vec<(Vec3, f64)>,
    force: Vec<f64>,
    core: Core,
}

impl<'m> Kane<'m> {
    /// What keeps a mechanism from being solved here: whatever makes it other than one open planar chain of rods.
    pub fn unsupported(mechanism: &Mechanism) -> Vec<Fault> {
        let mut faults = Chain::find(mechanism).err().unwrap_or_default();
        for (i, coupling) in mechanism.interactions.couplings.iter().enumerate() {
            let message = format!("`kane` has independent coordinates only; {} binds them", coupling.label);
            faults
                .push(Fault::error(mechanism.coupling_path(i), message).help("use formulation = \"points\""));
        }
        faults
    }

    /// Sets up the chain and buffers. The mechanism has met no objection.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        let chain = Chain::find(mechanism).map_err(|mut faults| faults.swap_remove(0))?;
        let count = chain.rods.len();
        let base = if chain.pinned.is_some() { 0 } else { 2 };
        let n = base + count;
        // M, then its sums from the far end
        let mut mu = vec![vec![0.0; count + 2]; count + 2];
        for (i, rod) in chain.rods.iter().enumerate() {
            let [first, middle, second] = rod.ends;
            mu[i][i] += first;
            mu[i][i + 1] += middle;
            mu[i + 1][i] += middle;
            mu[i + 1][i + 1] += second;
        }
        for j in (0..=count).rev() {
            for k in (0..=count).rev() {
                mu[j][k] += mu[j + 1][k] + mu[j][k + 1] - mu[j + 1][k + 1];
            }
        }
        let pattern: Vec<_> = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j, 0.0))).collect();
        let place = |body: BodyIndex, node: usize| {
            chain.place_of_node(mechanism, body, node).ok_or_else(|| mechanism.start_position(node))
        };
        let points = mechanism.points.iter().map(|p| {
            let holder = mechanism.bodies.iter().position(|b| b.weights(p.node).is_some());
            place(if mechanism.roles[p.node] == Role::Fixed { None } else { holder }, p.node)
        });
        let bodies = 0..mechanism.bodies.len();
        let com = |b: usize| chain.place(mechanism, b, mechanism.bodies[b].particles.properties.com);
        let rods = chain.rods.iter().map(|rod| (norm(rod.along), (-rod.along[0]).atan2(-rod.along[1])));
        let lengths = (0..2 * n).map(|i| i % n < base).collect();
        let workspace = Workspace::new(&mechanism.interactions, mechanism.bodies.len());
        let core = Core::new(mechanism, workspace, !mechanism.interactions.is_idle(), n, lengths, 0);
        Ok(Kane {
            base,
            n,
            rods: rods.collect(),
            coms: bodies.clone().map(com).collect(),
            points: points.collect(),
            kkt: Kkt::new(n, 1, &pattern, &[]).ok_or_else(too_large)?,
            mass: vec![0.0; pattern.len()],
            moving: vec![Moving::default(); count],
            applied: vec![[0.0; 3]; bodies.len()],
            on_rod: vec![([0.0; 3], 0.0); count],
            force: vec![0.0; n],
            core,
            mu,
            mechanism,
            chain,
        })
    }

    /// (1)–(4): where the rods are and how they move.
    fn locate(&mut self, q: &[f64], u: &[f64]) {
        let node = |x: &[f64]| if self.base > 0 { [x[0], x[1], 0.0] } else { [0.0; 3] };
        let (mut r, mut v) = (self.chain.pinned.unwrap_or_else(|| node(q)), node(u));
        for (i, moving) in self.moving.iter_mut().enumerate() {
            let (l, drawn) = self.rods[i];
            let (theta, rate) = (q[self.base + i], u[self.base + i]);
            let (s, c) = theta.sin_cos();
            let (turn_s, turn_c) = (drawn - theta).sin_cos();
            *moving = Moving {
                turn: [turn_s, turn_c],
                r,
                v,
                tau: [-l * c, l * s, 0.0],
                tau_dot: [l * s * rate * rate, l * c * rate * rate, 0.0],
                w: -rate,
                ..Default::default()
            };
            r = add(r, [-l * s, -l * c, 0.0]);
            v = axpy(v, rate, moving.tau);
        }
    }

    fn apply(&mut self, body: usize, place: Place, f: Vec3) {
        self.applied[body] = add(self.applied[body], f);
        let arm = self.moving[place.rod].arm(place.d);
        let on = &mut self.on_rod[place.rod];
        on.0 = add(on.0, f);
        on.1 += arm[1] * f[0] - arm[0] * f[1]; // ∂r/∂θ = (arm_y, −arm_x)
    }

    fn apply_wrench(&mut self, on: &BodyWrench) {
        self.apply(on.body, self.coms[on.body], on.wrench.force);
        self.on_rod[self.coms[on.body].rod].1 -= on.wrench.moment[2];
    }

    fn end(&self, end: &Result<Place, Vec3>) -> (Vec3, Vec3) {
        match *end {
            Err(fixed) => (fixed, [0.0; 3]),
            Ok(place) => {
                let rod = &self.moving[place.rod];
                let arm = rod.arm(place.d);
                (add(rod.r, arm), rod.velocity(arm))
            }
        }
    }

    /// Gravity and actions on rods and bodies; returns the power that no potential accounts for.
    fn load(&mut self, t: f64, auxiliary: &[f64]) -> f64 {
        self.applied.fill([0.0; 3]);
        self.on_rod.fill(([0.0; 3], 0.0));
        let mechanism = self.mechanism;
        for b in 0..self.coms.len() {
            let m = mechanism.bodies[b].particles.properties.mass;
            self.apply(b, self.coms[b], scale(m, mechanism.model.gravity));
        }
        let mut power = 0.0;
        if self.core.active {
            let mut ws = std::mem::take(&mut self.core.interactions);
            self.body_motions(&mut ws.motions);
            let (pulls, more) = ws.loads(&mechanism.interactions, t, auxiliary);
            power += more;
            for pull in pulls {
                self.apply_wrench(pull);
            }
            self.core.interactions = ws;
        }
        power
    }

    /// Where the bodies are.
    fn body_motions(&self, out: &mut [Motion]) {
        for ((place, motion), body) in self.coms.iter().zip(out).zip(&self.mechanism.bodies) {
            let rod = &self.moving[place.rod];
            let ([s, c], (r, v)) = (rod.turn, self.end(&Ok(*place)));
            *motion = Motion { c: r, v, ..Motion::FIXED };
            // a point mass does not turn
            if body.nodes.len() > 1 {
                motion.turned = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
                motion.w = [0.0, 0.0, rod.w];
            }
        }
    }

    /// (6): F from the loads on the rods.
    fn gather(&mut self) {
        let base = self.base;
        let mut beyond = [0.0; 3]; // forces on rods past this one
        for j in (0..self.rods.len()).rev() {
            self.force[base + j] = (self.on_rod[j].1 + dot(self.moving[j].tau, beyond)) / self.mechanism.size;
            beyond = add(beyond, self.on_rod[j].0);
        }
        self.force[..base].copy_from_slice(&beyond[..base]);
    }

    /// (12), (13): solves for q̈, then (5).
    fn solve(&mut self, at: At<'_>) -> Result<(), MotionError> {
        let (base, count, size) = (self.base, self.rods.len(), self.mechanism.size);
        let mut entry = 0;
        let mut put = |mass: &mut [f64], value: f64| {
            mass[entry] = value;
            entry += 1;
        };
        for i in 0..base {
            for k in 0..=i {
                put(&mut self.mass, if i == k { self.mu[0][0] } else { 0.0 });
            }
        }
        self.gather();
        for j in 0..count {
            let Moving { tau, tau_dot, .. } = self.moving[j];
            for (c, &t) in tau[..base].iter().enumerate() {
                put(&mut self.mass, self.mu[j + 1][0] * t / size);
                self.force[c] -= self.mu[0][j + 1] * tau_dot[c];
            }
            for k in 0..count {
                let mu = self.mu[j + 1][k + 1];
                self.force[base + j] -= mu * dot(tau, self.moving[k].tau_dot) / size;
                if k <= j {
                    put(&mut self.mass, mu * dot(tau, self.moving[k].tau) / (size * size));
                }
            }
        }
        self.kkt.set_mass(self.mass.iter().copied());
        self.core.counters.factorisations += 1;
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless { point: self.coordinate_name(point) },
            KktFailure::NotFinite => MotionError::NotFinite { what: "the mass matrix".into() },
        })?;
        self.core.solve(&mut self.kkt, &self.force);
        self.core.acceleration[base..].iter_mut().for_each(|a| *a /= size);
        if let Some(i) = self.core.acceleration.iter().position(|a| !a.is_finite()) {
            let found = format!("the acceleration of {}", self.coordinate_name(i));
            return Err(not_finite(self.mechanism, &mut self.core.interactions, (at.t, at.auxiliary), found));
        }
        let mut a = [0.0; 3];
        a[..base].copy_from_slice(&self.core.acceleration[..base]);
        for (j, moving) in self.moving.iter_mut().enumerate() {
            moving.a = a;
            moving.alpha = -self.core.acceleration[base + j];
            a = add(axpy(a, self.core.acceleration[base + j], moving.tau), moving.tau_dot); // (5)
        }
        Ok(())
    }

    fn coordinate_name(&self, i: usize) -> String {
        match i.checked_sub(self.base) {
            None => "node 0 of the chain".into(),
            Some(rod) => format!("body `{}`", self.mechanism.bodies[self.chain.rods[rod].body].name),
        }
    }

    /// Rate of momentum less what is applied: what the joints of a body must give it.
    fn need(&self, body: usize) -> Vec3 {
        let Place { rod, d } = self.coms[body];
        let moving = &self.moving[rod];
        let m = self.mechanism.bodies[body].particles.properties.mass;
        sub(scale(m, moving.acceleration(moving.arm(d))), self.applied[body])
    }

    fn reactions(&self, out: &mut [Wrench]) {
        let chain = &self.chain;
        let count = chain.rods.len();
        // on rod i at its first end, from the far end inwards
        let mut at_entry = vec![[0.0; 3]; count + 1];
        for i in (0..count).rev() {
            let mut force = add(self.need(chain.rods[i].body), at_entry[i + 1]);
            for mass in chain.masses.iter().filter(|m| m.rod == i && !m.first) {
                force = add(force, self.need(mass.body));
            }
            at_entry[i] = force;
        }
        let on = |body: usize, node: usize| -> Vec3 {
            let Some(i) = chain.rods.iter().position(|rod| rod.body == body) else {
                return self.need(body); // a point mass
            };
            if chain.rods[i].entry == Some(node) {
                return at_entry[i];
            }
            let next = if chain.rods[i].exit == Some(node) { at_entry[i + 1] } else { [0.0; 3] };
            let masses = chain.masses.iter().filter(|m| m.node == node);
            scale(-1.0, masses.fold(next, |f, m| add(f, self.need(m.body))))
        };
        for (joint, out) in self.mechanism.joints.iter().zip(out) {
            let node = joint.shared[0];
            let (bodies, sign) = &joint.felt_by[0];
            let force = bodies.iter().fold([0.0; 3], |f, &b| add(f, scale(*sign, on(b, node))));
            *out = Wrench { force, moment: [0.0; 3] };
        }
    }
}

impl Kernel for Kane<'_> {
    accessors!();

    fn initial(&self) -> (Vec<f64>, Vec<f64>) {
        let motions = self.mechanism.start_motions();
        let (mut q, mut u) = (vec![0.0; self.n], vec![0.0; self.n]);
        for (i, rod) in self.chain.rods.iter().enumerate() {
            let start = self.mechanism.start_of(&motions, Some(rod.body));
            let turned = start.motion.turned;
            q[self.base + i] = self.rods[i].1 - turned[1][0].atan2(turned[0][0]);
            u[self.base + i] = -start.motion.w[2];
            if i == 0 && self.base > 0 {
                let (place, speed) = start.place(rod.start);
                q[..2].copy_from_slice(&place[..2]);
                u[..2].copy_from_slice(&speed[..2]);
            }
        }
        (q, u)
    }

    fn accelerate(&mut self, at: At<'_>, _: bool) -> Result<f64, MotionError> {
        self.locate(at.q, at.u);
        let power = self.load(at.t, at.auxiliary);
        self.solve(at)?;
        Ok(power)
    }

    fn coordinate_rates(&mut self, _: &[f64], u: &[f64], dq: &mut [f64]) {
        dq.copy_from_slice(u);
    }

    fn move_along(&mut self, q: &mut [f64], change: &[f64]) {
        q.iter_mut().zip(change).for_each(|(q, d)| *q += d);
    }

    fn motions(&mut self, q: &[f64], u: &[f64], out: &mut [Motion]) {
        self.locate(q, u);
        self.body_motions(out);
    }

    fn rigid_rates(&mut self, q: &[f64], u: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]) {
        let base = self.base;
        self.locate(q, u);
        let mut v = [0.0; 3];
        v[..base].copy_from_slice(&rates[..base]);
        for (j, moving) in self.moving.iter_mut().enumerate() {
            moving.a = v;
            moving.alpha = -rates[base + j];
            v = axpy(v, rates[base + j], moving.tau);
        }
        for (b, out) in out.iter_mut().enumerate() {
            let rod = &self.moving[self.coms[b].rod];
            let arm = rod.arm(self.coms[b].d);
            // a point mass does not turn
            let w = if self.mechanism.bodies[b].nodes.len() > 1 { rod.alpha } else { 0.0 };
            *out = Twist { v: add(rod.a, [-rod.alpha * arm[1], rod.alpha * arm[0], 0.0]), w: [0.0, 0.0, w] };
        }
        if biased {
            let mut bias = [0.0; 3];
            for moving in &mut self.moving {
                moving.a = add(moving.a, bias);
                bias = add(bias, moving.tau_dot); // (5)
            }
            for (place, out) in self.coms.iter().zip(out) {
                let rod = &self.moving[place.rod];
                out.v = rod.acceleration(rod.arm(place.d));
            }
        }
    }

    fn answer(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError> {
        self.applied.fill([0.0; 3]);
        self.on_rod.fill(([0.0; 3], 0.0));
        for pull in pulls {
            self.apply_wrench(pull);
        }
        self.gather();
        self.core.answer(&mut self.kkt, &self.force, change);
        change[self.base..].iter_mut().for_each(|a| *a /= self.mechanism.size);
        Ok(())
    }

    fn describe(&mut self, _: At<'_>, frame: &mut Frame) {
        frame.gaps.fill(0.0);
        for (i, point) in self.points.iter().enumerate() {
            (frame.positions[i], frame.velocities[i]) = self.end(point);
            frame.accelerations[i] = match *point {
                Err(_) => [0.0; 3],
                Ok(place) => {
                    let rod = &self.moving[place.rod];
                    rod.acceleration(rod.arm(place.d))
                }
            };
        }
        (frame.kinetic, frame.potential) = (0.0, 0.0);
        for (b, body) in self.mechanism.bodies.iter().enumerate() {
            let p = &body.particles.properties;
            let (r, v) = self.end(&Ok(self.coms[b]));
            let w = self.moving[self.coms[b].rod].w;
            frame.kinetic += 0.5 * p.mass * dot(v, v) + 0.5 * p.inertia_about_com[2][2] * w * w;
            frame.potential -= p.mass * dot(self.mechanism.model.gravity, r);
        }
        self.reactions(&mut frame.reactions);
        self.body_motions(&mut frame.motions);
    }

    fn component(&self, i: usize) -> (String, Vec<usize>) {
        let what = if i < self.n { "coordinate" } else { "rate" };
        let rod = (i % self.n).checked_sub(self.base);
        let bodies = rod.map(|rod| self.chain.rods[rod].body).into_iter().collect();
        (format!("the {what} of {}", self.coordinate_name(i % self.n)), bodies)
    }
}

crate::keep::keep!(Kane<'_> { kkt, core } but {
    mechanism, chain, base, n, rods, coms, points, mu, mass, moving, applied, on_rod, force
});
