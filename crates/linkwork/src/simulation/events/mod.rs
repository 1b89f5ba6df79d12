//! Events: what happens at an instant between two stretches of smooth motion.
//!
//! Every event is a function of the state, its *margin*, that becomes positive: of a condition see
//! [`Formula::margin`](crate::model::Formula::margin), of a limit how far the coordinate is beyond it, of a coordinate that rests on a
//! limit how hard the limit would have to pull. After each step all margins are read off the dense output at a few places,
//! so that what begins and ends within a step is not missed, and the first root is found to rounding. There the step is
//! cut: states jump, switches turn, and the integration starts again.
//!
//!   (E1)  a condition acts when it becomes true; it can do so again once it has been clearly false (below −10⁻⁹ of its
//!         largest margin so far), so that rounding at the root does not count
//!   (E2)  impact on a limit with gap g, approach u = ġ < 0 and restitution e:  ġ⁺ = −e u
//!   (E3)  the flight that follows rises to (e u)² / 2a with a = P/m, P the push of the limit on the coordinate at rest and m the
//!         mass that the impulse found; where that height is below what the tolerance resolves, or the flight shorter than
//!         a few steps of Euler's, which make their own bounces, the coordinate rests
//!   (E4)  right after a jump at t₀ the gap is zero and growing, which is no impact: (g − g₀)/(t − t₀) is searched for its root
//!         instead, and is ġ > 0 at t₀
//!
//! Impacts at one instant are solved together, with all that rests; a limit on which something rests cannot pull in an
//! impact either, it lets go.

mod contacts;
mod coupled;
#[cfg(feature = "file")]
mod csv;
mod edits;
mod handle;
mod impulses;
mod lasting;
mod near;
mod pairs;
mod record;
mod search;
mod touching;

#[cfg(feature = "file")]
pub use self::csv::{CsvEvents, write_events};
pub use record::{ContactImpulse, Event, EventKind, JointImpulse};

pub(in crate::simulation) use edits::Edit;
pub(in crate::simulation) use lasting::Lasting;

use contacts::Contacts;

use crate::formulations::{Formulate, MotionError};
use crate::integrate::StepError;
use crate::interactions::Workspace;
use crate::keep::{Bytes, Damaged, Keep};
use crate::linalg::vec3::norm;
use crate::mechanism::{Condition, Mechanism};
use crate::model::Integrator;
use crate::results::Frame;
use crate::simulation::Remark;

/// Places within a step at which margins are read. Those beside the ends tell whether a margin rises or falls there.
const PLACES: [f64; 10] = [0.001, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.999, 1.0];
/// Those where a chain grows: its waves keep the steps short.
const FEW_PLACES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Tries to find the top of a margin between two places.
const TRIES: u32 = 8;
/// (E1)
const CLEARLY: f64 = 1e-9;
/// Gaps below this part of the size are zero.
const NO_GAP: f64 = 1e-13;
/// So are forces below this part of the weight, or of the force that moves the mass by the size within the run.
const NO_FORCE: f64 = 1e-11;
/// The most rounds of events that set each other off at one instant, and of instants that follow at once.
const MAX_ROUNDS: u32 = 100;

/// More events than this within [`SHORT`] pile up.
const MAX_EVENTS: usize = 100_000;
/// A part of the duration.
const SHORT: f64 = 1e-3;

/// Why the search or the handling of an event failed.
pub(in crate::simulation) enum Trouble {
    /// The motion could not be evaluated.
    Step(StepError<MotionError>),
    /// Events set each other off without end.
    PileUp(String),
}

impl From<StepError<MotionError>> for Trouble {
    fn from(error: StepError<MotionError>) -> Self {
        Trouble::Step(error)
    }
}

/// Whose margin it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Stop(usize),
    When(usize),
    Release(usize),
    /// A limit, and which end: 0 below, 1 above.
    Limit(usize, usize),
    Lift(usize),
    Contact(usize),
    /// A pair of surfaces whose features hold in regions only: as a whole.
    Pair(usize),
    /// A change of what there is.
    Change(usize),
    /// A joint that breaks.
    Break(usize),
    /// A chain that breaks.
    Snap(usize),
    /// The mouth of a chain, and what it does: 0 a node comes out, 1 one goes in, 2 nothing is left.
    Mouth(usize, usize),
}

/// A margin that is watched.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    of: Of,
    truth: bool,
    /// Where the last stretch ended.
    value: f64,
    /// Largest so far.
    span: f64,
}

/// A coordinate with limits.
#[derive(Clone, Copy, Debug, Default)]
struct Bouncer {
    /// On which end it rests.
    rests: Option<usize>,
    /// (E4): t₀ and g₀ of either end.
    left: [Option<(f64, f64)>; 2],
}

/// The first event within a step.
pub(in crate::simulation) struct Hit {
    pub t: f64,
    pub watch: usize,
}

/// What the handling of an event did.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct Handled {
    /// The state or the equations have changed.
    pub changed: bool,
    /// The run ends here.
    pub stops: bool,
    /// What becomes of the mechanism's parts, and what is reported of it when that has happened.
    pub edits: Vec<Edit>,
    pub reported: Vec<Event>,
}

/// Why events are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulation) enum Occasion {
    /// The run begins.
    Begin,
    /// A mechanism has taken over.
    TakeOver,
    /// One has been found, or it is time for one.
    Event,
}

/// All events of a run.
pub(in crate::simulation) struct Events<'m> {
    mechanism: &'m Mechanism,
    watches: Vec<Watch>,
    /// Those that are looked at: contacts and pairs that can have met in the last step, and all others.
    active: Vec<usize>,
    /// By limit; none where time steps go over them.
    bouncers: Vec<Bouncer>,
    contacts: Contacts,
    /// Which switches are on; by switch.
    switches: Vec<bool>,
    ws: Workspace,
    frame: Frame,
    values: Vec<f64>,
    late: Vec<f64>,
    y: Vec<f64>,
    dy: Vec<f64>,
    /// Whether conditions need accelerations.
    conditions_late: bool,
    no_gap: f64,
    no_force: f64,
    lowest_flight: f64,
    shortest_flight: f64,
    last: (f64, u32),
    /// When scheduled impulses last happened.
    blown: f64,
    /// Since when events are counted, and how many there were.
    since: (f64, usize),
    /// What has happened and has not been reported yet.
    list: Vec<Event>,
    /// What the last one that was reported concerned.
    latest: String,
    tensions: Vec<f64>,
}

impl<'m> Events<'m> {
    /// Nothing, if nothing can happen. `contacts`: whether contacts and limits are events; if not, steps go over them.
    pub(in crate::simulation) fn new(mechanism: &'m Mechanism, contacts: bool) -> Option<Self> {
        let events = &mechanism.events;
        let growing = mechanism.chains.iter().any(|c| c.pays_out.is_some() || c.break_force.is_some());
        let limits = if contacts { events.limits.len() } else { 0 };
        let contacts = contacts && mechanism.has_contacts();
        if events.is_empty() && !contacts && !growing {
            return None;
        }
        let mut all: Vec<Of> = (0..events.stops.len()).map(Of::Stop).collect();
        for (i, lock) in events.locks.iter().enumerate() {
            all.extend(lock.when.is_some().then_some(Of::When(i)));
            all.extend(lock.release.is_some().then_some(Of::Release(i)));
        }
        for i in 0..limits {
            all.extend([Of::Limit(i, 0), Of::Limit(i, 1), Of::Lift(i)]);
        }
        if contacts {
            all.extend((0..mechanism.contacts.len()).map(Of::Contact));
            all.extend((0..mechanism.pairs.len()).filter(|&p| pairs::is_watched(mechanism, p)).map(Of::Pair));
        }
        all.extend(Self::watched_parts(mechanism));
        let of_locks = events.locks.iter().flat_map(|lock| lock.when.iter().chain(&lock.release));
        let settings = &mechanism.model.settings;
        let mass: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
        let slow = mechanism.size / (settings.duration * settings.duration);
        Some(Events {
            active: (0..all.len()).collect(),
            watches: all.into_iter().map(|of| Watch { of, truth: false, value: 0.0, span: 0.0 }).collect(),
            bouncers: vec![Bouncer::default(); limits],
            contacts: Contacts::new(mechanism, contacts),
            switches: mechanism.interactions.switches.clone(),
            ws: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            frame: Frame::of_closed_contacts(mechanism),
            values: Vec::new(),
            late: Vec::new(),
            y: Vec::new(),
            dy: Vec::new(),
            conditions_late: events.stops.iter().chain(of_locks).any(|condition| condition.late)
                || events.changes.iter().filter_map(|c| c.when.as_ref()).any(|condition| condition.late)
                || !events.breaks.is_empty()
                || mechanism.chains.iter().any(|chain| chain.break_force.is_some()),
            tensions: Vec::new(),
            no_gap: NO_GAP * mechanism.size,
            no_force: NO_FORCE * mass * norm(mechanism.model.gravity).max(slow),
            // a flight has to be higher than what its first steps may be off by
            lowest_flight: match settings.integrator {
                Integrator::Bdf => settings.tolerance,
                _ => 0.01 * settings.tolerance,
            }
            .max(NO_GAP)
                * mechanism.size,
            shortest_flight: match settings.integrator {
                Integrator::Euler | Integrator::SemiImplicitEuler => {
                    4.0 * settings.step.unwrap_or(settings.output_step)
                }
                _ => 0.0,
            },
            last: (f64::NEG_INFINITY, 0),
            blown: f64::NEG_INFINITY,
            since: (0.0, 0),
            list: Vec::new(),
            latest: String::new(),
            mechanism,
        })
    }

    /// Whether what is watched is a contact.
    pub(in crate::simulation) fn is_contact(&self, watch: usize) -> bool {
        matches!(self.watches[watch].of, Of::Contact(_) | Of::Pair(_))
    }

    /// Whether any contact is closed.
    pub(in crate::simulation) fn has_closed_contacts(&self) -> bool {
        !self.contacts.held.is_empty()
    }

    /// How many nodes of chains are closed contacts.
    pub(in crate::simulation) fn closed_nodes(&self) -> usize {
        let hidden = |contact: usize| self.mechanism.contacts[contact].hidden;
        self.contacts.held.iter().filter(|hold| hidden(hold.contact)).count()
    }

    /// Leaves contacts and limits to time steps from now on. Tells whether anything is left to watch.
    pub(in crate::simulation) fn leave_contacts<F: Formulate>(&mut self, system: &mut F) -> bool {
        for (i, bouncer) in std::mem::take(&mut self.bouncers).iter().enumerate() {
            if bouncer.rests.is_some() {
                self.switch(system, &self.mechanism.events.limits[i].row, false);
            }
        }
        let stays = |of: Of| !matches!(of, Of::Contact(_) | Of::Pair(_) | Of::Limit(..) | Of::Lift(_));
        self.watches.retain(|watch| stays(watch.of));
        self.active = (0..self.watches.len()).collect();
        self.contacts = Contacts::new(self.mechanism, false);
        !self.watches.is_empty() || !self.mechanism.events.is_empty()
    }

    /// What there is to be said of the run as a whole.
    pub(in crate::simulation) fn finish(&self, remarks: &mut Vec<Remark>) {
        self.contacts.coupled.remarks(self.mechanism.model.settings.impact, remarks);
    }

    /// What has happened since the last call.
    pub(in crate::simulation) fn take(&mut self) -> Vec<Event> {
        if let Some(event) = self.list.last() {
            self.latest.clone_from(&event.name);
        }
        self.since.1 += self.list.len();
        std::mem::take(&mut self.list)
    }

    /// Whether events pile up by a time, and what is among them.
    fn piles_up(&mut self, t: f64) -> Result<(), Trouble> {
        if t - self.since.0 > SHORT * self.mechanism.model.settings.duration {
            self.since = (t, 0);
        }
        if self.since.1 + self.list.len() > MAX_EVENTS {
            let (from, among) = (self.since.0, self.among());
            return Err(Trouble::PileUp(format!(
                "more than {MAX_EVENTS} events from {from} s to {t} s, `{among}` among them"
            )));
        }
        Ok(())
    }

    fn among(&self) -> &str {
        match self.list.last() {
            Some(event) => &event.name,
            None if self.latest.is_empty() => "a limit",
            None => &self.latest,
        }
    }

    /// The next time that a lock or an impulse is scheduled, or the end.
    pub(in crate::simulation) fn next_time(&self, t: f64) -> f64 {
        let times = self.lock_times().chain(self.other_times()).filter(|&x| x > t);
        times.fold(self.mechanism.model.settings.duration, f64::min)
    }

    fn lock_times(&self) -> impl Iterator<Item = f64> {
        self.mechanism.events.locks.iter().flat_map(|lock| [lock.from, lock.until]).flatten()
    }

    /// Times of impulses and changes.
    fn other_times(&self) -> impl Iterator<Item = f64> {
        self.blow_times().chain(self.mechanism.events.changes.iter().filter_map(|change| change.at))
    }

    /// Whether a lock is to do something at this time, or an impulse or a change to happen; at the very end not the lock.
    pub(in crate::simulation) fn tells(&self, t: f64) -> bool {
        let end = t >= self.mechanism.model.settings.duration;
        self.lock_times().filter(|_| !end).chain(self.other_times()).any(|x| x == t)
    }

    fn condition(&self, of: Of) -> Option<&'m Condition> {
        let events = &self.mechanism.events;
        match of {
            Of::Stop(i) => Some(&events.stops[i]),
            Of::When(i) => events.locks[i].when.as_ref(),
            Of::Release(i) => events.locks[i].release.as_ref(),
            Of::Change(i) => events.changes[i].when.as_ref(),
            Of::Limit(..) | Of::Lift(_) | Of::Contact(_) | Of::Pair(_) => None,
            Of::Break(_) | Of::Snap(_) | Of::Mouth(..) => None,
        }
    }

    fn locked(&self, lock: usize) -> bool {
        self.switches[self.mechanism.events.locks[lock].switch()]
    }

    /// Whether its turning true does anything now.
    fn acts(&self, of: Of) -> bool {
        match of {
            Of::Stop(_) | Of::Contact(_) | Of::Pair(_) | Of::Change(_) => true,
            Of::Break(_) | Of::Snap(_) | Of::Mouth(..) => true,
            Of::When(i) => !self.locked(i),
            Of::Release(i) => self.locked(i),
            Of::Limit(i, _) => self.bouncers[i].rests.is_none(),
            Of::Lift(i) => self.bouncers[i].rests.is_some(),
        }
    }

    /// Gap and its rate at an end of a limit, where the bodies are.
    fn gap(&self, i: usize, end: usize, t: f64, auxiliary: &[f64]) -> (f64, f64) {
        let limit = &self.mechanism.events.limits[i];
        let (x, rate) = self.ws.reading(&self.mechanism.interactions, limit.row.coupling, t, auxiliary);
        match end {
            0 => (x - limit.range[0], rate),
            _ => (limit.range[1] - x, -rate),
        }
    }

    /// How hard the end of a limit pushes for a multiplier, or impulse, of its row.
    fn push(end: usize, multiplier: f64) -> f64 {
        if end == 0 { -multiplier } else { multiplier }
    }

    /// Bodies and measures at a state.
    fn look<F: Formulate>(&mut self, system: &mut F, t: f64, y: &[f64]) -> Result<(), MotionError> {
        let auxiliary = &y[system.work_index() + 1..];
        let interactions = &self.mechanism.interactions;
        self.late.clear();
        if self.conditions_late
            || !self.contacts.held.is_empty()
            || self.bouncers.iter().any(|b| b.rests.is_some())
        {
            system.observe(t, y, &mut self.frame)?;
            self.ws.motions.clone_from(&self.frame.motions);
            self.late.extend(self.mechanism.late.iter().map(|l| l.value(self.mechanism, &self.frame)));
        } else {
            system.locate_bodies(y, &mut self.ws.motions);
        }
        self.ws.measure(interactions, t, auxiliary, &self.late);
        Ok(())
    }

    /// Whether a margin is a gap that positions alone tell.
    fn is_gap(&self, watch: usize) -> bool {
        match self.watches[watch].of {
            Of::Contact(i) => self.contacts.place[i].is_none(),
            Of::Pair(_) => true,
            _ => false,
        }
    }

    /// All margins that are looked at, at a state, into `values`.
    fn evaluate<F: Formulate>(&mut self, system: &mut F, t: f64, y: &[f64]) -> Result<(), MotionError> {
        self.look(system, t, y)?;
        let auxiliary = &y[system.work_index() + 1..];
        let mut values = std::mem::take(&mut self.values);
        values.resize(self.watches.len(), -self.mechanism.size);
        for at in 0..self.active.len() {
            let w = self.active[at];
            match self.margin(w, t, auxiliary) {
                Ok(value) => values[w] = value,
                Err(error) => {
                    self.values = values;
                    return Err(error);
                }
            }
        }
        self.values = values;
        Ok(())
    }

    /// A margin, where the bodies are and with what has been looked at.
    fn margin(&mut self, watch: usize, t: f64, auxiliary: &[f64]) -> Result<f64, MotionError> {
        let of = self.watches[watch].of;
        let value = match of {
            Of::Contact(i) => self.contact_margin(i, t),
            Of::Pair(pair) => self.pair_margin(pair),
            Of::Break(i) => self.break_margin(i),
            Of::Snap(chain) => self.snap_margin(chain),
            Of::Mouth(chain, what) => self.mouth_margin(chain, what),
            Of::Limit(i, _) if self.bouncers[i].rests.is_some() => -1.0,
            Of::Limit(i, end) => {
                let (gap, rate) = self.gap(i, end, t, auxiliary);
                match self.bouncers[i].left[end] {
                    Some((t0, _)) if t <= t0 => -rate,
                    Some((t0, gap0)) => -(gap - gap0) / (t - t0), // (E4)
                    None => -gap,
                }
            }
            Of::Lift(i) => match self.bouncers[i].rests {
                None => -1.0,
                Some(end) => {
                    let row = self.mechanism.events.limits[i].row.coupling;
                    -Self::push(end, self.frame.multipliers[row])
                }
            },
            _ => match self.condition(of) {
                Some(condition) => {
                    let interactions = &self.mechanism.interactions;
                    self.ws.margin(interactions, &condition.program, t, auxiliary, &self.late)
                }
                None => -1.0,
            },
        };
        if !value.is_nan() {
            return Ok(value);
        }
        let what = match self.condition(of) {
            Some(condition) => format!("the condition `{}`", condition.text),
            None if matches!(of, Of::Contact(_) | Of::Pair(_)) => "the gap of a contact".into(),
            None if matches!(of, Of::Snap(_) | Of::Mouth(..)) => "the length or tension of a chain".into(),
            None if matches!(of, Of::Break(_)) => "the force of a joint".into(),
            None => "the coordinate of a limit".into(),
        };
        Err(MotionError::NotFinite { what })
    }

    /// Whether a margin is positive, and not by rounding only.
    fn positive(&self, of: Of, value: f64, t: f64) -> bool {
        match of {
            Of::Limit(i, end) => match self.bouncers[i].left[end] {
                Some((t0, _)) => value * (t - t0) > self.no_gap,
                None => value > self.no_gap,
            },
            Of::Lift(_) => value > self.no_force,
            Of::Contact(i) => match self.contacts.left[i] {
                Some((t0, _)) => value * (t - t0) > self.no_gap,
                None => value > 0.0,
            },
            _ => value > 0.0,
        }
    }

    /// (E1): takes the margins over; tells which became true. Nothing is taken over where `keep` is false and something
    /// that acts did.
    fn compare(&mut self, t: f64, keep: bool) -> Vec<usize> {
        let mut rising = Vec::new();
        for &w in &self.active {
            let watch = &self.watches[w];
            if !watch.truth && self.positive(watch.of, self.values[w], t) {
                rising.push(w);
            }
        }
        if !keep && rising.iter().any(|&w| self.acts(self.watches[w].of)) {
            return rising;
        }
        for &w in &self.active {
            let watch = &mut self.watches[w];
            watch.value = self.values[w];
            watch.span = watch.span.max(watch.value.abs());
            match watch.of {
                // whether a coordinate is at a limit is no matter of the past
                Of::Limit(..) | Of::Lift(_) | Of::Contact(_) | Of::Pair(_) => watch.truth = false,
                _ if rising.contains(&w) => watch.truth = true,
                _ if watch.value < -CLEARLY * watch.span => watch.truth = false,
                _ => {}
            }
        }
        rising
    }
}

crate::keep::keep!(Watch { truth, value, span } but { of });

crate::keep::keep!(Bouncer { rests, left });

impl Default for Of {
    fn default() -> Self {
        Of::Stop(0)
    }
}

/// At a time when all that has happened has been reported.
impl Keep for Events<'_> {
    fn keep(&self, to: &mut Vec<u8>) {
        let Events { watches, bouncers, contacts, switches, ws, frame, last, blown, since, latest, .. } =
            self;
        self.no_gap.keep(to);
        watches.keep(to);
        bouncers.keep(to);
        contacts.keep(to);
        switches.keep(to);
        ws.keep(to);
        frame.keep(to);
        last.keep(to);
        blown.keep(to);
        since.keep(to);
        latest.keep(to);
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        let sizes = |e: &Self| {
            let c = &e.contacts;
            [
                e.watches.len(),
                e.bouncers.len(),
                e.switches.len(),
                c.place.len(),
                c.left.len(),
                c.base.len(),
                c.none.len(),
                c.pairs.len(),
            ]
        };
        let made = sizes(self);
        self.no_gap.recall(from)?;
        self.watches.recall(from)?;
        self.bouncers.recall(from)?;
        self.contacts.recall(from)?;
        self.switches.recall(from)?;
        self.ws.recall(from)?;
        self.frame.recall(from)?;
        self.last.recall(from)?;
        self.blown.recall(from)?;
        self.since.recall(from)?;
        self.latest.recall(from)?;
        let contacts = &self.contacts;
        let held = |place: &Option<usize>| place.is_none_or(|i| i < contacts.held.len());
        let known =
            contacts.held.iter().all(|hold| hold.contact < made[3]) && contacts.place.iter().all(held);
        let ends = self.bouncers.iter().all(|b| b.rests.is_none_or(|end| end < 2));
        if made == sizes(self) && known && ends && self.frame.fits(self.mechanism) {
            Ok(())
        } else {
            Err(Damaged)
        }
    }
}
