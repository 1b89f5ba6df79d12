//! Kinetic damping: the mechanism moves, and whenever its kinetic energy has passed a peak all velocities are set to zero.
//!
//! A peak of the kinetic energy is a valley of the potential along the way, so the mechanism goes from valley to deeper valley, as the form
//! finding of membranes does [barnes1999]. Impacts take kinetic energy too: what has just hit something begins again there, and contacts close. So this finds which
//! contacts and limits hold at rest; Newton's method does the last digits.

use crate::Error;
use crate::linalg::vec3::norm;
use crate::mechanism::Mechanism;
use crate::model::{ContactMethod, InitialState, Integrator, Settings};
use crate::results::Frame;
use crate::simulation::state::State;
use crate::simulation::{Progress, Simulation};

/// Kinetic energy below this part of the energy at play is rest.
const QUIET: f64 = 1e-13;
/// A peak has been passed when the kinetic energy is below this part of it.
const PASSED: f64 = 0.98;
/// Stops in a row without a peak worth the name.
const MOST_STOPS: u32 = 500;
const MOST_STEPS: u32 = 20_000;
/// So many typical times without motion are rest.
const STILL: f64 = 5.0;
/// Where forces depend on time the clock is set back whenever it has gone on by this part of a typical time.
const TICK: f64 = 0.02;

/// A mechanism whose drivers stand still at a time, to be moved for as long as it takes.
fn held(mechanism: &Mechanism, t: f64, time: f64) -> Mechanism {
    let mut held = mechanism.clone();
    let interactions = &mut held.interactions;
    let mut couplings = std::mem::take(&mut interactions.couplings);
    for coupling in &mut couplings {
        if let Some(drive) = coupling.drive.take() {
            coupling.offset += drive.weight * drive.initial_jet(t, interactions).x;
        }
    }
    interactions.couplings = couplings;
    held.measures_may_lack_values = true;
    held.events.stops.clear();
    held.events.changes.clear();
    held.events.impulses.clear();
    let settings = &mut held.model.settings;
    *settings = Settings {
        initial: InitialState::Given,
        duration: t + 2.0 * STILL * f64::from(MOST_STOPS) * time,
        integrator: Integrator::Auto,
        step: None,
        order: None,
        projection: None,
        stop: Vec::new(),
        tolerance: settings.tolerance.clamp(1e-11, 1e-8),
        // time steps over contacts find no exact rest
        contact_method: ContactMethod::Events,
        max_steps: u64::MAX,
        ..settings.clone()
    };
    held
}

/// What a relaxation has come to.
pub(super) struct Settled {
    pub state: State,
    /// How often the velocities were set to zero.
    pub stops: u32,
    /// Whether nothing moves any more.
    pub quiet: bool,
    /// The body that moved fastest before the last stop.
    pub fastest: Option<String>,
}

/// Relaxes a mechanism from a state. `time`: a typical time of its motion, s; `energy`: what counts as much, J.
pub(super) fn settle(mechanism: &Mechanism, from: &State, time: f64, energy: f64) -> Result<Settled, Error> {
    let held = held(mechanism, from.t, time);
    let mut simulation = held.simulation()?;
    let mut state = held.converted(from, simulation.formulation())?;
    state.rates.fill(0.0);
    simulation.set_state(&state)?;
    let mut peak: f64 = 0.0;
    let longest = STILL * time;
    let stride = if mechanism.timing.depends { TICK * time } else { longest };
    let mut since = 0.0;
    let mut stops = 0;
    let mut fastest = None;
    for _ in 0..MOST_STEPS {
        let before = simulation.t();
        let progress = simulation.step_toward(before + stride.min(longest - since))?;
        since += simulation.t() - before;
        let now = simulation.sample()?.kinetic;
        peak = peak.max(now);
        let over = since >= longest * (1.0 - 1e-9);
        let ended = progress == Progress::Finished;
        if peak > QUIET * energy && now < PASSED * peak || over || ended {
            let quiet = peak <= QUIET * energy;
            fastest = fastest_of(mechanism, simulation.sample()?).or(fastest);
            let still = stop(&mut simulation, from.t)?;
            stops += 1;
            if (quiet && over) || ended || stops >= MOST_STOPS {
                return Ok(Settled { state: still, stops, quiet: quiet && !ended, fastest });
            }
            peak = 0.0;
            since = 0.0;
        } else if mechanism.timing.depends && simulation.t() - from.t >= stride {
            let mut state = simulation.state();
            state.t = from.t;
            simulation.set_state(&state)?;
        }
    }
    let state = stop(&mut simulation, from.t)?;
    Ok(Settled { state, stops, quiet: false, fastest })
}

/// The body that moves fastest, turns counted by the size.
fn fastest_of(mechanism: &Mechanism, frame: &Frame) -> Option<String> {
    let speeds = frame.motions.iter().map(|motion| norm(motion.v).max(norm(motion.w) * mechanism.size));
    let speeds = mechanism.bodies.iter().zip(speeds).filter(|(_, speed)| *speed > 0.0);
    speeds.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(body, _)| body.name.clone())
}

/// Sets all velocities to zero, and the clock back where anything depends on it.
fn stop(simulation: &mut Simulation<'_>, t: f64) -> Result<State, Error> {
    let mut state = simulation.state();
    state.rates.fill(0.0);
    state.t = t;
    simulation.set_state(&state)?;
    Ok(simulation.state())
}
