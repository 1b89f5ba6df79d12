//! Time steps over contacts: velocities and impulses instead of events.
//!
//! A step from (t, q, u) over h, in any formulation ([moreau1988], [jean1999]); dots are what the formulation's equations give without contacts:
//!
//!   (M1)  q_m = q + (1 − θ)h u                              moves along
//!   (M2)  a = u̇(q_m, u),   u⁰ = u + h u̇(q_m, u + ½h a)       order 2 for smooth motion, with θ = ½
//!   (M3)  u⁺ = u⁰ + M⁻¹ Jᵀ p                                p by [`Steps`], at the contacts of q_m
//!   (M4)  q⁺ = q_m + θh u⁺                                  then gaps that are still negative are opened, (M5)
//!   (M5)  q⁺ += M⁻¹ Jᵀ d,   0 ≤ g(q⁺) ⊥ d ≥ 0               least displacement; velocities stay
//!
//! Every contact takes part that may close within the step, by itself or through its neighbours. How fast its gap has to open is
//!
//!   (M6)  ū = −e u_n⁻                where it has restitution and comes faster than a step of free fall, ḡ = |u_n⁰ − u_n⁻|:  |u_n⁻| > 3/2 ḡ
//!   (M7)  ū = −max(g, 0)/(θh)        otherwise: it closes by the end of the step, no farther
//!
//! θ = ½, but 1 for bodies that touch, through others too, where a contact of the kind (M7) would overlap in q_m: they land on each other instead of in each other, so that
//! (M5) has hardly anything to do. In (M6) a body leaves from where it began the step, (q + q⁺)/2 = q_m, so that without losses its energy is the same to rounding; it turns back
//! up to u h too early. Contacts at rest are at rest exactly: with u = 0 and g = 0 nothing moves.
//!
//!   (M8)  W⁺ = W + h P(q_m, (u + u⁺)/2) + p·(u⁻ + u⁺)/2       P the power of forces without potential and of drivers
//!
//!   (M9)  W⁺ −= ½ h m g·(v⁺ − v)       of bodies with θ = 1: gravity gives them speed by (v + v⁺)/2, and height by v⁺; lost in impacts
//!
//! The work of the impulses is part of the state's work. What (M5) adds to the potential energy is not: it shows as a drift of the energy.

mod sleep;

pub use self::sleep::Sleep;

use self::sleep::root;
use super::step_error::StepError;
use super::{Formulate, MotionError, Twist};
use crate::contact::manifold::{ContactPoint, manifold};
use crate::contact::steps::{FreeBody, Solved, StepContact, Steps};
use crate::contact::{Nearby, Site, Surface};
use crate::interactions::{BodyIndex, BodyWrench, Motion};
use crate::keep::keep;
use crate::linalg::spatial::{Wrench, product};
use crate::linalg::vec3::{Mat3, Vec3, dot, norm, scale, sub};
use crate::mechanism::Mechanism;

/// Gaps below this part of the size are closed.
const CLOSED: f64 = 1e-10;
/// Overlaps up to this part of the size are left to (M5).
const DEEP: f64 = 1e-7;
/// (M5): points whose normals differ by less than the angle with this cosine are the same contact.
const ALIKE: f64 = 0.5;
/// Rounds of (M5).
const ROUNDS: usize = 4;
/// Bodies may fall asleep that are slower than this part of √(r g), r the smallest reach; without gravity, of the size of the mechanism in a second.
const SLEEPY: f64 = 0.01;
/// (M6): approaches slower than this many steps of free fall do not bounce.
const SLOW: f64 = 1.5;

/// What a contact point gave in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// The pair of surfaces; contacts without surfaces are counted on behind the listed pairs, and pairs of crowds behind those, by their surfaces.
    pub pair: usize,
    /// Identity of the point.
    pub key: u32,
    /// The contact of the mechanism that shows it; pairs of crowds have none.
    pub contact: Option<usize>,
    /// The model's contact, if it is of one.
    pub of: Option<usize>,
    /// a and b.
    pub bodies: [BodyIndex; 2],
    /// Where, in the middle of the step.
    pub point: Vec3,
    /// Impulse on b of that contact over the length of the step, N.
    pub force: Vec3,
    /// Unit length, from a to b.
    pub normal: Vec3,
    /// Whether it did not slip.
    pub sticks: bool,
}

keep!(Given { pair, key, contact, of, bodies, point, force, normal, sticks });

/// What there is to know of the steps so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepCounts {
    /// Steps.
    pub steps: u64,
    /// Contacts that pushed, all steps together, and the most in one.
    pub contacts: u64,
    /// The most contacts that pushed in one step.
    pub most: u64,
    /// Sweeps of the islands that took most, all steps together.
    pub sweeps: u64,
    /// The largest velocity that a last sweep still changed, m/s, and what it is measured against.
    pub residual: f64,
    /// The deepest overlap at the end of a step, m.
    pub overlap: f64,
    /// Steps in which contacts with restitution were struck through others.
    pub coupled: u64,
    /// Bodies that sleep in the last step.
    pub asleep: u64,
    /// The most bodies that slept in one step.
    pub most_asleep: u64,
}

impl StepCounts {
    /// Together with other steps.
    pub(crate) fn with(&self, other: &StepCounts) -> StepCounts {
        StepCounts {
            steps: self.steps + other.steps,
            contacts: self.contacts + other.contacts,
            most: self.most.max(other.most),
            sweeps: self.sweeps + other.sweeps,
            residual: self.residual.max(other.residual),
            overlap: self.overlap.max(other.overlap),
            coupled: self.coupled + other.coupled,
            asleep: other.asleep,
            most_asleep: self.most_asleep.max(other.most_asleep),
        }
    }
}

keep!(StepCounts { steps, contacts, most, sweeps, residual, overlap, coupled, asleep, most_asleep } if |counts| {
    let StepCounts { steps, contacts, most, sweeps, coupled, asleep, most_asleep, .. } = counts;
    crate::keep::are_counts(&[*steps, *contacts, *most, *sweeps, *coupled, *asleep, *most_asleep])
});

/// A point of contact that may act in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    /// As in [`Given`].
    pair: usize,
    contact: Option<usize>,
    of: Option<usize>,
    /// Both, unless it is of none.
    surfaces: Option<[usize; 2]>,
    bodies: [BodyIndex; 2],
    friction: f64,
    restitution: f64,
    point: ContactPoint,
}

/// Buffers for steps over contacts.
pub struct ContactSteps {
    steps: Steps,
    nearby: Nearby,
    surfaces: Vec<Surface>,
    pairs: Vec<usize>,
    near: Vec<Near>,
    points: Vec<ContactPoint>,
    /// By body: 1/m and I⁻¹ as drawn where nothing holds it.
    free: Vec<Option<(f64, Mat3)>>,
    /// By body: the bodies that move with it through joints, as a number; and by rate.
    component: Vec<usize>,
    rate_component: Vec<Option<usize>>,
    /// By component: whether θ = 1, and the one that it touches, nearer to the first of all.
    lands: Vec<bool>,
    parent: Vec<usize>,
    motions: Vec<Motion>,
    after: Vec<Twist>,
    answered: Vec<Twist>,
    gaps: Vec<f64>,
    wrenches: Vec<BodyWrench>,
    change: Vec<f64>,
    middle: Vec<f64>,
    /// What contacts gave in the last step, in the order of the pairs.
    pub given: Vec<Given>,
    /// The same as wrenches on the bodies.
    pub forces: Vec<BodyWrench>,
    /// So far, and up to where the last step began.
    pub counts: StepCounts,
    counted: StepCounts,
    /// By body: the reach of its surfaces.
    reach: Vec<f64>,
    /// The least of them that is not zero.
    smallest: f64,
    pub(super) error: StepError,
    pub(super) sleep: Sleep,
    gravity: f64,
    planar: bool,
}

impl ContactSteps {
    /// For a mechanism in a formulation.
    pub fn new(mechanism: &Mechanism, inner: &dyn Formulate) -> Self {
        let surfaces: Vec<Surface> = mechanism.surfaces.iter().map(|s| s.surface.clone()).collect();
        let bodies = mechanism.bodies.len();
        let component = mechanism.components();
        let of_rate = |i: usize| inner.component_bodies(i).first().map(|&body| component[body]);
        let reach = reaches(mechanism);
        let reaching = reach.iter().filter(|reach| **reach > 0.0);
        let smallest = reaching.fold(mechanism.size, |least, reach| least.min(*reach));
        let gravity = norm(mechanism.model.gravity);
        let settings = &mechanism.model.settings;
        let slow = if gravity > 0.0 { SLEEPY * (gravity * smallest).sqrt() } else { SLEEPY * mechanism.size };
        let sleep = Sleep::new(settings.sleep, settings.sleep_speed.unwrap_or(slow), bodies);
        ContactSteps {
            smallest,
            steps: Steps::new(mechanism.columns(), bodies),
            nearby: Nearby::new(&surfaces, &mechanism.pairs, &mechanism.crowds),
            surfaces,
            pairs: Vec::new(),
            near: Vec::new(),
            points: Vec::new(),
            free: mechanism.free_bodies(),
            rate_component: inner.rates().map(of_rate).collect(),
            lands: vec![false; bodies],
            parent: (0..bodies).collect(),
            component,
            motions: vec![Motion::FIXED; bodies],
            after: vec![Twist::default(); bodies],
            answered: vec![Twist::default(); bodies],
            gaps: Vec::new(),
            wrenches: Vec::new(),
            change: vec![0.0; inner.rates().len()],
            middle: vec![0.0; inner.dimension()],
            given: Vec::new(),
            forces: Vec::new(),
            counts: StepCounts::default(),
            counted: StepCounts::default(),
            reach,
            error: StepError::default(),
            sleep,
            gravity,
            planar: mechanism.columns() == 2,
        }
    }

    /// A step from (t, y) over h into `y_new`; y' in the middle, without contacts, into `dy`. Returns its local error in parts of the size.
    pub fn step(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        (t, h): (f64, f64),
        y: &[f64],
        y_new: &mut [f64],
        dy: &mut [f64],
    ) -> Result<f64, MotionError> {
        let new = self.error.begin(t);
        if new {
            self.counted = self.counts;
        }
        let (rates, bound) = (inner.rates(), inner.is_bound());
        let middle = t + 0.5 * h;
        self.lands.fill(false);
        let stopped = self.settle(mechanism, inner, t, y, new);
        self.begin_from(y, y_new, rates.clone());
        self.drift(inner, y_new, [0.5 * h, 0.0]); // (M1)
        inner.locate_bodies(y_new, &mut self.motions);
        let margin = self.margin(h) + CLOSED * mechanism.size;
        self.find_points(mechanism, h, margin);
        if self.wakes_by_touch(mechanism, h) {
            return self.step(mechanism, inner, (t, h), y, y_new, dy);
        }
        if self.find_landings(mechanism, h) {
            self.begin_from(y, y_new, rates.clone());
            self.drift(inner, y_new, [0.5 * h, 0.0]);
            inner.locate_bodies(y_new, &mut self.motions);
            self.find_points(mechanism, h, margin);
        }
        match bound {
            true => inner.project(middle, y_new, dy)?,
            false => inner.derivative(middle, y_new, dy)?,
        }
        self.middle.copy_from_slice(y_new);
        for (k, i) in rates.clone().enumerate() {
            if !self.rate_sleeps(k) {
                self.middle[i] += 0.5 * h * dy[i];
            }
        }
        inner.derivative(middle, &self.middle, dy)?; // (M2)
        for i in rates.start..y_new.len() {
            y_new[i] += h * dy[i];
        }
        inner.twists(&self.middle, &y_new[rates.clone()], &mut self.after);
        if self.wakes_by_force(h) {
            return self.step(mechanism, inner, (t, h), y, y_new, dy);
        }
        self.lay_still(&mut y_new[rates.clone()]);
        self.gather(h);
        let solved = self.solve(inner, h)?;
        self.note_forces(mechanism, h);
        if !self.wrenches.is_empty() {
            let driven = inner.respond(&self.wrenches, &mut self.change)?; // (M3)
            y_new[rates.clone()].iter_mut().zip(&self.change).for_each(|(u, du)| *u += du);
            y_new[inner.work_index()] += self.steps.work() + driven;
            self.account(mechanism, inner.work_index(), h, y_new);
        }
        let error = self.find_error(inner, h, &y_new[rates.clone()], mechanism.size);
        let landing = self.landing_work(mechanism, h);
        y_new[inner.work_index()] += landing;
        if let Some(places) = mechanism.account_places(inner.work_index()) {
            y_new[places.impacts()] -= landing;
        }
        self.correct_work(mechanism, inner, (t, h), y, y_new, dy)?;
        y_new[inner.work_index()] -= stopped;
        if let Some(places) = mechanism.account_places(inner.work_index()) {
            y_new[places.friction()] += stopped;
        }
        self.drift(inner, y_new, [0.5 * h, h]); // (M4)
        let overlap = self.push_out(mechanism, inner, y_new)?;
        if bound {
            inner.project(t + h, y_new, dy)?;
        }
        let counts = StepCounts {
            steps: 1,
            contacts: self.given.len() as u64,
            most: self.given.len() as u64,
            sweeps: u64::from(solved.sweeps),
            residual: solved.residual,
            overlap,
            coupled: u64::from(self.is_coupled(mechanism, h)),
            asleep: self.sleep.count(),
            most_asleep: self.sleep.count(),
        };
        self.counts = self.counted.with(&counts);
        Ok(error)
    }

    /// What bodies may come nearer to each other in a step beyond their own velocities, m: what falls freely, twice, and what is struck, by up to twice the fastest.
    fn margin(&self, h: f64) -> f64 {
        let fastest =
            self.motions.iter().zip(&self.reach).fold(0.0, |fastest: f64, (motion, reach)| {
                fastest.max(norm(motion.v) + reach * norm(motion.w))
            });
        self.gravity * h * h + (2.0 * h * fastest).min(0.5 * self.smallest)
    }

    /// (M9); follows [`find_error`](Self::find_error).
    fn landing_work(&self, mechanism: &Mechanism, h: f64) -> f64 {
        let gravity = mechanism.model.gravity;
        let of = |(body, a): (usize, &Twist)| match self.lands[self.component[body]] {
            true => -0.5 * h * h * mechanism.bodies[body].particles.properties.mass * dot(gravity, a.v),
            false => 0.0,
        };
        self.answered.iter().enumerate().map(of).sum()
    }

    /// Local error of the step, given the rates at its end; the bodies are in its middle, with the velocities of its beginning.
    fn find_error(&mut self, inner: &mut dyn Formulate, h: f64, rates: &[f64], size: f64) -> f64 {
        inner.twists(&self.middle, rates, &mut self.answered);
        for (twist, motion) in self.answered.iter_mut().zip(&self.motions) {
            *twist = Twist {
                v: scale(1.0 / h, sub(twist.v, motion.v)),
                w: scale(1.0 / h, sub(twist.w, motion.w)),
            };
        }
        self.error.find(h, &self.answered, &self.reach, size)
    }

    /// (M8): the work of forces, controllers and drivers with the mean of the velocities before and after the step. What a contact stops in every step does none, though its velocity in
    /// the middle of the step, without the contact, is not zero.
    fn correct_work(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        (t, h): (f64, f64),
        y: &[f64],
        y_new: &mut [f64],
        dy: &mut [f64],
    ) -> Result<(), MotionError> {
        let idle = mechanism.interactions.actions.is_empty() && mechanism.model.drivers.is_empty();
        if self.wrenches.is_empty() || idle {
            return Ok(());
        }
        let (rates, work) = (inner.rates(), inner.work_index());
        let without = dy[work];
        for i in rates {
            self.middle[i] = 0.5 * (y[i] + y_new[i]);
        }
        inner.derivative(t + 0.5 * h, &self.middle, dy)?;
        y_new[work] += h * (dy[work] - without);
        Ok(())
    }

    /// Moves along with the rates of a state, for one time where θ = ½ and for another where θ = 1.
    fn drift(&mut self, inner: &mut dyn Formulate, y: &mut [f64], [half, lands]: [f64; 2]) {
        let rates = inner.rates();
        for ((d, u), component) in self.change.iter_mut().zip(&y[rates]).zip(&self.rate_component) {
            *d = if component.is_some_and(|c| self.lands[c]) { lands } else { half } * u;
        }
        inner.displace(y, &self.change);
    }

    /// Points in which surfaces touch or may do so by the end of a step, where the bodies are.
    fn find_points(&mut self, mechanism: &Mechanism, h: f64, margin: f64) {
        self.nearby.around(&self.surfaces, &mechanism.pairs, &self.motions, h, margin, &mut self.pairs);
        self.near.clear();
        for i in 0..self.pairs.len() {
            let pair = &mechanism.pairs[self.pairs[i]];
            if self.lie_still(pair.surfaces.map(|s| self.surfaces[s].body())) {
                continue;
            }
            let contact = &mechanism.contacts[pair.first];
            let near = Near {
                pair: self.pairs[i],
                contact: Some(pair.first),
                of: Some(pair.of),
                surfaces: Some(pair.surfaces),
                friction: contact.friction,
                restitution: contact.restitution,
                ..Near::default()
            };
            self.meet(near, pair.count, h, margin);
        }
        // those without surfaces
        let of_pairs = mechanism.pairs.last().map_or(0, |pair| pair.contacts().end);
        for (i, contact) in mechanism.contacts[of_pairs..].iter().enumerate() {
            let touch = contact.feature.touch(&self.motions);
            if self.lie_still(contact.feature.bodies()) {
                continue;
            }
            if touch.gap <= margin + h * (touch.rate.abs() + norm(touch.point_rate)) {
                self.near.push(Near {
                    pair: mechanism.pairs.len() + i,
                    contact: Some(of_pairs + i),
                    of: None,
                    surfaces: None,
                    bodies: contact.feature.bodies(),
                    friction: contact.friction,
                    restitution: contact.restitution,
                    point: ContactPoint { gap: touch.gap, point: touch.point, normal: touch.normal, key: 0 },
                });
            }
        }
        let behind = mechanism.pairs.len() + mechanism.contacts.len() - of_pairs;
        for i in 0..self.nearby.crowded().len() {
            let pair = self.nearby.crowded()[i];
            let [a, b] = pair.surfaces;
            if self.lie_still([a, b].map(|s| self.surfaces[s].body())) {
                continue;
            }
            let contact = &mechanism.model.contacts[pair.of];
            let near = Near {
                pair: behind + a.min(b) * self.surfaces.len() + a.max(b),
                of: Some(pair.of),
                surfaces: Some(pair.surfaces),
                friction: contact.friction,
                restitution: contact.restitution,
                ..Near::default()
            };
            self.meet(near, 1, h, margin);
        }
    }

    /// Points of two surfaces that touch or may do so by the end of a step; `count` contacts of the mechanism show them.
    fn meet(&mut self, near: Near, count: usize, h: f64, margin: f64) {
        let Some(pair) = near.surfaces else { return };
        let [a, b] = pair.map(|s| &self.surfaces[s]);
        let [p, q] = [a, b].map(|surface| surface.at.at(&self.motions));
        let away = norm(sub(q.r, p.r));
        let speed = |surface: &Surface, other: &Surface, v: Vec3| {
            let turns = surface.body().map_or(0.0, |body| norm(self.motions[body].w));
            let reach = surface.reach();
            let arm = if reach.is_finite() { reach } else { away + other.reach() };
            norm(v) + if turns > 0.0 { arm * turns } else { 0.0 }
        };
        let speeds = speed(a, b, p.v) + speed(b, a, q.v);
        self.points.clear();
        manifold(a, b, &self.motions, self.planar, margin + h * speeds, &mut self.points);
        // warm starts find points by their keys
        self.points.sort_unstable_by_key(|point| point.key);
        let bodies = [a.body(), b.body()];
        for (number, &point) in self.points.iter().enumerate() {
            let contact = near.contact.map(|first| first + number.min(count.saturating_sub(1)));
            self.near.push(Near { contact, bodies, point, ..near });
        }
    }

    /// A point as a contact of its bodies, known by its place in `near`.
    fn site(&self, i: usize) -> Site {
        let near = &self.near[i];
        Site::at_point(i, near.bodies, &near.point, self.planar, &self.motions)
    }

    /// Finds the components with θ = 1; tells whether there are any. All have drifted half a step.
    fn find_landings(&mut self, mechanism: &Mechanism, h: f64) -> bool {
        let slow = SLOW * self.gravity * h;
        let (closed, deep) = (CLOSED * mechanism.size, DEEP * mechanism.size);
        let mut any = false;
        for i in 0..self.near.len() {
            let near = self.near[i];
            if near.point.gap >= -deep {
                continue;
            }
            let site = self.site(i);
            let approach = -dot(site.touch.normal, site.velocity(&self.motions));
            let bounces = near.restitution > 0.0 && approach > slow;
            if approach > 0.0 && !bounces {
                any = true;
                for body in site.bodies.into_iter().flatten() {
                    self.lands[self.component[body]] = true;
                }
            }
        }
        if !any {
            return false;
        }
        // what touches goes along
        self.parent.iter_mut().enumerate().for_each(|(i, parent)| *parent = i);
        for near in self.near.iter().filter(|near| near.point.gap <= closed) {
            if let [Some(a), Some(b)] = near.bodies {
                let [a, b] = [a, b].map(|body| root(&mut self.parent, self.component[body]));
                self.parent[a.max(b)] = a.min(b);
                self.lands[a.min(b)] |= self.lands[a.max(b)];
            }
        }
        for c in 0..self.lands.len() {
            let top = root(&mut self.parent, c);
            self.lands[top] |= self.lands[c];
        }
        for c in 0..self.lands.len() {
            self.lands[c] = self.lands[root(&mut self.parent, c)];
        }
        true
    }

    /// The contacts that take part in a step. The bodies are in its middle; their velocities without contacts are known.
    fn gather(&mut self, h: f64) {
        self.steps.clear();
        for i in 0..self.near.len() {
            let near = self.near[i];
            let site = self.site(i);
            let gap = near.point.gap;
            let velocity = site.velocity(&self.motions);
            let [before, free] = [velocity, site.relative(&self.after)].map(|u| dot(site.touch.normal, u));
            let lands = site.bodies.into_iter().flatten().any(|body| self.lands[self.component[body]]);
            let rest = if lands { h } else { 0.5 * h };
            let fast = before < 0.0 && -before > SLOW * (free - before).abs();
            let target = match near.restitution > 0.0 && fast && gap + rest * free < 0.0 {
                true => -near.restitution * before, // (M6)
                false => -gap.max(0.0) / rest,      // (M7)
            };
            self.steps.push(site, (near.pair, near.point.key), near.friction, target, velocity);
        }
    }

    fn solve(&mut self, inner: &mut dyn Formulate, h: f64) -> Result<Solved, MotionError> {
        let ContactSteps { steps, free, motions, after, answered, change, middle, given, .. } = self;
        if steps.contacts().is_empty() {
            return Ok(Solved::default());
        }
        let inertia = |body: usize| {
            free[body].as_ref().map(|(mass, inverse)| FreeBody {
                mass: *mass,
                inertia: turned(&motions[body].turned, inverse),
            })
        };
        let respond = |wrenches: &[BodyWrench], out: &mut [Twist]| {
            inner.respond(wrenches, change)?;
            inner.twists(middle, change, out);
            Ok(())
        };
        steps.prepare(after, inertia, respond, answered)?;
        // both lists ascend
        let mut next = 0;
        steps.start_with(|contact: &StepContact| {
            while given.get(next).is_some_and(|g| (g.pair, g.key) < contact.key) {
                next += 1;
            }
            match given.get(next) {
                Some(g) if (g.pair, g.key) == contact.key => {
                    scale(h * dot(g.normal, contact.site.touch.normal).signum(), g.force)
                }
                _ => [0.0; 3],
            }
        });
        Ok(steps.solve())
    }

    /// What the contacts give in the step.
    fn note_forces(&mut self, mechanism: &Mechanism, h: f64) {
        self.wrenches.clear();
        self.steps.wrenches(&mut self.wrenches);
        let mut given = std::mem::take(&mut self.given);
        given.retain(|given| self.lie_still(given.bodies));
        self.given = given;
        self.forces.clear();
        for given in &self.given {
            for (body, sign) in given.bodies.into_iter().zip([-1.0, 1.0]) {
                let Some(body) = body else { continue };
                let arm = sub(given.point, self.motions[body].c);
                self.forces.push(BodyWrench { body, wrench: Wrench::at(arm, scale(sign, given.force)) });
            }
        }
        for contact in self.steps.contacts().iter().filter(|contact| contact.pushes()) {
            // the mechanism's contact may have its bodies the other way round
            let near = &self.near[contact.site.contact];
            let [a, b] = contact.site.bodies;
            let shown = near.contact.map(|contact| mechanism.contacts[contact].feature.bodies());
            let same = shown.is_none_or(|bodies| bodies == [a, b]);
            let sign = if same { 1.0 } else { -1.0 };
            self.given.push(Given {
                pair: contact.key.0,
                key: contact.key.1,
                contact: near.contact,
                of: near.of,
                bodies: if same { [a, b] } else { [b, a] },
                point: contact.site.touch.point,
                force: scale(sign / h, contact.vector()),
                normal: scale(sign, contact.site.touch.normal),
                sticks: contact.sticks(),
            });
        }
        // warm starts find them in this order
        self.given.sort_unstable_by_key(|given| (given.pair, given.key));
        let force =
            |wrench: &BodyWrench| BodyWrench { body: wrench.body, wrench: wrench.wrench.times(1.0 / h) };
        self.forces.extend(self.wrenches.iter().map(force));
    }

    /// Approaches faster than this are impacts, m/s: (M6).
    fn fast(&self, mechanism: &Mechanism, h: f64) -> f64 {
        (SLOW * self.gravity * h).max(mechanism.no_speed())
    }

    /// Whether a contact with restitution was struck that did not approach, beside one that did.
    fn is_coupled(&self, mechanism: &Mechanism, h: f64) -> bool {
        let fast = self.fast(mechanism, h);
        let bouncing =
            |contact: &&StepContact| contact.pushes() && self.near[contact.site.contact].restitution > 0.0;
        let all = || self.steps.contacts().iter().filter(bouncing);
        all().any(|contact| contact.approach() > fast)
            && all().any(|contact| contact.approach() <= fast && contact.stopped() > 2.0 * fast)
    }

    /// What the contacts take and give in the step. An impact is what a contact gives that comes faster than (M6) asks for.
    fn account(&self, mechanism: &Mechanism, work: usize, h: f64, y: &mut [f64]) {
        let Some(places) = mechanism.account_places(work) else { return };
        let fast = self.fast(mechanism, h);
        for contact in self.steps.contacts().iter().filter(|contact| contact.pushes()) {
            let [normal, friction] = self.steps.work_of(contact);
            let strikes = contact.approach() > fast;
            y[places.impacts()] -= if strikes { normal + friction } else { normal };
            if !strikes {
                y[places.friction()] -= friction;
            } else if let Some(impulse) =
                self.near[contact.site.contact].of.and_then(|entry| places.impulse(entry))
            {
                y[impulse] += contact.push();
            }
        }
    }

    /// (M5); returns the deepest overlap that is left.
    fn push_out(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        y: &mut [f64],
    ) -> Result<f64, MotionError> {
        if self.steps.contacts().is_empty() {
            return Ok(0.0);
        }
        let allowed = CLOSED * mechanism.size;
        let mut overlap = 0.0;
        for _ in 0..ROUNDS {
            inner.locate_bodies(y, &mut self.motions);
            self.find_gaps(mechanism);
            self.wrenches.clear();
            overlap = self.steps.push_out(&self.gaps, allowed, &mut self.wrenches);
            if self.wrenches.is_empty() {
                break;
            }
            inner.respond(&self.wrenches, &mut self.change)?;
            inner.displace(y, &self.change);
        }
        Ok(overlap)
    }

    /// Gaps of the contacts that take part, where the bodies are.
    fn find_gaps(&mut self, mechanism: &Mechanism) {
        self.gaps.clear();
        let mut looked = None;
        for contact in self.steps.contacts() {
            let (pair, key) = contact.key;
            let near = &self.near[contact.site.contact];
            let Some(surfaces) = near.surfaces else {
                let feature = near.contact.map(|contact| &mechanism.contacts[contact].feature);
                self.gaps.push(feature.map_or(f64::INFINITY, |feature| feature.touch(&self.motions).gap));
                continue;
            };
            if looked != Some(pair) {
                looked = Some(pair);
                let [a, b] = surfaces.map(|s| &self.surfaces[s]);
                self.points.clear();
                manifold(a, b, &self.motions, self.planar, 0.1 * mechanism.size, &mut self.points);
            }
            // what is not there any more has been taken over by the nearest one; along another normal it would be opened by moving elsewhere
            let (place, normal) = (contact.site.touch.point, contact.site.touch.normal);
            let away = |point: &ContactPoint| norm(sub(point.point, place));
            let alike = self.points.iter().filter(|point| dot(point.normal, normal) > ALIKE);
            let same = alike.clone().find(|point| point.key == key);
            let found = same.or_else(|| alike.min_by(|a, b| away(a).total_cmp(&away(b))));
            self.gaps.push(found.map_or(f64::INFINITY, |point| point.gap));
        }
    }
}

/// By body: the farthest that its surfaces reach from its centre of mass.
fn reaches(mechanism: &Mechanism) -> Vec<f64> {
    let mut reaches = vec![0.0; mechanism.bodies.len()];
    for surface in &mechanism.surfaces {
        let (body, reach) = (surface.surface.body(), surface.surface.reach());
        if let Some(body) = body.filter(|_| reach.is_finite()) {
            reaches[body] = f64::max(reaches[body], norm(surface.surface.at.s) + reach);
        }
    }
    reaches
}

/// R A Rᵀ
fn turned(r: &Mat3, a: &Mat3) -> Mat3 {
    let half = product(r, a);
    std::array::from_fn(|i| std::array::from_fn(|j| dot(half[i], r[j])))
}
