//! Time steps over contacts: velocities and impulses instead of events.
//!
//! A step from (t, q, u) over h, in any formulation ([moreau1988], [jean1999]); dots are what the formulation's equations give without contacts:
//!
//!   (M1)  q_m = q + (1 − θ)h u                              moves along
//!   (M2a) a = u̇(q_m, u),   u⁰ = u + h u̇(q_m, u + ½h a)       order 2 for smooth motion, with θ = ½
//!   (M2b) u⁰ = u + h u̇(q_m, (u + u⁺)/2)                      once there is a first u⁺ with contacts, unless anything collides, and (M3) again
//!   (M3)  u⁺ = u⁰ + M⁻¹ Jᵀ p                                p by [`Steps`], at the contacts of q_m
//!   (M4)  q⁺ = q_m + θh u⁺                                  then gaps that are still negative are opened, (M5)
//!   (M5)  q⁺ += M⁻¹ Jᵀ d,   0 ≤ g(q⁺) ⊥ d ≥ 0               least displacement; what it lifts is paid with speed (`push_out`)
//!
//! Without (M2b) a damper would brake a body that is pressed against another as if it gave way for half a step, and what rolls and spins would gain energy from its own gyroscopic moments.
//!
//! Every contact takes part that may close within the step, by itself or through its neighbours. How fast its gap has to open is
//!
//!   (M6)  ū = −e u_n⁻                where it has restitution and comes faster than a step of free fall, ḡ = |u_n⁰ − u_n⁻|:  |u_n⁻| > 3/2 ḡ
//!   (M7)  ū = −max(g, 0)/(θh)        otherwise: it closes by the end of the step, no farther
//!
//! θ = ½, but larger for bodies that touch, through others too, where a contact would overlap in q_m:
//!
//!   (M10) θ = 1/(1 + e),   e the least restitution of those contacts, 0 for the kind (M7)
//!
//! Points that pushed in the last step already, and come slower than (M6) asks for, do not count: they roll on each other, and θ = ½ keeps their order.
//! Others land on each other instead of in each other, and what bounces leaves from where it began the step, q⁺ = q: (M5) has hardly anything to do, and with e = 1 the energy is the same to
//! rounding. What bounces turns back up to u h too early. Contacts at rest are at rest exactly: with u = 0 and g = 0 nothing moves.
//!
//!   (M8)  W⁺ = W + h P(q_m, (u + u⁺)/2) + p·(u⁻ + u⁺)/2       P the power of forces without potential and of drivers
//!
//!   (M9)  W⁺ −= (θ − ½) h m g·(v⁺ − v)       gravity gives speed by (v + v⁺)/2, and height by (1 − θ)v + θ v⁺; lost in impacts
//!
//! Limits that joints bounce off take part as contacts of sliders ([`Limits`]).
//!
//! The work of the impulses is part of the state's work. What (M5) adds to the potential energy, and no speed pays for, is not: it shows as a drift of the energy.

mod limits;
mod near;
mod push_out;
mod sleep;

pub use self::sleep::Sleep;

use self::limits::Limits;
use self::near::Near;
use self::push_out::Opening;
use super::step_error::StepError;
use super::{Formulate, MotionError, Twist};
use crate::contact::manifold::ContactPoint;
use crate::contact::steps::{FreeBody, Solved, StepContact, Steps};
use crate::contact::{Nearby, Surface};
use crate::interactions::{BodyIndex, BodyWrench, Motion};
use crate::keep::keep;
use crate::linalg::spatial::{Wrench, product};
use crate::linalg::vec3::{Mat3, Vec3, dot, norm, scale, sub};
use crate::mechanism::Mechanism;

/// Gaps below this part of the size are closed.
const CLOSED: f64 = 1e-10;
/// Bodies may fall asleep that are slower than this part of √(r g), r the smallest reach; without gravity, of the size of the mechanism in a second.
const SLEEPY: f64 = 0.01;
/// (M6): approaches slower than this many steps of free fall do not bounce.
const SLOW: f64 = 1.5;
/// A step that ends with overlaps deeper than this part of the smallest reach before (M5) is too long,
const DEEP: f64 = 0.05;
/// and one whose last pass still changed more than this part of the velocities that contacts had to change is made again, shorter.
const FAILED: f64 = 0.1;

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
    /// The time of it, s.
    pub overlap_at: f64,
    /// By how much opening overlaps has lifted bodies that could not pay for it with their speed, J.
    pub lifted: f64,
    /// Steps in which the solver ended before a pass changed less than a hundredth of the velocity that contacts had to change.
    pub unsolved: u64,
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
            overlap_at: if other.overlap > self.overlap { other.overlap_at } else { self.overlap_at },
            lifted: self.lifted + other.lifted,
            unsolved: self.unsolved + other.unsolved,
            coupled: self.coupled + other.coupled,
            asleep: other.asleep,
            most_asleep: self.most_asleep.max(other.most_asleep),
        }
    }
}

keep!(StepCounts { steps, contacts, most, sweeps, residual, overlap, overlap_at, lifted, unsolved, coupled, asleep, most_asleep } if |counts| {
    let StepCounts { steps, contacts, most, sweeps, unsolved, coupled, asleep, most_asleep, .. } = counts;
    crate::keep::are_counts(&[*steps, *contacts, *most, *sweeps, *unsolved, *coupled, *asleep, *most_asleep])
});

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
    /// By component: θ, and the one that it touches, nearer to the first of all.
    theta: Vec<f64>,
    parent: Vec<usize>,
    /// Of the bodies, and behind them of the sliders that stand for limits.
    motions: Vec<Motion>,
    after: Vec<Twist>,
    answered: Vec<Twist>,
    opening: Opening,
    wrenches: Vec<BodyWrench>,
    pulls: Vec<BodyWrench>,
    change: Vec<f64>,
    middle: Vec<f64>,
    without: Vec<f64>,
    /// Whether anything depends on velocities.
    revises: bool,
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
    limits: Limits,
}

impl ContactSteps {
    /// For a mechanism in a formulation.
    pub fn new(mechanism: &Mechanism, inner: &dyn Formulate) -> Self {
        let surfaces: Vec<Surface> = mechanism.surfaces.iter().map(|s| s.surface.clone()).collect();
        let bodies = mechanism.bodies.len();
        let limits = Limits::new(mechanism);
        let all = bodies + limits.count();
        let mut component = mechanism.components();
        let of_rate = |i: usize| inner.component_bodies(i).first().map(|&body| component[body]);
        let rate_component = inner.rates().map(of_rate).collect();
        component.extend(limits.bodies(mechanism).map(|body| component[body]).collect::<Vec<_>>());
        let reach = reaches(mechanism);
        let reaching = reach.iter().filter(|reach| **reach > 0.0);
        let smallest = reaching.fold(mechanism.size, |least, reach| least.min(*reach));
        let gravity = norm(mechanism.model.gravity);
        let settings = &mechanism.model.settings;
        let slow = if gravity > 0.0 { SLEEPY * (gravity * smallest).sqrt() } else { SLEEPY * mechanism.size };
        let sleep = Sleep::new(settings.sleep, settings.sleep_speed.unwrap_or(slow), bodies);
        ContactSteps {
            smallest,
            steps: Steps::new(mechanism.columns(), all),
            nearby: Nearby::new(&surfaces, &mechanism.pairs, &mechanism.crowds),
            surfaces,
            pairs: Vec::new(),
            near: Vec::new(),
            points: Vec::new(),
            free: mechanism.free_bodies(),
            rate_component,
            theta: vec![0.5; bodies],
            parent: (0..bodies).collect(),
            component,
            motions: vec![Motion::FIXED; all],
            after: vec![Twist::default(); all],
            answered: vec![Twist::default(); all],
            opening: Opening::new(mechanism.columns(), bodies, all),
            wrenches: Vec::new(),
            pulls: Vec::new(),
            change: vec![0.0; inner.rates().len()],
            middle: vec![0.0; inner.dimension()],
            without: vec![0.0; inner.dimension()],
            revises: depends_on_velocities(mechanism),
            given: Vec::new(),
            forces: Vec::new(),
            counts: StepCounts::default(),
            counted: StepCounts::default(),
            reach,
            error: StepError::default(),
            sleep,
            gravity,
            planar: mechanism.columns() == 2,
            limits,
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
        self.theta.fill(0.5);
        let stopped = self.settle(mechanism, inner, t, y, new);
        self.begin_from(y, y_new, rates.clone());
        self.drift(inner, y_new, |theta| (1.0 - theta) * h); // (M1)
        self.locate(mechanism, inner, y_new);
        let margin = self.margin(h) + CLOSED * mechanism.size;
        self.find_points(mechanism, h, margin);
        if self.wakes_by_touch(mechanism, h) {
            return self.step(mechanism, inner, (t, h), y, y_new, dy);
        }
        if self.find_landings(mechanism, h) {
            self.begin_from(y, y_new, rates.clone());
            self.drift(inner, y_new, |theta| (1.0 - theta) * h);
            self.locate(mechanism, inner, y_new);
            self.find_points(mechanism, h, margin);
        }
        match bound {
            true => {
                inner.project(middle, y_new, dy)?;
                // positions only: rates that are projected there would lose what turns them, (hω)²/8 of themselves in every step
                self.keep_rates(y, &mut y_new[rates.clone()], rates.start);
            }
            false => inner.derivative(middle, y_new, dy)?,
        }
        self.middle.copy_from_slice(y_new);
        for (k, i) in rates.clone().enumerate() {
            if !self.rate_sleeps(k) {
                self.middle[i] += 0.5 * h * dy[i];
            }
        }
        inner.derivative(middle, &self.middle, dy)?; // (M2a)
        for i in rates.start..y_new.len() {
            y_new[i] += h * dy[i];
        }
        let bodies = mechanism.bodies.len();
        inner.twists(&self.middle, &y_new[rates.clone()], &mut self.after[..bodies]);
        self.limits.rates(&mut self.after);
        if self.wakes_by_force(h) {
            return self.step(mechanism, inner, (t, h), y, y_new, dy);
        }
        self.lay_still(&mut y_new[rates.clone()]);
        self.gather(h);
        let mut solved = self.solve(inner, h)?;
        if self.revises && !self.strikes(mechanism, h) && self.revise(inner, (middle, h), y, y_new, dy)? {
            solved.sweeps += self.steps.solve_again(&self.after).sweeps; // (M3)
        }
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
        self.drift(inner, y_new, |theta| theta * h); // (M4)
        if bound {
            inner.project(t + h, y_new, dy)?;
        }
        let coupled = self.is_coupled(mechanism, h);
        let opened = self.push_out(mechanism, inner, t + h, y_new, dy)?;
        let counts = StepCounts {
            steps: 1,
            contacts: self.given.len() as u64,
            most: self.given.len() as u64,
            sweeps: u64::from(solved.sweeps),
            residual: solved.residual,
            overlap: opened.after,
            overlap_at: t + h,
            lifted: opened.lifted,
            unsolved: u64::from(!solved.is_usable()),
            coupled: u64::from(coupled),
            asleep: self.sleep.count(),
            most_asleep: self.sleep.count(),
        };
        self.counts = self.counted.with(&counts);
        let failed = opened.before > DEEP * self.smallest || solved.residual > FAILED * solved.scale;
        Ok(if failed { error.max(1.0) } else { error })
    }

    /// (M9); follows [`find_error`](Self::find_error).
    fn landing_work(&self, mechanism: &Mechanism, h: f64) -> f64 {
        let gravity = mechanism.model.gravity;
        let of = |(body, a): (usize, &Twist)| match self.theta[self.component[body]] - 0.5 {
            late if late > 0.0 => {
                -late * h * h * mechanism.bodies[body].particles.properties.mass * dot(gravity, a.v)
            }
            _ => 0.0,
        };
        self.answered.iter().take(mechanism.bodies.len()).enumerate().map(of).sum()
    }

    /// Local error of the step, given the rates at its end; the bodies are in its middle, with the velocities of its beginning.
    fn find_error(&mut self, inner: &mut dyn Formulate, h: f64, rates: &[f64], size: f64) -> f64 {
        let bodies = self.reach.len();
        inner.twists(&self.middle, rates, &mut self.answered[..bodies]);
        for (twist, motion) in self.answered.iter_mut().zip(&self.motions) {
            *twist = Twist {
                v: scale(1.0 / h, sub(twist.v, motion.v)),
                w: scale(1.0 / h, sub(twist.w, motion.w)),
            };
        }
        self.error.find(h, &self.answered[..bodies], &self.reach, size)
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

    /// The rates of the beginning of the step, `y`; what sleeps has none.
    fn keep_rates(&self, y: &[f64], rates: &mut [f64], first: usize) {
        for (k, u) in rates.iter_mut().enumerate() {
            *u = if self.rate_sleeps(k) { 0.0 } else { y[first + k] };
        }
    }

    /// Where the bodies are and how fast, and the sliders of limits with them.
    fn locate(&mut self, mechanism: &Mechanism, inner: &mut dyn Formulate, y: &[f64]) {
        inner.locate_bodies(y, &mut self.motions[..mechanism.bodies.len()]);
        self.limits.locate(mechanism, &y[inner.work_index() + 1..], &mut self.motions);
    }

    /// (M2b): forces that depend on velocities feel what contacts do to these. Tells whether that changes anything.
    fn revise(
        &mut self,
        inner: &mut dyn Formulate,
        (middle, h): (f64, f64),
        y: &[f64],
        y_new: &mut [f64],
        dy: &mut [f64],
    ) -> Result<bool, MotionError> {
        self.wrenches.clear();
        self.steps.wrenches(&mut self.wrenches);
        if self.wrenches.is_empty() {
            return Ok(false);
        }
        self.limits.on_bodies(&mut self.wrenches);
        inner.respond(&self.wrenches, &mut self.change)?;
        let rates = inner.rates();
        for (k, i) in rates.clone().enumerate() {
            self.middle[i] = 0.5 * (y[i] + y_new[i] + self.change[k]);
        }
        self.without.copy_from_slice(dy);
        inner.derivative(middle, &self.middle, dy)?;
        for i in rates.start..y_new.len() {
            y_new[i] += h * (dy[i] - self.without[i]);
        }
        let bodies = self.reach.len();
        inner.twists(&self.middle, &y_new[rates.clone()], &mut self.after[..bodies]);
        self.limits.rates(&mut self.after);
        self.lay_still(&mut y_new[rates]);
        Ok(true)
    }

    /// Moves along with the rates of a state, for a time that depends on θ.
    fn drift(&mut self, inner: &mut dyn Formulate, y: &mut [f64], time: impl Fn(f64) -> f64) {
        let rates = inner.rates();
        for ((d, u), component) in self.change.iter_mut().zip(&y[rates]).zip(&self.rate_component) {
            *d = time(component.map_or(0.5, |c| self.theta[c])) * u;
        }
        inner.displace(y, &self.change);
    }

    fn solve(&mut self, inner: &mut dyn Formulate, h: f64) -> Result<Solved, MotionError> {
        let ContactSteps {
            steps,
            free,
            motions,
            after,
            answered,
            change,
            middle,
            given,
            limits,
            pulls,
            reach,
            ..
        } = self;
        if steps.contacts().is_empty() {
            return Ok(Solved::default());
        }
        let inertia = |body: usize| {
            free.get(body)?.as_ref().map(|(mass, inverse)| FreeBody {
                mass: *mass,
                inertia: turned(&motions[body].turned, inverse),
            })
        };
        let respond = |wrenches: &[BodyWrench], out: &mut [Twist]| {
            pulls.clear();
            pulls.extend_from_slice(wrenches);
            limits.on_bodies(pulls);
            inner.respond(pulls, change)?;
            inner.twists(middle, change, &mut out[..reach.len()]);
            limits.rates(out);
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
        self.limits.on_bodies(&mut self.wrenches);
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
            let [a, b] = [a, b].map(|body| body.filter(|body| *body < mechanism.bodies.len()));
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

    /// Whether anything collides in the step.
    fn strikes(&self, mechanism: &Mechanism, h: f64) -> bool {
        let fast = self.fast(mechanism, h);
        self.steps.contacts().iter().any(|contact| contact.pushes() && contact.approach() > fast)
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
        let pushing = |contact: &&StepContact| contact.pushes() && !limits::is_limit(contact.key.0);
        for contact in self.steps.contacts().iter().filter(pushing) {
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

/// Whether forces, or the inertia of what turns, make accelerations depend on velocities.
fn depends_on_velocities(mechanism: &Mechanism) -> bool {
    let planar = mechanism.columns() == 2;
    let spins_evenly = |body: usize| {
        let [x, y, z] = mechanism.bodies[body].particles.properties.inertia_about_com;
        x[0] == y[1] && y[1] == z[2] && [x[1], x[2], y[2]] == [0.0; 3]
    };
    let alone = mechanism
        .free_bodies()
        .iter()
        .enumerate()
        .all(|(i, free)| free.is_some() && (planar || spins_evenly(i)));
    !alone || !mechanism.interactions.actions.is_empty() || !mechanism.model.drivers.is_empty()
}

/// R A Rᵀ
fn turned(r: &Mat3, a: &Mat3) -> Mat3 {
    let half = product(r, a);
    std::array::from_fn(|i| std::array::from_fn(|j| dot(half[i], r[j])))
}
