//! Inverse dynamics: the forces that a motion needs.
//!
//! A [`Motion`] prescribes coordinates of a mechanism over time. [`Mechanism::inverse`] closes its loops at every instant, takes rates and accelerations from exact derivatives, and finds
//! the forces of actuators, or along joints, that make the mechanism move so: as many actuators as freedoms are unique, more share the work, fewer are refused.
//!
//! ```
//! use linkwork::analysis::inverse::{Motion, Settings, Smoothing};
//! # use linkwork::model::{Body, Model};
//! # let model = Model::planar("pendulum").gravity([0.0, -9.81])
//! #     .point("O", [0.0, 0.0]).point("A", [2.0, 0.0]).ground(["O"]).body(Body::rod("rod", ["O", "A"], 3.0));
//! let mechanism = model.assemble()?;
//! let t: Vec<f64> = (0..=100).map(|i| 0.02 * f64::from(i)).collect();
//! let angle: Vec<f64> = t.iter().map(|t| 0.5 * (3.0 * t).sin()).collect();
//! let motion = Motion::new(t, Smoothing::Through)?.prescribe("joint.O.q", &angle)?;
//! let settings = Settings { actuators: Some(vec!["joint.O".into()]), ..Settings::default() };
//! let inverse = mechanism.inverse(&motion, &settings)?;
//! let torque = inverse.forces("joint.O").unwrap_or_default();
//! // m l²/3 α + m g l/2 cos φ at t = 1 s
//! let (phi, alpha) = (0.5 * 3f64.sin(), -4.5 * 3f64.sin());
//! assert!((torque[50] - (4.0 * alpha + 3.0 * 9.81 * phi.cos())).abs() < 1e-6);
//! # Ok::<(), linkwork::Error>(())
//! ```

#[cfg(feature = "file")]
mod file;
mod follow;
mod machine;
mod motion;
mod svd;

#[cfg(feature = "file")]
pub use file::Columns;
pub use motion::{Motion, Smoothing};

use crate::Error;
use crate::expressions::{Extend, Interpolation, Table};
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::results::Frame;
use crate::simulation::{Probe, State};
use follow::{Follower, Supplied};
use machine::Machine;
use std::ops::ControlFlow;

/// Instants that a motion may have.
const MOST_INSTANTS: usize = 1_000_000;
/// Roundings of the generalised forces: what is left of them below this part is none.
const ROUNDING: f64 = 1e-9;

/// What inverse dynamics is to find.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The actuators that supply the motion, by name, or coordinates of joints as `joint.C`, `joint.C.q2`; all actuators of the model if `None`. Others keep their own laws.
    pub actuators: Option<Vec<String>>,
    /// What the square of an actuator's force counts where several can share the work; 1 for those that are not named.
    pub weights: Vec<(String, f64)>,
    /// The time between instants, s; the samples of the motion if `None`.
    pub output_step: Option<f64>,
    /// How far coordinates may be from what is prescribed, m or rad, where more are prescribed than the mechanism has freedoms.
    pub gap: f64,
    /// Whether forces that no actuator can supply are reported and not refused.
    pub residuals: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { actuators: None, weights: Vec::new(), output_step: None, gap: 1e-6, residuals: false }
    }
}

/// The force of an actuator along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Supply {
    /// The actuator, or the coordinate of a joint.
    pub name: String,
    /// Whether it is a torque, N m, else a force, N.
    pub turns: bool,
    /// The most that the actuator can do, N or N m, if it is limited.
    pub limit: Option<f64>,
    /// N or N m, at each instant.
    pub forces: Vec<f64>,
    /// Its coordinate, rad or m.
    pub coordinates: Vec<f64>,
    /// Their rates, rad/s or m/s.
    pub rates: Vec<f64>,
}

impl Supply {
    /// The largest force and when it acts: its instant.
    pub fn peak(&self) -> (f64, usize) {
        largest(self.forces.iter().copied())
    }

    /// Power at each instant, W.
    pub fn powers(&self) -> impl Iterator<Item = f64> {
        self.forces.iter().zip(&self.rates).map(|(force, rate)| force * rate)
    }

    /// The largest power and its instant.
    pub fn peak_power(&self) -> (f64, usize) {
        largest(self.powers())
    }

    /// Root of the mean square over the times.
    pub fn rms(&self, times: &[f64]) -> f64 {
        let squares = self.forces.windows(2).zip(times.windows(2));
        // exact for a force that is linear in between
        let sum: f64 =
            squares.map(|(f, t)| (t[1] - t[0]) * (f[0] * f[0] + f[0] * f[1] + f[1] * f[1]) / 3.0).sum();
        match times {
            [first, .., last] => (sum / (last - first)).sqrt(),
            _ => self.forces.first().map_or(0.0, |force| force.abs()),
        }
    }
}

/// What no actuator supplies.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// The largest one, N m: a force times the size of the mechanism where it is along a path.
    pub size: f64,
    /// When, s.
    pub t: f64,
    /// The rate that feels it most: a joint, or a body that moves freely.
    pub rate: String,
    /// Its largest power, W.
    pub power: f64,
}

/// The forces that a motion needs, and the motion of the whole mechanism.
#[derive(Clone, Debug)]
pub struct Inverse {
    mechanism: Mechanism,
    times: Vec<f64>,
    states: Vec<State>,
    accelerations: Vec<Vec<f64>>,
    work: Vec<f64>,
    rates: Vec<String>,
    supplies: Vec<Supply>,
    prescribed: Vec<String>,
    smoothing: Smoothing,
    freedoms: usize,
    multiplicity: usize,
    gap: (f64, String),
    residual: Option<Residual>,
    condition: (f64, f64),
    acceleration_error: f64,
    confirmed: bool,
}

impl Mechanism {
    /// The forces that actuators must have for this mechanism to move as prescribed. Motions of its own drivers stay, and so do springs, dampers and other forces.
    ///
    /// # Errors
    /// [`Error::Motion`] if the motion leaves a freedom open, contradicts itself or cannot be followed, or if the actuators cannot supply it; [`Error::Run`] at positions
    /// where accelerations are not determined.
    pub fn inverse(&self, motion: &Motion, settings: &Settings) -> Result<Inverse, Error> {
        let coordinates: Vec<&str> = motion.coordinates().collect();
        let machine = Machine::new(self, &coordinates, settings)?;
        let times = instants(motion, settings)?;
        let mut follower = Follower::new(&machine)?;
        follower.begin(times[0], &motion.at(times[0]))?;
        let mut list = Vec::with_capacity(times.len());
        for &t in &times {
            let supplied = follower.advance(t, &|t| motion.at(t))?;
            let (gap, which) = supplied.gap;
            if gap > settings.gap {
                let of = coordinates.get(which).copied().unwrap_or_default();
                return Err(Error::Motion(format!(
                    "the prescribed coordinates contradict each other at t = {t} s: `{of}` is {gap:.3e} (m or rad) from what is prescribed when all are met as well as can be; leave some of \
                     them out, or allow a larger gap"
                )));
            }
            list.push(supplied);
        }
        let rates = follower.names().to_vec();
        Inverse::new(machine, motion, settings, (times, list, rates))
    }
}

fn instants(motion: &Motion, settings: &Settings) -> Result<Vec<f64>, Error> {
    let samples = motion.times();
    let Some(step) = settings.output_step else { return Ok(samples.to_vec()) };
    let (first, last) = (samples[0], samples[samples.len() - 1]);
    if !(step > 0.0 && step.is_finite()) {
        return Err(Error::Motion(format!("the time between instants must be positive, it is {step} s")));
    }
    if motion.only_at_samples() {
        let message =
            "a motion with given derivatives is known at its samples only: leave the output step out";
        return Err(Error::Motion(message.into()));
    }
    let count = ((last - first) / step * (1.0 + 1e-12)).floor();
    if count >= MOST_INSTANTS as f64 {
        return Err(Error::Motion(format!(
            "an output step of {step} s makes {count:.0} instants; {MOST_INSTANTS} are the most"
        )));
    }
    Ok((0..=count as usize).map(|i| (first + i as f64 * step).min(last)).collect())
}

impl Inverse {
    fn new(
        machine: Machine,
        motion: &Motion,
        settings: &Settings,
        (times, list, rates): (Vec<f64>, Vec<Supplied>, Vec<String>),
    ) -> Result<Self, Error> {
        let residual = residual_of(&machine, &list, settings)?;
        let Machine { mechanism, drives, prescribed } = machine;
        let course = |pick: fn(&Supplied) -> &Vec<f64>, i: usize| list.iter().map(|s| pick(s)[i]).collect();
        let supplies = drives.iter().enumerate().map(|(i, drive)| Supply {
            name: drive.name.clone(),
            turns: drive.turns,
            limit: Some(drive.limit).filter(|limit| limit.is_finite()),
            forces: course(|s| &s.forces, i),
            coordinates: course(|s| &s.coordinates, i),
            rates: course(|s| &s.rates, i),
        });
        let supplies: Vec<Supply> = supplies.collect();
        let worst = list.iter().fold((0.0, 0), |most, s| if s.gap.0 > most.0 { s.gap } else { most });
        let gap = (worst.0, prescribed.get(worst.1).map(|p| p.of.clone()).unwrap_or_default());
        let rank = list.iter().map(|s| s.rank[0]).min().unwrap_or(0);
        let mut inverse = Inverse {
            freedoms: list.first().map_or(0, |s| s.rank[1]),
            multiplicity: supplies.len() - rank,
            condition: list.iter().fold((1.0, times[0]), |most, s| {
                if s.condition > most.0 { (s.condition, s.state.t) } else { most }
            }),
            acceleration_error: list.iter().fold(0.0, |most: f64, s| most.max(s.acceleration_error)),
            confirmed: list.iter().all(Supplied::is_confirmed),
            accelerations: list.iter().map(|s| s.accelerations.clone()).collect(),
            states: list.into_iter().map(|s| s.state).collect(),
            work: vec![0.0; times.len()],
            prescribed: prescribed.into_iter().map(|p| p.of).collect(),
            smoothing: motion.smoothing(),
            mechanism,
            times,
            rates,
            supplies,
            gap,
            residual,
        };
        inverse.add_up_work()?;
        Ok(inverse)
    }

    /// The work of all that has no potential: the integral of its power over a quintic spline through the instants.
    fn add_up_work(&mut self) -> Result<(), Error> {
        let mut probe = Probe::new(&self.mechanism, Formulation::Recursive)?;
        let mut dy = vec![0.0; probe.dimension()];
        let mut powers = Vec::with_capacity(self.times.len());
        for state in &self.states {
            let y = probe.enter(state)?;
            probe.derivative(state.t, &y, &mut dy)?;
            powers.push(dy[probe.rates().end]);
        }
        let (t, n) = (&self.times, self.times.len());
        let kind = if n < 6 { Interpolation::Cubic } else { Interpolation::Quintic };
        let curve = (n > 1).then(|| Table::new(&t[..], &powers[..], kind, Extend::Error));
        let Some(Ok(curve)) = curve else { return Ok(()) };
        // three Gauss points are exact for degree five
        let reach = 0.6_f64.sqrt();
        for i in 1..n {
            let (middle, half) = (0.5 * (t[i] + t[i - 1]), 0.5 * (t[i] - t[i - 1]));
            let at = |place: f64| curve.eval(middle + half * place).map_or(0.0, |[power, ..]| power);
            let sum = (5.0 * (at(-reach) + at(reach)) + 8.0 * at(0.0)) / 9.0;
            self.work[i] = self.work[i - 1] + half * sum;
        }
        Ok(())
    }

    /// Everything there is to know at each instant, in order: what a run shows, with the forces found. Whoever is shown it may end it early.
    ///
    /// # Errors
    /// [`Error::Run`] if a result is not a finite number.
    pub fn frames(&self, each: &mut dyn FnMut(&Frame) -> ControlFlow<()>) -> Result<(), Error> {
        let mut probe = Probe::new(&self.mechanism, Formulation::Recursive)?;
        for (state, work) in self.states.iter().zip(&self.work) {
            let mut y = probe.enter(state)?;
            y[probe.rates().end] = *work;
            if each(probe.frame(state.t, &y)?).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The mechanism whose actuators have the forces found: that of the frames and their columns.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// The instants, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The actuators and what they do.
    pub fn supplies(&self) -> &[Supply] {
        &self.supplies
    }

    /// The force of an actuator at each instant, N or N m.
    pub fn forces(&self, actuator: &str) -> Option<&[f64]> {
        self.supplies.iter().find(|supply| supply.name == actuator).map(|supply| &supply.forces[..])
    }

    /// The states at the instants, in the coordinates of `recursive`.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Names of the rates of these states.
    pub fn rates(&self) -> &[String] {
        &self.rates
    }

    /// The accelerations of the rates at the instants.
    pub fn accelerations(&self) -> &[Vec<f64>] {
        &self.accelerations
    }

    /// The coordinates that were prescribed.
    pub fn prescribed(&self) -> &[String] {
        &self.prescribed
    }

    /// What was done with the samples.
    pub fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    /// Degrees of freedom that the motion prescribes: those that the drivers of the model leave.
    pub fn degrees_of_freedom(&self) -> usize {
        self.freedoms
    }

    /// In how many independent ways the actuators can work against each other without a motion: 0 if their forces are unique. Where it changes on the way, the largest.
    pub fn multiplicity(&self) -> usize {
        self.multiplicity
    }

    /// How far a prescribed coordinate is from what is prescribed, m or rad, at most, and which: rounding, unless there are more of them than freedoms.
    pub fn gap(&self) -> (f64, &str) {
        (self.gap.0, &self.gap.1)
    }

    /// The largest condition of the prescribed coordinates, and when, s: how much their errors are magnified in the freedoms of the mechanism, angles and paths by its size. It grows without bound
    /// towards a singular position, where a mechanism may go on to another branch.
    pub fn condition(&self) -> (f64, f64) {
        self.condition
    }

    /// What the actuators cannot supply; `None` if they supply everything.
    pub fn residual(&self) -> Option<&Residual> {
        self.residual.as_ref()
    }

    /// By how much the accelerations of prescribed coordinates are missed by forward dynamics under the forces found, m/s² or rad/s²: a check of all of it.
    pub fn acceleration_error(&self) -> f64 {
        self.acceleration_error
    }

    /// Whether forward dynamics confirms the forces at every instant, to 1e-6 of the accelerations. What actuators cannot supply ([`Inverse::residual`]) is missing there, too.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed || self.residual.is_some()
    }
}

/// What is left over; refused unless it is asked for.
fn residual_of(machine: &Machine, list: &[Supplied], settings: &Settings) -> Result<Option<Residual>, Error> {
    let short = list.iter().find(|s| s.rank[0] < s.rank[1]);
    let Some(short) = short else { return Ok(None) };
    let Some(worst) = list.iter().max_by(|a, b| a.residual.0.total_cmp(&b.residual.0)) else {
        return Ok(None);
    };
    let (size, rate) = worst.residual.clone();
    let power = list.iter().fold(0.0, |most: f64, s| most.max(s.residual_power.abs()));
    if settings.residuals {
        return Ok(Some(Residual { size, t: worst.state.t, rate, power }));
    }
    let [rank, freedoms] = short.rank;
    let names: Vec<String> = machine.drives.iter().map(|drive| format!("`{}`", drive.name)).collect();
    let largest = list.iter().flat_map(|s| &s.forces).fold(size, |most, f| most.max(f.abs()));
    let need = match size > ROUNDING * largest {
        true => format!("its motion needs up to {size:.4} N m, at t = {} s", worst.state.t),
        false => "this motion happens to need nothing there".into(),
    };
    Err(Error::Motion(format!(
        "{} can move {rank} of {freedoms} degrees of freedom at t = {} s: none moves `{rate}`; {need}; name one more, or ask for residuals",
        names.join(", "),
        short.state.t
    )))
}

/// The largest size of a list with its sign, and where.
fn largest(list: impl Iterator<Item = f64>) -> (f64, usize) {
    list.enumerate().fold((0.0, 0), |most, (i, x)| if x.abs() > f64::abs(most.0) { (x, i) } else { most })
}
