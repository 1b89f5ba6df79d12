//! Islands of bodies that sleep: they lie still until something moves them.
//!
//! A body is still while no point of it is faster than a bound,
//!
//!   (Z1)  |v| + r |ω| ≤ v_s        r: the reach of its surfaces
//!
//! Bodies that nothing holds and that rest on something fall asleep together with all they touch, once each of them has been still for the time given. Their velocities become
//! zero, the forces of their contacts stay what they were. They wake together, before the step in question is made, where
//!
//!   (Z2)  g ≤ h |v_b − v_a| + h² |g₀|        a body that is awake could touch one of them within the step
//!   (Z3)  |a − a_s| > 10⁻⁶ (|a_s| + |g₀|)    the acceleration of one of them without contacts is no longer that of its first step asleep
//!   (Z4)  one of them has been moved, or given a velocity beyond (Z1), from outside.
//!
//! with g a gap, h the step, and g₀ the acceleration of gravity. Bodies that joints hold do not sleep, nor does what touches them.

use super::{CLOSED, ContactSteps, Formulate};
use crate::interactions::{BodyIndex, Motion};
use crate::keep::keep;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Vec3, apply, apply_transposed, dot, norm, sub};
use crate::mechanism::Mechanism;

/// (Z3)
const CHANGED: f64 = 1e-6;

/// Who sleeps, and who has been still for how long.
#[derive(Clone, Debug, Default)]
pub struct Sleep {
    /// After how long, s; infinite where nothing sleeps.
    after: f64,
    /// v_s, m/s.
    below: f64,
    /// When the last step began, s.
    began: Option<f64>,
    /// By component: how long it has been still, s, and the number of its island, from 1, if it is asleep.
    still: Vec<f64>,
    island: Vec<usize>,
    /// By body that is asleep: its acceleration without contacts, once known, and where it lies.
    reference: Vec<Option<Twist>>,
    place: Vec<Vec3>,
    /// Components that are awake and touch each other.
    touching: Vec<[usize; 2]>,
    /// By body: whether something bore it in the last step; and by component, whether its island is ready.
    borne: Vec<bool>,
    ready: Vec<bool>,
}

keep!(Sleep { began, still, island, reference, place, touching } but { after, below, borne, ready });

/// Bodies at the beginning of a step.
struct Bodies<'a> {
    pub motions: &'a [Motion],
    /// By body: the reach of its surfaces, its component, whether nothing holds it.
    pub reach: &'a [f64],
    pub component: &'a [usize],
    pub is_free: &'a dyn Fn(usize) -> bool,
}

impl Sleep {
    /// Bodies that have been slower than `below` (m/s) for `after` (s) sleep; none do if that is `None`.
    pub fn new(after: Option<f64>, below: f64, bodies: usize) -> Self {
        let bodies = if after.is_some() { bodies } else { 0 };
        Sleep {
            after: after.unwrap_or(f64::INFINITY),
            below,
            began: None,
            still: vec![0.0; bodies],
            island: vec![0; bodies],
            reference: vec![None; bodies],
            place: vec![[0.0; 3]; bodies],
            touching: Vec::new(),
            borne: vec![false; bodies],
            ready: vec![false; bodies],
        }
    }

    /// Whether anything may sleep.
    pub fn is_on(&self) -> bool {
        self.after.is_finite()
    }

    /// Whether a component sleeps.
    pub fn sleeps(&self, component: usize) -> bool {
        self.island.get(component).is_some_and(|island| *island != 0)
    }

    /// How many components sleep.
    pub fn count(&self) -> u64 {
        self.island.iter().filter(|island| **island != 0).count() as u64
    }

    /// Notes which bodies contacts bore in the last step.
    pub fn bear(&mut self, bodies: impl Iterator<Item = usize>) {
        self.borne.fill(false);
        bodies.for_each(|body| self.borne[body] = true);
    }

    /// At the beginning of a new step: counts how long bodies have been still, wakes what has been moved by more than `closed` (m), and lets islands fall asleep.
    /// `parent` is a buffer, by component.
    fn watch(&mut self, t: f64, bodies: &Bodies, closed: f64, parent: &mut [usize]) {
        let elapsed = self.began.map_or(0.0, |began| (t - began).max(0.0));
        self.began = Some(t);
        for (body, motion) in bodies.motions.iter().enumerate() {
            let component = bodies.component[body];
            let slow = norm(motion.v) + bodies.reach[body] * norm(motion.w) <= self.below; // (Z1)
            if self.sleeps(component) && !(slow && norm(sub(motion.c, self.place[body])) <= closed) {
                self.wake(component); // (Z4)
            }
            let may = slow && (bodies.is_free)(body);
            self.still[component] = if may { self.still[component] + elapsed } else { 0.0 };
        }
        parent.iter_mut().enumerate().for_each(|(i, parent)| *parent = i);
        for &[a, b] in &self.touching {
            let [a, b] = [a, b].map(|component| root(parent, component));
            parent[a.max(b)] = a.min(b);
        }
        // who is not ready keeps its island awake
        self.ready.fill(true);
        for body in 0..bodies.motions.len() {
            let component = bodies.component[body];
            let ready = self.still[component] >= self.after && self.borne[body] && !self.sleeps(component);
            self.ready[root(parent, component)] &= ready;
        }
        for body in 0..bodies.motions.len() {
            let component = bodies.component[body];
            let top = root(parent, component);
            if self.ready[top] {
                self.island[component] = top + 1;
                (self.reference[body], self.place[body]) = (None, bodies.motions[body].c);
            }
        }
    }

    /// Forgets which components touch.
    pub fn begin_contacts(&mut self) {
        self.touching.clear();
    }

    /// Notes that two components can touch within a step; wakes the one that sleeps if the other does not (Z2). Tells whether it did.
    pub fn touch(&mut self, pair: [usize; 2]) -> bool {
        match pair.map(|component| self.sleeps(component)) {
            [false, false] => {
                if self.touching.last() != Some(&pair) {
                    self.touching.push(pair);
                }
                false
            }
            [true, true] => false,
            [first, _] => {
                self.wake(pair[if first { 0 } else { 1 }]);
                true
            }
        }
    }

    /// Compares what a sleeping body would do without contacts with what it would have done when it fell asleep; wakes it if that has changed (Z3). Tells whether it did.
    pub fn accelerate(
        &mut self,
        body: usize,
        component: usize,
        now: Twist,
        reach: f64,
        gravity: f64,
    ) -> bool {
        let Some(before) = self.reference[body] else {
            self.reference[body] = Some(now);
            return false;
        };
        let size = |a: Vec3, w: Vec3| norm(a) + reach * norm(w);
        let off = size(sub(now.v, before.v), sub(now.w, before.w));
        let changed = off > CHANGED * (size(before.v, before.w) + gravity);
        if changed {
            self.wake(component);
        }
        changed
    }

    /// Wakes the island of a component.
    fn wake(&mut self, component: usize) {
        let awake = self.island[component];
        for (island, still) in self.island.iter_mut().zip(&mut self.still) {
            if *island == awake {
                (*island, *still) = (0, 0.0);
            }
        }
    }

    /// Goes on with what was kept, of a mechanism with so many bodies; `None` if it is not of such a one.
    pub fn resumed(self, kept: Sleep) -> Option<Self> {
        let fits = [kept.still.len(), kept.island.len(), kept.reference.len(), kept.place.len()]
            .iter()
            .all(|count| *count == self.still.len());
        let inside = kept.touching.iter().flatten().all(|component| *component < self.still.len());
        let Sleep { began, still, island, reference, place, touching, .. } = kept;
        (fits && inside).then_some(Sleep { began, still, island, reference, place, touching, ..self })
    }
}

impl ContactSteps {
    /// Looks who sleeps at the beginning of a step; returns the kinetic energy that they still had, J.
    pub(super) fn settle(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        t: f64,
        y: &[f64],
        new: bool,
    ) -> f64 {
        if !self.sleep.is_on() {
            return 0.0;
        }
        let ContactSteps { sleep, motions, reach, component, free, given, parent, .. } = self;
        // limits are of bodies that joints hold, and those never sleep
        let motions = &mut motions[..reach.len()];
        inner.locate_bodies(y, motions);
        if new {
            let bodies = Bodies { motions, reach, component, is_free: &|body| free[body].is_some() };
            sleep.bear(given.iter().flat_map(|given| given.bodies).flatten());
            sleep.watch(t, &bodies, CLOSED * mechanism.size, parent);
        }
        let energy = |(body, motion): (usize, &Motion)| {
            let properties = &mechanism.bodies[body].particles.properties;
            let w = apply_transposed(&motion.turned, motion.w);
            0.5 * (properties.mass * dot(motion.v, motion.v)
                + dot(w, apply(&properties.inertia_about_com, w)))
        };
        let sleeping = motions.iter().enumerate().filter(|(body, _)| sleep.sleeps(component[*body]));
        sleeping.map(energy).sum()
    }

    /// The state at the beginning of a step, with what sleeps at rest.
    pub(super) fn begin_from(&self, y: &[f64], y_new: &mut [f64], rates: std::ops::Range<usize>) {
        y_new.copy_from_slice(y);
        if self.sleep.is_on() {
            for (k, u) in y_new[rates].iter_mut().enumerate() {
                if self.rate_sleeps(k) {
                    *u = 0.0;
                }
            }
        }
    }

    /// Whether a rate is of a body that sleeps.
    pub(super) fn rate_sleeps(&self, rate: usize) -> bool {
        self.sleep.is_on() && self.rate_component[rate].is_some_and(|component| self.sleep.sleeps(component))
    }

    /// Whether both bodies of a contact lie still for certain.
    pub(super) fn lie_still(&self, bodies: [BodyIndex; 2]) -> bool {
        self.sleep.is_on() && lie_still(bodies, |body| self.sleep.sleeps(self.component[body]))
    }

    /// Wakes what a body that is awake can touch within the step. Tells whether there was any.
    pub(super) fn wakes_by_touch(&mut self, mechanism: &Mechanism, h: f64) -> bool {
        if !self.sleep.is_on() {
            return false;
        }
        self.sleep.begin_contacts();
        let mut woke = false;
        for i in 0..self.near.len() {
            let near = self.near[i];
            let [Some(a), Some(b)] = near.bodies else { continue };
            let speed = norm(self.site(i).velocity(&self.motions));
            if near.point.gap <= CLOSED * mechanism.size + h * speed + h * h * self.gravity {
                woke |= self.sleep.touch([self.component[a], self.component[b]]);
            }
        }
        woke
    }

    /// Wakes bodies on which forces act that are no longer what they were. Tells whether there were any.
    pub(super) fn wakes_by_force(&mut self, h: f64) -> bool {
        let ContactSteps { sleep, after, component, reach, gravity, .. } = self;
        if !sleep.is_on() {
            return false;
        }
        let mut woke = false;
        for (body, twist) in after.iter().take(reach.len()).enumerate() {
            if sleep.sleeps(component[body]) {
                let now = Twist::default().add(1.0 / h, twist);
                woke |= sleep.accelerate(body, component[body], now, reach[body], *gravity);
            }
        }
        woke
    }

    /// Takes away what a step without contacts has given to bodies that sleep.
    pub(super) fn lay_still(&mut self, rates: &mut [f64]) {
        if !self.sleep.is_on() {
            return;
        }
        for (k, u) in rates.iter_mut().enumerate() {
            if self.rate_sleeps(k) {
                *u = 0.0;
            }
        }
        for (body, twist) in self.after.iter_mut().enumerate() {
            if self.sleep.sleeps(self.component[body]) {
                *twist = Twist::default();
            }
        }
    }
}

/// The first of all that are joined with one.
pub(super) fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// Whether both bodies of a contact lie still for certain: asleep, or the ground.
fn lie_still(bodies: [BodyIndex; 2], sleeps: impl Fn(usize) -> bool) -> bool {
    let [a, b] = bodies.map(|body| body.map(&sleeps));
    (a == Some(true) || b == Some(true)) && a != Some(false) && b != Some(false)
}
