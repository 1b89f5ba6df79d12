//! (M5): gaps that are negative at the end of a step are opened by the least displacement, without a gain of energy.
//!
//! Which points touch is looked up again where the step ends. Other corners and edges may have met there than in its middle, with other normals, and pairs that nothing let expect
//! to meet. All of them are opened together, and looked up again, since surfaces are curved and bodies turn:
//!
//!   (O1)  q⁺ += M⁻¹ Jᵀ d,   0 ≤ g + J M⁻¹ Jᵀ d ⊥ d ≥ 0         until no gap is negative
//!
//! What this lifts would be energy from nothing. Bodies that were opened together pay for it with their kinetic energy T, all by the same part, so that what sticks or lies on each other
//! goes on doing so:
//!
//!   (O2)  u⁺ ← √(1 − ΔV/T) u⁺,   ΔV = −Σ m g·δ,   where 0 < ΔV < T
//!
//! Bodies that joints hold do not pay: other bodies and drivers move with them.

use super::sleep::root;
use super::{CLOSED, ContactSteps, Near};
use crate::contact::steps::{FreeBody, Steps};
use crate::formulations::{Formulate, MotionError};
use crate::interactions::BodyWrench;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Vec3, apply, apply_transposed, dot, sub};
use crate::mechanism::Mechanism;

/// Rounds of (O1).
const ROUNDS: usize = 8;
/// Points that are nearer than this part of the smallest reach are kept from meeting while others are opened.
const BESIDE: f64 = 1e-2;
/// The least part of its speed that is left by (O2).
const LEFT: f64 = 0.5;

/// Buffers of (M5).
pub(super) struct Opening {
    steps: Steps,
    near: Vec<Near>,
    gaps: Vec<f64>,
    /// Velocities that nothing has.
    still: Vec<Twist>,
    /// By body: the centre of mass before.
    from: Vec<Vec3>,
    /// By component: its root among those that were opened together; ΔV, T and the part of the speed that is left, of the root.
    parent: Vec<usize>,
    lifted: Vec<f64>,
    kinetic: Vec<f64>,
    left: Vec<f64>,
}

/// What (M5) found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opened {
    /// The deepest overlap before, and what is left of it, m.
    pub before: f64,
    pub after: f64,
    /// What nothing has paid for, J.
    pub lifted: f64,
}

impl Opening {
    /// For mechanisms with so many bodies; limits included in `all`.
    pub fn new(directions: usize, bodies: usize, all: usize) -> Self {
        Opening {
            steps: Steps::new(directions, all),
            near: Vec::new(),
            gaps: Vec::new(),
            still: vec![Twist::default(); all],
            from: vec![[0.0; 3]; bodies],
            parent: (0..bodies).collect(),
            lifted: vec![0.0; bodies],
            kinetic: vec![0.0; bodies],
            left: vec![1.0; bodies],
        }
    }
}

impl ContactSteps {
    /// (M5), with the rates in the state, which has been projected; t and `dy` are for projecting it again.
    pub(super) fn push_out(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        t: f64,
        y: &mut [f64],
        dy: &mut [f64],
    ) -> Result<Opened, MotionError> {
        if self.near.is_empty() {
            return Ok(Opened::default());
        }
        std::mem::swap(&mut self.near, &mut self.opening.near);
        let opened = self.open(mechanism, inner, t, y, dy);
        std::mem::swap(&mut self.near, &mut self.opening.near);
        opened
    }

    fn open(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        t: f64,
        y: &mut [f64],
        dy: &mut [f64],
    ) -> Result<Opened, MotionError> {
        let allowed = CLOSED * mechanism.size;
        let mut opened = Opened::default();
        for round in 0..=ROUNDS {
            self.locate(mechanism, inner, y);
            self.look(mechanism, 0.0, BESIDE * self.smallest);
            opened.after = self.near.iter().fold(0.0, |deepest: f64, near| deepest.max(-near.point.gap));
            if round == 0 {
                opened.before = opened.after;
            }
            if opened.after <= allowed || round == ROUNDS {
                break;
            }
            if round == 0 {
                self.opening.from.iter_mut().zip(&self.motions).for_each(|(from, motion)| *from = motion.c);
                self.opening.parent.iter_mut().enumerate().for_each(|(i, parent)| *parent = i);
            }
            self.displace_least(inner, y, allowed)?;
            if inner.is_bound() {
                inner.project(t, y, dy)?;
            }
        }
        if opened.before > allowed {
            opened.lifted = self.pay(mechanism, inner, y);
        }
        Ok(opened)
    }

    /// A round of (O1).
    fn displace_least(
        &mut self,
        inner: &mut dyn Formulate,
        y: &mut [f64],
        allowed: f64,
    ) -> Result<(), MotionError> {
        self.opening.steps.clear();
        self.opening.gaps.clear();
        for i in 0..self.near.len() {
            let (site, near) = (self.site(i), &self.near[i]);
            self.opening.gaps.push(near.point.gap);
            self.opening.steps.push(site, (near.pair, near.point.key), 0.0, 0.0, [0.0; 3]);
        }
        let ContactSteps {
            opening, free, motions, answered, change, limits, pulls, reach, component, ..
        } = self;
        let inertia = |body: usize| {
            free.get(body)?.as_ref().map(|(mass, inverse)| FreeBody {
                mass: *mass,
                inertia: super::turned(&motions[body].turned, inverse),
            })
        };
        let state = &*y;
        let respond = |wrenches: &[BodyWrench], out: &mut [Twist]| {
            pulls.clear();
            pulls.extend_from_slice(wrenches);
            limits.on_bodies(pulls);
            inner.respond(pulls, change)?;
            inner.twists(state, change, &mut out[..reach.len()]);
            limits.rates(out);
            Ok(())
        };
        opening.steps.prepare(&opening.still, inertia, respond, answered)?;
        self.wrenches.clear();
        opening.steps.open(&opening.gaps, 0.1 * allowed, &mut self.wrenches);
        for contact in opening.steps.contacts().iter().filter(|contact| contact.pushes()) {
            if let [Some(a), Some(b)] = contact.site.bodies
                && a.max(b) < reach.len()
            {
                let [a, b] = [a, b].map(|body| root(&mut opening.parent, component[body]));
                opening.parent[a.max(b)] = a.min(b);
            }
        }
        limits.on_bodies(&mut self.wrenches);
        inner.respond(&self.wrenches, change)?;
        inner.displace(y, change);
        Ok(())
    }

    /// (O2); the bodies are where they were opened to, with their rates. Returns what was not paid, J.
    fn pay(&mut self, mechanism: &Mechanism, inner: &mut dyn Formulate, y: &mut [f64]) -> f64 {
        let gravity = mechanism.model.gravity;
        let ContactSteps { opening, free, motions, component, rate_component, .. } = self;
        let Opening { from, parent, lifted, kinetic, left, .. } = opening;
        lifted.fill(0.0);
        kinetic.fill(0.0);
        for (body, from) in from.iter().enumerate() {
            let (properties, motion) = (&mechanism.bodies[body].particles.properties, &motions[body]);
            let top = root(parent, component[body]);
            lifted[top] -= properties.mass * dot(gravity, sub(motion.c, *from));
            let w = apply_transposed(&motion.turned, motion.w);
            kinetic[top] += match free[body] {
                Some(_) => {
                    0.5 * (properties.mass * dot(motion.v, motion.v)
                        + dot(w, apply(&properties.inertia_about_com, w)))
                }
                None => f64::NAN, // what joints hold does not pay
            };
        }
        let mut unpaid = 0.0;
        for c in (0..left.len()).filter(|&c| parent[c] == c) {
            left[c] = 1.0;
            if lifted[c] <= 0.0 {
                continue;
            }
            let most = (1.0 - LEFT * LEFT) * if kinetic[c].is_nan() { 0.0 } else { kinetic[c] };
            let paid = lifted[c].min(most);
            unpaid += lifted[c] - paid;
            if paid > 0.0 {
                left[c] = (1.0 - paid / kinetic[c]).sqrt();
            }
        }
        let rates = inner.rates();
        for (u, component) in y[rates].iter_mut().zip(rate_component) {
            if let Some(c) = *component {
                *u *= left[root(parent, c)];
            }
        }
        unpaid
    }
}
