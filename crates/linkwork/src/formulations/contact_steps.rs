//! Time steps over contacts: velocities and impulses instead of events.
//!
//! A step from (t, q, u) over h, in any formulation ([moreau1988], [jean1999]); dots are what the formulation's equations give without contacts:
//!
//!   (M1)  q_m = q + ½h u                                    moves along
//!   (M2)  a = u̇(q_m, u),   u⁰ = u + h u̇(q_m, u + ½h a)       order 2 for smooth motion
//!   (M3)  u⁺ = u⁰ + M⁻¹ Jᵀ p                                p by [`Steps`], at the contacts of q_m
//!   (M4)  q⁺ = q_m + ½h u⁺                                  then gaps that are still negative are opened, (M5)
//!   (M5)  q⁺ += M⁻¹ Jᵀ d,   0 ≤ g(q⁺) ⊥ d ≥ 0               least displacement; velocities stay
//!
//! A contact takes part if it would be closed at the end of the step, or might be through its neighbours. How fast its gap has to open is
//!
//!   (M6)  ū = −e u_n⁻                where it has restitution and comes faster than a step of free fall, ḡ = |u_n⁰ − u_n⁻|:  |u_n⁻| > 3/2 ḡ
//!   (M7)  ū = −2 max(g, 0)/h         otherwise: it closes by the end of the step, no farther
//!
//! In (M6) a body leaves from where it began the step, (q + q⁺)/2 = q_m, so that without losses its energy is the same to rounding; it turns back up to u h too early.
//! Contacts at rest are at rest exactly: with u = 0 and g = 0 nothing moves.
//!
//! The work of the impulses, p·(u⁻ + u⁺)/2, is part of the state's work. What (M5) adds to the potential energy is not: it shows as a drift of the energy.

use super::{Formulate, MotionError, Twist};
use crate::contact::steps::{FreeBody, Solved, StepContact, Steps};
use crate::contact::{Nearby, Site, Surface};
use crate::interactions::{BodyWrench, Motion};
use crate::keep::keep;
use crate::linalg::vec3::{Mat3, Vec3, dot, norm, scale};
use crate::mechanism::Mechanism;

/// Gaps below this part of the size are closed.
const CLOSED: f64 = 1e-10;
/// Rounds of (M5).
const ROUNDS: usize = 4;
/// (M6): approaches slower than this many steps of free fall do not bounce.
const SLOW: f64 = 1.5;

/// What a contact gave in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// The contact.
    pub contact: usize,
    /// Which point of it.
    pub key: u32,
    /// Impulse on b over the length of the step, N.
    pub force: Vec3,
    /// Whether it did not slip.
    pub sticks: bool,
}

keep!(Given { contact, key, force, sticks });

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
        }
    }
}

keep!(StepCounts { steps, contacts, most, sweeps, residual, overlap });

/// Buffers for steps over contacts.
pub struct ContactSteps {
    steps: Steps,
    nearby: Nearby,
    surfaces: Vec<Surface>,
    pairs: Vec<usize>,
    /// By body: 1/m and I⁻¹ as drawn where nothing holds it.
    free: Vec<Option<(f64, Mat3)>>,
    motions: Vec<Motion>,
    after: Vec<Twist>,
    answered: Vec<Twist>,
    wrenches: Vec<BodyWrench>,
    change: Vec<f64>,
    middle: Vec<f64>,
    /// Of the last step, in the order of the contacts.
    pub given: Vec<Given>,
    /// So far.
    pub counts: StepCounts,
    gravity: f64,
}

impl ContactSteps {
    /// For a mechanism in a formulation with so many rates and components of its state.
    pub fn new(mechanism: &Mechanism, rates: usize, dimension: usize) -> Self {
        let surfaces: Vec<Surface> = mechanism.surfaces.iter().map(|s| s.surface).collect();
        let bodies = mechanism.bodies.len();
        ContactSteps {
            steps: Steps::new(mechanism.columns(), bodies),
            nearby: Nearby::new(&surfaces, &mechanism.pairs),
            surfaces,
            pairs: Vec::new(),
            free: mechanism.free_bodies(),
            motions: vec![Motion::FIXED; bodies],
            after: vec![Twist::default(); bodies],
            answered: vec![Twist::default(); bodies],
            wrenches: Vec::new(),
            change: vec![0.0; rates],
            middle: vec![0.0; dimension],
            given: Vec::new(),
            counts: StepCounts::default(),
            gravity: norm(mechanism.model.gravity),
        }
    }

    /// A step from (t, y) over h into `y_new`; y' in the middle, without contacts, into `dy`.
    pub fn step(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        (t, h): (f64, f64),
        y: &[f64],
        y_new: &mut [f64],
        dy: &mut [f64],
    ) -> Result<(), MotionError> {
        let (rates, bound) = (inner.rates(), inner.is_bound());
        let middle = t + 0.5 * h;
        y_new.copy_from_slice(y);
        self.drift(inner, 0.5 * h, y_new); // (M1)
        if bound {
            inner.project(middle, y_new, dy)?;
        } else {
            inner.derivative(middle, y_new, dy)?;
        }
        inner.locate_bodies(y_new, &mut self.motions);
        self.middle.copy_from_slice(y_new);
        for i in rates.clone() {
            self.middle[i] += 0.5 * h * dy[i];
        }
        inner.derivative(middle, &self.middle, dy)?; // (M2)
        for i in rates.start..y_new.len() {
            y_new[i] += h * dy[i];
        }
        inner.twists(&self.middle, &y_new[rates.clone()], &mut self.after);
        self.gather(mechanism, h);
        let solved = self.solve(inner, h)?;
        self.wrenches.clear();
        self.steps.wrenches(&mut self.wrenches);
        if !self.wrenches.is_empty() {
            let driven = inner.respond(&self.wrenches, &mut self.change)?; // (M3)
            y_new[rates.clone()].iter_mut().zip(&self.change).for_each(|(u, du)| *u += du);
            y_new[inner.work_index()] += self.steps.work() + driven;
        }
        self.drift(inner, 0.5 * h, y_new); // (M4)
        let overlap = self.push_out(mechanism, inner, y_new)?;
        if bound {
            inner.project(t + h, y_new, dy)?;
        }
        self.note(h, solved, overlap);
        Ok(())
    }

    /// Moves along with the rates of a state.
    fn drift(&mut self, inner: &mut dyn Formulate, h: f64, y: &mut [f64]) {
        let rates = inner.rates();
        self.change.iter_mut().zip(&y[rates]).for_each(|(d, u)| *d = h * u);
        inner.displace(y, &self.change);
    }

    /// The contacts that may act in a step: the bodies are in its middle.
    fn gather(&mut self, mechanism: &Mechanism, h: f64) {
        let planar = mechanism.columns() == 2;
        self.steps.clear();
        // what falls freely, and half of it again for what neighbours do
        let margin = self.gravity * h * h + CLOSED * mechanism.size;
        self.nearby.around(&self.surfaces, &mechanism.pairs, &self.motions, 0.5 * h, margin, &mut self.pairs);
        let of_pairs = mechanism.pairs.last().map_or(0, |pair| pair.contacts().end);
        let near = self.pairs.iter().flat_map(|&p| mechanism.pairs[p].contacts());
        for i in near.chain(of_pairs..mechanism.contacts.len()) {
            let contact = &mechanism.contacts[i];
            let touch = contact.feature.touch(&self.motions);
            let reach = margin + 0.5 * h * (touch.rate.abs() + norm(touch.point_rate));
            if touch.gap > reach {
                continue;
            }
            let site = Site::new(i, &contact.feature, planar, &self.motions);
            let velocity = site.velocity(&self.motions);
            let [before, free] = [velocity, site.relative(&self.after)].map(|u| dot(site.touch.normal, u));
            if touch.gap + 0.5 * h * free > margin {
                continue;
            }
            let fast = before < 0.0 && -before > SLOW * (free - before).abs();
            let target = match contact.restitution > 0.0 && fast && touch.gap + 0.5 * h * free < 0.0 {
                true => -contact.restitution * before,  // (M6)
                false => -2.0 * touch.gap.max(0.0) / h, // (M7)
            };
            self.steps.push(site, 0, contact.friction, target, velocity);
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
            let key = (contact.site.contact, contact.key);
            while given.get(next).is_some_and(|g| (g.contact, g.key) < key) {
                next += 1;
            }
            match given.get(next) {
                Some(g) if (g.contact, g.key) == key => scale(h, g.force),
                _ => [0.0; 3],
            }
        });
        Ok(steps.solve())
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
            let motions = &self.motions;
            self.wrenches.clear();
            let gap =
                |contact: &StepContact| mechanism.contacts[contact.site.contact].feature.touch(motions).gap;
            overlap = self.steps.push_out(gap, allowed, &mut self.wrenches);
            if self.wrenches.is_empty() {
                break;
            }
            inner.respond(&self.wrenches, &mut self.change)?;
            inner.displace(y, &self.change);
        }
        Ok(overlap)
    }

    fn note(&mut self, h: f64, solved: Solved, overlap: f64) {
        self.given.clear();
        for contact in self.steps.contacts().iter().filter(|contact| contact.pushes()) {
            self.given.push(Given {
                contact: contact.site.contact,
                key: contact.key,
                force: scale(1.0 / h, contact.vector()),
                sticks: contact.sticks(),
            });
        }
        let pushed = self.given.len() as u64;
        let counts = &mut self.counts;
        counts.steps += 1;
        counts.contacts += pushed;
        counts.most = counts.most.max(pushed);
        counts.sweeps += u64::from(solved.sweeps);
        counts.residual = counts.residual.max(solved.residual);
        counts.overlap = counts.overlap.max(overlap);
    }
}

/// R A Rᵀ
fn turned(r: &Mat3, a: &Mat3) -> Mat3 {
    let product: Mat3 =
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| r[i][k] * a[k][j]).sum()));
    std::array::from_fn(|i| std::array::from_fn(|j| dot(product[i], r[j])))
}
