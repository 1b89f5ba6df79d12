//! The state of a simulation as plain data: what a run goes on from, in the coordinates of one formulation.

use super::events::Events;
use super::run::{Pause, Run, row_at};
use super::summary::RowSums;
use super::{Observer, Status};
use crate::Error;
use crate::formulations::Formulate;
use crate::integrate::{StepError, System};
use crate::keep::Fingerprint;
use crate::linalg::vec3::Vec3;
use crate::mechanism::{Mechanism, MechanismLimit};
use crate::model::{Formulation, Integrator};
use crate::results::JointCoordinate;
use serde::{Deserialize, Serialize};

/// A state of a mechanism: time, coordinates, rates, and everything else that the motion after it depends on, but for an integrator's history.
///
/// [`Simulation::state`](super::Simulation::state) reads it, [`Simulation::set_state`](super::Simulation::set_state) goes to it, [`Mechanism::at`] answers
/// questions about it, [`Mechanism::converted`] expresses it in the coordinates of another formulation. It is data to be changed, compared and written; a simulation that shall go on
/// bit by bit is [saved](super::Simulation::save).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// The formulation whose coordinates these are.
    pub formulation: Formulation,
    /// Fingerprint of the bodies and joints: a mechanism whose topology changes has other coordinates afterwards.
    pub topology: u64,
    /// Coordinates, in SI units.
    pub coordinates: Vec<f64>,
    /// Rates: velocities and angular velocities, the latter in world axes.
    pub rates: Vec<f64>,
    /// Work done so far by everything that has no potential, J.
    pub work: f64,
    /// Auxiliary states: counted turns, places on curves, values that locks hold, inputs, the model's own states.
    pub auxiliary: Vec<f64>,
    /// Coordinates of the joints as results show them, in the mechanism's order: they count whole turns, which other coordinates may not.
    pub joints: Vec<Vec<JointCoordinate>>,
    /// Locks, limits and contacts.
    pub modes: Modes,
}

/// What locks, limits, contacts and conditions are doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Modes {
    /// Locks that hold, by name.
    pub locks: Vec<String>,
    /// Limits that joints rest on.
    pub limits: Vec<LimitMode>,
    /// Contacts that are closed.
    pub contacts: Vec<ContactMode>,
    /// Conditions of `stop` and of locks.
    pub conditions: Vec<ConditionMode>,
}

/// A joint that rests on its limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitMode {
    /// The joint.
    pub joint: String,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// Whether it rests on the upper end.
    pub upper: bool,
}

/// A closed contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactMode {
    /// Its name.
    pub contact: String,
    /// What friction does.
    pub friction: FrictionMode,
    /// The places of both bodies, from their centres of mass as drawn, that stay together while the contact sticks; `None` if it rolls.
    pub anchor: Option<[Vec3; 2]>,
    /// The force when the contact closed, N: where contacts share loads in more ways than one, the way nearest to it is taken.
    pub force: Vec3,
}

/// Friction of a closed contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionMode {
    /// It sticks.
    #[default]
    Stick,
    /// It slips in this direction.
    Slip(Vec3),
    /// It does not slip because others hold it; friction is at its limit against this direction.
    Limit(Vec3),
}

/// Whether a condition holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionMode {
    /// Its name: `stop`, `when` or `release`, and the condition or the lock.
    pub condition: String,
    /// Whether it holds.
    pub holds: bool,
    /// The largest value of its event function so far.
    pub span: f64,
}

/// How far a projection onto the constraints moved a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// The largest change of a coordinate, m or rad.
    pub coordinates: f64,
    /// The largest change of a rate, m/s or rad/s.
    pub rates: f64,
}

impl Mechanism {
    /// A number that tells the topologies of a mechanism apart.
    pub(super) fn topology_mark(&self) -> u64 {
        let mut print = Fingerprint::default();
        for body in &self.bodies {
            print.add(body.name.as_bytes());
            print.add(b"\n");
        }
        for joint in &self.joints {
            print.add(joint.name.as_bytes());
            print.add(b"\0");
        }
        print.0
    }
}

impl State {
    /// Whether this is a state of a mechanism, which has so many coordinates, rates and auxiliary states in the formulation of the state.
    pub(super) fn check(
        &self,
        mechanism: &Mechanism,
        [coordinates, rates, auxiliary]: [usize; 3],
    ) -> Result<(), Error> {
        if self.formulation == Formulation::Auto {
            return Err(Error::State("a state names the formulation of its coordinates, not `auto`".into()));
        }
        if self.topology != mechanism.topology_mark() {
            let message = format!(
                "the state is of another mechanism than `{}` as it stands, or of another topology of it; a simulation that has to go back behind a change of \
                 topology is saved and restored",
                mechanism.model.name
            );
            return Err(Error::State(message));
        }
        let lists = [
            ("coordinates", &self.coordinates, coordinates),
            ("rates", &self.rates, rates),
            ("auxiliary states", &self.auxiliary, auxiliary),
        ];
        for (what, list, expected) in lists {
            if list.len() != expected {
                let (name, count) = (self.formulation.name(), list.len());
                let message =
                    format!("the state has {count} {what}, the mechanism has {expected} in `{name}`");
                return Err(Error::State(message));
            }
            if let Some(i) = list.iter().position(|x| !x.is_finite()) {
                return Err(Error::State(format!(
                    "the state has {what} that are not finite, number {i} first"
                )));
            }
        }
        let joints = self.joints.iter().flatten().flat_map(|joint| [joint.q, joint.v]);
        if !joints.chain([self.t, self.work]).all(f64::is_finite) {
            return Err(Error::State("the time, the work and the joints of a state must be finite".into()));
        }
        self.modes.check(mechanism)
    }
}

impl Modes {
    /// Whether everything that it names is there, and its numbers are finite.
    fn check(&self, mechanism: &Mechanism) -> Result<(), Error> {
        let events = &mechanism.events;
        let limits = self.limits.iter().map(|limit| {
            let of = |known: &&MechanismLimit| {
                mechanism.joints[known.joint].name == limit.joint && known.coordinate == limit.coordinate
            };
            ("limit of joint", &limit.joint, events.limits.iter().find(of).is_some())
        });
        let locks =
            self.locks.iter().map(|name| ("lock", name, events.locks.iter().any(|lock| lock.name == *name)));
        let contacts = self.contacts.iter().map(|closed| {
            let known = mechanism.contacts.iter().any(|contact| contact.name == closed.contact);
            ("contact", &closed.contact, known)
        });
        if let Some((what, name, _)) = locks.chain(limits).chain(contacts).find(|(_, _, known)| !known) {
            return Err(Error::State(format!("the state names the {what} `{name}`, which is not there")));
        }
        for closed in &self.contacts {
            let direction = match closed.friction {
                FrictionMode::Stick => [0.0; 3],
                FrictionMode::Slip(direction) | FrictionMode::Limit(direction) => direction,
            };
            let anchor = closed.anchor.unwrap_or_default();
            if !anchor.iter().chain([&closed.force, &direction]).flatten().all(|x| x.is_finite()) {
                return Err(Error::State(format!(
                    "the numbers of the contact `{}` are not finite",
                    closed.contact
                )));
            }
        }
        Ok(())
    }
}

impl<F: Formulate> Run<'_, F> {
    /// The state that the stepper has come to.
    pub(super) fn state(&mut self) -> State {
        let y = self.stepper.y().to_vec();
        self.state_at(self.stepper.t(), &y)
    }

    /// The state that the model gives, with nothing but that.
    pub(super) fn initial(&mut self) -> State {
        self.y = self.system.start();
        self.state_of(self.mechanism.start_time)
    }

    /// The numbers in `y`.
    fn state_of(&mut self, t: f64) -> State {
        self.system.to_world_axes(&mut self.y);
        let (rates, work) = (System::rates(&self.system), self.system.work_index());
        State {
            t,
            formulation: self.formulation,
            topology: self.mechanism.topology_mark(),
            coordinates: self.y[..rates.start].to_vec(),
            rates: self.y[rates].to_vec(),
            work: self.y[work],
            auxiliary: self.y[work + 1..].to_vec(),
            joints: Vec::new(),
            modes: Modes::default(),
        }
    }

    /// Puts a state into `y`, with locks, limits and contacts as it says.
    fn load(&mut self, state: &State) -> Result<(), Error> {
        let (rates, work) = (System::rates(&self.system), self.system.work_index());
        state.check(self.mechanism, [rates.start, rates.len(), self.y.len() - work - 1])?;
        self.y[..rates.start].copy_from_slice(&state.coordinates);
        self.y[rates].copy_from_slice(&state.rates);
        self.y[work] = state.work;
        self.y[work + 1..].copy_from_slice(&state.auxiliary);
        self.system.to_body_axes(&mut self.y);
        self.frame.count_on(&state.joints, state.t);
        self.events = Events::new(self.mechanism, self.integrator != Integrator::Moreau);
        for (switch, &on) in self.mechanism.interactions.switches.iter().enumerate() {
            self.system.switch(switch, on);
        }
        let Some(events) = &mut self.events else { return Ok(()) };
        events.lock(&mut self.system, &state.modes.locks);
        let held = events.carry_on(&mut self.system, state.t, &mut self.y, &(&state.modes).into());
        held.map_err(|source| {
            let status = self.failed(state.t, &StepError::System { t: state.t, source });
            failure(status)
        })
    }

    /// Goes to a state without evaluating it; its numbers as the system has them.
    pub(super) fn enter(&mut self, state: &State) -> Result<Vec<f64>, Error> {
        self.load(state)?;
        Ok(self.y.clone())
    }

    /// Numbers of the system as a state with the locks, limits and contacts that were entered last.
    pub(super) fn state_at(&mut self, t: f64, y: &[f64]) -> State {
        self.y.copy_from_slice(y);
        self.system.locate_bodies(&self.y, &mut self.frame.motions);
        let auxiliary = self.system.work_index() + 1;
        self.frame.count_joints(self.mechanism, t, &self.y[auxiliary..]);
        let mut state = self.state_of(t);
        state.joints.clone_from(&self.frame.joints);
        state.modes = self.events.as_ref().map(|events| events.lasting().modes()).unwrap_or_default();
        state
    }

    /// Everything there is to know at a state, into the frame. What would happen there does not.
    pub(super) fn look_at_state(&mut self, state: &State) -> Result<(), Error> {
        self.load(state)?;
        self.read_off(state.t).map_err(failure)
    }

    /// The state next to this one that meets the constraints, and how far that is.
    pub(super) fn projected(&mut self, state: &State) -> Result<(State, Moved), Error> {
        self.load(state)?;
        let moved = self.project(state.t)?;
        let mut found = self.state_of(state.t);
        found.joints.clone_from(&state.joints);
        found.modes.clone_from(&state.modes);
        Ok((found, moved))
    }

    /// Projects `y` and tells how far that moved it.
    fn project(&mut self, t: f64) -> Result<Moved, Error> {
        let before = self.y.clone();
        let projected = self.system.project(t, &mut self.y, &mut self.dy);
        projected.map_err(|source| failure(self.failed(t, &StepError::System { t, source })))?;
        let rates = System::rates(&self.system);
        let largest = |part: std::ops::Range<usize>| {
            before[part.clone()].iter().zip(&self.y[part]).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
        };
        Ok(Moved { coordinates: largest(0..rates.start), rates: largest(rates) })
    }

    /// Goes on from a state: it is projected, what happens there at once happens, and accounts begin again.
    pub(super) fn set_state(
        &mut self,
        state: &State,
        observer: &mut dyn Observer,
    ) -> Result<(Moved, Result<Option<Pause>, Status>), Error> {
        let settings = &self.mechanism.model.settings;
        if !(0.0..settings.duration).contains(&state.t) {
            let (t, now, end) = (state.t, self.stepper.t(), settings.duration);
            return Err(Error::Time { t, now, end });
        }
        self.load(state)?;
        let moved = self.project(state.t)?;
        let lasting = (&state.modes).into();
        self.ledger.k = row_at(state.t, settings.output_step);
        self.ledger.sums = RowSums::new();
        let begun =
            self.open_books(state.t).and_then(|()| self.begin_from(state.t, Some(&lasting), observer));
        self.ledger.pace.begin_again(state.t, self.stepper.statistics());
        Ok((moved, begun))
    }
}

/// A run that ended is an error to one who asks about a state.
pub(super) fn failure(status: Status) -> Error {
    match status {
        Status::Failed(failure) => Error::Run(failure),
        Status::Finished | Status::Stopped => Error::State("the simulation ends in this state".into()),
    }
}
