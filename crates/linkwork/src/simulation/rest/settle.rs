//! Kinetic damping: the mechanism moves, and whenever its kinetic energy has passed a peak all velocities are set to zero.
//!
//! A peak of the kinetic energy is a valley of the potential along the way, so the mechanism goes from valley to deeper valley, as the form
//! finding of membranes does [barnes1999]. Impacts take kinetic energy too: what has just hit something begins again there, and contacts close. So this finds which
//! contacts and limits hold at rest; Newton's method does the last digits.

use crate::Error;
use crate::mechanism::Mechanism;
use crate::model::{ContactMethod, InitialState, Integrator, Settings};
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
}

/// Relaxes a mechanism from a state. `time`: a typical time of its motion, s; `energy`: what counts as much, J.
pub(super) fn settle(mechanism: &Mechanism, from: &State, time: f64, energy: f64) -> Result<Settled, Error> {
    let held = held(mechanism, from.t, time);
    let mut simulation = held.simulation()?;
    let mut state = held.converted(from, simulation.formulation())?;
    state.rates.fill(0.0);
    simulation.set_state(&state)?;
    let mut peak: f64 = 0.0;
    let mut since = simulation.t();
    let mut stops = 0;
    for _ in 0..MOST_STEPS {
        let progress = simulation.step_toward(since + STILL * time)?;
        let now = simulation.sample()?.kinetic;
        peak = peak.max(now);
        let over = simulation.t() >= since + STILL * time;
        let ended = progress == Progress::Finished;
        if peak > QUIET * energy && now < PASSED * peak || over || ended {
            let quiet = peak <= QUIET * energy;
            let still = stop(&mut simulation, from.t)?;
            stops += 1;
            if (quiet && over) || ended || stops >= MOST_STOPS {
                return Ok(Settled { state: still, stops, quiet: quiet && !ended });
            }
            peak = 0.0;
            since = simulation.t();
        }
    }
    let state = stop(&mut simulation, from.t)?;
    Ok(Settled { state, stops, quiet: false })
}

/// Sets all velocities to zero, and the clock back where anything depends on it.
fn stop(simulation: &mut Simulation<'_>, t: f64) -> Result<State, Error> {
    let mut state = simulation.state();
    state.rates.fill(0.0);
    state.t = t;
    simulation.set_state(&state)?;
    Ok(simulation.state())
}
