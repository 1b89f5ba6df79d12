//! What `linearize` and `modes` share: the state that they begin from.

use clap::Args;
use linkwork::analysis::{EquilibriumOptions, Linearization, LinearizeOptions, SteadyOptions};
use linkwork::model::Formulation;
use linkwork::{Error, Mechanism, Model, State};

use crate::arguments::{formulation, names};
use crate::output::{count, short};
use crate::source::{Setting, setting};
use std::fmt::Write;
use std::str::FromStr;

/// The model, the state and the coordinates.
#[derive(Args)]
pub struct StateOptions {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// The state: a time in s, up to which the model runs; `equilibrium`, where it rests; or `steady`, its steady motion with the rates of `[initial]` and drivers held
    #[arg(long, value_name = "T", default_value = "0", allow_negative_numbers = true)]
    pub at: At,
    #[arg(long, value_name = "NAME", value_parser = formulation, default_value = "auto", help = names("Formulation whose coordinates are the states; `auto` is `recursive`", &Formulation::CHOICES, Formulation::name), hide_default_value = true)]
    pub formulation: Formulation,
}

/// Which state of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// That after a run up to a time, s.
    Time(f64),
    /// Static equilibrium.
    Equilibrium,
    /// Steady motion.
    Steady,
}

impl FromStr for At {
    type Err = String;

    /// Reads a time in s, `equilibrium` or `steady`.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match (text, text.parse::<f64>()) {
            ("equilibrium", _) => Ok(At::Equilibrium),
            ("steady", _) => Ok(At::Steady),
            (_, Ok(t)) if t.is_finite() && t >= 0.0 => Ok(At::Time(t)),
            _ => Err(format!(
                "`{text}` is neither a time from the start on, in s, nor `equilibrium` or `steady`"
            )),
        }
    }
}

/// The mechanism where it is asked about, and its state there.
///
/// # Errors
/// Those of a run, of [`Mechanism::equilibrium`] or [`Mechanism::steady_motion`]; a run that ends before the time.
pub fn state_at(mechanism: Mechanism, at: At) -> Result<(Mechanism, State), Error> {
    match at {
        At::Time(t) => state_at_time(mechanism, t),
        At::Equilibrium => {
            let state = mechanism.equilibrium(&EquilibriumOptions::default())?.state;
            Ok((mechanism, state))
        }
        At::Steady => {
            let state = mechanism.steady_motion(&SteadyOptions::default())?.state;
            Ok((mechanism, state))
        }
    }
}

fn state_at_time(mechanism: Mechanism, t: f64) -> Result<(Mechanism, State), Error> {
    let mut settings = mechanism.model().settings.clone();
    settings.duration = settings.duration.max(t);
    let mechanism = mechanism.with_settings(settings);
    let mut simulation = mechanism.simulation()?;
    if t > 0.0 {
        simulation.advance_to(t)?;
        if simulation.t() < t {
            let now = simulation.t();
            return Err(Error::State(format!(
                "cannot go to t = {t} s: the simulation ends at t = {now} s; take an earlier time"
            )));
        }
    }
    let state = simulation.state();
    let there = simulation.mechanism().clone();
    drop(simulation);
    Ok((there, state))
}

/// A model, linearised.
pub fn linearized(
    model: Model,
    point: &StateOptions,
    inputs: Option<Vec<String>>,
    outputs: Option<Vec<String>>,
) -> Result<(Mechanism, State, Linearization), Error> {
    let (mechanism, state) = state_at(model.assemble()?, point.at)?;
    let options = LinearizeOptions { formulation: point.formulation, inputs, outputs };
    let linear = mechanism.linearize(&state, &options)?;
    Ok((mechanism, state, linear))
}

/// The first line of both tables.
pub fn headline(linear: &Linearization) -> String {
    let [positions, velocities, auxiliary] = linear.counts;
    let mut text = format!(
        "{} at t = {} s: {}, {} and {}",
        linear.model,
        short(linear.t),
        count(linear.states.len(), "state", "states"),
        count(positions, "position", "positions"),
        count(velocities, "velocity", "velocities"),
    );
    if auxiliary > 0 {
        let _ = write!(text, ", {}", count(auxiliary, "auxiliary state", "auxiliary states"));
    }
    let _ = writeln!(text, "; {}", linear.formulation.name());
    text
}

/// Remarks, for people.
pub fn tell_remarks(linear: &Linearization) {
    linear.remarks.iter().for_each(|remark| eprintln!("warning: {remark}"));
}
