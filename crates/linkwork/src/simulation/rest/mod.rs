//! Static equilibrium: where a mechanism stays when it is let go at rest.
//!
//! Time stands still, and with it the drivers. Three ways, by what there is:
//!
//! - Newton's method on the sparse equations of point coordinates ([`sparse`]), for mechanisms without contacts and states of their own;
//! - the same in the directions that constraints and closed contacts leave ([`reduced`]), for all others;
//! - relaxation ([`settle`]) before that, where it must be found out which contacts hold, and where Newton's method gets stuck.
//!
//! An equilibrium that is reached by a motion is left again where it is a maximum along a direction; one in which the mechanism stands from the start is kept.

mod apart;
mod approach;
mod descent;
mod placed;
mod reduced;
mod refusal;
mod settle;
mod sparse;
mod spectrum;

use super::Probe;
use super::state::{LimitMode, State};
use crate::Error;
use crate::interactions::{Rate, Workspace};
use crate::linalg::vec3::norm;
use crate::mechanism::{Mechanism, MechanismBeam};
use crate::model::{Faults, Formulation};
use descent::{Descent, End, Ground, MOST_ITERATIONS, MOST_WITH_BEAMS, Scale, descend};
use reduced::{MOST_DIRECTIONS, Reduced};
use sparse::Sparse;

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestMethod {
    /// Newton's method on the sparse equations of point coordinates.
    Newton,
    /// Newton's method in the directions that constraints and contacts leave.
    ReducedNewton,
    /// Relaxation with kinetic damping, then Newton's method.
    Relaxation,
}

impl RestMethod {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            RestMethod::Newton => "newton",
            RestMethod::ReducedNewton => "reduced-newton",
            RestMethod::Relaxation => "relaxation",
        }
    }
}

/// A direction in which a mechanism at rest can move.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// ω², 1/s²: how fast small motions along it are; below zero they grow.
    pub square: f64,
    /// Displacement of the coordinates of `points`, m.
    pub direction: Vec<f64>,
}

/// An equilibrium, in point coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    pub state: State,
    pub method: RestMethod,
    /// Newton steps.
    pub iterations: u32,
    /// Stops of the relaxation.
    pub stops: u32,
    /// The largest force left over, N, and the largest at work.
    pub residual: f64,
    pub load: f64,
    /// The slowest ways to move, those that grow first; all of them unless there are very many.
    pub ways: Vec<Way>,
    /// ω² that is zero up to errors, 1/s².
    pub zero: f64,
    /// Number of independent ways to move.
    pub freedom: usize,
}

/// A state reached by a motion over this part of the size is left again where it is unstable.
const CAME: f64 = 1e-9;
/// How far it is pushed off then, as a part of the size.
const PUSH: f64 = 1e-3;
const MOST_PUSHES: u32 = 5;
/// ω² below this part of the square of a typical rate is zero.
const NO_STIFFNESS: f64 = 1e-7;
/// And below this part of the square of the fastest stretching of a beam: the rounding of a matrix that has both.
const ROUNDING: f64 = 1e-13;

impl Mechanism {
    /// The equilibrium next to a state of this mechanism, in time as it is there; next to the initial state if none is given.
    ///
    /// # Errors
    /// [`Error::Equilibrium`] if there is none, or it cannot be found.
    pub(crate) fn rest(&self, from: Option<&State>, t: f64) -> Result<Rest, Error> {
        let (mut state, begun) = match from {
            Some(state) => (self.converted(state, Formulation::Points)?, state.t),
            None => (self.initial_state(Formulation::Points)?, self.start_time),
        };
        state.t = t;
        state.rates.fill(0.0);
        self.refuse_what_never_rests()?;
        if from.is_none() {
            self.engage_locks(&mut state);
        }
        Seeking::new(self, state, begun)?.seek()
    }

    fn refuse_what_never_rests(&self) -> Result<(), Error> {
        if let Some(sampler) = self.interactions.samplers.first() {
            let message = format!(
                "an equilibrium of `{}` cannot be sought: it has controllers or states that are sampled every {} s, and what they hold is no function of the \
                 position; leave `every` out",
                self.model.name, sampler.every
            );
            return Err(Error::Equilibrium(message));
        }
        Ok(())
    }

    /// Locks that hold at the time of a state, at what the coordinates are there.
    fn engage_locks(&self, state: &mut State) {
        let holds = self.events.locks.iter().filter(|lock| {
            lock.from.is_some_and(|from| from <= state.t) && lock.until.is_none_or(|until| state.t < until)
        });
        let mut ws = Workspace::new(&self.interactions, self.bodies.len());
        ws.motions = self.start_motions();
        for lock in holds {
            for row in &lock.rows {
                let (x, _) = ws.reading(&self.interactions, row.coupling, state.t, &state.auxiliary);
                state.auxiliary[self.interactions.hints + row.hold] = x;
            }
            state.modes.locks.push(lock.name.clone());
        }
    }

    /// Whether the directions that are left have to be followed one by one.
    fn needs_reduction(&self) -> bool {
        let moves = |rate: &Rate| matches!(rate, Rate::Program(_) | Rate::Integral(_));
        self.has_contacts()
            || !self.masses.is_empty()
            || self.interactions.variables.iter().any(|variable| moves(&variable.rate))
    }
}

/// The search for an equilibrium.
struct Seeking<'m> {
    mechanism: &'m Mechanism,
    state: State,
    scale: Scale,
    /// Total mass, kg.
    mass: f64,
    /// The largest force at work, N.
    load: f64,
    stops: u32,
    iterations: u32,
}

impl<'m> Seeking<'m> {
    fn new(mechanism: &'m Mechanism, state: State, begun: f64) -> Result<Self, Error> {
        let mass = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum::<f64>();
        let mut probe = Probe::new(mechanism, Formulation::Points)?;
        let mut y = probe.enter(&state)?;
        let mut dy = vec![0.0; probe.dimension()];
        probe.carry([begun, state.t], &mut y, &mut dy)?;
        y[probe.rates()].fill(0.0);
        probe.derivative(state.t, &y, &mut dy)?;
        let fastest =
            dy[probe.rates()].iter().fold(norm(mechanism.model.gravity), |m: f64, a| m.max(a.abs()));
        let state = probe.state(state.t, &y);
        let frame = probe.frame(state.t, &y)?;
        let reactions = frame.reactions.iter().map(|wrench| norm(wrench.force));
        let load = reactions.fold(mass * fastest, f64::max);
        let rate = if fastest > 0.0 { fastest / mechanism.size } else { 1.0 };
        let most = if mechanism.beams.is_empty() { MOST_ITERATIONS } else { MOST_WITH_BEAMS };
        let scale = Scale { size: mechanism.size, rate, most };
        Ok(Seeking { mechanism, state, scale, mass, load, stops: 0, iterations: 0 })
    }

    fn seek(mut self) -> Result<Rest, Error> {
        if !self.mechanism.needs_reduction() {
            return self.seek_sparse();
        }
        self.refuse_many_directions()?;
        self.refuse_time_steps()?;
        let relaxed = self.mechanism.has_contacts() || !self.mechanism.events.limits.is_empty();
        if relaxed {
            self.relax()?;
        }
        match self.seek_reduced() {
            Ok(rest) => Ok(rest),
            // which contacts hold may be another matter than it seemed
            Err(Error::Equilibrium(_)) if relaxed => {
                self.relax()?;
                self.seek_reduced()
            }
            Err(error) => Err(error),
        }
    }

    fn refuse_many_directions(&self) -> Result<(), Error> {
        let freedom = self.mechanism.degrees_of_freedom();
        if freedom <= MOST_DIRECTIONS {
            return Ok(());
        }
        Err(Error::Equilibrium(format!(
            "an equilibrium with contacts, masses that vary or states of their own is sought with at most {MOST_DIRECTIONS} degrees of freedom; `{}` has {freedom}",
            self.mechanism.model.name
        )))
    }

    /// Time steps over contacts tell no modes of them, which the last digits need.
    fn refuse_time_steps(&self) -> Result<(), Error> {
        let mechanism = self.mechanism;
        let (why, help) = match mechanism.only_steps.as_ref() {
            Some(why) => (why.clone(), "leave those contacts out, or run the model until it stands still"),
            None if mechanism.crowds.is_empty() => return Ok(()),
            None => (
                mechanism.steps_from_start().unwrap_or_else(|| "they are not spelled out".into()),
                "give `contact_method = \"events\"`",
            ),
        };
        Err(Error::Equilibrium(format!(
            "an equilibrium of `{}` cannot be sought: its contacts are stepped over ({why}), and it takes contacts that are events; {help}",
            mechanism.model.name
        )))
    }

    fn relax(&mut self) -> Result<(), Error> {
        let time = self.scale.rate.recip().sqrt();
        let energy = self.mass * self.scale.rate * self.scale.size.powi(2);
        let settled = settle::settle(self.mechanism, &self.state, time, energy)?;
        self.stops += settled.stops;
        self.state = self.mechanism.converted(&settled.state, Formulation::Points)?;
        match settled.quiet {
            true => Ok(()),
            false => {
                let body = settled.fastest.map_or(String::new(), |body| format!(", `{body}` fastest"));
                Err(self.not_found(&format!(
                    "let go again and again, it still moves after {} stops{body}; hold what slides or falls, or begin nearer to where it rests",
                    settled.stops
                )))
            }
        }
    }

    fn not_found(&self, why: &str) -> Error {
        Error::Equilibrium(format!("no equilibrium of `{}` was found: {why}", self.mechanism.model.name))
    }

    fn seek_sparse(&mut self) -> Result<Rest, Error> {
        let mut sparse = self.sparse()?;
        if sparse.bends() {
            self.iterations += approach::approach(&mut sparse, self.scale).unwrap_or(0);
        }
        let mut went = descend(&mut sparse, self.scale);
        self.iterations += went.iterations;
        if went.end == End::Stuck {
            self.state = self.state_of(&sparse)?;
            self.relax()?;
            sparse = self.sparse()?;
            went = descend(&mut sparse, self.scale);
            self.iterations += went.iterations;
        }
        self.check(&mut sparse, went)?;
        let mut ways = spectrum::of_sparse(&mut sparse, self.scale, self.zero(), self.freedom())?;
        for _ in 0..MOST_PUSHES {
            let unstable = ways.first().filter(|way| way.square < -self.zero());
            let Some(way) = unstable.filter(|_| sparse.moved() > CAME * self.scale.size) else { break };
            let off = pushed(&way.direction, PUSH * self.scale.size);
            if sparse.displace(&off).is_err() {
                break;
            }
            let went = descend(&mut sparse, self.scale);
            self.iterations += went.iterations;
            self.check(&mut sparse, went)?;
            ways = spectrum::of_sparse(&mut sparse, self.scale, self.zero(), self.freedom())?;
        }
        let state = self.state_of(&sparse)?;
        let method = if self.stops > 0 { RestMethod::Relaxation } else { RestMethod::Newton };
        let held = sparse.rests().iter().flatten().count();
        let freedom = self.freedom().saturating_sub(held);
        Ok(self.found(state, method, (sparse.residual(), sparse.load()), ways, freedom))
    }

    fn seek_reduced(&mut self) -> Result<Rest, Error> {
        let mut reduced = Reduced::new(self.mechanism, &self.state, self.load)?;
        for pushes in 0..=MOST_PUSHES {
            let went = descend(&mut reduced, self.scale);
            self.iterations += went.iterations;
            self.check(&mut reduced, went)?;
            if reduced.linearise().is_err() {
                break;
            }
            let ways = reduced.spectrum();
            let unstable = ways.first().filter(|way| way.0 < -self.zero());
            let came = reduced.moved() > CAME * self.scale.size || self.stops > 1;
            let Some(way) = unstable.filter(|_| came && pushes < MOST_PUSHES) else { break };
            if reduced.displace(&pushed(&way.1, PUSH * self.scale.size)).is_err() {
                break;
            }
        }
        let ways = reduced.spectrum().into_iter().map(|(square, direction)| Way { square, direction });
        let ways: Vec<Way> = ways.collect();
        let state = reduced.state();
        refusal::check_contacts(self.mechanism, &state)?;
        let method = if self.stops > 0 { RestMethod::Relaxation } else { RestMethod::ReducedNewton };
        let freedom = reduced.directions();
        Ok(self.found(state, method, (reduced.residual(), reduced.load()), ways, freedom))
    }

    /// Objects to an end that is no equilibrium.
    fn check(&self, ground: &mut dyn Leftover, went: Descent) -> Result<(), Error> {
        if went.end == End::Rest {
            return Ok(());
        }
        let state = ground.state_at(self)?;
        Err(refusal::refusal(self.mechanism, &state, went.end == End::Away, ground.moved()))
    }

    fn found(
        &self,
        state: State,
        method: RestMethod,
        (residual, load): (f64, f64),
        ways: Vec<Way>,
        freedom: usize,
    ) -> Rest {
        let zero = self.zero();
        Rest {
            state,
            method,
            iterations: self.iterations,
            stops: self.stops,
            residual,
            load,
            ways,
            zero,
            freedom,
        }
    }

    fn zero(&self) -> f64 {
        let rate = self.scale.rate.max(self.load / (self.mass.max(f64::MIN_POSITIVE) * self.scale.size));
        (NO_STIFFNESS * rate).max(ROUNDING * self.stiffest())
    }

    /// The square of the fastest stretching of elements of beams, 1/s²; zero without.
    fn stiffest(&self) -> f64 {
        let bodies = &self.mechanism.bodies;
        let of_beam = |beam: &MechanismBeam| {
            let masses = beam.bodies.iter().map(|&b| bodies[b].particles.properties.mass);
            let least = masses.fold(f64::INFINITY, f64::min);
            beam.law(self.mechanism).map_or(0.0, |law| law.stiffest_stretch() / least)
        };
        self.mechanism.beams.iter().map(of_beam).fold(0.0, f64::max)
    }

    fn freedom(&self) -> usize {
        let locked = self.mechanism.events.locks.iter().filter(|l| self.state.modes.locks.contains(&l.name));
        self.mechanism.degrees_of_freedom().saturating_sub(locked.map(|lock| lock.rows.len()).sum())
    }

    fn sparse(&self) -> Result<Sparse<'m>, Error> {
        let mechanism = self.mechanism;
        let mut probe = Probe::new(mechanism, Formulation::Points)?;
        let y = probe.enter(&self.state)?;
        let rests = mechanism.events.limits.iter().map(|limit| {
            let name = &mechanism.joints[limit.joint].name;
            let known = |l: &&LimitMode| l.joint == *name && l.coordinate == limit.coordinate;
            self.state.modes.limits.iter().find(known).map(|l| usize::from(l.upper))
        });
        let made =
            Sparse::new(mechanism, self.state.t, &y, rests.collect(), &self.state.modes.locks, self.load);
        let refuse = |fault| {
            Error::Model(Faults { list: vec![fault], provenance: mechanism.model.provenance.clone() })
        };
        made.map_err(refuse)?.map_err(|error| self.not_found(&error.to_string()))
    }

    /// The state of a mechanism at a place in point coordinates.
    fn state_of(&self, sparse: &Sparse<'_>) -> Result<State, Error> {
        let mechanism = self.mechanism;
        let n = sparse.coordinates();
        let mut state = self.state.clone();
        state.coordinates.copy_from_slice(&sparse.y()[..n]);
        state.auxiliary.copy_from_slice(&sparse.y()[2 * n + 1..]);
        state.modes.limits.clear();
        for (limit, end) in mechanism.events.limits.iter().zip(sparse.rests()) {
            let Some(end) = end else { continue };
            let joint = mechanism.joints[limit.joint].name.clone();
            state.modes.limits.push(LimitMode { joint, coordinate: limit.coordinate, upper: *end == 1 });
        }
        state.modes.limits.sort_by(|a, b| (&a.joint, a.coordinate).cmp(&(&b.joint, b.coordinate)));
        let mut probe = Probe::new(mechanism, Formulation::Points)?;
        let y = probe.enter(&state)?;
        Ok(probe.state(state.t, &y))
    }
}

/// A displacement along a direction, by so much where it is largest, m.
fn pushed(direction: &[f64], by: f64) -> Vec<f64> {
    let longest = direction.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    direction.iter().map(|x| x * by / longest.max(f64::MIN_POSITIVE)).collect()
}

/// A [`Ground`] that can say where it is.
trait Leftover: Ground {
    fn state_at(&mut self, seeking: &Seeking<'_>) -> Result<State, Error>;
}

impl Leftover for Sparse<'_> {
    fn state_at(&mut self, seeking: &Seeking<'_>) -> Result<State, Error> {
        seeking.state_of(self)
    }
}

impl Leftover for Reduced<'_> {
    fn state_at(&mut self, _: &Seeking<'_>) -> Result<State, Error> {
        Ok(self.state())
    }
}
