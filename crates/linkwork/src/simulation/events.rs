//! Events: what happens at an instant between two stretches of smooth motion.
//!
//! Every event is a function of the state, its *margin*, that becomes positive: of a condition see
//! [`Formula::margin`](crate::model::Formula::margin), of a limit how far the coordinate is beyond it, of a coordinate that rests on a
//! limit how hard the limit would have to pull. After each step all margins are read off the dense output at a few places,
//! so that what begins and ends within a step is not missed, and the first root is found to rounding. There the step is
//! cut: states jump, switches turn, and the integration starts anew.
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

use crate::formulations::{Formulate, Jump, MotionError};
use crate::integrate::{StepError, Stepper};
use crate::interactions::Workspace;
use crate::linalg::vec3::norm;
use crate::mechanism::{Condition, HeldRow, Mechanism};
use crate::model::Integrator;
use crate::results::Frame;
use std::io;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A lock engaged.
    Lock,
    /// A lock let go.
    Release,
    /// A coordinate hit a limit and bounced off.
    Impact,
    /// A coordinate came to rest on a limit.
    Rest,
    /// A coordinate left the limit on which it had rested.
    Lift,
    /// A condition ended the run.
    Stop,
}

impl EventKind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Lock => "lock",
            EventKind::Release => "release",
            EventKind::Impact => "impact",
            EventKind::Rest => "rest",
            EventKind::Lift => "lift",
            EventKind::Stop => "stop",
        }
    }
}

/// Something that happened at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub t: f64,
    /// What.
    pub kind: EventKind,
    /// The lock or joint; of a stop its condition.
    pub name: String,
    /// Which coordinate of the joint, counted from one; nothing for a stop.
    pub coordinate: Option<usize>,
    /// The impulse along the coordinate, N s or N m s.
    pub impulse: f64,
    /// Whether that is N m s.
    pub turns: bool,
    /// By how much the energy changed, J. Of several events at one instant the first has the change of all.
    pub energy: f64,
}

impl Event {
    /// The unit of the impulse.
    pub fn unit(&self) -> &'static str {
        if self.turns { "N m s" } else { "N s" }
    }
}

/// Writes events as comma-separated values: a header, then a line for each.
pub fn write_events(events: &[Event], out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["t", "kind", "name", "coordinate", "impulse", "unit", "energy"])?;
    for event in events {
        let Event { t, kind, name, coordinate, impulse, energy, .. } = event;
        let line = (t, kind.name(), name, coordinate, impulse, event.unit(), energy);
        writer.serialize(line).map_err(io::Error::from)?;
    }
    writer.flush()
}

/// Places within a step at which margins are read. Those beside the ends tell whether a margin rises or falls there.
const PLACES: [f64; 10] = [0.001, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.999, 1.0];
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

/// Why the search or the handling of an event failed.
pub(super) enum Trouble {
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
}

/// A margin that is watched.
#[derive(Clone, Copy, Debug)]
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
pub(super) struct Hit {
    pub t: f64,
    watch: usize,
}

/// What the handling of an event did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Handled {
    /// The state or the equations have changed.
    pub changed: bool,
    /// The run ends here.
    pub stops: bool,
}

/// All events of a run.
pub(super) struct Events<'m> {
    mechanism: &'m Mechanism,
    watches: Vec<Watch>,
    bouncers: Vec<Bouncer>,
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
    /// What has happened.
    pub list: Vec<Event>,
}

impl<'m> Events<'m> {
    /// Nothing, if nothing can happen.
    pub(super) fn new(mechanism: &'m Mechanism) -> Option<Self> {
        let events = &mechanism.events;
        if events.is_empty() {
            return None;
        }
        let mut all: Vec<Of> = (0..events.stops.len()).map(Of::Stop).collect();
        for (i, lock) in events.locks.iter().enumerate() {
            all.extend(lock.when.is_some().then_some(Of::When(i)));
            all.extend(lock.release.is_some().then_some(Of::Release(i)));
        }
        for i in 0..events.limits.len() {
            all.extend([Of::Limit(i, 0), Of::Limit(i, 1), Of::Lift(i)]);
        }
        let of_locks = events.locks.iter().flat_map(|lock| lock.when.iter().chain(&lock.release));
        let settings = &mechanism.model.settings;
        let mass: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
        let slow = mechanism.size / (settings.duration * settings.duration);
        Some(Events {
            watches: all.into_iter().map(|of| Watch { of, truth: false, value: 0.0, span: 0.0 }).collect(),
            bouncers: vec![Bouncer::default(); events.limits.len()],
            switches: mechanism.interactions.switches.clone(),
            ws: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            frame: Frame::new(mechanism),
            values: Vec::new(),
            late: Vec::new(),
            y: Vec::new(),
            dy: Vec::new(),
            conditions_late: events.stops.iter().chain(of_locks).any(|condition| condition.late),
            no_gap: NO_GAP * mechanism.size,
            no_force: NO_FORCE * mass * norm(mechanism.model.gravity).max(slow),
            lowest_flight: (0.01 * settings.tolerance).max(NO_GAP) * mechanism.size,
            shortest_flight: match settings.integrator {
                Integrator::Euler => 4.0 * settings.step.unwrap_or(settings.output_step),
                _ => 0.0,
            },
            last: (f64::NEG_INFINITY, 0),
            list: Vec::new(),
            mechanism,
        })
    }

    /// The next time that a lock has been told, or the end.
    pub(super) fn next_time(&self, t: f64) -> f64 {
        let times = self.mechanism.events.locks.iter().flat_map(|lock| [lock.from, lock.until]).flatten();
        times.filter(|&x| x > t).fold(self.mechanism.model.settings.duration, f64::min)
    }

    fn condition(&self, of: Of) -> Option<&'m Condition> {
        let events = &self.mechanism.events;
        match of {
            Of::Stop(i) => Some(&events.stops[i]),
            Of::When(i) => events.locks[i].when.as_ref(),
            Of::Release(i) => events.locks[i].release.as_ref(),
            Of::Limit(..) | Of::Lift(_) => None,
        }
    }

    fn locked(&self, lock: usize) -> bool {
        self.switches[self.mechanism.events.locks[lock].switch()]
    }

    /// Whether its turning true does anything now.
    fn acts(&self, of: Of) -> bool {
        match of {
            Of::Stop(_) => true,
            Of::When(i) => !self.locked(i),
            Of::Release(i) => self.locked(i),
            Of::Limit(i, _) => self.bouncers[i].rests.is_none(),
            Of::Lift(i) => self.bouncers[i].rests.is_some(),
        }
    }

    /// Gap and its rate at an end of a limit, where the bodies are.
    fn gap(&self, i: usize, end: usize, t: f64, extras: &[f64]) -> (f64, f64) {
        let limit = &self.mechanism.events.limits[i];
        let (x, rate) = self.ws.reading(&self.mechanism.interactions, limit.row.coupling, t, extras);
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
        let extras = &y[system.work_index() + 1..];
        let interactions = &self.mechanism.interactions;
        self.late.clear();
        if self.conditions_late || self.bouncers.iter().any(|b| b.rests.is_some()) {
            system.observe(t, y, &mut self.frame)?;
            self.ws.motions.clone_from(&self.frame.motions);
            self.late.extend(self.mechanism.late.iter().map(|l| l.value(self.mechanism, &self.frame)));
        } else {
            system.locate_bodies(y, &mut self.ws.motions);
        }
        self.ws.measure(interactions, t, extras, &self.late);
        Ok(())
    }

    /// All margins at a state, into `values`.
    fn evaluate<F: Formulate>(&mut self, system: &mut F, t: f64, y: &[f64]) -> Result<(), MotionError> {
        self.look(system, t, y)?;
        let extras = &y[system.work_index() + 1..];
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for w in 0..self.watches.len() {
            let of = self.watches[w].of;
            let value = match of {
                Of::Limit(i, _) if self.bouncers[i].rests.is_some() => -1.0,
                Of::Limit(i, end) => {
                    let (gap, rate) = self.gap(i, end, t, extras);
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
                    Some(condition) => self.ws.margin(
                        &self.mechanism.interactions,
                        &condition.program,
                        t,
                        extras,
                        &self.late,
                    ),
                    None => -1.0,
                },
            };
            if value.is_nan() {
                let what = match self.condition(of) {
                    Some(condition) => format!("the condition `{}`", condition.text),
                    None => "the coordinate of a limit".into(),
                };
                self.values = values;
                return Err(MotionError::NotFinite { what });
            }
            values.push(value);
        }
        self.values = values;
        Ok(())
    }

    /// Whether a margin is positive, and not by rounding only.
    fn positive(&self, of: Of, value: f64, t: f64) -> bool {
        match of {
            Of::Limit(i, end) => match self.bouncers[i].left[end] {
                Some((t0, _)) => value * (t - t0) > self.no_gap,
                None => value > self.no_gap,
            },
            Of::Lift(_) => value > self.no_force,
            _ => value > 0.0,
        }
    }

    /// (E1): takes the margins over; tells which became true. Nothing is taken over where `keep` is false and something
    /// that acts did.
    fn compare(&mut self, t: f64, keep: bool) -> Vec<usize> {
        let mut rising = Vec::new();
        for (w, watch) in self.watches.iter().enumerate() {
            if !watch.truth && self.positive(watch.of, self.values[w], t) {
                rising.push(w);
            }
        }
        if !keep && rising.iter().any(|&w| self.acts(self.watches[w].of)) {
            return rising;
        }
        for (w, watch) in self.watches.iter_mut().enumerate() {
            watch.value = self.values[w];
            watch.span = watch.span.max(watch.value.abs());
            match watch.of {
                // whether a coordinate is at a limit is no matter of the past
                Of::Limit(..) | Of::Lift(_) => watch.truth = false,
                _ if rising.contains(&w) => watch.truth = true,
                _ if watch.value < -CLEARLY * watch.span => watch.truth = false,
                _ => {}
            }
        }
        rising
    }

    /// All margins at a time inside the last step; on the constraints, if the place has to be exact.
    fn inside<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        t: f64,
        exact: bool,
    ) -> Result<(), StepError<MotionError>> {
        let (mut y, mut dy) = (std::mem::take(&mut self.y), std::mem::take(&mut self.dy));
        y.resize(stepper.y().len(), 0.0);
        dy.resize(y.len(), 0.0);
        let found = stepper.interpolate(system, t, &mut y).and_then(|()| {
            let moved = match exact && self.mechanism.model.settings.projects() && t < stepper.t() {
                true => system.project(t, &mut y, &mut dy),
                false => Ok(()),
            };
            moved
                .and_then(|()| self.evaluate(system, t, &y))
                .map_err(|source| StepError::System { t, source })
        });
        (self.y, self.dy) = (y, dy);
        found
    }

    /// The first event within the last step. Without one, the margins at its end are taken over.
    pub(super) fn search<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<Option<Hit>, Trouble> {
        let (from, to) = (stepper.t_old(), stepper.t());
        if from == to {
            return Ok(None);
        }
        // where the step begins, and the place before that
        let mut before: (f64, Vec<f64>) = (from, self.watches.iter().map(|w| w.value).collect());
        let mut earlier: Option<(f64, Vec<f64>)> = None;
        for place in PLACES {
            let t = if place == 1.0 { to } else { from + (to - from) * place };
            if t <= before.0 {
                continue; // a step of a few roundings
            }
            self.inside(system, stepper, t, false)?;
            let now = self.values.clone();
            // a margin that rises and falls again may have been positive in between
            if let Some((t_a, a)) = &earlier {
                for w in 0..self.watches.len() {
                    let three = [(*t_a, a[w]), (before.0, before.1[w]), (t, now[w])];
                    if let Some(t) = self.flash(system, stepper, w, three)? {
                        return Ok(Some(Hit { t, watch: w }));
                    }
                }
                self.values.clone_from(&now);
            }
            let rising = self.compare(t, false);
            let acting: Vec<usize> = rising.into_iter().filter(|&w| self.acts(self.watches[w].of)).collect();
            let mut first: Option<Hit> = None;
            for watch in acting {
                let ends = [before.1[watch], now[watch]];
                let t = self.root(system, stepper, watch, [before.0, t], ends)?;
                if first.as_ref().is_none_or(|hit| t < hit.t) {
                    first = Some(Hit { t, watch });
                }
            }
            if first.is_some() {
                return Ok(first);
            }
            earlier = Some(std::mem::replace(&mut before, (t, now)));
        }
        if self.bouncers.iter().any(|b| b.left != [None; 2]) {
            // from here on gaps speak for themselves
            self.bouncers.iter_mut().for_each(|b| b.left = [None; 2]);
            self.inside(system, stepper, to, false)?;
            self.compare(to, true);
        }
        Ok(None)
    }

    /// Where a margin that is negative at three places, the middle one highest, becomes positive between them, if it does.
    fn flash<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        mut three: [(f64, f64); 3],
    ) -> Result<Option<f64>, StepError<MotionError>> {
        let Watch { of, truth, .. } = self.watches[watch];
        if truth || !self.acts(of) {
            return Ok(None);
        }
        for _ in 0..TRIES {
            let [a, b, c] = three;
            let Some(t) = peak(three) else { return Ok(None) };
            self.inside(system, stepper, t, false)?;
            let top = (t, self.values[watch]);
            if self.positive(of, top.1, t) {
                let left = if t > b.0 { b } else { a };
                return self.root(system, stepper, watch, [left.0, t], [left.1, top.1]).map(Some);
            }
            three = match (t > b.0, top.1 > b.1) {
                (true, true) => [b, top, c],
                (true, false) => [a, b, top],
                (false, true) => [a, top, b],
                (false, false) => [top, b, c],
            };
        }
        Ok(None)
    }

    /// Where a margin crosses zero upwards, the far side of it; where it begins if it is positive there already.
    ///
    /// False position, with halved ends (Illinois) and bisection whenever three rounds have not halved the bracket.
    fn root<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        [mut a, mut b]: [f64; 2],
        [mut f_a, mut f_b]: [f64; 2],
    ) -> Result<f64, StepError<MotionError>> {
        if f_a >= 0.0 {
            return Ok(a);
        }
        let close = |a: f64, b: f64| (b - a) <= 4.0 * f64::EPSILON * b.abs().max(a.abs());
        let mut halve_at = 0.5 * (b - a);
        let mut slow = 0;
        for _ in 0..200 {
            if close(a, b) || f_b == 0.0 {
                break;
            }
            let guess = b - f_b * (b - a) / (f_b - f_a);
            let middle = 0.5 * (a + b);
            let inside = slow < 3 && guess > a && guess < b;
            // a guess right at an end does not shrink the bracket: step over the root
            let t = if inside { guess.clamp(a + 0.25 * (b - a).min(1e-15 * b.abs()), b) } else { middle };
            let t = if t <= a || t >= b { middle } else { t };
            if t <= a || t >= b {
                break;
            }
            self.inside(system, stepper, t, true)?;
            let f = self.values[watch];
            if f >= 0.0 {
                (b, f_b) = (t, f);
                f_a *= 0.5;
            } else {
                (a, f_a) = (t, f);
                f_b *= 0.5;
            }
            if b - a <= halve_at {
                halve_at = 0.5 * (b - a);
                slow = 0;
            } else if slow >= 3 {
                slow = 0;
            } else {
                slow += 1;
            }
        }
        Ok(b)
    }

    /// Margins at the start, and whatever happens there at once.
    pub(super) fn begin<F: Formulate>(&mut self, system: &mut F, y: &mut [f64]) -> Result<Handled, Trouble> {
        let wrong = |source| StepError::System { t: 0.0, source };
        self.evaluate(system, 0.0, y).map_err(wrong)?;
        for (watch, &value) in self.watches.iter_mut().zip(&self.values) {
            (watch.value, watch.span) = (value, value.abs());
            // a lock engages at once; a run ends, and a lock lets go, only when something changes
            watch.truth = value > 0.0 && !matches!(watch.of, Of::When(_));
        }
        self.handle(system, 0.0, y, None)
    }

    /// Lets happen what happens at an instant: where a search has hit, or at a time that was told. The state is on the
    /// constraints.
    pub(super) fn handle<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        hit: Option<&Hit>,
    ) -> Result<Handled, Trouble> {
        let wrong = |source| StepError::System { t, source };
        let mut handled = Handled::default();
        let mut forced = hit.map(|hit| hit.watch);
        let mut timed = true;
        self.last = match t - self.last.0 <= 8.0 * f64::EPSILON * t.abs() {
            true => (t, self.last.1 + 1),
            false => (t, 0),
        };
        for round in 0.. {
            if round + self.last.1 > MAX_ROUNDS {
                let last = self.list.last().map_or("a limit", |event| event.name.as_str());
                return Err(Trouble::PileUp(format!(
                    "events set each other off without end at one instant, `{last}` among them"
                )));
            }
            self.evaluate(system, t, y).map_err(wrong)?;
            let mut rising = self.compare(t, true);
            if let Some(watch) = forced.take()
                && !rising.contains(&watch)
            {
                rising.push(watch);
                if self.condition(self.watches[watch].of).is_some() {
                    self.watches[watch].truth = true;
                }
            }
            let acting: Vec<Of> =
                rising.iter().map(|&w| self.watches[w].of).filter(|&of| self.acts(of)).collect();
            let mut changed = false;
            let (mut engage, mut impacts) = (Vec::new(), Vec::new());
            for (i, lock) in self.mechanism.events.locks.iter().enumerate() {
                let told = |time: Option<f64>| timed && time == Some(t);
                if self.locked(i) && (acting.contains(&Of::Release(i)) || told(lock.until)) {
                    self.switch(system, &lock.rows[0], false);
                    self.record(t, EventKind::Release, &lock.name, Some(lock.first), &lock.rows[0], 0.0);
                    changed = true;
                } else if !self.locked(i) && (acting.contains(&Of::When(i)) || told(lock.from)) {
                    engage.push(i);
                }
            }
            for &of in &acting {
                match of {
                    Of::Stop(i) => {
                        handled.stops = true;
                        let name = self.mechanism.events.stops[i].text.clone();
                        let (coordinate, impulse, energy) = (None, 0.0, 0.0);
                        let kind = EventKind::Stop;
                        self.list.push(Event { t, kind, name, coordinate, impulse, turns: false, energy });
                    }
                    Of::Lift(i) => {
                        self.lift(system, t, i);
                        changed = true;
                    }
                    Of::Limit(i, end) => impacts.push((i, end)),
                    Of::When(_) | Of::Release(_) => {}
                }
            }
            let start = timed && t == 0.0;
            if !engage.is_empty() || !impacts.is_empty() || start {
                changed |= self.strike(system, t, y, &engage, &impacts, start).map_err(wrong)?;
            }
            timed = false;
            handled.changed |= changed;
            if !changed || handled.stops {
                break;
            }
        }
        Ok(handled)
    }

    fn switch<F: Formulate>(&mut self, system: &mut F, row: &HeldRow, on: bool) {
        self.switches[row.switch] = on;
        self.ws.switches[row.switch] = on;
        system.switch(row.switch, on);
    }

    fn record(
        &mut self,
        t: f64,
        kind: EventKind,
        name: &str,
        coordinate: Option<usize>,
        row: &HeldRow,
        impulse: f64,
    ) {
        let (name, turns) = (name.to_owned(), row.turns);
        self.list.push(Event { t, kind, name, coordinate, impulse, turns, energy: 0.0 });
    }

    fn lift<F: Formulate>(&mut self, system: &mut F, t: f64, i: usize) {
        let limit = &self.mechanism.events.limits[i];
        self.bouncers[i].rests = None;
        self.switch(system, &limit.row, false);
        let name = &self.mechanism.joints[limit.joint].name;
        self.record(t, EventKind::Lift, name, Some(limit.coordinate), &limit.row, 0.0);
    }

    /// Locks that engage and limits that are hit at an instant, all together: velocities jump. Tells whether anything
    /// changed. At the start of a run limits that are touched at rest count as well.
    fn strike<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        engage: &[usize],
        hit: &[(usize, usize)],
        start: bool,
    ) -> Result<bool, MotionError> {
        let mechanism = self.mechanism;
        let (locks, limits) = (&mechanism.events.locks, &mechanism.events.limits);
        let extras = system.work_index() + 1;
        let holds = extras + mechanism.interactions.hints;
        for &i in engage {
            for row in &locks[i].rows {
                let (x, _) = self.ws.reading(&mechanism.interactions, row.coupling, t, &y[extras..]);
                y[holds + row.hold] = x;
                self.switch(system, row, true);
            }
        }
        // (limit, end, approach)
        let mut struck: Vec<(usize, usize, f64)> = Vec::new();
        for (i, bouncer) in self.bouncers.iter().enumerate() {
            for end in 0..2 {
                let (gap, rate) = self.gap(i, end, t, &y[extras..]);
                let told = hit.contains(&(i, end));
                let touches = gap <= 10.0 * self.no_gap && (rate < 0.0 || (start && rate <= 0.0));
                if bouncer.rests.is_none() && (told || touches) {
                    struck.push((i, end, rate));
                }
            }
        }
        // found by rounding: it is on its way out
        let leaves: Vec<_> = struck.extract_if(.., |&mut (.., rate)| rate > 0.0).collect();
        for (i, end, _) in leaves {
            self.bouncers[i].left[end] = Some((t, self.gap(i, end, t, &y[extras..]).0));
        }
        if engage.is_empty() && struck.is_empty() {
            return Ok(false);
        }
        for &(i, end, _) in &struck {
            y[holds + limits[i].row.hold] = limits[i].range[end];
            self.switch(system, &limits[i].row, true);
        }
        let locked: Vec<(usize, f64)> =
            engage.iter().flat_map(|&i| locks[i].rows.iter().map(|row| (row.coupling, 0.0))).collect();
        // as if all that is struck stayed: how hard would it be pushed?
        let mut still = y.to_vec();
        let wanted: Vec<_> =
            locked.iter().copied().chain(struck.iter().map(|s| (limits[s.0].row.coupling, 0.0))).collect();
        let stopped = self.jump(system, t, &mut still, &wanted)?;
        let mut stays = vec![false; struck.len()];
        if !struck.is_empty() {
            system.observe(t, &still, &mut self.frame)?;
            for (stays, &(i, end, rate)) in stays.iter_mut().zip(&struck) {
                let row = limits[i].row.coupling;
                let push = Self::push(end, self.frame.multipliers[row]);
                let impulse = Self::push(end, stopped.impulses[row]);
                let bounce = limits[i].restitution * rate;
                let acceleration = push * -rate / impulse; // (E3)
                let low = 0.5 * bounce * bounce / acceleration < self.lowest_flight;
                let short = -2.0 * bounce / acceleration < self.shortest_flight;
                *stays = push > self.no_force && (bounce == 0.0 || low || short);
            }
        }
        let jump = if stays.iter().all(|&stays| stays) {
            y.copy_from_slice(&still);
            stopped
        } else {
            let mut wanted = locked;
            for (&stays, &(i, end, rate)) in stays.iter().zip(&struck) {
                let after = if stays { 0.0 } else { -limits[i].restitution * rate }; // (E2)
                wanted.push((limits[i].row.coupling, if end == 0 { after } else { -after }));
            }
            self.jump(system, t, y, &wanted)?
        };
        let first = self.list.len();
        for &i in engage {
            for (row, number) in locks[i].rows.iter().zip(locks[i].first..) {
                let impulse = -row.scale * jump.impulses[row.coupling];
                self.record(t, EventKind::Lock, &locks[i].name, Some(number), row, impulse);
            }
        }
        for (&stays, &(i, end, rate)) in stays.iter().zip(&struck) {
            let limit = &limits[i];
            let impulse = -limit.row.scale * jump.impulses[limit.row.coupling];
            let kind = if stays { EventKind::Rest } else { EventKind::Impact };
            if stays {
                self.bouncers[i].rests = Some(end);
            } else {
                self.switch(system, &limit.row, false);
                self.bouncers[i].left[end] = Some((t, self.gap(i, end, t, &y[extras..]).0));
            }
            if stays || rate != 0.0 {
                let name = &mechanism.joints[limit.joint].name;
                self.record(t, kind, name, Some(limit.coordinate), &limit.row, impulse);
            }
        }
        if let Some(event) = self.list.get_mut(first) {
            event.energy = jump.work;
        }
        Ok(true)
    }

    /// A jump in which no limit pulls at what rests on it: such a limit lets go before.
    fn jump<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        wanted: &[(usize, f64)],
    ) -> Result<Jump, MotionError> {
        let limits = &self.mechanism.events.limits;
        loop {
            let mut trial = y.to_vec();
            let jump = system.jump(t, &mut trial, wanted)?;
            let largest = jump.impulses.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let pull = |i: usize| {
                let end = self.bouncers[i].rests?;
                let push = Self::push(end, jump.impulses[limits[i].row.coupling]);
                (push < -CLEARLY * largest).then_some(i)
            };
            match (0..limits.len()).find_map(pull) {
                Some(i) => self.lift(system, t, i),
                None => {
                    y.copy_from_slice(&trial);
                    return Ok(jump);
                }
            }
        }
    }
}

/// Where a parabola through three values below zero has its top, if that may be above zero.
fn peak([(t_a, a), (t_b, b), (t_c, c)]: [(f64, f64); 3]) -> Option<f64> {
    if !(a < 0.0 && b < 0.0 && c < 0.0 && b > a && b > c) {
        return None;
    }
    let (p, q) = ((b - a) / (t_b - t_a), (c - b) / (t_c - t_b));
    let curvature = (q - p) / (t_c - t_a);
    let slope = p + curvature * (t_b - t_a); // at t_b
    let t = t_b - 0.5 * slope / curvature;
    let top = b - 0.25 * slope * slope / curvature;
    // a parabola is not the margin: as good a guess as half of what lies between the values
    let near = top + 0.5 * (b - a).max(b - c) > 0.0;
    (near && t > t_a && t < t_c && t != t_b).then_some(t)
}
